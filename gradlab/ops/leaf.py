"""Leaves: nodes that nobody computed. They are records too, so that every node has an op; they have no inputs and no rules."""

from __future__ import annotations

from gradlab.op import Op, register


def _leaf(name: str, doc: str) -> Op:
    return register(
        Op(
            name=name,
            symbol="",
            formula="",
            derivatives=(),
            forward=lambda xp: None,
            shape=lambda: (),
            jvp=(),
            vjp=(),
            samples=lambda rng: iter(()),
            tags=frozenset({"leaf"}),
            doc=doc,
        )
    )


INPUT = _leaf("input", "A value that is given, such as a measurement or a target.")
PARAMETER = _leaf("parameter", "A value that is learned: training changes it.")
CONSTANT = _leaf("constant", "A fixed number. No gradient is computed for it.")

KINDS = {None: INPUT, "input": INPUT, "parameter": PARAMETER, "constant": CONSTANT}
"""What a leaf is, by the word a user gives."""
