"""Local servers that speak as OpenAI-compatible servers and Ollama do, by their documentation.

No reply here was recorded from a live server: `docs/models.md` says so. The shapes of errors are
those that users report in the issue trackers of vLLM, LM Studio, Ollama and others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from research_core.model_messages import Json
from research_core.settings import Settings

MODEL = "qwen3:8b"
OTHER_MODEL = "llama3.2:3b"
KEY = "key-of-the-server"
TEXT = "SCORE: 4\nEXPLANATION: The page gives the tide tables that were asked for."
PLANNED = json.dumps({"queries": ["tide table Harwich 2026"]})
REPORT = (
    "## Executive Summary\n\n",
    "High water is at 06:12 – “by the ",
    "almanac”. [p1a2b3c4d]\n",
)


def settings(server: HTTPServer | str, *models: str, key: str = "", **more: Any) -> Settings:
    url = server if isinstance(server, str) else server.url_for("/v1")
    return Settings(
        home=Path("/nowhere"),
        database_url="",
        openai_base_url=url,
        openai_api_key=key,
        openai_models=models or (MODEL,),
        **more,
    )


def as_json(value: Any, status: int = 200, **headers: str) -> Response:
    text = value if isinstance(value, str) else json.dumps(value)
    return Response(text, status, headers, content_type="application/json")


# ---------------------------------------------------------------- /v1/chat/completions


def whole(
    content: Any,
    *,
    finish: str | None = "stop",
    usage: Json | None = None,
    model: str = MODEL,
    **message: Any,
) -> Json:
    """A whole reply. usage: None for the usual one, {} for none."""
    counts = {"prompt_tokens": 12, "completion_tokens": 19} if usage is None else usage
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": model,
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": content, **message},
            }
        ],
    }
    return {**body, "usage": counts} if counts else body


def called(*calls: tuple[str, str, Any]) -> Json:
    """A reply that calls tools: (id, name, arguments)."""
    rows = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for id, name, arguments in calls
    ]
    return whole(None, finish="tool_calls", tool_calls=rows)


def delta(content: str | None = None, *, finish: str | None = None, **more: Any) -> Json:
    piece = {} if content is None else {"content": content}
    return {
        "object": "chat.completion.chunk",
        "model": MODEL,
        "choices": [{"index": 0, "delta": {**piece, **more}, "finish_reason": finish}],
    }


def events(*pieces: Any, done: bool = True) -> Response:
    """A stream of server-sent events. A piece that is text goes as it is."""
    rows = [each if isinstance(each, str) else f"data: {json.dumps(each)}\n\n" for each in pieces]
    end = "data: [DONE]\n\n" if done else ""
    return Response("".join(rows) + end, content_type="text/event-stream")


USAGE_PIECE = {"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 40}}


# ---------------------------------------------------------------- Ollama


def ollama_whole(content: str, *, reason: str = "stop", **more: Any) -> Json:
    message = {"role": "assistant", "content": content, **more.pop("message", {})}
    return {
        "model": MODEL,
        "created_at": "2026-11-26T10:00:00Z",
        "message": message,
        "done": True,
        "done_reason": reason,
        "prompt_eval_count": 12,
        "eval_count": 19,
        **more,
    }


def ollama_lines(*lines: Any) -> Response:
    """A stream of lines of JSON. A line that is text goes as it is."""
    rows = [each if isinstance(each, str) else json.dumps(each) for each in lines]
    return Response("\n".join(rows) + "\n", content_type="application/x-ndjson")


def ollama_piece(content: str, **message: Any) -> Json:
    return {
        "model": MODEL,
        "message": {"role": "assistant", "content": content, **message},
        "done": False,
    }


# ---------------------------------------------------------------- serving

Answers = Sequence[Response] | Callable[[Json], Response]


def serve(server: HTTPServer, answers: Answers, *, models: Sequence[str] = (MODEL,)) -> None:
    """Answer chats with these in order, or by a function of the request's body."""
    _serve(server, "/v1/chat/completions", answers)
    rows = [{"id": name, "object": "model"} for name in models]
    server.expect_request("/v1/models").respond_with_json({"object": "list", "data": rows})


def serve_ollama(
    server: HTTPServer,
    answers: Answers,
    *,
    models: Sequence[str] = (MODEL,),
    longest: int | None = 40_960,
) -> None:
    """Answer as Ollama does. longest: the context length of every model, None for an unknown one."""
    _serve(server, "/api/chat", answers)
    server.expect_request("/api/tags").respond_with_json(
        {"models": [{"name": name, "model": name, "size": 1} for name in models]}
    )
    rows = [{"id": name, "object": "model", "owned_by": "library"} for name in models]
    server.expect_request("/v1/models").respond_with_json({"object": "list", "data": rows})
    server.expect_request("/api/show").respond_with_json(
        {"model_info": {"general.architecture": "qwen3", "qwen3.context_length": longest}}
    )


def _serve(server: HTTPServer, path: str, answers: Answers) -> None:
    server.clear()
    if callable(answers):
        answer: Callable[[Json], Response] = answers
        server.expect_request(path).respond_with_handler(
            lambda request: answer(json.loads(request.get_data()))
        )
        return
    waiting = iter(answers)

    def take(_request: Request) -> Response:
        return next(waiting)

    server.expect_request(path).respond_with_handler(take)


def sent(server: HTTPServer) -> list[Json]:
    """The bodies of the chats that were asked."""
    return [
        json.loads(request.get_data())
        for request, _ in server.log
        if request.path.endswith(("/chat/completions", "/api/chat"))
    ]
