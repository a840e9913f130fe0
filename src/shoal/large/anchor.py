"""What the chunks of a folder tell together: whose days come first in dates, which slices there are, which grid times lie on."""

from __future__ import annotations

import hashlib
import io
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.contacts.behind import Clock, grid_of, make_clock
from shoal.contacts.slices import Sliced, encode_slices
from shoal.engine import Result
from shoal.engine.parts import Array, load
from shoal.errors import InputError, RowError
from shoal.slicing import Slicing
from shoal.slicing.timeforms import TimeForm

ORDERS = {"as it is": None, "day": True, "month": False}  # how dates of two meanings may be read
MIXED = "some dates in it are written day first and some month first"


class Anchor(NamedTuple):
    """Rows that stand for all: with them before it, a chunk is cut into slices as the whole is. `times` are moments or values."""

    times: pl.Series | None
    layers: pl.Series | None
    order: bool | None = None


def packed(values: pl.Series) -> np.ndarray:
    """A column as bytes, whatever it holds."""
    stream = io.BytesIO()
    values.alias("value").to_frame().write_ipc(stream)
    return np.frombuffer(stream.getvalue(), np.uint8)


def unpacked(array: Array) -> pl.Series:
    """The column that was packed."""
    return pl.read_ipc(io.BytesIO(load(array).tobytes()))["value"]


def times_of(times: pl.Series, slicing: Slicing) -> dict[str, Any]:
    """What the times of a chunk tell about all: the first, the last, one that is no whole second; for each way to read them."""
    given = slicing.day_first
    wanted = {"as it is": given} if times.dtype != pl.String or given is not None else ORDERS
    found: dict[str, Any] = {}
    for name, order in wanted.items():
        try:
            us, relative, said, form = replace(slicing, day_first=order).moments(times)
        except InputError as error:
            if len(wanted) == 1 or (name == "month" and all(one is None for one in found.values())):
                raise
            found[name] = None if isinstance(error, RowError) else str(error)
            continue
        fine = us[us % 1_000_000 != 0][:1].tolist()
        digest = hashlib.blake2b(us.tobytes(), digest_size=16).hexdigest()
        found[name] = {"ends": [int(us.min()), int(us.max()), *fine], "relative": relative, "said": said, "us": digest,
                       "grid": grid_of(us), "form": form}  # fmt: skip
    return found


def anchor_of(looks: list[Result]) -> tuple[Anchor, tuple[str, ...]]:
    """Rows that cut every chunk as the whole is cut, and what was assumed about times."""
    values = {role: _distinct([done.arrays[role] for done in looks]) if role in looks[0].arrays else None
              for role in ("time", "layer")}  # fmt: skip
    if "times" not in looks[0].facts:
        return Anchor(values["time"], values["layer"]), ()
    order, chosen = _chosen(looks)
    relative = all(one["relative"] for one in chosen)
    us = np.unique([end for one in chosen for end in one["ends"]])
    said = tuple(dict.fromkeys(text for one in chosen for text in one["said"] if relative or not one["relative"]))
    return Anchor(as_times(us, relative), values["layer"], order), said


def clock_of(looks: list[Result], spans: np.ndarray | None, slicing: Slicing) -> Clock:
    """How times of all chunks are written, and the grid they lie on."""
    chosen = _chosen(looks)[1]
    assert spans is not None  # times are kept in slices of a width alone
    return make_clock(spans, [tuple(one["grid"]) for one in chosen], TimeForm(*chosen[0]["form"]), slicing)


def _chosen(looks: list[Result]) -> tuple[bool | None, list[dict[str, Any]]]:
    """Whether days come first in dates, and what every chunk tells about its times read so."""
    read = [done.facts["times"] for done in looks]
    order = _order(read)
    name = next(name for name, value in ORDERS.items() if value is order)
    chosen = [one.get(name, one["as it is"]) for one in read]
    if not all(isinstance(one, dict) for one in chosen):
        raise InputError(MIXED)
    return order, chosen


def _order(read: list[dict[str, Any]]) -> bool | None:
    """Whether days come first in dates, where some chunk proves it; None where there is no doubt."""
    doubts = [one for one in read if len(one) > 1 and not _same(one["day"], one["month"])]
    proofs = {_same(one["as it is"], one["day"]) for one in doubts if isinstance(one["as it is"], dict)}
    if not proofs and doubts:
        raise InputError(next(one["as it is"] for one in doubts))
    if len(proofs) > 1:
        raise InputError(MIXED)
    return proofs.pop() if proofs else None


def _same(one: Any, other: Any) -> bool:
    return isinstance(one, dict) and isinstance(other, dict) and one["us"] == other["us"]


def as_times(us: np.ndarray, relative: bool) -> pl.Series:
    """Moments as `timebins` takes them: numbers where they count from some beginning, else dates."""
    return pl.Series("time", us) if relative else pl.Series("time", us).cast(pl.Datetime("us"))


def _distinct(arrays: list[Array]) -> pl.Series:
    columns = [unpacked(array) for array in arrays]
    if len({column.dtype for column in columns}) > 1:
        columns = [column.cast(pl.String) for column in columns]
    return pl.concat(columns).unique().sort()


def slices_of(anchor: Anchor, times: pl.Series | None, layers: pl.Series | None, slicing: Slicing) -> Sliced:
    """The slice of every row, and the slices of the whole."""
    length = max(len(column) if column is not None else 0 for column in anchor[:2])
    both: list[pl.Series | None] = []
    for before, here in ((anchor.times, times), (anchor.layers, layers)):
        if before is None:
            both.append(None)
            continue
        first = before.gather(np.arange(length) % len(before))
        both.append(first if here is None else pl.concat([first, here.cast(before.dtype).alias(first.name)]))
    counted = slicing.slice != "value" and both[0] is not None and both[0].dtype.is_numeric()
    read = replace(slicing, time_format=None, day_first=None, origin=None, time_unit="us" if counted else "s")
    found = encode_slices(both[0], both[1], None, read)
    return found._replace(codes=found.codes[length:])
