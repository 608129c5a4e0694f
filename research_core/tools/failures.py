"""What a page that could not be read is called on the wire of the tools, what can be done about it, and the sentence a model is told.

The kinds within Assay (`errors.ERROR_KINDS`) tell more apart than the specification's; one table leads from the one to the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from research_core.errors import FetchError
from research_core.models import Json


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
