"""Shared by all tests: where real data lies, and how much hypothesis may try."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.browser import browser  # noqa: F401 - a fixture for all tests
from tests.uncompiled import UNCOMPILED, examples, run_kernels_as_python

if UNCOMPILED:
    run_kernels_as_python()

# Kernels compile on first call, so no deadline; derandomized, so that a red run stays red.
settings.register_profile(
    "shoal", examples(60), deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("shoal")

# The files that take longest, by turns one of each half.
LONG = ["docs/test_examples", "web/test_walk", "docs/test_worked", "paper/test_paper", "cli/test_stopping", "packaging/test_wheel",
        "engine/test_faults", "packaging/test_compiling", "engine/test_engines", "test_most_people"]  # fmt: skip
_PLACES = [Path(p) for p in (os.environ.get("SHOAL_DATA"), Path(__file__).parents[2] / "shared" / "data") if p]


def pytest_configure(config: pytest.Config) -> None:
    """Compiled kernels let whole numbers wrap around in silence; numpy does the same, and warns."""
    if UNCOMPILED:
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered in scalar:RuntimeWarning")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile side by side before the tests, which would otherwise compile the same kernels in every process of theirs."""
    if not UNCOMPILED and not hasattr(session.config, "workerinput"):
        from tests.compiled import warm_up

        warm_up(getattr(session.config, "cache", None))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without compiled kernels, leave out what would take hours; what takes long comes first."""
    for item in items:
        if UNCOMPILED and item.get_closest_marker("compiled"):
            item.add_marker(pytest.mark.skip(reason="takes hours without compiled kernels"))
    items[:] = long_first(items)


def long_first(items: list[pytest.Item]) -> list[pytest.Item]:
    """The files that take longest begin: at the end, one core would wait for the other.

    Two processes begin with a half of the list each and take over from the end of each other's, so both halves begin so.
    """
    place = {f"{name}.py": i for i, name in enumerate(LONG)}
    turn = {id(item): place.get(item.nodeid.partition("::")[0].removeprefix("tests/"), len(LONG)) for item in items}
    first, second = ([one for i in range(half, len(LONG), 2) for one in items if turn[id(one)] == i] for half in (0, 1))
    short = [item for item in items if turn[id(item)] == len(LONG)]
    half = max(len(items) // 2 - len(first), 0)
    return first + short[:half] + second + short[half:]


def pytest_collection_finish() -> None:
    """What importing and collecting made stays to the end: the garbage collector need not look at it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Path]:
    """The path of a real data file, or a skip that says where it was looked for."""

    def find(name: str) -> Path:
        if UNCOMPILED:
            pytest.skip("real data take hours without compiled kernels")
        for place in _PLACES:
            if (place / name).exists():
                return place / name
        pytest.skip(f"{name} is neither in $SHOAL_DATA nor in ../shared/data")

    return find
