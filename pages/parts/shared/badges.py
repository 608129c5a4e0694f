"""Define the badge of every state: a word with a symbol and a color, never the color alone."""

from __future__ import annotations

from typing import NamedTuple

from parts.shared.html_text import escape_line
from research_core.i18n import N_, _
from research_core.models import CHECK_STATES, DECISION_STATES, SESSION_STATES, SOURCE_STATES


class Badge(NamedTuple):
    """A symbol and a word. tone: green, orange, red, blue or gray, as in pages/style.

    word: marked by N_ and translated where the badge is drawn, or translated already.
    """

    symbol: str
    word: str
    tone: str

    @property
    def text(self) -> str:
        return _(self.word)

    @property
    def label(self) -> str:
        return f"{self.symbol} {self.text}"

    @property
    def html(self) -> str:
        return f'<span class="badge {self.tone}">{escape_line(self.label)}</span>'

    def html_with_tooltip(self, about: str) -> str:
        """Return the badge as HTML with its meaning as a tooltip."""
        return (
            f'<span class="badge {self.tone}" '
            f'title="{escape_line(about)}">{escape_line(self.label)}</span>'
        )


#: Badges of a session, of the decision of its gate, and of a source.
SESSION_BADGES = {state: Badge(*sign) for state, sign in SESSION_STATES.items()}
DECISION_BADGES = {state: SESSION_BADGES[state] for state in DECISION_STATES}
SOURCE_BADGES = {state: Badge(*sign) for state, sign in SOURCE_STATES.items()}
#: Badges of a kept source by what the report's text makes of it, in the place of "kept".
USE_BADGES = {
    "cited": Badge("✓", N_("cited"), "green"),
    "uncited": Badge("○", N_("kept, not cited"), "gray"),
}
#: States that a source of a running session only passes through.
PENDING = frozenset({"waiting", "reading", "judging"})
#: What the most frequent of these states mean, wherever they are first seen.
STATES_EXPLAINED = N_(
    "Kept: relevant enough for the report. Dropped: read, but not relevant enough. Blocked: not"
    " read, at or below the minimum credibility."
)
#: Badge of a source whose host is unknown.
UNKNOWN_HOST = Badge("?", N_("unknown site"), "gray")
#: Badges of a cited work, of its link, and of whether its page addresses a claim.
CITATION_BADGES = {
    "retracted": Badge("✕", N_("retracted"), "red"),
    "not_found": Badge("⊘", N_("not found"), "red"),
    "another": Badge("≠", N_("different work"), "red"),
    "dead_link": Badge("!", N_("dead link"), "orange"),
    "mischaracterized": Badge("–", N_("claim not addressed"), "orange"),
    "unchecked": Badge("?", N_("could not be checked"), "gray"),
    "linked": Badge("◔", N_("link works"), "blue"),
    "noted": Badge("◐", N_("exists, with a notice"), "blue"),
    "ok": Badge("✓", N_("exists"), "green"),
}
LINK_BADGES = {
    "live": Badge("✓", N_("link works"), "green"),
    "refused": Badge("◐", N_("link blocks programs"), "gray"),
    "dead": Badge("!", N_("dead link"), "orange"),
    "unchecked": Badge("?", N_("link not checked"), "gray"),
}
CLAIM_BADGES = {
    "addressed": Badge("✓", N_("claim addressed"), "green"),
    "partially_addressed": Badge("◐", N_("claim partly addressed"), "orange"),
    "not_addressed": Badge("–", N_("claim not addressed"), "red"),
    "source_unavailable": Badge("?", N_("source not readable"), "gray"),
}
#: Badge of a session that checked a given report: where its findings are not read, where all of
#: it holds, where it differs from its sources, and otherwise.
AUDIT_BADGE = SESSION_BADGES["checked"]
AUDIT_BADGE_CLEAN = AUDIT_BADGE._replace(symbol="✓", tone="green")
AUDIT_BADGE_WRONG = Badge("≠", N_("differs from its sources"), "red")
AUDIT_BADGE_TO_READ = AUDIT_BADGE._replace(symbol="◐", tone="orange")
#: Badges of a checked sentence; the symbol is shown on the citation.
CHECK_BADGES = {state: Badge(*sign) for state, sign in CHECK_STATES.items()}
#: Badge of a mark in a checked report that leads to no source.
DANGLING_BADGE = Badge("∅", N_("no matching source"), "red")
#: Badge of a supported sentence whose passage is less certain ("may", "in mice").
OVERSTATED = Badge("!", N_("its source is less sure"), "orange")
#: Badges of the computed confidence.
LEVEL_BADGES = {
    "high": Badge("▲", N_("high"), "green"),
    "moderate": Badge("◆", N_("moderate"), "orange"),
    "low": Badge("▼", N_("low"), "red"),
}


def get_check_badge(state: str, *, is_dangling: bool) -> Badge:
    """Return the badge of a citation. state: of its sentence."""
    if is_dangling:
        return DANGLING_BADGE
    return CHECK_BADGES.get(state, CHECK_BADGES["could not check"])
