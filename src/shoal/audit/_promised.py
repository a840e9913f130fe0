"""The promise itself, for verify: everybody stands in a crowd as large as the strictest claim about them."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from shoal.audit._claims import Counted
from shoal.audit._crowds import count_together, everybody
from shoal.audit._released import Check, Released
from shoal.audit._traits import alike
from shoal.errors import InputError


class Part(NamedTuple):
    """A folder that could be read: what it claims, what is in it, and everybody's crowd by block, in the order of its table."""

    claims: dict[str, Any]
    released: Released
    sizes: np.ndarray
    counted: Counted


def check_promise(parts: list[Part], k: int | None, levels: dict[str, int] | None) -> tuple[list[Check], int, int, str]:
    """For all who are in any of the folders: the checks, the smallest crowd, the k of everybody, and what some have beyond."""
    names, sizes = parts[0].released.people, parts[0].sizes
    places = [np.arange(len(names))]
    if len(parts) > 1:
        tables = [part.released for part in parts]
        names, places = everybody(tables)
        first = [alike(part.claims, part.released) for part in parts]
        sizes = count_together(tables, places, first, len(names), directed=parts[0].claims["directed"])
    smallest = int(sizes.min(initial=len(names)))
    weakest = sizes.min(axis=0)  # over the blocks
    scope = f"over all {len(parts)} releases " if len(parts) > 1 else ""
    scope += f"within each of {len(sizes):,} blocks of the calendar " if len(sizes) > 1 else ""
    if levels is not None and set(levels) != set(names.to_list()):
        raise InputError("the private record is not that of this release: it names other people")
    wanted, by_count, proven = _strictest(parts, places, len(names), levels)
    low, high = (int(wanted.min()), int(wanted.max())) if len(names) else (1, 1)
    checks: list[Check] = []
    beyond: list[str] = []
    if levels is not None:
        fits = proven and not by_count
        detail = f"{len(levels):,} people" if fits else "so many people have other levels"
        checks.append(Check("the private record has the levels that the certificate counts", fits, detail))
    if low < high:
        whose = "their level" if proven else "the strictest claim about them"
        short = int((weakest < wanted).sum())
        detail = f"{short:,} do not" if short else f"{len(names):,} people, the smallest crowd has {smallest:,}"
        checks.append(Check(f"{scope}everybody stands in a crowd as large as {whose}", short == 0, detail))
        beyond.append(f"everybody has {whose}, up to {high}")
    for place, people in by_count:
        for level in sorted(people)[1:]:
            promised = sum(count for other, count in people.items() if other >= level)
            found = int((weakest[place] >= level).sum())
            what = f"at least {promised:,} people stand in crowds of at least {level}"
            detail = f"{found:,} do; who must, only the private record proves (--record)"
            checks.append(Check(scope + what, found >= promised, detail))
            beyond.append(what)
    beyond += ["who, only the private record proves"] if by_count else []
    for least in sorted({low, k or low}):
        exposed = int((weakest < least).sum())
        detail = f"the smallest crowd has {smallest:,}"
        detail += f"; {exposed:,} people are in a crowd below {least}" if exposed else ""
        what = "every degree vector"
        what += ", with the attributes it has," if any("attributes" in part.claims for part in parts) else ""
        checks.append(Check(f"{scope}{what} occurs at least {least} times", exposed == 0, detail))
    return checks, smallest, low, "; ".join(beyond)


def _strictest(
    parts: list[Part], places: list[np.ndarray], n: int, levels: dict[str, int] | None
) -> tuple[np.ndarray, list[tuple[np.ndarray, dict[int, int]]], bool]:
    """What is claimed for each person in any folder they are in; the folders of which only numbers of people are known;
    and whether the record proves who has which level in one of them.

    A record is believed only where as many people have each level as the certificate says: else anybody could ask for less.
    """
    wanted, by_count, proven = np.ones(n, np.int64), [], False
    for part, place in zip(parts, places, strict=True):
        people = {int(level): count for level, count in part.claims["people_by_k"].items()}
        own = [] if levels is None else [levels[name] for name in part.released.people.to_list()]
        least: Any = min(part.claims["k"], 2**62)
        if levels is not None and dict(Counter(own)) == people:
            least, proven = np.array(own, np.int64), True
        elif len(people) > 1:
            least = min(people)
            by_count.append((place, people))
        wanted[place] = np.maximum(wanted[place], least)
    return wanted, by_count, proven
