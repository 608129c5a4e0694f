"""Dropped pages that are judged again by the question as the search results spell it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from research_core.models import Report
from research_core.pipeline import report
from research_core.policy import RunSettings
from research_core.sessions import runner, session_start, snapshot
from research_core.sessions.replay import replay_session
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources

Ask = Callable[..., Report]
PAGES = (
    "# Before the winter\n\nA mower rests from November on. Clean the carburetor of the mower"
    " with a"
    " brush and petrol, and let the carburetor dry for an hour.",
    "# A mower that stalls\n\nMost mowers stall because the carburetor is dirty. To clean a"
    " carburetor, take off its bowl and spray the jets of the carburetor.",
    "# Tools for a workshop\n\nA thin wire cleans the jets of a carburetor. The carburetor of"
    " a mower"
    " is cleaned with a spray.",
    "# Grass in summer\n\nA mower cuts the grass once a week. Clean the blade of the mower.",
)
ASKED = "how do i clean the carborator of my mower at home"


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Ask]:
    """Ask a question of a library with these pages, and replay the session."""
    made: list[Resources] = []

    def research(question: str, *pages: str) -> Report:
        folder = tmp_path / "pages"
        folder.mkdir()
        for number, page in enumerate(pages):
            (folder / f"page-{number}.md").write_text(page, encoding="utf-8")
        home = tmp_path / "home"
        settings = Settings(
            home=home, database_url=f"sqlite:///{home / 'assay.db'}", semantic=False
        )
        resources = Resources(settings)
        made.append(resources)
        resources.library().add(folder, "mine")
        wanted = RunSettings(engines=("library",), library="mine")
        session = session_start.new_session(resources, question, wanted)
        assert runner.resume_or_run(resources, session, "test").outcome == "done"
        assert replay_session(resources, LOCAL_USER, session).same
        return report.build(snapshot.read_session(resources, session).run)

    yield research
    for resources in made:
        resources.close()


def test_a_slip_that_no_page_holds_drops_none(ask: Ask) -> None:
    answered = ask(ASKED, *PAGES)
    kept = [source.title for source in answered.sources if source.status == "kept"]
    assert len(kept) == 3
    assert "“carborator” was read as “carburetor”." in answered.plan["note"]
    lines = report.to_markdown(answered).splitlines()
    lacking = [line for line in lines if line.startswith("- No source has")]
    assert len(lacking) == 1
    assert "carborator" not in lacking[0]


def test_a_name_that_no_page_holds_is_read_as_no_other(ask: Ask) -> None:
    answered = ask("how do i clean the Carbonaro of my mower at home", *PAGES)
    assert "was read as" not in answered.plan.get("note", "")


@pytest.mark.parametrize("count", [1, 2])
def test_a_word_the_library_was_searched_for_is_read_so_however_few_hold_it(
    ask: Ask, count: int
) -> None:
    answered = ask(ASKED, *PAGES[:count])
    assert [source.title for source in answered.sources if source.status == "kept"]
    assert all(
        dict(each["spelled"])["carborator"] == "carburetor" for each in answered.searches[:1]
    )
    assert "“carborator” was read as “carburetor”." in answered.plan["note"]
    text = report.to_markdown(answered)
    assert "Searched in the library as “carburetor”: no document holds “carborator”." in text


def test_a_word_that_is_spelled_right_leaves_no_trace_of_spelling(ask: Ask) -> None:
    answered = ask("carburetor cleaning", *PAGES)
    assert not any("spelled" in search for search in answered.searches)
    assert "Searched in the library as" not in report.to_markdown(answered)
