"""shoal extend: later slices of the same people, under the same pseudonyms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import bundles, console, options


@bundles.with_shared
def extend(
    *,
    release: Annotated[Path, typer.Argument(help="The last release folder.", show_default=False)],
    input: Annotated[
        Path,
        typer.Argument(
            help="A file of later contacts, with the original ids; a folder of Parquet; or a query.",
            parser=options.contacts,
            show_default=False,
        ),
    ],
    private: Annotated[
        Path,
        typer.Option(
            "--private", help="The private record of the release; it is brought up to date.", show_default=False
        ),
    ],
    output: options.Output,
    load: bundles.Load,
    allow: Annotated[
        str | None,
        typer.Option(
            "--allow",
            help="both, or only add or only remove edges. Limits that are not given go on as they were.",
            rich_help_panel=options.CHANGE,
        ),
    ] = None,
    must_keep: options.MustKeep = None,
    forbid: options.Forbid = None,
    exempt: options.Exempt = None,
    removal_weight: options.RemovalWeight = 1.0,
    density: options.Density = None,
    effort: options.Effort = "balanced",
    seed: options.Seed = None,
    where: bundles.Running,
    contacts: options.Contacts = None,
    saving: bundles.Saving,
) -> None:
    """Publish later slices so that all releases together keep k; people who are new and too few are held back."""
    from shoal.extend import extend as run
    from shoal.large import peaks_of
    from shoal.write import check_target

    check_target(output, force=saving.options["force"])
    limits = bundles.limits(must_keep, forbid, exempt)
    with load.opened(input, where, output, saving.progress, contacts=contacts) as (graph, running):
        console.tell_input(graph, quiet=saving.quiet, json=saving.json)
        with console.own_stdout():
            made = run(
                release, graph, private, allow=allow, **limits, contacts=contacts, density=density, seed=seed, effort=effort,
                removal_weight=removal_weight, **running, progress=saving.progress,
            )  # fmt: skip
        saving(made, output, input, f" together with {release}", private=private)
        if waiting := 0 if made.after is None else len(made.after.held_back):
            who = console.plural(waiting, "newcomer is", "newcomers are")
            saving.tell(f"{who} held back, contacts included, until there are at least {made.k}.")
        saving.tell(*console.describe_memory(peaks_of(graph)))
