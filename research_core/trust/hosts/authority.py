"""Collect what is known of a host, in the order in which it counts.

The order is: the analyst's override, expert ratings, institution, outlet, name. Each part can be
switched off; the first that is on decides. Signals of the page itself are weighed in `assessment`.
A host of which nothing is known stays unknown, which says nothing against it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import mean

from research_core.i18n import EARLIER_ENGLISH, N_, compile_message, current_language, gettext
from research_core.policy import Override
from research_core.trust.hosts.institutions import (
    REASONS,
    SHOWN_REASONS,
    explain_row,
    find_institution,
    find_named_institution,
    load_institutions,
)
from research_core.trust.hosts.kinds import HOST_KINDS
from research_core.trust.hosts.outlets import find_outlet, iter_domains

OVERRIDE_LABEL, EXCLUDED_LABEL = N_("your word"), N_("your word: never")
RATINGS_LABEL = N_("rated by experts")


@dataclass(frozen=True)
class HostFact:
    """One fact about a host.

    `part`: one of `policy.AUTHORITY_PARTS`. `value`: the authority it stands for, 0.0 to 1.0.
    `label`: what it is, in a few words, a marked text. `why`: where that comes from, in English.
    """

    part: str
    value: float
    label: str
    why: str

    @property
    def keeps_out(self) -> bool:
        """Return whether the analyst set the host to 0, so that none of its pages is used."""
        return self.part == "override" and self.value == 0.0


def find_host_facts(
    host: str, overrides: Sequence[Override] = (), ratings: Mapping[str, float] | None = None
) -> Iterator[HostFact]:
    """Yield the facts about a host, looked up lazily, the one that counts most first.

    `ratings` maps each list to its rating of the host, 0.0 to 1.0.
    """
    yield from _override_facts(host, overrides)
    yield from _rating_facts(ratings or {})
    yield from _table_facts(host)
    named = find_named_institution(host)
    if named:
        yield HostFact("name", named.value, named.label, named.why)


def _table_facts(host: str) -> Iterator[HostFact]:
    """Yield what suffix and tables say; a row for the outlet itself precedes its suffix."""
    facts: list[HostFact] = []
    body = find_institution(host)
    if body:
        facts.append(HostFact("institution", body.value, body.label, body.why))
    row = find_outlet(host)
    if row:
        why = explain_row(row.host, row.country, row.kind)
        facts.append(HostFact("outlet", row.kind.value, row.kind.label, why))
        if not any(name in load_institutions() for name in iter_domains(host)):
            facts.reverse()
    yield from facts


def _override_facts(host: str, overrides: Sequence[Override]) -> tuple[HostFact, ...]:
    """Return the analyst's value for the longest matching host, if any."""
    matching = [one for one in overrides if f".{host}".endswith(f".{one.host}")]
    if not matching:
        return ()
    best = max(matching, key=lambda one: len(one.host))
    label = OVERRIDE_LABEL if best.value else EXCLUDED_LABEL
    return (HostFact("override", best.value, label, best.reason),)


def _rating_facts(ratings: Mapping[str, float]) -> tuple[HostFact, ...]:
    """Return the mean of the expert ratings, if any."""
    if not ratings:
        return ()
    names = ", ".join(f"{name} {value:.2f}" for name, value in sorted(ratings.items()))
    return (HostFact("ratings", round(mean(ratings.values()), 6), RATINGS_LABEL, names),)


def translate_reason(why: str) -> str:
    """Return why a host is valued as it is in the current language; unknown words stay."""
    known = find_reason_text(why)
    if known is None:
        return gettext(why)
    text, values = known
    if "why" in values:
        values["why"] = gettext(values["why"])
    if current_language() != EARLIER_ENGLISH:
        text = SHOWN_REASONS.get(text, text)
    return gettext(text).format(**values)


def find_reason_text(why: str) -> tuple[str, dict[str, str]] | None:
    """Return the text in REASONS that a reason fills in, and its values; None if none."""
    for text, pattern in _compile_reasons():
        found = pattern.fullmatch(why)
        if found:
            return text, found.groupdict()
    return None


@cache
def _compile_reasons() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return each text with the pattern of its sentences."""
    kinds = "|".join(sorted({re.escape(kind.why) for kind in HOST_KINDS.values()}))
    patterns = {"why": kinds, "country": "[A-Z]{2}", "label": "[^“”]+"}
    return tuple(
        (text, compile_message(text, lambda field: patterns.get(field, r"[^\s:]+")))
        for text in REASONS
    )
