"""Read from a page where its text comes from: an agency, a press release, named sources.

Read once from the page's own words and kept beside its text. Whether the texts confirm it, and
whether two sources are independent, is decided in `independence`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from research_core.model_messages import Json
from research_core.models import Page
from research_core.text.words import tokenize, truncate

#: Characters at the beginning and the end of a text in which a credit is searched.
HEAD_LENGTH, TAIL_LENGTH = 700, 500
#: The most source names that are kept, and the most characters of one.
MAX_NAMED, MAX_NAME_LENGTH = 6, 80

#: News agencies, and how a credit spells them. Names in capitals count only in capitals.
AGENCIES: tuple[tuple[str, str], ...] = (
    ("Reuters", r"(?:Thomson )?Reuters|REUTERS"), ("AP", r"AP|Associated Press"),
    ("AFP", r"AFP|Agence France-Presse"),
    ("dpa", r"dpa|DPA|Deutsche Presse-Agentur"), ("UPI", r"UPI|United Press International"),
    ("PA", r"PA Media|Press Association"),
    ("APA", r"APA|Austria Presse Agentur"), ("ANSA", r"ANSA"), ("EFE", r"EFE|Agencia EFE"),
    ("Kyodo", r"Kyodo(?: News)?"),
    ("Xinhua", r"Xinhua"), ("TASS", r"TASS"), ("PTI", r"PTI|Press Trust of India"),
    ("IANS", r"IANS"), ("ANI", r"ANI"),
    ("Yonhap", r"Yonhap"), ("Bernama", r"Bernama|BERNAMA"), ("AAP", r"AAP"),
    ("The Canadian Press", r"(?:The )?Canadian Press|CP"),
    ("Bloomberg", r"Bloomberg(?: News)?"),
    ("Press release", r"PR ?Newswire|Business ?Wire|BUSINESS WIRE|Globe ?Newswire|GLOBE NEWSWIRE"
     r"|ACCESSWIRE|Accesswire|EIN Presswire|EurekAlert!?|Newswise"),
)  # fmt: skip
PRESS_RELEASE = "Press release"
_NAMES = "|".join(f"(?P<a{n}>{pattern})" for n, (_, pattern) in enumerate(AGENCIES))
#: "LONDON, May 3 (Reuters) - …", "/PRNewswire/ -- …": the dash distinguishes a credit from a
#: mention.
_DATELINE = re.compile(rf"[(/]\s?(?:{_NAMES})\s?[)/]\s*[-–—]")
_BYLINE = re.compile(
    rf"(?m)^\W*(?:[Bb]y|BY|[Ss]ource|[Cc]redit)?:?\s*(?:the |The )?(?:{_NAMES})\W*$"
)
_RIGHTS = re.compile(
    rf"(?:©|\([Cc]\)|Copyright)\s*(?:(?:19|20)\d\d)?,?\s*(?:by )?(?:[Tt]he )?(?:{_NAMES})\b"
)
_CAPITALS_ONLY = re.compile(r"[^\w©(/]*[A-Z]{2,4}[^\w)/]*")
_AUTHOR = re.compile(rf"(?:[Bb]y )?(?:[Tt]he )?(?:{_NAMES})(?: [Ss]taff| News)?")
_DESK = re.compile(
    r"\(Reporting by [^()]{3,300}[;.] ?(?:[^()]{0,200}\b)?[Ee]diting by [^()]{3,200}\)|\bReporting"
    r" by [^\n]{3,200}; ?[Ee]diting by "
)
_RELEASE = re.compile(
    r"(?m)^\W*(?:press|news|media) release\b|\bfor immediate release\b", re.IGNORECASE
)

_CAPITAL = r"[A-Z](?:[\w&'’-]|\.(?=\w))*"
_HOST = r"(?:[a-z0-9][\w-]{0,40}\.){1,4}[a-z]{2,20}\b"
_NAME = rf"(?P<name>{_HOST}|[0-9]?{_CAPITAL}(?: (?:(?:of|the|for|and|on|in) )?{_CAPITAL}){{0,6}})"
_THE = r"(?:(?:a|an|the|its|new|recent|this)\s){0,3}"
_KINDS = "report|study|article|story|analysis|survey|data|figures|paper|post|interview|statement"
_WORK = rf"(?:(?:{_KINDS})s?\s(?:(?:published\s)?(?:by|from|in|of|on|at|to)\s))?"
_REPUBLISHED = (
    "originally (?:published|appeared|posted|ran)|first"
    " (?:published|appeared|reported)|republished|reprinted|reposted|syndicated"
)
#: Words after which a page names its source.
_SOURCE_MENTION = re.compile(
    rf"(?:\b(?i:{_REPUBLISHED})\s(?:(?:here|with permission)\s)?(?:on|in|at|by|from)\s"
    r"|\b(?i:according to|as reported (?:by|in)|reported by|citing|told)\s"
    rf"|(?m:^[^\w\n]{{0,5}})(?:Source|Via|Quelle|Fuente|Fonte)s?:\s){_THE}{_WORK}{_THE}{_NAME}"
)


@dataclass(frozen=True)
class Attribution:
    """Where a page says its text comes from.

    `agency` is one of AGENCIES or "". `named` holds the different sources it names, `times` how
    often it names one, and `words` the length of its text, so that one mention in a long text does
    not make its only source.
    """

    agency: str = ""
    named: tuple[str, ...] = ()
    times: int = 0
    words: int = 0

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Attribution:
        """Return the attribution recorded in a log; missing fields have their defaults."""
        return cls(
            data.get("agency", ""),
            tuple(data.get("named", ())),
            data.get("times", 0),
            data.get("words", 0),
        )


def find_attribution(page: Page, words: Sequence[str] | None = None) -> Json:
    """Return the attribution of a page as the log keeps it; {} if it names no author.

    words: those of its text, if they are known.
    """
    agency = _find_agency(page.text, page.metadata.authors)
    named, times = _find_named_sources(page.text)
    if not agency and not named:
        return {}
    found: Json = {"agency": agency, "named": list(named), "times": times}
    found["words"] = len(tokenize(page.text) if words is None else words)
    return {name: value for name, value in found.items() if value}


def _find_agency(text: str, authors: tuple[str, ...]) -> str:
    """Return the agency that the author, the first lines or the last lines credit, or ""."""
    head, tail = text[:HEAD_LENGTH], text[-TAIL_LENGTH:]
    for author in authors:
        credit = _AUTHOR.fullmatch(author.strip())
        if credit:
            return _agency_name(credit)
    for pattern, part in ((_DATELINE, head), (_BYLINE, head), (_RIGHTS, tail), (_BYLINE, tail)):
        for match in pattern.finditer(part):
            if _is_credit(match):
                return _agency_name(match)
    if _DESK.search(tail):
        return "Reuters"
    return PRESS_RELEASE if _RELEASE.search(head) else ""


def _is_credit(found: re.Match[str]) -> bool:
    """Return whether a match is more than a few capitals on a line.

    "APA" is a style of citation too.
    """
    return not _CAPITALS_ONLY.fullmatch(found[0])


def _agency_name(found: re.Match[str]) -> str:
    """Return the name of the agency that matched."""
    return next(name for n, (name, _) in enumerate(AGENCIES) if found[f"a{n}"])


def _find_named_sources(text: str) -> tuple[tuple[str, ...], int]:
    """Return the distinct sources that a text names, and how often it names one."""
    names = list(_iter_source_names(text))
    distinct = list(dict.fromkeys(names))
    return tuple(distinct[:MAX_NAMED]), len(names)


def _iter_source_names(text: str) -> Iterator[str]:
    """Yield the names of sources as often as the text names them."""
    for found in _SOURCE_MENTION.finditer(text):
        name = truncate(found["name"].rstrip(".'’-"), MAX_NAME_LENGTH)
        if len(name) > 2 and not name.isdigit():
            yield name
