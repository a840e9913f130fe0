"""Every option acts or is refused, for every kind of input: a table of all of them.

A new kind of input is a function in `KINDS`; a new option of reading is a row of `READING`. An option that is neither refused
nor changes anything is one that somebody believes in for nothing.
"""

from __future__ import annotations

import inspect
import itertools
import sqlite3
from contextlib import nullcontext

import polars as pl
import pytest
import typer.main

import shoal
from shoal import InputError
from shoal.cli import app
from shoal.large import open_folder

# Two ways to read every column, so that every option has something to change.
ROWS = {
    "source": ["ann", "bob", "cem", "dia", "ann", "eve"],
    "target": ["bob", "cem", "dia", "ann", "cem", "ann"],
    "time": ["01/02/2021", "02/02/2021", "03/02/2021", "04/02/2021", "05/03/2021", "06/03/2021"],
    "other": ["cem", "dia", "ann", "bob", "eve", "bob"],
    "seconds": ["1612209600", "1612296000", "1612382400", "1612468800", "1614974400", "1615060800"],
    "count": ["0", "86400", "172800", "259200", "2764800", "2851200"],
    "platform": ["mail", "call", "mail", "call", "mail", "call"],
}


def _csv(place):
    pl.DataFrame(ROWS).write_csv(place / "contacts.csv")
    return place / "contacts.csv"


def _xlsx(place):
    import openpyxl

    book = openpyxl.Workbook()
    for row in (tuple(ROWS), *zip(*ROWS.values(), strict=True)):
        book.active.append(row)
    book.save(place / "contacts.xlsx")
    return place / "contacts.xlsx"


def _parquet(place):
    pl.DataFrame(ROWS).write_parquet(place / "contacts.parquet")
    return place / "contacts.parquet"


def _graphml(place):
    import networkx as nx

    graph = nx.MultiDiGraph()
    for row in zip(*ROWS.values(), strict=True):
        named = dict(zip(ROWS, row, strict=True))
        graph.add_edge(named.pop("source"), named.pop("target"), **named)
    nx.write_graphml(graph, place / "contacts.graphml")
    return place / "contacts.graphml"


def _query(place):
    with sqlite3.connect(place / "contacts.db") as database:
        database.execute(f"CREATE TABLE calls ({', '.join(ROWS)})")
        marks = ", ".join("?" * len(ROWS))
        database.executemany(f"INSERT INTO calls VALUES ({marks})", zip(*ROWS.values(), strict=True))
    database.close()
    return f"sqlite:///{place / 'contacts.db'}?query=SELECT * FROM calls"


def _folder(place):
    (place / "contacts").mkdir()
    for i in range(2):
        pl.DataFrame(ROWS)[3 * i : 3 * i + 3].write_parquet(place / "contacts" / f"{i}.parquet")
    return place / "contacts"


def _release(place):
    graph = shoal.read(_csv(place), slice="1d", day_first=True)
    shoal.anonymize(graph, k=2, seed=1).save(place / "release", report=False)
    return place / "release"


KINDS = {
    "csv": _csv, "xlsx": _xlsx, "parquet": _parquet, "graphml": _graphml, "query": _query, "folder": _folder, "release": _release,
}  # fmt: skip
CUT = {"slice": "1d", "day_first": True}
COUNTED = {"slice": "1d", "time": "count"}
# Option -> what it is set to, and how the input is read otherwise.
READING = {
    "slice": ("1w", CUT),
    "slices": (3, {"slices": 2, "day_first": True}),
    "source": ("other", CUT),
    "target": ("other", CUT),
    "time": ("count", CUT),
    "layer": ("platform", CUT),
    "dialect": ("snap", CUT),
    "nodes": ("file", CUT),
    "timezone": ("Asia/Tokyo", {"slice": "1d", "time": "seconds"}),
    "offset": ("5h", CUT),
    "time_format": ("%m/%d/%Y", {"slice": "1d", "time_format": "%d/%m/%Y"}),
    "time_unit": ("ms", {"slice": "1d", "time": "seconds"}),
    "day_first": (True, {"slice": "1d", "day_first": False}),
    "origin": ("2024-05-01", COUNTED),
    "header": (False, CUT),
    "encoding": ("utf-16", CUT),
    "directed": (True, CUT),
    "contacts": ("counts", CUT),
    "count": ("seconds", CUT | {"contacts": "counts"}),
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    place = tmp_path_factory.mktemp("kinds")
    (place / "people.csv").write_text("node\nzoe\n")
    return {name: make(place) for name, make in KINDS.items()} | {"people": place / "people.csv"}


def _read(path, options):
    """Everything that reading gives, or the refusal."""
    opened = open_folder(path, **options) if str(path).endswith("contacts") else nullcontext()
    try:
        with opened as graph:
            graph = graph or shoal.read(path, **options)
            behind = None if graph.contacts is None else graph.contacts.counts.tolist()
            return graph.digest(), [s.label for s in graph.slices], graph.nodes.to_list(), behind
    except InputError as error:
        return "refused", str(error)


def test_the_table_has_every_option_of_reading():
    assert READING.keys() == inspect.signature(shoal.read).parameters.keys() - {"path"}


@pytest.mark.parametrize(("kind", "option"), list(itertools.product(KINDS, READING)))
def test_every_option_of_reading_acts_or_is_refused(inputs, kind, option):
    value, others = READING[option]
    value = inputs["people"] if option == "nodes" else value
    base = {} if kind == "release" else others
    before, after = _read(inputs[kind], base), _read(inputs[kind], base | {option: value})
    assert before[0] != "refused"
    assert after != before
    assert kind != "release" or after[0] == "refused"


def test_every_command_that_reads_has_every_option_of_reading():
    """So what holds for reading holds for the commands; `sweep` has widths of its own, contacts are for publishing."""
    commands = typer.main.get_command(app).commands
    for name in ("anonymize", "extend", "audit", "sweep", "compare", "report"):
        assert READING.keys() - {"contacts"} <= {parameter.name for parameter in commands[name].params}
