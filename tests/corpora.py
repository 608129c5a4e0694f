"""The documents of ../shared/data made to break readers, and what became of reading one.

Nobody here wrote them, and nothing of them is copied into the project; without them `ITEMS` is
empty. `benchmarks/corpora.py` reads them all, the tests a sample.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from research_core.errors import FetchError
from research_core.web.documents.kinds import read_body
from tests import pdf_files
from tests.office_files import archive, docx, p, parts_of, pptx, shape, types
from tests.pdf_files import pdf, swollen
from tests.slow_pages import make_slow_pages

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("ASSAY_SHARED") or ROOT.parent / "shared") / "data" / "adversarial"
MOST_S = 5.0
#: Well-formed PDFs that show no text to anybody: one wants a password, two are pictures.
_WORDLESS = ("005-", "007-", "019-")


@dataclass(frozen=True)
class Item:
    """A document of a corpus.

    load: its bytes; name, content_type: what a server would say of it; wanted: the kind it has to
    be read as, where it is in order, else "".
    """

    corpus: str
    label: str
    load: Callable[[], bytes]
    name: str = ""
    content_type: str = ""
    wanted: str = ""


@dataclass(frozen=True)
class Outcome:
    """What became of reading an item.

    kind: of the page, or "" where it failed with `error`; seconds: of the wall clock; cpu_s: of
    this thread alone.
    """

    kind: str
    error: str
    seconds: float
    length: int = 0
    cpu_s: float = 0.0


def read(item: Item, body: bytes | None = None) -> Outcome:
    """Read an item as if it had come from the web.

    Anything but a page or a FetchError is raised. body: its bytes, where they were loaded.
    """
    body = item.load() if body is None else body
    began, used = time.monotonic(), time.thread_time()
    try:
        page = read_body(body, f"https://example.org/{item.name}", item.content_type)
        outcome = Outcome(page.kind, "", 0.0, len(page.text))
    except FetchError as error:
        outcome = Outcome("", error.kind, 0.0)
    return replace(outcome, seconds=time.monotonic() - began, cpu_s=time.thread_time() - used)


def pdfs() -> Iterator[Item]:
    """Each in the order of its source, so that every so-many-th is spread over the sources."""
    if not (DATA / "pdf" / "pdfs.zip").exists():
        return
    file = zipfile.ZipFile(DATA / "pdf" / "pdfs.zip")
    rows = json.loads((DATA / "pdf" / "index.json").read_text(encoding="utf-8"))
    held = set(file.namelist())
    for row in sorted(
        (row for row in rows if row["file"] in held), key=lambda row: str(row["file"])
    ):
        whole = (
            "pdf"
            if row["kind"].startswith("well-formed")
            and not row["file"].split("/")[-1].startswith(_WORDLESS)
            else ""
        )
        yield Item(
            "pdf",
            row["file"],
            lambda name=row["file"]: file.read(name),
            "a.pdf",
            "application/pdf",
            whole,
        )


def pages() -> Iterator[Item]:
    """The inputs of html5lib: what browsers have to make sense of."""
    path = DATA / "html5lib" / "inputs.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    for number, line in enumerate(lines):
        yield Item(
            "html5lib",
            str(number),
            lambda text=json.loads(line)["html"]: text.encode("utf-8", "surrogatepass"),
            "",
            "text/html",
        )


def bombs(folder: Path) -> Iterator[Item]:
    """What the generator beside the data makes, written into this folder."""
    maker = DATA / "bombs.py"
    if maker.exists():
        subprocess.run([sys.executable, str(maker), str(folder)], check=True, timeout=120)
        for path in sorted(folder.iterdir()):
            yield Item("bombs", path.name, path.read_bytes, path.name)


#: A naughty string as a document of each kind: how the document is made, and what is said of it.
_STRINGS: dict[str, tuple[Callable[[str], bytes], str]] = {
    "html": (lambda text: f"<title>{text}</title><p>Words. {text}</p>".encode(), "text/html"),
    "xhtml": (
        lambda text: (
            f'<html xmlns="http://www.w3.org/1999/xhtml"><p>Words. {text}</p></html>'.encode()
        ),
        "application/xhtml+xml",
    ),
    "markdown": (lambda text: f"# {text}\n\nWords. {text}".encode(), "text/markdown"),
    "text": (lambda text: text.encode(), "text/plain"),
    "json": (
        lambda text: json.dumps({text: text, "list": [{"title": text}]}).encode(),
        "application/json",
    ),
    "csv": (lambda text: f"a,b\n{text},1\n".encode(), "text/csv"),
    "feed": (
        lambda text: (
            f"<rss><channel><title>{text}</title><item><title>x</title></item></channel></rss>".encode()
        ),
        "text/xml",
    ),
    "pdf": (
        lambda text: pdf(
            text.encode("latin-1", "replace").decode("latin-1"),
            information=f"/Title ({text.encode().hex()})",
        ),
        "",
    ),
    "docx": (lambda text: docx(p(_escaped(text)) + p("Words.")), ""),
    "pptx": (lambda text: pptx(shape(_escaped(text), "Words.", kind="body")), ""),
    "zip": (lambda text: archive({text or "x": text}), ""),
}


def strings() -> Iterator[Item]:
    """Every naughty string in a document of each kind."""
    path = DATA / "strings" / "blns.json"
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    for number, text in enumerate(found):
        for kind, (make, content_type) in _STRINGS.items():
            yield Item(
                "strings",
                f"{kind} {number}",
                lambda make=make, text=text: make(text),
                "",
                content_type,
            )


#: What takes more memory or time than its size lets on: (how it is made, what is said of it).
_SWOLLEN: dict[str, tuple[Callable[[], bytes], str]] = {
    "pdf, 400 MB of spaces": (lambda: swollen(b" ", 400_000_000), ""),
    "pdf, 20 MB of words": (lambda: swollen(b"BT /F1 9 Tf (word word) Tj ET\n", 700_000), ""),
    "pdf, 20 MB of open states": (lambda: swollen(b"q ", 10_000_000), ""),
    "json, 6,000,000 objects": (lambda: b"[" + b"{}," * 6_000_000 + b"{}]", "application/json"),
    "json, 1,000,000 lists": (lambda: b"[" + b"[]," * 1_000_000 + b"[]]", "application/json"),
    "html, 60,000 rows": (
        lambda: b"<table>" + b"<tr><td>a</td><td>b b b</td></tr>" * 60_000,
        "text/html",
    ),
    "html, 280,000 bold words": (lambda: b"<b><p>x" * 280_000, "text/html"),
    "docx, 100,000 rows": (
        lambda: docx(
            "<w:tbl>"
            + f"<w:tr><w:tc>{p('a')}</w:tc><w:tc>{p('b')}</w:tc></w:tr>" * 100_000
            + "</w:tbl>"
        ),
        "",
    ),
    "docx, 400,000 kinds of parts": (
        lambda: archive({"[Content_Types].xml": types({f"x{n}": "y" for n in range(400_000)})}),
        "",
    ),
    "csv, 48 MB": (lambda: b"a,b,c\n" * 8_000_000, "text/csv"),
    "text, 25,000,000 lines": (lambda: b"x\n" * 25_000_000, "text/plain"),
    "xml, 240,000 elements": (
        lambda: b"<?xml version='1.0'?><a>" + b"<b>x</b>" * 240_000 + b"</a>",
        "",
    ),
}


def swelling() -> Iterator[Item]:
    """Small documents that grow, and long ones that never end."""
    for label, (make, content_type) in _SWOLLEN.items():
        yield Item("swollen", label, make, "", content_type)


def tedious(size: int) -> Iterator[Item]:
    """HTML pages of so many bytes in which one thing is repeated."""
    for label, body in make_slow_pages(size):
        yield Item("tedious", label, lambda body=body: body, "", "text/html")


_LINE = "Each gauge was levelled against marks in the rock every second spring, in calm weather."


def honest() -> Iterator[Item]:
    """Long documents that are in order. A page has 55 lines, as many words as a book's."""
    for count in (30, 300, 1_000):
        names = [
            "".join("abcdefghij"[int(digit)] for digit in str(number)) for number in range(count)
        ]
        whole = pdf(*("\n".join(f"{name} {n} {_LINE}" for n in range(55)) for name in names))
        yield Item(
            "long",
            f"pdf, {count} pages",
            lambda whole=whole: whole,
            "a.pdf",
            "application/pdf",
            "pdf",
        )
    paper = docx("".join(p(f"{n} {_LINE}") for n in range(55 * 300)))
    yield Item("long", "docx, 300 pages", lambda: paper, "", "", "docx")
    talk = pptx(
        *(shape(_LINE, kind="title") + shape(*[_LINE] * 10, kind="body") for _ in range(300))
    )
    yield Item("long", "pptx, 300 slides", lambda: talk, "", "", "pptx")
    rows = json.dumps(
        [{"id": n, "title": _LINE, "tags": ["a", "b"]} for n in range(10_000)]
    ).encode()
    yield Item("long", "json, 10,000 objects", lambda: rows, "", "application/json", "json")

    yield from illustrated(49_900_000)


def illustrated(size: int) -> Iterator[Item]:
    """Documents of one line, and pictures that make them so large, in bytes."""
    picture = random.Random(4).randbytes(size)
    written = {"docx": docx(p(_LINE)), "pptx": pptx(shape(_LINE, kind="body"))}
    yield Item(
        "long",
        f"pdf, {size / 1e6:g} MB",
        lambda: pdf_files.illustrated(_LINE, picture[: size - 2_000]),
        "a.pdf",
        "",
        "pdf",
    )
    for kind, body in written.items():
        parts = {**parts_of(body), "media/picture.jpg": picture[: size - 5_000]}
        yield Item(
            "long", f"{kind}, {size / 1e6:g} MB", lambda parts=parts: archive(parts), "", "", kind
        )


def _escaped(text: str) -> str:
    seen = "".join(
        character for character in text if character >= " " and character not in "\ufffe\uffff"
    )
    return seen.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
