"""Two tenants of two users each, who call every tool that keeps something a thousand times, all at
once, over HTTP.

Each user has a word that nobody else says: it is in all they keep, and in all that the web answers
them. At the end nobody has heard another's word but in a workspace of both, everything that was
answered is there once and is its owner's, and the audit has its line.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import pytest

from research_core import policy
from research_core.interfaces.http.app import MCP_PATH
from research_core.journal.audit.file import find_rotated
from research_core.journal.circuit_breaker import CircuitBreakers as Paces
from research_core.journal.log import EventLog
from research_core.journal.store import Store, list_sessions
from research_core.model_messages import Json
from research_core.models import HttpReply, Principal
from research_core.tools import CLIENT_TOOLS, get_tool, list_available_tools
from research_core.userdata import analytics, consent, memory, workspaces
from tests.counter import Counter as Place
from tests.http_service import JWKS, Running, jwks, no_tls, signed_in
from tests.logs import at_once, stored_context
from tests.terminal import assay
from tests.timing import LONG_S
from tests.tool_session import HTML, html

ADA, BOB, EVE, SAM = (
    Principal(tenant, user) for tenant in ("acme", "other") for user in ("ada", "bob")
)
WORDS = {ADA: "zorilla", BOB: "quokka", EVE: "numbat", SAM: "dhole"}
#: Of one tenant, of both, and of one alone.
ROOMS = {"home": (ADA, BOB), "bridge": (ADA, SAM), "cell": (EVE,)}
#: Threads of each user, sessions of each user, how often each thread goes through all that is done,
#: and how many calls of each round name a session of somebody else.
THREADS, SESSIONS, ROUNDS, TRESPASSES = 2, 2, 7, 5
SWITCHES = {
    "memory": True,
    "workspaces": True,
    "analytics": True,
    "robots": False,
    "audit_max_bytes": 60_000,
}
GONE = "Session not found or expired"
HEADERS = {"Accept": "application/json, text/event-stream"}


class Echo:
    """A search engine and pages that say what they were asked for; one page is not there."""

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        words = dict(options.get("params") or {}).get("q", "")
        if url == JWKS:
            return HttpReply(url, 200, {}, jwks())
        if words:
            found = [
                {
                    "url": f"https://pages.example.org/{words.replace(' ', '/')}",
                    "title": f"On {words}",
                    "content": f"All of {words}.",
                }
            ]
            return HttpReply(url, 200, {}, json.dumps({"results": found}).encode())
        if "missing" in url or not url.startswith("https://pages.example.org/"):
            return HttpReply(url, 404, HTML, b"")
        about = " ".join(url.removeprefix("https://pages.example.org/").split("/"))
        sentence = (
            f"This page tells of {about} at some length, and of what was seen of it from the pier. "
        )
        return HttpReply(
            url,
            200,
            HTML,
            html(sentence * (400 if "long" in url else 4), title=f"On {about}").encode(),
        )


@dataclass(frozen=True)
class Ask:
    """One call. refused: what its answer has to say where it is none of the caller's business, ""
    where it is.
    """

    tool: str
    said: Json
    refused: str = ""


@dataclass(frozen=True)
class Told:
    """What came of one. text: the whole answer, as it came."""

    who: Principal
    ask: Ask
    id: str
    text: str
    result: Json

    @property
    def answer(self) -> Json:
        found: Json = self.result.get("structuredContent") or {}
        return found

    @property
    def ok(self) -> bool:
        return not self.result.get("isError") and self.answer.get("status") not in (
            "no_consent",
            "not_member",
            "unavailable",
        )


@dataclass
class Hand:
    """One thread of a user. others: sessions of everybody else; told: what each of its calls came
    to.
    """

    at: Running
    who: Principal
    name: str
    sessions: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)
    artifacts: list[str] = field(default_factory=list)

    @property
    def word(self) -> str:
        return WORDS[self.who]

    @contextmanager
    def line(self) -> Iterator[httpx2.Client]:
        bearer = self.at.token(sub=self.who.user, tenant_id=self.who.tenant)
        with httpx2.Client(
            headers={**HEADERS, "Authorization": f"Bearer {bearer}"},
            timeout=LONG_S,
            verify=no_tls(),
        ) as line:
            yield line

    def call(self, line: httpx2.Client, ask: Ask) -> Told:
        id = f"{self.name}-{len(self.told):04}"
        params = {"name": ask.tool, "arguments": ask.said}
        text, reply = posted(line, self.at, "tools/call", params, id)
        assert "result" in reply, (ask, text)
        self.told.append(Told(self.who, ask, id, text, reply["result"]))
        return self.told[-1]


def posted(
    line: httpx2.Client, at: Running, method: str, params: Json, id: str = ""
) -> tuple[str, Json]:
    """The answer to one request of the protocol, as text and taken apart."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = line.post(f"{at.url}{MCP_PATH}", json=body, headers={"X-Request-Id": id} if id else {})
    assert answer.status_code == 200, answer.text
    (reply,) = [
        json.loads(each[6:]) for each in answer.text.splitlines() if each.startswith("data: {")
    ]
    return answer.text, reply


