"""Find the tone of voice that guidelines state: a summary, attributes, and rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

from research_core.model_messages import Json
from research_core.text.words import truncate

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
    summary, attributes = "", list[str]()
    rules: dict[str, list[str]] = {"dos": [], "donts": []}
    part = ""
    for line, is_heading, is_item in _iter_voice_lines(text):
        if is_heading:
            part = "donts" if _DONT.fullmatch(line) else "dos" if _DO.fullmatch(line) else ""
            if not part and len(line.split()) <= 4:
                attributes.append(line)
        elif is_item and (part or _find_item_name(line)):
            rules[part or _find_item_name(line)].append(truncate(line, MAX_RULE_CHARACTERS))
        elif is_item:
            attributes.append(_END.split(line)[0])
        elif _find_item_name(line) and line.endswith(":"):
            part = _find_item_name(line)
        elif not summary and not part:
            summary = truncate(line, MAX_SUMMARY_CHARACTERS)
    short = [each.strip(" .:") for each in attributes if 0 < len(each) <= MAX_ATTRIBUTE_CHARACTERS]
    told = {name: list(dict.fromkeys(each))[:MAX_ITEMS] for name, each in rules.items() if each}
    found: Json = {
        "summary": summary,
        "attributes": list(dict.fromkeys(short))[:MAX_ITEMS],
        "dos_and_donts": told,
    }
    return {name: value for name, value in found.items() if value}


def _iter_voice_lines(text: str) -> Iterator[tuple[str, bool, bool]]:
    """Yield (line, is a heading, is an item) of the sections on tone and voice."""
    depth = 0
    for line in (each.strip() for each in text.split("\n")):
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
            yield (line[item.end() :] if item else line), False, bool(item)


def _find_item_name(line: str) -> str:
    return "donts" if _DONT.match(line) else "dos" if re.match(r"do\b", line, re.IGNORECASE) else ""
