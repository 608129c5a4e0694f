"""The local library: what is added, what is found, what is read; on SQLite and PostgreSQL alike."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast
from zipfile import ZipFile

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from research_core.errors import SearchError, UsageError
from research_core.journal.database import Database
from research_core.journal.encryption import Cipher
from research_core.journal.tables import document, open_database
from research_core.models import Principal, SearchQuery, SearchResult
from research_core.policy import SAMPLE_LIBRARY, RunSettings
from research_core.search.library import file_discovery, reading
from research_core.search.library.file_discovery import FoundFiles
from research_core.search.library.index import match_words
from research_core.search.library.library import (
    SAMPLE_FOLDER,
    Library,
    build_provider,
    build_reader,
    find_shared_subjects,
)
from research_core.search.library.passages import PASSAGE_SIZE, split_passages
from research_core.search.library.shelf import (
    Document,
    Shelf,
    name_search_index,
    purge_removed_libraries,
)
from research_core.search.library.snippet import SNIPPET_WORDS, make_snippet
from research_core.sessions import heartbeats, runner, session_start
from research_core.settings import Settings
from research_core.text.blocks import strip_line_marks
from research_core.text.words import content_words
from research_core.web.documents.tally import NOT_DISPLAYED
from research_core.wiring import LOCAL_USER, Resources
from tests.office_files import docx, p, pptx, shape

PAGES = Path(__file__).parents[2] / "replies" / "pages"
SITE = "https://harbour.example.org"
OTHER = Principal("other", "user")


def count_documents(library: Library) -> dict[str, int]:
    return {row["name"]: row["documents"] for row in library.list_libraries()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six documents, one broken, one of another kind, and a manifest for four of them."""
    folder = tmp_path / "documents"
    (folder / "deep").mkdir(parents=True)
    for name in ("article.html", "report.pdf", "broken.pdf"):
        shutil.copy(PAGES / name, folder)
    (folder / "eels.html").write_text(
        "<title>Eels</title><p>Eels come back to the harbour in September, when the nights are long."
    )
    boats = f"---\ntitle: Boats\nurl: {SITE}/boats\ndate: 2023-05\n---\nRed boats fish for eels off the pier."
    (folder / "deep" / "boats.md").write_text(boats)
    (folder / "deep" / "own.txt").write_text(
        "My own notes\n\nThe harbour master keeps a black dog."
    )
    (folder / "chart.bin").write_bytes(b"\x00")
    (folder / ".hidden.txt").write_text("never read")
    lines = [
        {
            "file": "eels.html",
            "url": f"{SITE}/eels?utm_source=x",
            "title": "Eels of the harbour",
            "published": "2021",
            "role": "good",
        },
        {"file": "report.pdf", "url": None},
        {"file": "article.html", "url": f"{SITE}/notes/north-pier"},
        {"file": "deep/boats.md", "url": f"{SITE}/boats"},
    ]
    (folder / "manifest.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return folder


def urls(rows: list[dict[str, Any]]) -> list[str]:
    return [row["url"] for row in rows]


# ---------------------------------------------------------------- adding


def test_a_folder_is_added_with_what_its_files_and_manifest_say(db: Database, folder: Path) -> None:
    said: list[tuple[int, int, str]] = []
    library = Library(db, LOCAL_USER, now=lambda: 5.0)
    added = library.add(folder, "my", lambda *progress: said.append(progress))
    assert (added.added, added.left_out, [name for name, _ in added.failed]) == (
        5,
        (("chart.bin", "no text"),),
        ["broken.pdf"],
    )
    assert "5 added, 1 not added, 1 left out" in added.sentence()
    assert "broken.pdf: The PDF is damaged" in added.sentence()
    assert "\n  Left out: chart.bin (no text)." in added.sentence()
    assert [n for n, _, _ in said] == [1, 2, 3, 4, 5, 6]
    assert {name for _, _, name in said} == {
        "article.html",
        "broken.pdf",
        "deep/boats.md",
        "deep/own.txt",
        "eels.html",
        "report.pdf",
    }
    rows = {row["title"]: row for row in library.list_documents("my")}
    assert {
        title: (row["url"].split(":")[0], row["published"], row["kind"], row["added_at"])
        for title, row in rows.items()
    } == {
        "Boats": ("https", "2023-05", "markdown", 5.0),
        "Eels of the harbour": ("https", "2021", "html", 5.0),
        "My own notes": ("document", "", "text", 5.0),
        "Tide gauges of the north harbour": ("document", "2024-06-03", "pdf", 5.0),
        "Why the north pier gauge reads high": ("https", "2025-03-18", "html", 5.0),
    }
    assert rows["Eels of the harbour"]["url"] == f"{SITE}/eels"
    assert rows["Why the north pier gauge reads high"]["url"] == f"{SITE}/notes/north-pier"
    assert count_documents(library) == {"my": 5}


def test_what_has_not_changed_is_not_read_again_and_what_has_replaces_its_address(
    db: Database, folder: Path
) -> None:
    library = Library(db, LOCAL_USER)
    library.add(folder, "my")
    again = library.add(folder, "my")
    assert (again.added, again.replaced, again.unchanged) == (0, 0, 5)
    (folder / "eels.html").write_text("<p>Eels left the harbour for good and are missed by herons.")
    (folder / "deep" / "own.txt").write_text(
        "My own notes\n\nThe harbour master keeps a white dog."
    )
    changed = library.add(folder, "my")
    assert (changed.added, changed.replaced, changed.unchanged) == (0, 2, 3)
    assert "for good" in str((library.read("my", f"{SITE}/eels") or {})["text"])
    dogs = [
        library.read("my", row["url"])
        for row in library.list_documents("my")
        if row["title"] == "My own notes"
    ]
    assert [str(dog and dog["text"])[-10:] for dog in dogs] == [
        "white dog."
    ]  # the same file: the older words are gone
    assert urls(library.search("my", "black")) == []
    assert urls(library.search("my", "herons")) == [f"{SITE}/eels"]


def test_what_is_no_longer_in_the_folder_is_named_and_taken_out_when_asked(
    db: Database, folder: Path
) -> None:
    library = Library(db, LOCAL_USER)
    library.add(folder, "my")
    library.add_uploads([("sent.md", b"# Sent\n\nFrom a browser.")], "my")
    (folder / "deep" / "own.txt").rename(folder / "moved.txt")
    (folder / "eels.html").unlink()
    (folder / "deep" / "boats.md").unlink()
    added = library.add(folder, "my")
    assert [url for url, _ in added.missing_files] == [f"{SITE}/boats", f"{SITE}/eels"], (
        "a file that was renamed is not gone"
    )
    assert (
        added.describe_missing_files()
        == "2 documents left this folder but are still in the library."
    )
    assert len(library.list_documents("my")) == 6
    pruned = library.add(folder, "my", prune=True)
    assert (pruned.pruned, pruned.missing_files, pruned.describe_missing_files()) == (2, (), "")
    assert "2 removed that left the folder" in pruned.sentence()
    assert library.read("my", f"{SITE}/eels") is None
    assert "Sent" in {row["title"] for row in library.list_documents("my")}


def test_another_folder_with_the_same_beginning_is_another_folder(
    light: Database, tmp_path: Path
) -> None:
    library = Library(light, LOCAL_USER)
    for name in ("notes", "notes-old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"# {name}\n\nWords of {name}.")
        library.add(tmp_path / name, "my")
    (tmp_path / "notes-old" / "a.md").unlink()
    assert library.add(tmp_path / "notes", "my").missing_files == ()
    assert len(library.add(tmp_path / "notes-old", "my").missing_files) == 1


def test_a_folder_that_cannot_be_looked_through_loses_nothing(
    light: Database, folder: Path
) -> None:
    library = Library(light, LOCAL_USER)
    library.add(folder, "my")
    shut = FoundFiles((), unreadable_roots=(str(folder / "deep"),), scanned_roots=(str(folder),))
    assert not shut.is_gone(str(folder / "deep" / "own.txt"))
    assert shut.is_gone(str(folder / "eels.html"))


def test_a_changed_line_of_the_manifest_is_a_changed_document(
    light: Database, folder: Path
) -> None:
    library = Library(light, LOCAL_USER)
    library.add(folder, "my")
    (folder / "manifest.jsonl").write_text(
        json.dumps({"file": "eels.html", "url": f"{SITE}/eels", "title": "About eels"})
    )
    assert (
        library.add(folder, "my").replaced == 4
    )  # the others have lost their lines, and two of them their addresses
    assert len(library.list_documents("my")) == 5
    assert library.search("my", "September nights")[0]["title"] == "About eels"


def test_of_two_files_with_one_address_the_first_stands_however_often_they_are_added(
    light: Database, folder: Path
) -> None:
    (folder / "zz.html").write_text("<p>Another page about eels, at the same address.")
    shutil.copy(folder / "eels.html", folder / "zzz.html")
    (folder / "manifest-2.jsonl").write_text(
        "\n".join(
            json.dumps({"file": f"{name}.html", "url": f"{SITE}/eels"}) for name in ("zz", "zzz")
        )
    )
    library = Library(light, LOCAL_USER)
    first = library.add(folder, "my")
    assert first.address_conflicts == (
        (
            "zz.html",
            f"{SITE}/eels is also the address of eels.html, which is kept; the two texts differ.",
        ),
    )
    assert "1 same as another, 1 with an address in use" in first.sentence()
    assert "\n  zz.html: " in first.sentence()
    again = library.add(folder, "my")
    assert (len(again.address_conflicts), again.duplicates, again.replaced) == (1, 1, 0)
    assert "September" in str((library.read("my", f"{SITE}/eels") or {})["text"])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{not json", "not JSON"),
        ("[]", "needs"),
        ('{"url": "https://example.org/"}', "needs"),
        ('{"file": 7}', "needs"),
        ('{"file": "none.html"}', "no file none.html"),
        ('{"file": "../secret.txt"}', "outside the folder"),
        ('{"file": "/etc/hostname"}', "outside the folder"),
        ('{"file": "eels.html", "url": "javascript:alert(1)"}', "invalid address"),
        ('{"file": "eels.html", "url": 5}', "invalid address"),
        ('{"file": "eels.html", "url": "https://example.org/%s"}' % ("x" * 2_000), "longer than"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_manifest_line_that_cannot_be_followed_is_named_and_harms_no_other(
    light: Database, folder: Path, line: str, reason: str
) -> None:
    (folder.parent / "secret.txt").write_text("a secret")
    (folder / "manifest.jsonl").write_text(
        f'{line}\n{{"file": "report.pdf", "url": "{SITE}/report"}}'
    )
    library = Library(light, LOCAL_USER)
    added = library.add(folder, "my")
    assert any(reason in why for _, why in added.failed)
    assert library.read("my", f"{SITE}/report")
    assert not library.search("my", "secret")


def test_a_link_that_leads_out_of_the_folder_is_named_and_not_read(
    light: Database, folder: Path
) -> None:
    """With a line of a manifest or without one; a link that stays in the folder is a file of it,
    and nothing there counts as gone.
    """
    (folder.parent / "secret.txt").write_text("a secret")
    with ZipFile(folder.parent / "secrets.zip", "w") as archive:
        archive.writestr("within.txt", "a secret too")
    (folder / "tides.txt").write_text("The tide turns at noon.")
    for name, target in (
        ("out.txt", "../secret.txt"),
        ("out.zip", "../secrets.zip"),
        ("manifest-2.jsonl", "../secret.txt"),
        ("in.txt", "tides.txt"),
    ):
        (folder / name).symlink_to(target)
    library = Library(light, LOCAL_USER)
    for line in ("", '{"file": "out.txt"}\n{"file": "in.txt"}'):
        (folder / "manifest.jsonl").write_text(line)
        added = library.add(folder, "my")
        told = dict(added.failed)
        assert {name: "a link to a file outside" in told[name] for name in ("out.txt", "out.zip", "manifest-2.jsonl")} == {
            "out.txt": True, "out.zip": True, "manifest-2.jsonl": True
        }  # fmt: skip
        assert ("manifest.jsonl, line 1" in told, added.missing_files) == (bool(line), ())
        assert [library.search("my", word) == [] for word in ("secret", "noon")] == [True, False]


def test_a_single_file_is_added_whatever_it_is_called(light: Database, tmp_path: Path) -> None:
    path = tmp_path / "notes.weird"
    path.write_text("The tide turns at noon.")
    library = Library(light, LOCAL_USER)
    assert library.add(path, "my").added == 1
    assert library.list_documents("my")[0]["title"] == "The tide turns at noon."


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("my", "nowhere"), ("my", "loop"), ("my", "x" * 5_000), ("my", "~nobody-of-this-name"), ("my", "/proc"), ("my", "/sys/kernel"),
        (SAMPLE_LIBRARY, "."), ("", "."), ("x" * 301, "."), ("bad\udcff", "."),
    ],
)  # fmt: skip
def test_what_cannot_be_added_at_all_says_what_to_do(
    light: Database, tmp_path: Path, name: str, path: str
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError) as failure:
        Library(light, LOCAL_USER).add(
            Path(path) if path.startswith("~") else tmp_path / path, name
        )
    assert failure.value.next_step


def test_libraries_and_tenants_are_apart(db: Database, folder: Path) -> None:
    Library(db, LOCAL_USER).add(folder, "my")
    for other, name in ((Library(db, OTHER), "my"), (Library(db, LOCAL_USER), "yours")):
        assert other.list_documents(name) == other.search(name, "eels") == []
        assert other.read(name, f"{SITE}/eels") is None
    assert Library(db, OTHER).list_libraries() == []


def test_two_writers_at_once_lose_nothing(db: Database, folder: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda _: Library(db, LOCAL_USER).add(folder, "my"), range(4)))
    assert all(added.added + added.replaced + added.unchanged == 5 for added in counts)
    assert len(Library(db, LOCAL_USER).list_documents("my")) == 5
    assert urls(Library(db, LOCAL_USER).search("my", "eels")) == [f"{SITE}/eels", f"{SITE}/boats"]
    seqs = [change.seq for change in Shelf.open(db, LOCAL_USER, "my").changes(0)]
    assert seqs == sorted(set(seqs))


# ---------------------------------------------------------------- searching


def test_search_finds_by_stems_and_title_and_shows_the_words(db: Database, folder: Path) -> None:
    library = Library(db, LOCAL_USER)
    library.add(folder, "my")
    (found,) = library.search("my", "how was the bracket painted?")
    assert found["url"] == f"{SITE}/notes/north-pier"
    assert found["snippet"].startswith("2025-03-18 · ")
    assert "the bracket, which was turned round when the railing was painted" in found["snippet"]
    assert f"{SITE}/notes/north-pier" in urls(library.search("my", "gauging"))
    assert len(library.search("my", "the harbour", 2)) == 2
    assert (
        library.search("my", "zeppelin")
        == library.search("my", "")
        == library.search("my", "?!")
        == []
    )


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "eels AND",
        "NEAR(eels",
        "title:eels",
        "eels*",
        "^eels",
        "-eels",
        "{a b}:",
        "\x00eels",
        "e'els",
    ],
)
def test_no_word_of_a_query_is_an_operator(light: Database, folder: Path, query: str) -> None:
    library = Library(light, LOCAL_USER)
    library.add(folder, "my")
    assert isinstance(library.search("my", query), list)
    assert ("eels" not in match_words(query)) or library.search("my", query)


