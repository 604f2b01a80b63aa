"""A layered layout in plain Python: what draws a graph where no Graphviz is to be had, and where a graph is too large for it.

Layers by longest path to a result, order by medians, positions by least squares, all deterministic. Edges run through lanes between the
cards, never under one. Source: Sugiyama, Tagawa and Toda, IEEE Trans. SMC 11(2), 1981; the placing of one layer is the
pool-adjacent-violators algorithm of isotonic regression (Ayer et al., Ann. Math. Stat. 26(4), 1955).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gradlab.viz.dot import HEAD_PX, NODE_GAP_PX, RANK_GAP_PX

Point = tuple[float, float]
LANE_PX = 18
# Beyond this many lanes an edge goes straight: a picture that dense is read as a whole, not line by line.
MAX_LANES = 20_000


@dataclass
class _Slots:
    """Cards and the lanes of long edges, layer by layer. Slots 0 … n-1 are the cards."""

    layer_of: list[int]
    layers: list[list[int]]
    before: list[list[int]]
    after: list[list[int]]
    lanes: dict[tuple[int, int], int]


def place(
    count: int, edges: Sequence[tuple[int, int]], size: tuple[int, int]
) -> tuple[list[Point], list[tuple[list[Point], Point]]]:
    """Lay out `count` cards of `size` from left to right. Nodes are numbered in topological order.

    Gives the top left corner of each card and, for each edge, the points of its curve and the tip of its arrow head.
    """
    layers = _layers(count, edges)
    slots = _with_lanes(count, edges, layers)
    _order(slots, sweeps=8 if len(slots.layer_of) < 2000 else 3)
    centres = _centres(slots, count, size[1])
    width, height = map(float, size)
    corners = [(layers[i] * (width + RANK_GAP_PX), centres[i] - height / 2) for i in range(count)]
    return corners, [_route(edge, slots, centres, width) for edge in edges]


def _layers(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Every card as far right as its users allow, so that an input stands beside the operation that takes it."""
    users: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        users[source].append(target)
    steps_left = [0] * count
    for node in range(count - 1, -1, -1):
        steps_left[node] = max((steps_left[user] + 1 for user in users[node]), default=0)
    longest = max(steps_left, default=0)
    return [longest - steps for steps in steps_left]


