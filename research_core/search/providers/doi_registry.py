"""Ask the DOI registry, which covers all agencies, whether a DOI exists. Needs no key."""

from __future__ import annotations

from urllib.parse import quote

from research_core.journal.deps import Http
from research_core.search.providers.reply import (
    changed_format_error,
    get_value,
    parse_json,
    request,
)

NAME = "doi.org"
HANDLES = "https://doi.org/api/handles"
#: Response codes of a registered and an unknown DOI. Others prove nothing (2: registry failure;
#: 200: registered without a URL).
REGISTERED, UNKNOWN = frozenset({1, 200}), frozenset({100})


def is_registered(http: Http, doi: str) -> bool:
    """Return True if this bare DOI is registered.

    Raises SearchError for any answer that says neither yes nor no.
    """
    reply = request(http, NAME, f"{HANDLES}/{quote(doi.lower(), safe='/:()')}", also=(404,))
    code = get_value(parse_json(NAME, reply), "responseCode")
    if not isinstance(code, int) or isinstance(code, bool) or code not in REGISTERED | UNKNOWN:
        raise changed_format_error(
            NAME, f"it does not say whether the DOI is registered (code {str(code)[:20]!r})"
        )
    return code in REGISTERED
