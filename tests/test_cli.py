"""The command line: every call, also a wrong one, ends in words and a status."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from gradlab import cli, errors


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ([], 0, "lab"),
        (["--version"], 0, "gradlab 0"),
        (["explain"], 0, "GL001"),
        (["explain", "gl021"], 0, "GL021"),
        (["explain", "GL999"], 1, "`gradlab explain` lists them all"),
        (["lab", "--port", "http"], 2, "whole number"),
        (["lab", "--port", "70000"], 2, "whole number"),
        (["lab", "--prot", "1"], 2, "--prot"),
        (["dance"], 2, "dance"),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, list) else "",
)
def test_every_call_ends_in_words_and_a_status(arguments, status, words, capsys):
    try:
        found = cli.main(arguments)
    except SystemExit as leaving:
        found = leaving.code
    captured = capsys.readouterr()
    assert (found, words in captured.out + captured.err) == (status, True), captured
    assert "Traceback" not in captured.err


def test_every_error_code_that_gradlab_raises_can_be_explained(repository):
    sources = (repository / "gradlab").rglob("*.py")
    used = {code for path in sources for code in re.findall(r'"(GL\d{3})"', path.read_text(encoding="utf-8"))}
    assert used - set(errors.CODES) == set()


def test_a_reader_that_leaves_early_causes_no_traceback():
    code = "import sys; from gradlab.cli import main; sys.exit(main(['explain']))"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    process.wait()
    assert "Traceback" not in said


def test_a_terminal_without_the_symbols_gets_the_words(monkeypatch):
    finished = subprocess.run(
        [sys.executable, "-m", "gradlab", "doctor"],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert finished.returncode == 0, finished.stderr
    assert b"? ok" in finished.stdout


def test_lessons_are_listed_with_progress_in_symbols_and_words(capsys, monkeypatch):
    from gradlab import lessons

    rows = (("00-a", "What?", 2, 2), ("01-b", "Why?", 3, 1), ("02-c", "How?", 4, 0))
    monkeypatch.setattr(
        lessons,
        "contents",
        lambda: [lessons.Heading(name, title, "", 20, of, done) for name, title, of, done in rows],
    )
    assert cli.main(["lessons"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[:3] == [
        "✓ 2 of 2 done  00-a  What? (20 min)",
        "◐ 1 of 3 done  01-b  Why? (20 min)",
        "○ 0 of 4 done  02-c  How? (20 min)",
    ]
