"""The Gemini model against a local server: what it answers, what it sends, its streams, its chain
of models, its deadline.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from research_core.errors import ModelError, SettingsError, Stopped
from research_core.llm import choose_model, gemini_wire
from research_core.llm.gemini import GeminiModel
from research_core.llm.prices import PRICES
from research_core.model_messages import Json, ModelRequest, ToolCall, Usage
from research_core.settings import GEMINI_MODELS
from tests.gemini_server import (
    ANY,
    FIRST,
    JUDGE,
    KEY,
    LOOP,
    PLAN,
    REPLIES,
    SCHEMA,
    SECOND,
    TOOLS,
    WRITE,
    answer,
    canonical,
    replay,
    sent,
    settings,
)
from tests.timing import LONG_S, check_duration


@pytest.fixture
def gemini(httpserver: HTTPServer) -> GeminiModel:
    return GeminiModel(settings(httpserver))


def priced(read: int, written: int) -> Usage:
    """Tokens of the first model of the chain, at its price."""
    return Usage(
        read, written, (read * PRICES[FIRST].input + written * PRICES[FIRST].output) / 1_000_000
    )


# ---------------------------------------------------------------- what comes back

ANSWERED = {
    "plain.json": (JUDGE, "SCORE: 4\nEXPLANATION: The page gives the tide tables that were asked for.", priced(412, 19)),
    "structured.json": (PLAN, None, priced(230, 105)),
    "thoughts.json": (JUDGE, "High water is at 06:12.", priced(90, 39)),
    "new_ending.json": (JUDGE, "An answer with an ending nobody knows yet.", priced(40, 12)),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERED)
def test_a_reply_is_its_text_and_its_tokens(
    gemini: GeminiModel, httpserver: HTTPServer, name: str
) -> None:
    request, text, usage = ANSWERED[name]
    replay(httpserver, answer(name))
    reply = gemini.run(request)
    assert (reply.model, reply.finish, reply.calls, reply.content) == (FIRST, "stop", (), None)
    assert reply.text == text or json.loads(reply.text)["queries"] == ["tide table Harwich 2026"]
    assert reply.usage == usage


CALLED = {
    "one_call.json": (ToolCall("c7d1", "search_web", {"query": "tide table Harwich"}),),
    "several_calls.json": (
        ToolCall("k1", "fetch_page", {"url": "https://tides.example.org/a"}),
        ToolCall("k2", "fetch_page", {"url": "https://tides.example.org/b"}),
        ToolCall("k3", "now", {}),
    ),
}


@pytest.mark.parametrize("name", CALLED)
def test_tool_calls_come_in_order_with_the_content_object(
    gemini: GeminiModel, httpserver: HTTPServer, name: str
) -> None:
    replay(httpserver, answer(name))
    reply = gemini.run(LOOP)
    assert reply.calls == CALLED[name]
    assert reply.content == json.loads((REPLIES / name).read_text())["candidates"][0]["content"]


REFUSED = {
    "blocked_prompt.json": (200, JUDGE, "blocked"),
    "blocked_answer.json": (200, JUDGE, "blocked"),
    "recited.json": (200, WRITE, "blocked"),
    "empty.json": (200, JUDGE, "content_empty"),
    "no_candidates.json": (200, JUDGE, "content_empty"),
    "only_thoughts.json": (200, WRITE, "content_empty"),
    "broken_call.json": (200, LOOP, "bad_reply"),
    "truncated.json": (200, PLAN, "bad_reply"),
    "odd_shape.json": (200, JUDGE, "bad_reply"),
    "odd_parts.json": (200, JUDGE, "bad_reply"),
    "malformed.json": (200, JUDGE, "bad_reply"),
    "gateway.html": (502, JUDGE, "upstream_unavailable"),
    "rate_limited.json": (429, JUDGE, "rate_limited"),
    "internal.json": (500, JUDGE, "upstream_unavailable"),
    "overloaded.json": (503, JUDGE, "upstream_unavailable"),
    "deadline.json": (504, JUDGE, "timeout"),
    "bad_key.json": (400, JUDGE, "auth_required"),
    "bad_argument.json": (400, JUDGE, "config"),
    "wrong_place.json": (400, JUDGE, "auth_required"),
    "forbidden.json": (403, JUDGE, "auth_required"),
    "gone.json": (404, JUDGE, "not_found"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_failure_has_its_kind_and_is_not_tried_again(
    gemini: GeminiModel, httpserver: HTTPServer, name: str
) -> None:
    status, request, kind = REFUSED[name]
    replay(httpserver, answer(name, status))
    with pytest.raises(ModelError) as caught:
        gemini.run(request)
    assert caught.value.kind == kind
    assert caught.value.status == (None if status == 200 else status)
    assert KEY not in caught.value.sentence()
    assert caught.value.message.endswith((".", "!", "?", "…"))
    assert len(httpserver.log) == 1


@pytest.mark.parametrize(
    "name", ["blocked_answer.json", "recited.json", "only_thoughts.json", "broken_call.json"]
)
def test_an_answer_that_cannot_be_used_says_what_it_cost(
    gemini: GeminiModel, httpserver: HTTPServer, name: str
) -> None:
    replay(httpserver, answer(name, 200))
    with pytest.raises(ModelError) as caught:
        gemini.run(JUDGE)
    counts = json.loads((REPLIES / name).read_bytes())["usageMetadata"]
    assert caught.value.usage["input_tokens"] == counts["promptTokenCount"] > 0


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, {"message": "Request had invalid credentials."}),
        (400, {"message": "API key not valid.", "details": [{"reason": "API_KEY_INVALID"}]}),
        (400, {"message": "El usuario…", "status": "FAILED_PRECONDITION"}),
        (400, {"message": "Ungültige Anfrage"}),
        (429, {"message": "配额已用完"}),
    ],
)
def test_another_model_is_advised_where_one_of_another_provider_is_configured(
    status: int, error: Json
) -> None:
    def find_step(*others: str) -> str:
        return gemini_wire.build_model_error("m", status, {"error": error}, {}, others).next_step

    assert "to use no language model" in find_step("offline")
    assert find_step("openai:m1", "offline").endswith("or choose another model.")


def test_a_redirect_is_a_wrong_address_and_the_key_does_not_follow_it(
    gemini: GeminiModel, httpserver: HTTPServer
) -> None:
    replay(
        httpserver,
        Response("", 307, {"location": httpserver.url_for("/elsewhere")}),
        answer("plain.json"),
    )
    with pytest.raises(ModelError) as caught:
        gemini.run(JUDGE)
    assert caught.value.kind == "config"
    assert len(httpserver.log) == 1


@pytest.mark.parametrize(("name", "headers", "seconds"), [
    ("rate_limited.json", {}, 17.2),
    ("rate_limited.json", {"retry-after": "4"}, 4.0),
    ("rate_limited.json", {"retry-after": "Sat, 21 Nov 2026 07:28:00 GMT"}, 17.2),
    ("overloaded.json", {}, None),
])  # fmt: skip
def test_how_long_to_wait_comes_with_a_refusal(
    gemini: GeminiModel,
    httpserver: HTTPServer,
    name: str,
    headers: dict[str, str],
    seconds: float | None,
) -> None:
    replay(httpserver, answer(name, 429, **headers))
    with pytest.raises(ModelError) as caught:
        gemini.run(JUDGE)
    assert caught.value.retry_after == seconds


def test_a_truncated_report_is_returned_as_such(
    gemini: GeminiModel, httpserver: HTTPServer
) -> None:
    replay(httpserver, answer("truncated.json"))
    assert gemini.run(WRITE).finish == "length"


def test_a_server_that_is_not_there_is_a_network_failure() -> None:
    with pytest.raises(ModelError) as caught:
        GeminiModel(settings("http://127.0.0.1:9")).run(JUDGE)
    assert caught.value.kind == "network"


# ---------------------------------------------------------------- what goes out


def test_the_request_names_model_and_key_and_carries_the_schema(
    gemini: GeminiModel, httpserver: HTTPServer
) -> None:
    replay(httpserver, answer("structured.json"))
    gemini.run(PLAN)
    (request, _), (path, body) = httpserver.log[0], sent(httpserver)[0]
    assert path == f"/v1beta/models/{FIRST}:generateContent"
    assert request.headers["x-goog-api-key"] == KEY
    assert request.query_string == b""
    generation = {
        "responseMimeType": "application/json",
        "responseJsonSchema": SCHEMA,
        "thinkingConfig": {"thinkingLevel": "LOW"},
    }
    assert body == {
        "contents": [{"role": "user", "parts": [{"text": "Plan it."}]}],
        "systemInstruction": {"parts": [{"text": "You plan."}]},
        "generationConfig": generation,
    }


def test_tools_are_declared_and_free_text_has_no_schema(
    gemini: GeminiModel, httpserver: HTTPServer
) -> None:
    replay(httpserver, answer("one_call.json"))
    gemini.run(LOOP)
    ((_, body),) = sent(httpserver)
    declared = body["tools"][0]["functionDeclarations"]
    assert declared == [
        {
            "name": t["name"],
            "description": t["description"],
            "parametersJsonSchema": t["parameters"],
        }
        for t in TOOLS
    ]
    assert body["generationConfig"] == {}


def test_a_model_nobody_here_knows_gets_no_settings_and_has_no_price(
    httpserver: HTTPServer,
) -> None:
    replay(httpserver, answer("plain.json"))
    reply = GeminiModel(settings(httpserver, "gemini-next")).run(JUDGE)
    assert sent(httpserver)[0][1]["generationConfig"] == {}
    assert reply.usage == Usage(412, 19, None)


def test_the_models_of_the_default_chain_have_a_price() -> None:
    assert set(GEMINI_MODELS) <= PRICES.keys()


def test_nothing_comes_from_the_environment(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sdk = {
        "USE_VERTEXAI": "true",
        "USE_ENTERPRISE": "true",
        "API_VERSION": "v9",
        "CLIENT_MODE": "replay",
        "REPLAYS_DIRECTORY": "/",
    }
    foreign = {
        **{f"GOOGLE_GENAI_{name}": value for name, value in sdk.items()},
        **dict.fromkeys(
            ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"),
            "foreign",
        ),
        **dict.fromkeys(
            ("GOOGLE_GEMINI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY"),
            "http://127.0.0.1:9",
        ),
    }
    for name, value in foreign.items():
        monkeypatch.setenv(name, value)
    replay(httpserver, answer("plain.json"))
    GeminiModel(settings(httpserver)).run(JUDGE)
    ((request, _),) = httpserver.log
    assert request.headers["x-goog-api-key"] == KEY
    assert request.path == f"/v1beta/models/{FIRST}:generateContent"
    assert [record.message for record in caplog.records if record.name.startswith("google")] == []


@pytest.mark.parametrize("key", ["", "a–b", "two words", "line\nbreak"])
def test_a_key_that_cannot_be_one_is_refused_before_any_call(
    httpserver: HTTPServer, key: str
) -> None:
    with pytest.raises(SettingsError, match=r"key|GEMINI_API_KEY"):
        GeminiModel(settings(httpserver, key=key))


# ---------------------------------------------------------------- several rounds


RESULTS = {"search_web": ["a", "b"], "fetch_page": {"text": "06:12"}}


def test_the_content_object_goes_back_byte_for_byte_through_every_round(
    gemini: GeminiModel, httpserver: HTTPServer
) -> None:
    rounds = [f"round_{n}.json" for n in (1, 2, 3)]
    replay(httpserver, *map(answer, rounds))
    history: list[Json] = []
    for _ in rounds:
        reply = gemini.run(replace(LOOP, history=tuple(history)))
        results = [
            {"id": call.id, "name": call.name, "result": RESULTS[call.name]} for call in reply.calls
        ]
        history += [
            {"role": "model", "content": json.loads(json.dumps(reply.content))},
            {"role": "tool", "results": results},
        ]
    assert reply.text == "High water at Harwich is at 06:12."
    contents = sent(httpserver)[2][1]["contents"]
    recorded = [
        json.loads((REPLIES / name).read_text())["candidates"][0]["content"] for name in rounds
    ]
    assert [canonical(contents[1]), canonical(contents[3])] == [
        canonical(recorded[0]),
        canonical(recorded[1]),
    ]
    assert contents[2]["parts"] == [
        {"functionResponse": {"id": "r1", "name": "search_web", "response": {"result": ["a", "b"]}}}
    ]
    assert (
        contents[4]["parts"]
        == [{"functionResponse": {"name": "fetch_page", "response": {"text": "06:12"}}}] * 2
    )
    assert [content["role"] for content in contents] == ["user", "model", "user", "model", "user"]


# ---------------------------------------------------------------- streams


def test_a_stream_arrives_in_pieces_on_the_thread_that_asked(
    gemini: GeminiModel, httpserver: HTTPServer
) -> None:
    replay(httpserver, answer("stream.sse"))
    pieces: list[str] = []
    threads: set[int] = set()

    def on_text(piece: str) -> None:
        pieces.append(piece)
        threads.add(threading.get_ident())

    reply = gemini.run(WRITE, on_text)
    assert len(pieces) == 3
    assert (
        "".join(pieces)
        == reply.text
        == "## Executive Summary\n\nHigh water is at 06:12 – “by the almanac”. [p1a2b3c4d]\n"
    )
    assert threads == {threading.get_ident()}
    assert reply.usage == priced(500, 94)
    assert (reply.finish, sent(httpserver)[0][0]) == (
        "stop",
        f"/v1beta/models/{FIRST}:streamGenerateContent",
    )


def test_the_first_piece_is_passed_on_before_the_last_is_written(
    gemini: GeminiModel, httpserver: HTTPServer
) -> None:
    first_seen = threading.Event()
    waited: list[bool] = []
    chunks = (REPLIES / "stream.sse").read_bytes().split(b"\r\n\r\n")

    def body() -> Iterator[bytes]:
        yield b"\r\n\r\n".join(chunks[:2]) + b"\r\n\r\n"
        waited.append(first_seen.wait(LONG_S))
        yield b"\r\n\r\n".join(chunks[2:])

    replay(httpserver, Response(body(), content_type="text/event-stream"))
    gemini.run(WRITE, lambda _: first_seen.set())
    assert waited == [True]


STREAM_ENDS = {
    "stream_truncated.sse": "length",
    "stream_cut.sse": "broken",
    "stream_blocked.sse": "blocked",
    "stream_refused.sse": "blocked",
    "stream_empty.sse": "content_empty",
    "stream_failed.sse": "upstream_unavailable",
    "stream_malformed.sse": "bad_reply",
}


@pytest.mark.parametrize("name", STREAM_ENDS)
def test_how_a_stream_ends(gemini: GeminiModel, httpserver: HTTPServer, name: str) -> None:
    replay(httpserver, answer(name))
    if STREAM_ENDS[name] in ("length", "broken"):
        assert gemini.run(WRITE, lambda _: None).finish == STREAM_ENDS[name]
    else:
        with pytest.raises(ModelError) as caught:
            gemini.run(WRITE, lambda _: None)
        assert caught.value.kind == STREAM_ENDS[name]


def test_the_tokens_of_a_stream_that_broke_off_are_estimated(
    gemini: GeminiModel, httpserver: HTTPServer
) -> None:
    piece: Json = {"candidates": [{"content": {"parts": [{"text": "Tea was drunk. " * 40}]}}]}

    def body() -> Iterator[bytes]:
        yield f"data: {json.dumps(piece)}\r\n\r\n".encode()
        yield b"data: {not json\r\n\r\n"

    replay(httpserver, Response(body(), content_type="text/event-stream"))
    with pytest.raises(ModelError) as caught:
        gemini.run(WRITE, lambda _: None)
    usage = Usage(**caught.value.usage)
    assert usage.estimated
    assert usage.input_tokens == WRITE.estimated_tokens
    assert usage.output_tokens > 100
    assert usage.cost


def test_a_stop_raised_while_a_piece_is_passed_on_ends_the_call(
    gemini: GeminiModel, httpserver: HTTPServer
) -> None:
    def stop(_: str) -> None:
        raise Stopped("cancel")

    replay(httpserver, answer("stream.sse"))
    with pytest.raises(Stopped):
        gemini.run(WRITE, stop)


def test_tools_are_never_streamed_since_the_content_object_must_be_whole(
    gemini: GeminiModel, httpserver: HTTPServer
) -> None:
    replay(httpserver, answer("one_call.json"))
    assert gemini.run(LOOP, lambda _: None).content is not None
    assert sent(httpserver)[0][0].endswith(":generateContent")


# ---------------------------------------------------------------- the chain of models


PASSED_ON = [
    ("rate_limited.json", 429),
    ("overloaded.json", 503),
    ("internal.json", 500),
    ("gone.json", 404),
]
KEPT = [
    ("bad_key.json", 400),
    ("blocked_prompt.json", 200),
    ("malformed.json", 200),
    ("deadline.json", 504),
]


@pytest.mark.parametrize(("name", "status"), PASSED_ON)
def test_the_next_model_answers_where_one_cannot(
    httpserver: HTTPServer, name: str, status: int
) -> None:
    replay(httpserver, answer(name, status), answer("plain.json"))
    reply = GeminiModel(settings(httpserver, FIRST, SECOND)).run(JUDGE)
    assert reply.model == SECOND
    assert reply.usage.cost == pytest.approx((412 * 0.30 + 19 * 2.50) / 1e6)
    assert [path for path, _ in sent(httpserver)] == [
        f"/v1beta/models/{model}:generateContent" for model in (FIRST, SECOND)
    ]
    assert [
        body["generationConfig"]["thinkingConfig"]["thinkingLevel"] for _, body in sent(httpserver)
    ] == ["LOW", "MINIMAL"]


@pytest.mark.parametrize(("name", "status"), KEPT)
def test_what_another_model_would_not_mend_is_not_asked_again(
    httpserver: HTTPServer, name: str, status: int
) -> None:
    replay(httpserver, answer(name, status), answer("plain.json"))
    with pytest.raises(ModelError):
        GeminiModel(settings(httpserver, FIRST, SECOND)).run(JUDGE)
    assert len(httpserver.log) == 1


@pytest.mark.parametrize(
    ("status", "message", "kind", "step"),
    [
        (429, "Your prepayment credits are depleted. Please go to AI Studio to manage billing.",
         "auth_required", "Add credit or billing"),
        (429, "Your project has exceeded its monthly spending cap.", "auth_required",
         "Add credit or billing"),
        (403, "This API method requires billing to be enabled.", "auth_required",
         "Add credit or billing"),
        (403, "Generative Language is not available in your country.", "auth_required",
         "This provider does not serve the place you are in. Other models that are configured:"
         " offline."),
        (429, "You exceeded your current quota, please check your plan and billing details.",
         "rate_limited", "Wait, use another key"),
    ],
)  # fmt: skip
def test_a_project_that_has_to_pay_first_is_told_from_one_that_has_to_wait(
    httpserver: HTTPServer, status: int, message: str, kind: str, step: str
) -> None:
    body = json.dumps({"error": {"code": status, "message": message, "status": "X"}})
    replay(httpserver, Response(body, status, content_type="application/json"))
    with pytest.raises(ModelError) as caught:
        GeminiModel(settings(httpserver)).run(JUDGE)
    assert caught.value.kind == kind
    assert caught.value.next_step.startswith(step)


def test_a_missing_model_is_replaced_if_it_is_listed_and_ends_the_call_if_it_was_only_named(
    httpserver: HTTPServer,
) -> None:
    gone = answer("gone.json", 404)
    replay(httpserver, gone, gone, answer("plain.json"))
    chain = settings(httpserver, FIRST, SECOND)
    with pytest.raises(ModelError) as caught:
        choose_model(chain, "gemini:gemini-typo").run(JUDGE)
    assert caught.value.kind == "not_found"
    assert choose_model(chain, f"gemini:{FIRST}").run(JUDGE).model == SECOND
    asked = [path.rpartition("/")[2].partition(":")[0] for path, _ in sent(httpserver)]
    assert asked == ["gemini-typo", FIRST, SECOND]


def test_of_a_chain_that_fails_the_failure_worth_waiting_for_is_told(
    httpserver: HTTPServer,
) -> None:
    replay(httpserver, answer("rate_limited.json", 429), answer("gone.json", 404))
    with pytest.raises(ModelError) as caught:
        GeminiModel(settings(httpserver, FIRST, SECOND)).run(JUDGE)
    assert (caught.value.kind, caught.value.retry_after) == ("rate_limited", 17.2)


def test_no_other_model_goes_on_where_one_has_begun_to_write(httpserver: HTTPServer) -> None:
    replay(httpserver, answer("stream_failed.sse"), answer("stream.sse"))
    with pytest.raises(ModelError):
        GeminiModel(settings(httpserver, FIRST, SECOND)).run(WRITE, lambda _: None)
    assert len(httpserver.log) == 1


# ---------------------------------------------------------------- deadlines


def drip(request: Request) -> Response:
    """An answer that never falls silent and never ends."""

    def body() -> Iterator[bytes]:
        for _ in range(40):
            time.sleep(0.05)
            yield b" "

    return Response(body(), content_type="application/json")


def drip_pieces(request: Request) -> Response:
    piece = (REPLIES / "stream_cut.sse").read_bytes()

    def body() -> Iterator[bytes]:
        for _ in range(40):
            time.sleep(0.05)
            yield piece

    return Response(body(), content_type="text/event-stream")


def silence(request: Request) -> Response:
    time.sleep(1.0)
    return answer("plain.json")


@pytest.mark.parametrize(
    ("handler", "streamed"), [(silence, False), (drip, False), (drip_pieces, True)]
)
def test_the_deadline_holds_whatever_the_server_does(
    gemini: GeminiModel, httpserver: HTTPServer, handler: Any, streamed: bool
) -> None:
    httpserver.expect_request(ANY).respond_with_handler(handler)
    gemini._client()  # the SDK's import is not what is timed here
    with check_duration(0.3, 1.5), pytest.raises(ModelError) as caught:
        gemini.run(
            ModelRequest("write", "", "Write it.", {}, timeout_s=0.3),
            (lambda _: None) if streamed else None,
        )
    assert caught.value.kind == "timeout"


@pytest.mark.parametrize("pieces", [
    [{"content": {"parts": [{"text": "Hm, hm", "thought": True}]}, "finishReason": "MAX_TOKENS"}],
    [{"content": {"parts": [{"text": "考え中", "thought": True}]}}, {"finishReason": "MAX_TOKENS"}],
    [{"content": {"parts": [{"text": " \n"}]}, "finishReason": "MAX_TOKENS"}],
    [{"content": {"parts": []}, "finishReason": "MAX_TOKENS"}],
    [{"finishReason": "MAX_TOKENS"}],
])  # fmt: skip
@pytest.mark.parametrize("request_", [JUDGE, WRITE])
def test_a_model_that_used_up_its_tokens_before_it_answered_says_so(
    pieces: list[Json], request_: ModelRequest
) -> None:
    answers = [{"candidates": [piece]} for piece in pieces]
    with pytest.raises(ModelError) as caught:
        gemini_wire.parse_reply(answers, request_, "flash", streamed=False, on_text=lambda _: None)
    assert caught.value.message.startswith("flash used up its tokens before it answered")
    assert caught.value.kind == "content_empty"
