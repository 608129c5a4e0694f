"""Start, run, resume, cancel, steer and list sessions.

An attempt runs in the caller's process: the command line's own or a worker (`workers.py`). The log
is the truth; this module begins an attempt, ends it with one event and reports how a session
stands.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from research_core.decisions import gate as decide
from research_core.decisions.view import MANUAL_DECISIONS, fold_events
from research_core.errors import (
    LostOwnership,
    ResearchError,
    Stopped,
    SynthesisError,
    UsageError,
)
from research_core.journal import session_admin, store
from research_core.journal.deps import Model
from research_core.journal.doorway import Control
from research_core.journal.events import VISIBLE_KINDS, Draft, Event, drop_voided
from research_core.journal.http_caching import may_succeed_later
from research_core.journal.log import EventLog
from research_core.journal.store import SessionRow
from research_core.models import Principal, Report
from research_core.modes import ResearchMode
from research_core.pipeline import report
from research_core.pipeline.run import research
from research_core.policy import (
    LIBRARY_ENGINE,
    OFFLINE_MODEL,
    SAMPLE_LIBRARY,
    SESSION_ENGINE,
    CredibilityPolicy,
    RunSettings,
)
from research_core.sessions import heartbeats
from research_core.sessions.heartbeats import is_alive, make_executor_id
from research_core.text.question import check_instructions, clean_instruction, clean_question
from research_core.text.words import strip_invisible
from research_core.tools.client_session import store as client_sessions
from research_core.trust.ratings import store as ratings
from research_core.urls import canonical_url
from research_core.userdata import overrides
from research_core.wiring import LOCAL_USER, Resources, open_log, open_session_deps

MAX_TITLE_LENGTH, MAX_TAG_LENGTH, MAX_TAGS = 200, 40, 12
#: Instructions that a run takes, those given while it runs among them.
MAX_INSTRUCTIONS = 10
#: How long a deleted session can be restored.
KEPT_DELETED_S = 30 * 86_400.0
COMMANDS = ("stop", *MANUAL_DECISIONS, "instruct")
TERMINAL_STATUSES = ("done", "failed", "cancelled")


@dataclass(frozen=True)
class AttemptOutcome:
    """How an attempt ended.

    outcome: done | failed | cancelled; report: only if done; error: in words a person can act on.
    """

    outcome: str
    report: Report | None = None
    error: ResearchError | None = None


def new_session(
    resources: Resources, question: str, run: RunSettings, *, who: Principal = LOCAL_USER
) -> str:
    """Check question and settings, store the session and return its id (128 random bits).

    Raises UsageError.
    """
    question = clean_question(question)
    run = _check_settings(run)
    meaning = ""
    if LIBRARY_ENGINE in run.engines:
        meaning = resources.library(who).choose_embedding_model(run.library)
    # What the run takes from this machine and this user becomes part of it, so that every replay
    # and resume decides as the first attempt did.
    run = replace(
        run,
        fallbacks=resources.settings.fallbacks,
        sites=resources.settings.sites,
        meaning=meaning,
        judging=_choose_judging_model(resources, run),
        ratings=tuple(each.mark for each in ratings.read_lists(resources.db, who)),
        credibility=_add_host_overrides(resources, run, who),
    )
    check_instructions(run.instructions, by_model=run.model != OFFLINE_MODEL)
    session = uuid.uuid4().hex
    store.create_session(resources.db, who, session, question, run.to_json(), resources.clock.now())
    return session


def _choose_judging_model(resources: Resources, run: RunSettings) -> str:
    """Return the embedding model that judges beside words.

    The sample is judged by words alone, so that it gives the same on every machine.
    """
    uses_sample = LIBRARY_ENGINE in run.engines and run.library == SAMPLE_LIBRARY
    if run.model != OFFLINE_MODEL or uses_sample or resources.embedder.why:
        return ""
    return resources.embedder.name


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
        relevance_cutoff=run.relevance_cutoff,
        min_full=run.min_full,
        min_short=run.min_short,
    )
    approved = tuple(dict.fromkeys(map(check_address, run.approved)))
    struck = tuple(dict.fromkeys(map(check_address, run.struck)))
    both = set(approved) & set(struck)
    if both:
        raise UsageError(
            f"{min(both)} is both approved and struck.", next_step="Leave one of the two out."
        )
    instructions = _check_instructions(run.instructions)
    return replace(run, approved=approved, struck=struck, instructions=instructions)


def _check_instructions(given: Sequence[str]) -> tuple[str, ...]:
    """Return the instructions normalized, each once. Raises UsageError if invalid or too many."""
    instructions = tuple(dict.fromkeys(map(clean_instruction, given)))
    if len(instructions) > MAX_INSTRUCTIONS:
        raise UsageError(
            f"There are {len(instructions)} instructions; a run takes {MAX_INSTRUCTIONS}.",
            next_step="Leave some out.",
        )
    return instructions


def check_address(url: str) -> str:
    """Return the canonical address of a source. Raises UsageError if it is none."""
    try:
        return canonical_url(url)
    except ValueError as error:
        raise UsageError(
            f"{url[:200]!r} names no source: {error}.",
            next_step="Give its address as the list of sources has it.",
        ) from error


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
    down or another worker has the session (it stays resumable) and StoreError if the log cannot be
    written. Every other failure ends the attempt with a `failed` event; a programming error is also
    raised.
    """
    _check_run_by_worker(resources, session, who)
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
        if run.mode == "deep":
            _save_markdown(resources, who, session, report.to_markdown(built))
    except Stopped as stop:
        if stop.why != "cancel":
            raise
        log.append(Draft("finished", {"outcome": "cancelled"}, str(epoch)))
        return AttemptOutcome("cancelled")
    except ResearchError as error:
        log.append(_build_failure(error, epoch))
        return AttemptOutcome("failed", error=error)
    except Exception as error:
        why = f"A mistake in Assay ended this run: {type(error).__name__}: {error}."
        log.append(_build_failure(ResearchError(why), epoch))
        raise
    log.append(Draft("finished", {"outcome": "done", "decision": built.decision}, str(epoch)))
    return AttemptOutcome("done", report=built)


