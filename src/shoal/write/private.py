"""The private record: who is who, what was changed, and the seed. Written only where asked, readable by its owner only."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from shoal.errors import InputError
from shoal.write.certificate import sha256

if TYPE_CHECKING:
    from shoal.release import Release


def check_private(file: Path, folder: Path, *, force: bool) -> None:
    """Refuse a record inside the folder that will be published, or over a file that exists."""
    file = Path(os.path.abspath(file))
    if folder in file.parents:
        raise InputError(f"{file}: the private record must not be inside the release folder, which is published")
    if file.is_dir() or (file.exists() and not force):
        raise InputError(f"{file}: exists already (replace it with --force)")
    if not file.parent.is_dir():
        raise InputError(f"{file}: there is no folder {file.parent}")


def write_private(release: Release, names: pl.Series, file: Path, source: str | os.PathLike[str] | None) -> None:
    """Write the record with mode 0600, whole or not at all. That of an extension goes on from the earlier one."""
    published = [str(name) for name in names.to_list()]
    before = release.after.record if release.after is not None else {"seeds": [], "slices": [], "changed_edges": {}}
    changes = release.changes()
    record = {
        "warning": "PRIVATE: whoever has this file can undo the release.",
        "seeds": [*before["seeds"], release.chance.seed],
        "k": release.k,
        "method": release.method,
        "input": None if source is None else {"name": Path(source).name, "sha256": sha256(Path(source))},
        "slices": [*before["slices"], *(part.label for part in release.graph.slices)],
        "ids": dict(zip(published, release.graph.nodes.to_list(), strict=True)),
        "levels": dict(zip(published, release.promise.needs.tolist(), strict=True)),
        "groups": dict(zip(published, release.groups.tolist(), strict=True)),
        "held_back": list(release.after.held_back) if release.after is not None else [],
        "changed_edges": {name: [*before["changed_edges"].get(name, []), *rows] for name, rows in changes.items()},
    }
    file = Path(os.path.abspath(file))
    try:
        handle, draft = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)  # mode 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                json.dump(record, stream, indent=1, ensure_ascii=False)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(draft, file)
        except BaseException:
            os.unlink(draft)
            raise
    except OSError as error:
        raise InputError(f"{file}: cannot be written ({error.strerror})") from None
