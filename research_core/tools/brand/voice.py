"""Find the tone of voice that guidelines state: a summary, attributes, and rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

from research_core.model_messages import Json
from research_core.text.words import truncate
from research_core.tools.wire_values import drop_empty

#: Characters of a summary, an attribute and a rule; attributes, and rules of one kind.
MAX_SUMMARY_CHARACTERS, MAX_ATTRIBUTE_CHARACTERS, MAX_RULE_CHARACTERS, MAX_ITEMS = 500, 60, 240, 12
_VOICE = re.compile(
    r"\b(?:tone(?: of voice)?|voice(?: (?:and|&) tone)?|writing style|how we"
    r" (?:write|sound|speak))\b",
    re.IGNORECASE,
)
_DO = re.compile(r"(?:do|do's|dos|do this|we (?:are|do)|yes)\b[:!]?", re.IGNORECASE)
_DONT = re.compile(
    r"(?:don['’]?ts?|do nots?|avoid|never|we (?:are not|aren['’]t|don['’]t)|no)\b[:!]?",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?:[-*•]|\d+[.)])\s+")
_END = re.compile(r"\s*[:–—]\s+|\s+-\s+|\.\s")


def read_tone_of_voice(text: str) -> Json:
    """Return "summary", "attributes" and "dos_and_donts" with "dos" and "donts", if stated."""
    summary = ""
    attributes: list[str] = []
    rules: dict[str, list[str]] = {"dos": [], "donts": []}
    # The kind of the rules that the last heading or opening line announced, "" for none.
    kind = ""
    for line, is_heading, is_item in _iter_voice_lines(text):
        own_kind = _find_kind(line)
        if is_heading:
            kind = _find_heading_kind(line)
            if not kind and len(line.split()) <= 4:
                attributes.append(line)
        elif is_item and (kind or own_kind):
            rules[kind or own_kind].append(truncate(line, MAX_RULE_CHARACTERS))
        elif is_item:
            attributes.append(_END.split(line)[0])
        elif own_kind and line.endswith(":"):
            kind = own_kind
        elif not summary and not kind:
            summary = truncate(line, MAX_SUMMARY_CHARACTERS)
    short = [each.strip(" .:") for each in attributes if 0 < len(each) <= MAX_ATTRIBUTE_CHARACTERS]
    stated: Json = {}
    for name, lines in rules.items():
        if lines:
            stated[name] = list(dict.fromkeys(lines))[:MAX_ITEMS]
    found: Json = {
        "summary": summary,
        "attributes": list(dict.fromkeys(short))[:MAX_ITEMS],
        "dos_and_donts": stated,
    }
    return drop_empty(found)


def _iter_voice_lines(text: str) -> Iterator[tuple[str, bool, bool]]:
    """Yield (line, is a heading, is an item) of the sections on tone and voice."""
    # The level of the heading that the section began with, 0 outside of one.
    depth = 0
    for untrimmed in text.split("\n"):
        line = untrimmed.strip()
        marks = len(line) - len(line.lstrip("#"))
        if marks and line[marks : marks + 1] == " ":
            name = line[marks:].strip()
            if _VOICE.search(name):
                depth = depth or marks
                continue
            if depth and marks <= depth:
                depth = 0
            if depth:
                yield name, True, False
        elif depth and line:
            item = _ITEM.match(line)
            words = line[item.end() :] if item else line
            yield words, False, item is not None


def _find_heading_kind(line: str) -> str:
    """Return the kind of rules that a heading consists of, "" for any other heading."""
    if _DONT.fullmatch(line):
        return "donts"
    return "dos" if _DO.fullmatch(line) else ""


def _find_kind(line: str) -> str:
    """Return the kind of rule that a line begins like, "" for none."""
    if _DONT.match(line):
        return "donts"
    return "dos" if re.match(r"do\b", line, re.IGNORECASE) else ""
