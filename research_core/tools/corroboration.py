"""Searches for what others say of a recommendation, one through each lens of those who are not its
author: counted, never weighed.

Results that agree or deny are counted as voices: those of one site, or with one text, are one. A
search that failed is told, and is not one that found nothing; what stands on the recommended site
itself is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from research_core.citations.checks.recommendation import Stance, is_own, stance
from research_core.context import ResearchContext
from research_core.errors import SearchError, SettingsError
from research_core.journal.deps import Deps
from research_core.model_messages import Json
from research_core.models import SearchResult
from research_core.search.queries import WebQuery
from research_core.text.words import truncate
from research_core.tools.registry import Call
from research_core.tools.searching import Found, find, list_sources
from research_core.tools.sizes import shortened
from research_core.tools.web_search import SAFE, pages_at, through_lens
from research_core.trust import independence
from research_core.trust.copies import printed
from research_core.trust.independence import Group, Witness

#: Who is asked: those who report, and those who review technology.
LENSES = ("journalism", "tech")
#: Results shown of one search, characters of a snippet of them, and of a query.
TOP, SNIPPET, QUERY = 5, 300, 300
#: What a search is counted as, by what a result says.
COUNTS: dict[Stance, str] = {
    "agree": "agreeCount",
    "disagree": "disagreeCount",
    "silent": "silentCount",
}


@dataclass(frozen=True)
class Corroboration:
    """What the searches for one recommendation gave. searches: on the wire, those that were
    answered; agreed: voices that agree, in all.

    failed: searches that told nothing; reasons: why, and what was left out, as sentences; notes:
    what the engines say of their answers.
    """

    searches: list[Json] = field(default_factory=list)
    agreed: int = 0
    failed: int = 0
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def corroboration(
    call: Call, title: str, url: str, claim: str, count: int, bound: tuple[ResearchContext, Deps]
) -> Corroboration:
    """What is found through each lens of a claim about what a title recommends. count: results of
    each.
    """
    searches: list[Json] = []
    reasons: list[str] = []
    notes: list[str] = []
    agreeing: list[SearchResult] = []
    words = query(title, claim)
    for lens in LENSES:
        try:
            found, rows = _searched(call, words, lens, count, bound)
        except (SearchError, SettingsError) as error:
            reasons.append(
                f"Whether others say so could not be checked through the lens {lens}:"
                f" {error.sentence()}"
            )
            continue
        others = [row for row in rows if not is_own(title, url, row.url)]
        said = [stance(title, claim, f"{row.title}.\n{row.snippet}") for row in others]
        searches.append(_counted(words, lens, others, said))
        agreeing += _saying("agree", others, said)
        reasons += _once(lens, others, said)
        notes += found.routed.notes
        if own := len(rows) - len(others):
            reasons.append(
                f"Through the lens {lens}, {own} of {len(rows)} results were not counted: they"
                " stand on the recommended site itself."
            )
    failed = len(LENSES) - len(searches)
    return Corroboration(searches, len(voices(agreeing)), failed, tuple(reasons), tuple(notes))


def query(title: str, claim: str) -> str:
    """What is searched for, in one line."""
    return truncate(" ".join(f"{title} {claim}".split()), QUERY).removesuffix("…")


def _searched(
    call: Call, words: str, lens: str, count: int, bound: tuple[ResearchContext, Deps]
) -> tuple[Found, Sequence[SearchResult]]:
    """What was found, and the results that stand where the lens says. Raises SearchError,
    SettingsError.

    An engine that cannot be held to the lens, and lists nothing of it, has not said that there is
    nothing.
    """
    way = through_lens(lens, None, bound[1])
    found = find(
        replace(call, context=bound[0]),
        "web",
        WebQuery(words, count, safe=SAFE, **way.fields),
        provider=way.provider,
        bound=bound,
    )
    rows = pages_at(found, way.places)[:count]
    if not rows and "sites" in found.routed.ignored:
        raise SearchError(
            f"{found.routed.provider} cannot be held to the sites of a lens, and listed none of"
            " them.",
            kind="unsupported",
        )
    list_sources(found, [(row.title, row.url, row.snippet) for row in rows])
    return found, rows


def _counted(words: str, lens: str, rows: Sequence[SearchResult], said: Sequence[Stance]) -> Json:
    told = {
        name: said.count(each) if each == "silent" else len(voices(_saying(each, rows, said)))
        for each, name in COUNTS.items()
    }
    top = [
        {
            "title": row.title,
            "url": row.url,
            "snippet": truncate(row.snippet, SNIPPET),
            "stance": each,
        }
        for row, each in zip(rows[:TOP], said, strict=False)
    ]
    return {
        "query": words,
        "lens": lens,
        "resultCount": len(rows),
        **told,
        "topResults": shortened(top),
    }


# -- voices ----------------------------------------------------------------------------------------------------------------


def voices(rows: Sequence[SearchResult]) -> tuple[Group, ...]:
    """Results that count as one, numbered from 1: of one site, or with one text in their snippets.
    More of them is not known unread.
    """
    known = {
        n: Witness(row.url, printed(row.snippet) if row.snippet.strip() else None)
        for n, row in enumerate(rows, 1)
    }
    same = independence.one_text({str(n): each for n, each in known.items()})
    tied = independence.ties(known, {int(copy): int(original) for copy, original in same.items()})
    return independence.groups(known, tied)


def _saying(
    what: Stance, rows: Sequence[SearchResult], said: Sequence[Stance]
) -> list[SearchResult]:
    return [row for row, each in zip(rows, said, strict=True) if each == what]


#: How results of a kind are told; those that are silent say nothing that could be counted twice.
_WORDS: dict[Stance, str] = {"agree": "agree", "disagree": "deny it"}


def _once(lens: str, rows: Sequence[SearchResult], said: Sequence[Stance]) -> Iterator[str]:
    """That several results count as one, and why."""
    for what, word in _WORDS.items():
        for group in voices(_saying(what, rows, said)):
            if group.ties:
                why = "; ".join(dict.fromkeys(tie.words for tie in group.ties))
                yield (
                    f"Through the lens {lens}, {len(group.sources)} results that {word} count as"
                    f" one: {why}."
                )
