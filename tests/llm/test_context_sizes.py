"""Context sizes of models, from a table or as the server states them."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from research_core.llm import find_context_size
from research_core.llm.context_sizes import CONTEXT_SIZES, DEFAULT_CONTEXT
from research_core.llm.prices import PRICES
from tests import gemini_server
from tests.gemini_server import FIRST, SECOND
from tests.model_servers import MODEL, OTHER_MODEL, as_json, serve, serve_ollama, settings


def test_every_model_with_a_price_has_a_context() -> None:
    assert CONTEXT_SIZES.keys() == PRICES.keys()
    assert min(CONTEXT_SIZES.values()) > 100_000


@pytest.mark.parametrize(("name", "models", "tokens"), [
    ("gemini", (FIRST, SECOND), 1_000_000),
    (f"gemini:{SECOND}", (FIRST, SECOND), 1_000_000),
    ("gemini:gemini-unknown", (FIRST,), DEFAULT_CONTEXT),
    ("gemini", (FIRST, "gemini-unknown"), DEFAULT_CONTEXT),  # that one may answer too
    ("offline", (FIRST,), DEFAULT_CONTEXT),
    ("scripted", (FIRST,), DEFAULT_CONTEXT),
    ("openai:some-model", (FIRST,), DEFAULT_CONTEXT),  # no address is set
])  # fmt: skip
def test_the_smallest_context_of_the_chain_counts(
    httpserver: HTTPServer, name: str, models: tuple[str, ...], tokens: int
) -> None:
    assert find_context_size(gemini_server.settings(httpserver, *models), name) == tokens


#: What a server says of a model beside its name, and the context that follows.
STATED: list[tuple[dict[str, Any], int]] = [
    ({"max_model_len": 32_768}, 32_768),  # vLLM
    (
        {"context_length": 131_072, "top_provider": {"context_length": 65_536}},
        131_072,
    ),  # OpenRouter
    ({"context_window": 16_384}, 16_384),  # Groq
    ({"loaded_context_length": 4_096}, 4_096),  # LM Studio
    ({"meta": {"n_ctx": 12_288, "n_ctx_train": 131_072}}, 12_288),  # llama.cpp
    ({"meta": {"n_ctx_train": 131_072}}, DEFAULT_CONTEXT),  # what it could have
    ({"context_length": 131_072, "max_model_len": 24_000}, 24_000),
    ({"owned_by": "openai"}, DEFAULT_CONTEXT),
    ({"max_model_len": "32768"}, DEFAULT_CONTEXT),
    ({"max_model_len": -1}, DEFAULT_CONTEXT),
    ({"max_model_len": True}, DEFAULT_CONTEXT),
    ({"meta": "n_ctx"}, DEFAULT_CONTEXT),
]


@pytest.mark.parametrize(("row", "tokens"), STATED, ids=range(len(STATED)))
def test_a_server_that_states_the_context_is_believed(
    httpserver: HTTPServer, row: dict[str, Any], tokens: int
) -> None:
    serve(httpserver, [])
    httpserver.clear()
    rows = [{"id": OTHER_MODEL, "max_model_len": 1_000}, {"id": MODEL, **row}]
    httpserver.expect_request("/v1/models").respond_with_json({"object": "list", "data": rows})
    assert find_context_size(settings(httpserver), f"openai:{MODEL}") == tokens
    assert find_context_size(settings(httpserver, MODEL, OTHER_MODEL), "openai") == 1_000


@pytest.mark.parametrize(("wanted", "longest", "tokens"), [
    (16_384, 40_960, 16_384),
    (65_536, 40_960, 40_960),
    (32_768, 262_144, 32_768),
])  # fmt: skip
def test_an_ollama_has_the_context_that_it_is_asked_with(
    httpserver: HTTPServer, wanted: int, longest: int, tokens: int
) -> None:
    serve_ollama(httpserver, [], longest=longest)
    made = settings(httpserver, ollama_context=wanted)
    assert find_context_size(made, f"openai:{MODEL}") == tokens


@pytest.mark.parametrize("status", [401, 404, 500, 503])
def test_a_server_that_does_not_tell_is_taken_for_a_small_one(
    httpserver: HTTPServer, status: int
) -> None:
    for path in ("/v1/models", "/api/tags"):
        httpserver.expect_request(path).respond_with_response(as_json({"error": "no"}, status))
    assert find_context_size(settings(httpserver), f"openai:{MODEL}") == DEFAULT_CONTEXT


def test_a_server_that_is_not_there_is_taken_for_a_small_one() -> None:
    made = settings("http://127.0.0.1:9/v1")
    assert find_context_size(made, f"openai:{MODEL}") == DEFAULT_CONTEXT
