"""A real `shoal serve` on a free port of loopback, and a small client that sends exactly what it is told."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import subprocess
import time
from pathlib import Path
from urllib.parse import quote, urlencode

from tests.command import SHOAL


class Server:
    """Starts the command, and ends the process it started."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        command = [*SHOAL, "serve", "--port", "0", "--no-browser"]
        self.process = subprocess.Popen(
            [*command, "--work-dir", str(folder), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        line = self.process.stdout.readline()
        found = re.search(r"http://([^/]+)/(?:\?token=(\S+))?", line)
        if not found:
            raise AssertionError(line + "".join(self.process.communicate(timeout=20)))
        self.host, self.token = found[1], found[2]
        self.address, self.port = f"http://{self.host}", int(self.host.rpartition(":")[2])
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError("the server did not start")

    def ask(self, method: str, path: str, body=None, /, **headers):
        """Status and text; `Origin` is our own unless given, None leaves a header out."""
        sent = {"Origin": self.address, **{name.replace("_", "-"): value for name, value in headers.items()}}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.putrequest(method, path, skip_host="Host" in sent, skip_accept_encoding=True)
            if isinstance(body, dict):
                body = urlencode(body).encode()
            if body is not None and "Content-Length" not in sent and "Transfer-Encoding" not in sent:
                sent["Content-Length"] = str(len(body))
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders()
            if body:
                connection.send(body)
            answer = connection.getresponse()
            self.headers = dict(answer.getheaders())
            return answer.status, answer.read().decode(errors="replace")
        finally:
            connection.close()

    def upload(self, content: bytes, name: str = "edges.csv") -> str:
        status, text = self.ask("POST", "/jobs", content, X_File_Name=quote(name))
        assert status == 201, text
        return json.loads(text)["go"]

    def wait(self, job: str, kind: str, seconds: float = 240) -> str:
        """The status of a step when it is over, read from the work folder."""
        end = time.monotonic() + seconds
        file = self.folder / job.rpartition("/")[2] / "state.json"
        while time.monotonic() < end:
            status = json.loads(file.read_text())["status"].get(kind, "")
            if status not in ("", "waiting", "running"):
                return status
            time.sleep(0.1)
        raise AssertionError(f"{kind} did not end: {file.read_text()}")

    def result(self, job: str, kind: str):
        return json.loads((self.folder / job.rpartition("/")[2] / f"{kind}.json").read_text())

    def memory(self) -> int:
        """Kilobytes the server process holds."""
        return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.process.pid}/status").read_text())[1])

    def stop(self) -> None:
        self.process.terminate()
        complaints = self.process.communicate(timeout=20)[1]
        assert "Traceback" not in complaints, complaints
