"""What is asked of a release, in one object that all stages are handed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.demands.against import Moving
from shoal.demands.limits import Limits
from shoal.demands.promise import Promise
from shoal.demands.settings import Settings
from shoal.errors import InputError
from shoal.graph import TemporalGraph
from shoal.group.cut import SHARD_PEOPLE

if TYPE_CHECKING:
    from shoal.people.traits import Traits


@dataclass(frozen=True, eq=False)
class Request:
    """A graph to release, what to promise, how to go about it, and what may change.

    `moving` says how ties change hands, `contacts` which are drawn for the edges, `traits` which columns of people are published,
    each None where that is not asked for.
    """

    graph: TemporalGraph
    promise: Promise
    settings: Settings
    shard_people: int
    limits: Limits | None
    moving: Moving | None
    contacts: str | None
    traits: Traits | None = None

    def __post_init__(self) -> None:
        whole = self.settings.method != "search" or self.limits is not None
        if whole and self.shard_people != SHARD_PEOPLE:
            raise InputError(
                "shard_people is for the method 'search' without limits: all people are grouped at once here"
            )

    def described(self) -> dict[str, Any]:
        """Everything but the seed that determines the edges of a release, for the work folder."""
        return {
            "input": self.graph.digest().hex(),
            "k": _digest(self.promise.levels),
            "horizon": self.promise.blocks.tolist(),
            "options": repr(self.settings),
            "limits": None if self.limits is None else self.limits.digest(),
            "move": None if self.moving is None else self.moving.move,
            "set of contacts": None if self.contacts is None else self._told_contacts(),
            "people": None if self.traits is None else self.traits.digest(),
            "shard size": self.shard_people,
        }

    def _told_contacts(self) -> list[Any]:
        assert self.graph.contacts is not None
        return [self.contacts, self.promise.contacts, self.graph.contacts.digest()]


def _digest(numbers: np.ndarray) -> str:
    return hashlib.blake2b(numbers.tobytes(), digest_size=16).hexdigest()
