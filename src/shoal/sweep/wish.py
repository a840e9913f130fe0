"""The question turned round: what may be learned and how right outbreaks must be are given, the release is looked for.

Finer slices go before coarser ones, and a larger k before a smaller one. Less is learned the larger k is, and outbreaks are
further off; so of each width and protection only the largest k, the smallest, and those that halve what lies between are tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shoal.common.words import plural
from shoal.errors import InputError
from shoal.sweep.cells import Cell

Try = Callable[[int], Cell]


@dataclass(frozen=True)
class Wish:
    """At most this may be learned (`Cell.learned`), and outbreaks be off by this (`Cell.outbreak_error`); None is no wish."""

    at_most_learned: float | None
    outbreak_within: float | None

    def learned_by(self, cell: Cell) -> float:
        """How far above the wish what is learned is; 0 or less where it holds."""
        return _above(
            cell, cell.learned, self.at_most_learned, "what is learned", "nothing can be learned or known of it"
        )

    def outbreak_by(self, cell: Cell) -> float:
        """How much further off outbreaks are than wished; 0 or less where they are not."""
        return _above(
            cell, cell.outbreak_error, self.outbreak_within, "outbreaks", "nothing spreads without an order in time"
        )

    def holds(self, cell: Cell) -> bool:
        """Whether both do."""
        return self.learned_by(cell) <= 0 and self.outbreak_by(cell) <= 0

    def best(self, attempt: Try, ks: list[int]) -> Cell | None:
        """The largest of these k, which rise, at which both hold; None where there seems to be none."""
        top = attempt(ks[-1])
        if self.holds(top):
            return top
        if self.learned_by(top) > 0 or self.outbreak_by(attempt(ks[0])) > 0:
            return None
        low, high = 0, len(ks) - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.outbreak_by(attempt(ks[middle])) <= 0 else (low, middle)
        found = attempt(ks[low])
        return found if self.holds(found) else None


def _above(cell: Cell, value: float | None, most: float | None, what: str, why: str) -> float:
    if most is None:
        return -math.inf
    if value is None:
        raise InputError(f"there is no answer about {what} for slice {cell.slice}: {why}")
    return value - most


@dataclass(frozen=True)
class Answer:
    """What came of a wish: the release that fulfils it or None, and the sentence about it."""

    wish: Wish
    cell: Cell | None
    tried: int
    words: str

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        best = None if self.cell is None else {name: getattr(self.cell, name) for name in ("slice", "against", "k")}
        return {
            "at_most_learned": self.wish.at_most_learned, "outbreak_within": self.wish.outbreak_within,
            "found": best, "tried": self.tried, "in_words": self.words,
        }  # fmt: skip


def answer(wish: Wish, cell: Cell | None, tried: list[Cell]) -> Answer:
    """The sentence: what was found, or which wish cannot be met and by how much."""
    count = f"{plural(len(tried), 'release')} tried"
    if cell is not None:
        words = f"{cell.setting()}: {_told(cell)}; no finer slices and no larger k were found that do ({count})"
    else:
        words = f"{_refusal(wish, tried)} ({count})"
    return Answer(wish, cell, len(tried), words)


def _told(cell: Cell) -> str:
    told = [] if cell.learned is None else [f"{cell.learned:.1%} is learned"]
    return ", ".join(
        [*told, *([] if cell.outbreak_error is None else [f"outbreaks are off by {cell.outbreak_error:.1%}"])]
    )


def _refusal(wish: Wish, tried: list[Cell]) -> str:
    """Which of the two cannot be met, by the release that comes nearest to it."""
    least, nearest = min(tried, key=wish.learned_by), min(tried, key=wish.outbreak_by)
    if wish.learned_by(least) > 0:
        return (
            f"the wish that at most {wish.at_most_learned:.1%} is learned cannot be met: of what was tried {least.setting()} "
            f"teaches least, {least.learned:.1%}, {_points(wish.learned_by(least))} too much"
        )
    if wish.outbreak_by(nearest) > 0:
        return (
            f"the wish that outbreaks are off by at most {wish.outbreak_within:.1%} cannot be met: of what was tried "
            f"{nearest.setting()} comes nearest, {nearest.outbreak_error:.1%}, {_points(wish.outbreak_by(nearest))} too much"
        )
    learns = min((c for c in tried if wish.outbreak_by(c) <= 0), key=wish.learned_by)
    spreads = min((c for c in tried if wish.learned_by(c) <= 0), key=wish.outbreak_by)
    return (
        f"each wish can be met and both together cannot: where outbreaks hold, {learns.setting()} teaches least, "
        f"{learns.learned:.1%}, {_points(wish.learned_by(learns))} too much; where at most {wish.at_most_learned:.1%} is learned, "
        f"{spreads.setting()} is off least, {spreads.outbreak_error:.1%}, {_points(wish.outbreak_by(spreads))} too much"
    )


def _points(share: float) -> str:
    return f"{100 * share:.1f} points"
