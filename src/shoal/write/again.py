"""Was this data released before? Two releases of the same people can be matched with each other by their structure.

The folder does not say what it was made of, so this looks where it can: at the private record and at the folder that are about to
be replaced.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.read.release import load_record


class ReleasedBefore(UserWarning):
    """The same data are released another time."""


_WHY = (
    "whoever has both releases can match people between them, and the promise of either does not cover that. Publish one of "
    "them only; for later slices of the same people there is 'shoal extend'."
)


def warn_if_again(
    folder: Path, certificate: dict[str, Any], private: Path | None, record: dict[str, Any]
) -> str | None:
    """Warn, and give the sentence, where what is about to be replaced was another release of the same data."""
    found = None
    if private is not None and private.is_file() and _other_release(_content(private), record):
        found = f"{private} is the record of another release of the same data: {_WHY}"
    elif (folder / "certificate.json").is_file() and _other_folder(_content(folder / "certificate.json"), certificate):
        found = f"{folder} holds another release of as many people and slices. If it is of the same data: {_WHY}"
    if found is not None:
        warnings.warn(found, ReleasedBefore, stacklevel=4)
    return found


def _content(file: Path) -> Any:
    """What a record or a certificate says; None where it says nothing."""
    try:
        return load_record(file)
    except InputError:
        return None


def _other_release(old: Any, new: dict[str, Any]) -> bool:
    """Whether a record is of the same input and of other edges or names."""
    if not isinstance(old, dict):
        return False
    earlier = old.get("earlier_digests")
    digests = [old.get("input_digest"), *(earlier if isinstance(earlier, list) else [])]
    files = [
        one["sha256"] if isinstance(one, dict) and "sha256" in one else None
        for one in (old.get("input"), new.get("input"))
    ]
    if new["input_digest"] not in digests and (None in files or files[0] != files[1]):
        return False
    told = json.loads(json.dumps({name: new.get(name) for name in _MADE}))
    return any(old.get(name) != told[name] for name in _MADE if name in new)


# What differs in a private record where the released tables do: names and changes, or for want of these the hash of the edges.
_MADE = ("ids", "changed_edges", "edges_digest")


def _other_folder(old: Any, new: dict[str, Any]) -> bool:
    """Whether a certificate is of as many people and slices, and of other edges."""
    if not isinstance(old, dict) or any(old.get(name) != new[name] for name in ("n_nodes", "n_slices", "directed")):
        return False
    hashes = old.get("sha256")
    return isinstance(hashes, dict) and _edges(hashes) != _edges(new["sha256"])


def _edges(hashes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in hashes.items() if name.startswith("edges")}
