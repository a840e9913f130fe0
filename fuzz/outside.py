"""What a release folder must be, looked at from outside: plain Python over the files, no line of it shared with shoal.

Every function gives a list of complaints, each "rule: what was found". An empty list is a release that keeps its promises.
"""

from __future__ import annotations

import csv
import hashlib
import json
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz.graphs import Graph, Pair, pair

FIELDS = {
    "guarantee", "attacker", "k", "people_by_k", "horizon", "n_blocks", "n_nodes", "n_slices", "directed", "ordered", "ids",
    "min_class_size", "n_classes", "made_by", "format", "method", "cost", "edges", "sha256",
}  # fmt: skip
Row = tuple[Any, ...]


@dataclass
class Limits:
    """What may change; pairs carry a slice, or None for every slice."""

    allow: str = "both"
    keep: set[tuple[Pair, str | None]] = field(default_factory=set)
    forbid: set[tuple[Pair, str | None]] = field(default_factory=set)
    exempt: set[str] = field(default_factory=set)

    def any(self) -> bool:
        """Whether anything is limited."""
        return self.allow != "both" or bool(self.keep or self.forbid or self.exempt)

    def may_change(self, edge: Pair, label: str, *, there: bool) -> bool:
        """Whether a pair may be joined, or parted where it is joined already."""
        if self.exempt & set(edge):
            return False
        if there:
            return self.allow != "add" and not {(edge, label), (edge, None)} & self.keep
        return self.allow != "remove" and not {(edge, label), (edge, None)} & self.forbid


@dataclass
class Request:
    """What was asked for, in the words of the original."""

    graph: Graph
    needs: dict[str, int]
    blocks: list[int]
    limits: Limits
    keep_ids: bool = False
    format: str = "csv"
    report: bool = False
    partitioned: bool = False
    seed: int | None = None
    horizon: str | None = None


@dataclass
class Found:
    """What a folder says: people, slices and the edges of each under published names."""

    people: list[str]
    slices: list[dict[str, Any]]
    edges: list[list[Pair]]
    certificate: dict[str, Any]

    def row(self, directed: bool, block: int | None = None, blocks: list[int] | None = None) -> dict[str, Row]:
        """Everybody's degrees in the slices of a block, in- and out-degrees apart where edges have a direction."""
        rows: dict[str, list[Any]] = {name: [] for name in self.people}
        for t, edges in enumerate(self.edges):
            if blocks is None or blocks[t] == block:
                out, into = Counter(u for u, _ in edges), Counter(v for _, v in edges)
                for name, row in rows.items():
                    row.append((into[name], out[name]) if directed else into[name] + out[name])
        return {name: tuple(row) for name, row in rows.items()}


