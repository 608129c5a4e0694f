"""Lenses: the files that are shipped, those of an owner, and which addresses lie within one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research_core.errors import SettingsError, UsageError
from research_core.search import lenses
from research_core.settings import Settings
from tests.everyday import costly_examples

SHIPPED = lenses.read_shipped_lenses()


def settings(folder: Path | str = "") -> Settings:
    return Settings(home=Path("unused"), database_url="", lenses_path=str(folder))


def put(folder: Path, file: str, **told: Any) -> None:
    (folder / file).write_text(
        json.dumps({"name": "tides", "description": "Tides and seals.", **told})
    )


def test_each_file_that_is_shipped_is_a_lens_under_its_own_name() -> None:
    files = sorted(file.stem for file in lenses.LENS_FOLDER.glob("*.json"))
    assert files == sorted(SHIPPED)
    assert len(files) >= 15
    assert all(
        lens.description.endswith(".") and len(lens.domains) > 10 for lens in SHIPPED.values()
    )


def test_no_domain_of_a_file_is_lost_or_rewritten() -> None:
    for name, lens in SHIPPED.items():
        told = json.loads((lenses.LENS_FOLDER / f"{name}.json").read_text())
        assert list(lens.domains) == told["domains"]


def test_the_catalogue_says_name_description_count_and_whether_there_is_an_engine(
    tmp_path: Path,
) -> None:
    put(tmp_path, "a.json", cx="abc:123")
    listed = {row["name"]: row for row in lenses.list_lenses(settings(tmp_path))}
    assert listed["tides"] == {
        "name": "tides",
        "description": "Tides and seals.",
        "domainCount": 0,
        "hasCx": True,
    }
    assert listed["docs"]["domainCount"] == len(SHIPPED["docs"].domains)
    assert listed["docs"]["hasCx"] is False
    assert list(listed) == sorted(listed)


def test_an_unknown_lens_lists_those_there_are(tmp_path: Path) -> None:
    put(tmp_path, "a.json", domains=["tides.example"])
    with pytest.raises(UsageError) as caught:
        lenses.get_lens("seals", settings(tmp_path))
    assert caught.value.message == "Unknown lens 'seals'."
    assert "academic, " in caught.value.next_step
    assert "tides" in caught.value.next_step


def test_a_lens_of_the_owner_stands_before_ours_and_a_later_file_before_an_earlier_one(
    tmp_path: Path,
) -> None:
    put(tmp_path, "a.json", name="news", domains=["first.example"])
    put(
        tmp_path,
        "b.json",
        name="news",
        domains=["Second.Example/a/", "second.example/a"],
        goggle="https://goggles.example/x.goggle",
    )
    lens = lenses.get_lens("news", settings(tmp_path))
    assert (lens.domains, lens.goggle) == (
        ("second.example/a",),
        "https://goggles.example/x.goggle",
    )
    assert lenses.get_lens("legal", settings(tmp_path)) == SHIPPED["legal"]


def test_files_that_are_no_json_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    assert lenses.load_lenses(settings(tmp_path)) == dict(sorted(SHIPPED.items()))


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({}, "neither domains nor a cx nor a goggle"),
        ({"domains": []}, "neither domains nor a cx nor a goggle"),
        ({"domains": "tides.example"}, "no list of texts"),
        ({"domains": [1]}, "no list of texts"),
        ({"domains": ["https://tides.example"]}, "has a scheme"),
        ({"domains": ["tides example"]}, "'tides example' cannot be used"),
        ({"domains": ["tides.example?q=1"]}, "a host or a host with a path"),
        ({"domains": ["tides.example:8080"]}, "a host or a host with a path"),
        ({"domains": ["me@tides.example"]}, "a host or a host with a path"),
        ({"domains": ["tides.example#x"]}, "a host or a host with a path"),
        ({"domains": [""]}, "cannot be used"),
        ({"domains": ["tides.example OR site:evil.example"]}, "cannot be used"),
        ({"domains": ["tides.example"], "name": "Tides!"}, "its name"),
        ({"domains": ["tides.example"], "description": " "}, "no description"),
        ({"domains": ["tides.example"], "description": 7}, "its description is no text"),
        ({"domains": ["tides.example"], "domain": []}, "'domain' is no field"),
        ({"cx": "a b"}, "no id of an engine"),
        ({"goggle": "http://goggles.example/x"}, "no https address"),
    ],
)
def test_a_file_that_is_no_lens_is_named_with_what_is_wrong(
    tmp_path: Path, told: dict[str, Any], why: str
) -> None:
    put(tmp_path, "wrong.json", **told)
    with pytest.raises(SettingsError) as caught:
        lenses.load_lenses(settings(tmp_path))
    assert str(tmp_path / "wrong.json") in caught.value.message
    assert why in caught.value.message


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 100_000])
def test_a_file_of_anything_else_is_named_too(tmp_path: Path, body: bytes) -> None:
    (tmp_path / "wrong.json").write_bytes(body)
    with pytest.raises(SettingsError, match=r"wrong\.json is not a lens"):
        lenses.load_lenses(settings(tmp_path))


def test_a_folder_that_is_not_there_is_said() -> None:
    with pytest.raises(
        SettingsError, match="CUSTOM_LENSES_PATH: the folder /nowhere/lenses cannot be read"
    ):
        lenses.load_lenses(settings("/nowhere/lenses"))


@pytest.mark.parametrize(
    ("url", "inside"),
    [
        ("https://tides.example/", True),
        ("http://www.TIDES.example/a?b=c", True),
        ("https://deep.sea.tides.example", True),
        ("https://nottides.example/", False),
        ("https://tides.example.evil.example/", False),
        ("https://evil.example/?tides.example", False),
        ("https://tides.example@evil.example/", False),
        ("https://gov.example/health", True),
        ("https://gov.example/health/", True),
        ("https://www.gov.example/health/seals", True),
        ("https://gov.example/healthy", False),
        ("https://gov.example/a/../health/x", True),
        ("https://gov.example/health/../secrets", False),
        ("document:5eal5", False),
        ("no address", False),
    ],
)
def test_a_place_is_compared_by_whole_labels_and_whole_steps(url: str, inside: bool) -> None:
    assert lenses.is_within(url, ("tides.example", "gov.example/health")) is inside


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Tides.Example", "tides.example"),
        ("https://tides.example/", "tides.example"),
        (" .gov ", "gov"),
        ("*.tides.example", "tides.example"),
        ("http://tides.example/A/b/", "tides.example/A/b"),
        ("bücher.example", "xn--bcher-kva.example"),
    ],
)
def test_a_place_has_one_spelling(text: str, same: str) -> None:
    assert lenses.parse_place(text) == same


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


ODD = st.text("ab.-_/%2eE#?@:[] *\\é\u200b", max_size=12)
PARTS = {
    "name": JSON | st.just("tides"),
    "description": JSON | st.just("Tides."),
    "domains": JSON | st.lists(ODD),
    "cx": JSON,
    "goggle": JSON,
}


@costly_examples()
@given(st.fixed_dictionaries({}, optional=PARTS) | JSON)
def test_no_file_breaks_the_reader(told: Any) -> None:
    try:
        lens = lenses.parse_lens(told)
    except ValueError:
        return
    assert lens.domains or lens.cx or lens.goggle
    assert lenses.parse_lens(
        {
            "name": lens.name,
            "description": lens.description,
            "domains": [*lens.domains, "a.example"],
        }
    ).domains[:-1] == tuple(each for each in lens.domains if each != "a.example")


@given(st.text() | ODD)
@example("a.example//")
@example("a.example/%2e%2e/b")
@example("a.example/a b")
@example("https://https://a.example")
def test_a_place_that_can_be_read_is_one_word_and_holds_its_own_address(text: str) -> None:
    try:
        one = lenses.parse_place(text)
    except ValueError:
        return
    assert one
    assert not any(letter.isspace() for letter in one)
    assert lenses.parse_place(one) == one
    assert lenses.is_within(f"https://{one}", (one,))
