"""The result of an audit as Markdown and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

import research_core
from research_core.export.audit import AUDIT_SCHEMA_VERSION, audit_to_json, audit_to_markdown
from research_core.pipeline.audit_result import ScoreCard
from tests.audits import PAGES, REPORT, AuditWeb, audit, open_resources, page

SCHEMA = json.loads(
    Path(research_core.__file__).with_name("audit.schema.json").read_text(encoding="utf-8")
)


def test_the_json_follows_its_schema(tmp_path: Path) -> None:
    _, result = audit(open_resources(tmp_path))
    data = json.loads(json.dumps(audit_to_json(result)))
    jsonschema.Draft202012Validator(SCHEMA).validate(data)
    assert data["schema"] == AUDIT_SCHEMA_VERSION == SCHEMA["properties"]["schema"]["const"]
    assert data["score_card"]["sentences"] == result.card.describe()
    assert [claim["verdict"] for claim in data["claims"]].count("") == 1


def test_the_markdown_says_what_holds_and_what_does_not(tmp_path: Path) -> None:
    _, result = audit(open_resources(tmp_path))
    text = audit_to_markdown(result)
    head, _, supported = text.partition("## Supported sentences")
    assert "5 cited sentences: 2 supported, 1 partly supported, 0 not found" in head
    assert "Harbour seals dived 30% deeper" in head
    assert "switched off in 2019" in supported
    assert "dead link" in text
    assert "The project cost 12 million pounds" in text


def test_markup_of_reports_and_pages_stays_text(tmp_path: Path) -> None:
    hostile = "![x](http://evil.example/) <script>alert(1)</script> | =1+2 was measured 30 times"
    pages = {**PAGES, "https://data.example.org/telemetry": page("<b>t</b>", hostile, hostile)}
    report = REPORT.replace("Harbour seals dived 30% deeper near the array", hostile)
    _, result = audit(open_resources(tmp_path, AuditWeb(pages)), report)
    text = audit_to_markdown(result)
    assert "](http://evil" not in text
    assert "<script>" not in text


def test_the_score_card_agrees_with_each_number() -> None:
    lines = [ScoreCard(claims=n, supported=1).describe()[0] for n in (1, 2)]
    assert lines == [
        "1 cited sentence: 1 supported, 0 partly supported, 0 not found, 0 not decided,"
        " 0 could not be checked.",
        "2 cited sentences: 1 supported, 0 partly supported, 0 not found, 0 not decided,"
        " 0 could not be checked.",
    ]


def test_control_characters_are_not_in_the_json(tmp_path: Path) -> None:
    report = REPORT.replace("Nobody measured", "Nobody\u202e \x07measured\u200b")
    _, result = audit(open_resources(tmp_path), report)
    text = json.dumps(audit_to_json(result), ensure_ascii=False)
    assert "measured the noise" in text
    assert not {"\u202e", "\u200b"} & set(text)
    assert "\\u0007" not in text
