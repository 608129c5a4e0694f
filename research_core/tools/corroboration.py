"""Search for what others say about a recommendation, one search through each lens.

Results that agree or deny are counted as voices: results of one site, or with one text, are one
voice. A failed search is reported as such, not as an empty one. Results on the recommended site
itself are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from research_core.citations.recommendations.promotion import Stance, is_own_site, judge_stance
from research_core.context import ResearchContext
from research_core.errors import SearchError, SettingsError
from research_core.journal.deps import Deps
from research_core.model_messages import Json
from research_core.models import SearchResult
from research_core.search.queries import WebQuery
from research_core.text.words import format_count, truncate
from research_core.tools.provider_search import ProviderAnswer, ask_providers, record_results
from research_core.tools.registry import Call
from research_core.tools.web_search import DEFAULT_SAFE, resolve_lens, select_pages
from research_core.tools.wire_values import shorten_texts
from research_core.trust import independence
from research_core.trust.copies import fingerprint_text
from research_core.trust.independence import SourceIdentity, VoiceGroup

#: The lenses that are searched: reporters, and reviewers of technology.
LENSES = ("journalism", "tech")
#: Results shown for one search; characters of each snippet; characters of a query.
MAX_TOP_RESULTS, MAX_SNIPPET_CHARACTERS, MAX_QUERY_CHARACTERS = 5, 300, 300
#: The count on the wire for each stance.
STANCE_KEYS: dict[Stance, str] = {
    "agree": "agreeCount",
    "disagree": "disagreeCount",
    "silent": "silentCount",
}


@dataclass(frozen=True)
class Corroboration:
    """The outcome of the searches for one recommendation.

    searches: the answered ones, as on the wire; agreed: agreeing voices in all of them; failed: the
    number of failed searches; reasons: sentences on failures and left-out results; notes: remarks
    of the engines on their answers.
    """

    searches: list[Json] = field(default_factory=list)
    agreed: int = 0
    failed: int = 0
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def find_corroboration(
    call: Call, title: str, url: str, claim: str, count: int, bound: tuple[ResearchContext, Deps]
) -> Corroboration:
    """Search each lens for the claim about the title. count: the number of results of each."""
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
        stances = [judge_stance(title, claim, f"{row.title}.\n{row.snippet}") for row in others]
        searches.append(_count_stances(words, lens, others, stances))
        agreeing += _select_by_stance("agree", others, stances)
        reasons += _explain_groups(lens, others, stances)
        notes += found.route.notes
        own = len(rows) - len(others)
        if own:
            reasons.append(
                f"Through the lens {lens}, {own} of {format_count(len(rows), 'result')}"
                f" {'was not counted: it stands' if own == 1 else 'were not counted: they stand'}"
                " on the recommended site itself."
            )
    return Corroboration(
        searches,
        agreed=len(group_voices(agreeing)),
        failed=len(LENSES) - len(searches),
        reasons=tuple(reasons),
        notes=tuple(notes),
    )


def build_query(title: str, claim: str) -> str:
    """Return the search words in one line of limited length."""
    line = " ".join(f"{title} {claim}".split())
    return truncate(line, MAX_QUERY_CHARACTERS).removesuffix("…")


def _search_lens(
    call: Call, words: str, lens: str, count: int, bound: tuple[ResearchContext, Deps]
) -> tuple[ProviderAnswer, Sequence[SearchResult]]:
    """Search through a lens and return the findings with the results on its sites.

    Raises SettingsError, and SearchError also if the engine ignored the lens and listed none of its
    sites: that does not show that there is nothing.
    """
    context, deps = bound
    lens_query = resolve_lens(lens, None, deps)
    found = ask_providers(
        replace(call, context=context),
        "web",
        WebQuery(words, count, safe=DEFAULT_SAFE, **lens_query.fields),
        provider=lens_query.provider,
        bound=bound,
    )
    rows = select_pages(found, lens_query.places)[:count]
    if not rows and "sites" in found.route.ignored:
        raise SearchError(
            f"{found.route.provider} cannot be held to the sites of a lens, and listed none of"
            " them.",
            kind="unsupported",
        )
    record_results(found, rows)
    return found, rows


def _count_stances(
    words: str, lens: str, rows: Sequence[SearchResult], stances: Sequence[Stance]
) -> Json:
    """Return one search as on the wire, with the number of voices for each stance."""
    answer: Json = {"query": words, "lens": lens, "resultCount": len(rows)}
    for stance, key in STANCE_KEYS.items():
        if stance == "silent":
            answer[key] = stances.count(stance)
        else:
            answer[key] = len(group_voices(_select_by_stance(stance, rows, stances)))
    top = []
    for row, stance in zip(rows[:MAX_TOP_RESULTS], stances, strict=False):
        snippet = truncate(row.snippet, MAX_SNIPPET_CHARACTERS)
        top.append({"title": row.title, "url": row.url, "snippet": snippet, "stance": stance})
    answer["topResults"] = shorten_texts(top)
    return answer


# -- voices --


def group_voices(rows: Sequence[SearchResult]) -> tuple[VoiceGroup, ...]:
    """Group results that count as one voice: of one site, or with the same snippet.

    Results are numbered from 1. Without reading the pages, no other link between them is known.
    """
    known = {}
    for number, row in enumerate(rows, 1):
        text = fingerprint_text(row.snippet) if row.snippet.strip() else None
        known[number] = SourceIdentity(row.url, text)
    shared = independence.map_shared_texts(
        {str(number): identity for number, identity in known.items()}
    )
    copies = {int(copy): int(original) for copy, original in shared.items()}
    return independence.group_voices(known, independence.find_ties(known, copies))


def _select_by_stance(
    wanted: Stance, rows: Sequence[SearchResult], stances: Sequence[Stance]
) -> list[SearchResult]:
    return [row for row, stance in zip(rows, stances, strict=True) if stance == wanted]


#: The verb for each stance. Silent results say nothing that could be counted twice.
_STANCE_VERBS: dict[Stance, str] = {"agree": "agree", "disagree": "deny it"}


def _explain_groups(
    lens: str, rows: Sequence[SearchResult], stances: Sequence[Stance]
) -> Iterator[str]:
    """Yield a sentence for each group of results that count as one, with the reason."""
    for stance, verb in _STANCE_VERBS.items():
        for group in group_voices(_select_by_stance(stance, rows, stances)):
            if not group.ties:
                continue
            why = "; ".join(dict.fromkeys(tie.words for tie in group.ties))
            yield (
                f"Through the lens {lens}, {len(group.sources)} results that {verb} count as"
                f" one: {why}."
            )
