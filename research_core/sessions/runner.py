"""Start, run, resume, cancel, steer and list sessions.

An attempt runs in the caller's process: the command line's own or a worker (`workers.py`). The log
is the truth; this module begins an attempt, ends it with one event and reports how a session
stands.
"""

from __future__ import annotations

import os
import socket
import threading
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from research_core.decisions import gate as decide
from research_core.decisions.view import fold_events
from research_core.errors import (
    LostOwnership,
    ResearchError,
    Stopped,
    StoreError,
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
from research_core.sessions import executors
from research_core.sessions.executors import is_alive
from research_core.text.question import check_instructions, clean_instruction, clean_question
from research_core.text.words import strip_invisible
from research_core.tools.client_session import store as led
from research_core.trust.ratings import store as ratings
from research_core.urls import canonical_url
from research_core.userdata import overrides
from research_core.wiring import LOCAL_USER, Resources, open_log, open_session_deps

BEAT_S = 2.0
MAX_TITLE_LENGTH, MAX_TAG_LENGTH, MAX_TAGS = 200, 40, 12
#: Instructions that a run takes, those given while it runs among them.
MAX_INSTRUCTIONS = 10
#: How long a deleted session can be restored.
KEPT_DELETED_S = 30 * 86_400.0
COMMANDS = ("stop", "approve", "strike", "restore", "instruct")
TERMINAL_STATUSES = ("done", "failed", "cancelled")


@dataclass(frozen=True)
class Outcome:
    """How an attempt ended.

    outcome: done | failed | cancelled; report: only if done; error: in words a person can act on.
    """

    outcome: str
    report: Report | None = None
    error: ResearchError | None = None


def make_executor_id() -> str:
    """Return a unique name for this process."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


def new_session(
    office: Resources, question: str, run: RunSettings, *, who: Principal = LOCAL_USER
) -> str:
    """Check question and settings, store the session and return its id (128 random bits).

    Raises UsageError.
    """
    # Those of these settings that are part of a run also hold for every replay.
    settings = office.settings
    question, run = (
        clean_question(question),
        replace(_check_settings(run), fallbacks=settings.fallbacks, sites=settings.sites),
    )
    run = replace(
        run, meaning=office.library(who).model(run.library) if LIBRARY_ENGINE in run.engines else ""
    )
    run = replace(run, judging=_choose_judging_model(office, run))
    run = replace(
        run,
        ratings=tuple(each.mark for each in ratings.read_lists(office.db, who)),
        credibility=_add_host_overrides(office, run, who),
    )
    check_instructions(run.instructions, by_model=run.model != OFFLINE_MODEL)
    session = uuid.uuid4().hex
    store.create_session(office.db, who, session, question, run.to_json(), office.clock.now())
    return session


def _choose_judging_model(office: Resources, run: RunSettings) -> str:
    """Return the embedding model that judges beside words.

    The sample is judged by words alone, so that it gives the same on every machine.
    """
    sample = LIBRARY_ENGINE in run.engines and run.library == SAMPLE_LIBRARY
    return (
        "" if run.model != OFFLINE_MODEL or sample or office.embedder.why else office.embedder.name
    )


def _add_host_overrides(office: Resources, run: RunSettings, who: Principal) -> CredibilityPolicy:
    """Return the policy with the user's overrides of hosts, and over them those of this run."""
    said = {
        word.host: word
        for word in (*overrides.list_overrides(office.db, who), *run.credibility.overrides)
    }
    return replace(run.credibility, overrides=tuple(said[host] for host in sorted(said)))


def _check_settings(run: RunSettings) -> RunSettings:
    """Return the settings with normalized texts. Raises UsageError for unusable ones."""
    ResearchMode.named(
        run.mode,
        relevance_cutoff=run.relevance_cutoff,
        min_full=run.min_full,
        min_short=run.min_short,
    )
    approved, struck = (
        tuple(dict.fromkeys(map(check_address, urls))) for urls in (run.approved, run.struck)
    )
    if both := set(approved) & set(struck):
        raise UsageError(
            f"{min(both)} is both approved and struck.", next_step="Leave one of the two out."
        )
    return replace(
        run, approved=approved, struck=struck, instructions=_check_instructions(run.instructions)
    )


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
    office: Resources,
    session: str,
    executor: str,
    *,
    who: Principal = LOCAL_USER,
    control: Control | None = None,
    listener: Callable[[Event], None] | None = None,
    model: Model | None = None,
    seen: SessionRow | None = None,
) -> Outcome:
    """Run a session to its end from wherever its log stands, as this executor.

    seen: begin only if the session is still in this state. Raises Stopped when this process shuts
    down or another worker has the session (it stays resumable) and StoreError if the log cannot be
    written. Every other failure ends the attempt with a `failed` event; a programming error is also
    raised.
    """
    _check_run_by_worker(office, session, who)
    row = seen or store.find_session(office.db, who, session)
    run = RunSettings.from_json(row.settings)
    epoch = store.take_session(
        office.db, who, session, executor, office.clock.now(), seen=row.epoch
    )
    log = open_log(office, who, session, epoch=epoch, listener=listener)
    _void_failures(office, log)
    try:
        with open_session_deps(office, log, run, who=who, control=control, model=model) as deps:
            deps.http.check_stop()
            built = research(row.question, deps)
        if run.mode == "deep":
            _save_markdown(office, who, session, report.to_markdown(built))
    except Stopped as stop:
        if stop.why != "cancel":
            raise
        log.append(Draft("finished", {"outcome": "cancelled"}, str(epoch)))
        return Outcome("cancelled")
    except ResearchError as error:
        log.append(_build_failure(error, epoch))
        return Outcome("failed", error=error)
    except Exception as error:
        why = f"A mistake in Assay ended this run: {type(error).__name__}: {error}."
        log.append(_build_failure(ResearchError(why), epoch))
        raise
    log.append(Draft("finished", {"outcome": "done", "decision": built.decision}, str(epoch)))
    return Outcome("done", report=built)


