"""What each sentence rests on, held to reports made by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.journal.rule_versions import RULE_VERSIONS
from research_core.models import Block, Passage, Report, ReportSource, Sentence, Tie
from research_core.pipeline.backing import find_backings, list_distinct_backings
from research_core.trust import independence
from research_core.trust.copies import fingerprint_text
from research_core.trust.independence import SourceIdentity

TIDE, REEF = (
    "The tide at Low Hope turns twice a day and rises 4 metres.",
    "The reef lost 40 percent of its coral cover to bleaching.",
)
OTHER_REEF = "Bleaching cost the reef only 15 percent of its coral cover."
#: Address and passage of six sources. 1 and 2 are of one domain, 3 is a copy of 1 elsewhere, 4 and
#: 5 speak of the reef; 5 and 6 are own documents.
SOURCES = (
    ("https://a.tides.example.org/1", TIDE),
    (
        "https://b.tides.example.org/2",
        "Boats leave Low Hope when the water is high, which a bell tells.",
    ),
    ("https://copied.example.com/", TIDE),
    ("https://reef.example.edu/", REEF),
    (
        "document:0123",
        f"{OTHER_REEF} Ten dives were counted by the harbour office, all of them in spring and on the lee side.",
    ),
    (
        "document:4567",
        "The keeper of the light wrote down when each boat came home, and what it had on board.",
    ),
)


def name(number: int) -> str:
    return f"p{number:08x}"


def source(number: int, url: str, text: str) -> ReportSource:
    return ReportSource(
        url,
        f"Source {number}",
        number,
        "kept",
        "",
        None,
        passages=(Passage(name(number), text, 0, len(text)),),
    )


def report(
    *cited: tuple[str, tuple[int, ...]],
    sources: Any = SOURCES,
    decision: Any = "full_report",
    gaps: Any = (),
) -> Report:
    """A report of one paragraph: sentences with the numbers they cite."""
    kept = tuple(source(number, url, text) for number, (url, text) in enumerate(sources, 1))
    sentences = tuple(
        Sentence(text, tuple(map(name, numbers)), "supported") for text, numbers in cited
    )
    question = "How much coral cover did the reef lose?"
    built = Report(
        "s",
        question,
        0.0,
        {},
        decision,
        "",
        "",
        "",
        (Block("paragraph", sentences),),
        kept,
        {},
        (),
        (),
        {},
        {},
        gaps=gaps,
    )
    return tied(built)


def tied(built: Report) -> Report:
    """The report with what ties its sources, as the gate tells it."""
    known = {
        each.number: SourceIdentity(each.address, fingerprint_text(each.passages[0].text))
        for each in built.sources
    }
    same = {
        int(copy): int(first)
        for copy, first in independence.map_shared_texts(
            {str(n): each for n, each in known.items()}
        ).items()
    }
    same |= {each.number: each.copy_of for each in built.sources if each.copy_of}
    return replace(built, ties=independence.find_ties(known, same))


@pytest.mark.parametrize(
    ("numbers", "rest", "alone"),
    [
        ((1,), "one source", True),
        ((1, 2), "one site", True),
        ((1, 3), "one wording", True),
        ((2, 3), "several", False),
        ((4, 5), "own documents", True),
        ((2, 4, 5), "several", False),
        ((1, 2, 5), "own documents", True),
        ((5, 6), "own documents", True),
        ((5,), "one source", True),
    ],
)
def test_what_a_sentence_rests_on(numbers: tuple[int, ...], rest: str, alone: bool) -> None:
    (backing,) = find_backings(report(("It turns.", numbers)))
    assert (backing.sources, backing.rest, backing.alone) == (numbers, rest, alone)


@pytest.mark.parametrize(("copy", "original"), [(2, 4), (4, 2)])
def test_what_the_gate_calls_a_copy_is_of_one_wording_also_where_its_original_comes_after_it(
    copy: int, original: int
) -> None:
    found = report(("It turns.", (2, 4)))
    sources = tuple(
        replace(each, copy_of=original) if each.number == copy else each for each in found.sources
    )
    (backing,) = find_backings(tied(replace(found, sources=sources)))
    assert backing.rest == "one wording"


def test_a_source_is_of_the_site_to_which_its_address_led() -> None:
    found = report(("It turns.", (2, 4)))
    sources = tuple(
        replace(each, redirected_to="https://a.tides.example.org/led") if each.number == 4 else each
        for each in found.sources
    )
    (backing,) = find_backings(tied(replace(found, sources=sources)))
    assert backing.rest == "one site"


@pytest.mark.parametrize(
    ("sentence", "single"),
    [
        ("The bell at Low Hope tells it.", True),
        ("It rises 9 metres.", True),
        ("It turns.", False),
        ("That is much.", False),
    ],
)
def test_only_a_fact_is_told_to_rest_on_one_source(sentence: str, single: bool) -> None:
    (backing,) = find_backings(report((sentence, (2,))))
    assert (backing.alone, backing.single) == (True, single)


def test_sources_that_are_one_voice_for_another_reason_are_of_one_origin() -> None:
    ties = (Tie(2, 4, "only source", "one names the other"),)
    (backing,) = find_backings(replace(report(("It turns.", (2, 4))), ties=ties))
    assert (backing.rest, backing.alone) == ("one origin", True)


def test_sentence_that_cites_nothing_rests_on_nothing_and_counts_as_a_place() -> None:
    (backing,) = find_backings(report(("It turned in 1999.", ()), ("It turns.", (1,))))
    assert backing.place == 1
    assert backing.sentence.text == "It turns."


@pytest.mark.parametrize(
    ("sentence", "cited", "also"),
    [
        ("The reef lost 40 percent of its coral cover.", (2,), (4,)),
        (
            "The reef lost 15 percent of its coral cover.",
            (2,),
            (),
        ),  # 5 is an own document: who published it, nobody knows
        (
            "The reef lost coral cover to bleaching.",
            (2,),
            (),
        ),  # neither a figure nor a name: words alone show too little
        ("The tide at Low Hope rises 4 metres.", (1,), ()),  # 3 holds it, and is a copy of 1
        ("The tide at Low Hope rises 4 metres.", (4,), (1, 3)),
        (
            "The tide at Low Hope rises 4 metres.",
            (5,),
            (),
        ),  # 3 is a copy of 1, and 1 may be who published 5
        ("The tide at Low Hope rises 4 metres.", (2,), (3,)),  # 1 is of the same domain
    ],
)
def test_independent_sources_that_say_the_same(
    sentence: str, cited: tuple[int, ...], also: tuple[int, ...]
) -> None:
    (backing,) = find_backings(report((sentence, cited)))
    assert backing.also == also
    assert backing.alone is not bool(also)


@pytest.mark.parametrize(
    ("first", "again", "counted"),
    [
        ("The reef lost coral cover.", "the reef  lost coral cover.", (0, 1)),
        ("Le récif a perdu du corail.", "Le récif a perdu du corail.", (0, 1)),
        ("珊瑚礁失去了珊瑚。", "珊瑚礁失去了珊瑚。", (0, 1)),
        ("The reef lost coral cover.", "The reef lost some coral cover.", (2, 2)),
    ],
)
def test_a_sentence_that_is_said_again_counts_once_with_the_sources_of_both_places(
    first: str, again: str, counted: tuple[int, int]
) -> None:
    rules = {**RULE_VERSIONS}
    found = find_backings(replace(report((first, (2,)), (again, (4,))), rules=rules))
    distinct = list_distinct_backings(found)
    assert (sum(backing.alone for backing in distinct), len(distinct)) == counted
    of_one_site = find_backings(replace(report((first, (1,)), (again, (2,))), rules=rules))
    assert all(backing.alone for backing in of_one_site)
    older = find_backings(replace(report((first, (2,)), (again, (4,))), rules={"scoring": 6}))
    assert all(backing.alone for backing in older)


@given(
    st.lists(
        st.tuples(st.text(max_size=60), st.lists(st.integers(0, 7), max_size=4).map(tuple)),
        max_size=4,
    )
)
def test_every_sentence_that_cites_a_kept_source_has_its_backing(
    cited: list[tuple[str, tuple[int, ...]]],
) -> None:
    found = {backing.place: backing for backing in find_backings(report(*cited))}
    for place, (_, numbers) in enumerate(cited):
        known = tuple(dict.fromkeys(number for number in numbers if 1 <= number <= 6))
        assert (place in found) is bool(known)
        assert not known or found[place].sources == known
        assert not known or not set(known) & set(found[place].also)
