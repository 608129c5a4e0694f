"""Ask the Internet Archive to copy a page now (Save Page Now) and report the outcome.

A copy counts as new only by its own time. That the archive is slow, busy or wants an account is an
outcome and no error. The page itself is not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal

from research_core.citations.checks import links
from research_core.errors import FetchError, SettingsError, UsageError
from research_core.journal.deps import Deps, Http
from research_core.journal.http_caching import parse_http_date, parse_retry_after
from research_core.models import HttpReply
from research_core.settings import Settings
from research_core.text.words import strip_invisible, truncate
from research_core.urls import canonical_url, registered_domain
from research_core.web.fetch import archive
from research_core.web.fetch.tiers import is_safe_to_share
from research_core.web.http.guard import check_page_address, read_target

State = Literal["archived", "existing", "pending", "unavailable"]

SAVE_URL = "https://web.archive.org/save"
#: Names under which requests are paced, across all sessions of this process.
SAVE_SERVICE, JOBS_SERVICE = "Save Page Now", "Save Page Now's jobs"
#: Seconds for everything, for the requests to Save Page Now, and for one reply.
TIME_LIMIT_S, ASK_LIMIT_S, REQUEST_TIMEOUT_S = 25.0, 19.0, 8.0
#: Seconds before each request for a capture, one per request; seconds between two polls of a job.
RETRY_PACES_S, POLL_PACE_S = (3.0, 7.0, 7.0), 3.0
#: Polls of a job that fit into the time limit.
MAX_POLLS = int(ASK_LIMIT_S / POLL_PACE_S) + 1
#: Seconds by which the archive's clocks may differ.
CLOCK_SLACK_S = 10.0
#: Characters of the archive's own message that are quoted.
MAX_QUOTED_CHARS = 200
#: Statuses of a request that was refused for good, and error codes that may go away soon.
FINAL_STATUSES = frozenset({400, 401, 402, 403, 404, 405, 410, 451})
TEMPORARY_CODES = frozenset(
    "bad-gateway bandwidth-limit-exceeded browsing-timeout capture-location-error celery"
    " gateway-timeout internal-server-error job-failed no-browsers-available protocol-error"
    " proxy-error read-timeout redis-error service-unavailable soft-time-limit-exceeded"
    " too-many-requests user-session-limit".split()
)
ARCHIVE_OFF = (
    "The Internet Archive is not asked here (ASSAY_ARCHIVE, ALLOWED_DOMAINS), so that no snapshot"
    " can be made."
)
ACCOUNT_NEEDED = (
    "It mostly wants an account: set IA_ACCESS_KEY and IA_SECRET_KEY (archive.org/account/s3.php)."
)
REPLY_TOO_LARGE = "Save Page Now led to a copy that is too large for its address to be told."
UNDER_WAY = "The capture is still under way."
NEXT_STEP = "Give the address of a public web page, http or https."

_COPY_PATH = re.compile(
    r"(?:https?://web\.archive\.org)?/web/((?:19|20)\d{12})(?:[a-z]{2}_)?/(\S+)", re.ASCII
)
_TIMESTAMP = re.compile(r"(?:19|20)\d{12}", re.ASCII)
_JOB_ID = re.compile(r"[\w-]{1,100}", re.ASCII)
_WATCHED_JOB = re.compile(rb"watchJob\(\s*[\"']([\w-]{1,100})[\"']")


@dataclass(frozen=True)
class Copy:
    """A copy in the archive.

    at: when it was made, seconds since the epoch; url: its address.
    """

    at: float
    url: str


@dataclass(frozen=True)
class CaptureResult:
    """The outcome of a request for a copy.

    url: the address of the copy, "" if there is none; at: when it was made, seconds since the
    epoch; reason: a sentence; asked: the services that were asked.
    """

    state: State
    url: str = ""
    at: float = 0.0
    status: int = 0
    reason: str = ""
    asked: tuple[str, ...] = ()


@dataclass(frozen=True)
class _CaptureState:
    """The state of a capture after one reply of Save Page Now.

    fresh: the copy was made just now; job: the identifier of a running capture; why: the reason
    that there is no copy; final: asking again is useless; status: of the last reply.
    """

    copy: Copy | None = None
    fresh: bool = False
    job: str = ""
    why: str = ""
    final: bool = False
    status: int = 0


# ---------------------------------------------------------------- what may be asked


def check_address(url: str) -> str:
    """Return the canonical address to archive, without credentials.

    Raises UsageError for an address that must not be given to the archive.
    """
    try:
        known = canonical_url(url)
        check_page_address(read_target(known).origin, frozenset())
    except ValueError as error:
        raise UsageError(f"Address refused: {error}.", next_step=NEXT_STEP) from error
    except FetchError as error:
        raise UsageError(error.message, next_step=NEXT_STEP) from error
    if not is_safe_to_share(known):
        raise UsageError(
            "Address refused: it holds a key, a token or a signature, and a snapshot would make it"
            " public.",
            next_step="Give the address without it.",
        )
    return known


def build_history_url(url: str) -> str:
    """Return the address of the archive's page with all copies of a page."""
    return f"{archive.ARCHIVE_ROOT}/*/{url}"


