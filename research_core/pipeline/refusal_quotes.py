"""Quote the few relevant sources of a run that has too few of them for a report.

The sentences are chosen as in the extractive report, whichever model the run uses, and are cited
and checked like those of a report. What was chosen by meaning is recorded, so that a replay needs
no embedding model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

from research_core.decisions.gate import Gate
from research_core.decisions.view import RunView
from research_core.i18n import _, ngettext
from research_core.journal.deps import Deps
from research_core.journal.events import canonical_json
from research_core.journal.rule_versions import runs_under
from research_core.model_messages import Json

#: How sentences are chosen, part of the key of the recorded choice: the number for sessions that
#: began under at least this version of the rules of scoring. Add a row when it changes.
CHOICE_VERSIONS = {3: 1, 5: 2, 6: 3}
#: The version of the rules of scoring from which a refusal quotes the sources that were kept.
QUOTES_VERSION = 3
MAX_SENTENCES = 3
REASON = "too few relevant sources"


def quote_kept_sources(run: RunView, gate: Gate, deps: Deps) -> str:
    """Return what the kept sources of a refused run say as Markdown with marks, or "".

    Copies of another source and sources that could not be judged are not quoted.
    """
    kept = _list_relevant(run, gate)
    if gate.reason != REASON or not kept:
        return ""
    asked = " ".join([run.asked_as_spelled, *run.instructions])
    bullets = _choose_bullets(asked, kept, run.rules, deps)
    if not bullets:
        return ""
    quoted = _count_quoted(kept, bullets)
    return f"{_format_lead(quoted, len(kept))}\n\n" + "\n".join(bullets)


def _list_relevant(run: RunView, gate: Gate) -> list[Json]:
    relevant = []
    for verdict in gate.verdicts:
        source = run.sources[verdict.url]
        judged = source.judgement is not None and source.judgement.scored
        if verdict.status != "kept" or verdict.copy_of or not judged or not source.passages:
            continue
        passages = [{"id": passage.id, "text": passage.text} for passage in source.passages]
        relevant.append({"title": source.title, "passages": passages})
    return relevant


def _choose_bullets(
    asked: str, sources: Sequence[Json], rules: Mapping[str, int | str], deps: Deps
) -> list[str]:
    from research_core.llm.offline_writer import quote_few_sources

    if not deps.run.chooses_by_meaning:
        return quote_few_sources(asked, sources, MAX_SENTENCES)
    chosen: Json = {
        "asked": "sentences quoted without a report",
        "question": asked,
        "sources": sha256(
            canonical_json(list(sources)).encode("utf-8", "surrogatepass")
        ).hexdigest(),
        "model": deps.run.passage_model,
        "version": _find_choice_version(rules),
    }
    return list(
        deps.http.record_fact(
            chosen, lambda: quote_few_sources(asked, sources, MAX_SENTENCES, deps.embedder)
        )
    )


def _find_choice_version(rules: Mapping[str, int | str]) -> int:
    version = 1
    for since, number in CHOICE_VERSIONS.items():
        if runs_under(rules, "scoring", since):
            version = number
    return version


def _count_quoted(sources: Sequence[Json], bullets: Sequence[str]) -> int:
    """Return how many sources have a passage that a bullet cites."""
    return sum(
        any(f"[{passage['id']}]" in bullet for passage in source["passages"] for bullet in bullets)
        for source in sources
    )


def _format_lead(quoted: int, relevant: int) -> str:
    """Format what is quoted; quoted, relevant: how many sources are."""
    if relevant == 1:
        return _(
            "**What the one relevant source says.** This is not a report: no second source confirms"
            " it."
        )
    if quoted < relevant:
        return ngettext(
            "**What {quoted} of the {relevant} relevant sources says.** This is not a report: it"
            " has too few sources.",
            "**What {quoted} of the {relevant} relevant sources say.** This is not a report: it has"
            " too few sources.",
            quoted,
        ).format(quoted=quoted, relevant=relevant)
    return ngettext(
        "**What the {relevant} relevant source says.** This is not a report: it has too few"
        " sources.",
        "**What the {relevant} relevant sources say.** This is not a report: it has too few"
        " sources.",
        relevant,
    ).format(relevant=relevant)
