"""A comparison as Markdown and CSV: whole, and harmless whatever others wrote in it."""

from __future__ import annotations

import csv
import io

from research_core.decisions.view import fold_events
from research_core.export import comparison
from research_core.policy import CredibilityPolicy
from research_core.sessions.compare import compare_runs
from tests.decisions.test_gate import WEAK, Log
from tests.sessions.test_compare import A, B, differences, disputing, ended, source

HOSTILE = "=HYPERLINK(1) ![x](http://evil.example/) | <b>bold</b>"


def two() -> tuple[Log, Log]:
    before = ended(
        source(Log(), A, "p").found(B, WEAK),
        ("Seals moved.", "p", "supported"),
        (HOSTILE, "p", "partly"),
    )
    after = source(source(Log(credibility=CredibilityPolicy(minimum=0.0)), A, "p", 5), B, "q")
    return before, ended(
        after, ("Seals moved.", "p", "supported"), ("Birds stayed.", "q", "not found")
    )


def test_markdown_says_all_that_differs() -> None:
    text = comparison.format_markdown(differences(*two()), "Old one", HOSTILE)
    assert text.startswith("# Old one → ")
    for line in (
        "| Minimum credibility | 0.50 | 0.00 |",
        "| Sources found | 2 | 2 |",
        "blocked, credibility",
        "- scored otherwise: ",
        "- kept: Seals moved. [1] (supported)",
        "- gained: Birds stayed. [2] (not found)",
    ):
        assert line in text.replace("\\", ""), line
    assert "![" not in text
    assert "<b>" not in text


def test_plain_text_says_the_same_and_escapes_nothing() -> None:
    said = comparison.format_text(differences(*two()), "Old\x1b[2J one", HOSTILE)
    assert said.startswith(f"Old[2J one → {HOSTILE}\n\nSETTINGS\n\n")
    for line in (
        "- Minimum credibility: 0.50 → 0.00",
        "- Sources found: 2\n",
        "- kept: Seals moved. [1] (supported)",
        "- gained: Birds stayed. [2] (not found)",
        "(https://b.example.org/p)",
    ):
        assert line in said, line
    assert "\\" not in said
    assert "\x1b" not in said


def test_contradictions_are_told_in_both_forms() -> None:
    found = differences(disputing("41"), disputing("15"))
    text = comparison.format_markdown(found, "a", "b").replace("\\", "")
    assert "- gained: " in text
    assert "41 percent [1]; 15 percent [2] (differs)" in text
    among = "found among 2 comparable statements (moderate)"
    assert f"| Contradictions that nothing explains | none {among} | 1 {among} |" in text
    row = next(
        row
        for row in csv.reader(io.StringIO(comparison.format_comparison_csv(found)))
        if row[0] == "contradiction"
    )
    assert (row[1], row[3]) == ("gained", "")


def test_csv_has_a_row_for_everything_and_no_formula() -> None:
    found = differences(*two())
    text = comparison.format_comparison_csv(found)
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))
    assert rows[0] == ["what", "change", "name", "before", "after", "address"]
    kinds = [row[0] for row in rows[1:]]
    assert kinds.count("setting") == len(found.settings)
    assert kinds.count("source") == 2
    assert kinds.count("sentence") == 3
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]


def test_two_empty_sessions_are_said_to_be_alike() -> None:
    text = comparison.format_markdown(compare_runs(fold_events([]), fold_events([])), "a", "b")
    assert "## Settings\n\nThe same." in text
    assert "The same, with the same scores." in text
    assert "Neither has a report." in text
    assert "None was found in either." in text
