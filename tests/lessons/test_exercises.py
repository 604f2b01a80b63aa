"""Each exercise three more times: solution in, correct; starter, not attempted; each listed wrong answer, its misconception."""

from __future__ import annotations

import ast
import re
from typing import Any

import pytest

from gradlab.lessons import course
from gradlab.lessons.refresh import Notebook, code_cells, read, source

NAMES = course.names()


def run(cell_source: str, names: dict[str, Any]) -> Any:
    """Run a cell as a notebook does, and give back the value of its last line."""
    tree = ast.parse(cell_source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None


def exercises(name: str) -> dict[str, Notebook]:
    """The exercise cells of a lesson, by the question they answer."""
    cells = [cell for cell in code_cells(read(name)) if "exercise" in cell["metadata"].get("tags", [])]
    return {
        re.findall(r'lesson\.q\("(\w+)"\)\.(?:check|predict)\(', source(cell))[-1]: cell for cell in cells
    }


@pytest.fixture
def setup(tmp_path, monkeypatch):
    """Run the setup cells of a lesson with progress of their own. A lesson's cells need nothing else."""
    monkeypatch.setenv("GRADLAB_DATA", str(tmp_path))

    def prepare(name: str) -> dict[str, Any]:
        names: dict[str, Any] = {}
        for cell in code_cells(read(name)):
            if "setup" in cell["metadata"]["tags"]:
                run(source(cell), names)
        return names

    return prepare


EXERCISES = [
    pytest.param(name, question, id=f"{name}/{question}") for name in NAMES for question in exercises(name)
]
WRONG = [
    pytest.param(name, task.name, wrong, id=f"{name}/{task.name}/{wrong.misconception}")
    for name in NAMES
    for task in course.plan(name).tasks
    for wrong in task.wrong
]


@pytest.mark.parametrize("name", NAMES)
def test_every_question_has_its_exercise_in_the_order_of_the_course_file(name):
    assert list(exercises(name)) == [task.name for task in course.plan(name).tasks]


@pytest.mark.parametrize(("name", "question"), EXERCISES)
def test_the_starter_is_not_attempted(name, question, setup):
    names = setup(name)
    result = run(source(exercises(name)[question]), names)
    assert result.status == "not attempted"
    assert names["lesson"].q(question).entry.attempts == 0


@pytest.mark.parametrize(("name", "question"), EXERCISES)
def test_the_solution_is_correct(name, question, setup):
    names = setup(name)
    names["lesson"].q(question).check("an attempt")
    solution = names["lesson"].q(question).solution().code
    result = run(solution, names)
    assert result.status == "correct"
    assert names["lesson"].progress().rows[question].status == "correct"


@pytest.mark.parametrize(("name", "question"), EXERCISES)
def test_the_solution_keeps_what_the_starter_gives(name, question, setup):
    """A learner who compares the two sees what was to be filled in, and no line that has changed beside it."""
    starter = [line for line in source(exercises(name)[question]).splitlines() if "..." not in line]
    solution = (
        course.plan(name).tasks[[task.name for task in course.plan(name).tasks].index(question)].solution
    )
    assert [line for line in starter if line not in solution.splitlines()] == []


@pytest.mark.parametrize(("name", "question", "wrong"), WRONG)
def test_each_listed_wrong_answer_gives_its_misconception(name, question, wrong, setup):
    verb = re.findall(r"\.(check|predict)\(", source(exercises(name)[question]))[-1]
    names = setup(name) | {"wrong": wrong.answer()}
    result = run(f'lesson.q("{question}").{verb}(wrong)', names)
    assert result.status == "incorrect"
    assert result.misconception == wrong.misconception


@pytest.mark.parametrize("name", NAMES)
def test_a_learner_who_solves_everything_gets_through_and_sees_each_reveal(name, setup):
    names, solutions = setup(name), {task.name: task.solution for task in course.plan(name).tasks}
    solved = {cell["id"]: solutions[question] for question, cell in exercises(name).items()}
    for cell in code_cells(read(name)):
        if "setup" not in cell["metadata"]["tags"]:
            result = run(solved.get(cell["id"], source(cell)), names)
            if source(cell).endswith(".reveal()"):
                assert result.status == "correct"
                assert result.widget is not None
    assert names["lesson"].progress().status == "correct"