def _uses_account(settings: Settings, url: str) -> bool:
    """Return True if an account for the archive is configured.

    Raises UsageError for a page that this installation may not read, SettingsError if only half of
    the account's keys is set.
    """
    own = frozenset(read_target(endpoint).origin for endpoint in settings.endpoints)
    try:
        check_page_address(read_target(url).origin, own, settings.allowed_domains)
    except FetchError as error:
        raise UsageError(
            error.message, next_step="Give the address of a page that this installation may read."
        ) from error
    if bool(settings.archive_key) != bool(settings.archive_secret):
        lacks = "IA_SECRET_KEY" if settings.archive_key else "IA_ACCESS_KEY"
        raise SettingsError(
            f"{lacks} is not set, and the other of the pair is.",
            next_step="Set both of them, or neither.",
        )
    return bool(settings.archive_key)


# ---------------------------------------------------------------- asking


def capture_page(deps: Deps, url: str) -> CaptureResult:
    """Request a copy of the page at a checked address, within `TIME_LIMIT_S` seconds.

    Raises only UsageError and SettingsError, for an address or a setting that forbids the request;
    failures of the archive are results.
    """
    if "archive" not in deps.run.fallbacks:
        return CaptureResult("unavailable", reason=ARCHIVE_OFF)
    params = {"asked": "how the Internet Archive is asked for a snapshot", "url": url}
    keyed = bool(deps.http.record_fact(params, partial(_uses_account, deps.settings, url)))
    whole = replace(deps, http=deps.http.on_behalf(url).with_deadline(TIME_LIMIT_S))
    now = float(
        deps.http.record_fact(
            {"asked": "when a snapshot was asked for", "url": url}, deps.clock.now
        )
    )
    state = _capture_until_known(
        _CaptureRequest(whole, whole.http.with_deadline(ASK_LIMIT_S), url, keyed, now)
    )
    save = ("web.archive.org/save",)
    if state.copy and state.fresh:
        return CaptureResult("archived", state.copy.url, state.copy.at, state.status, asked=save)
    if state.copy:
        made = datetime.fromtimestamp(state.copy.at, UTC)
        reason = (
            f"Save Page Now gave the copy of {made:%Y-%m-%d %H:%M} UTC that there was already; it"
            " makes no new one so soon."
        )
        return CaptureResult(
            "existing", state.copy.url, status=state.status, reason=reason, asked=save
        )
    # An account helps only if the archive was asked and gave nothing for want of one.
    unasked = state.final and not state.status
    if not (keyed or state.job or state.why == REPLY_TOO_LARGE or unasked):
        state = replace(state, why=f"{state.why} {ACCOUNT_NEEDED}".strip())
    return _find_older_copy(whole, url, state, save)


