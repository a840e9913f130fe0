from __future__ import annotations

import pytest

from tests.web.server import Server

pytest.importorskip("uvicorn", reason="the extra 'web' is not installed")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One server for the tests of a file; takes files up to 1 MB."""
    started = Server(tmp_path_factory.mktemp("work") / "w", "--max-upload", "1")
    yield started
    started.stop()
