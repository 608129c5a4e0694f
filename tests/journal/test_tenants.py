"""Whose data is whose: whatever reads or writes the store says for whom, and what is bound to one
user answers no other.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy.exc import NoResultFound

from research_core.errors import UsageError
from research_core.journal import cross_tenant, store
from research_core.journal.database import Database
from research_core.journal.events import Event
from research_core.journal.store import EventRow, Store
from research_core.models import Principal
from research_core.search.library.shelf import Document, Shelf
from tests.logs import ANN, BEN, CLEO, new_session

CORE = Path(store.__file__).parents[1]
#: What is handed a database and takes no `who`, and why: it is over rows that are nobody's, or says
#: who there is, or how many, and no more.
NOBODYS = {
    "journal.salvage.salvage_database": "it copies the rows of all users, each as theirs",
    "sessions.heartbeats.record_beat": "which processes are alive",
    "sessions.heartbeats.forget_executor": "which processes are alive",
    "sessions.heartbeats.list_executors": "which processes are alive",
    "sessions.heartbeats.reap_executors": "which processes are alive",
    "journal.cross_tenant.list_users_with_deleted_sessions": "whose sessions are due to be purged",
    "journal.cross_tenant.list_users_with_untouched_sessions": "whose sessions are due to be removed",
    "journal.cross_tenant.list_users_with_removed_libraries": "whose removed libraries are due to be purged",
    "journal.cross_tenant.list_users_with_old_sign_ins": "whose sign-ins are due to be removed",
    "journal.cross_tenant.list_users_with_expired_shares": "whose links are due to be removed",
    "userdata.shares.find_share": "the session that a secret token opens, for whoever has it",
    "journal.cross_tenant.list_users_with_old_notes": "whose notes are due to be removed",
    "journal.cross_tenant.list_users_with_old_contributions": "whose shared findings are due to be removed",
    "journal.cross_tenant.list_users_with_expired_cache": "whose cached pages have run out",
    "journal.cross_tenant.list_users_with_cache": "which tenants have anything in their cache",
    "journal.cross_tenant.list_users_with_client_sessions": "who leads a session that tools may go on with",
    "journal.cross_tenant.list_waiting_sessions": "which sessions no process has taken, and whose",
    "journal.cross_tenant.count_sessions_by_executor": "how many sessions each process holds",
    "journal.limits.count_call": "how many calls a tenant made today, and nothing of them",
    "journal.limits.count_calls_on": "how many calls a tenant made today, and nothing of them",
    "journal.limits.Limits": "counts the requests of every tenant of a process",
    "interfaces.http.tokens.revoke_token": "which tokens were revoked, by an id that says nothing of whom",
    "interfaces.http.tokens.is_revoked": "which tokens were revoked, by an id that says nothing of whom",
    "interfaces.http.tokens.check_not_revoked": "which tokens were revoked, by an id that says nothing of whom",
    "userdata.workspaces.add_member": "who belongs to a workspace, as its operator says: the member is named",
    "userdata.workspaces.remove_member": "who belongs to a workspace, as its operator says: the member is named",
    "sessions.key_rotation.rotate_keys": "the key of the whole database; it tells how many rows, and nothing of them",
    "journal.session_admin.measure_free_space": "the size of the whole database",
    "journal.session_admin.compact_database": "the space of rows that are deleted already",
    "journal.session_admin.compact_if_worthwhile": "the space of rows that are deleted already",
    "sessions.dbos_queue.WorkQueue": "the order of the queue; it tells a place, and nothing of whose",
    "sessions.dbos_queue.open_queue": "the queue's own tables",
    "sessions.dbos_queue.open_tables": "the queue's own tables",
    "sessions.dbos_queue.run_scheduler": "the queue's own tables",
}
#: Modules that import SQLAlchemy and know no table: they open databases, catch their errors, or
#: tell which there is.
OVER_NO_TABLE = {
    "journal.database",
    "search.library.index",  # knows the tables of its own index, by the library's id
    "sessions.dbos_queue",
    "sessions.workers",
    "sessions.diagnostics",
    "interfaces.http.app",
}


def modules() -> dict[str, ModuleType]:
    """Every module of the core, by its name below it; a package by its own."""
    files = [path.relative_to(CORE).with_suffix("") for path in CORE.rglob("*.py")]
    names = {".".join(part for part in file.parts if part != "__init__") for file in files}
    return {
        name: import_module(f"research_core.{name}")
        for name in sorted(names - {""})
        if not name.endswith("__main__")
    }


def touching(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """A module's public functions, classes and methods that are handed a database."""
    own = {
        name: value
        for name, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__
    }
    found = {
        name: value
        for name, value in own.items()
        if inspect.isfunction(value) or inspect.isclass(value)
    }
    for name, of in [(name, value) for name, value in found.items() if inspect.isclass(value)]:
        members = {f"{name}.{key}": getattr(of, key) for key in vars(of) if not key.startswith("_")}
        found |= {
            key: value
            for key, value in members.items()
            if inspect.isfunction(value) or inspect.ismethod(value)
        }
    public = {name: value for name, value in found.items() if not name.startswith("_")}
    return {
        name: f
        for name, f in public.items()
        if any(re.search(r"\bDatabase\b", str(kind)) for kind in annotations(f).values())
    }


