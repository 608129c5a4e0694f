"""Look up expert ratings of hosts for a run, and record them in its log.

Lists are imported by the owner (`assay ratings add`); none comes with Assay. They are stored by
`store` and parsed by `lists`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from research_core.urls import find_host, registered_domain

if TYPE_CHECKING:
    from research_core.journal.deps import Deps
    from research_core.model_messages import Json

Ratings = Mapping[str, float]


def look_up_ratings(deps: Deps, urls: Sequence[str]) -> dict[str, Ratings]:
    """Return {URL: {list: 0.0 to 1.0}} for the addresses whose host a list of the run rates.

    Looked up once; a replay reads what was recorded.
    """
    if not deps.run.ratings:
        return {}
    hosts: dict[str, str] = {}
    for url in urls:
        name = _find_host(url)
        if name:
            hosts[url] = name
    if not hosts:
        return {}
    asked = sorted(set(hosts.values()))
    params = {"asked": "expert ratings", "lists": list(deps.run.ratings), "hosts": asked}
    said = deps.http.record_fact(params, lambda: deps.rated(asked))
    return {url: said[name] for url, name in hosts.items() if said.get(name)}


def rate_redirect(deps: Deps, url: str, final_url: str) -> Json:
    """Return {"ratings": …} of the host that a redirect led to.

    {} if it is on the same site or not rated.
    """
    try:
        if registered_domain(url) == registered_domain(final_url):
            return {}
    except ValueError:
        return {}
    ratings = look_up_ratings(deps, [final_url]).get(final_url)
    return {"ratings": dict(ratings)} if ratings else {}


def _find_host(url: str) -> str:
    """Return the host of an address, or "" if it has none."""
    try:
        return find_host(url)
    except ValueError:
        return ""
