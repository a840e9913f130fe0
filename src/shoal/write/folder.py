"""The release folder: written beside its final name, verified there, then renamed. It appears whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.errors import GuaranteeError, InputError
from shoal.write.again import warn_if_again
from shoal.write.certificate import certificate
from shoal.write.private import (
    check_private,
    check_private_report,
    private_record,
    write_private_report,
    write_secret,
)
from shoal.write.published import coarse_certificate

if TYPE_CHECKING:
    from shoal.release import Release
    from shoal.report import Report

FORMATS = ("csv", "parquet")


def check_target(folder: Path, *, force: bool) -> None:
    """Refuse early, before any work, a folder that could not be written or must not be replaced."""
    folder = Path(os.path.abspath(folder))
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
    format: str,
    report: bool,
    force: bool,
    source: str | os.PathLike[str] | None,
) -> dict[str, Any]:
    """Write all files, verify them with code that shares nothing with the stages, then let the folder appear.

    Gives the certificate with exact numbers; the one in the folder has coarse ones.
    """
    target = Path(os.path.abspath(folder))
    if format not in FORMATS:
        raise InputError(f"unknown format '{format}'; known are {', '.join(FORMATS)}")
    check_target(target, force=force)
    if private is not None:
        check_private(Path(private), target, force=force)
    if private_report is not None:
        check_private_report(Path(private_report), target, force=force)
    if release.after is not None:
        if keep_ids and not release.after.keeps_ids:
            raise InputError(
                "people in an extension keep the pseudonyms they have; it cannot be saved with their own ids"
            )
        keep_ids = release.after.keeps_ids
    names = release.graph.nodes if keep_ids else published_names(release)
    with appearing_whole(target, release.work.draft if release.work is not None else None) as draft:
        _write_tables(release, names, draft, format)
        found = _measured(release) if report or private_report is not None else None
        if report and found is not None:
            for name, text in zip(("report.html", "report.json"), found.public(), strict=True):
                (draft / name).write_text(text, encoding="utf-8")
        content = certificate(release, draft, keep_ids=keep_ids)
        write_certificate(content, draft)
        _verify(draft, release, names)
        record = private_record(release, names, source)
        warning = warn_if_again(target, content, None if private is None else Path(private), record)
        if private is not None:
            write_secret(json.dumps(record, indent=1, ensure_ascii=False), Path(private))
        if private_report is not None and found is not None:
            write_private_report(*found.private(warning), Path(private_report))
    if release.work is not None:
        release.work.remove()
    return content


def _measured(release: Release) -> Report:
    from shoal.report import Report  # with everything that draws pictures: only where there is to be one

    return Report(release)


def write_certificate(exact: dict[str, Any], folder: Path) -> None:
    """Write certificate.json, in which numbers about the original are coarse."""
    text = json.dumps(coarse_certificate(exact), indent=2, ensure_ascii=False)
    (folder / "certificate.json").write_text(text + "\n", encoding="utf-8")


def _verify(folder: Path, release: Release, names: pl.Series) -> None:
    """From the files, and where people have levels of their own, from a record of these that is thrown away again."""
    from shoal.audit.verify import verify

    folders = [folder] if release.after is None else [release.after.folder, folder]
    if release.promise.for_everybody:
        verdict = verify(folders, release.k)
    else:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".json") as record:
            levels = zip(map(str, names.to_list()), release.promise.needs.tolist(), strict=True)
            json.dump({"levels": dict(levels)}, record)
            record.flush()
            verdict = verify(folders, record=record.name)
    if not verdict.holds:
        raise GuaranteeError(f"the release does not verify and was not published: {'; '.join(verdict.failures)}")


def published_names(release: Release) -> pl.Series:
    """Numbers from 1 in a secret random order, unless an earlier release gave them out."""
    if release.after is not None:
        return release.after.names
    ranks = release.chance.rank([f"pseudonym/{x}" for x in release.graph.nodes.to_list()])
    return pl.Series("node", ranks + 1)


def _write_tables(release: Release, names: pl.Series, folder: Path, format: str) -> None:
    """nodes, slices and edges, sorted by what is published, so that the order tells nothing about the input's."""
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
    public = graph.renamed(names)
    sorted_names, codes = public.nodes, public.slice_codes()
    edges = pl.DataFrame(
        {
            "source": sorted_names.gather(public._edges[:, 0]),
            "target": sorted_names.gather(public._edges[:, 1]),
            "slice": slices["slice"].gather(codes),
        }
    )
    if "layer" in slices.columns:
        edges = edges.with_columns(layer=slices["layer"].gather(codes))
    for name, frame in (("nodes", sorted_names.alias("node").to_frame()), ("slices", slices), ("edges", edges)):
        if format == "parquet":
            frame.write_parquet(folder / f"{name}.parquet")
        else:
            frame.write_csv(folder / f"{name}.csv", quote_style="non_numeric" if _has_returns(frame) else "necessary")


def _has_returns(frame: pl.DataFrame) -> bool:
    """Whether a name holds a carriage return, around which some versions of polars put no quotes."""
    texts = frame.select(pl.col(pl.String).str.contains("\r", literal=True).any())
    return any(texts.row(0)) if texts.width else False


@contextmanager
def appearing_whole(target: Path, name: str | None = None) -> Iterator[Path]:
    """A draft folder beside the target that takes its name at the end, or vanishes.

    With a name it is the same in every run, and what a killed run left of it is cleared away.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if name is None:
            draft = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".draft", dir=target.parent))
        else:
            draft = target.parent / f".{target.name}.{name}.draft"
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir(mode=0o700)
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror})") from None
    try:
        yield draft
        for file in draft.rglob("*"):
            _flush(file)
        draft.chmod(0o755)
        if target.exists():
            aside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".old", dir=target.parent))
            os.rename(target, aside / "old")
            os.rename(draft, target)
            shutil.rmtree(aside, ignore_errors=True)
        else:
            os.rename(draft, target)
        _flush(target.parent)
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror or error})") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _flush(path: Path) -> None:
    """To the disk, so that a power cut after the rename cannot leave empty files."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
