"""Which outlet a host is: a table written for this project from public knowledge, by registered
name.

It knows kinds (`kinds`), not qualities of single pages, and what it does not list it says nothing
about. Everyday errors are expected: each row can be overruled by the analyst, and the whole table
switched off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from research_core.trust.hosts.kinds import HOST_KINDS, HostKind

TABLE_FILE = Path(__file__).parent / "outlets.tsv"


class Outlet(NamedTuple):
    """host: as the table has it, which stands for its subdomains too; country: ISO 3166 alpha-2, or
    "INT".
    """

    host: str
    kind: HostKind
    country: str


def find_outlet(host: str) -> Outlet | None:
    """The longest name of the table that the host is or is under, None where there is none."""
    rows = load_outlets()
    for name in iter_domains(host):
        if found := rows.get(name):
            return Outlet(name, HOST_KINDS[found[0]], found[1])
    return None


def iter_domains(host: str) -> Iterator[str]:
    """The host and each domain it is under, the longest first, the last label alone left out."""
    while "." in host:
        yield host
        host = host.partition(".")[2]


@lru_cache(maxsize=1)
def load_outlets() -> Mapping[str, tuple[str, str]]:
    """(kind, country) by host, read once."""
    lines = TABLE_FILE.read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return {host: (kind, country) for host, kind, country in rows}
