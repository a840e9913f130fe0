"""shoal extend: later slices of the same people, under the same pseudonyms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import console, options


@options.reads_contacts
def extend(
    release: Annotated[Path, typer.Argument(help="The last release folder.", show_default=False)],
    input: Annotated[
        Path,
        typer.Argument(
            help="A file of later contacts, with the original ids; or a query.",
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
    load: options.Load,
    private_report: options.PrivateReport = None,
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
    contacts: options.Contacts = None,
    effort: options.Effort = "balanced",
    seed: options.Seed = None,
    jobs: options.Jobs = None,
    format: options.Format = "csv",
    no_report: options.NoReport = False,
    title: options.Title = None,
    by: options.By = None,
    date: options.Date = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Publish later slices so that all releases together keep k; people who are new and too few are held back."""
    from shoal.draw import kept
    from shoal.extend import extend as run
    from shoal.published.about import make_about
    from shoal.write import check_target

    check_target(output, force=force)
    make_about(title, by, date)
    progress = console.progress(quiet)
    graph = load(input, progress, contacts=kept(contacts))
    console.tell_input(graph, quiet=quiet, json=json)
    limits = options.limits(must_keep, forbid, exempt)
    with console.own_stdout():
        made = run(
            release, graph, private, allow=allow, **limits, contacts=contacts, seed=seed, effort=effort, jobs=jobs,
            progress=progress,
        )  # fmt: skip
    with console.own_warnings():
        certificate = made.save(
            output, private=private, private_report=private_report, format=format, report=not no_report, force=force,
            source=input, title=title, by=by, date=date, progress=progress,
        )  # fmt: skip
    if json:
        console.print_json(certificate)
    elif not quiet:
        for sentence in console.describe_release(made):
            typer.echo(sentence)
        waiting = len(made.after.held_back) if made.after is not None else 0
        if waiting:
            who = console.plural(waiting, "newcomer is", "newcomers are")
            typer.echo(f"{who} held back, contacts included, until there are at least {made.k}.")
        for sentence in console.describe_folder(certificate, output, f" together with {release}"):
            typer.echo(sentence)
        typer.echo(f"The private record {private} is up to date: keep it secret, and use it for the next extension.")
