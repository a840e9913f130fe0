"""What is measured: the paper's experiments as a list of cells, in full and in a quick version."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from shoal.paper.sets import SETS, find_file
from shoal.paper.tasks import LP, METHODS

THETAS = tuple(round(0.1 * i, 1) for i in range(11))


class Cell(NamedTuple):
    """One measurement: a task and its arguments. A timed one runs alone, and is stopped after so many seconds."""

    task: str
    args: tuple[Any, ...]
    stop_after: float | None = None


@dataclass(frozen=True)
class Plan:
    """How much of everything. Without `stop_after` nothing is timed alone: quicker, and rougher."""

    repetitions: int
    ks: tuple[int, ...]
    lp_on_irvine: tuple[int, ...]
    sequences: int
    small_messenger: int
    large_messenger: int
    timed_repetitions: int
    stop_after: float | None


FULL = Plan(20, tuple(range(2, 11)), tuple(range(2, 11)), 1_000, 10_000, 100_000, 3, 600.0)
QUICK = Plan(2, (2, 5, 10), (10,), 100, 300, 1_000, 1, None)

# Columns of Table 1: what is run, by method and effort.
TIMED = {"greedy": ("greedy", "balanced"), "fast search": ("search", "fast"), "search": ("search", "balanced")}
FEW_KS = (2, 5, 10)  # of the experiments that show "several k"


class Experiments:
    """The cells of a plan on the sets at hand, and the names of the sets that are not."""

    def __init__(self, plan: Plan, data: Path | None) -> None:
        self.plan = plan
        self.files = {name: str(file) for name in SETS if (file := find_file(name, data))}
        self.missing = [name for name in SETS if name not in self.files]

    def have(self, *names: str) -> list[str]:
        """Those of the sets that are at hand."""
        return [name for name in names if name in self.files]

    def messengers(self) -> list[str]:
        """The synthetic graphs in the place of Yahoo."""
        return [f"messenger {n}" for n in (self.plan.small_messenger, self.plan.large_messenger)]

    def grouping(self, name: str, method: str, k: int) -> list[Cell]:
        """The repetitions of one method at one k."""
        if name == "Irvine" and method == LP and k not in self.plan.lp_on_irvine:
            return []
        return [Cell("grouping", (name, self.files[name], method, k, seed)) for seed in range(self.plan.repetitions)]

    def realizing(self) -> list[Cell]:
        """Figure 4a, a hundred sequences a cell."""
        return [Cell("realizing", (i, 100)) for i in range(self.plan.sequences // 100)]

    def correlation(self, theta: float, method: str, k: int) -> Cell:
        """A point of Figure 4b."""
        return Cell("correlation", (theta, method, k, self.plan.repetitions))

    def similarity(self, name: str, method: str, k: int) -> Cell:
        """A curve of Figure 5."""
        return Cell("similarity", (name, self.files.get(name), method, k))

    def seconds(self, name: str, how: str, k: int) -> Cell:
        """An entry of Table 1; the large graphs are timed once."""
        repetitions = 1 if name.startswith("messenger") else self.plan.timed_repetitions
        return Cell("seconds", (name, self.files.get(name), *TIMED[how], k, repetitions), self.plan.stop_after)

    def irvine_facts(self) -> Cell:
        """About the size of the Irvine set."""
        return Cell("irvine_facts", (self.files["Irvine"],))

    def everything(self) -> list[Cell]:
        """All cells: timed ones first, then the others, longest first, so that no core idles at the end."""
        timed = [
            self.seconds(name, how, k)
            for name in [*self.have(*SETS), *self.messengers()]
            for how in TIMED
            for k in FEW_KS
        ]
        rest: list[Cell] = []
        for name in self.have("Irvine", "Enron months", "MIT"):
            rest += [c for method in METHODS[::-1] for k in self.plan.ks for c in self.grouping(name, method, k)]
        for name in self.have("Enron days", "Enron weeks"):
            rest += [c for method in ("greedy", "search") for k in self.plan.ks for c in self.grouping(name, method, k)]
        for name, methods in self.similarity_curves():
            rest += [self.similarity(name, method, k) for method in methods for k in FEW_KS]
        rest += self.realizing()
        rest += [self.correlation(theta, m, k) for theta in THETAS for m in ("greedy", "search") for k in FEW_KS]
        rest += [self.irvine_facts()] if "Irvine" in self.files else []
        return timed + rest

    def similarity_curves(self) -> list[tuple[str, tuple[str, ...]]]:
        """The sets of Figure 5 and the methods that can be run on them."""
        real = [(name, ("greedy", "search")) for name in self.have("Enron months", "Irvine")]
        return [*real, (f"messenger {self.plan.large_messenger}", ("search",))]
