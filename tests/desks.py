"""Sessions to look at, screens opened on them without a browser, and what stands on those screens."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from research_core import runner, store
from research_core.events import Draft, as_written
from research_core.policy import RunSettings
from research_core.store import Row, Store
from research_core.wiring import LOCAL, Office, open_log

SHELL = Path(__file__).parents[1] / "pages" / "shell.py"
ANSWERED = "What are the environmental risks of deep-sea mining?"
HOSTILE = "The model answers <b>nothing</b> ![beacon](http://evil.example/)."
UNANSWERED = "How much do flamenco guitarists charge compared with classical guitarists for weddings and private events?"


@dataclass(frozen=True)
class Desk:
    """A home with sessions. answered, unanswered: finished ones."""

    office: Office
    answered: str
    unanswered: str

    def cut(self, status: str, before: str = "gated") -> str:
        """A copy of the answered session that ends before its first event of this kind and stands as runner.status says."""
        db, now = self.office.db, self.office.clock.now()
        session = runner.new_session(self.office, ANSWERED, RunSettings())
        if status == "queued":
            return session
        executor = runner.executor_id()
        epoch = store.take(db, LOCAL, session, executor, now)
        if status == "running":
            store.beat(db, executor, now)
        events = Store(db, LOCAL, self.answered).read()
        stop = next(n for n, event in enumerate(events) if event.kind == before)
        copy = Store(db, LOCAL, session, epoch)
        for event in events[:stop]:
            copy.append([Row(event.kind, as_written(event.data), event.key)], {}, now)
        self.end(session, status, epoch)
        return session

    def end(self, session: str, status: str, epoch: int) -> None:
        log = open_log(self.office, LOCAL, session, epoch=epoch)
        if status == "failed":
            log.append(Draft("failed", {"error": HOSTILE, "next_step": "Resume later.", "type": "ModelError"}, str(epoch)))
        elif status == "cancelled":
            log.append(Draft("finished", {"outcome": "cancelled"}, str(epoch)))


def research(office: Office, question: str) -> str:
    """Run a question here and now; its session."""
    session = runner.new_session(office, question, RunSettings())
    executor = runner.executor_id()
    with runner.heartbeat(office, executor):
        assert runner.attempt(office, session, executor).outcome == "done"
    return session


def shown(page: str, **query: str) -> AppTest:
    """A screen opened by its address, inside the shell."""
    at = AppTest.from_file(SHELL, default_timeout=30)
    at.query_params.update(query)
    if page != "ask.py":
        at.switch_page(page)
    at.run()
    assert not at.exception
    return at


def words(at: AppTest) -> str:
    """All the words of a screen, markup and all."""
    kinds: tuple[Any, ...] = (at.title, at.header, at.subheader, at.markdown, at.caption, at.info, at.warning, at.error, at.code)
    html = [element.proto.body for element in at.get("html")]
    return "\n".join([*(element.value for kind in kinds for element in kind), *html])


def links(at: AppTest) -> list[tuple[str, str]]:
    """Address and label of every link to another screen; Ask is at ""."""
    return [(element.proto.page, element.proto.label) for element in at.get("page_link")]


def keys(at: AppTest) -> set[str]:
    """The keys of the buttons."""
    return {button.key for button in at.button}