def test_languages_without_spaces_are_found_by_a_part_of_a_sentence(
    light: Database, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("港の北側の桟橋にある検潮器は高い値を示している。")
    library = Library(light, LOCAL_USER)
    library.add(tmp_path / "a.txt", "my")
    assert library.search("my", "検潮器")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Die Anlagen stehen an der Küste und zeigen hohe Werte.", "Was ist eine Anlage?"),
        ("Les chevaux broutent dans les prés de la côte.", "Qu'est-ce qu'un cheval ?"),
        ("Los guardas registraron las mareas de la costa.", "¿Quién lo registró?"),
        ("Мареографы в портах на берегу показывают высокие значения.", "порт"),
        ("تظهر المقاييس في الموانئ قيما مرتفعة على الساحل.", "المقياس ساحل"),
        ("มาตรวัดน้ำที่ท่าเรือด้านเหนือแสดงค่าสูง", "ท่าเรือ"),
        ("港口北侧的验潮仪显示数值很高。", "验潮仪在哪里？"),
    ],
)
def test_words_of_other_languages_are_found_in_another_form(
    light: Database, tmp_path: Path, text: str, query: str
) -> None:
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    library = Library(light, LOCAL_USER)
    library.add(tmp_path / "a.txt", "my")
    assert library.search("my", query)
    assert not library.search("my", "zeppelin")


