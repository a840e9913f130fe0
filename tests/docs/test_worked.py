"""The worked examples of the documentation print and draw today what their pages show."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, SLOW, WHOLE_PAGE, same

DOCS = ROOT / "docs"
sys.path.append(str(DOCS))

import stage_pictures  # noqa: E402
import worked  # noqa: E402


@pytest.mark.parametrize("page", worked.PAGES, ids=lambda page: page.stem)
def test_a_page_shows_what_its_code_prints_and_draws(
    page: Path, real_data: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = page.read_text(encoding="utf-8")
    if WHOLE_PAGE.match(text) and not SLOW:
        pytest.skip("slow: runs with SHOAL_SLOW_DOCS=1")
    if needed := re.search(r'SHOAL_DATA"\] \+ "/([^"]+)"', text):
        monkeypatch.setenv("SHOAL_DATA", str(real_data(needed[1]).parents[1]))
    shown, _ = worked.play(page, tmp_path)
    assert same(text, shown)
    for picture in tmp_path.glob("*.svg"):
        kept = (page.parent / picture.name).read_text(encoding="utf-8")
        assert same("\n".join(worked.drawn(kept)), "\n".join(worked.drawn(picture.read_text(encoding="utf-8"))))


def test_the_pictures_of_the_stages_are_those_of_the_run_on_the_page(tmp_path: Path) -> None:
    _, names = worked.play(DOCS / "stages.md", tmp_path)
    today = stage_pictures.pictures(names["release"])
    assert set(today) == {path.name for path in stage_pictures.FOLDER.iterdir()}
    for name, svg in today.items():
        assert worked.drawn(svg) == worked.drawn((stage_pictures.FOLDER / name).read_text(encoding="utf-8")), name


def _pictures_shown() -> Iterator[Path]:
    for page in worked.PAGES:
        yield from (
            page.parent / name for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
        )


def test_every_picture_that_a_page_shows_is_there_and_says_something() -> None:
    assert all(len(worked.drawn(path.read_text(encoding="utf-8"))) > 5 for path in _pictures_shown())
