"""Read what an OpenAI-compatible server refuses: failed requests, and parts that can be left out.

Pure. The shapes of errors are listed at `read_error`; Ollama's are among them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from research_core.errors import ModelError
from research_core.journal.http_caching import MAX_RETRY_AFTER_S, parse_retry_after
from research_core.llm.reply_shapes import (
    describe_place_step,
    end_server_words,
    find_kind_of_status,
    is_of_place,
    lacks_credit,
    quote_failure,
    shorten_quote,
)
from research_core.model_messages import Json
from research_core.policy import OFFLINE_MODEL
from research_core.text.words import strip_invisible

#: Ways of asking for JSON that follows a schema, the strictest first.
STRUCTURES = ("json_schema", "json_object", "prompt")


@dataclass(frozen=True)
class Abilities:
    """What is known of a model.

    structure: of `STRUCTURES`; limit_name: its parameter for the most tokens of a reply; rejected:
    names of `PARAMETERS`.
    """

    structure: str = STRUCTURES[0]
    limit_name: str = "max_tokens"
    rejected: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Rejection:
    """What a server rejects of a request.

    name: of `PARAMETERS`. instead: the name it takes in its place, "" for none. lasting: it rejects
    this of every request, not only of one that is too long.
    """

    name: str
    instead: str = ""
    lasting: bool = True


# ---------------------------------------------------------------- what servers say

#: OpenAI's name of `max_tokens` for models that think; its errors for the other name it.
NEWER_LIMIT_NAME = "max_completion_tokens"
#: What a server may reject, and how its message names that.
PARAMETERS = {
    "stream_options": re.compile(r"stream_options|include_usage", re.IGNORECASE),
    "temperature": re.compile(r"temperature", re.IGNORECASE),
    "max_tokens": re.compile(r"max_tokens|max_completion_tokens|max tokens", re.IGNORECASE),
    NEWER_LIMIT_NAME: re.compile(r"max_tokens|max_completion_tokens|max tokens", re.IGNORECASE),
    "reasoning_content": re.compile(r"reasoning_content", re.IGNORECASE),
    "reasoning": re.compile(r"\breasoning\b", re.IGNORECASE),
    "think": re.compile(r"\bthink(?:ing)?\b", re.IGNORECASE),
    "response_format": re.compile(
        r"response[_ ]format|json[_ ]schema|json[_ ]object|structured[_ ]output|guided|grammar"
        r"|\bformat\b",
        re.IGNORECASE,
    ),
}
REJECTING_STATUSES = frozenset({400, 404, 415, 422, 500, 501})
_TOO_LONG = re.compile(
    r"context[_ ](?:length|window|size|limit)|maximum context|exceed_context|prompt is too long"
    r"|too many tokens|n_ctx|num_ctx|input length",
    re.IGNORECASE,
)
#: "Please try again in 1m26.4s", "Please retry in 37.3s", "retry after 20 seconds".
_ASKED_WAIT = re.compile(
    r"\b(?:try again|retry|retrying|wait)(?: (?:in|after|for|another|at least)){0,2}:?"
    r" (?P<wait>(?:\d{1,9}(?:\.\d{1,9})?\s?(?:hours?|minutes?|seconds?|h|min|ms|m|secs?|s)\b\s?"
    r"|\d{1,9}(?:h|m)(?=\d)){1,3})",
    re.IGNORECASE,
)
_PART_OF_WAIT = re.compile(r"(\d+(?:\.\d+)?)\s?(ms|h|m|s)", re.IGNORECASE)
SECONDS_OF_UNIT = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
#: Google's address answers 400 to a wrong key.
_WRONG_KEY = re.compile(
    r"(?:invalid|incorrect|wrong)[_ ]api[_ ]key|api[_ ]key(?: is)?[_ ](?:not valid|invalid|expired)",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model_not_found|model(?: [^ ]{1,200})? (?:was |is |could |can)?not (?:be )?(?:found|exist)"
    r"|does not exist|no models? loaded|not a valid model"
    r"|\b(?:invalid|unknown|no such) model(?! (?:param|option|output|config))\b",
    re.IGNORECASE,
)
#: What an error is about: a model, in a few languages, but not what a model is able to do.
_ABOUT_MODEL = re.compile(r"mod[eè]l|модел|模型|モデル|모델", re.IGNORECASE)
_ABOUT_ABILITY = re.compile(r"support", re.IGNORECASE)
_NO_ENDPOINT = re.compile(r"unexpected endpoint|(?:page|route|url) not found", re.IGNORECASE)
_FLAGGED = re.compile(r"content_filter|moderation|flagged|content management", re.IGNORECASE)

#: What a model is not able to do, how servers word that, and what to do.
_LACKED_ABILITIES = (
    (
        re.compile(
            r"(?:not|n['’]t) support (?:the )?(?:use of )?(?:native )?(?:tools?|functions?)\b"
            r"|\b(?:tools?|functions?)(?:[_ -](?:calls?|calling|use|choice))? (?:is|are) "
            r"(?:not |un)(?:supported|available|enabled)\b(?! (?:when|in|with)\b)"
            r"|support (?:for )?tool use|enable-auto-tool-choice",
            re.IGNORECASE,
        ),
        "Choose a model that calls tools, or the planned strategy.",
    ),
    (
        re.compile(
            r"not support (?:chat|generate|completions?|text generation)\b"
            r"|(?:not|isn['’]t) an? (?:chat|instruct|completion|text generation) model"
            r"|\bis an? (?:\w+ )?(?:embedding|rerank\w*|speech|image)s? model",
            re.IGNORECASE,
        ),
        "Choose a model that answers in text; this one is for other tasks.",
    ),
)
#: "Did you mean to use v1/completions?": the model answers in text, at another address.
_OTHER_ENDPOINT = re.compile(r"\bv1/(?:completions|responses)\b", re.IGNORECASE)
#: A model that is for subscribers of its provider alone.
_SUBSCRIBERS_ONLY = re.compile(
    r"(?:requires?|needs?|without) (?:an? )?(?:\w+ ){0,2}subscription|subscription (?:is )?required"
    r"|upgrade (?:for access|(?:your|to an?) (?:\w+ ){0,2}(?:plan|subscription|account|tier))",
    re.IGNORECASE,
)
TOO_LARGE_STEP = "Choose the quick mode, or a model or server with a longer context."
NEXT_STEPS = {
    "auth_required": "Check ASSAY_OPENAI_API_KEY.",
    "no_key": "Set ASSAY_OPENAI_API_KEY, or choose another model.",
    "subscription": "Subscribe at the provider, or choose another model.",
    "config": "Check ASSAY_OPENAI_BASE_URL (it mostly ends in /v1) and ASSAY_OPENAI_MODELS.",
    "not_found": "Check the name of the model (ASSAY_OPENAI_MODELS).",
    "blocked": "Ask in other words, or choose another model.",
    "rate_limited": "Wait, or choose another model.",
    "too_large": TOO_LARGE_STEP,
    "credit": (
        "Add credit at the provider (account of ASSAY_OPENAI_API_KEY), or choose another model."
    ),
}


@dataclass(frozen=True)
class ServerError:
    """What a server says of a failure. code: its own name or number for it, "" for none."""

    message: str
    code: str = ""
    param: str = ""

    @property
    def words(self) -> str:
        return f"{self.code} {self.param} {self.message}"


def read_error(body: Any, status: int) -> ServerError | None:
    """Return the error in a decoded answer, None if it is none.

    With status 200, a code of 0 means success; some servers send it in every piece.

    Shapes: {"error": {"message", "code", "param", "type"}} (OpenAI, OpenRouter, vLLM,
    llama.cpp), {"error": "…"} (Ollama, LM Studio), {"object": "error", "message"} (older vLLM),
    {"code", "message"} (SiliconFlow; Spark has both in each answer too, beside its content),
    {"detail": …} (FastAPI); Google's puts its object into a list.
    """
    if isinstance(body, list) and len(body) == 1:
        body = body[0]
    if not isinstance(body, Mapping):
        return None
    error = body.get("error")
    if error is None and body.get("object") == "error":
        error = body
    if error is None and "choices" not in body and "message" not in body:
        error = body.get("detail")
    has_content = body.get("choices") is not None or body.get("data") is not None
    is_success = has_content or (status == 200 and body.get("code") in (0, "0"))
    if error is None and "code" in body and isinstance(body.get("message"), str):
        error = None if is_success else body
    if not error:
        return None
    if not isinstance(error, Mapping):
        text = error if isinstance(error, str) else json.dumps(error)
        return ServerError(_clean_message(text))
    code = error.get("code")
    named = error.get("type") if code is None else code
    return ServerError(
        _clean_message(str(error.get("message") or "")),
        str(named or ""),
        str(error.get("param") or ""),
    )


def _clean_message(text: str) -> str:
    return shorten_quote(strip_invisible(text))


def raise_if_error(piece: Json, model: str) -> None:
    """Raise the error that a server puts into an answer of status 200."""
    error = read_error(piece, 200)
    if error is not None:
        is_stated = re.fullmatch(r"[45]\d\d", error.code) is not None
        made = build_model_error(model, int(error.code) if is_stated else 502, piece, {})
        if not is_stated:
            said = error.message or error.code
            if said:
                made.message = f"{model} answered with an error: {end_server_words(said)}"
        raise made


def find_rejection(
    status: int, error: ServerError | None, sent: Json, able: Abilities
) -> Rejection | None:
    """Return what of a request the server rejects, None if unknown.

    sent: the body of the request. A parameter that was not sent, or is known as rejected, cannot be
    the reason.
    """
    if error is None or status not in REJECTING_STATUSES:
        return None
    present = set(sent)
    for message in sent.get("messages", ()):
        present.update(message)
    if "format" in sent:  # Ollama's name of it
        present.add("response_format")
    names = [name for name in PARAMETERS if name in present and name not in able.rejected]
    if able.limit_name in names and _TOO_LONG.search(error.words):
        # The tokens allowed for the answer count as part of the context.
        return Rejection(able.limit_name, lasting=False)
    name = _find_named_parameter(error, names)
    if not name:
        return None
    takes_newer = name == "max_tokens" and NEWER_LIMIT_NAME in error.message
    return Rejection(name, NEWER_LIMIT_NAME if takes_newer else "")


def _find_named_parameter(error: ServerError, names: Sequence[str]) -> str:
    param = error.param.partition(".")[0]
    if param in names:
        return param
    return next((name for name in names if PARAMETERS[name].search(error.words)), "")


def without(able: Abilities, rejection: Rejection) -> Abilities:
    """Return the abilities of a model that rejected this."""
    if rejection.name == "response_format":
        following = STRUCTURES[STRUCTURES.index(able.structure) + 1 :]
        return replace(able, structure=following[0]) if following else able
    if rejection.instead:
        return replace(able, limit_name=rejection.instead)
    return replace(able, rejected=able.rejected | {rejection.name})


def build_model_error(
    model: str,
    status: int,
    body: Any,
    headers: Mapping[str, str],
    *,
    known: Sequence[str] = (),
    missing_step: str = "",
    others: Sequence[str] = (OFFLINE_MODEL,),
    has_key: bool = True,
) -> ModelError:
    """Build the error for an HTTP status other than 200.

    body: the decoded error, in whatever shape. headers: of the answer. known: names of the models
    at this address, for a model that is not there. missing_step: what to do then. others: models of
    other providers, by name. has_key: whether a key was sent.
    """
    error = read_error(body, status) or ServerError("")
    kind = "not_found" if known else _find_kind(status, error)
    next_step = NEXT_STEPS.get(kind, "")
    if kind == "not_found":
        next_step = missing_step or describe_missing_step(known)
    elif kind == "config":
        next_step = _find_ability_step(error) or next_step
    elif kind == "auth_required":
        next_step = _find_access_step(status, error, others, has_key=has_key)
    return ModelError(
        quote_failure(model, status, error.message),
        kind=kind,
        status=status,
        retry_after=_find_retry_after(kind, error, headers),
        next_step=next_step,
    )


def _find_ability_step(error: ServerError) -> str:
    """Return what to do about a model that lacks an ability, "" if the error is another one."""
    if _OTHER_ENDPOINT.search(error.words):
        return ""
    return next((step for lacks, step in _LACKED_ABILITIES if lacks.search(error.words)), "")


def _find_access_step(
    status: int, error: ServerError, others: Sequence[str], *, has_key: bool
) -> str:
    """Return what to do about a refused account, key or place."""
    if lacks_credit(status, error.words):
        return NEXT_STEPS["credit"]
    if _SUBSCRIBERS_ONLY.search(error.words):
        return NEXT_STEPS["subscription"]
    if is_of_place(error.words):
        return describe_place_step(others)
    return NEXT_STEPS["auth_required" if has_key else "no_key"]


def describe_missing_step(
    known: Sequence[str], *, is_named: bool = False, is_only_one: bool = False
) -> str:
    """Return what to do about a model that is not there.

    known: the other models at the address. is_named: it was chosen by an option or a setting of one
    model, not by the list of models. is_only_one: the address lists that model alone.
    """
    if is_only_one:
        return "Choose another model."
    setting = "" if is_named else " (ASSAY_OPENAI_MODELS)"
    if not known:
        return f"Check the name of the model{setting}."
    return f"Models at this address: {', '.join(known)}. Choose one of them{setting}."


def may_lack_model(made: ModelError, body: Any, model: str) -> bool:
    """Return True if an error may say that there is no such model, in words of its own.

    The models at the address decide it: each server words it in its own way and language.
    """
    if made.kind == "not_found":
        return True
    if made.kind != "config" or made.status not in (400, 404, 422):
        return False
    words = (read_error(body, made.status) or ServerError("")).words
    for other_cause in (_ABOUT_ABILITY, _NO_ENDPOINT):
        if other_cause.search(words):
            return False
    return model in words or bool(_ABOUT_MODEL.search(words))


def is_listed(model: str, names: Iterable[str]) -> bool:
    """Return True if a list of models has a model, under its name or another form of it.

    Servers take more names than they list: "models/NAME" for "NAME" and the reverse (Google), and
    "NAME:nitro" for "NAME" (OpenRouter) or "NAME" for "NAME:latest" (Ollama). Two different
    suffixes are two models, as the tags of Ollama are.
    """
    wanted = _strip_folder(model)
    forms = {wanted, _strip_suffix(wanted)}
    return any(name in forms or _strip_suffix(name) == wanted for name in map(_strip_folder, names))


def _strip_folder(name: str) -> str:
    return name.casefold().removeprefix("models/")


def _strip_suffix(name: str) -> str:
    """Return a name without the part behind its last colon, as in "qwen/qwen3-8b:nitro"."""
    before, _, suffix = name.rpartition(":")
    return before if before and "/" not in suffix else name


def _find_retry_after(kind: str, error: ServerError, headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait that a server states, in a header or only in words."""
    seconds = parse_retry_after(headers)
    match = _ASKED_WAIT.search(error.message)
    if seconds is not None or kind != "rate_limited" or not match:
        return seconds
    asked = 0.0
    for number, unit in _PART_OF_WAIT.findall(match["wait"]):
        asked += float(number) * SECONDS_OF_UNIT[unit.lower()]
    return min(asked, MAX_RETRY_AFTER_S)


def _find_kind(status: int, error: ServerError) -> str:
    kind = find_kind_of_status(status)
    if status in (400, 404, 422) and _find_ability_step(error):
        return "config"
    if _NO_ENDPOINT.search(error.words):
        return "config"
    if lacks_credit(status, error.words):
        return "auth_required"  # like a refused key: no later call succeeds until somebody pays
    if status in (400, 403, 451) and is_of_place(error.words):
        return "auth_required"
    if status in (400, 422) and _WRONG_KEY.search(error.words):
        return "auth_required"
    if status in (400, 404, 413, 422, 500) and _TOO_LONG.search(error.words):
        return "too_large"
    if status in (400, 403) and _FLAGGED.search(error.words):
        return "blocked"
    if status in (400, 404, 422) and _NO_MODEL.search(error.words):
        return "not_found"
    if status == 404 and not error.message:
        return "config"  # no answer of a model's server: the address is another
    return kind
