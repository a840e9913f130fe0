"""Files and folders that appear whole or not at all, also when the run is killed or the disk is full.

Everything is written to a hidden draft beside its name, brought to the disk, and renamed. A draft is locked while its run
lives, so the next run in that place can tell what a killed one left there, and clears it away.

A release and its private record appear together, and no system renames two things at once. So the record goes first, which
decides: a note beside the folder says which record belongs to it. Whoever finds the note finishes the folder if that record
is in place, and drops both drafts if it is not.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from shoal.errors import InputError

_KINDS = ("draft", "note", "old", "work")
appeared: list[Path] = []  # folders that this process has published


class Drafts(NamedTuple):
    """Where the folder is written, and the private record, if one is wanted."""

    folder: Path
    record: Path | None


def cannot_be_written(file: Path, error: OSError) -> InputError:
    """The sentence for whatever goes wrong with a file."""
    return InputError(f"{file}: cannot be written ({error.strerror or error})")


@contextmanager
def replacing(
    file: Path,
    *,
    mode: int = 0o666,
    durable: bool = True,
    problem: Callable[[Path, OSError], InputError] = cannot_be_written,
) -> Iterator[Path]:
    """The draft of a file, which takes its name at the end, or vanishes."""
    try:
        draft, lock = _begin(file, secrets.token_hex(4), mode)
        try:
            yield draft
            put_in_place(draft, file, durable=durable)
        finally:
            draft.unlink(missing_ok=True)
            os.close(lock)
    except OSError as error:
        raise problem(file, error) from None


def put_in_place(draft: Path, file: Path, *, durable: bool = True) -> None:
    """Give a finished draft the name of the file; durable, so that a power cut cannot leave an empty one."""
    if durable:
        _flush(draft)
    os.replace(draft, file)
    if durable:
        _flush(file.parent)


@contextmanager
def appearing_whole(
    target: Path, name: str | None = None, *, record: Path | None = None, force: bool = False
) -> Iterator[Drafts]:
    """The draft of a folder, and of its private record, which take their names together at the end, or vanish.

    With a name the draft is called the same in every run, and what a killed run left of it is cleared away.
    """
    token, locks, kept = name or secrets.token_hex(4), [], None
    draft, note = _beside(target, token, "draft"), _beside(target, token, "note")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        clear_leftovers(target, own=name)
        locks.append(_begin(target, token)[1])
        if record is not None:
            clear_leftovers(record, own=name)
            kept, lock = _begin(record, token, 0o600)
            locks.append(lock)
        yield Drafts(draft, kept)
        for file in (draft, *draft.rglob("*")):
            _flush(file)
        if target.exists() and not force:
            raise InputError(f"{target}: appeared while this run was at work; nothing was written")
        if record is not None and kept is not None:
            _flush(kept)
            _write_note(note, record, kept)
            put_in_place(kept, record)  # this decides
        _put_folder(draft, target, _beside(target, token, "old"))
    except OSError as error:
        raise cannot_be_written(target, error) from None
    finally:
        if locks:
            _recover(target, token)
            for path in (draft, note, kept):
                if path is not None:
                    _remove(path)
        for lock in locks:
            os.close(lock)


@contextmanager
def working_beside(target: Path) -> Iterator[Path]:
    """A hidden folder for the work on the target, which never stays."""
    try:
        clear_leftovers(target)
        folder, lock = _begin(target, secrets.token_hex(4), kind="work")
    except OSError as error:
        raise cannot_be_written(target, error) from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def recover(target: Path) -> None:
    """Finish or undo what killed runs were doing when they put the target in place, and say so."""
    for token in _left_behind(target):
        _recover(target, token)


def clear_leftovers(target: Path, own: str | None = None) -> None:
    """Recover, then remove whatever killed runs left beside the target, and say so; of its own draft a run knows."""
    for token in _left_behind(target):
        _recover(target, token)
        for kind in _KINDS:
            path = _beside(target, token, kind)
            if path.exists():
                _remove(path)
                if token != own and kind in ("draft", "work"):
                    _say(f"{path}: was left by a run that was killed, and is removed")


def clear_drafts(folder: Path) -> None:
    """Remove the drafts of files that killed runs left in a folder of shoal's own."""
    for draft in folder.glob(".*.draft"):
        if not _in_use(draft):
            _remove(draft)