def annotations(called: Callable[..., Any]) -> dict[str, Any]:
    try:
        return {
            name: parameter.annotation
            for name, parameter in inspect.signature(called).parameters.items()
        }
    except ValueError:  # what is built in says nothing of itself
        return {}


WALKED = {
    f"{name}.{key}": f for name, module in modules().items() for key, f in touching(module).items()
}


def test_whatever_is_handed_a_database_takes_who_or_is_nobody_s() -> None:
    assert {name for name, f in WALKED.items() if annotations(f).get("who") != "Principal"} == set(
        NOBODYS
    )


def test_the_walk_goes_into_packages_classes_and_class_methods() -> None:
    assert set(WALKED) >= {
        "journal.store.list_sessions",
        "journal.store.Store",
        "search.previous_session.SessionPages",
        "search.library.library.Library",
        "search.library.shelf.Shelf.open",
    }


def test_what_is_asked_about_everybody_tells_who_or_how_many_and_nothing_of_theirs() -> None:
    returned = {
        inspect.signature(function).return_annotation
        for function in touching(cross_tenant).values()
    }
    # With whose it is, the id of a session that a worker then takes up for its user.
    assert returned == {"list[Principal]", "dict[str, int]", "list[tuple[str, Principal]]"}


def test_every_module_that_knows_the_tables_is_known() -> None:
    over = {
        name
        for name, module in modules().items()
        if re.search(r"^\s*(import|from) sqlalchemy", inspect.getsource(module), re.MULTILINE)
    }
    knowing = {
        "journal.store",
        "journal.session_admin",
        "sessions.heartbeats",
        "sessions.session_list",
        "sessions.session_status",
        "journal.cross_tenant",
        "journal.tables",
        "journal.cache",
        "search.library.shelf",
        "tools.client_session.store",
        "journal.limits",
        "interfaces.http.tokens",
        "sessions.key_rotation",
    }
    knowing |= {
        f"userdata.{name}"
        for name in (
            "analytics",
            "consent",
            "memory",
            "overrides",
            "export_and_erase",
            "shares",
            "sign_ins",
            "workspaces",
        )
    } | {"trust.ratings.store"}
    assert over - OVER_NO_TABLE == knowing


def appended(log: Store) -> list[Event | None]:
    return log.append([EventRow("delta", '{"text":"x"}')], {}, 5.0)


#: What each public method of a bound store does where the session is another's: an error, or this
#: value.
METHODS: dict[str, tuple[Callable[[Store], Any], Any]] = {
    "append": (appended, UsageError),
    "read": (lambda log: log.read(), []),
    "blob": (lambda log: log.blob("sha"), KeyError),
    "stop_reason": (lambda log: log.stop_reason(), NoResultFound),
    "fork": (lambda log: log.fork("copy", {}, 6.0, ("delta",)), UsageError),
}


def test_table_of_methods_is_complete() -> None:
    assert {
        name
        for name, value in vars(Store).items()
        if inspect.isfunction(value) and not name.startswith("_")
    } == set(METHODS)


