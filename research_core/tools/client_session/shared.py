"""What the tools of a led session share: opening it, its parts on the wire, how widely it has
looked, and what to search for next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from research_core.citations.formats import sources
from research_core.citations.formats.item import Item
from research_core.errors import UsageError
from research_core.journal.deps import Deps
from research_core.journal.events import VISIBLE_KINDS
from research_core.model_messages import Json
from research_core.text.words import truncate
from research_core.tools.client_session import store
from research_core.tools.client_session.store import ClientSession
from research_core.tools.client_session.view import (
    ClientResearch,
    Outcome,
    Step,
    fold_client_session,
)
from research_core.tools.failures import KINDS
from research_core.urls import find_doi, registered_domain
from research_core.web.metadata.classify import UNKNOWN, find_source_type

Session = Annotated[
    str,
    Field(
        alias="sessionId",
        description="The session, as sequential_search gave it.",
        min_length=1,
        max_length=200,
    ),
]
#: Steps that are told in full; how often a failure has to be met before it is called a pattern.
LAST_STEPS, MIN_PATTERN_COUNT = 3, 3
MAX_LINE_CHARACTERS, MAX_QUERY_CHARACTERS = 160, 400
#: From this share of at least two sources on, one domain dominates; fewer sources than this are
#: thin; queries that are suggested at most.
DOMINANT_SHARE, FEW_SOURCES, MAX_QUERIES = 0.6, 3, 6
#: What helps in the whole session, by the kind of failure on the wire.
SUGGESTIONS = {
    "auth_required": "Consider open_access=true or target preprint servers (arxiv, biorxiv).",
    "blocked": (
        "These sites turn programs away: look for the same facts elsewhere, or for an archived"
        " copy."
    ),
    "rate_limited": "Ask another provider, or wait before the next search.",
    "browser_unavailable": (
        "Set CHROME_PATH, or install Chromium, to read pages that only scripts fill."
    ),
    "network": "Try again later; where one host never answers, use another source.",
    "content_empty": "Use another source, or the original PDF.",
    "upstream_unavailable": "Ask another provider.",
}
DEFAULT_SUGGESTION = "Use other sources for what these were to show."
#: What to look for beside, by the one kind of source there is.
COMPLEMENTARY_QUERIES = {"peer_reviewed": "latest news", "news": "research paper"}


def open_session(deps: Deps, id: str) -> ClientSession:
    """The session of this caller, which lasts anew from now. Raises led.Gone."""
    return store.join_session(deps.db(), deps.who, deps.clock, id, deps.settings.session_ttl_s)


def read_session(session: ClientSession) -> ClientResearch:
    return fold_client_session(session.log.read(kinds=VISIBLE_KINDS))


def format_moment(at: float) -> str:
    """RFC 3339, to the second."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def list_items(found: ClientResearch) -> tuple[Item, ...]:
    """Its sources as works to cite, in the order in which they were found: as they are listed, and
    as their pages say of themselves.

    The DOI is also that which an address names. Two sources that led to one place are two works of
    one address. Nothing is looked up.
    """
    return tuple(
        sources.build_source_item(
            each.landed or each.url,
            each.title,
            each.authors,
            each.site,
            each.published,
            each.doi or find_doi(each.url) or find_doi(each.landed),
        )
        for each in found.sources
    )


# ---------------------------------------------------------------- on the wire


def step_as_json(step: Step) -> Json:
    """A step in full; what it does not say is left out."""
    said = {
        "reasoning": step.reasoning,
        "confidence": step.confidence,
        "rejectedApproaches": list(step.rejected),
        "isRevision": step.revision or step.revises is not None,
        "revisesStep": step.revises,
        "branchId": step.branch,
    }
    return {
        "stepNumber": step.number,
        "description": step.text,
        "timestamp": format_moment(step.at),
    } | {k: v for k, v in said.items() if v}


def list_step_lines(steps: Sequence[Step]) -> list[Json]:
    return [
        {
            "stepNumber": step.number,
            "oneLiner": truncate(" ".join(step.text.split()), MAX_LINE_CHARACTERS),
            "branchId": step.branch,
            "confidence": step.confidence,
        }
        for step in steps
    ]


def list_open_parts(found: ClientResearch) -> Json:
    """lastSteps, gaps and sources."""
    sources = [
        {"url": each.url, "title": each.title}
        | ({} if each.step is None else {"foundInStep": each.step})
        for each in found.sources
    ]
    gaps = [{"description": text, "foundInStep": number} for text, number in found.gaps]
    return {
        "lastSteps": [step_as_json(step) for step in found.steps[-LAST_STEPS:]],
        "gaps": gaps,
        "sources": sources,
    }