def _void_failures(office: Resources, log: EventLog) -> None:
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
            office.services.close_failed()


def _build_failure(error: ResearchError, epoch: int) -> Draft:
    return Draft(
        "failed",
        {"error": error.message, "next_step": error.next_step, "type": type(error).__name__},
        str(epoch),
    )


def give_up(
    office: Resources,
    session: str,
    error: ResearchError,
    executor: str,
    *,
    who: Principal = LOCAL_USER,
) -> None:
    """End an attempt at once as failed, if it could not begin or record its own failure.

    Raises LostOwnership if another worker has the session by now, and StoreError.
    """
    row = store.find_session(office.db, who, session)
    if row.executor not in (None, executor):
        raise LostOwnership
    epoch = store.take_session(
        office.db, who, session, executor, office.clock.now(), seen=row.epoch
    )
    open_log(office, who, session, epoch=epoch).append(_build_failure(error, epoch))


def get_saved_path(office: Resources, session: str) -> Path:
    """Return where deep mode saves the Markdown of a session."""
    return office.settings.home / "reports" / f"{session}.md"


def _save_markdown(office: Resources, who: Principal, session: str, markdown: str) -> None:
    """Save the Markdown in ASSAY_HOME/reports; keep nothing if the session was erased meanwhile."""
    path = get_saved_path(office, session)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(markdown, encoding="utf-8")
        # An erasure removes the row before the file, so one of the two sees the other.
        if not store.session_exists(office.db, who, session):
            path.unlink(missing_ok=True)
    except OSError as error:
        step = f"The report is stored; `assay export {session}` writes it elsewhere."
        raise ResearchError(
            f"{path} cannot be written: {error.strerror}.", next_step=step
        ) from error


