"""Summarize, export and erase everything that is kept about one user.

The summary has consents, notes, findings, counts of calls, libraries, sessions, retention times.
Erasure includes saved reports. `userdata` and `store` define what is kept.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from research_core.errors import ResearchError
from research_core.i18n import _, format_number, join_list, ngettext, put_in_quotes
from research_core.model_messages import Json
from research_core.models import Principal
from research_core.policy import SAMPLE_LIBRARY, Override
from research_core.search.library import shelf
from research_core.sessions import retention, session_list, session_status
from research_core.settings import variable_of
from research_core.text.words import to_single_line
from research_core.userdata import (
    analytics,
    consent,
    export_and_erase,
    memory,
    overrides,
    sign_ins,
    workspaces,
)
from research_core.userdata.analytics import ToolUsage
from research_core.userdata.memory import MemoryNote
from research_core.userdata.workspaces import Contribution
from research_core.wiring import LOCAL_USER, Resources

#: The field of the settings that switches on what a consent is for.
PURPOSE_FIELDS = {"memory": "memory", "analytics": "analytics", "workspace": "workspaces"}
#: If there are more libraries than this, a sentence counts them without their names.
MAX_NAMED_LIBRARIES = 6


@dataclass(frozen=True)
class ConsentPurpose:
    """A purpose that a user can consent to.

    setting: the variable required for it; on: whether it is set; since: time of consent, None
    without; withdrawn: time of the last withdrawal, None if never.
    """

    name: str
    setting: str
    on: bool
    since: float | None
    withdrawn: float | None


@dataclass(frozen=True)
class RetentionSpan:
    """How long something is kept.

    seconds: None until it is erased; setting: the variable that sets it, "" if none.
    """

    what: str
    seconds: float | None
    setting: str = ""


@dataclass(frozen=True)
class UserSummary:
    """What is kept about a user.

    memories, contributions, counts: the newest first; joined: workspaces with times;
    overrides: of hosts; libraries: (title, number of documents, whether shared) of those the user
    made; sessions, running, deleted: numbers; erased: times of erasures, the oldest first;
    sign_ins: those in force, as `sign_ins.list_sign_ins`.
    """

    purposes: tuple[ConsentPurpose, ...]
    memories: tuple[MemoryNote, ...]
    contributions: tuple[Contribution, ...]
    joined: tuple[tuple[str, float], ...]
    overrides: tuple[Override, ...]
    counts: tuple[ToolUsage, ...]
    libraries: tuple[tuple[str, int, bool], ...]
    sessions: int
    running: int
    deleted: int
    erased: tuple[float, ...]
    sign_ins: tuple[Json, ...]


def read_user_summary(resources: Resources, *, who: Principal = LOCAL_USER) -> UserSummary:
    """Return what is kept about a user. Raises SettingsError without the key that seals it."""
    db = resources.db
    now = resources.clock.now()
    kept = session_list.open_list(resources, who=who).count_states()
    deleted = session_list.open_list(resources, who=who, deleted=True).count_states()
    return UserSummary(
        _list_purposes(resources, who),
        memory.recall_notes(db, who, "", None, now, keep_s=resources.settings.memory_retention_s),
        tuple(reversed(workspaces.list_contributions(db, who))),
        workspaces.list_memberships(db, who),
        overrides.list_overrides(db, who),
        analytics.list_tool_usage(db, who),
        tuple(
            (row["title"], row["documents"], row["shared"])
            for row in shelf.list_libraries(db, who)
            if row["own"] and row["title"] != SAMPLE_LIBRARY
        ),
        sum(kept.values()),
        kept.get("running", 0),
        sum(deleted.values()),
        tuple(each["at"] for each in export_and_erase.list_erasures(db, who)),
        tuple(sign_ins.list_sign_ins(db, who, now)),
    )


def describe_libraries_to_erase(resources: Resources, *, who: Principal = LOCAL_USER) -> str:
    """Return how many libraries and documents an erasure removes, by name where they are few.

    Removed libraries that could still be restored count, too. "" if there are none.
    """
    rows = []
    for row in shelf.list_libraries(resources.db, who):
        if row["own"] and row["title"] != SAMPLE_LIBRARY:
            rows.append((row["title"], row["documents"], _("shared") if row["shared"] else ""))
    for row in shelf.list_removed_libraries(resources.db, who):
        rows.append((row["title"], row["documents"], _("removed")))
    if not rows:
        return ""
    total = _("{libraries} with {documents}").format(
        libraries=ngettext("{count} library", "{count} libraries", len(rows)).format(
            count=format_number(len(rows))
        ),
        documents=_count_documents(sum(count for _title, count, _state in rows)),
    )
    if len(rows) > MAX_NAMED_LIBRARIES:
        return f"{total}."
    names = []
    for title, count, state in rows:
        facts = join_list([fact for fact in (_count_documents(count), state) if fact])
        names.append(f"{put_in_quotes(to_single_line(title))} ({facts})")
    return f"{total}: {join_list(names)}."


def _count_documents(count: int) -> str:
    return ngettext("{count} document", "{count} documents", count).format(
        count=format_number(count)
    )


def _list_purposes(resources: Resources, who: Principal) -> tuple[ConsentPurpose, ...]:
    history = consent.list_consent_records(resources.db, who)
    purposes = []
    for name, field in PURPOSE_FIELDS.items():
        records = [record for record in history if record.purpose == name]
        since = records[-1].at if records and records[-1].given else None
        withdrawn = max((record.at for record in records if not record.given), default=None)
        is_on = bool(getattr(resources.settings, field))
        purposes.append(ConsentPurpose(name, variable_of(field), is_on, since, withdrawn))
    return tuple(purposes)


def set_consent(
    resources: Resources, purpose: str, give: bool, *, who: Principal = LOCAL_USER
) -> None:
    """Give or withdraw consent. Raises UsageError for an unknown purpose."""
    record = consent.give_consent if give else consent.withdraw_consent
    record(resources.db, who, purpose, resources.clock.now())


def list_retention_spans(resources: Resources) -> tuple[RetentionSpan, ...]:
    """Return how long each kind of data is kept under this machine's settings."""
    settings, days = resources.settings, retention.DAY_S
    untouched = settings.retention_days * days or None
    audit = (
        RetentionSpan(
            _("Rotated audit files"),
            settings.audit_retention_days * days or None,
            variable_of("audit_retention_days"),
        ),
    )
    return (
        RetentionSpan(_("Unused sessions"), untouched, variable_of("retention_days")),
        RetentionSpan(
            _("Deleted sessions and libraries"),
            retention.get_restorable_s(resources),
            variable_of("retention_days") if untouched else "",
        ),
        RetentionSpan(_("Notes"), settings.memory_retention_s, variable_of("memory_retention_s")),
        RetentionSpan(
            _("Shared findings"),
            settings.workspace_retention_s,
            variable_of("workspace_retention_s"),
        ),
        RetentionSpan(_("Consents and tool counts"), None),
        *(audit if settings.audit_path else ()),
    )


