"""Time to slices: a column of times cut into calendar bins, equal parts or distinct values."""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.common.checks import whole
from shoal.errors import InputError, RowError
from shoal.slicing.moments import EARLIEST, LATEST, REFUSALS, refuse_missing, short

MAX_SLICES = 1_000_000

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
_COUNTED = {"s": "second", "m": "minute", "h": "hour", "d": "day", "w": "week"}
# What the ends of equal slices are rounded to for their labels, in seconds: the largest of these that a slice is as wide as.
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, *(3_600 * h for h in (1, 2, 3, 6, 12)),
          *(86_400 * d for d in (1, 7, 30, 365)))  # fmt: skip
_LONGEST_WIDTH, _LONGEST_OFFSET = 9_999 * 366 * 86_400, 3_660 * 86_400  # in seconds


class Bins(NamedTuple):
    """Which slice each row falls into, what the slices are called, and what was assumed about the times."""

    codes: np.ndarray
    labels: list[str]
    said: tuple[str, ...] = ()


def parse_width(text: str) -> tuple[int, str]:
    """Split a slice width: '1w' is (1, 'w').

    >>> parse_width("1mo")
    (1, 'mo')
    """
    found = re.fullmatch(r"([1-9]\d{0,8})(s|m|h|d|w|mo|y)", text.strip())
    if not found:
        raise InputError(f"a slice width looks like 1h, 1d, 1w, 1mo or 1y, or is 'value'; got '{short(text)}'")
    if int(found[1]) * _WIDTHS[found[2]][0] > _LONGEST_WIDTH:
        raise InputError(f"a slice is at most as wide as the calendar, 9,999 years; got '{text}'")
    return int(found[1]), found[2]


def parse_offset(text: str | None) -> int:
    """Microseconds in an offset such as '5h' or '-30m'."""
    if not text:
        return 0
    found = re.fullmatch(r"([-+]?)(\d{1,9})(s|m|h|d)", text.strip())
    if not found:
        raise InputError(f"an offset looks like 5h, -30m or 18000s; got '{short(text)}'")
    seconds = int(found[2]) * _WIDTHS[found[3]][0]
    if seconds > _LONGEST_OFFSET:
        raise InputError(f"an offset is at most ten years; got '{text}'")
    return (-1 if found[1] == "-" else 1) * seconds * 1_000_000


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
    _refuse_too_many(width, (high - low) / (1e6 * seconds * count))
    span = in_zone(pl.Series([low, high]), timezone)
    step = f"{count}{unit}"
    try:
        starts = pl.datetime_range(span.dt.truncate(step)[0], span[1], step, time_zone=timezone, eager=True)
    except REFUSALS as error:
        why = short(str(error))
        raise InputError(f"slices of {step} do not fit these times in the time zone {timezone} ({why})") from None
    codes = np.searchsorted(starts.dt.epoch("us").to_numpy(), shifted, side="right") - 1
    if shift:
        starts, form = starts.dt.offset_by(f"{shift}us"), form if unit == "s" else "%Y-%m-%dT%H:%M"
    if unit in "hms" and timezone != "UTC":
        form += "%:z"  # an hour of the autumn change occurs twice
    return Bins(codes.astype(np.int32), starts.dt.to_string(form).to_list())


def in_zone(us: pl.Series, timezone: str) -> pl.Series:
    """Moments in the calendar of a time zone; an unknown one is refused."""
    try:
        zoneinfo.ZoneInfo(timezone)
        return us.cast(pl.Datetime("us", "UTC")).dt.convert_time_zone(timezone)
    except (*REFUSALS, KeyError, OSError):
        raise InputError(f"unknown time zone '{short(timezone)}' (expected a name such as Europe/Zurich)") from None


def _refuse_too_many(width: str, expected: float) -> None:
    if expected > MAX_SLICES:
        raise InputError(
            f"a slice width of {width} cuts this time span into about {expected:,.0f} slices; "
            f"at most {MAX_SLICES:,} are allowed, choose a wider one"
        )


def counted_bins(us: np.ndarray, width: str, *, timezone: str = "UTC", offset: str | None = None) -> Bins:
    """Bins of times that count from an unknown beginning, numbered from there: day 1, day 2, ...

    >>> counted_bins(np.array([0, 2 * 86_400_000_000]), "1d").labels
    ['day 1', 'day 2', 'day 3']
    """
    count, unit = parse_width(width)
    if unit in ("mo", "y"):
        raise InputError(
            f"these times count from some beginning, so nothing is known of months and years; cut them by 1d or 1w, or say "
            f"with --origin which date they count from; got '{width}'"
        )
    if unit in "dw" and not (us % 1_000_000).any() and us.min() >= 1_500_000_000 and us.max() < 2_200_000_000:
        raise InputError("these times look like years and are no seconds; take each as a slice with --slice value")
    if timezone != "UTC":
        in_zone(pl.Series([0]), timezone)
        raise InputError(
            "these times count from some beginning; a time zone goes with dates, which --origin makes of them"
        )
    step = 1_000_000 * count * _WIDTHS[unit][0]
    codes = (us - parse_offset(offset)) // step
    low, high = int(codes.min()), int(codes.max())
    _refuse_too_many(width, high - low)
    word = _COUNTED[unit]
    names = (
        f"{word} {i + 1}" if count == 1 else f"{word}s {i * count + 1}-{(i + 1) * count}" for i in range(low, high + 1)
    )
    return Bins((codes - low).astype(np.int32), list(names))


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
    coarse = _equal_cuts(max(low - low % step, EARLIEST), min(high + -high % step, LATEST), n_slices)
    form = "%Y-%m-%dT%H:%M:%S" if step < 3_600_000_000 else "%Y-%m-%dT%H:%M"
    return Bins(codes, pl.Series(coarse).cast(pl.Datetime("us")).dt.to_string(form).to_list())


def _equal_cuts(low: int, high: int, n: int) -> np.ndarray:
    return np.array([low - (i * (low - high) // n) for i in range(n)], np.int64)  # rounded up


def value_bins(values: pl.Series) -> Bins:
    """Each distinct value is a slice; numbers are put in numeric order."""
    refuse_missing(values)
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
        raise RowError(row, values.name, f"'{short(str(values[row]))}' is none of the slices listed")
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
