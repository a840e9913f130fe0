"""Connections that take their time cannot shut the owner out: each is given up, and there are never many."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from unittest import mock

import pytest
import uvicorn

from shoal.web import patience
from tests.web.server import Server

HEAD = "GET / HTTP/1.1\r\nHost: {host}\r\nX: "
BODY = "POST /jobs HTTP/1.1\r\nHost: {host}\r\nOrigin: {address}\r\nContent-Length: 900000\r\n\r\nsource,"


@contextlib.contextmanager
def crowd(port, count, opening: bytes):
    """So many connections that have begun something; every third sends a byte more now and then."""
    with contextlib.ExitStack() as stack:
        guests = []
        for _ in range(count):
            guests.append(stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10)))
            guests[-1].sendall(opening)
        over = threading.Event()

        def drip() -> None:
            while not over.wait(0.3):
                for guest in guests[::3]:
                    with contextlib.suppress(OSError):
                        guest.sendall(b"x")

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            yield guests
        finally:
            over.set()
            thread.join()


def is_over(guest) -> bool:
    """Whether the other side has hung up."""
    guest.setblocking(False)
    try:
        return guest.recv(100) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def all_over(guests, seconds) -> bool:
    end = time.monotonic() + seconds
    while not all(map(is_over, guests)):
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def files_of(server) -> int:
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("work") / "w", "--token", "sesame-open")
    started.ask("GET", "/?token=sesame-open")
    started.cookie = started.headers["set-cookie"].partition(";")[0]
    yield started
    started.stop()


@pytest.mark.parametrize("opening", [b"", HEAD.encode()])
def test_half_sent_heads_do_not_shut_the_owner_out(guarded, opening):
    before, memory = files_of(guarded), guarded.memory()
    with crowd(guarded.port, 300, opening.replace(b"{host}", guarded.host.encode())) as guests:
        for _ in range(20):
            began = time.monotonic()
            assert guarded.ask("GET", "/", Cookie=guarded.cookie)[0] == 200
            assert time.monotonic() - began < 5
        assert files_of(guarded) - before <= patience.MOST + 1
        assert guarded.memory() - memory < 50_000
        assert guarded.ask("GET", "/")[0] == 401
        assert all_over(guests, 3 * patience.HEAD_SECONDS)
    assert guarded.ask("GET", "/", Cookie=guarded.cookie)[0] == 200


def test_slow_bodies_do_not_shut_the_owner_out(server):
    before = files_of(server)
    opening = BODY.format(host=server.host, address=server.address).encode()
    with crowd(server.port, 200, opening):
        for _ in range(10):
            began = time.monotonic()
            assert server.ask("GET", "/")[0] == 200
            assert time.monotonic() - began < 5
        assert files_of(server) - before <= 2 * patience.MOST + 2  # a socket and a file each
        assert server.upload(b"source,target,time\n" + b"1,2,3\n" * 50_000)  # one that gets on with it
    assert server.ask("GET", "/")[0] == 200


def test_bodies_need_the_token_before_they_are_read(guarded):
    opening = BODY.format(host=guarded.host, address=guarded.address).encode()
    with socket.create_connection(("127.0.0.1", guarded.port), timeout=10) as guest:
        guest.sendall(opening)
        assert guest.recv(100).split()[1] == b"401"
        assert all_over([guest], 5)


@contextlib.contextmanager
def hurried(**limits):
    """A server of the protocol alone, with other limits, in a thread of this process."""

    async def app(scope, receive, send):
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    with mock.patch.multiple(patience, **limits), socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(app, http=patience.PatientProtocol, ws="none", lifespan="off", log_level="error")
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not running.started:
            time.sleep(0.01)
        try:
            yield listener.getsockname()[1]
        finally:
            running.should_exit = True
            thread.join(10)


GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50000\r\n\r\n"


def test_a_body_that_trickles_is_given_up_and_one_that_comes_is_not():
    with (
        hurried(BODY_SECONDS=0.5, BODY_BYTES=100) as port,
        crowd(port, 2, POST) as slow,
        socket.create_connection(("127.0.0.1", port), timeout=10) as steady,
    ):
        steady.sendall(POST)
        for _ in range(10):
            steady.sendall(b"x" * 5000)
            time.sleep(0.15)
        assert steady.recv(20).split()[1] == b"200"
        assert all_over(slow, 5)


def test_a_second_head_on_a_kept_connection_has_to_come_too():
    with hurried(HEAD_SECONDS=0.5) as port, socket.create_connection(("127.0.0.1", port), timeout=10) as guest:
        for _ in range(3):  # requests that come in time are answered
            guest.sendall(GET)
            answer = b""
            while not answer.endswith(b"ok"):
                answer += guest.recv(1000)
            time.sleep(0.2)
        assert all_over([guest], 3)  # sooner than uvicorn itself hangs up


def test_a_head_that_trickles_is_given_up():
    with hurried(HEAD_SECONDS=0.5) as port, crowd(port, 4, GET[:-4]) as guests:  # a byte comes before the time is over
        assert all_over(guests, 5)


def test_those_who_wait_go_before_those_who_send():
    with hurried(MOST=3, YOUNG=0.0) as port, contextlib.ExitStack() as stack:
        large, small, idle, late = (
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10)) for _ in range(4)
        )
        assert all_over([large], 5)  # the oldest of those whose head is missing
        small.sendall(POST + b"x")
        idle.sendall(POST + b"x" * 2000)
        time.sleep(0.3)
        stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
        assert all_over([late], 5)  # nothing sent
        time.sleep(0.1)
        last = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
        last.sendall(GET)
        assert last.recv(100).split()[1] == b"200"
        assert not is_over(small)
        assert not is_over(idle)
