"""Find the label that says what a quoted sentence is about: its heading, or the title of its page.

A label is written before the sentence in italics ("*Rheumatoid arthritis:* …"). `draft` keeps it
apart, so that the sentence is checked without it.
"""

from __future__ import annotations

import re

from research_core.text.words import cut_site_name, strip_invisible

MAX_LABEL_WORDS, MAX_LABEL_LENGTH = 8, 60
#: Words of "Under “…”" beside the name.
SECTION_WORDS = 4
#: What else stands behind the name of a title: a longer last part, and what follows a bar or dot.
_LONG_LAST_PART = re.compile(r"(?<!\s)\s+[|–—·»:-]\s{1,300}[^|–—·»]{1,60}$")
_AFTER_BAR = re.compile(r"(?<!\s)\s*[|»·].*$")
_ASKS = re.compile(
    r"^(?:what (?:is|are|causes|to do (?:for|about))|about|understanding|overview of"
    r"|introduction to|all about|facts about|definition of|symptoms (?:and causes )?of|causes of|treatment of|living with|guide to)"
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
_IN_BRACKETS = re.compile(r" \([^()]{1,40}\)$")
#: The number of a heading: "2. Sluice gates", "IV) Costs".
NUMBER_LEAD = re.compile(r"(?:\d{1,2}|[IVX]{1,4})(?:\.\d{1,2})*[.):]\s+")
#: "*Rheumatoid arthritis:*" says what the sentence behind it is about.
_LABEL = re.compile(r"\*(?!\s)(?P<name>[^*\[\]\n]{2,90}):\*")
#: The kind of page before the name of its subject: "Explainer: …", "Briefing 41: …".
_KIND_OF_PAGE = re.compile(
    r"^(?:desk )?(?:explainer|briefing|fact ?sheet|guide|talk|q&a|overview|opinion|review|report|news"
    r"|video|chapter|part|lesson|analysis|feature|interview|topic)\b[^:]{0,12}: ",
    re.IGNORECASE,
)
#: Headings of what speaks against the subject of a page, in several languages.
_ARGUMENTS_AGAINST = re.compile(
    r"^\W*(?:the )?(?:main |common |key )?(?:(?:arguments? |reasons? |case )?against\b"
    r"|criticisms?\b|critics?\b|critiques?\b|objections?\b|counter-?arguments?\b|opposition\b"
    r"|opponents\b|cons\b|drawbacks?\b|disadvantages?\b|downsides?\b|concerns\b"
    r"|kritik(?:punkte|er)?\b|gegenargumente?\b|argumente gegen\b|einwände\b|nachteile\b"
    r"|critiques\b|arguments contre\b|contre\b|inconvénients\b|objections\b"
    r"|críticas?\b|argumentos en contra\b|en contra\b|desventajas\b|inconvenientes\b"
    r"|critiche\b|argomenti contro\b|svantaggi\b|argumentos contra\b|desvantagens\b"
    r"|kritiek\b|argumenten tegen\b|nadelen\b|krytyka\b|kritika\b|критика\b|недостатки\b"
    r"|批评|反对|争议|缺点|批判|反対|비판|반대)",
    re.IGNORECASE,
)
_OTHER_CLAIMS = re.compile(
    r"^\W*(?:the )?(?:controvers(?:y|ies)|myths?|misconceptions?|common myths|false claims?"
    r"|disputed claims?)\b",
    re.IGNORECASE,
)


#: From “Lead poisoning (Causes)”: the title in a label, in the quotes of any language.
_QUOTED_TITLE = re.compile(r"[^“„«»「]{0,20}[“„«»「]\s*(?P<title>.+?)\s*[”“»«」][^”“»«」]{0,8}")


def is_label(text: str) -> bool:
    """Return True for a short name in italics with a colon, which states nothing by itself.

    It may be a page's title in quotes, behind a word for "from".
    """
    match = _LABEL.fullmatch(text)
    if match is None or len(match["name"].split()) > MAX_LABEL_WORDS + SECTION_WORDS:
        return False
    titled = _QUOTED_TITLE.fullmatch(match["name"])
    return not states_something(titled["title"] if titled else match["name"])


def states_something(name: str) -> bool:
    """Return True if a name states or asks something beside a section in brackets: "(Causes)"."""
    return bool(_STATES.search(_IN_BRACKETS.sub("", name)))


def clean_title(title: str) -> str:
    """Return a title without the site's name and what asks; "" if it is no short name.

    Examples: "Fibromyalgia | Example Clinic" and "What is fibromyalgia?" give "Fibromyalgia".
    """
    plain = " ".join(strip_invisible(title).split()).strip(" .:*#")
    name = cut_site_name(plain)
    if name == plain:
        name = _LONG_LAST_PART.sub("", plain)
    bare = _KIND_OF_PAGE.sub("", _AFTER_BAR.sub("", name) or plain)
    while asks := _ASKS.match(bare):
        bare = asks["name"]
    bare = bare[:1].upper() + bare[1:]
    if len(bare.split()) > MAX_LABEL_WORDS or len(bare) > MAX_LABEL_LENGTH:
        return ""
    return "" if states_something(bare) else bare


def is_argument_against(heading: str) -> bool:
    """Return True for the heading of a section that speaks against the subject of its page."""
    return bool(_ARGUMENTS_AGAINST.match(_clean_heading(heading)))


def describe_section(heading: str) -> str:
    """Return a label for a section of arguments against, or of others' claims ("Myths"), or ""."""
    plain = _clean_heading(heading)
    match = _ARGUMENTS_AGAINST.match(plain)
    start = "Argument against, under" if match else "Under"
    match = match or _OTHER_CLAIMS.match(plain)
    if match is None:
        return ""
    is_long = len(plain) > MAX_LABEL_LENGTH or len(plain.split()) > MAX_LABEL_WORDS
    if is_long or _STATES.search(plain):
        plain = match[0].strip()
    return f"{start} “{plain}”"


def _clean_heading(heading: str) -> str:
    return " ".join(strip_invisible(heading).split()).strip(" .:*#")
