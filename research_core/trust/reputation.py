"""Look up the reliability of a host in a small reviewed table, ours or the owner's.

The setting REPUTATION_PATH names the owner's table. It is a description to read beside a source: it
enters no credibility score, ranks nothing and excludes nothing. A missing host is unknown, which
says nothing against it. A table may use `low`; ours does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from research_core.model_messages import Json
from research_core.settings import Settings, read_owner_file
from research_core.urls import find_host

SHIPPED_FILE = Path(__file__).parent / "reputation.json"
SETTING = "REPUTATION_PATH"
TIERS = ("high", "mixed", "low")


@dataclass(frozen=True)
class ReputationTable:
    """A table of hosts.

    `basis` says how the tiers were assigned. `domains` maps a host, which stands for its subdomains
    too, to (tier, note).
    """

    version: str
    basis: str
    domains: Mapping[str, tuple[str, str]]

    def describe_host(self, host: str) -> Json:
        """Return {"tier", "note", "basis"} of a host, without empty ones; {} if it is not listed.

        The row of the longest name that the host is or is under counts.
        """
        labels = host.split(".")
        for start in range(len(labels)):
            row = self.domains.get(".".join(labels[start:]))
            if row:
                tier, note = row
                facts = {"tier": tier, "note": note, "basis": self.basis}
                return {name: text for name, text in facts.items() if text}
        return {}


def load_reputation(settings: Settings) -> ReputationTable:
    """Return the table of this machine, read once.

    Raises SettingsError that names the file of REPUTATION_PATH and what is wrong with it.
    """
    if settings.reputation_path:
        return _read_table(Path(settings.reputation_path).expanduser())
    return _read_table(SHIPPED_FILE)


@lru_cache(maxsize=8)
def _read_table(file: Path) -> ReputationTable:
    """Read and check a table, once for each file."""
    return read_owner_file(
        file,
        parse_reputation,
        SETTING,
        what="table of hosts",
        otherwise=f"leave {SETTING} empty for Assay's own table",
    )


def parse_reputation(told: Any) -> ReputationTable:
    """Return the table in the content of a file.

    Raises ValueError with the first thing that is wrong.
    """
    if not isinstance(told, dict) or not isinstance(told.get("domains"), dict):
        raise ValueError('there is no object "domains" in it')
    version = told.get("version")
    basis = told.get("basis")
    has_version = isinstance(version, str | int) and not isinstance(version, bool)
    if not has_version or not isinstance(basis, str) or not basis.strip():
        raise ValueError('it has to say its "version" and its "basis"')
    domains = {_parse_host(name): _parse_row(name, row) for name, row in told["domains"].items()}
    return ReputationTable(str(version), basis.strip(), domains)


def _parse_host(name: str) -> str:
    """Return a host of the table. Raises ValueError if it is not in its plain form."""
    try:
        plain = find_host(f"https://{name}")
    except ValueError as error:
        raise ValueError(f"{name!r} is no host: {error}") from error
    if plain != name:
        raise ValueError(f"{name!r} is no host in lower case, without scheme and path")
    return plain


def _parse_row(name: str, row: Any) -> tuple[str, str]:
    """Return the tier and note of a row. Raises ValueError if they are invalid."""
    if not isinstance(row, dict) or row.get("tier") not in TIERS:
        raise ValueError(f"the tier of {name!r} is none of {', '.join(TIERS)}")
    note = row.get("note", "")
    if not isinstance(note, str):
        raise ValueError(f"the note of {name!r} is no text")
    return row["tier"], note.strip()
