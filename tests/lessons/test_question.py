"""The verbs of a question, as a learner meets them."""

from __future__ import annotations

import pytest

import gradlab as gl
from gradlab.errors import GradlabError
from gradlab.lessons import question, stage
from gradlab.lessons.oracle import DisagreementError
from gradlab.lessons.progress import Store
from gradlab.lessons.question import Question

NAME = "00-start-here"


@pytest.fixture
def lesson():
    return gl.lessons.load(NAME)


def test_hints_go_from_nudge_to_principle_to_first_step_and_then_to_the_solution(lesson):
    said = [lesson.q("own").hint() for _ in range(4)]
    assert [hint.title.rpartition(", ")[2] for hint in said[:3]] == ["nudge", "principle", "first step"]
    assert len({hint.message for hint in said}) == 4
    assert "solution()" in said[3].message
    assert lesson.q("own").entry.hints == 3


def test_a_solution_asks_for_one_attempt_but_does_not_block(lesson):
    first, second = lesson.q("own").solution(), lesson.q("own").solution()
    assert not first.code
    assert "Try once" in first.message
    assert "return x * w + b" in second.code


@pytest.mark.parametrize("answer", [3, lambda x, w, b: x, "text"])
def test_a_solution_is_shown_at_once_after_any_attempt(lesson, answer):
    lesson.q("own").check(answer)
    assert lesson.q("own").solution().code


def test_a_starter_is_no_attempt(lesson):
    lesson.q("own").check(...)
    lesson.q("own").check(lambda x, w, b: ...)
    lesson.q("own").check()
    assert lesson.q("own").entry.attempts == 0


def test_reveal_waits_for_a_prediction(lesson):
    q = lesson.q("direction")
    assert "First say what you expect" in q.reveal().message
    assert q.predict("rises").status == "incorrect"
    revealed = q.reveal()
    assert "You said “rises”" in revealed.message
    assert "from 81 to 49" in revealed.message
    assert q.entry.revealed


def test_a_prediction_that_cannot_be_read_does_not_unlock_the_reveal(lesson):
    q = lesson.q("direction")
    assert q.predict("sideways").status == "error"
    assert q.entry.predicted == ""


def test_a_prediction_is_remembered_in_the_next_session(lesson):
    lesson.q("direction").predict("falls")
    assert "You said “falls”" in gl.lessons.load(NAME).q("direction").reveal().message


def test_the_first_prediction_is_the_one_that_is_remembered(lesson):
    lesson.q("direction").predict("stays")
    lesson.q("direction").predict("falls")
    assert lesson.q("direction").entry.predicted == "“stays”"


def test_a_prediction_does_not_give_the_reason_away(lesson):
    q = lesson.q("direction")
    assert q.task.because not in q.predict("falls").message
    assert q.predict("rises").misconception == "a larger number in gives a larger number out"


def test_the_reveal_of_a_recognised_wrong_prediction_names_its_idea(lesson):
    q = lesson.q("direction")
    q.predict("rises")
    assert q.task.wrong[0].says in q.reveal().message


def test_reveal_plays_the_move_in_the_explorer(lesson):
    q = lesson.q("direction")
    q.predict("falls")
    widget = q.reveal().widget
    assert widget.value("w") == -2.0
    assert widget.value("loss") == 49.0
    widget.close()


def test_reveal_falls_back_to_a_picture_of_the_end(lesson, monkeypatch):
    def broken(scene):
        raise ImportError("no widgets here")

    monkeypatch.setattr(stage, "_explorer", broken)
    q = lesson.q("direction")
    q.predict("falls")
    result = q.reveal()
    assert "<svg" in result.picture
    assert "49.00" in result.picture
    assert stage.RING in result.picture


def test_reset_forgets_the_question_and_nothing_else(lesson):
    lesson.q("recall").check(14)
    lesson.q("fade").check(9)
    lesson.q("fade").hint()
    assert lesson.q("fade").reset().status == "not attempted"
    assert lesson.q("fade").entry.attempts == 0
    assert "nudge" in lesson.q("fade").hint().title
    assert lesson.progress().rows["recall"].status == "correct"


def test_a_question_answered_before_an_earlier_one_says_so_in_one_line(lesson):
    (note,) = lesson.q("seen").check("b").notes
    assert "comes after `direction`" in note
    lesson.q("direction").predict("falls")
    assert lesson.q("seen").check("b").notes == ()


def test_a_starter_that_runs_early_is_not_remarked_on(lesson):
    assert lesson.q("seen").check(...).notes == ()


