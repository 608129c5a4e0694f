"""A local Gemini: requests of each kind, and a server that replays recorded replies.

It gives those of tests/replies/gemini in order.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Response

from research_core.model_messages import Json, ModelRequest
from research_core.settings import GEMINI_MODELS, Settings

REPLIES = Path(__file__).parent / "replies" / "gemini"
FIRST, SECOND = GEMINI_MODELS
KEY = "key-of-the-settings"
ANY = re.compile(".*")

SCHEMA: Json = {
    "type": "object",
    "properties": {"queries": {"type": "array", "items": {"type": "string"}}},
    "required": ["queries"],
}
TOOLS: tuple[Json, ...] = (
    {
        "name": "search_web",
        "description": "Search.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
    },
    {
        "name": "fetch_page",
        "description": "Read.",
        "parameters": {"type": "object", "properties": {"url": {"type": "string"}}},
    },
)
JUDGE = ModelRequest("judge_relevance", "You judge.", "Is it about tides?", {}, timeout_s=15)
PLAN = ModelRequest("plan", "You plan.", "Plan it.", {}, SCHEMA, timeout_s=30)
WRITE = ModelRequest("write", "You write.", "Write it.", {}, timeout_s=120)
LOOP = ModelRequest(
    "choose_tools", "You look things up.", "When is high water?", {}, tools=TOOLS, timeout_s=30
)


def settings(server: HTTPServer | str, *models: str, key: str = KEY) -> Settings:
    url = server if isinstance(server, str) else server.url_for("").rstrip("/")
    return Settings(
        home=Path("/nowhere"),
        database_url="",
        gemini_api_key=key,
        gemini_base_url=url,
        gemini_models=models or (FIRST,),
    )


def answer(name: str, status: int = 200, **headers: str) -> Response:
    kind = "text/event-stream" if name.endswith(".sse") else "application/json; charset=UTF-8"
    return Response((REPLIES / name).read_bytes(), status, headers, content_type=kind)


def replay(server: HTTPServer, *answers: Response) -> None:
    """Answer the requests with these, in this order; any further one with an error of the server."""
    waiting = iter(answers)
    server.clear()
    server.expect_request(ANY).respond_with_handler(lambda _: next(waiting))


def sent(server: HTTPServer) -> list[tuple[str, Json]]:
    """Path and body of every request."""
    return [(request.path, json.loads(request.get_data())) for request, _ in server.log]


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
