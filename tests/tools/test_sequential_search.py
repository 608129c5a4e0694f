"""sequential_search and get_research_session, bullet by bullet of their specification
(spec/research-tools.md, tools 8 and 9).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from research_core.errors import ResearchError, UsageError
from research_core.model_messages import Json
from research_core.models import Principal
from research_core.policy import RunSettings
from research_core.sessions import session_control, session_start, session_status
from research_core.sessions.tool_calls import ServedCall, ToolCaller
from research_core.settings import Settings
from research_core.tools import get_tool
from research_core.tools.client_session import store
from research_core.tools.client_session.answers import find_error_patterns, summarize_session
from research_core.tools.client_session.coverage import measure_coverage, suggest_queries
from research_core.tools.client_session.view import (
    ClientResearch,
    ClientSource,
    ProviderOutcome,
    Step,
)
from research_core.tools.failures import format_error
from research_core.wiring import Resources
from tests.bullets import Bullets
from tests.world import StillClock

sequential, recover = Bullets("sequential_search"), Bullets("get_research_session")
GOAL = "How are quantum errors corrected?"


class At(StillClock):
    def __init__(self) -> None:
        self.seconds = 1_795_354_200.0

    def now(self) -> float:
        return self.seconds


class Rooms(Resources):
    """Resources whose clock is the test's."""

    clock = At()


@pytest.fixture
def resources(tmp_path: Path) -> Resources:
    made = Rooms(
        Settings(home=tmp_path, database_url="sqlite://", ddgs_engines=(), session_max_steps=12)
    )
    made.clock.seconds = 1_795_354_200.0  # type: ignore[attr-defined]
    return made


@pytest.fixture
def tool_caller(resources: Resources) -> ToolCaller:
    return ToolCaller(resources)


CURRENT: list[ToolCaller] = []


@pytest.fixture(autouse=True)
def _at(tool_caller: ToolCaller) -> Any:
    CURRENT.append(tool_caller)
    yield
    CURRENT.clear()


def step(
    number: int = 1,
    session: str = "",
    text: str = "",
    *,
    more: bool = True,
    at: ToolCaller | None = None,
    **said: Any,
) -> Json:
    """The answer of one step; it fails the test where there is none."""
    served = asked(number, session, text, more=more, at=at, **said)
    assert served.answer is not None, served.error
    return served.answer


def asked(
    number: int = 1,
    session: str = "",
    text: str = "",
    *,
    more: bool = True,
    at: ToolCaller | None = None,
    **said: Any,
) -> ServedCall:
    given = {
        "searchStep": text or f"Step {number}",
        "stepNumber": number,
        "nextStepNeeded": more,
        **said,
    }
    given |= {"sessionId": session} if session else {}
    given |= {"researchGoal": GOAL} if number == 1 and not session else {}
    return (at or CURRENT[-1]).serve("sequential_search", given)


def got(session: str, at: ToolCaller | None = None, **said: Any) -> Json:
    served = (at or CURRENT[-1]).serve("get_research_session", {"sessionId": session, **said})
    assert served.answer is not None, served.error
    return served.answer


def refused(name: str, **given: Any) -> UsageError:
    error = CURRENT[-1].serve(name, given).error
    assert isinstance(error, UsageError), error
    return error


@sequential("sessions are created at step 1, with a UUID v4 that is returned")
def _created() -> None:
    answer = step()
    assert re.fullmatch(
        r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", answer["sessionId"]
    )
    assert (answer["researchGoal"], answer["currentStep"], answer["startedAt"]) == (
        GOAL,
        1,
        "2026-11-22T13:30:00Z",
    )
    assert answer["trust"] == "untrusted-external-content"


@sequential("a later step without sessionId is refused with guidance, and begins no session")
def _lost() -> None:
    for session in ({}, {"sessionId": ""}):
        error = asked(3, **session).error
        assert isinstance(error, UsageError)
    assert "get_research_session" in error.next_step
    assert "step 1" in error.next_step
    assert store.count_live_sessions(CURRENT[-1].resources.db, Principal(), 1_795_354_200.0) == 0


