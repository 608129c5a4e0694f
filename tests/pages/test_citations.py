"""The screen Citations, without a browser: a list goes in, each entry's state comes out, and the
cleaned list can be taken along.
"""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from parts.citations import check_results
from parts.shared import badges
from research_core.citations.formats.styles import STYLES
from research_core.errors import FetchError
from research_core.export import bibliography_check
from research_core.models import HttpReply
from research_core.wiring import Resources
from tests import cited_works
from tests.sample_sessions import keys, links, shown, words
from tests.timing import LONG_S

HOSTILE = "<b>bold</b> ![beacon](http://evil.example/b.png)"
RETRACTED, MADE_UP, OTHER = "10.1000/retracted", "10.9999/made.up", "10.1000/other"
TEXT = f"""Doe, J. (2020). On tides in the harbour. Seas, 4, 12-19. https://doi.org/{cited_works.DOI}
Roe, R. (2019). On walls that fell down. Seas, 3, 1-9. https://doi.org/{RETRACTED}
Moe, M. (2018). On kelp that nobody saw. Seas, 2, 1-9. https://doi.org/{MADE_UP}
Poe, E. (2017). On ravens at the coast. Seas, 1, 1-9. https://doi.org/{OTHER}
"""


class Registries:
    """Crossref and the registry of DOIs, in which one work is as cited, one retracted, one another;
    every site refuses.
    """

    def send(self, _method: str, url: str, **_options: Any) -> HttpReply:
        told = {
            f"{cited_works.CROSSREF}/{cited_works.DOI}": cited_works.make_crossref_answer(
                title="On tides in the harbour"
            ),
            f"{cited_works.CROSSREF}/{RETRACTED}": cited_works.make_retraction_answer(
                title="On walls that fell down", doi=RETRACTED
            ),
            f"{cited_works.CROSSREF}/{OTHER}": cited_works.make_crossref_answer(
                title=f"Migration of arctic terns {HOSTILE}", doi=OTHER
            ),
        }
        if url in told:
            return HttpReply(url, 200, {}, json.dumps(told[url]).encode())
        if url.startswith(cited_works.HANDLE):
            return HttpReply(url, 404, {}, json.dumps(cited_works.make_handle(100)).encode())
        if url.startswith("https://doi.org/"):
            return HttpReply(url, 403, {}, b"No.")
        if url.startswith((cited_works.CROSSREF, cited_works.OPENALEX, cited_works.DATACITE)):
            body = next(
                body for start, body in cited_works.NO_WORK_EXISTS.items() if url.startswith(start)
            )
            return HttpReply(
                url,
                404 if url.count("/") > 3 and "10." in url else 200,
                {},
                json.dumps(body).encode(),
            )
        raise FetchError("Nobody is there.", kind="disallowed")

    def close(self) -> None:
        pass


@pytest.fixture
def registries(resources: Resources) -> Resources:
    resources.__dict__["client"] = Registries()
    return resources


def checked(text: str = TEXT) -> AppTest:
    at = shown("citations.py")
    at.text_area(key="references").set_value(text)
    at.button(key="check").click().run()
    until = time.monotonic() + LONG_S
    while "another_list" not in keys(at) and time.monotonic() < until:
        assert not at.exception
        time.sleep(0.1)
        at.run()
    return at


def test_an_empty_screen_teaches_and_offers_an_example(resources: Resources) -> None:
    at = shown("citations.py")
    assert "Find references that do not exist" in words(at)
    at.button(key="example").click().run()
    assert at.text_area(key="references").value.startswith("Kucsko")
    assert "No session yet." in words(at)
    assert ("", "Ask a question") in links(at)


def test_every_state_has_its_word_and_what_it_means() -> None:
    assert (
        set(bibliography_check.STATES)
        == set(badges.CITATION_BADGES)
        == set(check_results.STATE_MEANINGS)
    )


@pytest.mark.parametrize("text", ["", "@article{one, title={Broken\n"])
def test_a_list_that_cannot_be_read_is_said(resources: Resources, text: str) -> None:
    at = shown("citations.py")
    at.text_area(key="references").set_value(text)
    at.button(key="check").click().run()
    assert at.error
    assert "Next step" in words(at)
    assert "check" in keys(at)


def test_each_entry_stands_as_the_registries_say(registries: Resources) -> None:
    at = checked()
    assert not at.exception
    table = at.dataframe[0].value
    assert list(table["state"]) == ["✓ exists", "✕ retracted", "⊘ not found", "≠ different work"]
    assert list(table["number"]) == [1, 2, 3, 4]
    assert "<b>bold" not in words(at)


