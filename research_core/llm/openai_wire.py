"""Translate between requests, replies and the JSON of `/v1/chat/completions`.

Pure. Written for the servers that speak this protocol with differences: OpenAI, OpenRouter,
DeepSeek, vLLM, LM Studio, llama.cpp. `docs/models.md` says which of them were tried.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from research_core.errors import ModelError
from research_core.llm.json_replies import describe_schema
from research_core.llm.openai_failures import NEXT_STEPS, Abilities, raise_if_error
from research_core.llm.repetition import RepetitionGuard, find_repetition
from research_core.llm.reply_shapes import (
    LOST_CONNECTION_STEP,
    describe_lost_connection,
    describe_thoughts,
    describe_used_up,
    make_shape_error,
    require_list,
    require_object,
)
from research_core.model_messages import (
    CUT_PROMPT,
    REPORT_KINDS,
    Json,
    ModelReply,
    ModelRequest,
    ToolCall,
    Usage,
    estimate_tokens,
)
from research_core.policy import OFFLINE_MODEL
from research_core.text.words import strip_invisible, truncate

#: Low, because what is asked for is exact; 0 makes small models repeat themselves.
TEMPERATURE = 0.2
#: Most tokens of a reply, with the thoughts of models that think.
MAX_TOKENS = 4_096
MAX_REPORT_TOKENS = 16_384
#: A server that read a smaller share of the estimate has probably cut the prompt off.
LEAST_READ_SHARE = 0.5
MIN_EXPECTED_TOKENS = 1_000
MAX_NAME_LENGTH = 120


# ---------------------------------------------------------------- out


def build_request_body(
    request: ModelRequest, model: str, able: Abilities, *, streamed: bool
) -> Json:
    """Build the whole request, without what the model is known to reject."""
    body: Json = {
        "model": model,
        "messages": build_messages(request, able),
        "temperature": TEMPERATURE,
        able.limit_name: find_most_tokens(request),
    }
    if request.tools:
        body["tools"] = build_tools(request)
    if request.schema is not None and able.structure != "prompt":
        body["response_format"] = _build_response_format(request, able.structure)
    if streamed:
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    for name in able.rejected:
        body.pop(name, None)
    return body


def find_most_tokens(request: ModelRequest) -> int:
    return MAX_REPORT_TOKENS if request.kind in REPORT_KINDS else MAX_TOKENS


def build_tools(request: ModelRequest) -> list[Json]:
    return [{"type": "function", "function": dict(tool)} for tool in request.tools]


def _build_response_format(request: ModelRequest, structure: str) -> Json:
    if structure == "json_object":
        return {"type": "json_object"}
    return {
        "type": "json_schema",
        "json_schema": {"name": request.kind, "schema": request.schema},
    }


def build_messages(request: ModelRequest, able: Abilities) -> list[Json]:
    """Build the messages. The schema is part of the prompt unless the server takes it itself."""
    prompt = request.prompt
    if request.schema is not None and able.structure != "json_schema":
        prompt += f"\n\n{describe_schema(request.schema)}"
    messages: list[Json] = [{"role": "user", "content": prompt}]
    if request.system:
        messages.insert(0, {"role": "system", "content": request.system})
    for turn in request.history:
        if turn["role"] == "model":
            messages.append(_build_model_turn(turn["content"], able))
        else:
            messages.extend(_build_tool_turns(turn["results"]))
    return messages


def _build_model_turn(content: Json, able: Abilities) -> Json:
    """Return the model's own message, with ids for the calls that had none."""
    message: Json = {"role": "assistant"}
    for name, value in content.items():
        if name not in able.rejected and value is not None:
            message[name] = value
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        message["tool_calls"] = [
            {"type": "function", **call, "id": call.get("id") or make_call_id(number)}
            for number, call in enumerate(calls)
        ]
    return message


def _build_tool_turns(results: Iterable[Json]) -> list[Json]:
    turns = []
    for number, result in enumerate(results):
        value = result["result"]
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        call_id = result.get("id") or make_call_id(number)
        turns.append({"role": "tool", "tool_call_id": call_id, "content": text})
    return turns


def make_call_id(number: int) -> str:
    """Return the id of a call, by its place in its round, for servers that give none."""
    return f"call_{number}"


# ---------------------------------------------------------------- back


#: Fields in which servers give the thoughts of a model, apart from its answer.
THOUGHT_FIELDS = ("reasoning_content", "reasoning", "thinking")


@dataclass
class ReplyParts:
    """What is read from the pieces of one reply, whichever protocol they are of."""

    texts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    content: Json | None = None
    model: str = ""
    finish: str = ""
    counts: tuple[int, int] | None = None
    cost: float | None = None
    notes: list[str] = field(default_factory=list)
    was_looping: bool = False
    was_refused: bool = False
    was_thinking: bool = False

    @property
    def has_arrived(self) -> bool:
        """Return True if a model answered anything, so that its work is to be paid."""
        return bool(self.texts or self.finish or self.content is not None or self.counts)


