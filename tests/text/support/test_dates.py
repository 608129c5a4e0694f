"""The dates of a sentence held against a text: every form, nothing that is no date, and months that
differ.
"""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text.support import check_support
from research_core.text.support.dates import (
    find_dates,
    find_missing_dates,
    remove_dates,
    separate_date_parts,
)

MONTHS = (
    "January February March April May June July August September October November December".split()
)
FORMS = (
    "{d} {M} {y}", "{M} {d}, {y}", "{M} {d}th, {y}", "the {d}th of {M} {y}", "{d} {m} {y}",
    "{m}. {d}, {y}", "{y}-{n:02}-{d:02}", "{y}/{n}/{d}", "{d}.{n}.{y}", "{d}/{n}/{y}",
    "{n}/{d}/{y}",
)  # fmt: skip
DAYS = st.integers(0, 70_000).map(lambda n: date(1900, 1, 1) + timedelta(n))


def written(day: date, form: str) -> str:
    name = MONTHS[day.month - 1]
    return form.format(d=day.day, M=name, m=name[:3], n=day.month, y=day.year)


@given(DAYS, st.sampled_from(FORMS), st.sampled_from(FORMS))
def test_a_day_is_met_in_every_form(day: date, one: str, other: str) -> None:
    assert (
        find_missing_dates(
            f"It passed on {written(day, one)}.", f"On {written(day, other)} it was passed."
        )
        == []
    )


@given(DAYS, DAYS, st.sampled_from(FORMS[:8]), st.sampled_from(FORMS[:8]))
def test_another_day_is_not(day: date, another: date, one: str, other: str) -> None:
    lost = find_missing_dates(
        f"It passed on {written(day, one)}.", f"On {written(another, other)} it was passed."
    )
    assert bool(lost) is (day != another)


@pytest.mark.parametrize(
    ("sentence", "text", "lost"),
    [
        ("It began in May 2021.", "It began on 2021-05-03.", []),
        ("It began in May 2021.", "It began in June 2021.", ["May 2021"]),
        ("It began in May 2021.", "It began in May. The year was 2021.", []),
        ("It began in May 2021.", "It began in May 2020.", ["May 2021"]),
        ("It began on 3 May.", "It began on May 3, 1999.", []),
        ("It began on 3 May 2021.", "It began on May 3. In 2021 it ended.", []),
        ("It began on 3 May 2021.", "It began on May 3, 2020, and ended in 2021.", ["3 May 2021"]),
        ("It began on 3 May 2021.", "It began in May 2021.", ["3 May 2021"]),
        ("It ran 3–5 May 2021.", "It ran from May 3 to May 5, 2021.", []),
        ("It ran from 3 to 5 May 2021.", "It ran May 3-5, 2021.", []),
        ("It began in June.", "It began in July.", ["in June"]),
        ("It began in June.", "June was when it began.", []),
        ("It began in May.", "It may begin.", ["in May"]),
        ("It began on 4/5/2021.", "It began on 5 April 2021.", []),
        ("It began on 4/5/2021.", "It began on 4 May 2021.", []),
        ("It began on 31/5/2021.", "It began on 30 May 2021.", ["31/5/2021"]),
        (
            "It began on 2021-05-03 and ended on 2021-05-04.",
            "3 May 2021 until 5 May 2021",
            ["2021-05-04"],
        ),
    ],
)
def test_what_is_not_there_is_named_in_the_sentences_words(
    sentence: str, text: str, lost: list[str]
) -> None:
    assert find_missing_dates(sentence, text) == lost


@pytest.mark.parametrize(
    "text",
    [
        "Sales may rise 20 percent.",
        "They march 20 miles.",
        "May 20% of them go?",
        "1.2.3 is a version",
        "In March 20 people died.",
        "at 10.12.2021.4 it broke",
        "a ratio of 3/5",
        "99/99/2021",
        "mayor 3",
        "Augusta 12",
        "12 Marchers",
        "it has 1.5 May flies",
    ],
)
def test_what_is_no_date_is_read_as_none_with_a_day(text: str) -> None:
    assert not any(day.day for said in find_dates(text) for day in said.days)


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert len(remove_dates(text)) == len(text) == len(separate_date_parts(text))
    assert find_missing_dates(text, text) == []


PAGE = (
    "The committee published its final ruling on 3 May 2021 after hearing testimony from all"
    " parties."
)


@pytest.mark.parametrize(
    ("day", "state"),
    [
        ("3 May 2021", "supported"),
        ("May 3rd, 2021", "supported"),
        ("2021-05-03", "supported"),
        ("3 June 2021", "partly"),
        ("4 May 2021", "partly"),
    ],
)
def test_a_sentence_with_another_date_is_never_called_supported(day: str, state: str) -> None:
    assert check_support(f"The committee published its final ruling on {day}.", [PAGE])[0] == state