@contextmanager
def keep_heartbeat(office: Resources, executor: str, *, every_s: float = BEAT_S) -> Iterator[None]:
    """Record repeatedly that this executor is alive, until the block ends."""
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(every_s):
            # The next beat tries again, and important writes meet the error themselves.
            with suppress(StoreError):
                executors.record_beat(office.db, executor, office.clock.now())

    executors.record_beat(office.db, executor, office.clock.now())
    thread = threading.Thread(target=beat, name="assay-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(1.0)
        # A beat that could not be removed goes stale and is reaped.
        with suppress(StoreError):
            executors.forget_executor(office.db, executor)


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
    office: Resources,
    *,
    who: Principal = LOCAL_USER,
    limit: int | None = 200,
    deleted: bool = False,
    ids: Collection[str] | None = None,
) -> list[SessionInfo]:
    """Return this user's sessions, newest first.

    deleted: instead those that can be restored; ids: only these.
    """
    beats, now = executors.list_executors(office.db), office.clock.now()
    return [
        SessionInfo(row, find_status(row, beats, now))
        for row in store.list_sessions(office.db, who, limit=limit, deleted=deleted, ids=ids)
    ]


def read_session_info(
    office: Resources, session: str, *, who: Principal = LOCAL_USER
) -> SessionInfo:
    """Return a session with its status. Raises UsageError if there is no such session."""
    row = store.find_session(office.db, who, session)
    return SessionInfo(
        row, find_status(row, executors.list_executors(office.db), office.clock.now())
    )


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
    office: Resources,
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
    _check_run_by_worker(office, session, who)
    about = (
        {}
        if do == "stop"
        else {"text": clean_instruction(text)}
        if do == "instruct"
        else {"url": check_address(url)}
    )
    info = read_session_info(office, session, who=who)
    if (stands := info.status) in TERMINAL_STATUSES:
        step = (
            "Re-write it with what you want changed."
            if stands == "done"
            else "Resume it first, or re-write it."
        )
        raise UsageError(
            f"Session {session} does not run any more: it is {stands}.", next_step=step
        )
    log = open_log(office, who, session)
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


def cancel(office: Resources, session: str, *, who: Principal = LOCAL_USER) -> None:
    """Stop a session without a report; it can be resumed.

    A session that nobody runs is ended at once by an attempt that does nothing else.
    """
    info = read_session_info(office, session, who=who)
    if info.status in (*TERMINAL_STATUSES, "closed"):
        raise UsageError(f"Session {session} is already {info.status}.")
    if info.status == "open":
        led.close_session(office.db, who, session, office.clock.now())
        return
    store.request_stop(office.db, who, session, "cancel")
    if info.status == "running":
        return
    # A worker that has just begun the session will read the command.
    with suppress(LostOwnership):
        epoch = store.take_session(
            office.db, who, session, make_executor_id(), office.clock.now(), seen=info.row.epoch
        )
        open_log(office, who, session, epoch=epoch).append(
            Draft("finished", {"outcome": "cancelled"}, str(epoch))
        )


def _check_run_by_worker(office: Resources, session: str, who: Principal) -> None:
    """Raise UsageError for a client-led session, which no worker runs."""
    if store.find_session(office.db, who, session).until is not None:
        step = (
            "Re-write it: a new session then searches, reads and writes a report on the same"
            " question."
        )
        raise UsageError(f"Session {session} is led by a client, step by step.", next_step=step)


def reopen(office: Resources, session: str, *, who: Principal = LOCAL_USER) -> int | None:
    """Queue a session again, whatever ended it, and return the number of its next attempt.

    Returns None while it runs.
    """
    _check_run_by_worker(office, session, who)
    info = read_session_info(office, session, who=who)
    if info.status == "running" or not store.reopen_session(
        office.db, who, session, seen=info.row.epoch
    ):
        return None
    return info.row.epoch + 1


