"""Score how far a search result can be trusted before it is read.

The score combines the domain, the words shared with the question, and a date. `score_source` is the
specification, which knows tiers of hosts. A run also uses what is known of a host (`hosts`), as far
as its policy allows. A value of 0 set by the analyst excludes a host, whatever its other parts.
Only the address and the snippet are read; nothing is fetched, and own documents are not scored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from research_core.i18n import N_, _, join_list, put_in_quotes
from research_core.models import ScoreParts
from research_core.policy import CredibilityPolicy, Tier
from research_core.text.question import QUESTION_WORDS
from research_core.text.words import content_words
from research_core.trust.hosts.authority import HostFact, find_host_facts
from research_core.urls import find_host

#: The policy of the specification: tiers, and no other facts about hosts.
SPECIFIED_POLICY = CredibilityPolicy(parts=())
_YEAR = re.compile(r"(?<!\d)202[0-9](?!\d)")
_AGO = re.compile(r"\b(?:minute|hour|day|week)s?\s+ago\b", re.IGNORECASE)


def score_source(url: str, snippet: str, question: str) -> float:
    """Return the credibility of a source, 0.0 to 1.0 at 6 places. Never raises.

    It is domain * 0.4 + relevance * 0.5 + recency.
    """
    return assess(url, snippet, question, SPECIFIED_POLICY).score


def assess(
    url: str,
    snippet: str,
    question: str,
    policy: CredibilityPolicy = SPECIFIED_POLICY,
    *,
    provisional: bool = False,
    ratings: Mapping[str, float] | None = None,
) -> ScoreParts:
    """Return the score with its parts, under any policy. Never raises.

    An address that cannot be read is general web and provisional. `provisional`: no search has
    listed this address, so its snippet says little. `ratings`: expert ratings of its host, 0.0 to
    1.0, by list.
    """
    try:
        name = _cached_host(url)
    except ValueError:
        name = ""
        provisional = True
    tier, fact = find_deciding_part(name, policy, ratings)
    matched, missing, dated = _match_words(question, snippet)
    relevance = len(matched) / len(matched + missing) if matched else 0.0
    recency = policy.recency_bonus if dated else 0.0
    domain = fact.value if fact else tier.value
    terms = _weigh_terms(domain, relevance, recency, policy.domain_weight, policy.relevance_weight)
    score = min(1.0, round(sum(terms), 6))  # the analyst's weights may add up to more
    if fact and fact.keeps_out:
        score = 0.0
    if fact:
        basis, label, why = fact.part, fact.label, fact.why
    else:
        basis, label, why = _tier_basis(tier, policy), "", ""
    return ScoreParts(
        score,
        tier.name,
        domain,
        relevance,
        recency,
        matched,
        missing,
        provisional,
        basis,
        label,
        why,
    )


def get_scored_words(parts: ScoreParts) -> str:
    """Return the words that a stored score was computed against."""
    return " ".join((*parts.matched, *parts.missing))


def _tier_basis(tier: Tier, policy: CredibilityPolicy) -> str:
    """Return the basis of a score that the tier's value decides."""
    if not policy.parts:
        return ""
    return "unknown" if tier.open else "tier"


def find_deciding_part(
    host: str, policy: CredibilityPolicy, ratings: Mapping[str, float] | None = None
) -> tuple[Tier, HostFact | None]:
    """Return the tier of a host, and the known fact that replaces its value, or None.

    A host of "" is general web.
    """
    if not host:
        return policy.tiers[-1], None
    tier = _find_tier(host, policy)
    parts = [part for part in policy.parts if tier.open or part == "override"]
    if parts:
        for fact in find_host_facts(host, policy.overrides, ratings):
            if fact.part in parts:
                return tier, fact
    return tier, None


class ScoreTerms(NamedTuple):
    """What the site, the question's words and a date add to a score, before it is capped."""

    site: float
    words: float
    date: float

    @property
    def capped(self) -> str:
        """Return a note if the score is not the sum of the terms, otherwise ""."""
        return _("capped at {score:.2f}").format(score=1.0) if round(sum(self), 6) > 1.0 else ""

    @property
    def widths(self) -> tuple[float, ...]:
        """Return the terms as parts of a bar of length 1.0, the highest score."""
        return tuple(term / max(1.0, sum(self)) for term in self)


class ExcludedTerms(ScoreTerms):
    """The terms of a score that the analyst set to 0."""

    @property
    def capped(self) -> str:
        return _("set to 0 by your word")

    @property
    def widths(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0)


def compute_terms(parts: ScoreParts, domain_weight: float, relevance_weight: float) -> ScoreTerms:
    """Return the terms of a score under these weights."""
    kind = ExcludedTerms if is_excluded(parts) else ScoreTerms
    return kind(
        *_weigh_terms(parts.domain, parts.relevance, parts.recency, domain_weight, relevance_weight)
    )


def is_excluded(parts: ScoreParts) -> bool:
    """Return whether the score is 0 because the analyst set the host to 0."""
    return parts.basis == "override" and parts.domain == 0.0


def _is_override(parts: ScoreParts) -> bool:
    """Return whether the analyst set a value for the host that does not exclude it."""
    return parts.basis == "override" and parts.domain > 0.0


def _weigh_terms(
    domain: float, relevance: float, recency: float, domain_weight: float, relevance_weight: float
) -> tuple[float, float, float]:
    """Return the terms of the formula, whose sum is the score."""
    return domain * domain_weight, relevance * relevance_weight, recency


