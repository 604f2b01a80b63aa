"""The doctor names what is missing and what to do, and survives a house in any state."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from gradlab import cli, doctor


def rows_by_name() -> dict[str, doctor.Row]:
    return {row.name: row for row in doctor.examine()}


def hide(monkeypatch: pytest.MonkeyPatch, *distributions: str) -> None:
    """Let some distributions be absent, for the versions as for the imports."""
    version, load = importlib.metadata.version, importlib.import_module

    def absent_version(name: str) -> str:
        if name in distributions:
            raise importlib.metadata.PackageNotFoundError(name)
        return version(name)

    def absent_module(name: str) -> object:
        if name in distributions:
            raise ModuleNotFoundError(f"No module named {name!r}")
        return load(name)

    monkeypatch.setattr(importlib.metadata, "version", absent_version)
    monkeypatch.setattr(importlib, "import_module", absent_module)


def test_all_that_the_tests_need_is_found_here():
    rows = rows_by_name()
    needed = ("Python", "numpy", "scipy", "matplotlib", "ipywidgets", "anywidget", "JupyterLab", "Notebook")
    ours = (
        *needed,
        "layout engine",
        "ipywidgets front end",
        "anywidget front end",
        "Python kernel",
        "data folder",
    )
    assert {name: rows[name].state for name in ours} == dict.fromkeys(ours, doctor.OK)


def test_every_row_that_is_not_ok_says_what_to_do(monkeypatch):
    hide(monkeypatch, "jupyterlab", "notebook", "voila", "numpy")
    monkeypatch.setenv("PATH", "")
    silent = [row for row in doctor.examine() if row.state != doctor.OK and not row.advice]
    assert silent == []


def test_a_missing_required_part_fails_and_a_missing_optional_one_does_not(monkeypatch, capsys):
    hide(monkeypatch, "jupyterlab")
    assert cli.main(["doctor"]) == 0
    assert f"{sys.executable} -m pip install jupyterlab" in capsys.readouterr().out
    hide(monkeypatch, "numpy")
    assert cli.main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "✗ missing    numpy" in said
    assert "until this is mended: numpy." in said


def test_a_compiled_part_that_does_not_load_is_attention_not_a_traceback(monkeypatch):
    def broken(name: str) -> object:
        raise ImportError("libgfortran.so.5: cannot open shared object file")

    monkeypatch.setattr(importlib, "import_module", broken)
    row = next(row for row in doctor.examine() if row.name == "scipy")
    assert (row.state, row.required) == (doctor.ATTENTION, True)
    assert "libgfortran" in row.found


@pytest.mark.parametrize(
    ("version", "state"), [("", doctor.MISSING), ("3.6.1", doctor.ATTENTION), ("4.4.9", doctor.OK)]
)
def test_jupyterlab_is_judged_by_its_version(monkeypatch, version, state):
    monkeypatch.setattr(doctor, "version_of", lambda name: version)
    assert doctor._application("JupyterLab", "jupyterlab", "", (4,)).state == state


@pytest.mark.parametrize(
    ("front_end", "state"), [("", doctor.MISSING), ("0.1.0", doctor.ATTENTION), ("3.1.4", doctor.ATTENTION)]
)
def test_a_front_end_that_does_not_fit_is_found(monkeypatch, front_end, state):
    monkeypatch.setattr(doctor, "_front_end_version", lambda extension: front_end)
    assert [row.state for row in doctor._front_ends()] == [state, state]


def test_a_kernel_of_another_python_is_named(monkeypatch, tmp_path):
    folder = tmp_path / "kernels/python3"
    folder.mkdir(parents=True)
    other = shutil.copy(sys.executable, tmp_path / "python-of-another-place")
    (folder / "kernel.json").write_text(
        json.dumps({"argv": [str(other)], "display_name": "x", "language": "python"})
    )
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "0")
    (row,) = doctor._kernel()
    assert row.state == doctor.ATTENTION
    assert "python-of-another-place" in row.found


def test_without_any_graphviz_the_built_in_layout_is_attention(monkeypatch):
    from gradlab.viz import layout

    rows = [SimpleNamespace(rung="dot on PATH", used=False, found="not found", advice="")]
    rows.append(SimpleNamespace(rung="built-in layout", used=True, found="always there", advice=""))
    monkeypatch.setattr(layout, "engine_report", lambda: rows)
    (row,) = doctor._layout()
    assert (row.state, row.required) == (doctor.ATTENTION, False)
    assert "pygraphviz" in row.advice


@pytest.mark.parametrize(
    ("card", "cupy", "state", "word"),
    [
        ("", "", doctor.OK, "processor"),
        ("", "cupy-cuda12x", doctor.ATTENTION, "cupy-cuda12x"),
        ("Tesla T4, 535.104.05", "", doctor.MISSING, "cupy-cuda12x"),
        ("NVIDIA H200, 580.65.06", "", doctor.MISSING, "cupy-cuda13x"),
        ("NVIDIA H200, 580.65.06", "cupy-cuda13x", doctor.OK, "H200"),
    ],
)
def test_the_gpu_row_fits_card_and_package(monkeypatch, card, cupy, state, word):
    monkeypatch.setattr(doctor, "_nvidia", lambda: card)
    monkeypatch.setattr(doctor, "version_of", lambda name: "14.0" if name == cupy else "")
    (row,) = doctor._gpu()
    assert row.state == state
    assert word in row.found + row.advice


@pytest.mark.parametrize("answer", ["exit 9", "echo", "sleep 60"])
def test_a_driver_that_fails_or_hangs_is_no_gpu(monkeypatch, tmp_path, answer):
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n{answer}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(doctor, "PATIENCE_S", 0.2)
    assert doctor._nvidia() == ""


def test_a_broken_part_of_the_house_is_a_row(monkeypatch):
    def _wobbly():
        raise RuntimeError("the roof is off")
        yield

    monkeypatch.setattr(doctor, "ROWS", (_wobbly, doctor._python))
    wobbly, python = doctor.examine()
    assert (wobbly.name, wobbly.state) == ("wobbly", doctor.ATTENTION)
    assert "the roof is off" in wobbly.found
    assert python.state == doctor.OK


def test_a_data_folder_that_cannot_be_written_is_attention(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GRADLAB_DATA", str(tmp_path / "file/data"))
    (row,) = doctor._data_folder()
    assert row.state == doctor.ATTENTION
    assert "GRADLAB_DATA" in row.advice


def test_the_rows_for_a_program_are_those_for_a_person(capsys):
    assert cli.main(["doctor", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == [row.name for row in doctor.examine()]
    assert {row["state"] for row in rows} <= set(doctor.SYMBOLS)


def test_the_doctor_touches_neither_the_tree_nor_the_home(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("XDG", "JUPYTER", "IPYTHON"))
    }
    subprocess.run(
        [sys.executable, "-m", "gradlab", "doctor"],
        check=True,
        capture_output=True,
        env=environment
        | {"HOME": str(home), "GRADLAB_DATA": str(tmp_path / "data"), "MPLCONFIGDIR": str(tmp_path)},
    )
    assert [path for path in home.rglob("*") if path.is_file()] == []
