"""A publisher on loopback whose server can be told to misbehave, and a log of what it was asked."""

from __future__ import annotations

import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Publisher:
    """Serves one file. `faults` are taken one per request: "cut", "hang", "short", "500", "404", "416", "redirect", "weak", ..."""

    def __init__(self, content: bytes) -> None:
        self.content, self.tag = content, '"one"'
        self.ranges = True
        self.tell_length = True
        self.chunked = False
        self.faults: list[str] = []
        self.redirect_to = ""
        self.asked: list[dict[str, str]] = []
        self.stop = threading.Event()
        publisher = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                with suppress(OSError):
                    publisher.answer(self)
                self.close_connection = True

            def log_message(self, *ignored: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()
        self.address = f"http://127.0.0.1:{self.server.server_port}/set.txt"

    def close(self) -> None:
        self.stop.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def answer(self, to: BaseHTTPRequestHandler) -> None:
        self.asked.append(dict(to.headers))
        fault = self.faults.pop(0) if self.faults else ""
        if fault.isdecimal():
            to.send_response(int(fault))
            to.send_header("Content-Length", "0")
            if fault == "416":
                to.send_header("Content-Range", f"bytes */{len(self.content)}")
            to.end_headers()
            return
        if fault == "redirect":
            to.send_response(302)
            to.send_header("Location", self.redirect_to)
            to.send_header("Content-Length", "0")
            to.end_headers()
            return
        start = self._start(to)
        if start is not None and start >= len(self.content):
            self.faults.insert(0, "416")
            self.asked.pop()
            self.answer(to)
            return
        body = self.content[start or 0 :]
        to.send_response(200 if start is None else 206)
        if start is not None:
            shift = 1 if fault == "shifted" else 0
            to.send_header("Content-Range", f"bytes {start + shift}-{len(self.content) - 1}/{len(self.content)}")
        if self.tag:
            to.send_header("ETag", self.tag)
        if self.chunked:
            to.send_header("Transfer-Encoding", "chunked")
        elif self.tell_length:
            to.send_header("Content-Length", str(len(body)))
        else:
            to.send_header("Connection", "close")
        to.end_headers()
        if fault in ("cut", "hang"):
            body = body[: len(body) // 2]
        if self.chunked:
            body = b"%x\r\n%s\r\n" % (len(body), body) + (b"" if fault else b"0\r\n\r\n")
        to.wfile.write(body)
        to.wfile.flush()
        if fault == "hang":
            self.stop.wait(10)

    def _start(self, to: BaseHTTPRequestHandler) -> int | None:
        asked = to.headers.get("Range", "")
        if not self.ranges or not asked or to.headers.get("If-Range", self.tag) != self.tag:
            return None
        return int(asked.removeprefix("bytes=").removesuffix("-"))