@sequential("four hours of inactivity end it, and every access begins them anew")
def _ttl() -> None:
    session, clock = step()["sessionId"], CURRENT[-1].resources.clock
    clock.seconds += 3.9 * 3_600  # type: ignore[attr-defined]
    got(session)
    clock.seconds += 3.9 * 3_600  # type: ignore[attr-defined]
    step(2, session)
    clock.seconds += 4.1 * 3_600  # type: ignore[attr-defined]
    assert "Session not found or expired. Sessions last 4 hours from last activity." in str(
        asked(3, session).error
    )


@sequential("SESSION_MAX_STEPS steps are held; a further one is not recorded, with a warning")
def _most() -> None:
    session = step()["sessionId"]
    for number in range(2, 13):
        assert "warning" not in step(number, session)
    answer = step(13, session)
    assert "12 steps" in answer["warning"]
    assert len(answer["stepIndex"]) == 12
    assert (
        step(14, session, more=False)["isComplete"] is False
    )  # what was not recorded ends nothing


@sequential("a session is found by nobody but its owner")
def _owner() -> None:
    session, resources = step()["sessionId"], CURRENT[-1].resources
    for who in (Principal("acme", "ann"), Principal("default", "bob")):
        served = ToolCaller(resources, who).serve("get_research_session", {"sessionId": session})
        assert isinstance(served.error, store.SessionGone)


@sequential("full up to 8 steps, then summary with an index; responseMode overrides")
def _modes() -> None:
    session = step()["sessionId"]
    for number in range(2, 9):
        last = step(number, session)
    assert (last["responseMode"], len(last["steps"]), "summary" in last) == ("full", 8, False)
    ninth = step(9, session, sessionSummary="So far, codes.")
    assert (ninth["responseMode"], ninth["summary"], len(ninth["stepIndex"])) == (
        "summary",
        "So far, codes.",
        9,
    )
    assert "steps" not in ninth
    assert step(10, session, responseMode="full")["responseMode"] == "full"
    assert [each["stepNumber"] for each in ninth["lastSteps"]] == [7, 8, 9]


@sequential(
    "what a step says comes back: reasoning, confidence, rejected ways, gaps, branches and revisions"
)
def _said() -> None:
    session = step()["sessionId"]
    about = {
        "reasoning": "Papers first.",
        "confidence": "low",
        "rejectedApproaches": ["blogs"],
        "knowledgeGap": "the overhead",
    }
    second = step(2, session, **about)
    assert second["gaps"] == [{"description": "the overhead", "foundInStep": 2}]
    assert second["lastSteps"][-1] | about == second["lastSteps"][-1] | {
        "knowledgeGap": "the overhead"
    }
    third = step(3, session, isRevision=True, revisesStep=2, branchFromStep=1, branchId="b")
    assert (
        third["lastSteps"][-1] | {"isRevision": True, "revisesStep": 2, "branchId": "b"}
        == third["lastSteps"][-1]
    )
    assert third["steps"][-1]["branchId"] == "b"


@sequential("a step that is not there is neither revised nor branched from")
def _no_such_step() -> None:
    session = step()["sessionId"]
    for name in ("revisesStep", "branchFromStep"):
        assert "There is no step 7" in str(asked(2, session, **{name: 7}).error)
    assert got(session)["stepCount"] == 1


@sequential(
    "the very same step sent again is kept once, answered as it stands, and that is said; a full session too"
)
def _sent_again() -> None:
    session = step()["sessionId"]
    for number in range(2, 13):
        first = step(number, session, reasoning="Because.", rejectedApproaches=["blogs"])
    again = step(12, session, reasoning="Because.", rejectedApproaches=["blogs"])
    assert again.pop("notes") == [
        "Step 12 was recorded before, word for word: it stands, and was not recorded again."
    ]
    assert again == first
    assert got(session)["stepCount"] == 12


