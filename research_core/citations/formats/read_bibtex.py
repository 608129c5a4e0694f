"""Parse BibTeX and biblatex documents into raw entries with their lines.

It accepts more than BibTeX: an entry without a key, a missing comma, a repeated field (the first
counts). An entry that is never closed is refused, and reading goes on at the next line that begins
one. Reading takes linear time.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from research_core.citations.formats.bibtex_items import read_item
from research_core.citations.formats.entries import (
    BibliographyReading,
    LocatedItem,
    RefusedEntry,
    build_reading,
)

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
    works = (
        each
        for each in found
        if isinstance(each, RefusedEntry) or each.kind not in _DATA_ENTRY_TYPES
    )
    return build_reading(
        "bibtex",
        (
            (
                each
                if isinstance(each, RefusedEntry)
                else LocatedItem(
                    each.line, read_item(each.kind, each.key, _inherit_fields(each, known))
                )
            )
            for each in works
        ),
    )


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
