"""The graphs that are measured, by name."""

from __future__ import annotations

import os
from pathlib import Path

import shoal
from shoal.datasets import messenger

DATA = [Path(p) for p in (os.environ.get("SHOAL_DATA"), Path(__file__).parents[2] / "shared" / "data") if p]

SETS = {
    "Enron months": ("enron-jhu184/edges.csv.gz", {"slice": "1mo"}),
    "Enron weeks": ("enron-jhu184/edges.csv.gz", {"slice": "1w"}),
    "Enron days": ("enron-jhu184/edges.csv.gz", {"slice": "1d"}),
    "Irvine weeks": ("uci-collegemsg/edges.csv.gz", {"slice": "1w"}),
    "Irvine days": ("uci-collegemsg/edges.csv.gz", {"slice": "1d"}),
    "Aarhus layers": ("cs-aarhus/edges.csv.gz", {}),
    "Copenhagen days": ("copenhagen/edges.csv.gz", {"slice": "1d"}),
    "primary school hours": ("sociopatterns-primary-school/edges.csv.gz", {"slice": "1h"}),
    "primary school days": ("sociopatterns-primary-school/edges.csv.gz", {"slice": "1d"}),
    "Travian days": ("travian/edges.csv.gz", {"slice": "1d", "offset": "5h"}),
    "DBLP years": ("dblp-coauth-1970-1990/edges.csv.gz", {"slice": "value"}),
    "Higgs days": ("higgs-twitter/edges.csv.gz", {"slice": "1d"}),
    "Higgs days, directed": ("higgs-twitter/edges.csv.gz", {"slice": "1d", "directed": True}),
    "Irvine weeks, directed": ("uci-collegemsg/edges.csv.gz", {"slice": "1w", "directed": True}),
    "messenger 10^4": (10_000, {}),
    "messenger 10^5": (100_000, {}),
    "messenger 2·10^5": (200_000, {}),
    "messenger 10^6": (1_000_000, {}),
}


def find(name: str) -> Path | None:
    """The file of a real set, or None where the data is not there."""
    return next((place / str(SETS[name][0]) for place in DATA if (place / str(SETS[name][0])).exists()), None)


def available(name: str) -> bool:
    return isinstance(SETS[name][0], int) or find(name) is not None


def load(name: str) -> shoal.TemporalGraph:
    source, options = SETS[name]
    if isinstance(source, int):
        return messenger(source, seed=0)
    file = find(name)
    if file is None:
        raise FileNotFoundError(f"{source} is neither in $SHOAL_DATA nor in ../shared/data")
    return shoal.read(file, **options)
