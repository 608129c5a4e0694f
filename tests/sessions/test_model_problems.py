"""Runs with models that answer badly, run out or take over: what is counted, and what is said."""

from __future__ import annotations

import csv
import io
import json
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from research_core import export
from research_core.export import archive, check
from research_core.interfaces.cli.progress import ProgressPrinter
from research_core.journal.store import find_session
from research_core.model_messages import NO_OTHER_MODEL, Json
from research_core.pipeline import report
from research_core.policy import SAMPLE_LIBRARY, RunSettings
from research_core.sessions import model_requests, replay, runner, session_start, snapshot, timeline
from research_core.sessions.spending import read_tallies
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.model_servers import MODEL, OTHER_MODEL, as_json, delta, events, sent, serve, whole
from tests.sessions.test_openai_run import QUESTION, answer_openai, open_machine

#: A model of this name is not free, though the server is local.
PAID = "mixtral:8x7b-cloud"
Answer = Callable[[Json], Response]


def find_task(body: Json) -> str:
    """Return what a request asks for: judge | write | verify | other."""
    prompt = body["messages"][-1]["content"]
    if "ORIGINAL QUERY" in prompt:
        return "judge"
    if "Executive Summary" in prompt:
        return "write"
    return "verify" if "<passages>" in prompt else "other"


def answer_text(text: str, body: Json, usage: Json | None = None) -> Response:
    if body.get("stream"):
        counts = {"choices": [], "usage": usage} if usage else {"choices": []}
        return events(delta(text), delta(finish="stop"), counts)
    return as_json(whole(text, usage=usage))


def run_to_end(
    httpserver: HTTPServer, home: Path, answer: Answer, *, models: str = MODEL, **more: object
) -> tuple[Resources, str]:
    """Run a session to its end with these models. more: further settings of the run."""
    serve(httpserver, answer, models=models.split(","))
    resources = open_machine(httpserver, home, models=models, ASSAY_OPENAI_CALLS="1")
    name = f"openai:{models.partition(',')[0]}"
    fields: dict[str, Any] = {"mode": "quick", "library": SAMPLE_LIBRARY, "model": name, **more}
    run = RunSettings(**fields)
    session = session_start.new_session(resources, QUESTION, run)
    done = runner.resume_or_run(resources, session, "test")
    assert done.outcome == "done", done.error
    again = replay.replay_session(resources, LOCAL_USER, session)
    assert (again.same, again.differences) == (True, ())
    return resources, session


def read_pack(resources: Resources, session: str) -> tuple[dict[str, bytes], list[dict[str, str]]]:
    """Return the files of an evidence pack whose requests hold, and the rows of prompts.csv."""
    built = report.build(snapshot.read_session(resources, session).run)
    read_text = partial(snapshot.read_page_text, resources)
    packed = export.build_file(
        export.FORMATS["zip"],
        built,
        read_text,
        lambda: model_requests.list_requests(resources, session),
    )
    files = archive.unpack(packed)
    assert check.run_check(check.check_requests, files) == []
    rows = csv.DictReader(io.StringIO(files["prompts.csv"].decode("utf-8-sig")))
    return files, list(rows)


@pytest.mark.parametrize("text", ["", "Dabei kann ich nicht helfen.", "書けません。"])
def test_a_request_that_no_model_is_left_for_is_no_call(
    httpserver: HTTPServer, tmp_path: Path, text: str
) -> None:
    def answer(body: Json) -> Response:
        return answer_text(text, body) if find_task(body) == "write" else answer_openai(body)

    resources, session = run_to_end(httpserver, tmp_path, answer)
    files, rows = read_pack(resources, session)
    assert NO_OTHER_MODEL not in files["prompts.json"].decode()
    assert all(row["request"] == "as sent" for row in rows)
    spent = report.build(snapshot.read_session(resources, session).run).spent
    assert (
        len(rows) == spent["model_calls"] == read_tallies(resources, [session])[session].model_calls
    )
    assert len(sent(httpserver)) == spent.get("requests", spent["model_calls"])
    resources.close()


#: What a paid model answers that cannot be used, by task.
UNUSABLE = {
    "nothing written": ("write", ""),
    "refused": ("write", "No puedo ayudar con eso."),
    "broken plan": ("other", '{"queries": ["canzoni'),
    "no plan": ("other", ""),
    "no score": ("judge", '{"score": '),
}


@pytest.mark.parametrize("case", UNUSABLE)
def test_the_pack_shows_what_unusable_answers_cost_as_the_report_does(
    httpserver: HTTPServer, tmp_path: Path, case: str
) -> None:
    task, text = UNUSABLE[case]
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "cost": 0.25}

    def answer(body: Json) -> Response:
        if find_task(body) == task:
            return answer_text(text, body, usage)
        content = json.loads(answer_openai({**body, "stream": False}).get_data())
        return answer_text(content["choices"][0]["message"]["content"], body, usage)

    resources, session = run_to_end(httpserver, tmp_path, answer, models=PAID)
    _, rows = read_pack(resources, session)
    spent = report.build(snapshot.read_session(resources, session).run).spent
    assert sum(float(row["US dollars"]) for row in rows) == spent["cost"] > 0
    tokens = sum(int(row["tokens in"]) + int(row["tokens out"]) for row in rows)
    assert tokens == spent["tokens"]
    assert spent["cost"] == 0.25 * len(sent(httpserver))
    resources.close()


