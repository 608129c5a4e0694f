"""Store the lists of expert ratings of a tenant in the database.

A list is replaced as a whole and never extended. Hosts are spelled as by `urls.host` and stand for
their subdomains.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from research_core.errors import UsageError
from research_core.journal.database import Database, insert
from research_core.journal.tables import rating, rating_list
from research_core.models import Principal
from research_core.trust.hosts.outlets import iter_domains

#: Rows of one statement.
BATCH_ROWS = 5_000


@dataclass(frozen=True)
class RatingList:
    """A stored list.

    `source`: where it came from. `digest`: SHA-256 of the file. `hosts`: how many it rates.
    `added`: seconds since the epoch.
    """

    name: str
    title: str
    source: str
    digest: str
    hosts: int
    added: float

    @property
    def mark(self) -> str:
        """Return the id of this edition of the list, by which a run names it."""
        return f"{self.name}:{self.digest[:12]}"


def replace_list(db: Database, who: Principal, made: RatingList, rows: Mapping[str, float]) -> None:
    """Store a list, replacing any of its name."""
    values = [
        {"tenant": who.tenant, "list": made.name, "host": host, "value": value}
        for host, value in sorted(rows.items())
    ]
    told = {
        "title": made.title,
        "source": made.source,
        "digest": made.digest,
        "hosts": made.hosts,
        "added": made.added,
    }
    with db.writing() as conn:
        conn.execute(
            sa.delete(rating).where(rating.c.tenant == who.tenant, rating.c.list == made.name)
        )
        row = insert(conn, rating_list).values(tenant=who.tenant, name=made.name, **told)
        conn.execute(row.on_conflict_do_update(index_elements=["tenant", "name"], set_=told))
        for start in range(0, len(values), BATCH_ROWS):
            conn.execute(sa.insert(rating), values[start : start + BATCH_ROWS])


def read_lists(db: Database, who: Principal) -> tuple[RatingList, ...]:
    """Return the lists of the tenant, by name."""
    query = (
        sa.select(rating_list)
        .where(rating_list.c.tenant == who.tenant)
        .order_by(rating_list.c.name)
    )
    with db.reading() as conn:
        rows = conn.execute(query).all()
    return tuple(
        RatingList(row.name, row.title, row.source, row.digest, row.hosts, row.added)
        for row in rows
    )


def remove_list(db: Database, who: Principal, name: str) -> None:
    """Remove a list.

    Raises UsageError if there is none of this name. Sessions that used it keep what it said.
    """
    with db.writing() as conn:
        conn.execute(sa.delete(rating).where(rating.c.tenant == who.tenant, rating.c.list == name))
        gone = sa.delete(rating_list).where(
            rating_list.c.tenant == who.tenant, rating_list.c.name == name
        )
        if conn.execute(gone.returning(rating_list.c.name)).scalar() is None:
            raise UsageError(
                f"There is no list of ratings called {name!r}.",
                next_step="`assay ratings list` names those there are.",
            )


def find_ratings(
    db: Database, who: Principal, marks: Iterable[str], hosts: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Return {host: {list: value}}, by the longest name that a host is or is under.

    `marks` are the editions that count; one that was replaced or removed since is ignored.
    """
    wanted = set(marks)
    names = [each.name for each in read_lists(db, who) if each.mark in wanted]
    asked: set[str] = set()
    for host in hosts:
        asked.update(iter_domains(host))
    there = sa.select(rating.c.host, rating.c.list, rating.c.value).where(
        rating.c.tenant == who.tenant, rating.c.list.in_(names)
    )
    found: dict[str, dict[str, float]] = {}
    with db.reading() as conn:
        for host, name, value in conn.execute(there.where(rating.c.host.in_(asked))):
            found.setdefault(host, {})[name] = value
    matches = {host: _longest_match(host, found) for host in hosts}
    return {host: values for host, values in matches.items() if values}


def _longest_match(host: str, found: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the rating of each list for the longest name that the host is or is under."""
    values: dict[str, float] = {}
    for end in iter_domains(host):  # the longest name first
        values = {**found.get(end, {}), **values}
    return values
