"""Run a session to its end, or resume it.

An attempt runs in the caller's process: the command line's own or a worker (`workers.py`). The log
is the truth; an attempt ends with one event.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from research_core.errors import (
    APPROVAL,
    LostOwnership,
    ModelRefused,
    ResearchError,
    Stopped,
    SynthesisError,
)
from research_core.journal import store
from research_core.journal.deps import Model
from research_core.journal.doorway import Control
from research_core.journal.events import Draft, Event
from research_core.journal.http_caching import may_succeed_later
from research_core.journal.log import EventLog
from research_core.journal.store import WAITING_OUTCOME, SessionRow
from research_core.models import Principal, Report
from research_core.modes import THOROUGH_MODES
from research_core.pipeline.run import research
from research_core.policy import CHECKED, RunSettings
from research_core.sessions.session_status import check_run_by_worker, get_saved_path
from research_core.wiring import LOCAL_USER, Resources, open_log, open_session_deps

#: The outcome of a stopped attempt by reason. After any other reason it stays unfinished.
_OUTCOME_BY_STOP = {"cancel": "cancelled", APPROVAL: WAITING_OUTCOME}


@dataclass(frozen=True)
class AttemptOutcome:
    """How an attempt ended.

    outcome: done | failed | cancelled | waiting, for the analyst to approve the plan; report: only
    if done; error: in words a person can act on.
    """

    outcome: str
    report: Report | None = None
    error: ResearchError | None = None


def resume_or_run(
    resources: Resources,
    session: str,
    executor: str,
    *,
    who: Principal = LOCAL_USER,
    control: Control | None = None,
    listener: Callable[[Event], None] | None = None,
    model: Model | None = None,
    seen: SessionRow | None = None,
) -> AttemptOutcome:
    """Run a session to its end from wherever its log stands, as this executor.

    seen: begin only if the session is still in this state. Raises Stopped when this process shuts
    down or another worker has the session (it stays resumable), and StoreError if the log cannot be
    written. Every other failure ends the attempt with a `failed` event; a programming error is also
    raised.
    """
    check_run_by_worker(resources, session, who)
    row = seen or store.find_session(resources.db, who, session)
    run = RunSettings.from_json(row.settings)
    epoch = store.take_session(
        resources.db, who, session, executor, resources.clock.now(), seen=row.epoch
    )
    log = open_log(resources, who, session, epoch=epoch, listener=listener)
    _void_failures(resources, log)
    try:
        with open_session_deps(resources, log, run, who=who, control=control, model=model) as deps:
            deps.http.check_stop()
            built = research(row.question, deps)
        if run.mode in THOROUGH_MODES:
            from research_core.pipeline import report

            _save_markdown(resources, who, session, report.to_markdown(built))
    except Stopped as stop:
        outcome = _OUTCOME_BY_STOP.get(stop.why)
        if outcome is None:
            raise
        log.append(Draft("finished", {"outcome": outcome}, str(epoch)))
        return AttemptOutcome(outcome)
    except ResearchError as error:
        log.append(_build_failure(error, epoch))
        return AttemptOutcome("failed", error=error)
    except Exception as error:
        why = f"A mistake in Assay ended this run: {type(error).__name__}: {error}."
        log.append(_build_failure(ResearchError(why), epoch))
        raise
    decision = CHECKED if run.checks_report else built.decision
    log.append(Draft("finished", {"outcome": "done", "decision": decision}, str(epoch)))
    return AttemptOutcome("done", report=built)


def _void_failures(resources: Resources, log: EventLog) -> None:
    """After an ended attempt, void failed calls worth retrying and unusable text of the writer.

    A session made from another begins with this, so neither an outage nor an answer of a model that
    could not be used is inherited. What was gathered and answered stands. Failures before a stop of
    gathering stand too, because nothing is asked any more. An interrupted session has no retries,
    nor has one that waited for its plan to be approved.
    """
    ended = [
        event
        for event in log.read(kinds=("failed", "finished"))
        if event.data.get("outcome") != WAITING_OUTCOME
    ]
    begun = log.read(kinds=("created",))
    if not ended and begun:
        return
    unusable = () if begun else log.list_unusable_calls()
    gate = max((event.seq for event in log.read(kinds=("gated",))), default=0)
    stops = [event.seq for event in log.decisions() if event.data["do"] == "stop"]
    stopped = max(stops, default=0)
    is_unwritten = bool(ended) and ended[-1].data.get("type") == SynthesisError.__name__
    for key, call in log.answers().items():
        if call.seq <= stopped:
            continue
        of_writer = is_unwritten and call.seq > gate and call.data["kind"] == "model"
        if of_writer or key in unusable or may_succeed_later(call.data):
            log.void(key)
            resources.services.close_failed()


def _build_failure(error: ResearchError, epoch: int) -> Draft:
    data = {"error": error.message, "next_step": error.next_step, "type": type(error).__name__}
    if isinstance(error, ModelRefused):
        data["role"] = error.role
    return Draft("failed", data, str(epoch))


def give_up(
    resources: Resources,
    session: str,
    error: ResearchError,
    executor: str,
    *,
    who: Principal = LOCAL_USER,
) -> None:
    """End an attempt at once as failed, if it could not begin or record its own failure.

    Raises LostOwnership if another worker has the session by now, and StoreError.
    """
    row = store.find_session(resources.db, who, session)
    if row.executor not in (None, executor):
        raise LostOwnership
    epoch = store.take_session(
        resources.db, who, session, executor, resources.clock.now(), seen=row.epoch
    )
    open_log(resources, who, session, epoch=epoch).append(_build_failure(error, epoch))


def _save_markdown(resources: Resources, who: Principal, session: str, markdown: str) -> None:
    """Save the Markdown in ASSAY_HOME/reports; keep nothing if the session was erased meanwhile."""
    path = get_saved_path(resources, session)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(markdown, encoding="utf-8")
        # An erasure removes the row before the file, so one of the two sees the other.
        if not store.session_exists(resources.db, who, session):
            path.unlink(missing_ok=True)
    except OSError as error:
        step = f"The report is stored; `assay export {session}` writes it elsewhere."
        raise ResearchError(
            f"{path} cannot be written: {error.strerror}.", next_step=step
        ) from error