def _find_older_copy(
    deps: Deps, url: str, capture: _CaptureState, asked: tuple[str, ...]
) -> CaptureResult:
    """Return the newest existing copy, when there is no new one."""
    older, why = "", capture.why
    try:
        older = links.find_archived_copy(url, deps)
    except FetchError as error:
        if error.kind != "not_found":
            why += f" Whether there is an older copy could not be asked: {error.message}"
            why = why.strip()
    state: State = "pending"
    if older:
        state = "existing"
    elif capture.final:
        state = "unavailable"
    asked = (*asked, "archive.org/wayback/available")
    return CaptureResult(state, older, status=capture.status, reason=why, asked=asked)


@dataclass(frozen=True)
class _CaptureRequest:
    """The requests for one page.

    http: for Save Page Now, within its time limit; now: when it began, seconds since the epoch.
    """

    deps: Deps
    http: Http
    url: str
    keyed: bool
    now: float

    @property
    def headers(self) -> dict[str, str]:
        settings = self.deps.settings
        account = (
            {"authorization": f"LOW {settings.archive_key}:{settings.archive_secret}"}
            if self.keyed
            else {}
        )
        return {"accept": "application/json", **account}


def _capture_until_known(asking: _CaptureRequest) -> _CaptureState:
    """Ask until there is a copy, a final answer or no time left; a running job is polled."""
    state, looks = _CaptureState(), iter(range(1, MAX_POLLS + 1))
    for turn, pace_s in enumerate(RETRY_PACES_S, 1):
        request = partial(_request_capture, asking, turn, pace_s)
        state, over = _read_next_reply(request, asking, state)
        while state.job and not over and (look := next(looks, 0)):
            poll = partial(_poll_job, asking, state.job, look)
            state, over = _read_next_reply(poll, asking, state)
        if state.copy or state.job or state.final or over:
            break
    return state


def _read_next_reply(
    ask: Callable[[], HttpReply], asking: _CaptureRequest, before: _CaptureState
) -> tuple[_CaptureState, bool]:
    """Return the state after one more request, and whether no time is left for another.

    No time is left when the limit has passed or the archive asks to wait longer than the limit.
    """
    try:
        reply = ask()
    except FetchError as error:
        late, large = error.ours and error.kind == "timeout", error.kind == "too_large"
        if late and before.why:
            why = before.why
        elif large:
            why = REPLY_TOO_LARGE
        else:
            why = f"Save Page Now could not be asked: {error.message}"
        # If the host does not exist and no job runs, nobody was asked and nothing is under way.
        final = before.final or (error.absent and not before.job)
        over = late or large or (error.retry_after or 0.0) > ASK_LIMIT_S
        return replace(before, why=why, status=error.status or before.status, final=final), over
    over = (parse_retry_after(reply.headers) or 0.0) > ASK_LIMIT_S
    state = read_reply(reply, asking.url, asking.now)
    if before.job and not state.copy and state.status >= 300:
        # A reply that does not say how a job stands says nothing of it.
        state = replace(before, status=state.status)
    if state.why == UNDER_WAY:
        state = replace(state, job=state.job or before.job)
    return state, over


def _request_capture(asking: _CaptureRequest, turn: int, pace_s: float) -> HttpReply:
    """Request a capture. Attempts are numbered, because the log keeps one answer per request."""
    http = asking.http.for_service(SAVE_SERVICE, pace_s=pace_s, trips=False)
    headers = {**asking.headers, **({"x-attempt": str(turn)} if turn > 1 else {})}
    if asking.keyed:
        return http.send(
            "POST",
            SAVE_URL,
            form={"url": asking.url},
            headers=headers,
            timeout_s=REQUEST_TIMEOUT_S,
            max_bytes=archive.MAX_ANSWER_BYTES,
        )
    del headers["accept"]
    return http.send(
        "GET",
        f"{SAVE_URL}/{asking.url}",
        headers=headers,
        timeout_s=REQUEST_TIMEOUT_S,
        max_bytes=archive.MAX_BYTES,
    )


