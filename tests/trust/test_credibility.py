"""The credibility score: every row of the table in DECISIONS, and what must hold for any text."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.policy import DEFAULT_TIERS, CredibilityPolicy, Tier
from research_core.trust.credibility import (
    SPECIFIED_POLICY,
    assess,
    compute_terms,
    explain_block,
    explain_score,
    format_beside_minimum,
    score_source,
)

QEC = "quantum error correction codes"

#: url, snippet, question, score, blocked: the table of DECISIONS, in its order.
TABLE = [
    (
        "https://arxiv.org/abs/1706.03762",
        "The transformer architecture uses self-attention mechanism",
        "transformer architecture self-attention mechanism",
        0.820,
        False,
    ),
    ("https://cs.stanford.edu/x", "unrelated words here", QEC, 0.360, True),
    ("https://cs.stanford.edu/x", "unrelated words here 2024", QEC, 0.460, True),
    ("https://someblog.com/article", "quantum error correction codes explained", QEC, 0.660, False),
    ("https://someblog.com/article", "quantum error correction explained", QEC, 0.535, False),
    ("https://someblog.com/article", "quantum error explained 3 days ago", QEC, 0.510, False),
    (
        "https://twitter.com/user/status/123",
        "quantum error correction codes 2025",
        QEC,
        0.720,
        False,
    ),
    ("https://www.netflix.com/t", "quantum error correction codes", QEC, 0.660, False),
    ("https://en.wikipedia.org/wiki/QEC", "quantum error correction", QEC, 0.695, False),
    ("https://example.org/p", "quantum error 2026", QEC, 0.630, False),
    ("https://evil.gov.example.com/", "quantum error correction", QEC, 0.535, False),
    ("https://conscience.org/", "quantum error", QEC, 0.530, False),
    ("https://arxiv.org@evil.com/", "quantum error correction", QEC, 0.535, False),
    ("https://EN.Wikipedia.ORG:443/wiki", "", QEC, 0.320, True),
    ("https://www.gov.uk/guidance", "quantum error correction", QEC, 0.735, False),
    ("https://nature.com/a", "CRISPR is a gene editing tool", "What is CRISPR?", 0.820, False),
    ("https://nature.com/a", "anything", "what is the", 0.320, True),
    ("https://nature.com/a", "phone 2025551234", "quantum computing", 0.320, True),
    ("https://nature.com/a", "1 day ago quantum", "quantum computing", 0.670, False),
    ("https://nature.com/a", "3 months ago quantum", "quantum computing", 0.570, False),
]


@pytest.mark.parametrize(
    ("url", "snippet", "question", "score", "blocked"),
    TABLE,
    ids=[f"{i}-{row[0]}" for i, row in enumerate(TABLE, 1)],
)
def test_the_table_of_decisions(
    url: str, snippet: str, question: str, score: float, blocked: bool
) -> None:
    assert score_source(url, snippet, question) == score
    assert CredibilityPolicy().blocks(score) is blocked


@pytest.mark.parametrize(
    ("url", "words", "dated", "score"),
    [
        ("https://arxiv.org/abs/2401.00001", 9, True, 0.87),
        ("https://someblog.com/article", 4, False, 0.36),
        ("https://twitter.com/u", 10, True, 0.72),
    ],
)
def test_the_examples_of_the_specification(url: str, words: int, dated: bool, score: float) -> None:
    asked = [f"word{number}" for number in range(10)]
    assert score_source(url, " ".join(asked[:words]) + " 2024" * dated, " ".join(asked)) == score


def tier(url: str) -> str:
    return assess(url, "", "question").tier


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        # row 1: the order of the tiers
        ("https://www.wikipedia.org/", "major source"),
        ("https://example.org/", "organisation"),
        ("https://scholar.google.com/x", "major source"),
        ("https://google.com/x", "general web"),
        # row 2: whole labels only
        ("https://x.com/a", "social media"),
        ("https://mobile.x.com/a", "social media"),
        ("https://netflix.com/", "general web"),
        ("https://science.org/", "major source"),
        ("https://conscience.org/", "organisation"),
        ("https://evil.gov.example.com/", "general web"),
        ("https://x.com.example.net/", "general web"),
        ("https://nature.com.evil.net/", "general web"),
        ("https://arxiv.org@evil.com/", "general web"),
        ("https://evil.com/arxiv.org", "general web"),
        ("https://evil.com/?u=https://mit.edu", "general web"),
        ("https://edu.evil.com/", "general web"),
        ("https://myedu/", "general web"),
        ("https://fooedu.au/", "general web"),
        ("https://notgov/", "general web"),
        # row 3: academic and government in every country
        ("https://mit.edu/", "academic or government"),
        ("https://nasa.gov/", "academic or government"),
        ("https://navy.mil/", "academic or government"),
        ("https://who.int/", "academic or government"),
        ("https://gov.uk/", "academic or government"),
        ("https://www.gov.uk/", "academic or government"),
        ("https://www.ox.ac.uk/", "academic or government"),
        ("https://anu.edu.au/", "academic or government"),
        ("https://mil.no/", "general web"),
        ("https://x.gov.com/", "general web"),
        ("https://x.ac.example/", "general web"),
        ("https://ac/", "general web"),
        # case, port, trailing dot, international names, IP addresses
        ("HTTPS://WWW.NATURE.COM:8443/", "major source"),
        ("https://nature.com./", "major source"),
        ("https://nаture.com/", "general web"),  # a Cyrillic a
        ("http://192.0.2.1/", "general web"),
    ],
)
def test_tiers(url: str, expected: str) -> None:
    assert tier(url) == expected
    assert not assess(url, "", "question").provisional


@pytest.mark.parametrize(
    ("snippet", "question", "relevance"),
    [
        ("CRISPR is a tool", "What is CRISPR?", 1.0),
        ("“CRISPR”, (tool)", "what is crispr", 1.0),
        ("crispr crispr crispr", "crispr tool", 0.5),
        ("the what is", "what is the", 0.0),
        ("anything", "", 0.0),
        ("anything", "??? — !!!", 0.0),
        ("", "crispr", 0.0),
        ("crisprs", "crispr", 0.0),
        ("STRASSE", "strasse", 1.0),
    ],
)
def test_relevance_is_the_share_of_the_question_s_words(
    snippet: str, question: str, relevance: float
) -> None:
    assert assess("https://a.example/", snippet, question).relevance == relevance


@pytest.mark.parametrize(
    ("snippet", "dated"),
    [
        ("in 2024", True),
        ("2020", True),
        ("2029-01-01", True),
        ("12.05.2024", True),
        ("(2023)", True),
        ("20.24", False),
        ("2019 and 2030", False),
        ("phone 2025551234", False),
        ("12024 x", False),
        ("3 days ago", True),
        ("1 Day Ago", True),
        ("an HOUR ago", True),
        ("5 minutes  ago", True),
        ("2 weeks ago", True),
        ("3 months ago", False),
        ("2 years ago", False),
        ("birthday ago", False),
        ("weekdays ago", False),
        ("days agog", False),
        ("", False),
    ],
)
def test_recency_is_flat_and_read_from_the_snippet(snippet: str, dated: bool) -> None:
    assert assess("https://a.example/2024/", snippet, "asked in 2024").recency == (
        0.1 if dated else 0.0
    )


@pytest.mark.parametrize(
    "url",
    [
        "",
        "nature.com/a",
        "https://",
        "https://exa mple.edu/",
        "ftp://nature.com/",
        "https://[::1/",
        "\ud800",
        "document:ab",
    ],
)
def test_an_address_that_cannot_be_read_is_general_web_and_provisional(url: str) -> None:
    parts = assess(url, "quantum", "quantum")
    assert (parts.tier, parts.score, parts.provisional) == (
        "general web",
        0.66,
        not url.startswith("document:"),
    )


def test_an_address_no_search_returned_is_provisional() -> None:
    assert assess("https://nature.com/", "", "quantum", provisional=True).provisional


ADDRESS = st.text() | st.sampled_from([row[0] for row in TABLE])
SHARE = st.floats(0, 1)
TIERS = st.lists(
    st.builds(
        Tier, st.text(), SHARE, st.just(("nature.com",)), st.just(("edu",)), st.just(("ac",))
    ),
    min_size=1,
).map(tuple)
POLICIES = st.builds(CredibilityPolicy, SHARE, SHARE, SHARE, SHARE, TIERS | st.just(DEFAULT_TIERS))


@given(
    ADDRESS,
    st.text(st.characters(exclude_categories=())),
    st.text(st.characters(exclude_categories=())),
    POLICIES,
    st.booleans(),
)
def test_any_text_has_a_score_between_0_and_1(
    url: str, snippet: str, question: str, policy: CredibilityPolicy, provisional: bool
) -> None:
    parts = assess(url, snippet, question, policy, provisional=provisional)
    assert 0.0 <= parts.score <= 1.0
    assert round(parts.score, 6) == parts.score
    assert explain_score(parts, policy)
    assert 0.0 <= score_source(url, snippet, question) <= 0.96


@given(st.sets(st.text("abcdefgh", min_size=3), min_size=1), st.data())
def test_more_of_the_question_s_words_never_lower_the_score(
    asked: set[str], data: st.DataObject
) -> None:
    told = data.draw(st.sets(st.sampled_from(sorted(asked))))
    more = told | data.draw(st.sets(st.sampled_from(sorted(asked))))
    scores = [
        score_source("https://a.example/", " ".join(sorted(words)), " ".join(sorted(asked)))
        for words in (told, more)
    ]
    assert scores[0] <= scores[1]
    assert (scores[0] < scores[1]) == (len(told) < len(more))


@given(st.text(), st.text())
def test_words_in_and_out_add_up(snippet: str, question: str) -> None:
    parts = assess("https://a.example/", snippet, question)
    total = len(parts.matched) + len(parts.missing)
    assert parts.relevance == (len(parts.matched) / total if total else 0.0)
    assert list(parts.matched) == sorted(set(parts.matched))


LABEL = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=8)


@given(LABEL, st.sampled_from([name for one in DEFAULT_TIERS for name in one.hosts]))
def test_only_label_boundaries_count(label: str, listed: str) -> None:
    assert tier(f"https://{label}.{listed}/") == tier(f"https://{listed}/")
    glued = f"{label}{listed}"
    others = [
        name
        for one in DEFAULT_TIERS
        for name in one.hosts
        if glued == name or glued.endswith("." + name)
    ]
    if not others:
        assert tier(f"https://{glued}/") == (
            "organisation" if listed.endswith(".org") else "general web"
        )


@pytest.mark.parametrize(
    ("score", "blocked"),
    [
        (0.5, True),
        (0.5000001, True),
        (0.500001, False),
        (0.499999, True),
        (0.0, True),
        (0.96, False),
    ],
)
def test_blocked_is_at_or_below_the_threshold_at_six_places(score: float, blocked: bool) -> None:
    assert CredibilityPolicy().blocks(score) is blocked


@pytest.mark.parametrize(
    ("url", "snippet", "question", "policy", "said"),
    [
        (
            "https://a.example/",
            "w1 w2",
            "w1 w2 w3 w4 w5",
            CredibilityPolicy(),
            "0.36, needs more than 0.50: unknown site (general web), 40% keyword match, no date",
        ),
        (
            "https://who.int/",
            "2024 who",
            "is the",
            CredibilityPolicy(),
            "0.46, needs more than 0.50: academic or government, no keywords in the question, dated",
        ),
        (
            "nowhere",
            "w",
            "w",
            CredibilityPolicy(),
            "0.66, needs more than 0.50: unknown site (general web), 100% keyword match, no date, provisional",
        ),
        (
            "https://a.example/",
            "w",
            "w",
            CredibilityPolicy(minimum=0.66),
            "0.66, needs more than 0.66: unknown site (general web), 100% keyword match, no date",
        ),
        (
            "https://a.example/",
            "w",
            "w",
            CredibilityPolicy(minimum=0.659),
            "0.6600, needs more than 0.6590: unknown site (general web), 100% keyword match, no date",
        ),
    ],
)
def test_explain(
    url: str, snippet: str, question: str, policy: CredibilityPolicy, said: str
) -> None:
    assert explain_score(assess(url, snippet, question, policy), policy) == said


def test_weights_above_one_in_sum_still_give_at_most_one() -> None:
    policy = CredibilityPolicy(domain_weight=1.0, relevance_weight=1.0, recency_bonus=1.0)
    assert math.isclose(assess("https://mit.edu/", "w 2024", "w", policy).score, 1.0)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.text(max_size=40))
def test_the_terms_come_to_the_score_or_say_that_it_is_capped(
    site: float, words: float, date: float, snippet: str
) -> None:
    policy = CredibilityPolicy(domain_weight=site, relevance_weight=words, recency_bonus=date)
    parts = assess("https://www.nature.com/x", f"{snippet} quantum codes 2025", QEC, policy)
    terms = compute_terms(parts, site, words)
    assert bool(terms.capped) == (round(sum(terms), 6) > 1.0)
    assert parts.score == (1.0 if terms.capped else pytest.approx(sum(terms), abs=1e-6))
    assert sum(terms.widths) <= 1.0 + 1e-9, "the bar ends where the highest score is"


@pytest.mark.parametrize(
    ("url", "snippet", "question", "said"),
    [
        (
            "https://cs.stanford.edu/x",
            "unrelated words 2024",
            "animals recover",
            "0.46, needs more than 0.50: its snippet lacks “animals”, “recover”",
        ),
        (
            "https://example.net/x",
            "animals here",
            "animals recover",
            "0.41, needs more than 0.50: its snippet lacks “recover”",
        ),
        (
            "https://nature.com/a",
            "anything",
            "what is the",
            "0.32, needs more than 0.50: no keywords",
        ),
    ],
)
def test_a_blocked_source_names_the_part_that_costs_most(
    url: str, snippet: str, question: str, said: str
) -> None:
    parts = assess(url, snippet, question)
    assert explain_block(parts, SPECIFIED_POLICY).startswith(said)


def test_a_site_costs_most_where_the_snippet_has_the_words() -> None:
    policy = replace(CredibilityPolicy(), minimum=0.7)
    parts = assess("https://example.net/x", "animals recover", "animals recover", policy)
    assert explain_block(parts, policy) == "0.66, needs more than 0.70: unknown site (general web)"


@pytest.mark.parametrize(
    ("score", "minimum", "shown"),
    [
        (0.505, 0.5, ("0.51", "0.50")),
        (0.5036, 0.5, ("0.504", "0.500")),
        (0.45, 0.4501, ("0.4500", "0.4501")),
        (0.45, 0.45, ("0.45", "0.45")),
    ],
)
def test_a_score_and_its_minimum_never_look_equal_unless_they_are(
    score: float, minimum: float, shown: tuple[str, str]
) -> None:
    assert format_beside_minimum(score, minimum) == shown
