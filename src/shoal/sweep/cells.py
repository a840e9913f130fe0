"""One setting and what came of it: a real release, what is learned from it, what it still says."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from shoal.anonymize import anonymize
from shoal.audit import Vector, audit
from shoal.audit.learn import Known, learn
from shoal.errors import InputError
from shoal.files.kept import Kept
from shoal.graph import TemporalGraph
from shoal.measure import compare

OUTBREAKS = ("outbreak_si_20", "outbreak_si_50")
_TEXTS = ("slice", "against", "known")
_UNDEFINED = ("pagerank_similarity", "degree_distance", "new_pairs", "known_ties", "outbreak_20", "outbreak_50")


@dataclass(frozen=True)
class Cell:
    """One setting and what came of it. Shares are between 0 and 1; `agreements` are those of `compare`.

    `known` is what the attacker with a second graph holds. `new_pairs` is how much more often their claims about two people never
    seen together are true than without the release; `known_ties` the share of the contacts of two who met before that they find
    beyond what they would have found anyway. Outbreaks are multiples of the original's. None is what cannot be measured.
    """

    slice: str
    against: str
    k: int
    n_nodes: int
    n_slices: int
    edges: int
    alone_before: int
    success_before: float
    success_after: float
    reidentified: float
    kept_share: float
    changed_share: float
    known: str | None
    new_pairs: float | None
    known_ties: float | None
    outbreak_20: float | None
    outbreak_50: float | None
    pagerank_similarity: float | None
    degree_distance: float | None
    seconds: float
    agreements: dict[str, float | None]

    @property
    def learned(self) -> float | None:
        """What the attacker with a second graph learns: of new pairs or of known ties, whichever is more; never below 0."""
        both = [share for share in (self.new_pairs, self.known_ties) if share is not None]
        return max(0.0, *both) if both else None

    @property
    def outbreak_error(self) -> float | None:
        """How far outbreaks are from the original's, as a share of them: the worse of two."""
        both = [abs(times - 1) for times in (self.outbreak_20, self.outbreak_50) if times is not None]
        return max(both, default=None)

    def setting(self) -> str:
        """What it is a release of, in words."""
        return f"slice {self.slice}, k = {self.k}" + (", against a graph" if self.against == "graph" else "")


class Store:
    """Measures cells; those that were measured before are taken from the folder."""

    def __init__(self, folder: Path | None, seed: int, known: float | None, options: dict[str, Any]) -> None:
        self.folder, self.seed, self.known, self.options = folder, seed, known, options
        self.kept = Kept(folder / "cells" if folder is not None else None)

    def cell(self, name: str, graph: TemporalGraph, against: str, k: int) -> Cell:
        """What came of one setting."""
        what = (name, graph.digest(), against, k, self.seed, self.known, sorted(self.options.items()))
        try:
            found = Cell(**self.kept.find(*what))
            if (found.slice, found.against, found.k) == (name, against, k) and _is_whole(found):
                return found
        except TypeError:
            pass  # not measured yet, or by another version of the cell
        cell = measure(name, graph, against, k, self)
        self.kept.keep(asdict(cell), *what)
        return cell


def _is_whole(cell: Cell) -> bool:
    """Whether every number of a cell that was kept is a number."""
    if not isinstance(cell.agreements, dict) or not isinstance(cell.known, str | None):
        return False
    values = {key: value for key, value in asdict(cell).items() if key not in (*_TEXTS, "agreements")}
    undefined = [values.pop(name) for name in _UNDEFINED]
    defined = [value for value in (*undefined, *cell.agreements.values()) if value is not None]
    return all(isinstance(value, int | float) and math.isfinite(value) for value in (*values.values(), *defined))


def measure(name: str, graph: TemporalGraph, against: str, k: int, store: Store) -> Cell:
    """Make the release and measure it."""
    start = time.perf_counter()
    release = anonymize(graph, k, seed=store.seed, against=against, **store.options)
    seconds = time.perf_counter() - start
    before = audit(graph, k=k, attackers=[Vector()])["vector"]
    after = audit(release.graph, k=k, attackers=[Vector()], original=graph)
    compared = compare(graph, release.graph)
    agreements = compared.agreements()
    known, new_pairs, known_ties = _learned(graph, release.graph, store.known, store.options.get("jobs"))
    outbreak_20, outbreak_50 = (_times(compared.overall[kind]) for kind in OUTBREAKS)
    return Cell(
        slice=name,
        against=against,
        k=k,
        n_nodes=graph.n_nodes,
        n_slices=graph.n_slices,
        edges=graph.n_edges,
        alone_before=int(before.unique),
        success_before=before.expected_success,
        success_after=after["vector"].expected_success,
        reidentified=after["reidentify"].expected_success,
        kept_share=release.edges.kept_share,
        changed_share=release.edges.changed / max(release.edges.original, 1),
        known=known,
        new_pairs=new_pairs,
        known_ties=known_ties,
        outbreak_20=outbreak_20,
        outbreak_50=outbreak_50,
        pagerank_similarity=agreements["pagerank_similarity"],
        degree_distance=compared.overall["degree_distance"],
        seconds=seconds,
        agreements=agreements,
    )


def _times(both: dict[str, float | None]) -> float | None:
    """The release's as a multiple of the original's."""
    one, other = both["released"], both["original"]
    return None if one is None or not other else one / other


def _learned(
    graph: TemporalGraph, released: TemporalGraph, known: float | None, jobs: int | None
) -> tuple[str | None, float | None, float | None]:
    """What the attacker with a second graph holds, and what they learn beyond it of new pairs and of known ties.

    They hold the first slices; a random part of the contacts where that cannot be, as in a single slice.
    """
    for part in [] if known is None else [Known(known), Known(known, edges=True)]:
        with suppress(InputError):  # nothing is known, or nothing is left to learn
            (found,) = learn(released, graph, known=part, attackers=["second-graph"], jobs=jobs)
            new, ties = found["new_pairs"], found["known_ties"]
            beyond = float(new["true"] - new["without"]["true"]), float(ties["found"] - ties["without"]["found"])
            return found["known"], *beyond
    return None, None, None
