"""One file from a publisher, whole or not at all.

A download is written to `.NAME.part` beside its final name and renamed when it is whole and checked. A broken one is taken up
where it stopped, provided the server says that the file is still the same (ETag or Last-Modified with If-Range); a server
that does not know ranges, or has another file by now, sends all of it again. Only https is spoken, on every redirect too;
plain http is for the loopback of tests.

The standard library does it: the well-kept package for this, pooch, knows checksums but cannot resume.
"""

from __future__ import annotations

import errno
import http.client
import ipaddress
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from shoal.datasets.catalogue import words_for_bytes
from shoal.errors import InputError
from shoal.files.appear import put_in_place

PATIENCE = 30.0  # seconds without a byte until a connection counts as broken
TRIES = 3
PAUSE = 1.0  # seconds before a broken download is taken up again
LARGEST = 4_000_000_000  # bytes, where the publisher's size is not known
_CHUNK = 1 << 18

Hear = Callable[[int, int | None], None]  # bytes so far, and of how many


class _Broken(Exception):
    """The connection ended too early; what arrived is kept."""


class _OnlySafe(HTTPRedirectHandler):
    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Request | None:
        check_address(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def check_address(address: str) -> None:
    """Refuse what is neither https nor this very machine."""
    parts = urlsplit(address)
    if parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(parts.hostname or "")):
        return
    raise InputError(f"{address}: only https addresses are fetched")


def download(address: str, target: Path, *, most_bytes: int | None = None, hear: Hear | None = None) -> Path:
    """Bring a file to `.NAME.part` beside the target, taking up what an earlier try left there; gives that path."""
    check_address(address)
    part = target.with_name(f".{target.name}.part")
    with _alone(part, target.name):
        for attempt in range(TRIES):
            try:
                _go_on(address, part, most_bytes or LARGEST, hear or (lambda done, of: None))
                return part
            except _Broken as broken:
                if attempt == TRIES - 1:
                    raise InputError(
                        f"{address}: {broken}; what arrived is kept, the same command goes on from there"
                    ) from None
                time.sleep(PAUSE)
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT):
                    raise InputError(f"{part.parent}: no room is left there for {target.name}") from None
                raise InputError(f"{part}: cannot be written ({error.strerror})") from None
    raise AssertionError


def forget(part: Path) -> None:
    """Throw a download away, with what is noted about it."""
    part.unlink(missing_ok=True)
    _note(part).unlink(missing_ok=True)


def finish(part: Path, target: Path) -> None:
    """Let a whole, checked download appear under its name."""
    put_in_place(part, target)
    _note(part).unlink(missing_ok=True)


def _go_on(address: str, part: Path, most: int, hear: Hear) -> None:
    """One request: from the beginning, or from where the part ends."""
    have, validator = _left_over(address, part)
    headers = {"User-Agent": "shoal", "Accept-Encoding": "identity"}
    if have:
        headers |= {"Range": f"bytes={have}-", "If-Range": validator}
    try:
        answer = build_opener(_OnlySafe).open(Request(address, headers=headers), timeout=PATIENCE)  # noqa: S310 - checked
    except HTTPError as error:
        if error.code == 416 and have:  # the part is all there is, or the file is shorter now
            if _total(error.headers.get("Content-Range")) == have:
                return
            forget(part)
            raise _Broken("the file became shorter while it was fetched") from None
        raise _Broken(str(error)) if error.code >= 500 else _refused(address, error) from None
    except URLError as error:
        raise _unreachable(address, error.reason) from None
    except (OSError, http.client.HTTPException) as error:
        raise _Broken(_words(error)) from None
    with answer:
        if answer.status != 206:
            have = 0
        elif _start(answer.headers.get("Content-Range")) != have:
            forget(part)
            raise _Broken("the server sent another part than was asked for")
        length = answer.headers.get("Content-Length", "")
        total = have + int(length) if length.isdecimal() else None
        if total is None and not answer.chunked:
            raise InputError(
                f"{address}: the server does not say how long the file is, so a broken download would look whole"
            )
        if total is not None and total > most:
            raise _too_large(address, part, most)
        _check_room(part, (total or 0) - have)
        _note(part).write_text(json.dumps({"address": address, "validator": _validator(answer.headers)}), "utf-8")
        with part.open("ab" if have else "wb") as out:
            have = _pour(answer, out, have, total, lambda done: _over(address, part, done, most), hear)
    if total is not None and have < total:
        raise _Broken(f"the connection broke after {words_for_bytes(have)} of {words_for_bytes(total)}")


def _pour(
    answer: http.client.HTTPResponse,
    out: IO[bytes],
    have: int,
    total: int | None,
    check: Callable[[int], None],
    hear: Hear,
) -> int:
    """Write what comes; gives how much there is now."""
    while True:
        try:
            piece = answer.read1(_CHUNK)
        except (OSError, http.client.HTTPException) as error:
            raise _Broken(f"the connection broke after {words_for_bytes(have)} ({_words(error)})") from None
        if not piece:
            return have
        have += len(piece)
        check(have)
        out.write(piece)
        hear(have, total)


def _left_over(address: str, part: Path) -> tuple[int, str]:
    """What an earlier try left, if the server can be asked whether it still fits."""
    try:
        note = json.loads(_note(part).read_text("utf-8"))
        if note["address"] == address and note["validator"]:
            return part.stat().st_size, note["validator"]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return 0, ""


def _note(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _validator(headers: Any) -> str:
    """What If-Range may carry: a strong ETag, else the date of the last change."""
    tag = headers.get("ETag", "")
    return tag if tag and not tag.startswith("W/") else headers.get("Last-Modified", "")


def _start(content_range: str | None) -> int | None:
    """The first byte of `bytes 5-9/10`."""
    words = (content_range or "").removeprefix("bytes ").split("-")
    return int(words[0]) if words[0].isdecimal() else None


def _total(content_range: str | None) -> int | None:
    """The size in `bytes */10`."""
    size = (content_range or "").rpartition("/")[2]
    return int(size) if size.isdecimal() else None


def _over(address: str, part: Path, done: int, most: int) -> None:
    if done > most:
        raise _too_large(address, part, most)


def _too_large(address: str, part: Path, most: int) -> InputError:
    forget(part)
    return InputError(
        f"{address}: the file is larger than {words_for_bytes(most)}, which it should not be; nothing is kept"
    )


def _check_room(part: Path, needed: int) -> None:
    free = shutil.disk_usage(part.parent).free
    if needed > free:
        raise InputError(
            f"{part.parent}: no room is left there; {words_for_bytes(needed)} are needed and {words_for_bytes(free)} free"
        )


def _refused(address: str, error: HTTPError) -> InputError:
    return InputError(
        f"{address}: the publisher's server answers {error.code} ({error.reason}); the file may have moved"
    )


def _unreachable(address: str, reason: object) -> Exception:
    """A refused or lost connection may pass; a name that nobody knows, or a wrong certificate, does not."""
    if isinstance(reason, ConnectionResetError | TimeoutError):
        return _Broken(_words(reason))
    host = urlsplit(address).hostname
    return InputError(f"{address}: {host} cannot be reached ({_words(reason)}); is there a network?")


def _words(error: object) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextmanager
def _alone(part: Path, name: str) -> Iterator[None]:
    """Keep a second process off the same part, where the system can."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        yield
        return
    folder = os.open(part.parent, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{name}: another process is fetching it just now") from None
        except OSError:
            pass  # a file system without locks
        yield
    finally:
        os.close(folder)
