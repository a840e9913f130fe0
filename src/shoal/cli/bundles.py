"""Options that go together, in the place of one parameter of a command: how to read, where to run, how to save."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shoal.cli import options

if TYPE_CHECKING:
    from shoal.common.progress import Progress
    from shoal.graph import TemporalGraph
    from shoal.release import Release


def is_contacts_folder(path: Path) -> bool:
    """Whether this is a folder of contacts; only for folders is it worth loading what knows that."""
    if not path.is_dir():
        return False
    from shoal.large import is_contacts_folder as look

    return look(path)


def _reading(
    slice: options.Width = None,
    slices: options.Parts = None,
    source: options.Source = None,
    target: options.Target = None,
    time: options.Time = None,
    layer: options.Layer = None,
    directed: options.Directed = False,
    dialect: options.Dialect = None,
    nodes: options.Nodes = None,
    timezone: options.Zone = "UTC",
    offset: options.Offset = None,
    time_format: options.TimeFormat = None,
    time_unit: options.TimeUnit = "s",
    day_first: options.DayFirst = None,
    origin: options.Origin = None,
    header: options.Header = None,
    encoding: options.Encoding = None,
    count: options.Count = None,
) -> None:
    """The options of every command that reads contacts."""


def limits(must_keep: Path | None, forbid: Path | None, exempt: Path | None) -> dict[str, Any]:
    """The files of limits as `anonymize` and `extend` take them."""
    from shoal.read.people import read_pairs, read_people

    return {
        "must_keep": None if must_keep is None else read_pairs(must_keep),
        "forbid": None if forbid is None else read_pairs(forbid),
        "exempt": None if exempt is None else read_people(exempt),
    }


def traits(
    nodes: Path | None, attributes: str | None, hierarchy: list[str] | None, sensitive: str | None, diverse: int
) -> dict[str, Any]:
    """The options about columns of people as `anonymize` takes them."""
    from shoal.errors import InputError

    trees = {}
    for one in hierarchy or []:
        name, mark, file = one.partition("=")
        if not mark or not name.strip() or not file.strip():
            raise InputError(f"a hierarchy is given as COLUMN=FILE; got '{one}'")
        trees[name.strip()] = Path(file.strip())
    named = None if attributes is None else [one for one in attributes.split(",") if one.strip()]
    people = nodes if named or sensitive is not None else None  # else the file only says who there is
    return {
        "people": people, "attributes": named, "hierarchies": trees, "sensitive": sensitive, "diverse": diverse,
    }  # fmt: skip


def some_share(name: str, text: str | None) -> float | None:
    """The same, or None where nothing is given."""
    return None if text is None else share(name, text)


def share(name: str, text: str) -> float:
    """A share as people write it: 3% or 0.03."""
    from shoal.errors import InputError

    try:
        return float(text.strip().removesuffix("%")) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        raise InputError(f"{name} is a share such as 3% or 0.03; got '{text}'") from None


def _running(
    jobs: options.Jobs = None,
    engine: options.EngineName = "local",
    scheduler: options.Scheduler = None,
    worker_memory: options.Memory = None,
    shard_people: options.ShardPeople = options.SHARD_PEOPLE,
    work_dir: options.WorkDir = None,
    resume: options.Resume = False,
) -> None:
    """The options of every command that makes a release, about where it is made."""


def _saving(
    private_report: options.PrivateReport = None,
    format: options.Format = None,
    no_report: options.NoReport = False,
    title: options.Title = None,
    by: options.By = None,
    date: options.Date = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """The options of every command that makes a release, about what is written and said."""


class Load:
    """Reads a file the way the options say."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    def __call__(self, path: Path, progress: Progress | None = None, **changes: Any) -> TemporalGraph:
        """The graph in this file; `changes` go before the options."""
        from shoal.common.progress import Progress
        from shoal.read import read

        with (progress or Progress()).stage("reading", 1):
            return read(path, **self.options | changes)

    def beside(self, path: Path, progress: Progress) -> TemporalGraph:
        """The same of what is held against the file that the options are about; a release says itself how it is read."""
        return (Load() if (path / "certificate.json").is_file() else self)(path, progress)

    @contextmanager
    def opened(
        self, path: Path, where: Running, beside: Path, progress: Progress, *, contacts: str | None = None
    ) -> Iterator[tuple[TemporalGraph, dict[str, Any]]]:
        """The graph in a file or in a folder of Parquet, and the options about where its release is made.

        It keeps the contacts behind its edges, where they are to be drawn.
        """
        from shoal.draw import kept

        given = self.options | {"contacts": kept(contacts)}
        if not is_contacts_folder(path):
            yield self(path, progress, contacts=given["contacts"]), where.options | {"shard_people": where.shard_people}
            return
        from shoal.large import open_folder

        with open_folder(path, **given, **where.options, beside=beside, progress=progress) as graph:
            yield graph, {"shard_people": where.shard_people}


class Running:
    """Where a release is made; what cannot be is refused at once."""

    def __init__(self, scheduler: str | None, engine: str, shard_people: int, **options: Any) -> None:
        from shoal.engine.work import check_work

        check_work(options["work_dir"], resume=options["resume"])
        self.options, self.shard_people = {**options, "engine": scheduler or engine}, shard_people


class Saving:
    """Writes a release the way the options say, and says so."""

    def __init__(self, *, no_report: bool, json: bool, quiet: bool, **options: Any) -> None:
        from shoal.cli import console
        from shoal.published.about import make_about

        make_about(*(options[name] for name in ("title", "by", "date")))
        self.options, self.json, self.quiet = {**options, "report": not no_report}, json, quiet
        self.progress = console.progress(quiet)

    def tell(self, *sentences: str) -> None:
        """Say this on stdout, unless that belongs to JSON or nobody wants to hear it."""
        for sentence in () if self.json or self.quiet else sentences:
            typer.echo(sentence)

    def __call__(self, release: Release, output: Path, source: Path, also: str = "", **options: Any) -> None:
        """Save the release, and tell what it is."""
        from shoal.cli import console

        given = self.options | options | {"source": None if source.is_dir() else source}
        with console.own_warnings():
            certificate = release.save(output, **given, progress=self.progress)
        if self.json:
            console.print_json(certificate)
        self.tell(*console.describe_release(release), *console.describe_folder(certificate, output, also))
        if private := options.get("private"):
            now = "is up to date: keep it secret, and use it for the next extension" if also else "keep it secret"
            self.tell(f"The private record {private} {now}." if also else f"Who is who stands in {private}: {now}.")
        if place := self.options["private_report"]:
            self.tell(f"Exact numbers about the original stand in {place}: keep it secret.")


_BUNDLES: dict[str, tuple[Callable[..., None], Any]] = {
    "load": (_reading, Load),
    "where": (_running, Running),
    "saving": (_saving, Saving),
}


def with_shared(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a bundle in the place of a parameter `load`, `where` or `saving`.

    Options that the command names itself stay its own.
    """
    own = inspect.signature(command, eval_str=True).parameters
    bundles = {
        name: [p for n, p in inspect.signature(_BUNDLES[name][0], eval_str=True).parameters.items() if n not in own]
        for name in own
        if name in _BUNDLES
    }
    ordered: list[inspect.Parameter] = []
    for name, parameter in own.items():
        ordered += bundles.get(name, [parameter])
    ordered = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in ordered]  # so that their order is free

    @functools.wraps(command)
    def run(**given: Any) -> None:
        made = {name: _BUNDLES[name][1](**{p.name: given.pop(p.name) for p in some}) for name, some in bundles.items()}
        command(**given, **made)

    run.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in ordered}
    return run
