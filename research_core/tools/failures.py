"""What a page that could not be read is called on the wire of the tools, what can be done about it,
and the sentence a model is told.

The kinds within Assay (`errors.ERROR_KINDS`) tell more apart than the specification's; one table
leads from the one to the other.
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
    """wire: the kind on the wire; action: what a program can do; says: the sentence, of {url},
    {detail} and {seconds}.

    retryable: whether the specification has the caller try again. The doorway does not go by it:
    what had no text once has none at once.
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

#: Every kind a page can fail with.
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
#: What is tried again when the site itself names no time, in seconds.
RETRY_S = {"rate_limited": 60.0, "network": 5.0, "upstream_unavailable": 60.0}
_RETRY_LATER, _OTHER_PROVIDER, _INFORM_USER, _CHECK_KEY = (
    "retry_after_delay",
    "try_different_provider",
    "inform_user",
    "check_api_key",
)
#: What can be done where a provider failed, by the kind of its failure: where another can be asked
#: in its place, and where none can.
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
#: (kind, action) of an error that is none of the outside, by its class, the narrowest first.
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
    """The same failure in the words of the specification; what was tried, and the next step, stay
    with it.
    """
    found = find_page_failure(error)
    seconds = error.retry_after if error.retry_after is not None else RETRY_S.get(found.wire, 0.0)
    message = found.says.format(url=url, detail=error.message, seconds=seconds).rstrip()
    made = FetchError(
        message,
        kind=error.kind,
        status=error.status,
        retry_after=error.retry_after,
        next_step=error.next_step,
    )
    made.tried, made.quotes = error.tried, error.quotes
    return made


def failure_as_json(error: FetchError, url: str) -> Json:
    """A failure as search_and_scrape lists it."""
    found = find_page_failure(error)
    return {
        "url": url,
        "kind": found.wire,
        "reason": error.sentence(),
        "retryable": found.retryable,
        "suggestedAction": found.action,
    }


# ---------------------------------------------------------------- the two-part error of the wire


#: The sentence of a provider's failure, by the kind on the wire; any other begins with what it says
#: itself. {or_else}: where another can be asked.
_PROVIDER_TEXTS = {
    "rate_limited": "Rate limited ({provider}). Wait {seconds:.0f} seconds and retry{or_else}.",
    "auth_required": (
        "{provider} refused the key. Check its API key; .env.example lists every variable."
    ),
}
_OR_OTHER_PROVIDER = ", or try a different provider"


def format_error(error: ResearchError, others: Sequence[str] | None = None) -> str:
    """An error as MCP clients get it: a sentence for a model, an empty line, and {"error": {…}} for
    a program.

    others: who else could be asked where a provider failed; None where that is not known.
    """
    told = _error_as_json(error, others)
    sentence = " ".join(
        _format_sentence(error, told, others).split()
    )  # an empty line of others' would begin a second part of theirs
    return f"{sentence}\n\n{json.dumps({'error': told}, ensure_ascii=False)}"


def _error_as_json(error: ResearchError, others: Sequence[str] | None) -> Json:
    if not isinstance(error, BoundaryError):
        kind, action = next(
            (kind, action) for of, kind, action in OWN_ERRORS if isinstance(error, of)
        )
        hint = {"recoveryHint": _build_recovery_hint(error)} if isinstance(error, Gone) else {}
        return {"kind": kind, "retryable": False, "suggestedAction": action, **hint}
    found = KINDS.get(error.kind, KINDS["bad_reply"])
    provider = error.provider if isinstance(error, SearchError) else ""
    action = ACTIONS[error.kind][others == ()] if provider else found.action
    wait = (
        error.retry_after
        if error.retry_after is not None
        else RETRY_S.get(found.wire)
        if found.retryable
        else None
    )
    return {
        "kind": found.wire,
        "retryable": found.retryable,
        **({"retryAfterSeconds": round(wait)} if wait is not None else {}),
        "suggestedAction": action,
        **({"provider": provider} if provider else {}),
        **({"alternatives": list(others)} if others and action == _OTHER_PROVIDER else {}),
        "trust": TRUST,
    }


def _build_recovery_hint(gone: Gone) -> Json:
    """That a session cannot be gone on with, and its last step where it was the caller's own."""
    return ({"lastKnownStep": gone.last} if gone.last else {}) | {"canResume": False}


def _format_sentence(error: ResearchError, told: Json, others: Sequence[str] | None) -> str:
    begins = _PROVIDER_TEXTS.get(told["kind"], "") if told.get("provider") else ""
    if not begins:
        return error.sentence()
    usual = {*PROVIDER_STEPS.values(), *SOLE_PROVIDER_STEPS.values()}
    says = (
        error.message if error.next_step in usual else error.sentence()
    )  # those sentences say what to do themselves
    words = begins.format(
        provider=told["provider"],
        seconds=told.get("retryAfterSeconds", 0),
        or_else="" if others == () else _OR_OTHER_PROVIDER,
    )
    return f"{words} {says}"
