"""Which sources are one voice, held to sources made by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.models import Tie
from research_core.trust import independence
from research_core.trust.attribution import PRESS_RELEASE, Attribution
from research_core.trust.copies import fingerprint_text
from research_core.trust.independence import SourceIdentity, VoiceGroup

WORDS = [f"w{n}" for n in range(400)]
STORY = " ".join(WORDS[:200])
QUOTES = " ".join(f"“{' '.join(f'q{k}{n}' for n in range(9))}”" for k in range(3))


def by(address: str, text: str = "", **said: object) -> SourceIdentity:
    return SourceIdentity(address, fingerprint_text(text) if text else None, **said)  # type: ignore[arg-type]


A, B = "https://alpha.example/1", "https://beta.example/1"
ARXIV, PMC, KEPT = (
    "https://arxiv.org/abs",
    "https://pmc.ncbi.nlm.nih.gov/articles",
    "https://web.archive.org/web/20240102030405id_",
)
#: A third of the story, and as much of its own again: too little for a copy, but not for a story of
#: one agency.
PARTLY = " ".join(WORDS[:60] + [f"v{n}" for n in range(110)])
WIRE, NOTE = Attribution(agency="Reuters"), Attribution(agency=PRESS_RELEASE)
LEANING = Attribution(named=("Alpha Times",), times=2, words=300)
QUOTING = by(A, f"{STORY} {QUOTES}", attribution=NOTE)

PAIRS = [
    (by(A, STORY), by(B, STORY), "one text"),
    (by(A, STORY, attribution=WIRE), by(B, STORY, attribution=WIRE), "one wire story"),
    (by(A, STORY, attribution=WIRE), by(B, PARTLY, attribution=WIRE), "one wire story"),
    (by(A, STORY, attribution=WIRE), by(B, PARTLY), ""),
    (by(A, STORY, attribution=WIRE), by(B, PARTLY, attribution=Attribution(agency="AP")), ""),
    # two stories of one agency
    (by(A, "alone " + STORY, attribution=WIRE), by(B, " ".join(WORDS[200:]), attribution=WIRE), ""),
    (by(A, STORY, attribution=NOTE), by(B, STORY), "one press release"),
    (QUOTING, by(B, f"{' '.join(WORDS[200:])} {QUOTES}"), "one press release"),
    # they quote the same person, and nobody says whence
    (by(A, f"{STORY} {QUOTES}"), by(B, f"{' '.join(WORDS[200:])} {QUOTES}"), ""),
    (by(A), by("https://www.alpha.example/2"), "one site"),
    (by("https://a.alpha.example/1"), by("https://b.alpha.example/2"), "one site"),
    (by("https://www.alpha.example.org/1"), by("https://old.alpha.example.org/2"), "one site"),
    # a name for examples has no owner
    (by("https://alpha.example.org/1"), by("https://beta.example.org/2"), ""),
    (by("https://alpha.example.com/1"), by("https://alpha.example.net/2"), ""),
    (by("https://example.org/1"), by("https://www.example.org/2"), ""),
    (by("https://example.org/1"), by("https://example.org/2"), "one site"),
    (by(A, site="The Alpha Times"), by("https://alpha-times.example/1", site="the alpha times"), "one publisher"),
    (by("https://www.bbc.co.uk/1", site="BBC"), by("https://www.bbc.com/1", site="BBC"), "one publisher"),
    (by("https://www.nytimes.com/1", site="The New York Times"), by("https://nyt.example/1", site="The New York Times"), "one publisher"),
    # anybody can call himself so
    (by(A, site="The Alpha Times"), by(B, site="The Alpha Times"), ""),
    *((by(A, site=name), by(B, site=name), "") for name in ("Blog", "Health", "Facebook", "Home", "News", "Latest News", "WordPress")),
    (by("https://health.example/1", site="Health"), by("https://healthline.example/1", site="Health"), ""),
    (by("https://news.com/1", site="News"), by("https://news.com.au/1", site="News"), ""),
    (by("https://facebook.com/jane", site="Facebook"), by(B, site="Facebook"), ""),
    (by(A, site="Alpha"), by(B, site="Beta"), ""),
    (by(A), by(B, canonical=A), "one address"),
    (by(A, canonical=A), by(B, canonical=B), ""),
    (by(A, site="Alpha Times"), by(B, attribution=LEANING), "only source"),
    (by(A), by(B, attribution=Attribution(named=("alpha.example",), times=1, words=90)), "only source"),
    (by(A), by(B, attribution=Attribution(named=("www.alpha.example",), times=1, words=90)), "only source"),
    (by(A, title="Alpha Times"), by(B, attribution=LEANING), "only source"),
    # not the only one
    (by(A, site="Alpha Times"), by(B, attribution=Attribution(named=("Alpha Times", "Gamma"), times=2, words=300)), ""),
    # a mention in a long text
    (by(A, site="Alpha Times"), by(B, attribution=Attribution(named=("Alpha Times",), times=1, words=3_000)), ""),
    (by(A, site="Alpha Times"), by(B, attribution=Attribution(named=("Delta",), times=1, words=90)), ""),
    (by("document:01"), by("document:02"), "own documents"),
    (by("document:01"), by(A), ""),
    # sites that carry what others wrote: the author, the account, the DOI or the text ties, never
    # the site
    (by(f"{ARXIV}/2401.00001"), by(f"{ARXIV}/2401.00002"), ""),
    (by(f"{ARXIV}/2401.00001"), by("https://arxiv.org/pdf/2401.00001v2"), "one address"),
    (by(f"{ARXIV}/2401.00001", doi="10.1234/A"), by(f"{PMC}/PMC1", doi="10.1234/a"), "one address"),
    (by(f"{ARXIV}/2401.00001", authors=("Jane Doe",)), by(f"{ARXIV}/2401.00002", authors=("Li Wu", "Doe, Jane")), "one author"),
    (by(f"{ARXIV}/2401.00001", authors=("Jane Doe",)), by(f"{PMC}/PMC1", authors=("Jane Doe",)), "one author"),
    (by(f"{ARXIV}/2401.00001", authors=("Jane Doe",)), by(f"{ARXIV}/2401.00002", authors=("Li Wu",)), ""),
    (by(f"{ARXIV}/2401.00001", authors=("Admin",)), by(f"{ARXIV}/2401.00002", authors=("Admin",)), ""),
    (by(f"{ARXIV}/2401.00001", STORY), by(f"{ARXIV}/2401.00002", STORY), "one text"),
    # she writes for two papers, which both edit her
    (by(A, authors=("Jane Doe",)), by(B, authors=("Jane Doe",)), ""),
    (by(f"{PMC}/PMC1"), by(f"{PMC}/PMC2"), ""),
    (by(f"{PMC}/PMC1"), by("https://www.nih.gov/news/1"), ""),
    (by("https://www.nih.gov/news/2"), by("https://www.nih.gov/news/1"), "one site"),
    (by("https://papers.ssrn.com/sol3/papers.cfm?abstract_id=1"), by("https://papers.ssrn.com/sol3/papers.cfm?abstract_id=2"), ""),
    (by("https://zenodo.org/records/1"), by("https://zenodo.org/records/2"), ""),
    (by("https://doi.org/10.5281/zenodo.1"), by("https://doi.org/10.5281/zenodo.2"), ""),
    (by("https://doi.org/10.5281/zenodo.1"), by("https://zenodo.org/records/1", doi="10.5281/zenodo.1"), "one address"),
    (by("https://www.sciencedirect.com/science/article/pii/S1"), by("https://www.sciencedirect.com/science/article/pii/S2"), ""),
    (by("https://github.com/jane/tool"), by("https://github.com/li/tool"), ""),
    (by("https://github.com/jane/tool"), by("https://github.com/Jane/other/issues/1"), "one site"),
    (by("https://jane.github.io/1"), by("https://jane.github.io/2"), "one site"),
    (by("https://medium.com/@jane/1"), by("https://medium.com/@li/1"), ""),
    (by("https://medium.com/@jane/1"), by("https://medium.com/@jane/2"), "one site"),
    (by("https://medium.com/daily/1", authors=("Jane Doe",)), by("https://medium.com/daily/2", authors=("Li Wu",)), ""),
    (by("https://janes.substack.com/p/1"), by("https://lis-own.substack.com/p/1"), ""),
    (by("https://janes.substack.com/p/1"), by("https://janes.substack.com/p/2"), "one site"),
    (by("https://www.reddit.com/r/a/1"), by("https://old.reddit.com/r/a/2"), ""),
    (by("https://github.com/jane/tool", site="GitHub"), by("https://gitlab.com/li/tool", site="GitHub"), ""),
    (by("https://github.com/jane/tool"), by(B, attribution=Attribution(named=("GitHub",), times=1, words=90)), ""),
    # edited as one work
    (by("https://en.wikipedia.org/wiki/A"), by("https://de.wikipedia.org/wiki/B"), "one site"),
    (by(f"{KEPT}/https://alpha.example/1"), by(f"{KEPT}/https://beta.example/1"), ""),
    (by(f"{KEPT}/https://alpha.example/1"), by("https://alpha.example/2"), "one site"),
    (by(f"{KEPT}/http://alpha.example/1"), by(f"{KEPT}/https://alpha.example/2"), "one site"),
    (by("document:01", STORY), by("document:02", STORY), "one text"),
    (by(A), by(B), ""),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "kind"), PAIRS)
def test_what_ties_two_sources(one: SourceIdentity, other: SourceIdentity, kind: str) -> None:
    for pair in ((one, other), (other, one)):
        known = dict(enumerate(pair, 1))
        same = independence.map_shared_texts({str(n): each for n, each in known.items()})
        tied = independence.find_ties(
            known, {int(copy): int(first) for copy, first in same.items()}
        )
        assert [tie.kind for tie in tied] == ([kind] if kind else [])
        assert bool(same) is (kind in independence.SAME_TEXT_TIES and one is not QUOTING)
        assert independence.count_voices(known, tied) == (1 if kind else 2)


@pytest.mark.parametrize(
    ("tied", "groups"),
    [
        ([], [(1,), (2,), (3,), (4,)]),
        ([(1, 2)], [(1, 2), (3,), (4,)]),
        ([(1, 2), (2, 3)], [(1, 2), (3,), (4,)]),
        (
            [(1, 2), (3, 4), (2, 4)],
            [(1, 2), (3, 4)],
        ),  # two papers with an article of their own each, and one story that both print
        ([(1, 2), (1, 3), (2, 3), (1, 4), (2, 4), (3, 4)], [(1, 2, 3, 4)]),
    ],
)
def test_voices_are_the_most_of_which_no_two_are_tied(
    tied: list[tuple[int, int]], groups: list[tuple[int, ...]]
) -> None:
    found = independence.group_voices(range(1, 5), [Tie(*pair, "one site", "why") for pair in tied])
    assert [group.sources for group in found] == groups
    assert all(len(group.ties) == len(group.sources) - 1 for group in found)


def test_a_group_says_why() -> None:
    tied = independence.find_ties({1: by(A), 2: by("https://www.alpha.example/2"), 3: by(B)}, {})
    assert independence.group_voices((1, 2, 3), tied) == (
        VoiceGroup((1, 2), (Tie(1, 2, "one site", "both are from alpha.example"),)),
        VoiceGroup((3,)),
    )


@given(
    st.sets(
        st.tuples(st.integers(1, 7), st.integers(1, 7)).filter(lambda pair: pair[0] < pair[1]),
        max_size=12,
    ),
    st.integers(0, 7),
)
def test_every_source_is_in_one_group_and_a_further_one_lowers_no_count(
    pairs: set[tuple[int, int]], count: int
) -> None:
    tied = [Tie(*pair, "one site", "why") for pair in sorted(pairs)]
    found = independence.group_voices(range(1, count + 1), tied)
    assert sorted(number for group in found for number in group.sources) == list(
        range(1, count + 1)
    )
    assert all(not independence.is_tied(a.sources[0], b.sources[0], tied) or len(a.sources) > 1 or len(b.sources) > 1
               for a in found for b in found if a != b)  # fmt: skip
    assert independence.count_voices(range(1, count), tied) <= len(found)
