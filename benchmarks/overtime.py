"""What is kept over time, before and after numbers of edges are kept and slices retied.

`python benchmarks/overtime.py [--seed N] [k ...] [set ...]`; before is `density="free"` without retying.
An outbreak passes over each contact of a slice with probability β, from anybody.

`python benchmarks/overtime.py --learner [k ...] [set ...]` asks instead how well invented edges are told from kept ones by
somebody who has learned it from the releases of the other sets, of which they know what was invented.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import sets

import shoal
from shoal.audit.learn.invented import _ranked as ranked
from shoal.audit.learn.invented import auc, features, not_in, ranks
from shoal.common.edges import slack_of
from shoal.plan import slices

NAMES = [
    "Irvine weeks",
    "Copenhagen days",
    "Enron months",
    "primary school hours",
    "Travian days",
    "DBLP years",
    "Aarhus layers",
]
RUNS, MANY, SEED = 3_000, 5_000, 0


@contextmanager
def rounds(count: int | None) -> Iterator[None]:
    """Retying takes so many rounds; as many as usual for None."""
    usual = dict(slices.ROUNDS)
    slices.ROUNDS.update({} if count is None else dict.fromkeys(usual, count))
    try:
        yield
    finally:
        slices.ROUNDS.update(usual)


def outbreak(graph: shoal.TemporalGraph, beta: float, rng: np.random.Generator) -> float:
    """The mean number of people reached, over all runs at once."""
    runs = RUNS if graph.n_nodes <= MANY else RUNS // 40
    ill = np.zeros((graph.n_nodes, runs), bool)
    ill[rng.integers(graph.n_nodes, size=runs), np.arange(runs)] = True
    for _, edges in graph:
        fresh = ill.copy()
        for u, v in edges:
            passes = (ill[u] != ill[v]) & (rng.random(runs) < beta)
            fresh[u] |= passes
            fresh[v] |= passes
        ill = fresh
    return float(ill.sum() / runs)


def pairs(graph: shoal.TemporalGraph) -> int:
    low, high = np.sort(graph._edges.astype(np.int64), axis=1).T
    return len(np.unique(low * graph.n_nodes + high))


def reachable(graph: shoal.TemporalGraph, rng: np.random.Generator) -> float:
    """The mean number of people whom a contact in each slice at most leads to, from everybody or from some."""
    some = np.arange(graph.n_nodes) if graph.n_nodes <= MANY else rng.choice(graph.n_nodes, RUNS // 40, replace=False)
    reached = np.zeros((graph.n_nodes, len(some)), bool)
    reached[some, np.arange(len(some))] = True
    for _, edges in graph:
        fresh = reached.copy()
        for u, v in edges:
            fresh[u] |= reached[v]
            fresh[v] |= reached[u]
        reached = fresh
    return float(reached.sum() / len(some))


def row(name: str, k: int, original: shoal.TemporalGraph, seed: int, *, before: bool) -> str:
    """One line of the table."""
    with rounds(0 if before else None):
        release = shoal.anonymize(original, k, seed=seed, density="free" if before else None)
    graph, made_up = release.graph, not_in(release.graph, original)
    areas = {what: auc(values, made_up) for what, values in features(graph).items()}
    worst = max(areas, key=areas.__getitem__)
    off = max(abs(len(e) - len(o)) / max(len(o), 1) for (_, e), (_, o) in zip(graph, original, strict=True))
    out = sum(abs(len(e) - len(o)) > slack_of(len(o)) for (_, e), (_, o) in zip(graph, original, strict=True))
    measured = shoal.compare(original, graph, communities=False).overall
    correlation = measured["temporal_correlation"]["agreement"]
    cells = [name, str(k), "before" if before else "after", f"{release.edges.changed:,}", f"{off:.0%} ({out})"]
    cells += [f"{pairs(graph):,} ({pairs(original):,})", "" if correlation is None else f"{correlation:.2f}"]
    for beta in (0.2, 0.5):
        sizes = [outbreak(one, beta, np.random.default_rng(1)) for one in (graph, original)]
        cells.append(f"{sizes[0]:.1f} ({sizes[1]:.1f})" if original.ordered else "")
    far = [reachable(one, np.random.default_rng(1)) for one in (graph, original)] if original.ordered else []
    cells.append(f"{far[0]:.0f} ({far[1]:.0f})" if far else "")
    return "| " + " | ".join([*cells, f"{areas[worst]:.2f} {worst}", f"{measured['pagerank_similarity']:.3f}"]) + " |"


def learners(names: list[str], k: int) -> Iterator[str]:
    """A line for each set: the AUC of logistic regression and of trees that were trained on all the others."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression

    seen, made_up = {}, {}
    for name in names:
        original = sets.load(name)
        graph = shoal.anonymize(original, k, seed=SEED).graph
        seen[name], made_up[name] = ranked(features(graph)), not_in(graph, original)
    for name in names:
        others = [other for other in names if other != name]
        known, labels = (np.concatenate([of[other] for other in others]) for of in (seen, made_up))
        share = [np.full(len(made_up[other]), 1 / len(made_up[other])) for other in others]  # each set counts once
        areas = []
        for learner in (LogisticRegression(max_iter=1000), HistGradientBoostingClassifier(random_state=SEED)):
            learner.fit(known, labels, sample_weight=np.concatenate(share) * len(labels))
            # not `auc`, which turns a learner round that is wrong: whoever asks does not know that it is
            areas.append(area(learner.predict_proba(seen[name])[:, 1], made_up[name]))
        yield f"| {name} | {k} | {areas[0]:.2f} | {areas[1]:.2f} |"


def area(values: np.ndarray, positive: np.ndarray) -> float:
    """The chance that an invented edge is found more suspicious than a kept one."""
    count = np.count_nonzero(positive)
    above = ranks(values)[positive].sum() - count * (count + 1) / 2
    return float(above / max(count * (len(positive) - count), 1))


def main() -> None:
    given, seed = sys.argv[1:], SEED
    if "--seed" in given:
        at = given.index("--seed")
        seed = int(given.pop(at + 1))
        given.pop(at)
    asked, named = [a for a in given if a.isdigit()], [a for a in given if not a.isdigit()]
    if "--learner" in named:
        named.remove("--learner")
        print("| set | k | logistic regression | trees |\n|---|---|---|---|")
        some = [name for name in NAMES[:4] if sets.available(name)]
        for k in map(int, asked or (5,)):
            for line in learners(list(filter(sets.available, named)) or some, k):
                print(line, flush=True)
        return
    heads = [
        "set",
        "k",
        "",
        "edits",
        "most edges off (slices beyond 2 %)",
        "pairs (original)",
        "correlation",
        "β = 0.2",
        "β = 0.5",
        "reachable",
    ]
    heads += ["easiest to tell", "PageRank"]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for name in filter(sets.available, named or NAMES):
        original = sets.load(name)
        for k in map(int, asked or (2, 5, 10)):
            for before in (True, False):
                print(row(name, k, original, seed, before=before), flush=True)


if __name__ == "__main__":
    main()
