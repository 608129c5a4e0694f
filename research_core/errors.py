"""Define every error Assay raises on purpose. Formatting for users happens at the edges.

ResearchError                   a clear sentence, and the next step
├── UsageError                  the caller's input is wrong: question, mode, threshold (exit 2)
│   └── UnknownProvider         there is no provider of the name that the caller gave
├── SettingsError               the configuration is wrong: a key, an address, a number (exit 2)
├── StoreError                  the database is full, locked or damaged; no recorded data is lost
├── BoundaryError               the outside failed: recorded, and replayed as the same failure
│   ├── SearchError             a search engine failed (it did not "find nothing")
│   ├── FetchError              a page could not be read; `blocked` is one of its kinds
│   └── ModelError              a model refused, failed or answered something unusable
├── RelevanceError              relevance could not be scored at all
├── SynthesisError              the report could not be written
├── CapReached                  a cap on calls, tokens, cost or time; the run writes what it has
└── CallForbidden               a replay asked for a call the recorded run never made

Stopped (BaseException)         cancel or shutdown; no step can mistake it for a failed call
└── LostOwnership               another worker owns the session
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from research_core.i18n import (
    EARLIER_ENGLISH,
    N_,
    SOURCE_LANGUAGE,
    current_language,
    gettext,
    join_sentences,
)


class ResearchError(Exception):
    """A failure with a plain message and, where there is one, the next step a person can take."""

    def __init__(self, message: str, *, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step

    def sentence(self) -> str:
        """Return message and next step as one line."""
        return " ".join(part for part in (self.message, self.next_step) if part)

    def describe(self) -> str:
        """Return message and next step as one line, in the current language."""
        return join_sentences([translate_failure(self.message), translate_failure(self.next_step)])


class UsageError(ResearchError):
    """The caller's input cannot be used as it is."""


class UnknownProvider(UsageError):
    """The caller named a provider that does not exist. known: those of its kind that do."""

    def __init__(self, message: str, *, known: tuple[str, ...] = (), next_step: str = "") -> None:
        super().__init__(message, next_step=next_step)
        self.known = known


class SettingsError(ResearchError):
    """The configuration cannot be used as it is."""


class StoreError(ResearchError):
    """The database refused: full disk, lock held too long, damaged file."""


#: The taxonomy of `spec/research-tools.md`, and whether trying again can help.
ERROR_KINDS: dict[str, bool] = {
    "rate_limited": True,
    "network": True,
    "timeout": True,
    "upstream_unavailable": True,
    "circuit_open": True,  # the service rests after failures and was not asked
    "auth_required": False,
    "blocked": False,  # the site answered with a refusal
    # robots.txt disallows it; neither the site nor anybody else is asked for the page
    "disallowed": False,
    # the address may not be asked: not a web address, private, or not an allowed domain
    "validation": False,
    # retryable on the wire of the tools, because a page may render differently next time
    # (`tools.failures`)
    "content_empty": False,
    "not_found": False,
    "unsupported": False,  # a document kind that cannot be read
    "too_large": False,
    "browser_unavailable": False,
    "bad_reply": False,  # the answer did not have its documented shape
    "config": False,
}


class BoundaryError(ResearchError):
    """A call to the outside failed.

    kind: one of `ERROR_KINDS`. status: the HTTP status, or None. retry_after: seconds the other
    side asked us to wait, or None. public: the address is known to be public; only such an address
    may be named to a third party. ours: a setting of this installation forbids the call; no cache
    keeps the failure, because the setting may change. absent: DNS says that the host does not
    exist; a failed look-up does not say so. quotes: the parts of the message that are words of a
    service or a page, cleaned and short; they are marked as such outside runs (`tools.failures`),
    because a replay has to see what the run was told.
    """

    quotes: tuple[str, ...] = ()

    def __init__(
        self,
        message: str,
        *,
        kind: str = "upstream_unavailable",
        status: int | None = None,
        retry_after: float | None = None,
        next_step: str = "",
        public: bool = False,
        ours: bool = False,
        absent: bool = False,
    ) -> None:
        if kind not in ERROR_KINDS:
            raise ValueError(f"unknown error kind {kind!r}")
        super().__init__(message, next_step=next_step)
        self.kind = kind
        self.status = status
        self.retry_after = retry_after
        self.public = public
        self.ours = ours
        self.absent = absent

    @property
    def retryable(self) -> bool:
        """Whether trying again can help."""
        return ERROR_KINDS[self.kind]


