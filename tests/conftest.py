"""Shared by all tests: where real data lies, and how much hypothesis may try."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.browser import browser  # noqa: F401 - a fixture for all tests

# Kernels compile on first call, so no deadline; derandomized, so that a red run stays red.
settings.register_profile(
    "shoal", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("shoal")

_PLACES = [Path(p) for p in (os.environ.get("SHOAL_DATA"), Path(__file__).parents[2] / "shared" / "data") if p]


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Path]:
    """The path of a real data file, or a skip that says where it was looked for."""

    def find(name: str) -> Path:
        for place in _PLACES:
            if (place / name).exists():
                return place / name
        pytest.skip(f"{name} is neither in $SHOAL_DATA nor in ../shared/data")

    return find
