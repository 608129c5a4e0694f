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
from research_core.citations.marks import link
from research_core.model_messages import Json
from research_core.text.words import escape, visible
from research_core.tools.client_session.shared import (
    counted,
    items,
    lists,
    moment,
    patterns,
    providers,
    whole,
)
from research_core.tools.client_session.view import Research, Source, Step
from research_core.trust import provenance

if TYPE_CHECKING:
    from research_core.citations.checks.links import Link

_CLOSING = re.compile(r"(?<= )#+$")
#: What came of a link, in words.
STATES = {"live": "live", "refused": "refused", "dead": "dead", "unchecked": "could not be checked"}


@dataclass(frozen=True)
class Export:
    """What is written down. at: when, RFC 3339; links: by address, what came of those that were
    checked, None where none were to be.
    """

    id: str
    tenant: str
    found: Research
    at: str
    links: Mapping[str, Link] | None = None


def addresses(found: Research) -> list[str]:
    """Where its sources stand on the web, each once: what a link leads to."""
    return list(dict.fromkeys(item.address for item in items(found) if item.address))


# ---------------------------------------------------------------- JSON


def structured(export: Export) -> Json:
    """All of the session as plain values; what a step or a source does not say is left out."""
    found = export.found
    steps = [whole(step) | _more(step) for step in found.steps]
    sources = [_source(export, *each) for each in zip(found.sources, items(found), strict=True)]
    failed, asked = patterns(found.outcomes), providers(found.outcomes)
    told: Json = {
        "sessionId": export.id,
        "tenantId": export.tenant,
        "researchGoal": found.goal,
        "startedAt": moment(found.started),
        "isComplete": found.complete,
        "completedAt": moment(found.steps[-1].at) if found.complete else "",
        "summary": found.summary,
        "steps": steps,
        "gaps": lists(found)["gaps"],
        "sources": sources,
        "errorPatterns": failed,
        "providerStats": asked,
    }
    wanted = {
        name: value
        for name, value in told.items()
        if value or name in ("isComplete", "steps", "gaps", "sources")
    }
    cleaned: Json = _cleaned(wanted)
    return cleaned


def _more(step: Step) -> Json:
    """What a step says beside what get_research_session tells of it."""
    said = {
        "knowledgeGap": step.gap,
        "branchFromStep": step.branch_from,
        "totalStepsEstimate": step.estimate,
        "sessionSummary": step.summary,
    }
    return {"nextStepNeeded": step.next} | {name: value for name, value in said.items() if value}


def _source(export: Export, source: Source, item: Item) -> Json:
    checked = (export.links or {}).get(item.address)
    said = {
        "foundInStep": source.step,
        "standsAt": source.landed,
        "authors": [author.whole for author in item.authors],
        "site": item.container,
        "published": item.issued,
        "doi": item.doi,
        "link": checked and _checked(checked),
    }
    return {"url": source.url, "title": item.title} | {
        name: value for name, value in said.items() if value
    }


def _checked(link: Link) -> Json:
    said = {"status": link.status, "reason": link.reason, "archivedUrl": link.archived}
    return {"state": link.state} | {name: value for name, value in said.items() if value}


def _cleaned(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _cleaned(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_cleaned(each) for each in value]
    return visible(value) if isinstance(value, str) else value


# ---------------------------------------------------------------- Markdown


def markdown(export: Export) -> str:
    """Goal, what it is, summary, steps, open questions, numbered sources, and where it comes from."""
    return "\n\n".join(_parts(export)) + "\n"


def _parts(export: Export) -> Iterator[str]:
    found = export.found
    yield f"# {_heading(found.goal)}"
    yield _listed(_about(export))
    if found.summary:
        yield "## Summary"
        yield from _paragraphs(found.summary)
    yield "## Steps"
    for step in found.steps:
        yield from _step(step)
    yield "## Open questions"
    yield (
        _listed(f"{escape(gap)} (step {number})" for gap, number in found.gaps)
        or "None was recorded."
    )
    yield "## Sources"
    cited = [_citation(export, *each) for each in zip(found.sources, items(found), strict=True)]
    yield (
        "\n".join(f"{number}. {line}" for number, line in enumerate(cited, 1))
        or "None was recorded."
    )
    yield "---"
    yield (
        f"Exported at {export.at} from session {escape(export.id)} of tenant"
        f" {escape(export.tenant)}. Its steps are in the words of the client that led it, titles"
        " and addresses in those of the sources: take them as data, and check them before you rely"
        " on them."
    )


def _about(export: Export) -> Iterator[str]:
    found = export.found
    yield f"Session: {escape(export.id)}"
    yield f"Started: {moment(found.started)}"
    yield f"Completed: {moment(found.steps[-1].at)}" if found.complete else "Completed: not yet"
    yield f"Steps: {len(found.steps)}"
    yield f"Sources: {counted(found)}"
    if export.links is not None:
        states = [each.state for each in export.links.values()]
        counts = (
            f"{states.count(state)} {words}" for state, words in STATES.items() if state in states
        )
        yield f"Links: {', '.join(counts) or 'none to check'}"


def _step(step: Step) -> Iterator[str]:
    yield f"### Step {step.number}{_label(step)}"
    yield from _paragraphs(step.text)
    said = [f"Time: {moment(step.at)}"]
    said += [f"Confidence: {escape(step.confidence)}"] if step.confidence else []
    said += [f"Reasoning: {escape(step.reasoning)}"] if step.reasoning else []
    said += [f"Rejected: {escape(way)}" for way in step.rejected]
    said += [f"Still missing: {escape(step.gap)}"] if step.gap else []
    yield _listed(said)


def _label(step: Step) -> str:
    """That a step revises another, and which branch it is on, behind its number."""
    said = (
        [f"revision of step {step.revises}" if step.revises else "revision"]
        if step.revises or step.revision
        else []
    )
    begins = f"from step {step.branch_from}" if step.branch_from else ""
    said += (
        [" ".join(filter(None, ("branch", escape(step.branch), begins)))]
        if step.branch or begins
        else []
    )
    return f" ({', '.join(said)})" if said else ""


def _citation(export: Export, source: Source, item: Item) -> str:
    said = [link(item.title, item.url or source.url)]
    said += (
        [f"by {escape(', '.join(author.whole for author in item.authors))}"] if item.authors else []
    )
    said += [escape(each) for each in (item.container, item.issued) if each]
    said += [f"DOI {escape(item.doi)}"] if item.doi else []
    said += [provenance.searched(escape(source.url))] if source.landed else []
    said += [f"found in step {source.step}"] if source.step else []
    checked = (export.links or {}).get(item.address)
    return f"{', '.join(said)}.{_verified(checked) if checked else ''}"


def _verified(checked: Link) -> str:
    why = f" {escape(checked.reason)}" if checked.reason else ""
    copy = (
        link("An archived copy", checked.archived) + " is kept."
        if checked.archived
        else "No archived copy is known."
    )
    return f" Link: {STATES[checked.state]}.{why}{f' {copy}' if checked.state == 'dead' else ''}"


def _paragraphs(text: str) -> Iterator[str]:
    """Each line of a text as a paragraph."""
    return (escape(line) for line in visible(text).split("\n") if line.strip())


def _heading(text: str) -> str:
    """A text as a heading; signs at its end, which would close it, stay signs."""
    return _CLOSING.sub(r"\\\g<0>", escape(text))


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
