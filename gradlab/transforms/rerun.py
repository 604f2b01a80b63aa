"""Nodes whose rule runs Python code: checkpoints, which compute again, and functions that bring their own backward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradlab.errors import ArgumentError, DataError, GraphError
from gradlab.graph import recorder, walk
from gradlab.graph.node import Node
from gradlab.graph.recording import enable_grad, is_recording, no_grad
from gradlab.graph.tensor import Tensor
from gradlab.op import NO_PARAMS, Op
from gradlab.ops.random import get_rng_state, set_rng_state

Pull = Callable[..., Sequence[Any]]


def node_with(name: str, inputs: tuple[Any, ...], z: Any, pull: Pull) -> Any:
    """A node whose cotangents come from `pull(ct, *inputs, record)`: raw arrays without `record`, nodes with it."""

    def vjp(ct: Any, z: Any, *xs: Any) -> Sequence[Any]:
        return pull(ct, *xs, record=isinstance(ct, Node))

    def jvp(tangents: Any, z: Any, *xs: Any) -> Any:
        what = f"{name} knows its derivative backward only"
        raise GraphError("GL046", what, "Forward mode needs a rule for tangents", "Use reverse mode")

    op = Op(
        name=name,
        symbol=name,
        formula=f"{name}(x)",
        derivatives=("",),
        forward=lambda xp, *xs: z,
        shape=lambda *shapes: z.shape,
        jvp=(jvp,),
        vjp=(vjp,),
        samples=lambda rng: iter(()),
        doc=f"{name}: its rule is Python code.",
        arg_names=("*xs",),
        reads=frozenset({"*xs"}),
        tags=frozenset({"internal", "python"}),
        variadic=True,
    )
    return recorder.record(op, inputs, z, NO_PARAMS, any(one.requires_grad for one in inputs))


def _fresh(x: Any) -> Any:
    """A leaf of its own for a tensor argument; anything else as it is."""
    return x.detach().requires_grad_() if isinstance(x, Tensor) and x.requires_grad else x


def checkpoint(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """function(*args), without keeping what it computes on the way: backward() computes it again. Memory is traded for time.

    Tensors that the function closes over get their gradients too, and random numbers are drawn again from the same state, so that a
    dropout has the same mask. Shapes: those of the function. The function is called again in each backward pass, and must do the same
    then. Raises DataError GL042 unless it returns a tensor, or a tuple of them.

    >>> x = gl.tensor([1.0, 2.0], requires_grad=True)
    >>> gl.checkpoint(lambda x: (x * x).tanh(), x).sum().backward()
    >>> x.grad.shape
    (2,)

    Source: Chen et al., arXiv:1604.06174, 2016.
    """
    if not is_recording():
        return function(*args, **kwargs)
    state = get_rng_state()
    places = [place for place, x in enumerate(args) if isinstance(x, Tensor) and x.requires_grad]

    def run(inputs: Sequence[Any]) -> Any:
        given = list(args)
        for place, x in zip(places, inputs, strict=True):
            given[place] = x
        return function(*given, **kwargs)

    leaves = [_fresh(args[place]) for place in places]
    outs = run(leaves)
    made = outs if isinstance(outs, (tuple, list)) else (outs,)
    if not all(isinstance(one, Tensor) for one in made):
        kinds = ", ".join(type(one).__name__ for one in made)
        raise DataError("GL042", f"a checkpoint returns tensors, and this one returned {kinds}")
    own = set(leaves)
    outside = [
        one for one in walk.topological(list(made)) if one.is_leaf and one.needs_grad and one not in own
    ]

    def pulled(which: int) -> Pull:
        def pull(ct: Any, *xs: Any, record: bool) -> Sequence[Any]:
            now = get_rng_state()
            set_rng_state(state)
            try:
                with enable_grad():
                    inputs = (
                        xs[: len(places)]
                        if record
                        else [recorder.leaf(x).requires_grad_() for x in xs[: len(places)]]
                    )
                    inputs = [x * 1.0 if record else x for x in inputs]
                    again = run(inputs)
                    out = again[which] if isinstance(again, (tuple, list)) else again
            finally:
                set_rng_state(now)
            wrt = [*inputs, *outside]
            found = walk.cotangents(out, ct, record=record, wrt=wrt) if out.requires_grad else {}
            return [found.get(one) for one in wrt]

        return pull

    inputs = (*[args[place] for place in places], *outside)
    nodes = [node_with("checkpoint", inputs, one.primal, pulled(which)) for which, one in enumerate(made)]
    return type(outs)(nodes) if isinstance(outs, (tuple, list)) else nodes[0]


def checkpoint_sequential(
    functions: Sequence[Callable[..., Any]], x: Any, segments: int | None = None
) -> Any:
    """The functions one after the other, as `segments` checkpoints of equal length: only what stands between them is kept.

    Without a number there are about √n, which keeps memory for n functions at O(√n) at the cost of one more pass forward.
    Raises ArgumentError GL048 for a number of segments outside 1 … n.

    >>> x = gl.tensor(1.0, requires_grad=True)
    >>> gl.checkpoint_sequential([gl.tanh] * 9, x).backward()
    >>> x.grad is not None
    True
    """
    listed = list(functions)
    count = segments if segments is not None else max(1, round(len(listed) ** 0.5))
    if listed and not 1 <= count <= len(listed):
        raise ArgumentError("GL048", f"{len(listed)} functions cannot be cut into {count} segments")

    def chain(part: list[Callable[..., Any]]) -> Callable[[Any], Any]:
        def run(value: Any) -> Any:
            for function in part:
                value = function(value)
            return value

        return run

    for place in range(count if listed else 0):
        first, last = (len(listed) * one // count for one in (place, place + 1))
        x = checkpoint(chain(listed[first:last]), x)
    return x


class Context:
    """What forward hands on to backward in an `autograd.Function`."""

    def __init__(self, needs: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs
        self._saved: tuple[Any, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep inputs or outputs for backward; there they are `saved_tensors`."""
        self._saved = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What was saved."""
        return self._saved

    def mark_non_differentiable(self, *outputs: Any) -> None:
        """Taken for PyTorch's sake: whole numbers and booleans never have a gradient."""


