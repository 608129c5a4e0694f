"""Which sentences are held against each other: the index finds what going through all pairs finds,
and looks at few of them.
"""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text.disagreements import compare_quotes, find_candidate_pairs
from research_core.text.quotable import Quote

WORDS = (
    "reef coral cover bay wall dive fish bleaching storm museum harbour diver lost costs grew"
    " covers".split()
)
VALUES = [
    "41 percent",
    "15 percent",
    "opened in 2015",
    "opened in 2019",
    "founded by Anna Berg",
    "founded by Carl Lund",
    "not",
    "safe",
    "",
]
SENTENCES = st.builds(
    lambda words, value, at: " ".join(["The", *words[:at], value, *words[at:]]),
    st.lists(st.sampled_from(WORDS), min_size=2, max_size=14),
    st.sampled_from(VALUES),
    st.integers(0, 14),
)


def read(sentences: list[str], sources: int = 5) -> list[Quote]:
    return [
        Quote(text, f"p{n}", n % sources, n, firm=True, own=1.0) for n, text in enumerate(sentences)
    ]


@given(st.lists(SENTENCES, min_size=2, max_size=12))
def test_the_same_is_found_as_in_each_pair_by_itself(sentences: list[str]) -> None:
    quotes = read(sentences)
    each = [compare_quotes([one, other]) for one, other in combinations(quotes, 2)]
    pairs = sorted(
        (pair for one in each for pair in one.pairs),
        key=lambda pair: (-pair.share, pair.one.order, pair.other.order),
    )
    assert compare_quotes(quotes).pairs == tuple(pairs)
    assert compare_quotes(quotes).met == tuple(met for one in each for met in one.met)


SUBJECTS = st.lists(
    st.frozensets(st.integers(0, 15).map(str), max_size=14), min_size=2, max_size=12
)


@given(SUBJECTS)
def test_no_two_that_are_alike_are_missed_and_none_is_looked_at_twice(
    subjects: list[frozenset[str]],
) -> None:
    looked_at = list(find_candidate_pairs(subjects))
    assert len(looked_at) == len(set(looked_at))
    for (n, a), (m, b) in combinations(enumerate(subjects), 2):
        both = len(a & b)
        if (both >= 3 and both >= len(a | b) / 2) or (
            both >= 5 and both >= 0.9 * min(len(a), len(b))
        ):
            assert (n, m) in looked_at


@pytest.mark.full
def test_sentences_that_share_only_what_all_have_are_not_looked_at() -> None:
    subjects = [
        frozenset({"reef", "coral", "cover", *(f"{n}.{word}" for word in range(4))})
        for n in range(500)
    ]
    assert list(find_candidate_pairs(subjects)) == []
    assert list(find_candidate_pairs([*subjects, subjects[7]])) == [(7, 500)]
