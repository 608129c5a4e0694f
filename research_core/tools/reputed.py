"""What a tool tells of the reliability of hosts it names: recorded, since a replay may meet another
table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from research_core.journal.deps import Deps
from research_core.model_messages import Json
from research_core.trust import reputation
from research_core.urls import find_host, is_own_document


def find_reputations(urls: Iterable[str], deps: Deps) -> dict[str, Json]:
    """{"sourceReputation": {"tier", "note", "basis"}} by address, {} for one that nothing is known
    of. Raises SettingsError.
    """
    at = {url: _host(url) for url in urls}
    hosts = sorted({name for name in at.values() if name})
    look = partial(_look_up_hosts, deps, hosts)
    known = (
        deps.http.fact({"asked": "what hosts are known for", "hosts": hosts}, look) if hosts else {}
    )
    return {
        url: {"sourceReputation": known[name]} if name in known else {} for url, name in at.items()
    }


def _look_up_hosts(deps: Deps, hosts: Sequence[str]) -> dict[str, Json]:
    table = reputation.load_reputation(deps.settings)
    return {name: said for name in hosts if (said := table.of(name))}


def _host(url: str) -> str:
    try:
        return "" if is_own_document(url) else find_host(url)
    except ValueError:
        return ""
