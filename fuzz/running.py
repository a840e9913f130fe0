"""Run one case: make the release, look at it from outside, make it again, extend it; refusals are tried by brute force."""

from __future__ import annotations

import hashlib
import json
import shutil
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from fuzz import asking, outside
from fuzz.brute import possible
from fuzz.cases import Case
from fuzz.outside import Found, Request
from tests.command import Answer

import shoal
from shoal.errors import GuaranteeError, ShoalError


@dataclass
class Outcome:
    """What became of a case: how it ended, what it did on the way, and every complaint."""

    name: str
    kind: str
    end: str = "released"
    did: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    said: str = ""
    about: str = ""
    seconds: float = 0.0


class Refused(Exception):
    """A command said no."""


def run_case(case: Case, place: Path) -> Outcome:
    """Never raises, but for interrupts."""
    outcome = Outcome(case.name, case.kind, about=str(case))
    try:
        _run(case, place, outcome)
    except GuaranteeError as error:
        outcome.end = "guard"
        outcome.complaints.append(f"guard: shoal's own check stopped it ({error})")
    except (ShoalError, Refused) as error:
        outcome.end, outcome.said = "refused", str(error)
        outcome.complaints += _check_refusal(case, outcome, str(error))
    except Exception as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if "shoal" in f.filename]
        where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
        outcome.end = "crashed"
        text = str(error).splitlines()[0][:300] if str(error) else ""
        outcome.complaints.append(f"crash: {type(error).__name__} at {where}: {text}")
    return outcome


def _run(case: Case, place: Path, outcome: Outcome) -> None:
    home = place / "home"
    home.mkdir()
    folder, record = home / "release", place / "record.json"
    if case.way == "folder":
        record = record.with_suffix(".parquet")
    private = record if case.private else None
    if case.way == "command":
        _heed(asking.anonymize_by_command(case, place, folder, private))
    elif case.stop_after is not None:
        outcome.did += ["stopped and resumed"] * asking.anonymize_stopped(case, place, folder, private)
    else:
        asking.anonymize(case, place, folder, private)
    if case.wrong is not None:
        outcome.complaints.append(f"accepted: {case.wrong}")
        return
    outcome.complaints += _check_release(folder, private, case.asked, case)
    if left := [one.name for one in home.iterdir() if one != folder] + [n for n in ("work",) if (place / n).exists()]:
        outcome.complaints.append(f"left: {left} beside the folder")
    if case.again:
        outcome.did.append(f"again, {case.again}")
        outcome.complaints += _again(case, place, folder, private)
    if case.later:
        _extend(case, place, home, record, outcome)


def _heed(answer: Answer | None) -> None:
    if answer is not None and answer.returncode == 2:
        raise Refused(answer.stderr.removeprefix("shoal: ").strip())
    if answer is not None and answer.returncode == 1:
        raise GuaranteeError(answer.stderr)
    if answer is not None and answer.returncode != 0:
        raise RuntimeError(f"the command ended with {answer.returncode}: {answer.stderr}")


def _check_refusal(case: Case, outcome: Outcome, said: str) -> Iterator[str]:
    if not said or "\n" in said or len(said) > 1_100:
        yield f"sentence: the refusal is not one sentence: {said[:300]!r}"
    if case.wrong is not None:
        return
    if outcome.did[-1:] == ["extending"]:
        if not case.asked.limits.any() and all(later.people for later in case.later):
            yield f"wrong refusal: of an extension without limits ({said})"
        return
    answer = possible(case.asked)
    outcome.did.append({True: "refusal is wrong", False: "refusal is right", None: "refusal not tried"}[answer])
    if answer:
        yield f"wrong refusal: there is a way ({said})"


def _secrets(asked: Request) -> list[str]:
    """What must not be in a folder: ids that are long enough to mean something, and the seed."""
    ids = [] if asked.keep_ids else [str(one) for one in asked.graph.people if len(str(one)) > 5]
    return ids if asked.seed is None else [*ids, str(asked.seed)]


def _check_release(folder: Path, record: Path | None, asked: Request, case: Case) -> Iterator[str]:
    found, wrong = outside.read(folder, asked)
    yield from wrong
    if wrong:
        return
    yield from outside.check_files(folder, found, asked, _secrets(asked))
    yield from outside.check_graph(found, asked)
    if record is not None:
        yield from outside.check_record(record, found, asked)
    yield from _check_verify(folder, record, found, asked)
    if asked.format == "csv" and not asked.partitioned:
        yield from _check_forgery(folder, found, asked, Random(case.name))


def _check_verify(folder: Path, record: Path | None, found: Found, asked: Request) -> Iterator[str]:
    """shoal verify says what the checker says, at the smallest crowd there is and just above it."""
    if failures := shoal.verify(folder).failures:
        yield f"verify: rejects a release that holds ({failures})"
    smallest = found.certificate["min_class_size"]
    if not shoal.verify(folder, k=smallest) or shoal.verify(folder, k=smallest + 1):
        yield f"verify: another smallest crowd than {smallest}"
    if record is not None and not shoal.verify(folder, record=record):
        yield "verify: rejects the levels of the record"


