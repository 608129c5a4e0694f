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
    build_patent_url,
    join_number,
    parse_day,
    parse_number,
    query_phrases,
    select_patents,
    strip_company_form,
    strip_quotes,
)
from research_core.search.providers.reply import (
    changed_format_error,
    parse_xml,
    read_records,
    refusal_error,
    request,
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
#: Publications to scan if filing years must be checked; one answer has no more.
MAX_SCANNED = 100
#: Whole years from filing until publication at the latest.
UNTIL_PUBLISHED = 2
#: Publication kinds that are grants, by office: their date is the date of grant.
GRANTS = {"EP": frozenset({"B1"}), "US": frozenset({"B1", "B2", "E", "E1", "S", "S1", "P2", "P3"})}
OPS, EXCHANGE = "{http://ops.epo.org}", "{http://www.epo.org/exchange}"
#: How answers list publications, in order of preference: with data, as family members, with full
#: text, by number only.
LISTED = (
    f"{EXCHANGE}exchange-document",
    f"{OPS}family-member",
    "{*}fulltext-document",
    f"{OPS}search-result/{OPS}publication-reference",
)
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
    if reply.status == 200:
        listed, total = read_publications(reply), _read_total(reply)
    else:
        listed, total = _check_refusal(reply), ""
    found = limit_to_scanned(
        NAME, select_patents(NAME, listed, query), query.count, len(listed), total, most=most
    )
    notes = list(found.notes)
    if len(found) < query.count:
        notes.append(_note_unpublished(query))
    return NotedRecords(found, notes)


def _note_unpublished(query: PatentQuery) -> str:
    """Note which publications were not scanned for patents filed up to a given year."""
    if not query.year_to:
        return ""
    last = query.year_to + UNTIL_PUBLISHED
    return (
        f"{NAME} was asked for what came out until {last}: of applications filed then a grant may"
        " be later."
    )


def build_cql(query: PatentQuery) -> str:
    """Write the query in CQL: every word in title or abstract.

    Searching full texts would find fifteen times as much, mostly irrelevant.
    """
    number = NUMBER.fullmatch(parse_number(query.text))
    if number:
        terms = [f'pn="{_indexed_number(number[1], number[2])}"']
    else:
        field = "ti" if query.search_type == "specific" else "ta"
        terms = [f'{field}="{phrase}"' for phrase in query_phrases(query.text)]
    assignee = strip_quotes(strip_company_form(query.assignee))
    if assignee:
        terms.append(f'pa="{assignee}"')
    inventor = strip_quotes(query.inventor)
    if inventor:
        terms.append(f'in="{inventor}"')
    if query.patent_office:
        terms.append(f"pn={query.patent_office}")
    if query.cpc_code:
        terms.append(f'cpc="{strip_quotes(query.cpc_code).replace(" ", "")}"')
    if query.year_from:
        terms.append(f"pd>={query.year_from}")
    if query.year_to:
        terms.append(f"pd<={query.year_to + UNTIL_PUBLISHED}")
    return " and ".join(terms)


def _indexed_number(country: str, digits: str) -> str:
    """Return a US application number as the EPO indexes it, with one zero less."""
    if country == "US" and len(digits) == 11 and digits[4] == "0":
        return f"{country}{digits[:4]}{digits[5:]}"
    return country + digits


def _check_refusal(reply: HttpReply) -> tuple[Patent, ...]:
    """Return () for a status that means nothing found. Raises SearchError otherwise."""
    if reply.status == 404 and b"EntityNotFound" in reply.body:
        return ()
    kind = ""
    over_quota = "x-rejection-reason" in reply.headers or b"quota" in reply.body.lower()
    if reply.status == 403 and over_quota:
        kind = "rate_limited"
    if reply.status == 400 and b"access_token" in reply.body.lower():
        kind = "auth_required"
    raise refusal_error(NAME, reply, NEXT_STEPS, kind=kind, words=_read_message(reply))


def _read_message(reply: HttpReply) -> str:
    """Return the EPO's message from its XML error; "" if there is none."""
    try:
        root = parse_xml(NAME, reply)
    except SearchError:  # a web page or nothing: the status has to do
        return ""
    for element in root.iter("{*}description", "{*}message"):
        if element.text:
            return markup_words(element.text)[:200]
    return ""


def read_publications(reply: HttpReply) -> tuple[Patent, ...]:
    """Return the publications an answer lists, with or without their data.

    Raises SearchError.
    """
    root = parse_xml(NAME, reply)
    if root.tag != f"{OPS}world-patent-data":
        raise changed_format_error(NAME, "it is no data of patents")
    listed = _find_publications(root)
    search = root.find(f"{OPS}biblio-search")
    if not listed and (search is None or search.get("total-result-count") != "0"):
        raise changed_format_error(NAME, "there are no publications in it")
    return read_records(NAME, listed, _read_patent, "the number of a publication")


def _find_publications(root: Any) -> list[Any]:
    """Return the publications in the form that an answer has; [] if it has none of `LISTED`."""
    for path in LISTED:
        listed: list[Any] = root.findall(f".//{path}")
        if listed:
            return listed
    return []


def _read_total(reply: HttpReply) -> str:
    """Return how many publications the answer says it found; "" if it does not say."""
    found = parse_xml(NAME, reply).find(f"{OPS}biblio-search")
    return "" if found is None else found.get("total-result-count", "")


def _read_patent(document: Any) -> Patent | None:
    docdb = _find_docdb_id(document)
    if docdb is None:
        return None
    country = _read_child_text(docdb, "country")
    kind = _read_child_text(docdb, "kind")
    number = join_number(country, _read_child_text(docdb, "doc-number"), kind)
    published = parse_day(_read_child_text(docdb, "date"))
    if not number:
        return None
    applicant = _read_name(document, "applicant")
    return Patent(
        title=_pick_language(document.findall(".//{*}invention-title")) or number,
        number=number,
        url=build_patent_url(number),
        abstract=_MARK.sub("", _pick_language(document.findall("{*}abstract"))),
        assignee=applicant if strip_company_form(applicant) else "",
        inventor=_read_name(document, "inventor"),
        filed=_read_filing_day(document),
        granted=published if kind in GRANTS.get(country, ()) else "",
        published=published,
    )


def _find_docdb_id(document: Any) -> Any:
    """Return the first id of a publication that names a country, or None."""
    reference = document
    if document.tag != f"{OPS}publication-reference":
        reference = document.find(".//{*}publication-reference")
    if reference is None:
        return None
    for identifier in reference.findall("{*}document-id"):
        if _read_child_text(identifier, "country"):
            return identifier
    return None


def _read_filing_day(document: Any) -> str:
    for identifier in document.findall(".//{*}application-reference/{*}document-id"):
        day = parse_day(_read_child_text(identifier, "date"))
        if day:
            return day
    return ""


def _read_child_text(element: Any, name: str) -> str:
    return (element.findtext(f"{{*}}{name}") or "").strip()


def _pick_language(elements: list[Any]) -> str:
    """Return the English element's text, else the first one's."""
    if not elements:
        return ""
    chosen = elements[0]
    for element in elements:
        if element.get("lang") == "en":
            chosen = element
            break
    paragraphs = chosen.findall("{*}p") or [chosen]
    return markup_words(" ".join("".join(each.itertext()) for each in paragraphs))


def _read_name(document: Any, role: str) -> str:
    """Return the first of these persons, as in the document or as the EPO writes it.

    The EPO's own spelling adds a country.
    """
    forms: dict[str, Any] = {}
    for person in document.findall(f".//{{*}}{role}"):
        forms.setdefault(person.get("data-format"), person)
    chosen = forms.get("original", forms.get("epodoc"))
    said = "" if chosen is None else chosen.findtext(f"{{*}}{role}-name/{{*}}name") or ""
    return re.sub(r"\s*\[[A-Z]{2}\]$", "", markup_words(said)).strip(" ,")
