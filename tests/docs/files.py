"""The small files the examples read, where a page does not make its own."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl

PEOPLE = ["ann", "bob", "cem", "dia", *(f"p{i:02}" for i in range(36))]


def prepare(folder: Path) -> None:
    """Write every file the examples name."""
    for name in ("messages", "retweets", "calls", "contacts", "mail", "2024"):
        _contacts(folder / f"{name}.csv", datetime(2024, 4, 29), seed=1)
    _contacts(folder / "2025.csv", datetime(2025, 1, 6), seed=2)
    levels = "".join(f"{name},{(1, 3, 5)[i % 3]}\n" for i, name in enumerate(PEOPLE))
    (folder / "people.csv").write_text("id,level\n" + levels)
    ages = "".join(f"{name},{'fm'[i % 2]},{20 + i},{'abc'[i % 3]},{'xyz'[i % 3]}\n" for i, name in enumerate(PEOPLE))
    (folder / "persons.csv").write_text("id,sex,age,department,diagnosis\n" + ages)
    (folder / "patients.csv").write_text("id\nann\nbob\n")
    (folder / "staff.csv").write_text("id\ndia\n")
    (folder / "edges.csv").write_text("source,target,slice\nann,bob,2024-04-29\n")
    (folder / "pairs.csv").write_text("source,target\nann,cem\n")
    (folder / "contacts").mkdir()
    numbered = pl.read_csv(folder / "messages.csv", try_parse_dates=True)
    numbered.with_columns(pl.col("source", "target").replace_strict(PEOPLE, list(range(len(PEOPLE))))).write_parquet(
        folder / "contacts" / "all.parquet"
    )


def _contacts(file: Path, first: datetime, seed: int) -> None:
    """Four weeks of contacts among people of unequal activity; Ann writes to Bob on the third day."""
    rng = np.random.default_rng(seed)
    activity = rng.pareto(1.5, len(PEOPLE)) + 0.5
    ends = rng.choice(len(PEOPLE), (250, 2), p=activity / activity.sum())
    minutes = np.sort(rng.integers(0, 28 * 24 * 60, len(ends)))
    rows = [("ann", "bob", first + timedelta(days=2, hours=9))]
    rows += [
        (PEOPLE[u], PEOPLE[v], first + timedelta(minutes=int(m)))
        for (u, v), m in zip(ends, minutes, strict=True)
        if u != v
    ]
    file.write_text("source,target,time\n" + "".join(f"{u},{v},{t:%Y-%m-%dT%H:%M}\n" for u, v, t in rows))
