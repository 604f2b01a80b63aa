from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """A data folder of its own for each test."""
    folder = tmp_path / "data"
    monkeypatch.setenv("GRADLAB_DATA", str(folder))
    return folder