def summarize_session(found: ClientResearch) -> str:
    """The client's own summary, else how far it is."""
    return found.summary or (
        f"{len(found.steps)} steps on: {found.goal} Sources: {format_source_count(found)}. Open questions:"
        f" {len(found.gaps)}. Last step:"
        f" {truncate(found.steps[-1].text, MAX_LINE_CHARACTERS) if found.steps else 'none'}"
    )


def format_source_count(found: ClientResearch) -> str:
    """How many sources there are, and how many of them are no further ones: "3", "3, 1 of them a
    copy of another".
    """
    copies = len(found.sources) - len(found.counted)
    which = "a copy of another" if copies == 1 else "copies of others"
    return f"{len(found.sources)}, {copies} of them {which}" if copies else f"{len(found.sources)}"


def find_error_patterns(outcomes: Sequence[Outcome]) -> list[Json]:
    """Kinds of failure that were met at least `MIN_PATTERN_COUNT` times, the commonest first."""
    by_kind: dict[str, list[Outcome]] = {}
    for each in outcomes:
        if each.kind:
            by_kind.setdefault(
                KINDS[each.kind].wire if each.kind in KINDS else each.kind, []
            ).append(each)
    often = sorted(
        ((kind, met) for kind, met in by_kind.items() if len(met) >= MIN_PATTERN_COUNT),
        key=lambda pair: (-len(pair[1]), pair[0]),
    )
    return [
        {
            "kind": kind,
            "count": len(met),
            "affectedUrls": list(dict.fromkeys(each.url for each in met if each.url)),
            "suggestion": SUGGESTIONS.get(kind, DEFAULT_SUGGESTION),
            "lastSeen": format_moment(max(each.at for each in met)),
        }
        for kind, met in often
    ]


def count_provider_outcomes(outcomes: Sequence[Outcome]) -> Json:
    """{provider: {"attempts", "successes"}}."""
    asked = Counter(each.provider for each in outcomes if each.provider)
    well = Counter(each.provider for each in outcomes if each.provider and not each.kind)
    return {
        name: {"attempts": count, "successes": well[name]} for name, count in sorted(asked.items())
    }


# ---------------------------------------------------------------- how widely it has looked


def measure_coverage(found: ClientResearch) -> Json:
    """Counts and thin places of the sources there are, each text once; never an answer."""
    domains = Counter(registered_domain(each.url) for each in found.counted)
    kinds = Counter(find_source_type(each.url) or UNKNOWN for each in found.counted)
    total, leading = len(found.counted), _find_dominant_site(found)
    copies = len(found.sources) - total
    gaps = [f"Most sources are of one domain: {leading}."] if leading else []
    gaps += (
        [f"All sources are of one kind: {next(iter(kinds)).replace('_', ' ')}."]
        if total > 1 and len(kinds) == 1
        else []
    )
    gaps += (
        [f"There {'is' if total == 1 else 'are'} {total or 'no'} source{'s' * (total != 1)} yet."]
        if total < FEW_SOURCES
        else []
    )
    gaps += (
        [f"{copies} more {'is a copy' if copies == 1 else 'are copies'} of what is counted."]
        if copies
        else []
    )
    return {
        "sourceCount": total,
        "uniqueDomains": len(domains),
        "domainSpread": round(len(domains) / total, 2) if total else 0.0,
        **({"dominantDomain": leading} if leading else {}),
        "sourceTypes": dict(sorted(kinds.items())),
        "gaps": gaps,
    }


def _find_dominant_site(found: ClientResearch) -> str:
    domains = Counter(registered_domain(each.url) for each in found.counted)
    name, count = next(iter(domains.most_common(1)), ("", 0))
    return name if len(found.counted) > 1 and count / len(found.counted) > DOMINANT_SHARE else ""


def suggest_queries(found: ClientResearch) -> list[str]:
    """What to search for next: for what is missing, beside the domain that dominates, of another
    kind; up to `MAX_QUERIES`.
    """
    kinds = {find_source_type(each.url) for each in found.counted}
    beside = (
        COMPLEMENTARY_QUERIES.get(next(iter(kinds)), "peer-reviewed study")
        if len(kinds) == 1
        else ""
    )
    leading = _find_dominant_site(found)
    proposed = [f"{found.goal} {gap}" for gap, _ in reversed(found.gaps)]
    proposed += [f"{found.goal} -site:{leading}"] if leading else []
    proposed += [f"{found.goal} {beside}"] if beside else []
    proposed += [found.goal] if len(found.counted) < FEW_SOURCES else []
    return list(
        dict.fromkeys(truncate(" ".join(each.split()), MAX_QUERY_CHARACTERS) for each in proposed)
    )[:MAX_QUERIES]


def missing_step_error(found: ClientResearch, number: int, what: str) -> UsageError:
    """That there is no step of this number to go by."""
    there = (
        f"It has steps 1 to {max(step.number for step in found.steps)}."
        if found.steps
        else "It has none yet."
    )
    return UsageError(f"There is no step {number} {what}.", next_step=there)
