"""Read BibTeX and biblatex documents: parse entries, and translate their fields into Items.

It accepts more than BibTeX: an entry without a key, a missing comma, a repeated field (the first
counts). An entry that is never closed is refused, and reading goes on at the next line that begins
one. Reading takes linear time.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from research_core.citations.formats import csl, tex
from research_core.citations.formats.dates import parse_work_date
from research_core.citations.formats.entries import (
    BibliographyReading,
    LocatedItem,
    RefusedEntry,
    build_reading,
)
from research_core.citations.formats.item import Item, Person
from research_core.text.dates import parse_date_parts
from research_core.text.names import NAME_JOINER

#: The beginning of an entry, anywhere and at the beginning of a line.
ENTRY_START = re.compile(r"@[ \t]*([A-Za-z][\w-]*)\s*([{(])")
_ENTRY_LINE_START = re.compile(r"^[ \t]*@[ \t]*[A-Za-z][\w-]*\s*[{(]", re.MULTILINE)
_KEY = re.compile(r"\s*+([^,{}()\"=\n]*+(?:\([^,{}()\"=\n]*+\)[^,{}()\"=\n]*+)*+)\s*+(?=[,})])")
_FIELD = re.compile(r"[\s,]*([^\s=,{}\"#%()@\\]+)\s*=")
_BRACES, _QUOTES = re.compile(r"\\.|[{}]", re.DOTALL), re.compile(r"\\.|[{}\"]", re.DOTALL)
_WORD = re.compile(r"[^\s,#{}\"()=]+")
_BLANKS, _JOIN = re.compile(r"\s*"), re.compile(r"\s*#")
_MONTHS = {name: name for name in "jan feb mar apr may jun jul aug sep oct nov dec".split()}
#: Entries that exist only for others to inherit from, and the greatest depth of inheritance.
_DATA_ENTRY_TYPES, MAX_DEPTH = frozenset({"xdata", "set"}), 3
#: Fields that a work does not inherit from its container, and fields that change their name.
_NOT_INHERITED = frozenset(
    "key ids xref crossref entryset relatedtype shorttitle sorttitle indextitle label options"
    " presort sortkey".split()
)
_INHERITED_AS = {"title": "booktitle", "subtitle": "booksubtitle", "titleaddon": "booktitleaddon"}


@dataclass(frozen=True)
class RawEntry:
    """An entry as written.

    kind and the names of fields are in lower case; the values have TeX markup.
    """

    line: int
    kind: str
    key: str
    fields: Mapping[str, str]


class _BrokenEntry(Exception):
    """The reason why an entry cannot be read. at: the offset in the text."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(reason)
        self.at = at


def read_bibtex(text: str) -> BibliographyReading:
    """Read the works of a BibTeX document whose lines end with "\\n"."""
    found = list(read_raw_entries(text))
    known = {
        each.key.lower(): each
        for each in reversed(found)
        if isinstance(each, RawEntry) and each.key
    }
    works: list[LocatedItem | RefusedEntry] = []
    for each in found:
        if isinstance(each, RefusedEntry):
            works.append(each)
        elif each.kind not in _DATA_ENTRY_TYPES:
            item = read_item(each.kind, each.key, _inherit_fields(each, known))
            works.append(LocatedItem(each.line, item))
    return build_reading("bibtex", works)


def read_raw_entries(text: str) -> Iterator[RawEntry | RefusedEntry]:
    """Yield every entry as written, with the abbreviations of @string expanded."""
    lines = [found.start() for found in re.finditer("\n", text)]
    said, at, unclosed = dict(_MONTHS), 0, False
    while begins := ENTRY_START.search(text, at):
        kind, at, line = begins[1].lower(), begins.end(), bisect(lines, begins.start()) + 1
        if kind in ("comment", "preamble"):
            try:
                at = at if unclosed else _find_closing_brace(text, at, len(text))
            except _BrokenEntry:  # then it is a remark like all that stands outside entries
                unclosed = True
            continue
        following = _ENTRY_LINE_START.search(text, at)
        until = following.start() if following else len(text)
        try:
            key, fields, at = _read_entry(text, at, until, said, named=kind != "string")
        except _BrokenEntry as why:
            yield RefusedEntry(
                line,
                f"The entry @{begins[1]} cannot be read: line {bisect(lines, why.at) + 1}: {why}.",
            )
            at = until
            continue
        if kind == "string":
            said |= fields
        else:
            yield RawEntry(line, kind, key, fields)