@pytest.mark.parametrize(
    "who", [CLEO, Principal(ANN.tenant, "somebody"), Principal("another", ANN.user)], ids=str
)
@pytest.mark.parametrize("name", METHODS)
def test_bound_store_answers_nobody_but_its_owner(db: Database, name: str, who: Principal) -> None:
    call, refused = METHODS[name]
    own = Store(db, ANN, new_session(db))
    own.append([EventRow("delta", "{}")], {"sha": b"body"}, 4.0)
    before = own.read()
    if isinstance(refused, type):
        if not (
            name == "blob" and who.tenant == ANN.tenant
        ):  # what a page says is a tenant's, for one download
            with pytest.raises(refused):
                call(Store(db, who, own.session))
    else:
        assert call(Store(db, who, own.session)) == refused
    assert own.read() == before
    assert store.list_sessions(db, who) == []


def test_owner_gets_what_others_are_refused(db: Database) -> None:
    own = Store(db, ANN, new_session(db))
    own.append([EventRow("delta", "{}")], {"sha": b"body"}, 4.0)
    assert [len(appended(own)), len(own.read()), own.blob("sha"), own.stop_reason()] == [
        1,
        2,
        b"body",
        None,
    ]
    assert len(own.fork("copy", {}, 6.0, ("delta",)).read()) == 2
    assert store.list_sessions(db, BEN) == []


DOCUMENT = Document("document:abc", "Mine", "What I wrote.", "text", sha="abc", file="mine.txt")
#: What each public method of a shelf does where the library is another tenant's: an error, or this
#: value.
SHELVED: dict[str, tuple[Callable[[Shelf], Any], Any]] = {
    "put": (lambda shelf: shelf.put([DOCUMENT], 5.0), UsageError),
    "remove": (lambda shelf: shelf.remove([DOCUMENT.url]), UsageError),
    "hide": (lambda shelf: shelf.hide(5.0), None),
    "set_shared": (lambda shelf: shelf.set_shared(True), None),
    "read": (lambda shelf: shelf.read(DOCUMENT.url), None),
    "list_documents": (lambda shelf: shelf.list_documents(), []),
    "list_titles": (lambda shelf: shelf.list_titles(), []),
    "count": (lambda shelf: shelf.count(), 0),
    "files": (lambda shelf: shelf.files(), {}),
    "list_unembedded": (lambda shelf: shelf.list_unembedded("another model"), []),
    "store_vectors": (lambda shelf: shelf.store_vectors(DOCUMENT, "a model", b"other"), None),
    "vectors": (lambda shelf: shelf.vectors("a model", [DOCUMENT.key]), {}),
    "made_from": (lambda shelf: shelf.made_from(), {}),
    "changes": (lambda shelf: list(shelf.changes(0)), []),
    "stamp": (lambda shelf: shelf.stamp(), ""),
    "set_stamp": (lambda shelf: shelf.set_stamp("theirs"), None),
}


def test_table_of_a_shelf_s_methods_is_complete() -> None:
    assert {
        name
        for name, value in vars(Shelf).items()
        if inspect.isfunction(value) and not name.startswith("_")
    } == set(SHELVED)


@pytest.mark.parametrize("name", SHELVED)
def test_a_shelf_answers_nobody_of_another_tenant(db: Database, name: str) -> None:
    call, refused = SHELVED[name]
    own = Shelf.open(db, ANN, "my")
    own.put([DOCUMENT], 4.0)
    own.store_vectors(DOCUMENT, "a model", b"its vectors")
    own.set_stamp("mine")
    before = (
        own.list_documents(),
        own.read(DOCUMENT.url),
        own.stamp(),
        list(own.changes(0)),
        own.vectors("a model", [DOCUMENT.key]),
    )
    theirs = Shelf(db, Principal("another", ANN.user), "my", own.id)
    if isinstance(refused, type):
        with pytest.raises(refused):
            call(theirs)
    else:
        assert call(theirs) == refused
    now = (
        own.list_documents(),
        own.read(DOCUMENT.url),
        own.stamp(),
        list(own.changes(0)),
        own.vectors("a model", [DOCUMENT.key]),
    )
    assert now == before
