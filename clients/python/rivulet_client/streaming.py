"""Follows topics over server-sent events: reconnects, resumes after the last event, and hands each event on once."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import httpx

from .sse import SseParser

_HEARTBEAT_SECONDS = 15
# Silence of three heartbeats is a dead connection.
_TIMEOUT = httpx.Timeout(10, read=3 * _HEARTBEAT_SECONDS)
_FIRST_DELAY_SECONDS = 0.25
_LONGEST_DELAY_SECONDS = 10.0


class _Client(Protocol):
    """What is used of a generated client."""

    def get_httpx_client(self) -> httpx.Client: ...

    def get_async_httpx_client(self) -> httpx.AsyncClient: ...


@dataclass(frozen=True)
class Event:
    """An event of a topic; ``cursor`` is where to go on after it."""

    topic: str
    type: str
    epoch: str
    seq: int
    data: dict[str, Any]
    at: str | None = None

    @property
    def cursor(self) -> str:
        return f"{self.epoch}.{self.seq}"


class StreamRefused(Exception):
    """The server refuses the stream: trying again would not help."""

    def __init__(self, status: int, code: str, message: str, hint: str | None) -> None:
        super().__init__(f"{code}: {message}" + (f" {hint}" if hint else ""))
        self.status = status
        self.code = code
        self.hint = hint


def stream(
    client: _Client,
    topics: str | Sequence[str],
    *,
    cursor: str | None = None,
    follow: bool = False,
    max_failures: int | None = None,
) -> Iterator[Event]:
    """Yields the events of topics, across lost connections.

    ``cursor`` is where to begin: the ``cursor`` of an event (one topic), ``"0"`` for the oldest events kept,
    ``topic=cursor,topic=cursor`` for several, or None for what happens from now on. The iteration ends with the runs
    that the topics are about, unless ``follow`` is set. After ``max_failures`` failed connections in a row the last
    failure is raised; without it there is no limit. A ``stream.gap`` says that events of its topic are lost to this
    reader, and that what it shows must be loaded again.

    Raises StreamRefused where the server refuses, as for a wrong key.
    """
    place = _Place(topics, cursor, follow, max_failures)
    http = client.get_httpx_client()
    while True:
        delay: float
        try:
            with http.stream("GET", "/api/events", params=place.query(), headers=_HEADERS, timeout=_TIMEOUT) as answer:
                if answer.status_code == 204:
                    return
                if answer.status_code != 200:
                    answer.read()
                    place.refused(answer)
                parser = SseParser()
                for piece in answer.iter_raw():
                    for data in parser.push(piece):
                        event = place.take(data)
                        if event:
                            yield event
            delay = place.ended()
        except (httpx.TransportError, _Unavailable) as failure:
            delay = place.failed(failure)
        time.sleep(delay)


async def astream(
    client: _Client,
    topics: str | Sequence[str],
    *,
    cursor: str | None = None,
    follow: bool = False,
    max_failures: int | None = None,
) -> AsyncIterator[Event]:
    """The same as ``stream``, for asyncio."""
    place = _Place(topics, cursor, follow, max_failures)
    http = client.get_async_httpx_client()
    while True:
        delay: float
        try:
            request = http.stream("GET", "/api/events", params=place.query(), headers=_HEADERS, timeout=_TIMEOUT)
            async with request as answer:
                if answer.status_code == 204:
                    return
                if answer.status_code != 200:
                    await answer.aread()
                    place.refused(answer)
                parser = SseParser()
                async for piece in answer.aiter_raw():
                    for data in parser.push(piece):
                        event = place.take(data)
                        if event:
                            yield event
            delay = place.ended()
        except (httpx.TransportError, _Unavailable) as failure:
            delay = place.failed(failure)
        await asyncio.sleep(delay)


# As it is sent: a body that is decompressed comes in pieces of its own.
_HEADERS = {"accept": "text/event-stream", "accept-encoding": "identity"}


class _Unavailable(Exception):
    """The server cannot serve the stream now."""


class _Place:
    """Where each topic stands, and how long to wait before the next connection."""

    def __init__(self, topics: str | Sequence[str], cursor: str | None, follow: bool, max_failures: int | None) -> None:
        self._topics = [topics] if isinstance(topics, str) else list(topics)
        if not self._topics:
            raise ValueError("Name at least one topic, such as run:1.")
        self._follow = follow
        self._max_failures = max_failures
        self._failures = 0
        self._cursors: dict[str, str] = {}
        self._seen: dict[str, tuple[str, int]] = {}
        if cursor and "=" in cursor:
            self._cursors = dict(part.split("=", 1) for part in cursor.split(",") if "=" in part)
        elif cursor:
            self._cursors = dict.fromkeys(self._topics, cursor)

    def query(self) -> dict[str, str]:
        query = {"topics": ",".join(self._topics), "heartbeatSeconds": str(_HEARTBEAT_SECONDS), "lean": "true"}
        last = ",".join(f"{topic}={self._cursors[topic]}" for topic in self._topics if topic in self._cursors)
        if last:
            query["lastEventId"] = last
        if self._follow:
            query["follow"] = "true"
        return query

    def take(self, data: str) -> Event | None:
        """The event of a message, unless it was handed on before."""
        raw = json.loads(data)
        event = Event(
            topic=raw["topic"],
            type=raw["type"],
            epoch=raw.get("epoch") or "",
            seq=raw.get("seq") or 0,
            data=raw.get("data") or {},
            at=raw.get("atUtc"),
        )
        self._failures = 0
        if event.type == "stream.gap":
            # What the server still keeps follows, beginning with the oldest.
            before = max(0, int(event.data.get("oldestSeq") or 0) - 1)
            self._stand(event.topic, event.epoch, before)
            return event
        if self._seen.get(event.topic, ("", 0))[0] == event.epoch and event.seq <= self._seen[event.topic][1]:
            return None
        self._stand(event.topic, event.epoch, event.seq)
        return event

    def _stand(self, topic: str, epoch: str, seq: int) -> None:
        if epoch:
            self._seen[topic] = (epoch, seq)
            self._cursors[topic] = f"{epoch}.{seq}"

    def refused(self, answer: httpx.Response) -> None:
        if answer.status_code == 429 or answer.status_code >= 500:
            raise _Unavailable(f"The server answered {answer.status_code}.")
        try:
            said = answer.json()
        except ValueError:
            said = {}
        code = said.get("errorCode") or f"HTTP_{answer.status_code}"
        raise StreamRefused(answer.status_code, code, said.get("error") or "The stream was refused.", said.get("hint"))

    def ended(self) -> float:
        """Seconds to wait after the server has ended the stream in good order: none at first."""
        self._failures += 1
        return 0.0 if self._failures == 1 else self._delay()

    def failed(self, failure: Exception) -> float:
        self._failures += 1
        if self._max_failures is not None and self._failures > self._max_failures:
            raise failure
        return self._delay()

    def _delay(self) -> float:
        most = min(_LONGEST_DELAY_SECONDS, _FIRST_DELAY_SECONDS * 2 ** min(self._failures, 10))
        return random.uniform(most / 2, most)
