"""Asks the Internet Archive to copy a page as it is now (Save Page Now), and says what came of it:
a new copy, an older one, or none yet.

A copy counts as new only by its own time. That the archive is slow, busy or wants an account is an
outcome, never an error. What is on the page is not read here.
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
from research_core.journal.http_caching import moment, wait_asked
from research_core.models import HttpReply
from research_core.settings import Settings
from research_core.text.words import truncate, visible
from research_core.urls import canonical, registered_domain
from research_core.web.fetch import archive
from research_core.web.fetch.tiers import may_be_named
from research_core.web.http.guard import admit, read_target

State = Literal["archived", "existing", "pending", "unavailable"]

SAVE = "https://web.archive.org/save"
#: Whose turns they are: those of all sessions of this process.
SERVICE, JOBS = "Save Page Now", "Save Page Now's jobs"
#: Seconds for everything, for asking Save Page Now, and for one answer of it.
WITHIN_S, ASKING_S, ANSWER_S = 25.0, 19.0, 8.0
#: Seconds from one request for a capture to the next, as many as there are requests; and from one
#: look at a job to the next.
PACES_S, LOOK_S = (3.0, 7.0, 7.0), 3.0
#: Looks at a job that there is time for.
LOOKS = int(ASKING_S / LOOK_S) + 1
#: Seconds by which the archive's clocks may differ.
SLACK_S = 10.0
#: Characters that are told of what the archive says.
QUOTED = 200
#: Statuses of a request that was not taken on and will not be, and what the archive says of one
#: that may go better at once.
FINAL = frozenset({400, 401, 402, 403, 404, 405, 410, 451})
BETTER_SOON = frozenset(
    "bad-gateway bandwidth-limit-exceeded browsing-timeout capture-location-error celery"
    " gateway-timeout internal-server-error job-failed no-browsers-available protocol-error"
    " proxy-error read-timeout redis-error service-unavailable soft-time-limit-exceeded"
    " too-many-requests user-session-limit".split()
)
OFF = (
    "The Internet Archive is not asked here (ASSAY_ARCHIVE, ALLOWED_DOMAINS), so that no snapshot"
    " can be made."
)
ACCOUNT = (
    "It mostly wants an account: set IA_ACCESS_KEY and IA_SECRET_KEY (archive.org/account/s3.php)."
)
LARGE = "Save Page Now led to a copy that is too large for its address to be told."
UNDER_WAY = "The capture is still under way."
STEP = "Give the address of a public web page, http or https."

_COPY = re.compile(
    r"(?:https?://web\.archive\.org)?/web/((?:19|20)\d{12})(?:[a-z]{2}_)?/(\S+)", re.ASCII
)
_STAMP = re.compile(r"(?:19|20)\d{12}", re.ASCII)
_JOB = re.compile(r"[\w-]{1,100}", re.ASCII)
_WATCHED = re.compile(rb"watchJob\(\s*[\"']([\w-]{1,100})[\"']")


@dataclass(frozen=True)
class Copy:
    """A copy in the archive. at: when it was made, seconds since the epoch; url: where it is."""

    at: float
    url: str


@dataclass(frozen=True)
class Snapshot:
    """What came of it. url: where the copy is, "" for none; at: when it was made, seconds since the
    epoch, where it is a new one.

    status: the last one of Save Page Now, 0 where it never answered; reason: why there is no new
    copy; asked: who was, in order.
    """

    state: State
    url: str = ""
    at: float = 0.0
    status: int = 0
    reason: str = ""
    asked: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Said:
    """What an answer of Save Page Now comes to. fresh: whether the copy was made just now; final:
    nothing better will come of asking.
    """

    copy: Copy | None = None
    fresh: bool = False
    job: str = ""
    why: str = ""
    final: bool = False
    status: int = 0


# ---------------------------------------------------------------- what may be asked


def address(url: str) -> str:
    """The address that the archive is given: canonical, without user name and password. Raises
    UsageError for one it must not get.
    """
    try:
        known = canonical(url)
        admit(read_target(known).origin, frozenset())
    except ValueError as error:
        raise UsageError(f"Address refused: {error}.", next_step=STEP) from error
    except FetchError as error:
        raise UsageError(error.message, next_step=STEP) from error
    if not may_be_named(known):
        raise UsageError(
            "Address refused: it holds a key, a token or a signature, and a snapshot would make it"
            " public.",
            next_step="Give the address without it.",
        )
    return known


def poll_address(url: str) -> str:
    """Where a person sees all the copies that the archive has of a page."""
    return f"{archive.COPIES}/*/{url}"


def _account(settings: Settings, url: str) -> bool:
    """Whether the archive is asked by an account. Raises UsageError for a page this installation
    keeps away from, SettingsError.
    """
    own = frozenset(read_target(endpoint).origin for endpoint in settings.endpoints)
    try:
        admit(read_target(url).origin, own, settings.allowed_domains)
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


def capture(deps: Deps, url: str) -> Snapshot:
    """What comes of asking for a copy of the page at an `address`, within `WITHIN_S` seconds.

    It never raises for the archive: UsageError and SettingsError alone, for an address or a setting
    that forbids to ask.
    """
    if "archive" not in deps.run.fallbacks:
        return Snapshot("unavailable", reason=OFF)
    params = {"asked": "how the Internet Archive is asked for a snapshot", "url": url}
    keyed = bool(deps.http.fact(params, partial(_account, deps.settings, url)))
    whole = replace(deps, http=deps.http.on_behalf(url).within(WITHIN_S))
    now = float(
        deps.http.fact({"asked": "when a snapshot was asked for", "url": url}, deps.clock.now)
    )
    said = _asked(_Asking(whole, whole.http.within(ASKING_S), url, keyed, now))
    save = ("web.archive.org/save",)
    if said.copy and said.fresh:
        return Snapshot("archived", said.copy.url, said.copy.at, said.status, asked=save)
    if said.copy:
        made = datetime.fromtimestamp(said.copy.at, UTC)
        reason = (
            f"Save Page Now gave the copy of {made:%Y-%m-%d %H:%M} UTC that there was already; it"
            " makes no new one so soon."
        )
        return Snapshot("existing", said.copy.url, status=said.status, reason=reason, asked=save)
    unasked = said.final and not said.status
    told = (
        said
        if keyed or said.job or said.why == LARGE or unasked
        else replace(said, why=f"{said.why} {ACCOUNT}".strip())
    )
    return _older(whole, url, told, save)


def _older(deps: Deps, url: str, said: _Said, asked: tuple[str, ...]) -> Snapshot:
    """The newest copy there is, where there is no new one."""
    found, why, asked = "", said.why, (*asked, "archive.org/wayback/available")
    try:
        found = links.snapshot(url, deps)
    except FetchError as error:
        if error.kind != "not_found":
            why = (
                f"{why} Whether there is an older copy could not be asked: {error.message}".strip()
            )
    state: State = "existing" if found else "unavailable" if said.final else "pending"
    return Snapshot(state, found, status=said.status, reason=why, asked=asked)


@dataclass(frozen=True)
class _Asking:
    """The requests for one page. http: for Save Page Now, as long as there is time; now: when it
    began, seconds since the epoch.
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