@sequential(
    "a number that is there with other content is kept and told; a revision and another branch are as the specification has them"
)
def _number_again() -> None:
    session = step()["sessionId"]
    assert "notes" not in step(2, session)
    assert "step 2 already" in step(2, session, "Something else")["notes"][0]
    assert (
        "step 2 already" in step(2, session, more=False)["notes"][0]
    )  # the same words, and yet it ends the session
    for about in ({"isRevision": True}, {"revisesStep": 2}, {"branchId": "b", "branchFromStep": 1}):
        assert "notes" not in step(2, session, "Something else", **about)
    assert got(session)["stepCount"] == 7
    assert got(session, stepId=2)["step"]["branchId"] == "b"


@sequential("completed once no further step is needed")
def _complete() -> None:
    session = step()["sessionId"]
    done = step(2, session, more=False)
    assert (done["isComplete"], done["completedAt"]) == (True, "2026-11-22T13:30:00Z")
    assert session_status.read_session_info(CURRENT[-1].resources, session).status == "done"
    assert step(3, session)["isComplete"] is False
    assert session_status.read_session_info(CURRENT[-1].resources, session).status == "open"


@sequential("quick adds nothing")
def _quick() -> None:
    assert not {"depth", "coverage", "refinementQueries"} & set(step(depth="quick"))


@sequential("standard tells how widely it has looked and what to search for, and searches nothing")
def _standard() -> None:
    answer = step(depth="standard", knowledgeGap="the overhead")
    assert answer["coverage"] == {
        "sourceCount": 0, "uniqueDomains": 0, "domainSpread": 0.0, "sourceTypes": {}, "gaps": ["There are no sources yet."]
    }  # fmt: skip
    assert answer["refinementQueries"] == [f"{GOAL} the overhead", GOAL]
    assert "refinementResults" not in answer


@sequential("thorough makes up to 3 of the searches; one that fails is told with its query")
def _thorough() -> None:
    session = step(knowledgeGap="one")["sessionId"]
    for number, gap in ((2, "two"), (3, "three")):
        step(number, session, knowledgeGap=gap)
    answer = step(4, session, depth="thorough")
    assert [each["query"] for each in answer["refinementResults"]] == [
        f"{GOAL} three",
        f"{GOAL} two",
        f"{GOAL} one",
    ]
    assert all(
        "error" in each for each in answer["refinementResults"]
    )  # this machine has no engine
    assert answer["refinementNote"] == "3 of the 4 suggested queries were searched for."


@sequential("nobody but the owner of the key reads it at rest")
def _sealed() -> None:
    home = CURRENT[-1].resources.settings.home
    settings = Settings(
        home=home,
        database_url=f"sqlite:///{home / 'sealed.db'}",
        ddgs_engines=(),
        cache_encryption_key="ab" * 32,
    )
    resources = Rooms(settings)
    step(text="A step about whistling ducks", at=ToolCaller(resources))
    resources.close()
    clear = Rooms(
        Settings(home=home, database_url=f"sqlite:///{home / 'clear.db'}", ddgs_engines=())
    )
    step(text="A step about whistling ducks", at=ToolCaller(clear))
    clear.close()
    held = {
        name: b"".join(file.read_bytes() for file in home.iterdir() if file.name.startswith(name))
        for name in ("sealed", "clear")
    }
    for word in (b"whistling", b"quantum"):
        assert (word in held["clear"], word in held["sealed"]) == (True, False)


