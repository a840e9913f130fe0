"""What a release says about people, for verify: attributes that split crowds, and a column of which every crowd has several values.

Shares no code with what chose them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from shoal.audit._released import Check, Released

_ANY = "*"


def alike(claims: dict[str, Any], part: Released) -> np.ndarray:
    """Everybody's attributes as one number: the crowd they begin in."""
    n, columns = len(part.people), claims["attributes"]["columns"] if "attributes" in claims else []
    crowd = np.zeros(n, np.int64)
    for column in columns:
        codes = part.columns[column].rank("dense").to_numpy().astype(np.int64)
        crowd = np.unique(crowd * (n + 1) + codes, return_inverse=True)[1]
    return crowd


def values_of(claims: dict[str, Any], part: Released) -> np.ndarray | None:
    """The sensitive value of everybody as a number, -1 where none is told; None where there is no such column."""
    if "sensitive" not in claims:
        return None
    column = part.columns[claims["sensitive"]["column"]]
    return np.where((column == _ANY).to_numpy(), -1, column.rank("dense").to_numpy().astype(np.int64))


def fewest_values(crowd: np.ndarray, values: np.ndarray) -> int:
    """The smallest number of different values in a crowd that tells any."""
    told = values >= 0
    pairs = pl.DataFrame({"crowd": crowd[told], "value": values[told]}).unique()
    counts = pairs.group_by("crowd").len()["len"]
    return int(counts.min()) if len(counts) else np.iinfo(np.int64).max  # type: ignore[arg-type]


def check_traits(claims: dict[str, Any], part: Released, fewest: int) -> list[Check]:
    """Whether stars and people whose value is withheld are as many as claimed, and every crowd has enough different values."""
    checks = []
    if "attributes" in claims:
        said, columns = claims["attributes"]["starred"], claims["attributes"]["columns"]
        found = sum(int((part.columns[name] == _ANY).sum()) for name in columns)
        detail = f"{found:,} values of {len(columns)} attributes"
        checks.append(Check("as many attributes are * as the certificate says", found == said, detail))
    if "sensitive" in claims:
        column, diverse = claims["sensitive"]["column"], claims["sensitive"]["diverse"]
        withheld = int((part.columns[column] == _ANY).sum())
        enough = fewest >= diverse
        some = "no value is told" if fewest == np.iinfo(np.int64).max else f"the fewest are {fewest:,}"
        name = f"every crowd has at least {diverse} different values of the sensitive column, or tells none"
        checks.append(Check(name, enough, some))
        said = claims["sensitive"]["withheld"]
        checks.append(Check("as many values are withheld as the certificate says", withheld == said, f"{withheld:,}"))
    return checks
