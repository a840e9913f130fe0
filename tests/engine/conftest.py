"""Clusters, folders of contacts and hashes for the tests of engines."""

from __future__ import annotations

import hashlib

import numpy as np
import polars as pl
import pytest

import shoal


@pytest.fixture(scope="session")
def start_cluster():
    """A cluster of so many worker processes on this machine, and a client of it."""
    import contextlib

    from distributed import Client, LocalCluster

    @contextlib.contextmanager
    def start(n_workers):
        with (
            LocalCluster(
                n_workers=n_workers, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0",
                silence_logs="CRITICAL",
            ) as cluster,
            Client(cluster, set_as_default=False) as client,
        ):  # fmt: skip
            yield client

    return start


@pytest.fixture
def contacts(tmp_path):
    """400 people over 4 days in a folder of Parquet: three files that have nothing to do with the days."""
    graph = shoal.datasets.messenger(400, 4, seed=3)
    edges = np.concatenate([graph.edges(t) for t in range(4)]).astype(np.int64) * 7 + 1_000
    day = np.repeat(np.arange(4), graph.slice_sizes())
    frame = pl.DataFrame({"source": edges[:, 0], "target": edges[:, 1], "time": day * 86_400 + 5}).sample(
        fraction=1, shuffle=True, seed=1
    )
    folder = tmp_path / "contacts"
    folder.mkdir()
    for i in range(3):
        frame[i::3].write_parquet(folder / f"{i}.parquet")
    return folder


def hashes(folder):
    """Every file of a folder, with what is in it."""
    files = (file for file in sorted(folder.rglob("*")) if file.is_file())
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
