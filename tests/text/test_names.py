"""Which words of a name are the surname, and which names are no person's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text.names import NAME_JOINER, is_group, parse_name


@pytest.mark.parametrize(
    ("text", "turned", "whole", "initials"),
    [
        ("Jane Doe", "Doe, Jane", "Jane Doe", "J."),
        ("Doe, Jane", "Doe, Jane", "Jane Doe", "J."),
        ("J. R. R. Tolkien", "Tolkien, J. R. R.", "J. R. R. Tolkien", "J. R. R."),
        ("J.K. Rowling", "Rowling, J.K.", "J.K. Rowling", "J. K."),
        ("Jean-Paul Sartre", "Sartre, Jean-Paul", "Jean-Paul Sartre", "J.-P."),
        ("Martin Luther King Jr.", "King, Martin Luther, Jr.", "Martin Luther King Jr.", "M. L."),
        ("King, Martin Luther, Jr.", "King, Martin Luther, Jr.", "Martin Luther King Jr.", "M. L."),
        ("Ludwig van Beethoven", "van Beethoven, Ludwig", "Ludwig van Beethoven", "L."),
        ("Christoph von Eichhorn", "von Eichhorn, Christoph", "Christoph von Eichhorn", "C."),
        ("María de la Cruz", "de la Cruz, María", "María de la Cruz", "M."),
        ("Abu Bakr al-Baghdadi", "al-Baghdadi, Abu Bakr", "Abu Bakr al-Baghdadi", "A. B."),
        ("Santiago Ramón y Cajal", "Ramón y Cajal, Santiago", "Santiago Ramón y Cajal", "S."),
        (
            f"Gabriel García{NAME_JOINER}Márquez",
            "García Márquez, Gabriel",
            "Gabriel García Márquez",
            "G.",
        ),
        ("Ursula K. Le Guin", "Le Guin, Ursula K.", "Ursula K. Le Guin", "U. K."),
        ("Robert De Niro", "De Niro, Robert", "Robert De Niro", "R."),
        ("Mao Zedong", "Mao, Zedong", "Mao Zedong", "Z."),
        ("Kim Jong-un", "Kim, Jong-un", "Kim Jong-un", "J.-U."),
        ("Nguyen Van Anh", "Nguyen, Van Anh", "Nguyen Van Anh", "V. A."),
        ("Kim Smith", "Smith, Kim", "Kim Smith", "K."),
        ("Lee Child", "Child, Lee", "Lee Child", "L."),
        ("Han Solo", "Solo, Han", "Han Solo", "H."),
        ("Jinping Xi", "Xi, Jinping", "Jinping Xi", "J."),
        ("蔡健雅", "蔡健雅", "蔡健雅", ""),
        ("Madonna", "Madonna", "Madonna", ""),
        ("World Health Organization", "World Health Organization", "World Health Organization", ""),
        ("", "", "", ""),
        (", Jane", "Jane", "Jane", ""),
    ],
)
def test_the_parts_of_a_name(text: str, turned: str, whole: str, initials: str) -> None:
    name = parse_name(text)
    assert (name.turned, name.whole, name.initials) == (turned, whole, initials)


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("Food and Agriculture Organization", True),
        ("Simon & Schuster", True),
        ("Bank of England", True),
        ("NASA", True),
        ("The Editors", True),
        ("Muster GmbH", True),
        ("Jane Doe", False),
        ("Ag Nes", False),
        ("J.", False),
        ("Fatima", False),
        ("", False),
    ],
)
def test_organisations_are_told_from_people(name: str, group: bool) -> None:
    assert is_group(name) is group


@given(st.text(max_size=200))
def test_no_name_breaks_it_and_no_letter_is_lost(text: str) -> None:
    name = parse_name(text)
    letters = sorted(sign for sign in f"{name.family}{name.given}{name.suffix}" if sign.isalnum())
    assert letters == sorted(sign for sign in text if sign.isalnum())
