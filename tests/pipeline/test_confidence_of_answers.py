"""The confidence follows the answer: what is cited on the question, by how many, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from research_core.journal.rule_versions import RULE_VERSIONS
from research_core.models import Block, Report, ReportSource, Sentence, Tie
from research_core.pipeline import confidence, report
from research_core.pipeline.verify import LOST_NOTE
from tests.pipeline.test_confidence import report as build_report
from tests.pipeline.test_confidence import saying, source

#: The letter of a relevance: the sentence answers, is about the question, or is not.
RELEVANCE: dict[str, Any] = {"a": "answers", "t": "on topic", "o": "off topic", "-": ""}
FOUR = [source(n) for n in range(1, 5)]
OWN = [replace(source(n, None), url=f"document:0{n}") for n in range(1, 5)]
COPIES = (Tie(1, 2, "one text", "why"),)
SITE = (Tie(1, 2, "one site", "why"), Tie(1, 3, "one site", "why"), Tie(2, 3, "one site", "why"))


def cite(relevance: str, *numbers: int, state: Any = "supported") -> Sentence:
    text = f"Boat {numbers[0]} caught {100 + numbers[0]} seals."
    passages = tuple(f"p{number:08x}" for number in numbers)
    return Sentence(text, passages, state, "", RELEVANCE[relevance])


def build(sentences: list[Sentence], sources: list[ReportSource], ties: Any = ()) -> Report:
    return replace(build_report(sentences, sources), ties=ties, rules=RULE_VERSIONS)


AGREED = [cite("a", 1, 2, 3)]
ROWS: dict[str, tuple[Report, str, str]] = {
    "one sentence of one of four sources": (
        build([cite("a", 1)], FOUR), "low",
        "Only 1 independent source is cited on the question.",
    ),
    "one source, and its first sentence does not answer": (
        build([cite("t", 1)], FOUR), "low",
        "The first sentence does not answer the question. Only 1 independent source is cited on the question.",
    ),
    "two copies of one text": (
        build([cite("a", 1, 2)], FOUR, COPIES), "low",
        "Only 1 independent source is cited on the question.",
    ),
    "two pages of one site": (
        build([cite("a", 1, 2)], FOUR, SITE), "low",
        "Only 1 independent source is cited on the question.",
    ),
    "two independent that agree": (
        build([cite("a", 1, 2)], FOUR), "moderate", "2 independent sources are cited on the question.",
    ),
    "three independent that agree": (
        build(AGREED, FOUR), "high",
        "The first sentence answers the question. 3 independent sources are cited on the question. The sources"
        " support 1 of 1 cited sentence.",
    ),
    "three that agree, and the first sentence does not answer": (
        build([cite("t", 1, 2, 3)], FOUR), "moderate",
        "The first sentence does not answer the question.",
    ),
    "three that agree on something else": (
        build([cite("o", 1, 2, 3)], FOUR), "low",
        "The first sentence is not about the question. No cited sentence is about the question."
        " No source is cited on the question.",
    ),
    "an answer among sentences off the question": (
        build([cite("a", 1, 2, 3), cite("o", 4, 1), cite("o", 2, 3)], FOUR), "low",
        "1 of 3 cited sentences are about the question.",
    ),
    "an answer with some sentences off the question": (
        build([cite("a", 1, 2, 3), cite("t", 2, 3), cite("o", 4, 1)], FOUR), "moderate",
        "2 of 3 cited sentences are about the question.",
    ),
    "three that agree and do not hold what is cited": (
        build([cite("a", 1, 2, 3, state="partly"), cite("t", 1, 2)], FOUR), "low",
        "The sources support 1 of 2 cited sentences.",
    ),
    "sources that contradict each other": (
        build(AGREED, saying("140", "300", "140", "140")), "moderate",
        "The sources contradict each other.",
    ),
    "sources of low credibility": (
        build(AGREED, [source(n, 0.3) for n in range(1, 5)]), "moderate",
        "The average credibility of the sources is 0.30.",
    ),
    "own documents alone": (
        build([cite("a", 1, 2)], OWN), "moderate",
        "The sources are your own documents. No independent source confirms any cited sentence.",
    ),
    "one own document a sentence": (
        build([cite("a", 1), cite("t", 2)], OWN), "moderate",
        "The sources are your own documents. No independent source confirms any cited sentence.",
    ),
    "no cited sentence": (
        build([Sentence("It is so.")], FOUR), "low",
        "No source is cited on the question. No sentence cites a source.",
    ),
    "sentences that were not rated": (
        build([cite("-", 1, 2, 3)], FOUR), "moderate", "",
    ),
}  # fmt: skip


def test_a_single_own_document_is_a_single_source() -> None:
    built = build([cite("a", 1), cite("t", 1)], OWN[:1])
    found = confidence.examine(built).confidence
    assert found is not None
    assert found.level == "low"
    assert (found.reason or "").startswith(
        "The only source cited on the question is your own document."
    )
    contradictions = _find_line(built, "unexplained contradictions")
    assert contradictions.value == "nothing to compare: there is only one source"
    earlier = confidence.examine(replace(built, rules={**RULE_VERSIONS, "scoring": 6}))
    assert earlier.confidence is not None
    assert earlier.confidence.level == "moderate"


def test_every_sentence_on_one_source_counts_once_whatever_it_states() -> None:
    plain = [
        Sentence("It is often so.", (f"p{n:08x}",), "supported", "", "answers") for n in (1, 1)
    ]
    built = build([cite("a", 1), *plain, cite("a", 1, 2)], FOUR)
    found = confidence.examine(built)
    assert [backing.alone for backing in found.backings] == [False, True, True, False]
    line = _find_line(built, "sentences that rest on one source")
    assert (line.value, line.level) == ("1 of 2", "moderate")
    assert [one["one_source"] for one in report.to_json(built)["sentences"]] == [
        False,
        True,
        True,
        False,
    ]
    earlier = replace(built, rules={**RULE_VERSIONS, "scoring": 2})
    assert _find_line(earlier, "facts from a single source").value == "1 of 2"


@pytest.mark.parametrize(
    ("sentences", "value", "reason"),
    [
        ([cite("a", 1), cite("a", 2), cite("a", 3)], "all of them", confidence.EVERY_SENTENCE),
        ([cite("t", 1), cite("t", 2)], "all of them", confidence.EVERY_SENTENCE),
        (
            [cite("a", 1), cite("a", 2), cite("a", 3), cite("t", 4), cite("a", 1, 2)],
            "4 of 5", "Only one source for 4 of 5 cited sentences.",
        ),
        ([cite("a", 1, 2), cite("a", 3, 4), cite("t", 4)], "1 of 3", ""),
        ([cite("a", 1, 2), cite("t", 3, 4)], "0 of 2", ""),
    ],
)  # fmt: skip
def test_what_holds_of_every_sentence_is_no_caveat(
    sentences: list[Sentence], value: str, reason: str
) -> None:
    named = [replace(one, text=f"{one.text} {n}") for n, one in enumerate(sentences)]
    built = build(named, FOUR)
    computed = confidence.compute_confidence(built)
    assert computed is not None
    assert _find_line(built, "sentences that rest on one source").value == value
    told = computed.reason or ""
    assert reason in told
    is_of_all = value == "all of them"
    assert (confidence.EVERY_SENTENCE in told) == is_of_all
    assert computed.caveat == told.replace(confidence.EVERY_SENTENCE, "").strip()
    assert not [one for one in report.list_notices(built) if confidence.EVERY_SENTENCE in one]
    older = replace(built, rules={**RULE_VERSIONS, "scoring": 6})
    assert _find_line(older, "sentences that rest on one source").value.endswith(
        f"of {len(sentences)}"
    )


def test_quotations_earn_no_confidence_for_being_in_their_sources() -> None:
    built = replace(build(AGREED, FOUR), is_quoted=True)
    computed = confidence.compute_confidence(built)
    assert computed is not None
    names = [line.name for line in computed.lines]
    assert "supported citations" not in names
    assert "citations that could not be checked" not in names
    assert computed.deciding == 3
    assert computed.level == confidence.combine_levels(computed.lines, 3)
    said = confidence.build_confidence_blocks(confidence.examine(built))
    assert confidence.QUOTED_NOTE in [block.sentences[0].text for block in said]
    doubted = [replace(AGREED[0], state="could not check"), *AGREED[1:]]
    checked = confidence.compute_confidence(replace(build(doubted, FOUR), is_quoted=True))
    assert checked is not None
    assert "supported citations" in [line.name for line in checked.lines]


UNSCORED_SOURCE = replace(FOUR[0], relevance=None)
NEVER_HIDDEN = {
    "first cited sentence",
    "cited sentences about the question",
    "independent sources cited on the question",
    "supported citations",
    "sentences that rest on one source",
    "unexplained contradictions",
    "credibility of the sources kept",
}
SHOWN: dict[str, tuple[Report, set[str]]] = {
    "nothing is missing": (build(AGREED, FOUR), set()),
    # What could not be measured is not the same as nothing missing.
    "nothing is stated": (
        build([], FOUR), {"facts without a source", "citations that could not be checked"},
    ),
    "a fact without a source": (
        build([*AGREED, Sentence("Boat 9 caught 109 seals.", note="no source")], FOUR),
        {"facts without a source"},
    ),
    "a source without a score": (
        build(AGREED, [UNSCORED_SOURCE, *FOUR[1:]]), {"sources without a relevance score"},
    ),
    "a citation that could not be checked": (
        build([*AGREED, cite("a", 2, 3, state="could not check")], FOUR),
        {"citations that could not be checked"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_the_list_of_measures_leaves_out_what_finds_nothing_missing(name: str) -> None:
    built, missing = SHOWN[name]
    found = confidence.examine(built)
    assert found.confidence is not None
    assert {line.name for line in found.confidence.visible_lines} == NEVER_HIDDEN | missing
    said = [block.sentences[0].text for block in confidence.build_confidence_blocks(found)[1:]]
    assert len(said) == len(NEVER_HIDDEN | missing)
    for line in missing:
        assert any(text.startswith(line.capitalize()) for text in said)
    listed = report.to_json(built)["confidence"]["lines"]
    assert {line["name"] for line in listed} == NEVER_HIDDEN | missing
    assert len(found.confidence.lines) == len(confidence.MEASURES), "every measure counts"


@pytest.mark.parametrize("name", SHOWN)
def test_the_list_of_an_older_session_keeps_every_line(name: str) -> None:
    built = replace(SHOWN[name][0], rules={**RULE_VERSIONS, "scoring": 2})
    computed = confidence.compute_confidence(built)
    assert computed is not None
    assert computed.visible_lines == computed.lines


def test_the_sources_that_are_not_independent_are_named() -> None:
    built = build([cite("a", 1, 2, 3, 4)], FOUR, SITE[:1])
    line = _find_line(built, "independent sources cited on the question")
    assert line.value == "3; not independent of each other: [1], [2]"


def _find_line(built: Report, name: str) -> confidence.ConfidenceLine:
    computed = confidence.compute_confidence(built)
    assert computed is not None
    return next(line for line in computed.lines if line.name == name)


@pytest.mark.parametrize("name", ROWS)
def test_the_level_follows_the_answer_and_says_why(name: str) -> None:
    built, level, reason = ROWS[name]
    computed = confidence.compute_confidence(built)
    assert computed is not None
    assert (computed.level, computed.reason) == (level, reason)
    head = confidence.build_confidence_blocks(confidence.examine(built))[0].sentences[0].text
    assert f"**{level}** confidence" in head
    assert head.endswith(reason or "confidence.")
    notice = f"Low confidence. {reason}"
    assert (notice in report.list_notices(built)) == (level == "low")
    current = replace(built, rules=RULE_VERSIONS, disclaimer="Few sources.")
    notices = [one for one in report.list_notices(current) if "ample library" not in one]
    assert (notices.index(notice) == 0) if level == "low" else notice not in notices


@pytest.mark.parametrize("name", ROWS)
def test_an_older_session_keeps_its_confidence(name: str) -> None:
    built = replace(ROWS[name][0], rules={**RULE_VERSIONS, "scoring": 2})
    unrated = tuple(
        replace(block, sentences=tuple(replace(one, relevance="") for one in block.sentences))
        for block in built.blocks
    )
    computed = confidence.compute_confidence(built)
    assert computed is not None
    assert computed.reason is None
    assert computed == confidence.compute_confidence(replace(built, blocks=unrated))
    assert len(computed.lines) == len(confidence.EARLIER_MEASURES)
    assert not [one for one in report.list_notices(built) if one.startswith("Low confidence")]


def test_what_is_said_of_the_evidence_is_no_first_sentence() -> None:
    built = build(AGREED, FOUR)
    before = Block("paragraph", (cite("-", 4),))
    computed = confidence.compute_confidence(replace(built, blocks=(before, *built.blocks)))
    assert computed is not None
    assert computed.lines[0].value == "answers the question"


@pytest.mark.parametrize(
    ("first", "is_quoted", "level"),
    [("a", True, "high"), ("t", True, "low"), ("t", False, "moderate"), ("o", True, "low")],
)
def test_a_quotation_that_does_not_answer_as_the_first_makes_the_confidence_low(
    first: str, is_quoted: bool, level: str
) -> None:
    built = replace(build([cite(first, 1, 2, 3)], FOUR), is_quoted=is_quoted)
    computed = confidence.compute_confidence(built)
    assert computed is not None
    assert computed.level == level


def lose(text: str = "It caught 40 seals.") -> Sentence:
    return Sentence(text, (), "uncited", LOST_NOTE)


REMOVED = "The first citation was removed: it named no passage that exists."


@pytest.mark.parametrize(("sentences", "reason", "count"), [
    ([lose(), cite("o", 1)], REMOVED, 1),
    ([lose("Es waren 40."), lose("Il y en eut 3."), cite("t", 1, 2, 3)], REMOVED, 2),
    ([lose(), cite("a", 1, 2, 3)], "The first sentence answers the question.", 1),
    ([cite("o", 1, 2, 3), lose("アザラシは40頭。")], "The first sentence is not about the question.", 1),
    ([Sentence("A start.", (), "uncited"), cite("t", 1)], "The first sentence does not answer the question.", 0),
])  # fmt: skip
def test_a_removed_citation_is_said_in_place_of_a_sentence_off_the_question(
    sentences: list[Sentence], reason: str, count: int
) -> None:
    built = build(sentences, FOUR)
    computed = confidence.compute_confidence(built)
    assert computed is not None
    assert (REMOVED in (computed.reason or "")) == (reason == REMOVED)
    assert reason in (computed.reason or "") or computed.lines[0].level == "high"
    said = " ".join(report.list_notices(built))
    assert ("named no passage that exists." in said) == bool(count)
    assert (f"{count} sentence" in said) == bool(count)
    earlier = replace(built, rules={**RULE_VERSIONS, "scoring": 6})
    assert not report.describe_lost_citations(earlier)
    assert REMOVED not in "".join(report.list_notices(earlier))