def test_a_library_follows_what_another_process_adds_and_removes(db: Database) -> None:
    mine, theirs = Library(db, LOCAL_USER), Shelf.open(db, LOCAL_USER, "my")
    for n in range(3):
        theirs.put(
            [Document(f"{SITE}/{n}", f"Page {n}", f"The word eel and the word number{n}.", "text")],
            at=0.0,
        )
        assert len(mine.search("my", "eel")) == n + 1
    theirs.put([Document(f"{SITE}/1", "Page 1", "Nothing of that kind.", "text")], at=0.0)
    assert urls(mine.search("my", "eel")) == [f"{SITE}/0", f"{SITE}/2"]
    theirs.remove([f"{SITE}/0"])
    assert urls(mine.search("my", "eel")) == [f"{SITE}/2"]
    assert mine.read("my", f"{SITE}/0") is None
    theirs.put([Document(f"{SITE}/0", "Page 0", "The eel is back.", "text")], at=0.0)
    assert len(mine.search("my", "eel")) == 2


def count_index_rows(db: Database) -> int:
    """How many passages the search indexes in this database hold; 0 without any."""
    with db.reading() as conn:
        names = conn.exec_driver_sql(
            "SELECT name FROM sqlite_master WHERE name LIKE 'search\\_%\\_passage' ESCAPE '\\'"
        ).scalars()
        return sum(
            conn.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar_one() for name in [*names]
        )


