from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import InputError
from shoal.errors import NoReleaseError
from shoal.group.compatible import make_compatible
from tests.group.oracle import partitions


def fits(labels, ks, least, most):
    for g in np.unique(labels):
        members = labels == g
        if members.sum() < ks[members].max() or (least[members].max(axis=0) > most[members].min(axis=0)).any():
            return False
    return True


@given(st.integers(0, 10_000))
def test_groups_fit_or_somebody_is_named(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 7)), 2
    rows = rng.integers(0, 5, (n, 2))
    least, most = np.maximum(rows - rng.integers(0, 4, rows.shape), 0), rows + rng.integers(0, 4, rows.shape)
    ks = rng.integers(1, k + 1, n)
    labels = np.arange(n) // 2 if n % 2 == 0 else np.minimum(np.arange(n) // 2, n // 2 - 1)
    try:
        assert fits(make_compatible(labels, rows, ks, least, most, str), ks, least, most)
    except InputError:
        # a greedy answer: it may give up too early, but never where nobody is in the way
        assert not fits(np.zeros(n, int), ks, least, most)


def test_groups_that_fit_are_left_alone():
    labels = np.array([0, 0, 1, 1])
    free = np.zeros((4, 1), int), np.full((4, 1), 9)
    assert make_compatible(labels, np.zeros((4, 1), int), np.full(4, 2), *free, str) is labels


def test_somebody_nobody_can_look_like_is_named():
    least, most = np.array([[5], [0], [0]]), np.array([[9], [1], [1]])
    assert not any(fits(labels, np.full(3, 2), least, most) for labels in partitions(3))
    with pytest.raises(InputError, match="ann cannot be hidden"):
        make_compatible(np.zeros(3, int), least, np.full(3, 2), least, most, ["ann", "bob", "cem"].__getitem__)


def test_thousands_find_others_they_fit_with():
    rng = np.random.default_rng(1)
    rows = rng.poisson(2, (3_000, 3))
    least, most = np.maximum(rows - rng.integers(0, 4, rows.shape), 0), rows + rng.integers(0, 9, rows.shape)
    ks = rng.choice([1, 2, 3], 3_000)
    labels = make_compatible(rng.permutation(3_000) // 5, rows, ks, least, most, str)
    assert fits(labels, ks, least, most)
    assert labels.dtype == np.int32


def test_nobody_is_gathered_into_a_crowd_too_small_for_them():
    """One asks for four and cannot have them; two who ask for three must not take that one as their third."""
    rows, ks = np.array([[1], [0], [0], [1]]), np.array([4, 1, 3, 3])
    least, most = np.array([[1], [0], [0], [1]]), np.array([[2], [0], [2], [2]])
    with pytest.raises(NoReleaseError):
        make_compatible(np.zeros(4, int), rows, ks, least, most, str)
