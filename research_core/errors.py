"""Every error Assay raises on purpose. Nothing here formats for a screen.

run_tool, the MCP server, the runner and the command line turn errors into words.

ResearchError                   a clear sentence, and the next step
├── UsageError                  bad input: question, mode, threshold (exit 2)
├── SettingsError               bad configuration: a key, an address, a number (exit 2)
├── StoreError                  the database is full, locked or damaged; nothing recorded is lost
├── BoundaryError               a failed outside call: recorded, and replayed as the same failure
│   ├── SearchError             a search engine failed (which is not "found nothing")
│   ├── FetchError              a page could not be read; `blocked` is one of its kinds
│   └── ModelError              a model refused, failed or answered something unusable
├── RelevanceError              relevance could not be scored at all
├── SynthesisError              the report could not be written
├── CapReached                  a cap on calls, tokens, cost or time ended gathering
└── CallForbidden               a replay met a call that was never recorded

Stopped (BaseException)         cancel or shutdown: never recorded, never caught as a failure
└── LostOwnership               another worker has taken this session over
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
        """Message and next step, as one line for a terminal or a screen."""
        return " ".join(part for part in (self.message, self.next_step) if part)


class UsageError(ResearchError):
    """The caller's input cannot be used as it is."""


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
    "circuit_open": True,  # it failed a moment ago and is left alone for a while; it was not asked
    "auth_required": False,
    "blocked": False,  # the site refused us, by its answer
    # its robots.txt asks programs not to read it; it was not asked, and nobody else is asked for it
    "disallowed": False,
    # the address is none that may be asked: no web address, a private one, not an allowed domain
    "validation": False,
    # on the wire of the tools it is, as a page may be drawn otherwise another time
    # (`tools.failures`)
    "content_empty": False,
    "not_found": False,
    "unsupported": False,  # a kind of document this reader cannot read
    "too_large": False,
    "browser_unavailable": False,
    "bad_reply": False,  # the answer did not have the shape its documentation promises
    "config": False,
}


class BoundaryError(ResearchError):
    """A call to the outside failed.

    kind: one of `ERROR_KINDS`. status: the HTTP status, or None. retry_after: seconds the other
    side asked us to wait, or None. public: whether the address it failed at had been proved to be a
    public one; only such an address may be named to a third party. ours: a setting of this
    installation forbids it, which may be another one tomorrow: no cache keeps it, and it may be
    tried again. absent: there is no host of that name, as those who keep the names say; a look-up
    that failed says no such thing. quotes: the parts of the message that are words of a service or
    a page, cleaned and short; they are marked as such where no run is (`tools.advice`), since a
    replay has to meet what a run was told.
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
        return ERROR_KINDS[self.kind]


class SearchError(BoundaryError):
    """A search engine refused, timed out or answered nonsense. An engine that found nothing returns
    an empty list instead.

    provider: whose failure it is, where one was asked and no other could stand in for it. asked:
    all who were asked, where more were.
    """

    provider: str = ""
    asked: tuple[str, ...] = ()


class FetchError(BoundaryError):
    """A page could not be fetched or read. tried: {"tier", "outcome"} of each way of reading it,
    where there were several.

    found: as what its bytes were read (`web.kinds`), where there were some and it was reading them
    that failed.
    """

    tried: tuple[dict[str, str], ...] = ()
    found: str = ""


class ModelError(BoundaryError):
    """A model call failed, or its answer cannot be used."""


#: What is written only where it is so.
_OPTIONAL_FLAGS = ("public", "ours", "absent")


def error_to_json(error: BoundaryError) -> dict[str, object]:
    """The error as plain JSON values, as the log and the cache keep it."""
    fields = {
        name: getattr(error, name)
        for name in ("message", "kind", "status", "retry_after", "next_step")
    }
    return {
        "type": type(error).__name__,
        **fields,
        **{name: True for name in _OPTIONAL_FLAGS if getattr(error, name)},
    }


def error_from_json(data: Mapping[str, Any]) -> BoundaryError:
    """The inverse of `error_to_json`."""
    made = {each.__name__: each for each in (BoundaryError, SearchError, FetchError, ModelError)}[
        data["type"]
    ]
    fields = {name: data[name] for name in ("kind", "status", "retry_after", "next_step")}
    return made(
        data["message"], **fields, **{name: data.get(name, False) for name in _OPTIONAL_FLAGS}
    )


#: The classes of what a look at this machine may be refused with, by the name they are recorded
#: under.
_REFUSAL_TYPES: dict[str, type[ResearchError]] = {
    each.__name__: each for each in (UsageError, SettingsError)
}


def capture_refusal(look: Callable[[], Any]) -> Any:
    """What `look` gives; for wrong input or a setting that lacks, that, as plain JSON values for
    `unwrap_refusal`.
    """
    try:
        return look()
    except (UsageError, SettingsError) as error:
        return {
            "$refused": type(error).__name__,
            "message": error.message,
            "next_step": error.next_step,
        }


def unwrap_refusal(said: Any) -> Any:
    """What `capture_refusal` gave; raises what it was refused with."""
    if isinstance(said, dict) and "$refused" in said:
        raise _REFUSAL_TYPES[said["$refused"]](said["message"], next_step=said["next_step"])
    return said


class RelevanceError(ResearchError):
    """Raised when relevance scoring fails."""


class SynthesisError(ResearchError):
    """Raised when the report cannot be written."""


class CapReached(ResearchError):
    """A cap of this run struck. cap: calls | tokens | cost | seconds."""

    def __init__(self, cap: str, message: str, *, next_step: str = "") -> None:
        super().__init__(message, next_step=next_step)
        self.cap = cap


class CallForbidden(ResearchError):
    """A replay asked for a call that the recorded run never made."""


class Stopped(BaseException):
    """Cancel or shutdown. why: cancel | shutdown | lost. A BaseException, so that no step can
    mistake it for a failed call.
    """

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class LostOwnership(Stopped):
    """Another worker owns this session now; this one must write nothing more."""

    def __init__(self) -> None:
        super().__init__("lost")
