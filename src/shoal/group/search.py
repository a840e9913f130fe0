"""Groups with low l1 cost in which everybody is among at least k people: shoal's own method.

Everybody may have a k of their own; the same k for all is the plain case. Whoever has k = 1 may stay alone, at no cost, or
serve in somebody's crowd. Groups can be priced for releases in which edges may only be added or only removed, and people
can be exempt: their row stays as it is and whoever shares their group takes it on.

Rows near each other are found once (`neighbours`), a first grouping grows from the dense spots (`seeds`), and a long run
of small moves improves it: people move or change places between neighbouring groups, groups are dissolved and
founded. A move that costs is sometimes accepted, the less often the longer the search runs (annealing), which carries the
grouping out of local optima.

Between two stretches of steps the groups are dealt into zones along random directions; a zone is one task for one thread
and its step count is fixed beforehand, so the groups depend on the seed and not on the clock or the cores.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shoal.common.progress import run_jobs
from shoal.errors import InputError
from shoal.group._cost_kernels import total_cost
from shoal.group._move_kernels import Scratch
from shoal.group._search_kernels import Stretch, anneal
from shoal.group._state import State
from shoal.group.exact import cheapest_runs
from shoal.group.levels import in_order
from shoal.group.neighbours import Crowds, find_crowds
from shoal.group.start import Problem, first_state, settle

COSTS = ("median", "max", "min")
ZONE_PEOPLE = 20_000  # people that one thread works on: many more than meet at the borders of a zone
MAX_ZONES = 8  # however many people there are, so that groups do not depend on the cores
SHARE_OF_NEIGHBOURS = 0.25  # of the progress told
# One step in 4 k², and no more than one in 32, dissolves or founds a group: it prices about k² moves, a share of the time.
RARE, RARE_AT_LEAST = 4, 32
TINY = 200  # people; fewer get as many steps as these
WIDE_SLICES, WIDE_POWER = 256, 0.7  # from so many on a step takes longer, nearly in proportion
NARROW_SLICES = 64  # rows up to this length gain nothing from more steps for large groups where the search is hurried
HURRIED = 10  # stretches, below which it is
LARGEST_K = 20  # beyond which groups get no more steps for their size
COOLER = 0.25  # power of the share of the steps by which a short search begins cooler
PLANNED = 0.7  # of the time left: steps differ in how long they take
MAX_ROW = 2**30  # kernels add up in 32 bits


class Effort(NamedTuple):
    """Steps per person on inputs of up to ``small`` people and on large ones, stretches between zones, first and last
    temperature.

    ``crowding`` is by how much each further member of a group adds to the steps.
    """

    steps: int
    small: int
    steps_large: int
    stretches: int
    hot: float
    cold: float
    crowding: float


EFFORTS = {
    "fast": Effort(180, 5_000, 60, 4, 0.15, 0.02, 0.1),
    "balanced": Effort(10_200, 2_500, 250, 30, 0.6, 0.02, 0.05),
    "thorough": Effort(20_000, 5_000, 2_000, 40, 0.6, 0.02, 0.1),
}


def search_groups(
    degrees: np.ndarray,
    k: int | np.ndarray,
    *,
    cost: str = "median",
    exempt: np.ndarray | None = None,
    rng: np.random.Generator,
    effort: str = "balanced",
    time_limit: float | None = None,
    jobs: int = 1,
    progress: Callable[[float], None] | None = None,
    crowds: Crowds | None = None,
) -> np.ndarray:
    """Partition the rows of ``degrees`` so that everybody is in a group of at least ``k``, at low cost.

    Parameters
    ----------
    degrees
        Whole numbers, one row per person.
    k
        How many people must share the row of each, themself included: one number for all, or one for each; 1 is no
        protection.
    cost
        What a group's row is: "median" of its members', "max" (edges are only added) or "min" (only removed).
    exempt
        Whose row must not change; all may by default.
    rng
        Where chance comes from. The groups depend on it and not on the number of jobs.
    effort
        "fast", "balanced" or "thorough". One slice and one k for all is solved exactly, whatever the effort.
    time_limit
        Seconds, from now. Shortens the search to fit and gives the best groups found so far; neighbours and first groups
        take the time they take.
    jobs, progress
        Threads, and what is called with the share of the work done.
    crowds
        `find_crowds` of these rows, where it is known already.

    Returns
    -------
    The group of every row, numbered in the order of their first rows.

    Examples
    --------
    >>> rows = np.array([[0, 1], [9, 9], [0, 2], [9, 8], [0, 1]])
    >>> search_groups(rows, 2, rng=np.random.default_rng(0)).tolist()
    [0, 1, 0, 1, 0]
    >>> search_groups(rows, np.array([3, 1, 1, 1, 1]), rng=np.random.default_rng(0)).tolist()
    [0, 1, 0, 2, 0]
    """
    deadline = None if time_limit is None else time.monotonic() + time_limit
    degrees, levels, is_exempt = _checked(degrees, k, cost, exempt, effort)
    n, top = len(degrees), int(levels.max(initial=1))
    if top == 1:
        return np.arange(n, dtype=np.int32)
    plain = bool((levels == top).all()) and cost == "median" and not is_exempt.any()
    if plain and n < 2 * top:
        return np.zeros(n, np.int32)
    if plain and degrees.shape[1] == 1:
        return in_order(cheapest_runs(degrees[:, 0], top))
    tell = progress or (lambda share: None)
    if crowds is None:
        crowds = find_crowds(degrees, levels, jobs=jobs, progress=lambda share: tell(SHARE_OF_NEIGHBOURS * share))
    group = np.full(n, -1, np.int64) if is_exempt.any() else settle(crowds, levels)
    nodes = np.flatnonzero(group < 0)
    nodes = nodes[np.lexsort((-levels[nodes], crowds.label[nodes]))]
    problem = Problem(-degrees if cost == "min" else degrees, levels, is_exempt, cost != "median")
    state = first_state(problem, crowds, nodes, jobs=jobs)
    found = _search(state, rng, EFFORTS[effort], deadline, jobs, tell)
    group[nodes] = np.where(found < 0, -1, found + group.max() + 1)
    return in_order(group)


def _checked(
    degrees: np.ndarray, k: int | np.ndarray, cost: str, exempt: np.ndarray | None, effort: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    degrees = np.ascontiguousarray(degrees, dtype=np.int32)
    n = len(degrees)
    levels = np.full(n, k, np.int64) if np.ndim(k) == 0 else np.asarray(k, dtype=np.int64)
    is_exempt = np.zeros(n, bool) if exempt is None else np.asarray(exempt, dtype=bool)
    if levels.shape != (n,) or is_exempt.shape != (n,):
        raise InputError(f"k and exempt must have one value for each of the {n} rows")
    wrong = levels[(levels < 1) | (levels > n)]
    if len(wrong):
        raise InputError(f"k must lie between 1 and the number of rows, {n}; got {wrong[0]}")
    for name, value, known in (("cost", cost, COSTS), ("effort", effort, tuple(EFFORTS))):
        if value not in known:
            raise InputError(f"{name} must be one of {', '.join(known)}; got '{value}'")
    if int(degrees.sum(axis=1, dtype=np.int64).max(initial=0)) >= MAX_ROW:
        raise InputError("somebody has more than a thousand million contacts, which the search cannot add up")
    return degrees, levels, is_exempt


def _search(
    state: State,
    rng: np.random.Generator,
    effort: Effort,
    deadline: float | None,
    jobs: int,
    progress: Callable[[float], None],
) -> np.ndarray:
    """Anneal in stretches of falling temperature; return the best labels seen between them."""
    best, best_cost = state.people["label"].copy(), total_cost(state)
    steps = _steps_per_person(state, effort)
    if deadline is not None:
        steps = _affordable(state, rng, effort, steps, deadline, jobs)
    hot = effort.hot * min(steps / effort.steps, 1) ** COOLER
    heats = np.geomspace(max(hot, effort.cold), effort.cold, effort.stretches + 1)
    for i in range(effort.stretches):
        _stretch(state, rng, heats[i], heats[i + 1], -(-steps // effort.stretches), deadline, jobs)
        cost = total_cost(state)
        if cost < best_cost:
            best, best_cost = state.people["label"].copy(), cost
        progress(SHARE_OF_NEIGHBOURS + (1 - SHARE_OF_NEIGHBOURS) * (i + 1) / effort.stretches)
    return best


def _mean_k(state: State) -> float:
    """The mean level of those who are protected."""
    levels = state.people["k"]
    return float(levels[levels > 1].mean())


def _steps_per_person(state: State, effort: Effort) -> int:
    """Fewer for large and for wide inputs, so that time grows no faster than n; more for large groups.

    A hurried search spends more on large groups only where rows are long, which is where it pays. Tiny inputs get as
    many steps as one of ``TINY`` people.
    """
    n, width = int(np.sum(state.people["label"] >= 0)), state.degrees.shape[1]
    steps = np.clip(effort.small / n, effort.steps_large / effort.steps, 1) * effort.steps
    steps *= min(WIDE_SLICES / width, 1) ** WIDE_POWER
    hurried = effort.stretches < HURRIED and width <= NARROW_SLICES
    crowding = 0.0 if hurried else effort.crowding * (min(_mean_k(state), LARGEST_K) - 2)
    return int(max(steps * (1 + crowding), effort.steps * TINY / n))


def _affordable(state: State, rng: np.random.Generator, effort: Effort, steps: int, deadline: float, jobs: int) -> int:
    """Steps per person that fit before the deadline, going by the time that a few cold ones take."""
    started, sample = time.monotonic(), max(steps // 50, 1)
    _stretch(state, rng, effort.cold, effort.cold, sample, deadline, jobs)
    now = time.monotonic()
    return min(steps, int(PLANNED * sample * max(deadline - now, 0) / max(now - started, 1e-6)))


def _stretch(
    state: State, rng: np.random.Generator, hot: float, cold: float, per_person: int, deadline: float | None, jobs: int
) -> None:
    """Deal the groups into zones and anneal each for ``per_person`` steps for everybody in a group."""
    spare, zone_of_spare = deal_zones(state, rng)
    protected = np.flatnonzero(state.people["k"] > 1)
    zone = state.people["zone"][protected]
    order = protected[np.argsort(zone, kind="stable")]
    n_zones = int(zone.max()) + 1
    bounds = np.searchsorted(np.sort(zone), np.arange(n_zones + 1))
    grouped = np.bincount(state.people["zone"][state.people["label"] >= 0], minlength=n_zones)
    seeds = rng.integers(1, 2**63, n_zones, dtype=np.uint64)
    rare = max(int(RARE * _mean_k(state) ** 2), RARE_AT_LEAST)
    longest = 2 * int(state.groups["room"].max()) + 1

    def task(number: int) -> None:
        pick, free = order[bounds[number] : bounds[number + 1]], spare[zone_of_spare == number]
        if per_person == 0 or len(pick) == 0 or (deadline is not None and time.monotonic() > deadline):
            return
        room = np.concatenate([free, np.zeros(len(pick), np.int64)])
        n_steps = per_person * int(grouped[number])
        tmp = Scratch(number, seeds[number : number + 1], *np.empty((3, longest), np.int64))
        anneal(state, tmp, Stretch(pick, room, len(free), hot, cold, n_steps, rare))

    run_jobs(task, range(n_zones), jobs)


def deal_zones(state: State, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Cut the groups into halves along random directions until a zone is small; whoever is alone goes along.

    Writes everybody's zone; returns the empty groups and their zones, which are dealt out in turn. All in whole numbers,
    so that no rounding can depend on the machine.
    """
    people, groups = state.people, state.groups
    live, alone = np.flatnonzero(groups["count"]), np.flatnonzero(people["label"] < 0)
    wanted = min((len(people) - len(alone)) / ZONE_PEOPLE, MAX_ZONES, len(live))
    centre = state.columns[groups["first"][live] + groups["count"][live] // 2].astype(np.int64)
    if wanted >= 2 and len(alone):
        centre = np.concatenate([centre, state.degrees[alone].astype(np.int64)])
    parts = [np.arange(len(centre))]
    for _ in range(int(np.log2(max(wanted, 1)))):
        halves = []
        for part in parts:
            one, two = part[rng.integers(np.sum(part < len(live)), size=2)]
            across = centre[one] - centre[two] + rng.integers(-1, 2, centre.shape[1])
            order = part[np.argsort(centre[part] @ across, kind="stable")]
            seen = np.cumsum(order < len(live))
            cut = int(np.searchsorted(seen, seen[-1] // 2, side="right"))
            halves += [np.sort(order[:cut]), np.sort(order[cut:])]
        parts = halves
    zone = np.zeros(len(live) + len(alone), np.int64)
    for number, part in enumerate(parts):
        zone[part] = number
    zone_of = np.zeros(len(groups), np.int64)
    zone_of[live] = zone[: len(live)]
    people["zone"] = zone_of[people["label"]]
    people["zone"][alone] = zone[len(live) :]
    empty = np.flatnonzero(groups["count"] == 0)
    return empty, np.arange(len(empty)) % len(parts)
