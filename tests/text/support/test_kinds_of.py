"""Everyday words and their kinds."""

from __future__ import annotations

import pytest

from research_core.text.support.kinds_of import find_unnamed_kind, name_kind


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("Heat can lead to cracks.", "In a metal, heat causes cracks."),
        ("A bear market began in May.", "Like an animal, the market fell from May."),
        ("Anna van Dam drove home.", "Dam drove home in her vehicle."),
        ("It is the gold standard.", "It is the standard test, and needs no metal."),
        ("Drivers duck the rule.", "Drivers avoid the rule about any bird on the road."),
    ],
)
def test_a_word_that_often_means_something_else_is_no_kind(sentence: str, text: str) -> None:
    assert find_unnamed_kind(sentence, [text]) == ""


@pytest.mark.parametrize(
    ("sentence", "text", "kind"),
    [
        ("Dogs sleep a lot.", "Animals sleep a lot.", "dogs"),
        ("An eagle can swim.", "An animal can swim.", "eagle"),
        ("The oak was cut.", "The plant was cut.", "oak"),
    ],
)
def test_a_kind_that_the_texts_do_not_name_is_found(sentence: str, text: str, kind: str) -> None:
    assert find_unnamed_kind(sentence, [text]) == kind


def test_a_general_word_is_read_as_the_kind_that_the_text_names() -> None:
    assert name_kind("An animal bit the driver.", "A dog bit him.") == "A dog bit the driver."
    assert name_kind("An animal bit the driver.", "An animal, a dog, bit him.") == ""
