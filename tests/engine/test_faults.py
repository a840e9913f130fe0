"""Killed workers, killed drivers, full disks, lost and damaged checkpoints: the same release, or one sentence and none."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

import shoal
from shoal import InputError
from shoal.common.progress import Progress
from shoal.engine.work import open_work
from shoal.large import anonymize_folder
from tests.command import SHOAL
from tests.engine.conftest import hashes

OPTIONS = {"slice": "1d", "seed": 4, "effort": "fast", "shard_people": 100, "report": False}
FLAGS = ["-k", "3", "--slice", "1d", "--seed", "4", "--effort", "fast", "--shard-people", "100", "--no-report", "-q"]


class At(Progress):
    """Does something once, when a stage begins or when its first piece is done."""

    def __init__(self, stage, action, *, at_once=False):
        self.name, self.action, self.at_once = stage, action, at_once

    @contextmanager
    def stage(self, name, total):
        def tell(share):
            if name == self.name and self.action is not None:
                action, self.action = self.action, None
                action()

        if self.at_once:
            tell(0)
        yield tell


class Stopped(Exception):
    pass


def stop():
    raise Stopped


@pytest.fixture
def expected(contacts, tmp_path):
    anonymize_folder(contacts, 3, tmp_path / "expected", **OPTIONS)
    return hashes(tmp_path / "expected")


@pytest.mark.parametrize("stage", ["grouping", "rebuilding"])
def test_a_worker_is_killed(stage, contacts, expected, tmp_path, start_cluster):
    killed = []
    with start_cluster(2) as client:
        processes = client.run(os.getpid)

        def kill():
            busy = [address for address, tasks in client.processing().items() if tasks]
            killed.append(processes[(busy or list(processes))[0]])
            os.kill(killed[0], signal.SIGKILL)

        anonymize_folder(contacts, 3, tmp_path / "out", **OPTIONS, engine=client, progress=At(stage, kill))
        assert killed[0] not in client.run(os.getpid).values()
    assert hashes(tmp_path / "out") == expected
    assert sorted(p.name for p in tmp_path.iterdir()) == ["contacts", "expected", "out"]


def test_a_worker_is_killed_in_memory(start_cluster):
    graph = shoal.datasets.messenger(300, 3)
    whole = shoal.anonymize(graph, 3, seed=1, effort="fast", shard_people=70)
    with start_cluster(2) as client:
        processes = list(client.run(os.getpid).values())
        progress = At("grouping", lambda: os.kill(processes[0], signal.SIGKILL))
        release = shoal.anonymize(graph, 3, seed=1, effort="fast", shard_people=70, engine=client, progress=progress)
    assert release.graph == whole.graph


def _clear(work):
    """Workers of a killed driver may write for a moment longer."""
    shutil.rmtree(work, ignore_errors=True)
    time.sleep(1.0)
    shutil.rmtree(work, ignore_errors=True)


def test_the_driver_is_killed_ten_times(contacts, expected, tmp_path):
    chance, kills, longest = random.Random(9), 0, 4.0
    out, work = tmp_path / "out", tmp_path / "work"
    while kills < 10:
        engine = ["--engine", "dask"] if kills % 5 == 4 else []
        resume = ["--resume"] if (work / "run.json").exists() else []
        _clear(work) if not resume else None
        begun = time.monotonic()
        process = subprocess.Popen(
            [*SHOAL, "anonymize", contacts, *FLAGS, "-o", out, "--work-dir", work, "--jobs", "2", *engine, *resume],
            stderr=subprocess.PIPE,
        )
        try:
            _, error = process.communicate(timeout=chance.uniform(0.5, longest))
            assert process.returncode == 0, error
            assert hashes(out) == expected  # it was done before the shot: once more, and earlier
            longest = max(time.monotonic() - begun, 1.0)
            shutil.rmtree(out)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            kills += 1
            if out.exists():  # killed between its appearance and the end
                assert hashes(out) == expected
                shutil.rmtree(out)
    resume = ["--resume"] if (work / "run.json").exists() else []
    _clear(work) if not resume else None
    last = subprocess.run(
        [*SHOAL, "anonymize", contacts, *FLAGS, "-o", out, "--work-dir", work, *resume], capture_output=True, text=True
    )
    assert (last.returncode, last.stderr) == (0, "")
    assert hashes(out) == expected
    assert sorted(p.name for p in tmp_path.iterdir()) == ["contacts", "expected", "out"]


def test_a_full_disk_is_one_sentence_and_the_work_goes_on(contacts, expected, tmp_path):
    command = [*SHOAL, "anonymize", contacts, *FLAGS, "-o", tmp_path / "out", "--work-dir", tmp_path / "work"]

    def nearly_full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, 3_000))

    uncounted = {name: value for name, value in os.environ.items() if not name.startswith("COV")}  # it writes files too
    failed = subprocess.run(command, capture_output=True, text=True, preexec_fn=nearly_full, env=uncounted)
    assert failed.returncode == 2
    assert "cannot be written" in failed.stderr
    assert len(failed.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()
    again = subprocess.run([*command, "--resume"], capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert hashes(tmp_path / "out") == expected


def test_damaged_checkpoints_are_noticed(contacts, expected, tmp_path):
    work, out = tmp_path / "work", tmp_path / "out"
    with pytest.raises(Stopped):
        anonymize_folder(contacts, 3, out, **OPTIONS, work_dir=work, progress=At("rebuilding", stop))
    for name in ("gather-00002", "release/group-00001", "people-00000"):
        file = work / f"{name}.part"
        content = bytearray(file.read_bytes())
        content[-9] ^= 1
        file.write_bytes(content)
        with pytest.raises(InputError, match=r"this checkpoint is damaged; delete the file, and resume=True"):
            anonymize_folder(contacts, 3, out, **OPTIONS, work_dir=work, resume=True)
        assert not out.exists()
        file.unlink()
    (work / "release" / "group-00000.part").write_bytes(b"")
    with pytest.raises(InputError, match="damaged"):
        anonymize_folder(contacts, 3, out, **OPTIONS, work_dir=work, resume=True)
    (work / "release" / "group-00000.part").unlink()
    anonymize_folder(contacts, 3, out, **OPTIONS, work_dir=work, resume=True)
    assert hashes(out) == expected
    assert not work.exists()


def test_a_lost_work_folder_is_one_sentence(contacts, tmp_path):
    work = tmp_path / "work"
    with pytest.raises(InputError, match="there is nothing to resume"):
        anonymize_folder(contacts, 3, tmp_path / "out", **OPTIONS, work_dir=work, resume=True)
    lose = At("grouping", lambda: shutil.rmtree(work), at_once=True)
    with pytest.raises(InputError, match="the work folder is gone"):
        anonymize_folder(contacts, 3, tmp_path / "out", **OPTIONS, work_dir=work, progress=lose)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["contacts"]


def test_other_work_is_never_taken_for_this(contacts, tmp_path):
    work = tmp_path / "work"
    with pytest.raises(Stopped):
        anonymize_folder(contacts, 3, tmp_path / "out", **OPTIONS, work_dir=work, progress=At("grouping", stop))
    with pytest.raises(InputError, match="begun with another k;"):
        anonymize_folder(contacts, 4, tmp_path / "out", **OPTIONS, work_dir=work, resume=True)
    with pytest.raises(InputError, match="begun with another seed;"):
        anonymize_folder(contacts, 3, tmp_path / "out", **OPTIONS | {"seed": 5}, work_dir=work, resume=True)
    with pytest.raises(InputError, match="is not an empty folder"):
        anonymize_folder(contacts, 3, tmp_path / "out", **OPTIONS, work_dir=work)
    assert oct(work.stat().st_mode)[-3:] == "700"


def test_a_resumed_run_knows_the_draft_of_the_release(tmp_path):
    begun = open_work(tmp_path / "work", {"k": 3, "slices": "1d"}, 7, resume=False)
    assert open_work(tmp_path / "work", {"k": 3, "slices": "1d"}, None, resume=True) == begun


def test_resuming_in_memory(tmp_path):
    graph = shoal.datasets.messenger(500, 4)
    options = {"effort": "fast", "shard_people": 150, "work_dir": tmp_path / "work"}
    with pytest.raises(Stopped):
        shoal.anonymize(graph, 3, **options, progress=At("rebuilding", stop))
    assert len(list((tmp_path / "work").glob("group-*.part"))) == 3
    release = shoal.anonymize(graph, 3, **options, resume=True)
    release.save(tmp_path / "out", report=False)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]
    again = shoal.anonymize(graph, 3, effort="fast", shard_people=150, seed=release.chance.seed)
    assert again.graph == release.graph


KILLED = """
import os, signal, sys
from contextlib import contextmanager
from shoal.cli import console, main
from shoal.common.progress import Progress

