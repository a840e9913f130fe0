"""The release of a large graph: `edges/` with a Parquet file for every slice, beside the usual tables and certificate."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.audit.verify import verify
from shoal.demands.promise import Promise
from shoal.engine import Engine, Tell
from shoal.engine.parts import read_array
from shoal.engine.work import Work
from shoal.errors import GuaranteeError
from shoal.files.appear import appearing_whole
from shoal.published.certificate import Facts, make_certificate
from shoal.release import EdgeCounts
from shoal.write.again import warn_if_again
from shoal.write.folder import check_target, write_certificate
from shoal.write.private import check_private, digest_of, write_private
from shoal.write.tables import write_parquet


class Made(NamedTuple):
    """A release that lies in the work folder: where its parts are, and what it cost slice by slice."""

    work: Work
    k: int
    n: int
    slices: list[str]
    people: Path
    groups: Path
    rebuilt: list[Path]
    cost: list[dict[str, int]]
    crowds: dict[str, int]
    bound: int
    digest: str


def write_large(
    engine: Engine,
    made: Made,
    output: str | os.PathLike[str],
    *,
    private: str | os.PathLike[str] | None,
    keep_ids: bool,
    force: bool,
) -> dict[str, Any]:
    """Write all files beside the final name, verify them there, then let the folder appear."""
    target = Path(os.path.abspath(output))
    check_target(target, force=force)
    record = None if private is None else Path(os.path.abspath(private))
    if record is not None:
        check_private(record, target, force=force)
    with appearing_whole(target, made.work.draft, record=record, force=force) as (draft, record_draft):
        (draft / "edges").mkdir()
        task = functools.partial(_write_slice, draft, made.people if keep_ids else None)
        engine.map(task, list(zip(range(len(made.slices)), made.slices, made.rebuilt, strict=True)))
        engine.map(functools.partial(_write_people, draft, keep_ids), [made])
        write_parquet(pl.DataFrame({"slice": made.slices}), draft / "slices.parquet")
        content = _certificate(made, draft, keep_ids=keep_ids)
        write_certificate(content, draft)
        if failures := engine.map(_verify, [(draft, made.k)])[0]:
            raise GuaranteeError(f"the release does not verify and was not published: {'; '.join(failures)}")
        facts = {"input_digest": made.digest, "edges_digest": digest_of(repr(content["sha256"]).encode())}
        warn_if_again(target, content, record, facts)
        if record_draft is not None:
            name = "" if record is None else record.name
            engine.map(functools.partial(_write_private, record_draft, name, keep_ids, facts), [made])
    return content


def _verify(piece: tuple[Path, int], threads: int, tell: Tell) -> list[str]:
    return verify(*piece).failures


def _names(people: Path) -> np.ndarray:
    """The id of every number."""
    ids, number = read_array(people, "ids"), read_array(people, "number")
    names = np.empty(len(ids), np.int64)
    names[number] = ids
    return names


def _write_slice(draft: Path, people: Path | None, piece: tuple[int, str, Path], threads: int, tell: Tell) -> None:
    t, label, rebuilt = piece
    edges = read_array(rebuilt, "edges")
    if people is None:
        u, v = edges[:, 0].astype(np.int64) + 1, edges[:, 1].astype(np.int64) + 1
    else:
        names = _names(people)
        ends = np.sort(names[edges], axis=1)
        u, v = ends[np.lexsort((ends[:, 1], ends[:, 0]))].T
    frame = pl.DataFrame({"source": u, "target": v}).with_columns(slice=pl.lit(label))
    write_parquet(frame, draft / "edges" / f"{t + 1:05}.parquet", row_group_size=1_000_000)


def _write_people(draft: Path, keep_ids: bool, made: Made, threads: int, tell: Tell) -> None:
    names = read_array(made.people, "ids") if keep_ids else np.arange(1, made.n + 1)
    write_parquet(pl.DataFrame({"node": names}), draft / "nodes.parquet", row_group_size=1_000_000)


def _write_private(
    file: Path, file_name: str, keep_ids: bool, facts: dict[str, str], made: Made, threads: int, tell: Tell
) -> None:
    """Who is who, by the name in the folder, and in which group: as JSON where the file is called so, else as Parquet."""
    ids, groups = _names(made.people), read_array(made.groups, "labels")
    names = ids if keep_ids else np.arange(1, made.n + 1)
    if file_name.endswith(".json"):
        published = [str(name) for name in names.tolist()]
        record = {
            "warning": "PRIVATE: whoever has this file can undo the release.", "seeds": [made.work.seed], "k": made.k,
            "method": "search", **facts, "slices": made.slices, "ids": dict(zip(published, ids.tolist(), strict=True)),
            "levels": dict.fromkeys(published, made.k), "groups": dict(zip(published, groups.tolist(), strict=True)),
            "highest": made.n, "limits": None, "held_back": [], "changed_edges": {},
        }  # fmt: skip
        return write_private(record, file)
    table = pl.DataFrame({"node": names, "id": ids, "group": groups}).sort("node")
    return write_parquet(table, file, metadata={"warning": "PRIVATE", "seed": str(made.work.seed), **facts})


def _certificate(made: Made, folder: Path, *, keep_ids: bool) -> dict[str, Any]:
    """As for any release. One number stands for everybody's level: a list would be as long as the people are many."""
    names = ("original", "released", "added", "removed")
    facts = Facts(
        method="search",
        n_nodes=made.n,
        n_slices=len(made.slices),
        directed=False,
        ordered=True,
        min_class_size=made.crowds["smallest"],
        n_classes=made.crowds["classes"],
        l1=sum(one["l1"] for one in made.cost),
        bound=made.bound,
        edges=EdgeCounts(*(sum(one[name] for one in made.cost) for name in names)),
    )
    promise = Promise(np.full(1, made.k), np.zeros(facts.n_slices, np.int64), None)
    return make_certificate(promise, {made.k: made.n}, facts, folder, keep_ids=keep_ids)