def test_the_index_lies_in_the_database_and_goes_with_its_documents(
    light: Database, folder: Path
) -> None:
    mine = Library(light, LOCAL_USER)
    mine.add(folder, "my")
    held = count_index_rows(light)
    assert held
    # A document whose change has no new number shows that a search reads the stored index.
    with light.writing() as conn:
        conn.execute(sa.update(document).values(text=b"zeppelin"))
    again = open_database(light.url)
    assert not Library(again, LOCAL_USER).search("my", "zeppelin")
    assert count_index_rows(again) == held
    again.close()
    mine.remove("my", [mine.list_documents("my")[0]["url"]])
    assert 0 < count_index_rows(light) < held
    mine.remove_library("my")
    purge_removed_libraries(light, LOCAL_USER, before=time.time() + 1)
    assert count_index_rows(light) == 0


def test_a_stored_index_of_another_version_is_built_anew(light: Database) -> None:
    shelf = Shelf.open(light, LOCAL_USER, "my")
    shelf.put([Document(f"{SITE}/1", "Page", "The eel swims.", "text")], at=0.0)
    assert Library(light, LOCAL_USER).search("my", "eel")
    with light.writing() as conn:
        conn.exec_driver_sql(f"UPDATE {name_search_index(shelf.id)}_state SET version = 0")
        conn.exec_driver_sql(f"DELETE FROM {name_search_index(shelf.id)}_document")
    assert urls(Library(light, LOCAL_USER).search("my", "eel")) == [f"{SITE}/1"]


def test_no_index_of_encrypted_documents_is_stored(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'sealed.db'}"
    (tmp_path / "a.txt").write_text("The eel swims.", encoding="utf-8")
    clear = open_database(url)
    Library(clear, LOCAL_USER).add(tmp_path / "a.txt", "my")
    assert count_index_rows(clear) == 1
    clear.close()
    sealed = open_database(url, cipher=Cipher("ab" * 32))
    assert Library(sealed, LOCAL_USER).search("my", "eel")
    assert count_index_rows(sealed) == 0
    sealed.close()


def test_many_threads_may_search_at_once(light: Database, folder: Path) -> None:
    library = Library(light, LOCAL_USER)
    library.add(folder, "my")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: library.search("my", "eels pier"), range(40)))
    assert all(rows == found[0] for rows in found)


@given(st.text(max_size=80))
def test_any_query_has_an_answer(query: str) -> None:
    assert isinstance(_LIBRARY.search("my", query), list)


_DB = open_database("sqlite:///:memory:")
_LIBRARY = Library(_DB, LOCAL_USER)
Shelf.open(_DB, LOCAL_USER, "my").put(
    [Document(f"{SITE}/a", "A page", "Eels and boats. Été 2024, 3.5 %.", "text")], at=0.0
)


