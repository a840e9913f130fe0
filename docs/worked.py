"""Pages whose code has been run: `make gallery` runs the python blocks of these pages, writes below each what it printed,
and puts the pictures they draw beside them. The same seed gives the same text, so a test can hold the pages to it.
"""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGES = [HERE / "stages.md", *sorted(page for page in HERE.glob("gallery/*.md") if page.stem != "index")]
_BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n.*?^```\n)?", re.DOTALL | re.MULTILINE)


def play(page: Path, folder: Path) -> tuple[str, dict[str, Any]]:
    """The page with what its blocks print today, and the names they define; files they write go to the folder."""
    names: dict[str, Any] = {"__name__": page.stem}

    def run(block: re.Match[str]) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block["code"], page.name, "exec"), names)  # noqa: S102 - our own pages
        shown = "\n".join(line.rstrip() for line in printed.getvalue().splitlines())
        return f"```python\n{block['code']}```\n" + (f"\n```text\n{shown}\n```\n" if shown else "")

    with contextlib.chdir(folder):
        return _BLOCK.sub(run, page.read_text(encoding="utf-8")), names


def drawn(svg: str) -> list[str]:
    """What a picture says, whatever it looks like: its words, and the values behind its marks."""
    return sorted(re.findall(r'aria-label="([^"]*)"', svg) + re.findall(r">([^<>\n]+)</t(?:ext|itle)>", svg))


def main() -> None:
    for page in PAGES:
        if sys.argv[1:] and page.stem not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            text, _ = play(page, Path(folder))
            for picture in Path(folder).glob("*.svg"):
                shutil.copy(picture, page.parent)
        page.write_text(text, encoding="utf-8")
        print(page.relative_to(HERE), flush=True)


if __name__ == "__main__":
    main()
