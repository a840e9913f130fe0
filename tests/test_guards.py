"""The last line: what looks at a result once more before anybody gets it. Each is shown something wrong, and must say so."""

from __future__ import annotations

import asyncio
import importlib
import json

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import InputError, TemporalGraph
from shoal.common.randomness import Randomness
from shoal.demands.promise import make_promise
from shoal.errors import GuaranteeError
from shoal.plan import stages
from shoal.realize import SliceLimits, SliceView
from shoal.rebuild import within
from shoal.web.guard import Guard
from tests.audit.forge import publish

GRAPH = TemporalGraph.from_events([(f"person-{i % 17}", f"person-{i * 7 % 23}", i % 4) for i in range(120)])
STAR = np.array([[0, 1], [0, 2], [0, 3]], np.int32)
SETTINGS = stages.Settings(effort="fast")


def test_a_slice_with_other_degrees_than_chosen_is_not_given_away(monkeypatch):
    labels = np.array([0, 0, 1, 1])
    monkeypatch.setattr(stages, "rewire", lambda view, *a, **k: STAR[:1])
    for directed in (False, True):
        with pytest.raises(GuaranteeError, match="other degrees than chosen"):
            stages.rebuild_slice(STAR, labels, SETTINGS, directed=directed, rng=np.random.default_rng(0))


@pytest.mark.parametrize("keys", [[1, 2, 3], [1, 6, 11], [1, 1], [2, 3, 9]])
def test_a_slice_that_breaks_its_limits_is_not_given_away(keys):
    """0-1 must stay, 2-3 must not be joined, and both people of a group have the same degree."""
    limits = SliceLimits(must_keep=np.array([True, False, False]), forbidden=np.array([[2, 3]]))
    view = SliceView(STAR, np.array([0, 0, 1, 1]), limits=limits)
    assert within.as_edges(view, np.array([1])).tolist() == [[0, 1]]
    with pytest.raises(GuaranteeError):
        within.as_edges(view, np.array(keys))


def test_a_release_with_somebody_in_too_small_a_crowd_is_not_given_away(monkeypatch):
    monkeypatch.setattr(
        importlib.import_module("shoal.anonymize"),
        "rebuild_slices",
        lambda request, *rest, **more: (request.graph, 0.0),
    )
    with pytest.raises(GuaranteeError, match="too small a crowd"):
        shoal.anonymize(GRAPH, 3, seed=1)


def test_out_degrees_that_tell_people_apart_are_not_given_away(monkeypatch):
    monkeypatch.setattr(
        importlib.import_module("shoal.anonymize"),
        "rebuild_slices",
        lambda request, *rest, **more: (request.graph, 0.0),
    )
    into_alike = TemporalGraph.from_slices({"all": [(1, 2), (1, 3), (2, 1)]}, directed=True)
    assert into_alike.degree_matrix()[:, 0].tolist() == [1, 1, 1]
    with pytest.raises(GuaranteeError, match="too small a crowd"):
        shoal.anonymize(into_alike, 3, seed=1)


