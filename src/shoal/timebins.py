"""Time to slices: read a time column, cut it into calendar bins, equal parts or distinct values."""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.checks import a_list, a_text, whole
from shoal.errors import InputError, RowError

MAX_SLICES = 1_000_000
UNITS = {"s": 1_000_000, "ms": 1_000, "us": 1, "ns": 0.001}  # one unit of a numeric time, in microseconds

# Unit of a slice width -> (its usual length in seconds, how its bins are labelled).
_WIDTHS = {
    "s": (1, "%Y-%m-%dT%H:%M:%S"),
    "m": (60, "%Y-%m-%dT%H:%M"),
    "h": (3_600, "%Y-%m-%dT%H:%M"),
    "d": (86_400, "%Y-%m-%d"),
    "w": (7 * 86_400, "%Y-%m-%d"),
    "mo": (30 * 86_400, "%Y-%m"),
    "y": (365 * 86_400, "%Y"),
}
_ISO_FORMATS = (
    "%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M:%S%.fZ", "%Y-%m-%d %H:%M:%S%.fZ",
    "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d",
)  # fmt: skip
# What the ends of equal slices are rounded to for their labels, in seconds: the largest of these that a slice is as wide as.
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, *(3_600 * h for h in (1, 2, 3, 6, 12)),
          *(86_400 * d for d in (1, 7, 30, 365)))  # fmt: skip
_NUMBER = re.compile(r"\s*[-+]?\d+(\.\d*)?([eE][-+]?\d+)?\s*$")
# Years 1 to 9999, which is what calendars (and labels of four digits) can say.
_EARLIEST, _LATEST = -62_135_596_800_000_000, 253_402_300_799_999_999
_LONGEST_WIDTH, _LONGEST_OFFSET = 9_999 * 366 * 86_400, 3_660 * 86_400  # in seconds
_REFUSALS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OverflowError, RuntimeError, ValueError)


class Bins(NamedTuple):
    """Which slice each row falls into, and what the slices are called."""

    codes: np.ndarray
    labels: list[str]


def check_cut(
    *,
    slice: Any,
    slices: Any,
    timezone: Any = "UTC",
    offset: Any = None,
    time_format: Any = None,
    time_unit: Any = "s",
) -> None:
    """Refuse what cannot be an option of `cut`, before any work."""
    if slice is not None and not isinstance(slice, str):
        a_list("slice", slice)
    if slices is not None:
        whole("slices", slices, 1, MAX_SLICES)
    a_text("timezone", timezone)
    a_text("time_unit", time_unit)
    for name, value in (("offset", offset), ("time_format", time_format)):
        if value is not None and not isinstance(value, str):
            a_text(name, value)


def parse_width(text: str) -> tuple[int, str]:
    """Split a slice width: '1w' is (1, 'w').

    >>> parse_width("1mo")
    (1, 'mo')
    """
    found = re.fullmatch(r"([1-9]\d{0,8})(s|m|h|d|w|mo|y)", text.strip())
    if not found:
        raise InputError(f"a slice width looks like 1h, 1d, 1w, 1mo or 1y, or is 'value'; got '{_short(text)}'")
    if int(found[1]) * _WIDTHS[found[2]][0] > _LONGEST_WIDTH:
        raise InputError(f"a slice is at most as wide as the calendar, 9,999 years; got '{text}'")
    return int(found[1]), found[2]


def parse_offset(text: str | None) -> int:
    """Microseconds in an offset such as '5h' or '-30m'."""
    if not text:
        return 0
    found = re.fullmatch(r"([-+]?)(\d{1,9})(s|m|h|d)", text.strip())
    if not found:
        raise InputError(f"an offset looks like 5h, -30m or 18000s; got '{_short(text)}'")
    seconds = int(found[2]) * _WIDTHS[found[3]][0]
    if seconds > _LONGEST_OFFSET:
        raise InputError(f"an offset is at most ten years; got '{text}'")
    return (-1 if found[1] == "-" else 1) * seconds * 1_000_000


def to_microseconds(times: pl.Series, *, time_format: str | None = None, time_unit: str = "s") -> np.ndarray:
    """Microseconds since 1970 of a column of numbers, dates or texts; a bad value is a RowError."""
    if time_unit not in UNITS:
        raise InputError(f"a time unit is one of {', '.join(UNITS)}; got '{time_unit}'")
    _refuse_missing(times)
    if times.dtype == pl.String:
        times = _parse_text(times, time_format)
    if times.dtype == pl.Date:
        return _from_numbers(times.to_physical(), 86_400_000_000, "days")
    if isinstance(times.dtype, pl.Datetime):
        return _from_numbers(times.to_physical(), UNITS[times.dtype.time_unit], times.dtype.time_unit)  # UTC inside
    if not times.dtype.is_numeric():
        raise InputError(f"column '{times.name}' holds {times.dtype}, not times")
    return _from_numbers(times, UNITS[time_unit], time_unit)


