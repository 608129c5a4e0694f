"""A page that only says where another is leads there, once and through the guarded session; one
that has a text of its own does not.
"""

from __future__ import annotations

import pytest
from pytest_httpserver import HTTPServer

from research_core.errors import FetchError
from research_core.web.fetch import meta_refresh
from research_core.web.fetch.read_page import read_page
from research_core.web.fetch.tiers import MAX_REDIRECTS
from tests.local_web import Internet, opened
from tests.readers import LONG, PAGE, URL, Web, again, article, reading, reply
from tests.timing import check_cpu_time

NEW = "https://harbour.example.org/new"


def html(body: str, head: str = "") -> str:
    return f"<!doctype html><html><head><title>Moved</title>{head}</head><body>{body}</body></html>"


def refresh(content: str, body: str = "<p>This page has moved.</p>") -> str:
    return html(body, f'<meta http-equiv="Refresh" content="{content}">')


LEADING: dict[str, str] = {
    "refresh": refresh("0; url=/new"),
    "quoted": refresh("0;URL='/new'"),
    "without its name": refresh("5, /new"),
    "later": refresh("10;url=new"),
    "no text": refresh("0;url=/new", ""),
    "no quotes": "<html><meta http-equiv=refresh content=0;url=/new>",
    "a base": html(
        "",
        '<base href="https://harbour.example.org/"><meta http-equiv="refresh" content="0;url=new">',
    ),
    "a lone link": html('<p>This page has moved. Click <a href="/new">here</a>.</p>'),
    "object moved": html(
        '<h2>Object moved to <a href="/new">here</a>.</h2><p>The document has moved here.</p>'
    ),
    "in German": html('<p>Die Seite wurde verschoben: <a href="/new">weiter</a></p>'),
    "a script": html('<script>window.location.replace("/new");</script><p>Redirecting…</p>'),
    "another": html("<script><!--\nlocation.href = '/new'\n//--></script>"),
    "frames": '<html><frameset cols="20%,*"><frame src="/menu"><frame src="/new"></frameset><noframes>No frames here.</noframes></html>',
    "named frames": '<html><frameset rows="*,*"><frame name="main" src="/new"><frame name="footer" src="/menu"></frameset></html>',
    "nested frames": (
        '<html><frameset rows="80,*"><frame src="/a"><frameset cols="150,*"><frame src="/b"><frame src="/new"></frameset></frameset></html>'
    ),
    "one frame": '<html><frameset rows="100%"><frame src="/new"></frameset></html>',
}
STAYING: dict[str, str] = {
    "a page": PAGE,
    "one that renews itself": refresh("5;url=/notes#top"),
    "one that renews itself often": refresh("5"),
    "one that goes on after a while": refresh("60; url=/new"),
    "one with a text": refresh("0; url=/new", "".join(f"<p>{words}</p>" for words in LONG * 3)),
    "one with another text": article(
        *LONG * 2, head='<meta http-equiv="refresh" content="300; url=/new">'
    ),
    "one for who runs no scripts": html(
        "<p>Short.</p>", '<noscript><meta http-equiv="refresh" content="0;url=/new"></noscript>'
    ),
    "in a comment": html(
        "<p>Short.</p>", '<!-- <meta http-equiv="refresh" content="0;url=/new"> -->'
    ),
    "no web address": refresh("0; url=javascript:alert(1)", "<p>Short.</p>"),
    "a file": refresh("0; url=file:///etc/passwd", "<p>Short.</p>"),
    "no address": refresh("0; url=http://[", "<p>Short.</p>"),
    "several links": html(
        '<p>The page has moved.</p><a href="/new">New</a> <a href="/old">Old</a>'
    ),
    "a short note": html(
        '<p>The gauge was moved to the south pier. See <a href="/new">its notes</a>.</p>'
    ),
    "a script that does more": html(
        '<script>if (top != self) location.replace("/new");</script><p>Short.</p>'
    ),
    "no markup": "The page has moved. Click here: /new",
}


