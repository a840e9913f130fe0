"""The attacker who holds a second graph: lays it over the release and reads off the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.audit.learn.case import Case, Learned
from shoal.audit.learn.known import Known, Part
from shoal.audit.learn.matching import Match, match

NAME = "second-graph"


@dataclass(frozen=True)
class Claims:
    """Statements (slice, u, v), how many of them are true, and how many there would have been to make."""

    claims: int
    true: float
    there: int

    def to_dict(self) -> dict[str, float]:
        """How many claims, which share of them is true, which share of the contacts they find."""
        right = self.true
        return {
            "claims": self.claims,
            "true": right / self.claims if self.claims else 0.0,
            "found": right / self.there if self.there else 0.0,
        }

    def __add__(self, other: Claims) -> Claims:
        return Claims(self.claims + other.claims, self.true + other.true, self.there + other.there)


def second_graph(case: Case, known: Known) -> Learned:
    """Match people to nodes in the known part, then claim the released contacts of the rest under their names."""
    part = known.of(case.original, case.rng("known"))
    side = case.known_side(part.edges, part.slices)
    found = match(side, case.seen_side(part.slices), directed=case.directed, people=case.people, jobs=case.jobs)
    there = (side.sizes > 0) & case.wanted
    matched = float((found.nodes[there] == case.nodes[there]).mean())
    keys, sure = read_off(case, part, found)
    judge = Judge(case, part)
    surest = keys[np.argsort(-sure, kind="stable")[: max(len(keys) // 10, min(len(keys), 1))]]
    numbers: dict[str, Any] = {
        "known": part.words,
        "people": int(there.sum()),
        "matched": matched,
        **judge.beside_without(keys),
        "surest_tenth": {"claims": len(surest), "true": judge.truth(surest)},
    }
    return Learned(
        NAME,
        f"holds {part.words} with names and lays them over the release",
        f"finds the nodes of {matched:.0%} of the people in it; {in_words(numbers)[0]}",
        in_words(numbers)[1],
        numbers,
        case.sample,
    )


def in_words(numbers: dict[str, Any]) -> tuple[str, str]:
    """What is claimed and how much of it is true, and what would have been true anyway."""
    every, ties, new = (numbers[what] for what in ("all", "known_ties", "new_pairs"))
    return (
        f"of the contacts they then claim of the rest {every['true']:.0%} are true, of those between two people they had never "
        f"seen together {new['true']:.0%} ({new['found']:.0%} of all such contacts), and they find {ties['found']:.0%} of the "
        "contacts of two who met before.",
        f"Without the release as many claims would be true in {every['without']['true']:.0%}, between people never seen "
        f"together in {new['without']['true']:.1%}, and find {ties['without']['found']:.0%} of the contacts of two who met before.",
    )


def read_off(case: Case, part: Part, found: Match) -> tuple[np.ndarray, np.ndarray]:
    """The claims as rows (slice, u, v) that the attacker did not know, and how sure they are of the less sure end."""
    nodes, sure = found
    names = np.full(case.release.n_nodes, -1, np.int64)
    people = np.flatnonzero(nodes >= 0)
    names[nodes[people]] = people
    codes = case.release.slice_codes()
    ends = names[case.seen]
    use = np.isin(codes, part.rest) & (ends >= 0).all(axis=1)
    ends, codes = ends[use], codes[use]
    ends = ends if case.directed else np.sort(ends, axis=1)
    keys = np.column_stack([codes, ends]).astype(np.int64)
    fresh = unknown(case, part, keys)
    return keys[fresh], sure[ends].min(axis=1, initial=np.inf)[fresh]


def unknown(case: Case, part: Part, keys: np.ndarray) -> np.ndarray:
    """Which rows (slice, u, v) are not among the known contacts."""
    return ~np.isin(_pack(keys, case), _pack(_rows(case, part.edges), case))


def _rows(case: Case, which: np.ndarray) -> np.ndarray:
    """Original edges as rows (slice, u, v), among the people who are looked for."""
    which = which & case.wanted[case.original._edges].all(axis=1)
    return np.column_stack([case.original.slice_codes()[which], case.original._edges[which]]).astype(np.int64)


def _pack(keys: np.ndarray, case: Case) -> np.ndarray:
    n = case.original.n_nodes
    return (keys[:, 0] * n + keys[:, 1]) * n + keys[:, 2]


class Judge:
    """Knows the contacts that the attacker did not, and what could be said of them without the release."""

    def __init__(self, case: Case, part: Part) -> None:
        self.case, self.part, self.n = case, part, case.original.n_nodes
        self.known = _rows(case, part.edges)
        self.hidden = _rows(case, ~part.edges)
        self.hidden_keys = np.sort(_pack(self.hidden, case))
        self.pairs = np.unique(self._pair(self.known))

    def _pair(self, keys: np.ndarray) -> np.ndarray:
        """Two people, whoever began."""
        low, high = keys[:, 1:].min(axis=1, initial=self.n), keys[:, 1:].max(axis=1, initial=0)
        return low * self.n + high

    def are_ties(self, keys: np.ndarray) -> np.ndarray:
        """Which claims are about two people who met in the known part."""
        return np.isin(self._pair(keys), self.pairs)

    def truth(self, keys: np.ndarray) -> float:
        """The share of these claims that is true."""
        return float(np.isin(_pack(keys, self.case), self.hidden_keys).mean()) if len(keys) else 0.0

    def beside_without(self, keys: np.ndarray) -> dict[str, Any]:
        """All claims, those about known ties and those about new pairs, each beside as many that need no release."""
        is_tie = self.are_ties(keys)
        ties, new = self.judged(keys[is_tie], ties=True), self.judged(keys[~is_tie], ties=False)
        alone_ties, alone_new = self.persistence(ties.claims), self.chance(new.claims)
        return {
            "all": {**(ties + new).to_dict(), "without": (alone_ties + alone_new).to_dict()},
            "known_ties": {**ties.to_dict(), "without": alone_ties.to_dict()},
            "new_pairs": {**new.to_dict(), "without": alone_new.to_dict()},
        }

    def judged(self, keys: np.ndarray, *, ties: bool) -> Claims:
        """Claims about known ties, or about new pairs, against all such contacts that were hidden."""
        right = int(np.isin(_pack(keys, self.case), self.hidden_keys).sum())
        return Claims(len(keys), right, int((self.are_ties(self.hidden) == ties).sum()))

    def persistence(self, count: int) -> Claims:
        """Without the release: known ties go on, the more frequent and the more recent first; as many claims as with it."""
        pair, where = np.unique(self.known[:, 1] * self.n + self.known[:, 2], return_inverse=True)
        times = np.bincount(where, minlength=len(pair))
        last = np.zeros(len(pair), np.int64)
        np.maximum.at(last, where, self.known[:, 0])
        rest = self.part.rest
        keys = np.column_stack(
            [np.tile(rest, len(pair)), np.repeat(pair // self.n, len(rest)), np.repeat(pair % self.n, len(rest))]
        )
        likely = np.repeat(times, len(rest)) / (1 + np.abs(keys[:, 0] - np.repeat(last, len(rest))))
        fresh = ~np.isin(_pack(keys, self.case), _pack(self.known, self.case))
        keys, likely = keys[fresh], likely[fresh]
        return self.judged(keys[np.argsort(-likely, kind="stable")[:count]], ties=True)

    def chance(self, count: int) -> Claims:
        """Without the release: new pairs drawn in proportion to the contacts both have in the known part."""
        weight = np.bincount(self.known[:, 1:].ravel(), minlength=self.n).astype(float)
        new = self.hidden[~self.are_ties(self.hidden)]
        every = (weight.sum() ** 2 - (weight**2).sum()) / 2
        every -= float((weight[self.pairs // self.n] * weight[self.pairs % self.n]).sum())
        every *= len(self.part.rest) * (1 + self.case.directed)
        right = float((weight[new[:, 1]] * weight[new[:, 2]]).sum()) / every if every > 0 else 0.0
        return Claims(count, min(right * count, len(new)), len(new))