def _refuse_missing(times: pl.Series) -> None:
    if times.null_count():
        raise RowError(int(times.is_null().arg_max() or 0), times.name, "the time is missing")


def _parse_text(times: pl.Series, time_format: str | None) -> pl.Series:
    """The first value decides between numbers and dates; from then on every row must agree."""
    first = str(times[0])
    if time_format is None and _NUMBER.match(first):
        parsed = times.str.strip_chars().cast(pl.Int64, strict=False)
        if parsed.null_count():
            parsed = times.str.strip_chars().cast(pl.Float64, strict=False)
        kind = "a number"
    else:
        formats = [time_format] if time_format else [f for f in _ISO_FORMATS if _parses(first, f)]
        if not formats:
            raise RowError(0, times.name, f"cannot read the time '{_short(first)}' (Unix seconds or ISO 8601 expected)")
        parsed, kind = _strptime(times, formats[0]), f"a time like the first one, '{_short(first)}'"
        if time_format:
            kind = f"a time of the form {time_format}"
    if parsed.null_count():
        row = int(parsed.is_null().arg_max() or 0)
        raise RowError(row, times.name, f"cannot read the time '{_short(str(times[row]))}' (expected {kind})")
    return parsed


def _strptime(times: pl.Series, form: str) -> pl.Series:
    zoned = "%z" in form or "%#z" in form
    wanted = pl.Datetime("us", "UTC") if zoned else pl.Datetime("us")
    try:
        if form == "%Y-%m-%d":
            return times.str.to_date(form, strict=False).cast(wanted)
        return times.str.to_datetime(form, strict=False, time_unit="us", time_zone="UTC" if zoned else None)
    except _REFUSALS as error:
        raise InputError(f"the time format '{_short(form)}' cannot be used: {_short(str(error))}") from None


def _parses(value: str, form: str) -> bool:
    return _strptime(pl.Series([value]), form).null_count() == 0


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."


def _from_numbers(times: pl.Series, unit: float, unit_name: str) -> np.ndarray:
    values = times.to_numpy()
    with np.errstate(over="ignore"):
        scaled = values.astype(np.float64) * unit
    bad = ~((scaled >= _EARLIEST) & (scaled <= _LATEST))  # also catches NaN
    if bad.any():
        row = int(bad.argmax())
        hint = (
            " (is it in milliseconds? --time-unit ms)" if unit_name == "s" and abs(scaled[row]) < 1e3 * _LATEST else ""
        )
        raise RowError(row, times.name, f"the time {values[row]} is not within the years 1 to 9999{hint}")
    if np.issubdtype(values.dtype, np.integer):
        whole = values.astype(np.int64)
        return whole * int(unit) if unit >= 1 else whole // round(1 / unit)
    return np.floor(scaled).astype(np.int64)


def calendar_bins(us: np.ndarray, width: str, *, timezone: str = "UTC", offset: str | None = None) -> Bins:
    """Bins of the calendar in a time zone, shifted by an offset. Empty bins inside the span are bins too.

    >>> calendar_bins(np.array([0, 40 * 86_400_000_000]), "1mo").labels
    ['1970-01', '1970-02']
    """
    count, unit = parse_width(width)
    shift = parse_offset(offset)
    seconds, form = _WIDTHS[unit]
    shifted = us - shift
    low, high = int(shifted.min()), int(shifted.max())
    expected = (high - low) / (1e6 * seconds * count)
    if expected > MAX_SLICES:
        raise InputError(
            f"a slice width of {width} cuts this time span into about {expected:,.0f} slices; "
            f"at most {MAX_SLICES:,} are allowed, choose a wider one"
        )
    try:
        zoneinfo.ZoneInfo(timezone)
        span = pl.Series([low, high]).cast(pl.Datetime("us", "UTC")).dt.convert_time_zone(timezone)
    except (*_REFUSALS, KeyError, OSError):
        raise InputError(f"unknown time zone '{_short(timezone)}' (expected a name such as Europe/Zurich)") from None
    step = f"{count}{unit}"
    try:
        starts = pl.datetime_range(span.dt.truncate(step)[0], span[1], step, time_zone=timezone, eager=True)
    except _REFUSALS as error:
        why = _short(str(error))
        raise InputError(f"slices of {step} do not fit these times in the time zone {timezone} ({why})") from None
    codes = np.searchsorted(starts.dt.epoch("us").to_numpy(), shifted, side="right") - 1
    if shift:
        starts, form = starts.dt.offset_by(f"{shift}us"), form if unit == "s" else "%Y-%m-%dT%H:%M"
    if unit in "hms" and timezone != "UTC":
        form += "%:z"  # an hour of the autumn change occurs twice
    return Bins(codes.astype(np.int32), starts.dt.to_string(form).to_list())


