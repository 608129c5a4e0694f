"""Names and figures dealt out otherwise: told by order alone, and only where it is sure."""

from __future__ import annotations

import pytest

from research_core.text.support import check_support
from research_core.text.support.order import find_swapped


@pytest.mark.parametrize(
    ("sentence", "other", "pair"),
    [
        (
            "The share was 41 % in 2016 and 15 % in 2019.",
            "The share was 15 % in 2016 and 41 % in 2019.",
            "41 and 15",
        ),
        ("Alice Meyer sued Bob Stone.", "Bob Stone sued Alice Meyer.", "Alice Meyer and Bob Stone"),
        (
            "Norway spends 20 % more than Sweden.",
            "Sweden spends 20 % more than Norway.",
            "Norway and Sweden",
        ),
        ("Norway got 3 medals, Sweden got 5.", "Norway got 5 medals, Sweden got 3.", "3 and 5"),
        # the same, told otherwise
        (
            "In 2016 the share was 41 %, in 2019 it was 15 %.",
            "The share was 41 % in 2016 and 15 % in 2019.",
            "",
        ),
        (
            "In 2019 the share was 15 %, in 2016 it was 41 %.",
            "The share was 41 % in 2016 and 15 % in 2019.",
            "",
        ),
        ("Alice Meyer sued Bob Stone.", "Bob Stone was sued by Alice Meyer.", ""),
        ("Alice and Bob went home.", "Bob and Alice went home.", ""),
        ("In Oslo, prices rose by 3 %.", "Prices rose by 3 % in Oslo.", ""),
        ("Alice Meyer sued.", "Bob Stone sued.", ""),
    ],
)
def test_what_is_dealt_out_otherwise(sentence: str, other: str, pair: str) -> None:
    assert find_swapped(sentence, other) == pair
    if pair:
        assert check_support(sentence, [other]) == (
            "partly",
            f"The passage has these in another order: {pair}.",
        )
