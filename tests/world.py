"""A made-up world to run the pipeline in.

Its engines, pages and model answer as functions of a seed, each after a random wait. The answers
depend on the seed alone, the waits on another source of chance, so two runs of one world differ in
timing only.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from research_core.citations.marks import find_cited_ids
from research_core.errors import FetchError, ModelError, SearchError
from research_core.journal.database import Database
from research_core.journal.deps import Deps, Http, Provider
from research_core.journal.doorway import Control, Doorway
from research_core.journal.log import EventLog
from research_core.journal.store import Store, create_session
from research_core.model_messages import REPORT_KINDS, ModelReply, ModelRequest, ToolCall, Usage
from research_core.models import HttpReply, Principal, SearchQuery, SearchResult
from research_core.policy import RunSettings
from research_core.settings import Settings

QUESTION = "How do tidal turbines change the habits of harbour seals?"
WORDS = "tidal turbines change habits harbour seals".split()
WHO = Principal()
# Who is told of, what they did, when, and what the others did: a sentence of a page has one of
# each.
PARTS = (
    (
        "the animals",
        "the pups",
        "the older males",
        "the tagged females",
        "the mothers",
        "the strays",
        "the colonies",
        "the young",
    ),
    (
        "swam a longer way round",
        "dived less deep than before",
        "came back to the same rocks",
        "left for the outer sandbanks",
        "hunted sprat and herring instead",
        "rested in the shallow bay",
        "followed the ferries out to sea",
        "slept ashore for most hours",
    ),
    (
        "while the blades were turning",
        "when the current ran strongest",
        "during the first winter",
        "after the second array was built",
        "in the weeks of the moult",
        "at slack water",
        "on calm nights",
        "as soon as the noise began",
    ),
    (
        "kept a greater distance",
        "took no notice of it",
        "could not be followed any further",
        "went on through the narrows",
        "were counted from the air",
        "carried a transmitter for a season",
        "lost weight by the spring",
        "had young in the same year",
    ),
)


class StillClock:
    """A clock that stands still, so that two runs print the same dates."""

    def now(self) -> float:
        return 1_790_000_000.0

    def monotonic(self) -> float:
        return 0.0

    def wait(self, event: threading.Event, seconds: float) -> float:
        return seconds


@dataclass
class World:
    """Answers and waits of one seed.

    seed: what is answered; wait: the longest random wait before an answer, in seconds; known_pages:
    those that its engines know; made: every call that was made, by name; gate: the limit at which its engines' calls wait.
    """

    gate = "engine:{}"
    seed: int = 1
    wait: float = 0.0
    shake: random.Random = field(default_factory=random.Random)
    known_pages: int = 24
    made: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """For worlds that keep more."""

    def chance(self, *about: object) -> float:
        digest = hashlib.sha256(repr((self.seed, *about)).encode()).digest()
        return int.from_bytes(digest[:8], "big") / 2**64

    def answer(self, name: str) -> None:
        with self.lock:
            self.made.append(name)
            pause = self.shake.random() * self.wait
        time.sleep(pause)

    def engine(self, name: str) -> Provider:
        def search(http: Http, _settings: Settings, query: SearchQuery) -> Sequence[SearchResult]:
            asked, gate = {"engine": name, "query": query.text}, self.gate.format(name)
            found = http.call("ddgs", asked, lambda: self.results(name, query.text), limit=gate)
            return [SearchResult(**result) for result in found]

        return Provider(name, "web", search)

    def results(self, engine: str, query: str) -> list[dict[str, str]]:
        self.answer(f"search {engine} {query}")
        if self.chance("engine fails", engine, query) < 0.08:
            raise SearchError("The engine is resting.", kind="rate_limited")
        order = sorted(
            range(self.known_pages), key=lambda n: self.chance("rank", engine, query, n)
        )[:8]
        return [self.result(n, query) for n in order]

    def result(self, n: int, query: str) -> dict[str, str]:
        words = [word for word in WORDS if self.chance("word", n, query, word) < 0.75]
        year = " 2025" if self.chance("year", n) < 0.5 else ""
        return {
            "title": f"Page {n}",
            "url": f"https://site{n % 9}.example.{'org' if n % 3 else 'com'}/p{n}",
            "snippet": " ".join(words) + year,
        }

    def send(self, method: str, url: str, **_options: Any) -> HttpReply:
        self.answer(f"{method} {url}")
        if self.chance("dead", url) < 0.25:
            raise FetchError("Nobody answers.", kind="not_found")
        final = "https://site0.example.org/same" if self.chance("alias", url) < 0.08 else url
        return HttpReply(final, 200, {"content-type": "text/html"}, self.page(final).encode())

    def page(self, url: str) -> str:
        rows = "".join(f"<p>{self.sentence(url, n)}</p>" for n in range(8))
        head = f"<!doctype html><html><head><title>{url}</title></head>"
        return f"{head}<body><main><article><h1>Seals</h1>{rows}</article></main></body></html>"

    def sentence(self, url: str, n: int) -> str:
        """What page `url` says in its paragraph n, in words of its own: no page may pass for a copy
        of another.
        """
        percent = int(self.chance("percent", url, n) * 90) + 5
        who, did, when, others = (
            part[int(self.chance("part", k, url, n) * len(part))] for k, part in enumerate(PARTS)
        )
        return (
            f"Near the tidal turbines {who} of {url[-6:]} passage {n} changed their habits and {did} {when}, and "
            f"{percent} percent of the harbour seals {others}."
        )

    @property
    def name(self) -> str:
        return "world"

    def open(self) -> None: ...

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        self.answer(f"model {request.kind}")
        turns = [len(request.history)] if request.history else []
        fails = self.chance("model fails", request.kind, request.prompt, *turns) < 0.05
        if (
            fails
            and request.kind not in REPORT_KINDS
            and (request.kind != "choose_tools" or request.history)
        ):
            raise ModelError("The model is resting.", kind="blocked")
        if request.kind == "choose_tools":
            return _choose(self, request)
        text = ANSWERS[request.kind](self, request.inputs)
        for piece in text.split("\n\n") if on_text else ():
            assert on_text is not None
            on_text(piece)
        return ModelReply(text, self.name, Usage(100, 50, 0.001))


def _plan(world: World, inputs: Mapping[str, Any]) -> str:
    queries = [
        f"seals turbines {int(world.chance('plan', n) * 1000)}"
        for n in range(inputs["max_queries"])
    ]
    return json.dumps(
        {
            "type": "overview",
            "strategy": "ask around",
            "sub_questions": ["Do seals stay away?"],
            "queries": queries,
        }
    )


def _refine(world: World, inputs: Mapping[str, Any]) -> str:
    return json.dumps({"query": f"refined {world.chance('refine', inputs['snippets'])}"})


def _gaps(world: World, inputs: Mapping[str, Any]) -> str:
    chance = world.chance("gaps", inputs["passages"], inputs["queries"])
    return json.dumps(
        {"gaps": ["numbers are missing"], "queries": [f"gap {chance} {n}" for n in range(2)]}
    )


def _judge(world: World, inputs: Mapping[str, Any]) -> str:
    score = 1 + int(world.chance("judge", inputs["passages"]) * 5)
    return (
        "I cannot say."
        if world.chance("mumbles", inputs["passages"]) < 0.06
        else f"SCORE: {score}\nEXPLANATION: it speaks of seals."
    )


def _judge_again(world: World, inputs: Mapping[str, Any]) -> str:
    """Some it cannot judge now either, one it invents, and it keeps no order."""
    chances = [
        (n, world.chance("again", source["passages"]))
        for n, source in enumerate(inputs["sources"], 1)
    ]
    rows = [
        {"id": n, "score": 1 + int(chance * 5), "explanation": "it speaks of seals."}
        for n, chance in chances
        if chance > 0.3
    ]
    return json.dumps(
        {"judgements": [{"id": 99, "score": 5, "explanation": "invented"}, *reversed(rows)]}
    )


def _verify(world: World, inputs: Mapping[str, Any]) -> str:
    """Every verdict there is, some with words that stand nowhere, some for sentences nobody asked
    about.
    """
    kinds, rows = ("supported", "partly", "not_found", "contradicted"), []
    for n, one in enumerate(inputs["sentences"], 1):
        chance = world.chance("verify", one)
        words = " ".join(one["passages"]).split() if chance < 0.7 else ["no", "such", "words"]
        rows.append(
            {
                "number": n + (chance > 0.95),
                "verdict": kinds[int(chance * 40) % 4],
                "quote": " ".join(words[:6]),
            }
        )
    return json.dumps({"verdicts": rows})


def _choose(world: World, request: ModelRequest) -> ModelReply:
    """Two searches, then pages and more searches, several at once, with the mistakes models make;
    enough after three to six rounds.
    """
    told = json.dumps(request.history)
    done = len(request.history) // 2
    shown = sorted(
        set(re.findall(r"https://site\d\.example\.\w+/p\d+", told)),
        key=lambda url: world.chance("choose", url, done),
    )
    calls = [
        tool_call(f"{done}.{n}", "search_web", query=f"seals {world.chance('query', told, n)}")
        for n in range(2 if done < 2 else 1)
    ]
    calls += [
        tool_call(f"{done}.{n + 5}", "fetch_page", url=url) for n, url in enumerate(shown[:3])
    ]
    if world.chance("mistake", told) < 0.5:
        calls += [
            tool_call("", "fetch_page", url="https://site1.example.org/invented"),
            tool_call("", "browse", page=1),
        ]
    if done >= 3 + world.chance("enough", told) * 3:
        return ModelReply(
            "That is enough.",
            world.name,
            Usage(100, 5, 0.001),
            content={"role": "model", "parts": [{"text": "Enough."}]},
        )
    content = {
        "role": "model",
        "parts": [
            {"thoughtSignature": "c2lnbmF0dXJl", "functionCall": {"name": c.name}} for c in calls
        ],
    }
    return ModelReply("", world.name, Usage(100, 20, 0.001), tuple(calls), content)


def _write(world: World, inputs: Mapping[str, Any]) -> str:
    lines = [
        f"{p['text'].split('.')[0]}. [{p['id']}] And more. [pdeadbeef]"
        for source in inputs["sources"]
        for p in source["passages"][:1]
    ]
    return "## Executive Summary\n\n" + "\n\n".join(lines)


def _write_section(world: World, inputs: Mapping[str, Any]) -> str:
    lines = [
        f"{passage['text'].split('.')[0]}. [{passage['id']}]"
        for source in inputs["sources"]
        for passage in source["passages"][:1]
    ]
    return " ".join(lines) or "NOTHING"


def _write_frame(world: World, inputs: Mapping[str, Any]) -> str:
    cited = find_cited_ids(" ".join(section["text"] for section in inputs["sections"]))
    return f"## Executive Summary\n\nIt depends. [{cited[0]}]" if cited else "It depends."


ANSWERS: dict[str, Callable[[World, Mapping[str, Any]], str]] = {
    "plan": _plan,
    "refine": _refine,
    "gaps": _gaps,
    "judge_relevance": _judge,
    "judge_again": _judge_again,
    "write": _write,
    "write_section": _write_section,
    "write_frame": _write_frame,
    "explain_insufficient": lambda world, inputs: (
        f"Nothing bears on it ({world.chance('explain', inputs):.3f})."
    ),
    "verify_sentence": _verify,
}


@dataclass
class Place:
    """Where worlds are run: one database, one settings value."""

    db: Database
    home: Path

    def session(self, name: str, run: RunSettings, question: str = QUESTION) -> None:
        create_session(self.db, WHO, name, question, run.to_json(), StillClock().now())

    def log(self, name: str, *, readonly: bool = False, epoch: int | None = None) -> EventLog:
        return EventLog(Store(self.db, WHO, name, epoch), StillClock(), readonly=readonly)

    @contextmanager
    def deps(
        self, world: World, log: EventLog, run: RunSettings, *, control: Control | None = None
    ) -> Iterator[Deps]:
        doorway = Doorway(log, world, world, StillClock(), caps=run.caps, control=control)
        engines = tuple(world.engine(name) for name in run.engines)
        settings = Settings(home=self.home, database_url="sqlite://")
        with ThreadPoolExecutor(16) as pool:
            yield Deps(
                settings, run, doorway.http, doorway.model, log, StillClock(), pool, engines=engines
            )


def tool_call(id: str, name: str, **arguments: Any) -> ToolCall:
    return ToolCall(id, name, arguments)