class SearchError(BoundaryError):
    """A search engine refused, timed out or sent nonsense; one without results returns [] instead.

    provider: which one failed, if one was asked and no other could replace it. asked: all that were
    asked, if more than one was. all_unreached: not one of several could be reached.
    """

    provider: str = ""
    asked: tuple[str, ...] = ()
    all_unreached: bool = False


class FetchError(BoundaryError):
    """A page could not be fetched or read.

    tried: {"tier", "outcome"} of each way of reading it, if there were several. found: the document
    kind its bytes were read as, if reading them failed.
    """

    tried: tuple[dict[str, str], ...] = ()
    found: str = ""


class ModelError(BoundaryError):
    """A model call failed, or its answer cannot be used.

    usage: what an unusable answer cost, as `model_messages.Usage` in JSON; {} if unknown.
    """

    usage: Mapping[str, Any] = {}


_BOUNDARY_ERRORS = {
    error_type.__name__: error_type
    for error_type in (BoundaryError, SearchError, FetchError, ModelError)
}
#: Written only when true.
_OPTIONAL_FLAGS = ("public", "ours", "absent")


def error_to_json(error: BoundaryError) -> dict[str, object]:
    """Return the error as plain JSON values, as the log and the cache keep it."""
    data: dict[str, object] = {"type": type(error).__name__}
    for name in ("message", "kind", "status", "retry_after", "next_step"):
        data[name] = getattr(error, name)
    for name in _OPTIONAL_FLAGS:
        if getattr(error, name):
            data[name] = True
    if isinstance(error, ModelError) and error.usage:
        data["usage"] = dict(error.usage)
    return data


def error_from_json(data: Mapping[str, Any]) -> BoundaryError:
    """Reverse `error_to_json`."""
    error_type = _BOUNDARY_ERRORS[data["type"]]
    fields = {name: data[name] for name in ("kind", "status", "retry_after", "next_step")}
    flags = {name: data.get(name, False) for name in _OPTIONAL_FLAGS}
    error = error_type(data["message"], **fields, **flags)
    if isinstance(error, ModelError) and "usage" in data:
        error.usage = data["usage"]
    return error


#: The errors that `capture_refusal` captures, by recorded name.
_REFUSAL_TYPES: dict[str, type[ResearchError]] = {
    each.__name__: each for each in (UsageError, SettingsError)
}


def capture_refusal(look: Callable[[], Any]) -> Any:
    """Return the result of `look`, or its UsageError or SettingsError as JSON."""
    try:
        return look()
    except (UsageError, SettingsError) as error:
        return {
            "$refused": type(error).__name__,
            "message": error.message,
            "next_step": error.next_step,
        }


def unwrap_refusal(said: Any) -> Any:
    """Return what `capture_refusal` captured, raising a captured error again."""
    if isinstance(said, dict) and "$refused" in said:
        raise _REFUSAL_TYPES[said["$refused"]](said["message"], next_step=said["next_step"])
    return said


class RelevanceError(ResearchError):
    """Stands for a failure of relevance scoring. It is specified, and never raised."""


class SynthesisError(ResearchError):
    """Raised when the report cannot be written."""


class CapReached(ResearchError):
    """A cap of this run was reached. cap: calls | tokens | cost | seconds."""

    def __init__(self, cap: str, message: str, *, next_step: str = "") -> None:
        super().__init__(message, next_step=next_step)
        self.cap = cap


