"""Search the world's patents by title and abstract at the EPO (Open Patent Services 3.2).

Each call carries an access token, requested when needed (`access_token`). The EPO searches by
publication date, not by filing date, so years of filing are searched as the years in which a first
publication would appear, and then checked against each patent's own filing date; a note says if
later publications were not scanned. The EPO answers an invalid query as if nothing was found.
"""

from __future__ import annotations

import base64
import re
from typing import Any

from research_core.errors import SearchError
from research_core.journal.deps import Http, Login
from research_core.models import HttpReply
from research_core.search.providers.counts import limit_to_scanned
from research_core.search.providers.markup import markup_words
from research_core.search.providers.patents import (
    NUMBER,
    bare_company,
    join_number,
    parse_day,
    parse_number,
    patent_url,
    query_phrases,
    select_patents,
    strip_quotes,
)
from research_core.search.providers.reply import (
    changed_format_error,
    parse_xml,
    refusal_error,
    request,
    require_some,
)
from research_core.search.queries import PatentQuery
from research_core.search.records import NotedRecords, Patent
from research_core.settings import Settings

NAME = "EPO OPS"
TOKEN = "https://ops.epo.org/3.2/auth/accesstoken"
SEARCH = "https://ops.epo.org/3.2/rest-services/published-data/search/biblio"
NEEDS = ("EPO_OPS_CONSUMER_KEY", "EPO_OPS_CONSUMER_SECRET")
HONOURS = frozenset(
    "search_type patent_office assignee inventor cpc_code year_from year_to".split()
)
PACE_S = 2.0
#: How many publications are looked through where the years of filing are to be held against each;
#: as many as one answer may have.
MAX_SCANNED = 100
#: Years from filing until an application is published at the latest, counted in whole ones.
UNTIL_PUBLISHED = 2
#: Kinds of publications by which these offices publish a grant, so that its day is the day of the
#: grant.
GRANTS = {"EP": frozenset({"B1"}), "US": frozenset({"B1", "B2", "E", "E1", "S", "S1", "P2", "P3"})}
OPS, EXCHANGE = "{http://ops.epo.org}", "{http://www.epo.org/exchange}"
NEXT_STEPS = {
    "auth_required": "Check EPO_OPS_CONSUMER_KEY and EPO_OPS_CONSUMER_SECRET in .env.",
    "rate_limited": "Wait an hour, or until the week is over, or ask another provider.",
}
_MARK = re.compile(r"^\s*\[\d{4}\]\s*")


def search(http: Http, settings: Settings, query: PatentQuery) -> tuple[Patent, ...]:
    """Return publications in the EPO's order, newest first. Raises SearchError."""
    most = MAX_SCANNED if query.year_from or query.year_to else min(query.count, MAX_SCANNED)
    pair = f"{settings.epo_key}:{settings.epo_secret}"
    login = Login(TOKEN, {"authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"})
    reply = request(
        http, NAME, SEARCH, {"q": build_cql(query)}, headers={"X-OPS-Range": f"1-{most}"},
        accept="application/xml", login=login,
        next_steps=NEXT_STEPS, also=(400, 403, 404),
    )  # fmt: skip
    listed, total = (
        (read_publications(reply), _read_total(reply))
        if reply.status == 200
        else (_check_refusal(reply), "")
    )
    found = limit_to_scanned(
        NAME, select_patents(NAME, listed, query), query.count, len(listed), total, most=most
    )
    return NotedRecords(
        found, (*found.notes, _note_unpublished(query) if len(found) < query.count else "")
    )


def _note_unpublished(query: PatentQuery) -> str:
    """Note which publications were not scanned for patents filed up to a given year."""
    last = query.year_to + UNTIL_PUBLISHED
    return (
        f"{NAME} was asked for what came out until {last}: of applications filed then a grant may"
        " be later."
        if query.year_to
        else ""
    )


def build_cql(query: PatentQuery) -> str:
    """Write the query in CQL: every word in title or abstract.

    Searching full texts would find fifteen times as much, mostly irrelevant.
    """
    number, field = (
        NUMBER.fullmatch(parse_number(query.text)),
        "ti" if query.search_type == "specific" else "ta",
    )
    terms = (
        [f'pn="{_indexed_number(number[1], number[2])}"']
        if number
        else [f'{field}="{each}"' for each in query_phrases(query.text)]
    )
    terms += [
        f'{field}="{name}"'
        for field, name in (
            ("pa", strip_quotes(bare_company(query.assignee))),
            ("in", strip_quotes(query.inventor)),
        )
        if name
    ]
    terms += [f"pn={query.patent_office}"] if query.patent_office else []
    terms += [f'cpc="{strip_quotes(query.cpc_code).replace(" ", "")}"'] if query.cpc_code else []
    terms += [f"pd>={query.year_from}"] if query.year_from else []
    terms += [f"pd<={query.year_to + UNTIL_PUBLISHED}"] if query.year_to else []
    return " and ".join(terms)


