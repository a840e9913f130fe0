"""Ctrl-C at any moment: one sentence, exit code 130, and nothing but what may be resumed."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys

import pytest

from tests.engine.conftest import hashes

# The command line, with somebody who presses Ctrl-C when a stage has come so far.
PRESSED = """
import os, signal, sys
from contextlib import contextmanager
from shoal.cli import console, main
from shoal.common.progress import Progress

stage, share = sys.argv.pop(1), float(sys.argv.pop(1))

class Press(Progress):
    @contextmanager
    def stage(self, name, total):
        def tell(done):
            global stage
            if name == stage and done >= share:
                stage = None
                os.kill(os.getpid(), signal.SIGINT)
        tell(0.0)
        yield tell

console.progress = lambda quiet: Press()
main()
"""
FLAGS = ["-k", "3", "--slice", "1d", "--seed", "4", "--effort", "fast", "--no-report", "-q"]


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    place = tmp_path_factory.mktemp("expected")
    chance = random.Random(2)
    rows = [(chance.randrange(300), chance.randrange(300), chance.randrange(4 * 86_400)) for _ in range(2_000)]
    (place / "in.csv").write_text("source,target,time\n" + "".join(f"{u},{v},{t}\n" for u, v, t in rows))
    done = run(place / "in.csv", "nothing", 1, place / "out", "--jobs", "2")
    assert (done.returncode, done.stderr) == (0, "")
    return place / "in.csv", hashes(place / "out")


def run(file, stage, share, out, *more):
    command = [sys.executable, "-c", PRESSED, stage, str(share), "anonymize", file, *FLAGS, "-o", out, *more]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("more", [["--jobs", "1"], ["--jobs", "2", "--shard-people", "100"]])
@pytest.mark.parametrize(
    ("stage", "share"), [("grouping", 0), ("grouping", 0.3), ("grouping", 0.6), ("rebuilding", 0.5)]
)
def test_ctrl_c_stops_and_leaves_nothing(stage, share, more, expected, tmp_path):
    file, _ = expected
    stopped = run(file, stage, share, tmp_path / "out", "--private", tmp_path / "record.json", *more)
    assert (stopped.returncode, stopped.stderr) == (130, "shoal: stopped; nothing was written\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("stage", "share"), [("grouping", 0.3), ("grouping", 0.6), ("rebuilding", 0.5)])
def test_what_ctrl_c_leaves_in_the_work_folder_is_that_of_the_seed(stage, share, expected, tmp_path):
    file, whole = expected
    stopped = run(file, stage, share, tmp_path / "out", "--work-dir", tmp_path / "work", "--jobs", "2")
    assert (stopped.returncode, stopped.stderr) == (130, "shoal: stopped; nothing was written\n")
    assert [p.name for p in tmp_path.iterdir()] == ["work"]
    resumed = run(file, "nothing", 1, tmp_path / "out", "--work-dir", tmp_path / "work", "--resume")
    assert (resumed.returncode, resumed.stderr) == (0, "")
    assert hashes(tmp_path / "out") == whole


def test_ctrl_c_with_a_cluster(expected, tmp_path):
    file, whole = expected
    pytest.importorskip("distributed")
    more = ["--work-dir", tmp_path / "work", "--engine", "dask", "--jobs", "2", "--shard-people", "100"]
    stopped = run(file, "grouping", 0.3, tmp_path / "out", *more)
    assert (stopped.returncode, stopped.stderr) == (130, "shoal: stopped; nothing was written\n")
    assert [p.name for p in tmp_path.iterdir()] == ["work"]
    resumed = run(file, "nothing", 1, tmp_path / "out", *more[:2], *more[4:], "--resume")
    assert (resumed.returncode, resumed.stderr) == (0, "")
    run(file, "nothing", 1, tmp_path / "again", *more[4:])
    assert hashes(tmp_path / "out") == hashes(tmp_path / "again") != whole


def test_ctrl_c_after_the_release_is_there_says_so(expected, tmp_path):
    file, whole = expected
    late = "import shoal.cli.console as c, os, signal\nc.describe_release = lambda r: os.kill(os.getpid(), signal.SIGINT) or []\n"
    flags = [flag for flag in FLAGS if flag != "-q"]
    command = [sys.executable, "-c", late + PRESSED, "nothing", "1", "anonymize", file, *flags, "-o", tmp_path / "out"]
    stopped = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)
    assert (stopped.returncode, stopped.stderr) == (130, f"shoal: stopped; {tmp_path / 'out'} is there, whole\n")
    assert hashes(tmp_path / "out") == whole
    assert json.loads((tmp_path / "out" / "certificate.json").read_text())["k"] == 3


def test_sigterm_is_still_silent(expected, tmp_path):
    file, _ = expected
    script = PRESSED.replace("signal.SIGINT", "signal.SIGTERM")
    command = [sys.executable, "-c", script, "grouping", "0.3", "anonymize", file, *FLAGS, "-o", tmp_path / "out"]
    stopped = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)
    assert (stopped.returncode, stopped.stderr) == (128 + signal.SIGTERM, "")
    assert list(tmp_path.iterdir()) == []
