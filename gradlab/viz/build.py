"""From recorded nodes to view data. The only file of the pictures that looks at nodes."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from gradlab.errors import NumericWarning
from gradlab.graph import walk
from gradlab.graph.node import Node
from gradlab.viz import fold, formula, layout, names
from gradlab.viz.expression import Term, name_term, number_term
from gradlab.viz.labels import shorten
from gradlab.viz.numbers import Numbers, plain_number
from gradlab.viz.recorded import drawn_nodes, exponents_of, roots_of
from gradlab.viz.text import compact
from gradlab.viz.view import EdgeView, GraphView, NodeView

__all__ = ["Options", "build", "drawn_nodes"]

MAX_DRAWN = 2000


@dataclass(frozen=True)
class Options:
    """What the caller of `draw` asked for."""

    seed: Any = None
    gradients: bool | None = None
    names: Mapping[Any, str] = field(default_factory=dict)
    title: str | None = None
    loss: bool = False
    fold: bool | None = None
    unfold: Collection[str] = ()
    rankdir: str | None = None


def build(x: Any, options: Options) -> GraphView:
    """View data of everything that `x` depends on. Changes nothing on the nodes, and warns of nothing again."""
    with warnings.catch_warnings(), _collector_paused():
        warnings.simplefilter("ignore", NumericWarning)
        return _Builder(roots_of(x), options).view()


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Nothing made here is garbage before the end, and looking for it takes half of the time of a huge graph."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Builder:
    """One pass from nodes to view data. Index i counts recorded nodes in order; place p counts cards."""

    def __init__(self, roots: list[Node], options: Options) -> None:
        self.options = options
        self.nodes = walk.topological(roots)
        walk.check_acyclic(self.nodes)
        self.roots = roots
        self.root = self.nodes[-1]
        self.index = {id(node): i for i, node in enumerate(self.nodes)}
        self.inputs = [node.inputs for node in self.nodes]
        self.exponents = exponents_of(self.nodes)
        self.numbers = Numbers(self.root, options.seed, options.gradients)

    # --- structure ---

    @cached_property
    def drawn(self) -> list[int]:
        """The recorded nodes that take part: all but exponents, which stand in the symbol of their power ("²")."""
        return [i for i, node in enumerate(self.nodes) if id(node) not in self.exponents]

    @cached_property
    def cards(self) -> list[fold.Card]:
        number = {i: k for k, i in enumerate(self.drawn)}
        nodes = [self.nodes[i] for i in self.drawn]
        inputs = [self.inputs[i] for i in self.drawn]
        index, exponents = self.index, self.exponents
        outline = fold.Outline(
            [tuple(number[index[id(one)]] for one in some if id(one) not in exponents) for some in inputs],
            [node.op.name for node in nodes],
            [
                "" if some else self._kind(node, self._label(node))
                for node, some in zip(nodes, inputs, strict=True)
            ],
            [node.scope for node in nodes],
        )
        limit = MAX_DRAWN if self.options.fold is False else fold.MAX_CARDS
        if self.options.fold is False:
            return fold.plan(outline, len(nodes))
        return fold.plan(outline, limit, self.options.fold is True, self.options.unfold)

    def view(self) -> GraphView:
        cards, notice = self.cards, ""
        if len(cards) > MAX_DRAWN:
            notice = f"{len(cards)} cards are too many for a picture, so this is a table. Group nodes with scope(), or draw a part."
            cards = self._last(cards)
        elif len(self.drawn) > len(cards):
            notice = f"{len(self.nodes)} recorded nodes are folded into {len(cards)} cards."
        nodes = self._node_views(cards)
        edges = self._edge_views(cards)
        uses: dict[str, int] = {}
        for edge in edges:
            uses[edge.source] = uses.get(edge.source, 0) + 1
        nodes = [
            replace(n, uses=uses.get(n.id, 0), added=uses.get(n.id, 0) if n.grad_state == "complete" else 0)
            for n in nodes
        ]
        title = self.options.title or self._title(nodes[-1])
        notice = " ".join([*dict.fromkeys(self.numbers.stale), *([notice] if notice else [])])
        return GraphView(
            title=title,
            nodes=tuple(nodes),
            edges=tuple(edges),
            rankdir=self.options.rankdir or layout.fitting_direction(nodes),
            total=len(self.nodes),
            notice=notice,
            table_only=len(self.cards) > MAX_DRAWN,
        )

    def _last(self, cards: list[fold.Card]) -> list[fold.Card]:
        """The cards nearest to the root, for the table of a graph that is too large to draw."""
        first = len(cards) - MAX_DRAWN
        return [
            replace(card, inputs=[p - first for p in card.inputs if p >= first]) for card in cards[first:]
        ]

    # --- names and kinds ---

    def _label(self, node: Node) -> str:
        return names.shown_label(self.options.names.get(node) or node.label or "")

    def _kind(self, node: Node, label: str) -> str:
        if not node.inputs:
            return names.leaf_kind(node.op.name, label, bool(node.needs_grad))
        if node is not self.root and not any(node is one for one in self.roots):
            return "operation"
        single = getattr(node.primal, "size", 1) == 1
        return "loss" if single and (self.options.loss or names.is_loss_name(label)) else "output"

    def _title(self, root: NodeView) -> str:
        full = self.formulas.get(root.id)
        text = full.text if full else root.expression
        return shorten(f"{root.name} = {text}" if text and text != root.name else root.name, 200)

    # --- cards ---

    def _node_views(self, cards: list[fold.Card]) -> list[NodeView]:
        self.id_of: dict[int, str] = {}
        for place, card in enumerate(cards):
            for member in card.members:
                self.id_of[self.drawn[member]] = f"n{place}"
        self.terms: dict[str, Term | float] = {}
        self.formulas: dict[str, Term | None] = {}
        views = []
        for place, card in enumerate(cards):
            inputs = tuple(f"n{source}" for source in card.inputs)
            make = self._folded if card.fold else self._single
            views.append(make(card, f"n{place}", inputs))
        return views

    def _single(self, card: fold.Card, node_id: str, inputs: tuple[str, ...]) -> NodeView:
        node = self.nodes[self.drawn[card.members[0]]]
        name = self._label(node)
        kind = self._kind(node, name)
        expression = ""
        if node.inputs:
            operands = [self._operand(one) for one in node.inputs]
            term = names.expression(node.op, operands, node.params)
            expression = term.text
            name = name or (
                "loss"
                if kind == "loss"
                else expression
                if len(expression) <= names.MAX_EXPRESSION
                else node_id
            )
            self.formulas[node_id] = names.full_formula(
                node.op, [self._full(one) for one in node.inputs], node.params
            )
            self.terms[node_id] = term if name == expression else name_term(name)
        else:
            number = plain_number(node) if kind == "constant" and not name else None
            name = name or (compact(number) if number is not None else node_id)
            self.terms[node_id] = names.as_operand(name, number)
            operand = self.terms[node_id]
            self.formulas[node_id] = operand if isinstance(operand, Term) else number_term(operand)
        return NodeView(
            node_id, name, kind, symbol=self._symbol(node), op=node.op.name, scope=node.scope, inputs=inputs,
            expression=expression, **self.numbers.of(node),
        )  # fmt: skip

    def _folded(self, card: fold.Card, node_id: str, inputs: tuple[str, ...]) -> NodeView:
        members = [self.nodes[self.drawn[m]] for m in sorted(card.members)]
        output = members[-1]  # the newest: all others are there for it
        sort = card.fold.partition(":")[0]
        shown = [output]
        if sort in ("scope", "level"):
            shown = [one for one in members if sort == "level" or self._is_handed_on(one)]
        kind = "operation" if output.inputs else self._kind(output, self._label(output))
        name = names.shown_label(card.name)  # scopes carry names that people wrote
        self.terms[node_id], self.formulas[node_id] = name_term(name), None
        amounts = (
            self.numbers.together(shown) if len(shown) > 1 else self.numbers.of(shown[0] if shown else output)
        )
        return NodeView(
            node_id, name, kind, symbol=card.symbol, op=sort, scope=output.scope, inputs=inputs,
            hidden=len(members), fold=card.fold, **amounts,
        )  # fmt: skip

    def _is_handed_on(self, node: Node) -> bool:
        """Whether a node inside a folded card is what the card hands on."""
        return self.index[id(node)] in self.handed_on

    @cached_property
    def handed_on(self) -> set[int]:
        """Recorded nodes that are used by another card than their own."""
        index, id_of = self.index, self.id_of
        found = set()
        for user, inputs in enumerate(self.inputs):
            for one in inputs:
                source = index[id(one)]
                if id_of.get(source) != id_of.get(user):
                    found.add(source)
        return found

    def _operand(self, node: Node) -> Term | float:
        if id(node) in self.exponents:
            return float(node.primal)
        node_id = self.id_of.get(self.index[id(node)])
        return self.terms.get(node_id or "", names.LONG)

    def _full(self, node: Node) -> Term | float | None:
        if id(node) in self.exponents:
            return float(node.primal)
        return self.formulas.get(self.id_of.get(self.index[id(node)], ""))

    def _symbol(self, node: Node) -> str:
        if node.inputs and id(node.inputs[-1]) in self.exponents:
            raised = compact(float(node.inputs[-1].primal))
            return raised.translate(_SUPERSCRIPTS) if set(raised) <= set("0123456789−") else f"^{raised}"
        return node.op.symbol

    # --- edges ---

    def _edge_views(self, cards: list[fold.Card]) -> list[EdgeView]:
        edges: list[EdgeView] = []
        for place, card in enumerate(cards):
            target = f"n{place}"
            if card.fold:
                edges += [
                    EdgeView(f"e{len(edges) + k}", f"n{s}", target, k) for k, s in enumerate(card.inputs)
                ]
            else:
                node = self.nodes[self.drawn[card.members[0]]]
                for source, slot, facts in self._uses(node):
                    edges.append(EdgeView(f"e{len(edges)}", source, target, slot, **facts))
        return edges

    def _uses(self, node: Node) -> Iterable[tuple[str, int, dict[str, Any]]]:
        """For each input that has a card: its id, the argument position, and what the rule says of it."""
        if not node.inputs:
            return
        locals_, handed = self.numbers.derivatives(node)
        operands = [self._operand(one) for one in node.inputs]
        output = self.terms[self.id_of[self.index[id(node)]]]
        for slot, one in enumerate(node.inputs):
            source = self.id_of.get(self.index[id(one)])
            if source is None:
                continue
            symbolic = ""
            if one.needs_grad:
                symbolic = formula.of_derivative(
                    node.op, slot, operands, output if isinstance(output, Term) else number_term(output)
                )
            yield (
                source,
                slot,
                {"local": locals_[slot], "contribution": handed.get(slot), "symbolic": symbolic},
            )


_SUPERSCRIPTS = str.maketrans("0123456789−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