def _indexed_number(country: str, digits: str) -> str:
    """Return a US application number as the EPO indexes it, with one zero less."""
    return (
        f"{country}{digits[:4]}{digits[5:]}"
        if country == "US" and len(digits) == 11 and digits[4] == "0"
        else country + digits
    )


def _check_refusal(reply: HttpReply) -> tuple[Patent, ...]:
    """Return () for a status that means nothing found. Raises SearchError otherwise."""
    if reply.status == 404 and b"EntityNotFound" in reply.body:
        return ()
    kind = ""
    if reply.status == 403 and (
        "x-rejection-reason" in reply.headers or b"quota" in reply.body.lower()
    ):
        kind = "rate_limited"
    if reply.status == 400 and b"access_token" in reply.body.lower():
        kind = "auth_required"
    raise refusal_error(NAME, reply, NEXT_STEPS, kind=kind, words=_read_message(reply))


def _read_message(reply: HttpReply) -> str:
    """Return the EPO's message from its XML error; "" if there is none."""
    try:
        root = parse_xml(NAME, reply)
    except SearchError:  # a page, or nothing: then its status says all
        return ""
    said = next((each for each in root.iter("{*}description", "{*}message") if each.text), None)
    return markup_words(said.text)[:200] if said is not None else ""


def read_publications(reply: HttpReply) -> tuple[Patent, ...]:
    """Return the publications an answer lists, with or without their data.

    Raises SearchError.
    """
    root = parse_xml(NAME, reply)
    if root.tag != f"{OPS}world-patent-data":
        raise changed_format_error(NAME, "it is no data of patents")
    listed: list[Any] = next((found for way in LISTED if (found := root.findall(f".//{way}"))), [])
    if not listed:
        found = root.find(f"{OPS}biblio-search")
        if found is None or found.get("total-result-count") != "0":
            raise changed_format_error(NAME, "there are no publications in it")
    return require_some(
        NAME,
        listed,
        [made for each in listed if (made := _read_patent(each))],
        "the number of a publication",
    )


#: How a publication is listed: with its data, as a member of a family, with its full text, by its
#: number alone. The first that there is.
LISTED = (
    f"{EXCHANGE}exchange-document",
    f"{OPS}family-member",
    "{*}fulltext-document",
    f"{OPS}search-result/{OPS}publication-reference",
)


def _read_total(reply: HttpReply) -> str:
    """Return how many publications the answer says it found; "" if it does not say."""
    found = parse_xml(NAME, reply).find(f"{OPS}biblio-search")
    return "" if found is None else found.get("total-result-count", "")


def _read_patent(document: Any) -> Patent | None:
    reference = (
        document
        if document.tag == f"{OPS}publication-reference"
        else document.find(".//{*}publication-reference")
    )
    docdb = next(
        (
            each
            for each in ([] if reference is None else reference.findall("{*}document-id"))
            if _child_texts(each, "country")
        ),
        None,
    )
    if docdb is None:
        return None
    country, kind = _child_texts(docdb, "country"), _child_texts(docdb, "kind")
    number, published = (
        join_number(country, _child_texts(docdb, "doc-number"), kind),
        parse_day(_child_texts(docdb, "date")),
    )
    if not number:
        return None
    return Patent(
        title=_pick_language(document.findall(".//{*}invention-title")) or number,
        number=number,
        url=patent_url(number),
        abstract=_MARK.sub("", _pick_language(document.findall("{*}abstract"))),
        assignee=bare_company(_read_name(document, "applicant"))
        and _read_name(document, "applicant"),
        inventor=_read_name(document, "inventor"),
        filed=next(
            (
                found
                for each in document.findall(".//{*}application-reference/{*}document-id")
                if (found := parse_day(_child_texts(each, "date")))
            ),
            "",
        ),
        granted=published if kind in GRANTS.get(country, ()) else "",
        published=published,
    )


def _child_texts(element: Any, name: str) -> str:
    return (element.findtext(f"{{*}}{name}") or "").strip()


def _pick_language(elements: list[Any]) -> str:
    """Return the English element's text, else the first one's."""
    chosen = next(
        (each for each in elements if each.get("lang") == "en"), elements[0] if elements else None
    )
    paragraphs = [] if chosen is None else chosen.findall("{*}p") or [chosen]
    return markup_words(" ".join("".join(each.itertext()) for each in paragraphs))


def _read_name(document: Any, role: str) -> str:
    """Return the first of these persons, as in the document or as the EPO writes it.

    The EPO's own spelling adds a country.
    """
    forms = {
        each.get("data-format"): each for each in reversed(document.findall(f".//{{*}}{role}"))
    }
    chosen = forms.get("original", forms.get("epodoc"))
    said = "" if chosen is None else chosen.findtext(f"{{*}}{role}-name/{{*}}name") or ""
    return re.sub(r"\s*\[[A-Z]{2}\]$", "", markup_words(said)).strip(" ,")
