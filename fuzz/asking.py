"""The ways in which a case is put to shoal: graphs from slices, tables and files; the Python calls, and the commands."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fuzz.cases import Case
from fuzz.graphs import Graph
from tests.command import Answer
from tests.command import shoal as command

import shoal
from shoal.common.progress import Progress


class Stopped(BaseException):
    """A run that ends in the middle, as if it had been killed."""


class StopsAfter(Progress):
    """Ends the run after so many pieces of news."""

    def __init__(self, news: int) -> None:
        self.left = news

    @contextmanager
    def stage(self, name: str, total: int) -> Iterator[Callable[[float], None]]:
        """Count what is told."""

        def tell(share: float) -> None:
            self.left -= 1
            if self.left < 0:
                raise Stopped

        tell(0.0)
        yield tell


def reading(graph: Graph) -> dict[str, Any]:
    """How the times and layers of a file of this graph are named and cut."""
    layer = {"layer": "layer"} if graph.axis in ("layers", "both") else {}
    cut = {"slice": "value" if graph.axis == "values" else "1d"} if graph.axis in ("values", "days", "both") else {}
    return {**layer, **cut, **({"directed": True} if graph.directed else {})}


def columns(graph: Graph) -> dict[str, list[Any]]:
    """The rows as columns, with times and layers where there are any."""
    found: dict[str, list[Any]] = {"source": [u for u, _, _ in graph.rows], "target": [v for _, v, _ in graph.rows]}
    if graph.axis in ("values", "days", "both"):
        starts = [str(graph.parts[t].start) for _, _, t in graph.rows]
        found["time"] = [int(start) for start in starts] if graph.axis == "values" else starts
    if graph.axis in ("layers", "both"):
        found["layer"] = [graph.parts[t].layer for _, _, t in graph.rows]
    return found


def write_table(file: Path, header: list[str], rows: Any) -> Path:
    """A CSV file as spreadsheets write it."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerows([header, *rows])
    return file


def write_contacts(graph: Graph, place: Path, name: str) -> Path:
    """A file of the contacts."""
    found = columns(graph)
    return write_table(place / f"{name}.csv", list(found), zip(*found.values(), strict=True))


def build(graph: Graph, way: str, place: Path, name: str) -> shoal.TemporalGraph:
    """The graph as shoal knows it."""
    if way == "slices" or graph.axis == "labels" or not graph.rows:
        rows: dict[str, list[Any]] = {part.label: [] for part in graph.parts}
        for u, v, t in graph.rows:
            rows[graph.parts[t].label].append((u, v))
        return shoal.TemporalGraph.from_slices(rows, nodes=graph.people, directed=graph.directed, ordered=graph.ordered)
    how = reading(graph)
    if way == "table":
        found = columns(graph)
        time = {"time": "time"} if "time" in found else {}
        return shoal.TemporalGraph.from_edges(found, nodes=graph.people, **time, **how)
    nodes = write_table(place / f"{name}-people.csv", ["node"], [[one] for one in graph.people])
    return shoal.read(write_contacts(graph, place, name), nodes=nodes, **how)


def anonymize(case: Case, place: Path, folder: Path, record: Path | None, **changes: Any) -> None:
    """Make the release of a case by a Python call; `changes` go before its options."""
    options = case.options | changes
    if case.way == "folder":
        _anonymize_folder(case, place, folder, record, options)
        return
    graph = build(case.graph, case.way, place, "contacts")
    source = place / "contacts.csv"
    release = shoal.anonymize(graph, case.k, **options)
    release.save(folder, private=record, source=source if source.exists() else None, **case.save)


def anonymize_stopped(case: Case, place: Path, folder: Path, record: Path | None) -> bool:
    """The same in a run that is stopped and goes on from its work folder; whether it was stopped in time."""
    work, stopped = place / "work", False
    try:
        anonymize(case, place, folder, record, work_dir=work, progress=StopsAfter(case.stop_after or 0))
    except Stopped:
        stopped = True
        anonymize(case, place, folder, record, work_dir=work, resume=(work / "run.json").exists())
    return stopped


def _anonymize_folder(case: Case, place: Path, folder: Path, record: Path | None, options: dict[str, Any]) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    from shoal.large import anonymize_folder

    contacts = place / "contacts"
    if not contacts.exists():
        contacts.mkdir()
        found = pa.table(columns(case.graph))
        dates = pa.array([str(one) for one in found["time"].to_pylist()]).cast(pa.date32())
        found = found.set_column(2, "time", dates)
        half = len(found) // 2
        for i, part in enumerate((found.slice(0, half), found.slice(half))):
            pyarrow.parquet.write_table(part, contacts / f"{i}.parquet")
    anonymize_folder(
        contacts, case.k, folder, slice="1d", directed=case.graph.directed, private=record, **options, **case.save
    )


def _flags(how: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for name, value in how.items():
        flag = f"--{name.replace('_', '-')}"
        found += [] if value is False or value is None else [flag] if value is True else [flag, str(value)]
    return found


def anonymize_by_command(case: Case, place: Path, folder: Path, record: Path | None) -> Answer:
    """Make the release of a case by the command."""
    options, people = dict(case.options), ["node"]
    rows: list[list[Any]] = [[one] for one in case.graph.people]
    if isinstance(case.k, dict):
        people, rows = ["node", "level"], [[one, case.k[one]] for one in case.graph.people]
    how = reading(case.graph) | {"nodes": write_table(place / "contacts-people.csv", people, rows)}
    for name in ("protect", "exempt"):
        if name in options:
            how[name] = write_table(place / f"{name}.csv", ["node"], [[one] for one in options.pop(name)])
    for name, flag in (("must_keep", "must_keep"), ("forbid", "forbid")):
        if name in options:
            pairs = [(*row, None)[:3] for row in options.pop(name)]
            how[flag] = write_table(place / f"{name}.csv", ["source", "target", "slice"], pairs)
    how["removal_weight"] = options.pop("removal_weight", 1.0)
    how |= options | {
        "keep_ids": case.save["keep_ids"],
        "format": case.save["format"],
        "no_report": not case.save["report"],
    }
    k = "level" if isinstance(case.k, dict) else case.k
    file = write_contacts(case.graph, place, "contacts")
    return command("anonymize", file, "-k", k, "-o", folder, "--quiet", *_flags(how | {"private": record}))


def extend(
    case: Case, number: int, place: Path, before: Path, record: Path, folder: Path, after: Path
) -> Answer | None:
    """Publish the later slices of this number, with a record of their own; by command where the case is."""
    how = {name: case.options[name] for name in ("seed", "effort", "jobs") if name in case.options}
    graph = case.later[number]
    if case.way == "command":
        shutil.copy(record, after)
        nodes = write_table(place / f"later-{number}-people.csv", ["node"], [[one] for one in graph.people])
        how |= reading(graph) | {"nodes": nodes, "format": case.save["format"], "no_report": not case.save["report"]}
        file = write_contacts(graph, place, f"later-{number}")
        return command("extend", before, file, "--private", after, "-o", folder, "--quiet", *_flags(how))
    if "removal_weight" in case.options:
        how["removal_weight"] = case.options["removal_weight"]
    made = shoal.extend(before, build(graph, case.way, place, f"later-{number}"), record, **how)
    made.save(folder, private=after, format=case.save["format"], report=case.save["report"])
    return None
