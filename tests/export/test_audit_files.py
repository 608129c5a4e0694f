"""The result of an audit as DOCX with comments and as one HTML file with filters."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import docx
import pytest
from bs4 import BeautifulSoup
from lxml import etree

from research_core import export
from research_core.export import audit_docx, audit_html
from research_core.pipeline.audit_result import (
    AuditedCitation,
    AuditedClaim,
    AuditResult,
    ReportSentence,
)
from tests.audits import PAGES, REPORT, AuditWeb, audit, open_resources, page

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
HOSTILE = (
    '=HYPERLINK("http://evil.example/","x") <script>alert(1)</script>'
    ' <img src="http://evil.example/i.png" onerror=alert(1)> counted 30 seals \u202eslaes\u202c \x07'
)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> AuditResult:
    return audit(open_resources(tmp_path_factory.mktemp("audit")))[1]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> AuditResult:
    """A check whose sentences, notes, passages and sources hold what a program could run."""
    home = tmp_path_factory.mktemp("hostile")
    pages = {
        **PAGES,
        "https://data.example.org/telemetry": page("<b>t</b>", "Counted 30 seals.", HOSTILE),
    }
    text = REPORT.replace("Harbour seals dived 30% deeper near the array", HOSTILE)
    found = audit(open_resources(home, AuditWeb(pages)), text)[1]
    claims = []
    for claim in found.claims:
        citations = tuple(replace(each, passage=HOSTILE, note=HOSTILE) for each in claim.citations)
        claims.append(
            replace(claim, text=HOSTILE, note=HOSTILE, heading=HOSTILE, citations=citations)
        )
    sources = tuple(
        replace(
            source,
            title=HOSTILE,
            entry=HOSTILE,
            reason=HOSTILE,
            retracted=HOSTILE,
            url="javascript:alert(1)",
            final_url="javascript:alert(1)",
        )
        for source in found.sources
    )
    return replace(found, claims=tuple(claims), sources=sources, name=HOSTILE, question=HOSTILE)


# -- Word ------------------------------------------------------------------------------------------


def read_comments(body: bytes) -> list[str]:
    return [comment.text for comment in docx.Document(io.BytesIO(body)).comments]


def test_each_judged_sentence_has_a_comment_with_its_verdict(result: AuditResult) -> None:
    comments = read_comments(audit_docx.render_audit_docx(result))
    assert len(comments) == len(result.claims) == 6
    figure = next(text for text in comments if "30" in text)
    assert figure.startswith("≠ different from the source (another figure)\n")
    assert "The page gives another figure: 10, not 30." in figure
    assert "[2] Telemetry of harbour seals" in figure
    assert "“Tagged harbour seals passed the narrows" in figure
    assert "10% deeper" in figure
    assert any(text.startswith("∅ no citation") for text in comments)
    assert any("[9]: no matching source in the report" in text for text in comments)
    assert any("dead link" in text for text in comments)


def test_each_comment_stands_at_its_sentence(result: AuditResult) -> None:
    """What a word processor needs: the part, its type, its relation, a range and a reference."""
    files = zipfile.ZipFile(io.BytesIO(audit_docx.render_audit_docx(result)))
    body = etree.fromstring(files.read("word/document.xml"))
    comments = etree.fromstring(files.read("word/comments.xml"))
    ids = [comment.get(f"{W}id") for comment in comments.iter(f"{W}comment")]
    assert ids
    for tag in ("commentRangeStart", "commentRangeEnd", "commentReference"):
        assert [each.get(f"{W}id") for each in body.iter(f"{W}{tag}")] == ids
    assert b"/word/comments.xml" in files.read("[Content_Types].xml")
    assert b"relationships/comments" in files.read("word/_rels/document.xml.rels")
    for claim, start in zip(result.claims, body.iter(f"{W}commentRangeStart"), strict=True):
        assert "".join(start.getnext().itertext()) == claim.text
    links = files.read("word/_rels/comments.xml.rels").decode()
    assert 'Target="https://data.example.org/telemetry"' in links
    assert {each.get(f"{W}author") for each in comments.iter(f"{W}comment")} == {"Assay"}


def test_the_document_holds_the_whole_report_and_its_sources(result: AuditResult) -> None:
    paper = docx.Document(io.BytesIO(audit_docx.render_audit_docx(result)))
    text = "\n".join(paragraph.text for paragraph in paper.paragraphs)
    assert text.startswith(
        "Check of Tidal power and seals\nScore card\n1 of 5 cited sentences says"
    )
    for row in result.read_claims:
        assert row.text in text
    for source in result.sources:
        assert source.url in text
    assert "Findings" in [each.text for each in paper.paragraphs if "Heading 2" in each.style.name]


def test_the_same_result_gives_the_same_bytes(result: AuditResult) -> None:
    for each in export.AUDIT_FORMATS.values():
        assert each.make(result) == each.make(result)


def test_with_too_many_sentences_those_that_hold_have_no_comment(result: AuditResult) -> None:
    cited = AuditedCitation(result.sources[0].key, "supported")
    many = [
        AuditedClaim(number, f"Seal {number}.", 1, "sentence", "", "supported", citations=(cited,))
        for number in range(audit_docx.MAX_COMMENTS + 5)
    ]
    many[-1] = replace(many[-1], verdict="not found")
    chosen = audit_docx._choose_commented(replace(result, claims=tuple(many)))
    assert len(chosen) == audit_docx.MAX_COMMENTS
    assert many[-1].number in chosen


def test_nothing_of_others_is_computed_or_loaded_by_a_word_processor(hostile: AuditResult) -> None:
    files = zipfile.ZipFile(io.BytesIO(audit_docx.render_audit_docx(hostile)))
    whole = b"".join(files.read(name) for name in files.namelist())
    for part in ("word/document.xml", "word/comments.xml"):
        tree = etree.fromstring(files.read(part))
        for tag in ("fldSimple", "instrText", "fldChar", "altChunk", "object"):
            assert not list(tree.iter(f"{W}{tag}")), (part, tag)
        assert "\u202e" not in "".join(tree.itertext())
    assert b'Target="javascript' not in whole
    assert b'Target="http://evil' not in whole


# -- HTML ------------------------------------------------------------------------------------------


def test_each_sentence_stands_beside_its_passage(result: AuditResult) -> None:
    tree = BeautifulSoup(audit_html.render_audit_html(result), "lxml")
    rows = tree.select(".claim")
    said = [row.select(".said p")[0].get_text() for row in rows]
    assert said == [claim.text for claim in result.claims]
    (figure,) = (row for row in rows if "30%" in row.get_text())
    assert "10% deeper" in figure.select("blockquote")[0].get_text()
    assert "another figure: 10, not 30" in figure.select(".note")[0].get_text()
    assert figure.select(".about a")[1]["href"] == "https://data.example.org/telemetry"
    links = {link["href"] for link in tree.select("a[href^='#']")}
    assert links
    assert all(tree.select(str(link)) for link in links)


def test_sentences_of_one_line_are_told_apart() -> None:
    texts = ["Seals dive.", "They eat fish.", "They rest.", "Ice melts.", "2", "3"]
    lines = [3, 3, 3, 5, 8, 8]
    sentences = tuple(ReportSentence(*each) for each in zip(texts, lines, strict=True))
    claims = []
    for number, sentence in enumerate(sentences):
        kind = "cell" if sentence.line == 8 else "sentence"
        claims.append(AuditedClaim(number, sentence.text, sentence.line, kind))
    made = AuditResult("", "", "", tuple(claims), read_claims=sentences)
    assert list(made.locate_claims().values()) == [
        "line 3, sentence 1", "line 3, sentence 2", "line 3, sentence 3", "line 5",
        "line 8", "line 8",
    ]  # fmt: skip


def test_each_filter_has_sentences_and_rules(result: AuditResult) -> None:
    text = audit_html.render_audit_html(result)
    tree = BeautifulSoup(text, "lxml")
    labels = tree.select(".filters label")
    assert len(labels) == 5
    for label in labels:
        kind = str(label.select("input")[0]["id"]).removeprefix("only-")
        count = int(label.select("b")[0].get_text())
        assert len(tree.select(f".claim.is-{kind}")) == count > 0
        assert f"body:has(#only-{kind}:checked) .claim.is-{kind} {{ display: grid; }}" in text


def test_the_file_has_no_script_and_loads_nothing(hostile: AuditResult) -> None:
    text = audit_html.render_audit_html(hostile)
    tree = BeautifulSoup(text, "lxml")
    allowed = (
        "html head meta title style body header h1 h2 h3 p main svg rect ul li fieldset legend"
    )
    allowed += " label input b article div a bdi span blockquote footer"
    elements = tree.find_all(True)
    assert {each.name for each in elements} <= set(allowed.split())
    for each in elements:
        assert not [name for name in each.attrs if name[:2] == "on" or name in ("src", "style")]
    assert {str(link["href"])[0] for link in tree.select("a")} == {"#"}
    policy = str(tree.select("meta[http-equiv]")[0]["content"])
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "\u202e" not in text
    assert "\x07" not in text
    assert "url(" not in text


def test_an_unfinished_check_says_so(result: AuditResult) -> None:
    half = replace(result, complete=False)
    assert "The check is not complete." in audit_html.render_audit_html(half)
    paper = docx.Document(io.BytesIO(audit_docx.render_audit_docx(half)))
    assert "The check is not complete." in [each.text for each in paper.paragraphs]


def test_a_check_in_arabic_is_written_from_right_to_left(result: AuditResult) -> None:
    arabic = replace(result, language="ar")
    assert '<html lang="ar" dir="rtl">' in audit_html.render_audit_html(arabic)
    files = zipfile.ZipFile(io.BytesIO(audit_docx.render_audit_docx(arabic)))
    assert b"<w:bidi/>" in files.read("word/comments.xml")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("out.docx", "docx"),
        ("a.b/OUT.HTML", "html"),
        ("x.htm", "html"),
        ("r.json", "json"),
        ("r.md", "md"),
        ("r.txt", "md"),
        ("", "md"),
        ("docx", "md"),
    ],
)
def test_the_name_of_a_file_says_its_format(path: str, name: str) -> None:
    assert export.find_audit_format(path).name == name
