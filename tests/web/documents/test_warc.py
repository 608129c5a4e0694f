"""Web archives: what is written can be read by anybody, what is read may be anything, and a
session's pages come back as they were.
"""

from __future__ import annotations

import gzip
import io
import random
import tracemalloc
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import FetchError
from research_core.models import HttpReply
from research_core.web.documents import stream, warc
from research_core.web.documents.warc import MAX_RECORD_BYTES, Capture, read_archive
from tests.timing import check_cpu_time

URL = "https://pages.example.org/seals"
AT = 1_790_000_000.125
PAGE = HttpReply(
    URL,
    200,
    {"content-type": "text/html; charset=utf-8", "etag": '"é"'},
    "<p>Grüße</p>\r\n\r\nWARC/1.1\r\n".encode(),
)


def written(*captures: Capture, **about: str) -> bytes:
    out = io.BytesIO()
    assert warc.write_archive(out, captures, about, at=AT) == len(captures)
    return out.getvalue()


def reading(body: bytes, **options: Any) -> tuple[list[Capture], list[tuple[str, str]], str]:
    """What was read, what was passed over, and the kind of error it ended in."""
    found, skipped = list[Capture](), list[tuple[str, str]]()
    try:
        for capture in read_archive(
            io.BytesIO(body), on_skip=lambda url, why: skipped.append((url, why)), **options
        ):
            found.append(capture)
    except FetchError as error:
        return found, skipped, error.kind
    return found, skipped, ""


def record(
    block: bytes,
    kind: str = "response",
    url: str = URL,
    *,
    length: int | None = None,
    **headers: str,
) -> bytes:
    """A record as others write it. headers: names with _ for -."""
    told = {
        "WARC-Type": kind,
        "WARC-Target-URI": url,
        "WARC-Date": "2026-09-21T14:13:20Z",
        "Content-Type": "application/http; msgtype=response",
    }
    told |= {"Content-Length": str(len(block) if length is None else length)} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in told.items() if value)
    return b"WARC/1.0\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n"


