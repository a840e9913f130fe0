"""shoal anonymize: a file of contacts becomes a release folder."""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli import console, options


def anonymize(
    input: options.Input,
    k: options.K,
    output: options.Output,
    slice: options.Width = None,
    slices: options.Parts = None,
    method: Annotated[str, typer.Option("--method", help="search, or the paper's greedy or optimal.")] = "search",
    effort: Annotated[str, typer.Option("--effort", help="fast, balanced or thorough.")] = "balanced",
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", help="Seconds for the grouping; the best so far is taken.", min=0)
    ] = None,
    keep_edges: Annotated[
        bool, typer.Option("--keep-edges", help="Rather add edges than remove them (a removal counts tenfold).")
    ] = False,
    objective: Annotated[
        str, typer.Option("--objective", help="edges (change few edges), or l1 (medians, as the paper).")
    ] = "edges",
    restarts: Annotated[int, typer.Option("--restarts", help="Random starts of greedy and optimal.", min=1)] = 5,
    seed: options.Seed = None,
    jobs: options.Jobs = None,
    source: options.Source = None,
    target: options.Target = None,
    time: options.Time = None,
    layer: options.Layer = None,
    dialect: options.Dialect = None,
    nodes: options.Nodes = None,
    timezone: options.Zone = "UTC",
    offset: options.Offset = None,
    time_format: options.TimeFormat = None,
    time_unit: options.TimeUnit = "s",
    private: options.Private = None,
    keep_ids: options.KeepIds = False,
    format: options.Format = "csv",
    no_report: options.NoReport = False,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Make a release in which everybody has the same contacts per slice as at least k - 1 others."""
    from shoal.anonymize import anonymize as run
    from shoal.read import read
    from shoal.write import check_target

    check_target(output, force=force)
    graph = read(
        input, slice=slice, slices=slices, source=source, target=target, time=time, layer=layer, dialect=dialect, nodes=nodes,
        timezone=timezone, offset=offset, time_format=time_format, time_unit=time_unit,
    )  # fmt: skip
    talk = not (quiet or json)
    if talk:
        typer.echo(console.describe_input(graph))
    bars = console.progress(quiet)
    with console.own_stdout():
        release = run(
            graph, k, method=method, seed=seed, effort=effort, time_limit=time_limit, objective=objective,
            deletion_weight=10.0 if keep_edges else 1.0, restarts=restarts, jobs=jobs, progress=bars,
        )  # fmt: skip
    certificate = release.save(
        output, private=private, keep_ids=keep_ids, format=format, report=not no_report, force=force, source=input
    )
    if json:
        console.print_json(certificate)
    if talk:
        for sentence in console.describe_release(release):
            typer.echo(sentence)
        typer.echo(f"Verified, and written to {output}: this folder is safe to publish.")
        if private:
            typer.echo(f"Who is who stands in {private}: keep it secret.")