def test_a_wrong_answer_is_pointed_at_in_the_picture(lesson):
    result = lesson.q("fade").check(3)
    assert stage.RING in result.picture
    assert "`error` has a dashed ring" in result.message
    assert "<svg" in result._repr_html_()


def test_the_picture_does_not_give_the_answer_away(lesson):
    picture = lesson.q("fade").check(3).picture
    assert ">7.000<" in picture
    assert "9.000" not in picture


def test_a_graph_that_was_given_is_drawn_itself():
    x, w = gl.Value(7.0, label="x"), gl.Value(5.0, label="w")
    result = gl.lessons.load("01-computational-graph").q("build").check(x * w)
    assert "35.00" in result.picture


def test_nothing_is_printed(lesson, capsys):
    q = lesson.q("direction")
    for verb in (q.check, q.predict, q.reveal, q.hint, q.solution, q.reset, lesson.progress):
        verb()
    assert capsys.readouterr() == ("", "")


class Awkward:
    """An answer that raises whatever one asks of it."""

    def __getattr__(self, name):
        raise RuntimeError("go away")

    def __eq__(self, other):
        raise RuntimeError("go away")

    __hash__ = None


ODD = [
    Awkward,
    lambda: [Awkward()],
    lambda: {1: 2},
    lambda: b"x",
    lambda: range(3),
    lambda: 10**400,
    lambda: "",
    lambda: "`",
    lambda: "<b>",
    lambda: [[]],
    lambda: lambda: 1,
    lambda: type,
    lambda: ...,
]


@pytest.mark.parametrize("verb", ["check", "predict"])
@pytest.mark.parametrize("name", ["00-start-here", "01-computational-graph"])
@pytest.mark.parametrize("make", ODD, ids=range(len(ODD)))
def test_no_verb_raises_on_any_answer(name, verb, make):
    lesson, value = gl.lessons.load(name), make()
    for asked in lesson.questions:
        result = getattr(lesson.q(asked), verb)(value)
        assert result.status in ("error", "not attempted", "incorrect", "partly"), (asked, result)
        assert "0x" not in repr(result)
        assert "Traceback" not in repr(result)


def test_a_fault_of_the_lesson_is_not_blamed_on_the_learner(lesson, monkeypatch):
    def disagree(task, value):
        raise DisagreementError("value: the engine says 1, the second way 2")

    monkeypatch.setattr(question, "judge", disagree)
    result = lesson.q("recall").check(14)
    assert result.status == "error"
    assert "not your answer" in result.message
    assert lesson.q("recall").entry.attempts == 0


def test_an_unknown_question_names_the_nearest_and_hides_gradlabs_lines(lesson):
    with pytest.raises(GradlabError, match="Did you mean 'recall'") as caught:
        lesson.q("recal")
    assert caught.value._render_traceback_() == [str(caught.value)]


def test_an_unknown_lesson_names_the_nearest():
    with pytest.raises(GradlabError, match="Did you mean '00-start-here'"):
        gl.lessons.load("00-starthere")


def test_a_lesson_opens_by_its_files_name_too():
    assert gl.lessons.load(f"{NAME}.ipynb").name == NAME


def test_reprs_are_short_and_say_what_it_is(lesson):
    assert repr(lesson) == "Lesson(00-start-here, questions=6)"
    assert repr(lesson.q("own")) == "Question(00-start-here/own, not attempted)"
    assert "Wanted: a function of" in lesson.q("own")._repr_mimebundle_()["text/plain"]
    assert lesson._repr_mimebundle_() == lesson.progress()._repr_mimebundle_()


def test_a_question_without_a_scene_has_nothing_to_play(lesson):
    lesson.q("recall").check(14)
    assert "nothing to play" in lesson.q("recall").reveal().message


def test_progress_counts_what_is_correct_and_names_what_is_next(lesson):
    assert lesson.progress().status == "not attempted"
    lesson.q("recall").check(14)
    progress = lesson.progress()
    assert (progress.status, progress.misconception) == ("partly", None)
    assert progress.message == "1 of 6 questions answered correctly. The next one is `direction`."
    html = progress._repr_html_()
    assert "✓ correct" in html
    assert 'download="gradlab-progress.json"' in html


def test_a_question_can_be_made_from_its_record_alone(lesson, tmp_path):
    alone = Question("elsewhere", lesson.q("recall").task, Store(tmp_path))
    assert alone.check(14).status == "correct"
