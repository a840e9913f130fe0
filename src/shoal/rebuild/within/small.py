"""The last word on small graphs under limits: groups, degrees and edges of all slices in one program.

The stages decide one after the other, and groups that look best may leave a slice without a way although others would not.
So before anybody is told no, a block of slices goes to CP-SAT as a whole. One binary x_p for every pair that is free to change
in a slice, one whole d_it for the degree of everybody in every column, and one binary s_ij for two people who look alike:

    minimise  Σ_p c_p x_p   subject to   d_it = (degree now) + Σ_{p ∋ i} ± x_p,
                                         s_ij = 1  ⇒  d_it = d_jt in every column t,
                                         Σ_j s_ij ≥ need_i - 1.

Groups need no variables of their own: to look alike is all that makes one. If the solver ends without a solution, there is none.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from shoal.realize import SliceLimits, SliceView
from shoal.rebuild.within import as_edges
from shoal.rebuild.within.exact import free_pairs

LARGEST = 20_000  # comparisons of two people in a column up to which this is tried; fewer pairs than that are free
WORK = 5.0  # of the solver, in its own units of about a second; a limit in seconds would make results depend on the machine
POLISH = 1.0  # of the same, for fewer changes
CHAINS = 16  # people up to which it is said that whoever looks like two others makes these look alike


def search_together(
    slices: list[np.ndarray],
    limits: list[SliceLimits],
    levels: np.ndarray,
    *,
    directed: bool = False,
    removal_weight: float = 1.0,
) -> tuple[list[np.ndarray] | None, bool]:
    """Slices in which everybody looks like enough others in all of them, near the fewest changes; and whether there are none.

    None without proof means that the graph is too large to be searched, or that the work allowed did not suffice.

    >>> paw = np.array([[0, 1], [0, 2], [0, 3], [1, 3]], dtype=np.int32)
    >>> limits = SliceLimits("remove", must_keep=np.array([True, False, False, True]))
    >>> search_together([paw], [limits], np.full(4, 2))
    ([array([[0, 1],
           [0, 2],
           [1, 3]], dtype=int32)], False)
    >>> search_together([paw], [limits], np.full(4, 4))
    (None, True)
    """
    n = len(levels)
    if n * (n - 1) // 2 * len(slices) * (1 + directed) > LARGEST:
        return None, False
    views = [
        SliceView(edges, np.arange(n), directed=directed, limits=limit)
        for edges, limit in zip(slices, limits, strict=True)
    ]
    program = _Program(views, levels, removal_weight)
    toggled, proven = program.solve()
    if toggled is None:
        return None, proven
    return [as_edges(view, np.setxor1d(view.keys, keys)) for view, keys in zip(views, toggled, strict=True)], False


class _Program:
    """The program above, for one block of slices."""

    def __init__(self, views: list[SliceView], levels: np.ndarray, removal_weight: float) -> None:
        from ortools.sat.python import cp_model  # seconds to import, and rarely needed

        self.cp, self.model = cp_model, cp_model.CpModel()
        self.keys = [free_pairs(view) for view in views]
        self.toggles = [[self.model.new_bool_var("") for _ in keys] for keys in self.keys]
        columns = [column for i, view in enumerate(views) for column in self._columns(view, i)]
        self._hide(columns, views, levels)
        self.all = [x for toggles in self.toggles for x in toggles]
        lost = np.concatenate([np.isin(keys, view.keys) for view, keys in zip(views, self.keys, strict=True)])
        self.prices = np.where(lost, removal_weight, 1.0).tolist()

    def _columns(self, view: SliceView, i: int) -> list[list[Any]]:
        """Everybody's degree in a slice, one variable each; two columns where edges have a direction."""
        ends = [self.keys[i] // view.n_nodes, self.keys[i] % view.n_nodes]
        signs = np.where(np.isin(self.keys[i], view.keys), -1, 1)
        degrees = []
        for node in range(view.n_nodes):
            here = np.flatnonzero((ends[0] == node) | (ends[1] == node))
            degree = self.model.new_int_var(int(view.ranges[0][node]), int(view.ranges[1][node]), "")
            change = self.cp.LinearExpr.weighted_sum([self.toggles[i][p] for p in here], signs[here].tolist())
            self.model.add(degree == int(view.degrees[node]) + change)
            degrees.append(degree)
        change = self.cp.LinearExpr.weighted_sum(self.toggles[i], (2 * signs).tolist())
        self.model.add(sum(degrees) == int(view.degrees.sum()) + change)  # implied; the solver sees odd sums by it
        return [degrees[first : first + view.people] for first in range(0, view.n_nodes, view.people)]

    def _hide(self, columns: list[list[Any]], views: list[SliceView], levels: np.ndarray) -> None:
        """Let everybody look like as many as they need."""
        least = np.stack([view.ranges[0] for view in views]).reshape(len(columns), -1)
        most = np.stack([view.ranges[1] for view in views]).reshape(len(columns), -1)
        alike: dict[tuple[int, int], Any] = {}
        for i, j in combinations(range(len(levels)), 2):
            if (np.maximum(least[:, i], least[:, j]) <= np.minimum(most[:, i], most[:, j])).all():
                same = alike[i, j] = alike[j, i] = self.model.new_bool_var("")
                for column in columns:
                    self.model.add(column[i] == column[j]).only_enforce_if(same)
        for i, need in enumerate(levels):
            if need > 1:
                self.model.add(sum(alike[i, j] for j in range(len(levels)) if (i, j) in alike) >= int(need) - 1)
        if len(levels) <= CHAINS:
            for i, j in alike:
                for h in range(len(levels)):
                    if i < h != j and (i, j) in alike and (j, h) in alike:
                        third = [alike[i, h]] if (i, h) in alike else []
                        self.model.add_bool_or([alike[i, j].negated(), alike[j, h].negated(), *third])

    def solve(self) -> tuple[list[np.ndarray] | None, bool]:
        """The keys to toggle in every slice, and whether it is proven that there are none. The same on every machine.

        First whatever holds, so that all the work goes into that; then fewer changes from there.
        """
        status, chosen = self._run(WORK)
        if chosen is None:
            return None, status == self.cp.INFEASIBLE
        for x, value in zip(self.all, chosen, strict=True):
            self.model.add_hint(x, value)
        self.model.minimize(self.cp.LinearExpr.weighted_sum(self.all, self.prices))
        fewer = self._run(POLISH)[1]
        found = np.array(chosen if fewer is None else fewer, dtype=bool)
        ends = np.cumsum([len(keys) for keys in self.keys])[:-1]
        return [keys[here] for keys, here in zip(self.keys, np.split(found, ends), strict=True)], False

    def _run(self, work: float) -> tuple[Any, list[bool] | None]:
        solver = self.cp.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 0
        solver.parameters.max_deterministic_time = work
        status = solver.solve(self.model)
        if status not in (self.cp.OPTIMAL, self.cp.FEASIBLE):
            return status, None
        return status, [solver.boolean_value(x) for x in self.all]
