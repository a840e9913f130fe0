"""shoal anonymize: a file of contacts becomes a release folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import console, large, options

_WHOM = "Whom to protect, and from whom"


@options.reads_contacts
def anonymize(
    input: options.Input,
    k: Annotated[
        str,
        typer.Option(
            "-k",
            help="Everybody is hidden among at least k; or a column of the --nodes file with each person's own.",
            show_default=False,
            metavar="INTEGER",
        ),
    ],
    output: options.Output,
    load: options.Load,
    protect: Annotated[
        Path | None,
        typer.Option("--protect", help="Protect only the people listed in this file.", rich_help_panel=_WHOM),
    ] = None,
    horizon: Annotated[
        str | None,
        typer.Option(
            "--horizon",
            help="The attacker knows any one stretch of this length (1mo, or a number of slices), not the whole history.",
            rich_help_panel=_WHOM,
        ),
    ] = None,
    allow: Annotated[
        str, typer.Option("--allow", help="both, or only add or only remove edges.", rich_help_panel=options.CHANGE)
    ] = "both",
    must_keep: options.MustKeep = None,
    forbid: options.Forbid = None,
    exempt: options.Exempt = None,
    keep_edges: Annotated[
        bool,
        typer.Option(
            "--keep-edges",
            help="Rather add edges than remove them (a removal counts tenfold).",
            rich_help_panel=options.CHANGE,
        ),
    ] = False,
    method: Annotated[str, typer.Option("--method", help="search, or the paper's greedy or optimal.")] = "search",
    effort: options.Effort = "balanced",
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", help="Seconds for the grouping; the best so far is taken.", min=0)
    ] = None,
    objective: Annotated[
        str, typer.Option("--objective", help="edges (change few edges), or l1 (medians, as the paper).")
    ] = "edges",
    restarts: Annotated[int, typer.Option("--restarts", help="Random starts of greedy and optimal.", min=1)] = 5,
    seed: options.Seed = None,
    jobs: options.Jobs = None,
    engine: options.EngineName = "local",
    scheduler: options.Scheduler = None,
    worker_memory: options.Memory = None,
    shard_people: options.ShardPeople = options.SHARD_PEOPLE,
    work_dir: options.WorkDir = None,
    resume: options.Resume = False,
    private: options.Private = None,
    private_report: options.PrivateReport = None,
    contacts: options.Contacts = None,
    keep_ids: options.KeepIds = False,
    format: options.Format = "csv",
    no_report: options.NoReport = False,
    title: options.Title = None,
    by: options.By = None,
    date: options.Date = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Make a release in which everybody has the same number of edges per slice as at least k - 1 others."""
    from shoal.anonymize import anonymize as run
    from shoal.draw import kept
    from shoal.engine.work import check_work
    from shoal.large import is_contacts_folder
    from shoal.published.about import make_about
    from shoal.read.people import read_people
    from shoal.write import check_target

    check_target(output, force=force)
    make_about(title, by, date)
    level = _level(k, load.options["nodes"])
    talk = not (quiet or json)
    where: dict[str, Any] = {
        "jobs": jobs, "engine": scheduler or engine, "worker_memory": worker_memory, "shard_people": shard_people,
        "work_dir": work_dir, "resume": resume, "progress": console.progress(quiet),
    }  # fmt: skip
    check_work(work_dir, resume=resume)
    if is_contacts_folder(input):
        refused = {
            "--protect": protect, "--horizon": horizon, "--allow": allow != "both", "--must-keep": must_keep,
            "--forbid": forbid, "--exempt": exempt, "--method": method != "search", "--time-limit": time_limit,
            "--private-report": private_report, "--contacts": contacts, "--title": title, "--by": by, "--date": date,
        }  # fmt: skip
        given = {
            "seed": seed, "effort": effort, "objective": objective, "deletion_weight": 10.0 if keep_edges else 1.0,
            "private": private, "keep_ids": keep_ids, "force": force,
        }  # fmt: skip
        with console.own_warnings():
            made = large.anonymize(input, level, output, load.options, refused, given | where)
        if json:
            console.print_json({name: value for name, value in made.items() if name != "memory"})
        if talk:
            for sentence in large.describe(made):
                typer.echo(sentence)
            for sentence in console.describe_folder(made, output):
                typer.echo(sentence)
            if private:
                typer.echo(f"Who is who stands in {private}: keep it secret.")
        return
    graph = load(input, where["progress"], contacts=kept(contacts))
    console.tell_input(graph, quiet=quiet, json=json, effort=effort)
    with console.own_stdout():
        release = run(
            graph, level, protect=None if protect is None else read_people(protect),
            horizon=horizon, allow=allow, **options.limits(must_keep, forbid, exempt),
            contacts=contacts, method=method, seed=seed, effort=effort, time_limit=time_limit, objective=objective,
            deletion_weight=10.0 if keep_edges else 1.0, restarts=restarts, **where,
        )  # fmt: skip
    with console.own_warnings():
        certificate = release.save(
            output, private=private, private_report=private_report, keep_ids=keep_ids, format=format,
            report=not no_report, force=force, source=input, title=title, by=by, date=date, progress=where["progress"],
        )  # fmt: skip
    if json:
        console.print_json(certificate)
    if talk:
        for sentence in (*console.describe_release(release), *console.describe_folder(certificate, output)):
            typer.echo(sentence)
        if private:
            typer.echo(f"Who is who stands in {private}: keep it secret.")
        if private_report:
            typer.echo(f"Exact numbers about the original stand in {private_report}: keep it secret.")


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
