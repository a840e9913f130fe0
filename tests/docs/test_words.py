"""Words that are not said."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT

TEXTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *(file for kind in ("*.md", "*.py", "*.svg") for file in (ROOT / "docs").rglob(kind) if "_build" not in file.parts),
    *(file for kind in ("*.py", "*.html", "*.js") for file in (ROOT / "src").rglob(kind) if ".min." not in file.name),
]


def test_nothing_is_called_safe():
    """Whether a release may be published depends on who looks for whom: no text says it for the reader."""
    said = {file.name for file in TEXTS if re.search(r"\bsafe(r|st|ly)?\b", file.read_text(encoding="utf-8"), re.I)}
    assert not said


@pytest.mark.parametrize(
    "file",
    ["report/page.html", "report/page.py", "report/charts.py", "report/sweep.html", "measure/describe.py",
     "audit/attackers.py", "audit/findings.py", "audit/exposure.py", "audit/_claims.py", "published/certificate.py",
     "cli/console.py", "web/templates/run.html", "web/templates/cost.html", "web/templates/audit.html", "web/views.py"],
)  # fmt: skip
def test_contacts_are_lines_and_edges_are_pairs(file):
    """What is counted per person and slice, kept, added and removed are edges; a contact is a line of the input."""
    text = (ROOT / "src" / "shoal" / file).read_text(encoding="utf-8")
    assert not re.search(
        r"numbers? of contacts|contacts? (kept|removed|added|were|stay|per slice)|same contacts", text, re.I
    )
