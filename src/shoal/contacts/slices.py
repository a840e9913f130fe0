"""From times and layers of contacts to the slices they are in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.errors import InputError, RowError
from shoal.slicing import Slicing, spells, timebins


class Sliced(NamedTuple):
    """The slice of every contact, its row where contacts last, (label, layer, start) of every slice, and what was assumed.

    `spans` is (T, 2) from when until when each slice lasts, where it has a width.
    """

    codes: np.ndarray
    rows: np.ndarray | None
    labels: Iterable[tuple[str, str | None, str | None]]
    said: tuple[str, ...] = ()
    spans: np.ndarray | None = None


def encode_slices(
    times: pl.Series | None, layers: pl.Series | None, ends: pl.Series | None, slicing: Slicing
) -> Sliced:
    """Cut contacts into slices: layers in name order, bins in time order; a row that lasts is a contact in every bin it touches."""
    if times is not None and len(times) == 0:
        raise InputError("there are no contacts, so there is no time span to cut into slices")
    if times is None and (slicing.cuts or ends is not None):
        raise InputError("a slice width was given but no time column")
    rows = None
    bins = None
    if times is not None and ends is not None:
        bins, rows = spells.cut_spells(times, ends, slicing)
    elif times is not None:
        bins = slicing.cut(times)
    if layers is None:
        if bins is None:
            return Sliced(np.empty(0, np.int32), None, [("all", None, None)])
        return Sliced(bins.codes, rows, ((label, None, label) for label in bins.labels), bins.said, _spans(bins, 1))
    if layers.null_count():
        raise RowError(int(layers.is_null().arg_max() or 0), layers.name, "the layer is missing")
    names = timebins.value_bins(layers)
    if bins is None:
        return Sliced(names.codes, None, ((layer, layer, None) for layer in names.labels))
    if len(names.labels) * len(bins.labels) > timebins.MAX_SLICES:
        raise InputError(
            f"layers and time bins together give more than {timebins.MAX_SLICES:,} slices; choose wider bins"
        )
    of_rows = names.codes if rows is None else names.codes[rows]
    codes = of_rows * np.int32(len(bins.labels)) + bins.codes
    parts = [(f"{layer}/{label}", layer, label) for layer in names.labels for label in bins.labels]
    if len({part[0] for part in parts}) < len(parts):
        raise InputError(
            "two slices would have the same label, because layers and times both have a '/' in their names"
        )
    return Sliced(codes, rows, parts, bins.said, _spans(bins, len(names.labels)))


def _spans(bins: timebins.Bins, n_layers: int) -> np.ndarray | None:
    return None if bins.ends is None else np.tile(np.column_stack([bins.ends[:-1], bins.ends[1:]]), (n_layers, 1))
