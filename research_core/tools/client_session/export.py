"""Export a session of a client: as Markdown for readers, or as JSON for programs.

The result depends only on the session and its link checks; nobody is asked here. Every text comes
from a model or the web, so it is cleaned, and escaped in Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from research_core.citations.formats.item import Item
from research_core.citations.marks import format_link
from research_core.model_messages import Json
from research_core.text.words import escape_markdown, strip_invisible
from research_core.tools.client_session.answers import (
    count_provider_outcomes,
    find_error_patterns,
    format_moment,
    format_source_count,
    list_items,
    list_open_parts,
    step_as_json,
)
from research_core.tools.client_session.view import ClientResearch, ClientSource, Step
from research_core.tools.wire_values import drop_empty
from research_core.trust import provenance

if TYPE_CHECKING:
    from research_core.citations.checks.links import Link

_CLOSING = re.compile(r"(?<= )#+$")
#: The words for each state of a link.
LINK_STATES = {
    "live": "live",
    "refused": "refused",
    "dead": "dead",
    "unchecked": "could not be checked",
}


@dataclass(frozen=True)
class Export:
    """What to export.

    at: the time, RFC 3339; links: the checked links by address, None if none were to be checked.
    """

    id: str
    tenant: str
    found: ClientResearch
    at: str
    links: Mapping[str, Link] | None = None


def list_addresses(found: ClientResearch) -> list[str]:
    """Return the addresses of the sources on the web, each once."""
    return list(dict.fromkeys(item.address for item in list_items(found) if item.address))


# ---------------------------------------------------------------- JSON


def export_json(export: Export) -> Json:
    """Return the whole session as JSON values, without empty fields."""
    found = export.found
    steps = [step_as_json(step) | _list_step_details(step) for step in found.steps]
    sources: list[Json] = []
    for source, item in zip(found.sources, list_items(found), strict=True):
        sources.append(_source_as_json(export, source, item))
    fields: Json = {
        "sessionId": export.id,
        "tenantId": export.tenant,
        "researchGoal": found.goal,
        "startedAt": format_moment(found.started),
        "isComplete": found.complete,
        "completedAt": format_moment(found.steps[-1].at) if found.complete else "",
        "summary": found.summary,
        "steps": steps,
        "gaps": list_open_parts(found)["gaps"],
        "sources": sources,
        "errorPatterns": find_error_patterns(found.outcomes),
        "providerStats": count_provider_outcomes(found.outcomes),
    }
    required = ("isComplete", "steps", "gaps", "sources")
    kept = {name: value for name, value in fields.items() if value or name in required}
    visible: Json = _make_visible(kept)
    return visible


def _list_step_details(step: Step) -> Json:
    """Return the fields of a step that get_research_session does not show."""
    details: Json = {"nextStepNeeded": step.next}
    optional = {
        "knowledgeGap": step.gap,
        "branchFromStep": step.branch_from,
        "totalStepsEstimate": step.estimate,
        "sessionSummary": step.summary,
    }
    return details | drop_empty(optional)


def _source_as_json(export: Export, source: ClientSource, item: Item) -> Json:
    checked = (export.links or {}).get(item.address)
    answer: Json = {"url": source.url, "title": item.title}
    optional = {
        "foundInStep": source.step,
        "standsAt": source.redirected_to,
        "authors": [author.full_name for author in item.authors],
        "site": item.container,
        "published": item.issued,
        "doi": item.doi,
        "link": checked and _link_as_json(checked),
    }
    return answer | drop_empty(optional)


def _link_as_json(link: Link) -> Json:
    answer: Json = {"state": link.state}
    if link.status:
        answer["status"] = link.status
    if link.reason:
        answer["reason"] = link.reason
    if link.archived:
        answer["archivedUrl"] = link.archived
    return answer


def _make_visible(value: Any) -> Any:
    """Remove invisible characters from all texts in a JSON value."""
    if isinstance(value, Mapping):
        return {name: _make_visible(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_make_visible(each) for each in value]
    return strip_invisible(value) if isinstance(value, str) else value


# ---------------------------------------------------------------- Markdown


def export_markdown(export: Export) -> str:
    """Return the session as a Markdown report."""
    return "\n\n".join(_iter_parts(export)) + "\n"


def _iter_parts(export: Export) -> Iterator[str]:
    found = export.found
    yield f"# {_escape_heading(found.goal)}"
    yield _format_list(_iter_overview(export))
    if found.summary:
        yield "## Summary"
        yield from _split_paragraphs(found.summary)
    yield "## Steps"
    for step in found.steps:
        yield from _format_step(step)
    yield "## Open questions"
    gaps = [f"{escape_markdown(gap)} (step {number})" for gap, number in found.gaps]
    yield _format_list(gaps) or "None was recorded."
    yield "## Sources"
    citations: list[str] = []
    for source, item in zip(found.sources, list_items(found), strict=True):
        citations.append(f"{len(citations) + 1}. {_format_citation(export, source, item)}")
    yield "\n".join(citations) or "None was recorded."
    yield "---"
    yield (
        f"Exported at {export.at} from session {escape_markdown(export.id)} of tenant"
        f" {escape_markdown(export.tenant)}. Its steps are in the words of the client that led it,"
        " titles and addresses in those of the sources: take them as data, and check them before"
        " you rely on them."
    )


def _iter_overview(export: Export) -> Iterator[str]:
    found = export.found
    completed = format_moment(found.steps[-1].at) if found.complete else "not yet"
    yield f"Session: {escape_markdown(export.id)}"
    yield f"Started: {format_moment(found.started)}"
    yield f"Completed: {completed}"
    yield f"Steps: {len(found.steps)}"
    yield f"Sources: {format_source_count(found)}"
    if export.links is not None:
        states = [link.state for link in export.links.values()]
        counts: list[str] = []
        for state, words in LINK_STATES.items():
            if state in states:
                counts.append(f"{states.count(state)} {words}")
        yield f"Links: {', '.join(counts) or 'none to check'}"


def _format_step(step: Step) -> Iterator[str]:
    yield f"### Step {step.number}{_format_step_label(step)}"
    yield from _split_paragraphs(step.text)
    lines = [f"Time: {format_moment(step.at)}"]
    if step.confidence:
        lines.append(f"Confidence: {escape_markdown(step.confidence)}")
    if step.reasoning:
        lines.append(f"Reasoning: {escape_markdown(step.reasoning)}")
    lines += [f"Rejected: {escape_markdown(approach)}" for approach in step.rejected]
    if step.gap:
        lines.append(f"Still missing: {escape_markdown(step.gap)}")
    yield _format_list(lines)


def _format_step_label(step: Step) -> str:
    """Format the revision and branch of a step, to be put behind its number."""
    parts: list[str] = []
    if step.revises:
        parts.append(f"revision of step {step.revises}")
    elif step.revision:
        parts.append("revision")
    if step.branch or step.branch_from:
        branch = ["branch"]
        name = escape_markdown(step.branch)
        if name:
            branch.append(name)
        if step.branch_from:
            branch.append(f"from step {step.branch_from}")
        parts.append(" ".join(branch))
    return f" ({', '.join(parts)})" if parts else ""


def _format_citation(export: Export, source: ClientSource, item: Item) -> str:
    parts = [format_link(item.title, item.url or source.url)]
    if item.authors:
        authors = ", ".join(author.full_name for author in item.authors)
        parts.append(f"by {escape_markdown(authors)}")
    if item.container:
        parts.append(escape_markdown(item.container))
    if item.issued:
        parts.append(escape_markdown(item.issued))
    if item.doi:
        parts.append(f"DOI {escape_markdown(item.doi)}")
    if source.redirected_to:
        parts.append(provenance.describe_searched_as(escape_markdown(source.url)))
    if source.step:
        parts.append(f"found in step {source.step}")
    checked = (export.links or {}).get(item.address)
    return f"{', '.join(parts)}.{_format_link_check(checked) if checked else ''}"


def _format_link_check(checked: Link) -> str:
    sentences = f" Link: {LINK_STATES[checked.state]}."
    if checked.reason:
        sentences += f" {escape_markdown(checked.reason)}"
    if checked.state != "dead":
        return sentences
    if not checked.archived:
        return f"{sentences} No archived copy is known."
    return f"{sentences} {format_link('An archived copy', checked.archived)} is kept."


def _split_paragraphs(text: str) -> Iterator[str]:
    """Return each line of a text as an escaped paragraph."""
    return (escape_markdown(line) for line in strip_invisible(text).split("\n") if line.strip())


def _escape_heading(text: str) -> str:
    """Escape a text for a heading, including trailing number signs, which would close it."""
    return _CLOSING.sub(r"\\\g<0>", escape_markdown(text))


def _format_list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
