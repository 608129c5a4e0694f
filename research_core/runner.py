"""Sessions as a user handles them: start, run an attempt, resume, cancel, steer, list.

An attempt runs wherever it is called: in the command line's own process, or in a worker (`workers.py`). The log is the truth;
this file only begins an attempt, ends it with one event, and says how a session stands.
"""

from __future__ import annotations

import os
import socket
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from research_core import report, store
from research_core.deps import Model
from research_core.doorway import Control, may_go_better
from research_core.errors import LostOwnership, ResearchError, Stopped, StoreError, SynthesisError, UsageError
from research_core.events import Draft, Event
from research_core.log import EventLog
from research_core.models import Principal, Report
from research_core.modes import ResearchMode
from research_core.pipeline import research
from research_core.policy import RunSettings, checked_question
from research_core.store import SessionRow
from research_core.wiring import LOCAL, Office, open_log, session_deps

BEAT_S = 2.0
DEAD_AFTER_S = 10.0
COMMANDS = ("stop", "approve", "strike", "restore")
TERMINAL = ("done", "failed", "cancelled")


@dataclass(frozen=True)
class Outcome:
    """How an attempt ended. outcome: done | failed | cancelled; report only where it is done; error in words a person can act on."""

    outcome: str
    report: Report | None = None
    error: ResearchError | None = None


def executor_id() -> str:
    """A name for this process that no other process has."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


def new_session(office: Office, question: str, run: RunSettings, *, who: Principal = LOCAL) -> str:
    """Check the question and the settings, store the session, return its id (128 random bits). Raises UsageError."""
    question = checked_question(question)
    ResearchMode.named(run.mode, relevance_cutoff=run.relevance_cutoff, min_full=run.min_full, min_short=run.min_short)
    session = uuid.uuid4().hex
    store.create_session(office.db, who, session, question, run.to_json(), office.clock.now())
    return session


def attempt(
    office: Office,
    session: str,
    executor: str,
    *,
    who: Principal = LOCAL,
    control: Control | None = None,
    listener: Callable[[Event], None] | None = None,
    model: Model | None = None,
    seen: SessionRow | None = None,
) -> Outcome:
    """Run a session to its end from wherever its log stands, as this executor. seen: begin only if the session still stands so.

    Raises Stopped when this process shuts down or another worker has the session (it stays resumable), and StoreError when the log
    cannot be written; every other failure ends the attempt with a `failed` event, and one that is our own mistake is raised as well.
    """
    row = seen or store.session_row(office.db, who, session)
    run = RunSettings.from_json(row.settings)
    epoch = store.take(office.db, who, session, executor, office.clock.now(), seen=row.epoch)
    log = open_log(office, who, session, epoch=epoch, listener=listener)
    _ask_again(log)
    try:
        with session_deps(office, log, run, who=who, control=control, model=model) as deps:
            deps.http.check_stop()
            built = research(row.question, deps)
        if run.mode == "deep":
            _save(office, session, report.to_markdown(built))
    except Stopped as stop:
        if stop.why != "cancel":
            raise
        log.append(Draft("finished", {"outcome": "cancelled"}, str(epoch)))
        return Outcome("cancelled")
    except ResearchError as error:
        log.append(_failed(error, epoch))
        return Outcome("failed", error=error)
    except Exception as error:
        log.append(_failed(ResearchError(f"A mistake in Assay ended this run: {type(error).__name__}: {error}."), epoch))
        raise
    log.append(Draft("finished", {"outcome": "done", "decision": built.decision}, str(epoch)))
    return Outcome("done", report=built)


def _ask_again(log: EventLog) -> None:
    """After an attempt that ended, let what failed be tried again: calls for which that can help, and the writer's that was of no use.

    What was gathered stands, and so does what was answered since. Where gathering was stopped, what had failed until then stands too, as
    no page or engine is asked any more. An attempt that was interrupted has nothing to retry.
    """
    ended = log.read(kinds=("failed", "finished"))
    if not ended:
        return
    gate = max((event.seq for event in log.read(kinds=("gated",))), default=0)
    unwritten = ended[-1].data.get("type") == SynthesisError.__name__
    stopped = max((event.seq for event in log.decisions() if event.data["do"] == "stop"), default=0)
    latest = {str(call.key).removeprefix("call:").partition("~")[0]: call for call in log.calls() if call.seq > stopped}
    for key, call in latest.items():
        if may_go_better(call.data) or (unwritten and call.seq > gate and call.data["kind"] == "model"):
            log.void(key)


def _failed(error: ResearchError, epoch: int) -> Draft:
    return Draft("failed", {"error": error.message, "next_step": error.next_step, "type": type(error).__name__}, str(epoch))


def give_up(office: Office, session: str, error: ResearchError, executor: str, *, who: Principal = LOCAL) -> None:
    """An attempt that ends at once, as failed: for what kept `attempt` from beginning, or from saying itself how it ended.

    Raises LostOwnership when the session is another worker's by now, and StoreError.
    """
    row = store.session_row(office.db, who, session)
    if row.executor not in (None, executor):
        raise LostOwnership
    epoch = store.take(office.db, who, session, executor, office.clock.now(), seen=row.epoch)
    open_log(office, who, session, epoch=epoch).append(_failed(error, epoch))


def _save(office: Office, session: str, markdown: str) -> None:
    """Deep mode keeps its Markdown in ASSAY_HOME/reports, whatever the outcome."""
    path = office.settings.home / "reports" / f"{session}.md"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(markdown, encoding="utf-8")
    except OSError as error:
        step = f"The report is stored; `assay export {session}` writes it elsewhere."
        raise ResearchError(f"{path} cannot be written: {error.strerror}.", next_step=step) from error


@contextmanager
def heartbeat(office: Office, executor: str, *, every_s: float = BEAT_S) -> Iterator[None]:
    """Say again and again that this executor is alive, until the block ends."""
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(every_s):
            with suppress(StoreError):  # the next beat says it too; whoever writes something that counts meets the error itself
                store.beat(office.db, executor, office.clock.now())

    store.beat(office.db, executor, office.clock.now())
    thread = threading.Thread(target=beat, name="assay-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(1.0)
        with suppress(StoreError):  # then it goes stale, and whoever finds it so strikes it off
            store.forget_executor(office.db, executor)


# -- how a session stands --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SessionInfo:
    """A session in a list. status: queued | running | interrupted | done | failed | cancelled."""

    row: SessionRow
    status: str


def sessions(office: Office, *, who: Principal = LOCAL, limit: int = 200) -> list[SessionInfo]:
    """This user's sessions, newest first."""
    beats, now = store.executors(office.db), office.clock.now()
    return [SessionInfo(row, status(row, beats, now)) for row in store.sessions(office.db, who, limit=limit)]


