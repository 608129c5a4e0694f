"""Read a report to check from a file: Markdown, plain text, HTML, DOCX or PDF, as Markdown.

Links, footnotes and numbered lists of sources survive, because they are what is checked. Documents
are read in the sandbox.
"""

from __future__ import annotations

import re
from pathlib import Path

from research_core.errors import FetchError, UsageError
from research_core.web import charsets, signatures
from research_core.web.documents.kinds import read_body
from research_core.web.documents.sandbox import SHARED_SANDBOX

#: Bytes of the largest report that is read.
MAX_REPORT_BYTES = 20_000_000
#: Control characters, and what no encoding could read.
_UNREADABLE = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")
_HTML_ENDINGS = (".html", ".htm", ".xhtml")
_HTML_START = re.compile(rb"\s*(?:<!doctype html|<html\b|<head\b|<body\b|<!--)", re.IGNORECASE)
#: A mark that is a link, a link whose words are its address, and an address.
_MARK_LINK = re.compile(r"\[\[(\d{1,4})\]\]\((https?://[^\s()]{1,2000})\)")
_SAME_LINK = re.compile(r"\[(https?://[^\s\]]{1,2000})\]\(\1\)")
_ADDRESS = re.compile(r"https?://\S{1,2000}")


def read_report(body: bytes, name: str = "", content_type: str = "") -> str:
    """Return the report in these bytes as Markdown.

    name: of its file, which helps if the bytes say little. Raises UsageError for a file that is too
    large or cannot be read.
    """
    shown = name or "The report"
    if len(body) > MAX_REPORT_BYTES:
        raise make_too_large_error(shown)
    try:
        return _read_any(body, name.lower(), content_type.lower())
    except FetchError as error:
        raise UsageError(
            f"{shown} cannot be read: {error.message}",
            next_step=error.next_step or "Save it as Markdown, HTML, DOCX or PDF.",
        ) from error


def read_report_file(name: str, next_step: str) -> bytes:
    """Return the bytes of the file of a report.

    next_step: what to give in place of a file that does not exist. Raises UsageError if there is
    none, or it is too large.
    """
    path = Path(name)
    if path.is_dir():
        raise UsageError(f"“{name}” is a folder.", next_step="Give one report in it.")
    if not path.is_file():
        raise UsageError(f"There is no file “{name}”.", next_step=next_step)
    if path.stat().st_size > MAX_REPORT_BYTES:
        raise make_too_large_error(name)
    return path.read_bytes()


def make_too_large_error(name: str) -> UsageError:
    return UsageError(
        f"{name} is larger than {MAX_REPORT_BYTES // 1_000_000} MB.",
        next_step="Give the report alone.",
    )


def _read_any(body: bytes, name: str, content_type: str) -> str:
    if body.startswith(b"PK\x03\x04"):
        return _write_marks_plainly(SHARED_SANDBOX.read("office", body, url="", links=True).text)
    if body[:1024].lstrip().startswith(b"%PDF-"):
        return _write_marks_plainly(SHARED_SANDBOX.read("pdf", body, url="", links=True).text)
    if signatures.is_document(body):
        return read_body(body, "", content_type, name=name).text
    is_html = "html" in content_type or name.endswith(_HTML_ENDINGS) or _HTML_START.match(body)
    if is_html:
        read = SHARED_SANDBOX.run("linked_html", body, content_type=content_type)
        return _write_marks_plainly(str(read["text"]))
    text = charsets.decode_body(body, content_type).text
    if _UNREADABLE.search(text):
        # Another kind of file: its reader says which.
        return read_body(body, "", content_type, name=name).text
    return text


def _write_marks_plainly(text: str) -> str:
    """Rewrite marks that are links ("[[3]](address)") as marks of the list, else as plain links."""
    lines = [_SAME_LINK.sub(r"\1", line) for line in text.split("\n")]
    listed: set[str] = set()
    for number, line in enumerate(lines):
        marks = _MARK_LINK.findall(line)
        rest = _MARK_LINK.sub("", line).strip()
        if marks and _ADDRESS.fullmatch(rest):
            listed.update(mark for mark, _url in marks)
            lines[number] = _MARK_LINK.sub(r"[\1]", line)

    def rewrite(found: re.Match[str]) -> str:
        return f"[{found[1]}]" if found[1] in listed else f"[{found[1]}]({found[2]})"

    return "\n".join(_MARK_LINK.sub(rewrite, line) for line in lines)
