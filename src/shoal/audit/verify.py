"""Prove a release from its files alone.

This file and those it needs, whose names begin with an underscore, import nothing of shoal but the exceptions, on purpose: they
share no code with what they check. They read the tables with polars, count with numpy, and believe the certificate in nothing
they can count themselves. What nothing in the folder proves is listed as claimed, not checked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.audit._claims import Counted, check_certificate, check_counts, is_withheld, not_checked
from shoal.audit._contacts import check_contacts
from shoal.audit._crowds import check_blocks, check_edges, check_order, walk
from shoal.audit._listing import check_files, is_partitioned
from shoal.audit._partitioned import read_partitioned
from shoal.audit._promised import Part, check_promise
from shoal.audit._released import Check, read_certificate, read_record, read_tables, read_withheld
from shoal.audit._tables import Unreadable
from shoal.audit._traits import alike, check_traits, values_of
from shoal.errors import InputError


@dataclass(frozen=True)
class Verdict:
    """Whether a release holds, and every check that says so. True in a boolean context when it holds.

    `k` is what holds for everybody; where people have levels, `beyond` says what holds for some of them. `claimed_not_checked`
    names what the certificate says and nothing in the folder proves.
    """

    folder: str
    k: int
    min_class_size: int | None
    checks: tuple[Check, ...]
    beyond: str = ""
    claimed_not_checked: tuple[str, ...] = ()

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

    def in_words(self) -> str:
        """One sentence, which claims no more than the checks prove."""
        word = "holds" if self.holds else "does NOT hold"
        beyond = f" for everybody; {self.beyond}" if self.holds and self.beyond else ""
        return f"{self.folder} {word} at k = {self.k}{beyond}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "holds": self.holds,
            "k": self.k,
            "beyond": self.beyond if self.holds else "",
            "min_class_size": self.min_class_size,
            "checks": [vars(check) for check in self.checks],
            "claimed_not_checked": list(self.claimed_not_checked),
        }

    def _headline(self) -> str:
        crowd = "" if self.min_class_size is None else f", smallest crowd {self.min_class_size:,}"
        return f"Verdict({self.in_words()}{crowd})"

    def _unchecked(self) -> list[str]:
        return [f"claimed, not checked: {', '.join(self.claimed_not_checked)}"] if self.claimed_not_checked else []

    def __repr__(self) -> str:
        marks = [f"  {'ok ' if check.passed else 'BAD'} {check.name}: {check.detail}" for check in self.checks]
        return "\n".join([self._headline(), *marks, *(f"      {line}" for line in self._unchecked())])

    def _repr_html_(self) -> str:
        """For notebooks: every check. Written out here, since this file shares no code with the rest."""
        rows = [
            f"<tr><td>{'ok' if check.passed else '<strong>BAD</strong>'}</td>"
            f'<td style="text-align:left">{escape(check.name)}</td><td style="text-align:left">{escape(check.detail)}</td></tr>'
            for check in self.checks
        ]
        notes = "".join(f"<p>{escape(line)}</p>" for line in self._unchecked())
        return f"<p>{escape(self._headline())}</p><table><tbody>{''.join(rows)}</tbody></table>{notes}"


def _silent(share: float) -> None:
    pass


def verify(
    folder: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    k: int | None = None,
    *,
    record: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    tell: Callable[[float], None] | None = None,
) -> Verdict:
    """Re-read a release folder and check every promise: the files, the simple slices, the crowds.

    A folder that is no release at all is an InputError.

    Parameters
    ----------
    folder
        A release. Several are releases of the same people at different times: each is checked, and the crowds are those
        of somebody who has them all.
    k
        Everybody must stand in a crowd of at least k, beside what the certificates claim. Everybody is held to the strictest
        claim of any folder they are in.
    record
        The private record, or its content. Where people have levels of their own, it alone says who has which; without it
        the number of people in crowds of each size is checked, and the verdict's k is the smallest level.
    tell
        Called with the share of the folders that is done.

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
    try:
        (_silent if tell is None else tell)(0.0)
    except TypeError:
        raise InputError(f"tell is called with a share from 0 to 1; got {tell!r}") from None
    claims = [read_certificate(one) for one in folders]
    _refuse_strangers(claims)
    levels = None if record is None else read_record(record)
    checks: list[Check] = []
    parts: list[Part] = []
    for i, (one, claim) in enumerate(zip(folders, claims, strict=True)):

        def of_all(share: float, before: int = i) -> None:
            (_silent if tell is None else tell)((before + share) / len(folders))

        found, part = _check_folder(one, claim, of_all)
        name = f"{one.name}: " if len(folders) > 1 else ""
        checks += [Check(name + check.name, check.passed, check.detail) for check in found]
        parts += [part] if part is not None else []
    smallest, for_all, beyond = None, min(claim["k"] for claim in claims), ""
    unchecked = [x for claim in claims for x in not_checked(claim, None)]
    if len(parts) == len(folders):
        more, smallest, for_all, beyond = check_promise(parts, k, levels)
        checks += more
        unchecked = [x for part in parts for x in not_checked(part.claims, part.counted)]
    if record is not None and (told := _check_withheld(claims, read_withheld(record))) is not None:
        checks.append(told)
        unchecked = [x for x in unchecked if x != "left_out"]
    where = ", ".join(map(str, folders))
    return Verdict(where, k or for_all, smallest, tuple(checks), beyond, tuple(dict.fromkeys(unchecked)))


