"""What may change in a slice, and the slice seen through those limits.

Every limit says of a pair of people that it must stay as it is: an edge that is not deletable, or an absent pair that
is not addable. So the problem is: *toggle some of the free pairs, so that everybody in a group has the same degree*.
A directed slice is the same problem on its double cover: person u is split into an out-copy u and an in-copy n + u, an
edge u → v joins u to n + v, and every group becomes two, one of each kind of copy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.errors import InputError

ALLOW = ("both", "add", "remove")


@dataclass(frozen=True)
class SliceLimits:
    """What may change in one slice.

    Attributes
    ----------
    allow
        "add" removes no original edge, "remove" adds no new one, "both" may do either.
    frozen
        Mask over the edges: those that must stay.
    forbidden
        (f, 2) pairs that must not be added; unordered in an undirected slice. One that is an edge already may stay.
    exempt
        Mask over the people: those about whom nothing changes, so that their groups must take their degrees.
    where, name
        What to call the slice, and a person by number, where something is impossible.
    """

    allow: str = "both"
    frozen: np.ndarray | None = None
    forbidden: np.ndarray | None = None
    exempt: np.ndarray | None = None
    where: str = "the slice"
    name: Callable[[int], str] = str

    def __post_init__(self) -> None:
        if self.allow not in ALLOW:
            raise InputError(f"unknown allow '{self.allow}'; known are {', '.join(ALLOW)}")

    def __str__(self) -> str:
        parts = [] if self.allow == "both" else [f"allow='{self.allow}'"]
        for count, one, many in (
            (_count(self.frozen), "frozen edge", "frozen edges"),
            (0 if self.forbidden is None else len(self.forbidden), "forbidden pair", "forbidden pairs"),
            (_count(self.exempt), "exempt person", "exempt people"),
        ):
            if count:
                parts.append(f"{count:,} {one if count == 1 else many}")
        return ", ".join(parts) or "no limits"


def _count(mask: np.ndarray | None) -> int:
    return 0 if mask is None else int(np.count_nonzero(mask))


class Board:
    """A slice under its limits: nodes, groups of nodes, edges, and which pairs are free to change.

    ``half`` is 0 in an undirected slice and n in a directed one, where nodes below ``half`` are out-copies.
    """

    def __init__(
        self,
        edges: np.ndarray,
        n: int,
        labels: np.ndarray,
        sizes: np.ndarray,
        limits: SliceLimits,
        directed: bool = False,
    ) -> None:
        exempt = np.zeros(n, dtype=bool) if limits.exempt is None else np.asarray(limits.exempt, dtype=bool)
        frozen = np.zeros(len(edges), dtype=bool) if limits.frozen is None else np.asarray(limits.frozen, dtype=bool)
        forbidden = np.empty((0, 2)) if limits.forbidden is None else np.asarray(limits.forbidden)
        shut = forbidden.reshape(-1, 2).astype(np.int64)
        shut = shut[shut[:, 0] != shut[:, 1]]
        sizes = np.asarray(sizes, dtype=np.int64)
        self.limits = limits
        self.people, self.half = n, n if directed else 0
        self.may_add, self.may_remove = limits.allow != "remove", limits.allow != "add"
        copies = 2 if directed else 1
        self.n_nodes, self.n_groups = copies * n, copies * sizes.size
        sides = sizes.size * np.repeat(np.arange(copies), n)
        self.labels = (np.tile(labels, copies) + sides).astype(np.int64)
        self.sizes = np.tile(sizes, copies)
        self.still = np.tile(exempt, copies)
        self.us, self.vs = edges[:, 0].astype(np.int64), edges[:, 1].astype(np.int64) + self.half
        self.stays = frozen | exempt[edges].any(axis=1) | (not self.may_remove)
        shut = shut + np.array([0, self.half]) if directed else np.sort(shut, axis=1)
        self.keys = self.us * self.n_nodes + self.vs
        self.shut = np.setdiff1d(shut[:, 0] * self.n_nodes + shut[:, 1], self.keys)
        self.degrees = self._ends(self.us, self.vs)

    def _ends(self, us: np.ndarray, vs: np.ndarray) -> np.ndarray:
        return np.bincount(np.concatenate([us, vs]), minlength=self.n_nodes)

    @cached_property
    def least(self) -> np.ndarray:
        """The degree that every node keeps whatever is removed."""
        return self._ends(self.us[self.stays], self.vs[self.stays])

    @cached_property
    def most(self) -> np.ndarray:
        """The degree that every node has when everything addable is added."""
        if not self.may_add:
            return self.degrees
        active = int(self.people - np.count_nonzero(self.still[: self.people]))
        with_still = self.still[np.stack([self.us, self.vs])]
        to_still = self._ends(self.us[with_still[1]], self.vs[:0]) + self._ends(self.us[:0], self.vs[with_still[0]])
        us, vs = self.shut // self.n_nodes, self.shut % self.n_nodes
        open_ends = ~(self.still[us] | self.still[vs])
        most = active - 1 - self._ends(us[open_ends], vs[open_ends]) + to_still
        return np.where(self.still, self.degrees, most)

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest degree every group can be given, as far as its members alone are concerned."""
        low, high = np.zeros(self.n_groups, dtype=np.int64), np.full(self.n_groups, self.n_nodes)
        np.maximum.at(low, self.labels, np.where(self.still, self.degrees, self.least))
        np.minimum.at(high, self.labels, self.most)
        return low, high

    @property
    def n_pairs(self) -> int:
        """How many pairs are free to change, at most."""
        deletable = int(np.count_nonzero(~self.stays))
        return deletable + (int(self.most.sum()) // 2 - self.us.size if self.may_add else 0)

    def changes(self, keys: np.ndarray, deletion_weight: float) -> float:
        """What a slice with these pairs costs: pairs added, and pairs removed times their weight."""
        kept = int(np.isin(self.keys, keys, assume_unique=True).sum())
        return deletion_weight * (self.keys.size - kept) + keys.size - kept

    def keeps(self, keys: np.ndarray) -> bool:
        """Whether a slice with these pairs is simple and differs from the original in free pairs only."""
        us, vs = keys // self.n_nodes, keys % self.n_nodes
        lost, new = np.setdiff1d(self.keys, keys), np.setdiff1d(keys, self.keys)
        ends = np.stack([new // self.n_nodes, new % self.n_nodes])
        return bool(
            np.all(keys[1:] > keys[:-1])
            and np.all((us < self.half) & (vs >= self.half) & (vs - us != self.half) if self.half else us < vs)
            and (new.size == 0 or self.may_add)
            and not np.isin(lost, self.keys[self.stays]).any()
            and not np.isin(new, self.shut).any()
            and not self.still[ends].any()
        )

    def conflict(self) -> str | None:
        """Why no slice can exist, in one sentence, if that is plain to see: two who must look alike, and cannot.

        One of them keeps more edges than the other can ever have.

        >>> star = np.array([[0, 1], [0, 2], [0, 3]], dtype=np.int32)
        >>> limits = SliceLimits(exempt=np.array([True, True, False, False]), name="abcd".__getitem__)
        >>> Board(star, 4, np.array([0, 0, 1, 1]), np.array([2, 2]), limits).conflict()
        'in the slice a is exempt with degree 3, but b, who has to look the same, is exempt with 1'
        """
        low, high = self.bounds
        wrong = np.flatnonzero(low > high)
        if wrong.size == 0:
            return None
        members = np.flatnonzero(self.labels == wrong[0])
        floor = np.where(self.still, self.degrees, self.least)[members]
        a, b = members[floor.argmax()], members[self.most[members].argmin()]
        kind = "degree" if not self.half else "out-degree" if a < self.half else "in-degree"
        one, other = (self.limits.name(int(i) % self.people) for i in (a, b))
        must = "is exempt with" if self.still[a] else "keeps at least"
        can = "is exempt with" if self.still[b] else "can have at most"
        return (
            f"in {self.limits.where} {one} {must} {kind} {low[wrong[0]]}, but {other}, who has to look the same, "
            f"{can} {high[wrong[0]]}"
        )
