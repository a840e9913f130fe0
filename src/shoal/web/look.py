"""A first look at an uploaded file: which kind it is, which column means what, how time could be cut, what is wrong with it.

Guesses only fill in the form that the person then sees; nothing is guessed behind their back.
"""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import InputError, speaking_to_a_shell

if TYPE_CHECKING:
    import polars as pl

    from shoal.read.dialects import Layout

MOST_COLUMNS, MOST_LETTERS = 60, 60
_DAY = 86_400_000_000


def plain_words(message: str, path: Path, label: str) -> str:
    """A refusal without the path on the server and without options of the command line."""
    text = message.replace(str(path), label)
    text = re.sub(r" \([^()]*--[^()]*\)", "", text)
    text = re.sub(r"; (if [^;]*, )?(say|name)[^;]*--.*$", "; choose it in the form below", text)
    return text[:600]


def look(path: Path, label: str, reading: dict[str, Any], most: int) -> dict[str, Any]:
    """What is in the file when read like this; an empty `reading` is filled with guesses.

    A file that cannot be read is a result too: the problem, and whatever can be shown beside it.
    """
    from shoal.read.dialects import DIALECTS, TextOptions, guess_dialect
    from shoal.read.packed import unpacking_at_most

    with unpacking_at_most(most), speaking_to_a_shell():
        dialect = reading.get("dialect") or guess_dialect(path, label)
        asked = {name: reading[name] for name in ("header", "encoding") if name in reading}
        try:
            layout = DIALECTS[dialect](path, TextOptions(**asked))
        except InputError as error:
            return _seen({**reading, "dialect": dialect}, problems=[plain_words(str(error), path, label)])
        frame = layout.table.frame
        if frame.width > MOST_COLUMNS:
            problem = f"{label}: there are {frame.width:,} columns; at most {MOST_COLUMNS} can be shown here"
            return _seen({**reading, "dialect": dialect}, problems=[problem])
        reading = (
            {**reading, "dialect": dialect}
            if reading.get("source") in frame.columns
            else _guess(layout, dialect) | asked
        )
        seen = {
            "columns": frame.columns,
            "asks": _asks(layout, reading),
            "rows": len(frame),
            "sample": [[_short(cell) for cell in row] for row in frame.head(5).rows()],
        }
        try:
            return _seen(reading, **seen, **_counts(path, label, layout, reading))
        except InputError as error:
            first = plain_words(str(error), path, label)
            return _seen(reading, **seen, problems=[first, *_more_problems(layout, reading, label, path, first)])


def _seen(reading: dict[str, Any], **facts: Any) -> dict[str, Any]:
    return {"reading": reading, "problems": [], "columns": [], "asks": [], "sample": [], "rows": 0, **facts}


def _short(cell: Any) -> str:
    text = "" if cell is None else str(cell)
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def _counts(path: Path, label: str, layout: Layout, reading: dict[str, Any]) -> dict[str, Any]:
    from shoal.read import read

    graph = read(path, **reading)
    tally = graph.tally
    assert tally is not None
    return {
        "n_nodes": graph.n_nodes,
        "n_slices": graph.n_slices,
        "n_edges": graph.n_edges,
        "loops": tally.self_loops,
        "repeats": tally.repeats,
        "unused": [_short(name) for name in tally.unused],
        "remarks": [plain_words(remark, path, label) for remark in tally.remarks],
        "span": _span(layout, reading),
        "busy": _at_most(graph.slice_sizes().tolist(), 120),
    }


def _span(layout: Layout, reading: dict[str, Any]) -> list[str]:
    """The first and the last time in the file, as dates where they are dates; none where there are no times."""
    import polars as pl

    from shoal.slicing import Slicing

    if not reading.get("time"):
        return []
    times = layout.table.frame[reading["time"]].drop_nulls()
    if reading.get("slice") != "value":
        how = {field.name: reading[field.name] for field in fields(Slicing) if field.name in reading}
        found = Slicing(**how).moments(times)
        if not found.relative:
            ends = pl.Series([int(found.us.min()), int(found.us.max())]).cast(pl.Datetime("us"))
            return ends.dt.to_string("%Y-%m-%d").to_list()
    numbers = times.cast(pl.Float64, strict=False)
    ends = times.gather([numbers.arg_min() or 0, numbers.arg_max() or 0]) if not numbers.null_count() else times.sort()
    return [_short(ends[0]), _short(ends[-1])]


def _asks(layout: Layout, reading: dict[str, Any]) -> list[dict[str, Any]]:
    """What the file does not tell, as questions: a field of the form, and the answers it takes."""
    from shoal.slicing.moments import doubtful_date

    asks: list[dict[str, Any]] = []
    time = reading.get("time")
    doubt = doubtful_date(layout.table.frame[time]) if time in layout.table.frame.columns else None
    if doubt is not None and "day_first" not in reading and not reading.get("time_format"):
        date, day, month = doubt
        answers = [["yes", day], ["no", month]]
        asks.append(
            {"name": "day_first", "question": f"Is {_short(date)} the {day} or the {month}?", "answers": answers}
        )
    heads = [note for note in layout.said if "first line" in note]
    if heads and "header" not in reading:
        shown = re.search(r"\((.*?)\)", heads[0])
        question = f"Is the first line ({_short(shown[1] if shown else '')}) a contact, or does it name the columns?"
        answers = [["no", "it is a contact"], ["yes", "it names the columns"]]
        asks.append({"name": "header", "question": question, "answers": answers})
    return asks


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


def _guess(layout: Layout, dialect: str) -> dict[str, Any]:
    """Columns as `shoal.read` guesses them, else the first two; a slice width that gives a dozen slices or a few."""
    from shoal.contacts.columns import take_roles

    frame = layout.table.frame
    roles = ("source", "target", "time", "layer")
    known = {role: getattr(layout, role) for role in roles if getattr(layout, role) is not None}
    names, _ = take_roles(frame, known, roles[:2] if layout.source else roles)
    chosen: dict[str, Any] = {"dialect": dialect, **names}
    for role, place in (("source", 0), ("target", 1)):
        if role not in chosen and frame.width > place and frame.columns[place] not in chosen.values():
            chosen[role] = frame.columns[place]
    if "time" in chosen:
        chosen.pop("layer", None)
        chosen.update(_guess_time(frame[chosen["time"]]))
    return chosen


def _guess_time(times: pl.Series) -> dict[str, Any]:
    import polars as pl

    from shoal.slicing.moments import doubtful_date, read_moments

    text = times.dtype == pl.String
    numbers = (times.str.strip_chars() if text else times).head(1000).cast(pl.Float64, strict=False)
    option: dict[str, Any] = {}
    if (text or times.dtype.is_numeric()) and not numbers.null_count() and len(numbers):
        top = float(numbers.abs().max() or 0)  # type: ignore[arg-type]
        if top < 10_000:
            return {"slice": "value"}
        option = {"time_unit": "ms"} if top > 1e11 else {}
    try:
        found = read_moments(times, **option, day_first=True if doubtful_date(times) else None)
    except InputError:
        return {"slice": "1w"}
    days = (int(found.us.max()) - int(found.us.min())) / _DAY
    widths = ((2, "1h"), (45, "1d"), (400, "1w"), (2200, "1mo"))
    width = next((width for most, width in widths if days < most), "1y")
    return {**option, "slice": "1w" if found.relative and width in ("1mo", "1y") else width}
