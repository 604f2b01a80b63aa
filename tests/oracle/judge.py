"""PyTorch as judge: its own sample inputs go through both libraries; values, gradients and second derivatives must agree."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

import gradlab as gl
from gradlab.graph import walk
from gradlab.graph.tensor import Tensor

Reason = str
Call = Callable[..., Any]


@dataclass(frozen=True)
class Row:
    """One of PyTorch's OpInfo entries: how gradlab spells the call, and where it deviates, each with its reason."""

    name: str
    call: Call
    variant: str = ""
    deviations: dict[Reason, Callable[..., bool]] = field(default_factory=dict)
    second: bool = True
    tolerance: float = 1e-8

    @property
    def id(self) -> str:
        return f"{self.name}/{self.variant}" if self.variant else self.name


@dataclass
class Verdict:
    """What came out for one row."""

    samples: int = 0
    second: int = 0
    deviating: dict[Reason, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


@cache
def entries() -> dict[str, Any]:
    """PyTorch's entries by name."""
    from torch.testing._internal.common_methods_invocations import op_db

    return {f"{op.name}/{op.variant_test_name}" if op.variant_test_name else op.name: op for op in op_db}


def samples(row: Row) -> Iterator[tuple[Any, Any]]:
    """(entry, sample) in float64, from PyTorch's generators with a fixed seed."""
    import torch

    entry = entries()[row.id]
    torch.manual_seed(0)
    np.random.seed(0)
    dtype = torch.float64 if torch.float64 in entry.dtypes else torch.int64
    for sample in entry.sample_inputs(
        "cpu", dtype, requires_grad=entry.supports_autograd and dtype.is_floating_point
    ):
        yield entry, sample


def mapped(thing: Any, change: Callable[[Any], Any]) -> Any:
    """Nested arguments with every tensor changed."""
    import torch

    if isinstance(thing, torch.Tensor):
        return change(thing)
    if isinstance(thing, (tuple, list)) and not isinstance(thing, torch.Size):
        return type(thing)(mapped(one, change) for one in thing)
    if isinstance(thing, dict):
        return {key: mapped(one, change) for key, one in thing.items()}
    return thing


def flat(thing: Any) -> list[Any]:
    """All tensors of an answer, in order."""
    if isinstance(thing, (tuple, list)):
        return [one for part in thing for one in flat(part)]
    return [] if thing is None or isinstance(thing, (str,)) else [thing]


def array(x: Any) -> np.ndarray:
    """Either library's answer as an array."""
    if isinstance(x, Tensor):
        return x.primal
    return x.numpy(force=True) if hasattr(x, "resolve_conj") else np.asarray(x)


def differ(what: str, got: Any, want: Any, tolerance: float) -> str | None:
    """How two arrays differ, or None."""
    if np.shape(got) != np.shape(want):
        return f"{what} has shape {np.shape(got)}, not {np.shape(want)}"
    try:
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)
    except AssertionError as error:
        return f"{what}: " + " ".join(str(error).split())[:300]
    return None


def torch_side(entry: Any, sample: Any, seed: np.random.Generator, second: bool) -> tuple[Any, ...]:
    """Values, gradients and second derivatives by PyTorch, with the seeds used."""
    import torch

    leaves: list[Any] = []

    def keep(t: Any) -> Any:
        t = t.detach().clone().requires_grad_(t.requires_grad)
        if t.requires_grad:
            leaves.append(t)
        return t

    given = mapped((sample.input, sample.args, sample.kwargs), keep)
    outs = flat(entry.op(given[0], *given[1], **given[2]))
    seeds = [
        seed.normal(size=tuple(out.shape)) if getattr(out, "requires_grad", False) else None for out in outs
    ]
    wanted = [(out, torch.tensor(s)) for out, s in zip(outs, seeds, strict=True) if s is not None]
    if not wanted:
        return outs, [], [], [], []
    found = torch.autograd.grad(
        [out for out, _ in wanted], leaves, [s for _, s in wanted], create_graph=second, allow_unused=True
    )
    firsts = [torch.zeros_like(leaf) if g is None else g for g, leaf in zip(found, leaves, strict=True)]
    weights = [seed.normal(size=tuple(leaf.shape)) for leaf in leaves]
    energy = sum((g * torch.tensor(w)).sum() for g, w in zip(firsts, weights, strict=True))
    seconds = []
    if second and energy.requires_grad:
        found = torch.autograd.grad(energy, leaves, allow_unused=True)
        seconds = [torch.zeros_like(leaf) if g is None else g for g, leaf in zip(found, leaves, strict=True)]
    return outs, firsts, seconds, seeds, weights


