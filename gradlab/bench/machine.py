"""What a figure depends on besides the code: Python, system, processor, threads, and the versions of all that takes part."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable
from pathlib import Path

from gradlab import __version__
from gradlab.bench.model import Package


def describe() -> dict[str, str]:
    """The machine in words."""
    return {
        "gradlab": __version__,
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": _processor(),
        "CPUs": f"{_usable_cpus()} usable of {os.cpu_count()}",
        "threads": _threads(),
    }


def versions(packages: Iterable[Package]) -> dict[str, str]:
    """The version of each installed package by name."""
    return {one.distribution: one.version for one in packages if one.installed}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()


def _usable_cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _threads() -> str:
    """gradlab's scalars use one thread; what limits the others is said."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    limits = [f"{name}={os.environ[name]}" for name in names if name in os.environ]
    torch = sys.modules.get("torch")
    if torch is not None:
        limits.append(f"PyTorch {torch.get_num_threads()}")
    return ", ".join(["gradlab 1", *limits])