def _asked(asking: _Asking) -> _Said:
    """Ask until there is a copy, no better answer is to be had, or the time is up; a job that was
    begun is watched.
    """
    said, looks = _Said(), iter(range(1, LOOKS + 1))
    for turn, pace_s in enumerate(PACES_S, 1):
        said, over = _answered(partial(_request, asking, turn, pace_s), asking, said)
        while said.job and not over and (look := next(looks, 0)):
            said, over = _answered(partial(_look, asking, said.job, look), asking, said)
        if said.copy or said.job or said.final or over:
            break
    return said


def _answered(ask: Callable[[], HttpReply], asking: _Asking, before: _Said) -> tuple[_Said, bool]:
    """What the next answer comes to, and whether there is no time for another: it is up, or the
    archive wants to be left alone longer.
    """
    try:
        reply = ask()
    except FetchError as error:
        late, large = error.ours and error.kind == "timeout", error.kind == "too_large"
        why = (
            before.why
            if late and before.why
            else LARGE
            if large
            else f"Save Page Now could not be asked: {error.message}"
        )
        gone = (
            error.absent and not before.job
        )  # nothing was asked of anybody, and nothing is under way
        over = late or large or (error.retry_after or 0.0) > ASKING_S
        return (
            replace(
                before, why=why, status=error.status or before.status, final=before.final or gone
            ),
            over,
        )
    over = (wait_asked(reply.headers) or 0.0) > ASKING_S
    said = read(reply, asking.url, asking.now)
    if (
        before.job and not said.copy and said.status >= 300
    ):  # whoever does not say how a job stands says nothing of it
        said = replace(before, status=said.status)
    return replace(said, job=said.job or before.job) if said.why == UNDER_WAY else said, over