def rename(office: Resources, session: str, title: str, *, who: Principal = LOCAL_USER) -> None:
    """Set the title of a session; "" shows its question again. Raises UsageError if too long."""
    session_admin.rename_session(office.db, who, session, _label(title, MAX_TITLE_LENGTH, "title"))


def tag(
    office: Resources, session: str, tags: Sequence[str], *, who: Principal = LOCAL_USER
) -> None:
    """Replace the tags of a session; each once, in alphabetical order."""
    named = {label for label in (_label(tag, MAX_TAG_LENGTH, "tag") for tag in tags) if label}
    if len(named) > MAX_TAGS:
        raise UsageError(
            f"A session takes at most {MAX_TAGS} tags, not {len(named)}.",
            next_step="Leave some out.",
        )
    session_admin.tag_session(
        office.db, who, session, sorted(named, key=lambda label: (label.casefold(), label))
    )


def _label(text: str, most: int, what: str) -> str:
    label = " ".join(strip_invisible(text).split())
    if len(label) > most:
        raise UsageError(
            f"The {what} has {len(label)} characters; at most {most} can be kept.",
            next_step="Shorten it.",
        )
    return label


def delete(office: Resources, session: str, *, who: Principal = LOCAL_USER) -> None:
    """Hide a session everywhere, after a cancel if it runs. `restore` undoes it for 30 days."""
    # The session may have ended. If there is none, the next line raises.
    with suppress(UsageError):
        cancel(office, session, who=who)
    session_admin.delete_session(office.db, who, session, office.clock.now())


def restore(office: Resources, session: str, *, who: Principal = LOCAL_USER) -> None:
    """Undo `delete`. Raises UsageError if there is no such session, or no longer."""
    session_admin.restore_session(office.db, who, session)


def rewrite(
    office: Resources, session: str, run: RunSettings, *, who: Principal = LOCAL_USER
) -> str:
    """Start a new session on the same question under other settings and return its id.

    Answered calls of the old session are not repeated. Only sources in the settings are approved or
    struck (start from `decide.standing`); instructions given to the old session are kept. Raises
    UsageError.
    """
    old = RunSettings.from_json(store.find_session(office.db, who, session).settings)
    log, new = open_log(office, who, session), uuid.uuid4().hex
    said = {*old.instructions, *_list_instructions(log)}
    check_instructions(
        (text for text in run.instructions if text not in said), by_model=run.model != OFFLINE_MODEL
    )
    log.fork(
        new,
        _check_settings(
            replace(run, instructions=(*run.instructions, *_list_instructions(log)))
        ).to_json(),
    )
    return new


def _list_instructions(log: EventLog) -> list[str]:
    """Return what the analyst asked for while the session ran."""
    return [
        event.data["text"]
        for event in log.read(kinds=("command",))
        if event.data["do"] == "instruct"
    ]


def follow_up(
    office: Resources,
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
    question, row, new = (
        clean_question(question),
        store.find_session(office.db, who, session),
        uuid.uuid4().hex,
    )
    log = open_log(office, who, session)
    view = replace(
        fold_events(drop_voided(log.read(kinds=VISIBLE_KINDS))),
        question=row.question,
        settings=RunSettings.from_json(row.settings),
    )
    run = run or replace(decide.merge_manual_decisions(view), instructions=())
    engines = (SESSION_ENGINE, *(name for name in run.engines if name != SESSION_ENGINE))
    log.fork(
        new,
        _check_settings(replace(run, engines=engines, follows=view.asked, after=session)).to_json(),
        question=question,
    )
    return new


def read_stored_report(
    office: Resources, session: str, *, who: Principal = LOCAL_USER
) -> str | None:
    """Return the stored Markdown of a finished session, None without one or after a resume."""
    log = open_log(office, who, session)
    reports = [
        event
        for event in drop_voided(log.read(kinds=("report", "voided")))
        if event.kind == "report"
    ]
    return str(log.open(reports[-1].data["markdown"])) if reports else None
