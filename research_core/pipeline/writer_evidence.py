"""Collect the facts on sources, and the differences between them, for the writer's prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from research_core.decisions.gate import Gate
from research_core.decisions.report_sources import list_sources
from research_core.decisions.view import RunView
from research_core.journal.deps import Deps
from research_core.model_messages import Json
from research_core.models import ReportSource
from research_core.pipeline.contradictions import compare_kept_sources, contradictions_to_json
from research_core.pipeline.prompts import CONTEXT_VERSION, GENERAL_TYPE, PromptContext
from research_core.pipeline.synthesize import NO_EVIDENCE, Evidence, SourceFacts
from research_core.policy import OFFLINE_MODEL
from research_core.text.words import truncate
from research_core.urls import find_host, is_own_document

#: Conflicts that the writer sees, claims of each, and characters of a quoted sentence.
MAX_CONFLICTS = 6
MAX_CLAIMS = 4
MAX_SENTENCE_LENGTH = 240
#: Authors that are named.
MAX_AUTHORS = 3
#: The types of document by which a page presents itself, in words.
DOCUMENT_TYPES = {
    "peer_reviewed": "peer-reviewed publication",
    "official_docs": "official documentation",
    "government": "government publication",
    "news_publication": "news article",
    "blog": "blog",
    "forum": "forum",
    "wiki": "wiki",
    "social_media": "social media",
}
#: The types of question that a plan names, as `question_types` names them.
TYPES_OF_PLAN = {
    "comparison": "comparison",
    "quantity": "how much",
    "guidance": "how to",
    "explanation": "explanation",
}


def refine_question_type(prompting: PromptContext, plan: Mapping[str, Any]) -> PromptContext:
    """Return the context with the plan's type of question where the question's words show none."""
    if prompting.question_type != GENERAL_TYPE:
        return prompting
    return replace(prompting, question_type=TYPES_OF_PLAN.get(str(plan.get("type")), GENERAL_TYPE))


def collect_facts(run: RunView, gate: Gate, deps: Deps, prompting: PromptContext) -> Evidence:
    """Return what is known of the kept sources, without where they differ.

    Nothing where no language model writes, or its prompt has no place for it.
    """
    if deps.run.writing_model == OFFLINE_MODEL or prompting.version < CONTEXT_VERSION:
        return NO_EVIDENCE
    return Evidence({source.url: describe_source(source) for source in _list_kept(run, gate)})


def add_conflicts(evidence: Evidence, run: RunView, gate: Gate, deps: Deps) -> Evidence:
    """Add the conflicts between the kept sources to the evidence, unless it has no facts."""
    if not evidence.facts:
        return evidence
    conflicts = _find_conflicts(run.asked, _list_kept(run, gate), deps)
    return replace(evidence, conflicts=tuple(map(format_conflict, conflicts)))


def _list_kept(run: RunView, gate: Gate) -> list[ReportSource]:
    kept = [source for source in list_sources(run, gate) if source.number]
    return sorted(kept, key=lambda source: source.number)


def describe_source(source: ReportSource) -> SourceFacts:
    """Return the facts on a source for the writer's prompt."""
    about = source.metadata
    own = is_own_document(source.url)
    authors = ", ".join(about.authors[:MAX_AUTHORS])
    if len(about.authors) > MAX_AUTHORS:
        authors += " and others"
    kinds = [source.parts.kind if source.parts else "", DOCUMENT_TYPES.get(about.type, "")]
    judgement = source.relevance
    return SourceFacts(
        number=source.number,
        host=find_host(source.address),
        author=authors,
        published=source.published,
        kind=", ".join(dict.fromkeys(filter(None, kinds))),
        credibility=source.parts.score if source.parts else None,
        tier=source.parts.tier if source.parts else "",
        relevance=judgement.score if judgement and judgement.scored else None,
        copy_of=source.copy_of,
        retracted=about.retracted,
        own=own,
    )


def _find_conflicts(question: str, sources: Sequence[ReportSource], deps: Deps) -> list[Json]:
    """Return where the sources differ, as plain values.

    It is recorded: how it is found may change, and a replay must ask what the run asked.
    """
    passages = [[passage.id for passage in source.passages] for source in sources]
    asked = {"asked": "where sources differ", "question": question, "passages": passages}

    def look() -> list[Json]:
        return contradictions_to_json(compare_kept_sources(question, sources).contradictions)

    return list(deps.http.record_fact(asked, look))[:MAX_CONFLICTS]


def format_conflict(conflict: Json) -> str:
    """Return a conflict as lines: what it is about, and what each source says."""
    head = f"{conflict['about']}: {conflict['kind']}"
    if conflict["why"]:
        head += f" ({conflict['why']})"
    lines = [head]
    for claim in conflict["claims"][:MAX_CLAIMS]:
        sentence = truncate(" ".join(claim["sentence"].split()), MAX_SENTENCE_LENGTH)
        lines.append(
            f"- source {claim['source']} [{claim['passage']}]: {claim['value']}: {sentence}"
        )
    return "\n".join(lines)
