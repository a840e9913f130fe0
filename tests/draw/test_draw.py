"""Contacts of a release: drawn from everybody's of a slice, with its total, and saying nothing that the edges do not say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import InputError, TemporalGraph
from shoal.contacts.behind import Clock
from shoal.draw._kernels import DAY, Gaps, walk, window
from shoal.draw.classes import class_bounds, class_of, most_each, size_class
from shoal.draw.counts import draw_counts, fit_total
from shoal.draw.times import _pool, draw_times
from shoal.slicing.timeforms import TimeForm

HOUR = 3_600_000_000


def made(n=40, slices=4, seed=0, *, directed=False, contacts="times"):
    """People who meet by chance, some pairs often, over a few days."""
    rng = np.random.default_rng(seed)
    pairs = [(u, v) for u, v in rng.integers(0, n, (6 * n, 2)).tolist() if u != v]
    rows = [
        (u, v, 1_600_000_000 + 86_400 * day + int(second))
        for u, v in pairs
        for day in rng.choice(slices, rng.integers(1, slices + 1), replace=False)
        for second in np.cumsum(rng.integers(1, 9_000, rng.geometric(0.3))) % 86_400
    ]
    frame = dict(zip(("source", "target", "time"), map(list, zip(*rows, strict=True)), strict=True))
    return TemporalGraph.from_edges(
        frame, time="time", slice="1d", nodes=range(n), directed=directed, contacts=contacts
    )


def nearest(begin, owner, moment, k):
    """The gaps of a window one by one, nearest first."""
    taken: list[int] = []
    for i in sorted(range(len(begin)), key=lambda i: abs(begin[i] - moment)):
        if taken and max(owner[taken].tolist().count(o) for o in set(owner[taken].tolist())) * k <= len(taken):
            break
        taken.append(i)
    return taken


@given(st.data())
@settings(max_examples=200)
def test_a_window_is_the_nearest_gaps_of_which_no_edge_has_more_than_a_kth(data):
    times = data.draw(st.lists(st.integers(0, 200), unique=True, max_size=12).map(sorted))
    begin = np.array([2 * x for x in times], np.int64)  # an odd moment is as near to nobody as to another
    owner = np.array(data.draw(st.lists(st.integers(0, 4), min_size=len(begin), max_size=len(begin))), np.int64)
    k, moment = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 100)) * 4 + 1
    seen = np.zeros(5, np.int64)
    low, high = window(begin, owner, seen, moment, k)
    assert not seen.any()
    expected = nearest(begin, owner, moment, k)
    distances = np.abs(begin - moment)
    assert sorted(distances[low:high].tolist()) == sorted(distances[expected].tolist())


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
@settings(max_examples=100)
def test_a_walk_goes_by_gaps_of_its_window_or_begins_again(seed, k):
    rng = np.random.default_rng(seed)
    begin = np.sort(rng.integers(0, DAY, rng.integers(0, 12)))
    gaps = Gaps(begin, rng.integers(0, DAY // 4, len(begin)), rng.integers(0, 4, len(begin)))
    counts = rng.integers(1, 5, 6)
    first, chance = rng.integers(0, DAY, counts.sum()), rng.random(counts.sum())
    busy, reach = np.sort(rng.integers(0, DAY, rng.integers(0, 6))), int(rng.integers(0, DAY // 6))
    found = walk(gaps, np.zeros(4, np.int64), counts, first, busy, reach, DAY, k, chance)
    at = 0
    for count in counts:
        now = first[at]
        for j in range(at, at + count):
            if j > at:
                low, high = window(gaps.begin, gaps.owner, np.zeros(4, np.int64), now % DAY, k)
                near = sorted(range(low, high))
                now = now + gaps.length[near[int(chance[j] * len(near))]] if near else DAY
                now = now if now < DAY and (np.abs(busy - now) <= reach).any() else first[j]
            assert found[j] == now
        at += count


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6), st.integers(1, 9)), min_size=1), st.integers(1, 4))
def test_nobody_has_more_than_a_kth_of_a_class(items, k):
    key, owner, weight = (np.array(column) for column in zip(*items, strict=True))
    bounds = class_bounds(key, owner, weight.astype(float), k)
    everything = np.bincount(owner, weight)
    if not len(bounds):
        assert k * everything.max() > everything.sum()
        return
    classes = class_of(key, bounds)
    assert (bounds == np.unique(bounds)).all()
    assert bounds[0] == key.min()
    for number in np.unique(classes):
        shares = np.bincount(owner[classes == number], weight[classes == number])
        assert k * shares.max() <= shares.sum()


@given(st.lists(st.integers(0, 30), max_size=8), st.integers(1, 5))
def test_as_much_of_everybody_counts_as_leaves_nobody_more_than_a_kth(sizes, k):
    found = most_each(np.array(sizes, np.int64), k)
    fits = [m for m in range(31) if k * m <= sum(min(size, m) for size in sizes)]
    assert min(found, max(sizes, default=0)) == min(max(fits), max(sizes, default=0))


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
@settings(max_examples=50)
def test_no_edge_has_more_than_a_kth_of_the_gaps(seed, k):
    """Also where one has nearly all contacts; nobody's are left out where that is not so."""
    rng = np.random.default_rng(seed)
    counts = np.concatenate([rng.geometric(0.3, 9), rng.integers(1, 60, 1)])
    taken = np.minimum(counts - 1, most_each(counts - 1, k))
    times = np.concatenate([np.sort(rng.integers(0, DAY, c)) for c in counts])
    pool = _pool(counts, times, np.zeros(len(counts), np.int64), taken)
    found = np.bincount(pool.owner, minlength=len(counts))
    assert found.tolist() == taken.tolist()
    assert found.sum() == 0 or k * found.max() <= found.sum()
    if k * (counts - 1).max() <= (counts - 1).sum():
        assert found.tolist() == (counts - 1).tolist()