def _poll_job(asking: _CaptureRequest, job: str, look: int) -> HttpReply:
    """Ask for the state of a job. `_t` numbers the requests, as the archive's own page does."""
    http = asking.http.for_service(JOBS_SERVICE, pace_s=POLL_PACE_S, trips=False)
    params = {"_t": str(look)}
    return http.send(
        "GET",
        f"{SAVE_URL}/status/{job}",
        params=params,
        headers=asking.headers,
        timeout_s=REQUEST_TIMEOUT_S,
        max_bytes=archive.MAX_BYTES,
    )


# ---------------------------------------------------------------- reading


def read_reply(reply: HttpReply, url: str, now: float) -> _CaptureState:
    """Read the state of a capture from a reply of Save Page Now.

    now: the time to assume if the reply states none. Errors come with status 200 too, and an older
    copy comes under the name of the job that made it.
    """
    replied_at = parse_http_date(reply.headers.get("date", "")) or now
    answer = _parse_json_object(reply.body)
    copies = [
        parse_copy_url(place, url)
        for place in (reply.headers.get("content-location", ""), reply.url, *reply.hops)
    ]
    if answer.get("status") == "success":
        copies.append(make_copy(str(answer.get("timestamp")), str(answer.get("original_url")), url))
    latest = replied_at + CLOCK_SLACK_S
    known = [copy for copy in copies if copy is not None and copy.at <= latest]
    if known:
        newest = max(known, key=lambda copy: copy.at)
        fresh = newest.at >= replied_at - TIME_LIMIT_S - CLOCK_SLACK_S
        return _CaptureState(newest, fresh, status=reply.status)
    job = _find_job_id(reply, answer)
    if reply.status < 300 and (job or answer.get("status") == "pending"):
        return _CaptureState(job=job, why=UNDER_WAY, status=reply.status)
    return _read_refusal(reply, answer)


def _find_job_id(reply: HttpReply, answer: dict[str, Any]) -> str:
    """Return the identifier of a started job; the archive's page names it in a script."""
    job = str(answer.get("job_id") or "")
    if answer.get("status") in (None, "pending") and _JOB_ID.fullmatch(job):
        return job
    watched = None if answer else _WATCHED_JOB.search(reply.body)
    return watched[1].decode() if watched else ""


def _read_refusal(reply: HttpReply, answer: dict[str, Any]) -> _CaptureState:
    code = str(answer.get("status_ext") or "").removeprefix("error:")
    words = truncate(
        " ".join(strip_invisible(str(answer.get("message") or code)).split()).replace("”", "'"),
        MAX_QUOTED_CHARS,
    )
    said = f" It says: “{words}”." if words else ""
    why = f"Save Page Now made no copy (HTTP {reply.status}).{said}"
    final = code not in TEMPORARY_CODES if code else reply.status in FINAL_STATUSES
    return _CaptureState(why=why, final=final, status=reply.status)


def _parse_json_object(body: bytes) -> dict[str, Any]:
    """Parse a body as a JSON object; {} for anything else."""
    try:
        answer = json.loads(body) if body.lstrip()[:1] == b"{" else {}
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


def parse_copy_url(place: str, url: str) -> Copy | None:
    """Return the copy that an archive address names if it is of the page at `url`, else None."""
    found = _COPY_PATH.fullmatch(place)
    return make_copy(found[1], found[2], url) if found else None


def make_copy(stamp: str, original: str, url: str) -> Copy | None:
    """Return the copy made at a time YYYYMMDDhhmmss, or None if that is no time.

    original: the address that was copied, in the archive's spelling. If it is another site's page,
    to which `url` redirects, the copy is named by `url`.
    """
    if not _TIMESTAMP.fullmatch(stamp):
        return None
    try:
        made = datetime.strptime(stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    page = url
    try:
        spelled = canonical_url(original)
        if registered_domain(spelled) == registered_domain(url):
            page = spelled
    except ValueError:
        pass  # not a web address: the copy is named by `url`
    return Copy(made.timestamp(), f"{archive.ARCHIVE_ROOT}/{stamp}/{page}")