def explain_score(parts: ScoreParts, policy: CredibilityPolicy) -> str:
    """Return score, threshold and the parts of the score in words.

    Example: "0.36, needs more than 0.50: unknown site, 40% keyword match, no date".
    Uses four places if a passing score would look equal to the threshold at two.
    """
    looks_equal = round(parts.score, 2) == round(policy.minimum, 2)
    places = 4 if looks_equal and not policy.blocks(parts.score) else 2
    if parts.basis == "unknown":
        site = _("unknown site ({tier})").format(tier=_(parts.tier))
    elif _is_override(parts):
        site = _("{site}, {authority:.2f} for authority ({share:.0f}% of the score)").format(
            site=name_kind_of_site(parts), authority=parts.domain, share=100 * policy.domain_weight
        )
    else:
        site = name_kind_of_site(parts)
    if parts.matched or parts.missing:
        words = _("{share:.0f}% keyword match").format(share=100 * parts.relevance)
    else:
        words = _("no keywords in the question")
    if parts.recency:
        date = _("dated")
    elif policy.recency_bonus:
        date = _("no date")
    else:
        date = _("dates not counted")
    reasons = [site, words, date]
    if parts.provisional:
        reasons.append(_("provisional"))
    return _("{score}, needs more than {minimum}: {reasons}").format(
        score=f"{parts.score:.{places}f}",
        minimum=f"{policy.minimum:.{places}f}",
        reasons=join_list(reasons),
    )


def explain_block(parts: ScoreParts, policy: CredibilityPolicy) -> str:
    """Return why a score is too low: the score, the minimum, and the part that costs most.

    Example: "0.46, needs more than 0.50: its snippet lacks “animals”".
    """
    score, minimum = format_beside_minimum(parts.score, policy.minimum)
    return _("{score}, needs more than {minimum}: {reasons}").format(
        score=score, minimum=minimum, reasons=_name_weakest_part(parts, policy)
    )


#: How earlier sessions recorded the missing keywords.
EARLIER_REASONS = (
    N_("its snippet has none of your keywords: {words}"),
    N_("its snippet lacks keywords: {words}"),
)
#: Keywords that the reason of a blocked source names, at most.
MAX_NAMED_KEYWORDS = 4


def _name_weakest_part(parts: ScoreParts, policy: CredibilityPolicy) -> str:
    site = name_kind_of_site(parts)
    if parts.basis == "unknown":
        site = _("unknown site ({tier})").format(tier=_(parts.tier))
    lost_by_site = (1.0 - parts.domain) * policy.domain_weight
    lost_by_words = (1.0 - parts.relevance) * policy.relevance_weight
    if is_excluded(parts) or lost_by_site > lost_by_words:
        return site
    if not parts.missing:
        return _("no keywords in the question")
    telling = [word for word in parts.missing if word not in QUESTION_WORDS] or parts.missing
    named = [put_in_quotes(word) for word in telling[:MAX_NAMED_KEYWORDS]]
    listed = join_list(named) + (" …" if len(telling) > MAX_NAMED_KEYWORDS else "")
    return _("its snippet lacks {words}").format(words=listed)


def format_beside_minimum(score: float, minimum: float) -> tuple[str, str]:
    """Return a score and a minimum with as many places as tell them apart, two at least."""
    for places in range(2, 7):
        shown = f"{score:.{places}f}", f"{minimum:.{places}f}"
        if shown[0] != shown[1]:
            return shown
    return f"{score:.2f}", f"{minimum:.2f}"


def name_kind_of_site(parts: ScoreParts) -> str:
    """Return the kind of site in the current language, as far as its name is one of ours."""
    return _(parts.site)


#: The names of `policy.DEFAULT_TIERS`; tiers in the settings of a session may have others.
TIER_NAMES = (
    N_("academic or government"),
    N_("major source"),
    N_("organisation"),
    N_("social media"),
    N_("general web"),
)


# What-if scores the same results again under each policy.
_cached_host = lru_cache(maxsize=4096)(find_host)


@lru_cache(maxsize=64)
def _question_words(question: str) -> frozenset[str]:
    """Return the distinct words of a question, cached."""
    return content_words(question)


@lru_cache(maxsize=4096)
def _match_words(question: str, snippet: str) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Return the question's words in the snippet, those not in it, and whether it is dated."""
    asked = _question_words(question)
    shown = content_words(snippet)
    dated = bool(_YEAR.search(snippet) or _AGO.search(snippet))
    return tuple(sorted(asked & shown)), tuple(sorted(asked - shown)), dated


def _find_tier(name: str, policy: CredibilityPolicy) -> Tier:
    """Return the first tier that the host is in; the last tier is for all others."""
    for tier in policy.tiers:
        if _is_in_tier(name, tier):
            return tier
    return policy.tiers[-1]


def _is_in_tier(name: str, tier: Tier) -> bool:
    """Return whether a host is or is under one of the tier's hosts and suffixes."""
    if f".{name}".endswith(_dotted_endings(tier.hosts) + _dotted_endings(tier.suffixes)):
        return True
    second, _, country = name.rpartition(".")
    if len(country) != 2 or not country.isalpha():
        return False
    return f".{second}".endswith(_dotted_endings(tier.country_suffixes))


@lru_cache(maxsize=256)
def _dotted_endings(domains: tuple[str, ...]) -> tuple[str, ...]:
    """Return the domains with a leading dot, to compare with the end of a host."""
    return tuple(f".{domain}" for domain in domains)
