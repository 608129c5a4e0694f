"""Run one research: plan, search, score, fetch, summarize, gate, write, verify, report.

`gather` does the first five steps together, `finish` the last three. Each is imported when it
begins, so that the first call leaves early. An old log is never folded here: the journal answers
the calls of an earlier attempt, and everything else is derived again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module

from research_core.decisions import gate as decide
from research_core.decisions.view import RunView, fold_run_so_far
from research_core.i18n import use_language
from research_core.journal.deps import Deps
from research_core.journal.events import Draft
from research_core.journal.rule_versions import RELEASE, RULE_VERSIONS
from research_core.models import Report
from research_core.modes import ResearchMode
from research_core.pipeline import later_modules
from research_core.policy import AUDIT_STRATEGY
from research_core.text.languages import name_language
from research_core.text.question import clean_question

Gathering = Callable[[str, ResearchMode, Deps], None]
#: The modules whose `gather` gathers the sources, by strategy.
GATHER_BY_STRATEGY = {
    "planned": "research_core.pipeline.gather",
    "agentic": "research_core.pipeline.gather_agentic",
    AUDIT_STRATEGY: "research_core.pipeline.audit_run",
}


def research(
    question: str,
    deps: Deps,
    *,
    gather: Gathering | None = None,
    mode: ResearchMode | None = None,
) -> Report:
    """Answer a question under `deps.run`; everything that happens is written to `deps.log`.

    gather: how to gather sources; by default the run's strategy decides. mode: by default the one
    that the run's settings name. Raises UsageError for a
    bad question, SynthesisError or CapReached if the report cannot be written, StoreError and
    Stopped.
    """
    question = clean_question(question)
    run = _record_created(question, deps)
    later_modules.start_loading(deps)
    with use_language(run.language):
        (gather or find_gathering(deps.run.strategy))(question, mode or run.mode, deps)
        gathered = fold_run_so_far(deps)
        _record_gate(gathered, deps)
        if gathered.settings.checks_report:
            from research_core.pipeline.audit_text import write_audit

            return write_audit(deps)
        from research_core.pipeline.finish import write_and_verify

        return write_and_verify(deps, mode)


def find_gathering(strategy: str) -> Gathering:
    """Return the function that gathers the sources under a strategy."""
    gathering: Gathering = import_module(GATHER_BY_STRATEGY[strategy]).gather
    return gathering


def _record_created(question: str, deps: Deps) -> RunView:
    data = {
        "question": question,
        "settings": deps.run.to_json(),
        "session": deps.log.session,
        "version": RELEASE,
        "rules": RULE_VERSIONS,
        **name_language(_choose_language_sample(question, deps), deps.run.follows),
    }
    deps.log.append(Draft("created", data, "created"))
    return fold_run_so_far(deps)


def _choose_language_sample(question: str, deps: Deps) -> str:
    """Return the text whose language the report has: the question, or that of a checked report."""
    if not deps.run.checks_report:
        return question
    from research_core.pipeline.audit_run import read_given

    return str(read_given(deps).get("sample", question))


def _record_gate(run: RunView, deps: Deps) -> None:
    """Decide once, after all passes; everything later reads the recorded decision."""
    gate = decide.decide_gate(run)
    verdicts = [asdict(verdict) for verdict in gate.verdicts]
    deps.log.append(
        Draft("gated", {**asdict(gate), "kept": list(gate.kept), "verdicts": verdicts}, "gated")
    )
