"""One table of hostile replies: every client answers each with a reply or a ModelError.

Rows: the recorded Gemini replies of tests/replies, and of the shared data where they are present;
the shapes of OpenAI-compatible servers (see tests/model_servers.py); and answers of no protocol.
Every row goes to every client, also to those whose protocol it is not of; `expected` is what its
own client makes of it: the kind of an error, or the finish of a reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from research_core.errors import ModelError
from research_core.journal.deps import Model
from research_core.llm.gemini import GeminiModel
from research_core.llm.openai import OpenAIModel
from research_core.model_messages import ModelReply
from research_core.policy import OFFLINE_MODEL
from tests import gemini_server, model_servers
from tests.gemini_server import LOOP, PLAN, REPLIES, WRITE
from tests.model_servers import called, delta, ollama_piece, ollama_whole, whole

RECORDED = Path(__file__).parents[2].parent / "shared" / "data" / "api_fixtures"
KEY = "key-of-the-settings"
SSE, NDJSON, JSON = "text/event-stream", "application/x-ndjson", "application/json"


@dataclass(frozen=True)
class Row:
    """An answer. of: the client whose protocol it is of, "" for none."""

    name: str
    body: bytes
    status: int = 200
    content_type: str = JSON
    of: str = ""
    expected: str = ""


def row(of: str, expected: str, name: str, value: Any, status: int = 200) -> Row:
    text = value if isinstance(value, str) else json.dumps(value)
    return Row(name, text.encode("utf-8", "surrogatepass"), status, JSON, of, expected)


def stream(of: str, expected: str, name: str, *pieces: Any) -> Row:
    lines = [each if isinstance(each, str) else json.dumps(each) for each in pieces]
    if of == "ollama":
        return Row(name, "\n".join(lines).encode(), 200, NDJSON, of, expected)
    events = "".join(f"data: {line}\n\n" for line in lines)
    return Row(name, events.encode(), 200, SSE, of, expected)


def error(message: Any, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


OPENAI_ROWS = [
    row("openai", "content_empty", "no choices", {"choices": []}),
    row("openai", "content_empty", "choices missing", {"id": "x"}),
    row("openai", "content_empty", "choice is null", {"choices": [None]}),
    row("openai", "content_empty", "content is null", whole(None)),
    row(
        "openai",
        "content_empty",
        "only reasoning",
        whole("", reasoning_content="Hm.", finish="length"),
    ),
    row("openai", "content_empty", "only thoughts", whole("<think>Hm, and hm")),
    row("openai", "bad_reply", "choices is an object", {"choices": {"0": 1}}),
    row("openai", "bad_reply", "choice is text", {"choices": ["text"]}),
    row("openai", "bad_reply", "content is a number", whole(5)),
    row("openai", "bad_reply", "calls are an object", whole(None, tool_calls={"a": 1})),
    row("openai", "bad_reply", "a call is text", whole(None, tool_calls=["search"])),
    row("openai", "bad_reply", "an array", [whole("text")]),
    row("openai", "stop", "usage is a list", {**whole("text"), "usage": [1]}),
    row("openai", "stop", "usage of text", whole("text", usage={"prompt_tokens": "many"})),
    row("openai", "stop", "model is an object", {**whole("text"), "model": {"a": "\u202e"}}),
    row("openai", "stop", "model has our name", {**whole("text"), "model": "offline"}),
    row("openai", "stop", "unknown finish", whole("text", finish="eos_token")),
    row("openai", "stop", "arguments broken", called(("a", "search_web", '{"query": '))),
    row("openai", "stop", "lone surrogate", whole("a \ud800 b")),
    row("openai", "length", "cut", whole("The tide is", finish="length")),
    row("openai", "blocked", "content filter", whole("", finish="content_filter")),
    row("openai", "blocked", "refusal", whole(None, refusal="I cannot help with that.")),
    row(
        "openai",
        "blocked",
        "filter of Azure",
        error(
            "The response was filtered due to the content management policy", code="content_filter"
        ),
        400,
    ),
    row(
        "openai",
        "blocked",
        "OpenRouter moderation",
        error("Your input was flagged", code=403, metadata={"reasons": ["x"]}),
        403,
    ),
    row(
        "openai",
        "rate_limited",
        "OpenRouter 429 in 200",
        error("Provider returned error", code=429),
    ),
    row(
        "openai",
        "upstream_unavailable",
        "OpenRouter 502 in 200",
        error("Provider returned error", code=502),
    ),
    row(
        "openai",
        "upstream_unavailable",
        "error within a choice",
        {"choices": [{"error": {"code": 502, "message": "Upstream"}, "message": {"content": ""}}]},
    ),
    row(
        "openai",
        "auth_required",
        "OpenRouter without credit",
        error("Insufficient credits", code=402),
        402,
    ),
    row(
        "openai",
        "auth_required",
        "OpenAI without quota",
        error("You exceeded your current quota", code="insufficient_quota"),
        429,
    ),
    row(
        "openai",
        "auth_required",
        "DeepSeek without balance",
        error("Insufficient Balance", type="unknown_error"),
        402,
    ),
    row(
        "openai",
        "auth_required",
        "DeepSeek key",
        error("Authentication Fails", type="authentication_error"),
        401,
    ),
    row(
        "openai",
        "config",
        "LM Studio endpoint",
        {"error": "Unexpected endpoint or method. (POST /chat/completions)"},
    ),
    row(
        "openai",
        "not_found",
        "LM Studio no model",
        {
            "error": {
                "message": "No models loaded. Please load a model",
                "type": "invalid_request_error",
                "code": "model_not_found",
            }
        },
        404,
    ),
    row(
        "openai",
        "not_found",
        "vLLM no model",
        {
            "object": "error",
            "message": "The model `x` does not exist.",
            "type": "NotFoundError",
            "param": None,
            "code": 404,
        },
        404,
    ),
    row(
        "openai",
        "too_large",
        "llama.cpp context",
        error(
            "the request exceeds the available context size",
            code=400,
            type="exceed_context_size_error",
        ),
        400,
    ),
    row(
        "openai",
        "too_large",
        "vLLM context",
        {
            "object": "error",
            "message": "This model's maximum context length is 4096 tokens.",
            "code": 400,
        },
        400,
    ),
    row(
        "openai",
        "upstream_unavailable",
        "llama.cpp loading",
        error("Loading model", code=503, type="unavailable_error"),
        503,
    ),
    row(
        "openai",
        "config",
        "error of odd types",
        {"error": {"message": {"a": [1]}, "code": []}},
        400,
    ),
    row("openai", "config", "error is a list", {"error": ["a", "b"]}, 400),
    row(
        "openai",
        "config",
        "FastAPI detail",
        {"detail": [{"loc": ["body"], "msg": "field required"}]},
        422,
    ),
    row("openai", "config", "not found in HTML", "<html><h1>404</h1></html>", 404),
    row(
        "openai",
        "auth_required",
        "the key in the error",
        error(f"Incorrect API key provided: {KEY}"),
        401,
    ),
    stream("openai", "broken", "stream without an end", delta("The tide "), delta("is")),
    stream(
        "openai",
        "length",
        "stream cut by length",
        delta("The tide"),
        delta(finish="length"),
        "[DONE]",
    ),
    stream(
        "openai", "broken", "stream broken in a piece", delta("The tide "), '{"choices": [{"del'
    ),
    stream("openai", "content_empty", "stream of nothing", "[DONE]"),
    stream(
        "openai",
        "content_empty",
        "stream of thoughts",
        delta("<think>a"),
        delta("b"),
        delta(finish="stop"),
    ),
    stream(
        "openai",
        "blocked",
        "stream filtered",
        delta("The"),
        delta(finish="content_filter"),
        "[DONE]",
    ),
    stream(
        "openai",
        "upstream_unavailable",
        "OpenRouter error in a stream",
        delta("The"),
        {
            **error("Provider disconnected", code=502),
            "choices": [{"delta": {"content": ""}, "finish_reason": "error"}],
        },
    ),
    stream(
        "openai", "rate_limited", "rate limit in a stream", error("Rate limit exceeded", code=429)
    ),
    stream("openai", "upstream_unavailable", "finish error", delta("The"), delta(finish="error")),
    stream("openai", "bad_reply", "stream of numbers", "1", "2"),
    stream(
        "openai",
        "stop",
        "null pieces",
        {"choices": [{"delta": None, "message": None}]},
        delta("The tide."),
        delta(finish="stop"),
    ),
]
OLLAMA_ROWS = [
    row("ollama", "content_empty", "loaded only", ollama_whole("", reason="load")),
    row("ollama", "content_empty", "only thinking", ollama_whole("", message={"thinking": "Hm."})),
    row("ollama", "bad_reply", "message is text", {"message": "text", "done": True}),
    row("ollama", "bad_reply", "content is a list", {"message": {"content": ["a"]}, "done": True}),
    row("ollama", "bad_reply", "calls are text", ollama_whole("", message={"tool_calls": "none"})),
    row("ollama", "stop", "no counts", {**ollama_whole("text"), "eval_count": None}),
    row("ollama", "broken", "never done", {"message": {"content": "text"}}),
    row("ollama", "length", "cut", ollama_whole("The tide", reason="length")),
    row(
        "ollama",
        "upstream_unavailable",
        "runner stopped",
        {"error": "llama runner process has terminated"},
        500,
    ),
    row(
        "ollama",
        "upstream_unavailable",
        "out of memory",
        {"error": "model requires more system memory (9.0 GiB) than is available"},
        500,
    ),
    row(
        "ollama",
        "not_found",
        "not pulled",
        {"error": "model 'x' not found, try pulling it first"},
        404,
    ),
    row(
        "ollama", "too_large", "too long", {"error": "input length exceeds the context length"}, 400
    ),
    stream(
        "ollama", "broken", "stream without an end", ollama_piece("The tide "), ollama_piece("is")
    ),
    stream(
        "ollama",
        "upstream_unavailable",
        "error in a stream",
        ollama_piece("The"),
        {"error": "an error was encountered while running the model"},
    ),
    stream("ollama", "broken", "stream broken in a line", ollama_piece("The"), '{"message": {"con'),
    stream("ollama", "stop", "empty lines", "", ollama_piece("The tide."), "", ollama_whole("")),
]
NO_PROTOCOL = [
    Row("nothing", b""),
    Row("no bytes in a stream", b"", content_type=SSE),
    Row("HTML", b"<!doctype html><title>Sign in</title>", content_type="text/html"),
    Row("null", b"null"),
    Row("a number", b"1e400"),
    Row("NaN", b'{"choices": [{"message": {"content": NaN}}]}'),
    Row("broken JSON", b'{"choices": [{"message": {"content": "a'),
    Row("no UTF-8", b'{"choices": [{"message": {"content": "\xff\xfe"}}]}'),
    Row("deeply nested", b"[" * 200_000),
    Row("deeply nested error", b'{"error":' * 100_000, 400),
    Row("deeply nested in a stream", b"data: " + b"[" * 200_000 + b"\n\n", content_type=SSE),
    Row("events of no kind", b"event: ping\nid: 1\nretry: 5\n\n: comment\n\n", content_type=SSE),
    Row("no JSON in a stream", b"data: Internal error\n\n", content_type=SSE),
    Row("carriage returns", b"data: {}\r\n\r\ndata: [DONE]\r\n\r\n", content_type=SSE),
    Row("teapot", b"short and stout", 418, "text/plain"),
    Row("empty 500", b"", 500),
    Row("empty 401", b"", 401),
    Row("redirect", b"", 302),
    Row("no content", b"", 204),
]


def recorded_gemini() -> list[Row]:
    """The recorded Gemini replies: those of the tests, and those of the shared data."""
    rows = []
    for file in sorted(REPLIES.iterdir()):
        kind = SSE if file.suffix == ".sse" else JSON
        rows.append(Row(f"gemini {file.name}", file.read_bytes(), content_type=kind, of="gemini"))
    manifest = RECORDED / "manifest.jsonl"
    lines = manifest.read_text().splitlines() if manifest.exists() else []
    for known in map(json.loads, lines):
        if known["provider"] != "gemini" or known["file"].endswith(".jsonl"):
            continue
        kind = SSE if "stream" in known["endpoint"] else JSON
        body = (RECORDED / known["file"]).read_bytes()
        rows.append(Row(f"recorded {known['file']}", body, known["status"], kind, "gemini"))
    return rows


ROWS = [*OPENAI_ROWS, *OLLAMA_ROWS, *NO_PROTOCOL, *recorded_gemini()]


def respond(each: Row) -> Callable[[Any], Response]:
    return lambda _body: Response(each.body, each.status, content_type=each.content_type)


def make_gemini(server: HTTPServer, each: Row) -> Model:
    server.clear()
    server.expect_request(gemini_server.ANY).respond_with_handler(respond(each))
    return GeminiModel(gemini_server.settings(server, key=KEY))


def make_openai(server: HTTPServer, each: Row) -> Model:
    model_servers.serve(server, respond(each))
    return OpenAIModel(model_servers.settings(server, key=KEY))


def make_ollama(server: HTTPServer, each: Row) -> Model:
    model_servers.serve_ollama(server, respond(each))
    return OpenAIModel(model_servers.settings(server, key=KEY))


CLIENTS = {"gemini": make_gemini, "openai": make_openai, "ollama": make_ollama}


def ask(model: Model, each: Row) -> ModelReply | ModelError:
    is_stream = each.content_type in (SSE, NDJSON)
    try:
        if is_stream:
            return model.run(WRITE, lambda _: None)
        return model.run(LOOP)
    except ModelError as failure:
        return failure


@pytest.mark.filterwarnings("ignore:.*is not a valid:UserWarning")
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("each", ROWS, ids=lambda each: each.name)
def test_every_client_makes_a_reply_or_a_failure_of_every_answer(
    httpserver: HTTPServer, each: Row, client: str
) -> None:
    outcome = ask(CLIENTS[client](httpserver, each), each)
    if isinstance(outcome, ModelError):
        assert KEY not in outcome.sentence()
        assert not re.search(r"[a-z](?:Error|Exception)\b|NoneType", outcome.message)
        assert len(outcome.message) < 600
        found = outcome.kind
    else:
        assert outcome.text.strip() or outcome.calls
        assert "<think>" not in outcome.text
        assert outcome.model != OFFLINE_MODEL
        found = outcome.finish
    if each.expected and each.of == client:
        assert found == each.expected


@pytest.mark.filterwarnings("ignore:.*is not a valid:UserWarning")
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("each", ROWS, ids=lambda each: each.name)
def test_what_must_satisfy_a_schema_is_json_or_a_failure(
    httpserver: HTTPServer, each: Row, client: str
) -> None:
    model = CLIENTS[client](httpserver, each)
    try:
        reply = model.run(PLAN)
    except ModelError:
        return
    assert reply.calls or isinstance(json.loads(reply.text), dict)


def test_a_reply_that_is_far_too_long_is_not_read_to_its_end(httpserver: HTTPServer) -> None:
    long = Row("long", b" " * 1_000_000, content_type=SSE)
    model_servers.serve(httpserver, respond(long))
    outcome = ask(OpenAIModel(model_servers.settings(httpserver), max_bytes=100_000), long)
    assert isinstance(outcome, ModelError)
    assert (outcome.kind, "too long" in outcome.message) == ("bad_reply", True)


def test_no_client_repeats_a_request_to_a_model_by_itself(httpserver: HTTPServer) -> None:
    failing = replace(NO_PROTOCOL[0], status=503)
    for client, make in CLIENTS.items():
        httpserver.clear_log()
        assert isinstance(ask(make(httpserver, failing), failing), ModelError)
        paths = [request.path for request, _ in httpserver.log]
        chats = [path for path in paths if path.endswith(("completions", "/chat", "Content"))]
        assert len(chats) == 1, client
