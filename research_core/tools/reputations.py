"""Look up the reputation of hosts. It is recorded, because a replay may have another table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from research_core.journal.deps import Deps
from research_core.model_messages import Json
from research_core.trust import reputation
from research_core.urls import find_host, is_own_document


def find_reputations(urls: Iterable[str], deps: Deps) -> dict[str, Json]:
    """Return {"sourceReputation": {"tier", "note", "basis"}} by address, {} for an unknown host.

    Raises SettingsError.
    """
    host_of = {url: _host(url) for url in urls}
    hosts = sorted({name for name in host_of.values() if name})
    known: dict[str, Json] = {}
    if hosts:
        question = {"asked": "what hosts are known for", "hosts": hosts}
        known = deps.http.record_fact(question, partial(_look_up_hosts, deps, hosts))
    reputations: dict[str, Json] = {}
    for url, name in host_of.items():
        reputations[url] = {"sourceReputation": known[name]} if name in known else {}
    return reputations


def _look_up_hosts(deps: Deps, hosts: Sequence[str]) -> dict[str, Json]:
    table = reputation.load_reputation(deps.settings)
    found: dict[str, Json] = {}
    for name in hosts:
        entry = table.describe_host(name)
        if entry:
            found[name] = entry
    return found


def _host(url: str) -> str:
    """Return the host of an address, "" for an own document or an invalid address."""
    try:
        return "" if is_own_document(url) else find_host(url)
    except ValueError:
        return ""