def answer(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    return (
        f"HTTP/1.1 {status}\r\n".encode()
        + "".join(f"{header}\r\n" for header in headers).encode()
        + b"\r\n"
        + body
    )


# ---------------------------------------------------------------- there and back

LINES = st.text(
    st.characters(min_codepoint=33, max_codepoint=255).filter(str.isprintable), max_size=20
)
REPLIES = st.builds(
    HttpReply,
    st.just(URL),
    st.integers(100, 599),
    st.dictionaries(
        st.sampled_from(["content-type", "etag", "date", "last-modified", "location"]), LINES
    ),
    st.binary(max_size=300)
    | st.binary(max_size=50).map(lambda body: b"\r\n\r\nWARC/1.1\r\n" + body),
)


@given(
    captures=st.lists(
        st.builds(Capture, st.just(URL), st.integers(0, 2**35).map(lambda ms: ms / 1000), REPLIES),
        max_size=4,
    )
)
def test_what_is_written_comes_back(captures: list[Capture]) -> None:
    body = written(*captures)
    for packed in (body, gzip.decompress(body), gzip.compress(gzip.decompress(body))):
        assert reading(packed) == (captures, [], "")


def test_the_same_pages_give_the_same_bytes_record_by_record() -> None:
    captures = [
        Capture(URL, AT, PAGE),
        Capture(URL, AT, PAGE),
        Capture(f"{URL}/2", AT, replace(PAGE, url=f"{URL}/2")),
    ]
    first = written(*captures, software="Assay")
    assert first == written(*captures, software="Assay")
    text = gzip.decompress(first)
    ids = [line for line in text.splitlines() if line.startswith(b"WARC-Record-ID")]
    assert len(set(ids)) == len(ids) == 4
    unpacker, members, rest = zlib.decompressobj(31), 0, first
    while rest:  # each record is a gzip member of its own, as other tools need it
        unpacker = zlib.decompressobj(31)
        assert unpacker.decompress(rest).startswith(b"WARC/1.1\r\n")
        members, rest = members + 1, unpacker.unused_data
    assert members == 4


def test_a_page_is_told_with_what_became_of_it_and_what_led_to_it() -> None:
    led = replace(PAGE, hops=("http://pages.example.org/old",))
    text = gzip.decompress(
        written(Capture(URL, AT, led, {"decision": "kept", "reason": "one\r\nline"}), isPartOf="s")
    ).decode("latin-1")
    assert "WARC-Date: 2026-09-21T14:13:20.125Z\r\n" in text
    assert "via: http://pages.example.org/old\r\ndecision: kept\r\nreason: one line\r\n" in text
    assert "isPartOf: s\r\n" in text
    page, note = (
        part for part in text.split("WARC/1.1\r\n") if "Target-URI" in part and "Record-ID" in part
    )
    assert (
        page.split("WARC-Record-ID: ")[1].split("\r\n")[0]
        == note.split("WARC-Concurrent-To: ")[1].split("\r\n")[0]
    )
    assert reading(written(Capture(URL, AT, led, {"decision": "kept"})))[0] == [
        Capture(URL, AT, PAGE)
    ]


def test_what_a_browser_drew_is_no_answer_of_a_server() -> None:
    drawn = Capture(
        URL,
        AT,
        HttpReply(URL, 200, {"content-type": "text/html; charset=utf-8"}, b"<p>drawn</p>"),
        drawn=True,
    )
    assert b"WARC-Type: resource" in gzip.decompress(written(drawn))
    assert reading(written(drawn)) == ([drawn], [], "")


def test_no_header_of_a_page_writes_one_of_the_archive() -> None:
    evil = HttpReply(
        URL,
        200,
        {"etag": "x\r\nWARC-Type: metadata\r\n\r\nWARC/1.1\r\nWARC-Type: response"},
        b"body",
    )
    found, _, kind = reading(written(Capture("https://a.example.org/\r\nX: y z", AT, evil)))
    assert (len(found), kind, found[0].reply.body) == (1, "", b"body")
    assert found[0].url == "https://a.example.org/%20X:%20y%20z"


# ---------------------------------------------------------------- as others write them

OTHERS = {
    "plain": (answer(b"body", "Content-Type: text/plain"), b"body"),
    "chunked": (
        answer(b"2\r\nbo\r\n2;x=y\r\ndy\r\n0\r\n\r\n", "Transfer-Encoding: chunked"),
        b"body",
    ),
    "chunked, it says": (
        answer(b"body without chunks", "Transfer-Encoding: chunked"),
        b"body without chunks",
    ),
    "compressed": (
        answer(gzip.compress(b"body"), "Content-Encoding: gzip", "Content-Length: 24"),
        b"body",
    ),
    "compressed, it says": (answer(b"body", "Content-Encoding: gzip"), b"body"),
    "deflated": (answer(zlib.compress(b"body"), "Content-Encoding: deflate"), b"body"),
    "deflated without a head": (
        answer(zlib.compress(b"body")[2:-4], "content-encoding: DEFLATE"),
        b"body",
    ),
    "chunked and compressed": (
        answer(
            b"%x\r\n%s\r\n0\r\n\r\n" % (len(gzip.compress(b"body")), gzip.compress(b"body")),
            "Transfer-Encoding: chunked",
            "Content-Encoding: gzip",
        ),
        b"body",
    ),
    "broken off while compressed": (
        answer(gzip.compress(b"body" * 1000)[:-12], "Content-Encoding: gzip"),
        b"body",
    ),
    "lines of Unix": (b"HTTP/1.0 200\nContent-Type: text/plain\n\nbody", b"body"),
    "HTTP/2": (answer(b"body").replace(b"HTTP/1.1", b"HTTP/2"), b"body"),
    "a header on two lines": (
        answer(b"body", "Content-Type: text/plain;", "  charset=utf-8"),
        b"body",
    ),
    "no header": (b"HTTP/1.1 200 OK\r\n\r\nbody", b"body"),
    "a body that looks compressed": (b"HTTP/1.1 200 OK\r\n\r\n\x1f\x8b\x08", b"\x1f\x8b\x08"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_answers_as_other_tools_keep_them(name: str) -> None:
    block, body = OTHERS[name]
    found, skipped, kind = reading(record(block))
    assert (skipped, kind) == ([], "")
    assert found[0].reply.body.startswith(body)
    assert not set(found[0].reply.headers) & warc.CODING_HEADERS


def test_of_a_web_archive_the_pages_are_read_and_nothing_else() -> None:
    body = b"".join(
        [
            record(b"software: x\r\n", "warcinfo", "", Content_Type="application/warc-fields"),
            record(b"GET / HTTP/1.1\r\n\r\n", "request"),
            record(answer(b"one")),
            record(b"", "revisit"),
            record(b"k: v", "metadata"),
            record(b"\x00\x01", "response", "dns:pages.example.org", Content_Type="text/dns"),
            record(
                b"\x00\x01", "response", "https://pages.example.org/dns", Content_Type="text/dns"
            ),
            record(b"two", "resource", f"<{URL}/2>", Content_Type="text/plain"),
            record(b"text", "conversion", Content_Type="text/plain"),
            record(answer(b"three"), WARC_Date="when?"),
            record(answer(b"four"), "whatever"),
        ]
    )
    found, skipped, kind = reading(body)
    assert [(each.url, each.reply.body, each.drawn) for each in found] == [
        (URL, b"one", False),
        (f"{URL}/2", b"two", True),
        (URL, b"three", False),
    ]
    assert [each.at for each in found] == [1_790_000_000.0, 1_790_000_000.0, 0.0]
    assert (found[1].reply.content_type, skipped, kind) == ("text/plain", [], "")


def test_a_file_compressed_as_a_whole_and_one_with_padding_are_read() -> None:
    whole = gzip.compress(record(answer(b"one")) + record(answer(b"two")))
    members = (
        gzip.compress(record(answer(b"one")))
        + b"\0" * 1000
        + gzip.compress(b"")
        + gzip.compress(record(answer(b"two")))
        + b"\0" * 70_000
    )
    for body in (whole, members):
        assert [each.reply.body for each in reading(body)[0]] == [b"one", b"two"]


def test_a_file_that_gives_its_bytes_one_by_one_is_read_alike() -> None:
    class Drip(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(min(size or 1, 1))

    body = written(Capture(URL, AT, PAGE), Capture(URL, AT + 1, PAGE))
    for packed in (body, gzip.decompress(body)):
        assert list(read_archive(Drip(packed))) == [
            Capture(URL, AT, PAGE),
            Capture(URL, AT + 1, PAGE),
        ]


# ---------------------------------------------------------------- broken and hostile

GOOD = record(answer(b"good"))
BROKEN: dict[str, tuple[bytes, int, str]] = {
    # body, pages read, kind of the error
    "nothing": (b"", 0, "unsupported"),
    "a page": (b"<!doctype html><html></html>", 0, "unsupported"),
    "a ZIP": (b"PK\x03\x04" + b"x" * 100, 0, "unsupported"),
    "compressed nonsense": (gzip.compress(b"nonsense" * 1000), 0, "unsupported"),
    "no newline anywhere": (b"x" * 1_000_000, 0, "unsupported"),
    "zeros": (gzip.compress(bytes(10_000_000)), 0, "unsupported"),
    "compressed, broken off at once": (gzip.compress(GOOD)[:12], 0, "unsupported"),
    "broken off in a record": (GOOD + GOOD[:-20], 1, "bad_reply"),
    "broken off in a head": (GOOD + GOOD[:40], 1, "bad_reply"),
    "broken off between records": (GOOD + GOOD[:-4], 2, ""),
    "compressed, broken off": (gzip.compress(GOOD) + gzip.compress(GOOD)[:-30], 1, "bad_reply"),
    "compressed, then not": (gzip.compress(GOOD) + GOOD, 1, "bad_reply"),
    "compressed, damaged": (
        gzip.compress(GOOD) + gzip.compress(GOOD)[:20] + b"damage" * 20,
        1,
        "bad_reply",
    ),
    "longer than it says": (GOOD + record(answer(b"good"), length=10) + GOOD, 1, "bad_reply"),
    "shorter than it says": (GOOD + record(answer(b"good"), length=10_000) + GOOD, 1, "bad_reply"),
    "longer than a computer": (GOOD + record(b"", length=10**30), 1, "bad_reply"),
    "a length that is none": (GOOD + record(b"", Content_Length="-1"), 1, "bad_reply"),
    "no length": (GOOD + record(b"", Content_Length=""), 1, "bad_reply"),
    "headers without end": (GOOD + b"WARC/1.0\r\n" + b"a: b\r\n" * 10_000, 1, "bad_reply"),
    "a header without end": (GOOD + b"WARC/1.0\r\na: " + b"b" * 1_000_000, 1, "bad_reply"),
    "a header that goes on and on": (
        GOOD + b"WARC/1.0\r\na: b\r\n" + b" c\r\n" * 100_000,
        1,
        "bad_reply",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_of_a_broken_file_what_stands_before_the_break_is_read(name: str) -> None:
    body, pages, kind = BROKEN[name]
    found, skipped, ended = reading(body)
    assert ([each.reply.body for each in found], ended) == ([b"good"] * pages, kind)
    assert skipped == [] or name == "longer than it says"


UNREADABLE = {
    "no status": b"no status at all\r\n\r\nbody",
    "empty": b"",
    "headers without end": answer(b"").rstrip() + b"\r\na: b" * 500 + b"\r\n\r\n",
    "an endless status": b"HTTP/1.1 200 " + b"x" * 100_000,
    "an encoding nobody reads": answer(b"body", "Content-Encoding: rot13"),
    "Brotli": answer(b"body", "Content-Encoding: br"),
    "a body that does not decompress": answer(b"\x1f\x8bnonsense", "Content-Encoding: gzip"),
    "chunks that do not fit": answer(b"2\r\nbody\r\n9\r\n", "Transfer-Encoding: chunked"),
    "a bomb": answer(gzip.compress(bytes(MAX_RECORD_BYTES + 1)), "Content-Encoding: gzip"),
    "a bomb in a bomb": answer(
        gzip.compress(gzip.compress(bytes(MAX_RECORD_BYTES + 1))), "Content-Encoding: gzip, gzip"
    ),
    "a large one": answer(bytes(MAX_RECORD_BYTES + 1)),
    "a larger one": answer(bytes(MAX_RECORD_BYTES + stream.MAX_LINE_BYTES * stream.MAX_HEAD_LINES)),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_page_that_cannot_be_read_is_told_and_passed_over(name: str) -> None:
    found, skipped, kind = reading(GOOD + record(UNREADABLE[name]) + GOOD)
    assert ([each.reply.body for each in found], kind) == ([b"good", b"good"], "")
    assert [url for url, _ in skipped] == [URL]
    assert skipped[0][1]


@pytest.mark.parametrize(("coding", "name"), [("br", "Brotli"), ("gzip, zstd", "Zstandard")])
def test_what_browsers_alone_unpack_is_told_with_what_to_do(coding: str, name: str) -> None:
    _, skipped, _ = reading(record(answer(b"body", f"Content-Encoding: {coding}")))
    assert [why for _, why in skipped] == [
        f"its body is compressed by {name}, which is not read; archive it again with `Accept-Encoding: gzip`"
    ]


def test_who_packs_ever_again_gets_two_layers_undone() -> None:
    body = b"x"
    for _ in range(50):
        body = gzip.compress(body)
    (found,), _, _ = reading(record(answer(body, "Content-Encoding: " + ", ".join(["gzip"] * 50))))
    assert len(found.reply.body) < len(body)


@pytest.mark.full
def test_a_bomb_is_not_unpacked_beyond_the_bound_and_takes_little_memory() -> None:
    huge = 300_000_000
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    body = packer.compress(GOOD + record(b"", length=huge)[:-4])
    body += (
        b"".join(packer.compress(bytes(1_000_000)) for _ in range(huge // 1_000_000))
        + packer.flush()
    )
    assert len(body) < 1_000_000
    tracemalloc.start()
    with check_cpu_time(20):
        assert reading(body, most=50_000_000)[2] == "too_large"
        assert [each.reply.body for each in reading(body)[0]] == [b"good"]
    assert tracemalloc.get_traced_memory()[1] < 30_000_000
    tracemalloc.stop()


def mutations(body: bytes) -> Iterator[bytes]:
    chance = random.Random(4155)
    for _ in range(300):
        piece = bytearray(body)
        for _ in range(chance.randint(1, 8)):
            at = chance.randrange(len(piece))
            piece[at : at + chance.randint(0, 3)] = bytes(
                chance.randrange(256) for _ in range(chance.randint(0, 3))
            )
        yield bytes(piece[: chance.randint(1, len(piece))])


def test_no_damage_to_a_file_upsets_the_reader() -> None:
    body = written(
        Capture(URL, AT, PAGE, {"a": "b"}),
        Capture(URL, AT, replace(PAGE, hops=(URL,))),
        isPartOf="s",
    )
    for damaged in (
        *mutations(body),
        *mutations(gzip.decompress(body)),
        *mutations(record(OTHERS["chunked and compressed"][0])),
    ):
        found, _, kind = reading(damaged)
        assert kind in ("", "unsupported", "bad_reply")
        assert len(found) <= 3


@given(body=st.binary(max_size=400), packed=st.booleans())
def test_no_bytes_upset_the_reader(body: bytes, packed: bool) -> None:
    for start in (
        b"",
        b"WARC/1.0\r\n",
        b"WARC/1.1\r\nWARC-Type: response\r\nContent-Type: application/http\r\nWARC-Target-URI: http://x/\r\nContent-Length: 50\r\n\r\n",
    ):
        found, _, kind = reading(gzip.compress(start + body) if packed else start + body)
        assert kind in ("", "unsupported", "bad_reply")
        assert len(found) <= 1


@given(
    block=st.binary(max_size=300),
    coding=st.sampled_from(["gzip", "deflate", "chunked", "identity", "gzip, deflate", "br", ""]),
)
def test_no_answer_upsets_the_reader(block: bytes, coding: str) -> None:
    name = "Transfer-Encoding" if coding == "chunked" else "Content-Encoding"
    found, skipped, kind = reading(record(answer(block, f"{name}: {coding}")) + GOOD)
    assert (kind, len(found) + len(skipped), found[-1].reply.body) == ("", 2, b"good")
