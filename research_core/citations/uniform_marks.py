"""Write the marks, links and lists of sources of a report in one form, before it is read.

Programs and languages differ in how they write them. Lines keep their numbers.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from research_core.citations.addresses import complete_urls
from research_core.citations.source_labels import LABEL_WORDS

_QUOTE_SIGNS = re.compile(r"^[ ]{0,3}(?:>[ ]?){1,9}", re.MULTILINE)
#: An item of a numbered list with an address, and a mark that may cite it.
_NUMBERED_SOURCE = re.compile(r"\s{0,3}\(?(\d{1,4})[.)]\s+(\S.{0,2000}?https?://.*|https?://.*)$")
_BRACKETED_NUMBER = re.compile(r"\[(\d{1,4})\]")
_SUPERSCRIPT_DIGIT = re.compile("[¹²³⁴-⁹]")
_NEXT_ENTRY = re.compile(r"(?<=\S\s)\((\d{1,3})\)(?=\s\S)")
#: A link whose address stands on a line of its own.
LINK_DEFINITION = re.compile(r"\s{0,3}\[([^\]\n^]{1,60})\]:\s+<?(https?://[^\s>]+)", re.IGNORECASE)
_DEFINED_LINK = re.compile(r"\[(?P<words>[^\[\]\n]{1,300})\]\[(?P<id>[^\[\]\n]{0,60})\]")
#: The same where the words themselves are defined.
_SHORT_LINK = re.compile(r"(?<![\]\\!])\[(?P<words>[^\[\]\n]{1,60})\](?![\[(:])")
#: A picture, and an element that is not shown: programs hide further sources in them.
_HIDDEN = re.compile(
    r"<img\b[^<>]{0,2000}>"
    r"|<(?P<name>span|div|p)\b[^<>]{0,300}?\bdisplay\s?:\s?none\b[^<>]{0,300}>[^<>]{0,2000}</(?P=name)>",
    re.IGNORECASE,
)
#: A sign within a line that a program escaped ("2014\\.1"); the point of a number that begins a
#: line stays, as it would begin a list.
_ESCAPED_SIGN = re.compile(r"(^\s{0,20}\d{1,9}\\[.)])|(?<=[^\s\\])\\([.!-])", re.MULTILINE)
#: A mark in tortoise-shell brackets, or with other digits than ASCII; and a number of a list with
#: full-width punctuation.
_NATIVE_MARK = re.compile(
    r"[\[［〔【]\s?(?=[^\]］〕】\n]{0,40}[^\x00-\u065f])"
    r"(\d{1,3}(?:\s?[,，、;؛،–-]\s?\d{1,3}){0,20})\s?[\]］〕】]"
)
_NATIVE_NUMBER = re.compile(r"^\s{0,3}(\d{1,3})[．、）]\s?(?=\S)", re.MULTILINE)


def unify_marks(text: str) -> str:
    """Return a report with numbers in brackets, links with their addresses, and no hidden parts."""
    text = _QUOTE_SIGNS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _ESCAPED_SIGN.sub(r"\1\2", _HIDDEN.sub(_keep_lines, text))
    text = _unify_program_marks(text)
    text = _NATIVE_NUMBER.sub(_write_plain_number, _NATIVE_MARK.sub(_write_plain_mark, text))
    return mark_source_list(_resolve_defined_links(complete_urls(text)))


# ---------------------------------------------------------------- the forms of single programs

#: "[^3^]", and "[citation:3]".
_CARET_MARK = re.compile(r"\[\^(\d{1,3})\^\]")
_MARK_NAME = rf"(?:{LABEL_WORDS}|ref\.|citation)[\s:_-]{{0,2}}"
_NAMED_MARKS = re.compile(
    rf"(?<!\])(?:\[\^?{_MARK_NAME}\d{{1,3}}(?:\s?[,;–-]\s?(?:{_MARK_NAME})?\d{{1,3}}){{0,20}}\]){{1,20}}"
    r"(?!\()",
    re.IGNORECASE,
)
#: A mark that is a link to its entry in the same text, and the anchor of the entry.
_ANCHORED_MARK = re.compile(r"\[(\d{1,3})\]\(#[^()\s]{1,100}\)")
_ANCHOR = re.compile(
    r"<a\s(?:id|name)\s?=\s?[\"'][^\"'<>\n]{1,100}[\"']\s?(?:/>|>\s?</a>)", re.IGNORECASE
)
#: A link of a chat room: "<https://…|Report>".
_PIPED_LINK = re.compile(r"<(https?://[^\s|<>]{1,2000})\|([^<>|\n]{1,300})>")
#: Elements that the screen of a program replaces by its citations, which the text lacks.
_CITED_ELEMENT = re.compile(
    r"<cite\s+index\s?=\s?\"([\d,;\s-]{1,60})\"\s?>([^<>]{0,5000})</cite>", re.IGNORECASE
)
_CARD = re.compile(
    r"<(?P<name>[a-z]{2,12}:render)\b[^<>]{0,400}>(?P<inside>.{0,600}?)</(?P=name)>",
    re.IGNORECASE | re.DOTALL,
)
_CARD_NUMBER = re.compile(r"citation_id[\"']?\s?[>=:]\s?[\"']?(\d{1,3})", re.IGNORECASE)
#: A note of a wiki, or a further mark of one by its name.
_WIKI_NOTE = re.compile(
    r"<ref(?:\s+name\s?=\s?[\"']?(?P<name>[^\"'<>/\n]{1,60}?)[\"']?)?\s?(?:/>|>(?P<note>[^<>]{1,2000})</ref>)",
    re.IGNORECASE,
)
_WIKI_URL = re.compile(r"https?://[^\s|\]}<>]{1,2000}")
#: "Source: Conversation with …", above a list of numbers in round brackets.
_CONVERSATION = re.compile(
    rf"^\s{{0,3}}{LABEL_WORDS}\s?[:：][^\n]{{0,60}}\b(?:Bing|Copilot|ChatGPT)\b[^\n]{{0,40}}$"
    r"(?=\s{1,4}\(1\)\s)",
    re.IGNORECASE | re.MULTILINE,
)


def _unify_program_marks(text: str) -> str:
    """Write what single programs leave as marks and links in the form of most."""
    text = _CARET_MARK.sub(r"[\1]", text)
    text = _NAMED_MARKS.sub(lambda marks: re.sub(r"[^\d,;–\[\]-]", "", marks[0]), text)
    text = _ANCHORED_MARK.sub(r"[\1]", _ANCHOR.sub("", text))
    text = _PIPED_LINK.sub(r"[\2](<\1>)", text)
    text = _CITED_ELEMENT.sub(_write_lost_element, text)
    text = _CARD.sub(_write_lost_card, text)
    return _CONVERSATION.sub("## Sources", _write_wiki_notes(text))


def _write_lost_element(found: re.Match[str]) -> str:
    numbers = ",".join(dict.fromkeys(re.findall(r"\d{1,4}", found[1])))
    words = found[2].rstrip()
    return f"{words} [cite: {numbers}]{found[2][len(words) :]}" if numbers else found[2]


def _write_lost_card(found: re.Match[str]) -> str:
    number = _CARD_NUMBER.search(found["inside"]) or _CARD_NUMBER.search(found[0])
    return f"[source:{number[1]}]{_keep_lines(found)}" if number else _keep_lines(found)


def _write_wiki_notes(text: str) -> str:
    """Write the notes of a wiki as links; one without an address becomes its words in brackets."""
    named: dict[str, str] = {}
    for found in _WIKI_NOTE.finditer(text):
        url = _WIKI_URL.search(found["note"] or "")
        if found["name"] and url:
            named.setdefault(found["name"].strip().casefold(), url[0])

    def write(found: re.Match[str]) -> str:
        url = _WIKI_URL.search(found["note"] or "")
        name = (found["name"] or "").strip()
        address = url[0] if url else named.get(name.casefold(), "")
        mark = f" (<{address}>)" if address else f" ({found['note'] or name})"
        return mark.replace("\n", " ") + _keep_lines(found)

    return _WIKI_NOTE.sub(write, text)


# ---------------------------------------------------------------- marks, links and lists of any


def _write_plain_mark(found: re.Match[str]) -> str:
    """Write a mark with ASCII digits and square brackets."""
    return f"[{re.sub('[，、;؛،]', ',', _write_plain_digits(found[1]))}]"


def _write_plain_number(found: re.Match[str]) -> str:
    return f"{_write_plain_digits(found[1])}. "


def _write_plain_digits(text: str) -> str:
    return "".join(str(int(each)) if each.isdecimal() else each for each in text)


def _keep_lines(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _resolve_defined_links(text: str) -> str:
    """Write links whose addresses are defined on lines of their own with their addresses.

    Where several lines define an id, as in the answers of a conversation, the next one below the
    link counts, else the last one.
    """
    for form in (_DEFINED_LINK, _SHORT_LINK):
        defined = _find_definitions(text)
        if not defined:
            return text
        text = form.sub(partial(_resolve_link, defined=defined), text)
    return text


def _resolve_link(found: re.Match[str], defined: Mapping[str, _Definitions]) -> str:
    known = defined.get((found.groupdict().get("id") or found["words"]).casefold())
    if known is None or found["words"].strip("^").isdigit():
        return found[0]
    place = min(bisect_right(known.places, found.start()), len(known.urls) - 1)
    return f"[{found['words']}](<{known.urls[place]}>)"


@dataclass
class _Definitions:
    """The lines that define one id. places: their offsets in order; urls: their addresses."""

    places: list[int] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)


def _find_definitions(text: str) -> Mapping[str, _Definitions]:
    """Return the definitions of links on lines of their own, by id."""
    defined: dict[str, _Definitions] = {}
    offset = 0
    for line in text.split("\n"):
        found = LINK_DEFINITION.match(line)
        if found:
            known = defined.setdefault(found[1].casefold(), _Definitions())
            known.places.append(offset)
            known.urls.append(found[2])
        offset += len(line) + 1
    return defined


def mark_source_list(text: str) -> str:
    """Write the numbered list of addresses that ends a text as its list of sources.

    Without a heading above it, "3. https://…" is read as text; "[3] https://…" is an entry. Only
    where the text cites one of the numbers. Lines above it keep their numbers.
    """
    lines = text.rstrip().split("\n")
    first = len(lines)
    for number in range(len(lines) - 1, -1, -1):
        if _NUMBERED_SOURCE.match(lines[number]):
            first = number
        elif lines[number].strip():
            break
    entries = {found[1] for line in lines[first:] if (found := _NUMBERED_SOURCE.match(line))}
    body = "\n".join(lines[:first])
    cited = set(_BRACKETED_NUMBER.findall(body))
    cited.update(unicodedata.normalize("NFKC", sign) for sign in _SUPERSCRIPT_DIGIT.findall(body))
    if entries.isdisjoint(cited):
        return text
    marked = []
    for line in lines[first:]:
        entry = _NUMBERED_SOURCE.sub(r"[\1] \2", line)
        if line.lstrip().startswith("("):  # such lists have several entries in one line
            entry = _NEXT_ENTRY.sub(r"\n[\1]", entry)
        marked.append(entry)
    return "\n".join((*lines[:first], *marked)) + "\n"
