"""Inputs as they should be, for every target: a search for bad ones starts from them."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3

import polars as pl
import zstandard

from tests.targets import READINGS, RELEASE_FILES, TAGGED, folder, good_release

CSV = b"source,target,time,layer\nann,bob,0,a\nbob,cem,90000,b\n\ncem,cem,7,a\n"


GRAPHML = b"""<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="t" for="edge" attr.name="time" attr.type="string"><default>2024-05-01</default></key>
<graph edgedefault="undirected"><node id="a"/><node id="b"/>
<edge source="a" target="b"><data key="t">2024-05-02</data></edge><edge source="b" target="c"/></graph></graphml>"""
GEXF = b"""<gexf><graph defaultedgetype="mutual" timeformat="date">
<attributes class="edge"><attribute id="0" title="kind" type="string"><default>x</default></attribute></attributes>
<nodes><node id="a"/><node id="b"/></nodes>
<edges><edge source="a" target="b" start="2024-05-01"><attvalues><attvalue for="0" value="y"/></attvalues>
<spells><spell start="2024-05-01" end="2025-01-01"/></spells></edge></edges></graph></gexf>"""


def _database() -> bytes:
    file = folder() / "seed.db"
    file.unlink(missing_ok=True)
    with sqlite3.connect(file) as made:
        made.execute("CREATE TABLE calls (source, target, time)")
        made.executemany("INSERT INTO calls VALUES (?, ?, ?)", [(1, 2, 0), ("b", 7, 90_000), (None, b"x", "2024")])
    made.close()
    return file.read_bytes()


def _parquet() -> bytes:
    frame = pl.DataFrame(
        {
            "source": [1, 2, 2],
            "target": [2, 3, 1],
            "time": [0, 90_000, 5],
            "layer": ["a", "b", "a"],
            "more": [[1], [], [2]],
        }
    )
    out = io.BytesIO()
    frame.write_parquet(out)
    return out.getvalue()


def seeds(target: str) -> list[bytes]:
    """Some for each target."""
    if target == "contacts":
        texts = [
            CSV,
            CSV.replace(b",", b"\t"),
            CSV.replace(b"\n", b"\r\n"),
            b'source,target,time\n"a ""x""","b\nc",2024-05-01\n"d",e,2024-05-03T10:00:00+02:00\n',
            b"1 2 0\n2 3 90000\n",
            b"# c\n1\t2  1 5 \n",
            b"#ACTORS\nu\n#EDGES\nu,v,home\nv,w,work\n",
            b"source,target,time\n1,2,01.05.2024 10:00\n",
            _parquet(),
        ]
        packed = [pack(CSV) for pack in (gzip.compress, zstandard.compress)]
        return [bytes([how]) + text for how in range(len(READINGS)) for text in [*texts, *packed]]
    if target == "tagged":
        return [bytes([how]) + text for how in range(len(TAGGED)) for text in (GRAPHML, GEXF)]
    if target == "database":
        asked = [
            b"SELECT * FROM calls",
            b"SELECT source, target, '2024-05-01' AS time FROM calls LIMIT 2",
        ]
        return [query + b"\n" + _database() for query in asked]
    if target == "shards":
        return [_parquet(), CSV]
    if target == "people":
        return [
            bytes([how]) + text
            for how in range(3)
            for text in (b"9\n7\n", b"node,k\n9,2\n7,3\n", b"source,target,slice\n1,2,a\n", b'"id"\n"7"\n', _parquet())
        ]
    if target == "times":
        heads = [
            "1d\n\n\n\n\n",
            "\n4\n\n\n\n",
            "1mo\n\nEurope/Zurich\n-5h\n\n",
            "1w\n\n\n\n%d.%m.%Y\n",
            "value\n\n\n\n\nms",
        ]
        bodies = [
            "0\n90000",
            "2024-05-01\n2024-05-03",
            "2024-05-01T10:00:00Z\n2024-05-01T10:00:00Z",
            "01.05.2024",
            "1e9\n2.5",
        ]
        return [f"{head}\n{body}".encode() for head in heads for body in bodies]
    if target == "release":
        found = []
        for i, name in enumerate(RELEASE_FILES):
            good = (good_release("parquet" if name.endswith("parquet") else "csv")[0] / name).read_bytes()
            found += [bytes([2 * i]) + good, bytes([2 * i + 1]) + good]
        return found
    if target == "record":
        return [good_release("csv")[1].read_bytes()]
    if target == "kept":
        from dataclasses import asdict

        from shoal.sweep import Cell

        cell = Cell("1d", "numbers", 2, 3, 1, 2, 1, *5 * [0.5], None, *6 * [None], 0.1, {})
        return [json.dumps(asdict(cell)).encode(), b'{"exact": [0.5], "pivot": [0.5]}', b'{"refused": "too many"}']
    if target == "upload":
        form = b"source=source&target=target&time=time&slice=1d&dialect=csv&time_unit=s"
        return [b"a.csv\n\n" + CSV, b"b.csv\n" + form + b"\n" + CSV, b"x.parquet\n\n" + _parquet()]
    host = b"Host: 127.0.0.1:8000\nCookie: shoal-8000=secret\n"
    return [
        b"GET /\n" + host,
        b"POST /jobs\n" + host + b"Origin: http://127.0.0.1:8000\n",
        b"GET /?token=secret\nHost: 127.0.0.1:8000\nSec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\n",
    ]
