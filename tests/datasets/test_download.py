"""Downloads from a publisher on loopback, with every fault a network has."""

from __future__ import annotations

import errno
import hashlib
import json
import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.datasets import download as module
from shoal.datasets.catalogue import PublicSet
from shoal.datasets.download import check_address, download
from shoal.datasets.public import obtain
from shoal.errors import InputError
from tests.datasets.publisher import Publisher

CONTENT = b"".join(b"%d %d %d\n" % (i % 97, i * 31 % 89, i * 4000) for i in range(40_000))


@pytest.fixture(autouse=True)
def _here_and_now(monkeypatch):
    monkeypatch.setattr(module, "PAUSE", 0.0)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def publisher():
    one = Publisher(CONTENT)
    yield one
    one.close()


@pytest.fixture
def public(publisher):
    """Make a set that this publisher publishes."""

    def make(**changes):
        facts = {"title": "t", "publisher": "p", "page": "https://x", "licence": "not stated", "cite": "c"}
        return PublicSet("set", **facts | {"address": publisher.address, "read": {"dialect": "snap"}} | changes)

    return make


def sha(content):
    return hashlib.sha256(content).hexdigest()


def names(folder):
    return sorted(file.name for file in folder.rglob("*") if file.is_file())


def test_a_set_is_fetched_once_and_found_again(publisher, public, tmp_path):
    got = obtain(public(), tmp_path)
    assert got.path.read_bytes() == CONTENT
    assert (got.new, got.first, got.sha256) == (True, True, sha(CONTENT))
    again = obtain(public(), tmp_path)
    assert (again.new, again.first, again.path) == (False, False, got.path)
    assert len(publisher.asked) == 1
    assert names(tmp_path) == ["receipt.json", "set.txt"]
    assert json.loads((tmp_path / "set" / "receipt.json").read_text())["sha256"] == sha(CONTENT)


@pytest.mark.parametrize("fault", ["cut", "hang"])
def test_a_broken_connection_is_taken_up_where_it_broke(publisher, public, tmp_path, fault, monkeypatch):
    publisher.faults = [fault]
    if fault == "hang":  # short, and with tries enough for a machine that is busy elsewhere
        monkeypatch.setattr(module, "PATIENCE", 2.0)
        monkeypatch.setattr(module, "TRIES", 50)
    assert obtain(public(), tmp_path).path.read_bytes() == CONTENT
    assert publisher.asked[1]["Range"] == f"bytes={len(CONTENT) // 2}-"
    assert publisher.asked[1]["If-Range"] == '"one"'


def test_a_later_run_goes_on_too(publisher, public, tmp_path):
    publisher.faults = ["cut", "cut", "cut"]
    with pytest.raises(InputError, match="goes on from there"):
        obtain(public(), tmp_path)
    assert names(tmp_path) == [".set.txt.part", ".set.txt.part.json"]
    assert obtain(public(), tmp_path).path.read_bytes() == CONTENT
    assert publisher.asked[3]["Range"] == f"bytes={(tmp_path / 'set' / 'set.txt').stat().st_size * 7 // 8}-"


def test_a_server_without_ranges_sends_all_again(publisher, public, tmp_path):
    publisher.ranges, publisher.faults = False, ["cut"]
    assert obtain(public(), tmp_path).path.read_bytes() == CONTENT


@pytest.mark.parametrize("tag", ["", 'W/"weak"'])
def test_without_a_strong_validator_nothing_is_glued_together(publisher, public, tmp_path, tag):
    publisher.tag, publisher.faults = tag, ["cut"]
    assert obtain(public(), tmp_path).path.read_bytes() == CONTENT
    assert "Range" not in publisher.asked[1]


def test_a_file_that_changed_meanwhile_is_fetched_from_the_start(publisher, public, tmp_path):
    publisher.faults = ["cut", "cut", "cut"]
    with pytest.raises(InputError):
        obtain(public(), tmp_path)
    publisher.content, publisher.tag = CONTENT[::-1], '"two"'
    assert obtain(public(), tmp_path).path.read_bytes() == CONTENT[::-1]


def test_416_says_whole_or_shorter(publisher, public, tmp_path):
    (tmp_path / "set").mkdir()
    part = tmp_path / "set" / ".set.txt.part"
    note = json.dumps({"address": publisher.address, "validator": '"one"'})
    part.write_bytes(CONTENT)
    part.with_name(part.name + ".json").write_text(note)
    assert obtain(public(), tmp_path).path.read_bytes() == CONTENT
    assert len(publisher.asked) == 1
    (tmp_path / "set" / "set.txt").unlink()
    part.write_bytes(CONTENT + b"more")
    part.with_name(part.name + ".json").write_text(note)
    assert obtain(public(), tmp_path).path.read_bytes() == CONTENT


def test_a_part_from_the_wrong_place_is_not_glued_on(publisher, public, tmp_path):
    publisher.faults = ["cut", "shifted"]
    assert obtain(public(), tmp_path).path.read_bytes() == CONTENT


def test_chunks_and_their_breaking(publisher, public, tmp_path):
    publisher.chunked, publisher.faults = True, ["cut"]
    assert obtain(public(), tmp_path).path.read_bytes() == CONTENT


def test_no_length_is_refused(publisher, public, tmp_path):
    publisher.tell_length = False
    with pytest.raises(InputError, match="does not say how long"):
        obtain(public(), tmp_path)


