"""The formula panel: what a node computes, and how the chain rule makes its gradient, in symbols, then numbers, then result."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gradlab.viz import expression, theme
from gradlab.viz.cards import grad_text
from gradlab.viz.expression import ATOM, Operands, Term, tex_name
from gradlab.viz.labels import shorten
from gradlab.viz.text import number

if TYPE_CHECKING:
    from gradlab.op import Op
    from gradlab.viz.view import EdgeView, GraphView, NodeView

NAME_CHARS = 40
MAX_TERMS = 4
_SAME = 1e-9


SPELLED_OUT = frozenset(
    (
        "getitem",
        "add_at",
        "sum",
        "mean",
        "max",
        "min",
        "reshape",
        "transpose",
        "broadcast_to",
        "astype",
        "matmul",
    )
)
"""Ops on arrays whose formulas and derivatives are evaluated by the tests, as those of every element-wise op are."""


def is_spelled_out(op: Op) -> bool:
    """Whether the record's formula can be shown as it stands. Other ops on arrays are shown by name: a sketch would be taken for a fact."""
    return "elementwise" in op.tags or op.name in SPELLED_OUT


def of_op(op: Op, operands: list[Term | float], style: expression.Style = expression.UNICODE) -> Term:
    """What `op` computes from these operands: "x·w + b"."""
    if not is_spelled_out(op):
        texts = [one.text if isinstance(one, Term) else expression.number_term(one).text for one in operands]
        return Term(f"{op.name}({', '.join(texts)})", expression.ATOM)
    if op.variadic:
        texts = [one.text if isinstance(one, Term) else expression.number_term(one).text for one in operands]
        return Term(" + ".join(texts), expression.SUM if len(texts) > 1 else expression.ANY)
    return expression.write(op.formula, _named(op, operands), style)


def of_derivative(
    op: Op,
    slot: int,
    operands: list[Term | float],
    output: Term,
    style: expression.Style = expression.UNICODE,
) -> str:
    """∂(output)/∂(operand number `slot`) as text; empty where there is no derivative."""
    text = op.derivatives[0 if op.variadic else slot]
    if text and not is_spelled_out(op):
        return f"VJP of {op.name}"
    return (
        expression.write(text, {**_named(op, operands), "z": output}, style, reduce=True).text if text else ""
    )


def _named(op: Op, operands: list[Term | float]) -> Operands:
    return {} if op.variadic else dict(zip(op.arg_names, operands, strict=True))


def explain(view: GraphView, node_id: str) -> dict[str, str]:
    """The chain rule at one node, as texts: caption, chain (in ∂), rule (each ∂ worked out), numbers, result, tex.

    A node that is used several times gets a sum, one term for each use.
    """
    node = view.by_id[node_id]
    root = view.nodes[-1] if view.nodes else node
    uses = view.out_of.get(node_id, ())
    texts = {
        "caption": _caption(node),
        "chain": "",
        "rule": "",
        "numbers": "",
        "result": grad_text(node),
        "tex": "",
    }
    if node.grad_state == "none needed":
        return {**texts, "chain": f"{_name(node)} needs no gradient"}
    if node_id == root.id:
        d = _partial(root, root)
        return {
            **texts,
            "chain": f"{d} = 1",
            "numbers": _if_known(node, "= 1"),
            "tex": f"{_tex_partial(root, root)} = 1",
        }
    handing = [
        edge for edge in uses if edge.symbolic or edge.local is not None or edge.contribution is not None
    ]
    if not handing:
        return {**texts, "chain": _no_chain(view, node, uses)}
    return {
        **texts,
        "chain": f"{_partial(root, node)} = {_sum([_product(view, root, edge) for edge in handing])}",
        "rule": ", ".join(dict.fromkeys(_rule(view, edge) for edge in handing[:MAX_TERMS] if edge.symbolic)),
        "numbers": _numbers(view, node, handing),
        "tex": f"{_tex_partial(root, node)} = {_sum([_tex_product(view, root, edge) for edge in handing])}",
    }


def _caption(node: NodeView) -> str:
    if node.hidden:
        return f"{_name(node)}: {node.hidden} recorded nodes, folded"
    if not node.inputs:
        return f"{_name(node)}, {_article(theme.KINDS[node.kind].word)}"
    return (
        _name(node)
        if node.name == node.expression
        else f"{_name(node)} = {shorten(node.expression, 4 * NAME_CHARS)}"
    )


