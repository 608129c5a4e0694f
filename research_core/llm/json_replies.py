"""Have a model answer with JSON that follows a schema; a reply that does not is asked for again.

Shared by the clients of all models. Nothing here sends anything by itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from research_core.errors import ModelError
from research_core.llm.reply_shapes import find_refusal
from research_core.model_messages import Json, ModelReply, ModelRequest, Usage, add_usage
from research_core.text.instructions import fence_untrusted
from research_core.text.words import truncate

REPAIR_NOTE = "The first reply was not the JSON that was asked for, and was asked for again."
#: The brace at which an object of JSON may begin, and how many of them are tried in a text.
_OBJECT_START = re.compile(r"\{(?=\s*[\"}])")
MAX_OBJECT_STARTS = 1_000
#: A whole number as models write it in JSON: 4, 4.0, "4" and "4/5".
_WHOLE_NUMBER = re.compile(r"\s*(-?\d{1,9})(?:\.0+)?\s*(?:/\s*\d+\s*)?")


def ask_for_json(
    request: ModelRequest, model: str, ask: Callable[[ModelRequest], ModelReply]
) -> ModelReply:
    """Return the reply to a request, reduced to its JSON if a schema was given.

    ask: asks the model once. A reply that is not such JSON is asked for once more, with what was
    wrong. Raises ModelError of kind bad_reply if that fails too, with what both replies used.
    """
    reply = ask(request)
    if request.schema is None or reply.calls:
        return reply
    bare, fault = extract_json(reply.text, request.schema)
    if not fault:
        return replace(reply, text=bare)
    try:
        again = ask(build_repair(request, reply.text, fault))
    except ModelError as error:
        error.usage = asdict(add_usage(reply.usage, Usage(**error.usage)))
        error.requests += reply.requests
        raise
    usage = add_usage(reply.usage, again.usage)
    bare, fault = extract_json(again.text, request.schema)
    if fault:
        failure = _build_failure(model, again.text, fault)
        failure.usage = asdict(usage)
        failure.requests = reply.requests + again.requests
        raise failure
    notes = dict.fromkeys((*reply.notes, *again.notes, REPAIR_NOTE))
    requests = reply.requests + again.requests
    return replace(again, text=bare, usage=usage, notes=tuple(notes), requests=requests)


def describe_schema(schema: Json) -> str:
    return (
        "Answer with one JSON object and nothing else. It must satisfy this JSON Schema:\n"
        f"{json.dumps(schema, ensure_ascii=False)}"
    )


def _build_failure(model: str, text: str, fault: str) -> ModelError:
    """Return the failure of a model whose second reply is no JSON either, or a refusal.

    Words in an object that broke off are those of an answer.
    """
    refusal = "" if "{" in text else find_refusal(text)
    if refusal:
        return ModelError(
            f"{model} refused to answer ({refusal}).",
            kind="blocked",
            next_step="Ask in other words, or choose another model.",
        )
    return ModelError(
        f"{model} was asked twice for JSON and gave none that can be used: {fault}.",
        kind="bad_reply",
        next_step="Choose a model that follows a schema better.",
    )


def build_repair(request: ModelRequest, faulty: str, fault: str) -> ModelRequest:
    """Build the request that shows a model its faulty reply and asks for JSON once more."""
    assert request.schema is not None
    answer = fence_untrusted("answer", truncate(faulty, 4_000))
    ask = (
        f"{request.prompt}\n\nYour answer was:\n{answer}\n\nIt cannot be used: {fault}."
        f" {describe_schema(request.schema)}"
    )
    return replace(request, prompt=ask)


def extract_json(text: str, schema: Json) -> tuple[str, str]:
    """Return (the JSON object in a reply, "") or ("", why there is none).

    Of the schema the names in `required` are checked, and numbers that have bounds.
    """
    required = schema.get("required", ())
    objects = list(iterate_objects(text, required))
    if not objects:
        return "", _explain_no_object(text, required)
    value, bare = objects[-1]
    fault = _find_wrong_number(value, schema)
    return ("", fault) if fault else (bare, "")


def _explain_no_object(text: str, required: Sequence[str]) -> str:
    """Return why a reply holds no JSON object with these names."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return "it holds no JSON object"
    try:
        value = json.loads(text[start : end + 1])
    except RecursionError:
        return "it is nested too deeply"
    except ValueError:
        return "it is no JSON"
    return f"it lacks {', '.join(name for name in required if name not in value)}"


def iterate_objects(text: str, names: Sequence[str]) -> Iterator[tuple[Json, str]]:
    """Yield the JSON objects with these names among other words and braces, each with its text.

    Objects nested in a yielded object are not yielded.
    """
    decoder, position = json.JSONDecoder(), 0
    for _attempt in range(MAX_OBJECT_STARTS):
        brace = _OBJECT_START.search(text, position)
        if brace is None:
            return
        position = brace.end()
        try:
            value, end = decoder.raw_decode(text, brace.start())
        except (ValueError, RecursionError):
            continue
        if all(name in value for name in names):
            position = end
            yield value, text[brace.start() : end]


def _find_wrong_number(value: Json, schema: Json) -> str:
    """Return which number of an object is none or out of its bounds, "" if all are right."""
    for name, wanted in schema.get("properties", {}).items():
        if name not in value or "minimum" not in wanted or "maximum" not in wanted:
            continue
        least, most = wanted["minimum"], wanted["maximum"]
        if not _is_whole_number_between(value[name], least, most):
            return f"its {name} is not a whole number from {least} to {most}"
    return ""


def _is_whole_number_between(value: Any, least: int, most: int) -> bool:
    match = _WHOLE_NUMBER.fullmatch(str(value))
    return match is not None and least <= int(match[1]) <= most
