"""Copies of the Internet Archive: which is asked for, and that what is read from one is the page,
labelled, or a failure of a known kind.

The reply in tests/replies/archive is written after the archive's documentation. What others
recorded is read too where it is at hand.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import FetchError
from research_core.models import ArchivedCopy, Attempt, HttpReply
from research_core.web.fetch import archive
from research_core.web.fetch.archive import AVAILABILITY_API, find_newest_copy, parse_copy
from tests.readers import LONG, PAGE, URL, Web, article, reading, reply

AVAILABLE_REPLY = (Path(__file__).parents[2] / "replies" / "archive" / "available.json").read_text(
    encoding="utf-8"
)
TIME = "20240501120000"
BYTES = f"https://web.archive.org/web/{TIME}id_/{URL}"
RECORDED = Path(__file__).parents[4] / "shared" / "data" / "api_fixtures"


def available(body: str = AVAILABLE_REPLY, **changes: Any) -> HttpReply:
    if changes:
        answer = json.loads(body)
        answer["archived_snapshots"]["closest"] |= changes
        body = json.dumps(answer)
    return reply(body, "application/json", url=AVAILABILITY_API)


def copy(
    body: str | bytes = PAGE, *, address: str = BYTES, status: int = 200, **headers: str
) -> HttpReply:
    return reply(body, url=address, status=status, **headers)


def kind_of(reply: HttpReply) -> str:
    with pytest.raises(FetchError) as caught:
        parse_copy(reply, URL)
    return caught.value.kind


def test_the_newest_copy_is_read_in_its_original_bytes() -> None:
    web = Web({AVAILABILITY_API: available(), BYTES: copy()})
    page = archive.read_archived_copy(URL, reading(web))
    assert (page.text, page.title, page.kind) == ("\n\n".join(LONG), "Gauge", "html")
    assert web.urls == [AVAILABILITY_API, BYTES]
    assert web.asked[0][2]["params"] == {"url": URL}


def test_it_stays_the_page_that_was_asked_for_and_says_what_was_read() -> None:
    page = parse_copy(copy(), URL)
    assert (page.url, page.final_url, page.tier) == (URL, URL, "archive")
    assert page.archived == ArchivedCopy(f"https://web.archive.org/web/{TIME}/{URL}", "2024-05-01")
    assert page.facts["archived"] == {
        "url": f"https://web.archive.org/web/{TIME}/{URL}",
        "day": "2024-05-01",
    }
    assert page.attempts == (Attempt("archive"),)


def test_the_copy_s_own_address_names_where_the_archive_led() -> None:
    led = f"https://web.archive.org/web/20240430080000id_/{URL}/"
    assert parse_copy(copy(address=led), URL).archived == ArchivedCopy(
        f"https://web.archive.org/web/20240430080000/{URL}/", "2024-04-30"
    )


def test_a_copy_is_what_its_bytes_are() -> None:
    report = (Path(__file__).parents[2] / "replies" / "pages" / "report.pdf").read_bytes()
    assert parse_copy(reply(report, "application/pdf", url=BYTES), URL).kind == "pdf"
    assert (
        parse_copy(reply("# Gauge\n\nIt reads high.", "text/markdown", url=BYTES), URL).kind
        == "markdown"
    )


def test_no_page_was_published_after_its_copy_was_made() -> None:
    dated = article(*LONG, head='<meta name="date" content="2025-01-01">')
    assert parse_copy(copy(dated, date="Sat, 21 Nov 2026 10:00:00 GMT"), URL).published == ""
    assert (
        parse_copy(copy(dated.replace("2025-01-01", "2024-01-01")), URL).published == "2024-01-01"
    )


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (copy(address="https://elsewhere.example.org/x"), "bad_reply"),
        (copy(address=f"https://web.archive.org.evil.example/web/{TIME}id_/{URL}"), "bad_reply"),
        (copy(address=f"https://web.archive.org/save/{URL}"), "bad_reply"),
        (copy(address="https://web.archive.org/web/20249901120000id_/" + URL), "bad_reply"),
        (
            copy(address=f"https://web.archive.org/web/{TIME}id_/https://another.example/"),
            "not_found",
        ),
        (copy(address=f"https://web.archive.org/web/{TIME}id_/mailto:a@b"), "bad_reply"),
        (copy(status=404), "not_found"),
        (copy(status=503), "upstream_unavailable"),
        (copy("<html><body></body></html>"), "content_empty"),
        (
            copy(
                "<html><title>Just a moment...</title><script>window._cf_chl_opt={}</script></html>"
            ),
            "blocked",
        ),
    ],
)
def test_what_is_no_copy_of_the_page_is_none(answer: HttpReply, kind: str) -> None:
    assert kind_of(answer) == kind


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (available('{"archived_snapshots": {}}'), "not_found"),
        (available(status="301"), "not_found"),
        (available(status="404"), "not_found"),
        (available(available=False), "not_found"),
        (available(timestamp="soon"), "bad_reply"),
        (available(timestamp="99990501120000"), "bad_reply"),
        (available("{}"), "bad_reply"),
        (available("[]"), "bad_reply"),
        (available("<html>"), "bad_reply"),
        (available('{"archived_snapshots": []}'), "bad_reply"),
        (available('{"archived_snapshots": {"closest": "x"}}'), "bad_reply"),
        (available("[" * 100_000), "bad_reply"),
        (reply("", status=429, url=AVAILABILITY_API), "rate_limited"),
        (reply("", status=503, url=AVAILABILITY_API), "upstream_unavailable"),
    ],
)
def test_an_answer_that_names_no_copy_is_a_failure_of_its_kind(
    answer: HttpReply, kind: str
) -> None:
    with pytest.raises(FetchError) as caught:
        find_newest_copy(answer)
    assert caught.value.kind == kind


FIELD = st.sampled_from(["archived_snapshots", "closest", "timestamp", "available", "status"])
SAID = st.recursive(
    st.none() | st.booleans() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(FIELD | st.text(), inner),
    max_leaves=12,
)


@given(st.binary(max_size=200) | SAID.map(json.dumps))
def test_whatever_is_answered_is_a_time_or_a_failure(body: str | bytes) -> None:
    try:
        assert re.fullmatch(r"\d{14}", find_newest_copy(reply(body, url=AVAILABILITY_API)))
    except FetchError as error:
        assert error.kind in ("not_found", "bad_reply")  # noqa: PT017


def recorded(endpoint: str) -> list[dict[str, Any]]:
    index = RECORDED / "manifest.jsonl"
    if not index.exists():
        pytest.skip("The shared data sets are not here.")
    rows = (json.loads(line) for line in index.read_text(encoding="utf-8").splitlines())
    return [
        row for row in rows if row["endpoint"] == endpoint and (RECORDED / row["file"]).exists()
    ]


def test_what_others_recorded_of_the_archive_s_answers_is_understood() -> None:
    rows = recorded("wayback_availability")
    assert rows
    for row in rows:
        assert (
            find_newest_copy(reply((RECORDED / row["file"]).read_bytes(), url=AVAILABILITY_API))
            == "20060101064348"
        )


def test_what_others_recorded_of_its_copies_is_read_or_refused() -> None:
    rows = recorded("wayback_memento")
    assert rows
    for row in rows:
        found = re.fullmatch(r"https://web\.archive\.org/web/(\d{8})\d*(?:id_)?/(.+)", row["url"])
        assert found
        answer = reply(
            (RECORDED / row["file"]).read_bytes(),
            row.get("content_type", ""),
            status=row["status"],
            url=row["url"],
        )
        if row["status"] == 200:
            page = parse_copy(answer, found[2])
            assert (
                len(page.text) > 200,
                page.archived is not None and page.archived.day.replace("-", ""),
            ) == (True, found[1])
        else:
            with pytest.raises(FetchError):
                parse_copy(answer, found[2])
