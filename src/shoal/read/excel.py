"""The first sheet of an Excel workbook as a table of text, as if it had been saved as CSV; dates come as ISO 8601.

openpyxl reads row by row, and XML by defusedxml, so that a small file cannot ask for much memory.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import InputError
from shoal.read.header import SAMPLE, find_header
from shoal.read.packed import most_unpacked, too_much
from shoal.read.text import Table, first_line, refuse_too_wide, refuse_twice


def sheet(path: Path, header: bool | None) -> tuple[Table, tuple[str, ...]]:
    """The rows of the first sheet that are not empty, and what was assumed."""
    said: list[str] = []
    try:
        _refuse_bombs(path)
        numbers, rows = _filled(path, said)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except InputError:
        raise
    except Exception as error:  # whatever a damaged workbook makes openpyxl stumble over
        raise InputError(f"{path}: not a readable Excel workbook ({first_line(error)})") from None
    if not rows:
        raise InputError(f"{path}: the first sheet is empty")
    width = max(len(row) for row in rows)
    rows = [row + [""] * (width - len(row)) for row in rows]
    if header is None:
        header, note = find_header(rows[: SAMPLE + 1])
        said += [note] if note else []
    names = [cell.strip() for cell in rows[0]] if header else [str(i) for i in range(width)]
    names = [name or f"column {i + 1}" for i, name in enumerate(names)]
    refuse_twice(path, names)
    body, lines = rows[header:], numbers[header:]
    if not body:
        raise InputError(f"{path}: there is a header but no rows below it")
    columns = {name: pl.Series([row[i] or None for row in body], dtype=pl.String) for i, name in enumerate(names)}
    return Table(pl.DataFrame(columns), lambda row: f"{path}, row {lines[row]}"), tuple(said)


def _refuse_bombs(path: Path) -> None:
    most = most_unpacked(path.stat().st_size)
    with zipfile.ZipFile(path) as parts:
        if sum(part.file_size for part in parts.infolist()) > most:  # nobody reads beyond the size that is stated
            raise too_much(path, most)


def _filled(path: Path, said: list[str]) -> tuple[list[int], list[list[str]]]:
    """The rows with something in them, and their numbers in the sheet."""
    import openpyxl

    with path.open("rb") as file:  # openpyxl looks at the name of a path, and an upload has none
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        if len(book.sheetnames) > 1:
            said.append(f"only the first sheet of the workbook, '{book.sheetnames[0]}', was read")
        first = book.worksheets[0]
        first.reset_dimensions()  # what a sheet says of its size may be wrong, or meant to hurt
        found = list(_rows(path, first))
    return [number for number, _ in found], [row for _, row in found]


def _rows(path: Path, first: Any) -> Iterator[tuple[int, list[str]]]:
    for number, row in enumerate(first.iter_rows(values_only=True), start=1):
        cells = [_text(cell) for cell in row]
        while cells and not cells[-1]:
            cells.pop()
        refuse_too_wide(path, len(cells))
        if cells:
            yield number, cells


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ", timespec="seconds" if not cell.microsecond else "microseconds")
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)
