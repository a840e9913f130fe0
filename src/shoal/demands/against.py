"""Against whom a release protects: somebody who knows numbers of contacts, or somebody who holds a second graph.

Against a second graph, ties change hands inside groups (`shoal.move`). How long they keep the hands they were given is the
user's choice: new ones in every slice, or the same ones for a stretch of the calendar, or for good.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.common.checks import one_of, shown
from shoal.demands.limits import Limits
from shoal.demands.promise import Promise, calendar_stretches
from shoal.errors import InputError
from shoal.graph import TemporalGraph

AGAINST = ("numbers", "graph")
SLICE, TIE = "slice", "tie"


@dataclass(frozen=True)
class Moving:
    """What was asked for, and `stretches[t]`, the name of the stretch of slice t, in which ties keep the hands they were given."""

    move: str
    stretches: tuple[str, ...]

    def key(self, secret: bytes, t: int) -> np.ndarray:
        """The key of slice t, 128 bits; the same for the slices of a stretch."""
        name = f"{self.move}/{self.stretches[t]}".encode()
        return np.frombuffer(hashlib.blake2b(name, key=secret, digest_size=16).digest(), "<u8").astype(np.uint64)


def make_moving(
    graph: TemporalGraph, promise: Promise, limits: Limits | None, *, against: Any, move: Any, **how: Any
) -> Moving | None:
    """What is asked for, or one sentence about why it cannot be; None where nothing moves. `how` are options of stages."""
    one_of("against", against, AGAINST)
    if not isinstance(move, str):
        raise InputError(f"move is 'slice', 'tie' or a width such as '1mo'; got {shown(move)}")
    if against == "numbers":
        if move != SLICE:
            raise InputError(
                "move (--move) says how long moved ties keep their hands, and ties move only against='graph'"
            )
        return None
    for there, why in (
        (
            how.get("method", "search") != "search",
            "the paper's methods know no moving; against='graph' needs the method 'search'",
        ),
        (
            how.get("objective", "edges") != "edges"
            or how.get("removal_weight", 1) != 1
            or how.get("density") == "free",
            "against='graph' gives groups the mean of their members' degrees: objective, weight and density cannot be chosen",
        ),
        (
            limits is not None and limits.allow != "both",
            "against='graph' moves contacts to other people, so neither 'only added' nor 'only removed' could be true of it",
        ),
        (
            limits is not None,
            "against='graph' moves contacts to other people; edges that must stay or must not be, and people who are exempt, "
            "would say who has which",
        ),
    ):
        if there:
            raise InputError(why)
    return Moving(move, _stretches(graph, promise, move))


def _stretches(graph: TemporalGraph, promise: Promise, move: str) -> tuple[str, ...]:
    """A name for the stretch of each slice; groups that change with a horizon begin a new one."""
    if move == SLICE:
        names = [part.label for part in graph.slices]
    elif move == TIE:
        names = [""] * graph.n_slices
    elif not graph.ordered:
        raise InputError(f"move is 'slice' or 'tie' where slices have no order in time; got {shown(move)}")
    else:
        names = [str(start) for start in calendar_stretches(graph, move, "give 'slice' or 'tie'")]
    return (
        tuple(names)
        if promise.n_blocks == 1
        else tuple(f"{block}/{name}" for block, name in zip(promise.blocks.tolist(), names, strict=True))
    )
