"""A session that a client led, as a document to share: Markdown for readers, or all of it as JSON
for programs.

A function of the session and of what came of its links alone: nobody is asked here. Every text was
written by a model or found on the web, so each is cleaned, and escaped in Markdown, where it can be
neither heading nor list, image nor link.
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
from research_core.tools.client_session.shared import (
    count_provider_outcomes,
    find_error_patterns,
    format_moment,
    format_source_count,
    list_items,
    list_open_parts,
    step_as_json,
)
from research_core.tools.client_session.view import ClientResearch, Source, Step
from research_core.trust import provenance

if TYPE_CHECKING:
    from research_core.citations.checks.links import Link

_CLOSING = re.compile(r"(?<= )#+$")
#: What came of a link, in words.
LINK_STATES = {
    "live": "live",
    "refused": "refused",
    "dead": "dead",
    "unchecked": "could not be checked",
}


@dataclass(frozen=True)
class Export:
    """What is written down. at: when, RFC 3339; links: by address, what came of those that were
    checked, None where none were to be.
    """

    id: str
    tenant: str
    found: ClientResearch
    at: str
    links: Mapping[str, Link] | None = None


def list_addresses(found: ClientResearch) -> list[str]:
    """Where its sources stand on the web, each once: what a link leads to."""
    return list(dict.fromkeys(item.address for item in list_items(found) if item.address))


# ---------------------------------------------------------------- JSON


def export_json(export: Export) -> Json:
    """All of the session as plain values; what a step or a source does not say is left out."""
    found = export.found
    steps = [step_as_json(step) | _list_step_details(step) for step in found.steps]
    sources = [
        _source_as_json(export, *each)
        for each in zip(found.sources, list_items(found), strict=True)
    ]
    failed, asked = find_error_patterns(found.outcomes), count_provider_outcomes(found.outcomes)
    told: Json = {
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
        "errorPatterns": failed,
        "providerStats": asked,
    }
    wanted = {
        name: value
        for name, value in told.items()
        if value or name in ("isComplete", "steps", "gaps", "sources")
    }
    cleaned: Json = _make_visible(wanted)
    return cleaned


def _list_step_details(step: Step) -> Json:
    """What a step says beside what get_research_session tells of it."""
    said = {
        "knowledgeGap": step.gap,
        "branchFromStep": step.branch_from,
        "totalStepsEstimate": step.estimate,
        "sessionSummary": step.summary,
    }
    return {"nextStepNeeded": step.next} | {name: value for name, value in said.items() if value}


def _source_as_json(export: Export, source: Source, item: Item) -> Json:
    checked = (export.links or {}).get(item.address)
    said = {
        "foundInStep": source.step,
        "standsAt": source.landed,
        "authors": [author.whole for author in item.authors],
        "site": item.container,
        "published": item.issued,
        "doi": item.doi,
        "link": checked and _link_as_json(checked),
    }
    return {"url": source.url, "title": item.title} | {
        name: value for name, value in said.items() if value
    }


def _link_as_json(link: Link) -> Json:
    said = {"status": link.status, "reason": link.reason, "archivedUrl": link.archived}
    return {"state": link.state} | {name: value for name, value in said.items() if value}


def _make_visible(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _make_visible(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_make_visible(each) for each in value]
    return strip_invisible(value) if isinstance(value, str) else value


# ---------------------------------------------------------------- Markdown


def export_markdown(export: Export) -> str:
    """Goal, what it is, summary, steps, open questions, numbered sources, and where it comes from."""
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
    yield (
        _format_list(f"{escape_markdown(gap)} (step {number})" for gap, number in found.gaps)
        or "None was recorded."
    )
    yield "## Sources"
    cited = [
        _format_citation(export, *each)
        for each in zip(found.sources, list_items(found), strict=True)
    ]
    yield (
        "\n".join(f"{number}. {line}" for number, line in enumerate(cited, 1))
        or "None was recorded."
    )
    yield "---"
    yield (
        f"Exported at {export.at} from session {escape_markdown(export.id)} of tenant"
        f" {escape_markdown(export.tenant)}. Its steps are in the words of the client that led it, titles"
        " and addresses in those of the sources: take them as data, and check them before you rely"
        " on them."
    )


def _iter_overview(export: Export) -> Iterator[str]:
    found = export.found
    yield f"Session: {escape_markdown(export.id)}"
    yield f"Started: {format_moment(found.started)}"
    yield (
        f"Completed: {format_moment(found.steps[-1].at)}"
        if found.complete
        else "Completed: not yet"
    )
    yield f"Steps: {len(found.steps)}"
    yield f"Sources: {format_source_count(found)}"
    if export.links is not None:
        states = [each.state for each in export.links.values()]
        counts = (
            f"{states.count(state)} {words}"
            for state, words in LINK_STATES.items()
            if state in states
        )
        yield f"Links: {', '.join(counts) or 'none to check'}"


def _format_step(step: Step) -> Iterator[str]:
    yield f"### Step {step.number}{_format_step_label(step)}"
    yield from _split_paragraphs(step.text)
    said = [f"Time: {format_moment(step.at)}"]
    said += [f"Confidence: {escape_markdown(step.confidence)}"] if step.confidence else []
    said += [f"Reasoning: {escape_markdown(step.reasoning)}"] if step.reasoning else []
    said += [f"Rejected: {escape_markdown(way)}" for way in step.rejected]
    said += [f"Still missing: {escape_markdown(step.gap)}"] if step.gap else []
    yield _format_list(said)


def _format_step_label(step: Step) -> str:
    """That a step revises another, and which branch it is on, behind its number."""
    said = (
        [f"revision of step {step.revises}" if step.revises else "revision"]
        if step.revises or step.revision
        else []
    )
    begins = f"from step {step.branch_from}" if step.branch_from else ""
    said += (
        [" ".join(filter(None, ("branch", escape_markdown(step.branch), begins)))]
        if step.branch or begins
        else []
    )
    return f" ({', '.join(said)})" if said else ""


def _format_citation(export: Export, source: Source, item: Item) -> str:
    said = [format_link(item.title, item.url or source.url)]
    said += (
        [f"by {escape_markdown(', '.join(author.whole for author in item.authors))}"]
        if item.authors
        else []
    )
    said += [escape_markdown(each) for each in (item.container, item.issued) if each]
    said += [f"DOI {escape_markdown(item.doi)}"] if item.doi else []
    said += [provenance.describe_searched_as(escape_markdown(source.url))] if source.landed else []
    said += [f"found in step {source.step}"] if source.step else []
    checked = (export.links or {}).get(item.address)
    return f"{', '.join(said)}.{_format_link_check(checked) if checked else ''}"


def _format_link_check(checked: Link) -> str:
    why = f" {escape_markdown(checked.reason)}" if checked.reason else ""
    copy = (
        format_link("An archived copy", checked.archived) + " is kept."
        if checked.archived
        else "No archived copy is known."
    )
    return (
        f" Link: {LINK_STATES[checked.state]}.{why}{f' {copy}' if checked.state == 'dead' else ''}"
    )


def _split_paragraphs(text: str) -> Iterator[str]:
    """Each line of a text as a paragraph."""
    return (escape_markdown(line) for line in strip_invisible(text).split("\n") if line.strip())


def _escape_heading(text: str) -> str:
    """A text as a heading; signs at its end, which would close it, stay signs."""
    return _CLOSING.sub(r"\\\g<0>", escape_markdown(text))


def _format_list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
