"""Share among site readers: requests to a service, checks of its answers, failed attempts.

An answer that does not match the service's documentation raises a FetchError with its kind, and is
never an empty page. Long XML and HTML is parsed in a child process; JSON needs no C library and is
parsed here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from lxml import etree

from research_core.errors import FetchError
from research_core.journal.http_caching import STATUS_KINDS, parse_retry_after
from research_core.model_messages import Json
from research_core.models import Attempt, HttpReply
from research_core.text.words import format_count, truncate
from research_core.web.documents.sandbox import SHARED_SANDBOX, Sandbox
from research_core.web.html import MAX_IN_PROCESS_BYTES
from research_core.web.lxml_types import Element
from research_core.web.parser_memory import raise_if_out_of_memory
from research_core.web.sites.layout import one_line

if TYPE_CHECKING:
    from research_core.journal.deps import Http

T = TypeVar("T")

TIMEOUT_S = 10.0
MAX_BYTES = 5_000_000
#: Names kept of a page's authors, names shown in its text, and characters of one.
MAX_NAMES, MAX_SHOWN_NAMES, MAX_NAME_LENGTH = 100, 20, 200
#: Seconds for which other sessions may reuse an answer.
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
    """Return a service's answer, with status 200 and not empty. Raises FetchError.

    options: params, headers, json of the request; page=True if it is somebody's page, whose
    robots.txt and pace are then respected; max_document if it may be a document.
    """
    reply = http.send(method, url, timeout_s=timeout_s, max_bytes=MAX_BYTES, ttl_s=TTL_S, **options)
    if reply.status != 200:  # other kinds of success promise nothing either, nor does a 400
        default = "upstream_unavailable" if reply.status >= 500 else "bad_reply"
        raise FetchError(
            f"{service} answered {reply.status}.",
            kind=STATUS_KINDS.get(reply.status) or default,
            status=reply.status,
            retry_after=parse_retry_after(reply.headers),
        )
    if not reply.body or reply.body.isspace():
        raise FetchError(f"{service} sent an empty answer.", kind="content_empty", status=200)
    return reply


def make_unexpected_answer_error(service: str, what: str) -> FetchError:
    """Return the error for an answer that does not have its documented shape."""
    return FetchError(
        f"{service} gave an answer that cannot be read: {what}.", kind="bad_reply", status=200
    )


def make_not_found_error(what: str) -> FetchError:
    """Return the error for something the service says it does not have."""
    return FetchError(what, kind="not_found")


def parse_json_reply(reply: HttpReply, service: str) -> Any:
    """Return the JSON value of an answer. Raises FetchError bad_reply."""
    try:
        return json.loads(reply.body)
    except (ValueError, RecursionError) as error:
        raise make_unexpected_answer_error(service, "it is not JSON") from error


def parse_object_reply(reply: HttpReply, service: str) -> dict[str, Any]:
    """Return the JSON object of an answer. Raises FetchError bad_reply, also for an empty one."""
    value = parse_json_reply(reply, service)
    if not isinstance(value, dict) or not value:
        raise make_unexpected_answer_error(service, "it is no JSON object with fields")
    return value


def parse_in_sandbox(
    reader: str,
    parse: Callable[..., Json],
    body: bytes,
    *,
    sandbox: Sandbox = SHARED_SANDBOX,
    **options: Any,
) -> Json:
    """Parse an answer with a reader of `sandbox.READERS`; a long one in a child process.

    Raises FetchError as both do.
    """
    if len(body) <= MAX_IN_PROCESS_BYTES:
        return parse(body, **options)
    return sandbox.run(reader, body, **options)


def parse_xml_reply(body: bytes, service: str) -> Element:
    """Parse an XML answer without entities and external files. Raises FetchError bad_reply."""
    if b"<!ENTITY" in body:
        raise make_unexpected_answer_error(service, "it declares entities of its own")
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
        raise_if_out_of_memory(error)
        raise make_unexpected_answer_error(service, "it is not XML") from error


# ---------------------------------------------------------------- fields


def get_value(value: Any, *path: str | int) -> Any:
    """Return the value at the end of a path through objects and lists, or None."""
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def get_text(value: Any, *path: str | int) -> str:
    """Return the text at the end of a path, or ""."""
    found = get_value(value, *path)
    return found if isinstance(found, str) else ""


def get_number(value: Any, *path: str | int) -> int | None:
    """Return the whole number at the end of a path, or None; digits as text count."""
    found = get_value(value, *path)
    if isinstance(found, str) and re.fullmatch(r"[0-9]{1,18}", found):
        return int(found)
    if isinstance(found, bool) or not isinstance(found, int):
        return None
    return found


def get_objects(value: Any, *path: str | int) -> list[dict[str, Any]]:
    """Return the objects of the list at the end of a path."""
    found = get_value(value, *path)
    if not isinstance(found, list):
        return []
    return [row for row in found if isinstance(row, dict)]


def get_texts(value: Any, *path: str | int) -> tuple[str, ...]:
    """Return the texts of the list at the end of a path."""
    found = get_value(value, *path)
    if not isinstance(found, list | tuple):
        return ()
    return tuple(each for each in found if isinstance(each, str))


def limit_names(said: Iterable[str]) -> tuple[str, ...]:
    """Return the non-empty names in order, at most a hundred."""
    names = filter(None, map(one_line, said))
    return tuple(truncate(name, MAX_NAME_LENGTH) for name in islice(names, MAX_NAMES))


def format_byline(authors: Sequence[str], *facts: str) -> str:
    """Format the first authors and other facts as a line of text."""
    names = ", ".join(authors[:MAX_SHOWN_NAMES])
    if len(authors) > MAX_SHOWN_NAMES:
        names += " et al"
    return ". ".join(filter(None, (names, *facts)))


# ---------------------------------------------------------------- ways that were tried


@dataclass
class Attempts:
    """The failed attempts to read something, in order, and the first error.

    An attempt that works is not recorded.
    """

    made: list[Attempt] = field(default_factory=list)
    error: FetchError | None = None

    def run(self, tier: str, way: Callable[[], T]) -> T | None:
        """Run an attempt and return its result; record its failure and return None."""
        try:
            return way()
        except FetchError as error:
            self.note(tier, error)
            return None

    def note(self, tier: str, error: FetchError) -> None:
        """Record why an attempt failed."""
        self.made.append(Attempt(tier, error.message.removesuffix(".")))
        self.error = self.error or error

    def attach_to(self, error: FetchError) -> FetchError:
        """Return this error with the failed attempts attached."""
        error.tried = tuple({"tier": each.tier, "outcome": each.outcome} for each in self.made)
        return error


def format_counts(amounts: Mapping[str, int | None]) -> str:
    """Format the known amounts, by their nouns in the singular: "1 reply, 1,200 likes"."""
    counts = [format_count(count, noun) for noun, count in amounts.items() if count is not None]
    return ", ".join(counts)
