"""Sign-ins as the server keeps them: in force, renewed, ended, and told to their user alone."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from research_core.journal import cross_tenant
from research_core.journal.database import Database
from research_core.journal.tables import sign_in
from research_core.models import Principal
from research_core.userdata import sign_ins
from research_core.userdata.sign_ins import LONGEST_S, SEEN_EVERY_S, UNUSED_S, use_sign_in

ADA, GRACE = (
    Principal("local", "https://id.example|ada"),
    Principal("local", "https://id.example|grace"),
)
ABROAD = Principal("abroad", ADA.user)


def test_a_sign_in_is_its_user_s_alone_and_its_token_is_not_stored(db: Database) -> None:
    token = sign_ins.start_sign_in(db, ADA, 1.0)
    assert use_sign_in(db, ADA, token, 2.0)
    for who in (GRACE, ABROAD, Principal()):
        assert not use_sign_in(db, who, token, 2.0)
        assert sign_ins.list_sign_ins(db, who, 2.0) == []
        sign_ins.end_sign_in(db, who, token, 3.0)
    assert use_sign_in(db, ADA, token, 4.0)
    with db.reading() as conn:
        (row,) = conn.execute(sa.select(sign_in)).all()
    assert token not in str(row)
    assert len(token) >= 40


@pytest.mark.parametrize("token", ["", "x", "' OR 1=1 --", "ä\udcff", "x" * 5_000])
def test_a_made_up_token_is_none(db: Database, token: str) -> None:
    sign_ins.start_sign_in(db, ADA, 1.0)
    assert not use_sign_in(db, ADA, token, 2.0)
    sign_ins.end_sign_in(db, ADA, token, 2.0)
    assert len(sign_ins.list_sign_ins(db, ADA, 2.0)) == 1


@pytest.mark.parametrize(
    ("uses", "asked", "is_in_force"),
    [
        ([], UNUSED_S - 1, True),
        ([], UNUSED_S + 1, False),
        ([UNUSED_S - 1], UNUSED_S * 2 - 2, True),
        ([UNUSED_S - 1], UNUSED_S * 2, False),
        ([SEEN_EVERY_S / 2], UNUSED_S + SEEN_EVERY_S / 4, False),  # too soon to be noted
        ([UNUSED_S * n * 0.9 for n in range(1, 16)], LONGEST_S - 1, True),
        ([UNUSED_S * n * 0.9 for n in range(1, 16)], LONGEST_S + 1, False),
    ],
)
def test_a_sign_in_is_renewed_by_use_and_ends_at_the_latest_after_a_week(
    db: Database, uses: list[float], asked: float, is_in_force: bool
) -> None:
    token = sign_ins.start_sign_in(db, ADA, 0.0)
    for at in uses:
        assert use_sign_in(db, ADA, token, at)
    assert use_sign_in(db, ADA, token, asked) is is_in_force
    assert bool(sign_ins.list_sign_ins(db, ADA, asked)) is is_in_force


def test_one_is_ended_or_all_of_a_user(db: Database) -> None:
    first, second = (sign_ins.start_sign_in(db, ADA, at) for at in (1.0, 2.0))
    his = sign_ins.start_sign_in(db, GRACE, 3.0)
    sign_ins.end_sign_in(db, ADA, first, 4.0)
    assert [use_sign_in(db, ADA, token, 5.0) for token in (first, second)] == [False, True]
    sign_ins.end_all_sign_ins(db, ADA, 6.0)
    assert not use_sign_in(db, ADA, second, 7.0)
    assert use_sign_in(db, GRACE, his, 7.0)
    assert sign_ins.export_sign_ins(db, ADA) == [
        {"created": 1.0, "seen": 1.0, "revoked": 4.0},
        {"created": 2.0, "seen": 2.0, "revoked": 6.0},
    ]


def test_old_ones_are_swept(db: Database) -> None:
    for at in (1.0, 50.0):
        sign_ins.start_sign_in(db, ADA, at)
    sign_ins.start_sign_in(db, GRACE, 50.0)
    assert cross_tenant.list_users_with_old_sign_ins(db, 40.0) == [ADA]
    assert sign_ins.sweep_sign_ins(db, ADA, 40.0) == 1
    assert len(sign_ins.export_sign_ins(db, ADA)) == len(sign_ins.export_sign_ins(db, GRACE)) == 1


@pytest.mark.parametrize(
    ("claims", "user"),
    [
        ({"is_logged_in": True, "iss": "https://id.example", "sub": "ada"}, ADA.user),
        (
            {"is_logged_in": True, "iss": "https://id.example", "sub": "アダ"},
            "https://id.example|アダ",
        ),
        ({"is_logged_in": False, "iss": "https://id.example", "sub": "ada"}, None),
        ({"iss": "https://id.example", "sub": "ada"}, None),
        ({"is_logged_in": True, "sub": "ada"}, None),
        ({"is_logged_in": True, "iss": "https://id.example", "sub": ""}, None),
        ({}, None),
    ],
)
def test_claims_name_a_user_or_nobody(claims: dict[str, object], user: str | None) -> None:
    who = sign_ins.build_principal(claims)
    assert (who.user if who else None) == user