def _void_failures(resources: Resources, log: EventLog) -> None:
    """After an ended attempt, void failed calls worth retrying and unusable text of the writer.

    A session made from another begins with this, so an outage is not inherited. What was gathered
    and answered stands. Failures before a stop of gathering stand too, because nothing is asked any
    more. An interrupted session has no retries.
    """
    ended = log.read(kinds=("failed", "finished"))
    if not ended and log.read(kinds=("created",)):
        return
    gate = max((event.seq for event in log.read(kinds=("gated",))), default=0)
    stops = [event.seq for event in log.decisions() if event.data["do"] == "stop"]
    stopped = max(stops, default=0)
    is_unwritten = bool(ended) and ended[-1].data.get("type") == SynthesisError.__name__
    for key, call in log.answers().items():
        if call.seq <= stopped:
            continue
        of_writer = is_unwritten and call.seq > gate and call.data["kind"] == "model"
        if of_writer or may_succeed_later(call.data):
            log.void(key)
            resources.services.close_failed()


def _build_failure(error: ResearchError, epoch: int) -> Draft:
    return Draft(
        "failed",
        {"error": error.message, "next_step": error.next_step, "type": type(error).__name__},
        str(epoch),
    )


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


def get_saved_path(resources: Resources, session: str) -> Path:
    """Return where deep mode saves the Markdown of a session."""
    return resources.settings.home / "reports" / f"{session}.md"


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


# -- how a session stands ------------------------------------------------------


@dataclass(frozen=True)
class SessionInfo:
    """A session in a list.

    status: queued | running | interrupted | done | failed | cancelled; for a client-led one open |
    closed.
    """

    row: SessionRow
    status: str

    @property
    def decision(self) -> str:
        """full_report | short_report | insufficient_data of a finished session, else ""."""
        return self.row.decision


def list_sessions(
    resources: Resources,
    *,
    who: Principal = LOCAL_USER,
    limit: int | None = 200,
    deleted: bool = False,
    ids: Collection[str] | None = None,
) -> list[SessionInfo]:
    """Return this user's sessions, newest first.

    deleted: instead those that can be restored; ids: only these.
    """
    beats = heartbeats.list_executors(resources.db)
    now = resources.clock.now()
    rows = store.list_sessions(resources.db, who, limit=limit, deleted=deleted, ids=ids)
    return [SessionInfo(row, find_status(row, beats, now)) for row in rows]