# ---------------------------------------------------------------- what is done


def step(hand: Hand, n: int, session: str = "") -> Ask:
    at = {"sessionId": session} if session else {"researchGoal": f"What does a {hand.word} eat?"}
    does = "looks for" if session else "begins with"  # the very same step is kept once
    more = {
        "searchStep": f"{hand.name} {does} {hand.word} {n}",
        "stepNumber": n + 1 if session else 1,
        "nextStepNeeded": True,
    }
    return Ask(
        "sequential_search", {**at, **more, "knowledgeGap": f"{hand.word} gap {hand.name} {n}"}
    )


def _of_session(tool: str) -> Callable[[Hand, int], Ask]:
    return lambda hand, n: Ask(tool, {"sessionId": hand.sessions[n % SESSIONS]})


def _searched(tool: str) -> Callable[[Hand, int], Ask]:
    """Every other query is one that the user's other thread has too."""
    return lambda hand, n: Ask(
        tool,
        {
            "query": f"{hand.word} {tool} {n if n % 2 else hand.name}",
            "sessionId": hand.sessions[n % SESSIONS],
            "num_results": 1,
        },
    )


def _read(hand: Hand, n: int) -> Ask:
    kind = ("missing", "short", "long")[n % 3]
    url = f"https://pages.example.org/{kind}/{hand.word}/{hand.name}/{n}"
    return Ask(
        "scrape_page",
        {
            "url": url,
            "sessionId": hand.sessions[n % SESSIONS],
            **({"mode": "raw"} if kind == "long" else {}),
        },
    )


def _room(hand: Hand, n: int) -> tuple[str, str]:
    """A workspace, and what whoever is no member hears."""
    name = sorted(ROOMS)[n % len(ROOMS)]
    return name, "" if hand.who in ROOMS[name] else "not_member"


def _contributed(hand: Hand, n: int) -> Ask:
    room, refused = _room(hand, n)
    return Ask(
        "workspace_contribute",
        {"workspace_id": room, "note": f"{hand.word} of {hand.name} {n}"},
        refused,
    )


def _looked(hand: Hand, n: int) -> Ask:
    room, refused = _room(hand, n)
    return Ask("workspace_read", {"workspace_id": room}, refused)


def _kept(hand: Hand, n: int) -> Ask:
    return Ask(
        "memory_save",
        {"note": f"{hand.word} of {hand.name} {n}", "topic": "food", "tags": [hand.word]},
    )


#: What a thread does in a round: every tool that keeps something, and those that add to a session.
#: All topics and rooms have one name.
DONE: dict[str, Callable[[Hand, int], Ask]] = {
    "sequential_search": lambda hand, n: step(hand, n, hand.sessions[n % SESSIONS]),
    "web_search": _searched("web_search"),
    "search_and_scrape": _searched("search_and_scrape"),
    "scrape_page": _read,
    "memory_save": _kept,
    "memory_recall": lambda hand, n: Ask("memory_recall", {"topic": "food", "limit": 200}),
    "workspace_contribute": _contributed,
    "workspace_read": _looked,
    "get_research_session": _of_session("get_research_session"),
    "research_export": _of_session("research_export"),
    "format_bibliography": _of_session("format_bibliography"),
    "audit_bibliography": _of_session("audit_bibliography"),
    "get_my_analytics": lambda hand, n: Ask("get_my_analytics", {}),
}


def work(hand: Hand) -> None:
    naming = [
        row.name
        for row in list_available_tools(hand.at.resources.settings)
        if "sessionId" in row.schema["properties"]
    ]
    with hand.line() as line:
        for n in range(ROUNDS):
            for make in DONE.values():
                told = hand.call(line, make(hand, n))
                if told.answer.get("linked"):
                    _look_at(hand, line, told.answer["resource"])
            for m in range(n * TRESPASSES, (n + 1) * TRESPASSES):
                hand.call(
                    line,
                    Ask(
                        naming[m % len(naming)],
                        {"sessionId": hand.others[m % len(hand.others)]},
                        GONE,
                    ),
                )


