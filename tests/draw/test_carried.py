"""Contacts that a tie takes along when it changes hands: its own where it is still there, drawn ones elsewhere."""

from __future__ import annotations

import json
from collections import defaultdict

import numpy as np
import pytest

import shoal
from shoal import InputError
from shoal.demands.against import TIE, Moving
from shoal.move.permute import move_slice
from tests.audit.forge import claims_of, sign
from tests.draw.test_draw import made

MOVED = {"against": "graph", "move": "tie", "contacts": "carried"}


def by_pair(graph, t, edges=None):
    """The times, or the number, of contacts of every edge of a slice, by a loop."""
    counts, times = graph.contacts.behind[t].loaded()
    found, at = {}, 0
    for (u, v), count in zip((graph.edges(t) if edges is None else edges).tolist(), counts.tolist(), strict=True):
        found[u, v] = count if times is None else times[at : at + count].tolist()
        at += count
    return found


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("kind", ["times", "counts"])
@pytest.mark.parametrize("horizon", [None, 2])
def test_a_tie_has_its_own_contacts_and_others_are_drawn(tmp_path, directed, kind, horizon):
    graph = made(directed=directed, contacts=kind)
    release = shoal.anonymize(graph, 4, seed=1, effort="fast", **MOVED, horizon=horizon)
    assert release.graph.contacts.kind == kind
    moving = Moving(TIE, tuple("" if horizon is None else f"{block}/" for block in release.promise.blocks.tolist()))
    kept = 0
    for t in range(graph.n_slices):
        labels = release.groups if horizon is None else None
        if labels is not None:
            moved, order = move_slice(graph.edges(t), labels, moving.key(release.moved.secret, t), directed=directed)
            true = by_pair(graph, t)
            known = {
                tuple(now): true[tuple(was)]
                for now, was in zip(moved.tolist(), graph.edges(t)[order].tolist(), strict=True)
            }
            found = by_pair(release.graph, t)
            assert all(found[pair] == known[pair] for pair in found.keys() & known.keys())
            kept += len(found.keys() & known.keys())
        assert graph.contacts.totals()[t] == release.graph.contacts.totals()[t]
    assert horizon is not None or kept > release.graph.n_edges // 10
    release.save(tmp_path / "out")
    verdict = shoal.verify(tmp_path / "out")
    assert verdict, verdict
    assert "contacts.carried" in verdict.claimed_not_checked
    assert "read off the others" in claims_of(tmp_path / "out")["guarantee"]
    assert "may recognise it and read off its others" in (tmp_path / "out" / "report.html").read_text()
    again = shoal.read(tmp_path / "out")
    assert again.contacts.drawn == "carried"
    assert "strength" in {found.name for found in shoal.audit(again).attackers}


def test_a_history_goes_with_its_tie():
    """Whoever knows a tie by one of its contacts finds it in other slices too: what the documentation says is disclosed."""
    graph = made(n=60, seed=2)
    release = shoal.anonymize(graph, 4, seed=1, effort="fast", **MOVED)
    places = defaultdict(set)
    for t in range(graph.n_slices):
        for pair, times in by_pair(release.graph, t).items():
            for moment in times:
                places[moment].add(pair)
    followed = 0
    for t in range(graph.n_slices - 1):
        now, later = by_pair(graph, t), by_pair(graph, t + 1)
        for pair in now.keys() & later.keys():
            seen = [set.intersection(*(places[moment] for moment in times)) for times in (now[pair], later[pair])]
            followed += len(seen[0]) == 1 and seen[0] == seen[1]
    assert followed > 10


def test_contacts_are_drawn_from_the_moved_graph_and_never_from_the_original(monkeypatch):
    """Which member of a group had a tie decides nobody's degree in the moved slice, so the draw may only look there."""
    seen = []

    def look(edges, counts, *rest):
        seen.append({tuple(pair): count for pair, count in zip(edges.tolist(), counts.tolist(), strict=True)})
        return original(edges, counts, *rest)

    original = shoal.draw.draw_counts
    monkeypatch.setattr("shoal.draw.draw_counts", look)
    graph = made(contacts="counts")
    release = shoal.anonymize(graph, 4, seed=1, effort="fast", jobs=1, against="graph", contacts="counts")
    moving = Moving("slice", tuple(part.label for part in graph.slices))
    for t, pool in enumerate(seen):
        moved, order = move_slice(graph.edges(t), release.groups, moving.key(release.moved.secret, t))
        counts = graph.contact_counts()[t][order]
        assert pool == {tuple(pair): count for pair, count in zip(moved.tolist(), counts.tolist(), strict=True)}
    assert len(seen) == graph.n_slices


def test_only_whole_ties_carry_contacts_along(tmp_path):
    graph = made()
    for options in ({}, {"against": "graph"}, {"against": "graph", "move": "1mo"}):
        with pytest.raises(InputError, match="whole ties move"):
            shoal.anonymize(graph, 3, contacts="carried", **options)
    with pytest.raises(InputError, match="not shared out alike"):
        shoal.anonymize(graph, 3, **MOVED, protect_counts=True)
    with pytest.raises(InputError, match="read it with contacts='carried'"):
        shoal.anonymize(made(contacts=None), 3, **MOVED)
    shoal.anonymize(graph, 3, seed=1, effort="fast", **MOVED).save(tmp_path / "out", report=False)
    for move in ("slice", "1mo"):
        assert "does not follow from the rest: contacts" in repr(shoal.verify(sign(tmp_path / "out", move=move)))
    claims = claims_of(sign(tmp_path / "out", move="tie"))
    assert shoal.verify(tmp_path / "out")
    both = claims["contacts"] | {"protected": True}
    assert not shoal.verify(sign(tmp_path / "out", contacts=both))


def test_an_extension_carries_contacts_along(tmp_path):
    graph = made(n=60)
    first, later = graph.between(end=graph.slices[1].label), graph.between(graph.slices[2].label)
    shoal.anonymize(first, 3, seed=1, effort="fast", **MOVED).save(tmp_path / "a", private=tmp_path / "r", report=False)
    more = shoal.extend(tmp_path / "a", later, tmp_path / "r", seed=2, effort="fast", contacts="carried")
    more.save(tmp_path / "b", private=tmp_path / "r", report=False)
    assert shoal.verify([tmp_path / "a", tmp_path / "b"])
    true = {tuple(times) for t in range(2) for times in by_pair(later, t).values()}
    found = [tuple(times) for t in range(2) for times in by_pair(more.graph, t).values()]
    assert np.mean([times in true for times in found]) > 0.1
    shoal.anonymize(first, 3, seed=1, effort="fast").save(tmp_path / "c", private=tmp_path / "s", report=False)
    with pytest.raises(InputError, match="whole ties move"):
        shoal.extend(tmp_path / "c", later, tmp_path / "s", contacts="carried")
    assert json.loads((tmp_path / "b" / "certificate.json").read_text())["contacts"]["carried"] is True
