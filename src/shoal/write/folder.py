"""The release folder: written beside its final name, verified there, then renamed. It appears whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.common.checks import a_path, one_of, some_progress, yes_or_no
from shoal.common.edges import edge_keys
from shoal.common.progress import Progress
from shoal.engine import Tell
from shoal.errors import GuaranteeError, InputError
from shoal.files.appear import appearing_whole, recover
from shoal.published.about import About, make_about
from shoal.published.certificate import certificate
from shoal.published.coarse import coarse_certificate
from shoal.read.text import first_line
from shoal.write.again import warn_if_again
from shoal.write.private import check_private_report, check_record, private_record, write_private, write_private_report

if TYPE_CHECKING:
    from shoal.release import Release
    from shoal.report import Report

FORMATS = ("csv", "parquet")


def check_target(folder: Path, *, force: bool) -> None:
    """Refuse early, before any work, a folder that could not be written or must not be replaced."""
    folder = Path(os.path.abspath(folder))
    recover(folder)
    if folder.exists() or folder.is_symlink():
        if not force:
            raise InputError(f"{folder}: exists already (replace it with --force)")
        if not folder.is_dir() or folder.is_symlink():
            raise InputError(f"{folder}: is not a folder")
        if any(folder.iterdir()) and not (folder / "certificate.json").is_file():
            raise InputError(f"{folder}: is not a release folder, so --force will not replace it")
    parent = next(p for p in folder.parents if p.exists())
    if not parent.is_dir():
        raise InputError(f"{folder}: cannot be made, {parent} is not a folder")
    try:  # asking for permission can lie (read-only mounts, root); trying does not
        os.rmdir(tempfile.mkdtemp(prefix=".shoal-", dir=parent))
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error.strerror})") from None


def write_release(
    release: Release,
    folder: str | os.PathLike[str],
    *,
    private: str | os.PathLike[str] | None,
    private_report: str | os.PathLike[str] | None,
    keep_ids: bool,
    format: str | None,
    report: bool,
    force: bool,
    source: str | os.PathLike[str] | None,
    title: str | None,
    by: str | None,
    date: str | None,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """Write all files, verify them with code that shares nothing with the stages, then let the folder appear.

    Gives the certificate with exact numbers; the one in the folder has coarse ones.
    """
    target, told = Path(os.path.abspath(a_path("folder", folder))), some_progress(progress)
    stored = release.graph.run is not None
    format = one_of("format", ("parquet" if stored else "csv") if format is None else format, FORMATS)
    if stored and format != "parquet":
        raise InputError(
            "a folder of Parquet is released as Parquet, a file for each slice; it cannot become one file of text"
        )
    keep_ids, report, force = (
        yes_or_no(*one) for one in (("keep_ids", keep_ids), ("report", report), ("force", force))
    )
    if source is not None and not a_path("source", source).is_file():
        raise InputError(f"{source}: there is no such file, so it cannot be the source of this release")
    about = make_about(title, by, date)
    if release.after is not None:
        if keep_ids and not release.after.keeps_ids:
            raise InputError("an extension goes on with the pseudonyms of the release before; it cannot keep the ids")
        keep_ids = release.after.keeps_ids
    check_target(target, force=force)
    record = None if private is None else Path(os.path.abspath(a_path("private", private)))
    check_record(release, record, target, force=force)
    place = None if private_report is None else a_path("private_report", private_report)
    if place is not None:
        check_private_report(place, target, force=force)
    names = release.graph.nodes if keep_ids else published_names(release)
    name = release.work.draft if release.work is not None else None
    with appearing_whole(target, name, record=record, force=force) as (draft, record_draft):
        with told.stage("writing", release.graph.n_slices) as tell:
            _write_tables(release, names, draft, format, tell)
        attacked = record is not None or place is not None
        found = _measured(release, about, told, keep_ids=keep_ids, attacked=attacked) if report or place else None
        if report and found is not None:
            with told.stage("drawing", 1):
                for name, text in zip(("report.html", "report.json"), found.public(), strict=True):
                    (draft / name).write_text(text, encoding="utf-8")
        content = certificate(release, draft, keep_ids=keep_ids)
        write_certificate(content, draft)
        with told.stage("verifying", release.graph.n_slices) as tell:
            _verify(draft, release, names, tell)
        with told.stage("closing", 1):
            known = {} if record is None else private_record(release, names, source, record, content)
            warning = warn_if_again(target, content, record, known)
            if record_draft is not None and record is not None:
                write_private(known, record_draft, record)
                check_record(
                    release, record, target, force=force
                )  # also at the end: nobody else has brought it up to date
            if place is not None and found is not None:
                name = None if source is None else Path(source).name
                write_private_report(*found.private(warning, name), place)
    if release.work is not None:
        release.work.remove()
    return content


def _measured(release: Release, about: About, told: Progress, *, keep_ids: bool, attacked: bool) -> Report:
    from shoal.report import Report  # with everything that draws pictures: only where there is to be one

    return Report(release, about, keep_ids=keep_ids, attacked=attacked).measure(told)


def write_certificate(exact: dict[str, Any], folder: Path) -> None:
    """Write certificate.json, in which numbers about the original are coarse."""
    text = json.dumps(coarse_certificate(exact), indent=2, ensure_ascii=False)
    (folder / "certificate.json").write_text(text + "\n", encoding="utf-8")


def _verify(folder: Path, release: Release, names: pl.Series, tell: Tell) -> None:
    """From the files, and where people have levels of their own, from these, which are nowhere on the disk."""
    from shoal.audit.verify import verify

    folders = [folder] if release.after is None else [release.after.folder, folder]
    if release.promise.for_everybody:
        verdict = verify(folders, release.k, tell=tell)
    else:
        levels = zip(map(str, names.to_list()), release.promise.needs.tolist(), strict=True)
        verdict = verify(folders, record={"levels": dict(levels)}, tell=tell)
    if not verdict.holds:
        raise GuaranteeError(f"the release does not verify and was not published: {'; '.join(verdict.failures)}")


def published_names(release: Release) -> pl.Series:
    """Numbers from 1 in a secret random order, unless an earlier release gave them out."""
    if release.after is not None:
        return release.after.names
    nodes = release.graph.nodes
    texts = (f"pseudonym/{x}" for some in nodes.to_frame().iter_slices(100_000) for x in some["node"].to_list())
    return pl.Series("node", release.chance.rank(texts, len(nodes)) + 1)


def _write_tables(release: Release, names: pl.Series, folder: Path, format: str, tell: Tell) -> None:
    """nodes, slices and edges, sorted by what is published, so that the order tells nothing about the input's.

    Of a graph that lies in files every slice becomes a file, so that no more than one is held.
    """
    graph = release.graph
    slices = pl.DataFrame(
        {
            "slice": [s.label for s in graph.slices],
            "layer": [s.layer for s in graph.slices],
            "start": [s.start for s in graph.slices],
        },
        schema={"slice": pl.String, "layer": pl.String, "start": pl.String},
    )
    if release.promise.n_blocks > 1:
        slices = slices.with_columns(block=pl.Series(release.promise.blocks + 1))
    slices = slices.select(c for c in slices.columns if c == "slice" or slices[c].null_count() < len(slices))
    order = names.arg_sort().to_numpy()
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    public = names.gather(order).alias("node")
    if graph.run is not None:
        (folder / "edges").mkdir()
    parts: list[np.ndarray] = []
    for t in range(graph.n_slices):
        ends = place[graph.edges(t)]
        ends = ends if graph.directed else np.sort(ends, axis=1)
        parts.append(ends[np.argsort(edge_keys(ends))])
        if graph.run is not None:
            table = _edge_table(public, slices, parts.pop(), np.full(len(ends), t))
            write_parquet(table, folder / "edges" / f"{t + 1:05}.parquet", row_group_size=1_000_000)
        tell((t + 1) / graph.n_slices)
    tables = {"nodes": public.to_frame(), "slices": slices}
    if graph.run is None:
        tables["edges"] = _edge_table(public, slices, np.concatenate(parts), graph.slice_codes())
    for name, frame in tables.items():
        if format == "parquet":
            write_parquet(frame, folder / f"{name}.parquet")
        else:
            frame.write_csv(folder / f"{name}.csv", quote_style="non_numeric" if _has_returns(frame) else "necessary")


def _edge_table(names: pl.Series, slices: pl.DataFrame, ends: np.ndarray, codes: np.ndarray) -> pl.DataFrame:
    columns = {"source": names.gather(ends[:, 0]), "target": names.gather(ends[:, 1])}
    return pl.DataFrame(
        columns | {name: slices[name].gather(codes) for name in ("slice", "layer") if name in slices.columns}
    )


def write_parquet(frame: pl.DataFrame, file: Path, **options: Any) -> None:
    """Write a table as Parquet, or one sentence."""
    try:
        frame.write_parquet(file, **options)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{file}: cannot be written ({first_line(error)})") from None


def _has_returns(frame: pl.DataFrame) -> bool:
    """Whether a name holds a carriage return, around which some versions of polars put no quotes."""
    texts = frame.select(pl.col(pl.String).str.contains("\r", literal=True).any())
    return any(texts.row(0)) if texts.width else False
