"""What a page that could not be read is called on the wire of the tools, what can be done about it, and the sentence a model is told.

The kinds within Assay (`errors.ERROR_KINDS`) tell more apart than the specification's; one table leads from the one to the other.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from research_core.errors import BoundaryError, FetchError, ResearchError, SearchError, SettingsError, UsageError
from research_core.models import Json
from research_core.tools.advice import STEPS


@dataclass(frozen=True)
class Failing:
    """wire: the kind on the wire; action: what a program can do; says: the sentence, of {url}, {detail} and {seconds}.

    retryable: whether the specification has the caller try again. The doorway does not go by it: what had no text once has none at once.
    """

    wire: str
    action: str
    says: str
    retryable: bool = False


_NETWORK = Failing("network", "retry_after_delay", "Network error on {url}: {detail} Check connectivity.", True)
_REJECTED = Failing("validation", "inform_user", "URL rejected for {url}: {detail} Provide a valid public http(s) URL.")
_CONTENT = "content_empty", "report_bug"

#: Every kind a page can fail with.
KINDS: dict[str, Failing] = {
    "validation": _REJECTED,
    "network": _NETWORK,
    "timeout": _NETWORK,
    "blocked": Failing(
        "blocked",
        "inform_user",
        "Blocked: {url} does not let programs read it. Try an alternative source — its content can't be read directly. {detail}",
    ),
    "disallowed": Failing("blocked", "inform_user", "Blocked: {url} is not for programs to read. Try an alternative source. {detail}"),
    "not_found": Failing(
        "not_found", "inform_user", "Not found: {url} returned 404/410 — the page does not exist. Check the URL. {detail}"
    ),
    "browser_unavailable": Failing(
        "browser_unavailable", "report_bug", "Scrape failed: Chrome unavailable. Set CHROME_PATH or install Chrome. {detail}"
    ),
    "content_empty": Failing(*_CONTENT, "No content extracted from {url}. May need browser rendering. {detail}", True),
    "unsupported": Failing(*_CONTENT, "No content extracted from {url}: {detail}"),
    "too_large": Failing(*_CONTENT, "No content extracted from {url}: {detail}"),
    "auth_required": Failing("auth_required", "inform_user", "Auth required: {url} is behind a login wall. {detail}"),
    "rate_limited": Failing("rate_limited", "retry_after_delay", "Rate limited on {url}. Retry in {seconds:.0f} seconds. {detail}", True),
    "upstream_unavailable": Failing("upstream_unavailable", "try_different_provider", "The site of {url} is in trouble: {detail}", True),
    "circuit_open": Failing("upstream_unavailable", "try_different_provider", "{url} was not asked: {detail}", True),
    "bad_reply": Failing(
        "upstream_unavailable", "try_different_provider", "The site of {url} gave an answer that cannot be read: {detail}"
    ),
    "config": Failing("config", "check_api_key", "{url} could not be read: {detail}"),
}
#: What is tried again when the site itself names no time, in seconds.
RETRY_S = {"rate_limited": 60.0, "network": 5.0}


def failing(error: FetchError) -> Failing:
    return KINDS.get(error.kind, KINDS["bad_reply"])


def told(error: FetchError, url: str) -> FetchError:
    """The same failure in the words of the specification; what was tried, and the next step, stay with it."""
    found = failing(error)
    seconds = error.retry_after if error.retry_after is not None else RETRY_S.get(found.wire, 0.0)
    message = found.says.format(url=url, detail=error.message, seconds=seconds).rstrip()
    made = FetchError(message, kind=error.kind, status=error.status, retry_after=error.retry_after, next_step=error.next_step)
    made.tried = error.tried
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


#: The sentence of a provider's failure, by the kind on the wire; any other begins with what it says itself.
_PROVIDER_SAYS = {
    "rate_limited": "Rate limited ({provider}). Wait {seconds:.0f} seconds and retry, or try a different provider.",
    "auth_required": "{provider} refused the key. Check its API key; .env.example lists every variable.",
}


def two_parts(error: ResearchError) -> str:
    """An error as MCP clients get it: a sentence for a model, an empty line, and {"error": {…}} for a program.

    Wrong input has no second part: there is nothing to branch on but to put it right.
    """
    if isinstance(error, UsageError):
        return error.sentence()
    told = _told(error)
    return f"{_sentence(error, told)}\n\n{json.dumps({'error': told}, ensure_ascii=False)}"


def _told(error: ResearchError) -> Json:
    if not isinstance(error, BoundaryError):
        action = "check_api_key" if isinstance(error, SettingsError) else "report_bug"
        return {"kind": "config", "retryable": False, "suggestedAction": action}
    found = KINDS.get(error.kind, KINDS["bad_reply"])
    provider = error.provider if isinstance(error, SearchError) else ""
    action = "check_api_key" if provider and found.wire == "auth_required" else found.action
    wait = error.retry_after if error.retry_after is not None else RETRY_S.get(found.wire) if found.retryable else None
    return {
        "kind": found.wire,
        "retryable": found.retryable,
        **({"retryAfterSeconds": round(wait)} if wait is not None else {}),
        "suggestedAction": action,
        **({"provider": provider} if provider else {}),
    }


def _sentence(error: ResearchError, told: Json) -> str:
    begins = _PROVIDER_SAYS.get(told["kind"], "") if told.get("provider") else ""
    if not begins:
        return error.sentence()
    says = error.message if error.next_step in STEPS.values() else error.sentence()  # those sentences say what to do themselves
    return f"{begins.format(provider=told['provider'], seconds=told.get('retryAfterSeconds', 0))} {says}"
