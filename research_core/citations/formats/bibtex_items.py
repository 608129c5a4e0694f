"""Translate the types and fields of a BibTeX or biblatex entry into an Item."""

from __future__ import annotations

import re
from collections.abc import Mapping

from research_core.citations.formats import csl, tex
from research_core.citations.formats.item import Item, Person
from research_core.text.dates import parse_catalogue_date, parse_date_parts
from research_core.text.names import NAME_JOINER

_CSL_TYPES = {
    kind: type
    for type, kinds in {
        "article-journal": "article suppperiodical",
        "book": (
            "book mvbook booklet collection mvcollection proceedings mvproceedings reference "
            "mvreference"
        ),
        "chapter": "inbook incollection bookinbook suppbook suppcollection",
        "entry-encyclopedia": "inreference",
        "paper-conference": "inproceedings conference",
        "thesis": "thesis phdthesis mastersthesis",
        "report": "report techreport manual",
        "manuscript": "unpublished",
        "webpage": "online electronic www webpage website",
        "patent": "patent",
        "software": "software",
        "dataset": "dataset",
        "motion_picture": "movie video",
        "song": "audio music",
        "graphic": "artwork image",
        "personal_communication": "letter",
        "periodical": "periodical",
        "legal_case": "jurisdiction",
        "legislation": "legislation",
        "standard": "standard",
        "review": "review",
        "performance": "performance",
    }.items()
    for kind in kinds.split()
}
_GENRES = {
    "phdthesis": "PhD thesis", "mastersthesis": "Master's thesis", "mathesis": "Master's thesis",
    "bathesis": "Bachelor's thesis",
    "candthesis": "Candidate thesis", "techreport": "", "resreport": "Research report",
    "software": "", "datacd": "", "audiocd": "",
}  # fmt: skip
#: Fields of an Item and the fields they are read from; the first with a value counts.
_TEXT_FIELDS = {
    "publisher": "publisher organization school institution", "place": "address location",
    "volume": "volume", "edition": "edition",
    "event": "eventtitle conference", "note": "note annote",
}  # fmt: skip
_EXTRA_FIELDS = {
    "ISBN": "isbn", "ISSN": "issn", "abstract": "abstract", "keyword": "keywords keyword",
    "collection-title": "series",
    "title-short": "shorttitle", "number-of-pages": "pagetotal", "PMID": "pmid", "PMCID": "pmcid",
    "chapter-number": "chapter",
    "version": "version", "event-place": "venue",
}  # fmt: skip
_ROLE_FIELDS = {
    "translator": "translator",
    "director": "director",
    "composer": "composer",
    "container-author": "bookauthor",
}
#: Types of work that an entry may name besides its own type.
_SUBTYPES = {
    "magazine": "article-magazine",
    "newspaper": "article-newspaper",
    "preprint": "article",
} | {
    name: name
    for name in """
        article bill broadcast collection dataset entry entry-dictionary entry-encyclopedia event
        figure graphic hearing interview legal_case legislation manuscript map motion_picture
        musical_score pamphlet patent performance periodical personal_communication post post-weblog
        regulation review review-book software song speech standard treaty
    """.split()
}
#: "howpublished" is a container only if it names one and is no address.
_NOT_A_PLACE = re.compile(
    r"http|www\.|\\url|(?:accessed|available|online|retrieved|url)\b", re.IGNORECASE
)
_NUMBERED_TYPES = {
    "article-journal",
    "article-magazine",
    "article-newspaper",
    "periodical",
    "paper-conference",
    "chapter",
}
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_NAME_PART = re.compile(r"\s*(family|given|prefix|suffix)\s*=\s*(.*)", re.IGNORECASE)
_ARXIV = re.compile(
    r"(?:arxiv:)?\s*((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?)", re.IGNORECASE
)
_SUFFIX = re.compile(r"(?:jr|sr)\.?|ii|iii|iv", re.IGNORECASE)


def read_item(kind: str, key: str, fields: Mapping[str, str]) -> Item:
    """Build the work of an entry.

    kind: the entry type in lower case; fields: values with TeX markup.
    """

    def read_first(names: str) -> str:
        for name in names.split():
            text = csl.read_plain_line(tex.decode_tex(fields.get(name, "")))
            if text:
                return text
        return ""

    type = _SUBTYPES.get(read_first("entrysubtype").lower()) or _CSL_TYPES.get(kind, "document")
    journal = _join_title(read_first("journal journaltitle"), read_first("journalsubtitle"))
    book = _join_title(read_first("booktitle maintitle"), read_first("booksubtitle"))
    container = journal or book
    doi = csl.read_doi(tex.decode_tex_url(fields.get("doi", ""))) or csl.read_doi(_read_url(fields))
    published_in = ""
    if not _NOT_A_PLACE.match(fields.get("howpublished", "").lstrip("{ ")):
        published_in = read_first("howpublished")
    number, numbered = read_first("number"), type in _NUMBERED_TYPES
    people = {
        name: read_persons(fields.get(name, ""))
        for name in ("author", "editor", *_ROLE_FIELDS.values())
    }
    return Item(
        type=type if type != "document" else _guess_misc_type(fields, container),
        title=_join_title(read_first("title"), read_first("subtitle")) or read_first("titleaddon"),
        authors=people["author"] or read_persons(fields.get("inventor", "")),
        editors=people["editor"],
        container=container or published_in,
        issued=_read_issued(fields),
        accessed=parse_catalogue_date(
            tex.decode_tex(fields.get("urldate", "") or fields.get("lastchecked", ""))
        ),
        issue=read_first("issue") or (number if numbered else ""),
        number="" if numbered else number,
        pages=re.sub(r"\s*[-–—]+\s*", "-", read_first("pages") or read_first("eid articleno")),
        genre=_read_genre(kind, read_first("type")),
        language=read_first("language langid"),
        doi=doi,
        url=csl.read_plain_line(_read_url(fields)),
        id=csl.read_plain_line(key),
        others={role: people[name] for role, name in _ROLE_FIELDS.items() if people[name]},
        more={name: text for name, names in _EXTRA_FIELDS.items() if (text := read_first(names))},
        **{name: read_first(names) for name, names in _TEXT_FIELDS.items()},
    )


