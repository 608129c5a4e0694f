"""The Gemini model on the recorded replies of the shared data, where they are present: a reply or a
failure, never anything else.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from research_core.errors import ModelError
from research_core.llm.gemini import GeminiModel
from research_core.model_messages import Json, ModelReply
from tests.gemini_server import LOOP, WRITE, answer, canonical, replay, sent, settings

RECORDED = Path(__file__).parents[2].parent / "shared" / "data" / "api_fixtures"


def recorded() -> list[Any]:
    manifest = RECORDED / "manifest.jsonl"
    rows = map(json.loads, manifest.read_text().splitlines()) if manifest.exists() else ()
    kinds = (
        "gemini_generate",
        "gemini_sdk_unary",
        "gemini_stream",
        "gemini_sdk_stream",
        "gemini_stream_chunks",
    )
    found = [pytest.param(row, id=row["file"]) for row in rows if row["endpoint"] in kinds]
    return found or [
        pytest.param(
            None,
            marks=pytest.mark.skip(
                reason="the recorded replies, ../shared/data/api_fixtures, are not here"
            ),
        )
    ]


@pytest.fixture(scope="module")
def shared_model(make_httpserver: HTTPServer) -> GeminiModel:
    return GeminiModel(settings(make_httpserver))


#: What the source of a recording calls it, and what it therefore must become.
EXPECTED = {
    "failure-finish-reason-safety": "blocked",
    "failure-prompt-blocked-safety": "blocked",
    "failure-recitation": "blocked",
    "failure-empty-content": "content_empty",
    "failure-only-prompt-feedback": "blocked",
    "failure-with-message-no-content": "content_empty",
    "failure-invalid-response": "content_empty",
    "failure-api-key": "auth_required",
    "failure-unknown-model": "not_found",
    "failure-iam-permission-denied": "auth_required",
    "api-not-enabled": "auth_required",
    "failure-unsupported-user-location": "auth_required",
    "failure-image-rejected": "config",
}
#: Successful answers of which nothing is text: an image, a count of tokens, code that was run, an
#: empty part.
WITHOUT_TEXT = (
    "no-billable-characters",
    "detailed-token-response",
    "empty-text-part",
    "image-invalid",
    "usage-metadata",
    "implicit-caching",
    "finish-message",
)


@pytest.mark.filterwarnings("ignore:.*is not a valid:UserWarning")
@pytest.mark.parametrize("row", recorded())
def test_every_recorded_reply_is_a_reply_or_a_failure(
    shared_model: GeminiModel, httpserver: HTTPServer, row: Json
) -> None:
    streamed = "stream" in row["endpoint"]
    data = (RECORDED / row["file"]).read_bytes()
    if row["file"].endswith(".jsonl"):
        data = b"".join(b"data: " + line + b"\n\n" for line in data.splitlines())
    replay(
        httpserver,
        Response(
            data,
            row["status"],
            content_type="text/event-stream" if streamed else "application/json",
        ),
    )
    outcome: ModelReply | ModelError
    try:
        outcome = shared_model.run(
            WRITE if streamed else LOOP, (lambda _: None) if streamed else None
        )
    except ModelError as error:
        outcome = error
    expected = next((kind for name, kind in EXPECTED.items() if name in row["source"]), None)
    if expected:
        assert isinstance(outcome, ModelError)
        assert outcome.kind == expected
    elif "success" in row["source"] and not any(name in row["source"] for name in WITHOUT_TEXT):
        assert isinstance(outcome, ModelReply)
        assert outcome.text or outcome.calls
    if isinstance(outcome, ModelReply) and outcome.content is not None:
        turn: tuple[Json, ...] = ({"role": "model", "content": outcome.content},)
        replay(httpserver, answer("plain.json"))
        shared_model.run(replace(LOOP, history=turn))
        original = json.loads(data)["candidates"][0]["content"]
        assert canonical(sent(httpserver)[-1][1]["contents"][1]) == canonical(original)
