"""Write web archives (WARC/1.1) from recorded answers, and read any file that claims to be one.

What is written are the recorded answers: decompressed bodies and the headers that are kept. Reading
is bounded in every direction and keeps what it understands of a broken file. `kinds` reads the
pages.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import uuid
import zlib
from base64 import b32encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import BinaryIO

from research_core.errors import FetchError
from research_core.models import HttpReply
from research_core.web.documents.stream import (
    MAX_FILE_BYTES,
    MAX_HEAD_LINES,
    MAX_LINE_BYTES,
    BytesFile,
    ReadableFile,
    RecordStream,
    make_broken_error,
    read_headers,
)
from research_core.web.signatures import MAX_DOCUMENT_BYTES

VERSION = "WARC/1.1"
#: Namespace of record ids, so that the same answers give the same file.
_ID_NAMESPACE = uuid.UUID("6f0e6a2c-5d0b-4a3c-9f0a-a55a70000001")
_LINE_BREAK = b"\r\n"


@dataclass(frozen=True)
class Capture:
    """A page as it was answered.

    url: final address; at: seconds since the epoch, 0 if unknown; notes: fields of a metadata
    record; drawn: the HTML a browser rendered, not what a server sent.
    """

    url: str
    at: float
    reply: HttpReply
    notes: Mapping[str, str] = field(default_factory=dict)
    drawn: bool = False


# ---------------------------------------------------------------- writing


def write_archive(
    out: BinaryIO, captures: Iterable[Capture], about: Mapping[str, str], *, at: float
) -> int:
    """Write captures as an archive, each record compressed by itself; return how many.

    about, at: fields and time of the record that describes the file.
    """
    told = {
        "format": "WARC File Format 1.1",
        "conformsTo": "http://iipc.github.io/warc-specifications/",
        **about,
    }
    first = {"WARC-Type": "warcinfo", "Content-Type": "application/warc-fields"}
    out.write(_format_record(first, at, _format_fields(told), f"warcinfo {told}"))
    count = 0
    for count, capture in enumerate(captures, 1):
        out.write(_format_capture_records(capture, count))
    return count


def _format_capture_records(capture: Capture, number: int) -> bytes:
    """Return the records of one page."""
    body = capture.reply.body
    target = {
        "WARC-Target-URI": _format_header_line(capture.url).replace(" ", "%20"),
        "WARC-Payload-Digest": _compute_digest(body),
    }
    if capture.drawn:
        kind = _format_header_line(capture.reply.headers.get("content-type", "text/html"))
        page = {"WARC-Type": "resource", **target, "Content-Type": kind}
        block = body
    else:
        page = {
            "WARC-Type": "response",
            **target,
            "Content-Type": "application/http; msgtype=response",
        }
        block = _format_http_reply(capture.reply)
    seed = f"{number} {capture.url} {capture.at} {_compute_digest(block)}"
    written = _format_record(page, capture.at, block, seed)
    if not capture.notes and not capture.reply.hops:
        return written
    told = {**({"via": capture.reply.hops[0]} if capture.reply.hops else {}), **capture.notes}
    note = {
        "WARC-Type": "metadata",
        "WARC-Target-URI": target["WARC-Target-URI"],
        "WARC-Concurrent-To": _record_id(seed),
    }
    return written + _format_record(
        {**note, "Content-Type": "application/warc-fields"},
        capture.at,
        _format_fields(told),
        f"{seed} metadata",
    )


def _format_record(headers: Mapping[str, str], at: float, block: bytes, seed: str) -> bytes:
    date = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    more = {
        "WARC-Record-ID": _record_id(seed),
        "WARC-Date": date,
        "WARC-Block-Digest": _compute_digest(block),
        "Content-Length": str(len(block)),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in {**headers, **more}.items())
    return gzip.compress(
        f"{VERSION}\r\n{head}\r\n".encode("utf-8", "replace") + block + 2 * _LINE_BREAK, 6, mtime=0
    )


def _format_http_reply(reply: HttpReply) -> bytes:
    """Format an answer as HTTP.

    Its body is decompressed, so the content length is recomputed.
    """
    phrases = {status.value: status.phrase for status in HTTPStatus}
    head = [f"HTTP/1.1 {reply.status} {phrases.get(reply.status, 'Unknown')}"]
    for name, value in reply.headers.items():
        if name.lower() not in CODING_HEADERS:
            head.append(f"{_format_header_line(name)}: {_format_header_line(value)}")
    head.append(f"content-length: {len(reply.body)}")
    text = "".join(f"{line}\r\n" for line in (*head, ""))
    return text.encode("latin-1", "replace") + reply.body


def _format_fields(told: Mapping[str, str]) -> bytes:
    lines = [f"{name}: {_format_header_line(value)}\r\n" for name, value in told.items()]
    return "".join(lines).encode("utf-8", "replace")


def _format_header_line(text: str) -> str:
    """Return text as one line, since a header ends at its line end."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _compute_digest(body: bytes) -> str:
    return f"sha1:{b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode()}"


