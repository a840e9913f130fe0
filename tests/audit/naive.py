"""Obvious versions of what the attackers who learn do, with sets and loops over everybody."""

from __future__ import annotations

from itertools import permutations

import networkx as nx
import numpy as np

from shoal import TemporalGraph


def triples(graph: TemporalGraph) -> set[tuple[int, int, int]]:
    return {(t, int(u), int(v)) for t in range(graph.n_slices) for u, v in graph.edges(t)}


def fits(known: list[set], seen: list[set], belief: np.ndarray, rows: np.ndarray, rows_seen: np.ndarray, gain: float):
    """Score of every pair: beliefs over contacts of both under the same label, over the links of both, less the distance.

    `known` and `seen` are sets of (i, j), one for each label: i has a link to j. A person without any is -inf everywhere.
    """
    n, m = len(rows), len(rows_seen)
    links = [sum(i == a for part in known for a, _ in part) for i in range(n)]
    links_seen = [sum(j == a for part in seen for a, _ in part) for j in range(m)]
    scores = np.full((n, m), -np.inf)
    for i in range(n):
        for j in range(m):
            total = sum(
                belief[a, b]
                for mine, theirs in zip(known, seen, strict=True)
                for x, a in mine
                if x == i
                for y, b in theirs
                if y == j
            )
            apart = float(((rows[i] - rows_seen[j]) ** 2).sum())
            if links[i]:
                scores[i, j] = gain * total / np.sqrt((links[i] + 1) * (links_seen[j] + 1)) - apart
    return scores


def share_out(belief: np.ndarray, rounds: int) -> np.ndarray:
    belief = belief.copy()
    for turn in range(rounds + 1):
        belief /= belief.sum(axis=1, keepdims=True)
        if turn < rounds:
            belief /= belief.sum(axis=0, keepdims=True)
    return belief


def best_sum(scores: np.ndarray) -> float:
    """The largest sum of scores of an assignment that names everybody."""
    n, m = scores.shape
    return max(sum(scores[i, j] for i, j in enumerate(chosen)) for chosen in permutations(range(m), n))


def chance(known: set, hidden: set, n: int, open_slices: list[int]) -> float:
    """The share of true claims when new pairs are drawn by the contacts both have in the known part."""
    weight = [sum(i in (u, v) for _, u, v in known) for i in range(n)]
    ties = {(u, v) for _, u, v in known}
    right = total = 0.0
    for t in open_slices:
        for u in range(n):
            for v in range(u + 1, n):
                if (u, v) not in ties:
                    total += weight[u] * weight[v]
                    right += weight[u] * weight[v] * ((t, u, v) in hidden)
    return right / total if total else 0.0


def features(graph: TemporalGraph) -> dict[str, list[float]]:
    """Edge by edge, with networkx."""
    parts = []
    for t in range(graph.n_slices):
        part = nx.Graph()
        part.add_nodes_from(range(graph.n_nodes))
        part.add_edges_from(graph.edges(t).tolist())
        parts.append(part)
    ever = nx.compose_all(parts)
    found: dict[str, list[float]] = {}
    for t, part in enumerate(parts):
        for u, v in graph.edges(t).tolist():
            near = [parts[s] for s in (t - 1, t + 1) if 0 <= s < len(parts)]
            both = set(nx.common_neighbors(ever, u, v))
            row = {
                "other-slices": sum(p.has_edge(u, v) for p in parts) - 1,
                "next-slices": sum(p.has_edge(u, v) for p in near),
                "common-contacts": len(set(nx.common_neighbors(part, u, v))),
                "common-ever": len(both),
                "adamic-adar": sum(1 / np.log(max(ever.degree[w], 2)) for w in both),
                "degree-product": part.degree[u] * part.degree[v],
                "degree-least": min(part.degree[u], part.degree[v]),
                "ever-product": ever.degree[u] * ever.degree[v],
            }
            for name, value in row.items():
                found.setdefault(name, []).append(value)
    return found


def auc(values: list[float], positive: list[bool]) -> float:
    """Over all pairs of a positive and a negative."""
    pairs = [
        (a, b)
        for a, x in zip(values, positive, strict=True)
        if x
        for b, y in zip(values, positive, strict=True)
        if not y
    ]
    if not pairs:
        return 0.5
    area = sum((a > b) + (a == b) / 2 for a, b in pairs) / len(pairs)
    return max(area, 1 - area)


def same_for_all(graph: TemporalGraph) -> tuple[int, int]:
    """People in a crowd that all meet one person, and in one that all meet somebody of one other crowd."""
    crowds: dict[tuple, list[int]] = {}
    for person, row in enumerate(graph.degree_matrix().tolist()):
        crowds.setdefault(tuple(row), []).append(person)
    met: list[set[int]] = [set() for _ in graph.nodes]
    for _, u, v in triples(graph):
        met[u].add(v)
        met[v].add(u)
    person = sum(len(crowd) for crowd in crowds.values() if set.intersection(*(met[i] for i in crowd)))
    other = sum(
        len(crowd)
        for row, crowd in crowds.items()
        if any(all(met[i] & set(those) for i in crowd) for name, those in crowds.items() if name != row)
    )
    return person, other


def by_history(known, released, groups, of_node, early):
    """How alike in the early slices (Jaccard) each known tie is to each released one between the same two groups, above 0."""
    ties, links = {}, {}
    for t, u, v in known:
        ties.setdefault((u, v), set()).add(t)
    for t, u, v in released:
        if t in early:
            links.setdefault((u, v), set()).add(t)
    return {
        (tie, link): len(mine & theirs) / len(mine | theirs)
        for tie, mine in ties.items()
        for link, theirs in links.items()
        if sorted(groups[i] for i in tie) == sorted(of_node[i] for i in link) and mine & theirs
    }