def _check_forgery(folder: Path, found: Found, asked: Request, rng: Random) -> Iterator[str]:
    """An edge is taken out and the certificate made to fit: verify must not believe it where crowds are too small now."""
    edges = [(t, i) for t, some in enumerate(found.edges) for i in range(len(some))]
    if not edges or rng.random() < 0.5:
        return
    t, i = rng.choice(edges)
    other = folder.with_name("forged")
    shutil.copytree(folder, other)
    try:
        lines = (other / "edges.csv").read_text(encoding="utf-8").split("\n")
        if len(lines) != sum(map(len, found.edges)) + 2:
            return  # an id has a line break
        del lines[1 + sum(map(len, found.edges[:t])) + i]
        (other / "edges.csv").write_text("\n".join(lines), encoding="utf-8")
        del found.edges[t][i]
        claims = found.certificate
        claims["sha256"]["edges.csv"] = hashlib.sha256((other / "edges.csv").read_bytes()).hexdigest()
        claims["edges"]["released"] -= 1
        claims["edges"]["added" if claims["edges"]["added"] else "kept"] -= 1
        complaints = [c for c in outside.check_graph(found, asked) if c.startswith("crowds")]
        (other / "certificate.json").write_text(json.dumps(claims), encoding="utf-8")
        if complaints and shoal.verify(other):
            yield f"verify: believes a forged release ({complaints[0]})"
    finally:
        shutil.rmtree(other)


def _bytes(folder: Path) -> dict[str, bytes]:
    return {f.relative_to(folder).as_posix(): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


def _again(case: Case, place: Path, folder: Path, record: Path | None) -> Iterator[str]:
    """The same seed gives the same bytes: with other jobs, on a cluster, from Python where it was a command before."""
    other, second = place / "again", None if record is None else place / f"again{record.suffix}"
    changes: dict[str, Any] = {"jobs": 3 - case.options.get("jobs", 1)} if case.again == "jobs" else {}
    if case.again == "dask":
        changes = {"engine": "dask", "jobs": 2}
    plain = replace(case, way="file") if case.way == "command" else case
    asking.anonymize(plain, place, other, second, **changes)
    yield from _differences(case, folder, other, record, second)


def _differences(case: Case, folder: Path, other: Path, record: Path | None, second: Path | None) -> Iterator[str]:
    if different := sorted({name for name, _ in set(_bytes(folder).items()) ^ set(_bytes(other).items())}):
        yield f"rerun: {different} differ ({case.again})"
    if record is not None and second is not None and record.read_bytes() != second.read_bytes():
        yield f"rerun: the record differs ({case.again})"


def _extend(case: Case, place: Path, home: Path, record: Path, outcome: Outcome) -> None:
    """Extend once or twice; whoever has all the folders must still be left with as many candidates."""
    folder, asked = home / "release", case.asked
    releases = [(outside.read(folder, asked)[0], asked)]
    folders = [folder]
    for number in range(len(case.later)):
        outcome.did.append("extending")
        after = place / f"record-{number}.json"
        target = home / f"release-{number}"
        known = outside.read_record(record)
        _heed(asking.extend(case, number, place, folder, record, target, after))
        outcome.did[-1] = "extended"
        asked, held = _asked_later(case, number, known)
        outcome.did += ["held newcomers back"] * bool(held)
        complaints = list(_check_release(target, after, asked, case))
        now = outside.read_record(after)
        if any(now["ids"].get(name) != one for name, one in known["ids"].items()):
            complaints.append("extension: somebody has another pseudonym than before")
        if sorted(map(str, now["held_back"])) != sorted(held):
            complaints.append(f"extension: held back are {now['held_back']}, not {held}")
        if case.again:
            outcome.did.append("extended again")
            complaints += _extend_again(case, number, place, folder, record, target, after)
        folder, record, folders = target, after, [*folders, target]
        releases.append((outside.read(folder, asked)[0], asked))
        complaints += outside.check_together(releases)
        if not shoal.verify(folders):
            complaints.append(f"verify: rejects {len(folders)} releases together")
        outcome.complaints += [f"{text} [extension {number + 1}]" for text in complaints]
    if left := {one.name for one in home.iterdir()} - {one.name for one in folders}:
        outcome.complaints.append(f"left: {left} beside the folders")


def _extend_again(
    case: Case, number: int, place: Path, folder: Path, record: Path, target: Path, after: Path
) -> Iterator[str]:
    other, second = place / f"again-{number}", place / f"again-{number}.json"
    jobs = 3 - case.options["jobs"] if case.again == "jobs" else case.options["jobs"]
    _heed(
        asking.extend(
            replace(case, options=case.options | {"jobs": jobs}), number, place, folder, record, other, second
        )
    )
    yield from _differences(case, target, other, after, second)


def _asked_later(case: Case, number: int, known: dict[str, Any]) -> tuple[Request, list[str]]:
    """What an extension has to keep: levels and limits of before, k for newcomers, who wait while they are fewer than k."""
    graph = case.later[number]
    needs = {str(known["ids"][name]): level for name, level in known["levels"].items()}
    new = [str(one) for one in graph.people if str(one) not in needs]
    held = new if len(new) < known["k"] else []
    needs |= dict.fromkeys([] if held else new, known["k"])
    edges = [{edge for edge in some if needs.keys() >= set(edge)} for some in graph.edges]
    limits = case.asked.limits
    limits = outside.Limits(
        limits.allow,
        {edge for edge in limits.keep if edge[1] is None},
        {edge for edge in limits.forbid if edge[1] is None},
        limits.exempt,
    )
    asked = Request(
        graph._replace(edges=edges), needs, [0] * len(graph.parts), limits, case.asked.keep_ids, case.asked.format,
        case.asked.report, seed=case.asked.seed,
    )  # fmt: skip
    return asked, held