class Function:
    """An operation with a backward of its own: subclass it, write static `forward(ctx, …)` and `backward(ctx, …)`, call `.apply(…)`.

    Save inputs and outputs with `ctx.save_for_backward`: when backward is written with gradlab's operations, its result can be
    differentiated again. An intermediate result that was saved is cut off from the graph, so a second derivative through it is
    refused (GraphError GL047) instead of being silently wrong.

    Source: the names follow PyTorch.
    """

    @staticmethod
    def forward(ctx: Context, *args: Any) -> Any:
        """Compute the result from the arguments."""
        raise NotImplementedError

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        """The gradient of each argument from that of each output; None where there is none."""
        raise NotImplementedError

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run forward and record it."""
        needs = tuple(isinstance(x, Tensor) and x.requires_grad for x in args)
        ctx = Context(needs)
        with no_grad():
            outs = cls.forward(ctx, *args)
        made = list(outs) if isinstance(outs, tuple) else [outs]
        places = [place for place, x in enumerate(args) if isinstance(x, Tensor)]
        inputs = tuple(args[place] for place in places)
        nodes: list[Any] = []
        known = {id(x) for x in inputs}
        foreign = any(
            isinstance(x, Tensor) and id(x) not in known and all(x is not out for out in made)
            for x in ctx._saved
        )

        def pulled(which: int) -> Pull:
            def pull(ct: Any, *xs: Any, record: bool) -> Sequence[Any]:
                if record and foreign:
                    what = f"{cls.__name__} saved an intermediate result, which is cut off from the graph"
                    fix = "Save inputs or outputs only, and compute the rest in backward"
                    raise GraphError("GL047", what, "Its second derivative would be silently wrong", fix)
                grads = [
                    (ct if record else recorder.leaf(ct)) if place == which else recorder.leaf(out.primal * 0)
                    for place, out in enumerate(made)
                ]
                with enable_grad() if record else no_grad():
                    found = cls.backward(ctx, *grads)
                return _raw_grads(cls.__name__, found, len(args), places, record)

            return pull

        for which, out in enumerate(made):
            primal = out.primal.copy() if any(out is x for x in inputs) else out.primal
            nodes.append(node_with(cls.__name__, inputs, primal, pulled(which)))
        ctx._saved = tuple(_as_node(x, made, nodes) for x in ctx._saved)
        return tuple(nodes) if isinstance(outs, tuple) else nodes[0]


def _as_node(x: Any, made: list[Any], nodes: list[Any]) -> Any:
    """A saved output as the node that it became."""
    return next((node for out, node in zip(made, nodes, strict=True) if out is x), x)


def _raw_grads(name: str, found: Any, count: int, places: list[int], record: bool) -> list[Any]:
    listed = list(found) if isinstance(found, (tuple, list)) else [found]
    if len(listed) != count:
        what = f"backward of {name} returned {len(listed)} gradients for {count} arguments"
        raise DataError(
            "GL042", what, "It returns one for each argument of forward, None where there is none"
        )
    chosen = [listed[place] for place in places]
    return chosen if record else [getattr(one, "primal", one) for one in chosen]
