"""Remove made-up citations and addresses from a writer's text.

Sentences that lose their only citation are listed, so that they are marked as having no source.
An interval keeps its numbers, in round brackets: in square ones they read as citations.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from research_core.citations.invented_links import remove_invented_links
from research_core.citations.marks import keep_known, rename_foreign_marks, strip_source_list
from research_core.journal.rule_versions import runs_under
from research_core.pipeline import draft

#: The version of the rules of scoring from which made-up links are removed and sentences listed.
LOST_VERSION = 4
#: The version from which intervals keep their numbers, and emphasis hides no lost citation.
INTERVALS_VERSION = 5
#: The version from which marks in the style of other programs ([S1-2]) count as citations.
FOREIGN_VERSION = 7
#: An id that no passage has. It marks lost citations in a copy of the text.
LOST = "p00000000"
#: A lost citation in emphasis or code, whose signs go with it.
_LOST_IN_SIGNS = re.compile(rf"(?P<sign>\*{{1,3}}|_{{1,3}}|`)\s*(?P<mark>\[{LOST}\])\s*(?P=sign)")
#: An interval in square brackets behind a word that says so: "95% CI [12–14]".
_INTERVAL = re.compile(
    r"(?P<before>\b(?:CI|CrI|IQR|KI|IC|VI|ДИ|ranged?|(?i:(?:confidence |credible )?intervals?"
    r"|interquartile range|konfidenzintervalle?|vertrauensintervalle?|intervalles?(?: de confiance)?"
    r"|intervalos?(?: de confian[zç]a)?|intervall[oi](?: di confidenza)?))\b|置信区间|信頼区間|신뢰구간)"
    r"(?P<between>[^\[\].\w]{0,6}(?:(?:of|was|is|von|de|di)\s+)?)"
    r"\[(?P<numbers>\s*\d{1,3}\s*(?:[-–—,;]|\bto\b)\s*\d{1,3}\s*)\]"
)


@dataclass(frozen=True)
class CheckedText:
    """A text that cites only passages that are known.

    removed: the number of citations, addresses and listed sources removed; uncited: the sentences
    of `text` that lost their only citation.
    """

    text: str
    removed: int
    uncited: tuple[str, ...] = ()


def remove_unknown_citations(
    text: str,
    passages: Mapping[str, str],
    addresses: Collection[str],
    rules: Mapping[str, int | str],
) -> CheckedText:
    """Return the text without citations of unknown passages and addresses of unknown pages.

    passages: texts of the passages of the kept sources, by id; addresses: of these sources; rules:
    the versions that the session began under.
    """
    keeps_intervals = runs_under(rules, "scoring", INTERVALS_VERSION)
    if keeps_intervals:
        text = _INTERVAL.sub(r"\g<before>\g<between>(\g<numbers>)", text)
    if runs_under(rules, "scoring", FOREIGN_VERSION):
        text = rename_foreign_marks(text)
    text, listed = strip_source_list(text)
    if not runs_under(rules, "scoring", LOST_VERSION):
        text, removed = keep_known(text, passages)
        return CheckedText(text, removed + listed)
    shown = "\n".join(passages.values())
    marked, _ = remove_invented_links(text, addresses, shown, mark=f"[{LOST}]")
    marked, _ = keep_known(marked, {*passages, LOST}, lost=LOST)
    if keeps_intervals:
        marked = _LOST_IN_SIGNS.sub(r"\g<mark>", marked)
    text, links = remove_invented_links(text, addresses, shown)
    text, removed = keep_known(text, passages)
    return CheckedText(text, removed + links + listed, _list_uncited(marked, rules))


def _list_uncited(marked: str, rules: Mapping[str, int | str]) -> tuple[str, ...]:
    """Return the sentences of a marked text whose citations are all lost."""
    texts = []
    for block in draft.parse(marked, rules):
        if block.kind != "heading":
            texts += [one.text for one in block.sentences if set(one.citations) == {LOST}]
    return tuple(dict.fromkeys(texts))
