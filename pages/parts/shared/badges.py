"""Define the badge of every state: a word with a symbol and a color, never the color alone."""

from __future__ import annotations

from typing import NamedTuple

from parts.shared.html_text import escape_line


class Badge(NamedTuple):
    """A symbol and a word. tone: green, orange, red, blue or gray, as in pages/style."""

    symbol: str
    word: str
    tone: str

    @property
    def label(self) -> str:
        return f"{self.symbol} {self.word}"

    @property
    def html(self) -> str:
        return f'<span class="badge {self.tone}">{escape_line(self.label)}</span>'

    def html_with_tooltip(self, about: str) -> str:
        """Return the badge as HTML with its meaning as a tooltip."""
        return (
            f'<span class="badge {self.tone}" '
            f'title="{escape_line(about)}">{escape_line(self.label)}</span>'
        )


SESSION_BADGES = {
    "queued": Badge("◌", "waiting", "gray"),
    "running": Badge("●", "running", "blue"),
    "interrupted": Badge("‖", "interrupted", "orange"),
    "waiting": Badge("?", "waiting for approval", "orange"),
    "done": Badge("✓", "finished", "green"),
    "open": Badge("◔", "led by a client", "blue"),
    "closed": Badge("▪", "led, and closed", "gray"),
    "failed": Badge("!", "failed", "red"),
    "cancelled": Badge("✕", "cancelled", "gray"),
}
SOURCE_BADGES = {
    "kept": Badge("✓", "kept", "green"),
    "dropped": Badge("–", "dropped", "orange"),
    "blocked": Badge("⊘", "blocked", "red"),
    "struck": Badge("✕", "excluded", "red"),
    "failed": Badge("!", "not readable", "orange"),
    "duplicate": Badge("=", "same page", "gray"),
    "not_read": Badge("○", "not read", "gray"),
    "readable": Badge("◇", "would be read", "blue"),
    "waiting": Badge("○", "waiting", "gray"),
    "reading": Badge("◔", "being read", "blue"),
    "judging": Badge("◑", "being judged", "blue"),
}
#: Badge of a source whose host is unknown.
UNKNOWN_HOST = Badge("?", "unknown site", "gray")
#: Badges of a cited work, of its link, and of whether its page addresses a claim.
CITATION_BADGES = {
    "retracted": Badge("✕", "retracted", "red"),
    "not_found": Badge("⊘", "not found", "red"),
    "another": Badge("≠", "another work", "red"),
    "dead_link": Badge("!", "dead link", "orange"),
    "mischaracterized": Badge("–", "says nothing of it", "orange"),
    "unchecked": Badge("?", "could not be checked", "gray"),
    "linked": Badge("◔", "link answers", "blue"),
    "noted": Badge("◐", "exists, with a notice", "blue"),
    "ok": Badge("✓", "exists", "green"),
}
LINK_BADGES = {
    "live": Badge("✓", "link answers", "green"),
    "refused": Badge("◐", "link refuses programs", "gray"),
    "dead": Badge("!", "link is dead", "orange"),
    "unchecked": Badge("?", "link not checked", "gray"),
}
CLAIM_BADGES = {
    "addressed": Badge("✓", "it speaks of that", "green"),
    "partially_addressed": Badge("◐", "it speaks of some of that", "orange"),
    "not_addressed": Badge("–", "it says nothing of that", "red"),
    "source_unavailable": Badge("?", "it could not be read", "gray"),
}
DECISION_BADGES = {
    "full_report": Badge("✓", "full report", "green"),
    "short_report": Badge("◐", "short report", "orange"),
    "insufficient_data": Badge("⊘", "no report", "red"),
}
#: Badges of a session: its decision, or else its status.
OUTCOME_BADGES = SESSION_BADGES | DECISION_BADGES
#: Badges of a checked sentence; the symbol is shown on the citation.
CHECK_BADGES = {
    "supported": Badge("✓", "supported", "green"),
    "partly": Badge("◐", "partly supported", "orange"),
    "not found": Badge("✕", "not found in the passage", "red"),
    "could not check": Badge("?", "could not be checked", "gray"),
}
#: Badge of a supported sentence whose passage is less certain ("may", "in mice").
OVERSTATED = Badge("!", "less sure in its source", "orange")
#: Badges of the computed confidence.
LEVEL_BADGES = {
    "high": Badge("▲", "high", "green"),
    "moderate": Badge("◆", "moderate", "orange"),
    "low": Badge("▼", "low", "red"),
}
