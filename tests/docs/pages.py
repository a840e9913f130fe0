"""Finds the examples of README and docs and runs them: fenced `python` and `console` blocks, in order, in one folder.

A comment in the line above a fence, which readers do not see, says why a block is left out:
`<!-- not run: installs -->`, or `<!-- slow: four minutes -->` (run with SHOAL_SLOW_DOCS=1). In the first line of a page it holds
for the whole page. Shown output is compared where there is any: blanks count as one, `...` stands for anything, and numbers
may be five per cent off, since other versions of the libraries find slightly other groups.

`python -m tests.docs.pages docs/protects.md` puts today's output in the place of another that a page shows.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.command import shoal
from tests.docs.files import prepare

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"(?:^<!-- *(not run|slow): *(.+?) *-->\n)?^```(python|console)\n(.*?)^```$", re.M | re.S)
WHOLE_PAGE = re.compile(r"\A<!-- *(not run|slow): *(.+?) *-->")
SLOW = bool(os.environ.get("SHOAL_SLOW_DOCS"))
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True)
class Block:
    """One fenced block; `left_out` is '', 'not run' or 'slow'."""

    where: str
    language: str
    text: str
    left_out: str
    reason: str


def pages() -> list[Path]:
    """Every page a reader may copy from; those of the gallery need real data and are run by `test_worked`."""
    docs = [
        file for file in (ROOT / "docs").rglob("*.md") if not {"_build", "gallery"} & set(file.parts[len(ROOT.parts) :])
    ]
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(docs)]


def blocks(page: Path) -> list[Block]:
    """The examples of a page."""
    text = page.read_text(encoding="utf-8")
    whole = WHOLE_PAGE.match(text)
    found = []
    for match in FENCE.finditer(text):
        left_out, reason = whole.groups() if whole else (match[1] or "", match[2] or "")
        line = text.count("\n", 0, match.start(3)) + 1
        found.append(Block(f"{page.relative_to(ROOT)}:{line}", match[3], match[4], left_out, reason))
    return found


def run(block: Block, names: dict[str, Any]) -> None:
    """Run a block in the current folder; python blocks of a page share `names`."""
    if block.language == "console":
        for command, shown in _commands(block.text):
            _run_command(block.where, command, shown)
    elif block.text.lstrip().startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(block.text, names, block.where, None, 0)
        test.globs = names  # not a copy: later blocks see what this one made
        said = io.StringIO()
        result = doctest.DocTestRunner(_Checker(), optionflags=doctest.ELLIPSIS).run(
            test, out=said.write, clear_globs=False
        )
        assert not result.failed, said.getvalue()
    else:
        exec(compile(block.text, block.where, "exec"), names)


def same(shown: str, got: str) -> bool:
    """Whether the output is the one that is shown, up to blanks, ellipses and five per cent."""
    texts = [NUMBER.sub("#", re.sub(r"\s+", " ", text)).strip() for text in (shown, got)]
    pattern = re.escape(texts[0]).replace(re.escape("..."), "(.*)")
    match = re.fullmatch(pattern, texts[1])
    if match is None:
        return False
    numbers = [float(n.replace(",", "")) for n in NUMBER.findall(got)]
    for start, end in reversed(match.regs[1:]):  # numbers under an ellipsis are not compared
        del numbers[texts[1].count("#", 0, start) : texts[1].count("#", 0, end)]
    wanted = [float(n.replace(",", "")) for n in NUMBER.findall(shown)]
    return all(abs(a - b) <= 0.05 * max(a, b) for a, b in zip(wanted, numbers, strict=True))


class _Checker(doctest.OutputChecker):
    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return same(want, got)


def _commands(text: str) -> list[tuple[str, str]]:
    """(command, shown output) of a console block."""
    found: list[list[str]] = []
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("$ "):
            found.append([line[2:], ""])
        else:
            found[-1][1] += line + "\n"
    return [(command, shown) for command, shown in found]


def _run_command(where: str, command: str, shown: str) -> None:
    code, got = _said(command)
    expected = re.search(r"#.*exit code (\d)", command)
    assert code == int(expected[1] if expected else 0), f"{where}: `{command}` ended with {code}:\n{got}"
    assert not shown.strip() or same(shown, got), f"{where}: `{command}` printed\n{got}\ninstead of\n{shown}"


def _said(command: str) -> tuple[int, str]:
    """A shoal command in this process, so that kernels are loaded once; anything else in a shell of its own."""
    words = shlex.split(command, comments=True)
    return _shoal(words[1:]) if words[0] == "shoal" else _shell(command)


def _shoal(arguments: list[str]) -> tuple[int, str]:
    done = shoal(*arguments)
    said = [
        line for line in done.stderr.splitlines(keepends=True) if not line.startswith("… ")
    ]  # slow machines tell more
    return done.returncode, done.stdout + "".join(said)


def _shell(command: str) -> tuple[int, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command,
        shell=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=os.environ | {"PATH": path},
    )
    return done.returncode, done.stdout


def bring_up_to_date(page: Path) -> None:
    """Run a page's examples; where a command prints something else today, the page shows that from now on."""
    text, names = page.read_text(encoding="utf-8"), {}
    for block in blocks(page):
        if block.left_out:
            continue
        if block.language == "python":
            try:
                run(block, names)
            except AssertionError as other:
                print(f"{block.where}: by hand\n{other}")
            continue
        for command, shown in _commands(block.text):
            got = "\n".join(line.rstrip() for line in _said(command)[1].splitlines()) + "\n"
            if shown.strip() and not same(shown, got):
                if shown.endswith("\n...\n"):  # as many lines as before
                    got = "".join(got.splitlines(keepends=True)[: shown.count("\n") - 1]) + "...\n"
                if shown in text and "..." not in shown[:-5]:
                    text = text.replace(shown, got, 1)
                else:
                    print(f"{block.where}: by hand, `{command}` printed\n{got}")
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            os.environ["COLUMNS"] = "88"  # what a page has room for
            prepare(Path(folder))
            bring_up_to_date(ROOT / name)
