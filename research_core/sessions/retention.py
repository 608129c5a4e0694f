"""Delete what is kept no longer: sessions, libraries, notes, findings, answers, audit files.

Each kind has its own setting. Workers and the HTTP server run this at start and daily. Nothing in
use is deleted: a running session, or one that tools may continue, stays however old it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from research_core.errors import ResearchError
from research_core.i18n import ngettext
from research_core.journal import audit, cache, cross_tenant, session_admin
from research_core.journal.audit.file import AuditRetention, remove_outdated
from research_core.models import Principal
from research_core.search.library import shelf
from research_core.sessions import heartbeats, session_control, session_status
from research_core.userdata import memory, shares, sign_ins, workspaces
from research_core.wiring import LOCAL_USER, Resources

DAY_S = 86_400.0


def get_restorable_s(resources: Resources) -> float:
    """Return for how many seconds a deleted session or removed library can be restored.

    It is never longer than an untouched session is kept.
    """
    days = resources.settings.retention_days
    if not days:
        return session_control.KEPT_DELETED_S
    return min(session_control.KEPT_DELETED_S, days * DAY_S)


def purge_user(resources: Resources, *, who: Principal = LOCAL_USER) -> int:
    """Delete this user's expired sessions for good and return how many.

    Raises ResearchError for a file that cannot be removed, after everything else is.
    """
    now = resources.clock.now()
    days = resources.settings.retention_days
    gone = session_admin.purge_deleted_sessions(
        resources.db, who, now - session_control.KEPT_DELETED_S
    )
    left: list[OSError] = []
    if days:
        beats = heartbeats.list_executors(resources.db)
        beat_now = heartbeats.read_clock(resources)
        running = [name for name in beats if heartbeats.is_alive(name, beats, beat_now)]
        gone += session_admin.expire_sessions(resources.db, who, now - days * DAY_S, now, running)
    for session in gone:
        try:
            session_status.get_saved_path(resources, session).unlink(missing_ok=True)
        except OSError as error:
            left.append(error)
    if left:
        why = (
            f"{left[0].filename} is of a session deleted long ago and cannot be removed:"
            f" {left[0].strerror}."
        )
        raise ResearchError(why, next_step="Remove it by hand.") from left[0]
    return len(gone)


def enforce_retention(resources: Resources) -> None:
    """Delete what is expired for all users; raise the first ResearchError when done."""
    troubles: list[ResearchError] = []
    for part in (
        _expire_sessions,
        _expire_libraries,
        _expire_notes,
        _expire_findings,
        _expire_sign_ins,
        _expire_shares,
        _expire_answers,
        _expire_audit_files,
        _compact_database,
    ):
        troubles.extend(_remove_expired(part, resources))
    if troubles:
        raise troubles[0]


RemovalSteps = Iterator[Callable[[], object]]


def _remove_expired(
    part: Callable[[Resources], RemovalSteps], resources: Resources
) -> Iterator[ResearchError]:
    """Delete the expired items of one kind and yield the errors, also of listing them."""
    try:
        for removing in part(resources):
            try:
                removing()
            except ResearchError as error:
                yield error
    except ResearchError as error:
        yield error


def _expire_sessions(resources: Resources) -> RemovalSteps:
    now = resources.clock.now()
    days = resources.settings.retention_days
    deleted = now - session_control.KEPT_DELETED_S
    users = [*cross_tenant.list_users_with_deleted_sessions(resources.db, deleted)]
    if days:
        untouched = now - days * DAY_S
        users += cross_tenant.list_users_with_untouched_sessions(resources.db, untouched)
    for who in dict.fromkeys(users):
        yield partial(purge_user, resources, who=who)


def _expire_libraries(resources: Resources) -> RemovalSteps:
    """Delete removed libraries when they can be restored no longer."""
    before = resources.clock.now() - get_restorable_s(resources)
    for who in cross_tenant.list_users_with_removed_libraries(resources.db, before):
        yield partial(shelf.purge_removed_libraries, resources.db, who, before)


def _expire_notes(resources: Resources) -> RemovalSteps:
    before = resources.clock.now() - resources.settings.memory_retention_s
    for who in cross_tenant.list_users_with_old_notes(resources.db, before):
        yield partial(memory.sweep_notes, resources.db, who, before)


def _expire_findings(resources: Resources) -> RemovalSteps:
    before = resources.clock.now() - resources.settings.workspace_retention_s
    for who in cross_tenant.list_users_with_old_contributions(resources.db, before):
        yield partial(workspaces.sweep_contributions, resources.db, who, before)


def _expire_sign_ins(resources: Resources) -> RemovalSteps:
    before = resources.clock.now() - sign_ins.LONGEST_S
    for who in cross_tenant.list_users_with_old_sign_ins(resources.db, before):
        yield partial(sign_ins.sweep_sign_ins, resources.db, who, before)


def _expire_shares(resources: Resources) -> RemovalSteps:
    before = resources.clock.now()
    for who in cross_tenant.list_users_with_expired_shares(resources.db, before):
        yield partial(shares.sweep_shares, resources.db, who, before)


def _expire_answers(resources: Resources) -> RemovalSteps:
    """Remove pages and large tool results, which hold their own expiry."""
    yield resources.sweep_caches


def _compact_database(resources: Resources) -> RemovalSteps:
    """Give the space of what was deleted back to the disk, once it is much."""
    yield partial(session_admin.compact_if_worthwhile, resources.db)


def _expire_audit_files(resources: Resources) -> RemovalSteps:
    if resources.settings.audit_path:
        yield partial(_remove_old_audit_files, resources)


def _remove_old_audit_files(resources: Resources) -> None:
    settings = resources.settings
    troubles: list[ResearchError] = []
    moment = audit.build_event(resources.clock.now(), LOCAL_USER, "", "", 0.0, "", {})
    remove_outdated(
        Path(settings.audit_path),
        moment,
        troubles.append,
        AuditRetention(settings.audit_max_bytes, settings.audit_retention_days),
    )
    if troubles:
        raise troubles[0]


# ---------------------------------------------------------------- the cache of pages


def describe_page_cache(resources: Resources, *, who: Principal = LOCAL_USER) -> str:
    """Describe how many pages are cached for this tenant's next sessions, "" if none."""
    pages, size = cache.measure_cache(resources.db, who)
    if not pages:
        return ""
    text = ngettext(
        "{count:,} answer, {megabytes:,.1f} MB", "{count:,} answers, {megabytes:,.1f} MB", pages
    )
    return text.format(count=pages, megabytes=size / 1_000_000)


def empty_page_cache(resources: Resources, *, who: Principal = LOCAL_USER) -> int:
    """Delete the cached pages and return how many. Sessions keep what they have read."""
    return cache.empty_cache(resources.db, who)
