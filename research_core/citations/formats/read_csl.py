"""Read CSL-JSON documents: find their objects and refuse broken ones.

A document is an array, objects in sequence or one per line, or Crossref's wrapper. Reading goes on
after a broken object. It takes linear time: after `MAX_BROKEN` broken objects the rest is refused.
"""

from __future__ import annotations

import json
import re
from bisect import bisect
from collections.abc import Iterator

from research_core.citations.formats import csl
from research_core.citations.formats.entries import (
    BibliographyReading,
    LocatedItem,
    RefusedEntry,
    build_reading,
)

MAX_BROKEN = 100
_SEPARATORS = re.compile(r"[\s,\[]*")
_WRAPPER = re.compile(
    r"\s*\{(?:(?!\"(?:type|title|author)\"\s*:)[^\[\]]){0,2000}?\"(items|references)\"\s*:\s*\[",
    re.IGNORECASE,
)
_MESSAGE = re.compile(r"\s*\{[^\[\]{}]{0,500}\"message\"\s*:\s*(?=\{)")
_OBJECT_START = re.compile(r"\{\s*\"(?:id|type|DOI)\"\s*:")


def read_csl(text: str) -> BibliographyReading:
    """Read the works of a CSL-JSON document whose lines end with "\\n"."""
    return build_reading("csl-json", _iterate_objects(text))


def _iterate_objects(text: str) -> Iterator[LocatedItem | RefusedEntry]:
    lines = [found.start() for found in re.finditer("\n", text)]
    decode = json.JSONDecoder().raw_decode
    wrapper = _WRAPPER.match(text) or _MESSAGE.match(text)
    at, broken, wrapped = wrapper.end() if wrapper else 0, 0, wrapper is not None
    while (at := _skip_separators(text, at)) < len(text):
        line = bisect(lines, at) + 1
        if text[at] in "]}" and (wrapped or text[at] == "]"):
            break
        if broken >= MAX_BROKEN:
            yield RefusedEntry(
                line, f"{MAX_BROKEN} objects before it were broken; from here on nothing was read."
            )
            return
        try:
            value, at = decode(text, at)
        except (ValueError, RecursionError) as why:
            yield RefusedEntry(line, f"This is no JSON object: {_explain_error(why, line)}.")
            broken, at = broken + 1, _find_next_object(text, at)
            continue
        if not isinstance(value, dict):
            yield RefusedEntry(line, "A work is a JSON object; here stands something else.")
            broken += 1
        else:
            yield LocatedItem(line, csl.read_item(value))


def _explain_error(error: Exception, line: int) -> str:
    """Say why an object that begins in this line cannot be read, and where if it is elsewhere."""
    if isinstance(error, json.JSONDecodeError):
        where = f"in line {error.lineno}, " if error.lineno != line else ""
        return f"{error.msg}, {where}column {error.colno}"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return "it holds a number of thousands of digits"


def _skip_separators(text: str, at: int) -> int:
    gap = _SEPARATORS.match(text, at)
    return gap.end() if gap else at


def _find_next_object(text: str, at: int) -> int:
    """Return the offset of the next object after a broken one.

    It begins at the same indentation, or as objects usually do.
    """
    begins = text.rfind("\n", max(0, at - 200), at) + 1
    indent = text[begins:at] if begins and not text[begins:at].strip() else None
    same = text.find(f"\n{indent}{{", at + 1) if indent is not None else -1
    found = _OBJECT_START.search(text, at + 1)
    places = [place for place in (same, found.start() if found else -1) if place >= 0]
    return min(places) if places else len(text)