def sha256(file: Path) -> str:
    """The hash of a file as hexadecimal text."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _beside(target: Path, token: str, kind: str) -> Path:
    return target.with_name(f".{target.name}.{token}.{kind}")


def _begin(target: Path, token: str, mode: int | None = None, kind: str = "draft") -> tuple[Path, int]:
    """Make a draft and lock it: a folder, or a file where a mode is given. The lock ends with the process, however it ends."""
    path = _beside(target, token, kind)
    while True:
        try:
            if mode is None:
                path.mkdir(mode=0o700)
                lock = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            else:
                lock = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        except FileExistsError:
            raise InputError(f"{target}: another run is writing it") from None
        with suppress(OSError, ImportError):  # not on this platform, or not on this file system
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.stat(path), os.fstat(lock)):
                return path, lock
        os.close(lock)  # another run took it for a leftover in the moment before it was locked


def _in_use(path: Path) -> bool:
    """Whether a living run holds the lock of a draft; also where that cannot be told."""
    try:
        import fcntl

        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(handle)
    except FileNotFoundError:
        return False
    except (OSError, ImportError):
        return True
    return False


def _left_behind(target: Path) -> list[str]:
    """The tokens of runs that left something beside the target and live no more."""
    form = re.compile(rf"\.{re.escape(target.name)}\.(\w+)\.(?:{'|'.join(_KINDS)})")
    try:
        found = [form.fullmatch(name) for name in sorted(os.listdir(target.parent))]
    except OSError:
        return []
    tokens = dict.fromkeys(match[1] for match in found if match)
    return [token for token in tokens if not any(_in_use(_beside(target, token, kind)) for kind in ("draft", "work"))]


def _recover(target: Path, token: str) -> None:
    """The new folder where its record is in place already; else the old one, if it stands aside."""
    draft, old, note = (_beside(target, token, kind) for kind in ("draft", "old", "note"))
    record = _decided(note)
    if record is not None and draft.exists():
        _put_folder(draft, target, old)
        _remove(note)
        _say(f"{target}: a run was stopped when it had written {record} and not yet this folder, which is in place now")
    elif (old / "old").exists() and not target.exists():
        os.rename(old / "old", target)
        _remove(old)
        _say(f"{target}: a run was stopped while it replaced this folder; the old one is back")


def _put_folder(draft: Path, target: Path, aside: Path) -> None:
    """Give a folder its name; what has that name steps aside, and goes."""
    draft.chmod(0o755)
    if target.exists():
        aside.mkdir(mode=0o700, exist_ok=True)
        os.rename(target, aside / "old")
    os.rename(draft, target)
    appeared.append(target)
    _flush(target.parent)
    shutil.rmtree(aside, ignore_errors=True)


def _write_note(note: Path, record: Path, draft: Path) -> None:
    with open(os.open(note, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as stream:
        json.dump({"record": str(record), "sha256": sha256(draft)}, stream)
    _flush(note)
    _flush(note.parent)


def _decided(note: Path) -> str | None:
    """The record that a note speaks of, if it is in place."""
    try:
        said = json.loads(note.read_text(encoding="utf-8"))
        record, expected = str(said["record"]), said["sha256"]
        return record if sha256(Path(record)) == expected else None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # no note, or one that was cut short before anything was decided


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _say(sentence: str) -> None:
    logging.getLogger("shoal").warning("shoal: %s", sentence)  # on stderr, unless the program says otherwise
