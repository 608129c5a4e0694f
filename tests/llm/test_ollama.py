"""The client against an Ollama: its own protocol, its context, and that nothing is cut in silence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytest_httpserver import HTTPServer

from research_core.errors import ModelError
from research_core.llm.openai import OpenAIModel
from research_core.model_messages import Json, ToolCall, Usage
from tests.gemini_server import JUDGE, LOOP, PLAN, SCHEMA, WRITE
from tests.model_servers import (
    MODEL,
    PLANNED,
    REPORT,
    TEXT,
    as_json,
    ollama_lines,
    ollama_piece,
    ollama_whole,
    sent,
    serve,
    serve_ollama,
    settings,
    whole,
)


@pytest.fixture
def model(httpserver: HTTPServer) -> OpenAIModel:
    return OpenAIModel(settings(httpserver))


def test_an_ollama_is_asked_by_its_own_protocol_with_a_context_and_a_schema(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    serve_ollama(httpserver, [as_json(ollama_whole(PLANNED))])
    reply = model.run(PLAN)
    (body,) = sent(httpserver)
    assert (body["model"], body["format"], body["stream"]) == (MODEL, SCHEMA, False)
    assert body["options"]["num_ctx"] == 16_384
    assert body["think"] is False
    assert "response_format" not in body
    assert (reply.text, reply.usage, reply.notes) == (PLANNED, Usage(12, 19, 0.0), ())


def test_what_the_server_is_is_asked_once(model: OpenAIModel, httpserver: HTTPServer) -> None:
    serve_ollama(httpserver, [as_json(ollama_whole(TEXT))] * 3)
    for number in range(3):
        model.run(replace(JUDGE, prompt=f"Question {number}"))
    paths = [request.path for request, _ in httpserver.log]
    assert paths == ["/api/tags", "/api/show", *["/api/chat"] * 3]


@pytest.mark.parametrize(
    "tags",
    [
        {"models": [{"name": "a"}], "object": "list", "data": [{"id": "a"}]},  # llama.cpp
        {"error": "Unexpected endpoint or method. (GET /api/tags)"},  # LM Studio
        {"detail": "Not Found"},
        {"models": "none"},
        [],
        "<html>Not found</html>",
    ],
)
def test_other_servers_are_not_taken_for_an_ollama(
    model: OpenAIModel, httpserver: HTTPServer, tags: Json
) -> None:
    serve(httpserver, [as_json(whole(TEXT))])
    httpserver.expect_request("/api/tags").respond_with_response(as_json(tags))
    assert model.run(JUDGE).text == TEXT


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
@pytest.mark.parametrize("path", ["/api/tags", "/api/show"])
def test_a_passing_failure_does_not_decide_what_the_server_is(
    model: OpenAIModel, httpserver: HTTPServer, status: int, path: str
) -> None:
    serve_ollama(httpserver, [as_json(ollama_whole(TEXT))] * 2, longest=2_048)
    httpserver.expect_request("/v1/chat/completions").respond_with_json(whole(TEXT))
    httpserver.expect_oneshot_request(path).respond_with_data("", status)
    model.run(JUDGE)
    model.run(replace(JUDGE, prompt="Is it about ships?"))
    assert sent(httpserver)[1]["options"]["num_ctx"] == 2_048


@pytest.mark.parametrize(
    ("status", "probes"), [(200, 1), (404, 1), (401, 2), (403, 2), (500, 2), (503, 2)]
)
def test_what_the_server_is_is_remembered_once_it_is_known(
    model: OpenAIModel, httpserver: HTTPServer, status: int, probes: int
) -> None:
    serve(httpserver, [as_json(whole(TEXT))] * 2)
    httpserver.expect_request("/api/tags").respond_with_json({"error": "?"}, status=status)
    model.run(JUDGE)
    model.run(replace(JUDGE, prompt="Is it about ships?"))
    assert [request.path for request, _ in httpserver.log].count("/api/tags") == probes


@pytest.mark.parametrize("name", ["empty", "thoughts", "cut off"])
def test_an_answer_that_cannot_be_used_counts(
    model: OpenAIModel, httpserver: HTTPServer, name: str
) -> None:
    answer = {
        "empty": ollama_whole("", reason="length"),
        "thoughts": ollama_whole("<think>Hm"),
        "cut off": ollama_whole('{"queries": ["a', reason="length"),
    }[name]
    serve_ollama(httpserver, [as_json(answer)])
    with pytest.raises(ModelError) as caught:
        model.run(PLAN)
    assert Usage(**caught.value.usage) == Usage(12, 19, 0.0)


@pytest.mark.parametrize(
    ("longest", "wanted", "used"), [(4_096, 16_384, 4_096), (131_072, 32_768, 32_768)]
)
def test_the_context_is_the_settings_or_what_the_model_can_read(
    httpserver: HTTPServer, longest: int, wanted: int, used: int
) -> None:
    serve_ollama(httpserver, [as_json(ollama_whole(TEXT))], longest=longest)
    OpenAIModel(settings(httpserver, ollama_context=wanted)).run(JUDGE)
    assert sent(httpserver)[0]["options"]["num_ctx"] == used


@pytest.mark.parametrize(
    "prompt",
    [
        "High water at Harwich. " * 400,
        "潮の満ち引き。" * 400,
        "Прилив в Харидже. " * 300,
        "جزر ومد. " * 700,
    ],
)
def test_a_prompt_that_does_not_fit_is_refused_before_it_is_sent(
    httpserver: HTTPServer, prompt: str
) -> None:
    serve_ollama(httpserver, [], longest=2_048)
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver)).run(replace(WRITE, prompt=prompt), lambda _: None)
    assert caught.value.kind == "too_large"
    step = "Choose the quick mode, or a model or server with a longer context."
    assert caught.value.next_step == step
    assert sent(httpserver) == []


@pytest.mark.parametrize(
    ("wanted", "longest", "is_raisable"),
    [
        (2_048, 32_768, True),
        (2_048, None, True),
        (2_048, 2_048, False),
        (16_384, 2_048, False),
        (2_048, 2_049, True),
    ],
)
def test_a_larger_context_is_advised_only_where_the_model_reads_more(
    httpserver: HTTPServer, wanted: int, longest: int | None, is_raisable: bool
) -> None:
    serve_ollama(httpserver, [], longest=longest)
    client = OpenAIModel(replace(settings(httpserver), ollama_context=wanted))
    for _ in range(2):
        with pytest.raises(ModelError) as caught:
            client.run(replace(WRITE, prompt="Tide. " * 2_000), lambda _: None)
        assert ("ASSAY_OLLAMA_CONTEXT" in caught.value.next_step) == is_raisable


@pytest.mark.parametrize("words", ["Tide. " * 300, "Ebbe und Flut. " * 100, "潮の満ち引き。" * 60])
def test_a_request_that_leaves_no_room_for_its_answer_says_so(
    httpserver: HTTPServer, words: str
) -> None:
    serve_ollama(httpserver, [], longest=512)
    with pytest.raises(ModelError) as caught:
        OpenAIModel(settings(httpserver)).run(replace(WRITE, prompt=words), lambda _: None)
    assert "tokens and its answer needs 512, and" in caught.value.message
    assert caught.value.message.endswith(" has room for 512 together.")


def test_a_stream_of_lines_arrives_in_pieces_without_its_thoughts(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    lines = [ollama_piece("", thinking="Hm."), *map(ollama_piece, REPORT), ollama_whole("")]
    serve_ollama(httpserver, [ollama_lines(*lines)])
    pieces: list[str] = []
    reply = model.run(WRITE, pieces.append)
    assert pieces == list(REPORT)
    assert (reply.text, reply.finish) == ("".join(REPORT), "stop")
    assert "think" not in sent(httpserver)[0]


@pytest.mark.parametrize(
    ("last", "finish", "note"),
    [
        (ollama_whole("", reason="length"), "length", "most tokens"),
        (ollama_whole("", reason="length", prompt_eval_count=12_000, eval_count=4_384), "length", "ASSAY_OLLAMA_CONTEXT"),
        (ollama_piece("and"), "broken", "stream ended before"),
    ],
)  # fmt: skip
def test_a_report_that_was_cut_off_is_told(
    model: OpenAIModel, httpserver: HTTPServer, last: Json, finish: str, note: str
) -> None:
    serve_ollama(httpserver, [ollama_lines(*map(ollama_piece, REPORT), last)])
    reply = model.run(WRITE, lambda _: None)
    assert reply.finish == finish
    assert any(note in each for each in reply.notes)


def test_tools_are_called_and_their_results_go_back(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    calls = [{"function": {"name": "search_web", "arguments": {"query": "tides"}}}]
    asked = ollama_whole("", message={"tool_calls": calls})
    serve_ollama(httpserver, [as_json(asked), as_json(ollama_whole("06:12"))])
    first = model.run(LOOP)
    assert first.calls == (ToolCall("", "search_web", {"query": "tides"}),)
    results = [{"id": "", "name": "search_web", "result": "06:12"}]
    turns = ({"role": "model", "content": first.content}, {"role": "tool", "results": results})
    assert model.run(replace(LOOP, history=turns)).text == "06:12"
    assert sent(httpserver)[1]["messages"][2:] == [
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "content": "06:12"},
    ]


@pytest.mark.parametrize(
    ("refusal", "status", "name", "later"),
    [
        ({"error": 'invalid format: expected "json" or a JSON schema'}, 400, "format", "json"),
        ({"error": f'"{MODEL}" does not support thinking'}, 400, "think", None),
    ],
)
def test_what_an_ollama_rejects_is_left_out(
    model: OpenAIModel, httpserver: HTTPServer, refusal: Json, status: int, name: str, later: object
) -> None:
    serve_ollama(httpserver, [as_json(refusal, status), as_json(ollama_whole(PLANNED))])
    assert model.run(PLAN).text == PLANNED
    assert sent(httpserver)[1].get(name) == later


def test_a_model_that_was_not_pulled_is_told_with_those_that_are(
    model: OpenAIModel, httpserver: HTTPServer
) -> None:
    refusal = {"error": f"model '{MODEL}' not found"}
    serve_ollama(httpserver, [as_json(refusal, 404)], models=["phi4:14b"])
    with pytest.raises(ModelError) as caught:
        model.run(JUDGE)
    assert (caught.value.kind, "phi4:14b" in caught.value.next_step) == ("not_found", True)
    assert caught.value.next_step.endswith(f" To download it: `ollama pull {MODEL}`.")


@pytest.mark.parametrize(
    "said", ["unexpected EOF", "CUDA error: out of memory", "erreur", "错误。"]
)
def test_an_error_in_a_stream_states_no_status_that_was_not_sent(
    model: OpenAIModel, httpserver: HTTPServer, said: str
) -> None:
    lines = ollama_lines(ollama_piece("The tide is "), {"error": said})
    serve_ollama(httpserver, lambda _body: lines)
    with pytest.raises(ModelError) as caught:
        model.run(WRITE, lambda _: None)
    assert caught.value.message == f"{MODEL} answered with an error: {said.rstrip('。')}" + (
        "。" if said.endswith("。") else "."
    )
    assert caught.value.kind == "upstream_unavailable"
