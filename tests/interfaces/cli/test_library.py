"""The command line's library commands: what is added, pruned, worked out and found, and what is
said of it.
"""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from research_core.text import embeddings
from tests.terminal import assay


@pytest.fixture
def notes(tmp_path: Path, assay_home: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, words in (("kiln", "The kiln was warm."), ("clay", "Clay dries slowly.")):
        (folder / f"{name}.md").write_text(f"# Notes on {name}\n\n{words}\n", encoding="utf-8")
    return folder


def test_what_is_gone_from_a_folder_is_said_and_pruned_when_asked(notes: Path) -> None:
    assay("library", "add", str(notes))
    (notes / "clay.md").unlink()
    said = assay("library", "add", str(notes))
    assert said.out == "Documents: 1 unchanged.\n"
    assert (
        "1 document left this folder but is still in the library. Add the folder with --prune to remove them."
        in said.err
    )
    assert (
        assay("library", "add", str(notes), "--prune").out
        == "Documents: 1 unchanged, 1 removed that left the folder.\n"
    )
    assert len(assay("library", "list", "my").out.splitlines()) == 1


def test_several_things_are_added_at_once_and_a_first_word_may_name_the_library(
    notes: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "more.zip", "w") as archive:
        archive.writestr("tea.md", "# Tea\n\nTea is warm.")
    said = assay("library", "add", "pots", str(notes), str(tmp_path / "more.zip"))
    assert (said.code, said.out) == (0, "Documents: 2 added.\nDocuments: 1 added.\n")
    assert "[1/1] more.zip/tea.md" in said.err
    assert len(assay("library", "list", "--name", "pots").out.splitlines()) == 3
    assert assay("library", "list", "my").code == 2


def test_addresses_are_fetched_together_and_each_failure_is_named(assay_home: Path) -> None:
    said = assay("library", "add", "pots", "http://127.0.0.1/private", "https://10.0.0.1/")
    assert said.code == 1
    assert "2 not added" in said.out
    assert "http://127.0.0.1/private: " in said.out
    assert "[2/2] https://10.0.0.1/" in said.err


@pytest.mark.parametrize(
    "path", ["", " ", "loop", "~nobody-of-this-name", "/proc", "x" * 5_000, "a\x00b"]
)
@pytest.mark.parametrize("before", [[], ["notes"], ["--name", "notes"]])
def test_what_cannot_be_added_is_one_line_with_the_next_step(
    assay_home: Path, tmp_path: Path, path: str, before: list[str]
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    said = assay("library", "add", *before, str(tmp_path / "loop") if path == "loop" else path)
    assert (said.code, said.out, len(said.err.splitlines())) == (2, "", 1)
    assert said.last.startswith("assay: ")
    assert assay("library", "list", "my").code == 2


@pytest.mark.parametrize("name", ["", " "])
def test_a_library_without_a_name_is_not_taken_for_none(assay_home: Path, name: str) -> None:
    said = assay("ask", "How warm is a kiln?", "--library", name, "--no-web")
    assert (said.code, said.last.partition(".")[0]) == (
        2,
        "assay: The library name is empty",
    )


def test_a_folder_with_a_file_whose_name_is_no_utf_8_is_added(notes: Path) -> None:
    Path(os.fsdecode(bytes(notes) + b"/bad\xff\xfe.txt")).write_text(
        "The glaze is thin.", encoding="utf-8"
    )
    said = assay("library", "add", str(notes), "--no-meaning")
    assert (said.code, said.out) == (0, "Documents: 3 added.\n")
    assert "[1/3] bad\\udcff\\udcfe.txt" in said.err


def test_no_name_of_a_file_says_anything_to_the_terminal(notes: Path) -> None:
    for name in ("\x1b[31mred.txt", "two\nlines.txt", "\x1b]0;x\x07.bin"):
        (notes / name).write_bytes(b"\x00")
    said = assay("library", "add", str(notes))
    assert "red.txt: " in said.out
    assert "two lines.txt: " in said.out
    assert not set(said.out + said.err) & set("\x1b\x07")
    assert len(said.out.splitlines()) == 4


def test_a_search_says_which_word_it_took_for_another(notes: Path) -> None:
    (notes / "glaze.md").write_text("The celadonite glaze is fired twice.", encoding="utf-8")
    assay("library", "add", str(notes))
    said = assay("library", "search", "celadonitte")
    assert "Searched in the library as “celadonite”: no document holds “celadonitte”." in said.err
    assert "celadonite glaze" in said.out
    assert "no document holds" not in assay("library", "search", "celadonite").err


@pytest.mark.full
def test_what_takes_a_moment_says_so(notes: Path) -> None:
    assay("library", "add", str(notes))
    assert assay("library", "search", "kiln").err.startswith("Searching 2 documents.\n")
    assert "[1/80] " in assay("library", "list", "--name", "sample").err


@pytest.mark.parametrize(
    "words", [["nowhere"], ["nowhere", "nothing"], ["--name", "x", "nowhere", "nothing"]]
)
def test_what_is_not_there_is_said(assay_home: Path, words: list[str]) -> None:
    said = assay("library", "add", *words)
    assert said.code == 2
    assert "There is no file or folder at no" in said.last


def test_a_search_says_where_each_passage_stands_and_how_it_searched(notes: Path) -> None:
    assay("library", "add", str(notes))
    said = assay("library", "search", "warm kiln")
    assert "  passage 1 of 1, characters 0-" in said.out
    assert "Searched by words only. It is switched off (ASSAY_SEMANTIC=0)." in said.err


def test_the_meaning_of_what_is_added_is_worked_out_or_left_for_later(
    notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSAY_SEMANTIC")
    if embeddings.find_embedder().why:
        pytest.skip(embeddings.find_embedder().why)
    said = assay("library", "add", str(notes), "--no-meaning")
    assert "2 documents are not indexed by meaning yet" in said.last
    said = assay("library", "add", str(notes))
    assert "[meaning 2/2] Notes on" in said.err
    assert said.last == "Searched by words and meaning."
    found = assay("library", "search", "how hot is the oven for pottery")
    assert found.out.splitlines()[0].startswith("Notes on kiln")


def test_a_file_that_calls_itself_a_page_of_others_is_cited_as_no_more_than_that(
    tmp_path: Path, assay_home: Path
) -> None:
    """Neither its address nor the tier of that is lent to it: not in the progress, not in the
    report.
    """
    claim, words = "https://www.nih.gov/dust", "Harbour dust causes coughing in {} of ten pilots."
    folder = tmp_path / "saved"
    folder.mkdir()
    page = (
        f'<title>Harbour dust</title><link rel="canonical" href="{claim}"><p>{words.format("nine")}'
    )
    (folder / "nih.html").write_text(page, encoding="utf-8")
    (folder / "nih.md").write_text(
        f"---\nurl: {claim}\n---\n# Dust\n\n{words.format('eight')}\n", encoding="utf-8"
    )
    said = assay(
        "ask",
        "Does harbour dust cause coughing?",
        "--library",
        str(folder),
        "--no-web",
        "--mode",
        "quick",
    )
    assert "nih.gov" not in said.err
    assert said.out.count(r"(own document), states that it is from https\://www\.nih.gov/dust") == 2
    assert "](https://www.nih.gov" not in said.out
    assert "Credibility Score" not in said.out


def test_a_library_is_shared_removed_and_restored_from_the_command_line(notes: Path) -> None:
    assay("library", "add", "Öfen 2", str(notes))
    assert "is shared with everyone who signs in" in assay("library", "share", "Öfen 2").err
    assert "is private again" in assay("library", "share", "Öfen 2", "--end").err
    said = assay("library", "remove", "Öfen 2")
    assert "`assay library restore 'Öfen 2'` restores it" in said.err
    assert assay("library", "list", "--name", "Öfen 2").code == 2
    assert "was restored" in assay("library", "restore", " Öfen  2").err
    assert len(assay("library", "list", "--name", "Öfen 2").out.splitlines()) == 2
    for words in (("restore", "Öfen 2"), ("share", "nowhere"), ("share", "sample")):
        said = assay("library", *words)
        assert (said.code, bool(said.err)) == (2, True)


@pytest.mark.parametrize("name", ["R1", "Öfen 2", "письма", "資料", "my"])
def test_each_of_two_removed_libraries_of_one_name_can_be_restored(notes: Path, name: str) -> None:
    for file in ("kiln.md", "clay.md"):
        assay("library", "add", "--name", name, str(notes / file))
        removal = assay("library", "remove", name)
    assert "`assay library restore` lists it and 1 more of that name." in removal.err
    refusal = assay("library", "restore", "--name", name)
    assert (refusal.code, "2 removed libraries match" in refusal.err) == (2, True)
    newest, oldest = assay("library", "restore").out.splitlines()
    assert newest.endswith(f"1 document: {name}")
    assert "was restored" in assay("library", "restore", oldest.split()[0]).err
    assert "kiln" in assay("library", "list", name).out
    assert "--as NAME" in assay("library", "restore", newest.split()[0]).err
    assert "'again' was restored" in assay("library", "restore", name, "--as", "again").err
    assert "clay" in assay("library", "list", "again").out
    assert assay("library", "restore").err == "No removed library can be restored.\n"


def test_the_libraries_are_listed_by_name_with_their_documents(notes: Path) -> None:
    assay("library", "add", "--name", "pots", str(notes))
    assay("library", "add", str(notes / "kiln.md"))
    assay("library", "share", "pots")
    said = assay("library", "list")
    assert said.out.splitlines() == [
        "my  1 document",
        "pots  2 documents, shared with everyone who signs in",
        "sample  built at first use, written for trying Assay out",
    ]
    assert len(assay("library", "list", "pots").out.splitlines()) == 2


@pytest.mark.parametrize("name", ["", " ", "\t", "\u200b", "\u00a0\u3000"])
@pytest.mark.parametrize(
    "words",
    [
        ["add", "--name", "{}", "kiln.md"],
        ["list", "--name", "{}"],
        ["list", "{}"],
        ["search", "kiln", "--name", "{}"],
        ["remove", "{}"],
        ["remove", "--name", "{}", "kiln.md"],
        ["restore", "{}"],
        ["restore", "my", "--as", "{}"],
        ["share", "{}"],
    ],
)
def test_an_empty_name_is_no_library(
    notes: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], name: str
) -> None:
    monkeypatch.chdir(notes)
    said = assay("library", *(word.format(name) for word in words))
    assert (said.code, said.out) == (2, "")
    assert "The library name is empty" in said.err
    assert "`assay library list`" in said.err


@pytest.mark.parametrize(
    ("word", "code", "says"),
    [
        ("kiln.md", 0, "Documents removed: 1."),
        ("Notes on kiln", 0, "Documents removed: 1."),
        ("  Notes  on kiln ", 0, "Documents removed: 1."),
        ("{url}", 0, "Documents removed: 1."),
        ("nowhere.md", 2, "has no document 'nowhere.md'. Give an address, a title or a file name"),
        ("", 2, "has no document ''"),
        ("https://example.org/", 2, "has no document 'https://example.org/'"),
        ("double.md", 2, "2 documents of the library 'L1' are called 'double.md': document:"),
    ],
)
@pytest.mark.parametrize("before", [["L1"], ["--name", "L1"]])
def test_a_document_is_removed_by_address_title_or_file_name(
    notes: Path, before: list[str], word: str, code: int, says: str
) -> None:
    for folder in ("a", "b"):
        (notes / folder).mkdir()
        (notes / folder / "double.md").write_text(f"# In {folder}\n\nGlaze.\n", encoding="utf-8")
    assay("library", "add", "--name", "L1", str(notes))
    lines = assay("library", "list", "L1").out.splitlines()
    (url,) = [line.split()[0] for line in lines if "kiln" in line]
    said = assay("library", "remove", *before, word.format(url=url))
    assert (said.code, says in said.err) == (code, True), said.err
    assert len(assay("library", "list", "L1").out.splitlines()) == 4 - (code == 0)


def test_removing_without_a_name_says_what_to_write(assay_home: Path) -> None:
    said = assay("library", "remove")
    assert (said.code, "`assay library remove NAME DOCUMENT`" in said.err) == (2, True)
    assert "URL" not in said.err
    assert assay("library", "remove", "--help").code == 0


def test_the_line_about_meaning_is_only_said_when_something_was_added(notes: Path) -> None:
    assert "Searched by words only" in assay("library", "add", str(notes)).err
    assert "Searched by words only" not in assay("library", "add", str(notes)).err
    (notes / "empty.txt").write_text(" \n")
    said = assay("library", "add", str(notes / "empty.txt"))
    assert "The file is empty." in said.out
    assert "Searched by words only" not in said.err
