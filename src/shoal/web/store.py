"""The work folder: one folder per job, named by 128 random bits, readable by its owner only.

Nothing that comes from outside becomes a path: the name of an uploaded file is a label in `state.json`. The server alone
writes `state.json`; workers write `<kind>.json` beside it. Deleting a job removes its folder.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import time
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.files.appear import replacing

_ID = re.compile(r"[0-9a-f]{32}")
# What a job can be asked to do, in this order; whatever comes later is made from what came before.
KINDS = ("people", "look", "audit", "curve", "compare", "run", "attack")
_MADE = {
    "people": ("people.json",),
    "look": ("look.json",),
    "audit": ("audit.json",),
    "curve": ("curve.json", "sweep"),
    "compare": ("compare.json",),
    "run": ("run.json", "release", "release.zip", "private.json", "exact", "crowds.svg", "slices.svg", "before"),
    "attack": ("attack.json", "attack.svg"),
}


# Files beside the contacts, and what they are called in the folder of a job.
BESIDE = {"people": "people.table", "second": "second", "before": "before.zip", "record": "before.json"}


def default_folder() -> Path:
    """Where the platform keeps data of programs."""
    base = os.environ.get("XDG_DATA_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".local" / "share") / "shoal"


def write_json(file: Path, content: Any, *, durable: bool = True) -> None:
    """Write a file whole or not at all."""
    with replacing(file, durable=durable) as draft:
        draft.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def read_json(file: Path) -> Any:
    """The content, or None where there is none."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


class Job:
    """One uploaded file and everything made of it."""

    def __init__(self, folder: Path, state: dict[str, Any]) -> None:
        self.folder, self.state = folder, state

    @property
    def id(self) -> str:
        """The unguessable name."""
        return self.folder.name

    @property
    def input(self) -> Path:
        """The uploaded file."""
        return self.folder / "input"

    @property
    def size(self) -> int:
        """Bytes of the uploaded file, also when it was deleted."""
        return self.input.stat().st_size if self.input.exists() else int(self.state["size"])

    def beside(self, name: str) -> Path:
        """A file beside the contacts, whether it is there or not."""
        return self.folder / BESIDE[name]

    def forget_beside(self, *names: str) -> None:
        """Remove such files, and what the page says of them."""
        for name in names or BESIDE:
            self.beside(name).unlink(missing_ok=True)
            self.state.setdefault("beside", {}).pop(name, None)
            if name in _MADE:
                self.forget(name)
        self.save()

    def status(self, kind: str) -> str:
        """'', waiting, running, done, failed, cancelled or interrupted."""
        return str(self.state["status"].get(kind, ""))

    def set_status(self, kind: str, status: str) -> None:
        """Remember it on the disk."""
        self.state["status"][kind] = status
        self.save()

    def result(self, kind: str) -> Any:
        """What the worker wrote, or None."""
        return read_json(self.folder / f"{kind}.json")

    def progress(self) -> dict[str, Any]:
        """How far the worker is."""
        return read_json(self.folder / "progress.json") or {}

    def save(self) -> None:
        """Write state.json."""
        write_json(self.folder / "state.json", self.state)

    def forget(self, kind: str) -> None:
        """Remove what this step made, and what later steps made of it."""
        for later in KINDS[KINDS.index(kind) :] if kind in ("look", "audit", "run") else (kind,):
            self.state["status"].pop(later, None)
            for name in _MADE[later]:
                _remove(self.folder / name)
        self.tidy()
        self.save()

    def tidy(self) -> None:
        """Remove what a killed worker left half-written."""
        for leftover in self.folder.glob(".*"):
            _remove(leftover)
        _remove(self.folder / "progress.json")


class Store:
    """All jobs of a work folder, kept in memory and on the disk."""

    def __init__(self, folder: Path) -> None:
        self.root = Path(os.path.abspath(folder))
        self.jobs: dict[str, Job] = {}
        os.umask(0o077)
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.root.chmod(0o700)
            self._lock()
        except OSError as error:
            raise InputError(f"{self.root}: cannot be used as a work folder ({error.strerror})") from None
        self._load()

    def _lock(self) -> None:
        """One server per folder; the system lets go of the lock when the process ends, however it ends."""
        try:
            import fcntl
        except ImportError:  # not on this platform
            return
        self._handle = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{self.root}: another shoal serve is using this work folder") from None

    def _load(self) -> None:
        """Jobs of earlier days; uploads that never ended and deletions that did not finish are cleared away."""
        for folder in self.root.iterdir():
            if folder.name == "lock":
                continue
            state = read_json(folder / "state.json") if _ID.fullmatch(folder.name) else None
            if isinstance(state, dict) and not folder.is_symlink():
                job = Job(folder, state)
                job.tidy()
                for kind, status in state["status"].items():
                    if status in ("waiting", "running"):
                        state["status"][kind] = "interrupted"
                job.save()
                self.jobs[folder.name] = job
            elif _ID.fullmatch(folder.name) or folder.name.startswith(".gone-"):
                _remove(folder)

    def new_folder(self) -> Path:
        """An empty folder for a job that is being uploaded; `add` makes a job of it."""
        folder = self.root / secrets.token_hex(16)
        folder.mkdir(mode=0o700)
        return folder

    def add(self, folder: Path, label: str, **facts: Any) -> Job:
        """A job whose input is there."""
        job = Job(folder, {"label": label[:200], "created": time.time(), "status": {}, "reading": {}, **facts})
        job.save()
        self.jobs[job.id] = job
        return job

    def find(self, id: str) -> Job | None:
        """The job of this name. What is not in memory is not looked for on the disk."""
        return self.jobs.get(id)

    def newest_first(self) -> list[Job]:
        """The history."""
        return sorted(self.jobs.values(), key=lambda job: -float(job.state["created"]))

    def released_before(self, job: Job) -> bool:
        """Whether another release of the same upload was made here, by this job or by another of the history."""
        same = [
            j
            for j in self.jobs.values()
            if j is not job and j.state.get("digest") == job.state.get("digest") is not None
        ]
        return bool(job.state.get("released")) or any(
            j.status("run") == "done" or j.state.get("released") for j in same
        )

    def to_go_on_from(self, job: Job) -> list[Job]:
        """Jobs whose release can be extended: it is there, and so is who is who in it."""
        return [
            j
            for j in self.newest_first()
            if j is not job and j.status("run") == "done" and (j.folder / "private.json").exists()
        ]

    def delete(self, job: Job) -> None:
        """Remove everything of it, now."""
        self.jobs.pop(job.id, None)
        self.discard(job.folder)

    def discard(self, folder: Path) -> None:
        """Remove a folder; should that be cut short, the next start finishes it."""
        gone = self.root / f".gone-{folder.name}"
        os.rename(folder, gone)
        _remove(gone)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
