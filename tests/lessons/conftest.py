from __future__ import annotations

import pytest

from gradlab.lessons.judge import judge
from gradlab.lessons.plan import Task


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """A data folder of its own for each test."""
    folder = tmp_path / "data"
    monkeypatch.setenv("GRADLAB_DATA", str(folder))
    return folder


@pytest.fixture
def verdict():
    """The verdict on an answer to a question of this kind, with the wrong answers it knows."""

    def verdict(kind, value, *wrong):
        hints = ("one", "two", "three")
        return judge(Task("q", "What is it?", kind, hints, "solution", "Because.", wrong), value)

    return verdict
