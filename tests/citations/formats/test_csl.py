"""CSL-JSON read leniently into an Item, and written from one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.citations.formats.csl import build_csl_object, format_csl_json, read_item
from research_core.citations.formats.item import Item, Person

WHOLE = {
    "id": "kelp", "type": "chapter", "title": "Kelp", "author": [{"family": "Gogh", "non-dropping-particle": "van", "given": "Ann"}],
    "editor": [{"literal": "Harbour Trust"}], "issued": {"date-parts": [["2015", 5]]}, "container-title": "Coasts", "publisher": "Quay",
    "publisher-place": "Hull", "volume": 2, "page": "3-9", "DOI": "https://doi.org/10.1000/182", "URL": "https://a.example/k",
    "translator": [{"family": "Roe", "given": "Max"}], "ISBN": "1", "original-date": {"date-parts": [[1990]]}, "custom": {"x": 1},
}  # fmt: skip


def test_an_object_becomes_an_item_and_the_same_object_again() -> None:
    read = read_item(WHOLE)
    assert read == Item(
        "chapter", "Kelp", (Person("van Gogh", "Ann"),), (Person(literal="Harbour Trust"),), "Coasts", "Quay", "Hull", "2015-05",
        volume="2", pages="3-9", doi="10.1000/182", url="https://a.example/k", id="kelp", others={"translator": (Person("Roe", "Max"),)},
        more={"ISBN": "1", "original-date": "1990"},
    )  # fmt: skip
    assert build_csl_object(read) == {
        "id": "kelp", "type": "chapter", "title": "Kelp", "author": [{"family": "van Gogh", "given": "Ann"}],
        "editor": [{"literal": "Harbour Trust"}], "issued": {"date-parts": [[2015, 5]]}, "container-title": "Coasts", "publisher": "Quay",
        "publisher-place": "Hull", "volume": "2", "page": "3-9", "DOI": "10.1000/182", "URL": "https://a.example/k",
        "translator": [{"family": "Roe", "given": "Max"}], "ISBN": "1", "original-date": {"date-parts": [[1990]]},
    }  # fmt: skip
    assert read_item(build_csl_object(read)) == read


@pytest.mark.parametrize(
    ("said", "field", "found"),
    [
        ({"title": ["First", "Second"]}, "title", "First"),
        ({"title": "H<sub>2</sub>O &amp;\n ice\u202e"}, "title", "H₂O & ice"),
        ({"title": {"a": 1}}, "title", ""),
        ({"type": 7}, "type", "document"),
        ({"event": "Tides 2020"}, "event", "Tides 2020"),
        ({"event": "old", "event-title": "new"}, "event", "new"),
        ({"event-title": "new", "event": "old"}, "event", "new"),
        ({"issued": {"date-parts": [[2020, 13, 1]]}}, "issued", "2020"),
        ({"issued": {"raw": "2020-02-30"}}, "issued", "2020-02"),
        ({"issued": {"date-parts": [[2019, 1, 2], [2020, 1, 1]]}}, "issued", "2019-01-02"),
        ({"issued": "May 2020"}, "issued", "2020-05"),
        ({"issued": {"date-parts": [[2020]], "season": "Spring"}}, "issued", "2020-21"),
        ({"issued": {"date-parts": [["2020", "24"]]}}, "issued", "2020-24"),
        ({"issued": {"literal": "Fall 2020"}}, "issued", "2020-27"),
        ({"issued": {"date-parts": [None]}}, "issued", ""),
        ({"author": ["Doe, Jane", {"given": "Cher"}, {"name": "WHO"}, 3, {}]}, "authors",
         (Person("Doe", "Jane"), Person(literal="Cher"), Person(literal="WHO"))),
        ({"author": [{"family": "Humboldt", "given": "Alexander", "dropping-particle": "von"}]}, "authors",
         (Person("Humboldt", "Alexander von"),)),
        ({"author": [{"family": "Alembert", "given": "Jean", "non-dropping-particle": "d'"}]}, "authors", (Person("d'Alembert", "Jean"),)),
        ({"author": "Jane"}, "authors", ()),
        ({"ISSN": ["0036-8075", "1"], "reference": [{"author": "x"}]}, "more", {"ISSN": "0036-8075"}),
        ({"DOI": "10.1002/(SICI)1097(1998)17:15<1661::AID>3.0.CO;2-2"}, "doi", "10.1002/(SICI)1097(1998)17:15<1661::AID>3.0.CO;2-2"),
        ({"DOI": "none"}, "doi", ""),
    ],
)  # fmt: skip
def test_other_shapes_are_read_as_far_as_they_go(
    said: dict[str, Any], field: str, found: object
) -> None:
    assert getattr(read_item(said), field) == found


def test_a_list_is_one_array_under_the_given_keys() -> None:
    assert json.loads(format_csl_json([("a", Item(title='Say "so"')), ("b", Item())])) == [
        {"id": "a", "type": "document", "title": 'Say "so"'},
        {"id": "b", "type": "document"},
    ]


ANYTHING = st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=12), lambda inner: (
    st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["date-parts", "raw", "family", "given", "literal"]), inner, max_size=3)
), max_leaves=8)  # fmt: skip


@given(
    st.dictionaries(st.sampled_from([*WHOLE, "event", "issued", "accessed"]), ANYTHING, max_size=8)
)
def test_no_object_breaks_the_reader_and_what_was_read_is_written_as_it_was(
    said: dict[str, Any],
) -> None:
    read = read_item(said)
    assert read_item(json.loads(json.dumps(build_csl_object(read)))) == read


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("On <i>E. coli</i> &amp; <a href='x'>links</a>", "On E. coli & links"),
        ("<jats:p>Tides</jats:p> of <mml:math><mml:mi>x</mml:mi></mml:math>", "Tides of x"),
        ("Type parameters: List<Z> and Map<K>", "Type parameters: List<Z> and Map<K>"),
        ("p<0.05 and q>3 &lt; 5", "p<0.05 and q>3 < 5"),
        ("R&D &#0; &nothing; &#233;", "R&D &#0; &nothing; é"),
    ],
)
def test_markup_goes_and_what_only_looks_like_it_stays(said: str, read: str) -> None:
    assert read_item({"title": said}).title == read
