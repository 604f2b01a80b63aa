"""Whole new environments, as other people make them: the README's first command, the wheel alone, and Binder's.

They take minutes, so `pytest` skips them and the gate runs them.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.needs("environments")

BINDER_PINS = (
    "ipykernel",
    "ipywidgets",
    "jupyter_client",
    "jupyter_server",
    "jupyterlab",
    "jupyterlab_server",
    "jupyterlab_widgets",
    "notebook",
    "widgetsnbextension",
)


def run(*words: object, cwd: Path, **environment: str) -> str:
    finished = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=clean_environment() | environment,
    )
    assert finished.returncode == 0, finished.stdout[-6000:]
    return finished.stdout


def clean_environment() -> dict[str, str]:
    """A person's environment, without what these tests set for themselves."""
    ours = ("PYTHON", "PYTEST", "GRADLAB", "JUPYTER", "IPYTHON", "XDG", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def path_without_dot(tmp_path: Path) -> str:
    """A PATH that holds the programs of this machine, all but Graphviz's."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).glob("*") if Path(place).is_dir() else ():
            if program.name != "dot" and not (folder / program.name).is_symlink():
                (folder / program.name).symlink_to(program)
    return str(folder)


@pytest.fixture
def clone(tmp_path, repository) -> Path:
    subprocess.run(["git", "clone", "--quiet", repository, tmp_path / "gradlab"], check=True)
    return tmp_path / "gradlab"


def readme_block(clone: Path, word: str) -> str:
    blocks = re.findall(r"^```sh\n(.*?)^```$", (clone / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    (block,) = (block for block in blocks if word in block)
    return block


def test_the_first_command_opens_the_first_lesson_without_a_graphviz_program(
    clone, tmp_path, fetch, lesson_address
):
    environment = clean_environment() | {
        "PATH": path_without_dot(tmp_path),
        "BROWSER": "true",
        "HOME": str(tmp_path),
        "PIP_CACHE_DIR": subprocess.check_output(
            [sys.executable, "-m", "pip", "cache", "dir"], text=True
        ).strip(),
    }
    with subprocess.Popen(
        ["bash", "-euc", readme_block(clone, "gradlab lab")],
        cwd=clone,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        start_new_session=True,
    ) as process:
        try:
            contents = fetch(lesson_address(process).replace("/lab/tree/", "/api/contents/"))
            assert json.loads(contents)["type"] == "notebook"
            os.killpg(process.pid, signal.SIGINT)
            process.communicate(timeout=60)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0
    assert (clone / "gradlab-lessons/00-start-here.ipynb").is_file()
    rows = json.loads(
        subprocess.check_output([clone / ".venv/bin/gradlab", "doctor", "--json"], env=environment)
    )
    states = {row["name"]: (row["state"], row["found"]) for row in rows}
    assert states["layout engine"][0] == "ok"
    assert states["layout engine"][1].startswith("pygraphviz")


def test_the_wheel_alone_draws_and_names_what_is_missing(tmp_path, clone):
    run(sys.executable, "-m", "venv", "env", cwd=tmp_path)
    python = tmp_path / "env/bin/python"
    run(sys.executable, "-m", "build", "--outdir", tmp_path / "dist", cwd=clone)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    run(python, "-m", "pip", "install", "--quiet", wheel, cwd=tmp_path)
    run(python, "-m", "pip", "check", cwd=tmp_path)
    code = "import gradlab as gl; x = gl.Value(2.0, label='x'); gl.draw(x * x).save('x.svg'); gl.draw(x * x).save('x.png')"
    run(python, "-W", "error", "-c", code, cwd=tmp_path)
    assert b"<svg" in (tmp_path / "x.svg").read_bytes()
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    assert "missing    JupyterLab" in run(tmp_path / "env/bin/gradlab", "doctor", cwd=tmp_path)
    refused = subprocess.run(
        [tmp_path / "env/bin/gradlab", "lab"], cwd=tmp_path, capture_output=True, text=True
    )
    assert refused.returncode == 1
    assert "pip install jupyterlab" in refused.stderr


def binder_constraints() -> str:
    """The versions that Binder's base image pins, read from the repo2docker that is installed here."""
    place = importlib.util.find_spec("repo2docker").origin  # found, not imported: its own imports warn
    folder = Path(place).parent / "buildpacks/conda"
    lock = (folder / "environment.py-3.11-linux-64.lock").read_text()
    found = {name: re.search(rf"/{name}-([\d.]+)-", lock) for name in BINDER_PINS}
    assert None not in found.values(), found
    return "".join(f"{name}=={match[1]}\n" for name, match in found.items())


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="Binder's image has Python 3.11")
@pytest.mark.needs("repo2docker")
def test_the_first_lesson_runs_in_binders_environment(tmp_path, clone):
    (tmp_path / "pins.txt").write_text(binder_constraints())
    run(sys.executable, "-m", "venv", "env", cwd=tmp_path)
    programs = tmp_path / "env/bin"
    pip = (programs / "python", "-m", "pip", "install", "--quiet", "--constraint", tmp_path / "pins.txt")
    # as in the image: first the base with its pins, then what the repository asks for
    run(*pip, *BINDER_PINS, cwd=clone)
    run(programs / "python", "-m", "pip", "install", "--quiet", "-r", "binder/requirements.txt", cwd=clone)
    run(
        "./binder/postBuild",
        cwd=clone,
        PATH=f"{programs}{os.pathsep}{os.environ['PATH']}",
        HOME=str(tmp_path),
    )
    frozen = run(programs / "python", "-m", "pip", "freeze", cwd=clone)
    assert {
        line
        for line in binder_constraints().splitlines()
        if line.startswith(("jupyterlab==", "ipywidgets=="))
    } <= set(frozen.splitlines())
    run(*pip, "pytest", "nbval", cwd=clone)
    said = run(
        *(programs / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        "notebooks/00-start-here.ipynb",
        cwd=clone,
    )
    assert re.search(r"\d+ passed", said)
