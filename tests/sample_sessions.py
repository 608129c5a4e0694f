"""Sessions to look at, screens opened on them without a browser, and what stands on those screens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.testing.v1 import AppTest

from research_core.decisions import gate as decide
from research_core.decisions.view import fold_events
from research_core.journal import store
from research_core.journal.events import Draft, json_in_order
from research_core.journal.log import EventLog
from research_core.journal.store import EventRow, Store
from research_core.models import Page, Principal
from research_core.pipeline import draft, report
from research_core.pipeline.summarize import summarize
from research_core.pipeline.verify import verify
from research_core.policy import OFFLINE_MODEL, RunSettings
from research_core.sessions import heartbeats, runner, session_start
from research_core.trust import credibility
from research_core.wiring import LOCAL_USER, Resources, open_log

#: Shared by all screens: a new one reads the metadata of every installed package (0.15 s).
COMPONENTS = BidiComponentManager()
SHELL = Path(__file__).parents[1] / "pages" / "shell.py"
ANSWERED = "What are the environmental risks of deep-sea mining for fish?"
HOSTILE = "The model answers <b>nothing</b> ![beacon](http://evil.example/)."
UNANSWERED = "How much do flamenco guitarists charge compared with classical guitarists for weddings and private events?"


@dataclass(frozen=True)
class SampleSessions:
    """A home with sessions. answered, unanswered: finished ones."""

    resources: Resources
    answered: str
    unanswered: str

    def cut(self, status: str, before: str = "gated") -> str:
        """A copy of the answered session that has come to no event of this kind and stands as
        `session_status.find_status` says.

        What leads to the gate goes on at once, in another order in each run: of that all but this
        kind is in the copy.
        """
        db, now = self.resources.db, self.resources.clock.now()
        session = session_start.new_session(self.resources, ANSWERED, RunSettings())
        if status == "queued":
            return session
        executor = heartbeats.make_executor_id()
        epoch = store.take_session(db, LOCAL_USER, session, executor, now)
        if status == "running":
            heartbeats.record_beat(db, executor, now + 600)  # it is alive as long as a test looks
        events = Store(db, LOCAL_USER, self.answered).read()
        first = {
            kind: next(n for n, event in enumerate(events) if event.kind == kind)
            for kind in ("gated", before)
        }
        copy = Store(db, LOCAL_USER, session, epoch)
        for event in events[: max(first.values())]:
            if event.kind != before:
                copy.append([EventRow(event.kind, json_in_order(event.data), event.key)], {}, now)
        self.end(session, status, epoch)
        return session

    def end(self, session: str, status: str, epoch: int) -> None:
        log = open_log(self.resources, LOCAL_USER, session, epoch=epoch)
        if status == "failed":
            log.append(
                Draft(
                    "failed",
                    {"error": HOSTILE, "next_step": "Resume later.", "type": "ModelError"},
                    str(epoch),
                )
            )
        elif status == "cancelled":
            log.append(Draft("finished", {"outcome": "cancelled"}, str(epoch)))


def research(resources: Resources, question: str, run: RunSettings | None = None) -> str:
    """Run a question here and now; its session."""
    session = session_start.new_session(resources, question, run or RunSettings())
    executor = heartbeats.make_executor_id()
    with heartbeats.keep_heartbeat(resources, executor):
        assert runner.resume_or_run(resources, session, executor).outcome == "done"
    return session


HOSTS = (
    "www.institute{}.example.edu", "ministry{}.example.gov.uk", "nature.com", "en.wikipedia.org", "arxiv.org", "society{}.example.org",
    "trust{}.example.org", "blog{}.example.com", "news{}.example.com", "shop{}.example.net", "x.com", "facebook.com",
)  # fmt: skip
WORDS = (
    "environmental",
    "risks",
    "deep-sea",
    "mining",
    "plumes",
    "nodules",
    "2025",
    "habitat",
    "miners",
    "harbour",
    "code",
    "pause",
)


def crowded(
    resources: Resources,
    sources: int = 500,
    *,
    read: int = 120,
    sentences: int = 80,
    who: Principal = LOCAL_USER,
    mode: str = "deep",
    seed: int = 7,
    model: str = OFFLINE_MODEL,
) -> str:
    """A finished session with so many sources, of which so many were read, and a report of so many
    cited sentences.

    Its events are written straight into the log; no call is recorded, so a rewrite of it asks the
    sample library anew.
    """
    run, dice = RunSettings(mode=mode, model=model), Random(seed)
    session = session_start.new_session(resources, ANSWERED, run, who=who)
    epoch = store.take_session(
        resources.db, who, session, heartbeats.make_executor_id(), resources.clock.now()
    )
    log = open_log(resources, who, session, epoch=epoch)
    log.append(
        Draft(
            "created",
            {"question": ANSWERED, "settings": run.to_json(), "session": session},
            "created",
        )
    )
    found = list(_found(sources, run, dice))
    log.append(
        *_searches(found),
        *(Draft("found", data, f"{data['order']}:{data['url']}") for data in found),
    )
    clear = [data["url"] for data in found if not run.credibility.blocks(data["parts"]["score"])]
    for url in list(dict.fromkeys(clear))[:read]:
        log.append(*_assessed(url, dice))
    _conclude(log, sentences, dice)
    log.append(Draft("finished", {"outcome": "done"}, str(epoch)))
    return session


def _found(sources: int, run: RunSettings, dice: Random) -> Iterator[dict[str, Any]]:
    """Every source listed once, each fifth by a second query too, with other words."""
    for n in range(sources):
        url = f"https://{dice.choice(HOSTS).format(n % 40)}/pages/{n}"
        for order in (0, 1) if n % 5 == 0 else (n % 4,):
            snippet = " ".join(dice.sample(WORDS, dice.randint(1, 9)))
            parts = asdict(credibility.assess(url, snippet, ANSWERED, run.credibility))
            title = f"Page {n} on {' and '.join(dice.sample(WORDS[:6], 2))}"
            yield {
                "url": url,
                "title": title,
                "snippet": snippet,
                "engine": "library",
                "order": order,
                "rank": n,
                "parts": parts,
            }


def _searches(found: list[dict[str, Any]]) -> Iterator[Draft]:
    queries = [
        {
            "text": ANSWERED if not n else f"{ANSWERED} {WORDS[n]}",
            "order": n,
            "purpose": "planned" if n else "question",
        }
        for n in range(4)
    ]
    plan = {"type": "overview", "strategy": "", "sub_questions": ["What is known?"], "note": ""}
    yield Draft("planned", {"part": "plan", "queries": queries, **plan}, "plan")
    for query in queries:
        order = query["order"]
        outcome = {
            "engine": "library",
            "state": "answered",
            "reason": "",
            "results": sum(data["order"] == order for data in found),
        }
        yield Draft(
            "searched",
            {"order": order, "place": 0, "query": query["text"], **outcome},
            f"{order}:library",
        )


def _assessed(url: str, dice: Random) -> Iterator[Draft]:
    """A source that is read and judged; one of twenty cannot be read, one of thirty leads to a page
    read before.
    """
    yield from (Draft(kind, {"url": url}, url) for kind in ("admitted", "fetch"))
    if dice.random() < 0.05:
        yield Draft("fetched", {"url": url, "failure": "The site did not answer within 20 s."}, url)
        return
    facts = (
        f"In trial {n} of {url}, {dice.randint(2, 90)} % of the {dice.choice(WORDS[4:])} met {dice.choice(WORDS)} risks."
        for n in range(9)
    )
    text = "The environmental risks of deep-sea mining, observed.\n\n" + "\n\n".join(facts)
    final = url if dice.random() > 1 / 30 else "https://copies.example.org/the-same-page"
    page = Page(url, final, f"What is known at {url}", text)
    summary = summarize(ANSWERED, page)
    read = {
        "url": url,
        "final_url": final,
        "title": page.title,
        "published": "2025-03-01",
        "kind": "html",
        "page": text,
    }
    yield Draft("fetched", {**read, "characters": len(text)}, url)
    yield Draft(
        "passages",
        {"url": url, "passages": [asdict(p) for p in summary.passages], "summary": summary.summary},
        url,
    )
    score = dice.choices((1, 2, 3, 4, 5), (1, 2, 3, 4, 3))[0]
    judged = {
        "url": url,
        "title": page.title,
        "score": score,
        "explanation": f"Covers {score} of 5 aspects.",
        "scored": True,
        "reason": "",
    }
    yield Draft("judged", judged, url)


def _conclude(log: EventLog, sentences: int, dice: Random) -> None:
    """Gate, text, check and report of what the log holds, as the pipeline makes them; each sentence
    cites one to three passages.
    """
    run = fold_events(log.emitted)
    gate = decide.decide_gate(run)
    verdicts = [asdict(verdict) for verdict in gate.verdicts]
    passages = {passage.id: passage for url in gate.kept for passage in run.sources[url].passages}
    lines = [f"## Executive Summary\n\nSources were read: {gate.total}.\n\n## Main Findings\n"]
    for id in dice.choices(list(passages), k=sentences if passages else 0):
        cited = dict.fromkeys([id, *dice.choices(list(passages), k=dice.choice((0, 0, 1, 2)))])
        lines.append(
            f"- {passages[id].text.splitlines()[-1]} {' '.join(f'[{name}]' for name in cited)}"
        )
    text = "\n".join(lines)
    checked = verify(draft.parse(text), passages)
    log.append(
        Draft("gated", {**asdict(gate), "kept": list(gate.kept), "verdicts": verdicts}, "gated"),
        Draft("written", {"text": text, "removed": 0}, "written"),
        Draft("verified", {"blocks": [asdict(block) for block in checked]}, "verified"),
        Draft(
            "decide",
            {
                "do": "tally",
                "model_calls": 130,
                "other_calls": 124,
                "tokens": 0,
                "cost": 0.0,
                "seconds": 60.0,
            },
            "tally",
        ),
    )
    built = report.build(fold_events(log.emitted))
    log.append(
        Draft(
            "report",
            {"decision": built.decision, "sha": "", "markdown": report.to_markdown(built)},
            "report",
        )
    )


def with_shared_components(at: AppTest) -> AppTest:
    """The same screen, which does not look for components in the installed packages anew."""
    at._bidi_component_manager = COMPONENTS
    return at


def shown(page: str, **query: str) -> AppTest:
    """A screen opened by its address, inside the shell."""
    at = with_shared_components(AppTest.from_file(SHELL, default_timeout=100))
    at.query_params.update(query)
    if page != "ask.py":
        at.switch_page(page)
    at.run()
    assert not at.exception
    return at


def words(at: AppTest) -> str:
    """All the words of a screen, markup and all."""
    kinds: tuple[Any, ...] = (
        at.title,
        at.header,
        at.subheader,
        at.markdown,
        at.caption,
        at.info,
        at.warning,
        at.error,
        at.code,
    )
    html = [element.proto.body for element in at.get("html")]
    return "\n".join([*(element.value for kind in kinds for element in kind), *html])


def links(at: AppTest) -> list[tuple[str, str]]:
    """Address and label of every link to another screen; Ask is at ""."""
    return [(element.proto.page, element.proto.label) for element in at.get("page_link")]


def keys(at: AppTest) -> set[str]:
    """The keys of the buttons."""
    return {button.key for button in at.button}
