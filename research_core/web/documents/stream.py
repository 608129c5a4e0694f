"""Read a file in bounded pieces from front to back, decompressing it if needed.

For web archives, which may be large, truncated or hostile. Records are parsed in `warc`.
"""

from __future__ import annotations

import zlib
from typing import Protocol

from research_core.errors import FetchError

#: Bytes of a line, and lines of headers.
MAX_LINE_BYTES, MAX_HEAD_LINES = 16_384, 200
#: Bytes one file may unpack to.
MAX_FILE_BYTES = 8_000_000_000
CHUNK = 65_536


class ReadableFile(Protocol):
    def read(self, size: int, /) -> bytes: ...


class BytesFile:
    """Bytes in memory as a file."""

    def __init__(self, body: bytes) -> None:
        self._body, self._at = body, 0

    def read(self, size: int, /) -> bytes:
        self._at += size
        return self._body[self._at - size : self._at]


class RecordStream:
    """A bounded reader of lines, headers and bytes.

    packed: the file may be compressed, by record or as a whole; False takes its bytes as they are.
    """

    def __init__(
        self, file: ReadableFile, *, packed: bool = True, most: int = MAX_FILE_BYTES
    ) -> None:
        self._file = file
        self._held = bytearray()
        self._left = self._most = most
        self._packed = b""
        first = file.read(CHUNK)
        first += (
            file.read(CHUNK) if len(first) == 1 else b""
        )  # two bytes tell whether it is compressed
        self._unpacker = (
            zlib.decompressobj(zlib.MAX_WBITS | 16)
            if packed and first.startswith(b"\x1f\x8b")
            else None
        )
        if self._unpacker:
            self._packed = first
        else:
            self._held += first

    def read_line(self) -> bytes:
        """Return the next line with its end; less at the end of the file.

        Raises FetchError if there is no line end within `MAX_LINE_BYTES` bytes.
        """
        at = 0
        while (end := self._held.find(b"\n", at)) < 0:
            at = len(self._held)
            if at > MAX_LINE_BYTES:
                raise make_broken_error("a line has no end")
            if not self._read_more():
                end = at - 1
                break
        if end >= MAX_LINE_BYTES:
            raise make_broken_error("a line has no end")
        return self._take(end + 1)

    def read_exactly(self, length: int) -> bytes:
        while len(self._held) < length:
            if not self._read_more():
                raise make_broken_error("it breaks off within a record")
        return self._take(length)

    def skip(self, length: int) -> None:
        while length > len(self._held):
            length -= len(self._held)
            self._held.clear()
            if not self._read_more():
                raise make_broken_error("it breaks off within a record")
        self._take(length)

    def read_rest(self) -> bytes:
        """Return everything that is left."""
        while self._read_more():
            pass
        return self._take(len(self._held))

    def _take(self, length: int) -> bytes:
        taken = bytes(self._held[:length])
        del self._held[:length]
        return taken

    def _read_more(self) -> bool:
        """Read another piece into the buffer. Return False at the end. Raises FetchError."""
        piece = self._file.read(CHUNK) if self._unpacker is None else self._decompress()
        self._left -= len(piece)
        if self._left < 0:
            raise FetchError(
                f"The web archive unpacks to more than {self._most:,} bytes.", kind="too_large"
            )
        self._held += piece
        return bool(piece)

    def _decompress(self) -> bytes:
        """Return the next decompressed piece; b"" at the end, even a premature one."""
        assert self._unpacker is not None
        while True:
            if self._unpacker.eof:
                self._packed = (self._unpacker.unused_data or self._file.read(CHUNK)).lstrip(b"\0")
                if not self._packed:
                    return b""
                self._unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
            packed = self._packed or self._file.read(CHUNK)
            if not packed:
                return self._unpacker.flush()
            try:
                piece = self._unpacker.decompress(packed, CHUNK)
            except zlib.error:
                raise make_broken_error("it does not decompress") from None
            self._packed = self._unpacker.unconsumed_tail
            if piece:
                return piece


def read_headers(stream: RecordStream, encoding: str = "utf-8") -> dict[str, str]:
    """Read headers up to the empty line, names in lower case. Raises FetchError.

    Repeated names and continued lines are joined.
    """
    found: dict[str, str] = {}
    name = ""
    for _ in range(MAX_HEAD_LINES):
        line = stream.read_line()
        if not line.endswith(b"\n"):
            raise make_broken_error("it breaks off among headers")
        text = line.rstrip(b"\r\n").decode(encoding, "replace")
        if not text:
            return found
        if text[0] in " \t" and name:
            found[name] = f"{found[name]} {text.strip()}"[:MAX_LINE_BYTES]
            continue
        name, colon, value = text.partition(":")
        name = (
            name.strip().lower() if colon else ""
        )  # what has none is no header, and what stands in below it belongs to none
        if name:
            found[name] = (
                f"{found[name]}, {value.strip()}"[:MAX_LINE_BYTES]
                if name in found
                else value.strip()
            )
    raise make_broken_error("it has headers without end")


def make_broken_error(why: str) -> FetchError:
    return FetchError(f"The web archive is damaged: {why}.", kind="bad_reply")
