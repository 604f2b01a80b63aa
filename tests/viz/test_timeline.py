"""The steps: forward through the operations, then backward from the seed, each said in a sentence that is true."""

from __future__ import annotations

from collections.abc import Callable

import gradlab as gl
from gradlab.viz.timeline import timeline

Makers = dict[str, Callable[..., gl.Value]]


def test_the_steps_of_the_first_example(loss: gl.Value) -> None:
    picture = gl.draw(loss)
    names = {node.id: node.name for node in picture.nodes}
    steps = timeline(picture)
    assert [(step["phase"], names[step["node"]]) for step in steps] == [
        ("forward", "x·w"), ("forward", "prediction"), ("forward", "error"), ("forward", "loss"),
        ("backward", "loss"), ("backward", "loss"), ("backward", "error"), ("backward", "prediction"), ("backward", "x·w"),
    ]  # fmt: skip
    assert [step["sentence"] for step in steps] == [
        "forward step 1 of 4: x·w is computed from x and w.",
        "forward step 2 of 4: prediction = x·w + b is computed from x·w and b.",
        "forward step 3 of 4: error = prediction − target is computed from prediction and target.",
        "forward step 4 of 4: loss = error² is computed from error.",
        "backward step 1 of 5: the gradient of loss with respect to itself is 1; this is the seed.",
        "backward step 2 of 5: loss hands its gradient to error; the power multiplies it by 2·error.",
        "backward step 3 of 5: error hands its gradient to prediction and target; subtraction passes it on, its sign turned for the second.",  # noqa: E501
        "backward step 4 of 5: prediction hands its gradient to x·w and b; addition passes it on unchanged.",
        "backward step 5 of 5: x·w hands its gradient to x and w; multiplication multiplies it by w and x, in this order.",
    ]


def test_a_gradient_is_complete_before_it_is_handed_on(any_graph: gl.Value) -> None:
    picture = gl.draw(any_graph, fold=False)
    given: dict[str, set[str]] = {}
    done: set[str] = set()
    for step in timeline(picture):
        if step["phase"] == "forward":
            assert all(
                not picture.by_id[one].inputs or one in done for one in picture.by_id[step["node"]].inputs
            )
            done.add(step["node"])
            continue
        if step["edges"]:
            expected = {edge.id for edge in picture.out_of.get(step["node"], ())}
            assert given.get(step["node"], set()) == expected
        for edge in (e for e in picture.edges if e.id in step["edges"]):
            given.setdefault(edge.source, set()).add(edge.id)


def test_each_edge_is_used_once_in_each_direction(any_graph: gl.Value) -> None:
    picture = gl.draw(any_graph, fold=False)
    steps = timeline(picture)
    needing = {e.id for e in picture.edges if picture.by_id[e.source].grad_state != "none needed"}
    for phase, edges in (("forward", {e.id for e in picture.edges}), ("backward", needing)):
        used = [edge for step in steps if step["phase"] == phase for edge in step["edges"]]
        assert len(used) == len(set(used))
        assert set(used) == edges


def test_a_node_used_twice_is_named_once_with_its_count(make: Makers) -> None:
    sentences = [step["sentence"] for step in timeline(gl.draw(make["square"]()))]
    assert sentences[0].endswith("y = x·x is computed from x twice.")
    assert sentences[-1].endswith("y hands its gradient to x twice; multiplication multiplies it by x.")


def test_signs_are_told_truly() -> None:
    a, b = gl.Value(1.0, label="a"), gl.Value(2.0, label="b")
    for node, told in (
        (-a, "turns its sign"),
        (1.0 - b, "turns its sign"),
        (a - 1.0, "passes it on unchanged"),
        (a - b, "its sign turned for the second"),
    ):
        node.label = "y"
        assert told in timeline(gl.draw(node))[-1]["sentence"]


def test_constants_are_handed_nothing() -> None:
    steps = timeline(gl.draw(gl.Value(1.0, label="x") * 3.0))
    assert (
        steps[-1]["sentence"]
        == "backward step 2 of 2: x·3 hands its gradient to x; multiplication multiplies it by 3."
    )
    with gl.no_grad():
        fixed = gl.Value(2.0, label="x") * 3.0
    assert timeline(gl.draw(fixed)) == []


def test_many_names_and_long_names_are_shortened() -> None:
    y = gl.total(*[gl.Value(1.0, label=f"{'t' * 100}{i}") for i in range(50)])
    y.label = "y"
    sentence = timeline(gl.draw(y))[-1]["sentence"]
    assert "and 47 more" in sentence
    assert len(sentence) < 400


def test_folded_cards_say_that_their_steps_are_inside(make: Makers) -> None:
    sentences = [step["sentence"] for step in timeline(gl.draw(make["network"]()))]
    assert any("folded nodes" in sentence for sentence in sentences)
    assert any("the steps inside are folded" in sentence for sentence in sentences)