def test_sizes_are_alike_within_a_power_of_two():
    assert size_class(np.array([0, 1, 2, 3, 4, 7, 8, 1_000_000])).tolist() == [0, 0, 1, 1, 2, 2, 3, 19]


@given(st.lists(st.integers(1, 30), max_size=20), st.integers(0, 400), st.integers(1, 40))
def test_totals_are_met_where_they_can_be(counts, total, largest):
    found = fit_total(np.array(counts, np.int64), total, largest, np.random.default_rng(0))
    assert len(found) == len(counts)
    assert (found >= 1).all()
    if counts:
        assert found.sum() == max(total, len(counts))
        if total <= len(counts) * max(largest, 1):
            assert found.max() <= max(largest, *counts)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
@settings(max_examples=50)
def test_counts_depend_on_the_pool_alone(seed, k):
    """Which edge of a class had which count does not matter: the draw is the same, chance for chance."""
    rng = np.random.default_rng(seed)
    pairs = np.array([(u, v) for u in range(12) for v in range(u + 1, 12)])
    edges = np.sort(rng.choice(len(pairs), 20, replace=False))
    released = pairs[np.sort(rng.choice(len(pairs), 15, replace=False))]
    counts = rng.geometric(0.4, 20)
    key = size_class(np.bincount(pairs[edges].ravel(), minlength=12)[pairs[edges]].max(axis=1))
    classes = class_of(key, class_bounds(np.repeat(key, 2), pairs[edges].ravel(), np.ones(40), k))
    other = counts.copy()
    for number in np.unique(classes):
        other[classes == number] = rng.permutation(other[classes == number])
    one, two = (
        draw_counts(pairs[edges], c, released, np.ones(15, bool), 0, 12, k, np.random.default_rng(1))
        for c in (counts, other)
    )
    assert np.array_equal(one, two)
    assert one.sum() == counts.sum()


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.sampled_from([1, 60_000_000, HOUR]))
@settings(max_examples=50)
def test_times_are_within_the_slice_on_the_grid_in_order_and_say_nothing_of_pairs(seed, k, step):
    """Edges that exchange all their contacts leave everything as it was: who had them is not in the draw."""
    rng = np.random.default_rng(seed)
    low, high = 10 * DAY + 7 * HOUR, 11 * DAY + 7 * HOUR
    counts = rng.geometric(0.3, 12)
    times = np.concatenate([np.sort(low + rng.integers(0, (high - low) // step, c) * step) for c in counts])
    clock = Clock(np.array([[low, high]]), low % step, step, TimeForm(), "UTC")
    drawn = rng.geometric(0.3, 9)
    found = draw_times(counts, times, drawn, clock, 0, k, np.random.default_rng(3))
    assert len(found) == drawn.sum()
    assert found.min() >= low
    assert found.max() < high
    assert not ((found - clock.base) % step).any()
    for part in np.split(found, np.cumsum(drawn)[:-1]):
        assert (np.diff(part) >= 0).all()


@pytest.mark.parametrize("directed", [False, True])
def test_a_release_has_the_totals_of_every_slice_and_verifies(tmp_path, directed):
    graph = made(directed=directed)
    release = shoal.anonymize(graph, 3, seed=1, effort="fast", contacts="times")
    for before, after in zip(graph.contact_counts(), release.graph.contact_counts(), strict=True):
        assert before.sum() == after.sum()
        assert (after >= 1).all()
    release.save(tmp_path / "out")
    assert shoal.verify(tmp_path / "out")
    assert "every contact is within a slice" in repr(shoal.verify(tmp_path / "out"))
    assert "drawn from everybody" in (tmp_path / "out" / "report.html").read_text()


def test_edges_are_the_same_with_contacts_and_without():
    graph = made()
    with_contacts = shoal.anonymize(graph, 3, seed=1, effort="fast", contacts="counts")
    assert shoal.anonymize(graph, 3, seed=1, effort="fast").graph == with_contacts.graph


def test_the_draw_does_not_depend_on_threads():
    graph = made()
    one, two = (
        shoal.anonymize(graph, 3, seed=1, effort="fast", contacts="times", jobs=jobs).graph.contacts for jobs in (1, 2)
    )
    assert np.array_equal(one.times, two.times)
    assert np.array_equal(one.counts, two.counts)


def test_no_time_of_the_original_comes_back_with_its_pair():
    """A moment that is in the release is there by chance: moments are drawn between those of others."""
    graph = made(n=200)
    release = shoal.anonymize(graph, 5, seed=1, effort="fast", contacts="times")
    before, after = graph.contacts, release.graph.contacts
    assert np.isin(after.times, before.times).mean() < 0.2
    assert abs(np.median(before.times % DAY) - np.median(after.times % DAY)) < 3 * HOUR


def test_nothing_is_drawn_where_nothing_is_kept():
    graph = made(contacts=None)
    for kind, match in (("times", "does not keep"), ("carried", "whole ties move"), ("both", "must be one of")):
        with pytest.raises(InputError, match=match):
            shoal.anonymize(graph, 3, contacts=kind)
    with pytest.raises(InputError, match="not when"):
        shoal.anonymize(made(contacts="counts"), 3, contacts="times")
    with pytest.raises(InputError, match="does not keep"):
        graph.contact_counts()


def test_an_extension_draws_contacts_too(tmp_path):
    graph = made()
    first, later = graph.between(end=graph.slices[1].label), graph.between(graph.slices[2].label)
    shoal.anonymize(first, 3, seed=1, effort="fast", contacts="counts").save(
        tmp_path / "a", private=tmp_path / "r", report=False
    )
    more = shoal.extend(tmp_path / "a", later, tmp_path / "r", seed=1, effort="fast", contacts="times")
    more.save(tmp_path / "b", private=tmp_path / "r", report=False)
    assert shoal.verify([tmp_path / "a", tmp_path / "b"])
    assert sum(map(np.sum, later.contact_counts())) == more.graph.contacts.counts.sum()
