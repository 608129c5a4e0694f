"""The client of OpenAI-compatible servers against local ones: what it answers and sends, what it
does when a server rejects something, its streams, its errors and its chain of models.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from research_core.errors import ModelError, SettingsError, Stopped
from research_core.llm import choose_model, has_known_price
from research_core.llm.model_chain import MISSING_S, UnavailableModels
from research_core.llm.openai import (
    OpenAIModel,
    build_api_address,
    is_private_host,
    list_models,
)
from research_core.llm.openai_failures import NEXT_STEPS
from research_core.llm.reply_shapes import LOST_CONNECTION_STEP, describe_lost_connection
from research_core.model_messages import Json, ModelReply, ModelRequest, ToolCall, Usage
from tests.gemini_server import JUDGE, LOOP, PLAN, SCHEMA, TOOLS, WRITE
from tests.model_servers import (
    KEY,
    MODEL,
    OTHER_MODEL,
    PLANNED,
    REPORT,
    TEXT,
    USAGE_PIECE,
    as_json,
    called,
    delta,
    events,
    sent,
    serve,
    settings,
    whole,
)
from tests.timing import LONG_S, check_duration


@pytest.fixture
def model(httpserver: HTTPServer) -> OpenAIModel:
    return OpenAIModel(settings(httpserver))


# ---------------------------------------------------------------- what comes back


def test_a_reply_is_its_text_its_model_and_its_tokens_and_costs_nothing_here(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    serve(httpserver, [as_json(whole(TEXT, model="qwen3:8b-q4"))])
    reply = model.run(JUDGE)
    assert (reply.text, reply.model, reply.usage) == (TEXT, "qwen3:8b-q4", Usage(12, 19, 0.0))
    assert (reply.finish, reply.calls, reply.content, reply.notes) == ("stop", (), None, ())


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "Yes.", "reasoning_content": "Let me think."}, "Yes."),
        ({"content": "Yes.", "reasoning": "Let me think."}, "Yes."),
        ({"content": "<think>\nIs it?\n</think>\n\nYes."}, "Yes."),
        ({"content": "Is it? It may be.\n</think>\nYes."}, "Yes."),
        ({"content": "<THINKING>a</THINKING><think>b</think>Yes."}, "Yes."),
        ({"content": [{"type": "thinking", "thinking": [{"text": "?"}]}, {"type": "text", "text": "Yes."}]}, "Yes."),
        ({"content": "[THINK]Is [it] so?[/THINK]Yes."}, "Yes."),
        ({"content": "What [THINK] marks is a thought."}, "What [THINK] marks is a thought."),
        ({"content": "[Reasoning]\nThe tide turns."}, "[Reasoning]\nThe tide turns."),
        ({"content": "[thought] Ebbe [/thought]"}, "[thought] Ebbe [/thought]"),
        ({"content": "[x:think] 潮 [Thinking]"}, "[x:think] 潮 [Thinking]"),
        ({"content": "<think>Not a </thought> or [/THINK].</think>Yes."}, "Yes."),
        ({"content": "[THINK]Oder </think>?[/THINK]Yes."}, "Yes."),
        ({"content": "◁think▷</think>◁/think▷<THOUGHT>[/think]</thought>Yes."}, "Yes."),
        ({"content": "<seed:think>Is a < b?</seed:think>\nYes."}, "Yes."),
        ({"content": "◁think▷Ist es so?◁/think▷Yes."}, "Yes."),
        ({"content": "<|channel|>analysis<|message|>Hm.<|end|>"
          "<|start|>assistant<|channel|>final<|message|>Yes."}, "Yes."),
        ({"content": "[p1a2b3c4d] says so."}, "[p1a2b3c4d] says so."),
        ({"content": "The tag `<think>` opens thoughts."}, "The tag `<think>` opens thoughts."),
        ({"content": "It closes with `</think>`, as documented."}, "It closes with `</think>`, as documented."),
    ],
)  # fmt: skip
def test_thoughts_are_no_part_of_the_text(
    model: OpenAIModel, httpserver: HTTPServer, message: Json, text: str
) -> None:
    serve(httpserver, [as_json(whole(**message))])
    assert model.run(JUDGE).text == text


@pytest.mark.parametrize("usage", [{}, {"prompt_tokens": None, "completion_tokens": 4},
                                   {"total_tokens": 9}, {"prompt_tokens": -1, "completion_tokens": 2}])  # fmt: skip
def test_tokens_nobody_counted_are_estimated_and_marked(
    model: OpenAIModel, httpserver: HTTPServer, usage: Json
) -> None:
    serve(httpserver, [as_json(whole("four" * 10, usage=usage))])
    reply = model.run(JUDGE)
    assert reply.usage.estimated
    assert reply.usage.output_tokens == 10
    assert reply.usage.input_tokens == 8  # "You judge." and "Is it about tides?"
    assert any("estimate" in note for note in reply.notes)


def test_a_prompt_that_was_read_in_part_is_told(model: OpenAIModel, httpserver: HTTPServer) -> None:
    serve(httpserver, [as_json(whole(TEXT, usage={"prompt_tokens": 900, "completion_tokens": 5}))])
    reply = model.run(replace(JUDGE, prompt="High water at Harwich. " * 2_000))
    (note,) = reply.notes
    assert "read 900 tokens of a prompt of about 11,5" in note


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        (("c1", "search_web", '{"query": "tides"}'), {"query": "tides"}),
        (("", "search_web", {"query": "tides"}), {"query": "tides"}),
        (("c1", "search_web", ""), {}),
        (("c1", "search_web", '{"query": "tid'), {}),
        (("c1", "search_web", '["tides"]'), {}),
    ],
)
def test_tool_calls_come_with_their_arguments(
    model: OpenAIModel, httpserver: HTTPServer, call: tuple[str, str, Any], arguments: Json
) -> None:
    serve(httpserver, [as_json(called(call))])
    assert model.run(LOOP).calls == (ToolCall(call[0], "search_web", arguments),)


# ---------------------------------------------------------------- what goes out


def test_the_request_names_model_and_key_and_carries_the_schema(httpserver: HTTPServer) -> None:
    serve(httpserver, [as_json(whole(PLANNED))])
    OpenAIModel(settings(httpserver, key=KEY)).run(PLAN)
    (body,) = sent(httpserver)
    assert body["model"] == MODEL
    assert body["messages"] == [
        {"role": "system", "content": "You plan."},
        {"role": "user", "content": "Plan it."},
    ]
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "plan", "schema": SCHEMA},
    }
    assert {request.headers["authorization"] for request, _ in httpserver.log} == {f"Bearer {KEY}"}


def test_without_a_key_none_is_sent_and_nothing_comes_from_the_environment(
    model: OpenAIModel, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    serve(httpserver, [as_json(whole(TEXT))])
    model.run(JUDGE)
    assert all("authorization" not in request.headers for request, _ in httpserver.log)


def test_results_of_tools_go_back_under_the_ids_of_their_calls(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    asked = called(("", "search_web", "{}"), ("k2", "fetch_page", "{}"))
    asked["choices"][0]["message"] |= {"refusal": None, "reasoning_content": "Hm."}
    serve(httpserver, [as_json(asked), as_json(whole("06:12"))])
    first = model.run(LOOP)
    results = [
        {"id": call.id, "name": call.name, "result": result}
        for call, result in zip(first.calls, ["06:12", {"a": 1}], strict=True)
    ]
    turns = ({"role": "model", "content": first.content}, {"role": "tool", "results": results})
    model.run(replace(LOOP, history=turns))
    body = sent(httpserver)[1]
    assert [each["function"]["name"] for each in body["tools"]] == [t["name"] for t in TOOLS]
    turn, *answers = body["messages"][2:]
    assert turn["reasoning_content"] == "Hm."
    assert "refusal" not in turn
    assert [call["id"] for call in turn["tool_calls"]] == ["call_0", "k2"]
    assert answers == [
        {"role": "tool", "tool_call_id": "call_0", "content": "06:12"},
        {"role": "tool", "tool_call_id": "k2", "content": '{"a": 1}'},
    ]


@pytest.mark.parametrize(
    ("written", "used"),
    [
        ("http://localhost:11434", "http://localhost:11434/v1"),
        ("http://localhost:1234/v1", "http://localhost:1234/v1"),
        ("http://localhost:1234/v1/", "http://localhost:1234/v1"),
        ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"),
        ("https://api.deepseek.com", "https://api.deepseek.com/v1"),
        ("https://h.example/v1/chat/completions", "https://h.example/v1"),
        ("https://h.example/api/chat/completions/", "https://h.example/api"),
        ("https://h.example/v1/models", "https://h.example/v1"),
        ("https://h.example/v1/responses/", "https://h.example/v1"),
        ("https://h.example/openai/v1/completions", "https://h.example/openai/v1"),
        ("http://localhost:11434/api/chat", "http://localhost:11434/v1"),
        ("http://localhost:11434/api/generate", "http://localhost:11434/v1"),
        ("https://h.example/chat", "https://h.example/chat"),
    ],
)
def test_an_address_is_taken_as_people_write_it(written: str, used: str) -> None:
    assert build_api_address(written) == used


# ---------------------------------------------------------------- what a server rejects

#: How servers word it, and what is left out.
REJECTIONS = [
    (
        400,
        {
            "error": {
                "message": "Unsupported value: 'temperature' does not support 0.2 with this model.",
                "type": "invalid_request_error",
                "param": "temperature",
                "code": "unsupported_value",
            }
        },
        "temperature",
    ),
    (
        400,
        {
            "error": {
                "message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                "param": "max_tokens",
                "code": "unsupported_parameter",
            }
        },
        "max_tokens",
    ),
    (
        400,
        {
            "error": {
                "message": "Invalid max_tokens value, the valid range of max_tokens is [1, 2048]",
                "type": "invalid_request_error",
                "param": None,
                "code": "invalid_request_error",
            }
        },
        "max_tokens",
    ),
    (
        422,
        {"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}]},
        "temperature",
    ),
    (400, {"error": "'response_format.type' must be 'json_object' or 'text'"}, "response_format"),
    (
        400,
        {
            "error": {
                "message": "This response_format type is unavailable now",
                "type": "invalid_request_error",
            }
        },
        "response_format",
    ),
    (
        500,
        {"error": {"code": 500, "message": "failed to parse grammar", "type": "server_error"}},
        "response_format",
    ),
]


@pytest.mark.parametrize(("status", "refusal", "name"), REJECTIONS)
def test_what_a_server_rejects_is_left_out_once_and_remembered(
    model: OpenAIModel, httpserver: HTTPServer, status: int, refusal: Json, name: str
) -> None:
    serve(httpserver, [as_json(refusal, status), as_json(whole(PLANNED)), as_json(whole(PLANNED))])
    first, second = model.run(PLAN), model.run(replace(PLAN, prompt="Plan it again."))
    assert [len(first.notes), len(second.notes)] == [1, 0]
    assert [first.requests, second.requests] == [2, 1]
    assert ModelReply.from_json(first.to_json()) == first
    assert name in first.notes[0] or "JSON was asked for by json_object" in first.notes[0]
    tried, *later = sent(httpserver)
    assert name in tried
    assert all(body.get(name) != tried[name] for body in later)
    assert len(later) == 2


#: How servers say that one request is too long with the tokens that its answer may take.
TOO_LONG = [
    "This model's maximum context length is 4096 tokens. However, you requested 4200 tokens (104 in"
    " the messages, 4096 in the completion). Please reduce the length of the messages or completion.",
    "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length"
    " is 8192 tokens and your request has 5021 input tokens (4096 > 8192 - 5021).",
    "This endpoint's maximum context length is 32768 tokens. However, you requested about 33000"
    " tokens (28904 of text input, 4096 in the output).",
    "the request exceeds the available context size, try increasing the context size",
    "Requested max_tokens exceeds the context window of the model.",
    "input length and `max_tokens` exceed context limit: 197000 + 4096 > 200000",
]


@pytest.mark.parametrize("message", TOO_LONG)
def test_one_prompt_that_is_too_long_leaves_the_limit_of_later_ones(
    model: OpenAIModel, httpserver: HTTPServer, message: str
) -> None:
    refusal = as_json({"error": {"message": message, "code": 400}}, 400)
    serve(httpserver, [refusal, as_json(whole(TEXT)), as_json(whole(TEXT))])
    first, second = model.run(JUDGE), model.run(replace(JUDGE, prompt="Is it short?"))
    assert ["max_tokens" in body for body in sent(httpserver)] == [True, False, True]
    assert "length" in first.notes[0]
    assert second.notes == ()


def test_a_prompt_that_is_too_long_even_without_a_limit_is_refused(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    refusal = {"error": {"message": TOO_LONG[0], "code": 400}}
    serve(httpserver, [as_json(refusal, 400)] * 2)
    with pytest.raises(ModelError) as caught:
        model.run(JUDGE)
    assert caught.value.kind == "too_large"


@pytest.mark.parametrize(
    "error",
    [
        {"message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "param": "max_tokens"},
        {"message": "max_tokens is deprecated in favour of max_completion_tokens"},
        {"message": "Unknown field max_tokens. Please use max_completion_tokens."},
        {"message": "`max_tokens` wird nicht unterstützt; verwenden Sie `max_completion_tokens`."},
        {"message": "不支持 max_tokens,请改用 max_completion_tokens"},
    ],
)  # fmt: skip
def test_a_limit_is_sent_under_the_name_that_the_server_gives(
    model: OpenAIModel, httpserver: HTTPServer, error: Json
) -> None:
    serve(httpserver, [as_json({"error": error}, 400), *[as_json(whole(TEXT))] * 2])
    model.run(JUDGE)
    model.run(replace(JUDGE, prompt="Again?"))
    first, *later = sent(httpserver)
    assert len(later) == 2
    for body in later:
        assert "max_tokens" not in body
        assert body["max_completion_tokens"] == first["max_tokens"]


def test_a_limit_that_is_rejected_under_both_names_is_left_out(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    refusal = {"error": "Neither max_tokens nor max_completion_tokens is supported."}
    serve(httpserver, [as_json(refusal, 400), as_json(refusal, 400), as_json(whole(TEXT))])
    assert model.run(JUDGE).text == TEXT
    assert not {"max_tokens", "max_completion_tokens"} & sent(httpserver)[-1].keys()


def test_a_stream_whose_options_are_rejected_is_asked_for_without(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    refusal = {"error": {"message": "Unknown field stream_options"}}
    serve(httpserver, [as_json(refusal, 400), events(*map(delta, REPORT), delta(finish="stop"))])
    assert model.run(WRITE, lambda _: None).text == "".join(REPORT)
    assert ["stream_options" in body for body in sent(httpserver)] == [True, False]


def test_json_is_asked_for_by_schema_then_as_an_object_then_in_words(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    def answer(body: Json) -> Response:
        if "response_format" in body:
            kind = body["response_format"]["type"]
            return as_json({"error": f"response_format {kind} is not supported"}, 400)
        return as_json(whole(f"Here it is:\n```json\n{PLANNED}\n```\n"))

    serve(httpserver, answer)
    reply = model.run(PLAN)
    assert reply.text == PLANNED
    assert [body.get("response_format", {}).get("type") for body in sent(httpserver)] == [
        "json_schema",
        "json_object",
        None,
    ]
    prompts = [body["messages"][1]["content"] for body in sent(httpserver)]
    assert ["JSON Schema" in prompt for prompt in prompts] == [False, True, True]
    assert len(reply.notes) == 2


FAULTY = [
    "I think three queries would do.",
    '{"queries": ["a",',
    '{"query": "a"}',
    "```json\n```",
    "[1, 2]",
]


@pytest.mark.parametrize("faulty", FAULTY)
def test_a_reply_that_is_no_such_json_is_asked_for_once_more(
    model: OpenAIModel, httpserver: HTTPServer, faulty: str
) -> None:
    serve(httpserver, [as_json(whole(faulty)), as_json(whole(PLANNED))])
    reply = model.run(PLAN)
    assert reply.text == PLANNED
    assert reply.usage == Usage(24, 38, 0.0)
    assert any("asked for again" in note for note in reply.notes)
    assert faulty in sent(httpserver)[1]["messages"][1]["content"]


@pytest.mark.parametrize("faulty", FAULTY)
def test_a_model_that_gives_no_json_twice_gave_a_bad_reply(
    model: OpenAIModel, httpserver: HTTPServer, faulty: str
) -> None:
    serve(httpserver, [as_json(whole(faulty))] * 2)
    with pytest.raises(ModelError, match="asked twice") as caught:
        model.run(PLAN)
    assert caught.value.kind == "bad_reply"
    assert len(sent(httpserver)) == 2


# ---------------------------------------------------------------- what cannot be used is paid

LOOP_OF_WORDS = " ".join(f"word{number}" for number in range(25)) + ". "
PAID = {"prompt_tokens": 12, "completion_tokens": 4_096, "cost": 0.5}
#: Answers that cannot be used: the request, the answer, the kind of the failure.
UNUSABLE: dict[str, tuple[ModelRequest, Json, str]] = {
    "nothing but thoughts beside it": (JUDGE, whole("", usage=PAID, finish="length", reasoning_content="Hm."), "content_empty"),
    "nothing but thoughts in it": (JUDGE, whole("<think>Hm, hm", usage=PAID), "content_empty"),
    "nothing": (WRITE, whole(None, usage=PAID), "content_empty"),
    "refused": (JUDGE, whole(None, usage=PAID, refusal="Das kann ich nicht."), "blocked"),
    "filtered": (WRITE, whole("Le", usage=PAID, finish="content_filter"), "blocked"),
    "cut off": (PLAN, whole('{"queries": ["a', usage=PAID, finish="length"), "bad_reply"),
    "repeated": (PLAN, whole(LOOP_OF_WORDS * 9, usage=PAID), "bad_reply"),
    "broke off": (JUDGE, whole("潮", usage=PAID, finish="error"), "upstream_unavailable"),
    "another shape": (JUDGE, whole(5, usage=PAID), "bad_reply"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNUSABLE)
@pytest.mark.parametrize(("served", "cost"), [("small", 0.5), ("big-cloud", 0.5)])
def test_an_answer_that_cannot_be_used_counts(
    httpserver: HTTPServer, name: str, served: str, cost: float
) -> None:
    request, answer, kind = UNUSABLE[name]
    serve(httpserver, [as_json(answer)])
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver, served)).run(request)
    assert caught.value.kind == kind
    assert Usage(**caught.value.usage) == Usage(12, 4_096, cost)


@pytest.mark.parametrize(
    ("pieces", "usage"),
    [
        ([delta(refusal="No."), delta(finish="stop"), USAGE_PIECE], Usage(12, 40, 0.0)),
        ([delta(""), delta(finish="content_filter"), USAGE_PIECE], Usage(12, 40, 0.0)),
        ([delta("Tides "), {"error": {"message": "Gone", "code": 502}}], Usage(6, 2, 0.0, True)),
        ([delta("潮の満ち引き"), "data: {broken\n\n"], Usage(6, 5, 0.0, True)),
        ([delta("<think>Hm, hm"), delta(finish="length")], Usage(6, 4, 0.0, True)),
    ],
)
def test_a_stream_that_cannot_be_used_counts(
    model: OpenAIModel, httpserver: HTTPServer, pieces: list[Any], usage: Usage
) -> None:
    serve(httpserver, [events(*pieces)])
    with pytest.raises(ModelError) as caught:
        model.run(WRITE, lambda _: None)
    assert Usage(**caught.value.usage) == usage


REFUSED = as_json({"error": {"message": "No credit", "code": 402}}, 402)


@pytest.mark.parametrize(
    ("second", "usage"),
    [
        (as_json(whole("Neither is this.")), Usage(24, 38, 0.0)),
        (as_json(whole("", finish="length")), Usage(24, 38, 0.0)),
        (as_json(whole(None, refusal="Nein.")), Usage(24, 38, 0.0)),
        (as_json("<html>"), Usage(12, 19, 0.0)),
        (REFUSED, Usage(12, 19, 0.0)),
    ],
)
def test_a_reply_that_was_asked_for_again_counts_too(
    model: OpenAIModel, httpserver: HTTPServer, second: Response, usage: Usage
) -> None:
    serve(httpserver, [as_json(whole("This is no JSON.")), second])
    with pytest.raises(ModelError) as caught:
        model.run(PLAN)
    assert Usage(**caught.value.usage) == usage


def test_the_next_model_of_a_chain_counts_what_the_one_before_it_used(
    httpserver: HTTPServer,
) -> None:
    serve(httpserver, [as_json(whole("", finish="error")), as_json(whole(TEXT))])
    assert OpenAIModel(settings(httpserver, MODEL, OTHER_MODEL)).run(JUDGE).usage == Usage(
        24, 38, 0.0
    )


@pytest.mark.parametrize("answer", [REFUSED, Response("", 503), as_json({"error": "Loading"})])
def test_what_no_model_answered_counts_nothing(
    model: OpenAIModel, httpserver: HTTPServer, answer: Response
) -> None:
    serve(httpserver, [answer])
    with pytest.raises(ModelError) as caught:
        model.run(JUDGE)
    assert caught.value.usage == {}


# ---------------------------------------------------------------- streams


def test_a_stream_arrives_in_pieces_on_the_thread_that_asked(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    pieces: list[str] = []
    threads: set[int] = set()

    def on_text(piece: str) -> None:
        pieces.append(piece)
        threads.add(threading.get_ident())

    serve(
        httpserver,
        [events(": OPENROUTER PROCESSING\n\n", delta("", role="assistant"), *map(delta, REPORT),
                delta(finish="stop"), USAGE_PIECE)],
    )  # fmt: skip
    reply = model.run(WRITE, on_text)
    assert pieces == list(REPORT)
    assert reply.text == "".join(REPORT)
    assert threads == {threading.get_ident()}
    assert (reply.usage, reply.finish) == (Usage(12, 40, 0.0), "stop")


@pytest.mark.parametrize(
    "text",
    [
        "[THINK]Is [it] so?[/THINK]Yes, by 06:12.",
        "<think>Not a </thought> or [/THINK].</think>Yes, by 06:12.",
        "<seed:think>Is a < b > c?</seed:think>\nYes, by 06:12.",
        "◁think▷Ist es so?◁/think▷Yes, by 06:12.",
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes,"
        " by 06:12.",
        "Yes, by 06:12.",
    ],
)
@pytest.mark.parametrize("size", [1, 5, 400])
def test_thoughts_between_other_marks_are_not_passed_on(
    model: OpenAIModel, httpserver: HTTPServer, text: str, size: int
) -> None:
    pieces = [delta(text[at : at + size]) for at in range(0, len(text), size)]
    serve(httpserver, lambda _body: events(*pieces, delta(finish="stop")))
    passed: list[str] = []
    reply = model.run(WRITE, passed.append)
    assert "".join(passed) == reply.text == "Yes, by 06:12."


def test_thoughts_in_a_stream_are_not_passed_on(model: OpenAIModel, httpserver: HTTPServer) -> None:
    written = ["<th", "ink>Let", " me > see", "</thi", "nk>\n\n", "High ", "water."]
    thoughts = [delta(reasoning_content="Hm."), delta(None, reasoning="Hm.")]
    serve(httpserver, [events(*thoughts, *map(delta, written), delta(finish="stop"))])
    pieces: list[str] = []
    assert model.run(WRITE, pieces.append).text == "High water."
    assert "".join(pieces) == "High water."


def test_a_server_that_does_not_stream_is_understood(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    serve(httpserver, [as_json(whole("".join(REPORT)))])
    pieces: list[str] = []
    reply = model.run(WRITE, pieces.append)
    assert ("".join(pieces), reply.finish) == ("".join(REPORT), "stop")


@pytest.mark.parametrize(
    ("end", "finish", "note"),
    [
        ([delta(finish="length"), USAGE_PIECE], "length", "most tokens"),
        ([], "broken", "stream ended before"),
        ([delta(finish="abort")], "broken", ""),
    ],
)
def test_a_report_that_was_cut_off_is_told(
    model: OpenAIModel, httpserver: HTTPServer, end: list[Json], finish: str, note: str
) -> None:
    serve(httpserver, [events(*map(delta, REPORT), *end, done=bool(end))])
    reply = model.run(WRITE, lambda _: None)
    assert reply.finish == finish
    assert any(note in each for each in reply.notes)


@contextmanager
def serve_cut_stream(body: bytes, length: int | None) -> Iterator[str]:
    """Serve the beginning of a stream, then close the connection. length: as announced."""

    class Cut(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            if length is not None:
                self.send_header("content-length", str(length))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Cut) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


THOUGHTS = "qwen3:8b answered nothing but its thoughts. Turn its thinking off, or"


@pytest.mark.parametrize(
    ("response", "said"),
    [
        (as_json(whole("", reasoning_content="潮のこと。")), THOUGHTS),
        (as_json(whole("", reasoning="Je réfléchis.")), THOUGHTS),
        (events(delta(reasoning_content="Hm."), delta(finish="stop")), THOUGHTS),
        (events(delta(None, reasoning="Hm."), delta("\n")), THOUGHTS),
        (events(delta("<think>Hm.</think>"), delta(finish="stop")), THOUGHTS),
        (as_json(whole("")), "qwen3:8b answered nothing."),
        (events(delta(""), delta(finish="stop")), "qwen3:8b answered nothing."),
    ],
)
def test_an_answer_of_thoughts_alone_is_told_from_none(
    model: OpenAIModel, httpserver: HTTPServer, response: Response, said: str
) -> None:
    serve(httpserver, [response])
    with pytest.raises(ModelError) as caught:
        model.run(WRITE, lambda _: None)
    assert caught.value.message.startswith(said)
    assert caught.value.kind == "content_empty"


@pytest.mark.parametrize("further", [0, 1, 7, 40, 90])
@pytest.mark.parametrize("announced", [True, False])
def test_a_connection_that_is_lost_in_mid_text_is_no_server_that_is_not_reached(
    further: int, announced: bool
) -> None:
    stream = events(*map(delta, ["Le flux ", "monte ", "deux fois."])).get_data()
    begun = stream[: stream.index(b"\n\n") + 2 + further]
    with serve_cut_stream(begun, len(stream) if announced else None) as address:
        model = OpenAIModel(settings(address))
        if announced:
            with pytest.raises(ModelError) as caught:
                model.run(WRITE, lambda _: None)
            assert caught.value.message == describe_lost_connection(MODEL)
            assert caught.value.next_step == LOST_CONNECTION_STEP
        else:
            assert model.run(WRITE, lambda _: None).finish == "broken"


def test_a_connection_that_is_lost_before_any_text_is_a_server_that_is_not_reached() -> None:
    with serve_cut_stream(b"", 400) as address:
        model = OpenAIModel(settings(address))
        with pytest.raises(ModelError, match="could not be reached"):
            model.run(WRITE, lambda _: None)


def test_a_model_caught_in_a_loop_is_stopped_and_its_words_are_kept_once(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    loop = "High water at Harwich is at 06:12 in the morning, and low water follows at noon, as the almanac of the harbour says. "
    endless = [delta(piece) for piece in ["Beginning. ", *[loop] * 400]]
    serve(httpserver, [events(*endless, delta(finish="stop"))])
    pieces: list[str] = []
    reply = model.run(WRITE, pieces.append)
    assert reply.text == f"Beginning. {loop}".rstrip(" .")
    assert reply.finish == "repeated"
    assert any("repeated itself" in note for note in reply.notes)
    assert len(pieces) < 20


def test_a_stop_raised_while_a_piece_is_passed_on_ends_the_call(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    def stop(_: str) -> None:
        raise Stopped("cancel")

    serve(httpserver, [events(*map(delta, REPORT), delta(finish="stop"))])
    with pytest.raises(Stopped):
        model.run(WRITE, stop)


# ---------------------------------------------------------------- failures


def test_a_server_that_is_not_there_says_how_to_start_it() -> None:
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings("http://127.0.0.1:9/v1")).run(JUDGE)
    assert caught.value.kind == "network"
    assert "127.0.0.1" not in caught.value.sentence()
    assert "ASSAY_OPENAI_BASE_URL" in caught.value.next_step
    assert "ollama serve" in caught.value.next_step


def test_a_model_that_is_not_there_is_told_with_those_that_are(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    refusal = {"error": {"message": f"The model `{MODEL}` does not exist", "code": 404}}
    serve(httpserver, [as_json(refusal, 404)], models=["phi4", "gemma3:4b"])
    with pytest.raises(ModelError) as caught:
        model.run(JUDGE)
    assert caught.value.kind == "not_found"
    assert "phi4, gemma3:4b" in caught.value.next_step


#: What iFlytek Spark has in every answer and piece of one.
SUCCESS = {"code": 0, "message": "Success", "sid": "cht000b1@dx1905"}


def test_a_server_that_states_its_success_has_answered(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    counted = {**SUCCESS, **USAGE_PIECE}
    ended = {**SUCCESS, "message": "完成"}
    pieces = [{**SUCCESS, **delta(each)} for each in REPORT]
    stream = events(*pieces, {**SUCCESS, **delta(finish="stop")}, counted, ended)
    serve(httpserver, [as_json({**SUCCESS, **whole(TEXT)}), stream])
    assert model.run(JUDGE).text == TEXT
    reply = model.run(WRITE, lambda _: None)
    assert (reply.text, reply.finish) == ("".join(REPORT), "stop")


@pytest.mark.parametrize(
    "failure",
    [
        {"code": 10013, "message": "input content audit failed", "sid": "cht000b1@dx1905"},
        {"code": 20015, "message": "input content audit failed", "data": None},
        {"code": "0", "error": {"message": "input content audit failed"}},
        {"code": 10013, "message": "input content audit failed", "choices": None},
    ],
)
def test_a_failure_beside_a_code_is_told(
    model: OpenAIModel, httpserver: HTTPServer, failure: Json
) -> None:
    serve(httpserver, [as_json(failure), events(delta(REPORT[0]), failure)])
    for _ in range(2):
        with pytest.raises(ModelError, match="input content audit failed"):
            model.run(WRITE, lambda _: None)


def test_a_code_of_success_beside_a_failed_status_hides_no_words(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    serve(httpserver, [as_json({"code": 0, "message": "余额不足", "error": None}, 403)])
    with pytest.raises(ModelError, match="余额不足"):
        model.run(WRITE, lambda _: None)


def test_a_success_beside_an_empty_error_is_one(model: OpenAIModel, httpserver: HTTPServer) -> None:
    begun = {**SUCCESS, "error": None}
    pieces = [{**begun, **delta(each)} for each in REPORT]
    stream = events(begun, *pieces, delta(finish="stop"))
    serve(httpserver, [as_json({**begun, **whole(TEXT)}), stream])
    assert model.run(JUDGE).text == TEXT
    assert model.run(WRITE, lambda _: None).text == "".join(REPORT)


def test_a_list_of_models_beside_a_code_is_read(httpserver: HTTPServer) -> None:
    rows = {**SUCCESS, "object": "list", "data": [{"id": MODEL}]}
    httpserver.expect_request("/v1/models").respond_with_json(rows)
    assert [each.name for each in list_models(settings(httpserver))] == [MODEL]


#: How servers word that there is no such model.
MISSING_MODELS: list[tuple[int, Json]] = [
    (400, {"error": {"message": "Model Not Exist", "type": "invalid_request_error"}}),  # DeepSeek
    (400, {"object": "error", "message": "Invalid model: qwen", "type": "invalid_model"}),
    (400, {"error": {"message": "模型不存在，请检查模型代码。", "code": "1211"}}),
    (400, {"code": 20012, "message": "Model does not exist. Please check it.", "data": None}),
    (400, {"error": {"message": "Invalid model name passed in model=qwen.", "code": "400"}}),
    (400, {"error": f"could not find suitable inference handler for {MODEL}"}),
    (422, {"detail": [{"loc": ["body", "model"], "msg": "value is not a valid member"}]}),
    (400, {"error": {"message": "Le modèle demandé est introuvable.", "code": "bad_request"}}),
    (400, {"error": {"message": f"Es gibt kein {MODEL}.", "code": "bad_request"}}),
]


@pytest.mark.parametrize(("status", "body"), MISSING_MODELS)
def test_a_missing_model_is_recognized_however_a_server_words_it(
    httpserver: HTTPServer, status: int, body: Json
) -> None:
    def answer(sent: Json) -> Response:
        return as_json(body, status) if sent["model"] == MODEL else as_json(whole(TEXT))

    serve(httpserver, answer, models=[OTHER_MODEL])
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver)).run(JUDGE)
    assert (caught.value.kind, OTHER_MODEL in caught.value.next_step) == ("not_found", True)
    assert caught.value.message.removesuffix(".") != f"{MODEL} answered {status}"
    reply = OpenAIModel(settings(httpserver, MODEL, OTHER_MODEL)).run(JUDGE)
    assert (reply.text, reply.passed_over) == (TEXT, (caught.value.message,))
    assert ModelReply.from_json(reply.to_json()) == reply


@pytest.mark.parametrize(
    ("message", "models"),
    [
        ("Conversation roles must alternate user/assistant", [OTHER_MODEL]),
        ("This model does not support tools.", [OTHER_MODEL]),
        ("The prompt of this model is damaged.", [OTHER_MODEL, MODEL]),
        ("The prompt of this model is damaged.", [OTHER_MODEL, f"{MODEL}:latest"]),
        ("The prompt of this model is damaged.", []),
        ("Invalid model options: foo", [MODEL]),
    ],
)
def test_another_refusal_is_not_taken_for_a_missing_model(
    httpserver: HTTPServer, message: str, models: list[str]
) -> None:
    serve(httpserver, lambda _: as_json({"error": {"message": message}}, 400), models=models)
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver)).run(JUDGE)
    assert caught.value.kind == "config"


@pytest.mark.parametrize(
    ("chosen", "listed", "kind"),
    [
        ("qwen/qwen3-8b:nitro", "qwen/qwen3-8b", "config"),
        ("qwen/qwen3-8b:free", "qwen/qwen3-8b:free", "config"),
        ("qwen/qwen3-8b", "qwen/qwen3-8b:free", "config"),
        ("gemini-2.5-flash", "models/gemini-2.5-flash", "config"),
        ("models/Gemini-2.5-flash", "gemini-2.5-flash", "config"),
        ("phi4", "phi4:14b", "config"),
        ("qwen:0.5b", "qwen:7b", "not_found"),
        ("qwen:0.5b", "qwen2", "not_found"),
        ("gemini-2.5-flash", "models/gemini-2.5-flash-lite", "not_found"),
        ("vendor:8080/one", "vendor", "not_found"),
    ],
)
def test_a_model_is_listed_under_another_form_of_its_name(
    httpserver: HTTPServer, chosen: str, listed: str, kind: str
) -> None:
    others = [f"{chosen.rpartition(':')[0] or chosen}-{number}" for number in range(30)]
    refusal = {"error": {"message": "The prompt of this model is damaged."}}
    serve(httpserver, lambda _: as_json(refusal, 400), models=[*others, listed])
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver, chosen)).run(JUDGE)
    assert caught.value.kind == kind


@pytest.mark.parametrize(("listed", "named", "step"), [
    ([MODEL, OTHER_MODEL], "", f"Models at this address: {OTHER_MODEL}. Choose one of them (ASSAY_OPENAI_MODELS)."),
    ([MODEL, OTHER_MODEL], MODEL, f"Models at this address: {OTHER_MODEL}. Choose one of them."),
    ([MODEL], "", "Choose another model."),
    ([MODEL], MODEL, "Choose another model."),
    ([f"{MODEL}:latest", OTHER_MODEL], MODEL, f"Models at this address: {OTHER_MODEL}. Choose one of them."),
    (["模型"], MODEL, "Models at this address: 模型. Choose one of them."),
    ([], MODEL, "Check the name of the model."),
    ([], "", "Check the name of the model (ASSAY_OPENAI_MODELS)."),
])  # fmt: skip
def test_the_step_for_a_missing_model_names_others_and_where_its_name_is_from(
    httpserver: HTTPServer, listed: list[str], named: str, step: str
) -> None:
    lost = {"error": {"message": f"The model {MODEL} does not exist."}}
    serve(httpserver, lambda _: as_json(lost, 404), models=listed)
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver), named=named).run(JUDGE)
    assert (caught.value.kind, caught.value.next_step) == ("not_found", step)


def test_a_failure_that_was_known_is_told_from_one_of_this_request(httpserver: HTTPServer) -> None:
    lost = {"error": {"message": f"The model {MODEL} does not exist."}}

    def answer(sent: Json) -> Response:
        return as_json(lost, 404) if sent["model"] == MODEL else as_json(whole(TEXT))

    serve(httpserver, answer, models=[OTHER_MODEL])
    client = OpenAIModel(settings(httpserver, MODEL, OTHER_MODEL))
    replies = [client.run(request) for request in (JUDGE, JUDGE, WRITE)]
    assert [reply.unasked == reply.passed_over for reply in replies] == [False, True, True]
    assert [reply.requests for reply in replies] == [2, 1, 1]
    for reply in replies:
        assert len(reply.passed_over) == 1
        assert ModelReply.from_json(reply.to_json()) == reply


def test_a_model_that_has_answered_is_not_missing(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    refusal = {"error": {"message": "The prompt of this model is damaged."}}
    lost = {"error": {"message": f"The model {MODEL} does not exist."}}
    answers = [as_json(refusal, 400), as_json(whole(TEXT)), as_json(refusal, 400)]
    serve(httpserver, [*answers, as_json(lost, 404)], models=[OTHER_MODEL])
    with pytest.raises(ModelError) as before:
        model.run(JUDGE)
    assert (before.value.kind, OTHER_MODEL in before.value.next_step) == ("not_found", True)
    assert model.run(JUDGE).text == TEXT
    for kind in ("config", "not_found"):  # the latter in the server's own words
        with pytest.raises(ModelError) as after:
            model.run(JUDGE)
        assert (after.value.kind, OTHER_MODEL in after.value.next_step) == (kind, False)


def test_the_error_of_a_missing_model_names_the_most_similar_ones_first(
    httpserver: HTTPServer,
) -> None:
    names = [f"vendor/other-{number}" for number in range(1_000)]
    refusal = {"error": {"message": "model not found", "code": 404}}
    serve(httpserver, [as_json(refusal, 404)], models=[*names, "qwen3:8b-q4", "qwen3:4b"])
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver, "qwen3:8b")).run(JUDGE)
    assert "address: qwen3:4b, qwen3:8b-q4, vendor/other-0," in caught.value.next_step
    assert caught.value.next_step.count("vendor/") == 10


@pytest.mark.parametrize(
    "shown",
    [
        "sk-proj-AbCd1234efgh5678",
        "sk-proj-****************5678",
        "sk-p...5678",
        "sk-proj-…5678",
        "sk-pxxxxxxxxxxxx5678",
        "sk-proj-AbCd************",
    ],
)
def test_what_a_server_shows_of_a_key_is_in_no_error(httpserver: HTTPServer, shown: str) -> None:
    said = f"Incorrect API key provided: {shown}. See https://platform.example/keys-sk."
    serve(httpserver, [as_json({"error": {"message": said}}, 401)])
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver, key="sk-proj-AbCd1234efgh5678")).run(JUDGE)
    words = caught.value.message
    assert "provided: …." in words.replace("……", "…") or "provided: … See" in words
    assert words.endswith("See https://platform.example/keys-sk.")
    assert "5678" not in words
    assert "sk-p" not in words


@pytest.mark.parametrize(
    ("scheme", "host", "why", "check"),
    [
        ("https", "127.0.0.1", "it does not speak TLS", "http:// instead of https://"),
        ("http", "no-such-host.invalid", "the name in its address could not be found", "spelled"),
    ],
)
def test_why_a_server_cannot_be_reached_is_said(
    httpserver: HTTPServer, scheme: str, host: str, why: str, check: str
) -> None:
    address = f"{scheme}://{host}:{httpserver.port}/v1"
    with pytest.raises(ModelError, match=why) as caught:
        OpenAIModel(settings(address)).run(JUDGE)
    assert check in caught.value.next_step
    assert "ASSAY_OPENAI_BASE_URL" in caught.value.next_step
    assert host not in caught.value.sentence()


@pytest.mark.parametrize("status", [400, 401, 403])
def test_the_key_is_in_no_error(httpserver: HTTPServer, status: int) -> None:
    refusal = {"error": {"message": f"Incorrect API key provided: {KEY}."}}
    serve(httpserver, [as_json(refusal, status)])
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver, key=KEY)).run(JUDGE)
    assert KEY not in caught.value.sentence()
    assert (caught.value.kind, caught.value.next_step) == (
        "auth_required",
        "Check ASSAY_OPENAI_API_KEY.",
    )


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "API key not valid. Please pass a valid API key."}, "auth_required"),
        ({"message": "Bad request", "code": "invalid_api_key"}, "auth_required"),
        ({"message": "The API key is invalid or has been revoked."}, "auth_required"),
        ([{"error": {"message": "API key expired. Renew it."}}], "auth_required"),
        ({"message": "tools is not valid with this model's API"}, "config"),
        ({"message": "The value of key_values is invalid."}, "config"),
    ],
)
def test_a_wrong_key_is_known_though_the_status_does_not_say_it(
    httpserver: HTTPServer, error: Any, kind: str
) -> None:
    body = error if isinstance(error, list) else {"error": error}
    serve(httpserver, [as_json(body, 400)])
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver, key=KEY)).run(JUDGE)
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("Incorrect API key provided", "Incorrect API key provided. Check"),
        ("Der Schlüssel ist ungültig.", "Der Schlüssel ist ungültig. Check"),
        ("Is this key yours?", "Is this key yours? Check"),
        ("密钥无效。", "密钥无效。 Check"),
        ("The key is “expired.”", "The key is “expired.” Check"),
        ("La clé est refusée (clé inconnue)", "La clé est refusée (clé inconnue). Check"),
    ],
)
def test_the_next_step_begins_a_sentence(httpserver: HTTPServer, said: str, read: str) -> None:
    serve(httpserver, [as_json({"error": {"message": said}}, 401)])
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver, key=KEY)).run(JUDGE)
    assert read in caught.value.sentence()


@pytest.mark.parametrize(
    ("said", "headers", "wait_s"),
    [
        ("Rate limit reached for big. Please try again in 1m26.4s. Visit the site.", {}, 86.4),
        ("Rate limit reached on requests per min (RPM): Limit 3. Please try again in 20s.", {}, 20),
        ("Limit 200000, used 198000. Please try again in 120ms.", {}, 0.12),
        ("You exceeded your quota. Please retry in 37.3s.", {}, 37.3),
        ("Too many requests; retry after 2 minutes 5 seconds", {}, 125),
        ("Please wait 45 seconds before the next request", {}, 45),
        ("Please try again in 2h5m", {}, 7500),
        ("Please try again in 20s.", {"retry-after": "7"}, 7),
        ("Rate limit: 60 requests in 1 minute. Try again later.", {}, None),
        ("You waited 5 s; try again in a few minutes.", {}, None),
    ],
)
def test_a_wait_that_a_server_asks_for_in_words_counts(
    httpserver: HTTPServer, said: str, headers: dict[str, str], wait_s: float | None
) -> None:
    serve(httpserver, [as_json({"error": {"message": said}}, 429, **headers)])
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver)).run(JUDGE)
    assert caught.value.kind == "rate_limited"
    assert caught.value.retry_after == (None if wait_s is None else pytest.approx(wait_s))


def test_an_error_in_a_list_is_read(httpserver: HTTPServer) -> None:
    body = [{"error": {"code": 429, "message": "Please retry in 9s.", "status": "EXHAUSTED"}}]
    serve(httpserver, [as_json(body, 429)])
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver)).run(JUDGE)
    assert caught.value.retry_after == 9
    assert "Please retry in 9s." in caught.value.message


@pytest.mark.parametrize(
    "error",
    [
        {"message": "Access denied", "code": "unsupported_country_region_territory"},
        {"message": "Country, region, or territory not supported"},
        {"message": "This model is not available in your region."},
    ],
)
def test_a_place_that_is_not_served_is_not_blamed_on_the_key(
    httpserver: HTTPServer, error: dict[str, str]
) -> None:
    serve(httpserver, [as_json({"error": error}, 403)])
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver, key=KEY)).run(JUDGE)
    assert caught.value.kind == "auth_required"
    assert "does not serve the place you are in" in caught.value.sentence()
    assert "ASSAY_OPENAI_API_KEY" not in caught.value.sentence()


def test_a_redirect_is_a_wrong_address_and_the_key_does_not_follow_it(
    httpserver: HTTPServer,
) -> None:
    elsewhere = {"location": httpserver.url_for("/elsewhere")}
    serve(httpserver, [Response("", 307, elsewhere)])
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver, key=KEY)).run(JUDGE)
    assert caught.value.kind == "config"
    assert all(request.path != "/elsewhere" for request, _ in httpserver.log)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"openai_base_url": ""}, "ASSAY_OPENAI_BASE_URL"),
        ({"openai_models": ()}, "ASSAY_OPENAI_MODELS"),
        ({"openai_api_key": "two words"}, "ASSAY_OPENAI_API_KEY"),
        ({"openai_api_key": "a–b"}, "ASSAY_OPENAI_API_KEY"),
    ],
)
def test_settings_that_cannot_do_say_which(changes: Json, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        OpenAIModel(replace(settings("http://127.0.0.1:9"), **changes))
    assert said in caught.value.sentence()


# ---------------------------------------------------------------- chain, time, price


def test_the_next_model_answers_where_one_cannot(httpserver: HTTPServer) -> None:
    def answer(body: Json) -> Response:
        if body["model"] == MODEL:
            return as_json({"error": {"message": "Loading model", "code": 503}}, 503)
        return as_json(whole(TEXT, model=OTHER_MODEL))

    serve(httpserver, answer)
    chain = OpenAIModel(settings(httpserver, MODEL, OTHER_MODEL))
    assert (chain.name, chain.run(JUDGE).model) == (f"openai:{MODEL}", OTHER_MODEL)


TOOLS_STEP = "Choose a model that calls tools, or the planned strategy."
TEXT_STEP = "Choose a model that answers in text; this one is for other tasks."


@pytest.mark.parametrize(
    ("status", "message", "step"),
    [
        (400, "registry.ollama.ai/library/m1:latest does not support tools", TOOLS_STEP),
        (404, "No endpoints found that support tool use.", TOOLS_STEP),
        (400, '"auto" tool choice requires --enable-auto-tool-choice', TOOLS_STEP),
        (400, "Function calling is not enabled for this model", TOOLS_STEP),
        (422, "This model doesn't support function calling", TOOLS_STEP),
        (400, '"m1" does not support chat', TEXT_STEP),
        (400, '"m1" does not support generate', TEXT_STEP),
        (
            404,
            "This is not a chat model and thus not supported in the v1/chat/completions",
            TEXT_STEP,
        ),
        (400, "bge-m3 is an embedding model", TEXT_STEP),
        (400, "Conversation roles must alternate", NEXT_STEPS["config"]),
    ],
)
def test_a_model_that_lacks_an_ability_is_not_blamed_on_the_address(
    httpserver: HTTPServer, status: int, message: str, step: str
) -> None:
    serve(httpserver, [as_json({"error": {"message": message}}, status)], models=[MODEL])
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver)).run(JUDGE)
    assert (caught.value.kind, caught.value.next_step) == ("config", step)


@pytest.mark.parametrize(
    ("status", "message", "key", "step"),
    [
        (403, "this model requires a subscription, upgrade for access", "", "Subscribe at"),
        (403, "This model needs a paid subscription", KEY, "Subscribe at"),
        (403, "Upgrade to a Pro plan to use it", KEY, "Subscribe at"),
        (402, "Insufficient credits. Upgrade to a paid account.", KEY, "Add credit at"),
        (401, "unauthorized", "", "Set ASSAY_OPENAI_API_KEY"),
        (403, "Zugriff verweigert", "", "Set ASSAY_OPENAI_API_KEY"),
        (401, "clé refusée", KEY, "Check ASSAY_OPENAI_API_KEY"),
    ],
)
def test_a_key_that_is_not_set_need_not_be_checked(
    httpserver: HTTPServer, status: int, message: str, key: str, step: str
) -> None:
    serve(httpserver, [as_json({"error": message}, status)], models=[MODEL])
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver, key=key)).run(JUDGE)
    assert caught.value.kind == "auth_required"
    assert caught.value.next_step.startswith(step)


#: What providers answer where an account has nothing left: OpenAI, Anthropic, Moonshot, Zhipu, Alibaba,
#: xAI, SiliconFlow, Hugging Face, OpenRouter, and resellers in other languages.
WITHOUT_CREDIT = [
    (429, "You exceeded your current quota, please check your plan.", "insufficient_quota"),
    (429, "Billing hard limit has been reached", "billing_hard_limit_reached"),
    (400, "Your credit balance is too low to access the API.", "invalid_request_error"),
    (429, "Your account is suspended, please recharge", "exceeded_current_quota_error"),
    (429, "您的账户已欠费，请充值后重试", "1113"),
    (400, "Access denied, make sure your account is in good standing.", "Arrearage"),
    (403, "Your team has used all available credits or reached its monthly spending limit.", ""),
    (403, "Sorry, your account balance is insufficient", "30001"),
    (402, "You have exceeded your monthly included credits for Inference Providers.", ""),
    (402, "This request requires more credits, or fewer max_tokens.", ""),
    (402, "", ""),
    (403, "Solde insuffisant", ""),
    (400, "На счёте недостаточно средств", ""),
]


@pytest.mark.parametrize(("status", "message", "code"), WITHOUT_CREDIT)
def test_an_account_without_credit_is_refused_once_and_says_what_to_do(
    httpserver: HTTPServer, status: int, message: str, code: str
) -> None:
    refusal = {"error": {"message": message, "code": code}}
    serve(httpserver, lambda _: as_json(refusal, status), models=[MODEL])
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver, MODEL, OTHER_MODEL)).run(PLAN)
    assert caught.value.kind == "auth_required"
    assert message in caught.value.message
    assert caught.value.next_step.startswith("Add credit at the provider")
    assert len(sent(httpserver)) == 1


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (429, "Rate limit reached: 3 requests per minute. Try again in 20s.", "rate_limited"),
        (429, "Quota exceeded for metric: requests per minute.", "rate_limited"),
        (429, "You exceeded your current quota, please check your plan and billing details.",
         "rate_limited"),
        (400, "Unknown field: credit_score", "config"),
        (500, "The credits of the film could not be loaded", "upstream_unavailable"),
    ],
)  # fmt: skip
def test_a_limit_that_passes_by_itself_is_not_taken_for_missing_credit(
    httpserver: HTTPServer, status: int, message: str, kind: str
) -> None:
    serve(httpserver, lambda _: as_json({"error": {"message": message}}, status), models=[MODEL])
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver)).run(JUDGE)
    assert caught.value.kind == kind
    assert "credit at the provider" not in caught.value.next_step


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (403, "Country, region, or territory not supported"),
        (403, "This model is not available in your country."),
        (403, "Access from this location is not allowed."),
        (400, "User location is not supported for the API use."),
        (451, "Not offered in your region."),
    ],
)
def test_a_place_that_is_not_served_is_said_with_the_other_models_that_are_configured(
    httpserver: HTTPServer, status: int, message: str
) -> None:
    serve(httpserver, lambda _: as_json({"error": {"message": message}}, status), models=[MODEL])
    configured = settings(httpserver, gemini_api_key="k-1", gemini_models=("gemini-next",))
    with pytest.raises(ModelError) as caught:
        OpenAIModel(configured).run(JUDGE)
    assert caught.value.kind == "auth_required"
    step = caught.value.next_step
    assert step.startswith("This provider does not serve the place you are in.")
    assert step.endswith("Other models that are configured: gemini:gemini-next, offline.")


def test_a_missing_model_of_a_list_is_asked_once_and_named_each_time(
    httpserver: HTTPServer,
) -> None:
    def answer(body: Json) -> Response:
        if body["model"] == MODEL:
            return as_json({"error": {"message": "no such model"}}, 404)
        return as_json(whole(TEXT, model=OTHER_MODEL))

    serve(httpserver, answer, models=[OTHER_MODEL])
    chain = OpenAIModel(settings(httpserver, MODEL, OTHER_MODEL))
    replies = [chain.run(JUDGE) for _ in range(3)]
    said = f"{MODEL} answered 404: no such model."
    assert [(reply.model, reply.passed_over) for reply in replies] == 3 * [(OTHER_MODEL, (said,))]
    assert [body["model"] for body in sent(httpserver)] == [MODEL, *3 * [OTHER_MODEL]]
    alone = OpenAIModel(settings(httpserver, MODEL))
    for _ in range(2):
        with pytest.raises(ModelError, match="no such model"):
            alone.run(JUDGE)
    assert [body["model"] for body in sent(httpserver)].count(MODEL) == 3


def test_a_missing_model_is_asked_again_after_a_while() -> None:
    now = 0.0
    known = UnavailableModels(lambda: now)
    known.add(MODEL, ModelError("gone", kind="not_found"))
    found = known.find_failure(MODEL)
    assert found is not None
    assert (found.message, found.requests, known.find_failure(OTHER_MODEL)) == ("gone", 0, None)
    now = MISSING_S
    assert known.find_failure(MODEL) is None


@pytest.mark.parametrize(
    ("kind", "retry_after", "kept_s"),
    [
        ("rate_limited", 37.3, 37.3),
        ("rate_limited", 86_400.0, 86_400.0),
        ("rate_limited", None, 0.0),
        ("upstream_unavailable", 20.0, 0.0),
        ("timeout", None, 0.0),
    ],
)
def test_only_a_limit_for_a_known_time_is_kept_and_until_then(
    kind: str, retry_after: float | None, kept_s: float
) -> None:
    now = 100.0
    known = UnavailableModels(lambda: now)
    known.add(MODEL, ModelError("Slow down.", kind=kind, retry_after=retry_after))
    found = known.find_failure(MODEL)
    assert (found.retry_after if found else 0.0) == pytest.approx(kept_s)
    now += kept_s
    assert known.find_failure(MODEL) is None


#: How a provider words that it is limited, and for how many seconds.
LIMITS: dict[str, tuple[Any, dict[str, str]]] = {
    "header": ("Too many requests", {"Retry-After": "300"}),
    "words": ("Rate limit reached. Please try again in 2m5s.", {}),
    "other words": ("Rate limit reached. Retry after 2 hours", {}),
    "long": ("Zu viele Anfragen", {"Retry-After": "86400"}),
    "another language": ("请求过多", {"Retry-After": "60"}),
}


@pytest.mark.parametrize("case", LIMITS)
def test_calls_before_the_end_of_a_limit_go_straight_to_the_next_model(
    httpserver: HTTPServer, case: str
) -> None:
    message, headers = LIMITS[case]

    def answer(body: Json) -> Response:
        if body["model"] == MODEL:
            return as_json({"error": {"message": message}}, 429, **headers)
        return as_json(whole(TEXT, model=OTHER_MODEL))

    serve(httpserver, answer, models=[MODEL, OTHER_MODEL])
    chain = OpenAIModel(settings(httpserver, MODEL, OTHER_MODEL))
    replies = [chain.run(JUDGE) for _ in range(4)]
    assert [body["model"] for body in sent(httpserver)] == [MODEL, *4 * [OTHER_MODEL]]
    assert [reply.requests for reply in replies] == [2, 1, 1, 1]
    assert len({reply.passed_over for reply in replies}) == 1
    alone = OpenAIModel(settings(httpserver, MODEL))
    for _ in range(2):
        with pytest.raises(ModelError) as caught:
            alone.run(JUDGE)
        assert (caught.value.kind, caught.value.requests) == ("rate_limited", 1)


def test_a_limited_model_is_asked_again_once_its_time_is_over(httpserver: HTTPServer) -> None:
    limits = iter([True])

    def answer(body: Json) -> Response:
        if body["model"] == MODEL and next(limits, False):
            return as_json({"error": {"message": "Wait."}}, 429, **{"Retry-After": "1"})
        return as_json(whole(TEXT, model=body["model"]))

    serve(httpserver, answer, models=[MODEL, OTHER_MODEL])
    chain = OpenAIModel(settings(httpserver, MODEL, OTHER_MODEL))
    assert chain.run(JUDGE).model == OTHER_MODEL
    assert chain.run(JUDGE).model == OTHER_MODEL
    time.sleep(1.1)
    assert chain.run(JUDGE).model == MODEL


def drip(_request: Request) -> Response:
    def body() -> Iterator[bytes]:
        for _ in range(40):
            time.sleep(0.05)
            yield b": still at it\n\n"

    return Response(body(), content_type="text/event-stream")


@pytest.mark.parametrize("request_s", [0.2, 1.0])
def test_a_call_may_take_as_long_as_the_setting_says_or_the_request_if_that_is_more(
    httpserver: HTTPServer, request_s: float
) -> None:
    serve(httpserver, [])
    httpserver.clear()
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(drip)
    model = OpenAIModel(settings(httpserver, openai_timeout_s=0.5))
    with check_duration(max(0.5, request_s), 2.5), pytest.raises(ModelError) as caught:
        model.run(replace(JUDGE, timeout_s=request_s))
    assert caught.value.kind == "timeout"


def test_the_first_piece_is_passed_on_before_the_last_is_written(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    first_seen = threading.Event()
    waited: list[bool] = []

    def body() -> Iterator[bytes]:
        yield b"data: " + json.dumps(delta("High ")).encode() + b"\n\n"
        waited.append(first_seen.wait(LONG_S))
        yield b"data: " + json.dumps(delta("water.", finish="stop")).encode() + b"\n\n"

    serve(httpserver, [Response(body(), content_type="text/event-stream")])
    assert model.run(WRITE, lambda _: first_seen.set()).text == "High water."
    assert waited == [True]


@pytest.mark.parametrize(
    ("url", "private"),
    [
        ("http://localhost:11434/v1", True),
        ("http://127.0.0.1:8080", True),
        ("http://[::1]:8080/v1", True),
        ("http://192.168.1.20:1234/v1", True),
        ("http://ollama:11434", True),
        ("http://host.docker.internal:11434", True),
        ("http://gpu.local:8000/v1", True),
        ("https://api.openai.com/v1", False),
        ("https://openrouter.ai/api/v1", False),
        ("http://8.8.8.8:8000/v1", False),
        ("https://localhost.example.com/v1", False),
    ],
)
def test_a_server_of_ones_own_costs_nothing(url: str, private: bool) -> None:
    assert is_private_host(url) == private
    configured = settings(url, "some-model")
    assert has_known_price(configured, "openai") == (private or "openrouter" in url)
    assert OpenAIModel(configured).most_at_once == (2 if private else 10)


@pytest.mark.parametrize(
    ("stated", "cost"),
    [(0.0125, 0.0125), (0, 0.0), (None, None), ("0.1", None), (True, None), (-1, None), ({}, None)],
)
def test_a_call_costs_what_the_server_states(
    httpserver: HTTPServer, stated: Any, cost: float | None
) -> None:
    counts = {"prompt_tokens": 1, "completion_tokens": 1, "cost": stated}
    serve(httpserver, [as_json(whole(TEXT, usage=counts))] * 2)
    assert OpenAIModel(settings(httpserver, "big-cloud")).run(JUDGE).usage.cost == cost
    # A server on this machine that states none costs nothing.
    assert OpenAIModel(settings(httpserver, "small")).run(JUDGE).usage.cost == (cost or 0.0)


def test_a_model_that_a_local_server_runs_elsewhere_has_no_known_price(
    httpserver: HTTPServer,
) -> None:
    serve(httpserver, [as_json(whole(TEXT))])
    configured = settings(httpserver, "gpt-oss:120b-cloud")
    assert OpenAIModel(configured).run(JUDGE).usage.cost is None
    assert not has_known_price(configured, "openai")


@pytest.mark.parametrize(
    ("name", "models", "chosen"),
    [
        ("auto", (MODEL,), f"openai:{MODEL}"),
        ("openai", (MODEL, OTHER_MODEL), f"openai:{MODEL}"),
        (f"openai:{OTHER_MODEL}", (MODEL, OTHER_MODEL), f"openai:{OTHER_MODEL}"),
        ("openai:mistral:7b", (MODEL,), "openai:mistral:7b"),
        ("openai:vendor/name", (), "openai:vendor/name"),
    ],
)
def test_a_model_is_chosen_by_the_name_it_gives_itself(
    name: str, models: tuple[str, ...], chosen: str
) -> None:
    configured = replace(settings("http://127.0.0.1:9"), openai_models=models)
    assert choose_model(configured, name).name == chosen


def test_what_is_not_set_is_left_out_of_a_recorded_reply() -> None:
    plain = ModelReply("text", MODEL, Usage(1, 2, 0.0))
    assert "notes" not in plain.to_json()
    assert plain.to_json()["usage"] == {"input_tokens": 1, "output_tokens": 2, "cost": 0.0}
    marked = ModelReply(
        "text", MODEL, Usage(1, 2, None, estimated=True), (ToolCall("", "a", {}),), notes=("So.",)
    )
    for reply in (plain, marked):
        assert ModelReply.from_json(json.loads(json.dumps(reply.to_json()))) == reply
