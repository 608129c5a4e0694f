"""Lines among a text that lead away from it: "Read more: …", "Related stories", in the languages that most pages are written in.

A line is one only where most of its words are a link to another page. A sentence that happens to begin so stays.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from research_core.web.html.elements import folded

Element = Any  # lxml ships no types

_BLOCKS = ("p", "li", "div", "h2", "h3", "h4", "h5", "h6")
#: Characters and parts of such a line, at most, and the share of it, without its first words, that is in links to other pages.
LONGEST, PARTS, LINKED = 250, 100, 0.5
_CUES = """
    (?:read|see|watch|learn|find\\ out)\\ (?:more|also|next|about) | also\\ read | more\\ on | related | recommended
    | lesen\\ sie\\ (?:auch|mehr|hier|dazu) | lies\\ auch | mehr\\ lesen | siehe\\ auch
    | (?:mehr\\ )?zum\\ thema | passend\\ dazu | schon\\ gelesen
    | (?:auch|mehr|weitere).{1,20}(?:interessant|thema|dazu|hier|lesen) | das\\ könnte\\ (?:sie|dich|dir|ihnen)
    | [àa]\\ lire | lire\\ aussi | voir\\ aussi | sur\\ le\\ même\\ sujet | en\\ savoir\\ plus
    | (?:lea|lee|vea|mire)\\ (?:también|más) | también\\ (?:lee|te|puede) | te\\ puede\\ interesar | más\\ sobre
    | leia\\ (?:também|mais) | veja\\ (?:também|mais) | saiba\\ mais
    | leggi\\ anche | ti\\ potrebbe | approfondisci | lees\\ (?:ook|meer) | meer\\ over
    | läs\\ (?:också|mer|även) | les\\ (?:også|mer) | læs\\ (?:også|mere)
    | czytaj\\ (?:też|także|również|więcej) | zobacz\\ (?:też|także|również) | przeczytaj | dowiedz\\ się\\ więcej
    | читайте\\ также | читать\\ также | смотрите\\ также | přečtěte\\ si | čtěte\\ také
    """
_CUE = re.compile(rf"\W*(?:{_CUES})\b", re.IGNORECASE | re.VERBOSE)
_CJK_CUE = re.compile(r"\W*(?:关连阅读|相关阅读|相关文章|延伸阅读|相關新聞|延伸閱讀|関連記事|あわせて読みたい|관련기사|관련 기사)")


def drop_pointers(tree: Element) -> None:
    """Take such lines out, and boxes that hold nothing else."""
    for each in list(tree.iter(*_BLOCKS)):
        if each.getparent() is not None and (each.find(".//a") is not None or each.getparent().tag == "a") and _leads_away(each):
            each.drop_tree()


def _leads_away(element: Element) -> bool:
    words = _words(element)
    cue = _CUE.match(words) or _CJK_CUE.match(words)
    if not cue:
        return False
    if element.getparent().tag == "a":
        return True
    linked = sum(len(_words(link)) for link in element.iter("a") if not (link.get("href") or "#").startswith("#"))
    return linked > LINKED * (len(words) - cue.end())


def _words(element: Element) -> str:
    """The text of an element in one line; "" of one that is longer than such a line, or has more parts."""
    parts = list(islice(element.itertext(), PARTS + 1))
    words = folded("".join(parts)) if len(parts) <= PARTS else ""
    return words if len(words) <= LONGEST else ""
