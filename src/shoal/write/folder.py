"""The release folder: written beside its final name, verified there, then renamed. It appears whole or not at all."""

from __future__ import annotations

import functools
import json
import os
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.common.checks import a_path, one_of, some_progress, yes_or_no
from shoal.common.progress import Progress
from shoal.engine import Tell
from shoal.errors import GuaranteeError, InputError
from shoal.files.appear import appearing_whole, recover
from shoal.published.about import About, make_about
from shoal.published.certificate import certificate
from shoal.published.coarse import coarse_certificate
from shoal.write.again import warn_if_again
from shoal.write.private import check_private_report, check_record, private_record, write_private, write_private_report
from shoal.write.tables import write_tables

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
            write_tables(release, names, draft, format, tell)
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
    _wake_renderer()
    from shoal.report import Report  # with everything that draws pictures: only where there is to be one

    return Report(release, about, keep_ids=keep_ids, attacked=attacked).measure(told)


@functools.cache
def _wake_renderer() -> None:
    """The engine that draws pictures takes a third of a second to start: it does so beside the measuring."""
    import vl_convert

    threading.Thread(target=vl_convert.vegalite_to_svg, args=('{"mark": "point", "data": {"values": []}}',)).start()


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
        levels = zip(map(str, names.to_list()), release.promise.levels.tolist(), strict=True)
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
