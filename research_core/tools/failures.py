"""Tell callers of a failed call what failed, in the kinds of the specification, and what to do.

Assay's own kinds (`errors.ERROR_KINDS`) are finer than those of the specification; the tables here
map one to the other. The next steps are added outside of runs only, and not where an error is
raised: a model in a run gets the plain error, and a replay, which recreates the error from the log,
must produce the same words. Provider-specific steps are kept in the provider's own table and take
precedence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from research_core.errors import (
    BoundaryError,
    FetchError,
    ResearchError,
    SearchError,
    SettingsError,
    StoreError,
    UnknownProvider,
    UsageError,
)
from research_core.journal.circuit_breaker import REST_S
from research_core.model_messages import Json
from research_core.tools.arguments import describe_mistakes, suggest_name
from research_core.tools.client_session.store import SessionGone
from research_core.tools.registry import TRUST, Tool
from research_core.trust.provenance import GONE_STATUSES


@dataclass(frozen=True)
class PageFailure:
    """A kind of page failure on the wire.

    wire: the kind; action: what a program can do; says: the sentence, a template of {url}, {detail}
    and {wait}. retryable: whether the specification lets the caller retry. Assay's own retries
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
        "Rate limited on {url}. Retry in {wait}. {detail}",
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
#: The sentence for a page that is missing although its address did not answer with such a status.
MISSING_WITHOUT_STATUS = "Not found: {url} does not exist. Check the URL. {detail}"
#: Seconds to wait if the site names no time.
RETRY_S = {"rate_limited": REST_S, "network": 5.0, "upstream_unavailable": REST_S}
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
    (SessionGone, "session_not_found", _INFORM_USER),
    (UnknownProvider, "config", _OTHER_PROVIDER),
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
    seconds = error.retry_after or RETRY_S.get(failure.wire, 0.0)
    wait = format_duration_s(seconds)
    says = failure.says
    if error.kind == "not_found" and error.status is not None and error.status not in GONE_STATUSES:
        says = MISSING_WITHOUT_STATUS
    message = says.format(url=url, detail=error.message, wait=wait).rstrip()
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
    "rate_limited": "Rate limited ({provider}). Wait {wait} and retry{or_else}.",
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
        return _own_error_as_json(error, others)
    failure = KINDS.get(error.kind, KINDS["bad_reply"])
    provider = error.provider if isinstance(error, SearchError) else ""
    action = ACTIONS[error.kind][others == ()] if provider else failure.action
    # A service that asks for no pause rests for the default one (`circuit_breaker`).
    wait = error.retry_after or (RETRY_S.get(failure.wire) if failure.retryable else None)
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


def _own_error_as_json(error: ResearchError, others: Sequence[str] | None) -> Json:
    """Return an error that no outside service caused, such as a wrong call."""
    matching = [row for row in OWN_ERRORS if isinstance(error, row[0])]
    _, kind, action = matching[0]
    answer: Json = {"kind": kind, "retryable": False, "suggestedAction": action}
    if isinstance(error, SessionGone):
        answer["recoveryHint"] = _build_recovery_hint(error)
    if isinstance(error, UnknownProvider):
        answer["alternatives"] = list(others or error.known)
    return answer


def _build_recovery_hint(gone: SessionGone) -> Json:
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
    is_general = error.next_step in {_fit_wait(step, error) for step in general_steps}
    detail = error.message if is_general else error.sentence()
    words = template.format(
        provider=wire_error["provider"],
        wait=format_duration_s(wire_error.get("retryAfterSeconds", 0)),
        or_else="" if others == () else _OR_OTHER_PROVIDER,
    )
    return f"{words} {detail}"


# ---------------------------------------------------------------- next steps

