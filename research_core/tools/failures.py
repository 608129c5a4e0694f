"""Translate errors into the kinds, actions and sentences that the tools put on the wire.

Assay's own kinds (`errors.ERROR_KINDS`) are finer than those of the specification; the tables here
map one to the other.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from research_core.errors import (
    BoundaryError,
    FetchError,
    ResearchError,
    SearchError,
    SettingsError,
    StoreError,
    UsageError,
)
from research_core.model_messages import Json
from research_core.tools.advice import PROVIDER_STEPS, SOLE_PROVIDER_STEPS
from research_core.tools.client_session.store import Gone
from research_core.tools.searching import TRUST


@dataclass(frozen=True)
class PageFailure:
    """A kind of page failure on the wire.

    wire: the kind; action: what a program can do; says: the sentence, a template of {url}, {detail}
    and {seconds}. retryable: whether the specification lets the caller retry. Assay's own retries
    do not follow it: a page without text has none a moment later either.
    """

    wire: str
    action: str
    says: str
    retryable: bool = False


_NETWORK_FAILURE = PageFailure(
    "network", "retry_after_delay", "Network error on {url}: {detail} Check connectivity.", True
)
_REJECTED_ADDRESS = PageFailure(
    "validation",
    "inform_user",
    "URL rejected for {url}: {detail} Provide a valid public http(s) URL.",
)

#: The failure on the wire for each kind of page error.
KINDS: dict[str, PageFailure] = {
    "validation": _REJECTED_ADDRESS,
    "network": _NETWORK_FAILURE,
    "timeout": _NETWORK_FAILURE,
    "blocked": PageFailure(
        "blocked",
        "inform_user",
        "Blocked: {url} does not let programs read it. Try an alternative source — its content"
        " can't be read directly. {detail}",
    ),
    "disallowed": PageFailure(
        "blocked",
        "inform_user",
        "Blocked: {url} is not for programs to read. Try an alternative source. {detail}",
    ),
    "not_found": PageFailure(
        "not_found",
        "inform_user",
        "Not found: {url} returned 404/410 — the page does not exist. Check the URL. {detail}",
    ),
    "browser_unavailable": PageFailure(
        "browser_unavailable",
        "inform_user",
        "Scrape failed: Chrome unavailable. Set CHROME_PATH or install Chrome. {detail}",
    ),
    "content_empty": PageFailure(
        "content_empty",
        "inform_user",
        "No content extracted from {url}. May need browser rendering. {detail}",
        True,
    ),
    "unsupported": PageFailure(
        "unsupported", "inform_user", "No content extracted from {url}: {detail}"
    ),
    "too_large": PageFailure(
        "too_large", "inform_user", "No content extracted from {url}: {detail}"
    ),
    "auth_required": PageFailure(
        "auth_required", "inform_user", "Auth required: {url} is behind a login wall. {detail}"
    ),
    "rate_limited": PageFailure(
        "rate_limited",
        "retry_after_delay",
        "Rate limited on {url}. Retry in {seconds:.0f} seconds. {detail}",
        True,
    ),
    "upstream_unavailable": PageFailure(
        "upstream_unavailable",
        "retry_after_delay",
        "The site of {url} did not give it: {detail}",
        True,
    ),
    "circuit_open": PageFailure(
        "upstream_unavailable", "retry_after_delay", "{url} was not asked: {detail}", True
    ),
    "bad_reply": PageFailure(
        "upstream_unavailable",
        "inform_user",
        "The site of {url} gave an answer that cannot be read: {detail}",
    ),
    "config": PageFailure("config", "check_api_key", "{url} could not be read: {detail}"),
}
#: Seconds to wait if the site names no time.
RETRY_S = {"rate_limited": 60.0, "network": 5.0, "upstream_unavailable": 60.0}
_RETRY_LATER, _OTHER_PROVIDER, _INFORM_USER, _CHECK_KEY = (
    "retry_after_delay",
    "try_different_provider",
    "inform_user",
    "check_api_key",
)
#: The suggested action for each kind of provider failure: with an alternative provider, without.
ACTIONS: dict[str, tuple[str, str]] = {
    "rate_limited": (_RETRY_LATER, _RETRY_LATER),
    "network": (_RETRY_LATER, _RETRY_LATER),
    "timeout": (_RETRY_LATER, _RETRY_LATER),
    "upstream_unavailable": (_OTHER_PROVIDER, _RETRY_LATER),
    "circuit_open": (_OTHER_PROVIDER, _RETRY_LATER),
    "auth_required": (_CHECK_KEY, _CHECK_KEY),
    "blocked": (_OTHER_PROVIDER, _INFORM_USER),
    "disallowed": (_OTHER_PROVIDER, _INFORM_USER),
    "validation": (_INFORM_USER, _INFORM_USER),
    "content_empty": (_INFORM_USER, _INFORM_USER),
    "not_found": (_INFORM_USER, _INFORM_USER),
    "unsupported": (_OTHER_PROVIDER, _INFORM_USER),
    "too_large": (_INFORM_USER, _INFORM_USER),
    "browser_unavailable": (_INFORM_USER, _INFORM_USER),
    "bad_reply": (_OTHER_PROVIDER, "report_bug"),
    "config": (_CHECK_KEY, _CHECK_KEY),
}
#: (class, kind, action) of errors that no outside service caused, narrowest class first.
OWN_ERRORS: tuple[tuple[type[ResearchError], str, str], ...] = (
    (Gone, "session_not_found", _INFORM_USER),
    (UsageError, "validation", _INFORM_USER),
    (SettingsError, "config", _CHECK_KEY),
    (StoreError, "config", _INFORM_USER),
    (ResearchError, "config", "report_bug"),
)


def find_page_failure(error: FetchError) -> PageFailure:
    return KINDS.get(error.kind, KINDS["bad_reply"])


def reword_failure(error: FetchError, url: str) -> FetchError:
    """Return the failure in the words of the specification, with its attempts and next step."""
    failure = find_page_failure(error)
    seconds = error.retry_after
    if seconds is None:
        seconds = RETRY_S.get(failure.wire, 0.0)
    message = failure.says.format(url=url, detail=error.message, seconds=seconds).rstrip()
    reworded = FetchError(
        message,
        kind=error.kind,
        status=error.status,
        retry_after=error.retry_after,
        next_step=error.next_step,
    )
    reworded.tried = error.tried
    reworded.quotes = error.quotes
    return reworded


def failure_as_json(error: FetchError, url: str) -> Json:
    """Return a failure as search_and_scrape lists it."""
    failure = find_page_failure(error)
    return {
        "url": url,
        "kind": failure.wire,
        "reason": error.sentence(),
        "retryable": failure.retryable,
        "suggestedAction": failure.action,
    }


# ---------------------------------------------------------------- the two-part error of the wire


#: Templates for a provider's failure by the kind on the wire; others use their own message.
#: {or_else}: set if another provider can be asked.
_PROVIDER_TEXTS = {
    "rate_limited": "Rate limited ({provider}). Wait {seconds:.0f} seconds and retry{or_else}.",
    "auth_required": (
        "{provider} refused the key. Check its API key; .env.example lists every variable."
    ),
}
_OR_OTHER_PROVIDER = ", or try a different provider"


def format_error(error: ResearchError, others: Sequence[str] | None = None) -> str:
    """Format an error for MCP clients: a sentence, an empty line, and {"error": {…}} as JSON.

    others: alternative providers if a provider failed, None if unknown.
    """
    wire_error = _error_as_json(error, others)
    # An empty line in words of other services would look like the start of the second part.
    sentence = " ".join(_format_sentence(error, wire_error, others).split())
    return f"{sentence}\n\n{json.dumps({'error': wire_error}, ensure_ascii=False)}"


def _error_as_json(error: ResearchError, others: Sequence[str] | None) -> Json:
    if not isinstance(error, BoundaryError):
        return _own_error_as_json(error)
    failure = KINDS.get(error.kind, KINDS["bad_reply"])
    provider = error.provider if isinstance(error, SearchError) else ""
    action = ACTIONS[error.kind][others == ()] if provider else failure.action
    wait = error.retry_after
    if wait is None and failure.retryable:
        wait = RETRY_S.get(failure.wire)
    answer: Json = {"kind": failure.wire, "retryable": failure.retryable}
    if wait is not None:
        answer["retryAfterSeconds"] = round(wait)
    answer["suggestedAction"] = action
    if provider:
        answer["provider"] = provider
    if others and action == _OTHER_PROVIDER:
        answer["alternatives"] = list(others)
    answer["trust"] = TRUST
    return answer


def _own_error_as_json(error: ResearchError) -> Json:
    """Return an error that no outside service caused, such as a wrong call."""
    matching = [row for row in OWN_ERRORS if isinstance(error, row[0])]
    _, kind, action = matching[0]
    answer: Json = {"kind": kind, "retryable": False, "suggestedAction": action}
    if isinstance(error, Gone):
        answer["recoveryHint"] = _build_recovery_hint(error)
    return answer


def _build_recovery_hint(gone: Gone) -> Json:
    """Return that the session cannot be resumed, and its last step if it was the caller's own."""
    hint: Json = {"lastKnownStep": gone.last} if gone.last else {}
    hint["canResume"] = False
    return hint


def _format_sentence(error: ResearchError, wire_error: Json, others: Sequence[str] | None) -> str:
    template = _PROVIDER_TEXTS.get(wire_error["kind"], "") if wire_error.get("provider") else ""
    if not template:
        return error.sentence()
    # The templates say what to do, so a general next step would only repeat them.
    general_steps = {*PROVIDER_STEPS.values(), *SOLE_PROVIDER_STEPS.values()}
    detail = error.message if error.next_step in general_steps else error.sentence()
    words = template.format(
        provider=wire_error["provider"],
        seconds=wire_error.get("retryAfterSeconds", 0),
        or_else="" if others == () else _OR_OTHER_PROVIDER,
    )
    return f"{words} {detail}"