def _read_entry(
    text: str, at: int, until: int, said: Mapping[str, str], *, named: bool
) -> tuple[str, dict[str, str], int]:
    """Read key and fields, and the offset where the entry ends.

    named: the entry has a key.
    """
    begins, key, fields = at - 1, "", dict[str, str]()
    if named and (found := _KEY.match(text, at, until)):
        key, at = found[1].strip(), found.end()
    elif named and (found := re.compile(r"\s*([^\s,{}()\"=]+)\s*\n").match(text, at, until)):
        key, at = found[1], found.end()
    while found := _FIELD.match(text, at, until):
        value, at = _read_value(text, found.end(), until, found[1], said)
        if value:
            fields.setdefault(found[1].lower(), value)
    end = re.compile(r"[\s,]*[})]").match(text, at, until)
    if end:
        return key, fields, end.end()
    rest = text[at:until].strip(" \t\n,")
    if not rest:
        raise _BrokenEntry(begins, "it is never closed")
    raise _BrokenEntry(
        at + len(text[at:until]) - len(text[at:until].lstrip(" \t\n,")),
        f"there is no field in {rest[:40]!r}",
    )


def _read_value(
    text: str, at: int, until: int, name: str, said: Mapping[str, str]
) -> tuple[str, int]:
    """Read a value and join its parts; return it and the offset where it ends."""
    parts: list[str] = []
    while True:
        begins = at = _skip_pattern(_BLANKS, text, at, until)
        sign = text[at : at + 1] if at < until else ""
        if sign in ("{", '"') and sign:
            try:
                at = (
                    _find_closing_brace(text, at + 1, until)
                    if sign == "{"
                    else _find_closing_quote(text, at + 1, until)
                )
            except _BrokenEntry as why:
                raise _BrokenEntry(
                    begins, f'the value of "{name}" that begins there is never closed'
                ) from why
            parts.append(text[begins + 1 : at - 1])
        elif word := _WORD.match(text, at, until):
            parts.append(said.get(word[0].lower(), word[0]))
            at = word.end()
        after = _JOIN.match(text, at, until)
        if not after:
            return "".join(parts), at
        at = after.end()


def _find_closing_brace(text: str, at: int, until: int) -> int:
    """Return the offset after the brace that closes what was opened before `at`."""
    depth = 1
    for found in _BRACES.finditer(text, at, until):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if not depth:
            return found.end()
    raise _BrokenEntry(at, "it is never closed")


def _find_closing_quote(text: str, at: int, until: int) -> int:
    """Return the offset after the quotation mark that ends a value.

    That mark is outside of braces, and a comma, a brace or another field follows it.
    """
    depth = 0
    for found in _QUOTES.finditer(text, at, until):
        depth = max(0, depth + {"{": 1, "}": -1}.get(found[0], 0))
        if (
            found[0] == '"'
            and not depth
            and re.compile(r"\s*(?:[,#})]|[\w-]+\s*=)").match(text, found.end(), until)
        ):
            return found.end()
    raise _BrokenEntry(at, "it is never closed")


def _skip_pattern(pattern: re.Pattern[str], text: str, at: int, until: int) -> int:
    found = pattern.match(text, at, until)
    return found.end() if found else at


def _inherit_fields(
    entry: RawEntry, known: Mapping[str, RawEntry], depth: int = MAX_DEPTH
) -> dict[str, str]:
    """Return the fields of an entry with those inherited by `xdata` and `crossref`."""
    fields = dict(entry.fields)
    for name in [*fields.get("xdata", "").lower().split(","), fields.get("crossref", "").lower()]:
        lender = known.get(name.strip())
        if lender is None or lender is entry or not depth:
            continue
        stands_in = lender.kind not in _DATA_ENTRY_TYPES and entry.kind != lender.kind
        for field, value in _inherit_fields(lender, known, depth - 1).items():
            if field not in _NOT_INHERITED:
                fields.setdefault(_INHERITED_AS.get(field, field) if stands_in else field, value)
    return fields


# -- the fields of an entry ------------------------------------------------------------------------

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
            text = csl.read_line(tex.decode_tex(fields.get(name, "")))
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
        accessed=parse_work_date(
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
    whole = parse_work_date(tex.decode_tex(fields.get("date", "")))
    year = parse_work_date(tex.decode_tex(fields.get("year", "")))
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
    if year and month and not month.isdecimal():
        return parse_work_date(f"{day} {month} {year}".strip())
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
