from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import InputError
from shoal.errors import RowError
from shoal.slicing import Slicing
from shoal.slicing.moments import read_moments
from shoal.slicing.timebins import calendar_bins, equal_bins, parse_width, value_bins

DAY = 86_400_000_000


def us(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1e6)


@given(st.lists(st.integers(0, 4_000_000_000), min_size=1, max_size=30), st.sampled_from(["1d", "1w", "1mo", "1y"]))
def test_calendar_bins_agree_with_datetime(seconds, width):
    seconds = [s // 100 if width == "1d" else s for s in seconds]
    found = calendar_bins(np.array(seconds) * 1_000_000, width)
    for second, code in zip(seconds, found.codes.tolist(), strict=True):
        when = datetime.fromtimestamp(second, UTC)
        if width == "1w":
            when = datetime.fromtimestamp(second - 86_400 * when.weekday(), UTC)
        assert found.labels[code] == when.strftime({"1mo": "%Y-%m", "1y": "%Y"}.get(width, "%Y-%m-%d"))
    assert found.codes.min() == 0
    assert found.codes.max() == len(found.labels) - 1


def test_empty_bins_inside_the_span_are_bins():
    found = calendar_bins(np.array([us("2024-01-31"), us("2024-05-01")]), "1mo")
    assert found.labels == ["2024-01", "2024-02", "2024-03", "2024-04", "2024-05"]


def test_the_time_zone_moves_midnight_and_survives_the_change_of_clocks():
    times = np.array([us("2024-03-30T23:30"), us("2024-03-31T21:30"), us("2024-03-31T22:30")])
    found = calendar_bins(times, "1d", timezone="Europe/Zurich")
    assert found.labels == ["2024-03-31", "2024-04-01"]
    assert found.codes.tolist() == [0, 0, 1]
    autumn = np.array([us("2024-10-26T22:00"), us("2024-10-27T03:00")])
    hours = calendar_bins(autumn, "1h", timezone="Europe/Zurich").labels
    assert len(set(hours)) == len(hours) == 6


def test_an_offset_moves_the_bins():
    times = np.array([us("2009-12-01T05:00"), us("2009-12-02T04:59")])
    assert calendar_bins(times, "1d", offset="5h").labels == ["2009-12-01T05:00"]
    assert calendar_bins(times, "1d").labels == ["2009-12-01", "2009-12-02"]


@given(st.lists(st.integers(-5_000, 5_000), min_size=1, max_size=30), st.integers(1, 9))
def test_equal_bins_are_equal(seconds, n_slices):
    times = np.array(seconds) * 1_000_000
    found = equal_bins(times, n_slices)
    low, span = min(seconds), max(seconds) - min(seconds) + 1
    assert found.codes.tolist() == [(s - low) * n_slices // span for s in seconds]
    assert len(found.labels) == len(set(found.labels)) == n_slices


def test_labels_of_equal_bins_do_not_tell_the_first_or_the_last_moment():
    """They depend on the ends only through steps about as wide as a slice: other contacts within these, the same labels."""
    first, last = us("2012-07-01T04:03:07"), us("2012-07-08T03:58:41")
    found = equal_bins(np.array([first, last]), 28)
    others = equal_bins(np.array([us("2012-07-01T05:59:59"), us("2012-07-08T03:00:00")]), 28)
    assert found.labels == others.labels
    assert found.labels[:2] == ["2012-07-01T03:00", "2012-07-01T09:06"]
    cuts = [equal_bins(np.array([first, last, first + i * (last + 1_000_000 - first) // 28]), 28) for i in range(28)]
    assert [int(one.codes[2]) for one in cuts] == [*range(28)]  # the slices themselves are cut where they were


@given(st.integers(-(10**9), 10**9), st.integers(0, 10**8), st.integers(1, 40))
def test_labels_of_equal_bins_are_times_of_the_calendar_in_order(first, span, n_slices):
    times = np.array([first, first + span]) * 1_000_000
    labels = equal_bins(times, n_slices).labels
    if labels[0] != "1":
        starts = [us(label) for label in labels]
        assert starts == sorted(set(starts))
        assert starts[0] <= times[0]
        assert starts[0] % 60_000_000 == 0 or span + 1 < 60 * n_slices


def test_values_are_put_in_numeric_order_where_they_are_numbers():
    assert value_bins(pl.Series(["10", "9", "10"])).labels == ["9", "10"]
    assert value_bins(pl.Series(["b", "a"])).codes.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("values", "options"),
    [
        ([86_400], {}),
        (["86400"], {}),
        (["86400.0"], {}),
        ([86_400.0], {}),
        ([86_400_000], {"time_unit": "ms"}),
        (["1970-01-02"], {}),
        (["1970-01-02 00:00:00"], {}),
        (["1970-01-02T00:00:00Z"], {}),
        (["1970-01-02T02:00:00+02:00"], {}),
        (["1970-01-02T00:00"], {}),
        (["1/2/70 12:00 AM"], {"time_format": "%m/%d/%y %I:%M %p"}),
        ([datetime(1970, 1, 2)], {}),
        ([datetime(1970, 1, 2).date()], {}),
        ([datetime(1970, 1, 2, tzinfo=UTC)], {}),
    ],
)
def test_the_second_of_january_1970_in_many_hands(values, options):
    assert read_moments(pl.Series("t", values), **options).us.tolist() == [DAY]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["soon"], "row 1, column 't': cannot read the time 'soon'"),
        (["5", "x"], "row 2, column 't': cannot read the time 'x' .expected a number"),
        (["2024-01-01", "01.02.2024"], "row 2.*'01.02.2024'"),
        ([1, None], "row 2, column 't': the time is missing"),
        ([1341100972000], "milliseconds"),
        ([float("nan")], "not within the years"),
    ],
)
def test_a_bad_time_is_named_with_its_row(values, message):
    with pytest.raises(RowError, match=message):
        read_moments(pl.Series("t", values))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slice": "1s", "slices": None}, "about 31,536,000 slices; at most 1,000,000"),
        ({"slice": "1 fortnight", "slices": None}, "a slice width looks like"),
        ({"slice": "0d", "slices": None}, "a slice width looks like"),
        ({"slice": "1d", "slices": 3}, "and not both"),
        ({"slice": None, "slices": 0}, "from 1 to 1,000,000"),
        ({"slice": "1d", "slices": None, "timezone": "Mars/Crater"}, "unknown time zone"),
        ({"slice": "1d", "slices": None, "offset": "late"}, "an offset looks like"),
        ({"slice": "1d", "slices": None, "time_unit": "y"}, "a time unit is one of"),
        ({}, "say how to cut time"),
        ({"slices": 3, "timezone": "Europe/Zurich"}, "timezone goes with slices of a width"),
        ({"slice": "value", "offset": "5h"}, "offset goes with slices of a width"),
        ({"slice": ["0"], "time_unit": "ms"}, "time_unit goes with times that are cut"),
        ({"day_first": True}, "day_first goes with times that are cut"),
    ],
)
def test_a_bad_way_to_cut_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        Slicing(**options).cut(pl.Series("t", [0, 31_536_000]))


def test_widths_may_be_multiples():
    assert parse_width("15m") == (15, "m")
    assert calendar_bins(np.array([0, 3_599_000_000]), "15m").labels[-1] == "1970-01-01T00:45"
