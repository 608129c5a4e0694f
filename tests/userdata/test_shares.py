"""Read-only links: what a token opens, when it ends, and that only its owner makes and revokes it."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from research_core.errors import UsageError
from research_core.journal import cross_tenant, session_admin
from research_core.journal.database import Database
from research_core.journal.store import create_session
from research_core.journal.tables import share
from research_core.models import Principal
from research_core.policy import RunSettings
from research_core.userdata import shares
from research_core.userdata.shares import DAY_S, MAX_LINKS

ADA, GRACE = Principal("local", "ada"), Principal("local", "grace")
ABROAD = Principal("abroad", "ada")
HERS = "a" * 32
AT = 1_000.0


@pytest.fixture
def store(db: Database) -> Database:
    """A database with a session of Ada's."""
    create_session(db, ADA, HERS, "What is shared?", RunSettings().to_json(), 1.0)
    return db


def test_a_token_opens_one_session_of_its_owner_and_is_not_stored(store: Database) -> None:
    create_session(store, ADA, "b" * 32, "Another?", RunSettings().to_json(), 1.0)
    token = shares.create_share(store, ADA, HERS, AT, 7)
    found = shares.find_share(store, token, AT + 1)
    assert found is not None
    assert (found.who, found.session, found.expires) == (ADA, HERS, AT + 7 * DAY_S)
    with store.reading() as conn:
        (row,) = conn.execute(sa.select(share)).all()
    assert token not in str(row)
    assert len(token) >= 43


@pytest.mark.parametrize("change", ["", " ", "x", "' OR 1=1 --", "ä\udcff", "x" * 5_000, "\0"])
def test_a_made_up_or_altered_token_opens_nothing(store: Database, change: str) -> None:
    token = shares.create_share(store, ADA, HERS, AT, 7)
    for wrong in (change, token[:-1] + change, token.swapcase(), token[1:]):
        assert shares.find_share(store, wrong, AT) is None


@pytest.mark.parametrize(("days", "last"), [(1, DAY_S), (7, 7 * DAY_S), (30, 30 * DAY_S)])
def test_a_link_ends_when_it_expires(store: Database, days: int, last: float) -> None:
    token = shares.create_share(store, ADA, HERS, AT, days)
    assert shares.find_share(store, token, AT + last - 1)
    assert shares.find_share(store, token, AT + last) is None
    assert shares.list_shares(store, ADA, HERS, AT + last) == []


def test_only_its_owner_lists_and_revokes_a_link(store: Database) -> None:
    token = shares.create_share(store, ADA, HERS, AT, 7)
    (mine,) = shares.list_shares(store, ADA, HERS, AT)
    for who in (GRACE, ABROAD, Principal()):
        assert shares.list_shares(store, who, HERS, AT) == []
        assert shares.export_shares(store, who) == []
        shares.revoke_share(store, who, mine.key, AT)
    assert shares.find_share(store, token, AT)
    shares.revoke_share(store, ADA, mine.key, AT + 1)
    assert shares.find_share(store, token, AT + 1) is None
    assert shares.list_shares(store, ADA, HERS, AT + 1) == []


@pytest.mark.parametrize("who", [GRACE, ABROAD, Principal()])
def test_nobody_shares_the_session_of_another(store: Database, who: Principal) -> None:
    with pytest.raises(UsageError, match="There is no session"):
        shares.create_share(store, who, HERS, AT, 7)
    with store.reading() as conn:
        assert conn.execute(sa.select(share)).all() == []


def test_a_link_ends_with_its_session(store: Database) -> None:
    token = shares.create_share(store, ADA, HERS, AT, 7)
    session_admin.delete_session(store, ADA, HERS, AT)
    assert shares.find_share(store, token, AT) is None
    with pytest.raises(UsageError):
        shares.create_share(store, ADA, HERS, AT, 7)
    session_admin.purge_deleted_sessions(store, ADA, AT + 1)
    assert shares.export_shares(store, ADA) == []


def test_a_session_has_so_many_links_and_lasts_so_many_days(store: Database) -> None:
    with pytest.raises(UsageError, match="cannot last 400 days"):
        shares.create_share(store, ADA, HERS, AT, 400)
    for _ in range(MAX_LINKS):
        shares.create_share(store, ADA, HERS, AT, 1)
    with pytest.raises(UsageError) as refused:
        shares.create_share(store, ADA, HERS, AT, 1)
    assert refused.value.next_step == "Revoke one of them first."
    shares.create_share(store, ADA, HERS, AT + DAY_S, 1)


def test_expired_links_are_swept_and_of_their_user_alone(store: Database) -> None:
    create_session(store, GRACE, "c" * 32, "His?", RunSettings().to_json(), 1.0)
    shares.create_share(store, ADA, HERS, AT, 1)
    shares.create_share(store, ADA, HERS, AT, 7)
    shares.create_share(store, GRACE, "c" * 32, AT, 1)
    assert cross_tenant.list_users_with_expired_shares(store, AT + DAY_S) == [ADA, GRACE]
    assert shares.sweep_shares(store, ADA, AT + DAY_S) == 1
    assert len(shares.export_shares(store, ADA)) == len(shares.export_shares(store, GRACE)) == 1
