"""How times are written: numbers stay numbers of the same unit and origin, dates and moments are ISO 8601."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

_DAY, _MINUTE, _SECOND = 86_400_000_000, 60_000_000, 1_000_000


class TimeForm(NamedTuple):
    """What a column of times was made of: numbers of a `unit` that count from `origin` (microseconds), or moments.

    `zoned` moments said how far they are from UTC; they are written in the time zone of the slices.
    """

    unit: float | None = None
    origin: int = 0
    zoned: bool = False

    def written(self, us: np.ndarray, timezone: str = "UTC", like: np.ndarray | None = None) -> pl.Series:
        """Microseconds as the input had its times; as finely as the finest of them, or of those they are to be `like`.

        >>> TimeForm(1_000_000).written(np.array([1_500_000, 3_000_000])).to_list()
        [1.5, 3.0]
        >>> TimeForm().written(np.array([0, 3_600_000_000])).to_list()
        ['1970-01-01T00:00', '1970-01-01T01:00']
        """
        like = us if like is None else like
        if self.unit is not None:
            return pl.Series("time", self._numbers(us - self.origin, like - self.origin))
        step = next((step for step in (_DAY, _MINUTE, _SECOND) if not (like % step).any()), 1)
        forms = {_DAY: "%Y-%m-%d", _MINUTE: "%Y-%m-%dT%H:%M", _SECOND: "%Y-%m-%dT%H:%M:%S", 1: "%Y-%m-%dT%H:%M:%S%.6f"}
        moments = pl.Series("time", us).cast(pl.Datetime("us", "UTC"))
        if not self.zoned:
            return moments.dt.to_string(forms[step])
        return moments.dt.convert_time_zone(timezone).dt.to_string(forms[min(step, _MINUTE)] + "%:z")

    def _numbers(self, us: np.ndarray, like: np.ndarray) -> np.ndarray:
        assert self.unit is not None
        if self.unit < 1:  # nanoseconds
            return us * round(1 / self.unit)
        unit = int(self.unit)
        return us / unit if (like % unit).any() else us // unit
