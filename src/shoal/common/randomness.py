"""Where chance comes from: one secret, and a named stream of it for every use.

A stream depends on the seed, the input graph and its own name, never on the order of calls or the number of threads: same
seed, same bytes. The graph is part of the key so that a guessed seed alone does not undo the pseudonyms.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable

import numpy as np

from shoal.common.checks import shown
from shoal.errors import InputError


def a_seed(seed: object) -> int:
    """A whole number that nothing bounds."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"a seed is a whole number from 0; got {shown(seed)}")
    return int(seed)


class Randomness:
    """Streams for one run. Without a seed the secret comes from the operating system."""

    def __init__(self, seed: int | None, context: bytes) -> None:
        if seed is None:
            seed = secrets.randbits(128)
        self.seed = a_seed(seed)
        self._key = hashlib.blake2b(str(self.seed).encode() + b"/" + context, digest_size=32).digest()

    def stream(self, name: str) -> np.random.Generator:
        """A generator of its own for the use called `name`."""
        digest = hashlib.blake2b(name.encode(), key=self._key, digest_size=16).digest()
        return np.random.default_rng(int.from_bytes(digest, "big"))

    def secret(self, name: str) -> bytes:
        """A secret of its own for the use called `name`, to be kept."""
        return hashlib.blake2b(name.encode(), key=self._key, digest_size=32).digest()

    def rank(self, texts: Iterable[str], count: int) -> np.ndarray:
        """A secret random order of so many distinct texts that does not depend on the order they come in."""
        marks = np.empty((count, 2), ">u8")
        for i, text in enumerate(texts):
            marks[i] = np.frombuffer(hashlib.blake2b(text.encode(), key=self._key, digest_size=16).digest(), ">u8")
        ranks = np.empty(count, np.int64)
        ranks[np.lexsort((marks[:, 1], marks[:, 0]))] = np.arange(count)
        return ranks
