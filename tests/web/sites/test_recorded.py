"""The readers of sites on the recorded answers of the shared data, where they are present: a page
or a failure, never anything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from research_core.errors import FetchError
from research_core.model_messages import Json
from research_core.models import HttpReply, Page
from research_core.web.sites import arxiv, hn, pubmed, x
from tests.site_replies import ALGOLIA, HN, YOUTUBE, Services, outcome

RECORDED = Path(__file__).parents[3].parent / "shared" / "data" / "api_fixtures"


def recorded(*endpoints: str) -> list[Any]:
    manifest = RECORDED / "manifest.jsonl"
    rows = map(json.loads, manifest.read_text().splitlines()) if manifest.exists() else ()
    found = [
        pytest.param(row, id=row["file"])
        for row in rows
        if row["endpoint"] in endpoints and (RECORDED / row["file"]).exists()
    ]
    return found or [
        pytest.param(
            None,
            marks=pytest.mark.skip(
                reason="the recorded replies, ../shared/data/api_fixtures, are not here"
            ),
        )
    ]


def reply(row: Json) -> HttpReply:
    return HttpReply(
        row["url"].split(" ")[0],
        row["status"],
        {"content-type": row.get("content_type") or ""},
        (RECORDED / row["file"]).read_bytes(),
    )


def tried(read: Callable[[], Page]) -> Page | FetchError:
    try:
        return read()
    except FetchError as error:
        return error


def is_page(found: Page | FetchError) -> bool:
    """Whether this is a page with text; a failure must have a kind that fits a service which
    answered.
    """
    if isinstance(found, Page):
        assert found.title
        assert found.text.partition("\n\n")[2].strip()
        return True
    assert found.kind in ("not_found", "content_empty", "auth_required", "blocked", "bad_reply"), (
        found.message
    )
    return False


# ---------------------------------------------------------------- YouTube

#: What the source of a recording calls it, and what a video whose player answers so must become.
PLAYERS = {
    "age_restricted": "page",
    "altered_user_agent": "page",
    "request_blocked": "blocked",
    "transcripts_disabled": "page",
}


@pytest.mark.parametrize("row", recorded("youtube_innertube"))
def test_every_answer_of_the_player(row: Json) -> None:
    answer = reply(row)
    video = json.loads(answer.body).get("videoDetails", {}).get("videoId", "x" * 11)
    for answers in (
        {f"{YOUTUBE}/youtubei/v1/player": answer},
        {f"{YOUTUBE}/watch": b"var ytInitialPlayerResponse = " + answer.body + b";"},
    ):
        found = outcome(f"https://www.youtube.com/watch?v={video}", Services(answers))
        expected = next((kind for name, kind in PLAYERS.items() if name in row["source"]), None)
        assert expected in (None, "page" if is_page(found) else found.kind)  # type: ignore[union-attr]


@pytest.mark.parametrize("row", recorded("youtube_timedtext"))
def test_every_answer_with_captions(row: Json) -> None:
    answers = {f"{YOUTUBE}/api/timedtext": reply(row)}
    found = outcome("https://www.youtube.com/watch?v=GJLlxj_dtq8", Services(answers))
    assert isinstance(found, Page)
    assert "Hey, this is just a test this is not the original transcript" in found.text


@pytest.mark.parametrize("row", recorded("youtube_page"))
def test_every_watch_page(row: Json) -> None:
    found = outcome(
        "https://www.youtube.com/watch?v=GJLlxj_dtq8", Services({f"{YOUTUBE}/watch": reply(row)})
    )
    assert is_page(found) or ("consent" in row["source"]) == (found.kind == "blocked")  # type: ignore[union-attr]


# ---------------------------------------------------------------- Hacker News


@pytest.mark.parametrize("row", recorded("hn_firebase_item"))
def test_every_item(row: Json) -> None:
    item = json.loads(reply(row).body)
    found = outcome(
        f"https://news.ycombinator.com/item?id={item['id']}",
        Services({f"{HN}/item/{item['id']}.json": reply(row)}),
    )
    assert is_page(found) == (not item.get("deleted") and not item.get("dead"))
    if isinstance(found, Page):
        assert found.metadata.authors == (item["by"],)
        assert item.get("title", "Comment by") in found.title


@pytest.mark.parametrize("row", recorded("hn_firebase_top"))
def test_every_list(row: Json) -> None:
    ids = hn.parse_ids(json.loads(reply(row).body))
    hits = [
        {"objectID": id, "title": f"Story {id}", "author": "a", "created_at_i": 1571284726}
        for id in ids[:20]
    ]
    services = Services(
        {
            f"{HN}/topstories.json": reply(row),
            f"{ALGOLIA}/search": json.dumps({"hits": hits}).encode(),
        }
    )
    found = outcome("https://news.ycombinator.com/", services)
    assert isinstance(found, Page)
    assert re.findall(r"- Story (\d+)", found.text) == ids[:20]


@pytest.mark.parametrize("row", recorded("hn_algolia"))
def test_every_answer_of_algolia(row: Json) -> None:
    value = json.loads(reply(row).body)
    if "hits" in value:
        found = hn.parse_hits(value)
        assert all(hit["title"] for hit in found.values())
    elif "children" in value:
        children = hn.parse_children(value)
        assert len(children) == len(value["children"])
        item = {
            "id": value["id"],
            "by": value["author"],
            "time": value["created_at_i"],
            "title": value["title"],
            "kids": list(map(int, children)),
        }
        services = Services(
            {
                f"{HN}/item/{value['id']}.json": json.dumps(item).encode(),
                f"{ALGOLIA}/items/": reply(row),
            }
        )
        page = outcome(f"https://news.ycombinator.com/item?id={value['id']}", services)
        assert isinstance(page, Page)
        assert page.text.count("\n### ") == min(
            10, sum(bool(child["text"]) for child in children.values())
        )
    else:
        with pytest.raises(FetchError):
            hn.parse_hits(value)


# ---------------------------------------------------------------- papers


@pytest.mark.parametrize("row", recorded("arxiv_query"))
def test_every_answer_of_arxiv(row: Json) -> None:
    raw = reply(row).body.decode()
    if "<entry>" not in raw:
        with pytest.raises(FetchError) as failure:
            arxiv.parse_api_record(reply(row))
        assert failure.value.kind == "not_found"
        return
    record = arxiv.parse_api_record(reply(row))
    entry = raw.partition("<entry>")[2].partition("</entry>")[0]
    assert list(record.authors) == re.findall("<name>(.*?)</name>", entry)
    assert record.published == re.findall(r"<published>(\d{4}-\d\d-\d\d)", entry)[0]
    assert record.title in re.sub(r"\s+", " ", entry)
    assert len(record.abstract) > 100


@pytest.mark.parametrize("row", recorded("pubmed_efetch"))
def test_every_record_of_pubmed(row: Json) -> None:
    raw = reply(row).body.decode()
    articles = re.findall(r"<PubmedArticle>.*?</PubmedArticle>", raw, re.DOTALL)
    for article in articles:
        id = re.findall(r"<PMID[^>]*>(\d+)<", article)[0]
        page = pubmed.parse_abstract_reply(reply(row), "u", id)
        assert page.title
        assert page.metadata.authors or "<LastName>" not in article
        assert bool(page.metadata.doi) == bool(
            re.search(r'IdType="doi">|EIdType="doi"', article.partition("<ReferenceList>")[0])
        )
        assert re.fullmatch(r"\d{4}(-\d\d){0,2}", page.published)
        assert ("## Abstract" in page.text) == ("<AbstractText" in article)
        assert ("- Retracted: " in page.text) == ('"RetractionIn"' in article)
        assert page.metadata.retracted == (
            "PubMed" if '"RetractionIn"' in article or ">Retracted Publication<" in article else ""
        )
    if not articles:
        is_page(tried(lambda: pubmed.parse_abstract_reply(reply(row), "u", "1")))


@pytest.mark.parametrize("row", recorded("pubmed_xml_eutils"))
def test_other_answers_of_the_utilities_are_no_records(row: Json) -> None:
    assert not is_page(tried(lambda: pubmed.parse_abstract_reply(reply(row), "u", "1")))
    with pytest.raises(FetchError):
        pubmed.parse_article_reply(reply(row), "1")


@pytest.mark.parametrize("row", recorded("pmc_efetch"))
def test_every_article_of_pubmed_central(row: Json) -> None:
    raw = reply(row).body.decode()
    id = re.findall(r"PMC(\d+)</article-id>", raw)[0]
    article = pubmed.parse_article_reply(reply(row), id)
    assert article.title
    assert article.authors
    assert article.doi in raw
    assert article.text.count("\n- [") + article.text.startswith("- [") >= raw.count("<ref ") - 1
    assert article.text.index("## References") > article.text.rindex(
        "| ", 0, article.text.index("## References")
    )
    body = re.findall(r"<p[ >][^<]*", raw.partition("<body>")[2].partition("</body>")[0])
    openings = [re.sub(r"<[^>]*>", "", part).strip()[:60] for part in body]
    lost = [
        opening
        for opening in openings
        if re.fullmatch(r"[\w ,.-]{40,60}", opening) and opening not in article.text
    ]
    assert lost == []


# ---------------------------------------------------------------- X


@pytest.mark.parametrize("row", recorded("fxtwitter_status"))
def test_every_post(row: Json) -> None:
    tweet = json.loads(reply(row).body)["tweet"]
    page = x.build_post_page(reply(row), "u", tweet["id"])
    assert page.metadata.authors == (tweet["author"]["name"],)
    assert tweet["text"].split("\n")[0] in page.text
    assert page.published == "2024-04-12"
    with pytest.raises(FetchError):
        x.build_user_page(reply(row), "u")
