"""The libraries that gradlab is measured beside."""

from __future__ import annotations

from gradlab.bench.model import Package

MICROGRAD = Package("micrograd", "micrograd", "micrograd==0.1.0")
TORCH = Package("torch", "torch", "torch==2.13.0")
AUTOGRAD = Package("autograd", "autograd", "autograd")
MYGRAD = Package("mygrad", "mygrad", "mygrad")
NUMPY = Package("numpy", "numpy", "numpy")