def _reading_order(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """For each card when it is met on a walk from the results through the inputs, in argument order: the order to start from."""
    inputs: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        inputs[target].append(source)
    met = [-1] * count
    clock = 0
    for start in range(count - 1, -1, -1):
        stack = [start]
        while stack:
            node = stack.pop()
            if met[node] < 0:
                met[node] = clock
                clock += 1
                stack += reversed(inputs[node])
    return met


def _with_lanes(count: int, edges: Sequence[tuple[int, int]], layers: list[int]) -> _Slots:
    """A lane in every layer that an edge crosses. Edges from one card share their lanes, as wires share a cable."""
    layer_of = list(layers)
    rows: list[list[int]] = [[] for _ in range(max(layers, default=-1) + 1)]
    met = _reading_order(count, edges)
    for node in sorted(range(count), key=met.__getitem__):
        rows[layers[node]].append(node)
    slots = _Slots(layer_of, rows, [[] for _ in range(count)], [[] for _ in range(count)], {})
    for source, target in edges:
        last = source
        if len(slots.lanes) < MAX_LANES:
            for layer in range(layers[source] + 1, layers[target]):
                last = _lane(slots, source, layer, last)
        slots.after[last].append(target)
        slots.before[target].append(last)
    return slots


def _lane(slots: _Slots, source: int, layer: int, last: int) -> int:
    lane = slots.lanes.get((source, layer))
    if lane is None:
        lane = slots.lanes[source, layer] = len(slots.layer_of)
        slots.layer_of.append(layer)
        slots.layers[layer].append(lane)
        slots.before.append([last])
        slots.after.append([])
        slots.after[last].append(lane)
    return lane


def _order(slots: _Slots, sweeps: int) -> None:
    """Sort each layer by the mean position of its neighbours, right to left and back, and keep the order with fewest crossings."""
    position = [0.0] * len(slots.layer_of)
    _number(slots.layers, position)
    best = ([list(layer) for layer in slots.layers], _crossings(slots, position))
    for sweep in range(sweeps):
        backward = sweep % 2 == 0
        neighbours = slots.after if backward else slots.before
        for layer in reversed(slots.layers) if backward else slots.layers:
            keys = {slot: _mean([position[n] for n in neighbours[slot]], position[slot]) for slot in layer}
            layer.sort(key=lambda slot: (keys[slot], position[slot]))
            _number([layer], position)
        crossings = _crossings(slots, position)
        if crossings < best[1]:
            best = ([list(layer) for layer in slots.layers], crossings)
        if not crossings:
            break
    slots.layers = best[0]


def _number(layers: list[list[int]], position: list[float]) -> None:
    # Shares of the layer's length: layers of different lengths are compared.
    for layer in layers:
        for place_in_layer, slot in enumerate(layer):
            position[slot] = (place_in_layer + 0.5) / len(layer)


def _mean(values: list[float], default: float) -> float:
    return sum(values) / len(values) if values else default


def _crossings(slots: _Slots, position: list[float]) -> int:
    """Pairs of edges that cross between neighbouring layers, counted as inversions by merging sorted runs."""
    total = 0
    for layer in slots.layers:
        ends = [position[n] for slot in layer for n in sorted(slots.after[slot], key=position.__getitem__)]
        total += _inversions(ends)
    return total


def _inversions(values: list[float]) -> int:
    """Inversions of a list, with a Fenwick tree over its ranks."""
    rank = {value: i + 1 for i, value in enumerate(sorted(set(values)))}
    tree, total = [0] * (len(rank) + 1), 0
    for seen, value in enumerate(values):
        i, smaller_or_equal = rank[value], 0
        while i:
            smaller_or_equal += tree[i]
            i &= i - 1
        total += seen - smaller_or_equal
        i = rank[value]
        while i < len(tree):
            tree[i] += 1
            i += i & -i
    return total


def _centres(slots: _Slots, count: int, height: int) -> list[float]:
    """Vertical centre of every slot: as near to its neighbours as the cards of its layer allow."""
    half = [height / 2] * count + [LANE_PX / 2] * (len(slots.layer_of) - count)
    centre = [0.0] * len(half)
    for layer in slots.layers:
        y = 0.0
        for slot in layer:
            centre[slot] = y + half[slot]
            y += 2 * half[slot] + NODE_GAP_PX
        for slot in layer:
            centre[slot] -= (y - NODE_GAP_PX) / 2
    both = [before + after for before, after in zip(slots.before, slots.after, strict=True)]
    rounds = (slots.before, slots.after, slots.before, slots.after, both, both, both, both)
    for turn, neighbours in enumerate(rounds):
        for layer in slots.layers if turn % 2 == 0 else reversed(slots.layers):
            wanted = [_mean([centre[n] for n in neighbours[slot]], centre[slot]) for slot in layer]
            for slot, y in zip(layer, _spread(wanted, [half[slot] for slot in layer]), strict=True):
                centre[slot] = y
    return centre


def _spread(wanted: list[float], half: list[float]) -> list[float]:
    """Positions nearest to the wanted ones (least squares) that keep order and distance."""
    offsets = [0.0] * len(half)
    for i in range(1, len(half)):
        offsets[i] = offsets[i - 1] + half[i - 1] + half[i] + NODE_GAP_PX
    blocks: list[tuple[float, int]] = []  # (sum of wanted − offset, how many)
    for want, offset in zip(wanted, offsets, strict=True):
        total, size = want - offset, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / size:
            last_total, last_size = blocks.pop()
            total, size = total + last_total, size + last_size
        blocks.append((total, size))
    bases = [total / size for total, size in blocks for _ in range(size)]
    return [base + offset for base, offset in zip(bases, offsets, strict=True)]


def _route(
    edge: tuple[int, int], slots: _Slots, centres: list[float], width: float
) -> tuple[list[Point], Point]:
    """From the right side of the source, level through each lane, to the left side of the target."""
    source, target = edge
    step = width + RANK_GAP_PX
    x, y = slots.layer_of[source] * step + width, centres[source]
    points = [(x, y)]
    for layer in range(slots.layer_of[source] + 1, slots.layer_of[target]):
        lane = slots.lanes.get((source, layer))
        if lane is not None:
            _bend(points, (layer * step, centres[lane]))
            _bend(points, (layer * step + width, centres[lane]))
    tip = (slots.layer_of[target] * step, centres[target])
    _bend(points, (tip[0] - HEAD_PX, tip[1]))
    return points, tip


def _bend(points: list[Point], end: Point) -> None:
    x, y = points[-1]
    middle = (x + end[0]) / 2
    points += [(middle, y), (middle, end[1]), end]
