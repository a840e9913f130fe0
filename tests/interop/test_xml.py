"""GraphML and GEXF: what networkx writes is read as networkx reads it, and nothing in a file can do harm."""

from __future__ import annotations

import gzip
import io

import networkx as nx
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import InputError, TemporalGraph
from shoal.read.packed import unpacking_at_most
from tests.interop.test_packages import named_graphs

GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="edge" attr.name="time" attr.type="string"/>
<key id="d1" for="edge" attr.name="layer" attr.type="string"><default>mail</default></key>
<key id="d2" for="node" attr.name="time" attr.type="string"/>
<graph edgedefault="directed">
<node id="ann"><data key="d2">never</data></node><node id="zoe"/>
<edge source="ann" target="bob"><data key="d0">2024-05-01</data></edge>
<edge source="bob" target="ann" id="1"><data key="d0">2024-05-01</data></edge>
<edge source="bob" target="bob" id="1"><data key="d0">2024-05-01</data><data key="d1">sms</data></edge>
<edge source="bob" target="cem" id="1"><data key="d0">2024-05-02</data></edge>
</graph></graphml>
"""
GEXF = """<gexf xmlns="http://gexf.net/1.3" version="1.3">
<graph mode="dynamic" defaultedgetype="directed" timeformat="dateTime">
<attributes class="edge"><attribute id="0" title="via" type="string"><default>phone</default></attribute></attributes>
<nodes><node id="ann" label="Ann"/><node id="zoe"/></nodes>
<edges>
<edge source="ann" target="bob" start="2024-05-01T10:00:00" end="2024-05-02T09:00:00"/>
<edge source="bob" target="cem"><attvalues><attvalue for="0" value="mail"/></attvalues>
  <spells><spell start="2024-05-02T10:00:00"/></spells></edge>
<edge source="cem" target="dia" type="mutual"><spells><spell timestamp="2024-05-01T00:00:00"/>
  <spell end="2024-05-01T12:00:00"/></spells></edge>
