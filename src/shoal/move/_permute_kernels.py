"""Kernels of moving: a keyed hash, and the ends of edges that change hands by the order it puts the members of a group in."""

from __future__ import annotations

import numpy as np

from shoal._numba import inlined, njit
from shoal.group._sort_kernels import sort_by


@inlined
def _turn(x: np.uint64, bits: int) -> np.uint64:
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))


@njit
def _mixed(a, b, c, d, rounds):
    """SipRounds."""
    for _ in range(rounds):
        a += b
        c += d
        b, d = _turn(b, 13) ^ a, _turn(d, 16) ^ c
        a = _turn(a, 32)
        c += b
        a += d
        b, d = _turn(b, 17) ^ c, _turn(d, 21) ^ a
        c = _turn(c, 32)
    return a, b, c, d


@njit
def siphash(key, words):
    """SipHash-2-4 of whole 64-bit words: J.-P. Aumasson & D. Bernstein 2012, doi:10.1007/978-3-642-34931-7_28."""
    a, b = key[0] ^ np.uint64(0x736F6D6570736575), key[1] ^ np.uint64(0x646F72616E646F6D)
    c, d = key[0] ^ np.uint64(0x6C7967656E657261), key[1] ^ np.uint64(0x7465646279746573)
    for i in range(words.size + 1):
        word = words[i] if i < words.size else np.uint64(8 * words.size % 256) << np.uint64(56)
        d ^= word
        a, b, c, d = _mixed(a, b, c, d, 2)
        a ^= word
    a, b, c, d = _mixed(a, b, c ^ np.uint64(0xFF), d, 4)
    return a ^ b ^ c ^ d


@njit
def _deal(own, other, start, key, words, marks, spare, order):
    """Write into ``order`` which place of group ``own`` every member's ties with ``other`` go to."""
    size = start[own + 1] - start[own]
    words[0], words[1] = own, other
    for i in range(size):
        words[2] = i
        marks[i] = siphash(key, words)
        order[i] = i
    sort_by(marks, order, spare, 0, size)


@njit
def move_ends(
    edges: np.ndarray,
    by_groups: np.ndarray,
    labels: np.ndarray,
    start: np.ndarray,
    members: np.ndarray,
    place: np.ndarray,
    key: np.ndarray,
) -> np.ndarray:
    """The edges with both ends moved; ``by_groups`` lists them so that those of the same two groups follow each other."""
    moved = np.empty_like(edges)
    most = 1
    for g in range(start.size - 1):
        most = max(most, start[g + 1] - start[g])
    words, marks, spare = np.zeros(3, np.uint64), np.empty(most, np.uint64), np.empty(most, np.int64)
    orders = np.empty((2, most), np.int64)
    low, high = np.int64(-1), np.int64(-1)
    for e in by_groups:
        one, two = np.int64(labels[edges[e, 0]]), np.int64(labels[edges[e, 1]])
        if min(one, two) != low or max(one, two) != high:
            low, high = min(one, two), max(one, two)
            _deal(low, high, start, key, words, marks, spare, orders[0])
            _deal(high, low, start, key, words, marks, spare, orders[1])
        for side, own in ((0, one), (1, two)):
            moved[e, side] = members[start[own] + orders[np.int64(own != low), place[edges[e, side]]]]
    return moved