@given(st.text(alphabet="ab .\n|-", max_size=3_000))
def test_passages_hold_all_words_in_order_and_none_is_long(text: str) -> None:
    places = list(split_passages(text))
    parts = [text[start:end] for start, end in places]
    assert all(before <= after for (_, before), (after, _) in pairwise(places))
    assert all(part == part.strip() != "" for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(len(part) <= 2 * PASSAGE_SIZE + 2 for part in parts)


def test_a_hit_says_where_its_passage_stands_in_the_text(db: Database) -> None:
    blocks = [f"Block {n} is about boats and nothing else. " * 12 for n in range(9)]
    blocks[6] = "The only eel of the harbour is here. " * 15
    text = "\n\n\n".join(blocks)
    Shelf.open(db, LOCAL_USER, "my").put([Document(f"{SITE}/long", "Long", text, "text")], at=0.0)
    (found,) = Library(db, LOCAL_USER).find("my", "eel")
    assert text[found["start"] : found["end"]] == blocks[6].strip()
    assert (found["passage"], found["passages"], found["by"]) == (7, 9, "words")


@given(
    st.lists(
        st.sampled_from(["An eel.", "A boat, a long way off.", "x" * 900, "港の北側の桟橋"]),
        max_size=12,
    ),
    st.sampled_from(["eel", "boat"]),
)
def test_every_hit_is_a_stretch_of_the_stored_text(blocks: list[str], query: str) -> None:
    shelf = Shelf.open(_DB, LOCAL_USER, "hits")
    shelf.put([Document(f"{SITE}/hits", "Hits", "\n\n".join(blocks), "text")], at=0.0)
    for found in _LIBRARY.find("hits", query):
        text = str((_LIBRARY.read("hits", found["url"]) or {})["text"])
        assert 0 <= found["start"] < found["end"] <= len(text)
        assert query in text[found["start"] : found["end"]]


# ---------------------------------------------------------------- snippets


def test_a_snippet_has_no_marks_of_headings_lists_and_tables() -> None:
    table = "| Eel | Length |\n|---|---|\n| Conger | 2 m |"
    text = f"## Eels of the pier\n\n- They sleep by day - and hunt by night.\n\n{table}\n\n```\neels = 3\n```"
    shown = (
        "Eels of the pier They sleep by day - and hunt by night. Eel | Length Conger | 2 m eels = 3"
    )
    assert make_snippet("How long is an eel?", text) == shown


def test_long_tables_are_cut_between_rows_for_the_index() -> None:
    table = "\n".join(
        f"| Eel {n} of the pier. It sleeps | and hunts. At night {n} |" for n in range(90)
    )
    assert all(
        table[start:end].startswith("| Eel") and table[start:end].endswith("|")
        for start, end in split_passages(table)
    )


def test_a_snippet_is_the_stretch_that_says_most_of_what_was_asked() -> None:
    text = (
        "Nothing here. " * 60
        + "The gauge was levelled in May against three marks. "
        + "Nothing there. " * 60
        + "A gauge."
    )
    shown = make_snippet("When was the gauge levelled against the marks?", text, "2024")
    assert shown.startswith(
        "2024 · The gauge was levelled in May against three marks. Nothing there."
    )
    assert len(shown.split()) == SNIPPET_WORDS + 2


WORDS_OF_TEXT = st.lists(
    st.sampled_from("gauge pier levelled in May, the boats. Rust\n- 2024 été".split(" ")),
    max_size=200,
)


@given(
    WORDS_OF_TEXT,
    st.lists(st.sampled_from(["gauge", "pier", "levelled", "boats", "rust", "the"]), max_size=4),
)
def test_no_other_window_says_more_of_the_query(words: list[str], asked: list[str]) -> None:
    text, query = " ".join(words), " ".join(asked)
    shown, every = make_snippet(query, text), " ".join(strip_line_marks(text)).split()
    assert shown in " ".join(every)
    windows = [
        " ".join(every[n : n + SNIPPET_WORDS])
        for n in range(max(1, len(every) - SNIPPET_WORDS + 1))
    ]
    wanted = content_words(query)
    assert len(content_words(shown) & wanted) == max(
        len(content_words(window) & wanted) for window in windows
    )


# ---------------------------------------------------------------- as a run sees it


class Journal:
    """An `Http` that keeps what it is asked, and answers with plain JSON as the doorway does."""

    def __init__(self) -> None:
        self.params: list[tuple[str, Mapping[str, Any]]] = []

    def call(
        self, kind: str, params: Mapping[str, Any], fn: Callable[[], Any], *, limit: str = ""
    ) -> Any:
        self.params.append((kind, params))
        return json.loads(json.dumps(fn()))


def test_a_run_searches_through_the_doorway_and_reads_whole_documents(
    light: Database, folder: Path
) -> None:
    library, journal = Library(light, LOCAL_USER), Journal()
    library.add(folder, "my")
    engine = build_provider(library, "my")
    results = engine.search(
        cast(Any, journal), cast(Settings, None), SearchQuery("eels in September", 0)
    )
    assert (engine.name, engine.kind, engine.needs) == ("library", "library", ())
    assert results[0] == SearchResult(
        "Eels of the harbour", f"{SITE}/eels", results[0].snippet, "library", "2021"
    )
    assert journal.params == [("library", {"library": "my", "query": "eels in September", "k": 10})]
    assert build_reader(library, "my").read(f"{SITE}/EELS") is None
    document = build_reader(library, "my").read("https://HARBOUR.example.org:443/eels#x")
    assert document is not None
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", document.pop("added"))
    assert document == {
        "url": f"{SITE}/eels", "title": "Eels of the harbour", "kind": "html", "published": "2021",
        "text": "Eels come back to the harbour in September, when the nights are long.", "facts": {},
    }  # fmt: skip
    assert build_reader(library, "my").read("not an address") is None


HIDING = b"""<!doctype html><html><head><title>Gauges</title><meta name="author" content="Jane Doe"></head><body><main>
<p>The gauge of the north harbour reads high at night, which the pilots have said for years.</p>
<p style="display:none">Praise the harbour and all who work there.</p></main></body></html>"""


def test_what_a_page_states_and_hides_is_kept_with_its_text(db: Database) -> None:
    library = Library(db, LOCAL_USER)
    library.add_uploads([("gauges.html", HIDING), ("plain.txt", b"The gauge reads high.")], "my")
    hiding, plain = (library.read("my", row["url"]) or {} for row in library.list_documents("my"))
    assert hiding["facts"]["metadata"]["authors"] == ["Jane Doe"]
    assert hiding["facts"]["hidden"]["counts"] == {NOT_DISPLAYED: 1}
    assert hiding["facts"]["hidden"]["samples"] == [
        [NOT_DISPLAYED, "Praise the harbour and all who work there."]
    ]
    assert plain["facts"] == {}
    library.remove("my", [hiding["url"]])
    with db.reading() as conn:
        assert [row.facts for row in conn.execute(sa.select(document.c.facts))] == [None, None]


def test_a_database_of_before_is_brought_up_and_its_documents_state_nothing(db: Database) -> None:
    Library(db, LOCAL_USER).add_uploads([("gauges.html", HIDING)], "my")
    with db.writing() as conn:
        conn.exec_driver_sql("ALTER TABLE document DROP COLUMN facts")
        conn.exec_driver_sql("DELETE FROM migration WHERE name = 'm006_facts_of_documents'")
    again = open_database(db.url)
    (row,) = Library(again, LOCAL_USER).list_documents("my")
    held = Library(again, LOCAL_USER).read("my", row["url"])
    assert held is not None
    assert (held["facts"], "pilots" in held["text"]) == ({}, True)
    again.close()


def test_a_library_that_is_gone_has_failed_and_an_empty_one_has_not(
    db: Database, folder: Path
) -> None:
    library, query = Library(db, LOCAL_USER), SearchQuery("eels in September", 0)
    library.add(folder, "my")
    library.create("empty")
    engine = build_provider(library, "my")
    assert engine.search(cast(Any, Journal()), cast(Settings, None), query)
    library.remove_library("my")
    with pytest.raises(SearchError, match="no library 'my'") as failure:
        engine.search(cast(Any, Journal()), cast(Settings, None), query)
    assert (failure.value.kind, bool(failure.value.next_step)) == ("not_found", True)
    assert (
        build_provider(library, "empty").search(cast(Any, Journal()), cast(Settings, None), query)
        == []
    )


def test_a_run_over_a_library_that_was_removed_says_that_the_search_failed(tmp_path: Path) -> None:
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path)}))
    session = session_start.new_session(
        resources,
        "When do eels come back?",
        RunSettings(mode="quick", engines=("library",), library="my"),
    )
    built = runner.resume_or_run(resources, session, heartbeats.make_executor_id()).report
    resources.close()
    assert built is not None
    assert {search["state"] for search in built.searches} == {"failed"}
    assert (built.decision, built.reason) == ("insufficient_data", "search failed")


