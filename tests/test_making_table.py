"""Every option of `anonymize` acts or is refused, for every kind of graph, in memory or in a folder: a table of all of them.

A new option is a row of `MAKING`, or of `WHERE` if it says where and how long work is done and not what is released.
"""

from __future__ import annotations

import inspect
import itertools
from contextlib import nullcontext

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import InputError, TemporalGraph
from shoal.large import open_folder

PEOPLE = 60


def _rows(directed=False, **columns):
    rng = np.random.default_rng(5)
    size = np.minimum(rng.integers(0, PEOPLE, 420), rng.integers(0, PEOPLE, 420))
    frame = pl.DataFrame({"source": size, "target": rng.integers(0, PEOPLE, 420)})
    frame = frame.with_columns(**{name: pl.Series(values(rng)) for name, values in columns.items()})
    return frame.filter(pl.col("source") != pl.col("target"))


def _days(rng):
    return [f"2024-01-{day:02}" for day in rng.integers(1, 6, 420)]


KINDS = {
    "in time": lambda: TemporalGraph.from_edges(_rows(time=_days), slice="1d", contacts="counts"),
    "directed": lambda: TemporalGraph.from_edges(_rows(time=_days), slice="1d", directed=True, contacts="counts"),
    "one slice": lambda: TemporalGraph.from_edges(_rows(), contacts="counts"),
    "layers": lambda: TemporalGraph.from_edges(
        _rows(layer=lambda rng: rng.choice(["a", "b", "c"], 420)), layer="layer", contacts="counts"
    ),
}
TABLE = pl.DataFrame({"node": range(PEOPLE), "sex": ["f", "m"] * (PEOPLE // 2), "ill": ["no", "no", "yes"] * 20})
KNOWN = {"people": TABLE, "attributes": ["sex"]}
# Option -> what it is set to, and the options beside it.
MAKING = {
    "k": (5, {}),
    "protect": ([0, 1, 2], {}),
    "horizon": (2, {}),
    "against": ("graph", {}),
    "move": ("tie", {"against": "graph"}),
    "allow": ("add", {}),
    "must_keep": (None, {"exempt": [50]}),
    "forbid": (None, {"exempt": [50]}),
    "exempt": ([0], {"k": 2}),
    "contacts": ("counts", {}),
    "protect_counts": (True, {"contacts": "counts"}),
    "people": (TABLE.with_columns(sex=pl.col("sex").sort()), KNOWN),
    "attributes": (["ill"], KNOWN),
    "hierarchies": ({"sex": {"f": ["any"], "m": ["any"]}}, KNOWN | {"k": 31}),
    "sensitive": ("ill", KNOWN),
    "diverse": (2, KNOWN | {"sensitive": "ill"}),
    "stratum": (40, KNOWN),
    "method": ("greedy", {}),
    "seed": (8, {}),
    "effort": ("balanced", {}),
    "time_limit": (0.0, {}),
    "objective": ("l1", {"density": "free"}),
    "removal_weight": (5.0, {"density": "free"}),
    "density": ("free", {}),
    "restarts": (1, {"method": "greedy"}),
    "shard_people": (20, {}),
}
WHERE = {"jobs", "engine", "worker_memory", "work_dir", "resume", "progress"}  # held by tests/engine

# One slice and one k is solved exactly, whole and at once: no time runs out, and nothing is cut.
SOLVED = {("one slice", option) for option in ("time_limit", "shard_people")}


def test_the_table_has_every_option_of_making():
    assert MAKING.keys() | WHERE == inspect.signature(shoal.anonymize).parameters.keys() - {"graph"}


@pytest.fixture(scope="module")
def graphs(tmp_path_factory):
    """A graph of every kind; that of a folder, which serves one release, is opened when it is needed."""
    place = tmp_path_factory.mktemp("contacts")
    _rows(time=_days).write_parquet(place / "contacts.parquet")
    return {name: make() for name, make in KINDS.items()} | {
        "folder": lambda: open_folder(place, slice="1d", contacts="counts", jobs=1)
    }


def _made(source, options):
    """All that a release is, or the refusal."""
    quick = {} if "method" in options else {"effort": "fast"}  # the paper's methods have none
    jobs = {} if callable(source) else {"jobs": 1}  # a folder was opened with them
    with source() if callable(source) else nullcontext(source) as graph:
        try:
            return _told(shoal.anonymize(graph, **({"k": 3, "seed": 7} | jobs | quick | options)))
        except InputError as error:
            return "refused", str(error)


def _told(release):
    drawn = None if release.graph.contacts is None else release.graph.contacts.counts.tolist()
    traits = None if release.traits is None else release.traits.columns
    promise = release.promise
    return (
        release.graph.digest(),
        promise.levels.tolist(),
        promise.blocks.tolist(),
        drawn,
        traits,
        release.groups.tolist(),
        release.rounds,
    )


@pytest.fixture(scope="module")
def plain(graphs):
    """What is made of each kind where nothing is asked for, which most rows are compared with."""
    return {kind: _made(graph, {}) for kind, graph in graphs.items()}


@pytest.mark.parametrize(("kind", "option"), list(itertools.product([*KINDS, "folder"], MAKING)))
def test_every_option_of_making_acts_or_is_refused(graphs, plain, kind, option):
    graph, (value, others) = graphs[kind], MAKING[option]
    before = _made(graph, others) if others else plain[kind]
    if before[0] == "refused":
        pytest.fail(before[1])
    if option in ("must_keep", "forbid"):
        same_contacts = graphs["in time"] if kind == "folder" else graph
        changed = shoal.anonymize(same_contacts, 3, seed=7, jobs=1, effort="fast", **others).changes()
        value = [pair[:2] for pair in changed["removed" if option == "must_keep" else "added"][:3]]
    same = _made(graph, others | {option: value}) == before
    assert same == ((kind, option) in SOLVED)


@pytest.mark.parametrize(
    ("option", "others"),
    [
        *(
            ({name: MAKING[name][0]}, {})
            for name in ("restarts", "people", "stratum", "hierarchies", "diverse", "move")
        ),
        ({"effort": "fast"}, {"method": "greedy"}),
        ({"removal_weight": 5.0}, {"objective": "l1"}),
        ({"density": "keep"}, {"method": "greedy"}),
        ({"shard_people": 20}, {"method": "greedy"}),
        ({"shard_people": 20}, {"exempt": [50]}),
        ({"stratum": 40}, {"people": TABLE, "sensitive": "ill"}),
    ],
)
def test_what_another_option_leaves_without_effect_is_refused(graphs, option, others):
    assert _made(graphs["in time"], others)[0] != "refused"
    assert _made(graphs["in time"], others | option)[0] == "refused"
