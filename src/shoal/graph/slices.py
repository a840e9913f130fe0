"""What a slice is called, and what became of the rows of the input."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Slice(NamedTuple):
    """One time bin or layer. `label` is unique; `layer` and `start` say what it is made of."""

    label: str
    layer: str | None = None
    start: str | None = None


class Tally(NamedTuple):
    """What became of the input: contacts (its rows), and how many of them were self-loops or repeats within a slice.

    `unused` are columns that were not looked at, `guessed` says which column was taken for what where nobody had said it,
    and `remarks` are sentences about what was assumed or looks odd. They quote the input: they are for its owner alone.
    """

    rows: int
    self_loops: int
    repeats: int
    unused: tuple[str, ...] = ()
    guessed: Mapping[str, str] = MappingProxyType({})
    remarks: tuple[str, ...] = ()
