"""Rows of the oracle's table for linear algebra and einsum."""

from __future__ import annotations

from judge import Row

ROWS: list[Row] = []
