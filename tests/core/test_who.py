"""Whose data is whose: whatever reads or writes the store says for whom, and what is bound to one user answers no other."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy.exc import NoResultFound

from research_core import everybody, executors, keeping, store
from research_core.database import Database
from research_core.errors import UsageError
from research_core.events import Event
from research_core.models import Principal
from research_core.store import Row, Store
from tests.logs import ANN, BEN, CLEO, new_session

CORE = Path(store.__file__).parent
#: Functions that take no `who`: over rows that are nobody's (which processes are alive), and what says who there is and no more.
NOBODYS = {executors: {"beat", "forget", "known", "reap"}, everybody: {"with_deleted"}}


def touching(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """A module's public functions that are handed a database."""
    functions = {name: value for name, value in vars(module).items() if inspect.isfunction(value) and value.__module__ == module.__name__}
    return {name: f for name, f in functions.items() if not name.startswith("_") and "Database" in map(str, annotations(f).values())}


def annotations(function: Callable[..., Any]) -> dict[str, Any]:
    return {name: parameter.annotation for name, parameter in inspect.signature(function).parameters.items()}


@pytest.mark.parametrize("module", [store, keeping], ids=lambda module: module.__name__)
def test_every_function_over_the_database_takes_who(module: ModuleType) -> None:
    found = touching(module)
    assert found
    assert {name for name, function in found.items() if annotations(function).get("who") != "Principal"} == set()


@pytest.mark.parametrize("module", NOBODYS, ids=lambda module: module.__name__)
def test_the_walk_sees_a_function_without_who(module: ModuleType) -> None:
    assert set(touching(module)) == NOBODYS[module]
    assert all("who" not in annotations(function) for function in touching(module).values())


def test_what_is_asked_about_everybody_tells_who_they_are_and_nothing_of_theirs() -> None:
    returned = {inspect.signature(function).return_annotation for function in touching(everybody).values()}
    assert returned == {"list[Principal]"}


def test_every_module_that_knows_the_tables_is_walked() -> None:
    """A new one is added to a list here. Four name no table: they open databases, catch their errors, or tell which there is."""
    over = {path.stem for path in CORE.glob("*.py") if re.search(r"^import sqlalchemy", path.read_text(), re.MULTILINE)}
    assert over - {"database", "scheduler", "workers", "equipment"} == {"store", "keeping", "executors", "everybody"}


def appended(log: Store) -> list[Event | None]:
    return log.append([Row("delta", '{"text":"x"}')], {}, 5.0)


#: What each public method of a bound store does where the session is another's: an error, or this value.
METHODS: dict[str, tuple[Callable[[Store], Any], Any]] = {
    "append": (appended, UsageError),
    "read": (lambda log: log.read(), []),
    "blob": (lambda log: log.blob("sha"), KeyError),
    "stop_reason": (lambda log: log.stop_reason(), NoResultFound),
    "fork": (lambda log: log.fork("copy", {}, 6.0, ("delta",)), UsageError),
}


def test_table_of_methods_is_complete() -> None:
    assert {name for name, value in vars(Store).items() if inspect.isfunction(value) and not name.startswith("_")} == set(METHODS)


@pytest.mark.parametrize("who", [CLEO, Principal(ANN.tenant, "somebody"), Principal("another", ANN.user)], ids=str)
@pytest.mark.parametrize("name", METHODS)
def test_bound_store_answers_nobody_but_its_owner(db: Database, name: str, who: Principal) -> None:
    call, refused = METHODS[name]
    own = Store(db, ANN, new_session(db))
    own.append([Row("delta", "{}")], {"sha": b"body"}, 4.0)
    before = own.read()
    if isinstance(refused, type):
        if not (name == "blob" and who.tenant == ANN.tenant):  # what a page says is a tenant's, for one download
            with pytest.raises(refused):
                call(Store(db, who, own.session))
    else:
        assert call(Store(db, who, own.session)) == refused
    assert own.read() == before
    assert store.sessions(db, who) == []


def test_owner_gets_what_others_are_refused(db: Database) -> None:
    own = Store(db, ANN, new_session(db))
    own.append([Row("delta", "{}")], {"sha": b"body"}, 4.0)
    assert [len(appended(own)), len(own.read()), own.blob("sha"), own.stop_reason()] == [1, 2, b"body", None]
    assert len(own.fork("copy", {}, 6.0, ("delta",)).read()) == 2
    assert store.sessions(db, BEN) == []
