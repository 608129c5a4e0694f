"""Dates of providers: every way they are written, none made up, and no clock asked."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.models import HttpReply
from research_core.search.providers.publication_dates import get_reply_time, parse_published

NOW = datetime(2026, 11, 22, 14, 33, 21, 500, UTC)

WRITTEN = {
    "2026-11-22T09:00:00Z": "2026-11-22T09:00:00Z",
    "2026-11-22t09:00:00z": "2026-11-22T09:00:00Z",
    "2026-11-22T09:00:00.123456789Z": "2026-11-22T09:00:00Z",
    "2026-11-22T09:00:00+05:30": "2026-11-22T03:30:00Z",
    "2026-11-22T23:30:00-0200": "2026-11-23T01:30:00Z",
    "2026-11-22 09:00:00 +0100": "2026-11-22T08:00:00Z",
    "2026-11-22 09:00:00 UTC": "2026-11-22T09:00:00Z",
    "2026-11-22T09:00:00": "2026-11-22T09:00:00Z",
    "2026-11-22": "2026-11-22T00:00:00Z",
    "20261122T090000Z": "2026-11-22T09:00:00Z",
    "20261122": "2026-11-22T00:00:00Z",
    # a day and its hours, not a second of 2034, nor one of 1976
    "2026112210": "2026-11-22T00:00:00Z",
    "202611221030": "2026-11-22T00:00:00Z",
    "20261122103000": "2026-11-22T00:00:00Z",
    "1863-07-04": "1863-07-04T00:00:00Z",
    "Sun, 22 Nov 2026 09:00:00 GMT": "2026-11-22T09:00:00Z",
    "Sun, 22 Nov 2026 09:00:00 -0500": "2026-11-22T14:00:00Z",
    "Sun, 22 Nov 2026 09:00:00 -0000": "2026-11-22T09:00:00Z",
    "Sun, 22 Nov 2026 09:00:00 CEST": "2026-11-22T00:00:00Z",  # no zone that is known: the day is
    "Sunday, 22-Nov-26 09:00:00 GMT": "2026-11-22T09:00:00Z",
    "04 Apr 07 19:16 UTC": "2007-04-04T19:16:00Z",
    "Jan 29, 2023": "2023-01-29T00:00:00Z",
    "February 4, 2014": "2014-02-04T00:00:00Z",
    "29 janv. 2023": "2023-01-29T00:00:00Z",
    "29.01.2023": "2023-01-29T00:00:00Z",
    "1/29/2023": "2023-01-29T00:00:00Z",
    "1543517684": "2018-11-29T18:54:44Z",
    "1543517684.25": "2018-11-29T18:54:44Z",
    "1543517684000": "2018-11-29T18:54:44Z",
}
AGES = {
    "3 days ago": "2026-11-19T00:00:00Z",
    "3 Days Ago": "2026-11-19T00:00:00Z",
    "3d": "2026-11-19T00:00:00Z",
    "a day ago": "2026-11-21T00:00:00Z",
    "yesterday": "2026-11-21T00:00:00Z",
    "Yesterday": "2026-11-21T00:00:00Z",
    "today": "2026-11-22T00:00:00Z",
    "just now": "2026-11-22T14:33:21Z",
    "2h": "2026-11-22T12:00:00Z",
    "2 hours ago": "2026-11-22T12:00:00Z",
    "an hour ago": "2026-11-22T13:00:00Z",
    "about 15 hours ago": "2026-11-21T23:00:00Z",
    "5 mins ago": "2026-11-22T14:28:00Z",
    "5 min. ago": "2026-11-22T14:28:00Z",
    "5m": "2026-11-22T14:28:00Z",
    "40 seconds ago": "2026-11-22T14:32:41Z",
    "2 weeks ago": "2026-11-08T00:00:00Z",
    "1w": "2026-11-15T00:00:00Z",
    "9 months ago": "2026-02-22T00:00:00Z",
    "11mo": "2025-12-22T00:00:00Z",
    "1 year ago": "2025-11-22T00:00:00Z",
    "vor 3 Tagen": "2026-11-19T00:00:00Z",
    "vor einer Stunde": "2026-11-22T13:00:00Z",
    "gestern": "2026-11-21T00:00:00Z",
    "il y a 2 jours": "2026-11-20T00:00:00Z",
    "hace 3 días": "2026-11-19T00:00:00Z",
    "3 giorni fa": "2026-11-19T00:00:00Z",
    "há 2 semanas": "2026-11-08T00:00:00Z",
    "4 dagen geleden": "2026-11-18T00:00:00Z",
}
UNREADABLE = [
    "", " ", "?", "recently", "Reuters", "2024", "2024-05", "May 2024", "Jan 29", "05/04/2024", "2026-02-30", "2026-13-01T00:00:00Z",
    "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-10:00", "9999-12-31", "12", "0", "3 ago", "3 sheep ago", "-3 days ago", "in 3 days",
    "176380000000", "9999 years ago", "99999 months", "days ago", "x" * 5000, "2 \u200bdays\x00 ago", "٣ sheep ago",
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [*WRITTEN.items(), *AGES.items()])
def test_a_date_is_read_however_it_is_written(text: str, expected: str) -> None:
    assert parse_published(text, NOW) == expected
    assert parse_published(f"  {text}\n", NOW) == expected


@pytest.mark.parametrize("text", UNREADABLE)
def test_what_cannot_be_read_is_dropped_and_nothing_is_made_up(text: str) -> None:
    assert parse_published(text, NOW) == ""


@pytest.mark.parametrize("text", AGES)
def test_an_age_is_dropped_where_nobody_knows_when_the_answer_was_given(text: str) -> None:
    assert parse_published(text, None) == ""


@pytest.mark.parametrize("text", WRITTEN)
def test_a_date_of_its_own_needs_no_moment(text: str) -> None:
    assert parse_published(text, None) == WRITTEN[text]


def test_the_moment_is_a_datetime_of_any_zone_or_a_day() -> None:
    assert (
        parse_published("2h", NOW.astimezone(timezone(timedelta(hours=9))))
        == "2026-11-22T12:00:00Z"
    )
    assert parse_published("2h", NOW.replace(tzinfo=None)) == "2026-11-22T12:00:00Z"
    assert parse_published("3 days ago", date(2026, 11, 22)) == "2026-11-19T00:00:00Z"


def test_months_end_where_their_calendar_does() -> None:
    assert parse_published("1 month ago", date(2026, 3, 31)) == "2026-02-28T00:00:00Z"
    assert parse_published("1 month ago", date(2024, 3, 31)) == "2024-02-29T00:00:00Z"
    assert parse_published("1 year ago", date(2024, 2, 29)) == "2023-02-28T00:00:00Z"
    assert parse_published("12 months ago", date(2026, 1, 15)) == "2025-01-15T00:00:00Z"


def test_the_moment_of_an_answer_is_in_its_own_headers() -> None:
    assert get_reply_time(
        HttpReply("", 200, {"date": "Sun, 22 Nov 2026 14:33:21 GMT"}, b"")
    ) == NOW.replace(microsecond=0)
    for headers in ({}, {"date": ""}, {"date": "soon"}, {"date": "Sun, 99 Nov 2026 14:33:21 GMT"}):
        assert get_reply_time(HttpReply("", 200, headers, b"")) is None


# ---------------------------------------------------------------- any text at all

MOMENTS = st.datetimes(timezones=st.just(UTC)) | st.dates() | st.none()
SHAPES = (
    st.from_regex(r"[0-9A-Za-z ,:+.\-]{0,40}", fullmatch=True)
    | st.text(max_size=120)
    | st.sampled_from([*WRITTEN, *AGES])
)
WORDS = st.lists(
    st.sampled_from(
        "3 2026 11 22 9999 a day days ago - : , T Z + 00 Nov vor year mo 09:00".split()
    ),
    max_size=8,
)


@given(SHAPES | WORDS.map("".join) | WORDS.map(" ".join), MOMENTS)
def test_any_text_is_a_moment_in_utc_or_nothing(text: str, today: date | None) -> None:
    found = parse_published(text, today)
    if found:
        assert (found[-1], len(found)) == ("Z", 20)
        assert datetime.fromisoformat(found).year >= 1000
        assert parse_published(found, None) == found


SECONDS = st.integers(-30_000_000_000, 3_900_000_000).map(
    lambda seconds: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
)


@given(SECONDS, st.integers(-14 * 4, 14 * 4))
def test_a_moment_in_any_zone_is_the_same_moment(moment: datetime, quarters: int) -> None:
    there = moment.astimezone(timezone(timedelta(minutes=15 * quarters)))
    expected = moment.isoformat().replace("+00:00", "Z")
    assert parse_published(there.isoformat(), None) == expected
    assert parse_published(there.isoformat(" "), None) == expected


@given(st.integers(1_000_000_000, 1_999_999_999))  # 2001 to 2033: beyond are the digits of days
def test_seconds_and_milliseconds_are_told_apart(seconds: int) -> None:
    expected = datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    assert parse_published(str(seconds), None) == parse_published(f"{seconds}500", None) == expected


UNITS = st.sampled_from(["minutes", "hours", "days", "weeks", "months", "years"])


@given(
    st.integers(0, 300),
    UNITS,
    st.integers(900_000_000, 3_900_000_000).map(
        lambda seconds: datetime.fromtimestamp(seconds, UTC)
    ),
)
def test_an_age_is_never_in_the_future_and_an_older_one_is_never_later(
    count: int, unit: str, now: datetime
) -> None:
    younger, older = (parse_published(f"{n} {unit} ago", now) for n in (count, count + 1))
    assert older <= younger <= now.isoformat().replace("+00:00", "Z")
