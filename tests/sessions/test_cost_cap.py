"""Runs with a limit on costs and a model with a list price: each ends in a report that says so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from research_core.interfaces.cli.progress import ProgressPrinter
from research_core.model_messages import Json
from research_core.models import Report
from research_core.pipeline import report
from research_core.policy import OFFLINE_MODEL, SAMPLE_LIBRARY, Caps, RunSettings
from research_core.sessions import replay, runner, session_start
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.gemini_server import ANY

QUESTION = "What are the most popular first dance songs for weddings in 2025?"
FLASH = "gemini:gemini-3.8-flash"
REPLIES: Json = {
    "strategy": {
        "type": "overview",
        "strategy": "ask",
        "sub_questions": [],
        "queries": ["first dance songs"],
    },
    "query": {"query": "songs for the first dance 2025"},
    "gaps": {"gaps": [], "queries": []},
    "score": {"score": 5, "explanation": "It lists them."},
    "judgements": {"judgements": []},
    "verdicts": {"verdicts": []},
}


def answer(request: Request) -> Response:
    """Answer as Gemini does. A model that may call tools searches once, then has enough."""
    body = json.loads(request.get_data())
    prompt = body["contents"][0]["parts"][0]["text"]
    fields = body["generationConfig"].get("responseJsonSchema", {}).get("properties", {})
    named = [name for name in REPLIES if name in fields]
    ids = re.findall(r"\[(p[0-9a-f]{8})\]", prompt)
    text = json.dumps(REPLIES[named[0]]) if named else "-"
    if ids and not named:
        text = f"## Executive Summary\n\nThe page lists songs for the first dance. [{ids[0]}]"
    part: Json = {"text": text}
    if body.get("tools") and len(body["contents"]) == 1:
        part = {"functionCall": {"name": "search_web", "args": {"query": "first dance songs"}}}
    reply = {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": len(prompt) // 4, "candidatesTokenCount": 90},
    }
    if ":streamGenerateContent" in request.path:
        return Response(f"data: {json.dumps(reply)}\r\n\r\n", content_type="text/event-stream")
    return Response(json.dumps(reply), content_type="application/json")


@pytest.fixture
def resources(httpserver: HTTPServer, tmp_path: Path) -> Iterator[Resources]:
    httpserver.expect_request(ANY).respond_with_handler(answer)
    environment = {
        "ASSAY_HOME": str(tmp_path),
        "ASSAY_SEMANTIC": "0",
        "ASSAY_GEMINI_URL": httpserver.url_for("").rstrip("/"),
        "GEMINI_API_KEY": "key-of-the-test",
    }
    made = Resources(Settings.from_env(environment))
    yield made
    made.close()


@pytest.mark.parametrize(
    ("strategy", "caps", "says", "most"),
    [
        ("planned", Caps(cost=0.0), "The cap of 0 US dollars was reached.", 0.0),
        ("planned", Caps(cost=0.000001), "the cap of 0.000001 US dollars leaves 0.0", 0.0),
        ("planned", Caps(cost=0.002), "dollars, more than the cap of 0.002 US dollars.", 0.003),
        ("planned", Caps(cost=0.012), "report: gemini-3.8-flash", 0.02),
        ("planned", Caps(calls=1), "the cap on calls was reached", 0.01),
        ("planned", Caps(tokens=0), "The cap of 0 tokens was reached.", 0.0),
        ("agentic", Caps(cost=0.0), "The cap of 0 US dollars was reached.", 0.0),
        ("agentic", Caps(cost=0.002), "the cap on cost leaves no model call", 0.003),
    ],
    ids=str,
)
def test_a_run_whose_cap_leaves_few_calls_ends_in_a_report_that_says_so(
    resources: Resources, httpserver: HTTPServer, strategy: str, caps: Caps, says: str, most: float
) -> None:
    run = RunSettings(
        mode="quick",
        library=SAMPLE_LIBRARY,
        model="gemini:gemini-3.8-flash",
        strategy=strategy,
        caps=caps,
    )
    session = session_start.new_session(resources, QUESTION, run)
    done = runner.resume_or_run(resources, session, "test")
    assert done.outcome == "done", done.error
    assert done.report is not None
    assert done.report.decision in ("full_report", "short_report")
    assert done.report.spent["cost"] <= most
    asked = len(httpserver.log)
    again = replay.replay_session(resources, LOCAL_USER, session)
    assert (again.same, again.differences) == (True, ())
    assert says in again.markdown
    assert ("passed the limit" in again.markdown) == (done.report.spent["cost"] > (caps.cost or 1))
    if not most:
        assert asked == 0
        assert done.report.writer["model"] == OFFLINE_MODEL
    assert len(httpserver.log) == asked


@pytest.mark.parametrize(
    ("caps", "left_out"),
    [
        (
            Caps(cost=0.000001),
            "(the cap on cost leaves no model call). 3 pages were judged by words alone.",
        ),
        (Caps(calls=1), "(the cap on calls was reached). 3 pages were judged by words alone."),
        (Caps(tokens=2_000), "(the cap on tokens was reached)."),
    ],
    ids=str,
)
def test_a_cap_that_leaves_no_call_leaves_out_nothing_that_is_free(
    resources: Resources, caps: Caps, left_out: str
) -> None:
    def run(caps: Caps) -> Report:
        settings = RunSettings("quick", library=SAMPLE_LIBRARY, model=FLASH, caps=caps)
        session = session_start.new_session(resources, QUESTION, settings)
        done = runner.resume_or_run(resources, session, "test")
        assert done.report is not None, done.error
        again = replay.replay_session(resources, LOCAL_USER, session)
        assert (again.same, again.differences) == (True, ())
        return done.report

    capped, again, free = run(caps), run(caps), run(Caps())
    assert capped.funnel["fetched"] == free.funnel["fetched"] == 3
    assert capped.stopped == free.stopped == ""
    assert "limit" not in free.spent
    notices = " ".join(report.list_notices(capped))
    assert f"Because of a limit, some model calls were left out {left_out}" in notices
    if not capped.spent.get("models", {}).get("judge_relevance"):
        same = [(one.sources, one.blocks, one.funnel) for one in (capped, again)]
        assert same[0] == same[1]


@pytest.mark.parametrize("strategy", ["planned", "agentic"])
def test_a_cap_that_leaves_out_only_the_checks_is_said(
    resources: Resources, capsys: pytest.CaptureFixture[str], strategy: str
) -> None:
    def run(caps: Caps) -> tuple[str, Report]:
        settings = RunSettings(
            "quick",
            library=SAMPLE_LIBRARY,
            model=FLASH,
            strategy=strategy,
            caps=caps,
        )
        session = session_start.new_session(resources, QUESTION, settings)
        printer = ProgressPrinter("quick", print)
        done = runner.resume_or_run(resources, session, "test", listener=printer)
        assert done.report is not None, done.error
        return session, done.report

    _, free = run(Caps())
    assert "limit" not in free.spent
    capsys.readouterr()
    session, capped = run(Caps(calls=free.spent["model_calls"] - 1))
    limit = {"reached": "the cap on calls was reached", "by_rules": ["checks of sentences"]}
    assert capped.spent["limit"] == report.to_json(capped)["spent"]["limit"] == limit
    assert [one.status for one in capped.sources] == [one.status for one in free.sources]
    assert "Continues without the model: the cap on calls was reached" in capsys.readouterr().out
    says = (
        "Because of a limit, some model calls were left out (the cap on calls was reached)."
        " Not all doubtful sentences were checked by the language model."
    )
    assert says in report.list_notices(capped)
    again = replay.replay_session(resources, LOCAL_USER, session)
    assert (again.same, again.differences) == (True, ())
    head, _, methods = again.markdown.partition("## Methodology")
    assert says in head
    assert "- Not all doubtful sentences were checked by the language model." in methods


def test_where_a_cap_leaves_no_call_for_gaps_the_report_says_so(resources: Resources) -> None:
    settings = RunSettings("deep", library=SAMPLE_LIBRARY, model=FLASH, caps=Caps(tokens=0))
    session = session_start.new_session(resources, QUESTION, settings)
    done = runner.resume_or_run(resources, session, "test")
    assert done.report is not None, done.error
    assert done.report.spent["limit"] == {
        "reached": "the cap on tokens was reached",
        "by_rules": ["gaps", "judgement", "plan", "refined query", "report"],
    }
    again = replay.replay_session(resources, LOCAL_USER, session)
    assert (again.same, again.differences) == (True, ())
    assert "Open points were not searched for any more. " in again.markdown
    assert "Stopped early" not in again.markdown
    log = open_log(resources, LOCAL_USER, session, readonly=True)
    said = [event.data["why"] for event in log.decisions() if event.data["do"] == "reach cap"]
    assert said == ["the cap on tokens was reached"]


def test_where_nothing_is_found_a_cap_leaves_an_explanation_by_rules(
    resources: Resources, httpserver: HTTPServer
) -> None:
    run = RunSettings(
        mode="quick",
        library=SAMPLE_LIBRARY,
        model="gemini",
        caps=Caps(cost=0.0),
        relevance_cutoff=5,
    )
    session = session_start.new_session(resources, "Welche Schrauben halten in Gips?", run)
    done = runner.resume_or_run(resources, session, "test")
    assert done.outcome == "done", done.error
    assert done.report is not None
    assert done.report.decision == "insufficient_data"
    assert "explanation" in done.report.spent["limit"]["by_rules"]
    assert not httpserver.log
    again = replay.replay_session(resources, LOCAL_USER, session)
    assert (again.same, again.differences) == (True, ())


def test_a_rewrite_with_a_higher_limit_pays_for_nothing_twice(
    resources: Resources, httpserver: HTTPServer
) -> None:
    run = RunSettings(mode="quick", library=SAMPLE_LIBRARY, model="gemini", caps=Caps(cost=0.003))
    session = session_start.new_session(resources, QUESTION, run)
    assert runner.resume_or_run(resources, session, "test").outcome == "done"
    bodies = [request.get_data() for request, _ in httpserver.log]
    assert bodies
    higher = RunSettings(mode="quick", library=SAMPLE_LIBRARY, model="gemini", caps=Caps(cost=1.0))
    rewritten = session_start.rewrite(resources, session, higher)
    done = runner.resume_or_run(resources, rewritten, "test")
    assert done.outcome == "done", done.error
    assert done.report is not None
    assert done.report.writer["model"] == "gemini-3.8-flash"
    later = [request.get_data() for request, _ in httpserver.log][len(bodies) :]
    assert not set(later) & set(bodies)
