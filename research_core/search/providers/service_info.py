"""What to know of each service before using it: name, key, free allowance and its main trap.

As the services stated it in 2026. Prices and limits change; the service's own page is right if it
differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class ServiceInfo:
    """A service. key: where to get one, "" if none is needed; free: the free allowance."""

    title: str
    key: str
    free: str
    trap: str = ""


SERVICES: Mapping[str, ServiceInfo] = {
    "brave": ServiceInfo(
        "Brave Search API",
        "brave.com/search/api",
        "5 dollars of credit a month, then 5 dollars per 1,000 calls",
        "It tells a used-up month from too many calls a second; both come as 429.",
    ),
    "serper": ServiceInfo(
        "Serper",
        "serper.dev",
        "free calls at sign-up, then paid",
        "It shows Google's results; other filters than dates and region are words in the query.",
    ),
    "searchapi": ServiceInfo(
        "SearchAPI.io",
        "searchapi.io",
        "free calls at sign-up, then paid",
        "It may give fewer results than were asked for.",
    ),
    "tavily": ServiceInfo(
        "Tavily",
        "tavily.com",
        "1,000 credits a month; a search takes one",
        "A query has at most 400 characters.",
    ),
    "exa": ServiceInfo(
        "Exa",
        "exa.ai",
        "20 dollars at sign-up and 10 a month; a search is 0.7 cents, an answer 0.5",
        "Each call is paid for; a cap on cost is heeded before it.",
    ),
    "google": ServiceInfo(
        "Google Programmable Search",
        "console.cloud.google.com",
        "100 calls a day",
        "Closed to new customers; searching the whole web with it ends on 1 January 2027.",
    ),
    "ddgs": ServiceInfo(
        "Web engines through ddgs",
        "",
        "as much as each engine lets pass",
        "The engines refuse machines in data centres; one that refuses is left alone for a while.",
    ),
    "searxng": ServiceInfo(
        "SearXNG", "", "your own server", "Its settings must allow answers in JSON."
    ),
    "duckduckgo": ServiceInfo(
        "DuckDuckGo (HTML)",
        "",
        "as much as it lets pass",
        "Machines in data centres are refused; no news, no images.",
    ),
    "hackernews": ServiceInfo(
        "Hacker News (Algolia)", "", "10,000 calls an hour", "It holds only what was posted there."
    ),
    "openalex": ServiceInfo(
        "OpenAlex",
        "openalex.org/settings/api",
        "without a key a cent a day, about ten searches; with a free key a dollar a day, about"
        " 1,000",
        "Since February 2026 an e-mail address buys nothing any more.",
    ),
    "semanticscholar": ServiceInfo(
        "Semantic Scholar",
        "semanticscholar.org/product/api",
        "about one call a second, shared by all without a key",
    ),
    "crossref": ServiceInfo(
        "Crossref",
        "",
        "one list a second; three at once with an e-mail address",
        "Not every record has an abstract or counts citations.",
    ),
    "pubmed": ServiceInfo(
        "PubMed (NCBI)",
        "ncbi.nlm.nih.gov/account",
        "three calls a second, ten with a key",
        "Its errors come with status 200.",
    ),
    "arxiv": ServiceInfo("arXiv", "", "a call every three seconds"),
    "datacite": ServiceInfo(
        "DataCite", "", "500 calls in five minutes", "Data sets and preprints; few journals."
    ),
    "unpaywall": ServiceInfo("Unpaywall", "", "100,000 calls a day with an e-mail address"),
    "epo": ServiceInfo(
        "European Patent Office, OPS",
        "developers.epo.org",
        "about 4 GB a week",
        "Two calls for each search: one is for a token.",
    ),
    "lens": ServiceInfo(
        "Lens.org", "lens.org/lens/user/subscriptions", "a trial; then by agreement"
    ),
    "uspto": ServiceInfo(
        "USPTO Open Data Portal",
        "data.uspto.gov",
        "free with a key",
        "US applications only, and no abstracts.",
    ),
    "edgar": ServiceInfo(
        "SEC EDGAR",
        "",
        "ten calls a second",
        "It refuses programs that do not name an e-mail address.",
    ),
    "courtlistener": ServiceInfo(
        "CourtListener",
        "courtlistener.com/profile/api",
        "about 100 calls a day, 5,000 with a token",
        "US courts only.",
    ),
    "fred": ServiceInfo(
        "FRED",
        "fred.stlouisfed.org/docs/api/api_key.html",
        "120 calls a minute",
        "US series, mostly.",
    ),
    "worldbank": ServiceInfo(
        "World Bank Open Data", "", "no stated limit", "Its errors come with status 200."
    ),
    "oecd": ServiceInfo(
        "OECD Data Explorer (SDMX)",
        "",
        "some 20 to 60 calls an hour",
        "A call for one country costs two requests.",
    ),
    "eurostat": ServiceInfo(
        "Eurostat",
        "",
        "no stated limit",
        "A data set without a filter may be too large to be answered at once.",
    ),
    "clinicaltrials": ServiceInfo("ClinicalTrials.gov", "", "about 50 calls a minute"),
}
