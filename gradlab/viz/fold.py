"""Folding: which recorded nodes share a card when there are too many to draw.

In this order, each only while too many cards are left: outermost scopes, sums with their products, runs (chains), all cards
that do the same at one depth, and runs of what is left. Every step keeps the graph free of cycles, and all are loops over flat lists, so a
chain of 100,000 nodes folds in a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

MAX_CARDS = 150
MIN_RUN, MIN_TERMS = 4, 3
ADDING, PRODUCTS = frozenset({"add", "total"}), frozenset({"multiply"})
ABSORBED = frozenset({"parameter", "constant"})


@dataclass(frozen=True)
class Outline:
    """What folding looks at: for each recorded node its inputs, the name of its op, its kind if it is a leaf, its scope."""

    inputs: Sequence[tuple[int, ...]]
    ops: Sequence[str]
    leaf_kinds: Sequence[str]
    scopes: Sequence[tuple[str, ...]]


@dataclass(slots=True)
class Card:
    """What one card stands for. `fold` is "" for a single node, else the name of the fold: "scope:layer1:12"."""

    members: list[int]
    fold: str = ""
    name: str = ""
    symbol: str = ""
    inputs: Sequence[int] = ()
    depth: int = 0


def plan(
    outline: Outline, limit: int = MAX_CARDS, always: bool = False, unfold: Collection[str] = ()
) -> list[Card]:
    """The cards to draw, in topological order, with the cards they take inputs from.

    Nothing folds up to `limit` cards, unless `always`. Folds named in `unfold` stay open: of an open scope the scopes inside fold.
    """
    cards = [Card([i], inputs=inputs) for i, inputs in enumerate(outline.inputs)]
    root = len(outline.inputs) - 1
    if len(cards) > limit or always:
        cards = _merge(cards, _scopes(outline, root, unfold), outline)
    for step, needed in ((_sums, False), (_runs, False), (_levels, True), (_long_runs, True)):
        if len(cards) > limit or (always and not needed):
            groups = [one for one in step(cards, outline, root) if one.fold not in unfold]
            cards = _merge(cards, groups, outline)
    return cards


def _connect(cards: list[Card], outline: Outline) -> None:
    """Fill in the inputs of each card. A single node keeps its arguments one by one; a fold lists each source once."""
    card_of = [0] * len(outline.inputs)
    for place, card in enumerate(cards):
        for member in card.members:
            card_of[member] = place
    for place, card in enumerate(cards):
        if card.fold:
            sources = dict.fromkeys(card_of[i] for member in card.members for i in outline.inputs[member])
            card.inputs = [source for source in sources if source != place]
        else:
            card.inputs = [card_of[i] for i in outline.inputs[card.members[0]]]


def _merge(cards: list[Card], groups: list[Card], outline: Outline) -> list[Card]:
    """Replace cards by the groups that hold them, absorb the parameters only one group uses, and sort again."""
    if not groups:
        return cards
    owner: list[Card | None] = [None] * len(outline.inputs)
    for group in groups:
        for member in group.members:
            owner[member] = group
    for place in _absorbed(cards, owner, outline):
        holder = owner[cards[place].members[0]]
        assert holder is not None
        holder.members.append(cards[place].members[0])
    kept = [card for card in cards if owner[card.members[0]] is None]
    merged = sorted(kept + groups, key=lambda card: max(card.members))
    _connect(merged, outline)
    return _sorted(merged, outline)


def _absorbed(cards: list[Card], owner: list[Card | None], outline: Outline) -> list[int]:
    """Parameters and constants that only one group uses; each gets that group as its owner."""
    loose = {
        p
        for p, c in enumerate(cards)
        if outline.leaf_kinds[c.members[0]] in ABSORBED and owner[c.members[0]] is None
    }
    holders: dict[int, Card | None] = {}
    for card in cards:
        holder = owner[card.members[0]]
        for source in card.inputs:
            if source in loose and holders.setdefault(source, holder) is not holder:
                holders[source] = None
    found = []
    for place, holder in holders.items():
        if holder is not None and not holder.fold.startswith("level"):
            owner[cards[place].members[0]] = holder
            found.append(place)
    return found


def _sorted(cards: list[Card], outline: Outline) -> list[Card]:
    """Topological order, by the age of the newest member where there is a choice; sets the depth of each card too."""
    waiting = [len(set(card.inputs)) for card in cards]
    users: list[list[int]] = [[] for _ in cards]
    for place, card in enumerate(cards):
        card.depth = 0
        for source in set(card.inputs):
            users[source].append(place)
    ready = [place for place, count in enumerate(waiting) if not count]
    heapify(ready)
    order = []
    while ready:
        place = heappop(ready)
        order.append(cards[place])
        for user in users[place]:
            cards[user].depth = max(cards[user].depth, cards[place].depth + 1)
            waiting[user] -= 1
            if not waiting[user]:
                heappush(ready, user)
    _connect(order, outline)
    return order


# --- scopes ---


def _scopes(outline: Outline, root: int, unfold: Collection[str]) -> list[Card]:
    """Each stretch of the recording inside one outermost scope.

    A stretch is contiguous in the order of recording, so a scope that is entered twice gives two cards and no cycle.
    """
    groups = _stretches(outline, range(len(outline.inputs)), root, 1)
    depth = 1
    while any(group.fold in unfold for group in groups):
        depth += 1
        opened = [_stretches(outline, group.members, root, depth) for group in groups if group.fold in unfold]
        groups = [group for group in groups if group.fold not in unfold]
        groups += [inner for some in opened for inner in some]
    return groups


def _stretches(outline: Outline, members: Iterable[int], root: int, depth: int) -> list[Card]:
    groups: list[Card] = []
    current: tuple[str, ...] = ()
    for i in members:
        scope = outline.scopes[i]
        if not outline.inputs[i]:
            continue
        path = scope[:depth] if len(scope) >= depth and i != root else ()
        if path and path == current:
            groups[-1].members.append(i)
        elif path:
            groups.append(Card([i], f"scope:{'/'.join(path)}:{i}", " / ".join(path), "{ }"))
        current = path
    return [group for group in groups if len(group.members) > 1]


# --- sums and runs ---


def _single_users(cards: list[Card], root: int) -> list[int]:
    """For each card the only card that uses it; -1 if there are several, or none, or it is the root."""
    user = [-2] * len(cards)
    for place, card in enumerate(cards):
        for source in card.inputs:
            user[source] = place if user[source] in (-2, place) else -1
    return [
        -1 if one == -2 or root in (cards[place].members[-1], cards[one].members[-1]) else one
        for place, one in enumerate(user)
    ]


def _sums(cards: list[Card], outline: Outline, root: int) -> list[Card]:
    """Additions that only feed each other, with the products that only feed them."""
    user = _single_users(cards, root)
    op_of = ["" if card.fold else outline.ops[card.members[0]] for card in cards]
    top = list(range(len(cards)))
    groups: dict[int, list[int]] = {}
    terms: dict[int, int] = {}
    for place in range(len(cards) - 1, -1, -1):
        one = user[place]
        if one >= 0 and op_of[one] in ADDING and op_of[place] in ADDING | PRODUCTS:
            top[place] = top[one]
        if op_of[place] in ADDING:
            groups.setdefault(top[place], []).append(place)
            terms[top[place]] = terms.get(top[place], 1) + len(cards[place].inputs) - 1
    for place in range(len(cards)):
        if op_of[place] in PRODUCTS and top[place] != place:
            groups[top[place]].append(place)
    return [
        Card(
            sorted(cards[p].members[0] for p in places),
            f"sum:{cards[key].members[0]}",
            f"sum of {terms[key]} terms",
            "Σ",
        )
        for key, places in groups.items()
        if terms[key] >= MIN_TERMS and len(places) > 1 and root not in (cards[p].members[0] for p in places)
    ]


def _runs(cards: list[Card], outline: Outline, root: int) -> list[Card]:
    """Chains of operations. Scopes stay as they are: a chain of them says more than a number of steps."""
    user = _single_users(cards, root)
    single = [not card.fold.startswith("scope") for card in cards]
    return _chains(cards, [one if single[place] and single[one] else -1 for place, one in enumerate(user)])


def _long_runs(cards: list[Card], outline: Outline, root: int) -> list[Card]:
    """Chains of whatever is left."""
    return _chains(cards, _single_users(cards, root))


def _chains(cards: list[Card], user: list[int]) -> list[Card]:
    """Cards whose only computed input is the one before, and whose only user is the one after."""
    leaf = [not card.inputs for card in cards]
    follows = [-1] * len(cards)
    for place, one in enumerate(user):
        if (
            one >= 0
            and not leaf[place]
            and all(leaf[source] or source == place for source in cards[one].inputs)
        ):
            follows[place] = one
    inner = set(follows)
    groups = []
    for place in range(len(cards)):
        if follows[place] < 0 or place in inner:
            continue
        chain = [place]
        while follows[chain[-1]] >= 0:
            chain.append(follows[chain[-1]])
        if len(chain) >= MIN_RUN:
            members = sorted(member for link in chain for member in cards[link].members)
            groups.append(Card(members, f"run:{members[0]}", f"{len(chain)} steps", "…"))
    return groups


# --- depth ---


def _levels(cards: list[Card], outline: Outline, root: int) -> list[Card]:
    """All cards that do the same at the same depth, as "16 × tanh". Leaves go with the shallowest card that uses them."""
    cards = _sorted(cards, outline)
    depth = [card.depth for card in cards]
    for place in range(len(cards) - 1, -1, -1):
        for source in cards[place].inputs:
            if not cards[source].inputs:
                depth[source] = min(depth[source] or depth[place], depth[place])
    alike: dict[tuple[object, ...], list[Card]] = {}
    for place, card in enumerate(cards):
        if root not in card.members:
            first = card.members[0]
            what = (
                (card.name, card.symbol)
                if card.fold
                else (outline.leaf_kinds[first] or outline.ops[first], "")
            )
            alike.setdefault((depth[place], bool(card.inputs), *what), []).append(card)
    return [_level(same, str(key[2])) for key, same in alike.items() if len(same) > 1]


def _level(same: list[Card], name: str) -> Card:
    members = sorted(member for card in same for member in card.members)
    return Card(members, f"level:{same[0].members[0]}", name, f"{len(same)}×")