<edge source="dia" target="eve"/>
</edges></graph></gexf>
"""
BOMB = (
    '<?xml version="1.0"?><!DOCTYPE bomb [<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
    + "]><graphml><graph><node id='&a11;'/></graph></graphml>"
)


def write(tmp_path, content, name="a.graphml"):
    file = tmp_path / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def test_graphml_edges_attributes_and_defaults(tmp_path):
    graph = shoal.read(write(tmp_path, GRAPHML), slice="1d")
    assert graph.nodes.to_list() == ["ann", "bob", "cem", "zoe"]
    assert graph.tally[:3] == (4, 1, 1)
    assert [edges.tolist() for _, edges in graph] == [[[0, 1]], [[1, 2]]]
    directed = shoal.read(tmp_path / "a.graphml", slice="1d", layer="layer", directed=True)
    assert [s.label for s in directed.slices][:2] == ["mail/2024-05-01", "mail/2024-05-02"]
    assert directed.slice_sizes().tolist() == [2, 1, 0, 0]


def test_a_contact_in_dynamic_gexf_is_in_every_slice_its_spells_touch(tmp_path):
    graph = shoal.read(write(tmp_path, GEXF, "a.gexf"), slice="1d", directed=True)
    named = {label: [tuple(graph.nodes.gather(e).to_list()) for e in edges] for label, edges in graph}
    always = ("dia", "eve")
    assert named == {
        "2024-05-01": [("ann", "bob"), ("cem", "dia"), ("dia", "cem"), always],
        "2024-05-02": [("ann", "bob"), ("bob", "cem"), always],
    }
    assert "zoe" in graph.nodes
    by_kind = shoal.read(tmp_path / "a.gexf", layer="via")
    assert [s.layer for s in by_kind.slices] == ["mail", "phone"]


@pytest.mark.parametrize("pack", [lambda x: x, lambda x: gzip.compress(x, mtime=0), zstandard.compress])
@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16", "ISO-8859-1"])
def test_packing_and_encoding_do_not_matter(tmp_path, pack, encoding):
    content = GRAPHML.replace("UTF-8", encoding).replace("zoe", "zoé").encode(encoding)
    for name in ("a.graphml", "a.graphml.gz", "A.GRAPHML.zst"):
        graph = shoal.read(write(tmp_path, pack(content), name), slice="1d")
        assert "zoé" in graph.nodes


@given(named_graphs(), st.sampled_from(["graphml", "gexf"]))
def test_what_networkx_writes_comes_back(tmp_path_factory, graph, kind):
    if not graph.n_edges:
        return
    file = tmp_path_factory.mktemp("x") / f"a.{kind}"
    getattr(nx, f"write_{kind}")(graph.to_multigraph(), file)
    options = {"slice": "value"} if graph.ordered else {}
    if graph.has_layers:
        options["layer"] = "layer"
    back = shoal.read(file, directed=graph.directed, **options)
    assert sorted(map(str, back.nodes)) == sorted(map(str, graph.nodes))
    assert as_text(back) == as_text(graph)
    theirs = getattr(nx, f"read_{kind}")(file)
    assert sorted(theirs.nodes) == sorted(map(str, graph.nodes))
    assert sorted((*sorted(e[:2]), e[2]) for e in theirs.edges(data="layer", default="")) == sorted(
        (*sorted(map(str, e[:2])), e[2]) for e in graph.to_multigraph().edges(data="layer", default="")
    )


def as_text(graph):
    """Edges without regard to how ids sort: numbers in a file may be text."""
    ends = (lambda row: row[:2]) if graph.directed else (lambda row: sorted(row[:2]))
    return sorted((*ends(row), row[2]) for row in ([str(x) for x in r] for r in graph.to_polars().rows()))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.graphml", BOMB, "document type or entities"),
        (
            "a.gexf",
            '<!DOCTYPE g [<!ENTITY x SYSTEM "file:///etc/passwd">]><gexf><graph>&x;</graph></gexf>',
            "document type",
        ),
        ("a.graphml", '<!DOCTYPE graphml SYSTEM "http://127.0.0.1:9/x.dtd"><graphml/>', "document type"),
        ("a.graphml", "", "the file is empty"),
        ("a.graphml", "source,target\n1,2\n", "line 1: this is not well-formed XML"),
        ("a.graphml", GRAPHML[:400], "not well-formed XML"),
        ("a.graphml", GEXF, "this is not a graphml file; it begins with <gexf>"),
        ("a.gexf", GRAPHML, "this is not a gexf file"),
        ("a.graphml", "<graphml/>", "there is no graph in it"),
        ("a.gexf", "<gexf><edges><edge source='1' target='2'/></edges></gexf>", "there is no graph in it"),
        ("a.graphml", "<graphml><graph><node id='1'/></graph></graphml>", "there are no edges in it"),
        ("a.graphml", "<graphml><graph/><graph/></graphml>", "a second graph"),
        ("a.graphml", "<graphml><graph><hyperedge/></graph></graphml>", "hyperedges cannot be read"),
        ("a.graphml", "<graphml><graph>\n<edge source='1'/></graph></graphml>", "line 2: an id is missing"),
        ("a.graphml", "<graphml><graph><node/></graph></graphml>", "an id is missing"),
        ("a.graphml", GRAPHML.replace("2024-05-02", "soon"), "line 11, column 'time': cannot read the time 'soon'"),
        ("a.gexf", GEXF.replace("2024-05-02T09", "2023-05-02T09"), "line 6, column 'end': the contact ends before"),
        ("a.graphml", b"<?xml version='1.0' encoding='nonsense'?><graphml/>", "unknown encoding"),
    ],
)
def test_harmful_and_broken_files_are_refused_in_one_sentence(tmp_path, name, content, message):
    file = write(tmp_path, content, name)
    with pytest.raises(InputError, match=message) as refusal:
        shoal.read(file, slice="1d")
    assert str(file) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_directions_are_not_invented(tmp_path):
    file = write(tmp_path, GRAPHML.replace('"directed"', '"undirected"'))
    with pytest.raises(InputError, match="no direction"):
        shoal.read(file, slice="1d", directed=True)


def test_a_packed_file_is_not_unpacked_beyond_the_limit(tmp_path):
    file = write(tmp_path, gzip.compress(GRAPHML.encode() + b" " * 5_000_000, mtime=0), "a.graphml.gz")
    with unpacking_at_most(1_000_000), pytest.raises(InputError, match="unpacks to more than 1 MB"):
        shoal.read(file, slice="1d")


@given(st.data())
def test_damaged_files_never_end_in_anything_but_a_sentence(tmp_path_factory, data):
    """Cut, doubled, swapped and overwritten pieces of good files."""
    name, good = data.draw(st.sampled_from([("a.graphml", GRAPHML), ("a.gexf", GEXF)]))
    content = bytearray(good.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        a, b = sorted(data.draw(st.tuples(st.integers(0, len(content)), st.integers(0, len(content)))))
        piece = data.draw(st.sampled_from([b"", bytes(content[a:b]) * 2, b"<edge>", b"\xff\x00", b"'", b"<", b">"]))
        content[a : min(b, a + 40)] = piece
    file = write(tmp_path_factory.mktemp("x"), bytes(content), name)
    problem = ""
    try:
        assert shoal.read(file, slice="1d").n_nodes > 0
    except InputError as refusal:
        problem = str(refusal)
    assert "\n" not in problem


def test_a_release_goes_out_as_graphml_with_pseudonyms(tmp_path):
    graph = TemporalGraph.from_events([(f"person-{i % 7}", f"person-{i * 3 % 11}", i % 2) for i in range(40)])
    shoal.anonymize(graph, 2, seed=1).save(tmp_path / "out", report=False)
    published = shoal.read(tmp_path / "out")
    text = io.BytesIO()
    nx.write_graphml(published.to_multigraph(), text)
    assert b"person" not in text.getvalue()
    assert shoal.read(write(tmp_path, text.getvalue()), slice="value") == published
