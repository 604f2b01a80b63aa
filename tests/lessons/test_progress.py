"""Progress: written as a whole, shared between notebooks, and never in the learner's way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

import pytest

import gradlab as gl
from gradlab.lessons import progress
from gradlab.lessons.progress import Entry, NotProgressError, Store, parse, render

LESSON, QUESTION = "00-start-here", "recall"


def correct(entry):
    return entry.better("correct")


def stored(data):
    return parse((data / progress.FILE).read_text(encoding="utf-8"))


def test_a_change_is_in_the_file_and_in_the_next_session(data):
    Store().change(LESSON, QUESTION, correct)
    assert stored(data)[LESSON][QUESTION] == Entry("correct", attempts=1)
    assert Store().entry(LESSON, QUESTION) == Entry("correct", attempts=1)


def test_the_best_status_stays_and_attempts_add_up():
    store = Store()
    for status in ("incorrect", "correct", "partly", "error"):
        entry = store.change(LESSON, QUESTION, lambda entry, status=status: entry.better(status))
    assert entry == Entry("correct", attempts=4)


def test_two_notebooks_keep_each_others_entries():
    one, two = Store(), Store()
    one.book(), two.book()  # both have read the empty file before either writes
    one.change(LESSON, "recall", correct)
    two.change(LESSON, "fade", correct)
    one.change(LESSON, "recall", correct)
    assert {name: entry.attempts for name, entry in Store().book()[LESSON].items()} == {
        "recall": 2,
        "fade": 1,
    }


def test_two_notebooks_count_the_same_question_together():
    one, two = Store(), Store()
    one.change(LESSON, QUESTION, correct)
    two.change(LESSON, QUESTION, correct)
    assert one.entry(LESSON, QUESTION).attempts == two.entry(LESSON, QUESTION).attempts == 2


def test_writers_at_the_same_time_lose_nothing():
    def write():
        store = Store()
        for _ in range(20):
            store.change(LESSON, QUESTION, correct)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Store().entry(LESSON, QUESTION).attempts == 80


KILLED = """
import os
from gradlab.lessons import progress
os.{call} = lambda *args: os._exit(9)
progress.Store().change("00-start-here", "fade", lambda entry: entry.better("correct"))
"""


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_kill_in_the_middle_leaves_the_old_file_and_no_lock(data, call):
    Store().change(LESSON, QUESTION, correct)
    before = (data / progress.FILE).read_bytes()
    killed = subprocess.run(
        [sys.executable, "-c", KILLED.format(call=call)], env=os.environ | {"PYTHONPATH": os.getcwd()}
    )
    assert killed.returncode == 9
    assert (data / progress.FILE).read_bytes() == before
    store = Store()
    store.change(LESSON, "own", correct)
    assert set(stored(data)[LESSON]) == {QUESTION, "own"}
    assert not store.take_notes()
    assert sorted(path.name for path in data.iterdir()) == [progress.FILE, progress.LOCK]


def _full_disk(*args):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_keeps_the_old_file_and_the_new_entry_in_memory(data, monkeypatch, call):
    store = Store()
    store.change(LESSON, QUESTION, correct)
    before = (data / progress.FILE).read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(os, call, _full_disk)
        assert store.change(LESSON, "fade", correct).status == "correct"
    assert (data / progress.FILE).read_bytes() == before
    assert not list(data.glob("*.part"))
    assert store.in_memory
    assert "no space left on device" in store.take_notes()[0]
    assert store.entry(LESSON, "fade").status == "correct"


def test_what_could_not_be_written_is_written_as_soon_as_it_can_be(data, monkeypatch):
    store = Store()
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", _full_disk)
        store.change(LESSON, "fade", correct)
    store.change(LESSON, "own", correct)
    assert {name: entry.attempts for name, entry in stored(data)[LESSON].items()} == {"fade": 1, "own": 1}
    assert not store.in_memory


def _refused(path, mode="r", **keywords):
    raise PermissionError(13, "Permission denied")


def test_a_read_only_folder_is_said_once_and_remembered_in_memory(data, monkeypatch):
    monkeypatch.setattr(progress, "open", _refused, raising=False)
    store = Store()
    for _ in range(3):
        store.change(LESSON, QUESTION, correct)
    (note,) = store.take_notes()
    assert "permission denied" in note
    assert "GRADLAB_DATA" in note
    assert store.entry(LESSON, QUESTION).attempts == 3
    assert not list(data.glob("*"))


def test_a_folder_that_cannot_be_made_is_survived(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("GRADLAB_DATA", str(tmp_path / "file" / "inside"))
    result = gl.lessons.load(LESSON).q(QUESTION).check(14)
    assert result.status == "correct"
    assert "cannot be saved" in result.notes[0]


UNREADABLE = [
    "",
    "not JSON",
    "[]",
    "null",
    "{}",
    '{"format": 1}',
    '{"format": 1, "lessons": []}',
    '{"format": 1, "lessons": {"00-start-here": {"recall": 3}}}',
    '{"format": 1, "lessons": {"00-start-here": {"recall": {"status": "wonderful"}}}}',
    '{"format": 1, "lessons": {"00-start-here": {"recall": {"attempts": "many"}}}}',
    "[" * 100_000,
]


@pytest.mark.parametrize("content", UNREADABLE, ids=range(len(UNREADABLE)))
def test_a_corrupt_or_foreign_file_is_kept_aside_and_reported(data, content):
    data.mkdir()
    (data / progress.FILE).write_text(content)
    (data / "progress-unreadable-1.json").write_text("from last time")
    store = Store()
    assert store.entry(LESSON, QUESTION) == Entry()
    store.change(LESSON, QUESTION, correct)
    assert (data / "progress-unreadable-2.json").read_text() == content
    assert (data / "progress-unreadable-1.json").read_text() == "from last time"
    assert "progress-unreadable-2.json" in store.take_notes()[0]
    assert stored(data)[LESSON][QUESTION].status == "correct"


def test_bytes_that_are_no_text_are_kept_aside(data):
    data.mkdir()
    (data / progress.FILE).write_bytes(b"\xff\xfe\x00\x9c")
    Store().change(LESSON, QUESTION, correct)
    assert (data / "progress-unreadable-1.json").read_bytes() == b"\xff\xfe\x00\x9c"


def test_a_newer_gradlabs_file_is_left_alone(data):
    data.mkdir()
    newer = '{"format": 2, "lessons": "in a new shape"}'
    (data / progress.FILE).write_text(newer)
    store = Store()
    store.change(LESSON, QUESTION, correct)
    assert (data / progress.FILE).read_text() == newer
    assert "newer gradlab" in store.take_notes()[0]
    assert store.entry(LESSON, QUESTION).status == "correct"


def test_a_held_lock_is_waited_for_and_then_passed_over(data, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE_S", 0.05)
    holder, other = Store(), Store()
    with holder._locked():
        other.change(LESSON, QUESTION, correct)
        assert other.in_memory
    other.change(LESSON, QUESTION, correct)
    assert stored(data)[LESSON][QUESTION].attempts == 2


def test_render_and_parse_are_inverse():
    book = {LESSON: {QUESTION: Entry("partly", 3, 2, "“rises”", True, True)}}
    assert parse(render(book)) == book


def test_parse_tells_a_newer_file_from_a_broken_one():
    with pytest.raises(NotProgressError) as newer:
        parse('{"format": 7, "lessons": {}}')
    assert newer.value.newer
    with pytest.raises(NotProgressError) as broken:
        parse("{")
    assert not broken.value.newer


def test_progress_can_be_saved_and_taken_in_on_another_machine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lesson = gl.lessons.load(LESSON)
    lesson.q(QUESTION).check(14)
    assert "gradlab-progress.json" in lesson.progress().save().message
    monkeypatch.setenv("GRADLAB_DATA", str(tmp_path / "another"))
    elsewhere = gl.lessons.load(LESSON)
    elsewhere.q("fade").check(9)
    taken = elsewhere.progress(load="gradlab-progress.json")
    assert {name for name, entry in taken.rows.items() if entry.status == "correct"} == {QUESTION, "fade"}
    assert "1 entry taken in" in taken.notes[0]


def test_loading_what_is_not_progress_changes_nothing_and_says_so(tmp_path):
    lesson = gl.lessons.load(LESSON)
    lesson.q(QUESTION).check(14)
    (tmp_path / "other.json").write_text('{"my": "file"}')
    assert "not a progress file" in lesson.progress(load=tmp_path / "other.json").notes[0]
    assert "could not be read" in lesson.progress(load=tmp_path / "missing.json").notes[0]
    assert lesson.progress().rows[QUESTION].status == "correct"


def test_saving_never_overwrites_a_file_of_another_kind(tmp_path):
    mine = tmp_path / "thesis.json"
    mine.write_text('{"chapters": 7}')
    result = gl.lessons.load(LESSON).progress().save(mine)
    assert result.status == "error"
    assert json.loads(mine.read_text()) == {"chapters": 7}
    assert gl.lessons.load(LESSON).progress().save(tmp_path / "missing" / "p.json").status == "error"


def test_progress_kept_in_memory_is_said_in_progress(monkeypatch):
    monkeypatch.setattr(os, "replace", _full_disk)
    lesson = gl.lessons.load(LESSON)
    lesson.q(QUESTION).check(14)
    assert any("memory" in note for note in lesson.progress().notes)
    assert lesson.progress().rows[QUESTION].status == "correct"
