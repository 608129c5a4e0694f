"""What the readers of sites share: one request to a service, what its answer must be, and the ways
that were tried.

An answer that is not what the service's documentation promises raises a FetchError with its kind,
and is never an empty page. XML and HTML longer than what one process takes from a web page are
parsed in a child; JSON, which needs no C library to be safe from and comes back from a child as
JSON again, is read here. Which address is asked, and what the fields are called, is each reader's
own business.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from lxml import etree

from research_core.errors import FetchError
from research_core.journal.http_caching import STATUS_KINDS, parse_retry_after
from research_core.model_messages import Json
from research_core.models import Attempt, HttpReply
from research_core.text.words import truncate
from research_core.web.documents.sandbox import SHARED_SANDBOX, Sandbox
from research_core.web.html import MAX_IN_PROCESS_BYTES
from research_core.web.sites.layout import one_line

if TYPE_CHECKING:
    from research_core.journal.deps import Http

T = TypeVar("T")
Element = Any  # lxml ships no types

TIMEOUT_S = 10.0
MAX_BYTES = 5_000_000
#: Names kept of a page's authors, those shown in its text, and characters of one.
MAX_NAMES, MAX_SHOWN_NAMES, MAX_NAME_LENGTH = 100, 20, 200
#: Seconds for which what one session was answered stands for another.
TTL_S = 3600.0


def ask_service(
    http: Http,
    service: str,
    url: str,
    *,
    method: str = "GET",
    timeout_s: float = TIMEOUT_S,
    **options: Any,
) -> HttpReply:
    """The answer of a service, status 200 and not empty. Raises FetchError.

    options: params, headers, json of the request; page=True where it is somebody's page, whose
    robots.txt and pace are then heeded; max_document where it may be a document.
    """
    reply = http.send(method, url, timeout_s=timeout_s, max_bytes=MAX_BYTES, ttl_s=TTL_S, **options)
    if reply.status != 200:  # other kinds of success promise nothing either, nor does a 400
        kind = STATUS_KINDS.get(reply.status) or (
            "upstream_unavailable" if reply.status >= 500 else "bad_reply"
        )
        wait = parse_retry_after(reply.headers)
        raise FetchError(
            f"{service} answered {reply.status}.", kind=kind, status=reply.status, retry_after=wait
        )
    if not reply.body or reply.body.isspace():
        raise FetchError(f"{service} answered with nothing.", kind="content_empty", status=200)
    return reply


def unexpected_answer(service: str, what: str) -> FetchError:
    """The error of an answer that does not have the shape its documentation promises."""
    return FetchError(
        f"{service} gave an answer that cannot be read: {what}.", kind="bad_reply", status=200
    )


def not_found_error(what: str) -> FetchError:
    """The error of something the service says it does not have."""
    return FetchError(what, kind="not_found")


def parse_json_reply(reply: HttpReply, service: str) -> Any:
    """The JSON value of an answer. Raises FetchError bad_reply."""
    try:
        return json.loads(reply.body)
    except (ValueError, RecursionError) as error:
        raise unexpected_answer(service, "it is not JSON") from error


def parse_object_reply(reply: HttpReply, service: str) -> dict[str, Any]:
    """The JSON object of an answer; an empty one promises nothing. Raises FetchError bad_reply."""
    value = parse_json_reply(reply, service)
    if not isinstance(value, dict) or not value:
        raise unexpected_answer(service, "it is no JSON object with fields")
    return value


def parse_in_sandbox(
    reader: str,
    parse: Callable[..., Json],
    body: bytes,
    *,
    sandbox: Sandbox = SHARED_SANDBOX,
    **options: Any,
) -> Json:
    """What `parse`, a row of `sandbox.READERS`, makes of an answer: here, or in a child where it is
    long. Raises FetchError as both do.
    """
    return (
        parse(body, **options)
        if len(body) <= MAX_IN_PROCESS_BYTES
        else sandbox.run(reader, body, **options)
    )


def parse_xml_reply(body: bytes, service: str) -> Element:
    """The root element of an XML answer, no entity expanded and nothing loaded. Raises FetchError
    bad_reply.
    """
    if b"<!ENTITY" in body:
        raise unexpected_answer(service, "it declares entities of its own")
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(body, parser=parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise unexpected_answer(service, "it is not XML") from error


# ---------------------------------------------------------------- fields


def value_at(value: Any, *path: str | int) -> Any:
    """What stands at the end of a path through objects and lists; None where it breaks off."""
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def text_at(value: Any, *path: str | int) -> str:
    """The text at the end of a path, "" where there is none."""
    found = value_at(value, *path)
    return found if isinstance(found, str) else ""


def number_at(value: Any, *path: str | int) -> int | None:
    """The whole number at the end of a path, also where it is written as text."""
    found = value_at(value, *path)
    if isinstance(found, str) and re.fullmatch(r"[0-9]{1,18}", found):
        return int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def objects_at(value: Any, *path: str | int) -> list[dict[str, Any]]:
    """The objects of the list at the end of a path."""
    found = value_at(value, *path)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def texts_at(value: Any, *path: str | int) -> tuple[str, ...]:
    """The texts of the list at the end of a path."""
    found = value_at(value, *path)
    return (
        tuple(each for each in found if isinstance(each, str))
        if isinstance(found, list | tuple)
        else ()
    )


def limit_names(said: Iterable[str]) -> tuple[str, ...]:
    """Names in order, empty ones left out; of the thousands that sign some papers the first
    hundred.
    """
    return tuple(
        islice((truncate(name, MAX_NAME_LENGTH) for name in map(one_line, said) if name), MAX_NAMES)
    )


def format_byline(authors: Sequence[str], *facts: str) -> str:
    """Authors, the first few, and what else is known, as a line of text."""
    named = ", ".join(authors[:MAX_SHOWN_NAMES]) + (
        " et al" if len(authors) > MAX_SHOWN_NAMES else ""
    )
    return ". ".join(filter(None, (named, *facts)))


# ---------------------------------------------------------------- ways that were tried


@dataclass
class Attempts:
    """The ways of reading something that did not work, in order, and why; error: the first failure.
    What works leaves no trace here.
    """

    made: list[Attempt] = field(default_factory=list)
    error: FetchError | None = None

    def run(self, tier: str, way: Callable[[], T]) -> T | None:
        """What this way gives; None where it failed, which is then kept."""
        try:
            return way()
        except FetchError as error:
            self.note(tier, error)
            return None

    def note(self, tier: str, error: FetchError) -> None:
        """Keep why a way failed."""
        self.made.append(Attempt(tier, error.message.removesuffix(".")))
        self.error = self.error or error

    def failed(self, error: FetchError) -> FetchError:
        """This error, with the ways that were tried."""
        error.tried = tuple({"tier": each.tier, "outcome": each.outcome} for each in self.made)
        return error


def format_counts(**amounts: int | None) -> str:
    """Amounts as words, those that are not known left out: "3 replies, 1,200 likes"."""
    return ", ".join(f"{amount:,} {name}" for name, amount in amounts.items() if amount is not None)
