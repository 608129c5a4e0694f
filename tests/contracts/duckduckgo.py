"""DuckDuckGo's page for browsers without scripts."""

from __future__ import annotations

from research_core.models import SearchResult
from research_core.search.queries import WebQuery
from tests.contracts import Case

URL = "https://html.duckduckgo.com/html/"
PART = "html.duckduckgo.com"


def page(*results: str) -> str:
    return f"<!DOCTYPE html><html><head><title>tea at DuckDuckGo</title></head><body>{''.join(results)}</body></html>\n"


def result(
    href: str,
    title: str = "Tea <b>against</b> colds",
    snippet: str = "Tea was <b>drunk</b>.",
    css: str = "",
) -> str:
    return (
        f'<div class="result results_links results_links_deep web-result {css}"><div class="links_main result__body">'
        f'<h2 class="result__title"><a rel="nofollow" class="result__a" href="{href}">{title}</a></h2>'
        f'<a class="result__snippet" href="{href}">{snippet}</a></div></div>'
    )


REDIRECT = (
    "//duckduckgo.com/l/?uddg=https%3A%2F%2Fwww.example.org%2Ftea%3Fa%3D1%26b%3D2&amp;rut=0123"
)
PAID = result("https://duckduckgo.com/y.js?ad_provider=x&amp;u3=y", css="result--ad")
NOTHING = page('<div class="results"><div class="no-results">No  results.</div></div>')
CASES = (
    Case(
        "duckduckgo",
        "web",
        WebQuery(
            "tea", time_range="week", safe="off", language="fr", country="CH", site="example.org", exact_terms="green tea",
            exclude_terms="coffee", sites=("a.org", "b.org/c"),
        ),
        [(PART, page(PAID, result(REDIRECT), result("https://b.example.org/", "Second", "More.")))],
        [
            SearchResult("Tea against colds", "https://www.example.org/tea?a=1&b=2", "Tea was drunk."),
            SearchResult("Second", "https://b.example.org/", "More."),
        ],
        [(PART, NOTHING)],
    ),
)  # fmt: skip
