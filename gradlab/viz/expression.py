"""Expressions of op records as text and as TeX, with the names of real nodes put in: "x ** y" becomes "error²".

An expression is parsed once, constants that are known are put in and reduced (y·x^(y−1) with y = 2 is 2·x), and the tree is
written with as few parentheses as its meaning allows. Tables say how each operator looks in each style.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from gradlab.viz.text import compact

ANY, CONDITION, COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(8)


class Term(NamedTuple):
    """A piece of formula and how tightly its outermost operator binds (ATOM: never in parentheses)."""

    text: str
    level: int


Operands = Mapping[str, "Term | float"]
_IDENTIFIER = re.compile(r"[^\W\d][\w.′'ᵀ\[\]]*|∂?\w+|√\w+|[\w.]+\(\w*\)", re.UNICODE)
_SUPERSCRIPTS = str.maketrans("0123456789−+n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ")
_GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "theta": "θ",
    "sigma": "σ",
    "mu": "μ",
    "pi": "π",
}


@dataclass(frozen=True)
class Style:
    """How operators look: template and level of the result, and the level that the left and the right side need."""

    binary: Mapping[type, tuple[str, int, int, int]]
    compare: Mapping[type[ast.cmpop], str]
    calls: Mapping[str, tuple[str, int, int]]
    minus: str
    condition: str
    parentheses: str
    superscripts: bool


_COMPARE: Mapping[type[ast.cmpop], str] = {
    ast.Gt: ">",
    ast.Lt: "<",
    ast.Eq: "=",
    ast.GtE: "≥",
    ast.LtE: "≤",
    ast.NotEq: "≠",
}
UNICODE = Style(
    binary={
        ast.Add: ("{} + {}", SUM, SUM, PRODUCT),
        ast.Sub: ("{} − {}", SUM, SUM, PRODUCT),
        ast.Mult: ("{}·{}", PRODUCT, PRODUCT, POWER),
        ast.Div: ("{} / {}", PRODUCT, PRODUCT, POWER),
        ast.Mod: ("{} mod {}", PRODUCT, PRODUCT, POWER),
        ast.MatMult: ("{} @ {}", PRODUCT, PRODUCT, POWER),
        ast.Pow: ("{}^{}", POWER, ATOM, ATOM),
    },
    compare=_COMPARE,
    calls={
        "sqrt": ("√{}", POWER, ATOM),
        "abs": ("|{}|", ATOM, ANY),
        "transpose": ("{}ᵀ", ATOM, ATOM),
        "sigmoid": ("σ({})", ATOM, ANY),
    },
    minus="−{}",
    condition="{} if {} else {}",
    parentheses="({})",
    superscripts=True,
)
TEX = Style(
    binary={
        ast.Add: ("{} + {}", SUM, SUM, PRODUCT),
        ast.Sub: ("{} - {}", SUM, SUM, PRODUCT),
        ast.Mult: (r"{} \cdot {}", PRODUCT, PRODUCT, POWER),
        ast.Div: (r"\frac{{{}}}{{{}}}", ATOM, ANY, ANY),
        ast.Mod: (r"{} \bmod {}", PRODUCT, PRODUCT, POWER),
        ast.MatMult: (r"{} \, {}", PRODUCT, PRODUCT, POWER),
        ast.Pow: ("{}^{{{}}}", POWER, ATOM, ANY),
    },
    compare={**_COMPARE, ast.GtE: r"\ge", ast.LtE: r"\le", ast.NotEq: r"\ne"},
    calls={
        "sqrt": (r"\sqrt{{{}}}", ATOM, ANY),
        "abs": (r"\left|{}\right|", ATOM, ANY),
        "transpose": (r"{}^{{\top}}", POWER, ATOM),
        "sigmoid": (r"\sigma\left({}\right)", ATOM, ANY),
        "exp": ("e^{{{}}}", POWER, ANY),
        **{
            name: (rf"\{name}\left({{}}\right)", ATOM, ANY)
            for name in ("log", "sin", "cos", "tan", "tanh", "max", "min")
        },
    },
    minus="-{}",
    condition=r"{} \;\text{{if}}\; {} \;\text{{else}}\; {}",
    parentheses=r"\left({}\right)",
    superscripts=False,
)


def name_term(name: str) -> Term:
    """A node's name as a piece of formula: a plain word stands alone, anything else gets parentheses where it must."""
    return Term(name, ATOM if _IDENTIFIER.fullmatch(name) else ANY)


def tex_name(name: str) -> str:
    """A name in TeX: one letter in italics, more upright, digits at the end as an index, everything special escaped."""
    match = re.fullmatch(r"([A-Za-z]+?)_?(\d+)", name)
    stem, index = match.groups() if match else (name, "")
    escaped = re.sub(r"[\\{}$&#^_%~]", lambda m: _TEX_ESCAPES.get(m.group(), "\\" + m.group()), stem)
    body = (
        escaped if len(stem) == 1 else rf"\mathrm{{{escaped}}}" if stem.isalnum() else rf"\text{{{escaped}}}"
    )
    return f"{body}_{{{index}}}" if index else body


_TEX_ESCAPES = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}


