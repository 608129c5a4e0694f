"""Made-up citations are removed, and sentences that lose their only citation are marked."""

from __future__ import annotations

import pytest

from research_core.models import Passage
from research_core.pipeline.draft import NO_SOURCE_FLAG, parse, render
from research_core.pipeline.lost_citations import remove_unknown_citations
from research_core.pipeline.verify import LOST_NOTE, verify

KNOWN = "p1a2b3c4d"
PASSAGES = {KNOWN: Passage(KNOWN, "Rents rose.", 0, 11)}
RULES = {"reading": 2, "scoring": 4, "prompting": 3}


def check(text: str, rules: dict[str, int] = RULES) -> tuple[str, tuple[str, ...], int]:
    """Return (text, sentences without a source, removed citations)."""
    texts = {id: passage.text for id, passage in PASSAGES.items()}
    checked = remove_unknown_citations(text, texts, ["https://rents.example/a"], rules)
    return checked.text, checked.uncited, checked.removed


@pytest.mark.parametrize(
    ("text", "uncited"),
    [
        ("It depends [p99999999].", "It depends."),
        ("Es kommt darauf an [7]. Die Mieten stiegen [p1a2b3c4d].", "Es kommt darauf an."),
        ("Cela dépend. [p99999999] Les loyers ont monté [p1a2b3c4d].", "Cela dépend."),
        ("视情况而定【4†source】。租金上涨[p1a2b3c4d]。", "视情况而定。"),
        ("الأمر يعتمد [p99999999].", "الأمر يعتمد."),
        ("Riippuu asiasta ([lähde](https://made.example/x)).", "Riippuu asiasta (lähde)."),
        ("Зависит от города: https://made.example/x.", "Зависит от города: (address removed)."),
        ("| Town | Rent |\n|---|---|\n| Rome | low [p99999999] |", "low"),
        ("- Tùy trường hợp [p99999999, p88888888]", "Tùy trường hợp"),
    ],
)
def test_a_sentence_that_lost_its_only_citation_is_marked_in_any_language(
    text: str, uncited: str
) -> None:
    left, sentences, removed = check(text)
    assert any(uncited in sentence for sentence in sentences), sentences
    assert len(sentences) == 1
    assert removed >= 1
    blocks = verify(parse(left, RULES), PASSAGES, RULES, uncited=sentences)
    notes = [one.note for block in blocks for one in block.sentences if one.text in sentences]
    assert notes == [LOST_NOTE]
    shown = render(blocks, {KNOWN: 1}, unsourced=lambda one: bool(one.note) and not one.citations)
    assert shown.count(NO_SOURCE_FLAG) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Rents rose [p1a2b3c4d, p99999999].",
        "Rents rose [p1a2b3c4d][7].",
        "See [the list](https://rents.example/a).",
        "It depends.",
        "## It depends [p99999999]",
    ],
)
def test_other_sentences_are_not(text: str) -> None:
    assert check(text)[1] == ()


def test_a_writer_cannot_cite_the_sign_for_a_lost_citation() -> None:
    left, sentences, _ = check("It depends [p00000000].")
    assert (left, sentences) == ("It depends.", ("It depends.",))


def test_an_older_session_keeps_its_text_to_the_byte() -> None:
    text = "It depends [p99999999] as [said](https://made.example/x)."
    older = {"reading": 2, "scoring": 3, "prompting": 2}
    assert check(text, older) == ("It depends as [said](https://made.example/x).", (), 1)


NEWER_RULES = {"reading": 2, "scoring": 5, "prompting": 4}


@pytest.mark.parametrize(
    ("text", "uncited"),
    [
        ("It depends. **[pdeadbeef]**", "It depends."),
        ("It depends **[pdeadbeef]**.", "It depends."),
        ("- Es kommt darauf an *[pdeadbeef]*", "Es kommt darauf an"),
        ("Cela dépend. __[pdeadbeef]__\n\nLes loyers ont monté [p1a2b3c4d].", "Cela dépend."),
        ("视情况而定。**[pdeadbeef]**", "视情况而定。"),
        ("It depends. `[pdeadbeef]`", "It depends."),
        ("It depends.\n\n**[pdeadbeef]**\n\nRents rose [p1a2b3c4d].", "It depends."),
    ],
)
def test_a_lost_citation_in_emphasis_marks_its_sentence(text: str, uncited: str) -> None:
    left, sentences, removed = check(text, NEWER_RULES)
    assert (sentences, removed) == ((uncited,), 1)
    blocks = verify(parse(left, NEWER_RULES), PASSAGES, NEWER_RULES, uncited=sentences)
    notes = [one.note for block in blocks for one in block.sentences if one.text == uncited]
    assert notes == [LOST_NOTE]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Rents rose 13 % (95% CI [12–14]) [p1a2b3c4d].", "95% CI (12–14)"),
        ("Die Mieten stiegen, 95-%-KI: [12–14] [p1a2b3c4d].", "95-%-KI: (12–14)"),
        ("Hausse, intervalle de confiance [12 ; 14] [p1a2b3c4d].", "confiance (12 ; 14)"),
        ("租金上涨，95%置信区间 [12, 14] [p1a2b3c4d]。", "置信区间 (12, 14)"),
        ("Median 13, IQR [9 to 21] [p1a2b3c4d].", "IQR (9 to 21)"),
    ],
)
def test_an_interval_keeps_its_numbers(text: str, left: str) -> None:
    shown, sentences, removed = check(text, NEWER_RULES)
    assert left in shown
    assert (sentences, removed) == ((), 0)


@pytest.mark.parametrize(
    "text", ["Rents rose [12–14].", "Rents rose in a range of towns [12, 14]."]
)
def test_numbers_in_brackets_are_citations_elsewhere(text: str) -> None:
    shown, sentences, removed = check(text, NEWER_RULES)
    assert "12" not in shown
    assert (len(sentences), removed) == (1, 2)


@pytest.mark.parametrize(
    ("text", "left", "uncited", "count"),
    [
        ("It depends [S99-9].", "It depends.", ("It depends.",), 1),
        ("Es kommt darauf an [Quelle 4].", "Es kommt darauf an.", ("Es kommt darauf an.",), 1),
        ("Cela dépend [doc1, doc2].", "Cela dépend.", ("Cela dépend.",), 2),
        ("视情况而定【S1-2】。", "视情况而定。", ("视情况而定。",), 1),
        ("Rents rose [p1a2b3c4d] [chunk-07].", "Rents rose [p1a2b3c4d].", (), 1),
        (
            "The gas [CO2] and [P] and arr[S1] stay.",
            "The gas [CO2] and [P] and arr[S1] stay.",
            (),
            0,
        ),
    ],
)
def test_marks_in_the_style_of_other_programs_count_as_citations(
    text: str, left: str, uncited: tuple[str, ...], count: int
) -> None:
    assert check(text, {**RULES, "scoring": 7}) == (left, uncited, count)
    assert check(text, {**RULES, "scoring": 6})[2] == 0
