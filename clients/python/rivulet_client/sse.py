"""Server-sent events from pieces of a body (WHATWG HTML, section 9.2.6)."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

# Only these end a line. str.splitlines knows more, which may stand inside of data.
_LINE_END = re.compile(r"\r\n|\r|\n")


class SseParser:
    """An incremental parser: takes bytes as they come, and gives the data of the messages that they complete."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._rest = ""
        self._data: list[str] = []

    def push(self, piece: bytes) -> Iterator[str]:
        self._rest += self._decoder.decode(piece)
        start = 0
        for end in _LINE_END.finditer(self._rest):
            # A CR at the very end may be half of a CRLF.
            if end.group() == "\r" and end.end() == len(self._rest):
                break
            line = self._rest[start : end.start()]
            start = end.end()
            if line:
                self._field(line)
            elif self._data:
                yield "\n".join(self._data)
                self._data = []
        self._rest = self._rest[start:]

    def _field(self, line: str) -> None:
        name, _, value = line.partition(":")
        if name == "data":
            self._data.append(value.removeprefix(" "))