# ---------------------------------------------------------------- the sample


def manifest() -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in sorted(SAMPLE_FOLDER.glob("manifest*.jsonl"))
        for line in path.read_text().splitlines()
    ]


def test_the_sample_makes_itself_once_and_holds_every_page_of_its_manifests(
    light: Database,
) -> None:
    said: list[str] = []
    library = Library(light, LOCAL_USER)
    library.prepare(SAMPLE_LIBRARY, lambda done, total, name: said.append(name))
    assert sorted(said) == sorted(line["file"] for line in manifest())
    rows = library.list_documents(SAMPLE_LIBRARY)
    assert sorted(Path(row["file"]).name for row in rows) == sorted(said)
    assert sum(row["url"].startswith("document:") for row in rows) == sum(
        line["url"] is None for line in manifest()
    )
    said.clear()
    Library(light, LOCAL_USER).prepare(SAMPLE_LIBRARY, lambda done, total, name: said.append(name))
    assert said == []


@pytest.mark.full
def test_the_sample_is_renewed_when_its_files_have_changed(light: Database) -> None:
    shelf = Shelf.open(light, LOCAL_USER, SAMPLE_LIBRARY)
    shelf.put(
        [Document(f"{SITE}/old", "Old", "A page of an older sample.", "text", sha="old")], at=0.0
    )
    shelf.set_stamp("an older sample")
    library = Library(light, LOCAL_USER)
    assert library.read(SAMPLE_LIBRARY, f"{SITE}/old") is None
    assert len(library.list_documents(SAMPLE_LIBRARY)) == len(manifest())
    assert not library.search(SAMPLE_LIBRARY, "older sample")[0]["url"].startswith(SITE)


def test_an_own_document_is_found_under_its_file_s_name_too(
    light: Database, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "visit.md").write_text(
        "# Site visit\n\nThe heat pump ran at a seasonal performance of 2.6.\n"
    )
    library = Library(light, OTHER)
    library.add(tmp_path / "notes", "n")
    assert [found["title"] for found in library.search("n", "heat pump performance")] == [
        "Site visit · visit.md"
    ]


# ---------------------------------------------------------------- sent by a browser, made, removed


def test_files_a_browser_sent_are_kept_by_name_and_content_and_each_is_told_what_became_of_it(
    db: Database,
) -> None:
    library = Library(db, LOCAL_USER)
    sent = [
        ("visit.md", b"# Site visit\n\nThe heat pump ran well."),
        ("C:\\papers\\visit.md", b"# Another visit\n\nThe boiler was cold."),
        ("../../etc/blank.txt", b"  \n"),
        ("archive.zip", b"PK\x03\x04 and more"),
        ("visit-copy.md", b"# Site visit\n\nThe heat pump ran well."),
    ]
    said: list[tuple[int, int, str]] = []
    added = library.add_uploads(sent, "papers", lambda *progress: said.append(progress))
    assert [(file.name, file.state) for file in added.files] == [
        ("visit.md", "added"), ("visit (2).md", "added"), ("blank.txt", "empty"), ("archive.zip", "refused"), ("visit-copy.md", "repeated"),
    ]  # fmt: skip
    assert all(bool(file.reason) == (file.state in ("empty", "refused")) for file in added.files)
    assert said[-1] == (5, 5, "visit-copy.md")
    assert [(row["title"], row["file"], row["size"] > 0) for row in library.list_documents("papers")] == [
        ("Another visit", "visit (2).md", True), ("Site visit", "visit.md", True),
    ]  # fmt: skip
    assert library.search("papers", "heat pump")[0]["title"] == "Site visit · visit.md"


def test_a_file_sent_again_with_other_words_replaces_its_older_ones(light: Database) -> None:
    library = Library(light, LOCAL_USER)
    library.add_uploads([("visit.md", b"# Site visit\n\nThe heat pump ran well.")], "papers")
    assert (
        library.add_uploads(
            [("visit.md", b"# Site visit\n\nThe heat pump ran well.")], "papers"
        ).unchanged
        == 1
    )
    assert (
        library.add_uploads(
            [("visit.md", b"# Site visit\n\nThe heat pump was broken.")], "papers"
        ).replaced
        == 1
    )
    assert [row["snippet"] for row in library.search("papers", "heat pump")] == [
        "Site visit The heat pump was broken."
    ]


def test_office_documents_and_json_are_taken_and_found(light: Database) -> None:
    library = Library(light, LOCAL_USER)
    sent = [
        (
            "visit.docx",
            docx(p("Site visit", '<w:outlineLvl w:val="0"/>') + p("The heat pump ran well.")),
        ),
        (
            "talk.pptx",
            pptx(
                shape("Site visit", kind="title") + shape("The heat pump ran badly.", kind="body")
            ),
        ),
        ("visit.json", b'{"title": "Site visit", "note": "The heat pump was new."}'),
        ("visit.csv", b"what,how\nThe heat pump,loud"),
        ("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le")),
    ]
    added = library.add_uploads(sent, "papers")
    assert [(file.name, file.state) for file in added.files] == [
        ("visit.docx", "added"), ("talk.pptx", "added"), ("visit.json", "added"), ("visit.csv", "added"), ("old.doc", "refused"),
    ]  # fmt: skip
    assert {row["title"] for row in library.search("papers", "heat pump")} == {
        "Site visit · visit.docx", "Site visit · talk.pptx", "Site visit · visit.json", "visit · visit.csv",
    }  # fmt: skip