class NoNetwork(Registries):
    """Nobody can be asked."""

    def send(self, _method: str, url: str, **_options: Any) -> HttpReply:
        raise FetchError(f"The name of {url} could not be found.", kind="network")


def test_without_a_connection_each_row_says_so_and_the_form_before(resources: Resources) -> None:
    resources.__dict__["client"] = NoNetwork()
    assert "No internet connection: references cannot be looked up." in words(shown("citations.py"))
    at = checked()
    table = at.dataframe[0].value
    assert list(table["reason"]) == ["No connection"] * 4
    assert list(table["state"]) == ["? could not be checked"] * 4


def test_the_main_finding_comes_first(registries: Resources) -> None:
    at = checked()
    assert at.error[0].value == (
        "3 of 4 references have a problem: 1 retracted, 1 not found, 1 different work. 1 reference exists."
    )
    kinds = [element.type for element in at.main.children.values()]
    assert kinds.index("error") < kinds.index("button_group")


@pytest.mark.parametrize(
    ("states", "kind", "message"),
    [
        (["ok", "noted"], "success", "2 references exist."),
        (
            ["unchecked", "unchecked"],
            "info",
            "2 references could not be checked. This does not mean that they are false.",
        ),
        (
            ["dead_link", "ok"],
            "warning",
            "1 of 2 references has a problem: 1 dead link. 1 reference exists.",
        ),
        (["linked"], "success", "1 reference has a working link but no record."),
        (
            ["not_found", "unchecked"],
            "error",
            "1 of 2 references has a problem: 1 not found. 1 reference could not be checked. This"
            " does not mean that it is false.",
        ),
    ],
)
def test_the_four_outcomes_stay_apart(states: list[str], kind: str, message: str) -> None:
    def page(states: list[str]) -> None:
        from parts.citations import check_results

        check_results.draw_finding(states)

    at = AppTest.from_function(page, kwargs={"states": states}).run()
    assert not at.exception
    (box,) = getattr(at, kind)
    assert box.value == message


def test_pressed_counts_leave_the_others_out(registries: Resources) -> None:
    at = checked()
    at.button_group[0].set_value(["retracted"]).run()
    assert list(at.dataframe[0].value["state"]) == ["✕ retracted"]


def test_the_list_is_taken_along_in_a_style(registries: Resources) -> None:
    at = checked()
    at.selectbox(key="style").select("bibtex").run()
    at.checkbox(key="without").uncheck().run()
    assert not at.exception
    labels = {each.label for each in at.get("download_button")}
    assert {"Download", "Results as CSV", "Results as JSON"} <= labels


def test_the_rest_of_a_long_list_is_checked_on_request(registries: Resources) -> None:
    lines = TEXT * 50 + "Loe, L. (2016). On sand. Seas, 9, 1-2. https://doi.org/10.1000/last\n"
    at = checked(lines)
    assert "**200 of 201 references** in the pasted list" in words(at)
    assert "1 reference is not checked yet" in words(at)
    at.button(key="check_rest").click().run()
    until = time.monotonic() + LONG_S
    while "another_list" not in keys(at) and time.monotonic() < until:
        time.sleep(0.1)
        at.run()
    assert not at.exception
    assert "**201 references**" in words(at)
    assert "check_rest" not in keys(at)


def test_another_list_can_be_checked(registries: Resources) -> None:
    at = checked()
    at.button(key="another_list").click().run()
    assert {"check", "example"} <= keys(at)
    assert not at.dataframe


def test_the_marks_of_a_report_are_checked_without_asking_anybody(resources: Resources) -> None:
    at = shown("citations.py")
    at.text_area(key="report_to_lint").set_value(
        "Seals dive [1], far [9].\n\n## Sources\n\n1. A https://a.example/<b>\n"
    )
    at.button(key="lint").click().run()
    assert not at.exception
    assert at.error[0].value == "Citations: 2. Sources listed: 1. Links: 1."
    assert "cited, but in no list of sources): 1\n\n- line 1: 9" in words(at)
    at.text_area(key="report_to_lint").set_value(
        "Seals dive [1].\n\n## Sources\n\n1. A https://a.example/\n"
    ).run()
    assert "Nothing is wrong with them" in at.success[0].value


@pytest.mark.parametrize(
    ("style", "name"),
    [
        ("apa", "bibliography.txt"),
        ("bibtex", "bibliography.bib"),
        ("ris", "bibliography.ris"),
        ("csl-json", "bibliography.json"),
    ],
)
def test_the_file_of_the_list_is_named_by_its_style(style: str, name: str) -> None:
    assert style in STYLES
    assert check_results.file_name(style) == name
