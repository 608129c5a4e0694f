"""Act on a stored session: steer, cancel, queue again, rename, tag, delete and restore it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from research_core.errors import LostOwnership, UsageError
from research_core.journal import session_admin, store
from research_core.journal.events import MANUAL_DECISIONS, Draft, Event, drop_voided
from research_core.journal.log import EventLog
from research_core.models import Principal
from research_core.policy import OFFLINE_MODEL, RunSettings
from research_core.sessions.heartbeats import make_executor_id
from research_core.sessions.session_status import (
    TERMINAL_STATUSES,
    check_run_by_worker,
    name_status,
    read_session_info,
)
from research_core.text.question import check_instructions, clean_instruction
from research_core.text.words import strip_invisible
from research_core.urls import canonical_url
from research_core.wiring import LOCAL_USER, Resources, open_log

MAX_TITLE_LENGTH, MAX_TAG_LENGTH, MAX_TAGS = 200, 40, 12
#: Instructions that a run takes, those given while it runs among them.
MAX_INSTRUCTIONS = 10
#: How long a deleted session can be restored.
KEPT_DELETED_S = 30 * 86_400.0
COMMANDS = ("stop", *MANUAL_DECISIONS, "instruct")


def check_address(url: str) -> str:
    """Return the canonical address of a source. Raises UsageError if it is none."""
    try:
        return canonical_url(url)
    except ValueError as error:
        raise UsageError(
            f"{url[:200]!r} is not the address of a source: {error}.",
            next_step="Give the address as shown in the list of sources.",
        ) from error


def normalize_instructions(given: Sequence[str]) -> tuple[str, ...]:
    """Return the instructions normalized, each once. Raises UsageError if invalid or too many."""
    instructions = tuple(dict.fromkeys(map(clean_instruction, given)))
    if len(instructions) > MAX_INSTRUCTIONS:
        raise UsageError(
            f"{len(instructions)} instructions were given; a run takes at most {MAX_INSTRUCTIONS}.",
            next_step="Leave some out.",
        )
    return instructions


def list_instructions(log: EventLog) -> list[str]:
    """Return what the analyst asked for while the session ran."""
    return [
        event.data["text"]
        for event in log.read(kinds=("command",))
        if event.data["do"] == "instruct"
    ]


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
            f"Unknown command {do!r}.", next_step=f"Use one of: {', '.join(COMMANDS)}."
        )
    check_run_by_worker(resources, session, who)
    about = {}
    if do == "instruct":
        about["text"] = clean_instruction(text)
    elif do != "stop":
        about["url"] = check_address(url)
    info = read_session_info(resources, session, who=who)
    if info.status in TERMINAL_STATUSES:
        step = "Resume it first, or rewrite it."
        if info.status == "done":
            step = "Rewrite it afterwards with your changes."
        raise UsageError(
            f"Session {session} is no longer running: it is {name_status(info.status)}.",
            next_step=step,
        )
    if do == "stop" and info.status == store.WAITING_OUTCOME:
        raise UsageError(
            f"The plan of session {session} is waiting for your approval.",
            next_step=f"`assay approve {session}` starts the research; `assay cancel {session}` cancels it.",
        )
    log = open_log(resources, who, session)
    if any(event.kind == "gated" for event in drop_voided(log.read(kinds=("gated", "voided")))):
        raise UsageError(
            f"The report of session {session} is already being written.",
            next_step="Rewrite it afterwards with your changes.",
        )
    if do == "instruct":
        run = RunSettings.from_json(info.row.settings)
        check_instructions([about["text"]], by_model=run.writing_model != OFFLINE_MODEL)
        normalize_instructions((*run.instructions, *list_instructions(log), about["text"]))
    return log.append(Draft("command", {"do": do, **about}))[0]


def cancel(resources: Resources, session: str, *, who: Principal = LOCAL_USER) -> None:
    """Stop a session without a report; it can be resumed.

    If no process runs the session, an attempt that does nothing else ends it at once.
    """
    info = read_session_info(resources, session, who=who)
    if info.status in (*TERMINAL_STATUSES, "closed"):
        raise UsageError(f"Session {session} is already {name_status(info.status)}.")
    if info.status == "open":
        from research_core.tools.client_session import store as client_sessions

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


def reopen(resources: Resources, session: str, *, who: Principal = LOCAL_USER) -> int | None:
    """Queue a session again, whatever ended it, and return the number of its next attempt.

    Returns None while it runs or waits for the analyst to approve its plan.
    """
    check_run_by_worker(resources, session, who)
    info = read_session_info(resources, session, who=who)
    if info.status in ("running", store.WAITING_OUTCOME) or not store.reopen_session(
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
            f"The {what} has {len(label)} characters; at most {most} are allowed.",
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
