"""Judge the dropped pages of a run again, by its question as the search results spell its words.

A page is judged when it is read, before all results are known, by the words of that page alone.
Only where the offline model judges. What is read otherwise is recorded, so that a replay by later
rules reads the same; the report says it if a page is kept for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from research_core.decisions.gate import passes_cutoff
from research_core.decisions.view import SourceView, fold_run_so_far
from research_core.errors import CallForbidden, CapReached
from research_core.i18n import _, join_sentences
from research_core.journal.deps import Deps
from research_core.journal.rule_versions import read_rules, runs_under
from research_core.model_messages import Json
from research_core.models import Judgement, Summary
from research_core.modes import ResearchMode
from research_core.pipeline.prompts import PromptContext
from research_core.pipeline.relevance import score_source
from research_core.policy import OFFLINE_MODEL
from research_core.text.question_spelling import SpelledQuestion, spell_by_results
from research_core.text.sentence_meaning import knows_language

#: The version of the rules of scoring from which dropped pages are judged again.
SINCE_VERSION = 7


def judge_dropped(
    question: str,
    dropped: Sequence[Summary],
    mode: ResearchMode,
    deps: Deps,
    prompting: PromptContext = PromptContext(),
) -> tuple[Json, list[Json]]:
    """Return {note, spelled} of the question as read again, and judgements of pages that now pass.

    Both are empty if it reads the same, if no page passes and no library was searched for the words
    as they are read, or if a cap leaves no call.
    """
    by_offline_model = deps.run.judging_model == OFFLINE_MODEL
    is_known = runs_under(read_rules(deps.log), "scoring", SINCE_VERSION)
    if not (by_offline_model and is_known and knows_language(question)):
        return {}, []
    respelled = _collect_respelled(deps)
    if not (dropped or respelled):
        return {}, []
    try:
        spelled = _spell(question, respelled, deps)
        if not spelled.slips:
            return {}, []
        judged = [score_source(spelled.text, each, deps.model, prompting) for each in dropped]
    except (CapReached, CallForbidden):
        return {}, []
    passing = [each for each in judged if passes_cutoff(Judgement.from_json(each), mode)]
    if not (passing or any(written.lower() in respelled for written, _read in spelled.slips)):
        return {}, []
    return {"note": _describe(spelled), "spelled": spelled.text}, passing


def _collect_respelled(deps: Deps) -> dict[str, str]:
    """Return each word that a library lacks, in lower case -> as what it was searched for."""
    return {
        written.lower(): read
        for outcome in fold_run_so_far(deps).outcomes
        for written, read in outcome.get("spelled", ())
    }


def _spell(question: str, respelled: Mapping[str, str], deps: Deps) -> SpelledQuestion:
    """Return the question by what was found and read, as recorded."""

    def look() -> Json:
        sources = fold_run_so_far(deps).sources.values()
        results = [_join_listings(source) for source in sources]
        passages = [passage.text for source in sources for passage in source.passages]
        spelled = spell_by_results(question, results, passages, respelled)
        return {"text": spelled.text, "slips": [list(slip) for slip in spelled.slips]}

    asked = {"asked": "the question as its search results spell it", "question": question}
    recorded = deps.http.record_fact(asked, look)
    return SpelledQuestion(
        recorded["text"], tuple((written, read) for written, read in recorded["slips"])
    )


def _join_listings(source: SourceView) -> str:
    """Return the titles and snippets by which searches listed a source."""
    return "\n".join(dict.fromkeys(f"{each.title} {each.snippet}" for each in source.listings))


def _describe(spelled: SpelledQuestion) -> str:
    """Return which words of the question were read as others, in sentences."""
    slip = _("“{written}” was read as “{read}”.")
    return join_sentences(
        [slip.format(written=written, read=read) for written, read in spelled.slips]
    )
