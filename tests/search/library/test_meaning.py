"""Searching a library by meaning: what is worked out and kept, how both rankings are fused, and
what is said where it cannot be.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.journal.database import Database
from research_core.journal.tables import open_database
from research_core.models import Principal, SearchQuery
from research_core.policy import SAMPLE_LIBRARY, RunSettings
from research_core.search.library.index import fuse_rankings
from research_core.search.library.library import Library, build_provider
from research_core.search.library.shelf import Document, Shelf, purge_removed_libraries
from research_core.sessions import heartbeats, runner, session_start, session_status
from research_core.sessions.replay import replay_session
from research_core.settings import Settings
from research_core.text.embeddings import MissingEmbedder
from research_core.wiring import LOCAL_USER, Resources
from tests.thesaurus import Thesaurus

SITE = "https://harbour.example.org"
OTHER = Principal("other", "user")


PAGES = {
    "motor": "The automobile was repaired in spring.",
    "fish": "An anguilla swims upriver.",
    "drink": "Tea is an infusion of leaves.",
}


def filled(db: Database, model: Any, who: Principal = LOCAL_USER) -> Library:
    documents = [
        Document(f"{SITE}/{name}", name.title(), text, "text", sha=name)
        for name, text in PAGES.items()
    ]
    Shelf.open(db, who, "my").put(documents, at=1.0)
    return Library(db, who, embedder=model)


def urls(rows: list[dict[str, Any]]) -> list[str]:
    return [row["url"].rpartition("/")[2] for row in rows]


# ---------------------------------------------------------------- what is worked out


def test_the_meaning_of_each_text_is_worked_out_once_and_what_is_new_after(db: Database) -> None:
    model, said = Thesaurus(), list[tuple[int, int, str]]()
    library = filled(db, model)
    assert (library.read_embedding_state("my").on, library.read_embedding_state("my").missing) == (
        False,
        3,
    )
    assert library.embed_documents("my", lambda *heard: said.append(heard)).on
    assert said == [(1, 3, "Motor"), (2, 3, "Fish"), (3, 3, "Drink")]
    assert model.asked == [f"{name.title()}. {text}" for name, text in PAGES.items()]
    model.asked.clear()
    assert library.embed_documents("my").on
    shelf = Shelf.open(db, LOCAL_USER, "my")
    shelf.put(
        [
            Document(f"{SITE}/motor", "Motor", "A vehicle.", "text"),
            Document(f"{SITE}/new", "Fish", PAGES["fish"], "text"),
        ],
        at=2.0,
    )
    assert library.read_embedding_state("my").missing == 1, (
        "a text that is known under another address is known"
    )
    assert library.embed_documents("my").on
    assert model.asked == ["Motor. A vehicle."]


def test_a_document_added_again_or_to_another_library_costs_nothing(db: Database) -> None:
    model = Thesaurus()
    library = filled(db, model)
    library.embed_documents("my")
    model.asked.clear()
    Shelf.open(db, LOCAL_USER, "other").put(
        [Document(f"{SITE}/fish", "Fish", PAGES["fish"], "text")], at=2.0
    )
    assert library.embed_documents("other").on
    assert library.read_embedding_state("other").on
    assert model.asked == []


def test_another_model_s_vectors_are_not_this_one_s(light: Database) -> None:
    filled(light, Thesaurus()).embed_documents("my")
    assert (
        Library(light, LOCAL_USER, embedder=Thesaurus("another")).read_embedding_state("my").missing
        == 3
    )


def test_what_is_removed_leaves_no_vectors_unless_its_text_is_still_held(db: Database) -> None:
    library = filled(db, Thesaurus())
    library.embed_documents("my")
    shelf = Shelf.open(db, LOCAL_USER, "my")
    keys = {name: Document("", name.title(), text, "").key for name, text in PAGES.items()}
    Shelf.open(db, LOCAL_USER, "other").put(
        [Document(f"{SITE}/fish", "Fish", PAGES["fish"], "text")], at=2.0
    )

    def left() -> set[str]:
        held = shelf.vectors("thesaurus/1", list(keys.values()))
        return {name for name, key in keys.items() if key in held}

    assert left() == set(PAGES)
    library.remove("my", [f"{SITE}/motor", f"{SITE}/fish"])
    assert left() == {"fish", "drink"}
    shelf.put([Document(f"{SITE}/drink", "Drink", "Coffee.", "text")], at=3.0)
    assert left() == {"fish"}
    library.remove_library("other")
    assert left() == {"fish"}  # it can be restored
    assert purge_removed_libraries(db, LOCAL_USER, math.inf) == 1
    assert left() == set()


def test_a_document_that_changed_while_it_was_worked_out_keeps_no_old_vectors(
    light: Database,
) -> None:
    library = filled(light, Thesaurus())
    shelf = Shelf.open(light, LOCAL_USER, "my")
    old = Document(f"{SITE}/fish", "Fish", PAGES["fish"], "text")
    shelf.put([Document(f"{SITE}/fish", "Fish", "Another text.", "text")], at=2.0)
    shelf.store_vectors(old, "thesaurus/1", b"")
    assert shelf.vectors("thesaurus/1", [old.key]) == {}
    assert library.read_embedding_state("my").missing == 3


def test_documents_added_before_there_were_vectors_are_worked_out_too(light: Database) -> None:
    library = filled(light, Thesaurus())
    with light.writing() as conn:
        conn.exec_driver_sql("UPDATE document SET meaning = NULL")
    assert library.read_embedding_state("my").missing == 3
    assert library.embed_documents("my").on


def test_it_can_be_stopped_and_goes_on_where_it_was(light: Database) -> None:
    model = Thesaurus()
    library = filled(light, model)
    answers = iter([True, False])
    assert library.embed_documents("my", go_on=lambda: next(answers)).missing == 2
    assert library.embed_documents("my", within_s=-1.0).missing == 2
    assert library.embed_documents("my").on
    assert len(model.asked) == 3


def test_tenants_share_no_vectors(db: Database) -> None:
    filled(db, Thesaurus()).embed_documents("my")
    model = Thesaurus()
    theirs = filled(db, model, OTHER)
    assert theirs.read_embedding_state("my").missing == 3
    theirs.embed_documents("my")
    assert len(model.asked) == 3
    theirs.remove_library("my")
    assert Library(db, LOCAL_USER, embedder=Thesaurus()).read_embedding_state("my").on


# ---------------------------------------------------------------- what is found


def test_a_document_is_found_by_its_meaning_where_no_word_is_the_same(db: Database) -> None:
    library = filled(db, Thesaurus())
    assert library.find("my", "vehicle") == []
    library.embed_documents("my")
    (found,) = library.find("my", "vehicle")
    text = PAGES["motor"]
    assert (found["url"], found["by"], text[found["start"] : found["end"]]) == (
        f"{SITE}/motor",
        "meaning",
        text,
    )
    assert found["snippet"] == text
    assert {(row["by"], row["url"][-5:]) for row in library.find("my", "infusion of anguilla")} == {
        ("both", "drink"),
        ("both", "/fish"),
    }
    assert library.find("my", "vehicle", by_meaning=False) == []
    assert library.find("my", "zeppelin") == library.find("my", "  ") == []


def test_the_passage_that_is_meant_is_the_one_that_is_shown(light: Database) -> None:
    parts = [f"Part {n} is about nothing that matters here. " + "Filler. " * 70 for n in range(6)]
    parts[4] = "The automobile was repaired. " * 20
    text = "\n\n".join(part.strip() for part in parts)
    Shelf.open(light, LOCAL_USER, "my").put(
        [Document(f"{SITE}/long", "Long", text, "text")], at=1.0
    )
    library = Library(light, LOCAL_USER, embedder=Thesaurus())
    library.embed_documents("my")
    (found,) = library.find("my", "vehicle")
    assert (found["passage"], found["passages"]) == (5, 6)
    assert text[found["start"] : found["end"]] == parts[4].strip()


def test_search_follows_what_is_added_worked_out_and_removed(db: Database) -> None:
    model = Thesaurus()
    library, shelf = filled(db, model), Shelf.open(db, LOCAL_USER, "my")
    library.embed_documents("my")
    assert urls(library.find("my", "vehicle")) == ["motor"]
    shelf.put([Document(f"{SITE}/second", "Second", "One more automobile.", "text")], at=2.0)
    assert library.find("my", "vehicle") == [], "by words alone until all is worked out again"
    library.embed_documents("my")
    assert sorted(urls(library.find("my", "vehicle"))) == ["motor", "second"]
    shelf.remove([f"{SITE}/motor"])
    assert urls(library.find("my", "vehicle")) == ["second"]


def test_the_order_is_that_of_the_library_s_state_not_of_its_history(light: Database) -> None:
    documents = [
        Document(f"{SITE}/{n}", "Car", "The automobile is red.", "text") for n in range(30)
    ]
    once, twice = Shelf.open(light, LOCAL_USER, "once"), Shelf.open(light, LOCAL_USER, "twice")
    library = Library(light, LOCAL_USER, embedder=Thesaurus())
    once.put(documents, at=1.0)
    for document in reversed(documents):
        twice.put([document], at=1.0)
        library.find("twice", "vehicle")
    twice.remove([documents[3].url])
    library.find("twice", "vehicle")
    twice.put([documents[3]], at=2.0)
    library.embed_documents("once")
    library.embed_documents("twice")
    rows = [
        [{**row, "passage": 0} for row in library.find(name, "red vehicle")]
        for name in ("once", "twice")
    ]
    assert rows[0] == rows[1]
    assert len(rows[0]) == 10


SCORES = st.dictionaries(st.integers(0, 9), st.floats(-5, 5, allow_nan=False), max_size=10)


@given(SCORES, SCORES)
def test_fusing_ranks_what_leads_in_both_first_and_orders_nothing_by_chance(
    one: dict[int, float], two: dict[int, float]
) -> None:
    total = fuse_rankings([one, two])
    assert set(total) == set(one) | set(two)
    assert total == fuse_rankings([dict(reversed(one.items())), dict(reversed(two.items()))])
    for id in total:
        if all(scores and scores.get(id) == max(scores.values()) for scores in (one, two)):
            assert total[id] == max(total.values())


# ---------------------------------------------------------------- what is said


@pytest.mark.parametrize(
    ("name", "model", "said"),
    [
        (
            "my",
            MissingEmbedder("The embedding model is not installed."),
            "Searched by words only. The embedding model is not installed.",
        ),
        ("my", Thesaurus(), "3 documents are not indexed by meaning yet (less than a minute)."),
        ("none", Thesaurus(), "No documents yet."),
        (
            SAMPLE_LIBRARY,
            Thesaurus(),
            "Searched by words only. That way it finds the same on every machine, from the first search on.",
        ),
    ],
)
def test_one_line_says_how_a_library_is_searched(
    light: Database, name: str, model: Any, said: str
) -> None:
    library = filled(light, model)
    assert library.read_embedding_state(name).sentence().endswith(said)
    assert library.choose_embedding_model(name) == ""
    assert urls(library.find(name, "vehicle")) in (
        [],
        urls(library.find(name, "vehicle", by_meaning=False)),
    )


@pytest.mark.full
def test_the_sample_is_never_worked_out(light: Database) -> None:
    model = Thesaurus()
    library = Library(light, LOCAL_USER, embedder=model)
    library.prepare(SAMPLE_LIBRARY)
    library.embed_documents(SAMPLE_LIBRARY)
    library.find(SAMPLE_LIBRARY, "vehicle")
    assert model.asked == []


# ---------------------------------------------------------------- as a run sees it


class Journal:
    """An `Http` that keeps what it is asked, and answers with plain JSON as the doorway does."""

    def __init__(self) -> None:
        self.params: list[Mapping[str, Any]] = []

    def call(
        self, kind: str, params: Mapping[str, Any], fn: Callable[[], Any], *, limit: str = ""
    ) -> Any:
        self.params.append(params)
        return json.loads(json.dumps(fn()))


def test_a_run_s_search_by_meaning_is_one_call_whose_key_says_so(light: Database) -> None:
    library, journal = filled(light, Thesaurus()), Journal()
    library.embed_documents("my")
    engine = build_provider(library, "my", library.choose_embedding_model("my"))
    assert [
        result.url
        for result in engine.search(
            cast(Any, journal), cast(Settings, None), SearchQuery("vehicle", 0)
        )
    ] == [f"{SITE}/motor"]
    assert journal.params == [
        {"library": "my", "query": "vehicle", "k": 10, "meaning": "thesaurus/1"}
    ]


def test_a_run_made_before_there_was_meaning_searches_by_words(light: Database) -> None:
    library, journal = filled(light, Thesaurus()), Journal()
    library.embed_documents("my")
    assert (
        build_provider(library, "my").search(
            cast(Any, journal), cast(Settings, None), SearchQuery("vehicle", 0)
        )
        == []
    )
    assert journal.params == [{"library": "my", "query": "vehicle", "k": 10}]


@dataclass(frozen=True)
class MeaningResources(Resources):
    """Resources with the model of these tests."""

    model: Any = None

    @property
    def embedder(self) -> Any:
        return self.model


def test_a_session_says_by_which_model_it_searched_and_its_replay_needs_none(
    tmp_path: Path,
) -> None:
    settings, model = Settings.from_env({"ASSAY_HOME": str(tmp_path)}), Thesaurus()
    resources = MeaningResources(settings, model)
    filled(resources.db, model).embed_documents("my")
    session = session_start.new_session(
        resources, "Which vehicle was repaired in spring?", RunSettings(mode="quick", library="my")
    )
    built = runner.resume_or_run(resources, session, heartbeats.make_executor_id()).report
    assert built is not None
    assert built.settings["meaning"] == "thesaurus/1"
    model.asked.clear()
    without = MeaningResources(settings, MissingEmbedder("It is gone."))
    assert replay_session(without, LOCAL_USER, session).same
    assert model.asked == []
    plain = session_start.new_session(
        without, "Which vehicle was repaired in spring?", RunSettings(mode="quick", library="my")
    )
    assert session_status.read_session_info(without, plain).row.settings["meaning"] == ""
    resources.close()
    without.close()


# ---------------------------------------------------------------- a database from before


def test_a_database_from_before_there_was_meaning_is_brought_up_and_its_documents_worked_out(
    db: Database,
) -> None:
    filled(db, Thesaurus())
    with db.writing() as conn:
        for statement in (
            "DROP TABLE vector", "DROP INDEX document_meaning", "ALTER TABLE document DROP COLUMN meaning",
            "DELETE FROM migration WHERE name = 'm005_vectors'",
        ):  # fmt: skip
            conn.exec_driver_sql(statement)
    again = open_database(db.url)
    library = Library(again, LOCAL_USER, embedder=Thesaurus())
    assert library.read_embedding_state("my").missing == 3
    assert library.embed_documents("my").on
    assert urls(library.find("my", "vehicle")) == ["motor"]
    again.close()
