"""Every example of README and docs runs, and prints what is shown."""

from __future__ import annotations

import pytest

from tests.docs.files import prepare
from tests.docs.pages import ROOT, SLOW, blocks, pages, run, same

MOST_LEFT_OUT = 15  # blocks that nothing runs; another one needs a reason as good as theirs


@pytest.mark.parametrize(
    "page", [page for page in pages() if blocks(page)], ids=lambda page: str(page.relative_to(ROOT))
)
def test_the_examples_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "88")  # what a page has room for
    prepare(tmp_path)
    names = {"__name__": "__main__"}
    for block in blocks(page):
        if not block.left_out or (SLOW and block.left_out == "slow"):
            run(block, names)


def test_few_examples_are_left_out():
    left_out = [f"{b.where} ({b.reason})" for page in pages() for b in blocks(page) if b.left_out == "not run"]
    assert len(left_out) <= MOST_LEFT_OUT, "\n".join(left_out)


@pytest.mark.parametrize(
    ("shown", "got", "alike"),
    [
        ("12 of 1,000 kept", "12  of\n1,020 kept\n", True),
        ("12 of 1,000 kept", "12 of 1,100 kept", False),
        ("4 others", "5 others", False),
        ("read ... kept 66%", "read 7 and 8, kept 67%", True),
        ("it holds", "it does not hold", False),
    ],
)
def test_what_counts_as_the_same_output(shown, got, alike):
    assert same(shown, got) is alike
