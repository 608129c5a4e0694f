"""A misspelt word of a query finds the documents that hold the word it is a slip of."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.journal.database import Database
from research_core.journal.encryption import Cipher
from research_core.journal.tables import open_database
from research_core.models import SearchQuery, describe_respelled
from research_core.search.library.index import match_words
from research_core.search.library.library import Library, build_provider, list_respelled
from research_core.search.library.shelf import Document, Shelf
from research_core.search.records import collect_respelled
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER
from tests.tool_calls_made import make_tool_call

SITE = "https://clinic.example.org"

TEXTS = {
    "ramipril": "Ramipril lowers the blood pressure. Some patients cough while they take it.",
    "tendonitis": "Tendinopathy of the heel hurts in the morning. Physiotherapy helps most people.",
    "sarcoidosis": "Sarcoidosis makes small lumps, called granulomas, in the lungs.",
    "amlodipine": "Amlodipine widens the arteries. Swollen ankles are frequent.",
    "saproterin": "Saproterin is a cofactor of an enzyme.",
    "lyrics": "The lyrics of the song are by Jansen, a singer from Utrecht.",
    "prednisolone": "Prednisolone is a steroid. Take it in the morning.",
}
FOREIGN = {
    "de": "Die Schilddrüsenüberfunktion beschleunigt den Herzschlag, und viele Kranke schwitzen.",
    "es": "La hipertensión daña los riñones y el corazón de muchas personas mayores.",
    "fr": "La bronchiolite touche les nourrissons en hiver et gêne leur respiration.",
    "it": "La gastroscopia permette di osservare lo stomaco e il duodeno del paziente.",
    "ru": "Гипертония повреждает почки и сердце у многих пожилых людей.",
}


def put(db: Database, texts: dict[str, str]) -> Library:
    documents = [
        Document(f"{SITE}/{name}", f"Page {number}", text, "text")
        for number, (name, text) in enumerate(texts.items())
    ]
    Shelf.open(db, LOCAL_USER, "my").put(documents, at=0.0)
    return Library(db, LOCAL_USER)


def read_slips(library: Library, query: str) -> dict[str, str]:
    return dict(list_respelled(library.find("my", query)))


@pytest.mark.parametrize(
    ("query", "slips", "page"),
    [
        ("rampiril dry cough", {"rampiril": "ramipril"}, "ramipril"),
        ("exercises for tendonopathy", {"tendonopathy": "tendinopathy"}, "tendonitis"),
        ("fisiotherapy", {}, ""),  # another first letter
        ("phisiotherapy", {"phisiotherapy": "physiotherapy"}, "tendonitis"),
        ("Sarcoidossis", {"Sarcoidossis": "sarcoidosis"}, "sarcoidosis"),
        ("granulommas in the lung", {"granulommas": "granulomas"}, "sarcoidosis"),
        ("AMLODIPIN", {}, "amlodipine"),  # the same stem
        ("AMLODIPNE", {"AMLODIPNE": "amlodipine"}, "amlodipine"),
        # Right, but absent: the nearest is shown, and said to be another word.
        ("sapropterin", {"sapropterin": "saproterin"}, "saproterin"),
    ],
)
def test_a_misspelt_word_finds_its_document(
    db: Database, query: str, slips: dict[str, str], page: str
) -> None:
    library = put(db, TEXTS)
    found = library.find("my", query)
    assert dict(list_respelled(found)) == slips
    assert [row["url"] for row in found][:1] == ([f"{SITE}/{page}"] if page else [])
    assert all(read in found[0]["snippet"].lower() for read in slips.values())


@pytest.mark.parametrize(
    ("language", "query", "slips"),
    [
        ("de", "Schilddrüsenüberfuntion", {"Schilddrüsenüberfuntion": "schilddrüsenüberfunktion"}),
        ("de", "Was tun bei Herschlag?", {"Herschlag": "herzschlag"}),
        ("es", "hipertencion en mayores", {"hipertencion": "hipertensión"}),
        ("fr", "la bronchiollite du nourrisson", {"bronchiollite": "bronchiolite"}),
        ("it", "gastroscopía", {}),  # the accent alone is no slip
        ("it", "gastrosopia", {"gastrosopia": "gastroscopia"}),
        ("ru", "гипиртония почки", {"гипиртония": "гипертония"}),
    ],
)
def test_slips_of_other_languages_are_read_with_their_accents(
    light: Database, language: str, query: str, slips: dict[str, str]
) -> None:
    library = put(light, {language: FOREIGN[language]})
    assert library.find("my", query)
    assert read_slips(library, query) == slips


@pytest.mark.parametrize(
    "query",
    [
        "nimlodipine",  # another first letter
        "amiloride",
        "felodipine",
        "prednisone",  # a syllable less
        "lyrica",  # short, another consonant
        "Jensen",  # a short name
        "Janzen",
        "ramp",  # short
        "sarcasm",  # a word of English
        "physiology",
        "2,5 12345678 b12345",
        "ramipril-x d'amlodipne",
        "検潮器",
    ],
)
def test_another_word_is_no_slip(light: Database, query: str) -> None:
    library = put(light, {**TEXTS, "more": "Quarterly words, without any of the others."})
    assert read_slips(library, f"{query} quarterly") == {}


def test_the_nearest_word_is_read_then_the_more_frequent_then_by_alphabet(light: Database) -> None:
    library = put(
        light,
        {
            "a": "Carbomazol, carbamazepine and carbimazole are named here.",
            "b": "Carbimazole again.",
            "c": "Tetrabol and tetrabal.",
        },
    )
    assert read_slips(library, "carbmazole") == {"carbmazole": "carbimazole"}
    assert read_slips(library, "carbamazapine") == {"carbamazapine": "carbamazepine"}
    assert read_slips(library, "tetrabul") == {"tetrabul": "tetrabal"}


def test_a_name_with_several_slips_needs_several_passages(light: Database) -> None:
    few = {"a": "Wolff and Kierkegaard wrote."}
    library = put(light, few)
    assert read_slips(library, "kirkegard wrote") == {"kirkegard": "kierkegaard"}
    assert read_slips(library, "Kirkegard wrote") == {}
    library = put(light, few | {"b": "Kierkegaard lived here.", "c": "Kierkegaard, again."})
    assert read_slips(library, "Kirkegard wrote") == {"Kirkegard": "kierkegaard"}
    assert read_slips(library, "Kirkegard or kirkegard") == {"kirkegard": "kierkegaard"}


def test_the_word_as_written_stays_in_the_search(light: Database) -> None:
    library = put(light, TEXTS)
    assert read_slips(library, "rampiril") == {"rampiril": "ramipril"}
    library = put(light, {"note": "A note that spells it rampiril."})
    found = library.find("my", "rampiril")
    assert [row["url"] for row in found] == [f"{SITE}/note"]
    assert list_respelled(found) == []


@given(st.sampled_from(sorted(set(" ".join(TEXTS.values()).replace(".", "").split()))))
def test_a_word_of_the_library_is_never_respelled(word: str) -> None:
    assert read_slips(_LIBRARY, word) == {}
    assert read_slips(_LIBRARY, word.upper()) == {}


@given(st.text(alphabet="aeiloprtsdnémüж -'\"3*", max_size=30))
def test_any_query_is_read_with_words_of_the_library_only(query: str) -> None:
    held = set(match_words(" ".join(TEXTS.values())))
    for written, read in read_slips(_LIBRARY, query).items():
        assert written in query
        assert read in held
        assert written.lower() not in held


_DB = open_database("sqlite:///:memory:")
_LIBRARY = put(_DB, TEXTS)


def test_encrypted_libraries_are_searched_alike(tmp_path: Path) -> None:
    sealed = open_database(f"sqlite:///{tmp_path / 'sealed.db'}", cipher=Cipher("ab" * 32))
    library = put(sealed, TEXTS)
    for _ in range(3):
        assert read_slips(library, "rampiril") == {"rampiril": "ramipril"}
    put(sealed, {"new": "Granisetron stops nausea."})
    assert read_slips(library, "granistron") == {"granistron": "granisetron"}
    sealed.close()


def test_nothing_of_a_look_at_the_vocabulary_is_left_in_the_database(light: Database) -> None:
    library = put(light, TEXTS)
    assert read_slips(library, "ramipril") == {}
    with light.reading() as conn:
        before = conn.exec_driver_sql("SELECT name FROM sqlite_master").scalars().all()
    library.find("my", "rampiril")
    with light.reading() as conn:
        assert conn.exec_driver_sql("SELECT name FROM sqlite_master").scalars().all() == [*before]
        assert conn.exec_driver_sql("SELECT name FROM sqlite_temp_master").scalars().all() == []


class Journal:
    """Passes calls on and keeps what they answer, as JSON."""

    def __init__(self) -> None:
        self.answers: list[Any] = []

    def call(self, _kind: str, _params: Mapping[str, Any], fn: Callable[[], Any]) -> Any:
        self.answers.append(json.loads(json.dumps(fn())))
        return self.answers[-1]


def test_a_run_records_what_was_respelled_and_nothing_else_of_it(light: Database) -> None:
    journal = Journal()
    search = build_provider(put(light, TEXTS), "my").search
    for query, slips in (("rampiril", [["rampiril", "ramipril"]]), ("ramipril", [])):
        found = search(cast(Any, journal), cast(Settings, None), SearchQuery(query, 0))
        assert collect_respelled(found) == slips
        assert [row.get("spelled", []) for row in journal.answers[-1]] == [slips]
    assert "spelled" not in journal.answers[-1][0]


def test_what_was_respelled_is_said_once_whatever_its_capitals() -> None:
    slips = [("Rampiril", "ramipril"), ("kof", "cough"), ("rampiril", "ramipril")]
    assert describe_respelled(slips) == (
        "Searched in the library as “ramipril”: no document holds “Rampiril”. Searched in the"
        " library as “cough”: no document holds “kof”."
    )
    assert describe_respelled([]) == ""


@pytest.mark.parametrize(
    ("tool", "place"), [("web_search", "notes"), ("search_and_scrape", "note")]
)
def test_tools_that_search_say_what_was_respelled(light: Database, tool: str, place: str) -> None:
    engine = build_provider(put(light, TEXTS), "my")
    called = make_tool_call(tool, {}, engines=(engine,), query="Rampiril for rampiril")
    said = "Searched in the library as “ramipril”: no document holds “rampiril”."
    assert said in called.answer[place]
    called = make_tool_call(tool, {}, engines=(engine,), query="ramipril")
    assert said.split(":")[0] not in str(called.answer)