def session_info(office: Office, session: str, *, who: Principal = LOCAL) -> SessionInfo:
    """Raises UsageError when there is no such session."""
    row = store.session_row(office.db, who, session)
    return SessionInfo(row, status(row, store.executors(office.db), office.clock.now()))


def status(row: SessionRow, beats: Mapping[str, float], now: float) -> str:
    """Ended as its log says; else running while its executor is alive, interrupted when it is not, queued before its first attempt."""
    if row.outcome in TERMINAL:
        return str(row.outcome)
    if row.executor is None:
        return "queued"
    return "running" if alive(row.executor, beats, now) else "interrupted"


def alive(executor: str, beats: Mapping[str, float], now: float, *, dead_after_s: float = DEAD_AFTER_S) -> bool:
    """Whether an executor was heard of lately; one of this machine must also still be a process."""
    if now - beats.get(executor, 0.0) > dead_after_s:
        return False
    machine, pid, _ = executor.rsplit(":", 2)
    return machine != socket.gethostname() or _is_process(int(pid))


def _is_process(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


# -- what the analyst can do to one ----------------------------------------------------------------------------------------


def command(office: Office, session: str, do: str, *, url: str = "", who: Principal = LOCAL) -> Event:
    """Ask a session for something: stop (and write now), approve, strike or restore a source. It acts within 0.2 s while it runs."""
    if do not in COMMANDS:
        raise UsageError(f"Unknown command {do!r}.", next_step=f"It is one of: {', '.join(COMMANDS)}.")
    log = open_log(office, who, session)
    return log.append(Draft("command", {"do": do, **({"url": url} if url else {})}))[0]


def cancel(office: Office, session: str, *, who: Principal = LOCAL) -> None:
    """Stop a session without a report; it can be resumed. One that nobody runs ends at once, by an attempt that does nothing else."""
    info = session_info(office, session, who=who)
    if info.status in TERMINAL:
        raise UsageError(f"Session {session} is already {info.status}.")
    store.request_stop(office.db, who, session, "cancel")
    if info.status == "running":
        return
    with suppress(LostOwnership):  # a worker began it a moment ago, and will read the word
        epoch = store.take(office.db, who, session, executor_id(), office.clock.now(), seen=info.row.epoch)
        open_log(office, who, session, epoch=epoch).append(Draft("finished", {"outcome": "cancelled"}, str(epoch)))


def reopen(office: Office, session: str, *, who: Principal = LOCAL) -> int | None:
    """Make a session one that waits for a worker, whatever ended its last attempt; the number of its next attempt. None while it runs."""
    info = session_info(office, session, who=who)
    if info.status == "running" or not store.reopen(office.db, who, session, seen=info.row.epoch):
        return None
    return info.row.epoch + 1


def fork(office: Office, session: str, run: RunSettings, *, who: Principal = LOCAL) -> str:
    """A new session on the same question with other settings; calls that do not change are not made again."""
    new = uuid.uuid4().hex
    open_log(office, who, session).fork(new, run.to_json())
    return new


def stored_report(office: Office, session: str, *, who: Principal = LOCAL) -> str | None:
    """The Markdown of a finished session as it was written; None while there is none."""
    log = open_log(office, who, session)
    events = log.read(kinds=("report",))
    return str(log.open(events[-1].data["markdown"])) if events else None
