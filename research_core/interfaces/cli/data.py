"""The `data` command: show, export and erase a user's data, and manage their consents."""

from __future__ import annotations

import argparse
from contextlib import suppress
from functools import partial
from pathlib import Path

from research_core import policy
from research_core.errors import StoreError, UsageError
from research_core.interfaces.terminal import DONE, FAILED, Commands, print_json, say
from research_core.journal import salvage, session_admin
from research_core.journal.database import (
    find_sqlite_path,
    mark_damaged,
    set_aside_if_damaged,
)
from research_core.sessions import key_rotation, user_summary
from research_core.text.dates import format_utc_day
from research_core.text.words import format_count, to_single_line
from research_core.userdata import consent, export_and_erase, workspaces
from research_core.wiring import LOCAL_USER, Resources


def _show(_arguments: argparse.Namespace, resources: Resources) -> int:
    stored = export_and_erase.export_user_data(resources.db, LOCAL_USER)
    for purpose in policy.CONSENT_PURPOSES:
        since = consent.find_consent(resources.db, LOCAL_USER, purpose)
        state = "no consent" if since is None else f"consent since {format_utc_day(since)}"
        print(f"{purpose:10} {state}")
    for name, _, _ in export_and_erase.USER_STORES:
        print(f"{name:14} {len(stored[name])}")
    for each in stored["memberships"]:
        print(f"workspace {to_single_line(each['workspace'])}, since {each['since'][:10]}")
    return DONE


def _export(_arguments: argparse.Namespace, resources: Resources) -> int:
    print_json(export_and_erase.export_user_data(resources.db, LOCAL_USER))
    return DONE


def _record_consent(give: bool, arguments: argparse.Namespace, resources: Resources) -> int:
    if (consent.find_consent(resources.db, LOCAL_USER, arguments.purpose) is not None) == give:
        say(
            f"Consent to {arguments.purpose} is"
            f" {'given already' if give else 'not given, so there is nothing to withdraw'}."
        )
        return DONE
    (consent.give_consent if give else consent.withdraw_consent)(
        resources.db, LOCAL_USER, arguments.purpose, resources.clock.now()
    )
    say(
        f"Consent to {arguments.purpose}"
        f" {'given' if give else 'withdrawn. Stored data stays until `assay data erase --yes`'}."
    )
    return DONE


def _erase(arguments: argparse.Namespace, resources: Resources) -> int:
    if not arguments.yes:
        libraries = user_summary.describe_libraries_to_erase(resources)
        raise UsageError(
            "This permanently deletes your sessions, memories, contributions and consents"
            f"{', and ' + libraries if libraries else '.'}",
            next_step="To confirm, run `assay data erase --yes`.",
        )
    gone = user_summary.erase_user_data(resources)
    say("Erased: " + ", ".join(f"{count} {name}" for name, count in gone.items()) + ".")
    for why in export_and_erase.NOT_EXPORTED.values():
        say(f"Not erased: {why}")
    return DONE


def _rotate(_arguments: argparse.Namespace, resources: Resources) -> int:
    tenths_said = -1

    def tell(done: int, of: int) -> None:
        nonlocal tenths_said
        if (tenth := 10 * done // of) > tenths_said:
            tenths_said = tenth
            say(f"Re-encrypted with the new key: {done:,} of {format_count(of, 'row')}.")

    result = key_rotation.rotate_keys(resources.db, tell)
    for name, count in result.sealed.items():
        print(f"{name:20} {count:>9,}")
    if result.damaged:
        say(
            "Changed or moved, so it could not be decrypted and was left as it was:"
            f" {format_count(result.damaged, 'row')}."
        )
    if result.unknown:
        say(
            "Encrypted with neither of the two keys, and left as it was:"
            f" {format_count(result.unknown, 'row')}."
        )
    if result.left:
        say(
            "Written with the previous key in the meantime:"
            f" {format_count(result.left, 'row')}. Restart the"
            " processes that use only that key, then run this again."
        )
        return FAILED
    say(
        "CACHE_ENCRYPTION_KEY_PREV is no longer needed: remove it."
        if not result.damaged
        else "No other row needs the previous key."
    )
    return DONE


def _change_membership(join: bool, arguments: argparse.Namespace, resources: Resources) -> int:
    name = arguments.workspace
    if join:
        workspaces.add_member(resources.db, name, LOCAL_USER, resources.clock.now())
    elif not workspaces.remove_member(resources.db, name, LOCAL_USER):
        raise UsageError(
            f"You are not a member of {name!r}.",
            next_step="`assay data show` lists your workspaces.",
        )
    say(f"You {'are a member of' if join else 'have left'} {to_single_line(name)}.")
    return DONE


def _salvage(arguments: argparse.Namespace, resources: Resources) -> int:
    """Recover rows of a damaged database into the one in use; print what was and was not."""
    path = find_sqlite_path(resources.settings.database_url)
    source = Path(arguments.file) if arguments.file else _find_damaged(path)
    result = salvage.salvage_database(resources.db, source)
    for name, count in result.recovered.items():
        gaps = result.damaged_tables.get(name, 0)
        if count or gaps:
            lost = f", {format_count(gaps, 'gap')} with lost rows" if gaps else ""
            print(f"{name:14} {count:>9,}{lost}")
    say(
        f"Recovered {format_count(result.recovered['session'], 'session')} of"
        f" {format_count(result.sessions, 'readable session')} from {source}."
    )
    if result.incomplete:
        say(
            f"Parts of {format_count(len(result.incomplete), 'session')} are lost:"
            f" {', '.join(result.incomplete)}. Their reports may not open."
        )
    if "session" in result.damaged_tables:
        say("Other sessions may be lost entirely. A backup may hold them.")
    if not arguments.file:
        say(f"The damaged file was kept as {salvage.mark_salvaged(source)}.")
    return DONE


def _find_damaged(path: Path | None) -> Path:
    """Return the damaged file to salvage. Raises UsageError if none was set aside."""
    if path is None:
        raise UsageError("The database is not an SQLite file.", next_step="Restore a backup.")
    source = salvage.find_damaged_file(path)
    if source is None and path.is_file() and salvage.find_undetected_damage(path):
        mark_damaged(path)
        with suppress(StoreError):  # raised once it is set aside
            set_aside_if_damaged(path)
        source = salvage.find_damaged_file(path)
    if source is None:
        raise UsageError(
            "No damaged database was set aside, and the one in use is sound.",
            next_step="Give the FILE, if it is elsewhere.",
        )
    return source


def _compact(_arguments: argparse.Namespace, resources: Resources) -> int:
    """Give the space of deleted data back to the disk."""
    size, free = session_admin.measure_free_space(resources.db)
    session_admin.compact_database(resources.db)
    if size:
        say(f"The database has {(size - free) / 1e6:,.1f} MB; {free / 1e6:,.1f} MB were freed.")
    else:
        say("The database server was asked to reclaim space.")
    return DONE


COMMANDS: Commands = {
    "data show": _show,
    "data export": _export,
    "data consent": partial(_record_consent, True),
    "data withdraw": partial(_record_consent, False),
    "data join": partial(_change_membership, True),
    "data leave": partial(_change_membership, False),
    "data erase": _erase,
    "data rotate": _rotate,
    "data salvage": _salvage,
    "data compact": _compact,
}
