"""Whose a library is: private to its maker, shared when they say so, removed by them alone and
brought back; and one rule for the names of all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from research_core.errors import FetchError, UsageError
from research_core.journal.database import Database
from research_core.journal.tables import document, open_database, vector
from research_core.models import Principal
from research_core.policy import SAMPLE_LIBRARY
from research_core.search.library import shelf
from research_core.search.library.library import Library
from research_core.search.library.shelf import Document, Shelf
from research_core.userdata import export_and_erase
from tests.thesaurus import Thesaurus

ADA, GRACE = Principal("local", "https://id.example|ada"), Principal("local", "grace")
ABROAD = Principal("abroad", ADA.user)
NOTE = [("note.md", b"# Kiln\n\nThe kiln was fired at 1,240 degrees.")]


def names(library: Library) -> list[str]:
    return [row["name"] for row in library.list_libraries()]


def filled(db: Database, who: Principal, name: str) -> Library:
    library = Library(db, who, now=lambda: 50.0, embedder=Thesaurus())
    library.add_uploads(NOTE, name)
    return library


@pytest.mark.parametrize("name", ["my", "Kilns", "Öfen", "窯の記録", "Журнал печи"])
def test_a_library_is_its_maker_s_alone_until_it_is_shared(db: Database, name: str) -> None:
    hers, others = filled(db, ADA, name), Library(db, GRACE)
    (url,) = [row["url"] for row in hers.list_documents(name)]
    reference = f"shared:{name}"
    for guess in (name, reference):
        assert not others.exists(guess)
        assert others.search(guess, "kiln") == others.list_documents(guess) == []
        assert others.read(guess, url) is None
    assert names(others) == []
    hers.share(name, True)
    for asked in (name, reference):
        assert others.read(asked, url)
        assert [row["url"] for row in others.search(asked, "kiln")] == [url]
    assert names(others) == [reference]
    assert names(Library(db, ABROAD)) == []
    hers.share(name, False)
    assert not others.exists(reference)
    assert names(hers) == [name]


CHANGES: dict[str, Callable[[Library], object]] = {
    "documents removed": lambda library: library.remove("shared:Kilns", ["document:x"]),
    "removed": lambda library: library.remove_library("shared:Kilns"),
    "removed by its bare name": lambda library: library.remove_library("Kilns"),
    "shared": lambda library: library.share("shared:Kilns", True),
    "made private": lambda library: library.share("Kilns", False),
    "added to": lambda library: library.add_uploads(NOTE, "shared:Kilns"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_another_user_shares_cannot_be_changed(
    db: Database, change: Callable[[Library], object]
) -> None:
    hers = filled(db, ADA, "Kilns")
    hers.share("Kilns", True)
    with pytest.raises(UsageError, match="another user") as failure:
        change(Library(db, GRACE))
    assert failure.value.next_step
    assert len(hers.list_documents("Kilns")) == 1
    assert names(Library(db, GRACE)) == ["shared:Kilns"]


def test_two_users_have_a_library_of_one_name_and_the_own_one_comes_first(db: Database) -> None:
    filled(db, ADA, "Kilns").share("Kilns", True)
    others = Library(db, GRACE)
    others.add_uploads([("other.md", b"# Glaze\n\nThe glaze is blue.")], "Kilns")
    assert [row["title"] for row in others.list_documents("Kilns")] == ["Glaze"]
    assert [row["title"] for row in others.list_documents("shared:Kilns")] == ["Kiln"]
    assert names(others) == ["Kilns", "shared:Kilns"]
    with pytest.raises(UsageError, match="Another user shares"):
        others.share("Kilns", True)


def test_a_shared_library_is_embedded_by_its_maker_alone(db: Database) -> None:
    hers = filled(db, ADA, "Kilns")
    hers.share("Kilns", True)
    Library(db, GRACE, embedder=Thesaurus()).embed_documents("shared:Kilns")
    with db.reading() as conn:
        assert conn.execute(sa.select(vector.c.key)).all() == []
    hers.embed_documents("Kilns")
    assert Library(db, GRACE, embedder=Thesaurus()).read_embedding_state("shared:Kilns").on


@pytest.mark.parametrize("shared", [False, True])
def test_a_removed_library_is_brought_back_as_it_was(db: Database, shared: bool) -> None:
    hers, others = filled(db, ADA, "Kilns"), Library(db, GRACE)
    hers.share("Kilns", shared)
    hers.remove_library("Kilns")
    assert names(hers) == names(others) == []
    assert hers.search("Kilns", "kiln") == others.search("shared:Kilns", "kiln") == []
    (removed,) = hers.list_removed()
    assert (removed["title"], removed["documents"], removed["removed"]) == ("Kilns", 1, 50.0)
    assert others.list_removed() == []
    with pytest.raises(UsageError, match="was removed recently"):
        others.restore_library(removed["id"])
    assert hers.restore_library("Kilns") == "Kilns"
    assert len(hers.search("Kilns", "kiln")) == 1
    assert names(others) == (["shared:Kilns"] if shared else [])
    with pytest.raises(UsageError, match="was removed recently"):
        hers.restore_library("Kilns")


def test_a_library_comes_back_beside_none_of_its_name_and_shared_beside_no_other(
    db: Database,
) -> None:
    hers, his = filled(db, ADA, "Kilns"), filled(db, GRACE, "Kilns")
    hers.share("Kilns", True)
    hers.remove_library("Kilns")
    his.share("Kilns", True)
    hers.create("Kilns")
    with pytest.raises(UsageError, match="already a library"):
        hers.restore_library("Kilns")
    first = hers.list_removed()[0]["id"]
    Shelf.open(db, ADA, "Kilns").hide(49.0)
    with pytest.raises(UsageError, match="2 removed libraries match"):
        hers.restore_library("Kilns")
    assert hers.restore_library(first[:6]) == "Kilns"
    assert len(hers.list_documents("Kilns")) == 1
    assert [row["shared"] for row in hers.list_libraries() if row["own"]] == [False]


def test_what_was_removed_is_purged_with_all_it_held_when_its_time_is_up(db: Database) -> None:
    hers = filled(db, ADA, "Kilns")
    hers.embed_documents("Kilns")
    filled(db, ADA, "Glazes")
    hers.remove_library("Kilns")
    assert shelf.purge_removed_libraries(db, GRACE, 60.0) == 0
    assert shelf.purge_removed_libraries(db, ADA, 49.0) == 0
    assert shelf.purge_removed_libraries(db, ADA, 50.0) == 1
    assert hers.list_removed() == []
    assert names(hers) == ["Glazes"]
    with db.reading() as conn:
        assert len(conn.execute(sa.select(document.c.url)).all()) == 1


def test_documents_are_exported_and_erased_with_their_maker(db: Database) -> None:
    for who in (ADA, GRACE):
        filled(db, who, "Kilns").embed_documents("Kilns")
        filled(db, who, "Old").remove_library("Old")
    Library(db, ADA).prepare(SAMPLE_LIBRARY)
    exported = export_and_erase.export_user_data(db, ADA)["libraries"]
    assert [each["name"] for each in exported] == ["Kilns", "Old"]
    assert "1,240 degrees" in exported[0]["documents"][0]["text"]
    assert export_and_erase.erase_user_data(db, ADA, 9.0)[0]["libraries"] == 2
    assert names(Library(db, ADA)) == [SAMPLE_LIBRARY]
    assert Library(db, ADA).list_removed() == []
    his = Library(db, GRACE, embedder=Thesaurus())
    assert his.read_embedding_state("Kilns").missing == 0
    assert len(his.list_documents("Kilns")) == len(his.list_removed()) == 1


def test_libraries_of_before_are_the_local_user_s_and_shared(db: Database) -> None:
    """As they stood before they had makers: the name was the key, and everybody's."""
    old = ("my", "Öfen", SAMPLE_LIBRARY)
    for name in old:
        Shelf.open(db, Principal(), name).put([Document("document:a", name, "A kiln.", "text")], 1)
    with db.writing() as conn:
        conn.exec_driver_sql("UPDATE library SET name = title")
        conn.exec_driver_sql("DROP INDEX library_maker")
        for column in ("title", "maker", "shared", "removed"):
            conn.exec_driver_sql(f"ALTER TABLE library DROP COLUMN {column}")
        conn.exec_driver_sql("DELETE FROM migration WHERE name = 'm011_makers_of_libraries'")
    again = open_database(db.url)
    local, hers = Library(again, Principal()), Library(again, ADA)
    local.prepare(SAMPLE_LIBRARY)
    assert names(local) == ["my", SAMPLE_LIBRARY, "Öfen"]
    assert names(hers) == [SAMPLE_LIBRARY, "shared:my", "shared:Öfen"]
    assert len(hers.search("Öfen", "kiln")) == len(hers.search("shared:my", "kiln")) == 1
    hers.add_uploads(NOTE, "my")  # one of her own
    assert [row["title"] for row in hers.list_documents("my")] == ["Kiln"]
    assert [row["title"] for row in local.list_documents("my")] == ["my"]
    local.share("my", False)
    assert not hers.exists("shared:my")
    local.remove_library("Öfen")
    assert local.restore_library("Öfen") == "Öfen"
    again.close()


