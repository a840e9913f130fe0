"""A release beside the contacts it was made from, for the commands that hold one against the other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

if TYPE_CHECKING:
    from shoal.cli import bundles
    from shoal.common.progress import Progress
    from shoal.graph import TemporalGraph

Record = Annotated[
    Path | None, typer.Option("--record", help="The private record of the release, which says who is who.")
]


class Opened(NamedTuple):
    """A private record that was read."""

    file: Path
    content: dict[str, Any]


def opened(file: Path | None) -> Opened | None:
    """Read a private record, if there is one."""
    from shoal.read.record import read_record

    return None if file is None else Opened(file, read_record(file))


def both(
    load: bundles.Load, original: Path, release: Path, record: Path | None, progress: Progress
) -> tuple[TemporalGraph, TemporalGraph]:
    """The original and the release with the same people, under their original ids."""
    from shoal.errors import InputError

    known = opened(record)
    before = without_withheld(load(original, progress), known)
    after = with_original_ids(load.beside(release, progress), release, known)
    if before.nodes.dtype != after.nodes.dtype or not before.nodes.is_in(after.nodes.implode()).all():
        raise InputError(f"{release}: there are people in {original} who are not in it")
    return before.over(after.nodes), after


def without_withheld(original: TemporalGraph, record: Opened | None) -> TemporalGraph:
    """The original among the people of a release from which some were withheld, as its record says."""
    gone = set() if record is None else {str(node) for node in record.content.get("withheld", [])}
    stay = [str(node) not in gone for node in original.nodes.to_list()] if gone else []
    return original.over(original.nodes.filter(stay)) if gone else original


def with_original_ids(release: TemporalGraph, folder: Path, record: Opened | None) -> TemporalGraph:
    """Undo the pseudonyms with the private record of this release; without one the ids must have been kept: a 7 may be anybody."""
    import numpy as np

    from shoal.audit._released import read_certificate
    from shoal.contacts.build import ids_as_series
    from shoal.errors import InputError

    if record is None:
        if (folder / "certificate.json").is_file() and read_certificate(folder).get("ids") != "original":
            raise InputError(
                f"{folder}: people have pseudonyms in it; give the private record that says who is who (--record)"
            )
        return release
    known = record.content
    ids, groups = known["ids"], known["groups"]
    names = [str(node) for node in release.nodes.to_list()]
    fits = all(name in ids for name in names) and {part.label for part in release.slices} <= set(known["slices"])
    if fits:  # members of a group are alike in the release
        labels, rows = np.array([groups[name] for name in names]), release.degree_matrix()
        first = np.unique(labels, return_index=True)[1]
        fits = bool((rows == rows[first][np.unique(labels, return_inverse=True)[1]]).all())
    if not fits:
        raise InputError(f"{record.file}: is not the private record of this release")
    return release.renamed(ids_as_series([ids[name] for name in names]).alias("node"))


def under_original_ids(
    path: Path, graph: TemporalGraph, original: TemporalGraph, record: Opened | None, *, same_ids: bool
) -> TemporalGraph:
    """The release with the ids of the original: by its record, or because they were kept."""
    from shoal.audit.learn import laid_out_like

    if record is None and not path.is_dir():
        return laid_out_like(graph, original)
    return graph if same_ids else with_original_ids(graph, path, record)


def of_everybody(what: str, graph: TemporalGraph, record: Opened, *, renamed: bool) -> dict[Any, int]:
    """Everybody's level or group, by the private record, under the ids the graph has now."""
    from shoal.errors import InputError

    known = record.content
    ids = {str(original): name for name, original in known["ids"].items()} if renamed else dict.fromkeys(known["ids"])
    people = graph.nodes.to_list()
    if not all(str(node) in ids for node in people):
        raise InputError(f"{record.file}: is not the private record of this release")
    return {node: known[what][ids[str(node)] or str(node)] for node in people}
