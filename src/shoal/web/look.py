"""A first look at an uploaded file: which kind it is, which column means what, how time could be cut, what is wrong with it.

Guesses only fill in the form that the person then sees; nothing is guessed behind their back.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from shoal.read.dialects import Layout

_WORDS = {
    "source": ("source", "src", "from", "sender", "caller", "u", "i", "person1", "node1", "user1"),
    "target": ("target", "dst", "to", "receiver", "recipient", "callee", "v", "j", "person2", "node2", "user2"),
    "time": ("time", "timestamp", "datetime", "date", "when", "ts", "t", "unixtime", "year"),
    "layer": ("layer", "platform", "type", "channel"),
}
_TIME_FORMATS = (
    "%m/%d/%y %I:%M %p", "%m/%d/%Y %I:%M %p", "%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%d.%m.%Y", "%d/%m/%Y %H:%M:%S",
    "%d/%m/%Y %H:%M", "%d/%m/%Y", "%Y/%m/%d %H:%M:%S", "%Y/%m/%d %H:%M", "%Y/%m/%d",
)  # fmt: skip
MOST_COLUMNS, MOST_LETTERS = 60, 60
_DAY = 86_400_000_000


def plain_words(message: str, path: Path, label: str) -> str:
    """A refusal without the path on the server and without options of the command line."""
    text = message.replace(str(path), label)
    text = re.sub(r" \([^()]*--[^()]*\)", "", text)
    text = re.sub(r"; (say|name)[^;]*--.*$", "; choose it in the form below", text)
    return text[:600]


def look(path: Path, label: str, reading: dict[str, Any], most: int) -> dict[str, Any]:
    """What is in the file when read like this; an empty `reading` is filled with guesses.

    A file that cannot be read is a result too: the problem, and whatever can be shown beside it.
    """
    from shoal.read.dialects import DIALECTS
    from shoal.read.packed import unpacking_at_most

    with unpacking_at_most(most):
        dialect = reading.get("dialect") or _dialect(path, label)
        try:
            layout = DIALECTS[dialect](path)
        except InputError as error:
            return _seen({**reading, "dialect": dialect}, problems=[plain_words(str(error), path, label)])
        frame = layout.table.frame
        if frame.width > MOST_COLUMNS:
            problem = f"{label}: there are {frame.width:,} columns; at most {MOST_COLUMNS} can be shown here"
            return _seen({**reading, "dialect": dialect}, problems=[problem])
        reading = {**reading, "dialect": dialect} if reading.get("source") else _guess(layout, dialect)
        seen = {
            "columns": frame.columns,
            "rows": len(frame),
            "sample": [[_short(cell) for cell in row] for row in frame.head(5).rows()],
        }
        try:
            return _seen(reading, **seen, **_counts(path, reading))
        except InputError as error:
            first = plain_words(str(error), path, label)
            return _seen(reading, **seen, problems=[first, *_more_problems(layout, reading, label, path, first)])


def _seen(reading: dict[str, Any], **facts: Any) -> dict[str, Any]:
    return {"reading": reading, "problems": [], "columns": [], "sample": [], "rows": 0, **facts}


def _short(cell: Any) -> str:
    text = "" if cell is None else str(cell)
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def _counts(path: Path, reading: dict[str, Any]) -> dict[str, Any]:
    from shoal.read import read

    graph = read(path, **reading)
    sizes = graph.slice_sizes().tolist()
    tally = graph.tally
    assert tally is not None
    return {
        "n_nodes": graph.n_nodes,
        "n_slices": graph.n_slices,
        "n_edges": graph.n_edges,
        "loops": tally.self_loops,
        "repeats": tally.repeats,
        "first": graph.slices[0].label,
        "last": graph.slices[-1].label,
        "busy": _at_most(sizes, 120),
    }


def _at_most(sizes: list[int], most: int) -> list[int]:
    """The same bars, neighbours added up where there are too many to draw."""
    step = -(-len(sizes) // most)
    return [sum(sizes[i : i + step]) for i in range(0, len(sizes), step)]


def _more_problems(layout: Layout, reading: dict[str, Any], label: str, path: Path, first: str) -> list[str]:
    """Lines with a missing person or time; the reader itself stops at the first."""
    table = layout.table
    names = [n for n in (reading.get(role) for role in ("source", "target", "time")) if n in table.frame.columns]
    rows = [(row, n) for n in names for row in table.frame[n].is_null().arg_true().head(4).to_list()]
    found = [(table.where(row).replace(str(path), label), name) for row, name in sorted(rows)]
    return [f"{where}, column '{name}': nothing stands there" for where, name in found if f"{where}," not in first][:4]


def _dialect(path: Path, label: str) -> str:
    from shoal.read.dialects import dialect_of
    from shoal.read.packed import first_bytes

    start = first_bytes(path, 65_536)
    if start[:4] == b"PAR1":
        return "parquet"
    named = dialect_of(Path(re.sub(r"[^\w.]", "_", label)))
    if named in ("multinet", "graphml", "gexf"):
        return named
    if start.lstrip(b"\xef\xbb\xbf \r\n\t").startswith((b"<?xml", b"<gexf", b"<graphml")):
        return "gexf" if b"<gexf" in start[:4096] else "graphml"
    lines = [line.strip() for line in start.decode(errors="replace").splitlines()[:50] if line.strip()]
    if any(line.upper() in ("#EDGES", "#ACTORS") for line in lines):
        return "multinet"
    if lines and lines[0].startswith("%"):
        return "konect"
    data = [line for line in lines if not line.startswith(("#", "%"))]
    if not data or (re.search(r"[,;\t]", data[0]) and not re.fullmatch(r"[\d.\s]+", data[0])):
        return "csv"
    fields = data[0].split()
    if len(fields) < 2 or any(not re.fullmatch(r"-?\d+(\.\d+)?", field) for field in fields[:2]):
        return "csv"
    times = [line.split()[0] for line in data]
    if any(not re.fullmatch(r"-?\d+(\.\d+)?", time) for time in times):
        return "snap"
    rising = len(fields) >= 3 and len(times) > 2 and times == sorted(times, key=float) and len(set(times)) < len(times)
    return "sociopatterns" if rising and float(fields[0]) >= 10 else "snap"


def _guess(layout: Layout, dialect: str) -> dict[str, Any]:
    """Columns by their names, else the first two; a slice width that gives a dozen slices or a few."""
    frame = layout.table.frame
    lower = {name.strip().lower(): name for name in reversed(frame.columns)}
    chosen: dict[str, Any] = {"dialect": dialect}
    for role in ("source", "target", "time", "layer"):
        known = getattr(layout, role)
        name = known or next((lower[word] for word in _WORDS[role] if word in lower), None)
        if name is not None and name not in chosen.values():
            chosen[role] = name
    for role, place in (("source", 0), ("target", 1)):
        if role not in chosen and frame.width > place and frame.columns[place] not in chosen.values():
            chosen[role] = frame.columns[place]
    if "time" in chosen:
        chosen.pop("layer", None)
        chosen.update(_guess_time(frame[chosen["time"]]))
    return chosen


def _guess_time(times: pl.Series) -> dict[str, Any]:
    import polars as pl

    from shoal.timebins import to_microseconds

    if times.dtype == pl.String and len(times):
        numbers = times.head(1000).str.strip_chars().cast(pl.Float64, strict=False)
    else:
        numbers = times.head(1000).cast(pl.Float64, strict=False) if times.dtype.is_numeric() else pl.Series([None])
    if not numbers.null_count() and len(numbers):
        top = float(numbers.abs().max() or 0)  # type: ignore[arg-type]
        if top < 10_000:
            return {"slice": "value"}
        options: list[dict[str, Any]] = [{"time_unit": "ms"} if top > 1e11 else {}]
    else:
        options = [{}, *({"time_format": form} for form in _TIME_FORMATS)]
    for option in options:
        try:
            us = to_microseconds(times, **option)
        except InputError:
            continue
        days = (int(us.max()) - int(us.min())) / _DAY
        widths = ((2, "1h"), (45, "1d"), (400, "1w"), (2200, "1mo"))
        return {**option, "slice": next((width for most, width in widths if days < most), "1y")}
    return {"slice": "1w"}
