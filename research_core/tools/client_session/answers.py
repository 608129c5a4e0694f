"""Open a client's session, and put its parts on the wire of the session tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from research_core.citations.formats import sources
from research_core.citations.formats.item import Item
from research_core.errors import UsageError
from research_core.journal.deps import Deps
from research_core.journal.events import VISIBLE_KINDS
from research_core.model_messages import Json
from research_core.text.dates import format_rfc3339
from research_core.text.words import format_count, truncate
from research_core.tools.client_session import store
from research_core.tools.client_session.store import ClientSession
from research_core.tools.client_session.view import (
    ClientResearch,
    ProviderOutcome,
    Step,
    fold_client_session,
)
from research_core.tools.failures import KINDS
from research_core.tools.wire_values import drop_empty
from research_core.urls import find_doi

Session = Annotated[
    str,
    Field(
        alias="sessionId",
        description="The session, as sequential_search gave it.",
        min_length=1,
        max_length=200,
    ),
]
#: Steps shown in full; how often a failure must occur to be called a pattern.
LAST_STEPS, MIN_PATTERN_COUNT = 3, 3
MAX_LINE_CHARACTERS = 160
#: What to do about a repeated failure, by its kind on the wire.
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


def open_session(deps: Deps, id: str) -> ClientSession:
    """Open a session of this caller, which restarts its time to live. Raises store.SessionGone."""
    return store.join_session(deps.db(), deps.who, deps.clock, id, deps.settings.session_ttl_s)


def read_session(session: ClientSession) -> ClientResearch:
    return fold_client_session(session.log.read(kinds=VISIBLE_KINDS))


def format_moment(at: float) -> str:
    """Format seconds since the epoch as RFC 3339 in UTC, to the second."""
    return format_rfc3339(at)


def list_items(found: ClientResearch) -> tuple[Item, ...]:
    """Return the sources as works to cite, in the order they were found. Nothing is looked up.

    A DOI in an address counts too. Two sources redirected to one address give two works.
    """
    items: list[Item] = []
    for source in found.sources:
        doi = source.doi or find_doi(source.url) or find_doi(source.redirected_to)
        item = sources.build_source_item(
            source.redirected_to or source.url,
            source.title,
            authors=source.authors,
            site=source.site,
            date=source.published,
            doi=doi,
        )
        items.append(item)
    return tuple(items)


# ---------------------------------------------------------------- on the wire


def step_as_json(step: Step) -> Json:
    """Return a step in full, without empty fields."""
    answer: Json = {
        "stepNumber": step.number,
        "description": step.text,
        "timestamp": format_moment(step.at),
    }
    optional = {
        "reasoning": step.reasoning,
        "confidence": step.confidence,
        "rejectedApproaches": list(step.rejected),
        "isRevision": step.revision or step.revises is not None,
        "revisesStep": step.revises,
        "branchId": step.branch,
    }
    return answer | drop_empty(optional)


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
    """Return lastSteps, gaps and sources."""
    source_rows: list[Json] = []
    for source in found.sources:
        row: Json = {"url": source.url, "title": source.title}
        if source.step is not None:
            row["foundInStep"] = source.step
        source_rows.append(row)
    return {
        "lastSteps": [step_as_json(step) for step in found.steps[-LAST_STEPS:]],
        "gaps": [{"description": text, "foundInStep": number} for text, number in found.gaps],
        "sources": source_rows,
    }


def summarize_session(found: ClientResearch) -> str:
    """Return the client's own summary, or one of how far the session is."""
    if found.summary:
        return found.summary
    last_step = "none"
    if found.steps:
        last_step = truncate(found.steps[-1].text, MAX_LINE_CHARACTERS)
    return (
        f"{format_count(len(found.steps), 'step')} on: {found.goal} Sources:"
        f" {format_source_count(found)}."
        f" Open questions: {len(found.gaps)}. Last step: {last_step}"
    )


def format_source_count(found: ClientResearch) -> str:
    """Format the number of sources, and of copies among them if any."""
    total = len(found.sources)
    copies = total - len(found.distinct_sources)
    if not copies:
        return f"{total}"
    which = "a copy of another" if copies == 1 else "copies of others"
    return f"{total}, {copies} of them {which}"


def find_error_patterns(outcomes: Sequence[ProviderOutcome]) -> list[Json]:
    """Return the kinds of failure met at least `MIN_PATTERN_COUNT` times, most frequent first."""
    by_kind: dict[str, list[ProviderOutcome]] = {}
    for outcome in outcomes:
        if outcome.kind:
            kind = KINDS[outcome.kind].wire if outcome.kind in KINDS else outcome.kind
            by_kind.setdefault(kind, []).append(outcome)
    patterns: list[Json] = []
    for kind, failures in by_kind.items():
        if len(failures) < MIN_PATTERN_COUNT:
            continue
        urls = [failure.url for failure in failures if failure.url]
        pattern = {
            "kind": kind,
            "count": len(failures),
            "affectedUrls": list(dict.fromkeys(urls)),
            "suggestion": SUGGESTIONS.get(kind, DEFAULT_SUGGESTION),
            "lastSeen": format_moment(max(failure.at for failure in failures)),
        }
        patterns.append(pattern)
    patterns.sort(key=lambda pattern: (-pattern["count"], pattern["kind"]))
    return patterns


def count_provider_outcomes(outcomes: Sequence[ProviderOutcome]) -> Json:
    """Return {provider: {"attempts", "successes"}}, sorted by provider."""
    attempts = Counter(each.provider for each in outcomes if each.provider)
    successes = Counter(each.provider for each in outcomes if each.provider and not each.kind)
    return {
        name: {"attempts": count, "successes": successes[name]}
        for name, count in sorted(attempts.items())
    }


def missing_step_error(found: ClientResearch, number: int, what: str) -> UsageError:
    """Return the error for a step that does not exist. what: the purpose, as in "to revise"."""
    next_step = "It has none yet."
    if found.steps:
        last = max(step.number for step in found.steps)
        next_step = f"It has steps 1 to {last}."
    return UsageError(f"There is no step {number} {what}.", next_step=next_step)
