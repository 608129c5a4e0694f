"""Which page is read for a claim: the first of the addresses that gives enough to go by, and none that its caller may not read."""

from __future__ import annotations

from pathlib import Path

from research_core.checks.claimed import support
from research_core.context import memory_log
from research_core.deps import Deps
from research_core.doorway import Doorway
from research_core.errors import FetchError
from research_core.policy import RunSettings
from research_core.settings import Settings
from tests import cited
from tests.cited import CLAIM, ELSEWHERE, PAGE
from tests.scripted import Scripted
from tests.tool_session import POOL, Web
from tests.world import StillClock

FIRST, SECOND, THIRD = (f"https://site{n}.example.org/a" for n in range(3))


def read(pages: dict[str, object]) -> tuple[Deps, Web]:
    log, clock, web = memory_log("tea"), StillClock(), Web(pages)  # type: ignore[arg-type]
    doorway = Doorway(log, web, Scripted("no answer"), clock)
    settings = Settings(home=Path("unused"), database_url="sqlite://", ddgs_engines=())
    return Deps(settings, RunSettings(), doorway.http, doorway.model, log, clock, POOL), web


def test_where_the_first_address_gives_nothing_the_second_is_read_and_no_third() -> None:
    deps, web = read({SECOND: cited.page()})
    found = support(deps, CLAIM, [FIRST, SECOND])
    assert found.coverage == "addressed"
    deps, web = read({THIRD: cited.page()})
    assert support(deps, CLAIM, [FIRST, SECOND, THIRD]).coverage == "source_unavailable"
    assert THIRD not in web.urls


def test_a_page_that_says_nothing_of_it_may_lead_to_the_text_that_does() -> None:
    deps, _ = read({FIRST: cited.page(ELSEWHERE), SECOND: cited.page()})
    assert support(deps, CLAIM, [FIRST, SECOND]).coverage == "addressed"
    deps, _ = read({FIRST: cited.page(ELSEWHERE)})
    found = support(deps, CLAIM, [FIRST, SECOND])
    assert (found.coverage, found.url) == ("not_addressed", PAGE)


def test_an_address_that_is_refused_is_not_read() -> None:
    def refuse(url: str) -> None:
        if url == FIRST:
            raise FetchError("Struck by hand.", kind="disallowed")

    deps, web = read({FIRST: cited.page(), PAGE: cited.page(ELSEWHERE)})
    found = support(deps, CLAIM, [FIRST], refuse)
    assert (found.coverage, found.reason) == ("source_unavailable", "Struck by hand.")
    assert web.urls == []


def test_without_an_address_that_is_said() -> None:
    deps, _ = read({})
    assert support(deps, CLAIM, ["", ""]).reason == "There is no address to read."
