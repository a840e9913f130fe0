"""Files beside the contacts, for a worker: a table of people, contacts that an attacker holds, an earlier release to go on from."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import InputError
from shoal.web.choices import MOST_COLUMNS

if TYPE_CHECKING:
    from shoal.common.progress import Progress
    from shoal.graph import TemporalGraph

_MEMBER = re.compile(r"release/([a-z]+\.(?:csv|json|html|parquet))")
_LETTERS = 40


def look_at_people(file: Path, graph: TemporalGraph) -> dict[str, Any]:
    """The columns of a table of people, and how many people of the contacts are not in it."""
    from shoal.read.people import read_everything

    ids, frame = read_everything(file)
    if frame.width > MOST_COLUMNS:
        raise InputError(f"there are {frame.width:,} columns beside the ids; at most {MOST_COLUMNS} can be shown here")
    listed = set(map(str, ids.to_list()))
    missing = [str(node) for node in graph.nodes.to_list() if str(node) not in listed]
    columns = [
        {
            "name": column.name,
            "numbers": bool(column.drop_nulls().str.contains(r"^\s*-?[0-9]+(\.[0-9]+)?\s*$").all()),
            "values": column.n_unique(),
            "some": [str(value)[:_LETTERS] for value in column.drop_nulls().unique(maintain_order=True).head(4)],
        }
        for column in frame.iter_columns()
    ]
    return {"columns": columns, "rows": len(ids), "missing": len(missing), "such_as": missing[0] if missing else None}


def attack(
    release: Path, record: dict[str, Any], original: TemporalGraph, second: TemporalGraph, progress: Progress
) -> dict[str, Any]:
    """What somebody learns who holds these contacts with names."""
    from shoal.audit.learn import Known, learn
    from shoal.contacts.build import ids_as_series
    from shoal.read import read

    published = read(release)
    ids = [record["ids"][str(name)] for name in published.nodes.to_list()]
    named = published.renamed(ids_as_series(ids).alias("node"))
    (found,) = learn(
        named, original.over(named.nodes), k=record["k"], known=Known(contacts=second), attackers=["second-graph"],
        progress=progress,
    )  # fmt: skip
    return found.to_dict()


def unpacked(archive: Path, folder: Path, most: int) -> Path:
    """The release in a zip file as this page gives them out, as a folder; anything else in it is refused."""
    try:
        with zipfile.ZipFile(archive) as packed:
            members = packed.infolist()
            names = [_MEMBER.fullmatch(one.filename) for one in members]
            if not members or not all(names) or sum(one.file_size for one in members) > most:
                raise InputError("the earlier release is not a zip file as this page gives out")
            folder.mkdir()
            for one, name in zip(members, names, strict=True):
                assert name is not None
                (folder / name[1]).write_bytes(packed.read(one))
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError):
        raise InputError("the earlier release is not a zip file as this page gives out") from None
    return folder
