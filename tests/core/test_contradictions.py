"""Different figures for the same thing, held to passages made by hand: mostly such as contradict nobody."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.contradictions import MOST, as_json, contradictions
from research_core.models import Passage, Report, ReportSource, ScoreParts

QUESTION = "How much of its coral cover did the reef at Low Hope lose to bleaching, and what does a dive cost?"
A = "The reef lost 41 percent of its coral cover to bleaching."


def report(*told: str, days: tuple[str, ...] = (), scores: tuple[float, ...] = ()) -> Report:
    """A report that kept one source for each text."""
    sources = []
    for n, text in enumerate(told):
        score = scores[n] if scores else 0.7
        sources.append(
            ReportSource(
                f"https://s{n}.example/", f"Source {n}", n + 1, "kept", "", ScoreParts(score, "general", score, 0.5, 0.0),
                passages=(Passage(f"p{n:08x}", text, 0, len(text)),), published=days[n] if days else "",
            )
        )  # fmt: skip
    return Report("s", QUESTION, 0.0, {}, "full_report", "", "", "", (), tuple(sources), {}, (), (), {}, {})


FOUND = [
    (A, "The reef lost 15 percent of its coral cover to bleaching."),
    (A, "Bleaching cost the reef only 15% of its coral cover."),
    (A, "The reef lost between 10 and 15 percent of its coral cover to bleaching."),
    (A, "The reef lost at least 60 percent of its coral cover to bleaching."),
    ("The dive at the reef costs $40 for each diver.", "The dive at the reef costs $65 for each diver."),
    ("The reef at Low Hope is 2.4 km long in all.", "The reef at Low Hope is 3,100 m long in all."),
    ("In 2016 the reef lost 41 percent of its coral cover.", "The reef lost 15 percent of its coral cover in 2016."),
    ("The reef lost 3.1 million corals to bleaching.", "The reef lost 4.8 million corals to bleaching."),
    (A, "The reef lost nearly 93 percent of its coral cover to bleaching."),
    (
        "The reef lost more than 11 hectares of coral cover to bleaching.",
        "The reef lost more than 33 hectares of coral cover to bleaching.",
    ),
    (
        "The reef lost 41 percent of its corals and 20 percent of its fish.",
        "The reef lost 15 percent of its corals and 20 percent of its fish.",
    ),
    ("The reef at its low wall is 61 m (200 ft) deep.", "The reef at its low wall is 22 m (72 ft) deep."),
    (A, "According to the Harbour Office, the reef lost 15 percent of its coral cover to bleaching."),
]
NOT_FOUND = [
    (A, A),
    ("Australia lost 41 percent of its coral cover to bleaching.", "Indonesia lost 15 percent of its coral cover to bleaching."),
    ("The reef of corals covers 344,400 square kilometres.", "The reef of corals covers 133,000 square miles."),  # the same
    ("In the 1990s the reef lost 41 percent of its coral cover.", "In the 2000s the reef lost 15 percent of its coral cover."),
    ("The coral cover of the reef fell 20 percent.", "The coral cover of the reef fell to 60 percent."),
    ("The coral cover of the reef was 95 percent (95% CI).", "The coral cover of the reef was 99 percent (99% CI)."),
    ("The 120 divers at the reef chose 61 different corals.", "The 181 divers at the reef chose 143 different corals."),  # other groups
    ("The divers at the reef lost 41 corals.", "The other divers at the reef lost 15 corals."),
    (A, "The reef lost 41.2 percent of its coral cover to bleaching."),  # rounding
    (A, "The reef lost about 40 percent of its coral cover to bleaching."),
    (A, "The reef lost at least 30 percent of its coral cover to bleaching."),
    (A, "The reef lost up to 60 percent of its coral cover to bleaching."),
    (A, "The reef lost 35 to 45 percent of its coral cover to bleaching."),
    ("The reef lost 3.1 million corals to bleaching.", "The reef lost 3 million corals to bleaching."),
    ("The reef lost 2.035 million corals to bleaching.", "The reef lost 2,035,000 corals to bleaching."),
    ("In all 120 corals of the reef were lost.", "At least 100 corals of the reef were lost."),
    ("In 2016 the reef lost 41 percent of its coral cover.", "In 2024 the reef lost 15 percent of its coral cover."),
    (A, "The reef lost 15 hectares of its coral cover to bleaching."),
    (A, "The city raised 15 percent of its school budget from parking."),
    (A, "The reef lost 15 percent of its fish to nets in winter."),
    (A, "The northern reef lost 15 percent of its coral cover, the southern reef 20 percent, to bleaching."),
    ("The northern reef lost 41 percent of its coral cover.", "The southern reef lost 15 percent of its coral cover."),
    ("The reef at Low Hope lost 41 percent of its coral cover.", "The reef at Far Bay lost 15 percent of its coral cover."),
    ("The median dive at the reef costs $40 for each diver.", "The mean dive at the reef costs $65 for each diver."),
    ("The dive at the reef costs $40 per hour for each diver.", "The dive at the reef costs $240 per day for each diver."),
    ("The dive at the reef costs $40 for each diver.", "The dive at the reef costs €65 for each diver."),
    ("Adults pay $40 for a dive at the reef.", "Children pay $25 for a dive at the reef."),
    ("The coral cover of the reef fell by 20 percent.", "The coral cover of the reef fell to 60 percent."),
    ("The coral cover of the reef fell from 60 to 40 percent.", "The coral cover of the reef fell to 15 percent."),
    ("The reef at its low wall is about 61 m (200 ft) deep.", "The reef at its low wall is more than 7 m (23 ft) deep."),
    ("The reef grew at its low wall about 61 m (200 ft) deep.", "The reef grew at its low wall by more than 7 m (23 ft) deep."),
    ("The 12-month-old reef diver will find coral cover.", "The 18-month-old reef diver will find coral cover."),
    ("A dive at the reef takes 10 or 15 minutes.", "A dive at the reef takes 5 or 10 minutes."),
    (
        "The reef lost 41 percent of its corals and 20 percent of its fish.",
        "The reef lost 20 percent of its corals and 11 percent of its fish.",
    ),
    ("The minimum dive at the reef takes 30 minutes.", "The maximum dive at the reef takes 90 minutes."),
    ("Table 2 shows the coral cover that the reef lost.", "Table 7 shows the coral cover that the reef lost."),
    ("The coral reef lost cover on 3 May by bleaching.", "The coral reef lost cover on 9 May by bleaching."),
]


@pytest.mark.parametrize(("one", "other"), FOUND)
def test_other_figures_for_one_thing_are_a_contradiction(one: str, other: str) -> None:
    (found,) = contradictions(report(one, other))
    assert [claim.sentence for claim in found.claims] == [one, other]
    assert [claim.source for claim in found.claims] == [1, 2]


@pytest.mark.parametrize(("one", "other"), NOT_FOUND)
def test_what_both_can_be_true_is_no_contradiction(one: str, other: str) -> None:
    assert contradictions(report(one, other)) == ()
    assert contradictions(report(other, one)) == ()


def test_a_source_is_not_held_against_itself() -> None:
    assert contradictions(report(f"{A} {FOUND[0][1]}")) == ()


@pytest.mark.parametrize(
    ("one", "other", "days", "kind", "why"),
    [
        (*FOUND[0], (), "differs", ""),
        (*FOUND[0], ("2021-03-01", "2021-09-01"), "differs", ""),
        (*FOUND[0], ("2016-03-01", "2024"), "may be of another date", "the pages are of 2016 and 2024"),
        (A, "In 2016 the reef lost 15 percent of its coral cover to bleaching.", (),
         "may be of another date", "only one names a year, 2016"),
        ("By 2030 the reef has 41 percent of the coral cover of 1990.", "By 2030 the reef has 15 percent of the coral cover of 2005.", (),
         "may be of another date", "they name 1990 and 2005"),
        (A, "The reef will lose 15 percent of its coral cover to bleaching; it lost it.", (),
         "may be of another date", "only one of them foretells"),
        (A, "The reef at Low Hope lost 15 percent of its coral cover to bleaching.", (),
         "may be of another scope", "only one names hope, low"),
        (A, "The reef lost 15 percent of its total coral cover to bleaching.", (), "may be of another scope", "only one says total"),
    ],
)  # fmt: skip
def test_what_may_explain_it(one: str, other: str, days: tuple[str, ...], kind: str, why: str) -> None:
    (found,) = contradictions(report(one, other, days=days))
    assert (found.kind, found.why) == (kind, why)


def test_claims_say_who_when_and_how_credible_and_the_most_credible_is_first() -> None:
    third = A.replace("41", "77")
    (found,) = contradictions(report(A, FOUND[0][1], third, days=("2021", "2021-05", "2021-06-01"), scores=(0.4, 0.9, 0.6)))
    assert [(c.value, c.source, c.passage, c.published, c.credibility) for c in found.claims] == [
        ("15 percent", 2, "p00000001", "2021-05", 0.9), ("77 percent", 3, "p00000002", "2021-06-01", 0.6),
        ("41 percent", 1, "p00000000", "2021", 0.4),
    ]  # fmt: skip
    assert found.about == "reef lost coral cover bleaching"
    assert (found.unit, found.claims[0].low, found.claims[0].high) == ("%", 14.5, 15.5)
    assert as_json((found,))[0]["claims"][0]["value"] == "15 percent"


def test_an_open_figure_has_no_end() -> None:
    (found,) = contradictions(report(*FOUND[3]))
    assert [(claim.low, claim.high) for claim in found.claims] == [(40.5, 41.5), (57.0, None)]


def test_a_sentence_is_in_one_contradiction_and_what_nothing_explains_is_first() -> None:
    dated = "In 2016 the dive at the reef cost $40 for each diver.", "The dive at the reef cost $65 for each diver."
    found = contradictions(report(f"{dated[0]} {A}", f"{dated[1]} {FOUND[0][1]}"))
    assert [one.kind for one in found] == ["differs", "may be of another date"]
    said = [claim.sentence for one in found for claim in one.claims]
    assert len(said) == len(set(said))


@given(st.lists(st.sampled_from([text for pair in FOUND for text in pair]), min_size=2, max_size=14))
def test_there_are_never_too_many_and_each_has_two_sources(texts: list[str]) -> None:
    built = report(*texts)
    found = contradictions(built)
    assert len(found) <= MOST
    assert all(len({claim.source for claim in one.claims}) == len(one.claims) >= 2 for one in found)
    turned = replace(built, sources=tuple(reversed(built.sources)))
    assert contradictions(turned) == found
