"""Measure how widely a client's session has looked, and suggest what to search for next."""

from __future__ import annotations

from collections import Counter

from research_core.model_messages import Json
from research_core.text.words import truncate
from research_core.tools.client_session.view import ClientResearch
from research_core.urls import registered_domain
from research_core.web.metadata.classify import UNKNOWN, find_source_type

#: A domain with a larger share of at least two sources dominates; fewer sources are too few.
DOMINANT_SHARE, FEW_SOURCES = 0.6, 3
#: Suggested queries; characters of one.
MAX_QUERIES, MAX_QUERY_CHARACTERS = 6, 400
#: Words that find other sources, if all are of this one kind.
COMPLEMENTARY_QUERIES = {"peer_reviewed": "latest news", "news": "research paper"}


def measure_coverage(found: ClientResearch) -> Json:
    """Count the sources by domain and kind, each text once, and name the gaps."""
    domains = Counter(registered_domain(source.url) for source in found.distinct_sources)
    kinds = Counter(find_source_type(source.url) or UNKNOWN for source in found.distinct_sources)
    total = len(found.distinct_sources)
    dominant = _find_dominant_site(found)
    copies = len(found.sources) - total
    gaps: list[str] = []
    if dominant:
        gaps.append(f"Most sources are of one domain: {dominant}.")
    if total > 1 and len(kinds) == 1:
        (kind,) = kinds
        gaps.append(f"All sources are of one kind: {kind.replace('_', ' ')}.")
    if total == 1:
        gaps.append("There is 1 source yet.")
    elif total < FEW_SOURCES:
        gaps.append(f"There are {total or 'no'} sources yet.")
    if copies == 1:
        gaps.append("1 more is a copy of what is counted.")
    elif copies:
        gaps.append(f"{copies} more are copies of what is counted.")
    coverage: Json = {
        "sourceCount": total,
        "uniqueDomains": len(domains),
        "domainSpread": round(len(domains) / total, 2) if total else 0.0,
    }
    if dominant:
        coverage["dominantDomain"] = dominant
    coverage["sourceTypes"] = dict(sorted(kinds.items()))
    coverage["gaps"] = gaps
    return coverage


def _find_dominant_site(found: ClientResearch) -> str:
    """Return the domain of more than `DOMINANT_SHARE` of at least two sources, "" for none."""
    total = len(found.distinct_sources)
    if total < 2:
        return ""
    domains = Counter(registered_domain(source.url) for source in found.distinct_sources)
    ((name, count),) = domains.most_common(1)
    return name if count / total > DOMINANT_SHARE else ""


def suggest_queries(found: ClientResearch) -> list[str]:
    """Suggest up to `MAX_QUERIES` queries: for gaps, other domains, and other kinds of sources."""
    proposed = [f"{found.goal} {gap}" for gap, _ in reversed(found.gaps)]
    dominant = _find_dominant_site(found)
    if dominant:
        proposed.append(f"{found.goal} -site:{dominant}")
    kinds = {find_source_type(source.url) for source in found.distinct_sources}
    if len(kinds) == 1:
        (kind,) = kinds
        complement = COMPLEMENTARY_QUERIES.get(kind, "peer-reviewed study")
        proposed.append(f"{found.goal} {complement}")
    if len(found.distinct_sources) < FEW_SOURCES:
        proposed.append(found.goal)
    queries = [truncate(" ".join(query.split()), MAX_QUERY_CHARACTERS) for query in proposed]
    return list(dict.fromkeys(queries))[:MAX_QUERIES]
