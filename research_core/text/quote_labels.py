"""Find the label that says what a quoted sentence is about: its heading, or the title of its page.

A label is written before the sentence in italics ("*Rheumatoid arthritis:* …"). `draft` keeps it
apart, so that the sentence is checked without it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from research_core.text.words import strip_invisible

if TYPE_CHECKING:
    from research_core.text.question_topic import Topic

MAX_LABEL_WORDS, MAX_LABEL_LENGTH = 8, 60
#: Words of "Under “…”" beside the name.
SECTION_WORDS = 4
#: The name of the site at the end of a title.
_SITE = re.compile(r"\s+(?:[|–—·»:]|-)\s+[^|–—·»]{1,60}$|\s*[|»·].*$")
_ASKS = re.compile(
    r"^(?:what (?:is|are|causes)|about|understanding|overview of|introduction to|all about|facts about"
    r"|definition of|symptoms (?:and causes )?of|causes of|treatment of|living with|guide to)"
    r" (?:an? |the )?(?P<name>[^?:]+)\??$",
    re.IGNORECASE,
)
#: A title that states or asks something is no name.
_STATES = re.compile(
    r"[?!]|\b(?:is|are|was|were|has|have|had|can|could|may|might|will|would|should|must|does|do|did"
    r"|says?|said|finds?|shows?|causes|causing|affects?|prevents?|reduces?|increases?|kills?|cures?"
    r"|helps?|makes?|improves?|protects?|harms|leads? to|requires?|provides?|why|how|what|when|who"
    r"|your|you|not|never)\b|\b(?<!root )(?<!of )\w+s cause\b",
    re.IGNORECASE,
)
#: "*Rheumatoid arthritis:*" says what the sentence behind it is about.
_LABEL = re.compile(r"\*(?!\s)(?P<name>[^*\[\]\n]{2,90}):\*")
#: The kind of page before the name of its subject: "Explainer: …", "Briefing 41: …".
_KIND_OF_PAGE = re.compile(
    r"^(?:desk )?(?:explainer|briefing|fact ?sheet|guide|talk|q&a|overview|opinion|review|report|news"
    r"|video|chapter|part|lesson|analysis|feature|interview|topic)\b[^:]{0,12}: ",
    re.IGNORECASE,
)
_CLAIMS_OF_OTHERS = re.compile(
    r"^(?:\W*(?:the )?(?:arguments? )?(?:against|criticisms?|critics?|critique|objections?"
    r"|counter-?arguments?|opposition|controvers(?:y|ies)|myths?|misconceptions?|common myths"
    r"|false claims?|disputed claims?|cons|drawbacks|opponents))\b",
    re.IGNORECASE,
)


def is_label(text: str) -> bool:
    """Return True for a short name in italics with a colon, which states nothing by itself."""
    match = _LABEL.fullmatch(text)
    if match is None or len(match["name"].split()) > MAX_LABEL_WORDS + SECTION_WORDS:
        return False
    return not _STATES.search(match["name"])


def find_label(
    topic: Topic, text: str, heading: str, title: str, synonyms: Collection[str] = ()
) -> str:
    """Return the heading, else the title, if it names what a sentence does not; else ""."""
    # The topic needs the list of English words, which a start that only splits drafts does not.
    from research_core.text.question_topic import adds_name, names_topic

    if names_topic(topic, text, synonyms):
        return ""
    for above in (heading, title):
        name = clean_title(above)
        if name and adds_name(topic, text, name):
            return name
    return ""


def clean_title(title: str) -> str:
    """Return a title without the site's name and what asks; "" if it is no short name.

    Examples: "Fibromyalgia | Example Clinic" and "What is fibromyalgia?" give "Fibromyalgia".
    """
    plain = " ".join(strip_invisible(title).split()).strip(" .:*#")
    bare = _KIND_OF_PAGE.sub("", _SITE.sub("", plain) or plain)
    while asks := _ASKS.match(bare):
        bare = asks["name"]
    bare = bare[:1].upper() + bare[1:]
    if len(bare.split()) > MAX_LABEL_WORDS or len(bare) > MAX_LABEL_LENGTH:
        return ""
    return "" if _STATES.search(bare) else bare


def describe_section(heading: str) -> str:
    """Return a label for a section of others' claims ("Myths about …"), or ""."""
    plain = " ".join(heading.split()).strip(" .:*#")
    match = _CLAIMS_OF_OTHERS.match(plain)
    if match is None:
        return ""
    if len(plain) > MAX_LABEL_LENGTH or _STATES.search(plain):
        plain = match[0].strip()
    return f"Under “{plain}”"
