"""Kernels compiled ahead of their first use, in processes side by side that fill one cache.

numba compiles one kernel at a time in a process. So each room of the house (`shoal.rooms`) gets a process of its own, as many at
a time as there are cores, which runs its stage once on a few made-up people. Nothing depends on it: what a run does not find in
the cache it compiles itself, and numba's own index knows whether a kernel was compiled from these sources, for this
processor and by this numba. A file beside the kernels says that the rooms have been prepared; it only saves the asking.
"""

from __future__ import annotations

import functools
import hashlib
import os
import selectors
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from shoal.common.progress import COMPILING, Progress, usable_cores

# How many kernels a room has, so that somebody who waits knows how long; the longest first.
ROOMS = {"group": 42, "realize": 20, "rebuild": 30, "retie": 21, "report": 17}


def warm(progress: Progress, *, jobs: int | None = None, again: bool = False) -> int:
    """Compile what a default run needs unless that was done before; returns how many kernels were compiled.

    ``again`` looks into every room also where the file says that all are ready.
    """
    stamp = _stamp()
    if stamp is None or (stamp.exists() and not again):
        return 0
    total, done, waiting = sum(ROOMS.values()), 0, list(ROOMS)
    running: dict[int, subprocess.Popen[bytes]] = {}
    with progress.stage(COMPILING, total) as tell, selectors.DefaultSelector() as heard:
        try:
            while waiting or running:
                while waiting and len(running) < (jobs or usable_cores()):
                    room = _begin(waiting.pop(0))
                    assert room.stdout is not None
                    running[heard.register(room.stdout, selectors.EVENT_READ).fd] = room
                for key, _ in heard.select():
                    said = os.read(key.fd, 1 << 12)
                    done += said.count(b"\n")
                    tell(min(done / total, 1.0))
                    if not said:
                        heard.unregister(key.fd)
                        running.pop(key.fd).communicate()
        except OSError:
            pass  # no processes to be had here; the run compiles by itself
        finally:
            for room in running.values():
                room.kill()
                room.communicate()
    with suppress(OSError):
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    return done


def _begin(name: str) -> subprocess.Popen[bytes]:
    """A process that prepares a room. Without -P it would import what lies in the folder we happen to be in."""
    command, nowhere = [sys.executable, "-P", "-m", "shoal.rooms", name], subprocess.DEVNULL
    return subprocess.Popen(command, stdin=nowhere, stdout=subprocess.PIPE, stderr=nowhere)  # noqa: S603 - ourselves


@functools.cache
def _stamp() -> Path | None:
    """The file that says that all rooms are ready, here and now; None where kernels are not compiled or cannot be kept."""
    from shoal._numba import kept_in, made_for, sources
    from shoal.group._search_kernels import anneal

    folder = kept_in(anneal)
    if folder is None:
        return None
    name = hashlib.blake2b(repr((made_for(), sources())).encode(), digest_size=8).hexdigest()
    return folder / f"warm-{name}"