class CallForbidden(ResearchError):
    """A replay asked for a call that the recorded run never made."""


#: Why a run stops until the analyst has approved its plan.
APPROVAL = "approval"


class Stopped(BaseException):
    """The run stopped before its end. why: cancel | shutdown | lost | approval.

    A BaseException, so that no step can mistake it for a failed call.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class LostOwnership(Stopped):
    """Another worker owns this session now; this one must write nothing more."""

    def __init__(self) -> None:
        super().__init__("lost")


# ---------------------------------------------------------------- failures in other languages

#: The messages of FetchError, with their values as fields. They are recorded in English, and
#: translated where a reader sees them.
FETCH_FAILURES = (
    N_("The site wants a password. (HTTP {status})"),
    N_("A proxy wants a password. (HTTP {status})"),
    N_("The site wants to be paid. (HTTP {status})"),
    N_("The site refused to serve the page. (HTTP {status})"),
    N_("The page is withheld for legal reasons. (HTTP {status})"),
    N_("There is no such page. (HTTP {status})"),
    N_("The page has been removed. (HTTP {status})"),
    N_("The site gave up waiting. (HTTP {status})"),
    N_("The site asks us to slow down. (HTTP {status})"),
    N_("The site answered with something that is no page. (HTTP {status})"),
    N_("The site redirects to nowhere. (HTTP {status})"),
    N_("The site refused the request. (HTTP {status})"),
    N_("The site is in trouble. (HTTP {status})"),
    N_("The site serves a check for robots in place of the page. (HTTP {status})"),
    N_("The site serves a check for robots in place of the page."),
    N_("The site leads to a login instead of the page."),
    N_("The site shows a form to sign in and nothing else in place of the page."),
    N_("The page shows only a dialog that asks for consent to cookies, in place of its text."),
    N_("The page has no text that can be seen without running its scripts."),
    N_(
        "The page says that it does not exist, though the site answered with success (HTTP"
        " {status})."
    ),
    N_(
        "The page says that the site has failed or is out of order, though it answered with"
        " success (HTTP {status})."
    ),
    N_("The address is for sale, and has no page (HTTP {status})."),
    N_("{host} did not answer in time."),
    N_(
        "{host} has no certificate for this name that can be trusted, or broke off the secure"
        " connection."
    ),
    N_("{host} sent a body that does not decompress."),
    N_("{host} broke off the connection or did not answer in HTTP."),
    N_("No connection to {host}."),
    N_("The name {host} could not be found."),
    N_("The site did not answer in full within {seconds} seconds."),
    N_("The site sent far more than can be read."),
    N_("The site redirected more than {count} times."),
    N_("The site redirects to something that is no address."),
    N_("The site answered in an encoding that was not asked for (“{encoding}”)."),
    N_("The page is larger than {size} bytes."),
    N_("The page holds nothing but the way to another one."),
    N_("The page came from an address that cannot be cited: {why}."),
    N_("The page is empty."),
    N_("The file is empty."),
    N_("A header meant for {host} holds characters that HTTP cannot carry."),
    N_("{address} is not a configured service."),
    N_("The services of {host} are asked only by those who name an e-mail address."),
    N_("Only http and https addresses can be read."),
    N_("Address refused: it is not a valid web address."),
    N_("Address refused: it carries a user name, or its host is not a valid name."),
    N_("Address refused: the site redirects a request with a body to another site."),
    N_(
        "Address refused: the configured service at {host} redirects to {address}, away from"
        " itself."
    ),
    N_(
        "Address refused: {host} leads to {address}, which lies inside a private network or"
        " is a metadata service."
    ),
    N_("Address refused: {host} is a name of a cloud's metadata service."),
    N_("Address refused: {host} is not a valid host."),
    N_("Address refused: {host} is a service this installation uses, not a page."),
    N_("Address refused: port {port} is not one that web pages use."),
    N_("Address refused: {host} is a name inside a private network."),
    N_("Address refused: {host} is not a public address."),
    N_(
        "Address refused: {host} is not among the domains this installation may read"
        " (ALLOWED_DOMAINS)."
    ),
    N_("The site's robots.txt asks programs not to read this page."),
    N_(
        "The site's server failed to give its robots.txt (HTTP {status}), so its pages are"
        " not requested for another {seconds} s."
    ),
    N_(
        "The site asks us to slow down: its robots.txt answered HTTP {status}, so its pages"
        " are not requested for another {seconds} s."
    ),
    N_("{name} asked not to be asked again for another {seconds} s."),
    N_("So many pages of {name} wait to be read that this one would wait {seconds} s."),
    N_("{name} failed a moment ago and is left alone for {seconds} s."),
    N_(
        "So many calls of {name} wait that this one's turn comes in {seconds} s, later than"
        " it has time."
    ),
    N_("The time for this call was up."),
    N_("It may cost {cost} US dollars, and the cap of {cap} leaves no room for that."),
    N_("The service took all the time of the call to give a token."),
    N_("The service answered the question for a token without one."),
    N_("{service} answered {status}."),
    N_("{service} answered with nothing."),
    N_("{service} gave an answer that cannot be read: {why}."),
    N_("The archive has no copy of the page."),
    N_("The archive has kept only an error or a redirect of the page."),
    N_("The archive's copy leads to another site."),
    N_("The archive gave an answer that cannot be read: {why}."),
    N_("Exa gave an answer that cannot be read: {why}."),
    N_("Exa could not read the page ({why})."),
    N_("The library no longer holds this document."),
    N_("Chromium's sandbox does not work for root."),
    N_("There is no Chromium on this machine: install one, or name it in CHROME_PATH."),
    N_("The page's scripts cannot be run here."),
    N_("The page's scripts did not come to an end within {seconds} seconds."),
    N_("The page's scripts left nothing of it."),
    N_("The page broke the browser ({why})."),
    N_("This is no page that a browser would draw."),
    N_("The page was left."),
    N_("This is {kind}, which is not read here."),
    N_("This is an image (SVG), which is not read here."),
    N_("This is a text that contains NUL bytes, so that it is damaged or no text."),
    N_("This is no web archive (WARC)."),
    N_("The web archive is damaged: {why}."),
    N_("The web archive unpacks to more than {size} bytes."),
    N_("The archive is broken ({why})."),
    N_("The archive is broken: its parts overlap."),
    N_("The archive is encrypted and needs a password."),
    N_("The archive is packed in a way that is not read here."),
    N_("The archive has {count} entries; {most} are the most that is read."),
    N_("The archive would unpack to {size} MB and is not opened."),
    N_("A part of the archive would unpack to more than {size} MB and is not opened."),
    N_("The document holds no values."),
    N_("The document holds no text."),
    N_("The document is broken: {name} is no XML."),
    N_("The JSON is nested more than {count} levels deep."),
    N_("The XML is not well formed."),
    N_("The XML is longer than {size} MB."),
    N_("The PDF holds no text; it may be a scan."),
    N_("The PDF is encrypted and needs a password."),
    N_("The PDF is broken."),
    N_("The PDF cannot be opened."),
    N_("The passage was not found on a page."),
    N_("No process could be started to read the document."),
    N_("What the reader of this document answered makes no sense."),
    N_("Reading the document took longer than {seconds} seconds and was stopped."),
    N_("The document breaks its reader, or takes more than {size} MB to read."),
    N_("The repository has no README that can be read."),
    N_("The gist holds no text."),
    N_("Hacker News has no story on this list."),
    N_("Hacker News has no such user."),
    N_("Hacker News has no such item."),
    N_("The item was deleted by its author."),
    N_("The item was killed by moderators or readers."),
    N_("arXiv has no such paper."),
    N_("The paper's HTML is not that of a paper."),
    N_("The paper's HTML holds no text."),
    N_("The paper's HTML cannot be read."),
    N_("A comment of the page is too long to be read."),
    N_("PubMed has no such article."),
    N_("PubMed Central has no such article."),
    N_("PubMed Central gives out neither text nor abstract."),
    N_("The post holds no words."),
    N_("FxTwitter knows no such post or user."),
    N_("FxTwitter says {status}: {words}."),
    N_("YouTube does not know this video."),
    N_("YouTube does not show the video: {why}"),
    N_("YouTube asks for consent or a captcha before it shows the video."),
    N_("The video has no captions."),
    N_("The video has neither captions that can be read nor a description."),
    N_("There are no captions in English that are given without a signature."),
    N_("These captions need a token that only YouTube's own player has."),
    N_("The captions hold no words."),
    N_("{message} Tried: {outcomes}."),
)
#: Their next steps.
FETCH_NEXT_STEPS = (
    N_("Remove the NUL bytes, or save the text again as UTF-8."),
    N_("Look for it with recognised text."),
    N_("Try again."),
    N_("Add it again, or leave it out."),
    N_("Ask for that one's address."),
    N_("Set one in .env."),
    N_("Ask again with a higher one."),
    N_("Try again then, or another provider."),
    N_("Try again later, or ask for less at once."),
    N_("Ask for less at once."),
    N_("Save it as PDF, DOCX, HTML or text, or look for such a version of it."),
    N_("Read it in a browser; with ASSAY_ROBOTS=0 Assay reads what programs are asked not to."),
    N_("Try again then, or read another page that says the same."),
    N_("Look for the same text as a web page, or add a shorter part of the document to a library."),
    N_("There is a browser by now: start Assay again."),
    N_("Install it with `python3 run.py extras browser`."),
    N_(
        "Look whether this program starts by itself; CHROME_PATH names another, and"
        " `CHROME_PATH=off` does without."
    ),
    N_(
        "Run Assay as somebody else than root, or set ASSAY_BROWSER_SANDBOX=0 where nothing"
        " on the machine is worth protecting from a page."
    ),
)
_FIELD = re.compile(r"\\{(\w+)\\}")
#: Values that hold no end of a sentence, so that they never begin with the sentence before theirs.
_NAMES = frozenset({"service", "host", "name"})


def translate_failure(message: str) -> str:
    """Return the message or next step of a failure in the current language.

    A message that FETCH_FAILURES lacks stays as it is.
    """
    if current_language() in (SOURCE_LANGUAGE, EARLIER_ENGLISH):
        return message
    known = find_failure_text(message)
    if known is None:
        return gettext(message)
    text, values = known
    if "message" in values:
        values["message"] = translate_failure(values["message"])
    return gettext(text).format(**values)


def find_failure_text(message: str) -> tuple[str, dict[str, str]] | None:
    """Return the text in FETCH_FAILURES that a message fills in, and its values; None if none."""
    for text, pattern in _compile_failures():
        found = pattern.fullmatch(message)
        if found:
            return text, found.groupdict()
    return None


def _make_group(field: re.Match[str]) -> str:
    value = r"(?:(?![.!?]\s).){1,600}?" if field[1] in _NAMES else ".{1,600}?"
    return f"(?P<{field[1]}>{value})"


@cache
def _compile_failures() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return each text with the pattern of its messages, the most specific first."""
    rows: list[tuple[str, re.Pattern[str]]] = []
    for text in (*FETCH_FAILURES, *FETCH_NEXT_STEPS):
        pattern = _FIELD.sub(_make_group, re.escape(text))
        rows.append((text, re.compile(pattern, re.DOTALL)))
    rows.sort(key=lambda row: (not row[0].startswith("{message}"), row[0].count("{"), -len(row[0])))
    return tuple(rows)
