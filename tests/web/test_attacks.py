"""What somebody may try against the page: each is refused or harmless."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import socket
import stat
import time
import zipfile

import pytest
import zstandard

from tests.web.server import Server

CSV = b"source,target,time\n" + b"".join(b"%d,%d,%d\n" % (i % 7, i * 5 % 13, i * 40_000) for i in range(60))


def folders(server) -> set[str]:
    return {f.name for f in server.folder.iterdir()} - {"lock"}


@pytest.fixture(scope="module")
def looked_at():
    """Where the file was uploaded to: once for all tests, and again after one that deleted everything."""
    return {}


@pytest.fixture
def job(server, looked_at):
    if "path" not in looked_at or server.ask("GET", looked_at["path"])[0] == 404:
        looked_at["path"] = server.upload(CSV)
        assert server.wait(looked_at["path"], "look") == "done"
    return looked_at["path"]


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "localhost", "127.0.0.1:1", "", "[::1"],
)
def test_other_hosts_are_refused(server, host):
    status, text = server.ask("GET", "/", Host=host.format(port=server.port))
    assert status in (400, 421)
    assert "Drop a file" not in text


def test_two_hosts_or_none_are_refused(server):
    for head in ("", f"Host: {server.host}\r\nHost: evil.example\r\n"):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as raw:
            raw.sendall(f"GET / HTTP/1.1\r\n{head}Connection: close\r\n\r\n".encode())
            assert raw.recv(100).split()[1] in (b"400", b"421")


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "https://{host}", "http://localhost:1", "http://{host}.evil"]
)
@pytest.mark.parametrize(
    "path",
    [
        "/jobs",
        "/demo",
        "/delete-all",
        "{job}/delete",
        "{job}/run",
        "{job}/cancel",
        "{job}/beside/people",
        "{job}/extend",
    ],
)
def test_cross_origin_posts_are_refused(server, job, path, origin):
    before = folders(server)
    origin = origin and origin.format(host=server.host)
    status, _ = server.ask("POST", path.format(job=job), b"what=all&set=office&k=2", Origin=origin)
    assert status == 403
    assert folders(server) == before


def test_other_pages_cannot_embed_ours(server, job):
    assert server.ask("GET", job, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors")[0] == 403
    assert server.ask("GET", job, Sec_Fetch_Site="same-site", Sec_Fetch_Mode="cors")[0] == 403
    assert server.ask("GET", "/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")[0] == 200
    policy = server.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert server.headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in server.headers


@pytest.mark.parametrize(
    "name",
    [
        "../../../etc/passwd",
        "..\\..\\x.csv",
        "/etc/cron.d/x",
        "a\0b.csv",
        "\n\r.csv",
        ".",
        "..",
        "x" * 5000,
        "state.json",
        "💥",
    ],
)
def test_names_of_files_never_become_paths(server, name):
    places = (server.folder, server.folder.parent)
    before = {f for place in places for f in place.iterdir()}
    path = server.upload(CSV, name)
    folder = server.folder / path.rpartition("/")[2]
    assert {f for place in places for f in place.iterdir()} - before == {folder}
    assert (folder / "input").read_bytes() == CSV
    label = json.loads((folder / "state.json").read_text())["label"]
    assert not set(label) & set("/\\\0\n\r")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "input").stat().st_mode) == 0o600
    assert server.ask("POST", f"{path}/delete", {})[0] == 303
    assert not folder.exists()


def _zip(**members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


@pytest.mark.parametrize(
    "archive",
    [
        _zip(**{"release/../../evil.csv": "x"}), _zip(**{"/tmp/evil.csv": "x"}), _zip(**{"release/certificate.json": "[]"}),
        _zip(**{"release/nodes.csv": "x" * 5_000_000}), _zip(), b"PK\x03\x04 no zip", b"x",
    ],
)  # fmt: skip
def test_an_earlier_release_is_what_this_page_gives_out_or_refused(server, job, archive):
    """No member of an archive becomes a path, none unpacks beyond the limit, and nothing crashes."""
    for name, content in (("before", archive), ("record", b'{"ids": {}}')):
        assert server.ask("POST", f"{job}/beside/{name}", content)[0] == 201
    assert server.ask("POST", f"{job}/extend", b"effort=fast")[0] == 303
    assert server.wait(job, "run") == "failed"
    problem = server.result(job, "run")["problem"]
    assert "Something went wrong" not in problem
    assert str(server.folder) not in problem
    assert not list(server.folder.rglob("evil*"))


def test_files_beside_are_four_and_no_others(server, job):
    for name in ("input", "..%2finput", "state.json", ""):
        assert server.ask("POST", f"{job}/beside/{name}", b"x")[0] in (404, 405)
    assert server.ask("POST", f"{job}/beside/people", b"")[0] == 400
    assert server.ask("POST", f"{job}/beside/people", b"x", Content_Length="1100000")[0] == 413
    assert server.ask("POST", f"{job}/beside/second", CSV)[0] == 409  # there is no release to try it on
    assert server.ask("POST", f"{job}/extend", b"earlier=" + job.rpartition("/")[2].encode())[0] in (303, 409)


def test_the_work_folder_is_private(server):
    assert stat.S_IMODE(server.folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "path",
    [
        "/jobs/../../../etc/passwd", "/jobs/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/jobs/..", "/jobs/%2e%2e", "/jobs/lock",
        "/jobs/" + "0" * 32, "/jobs/" + "0" * 32 + "/files/release.zip", "{job}/files/state.json", "{job}/files/input",
        "{job}/files/..%2f..%2flock", "{job}/files/private.json", "{job}/files/mapping.json", "{job}/parts/base", "{job}x",
        "{job}/parts/..%2fstart", "/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "//etc/passwd",
    ],
)  # fmt: skip
def test_what_is_not_there_cannot_be_had(server, job, path):
    status, text = server.ask("GET", path.format(job=job))
    assert status == 404
    assert "root:" not in text
    assert "created" not in text


def test_uploads_beyond_the_limit(server):
    before = folders(server)
    assert server.ask("POST", "/jobs", b"x", Content_Length="2000000")[0] == 413
    status, text = server.ask("POST", "/jobs", b"x" * 10, Content_Length="99999999999999999999")
    assert status == 413
    assert "larger than 1.0 MB" in text
    body = (b"10000\r\n" + b"x" * 0x10000 + b"\r\n") * 17 + b"0\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as raw:
        head = f"POST /jobs HTTP/1.1\r\nHost: {server.host}\r\nOrigin: {server.address}\r\nTransfer-Encoding: chunked\r\n\r\n"
        raw.sendall(head.encode())
        raw.sendall(body)
        assert b" 413 " in raw.recv(200)
    assert server.ask("POST", "/delete-all", b"x" * 50_000)[0] == 413
    assert server.ask("POST", "/delete-all", b"&" * 60)[0] == 400
    assert folders(server) == before


@pytest.mark.parametrize("length", ["-1", "1e3", "abc", "0x10"])
def test_lengths_that_are_none(server, length):
    assert server.ask("POST", "/jobs", b"x", Content_Length=length)[0] in (400, 413)


def test_lengths_that_lie(server):
    before = folders(server)
    head = f"POST /jobs HTTP/1.1\r\nHost: {server.host}\r\nOrigin: {server.address}\r\nContent-Length: "
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as raw:  # more announced than sent
        raw.sendall(f"{head}5000\r\n\r\nsource,target".encode())
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as raw:  # the rest is no second request
        raw.sendall(f"{head}3\r\n\r\nabcGET /delete-all HTTP/1.1\r\nEvil: ".encode())
        assert b" 201 " in raw.recv(200)
    for _ in range(100):
        if len(folders(server) - before) == 1:
            break
        time.sleep(0.05)
    (kept,) = folders(server) - before
    assert (server.folder / kept / "input").read_bytes() == b"abc"


@pytest.mark.parametrize(
    "bomb",
    [
        pytest.param(gzip.compress(CSV + b"1,2,3\n" * 5_000_000, 9), id="gzip"),
        pytest.param(zstandard.compress(CSV + b"\n" * 200_000_000), id="zstd"),
        pytest.param(b"".join(gzip.compress(b"1,2,3\n" * 30_000) for _ in range(20)), id="many members"),
    ],
)
def test_bombs_do_not_go_off(server, bomb):
    path = server.upload(bomb, "small.csv.gz")
    assert server.wait(path, "look") == "done"
    assert "unpacks to more than 1 MB" in " ".join(server.result(path, "look")["problems"])


def test_fifty_pieces_of_garbage(server):
    """The server answers, remembers nothing of them, and is no larger than before."""
    dice = random.Random(3)
    kinds = [
        b"PAR1",
        b"\x1f\x8b\x08",
        b"\x28\xb5\x2f\xfd",
        b"#EDGES\n",
        b"% x\n",
        b"source,target,time\n",
        b"\xff\xfe",
        b'"',
        b"\0",
        b"",
    ]
    server.ask("GET", "/")
    before = None
    for i in range(50):
        path = server.upload(kinds[i % 10] + dice.randbytes(dice.randrange(1, 20_000)), f"{i}.bin")
        if i < 10:
            assert server.wait(path, "look") in ("done", "failed")
            status, text = server.ask("GET", path)
            assert status == 200
            assert 'class="problem"' in text
        if i == 9:
            before = server.memory()
    assert server.ask("POST", "/delete-all", {})[0] == 303
    assert folders(server) == set()
    assert server.memory() - before < 20_000
    path = server.upload(CSV)
    assert server.wait(path, "look") == "done"
    assert server.result(path, "look")["n_nodes"] == 13


def test_a_token_where_one_is_demanded(tmp_path):
    guarded = Server(tmp_path / "w", "--token", "sesame-open")
    try:
        assert guarded.ask("GET", "/")[0] == 401
        assert guarded.ask("GET", "/static/app.js")[0] == 401
        assert guarded.ask("GET", "/?token=wrong")[0] == 401
        assert guarded.ask("POST", "/jobs", CSV)[0] == 401
        assert guarded.ask("GET", "/?token=sesame-open")[0] == 303
        cookie = guarded.headers["set-cookie"]
        assert "httponly" in cookie.lower()
        assert "samesite=strict" in cookie.lower()
        assert guarded.ask("GET", "/", Cookie=cookie.partition(";")[0])[0] == 200
        assert guarded.ask("GET", "/", Cookie=cookie.partition("=")[0] + "=wrong")[0] == 401
        assert guarded.ask("GET", "/", Cookie="=;=;\x7f")[0] == 401
    finally:
        guarded.stop()


def test_beyond_loopback_a_token_is_made_up(tmp_path):
    guarded = Server(tmp_path / "w", "--host", "0.0.0.0")
    try:
        assert len(guarded.token) >= 24
        assert guarded.ask("GET", "/")[0] == 401
        assert guarded.ask("GET", "/", Host=f"evil.example:{guarded.port}")[0] == 421
    finally:
        guarded.stop()


def test_workers_do_not_outlive_a_killed_server(tmp_path):
    killed = Server(tmp_path / "w")
    path = killed.upload(CSV)
    killed.wait(path, "look")
    killed.ask("POST", f"{path}/audit", {})
    killed.process.kill()
    killed.process.wait()
    killed.process.stdout.close()
    killed.process.stderr.close()
    mine = str(killed.folder).encode()
    for _ in range(100):
        left = [p for p in os.listdir("/proc") if p.isdigit() and mine in _command(p)]
        if not left:
            break
        time.sleep(0.1)
    assert not left


def _command(pid: str) -> bytes:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""
