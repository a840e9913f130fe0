"""Kernels compiled once for a run of all tests: in an empty cache, where a test counts them, and lent to the package."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from shoal._numba import made_for
from shoal.common.progress import Progress
from shoal.warm import ROOMS, _stamp, warm

SOURCES = Path(__file__).parents[1] / "src/shoal"


def of_today() -> str:
    """What kernels are compiled, and to what, may depend on every source, library and the processor: a name for all of them."""
    found = hashlib.blake2b(repr(made_for()).encode(), digest_size=8)
    found.update(repr(sorted(f"{one.name} {one.version}" for one in distributions())).encode())
    for file in sorted(SOURCES.rglob("*.py")):
        found.update(str(file.relative_to(SOURCES)).encode() + file.read_bytes())
    return found.hexdigest()


def prepare(folder: Path) -> None:
    """Prepare every room in an empty cache, and write down which kernels each of them compiled."""
    env, command = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}, [sys.executable, "-P", "-m", "shoal.rooms"]
    rooms = {name: subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True, env=env) for name in ROOMS}
    said = {name: room.communicate()[0].split() for name, room in rooms.items()}
    assert not any(room.returncode for room in rooms.values())
    (folder / "compiled.json").write_text(json.dumps(said))


def prepared(cache: Any) -> Path | None:
    """A cache in which every room was prepared, kept by pytest's own until something is another; None where pytest keeps none."""
    if cache is None:
        return None
    kept = Path(cache.mkdir("kernels")) / of_today()
    if not kept.is_dir():
        draft = Path(tempfile.mkdtemp(prefix="draft-", dir=kept.parent))
        try:
            prepare(draft)
            with suppress(OSError):  # another process was faster
                draft.rename(kept)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        for old in set(kept.parent.iterdir()) - {kept, *kept.parent.glob("draft-*")}:
            shutil.rmtree(old, ignore_errors=True)
    return kept


def _lend(kept: Path | None) -> None:
    """Put kernels that are kept beside their sources."""
    for room in {file.parent for file in SOURCES.rglob("_*.py")} if kept is not None else ():
        lent = kept / f"{room.name}_{hashlib.sha1(str(room).encode()).hexdigest()}"  # as numba calls it
        if lent.is_dir():
            shutil.copytree(lent, room / "__pycache__", dirs_exist_ok=True)


def warm_up(cache: Any) -> None:
    """Compile side by side before the tests, which would otherwise compile the same kernels in every process of theirs.

    What a test counts in an empty cache is what all others use: numba finds a kernel by its source, wherever it was compiled.
    """
    stamp = _stamp()
    if stamp is not None and not stamp.exists() and "NUMBA_CACHE_DIR" not in os.environ:
        with suppress(AssertionError):  # a room that cannot be prepared is for the test to tell
            _lend(prepared(cache))
    warm(Progress())  # looks into every room; what was not lent after all is compiled