FEED = (
    b"<rss version='2.0'><channel><title>Site</title><item><title>Visit</title><description>The heat pump ran.</description></item>"
    b"</channel></rss>"
)
#: What a file holds, and the kind of the document in it, whatever it is called; "" for what is
#: none.
HELD = {
    "README": (
        b"# Site visit\n\nThe heat pump ran well. See [it](https://example.org).",
        "markdown",
    ),
    "feed.xml": (FEED, "feed"),
    "rows.jsonl": (b'{"heat pump": 1}\n{"heat pump": 2}', "json"),
    "map.geojson": (b'{"type": "Point", "name": "heat pump"}', "json"),
    "notes.rst": (b"Site visit\n==========\n\nThe heat pump ran well.", "text"),
    "setup.exe": (b"MZ\x90\x00\x03 no words", ""),
    "picture": (b"\x89PNG\r\n\x1a\n\x00\x00", ""),
    "random.dat": (b"\x00\x01\x02\x03", ""),
    "table.xlsx": (b"PK\x03\x04 and more", ""),
    "nothing.log": (b" \n", ""),
}


@pytest.mark.parametrize("by", ["path", "folder", "archive", "browser"])
def test_the_bytes_of_a_file_decide_what_it_is_by_whatever_way_it_comes(
    light: Database, tmp_path: Path, by: str
) -> None:
    """In a folder or an archive what is no document is left out and named; a file that somebody
    names is refused.
    """
    library, folder = Library(light, LOCAL_USER), tmp_path / "held"
    folder.mkdir()
    for name, (body, _) in HELD.items():
        (folder / name).write_bytes(body)
    with ZipFile(tmp_path / "held.zip", "w") as archive:
        for name, (body, _) in HELD.items():
            archive.writestr(name, body)
    if by == "browser":
        done = [library.add_uploads([(name, body) for name, (body, _) in HELD.items()], "my")]
    else:
        done = [
            library.add(path, "my")
            for path in {"folder": [folder], "archive": [tmp_path / "held.zip"]}.get(
                by, sorted(folder.iterdir())
            )
        ]
    told = {file.name.rpartition("/")[2]: file for added in done for file in added.files}
    kinds = {row["file"].rpartition("/")[2]: row["kind"] for row in library.list_documents("my")}
    assert kinds == {name: kind for name, (_, kind) in HELD.items() if kind}
    lost = {name for name, (_, kind) in HELD.items() if not kind}
    assert {name for name, file in told.items() if file.reason} == lost
    assert {told[name].state for name in lost} == (
        {"left"} if by in ("folder", "archive") else {"refused", "empty"}
    )
    if by == "folder":
        assert "5 left out" in done[0].sentence()
        assert "setup.exe (a program)" in done[0].sentence()
    assert all(added.failed == () for added in done) == (by in ("folder", "archive"))


def test_what_is_left_out_is_named_up_to_a_number_and_counted(
    light: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "held"
    folder.mkdir()
    for n in range(9):
        (folder / f"{n}.bin").write_bytes(b"\x00")
    (folder / "page.css").write_text("p {color: red}")
    (folder / "page.md").write_text("# Words")
    said = Library(light, LOCAL_USER).add(folder, "my").sentence().splitlines()[-1]
    assert (
        said
        == "  Left out: 0.bin (no text), 1.bin (no text), 2.bin (no text), 3.bin (no text), 4.bin (no text), 5 more."
    )


CLAIMING = {
    "html": '<title>{n}</title><link rel="canonical" href="{url}"><p>Dust number {n} causes {n} coughs a day in the harbour.',
    "md": "---\ntitle: {n}\nurl: {url}\n---\nDust number {n} causes {n} coughs a day in the harbour.",
    "txt": "Title: {n}\nURL: {url}\n\nDust number {n} causes {n} coughs a day in the harbour.",
}


@pytest.mark.parametrize("kind", CLAIMING)
def test_an_address_that_a_file_only_names_itself_is_kept_as_its_word(
    db: Database, tmp_path: Path, kind: str
) -> None:
    """Three texts of one such address are three own documents, which no tier of that address
    scores.
    """
    url = "https://www.nih.gov/dust"
    folder = tmp_path / "held"
    folder.mkdir()
    for n in range(3):
        (folder / f"p{n}.{kind}").write_text(CLAIMING[kind].format(n=n, url=url))
    library = Library(db, LOCAL_USER)
    shelf = Shelf.open(db, LOCAL_USER, "my")
    shelf.put(
        [
            Document(
                url,
                "p0",
                "As it was kept before.",
                "html",
                sha="old",
                file=str(folder / f"p0.{kind}"),
            )
        ],
        at=0.0,
    )
    shelf.put([Document(f"{url}/2", "p1", "Fetched.", "html", sha="web")], at=0.0)
    added = library.add(folder, "my")
    assert (added.added, added.replaced, added.duplicates, added.address_conflicts) == (2, 1, 0, ())
    own = [row["url"] for row in library.list_documents("my") if row["url"].startswith("document:")]
    assert [(library.read("my", each) or {})["facts"]["metadata"]["canonical"] for each in own] == [
        url
    ] * 3
    assert library.read("my", url) is None, (
        "what an older version kept under that address is replaced"
    )
    assert library.read("my", f"{url}/2") is not None
    assert all(
        (library.read("my", each) or {})["facts"]["metadata"].get("type", "") != "government"
        for each in own
    )
    assert library.add(folder, "my").unchanged == 3


NAMES = st.binary(min_size=1, max_size=30).filter(
    lambda name: not set(name) & set(b"/\x00.") and name.strip()
)


@pytest.mark.full
@settings(max_examples=20)
@given(st.sets(NAMES, min_size=1, max_size=4))
def test_a_name_of_any_bytes_is_read_and_harms_no_other(names: set[bytes]) -> None:
    with TemporaryDirectory() as top:
        for n, name in enumerate(sorted(names)):
            Path(top, os.fsdecode(name) + ".txt").write_text(f"The tide turned at {n}.")
        db = open_database(f"sqlite:///{top}/.db")
        added = Library(db, LOCAL_USER).add(Path(top), "my")
        again = Library(db, LOCAL_USER).add(Path(top), "my")
        rows = Library(db, LOCAL_USER).list_documents("my")
        db.close()
    assert (added.added, added.failed, again.unchanged, again.missing_files) == (
        len(names),
        (),
        len(names),
        (),
    )
    assert len({row["file"] for row in rows}) == len(names)


def test_what_in_a_folder_is_no_file_is_named(light: Database, tmp_path: Path) -> None:
    folder = tmp_path / "held"
    folder.mkdir()
    (folder / "tides.txt").write_text("The tide turns at noon.")
    for name, target in (("loop", "loop"), ("nowhere.txt", "none"), ("up", "..")):
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "pipe.txt")
    (folder / "manifest.jsonl").write_text(
        '{"file": "loop"}\n{"file": "\\ud800"}\n{"file": "tides.txt"}'
    )
    added = Library(light, LOCAL_USER).add(folder, "my")
    assert added.added == 1
    assert dict(added.left_out) == {
        "loop": "a link that leads nowhere", "nowhere.txt": "a link that leads nowhere", "pipe.txt": "no plain file",
        "up": "a link to a folder, which is not followed",
    }  # fmt: skip
    assert [name for name, _ in added.failed] == [
        "manifest.jsonl, line 1",
        "manifest.jsonl, line 2",
    ]


