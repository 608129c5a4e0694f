"""Whose a page is, by its address: the site's, or that of whoever writes on a site that only
carries what others wrote.

Which hosts carry others is a matter of their kind (`kinds.CARRIER_KINDS`) in the tables of outlets and
institutions. What a page says of its authors is not seen here.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urlsplit

from research_core.trust.hosts import institutions, outlets
from research_core.trust.hosts.kinds import CARRIER_KINDS, USER_WRITTEN_KINDS
from research_core.urls import canonical_url, find_host, registered_domain

#: Names kept for examples (RFC 2606), which have no owner: whose a page under them is, is told by
#: the label below. Under the suffixes kept for them (.example, .test, .invalid) the registered
#: domain is that label already.
RESERVED_DOMAINS = frozenset({"example.com", "example.net", "example.org"})
#: The address a copy in an archive is of: "web.archive.org/web/2024/https://daily.example/1".
_ARCHIVED_ADDRESS = re.compile(r"/(https?://.+)$")
#: How sites that people write on name their parts, where no account stands first in a path.
_SITE_PARTS = frozenset(
    "a abs answer answers article articles blog c channel comments d discussion doc docs document"
    " documents e en file files forum forums g groups i in item orgs p post posts presentation"
    " publication publications pulse q question questions r s search share shorts status stories"
    " story t tag thread threads topic topics u user users v video videos view w watch wiki".split()
)
#: Labels below a site that name a part of it, and no account; so do those of one and two letters
#: ("m", "en").
_SITE_LABELS = frozenset(
    "www old new amp api app apps dev web mail help support about blog blogs docs music mobile"
    " teens kids play open static".split()
)


@lru_cache(maxsize=8192)
def find_owner(address: str) -> str:
    """The registered domain of an address; below a name of `RESERVED_DOMAINS` the label there; of an
    archive's copy that of what it is a copy of.

    "" where it is no address of the web: a document of one's own stands for itself.
    """
    try:
        address = find_archived_original(address)
        domain, name = registered_domain(address), find_host(address)
    except ValueError:
        return ""
    if domain not in RESERVED_DOMAINS or name == domain:
        return domain
    return f"{name.removesuffix(f'.{domain}').rpartition('.')[2]}.{domain}"


def find_archived_original(address: str) -> str:
    """The address that a copy in an archive is of; of any other page its own. Raises ValueError
    where it is none.
    """
    copied = (
        _ARCHIVED_ADDRESS.search(address.partition("://")[2])
        if _find_carrier(address)[1] in CARRIER_KINDS
        else None
    )
    try:
        return canonical_url(copied[1]) if copied else address
    except ValueError:
        return address


@lru_cache(maxsize=8192)
def carries_others(address: str) -> bool:
    """Whether a page stands on a site that carries what others wrote, so that the site alone does
    not say whose it is.
    """
    try:
        return _find_carrier(find_archived_original(address))[1] in CARRIER_KINDS
    except ValueError:
        return False


def find_account(address: str) -> str:
    """In whose part of a site that people write on an address is: "site.example/name",
    "name.site.example"; "" where it does not say.

    Raises ValueError where it is no address.
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
    """The row of the tables a host stands under, (name, kind); ("", "") of one that a row does not
    reach: "user.github.io" is the user's.

    Raises ValueError where it is no address.
    """
    domain = registered_domain(address)
    for end in outlets.iter_domains(find_host(address)):
        if len(end) < len(domain):
            break
        if row := institutions.load_institutions().get(end) or outlets.load_outlets().get(end):
            return end, row[0]
    return "", ""
