"""Check the shape of what a model's server answers. Pure; shared by all that read replies."""

from __future__ import annotations

import re
from typing import Any

from research_core.errors import ModelError
from research_core.model_messages import Json
from research_core.text.words import truncate


def require_object(value: Any, model: str) -> Json:
    """Return an object, {} for a missing one. Raises ModelError of kind bad_reply."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise make_shape_error(model)
    return value


def require_list(value: Any, model: str) -> list[Any]:
    """Return a list, [] for a missing one. Raises ModelError of kind bad_reply."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise make_shape_error(model)
    return value


_KIND_OF_STATUS = {
    401: "auth_required",
    403: "auth_required",
    404: "not_found",
    408: "timeout",
    413: "too_large",
    429: "rate_limited",
    504: "timeout",
}


def find_kind_of_status(status: int) -> str:
    """Return the kind of error that an HTTP status of a model's server means by itself."""
    return _KIND_OF_STATUS.get(status, "upstream_unavailable" if status >= 500 else "config")


#: Characters of a server's words in an error.
MAX_QUOTE_LENGTH = 300


def shorten_quote(text: str) -> str:
    """Return the words of a server as one line of at most MAX_QUOTE_LENGTH characters.

    It never ends inside a number, which would then be another one.
    """
    line = " ".join(text.split())
    cut = truncate(line, MAX_QUOTE_LENGTH)
    kept = cut.removesuffix("…") if cut != line else line
    if re.search(r"\d[.,]?\Z", kept) and re.match(r"[.,]?\d| \d{3}(?!\d)", line[len(kept) :]):
        return re.sub(r"\d(?:[\d.,]| (?=\d))*\Z", "", kept).rstrip() + "…"
    return cut


def quote_failure(model: str, status: int, said: str) -> str:
    """Return the sentence that a server answered this status, with its own words, if any.

    It ends with a full stop where those words end with none, as a next step follows.
    """
    if not said:
        return f"{model} answered {status}."
    ended = said.rstrip("\"'”’»)]").endswith((".", "!", "?", "…", "。", "！", "？", "۔", "।"))
    return f"{model} answered {status}: {said}{'' if ended else '.'}"


#: Characters by which servers replace the middle of a key that they refuse.
_MASK = r"[*•·.…x_-]"
#: Characters at the beginning of a key by which what is left of it is recognized.
_KEY_BEGINNING = 4


def mask_key(text: str, key: str) -> str:
    """Return a text without the key, and without what a server left of it ("sk-ab****wxyz")."""
    if not key:
        return text
    text = text.replace(key, "…")
    if len(key) < 2 * _KEY_BEGINNING:
        return text
    beginning = re.escape(key[:_KEY_BEGINNING])
    return re.sub(rf"{beginning}[\w-]*?(?:{_MASK}{{2,}}|…)[\w-]*", "…", text)


#: What an error of a connection says, why that is, and what to check.
_NO_CONNECTION = (
    (
        r"CERTIFICATE_VERIFY_FAILED",
        "its certificate is not accepted",
        "Use the name that is in the certificate, or http:// for a local server.",
    ),
    (
        r"WRONG_VERSION_NUMBER|RECORD_LAYER_FAILURE|UNEXPECTED_EOF",
        "it does not speak TLS",
        "Does its address begin with http:// instead of https://?",
    ),
    (
        r"gaierror|Name or service not known|name resolution|nodename nor",
        "the name in its address could not be found",
        "Is the name spelled correctly? In a container, localhost is the container.",
    ),
    (
        r"RemoteProtocolError|ReadError|ECONNRESET|reset by peer",
        "it closed the connection before it had answered",
        "Did it run out of memory, or end?",
    ),
    (r"(?i)refused", "the connection was refused", ""),
)


def describe_no_connection(error: BaseException) -> tuple[str, str]:
    """Return why a server could not be reached and what to check, ("", "") if unknown."""
    text = ""
    cause: BaseException | None = error
    while cause is not None:
        text += f" {type(cause).__name__}: {cause}"
        cause = cause.__cause__ or cause.__context__
    for pattern, why, check in _NO_CONNECTION:
        if re.search(pattern, text):
            return why, check
    return "", ""


def make_shape_error(model: str) -> ModelError:
    """Return the error for a reply that is not of its documented shape."""
    return ModelError(
        f"{model} answered in a shape its documentation does not promise.",
        kind="bad_reply",
        next_step="Check the address of the model in .env, or choose another model.",
    )
