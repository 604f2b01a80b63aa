"""Rows of the oracle's table for convolutions, pooling, normalisation, attention."""

from __future__ import annotations

from judge import Row

ROWS: list[Row] = []
