"""What only says that nothing is there is no page; what is short, or writes about such answers, is
one. All words here are our own.
"""

from __future__ import annotations

import contextlib

import pytest

from research_core.errors import FetchError
from research_core.models import Page
from research_core.web.fetch import stubs
from research_core.web.fetch.responses import read_page_reply
from tests.readers import LONG, URL, article, reply
from tests.timing import check_cpu_time

#: (kind, title, text)
REFUSED = [
    (
        "not_found",
        "404 Not Found",
        "Page not found. The page you are looking for does not exist. Try the search or the home page.",
    ),
    ("not_found", "404 – Page not found | Harbour office", "Try our search."),
    ("not_found", "Page Not Found", "Home Search Contact"),
    ("not_found", "Not Found", "The requested URL /notes was not found on this server."),
    ("not_found", "404", "We can’t find the page you’re looking for."),
    (
        "not_found",
        "Oops! - Harbour office",
        "Error 404: Page not found. The link you followed may be old.",
    ),
    ("not_found", "Seite nicht gefunden – Hafenamt Köln", "Diese Seite gibt es nicht mehr."),
    ("not_found", "Page introuvable | Le port", "Retour à l’accueil."),
    ("not_found", "ページが見つかりません", "お探しのページは移動しました。"),
    (
        "upstream_unavailable",
        "Error 500",
        "Internal Server Error. An unexpected error occurred while processing your request.",
    ),
    (
        "upstream_unavailable",
        "503 Service Unavailable",
        "No server is available to handle this request.",
    ),
    ("upstream_unavailable", "Oops!", "Something went wrong. Please try again later."),
    (
        "upstream_unavailable",
        "Site maintenance",
        "We are down for maintenance and will be back soon.",
    ),
    (
        "upstream_unavailable",
        "Harbour office › Error",
        "There has been a critical error on this website.",
    ),
    ("upstream_unavailable", "Database Error", "Error establishing a database connection"),
    (
        "not_found",
        "harbour.example.org is for sale",
        "This domain is for sale! Buy this domain now.",
    ),
    (
        "not_found",
        "harbour.example.org",
        "This domain may be for sale. Related searches: gauges, piers.",
    ),
]
READ = [
    (
        "Page not found: how the harbour lost its archive",
        "The harbour office could not find the page of 1974 that you asked for.",
    ),
    (
        "404 Not Found",
        "404 Not Found is a status code. It means that the page you requested could not be found.",
    ),
    ("404 Not Found", " ".join(LONG)),
    ("Not Found", "A film about a harbour master who could not find his ship."),
    ("Missing", "A film of 1982, shot in a harbour."),
    ("500", "500 is a natural number between 499 and 501."),
    (
        "Maintenance",
        "Maintenance of the pier takes place on Friday, and the crane is under repair.",
    ),
    ("Error", "The gauge has an error of four centimetres."),
    (
        "Harbour notes",
        "The page you are looking for may have been torn out of the log; try again later in the archive.",
    ),
    ("Domain names", "The domain harbour.example.org is for sale, its owner said on Tuesday."),
    ("The pier is for sale", "The pier is for sale. Make an offer at the harbour office."),
    (
        "404 Not Found",
        "Page not found. The page you are looking for does not exist. " + " ".join(LONG * 3),
    ),
]


@pytest.mark.parametrize(
    ("kind", "title", "text"), REFUSED, ids=[f"{title} {text[:20]}" for _, title, text in REFUSED]
)
def test_what_only_says_that_nothing_is_there_is_no_page(kind: str, title: str, text: str) -> None:
    with pytest.raises(FetchError) as caught:
        read_page_reply(reply(article(text, title=title)), URL)
    assert (caught.value.kind, caught.value.public) == (kind, True)


@pytest.mark.parametrize(
    ("title", "text"), READ, ids=[f"{title} {text[:20]}" for title, text in READ]
)
def test_a_short_page_and_one_about_such_answers_are_read(title: str, text: str) -> None:
    assert read_page_reply(reply(article(text, title=title)), URL).text


def test_a_document_is_what_it_is() -> None:
    assert read_page_reply(
        reply(
            '{"error": "404", "text": "The page you requested was not found"}', "application/json"
        ),
        URL,
    ).text


@pytest.mark.parametrize(
    "piece",
    ["the ", "error ", "404 - ", "page not found ", " - ", "domain is for sale ", "a-", "a."],
)
def test_no_page_takes_long_to_be_looked_at(piece: str) -> None:
    with check_cpu_time(1):
        for _ in range(20):
            with contextlib.suppress(FetchError):
                stubs.raise_for_stub(
                    Page(
                        URL,
                        URL,
                        (piece * 10_000)[:10_000],
                        (piece * 600)[: stubs.MAX_STUB_LENGTH],
                        "html",
                        "",
                    )
                )
