"""Moving: the hash is SipHash, permutations are uniform, and a slice keeps what it should."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from shoal.move._permute_kernels import siphash
from shoal.move.permute import move_slice

SIGNIFICANT = 1e-6  # one in a million: seeds are fixed, so this is tried once


def naive_siphash(key: bytes, message: bytes) -> int:
    """SipHash-2-4 as its authors write it, in whole numbers."""
    mask = (1 << 64) - 1
    k0, k1 = (int.from_bytes(key[i : i + 8], "little") for i in (0, 8))
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def turn(x: int, bits: int) -> int:
        return ((x << bits) | (x >> (64 - bits))) & mask

    def rounds(count: int) -> None:
        for _ in range(count):
            v[0] = (v[0] + v[1]) & mask
            v[2] = (v[2] + v[3]) & mask
            v[1], v[3] = turn(v[1], 13) ^ v[0], turn(v[3], 16) ^ v[2]
            v[0] = turn(v[0], 32)
            v[2] = (v[2] + v[1]) & mask
            v[0] = (v[0] + v[3]) & mask
            v[1], v[3] = turn(v[1], 17) ^ v[2], turn(v[3], 21) ^ v[0]
            v[2] = turn(v[2], 32)

    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def test_the_naive_hash_gives_the_vector_of_the_paper() -> None:
    assert naive_siphash(bytes(range(16)), bytes(range(15))) == 0xA129CA6149BE45E5


@given(st.lists(st.integers(0, 2**64 - 1), min_size=5, max_size=5))
def test_the_kernel_is_siphash(numbers: list[int]) -> None:
    key, words = np.array(numbers[:2], np.uint64), np.array(numbers[2:], np.uint64)
    assert int(siphash(key, words)) == naive_siphash(key.astype("<u8").tobytes(), words.astype("<u8").tobytes())


@given(st.integers(0, 2**32), st.booleans())
def test_groups_keep_their_edges_and_a_simple_slice_stays_simple(seed: int, directed: bool) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    labels = rng.integers(0, int(rng.integers(1, 5)), n)
    labels = np.unique(labels, return_inverse=True)[1]
    pairs = np.array([p for p in itertools.permutations(range(n), 2) if directed or p[0] < p[1]], np.int32)
    edges = pairs[rng.random(len(pairs)) < 0.5]
    key = rng.integers(0, 2**63, 2).astype(np.uint64)
    moved, order = move_slice(edges, labels, key, directed=directed)
    assert len(np.unique(moved, axis=0)) == len(edges)
    assert (moved[:, 0] != moved[:, 1]).all()
    assert directed or (moved[:, 0] < moved[:, 1]).all()

    def between(edges: np.ndarray) -> Counter[tuple[int, ...]]:
        return Counter(tuple(e) if directed else tuple(sorted(e)) for e in labels[edges].tolist())

    def answered(edges: np.ndarray) -> int:
        there = set(map(tuple, edges.tolist()))
        return sum((v, u) in there for u, v in there)

    assert between(moved) == between(edges)
    assert answered(moved) == answered(edges)
    for was, now in zip(labels[edges[order]].tolist(), labels[moved].tolist(), strict=True):
        assert was == now if directed else sorted(was) == sorted(now)
    assert np.array_equal(moved, move_slice(edges, labels, key, directed=directed)[0])


def test_every_place_of_a_block_is_as_likely_and_blocks_are_independent() -> None:
    """Edges 0-3 (groups 0 and 1) and 0-6 (groups 0 and 2): both ends uniform, and the two of person 0 apart from each other."""
    labels = np.repeat(np.arange(3), 3)
    edges = np.array([[0, 3], [0, 6]], np.int32)
    seen: Counter[str] = Counter()
    tries = 8_100
    for i in range(tries):
        seen[str(move_slice(edges, labels, np.array([i, 7], np.uint64))[0].tolist())] += 1
    assert len(seen) == 81
    assert chisquare(list(seen.values())).pvalue > SIGNIFICANT