class Kill(Progress):
    @contextmanager
    def stage(self, name, total):
        if name == "grouping":
            os.kill(os.getpid(), signal.SIGKILL)
        yield lambda share: None

console.progress = lambda quiet: Kill()
main()
"""


def test_who_is_who_does_not_stay_when_a_run_was_killed(contacts, expected, tmp_path):
    """Without --work-dir a killed run leaves a hidden folder with the ids; the next one there removes it and says so."""
    command = ["anonymize", str(contacts), *FLAGS, "-o", str(tmp_path / "out"), "--private", str(tmp_path / "record")]
    assert subprocess.run([sys.executable, "-c", KILLED, *command]).returncode == -signal.SIGKILL
    (left,) = (path for path in tmp_path.iterdir() if path.name.startswith("."))
    assert left.name.endswith(".work")
    draft = tmp_path / ".record.0a1b2c3d.draft"
    draft.write_text("who is who")
    done = subprocess.run([*SHOAL, *command], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        f"shoal: {path}: was left by a run that was killed, and is removed" for path in (left, draft)
    ]
    assert hashes(tmp_path / "out") == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == ["contacts", "expected", "out", "record"]


def test_an_audit_that_was_killed_leaves_nothing_either(contacts, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    (tmp_path / ".shoal-folder.0a1b2c3d.work").mkdir()
    assert shoal.large.audit_folder(contacts, slice="1d")["people"] > 300
    assert sorted(path.name for path in tmp_path.iterdir()) == ["contacts"]
    assert "was left by a run that was killed" in caplog.text


@pytest.mark.parametrize("flags", [["--format", "parquet"], ["--private", "record.json"], []])
def test_a_full_disk_in_memory_is_one_sentence_and_leaves_nothing(flags, tmp_path):
    rows = [f"person {i},person {(7 * i + day) % 400},{86_400 * day}" for i in range(400) for day in range(3)]
    (tmp_path / "in.csv").write_text("source,target,time\n" + "\n".join(rows) + "\n")

    def nearly_full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000 if "--private" in flags else 1_500,) * 2)

    uncounted = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    command = [
        *SHOAL,
        "anonymize",
        "in.csv",
        "-k",
        "2",
        "--slice",
        "1d",
        "-o",
        "out",
        "--no-report",
        "-q",
        "--origin",
        "1970-01-01",
        *flags,
    ]
    failed = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, preexec_fn=nearly_full, env=uncounted
    )
    assert (failed.returncode, failed.stderr.count("\n")) == (2, 1), failed.stderr
    assert "cannot be written" in failed.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]
