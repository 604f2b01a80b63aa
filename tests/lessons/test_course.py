"""The course as data: every question of every lesson can be answered, hinted at, and got wrong in the ways it lists."""

from __future__ import annotations

import re

import pytest

import gradlab as gl
from gradlab.lessons import course, oracle, stage
from gradlab.lessons.course import examples

TASKS = [
    pytest.param(name, task, id=f"{name}/{task.name}")
    for name in course.names()
    for task in course.plan(name).tasks
]
WRONG = [
    pytest.param(name, task, wrong, id=f"{name}/{task.name}/{wrong.misconception}")
    for name in course.names()
    for task in course.plan(name).tasks
    for wrong in task.wrong
]


def texts(task):
    wrong = [one.says for one in task.wrong]
    captions = [task.scene.caption] if task.scene and task.scene.caption else []
    return [task.asks, task.because, *task.hints, *wrong, *captions]


def test_contents_list_every_lesson_with_its_notebook():
    contents = gl.lessons.contents()
    assert [heading.name for heading in contents] == course.names()
    assert contents[0].file == "00-start-here.ipynb"
    assert all((gl.lessons.notebooks_folder() / heading.file).is_file() for heading in contents)
    assert all(heading.title.endswith("?") for heading in contents)


def test_contents_know_how_far_one_has_come():
    gl.lessons.load("00-start-here").q("recall").check(14)
    assert gl.lessons.contents()[0].done == 1


@pytest.mark.parametrize(("name", "task"), TASKS)
def test_the_right_answer_is_computed_and_is_right(name, task):
    expected = task.kind.expected()
    assert task.kind.same(expected, task.kind.expected())
    assert task.kind.show(expected)
    assert task.kind.wants


@pytest.mark.parametrize(("name", "task", "wrong"), WRONG)
def test_each_wrong_answer_is_recognised_named_and_pointed_at(name, task, wrong):
    result = gl.lessons.load(name).q(task.name).check(wrong.answer())
    assert result.status == "incorrect"
    assert result.misconception == wrong.misconception
    assert wrong.says in result.message
    if wrong.look:
        assert stage.RING in result.picture, f"{wrong.look} is not in the picture"


@pytest.mark.parametrize(("name", "task"), TASKS)
def test_no_two_wrong_answers_of_a_question_are_the_same_answer(name, task):
    answers = [task.kind.read(wrong.answer()) for wrong in task.wrong]
    for place, one in enumerate(answers):
        assert not task.kind.same(one, task.kind.expected())
        assert not any(task.kind.same(one, other) for other in answers[:place])


@pytest.mark.parametrize(("name", "task"), TASKS)
def test_there_are_three_different_hints(name, task):
    assert len(set(task.hints)) == 3


@pytest.mark.parametrize(("name", "task"), TASKS)
def test_a_question_comes_after_one_that_stands_before_it(name, task):
    names = [one.name for one in course.plan(name).tasks]
    assert not task.after or names.index(task.after) < names.index(task.name)


@pytest.mark.parametrize(("name", "task"), TASKS)
def test_texts_keep_the_voice(name, task):
    for text in texts(task):
        assert not re.search(
            r"\b(simply|just|obviously|of course|easy|great|well done)\b|!", text, re.IGNORECASE
        ), text
        assert text.rstrip()[-1] in ".?`", text


@pytest.mark.parametrize(("name", "task"), TASKS)
def test_captions_are_filled_with_computed_numbers(name, task):
    if task.scene and task.scene.caption:
        assert "{" not in stage.caption(task.scene)


def test_the_table_of_steps_ends_in_the_model_itself():
    assert examples.steps(**examples.MODEL)["loss"] == examples.squared_error(**examples.MODEL)


def test_the_oracle_agrees_with_central_differences():
    by_hand = {"x": 2 * -9 * -3, "w": 2 * -9 * 2, "b": 2 * -9, "target": -2 * -9}
    for leaf, expected in by_hand.items():
        assert oracle.gradient(examples.squared_error, examples.MODEL, leaf) == pytest.approx(expected)


def test_the_oracle_refuses_an_engine_that_is_wrong():
    def two_faced(x):
        return x * x if hasattr(x, "inputs") else x * x + 0.5

    with pytest.raises(oracle.DisagreementError):
        oracle.value(two_faced, {"x": 2.0})

    def cut(x):
        return x * getattr(x, "data", x)

    with pytest.raises(oracle.DisagreementError):
        oracle.gradient(cut, {"x": 2.0}, "x")

    def cut_steps(x):
        return {"y": x * 1.0, "z": getattr(x, "data", x) * gl.Value(3.0) if hasattr(x, "data") else x * 3.0}

    with pytest.raises(oracle.DisagreementError):
        oracle.moved(cut_steps, {"x": 2.0}, "x")


def test_the_oracle_knows_what_comes_before_what():
    needs = oracle.needs(examples.steps, examples.MODEL)
    assert needs == {
        "x·w": [],
        "prediction": ["x·w"],
        "error": ["x·w", "prediction"],
        "loss": ["x·w", "prediction", "error"],
    }
