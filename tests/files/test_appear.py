"""A folder and its record: the old pair or the new pair, whenever a run is killed, stopped or out of room."""

from __future__ import annotations

import errno
import logging
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shoal import InputError
from shoal.files.appear import appearing_whole, clear_drafts, clear_leftovers, recover, replacing, working_beside

# Writes a new pair; the n-th time that the file system is asked for something, the process ends.
WRITE = """
import os, signal, sys
from pathlib import Path
from shoal.files.appear import appearing_whole

place, last, count, how = Path(sys.argv[1]), int(sys.argv[2]), 0, sys.argv[3]

def counted(function):
    def call(*args, **options):
        global count
        count += 1
        if count == last:
            if how == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if how == "stop":
                raise SystemExit(130)
            raise OSError(28, "No space left on device")
        return function(*args, **options)
    return call

for name in ("rename", "replace", "fsync", "mkdir", "unlink", "rmdir"):
    setattr(os, name, counted(getattr(os, name)))
record = place / "record" if "record" in sys.argv else None
with appearing_whole(place / "out", record=record, force=True) as (folder, draft):
    (folder / "certificate.json").write_text("new")
    (folder / "more").mkdir()
    (folder / "more" / "edges").write_text("new")
    if draft is not None:
        draft.write_text("new")
"""


def pair(place: Path) -> tuple[str, ...]:
    files = [place / "out" / "certificate.json", place / "out" / "more" / "edges", place / "record"]
    return tuple(file.read_text() for file in files)


def hidden(place: Path) -> list[str]:
    return [path.name for path in place.iterdir() if path.name.startswith(".")]


def old_pair(place: Path) -> None:
    (place / "out" / "more").mkdir(parents=True)
    for file in (place / "out" / "certificate.json", place / "out" / "more" / "edges", place / "record"):
        file.write_text("old")


@pytest.mark.parametrize("how", ["kill", "stop", "full"])
@pytest.mark.parametrize("what", ["record", "alone"])
def test_the_old_pair_or_the_new_whenever_a_run_ends(what, how, tmp_path):
    new = ("new", "new", "new" if what == "record" else "old")
    seen, codes = set(), []
    for step in range(1, 33):
        place = tmp_path / str(step)
        place.mkdir()
        old_pair(place)
        command = [sys.executable, "-c", WRITE, str(place), str(step), how, what]
        done = subprocess.run(command, capture_output=True, text=True)
        codes.append(done.returncode)
        assert how != "kill" or codes[-1] in (0, -signal.SIGKILL), done.stderr
        recover(place / "out")
        seen.add(pair(place))
        assert pair(place) in (("old",) * 3, new), step
        clear_leftovers(place / "out")
        clear_leftovers(place / "record")
        assert hidden(place) == [], step
        assert pair(place) in (("old",) * 3, new), step
    assert seen == {("old",) * 3, new}
    assert codes[1] != 0 == codes[-1]  # every moment was there


def test_what_a_killed_run_left_is_said_in_one_line(tmp_path, caplog):
    old_pair(tmp_path)
    (tmp_path / ".out.0a1b2c3d.draft").mkdir()
    (tmp_path / ".out.0a1b2c3d.work").mkdir()
    (tmp_path / ".outer.0a1b2c3d.draft").mkdir()
    with caplog.at_level(logging.WARNING, "shoal"):
        clear_leftovers(tmp_path / "out")
    assert [record.getMessage() for record in caplog.records] == [
        f"shoal: {tmp_path / name}: was left by a run that was killed, and is removed"
        for name in (".out.0a1b2c3d.draft", ".out.0a1b2c3d.work")
    ]
    assert hidden(tmp_path) == [".outer.0a1b2c3d.draft"]  # of another folder


def test_drafts_of_a_living_run_stay(tmp_path):
    with appearing_whole(tmp_path / "out", record=tmp_path / "record") as (folder, draft):
        (folder / "x").write_text("x")
        draft.write_text("x")
        assert oct(draft.stat().st_mode)[-3:] == "600"
        with working_beside(tmp_path / "out") as work:
            clear_leftovers(tmp_path / "out")
            clear_leftovers(tmp_path / "record")
            clear_drafts(tmp_path)
            assert work.is_dir()
        assert (folder / "x").exists()
        assert draft.exists()
    assert (tmp_path / "out" / "x").read_text() == (tmp_path / "record").read_text() == "x"
    assert hidden(tmp_path) == []


def test_a_folder_that_appears_meanwhile_is_not_replaced(tmp_path):
    def write():
        with appearing_whole(tmp_path / "out", record=tmp_path / "record") as (folder, draft):
            (folder / "x").write_text("new")
            draft.write_text("new")
            old_pair(tmp_path)

    with pytest.raises(InputError, match="appeared while this run was at work"):
        write()
    assert pair(tmp_path) == ("old",) * 3
    assert hidden(tmp_path) == []


def test_two_runs_with_one_draft_are_refused(tmp_path):
    with (
        appearing_whole(tmp_path / "out", "0a1b") as _,
        pytest.raises(InputError, match="another run is writing it"),
        appearing_whole(tmp_path / "out", "0a1b") as _,
    ):
        pass


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path):
    (tmp_path / "file").write_text("old")
    with (
        pytest.raises(InputError, match="file: cannot be written \\(No space left on device\\)"),
        replacing(tmp_path / "file"),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "old")]
    with replacing(tmp_path / "file") as draft:
        draft.write_text("new")
    assert (tmp_path / "file").read_text() == "new"
