"""What lies in a release folder, for verify: exactly the files of a release, all of them plain files, with the claimed hashes."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any

from shoal.audit._released import Check

_REPORT = {"report.html", "report.json"}
_TABLES = ("edges", "nodes", "slices")
_PART = re.compile(r"(edges|contacts)/\d{5,}\.parquet")
_PARTITIONED = ("edges", "contacts")


def check_files(folder: Path, claims: dict[str, Any]) -> list[Check]:
    """The hashes fit, and nothing else is there: whatever no check reads could tell who is who."""
    files, strange = _list(folder)
    tables = (*_TABLES, *(["contacts"] if "contacts" in claims else []))
    return [_check_hashes(folder, files - {"certificate.json"}, claims["sha256"]), _check_names(files, strange, tables)]


def is_partitioned(folder: Path) -> bool:
    """Whether the edges of a release are a folder."""
    return (folder / "edges").is_dir()


def _list(folder: Path) -> tuple[set[str], list[str]]:
    """Plain files by their path in the folder, and what is something else. Links are not followed, pipes not opened."""
    files, strange = set(), []
    places = [""]
    for place in places:
        with os.scandir(folder / place) as entries:
            for entry in entries:
                name = place + entry.name
                if entry.is_symlink():
                    strange.append(f"{_shown(name)} is a link")
                elif entry.is_file(follow_symlinks=False):
                    files.add(name)
                elif name in _PARTITIONED and entry.is_dir(follow_symlinks=False):
                    places.append(f"{name}/")
                else:
                    strange.append(f"{_shown(name)} is not a file")
    return files, sorted(strange)


def _check_hashes(folder: Path, present: set[str], hashes: dict[str, Any]) -> Check:
    name, listed = "the files are those of the certificate", set(hashes)
    if missing := sorted(listed - present):
        return Check(name, False, f"missing: {', '.join(map(_shown, missing))}")
    if extra := sorted(present - listed):
        return Check(name, False, f"not in the certificate: {', '.join(map(_shown, extra))}")
    for file, expected in sorted(hashes.items()):
        with (folder / file).open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != expected:
                return Check(name, False, f"{file} was changed")
    return Check(name, True, f"{len(listed)} files, SHA-256")


def _check_names(files: set[str], strange: list[str], wanted: tuple[str, ...]) -> Check:
    name = "the folder has the files of a release and nothing else"
    tables = files - _REPORT - {"certificate.json"}
    parts = {file for file in tables if _PART.fullmatch(file)}
    layouts = [{f"{table}.{form}" for table in wanted} for form in ("csv", "parquet")]
    if {part.split("/")[0] for part in parts} == {table for table in wanted if table in _PARTITIONED}:
        layouts.append({"nodes.parquet", "slices.parquet", *parts})
    if strange:
        return Check(name, False, "; ".join(strange))
    if tables in layouts:
        form = "partitioned Parquet" if parts else "Parquet" if "edges.parquet" in tables else "CSV"
        return Check(name, True, f"tables in {form}")
    nearest = max(layouts, key=lambda layout: len(layout & tables))
    wrong = [f"{_shown(file)} does not belong" for file in sorted(tables - nearest)]
    wrong += [f"{file} is missing" for file in sorted(nearest - tables)]
    return Check(name, False, "; ".join(wrong))


def _shown(name: str) -> str:
    """A name that cannot play tricks with a terminal."""
    return name if name.isprintable() else ascii(name)
