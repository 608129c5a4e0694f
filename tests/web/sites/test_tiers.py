"""Readers of sites among the ways of reading a page: before all others, after which the page is an
ordinary one; and in a replay.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from research_core.errors import CallForbidden, FetchError
from research_core.journal.deps import Deps
from research_core.models import Attempt, HttpReply
from research_core.policy import RunSettings
from research_core.values import SITES
from research_core.web.fetch.read_page import read_page
from research_core.web.http.client import Client
from tests.local_web import Internet
from tests.readers import LONG, PAGE, Answer, Rendering, Web, again, article, reading, reply
from tests.site_replies import FX, HN, RAW, REPOS, YOUTUBE, body

POST = "https://x.com/harbour_office/status/1764800000000000000"
ASKED = f"{FX}/harbour_office/status/1764800000000000000"
SAID = reply(body("x/post.json"), "application/json", url=ASKED)


def sites(deps: Deps, *names: str) -> Deps:
    return replace(deps, run=replace(deps.run, sites=names or SITES))


def failing(deps: Deps, url: str = POST) -> FetchError:
    with pytest.raises(FetchError) as caught:
        read_page(url, deps)
    return caught.value


def tiers(attempts: Any) -> list[str]:
    return [each["tier"] if isinstance(each, dict) else each.tier for each in attempts]


def test_the_reader_of_a_site_goes_before_all_other_ways() -> None:
    web = Web({ASKED: SAID, POST: reply(PAGE)})
    page = read_page(POST, sites(reading(web, Rendering())))
    assert "The gauge on the north pier reads 4.2 metres." in page.text
    assert (page.tier, web.urls) == ("x", [ASKED])


def test_a_site_that_is_switched_off_is_an_ordinary_page_and_nobody_else_learns_of_it() -> None:
    web = Web({ASKED: SAID, POST: reply(PAGE, url=POST)})
    page = read_page(POST, sites(reading(web), "hn", "arxiv"))
    assert (page.tier, web.urls) == ("html", [POST])
    assert page.text == "\n\n".join(LONG)


@pytest.mark.parametrize(
    "said",
    [
        reply("busy", status=429, url=ASKED),
        reply("{}", url=ASKED),
        FetchError("Late.", kind="timeout"),
    ],
)
def test_where_the_reader_fails_the_page_is_an_ordinary_one_and_says_so(said: Answer) -> None:
    page = read_page(POST, sites(reading(Web({ASKED: said, POST: reply(PAGE, url=POST)}))))
    assert page.text == "\n\n".join(LONG)
    assert tiers(page.attempts) == ["x", "markdown", "html"]
    assert page.attempts[0].outcome


def test_a_repository_without_a_readme_is_read_from_its_page() -> None:
    url = "https://github.com/quay/gauge"
    asked = (f"{RAW}/quay/gauge/HEAD/README.md", f"{REPOS}/quay/gauge/readme")
    page = read_page(
        url,
        sites(
            reading(
                Web(
                    {
                        url: reply(PAGE, url=url),
                        **{each: reply("no", status=404, url=each) for each in asked},
                    }
                )
            )
        ),
    )
    assert page.text == "\n\n".join(LONG)
    assert tiers(page.attempts) == [
        "github:README.md",
        "github:readme",
        "github",
        "markdown",
        "html",
    ]


def test_the_ways_a_reader_tried_are_told_with_those_that_followed() -> None:
    url = "https://arxiv.org/abs/2403.01234"
    page = read_page(url, sites(reading(Web({url: reply(PAGE, url=url)}))))
    assert tiers(page.attempts) == ["arxiv:api", "arxiv:abs", "arxiv", "markdown", "html"]
    assert page.attempts[1] == Attempt(
        "arxiv:abs", "arXiv gave an answer that cannot be read: a page without title or abstract"
    )


@pytest.mark.parametrize("code", [404, 401])
def test_what_the_site_says_of_a_page_for_good_is_believed(code: int) -> None:
    web = Web({ASKED: reply(json.dumps({"code": code}), url=ASKED), POST: reply(PAGE, url=POST)})
    error = failing(sites(reading(web, Rendering())))
    assert (error.kind, web.urls) == ("not_found" if code == 404 else "auth_required", [ASKED])
    assert tiers(error.tried) == ["x"]


def test_a_video_that_is_gone_is_drawn_by_no_browser() -> None:
    gone = b"<script>var ytInitialPlayerResponse = " + body("youtube/gone.json") + b";</script>"
    browser = Rendering()
    answers = {f"{YOUTUBE}/watch": gone, f"{YOUTUBE}/youtubei/v1/player": body("youtube/gone.json")}
    web = Web({url: reply(answer, url=url) for url, answer in answers.items()})
    error = failing(sites(reading(web, browser)), f"{YOUTUBE}/watch?v=tide_gauge1")
    assert error.kind == "not_found"
    assert browser.asked == []


def test_a_video_that_cannot_be_read_is_drawn_by_the_browser_first() -> None:
    url = f"{YOUTUBE}/watch?v=tide_gauge1"
    page = read_page(url, sites(reading(Web(), Rendering({url: article(*LONG)}))))
    assert (page.tier, tiers(page.attempts)[-2]) == ("browser", "youtube")


def test_a_post_that_is_gone_may_be_had_from_the_archive() -> None:
    web = Web({ASKED: reply('{"code": 404}', url=ASKED)})
    failing(sites(reading(web, fallbacks=("archive",))))
    assert any("archive.org" in url for url in web.urls)


def test_all_ways_failing_is_told_with_the_site_s_own() -> None:
    error = failing(
        sites(
            reading(
                Web(
                    {
                        ASKED: reply("no", status=503, url=ASKED),
                        POST: reply("no", status=403, url=POST),
                    }
                )
            )
        )
    )
    assert error.kind == "blocked"
    assert "x: HTTP 503" in error.message
    assert tiers(error.tried)[0] == "x"


# ---------------------------------------------------------------- ALLOWED_DOMAINS


class Listed:
    """The guarded session itself, with a list of domains, in an Internet that knows no names; it
    answers nothing.
    """

    def __init__(self, *domains: str) -> None:
        self.internet = Internet({}, 0, 0)
        self.client = Client(
            resolve=self.internet.resolve, connect=self.internet.connect, allowed_domains=domains
        )

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        return self.client.send(method, url, **options)


@pytest.mark.parametrize(
    ("allowed", "asked"),
    [
        (
            ("x.com",),
            ["api.fxtwitter.com", "x.com", "x.com"],
        ),  # its reader, then the page and its robots.txt
        (("api.fxtwitter.com",), []),  # only the page's own address counts
        (("example.org",), []),
    ],
)
def test_a_site_is_read_where_its_own_address_may_be(
    allowed: tuple[str, ...], asked: list[str]
) -> None:
    listed = Listed(*allowed)
    error = failing(sites(reading(listed)))  # type: ignore[arg-type]
    assert sorted(set(listed.internet.looked_up)) == sorted(set(asked))
    assert (error.kind, tiers(error.tried)[0]) == ("network" if asked else "validation", "x")
    listed.client.close()


def test_what_the_list_refused_is_refused_in_a_replay_that_knows_no_list() -> None:
    refused = sites(reading(Listed("example.org")))  # type: ignore[arg-type]
    told = failing(refused).message
    replaying, silent = again(refused)
    assert (failing(sites(replaying)).message, silent.asked) == (told, [])


# ---------------------------------------------------------------- replay

ITEM = "https://news.ycombinator.com/item?id=4104"


def test_a_page_of_a_site_replays_with_all_calls_forbidden() -> None:
    told = {
        f"{HN}/item/4104.json": reply(
            body("hn/comment.json"), "application/json", url=f"{HN}/item/4104.json"
        ),
        ASKED: SAID,
    }
    deps = sites(reading(Web(told)))
    pages = [read_page(url, deps) for url in (ITEM, POST)]
    replaying, silent = again(deps)
    assert [read_page(url, sites(replaying)) for url in (ITEM, POST)] == pages
    assert silent.asked == []


def test_a_session_from_before_there_were_such_readers_replays_as_it_was() -> None:
    deps = reading(Web({POST: reply(PAGE, url=POST)}))
    page = read_page(POST, deps)
    old = RunSettings.from_json(
        {name: value for name, value in deps.run.to_json().items() if name != "sites"}
    )
    replaying, silent = again(replace(deps, run=old))
    assert read_page(POST, replaying) == page
    with pytest.raises(CallForbidden):
        read_page(POST, sites(replaying))
    assert silent.asked == []


# ---------------------------------------------------------------- Reddit


def test_a_page_of_reddit_says_what_its_post_says_of_itself() -> None:
    url = "https://www.reddit.com/r/tides/comments/abc/our_gauge_drifts/"
    embedded = (
        '<script type="application/ld+json">' + body("reddit/post.json").decode() + "</script>"
    )
    page = read_page(url, reading(Web({url: reply(article(*LONG, head=embedded), url=url)})))
    if page.structured:  # as soon as pages keep what they embed
        assert page.signals["upvotes"] == 12847
    assert not read_page(
        POST,
        reading(
            Web(
                {
                    POST: HttpReply(
                        POST,
                        200,
                        {"content-type": "text/html"},
                        article(*LONG, head=embedded).encode(),
                    )
                }
            )
        ),
    ).signals