def test_a_horizon_is_so_many_slices():
    week = TemporalGraph.from_events([(1, 2, day) for day in range(7)])
    for width in (1, 2, 3, 7):
        blocks = make_promise(week, 2, horizon=width).blocks
        assert blocks.tolist() == [day // width for day in range(7)]


def test_every_slice_stays_in_its_place():
    """A release of slices in another order would be as anonymous, and wrong."""
    graph = TemporalGraph.from_slices({"mon": [(1, 2)], "tue": [(1, 2), (3, 4), (5, 6)]}, nodes=range(1, 7))
    assert shoal.anonymize(graph, 1, seed=0).graph == graph


def test_a_guessed_seed_without_the_data_tells_nothing():
    names = [f"pseudonym/{i}" for i in range(30)]
    one, other = Randomness(5, b"these contacts"), Randomness(5, b"those contacts")
    assert one.rank(names, len(names)).tolist() != other.rank(names, len(names)).tolist()
    assert one.stream("x").random() != other.stream("x").random()
    assert one.stream("x").random() != one.stream("y").random()


def test_nothing_published_tells_the_seed_or_the_order_of_the_input(tmp_path):
    shoal.anonymize(GRAPH, 3, seed=987_654_321, effort="fast").save(tmp_path / "out", report=False)
    for file in (tmp_path / "out").iterdir():
        assert "987654321" not in file.read_text()
    for table, by in (("nodes", ["node"]), ("edges", ["slice", "source", "target"])):
        frame = pl.read_csv(tmp_path / "out" / f"{table}.csv")
        assert frame.equals(frame.sort(by))


def test_verify_counts_both_degrees_of_a_digraph(tmp_path):
    round_trip = [(1, 2, "a"), (2, 3, "a"), (3, 4, "a"), (4, 1, "a")]
    assert shoal.verify(publish(tmp_path / "good", [1, 2, 3, 4], ["a"], round_trip, directed=True, k=4))
    into_one = [(1, 3, "a"), (2, 3, "a"), (3, 1, "a"), (4, 1, "a")]  # everybody sends one, only two receive
    verdict = shoal.verify(publish(tmp_path / "bad", [1, 2, 3, 4], ["a"], into_one, directed=True, k=4))
    assert any("every degree vector occurs" in failure for failure in verdict.failures)
    out_of_one = [(v, u, t) for u, v, t in into_one]
    verdict = shoal.verify(publish(tmp_path / "turned", [1, 2, 3, 4], ["a"], out_of_one, directed=True, k=4))
    assert any("every degree vector occurs" in failure for failure in verdict.failures)


@pytest.mark.parametrize("blocks", [[0, 1], [1, 3], [1, -5], [1, 10**12]])
def test_verify_believes_no_number_of_a_block(tmp_path, blocks):
    slices = {"slice": ["a", "b"], "block": blocks}
    verdict = shoal.verify(publish(tmp_path / "out", [1, 2], slices, [(1, 2, "a")], n_blocks=2))
    assert any("not the number of a block" in failure for failure in verdict.failures)


def test_verify_tells_apart_who_was_not_in_a_release(tmp_path):
    """Each release holds at k = 2; but 3 and 4 were not in the first, and 4 is not in the second."""
    first = publish(tmp_path / "first", [1, 2], ["a"], [(1, 2, "a")])
    assert shoal.verify(first)
    second = publish(tmp_path / "second", [1, 2, 3], ["b"], [], k=3)
    assert shoal.verify(second)
    verdict = shoal.verify([first, second], 2)
    assert not verdict
    assert "1 people are in a crowd below 2" in " ".join(verdict.failures)


def test_verify_proves_levels_and_believes_no_other_record(tmp_path):
    path = [(1, 2, "a"), (2, 3, "a")]  # 2 stands alone, 1 and 3 share a crowd
    claims = {"by_k": {"1": 1, "2": 2}, "min_class_size": 1}
    folder = publish(tmp_path / "out", [1, 2, 3], ["a"], path, **claims)
    assert shoal.verify(folder)
    record = tmp_path / "record.json"
    for levels, holds in (({"1": 2, "2": 1, "3": 2}, True), ({"1": 2, "2": 2, "3": 1}, False)):
        record.write_text(json.dumps({"levels": levels}))
        assert bool(shoal.verify(folder, record=record)) is holds
    assert not shoal.verify(publish(tmp_path / "boast", [1, 2, 3], ["a"], path, **claims | {"by_k": {"1": 0, "2": 3}}))
    record.write_text(json.dumps({"levels": {"1": 2, "2": 1, "9": 2}}))
    with pytest.raises(InputError, match="names other people"):
        shoal.verify(folder, record=record)


def ask(method="GET", path="/", token=None, **headers):
    """What the guard says to a request: the status (200 where it lets it through) and the headers of the answer."""
    said = {}

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        if message["type"] == "http.response.start":
            said.update(status=message["status"], headers={k.decode(): v.decode() for k, v in message["headers"]})

    where, _, query = path.partition("?")
    given = {"host": "127.0.0.1:8000"} | {name.replace("_", "-"): value for name, value in headers.items()}
    scope = {
        "type": "http", "method": method, "path": where, "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in given.items() if value is not None],
    }  # fmt: skip
    asyncio.run(Guard(app, hosts={"127.0.0.1:8000", "localhost:8000"}, token=token)(scope, None, send))
    return said["status"], said["headers"]


OWN = "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ({}, 200),
        ({"host": "localhost:8000"}, 200),
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1:8001"}, 421),
        ({"host": None}, 421),
        ({"method": "POST", "origin": OWN}, 200),
        ({"method": "POST"}, 403),
        ({"method": "POST", "origin": "http://evil.example"}, 403),
        ({"method": "POST", "origin": "http://localhost:8000"}, 403),
        ({"method": "PUT", "origin": "null"}, 403),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"}, 403),
        ({"sec_fetch_site": "same-site", "sec_fetch_mode": "cors"}, 403),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}, 200),
        ({"token": "secret"}, 401),
        ({"token": "secret", "path": "/?token=secret"}, 303),
        ({"token": "secret", "path": "/?token=guess"}, 401),
        ({"token": "secret", "path": "/jobs/x?token=secret"}, 401),
        ({"token": "secret", "cookie": "shoal-8000=secret"}, 200),
        ({"token": "secret", "cookie": "shoal-8000=guess"}, 401),
        ({"token": "secret", "cookie": "shoal-8001=secret"}, 401),
    ],
)
def test_who_may_ask(request_, status):
    found, headers = ask(**request_)
    assert found == status
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"


def test_verify_tells_apart_who_is_missing_in_a_release(tmp_path):
    """Person 9 has no contacts in either release, like four others; but only they are not listed in the first."""
    for name, people in (("first", 9), ("second", 10)):
        graph = TemporalGraph.from_slices({name: [(0, 1), (2, 3)]}, nodes=range(people))
        shoal.anonymize(graph, 4, seed=0).save(tmp_path / name, keep_ids=True, report=False)
        assert shoal.verify(tmp_path / name, 4)
    together = shoal.verify([tmp_path / "first", tmp_path / "second"], 4)
    assert not together
    assert together.min_class_size == 1
