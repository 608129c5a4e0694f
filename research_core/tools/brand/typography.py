"""Typefaces that a brand page states in words: which is for headings, body and code, their weights,
and the scale of its tables.

What fonts a page itself is set in says nothing here; a link to a library of fonts does, as it names
one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

from research_core.model_messages import Json
from research_core.urls import find_host

MAX_STEPS, MAX_CELL_CHARACTERS = 24, 40
#: The weights that words stand for, in the numbers of CSS; longer words first.
WEIGHT_VALUES = {
    "extralight": 200, "ultralight": 200, "extra light": 200, "semibold": 600, "semi bold": 600,
    "semi-bold": 600, "demibold": 600,
    "extrabold": 800, "extra bold": 800, "extra-bold": 800, "thin": 100, "light": 300,
    "regular": 400, "medium": 500, "bold": 700,
    "black": 900, "heavy": 900,
}  # fmt: skip
_USES = {
    "heading": r"headings?|headlines?|display(?: text| type)?|titles?",
    "body": r"body(?: copy| text)?|paragraphs?|running text|long-form(?: text)?",
    "mono": r"mono(?:space)?d?|code(?: samples| blocks)?",
}
_WORD = r"[A-Z0-9](?:[\w+&'-]|\.(?=\w))*"
_FAMILY = rf"(?P<family>(?=[A-Z]){_WORD}(?: {_WORD}){{0,4}})"
_FORMS = (
    (
        r"\b(?i:{use})(?i: (?:font|typeface|type|font family)s?)?(?: ?[:–—|] ?| - |"
        r" (?i:is|are|uses?|(?:(?:is|are) )?set in|in) ){family}"
    ),
    (
        r"{family}(?i:,? (?:is|are|should be))?(?i: used)? (?i:for|as)(?i: (?:all|our|the|your))?"
        r" (?i:{use})\b"
    ),
)
_PATTERNS = tuple(
    (name, re.compile(form.replace("{use}", f"(?:{use})").replace("{family}", _FAMILY)))
    for name, use in _USES.items()
    for form in _FORMS
)
_ABOUT = re.compile(r"\b(?:typograph\w*|typefaces?|fonts?|type(?:set| scale)?)\b", re.IGNORECASE)
#: Words in capitals that are no family.
_NONE = frozenset(
    "The Our Use We It This These Font Fonts Typeface Text Type Please All A An Always Never"
    " Download Google Adobe".split()
)
_WEIGHT = re.compile(r"\b(?:" + "|".join(WEIGHT_VALUES) + r")\b|\b[1-9]00\b", re.IGNORECASE)
_NUMBER = re.compile(r"[1-9]00")
_LIBRARIES = {
    "fonts.google.com": "google_fonts",
    "fonts.googleapis.com": "google_fonts",
    "fonts.adobe.com": "adobe_fonts",
}
#: Columns of a scale, by a word of their head.
_COLUMNS = (
    ("line_height", ("line height", "line-height", "leading")),
    ("weight", ("weight",)),
    ("font_size", ("size",)),
)
_LEVELS = ("level", "style", "name", "element", "heading", "token", "role")


def read_typography(text: str, links: Iterable[str]) -> Json:
    """heading, body, mono: {"family", "weights", "origin", "origin_id"}; google_fonts_url; scale.
    links: addresses the page leads to.
    """
    urls = [url for url in links if url and find_host(url) in _LIBRARIES]
    found: Json = {}
    near = False
    for line in (each.strip() for each in text.split("\n")):
        if line.startswith("#"):
            near = bool(_ABOUT.search(line))
        if line and (near or _ABOUT.search(line)):
            for use, family in _find_stated_families(line):
                found.setdefault(use, _make_face(family, line, urls))
    google = next((url for url in urls if "google" in find_host(url)), "")
    steps = read_type_scale(text)
    return (
        found
        | ({"google_fonts_url": google} if google else {})
        | ({"scale": steps} if steps else {})
    )


def read_type_scale(text: str) -> list[Json]:
    """{"level", "font_size", "line_height", "weight"} of each row of a table that has a column of
    sizes.
    """
    found: list[Json] = []
    columns: list[str] = []
    for line in text.split("\n"):
        cells = (
            [cell.strip() for cell in line.strip().strip("|").split("|")]
            if line.strip().startswith("|")
            else []
        )
        if not cells:
            columns = []
        elif not columns:
            columns = [_match_column(cell.lower()) for cell in cells]
        elif "font_size" in columns and not set(line) <= set("|-: "):
            row = {
                name: cell[:MAX_CELL_CHARACTERS]
                for name, cell in zip(columns, cells, strict=False)
                if name and cell
            }
            weights = _find_weights(str(row.pop("weight", "")))
            if re.search(r"\d", str(row.get("font_size", ""))):
                found.append({**row, **({"weight": weights[0]} if weights else {})})
    return found[:MAX_STEPS]


def _find_stated_families(line: str) -> Iterable[tuple[str, str]]:
    for use, pattern in _PATTERNS:
        for match in pattern.finditer(line):
            family = _strip_weights(match["family"])
            if family:
                yield use, family
                break


def _strip_weights(text: str) -> str:
    words = text.strip(" .,;:").split()
    while words and words[0] in _NONE:
        words.pop(0)
    while words and (words[-1].lower() in WEIGHT_VALUES or _NUMBER.fullmatch(words[-1])):
        words.pop()
    return " ".join(words)[:MAX_CELL_CHARACTERS]


def _make_face(family: str, line: str, urls: Sequence[str]) -> Json:
    face: Json = {"family": family}
    weights = _find_weights(line)
    for url in urls:
        name = next((each for each in _parse_families(url) if each.lower() == family.lower()), "")
        if name:
            face |= {"origin": _LIBRARIES[find_host(url)], "origin_id": name}
            break
    return face | ({"weights": weights} if weights else {})


def _parse_families(url: str) -> list[str]:
    """The families that an address of a library of fonts names."""
    parts = urlsplit(url)
    asked: list[Any] = [
        name for value in parse_qs(parts.query).get("family", []) for name in value.split("|")
    ]
    last = parts.path.rstrip("/").rpartition("/")[2].replace("+", " ").replace("%20", " ")
    return [name.split(":")[0].replace("+", " ") for name in asked] or [
        last.replace("-", " ") if "adobe" in parts.netloc else last
    ]


def _find_weights(text: str) -> list[int]:
    found = [WEIGHT_VALUES.get(word.lower()) or int(word) for word in _WEIGHT.findall(text)]
    return list(dict.fromkeys(found))


def _match_column(head: str) -> str:
    for name, words in _COLUMNS:
        if any(word in head for word in words):
            return name
    return "level" if any(word in head for word in _LEVELS) else ""
