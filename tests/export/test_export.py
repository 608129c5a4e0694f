"""Every format of a report: the same bytes again, in any process, and nothing active in it whatever
its words are.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import bibtexparser
import pypdf
import pytest
import rispy
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from research_core import export
from research_core.export import FORMATS, document, html, report_bibliography
from research_core.models import Report
from research_core.pipeline import report
from tests.everyday import mark_first_everyday, mark_first_rows_everyday
from tests.pipeline.test_report import as_json
from tests.reports import COPIED, FULL_REPORT, NO_REPORT, OWN_DOCUMENTS, saying, telling

ROOT = Path(__file__).parents[2]
NAUGHTY = Path("/work/shared/data/adversarial/strings/blns.json")
REPORTS = {"full": FULL_REPORT, "none": NO_REPORT, "own": OWN_DOCUMENTS, "copied": COPIED}
FIVES = "The page's own words.\r\nSecond line. =1+1"


def pages(page: str) -> str:
    return FIVES if page else ""


def made(name: str, built: Report) -> bytes:
    return FORMATS[name].make(built, pages)


each_format = pytest.mark.parametrize("name", FORMATS)


# ---------------------------------------------------------------- the table


def test_markdown_comes_first_and_is_the_report_s_own() -> None:
    assert next(iter(FORMATS)) == "md"
    assert made("md", FULL_REPORT).decode() == report.to_markdown(FULL_REPORT)


def test_json_is_the_report_s_own() -> None:
    assert made("json", FULL_REPORT).decode() == as_json(FULL_REPORT)


def test_formats_are_named_once_and_say_what_they_are_for() -> None:
    assert [each.name for each in FORMATS.values()] == list(FORMATS)
    assert len({each.suffix for each in FORMATS.values()}) == len(FORMATS)
    assert all(each.purpose and each.label and "/" in each.mime for each in FORMATS.values())


@each_format
@pytest.mark.parametrize("built", REPORTS.values(), ids=REPORTS)
def test_a_format_holds_every_source_kept(name: str, built: Report) -> None:
    body = made(name, built)
    if name not in ("pdf", "docx", "zip"):
        kept = [source for source in built.sources if source.number]
        text = body.decode().replace("\\", "")
        assert all(source.title.split()[0] in text for source in kept)


def test_without_a_source_kept_there_is_nothing_to_cite() -> None:
    assert [each.name for each in export.list_formats(NO_REPORT)] == [
        "md",
        "docx",
        "pdf",
        "html",
        "session",
        "zip",
        "csv",
        "json",
    ]
    assert export.list_formats(FULL_REPORT) == tuple(FORMATS.values())


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How deep do sperm whales dive, and *why*?", "how-deep-do-sperm-whales-dive-and-why"),
        ("Which harbours of the northern Adriatic were dredged between 1990 and 2020?",
         "which-harbours-of-the-northern-adriatic-were-dredged-between-1990-and-2020"),
        ("Wie heißt die Straße in Zürich?", "wie-heisst-die-strasse-in-zurich"),
        ("../../etc/passwd", "etc-passwd"),
        ("中文?", "report"),
        ("CON", "con"),
        ("How much did it rise? " * 4 + "In 2024 and 2025?", "-".join(["how-much-did-it-rise"] * 3 + ["how-much-did-it"])),
        ("a" * 200, "a" * 80),
        ("a" * 80 + " b", "a" * 80),
        ("", "report"),
    ],
)  # fmt: skip
def test_file_is_named_after_the_question_the_day_and_the_session(question: str, name: str) -> None:
    built = replace(FULL_REPORT, question=question, session="0a1b2c3d4e5f")
    assert export.make_file_name(built, ".pdf") == f"{name}_2026-09-21_0a1b2c.pdf"


def test_files_of_two_runs_of_one_question_have_two_names() -> None:
    one, other = (
        replace(FULL_REPORT, session=session) for session in ("0a1b2c3d4e5f", "ffffffffffff")
    )
    assert export.make_file_name(one, ".md") != export.make_file_name(other, ".md")


@pytest.mark.parametrize("built", [FULL_REPORT, NO_REPORT], ids=["full", "no report"])
def test_the_line_below_the_title_counts_every_source_found_by_its_state(built: Report) -> None:
    said = re.search(r" (\d+) sources found: (.+)", document.format_facts(built))
    assert said is not None
    counts = [int(each) for each in re.findall(r"\d+", said[2])]
    assert int(said[1]) == sum(counts) == len(built.sources)
    assert counts[0] == built.funnel["kept"]
    earlier = document.format_facts(replace(built, rules={"scoring": 6}))
    judged = built.funnel["kept"] + built.funnel["dropped"]
    assert earlier.endswith(f" · {built.funnel['kept']} of {judged} sources kept")


# ---------------------------------------------------------------- the same bytes


@each_format
def test_same_report_gives_the_same_bytes(name: str) -> None:
    assert made(name, FULL_REPORT) == made(name, FULL_REPORT)


HASHES = """
import json
import sys
from hashlib import sha256
import research_core.export
loaded = sorted({'fpdf', 'docx', 'fontTools', 'uharfbuzz'} & set(sys.modules))
from tests.export.test_export import FORMATS, FULL_REPORT, made
print(json.dumps({"loaded": loaded, "hashes": {name: sha256(made(name, FULL_REPORT)).hexdigest() for name in FORMATS}}))
"""


@pytest.fixture(scope="module")
def elsewhere() -> dict[str, Any]:
    """What another process, with another clock and another order of hashes, imports and makes."""
    env = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Pacific/Kiritimati", "PYTHONPATH": str(ROOT)}
    other = subprocess.run(
        [sys.executable, "-c", HASHES],
        env=env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(other.stdout))


@pytest.mark.full
def test_another_process_with_another_clock_and_order_gives_the_same_bytes(
    elsewhere: dict[str, Any],
) -> None:
    assert elsewhere["hashes"] == {
        name: sha256(made(name, FULL_REPORT)).hexdigest() for name in FORMATS
    }


@pytest.mark.full
def test_importing_the_table_loads_no_library_of_a_format(elsewhere: dict[str, Any]) -> None:
    assert elsewhere["loaded"] == []


# ---------------------------------------------------------------- whatever the words are

HOSTILE = [
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>' style='background:url(http://evil.example/)",
    '=HYPERLINK("http://evil.example/","x")',
    "\t=1+1\r\n@SUM(A1)\r+1\n-2",
    "＝cmd|' /C calc'!A0",
    "![](http://evil.example/x.png) [go](javascript:alert(1)) [r]: http://evil.example/",
    "TI  - Another\r\nER  - \r\n\r\nTY  - JOUR\nUR  - http://evil.example/",
    "}, author = {Evil}, url = {http://evil.example/}} @article{evil,\n title={x}}\n@comment{",
    r"\input{/etc/passwd} \write18{id} $x$ % & # _ { ~ ^ \\",
    "a\x00b\x07c\x1bd\ud800e\ufffff\x85g\u2028h\u202ei\U000e0041",
    "</style></body></html><!-- ]]> &lt; &#0;",
    "{nb} {{}} %s {0} \ue000 \ue001",
    'DDEAUTO c:\\windows\\system32\\cmd.exe "/k calc"',
    "",
]


class Tags(HTMLParser):
    """The tags of a file with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


