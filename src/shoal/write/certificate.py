"""certificate.json: what is promised, what it cost, and hashes of the files it speaks of."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import shoal
from shoal.release import Release


def guarantee_in_words(k: int) -> str:
    """The promise, as a sentence."""
    if k == 1:
        return "k is 1: nobody is protected by this release."
    return (
        f"Everybody in this release has the same number of contacts in every slice as at least {k - 1} other "
        f"{'person' if k == 2 else 'people'}. Whoever knows all these numbers of somebody, and nothing else, is left "
        f"with at least {k} candidates."
    )


def certificate(release: Release, folder: Path, *, keep_ids: bool) -> dict[str, Any]:
    """Everything in it is an aggregate: no original id, no edge, no seed."""
    graph, edges = release.graph, release.edges
    return {
        "format": 1,
        "made_by": f"shoal {shoal.__version__}",
        "guarantee": guarantee_in_words(release.k),
        "attacker": "knows the degree of a person in every slice",
        "k": release.k,
        "method": release.method,
        "n_nodes": graph.n_nodes,
        "n_slices": graph.n_slices,
        "directed": graph.directed,
        "ordered": graph.ordered,
        "ids": "original" if keep_ids else "pseudonyms",
        "min_class_size": release.min_class_size,
        "n_classes": release.n_classes,
        "cost": {
            "l1": release.cost_l1,
            "normalised": release.cost_normalised,
            "lower_bound": release.bound,
            "at_most_times_optimum": release.at_most_times_optimum,
        },
        "edges": {
            "original": edges.original,
            "released": edges.released,
            "added": edges.added,
            "removed": edges.removed,
            "kept": edges.kept,
            "kept_share": edges.kept_share,
        },
        "sha256": {file.name: sha256(file) for file in sorted(folder.iterdir())},
    }


def sha256(file: Path) -> str:
    """The hash of a file as hexadecimal text."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
