"""Store new sessions: on a question, as a rewrite of another session, or as a follow-up."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import UTC, datetime

from research_core.decisions import gate as decide
from research_core.decisions.view import fold_events
from research_core.errors import UsageError
from research_core.journal import session_admin, store
from research_core.journal.events import VISIBLE_KINDS, drop_voided
from research_core.models import Principal
from research_core.modes import ResearchMode
from research_core.pipeline.approved_plan import find_approved_plan
from research_core.policy import (
    LIBRARY_ENGINE,
    OFFLINE_MODEL,
    SESSION_ENGINE,
    WORDS_ALONE,
    ApprovedPlan,
    CredibilityPolicy,
    RunSettings,
)
from research_core.sessions.session_control import (
    check_address,
    list_instructions,
    normalize_instructions,
)
from research_core.text.question import check_instructions, clean_question
from research_core.trust.ratings import store as ratings
from research_core.userdata import overrides
from research_core.wiring import LOCAL_USER, Resources, open_log


def new_session(
    resources: Resources, question: str, run: RunSettings, *, who: Principal = LOCAL_USER
) -> str:
    """Check question and settings, store the session and return its id (128 random bits).

    Raises UsageError.
    """
    question = clean_question(question)
    run = _check_settings(run)
    run = fix_surroundings(resources, run, who)
    check_instructions(run.instructions, by_model=run.writing_model != OFFLINE_MODEL)
    session = uuid.uuid4().hex
    store.create_session(resources.db, who, session, question, run.to_json(), resources.clock.now())
    return session


def fix_surroundings(resources: Resources, run: RunSettings, who: Principal) -> RunSettings:
    """Return the settings with what the run takes from this machine, this user and this day."""
    embedding_model = "" if resources.embedder.why else resources.embedder.name
    meaning = ""
    if LIBRARY_ENGINE in run.engines:
        meaning = resources.library(who).choose_embedding_model(run.library)
    # What the run takes from this machine and this user becomes part of it, so that every replay
    # and resume decides as the first attempt did.
    return replace(
        run,
        fallbacks=resources.settings.fallbacks,
        sites=resources.settings.sites,
        meaning=meaning,
        judging=embedding_model if OFFLINE_MODEL in run.models else "",
        passage_model=embedding_model or WORDS_ALONE,
        ratings=tuple(each.mark for each in ratings.read_lists(resources.db, who)),
        credibility=_add_host_overrides(resources, run, who),
        asked_on=_format_day(resources.clock.now()),
    )


def _format_day(seconds: float) -> str:
    """Return the day of a time in UTC, as 2026-11-26. seconds: since the epoch."""
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def _add_host_overrides(
    resources: Resources, run: RunSettings, who: Principal
) -> CredibilityPolicy:
    """Return the policy with the user's overrides of hosts, and over them those of this run."""
    by_host = {override.host: override for override in overrides.list_overrides(resources.db, who)}
    by_host |= {override.host: override for override in run.credibility.overrides}
    return replace(run.credibility, overrides=tuple(by_host[host] for host in sorted(by_host)))


def _check_settings(run: RunSettings) -> RunSettings:
    """Return the settings with normalized texts. Raises UsageError for unusable ones."""
    ResearchMode.from_name(
        run.mode,
        sources=run.sources,
        relevance_cutoff=run.relevance_cutoff,
        min_full=run.min_full,
        min_short=run.min_short,
    )
    approved = tuple(dict.fromkeys(map(check_address, run.approved)))
    struck = tuple(dict.fromkeys(map(check_address, run.struck)))
    both = set(approved) & set(struck)
    if both:
        raise UsageError(
            f"{min(both)} is both included and excluded.", next_step="Choose one of the two."
        )
    instructions = normalize_instructions(run.instructions)
    return replace(run, approved=approved, struck=struck, instructions=instructions)


def rewrite(
    resources: Resources, session: str, run: RunSettings, *, who: Principal = LOCAL_USER
) -> str:
    """Start a new session on the same question under other settings and return its id.

    Answered calls of the old session are not repeated. Only sources in the settings are approved or
    struck (start from `gate.merge_manual_decisions`); instructions given to the old session are
    kept, and so are its title and a plan that was approved there. Raises UsageError.
    """
    row = store.find_session(resources.db, who, session)
    old = RunSettings.from_json(row.settings)
    log = open_log(resources, who, session)
    given = list_instructions(log)
    known = {*old.instructions, *given}
    added = [text for text in run.instructions if text not in known]
    check_instructions(added, by_model=run.writing_model != OFFLINE_MODEL)
    # The same day in its prompts lets the new session find the calls of the old one.
    instructions = (*run.instructions, *given)
    changed = replace(
        run,
        instructions=instructions,
        asked_on=old.asked_on,
        approved_plan=old.approved_plan or find_approved_plan(log),
    )
    settings = _check_settings(changed.rewriting(old))
    new = uuid.uuid4().hex
    log.fork(new, settings.to_json())
    if row.title:
        session_admin.rename_session(resources.db, who, new, row.title)
    return new


def follow_up(
    resources: Resources,
    session: str,
    question: str,
    run: RunSettings | None = None,
    *,
    who: Principal = LOCAL_USER,
) -> str:
    """Start a new session on another question from the pages this one read; return its id.

    It inherits the calls. run: by default the session's settings with its approved and struck
    sources, without its instructions. Raises UsageError.
    """
    question = clean_question(question)
    row = store.find_session(resources.db, who, session)
    log = open_log(resources, who, session)
    view = replace(
        fold_events(drop_voided(log.read(kinds=VISIBLE_KINDS))),
        question=row.question,
        settings=RunSettings.from_json(row.settings),
    )
    run = run or replace(decide.merge_manual_decisions(view), instructions=())
    engines = (SESSION_ENGINE, *(name for name in run.engines if name != SESSION_ENGINE))
    asked_on = _format_day(resources.clock.now())
    settings = _check_settings(
        replace(
            run,
            engines=engines,
            follows=view.asked,
            after=session,
            asked_on=asked_on,
            approved_plan=ApprovedPlan(),
            first_minimum=0.0,
        )
    )
    new = uuid.uuid4().hex
    log.fork(new, settings.to_json(), question=question)
    return new