def parse_reply(
    answers: Iterable[Any],
    request: ModelRequest,
    model: str,
    *,
    streamed: bool,
    on_text: Callable[[str], None],
) -> ModelReply:
    """Build one reply from one answer or from the pieces of a stream.

    The cost is the one the server states, else None. Raises ModelError: blocked, content_empty,
    bad_reply, or the kind of an error that the answer contains.
    """
    read = partial(_read_piece, model=model)
    return collect_reply(answers, request, model, read, streamed=streamed, on_text=on_text)


def collect_reply(
    answers: Iterable[Any],
    request: ModelRequest,
    model: str,
    read: ReadPiece,
    *,
    streamed: bool,
    on_text: Callable[[str], None],
) -> ModelReply:
    """Build one reply of what `read` takes from each piece, until the text repeats itself."""
    parts = ReplyParts()
    passed = TextFilter(on_text)
    with _attach_usage(parts, request, model):
        for answer in answers:
            read(answer, parts, passed)
            if passed.guard.cut is not None:
                parts.was_looping = True
                break
        return _finish_reply(parts, request, model, streamed=streamed)


@contextmanager
def _attach_usage(parts: ReplyParts, request: ModelRequest, model: str) -> Iterator[None]:
    """Add what an unusable reply cost to its error, because it is paid all the same.

    A connection lost in the middle of the text gets another error than a server that cannot be
    reached.
    """
    try:
        yield
    except ModelError as error:
        if parts.texts and error.kind == "network":
            error.message = describe_lost_connection(model)
            error.next_step = LOST_CONNECTION_STEP
        if parts.has_arrived:
            error.usage = asdict(_count_usage(parts, request))
        raise


def _name_model(reported: str, model: str) -> str:
    """Return the name of the model that answered: what the server reports, except our own name."""
    name = clean_name(reported)
    return model if name in ("", OFFLINE_MODEL) else name


def _read_piece(answer: Any, parts: ReplyParts, passed: TextFilter, model: str) -> None:
    piece = require_object(answer, model)
    raise_if_error(piece, model)
    parts.model = str(piece.get("model") or parts.model)
    usage = piece.get("usage")
    if usage and isinstance(usage, dict):
        parts.counts = read_counts(usage, "prompt_tokens", "completion_tokens")
        parts.cost = _read_cost(usage)
    choices = require_list(piece.get("choices"), model)
    if not choices:
        return
    choice = require_object(choices[0], model)
    raise_if_error(choice, model)
    message = require_object(choice.get("delta") or choice.get("message"), model)
    if message.get("refusal"):
        parts.was_refused = True  # the tokens are counted in a later piece of a stream
    parts.was_thinking |= any(message.get(name) for name in THOUGHT_FIELDS)
    text = _read_text(message.get("content"), model)
    if text:
        parts.texts.append(text)
        passed.add(text)
    for call in require_list(message.get("tool_calls"), model):
        parts.calls.append(read_tool_call(require_object(call, model), model))
    if message:
        parts.content = message
    parts.finish = str(choice.get("finish_reason") or parts.finish)


def _finish_reply(
    parts: ReplyParts, request: ModelRequest, model: str, *, streamed: bool
) -> ModelReply:
    """Build the reply from its parts. Raises ModelError if they cannot be used."""
    raw = "".join(parts.texts)
    text = strip_reasoning(raw)
    cut = find_repetition(text)
    if cut is not None:
        parts.was_looping = True
        text = text[:cut]
    _raise_if_refused(parts, model)
    if not parts.calls and not text.strip():
        raise ModelError(_describe_emptiness(model, raw, parts), kind="content_empty")
    ending, note = _find_ending(parts, streamed=streamed)
    if ending != "stop" and request.schema is not None:
        why = "repeated itself" if ending == "repeated" else "was cut off"
        raise ModelError(f"{model} {why} in the middle of its answer.", kind="bad_reply")
    cut_prompt = _find_cut_prompt(parts, request)
    return ModelReply(
        text,
        _name_model(parts.model, model),
        _count_usage(parts, request),
        tuple(parts.calls),
        parts.content if request.tools else None,
        finish=ending,
        notes=(*parts.notes, *filter(None, (note, _describe_counts(parts, cut_prompt)))),
        cut_prompt=cut_prompt,
    )


def _raise_if_refused(parts: ReplyParts, model: str) -> None:
    if parts.was_refused or parts.finish in BLOCKED_FINISHES:
        why = f" ({parts.finish})" if parts.finish in BLOCKED_FINISHES else ""
        raise ModelError(
            f"{model} refused to answer{why}.", kind="blocked", next_step=NEXT_STEPS["blocked"]
        )
    if parts.finish == "error":
        raise ModelError(f"{model} broke off with an error.", kind="upstream_unavailable")


