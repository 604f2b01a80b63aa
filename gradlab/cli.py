"""The command line: one row a command, and each loads what it needs only when it runs."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gradlab.errors import CODES, ArgumentError, GradlabError

Run = Callable[[argparse.Namespace, list[str]], int]


@dataclass(frozen=True)
class Command:
    """A command's name, its line of help, its options, and what runs it: `run(options, rest)` returns the exit status.

    `rest` are words that this parser does not know; only a command with `passes_on` may be given any.
    """

    name: str
    help: str
    options: Callable[[argparse.ArgumentParser], object]
    run: Run
    passes_on: bool = False


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a port is a whole number from 0 to 65535, not {text!r}")
    return int(text)


def _lab_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dir",
        type=Path,
        default=Path("gradlab-lessons"),
        metavar="FOLDER",
        help="where your own copy of the lessons lives (default: ./gradlab-lessons)",
    )
    parser.add_argument(
        "--port", type=_port, metavar="N", help="first port to try; if it is taken, the next free one"
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address instead of opening a browser"
    )


def _lab(options: argparse.Namespace, rest: list[str]) -> int:
    from gradlab import lab

    return lab.main(options.dir, port=options.port, browser=not options.no_browser)


def _lessons(options: argparse.Namespace, rest: list[str]) -> int:
    from gradlab import lab

    print(lab.overview())
    return 0


def _doctor_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="the same rows for a program to read")


def _doctor(options: argparse.Namespace, rest: list[str]) -> int:
    from gradlab import doctor

    return doctor.main(as_json=options.json)


def _explain_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "code", nargs="?", metavar="CODE", help="such as GL021; without it, every code is listed"
    )


def _explain(options: argparse.Namespace, rest: list[str]) -> int:
    wanted = CODES if options.code is None else {options.code.upper(): CODES.get(options.code.upper(), "")}
    if "" in wanted.values():
        raise ArgumentError(
            "GL082",
            f"there is no code {options.code!r}",
            "Codes look like GL021",
            "`gradlab explain` lists them all",
        )
    print("\n".join(f"{code}  {meaning}" for code, meaning in wanted.items()))
    return 0


def _bench(options: argparse.Namespace, rest: list[str]) -> int:
    from gradlab import bench

    return int(bench.main(rest) or 0)


COMMANDS = (
    Command("lab", "copy the lessons into a folder of yours and open them in JupyterLab", _lab_options, _lab),
    Command("lessons", "list the lessons and how far you are", lambda parser: None, _lessons),
    Command(
        "doctor", "say what is installed, what is missing and what to do about it", _doctor_options, _doctor
    ),
    Command("explain", "say what the code of an error means", _explain_options, _explain),
    Command(
        "bench",
        "time gradlab beside whichever peers are installed",
        lambda parser: None,
        _bench,
        passes_on=True,
    ),
)


def parser() -> argparse.ArgumentParser:
    """The whole command line as one argparse parser."""
    top = argparse.ArgumentParser(
        prog="gradlab",
        description="Computational graphs and automatic differentiation, to see and to touch.",
    )
    top.add_argument("--version", action="store_true", help="print the version and leave")
    commands = top.add_subparsers(title="commands", metavar="COMMAND")
    for command in COMMANDS:
        if command.name == "bench" and importlib.util.find_spec("gradlab.bench") is None:
            continue
        sub = commands.add_parser(
            command.name, help=command.help, description=command.help, add_help=not command.passes_on
        )
        command.options(sub)
        sub.set_defaults(command=command)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status. Expected failures end in a sentence, not in a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show ✓ gets a "?", not a traceback
            stream.reconfigure(errors="replace")
    top = parser()
    options, rest = top.parse_known_args(argv)
    if options.version:
        from gradlab import __version__

        print(f"gradlab {__version__}")
        return 0
    command: Command | None = getattr(options, "command", None)
    if rest and (command is None or not command.passes_on):
        top.error(f"unrecognized arguments: {' '.join(rest)}")
    if command is None:
        top.print_help()
        return 0
    return _run(command, options, rest)


def _run(command: Command, options: argparse.Namespace, rest: list[str]) -> int:
    try:
        return command.run(options, rest)
    except GradlabError as error:
        # the parts, not str(error): that names a line of the learner's own code, and here there is none
        parts = (part.rstrip(". ") for part in (error.what, error.expected, error.fix) if part)
        print(f"gradlab {command.name}: {error.code}: {'. '.join(parts)}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of a pipe, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