def _look_at(hand: Hand, line: httpx2.Client, uri: str) -> None:
    """What is linked to is there for whoever made it."""
    assert hand.word in posted(line, hand.at, "resources/read", {"uri": uri})[0]
    hand.artifacts.append(uri)


def hammered(at: Running) -> list[Hand]:
    """The hands of all, after everything was done."""
    resources = at.resources
    resources.__dict__["client"] = Echo()
    for who in WORDS:
        for purpose in policy.CONSENT_PURPOSES:
            consent.give_consent(resources.db, who, purpose, resources.clock.now())
    for name, members in ROOMS.items():
        for member in members:
            workspaces.add_member(resources.db, name, member, resources.clock.now())
    hands = [Hand(at, who, f"{who.tenant}-{who.user}-{n}") for who in WORDS for n in range(THREADS)]

    def begin(n: int) -> list[str]:
        with hands[n].line() as line:
            return [
                hands[n].call(line, step(hands[n], m)).answer["sessionId"]
                for m in range(n % THREADS, SESSIONS, THREADS)
            ]

    begun = at_once(len(hands), begin)
    for hand in hands:
        hand.sessions = [
            id
            for other, ids in zip(hands, begun, strict=True)
            for id in ids
            if other.who == hand.who
        ]
        hand.others = [
            id
            for other, ids in zip(hands, begun, strict=True)
            for id in ids
            if other.who != hand.who
        ]
    assert at_once(len(hands), lambda n: work(hands[n])) == [None] * len(hands)
    return hands


# ---------------------------------------------------------------- what has to hold


@pytest.mark.full
def test_what_many_do_at_once_is_each_one_s_own_and_nothing_is_lost(
    tmp_path: Path, database_url: str
) -> None:
    file = tmp_path / "audit.jsonl"
    with signed_in(tmp_path, database_url=database_url, audit_path=str(file), **SWITCHES) as at:
        at.resources.__dict__["services"] = Paces(
            partial(next, count(0.0, 5.0))
        )  # nobody waits for their turn
        hands = hammered(at)
        told = [each for hand in hands for each in hand.told]
        assert len(told) >= 1_000
        assert {row.name for row in CLIENT_TOOLS if row.keeps} <= DONE.keys()
        _nothing_crossed(told)
        for who in WORDS:
            own = [each for each in told if each.who == who]
            _sessions_hold(at.resources, who, own)
            _notes_and_findings_hold(at.resources, who, own)
            _counts_hold(at, who, own)
        _rooms_hold(at.resources, told)
        _artifacts_are_their_tenant_s(hands)
    _audit_holds(file, told)


def _nothing_crossed(told: list[Told]) -> None:
    for each in told:
        assert each.ok == (not each.ask.refused and "missing" not in str(each.ask.said)), (
            each.ask,
            each.text,
        )
        assert each.ask.refused in each.text
        together = (
            ROOMS[each.ask.said["workspace_id"]]
            if each.ask.tool == "workspace_read" and not each.ask.refused
            else ()
        )
        heard = {who for who, word in WORDS.items() if word in each.text}
        assert heard <= {each.who, *together}, (each.ask, each.text)
        if each.ok and each.ask.tool not in (
            "memory_save",
            "workspace_contribute",
            "get_my_analytics",
            "memory_recall",
            "workspace_read",
        ):
            assert (
                each.who in heard or "artifact" in each.text or each.answer.get("entryCount") == 0
            ), (each.ask, each.text)
        if each.ask.tool == "memory_recall":
            assert all(
                WORDS[each.who] in note["note"] and note["userId"] == each.who.user
                for note in each.answer["memories"]
            )
        if each.ask.tool == "workspace_read" and each.ok:
            for one in each.answer["contributions"]:
                assert (
                    WORDS[Principal(one["contributorTenant"], one["contributorUser"])]
                    in one["note"]
                )


