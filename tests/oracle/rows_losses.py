"""Rows of the oracle's table for losses, dropout, random numbers and creation."""

from __future__ import annotations

from judge import Row

ROWS: list[Row] = []