TAGS = set(
    "html head meta title style body header nav main footer h1 h2 h3 h4 p a ul ol li blockquote q table tr th td div span b i bdi em "
    "strong code meter details summary".split()
)
ATTRIBUTES = set(
    "lang charset http-equiv content name class id href rel dir value min max aria-label aria-hidden open scope".split()
)


def inert_html(body: bytes) -> None:
    found = Tags(body.decode()).found
    assert {tag for tag, _ in found} <= TAGS
    assert {name for _, attributes in found for name in attributes} <= ATTRIBUTES
    links = [attributes["href"] or "" for _, attributes in found if "href" in attributes]
    assert all(re.match(r"#|https?://", link) for link in links)
    policy = next(
        attributes["content"] or ""
        for tag, attributes in found
        if tag == "meta" and "http-equiv" in attributes
    )
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert re.findall(r"url\(|@import", html.STYLE_SHEET) == []


def inert_csv(body: bytes) -> None:
    head, *rows = csv.reader(io.StringIO(body.decode("utf-8-sig"), newline=""))
    assert all(len(row) == len(head) for row in rows)
    words = [
        cell for row in rows for cell in row if not re.fullmatch(r"-[0-9.]+", cell)
    ]  # a figure below zero is no formula
    assert not [cell for cell in words if cell.startswith(tuple("=+-@\t\r\n＝＋－＠"))]