def read_session_info(
    resources: Resources, session: str, *, who: Principal = LOCAL_USER
) -> SessionInfo:
    """Return a session with its status. Raises UsageError if there is no such session."""
    row = store.find_session(resources.db, who, session)
    beats = heartbeats.list_executors(resources.db)
    return SessionInfo(row, find_status(row, beats, resources.clock.now()))


def find_status(row: SessionRow, beats: Mapping[str, float], now: float) -> str:
    """Return the status of a session, see `SessionInfo`.

    An ended one has the outcome of its log. Else it is running while its executor is alive,
    interrupted after that, and queued before its first attempt. An unfinished client-led one is
    open while tools may continue it, then closed.
    """
    if row.outcome in TERMINAL_STATUSES:
        return str(row.outcome)
    if row.until is not None:
        return "open" if row.until > now else "closed"
    if row.executor is None:
        return "queued"
    return "running" if is_alive(row.executor, beats, now) else "interrupted"


# -- what the analyst can do to one --------------------------------------------


def send_command(
    resources: Resources,
    session: str,
    do: str,
    *,
    url: str = "",
    text: str = "",
    who: Principal = LOCAL_USER,
) -> Event:
    """Send a command to a session; a running one acts within 0.2 s.

    do: stop (and write now); approve, strike or restore a source (url); instruct (text: what to
    look for beside the question). Raises UsageError, with the next step, when it is too late.
    """
    if do not in COMMANDS:
        raise UsageError(
            f"Unknown command {do!r}.", next_step=f"It is one of: {', '.join(COMMANDS)}."
        )
    _check_run_by_worker(resources, session, who)
    about = {}
    if do == "instruct":
        about["text"] = clean_instruction(text)
    elif do != "stop":
        about["url"] = check_address(url)
    info = read_session_info(resources, session, who=who)
    if info.status in TERMINAL_STATUSES:
        step = "Resume it first, or re-write it."
        if info.status == "done":
            step = "Re-write it with what you want changed."
        raise UsageError(
            f"Session {session} does not run any more: it is {info.status}.", next_step=step
        )
    log = open_log(resources, who, session)
    if any(event.kind == "gated" for event in drop_voided(log.read(kinds=("gated", "voided")))):
        raise UsageError(
            f"Session {session} is being written already.",
            next_step="Re-write it with what you want changed.",
        )
    if do == "instruct":
        run = RunSettings.from_json(info.row.settings)
        check_instructions([about["text"]], by_model=run.model != OFFLINE_MODEL)
        _check_instructions((*run.instructions, *_list_instructions(log), about["text"]))
    return log.append(Draft("command", {"do": do, **about}))[0]


def cancel(resources: Resources, session: str, *, who: Principal = LOCAL_USER) -> None:
    """Stop a session without a report; it can be resumed.

    A session that nobody runs is ended at once by an attempt that does nothing else.
    """
    info = read_session_info(resources, session, who=who)
    if info.status in (*TERMINAL_STATUSES, "closed"):
        raise UsageError(f"Session {session} is already {info.status}.")
    if info.status == "open":
        client_sessions.close_session(resources.db, who, session, resources.clock.now())
        return
    store.request_stop(resources.db, who, session, "cancel")
    if info.status == "running":
        return
    # A worker that has just begun the session will read the command.
    with suppress(LostOwnership):
        epoch = store.take_session(
            resources.db,
            who,
            session,
            make_executor_id(),
            resources.clock.now(),
            seen=info.row.epoch,
        )
        open_log(resources, who, session, epoch=epoch).append(
            Draft("finished", {"outcome": "cancelled"}, str(epoch))
        )


def _check_run_by_worker(resources: Resources, session: str, who: Principal) -> None:
    """Raise UsageError for a client-led session, which no worker runs."""
    if store.find_session(resources.db, who, session).until is not None:
        step = (
            "Re-write it: a new session then searches, reads and writes a report on the same"
            " question."
        )
        raise UsageError(f"Session {session} is led by a client, step by step.", next_step=step)


