"""Every option of `extend`, `sweep` and `audit` acts or is refused, for every kind of graph and for folders of Parquet.

Options that say where and how long work is done change no result, and are held by `tests/engine`.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from contextlib import nullcontext

import numpy as np
import polars as pl
import pytest
import typer.main

import shoal
from shoal import InputError
from shoal.audit import usual_attackers
from shoal.audit.learn import Known
from shoal.cli import app
from shoal.large import open_folder
from tests.command import shoal as command
from tests.test_making_table import KINDS, WHERE

# Option -> what it is set to, and the options beside it.
EXTENDING = {
    "allow": ("add", {}),
    "must_keep": (None, {}),
    "forbid": (None, {}),
    "exempt": ([0], {}),
    "contacts": ("counts", {}),
    "seed": (8, {}),
    "effort": ("fast", {}),
    "removal_weight": (5.0, {"density": "free"}),
    "density": ("free", {}),
    "shard_people": (20, {}),
}
SWEEPING = {
    "against": ("graph", {}),
    "known": (0.2, {}),
    "budget": (0.3, {"ks": (2,)}),
    "most_people": (True, {"ks": (2,), "budget": 0.3}),
    "left_out": ("exempt", {"ks": (2,), "budget": 0.3, "most_people": True}),
    "at_most_learned": (0.5, {}),
    "outbreak_within": (0.5, {}),
    "seed": (8, {}),
}
AUDITING = {
    "k": (3, {}),
    "horizon": (2, {}),
    "attackers": (usual_attackers(KINDS["in time"]())[:1], {}),
    "original": ("itself", {}),
    "known": (0.5, {"original": "itself"}),
    "groups": (np.arange(60) // 3, {"original": "itself", "known": 0.5}),
    "seed": (8, {"original": "itself", "known": Known(0.5, edges=True)}),
}


def _contacts(first, last, people, newcomers=0):
    rng = np.random.default_rng(first)
    days = [f"2024-01-{day:02}" for day in rng.integers(first, last + 1, 420)]
    ends = rng.integers(0, people, (420, 2))
    if newcomers:
        ends[:200] = rng.integers(people, people + newcomers, (200, 2))
    table = pl.DataFrame({"source": ends[:, 0], "target": ends[:, 1], "time": days})
    return table.filter(pl.col("source") != pl.col("target"))


EXTENDED = {
    "in time": {},
    "directed": {"directed": True},
    "folder": {},
}


@pytest.fixture(scope="module")
def earlier(tmp_path_factory):
    """For every kind a release, its record, and how the contacts of later days are opened."""
    found = {}
    for kind, options in EXTENDED.items():
        place, reading = tmp_path_factory.mktemp("earlier"), {"slice": "1d", "contacts": "counts"} | options
        first = shoal.TemporalGraph.from_edges(_contacts(1, 3, 60), **reading)
        shoal.anonymize(first, 3, seed=1, jobs=1).save(place / "first", private=place / "record.json", report=False)
        later = _contacts(4, 5, 60, newcomers=50)
        (place / "later").mkdir()
        later.write_parquet(place / "later" / "contacts.parquet")
        opened = lambda place=place, reading=reading: open_folder(place / "later", **reading, jobs=1)  # noqa: E731
        graph = shoal.TemporalGraph.from_edges(later, **reading)
        found[kind] = place, graph, opened if kind == "folder" else lambda graph=graph: nullcontext(graph)
    return found


def _extended(place, opened, options):
    try:
        with opened() as graph:
            release = shoal.extend(place / "first", graph, place / "record.json", **({"seed": 7} | options))
            drawn = None if release.graph.contacts is None else release.graph.contacts.counts.tolist()
            return release.graph.digest(), release.groups.tolist(), drawn
    except InputError as error:
        return "refused", str(error)


@pytest.fixture(scope="module")
def plainly_extended(earlier):
    """What is made of each kind without an option, which several rows are compared with."""
    return functools.cache(lambda kind, **others: _extended(earlier[kind][0], earlier[kind][2], others))


def test_the_tables_have_every_option():
    for called, table, beside in (
        (shoal.extend, EXTENDING, {"folder", "graph", "record"}),
        (shoal.sweep, SWEEPING, {"graphs", "ks", "folder", "options"}),  # a folder for results; options of `anonymize`
        (shoal.audit, AUDITING, {"graph"}),
    ):
        assert table.keys() == inspect.signature(called).parameters.keys() - WHERE - beside


@pytest.mark.parametrize(("kind", "option"), list(itertools.product(EXTENDED, EXTENDING)))
def test_every_option_of_extending_acts_or_is_refused(earlier, plainly_extended, kind, option):
    (place, graph, opened), (value, others) = earlier[kind], EXTENDING[option]
    before = plainly_extended(kind, **others)
    if option in ("must_keep", "forbid"):
        changed = shoal.extend(place / "first", graph, place / "record.json", seed=7, jobs=1).changes()
        value = [pair[:2] for pair in changed["removed" if option == "must_keep" else "added"][:3]]
    assert before[0] != "refused"
    assert _extended(place, opened, others | {option: value}) != before


def _swept(graph, options):
    """All that a sweep finds but its seconds. At k = 2 a release of one slice is the same whatever the seed."""
    try:
        found = shoal.sweep({"these": graph}, **({"ks": (3,), "effort": "fast"} | options)).to_dict()
    except InputError as error:
        return "refused", str(error)
    return [{**cell, "seconds": 0} for cell in found.pop("cells")], found


@functools.cache
def _plainly_swept(kind, **others):
    return _swept(KINDS[kind](), others)


@pytest.mark.parametrize(("kind", "option"), list(itertools.product(KINDS, SWEEPING)))
def test_every_option_of_sweeping_acts_or_is_refused(kind, option):
    value, others = SWEEPING[option]
    before = _plainly_swept(kind, **others)
    assert before[0] == "refused" or _swept(KINDS[kind](), others | {option: value}) != before


def _audited(graph, options):
    options = {name: graph if isinstance(value, str) else value for name, value in options.items()}
    try:
        return shoal.audit(graph, jobs=1, **options).to_dict()
    except InputError as error:
        return str(error)


@pytest.mark.parametrize(("kind", "option"), list(itertools.product(KINDS, AUDITING)))
def test_every_option_of_auditing_acts_or_is_refused(kind, option):
    graph, (value, others) = KINDS[kind](), AUDITING[option]
    before, after = _audited(graph, others), _audited(graph, others | {option: value})
    assert isinstance(before, str) or after != before


@pytest.mark.parametrize(
    "options",
    [("--known", 0.5), ("--known-edges", 0.5), ("--known-layers", "a"), ("--same-ids",), ("--groups-known",)],
)
def test_what_needs_an_original_is_refused_without_one(tmp_path, options):
    _contacts(1, 3, 60).write_csv(tmp_path / "contacts.csv")
    answer = command("audit", tmp_path / "contacts.csv", "--slice", "1d", *options)
    assert answer.returncode == 2
    assert "--original" in answer.stderr


REFUSED = {
    "original": "FILE", "record": "FILE", "same_ids": None, "known": 0.5, "known_edges": 0.5, "known_layers": "a",
    "known_contacts": "FILE", "strength": None, "groups_known": None, "seed": 1,
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_folder_refuses_what_is_for_a_file(tmp_path, name):
    """All other options of `audit` are about reading, the engine, k and what is printed."""
    (tmp_path / "contacts").mkdir()
    file = tmp_path / "contacts" / "contacts.parquet"
    _contacts(1, 3, 60).write_parquet(file)
    value = [file if REFUSED[name] == "FILE" else REFUSED[name]] if REFUSED[name] is not None else []
    option = f"--{name.replace('_', '-')}"
    answer = command("audit", tmp_path / "contacts", "--slice", "1d", option, *value)
    assert answer.returncode == 2, answer.stdout
    assert option in answer.stderr


def test_every_option_of_the_command_is_refused_for_a_folder_or_held_elsewhere():
    of_reading = inspect.signature(shoal.read).parameters.keys() - {"path", "contacts"}
    beside = {"input", "other", "k", "json", "quiet", "scheduler", "jobs", "engine", "worker_memory"}
    assert {one.name for one in typer.main.get_command(app).commands["audit"].params} - {"help"} == (
        REFUSED.keys() | of_reading | beside
    )
