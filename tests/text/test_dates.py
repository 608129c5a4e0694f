"""Dates of every writing as ISO days that the calendar has, and as no more than was said."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research_core.text import dates


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-06-03T10:00:00Z", "2024-06-03"),
        ("2024-6-3", "2024-06-03"),
        ("20240603", "2024-06-03"),
        ("2024/06", "2024-06"),
        ("2024", "2024"),
        ("Wed, 04 May 2022 00:25:56 GMT", "2022-05-04"),
        ("Di., 25.01.2022 - 14:45", "2022-01-25"),
        ("27 de mayo de 2022", "2022-05-27"),
        ("1er juillet 2022", "2022-07-01"),
        ("2 juin 2022", "2022-06-02"),
        ("May 27, 2015", "2015-05-27"),
        ("15 августа 2016", "2016-08-15"),
        ("25/12/2022", "2022-12-25"),
        ("12/25/2022", "2022-12-25"),
        ("05/06/2022", ""),
        ("05/05/2022", "2022-05-05"),
        ("1200 words, 3 May 2022", "2022-05-03"),
        ("2024-13-99", ""),
        ("2024-02-31", ""),
        ("31.02.2024", ""),
        ("3 days ago", ""),
        ("1234567890", ""),
        ("20241", ""),
        ("", ""),
    ],
)
def test_a_date_is_read_where_it_can_be_no_other_day(text: str, day: str) -> None:
    assert dates.find_day(text) == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2025-03-18T09:00", "2025-03-18"),
        ("2025-03", "2025-03"),
        ("2025", "2025"),
        ("D:20240603120000Z", "2024-06-03"),
        ("D:20240603120000+01'00'", "2024-06-03"),
        ("D:202406", "2024-06"),
        ("20240603", "2024-06-03"),
        ("2025-13-01", "2025"),
        ("2023-02-31", "2023-02"),
        ("D:20230231", "2023-02"),
        ("3 May 2022", "2022-05-03"),
        ("2022-5-3", "2022-05-03"),
        ("20251", ""),
        ("1850", ""),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_a_date_at_the_start_as_far_as_it_is_one(text: str, day: str) -> None:
    assert dates.parse_leading_date(text) == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-05-01", "2024-05-01"),
        ("2024-05-01T10:00:00Z", "2024-05-01"),
        ("2024/5/1", "2024-05-01"),
        ("2024-05", "2024-05"),
        ("2024", "2024"),
        ("1850-03", "1850-03"),
        ("2024-13-01", "2024"),
        ("2024-02-31", "2024-02"),
        ("20240501", ""),
        ("May 2024", ""),
        ("", ""),
    ],
)
def test_an_iso_date_is_as_exact_as_it_is_known(text: str, day: str) -> None:
    assert dates.parse_iso_date(text) == day


@pytest.mark.parametrize(
    ("fields", "day"),
    [
        (("2020", "Mar", "4"), "2020-03-04"),
        (("2020", "3", "04"), "2020-03-04"),
        (("2020", "December", ""), "2020-12"),
        (("2020", "13", "4"), "2020"),
        (("2020", "0", "4"), "2020"),
        (("2020", "", "4"), "2020"),
        (("2020", "Summer", "4"), "2020"),
        (("2023", "2", "31"), "2023-02"),
        (("2024", "2", "29"), "2024-02-29"),
        (("2020", "3", "x"), "2020-03"),
        (("20", "3", "4"), ""),
        (("", "3", "4"), ""),
        (("10000", "1", "1"), ""),
        (("MMXX", "1", "1"), ""),
        (("2020", None, None), "2020"),
    ],
)
def test_fields_say_a_date_as_far_as_the_calendar_has_it(
    fields: tuple[str, str, str], day: str
) -> None:
    assert dates.parse_date_parts(*fields) == day


@pytest.mark.parametrize(
    ("seconds", "day"),
    [
        (1_709_600_000, "2024-03-05"),
        (0.5, "1970-01-01"),
        (0, ""),
        (-1, ""),
        (4e9, ""),
        (1_709_600_000_000, ""),
        (float("nan"), ""),
        (True, ""),
        ("1709600000", ""),
        (None, ""),
    ],
)
def test_seconds_since_the_epoch_are_a_day(seconds: object, day: str) -> None:
    assert dates.format_timestamp_day(seconds) == day


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2024",
        "2024-05",
        "2023-02-31",
        "2024-5-1",
        "2024-05-01T10:00",
        " 2024-05-01",
        "٢٠٢٤-٠٥-٠١",
    ],
)
def test_only_a_whole_day_is_one(text: str) -> None:
    assert dates.parse_full_day(text) is None
    assert dates.parse_full_day("2024-05-01") == date(2024, 5, 1)


#: Texts like dates, most of them of no calendar.
NUMBER = (
    st.integers(0, 99).map(str)
    | st.integers(1800, 2100).map(str)
    | st.integers(0, 99).map("{:02}".format)
    | st.just("٣")
)
WORD = st.sampled_from(["Mar", "février", "мая", "Summer", "T10:00:00Z", "D:", "de", ", ", "²"])
DATES = st.lists(NUMBER | WORD | st.sampled_from(list("-/. :")), max_size=8).map(
    "".join
) | st.builds("{}-{}-{}".format, st.integers(1890, 2110), NUMBER, NUMBER)


def on_the_calendar(day: str) -> bool:
    """Whether it is a day of some calendar, a month or a year of it."""
    return (
        date.fromisoformat({4: f"{day}-01-01", 7: f"{day}-01"}.get(len(day), day))
        .isoformat()
        .startswith(day)
    )


@given(st.text(max_size=120) | DATES)
@example("2023-02-31")
@example("D:20231399")
def test_whatever_a_text_is_its_day_is_on_the_calendar_or_not_given(text: str) -> None:
    for read in (dates.find_day, dates.parse_leading_date, dates.parse_iso_date):
        day = read(text)
        assert day == "" or on_the_calendar(day)
        assert dates.parse_iso_date(day) == day


@given(*[st.none() | st.text(max_size=6) | NUMBER | WORD] * 3)
def test_whatever_fields_hold_their_day_is_on_the_calendar_or_not_given(
    year: str | None, month: str | None, day: str | None
) -> None:
    said = dates.parse_date_parts(year, month, day)
    assert said == "" or on_the_calendar(said)


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_every_day_reads_as_itself(day: date) -> None:
    for text in (
        day.isoformat(),
        f"{day:%Y%m%d}",
        f"{day.day} {day:%B} {day.year}",
        f"{day:%B} {day.day}, {day.year}",
    ):
        assert dates.find_day(text) == dates.parse_leading_date(text) == day.isoformat()
    assert dates.parse_full_day(day.isoformat()) == day
    assert dates.parse_date_parts(str(day.year), f"{day:%b}", str(day.day)) == day.isoformat()
