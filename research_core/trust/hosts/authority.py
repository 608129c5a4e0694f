"""All that is known of a host, in the order in which it counts: the analyst's word, expert ratings,
institution, outlet, its name.

Each is a part that can be switched off; the first that is on decides. It knows nothing of a page:
what a page itself shows is said in `assessment`. A host of which nothing is known stays unknown,
which says nothing against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from research_core.policy import Override
from research_core.trust.hosts.institutions import institution, named, table
from research_core.trust.hosts.outlets import ends, outlet


@dataclass(frozen=True)
class Known:
    """One thing known of a host. part: one of `policy.PARTS`; value: the authority it stands for,
    0.0-1.0; label: what it is, in a few

    words; why: where that comes from.
    """

    part: str
    value: float
    label: str
    why: str

    @property
    def keeps_out(self) -> bool:
        """Whether no page of the host is used, however well it fits: an analyst's own word of 0."""
        return self.part == "override" and self.value == 0.0


def known(
    host: str, overrides: Sequence[Override] = (), ratings: Mapping[str, float] | None = None
) -> Iterator[Known]:
    """What is known of a host, what counts first first; looked up as it is asked for. ratings:
    0.0-1.0 by the list that gives it.
    """
    yield from _overridden(host, overrides)
    yield from _rated(ratings or {})
    yield from _tabled(host)
    if said := named(host):
        yield Known("name", said.value, said.label, said.why)


def _tabled(host: str) -> Iterator[Known]:
    """What a suffix proves and the tables hold; a row on the outlet itself says more than the
    suffix it stands under.
    """
    body, listed = institution(host), outlet(host)
    found = [Known("institution", body.value, body.label, body.why)] if body else []
    if listed:
        where = "" if listed.country == "INT" else f" ({listed.country})"
        found.append(
            Known(
                "outlet",
                listed.kind.value,
                listed.kind.label,
                f"{listed.host}{where}: {listed.kind.why}",
            )
        )
    yield from (
        reversed(found) if listed and not any(name in table() for name in ends(host)) else found
    )


def _overridden(host: str, overrides: Sequence[Override]) -> tuple[Known, ...]:
    """The longest of the names that the analyst has given a value and that the host is or is under."""
    there = [one for one in overrides if f".{host}".endswith(f".{one.host}")]
    best = max(there, key=lambda one: len(one.host), default=None)
    if best is None:
        return ()
    return (
        Known(
            "override", best.value, "your word" if best.value else "your word: never", best.reason
        ),
    )


def _rated(ratings: Mapping[str, float]) -> tuple[Known, ...]:
    if not ratings:
        return ()
    names = ", ".join(f"{name} {value:.2f}" for name, value in sorted(ratings.items()))
    return (Known("ratings", round(mean(ratings.values()), 6), "rated by experts", names),)
