"""Write the marks, links and lists of sources of a report in one form, before it is read.

Programs and languages differ in how they write them. Lines keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from research_core.citations.addresses import complete_urls

_QUOTE_SIGNS = re.compile(r"^[ ]{0,3}(?:>[ ]?){1,9}", re.MULTILINE)
#: An item of a numbered list with an address, and a mark that may cite it.
_NUMBERED_SOURCE = re.compile(r"\s{0,3}(\d{1,4})[.)]\s+(\S.{0,2000}?https?://.*|https?://.*)$")
_BRACKETED_NUMBER = re.compile(r"\[(\d{1,4})\]")
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
#: A sign within a line that a program escaped ("2014\\.1"); the point of a number that begins a line
#: stays, as it would begin a list.
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
    text = _NATIVE_NUMBER.sub(_write_plain_number, _NATIVE_MARK.sub(_write_plain_mark, text))
    return mark_source_list(_resolve_defined_links(complete_urls(text)))


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
    """Write links whose addresses are defined on lines of their own with their addresses."""
    defined = _find_definitions(text)
    if not defined:
        return text

    def resolve(found: re.Match[str]) -> str:
        url = defined.get((found.groupdict().get("id") or found["words"]).casefold(), "")
        if not url or found["words"].strip("^").isdigit():
            return found[0]
        return f"[{found['words']}](<{url}>)"

    return _SHORT_LINK.sub(resolve, _DEFINED_LINK.sub(resolve, text))


def _find_definitions(text: str) -> Mapping[str, str]:
    """Return the address of each link that is defined on a line of its own."""
    defined: dict[str, str] = {}
    for line in text.split("\n"):
        found = LINK_DEFINITION.match(line)
        if found:
            defined[found[1].casefold()] = found[2]
    return defined


def mark_source_list(text: str) -> str:
    """Write the numbered list of addresses that ends a text as its list of sources.

    Without a heading above it, "3. https://…" is read as text; "[3] https://…" is an entry. Only
    where the text cites one of the numbers. Lines keep their numbers.
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
    if entries.isdisjoint(_BRACKETED_NUMBER.findall(body)):
        return text
    marked = [_NUMBERED_SOURCE.sub(r"[\1] \2", line) for line in lines[first:]]
    return "\n".join((*lines[:first], *marked)) + "\n"
