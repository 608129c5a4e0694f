"""The same bytes are read once, and what is kept stays within its bound."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from research_core.errors import FetchError
from research_core.models import Page
from research_core.web.documents.kinds import read_body
from research_core.web.documents.readings import PageReadings

ARTICLE = b"<html><body><article><h1>Tides</h1><p>They rise in the bay, twice a day, by far.</p>"


def reader(text: str, times: list[str]) -> Callable[[], Page]:
    def read() -> Page:
        times.append(text)
        return Page(url="", final_url="", title="", text=text)

    return read


def test_the_same_bytes_are_read_once() -> None:
    readings, times = PageReadings(), list[str]()
    pages = [readings.read(b"one", ("html",), reader("first", times)) for _ in range(3)]
    assert [page.text for page in pages] == ["first"] * 3
    assert times == ["first"]


@pytest.mark.parametrize(("body", "said"), [(b"two", ("html",)), (b"one", ("text",)), (b"one", ())])
def test_other_bytes_or_another_word_about_them_are_read_for_themselves(
    body: bytes, said: tuple[str, ...]
) -> None:
    readings, times = PageReadings(), list[str]()
    readings.read(b"one", ("html",), reader("first", times))
    assert readings.read(body, said, reader("other", times)).text == "other"


def test_what_was_not_asked_for_longest_makes_room() -> None:
    readings, times = PageReadings(max_characters=20), list[str]()
    for name in ("a", "b", "a", "c", "a", "b"):
        readings.read(name.encode(), (), reader(name * 10, times))
    assert [text[0] for text in times] == ["a", "b", "c", "b"]


def test_no_more_pages_are_kept_than_there_is_room_for() -> None:
    readings, times = PageReadings(max_pages=2), list[str]()
    for name in ("a", "b", "c", "a"):
        readings.read(name.encode(), (), reader(name, times))
    assert times == ["a", "b", "c", "a"]


def test_what_is_longer_than_all_room_is_read_each_time() -> None:
    readings, times = PageReadings(max_characters=5), list[str]()
    for _ in range(2):
        readings.read(b"long", (), reader("longer", times))
    assert times == ["longer"] * 2


def test_what_could_not_be_read_is_tried_again() -> None:
    readings, times = PageReadings(), list[str]()

    def fail() -> Page:
        raise FetchError("It took too long.", kind="timeout")

    with pytest.raises(FetchError):
        readings.read(b"one", (), fail)
    assert readings.read(b"one", (), reader("read", times)).text == "read"


def test_address_and_day_of_the_answer_belong_to_a_reading() -> None:
    first = read_body(ARTICLE, "https://a.example.org/", "text/html")
    assert read_body(ARTICLE, "https://a.example.org/", "text/html") is first
    assert read_body(ARTICLE, "https://b.example.org/", "text/html") is not first
    sent = "Wed, 25 Nov 2026 08:00:00 GMT"
    assert read_body(ARTICLE, "https://a.example.org/", "text/html", sent=sent) is not first