@pytest.mark.parametrize("name", LEADING)
def test_a_page_that_only_leads_on_is_followed(name: str) -> None:
    deps = reading(Web({URL: reply(LEADING[name]), NEW: reply(PAGE, url=NEW)}))
    page = read_page(URL, deps)
    assert (page.url, page.final_url, page.text) == (URL, NEW, "\n\n".join(LONG))
    replayed, silent = again(deps)
    assert read_page(URL, replayed) == page
    assert silent.asked == []


@pytest.mark.parametrize("name", STAYING)
def test_a_page_that_has_something_to_say_is_not(name: str) -> None:
    assert meta_refresh.find_redirect(reply(STAYING[name])) == ""


def test_only_a_success_leads_on() -> None:
    assert meta_refresh.find_redirect(reply(LEADING["refresh"], status=404)) == ""


def test_a_page_is_followed_once() -> None:
    web = Web({URL: reply(LEADING["refresh"]), NEW: reply(refresh("0;url=/newer"), url=NEW)})
    with pytest.raises(FetchError, match="only leads to another page") as caught:
        read_page(URL, reading(web))
    assert (caught.value.kind, web.urls) == ("bad_reply", [URL, NEW])


def test_it_counts_as_a_redirect() -> None:
    hops = [f"https://harbour.example.org/{n}" for n in range(MAX_REDIRECTS)]
    answers = {
        URL: reply(LEADING["refresh"], hops=" ".join(hops[:2])),
        NEW: reply(PAGE, url=NEW, hops=" ".join(hops[2:4])),
    }
    assert read_page(URL, reading(Web(answers))).final_url == NEW
    answers[NEW] = reply(PAGE, url=NEW, hops=" ".join(hops[2:5]))
    with pytest.raises(FetchError, match="redirected more than 5 times"):
        read_page(URL, reading(Web(answers)))
    web = Web({URL: reply(LEADING["refresh"], hops=" ".join(hops))})
    with pytest.raises(FetchError, match="only leads to another"):
        read_page(URL, reading(web))
    assert web.urls == [URL]


def test_a_check_for_robots_and_a_login_are_what_they_are() -> None:
    check = refresh("0;/.well-known/sgcaptcha/?r=%2Fnotes", "")
    web = Web({URL: reply(check)})
    with pytest.raises(FetchError) as caught:
        read_page(URL, reading(web))
    assert (caught.value.kind, web.urls) == ("blocked", [URL])
    login = "https://harbour.example.org/login"
    form = html('<form><input type="password"></form><p>Welcome.</p>')
    with pytest.raises(FetchError) as caught:
        read_page(
            URL,
            reading(Web({URL: reply(refresh(f"0;url={login}")), login: reply(form, url=login)})),
        )
    assert caught.value.kind == "auth_required"


def test_where_it_leads_is_guarded(internet: Internet, httpserver: HTTPServer) -> None:
    """The canary on loopback is asked for nothing."""
    for path, url in {
        "/a": "http://127.0.0.1/canary",
        "/b": "http://inside.example.org/canary",
        "/c": "http://localhost/canary",
    }.items():
        httpserver.expect_request(path).respond_with_data(
            refresh(f"0;url={url}"), content_type="text/html"
        )
    httpserver.expect_request("/robots.txt").respond_with_data("")
    internet.names["inside.example.org"] = [["10.0.0.1"]]
    with opened(resolve=internet.resolve, connect=internet.connect) as client:
        for path in "abc":
            with pytest.raises(FetchError) as caught:
                read_page(f"http://pages.example.org/{path}", reading(client))  # type: ignore[arg-type]
            assert (caught.value.kind, caught.value.public) == ("validation", False)
    assert {request.path for request, _ in httpserver.log} == {"/robots.txt", "/a", "/b", "/c"}


@pytest.mark.parametrize(
    "piece",
    [
        "<meta http-equiv=refresh content=",
        "<noscript",
        "<frameset cols='1,2'>",
        "<script>",
        "page has was moved ",
        "location",
        "<a href=x>",
    ],
)
def test_no_page_takes_long_to_be_looked_at(piece: str) -> None:
    body = (
        "<html><meta http-equiv=x>" + piece * (meta_refresh.MAX_MARKUP_CHARACTERS // len(piece))
    )[: meta_refresh.MAX_MARKUP_CHARACTERS]
    with check_cpu_time(1):
        meta_refresh.find_redirect(reply(body))
