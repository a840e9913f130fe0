"""Compiled kernels where the package folder cannot be written, as in system-wide installations and containers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src/shoal"
KERNEL = """
from shoal._numba import njit

@njit
def double(x):
    return 2 * x

@njit
def four_times(x):
    return double(double(x))
"""
USE = """
import json
from shoal._probe import four_times
assert four_times(3) == 12
counts = four_times.stats
print(json.dumps([sum(counts.cache_hits.values()), sum(counts.cache_misses.values())]))
"""
# root may write anywhere; without this capability it may not
BOUND = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]


@pytest.fixture
def read_only(tmp_path):
    """A copy of what a kernel needs in a folder that cannot be written, and a way to run it with a home."""
    package = tmp_path / "site" / "shoal"
    package.mkdir(parents=True)
    for name in ("__init__.py", "_numba.py"):
        shutil.copy(PACKAGE / name, package)
    (package / "_probe.py").write_text(KERNEL)
    as_user = BOUND if os.geteuid() == 0 else []
    if as_user and shutil.which("setpriv") is None:
        pytest.skip("root writes everywhere, and there is no setpriv to keep it from that")
    package.chmod(0o555)
    drop = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA", "PYTHONPATH")
    env = {key: value for key, value in os.environ.items() if key not in drop}

    def run(home: Path, **more: str):
        said = subprocess.run(
            [*as_user, sys.executable, "-c", USE],
            env={**env, "HOME": str(home), "PYTHONPATH": str(package.parent), **more},
            capture_output=True,
            text=True,
        )
        assert said.returncode == 0, said.stderr
        assert sorted(file.name for file in package.iterdir()) == ["__init__.py", "_numba.py", "_probe.py"]
        return json.loads(said.stdout), said.stderr

    yield run
    package.chmod(0o755)


@pytest.mark.skipif(os.name == "nt", reason="permissions of another kind")
def test_kernels_are_kept_in_the_users_cache(read_only, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    assert read_only(home) == ([0, 1], "")
    assert list(home.rglob("*.nbi"))
    assert read_only(home) == ([1, 0], "")  # nothing is compiled again


@pytest.mark.skipif(os.name == "nt", reason="permissions of another kind")
def test_without_any_folder_it_works_and_says_so_once(read_only, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o555)
    _, said = read_only(home)
    assert said.count("compiled kernels cannot be kept") == 1
    assert "NUMBA_CACHE_DIR" in said
    cache = tmp_path / "cache"
    assert read_only(home, NUMBA_CACHE_DIR=str(cache)) == ([0, 1], "")
    assert read_only(home, NUMBA_CACHE_DIR=str(cache)) == ([1, 0], "")
