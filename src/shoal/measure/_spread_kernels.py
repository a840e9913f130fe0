"""Whatever spreads along contacts, 64 times at once: bit r of a person's word says how the person fares in run r."""

from __future__ import annotations

import numpy as np

from shoal._numba import lean, njit

ALWAYS = 2**32  # a chance of 1; others are this much times smaller

_NO = np.uint64(0)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@lean
def mix(x: np.uint64) -> np.uint64:
    """A number that looks drawn, always the same for the same x: splitmix64 (Steele, Lea & Flood 2014)."""
    x = x + _GOLDEN
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@lean
def _ones(x: np.uint64) -> np.int64:
    """How many bits are set: sums over pairs of bits, then over fours, eights and so on."""
    x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    x = x + (x >> np.uint64(8))
    x = x + (x >> np.uint64(16))
    return np.int64((x + (x >> np.uint64(32))) & np.uint64(127))


@lean
def happens(wanted: np.uint64, key: np.uint64, chance: np.int64) -> np.uint64:
    """Those of the wanted runs in which something of this chance happens, the same ones for the same key.

    Every run has a number between 0 and 1 whose binary digits are drawn one at a time, in all runs at once, until it
    is known to be below the chance or not. What happens at a chance happens at every higher one.
    """
    if chance == ALWAYS:
        return wanted
    found = _NO
    for digit in range(31, -1, -1):
        if wanted == _NO or chance & ((2 << digit) - 1) == 0:  # nothing is below a number whose further digits are 0
            break
        drawn = mix(key + np.uint64(digit))
        if (chance >> digit) & 1:
            found |= wanted & ~drawn
            wanted &= drawn
        else:
            wanted &= ~drawn
    return found


@njit
def spread(
    edges: np.ndarray,
    starts: np.ndarray,
    sources: np.ndarray,
    keys: np.ndarray,
    both_ways: bool,
    chances: np.ndarray,
    n_nodes: int,
) -> np.ndarray:
    """How many are reached for the first time, at the beginning and in every bin, over all runs together.

    In a bin whoever is ill hands it on to their neighbours, with the first of the chances at every edge, and then gets well
    with the second; who caught it hands it on from the next bin on. Row w of `sources` has the first person of 64 runs,
    -1 for none, and keys[w] decides their draws: the same for an edge of a bin wherever it stands.
    """
    new = np.zeros(len(starts), np.int64)
    ever, ill, fresh = np.zeros(n_nodes, np.uint64), np.zeros(n_nodes, np.uint64), np.zeros(n_nodes, np.uint64)
    for w in range(len(sources)):
        for v in range(n_nodes):
            ever[v] = ill[v] = _NO
        for r in range(64):
            v = sources[w, r]
            if v >= 0:
                new[0] += 1
                ever[v] |= np.uint64(1) << np.uint64(r)
                ill[v] = ever[v]
        for t in range(len(starts) - 1):
            now = mix(keys[w] ^ np.uint64(t))
            well = mix(now)
            for e in range(starts[t], starts[t + 1]):
                u, v = edges[e, 0], edges[e, 1]
                forth, back = ill[u] & ~ever[v], ill[v] & ~ever[u] if both_ways else _NO
                if forth | back != _NO:
                    edge = np.uint64(u) << np.uint64(32) | np.uint64(v)
                    caught = happens(forth | back, mix(now ^ edge), chances[0])
                    fresh[v] |= forth & caught
                    fresh[u] |= back & caught
            for v in range(n_nodes):
                if chances[1] and ill[v] != _NO:
                    ill[v] &= ~happens(ill[v], mix(well ^ np.uint64(v)), chances[1])
                if fresh[v] != _NO:
                    new[t + 1] += _ones(fresh[v])
                    ever[v] |= fresh[v]
                    ill[v] |= fresh[v]
                    fresh[v] = _NO
    return new
