"""The private record: who is who, what was changed, and the seed. Written only where asked, readable by its owner only."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from shoal.appear import sha256
from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.release import Release


def check_record(release: Release, file: Path | None, folder: Path, *, force: bool) -> None:
    """As `check_private`. An extension may replace the record it goes on from, if nobody else did in the meantime."""
    after = release.after
    if file is None:
        if after is not None and after.newcomers and not after.keeps_ids:
            raise InputError(
                "this extension names newcomers: give a private record too, or a later one would give their names to others"
            )
        return
    own = after is not None and file == after.file
    if after is not None and own and (not file.is_file() or sha256(file) != after.sha256):
        raise InputError(
            f"{file}: was changed while this extension was made; make it again from the record as it is now"
        )
    check_private(file, folder, force=force or own)


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
    """Write the record to its draft. That of an extension goes on from the earlier one."""
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
        "highest": len(published) if release.after is None else release.after.highest,
        "limits": None if release.limits is None else release.limits.to_carry_on(published),
        "held_back": list(release.after.held_back) if release.after is not None else [],
        "changed_edges": {name: [*before["changed_edges"].get(name, []), *rows] for name, rows in changes.items()},
    }
    with file.open("w", encoding="utf-8") as stream:
        json.dump(record, stream, indent=1, ensure_ascii=False)
