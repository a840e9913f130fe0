"""Everything in shoal that reads what somebody else wrote, each as a function of bytes.

A target returns in words what came of it: accepted, or the refusal. Whatever else it raises is a bug. The tests feed them what
hypothesis makes up, `fuzz/` what atheris does; both start from `tests/seeds.py`.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal import InputError, TemporalGraph
from shoal.audit import Vector
from shoal.cli.audit import _promised
from shoal.cli.released import opened, with_original_ids
from shoal.files.kept import Kept
from shoal.large import audit_folder
from shoal.read.people import read_levels, read_pairs, read_people

READINGS: list[dict[str, Any]] = [
    {},
    {"slice": "1d"},
    {"slice": "value", "directed": True},
    {"slices": 3},
    {"layer": "layer"},
    {"slice": "1mo", "timezone": "Europe/Zurich", "offset": "5h", "layer": "layer"},
    {"dialect": "snap", "slice": "1w"},
    {"dialect": "konect"},
    {"dialect": "sociopatterns", "slice": "1h"},
    {"dialect": "multiplex"},
    {"dialect": "multinet"},
    {"dialect": "simplices"},
    {"dialect": "parquet", "slice": "1d"},
    {"dialect": "parquet", "layer": "layer"},
    {"slice": "1d", "time_format": "%d.%m.%Y %H:%M"},
    {"slice": "1s", "time_unit": "ns"},
]


def refused(work: Callable[[], Any]) -> str:
    """'accepted', or the one sentence of the refusal."""
    try:
        work()
    except InputError as refusal:
        text = str(refusal)
        assert text, "a refusal says why"
        assert "\n" not in text, f"a refusal is one sentence, not {text!r}"
        assert len(text) < 2_000, f"a refusal is a sentence of {len(text):,} letters"
        return text
    return "accepted"


@functools.cache
def folder() -> Path:
    """A place for the files of this process."""
    return Path(tempfile.mkdtemp(prefix="shoal-target-"))


def _file(content: bytes, name: str = "input") -> Path:
    (folder() / name).write_bytes(content)
    return folder() / name


def check_graph(graph: TemporalGraph) -> None:
    """What every graph is, whatever it was read from."""
    assert graph.tally is None or graph.tally.rows == graph.n_edges + graph.tally.self_loops + graph.tally.repeats
    assert len({part.label for part in graph.slices}) == graph.n_slices
    assert graph.nodes.n_unique() == graph.n_nodes
    edges = graph._edges
    assert graph._starts[0] == 0
    assert graph._starts[-1] == len(edges)
    assert (graph.slice_sizes() >= 0).all()
    if len(edges):
        assert edges.min() >= 0
        assert edges.max() < graph.n_nodes
        assert (edges[:, 0] != edges[:, 1]).all()
        assert graph.directed or (edges[:, 0] < edges[:, 1]).all()
    if graph.n_nodes * graph.n_slices < 1_000_000:
        graph.degree_matrix()


def contacts(data: bytes) -> str:
    """A file of contacts; the first byte chooses how it is read."""
    options = READINGS[data[0] % len(READINGS)] if data else {}
    return refused(lambda: check_graph(shoal.read(_file(data[1:]), **options)))


TAGGED: list[dict[str, Any]] = [
    {"dialect": "graphml"},
    {"dialect": "graphml", "time": "time", "slice": "1d"},
    {"dialect": "gexf"},
    {"dialect": "gexf", "slice": "1y", "directed": True},
]


def tagged(data: bytes) -> str:
    """A GraphML or GEXF file, as the first byte says."""
    options = TAGGED[data[0] % len(TAGGED)] if data else TAGGED[0]
    return refused(lambda: check_graph(shoal.read(_file(data[1:]), **options)))


def database(data: bytes) -> str:
    """An SQLite file after a line with a query. (A query that never ends is its author's own.)"""
    query, _, content = data.partition(b"\n")
    text = query.decode(errors="replace")
    if "recursive" in text.lower():
        return "left out"
    address = f"sqlite:///{_file(content, 'calls.db')}?query={text}"
    return refused(lambda: check_graph(shoal.read(address, time="time", slice="1d")))


def shards(data: bytes) -> str:
    """A folder of Parquet, of one file."""
    place = folder() / "shards"
    place.mkdir(exist_ok=True)
    (place / "contacts.parquet").write_bytes(data)
    return refused(lambda: audit_folder(place, k=2, slice="1d", jobs=1))


def people(data: bytes) -> str:
    """The small files beside the contacts."""
    name = "people.parquet" if data[1:5] == b"PAR1" else "people.csv"
    read = (read_people, lambda file: read_levels(file, "k"), read_pairs)[data[0] % 3 if data else 0]
    return refused(lambda: read(_file(data[1:], name)))


def times(data: bytes) -> str:
    """A width, a number of slices, a time zone, an offset, a format, a unit, one a line; below them the times."""
    lines = data.decode(errors="replace").split("\n")
    width, count, zone, offset, form, unit, *texts = [*lines, *[""] * 6]
    values: list[Any] = [text or None for text in texts[: max(len(lines) - 6, 0)]]
    how: dict[str, Any] = {"slices": int(count)} if count.isascii() and count.isdigit() and len(count) < 20 else {}
    if width:
        how["slice"] = width
    if len(values) > 2 and values[0] == "numbers":
        values = pl.Series(values[1:]).cast(pl.Float64, strict=False).to_list()
    elif len(values) > 2 and values[0] == "whole":
        values = pl.Series(values[1:]).cast(pl.Int64, strict=False).to_list()

    def work() -> None:
        graph = TemporalGraph.from_edges(
            {"source": list(range(len(values))), "target": [0] * len(values), "time": values},
            time="time",
            timezone=zone or "UTC",
            offset=offset or None,
            time_format=form or None,
            time_unit=unit or "s",
            **how,
        )
        check_graph(graph)
        assert graph.n_slices <= 1_000_000

    return refused(work)


@functools.cache
def good_release(format: str) -> tuple[Path, Path]:
    """A good release and its private record; somebody of it has a level of their own."""
    graph = TemporalGraph.from_events([(f"p{i % 7}", f"p{i * 5 % 11}", i % 3) for i in range(40)])
    place = Path(tempfile.mkdtemp(prefix="shoal-release-"))
    made = shoal.anonymize(graph, {f"p{i}": 2 + i % 2 for i in range(7)}, seed=1, effort="fast")
    made.save(place / "out", private=place / "record.json", report=False, format=format)
    return place / "out", place / "record.json"


RELEASE_FILES = ("certificate.json", "nodes.csv", "slices.csv", "edges.csv", "nodes.parquet", "edges.parquet")


def release(data: bytes) -> str:
    """A release folder of which one file, chosen by the first byte, is other than it was; an even byte signs it again."""
    name = RELEASE_FILES[data[0] // 2 % len(RELEASE_FILES)] if data else RELEASE_FILES[0]
    good, record = good_release("parquet" if name.endswith("parquet") else "csv")
    place = folder() / "release"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(good, place)
    (place / name).write_bytes(data[1:])
    if data and data[0] % 2 == 0 and name != "certificate.json":
        claims = json.loads((place / "certificate.json").read_text())
        claims["sha256"][name] = hashlib.sha256(data[1:]).hexdigest()
        (place / "certificate.json").write_text(json.dumps(claims))
    found = [refused(lambda: str(shoal.verify(place).to_dict())), refused(lambda: shoal.verify(place, 2))]
    found.append(refused(lambda: shoal.verify([good, place], record=record)))
    found.append(refused(lambda: check_graph(shoal.read(place))))
    found.append(refused(lambda: check_judged(place)))
    return "; ".join(found)


def check_judged(place: Path) -> None:
    """What `shoal audit` does with a release folder."""
    graph = shoal.read(place)
    found = shoal.audit(graph, **_promised(place, graph, None)[0], attackers=[Vector()], jobs=1)
    assert sum(found.levels.values()) == graph.n_nodes
    assert found.in_words()


def record(data: bytes) -> str:
    """The private record of a release: what verify, audit and extend make of it."""
    good, _ = good_release("csv")
    file = _file(data, "record.json")
    later = TemporalGraph.from_events([(f"p{i % 9}", f"p{i * 5 % 13}", 7 + i % 2) for i in range(20)])
    found = [refused(lambda: shoal.verify(good, record=file))]
    found.append(refused(lambda: check_graph(with_original_ids(shoal.read(good), good, opened(file)))))
    found.append(refused(lambda: check_graph(shoal.extend(good, later, file, seed=1, effort="fast", jobs=1).graph)))
    return "; ".join(found)


def kept(data: bytes) -> str:
    """A kept cell of a sweep, and of the paper's page, that is other than it was written: measured again."""
    from shoal.paper import run
    from shoal.paper.plan import Cell
    from shoal.paper.tasks import RESULTS
    from shoal.sweep import suggest
    from shoal.sweep.cells import Store

    place = folder() / "kept"
    shutil.rmtree(place, ignore_errors=True)
    store = Store(place, 0, None, {})
    graph = TemporalGraph.from_slices({"a": [(1, 2), (2, 3)]})
    store.kept._file(("", graph.digest(), "numbers", 1, 0, None, [])).write_bytes(data)
    assert suggest([store.cell("", graph, "numbers", 1)])[0].k == 1
    paper = Kept(place / "paper")
    for task in RESULTS:
        cell = Cell(task, (), 1.0 if task == "seconds" else None)
        paper._file(cell).write_bytes(data)
        if run._is_whole(cell, found := paper.find(*cell)):
            for name in found:
                np.mean([x for x in np.atleast_1d(found[name]) if not isinstance(x, str) and x is not None] or 0.0)
    return "accepted"


def upload(data: bytes) -> str:
    """A file dropped on the page: its label, a line of a form, then the file; what the page shows of it is JSON."""
    from shoal.web.files import fields_of
    from shoal.web.look import look
    from shoal.web.views import label_of, reading_of

    label, form, content = [*data.split(b"\n", 2), b"", b"", b""][:3]
    name = label_of(label.decode("latin-1"))
    try:
        reading = reading_of(fields_of(form))
    except ValueError:  # which the page answers with 400
        return "too many fields"

    def work() -> None:
        seen = look(_file(content), name, reading, 1_000_000)
        json.dumps(seen)
        for problem in seen["problems"]:
            assert "\n" not in problem
            assert str(folder()) not in problem

    return refused(work)


def request(data: bytes) -> str:
    """The guard before every page: method and path, then headers a line each. Only an honest request gets through."""
    from shoal.web.guard import Guard

    first, *lines = data.split(b"\n")
    method, _, path = first.partition(b" ")
    headers = [tuple(part.strip() for part in line.split(b":", 1)) for line in lines if b":" in line]
    headers = [(name.lower(), value) for name, value in headers]
    where, _, query = path.partition(b"?")
    scope = {
        "type": "http",
        "method": method.decode("latin-1"),
        "path": where.decode("latin-1"),
        "query_string": query,
        "headers": headers,
    }
    passed, statuses = [], []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        passed.append(True)

    async def send(message: Any) -> None:
        statuses.append(message.get("status"))

    asyncio.run(Guard(app, hosts={"127.0.0.1:8000"}, token="secret")(scope, None, send))  # type: ignore[arg-type]
    if not passed:
        assert statuses[0] in (303, 401, 403, 421)
        return str(statuses[0])
    have = dict(headers)
    assert [value for name, value in headers if name == b"host"] == [b"127.0.0.1:8000"]
    assert method in (b"GET", b"HEAD") or have[b"origin"] == b"http://127.0.0.1:8000"
    assert any(b"secret" in value for name, value in headers if name == b"cookie")
    return "accepted"


TARGETS: dict[str, Callable[[bytes], str]] = {
    one.__name__: one
    for one in (contacts, tagged, database, shards, people, times, release, record, kept, upload, request)
}
