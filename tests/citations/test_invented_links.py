"""Addresses in a writer's text: those of sources stay, made-up ones are removed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.citations.invented_links import REMOVED_ADDRESS, remove_invented_links

KNOWN = ("https://www.nasa.gov/mars/", "https://en.wikipedia.org/wiki/Mars_(planet)#Moons")
SHOWN = "Write to us at https://contact.example/FORM or call."


@pytest.mark.parametrize(
    "text",
    [
        "See [NASA](https://nasa.gov/mars).",
        "Siehe <http://www.nasa.gov/mars/> dazu.",
        "Voir https://www.nasa.gov/mars, puis (https://www.nasa.gov/mars/).",
        "[Mars](https://en.wikipedia.org/wiki/Mars_(planet)) has two moons.",
        "Form: https://contact.example/form.",
        "A [section](#moons) of this report, f(x) and a[3] (see below).",
        "No address at all: [p1a2b3c4d].",
    ],
)
def test_known_addresses_stay(text: str) -> None:
    assert remove_invented_links(text, KNOWN, SHOWN) == (text, 0)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('The [ESA](https://esa.int/x_(y) "Title") says so.', "The ESA says so."),
        ("Laut [Amt](http://amt.example/ä?x=1) gilt das.", "Laut Amt gilt das."),
        ("Voir https://made.example/x. Ensuite.", "Voir (address removed). Ensuite."),
        ("It rose (https://made.example/x).", "It rose (address removed)."),
        ("见 https://made.example/x。下一句", "见 (address removed)。下一句"),
        ("راجع <https://made.example/x>؟", "راجع (address removed)؟"),
        ("![A chart](https://made.example/c.png) of it", "A chart of it"),
        ("[https://made.example](https://made.example)", "(address removed)"),
        ("www.made.example, and", "(address removed), and"),
        ("It rose [2](https://made.example).", "It rose [2]."),
        ("It rose [[2]](https://made.example).", "It rose [2]."),
        ("It rose [p1a2b3c4d](https://made.example).", "It rose [p1a2b3c4d]."),
        ("[x](javascript:alert(1)) and [y](data:text/html,z)", "x and y"),
        ('As [said][1].\n\n[1]: https://made.example "T"\nNext.', "As [said][1].\n\nNext."),
        ("| a | https://made.example/o |", "| a | (address removed) |"),
        ("[NASA](https://nasa.gov/mars-2)", "NASA"),
    ],
)
def test_made_up_addresses_go_and_their_words_stay(text: str, left: str) -> None:
    found, removed = remove_invented_links(text, KNOWN, SHOWN)
    assert (found, removed > 0) == (left, True)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("It rose [1](https://www.nasa.gov/mars/).", "It rose [1]."),
        ("Es stieg [[2]](http://nasa.gov/mars) an.", "Es stieg [2] an."),
        ("它上升了[p1a2b3c4d](https://nasa.gov/mars)。", "它上升了[p1a2b3c4d]。"),
        ("| a [^3](https://nasa.gov/mars) | b |", "| a [3] | b |"),
        ("Il monte ([4](<https://nasa.gov/mars> 'Mars')).", "Il monte ([4])."),
    ],
)
def test_a_mark_that_links_to_a_source_is_a_mark(text: str, left: str) -> None:
    assert remove_invented_links(text, KNOWN) == (left, 0)


def test_a_mark_shows_where_an_address_was() -> None:
    text = "The [ESA](https://esa.int) says so. See https://made.example/x."
    found, _ = remove_invented_links(text, KNOWN, mark="[!]")
    assert found == f"The ESA[!] says so. See {REMOVED_ADDRESS}.[!]"


@given(st.text(alphabet="[]()<>!a1p:/.# \n\"'|https", max_size=80))
def test_what_is_left_has_no_unknown_link(text: str) -> None:
    once, _ = remove_invented_links(text, ())
    assert "](http" not in once
    assert len(once) <= len(text) + len(REMOVED_ADDRESS) * (text.count("://") + text.count("www."))
