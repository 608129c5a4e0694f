"""The token of a call: who asks for it and when, who may see it, and what happens where none is
given.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from research_core.errors import BoundaryError, FetchError
from research_core.journal.cache import Cache
from research_core.journal.database import Database
from research_core.journal.deps import Login
from research_core.journal.doorway import Doorway
from research_core.journal.tables import open_database
from research_core.models import HttpReply
from research_core.web.http.client import Client
from tests.logs import ANN, Hands, log_of, new_session
from tests.scripted import Scripted
from tests.stored_bytes import read_stored_bytes

TOKEN, BASIC = "token-that-nobody-sees", "Basic a2V5OnNlY3JldC1vZi1hbm4="
GATE, URL = "https://ops.example.org/accesstoken", "https://ops.example.org/search"
LOGIN = Login(GATE, {"authorization": BASIC})
GIVEN = json.dumps({"access_token": TOKEN, "expires_in": "1199"}).encode()


class Service:
    """Gives a token at its gate, and repeats what it was sent everywhere else."""

    def __init__(
        self,
        gate: Callable[[], HttpReply] | None = None,
        answer: Callable[[dict[str, str]], HttpReply] | None = None,
    ) -> None:
        self.asked: list[tuple[str, str, dict[str, Any]]] = []
        self._gate = gate or (lambda: HttpReply(GATE, 200, {}, GIVEN))
        self._answer = answer or _echo

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        self.asked.append((method, url, options))
        return self._gate() if url == GATE else self._answer(options["headers"])


def _echo(headers: dict[str, str]) -> HttpReply:
    sent = headers["authorization"]
    return HttpReply(
        f"{URL}?t={sent}",
        200,
        {"etag": sent},
        f"found, for {sent} and {BASIC}".encode(),
        (f"{URL}/{sent}",),
    )


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    db = open_database(f"sqlite:///{tmp_path / 'assay.db'}")
    new_session(db)
    yield db
    db.close()


def door(db: Database, service: Service, *, readonly: bool = False, kept: bool = False) -> Doorway:
    cache = Cache(db, ANN, 1, lambda error: pytest.fail(str(error))) if kept else None
    return Doorway(
        log_of(db, readonly=readonly), service, Scripted("no answer"), Hands(), cache=lambda: cache
    )


def test_a_call_carries_a_token_that_was_asked_for_just_before(db: Database) -> None:
    service = Service()
    door(db, service).http.send(
        "GET", URL, params={"q": "tea"}, headers={"Accept": "a/b"}, login=LOGIN
    )
    (first, at, gate), (second, where, call) = service.asked
    assert (first, at, gate["data"], gate["headers"]["authorization"]) == (
        "POST",
        GATE,
        {"grant_type": "client_credentials"},
        BASIC,
    )
    assert (second, where, call["headers"], call["params"]) == (
        "GET",
        URL,
        {"accept": "a/b", "authorization": f"Bearer {TOKEN}"},
        {"q": "tea"},
    )
    assert call["timeout_s"] <= gate["timeout_s"]


def test_a_resume_and_a_replay_need_no_token_and_no_account(db: Database) -> None:
    said = door(db, Service()).http.send("GET", URL, login=LOGIN)
    for readonly, login in ((False, LOGIN), (True, LOGIN), (True, Login(GATE, {}))):
        again = Service()
        assert door(db, again, readonly=readonly).http.send("GET", URL, login=login) == said
        assert again.asked == []


def test_an_answer_that_is_kept_for_other_sessions_needs_no_token_either_but_is_that_accounts_own(
    db: Database,
) -> None:
    def session(id: str, service: Service, login: Login) -> HttpReply:
        new_session(db, id)
        cache = Cache(db, ANN, 1, lambda error: pytest.fail(str(error)))
        http = Doorway(
            log_of(db, id), service, Scripted("no answer"), Hands(), cache=lambda: cache
        ).http.for_service("ops", ttl_s=60)
        said = http.send("GET", URL, login=login)
        http.release_answers()
        return said

    first, same, other = Service(), Service(), Service()
    said = session("t", first, LOGIN)
    assert (session("u", same, LOGIN), same.asked) == (said, [])
    session("v", other, Login(GATE, {"authorization": "Basic of-somebody-else"}))
    assert len(other.asked) == 2


def test_neither_token_nor_account_is_written_anywhere(db: Database, tmp_path: Path) -> None:
    said = door(db, Service(), kept=True).http.send("GET", URL, login=LOGIN, ttl_s=60)
    assert said.body == b"found, for [hidden] and [hidden]"

    def fails(headers: dict[str, str]) -> HttpReply:
        raise FetchError(f"{headers['authorization']} is used up", kind="network")

    with pytest.raises(FetchError, match=r"^\[hidden\] is used up"):
        door(db, Service(answer=fails)).http.send("GET", f"{URL}/2", login=LOGIN)
    db.close()
    written = read_stored_bytes(tmp_path)
    assert b"is used up" in written
    for secret in (TOKEN, BASIC, BASIC.removeprefix("Basic ")):
        assert secret.encode() not in written, secret


def test_a_refused_token_is_the_answer_of_the_call_and_nothing_more_is_asked(db: Database) -> None:
    service = Service(gate=lambda: HttpReply(GATE, 401, {}, b'{"error": "invalid_client"}'))
    reply = door(db, service).http.send("GET", URL, login=LOGIN)
    assert (reply.status, [url for _, url, _ in service.asked]) == (401, [GATE])
    assert door(db, Service(), readonly=True).http.send("GET", URL, login=LOGIN) == reply


def test_a_gate_that_repeats_the_account_it_refuses_leaves_it_nowhere(db: Database) -> None:
    service = Service(
        gate=lambda: HttpReply(GATE, 401, {}, b"No account tea-house with secret-of-ann.")
    )
    account = base64.b64encode(b"tea-house:secret-of-ann").decode()
    reply = door(db, service).http.send(
        "GET", URL, login=Login(GATE, {"authorization": f"Basic {account}"})
    )
    assert reply.body == b"No account [hidden] with [hidden]."


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"{}",
        b"[]",
        b'{"access_token": 7}',
        b'{"access_token": " "}',
        b"[" * 100_000,
    ],
)
def test_an_answer_without_a_token_is_a_bad_reply(db: Database, body: bytes) -> None:
    service = Service(gate=lambda: HttpReply(GATE, 200, {}, body))
    with pytest.raises(BoundaryError) as caught:
        door(db, service).http.send("GET", URL, login=LOGIN)
    assert (caught.value.kind, len(service.asked)) == ("bad_reply", 1)


def test_a_token_is_asked_for_as_a_form(httpserver: Any) -> None:
    """By the real client: what `data` holds is sent as OAuth 2 has it."""
    httpserver.expect_request(
        "/token",
        method="POST",
        data=b"grant_type=client_credentials",
        headers={"Authorization": BASIC},
    ).respond_with_json({"access_token": TOKEN})
    httpserver.expect_request(
        "/search", headers={"Authorization": f"Bearer {TOKEN}"}
    ).respond_with_data("found")
    origin = httpserver.url_for("").rstrip("/")
    db = open_database("sqlite://")
    new_session(db)
    client = Client(allowed_endpoints=frozenset({origin}))
    doorway = Doorway(log_of(db), client, Scripted("no answer"), Hands())
    login = Login(f"{origin}/token", {"authorization": BASIC})
    assert doorway.http.send("GET", f"{origin}/search", login=login, endpoint=True).body == b"found"
    client.close()
    db.close()


def test_the_account_is_not_shown_where_a_login_is() -> None:
    assert BASIC not in repr(LOGIN)