def _article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def _no_chain(view: GraphView, node: NodeView, uses: tuple[EdgeView, ...]) -> str:
    if any(view.by_id[edge.target].hidden for edge in uses):
        return f"{_name(node)} is used inside a folded card: unfold it to see the chain rule"
    return f"{_name(node)} hands its value on, but no gradient comes back to it"


def _name(node: NodeView) -> str:
    return shorten(node.name, NAME_CHARS) or node.id


def _atom(node: NodeView) -> str:
    text, level = expression.name_term(_name(node))
    return text if level == ATOM else f"({text})"


def _partial(top: NodeView, bottom: NodeView) -> str:
    return f"∂{_atom(top)}/∂{_atom(bottom)}"


def _product(view: GraphView, root: NodeView, edge: EdgeView) -> str:
    """Upstream gradient times local derivative; for a use by the root itself just the derivative, worked out."""
    if edge.target == root.id and edge.symbolic:
        several = len(view.out_of[edge.source]) > 1 and " " in edge.symbolic
        return f"({edge.symbolic})" if several else edge.symbolic
    source, target = view.by_id[edge.source], view.by_id[edge.target]
    local = _partial(target, source)
    if sum(other.source == edge.source for other in view.into[edge.target]) > 1:
        local = _occurrence(local, edge)
    return f"{_partial(root, target)} · {local}"


def _occurrence(local: str, edge: EdgeView) -> str:
    """x*x has two derivatives by x, one for each place: the place says which."""
    return f"{local} [{_PLACES[edge.slot] if edge.slot < len(_PLACES) else edge.slot + 1}]"


_PLACES = ("1st", "2nd", "3rd")


def _rule(view: GraphView, edge: EdgeView) -> str:
    source, target = view.by_id[edge.source], view.by_id[edge.target]
    local = _partial(target, source)
    if sum(other.source == edge.source for other in view.into[edge.target]) > 1:
        local = _occurrence(local, edge)
    return f"{local} = {edge.symbolic}"


def _sum(terms: list[str]) -> str:
    shown = terms if len(terms) <= MAX_TERMS else [*terms[: MAX_TERMS - 1], f"… ({len(terms)} terms in all)"]
    return " + ".join(shown)


def _numbers(view: GraphView, node: NodeView, edges: list[EdgeView]) -> str:
    """The chain with numbers in it, once they are known: "= −18.00 × 1 = −18.00"."""
    contributions = [edge.contribution for edge in edges]
    if node.grad_state not in ("complete", "partial") or any(one is None for one in contributions):
        return ""
    total = (
        math.fsum(filter(None, contributions))
        if all(map(math.isfinite, filter(None, contributions)))
        else None
    )
    result = grad_text(node)
    products = [f"{number(view.by_id[edge.target].grad)} × {_local(edge)}" for edge in edges]
    if node.grad is not None and total is not None and abs(total - node.grad) > _SAME * max(1.0, abs(total)):
        # Leaves keep what earlier passes added; saying so is the lesson.
        return f"= {_sum(products)} = {number(total)} in this pass; the node holds {result}, passes added up"
    return f"= {_sum(products)} = {result}"


def _local(edge: EdgeView) -> str:
    """The local derivative in numbers; a plain 1 or −1 stays as the rule writes it."""
    if edge.symbolic in ("1", "−1"):
        return edge.symbolic if edge.symbolic == "1" else "(−1)"
    text = number(edge.local)
    return f"({text})" if text.startswith("−") else text


def _if_known(node: NodeView, text: str) -> str:
    return text if node.grad_state == "complete" else ""


def _tex_partial(top: NodeView, bottom: NodeView) -> str:
    return rf"\frac{{\partial {tex_name(_name(top))}}}{{\partial {tex_name(_name(bottom))}}}"


def _tex_product(view: GraphView, root: NodeView, edge: EdgeView) -> str:
    target = view.by_id[edge.target]
    local = _tex_partial(target, view.by_id[edge.source])
    return local if target.id == root.id else rf"{_tex_partial(root, target)} \cdot {local}"