def _find_ending(parts: ReplyParts, *, streamed: bool) -> tuple[str, str]:
    """Return how the reply ended, as `ModelReply.finish`, and a sentence on it or ""."""
    if parts.was_looping:
        return "repeated", "The model repeated itself; the repetition was cut off."
    if parts.finish == "length":
        return "length", "The reply ended at the most tokens that the server allows."
    if streamed and not parts.finish:
        return "broken", "The stream ended before the reply did."
    return ("broken" if parts.finish == "abort" else "stop"), ""


def _count_usage(parts: ReplyParts, request: ModelRequest) -> Usage:
    """Return what the reply used: as the server counted, else estimated."""
    if parts.counts is not None:
        return Usage(*parts.counts, parts.cost)
    read, written = request.estimated_tokens, estimate_tokens("".join(parts.texts))
    return Usage(read, written, parts.cost, estimated=True)


def _find_cut_prompt(parts: ReplyParts, request: ModelRequest) -> tuple[int, ...]:
    """Return the tokens that the server read and those expected, if it read far fewer; else ()."""
    expected = request.estimated_tokens
    if parts.counts is None or expected < MIN_EXPECTED_TOKENS:
        return ()
    read = parts.counts[0]
    return () if read >= expected * LEAST_READ_SHARE else (read, expected)


def _describe_counts(parts: ReplyParts, cut_prompt: tuple[int, ...]) -> str:
    """Return what is unusual about the number of tokens, "" if nothing is."""
    if parts.counts is None:
        return "The server did not count the tokens; their number is an estimate."
    if not cut_prompt:
        return ""
    read, expected = cut_prompt
    return CUT_PROMPT.format(read=read, expected=expected)


#: Finish reasons of replies that were held back.
BLOCKED_FINISHES = frozenset({"content_filter", "safety", "refusal"})


def _describe_emptiness(model: str, raw: str, parts: ReplyParts) -> str:
    if parts.finish == "length":
        return describe_used_up(model)
    if raw.strip() or parts.was_thinking:
        return describe_thoughts(model)
    return f"{model} answered nothing."


def _read_text(content: Any, model: str) -> str:
    """Return the text of a message, which is a string or a list of parts; other parts are skipped."""
    if content is None or isinstance(content, str):
        return content or ""
    texts = []
    for item in require_list(content, model):
        part = require_object(item, model)
        if part.get("type") == "text":
            texts.append(str(part.get("text") or ""))
    return "".join(texts)


def read_tool_call(call: Json, model: str) -> ToolCall:
    """Return a call. Arguments that are no JSON object become {}, which the tool refuses."""
    function = require_object(call.get("function"), model)
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            arguments = {}
    return ToolCall(
        str(call.get("id") or ""),
        str(function.get("name") or ""),
        arguments if isinstance(arguments, dict) else {},
    )


def read_counts(counts: Json, read: str, written: str) -> tuple[int, int] | None:
    """Return the tokens read and written, None if the server gave no usable number of both."""
    numbers = []
    for name in (read, written):
        value = counts.get(name)
        if type(value) is not int or value < 0:
            return None
        numbers.append(value)
    return numbers[0], numbers[1]


def _read_cost(usage: Json) -> float | None:
    """Return the cost in US dollars that OpenRouter states; None if it is no amount."""
    cost = usage.get("cost")
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost < math.inf:
        return None
    return float(cost)


def clean_name(name: str) -> str:
    """Return the name of a model as a server gives it, as one short printable line."""
    return truncate(" ".join(strip_invisible(name).split()), MAX_NAME_LENGTH)


@dataclass(frozen=True)
class ListedModel:
    """A model at the address.

    price: US dollars per million tokens read and written, if stated; context: in tokens, if stated.
    """

    name: str
    price: tuple[float, float] | None = None
    context: int | None = None


def parse_models(body: Any) -> tuple[ListedModel, ...]:
    """Return the models that `/v1/models` lists. Raises ModelError for another shape."""
    rows = body.get("data") if isinstance(body, dict) else None
    if not isinstance(rows, list):
        raise make_shape_error("The server")
    models: dict[str, ListedModel] = {}
    for row in rows:
        name = clean_name(str(row.get("id") or "")) if isinstance(row, dict) else ""
        if name:
            listed = ListedModel(name, _read_price(row.get("pricing")), _read_context(row))
            models.setdefault(name, listed)
    return tuple(models.values())


#: The names by which servers state the context of a model: vLLM, OpenRouter, Groq, LM Studio.
_CONTEXT_NAMES = ("max_model_len", "context_length", "context_window", "loaded_context_length")