#: What a model answers that cannot be used: the task, the text and the reason it finished.
ASKED_AGAIN = {
    "nothing written": ("write", "", "stop"),
    "refused": ("write", "Mi dispiace, non posso aiutarti.", "stop"),
    "filtered": ("write", "", "content_filter"),
    "thoughts only": ("write", "<think>Je réfléchis encore.</think>", "stop"),
    "no passage cited": ("write", "## Executive Summary\n\n这些歌很受欢迎。", "stop"),
    "invented passage": ("write", "## Executive Summary\n\nLieder. [p00000000]", "stop"),
    "no plan": ("other", "Gern! Hier ist mein Plan.", "stop"),
    "no score": ("judge", "スコアは4です。", "stop"),
    "no verdict": ("verify", "Sim, está tudo certo.", "stop"),
}


@pytest.mark.parametrize("case", ASKED_AGAIN)
def test_a_rewrite_asks_again_what_a_model_answered_in_vain_and_nothing_else(
    httpserver: HTTPServer, tmp_path: Path, case: str
) -> None:
    task, text, finish = ASKED_AGAIN[case]
    is_mended = threading.Event()

    def answer(body: Json) -> Response:
        if is_mended.is_set() or find_task(body) != task:
            return answer_openai(body)
        if body.get("stream"):
            return events(delta(text), delta(finish=finish))
        return as_json(whole(text, finish=finish))

    resources, session = run_to_end(httpserver, tmp_path, answer)
    asked_first = sent(httpserver)
    answered = [body for body in asked_first if find_task(body) != task]
    assert len(answered) < len(asked_first)
    assert runner.resume_or_run(resources, session, "test").outcome == "done"
    assert len(sent(httpserver)) == len(asked_first)  # the session itself pays for nothing twice

    run = RunSettings.from_json(find_session(resources.db, LOCAL_USER, session).settings)
    sessions = [session]
    asked_again = []
    for mends in (False, True, True):
        if mends:
            is_mended.set()
        before = len(sent(httpserver))
        sessions.append(session_start.rewrite(resources, sessions[-1], run))
        assert runner.resume_or_run(resources, sessions[-1], "test").outcome == "done"
        later = sent(httpserver)[before:]
        assert not [body for body in later if body in answered]
        asked_again.append(sum(find_task(body) == task for body in later))
    assert asked_again[0] > 0
    assert asked_again[1] > 0
    assert asked_again[2] == 0
    for each in sessions:
        again = replay.replay_session(resources, LOCAL_USER, each)
        assert (again.same, again.differences) == (True, ())
    resources.close()


#: What each of two models answers to the writer's requests; an int is a status.
OVERLOADED: dict[str, tuple[int | str, int | str]] = {
    "both overloaded": (503, 503),
    "limited and overloaded": (429, 503),
    "the second has nothing to say": (503, "Ich kann dabei nicht helfen."),
}


@pytest.mark.parametrize("case", OVERLOADED)
def test_each_model_of_a_chain_is_asked_as_often_as_one_alone_at_most(
    httpserver: HTTPServer, tmp_path: Path, case: str
) -> None:
    answers = dict(zip([MODEL, OTHER_MODEL], OVERLOADED[case], strict=True))

    def answer(body: Json) -> Response:
        if find_task(body) != "write":
            return answer_openai(body)
        given = answers[body["model"]]
        if isinstance(given, str):
            return answer_text(given, body)
        return as_json({"error": {"message": "Overloaded"}}, given)

    resources, session = run_to_end(httpserver, tmp_path, answer, models=f"{MODEL},{OTHER_MODEL}")
    asked = Counter(body["model"] for body in sent(httpserver) if find_task(body) == "write")
    expected = dict.fromkeys(answers, 7 if answers[OTHER_MODEL] == 503 else 2)
    assert asked == expected
    markdown = replay.replay_session(resources, LOCAL_USER, session).markdown
    (line,) = [row for row in markdown.splitlines() if row.startswith("- Problems while writing")]
    failed = [model for model, given in answers.items() if isinstance(given, int)]
    for model in failed:
        assert f"{model} answered {answers[model]}: Overloaded" in markdown
    assert line.count("7 requests were made") == (2 if len(failed) == 2 else 0)
    assert "14 requests" not in markdown
    spent = report.build(snapshot.read_session(resources, session).run).spent
    named = " ".join(spent["failures"]["write"])
    assert len(spent["failures"]["write"]) == 2
    assert named.count("7 requests were made.") == (2 if len(failed) == 2 else 0)
    resources.close()


