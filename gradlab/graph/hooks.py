"""Hooks: functions that are told of a gradient when it is complete, and may replace it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TYPE_CHECKING, Any

from gradlab.backends import describe
from gradlab.errors import GraphError
from gradlab.graph.recorder import extra_of, leaf
from gradlab.ops.leaf import CONSTANT

_numbers = count(1).__next__


class HookHandle:
    """What `register_hook` returns: `remove()` takes the hook away again. It works as a context manager too."""

    def __init__(self, hooks: dict[int, Any], number: int) -> None:
        self._hooks, self._number = hooks, number

    def remove(self) -> None:
        """Take the hook away. Doing so twice is no error."""
        self._hooks.pop(self._number, None)

    def __enter__(self) -> HookHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def _register(hooks: dict[int, Any], hook: Callable[..., Any]) -> HookHandle:
    if not callable(hook):
        raise GraphError("GL037", f"a hook is a function of one gradient, got {type(hook).__name__}")
    number = _numbers()
    hooks[number] = hook
    return HookHandle(hooks, number)


class TensorHooks:
    """What a tensor offers to those who want to see gradients pass."""

    __slots__ = ()

    if TYPE_CHECKING:
        requires_grad: bool
        inputs: tuple[Any, ...]
        extra: Any

    def register_hook(self, hook: Callable[[Any], Any]) -> HookHandle:
        """Call `hook(gradient)` when the gradient of this tensor is complete; what it returns, if anything, replaces the gradient.

        Hooks run in the order in which they were registered, once for each backward pass, before the gradient is handed on or added
        to `grad`. Shapes: a returned gradient has the shape of the tensor. Raises GraphError GL031 when no gradient is computed.

        >>> x = gl.tensor([1.0, 2.0], requires_grad=True)
        >>> handle = x.register_hook(lambda gradient: gradient * 10)
        >>> (x * x).sum().backward()
        >>> x.grad.tolist()
        [20.0, 40.0]
        """
        if not self.requires_grad:
            what = "a hook was registered on a tensor that requires no gradient"
            raise GraphError("GL031", what, "It would never be called", "Make it with requires_grad=True")
        return _register(extra_of(self).hooks, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Any], Any]) -> HookHandle:
        """Call `hook(tensor)` after backward() has added to `grad` of this leaf. Raises GraphError GL031 unless it is such a leaf."""
        if not self.requires_grad or self.inputs:
            what = "gradients accumulate on leaves that require one, and this tensor is none"
            raise GraphError("GL031", what, fix="Use register_hook(...) for a computed tensor")
        return _register(extra_of(self).after, hook)

    def retain_grad(self) -> None:
        """Keep the gradient of this node too, although it is not a leaf. Raises GraphError GL031 when none is computed."""
        if not self.requires_grad:
            what = "retain_grad() was called on a tensor that requires no gradient"
            raise GraphError("GL031", what, fix="Make the leaf it comes from with requires_grad=True")
        if self.inputs:
            extra_of(self).retains = True

    def hooked(self, ct: Any, record: bool) -> Any:
        """The cotangent after the hooks of this tensor, in the order in which they were registered."""
        for hook in list(self.extra.hooks.values()):
            changed = hook(ct if record else leaf(ct, CONSTANT))
            if changed is None:
                continue
            if getattr(changed, "shape", None) != ct.shape:
                what = f"a hook returned {describe(changed)} for a gradient of shape {ct.shape}"
                raise GraphError("GL037", what, "A hook returns nothing, or a gradient of the same shape")
            ct = changed if record else changed.primal
        return ct

    @property
    def retains_grad(self) -> bool:
        """Whether this is a computed tensor whose gradient is kept."""
        return self.extra is not None and self.extra.retains
