"""Both protections on the same file, side by side: what is learned from each, and what each keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.errors import InputError
from shoal.web.look import plain_words

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.common.progress import Progress
    from shoal.graph import TemporalGraph

_KEPT = {
    "edges_per_slice": "how busy each slice is",
    "outbreak_si_20": "outbreaks, chance 0.2",
    "outbreak_si_50": "outbreaks, chance 0.5",
    "pagerank_similarity": "who is important (PageRank)",
    "communities": "communities",
    "temporal_correlation": "how far people keep their neighbours",
    "clustering": "clustering",
}


def side_by_side(
    graph: TemporalGraph, asked: dict[str, Any], file: Path, label: str, progress: Progress
) -> dict[str, Any]:
    """A quick trial of each; a protection that cannot be had with these choices says why."""
    plain = asked | {"effort": "fast", "contacts": None, "protect_counts": False}
    found = []
    for against in ("numbers", "graph"):
        move = asked["move"] if against == "graph" else "slice"
        try:
            found.append(_tried(graph, plain | {"against": against, "move": move}, progress))
        except InputError as error:
            found.append({"refused": plain_words(str(error), file, label)})
    return {"candidates": found, "k": asked["k"] if isinstance(asked["k"], int) else "everybody's own"}


def _tried(graph: TemporalGraph, asked: dict[str, Any], progress: Progress) -> dict[str, Any]:
    from shoal.anonymize import anonymize
    from shoal.audit.learn import learn
    from shoal.measure import compare

    options = dict(asked)
    release = anonymize(graph, options.pop("k"), **options, progress=progress)
    agreed = compare(graph, release.graph, progress=progress).agreements()
    try:
        (second,) = learn(release.graph, graph, k=release.k, attackers=["second-graph"], progress=progress)
        new, ties = second["new_pairs"], second["known_ties"]
        learned = {
            "claims about two people never seen together that are true": [new["true"], new["without"]["true"]],
            "later contacts of two who met before that are found": [ties["found"], ties["without"]["found"]],
        }
    except InputError:  # one slice, or nobody has an edge in the known part
        learned = {}
    return {
        "against": asked["against"],
        "smallest": release.min_class_size,
        "edges_kept": None if release.moved is not None else release.edges.kept_share,
        "learned": learned,
        "kept": {words: agreed.get(name) for name, words in _KEPT.items() if agreed.get(name) is not None},
    }