_ASK_ANOTHER = "Ask another provider; .env.example lists what each needs."
#: The next step by the kind of a provider's failure.
PROVIDER_STEPS = {
    "rate_limited": "Wait a minute, then try again.",
    "network": "Check that this machine reaches the internet, then try again.",
    "timeout": "Try again in a moment, or ask for less at once.",
    "upstream_unavailable": "The trouble is the service's own: try again in a few minutes.",
    "circuit_open": "Try again then, or ask another provider.",
    "auth_required": "Check its key in .env; .env.example lists every variable.",
    "blocked": f"The service turns this machine away. {_ASK_ANOTHER}",
    "disallowed": _ASK_ANOTHER,
    "validation": "Ask in other words, or for something else.",
    "content_empty": "Ask in other words, or for something else.",
    "not_found": "Check the name or number that was asked for.",
    "unsupported": _ASK_ANOTHER,
    "too_large": "Ask for less at once: fewer results, or a narrower query.",
    "browser_unavailable": "Install Chromium, and `python3 run.py extras browser`.",
    "bad_reply": (
        "Try again later; if it stays so, the service has changed, and Assay has to follow."
    ),
    "config": (
        "Check what .env says of the service; if that is right, it has moved, and Assay has to"
        " follow."
    ),
}
#: The next step if no other provider can be asked.
SOLE_PROVIDER_STEPS = {
    "circuit_open": "Try again then.",
    "blocked": "The service turns this machine away, and no other has what it has.",
    "disallowed": "No other provider can be asked.",
    "unsupported": "No other provider can be asked.",
}
#: The next step by the kind of a page's failure, where its sentence names none.
PAGE_STEPS = {
    "content_empty": "Read another page that says the same.",
    "unsupported": (
        "Read a page that says the same as text; of files, PDF, Word and PowerPoint are read."
    ),
    "too_large": (
        "max_length changes nothing in that: read a part that has an address of its own, or another"
        " page that says the same."
    ),
    "upstream_unavailable": "Try again in a few minutes, or read another page that says the same.",
    "circuit_open": "Try again then, or read another page that says the same.",
    "bad_reply": "Read another page that says the same.",
}
#: Shorter foreign words are not quoted, since they may also occur in Assay's own words.
MIN_QUOTED_CHARACTERS = 4
#: Quotation marks within a quotation, which would end it.
_MARKS = str.maketrans("“”", "''")
_WAIT = re.compile(r"Wait (?:a minute|60 seconds)")
_WITHIN = re.compile(r"within [\d.]+ seconds(?=\.)")
#: A full stop inside a sentence that was joined from several.
_STOP = re.compile(r"\.(?=[;)])")


def add_advice(
    error: ResearchError,
    name: str,
    rows: tuple[Tool, ...],
    others: Sequence[str] | None = None,
    times: int = 1,
) -> ResearchError:
    """Return the error of a call to the tool `name`, with foreign words quoted and a next step.

    rows: the available tools; others: alternative providers, None if unknown; times: the number of
    attempts, each limited by the time that the message states.
    """
    if isinstance(error, BoundaryError):
        message = quote_foreign_words(error)
        if times > 1:
            message = _WITHIN.sub(rf"\g<0>, each of {times} times", message)
        error.message = message
    if isinstance(error, SearchError):
        steps = PROVIDER_STEPS | SOLE_PROVIDER_STEPS if others == () else PROVIDER_STEPS
        # Several services that all cannot be reached point to this machine, not to any of them.
        step = "" if error.all_unreached else error.next_step
        error.next_step = _fit_wait(step or steps[error.kind], error)
    if isinstance(error, FetchError):
        error.next_step = error.next_step or PAGE_STEPS.get(error.kind, "")
    if isinstance(error, UsageError) and not error.next_step:
        return _suggest_correction(error, name, rows)
    return error


def _fit_wait(step: str, error: ResearchError) -> str:
    """Return a next step with the wait that the service asked for instead of a general one.

    An error of several providers keeps the words of each, since only the first one's wait is known.
    """
    if not isinstance(error, SearchError) or not error.retry_after or len(error.asked) > 1:
        return step
    return _WAIT.sub(f"Wait {format_duration_s(error.retry_after)}", step, count=1)


def format_duration_s(seconds: float) -> str:
    """Format whole seconds with their unit."""
    number = round(seconds)
    return f"{number} second{'' if number == 1 else 's'}"


def quote_foreign_words(error: BoundaryError) -> str:
    """Return the error's message with words of other services in quotation marks."""
    message = error.message
    for words in dict.fromkeys(error.quotes):
        if len(words) >= MIN_QUOTED_CHARACTERS:
            message = message.replace(words, f"“{words.translate(_MARKS)}”")
    return _STOP.sub("", message)


def _suggest_correction(error: UsageError, name: str, rows: tuple[Tool, ...]) -> UsageError:
    """Return the error of a wrong call with what the tool accepts, or which tools exist."""
    tool = next((row for row in rows if row.name == name), None)
    if tool is None:
        names = [row.name for row in rows]
        return UsageError(
            f"{error.message}{suggest_name(str(name), names)}.",
            next_step=f"There are: {', '.join(row.name for row in rows if not row.extra)}.",
        )
    if isinstance(error.__cause__, ValidationError):
        wrong, step = describe_mistakes(tool.schema, error.__cause__.errors())
        return UsageError(f"{tool.name} cannot run: {wrong}.", next_step=step)
    return UsageError(error.message, next_step=f"It takes: {', '.join(tool.schema['properties'])}.")
