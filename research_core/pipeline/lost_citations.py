"""Remove made-up citations and addresses from a writer's text.

Sentences that lose their only citation are listed, so that they are marked as having no source.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from research_core.citations.invented_links import remove_invented_links
from research_core.citations.marks import keep_known, strip_source_list
from research_core.journal.rule_versions import runs_under
from research_core.pipeline import draft

#: The version of the rules of scoring from which made-up links are removed and sentences listed.
LOST_VERSION = 4
#: An id that no passage has. It marks lost citations in a copy of the text.
LOST = "p00000000"


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
    text, listed = strip_source_list(text)
    if not runs_under(rules, "scoring", LOST_VERSION):
        text, removed = keep_known(text, passages)
        return CheckedText(text, removed + listed)
    shown = "\n".join(passages.values())
    marked, _ = remove_invented_links(text, addresses, shown, mark=f"[{LOST}]")
    marked, _ = keep_known(marked, {*passages, LOST}, lost=LOST)
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