def read_persons(value: str) -> tuple[Person, ...]:
    """Read the people of an `author` or `editor` field; "and others" is left out."""
    names = (_read_person(each) for each in _split_outside_braces(value, _AND)[: csl.MAX_PEOPLE])
    return tuple(each for each in names if each)


def _read_person(said: str) -> Person | None:
    said = said.strip()
    parts = {
        found[1].lower(): tex.decode_tex(found[2])
        for each in said.split(",")
        if (found := _NAME_PART.match(each))
    }
    if parts.get("family"):
        family = " ".join(filter(None, (parts.get("prefix"), parts["family"])))
        return Person(family, parts.get("given", ""), parts.get("suffix", ""))
    listed = [tex.decode_tex(part) for part in _split_outside_braces(said, re.compile(","))]
    if not any(listed) or listed == ["others"]:
        return None
    if len(listed) > 1 and listed[0]:
        suffix = next((part for part in listed[1:] if _SUFFIX.fullmatch(part)), "")
        given = " ".join(part for part in listed[1:] if part and part != suffix)
        return Person(listed[0], given, suffix) if given else Person(literal=listed[0])
    if said.startswith("{") and _split_outside_braces(said[1:-1], re.compile("}")) == [said[1:-1]]:
        return Person(literal=listed[0])
    return Person.of(tex.decode_tex(_join_braced_words(said)))


def _join_braced_words(said: str) -> str:
    """Join the words within one pair of braces, as they are one part of the name."""
    depth, kept = 0, list[str]()
    for part in re.split(r"([{}]|\s+)", said):
        depth += {"{": 1, "}": -1}.get(part, 0)
        kept.append(NAME_JOINER if depth > 0 and part.isspace() else part)
    return "".join(kept)


def _split_outside_braces(value: str, at: re.Pattern[str]) -> list[str]:
    """Split a value at matches of a pattern outside of braces."""
    parts, begins, depth, done = list[str](), 0, 0, 0
    for found in at.finditer(value):
        depth += value.count("{", done, found.start()) - value.count("}", done, found.start())
        done = found.start()
        if depth <= 0:
            parts.append(value[begins : found.start()])
            begins = found.end()
    return [*parts, value[begins:]]


def _join_title(title: str, subtitle: str) -> str:
    if not title or not subtitle:
        return title
    colon = "" if title.endswith((":", "?", "!")) else ":"
    return f"{title}{colon} {subtitle}"


def _read_issued(fields: Mapping[str, str]) -> str:
    whole = parse_catalogue_date(tex.decode_tex(fields.get("date", "")))
    year = parse_catalogue_date(tex.decode_tex(fields.get("year", "")))
    if whole or len(year) > 4:
        return whole or year
    # "month" may hold a day too: "~12 March", "mar-12".
    parts = re.sub(r"[~,./-]+", " ", tex.decode_tex(fields.get("month", ""))).split()
    month = parts[0] if parts else ""
    for part in parts:
        if not part.isdecimal():
            month = part
            break
    day = tex.decode_tex(fields.get("day", ""))
    if len(parts) > 1:
        for part in [*parts[1:], parts[0]]:
            if part.isdecimal():
                day = part
                break
    return parse_date_parts(year, month, day)


def _read_genre(kind: str, said: str) -> str:
    if said:
        return _GENRES.get(said, "") or said
    return _GENRES.get(kind, "")


def _read_url(fields: Mapping[str, str]) -> str:
    """Return the address of the work; of a preprint, the address in its archive."""
    if url := tex.decode_tex_url(fields.get("url", "")):
        return url
    archive = (fields.get("archiveprefix", "") or fields.get("eprinttype", "")).lower()
    paper = _ARXIV.fullmatch(tex.decode_tex_url(fields.get("eprint", "")))
    if paper and archive in ("", "arxiv"):
        return f"https://arxiv.org/abs/{paper[1]}"
    found = re.search(
        r"https?://[^\s{}]+",
        tex.decode_tex_url(fields.get("howpublished", ""))
        or tex.decode_tex_url(fields.get("link", "")),
    )
    return found[0] if found else ""


def _guess_misc_type(fields: Mapping[str, str], container: str) -> str:
    links = f"{fields.get('doi')} {fields.get('url')} {fields.get('howpublished')}"
    if fields.get("eprint") or "arxiv" in links.lower():
        return "article"
    if container:
        is_journal = fields.get("journal") or fields.get("journaltitle")
        return "article-journal" if is_journal else "chapter"
    if _read_url(fields) and not fields.get("doi"):
        return "webpage"
    return "document"
