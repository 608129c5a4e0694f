"""All that is kept about one user, as a screen tells it: consents, notes, shared findings, counts
of calls, sessions, and for how long.

Exported as JSON and erased for good, their saved reports too. What each store holds is `userdata`'s
and `store`'s.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from research_core.errors import ResearchError
from research_core.journal import store
from research_core.models import Principal
from research_core.policy import Override
from research_core.sessions import retention, runner
from research_core.settings import variable
from research_core.userdata import analytics, consent, memory, overrides, subject, workspaces
from research_core.userdata.analytics import Count
from research_core.userdata.memory import Entry
from research_core.userdata.workspaces import Contribution
from research_core.wiring import LOCAL, Office

#: The field of the settings that switches on what a consent is for.
SWITCHES = {"memory": "memory", "analytics": "analytics", "workspace": "workspaces"}


@dataclass(frozen=True)
class Purpose:
    """What can be agreed to. setting: the variable without which nothing is kept for it; on:
    whether it is set.

    since: since when they agree, None where they do not; withdrawn: when they last took it back,
    None where they never did.
    """

    name: str
    setting: str
    on: bool
    since: float | None
    withdrawn: float | None


@dataclass(frozen=True)
class Span:
    """For how long something is kept. seconds: None for good, or until it is erased; setting: the
    variable that says so, "" for none.
    """

    what: str
    seconds: float | None
    setting: str = ""


@dataclass(frozen=True)
class Dossier:
    """memories, contributions and counts are the newest first. joined: workspaces and since when.
    words: what they said of hosts.

    sessions, running, deleted: how many. erased: when there were erasures, the oldest first.
    """

    purposes: tuple[Purpose, ...]
    memories: tuple[Entry, ...]
    contributions: tuple[Contribution, ...]
    joined: tuple[tuple[str, float], ...]
    words: tuple[Override, ...]
    counts: tuple[Count, ...]
    sessions: int
    running: int
    deleted: int
    erased: tuple[float, ...]


def read(office: Office, *, who: Principal = LOCAL) -> Dossier:
    """Raises SettingsError without the key that seals it."""
    db, now = office.db, office.clock.now()
    kept = runner.sessions(office, who=who, limit=None)
    return Dossier(
        _purposes(office, who),
        memory.recall(db, who, "", None, now, keep_s=office.settings.memory_retention_s),
        tuple(reversed(workspaces.contributed(db, who))),
        workspaces.joined(db, who),
        overrides.overrides(db, who),
        analytics.counts(db, who),
        len(kept),
        sum(info.status == "running" for info in kept),
        len(store.sessions(db, who, limit=None, deleted=True)),
        tuple(each["at"] for each in subject.erasures(db, who)),
    )


def _purposes(office: Office, who: Principal) -> tuple[Purpose, ...]:
    history, found = consent.records(office.db, who), list[Purpose]()
    for name, field in SWITCHES.items():
        said = [each for each in history if each.purpose == name]
        since = said[-1].at if said and said[-1].given else None
        withdrawn = max((each.at for each in said if not each.given), default=None)
        found.append(
            Purpose(name, variable(field), bool(getattr(office.settings, field)), since, withdrawn)
        )
    return tuple(found)


def agree(office: Office, purpose: str, give: bool, *, who: Principal = LOCAL) -> None:
    """Give or withdraw consent. Raises UsageError for a purpose that there is not."""
    (consent.give if give else consent.withdraw)(office.db, who, purpose, office.clock.now())


def spans(office: Office) -> tuple[Span, ...]:
    """What is kept for how long, by the settings of this machine."""
    settings, days = office.settings, retention.DAY_S
    untouched = settings.retention_days * days or None
    audit = (
        Span(
            "renamed files of the audit",
            settings.audit_retention_days * days or None,
            variable("audit_retention_days"),
        ),
    )
    return (
        Span("sessions that nobody touches", untouched, variable("retention_days")),
        Span(
            "sessions that you deleted",
            retention.restorable_s(office),
            variable("retention_days") if untouched else "",
        ),
        Span("notes", settings.memory_retention_s, variable("memory_retention_s")),
        Span(
            "what you shared in workspaces",
            settings.workspace_retention_s,
            variable("workspace_retention_s"),
        ),
        Span("consents and counts of calls", None),
        *(audit if settings.audit_path else ()),
    )


def export(office: Office, *, who: Principal = LOCAL) -> bytes:
    """All of it as JSON, in UTF-8; half a character, as JSON spells it."""
    return json.dumps(subject.export(office.db, who), ensure_ascii=False, indent=2).encode(
        "utf-8", "backslashreplace"
    )


def erase(office: Office, *, who: Principal = LOCAL) -> dict[str, int]:
    """Remove it all for good, and the reports that deep mode saved; how many of each. Raises
    ResearchError with a file that cannot go.
    """
    (gone, sessions), left = subject.erase(office.db, who, office.clock.now()), list[OSError]()
    for session in sessions:
        try:
            runner.saved(office, session).unlink(missing_ok=True)
        except OSError as error:
            left.append(error)
    if left:
        why = f"All else is erased, but {left[0].filename} cannot be removed: {left[0].strerror}."
        raise ResearchError(why, next_step="Remove it by hand.") from left[0]
    return gone
