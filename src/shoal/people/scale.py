"""A column of people that is published: its values, and what each may be merged into, up to `*`, which is anything."""

from __future__ import annotations

import csv
import itertools
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shoal.common.checks import shown
from shoal.errors import InputError
from shoal.read.text import load_text

ANY = "*"


@dataclass(frozen=True, eq=False)
class Scale:
    """`codes[step][i]` is what person i is called at a step, a place in `names[step]`; at the last step everybody is `*`.

    A `fixed` column is published as it is.
    """

    name: str
    names: tuple[tuple[str, ...], ...]
    codes: np.ndarray
    fixed: bool = False

    @property
    def top(self) -> int:
        """The step of `*`."""
        return len(self.names) - 1


def parse_attribute(text: str) -> tuple[str, float | None, bool]:
    """'age:10' is the column age cut into tens; 'sex!' is a column whose values are never merged.

    >>> parse_attribute("age:10"), parse_attribute("sex!")
    (('age', 10.0, False), ('sex', None, True))
    """
    found = re.fullmatch(r"\s*(.+?)\s*(?::\s*(\d+(?:\.\d+)?))?\s*(!?)\s*", text) if isinstance(text, str) else None
    if found is None or (found[2] is not None and float(found[2]) <= 0):
        raise InputError(
            f"an attribute is a column, such as sex, or one with a width, such as age:10; got {shown(text)}"
        )
    return found[1], None if found[2] is None else float(found[2]), bool(found[3])


def make_scale(
    name: str, values: list[str | None], *, width: float | None, fixed: bool, hierarchy: dict[str, list[str]] | None
) -> Scale:
    """The steps of a column: as it is or cut by a width, then those of the hierarchy, then `*`; a missing value is `*`."""
    plain = [ANY if value is None or value.strip() in ("", ANY) else value.strip() for value in values]
    first = plain if width is None else [value if value == ANY else _cut(name, value, width) for value in plain]
    ladders = [first]
    if hierarchy is not None:
        unknown = sorted({value for value in first if value != ANY} - hierarchy.keys())
        if unknown:
            raise InputError(
                f"the hierarchy of '{name}' does not know {shown(unknown[0])}; {len(unknown):,} values are missing"
            )
        steps = len(next(iter(hierarchy.values())))
        ladders += [[ANY if value == ANY else hierarchy[value][step] for value in first] for step in range(steps)]
    ladders = [ladder for ladder in ladders if set(ladder) != {ANY}] + [[ANY] * len(plain)]
    names, codes = [], []
    for ladder in ladders:
        listed = tuple(sorted(set(ladder)))
        place = {value: i for i, value in enumerate(listed)}
        names.append(listed)
        codes.append([place[value] for value in ladder])
    return Scale(name, tuple(names), np.array(codes, np.int64).reshape(len(ladders), len(plain)), fixed)


def _cut(name: str, value: str, width: float) -> str:
    """The stretch of this width that a number lies in: 37 by 10 is 30-39, by 2.5 it is [35, 37.5)."""
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not abs(number) < 1e15:
        raise InputError(f"column '{name}' is to be cut by {width:g}, and {shown(value)} is no number")
    low = int(number // width)
    if width == int(width):
        return f"{low * int(width)}-{(low + 1) * int(width) - 1}" if width > 1 else f"{low}"
    return f"[{low * width:g}, {(low + 1) * width:g})"


def read_hierarchy(path: Path) -> dict[str, list[str]]:
    """What each value is merged into, step by step: a line for each, as ARX writes it (a;b;c or a,b,c, without a header)."""
    text = load_text(path).decode()
    mark = ";" if ";" in text.split("\n", 1)[0] else ","
    found: dict[str, list[str]] = {}
    above: dict[tuple[int, str], str] = {}
    for line, row in enumerate(csv.reader(text.splitlines(), delimiter=mark), start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        first = next(iter(found.values()), cells[1:])
        if len(cells) < 2 or len(cells) - 1 != len(first) or not all(cells):
            raise InputError(
                f"{path}, line {line}: a value and {len(first):,} steps above it expected, as in the first line"
            )
        if cells[0] in found:
            raise InputError(f"{path}, line {line}: the value {shown(cells[0])} occurs twice")
        for step, (one, other) in enumerate(itertools.pairwise(cells)):
            if above.setdefault((step, one), other) != other:
                raise InputError(f"{path}, line {line}: {shown(one)} is merged into two different values")
        found[cells[0]] = cells[1:]
    return found
