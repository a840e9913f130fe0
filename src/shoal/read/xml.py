"""GraphML and GEXF: the edges and their attributes as a table, read piece by piece with defusedxml.

Documents with a DTD, hence with entities of their own, are refused. networkx reads these formats too, and the tests compare
with it; it is not used here because it holds the document and the graph in memory at once, loses edges that share an id, and
breaks at numeric spells without an end and at documents whose times are of the kind dateTime.
"""

from __future__ import annotations

from array import array
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

import polars as pl

from shoal.errors import InputError
from shoal.interop.packages import package
from shoal.read.dialects import Layout
from shoal.read.packed import load_bytes
from shoal.read.text import Table, refuse_too_wide

_CHUNK = 1 << 16
_DEEPEST = 200
_MOST_CELLS = 4_000_000
_ENDLESS = ("", "-Infinity", "Infinity", "-INF", "INF")


Spell = tuple[str | None, str | None]


class _Edges:
    """What both formats have in common; a parser tells it of tags as they come."""

    root = ""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parser: Any = None
        self.depth = 0
        self.people: dict[str, str] = {}
        self.ends: tuple[list[str], list[str]] = ([], [])
        self.lines = array("q")
        self.columns: dict[str, tuple[array[int], list[str]]] = {}  # the rows that have a value, and the values
        self.names: dict[str, str] = {}
        self.defaults: dict[str, str] = {}
        self.n_graphs = 0
        self.default_directed = False
        self.all_directed = True
        self.edge: dict[str, str] | None = None
        self.values: dict[str, str] = {}
        self.key = ""
        self.text: list[str] | None = None

    def refuse(self, problem: str) -> InputError:
        """With the line where the parser stands."""
        return InputError(f"{self.path}, line {self.parser.parser.CurrentLineNumber}: {problem}")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """A tag opens."""
        name = tag.rpartition("}")[2]
        if self.depth == 0 and name != self.root:
            raise self.refuse(f"this is not a {self.root} file; it begins with <{name[:40]}>")
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.refuse(f"tags are nested more than {_DEEPEST} deep")
        if name == "graph" and self.depth == 2:
            self.n_graphs += 1
            if self.n_graphs > 1:
                raise self.refuse("there is a second graph in it, and only one can be read")
        handle = getattr(self, f"start_{name}", None)
        if handle is not None:
            handle(attributes)

    def end(self, tag: str) -> None:
        """A tag closes."""
        self.depth -= 1
        handle = getattr(self, f"end_{tag.rpartition('}')[2]}", None)
        if handle is not None:
            handle()

    def data(self, text: str) -> None:
        """Text between tags, in pieces; kept only where somebody waits for it."""
        if self.text is not None:
            self.text.append(text)

    def start_node(self, attributes: dict[str, str]) -> None:
        """A person."""
        self.person(attributes.get("id"))

    def person(self, name: str | None) -> str:
        """The id, one string for all its edges."""
        if not name:
            raise self.refuse("an id is missing")
        return self.people.setdefault(name, name)

    def start_edge(self, attributes: dict[str, str]) -> None:
        """A contact begins; its attributes follow."""
        self.edge = attributes

    def add(self, values: dict[str, str]) -> None:
        """A finished contact as a row."""
        assert self.edge is not None
        for side, name in zip(self.ends, ("source", "target"), strict=True):
            side.append(self.person(self.edge.get(name)))
        for name, value in values.items():
            rows, column = self.columns.setdefault(name, (array("q"), []))
            rows.append(len(self.lines))
            column.append(value)
        self.lines.append(self.parser.parser.CurrentLineNumber)

    def layout(self) -> Layout:
        """All contacts, and whom they are between."""
        n_rows = len(self.lines)
        if not self.n_graphs:
            raise InputError(f"{self.path}: there is no graph in it")
        if not n_rows:
            raise InputError(f"{self.path}: there are no edges in it")
        names = [name for name in {**self.columns, **self.defaults} if name not in ("source", "target")]
        refuse_too_wide(self.path, len(names))
        if n_rows * len(names) > max(_MOST_CELLS, self.path.stat().st_size // 2):
            raise InputError(
                f"{self.path}: {n_rows:,} edges with {len(names):,} attributes are too large a table for such a file"
            )
        frame = pl.DataFrame({"source": self.ends[0], "target": self.ends[1]})
        self.ends = ([], [])
        frame = frame.with_columns(self.column(name).alias(name) for name in names)
        lines = self.lines
        table = Table(frame, lambda row: f"{self.path}, line {lines[row]}")
        people = pl.Series("node", list(self.people), dtype=pl.String)
        return Layout(table, "source", "target", people=people, directed=self.all_directed)

    def column(self, name: str) -> pl.Series:
        """The values of an attribute, its default where an edge has none."""
        found: list[str | None] = [self.defaults.get(name)] * len(self.lines)
        for row, value in zip(*self.columns.pop(name, ((), ())), strict=True):
            found[row] = value
        return pl.Series(found, dtype=pl.String)


class _GraphML(_Edges):
    root = "graphml"

    def start_graph(self, attributes: dict[str, str]) -> None:
        if self.depth == 2:
            self.default_directed = attributes.get("edgedefault") == "directed"

    def start_hyperedge(self, attributes: dict[str, str]) -> None:
        raise self.refuse("an edge joins two people; hyperedges cannot be read")

    def start_key(self, attributes: dict[str, str]) -> None:
        self.key = ""
        if attributes.get("for", "all") in ("edge", "all"):
            self.key = attributes.get("id", "")
            self.names[self.key] = attributes.get("attr.name", self.key)

    def start_default(self, attributes: dict[str, str]) -> None:
        self.text = []

    def end_default(self) -> None:
        if self.text is not None and self.key in self.names:
            self.defaults[self.names[self.key]] = "".join(self.text)
        self.text = None

    def start_edge(self, attributes: dict[str, str]) -> None:
        super().start_edge(attributes)
        self.values = {}

    def start_data(self, attributes: dict[str, str]) -> None:
        if self.edge is not None:
            self.text, self.key = [], attributes.get("key", "")

    def end_data(self) -> None:
        if self.edge is not None and self.text is not None and self.key in self.names:
            self.values[self.names[self.key]] = "".join(self.text).strip()
        self.text = None

    def end_edge(self) -> None:
        if self.edge is not None:
            told = self.edge.get("directed")
            self.all_directed &= self.default_directed if told is None else told == "true"
            self.add(self.values)
        self.edge = None


class _Gexf(_Edges):
    root = "gexf"
    default = "undirected"
    of_edges = False

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.span: Spell = (None, None)
        self.spells: tuple[list[str | None], list[str | None]] = ([], [])

    def start_graph(self, attributes: dict[str, str]) -> None:
        self.default = attributes.get("defaultedgetype", "undirected")

    def start_attributes(self, attributes: dict[str, str]) -> None:
        self.of_edges = attributes.get("class") == "edge"

    def start_attribute(self, attributes: dict[str, str]) -> None:
        self.key = attributes.get("id", "")
        if self.of_edges:
            self.names[self.key] = attributes.get("title", self.key)

    def start_default(self, attributes: dict[str, str]) -> None:
        self.text = []

    def end_default(self) -> None:
        if self.text is not None and self.of_edges and self.key in self.names:
            self.defaults[self.names[self.key]] = "".join(self.text)
        self.text = None

    def start_edge(self, attributes: dict[str, str]) -> None:
        super().start_edge(attributes)
        self.values = {name: attributes[name] for name in ("label", "kind") if name in attributes}
        self.span, self.spells = _spell(attributes), ([], [])

    def start_spell(self, attributes: dict[str, str]) -> None:
        if self.edge is not None:
            for bounds, bound in zip(self.spells, _spell(attributes), strict=True):
                bounds.append(bound)

    def start_attvalue(self, attributes: dict[str, str]) -> None:
        """Values that hold for a while only are left out: of an attribute that changes no row could have one."""
        if self.edge is not None and not attributes.keys() & {"start", "end", "timestamp"}:
            name = self.names.get(attributes.get("for", ""))
            if name is not None and "value" in attributes:
                self.values[name] = attributes["value"]

    def end_edge(self) -> None:
        if self.edge is None:
            return
        kind = self.edge.get("type", self.default)
        self.all_directed &= kind in ("directed", "mutual")
        for start, end in zip(*self.spells, strict=True) if self.spells[0] else [self.span]:
            told = {name: bound for name, bound in (("start", start), ("end", end)) if bound is not None}
            self.add({**self.values, **told})
            if kind == "mutual":
                self.edge["source"], self.edge["target"] = self.edge.get("target", ""), self.edge.get("source", "")
                self.add({**self.values, **told})
        self.edge = None

    def layout(self) -> Layout:
        plain = super().layout()
        frame = plain.table.frame
        if not {"start", "end"} & set(frame.columns):
            return plain
        missing = [pl.lit(None, pl.String).alias(name) for name in ("start", "end") if name not in frame.columns]
        return plain._replace(table=Table(frame.with_columns(missing), plain.table.where), time="start", end="end")


def _spell(attributes: dict[str, str]) -> Spell:
    """Start and end, None where there is no bound; a moment is a spell that ends at once."""
    moment = attributes.get("timestamp")
    start, end = (moment or attributes.get(name) for name in ("start", "end"))
    return None if start in _ENDLESS else start, None if end in _ENDLESS else end


def graphml(path: Path) -> Layout:
    """The edges of a GraphML file."""
    return _read(_GraphML, path)


def gexf(path: Path) -> Layout:
    """The edges of a GEXF file."""
    return _read(_Gexf, path)


def _read(kind: type[_Edges], path: Path) -> Layout:
    defused = package("defusedxml.ElementTree", "defusedxml")
    data = load_bytes(path)
    edges = kind(path)
    edges.parser = defused.XMLParser(target=edges, forbid_dtd=True, forbid_entities=True, forbid_external=True)
    try:
        for place in range(0, len(data), _CHUNK):
            edges.parser.feed(data[place : place + _CHUNK])
        edges.parser.close()
    except ParseError as error:
        raise InputError(f"{path}, line {error.position[0]}: this is not well-formed XML ({error.msg})") from None
    except package("defusedxml").DefusedXmlException:
        raise InputError(f"{path}: XML with a document type or entities of its own is not read, for safety") from None
    except (ValueError, LookupError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: cannot be read as XML ({error})") from None
    return edges.layout()
