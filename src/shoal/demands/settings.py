"""How a release is made: the options of `anonymize` about methods, time and the number of edges, checked together."""

from __future__ import annotations

import math
from dataclasses import dataclass

from shoal.common.checks import number, one_of, whole
from shoal.common.edges import slack_of
from shoal.errors import InputError
from shoal.group import EFFORTS

METHODS = ("search", "greedy", "optimal")
OBJECTIVES = ("edges", "l1")
DENSITIES = ("keep", "free")


@dataclass(frozen=True)
class Settings:
    """The options of `anonymize` that say how, not what."""

    method: str = "search"
    effort: str = "balanced"
    time_limit: float | None = None
    objective: str = "edges"
    removal_weight: float = 1.0
    restarts: int | None = None
    density: str | None = None

    def __post_init__(self) -> None:
        for name, value, known in (
            ("method", self.method, METHODS),
            ("effort", self.effort, tuple(EFFORTS)),
            ("objective", self.objective, OBJECTIVES),
        ):
            one_of(name, value, known)
        number("removal_weight", self.removal_weight, 0, 1_000, above=True)
        if self.restarts is not None:
            whole("restarts", self.restarts, 1)
            if self.method == "search":
                raise InputError("restarts are for the methods 'greedy' and 'optimal'; 'search' has effort instead")
        if self.density is not None:
            one_of("density", self.density, DENSITIES)
        if self.density == "keep" and not self.weighs_nothing:
            raise InputError(
                "density 'keep' needs the method 'search', the objective 'edges' and no removal_weight: otherwise "
                "the number of edges follows from those"
            )
        if self.time_limit is not None:
            number("time_limit", self.time_limit, 0, math.inf)
        if self.method != "search" and self.effort != "balanced":
            raise InputError(f"effort is for the method 'search'; '{self.method}' has restarts instead")
        if self.removal_weight != 1 and (self.method != "search" or self.objective != "edges"):
            raise InputError(
                "removal_weight (--removal-weight) needs the method 'search' and the objective 'edges': "
                "medians leave nothing to weigh"
            )

    @property
    def weighs_nothing(self) -> bool:
        """Whether degrees are free to be chosen, with removed and added edges counted alike."""
        return self.method == "search" and self.objective == "edges" and self.removal_weight == 1

    @property
    def keeps_density(self) -> bool:
        """Whether slices keep their numbers of edges."""
        return self.density != "free" and self.weighs_nothing

    def edges_to_have(self, count: int) -> tuple[int, int] | None:
        """How many edges a slice of so many may have afterwards; None where any number will do."""
        slack = slack_of(count)
        return (count - slack, count + slack) if self.keeps_density else None
