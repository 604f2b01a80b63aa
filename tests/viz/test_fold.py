"""Folding keeps graphs small without lying: what is folded is counted, cycles never appear, and size costs little time."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gradlab as gl
from gradlab.viz import fold
from gradlab.viz.build import MAX_DRAWN
from gradlab.viz.view import GraphView

Makers = dict[str, Callable[..., gl.Value]]


def chain(length: int) -> gl.Value:
    x = gl.Value(0.5, label="x")
    for i in range(length):
        x = x.tanh() if i % 2 else x.sin()
    return x


def assert_sound(picture: GraphView) -> None:
    """Ids in order, every edge forward, every recorded node on exactly one card."""
    place = {node.id: i for i, node in enumerate(picture.nodes)}
    assert all(place[e.source] < place[e.target] for e in picture.edges)
    assert all(
        set(node.inputs) == {e.source for e in picture.into.get(node.id, ())} for node in picture.nodes
    )


def test_nothing_folds_up_to_the_limit_and_everything_beyond() -> None:
    assert len(gl.draw(chain(fold.MAX_CARDS - 1)).nodes) == fold.MAX_CARDS
    folded = gl.draw(chain(fold.MAX_CARDS))
    assert len(folded.nodes) == 3
    assert folded.total == fold.MAX_CARDS + 1
    assert f"{folded.total} recorded nodes are folded into 3 cards" in folded.notice


def test_a_run_is_one_card_with_the_value_and_gradient_at_its_end() -> None:
    y = chain(200)
    y.backward()
    picture = gl.draw(y)
    run = picture.nodes[1]
    last = y.inputs[0]
    assert (run.name, run.hidden, run.fold) == ("199 steps", 199, "run:1")
    assert (run.value, run.grad) == (last.data, last.grad)


def test_scopes_fold_first_and_carry_their_names(make: Makers) -> None:
    picture = gl.draw(make["network"]())
    assert [n.name for n in picture.nodes if n.fold.startswith("scope")] == ["layer1", "layer2", "layer3"]
    assert_sound(picture)
    many = gl.draw(make["network"](points=8))
    assert [(n.symbol, n.name) for n in many.nodes if n.name.startswith("layer")] == [
        ("8×", "layer1"),
        ("8×", "layer2"),
        ("8×", "layer3"),
    ]
    assert_sound(many)


def test_a_scope_entered_twice_gives_two_cards_and_no_cycle() -> None:
    x = gl.Value(1.0, label="x")
    for _ in range(3):
        with gl.scope("cell"):
            x = x.tanh().sin().tanh()
        x = x.exp()
    picture = gl.draw(x, fold=True)
    assert [n.name for n in picture.nodes if n.fold.startswith("scope")] == ["cell", "cell", "cell"]
    assert_sound(picture)


def test_an_open_scope_shows_the_scopes_inside(make: Makers) -> None:
    loss = make["network"]()
    layer = next(n for n in gl.draw(loss).nodes if n.name == "layer1")
    opened = gl.draw(loss, unfold=(layer.fold,))
    assert [n.name for n in opened.nodes if n.fold.startswith("scope")] == [
        *(f"layer1 / neuron{i}" for i in range(1, 17)),
        "layer2",
        "layer3",
    ]
    neuron = next(n for n in opened.nodes if n.name == "layer1 / neuron3")
    deeper = gl.draw(loss, unfold=(layer.fold, neuron.fold))
    assert neuron.fold not in {n.fold for n in deeper.nodes}
    assert len(deeper.nodes) > len(opened.nodes)
    assert_sound(opened)
    assert_sound(deeper)


def test_a_sum_folds_with_its_products(make: Makers) -> None:
    picture = gl.draw(make["network"](scopes=False))
    sums = [node for node in picture.nodes if node.fold.startswith("sum")]
    assert [node.name for node in sums].count("sum of 17 terms") == 17
    assert [node.name for node in sums].count("sum of 3 terms") == 16
    assert_sound(picture)


def test_the_value_on_a_folded_sum_is_the_sum() -> None:
    terms = [gl.Value(float(i), label=f"t{i}") for i in range(5)]
    y = sum(terms[1:], terms[0]).tanh()
    card = next(n for n in gl.draw(y, fold=True).nodes if n.fold)
    assert (card.name, card.value, card.symbol) == ("sum of 5 terms", 10.0, "Σ")


def test_terms_are_counted_through_sums_of_many_arguments() -> None:
    terms = [gl.Value(float(i), label=f"t{i}") for i in range(6)]
    y = (gl.total(*terms[:4]) + terms[4] * terms[5]).tanh()
    card = next(n for n in gl.draw(y, fold=True).nodes if n.fold)
    assert (card.name, card.hidden, card.value) == ("sum of 5 terms", 3, 26.0)


def test_a_scope_that_hands_on_several_numbers_shows_their_range() -> None:
    x = gl.Value(1.0, label="x")
    with gl.scope("layer"):
        inner = x * 10.0
        outputs = [inner * float(i) for i in (3, 1, 2)]
    loss = outputs[0] + outputs[1] * outputs[2]
    loss.backward()
    card = next(n for n in gl.draw(loss, fold=True).nodes if n.fold.startswith("scope"))
    assert card.value is None
    assert (card.stats["min"], card.stats["max"], card.stats["size"]) == (10.0, 30.0, 3)
    assert (card.grad_stats["min"], card.grad_stats["max"]) == (1.0, 20.0)
    with gl.scope("one"):
        single = (x * 2.0).tanh()
    card = next(n for n in gl.draw(single.exp(), fold=True).nodes if n.fold.startswith("scope"))
    assert card.value == single.data


def test_folded_tensors_show_the_range_of_their_elements() -> None:
    x = gl.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True, label="x")
    with gl.scope("layer"):
        low, high = x * -1.0, x * 2.0
    loss = (low + high).sum()
    loss.backward()
    card = next(n for n in gl.draw(loss, fold=True).nodes if n.fold.startswith("scope"))
    assert (card.stats["min"], card.stats["max"]) == (-4.0, 8.0)
    assert (card.grad_stats["min"], card.grad_stats["max"]) == (1.0, 1.0)


def test_what_does_the_same_at_one_depth_shares_a_card(make: Makers) -> None:
    picture = gl.draw(make["network"](points=100, scopes=False))
    found = {(n.symbol, n.name, n.kind) for n in picture.nodes if n.fold.startswith("level")}
    assert ("1600×", "relu", "operation") in found
    assert ("200×", "input", "input") in found
    assert any(kind == "parameter" for _, _, kind in found)
    assert len(picture.nodes) < 20
    assert_sound(picture)


def test_fold_false_draws_every_node_and_fold_true_folds_small_graphs() -> None:
    assert len(gl.draw(chain(300), fold=False).nodes) == 301
    assert len(gl.draw(chain(10), fold=True).nodes) == 3


def test_the_root_is_never_folded(make: Makers) -> None:
    for picture in (
        gl.draw(chain(500)),
        gl.draw(make["network"](points=30)),
        gl.draw(make["network"](scopes=False)),
    ):
        assert picture.nodes[-1].fold == ""
        assert picture.nodes[-1].kind in ("loss", "output")


def test_parameters_that_only_one_fold_uses_go_into_it(make: Makers) -> None:
    picture = gl.draw(make["network"]())
    assert not [n for n in picture.nodes if n.kind == "parameter"]
    assert sum(n.hidden or 1 for n in picture.nodes) == picture.total - 1  # the exponent has no card


def test_beyond_the_limit_of_pictures_there_is_a_table_with_a_notice() -> None:
    y = chain(MAX_DRAWN + 1)
    picture = gl.draw(y, fold=False)
    assert picture.table_only
    assert len(picture.nodes) == MAX_DRAWN
    assert picture.nodes[-1].value == y.data
    assert "too many for a picture" in picture.notice
    assert '<rect class="box"' not in picture.svg()
    assert "tanh" in picture.svg()


@given(st.data())
def test_no_graph_gets_a_cycle_or_loses_a_node_by_folding(data: st.DataObject) -> None:
    seed = data.draw(st.integers(0, 10_000))
    rng = random.Random(seed)
    nodes = [gl.Value(rng.random(), label=rng.choice(["x", "w", "b"])) for _ in range(rng.randint(1, 6))]
    for _ in range(rng.randint(1, 60)):
        with gl.scope(rng.choice("abc")):
            one, other = rng.choice(nodes[-8:]), rng.choice(nodes)
            nodes.append(
                rng.choice([lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a.tanh()])(one, other)
            )
    picture = gl.draw(nodes[-1], fold=True)
    assert_sound(picture)
    assert sum(n.hidden or 1 for n in picture.nodes) == picture.total
    outline = fold.Outline(
        [tuple(sorted(rng.sample(range(i), min(i, rng.randint(0, 3))))) for i in range(80)],
        [rng.choice(["add", "multiply", "tanh"]) for _ in range(80)],
        [""] * 80,
        [(rng.choice("ab"),) if rng.random() < 0.5 else () for _ in range(80)],
    )
    cards = fold.plan(outline, limit=3)
    assert sorted(m for card in cards for m in card.members) == list(range(80))
    assert all(source < place for place, card in enumerate(cards) for source in card.inputs)


def diamonds(count: int) -> gl.Value:
    x = gl.Value(1.0, label="x")
    for _ in range(count):
        x = x + x.tanh() * 0.1
    return x


@pytest.mark.parametrize(
    "build",
    [
        lambda: chain(20_000),
        lambda: chain(100_000),
        lambda: diamonds(7000),
        lambda: gl.total(*[gl.Value(1.0) for _ in range(20_000)]),
    ],
    ids=["20,000 in a chain", "100,000 in a chain", "21,000 in diamonds", "20,000 terms"],
)
def test_the_first_view_of_a_huge_graph_takes_under_a_second(build: Callable[[], gl.Value]) -> None:
    y = build()
    best = min(timed(y) for _ in range(3))
    assert best < 1.0


def timed(y: gl.Value) -> float:
    """Seconds of work, whatever else the machine is doing."""
    start = time.process_time()
    picture = gl.draw(y)
    picture.svg()
    picture.text()
    return time.process_time() - start


def test_drawing_leaves_the_collector_as_it_was(make: Makers) -> None:
    gc.disable()
    gl.draw(make["first"]())
    assert not gc.isenabled()
    gc.enable()
    gl.draw(make["first"]())
    assert gc.isenabled()
    with pytest.raises(gl.errors.OperandError):
        gl.draw(None)
    assert gc.isenabled()