def _check_withheld(claims: list[dict[str, Any]], named: int | None) -> Check | None:
    """Whether the record names as many people who are not in a release as it says; None where nobody can tell."""
    said = [claim["left_out"].get("people") for claim in claims if is_withheld(claim)]
    if named is None or not said:
        return None
    fits = all(count == named for count in said)
    return Check("as many people are withheld as the certificate counts", fits, f"the private record names {named:,}")


def _refuse_strangers(claims: list[dict[str, Any]]) -> None:
    """Several releases can be taken together only where they speak of the same people in the same way."""
    if len({claim["directed"] for claim in claims}) > 1:
        raise InputError("some of these releases have directions and some do not: they do not belong together")
    if len({str(claim.get("ids")) for claim in claims}) > 1:
        raise InputError("some of these releases have pseudonyms and some do not: they do not belong together")
    if len(claims) > 1 and any(claim["n_blocks"] > 1 for claim in claims):
        raise InputError("a release with a horizon promises nothing about several releases together: verify it alone")


def _rise(names: pl.Series) -> bool:
    """Whether these are whole numbers from 1, each written in one way and above the one before."""
    numbers = names.cast(pl.Int64, strict=False)
    plain = names.str.contains(r"^[1-9][0-9]*$").all() and not numbers.null_count()
    return bool(plain and (np.diff(numbers.to_numpy(), prepend=0) > 0).all())


def _check_folder(
    folder: Path, claims: dict[str, Any], tell: Callable[[float], None]
) -> tuple[list[Check], Part | None]:
    """One folder on its own: files, tables, simple slices, and what the certificate claims."""
    checks = [*check_files(folder, claims), *check_certificate(claims)]
    if not checks[1].passed:
        return checks, None
    try:
        read = read_partitioned if is_partitioned(folder) else read_tables
        released, more = read(folder, claims)
        checks += more
        if not all(check.passed for check in more):
            return checks, None
        if not checks[2].passed and claims.keys() & {"contacts", "attributes", "sensitive"}:
            return checks, None
        first, values = alike(claims, released), values_of(claims, released)
        seen = walk(released, first, values, directed=claims["directed"], tell=tell)
        more = [
            *check_contacts(folder, claims, released, first, seen.sizes),
            *check_traits(claims, released, seen.fewest),
        ]
    except Unreadable as problem:
        return [*checks, Check("the tables can be read", False, str(problem))], None
    n, horizon, rises = len(released.people), claims.get("horizon"), _rise(released.people)
    counted = Counted(
        n_nodes=n,
        n_slices=len(released.slices),
        n_blocks=len(seen.sizes),
        released=seen.n_edges,
        min_class_size=int(seen.sizes.min(initial=n)),
        n_classes=seen.n_crowds,
        has_start=released.has_start,
        has_layer=released.has_layer,
        numbered=rises and n > 0 and released.people[-1] == str(n),
        with_gaps=rises,
    )
    checks += [
        *check_edges(seen, partitioned=is_partitioned(folder)),
        check_order(released, seen),
        check_blocks(released, horizon if isinstance(horizon, str) else None),
        *check_counts(claims, counted),
        *more,
    ]
    return checks, None if seen.strangers else Part(claims, released, seen.sizes, counted)
