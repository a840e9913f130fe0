"""What is for the owner's eyes only: the private record (who is who, what was changed, the seed) and the report with exact
numbers. Written only where asked, readable by the owner only, never in the release folder.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.errors import InputError
from shoal.files.appear import cannot_be_written, replacing, sha256
from shoal.read.release import PEOPLE, is_table

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


def check_private(file: Path, folder: Path, *, force: bool, what: str = "record") -> None:
    """Refuse a record or report inside the folder that will be published, or over a file that exists."""
    file = Path(os.path.abspath(file))
    if folder in file.parents:
        raise InputError(f"{file}: the private {what} must not be inside the release folder, which is published")
    if file.is_dir() or (file.exists() and not force):
        raise InputError(f"{file}: exists already (replace it with --force)")
    if not file.parent.is_dir():
        raise InputError(f"{file}: there is no folder {file.parent}")


def check_private_report(place: Path, folder: Path, *, force: bool) -> None:
    """The same for a report: a file .html or .json, or a folder for both, which may be there or not."""
    place = Path(os.path.abspath(place))
    if place.suffix in (".html", ".json") or not place.is_dir():
        if place == folder:
            raise InputError(f"{place}: the private report must not be inside the release folder, which is published")
        check_private(place, folder, force=force, what="report")
    else:
        for file in _report_files(place):
            check_private(file, folder, force=force, what="report")


def write_private_report(html: str, numbers: str, place: Path) -> None:
    """Write the page, its numbers or both, with mode 0600."""
    place = Path(os.path.abspath(place))
    try:
        if place.suffix not in (".html", ".json"):
            place.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise cannot_be_written(place, error) from None
    for file in _report_files(place):
        with replacing(file, mode=0o600) as draft:
            draft.write_text(html if file.suffix == ".html" else numbers, encoding="utf-8")


def _report_files(place: Path) -> list[Path]:
    return [place] if place.suffix in (".html", ".json") else [place / "report.html", place / "report.json"]


def digest_of(content: bytes) -> str:
    """What says in a private record that two releases are of the same data. It stands nowhere else."""
    return hashlib.blake2b(content, person=b"shoal input", digest_size=16).hexdigest()


def private_record(
    release: Release, names: pl.Series, source: str | os.PathLike[str] | None, file: Path, certificate: dict[str, Any]
) -> dict[str, Any]:
    """The record of a release. That of an extension goes on from the earlier one.

    A record in Parquet lists no changed edges, only what tells them from others: they may be more than fit a process.
    """
    before = release.after.record if release.after is not None else {"seeds": [], "slices": [], "changed_edges": {}}
    earlier = [*before.get("earlier_digests", []), *([before["input_digest"]] if "input_digest" in before else [])]
    published = [str(name) for name in names.to_list()]
    record = {
        "warning": "PRIVATE: whoever has this file can undo the release.",
        "seeds": [*before["seeds"], release.chance.seed],
        "k": release.k,
        "method": release.method,
        "input": None if source is None else {"name": Path(source).name, "sha256": sha256(Path(source))},
        "input_digest": digest_of(release.original.digest() if release.left_out is None else release.left_out.digest),
        "earlier_digests": earlier,
        "slices": [*before["slices"], *(part.label for part in release.graph.slices)],
        "ids": dict(zip(published, release.graph.nodes.to_list(), strict=True)),
        "levels": dict(zip(published, release.promise.levels.tolist(), strict=True)),
        "groups": dict(zip(published, release.groups.tolist(), strict=True)),
        "highest": len(published) if release.after is None else release.after.highest,
        "limits": None if release.limits is None else release.limits.to_carry_on(published),
        "moved": None if release.moved is None else release.moved.to_carry_on(),
        "left_out": _left_out(release, before),
        "withheld": _withheld(release, before),
        "held_back": list(release.after.held_back) if release.after is not None else [],
    }
    if is_table(file):
        return record | {"edges_digest": digest_of(repr(certificate["sha256"]).encode()), "changed_edges": {}}
    changed = {name: [*before["changed_edges"].get(name, []), *rows] for name, rows in release.changes().items()}
    return record | {"changed_edges": changed}


def _left_out(release: Release, before: dict[str, Any]) -> str | None:
    """What became of people whom a budget did not reach, in the first release."""
    return before.get("left_out") if release.left_out is None else release.left_out.how


def _withheld(release: Release, before: dict[str, Any]) -> list[Any]:
    """Who was withheld from the first release because a budget did not reach them."""
    left_out = release.left_out
    return list(left_out.people) if left_out is not None and left_out.withheld else before.get("withheld", [])


def write_private(record: dict[str, Any], draft: Path, file: Path) -> None:
    """Write the record to its draft: as JSON, or as a table of people beside which the rest stands as JSON."""
    if not is_table(file):
        draft.write_text(json.dumps(record, indent=1, ensure_ascii=False), encoding="utf-8")
        return
    table = {"node": list(record["ids"])} | {column: list(record[name].values()) for name, column in PEOPLE.items()}
    rest = {name: value for name, value in record.items() if name not in PEOPLE}
    told = {name: str(record[name]) for name in ("warning", "input_digest", "edges_digest")}
    pl.DataFrame(table).write_parquet(draft, metadata=told | {"record": json.dumps(rest, ensure_ascii=False)})