#: What the first of two models answers to the writer's requests, and why the second takes over.
REPLACED_WRITERS: dict[str, tuple[int | str, str]] = {
    "refuses in words": (
        "Lo siento, no puedo.",
        f"{MODEL} refused to answer (Lo siento, no puedo). Ask in other words, or choose another",
    ),
    "writes about something else": (
        "The songs are loved.",
        f"{MODEL} wrote a text that cites no passage.",
    ),
    "writes nothing": ("", f"{MODEL} answered nothing."),
    "is overloaded": (503, f"{MODEL} answered 503: Überlastet."),
    "is filtered": (400, f"{MODEL} answered 400: content_filter"),
}


@pytest.mark.parametrize("case", REPLACED_WRITERS)
def test_the_terminal_says_in_one_line_that_another_model_takes_over_as_writer(
    httpserver: HTTPServer, tmp_path: Path, case: str
) -> None:
    given, why = REPLACED_WRITERS[case]
    message = "content_filter" if given == 400 else "Überlastet"

    def answer(body: Json) -> Response:
        if find_task(body) != "write" or body["model"] != MODEL:
            response = answer_openai(body)
            response.set_data(response.get_data(as_text=True).replace(MODEL, body["model"]))
            return response
        if isinstance(given, str):
            return answer_text(given, body)
        return as_json({"error": {"message": message}}, given)

    resources, session = run_to_end(httpserver, tmp_path, answer, models=f"{MODEL},{OTHER_MODEL}")
    lines: list[str] = []
    printer = ProgressPrinter("quick", lines.append)
    for event in open_log(resources, LOCAL_USER, session, readonly=True).read():
        printer(event)
    (line,) = [each for each in lines if "takes over" in each]
    assert line.startswith(f"  ⚠ Another model takes over ({OTHER_MODEL}): {why}")
    resources.close()


def test_the_terminal_and_live_say_that_quotations_take_over_from_the_model_and_why(
    httpserver: HTTPServer, tmp_path: Path
) -> None:
    def answer(body: Json) -> Response:
        if find_task(body) == "write":
            return answer_text("Je ne peux pas vous aider.", body)
        return answer_openai(body)

    resources, session = run_to_end(httpserver, tmp_path, answer)
    said = "Quoted sentences stand in for this report, which the language model could not write."
    lines: list[str] = []
    printer = ProgressPrinter("quick", lines.append)
    for event in open_log(resources, LOCAL_USER, session, readonly=True).read():
        printer(event)
    why = (
        f"{MODEL} refused to answer (Je ne peux pas vous aider)."
        " Ask in other words, or choose another model."
    )
    assert [each for each in lines if "⚠" in each] == [f"  ⚠ {said} {why}"]
    news = timeline.list_news(snapshot.read_session(resources, session), ("write",))
    assert f"{said} {why}" in [each.text for each in news]
    resources.close()


#: The task whose requests are limited, how the provider words the wait, and what is said of it.
LONG_WAITS: dict[str, tuple[str, dict[str, str], str, str]] = {
    "writer, by header": ("write", {"Retry-After": "300"}, "Too many requests", "300"),
    "judge, by header": ("judge", {"Retry-After": "86400"}, "Zu viele Anfragen", "86,400"),
    "planner, in words": ("other", {}, "Please try again in 2m5s.", "125"),
    "writer, in words": ("write", {}, "Rate limit reached. Retry after 2 hours", "7,200"),
}


@pytest.mark.parametrize("case", LONG_WAITS)
def test_a_wait_that_is_longer_than_a_step_may_wait_is_said_where_the_failure_is(
    httpserver: HTTPServer, tmp_path: Path, case: str
) -> None:
    task, headers, words, seconds = LONG_WAITS[case]

    def answer(body: Json) -> Response:
        if find_task(body) == task:
            return as_json({"error": {"message": words}}, 429, **headers)
        return answer_openai(body)

    resources, session = run_to_end(httpserver, tmp_path, answer)
    said = f"The provider asked to wait {seconds} s, longer than this step may wait."
    failures = {
        request.failed
        for request in model_requests.list_requests(resources, session).made
        if request.failed
    }
    assert failures
    assert all(failure.endswith(said) for failure in failures)
    markdown = replay.replay_session(resources, LOCAL_USER, session).markdown
    (line,) = [
        row
        for row in markdown.splitlines()
        if row.startswith(("- Models that failed", "- Problems while"))
    ]
    assert said.removesuffix(".") in line
    resources.close()


@pytest.mark.parametrize("models", [MODEL, f"{MODEL},{OTHER_MODEL}"])
def test_a_server_that_answers_500_to_everything_is_not_waited_for_at_each_task(
    httpserver: HTTPServer, tmp_path: Path, models: str
) -> None:
    def answer(_body: Json) -> Response:
        return as_json({"error": {"message": "Innerer Fehler"}}, 500)

    resources, session = run_to_end(httpserver, tmp_path, answer, models=models)
    asked = Counter(body["model"] for body in sent(httpserver))
    tasks = {body["messages"][-1]["content"] for body in sent(httpserver)}
    assert set(asked) == set(models.split(","))
    assert max(asked.values()) <= 3 + len(tasks)
    markdown = replay.replay_session(resources, LOCAL_USER, session).markdown
    assert "answered 500: Innerer Fehler" in markdown
    assert "takes no requests" not in markdown
    resources.close()
