"""Look up outlets in a table of registered names, written from public knowledge.

It knows kinds (`kinds`), not the quality of single pages, and says nothing about hosts it does not
list. Errors are expected: the analyst can override each row and switch off the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from research_core.trust.hosts.kinds import HOST_KINDS, HostKind

TABLE_FILE = Path(__file__).parent / "outlets.tsv"


class Outlet(NamedTuple):
    """A row of the table.

    `host` stands for its subdomains too. `country` is ISO 3166 alpha-2, or "INT".
    """

    host: str
    kind: HostKind
    country: str


def find_outlet(host: str) -> Outlet | None:
    """Return the longest name of the table that the host is or is under, or None."""
    rows = load_outlets()
    for name in iter_domains(host):
        if name in rows:
            kind, country = rows[name]
            return Outlet(name, HOST_KINDS[kind], country)
    return None


def iter_domains(host: str) -> Iterator[str]:
    """Yield the host and each domain above it, the longest first, without the top level."""
    while "." in host:
        yield host
        host = host.partition(".")[2]


@lru_cache(maxsize=1)
def load_outlets() -> Mapping[str, tuple[str, str]]:
    """Return (kind, country) by host, read once."""
    lines = TABLE_FILE.read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return {host: (kind, country) for host, kind, country in rows}
