"""How long an import takes, asked in a new process each time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from gradlab.bench.model import Fresh, every_time

MICROGRAD = "from micrograd.engine import Value; Value(2.0)"
TENSOR = "import gradlab as gl; gl.tensor([1.0, 2.0])"

_SCRIPT = "{first}\nfrom time import perf_counter\nstart = perf_counter()\n{code}\nprint((perf_counter() - start) * 1e3)"


def milliseconds_of(code: str, first: str = "") -> Fresh:
    """Milliseconds that `code` takes in a new process, after `first`, which is not counted."""
    source = str(Path(__file__).resolve().parents[2])  # the gradlab that is running, wherever it lies
    path = os.pathsep.join(filter(None, (source, os.environ.get("PYTHONPATH"))))
    script = _SCRIPT.format(first=first, code=code)

    def run() -> float:
        done = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONPATH": path},
        )
        return float(done.stdout)

    return every_time(run)