def read_nothing(url: str, **_: object) -> object:
    raise FetchError("Nobody answers.", kind="network")


MAKERS: dict[str, Callable[[Library, str, Path], object]] = {
    "create": lambda library, name, _: library.create(name),
    "add": lambda library, name, path: library.add(path, name),
    "add_uploads": lambda library, name, _: library.add_uploads(NOTE, name),
    "add_pages": lambda library, name, _: library.add_pages(
        ["https://a.example/"], name, read_nothing
    ),  # type: ignore[arg-type]
}
every_maker = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@every_maker
@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("  Tide\ntables ", "Tide tables"),
        ("窯\u3000の  記録", "窯 の 記録"),
        ("Журнал\tпечи", "Журнал печи"),
        ("Öfen\u200b", "Öfen"),
        ("مكتبة  المد", "مكتبة المد"),
        ("C++ & *notes*_[1]", "C++ & *notes*_[1]"),
        ("/srv/two  spaces", "/srv/two  spaces"),
    ],
)
def test_one_rule_names_a_library_whichever_way_it_is_made(
    light: Database,
    tmp_path: Path,
    make: Callable[[Library, str, Path], object],
    given: str,
    name: str,
) -> None:
    (tmp_path / "note.md").write_bytes(NOTE[0][1])
    library = Library(light, ADA)
    make(library, given, tmp_path / "note.md")
    assert names(library) == [name]
    assert library.exists(given)
    library.remove_library(given)
    assert library.restore_library(given) == name


@every_maker
@pytest.mark.parametrize(
    "name",
    [SAMPLE_LIBRARY, f" {SAMPLE_LIBRARY} ", "", " \u200b", "a/b", "..\\c", "~me", "x" * 301, "b\udcff"],
)  # fmt: skip
def test_one_rule_refuses_a_name_whichever_way_it_is_given(
    light: Database, tmp_path: Path, make: Callable[[Library, str, Path], object], name: str
) -> None:
    (tmp_path / "note.md").write_bytes(NOTE[0][1])
    library = Library(light, ADA)
    with pytest.raises(UsageError) as failure:
        make(library, name, tmp_path / "note.md")
    assert failure.value.next_step
    assert names(library) == []
    with pytest.raises(UsageError):
        library.create("shared:Kilns")
