"""One thing at a time, each in a process of its own: cancelling is killing it, and its memory returns.

The curve of costs is only a help, so it gives way: it is stopped when anything else is asked for, and goes on afterwards.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from dataclasses import dataclass

from shoal.web.store import Job


@dataclass
class Task:
    """Something a job was asked to do."""

    job: Job
    kind: str
    end: str = ""  # the status it gets when it was killed


class Queue:
    """Tasks waiting, and the one under way."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.waiting: list[Task] = []
        self.running: Task | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._wake = asyncio.Event()
        self._idle = asyncio.Condition()

    def add(self, job: Job, kind: str) -> None:
        """Do this when its turn comes; what it replaces is gone from now on."""
        job.forget(kind)
        job.set_status(kind, "waiting")
        self.waiting.append(Task(job, kind))
        if kind != "curve" and self.running is not None and self.running.kind == "curve":
            self._kill("waiting")
        self._wake.set()

    def resume(self, job: Job, kind: str) -> None:
        """Go on with what was interrupted, keeping what there is of it."""
        job.set_status(kind, "waiting")
        self.waiting.append(Task(job, kind))
        self._wake.set()

    async def cancel(self, job: Job, *kinds: str) -> None:
        """Stop these tasks of a job, or all of them, and come back when they are stopped."""
        for task in [t for t in self.waiting if t.job is job and (not kinds or t.kind in kinds)]:
            self.waiting.remove(task)
            job.set_status(task.kind, "cancelled")
        now = self.running
        if now is not None and now.job is job and (not kinds or now.kind in kinds):
            self._kill("cancelled")
            async with self._idle:
                await self._idle.wait_for(lambda: self.running is not now)

    def _kill(self, end: str) -> None:
        assert self.running is not None
        self.running.end = end
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL) if hasattr(os, "killpg") else self._process.kill()

    async def work(self) -> None:
        """Work until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self.waiting:
                task = min(self.waiting, key=lambda t: t.kind == "curve")
                self.waiting.remove(task)
                await self._do(task)

    async def _do(self, task: Task) -> None:
        self.running = task
        try:
            task.job.set_status(task.kind, "running")
            await self._start(task)
            assert self._process is not None
            code = await self._process.wait()
        except OSError:  # no process or no room on the disk: this task fails, the next may not
            code = 1
        except asyncio.CancelledError:  # the server stops
            self._kill("interrupted")
            if self._process is not None:
                await self._process.wait()  # its pipes close before the loop does, which would complain
            raise
        self._process = None
        async with self._idle:
            self.running = None
            if task.job.folder.exists():
                task.job.tidy()
                task.job.set_status(task.kind, task.end or ("done" if code == 0 else "failed"))
                if task.end == "waiting":
                    self.waiting.append(task)
                    task.end = ""
            self._idle.notify_all()

    async def _start(self, task: Task) -> None:
        """A worker ends when its standard input does, so that none outlives the server."""
        command = [sys.executable, "-P", "-m", "shoal.web.work", str(task.job.folder), task.kind, str(self.most_bytes)]
        with open(task.job.folder / "work.log", "wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        if task.end:  # cancelled while it started
            self._kill(task.end)
