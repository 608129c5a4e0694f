"""Which page is read for a claim: the first of the addresses that gives enough to go by, and none
that its caller may not read.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from research_core.citations.checks.claim_support import find_claim_support
from research_core.context import memory_log
from research_core.errors import FetchError
from research_core.journal.deps import Deps
from research_core.journal.doorway import Doorway
from research_core.policy import RunSettings
from research_core.settings import Settings
from tests import cited_works
from tests.cited_works import CLAIM, PAGE, UNRELATED_TEXT
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
    deps, web = read({SECOND: cited_works.make_page()})
    found = find_claim_support(deps, CLAIM, [FIRST, SECOND])
    assert found.coverage == "addressed"
    deps, web = read({THIRD: cited_works.make_page()})
    assert find_claim_support(deps, CLAIM, [FIRST, SECOND, THIRD]).coverage == "source_unavailable"
    assert THIRD not in web.urls


def test_a_page_that_says_nothing_of_it_may_lead_to_the_text_that_does() -> None:
    deps, _ = read({FIRST: cited_works.make_page(UNRELATED_TEXT), SECOND: cited_works.make_page()})
    assert find_claim_support(deps, CLAIM, [FIRST, SECOND]).coverage == "addressed"
    deps, _ = read({FIRST: cited_works.make_page(UNRELATED_TEXT)})
    found = find_claim_support(deps, CLAIM, [FIRST, SECOND])
    assert (found.coverage, found.url) == ("not_addressed", PAGE)


GERMAN = (
    "Die Sensoren sind so klein wie die Teile der Zelle, und das Licht liest mit hoher Genauigkeit ab, was sie dort messen. "
    * 12
)
RUSSIAN = (
    "Датчики так малы, как части клетки, и свет с высокой точностью считывает то, что они там измеряют. "
    * 12
)
HUNGARIAN = (
    "Az apró érzékelők olyan kicsik, mint a sejt részei, és a fény nagy pontossággal olvassa le a mért értéket. "
    * 12
)


@pytest.mark.parametrize(
    ("text", "declared"),
    [(GERMAN, ""), (GERMAN, "en"), (RUSSIAN, ""), (HUNGARIAN, "hu")],
    ids=["words", "misdeclared", "script", "declared"],
)
def test_a_page_in_another_language_than_the_claim_could_not_be_checked(
    text: str, declared: str
) -> None:
    reply = cited_works.make_page(text)
    body = (
        reply.body.replace(b"<html>", f'<html lang="{declared}">'.encode())
        if declared
        else reply.body
    )
    deps, _ = read({FIRST: replace(reply, body=body)})
    found = find_claim_support(deps, CLAIM, [FIRST])
    assert (found.coverage, found.reason) == (
        "source_unavailable",
        f"The page is in another language than the claim ({PAGE}).",
    )


def test_a_page_of_whose_language_nothing_speaks_is_silent_and_so_is_one_in_the_language_of_the_claim() -> (
    None
):
    for text, claim in (
        (HUNGARIAN, CLAIM),
        (GERMAN, "Kaffee senkt nicht das Risiko von Diabetes"),
        (UNRELATED_TEXT, "Los Angeles grew fastest"),
    ):
        deps, _ = read({FIRST: cited_works.make_page(text)})
        assert find_claim_support(deps, claim, [FIRST]).coverage == "not_addressed"


def test_an_address_that_is_refused_is_not_read() -> None:
    def refuse(url: str) -> None:
        if url == FIRST:
            raise FetchError("Struck by hand.", kind="disallowed")

    deps, web = read({FIRST: cited_works.make_page(), PAGE: cited_works.make_page(UNRELATED_TEXT)})
    found = find_claim_support(deps, CLAIM, [FIRST], refuse)
    assert (found.coverage, found.reason) == ("source_unavailable", "Struck by hand.")
    assert web.urls == []


def test_without_an_address_that_is_said() -> None:
    deps, _ = read({})
    assert find_claim_support(deps, CLAIM, ["", ""]).reason == "There is no address to read."
