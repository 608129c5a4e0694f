"""What counts as the JSON that was asked for, whichever client asks, and what is asked again."""

from __future__ import annotations

import json

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from research_core.errors import ModelError, error_from_json, error_to_json
from research_core.llm.gemini import GeminiModel
from research_core.llm.json_replies import REPAIR_NOTE, extract_json
from research_core.model_messages import ModelRequest, Usage
from research_core.pipeline.relevance import SCORING_SCHEMA
from tests.gemini_server import FIRST, SECOND, replay, sent, settings

JUDGE = ModelRequest("judge_relevance", "You judge.", "Is it about tides?", {}, SCORING_SCHEMA)
GOOD = '{"score": 4, "explanation": "It lists the tides."}'

FAULTS = {
    "Well, I think this is about a four …": "it holds no JSON object",
    '{"score": 4': "it holds no JSON object",
    "{score: 4, explanation: good}": "it is no JSON",
    '{"score": 4}': "it lacks explanation",
    '{"score": 999, "explanation": "x"}': "its score is not a whole number from 1 to 5",
    '{"score": 0, "explanation": "x"}': "its score is not a whole number from 1 to 5",
    '{"score": NaN, "explanation": "x"}': "its score is not a whole number from 1 to 5",
    '{"score": "five", "explanation": "x"}': "its score is not a whole number from 1 to 5",
    '{"score": null, "explanation": "x"}': "its score is not a whole number from 1 to 5",
    '{"score": true, "explanation": "x"}': "its score is not a whole number from 1 to 5",
    '{"score": 3.5, "explanation": "x"}': "its score is not a whole number from 1 to 5",
    '{"score": [4], "explanation": "x"}': "its score is not a whole number from 1 to 5",
    '{"a":' * 5_000 + "1" + "}" * 5_000: "it is nested too deeply",
}


@pytest.mark.parametrize(("text", "fault"), FAULTS.items(), ids=[text[:40] for text in FAULTS])
def test_a_reply_without_the_json_that_was_asked_for_says_what_is_wrong(
    text: str, fault: str
) -> None:
    assert extract_json(text, SCORING_SCHEMA) == ("", fault)


@pytest.mark.parametrize("score", ["4", "4.0", '"4"', '"4/5"', '" 4 "'])
def test_a_whole_number_counts_in_each_form_that_models_write(score: str) -> None:
    bare = f'{{"score": {score}, "explanation": "x"}}'
    assert extract_json(f"```json\n{bare}\n```", SCORING_SCHEMA) == (bare, "")


@pytest.mark.parametrize(
    "text",
    [
        'Maybe {"score": 1, "explanation": "draft"}</think>' + GOOD,
        "I use the form {score, explanation}: " + GOOD,
        "Es gilt {1, 2}. " + GOOD + " {Ende}",
        GOOD + "\n\nNote: {} is not used.",
        "{" * 20 + GOOD,
        r"By \frac{a}{b} = {x}: " * 500 + GOOD,
        '{"a": {"b": {}}} ' * 200 + GOOD,
        "f() {} " * 150 + '{"answer": ' + GOOD + "}",
        '{"answer": ' + GOOD + "}",
        GOOD.replace("}", ', "parts": [' + ", ".join(['{"n": {}}'] * 600) + "]}{x}") + GOOD,
    ],
)
def test_the_last_json_among_other_braces_counts(text: str) -> None:
    bare, fault = extract_json(text, SCORING_SCHEMA)
    assert (json.loads(bare), fault) == (json.loads(GOOD), "")


def answer(text: str) -> Response:
    body = {
        "candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5},
    }
    return Response(json.dumps(body), content_type="application/json")


def test_gemini_is_asked_once_more_for_json(httpserver: HTTPServer) -> None:
    replay(httpserver, answer("Well, about a four."), answer(f"```json\n{GOOD}\n```"))
    reply = GeminiModel(settings(httpserver, FIRST, SECOND)).run(JUDGE)
    assert (reply.text, reply.model, reply.notes) == (GOOD, FIRST, (REPAIR_NOTE,))
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.requests) == (20, 10, 2)
    again = sent(httpserver)[1][1]["contents"][0]["parts"][0]["text"]
    assert "It cannot be used: it holds no JSON object." in again


@pytest.mark.parametrize("text", ["A four.", '{"score": 999, "explanation": "x"}'])
def test_gemini_that_gives_none_twice_has_failed(httpserver: HTTPServer, text: str) -> None:
    replay(httpserver, answer(text), answer(text))
    with pytest.raises(
        ModelError, match=f"{FIRST} was asked twice for JSON and gave none"
    ) as caught:
        GeminiModel(settings(httpserver, FIRST, SECOND)).run(JUDGE)
    assert caught.value.kind == "bad_reply"
    assert Usage(**caught.value.usage).input_tokens == 20
    assert error_from_json(error_to_json(caught.value)).requests == 2  # type: ignore[attr-defined]
    assert len(sent(httpserver)) == 2


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"verdict": "not found", "note": "Unfortunately, I can\'t answer this', "bad_reply"),
        ('{"score": 9, "explanation": "Ich kann das nicht beantworten."}', "bad_reply"),
        ('```json\n{"explanation": "Lo siento, no puedo ayudar"', "bad_reply"),
        ("I'm sorry, but I can't answer this.", "blocked"),
        ("抱歉，我无法回答这个问题。", "blocked"),
    ],
)
def test_only_words_outside_of_json_refuse(httpserver: HTTPServer, text: str, kind: str) -> None:
    replay(httpserver, answer(text), answer(text))
    with pytest.raises(ModelError) as caught:
        GeminiModel(settings(httpserver, FIRST)).run(JUDGE)
    assert caught.value.kind == kind
