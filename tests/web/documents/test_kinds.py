"""Bytes are told by what they are: a name and a header help only where the bytes say little."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import ERROR_KINDS, FetchError
from research_core.web.documents.kinds import BODY_KINDS, ReceivedBody, read_body
from tests.office_files import archive, docx, p, pptx, shape
from tests.pdf_files import pdf

REPORT = (Path(__file__).parents[2] / "replies" / "pages" / "report.pdf").read_bytes()
DOCX, PPTX, PDF = (
    docx(p("Words of a document.")),
    pptx(shape("Words of a slide.")),
    pdf("Words of a paper."),
)
MARKDOWN = b"# The gauge\n\nIt reads [high](https://example.org/a).\n\n- one\n- two\n"
PAGE = b"<!doctype html><title>Gauge</title><p>The gauge reads high.</p>"
XHTML = b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body><p>Words</p></body></html>'
UTF_16_PAGE = "<meta charset=utf-8><p>h\u00e9llo</p>".encode("utf-16")
OFFICE_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    ("body", "content_type", "name", "kind"),
    [
        (PDF, "", "", "pdf"),
        (PDF, "text/html", "page.html", "pdf"),
        (b"\r\n\r\n" + PDF, "", "", "pdf"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + PDF, "", "", "pdf"),
        (b"<p>A page on the mark %PDF-1.7 and what it means</p>", "", "", "html"),
        (b"A text on the mark %PDF-1.7 and what it means", "", "", "text"),
        (DOCX, "", "", "docx"),
        (DOCX, "application/pdf", "a.pdf", "docx"),
        (PPTX, OFFICE_TYPE, "a.docx", "pptx"),
        (PAGE, "", "", "html"),
        (PAGE, "text/plain", "a.txt", "html"),
        (PAGE, "application/octet-stream", "", "html"),
        (PAGE, "text/markdown", "a.md", "html"),
        (b"<p>a\x00b</p>\x00" * 100, "", "", "html"),
        (b"a\x00b", "text/html", "", "html"),
        (UTF_16_PAGE, "", "", "html"),
        (b"<div align=center>\n\n# Title\n\n</div>\n\nWords", "text/markdown", "", "markdown"),
        (b"<div align=center>\n\n# Title\n\n</div>\n\nWords", "", "README.md", "markdown"),
        (b"<div>Words</div>", "", "", "html"),
        (XHTML, "application/xhtml+xml", "", "html"),
        (XHTML, "", "", "html"),
        (XHTML, "", "a.xhtml", "html"),
        (
            b"<rss version='2.0'><channel><title>News</title></channel></rss>",
            "text/html; charset=utf-8",
            "",
            "html",
        ),
        (b"<rss version='2.0'><channel><title>News</title></channel></rss>", "", "", "feed"),
        (b"<?xml version='1.0'?><list><one>Words</one></list>", "text/plain", "", "xml"),
        (b"<list><one>Words</one></list>", "application/xml", "", "xml"),
        (b"<list><one>Words</one></list>", "", "", "text"),
        (b'{"gauge": 14.2}', "text/plain", "", "json"),
        (b'{"gauge": 14.2}', "application/ld+json", "", "json"),
        (b' \n[{"gauge": 14.2}]\n', "", "", "json"),
        (b"14.2", "application/json", "", "json"),
        (b'{"gauge": 14.2', "application/json", "", "text"),
        (b"[1] Doe, J. The gauge. [2]", "", "", "text"),
        (b"mark,offset\nA,14.2", "text/csv", "", "csv"),
        (b"mark\toffset\nA\t14.2", "text/plain", "a.tsv", "csv"),
        (b"mark,offset\nA,14.2", "text/plain", "a.txt", "text"),
        (MARKDOWN, "text/plain", "", "markdown"),
        (MARKDOWN, "text/plain", "a.txt", "text"),
        (b"# Gauge", "", "notes.md", "markdown"),
        (b"# a comment\nimport os\n# another\n", "text/plain", "", "text"),
        (b"Plain words.", "", "", "text"),
        (b"The big WAVE of 1953, and what AVI and WEBP are", "", "", "text"),
        (b"ID3 is a mark, BM and MZ too", "", "", "text"),
        ("Gr\u00f6\u00dfe".encode("utf-16"), "text/plain", "", "text"),
    ],
)
def test_bytes_are_what_they_say(body: bytes, content_type: str, name: str, kind: str) -> None:
    assert read_body(body, "", content_type, name=name).kind == kind


def compound(stream: str) -> bytes:
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500) + stream.encode("utf-16-le") + bytes(64)


@pytest.mark.parametrize(
    ("body", "content_type", "name"),
    [
        (b"\x89PNG\r\n\x1a\n", "text/html", "an image (PNG)"),
        (b"\xff\xd8\xff\xe0", "", "an image (JPEG)"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "", "an image (WebP)"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "", "a sound recording (WAV)"),
        (b"\x00\x00\x00\x20ftypisom", "video/mp4", "a video (MP4)"),
        (b"ID3\x04\x00", "", "a sound recording (MP3)"),
        (b"\x1f\x8b\x08", "", "an archive (gzip)"),
        (bytes(257) + b"ustar\x00", "", "an archive (tar)"),
        (b"{\\rtf1\\ansi Words}", "text/plain", "a document (RTF)"),
        (compound("WordDocument"), "application/msword", "a document (DOC)"),
        (compound("Workbook"), "", "a spreadsheet (XLS)"),
        (
            compound("EncryptedPackage") + compound("WordDocument"),
            "",
            "an encrypted Office document that needs a password",
        ),
        (compound("nothing"), "", "an old Office document"),
        (archive({"a.txt": "a"}), "", "an archive (ZIP)"),
        (archive({"mimetype": "application/epub+zip"}), "", "an e-book (EPUB)"),
        (b"\x00\xff\x02\x03", "text/html", "a file of type text/html"),
        (b"\x00\x01\x02\x03", "application/x-thing", "a file of type application/x-thing"),
        (b"\x00\x01\x02\x03", "", "a program or another file without text"),
    ],
)
def test_what_cannot_be_read_is_named(body: bytes, content_type: str, name: str) -> None:
    with pytest.raises(FetchError) as failure:
        read_body(body, "https://example.org/a", content_type)
    assert (failure.value.kind, failure.value.message) == (
        "unsupported",
        f"This is {name}, which Assay does not read.",
    )
    assert failure.value.next_step


@pytest.mark.parametrize(
    ("body", "content_type", "name"),
    [
        (b"a,b\n1,\x00\n2,3\n", "text/csv", ""),
        (b"abc\x00def zebra stripe\n", "", "nul.txt"),
        (b"abc\x00def zebra stripe\n", "", ""),
        ("Köln;3,50 \x00Euro\n".encode("cp1252"), "text/csv", ""),
        ("東京\x00の人口".encode(), "text/plain; charset=utf-8", ""),
        (b'{"a": "b\x00"}', "application/json", ""),
        (b"# Title\n\nA text.\x00\x00\x00\n", "text/markdown", "a.md"),
    ],
)
def test_a_text_with_nul_bytes_is_called_so(body: bytes, content_type: str, name: str) -> None:
    with pytest.raises(FetchError) as failure:
        read_body(body, "", content_type, name=name)
    assert failure.value.kind == "unsupported"
    assert "contains NUL bytes" in failure.value.message
    assert "Remove the NUL bytes" in failure.value.next_step


@pytest.mark.parametrize(("content_type", "name"), [("application/pdf", ""), ("", "a.pdf")])
def test_a_pdf_without_its_mark_is_a_broken_pdf(content_type: str, name: str) -> None:
    with pytest.raises(FetchError, match="The PDF is damaged"):
        read_body(b"0009 0 obj<</Type/XRef/Size 0>>stream", "", content_type, name=name)
    assert (
        read_body(b"<title>No PDF</title><p>Log in first.", "", content_type, name=name).kind
        == "html"
    )


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"The gauge reads high.", "text"),
        (b"# Gauge\n\n**High**, [see](https://a.example).", "markdown"),
    ],
)
def test_a_text_is_one_though_its_name_is_that_of_a_pdf(body: bytes, kind: str) -> None:
    assert read_body(body, "", name="a.pdf").kind == kind
    for broken, said in ((body, "application/pdf"), (body + b"\xff", ""), (body + b"\x00", "")):
        with pytest.raises(FetchError, match="The PDF is damaged"):
            read_body(broken, "", said, name="a.pdf")


@pytest.mark.parametrize(
    "make",
    [
        lambda: DOCX,
        lambda: PPTX,
        lambda: PDF,
        lambda: PAGE,
        lambda: MARKDOWN,
        lambda: b'{"a": [1, {"b": 2}]}',
    ],
)
def test_the_same_bytes_make_the_same_page(make: Callable[[], bytes]) -> None:
    body = make()
    assert read_body(body, "https://example.org/") == read_body(body, "https://example.org/")


def test_every_kind_has_a_name_of_its_own_and_the_last_takes_what_is_left() -> None:
    assert len({kind.name for kind in BODY_KINDS}) == len(BODY_KINDS)
    assert BODY_KINDS[-1].test(ReceivedBody(b"", "", "", "", ""))


MEDIA = [
    "",
    "text/html",
    "text/plain",
    "application/json",
    "text/markdown",
    "text/xml",
    "application/xhtml+xml",
    "text/csv",
    "x",
]
NAMES = ["", "a.md", "a.csv", "a.json", "a.xhtml", "a.docx"]
STARTS = [
    b"",
    b"%PDF-1.7\n",
    b"PK\x03\x04",
    b"<?xml version='1.0'?>",
    b"<html ",
    b"{",
    b"[",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"---\na: b\n---\n",
]


@given(
    st.sampled_from(STARTS), st.binary(max_size=120), st.sampled_from(MEDIA), st.sampled_from(NAMES)
)
def test_any_bytes_are_a_page_or_a_failure_of_a_known_kind(
    start: bytes, rest: bytes, content_type: str, name: str
) -> None:
    try:
        page = read_body(start + rest, "", content_type, name=name)
    except FetchError as error:
        assert error.kind in ERROR_KINDS  # noqa: PT017 – bytes may be no page, and then this is what happens
    else:
        assert page.text.strip()


@pytest.mark.parametrize(
    ("sent", "published"),
    [
        ("Wed, 27 May 2026 17:30:00 GMT", "2026-05-28"),
        ("Tue, 26 May 2026 17:30:00 GMT", ""),
        ("", "2026-05-28"),
        ("soon", "2026-05-28"),
        ("Fri, 31 Dec 9999 23:59:59 GMT", "2026-05-28"),
    ],
)
@pytest.mark.parametrize(
    ("url", "head"),
    [
        (
            "https://example.jp/a",
            '<meta property="article:published_time" content="2026-05-28T02:00:00+09:00">',
        ),
        ("https://example.jp/2026/05/28/a", ""),
    ],
)
def test_what_is_written_where_it_is_tomorrow_already_is_of_tomorrow(
    url: str, head: str, sent: str, published: str
) -> None:
    body = f"<!doctype html><title>Gauge</title>{head}<h1>Gauge</h1><p>May 2026</p><p>The gauge reads high.</p>".encode()
    assert read_body(body, url, "text/html", sent=sent).published == published