def table(folder: Path, name: str) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns and the rows of a table, whichever format it has; every cell as text, an empty one as None."""
    files = (
        [folder / f"{name}.parquet"]
        if (folder / f"{name}.parquet").exists()
        else sorted((folder / name).glob("*.parquet"))
    )
    if files:
        import pyarrow.parquet

        tables = [pyarrow.parquet.read_table(file, partitioning=None) for file in files]
        rows = [row for one in tables for row in one.to_pylist()]
        columns = tables[0].column_names
    else:
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            columns, *lines = reader
        if any(len(line) != len(columns) for line in lines):
            raise ValueError(f"{name}.csv has lines of another length")
        rows = [{c: cell or None for c, cell in zip(columns, line, strict=True)} for line in lines]
    return columns, [{c: None if cell is None else str(cell) for c, cell in row.items()} for row in rows]


def read(folder: Path, asked: Request) -> tuple[Found, list[str]]:
    """Read a folder, and say what in its layout is not as documented."""
    parts, wrong = asked.graph.parts, []
    nodes_columns, nodes = table(folder, "nodes")
    slice_columns, slices = table(folder, "slices")
    edge_columns, edges = table(folder, "edges")
    layers, starts = any(p.layer is not None for p in parts), any(p.start is not None for p in parts)
    expected = ["slice", *["layer"] * layers, *["start"] * starts]
    expected += ["block"] * (max(asked.blocks) > 0)
    if slice_columns != expected:
        wrong.append(f"layout: slices has the columns {slice_columns}, not {expected}")
    if edge_columns != (expected := ["source", "target", "slice", *["layer"] * layers]):
        wrong.append(f"layout: edges has the columns {edge_columns}, not {expected}")
    if nodes_columns != ["node"]:
        wrong.append(f"layout: nodes has the columns {nodes_columns}")
    said = [(s["slice"], s.get("layer"), s.get("start"), int(s.get("block") or 1) - 1) for s in slices]
    meant = [(p.label, p.layer, p.start, b) for p, b in zip(parts, asked.blocks, strict=True)]
    if said != meant:
        wrong.append(f"slices: {said} should be {meant}")
    place = {s["slice"]: t for t, s in enumerate(slices)}
    by_slice: list[list[Pair]] = [[] for _ in slices]
    for edge in edges:
        by_slice[place[edge["slice"]]].append((edge["source"], edge["target"]))
        if edge.get("layer") != (slices[place[edge["slice"]]].get("layer")):
            wrong.append(f"edges: {edge} is in another layer than its slice")
    people = [node["node"] for node in nodes]
    rank = {name: i for i, name in enumerate(people)}
    order = [(place[e["slice"]], rank.get(e["source"], -1), rank.get(e["target"], -1)) for e in edges]
    if order != sorted(order):
        wrong.append("layout: edges are not sorted by slice, then person")
    certificate = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    return Found(people, slices, by_slice, certificate), wrong


def check_files(folder: Path, found: Found, asked: Request, secrets: list[str]) -> Iterator[str]:
    """The files there are, their hashes, and that none of them holds what is secret."""
    end = "parquet" if asked.partitioned else asked.format
    tables = {f"nodes.{end}", f"slices.{end}"}
    tables |= {f"edges/{t + 1:05}.{end}" for t in range(len(found.slices))} if asked.partitioned else {f"edges.{end}"}
    expected = tables | ({"report.html", "report.json"} if asked.report else set())
    there = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*") if file.is_file()}
    if set(there) != expected | {"certificate.json"}:
        yield f"files: there are {sorted(there)}, not {sorted(expected)} and the certificate"
    hashes = {n: hashlib.sha256(f.read_bytes()).hexdigest() for n, f in there.items() if n != "certificate.json"}
    if found.certificate["sha256"] != hashes:
        yield "certificate: its hashes are not those of the files"
    if missing := FIELDS - set(found.certificate):
        yield f"certificate: {sorted(missing)} are missing"
    texts = [repr(table(folder, name)).encode() for name in ("nodes", "slices", "edges")]
    contents = [*(file.read_bytes() for file in there.values()), *texts]
    for secret in secrets:
        for spelt in {secret, json.dumps(secret)[1:-1], repr(secret)[1:-1], secret.replace('"', '""')}:
            if any(spelt.encode() in content for content in contents):
                yield f"secret: {secret!r} stands in the folder"
                break


def check_graph(found: Found, asked: Request) -> Iterator[str]:
    """Simple slices among listed people, and crowds as large as promised in every block."""
    graph, people, claims = asked.graph, set(found.people), found.certificate
    if len(people) < len(found.people):
        yield "people: somebody is listed twice"
    if len(found.people) != len(asked.needs):
        yield f"people: {len(found.people)} are listed, not {len(asked.needs)}"
    if not asked.keep_ids and people != {str(number + 1) for number in range(len(people))}:
        yield "people: pseudonyms are not the numbers from 1"
    for part, edges in zip(graph.parts, found.edges, strict=True):
        if strangers := {one for edge in edges for one in edge} - people:
            yield f"simple: {sorted(strangers)[:3]} in slice {part.label!r} are not listed"
        if any(u == v for u, v in edges):
            yield f"simple: a loop in slice {part.label!r}"
        if len({pair(u, v, graph.directed) for u, v in edges}) < len(edges):
            yield f"simple: an edge occurs twice in slice {part.label!r}"
    rows = [found.row(graph.directed, block, asked.blocks) for block in range(max(asked.blocks) + 1)]
    counts = [Counter(row.values()) for row in rows]
    levels = Counter(asked.needs.values())
    smallest = [
        min((count[row[name]] for row, count in zip(rows, counts, strict=True)), default=0) for name in found.people
    ]
    for level in levels:
        if sum(size >= level for size in smallest) < sum(n for other, n in levels.items() if other >= level):
            yield f"crowds: too few people stand in crowds of at least {level}"
    meant = {
        "n_classes": sum(map(len, counts)), "min_class_size": min(smallest, default=0), "n_nodes": len(asked.needs),
        "n_slices": len(graph.parts), "n_blocks": len(counts), "directed": graph.directed, "ordered": graph.ordered,
        "people_by_k": {str(level): n for level, n in levels.items()}, "k": max(levels), "horizon": asked.horizon,
        "ids": "original" if asked.keep_ids else "pseudonyms",
    }  # fmt: skip
    for name, value in meant.items():
        if claims[name] != value:
            yield f"certificate: {name} is {claims[name]!r}, should be {value!r}"
    counted = claims["edges"]
    if counted["released"] != sum(map(len, found.edges)) or counted["released"] != counted["kept"] + counted["added"]:
        yield f"certificate: {counted} for {sum(map(len, found.edges))} released edges"


def check_record(file: Path, found: Found, asked: Request) -> Iterator[str]:
    """Who is who: everybody's own level, groups that agree, and every change allowed."""
    if stat.S_IMODE(file.stat().st_mode) != 0o600:
        yield f"record: has the mode {stat.S_IMODE(file.stat().st_mode):o}"
    record = read_record(file)
    original = {name: str(one) for name, one in record["ids"].items()}
    if set(original) != set(found.people) or set(original.values()) != set(asked.needs):
        yield "record: names other people than the folder, or than the original"
        return
    if asked.keep_ids and any(name != one for name, one in original.items()):
        yield "people: ids were not kept"
    if {original[n]: level for n, level in record["levels"].items()} != asked.needs:
        yield "record: levels are not those asked for"
    if asked.seed is not None and asked.seed not in record["seeds"]:
        yield "record: the seed is not in it"
    for block in range(max(asked.blocks) + 1):
        rows = found.row(asked.graph.directed, block, asked.blocks)
        count = Counter(rows.values())
        if short := [original[n] for n in rows if count[rows[n]] < asked.needs[original[n]]]:
            yield f"crowds: {short[:3]} stand in too small a crowd in block {block}"
    yield from check_changes(found, original, asked)
    if len(set(asked.blocks)) == 1:
        rows = found.row(asked.graph.directed)
        by_group: dict[int, set[Row]] = {}
        for name, group in record["groups"].items():
            by_group.setdefault(group, set()).add(rows[name])
        if any(len(different) > 1 for different in by_group.values()):
            yield "groups: members of one do not agree"