def reopen(resources: Resources, session: str, *, who: Principal = LOCAL_USER) -> int | None:
    """Queue a session again, whatever ended it, and return the number of its next attempt.

    Returns None while it runs.
    """
    _check_run_by_worker(resources, session, who)
    info = read_session_info(resources, session, who=who)
    if info.status == "running" or not store.reopen_session(
        resources.db, who, session, seen=info.row.epoch
    ):
        return None
    return info.row.epoch + 1


def rename(resources: Resources, session: str, title: str, *, who: Principal = LOCAL_USER) -> None:
    """Set the title of a session; "" shows its question again. Raises UsageError if too long."""
    session_admin.rename_session(
        resources.db, who, session, _clean_label(title, MAX_TITLE_LENGTH, "title")
    )


def tag(
    resources: Resources, session: str, tags: Sequence[str], *, who: Principal = LOCAL_USER
) -> None:
    """Replace the tags of a session; each once, in alphabetical order."""
    labels = {_clean_label(tag, MAX_TAG_LENGTH, "tag") for tag in tags} - {""}
    if len(labels) > MAX_TAGS:
        raise UsageError(
            f"A session takes at most {MAX_TAGS} tags, not {len(labels)}.",
            next_step="Leave some out.",
        )
    ordered = sorted(labels, key=lambda label: (label.casefold(), label))
    session_admin.tag_session(resources.db, who, session, ordered)


def _clean_label(text: str, most: int, what: str) -> str:
    """Return the text on one line without invisible characters. Raises UsageError if too long."""
    label = " ".join(strip_invisible(text).split())
    if len(label) > most:
        raise UsageError(
            f"The {what} has {len(label)} characters; at most {most} can be kept.",
            next_step="Shorten it.",
        )
    return label


def delete(resources: Resources, session: str, *, who: Principal = LOCAL_USER) -> None:
    """Hide a session everywhere, after a cancel if it runs. `restore` undoes it for 30 days."""
    # The session may have ended. If there is none, the next line raises.
    with suppress(UsageError):
        cancel(resources, session, who=who)
    session_admin.delete_session(resources.db, who, session, resources.clock.now())


def restore(resources: Resources, session: str, *, who: Principal = LOCAL_USER) -> None:
    """Undo `delete`. Raises UsageError if there is no such session, or no longer."""
    session_admin.restore_session(resources.db, who, session)


def rewrite(
    resources: Resources, session: str, run: RunSettings, *, who: Principal = LOCAL_USER
) -> str:
    """Start a new session on the same question under other settings and return its id.

    Answered calls of the old session are not repeated. Only sources in the settings are approved or
    struck (start from `gate.merge_manual_decisions`); instructions given to the old session are
    kept. Raises UsageError.
    """
    old = RunSettings.from_json(store.find_session(resources.db, who, session).settings)
    log = open_log(resources, who, session)
    given = _list_instructions(log)
    known = {*old.instructions, *given}
    added = [text for text in run.instructions if text not in known]
    check_instructions(added, by_model=run.model != OFFLINE_MODEL)
    settings = _check_settings(replace(run, instructions=(*run.instructions, *given)))
    new = uuid.uuid4().hex
    log.fork(new, settings.to_json())
    return new


def _list_instructions(log: EventLog) -> list[str]:
    """Return what the analyst asked for while the session ran."""
    return [
        event.data["text"]
        for event in log.read(kinds=("command",))
        if event.data["do"] == "instruct"
    ]


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
    settings = _check_settings(replace(run, engines=engines, follows=view.asked, after=session))
    new = uuid.uuid4().hex
    log.fork(new, settings.to_json(), question=question)
    return new


def read_stored_report(
    resources: Resources, session: str, *, who: Principal = LOCAL_USER
) -> str | None:
    """Return the stored Markdown of a finished session, None without one or after a resume."""
    log = open_log(resources, who, session)
    stored = find_report_event(log)
    return str(log.open(stored.data["markdown"])) if stored else None


def find_report_event(log: EventLog) -> Event | None:
    """Return the event of the report in force, None without one."""
    for event in reversed(drop_voided(log.read(kinds=("report", "voided")))):
        if event.kind == "report":
            return event
    return None
