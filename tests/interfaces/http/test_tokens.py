"""Whose a token is, and every way in which one is none; when the issuer is asked for its keys."""

from __future__ import annotations

import base64
import hmac
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jwt
from joserfc.jwk import RSAKey

from research_core.errors import FetchError
from research_core.interfaces.http.issuer import IssuerKeys, PublishedJson
from research_core.interfaces.http.tokens import (
    Refused,
    check_not_revoked,
    revoke_token,
    verify_token,
)
from research_core.journal.tables import open_database
from research_core.models import Principal
from tests.counter import Ticking
from tests.http_service import AUDIENCE, ISSUER, JWKS, jwks, key, token
from tests.tool_calls_made import ScriptedServices

NOW = 1_750_000_000.0


def keys(clock: Ticking, *kids: str) -> tuple[IssuerKeys, ScriptedServices]:
    outside = ScriptedServices({JWKS: jwks(*kids)})
    return IssuerKeys(PublishedJson(JWKS, outside, clock.monotonic)), outside


def of(text: str, kids: IssuerKeys | None = None) -> Any:
    return verify_token(text, kids or keys(Ticking())[0], issuer=ISSUER, audience=AUDIENCE, now=NOW)


def unsigned(header: dict[str, Any]) -> str:
    claims = {"iss": ISSUER, "aud": AUDIENCE, "exp": NOW + 600, "sub": "ada"}
    parts = (
        base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()
        for part in (header, claims)
    )
    return f"{'.'.join(parts)}."


def test_a_good_token_says_whose_it_is_and_what_they_may_do() -> None:
    found = of(token(NOW, scope="tool:web_search", jti="1"))
    assert (found.who, found.jti) == (Principal("acme", "ada"), "1")
    assert (found.may("web_search"), found.may("scrape_page")) == (True, False)
    assert of(token(NOW, sub=None, tenant_id=None)).who == Principal("default", "anonymous")
    assert not of(token(NOW)).may("anything")
    assert of(token(NOW, scp=["tool:*"])).may("anything")
    assert not of(token(NOW, scope="")).may("anything")


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://id.example.org/"}, {"iss": None}, {"aud": "other"}, {"aud": None}, {"aud": ["other"]}, {"aud": {"assay": 1}},
        {"exp": None}, {"exp": int(NOW)}, {"exp": "soon"}, {"exp": True}, {"iat": int(NOW) + 61}, {"nbf": int(NOW) + 61}, {"nbf": "now"},
        {"tenant_id": ""}, {"tenant_id": 7}, {"tenant_id": "a\nb"}, {"sub": "a" * 201}, {"sub": " ada"}, {"jti": 7}, {"scope": [7]},
    ],
    ids=str,
)  # fmt: skip
def test_a_token_that_is_not_meant_for_us_now_is_refused(claims: dict[str, Any]) -> None:
    with pytest.raises(Refused):
        of(token(NOW, **claims))


@pytest.mark.parametrize(
    "claims",
    [{"aud": ["other", AUDIENCE]}, {"iat": int(NOW) + 60}, {"nbf": int(NOW) + 60}, {"iat": None}],
    ids=str,
)
def test_clocks_may_be_a_minute_apart_and_a_token_may_be_meant_for_several(
    claims: dict[str, Any],
) -> None:
    assert of(token(NOW, **claims)).who.user == "ada"


def test_no_other_way_of_signing_is_taken_and_no_other_key() -> None:
    claims = {"iss": ISSUER, "aud": AUDIENCE, "exp": int(NOW) + 600}
    body = unsigned({"alg": "HS256", "kid": "one"})[:-1]
    mac = hmac.digest(
        key().as_pem(private=False), body.encode(), "sha256"
    )  # the key that everybody knows, as if it were a secret
    forged = f"{body}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"
    numbers = {
        name: value
        for name, value in key().as_dict(private=True).items()
        if name not in ("alg", "use", "kid")
    }
    longer = jwt.encode(
        {"alg": "RS512", "kid": "one"}, claims, RSAKey.import_key(numbers), algorithms=["RS512"]
    )  # type: ignore[arg-type]
    stranger = jwt.encode({"alg": "RS256", "kid": "one"}, claims, key("two"))
    good = token(NOW)
    changed = f"{good[:-6]}{'AAAAAA' if good[-6:] != 'AAAAAA' else 'BBBBBB'}"
    for text in (
        forged,
        longer,
        stranger,
        changed,
        unsigned({"alg": "none", "kid": "one"}),
        unsigned({"alg": "RS256", "kid": "one"}),
        good * 40,
    ):
        with pytest.raises(Refused):
            of(text)


def test_the_issuer_s_keys_are_asked_for_once_an_hour_and_a_new_one_once_a_minute() -> None:
    clock = Ticking()
    at, outside = keys(clock)
    for _ in range(5):
        of(token(NOW), at)
    assert len(outside.asked) == 1
    outside.answers = {JWKS: jwks("one", "two")}
    with pytest.raises(Refused):  # it was asked a moment ago
        of(token(NOW, "two"), at)
    clock.pass_by(60)
    assert of(token(NOW, "two"), at).who.user == "ada"
    with pytest.raises(Refused):
        of(token(NOW, "three"), at)
    assert len(outside.asked) == 2
    clock.pass_by(3_600)
    outside.answers = {}
    assert of(token(NOW), at).who.user == "ada"  # the keys of before, where it does not answer
    assert len(outside.asked) == 3


@pytest.mark.parametrize("said", [(500, {}), b"no JSON", b"[]"])
def test_keys_that_cannot_be_had_say_nothing_of_the_token(said: Any) -> None:
    with pytest.raises(FetchError):
        of(
            token(NOW),
            IssuerKeys(PublishedJson(JWKS, ScriptedServices({JWKS: said}), Ticking().monotonic)),
        )


def test_a_revoked_token_is_refused_and_its_row_goes_once_it_has_run_out() -> None:
    db = open_database("sqlite://")
    found = of(token(NOW, jti="a"))
    assert check_not_revoked(found, lambda: db) is found
    revoke_token(db, "a", NOW, NOW + 10)
    with pytest.raises(Refused, match="revoked"):
        check_not_revoked(found, lambda: db)
    revoke_token(db, "b", NOW + 11)
    assert check_not_revoked(found, lambda: db) is found


@given(
    st.text()
    | st.binary().map(lambda body: base64.urlsafe_b64encode(body).decode())
    | st.from_regex(r"[\w-]*\.[\w-]*\.[\w-]*")
)
def test_whatever_is_no_token_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        of(text)
