"""How time is cut into slices: every option about it in one object, checked once and handed on whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import polars as pl

from shoal.common.checks import a_list, a_text, whole, yes_or_no
from shoal.errors import InputError
from shoal.slicing.moments import UNITS, Moments, read_moments
from shoal.slicing.timebins import (
    MAX_SLICES,
    Bins,
    calendar_bins,
    counted_bins,
    equal_bins,
    in_zone,
    listed_bins,
    parse_offset,
    parse_width,
    value_bins,
)

_NAMES = {"s": "second", "m": "minute", "h": "hour", "d": "day", "w": "week", "mo": "month", "y": "year"}
_CALENDAR = ("timezone", "offset")  # what only slices of a width have
_READING = ("time_format", "time_unit", "day_first", "origin")  # what only times have that are read as such


@dataclass(frozen=True)
class Slicing:
    """Slices of a width (`slice`), of each value or as listed, or so many (`slices`); and how times are to be read.

    An option that would have no effect is refused: nobody is to believe that it had one.

    >>> Slicing("1w", offset="5h").in_words()
    'of 1 week in the calendar of UTC, begun 5h later'
    """

    slice: str | Sequence[Any] | None = None
    slices: int | None = None
    timezone: str = "UTC"
    offset: str | None = None
    time_format: str | None = None
    time_unit: str = "s"
    day_first: bool | None = None
    origin: str | None = None

    def __post_init__(self) -> None:
        self._check_kinds()
        if self.slice is not None and self.slices is not None:
            raise InputError("say how to cut time: a slice width such as 1d, or a number of slices, and not both")
        if self.width is not None:
            parse_width(self.width)
        elif given := next((name for name in _CALENDAR if name in self.asked()), None):
            raise InputError(f"{given} goes with slices of a width, such as 1d")
        if (
            self.width is None
            and self.slices is None
            and (given := next((name for name in _READING if name in self.asked()), None))
        ):
            raise InputError(f"{given} goes with times that are cut into slices of a width, or into a number of slices")
        parse_offset(self.offset)
        in_zone(pl.Series([0]), self.timezone)
        if self.time_unit not in UNITS:
            raise InputError(f"a time unit is one of {', '.join(UNITS)}; got '{self.time_unit}'")

    def _check_kinds(self) -> None:
        if self.slice is not None and not isinstance(self.slice, str):
            a_list("slice", self.slice)
        if self.slices is not None:
            whole("slices", self.slices, 1, MAX_SLICES)
        a_text("timezone", self.timezone)
        a_text("time_unit", self.time_unit)
        for name in ("offset", "time_format", "origin"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                a_text(name, value)
        if self.day_first is not None:
            yes_or_no("day_first", self.day_first)

    def asked(self) -> dict[str, Any]:
        """What is not as it is by default."""
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        return {
            f.name: given[f.name]
            for f in fields(self)
            if type(given[f.name]) is not type(f.default) or given[f.name] != f.default
        }

    @property
    def cuts(self) -> bool:
        """Whether time is to be cut at all."""
        return self.slice is not None or self.slices is not None

    @property
    def width(self) -> str | None:
        """The width of a slice, where slices have one."""
        return self.slice if isinstance(self.slice, str) and self.slice != "value" else None

    def moments(self, times: pl.Series) -> Moments:
        """The times of a column, read as these options say."""
        return read_moments(times, **{name: getattr(self, name) for name in _READING})

    def cut(self, times: pl.Series) -> Bins:
        """The slice of every time."""
        if self.slice is not None and self.width is None:
            return value_bins(times) if isinstance(self.slice, str) else listed_bins(times, self.slice)
        if not self.cuts:
            raise InputError("say how to cut time: a slice width such as 1d, or a number of slices")
        found = self.moments(times)
        if self.width is not None:
            by_width = counted_bins if found.relative else calendar_bins
            bins = by_width(found.us, self.width, timezone=self.timezone, offset=self.offset)
        else:
            assert self.slices is not None
            bins = equal_bins(found.us, self.slices)
            if found.relative:
                bins = Bins(bins.codes, [f"{i + 1}" for i in range(self.slices)])
        return bins._replace(said=found.said)

    def in_words(self) -> str:
        """What stands behind the number of slices."""
        if self.slices is not None:
            return "of equal length"
        if self.width is None:
            return "one for each distinct time" if self.slice == "value" else "as listed"
        later = "" if self.offset is None else f", begun {self.offset} later"
        count, unit = parse_width(self.width)
        return f"of {count} {_NAMES[unit]}{'s' * (count > 1)} in the calendar of {self.timezone}{later}"
