"""Different figures, dates, names and denials of the same thing, held to passages made by hand:
mostly such as contradict nobody.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.models import Passage, Report, ReportSource, ScoreParts
from research_core.pipeline.contradictions import (
    MAX_CONTRADICTIONS,
    compare_sources,
    contradictions_to_json,
)

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
    return Report(
        "s", QUESTION, 0.0, {}, "full_report", "", "", "", (), tuple(sources), {}, (), (), {}, {}
    )


FOUND = [
    (A, "The reef lost 15 percent of its coral cover to bleaching."),
    (A, "Bleaching cost the reef only 15% of its coral cover."),
    (A, "The reef lost between 10 and 15 percent of its coral cover to bleaching."),
    (A, "The reef lost at least 60 percent of its coral cover to bleaching."),
    (
        "The dive at the reef costs $40 for each diver.",
        "The dive at the reef costs $65 for each diver.",
    ),
    ("The reef at Low Hope is 2.4 km long in all.", "The reef at Low Hope is 3,100 m long in all."),
    (
        "In 2016 the reef lost 41 percent of its coral cover.",
        "The reef lost 15 percent of its coral cover in 2016.",
    ),
    (
        "The reef lost 3.1 million corals to bleaching.",
        "The reef lost 4.8 million corals to bleaching.",
    ),
    (A, "The reef lost nearly 93 percent of its coral cover to bleaching."),
    (
        "The reef lost more than 11 hectares of coral cover to bleaching.",
        "The reef lost more than 33 hectares of coral cover to bleaching.",
    ),
    (
        "The reef lost 41 percent of its corals and 20 percent of its fish.",
        "The reef lost 15 percent of its corals and 20 percent of its fish.",
    ),
    (
        "The reef at its low wall is 61 m (200 ft) deep.",
        "The reef at its low wall is 22 m (72 ft) deep.",
    ),
    (
        A,
        "According to the Harbour Office, the reef lost 15 percent of its coral cover to bleaching.",
    ),
]
NOT_FOUND = [
    (A, A),
    (
        "Australia lost 41 percent of its coral cover to bleaching.",
        "Indonesia lost 15 percent of its coral cover to bleaching.",
    ),
    (
        "The reef of corals covers 344,400 square kilometres.",
        "The reef of corals covers 133,000 square miles.",
    ),  # the same
    (
        "The coral cover of the reef fell 20 percent.",
        "The coral cover of the reef fell to 60 percent.",
    ),
    (
        "The coral cover of the reef was 95 percent (95% CI).",
        "The coral cover of the reef was 99 percent (99% CI).",
    ),
    (
        "The 120 divers at the reef chose 61 different corals.",
        "The 181 divers at the reef chose 143 different corals.",
    ),  # other groups
    ("The divers at the reef lost 41 corals.", "The other divers at the reef lost 15 corals."),
    (A, "The reef lost 41.2 percent of its coral cover to bleaching."),  # rounding
    (A, "The reef lost about 40 percent of its coral cover to bleaching."),
    (A, "The reef lost at least 30 percent of its coral cover to bleaching."),
    (A, "The reef lost up to 60 percent of its coral cover to bleaching."),
    (A, "The reef lost 35 to 45 percent of its coral cover to bleaching."),
    (
        "The reef lost 3.1 million corals to bleaching.",
        "The reef lost 3 million corals to bleaching.",
    ),
    (
        "The reef lost 2.035 million corals to bleaching.",
        "The reef lost 2,035,000 corals to bleaching.",
    ),
    ("In all 120 corals of the reef were lost.", "At least 100 corals of the reef were lost."),
    (
        "In 2016 the reef at its low wall lost 41 percent of coral.",
        "In 2024 the reef at its deep end lost 15 percent of coral.",
    ),
    (A, "The reef lost 15 hectares of its coral cover to bleaching."),
    (A, "The city raised 15 percent of its school budget from parking."),
    (A, "The reef lost 15 percent of its fish to nets in winter."),
    (
        A,
        "The northern reef lost 15 percent of its coral cover, the southern reef 20 percent, to bleaching.",
    ),
    (
        "The northern reef lost 41 percent of its coral cover.",
        "The southern reef lost 15 percent of its coral cover.",
    ),
    (
        "The reef at Low Hope lost 41 percent of its coral cover.",
        "The reef at Far Bay lost 15 percent of its coral cover.",
    ),
    (
        "The median dive at the reef costs $40 for each diver.",
        "The mean dive at the reef costs $65 for each diver.",
    ),
    (
        "The dive at the reef costs $40 per hour for each diver.",
        "The dive at the reef costs $240 per day for each diver.",
    ),
    (
        "The dive at the reef costs $40 for each diver.",
        "The dive at the reef costs €65 for each diver.",
    ),
    ("Adults pay $40 for a dive at the reef.", "Children pay $25 for a dive at the reef."),
    (
        "The coral cover of the reef fell by 20 percent.",
        "The coral cover of the reef fell to 60 percent.",
    ),
    (
        "The coral cover of the reef fell from 60 to 40 percent.",
        "The coral cover of the reef fell to 15 percent.",
    ),
    (
        "The reef at its low wall is about 61 m (200 ft) deep.",
        "The reef at its low wall is more than 7 m (23 ft) deep.",
    ),
    (
        "The reef grew at its low wall about 61 m (200 ft) deep.",
        "The reef grew at its low wall by more than 7 m (23 ft) deep.",
    ),
    (
        "The 12-month-old reef diver will find coral cover.",
        "The 18-month-old reef diver will find coral cover.",
    ),
    ("A dive at the reef takes 10 or 15 minutes.", "A dive at the reef takes 5 or 10 minutes."),
    (
        "The reef lost 41 percent of its corals and 20 percent of its fish.",
        "The reef lost 20 percent of its corals and 11 percent of its fish.",
    ),
    (
        "The minimum dive at the reef takes 30 minutes.",
        "The maximum dive at the reef takes 90 minutes.",
    ),
    (
        "Table 2 shows the coral cover that the reef lost.",
        "Table 7 shows the coral cover that the reef lost.",
    ),
    (
        "The coral reef lost cover on 3 May by bleaching.",
        "The coral reef lost cover on 9 May by bleaching.",
    ),
    (
        "The 120 divers of 2015 chose 61 different reefs for a dive.",
        "The other 181 divers chose 143 different reefs for a dive.",
    ),
    (
        "The reef museum at Low Hope was restored in 2015.",
        "The reef museum at Low Hope was restored in 2019.",
    ),  # it may be done twice
    ("The reef museum at Low Hope opened in 2015.", "The coral school at Far Bay opened in 2019."),
    (
        "The reef museum at Low Hope opened in May 2015.",
        "The reef museum at Low Hope opened on 3 May 2015.",
    ),
    ("The reef museum at Low Hope opened in 2015.", "The reef museum at Low Hope opened on 3 May."),
    (
        "The reef festival was held on 3 May 2015.",
        "The reef festival was held on 7 June 2016.",
    ),  # two festivals
    (
        "The reef guide was written by Anna Berg and Carl Lund.",
        "The reef guide was written by Carl Lund.",
    ),
    (
        "The reef guide was written by Anna Berg for divers.",
        "The school song was written by Carl Lund for divers.",
    ),
    (
        "Bleaching causes the death of the coral reef.",
        "Bleaching does not only cause the death of the coral reef.",
    ),
    (
        "Bleaching causes the death of the coral reef.",
        "Bleaching causes the death of the coral reef but not of fish.",
    ),
    (
        "Take the boat exactly as directed by the coral office.",
        "The coral office may tell you not to take the boat.",
    ),
    (
        "Bleaching does not kill the coral of the reef.",
        "Bleaching never kills the coral of the reef.",
    ),
    (
        "The coral cover of the reef increased in the spring.",
        "The coral cover of the reef decreased in the autumn.",
    ),
    (
        "The coral cover of the reef increased in 2015.",
        "The coral cover of the reef decreased in 2019.",
    ),
    (
        "No coral reef of Low Hope was lost in the storm.",
        "No, the coral reef of Low Hope was lost in the storm.",
    ),
]
#: One states otherwise than the other, and no figure differs: what, and how each is told.
STATED = [
    ("The reef museum at Low Hope opened in 2015.", "The reef museum at Low Hope opened in 2019.", "date", "2015", "2019"),
    ("In 2015, the reef museum opened at Low Hope.", "The reef museum at Low Hope opened in 2019.", "date", "2015", "2019"),
    ("The reef festival is held on 3 May at Low Hope.", "The reef festival is held on 7 June at Low Hope.", "date", "3 May", "7 June"),
    ("The reef museum opened on 3 May 2015.", "The reef museum at last opened on 3 June 2015.", "date", "3 May 2015", "3 June 2015"),
    ("The reef museum was founded by Anna Berg.", "The reef museum was founded by Carl Lund.", "name", "Anna Berg", "Carl Lund"),
    ("Bleaching causes the death of the coral reef.", "Bleaching does not cause the death of the coral reef.", "statement",
     "causes", "not … causes"),
    ("There is no evidence that bleaching causes the death of the coral reef.", "Bleaching causes the death of the coral reef.",
     "statement", "no evidence … bleaching", "bleaching"),
    ("The coral cover of the reef increased in the spring.", "The coral cover of the reef decreased in the spring.", "statement",
     "increased", "decreased"),
    ("Diving at the coral reef is safe for children.", "Diving at the coral reef is unsafe for children.", "statement", "safe", "unsafe"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), FOUND)
def test_other_figures_for_one_thing_are_a_contradiction(one: str, other: str) -> None:
    (found,) = compare_sources(report(one, other)).contradictions
    assert [claim.sentence for claim in found.claims] == [one, other]
    assert [claim.source for claim in found.claims] == [1, 2]


@pytest.mark.parametrize(("one", "other"), NOT_FOUND)
def test_what_both_can_be_true_is_no_contradiction(one: str, other: str) -> None:
    assert compare_sources(report(one, other)).contradictions == ()
    assert compare_sources(report(other, one)).contradictions == ()


@pytest.mark.parametrize(("one", "other", "what", "a", "b"), STATED)
def test_another_date_name_or_denial_of_one_thing_is_a_contradiction(
    one: str, other: str, what: str, a: str, b: str
) -> None:
    (found,) = compare_sources(report(one, other)).contradictions
    assert (found.unit, [claim.value for claim in found.claims]) == (what, [a, b])
    assert [(claim.low, claim.high) for claim in found.claims] == [(None, None)] * 2
    assert (found.kind, found.why) == (
        "one says, another denies" if what == "statement" else "differs",
        "",
    )


def test_when_a_thing_was_founded_does_not_change_with_the_year_of_the_page_but_what_holds_may() -> (
    None
):
    years = ("2016-03-01", "2024")
    assert [
        each.kind for each in compare_sources(report(*STATED[0][:2], days=years)).contradictions
    ] == ["differs"]
    assert [
        each.kind for each in compare_sources(report(*STATED[-1][:2], days=years)).contradictions
    ] == ["may be of another date"]


def test_how_much_could_be_compared_is_counted() -> None:
    assert (
        compare_sources(report(A, "The city raised its school budget by parking.")).comparable == 0
    )
    assert compare_sources(report(A, A)).comparable == 2
    built = report(A, A)
    assert (
        compare_sources(
            replace(built, sources=(built.sources[0], replace(built.sources[1], copy_of=1)))
        ).comparable
        == 0
    )
    assert compare_sources(report(*STATED[0][:2], *FOUND[4])).comparable == 4


def test_a_source_is_not_held_against_itself() -> None:
    assert compare_sources(report(f"{A} {FOUND[0][1]}")).contradictions == ()


@pytest.mark.parametrize(
    ("one", "other", "days", "kind", "why"),
    [
        (*FOUND[0], (), "differs", ""),
        (*FOUND[0], ("2021-03-01", "2021-09-01"), "differs", ""),
        (*FOUND[0], ("2016-03-01", "2024"), "may be of another date", "the pages date from 2016 and 2024"),
        (A, "In 2016 the reef lost 15 percent of its coral cover to bleaching.", (),
         "may be of another date", "only one names a year, 2016"),
        ("By 2030 the reef has 41 percent of the coral cover of 1990.", "By 2030 the reef has 15 percent of the coral cover of 2005.", (),
         "may be of another date", "they name 1990 and 2005"),
        ("In 2016 the reef lost 41 percent of its coral cover.", "In 2024 the reef lost 15 percent of its coral cover.", (),
         "may be of another date", "they name 2016 and 2024"),
        ("In the 1990s the reef lost 41 percent of its coral cover.", "In the 2000s the reef lost 15 percent of its coral cover.", (),
         "may be of another date", "they name 1990s and 2000s"),
        ("Of 120 divers 61 percent chose the coral reef for a dive.", "Of those who dive 43 percent chose the coral reef for a dive.", (),
         "may be of another scope", "only one counts 120 divers"),
        (A, "The reef will lose 15 percent of its coral cover to bleaching; it lost it.", (),
         "may be of another date", "only one is a forecast"),
        (A, "The reef at Low Hope lost 15 percent of its coral cover to bleaching.", (),
         "may be of another scope", "only one names hope, low"),
        (A, "The reef lost 15 percent of its total coral cover to bleaching.", (), "may be of another scope", "only one says total"),
    ],
)  # fmt: skip
def test_what_may_explain_it(
    one: str, other: str, days: tuple[str, ...], kind: str, why: str
) -> None:
    (found,) = compare_sources(report(one, other, days=days)).contradictions
    assert (found.kind, found.why) == (kind, why)


def test_claims_say_who_when_and_how_credible_and_the_most_credible_is_first() -> None:
    third = A.replace("41", "77")
    (found,) = compare_sources(
        report(
            A, FOUND[0][1], third, days=("2021", "2021-05", "2021-06-01"), scores=(0.4, 0.9, 0.6)
        )
    ).contradictions
    assert [(c.value, c.source, c.passage, c.published, c.credibility) for c in found.claims] == [
        ("15 percent", 2, "p00000001", "2021-05", 0.9), ("77 percent", 3, "p00000002", "2021-06-01", 0.6),
        ("41 percent", 1, "p00000000", "2021", 0.4),
    ]  # fmt: skip
    assert found.about == "reef lost coral cover bleaching"
    assert (found.unit, found.claims[0].low, found.claims[0].high) == ("%", 14.5, 15.5)
    assert contradictions_to_json((found,))[0]["claims"][0]["value"] == "15 percent"


def test_an_open_figure_has_no_end() -> None:
    (found,) = compare_sources(report(*FOUND[3])).contradictions
    assert [(claim.low, claim.high) for claim in found.claims] == [(40.5, 41.5), (57.0, None)]


def test_a_sentence_is_in_one_contradiction_and_what_nothing_explains_is_first() -> None:
    dated = (
        "In 2016 the dive at the reef cost $40 for each diver.",
        "The dive at the reef cost $65 for each diver.",
    )
    found = compare_sources(report(f"{dated[0]} {A}", f"{dated[1]} {FOUND[0][1]}")).contradictions
    assert [one.kind for one in found] == ["differs", "may be of another date"]
    said = [claim.sentence for one in found for claim in one.claims]
    assert len(said) == len(set(said))


@given(
    st.lists(st.sampled_from([text for pair in FOUND for text in pair]), min_size=2, max_size=14)
)
def test_there_are_never_too_many_and_each_has_two_sources(texts: list[str]) -> None:
    built = report(*texts)
    found = compare_sources(built).contradictions
    assert len(found) <= MAX_CONTRADICTIONS
    assert all(len({claim.source for claim in one.claims}) == len(one.claims) >= 2 for one in found)
    turned = replace(built, sources=tuple(reversed(built.sources)))
    assert compare_sources(turned).contradictions == found
