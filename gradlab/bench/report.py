"""The report: plain aligned text for people, the same as plain data for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gradlab.bench.runner import Check, Measured, Result

WIDTH = 100


def head(machine: Mapping[str, str], versions: Mapping[str, str], missing: Mapping[str, str]) -> str:
    """Where and with what the figures were measured, and which peers are not there."""
    rows = [
        *machine.items(),
        ("beside", ", ".join(f"{name} {text}" for name, text in versions.items()) or "nobody"),
    ]
    rows += [("not installed", f"{name}: {advice}") for name, advice in missing.items()]
    wide = max(len(name) for name, _ in rows)
    lines = [f"{name:{wide}}  {text}" for name, text in rows]
    lines.append(
        "Medians (least – most) of interleaved samples, garbage collector on. Smaller is better; × counts from gradlab."
    )
    return "\n".join(lines)


def text(result: Result) -> str:
    """One benchmark as lines: its name, a row a way, and what should hold."""
    benchmark = result.benchmark
    lines = [f"{benchmark.name}, in {benchmark.unit}"]
    lines += [f"  {line}" for line in _wrapped(benchmark.note)]
    lines += [f"    {line}" for line in _aligned([_cells(result, row) for row in result.rows])]
    lines += [f"  {_mark(check)} {check.text}" for check in result.checks]
    return "\n".join(lines)


def summary(results: Sequence[Result]) -> str:
    """The last line: how many targets were reached, and what is wrong."""
    checks = [check for result in results for check in result.checks]
    targets = [check for check in checks if not check.fault]
    faults = [check for check in checks if check.fault and not check.passed]
    reached = sum(check.passed for check in targets)
    line = f"{reached} of {len(targets)} targets reached"
    return f"{line}, {len(faults)} FAILED" if faults else f"{line}; all compared results agree"


def data(result: Result) -> dict[str, Any]:
    """One benchmark as JSON data."""
    benchmark = result.benchmark
    return {
        "name": benchmark.name,
        "unit": benchmark.unit,
        "note": benchmark.note,
        "ways": [_row_data(result, row) for row in result.rows],
        "checks": [{"text": c.text, "passed": c.passed, "fault": c.fault} for c in result.checks],
    }


def _row_data(result: Result, row: Measured) -> dict[str, Any]:
    return {
        "name": row.way.name,
        "peer": row.is_peer,
        "median": row.median,
        "figures": row.figures,
        "ratio": result.ratio(row),
        "difference": row.difference,
        "not_installed": row.missing,
        "error": row.error,
    }


def number(x: float) -> str:
    """Three significant digits, without exponents in the range of benchmarks."""
    if x == 0 or abs(x) >= 100:
        return f"{x:,.0f}"
    places = 2 if abs(x) < 10 else 1
    return f"{x:.{places}f}" if abs(x) >= 0.01 else f"{x:.2g}"


def _mark(check: Check) -> str:
    return "✓" if check.passed else "✗"


def _cells(result: Result, row: Measured) -> tuple[str, str, str, str]:
    if row.missing:
        return row.way.name, "–", "", f"not installed: {row.missing}"
    if row.median is None:
        return row.way.name, "–", "", f"failed: {row.error}"
    spread = f"({number(min(row.figures))} – {number(max(row.figures))})" if len(row.figures) > 1 else ""
    ratio = result.ratio(row)
    said = f"{number(ratio)} ×" if ratio is not None and row.is_peer else ""
    return (
        row.way.name,
        number(row.median),
        spread,
        f"{said} then failed: {row.error}".strip() if row.error else said,
    )


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterable[str]:
    wide = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for name, figure, spread, said in rows:
        yield f"{name:{wide[0]}}  {figure:>{wide[1]}}  {spread:{wide[2]}}  {said}".rstrip()


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH - 2)
