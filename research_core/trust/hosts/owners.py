"""Whose a page is, by its address: the site's, or that of whoever writes on a site that only
carries what others wrote.

Which hosts carry others is a matter of their kind (`kinds.CARRIERS`) in the tables of outlets and
institutions. What a page says of its authors is not seen here.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urlsplit

from research_core.trust.hosts import institutions, outlets
from research_core.trust.hosts.kinds import CARRIERS, WRITTEN_ON
from research_core.urls import canonical, host, registered_domain

#: Names kept for examples (RFC 2606), which have no owner: whose a page under them is, is told by
#: the label below. Under the suffixes kept for them (.example, .test, .invalid) the registered
#: domain is that label already.
RESERVED = frozenset({"example.com", "example.net", "example.org"})
#: The address a copy in an archive is of: "web.archive.org/web/2024/https://daily.example/1".
_COPIED = re.compile(r"/(https?://.+)$")
#: How sites that people write on name their parts, where no account stands first in a path.
_PARTS = frozenset(
    "a abs answer answers article articles blog c channel comments d discussion doc docs document"
    " documents e en file files forum forums g groups i in item orgs p post posts presentation"
    " publication publications pulse q question questions r s search share shorts status stories"
    " story t tag thread threads topic topics u user users v video videos view w watch wiki".split()
)
#: Labels below a site that name a part of it, and no account; so do those of one and two letters
#: ("m", "en").
_HOSTS = frozenset(
    "www old new amp api app apps dev web mail help support about blog blogs docs music mobile"
    " teens kids play open static".split()
)


@lru_cache(maxsize=8192)
def whose(address: str) -> str:
    """The registered domain of an address; below a name of `RESERVED` the label there; of an
    archive's copy that of what it is a copy of.

    "" where it is no address of the web: a document of one's own stands for itself.
    """
    try:
        address = original(address)
        domain, name = registered_domain(address), host(address)
    except ValueError:
        return ""
    if domain not in RESERVED or name == domain:
        return domain
    return f"{name.removesuffix(f'.{domain}').rpartition('.')[2]}.{domain}"


def original(address: str) -> str:
    """The address that a copy in an archive is of; of any other page its own. Raises ValueError
    where it is none.
    """
    copied = (
        _COPIED.search(address.partition("://")[2]) if _carrier(address)[1] in CARRIERS else None
    )
    try:
        return canonical(copied[1]) if copied else address
    except ValueError:
        return address


@lru_cache(maxsize=8192)
def carries(address: str) -> bool:
    """Whether a page stands on a site that carries what others wrote, so that the site alone does
    not say whose it is.
    """
    try:
        return _carrier(original(address))[1] in CARRIERS
    except ValueError:
        return False


def account(address: str) -> str:
    """In whose part of a site that people write on an address is: "site.example/name",
    "name.site.example"; "" where it does not say.

    Raises ValueError where it is no address.
    """
    address = original(address)
    site, kind = _carrier(address)
    if kind not in WRITTEN_ON:
        return ""
    label = host(address).removesuffix(site).rstrip(".").rpartition(".")[2]
    if len(label) > 2 and label not in _HOSTS:
        return f"{label}.{site}"
    first, *more = urlsplit(address).path.casefold().strip("/").split("/")
    return f"{site}/{first}" if more and first not in _PARTS else ""


def _carrier(address: str) -> tuple[str, str]:
    """The row of the tables a host stands under, (name, kind); ("", "") of one that a row does not
    reach: "user.github.io" is the user's.

    Raises ValueError where it is no address.
    """
    domain = registered_domain(address)
    for end in outlets.ends(host(address)):
        if len(end) < len(domain):
            break
        if row := institutions.table().get(end) or outlets.table().get(end):
            return end, row[0]
    return "", ""
