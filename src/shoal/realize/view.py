"""One slice as stages 2 and 3 see it: nodes in groups, the degrees they may get, and which pairs are free to change.

In an undirected slice the nodes are the people. A directed slice is seen through its double cover: person i is node i as a
sender and node n + i as a receiver, an edge u → v joins u to n + v, and every group becomes two, its senders and its
receivers. So both kinds of slice are one problem: *toggle free pairs, until all members of a group have the same degree*.
Every limit says of a pair of people that it must stay as it is. Without limits all pairs are free.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.common.edges import distinct, found_in
from shoal.errors import InputError

ALLOW = ("both", "add", "remove")


@dataclass(frozen=True)
class SliceLimits:
    """What may change in one slice.

    Attributes
    ----------
    allow
        "add" removes no original edge, "remove" adds no new one, "both" may do either.
    must_keep
        Mask over the edges: those that must stay.
    forbidden
        (f, 2) pairs that must not be added; unordered in an undirected slice. One that is an edge already may stay.
    exempt
        Mask over the people: those about whom nothing changes, so that their groups must take their degrees.
    where, name
        What to call the slice, and a person by number, where something is impossible.
    ranges
        The lowest and the highest degree of every node, where they are known already.
    """

    allow: str = "both"
    must_keep: np.ndarray | None = None
    forbidden: np.ndarray | None = None
    exempt: np.ndarray | None = None
    where: str = "the slice"
    name: Callable[[int], str] = str
    ranges: tuple[np.ndarray, np.ndarray] | None = None

    def __post_init__(self) -> None:
        if self.allow not in ALLOW:
            raise InputError(f"unknown allow '{self.allow}'; known are {', '.join(ALLOW)}")

    def __str__(self) -> str:
        parts = [] if self.allow == "both" else [f"allow='{self.allow}'"]
        for count, one, many in (
            (_count(self.must_keep), "edge that must stay", "edges that must stay"),
            (0 if self.forbidden is None else len(self.forbidden), "forbidden pair", "forbidden pairs"),
            (_count(self.exempt), "exempt person", "exempt people"),
        ):
            if count:
                parts.append(f"{count:,} {one if count == 1 else many}")
        return ", ".join(parts) or "no limits"


def _count(mask: np.ndarray | None) -> int:
    return 0 if mask is None else int(np.count_nonzero(mask))


class SliceView:
    """A slice in groups: nodes, edges ``us[e]``-``vs[e]`` with ``us < vs``, and what may change.

    ``half`` is 0 in an undirected slice and n in a directed one, where nodes below ``half`` send and the others receive.
    Groups count likewise: ``side`` is 1 for those that send (or are undirected) and -1 for those that receive. ``senders``
    marks people of a directed slice who only send, where all others only receive; groups hold one kind of them.
    """

    def __init__(
        self,
        edges: np.ndarray,
        labels: np.ndarray,
        *,
        directed: bool = False,
        limits: SliceLimits | None = None,
        senders: np.ndarray | None = None,
    ) -> None:
        n, sizes, copies = len(labels), np.bincount(labels), 2 if directed else 1
        self.limited, self.limits = limits is not None, limits or SliceLimits()
        self.directed, self.people, self.half = directed, n, n if directed else 0
        self.n_nodes, self.n_groups = copies * n, copies * len(sizes)
        self.labels = (np.tile(labels, copies) + np.repeat(len(sizes) * np.arange(copies), n)).astype(np.int64)
        self.sizes, self.side = np.tile(sizes, copies), np.repeat(np.array([1, -1])[:copies], len(sizes))
        self.us, self.vs = edges[:, 0].astype(np.int64), edges[:, 1].astype(np.int64) + self.half
        self.senders = senders
        self.may_add, self.may_remove = self.limits.allow != "remove", self.limits.allow != "add"
        self.exempt, self.must_keep = np.zeros(self.n_nodes, bool), np.full(len(edges), not self.may_remove)
        self.forbidden = np.empty(0, np.int64)
        if self.limits.exempt is not None:
            self.exempt |= np.tile(np.asarray(self.limits.exempt, bool), copies)
            self.must_keep |= self.exempt[self.us] | self.exempt[self.vs]
        if self.limits.must_keep is not None:
            self.must_keep |= np.asarray(self.limits.must_keep, bool)
        if self.limits.forbidden is not None:
            pairs = np.asarray(self.limits.forbidden).reshape(-1, 2).astype(np.int64)
            pairs = pairs[pairs[:, 0] != pairs[:, 1]]
            pairs = pairs + np.array([0, n]) if directed else np.sort(pairs, axis=1)
            keys = distinct(pairs @ np.array([self.n_nodes, 1]))
            self.forbidden = keys[~found_in(keys, self.keys)]

    @cached_property
    def keys(self) -> np.ndarray:
        """One number for each edge."""
        return self.us * self.n_nodes + self.vs

    @cached_property
    def degrees(self) -> np.ndarray:
        """Degrees of the nodes: of a directed slice out-degrees, then in-degrees."""
        return self._ends(self.us, self.vs)

    def _ends(self, us: np.ndarray, vs: np.ndarray) -> np.ndarray:
        return np.bincount(np.concatenate([us, vs]), minlength=self.n_nodes)

    @cached_property
    def ranges(self) -> tuple[np.ndarray, np.ndarray]:
        """The degree that every node keeps whatever is removed, and the one it has when everything addable is added."""
        if self.limits.ranges is not None:
            return self.limits.ranges
        least = self._ends(self.us[self.must_keep], self.vs[self.must_keep])
        if not self.may_add:
            return least, self.degrees
        changing = int(self.people - np.count_nonzero(self.exempt[: self.people]))
        u_exempt, v_exempt = self.exempt[self.us], self.exempt[self.vs]
        to_exempt = self._ends(self.us[v_exempt], self.vs[u_exempt])
        us, vs = self.forbidden // self.n_nodes, self.forbidden % self.n_nodes
        counted = ~(self.exempt[us] | self.exempt[vs])
        most = changing - 1 - self._ends(us[counted], vs[counted]) + to_exempt
        return least, np.where(self.exempt, self.degrees, most)

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest degree every group can be given, as far as its members alone are concerned."""
        low, high = np.zeros(self.n_groups, np.int64), np.full(self.n_groups, max(self.people - 1, 0))
        if self.senders is not None:
            high[self.labels[np.concatenate([~self.senders, self.senders])]] = 0
        if self.limited:
            np.maximum.at(low, self.labels, self.ranges[0])
            np.minimum.at(high, self.labels, self.ranges[1])
        return low, high

    @property
    def n_pairs(self) -> int:
        """How many pairs are free to change."""
        deletable = int(np.count_nonzero(~self.must_keep))
        return deletable + (int(self.ranges[1].sum()) // 2 - self.us.size if self.may_add else 0)

    def as_edges(self, keys: np.ndarray) -> np.ndarray:
        """Sorted keys as (m, 2) people."""
        return np.stack([keys // self.n_nodes, keys % self.n_nodes - self.half], axis=1).astype(np.int32)

    def changes(self, keys: np.ndarray, removal_weight: float) -> float:
        """What a slice with these pairs costs: pairs added, and pairs removed times their weight."""
        kept = int(np.isin(self.keys, keys, assume_unique=True).sum())
        return removal_weight * (self.keys.size - kept) + keys.size - kept

    def keeps(self, keys: np.ndarray) -> bool:
        """Whether a slice with these pairs is simple and differs from the original in free pairs only."""
        us, vs = keys // self.n_nodes, keys % self.n_nodes
        lost, new = self.keys[~found_in(self.keys, keys)], keys[~found_in(keys, self.keys)]
        ends = np.stack([new // self.n_nodes, new % self.n_nodes])
        return bool(
            np.all(keys[1:] > keys[:-1])
            and np.all((us < self.half) & (vs >= self.half) & (vs - us != self.half) if self.half else us < vs)
            and (new.size == 0 or self.may_add)
            and not np.isin(lost, self.keys[self.must_keep]).any()
            and not np.isin(new, self.forbidden).any()
            and not self.exempt[ends].any()
        )

    def conflict(self) -> str | None:
        """Why no slice can exist, in one sentence, if that is plain to see: two who must look alike, and cannot.

        One of them keeps more edges than the other can ever have.

        >>> star = np.array([[0, 1], [0, 2], [0, 3]], dtype=np.int32)
        >>> limits = SliceLimits(exempt=np.array([True, True, False, False]), name="abcd".__getitem__)
        >>> SliceView(star, np.array([0, 0, 1, 1]), limits=limits).conflict()
        'in the slice a is exempt with degree 3, but b, who has to look the same, is exempt with 1'
        """
        low, high = self.bounds
        wrong = np.flatnonzero(low > high)
        if wrong.size == 0:
            return None
        members = np.flatnonzero(self.labels == wrong[0])
        a, b = members[self.ranges[0][members].argmax()], members[self.ranges[1][members].argmin()]
        kind = "degree" if not self.half else "out-degree" if a < self.half else "in-degree"
        one, other = (self.limits.name(int(i) % self.people) for i in (a, b))
        must = "is exempt with" if self.exempt[a] else "keeps at least"
        can = "is exempt with" if self.exempt[b] else "can have at most"
        return (
            f"in {self.limits.where} {one} {must} {kind} {low[wrong[0]]}, but {other}, who has to look the same, "
            f"{can} {high[wrong[0]]}"
        )
