"""A column of times as moments: numbers, ISO 8601, and the dates that spreadsheets write.

Days and months are told apart only where the column proves which is which. Numbers too small to be dates count from the
beginning of something; they get a date only from whoever knows when that was.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.errors import InputError, RowError

UNITS = {"s": 1_000_000, "ms": 1_000, "us": 1, "ns": 0.001}  # one unit of a numeric time, in microseconds
_ISO_FORMATS = (
    "%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M:%S%.fZ", "%Y-%m-%d %H:%M:%S%.fZ",
    "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d",
)  # fmt: skip
_CLOCKS = ("", "%H:%M:%S%.f", "%H:%M", "%I:%M:%S %p", "%I:%M %p")
_DATE = re.compile(r"\s*(?:\d{1,2}([./-])\d{1,2}\1(\d{4}|\d{2})|(\d{4})([./])\d{1,2}\4\d{1,2})(?!\d)(,? |T|$)")
_NUMBER = re.compile(r"\s*[-+]?\d+(\.\d*)?([eE][-+]?\d+)?\s*$")
# Years 1 to 9999, which is what calendars (and labels of four digits) can say.
EARLIEST, LATEST = -62_135_596_800_000_000, 253_402_300_799_999_999
_FIRST_DATE = (
    10**14
)  # in microseconds: 3 March 1973. No contact was ever logged with a smaller Unix time; many count from 0.
REFUSALS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OverflowError, RuntimeError, ValueError)


class Moments(NamedTuple):
    """Microseconds since 1970, or since an unknown beginning; and what was assumed to get them, in sentences."""

    us: np.ndarray
    relative: bool = False
    said: tuple[str, ...] = ()


def read_moments(
    times: pl.Series,
    *,
    time_format: str | None = None,
    time_unit: str = "s",
    day_first: bool | None = None,
    origin: str | None = None,
) -> Moments:
    """The moments in a column of numbers, dates or texts; a bad value is a RowError.

    >>> read_moments(pl.Series(["24/12/2024", "03/01/2025"])).said
    ("times such as '03/01/2025' are read day first, because '24/12/2024' is among them",)
    >>> read_moments(pl.Series([0, 90_000])).relative
    True
    """
    if time_format is not None and times.dtype != pl.String:
        raise InputError(f"a time format goes with times that are text; column '{times.name}' holds {times.dtype}")
    refuse_missing(times)
    said: tuple[str, ...] = ()
    if times.dtype == pl.String:
        times, said = _parse_text(times, time_format, day_first)
    if times.dtype.is_numeric():
        us = _from_numbers(times, UNITS[time_unit], time_unit)
        return _counted(us, str(times[0]), origin) if len(us) else Moments(us)
    if origin is not None or time_unit != "s":
        given = "an origin" if origin is not None else "a time unit"
        raise InputError(f"{given} goes with times that are numbers; column '{times.name}' holds dates")
    if times.dtype == pl.Date:
        return Moments(_from_numbers(times.to_physical(), 86_400_000_000, "days"), said=said)
    if isinstance(times.dtype, pl.Datetime):  # UTC inside
        unit = times.dtype.time_unit
        return Moments(_from_numbers(times.to_physical(), UNITS[unit], unit), said=said)
    raise InputError(f"column '{times.name}' holds {times.dtype}, not times")


def _counted(us: np.ndarray, first: str, origin: str | None) -> Moments:
    """Numbers as dates: since 1970, since the origin, or since nobody knows when."""
    if origin is not None:
        return Moments(us + _moment(origin))
    if us.min() < 0 or us.max() >= _FIRST_DATE:
        return Moments(us)
    note = (
        f"times such as {short(first)} count from some beginning and are no dates, so the slices are numbered; "
        "say with --origin which date they count from"
    )
    return Moments(us, relative=True, said=(note,))


def _moment(text: str) -> int:
    """One date or time in ISO 8601, in microseconds since 1970."""
    form = next((form for form in _ISO_FORMATS if _parses(text, form)), None)
    if form is None:
        raise InputError(
            f"an origin is a date such as 2024-05-01, or with a time, 2024-05-01T08:00; got '{short(text)}'"
        )
    return int(_strptime(pl.Series([text]), form).dt.epoch("us").item())


def refuse_missing(times: pl.Series) -> None:
    """A RowError where a time is missing."""
    if times.null_count():
        raise RowError(int(times.is_null().arg_max() or 0), times.name, "the time is missing")


def _parse_text(times: pl.Series, time_format: str | None, day_first: bool | None) -> tuple[pl.Series, tuple[str, ...]]:
    """The first value decides between numbers and dates; from then on every row must agree."""
    first, said = str(times[0]), tuple[str, ...]()
    if time_format is not None:
        parsed, kind = _strptime(times, time_format), f"a time of the form {time_format}"
    elif _NUMBER.match(first):
        parsed = times.str.strip_chars().cast(pl.Int64, strict=False)
        if parsed.null_count():
            parsed = times.str.strip_chars().cast(pl.Float64, strict=False)
        kind = "a number"
    else:
        form = next((form for form in _ISO_FORMATS if _parses(first, form)), None)
        if form is not None:
            parsed = _strptime(times, form)
        elif _DATE.match(first):
            parsed, said = _written_date(times.str.strip_chars(), day_first)
        else:
            raise RowError(
                0,
                times.name,
                f"cannot read the time '{short(first)}' (Unix seconds or ISO 8601 expected; --time-format takes another)",
            )
        kind = f"a time like the first one, '{short(first)}'"
    if parsed.null_count():
        row = int(parsed.is_null().arg_max() or 0)
        raise RowError(row, times.name, f"cannot read the time '{short(str(times[row]))}' (expected {kind})")
    return parsed, said


def _written_date(times: pl.Series, day_first: bool | None) -> tuple[pl.Series, tuple[str, ...]]:
    """Dates as 24.12.2024, 12/24/2024 or 2024/12/24, with or without a time of the day."""
    first = str(times[0])
    found = _DATE.match(first)
    assert found is not None
    mark, year = found[1] or found[4], "%y" if len(found[2] or found[3]) == 2 else "%Y"
    if found[4]:
        return _best(times, f"%Y{mark}%m{mark}%d{found[5]}"), ()
    day, month = (_best(times, mark.join([*order, year]) + found[5]) for order in (("%d", "%m"), ("%m", "%d")))
    if day_first is not None:
        return day if day_first else month, ()
    if day.null_count() or month.null_count():
        if day.null_count() and month.null_count():  # whoever names the bad row wants the better of the two
            return min(day, month, key=lambda column: column.null_count()), ()
        if day.null_count():
            return month, (_proven(times, day, "month"),)
        return day, () if mark == "." else (_proven(times, month, "day"),)
    if mark == "." or day.equals(month):  # nobody writes the month first with dots
        return day, ()
    example = str(times[int((day != month).arg_max() or 0)])
    raise InputError(
        f"column '{times.name}': '{short(example)}' may mean the {_spoken(example, 0)} or the {_spoken(example, 1)}, and nothing "
        "in the file tells which; say --day-first or --month-first"
    )


def _best(times: pl.Series, date: str) -> pl.Series:
    """The column read as this date with whichever clock fits; gaps where it does not."""
    forms = [date + clock for clock in _CLOCKS]
    fits = next((form for form in forms if _parses(str(times[0]), form)), None)
    # the first may be a 24th where a month is wanted: then by the form that reads most of the others
    tried = [_strptime(times, form) for form in ([fits] if fits else forms)]
    return min(tried, key=lambda column: column.null_count())


def _proven(times: pl.Series, other: pl.Series, order: str) -> str:
    proof = str(times[int(other.is_null().arg_max() or 0)])
    plain = other.is_not_null()
    example = str(times[int(plain.arg_max() or 0)]) if plain.any() else proof
    return f"times such as '{short(example)}' are read {order} first, because '{short(proof)}' is among them"


_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip


def _spoken(date: str, day_place: int) -> str:
    """'3 April' of 03/04/2021, its day in the first or in the second place."""
    parts = [int(part) for part in re.findall(r"\d+", date)[:2]]
    return f"{parts[day_place]} {_MONTHS[parts[1 - day_place] - 1]}"


def doubtful_date(times: pl.Series) -> tuple[str, str, str] | None:
    """A date that could be meant in two ways, and the two: ('03/04/2021', '3 April', '4 March'); None where there is none.

    >>> doubtful_date(pl.Series(["03/04/2021", "05/06/2021"]))
    ('03/04/2021', '3 April', '4 March')
    """
    if times.dtype != pl.String or not len(times) or times.null_count() or not _DATE.match(str(times[0])):
        return None
    times = times.str.strip_chars()
    try:
        day, month = (_written_date(times, by)[0] for by in (True, False))
    except InputError:
        return None
    if "." in str(times[0])[:3] or day.null_count() or month.null_count() or day.equals(month):
        return None
    example = str(times[int((day != month).arg_max() or 0)])
    return example, _spoken(example, 0), _spoken(example, 1)


def _strptime(times: pl.Series, form: str) -> pl.Series:
    zoned = "%z" in form or "%#z" in form
    wanted = pl.Datetime("us", "UTC") if zoned else pl.Datetime("us")
    try:
        if form == "%Y-%m-%d":
            return times.str.to_date(form, strict=False).cast(wanted)
        return times.str.to_datetime(form, strict=False, time_unit="us", time_zone="UTC" if zoned else None)
    except REFUSALS as error:
        raise InputError(f"the time format '{short(form)}' cannot be used: {short(str(error))}") from None


def _parses(value: str, form: str) -> bool:
    return _strptime(pl.Series([value]), form).null_count() == 0


def short(text: str) -> str:
    """A value, cut for a sentence."""
    return text if len(text) <= 40 else text[:37] + "..."


def _from_numbers(times: pl.Series, unit: float, unit_name: str) -> np.ndarray:
    values = times.to_numpy()
    with np.errstate(over="ignore"):
        scaled = values.astype(np.float64) * unit
    bad = ~((scaled >= EARLIEST) & (scaled <= LATEST))  # also catches NaN
    if bad.any():
        row = int(bad.argmax())
        hint = (
            " (is it in milliseconds? --time-unit ms)" if unit_name == "s" and abs(scaled[row]) < 1e3 * LATEST else ""
        )
        raise RowError(row, times.name, f"the time {values[row]} is not within the years 1 to 9999{hint}")
    if np.issubdtype(values.dtype, np.integer):
        whole = values.astype(np.int64)
        return whole * int(unit) if unit >= 1 else whole // round(1 / unit)
    return np.floor(scaled).astype(np.int64)