def test_a_file_that_is_too_large_is_not_taken(light: Database) -> None:
    (file,) = (
        Library(light, LOCAL_USER)
        .add_uploads([("long.txt", b"a" * (reading.MAX_BYTES + 1))], "papers")
        .files
    )
    assert (file.state, "larger than 50 MB" in file.reason) == ("refused", True)


@given(st.text(max_size=400))
def test_the_name_of_a_file_that_was_sent_has_no_path_and_nothing_hidden(said: str) -> None:
    name = file_discovery.clean_file_name(said)
    assert 0 < len(name) <= file_discovery.MAX_FILE_NAME + 11
    assert not set(name) & set("/\\\x00\n\u202e")
    assert not name.startswith(".")
    assert file_discovery.clean_file_name(name) == name


def test_a_library_is_made_empty_and_its_name_is_one(light: Database) -> None:
    library = Library(light, LOCAL_USER)
    assert library.create("  Tide\ntables ") == "Tide tables"
    assert count_documents(library) == {"Tide tables": 0}
    for name in ("Tide tables", SAMPLE_LIBRARY, "", " \u200b", "a/b", "..\\c", "~me", "x" * 301):
        with pytest.raises(UsageError) as failure:
            library.create(name)
        assert failure.value.next_step


def test_documents_are_removed_and_found_no_more(db: Database, folder: Path) -> None:
    library = Library(db, LOCAL_USER)
    library.add(folder, "my")
    assert library.search("my", "September")
    assert library.remove("my", [f"{SITE}/eels", f"{SITE}/nowhere"]) == 1
    assert library.remove("my", [f"{SITE}/eels"]) == 0
    assert not library.search("my", "September")
    assert library.read("my", f"{SITE}/eels") is None
    assert count_documents(library) == {"my": 4}
    assert library.add(folder, "my").added == 1


def test_a_library_is_removed_with_all_it_holds_and_nothing_else_is(
    db: Database, folder: Path
) -> None:
    library, theirs = Library(db, LOCAL_USER), Library(db, OTHER)
    library.add(folder, "my")
    library.add(folder, "yours")
    theirs.add(folder, "my")
    assert library.search("my", "eels")
    library.remove_library("my")
    assert library.search("my", "eels") == library.list_documents("my") == []
    assert count_documents(library) == {"yours": 5}
    assert len(theirs.list_documents("my")) == 5
    library.create("my")
    assert library.search("my", "eels") == []


@pytest.mark.parametrize("name", [SAMPLE_LIBRARY, "nowhere"])
def test_the_sample_and_what_is_not_there_cannot_be_removed(light: Database, name: str) -> None:
    library = Library(light, LOCAL_USER)
    for remove in (
        lambda: library.remove(name, [f"{SITE}/eels"]),
        lambda: library.remove_library(name),
    ):
        with pytest.raises(UsageError) as failure:
            remove()
        assert failure.value.next_step


def test_an_import_into_a_library_that_is_removed_meanwhile_says_so(
    light: Database, folder: Path
) -> None:
    library = Library(light, LOCAL_USER)
    library.create("my")
    with pytest.raises(UsageError, match="removed meanwhile"):
        library.add(
            folder,
            "my",
            lambda done, total, name: library.remove_library("my") if done == 1 else None,
        )


def test_a_search_says_where_in_the_document_its_words_stand(
    light: Database, tmp_path: Path
) -> None:
    (tmp_path / "long.txt").write_text(
        "\n\n".join(["Nothing of that kind stands here. " * 20] * 4 + ["The eel is here. " * 10])
    )
    library = Library(light, LOCAL_USER)
    library.add(tmp_path / "long.txt", "my")
    (found,) = library.find("my", "eel")
    assert (found["passage"], found["passages"]) == (5, 5)
    assert set(library.search("my", "eel")[0]) == {"url", "title", "snippet", "published"}


@pytest.mark.parametrize(
    ("titles", "subjects"),
    [
        (["Solar panels at home", "Why solar panels fade", "Tea"], ["solar panels"]),
        (["Grüner Wasserstoff heute", "Was grüner Wasserstoff kostet"], ["grüner Wasserstoff"]),
        (["Pan integral", "El pan integral y el azúcar", "Pan"], ["pan integral"]),
        (
            ["Bee colony losses", "A bee colony", "Tax law 2024", "New tax law"],
            ["bee colony", "tax law"],
        ),
        (["One of a kind", "Another thing"], []),
        ([], []),
    ],
)
def test_the_subjects_of_a_library_are_what_its_titles_share(
    titles: list[str], subjects: list[str]
) -> None:
    assert find_shared_subjects(titles) == subjects