def gradlab_side(
    row: Row, sample: Any, seeds: list[Any], weights: list[Any], second: bool
) -> tuple[Any, ...]:
    """The same by gradlab."""
    leaves: list[Tensor] = []

    def convert(t: Any) -> Any:
        made = Tensor(t.numpy(force=True).copy(), requires_grad=t.requires_grad)
        if t.requires_grad:
            leaves.append(made)
        return made

    given = mapped((sample.input, sample.args, sample.kwargs), convert)
    outs = flat(row.call(given[0], *given[1], **given[2]))
    if len(seeds) != len(outs):
        return outs, [], []
    # an output that is cut off here counts as one whose gradient is zero, which is what PyTorch then has to find
    wanted = [out * s for out, s in zip(outs, seeds, strict=True) if s is not None and out.requires_grad]
    if not wanted:
        return outs, [np.zeros(leaf.shape) for leaf in leaves], [np.zeros(leaf.shape) for leaf in leaves]
    root = gl.total(*[gl.sum(out) for out in wanted])
    if not second:
        found = walk.cotangents(root)
        return outs, [found.get(leaf, np.zeros(leaf.shape)) for leaf in leaves], []
    found = walk.cotangents(root, record=True)
    firsts = [found.get(leaf, Tensor(np.zeros(leaf.shape))) for leaf in leaves]
    energy = gl.total(*[gl.sum(g * w) for g, w in zip(firsts, weights, strict=True)])
    found = walk.cotangents(energy) if energy.requires_grad else {}
    return outs, firsts, [found.get(leaf, np.zeros(leaf.shape)) for leaf in leaves]


def compare(row: Row, entry: Any, sample: Any, seed: np.random.Generator) -> tuple[list[str], bool]:
    """The faults of one sample, and whether second derivatives were compared."""
    second = row.second and entry.supports_gradgrad
    outs, firsts, seconds, seeds, weights = torch_side(entry, sample, seed, second)
    mine, my_firsts, my_seconds = gradlab_side(row, sample, seeds, weights, second)
    if len(outs) != len(mine):
        return [f"{len(mine)} answers, not {len(outs)}"], False
    groups = (
        ("value", mine, outs),
        ("gradient", my_firsts, firsts),
        ("second derivative", my_seconds, seconds),
    )
    found = [
        differ(f"{what} {place}", array(got), array(want), row.tolerance)
        for what, gots, wants in groups
        if wants
        for place, (got, want) in enumerate(zip(gots, wants, strict=True))
    ]
    return [text for text in found if text], bool(seconds)


def judge(row: Row, limit: int | None = None) -> Verdict:
    """Run every sample of a row through both libraries."""
    verdict, seed = Verdict(), np.random.default_rng(23)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # both sides warn at poles; here only numbers count
        for number, (entry, sample) in enumerate(samples(row)):
            reason = next(
                (
                    why
                    for why, holds in row.deviations.items()
                    if holds(sample.input, *sample.args, **sample.kwargs)
                ),
                None,
            )
            if reason:
                verdict.deviating[reason] = verdict.deviating.get(reason, 0) + 1
                continue
            if limit is not None and verdict.samples >= limit:
                break
            try:
                faults, second = compare(row, entry, sample, seed)
            except Exception as error:
                faults, second = [f"{type(error).__name__}: {error}"], False
            verdict.samples += 1
            verdict.second += second
            verdict.faults += [f"sample {number} {describe(sample)}: {text}" for text in faults]
    return verdict


def describe(sample: Any) -> str:
    """The shapes and options of a sample."""
    return str(mapped((sample.input, sample.args, sample.kwargs), lambda t: tuple(t.shape)))[:200]
