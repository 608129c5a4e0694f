"""The Library screen, without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from parts import documents, drop, jobs, taken
from research_core.library import FileRead, importing
from research_core.wiring import LOCAL, Office
from tests.desks import shown, words

VISIT = ("visit.md", b"# Site visit\n\nThe heat pump ran at a seasonal performance of 2.6.", "text/markdown")
HOSTILE = (
    "=cmd.md",
    b'# =HYPERLINK("http://evil.example/") ![beacon](http://evil.example/b.png)\n\n<script>alert(1)</script> words.',
    "text/markdown",
)


@pytest.fixture
def filled(office: Office) -> Office:
    """An office whose own library holds two documents, one of them hostile."""
    office.library(LOCAL).add_sent([VISIT[:2], HOSTILE[:2]], "my")
    return office


def finished(at: AppTest) -> AppTest:
    """The screen once what it does in the background is done."""
    at.session_state[drop.JOB].result.exception(20)
    at.run()
    assert not at.exception
    return at


def test_first_visit_says_where_to_drop_documents(office: Office) -> None:
    at = shown("library.py")
    assert at.selectbox(key="shelf").options == ["Your library · 0 documents", "The sample library"]
    assert "Nothing is in this library yet" in words(at)
    assert at.get("popover")


def test_files_dropped_are_read_and_each_is_told_what_became_of_it(office: Office) -> None:
    at = shown("library.py")
    at.file_uploader[0].set_value([VISIT, ("blank.txt", b" ", "text/plain"), ("broken.pdf", b"%PDF-1.4 nothing", "application/pdf")]).run()
    said = words(finished(at))
    assert "1 added, 2 that could not be read" in said
    for badge, name in (("read", "visit.md"), ("nothing in it", "blank.txt"), ("not taken", "broken.pdf")):
        assert any(badge in line and name in line for line in said.split("<li>")), name
    assert at.selectbox(key="shelf").options[0] == "Your library · 1 document"
    assert at.file_uploader[0].value == []
    assert list(at.dataframe[0].value["title"]) == ["Site visit"]
    at.button(key="close_taken").click().run()
    assert "nothing in it" not in words(at)


def test_file_of_another_kind_gets_its_line_beside_those_that_are_read(office: Office) -> None:
    at = shown("library.py")
    assert not at.file_uploader[0].proto.type, "the browser would leave it out without a word"
    at.file_uploader[0].set_value([VISIT, ("setup.exe", b"MZ words", "application/octet-stream")]).run()
    (line,) = [line for line in words(finished(at)).split("<li>") if "setup.exe" in line]
    assert "not taken" in line
    assert "Files of this kind (.exe)" in line
    assert len(office.library(LOCAL).documents("my")) == 1


def test_browser_is_told_the_count_of_the_library_it_shows_once_that_changes(filled: Office) -> None:
    at = shown("library.py")
    drawn = at.selectbox(key="shelf").proto
    assert (drawn.set_value, drawn.raw_value) == (True, "Your library · 2 documents")
    assert not at.run().selectbox(key="shelf").proto.set_value, "it would take back what somebody chooses meanwhile"
    filled.library(LOCAL).add_sent([("more.md", b"# More\n\nMore words.")], "my")
    drawn = at.run().selectbox(key="shelf").proto
    assert (drawn.set_value, drawn.raw_value) == (True, "Your library · 3 documents")
    at.selectbox(key="shelf").set_value("sample").run()
    assert at.selectbox(key="shelf").value == "sample"


def test_an_import_that_fails_is_said_once_with_its_next_step(filled: Office) -> None:
    at = shown("library.py")
    at.text_input(key="folder").set_value("/nowhere/at/all")
    at.button(key="add_folder").click().run()
    assert not at.exception
    assert "no file or folder" in at.error[0].value
    assert "Next step:" in words(at)


@pytest.mark.parametrize("path", ["", "/nowhere", "~nosuchuser/x", "/" + "x" * 5000, "x" * 5000, "/a\0b"])
def test_path_that_leads_nowhere_is_said(office: Office, path: str) -> None:
    at = shown("library.py")
    at.text_input(key="folder").set_value(path)
    at.button(key="add_folder").click().run()
    assert not at.exception
    assert "no file or folder" in at.error[0].value
    assert "as a terminal shows it" in words(at)


def test_second_import_waits_for_the_first(office: Office, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Tides\n\nThe tide turns twice a day.", encoding="utf-8")
    at = shown("library.py")
    at.text_input(key="folder").set_value(str(tmp_path))
    first = at.session_state[drop.JOB] = jobs.Job("Reading")
    at.button(key="add_folder").click().run()
    assert at.session_state[drop.JOB] is first
    assert at.button(key="add_folder").disabled
    assert at.file_uploader[0].disabled
    first.result.set_result([])
    at.run()
    assert not at.button(key="add_folder").disabled


def test_a_folder_of_this_machine_is_added_by_its_path(office: Office, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Tides\n\nThe tide turns twice a day.", encoding="utf-8")
    at = shown("library.py")
    at.text_input(key="folder").set_value(str(tmp_path / "note.md"))
    at.button(key="add_folder").click().run()
    finished(at)
    assert [row["title"] for row in office.library(LOCAL).documents("my")] == ["Tides"]


def test_a_library_is_made_and_then_looked_at(office: Office) -> None:
    at = shown("library.py")
    at.text_input(key="new_shelf_name").set_value("Tide tables")
    at.button(key="make_shelf").click().run()
    assert at.selectbox(key="shelf").value == "Tide tables"
    at.text_input(key="new_shelf_name").set_value("a/b")
    at.button(key="make_shelf").click().run()
    assert "would make it a path" in at.error[0].value


def test_a_library_is_removed_with_all_it_holds(filled: Office) -> None:
    at = shown("library.py")
    at.button(key="remove_shelf_now").click().run()
    assert not at.exception
    assert filled.library(LOCAL).documents("my") == []
    assert at.selectbox(key="shelf").options[0] == "Your library · 0 documents"


def test_the_sample_can_be_looked_at_and_not_changed(office: Office) -> None:
    at = shown("library.py")
    at.selectbox(key="shelf").set_value("sample").run()
    assert len(at.dataframe[0].value) == len(office.library(LOCAL).documents("sample"))
    assert "cannot be changed" in words(at)
    assert not at.file_uploader
    assert "remove_now" not in {button.key for button in at.button}


def test_selected_documents_are_opened_and_removed(filled: Office) -> None:
    at = shown("library.py")
    table = at.dataframe[0]
    row = list(table.value["title"]).index("Site visit")
    at.session_state["documents_my_0"] = {"selection": {"rows": [row], "columns": [], "cells": []}}
    at.run()
    assert "seasonal performance of 2.6" in words(at)
    at.session_state["documents_my_0"] = {"selection": {"rows": [row], "columns": [], "cells": []}}
    at.button(key="remove_now").click().run()
    assert not at.exception
    assert [found["file"] for found in filled.library(LOCAL).documents("my")] == ["=cmd.md"]
    assert "Select a document" in words(at)


def test_a_search_shows_passages_where_they_stand_and_opens_one(filled: Office) -> None:
    at = shown("library.py")
    at.text_input(key="search_my").set_value("heat pump").run()
    assert "ran at a seasonal performance" in words(at)
    assert "the whole text" in words(at)
    at.button(key="open_1").click().run()
    assert 'aria-label="Stored text"' in words(at)
    at.text_input(key="search_my").set_value("zeppelin").run()
    assert "holds any of these words" in words(at)


def test_what_a_document_says_is_drawn_as_characters(filled: Office) -> None:
    at = shown("library.py")
    at.text_input(key="search_my").set_value("words").run()
    at.button(key="open_1").click().run()
    said = words(at)
    assert "<script" not in said
    assert "![" not in at.button(key="open_1").label
    at.text_input(key="search_my").set_value("").run()
    assert [title[:2] for title in at.dataframe[0].value["title"] if "HYPERLINK" in title] == ["'="]


@pytest.mark.parametrize(("wanted", "left"), [("site", 1), ("VISIT md", 1), ("zeppelin", 0), ("", 2)])
def test_list_is_narrowed_to_those_that_hold_all_the_words(wanted: str, left: int) -> None:
    rows = [
        {"title": "Site visit", "file": "visit.md", "kind": "text", "url": "document:1"},
        {"title": "B", "file": "b", "kind": "", "url": "u"},
    ]
    assert len(documents.filtered(rows, wanted)) == left


def test_every_state_of_a_file_has_a_badge() -> None:
    states = {"added", "replaced", "unchanged", "repeated", "failed", *importing.STATES.values()}
    assert states == set(taken.STATE)
    assert FileRead("a", "added").state in taken.STATE


@pytest.mark.parametrize(
    ("address", "headers", "here"),
    [
        ("127.0.0.1", {}, True), ("localhost", {}, True), ("::1", {}, True), ("0.0.0.0", {}, False), ("", {}, False),
        ("10.0.0.5", {}, False), ("127.0.0.1", {"X-Forwarded-For": "10.0.0.9"}, False), ("127.0.0.1", {"Host": "localhost"}, True),
    ],
)  # fmt: skip
def test_a_path_may_be_given_only_by_who_sits_at_the_machine(address: str, headers: dict[str, str], here: bool) -> None:
    assert drop.sits_here(address, headers) == here