def _read_context(row: Json) -> int | None:
    """Return the context that a server states for a model, in tokens.

    llama.cpp states it as "n_ctx" under "meta"; its "n_ctx_train" is not the one in use.
    """
    meta = row.get("meta")
    stated = [row.get(name) for name in _CONTEXT_NAMES]
    stated.append(meta.get("n_ctx") if isinstance(meta, dict) else None)
    sizes = [size for size in stated if type(size) is int and size > 0]
    return min(sizes, default=None)


def _read_price(pricing: Any) -> tuple[float, float] | None:
    """Return the price that OpenRouter states, as text in US dollars per token."""
    if not isinstance(pricing, dict):
        return None
    prices = []
    for name in ("prompt", "completion"):
        try:
            price = float(pricing.get(name, "")) * 1_000_000
        except (TypeError, ValueError):
            return None
        if not 0 <= price < math.inf:
            return None
        prices.append(round(price, 4))
    return prices[0], prices[1]


# ---------------------------------------------------------------- thoughts

_TAGS = r"(?:\w{1,12}:)?(?:think|thinking|thought|reasoning)"
#: How thoughts begin and end: tags, and the channels of a template that a server left in the text.
#: In brackets stands only the mark of one family of models; "[Reasoning]" may head an answer. A
#: reply that begins with any of these and never ends it is a thought that was cut off.
_MARKS = (
    (rf"<(?P<tag>{_TAGS})>", r"</(?P=tag)>"),
    (rf"◁(?P<mark>{_TAGS})▷", r"◁/(?P=mark)▷"),
    (r"(?-i:\[THINK\])", r"(?-i:\[/THINK\])"),
    (
        r"<\|channel\|>(?:analysis|commentary)[^<]{0,40}<\|message\|>",
        r"(?:<\|end\|>)?(?:<\|start\|>assistant)?<\|channel\|>final[^<]{0,40}<\|message\|>",
    ),
)
_OPENING = "|".join(opening for opening, _closing in _MARKS)
_CLOSING = re.sub(
    r"\(\?P=\w+\)", lambda _tag: _TAGS, "|".join(closing for _opening, closing in _MARKS)
)
_WHOLE = "|".join(f"{opening}.*?{closing}" for opening, closing in _MARKS)
_UNENDED = "|".join(rf"{opening}.*?(?:{closing}|\Z)" for opening, closing in _MARKS)
_FLAGS = re.DOTALL | re.IGNORECASE
_THOUGHTS = re.compile(rf"\A\s*(?:{_UNENDED})", _FLAGS)
#: Some templates write the opening tag for the model, so that its reply holds the closing one only.
_UNOPENED = re.compile(rf"\A.*?(?:{_CLOSING})[ \t]*(?:\n|\Z)", _FLAGS)
_CLOSED = re.compile(rf"\A\s*(?:{_WHOLE})\s*", _FLAGS)
_OPENED = re.compile(_OPENING, _FLAGS)
_CLOSES = re.compile(_CLOSING, _FLAGS)
_MAY_OPEN = re.compile(r"(?:[<\[◁][\w:]{0,24}|<\|[\w|<> ]{0,80})?\Z")
#: The longest closing mark, in characters.
_CLOSING_LENGTH = 120


def strip_reasoning(text: str) -> str:
    """Return the text without the thoughts before the answer."""
    rest = _THOUGHTS.sub("", text)
    while rest != text:
        text, rest = rest, _THOUGHTS.sub("", rest)
    return _UNOPENED.sub("", text, count=1).lstrip()


class TextFilter:
    """Passes on the pieces of a stream without the thoughts they begin with.

    guard: watches what was passed on. Thoughts whose opening tag is missing are passed on, because
    nothing tells them from text until they end; the reply itself does not have them.
    """

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self.guard = RepetitionGuard()
        self._on_text = on_text
        self._held = ""
        self._is_thinking = False
        self._began = False

    def add(self, piece: str) -> None:
        if not self._began:
            self._held += piece
            rest = self._find_answer(piece)
            if not rest:
                self.guard.add(piece)  # thoughts can repeat themselves too
                return
            self._began = True
            piece = rest
            self.guard = RepetitionGuard()
        self.guard.add(piece)
        self._on_text(piece)

    def _find_answer(self, piece: str) -> str:
        """Return what the held text has after the thoughts, "" while there is nothing."""
        begin = max(0, len(self._held) - len(piece) - _CLOSING_LENGTH)
        if self._is_thinking and not _CLOSES.search(self._held, begin):
            return ""
        rest = self._held.lstrip()
        while (shorter := _CLOSED.sub("", rest)) != rest:
            rest = shorter
        self._is_thinking = bool(_OPENED.match(rest))
        return "" if self._is_thinking or _MAY_OPEN.match(rest) else rest


#: Adds what one piece of an answer holds to the parts, and its text to the filter.
ReadPiece = Callable[[Any, ReplyParts, TextFilter], None]
