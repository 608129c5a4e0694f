"""A whole run with the model of an OpenAI-compatible server, and its replay, which asks nobody."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from research_core.errors import ModelRefused
from research_core.model_messages import Json
from research_core.pipeline import report
from research_core.policy import SAMPLE_LIBRARY, Caps, RunSettings
from research_core.sessions import (
    model_requests,
    replay,
    run_defaults,
    runner,
    session_start,
    snapshot,
)
from research_core.sessions.spending import read_tallies
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.model_servers import (
    MODEL,
    as_json,
    delta,
    events,
    ollama_lines,
    ollama_piece,
    ollama_whole,
    sent,
    serve,
    serve_ollama,
    whole,
)

QUESTION = "What are the most popular first dance songs for weddings in 2025?"


def write_text(prompt: str) -> str:
    """What a small model answers: JSON in a fence, thoughts first, a judgement in the schema."""
    if "ORIGINAL QUERY" in prompt:
        return "```json\n" + json.dumps({"score": 5, "explanation": "It lists them."}) + "\n```"
    if "Executive Summary" in prompt:
        ids = re.findall(r"^\[(p[0-9a-f]{8})\]$", prompt, re.MULTILINE)
        return f"## Executive Summary\n\nThe page lists songs for the first dance. [{ids[0]}]\n"
    plan = {
        "type": "overview",
        "strategy": "ask",
        "sub_questions": [],
        "queries": ["first dance songs"],
        "query": "first dance songs",
        "gaps": [],
        "verdicts": [],
    }
    return f"<think>A plan.</think>{json.dumps(plan)}"


def answer_openai(body: Json) -> Response:
    text = write_text(body["messages"][-1]["content"])
    if body.get("stream"):
        return events(*(delta(piece) for piece in re.split(r"(?<= )", text)), delta(finish="stop"))
    return as_json(whole(text))


def answer_ollama(body: Json) -> Response:
    counts = {"prompt_eval_count": len(json.dumps(body["messages"])) // 4}
    text = write_text(body["messages"][-1]["content"])
    if body["stream"]:
        return ollama_lines(
            *map(ollama_piece, re.split(r"(?<= )", text)), ollama_whole("", **counts)
        )
    return as_json(ollama_whole(text, **counts))


def open_machine(
    httpserver: HTTPServer, home: Path, *, models: str = MODEL, **more: str
) -> Resources:
    """Open a machine whose models are those of the server. more: further settings."""
    environment = {
        "ASSAY_HOME": str(home),
        "ASSAY_SEMANTIC": "0",
        "ASSAY_OPENAI_BASE_URL": httpserver.url_for("/v1"),
        "ASSAY_OPENAI_MODELS": models,
    }
    return Resources(Settings.from_env({**environment, **more}))


@pytest.fixture(params=["openai", "ollama"])
def resources(
    request: pytest.FixtureRequest, httpserver: HTTPServer, tmp_path: Path
) -> Iterator[Resources]:
    if request.param == "ollama":
        serve_ollama(httpserver, answer_ollama)
    else:
        serve(httpserver, answer_openai)
    made = open_machine(httpserver, tmp_path, ASSAY_MODEL="openai")
    yield made
    made.close()


def test_a_run_is_planned_judged_and_written_by_the_server_and_replays_without_it(
    resources: Resources, httpserver: HTTPServer
) -> None:
    run = RunSettings(mode="quick", library=SAMPLE_LIBRARY, model=f"openai:{MODEL}")
    session = session_start.new_session(resources, QUESTION, run)
    assert runner.resume_or_run(resources, session, "test").outcome == "done"
    calls = [
        event.data
        for event in open_log(resources, LOCAL_USER, session, readonly=True).calls()
        if event.data["kind"] == "model"
    ]
    assert calls
    assert all(call["about"]["what"].endswith(f"(openai:{MODEL})") for call in calls)
    assert [call["error"] for call in calls if "value" not in call] == []
    asked = len(sent(httpserver))
    assert asked >= len(calls)
    listed = model_requests.list_requests(resources, session).made
    assert all(request.params for request in listed)
    (written,) = [request for request in listed if request.kind == "write"]
    counted = any(request.path == "/api/chat" for request, _ in httpserver.log)
    assert (written.estimated, bool(written.notes)) == (not counted, not counted)
    again = replay.replay_session(resources, LOCAL_USER, session)
    assert (again.same, again.differences) == (True, ())
    assert "The page lists songs for the first dance." in again.markdown
    # The fake OpenAI does not count the tokens of streams, the fake Ollama does.
    estimated = " tokens (estimated), $0.0000" in again.markdown
    assert estimated == all(r.path != "/api/chat" for r, _ in httpserver.log)
    tally = read_tallies(resources, [session])[session]
    assert (tally.cost, tally.free, tally.estimated) == (0.0, True, estimated)


@pytest.mark.parametrize(("share", "cut"), [(4, False), (16, True)])
def test_a_report_says_that_the_server_cut_what_its_writer_was_shown(
    httpserver: HTTPServer, tmp_path: Path, share: int, cut: bool
) -> None:
    """The server counts a token for so many characters of a prompt."""

    def answer(body: Json) -> Response:
        text = write_text(body["messages"][-1]["content"])
        counts = {"prompt_eval_count": len(json.dumps(body["messages"])) // share}
        if body["stream"]:
            return ollama_lines(ollama_piece(text), ollama_whole("", **counts))
        return as_json(ollama_whole(text, **counts))

    serve_ollama(httpserver, answer)
    resources = open_machine(httpserver, tmp_path)
    run = RunSettings(mode="quick", library=SAMPLE_LIBRARY, model=f"openai:{MODEL}")
    session = session_start.new_session(resources, QUESTION, run)
    assert runner.resume_or_run(resources, session, "test").outcome == "done"
    again = replay.replay_session(resources, LOCAL_USER, session)
    assert (again.same, again.differences) == (True, ())
    assert ("the rest was probably cut off" in again.markdown) == cut
    assert ("it read only a part of them" in again.markdown) == cut
    resources.close()


ADDRESS_STEP = "Check ASSAY_OPENAI_BASE_URL (it mostly ends in /v1) and ASSAY_OPENAI_MODELS."


@pytest.mark.parametrize(
    ("settings", "step"),
    [
        ({}, ADDRESS_STEP),
        ({"ASSAY_OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, "For Ollama: `ollama serve`."),
        ({"ASSAY_OLLAMA_CONTEXT": "1024"}, "Raise ASSAY_OLLAMA_CONTEXT (the model and the memory"),
    ],
    ids=["another program", "refused", "small context"],
)
def test_a_report_says_what_to_do_about_a_server_that_cannot_answer(
    httpserver: HTTPServer, tmp_path: Path, settings: dict[str, str], step: str
) -> None:
    if "ASSAY_OLLAMA_CONTEXT" in settings:
        serve_ollama(httpserver, answer_ollama)
    else:
        serve(httpserver, lambda _body: Response("<html>Not found</html>", 404))
    resources = open_machine(httpserver, tmp_path, **settings)
    run = RunSettings(
        mode="quick", library=SAMPLE_LIBRARY, model=f"openai:{MODEL}", caps=Caps(calls=40)
    )
    session = session_start.new_session(resources, QUESTION, run)
    done = runner.resume_or_run(resources, session, "test")
    assert done.report is not None, done.error
    (notice,) = [text for text in report.list_notices(done.report) if "stand in for" in text]
    assert step in notice
    assert "Then run `assay rewrite" in notice
    assert "higher limits" not in notice
    assert step in report.list_remedies(done.report)[0]
    assert step not in report.describe_missing_judge(done.report)
    again = replay.replay_session(resources, LOCAL_USER, session)
    assert (again.same, again.differences) == (True, ())
    assert notice in again.markdown
    resources.close()


@pytest.mark.parametrize(
    "roles",
    [
        {"judge": "openai:another"},
        {"judge": "offline"},
        {"writer": "openai:another"},
        {"writer": "openai:another", "judge": "openai:third"},
        {"model": "offline", "judge": f"openai:{MODEL}"},
    ],
    ids=" and ".join,
)
def test_requests_to_the_model_of_each_role_are_listed_in_full(
    httpserver: HTTPServer, tmp_path: Path, roles: dict[str, str]
) -> None:
    serve(httpserver, answer_openai, models=[MODEL, "another", "third"])
    environment = {
        "ASSAY_HOME": str(tmp_path),
        "ASSAY_SEMANTIC": "0",
        "ASSAY_OPENAI_BASE_URL": httpserver.url_for("/v1"),
        "ASSAY_OPENAI_MODELS": MODEL,
        "ASSAY_MODEL": "openai",
    }
    resources = Resources(Settings.from_env(environment))
    names = {"model": f"openai:{MODEL}", **roles}
    run = RunSettings(mode="quick", library=SAMPLE_LIBRARY, **names)
    session = session_start.new_session(resources, QUESTION, run)
    assert runner.resume_or_run(resources, session, "test").outcome == "done"
    listed = model_requests.list_requests(resources, session).made
    judged = {request.model for request in listed if request.kind == "judge_relevance"}
    assert judged == {names.get("judge", names["model"])}
    assert [request.kind for request in listed if not request.params] == []
    resources.close()


#: What the server answers to a model of a list, the models of the run, and what the report says.
FAILING_JUDGES = [
    (
        404,
        f"openai:{MODEL}",
        "openai:gone",
        "gone answered 404: no such model: gone (relevance).",
    ),
    (
        404,
        "openai:gone",
        "",
        "gone answered 404: no such model: gone (plan).",
    ),
]


@pytest.mark.parametrize(
    ("status", "strategy", "answers"),
    [
        (402, "planned", 1),
        pytest.param(402, "agentic", 1, marks=pytest.mark.full),
        pytest.param(401, "planned", 2, marks=pytest.mark.full),
        pytest.param(402, "planned", 0, marks=pytest.mark.full),
    ],
)
def test_pages_that_words_judged_after_a_refusal_in_the_middle_are_counted_with_the_reason(
    httpserver: HTTPServer, tmp_path: Path, status: int, strategy: str, answers: int
) -> None:
    judged: list[Json] = []

    def answer(body: Json) -> Response:
        if "ORIGINAL QUERY" in body["messages"][-1]["content"] or len(judged) > answers:
            judged.append(body)
            if len(judged) > answers:
                return as_json({"error": {"message": "the balance is used up"}}, status)
        return answer_openai(body)

    serve(httpserver, answer)
    resources = open_machine(httpserver, tmp_path, ASSAY_MODEL="openai", ASSAY_OPENAI_CALLS="1")
    run = RunSettings(
        mode="quick", library=SAMPLE_LIBRARY, model=f"openai:{MODEL}", strategy=strategy
    )
    session = session_start.new_session(resources, QUESTION, run)
    done = runner.resume_or_run(resources, session, "test")
    assert done.report is not None, done.error
    by_words = done.report.funnel["judged"] - answers
    notices = report.list_notices(done.report)
    (notice,) = [text for text in notices if "judged by words alone" in text]
    assert notice.startswith(f"{by_words} page")
    assert " ".join(notices).count(f"answered {status}") == 1
    again = replay.replay_session(resources, LOCAL_USER, session)
    assert (again.same, again.differences) == (True, ())
    assert notice in again.markdown


@pytest.mark.parametrize(("status", "model", "judge", "said"), FAILING_JUDGES)
def test_a_report_says_which_model_failed_at_which_task_and_who_judged_instead(
    httpserver: HTTPServer,
    tmp_path: Path,
    status: int,
    model: str,
    judge: str,
    said: str,
) -> None:
    def answer(body: Json) -> Response:
        if body["model"] == "gone":
            return as_json({"error": {"message": "no such model: gone"}}, status)
        return answer_openai(body)

    serve(httpserver, answer)
    resources = open_machine(httpserver, tmp_path, models=f"gone,{MODEL}", ASSAY_OPENAI_CALLS="1")
    run = RunSettings(mode="quick", library=SAMPLE_LIBRARY, model=model, judge=judge)
    session = session_start.new_session(resources, QUESTION, run)
    assert runner.resume_or_run(resources, session, "test").outcome == "done"
    again = replay.replay_session(resources, LOCAL_USER, session)
    assert (again.same, again.differences) == (True, ())
    (line,) = [row for row in again.markdown.splitlines() if row.startswith("- Models that failed")]
    assert said in line
    assert "judged by words alone." not in again.markdown
    passed_over = [
        request.answered
        for request in model_requests.list_requests(resources, session).made
        if any("gone answered 404" in note for note in request.notes)
    ]
    assert set(passed_over) == {MODEL}
    # The model that is missing is asked once, and the terminal and Live say who took over.
    assert [body["model"] for body in sent(httpserver)].count("gone") == 1
    log = open_log(resources, LOCAL_USER, session, readonly=True)
    (replaced,) = [event.data for event in log.read(kinds=("replaced",))]
    assert (replaced["model"], replaced["by"]) == ("openai:gone", MODEL)
    assert replaced["why"].startswith("gone answered 404: no such model: gone")
    spent = report.build(snapshot.read_session(resources, session).run).spent
    assert spent["requests"] == spent["model_calls"] + 1
    assert f"{spent['model_calls']} model calls ({spent['requests']} requests), " in again.markdown
    resources.close()


def test_a_model_that_the_list_does_not_name_is_replaced_only_once_the_run_has_ended(
    httpserver: HTTPServer, tmp_path: Path
) -> None:
    """Whoever corrected the list, and goes on, is not stopped a second time."""

    def answer(body: Json) -> Response:
        if body["model"] == "gone":
            return as_json({"error": {"message": "no such model: gone"}}, 404)
        return answer_openai(body)

    serve(httpserver, answer)
    resources = open_machine(httpserver, tmp_path, ASSAY_OPENAI_CALLS="1")
    run = RunSettings(mode="quick", library=SAMPLE_LIBRARY, model="openai:gone")
    session = session_start.new_session(resources, QUESTION, run)
    ended = runner.resume_or_run(resources, session, "test")
    assert isinstance(ended.error, ModelRefused)
    # Requests that waited for their turn are not sent once the first one was refused.
    assert [body["model"] for body in sent(httpserver)] == ["gone"]
    assert runner.resume_or_run(resources, session, "test").outcome == "done"
    asked = [body["model"] for body in sent(httpserver)]
    assert "gone" not in asked[asked.index(MODEL) :]
    resources.close()


UNUSABLE_TEXTS = {
    "refused": "I'm sorry, but I can't help with that.",
    "without citations": "## Executive Summary\n\nThe songs are many, and all are loved.",
    "invented passages": "## Executive Summary\n\nThe songs are many. [p00000000]",
    "nothing": "",
}


@pytest.mark.parametrize("kind", UNUSABLE_TEXTS)
def test_a_writer_whose_text_cannot_be_used_counts_as_failed_and_not_as_having_answered(
    httpserver: HTTPServer, tmp_path: Path, kind: str
) -> None:
    def answer(body: Json) -> Response:
        if body["model"] != "poor":
            return answer_openai(body)
        text = UNUSABLE_TEXTS[kind]
        if body.get("stream"):
            return events(delta(text), delta(finish="stop"))
        return as_json(whole(text))

    serve(httpserver, answer)
    resources = open_machine(httpserver, tmp_path)
    run = RunSettings(
        "quick", library=SAMPLE_LIBRARY, model=f"openai:{MODEL}", writer="openai:poor"
    )
    session = session_start.new_session(resources, QUESTION, run)
    assert runner.resume_or_run(resources, session, "test").outcome == "done"
    again = replay.replay_session(resources, LOCAL_USER, session)
    assert (again.same, again.differences) == (True, ())
    spent = report.build(snapshot.read_session(resources, session).run).spent
    assert spent["models"]["write"] == {MODEL: 1}
    assert sum(spent["failures"]["write"].values()) == 2
    assert again.markdown.count("Problems while writing: ") == 1
    assert "Models that failed" not in again.markdown  # it is said once, of the writer
    resources.close()


#: What a provider answers to a model that it refuses, and what the run says of it.
REFUSALS = {
    "bad key": (
        401,
        "Incorrect API key provided.",
        "Set ASSAY_OPENAI_API_KEY, or choose another model.",
    ),
    "forbidden": (
        403,
        "Dieses Modell ist für Ihr Konto gesperrt.",
        "Set ASSAY_OPENAI_API_KEY, or choose another model.",
    ),
    "location": (
        403,
        "unsupported_country_region_territory",
        "does not serve the place you are in",
    ),
    "no credit": (402, "Insufficient Balance", "Add credit at the provider"),
    "no such model": (404, "模型不存在", f"Models at this address: {MODEL}."),
}
#: The role whose model is refused, the names that the run has, and what names the role.
ROLES = {
    "model": ({"model": "openai:gone"}, "gone answered "),
    "judge": ({"model": f"openai:{MODEL}", "judge": "openai:gone"}, "The judge is refused: gone answered "),
    "writer": ({"model": f"openai:{MODEL}", "writer": "openai:gone"}, "The writer is refused: gone answered "),
}  # fmt: skip


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_refused_model_of_any_role_ends_the_run_and_another_goes_on(
    httpserver: HTTPServer, tmp_path: Path, role: str, refusal: str
) -> None:
    status, message, next_step = REFUSALS[refusal]
    others_answered = threading.Event()

    def answer(body: Json) -> Response:
        if body["model"] == "gone":
            if role != "model":  # a key that has answered before is refused for one model only
                others_answered.wait(10)
                time.sleep(1.0)  # until the run has read that answer
            return as_json({"error": {"message": message}}, status)
        others_answered.set()
        return answer_openai(body)

    serve(httpserver, answer, models=[MODEL])
    # Of a model that is missing, another one of the list could have taken the place.
    listed = f"{MODEL},another" if status == 404 else "gone"
    resources = open_machine(httpserver, tmp_path, models=listed)
    names, said = ROLES[role]
    run = RunSettings(mode="quick", library=SAMPLE_LIBRARY, **names)
    session = session_start.new_session(resources, QUESTION, run)
    ended = runner.resume_or_run(resources, session, "test")
    assert ended.outcome == "failed"
    assert isinstance(ended.error, ModelRefused)
    assert ended.error.role == role
    assert ended.error.message.startswith(f"{said}{status}: {message}")
    assert next_step in ended.error.next_step
    shown = snapshot.read_session(resources, session)
    assert shown.failed_role == role

    changed = run_defaults.change_models(run, resources.settings, **{role: f"openai:{MODEL}"})
    asked = read_asked(httpserver, MODEL)
    other = session_start.rewrite(resources, session, changed)
    assert runner.resume_or_run(resources, other, "test").outcome == "done"
    again = replay.replay_session(resources, LOCAL_USER, other)
    assert (again.same, again.differences) == (True, ())
    assert "The page lists songs for the first dance." in again.markdown
    # What was answered before is not asked again.
    later = read_asked(httpserver, MODEL)[len(asked) :]
    assert [prompt for prompt in later if prompt in asked] == []
    resources.close()


def test_an_account_that_runs_out_in_the_middle_leaves_a_report_that_says_so(
    httpserver: HTTPServer, tmp_path: Path
) -> None:
    judged: list[str] = []

    def answer(body: Json) -> Response:
        if "ORIGINAL QUERY" in body["messages"][-1]["content"]:
            judged.append(body["model"])
        if judged:
            return as_json({"error": {"message": "Insufficient Balance"}}, 402)
        return answer_openai(body)

    serve(httpserver, answer, models=[MODEL])
    resources = open_machine(httpserver, tmp_path, ASSAY_OPENAI_CALLS="1")
    run = RunSettings(mode="quick", library=SAMPLE_LIBRARY, model=f"openai:{MODEL}")
    session = session_start.new_session(resources, QUESTION, run)
    assert runner.resume_or_run(resources, session, "test").outcome == "done"
    text = replay.replay_session(resources, LOCAL_USER, session).markdown
    head = text[: text.index("Executive Summary")]
    assert head.count(f"{MODEL} answered 402: Insufficient Balance.") == 1
    assert len(judged) > 1
    resources.close()


def test_a_judge_that_refuses_one_page_only_does_not_end_the_run(
    httpserver: HTTPServer, tmp_path: Path
) -> None:
    """A firewall before the model answers 403 to what one page says."""
    judged: list[str] = []

    def answer(body: Json) -> Response:
        prompt = body["messages"][-1]["content"]
        if body["model"] == "another" and "ORIGINAL QUERY" in prompt:
            judged.append(prompt)
            if len(judged) == 2:
                return as_json({"error": {"message": "Forbidden"}}, 403)
        return answer_openai(body)

    serve(httpserver, answer, models=[MODEL, "another"])
    environment = {
        "ASSAY_HOME": str(tmp_path),
        "ASSAY_SEMANTIC": "0",
        "ASSAY_OPENAI_BASE_URL": httpserver.url_for("/v1"),
        "ASSAY_OPENAI_MODELS": MODEL,
        "ASSAY_OPENAI_CALLS": "1",
    }
    resources = Resources(Settings.from_env(environment))
    run = RunSettings(
        mode="quick", library=SAMPLE_LIBRARY, model=f"openai:{MODEL}", judge="openai:another"
    )
    session = session_start.new_session(resources, QUESTION, run)
    assert runner.resume_or_run(resources, session, "test").outcome == "done"
    assert len(judged) > 2
    assert "another answered 403: Forbidden" in (
        replay.replay_session(resources, LOCAL_USER, session).markdown
    )
    resources.close()


def read_asked(httpserver: HTTPServer, model: str) -> list[str]:
    """Return the prompts that a model answered."""
    return [body["messages"][-1]["content"] for body in sent(httpserver) if body["model"] == model]
