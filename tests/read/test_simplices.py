"""Groups of people with a time, in three files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import InputError


def write_groups(folder, sizes, people, times):
    for part, lines in (("nverts", sizes), ("simplices", people), ("times", times)):
        (folder / f"g-{part}.txt").write_text("".join(f"{line}\n" for line in lines))
    return folder / "g-nverts.txt"


@given(
    st.lists(st.tuples(st.lists(st.integers(0, 6), min_size=1, max_size=5), st.integers(0, 3)), min_size=1, max_size=12)
)
def test_groups_are_all_their_pairs(tmp_path_factory, groups):
    file = write_groups(
        tmp_path_factory.mktemp("groups"),
        [len(people) for people, _ in groups],
        [person for people, _ in groups for person in people],
        [time for _, time in groups],
    )
    pairs = {(min(u, v), max(u, v), t) for people, t in groups for u in people for v in people if u != v}
    if all(len(people) == 1 for people, _ in groups):
        with pytest.raises(InputError):
            shoal.read(file, dialect="simplices", slice="value")
        return
    graph = shoal.read(file, dialect="simplices", slice="value")
    names = graph.nodes.to_list()
    assert names == sorted({person for people, _ in groups for person in people})
    found = {(names[u], names[v], int(label)) for label, edges in graph for u, v in edges.tolist()}
    assert found == pairs


@pytest.mark.parametrize(
    ("sizes", "people", "times", "sentence"),
    [
        ([2], [1, 2, 3], [0], "3 people where"),
        ([2], [1, 2], [0, 1], "2 times for the 1 groups"),
        (["x"], [1], [0], "line 1: the size of a group"),
        ([1, 0], [1], [0, 0], "line 2: the size of a group"),
        ([1], [1], [0], "no group of two"),
        (["2 2"], [1, 2], [0], "one field"),
        ([99999], range(99999), [0], "unpacks to more than"),
        ([2], [1, 2], ["then"], "g-times.txt, line 1"),
    ],
)
def test_groups_that_do_not_add_up(tmp_path, sizes, people, times, sentence):
    with pytest.raises(InputError, match=sentence):
        shoal.read(write_groups(tmp_path, sizes, people, times), dialect="simplices", slice="1d")


def test_groups_need_their_three_files(tmp_path):
    with pytest.raises(InputError, match="three files"):
        shoal.read(tmp_path / "a.txt", dialect="simplices", slice="1d")
    with pytest.raises(InputError, match="no such file"):
        shoal.read(tmp_path / "a-times.txt", dialect="simplices", slice="1d")