def _record_id(seed: str) -> str:
    return f"<urn:uuid:{uuid.uuid5(_ID_NAMESPACE, seed)}>"


# ---------------------------------------------------------------- reading

#: Bytes of a page's decoded body.
MAX_RECORD_BYTES = MAX_DOCUMENT_BYTES
#: Headers that describe how a body was sent, which do not apply to the decoded body.
CODING_HEADERS = frozenset({"content-encoding", "transfer-encoding", "content-length"})
#: Compressions that browsers accept and this reader does not know.
UNSUPPORTED_CODINGS = {"br": "Brotli", "zstd": "Zstandard"}
_VERSION_LINE = re.compile(rb"WARC/\d\.\d{1,2}\s*")
_CHUNK_HEADER = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]{0,1000})?\r?\n")
_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})(?: .*)?")
_WEB_URL = re.compile(r"https?://[^\s<>]+", re.IGNORECASE)
OnSkip = Callable[[str, str], None]


def read_archive(
    file: ReadableFile, *, most: int = MAX_FILE_BYTES, on_skip: OnSkip = lambda url, why: None
) -> Iterator[Capture]:
    """Yield the pages of a web archive, compressed or not, in order.

    on_skip: called with (address or "", reason) for each page that cannot be read. Raises
    FetchError: `unsupported` if it is not a web archive, `bad_reply` if it is truncated or
    malformed, after what could be read; `too_large` if it unpacks to more than `most` bytes.
    """
    stream = RecordStream(file, most=most)
    line = _read_first_line(stream)
    while line:
        head = read_headers(stream)
        length = head.get("content-length", "")
        if not re.fullmatch(r"[0-9]{1,12}", length):
            raise make_broken_error("a record does not say how long it is")
        yield from _read_capture(stream, head, int(length), on_skip)
        line = stream.read_line()
        while line and not line.strip():
            line = stream.read_line()
        if line and not _VERSION_LINE.fullmatch(line):
            raise make_broken_error("a record is longer or shorter than it says")


def _read_first_line(stream: RecordStream) -> bytes:
    try:
        if _VERSION_LINE.fullmatch(line := stream.read_line()):
            return line
    except FetchError:
        pass  # whatever it is, it does not begin as one
    raise FetchError("This is not a web archive (WARC).", kind="unsupported")


def _read_capture(
    stream: RecordStream, head: Mapping[str, str], length: int, on_skip: OnSkip
) -> Iterator[Capture]:
    """Yield the page of a record, if it has one, and move the stream past the record."""
    url, kind = head.get("warc-target-uri", "").strip("<>"), head.get("warc-type", "").lower()
    is_page = kind == "resource" or (
        kind == "response" and head.get("content-type", "").lower().startswith("application/http")
    )
    if not is_page or not _WEB_URL.fullmatch(url):
        stream.skip(length)
        return
    if length > MAX_RECORD_BYTES + MAX_LINE_BYTES * MAX_HEAD_LINES:
        on_skip(url, f"it is larger than {MAX_RECORD_BYTES:,} bytes")
        stream.skip(length)
        return
    block = stream.read_exactly(length)
    try:
        reply = _parse_reply(url, head, block)
    except ValueError as error:
        on_skip(url, str(error))
    else:
        yield Capture(
            url, _parse_moment(head.get("warc-date", "")), reply, drawn=kind == "resource"
        )


