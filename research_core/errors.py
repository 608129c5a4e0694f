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
├── ModelRefused                a provider refuses a model, so the run that chose it ends
├── RelevanceError              relevance could not be scored at all
├── SynthesisError              the report could not be written
├── CapReached                  a cap on calls, tokens, cost or time; the run writes what it has
└── CallForbidden               a replay asked for a call the recorded run never made

Stopped (BaseException)         cancel or shutdown; no step can mistake it for a failed call
└── LostOwnership               another worker owns the session
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class ResearchError(Exception):
    """A failure with a plain message and, where there is one, the next step a person can take."""

    def __init__(self, message: str, *, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step

    def sentence(self) -> str:
        """Return message and next step as one line."""
        return " ".join(part for part in (self.message, self.next_step) if part)


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

    usage: what an unusable answer cost, as `model_messages.Usage` in JSON; {} if unknown. requests:
    how many were sent for it. models: how many of the chain failed. by_model: their failures, in
    order; not recorded. failures: (message, next step) of each model that was asked, if several
    failed; the one whose kind and status the error has is the last.
    """

    usage: Mapping[str, Any] = {}
    requests: int = 1
    models: int = 1
    by_model: Mapping[str, ModelError] = {}
    failures: tuple[tuple[str, str], ...] = ()

    def list_failures(self) -> tuple[tuple[str, str], ...]:
        """Return the message and next step of each model that failed."""
        return self.failures or ((self.message, self.next_step),)


#: Kinds of failure of a model that every later call would share: a refused key or place, or no
#: such model.
REFUSAL_KINDS = frozenset({"auth_required", "not_found"})


class ModelRefused(ResearchError):
    """A model that a run chose is refused, so the run ends; it can go on with another.

    Not a ModelError, which a step may catch to go on without the model. role: model | writer |
    judge.
    """

    def __init__(self, message: str, *, role: str, next_step: str = "") -> None:
        super().__init__(message, next_step=next_step)
        self.role = role


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
    if isinstance(error, ModelError) and error.requests != 1:
        data["requests"] = error.requests
    if isinstance(error, ModelError) and error.models != 1:
        data["models"] = error.models
    if isinstance(error, ModelError) and error.failures:
        data["failures"] = [list(failure) for failure in error.failures]
    return data


def error_from_json(data: Mapping[str, Any]) -> BoundaryError:
    """Reverse `error_to_json`."""
    error_type = _BOUNDARY_ERRORS[data["type"]]
    fields = {name: data[name] for name in ("kind", "status", "retry_after", "next_step")}
    flags = {name: data.get(name, False) for name in _OPTIONAL_FLAGS}
    error = error_type(data["message"], **fields, **flags)
    if isinstance(error, ModelError) and "usage" in data:
        error.usage = data["usage"]
    if isinstance(error, ModelError):
        error.requests = data.get("requests", 1)
        error.models = data.get("models", 1)
    if isinstance(error, ModelError) and "failures" in data:
        error.failures = tuple((message, next_step) for message, next_step in data["failures"])
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
    """A cap of this run was reached. cap: calls | tokens | cost | seconds.

    is_unspent: nothing of it is spent, but one call would take more than it leaves.
    """

    def __init__(
        self, cap: str, message: str, *, next_step: str = "", is_unspent: bool = False
    ) -> None:
        super().__init__(message, next_step=next_step)
        self.cap = cap
        self.is_unspent = is_unspent


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
