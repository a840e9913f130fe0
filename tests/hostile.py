"""Files that somebody made to hurt: each a few megabytes of one shape. And what reading one costs.

`python -m tests.hostile SHAPE FILE OPTIONS` reads a file in a process of its own and prints what came of it and the most
memory it held, so that one shape cannot hide behind another.
"""

from __future__ import annotations

import ast
import gzip
import os
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import zstandard

MB = 1 << 20


class Shape(NamedTuple):
    """The content of a file of about so many bytes, and how it is read."""

    make: Callable[[int], bytes]
    options: dict[str, Any] | None = None


def _filled(head: bytes, line: bytes) -> Callable[[int], bytes]:
    return lambda size: head + line * ((size - len(head)) // len(line))


def _packed(pack: Callable[[bytes], bytes], letter: bytes) -> Callable[[int], bytes]:
    """Very much of one letter in many small members."""
    return lambda size: (one := pack(letter * 16 * MB)) * (size // len(one))


def _numbers(line: str, head: str = "") -> Callable[[int], bytes]:
    """Lines in which i and j are small numbers."""

    def make(size: int) -> bytes:
        text, i = [head], 0
        size -= len(head)
        while size > 0:
            text.append(line.format(i=i % 977, j=i * 7 % 1009))
            size -= len(text[-1])
            i += 1
        return "".join(text).encode()

    return make


def _columns(size: int) -> bytes:
    names = ",".join(f"c{i}" for i in range(size // 15))
    return f"{names}\n{','.join('1' for _ in range(size // 15))}\n".encode()


def _twice(size: int) -> bytes:
    """Very many names of columns, all different but the last two."""
    return (",".join(f"c{i}" for i in range(size // 8)) + ",x,x\n1\n").encode()


def _bomb_of_many_windows(size: int) -> bytes:
    """Frames of a few bytes that each ask for a window of 128 MB."""
    pack = zstandard.ZstdCompressor(
        compression_params=zstandard.ZstdCompressionParameters(window_log=27, write_content_size=False)
    )
    frame = pack.compressobj()
    one = frame.compress(b"1,2\n") + frame.flush()
    return one * (size // len(one))


def _oversized_window(size: int) -> bytes:
    """A frame whose header asks for a window of 2 GB, then noise."""
    return b"\x28\xb5\x2f\xfd" + struct.pack("<BB", 0x00, 0xA8) + b"\x55" * (size - 6)


EDGE = '<edge source="1" target="2">'


def _graphml(keys: str, edges: str) -> bytes:
    return f"<graphml>{keys}<graph>{edges}</graph></graphml>".encode()


def _keys(size: int) -> bytes:
    """Every edge has an attribute that no other edge has."""
    keys = "".join(f'<key id="{i}" for="edge"/>' for i in range(size // 90))
    return _graphml(keys, "".join(f'{EDGE}<data key="{i}">1</data></edge>' for i in range(size // 90)))


def _defaults(size: int) -> bytes:
    """Very many attributes that every edge has by default."""
    keys = "".join(f'<key id="{i}" for="edge"><default>1</default></key>' for i in range(size // 100))
    return _graphml(keys, f"{EDGE}</edge>" * (size // 70))


def _spells(size: int) -> bytes:
    spells = '<spell start="1"/>' * (size // 18)
    edge = f'<edge source="a" target="b"><spells>{spells}</spells></edge>'
    return f'<gexf><graph defaultedgetype="mutual"><edges>{edge}</edges></graph></gexf>'.encode()


SMALL = ",".join(f"c{i}" for i in range(500)).encode()

SHAPES = {
    "plain pairs": Shape(_numbers("{i},{j}\n", "source,target\n")),
    "shortest pairs": Shape(_filled(b"source,target\n", b"1,2\n")),
    "pairs with times": Shape(_numbers("{i},{j},1{i}00\n", "source,target,time\n"), {"slice": "1d"}),
    "names": Shape(_numbers("person {i},person {j}\n", "source,target\n")),
    "one long line": Shape(lambda size: b"source,target\n" + b"x" * size),
    "one long header": Shape(lambda size: b"x" * size + b",target\n1,2\n"),
    "one long quoted cell": Shape(lambda size: b'source,target\n"' + b"x\n" * (size // 2) + b'",2\n'),
    "one column of very many": Shape(_columns),
    "columns named twice": Shape(_twice),
    "only separators": Shape(lambda size: b"," * size + b"\n"),
    "empty cells": Shape(_filled(b"source,target,a,b,c,d,e,f\n", b",,,,,,,\n")),
    "empty cells in quotes": Shape(_filled(b"source,target,a,b\n", b'"",,,\n')),
    "only blank lines": Shape(_filled(b"", b"\n")),
    "blank lines below a header": Shape(_filled(b"source,target\n1,2\n", b"\n")),
    "blank lines below a wide header": Shape(_filled(b"source,target," + SMALL + b"\n", b"\n")),
    "blank lines and a quote": Shape(_filled(b"source,target," + SMALL + b'\n"1"' + b",2" * 501 + b"\n", b"\n")),
    "short lines below a wide header": Shape(_filled(b"source,target," + SMALL + b"\n", b"1\n")),
    "short lines and a quote": Shape(_filled(b"source,target," + SMALL + b'\n"1"' + b",2" * 501 + b"\n", b"1\n")),
    "only quotes": Shape(_filled(b"", b'"')),
    "quotes below a header": Shape(_filled(b"source,target\n", b'"')),
    "quoted quotes": Shape(lambda size: b'source,target\n"' + b'""' * (size // 2) + b'",2\n'),
    "pairs in quotes": Shape(_filled(b"source,target\n", b'"1","2"\n')),
    "carriage returns": Shape(_filled(b"source,target\n", b"1,2\r")),
    "huge numbers": Shape(_filled(b"source,target\n", b"9" * 999 + b"," + b"8" * 999 + b"\n")),
    "one huge number": Shape(lambda size: b"source,target,time\n1,2," + b"9" * size + b"\n", {"slice": "1d"}),
    "huge times": Shape(_filled(b"source,target,time\n", b"1,2,99999999999999999999\n"), {"slice": "1d"}),
    "every time its own slice": Shape(_numbers("1,2,{i}{j}\n", "source,target,time\n"), {"slice": "value"}),
    "zero bytes": Shape(bytes),
    "not text": Shape(_filled(b"source,target\n", b"\xff\xfe\x00\x80")),
    "letters of four bytes": Shape(_filled(b"source,target\n", "\U0001f41f,\U0001f420\n".encode())),
    "blank-separated": Shape(_filled(b"", b"1 2\n"), {"dialect": "snap"}),
    "very many blanks": Shape(_filled(b"1 2\n", b" "), {"dialect": "snap"}),
    "blanks of many kinds": Shape(_filled(b"1 2\n", b"1\t \x0b\x0c 2 \r\n"), {"dialect": "snap"}),
    "only comments": Shape(_filled(b"", b"#\n"), {"dialect": "snap"}),
    "very many fields": Shape(_filled(b"", b"1 "), {"dialect": "snap"}),
    "short lines": Shape(_filled(b"1 " * 500 + b"\n", b"1\n"), {"dialect": "snap"}),
    "actors": Shape(_filled(b"#EDGES\nu,v,w\n#ACTORS\n", b"u\n"), {"dialect": "multinet"}),
    "edges": Shape(_filled(b"#EDGES\n", b"u,v,w\n"), {"dialect": "multinet"}),
    "sections": Shape(_filled(b"#EDGES\nu,v,w\n", b"#\n"), {"dialect": "multinet"}),
    "GraphML": Shape(lambda size: _graphml("", f"{EDGE}</edge>" * (size // 35)), {"dialect": "graphml"}),
    "GraphML, an attribute for every edge": Shape(_keys, {"dialect": "graphml"}),
    "GraphML, very many defaults": Shape(_defaults, {"dialect": "graphml"}),
    "GraphML, nested": Shape(_filled(b"<graphml>", b"<graph>"), {"dialect": "graphml"}),
    "GraphML, people": Shape(_numbers('<node id="{i}x{j}"/>', "<graphml><graph>"), {"dialect": "graphml"}),
    "GEXF, spells": Shape(_spells, {"dialect": "gexf", "slice": "1d"}),
    "gzip bomb": Shape(_packed(gzip.compress, b"\0")),
    "gzip bomb of blank lines": Shape(_packed(gzip.compress, b"\n")),
    "gzip of very many members": Shape(_filled(b"", gzip.compress(b"", mtime=0))),
    "gzip and then zeros": Shape(lambda size: gzip.compress(b"source,target\n1,2\n", mtime=0) + bytes(size)),
    "zstd bomb": Shape(_packed(zstandard.compress, b"\0")),
    "zstd of very many frames": Shape(_filled(b"", zstandard.compress(b""))),
    "zstd of very many windows": Shape(_bomb_of_many_windows),
    "zstd with too large a window": Shape(_oversized_window),
}


class Cost(NamedTuple):
    """What came of reading a file, and the bytes it took at most beyond what was there before."""

    outcome: str
    bytes: int


def cost_of_reading(file: Path, options: dict[str, Any] | None, most_seconds: float = 60) -> Cost:
    """In a process of its own; more than so many seconds is a hang, and an exception."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile", str(file), repr(options or {})],
        capture_output=True,
        text=True,
        timeout=most_seconds,
        cwd=Path(__file__).parents[1],
        env=os.environ | {"_RJEM_MALLOC_CONF": "dirty_decay_ms:0,muzzy_decay_ms:0"},  # polars keeps nothing for later
        check=False,
    )
    if done.returncode:
        return Cost(f"ended with {done.returncode}: {done.stderr[-600:]}", 0)
    outcome, peak = done.stdout.rsplit("\n", 2)[:2]
    return Cost(outcome, int(peak))


def _most_memory() -> int:
    return next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmHWM"))


def main() -> None:
    """Read once something small, so that what every read needs is there; then measure."""
    import resource
    import tempfile

    import shoal

    resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))  # the machine is others' too
    with tempfile.NamedTemporaryFile(suffix=".csv") as small:
        small.write(b"source,target,time\na,b,2024-05-01\n")
        small.flush()
        shoal.read(small.name, slice="1d")
    before = _most_memory()
    try:
        print(repr(shoal.read(sys.argv[1], **ast.literal_eval(sys.argv[2]))))
    except shoal.InputError as refusal:
        print(f"InputError: {refusal}")
    print(_most_memory() - before)


if __name__ == "__main__":
    main()
