"""Binder builds what this repository promises, checked without Docker: repo2docker writes its recipe, and that is read."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import tomllib

import pytest


@pytest.fixture(scope="module")
def recipe(tmp_path_factory, repository) -> str:
    """The Dockerfile that Binder would build from."""
    copy = tmp_path_factory.mktemp("binder")
    shutil.copytree(repository / "binder", copy / "binder")
    shutil.copy(repository / "pyproject.toml", copy)
    finished = subprocess.run(
        [sys.executable, "-m", "repo2docker", "--no-build", "--debug", "."],
        cwd=copy,
        capture_output=True,
        text=True,
        env={name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"},
    )
    assert finished.returncode == 0, finished.stderr[-3000:]
    return finished.stdout + finished.stderr


@pytest.mark.needs("repo2docker")
def test_the_recipe_contains_every_piece_in_the_right_order(recipe):
    pieces = (
        r"apt-get install --yes --no-install-recommends graphviz",
        r"COPY .* src/ \$\{REPO_DIR\}/",
        r'pip install --no-cache-dir -r "binder/requirements.txt"',
        r"RUN \./binder/postBuild",
    )
    places = [re.search(piece, recipe) for piece in pieces]
    assert None not in places
    # "." can be installed only once the repository has been copied
    assert sorted(match.start() for match in places) == [match.start() for match in places]


@pytest.mark.needs("repo2docker")
def test_the_recipe_uses_the_promised_python(recipe):
    assert "Building conda environment for python=3.11" in recipe


def test_binder_and_a_learners_own_machine_install_the_same(repository):
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (repository / "binder/requirements.txt").read_text().splitlines()
    assert [line for line in lines if not line.startswith("#")] == [".[lab]"]
    assert "lab" in project["optional-dependencies"]
    assert (repository / "binder/runtime.txt").read_text() == "python-3.11\n"
    assert project["requires-python"] == ">=3.11"


def test_post_build_may_be_run(repository):
    assert (repository / "binder/postBuild").stat().st_mode & stat.S_IXUSR
    subprocess.run(["bash", "-n", repository / "binder/postBuild"], check=True)
    if (repository / ".git").exists():
        mode = subprocess.run(
            ["git", "ls-files", "--stage", "binder/postBuild"],
            cwd=repository,
            capture_output=True,
            text=True,
            check=True,
        )
        assert mode.stdout.startswith("100755")
