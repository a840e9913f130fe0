"""What can be told about the pages without opening them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import shoal.web

HERE = Path(shoal.web.__file__).parent
STYLE = (HERE / "static" / "style.css").read_text()
LIGHT, DARK = (dict(re.findall(r"--(\w+): (#\w+)", block)) for block in re.findall(r":root \{([^}]*)\}", STYLE))
TEXT = [("ink", "paper"), ("ink", "card"), ("soft", "paper"), ("soft", "card"), ("accent", "paper"), ("accent", "card"),
        ("on", "accent"), ("bad", "paper"), ("bad", "card")]  # fmt: skip


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("front", "back"), TEXT)
def test_contrast_is_enough_for_aa(colours, front, back):
    low, high = sorted(luminance(colours[name]) for name in (front, back))
    assert (high + 0.05) / (low + 0.05) >= 4.5


@pytest.mark.parametrize("page", sorted((HERE / "templates").glob("*.html")), ids=lambda page: page.stem)
def test_no_inline_script_no_inline_style_no_other_host(page):
    text = page.read_text()
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:|https?://|\|\s*safe", text)
    assert not re.search(r"<script(?! src=\"/static/)", text)


def test_the_server_does_without_the_numeric_stack():
    code = "import sys, shoal.web.app; print([m for m in ('numpy', 'polars', 'numba', 'altair') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_htmx_is_the_one_that_is_noted():
    assert 'version:"2.0.11"' in (HERE / "static" / "htmx.min.js").read_text()
    assert "htmx 2.0.11" in (HERE / "static" / "README.txt").read_text()