def _request(asking: _Asking, turn: int, pace_s: float) -> HttpReply:
    """One request for a capture. Each says which it is: the log has an answer for every request."""
    http = asking.http.of(SERVICE, pace_s=pace_s, trips=False)
    headers = {**asking.headers, **({"x-attempt": str(turn)} if turn > 1 else {})}
    if asking.keyed:
        return http.send(
            "POST",
            SAVE,
            form={"url": asking.url},
            headers=headers,
            timeout_s=ANSWER_S,
            max_bytes=archive.MAX_ANSWER,
        )
    del headers["accept"]
    return http.send(
        "GET",
        f"{SAVE}/{asking.url}",
        headers=headers,
        timeout_s=ANSWER_S,
        max_bytes=archive.MAX_BYTES,
    )


def _look(asking: _Asking, job: str, look: int) -> HttpReply:
    """One look at a job. `_t` is what the archive's own page tells its looks apart by."""
    http = asking.http.of(JOBS, pace_s=LOOK_S, trips=False)
    params = {"_t": str(look)}
    return http.send(
        "GET",
        f"{SAVE}/status/{job}",
        params=params,
        headers=asking.headers,
        timeout_s=ANSWER_S,
        max_bytes=archive.MAX_BYTES,
    )


# ---------------------------------------------------------------- reading


def read(reply: HttpReply, url: str, now: float) -> _Said:
    """What an answer of Save Page Now says of the page at this address. now: what time it is where
    the answer does not say.

    Errors come with a status of 200 too, and a copy that was made some time ago under the name of
    the job that made it.
    """
    when, told = moment(reply.headers.get("date", "")) or now, _json(reply.body)
    found = [
        copy_at(place, url)
        for place in (reply.headers.get("content-location", ""), reply.url, *reply.hops)
    ]
    if told.get("status") == "success":
        found.append(copy_of(str(told.get("timestamp")), str(told.get("original_url")), url))
    known = [copy for copy in found if copy is not None and copy.at <= when + SLACK_S]
    if known:
        newest = max(known, key=lambda copy: copy.at)
        return _Said(newest, newest.at >= when - WITHIN_S - SLACK_S, status=reply.status)
    job = _job(reply, told)
    if reply.status < 300 and (job or told.get("status") == "pending"):
        return _Said(job=job, why=UNDER_WAY, status=reply.status)
    return _refused(reply, told)


def _job(reply: HttpReply, told: dict[str, Any]) -> str:
    """The job that an answer names as begun; the archive's page names it in a script."""
    job = str(told.get("job_id") or "")
    if told.get("status") in (None, "pending") and _JOB.fullmatch(job):
        return job
    watched = None if told else _WATCHED.search(reply.body)
    return watched[1].decode() if watched else ""


def _refused(reply: HttpReply, told: dict[str, Any]) -> _Said:
    code = str(told.get("status_ext") or "").removeprefix("error:")
    words = truncate(
        " ".join(visible(str(told.get("message") or code)).split()).replace("”", "'"), QUOTED
    )
    said = f" It says: “{words}”." if words else ""
    why = f"Save Page Now made no copy (HTTP {reply.status}).{said}"
    final = code not in BETTER_SOON if code else reply.status in FINAL
    return _Said(why=why, final=final, status=reply.status)


def _json(body: bytes) -> dict[str, Any]:
    """The JSON object that a body is; {} for any other."""
    try:
        told = json.loads(body) if body.lstrip()[:1] == b"{" else {}
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def copy_at(place: str, url: str) -> Copy | None:
    """The copy of the page at url that an address of the archive leads to; None for any other
    address.
    """
    found = _COPY.fullmatch(place)
    return copy_of(found[1], found[2], url) if found else None


def copy_of(stamp: str, original: str, url: str) -> Copy | None:
    """The copy of that time, YYYYMMDDhhmmss; None where it is no time. original: what was copied,
    which the archive spells its own way;

    where that is another site's page, to which this one leads, the copy is told by the address that
    was asked for.
    """
    try:
        made = (
            datetime.strptime(stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
            if _STAMP.fullmatch(stamp)
            else None
        )
    except ValueError:
        return None
    if made is None:
        return None
    try:
        spelled = canonical(original)
        of = spelled if registered_domain(spelled) == registered_domain(url) else url
    except ValueError:
        of = url
    return Copy(made.timestamp(), f"{archive.COPIES}/{stamp}/{of}")
