"""Define the requests and replies of language models."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from research_core.errors import ModelError
from research_core.i18n import N_

Json = dict[str, Any]
#: The failure of a request that excludes every model of the chain, so that none was asked.
NO_OTHER_MODEL = "There is no other model to ask."
#: Kinds of request for the text of a report, whole or in parts. They may think, write much and take
#: long.
REPORT_KINDS = frozenset({"write", "write_section", "write_frame"})
#: Kinds of request whose model may think at length; the others are short.
THINKING_KINDS = REPORT_KINDS | {"choose_tools"}
#: Bytes of UTF-8 in a token, where the number of tokens is estimated.
BYTES_PER_TOKEN = 4
#: What is said of `ModelReply.cut_prompt`.
CUT_PROMPT = N_(
    "The server read {read:,} tokens of a prompt of about {expected:,}; the rest was probably cut"
    " off."
)


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text is."""
    return math.ceil(len(text.encode("utf-8", "replace")) / BYTES_PER_TOKEN)


@dataclass(frozen=True)
class Usage:
    """What a model call used.

    cost: in US dollars, 0.0 if free, None if unknown. estimated: the server did not count the
    tokens, so that their number follows from the length of the texts.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0
    estimated: bool = False


def add_usage(first: Usage, second: Usage) -> Usage:
    """Return what two calls used together; the cost is unknown if either is."""
    cost = None
    if first.cost is not None and second.cost is not None:
        cost = first.cost + second.cost
    return Usage(
        first.input_tokens + second.input_tokens,
        first.output_tokens + second.output_tokens,
        cost,
        estimated=first.estimated or second.estimated,
    )


@dataclass(frozen=True)
class ToolCall:
    """One tool call a model asked for. id: the provider's own, "" if it has none."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class ModelRequest:
    """One question to a model.

    kind: plan | refine | gaps | judge_relevance | judge_again | write | write_section | write_frame
    | explain_insufficient | verify_sentence | choose_tools. system, prompt: what a language model
    reads; untrusted text in `prompt` is already fenced. inputs: the same as plain JSON values, for
    models that need no prompt. schema: a JSON Schema the answer must satisfy, or None for free
    text. tools: declarations {"name", "description", "parameters"}. history: earlier turns of a
    tool loop, oldest first, each {"role": "model", "content": the provider's own object} or
    {"role": "tool", "results": [{"id", "name", "result"}]}. attempt: 2 and more ask the same again,
    because the answer before could not be used. skip_models: models at the head of the chain that
    are not asked. given_up: the failures of models that are not asked again; no part of `params`.
    """

    kind: str
    system: str
    prompt: str
    inputs: Json
    schema: Json | None = None
    tools: tuple[Json, ...] = ()
    history: tuple[Json, ...] = ()
    timeout_s: float = 30.0
    attempt: int = 1
    skip_models: int = 0
    given_up: Mapping[str, ModelError] = field(default_factory=dict)

    def params(self, model: str) -> Json:
        """Return everything the answer of this model depends on; it makes up the call key."""
        parts: Json = {
            "kind": self.kind,
            "system": self.system,
            "prompt": self.prompt,
            "inputs": self.inputs,
            "schema": self.schema,
        }
        if self.attempt > 1:
            parts["attempt"] = self.attempt
        if self.skip_models:
            parts["skip_models"] = self.skip_models
        return {"model": model, **parts, "tools": list(self.tools), "history": list(self.history)}

    @cached_property
    def estimated_tokens(self) -> int:
        """About how many tokens a model has to read."""
        parts = [self.system, self.prompt]
        for value in (*self.tools, *self.history, self.schema):
            if value:
                parts.append(json.dumps(value, ensure_ascii=False))
        return sum(map(estimate_tokens, parts))


#: The lists of a reply that the log leaves out where they are empty.
REPLY_LISTS = ("notes", "cut_prompt", "passed_over", "unasked")


@dataclass(frozen=True)
class ModelReply:
    """What came back, unparsed.

    content: the provider's own content object, kept whole for the next turn of a tool loop. finish:
    stop | length (its limit was reached) | repeated (the text began to repeat itself and was cut) |
    broken (the stream ended in mid-text). notes: what was unusual about the call, each a sentence.
    cut_prompt: the tokens that the server read, and about how many the prompt has, if it read far
    fewer; else empty. passed_over: why models before it in the chain did not answer, a sentence
    each. unasked: those of them that were known from another call, and were not asked for this one.
    requests: how many were sent for it, with repeats and to those models.
    """

    text: str
    model: str
    usage: Usage = Usage()
    calls: tuple[ToolCall, ...] = ()
    content: Json | None = None
    finish: str = "stop"
    notes: tuple[str, ...] = ()
    cut_prompt: tuple[int, ...] = ()
    passed_over: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    requests: int = 1

    def to_json(self) -> Json:
        """Return the reply as the log keeps it; what is not set is left out, as in older logs."""
        data = asdict(self)
        for name in REPLY_LISTS:
            if not data[name]:
                del data[name]
        if self.requests == 1:
            del data["requests"]
        if not self.usage.estimated:
            del data["usage"]["estimated"]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ModelReply:
        """Reverse `to_json`."""
        calls = tuple(ToolCall(**call) for call in data["calls"])
        lists = {name: tuple(data.get(name, ())) for name in REPLY_LISTS}
        return cls(**{**data, "usage": Usage(**data["usage"]), "calls": calls, **lists})
