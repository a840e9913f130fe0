"""Checkpoint files: a few facts and named arrays, each with a checksum, written whole or not at all.

An array is read, and its checksum compared, without reading the others: a slice takes its part out of the file of every chunk.
"""

from __future__ import annotations

import errno
import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from shoal.errors import InputError
from shoal.files.appear import replacing

_MAGIC = b"shoal part 1\n"


class Stored(NamedTuple):
    """Where an array lies: its name in a checkpoint file, and its shape."""

    path: Path
    name: str
    shape: tuple[int, ...]

    def __len__(self) -> int:
        return self.shape[0]


Array = np.ndarray | Stored


def load(array: Array) -> np.ndarray:
    """The array itself, wherever it is."""
    return read_array(array.path, array.name) if isinstance(array, Stored) else array


def write_part(path: Path, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Write facts and arrays under this name, over whatever was there."""
    solid = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    table, offset = {}, 0
    for name, array in solid.items():
        table[name] = [array.dtype.str, list(array.shape), offset, _digest(array)]
        offset += array.nbytes
    head = json.dumps({"facts": facts, "arrays": table}).encode()
    with replacing(path, mode=0o600, problem=work_problem) as draft, draft.open("wb") as stream:
        stream.write(_MAGIC + f"{len(head):016d}".encode() + hashlib.blake2b(head, digest_size=16).digest() + head)
        for array in solid.values():
            stream.write(_bytes(array))


def read_facts(path: Path) -> dict[str, Any]:
    """The facts of a part."""
    return _head(path)[0]["facts"]


def read_array(path: Path, name: str) -> np.ndarray:
    """One array of a part, or a sentence if a byte of it changed."""
    head, start = _head(path)
    dtype, shape, offset, digest = head["arrays"][name]
    count = int(np.prod(shape, dtype=np.int64))
    try:
        array = np.fromfile(path, dtype=np.dtype(dtype), count=count, offset=start + offset)
    except OSError as error:
        raise work_problem(path, error) from None
    if len(array) != count or _digest(array) != digest:
        raise _damaged(path)
    return array.reshape(shape)


def stored_arrays(path: Path) -> dict[str, Array]:
    """The arrays in a part, by name, without reading them."""
    return {name: Stored(path, name, tuple(of[1])) for name, of in _head(path)[0]["arrays"].items()}


def _head(path: Path) -> tuple[dict[str, Any], int]:
    try:
        with path.open("rb") as stream:
            first = stream.read(len(_MAGIC) + 32)
            length = first[len(_MAGIC) : len(_MAGIC) + 16]
            if not first.startswith(_MAGIC) or not length.isdigit():
                raise _damaged(path)
            head = stream.read(int(length))
    except OSError as error:
        raise work_problem(path, error) from None
    if hashlib.blake2b(head, digest_size=16).digest() != first[len(_MAGIC) + 16 :]:
        raise _damaged(path)
    return json.loads(head), len(first) + len(head)


def _digest(array: np.ndarray) -> str:
    return hashlib.blake2b(_bytes(array), digest_size=16).hexdigest()


def _bytes(array: np.ndarray) -> memoryview:
    """The content of an array, without a copy."""
    return array.reshape(-1).view(np.uint8).data


def _damaged(path: Path) -> InputError:
    return InputError(f"{path}: this checkpoint is damaged; delete the file, and --resume computes it again")


def work_problem(path: Path, error: OSError) -> InputError:
    """What went wrong with a file of the work folder, as one sentence."""
    if error.errno == errno.ENOENT:
        return InputError(
            f"{path.parent}: the work folder is gone, or a file of it ({path.name}); start again without --resume"
        )
    return InputError(
        f"{path}: cannot be written or read ({error.strerror or error}); make room, and go on with --resume"
    )
