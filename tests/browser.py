"""A headless Chromium from Debian's packages, installed where it is missing and we may."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator

import pytest

_QUIET = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
]  # fmt: skip


def _ensure(program: str) -> str:
    if shutil.which(program) is None and shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-qq"], capture_output=True)
        subprocess.run(["apt-get", "install", "-y", "-qq", "chromium", "chromium-driver"], capture_output=True)
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed and cannot be (Debian packages chromium, chromium-driver)")
    return found


@pytest.fixture(scope="session")
def browser() -> Iterator:
    """A Selenium driver; ends the browser it started."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = _ensure("chromium")
    for argument in (*_QUIET, f"--user-data-dir={tempfile.mkdtemp()}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(_ensure("chromedriver")))
    yield driver
    driver.quit()