def test_redirects_go_only_to_safe_places(publisher, public, tmp_path):
    publisher.faults, publisher.redirect_to = ["redirect"], publisher.address
    assert obtain(public(), tmp_path).path.read_bytes() == CONTENT
    publisher.faults, publisher.redirect_to = ["redirect"], "http://example.org/set.txt"
    with pytest.raises(InputError, match="only https"):
        obtain(public(), tmp_path / "b")


def test_a_broken_download_is_resumed_through_a_redirect(publisher, public, tmp_path):
    publisher.redirect_to = publisher.address
    publisher.faults = ["redirect", "cut", "redirect"]
    assert obtain(public(), tmp_path).path.read_bytes() == CONTENT
    assert publisher.asked[3]["Range"] == f"bytes={len(CONTENT) // 2}-"


@pytest.mark.parametrize("address", ["http://example.org/a", "ftp://example.org/a", "file:///etc/passwd", "a"])
def test_only_https_or_this_machine(address):
    with pytest.raises(InputError, match="only https"):
        check_address(address)


def test_404_is_final_and_500_is_tried_again(publisher, public, tmp_path):
    publisher.faults = ["404"]
    with pytest.raises(InputError, match="answers 404"):
        obtain(public(), tmp_path)
    assert len(publisher.asked) == 1
    publisher.faults = ["500", "503"]
    assert obtain(public(), tmp_path).path.read_bytes() == CONTENT


def test_nobody_there(public, tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(InputError, match="cannot be reached"):
        obtain(public(address=f"http://127.0.0.1:{port}/set.txt"), tmp_path)


def test_a_wrong_checksum_leaves_nothing(publisher, public, tmp_path):
    for checksum in ("sha256:" + "0" * 64, "md5:" + "0" * 32):
        with pytest.raises(InputError, match="gave another file"):
            obtain(public(checksum=checksum), tmp_path)
        assert names(tmp_path) == []
    right = "md5:" + hashlib.md5(CONTENT).hexdigest()
    got = obtain(public(checksum=right), tmp_path)
    assert got.path.exists()
    assert not got.first


def test_the_first_download_is_believed_and_the_next_compared(publisher, public, tmp_path):
    file = obtain(public(), tmp_path).path
    file.unlink()
    publisher.content, publisher.tag = b"0 1 2\n", '"two"'
    with pytest.raises(InputError, match="accept_changed=True"):
        obtain(public(), tmp_path)
    assert names(tmp_path) == ["receipt.json"]
    assert obtain(public(), tmp_path, accept_changed=True).first
    assert file.read_bytes() == b"0 1 2\n"
    file.write_bytes(b"0 1 3\n")
    with pytest.raises(InputError, match="is not the file that was fetched"):
        obtain(public(), tmp_path)


def test_a_pinned_checksum_cannot_be_talked_away(publisher, public, tmp_path):
    with pytest.raises(InputError, match="expected"):
        obtain(public(checksum="sha256:" + "0" * 64), tmp_path, accept_changed=True)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_file_that_is_too_large_is_stopped(publisher, public, tmp_path, chunked):
    publisher.chunked = chunked
    with pytest.raises(InputError, match="is larger than"):
        obtain(public(bytes=1000), tmp_path)
    assert names(tmp_path) == []


def test_no_room(publisher, public, tmp_path, monkeypatch):
    class Full:
        free = 10

    with monkeypatch.context() as patch:
        patch.setattr(module.shutil, "disk_usage", lambda folder: Full)
        with pytest.raises(InputError, match="no room is left there; 6"):
            obtain(public(), tmp_path)

    def full(*ignored):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module, "_pour", full)
    with pytest.raises(InputError, match="no room is left"):
        obtain(public(), tmp_path)
    assert "set.txt" not in names(tmp_path)


def test_two_at_once(publisher, public, tmp_path):
    publisher.faults = ["hang"]
    inside = threading.Event()
    first = threading.Thread(target=obtain, args=(public(), tmp_path), kwargs={"hear": lambda *_: inside.set()})
    first.start()
    inside.wait(10)
    with pytest.raises(InputError, match="another process"):
        obtain(public(), tmp_path)
    publisher.stop.set()
    first.join()
    assert obtain(public(), tmp_path).path.read_bytes() == CONTENT


def test_progress_is_heard(publisher, public, tmp_path):
    heard = []
    obtain(public(), tmp_path, hear=lambda done, total: heard.append((done, total)))
    assert heard[-1] == (len(CONTENT), len(CONTENT))
    assert [done for done, _ in heard] == sorted({done for done, _ in heard})


def test_a_folder_that_cannot_be_made(public, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        obtain(public(), tmp_path / "file")


@given(st.lists(st.sampled_from(["cut", "500", "shifted", ""]), max_size=2), st.booleans(), st.booleans())
def test_whatever_breaks_the_file_is_whole_or_not_there(tmp_path_factory, faults, ranges, chunked):
    publisher = Publisher(CONTENT[:5000])
    try:
        publisher.faults, publisher.ranges, publisher.chunked = [*faults], ranges, chunked
        target = tmp_path_factory.mktemp("sets") / "set.txt"
        part = download(publisher.address, target)
        assert part.read_bytes() == CONTENT[:5000]
        assert not target.exists()
    finally:
        publisher.close()
