"""Keep the secrets of a request out of the log, and select what of an answer is recorded.

Call keys hold neither secrets nor the address of a configured service, so that a session can be
resumed with other ones and replayed with none.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, overload
from urllib.parse import parse_qsl, quote, quote_plus, urlencode, urlsplit

from research_core.models import HttpReply

SECRET_HEADERS = frozenset(
    {
        "authorization",
        "x-api-key",
        "x-goog-api-key",
        "x-subscription-token",
        "cookie",
        "proxy-authorization",
    }
)
SECRET_PARAMS = frozenset({"key", "api_key", "apikey", "token", "access_token", "mailto", "email"})
#: Adds parameters that name the owner's account at a service: `cx` is a search engine of their own
#: at Google.
ACCOUNT_PARAMS = SECRET_PARAMS | {"cx"}
#: Parameters that make an address personal, beside those that hold a key.
SIGNATURE_PARAMS = frozenset(
    {
        "sig",
        "signature",
        "x-amz-signature",
        "x-goog-signature",
        "session",
        "sessionid",
        "sid",
        "auth",
        "password",
    }
)
#: A JSON Web Token anywhere in a text.
JWT_PATTERN = r"\beyJ[\w-]{6,}\.[\w-]{4,}\.[\w-]+"
#: Shorter values are not keys, and removing them would damage the answer.
MIN_SECRET_LENGTH, HIDDEN_MARK = 8, "[hidden]"
#: Headers of an answer that are recorded.
RECORDED_HEADERS = frozenset(
    "cf-mitigated content-language content-location content-type date etag last-modified location"
    " retry-after x-rejection-reason x-robots-tag".split()
)


def drop_secret_names(values: Mapping[str, str], secret: Collection[str]) -> dict[str, str]:
    """Return the values whose names are not in this set."""
    return {name: value for name, value in values.items() if name.lower() not in secret}


def strip_user(url: str) -> str:
    """Return the address without user name and password."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def strip_secrets(url: str) -> str:
    """Return the address as a reader of the log may see it."""
    query = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    shown = [(name, value) for name, value in query if name.lower() not in SECRET_PARAMS]
    return urlsplit(strip_user(url))._replace(query=urlencode(shown)).geturl()


def strip_signature(url: str) -> str:
    """Return the address without keys and signatures; unchanged if it has none."""
    parts = urlsplit(strip_user(url))
    private = SECRET_PARAMS | SIGNATURE_PARAMS
    query = parse_qsl(parts.query, keep_blank_values=True)
    bare = [(name, value) for name, value in query if name.lower() not in private]
    if bare != query:
        parts = parts._replace(query=urlencode(bare))
    return parts.geturl()


def replace_service_address(url: str) -> str:
    """Return what is asked of a configured service, wherever that service runs.

    A session can then be replayed where the address differs or is unknown.
    """
    return "/" + urlsplit(url).path.rpartition("/")[2]


def collect_secrets(
    url: str, params: Mapping[str, str], headers: Mapping[str, str], *, endpoint: bool
) -> list[str]:
    """Return the secrets of a request in every spelling an answer may repeat, longest first.

    For "Bearer abc", abc is included too. endpoint: a configured service, whose address may hold a
    key; the address of a page is public, whatever its parameters are called.
    """
    given = list(params.items())
    if endpoint:
        given += parse_qsl(urlsplit(url).query)
    named = [value for name, value in given if name.lower() in ACCOUNT_PARAMS]
    named += [value for name, value in headers.items() if name.lower() in SECRET_HEADERS]
    named.append(urlsplit(url).password or "")
    spellings: set[str] = set()
    for value in named:
        for part in (value, *value.split(), *_decode_basic_account(value)):
            spellings.update((part, quote(part, safe=""), quote_plus(part)))
    long_enough = [spelling for spelling in spellings if len(spelling) >= MIN_SECRET_LENGTH]
    # A set of texts has another order in every process, and cache keys are made of this list.
    return sorted(long_enough, key=lambda spelling: (-len(spelling), spelling))


def _decode_basic_account(value: str) -> list[str]:
    """Return name and password from a header value "Basic …" or "LOW key:secret".

    A service may repeat either when it refuses them.
    """
    scheme, _, pair = value.partition(" ")
    if scheme.lower() == "low":
        return pair.split(":", 1)
    if scheme.lower() != "basic":
        return []
    try:
        return base64.b64decode(pair).decode().split(":", 1)
    except ValueError:
        return []


@overload
def remove_secrets(text: str, secrets: Sequence[str]) -> str: ...
@overload
def remove_secrets(text: bytes, secrets: Sequence[str]) -> bytes: ...
def remove_secrets(text: str | bytes, secrets: Sequence[str]) -> str | bytes:
    """Return the text without these secrets."""
    for secret in secrets:
        text = (
            text.replace(secret.encode(), HIDDEN_MARK.encode())
            if isinstance(text, bytes)
            else text.replace(secret, HIDDEN_MARK)
        )
    return text


def redact_reply(reply: HttpReply, secrets: Sequence[str]) -> dict[str, Any]:
    """Return what the log keeps of an answer."""
    return {
        "url": remove_secrets(reply.url, secrets),
        "status": reply.status,
        "headers": {
            name: remove_secrets(value, secrets)
            for name, value in reply.headers.items()
            if name in RECORDED_HEADERS
        },
        "body": remove_secrets(reply.body, secrets),
        "hops": [remove_secrets(hop, secrets) for hop in reply.hops],
    }


def hash_service_and_keys(url: str, secrets: Sequence[str]) -> str:
    """Hash the service and the keys an answer came by, which no call key holds.

    Another service or key may answer differently.
    """
    return hashlib.sha256(json.dumps([url, *secrets]).encode()).hexdigest()
