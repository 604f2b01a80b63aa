"""Arrays as a few numbers: what of a large array travels into a picture."""

from __future__ import annotations

from typing import Any

MAX_SAMPLE, BINS = 64, 16


def summary(array: Any) -> dict[str, Any]:
    """Minimum, maximum, mean and standard deviation of the finite elements, counts of nan and inf, histogram, 64 values at most."""
    import numpy as np

    flat = np.asarray(array).ravel()
    numbers = flat.astype(float, copy=False)
    finite = numbers[np.isfinite(numbers)]
    stats: dict[str, Any] = {
        "size": int(flat.size),
        "nan": int(np.isnan(numbers).sum()),
        "inf": int(np.isinf(numbers).sum()),
        "sample": [float(x) for x in numbers[:MAX_SAMPLE]],
    }
    if not finite.size:
        return {**stats, "min": None, "max": None, "mean": None, "std": None, "histogram": None}
    # a span wider than the largest float has no bins
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = float(finite.min()), float(finite.max())
        stats |= {"min": low, "max": high, "mean": float(finite.mean()), "std": float(finite.std())}
        stats["histogram"] = _histogram(np, finite) if np.isfinite(high - low) else None
    return stats


def _histogram(np: Any, finite: Any) -> dict[str, list[float]] | None:
    try:
        counts, edges = np.histogram(finite, bins=BINS)
    except ValueError:  # neighbouring floats leave no room for bins
        return None
    return {"counts": [int(c) for c in counts], "edges": [float(e) for e in edges]}


def spread(values: list[float]) -> dict[str, Any]:
    """The same for the numbers of several scalar nodes, without NumPy."""
    from math import fsum, isfinite, isnan, sqrt

    finite = [value for value in values if isfinite(value)]
    odd = {"nan": sum(map(isnan, values)), "inf": sum(not isfinite(v) and not isnan(v) for v in values)}
    stats: dict[str, Any] = {"size": len(values), **odd, "sample": values[:MAX_SAMPLE], "histogram": None}
    if not finite:
        return {**stats, "min": None, "max": None, "mean": None, "std": None}
    mean = fsum(value / len(finite) for value in finite)
    std = sqrt(min(fsum((value - mean) * (value - mean) / len(finite) for value in finite), 1.7e308))
    return {**stats, "min": min(finite), "max": max(finite), "mean": mean, "std": std}
