"""Whether the first line of a table names its columns, or is a contact already."""

from __future__ import annotations

import re
from typing import NamedTuple

from shoal.contacts.columns import by_name

SAMPLE = 200  # lines below the first that are looked at
_NUMBER = re.compile(r"[-+]?\d+([.,]\d*)?([eE][-+]?\d+)?")
_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([ T,].*)?")


class Header(NamedTuple):
    """Whether there is one, and what to say about that where it was not plain."""

    there: bool
    said: str | None = None


def find_header(rows: list[list[str]]) -> Header:
    """Look at the first rows of a table.

    Names are text. A first cell that is a number or a date, above others of its kind, is no name; a first cell that is
    text above numbers or dates is one. Where all is text, a first line that says source or sender names columns, and one
    whose people occur again below is a contact. Else nobody can tell.

    >>> find_header([["ann", "bob", "2024-05-01"], ["bob", "cem", "2024-05-02"]]).there
    False
    >>> find_header([["sender", "receiver"], ["ann", "bob"]])
    Header(there=True, said=None)
    """
    first = [cell.strip() for cell in rows[0]]
    below = rows[1 : SAMPLE + 1]
    columns = [[row[i].strip() for row in below if len(row) == len(first)] for i in range(len(first))]
    kinds = [_kind(column) if column else _kind([cell]) for cell, column in zip(first, columns, strict=True)]
    like = [_kind([cell]) == kind for cell, kind in zip(first, kinds, strict=True) if kind != "text" and cell]
    shown = ", ".join(cell[:20] for cell in first[:4])
    if (like and not any(like)) or by_name(first).keys() >= {"source", "target"}:
        return Header(True)
    if 2 * sum(like) > len(like):
        note = f"the first line ({shown}) holds no names of columns and was read as a contact; columns are 0, 1, 2 and so on"
        return Header(False, f"{note} (--header takes it as names)")
    if by_name(first):
        return Header(True)
    people = {cell for column in columns[:2] for cell in column}
    if not like and any(cell in people for cell in first[:2]):
        note = (
            f"the first line ({shown}) has people who occur again below and was read as a contact; columns are 0, 1, 2"
        )
        return Header(False, f"{note} and so on (--header takes it as names)")
    return Header(True, f"the first line ({shown}) was taken for names of columns; if it is a contact, say --no-header")


def _kind(cells: list[str]) -> str:
    """What all cells that are not empty are: numbers, dates or text."""
    filled = [cell for cell in cells if cell]
    for name, form in (("number", _NUMBER), ("date", _DATE)):
        if filled and all(form.fullmatch(cell) for cell in filled):
            return name
    return "text"
