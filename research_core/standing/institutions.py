"""Which institution a host belongs to, by the address alone."""

from __future__ import annotations

from typing import NamedTuple


class Institution(NamedTuple):
    """value: authority, 0.0-1.0; label: as a reader names it; why: the rule by which it is known."""

    value: float
    label: str
    why: str


def institution(host: str) -> Institution | None:
    """None where no rule knows the host."""
    return None if host else None


def predatory_name(host: str) -> Institution | None:
    """None where the name says nothing of the kind."""
    return None if host else None


def publisher(doi: str) -> str:
    """The publisher that registered a DOI, "" where its prefix is not known."""
    return "" if doi else ""