def _parse_reply(url: str, head: Mapping[str, str], block: bytes) -> HttpReply:
    """Parse a record into an answer. Raises ValueError with the reason."""
    if head["warc-type"].lower() == "resource":
        return HttpReply(
            url, 200, {"content-type": head.get("content-type", "")}, block[:MAX_RECORD_BYTES]
        )
    stream = RecordStream(BytesFile(block), packed=False)
    try:
        status = _STATUS_LINE.fullmatch(stream.read_line().rstrip())
        headers = read_headers(stream, "latin-1")
    except FetchError:
        raise ValueError("the answer's headers have no end") from None
    if status is None:
        raise ValueError("the answer has no status")
    body = _decode_body(stream.read_rest(), headers)
    return HttpReply(
        url,
        int(status[1]),
        {name: value for name, value in headers.items() if name not in CODING_HEADERS},
        body,
    )


def _decode_body(body: bytes, headers: Mapping[str, str]) -> bytes:
    """Undo the transfer and content encodings of a body. Raises ValueError if that fails."""
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body = _join_chunks(body)
    codings = [word.strip().lower() for word in headers.get("content-encoding", "").split(",")]
    for coding in reversed(codings[:2]):  # nobody packs twice; who says so means harm
        if coding in ("gzip", "x-gzip", "deflate"):
            body = _decompress_body(body, coding)
        elif coding in UNSUPPORTED_CODINGS:
            raise ValueError(
                f"its body is compressed by {UNSUPPORTED_CODINGS[coding]}, which is not read; "
                f"archive it again"
                " with `Accept-Encoding: gzip`"
            )
        elif coding not in ("", "identity"):
            raise ValueError(f"its body is encoded in a way that is not read ({coding[:20]})")
    if len(body) > MAX_RECORD_BYTES:
        raise ValueError(f"it is larger than {MAX_RECORD_BYTES:,} bytes")
    return body


def _join_chunks(body: bytes) -> bytes:
    """Join the chunks of a body; a body stored without them stays as it is."""
    out: list[bytes] = []
    at = 0
    while size := _CHUNK_HEADER.match(body, at):
        length = int(size[1], 16)
        if length == 0:
            return b"".join(out)
        at = size.end() + length
        out.append(body[size.end() : at])
        if body[at : at + 2] == b"\r\n":
            at += 2
        elif body[at : at + 1] == b"\n":
            at += 1
    if not out:
        return body
    raise ValueError("its chunks do not fit together")


def _decompress_body(body: bytes, coding: str) -> bytes:
    """Decompress a body; one that was stored decompressed stays as it is."""
    if coding != "deflate" and not body.startswith(b"\x1f\x8b"):
        return body
    windows = [zlib.MAX_WBITS | 32]
    if coding == "deflate":
        windows.append(-zlib.MAX_WBITS)
    for window in windows:
        unpacker = zlib.decompressobj(window)
        try:
            out = unpacker.decompress(body, MAX_RECORD_BYTES + 1)
        except zlib.error:
            continue
        if len(out) > MAX_RECORD_BYTES:
            raise ValueError(f"it is larger than {MAX_RECORD_BYTES:,} bytes")
        return out
    raise ValueError("its body does not decompress")


def _parse_moment(text: str) -> float:
    try:
        return max(
            0.0, datetime.fromisoformat(text.replace("Z", "+00:00")).replace(tzinfo=UTC).timestamp()
        )
    except (ValueError, OverflowError):
        return 0.0
