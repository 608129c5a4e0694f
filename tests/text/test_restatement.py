"""Whether another source clearly says the same again: mostly texts that hold many of the words and
do not.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text.restatement import restates

A = "The reef at Low Hope lost 41 percent of its coral cover to bleaching in 2016."
LIST = "The harbour master named “Gull”, “Tern” and “Curlew” as the fastest boats of 2025."

SAID = [
    (
        A,
        "Divers report that the reef at Low Hope lost 41 percent of its coral cover to"
        " bleaching in 2016.",
    ),
    (
        A,
        "In 2016, bleaching cost the reef at Low Hope 41% of its coral cover, all of it lost"
        " within weeks.",
    ),
    (
        LIST,
        "Of the fastest boats of 2025 the harbour master named “Gull”, then “Tern” and “Curlew”.",
    ),
    (
        "The bell rang on 3 May 2021 at Low Hope.",
        "At dawn the bell at Low Hope rang, on May 3, 2021.",
    ),
]
NOT_SAID = [
    (A, "The reef at Low Hope lost 15 percent of its coral cover to bleaching in 2016."),
    (A, "The reef at Low Hope lost 41 percent of its coral cover to bleaching in 2024."),
    (A, "The reef at Far Bay lost 41 percent of its coral cover to bleaching in 2016."),
    (A, "The reef at Low Hope may have lost 41 percent of its coral cover to bleaching in 2016."),
    (A, "The reef at Low Hope never lost 41 percent of its coral cover to bleaching in 2016."),
    (A, "The reef at Low Hope lost nearly 41 percent of its coral cover to bleaching in 2016."),
    (
        A,
        "The reef at Low Hope lost fish in 2016. Bleaching is a danger to coral cover: 41"
        " percent of it is dead.",
    ),  # put together
    (A, "The reef at Low Hope gained 41 percent of its coral cover after the bleaching in 2016."),
    (
        LIST,
        "Of the fastest boats of 2025 the harbour master named “Gull”, “Curlew” and then “Tern”.",
    ),  # another ranking
    (
        "“Gull” beat “Tern” to the harbour bell in 2025.",
        "“Tern” beat “Gull” to the harbour bell in 2025.",
    ),
    (
        "The corals of 2025 are older than the corals of 2015 were.",
        "The corals of 2025, as those of 2015, are an old reef's.",
    ),
    ("The bell rang on 3 May 2021 at Low Hope.", "The bell rang on 7 May 2021 at Low Hope."),
    ("It turns.", "It turns."),  # nothing that could be told from another
]


@pytest.mark.parametrize(("sentence", "text"), SAID)
def test_a_text_that_says_it_again(sentence: str, text: str) -> None:
    assert restates(sentence, ["The bell at the harbour is old.", text])


@pytest.mark.parametrize(("sentence", "text"), NOT_SAID)
def test_a_text_that_only_speaks_of_the_same(sentence: str, text: str) -> None:
    assert not restates(sentence, [text])


@given(st.text(max_size=200), st.lists(st.text(max_size=300), max_size=3))
def test_any_text_can_be_compared(sentence: str, texts: list[str]) -> None:
    assert restates(sentence, texts) in (True, False)
