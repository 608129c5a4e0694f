"""Translate between requests, replies, errors and Gemini's JSON.

Pure, and it never parses the text of a reply. `gemini` makes the calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from research_core.errors import ModelError
from research_core.journal.http_caching import parse_retry_after
from research_core.llm.prices import PRICES
from research_core.llm.reply_shapes import (
    LOST_CONNECTION_STEP,
    describe_lost_connection,
    describe_place_step,
    describe_thoughts,
    describe_used_up,
    find_kind_of_status,
    is_of_place,
    lacks_credit,
    make_shape_error,
    quote_failure,
    require_list,
    require_object,
    shorten_quote,
)
from research_core.model_messages import (
    THINKING_KINDS,
    Json,
    ModelReply,
    ModelRequest,
    ToolCall,
    Usage,
    estimate_tokens,
)
from research_core.policy import OFFLINE_MODEL

#: Tokens of a reply by kind of request, where a cost is estimated.
EXPECTED_TOKENS = {"write": 1_000, "write_frame": 800, "write_section": 600}
OTHER_EXPECTED_TOKENS = 100

# ---------------------------------------------------------------- out


def build_request_body(request: ModelRequest, model: str) -> Json:
    """Build the whole request. No temperature: newer models ignore or refuse sampling parameters.

    A model's own turn goes back exactly as it came, including the signatures of its thoughts.
    """
    generation: Json = {}
    if request.schema is not None:
        generation["responseMimeType"] = "application/json"
        generation["responseJsonSchema"] = request.schema
    if model in PRICES and request.kind not in THINKING_KINDS:
        generation["thinkingConfig"] = PRICES[model].least_thinking
    prompt = {"role": "user", "parts": [{"text": request.prompt}]}
    body: Json = {"contents": [prompt, *map(_build_turn, request.history)]}
    if request.system:
        body["systemInstruction"] = {"parts": [{"text": request.system}]}
    if request.tools:
        declarations = [_build_declaration(tool) for tool in request.tools]
        body["tools"] = [{"functionDeclarations": declarations}]
    body["generationConfig"] = generation
    return body


def _build_declaration(tool: Json) -> Json:
    return {
        "name": tool["name"],
        "description": tool["description"],
        "parametersJsonSchema": tool["parameters"],
    }


def _build_turn(turn: Json) -> Json:
    if turn["role"] == "model":
        content: Json = turn["content"]
        return content
    return {
        "role": "user",
        "parts": [
            {"functionResponse": _build_function_response(result)} for result in turn["results"]
        ],
    }


def _build_function_response(result: Json) -> Json:
    value = result["result"]
    response: Json = {"id": result["id"]} if result.get("id") else {}
    response["name"] = result["name"]
    response["response"] = value if isinstance(value, dict) else {"result": value}
    return response


# ---------------------------------------------------------------- back

#: Finish reasons by Gemini's name. One in neither set ends a reply like STOP.
BLOCKED_FINISHES = frozenset(
    """
        SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII LANGUAGE IMAGE_SAFETY
        IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION MODEL_ARMOR JAILBREAK
    """.split()
)
BROKEN_FINISHES = frozenset(
    "MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS MISSING_THOUGHT_SIGNATURE"
    " MALFORMED_RESPONSE".split()
)


def parse_reply(
    answers: Iterable[Any],
    request: ModelRequest,
    model: str,
    *,
    streamed: bool,
    on_text: Callable[[str], None],
) -> ModelReply:
    """Build one reply from one answer or from the pieces of a stream.

    Raises ModelError: blocked, content_empty or bad_reply.
    """
    texts: list[str] = []
    calls: list[ToolCall] = []
    content: Json | None = None
    counts: Json = {}
    finish = reason = ""
    was_thinking = False
    try:
        for each in answers:
            answer = require_object(each, model)
            candidates = answer.get("candidates")
            candidate = require_object(_first_item(candidates, model), model)
            content = require_object(candidate.get("content"), model)
            for part in _read_parts(content, model):
                if part.get("functionCall") is not None:
                    calls.append(_read_tool_call(require_object(part["functionCall"], model)))
                    continue
                was_thinking |= bool(part.get("thought"))
                text = _read_text(part, model)
                if text:
                    texts.append(text)
                    on_text(text)
            finish = str(candidate.get("finishReason") or finish)
            counts = require_object(answer.get("usageMetadata"), model) or counts
            feedback = require_object(answer.get("promptFeedback"), model)
            reason = reason or _read_block_reason(feedback)
        is_empty = not calls and not "".join(texts).strip()
        _raise_if_unusable(model, request, finish, reason, empty=is_empty, thought=was_thinking)
    except ModelError as error:
        if texts and error.kind == "network":
            error.message = describe_lost_connection(model)
            error.next_step = LOST_CONNECTION_STEP
        if counts or texts:
            error.usage = asdict(_count_usage(counts, texts, request, model))
        raise
    ending = "length" if finish == "MAX_TOKENS" else "stop"
    if streamed and not finish:
        ending = "broken"
    return ModelReply(
        "".join(texts),
        model,
        _count_usage(counts, texts, request, model),
        tuple(calls),
        content if request.tools else None,
        finish=ending,
    )


def _raise_if_unusable(
    model: str, request: ModelRequest, finish: str, reason: str, *, empty: bool, thought: bool
) -> None:
    if reason or finish in BLOCKED_FINISHES:
        raise ModelError(
            f"{model} refused to answer ({reason or finish}).",
            kind="blocked",
            next_step=NEXT_STEPS["blocked"],
        )
    if finish in BROKEN_FINISHES:
        raise ModelError(
            f"{model} broke off with an unusable tool call ({finish}).", kind="bad_reply"
        )
    if empty and thought and finish in ("", "STOP"):
        raise ModelError(describe_thoughts(model), kind="content_empty")
    if empty and finish == "MAX_TOKENS":
        raise ModelError(describe_used_up(model), kind="content_empty")
    if empty:
        why = f" ({finish})" if finish else ""
        raise ModelError(f"{model} answered nothing{why}.", kind="content_empty")
    if finish == "MAX_TOKENS" and request.schema is not None:
        raise ModelError(f"{model} was cut off in the middle of its answer.", kind="bad_reply")


def _first_item(value: Any, model: str) -> Any:
    items = require_list(value, model)
    return items[0] if items else None


def _read_parts(content: Json, model: str) -> list[Json]:
    return [require_object(part, model) for part in require_list(content.get("parts"), model)]


def _read_text(part: Json, model: str) -> str:
    """Return the text of a part meant for the reader; "" for thoughts."""
    value = "" if part.get("thought") else part.get("text") or ""
    if not isinstance(value, str):
        raise make_shape_error(model)
    return value


def _read_tool_call(call: Json) -> ToolCall:
    arguments = call.get("args")
    return ToolCall(
        str(call.get("id") or ""),
        str(call.get("name") or ""),
        arguments if isinstance(arguments, dict) else {},
    )


def _read_block_reason(feedback: Json) -> str:
    return str(feedback.get("blockReason") or feedback.get("blockReasonMessage") or "")


def parse_usage(counts: Json, model: str) -> Usage:
    """Return tokens and cost of one call; cost None if the price or the tokens are unknown."""
    read = _read_count(counts, "promptTokenCount") + _read_count(counts, "toolUsePromptTokenCount")
    # Thoughts are paid for like the text of an answer.
    written = _read_count(counts, "candidatesTokenCount") + _read_count(
        counts, "thoughtsTokenCount"
    )
    return Usage(read, written, _find_cost(read, written, model) if counts else None)


def _count_usage(counts: Json, texts: Sequence[str], request: ModelRequest, model: str) -> Usage:
    """Return what a reply used: as the provider counted, else estimated from its text."""
    if counts or not texts:
        return parse_usage(counts, model)
    read, written = request.estimated_tokens, estimate_tokens("".join(texts))
    return Usage(read, written, _find_cost(read, written, model), estimated=True)


def _find_cost(read: int, written: int, model: str) -> float | None:
    """Return the cost of tokens in US dollars, None if the price is unknown."""
    known = PRICES.get(model)
    if known is None or (known.dear_above is not None and read > known.dear_above):
        return None
    return (read * known.input + written * known.output) / 1_000_000


def estimate_cost(request: ModelRequest, model: str) -> float | None:
    """Return about what a request will cost in US dollars; None if the price is unknown."""
    known = PRICES.get(model)
    if known is None:
        return None
    read = request.estimated_tokens
    written = EXPECTED_TOKENS.get(request.kind, OTHER_EXPECTED_TOKENS)
    return (read * known.input + written * known.output) / 1_000_000


def _read_count(counts: Json, name: str) -> int:
    value = counts.get(name)
    return value if isinstance(value, int) else 0


# ---------------------------------------------------------------- failures

NOT_OFFERED_STEP = "Use a key with billing or another model, or choose to use no language model."
NEXT_STEPS = {
    "auth_required": "Check GEMINI_API_KEY, or choose to use no language model.",
    "config": "Check ASSAY_GEMINI_MODELS and ASSAY_GEMINI_URL, or choose to use no language model.",
    "not_found": "Check ASSAY_GEMINI_MODELS: this model does not exist or is no longer served.",
    "blocked": "Ask in other words, or choose to use no language model.",
    "rate_limited": "Wait, use another key, or choose to use no language model.",
    "credit": "Add credit or billing to the project of GEMINI_API_KEY, or choose another model.",
}


#: The same where a model of another provider is configured.
OTHER_MODEL_STEPS = {
    NOT_OFFERED_STEP: "Use a key with billing, or choose another model.",
    NEXT_STEPS["auth_required"]: "Check GEMINI_API_KEY, or choose another model.",
    NEXT_STEPS["config"]: (
        "Check ASSAY_GEMINI_MODELS and ASSAY_GEMINI_URL, or choose another model."
    ),
    NEXT_STEPS["rate_limited"]: "Wait, use another key, or choose another model.",
}


def build_model_error(
    model: str,
    status: int,
    body: Any,
    headers: Mapping[str, str],
    others: Sequence[str] = (OFFLINE_MODEL,),
) -> ModelError:
    """Build the error for an HTTP status other than 200.

    body: the decoded error, in whatever shape. headers: of the answer. others: models of other
    providers, by name.
    """
    error = body.get("error", body) if isinstance(body, dict) else {}
    if not isinstance(error, dict):
        error = {}
    message = shorten_quote(str(error.get("message") or ""))
    details = [detail for detail in error.get("details") or () if isinstance(detail, dict)]
    kind = find_kind_of_status(status)
    key_refused = any(detail.get("reason") == "API_KEY_INVALID" for detail in details)
    if key_refused or (status == 400 and "API key" in message):
        kind = "auth_required"
    next_step = NEXT_STEPS.get(kind, "")
    if error.get("status") == "FAILED_PRECONDITION":  # the location of the caller
        kind, next_step = "auth_required", NOT_OFFERED_STEP
    elif lacks_credit(status, message):
        kind, next_step = "auth_required", NEXT_STEPS["credit"]
    elif status == 403 and is_of_place(message):
        next_step = describe_place_step(others)
    if set(others) - {OFFLINE_MODEL}:
        next_step = OTHER_MODEL_STEPS.get(next_step, next_step)
    return ModelError(
        quote_failure(model, status, message),
        kind=kind,
        status=status,
        retry_after=parse_retry_after(headers) or _find_retry_delay(details),
        next_step=next_step,
    )


def _find_retry_delay(details: Iterable[Json]) -> float | None:
    """Return the first delay above 0 that the details of an error ask for, in seconds."""
    for detail in details:
        delay = _parse_seconds(detail.get("retryDelay"))
        if delay:
            return delay
    return None


def _parse_seconds(value: Any) -> float | None:
    """Parse "12s" or "12.5s" as seconds; None for anything else."""
    digits = str(value or "").strip().removesuffix("s")
    return float(digits) if digits.replace(".", "", 1).isdecimal() else None
