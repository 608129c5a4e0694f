"""Find out by its address whose page it is: the site's, or that of an account on it.

Which sites carry the work of others depends on their kind (`kinds.CARRIER_KINDS`) in the tables of
outlets and institutions. The authors that a page names are not considered here.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urlsplit

from research_core.trust.hosts import institutions, outlets
from research_core.trust.hosts.kinds import CARRIER_KINDS, USER_WRITTEN_KINDS
from research_core.urls import canonical_url, find_host, registered_domain

#: Names reserved for examples (RFC 2606), which have no owner; the label below them counts. Under
#: the reserved suffixes (.example, .test, .invalid) the registered domain is that label already.
RESERVED_DOMAINS = frozenset({"example.com", "example.net", "example.org"})
#: The original of an archived copy: "web.archive.org/web/2024/https://daily.example/1".
_ARCHIVED_ADDRESS = re.compile(r"/(https?://.+)$")
#: First parts of a path that are sections of a site and no accounts.
_SITE_PARTS = frozenset(
    "a abs answer answers article articles blog c channel comments d discussion doc docs document"
    " documents e en file files forum forums g groups i in item orgs p post posts presentation"
    " publication publications pulse q question questions r s search share shorts status stories"
    " story t tag thread threads topic topics u user users v video videos view w watch wiki".split()
)
#: Labels below a site that are sections and no accounts; so are those of one and two letters ("m",
#: "en").
_SITE_LABELS = frozenset(
    "www old new amp api app apps dev web mail help support about blog blogs docs music mobile"
    " teens kids play open static".split()
)


@lru_cache(maxsize=8192)
def find_owner(address: str) -> str:
    """Return the domain whose owner publishes an address: a.example.co.uk gives example.co.uk.

    An archived copy counts as its original. Under a domain of `RESERVED_DOMAINS` everybody has a
    name of their own, so one more label counts. "" if it is no web address (own documents).
    """
    try:
        address = find_archived_original(address)
        domain = registered_domain(address)
        name = find_host(address)
    except ValueError:
        return ""
    if domain not in RESERVED_DOMAINS or name == domain:
        return domain
    return f"{name.removesuffix(f'.{domain}').rpartition('.')[2]}.{domain}"


def find_archived_original(address: str) -> str:
    """Return the address that an archived copy is of; the address itself otherwise.

    Raises ValueError if it is no address.
    """
    if _find_carrier(address)[1] not in CARRIER_KINDS:
        return address
    copied = _ARCHIVED_ADDRESS.search(address.partition("://")[2])
    if copied is None:
        return address
    try:
        return canonical_url(copied[1])
    except ValueError:
        return address


@lru_cache(maxsize=8192)
def carries_others(address: str) -> bool:
    """Return whether a page is on a site that carries the work of others."""
    try:
        return _find_carrier(find_archived_original(address))[1] in CARRIER_KINDS
    except ValueError:
        return False


def find_account(address: str) -> str:
    """Return the account whose part of a site an address is in, or "" if it does not say.

    Examples: "site.example/name", "name.site.example". Raises ValueError if it is no address.
    """
    address = find_archived_original(address)
    site, kind = _find_carrier(address)
    if kind not in USER_WRITTEN_KINDS:
        return ""
    label = find_host(address).removesuffix(site).rstrip(".").rpartition(".")[2]
    if len(label) > 2 and label not in _SITE_LABELS:
        return f"{label}.{site}"
    first, *more = urlsplit(address).path.casefold().strip("/").split("/")
    return f"{site}/{first}" if more and first not in _SITE_PARTS else ""


def _find_carrier(address: str) -> tuple[str, str]:
    """Return (name, kind) of the table row that a host is under, or ("", "").

    A row does not reach below a public suffix: "user.github.io" belongs to the user. Raises
    ValueError if it is no address.
    """
    domain = registered_domain(address)
    for end in outlets.iter_domains(find_host(address)):
        if len(end) < len(domain):
            break
        row = institutions.load_institutions().get(end) or outlets.load_outlets().get(end)
        if row:
            return end, row[0]
    return "", ""