def equal_bins(us: np.ndarray, n_slices: int) -> Bins:
    """n bins of equal length from the first contact to the end of the last one's second (or microsecond).

    The cuts are exact and the labels are not, since they are published: they cut the same span after its ends were moved
    outwards to whole steps, so that they tell the first and the last contact no better than a slice of the calendar would.

    >>> found = equal_bins(np.array([0, 9, 10, 19]) * 1_000_000, 2)
    >>> found.codes.tolist(), found.labels
    ([0, 0, 1, 1], ['1970-01-01T00:00:00', '1970-01-01T00:00:10'])
    """
    whole("slices", n_slices, 1, MAX_SLICES)
    tick = 1 if (us % 1_000_000).any() else 1_000_000
    low = int(us.min())
    high = int(us.max()) + tick
    starts = _equal_cuts(low, high, n_slices)
    codes = np.searchsorted(starts, us, side="right").astype(np.int32) - 1
    step = 1_000_000 * max((s for s in _STEPS if s * 1_000_000 * n_slices <= high - low), default=0)
    if not step:  # finer than a second: number them
        return Bins(codes, [f"{i + 1}" for i in range(n_slices)])
    coarse = _equal_cuts(max(low - low % step, _EARLIEST), min(high + -high % step, _LATEST), n_slices)
    form = "%Y-%m-%dT%H:%M:%S" if step < 3_600_000_000 else "%Y-%m-%dT%H:%M"
    return Bins(codes, pl.Series(coarse).cast(pl.Datetime("us")).dt.to_string(form).to_list())


def _equal_cuts(low: int, high: int, n: int) -> np.ndarray:
    return np.array([low - (i * (low - high) // n) for i in range(n)], np.int64)  # rounded up


def value_bins(values: pl.Series) -> Bins:
    """Each distinct value is a slice; numbers are put in numeric order."""
    _refuse_missing(values)
    if values.dtype == pl.String:
        values = values.str.strip_chars()
        if (empty := values == "").any():
            raise RowError(int(empty.arg_max() or 0), values.name, "nothing stands there")
        for kind in (pl.Int64, pl.Float64):
            numbers = values.cast(kind, strict=False)
            if not numbers.null_count() and numbers.n_unique() == values.n_unique():  # 1 and 01 are two names
                values = numbers
                break
    distinct = values.unique().sort()
    if len(distinct) > MAX_SLICES:
        raise InputError(f"column '{values.name}' has {len(distinct):,} distinct values; at most {MAX_SLICES:,} slices")
    return Bins(positions(values, distinct), [str(v) for v in distinct])


def listed_bins(values: pl.Series, listed: Sequence[Any]) -> Bins:
    """Each of the listed values is a slice, in this order, also where no row has it; another value is a RowError.

    >>> listed_bins(pl.Series(["tue", "mon"]), ["mon", "tue", "wed"]).codes.tolist()
    [1, 0]
    """
    labels = [str(value) for value in listed]
    place = {label: i for i, label in enumerate(labels)}
    if not labels or len(place) < len(labels) or len(labels) > MAX_SLICES:
        raise InputError(f"a list of slices holds from 1 to {MAX_SLICES:,} values, each once")
    found = value_bins(values)
    where = np.array([place.get(label, -1) for label in found.labels], np.int32)
    codes = where[found.codes]
    if (codes < 0).any():
        row = int((codes < 0).argmax())
        raise RowError(row, values.name, f"'{_short(str(values[row]))}' is none of the slices listed")
    return Bins(codes, labels)


def positions(values: pl.Series, distinct: pl.Series) -> np.ndarray:
    """Where each value stands among the sorted distinct ones."""
    if values.dtype == pl.String:
        return distinct.search_sorted(values).to_numpy().astype(np.int32)
    if len(distinct) < 1_000 and values.dtype.is_numeric():
        return np.searchsorted(distinct.to_numpy(), values.to_numpy()).astype(np.int32)
    table = pl.DataFrame({"value": distinct, "index": pl.Series(np.arange(len(distinct), dtype=np.int32))})
    return (
        values.alias("value").to_frame().join(table, on="value", how="left", maintain_order="left")["index"].to_numpy()
    )


def cut(
    times: pl.Series,
    *,
    slice: str | Sequence[Any] | None,
    slices: int | None,
    timezone: str = "UTC",
    offset: str | None = None,
    time_format: str | None = None,
    time_unit: str = "s",
) -> Bins:
    """The slices of a time column, by width (`slice`), by number (`slices`), by value or as listed."""
    if (slice is None) == (slices is None):
        raise InputError("say how to cut time: a slice width such as 1d, or a number of slices, and not both")
    if isinstance(slice, str) and slice == "value":
        return value_bins(times)
    if slice is not None and not isinstance(slice, str):
        return listed_bins(times, slice)
    if slice is not None:
        parse_width(slice)
    us = to_microseconds(times, time_format=time_format, time_unit=time_unit)
    return (
        equal_bins(us, slices)
        if slices is not None
        else calendar_bins(us, str(slice), timezone=timezone, offset=offset)
    )
