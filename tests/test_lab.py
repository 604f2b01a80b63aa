"""`gradlab lab`: a learner's work survives everything, and JupyterLab starts and ends cleanly."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
from collections.abc import Iterator
from pathlib import Path

import nbformat
import nbformat.sign
import pytest

from gradlab import cli, errors, lab
from gradlab.lessons import notebooks_folder


def notebook(*sources: str, outputs: bool = False) -> bytes:
    cells = [
        {
            "cell_type": "code",
            "source": source.splitlines(keepends=True),
            "metadata": {},
            "execution_count": 1 if outputs else None,
            "outputs": [{"output_type": "stream", "name": "stdout", "text": "7\n"}] if outputs else [],
        }
        for source in sources
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


@pytest.fixture
def shipped(tmp_path) -> Path:
    folder = tmp_path / "shipped"
    (folder / "images").mkdir(parents=True)
    (folder / "00-start-here.ipynb").write_bytes(notebook("one = 1"))
    (folder / "01-graph.ipynb").write_bytes(notebook("two = 2"))
    (folder / "images/graph.svg").write_bytes(b"<svg/>")
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints/00-start-here-checkpoint.ipynb").write_bytes(b"{}")
    return folder


@pytest.fixture
def mine(tmp_path) -> Path:
    return tmp_path / "my lessons é"


def outcomes(deliveries: list[lab.Delivery]) -> dict[str, str]:
    return {delivery.name: delivery.outcome for delivery in deliveries}


def visible(folder: Path) -> list[str]:
    paths = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def test_a_first_delivery_copies_everything_but_hidden_files(shipped, mine):
    assert set(outcomes(lab.deliver(shipped, mine)).values()) == {"new"}
    assert visible(mine) == ["00-start-here.ipynb", "01-graph.ipynb", "images/graph.svg"]


def test_a_second_delivery_changes_nothing(shipped, mine):
    lab.deliver(shipped, mine)
    before = {path: path.stat().st_mtime_ns for path in mine.rglob("*")}
    assert set(outcomes(lab.deliver(shipped, mine)).values()) == {"same"}
    assert {path: path.stat().st_mtime_ns for path in mine.rglob("*")} == before


def test_a_changed_lesson_is_kept_and_named(shipped, mine):
    lab.deliver(shipped, mine)
    (mine / "01-graph.ipynb").write_bytes(notebook("two = 3"))
    deliveries = lab.deliver(shipped, mine)
    assert outcomes(deliveries)["01-graph.ipynb"] == "kept"
    assert (mine / "01-graph.ipynb").read_bytes() == notebook("two = 3")
    assert "01-graph.ipynb is as you left it." in lab.report(mine, deliveries)
    assert len(visible(mine)) == 3


def test_an_unchanged_lesson_is_brought_up_to_date_also_after_it_was_run(shipped, mine):
    lab.deliver(shipped, mine)
    (mine / "01-graph.ipynb").write_bytes(notebook("two = 2", outputs=True))
    for name in ("00-start-here.ipynb", "01-graph.ipynb"):
        (shipped / name).write_bytes(notebook("better = 1"))
    assert outcomes(lab.deliver(shipped, mine))["01-graph.ipynb"] == "updated"
    assert (mine / "00-start-here.ipynb").read_bytes() == (mine / "01-graph.ipynb").read_bytes()
    assert len(visible(mine)) == 3


def test_a_new_version_of_a_changed_lesson_is_put_beside_it_once(shipped, mine):
    lab.deliver(shipped, mine)
    (mine / "01-graph.ipynb").write_bytes(notebook("my = 'work'"))
    (shipped / "01-graph.ipynb").write_bytes(notebook("two = 22"))
    deliveries = lab.deliver(shipped, mine)
    assert "beside it as 01-graph.new.ipynb" in lab.report(mine, deliveries)
    assert (mine / "01-graph.ipynb").read_bytes() == notebook("my = 'work'")
    assert (mine / "01-graph.new.ipynb").read_bytes() == notebook("two = 22")
    (mine / "01-graph.new.ipynb").unlink()
    assert outcomes(lab.deliver(shipped, mine))["01-graph.ipynb"] == "kept"
    assert not (mine / "01-graph.new.ipynb").exists()


def test_work_in_the_new_version_is_kept_too(shipped, mine):
    lab.deliver(shipped, mine)
    (mine / "01-graph.ipynb").write_bytes(notebook("my = 'work'"))
    (shipped / "01-graph.ipynb").write_bytes(notebook("two = 22"))
    lab.deliver(shipped, mine)
    (mine / "01-graph.new.ipynb").write_bytes(notebook("more = 'work'"))
    (shipped / "01-graph.ipynb").write_bytes(notebook("two = 222"))
    lab.deliver(shipped, mine)
    assert (mine / "01-graph.new.ipynb").read_bytes() == notebook("more = 'work'")
    assert (mine / "01-graph.new-2.ipynb").read_bytes() == notebook("two = 222")


@pytest.mark.parametrize(
    "record", [None, b"", b"[]", b'{"delivered": 3}', b'{"delivered": {"a": 1}}', b"\xff\xfe"]
)
def test_a_lost_or_damaged_record_never_costs_any_work(shipped, mine, record):
    lab.deliver(shipped, mine)
    (mine / "01-graph.ipynb").write_bytes(notebook("my = 'work'"))
    (mine / lab.RECORD).unlink()
    if record is not None:
        (mine / lab.RECORD).write_bytes(record)
    (shipped / "00-start-here.ipynb").write_bytes(notebook("better = 1"))
    assert set(outcomes(lab.deliver(shipped, mine)).values()) == {"same", "beside"}
    assert (mine / "01-graph.ipynb").read_bytes() == notebook("my = 'work'")
    assert (mine / "00-start-here.ipynb").read_bytes() == notebook("one = 1")


@pytest.mark.parametrize(
    "content", [b"", b"not json", b'{"cells": 3}', b'{"cells": [{}]}', b"[1]", b"\x00\xff"]
)
def test_a_damaged_notebook_of_the_learner_is_kept(shipped, mine, content):
    lab.deliver(shipped, mine)
    (mine / "01-graph.ipynb").write_bytes(content)
    lab.deliver(shipped, mine)
    assert (mine / "01-graph.ipynb").read_bytes() == content


def test_a_deleted_lesson_comes_back_fresh(shipped, mine):
    lab.deliver(shipped, mine)
    (mine / "01-graph.ipynb").unlink()
    assert outcomes(lab.deliver(shipped, mine))["01-graph.ipynb"] == "new"


def test_an_interrupted_write_leaves_the_old_file_and_no_litter(shipped, mine, monkeypatch):
    lab.deliver(shipped, mine)
    (shipped / "00-start-here.ipynb").write_bytes(notebook("better = 1"))
    before = sorted(mine.rglob("*"))

    def full(*paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(errors.StorageError, match=r"No space left on device.*gradlab lab --dir FOLDER"):
        lab.deliver(shipped, mine)
    assert (mine / "00-start-here.ipynb").read_bytes() == notebook("one = 1")
    assert sorted(mine.rglob("*")) == before


def test_a_folder_that_cannot_be_made_is_named_with_the_way_out(shipped, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(errors.StorageError, match=r"GL080 .*file.*--dir FOLDER"):
        lab.deliver(shipped, tmp_path / "file" / "lessons")


def test_a_lesson_whose_place_is_taken_by_a_folder_is_an_error_in_words(shipped, mine):
    (mine / "00-start-here.ipynb").mkdir(parents=True)
    with pytest.raises(errors.StorageError, match="GL080"):
        lab.deliver(shipped, mine)


def test_the_lessons_of_gradlab_itself_are_not_a_learners_folder(shipped):
    with pytest.raises(errors.ArgumentError, match="GL082"):
        lab.deliver(shipped, shipped)
    assert not (shipped / lab.RECORD).exists()


def test_jupyter_moves_out_of_a_home_that_cannot_be_written_to(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    for name in lab.JUPYTER_FOLDERS:
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    with lab.jupyter_environment({"A": "1"}) as (environment, moved):
        assert (environment, moved) == ({"A": "1"}, [])
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "file/runtime"))
    with lab.jupyter_environment(dict(os.environ)) as (environment, moved):
        assert moved == ["JUPYTER_RUNTIME_DIR"]
        substitute = Path(environment["JUPYTER_RUNTIME_DIR"])
        assert lab.can_write_in(substitute)
        assert environment["JUPYTER_DATA_DIR"] == os.environ["JUPYTER_DATA_DIR"]
    assert not substitute.exists()


def test_delivered_lessons_are_trusted_and_the_learners_own_are_not(mine, tmp_path):
    mine.mkdir()
    own = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", outputs=[])])
    nbformat.write(own, mine / "my-own.ipynb")
    environment = dict(os.environ) | {"JUPYTER_DATA_DIR": str(tmp_path / "data")}
    lab.trust(mine, lab.deliver(Path(notebooks_folder()), mine), environment)
    notary = nbformat.sign.NotebookNotary(data_dir=str(tmp_path / "data"))
    signed = {path.name: notary.check_signature(nbformat.read(path, 4)) for path in mine.glob("*.ipynb")}
    notary.store.close()
    assert signed.pop("my-own.ipynb") is False
    assert signed
    assert all(signed.values())


def test_jupyterlab_listens_on_this_machine_only_and_keeps_its_token(tmp_path):
    command = lab.jupyter_command(tmp_path, port=9000, browser=False)
    assert "--ServerApp.ip=127.0.0.1" in command
    assert "--ServerApp.port=9000" in command
    assert "--ServerApp.open_browser=False" in command
    assert not [word for word in command if "token" in word or "password" in word]
    assert lab.jupyter_command(tmp_path, port=None, browser=True)[-1] != "--ServerApp.open_browser=False"


def test_a_missing_jupyterlab_is_named_with_the_command_that_brings_it(tmp_path, monkeypatch, capsys):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "jupyterlab" else real(name)
    )
    assert cli.main(["lab", "--dir", str(tmp_path / "lessons")]) == 1
    said = capsys.readouterr().err
    assert said.startswith("gradlab lab: GL081: JupyterLab is not installed")
    assert f"{sys.executable} -m pip install jupyterlab" in said
    assert not (tmp_path / "lessons").exists()


@contextlib.contextmanager
def running_lab(*options: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "gradlab", "lab", "--no-browser", *options]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, text=True, start_new_session=True, **pipes) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as blocker:
        blocker.bind(("127.0.0.1", 0))
        blocker.listen()
        yield blocker.getsockname()[1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_lab_serves_the_lesson_past_a_taken_port_and_ends_on_one_signal(
    tmp_path, taken_port, number, fetch, lesson_address
):
    with running_lab("--dir", str(tmp_path / "lessons"), "--port", str(taken_port)) as process:
        address = lesson_address(process)
        assert f":{taken_port}/" not in address
        assert b"JupyterLab" in fetch(address)
        base, _, token = address.replace("/lab/tree/", "/api/contents/").partition("?")
        assert json.loads(fetch(f"{base}?{token}"))["name"] == "00-start-here.ipynb"
        with pytest.raises(urllib.error.HTTPError, match="403") as refused:
            fetch(base)
        refused.value.close()
        if number == signal.SIGINT:  # as a terminal does it: to the whole group
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        rest = process.communicate(timeout=30)[0]
    assert "Traceback" not in rest
    assert process.returncode == 0, rest


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_jupyterlab_that_does_not_end_is_ended(number):
    stubborn = (
        "import signal, time\n"
        "for number in (signal.SIGINT, signal.SIGTERM): signal.signal(number, signal.SIG_IGN)\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    code = (
        "import os, sys\nfrom gradlab import lab\nlab.PATIENCE_S = 0.5\n"
        f"sys.exit(lab._stay_until_it_ends([sys.executable, '-c', {stubborn!r}], dict(os.environ)))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout.readline() == b"ready\n"
        os.killpg(process.pid, number)
        assert process.wait(timeout=20) == 0
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)