@sequential("what a process recorded is there after it was killed")
def _killed() -> None:
    home = CURRENT[-1].resources.settings.home
    code = (
        "import os, json, signal\n"
        "from pathlib import Path\n"
        "from research_core.sessions.tool_calls import ToolCaller\nfrom research_core.settings import Settings\nfrom research_core.wiring import Resources\n"  # noqa: E501
        f"home = Path({str(home)!r})\n"
        "caller = ToolCaller(Resources(Settings(home=home, database_url=f'sqlite:///{home}/kill.db', ddgs_engines=())))\n"
        "said = {'searchStep': 'First', 'stepNumber': 1, 'nextStepNeeded': True, 'researchGoal': 'What stays of this?'}\n"
        "print(json.dumps(caller.serve('sequential_search', said).answer), flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    died = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    session = json.loads(died.stdout)["sessionId"]
    again = ToolCaller(
        Resources(Settings(home=home, database_url=f"sqlite:///{home}/kill.db", ddgs_engines=()))
    )
    assert got(session, again)["researchGoal"] == "What stays of this?"
    again.resources.close()


@sequential("it is listed with the sessions of the app, and no worker ever runs it")
def _in_the_app() -> None:
    session, resources = step()["sessionId"], CURRENT[-1].resources
    (info,) = session_status.list_sessions(resources)
    assert (info.row.id, info.row.question, info.status) == (session, GOAL, "open")
    for act in (
        lambda: session_control.reopen(resources, session),
        lambda: session_control.send_command(resources, session, "stop"),
    ):
        with pytest.raises(UsageError, match="belongs to a client that calls tools step by step"):
            act()
    session_control.cancel(resources, session)
    assert session_status.read_session_info(resources, session).status == "closed"
    assert isinstance(asked(2, session).error, store.SessionGone)
    again = session_start.rewrite(resources, session, RunSettings())
    assert session_status.read_session_info(resources, again).status == "queued"


@sequential("annotations: readOnly, not idempotent, closed world")
def _annotated() -> None:
    row = get_tool("sequential_search")
    assert row is not None
    assert (row.read_only, row.idempotent, row.open_world) == (True, False, False)


# ---------------------------------------------------------------- get_research_session


@recover("summary, index, the last 3 steps in full, gaps and sources")
def _summary() -> None:
    session = step()["sessionId"]
    for number in range(2, 6):
        step(number, session, f"Look at {number}", knowledgeGap="the overhead")
    answer = got(session)
    assert (answer["stepCount"], answer["researchGoal"], answer["responseMode"]) == (
        5,
        GOAL,
        "summary",
    )
    assert [each["oneLiner"] for each in answer["stepIndex"]] == [
        "Step 1",
        *(f"Look at {n}" for n in range(2, 6)),
    ]
    assert [each["stepNumber"] for each in answer["lastSteps"]] == [3, 4, 5]
    assert answer["gaps"] == [{"description": "the overhead", "foundInStep": 2}]
    assert answer["sources"] == []


@recover("stepId gives that step in full; one that is not there is an error with its number")
def _one() -> None:
    session = step(reasoning="Because.")["sessionId"]
    assert got(session, stepId=1)["step"]["reasoning"] == "Because."
    assert "There is no step 9" in str(refused("get_research_session", sessionId=session, stepId=9))


@recover("an unknown session is not found or expired, and says so to a program")
def _gone() -> None:
    error = refused("get_research_session", sessionId="nobody's")
    assert (
        error.message == "Session not found or expired. Sessions last 4 hours from last activity."
    )
    assert hinted(error) == {"canResume": False}


@recover("of an own session that expired the last step is known, and of another's nothing")
def _last_known() -> None:
    session, resources = step()["sessionId"], CURRENT[-1].resources
    for number in (2, 3):
        step(number, session)
    stranger = (
        ToolCaller(resources, Principal("acme", "ann"))
        .serve("get_research_session", {"sessionId": session})
        .error
    )
    assert stranger is not None
    assert hinted(stranger) == {"canResume": False}
    resources.clock.seconds += 4.1 * 3_600  # type: ignore[attr-defined]
    assert hinted(refused("get_research_session", sessionId=session)) == {
        "lastKnownStep": 3,
        "canResume": False,
    }
    late = asked(4, session).error
    assert late is not None
    assert hinted(late)["lastKnownStep"] == 3


def hinted(error: ResearchError) -> Json:
    """The recovery hint that a program is given with an error of this kind."""
    told = json.loads(format_error(error).partition("\n\n")[2])["error"]
    hint: Json = told.pop("recoveryHint")
    assert told == {
        "kind": "session_not_found",
        "retryable": False,
        "suggestedAction": "inform_user",
    }
    return hint


@recover(
    "a failure met three times is a pattern with what helps; provider statistics count who answered"
)
def _patterns() -> None:
    session = step()["sessionId"]
    for n in range(4):
        served = CURRENT[-1].serve(
            "scrape_page", {"url": f"http://127.0.0.1/{n}", "sessionId": session}
        )
        assert served.error is not None
    (found,) = got(session)["errorPatterns"]
    assert (found["kind"], found["count"]) == ("validation", 4)
    assert len(found["affectedUrls"]) == 4


@recover("annotations: readOnly, idempotent, closed world")
def _also_annotated() -> None:
    row = get_tool("get_research_session")
    assert row is not None
    assert (row.read_only, row.idempotent, row.open_world) == (True, True, False)


@pytest.mark.parametrize("check", [*sequential.params, *recover.params])
def test_bullet(check: Any) -> None:
    check()


# ---------------------------------------------------------------- readings


def of(*urls: str, gaps: tuple[str, ...] = ()) -> ClientResearch:
    steps = tuple(Step(n, "Looked.", 0.0, True, gap=gap) for n, gap in enumerate(gaps, 1))
    return ClientResearch("tea", 0.0, steps, tuple(ClientSource(url, "", None) for url in urls), ())


ARXIV = tuple(f"https://arxiv.org/abs/1706.0376{n}" for n in range(4))


@pytest.mark.parametrize(
    ("found", "spread", "dominant", "queries"),
    [
        (of(), 0.0, None, ["tea"]),
        (of(*ARXIV), 0.25, "arxiv.org", ["tea -site:arxiv.org", "tea latest news"]),
        (
            of("https://a.example.org/", "https://b.example.com/", "https://c.example.net/"),
            1.0,
            None,
            ["tea peer-reviewed study"],
        ),
        (
            of(*ARXIV[:1], gaps=("price", "taste")),
            1.0,
            None,
            ["tea taste", "tea price", "tea latest news", "tea"],
        ),
        (of(*ARXIV, gaps=tuple("abcdefgh")), 0.25, "arxiv.org", [f"tea {gap}" for gap in "hgfedc"]),
    ],
)
def test_how_widely_it_has_looked_and_what_comes_next(
    found: ClientResearch, spread: float, dominant: str | None, queries: list[str]
) -> None:
    told = measure_coverage(found)
    assert (told["domainSpread"], told.get("dominantDomain")) == (spread, dominant)
    assert suggest_queries(found) == queries


def test_a_text_counts_once_in_how_widely_it_has_looked() -> None:
    sources = [ClientSource(f"https://{name}.example.org/", "", None) for name in "ab"] + [
        ClientSource("https://c.example.net/", "", None, copy_of="x")
    ]
    alone, copied = (
        ClientResearch("tea", 0.0, (), tuple(sources[:2]), ()),
        ClientResearch("tea", 0.0, (), tuple(sources), ()),
    )
    assert {**measure_coverage(copied), "gaps": []} == {**measure_coverage(alone), "gaps": []}
    assert [
        gap
        for gap in measure_coverage(copied)["gaps"]
        if gap not in measure_coverage(alone)["gaps"]
    ] == ["1 more is a copy of what is counted."]
    assert suggest_queries(copied) == suggest_queries(alone)
    assert summarize_session(copied).startswith(
        "0 steps on: tea Sources: 3, 1 of them a copy of another. "
    )


@pytest.mark.parametrize(("times", "patterns_"), [(2, 0), (3, 1), (30, 1)])
def test_a_failure_is_a_pattern_from_the_third_time_on(times: int, patterns_: int) -> None:
    met = [
        ProviderOutcome("", "auth_required", f"https://a.example.org/{n % 2}", float(n))
        for n in range(times)
    ]
    found = find_error_patterns([*met, ProviderOutcome("brave", "", "", 0.0)])
    assert len(found) == patterns_
    assert all(
        "open_access=true" in each["suggestion"] and len(each["affectedUrls"]) == 2
        for each in found
    )