def end_all_sign_ins(resources: Resources, *, who: Principal = LOCAL_USER) -> None:
    """Sign a user out of the app in every browser."""
    sign_ins.end_all_sign_ins(resources.db, who, resources.clock.now())


def export_user_data(resources: Resources, *, who: Principal = LOCAL_USER) -> bytes:
    """Return all of a user's data as JSON in UTF-8; lone surrogates are escaped."""
    data = export_and_erase.export_user_data(resources.db, who)
    text = json.dumps(data, ensure_ascii=False, indent=2)
    return text.encode("utf-8", "backslashreplace")


def erase_user_data(resources: Resources, *, who: Principal = LOCAL_USER) -> dict[str, int]:
    """Erase all of a user's data for good, with saved reports; return how many of each.

    Raises ResearchError for a file that cannot be removed.
    """
    gone, sessions = export_and_erase.erase_user_data(resources.db, who, resources.clock.now())
    left: list[OSError] = []
    for session in sessions:
        try:
            session_status.get_saved_path(resources, session).unlink(missing_ok=True)
        except OSError as error:
            left.append(error)
    if left:
        why = _("All else is erased. {file} cannot be removed: {reason}.").format(
            file=left[0].filename, reason=left[0].strerror
        )
        raise ResearchError(why, next_step=_("Delete this file yourself.")) from left[0]
    return gone
