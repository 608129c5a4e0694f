"""Exa, which is paid to read a page: what it is asked, what its answers come to, and that its key
is in no log.

It was never tried against the service: the replies in tests/replies/exa are written by hand after
its documentation (July to September 2026: `statuses` since May 2025, `source` cached or crawled,
`costDollars`).
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import ERROR_KINDS, FetchError
from research_core.models import Attempt, HttpReply
from research_core.policy import Caps
from research_core.web.fetch import exa
from research_core.web.fetch.exa import parse_answer
from tests.readers import URL, Web, reading, reply

REPLIES = Path(__file__).parents[2] / "replies" / "exa"
CONTENTS = "https://api.exa.ai/contents"
ANSWER: dict[str, Any] = json.loads((REPLIES / "contents.json").read_text(encoding="utf-8"))
KEY = "key-of-exa-0123456789"


def answer(**changes: Any) -> HttpReply:
    """The recorded answer with other values of its result (text, id …), its status (source …) or
    itself.
    """
    body = json.loads(json.dumps(ANSWER))
    for name, value in changes.items():
        for part in (body["results"][0], body["statuses"][0], body):
            if name in part:
                part[name] = value
                break
    return reply(json.dumps(body), "application/json", url=CONTENTS)


def test_the_page_is_asked_for_as_documented() -> None:
    web = Web({CONTENTS: answer()})
    exa.read_with_exa(URL, reading(web, exa_api_key=KEY))
    ((method, url, options),) = web.asked
    assert (method, url, options["json"]) == (
        "POST",
        CONTENTS,
        {"urls": [URL], "text": {"maxCharacters": 200_000}},
    )
    assert options["headers"]["x-api-key"] == KEY
    assert options["endpoint"]


def test_the_answer_is_the_page_with_what_it_cost() -> None:
    page = parse_answer(answer(), URL)
    assert page.text == (
        "# Notes on the north gauge\n\nThe gauge on the north pier reads high by four centimetres.\n\n- since 1974\n- at every tide"
    )
    assert (page.title, page.published, page.metadata.authors) == (
        "Notes on the north gauge",
        "2024-03-09",
        ("Ada Moor",),
    )
    assert (page.url, page.final_url, page.kind) == (URL, URL, "markdown")
    assert (page.attempts, page.cost) == ((Attempt("exa:cached"),), 0.001)


@pytest.mark.parametrize(
    ("source", "tier"),
    [("cached", "exa:cached"), ("crawled", "exa:crawled"), ("\x1b[31m", "exa"), (None, "exa")],
)
def test_where_it_was_had_from_is_kept(source: str | None, tier: str) -> None:
    assert parse_answer(answer(source=source), URL).tier == tier


@pytest.mark.parametrize(
    "cost",
    [None, {}, {"total": None}, {"total": "much"}, {"total": -1}, {"total": float("nan")}, [0.1]],
)
def test_a_cost_that_is_not_said_is_none(cost: Any) -> None:
    assert parse_answer(answer(costDollars=cost), URL).cost == 0.0


def test_a_run_does_not_spend_more_on_pages_than_its_cap_leaves() -> None:
    web = Web(
        {
            CONTENTS: lambda options: answer(
                id=options["json"]["urls"][0], url=options["json"]["urls"][0]
            )
        }
    )
    deps = reading(web, exa_api_key=KEY, caps=Caps(cost=0.01))
    kinds = list[str]()
    for page in range(9):
        try:
            kinds.append(exa.read_with_exa(f"{URL}/{page}", deps).tier)
        except FetchError as error:
            kinds.append(error.kind)
    assert kinds == ["exa:cached"] * 6 + ["config"] * 3  # each costs 0.001, and 0.002 are set aside
    assert (len(web.asked), deps.http.tally()["cost"]) == (6, 0.006)


@pytest.mark.parametrize(
    ("answered", "cost"),
    [(answer(costDollars=None), 0.002), (answer(costDollars={"total": 0}), 0.0), (reply("no", status=402, url=CONTENTS), 0.0),
     (reply("<html>", url=CONTENTS), 0.002)],
)  # fmt: skip
def test_what_is_not_said_of_the_cost_counts_for_the_most(answered: HttpReply, cost: float) -> None:
    deps = reading(Web({CONTENTS: answered}), exa_api_key=KEY)
    with suppress(FetchError):
        exa.read_with_exa(URL, deps)
    assert deps.http.tally()["cost"] == cost


def kind_of(answered: HttpReply) -> str:
    with pytest.raises(FetchError) as caught:
        parse_answer(answered, URL)
    return caught.value.kind


@pytest.mark.parametrize(
    ("tag", "kind"),
    [
        ("CRAWL_NOT_FOUND", "not_found"),
        ("CRAWL_TIMEOUT", "timeout"),
        ("CRAWL_LIVECRAWL_TIMEOUT", "timeout"),
        ("SOURCE_NOT_AVAILABLE", "blocked"),
        ("CRAWL_UNKNOWN_ERROR", "upstream_unavailable"),
        ("SOMETHING_NEW", "upstream_unavailable"),
    ],
)
def test_a_page_it_could_not_read_is_a_failure_of_its_kind(tag: str, kind: str) -> None:
    body = json.loads((REPLIES / "contents_error.json").read_text(encoding="utf-8"))
    body["statuses"][0]["error"]["tag"] = tag
    assert kind_of(reply(json.dumps(body), "application/json", url=CONTENTS)) == kind


@pytest.mark.parametrize(
    ("answered", "kind"),
    [
        (reply("", status=401, url=CONTENTS), "auth_required"),
        (reply("", status=402, url=CONTENTS), "auth_required"),
        (reply("", status=429, url=CONTENTS), "rate_limited"),
        (reply("", status=500, url=CONTENTS), "upstream_unavailable"),
        (reply("<html>", url=CONTENTS), "bad_reply"),
        (reply("[]", url=CONTENTS), "bad_reply"),
        (reply("[" * 100_000, url=CONTENTS), "bad_reply"),
        (reply('{"results": {}}', url=CONTENTS), "bad_reply"),
        (reply('{"results": ["x"]}', url=CONTENTS), "bad_reply"),
        (reply('{"results": []}', url=CONTENTS), "bad_reply"),
        (answer(text=""), "content_empty"),
        (answer(text=None), "content_empty"),
        (answer(text=["x"]), "bad_reply"),
        (answer(title=7), "bad_reply"),
    ],
)
def test_an_answer_of_another_shape_is_a_failure(answered: HttpReply, kind: str) -> None:
    assert kind_of(answered) == kind


def test_an_answer_about_another_page_is_none() -> None:
    body = json.loads(json.dumps(ANSWER))
    body["results"][0] |= {
        "id": "https://another.example.org/",
        "url": "https://another.example.org/",
    }
    assert kind_of(reply(json.dumps(body), url=CONTENTS)) == "bad_reply"


def test_text_that_no_encoding_holds_is_read_without_what_cannot_be() -> None:
    assert (
        "high ?" in parse_answer(answer(text="It reads high \ud800 by four centimetres."), URL).text
    )


def test_the_key_is_in_no_event() -> None:
    repeating = answer(text=f"It reads high. Your key was {KEY}.")
    deps = reading(Web({CONTENTS: repeating}), exa_api_key=KEY)
    page = exa.read_with_exa(URL, deps)
    logged = [json.dumps(deps.log.open(event.data), default=repr) for event in deps.log.read()]
    assert any("api.exa.ai" in event for event in logged)
    assert not any(KEY in event for event in [*logged, page.text])
    assert "[hidden]" in page.text


FIELD = st.sampled_from(
    [
        "results",
        "statuses",
        "id",
        "url",
        "text",
        "title",
        "status",
        "source",
        "costDollars",
        "total",
        "author",
        "error",
    ]
)
VALUE = st.none() | st.booleans() | st.floats() | st.text() | st.just(URL)


@given(
    st.binary(max_size=200)
    | st.recursive(
        VALUE,
        lambda inner: st.lists(inner) | st.dictionaries(FIELD | st.text(), inner),
        max_leaves=12,
    ).map(json.dumps)
)
def test_whatever_is_answered_is_a_page_or_a_failure(body: str | bytes) -> None:
    encoded = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    try:
        assert parse_answer(reply(encoded, url=CONTENTS), URL).text
    except FetchError as error:
        assert error.kind in ERROR_KINDS  # noqa: PT017


def test_its_real_results_of_a_search_have_the_fields_that_are_read_here() -> None:
    """Of /contents nobody has recorded an answer; that of /search holds the same results."""
    found = sorted(
        (Path(__file__).parents[4] / "shared" / "data" / "api_fixtures").glob("exa_search_*.json")
    )
    if not found:
        pytest.skip("The shared data sets are not here.")
    for path in found:
        for result in json.loads(path.read_bytes())["results"]:
            told = {
                "results": [result],
                "statuses": [{"id": result["id"], "status": "success", "source": "crawled"}],
            }
            page = parse_answer(reply(json.dumps(told), url=CONTENTS), result["url"])
            assert (page.tier, bool(page.text), bool(page.title)) == ("exa:crawled", True, True)
            assert page.published == (result.get("publishedDate") or "")[:10]
