"""Words as an answer: one of several options, a set of names, or names in an order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from gradlab.lessons import speech
from gradlab.lessons.plan import Unfit

_SIGNS = str.maketrans({"*": "·", "×": "·", "−": "-", "–": "-", "’": "'", "“": '"', "”": '"'})


def folded(text: str) -> str:
    """Text as it is compared: without case, spaces, final full stop, and with one sign for multiplication."""
    return "".join(text.translate(_SIGNS).casefold().split()).strip(".\"'`")


def name_of(value: Any) -> str | None:
    """The name in a word or a labelled node."""
    if isinstance(value, str):
        return value
    label = getattr(value, "label", "") if speech.is_node(value) else ""
    return label or None


@dataclass(frozen=True)
class Choice:
    """One of several options. `options` maps each answer to its text; `synonyms` maps further words to an answer."""

    options: Mapping[str, str]
    compute: Callable[[], str]
    synonyms: Mapping[str, str] = field(default_factory=dict)

    @property
    def wants(self) -> str:
        """The words to choose from."""
        return "one of " + speech.listed([f'`"{option}"`' for option in self.options], "or")

    def expected(self) -> str:
        """The right option."""
        return self.compute()

    def _table(self) -> dict[str, str]:
        texts = {folded(text): option for option, text in self.options.items() if text}
        return (
            texts
            | {folded(word): o for word, o in self.synonyms.items()}
            | {folded(o): o for o in self.options}
        )

    def read(self, value: Any) -> str | Unfit:
        """The option that was meant, by its word, its text or a synonym."""
        if isinstance(value, list | tuple | set) and len(value) == 1:
            value = next(iter(value))
        if not isinstance(value, str):
            return Unfit(
                f"A word in quotation marks is wanted, {self.wants}. This is {speech.described(value)}."
            )
        table, word = self._table(), folded(value)
        if word in table:
            return table[word]
        meant = get_close_matches(word, table, n=1, cutoff=0.75)
        guess = f' Did you mean `"{table[meant[0]]}"`?' if meant else ""
        return Unfit(f"{speech.quoted(value)} is not among the answers. Give {self.wants}.{guess}")

    def same(self, one: str, other: str) -> bool:
        """The same option."""
        return one == other

    def near(self, given: str, expected: str) -> Unfit | None:
        """Options are right or wrong."""
        return None

    def show(self, answer: str) -> str:
        """The option, with its text when it has one."""
        text = self.options[answer]
        return f"“{answer}”" if not text or folded(text) == folded(answer) else f"“{answer}”: {text}"


def read_names(value: Any, known: Sequence[str], what: str) -> list[str] | Unfit:
    """Names out of a list, a tuple, a set, one text with commas, or labelled nodes; each one that is known."""
    if isinstance(value, str):
        value = [part for part in value.replace("→", ",").split(",") if part.strip()]
    if isinstance(value, Mapping) or not isinstance(value, Iterable) or speech.is_node(value):
        return Unfit(
            f'{what} in a list are wanted, such as `["{known[0]}", …]`. This is {speech.described(value)}.'
        )
    items = list(value)
    if not items:
        return Unfit("The list is empty, and at least one name belongs in it.")
    if any(item is Ellipsis for item in items):
        return Unfit("Put a name in place of each `...`.", "not attempted")
    names, table = [], {folded(name): name for name in known}
    for item in items:
        name = name_of(item)
        if name is None:
            return Unfit(
                f"Each thing in the list should be a name in quotation marks; one is {speech.described(item)}."
            )
        if folded(name) not in table:
            return Unfit(
                f"There is no {speech.quoted(name)} here. The names are {speech.listed(speech.code(known))}."
            )
        names.append(table[folded(name)])
    twice = sorted({name for name in names if names.count(name) > 1}, key=names.index)
    if twice:
        return Unfit(f"{speech.listed(speech.code(twice))} stands there twice. Each name counts once.")
    return names


@dataclass(frozen=True)
class Names:
    """A set of names out of `known`, in any order."""

    known: tuple[str, ...]
    compute: Callable[[], Iterable[str]]
    wants: str = "a list of names"

    def expected(self) -> frozenset[str]:
        """The right names."""
        return frozenset(self.compute())

    def read(self, value: Any) -> frozenset[str] | Unfit:
        """The names that were given."""
        names = read_names(value, self.known, "Names")
        return names if isinstance(names, Unfit) else frozenset(names)

    def same(self, one: frozenset[str], other: frozenset[str]) -> bool:
        """The same names."""
        return one == other

    def near(self, given: frozenset[str], expected: frozenset[str]) -> Unfit | None:
        """Some of the right names, or one too many: said by number and by the ones that do not belong, never by what is missing."""
        right, extra, missing = given & expected, sorted(given - expected), len(expected - given)
        if not right:
            return None
        if not extra:
            verb = "is" if missing == 1 else "are"
            return Unfit(f"Every name you gave belongs there, and {missing} more {verb} missing.", "partly")
        belongs = "does not belong" if len(extra) == 1 else "do not belong"
        rest = f", and {missing} {'is' if missing == 1 else 'are'} missing" if missing else ""
        return Unfit(
            f"{speech.listed(speech.code(extra))} {belongs} there{rest}. The others are right.",
            "partly",
            extra[0],
        )

    def show(self, answer: frozenset[str]) -> str:
        """The names, in the order in which they are known."""
        return speech.listed(speech.code(name for name in self.known if name in answer))


@dataclass(frozen=True)
class Order:
    """All of `known` in an order that `needs` allows: it maps each name to the names that must come before it."""

    known: tuple[str, ...]
    needs: Callable[[], Mapping[str, Iterable[str]]]
    wants: str = "a list of names in order"

    def expected(self) -> tuple[str, ...]:
        """One right order: each name as soon as everything it needs is there."""
        needs = {name: set(before) & set(self.known) for name, before in self.needs().items()}
        order: list[str] = []
        while len(order) < len(self.known):
            order += [
                name for name in self.known if name not in order and needs.get(name, set()) <= set(order)
            ][:1]
        return tuple(order)

    def read(self, value: Any) -> tuple[str, ...] | Unfit:
        """The order that was given, with every name in it."""
        if isinstance(value, set | frozenset):
            return Unfit("A set in curly brackets has no order. Use a list in square brackets.")
        names = read_names(value, self.known, "Names in order")
        if isinstance(names, Unfit):
            return names
        missing = [name for name in self.known if name not in names]
        if missing:
            many = speech.counted(len(missing), "name")
            return Unfit(
                f"{many} of {len(self.known)} {'is' if len(missing) == 1 else 'are'} still missing.", "partly"
            )
        return tuple(names)

    def too_early(self, order: Sequence[str]) -> tuple[str, str] | None:
        """The first name that stands before one it needs, and that one."""
        needs, seen = self.needs(), set()
        for name in order:
            for before in needs.get(name, ()):
                if before in self.known and before not in seen:
                    return name, before
            seen.add(name)
        return None

    def same(self, one: Sequence[str], other: Sequence[str]) -> bool:
        """Equal, or both allowed: several orders can be right."""
        return one == other or (self.too_early(one) is None and self.too_early(other) is None)

    def near(self, given: Sequence[str], expected: Sequence[str]) -> Unfit | None:
        """Backwards, or one name too early."""
        if tuple(given) == tuple(reversed(expected)):
            return Unfit(
                "This is the order backwards: it starts where the calculation ends.", "incorrect", given[0]
            )
        early = self.too_early(given)
        if early is None:
            return None
        return Unfit(
            f"`{early[0]}` needs `{early[1]}`, which comes later in your list.", "incorrect", early[0]
        )

    def show(self, answer: Sequence[str]) -> str:
        """The names with arrows between them."""
        return " → ".join(speech.code(answer))
