"""The wheel holds every file that runs, draws or teaches, and works away from the source tree."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

LARGEST_BYTES = 1_500_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory, repository) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    finished = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, repository],
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    (built,) = folder.glob("*.whl")
    return built


def sources(folder: Path) -> set[str]:
    """What belongs into the wheel: all files but caches and hidden ones."""
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {
        path.as_posix()
        for path in paths
        if "__pycache__" not in path.parts and not any(part.startswith(".") for part in path.parts)
    }


def test_the_wheel_holds_every_module_asset_and_lesson_and_nothing_else(wheel, repository):
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    package = {f"gradlab/{name}" for name in sources(repository / "gradlab")}
    lessons = {f"gradlab/lessons/notebooks/{name}" for name in sources(repository / "notebooks")}
    assert names == package | lessons
    assert {"gradlab/widgets/explorer.js", "gradlab/widgets/explorer.css", "gradlab/py.typed"} <= names
    assert "gradlab/lessons/notebooks/00-start-here.ipynb" in names


def test_the_wheel_stays_small(wheel):
    assert wheel.stat().st_size <= LARGEST_BYTES


def test_the_wheel_names_its_licence_and_its_command(wheel):
    with zipfile.ZipFile(wheel) as archive:
        inside = {name.partition(".dist-info/")[2]: name for name in archive.namelist()}
        metadata = archive.read(inside["METADATA"]).decode()
        assert "License-Expression: MIT" in metadata
        assert "gradlab contributors" in archive.read(inside["licenses/LICENSE"]).decode()
        assert "gradlab = gradlab.cli:main" in archive.read(inside["entry_points.txt"]).decode()


def test_the_unpacked_wheel_draws_explores_and_finds_its_lessons(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    code = (
        "import gradlab as gl, pathlib\n"
        "assert pathlib.Path(gl.__file__).is_relative_to(pathlib.Path.cwd() / 'site'), gl.__file__\n"
        "x = gl.Value(2.0, label='x')\n"
        "assert '<svg' in gl.draw(x * x).svg()\n"
        "gl.explore(lambda x: x * x, x=2.0)\n"
        "assert (pathlib.Path(gl.lessons.notebooks_folder()) / '00-start-here.ipynb').is_file()\n"
    )
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "site")},
    )
    assert finished.returncode == 0, finished.stderr