def write(expression: str, operands: Operands, style: Style = UNICODE, reduce: bool = False) -> Term:
    """`expression` in `style`, with operands in place of its argument names. `reduce` works known numbers out.

    Example: `write("y * x**(y - 1)", {"x": name_term("error"), "y": 2.0}, reduce=True).text` gives `"2·error"`.
    """
    numbers = {name: value for name, value in operands.items() if reduce and not isinstance(value, Term)}
    tree = _Reduce(numbers).visit(deepcopy(_parse(expression))) if numbers else _parse(expression)
    return _term(tree, operands, style)


@lru_cache(maxsize=1024)
def _parse(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body


class _Reduce(ast.NodeTransformer):
    """Put known numbers in, and take out what they make pointless: ·1, +0, ^1."""

    def __init__(self, numbers: Mapping[str, float]) -> None:
        self.numbers = numbers

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(self.numbers[node.id]) if node.id in self.numbers else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        left, right = _number(node.left), _number(node.right)
        fold = _FOLD.get(type(node.op))
        if fold is not None and left is not None and right is not None:
            return ast.Constant(fold(left, right))
        neutral_left, neutral_right = _NEUTRAL.get(type(node.op), (None, None))
        if right is not None and right == neutral_right:
            return node.left
        return node.right if left is not None and left == neutral_left else node


_FOLD: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
}
_NEUTRAL: Mapping[type, tuple[float | None, float | None]] = {
    ast.Add: (0, 0),
    ast.Sub: (None, 0),
    ast.Mult: (1, 1),
    ast.Div: (None, 1),
    ast.Pow: (None, 1),
}


def _number(node: ast.expr) -> float | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    return None


def _term(node: ast.expr, operands: Operands, style: Style) -> Term:
    writer = _WRITERS.get(type(node))
    return writer(node, operands, style) if writer else Term(ast.unparse(node), ANY)


def _inside(node: ast.expr, least: int, operands: Operands, style: Style) -> str:
    """A part of a formula, in parentheses if it binds less tightly than its place needs."""
    text, level = _term(node, operands, style)
    return text if level >= least else style.parentheses.format(text)


def _write_name(node: ast.Name, operands: Operands, style: Style) -> Term:
    operand = operands.get(node.id)
    if operand is None:
        return Term(_GREEK.get(node.id, node.id), ATOM)
    return operand if isinstance(operand, Term) else number_term(operand)


def number_term(value: float) -> Term:
    """A number in a formula; a negative one needs parentheses where a sign would."""
    text = compact(value)
    return Term(text, SIGN if text.startswith("−") else ATOM)


def _write_constant(node: ast.Constant, operands: Operands, style: Style) -> Term:
    return number_term(node.value) if isinstance(node.value, (int, float)) else Term(str(node.value), ATOM)


def _write_binary(node: ast.BinOp, operands: Operands, style: Style) -> Term:
    template, level, left, right = style.binary[type(node.op)]
    base = _inside(node.left, left, operands, style)
    if isinstance(node.op, ast.Pow) and style.superscripts:
        exponent = _term(node.right, operands, style).text
        raised = exponent.translate(_SUPERSCRIPTS)
        if re.fullmatch("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻ⁿ]+", raised):
            return Term(base + raised, level)
    return Term(template.format(base, _inside(node.right, right, operands, style)), level)


def _write_unary(node: ast.UnaryOp, operands: Operands, style: Style) -> Term:
    if isinstance(node.op, ast.USub):
        return Term(style.minus.format(_inside(node.operand, PRODUCT, operands, style)), SIGN)
    return Term(f"not {_inside(node.operand, SIGN, operands, style)}", COMPARISON)


def _write_compare(node: ast.Compare, operands: Operands, style: Style) -> Term:
    sign = style.compare[type(node.ops[0])]
    left, right = (_inside(side, SUM, operands, style) for side in (node.left, node.comparators[0]))
    return Term(f"{left} {sign} {right}", COMPARISON)


def _write_condition(node: ast.IfExp, operands: Operands, style: Style) -> Term:
    body, test = (_inside(part, COMPARISON, operands, style) for part in (node.body, node.test))
    return Term(
        style.condition.format(body, test, _inside(node.orelse, CONDITION, operands, style)), CONDITION
    )


def _write_call(node: ast.Call, operands: Operands, style: Style) -> Term:
    name = ast.unparse(node.func)
    template, level, least = style.calls.get(name, ("", ATOM, ANY))
    texts = ", ".join(_inside(arg, least, operands, style) for arg in node.args)
    if template:
        return Term(template.format(texts), level)
    head = name if style.superscripts else rf"\operatorname{{{name}}}"
    return Term(head + style.parentheses.format(texts), ATOM)


def _write_subscript(node: ast.Subscript, operands: Operands, style: Style) -> Term:
    base = _inside(node.value, ATOM, operands, style)
    return Term(f"{base}[{_term(node.slice, operands, style).text}]", ATOM)


_WRITERS: Mapping[type, Callable[..., Term]] = {
    ast.Name: _write_name,
    ast.Constant: _write_constant,
    ast.BinOp: _write_binary,
    ast.UnaryOp: _write_unary,
    ast.Compare: _write_compare,
    ast.IfExp: _write_condition,
    ast.Call: _write_call,
    ast.Subscript: _write_subscript,
}
