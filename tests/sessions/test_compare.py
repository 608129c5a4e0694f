"""Two runs side by side: what differs in settings, outcome, sources and sentences."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.decisions.gate import decide_gate
from research_core.decisions.view import fold_events
from research_core.llm.offline_writer import EXTRACTIVE_NOTICE
from research_core.policy import Caps, CredibilityPolicy, Override, RunSettings
from research_core.sessions.compare import (
    Change,
    Comparison,
    SentencePair,
    compare_runs,
    get_scores,
)
from tests.decisions.test_gate import OWN, WEAK, Log

A, B, C = (f"https://{name}.example.org/p" for name in "abc")


def ended(log: Log, *sentences: tuple[str, str, str]) -> Log:
    """The run brought to its report. sentences: text, the passage it cites, what the check found."""
    decided = decide_gate(fold_events(log.events))
    log("gated", **{**asdict(decided), "kept": list(decided.kept)})
    said = [
        {"text": text, "citations": [cited] if cited else [], "state": state, "note": ""}
        for text, cited, state in sentences
    ]
    log("written", text="", removed=0)
    return log(
        "verified",
        blocks=[{"kind": "paragraph", "level": 0, "sentences": [sentence]} for sentence in said],
    )


def source(log: Log, url: str, passage: str, score: int = 4) -> Log:
    log.found(url)(
        "fetched",
        url=url,
        final_url=url,
        title=f"Title of {url}",
        published="",
        page={"$text": "sha"},
    )
    passages = [{"id": passage, "text": "words", "start": 0, "end": 5}]
    return log("passages", url=url, passages=passages, summary="words").judged(url, score)


def differences(a: Log, b: Log) -> Comparison:
    return compare_runs(fold_events(a.events), fold_events(b.events))


def changed(found: Comparison) -> dict[str, str]:
    return {pair.url: pair.change for pair in found.sources}


def sentences(found: Comparison) -> list[tuple[str, str, str]]:
    return [
        (
            pair.change,
            pair.before.text if pair.before else "",
            pair.after.text if pair.after else "",
        )
        for pair in found.sentences
    ]


# ---------------------------------------------------------------- confidence and contradictions


def told(log: Log, url: str, passage: str, text: str) -> Log:
    source(log, url, passage)
    log.events[-2].data["passages"][0] |= {"text": text, "end": len(text)}
    return log


def disputing(figure: str) -> Log:
    one, other = (
        f"The reef lost {lost} percent of its coral cover to bleaching." for lost in ("41", figure)
    )
    log = Log()
    log.events[0].data["question"] = "How much of its coral cover did the reef lose to bleaching?"
    return ended(
        told(told(log, A, "p00000001", one), B, "p00000002", other), (one, "p00000001", "supported")
    )


def test_a_contradiction_is_gained_lost_or_kept_and_moves_the_confidence() -> None:
    calm, loud = disputing("41"), disputing("15")
    assert [one.change for one in differences(calm, loud).disputed] == ["gained"]
    assert [one.change for one in differences(loud, calm).disputed] == ["lost"]
    assert [one.change for one in differences(loud, loud).disputed] == ["kept"]
    assert differences(loud, loud).counts()["contradiction kept"] == 1
    changes = {change.name: change for change in differences(calm, loud).outcome}
    assert changes["Confidence, computed"].before
    assert (
        changes["Contradictions that nothing explains"].after
        == "1 found among 2 comparable statements (moderate)"
    )


def test_only_sentences_that_cite_a_source_are_compared() -> None:
    log = ended(
        source(Log(), A, "p1"),
        (EXTRACTIVE_NOTICE, "", "uncited"),
        ("*Seals* moved *away*.", "", "uncited"),
        ("*Seals moved.*", "p1", "partly"),
    )
    found = differences(log, log)
    assert [text for _, text, _ in sentences(found)] == ["*Seals moved.*"]
    assert found.counts()["sentence kept"] == 1
    outcome = {change.name: change.after for change in found.outcome}
    assert outcome["Cited sentences"] == "1"


def test_a_cited_sentence_counts_under_any_heading_and_the_heading_does_not() -> None:
    told = [("Seals moved away.", "p1", "supported"), ("A heading", "p1", "uncited")]
    log = ended(source(Log(), A, "p1"), *told, ("Seals stayed away.", "p1", "supported"))
    log.events[-1].data["blocks"][1] |= {"kind": "heading", "level": 2}
    said = [text for _, text, _ in sentences(differences(log, log))]
    assert said == ["Seals moved away.", "Seals stayed away."]


def test_without_a_report_there_is_no_confidence_to_compare() -> None:
    changes = {change.name: change for change in differences(Log(), Log()).outcome}
    assert changes["Confidence, computed"] == Change(
        "Confidence, computed", "no report", "no report"
    )


# ---------------------------------------------------------------- settings and outcome


def test_a_run_differs_from_itself_in_nothing() -> None:
    log = ended(source(Log(), A, "p1"), ("Seals moved away.", "p1", "supported"))
    found = differences(log, log)
    assert found.settings == ()
    assert [change for change in found.outcome if change.before != change.after] == []
    assert (changed(found), sentences(found)) == (
        {A: "same"},
        [("kept", "Seals moved away.", "Seals moved away.")],
    )
    assert found.counts() == {"source same": 1, "sentence kept": 1}


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ({"mode": "quick"}, {"mode": "deep"}, Change("Mode", "quick", "deep")),
        (
            {"engines": ("library",)},
            {"engines": ("ddgs:brave", "library")},
            Change("Searched", "library", "brave, library"),
        ),
        ({}, {"relevance_cutoff": 4}, Change("Minimum relevance", "set by the mode", "4")),
        ({}, {"caps": Caps(cost=0.5)}, Change("Limit on cost", "no limit", "0.5")),
        (
            {},
            {"credibility": CredibilityPolicy(minimum=0.3)},
            Change("Minimum credibility", "0.50", "0.30"),
        ),
        ({}, {"struck": (A,)}, Change("Excluded by hand", "none", A)),
        (
            {},
            {"credibility": CredibilityPolicy(parts=("ratings", "name"))},
            Change(
                "Evidence on sites",
                "your ratings, expert ratings, institutions, outlets, names",
                "expert ratings, names",
            ),
        ),
        (
            {},
            {
                "credibility": CredibilityPolicy(
                    overrides=(Override("a.example", 0.2, "it was wrong twice"),)
                )
            },
            Change("Your ratings", "none", "a.example 0.20 (it was wrong twice)"),
        ),
        ({}, {"ratings": ("lin2023",)}, Change("Expert ratings", "none", "lin2023")),
        (
            {},
            {"judging": "MiniLM"},
            Change("Relevance judged", "by words", "by words and meaning (MiniLM)"),
        ),
    ],
    ids=str,
)
def test_settings_that_differ_are_said_in_words(before: Any, after: Any, change: Change) -> None:
    assert differences(Log(**before), Log(**after)).settings == (change,)


def test_every_setting_has_a_name_for_readers() -> None:
    tiers = CredibilityPolicy().tiers[:2]
    policy = CredibilityPolicy(
        0.1, 0.1, 0.1, 0.2, tiers, ("name",), (Override("a.example", 0.2, "why"),)
    )
    known = (
        "deep",
        "agentic",
        ("x",),
        "y",
        "z",
        5,
        9,
        8,
        policy,
        Caps(1, 2, 3.0, 4.0),
        ("i",),
        ("a",),
        ("s",),
        "f",
        "g",
    )
    other = RunSettings(*known, ("m",), ("w",), "b", ("t",), ("r",), "j")
    log = Log()
    log.events[0].data["settings"] = other.to_json()
    found = differences(Log(), log).settings
    assert len(found) == 22 + 8
    assert [change.name for change in found if change.name[0].islower()] == []


def test_another_question_is_a_difference_too() -> None:
    log = Log()
    log.events[0].data["question"] = "What else?"
    assert differences(Log(), log).settings[0].after == "What else?"


def test_a_run_that_did_not_come_to_its_gate_is_compared_as_far_as_it_came() -> None:
    whole = ended(source(Log(), A, "p1"), ("Seals moved away.", "p1", "supported"))
    found = differences(whole, Log().found(A))
    outcome = {change.name: (change.before, change.after) for change in found.outcome}
    assert outcome["Decision"] == ("no report", "not decided")
    assert outcome["Sources found"] == ("1", "1")
    assert outcome["Sources kept"] == ("1", "0")
    assert (changed(found), sentences(found)) == (
        {A: "decided"},
        [("lost", "Seals moved away.", "")],
    )


def test_two_empty_logs_are_alike() -> None:
    found = compare_runs(fold_events([]), fold_events([]))
    assert (found.settings, found.sources, found.sentences) == ((), (), ())


# ---------------------------------------------------------------- sources


def test_sources_gained_lost_decided_otherwise_and_scored_otherwise() -> None:
    before = source(source(source(Log(), A, "a"), B, "b", 5), OWN, "o").found(C, WEAK)
    after = source(
        source(source(Log(credibility=CredibilityPolicy(minimum=0.0)), A, "a", 1), B, "b", 4),
        C,
        "c",
    )
    found = differences(before, after)
    assert changed(found) == {C: "decided", A: "decided", OWN: "lost", B: "scored"}
    assert [pair.change for pair in found.sources] == ["decided", "decided", "lost", "scored"]
    pairs = {pair.url: pair for pair in found.sources}
    assert (get_scores(pairs[B].before)[1], get_scores(pairs[B].after)[1]) == (5, 4)
    assert (get_scores(pairs[OWN].before), get_scores(pairs[OWN].after)) == (
        (None, 4),
        (None, None),
    )
    assert pairs[OWN].title == f"{OWN} for 0"


# ---------------------------------------------------------------- sentences


def test_sentences_kept_changed_lost_and_gained() -> None:
    before = ended(
        source(Log(), A, "p"),
        ("Seals kept away from the turbines while the blades were turning.", "p", "supported"),
        ("The animals came back at slack water.", "p", "supported"),
        ("Nobody had counted the birds.", "p", "partly"),
    )
    after = ended(
        source(Log(), A, "p"),
        ("The animals came back at slack water!", "p", "not found"),
        ("Harbour porpoises were never seen there.", "p", "not found"),
        ("Seals kept away from the turbines while all the blades were turning.", "p", "supported"),
    )
    found = differences(before, after)
    assert [pair.change for pair in found.sentences] == ["kept", "gained", "changed", "lost"]
    kept, gained, _, lost = found.sentences
    assert kept.before is not None
    assert kept.after is not None
    assert (kept.before.state, kept.after.state) == ("supported", "not found")
    assert kept.after.cites == ((1, f"{A} for 0", A),)
    assert gained.after is not None
    assert gained.after.state == "not found"
    assert lost.after is None


def test_a_lost_sentence_says_what_became_of_its_source() -> None:
    before = ended(
        source(source(Log(), A, "p"), B, "q"),
        ("Seals moved.", "p", "supported"),
        ("Birds stayed.", "q", "supported"),
    )
    after = ended(source(source(Log(), A, "p", 1), B, "q"), ("Fish came.", "q", "supported"))
    assert [(pair.change, pair.why) for pair in differences(before, after).sentences] == [
        ("gained", ""),
        ("lost", "[1] dropped"),
        ("lost", ""),
    ]
    assert [pair.why for pair in differences(before, Log()).sentences] == [
        "[1] not found",
        "[2] not found",
    ]


def test_a_sentence_said_twice_has_two_partners() -> None:
    twice = ended(
        source(Log(), A, "p"),
        ("Seals moved.", "p", "supported"),
        ("Seals moved.", "p", "supported"),
    )
    once = ended(source(Log(), A, "p"), ("Seals moved.", "p", "supported"))
    assert [pair.change for pair in differences(twice, once).sentences] == ["kept", "lost"]


WORDS = st.lists(
    st.lists(
        st.sampled_from(["seals", "moved", "away", "today", "not"]), min_size=1, max_size=6
    ).map(" ".join),
    max_size=6,
)


@given(before=WORDS, after=WORDS)
def test_every_sentence_of_both_reports_stands_in_one_pair(
    before: list[str], after: list[str]
) -> None:
    def run(texts: list[str]) -> Log:
        return ended(source(Log(), A, "p"), *((text, "p", "supported") for text in texts))

    pairs: tuple[SentencePair, ...] = differences(run(before), run(after)).sentences
    assert sorted(pair.before.text for pair in pairs if pair.before) == sorted(before)
    assert [pair.after.text for pair in pairs if pair.after] == after
    there = {(True, True): {"kept", "changed"}, (True, False): {"lost"}, (False, True): {"gained"}}
    assert all(
        pair.change in there[pair.before is not None, pair.after is not None] for pair in pairs
    )
