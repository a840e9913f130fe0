"""Data sets one can try the page with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class Demo(NamedTuple):
    """A title, a sentence, and a function that puts the file somewhere and says how to read it."""

    title: str
    about: str
    put: Callable[[Path], dict[str, Any]]


def _irvine(file: Path) -> dict[str, Any]:
    import shutil

    from shoal.datasets.irvine import irvine_file

    shutil.copyfile(irvine_file(), file)
    return {
        "dialect": "csv", "source": "Source", "target": "Target", "time": "Timestamp", "slice": "1w",
        "time_format": "%m/%d/%y %I:%M %p",
    }  # fmt: skip


def _office(file: Path) -> dict[str, Any]:
    """Some write much and most write little, to people at desks near by, on working days."""
    import random
    from datetime import date, timedelta

    chance = random.Random(1)  # noqa: S311 - made-up people
    busy = [min(chance.paretovariate(1.6), 20) for _ in range(240)]
    lines = ["source,target,time"]
    for day in range(70):
        when = date(2024, 1, 8) + timedelta(days=day)
        if when.weekday() < 5:
            for _ in range(60):
                a = chance.choices(range(240), busy)[0]
                b = (a + 1 + int(chance.expovariate(0.25))) % 240
                lines.append(f"employee-{a:03},employee-{b:03},{when.isoformat()}")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {"dialect": "csv", "source": "source", "target": "target", "time": "time", "slice": "1w"}


SETS = {
    "office": Demo("A made-up office", "240 made-up people who write to each other for ten weeks.", _office),
    "irvine": Demo(
        "Messages of students",
        "1,899 students of UC Irvine and their messages in 2004 (Panzarasa and others, 2009).",
        _irvine,
    ),
}
