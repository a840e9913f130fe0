"""What is learned: attackers who hold more than numbers lay it over a release and read off the rest.

Each attacker has a file. They share the matching of `matching.py`, never see who is who, and are judged by `Case`, which does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from shoal.audit.learn.case import MANY, SAMPLE, Case, Learned, laid_out_like, make_case
from shoal.audit.learn.groups import groups_known
from shoal.audit.learn.invented import invented
from shoal.audit.learn.known import Known
from shoal.audit.learn.planted import planted
from shoal.audit.learn.same_for_all import same_for_all
from shoal.audit.learn.second_graph import second_graph
from shoal.audit.learn.seeds import contacts_before, seeds
from shoal.audit.learn.twice import twice, two_releases
from shoal.common.progress import Progress
from shoal.errors import InputError
from shoal.graph import TemporalGraph

__all__ = ["ATTACKERS", "Known", "Learned", "laid_out_like", "learn", "make_case", "two_releases"]

_WHOLE: dict[str, Callable[[Case], Learned]] = {"invented": invented, "same-for-all": same_for_all}
_SAMPLED: dict[str, Callable[[Case], Learned]] = {"seeds": seeds, "contacts-before": contacts_before}
_MADE: dict[str, Callable[[Case], Learned]] = {"planted": planted, "twice": twice}

ATTACKERS = ("second-graph", *_SAMPLED, *_WHOLE, *_MADE)


def learn(
    release: TemporalGraph,
    original: TemporalGraph,
    *,
    k: int = 5,
    known: Known | float = 0.5,
    attackers: Sequence[str] | None = None,
    groups: Sequence[int] | np.ndarray | None = None,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> tuple[Learned, ...]:
    """What attackers who hold a second graph, or shoal itself, learn from a release.

    Parameters
    ----------
    release
        The release under the original ids (`Release.graph`); attackers see it under others. Any tool's output will do.
    original
        What it was made from: the same people and slices.
    k
        Of the releases that attackers make themselves.
    known
        What `second-graph` holds: a share of the slices, from the first on, or a `Known`.
    attackers
        Some of `ATTACKERS`; all by default.
    groups
        The group of each person (`Release.groups`): adds `groups-known`, who is told them too, as if they had been published.
    seed, jobs, progress
        As in `shoal.audit`: same seed, same numbers.

    Examples
    --------
    >>> import shoal
    >>> graph = shoal.datasets.messenger(60, 6, seed=1)
    >>> release = shoal.anonymize(graph, k=2, seed=1)
    >>> [found] = learn(release.graph, graph, attackers=["second-graph"])
    >>> 0 <= found["new_pairs"]["true"] <= 1
    True
    """
    chosen = ATTACKERS if attackers is None else tuple(attackers)
    if unknown := [name for name in chosen if name not in ATTACKERS]:
        raise InputError(f"unknown attacker '{unknown[0]}'; known are {', '.join(ATTACKERS)}")
    what = known if isinstance(known, Known) else Known(known)
    case = make_case(original, release, k=k, seed=seed, jobs=jobs)
    sample = case.some(MANY, SAMPLE)
    found = []
    told = None if groups is None else np.asarray(groups)
    with (progress or Progress()).stage("learning", len(chosen)) as tell:
        for done, name in enumerate(chosen):
            if name == "second-graph":
                found.append(second_graph(sample, what))
                found += [] if told is None else [groups_known(sample, what, told)]
            elif name in _SAMPLED:
                found.append(_SAMPLED[name](sample))
            else:
                found.append((_WHOLE | _MADE)[name](case))
            tell((done + 1) / len(chosen))
    return tuple(found)
