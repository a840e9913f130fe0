"""The paper's graphs: where a user's copy may lie, and what the paper says of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.datasets import messenger
from shoal.datasets.irvine import irvine_file
from shoal.errors import InputError
from shoal.graph import Slice, TemporalGraph
from shoal.read import read

_ENRON = ("enron-jhu184/edges.csv.gz", "enron/edges.csv*", "enron.csv*")
_IRVINE = ("uci-collegemsg/edges.csv.gz", "CollegeMsg.txt*", "*/CollegeMsg.txt*")
_MIT = ("RelationshipsFromSurveys.csv", "*/RelationshipsFromSurveys.csv")


@dataclass(frozen=True)
class PaperSet:
    """One graph: the files it may lie in, how to read them, and the paper's count of its edges."""

    name: str
    files: tuple[str, ...]
    options: tuple[tuple[str, str], ...]
    paper_edges: int
    source: str


SETS = {
    one.name: one
    for one in (
        PaperSet(
            "MIT",
            _MIT,
            (("source", "id.A"), ("target", "id.B"), ("layer", "relationship")),
            7_055,
            "MIT Social Evolution, RelationshipsFromSurveys.csv, from its publisher",
        ),
        PaperSet("Enron months", _ENRON, (("slice", "1mo"),), 7_277, "Enron e-mail, the 151 most active addresses"),
        PaperSet("Enron weeks", _ENRON, (("slice", "1w"),), 13_080, "Enron e-mail, the 151 most active addresses"),
        PaperSet("Enron days", _ENRON, (("slice", "1d"),), 21_257, "Enron e-mail, the 151 most active addresses"),
        PaperSet("Irvine", _IRVINE, (("slice", "1w"),), 20_296, "messages of students at UC Irvine, 2004"),
    )
}


def find_file(name: str, data: Path | None) -> Path | None:
    """The user's copy of a set, or None. The Irvine messages may also come with the extra `demo`."""
    if data is not None:
        for pattern in SETS[name].files:
            for file in sorted(data.glob(pattern)):
                return file
    if name == "Irvine":
        try:
            return irvine_file()
        except InputError:
            return None
    return None


@lru_cache(maxsize=4)
def load(name: str, file: str | None) -> TemporalGraph:
    """A set by name; "messenger N" is the synthetic one of N people, in the place of Yahoo."""
    if name.startswith("messenger "):
        return messenger(int(name.split()[1]))
    assert file is not None
    return read(file, **reading_options(name, Path(file)))


def reading_options(name: str, file: Path) -> dict[str, Any]:
    """How to read this copy of a set."""
    options: dict[str, Any] = dict(SETS[name].options)
    if file.name == "collegemsg.csv.gz":
        options |= {"source": "Source", "target": "Target", "time": "Timestamp", "time_format": "%m/%d/%y %I:%M %p"}
    elif file.name.startswith("CollegeMsg.txt"):
        options |= {"dialect": "snap"}
    return options


def flickering(theta: float, n_nodes: int = 100, n_slices: int = 10, seed: int = 0) -> TemporalGraph:
    """The paper's synthetic graphs: every pair appears or disappears with probability theta from slice to slice.

    Half of the pairs are there at any time, so that independent slices (theta = ½) share half of every neighbourhood, which is
    the 0.5 the paper calls uncorrelated. With theta = 0 nothing changes, with theta = 1 every slice is the complement of the
    one before.
    """
    rng = np.random.default_rng([seed, round(1e6 * theta)])
    pairs = np.column_stack(np.triu_indices(n_nodes, 1)).astype(np.int32)
    on = rng.random(len(pairs)) < 0.5
    parts = []
    for _ in range(n_slices):
        parts.append(pairs[on])
        on ^= rng.random(len(pairs)) < theta
    starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    labels = [Slice(f"t{t:02}", None, f"t{t:02}") for t in range(n_slices)]
    return TemporalGraph(pl.Series(np.arange(n_nodes)), labels, np.concatenate(parts), starts)
