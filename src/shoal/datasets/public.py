"""Public sets on this machine: fetched once, checked always.

A set lies in FOLDER/NAME with a receipt beside it. A checksum known beforehand is compared on every use. Where none is
known, the first download is believed, its SHA-256 goes into the receipt, and every later file must be the same.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.datasets.catalogue import PublicSet, find
from shoal.datasets.download import Hear, download, finish, forget
from shoal.errors import InputError
from shoal.files.appear import clear_drafts, replacing

if TYPE_CHECKING:
    from shoal.graph import TemporalGraph

_RECEIPT = "receipt.json"


@dataclass(frozen=True)
class Fetched:
    """A set on this machine. `new` tells a download from a copy that was here, `first` that its checksum was recorded now."""

    what: PublicSet
    path: Path
    sha256: str
    new: bool
    first: bool


def folder_of_sets() -> Path:
    """$SHOAL_DATA, else the platform's folder for things that can be fetched again."""
    if told := os.environ.get("SHOAL_DATA"):
        return Path(told)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "shoal"
    except RuntimeError:
        raise InputError("there is no home folder to keep sets in; say where with SHOAL_DATA") from None


def fetch(name: str, *, folder: str | os.PathLike[str] | None = None, accept_changed: bool = False) -> Path:
    """The path of a public set, downloaded from its publisher unless it is here already.

    Parameters
    ----------
    name
        As `shoal datasets` lists it.
    folder
        Where sets are kept; by default $SHOAL_DATA, else `~/.cache/shoal`.
    accept_changed
        Download again and believe the new file, where no checksum is known beforehand.

    Examples
    --------
    >>> import shoal
    >>> shoal.datasets.fetch("collegemsg")  # doctest: +SKIP
    PosixPath('/home/ann/.cache/shoal/collegemsg/CollegeMsg.txt.gz')
    """
    return obtain(find(name), Path(folder) if folder is not None else None, accept_changed=accept_changed).path


def load(name: str, *, folder: str | os.PathLike[str] | None = None, **options: Any) -> TemporalGraph:
    """A public set as a graph, cut as `shoal datasets` suggests unless told otherwise (`slice="1d"` and the like).

    Examples
    --------
    >>> import shoal
    >>> shoal.datasets.load("collegemsg", slice="1d")  # doctest: +SKIP
    TemporalGraph(1899 nodes, 195 slices, 25739 edges, undirected)
    """
    from shoal.read import read

    suggested: dict[str, Any] = dict(find(name).read)
    if "slices" in options:
        suggested.pop("slice", None)
    return read(fetch(name, folder=folder), **suggested | options)


def obtain(
    what: PublicSet, folder: Path | None = None, *, accept_changed: bool = False, hear: Hear | None = None
) -> Fetched:
    """A set, from this machine or from its publisher, checked either way."""
    if what.address is None:
        raise InputError(f"{what.name} is not fetched: {what.by_hand} ({what.page})")
    place = (folder or folder_of_sets()) / what.name
    target = place / what.file_name
    recorded = _receipt(place).get("sha256")
    if target.exists() and not accept_changed:
        found = _digests(target)
        _compare(what, found, recorded, f"{target} is not the file that was fetched; delete it to fetch it again")
        return Fetched(what, target, found["sha256"], new=False, first=False)
    try:
        place.mkdir(parents=True, exist_ok=True)
        part = download(what.address, target, most_bytes=_most(what), hear=hear)
    except OSError as error:
        raise InputError(f"{place}: cannot be written ({error.strerror})") from None
    found = _digests(part)
    try:
        _compare(what, found, None if accept_changed else recorded, f"{what.address} gave another file; it is not kept")
    except InputError:
        forget(part)
        raise
    _write_receipt(place, what, found["sha256"], part.stat().st_size)
    finish(part, target)
    return Fetched(what, target, found["sha256"], new=True, first=what.checksum is None and found["sha256"] != recorded)


def _most(what: PublicSet) -> int | None:
    """The size is exact beside a checksum; otherwise a publisher may have added to the set."""
    if what.bytes is None:
        return None
    return what.bytes if what.checksum else 4 * what.bytes


def _digests(file: Path) -> dict[str, str]:
    hashes = {"sha256": hashlib.sha256(), "md5": hashlib.md5(usedforsecurity=False)}
    try:
        with file.open("rb") as stream:
            while piece := stream.read(1 << 20):
                for one in hashes.values():
                    one.update(piece)
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror})") from None
    return {name: one.hexdigest() for name, one in hashes.items()}


def _compare(what: PublicSet, found: dict[str, str], recorded: str | None, problem: str) -> None:
    """The checksum known beforehand and the one of the first download, whichever there are."""
    if what.checksum:
        kind, _, expected = what.checksum.partition(":")
        if found[kind] != expected:
            raise InputError(f"{problem} ({kind} {found[kind]}, expected {expected})")
    elif recorded and found["sha256"] != recorded:
        raise InputError(
            f"{problem} (sha256 {found['sha256']}, the first download had {recorded}; "
            f"believe the publisher's new file with `shoal datasets fetch {what.name} --accept-changed`)"
        )


def _receipt(place: Path) -> dict[str, Any]:
    try:
        receipt = json.loads((place / _RECEIPT).read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError):
        raise InputError(f"{place / _RECEIPT}: is damaged; delete the folder to fetch the set again") from None
    return receipt if isinstance(receipt, dict) else {}


def _write_receipt(place: Path, what: PublicSet, sha256: str, size: int) -> None:
    content = {
        "address": what.address,
        "fetched": datetime.now(UTC).isoformat(timespec="seconds"),
        "bytes": size,
        "sha256": sha256,
        "licence": what.licence,
        "cite": what.cite,
    }
    clear_drafts(place)
    with replacing(place / _RECEIPT) as draft:
        draft.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", "utf-8")
