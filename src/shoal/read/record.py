"""The private record of a release, as a later release or a report takes it: read, and refused where it cannot be one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shoal.demands.left_out import LEFT_OUT
from shoal.demands.limits import ALLOWED
from shoal.errors import InputError
from shoal.read.release import load_record


def read_record(file: Path) -> dict[str, Any]:
    """The private record of a release; one that could not have been written by a release is an InputError."""
    record = load_record(file)
    parts = {
        "k": int,
        "slices": list,
        "seeds": list,
        "changed_edges": dict,
        "ids": dict,
        "groups": dict,
        "levels": dict,
    }
    if not isinstance(record, dict) or not all(type(record.get(name)) is kind for name, kind in parts.items()):
        raise InputError(f"{file}: is not the private record of a release")
    ids, groups, levels = record["ids"], record["groups"], record["levels"]
    whole = (
        ids
        and ids.keys() == groups.keys() == levels.keys()
        and all(type(original) in (int, str) for original in ids.values())
        and len({str(original) for original in ids.values()}) == len(ids)
        and _are_whole([record["k"], *levels.values()], 1, len(ids))
        and _are_whole(groups.values(), 0, len(ids) - 1)
        and (are_kept(ids) or are_numbers(ids))
        and all(isinstance(label, str) for label in record["slices"])
        and all(isinstance(rows, list) for rows in record["changed_edges"].values())
        and _are_whole([record.get("highest", 0)], 0, 10**18)
        and _are_limits(record.get("limits"), ids)
        and _is_moved(record.get("moved"))
        and record.get("left_out") in (None, *LEFT_OUT)
        and isinstance(record.get("withheld", []), list)
    )
    if not whole:
        raise InputError(f"{file}: is damaged, or not the private record of a release")
    return record


def _are_whole(values: Iterable[Any], low: int, high: int) -> bool:
    return all(type(value) is int and low <= value <= high for value in values)


def _are_limits(limits: Any, ids: dict[str, Any]) -> bool:
    """Whether these can be limits on people of these names."""
    if limits is None:
        return True
    if not isinstance(limits, dict) or limits.get("allow") not in ALLOWED:
        return False
    keep, forbid, exempt = (limits.get(name) for name in ("keep", "forbid", "exempt"))
    if not (isinstance(keep, list) and isinstance(forbid, list) and isinstance(exempt, list)):
        return False
    pairs = [*keep, *forbid]
    return all(isinstance(pair, list) and len(pair) == 2 and pair[0] != pair[1] for pair in pairs) and all(
        isinstance(name, str) and name in ids for name in (*exempt, *(name for pair in pairs for name in pair))
    )


def _is_moved(moved: Any) -> bool:
    """Whether this can say how ties changed hands; None where they did not."""
    return moved is None or (
        isinstance(moved, dict)
        and isinstance(moved.get("move"), str)
        and isinstance(moved.get("secret"), str)
        and re.fullmatch("[0-9a-f]{64}", moved["secret"]) is not None
    )


def are_kept(ids: dict[str, Any]) -> bool:
    """Whether people were published under their own ids."""
    return all(str(original) == name for name, original in ids.items())


def are_numbers(ids: dict[str, Any]) -> bool:
    """Whether people were published under pseudonyms."""
    return all(name.isascii() and name.isdigit() and len(name) < 19 for name in ids)
