"""How long a connection may take, and how many there may be: nobody can fill the house so that its owner stands outside.

A connection is given up when its head is not there within seconds, or when its body trickles. Beyond a number of connections
every new one takes the place of the one that matters least: somebody whose head is still missing, then the smallest body,
then the oldest answer. Nobody is turned away at the door, because whoever knocks may be the owner; a guest without the
token is refused as soon as the head is read (:mod:`shoal.web.guard`) and leaves at once.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 128  # connections at a time; a process may often open no more than 256 files
BACKLOG = 32  # taken in one turn of the loop, so that heads are read in between
HEAD_SECONDS = 5.0
BODY_SECONDS, BODY_BYTES = 60.0, 10_000  # a body brings so many bytes in every such stretch, or ends
YOUNG = 1.0  # seconds for which a connection is the last to go


class PatientProtocol(H11Protocol):
    """HTTP/1.1 of uvicorn for connections that get on with it."""

    connections: set[Any]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a new connection, in the place of another if there are too many."""
        super().connection_made(transport)
        self._timer: asyncio.TimerHandle | None = None
        self._stage: Any = None
        self._watch()
        others = [c for c in self.connections if c is not self and not c.transport.is_closing()]
        if len(others) >= MOST:
            min(others, key=PatientProtocol._worth).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop watching."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count what comes, and see whether the head or the body is complete."""
        self._bytes += len(data)
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request of a connection that is kept."""
        super().on_response_complete()
        self._watch()

    def _watch(self) -> None:
        """Start the clock anew whenever the connection has come a stage further: head, body, answer."""
        stage = self.conn.their_state
        if stage is self._stage:
            return
        self._stop()
        self._stage, self._since, self._bytes = stage, self.loop.time(), 0
        if stage is h11.IDLE:
            self._timer = self.loop.call_later(HEAD_SECONDS, self.transport.abort)
        elif stage is h11.SEND_BODY:
            self._timer = self.loop.call_later(BODY_SECONDS, self._weigh, 0)

    def _weigh(self, before: int) -> None:
        """Give up a body that trickles, unless it waits for us."""
        if self._bytes - before < BODY_BYTES and not self.flow.read_paused:
            self.transport.abort()
        else:
            self._timer = self.loop.call_later(BODY_SECONDS, self._weigh, self._bytes)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _worth(self) -> tuple[bool, int, int, float]:
        """Who goes first: not the young, heads before bodies before answers, the smallest body, the oldest."""
        stage = {h11.IDLE: 0, h11.SEND_BODY: 1}.get(self._stage, 2)
        return self.loop.time() - self._since < YOUNG, stage, self._bytes if stage == 1 else 0, self._since