def check_changes(found: Found, original: dict[str, str], asked: Request) -> Iterator[str]:
    """Every pair that changed was allowed to."""
    for part, before, edges in zip(asked.graph.parts, asked.graph.edges, found.edges, strict=True):
        after = {
            pair(original[u], original[v], asked.graph.directed) for u, v in edges if u in original and v in original
        }
        wrong = [e for e in sorted(before ^ after) if not asked.limits.may_change(e, part.label, there=e in before)]
        if wrong:
            what = "parted" if wrong[0] in before else "joined"
            yield f"limits: {len(wrong)} pairs changed that may not, as {wrong[0]} {what} in slice {part.label!r}"


def read_record(file: Path) -> dict[str, Any]:
    """A private record: JSON, or in Parquet a table of people with the rest as JSON beside it."""
    if file.suffix != ".parquet":
        return json.loads(file.read_text(encoding="utf-8"))
    import pyarrow.parquet

    rows = pyarrow.parquet.read_table(file).to_pylist()
    rest = json.loads(pyarrow.parquet.read_metadata(file).metadata[b"record"])
    columns = {"ids": "id", "groups": "group", "levels": "level"}
    return rest | {name: {row["node"]: row[column] for row in rows} for name, column in columns.items()}


def check_together(releases: list[tuple[Found, Request]]) -> Iterator[str]:
    """Somebody who has all releases of the same people: absence from one tells people apart too."""
    directed = releases[0][1].graph.directed
    everybody = sorted({name for found, _ in releases for name in found.people})
    rows = [found.row(directed) for found, _ in releases]
    whole = {name: tuple(row.get(name) for row in rows) for name in everybody}
    count = Counter(whole.values())
    levels = Counter(releases[-1][1].needs.values())
    for level in levels:
        if sum(count[row] >= level for row in whole.values()) < sum(n for other, n in levels.items() if other >= level):
            yield f"together: over {len(releases)} releases too few people stand in crowds of at least {level}"
