from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import InputError
from shoal.realize import SliceView, choose_degrees
from shoal.rebuild import priority, rewire
from shoal.rebuild._rewire_kernels import drop_surplus, join_lacking
from shoal.rebuild._walk_kernels import follow_witness
from shoal.rebuild.rewire import begin, keys_of
from tests.digraphs import degrees, edits, fewest_edits, grouped, random_arcs, simple
from tests.uncompiled import examples


def cover(arcs, n):
    """A view in which nobody shares a group."""
    return SliceView(arcs, np.arange(n), directed=True)


def rewire_directed(arcs, n, ins, outs, *, rng):
    return rewire(cover(arcs, n), np.concatenate([outs, ins]), rng=rng)


def complete(n):
    return np.argwhere(~np.eye(n, dtype=bool)).astype(np.int32)


def star(n):
    return np.stack([np.arange(1, n), np.zeros(n - 1, int)], 1).astype(np.int32)


def tournament(n):
    return np.argwhere(np.triu(np.ones((n, n), bool), 1)).astype(np.int32)


@st.composite
def two_digraphs(draw):
    n = draw(st.integers(1, 14))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shapes = st.sampled_from(["random", "random", "star", "complete", "tournament", "empty"])

    def one():
        shape = draw(shapes)
        if shape == "random":
            return random_arcs(n, draw(st.floats(0, 1)) * rng.random(n) ** draw(st.integers(0, 2)), rng)
        if shape == "empty":
            return np.zeros((0, 2), np.int32)
        return {"star": star, "complete": complete, "tournament": tournament}[shape](n)

    return one(), one(), n


@examples(400)
@given(two_digraphs(), st.booleans())
def test_exact_degrees_simple_and_the_same_again(case, by_priority):
    arcs, other, n = case
    ins, outs = degrees(other, n)

    def build():
        rng = np.random.default_rng(1)
        if by_priority:
            return priority(cover(arcs, n), np.concatenate([outs, ins]), rng)
        return rewire_directed(arcs, n, ins, outs, rng=rng)

    a, b = build(), build()
    assert np.array_equal(degrees(a, n), (ins, outs))
    assert simple(a, n)
    assert np.array_equal(a, b)
    if not by_priority and np.array_equal(degrees(arcs, n), (ins, outs)):
        assert np.array_equal(a, arcs)


@examples(300)
@given(two_digraphs(), st.integers(0, 2**32 - 1))
def test_kleitman_wang_realizes_and_the_witness_leads_there(case, seed):
    arcs, other, n = case
    rng = np.random.default_rng(seed)
    ins, outs = degrees(other, n)
    target = np.concatenate([outs, ins])
    witness = begin(cover(arcs, n), target, empty=True)
    join_lacking(False, witness, rng)
    assert not witness.lack.any()

    view = cover(arcs, n)
    s = begin(view, target)
    drop_surplus(view.keys, 1, s, rng)
    assert (s.lack >= 0).all()
    follow_witness(witness.current, s)
    reached = view.as_edges(keys_of(s))
    assert np.array_equal(degrees(reached, n), (ins, outs))
    assert simple(reached, n)


@pytest.mark.parametrize("most", [6, 14])
def test_close_to_the_fewest_edits_on_small_slices(most):
    ours = best = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, most + 1))
        arcs, other = (random_arcs(n, rng.random(), rng) for _ in range(2))
        ins, outs = degrees(other, n)
        ours += edits(arcs, rewire_directed(arcs, n, ins, outs, rng=rng), n)
        best += fewest_edits(arcs, n, ins, outs)
    assert best <= ours <= 1.01 * best


@examples(150)
@given(grouped())
def test_goes_where_the_program_says(case):
    arcs, n, labels, _ = case
    rng = np.random.default_rng(2)
    view = SliceView(arcs, labels, directed=True)
    targets, deleted, _ = choose_degrees(view, rng=rng, exact=False)
    new = rewire(view, targets[view.labels], deleted=deleted, rng=rng)
    assert np.array_equal(np.concatenate(degrees(new, n)[::-1]), targets[view.labels])
    assert simple(new, n)


def test_both_directions_of_a_pair_are_different_arcs():
    arcs = np.array([[0, 1]], np.int32)
    both = rewire_directed(arcs, 2, np.array([1, 1]), np.array([1, 1]), rng=np.random.default_rng(0))
    assert both.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("ins", [[1, 1, 1], [2, 0, 0]])
def test_unrealizable_is_refused(ins):
    with pytest.raises(InputError, match="realizable"):
        rewire_directed(np.zeros((0, 2), np.int32), 3, np.array(ins), np.array([2, 0, 0]), rng=np.random.default_rng(0))