def _sessions_hold(resources: Place, who: Principal, own: list[Told]) -> None:
    """Every step, query and page that was answered is in the session it was made in, once, and each
    call is told of.
    """
    stored = {row.id for row in list_sessions(resources.db, who)}
    assert stored == {
        each.answer["sessionId"] for each in own if each.ask.tool == "sequential_search" and each.ok
    }
    assert len(stored) == SESSIONS
    for id in stored:
        made = [
            each
            for each in own
            if each.ok and id in (each.ask.said.get("sessionId"), each.answer.get("sessionId"))
        ]
        made += [
            each
            for each in own
            if not each.ask.refused and not each.ok and each.ask.said.get("sessionId") == id
        ]
        context = stored_context(EventLog(Store(resources.db, who, id), resources.clock))
        steps = [event.data["text"] for event in context.log.read(kinds=("step",))]
        assert sorted(steps) == sorted(
            each.ask.said["searchStep"] for each in made if each.ask.tool == "sequential_search"
        )
        joining = Counter(
            each.ask.tool for each in made if (row := get_tool(each.ask.tool)) and row.joins
        )
        assert (
            Counter(event.data["tool"] for event in context.log.read(kinds=("called",))) == joining
        )
        queries = {each.ask.said["query"] for each in made if "query" in each.ask.said}
        planned = [
            query
            for event in context.log.read(kinds=("planned",))
            for query in event.data["queries"]
        ]
        assert sorted(query["text"] for query in planned) == sorted(queries)
        assert len({query["order"] for query in planned}) == len(planned)
        read = {
            each.ask.said["url"]
            for each in made
            if each.ok and "url" in each.ask.said and "mode" not in each.ask.said
        }
        assert read
        assert read <= context.sources_fetched.keys()  # beside what search_and_scrape has read
        assert all(WORDS[who] in text for text in context.sources_fetched.values())
        assert all(WORDS[who] in url for url in context.run.sources)


def _notes_and_findings_hold(resources: Place, who: Principal, own: list[Told]) -> None:
    notes = {
        each.answer["id"]: each.ask.said["note"]
        for each in own
        if each.ask.tool == "memory_save" and each.ok
    }
    kept = memory.recall_notes(resources.db, who, "", None, resources.clock.now())
    assert {each.id: each.note for each in kept} == notes
    assert len(notes) == THREADS * ROUNDS
    findings = {
        each.answer["id"]: each.ask.said["note"]
        for each in own
        if each.ask.tool == "workspace_contribute" and each.ok
    }
    assert {
        each.id: each.note for each in workspaces.list_contributions(resources.db, who)
    } == findings
    assert findings


def _rooms_hold(resources: Place, told: list[Told]) -> None:
    for room, members in ROOMS.items():
        put = {
            each.answer["id"]
            for each in told
            if each.ok and each.ask.said.get("workspace_id") == room and "note" in each.ask.said
        }
        for who in WORDS:
            seen = workspaces.read_workspace(resources.db, who, room, resources.clock.now())
            assert (None if seen is None else {each.id for each in seen}) == (
                put if who in members else None
            )


def _counts_hold(at: Running, who: Principal, own: list[Told]) -> None:
    calls = Counter(each.ask.tool for each in own)
    counted = analytics.summarize_usage(at.resources.db, who)
    assert counted is not None
    assert counted.calls == calls
    failed = Counter(each.ask.tool for each in own if each.result.get("isError"))
    shown = at.service.clients.find(who).tool_caller.summarize_calls()
    assert {name: (row["calls"], row["errors"]) for name, row in shown.items()} == {
        name: (calls[name], failed[name]) for name in calls
    }


def _artifacts_are_their_tenant_s(hands: list[Hand]) -> None:
    for hand in hands:
        assert hand.artifacts
        for other in hands:
            if other.who.tenant != hand.who.tenant:
                with other.line() as line:
                    assert (
                        "There is no resource"
                        in posted(line, other.at, "resources/read", {"uri": hand.artifacts[-1]})[0]
                    )


def _audit_holds(file: Path, told: list[Told]) -> None:
    files = [*find_rotated(file), file]
    assert len(files) > 2
    lines = [json.loads(line) for each in files for line in each.read_text().splitlines()]
    written = [
        (line["request_id"], line["tenant_id"], line["user_id"], line["tool_name"], line["success"])
        for line in lines
    ]
    called = [
        (each.id, each.who.tenant, each.who.user, each.ask.tool, not each.result.get("isError"))
        for each in told
    ]
    assert sorted(written) == sorted(called)
    assert assay("audit", "verify", str(file)).out.startswith(f"{len(told):,} lines, chain whole")
    body = bytearray(files[1].read_bytes())
    body[len(body) // 2] ^= 1
    files[1].write_bytes(body)
    broken = assay("audit", "verify", str(file))
    assert (
        broken.code != 0,
        f"{files[1]}, line {body[: len(body) // 2].count(10) + 1}:" in broken.out,
    ) == (True, True), broken.out
