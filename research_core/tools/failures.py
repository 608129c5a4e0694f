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
from research_core.tools.advice import ALONE, STEPS
from research_core.tools.client_session.store import Gone
from research_core.tools.searching import TRUST


@dataclass(frozen=True)
class Failing:
    """wire: the kind on the wire; action: what a program can do; says: the sentence, of {url},
    {detail} and {seconds}.

    retryable: whether the specification has the caller try again. The doorway does not go by it:
    what had no text once has none at once.
    """

    wire: str
    action: str
    says: str
    retryable: bool = False


_NETWORK = Failing(
    "network", "retry_after_delay", "Network error on {url}: {detail} Check connectivity.", True
)
_REJECTED = Failing(
    "validation",
    "inform_user",
    "URL rejected for {url}: {detail} Provide a valid public http(s) URL.",
)

#: Every kind a page can fail with.
KINDS: dict[str, Failing] = {
    "validation": _REJECTED,
    "network": _NETWORK,
    "timeout": _NETWORK,
    "blocked": Failing(
        "blocked",
        "inform_user",
        "Blocked: {url} does not let programs read it. Try an alternative source — its content"
        " can't be read directly. {detail}",
    ),
    "disallowed": Failing(
        "blocked",
        "inform_user",
        "Blocked: {url} is not for programs to read. Try an alternative source. {detail}",
    ),
    "not_found": Failing(
        "not_found",
        "inform_user",
        "Not found: {url} returned 404/410 — the page does not exist. Check the URL. {detail}",
    ),
    "browser_unavailable": Failing(
        "browser_unavailable",
        "inform_user",
        "Scrape failed: Chrome unavailable. Set CHROME_PATH or install Chrome. {detail}",
    ),
    "content_empty": Failing(
        "content_empty",
        "inform_user",
        "No content extracted from {url}. May need browser rendering. {detail}",
        True,
    ),
    "unsupported": Failing(
        "unsupported", "inform_user", "No content extracted from {url}: {detail}"
    ),
    "too_large": Failing("too_large", "inform_user", "No content extracted from {url}: {detail}"),
    "auth_required": Failing(
        "auth_required", "inform_user", "Auth required: {url} is behind a login wall. {detail}"
    ),
    "rate_limited": Failing(
        "rate_limited",
        "retry_after_delay",
        "Rate limited on {url}. Retry in {seconds:.0f} seconds. {detail}",
        True,
    ),
    "upstream_unavailable": Failing(
        "upstream_unavailable",
        "retry_after_delay",
        "The site of {url} did not give it: {detail}",
        True,
    ),
    "circuit_open": Failing(
        "upstream_unavailable", "retry_after_delay", "{url} was not asked: {detail}", True
    ),
    "bad_reply": Failing(
        "upstream_unavailable",
        "inform_user",
        "The site of {url} gave an answer that cannot be read: {detail}",
    ),
    "config": Failing("config", "check_api_key", "{url} could not be read: {detail}"),
}
#: What is tried again when the site itself names no time, in seconds.
RETRY_S = {"rate_limited": 60.0, "network": 5.0, "upstream_unavailable": 60.0}
_AGAIN, _ELSEWHERE, _TELL, _KEY = (
    "retry_after_delay",
    "try_different_provider",
    "inform_user",
    "check_api_key",
)
#: What can be done where a provider failed, by the kind of its failure: where another can be asked
#: in its place, and where none can.
ACTIONS: dict[str, tuple[str, str]] = {
    "rate_limited": (_AGAIN, _AGAIN),
    "network": (_AGAIN, _AGAIN),
    "timeout": (_AGAIN, _AGAIN),
    "upstream_unavailable": (_ELSEWHERE, _AGAIN),
    "circuit_open": (_ELSEWHERE, _AGAIN),
    "auth_required": (_KEY, _KEY),
    "blocked": (_ELSEWHERE, _TELL),
    "disallowed": (_ELSEWHERE, _TELL),
    "validation": (_TELL, _TELL),
    "content_empty": (_TELL, _TELL),
    "not_found": (_TELL, _TELL),
    "unsupported": (_ELSEWHERE, _TELL),
    "too_large": (_TELL, _TELL),
    "browser_unavailable": (_TELL, _TELL),
    "bad_reply": (_ELSEWHERE, "report_bug"),
    "config": (_KEY, _KEY),
}
#: (kind, action) of an error that is none of the outside, by its class, the narrowest first.
OURS: tuple[tuple[type[ResearchError], str, str], ...] = (
    (Gone, "session_not_found", _TELL),
    (UsageError, "validation", _TELL),
    (SettingsError, "config", _KEY),
    (StoreError, "config", _TELL),
    (ResearchError, "config", "report_bug"),
)


def failing(error: FetchError) -> Failing:
    return KINDS.get(error.kind, KINDS["bad_reply"])


def told(error: FetchError, url: str) -> FetchError:
    """The same failure in the words of the specification; what was tried, and the next step, stay
    with it.
    """
    found = failing(error)
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


def info(error: FetchError, url: str) -> Json:
    """A failure as search_and_scrape lists it."""
    found = failing(error)
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
_PROVIDER_SAYS = {
    "rate_limited": "Rate limited ({provider}). Wait {seconds:.0f} seconds and retry{or_else}.",
    "auth_required": (
        "{provider} refused the key. Check its API key; .env.example lists every variable."
    ),
}
_OR_ELSE = ", or try a different provider"


def two_parts(error: ResearchError, others: Sequence[str] | None = None) -> str:
    """An error as MCP clients get it: a sentence for a model, an empty line, and {"error": {…}} for
    a program.

    others: who else could be asked where a provider failed; None where that is not known.
    """
    told = _told(error, others)
    sentence = " ".join(
        _sentence(error, told, others).split()
    )  # an empty line of others' would begin a second part of theirs
    return f"{sentence}\n\n{json.dumps({'error': told}, ensure_ascii=False)}"


def _told(error: ResearchError, others: Sequence[str] | None) -> Json:
    if not isinstance(error, BoundaryError):
        kind, action = next((kind, action) for of, kind, action in OURS if isinstance(error, of))
        hint = {"recoveryHint": _recovery(error)} if isinstance(error, Gone) else {}
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
        **({"alternatives": list(others)} if others and action == _ELSEWHERE else {}),
        "trust": TRUST,
    }


def _recovery(gone: Gone) -> Json:
    """That a session cannot be gone on with, and its last step where it was the caller's own."""
    return ({"lastKnownStep": gone.last} if gone.last else {}) | {"canResume": False}


def _sentence(error: ResearchError, told: Json, others: Sequence[str] | None) -> str:
    begins = _PROVIDER_SAYS.get(told["kind"], "") if told.get("provider") else ""
    if not begins:
        return error.sentence()
    usual = {*STEPS.values(), *ALONE.values()}
    says = (
        error.message if error.next_step in usual else error.sentence()
    )  # those sentences say what to do themselves
    words = begins.format(
        provider=told["provider"],
        seconds=told.get("retryAfterSeconds", 0),
        or_else="" if others == () else _OR_ELSE,
    )
    return f"{words} {says}"
