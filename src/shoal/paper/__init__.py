"""The paper's experiments, run again: every figure, the table and the claims of the text on one page."""

from __future__ import annotations

from pathlib import Path

from shoal.common.progress import Progress
from shoal.errors import InputError
from shoal.files.kept import Kept
from shoal.paper import numbers as tables
from shoal.paper.claims import Claim, Numbers, check
from shoal.paper.page import write_page
from shoal.paper.plan import FULL, QUICK, Experiments, Plan
from shoal.paper.run import run_cells

__all__ = ["FULL", "QUICK", "Claim", "Plan", "reproduce"]


def reproduce(
    folder: Path, data: Path | None = None, *, plan: Plan = FULL, progress: Progress | None = None
) -> tuple[list[Claim], list[str]]:
    """Run the experiments on the sets found under `data` and write the page into `folder`.

    What is finished is kept in `folder/cells`, so a run that was stopped goes on. Returns the checked claims and the
    names of the sets that are missing.
    """
    if data is not None and not data.is_dir():
        raise InputError(f"{data}: no such folder")
    experiments = Experiments(plan, data)
    kept = Kept(folder / "cells")
    cells = experiments.everything()
    with (progress or Progress()).stage("measuring", len(cells)) as tell:
        results = run_cells(cells, kept, tell)
    costs = tables.costs(experiments, results)
    numbers = Numbers(
        costs=costs,
        increases=tables.increases(costs),
        sequences=tables.realizing(experiments, results),
        correlations=tables.correlations(experiments, results),
        similarities=tables.similarities(experiments, results),
        seconds=tables.seconds(experiments, results),
        irvine=results[experiments.irvine_facts()] if "Irvine" in experiments.files else None,
    )
    claims = check(numbers)
    write_page(experiments, numbers, claims, folder)
    return claims, experiments.missing
