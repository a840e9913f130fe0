"""Contacts that last: from a time to another, they are in every slice between."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.errors import InputError, RowError
from shoal.slicing.options import Slicing
from shoal.slicing.timebins import Bins

MAX_CONTACTS = 50_000_000  # added up over the slices they are in


def cut_spells(times: pl.Series, ends: pl.Series, slicing: Slicing) -> tuple[Bins, np.ndarray]:
    """The slices that contacts with a beginning and an end are in, both included, and the row of each of these.

    Without a beginning a contact lasts from the first slice, without an end to the last.

    >>> bins, rows = cut_spells(pl.Series([1, None]), pl.Series([3, 2]), Slicing("value"))
    >>> bins.codes.tolist(), rows.tolist()
    ([0, 1, 2, 0, 1], [0, 0, 0, 1, 1])
    """
    n_rows = len(times)
    known = times.drop_nulls() if times.null_count() < n_rows else ends.drop_nulls()
    if not len(known):
        raise RowError(0, times.name, "the time is missing")
    both = pl.concat([times.fill_null(known[0]), ends.alias(times.name).fill_null(known[0])])
    try:
        bins = slicing.cut(both)
    except RowError as error:
        column = times.name if error.row < n_rows else ends.name
        raise RowError(error.row % n_rows, column, error.problem) from None
    first = np.where(times.is_null().to_numpy(), 0, bins.codes[:n_rows])
    last = np.where(ends.is_null().to_numpy(), len(bins.labels) - 1, bins.codes[n_rows:])
    if (first > last).any():
        raise RowError(int((first > last).argmax()), ends.name, "the contact ends before it begins")
    lasts = (last - first + 1).astype(np.int64)
    if int(lasts.sum()) > MAX_CONTACTS:
        raise InputError(f"contacts that last are in {int(lasts.sum()):,} slices together; choose wider slices")
    rows = np.repeat(np.arange(n_rows), lasts)
    codes = np.arange(len(rows)) - np.repeat(np.cumsum(lasts) - lasts, lasts) + first[rows]
    return Bins(codes.astype(np.int32), bins.labels, bins.said), rows
