"""DuckDuckGo's region codes for countries and languages. Data and look-ups only."""

from __future__ import annotations

from research_core.search.queries import WebQuery

#: Regions by country and language; the first of a country is its default.
REGIONS = (
    "ar-es at-de au-en be-fr be-nl bg-bg br-pt ca-en ca-fr ch-de ch-fr ch-it cl-es cn-zh co-es"
    " cz-cs de-de dk-da ee-et es-es fi-fi fr-fr gb-en gr-el hk-zh hr-hr hu-hu id-id id-en ie-en"
    " il-he in-en it-it jp-ja kr-ko lt-lt lv-lv mx-es my-ms my-en nl-nl no-no nz-en pe-es ph-en"
    " ph-tl pl-pl pt-pt ro-ro ru-ru sa-ar sa-en se-sv sg-en si-sl sk-sk th-th tr-tr tw-zh ua-uk"
    " us-en us-es ve-es vn-vi za-en"
).split()
#: DuckDuckGo codes that differ from country and language.
OWN_NAMES = {
    "gb-en": "uk-en", "sa-ar": "xa-ar", "sa-en": "xa-en", "si-sl": "sl-sl", "us-es": "ue-es",
    "jp-ja": "jp-jp", "kr-ko": "kr-kr", "hk-zh": "hk-tzh", "tw-zh": "tw-tzh",
}  # fmt: skip
ANYWHERE = "wt-wt"


def get_region_code(country: str, language: str) -> str:
    """Return the code of a country, with the language if that pair exists.

    The code for anywhere if the country is unknown; "" if none is asked for.
    """
    pair = _match_region(country, language)
    return OWN_NAMES.get(pair, pair) if country else ""


def list_unsupported_params(query: WebQuery) -> list[str]:
    """Return what it lacks: a language alone, unknown countries, spans below a day."""
    pair = _match_region(query.country, query.language)
    language = query.language.lower().partition("-")[0]
    unsupported = []
    if pair == ANYWHERE:
        unsupported.append("country")
    if pair.partition("-")[2] != language:
        unsupported.append("language")
    if query.time_range == "hour":
        unsupported.append("time_range")
    return unsupported


def _match_region(country: str, language: str) -> str:
    country, language = country.lower(), language.lower().partition("-")[0]
    of_country = [each for each in REGIONS if each.partition("-")[0] == country]
    exact = f"{country}-{language}"
    if exact in of_country:
        return exact
    return of_country[0] if of_country else ANYWHERE
