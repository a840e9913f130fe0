"""shoal anonymize: a file of contacts becomes a release folder."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import bundles, console, options

if TYPE_CHECKING:
    from shoal.release import Release

_WHOM = "Whom to protect, and from whom"

Level = Annotated[
    str,
    typer.Option(
        "-k",
        help="Everybody is hidden among at least k; or a column of the --nodes file with each person's own.",
        show_default=False,
        metavar="INTEGER",
    ),
]
Protect = Annotated[
    Path | None,
    typer.Option("--protect", help="Protect only the people listed in this file.", rich_help_panel=_WHOM),
]
Horizon = Annotated[
    str | None,
    typer.Option(
        "--horizon",
        help="The attacker knows any one stretch of this length (1mo, or a number of slices), not the whole history.",
        rich_help_panel=_WHOM,
    ),
]
Against = Annotated[
    str,
    typer.Option(
        "--against",
        help="numbers (how many contacts somebody has), or graph: contacts with names. Then ties change hands inside groups.",
        rich_help_panel=_WHOM,
    ),
]
Move = Annotated[
    str,
    typer.Option(
        "--move",
        help="With --against graph, how long ties keep their new hands: slice, a width such as 1mo, or tie (for good).",
        rich_help_panel=_WHOM,
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        "--budget",
        help="Protect as many people as changing at most this share of the edges reaches (5%), and leave out the others.",
        rich_help_panel=_WHOM,
    ),
]
LeftOut = Annotated[
    str | None,
    typer.Option(
        "--left-out",
        help="With --budget, what becomes of the others: withheld (not in the release), or exempt (as they were, unprotected).",
        rich_help_panel=_WHOM,
    ),
]
TimeLimit = Annotated[
    float | None, typer.Option("--time-limit", help="Seconds for the grouping; the best so far is taken.", min=0)
]


@bundles.with_shared
def anonymize(
    *,
    input: options.Input,
    k: Level,
    output: options.Output,
    load: bundles.Load,
    protect: Protect = None,
    horizon: Horizon = None,
    against: Against = "numbers",
    move: Move = "slice",
    budget: Budget = None,
    left_out: LeftOut = None,
    allow: Annotated[
        str, typer.Option("--allow", help="both, or only add or only remove edges.", rich_help_panel=options.CHANGE)
    ] = "both",
    must_keep: options.MustKeep = None,
    forbid: options.Forbid = None,
    exempt: options.Exempt = None,
    removal_weight: options.RemovalWeight = 1.0,
    keep_edges: Annotated[bool, typer.Option("--keep-edges", hidden=True)] = False,
    density: options.Density = None,
    method: Annotated[str, typer.Option("--method", help="search, or the paper's greedy or optimal.")] = "search",
    effort: options.Effort = "balanced",
    time_limit: TimeLimit = None,
    objective: Annotated[
        str, typer.Option("--objective", help="edges (change few edges), or l1 (medians, as the paper).")
    ] = "edges",
    restarts: Annotated[
        int | None,
        typer.Option("--restarts", help="Random starts of greedy and optimal (5).", min=1, show_default=False),
    ] = None,
    seed: options.Seed = None,
    where: bundles.Running,
    contacts: options.Contacts = None,
    protect_counts: options.ProtectCounts = False,
    attributes: options.Attributes = None,
    hierarchy: options.Hierarchy = None,
    stratum: options.Stratum = None,
    sensitive: options.Sensitive = None,
    diverse: options.Diverse = 1,
    private: options.Private = None,
    keep_ids: options.KeepIds = False,
    saving: bundles.Saving,
) -> None:
    """Make a release in which everybody has the same number of edges per slice as at least k - 1 others."""
    with saving.progress.stage("starting", 1):
        from shoal.errors import InputError
        from shoal.large import peaks_of
        from shoal.read.people import read_people
        from shoal.write import check_target

    if keep_edges:
        raise InputError("--keep-edges is called --removal-weight now; it stood for --removal-weight 10")
    check_target(output, force=saving.options["force"])
    level = _level(k, load.options["nodes"])
    run = _maker(budget, left_out)
    with load.opened(input, where, output, saving.progress, contacts=contacts) as (graph, running):
        console.tell_input(graph, quiet=saving.quiet, json=saving.json, effort=effort)
        with console.own_stdout():
            release = run(
                graph, level, protect=None if protect is None else read_people(protect),
                horizon=horizon, against=against, move=move, allow=allow, **bundles.limits(must_keep, forbid, exempt),
                contacts=contacts, protect_counts=protect_counts, stratum=stratum,
                **bundles.traits(load.options["nodes"], attributes, hierarchy, sensitive, diverse),
                method=method, seed=seed, effort=effort, time_limit=time_limit, objective=objective,
                removal_weight=removal_weight, density=density, restarts=restarts, **running,
                progress=saving.progress,
            )  # fmt: skip
        saving(release, output, input, private=private, keep_ids=keep_ids)
        saving.tell(*console.describe_memory(peaks_of(graph)))


def _maker(budget: str | None, left_out: str | None) -> Callable[..., Release]:
    """What makes the release: for everybody, or for as many as a budget reaches."""
    from shoal.anonymize import anonymize as run
    from shoal.errors import InputError

    if budget is None:
        if left_out is not None:
            raise InputError(
                "--left-out says what becomes of people whom a budget does not reach; give it with --budget"
            )
        return run
    from shoal.sweep.most import protect_most

    share = bundles.share("--budget", budget)
    return functools.partial(protect_most, budget=share, left_out=left_out or "withheld")


def _level(k: str, nodes: Path | None) -> Any:
    """A number, or the levels in a column of the nodes file."""
    from shoal.errors import InputError
    from shoal.read.people import read_levels

    try:
        return int(k)
    except ValueError:
        if nodes is None:
            raise InputError(f"-k is a whole number, or a column of the file given with --nodes; got '{k}'") from None
        return read_levels(nodes, k)
