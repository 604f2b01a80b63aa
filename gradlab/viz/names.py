"""What nodes are called and what kind they are, when the person who made them did not say everything."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gradlab.viz import formula
from gradlab.viz.expression import ANY, Term, name_term
from gradlab.viz.labels import literal
from gradlab.viz.text import compact

if TYPE_CHECKING:
    from gradlab.op import Op

MAX_EXPRESSION, MAX_FORMULA = 40, 72
# Names that by convention are learned, and names that by convention are minimised, with whatever digits follow.
# " (2)" tells apart what has one name.
_PARAMETER = re.compile(r"(w|b|weight|bias|theta|θ|W)s?[\d_₀-₉.,\[\]]*( \(\d+\))?", re.ASCII | re.IGNORECASE)
_LOSS = re.compile(r"(.*[_ ])?(loss|cost|error|err|objective|mse|nll|L|J)[\d_]*", re.IGNORECASE)
LONG = Term("…", ANY)


def shown_label(label: object) -> str:
    """A label as it is shown: unshowable characters as signs, nothing but spaces as ␣, none at all as nothing."""
    text = literal(label)
    return text if text.strip() or not text else "␣" * min(len(text), 8)


def is_loss_name(name: str) -> bool:
    """Whether a name says that its node is what training makes small."""
    return _LOSS.fullmatch(name) is not None


def leaf_kind(op_name: str, name: str, learned: bool) -> str:
    """input, parameter or constant. `learned` says that the leaf asks for a gradient; a conventional name says so too."""
    if op_name in ("parameter", "constant"):
        return op_name
    return "parameter" if learned and _PARAMETER.fullmatch(name) else "input"


def as_operand(name: str, number: float | None) -> Term | float:
    """How a node enters the expressions of its users: a nameless constant as its number, all others by name."""
    return name_term(name) if number is None else number


def expression(op: Op, operands: Sequence[Term | float], params: Mapping[str, Any]) -> Term:
    """The node's own expression, from the names of its inputs."""
    if op.variadic and len(operands) > 8:
        return formula.of_op(op, [*operands[:3], name_term("…"), operands[-1]])
    if op.name == "getitem":
        base = operands[0]
        return Term(
            f"{base.text if isinstance(base, Term) else compact(base)}[{_index(params.get('index'))}]", 7
        )
    return formula.of_op(op, list(operands))


def _index(index: object) -> str:
    parts = index if isinstance(index, tuple) else (index,)
    return ", ".join(_INDEX_TEXT.get(type(part).__name__, lambda _: "…")(part) for part in parts) or "…"


def _slice(part: Any) -> str:
    texts = ["" if one is None else str(one) for one in (part.start, part.stop, part.step)]
    return ":".join(texts if texts[2] else texts[:2])


_INDEX_TEXT: Mapping[str, Any] = {
    "int": str,
    "slice": _slice,
    "NoneType": str,
    "ellipsis": lambda _: "…",
    "bool": str,
}


def full_formula(op: Op, operands: Sequence[Term | float | None], params: Mapping[str, Any]) -> Term | None:
    """The expression written out down to the leaves; None where that gets too long to read."""
    if any(one is None for one in operands):
        return None
    term = expression(op, [one for one in operands if one is not None], params)
    return term if len(term.text) <= MAX_FORMULA else None
