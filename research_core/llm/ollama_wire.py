"""Translate between requests, replies and Ollama's own `/api/chat`.

Pure. Its OpenAI-compatible address ignores `num_ctx` and cuts long prompts without saying so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from research_core.errors import ModelError
from research_core.llm import openai_failures as failures
from research_core.llm import openai_wire as wire
from research_core.llm.reply_shapes import make_shape_error, require_object
from research_core.model_messages import (
    THINKING_KINDS,
    Json,
    ModelReply,
    ModelRequest,
)

#: Tokens of the context kept for the answer.
MIN_ANSWER_TOKENS = 512


def build_request_body(
    request: ModelRequest,
    model: str,
    able: failures.Abilities,
    *,
    streamed: bool,
    context: int,
    is_whole: bool = False,
) -> Json:
    """Build the whole request. Raises ModelError (too_large) if it cannot fit.

    context: num_ctx. is_whole: the model itself reads no more, whatever the setting.
    """
    _check_fits(request, model, context, is_whole=is_whole)
    messages = [_convert_message(each) for each in wire.build_messages(request, able)]
    options: Json = {
        "num_ctx": context,
        "num_predict": wire.find_most_tokens(request),
        "temperature": wire.TEMPERATURE,
    }
    body: Json = {"model": model, "messages": messages, "stream": streamed, "options": options}
    if request.tools:
        body["tools"] = wire.build_tools(request)
    if request.schema is not None and able.structure != "prompt":
        body["format"] = request.schema if able.structure == "json_schema" else "json"
    # Thinking takes a local model minutes.
    if request.kind not in THINKING_KINDS and "think" not in able.rejected:
        body["think"] = False
    return body


#: What to do where the context is smaller than the model allows.
RAISE_CONTEXT_STEP = (
    "Raise ASSAY_OLLAMA_CONTEXT (the model and the memory must allow it), or choose the quick mode."
)


def _check_fits(request: ModelRequest, model: str, context: int, *, is_whole: bool) -> None:
    size = request.estimated_tokens
    if size + MIN_ANSWER_TOKENS > context:
        raise ModelError(
            f"The request has about {size:,} tokens and its answer needs {MIN_ANSWER_TOKENS:,},"
            f" and {model} has room for {context:,} together.",
            kind="too_large",
            next_step=failures.TOO_LARGE_STEP if is_whole else RAISE_CONTEXT_STEP,
        )


def _convert_message(message: Json) -> Json:
    """Return a message as Ollama takes it: no ids, arguments as objects."""
    if message["role"] == "tool":
        return {"role": "tool", "content": message["content"]}
    calls = []
    for call in message.get("tool_calls") or ():
        read = wire.read_tool_call(call, "")
        calls.append({"function": {"name": read.name, "arguments": dict(read.arguments)}})
    converted = {name: value for name, value in message.items() if name != "tool_calls"}
    return {**converted, "tool_calls": calls} if calls else converted


def parse_reply(
    answers: Iterable[Any],
    request: ModelRequest,
    model: str,
    *,
    context: int,
    on_text: Callable[[str], None],
) -> ModelReply:
    """Build one reply from one answer or from the lines of a stream; raises as `openai_wire`.

    Either must end with a line that says it is done.
    """
    read = partial(_read_line, model=model, context=context)
    return wire.collect_reply(answers, request, model, read, streamed=True, on_text=on_text)


def _read_line(
    answer: Any, parts: wire.ReplyParts, passed: wire.TextFilter, model: str, context: int
) -> None:
    line = require_object(answer, model)
    failures.raise_if_error(line, model)
    parts.model = str(line.get("model") or parts.model)
    message = require_object(line.get("message"), model)
    parts.was_thinking |= any(message.get(name) for name in wire.THOUGHT_FIELDS)
    text = message.get("content") or ""
    if not isinstance(text, str):
        raise make_shape_error(model)
    if text:
        parts.texts.append(text)
        passed.add(text)
    calls = message.get("tool_calls") or ()
    if not isinstance(calls, list | tuple):
        raise make_shape_error(model)
    for call in calls:
        parts.calls.append(wire.read_tool_call(require_object(call, model), model))
    if message:
        parts.content = message
    if line.get("done") is not True:
        return
    parts.finish = str(line.get("done_reason") or "stop")
    parts.counts = wire.read_counts(line, "prompt_eval_count", "eval_count")
    if parts.finish == "length" and parts.counts and sum(parts.counts) >= context - 8:
        parts.notes.append(
            f"The context of {context:,} tokens (num_ctx) was full; ASSAY_OLLAMA_CONTEXT raises it."
        )


# ---------------------------------------------------------------- what a server tells of itself


def parse_tags(body: Any) -> tuple[str, ...] | None:
    """Return the models that `/api/tags` lists, None if this is no Ollama.

    llama.cpp answers there too, in a shape of both protocols, and has no native `/api/chat`.
    """
    if not isinstance(body, dict) or "data" in body or not isinstance(body.get("models"), list):
        return None
    names = [str(row.get("name") or "") for row in body["models"] if isinstance(row, dict)]
    return tuple(wire.clean_name(name) for name in names if name.strip())


def parse_context_length(body: Any) -> int | None:
    """Return the longest context of a model, in tokens, from `/api/show`; None if not told."""
    facts = body.get("model_info") if isinstance(body, dict) else None
    if not isinstance(facts, dict):
        return None
    for name, value in facts.items():
        if str(name).endswith(".context_length") and type(value) is int and value > 0:
            return value
    return None
