"""How far a search result can be trusted before it is read: domain, words shared with the question, and a date. Pure arithmetic.

It reads the address and the snippet and nothing else; it never fetches, and an own document is not its business.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from research_core.models import ScoreParts
from research_core.policy import CredibilityPolicy, Tier
from research_core.text import content_words
from research_core.urls import host, under

_DEFAULT = CredibilityPolicy()
_YEAR = re.compile(r"(?<!\d)202[0-9](?!\d)")
_AGO = re.compile(r"\b(?:minute|hour|day|week)s?\s+ago\b", re.IGNORECASE)


def score_source(url: str, snippet: str, question: str) -> float:
    """The credibility of a source, 0.0-1.0 at 6 places: domain * 0.4 + relevance * 0.5 + recency. Never raises."""
    return assess(url, snippet, question).score


def assess(url: str, snippet: str, question: str, policy: CredibilityPolicy = _DEFAULT, *, provisional: bool = False) -> ScoreParts:
    """The score with its working, under any policy. Never raises: an address that cannot be read is general web and provisional.

    provisional: no search has listed this address, so its snippet says little.
    """
    try:
        tier = _tier(host(url), policy)
    except ValueError:
        tier, provisional = policy.tiers[-1], True
    asked, told = _asked(question), content_words(snippet)
    matched = asked & told
    relevance = len(matched) / len(asked) if asked else 0.0
    parts = ScoreParts(
        score=0.0,
        tier=tier.name,
        domain=tier.value,
        relevance=relevance,
        recency=policy.recency_bonus if _YEAR.search(snippet) or _AGO.search(snippet) else 0.0,
        matched=tuple(sorted(matched)),
        missing=tuple(sorted(asked - told)),
        provisional=provisional,
    )
    return replace(parts, score=_total(parts, policy))


def rescore(parts: ScoreParts, policy: CredibilityPolicy) -> ScoreParts:
    """The score of the same result under another policy's weights, tier values and bonus.

    The parts keep no address: where a policy moves hosts between tiers, or the first policy gave no bonus for a date, `assess` again.
    """
    domain = next((tier.value for tier in policy.tiers if tier.name == parts.tier), parts.domain)
    again = replace(parts, domain=domain, recency=policy.recency_bonus if parts.recency else 0.0)
    return replace(again, score=_total(again, policy))


def explain(parts: ScoreParts, policy: CredibilityPolicy) -> str:
    """Threshold, score and what it is made of: "needs more than 0.50, has 0.36: general web, 40 % of the question's words, no date".

    At four places where two would show a score that passes as equal to the threshold.
    """
    places = 2 if round(parts.score, 2) != round(policy.minimum, 2) or policy.blocks(parts.score) else 4
    asked = parts.matched or parts.missing
    why = (
        parts.tier,
        f"{100 * parts.relevance:.0f} % of the question's words" if asked else "no words to compare in the question",
        "dated" if parts.recency else "no date",
        *(["provisional"] if parts.provisional else []),
    )
    return f"needs more than {policy.minimum:.{places}f}, has {parts.score:.{places}f}: {', '.join(why)}"


@lru_cache(maxsize=64)
def _asked(question: str) -> frozenset[str]:
    return content_words(question)


def _total(parts: ScoreParts, policy: CredibilityPolicy) -> float:
    """At most 1.0, whatever weights the analyst chose."""
    total = parts.domain * policy.domain_weight + parts.relevance * policy.relevance_weight + parts.recency
    return min(1.0, round(total, 6))


def _tier(name: str, policy: CredibilityPolicy) -> Tier:
    """The first tier that the host is in; the last tier is for the rest."""
    return next((tier for tier in policy.tiers if _is_in(name, tier)), policy.tiers[-1])


def _is_in(name: str, tier: Tier) -> bool:
    if any(under(name, domain) for domain in (*tier.hosts, *tier.suffixes)):
        return True
    second, _, country = name.rpartition(".")
    return len(country) == 2 and country.isalpha() and any(under(second, suffix) for suffix in tier.country_suffixes)
