"""Searches for what others say of a recommendation, one through each lens of those who are not its
author: counted, never weighed.

Results that agree or deny are counted as voices: those of one site, or with one text, are one. A
search that failed is told, and is not one that found nothing; what stands on the recommended site
itself is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from research_core.citations.checks.recommendation import Stance, is_own_site, judge_stance
from research_core.context import ResearchContext
from research_core.errors import SearchError, SettingsError
from research_core.journal.deps import Deps
from research_core.model_messages import Json
from research_core.models import SearchResult
from research_core.search.queries import WebQuery
from research_core.text.words import truncate
from research_core.tools.registry import Call
from research_core.tools.searching import Found, ask_providers, list_sources
from research_core.tools.sizes import shorten_texts
from research_core.tools.web_search import DEFAULT_SAFE, resolve_lens, select_pages
from research_core.trust import independence
from research_core.trust.copies import fingerprint_text
from research_core.trust.independence import SourceIdentity, VoiceGroup

#: Who is asked: those who report, and those who review technology.
LENSES = ("journalism", "tech")
#: Results shown of one search, characters of a snippet of them, and of a query.
MAX_TOP_RESULTS, MAX_SNIPPET_CHARACTERS, MAX_QUERY_CHARACTERS = 5, 300, 300
#: What a search is counted as, by what a result says.
STANCE_KEYS: dict[Stance, str] = {
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


def find_corroboration(
    call: Call, title: str, url: str, claim: str, count: int, bound: tuple[ResearchContext, Deps]
) -> Corroboration:
    """What is found through each lens of a claim about what a title recommends. count: results of
    each.
    """
    searches: list[Json] = []
    reasons: list[str] = []
    notes: list[str] = []
    agreeing: list[SearchResult] = []
    words = build_query(title, claim)
    for lens in LENSES:
        try:
            found, rows = _search_lens(call, words, lens, count, bound)
        except (SearchError, SettingsError) as error:
            reasons.append(
                f"Whether others say so could not be checked through the lens {lens}:"
                f" {error.sentence()}"
            )
            continue
        others = [row for row in rows if not is_own_site(title, url, row.url)]
        said = [judge_stance(title, claim, f"{row.title}.\n{row.snippet}") for row in others]
        searches.append(_count_stances(words, lens, others, said))
        agreeing += _select_by_stance("agree", others, said)
        reasons += _explain_groups(lens, others, said)
        notes += found.routed.notes
        if own := len(rows) - len(others):
            reasons.append(
                f"Through the lens {lens}, {own} of {len(rows)} results were not counted: they"
                " stand on the recommended site itself."
            )
    failed = len(LENSES) - len(searches)
    return Corroboration(
        searches, len(group_voices(agreeing)), failed, tuple(reasons), tuple(notes)
    )


def build_query(title: str, claim: str) -> str:
    """What is searched for, in one line."""
    return truncate(" ".join(f"{title} {claim}".split()), MAX_QUERY_CHARACTERS).removesuffix("…")


def _search_lens(
    call: Call, words: str, lens: str, count: int, bound: tuple[ResearchContext, Deps]
) -> tuple[Found, Sequence[SearchResult]]:
    """What was found, and the results that stand where the lens says. Raises SearchError,
    SettingsError.

    An engine that cannot be held to the lens, and lists nothing of it, has not said that there is
    nothing.
    """
    way = resolve_lens(lens, None, bound[1])
    found = ask_providers(
        replace(call, context=bound[0]),
        "web",
        WebQuery(words, count, safe=DEFAULT_SAFE, **way.fields),
        provider=way.provider,
        bound=bound,
    )
    rows = select_pages(found, way.places)[:count]
    if not rows and "sites" in found.routed.ignored:
        raise SearchError(
            f"{found.routed.provider} cannot be held to the sites of a lens, and listed none of"
            " them.",
            kind="unsupported",
        )
    list_sources(found, [(row.title, row.url, row.snippet) for row in rows])
    return found, rows


def _count_stances(
    words: str, lens: str, rows: Sequence[SearchResult], said: Sequence[Stance]
) -> Json:
    told = {
        name: said.count(each)
        if each == "silent"
        else len(group_voices(_select_by_stance(each, rows, said)))
        for each, name in STANCE_KEYS.items()
    }
    top = [
        {
            "title": row.title,
            "url": row.url,
            "snippet": truncate(row.snippet, MAX_SNIPPET_CHARACTERS),
            "stance": each,
        }
        for row, each in zip(rows[:MAX_TOP_RESULTS], said, strict=False)
    ]
    return {
        "query": words,
        "lens": lens,
        "resultCount": len(rows),
        **told,
        "topResults": shorten_texts(top),
    }


# -- voices ----------------------------------------------------------------------------------------------------------------


def group_voices(rows: Sequence[SearchResult]) -> tuple[VoiceGroup, ...]:
    """Results that count as one, numbered from 1: of one site, or with one text in their snippets.
    More of them is not known unread.
    """
    known = {
        n: SourceIdentity(row.url, fingerprint_text(row.snippet) if row.snippet.strip() else None)
        for n, row in enumerate(rows, 1)
    }
    same = independence.map_shared_texts({str(n): each for n, each in known.items()})
    tied = independence.find_ties(
        known, {int(copy): int(original) for copy, original in same.items()}
    )
    return independence.group_voices(known, tied)


def _select_by_stance(
    what: Stance, rows: Sequence[SearchResult], said: Sequence[Stance]
) -> list[SearchResult]:
    return [row for row, each in zip(rows, said, strict=True) if each == what]


#: How results of a kind are told; those that are silent say nothing that could be counted twice.
_STANCE_VERBS: dict[Stance, str] = {"agree": "agree", "disagree": "deny it"}


def _explain_groups(
    lens: str, rows: Sequence[SearchResult], said: Sequence[Stance]
) -> Iterator[str]:
    """That several results count as one, and why."""
    for what, word in _STANCE_VERBS.items():
        for group in group_voices(_select_by_stance(what, rows, said)):
            if group.ties:
                why = "; ".join(dict.fromkeys(tie.words for tie in group.ties))
                yield (
                    f"Through the lens {lens}, {len(group.sources)} results that {word} count as"
                    f" one: {why}."
                )
