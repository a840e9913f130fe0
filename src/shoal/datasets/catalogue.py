"""The public sets shoal knows of: who publishes them, under which licence, how to get, read and cite them."""

from __future__ import annotations

import shlex
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from shoal.errors import InputError


@dataclass(frozen=True)
class PublicSet:
    """One set as its publisher describes it. `address` is None where it has to be fetched by hand."""

    name: str
    title: str
    publisher: str
    page: str
    licence: str
    cite: str
    address: str | None = None
    by_hand: str | None = None
    file: str = ""
    people: int | None = None
    contacts: int | None = None
    bytes: int | None = None
    checksum: str | None = None
    known_from: str | None = None
    read: dict[str, str] = field(default_factory=dict)

    @property
    def file_name(self) -> str:
        """The name under which the file is kept."""
        return self.file or PurePosixPath(urlsplit(self.address or "").path).name

    @property
    def size(self) -> str:
        """The size of the download in words."""
        if self.bytes is None:
            return "not stated"
        return f"{'' if self.checksum else 'about '}{words_for_bytes(self.bytes)}"

    @property
    def check(self) -> str:
        """How a download is checked, in words."""
        if self.address is None:
            return "none, since shoal does not fetch it"
        if self.checksum is None:
            return "none is known beforehand: the first download is recorded, and every later one compared with it"
        return f"{self.checksum.replace(':', ' ')} ({self.known_from})"

    def command(self, file: Path, k: int = 5) -> str:
        """The command that anonymizes the set once it lies in this file; empty where the file needs work by hand."""
        if not self.read:
            return ""
        options = [word for key, value in self.read.items() for word in (f"--{key.replace('_', '-')}", value)]
        return shlex.join(["shoal", "anonymize", str(file), *options, "-k", str(k), "-o", f"{self.name}-release"])


def words_for_bytes(n_bytes: int) -> str:
    """'345 kB', '1.7 MB'."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= size:
            share = n_bytes / size
            return f"{share:,.0f} {unit}" if share >= 10 else f"{share:.1f} {unit}"
    return f"{n_bytes} bytes"


@cache
def public_sets() -> MappingProxyType[str, PublicSet]:
    """All sets by name, the paper's first."""
    text = files("shoal.datasets").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return MappingProxyType({name: PublicSet(name, **entry) for name, entry in tomllib.loads(text).items()})


def find(name: str) -> PublicSet:
    """A set by its name."""
    try:
        return public_sets()[name]
    except KeyError:
        raise InputError(f"there is no public set '{name}'; known are {', '.join(public_sets())}") from None


def as_table() -> dict[str, Any]:
    """The sets as plain data, for JSON."""
    return {
        one.name: {
            "title": one.title, "publisher": one.publisher, "page": one.page, "address": one.address,
            "by_hand": one.by_hand, "licence": one.licence, "people": one.people, "contacts": one.contacts,
            "bytes": one.bytes, "checksum": one.checksum, "cite": one.cite, "read": one.read,
        }
        for one in public_sets().values()
    }  # fmt: skip
