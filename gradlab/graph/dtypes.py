"""Data types under NumPy's and PyTorch's names: `gl.float32`, `gl.long`."""

from __future__ import annotations

import numpy as np

float16, float32, float64 = np.dtype("float16"), np.dtype("float32"), np.dtype("float64")
int8, int16, int32, int64, uint8 = (np.dtype(name) for name in ("int8", "int16", "int32", "int64", "uint8"))
bool_ = np.dtype("bool")
half, double, long = float16, float64, int64
finfo, iinfo = np.finfo, np.iinfo
