"""A graph as an answer: compared by its structure, so that another way to the same number is told apart from the same way."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gradlab.lessons import speech
from gradlab.lessons.kinds.number import close
from gradlab.lessons.plan import Unfit

COMMUTE = frozenset({"add", "multiply", "maximum", "minimum"})
"""Ops whose inputs may stand in either order."""


@dataclass(frozen=True)
class Read:
    """A graph as it is compared. Two graphs have one `key` when they do the same with the same leaves; `loose` ignores argument order.

    `leaves` maps each label to the values of the leaves that carry it: two of them where one was meant is a copy.
    """

    key: str
    loose: str
    nodes: int
    value: float
    leaves: tuple[tuple[str, tuple[float, ...]], ...]
    ops: tuple[tuple[str, int], ...]

    @property
    def labels(self) -> dict[str, tuple[float, ...]]:
        """Values of the leaves by label."""
        return dict(self.leaves)


def _hash(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def structure(root: Any) -> Read:
    """Read a graph from its root: one key a node, made of its op and of the keys of its inputs."""
    from gradlab.graph.walk import topological

    keys: dict[int, tuple[str, str]] = {}
    leaves: dict[str, list[float]] = {}
    ops: Counter[str] = Counter()
    order: list[Any] = topological(root)
    for node in order:
        if not node.inputs:
            is_constant = node.op.name == "constant"
            keys[id(node)] = (_hash("leaf", repr(float(node.data)) if is_constant else node.label),) * 2
            if not is_constant:
                leaves.setdefault(node.label, []).append(float(node.data))
            continue
        ops[node.op.symbol] += 1
        exact, loose = zip(*(keys[id(source)] for source in node.inputs), strict=True)
        if node.op.name in COMMUTE:
            exact = tuple(sorted(exact))
        what = (node.op.name, sorted(node.params.items()))
        keys[id(node)] = (_hash(what, exact), _hash(what, tuple(sorted(loose))))
    exact_key, loose_key = keys[id(root)]
    named = tuple((label, tuple(values)) for label, values in sorted(leaves.items()))
    return Read(exact_key, loose_key, len(order), float(root.data), named, tuple(sorted(ops.items())))


@dataclass(frozen=True)
class Drawn:
    """A graph that `build` records: its leaves by label, its operations, and which goes into which."""

    build: Callable[[], Any]
    wants: str = "the last node of a graph"

    def expected(self) -> Read:
        """The structure of the right graph."""
        return structure(self.build())

    def read(self, value: Any) -> Read | Unfit:
        """The structure of the graph that was given."""
        if not speech.is_node(value):
            return self._not_a_node(value)
        if getattr(value, "shape", None):
            return Unfit(f"This node holds an array of shape {value.shape}. A node of one number is wanted.")
        if not value.inputs:
            return Unfit(
                f"This is {speech.described(value)}, a node that nothing goes into. Give the last node, the result of the operations."
            )
        graph = structure(value)
        if "" in graph.labels:
            return Unfit(
                'One of the leaves has no name yet. Give it one where you make it: `gl.Value(2.0, label="x")`.',
                "partly",
            )
        return graph

    def _not_a_node(self, value: Any) -> Unfit:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return Unfit(
                f"This is the bare number {speech.number(float(value))}: it has forgotten where it came from. "
                "Start from `gl.Value(…)`, and leave out `.data` and `float(…)` on the way.",
                misconception="`.data` cuts the graph",
            )
        if callable(value):
            return Unfit(
                f"This is {speech.described(value)} itself. Call it and give the node that comes back."
            )
        return Unfit(f"A node is wanted, {self.wants}, and this is {speech.described(value)}.")

    def same(self, one: Read, other: Read) -> bool:
        """The same operations on the same leaves, with as many nodes, and the same numbers."""
        return one.key == other.key and one.nodes == other.nodes and one.leaves == other.leaves

    def near(self, given: Read, expected: Read) -> Unfit | None:
        """Which part of the structure differs: leaves, their numbers, copies, argument order, or operations."""
        for differs in (_other_leaves, _copies, _other_numbers, _swapped, _other_ops):
            found = differs(given, expected)
            if found:
                return found
        return None

    def show(self, answer: Read) -> str:
        """How many nodes, and the value of the last one."""
        return f"a graph of {answer.nodes} nodes with {speech.number(answer.value)} at its end"


def _other_leaves(given: Read, expected: Read) -> Unfit | None:
    missing = [label for label in expected.labels if label not in given.labels]
    extra = [label for label in given.labels if label not in expected.labels]
    if missing:
        way = ""
        if extra:
            way = f" There is {speech.listed(speech.code(extra))} instead."
        elif close(given.value, expected.value):
            way = " The number at the end is right, so a bare number has taken its place: look for `.data` or `float(…)`."
        return Unfit(f"No arrow comes from {speech.listed(speech.code(missing))}.{way}", "incorrect")
    if extra:
        return Unfit(
            f"{speech.listed(speech.code(extra))} should not be in this graph.", "incorrect", extra[0]
        )
    return None


def _copies(given: Read, expected: Read) -> Unfit | None:
    twice = [label for label, values in given.leaves if len(values) > len(expected.labels[label])]
    if not twice:
        return None
    return Unfit(
        f"There are two separate nodes called `{twice[0]}`. Make one, and use it twice.", "partly", twice[0]
    )


def _other_numbers(given: Read, expected: Read) -> Unfit | None:
    if given.key != expected.key:
        return None
    other = [label for label, values in given.leaves if values != expected.labels[label]]
    if not other:
        return Unfit(
            "The operations are right, and one of them is there twice. Compute it once and use the node again.",
            "partly",
        )
    wanted = " and ".join(f"`{label}` = {speech.number(expected.labels[label][0])}" for label in other)
    return Unfit(f"The graph is right, with other numbers in it. Wanted: {wanted}.", "partly", other[0])


def _swapped(given: Read, expected: Read) -> Unfit | None:
    if given.loose != expected.loose:
        return None
    return Unfit(
        (
            "The right operations on the right nodes, and one of them has its two inputs swapped. Order "
            "counts for −, ÷ and powers."
        ),
        "incorrect",
    )


def _other_ops(given: Read, expected: Read) -> Unfit | None:
    if close(given.value, expected.value):
        return Unfit(
            "The right number by another graph: its operations are not the ones asked for.", "partly"
        )
    ours, theirs = Counter(dict(expected.ops)), Counter(dict(given.ops))
    missing, extra = sorted((ours - theirs).elements()), sorted((theirs - ours).elements())
    if not missing and not extra:
        return Unfit(
            "The right operations, connected in another way. Draw it with `gl.draw(…)` and follow the arrows.",
            "incorrect",
        )
    parts = [f"{speech.listed(missing)} missing"] if missing else []
    parts += [f"{speech.listed(extra)} too many"] if extra else []
    return Unfit(f"Its operations differ from the ones asked for: {speech.listed(parts)}.", "incorrect")
