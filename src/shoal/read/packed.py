"""The bytes of a file, unpacked if it is gzip or zstd, and never more of them than its size allows."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import zstandard

from shoal.errors import InputError

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
# A small file that unpacks to very much is an attack or an accident. Tables of contacts shrink to a tenth, seldom to a hundredth.
_GENEROUS, _GENEROUS_RATIO = 1 << 26, 200
_DAMAGES = (EOFError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError)
_most_unpacked: ContextVar[int | None] = ContextVar("most_unpacked", default=None)


@contextmanager
def unpacking_at_most(n_bytes: int) -> Iterator[None]:
    """Refuse files that are larger than this once they are unpacked; by default 64 MB or 200 times the file."""
    token = _most_unpacked.set(n_bytes)
    try:
        yield
    finally:
        _most_unpacked.reset(token)


def most_unpacked(packed: int) -> int:
    """What a file of so many bytes may unpack to."""
    told = _most_unpacked.get()
    return max(_GENEROUS, _GENEROUS_RATIO * packed) if told is None else told


def too_much(path: Path, most: int) -> InputError:
    """The refusal of a file that unpacks to more than that."""
    return InputError(f"{path}: the file unpacks to more than {most / 1e6:,.0f} MB, which is not allowed")


def load_bytes(path: Path) -> bytes:
    """The content of a file, decompressed if it is gzip or zstd (told by its first bytes, not by its name)."""
    try:
        data = path.read_bytes()
    except (FileNotFoundError, ValueError):  # a zero byte in the name
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    data = _unpacked(path, data)
    if not data.strip():
        raise InputError(f"{path}: the file is empty")
    return data


def first_bytes(path: Path, n_bytes: int) -> bytes:
    """How a file begins once it is unpacked; no more of it is read than needed."""
    with path.open("rb") as stream:
        packed = stream.read(max(n_bytes, 65_536))
    out = bytearray()
    try:
        for piece in _pieces(packed):
            out += piece
            if len(out) >= n_bytes:
                break
    except _DAMAGES:
        pass  # the file goes on, or is damaged: whoever reads it all will say so
    return bytes(out[:n_bytes])


def _unpacked(path: Path, data: bytes) -> bytes:
    """The data itself where it is not packed. What is packed is unpacked twice: first to count, and nothing is kept then."""
    most, size = most_unpacked(len(data)), 0
    try:
        for piece in _pieces(data):
            size += len(piece)
            if size > most:
                raise too_much(path, most)
    except _DAMAGES as error:
        cut = "ends in the middle" if isinstance(error, EOFError) else "is damaged"
        raise InputError(f"{path}: the compressed file {cut}") from None
    return b"".join(_pieces(data))


def _pieces(data: bytes) -> Iterator[bytes]:
    """The content piece by piece, decompressed if it is gzip or zstd: all members of the one, all frames of the other."""
    if data[:2] == _GZIP:
        yield from _gunzip(data)
    elif data[:4] == _ZSTD:
        yield from _unzstd(data)
    else:
        yield data


class _InSips(io.BytesIO):
    """Gives little at a time: whatever gzip has read beyond a member it copies for the next, and from Python 3.12 on reads much."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(4096 if size is None or size < 0 else min(size, 4096))


def _gunzip(data: bytes) -> Iterator[bytes]:
    stream = gzip.GzipFile(fileobj=_InSips(data))
    while piece := stream.read1(1 << 20):
        yield piece


def _unzstd(data: bytes) -> Iterator[bytes]:
    unpack = zstandard.ZstdDecompressor()
    frame = unpack.decompressobj()
    place = 0
    while place < len(data):
        piece = data[place : place + 256]  # at most 8 MB of zeros come out of so little
        place += len(piece)
        yield frame.decompress(piece)
        if frame.eof:
            place -= len(frame.unused_data)
            if place < len(data):
                frame = unpack.decompressobj()
    if not frame.eof:
        raise EOFError
