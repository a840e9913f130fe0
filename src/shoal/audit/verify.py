"""Prove a release from its files alone.

This file, `_released` and `_partitioned` import nothing of shoal but the exceptions, on purpose: they share no code with
what they check. They read the tables with polars, count with numpy, and believe the certificate in nothing they can count
themselves.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from shoal.audit._partitioned import check_partitioned, is_partitioned
from shoal.audit._released import (
    Check,
    Released,
    Unreadable,
    check_hashes,
    read_certificate,
    read_record,
    read_tables,
)
from shoal.errors import InputError


@dataclass(frozen=True)
class Verdict:
    """Whether a release holds, and every check that says so. True in a boolean context when it holds."""

    folder: str
    k: int
    min_class_size: int | None
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """All checks passed."""
        return all(check.passed for check in self.checks)

    @property
    def failures(self) -> list[str]:
        """What does not hold, in words."""
        return [f"{check.name}: {check.detail}" for check in self.checks if not check.passed]

    def __bool__(self) -> bool:
        return self.holds

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "holds": self.holds,
            "k": self.k,
            "min_class_size": self.min_class_size,
            "checks": [vars(check) for check in self.checks],
        }

    def _headline(self) -> str:
        word = "holds" if self.holds else "does NOT hold"
        crowd = "" if self.min_class_size is None else f", smallest crowd {self.min_class_size:,}"
        return f"Verdict({self.folder} {word} at k = {self.k}{crowd})"

    def __repr__(self) -> str:
        marks = [f"  {'ok ' if check.passed else 'BAD'} {check.name}: {check.detail}" for check in self.checks]
        return "\n".join([self._headline(), *marks])

    def _repr_html_(self) -> str:
        """For notebooks: every check. Written out here, since this file shares no code with the rest."""
        rows = [
            f"<tr><td>{'ok' if check.passed else '<strong>BAD</strong>'}</td>"
            f'<td style="text-align:left">{escape(check.name)}</td><td style="text-align:left">{escape(check.detail)}</td></tr>'
            for check in self.checks
        ]
        return f"<p>{escape(self._headline())}</p><table><tbody>{''.join(rows)}</tbody></table>"


def verify(
    folder: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    k: int | None = None,
    *,
    record: str | os.PathLike[str] | Mapping[str, Any] | None = None,
) -> Verdict:
    """Re-read a release folder and check every promise: the files, the simple slices, the crowds.

    A folder that is no release at all is an InputError.

    Parameters
    ----------
    folder
        A release. Several are releases of the same people at different times: each is checked, and the crowds are those
        of somebody who has them all.
    k
        Everybody must stand in a crowd of at least k; by default the certificate's own promise must hold.
    record
        The private record, or its content. Where people have levels of their own, it alone says who has which; without it
        the number of people in crowds of each size is checked.

    Examples
    --------
    >>> import pathlib, tempfile, shoal
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "release"
    >>> graph = shoal.TemporalGraph.from_slices({"mon": [(1, 2), (2, 3)], "tue": [(1, 2), (3, 4)]})
    >>> _ = shoal.anonymize(graph, k=2, seed=1).save(folder, report=False)
    >>> verify(folder).holds, verify(folder, k=4).holds
    (True, False)
    """
    given = (
        [folder] if isinstance(folder, str | bytes | os.PathLike) or not isinstance(folder, Iterable) else list(folder)
    )
    if not given:
        raise InputError("name at least one release folder")
    if not all(isinstance(one, str | os.PathLike) and isinstance(os.fspath(one), str) for one in given):
        raise InputError(f"a release folder is given as a path, several as a list of paths; got {folder!r}")
    folders = [Path(one) for one in given]
    if k is not None and (isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1):
        raise InputError(f"k must be a whole number from 1; got {k!r}")
    if record is not None and not isinstance(record, str | os.PathLike | Mapping):
        raise InputError(f"a record is given as a path, or as what is in it; got {record!r}")
    claims = [read_certificate(one) for one in folders]
    if len({claim["directed"] for claim in claims}) > 1:
        raise InputError("some of these releases have directions and some do not: they do not belong together")
    if len(folders) > 1 and any(claim["n_blocks"] > 1 for claim in claims):
        raise InputError("a release with a horizon promises nothing about several releases together: verify it alone")
    if any(is_partitioned(one) for one in folders):
        return _verify_partitioned(folders, claims[0], k, record)
    checks: list[Check] = []
    parts: list[Released] = []
    for one, claim in zip(folders, claims, strict=True):
        found, part = _check_files(one, claim)
        name = f"{one.name}: " if len(folders) > 1 else ""
        checks += [Check(name + check.name, check.passed, check.detail) for check in found]
        parts += [part] if part is not None else []
    smallest = None
    if len(parts) == len(folders):
        levels = None if record is None else read_record(record)
        more, smallest = _check_crowds(parts, claims, k, levels)
        checks += more
    promised = max(claim["k"] for claim in claims)
    return Verdict(", ".join(map(str, folders)), promised if k is None else k, smallest, tuple(checks))


def _verify_partitioned(folders: list[Path], claims: dict[str, Any], k: int | None, record: object) -> Verdict:
    """A release in partitioned Parquet, which may be larger than memory."""
    if len(folders) > 1 or record is not None:
        raise InputError("a release in partitioned Parquet is verified alone, and has no levels to look up")
    checks, smallest = [check_hashes(folders[0], claims["sha256"])], None
    try:
        more, smallest = check_partitioned(folders[0], claims, k)
        checks += more
    except Unreadable as problem:
        checks.append(Check("the tables can be read", False, str(problem)))
    return Verdict(str(folders[0]), claims["k"] if k is None else k, smallest, tuple(checks))


def _check_files(folder: Path, claims: dict[str, Any]) -> tuple[list[Check], Released | None]:
    """One folder on its own: hashes, tables, simple slices, and what the certificate counts."""
    checks = [check_hashes(folder, claims["sha256"])]
    try:
        part, more = read_tables(folder)
    except Unreadable as problem:
        return [*checks, Check("the tables can be read", False, str(problem))], None
    checks += more
    if not all(check.passed for check in more):
        return checks, None
    checks.append(_check_simple(part, directed=claims["directed"]))
    sizes = _crowds([part], directed=claims["directed"])
    checks.append(_check_claims(claims, part, int(sizes.min(initial=len(part.people)))))
    return checks, part


def _check_simple(part: Released, *, directed: bool) -> Check:
    name = "every slice is a simple graph"
    u, v, t, n = part.u, part.v, part.t, len(part.people)
    loops = int((u == v).sum())
    if loops:
        return Check(name, False, f"{loops:,} edges join a person to themself")
    a, b = (u, v) if directed else (np.minimum(u, v), np.maximum(u, v))
    if (int(t.max(initial=0)) + 1) * n * n < 2**63:
        key = np.sort((t * n + a) * n + b)
        again = int((key[1:] == key[:-1]).sum())
    else:
        order = np.lexsort((b, a, t))
        a, b, s = a[order], b[order], t[order]
        again = int(((a[1:] == a[:-1]) & (b[1:] == b[:-1]) & (s[1:] == s[:-1])).sum())
    return Check(
        name, again == 0, f"{again:,} edges occur again in the same slice" if again else "no loops, no repeats"
    )


def _crowds(parts: list[Released], *, directed: bool) -> np.ndarray:
    """(blocks, people) how many share each person's degrees in each block, over everybody listed in any of the folders.

    Refinement: everybody starts in one crowd, and every slice splits crowds by the degree in it (in- and out-degree
    where edges have a direction). Somebody not listed in a folder is told apart by that. Crowds are numbered
    anew after each split, so nothing is hashed and nothing can collide.
    """
    everybody = {name: i for i, name in enumerate(sorted({name for part in parts for name in part.people}))}
    n, n_blocks = len(everybody), int(max(part.blocks.max(initial=0) for part in parts)) + 1
    crowd = np.zeros((n_blocks, n), np.int64)
    for part in parts:
        place = np.array([everybody[name] for name in part.people], np.int64)
        listed = np.zeros(n, np.int64)
        listed[place] = 1
        crowd = crowd * 2 + listed
        order = np.argsort(part.t, kind="stable")
        bounds = np.searchsorted(part.t[order], np.arange(len(part.slices) + 1))
        for s, block in enumerate(part.blocks):
            here = order[bounds[s] : bounds[s + 1]]
            out_degree = np.bincount(place[part.u[here]], minlength=n)
            in_degree = np.bincount(place[part.v[here]], minlength=n)
            for degree in (out_degree, in_degree) if directed else (out_degree + in_degree,):
                if len(here):
                    split = crowd[block] * (int(degree.max()) + 1) + degree
                    crowd[block] = np.unique(split, return_inverse=True)[1]
    sizes = np.empty_like(crowd)
    for block in range(n_blocks):
        _, label, count = np.unique(crowd[block], return_inverse=True, return_counts=True)
        sizes[block] = count[label]
    return sizes


def _check_crowds(
    parts: list[Released], claims: list[dict[str, Any]], k: int | None, levels: dict[str, int] | None
) -> tuple[list[Check], int]:
    """The promise itself, for everybody who is in any of the folders."""
    sizes = _crowds(parts, directed=claims[0]["directed"])
    smallest = int(sizes.min(initial=sizes.shape[1]))
    weakest = sizes.min(axis=0)  # over the blocks
    where = f"within each of {len(sizes):,} blocks of the calendar " if len(sizes) > 1 else ""
    together = f"over all {len(parts)} releases " if len(parts) > 1 else ""
    by_k = {int(level): count for level, count in claims[-1]["people_by_k"].items()}
    if k is None and levels is not None:
        people = sorted({name for part in parts for name in part.people})
        if set(levels) != set(people):
            raise InputError("the private record is not that of this release: it names other people")
        wanted = np.array([levels[name] for name in people])
        short = int((weakest < wanted).sum())
        detail = f"{short:,} do not" if short else f"{len(people):,} people, the smallest crowd has {smallest:,}"
        return [
            Check(f"{together}{where}everybody stands in a crowd as large as their level", short == 0, detail)
        ], smallest
    if k is None and len(by_k) > 1:
        checks = []
        for level in sorted(by_k):
            if level > 1:
                promised = sum(count for other, count in by_k.items() if other >= level)
                found = int((weakest >= level).sum())
                detail = f"{found:,} of {promised:,} promised (the private record says who: --record)"
                checks.append(
                    Check(f"{where}enough people stand in crowds of at least {level}", found >= promised, detail)
                )
        return checks, smallest
    k = max(claim["k"] for claim in claims) if k is None else k
    exposed = int((weakest < k).sum())
    detail = f"the smallest crowd has {smallest:,}"
    detail += f"; {exposed:,} people are in a crowd below {k}" if exposed else ""
    return [Check(f"{together}{where}every degree vector occurs at least {k} times", exposed == 0, detail)], smallest


def _check_claims(claims: dict[str, Any], part: Released, smallest: int) -> Check:
    found = {
        "n_nodes": (claims["n_nodes"], len(part.people)),
        "n_slices": (claims["n_slices"], len(part.slices)),
        "n_blocks": (claims["n_blocks"], int(part.blocks.max(initial=0)) + 1),
        "edges.released": (claims["edges"].get("released"), len(part.u)),
        "min_class_size": (claims["min_class_size"], smallest),
    }
    wrong = [f"{name} is {really:,}, not {claimed}" for name, (claimed, really) in found.items() if claimed != really]
    return Check("the certificate counts right", not wrong, "; ".join(wrong) or "people, slices, edges, smallest crowd")
