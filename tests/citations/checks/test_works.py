"""Whether a work exists and what is recorded against it: no false "not found" or "retracted"."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from research_core.citations.checks.works import Match, Work, look_up_doi, search_work
from research_core.citations.formats import plain
from research_core.citations.formats.item import Item
from research_core.context import memory_log
from research_core.journal.circuit_breaker import CircuitBreakers as Paces
from research_core.journal.deps import Deps
from research_core.journal.doorway import Doorway
from research_core.policy import RunSettings
from research_core.settings import Settings
from tests.cited_works import (
    CROSSREF,
    DATACITE,
    DOI,
    HANDLE,
    NO_PAGE,
    NO_WORK,
    OPENALEX,
    TIMEOUT_ERROR,
    TITLE,
    make_crossref_answer,
    make_crossref_work,
    make_handle,
    make_update,
)
from tests.contracts import encoded
from tests.scripted import Scripted
from tests.tool_calls_made import RECORDED, FixedClock, ScriptedServices, for_each_recorded
from tests.tool_session import POOL


def openalex(doi: str = DOI, retracted: bool = False) -> dict[str, Any]:
    return {
        "id": "https://openalex.org/W1", "doi": f"https://doi.org/{doi}", "display_name": TITLE, "publication_year": 2013,
        "is_retracted": retracted, "authorships": [], "referenced_works": [],
    }  # fmt: skip


def datacite(doi: str = DOI) -> dict[str, Any]:
    return {
        "data": {
            "attributes": {
                "doi": doi,
                "titles": [{"title": TITLE}],
                "creators": [{"name": "A. Person"}],
                "publicationYear": 2020,
            }
        }
    }


def deps(answers: Mapping[str, Any]) -> tuple[Deps, ScriptedServices]:
    log, clock, services, ticks = (
        memory_log("tea"),
        FixedClock(0.0),
        ScriptedServices(answers),
        iter(range(0, 100_000, 5)),
    )
    doorway = Doorway(
        log, services, Scripted("no answer"), clock, services=Paces(lambda: float(next(ticks)))
    )
    settings = Settings(home=Path("unused"), database_url="sqlite://", ddgs_engines=())
    return Deps(settings, RunSettings(), doorway.http, doorway.model, log, clock, POOL), services


def known(answers: Mapping[str, Any], doi: str = DOI) -> Work:
    return look_up_doi(
        deps(
            {
                CROSSREF: NO_WORK,
                OPENALEX: NO_PAGE,
                DATACITE: NO_PAGE,
                HANDLE: make_handle(100),
                **answers,
            }
        )[0],
        doi,
    )


def with_update(kind: str) -> dict[str, Any]:
    """Return an answer of Crossref with a work that has this update."""
    return {CROSSREF: make_crossref_answer(**{"updated-by": [make_update(kind)]})}


UNTITLED_RETRACTION = {
    CROSSREF: {"message": {"DOI": DOI, "updated-by": [make_update("retraction")]}}
}
WORKS = {
    "Crossref holds it": ({CROSSREF: make_crossref_answer()}, True, "Crossref", None),
    "Crossref holds it, retracted": (with_update("retraction"), True, "Crossref", "retraction"),
    "Crossref holds it, doubted": (with_update("expression_of_concern"), True, "Crossref", "expression_of_concern"),
    "Crossref holds it, corrected": (with_update("erratum"), True, "Crossref", "correction"),
    "Crossref holds it, in a new version": (with_update("new_version"), True, "Crossref", None),
    "OpenAlex holds it": ({OPENALEX: openalex()}, True, "OpenAlex", None),
    "OpenAlex holds it, retracted": ({OPENALEX: openalex(retracted=True)}, True, "OpenAlex", "retraction"),
    "OpenAlex holds another one": ({OPENALEX: openalex("10.1/other"), HANDLE: make_handle(100)}, False, "", None),
    "DataCite holds it": ({DATACITE: datacite()}, True, "DataCite", None),
    "only the registry has it": ({HANDLE: make_handle(1)}, True, "", None),
    "the registry has it without an address": ({HANDLE: make_handle(200)}, True, "", None),
    "nobody has it": ({}, False, "", None),
    "nobody has it, and the registry is down": ({HANDLE: TIMEOUT_ERROR}, None, "", None),
    "nobody has it, and the registry is in trouble": ({HANDLE: (500, make_handle(2))}, None, "", None),
    "nobody has it, and the registry says nothing": ({HANDLE: make_handle(2)}, None, "", None),
    "nobody has it, and the registry's page is gone": ({HANDLE: (404, "<html>Not here</html>")}, None, "", None),
    "nobody has it, which the registry says with a 404": ({HANDLE: (404, make_handle(100))}, False, "", None),
    "Crossref is down, and the registry has it": ({CROSSREF: TIMEOUT_ERROR, HANDLE: make_handle(1)}, True, "", None),
    "all are down": ({CROSSREF: TIMEOUT_ERROR, OPENALEX: TIMEOUT_ERROR, DATACITE: TIMEOUT_ERROR, HANDLE: TIMEOUT_ERROR}, None, "", None),
    "Crossref has changed": ({CROSSREF: {"message": []}, HANDLE: make_handle(1)}, True, "", None),
    "Crossref answers with another work": ({CROSSREF: make_crossref_answer(doi="10.1/other"), HANDLE: make_handle(100)}, False, "", None),
    "Crossref holds it without a title": (UNTITLED_RETRACTION, True, "Crossref", "retraction"),
}  # fmt: skip


@pytest.mark.parametrize(("answers", "exists", "by", "kind"), WORKS.values(), ids=WORKS)
def test_a_doi_is_what_the_registries_say(
    answers: Mapping[str, Any], exists: bool | None, by: str, kind: str | None
) -> None:
    found = known(answers)
    assert (found.exists, found.registry, found.notice.kind if found.notice else None) == (
        exists,
        by,
        kind,
    )
    assert found.statements
    assert found.retracted == (kind == "retraction")


def test_the_title_with_its_subtitle_is_one_of_a_record() -> None:
    found = known(
        {
            CROSSREF: make_crossref_answer(
                title="Deep learning", subtitle=["Methods &amp; applications"]
            )
        }
    )
    assert "Deep learning Methods & applications" in found.titles


@for_each_recorded(*[f"crossref_work_by_doi_{n}.json" for n in (1, 2, 3, 6, 7, 8, 9, 10, 11)])
def test_recorded_works_exist_and_none_is_retracted(body: bytes, name: str) -> None:
    doi = json.loads(body)["message"]["DOI"]
    found = known({CROSSREF: (200, body)}, doi)
    assert (found.exists, found.registry, found.notice) == (True, "Crossref", None)
    assert found.record is not None
    assert found.record.doi == doi.lower()


@for_each_recorded("crossref_work_by_doi_13_http404.txt")
def test_a_recorded_refusal_is_not_yet_not_found(body: bytes, name: str) -> None:
    assert known({CROSSREF: (404, body), HANDLE: make_handle(1)}).exists is True
    assert known({CROSSREF: (404, body), HANDLE: TIMEOUT_ERROR}).exists is None


@pytest.mark.skipif(not RECORDED.exists(), reason="the recorded answers are not here")
def test_recorded_notices_are_read_and_none_is_made_up() -> None:
    kinds = []
    for name in (
        "crossref_updates_1.json",
        "crossref_updates_2.json",
        "crossref_updates_5.json",
        "crossref_updates_7.json",
    ):
        answer = json.loads((RECORDED / name).read_bytes())
        for each in (
            answer["message"]["items"] if "items" in answer["message"] else [answer["message"]]
        ):
            found = known({CROSSREF: {"message": each}}, each["DOI"])
            assert found.exists is True
            told = {str(notice.get("type")) for notice in each.get("updated-by", ())}
            assert found.retracted == bool(
                told & {"retraction", "partial_retraction", "withdrawal", "removal"}
            )
            kinds.append(found.retracted)
    assert kinds


# ---------------------------------------------------------------- words

REFERENCE = "Kucsko, G. (2013). Nanometre-scale thermometry in a living cell. Nature, 500, 54-58."


def sought(
    answers: Mapping[str, Any], text: str = REFERENCE, cited: Item | None = None
) -> tuple[Match, ScriptedServices]:
    nothing: dict[str, Any] = {
        CROSSREF: {"message": {"items": [], "total-results": 0}}, OPENALEX: {"results": [], "meta": {"count": 0}},
        DATACITE: {"data": [], "meta": {"total": 0}},
    }  # fmt: skip
    made, services = deps({**nothing, **answers})
    return search_work(made, cited or plain.parse_reference(text), text), services


def listed(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"message": {"items": list(rows), "total-results": len(rows)}}


def test_a_reference_finds_its_work_among_others() -> None:
    found, services = sought(
        {
            CROSSREF: listed(
                make_crossref_work("Thermometry of cells", "10.1/near"),
                make_crossref_work(),
                make_crossref_work("Living cell", "10.1/far"),
            )
        }
    )
    assert (found.confidence, found.work.doi, found.work.registry, found.failed) == (
        "high",
        DOI,
        "Crossref",
        (),
    )
    assert {url for _, url, _ in services.asked} == {CROSSREF}  # who holds it tells of notices too


def test_a_notice_against_the_work_is_found_with_it() -> None:
    found, _ = sought(
        {CROSSREF: listed(make_crossref_work(**{"updated-by": [make_update("retraction")]}))}
    )
    assert found.work.retracted


def test_a_work_that_another_index_holds_is_asked_after_at_crossref() -> None:
    answers = {
        OPENALEX: {"results": [openalex()], "meta": {"count": 1}},
        f"{CROSSREF}/": make_crossref_answer(**{"updated-by": [make_update("retraction")]}),
    }
    found, _ = sought(answers)
    assert (found.confidence, found.work.registry, found.work.retracted) == (
        "high",
        "OpenAlex",
        True,
    )


def test_a_near_neighbour_is_no_match() -> None:
    found, _ = sought(
        {CROSSREF: listed(make_crossref_work("Thermometry in the atmosphere of Mars", "10.1/near"))}
    )
    assert found.confidence in ("low", "medium")


def test_nothing_found_is_no_proof_and_failures_are_told() -> None:
    found, _ = sought({CROSSREF: TIMEOUT_ERROR})
    assert (found.confidence, found.work.exists) == ("none", None)
    assert len(found.failed) == 1
    assert found.failed[0].startswith("Could not be asked: Crossref")


@pytest.mark.parametrize("text", ["", "   "])
def test_words_that_are_none_are_not_searched_for(text: str) -> None:
    found, services = sought({}, text)
    assert found.confidence == "none"
    assert services.asked == []


def test_bodies_are_written_as_services_write_them() -> None:
    assert json.loads(encoded(make_crossref_answer()))["message"]["DOI"] == DOI