def inert_docx(body: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert not [
        name for name in parts if "vba" in name.lower() or "embeddings" in name or "activeX" in name
    ]
    for name, part in parts.items():
        if name.endswith((".xml", ".rels")):
            tree = etree.fromstring(part)
            tags = {
                etree.QName(node).localname for node in tree.iter() if isinstance(node.tag, str)
            }
            assert not tags & {
                "instrText",
                "fldSimple",
                "fldChar",
                "object",
                "OLEObject",
                "altChunk",
            }
            outside = [
                node
                for node in tree.iter()
                if isinstance(node.tag, str) and node.get("TargetMode") == "External"
            ]
            assert all(
                (node.get("Target") or "").startswith(("http://", "https://")) for node in outside
            )


def inert_pdf(body: bytes) -> None:
    reader = pypdf.PdfReader(io.BytesIO(body), strict=True)
    for word in (b"/JavaScript", b"/JS", b"/Launch", b"/EmbeddedFile", b"/SubmitForm", b"/AA "):
        assert word not in body
    assert isinstance(reader.root_object["/OpenAction"], list), "what opens is a page, no action"
    for page in reader.pages:
        for annotation in page.get("/Annots") or ():
            action: Any = annotation.get_object().get("/A") or {"/S": "/URI", "/URI": "http://"}
            assert action["/S"] == "/URI"
            assert str(action["/URI"]).startswith(("http://", "https://"))


def entries(built: Report) -> int:
    return len(report_bibliography.assign_keys(report_bibliography.build_items(built)))


def inert(name: str, body: bytes, built: Report) -> None:
    """Fails when what was made is broken or more than words."""
    if name in ("html", "session"):
        inert_html(body)
    elif name == "csv":
        inert_csv(body)
    elif name == "docx":
        inert_docx(body)
    elif name == "pdf":
        inert_pdf(body)
    elif name in ("json", "csl"):
        assert json.loads(body)
    elif name == "bibtex":
        library = bibtexparser.parse_string(body.decode())
        assert (len(library.entries), library.failed_blocks, library.comments) == (
            entries(built),
            [],
            [],
        )
    elif name == "ris":
        assert len(rispy.loads(body.decode())) == entries(built)
        assert all(
            re.match(r"[A-Z][A-Z0-9]  - ", line) for line in body.decode().split("\r\n") if line
        )
        assert "\n" not in body.decode().replace("\r\n", "")
    elif name == "zip":
        verified(body)


def verified(body: bytes) -> dict[str, bytes]:
    """The files of an evidence pack, held against its own sums, each format against its own rules."""
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        files = {entry: archive.read(entry) for entry in archive.namelist()}
    sums = {line[66:]: line[:64] for line in files["SHA256SUMS"].decode().splitlines()}
    assert sums == {
        name: sha256(content).hexdigest() for name, content in files.items() if name != "SHA256SUMS"
    }
    assert not [name for name in files if name.startswith("/") or ".." in name or "\\" in name]
    for name in (name for name in files if name.endswith(".csv")):
        inert_csv(files[name])
    inert_html(files["report.html"])
    return files


#: Formats whose files take long to make: a quarter of the hostile texts every day.
HEAVY = ("pdf", "docx", "zip")


def hostile(names: Iterable[str], texts: Sequence[str]) -> list[Any]:
    """Return each format with each of the texts as parameters."""
    light = [pytest.param(name, text) for name in names if name not in HEAVY for text in texts]
    heavy = [(name, text) for text in texts for name in names if name in HEAVY]
    return [*light, *mark_first_rows_everyday(heavy, len(heavy) // 4)]


@pytest.mark.parametrize(("name", "text"), hostile(FORMATS, HOSTILE))
def test_hostile_words_stay_words(name: str, text: str) -> None:
    built = saying(text, f"https://evil.example/{text}")
    inert(name, FORMATS[name].make(built, lambda _: text), built)


ADDRESSES = [
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc",
    "http://[x",
    "http://ℂ℀.example/",
    "https://a\"b'<d>.example/ {f}\\",
]


@pytest.mark.parametrize(
    ("name", "url"),
    hostile(["html", "session", "docx", "pdf", "bibtex", "ris", "csl", "zip"], ADDRESSES),
)
def test_hostile_address_is_no_link(name: str, url: str) -> None:
    built = saying("A page", url)
    inert(name, made(name, built), built)
    if name in ("bibtex", "ris", "csl"):
        assert "javascript:" not in made(name, built).decode()


TEXT_FORMATS = [name for name, each in FORMATS.items() if name not in ("md", "pdf", "docx", "zip")]


@pytest.mark.full
@given(text=st.text(max_size=60), address=st.text(max_size=30))
def test_any_words_stay_words_in_formats_of_text(text: str, address: str) -> None:
    built = saying(text, f"https://x.example/{address}")
    for name in TEXT_FORMATS:
        inert(name, made(name, built), built)


@pytest.mark.full
@settings(max_examples=5)
@given(texts=st.lists(st.text(max_size=60), min_size=1, max_size=8))
def test_any_words_stay_words_in_formats_of_bytes(texts: list[str]) -> None:
    built = telling(*[("paragraph", 0, [(text, (), "uncited", "")]) for text in texts])
    for name in ("pdf", "docx"):
        inert(name, made(name, built), built)


def naughty() -> list[str]:
    if not NAUGHTY.exists():
        pytest.skip("This needs the shared data set of hostile strings.")
    return list(json.loads(NAUGHTY.read_text(encoding="utf-8")))


@pytest.mark.parametrize("step", mark_first_everyday([20, 1]))
def test_naughty_strings_stay_words_in_formats_of_text(step: int) -> None:
    for text in naughty()[::step]:
        built = saying(text, f"https://x.example/{text}")
        for name in TEXT_FORMATS:
            inert(name, made(name, built), built)


@pytest.mark.full
def test_naughty_strings_stay_words_in_formats_of_bytes() -> None:
    built = telling(*[("paragraph", 0, [(text, (), "uncited", "")]) for text in naughty()])
    for name in ("pdf", "docx", "zip"):
        inert(name, made(name, built), built)
