"""Find the typefaces that a brand page states in words: uses, weights, origins and scale."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import parse_qs, urlsplit

from research_core.model_messages import Json
from research_core.tools.brand.markup import is_row_of_dashes, split_row
from research_core.urls import find_host

MAX_STEPS, MAX_CELL_CHARACTERS = 24, 40
#: The CSS weights of words, longer words first.
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
#: Capitalised words that are no typeface.
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
#: Columns of a type scale, by a word of their heading.
_COLUMNS = (
    ("line_height", ("line height", "line-height", "leading")),
    ("weight", ("weight",)),
    ("font_size", ("size",)),
)
_LEVELS = ("level", "style", "name", "element", "heading", "token", "role")


def read_typography(text: str, links: Iterable[str]) -> Json:
    """Return heading, body and mono typefaces, google_fonts_url and scale.

    links: the addresses that the page links to.
    """
    urls = [url for url in links if url and find_host(url) in _LIBRARIES]
    found: Json = {}
    is_under_heading = False
    for untrimmed in text.split("\n"):
        line = untrimmed.strip()
        if line.startswith("#"):
            is_under_heading = bool(_ABOUT.search(line))
        if line and (is_under_heading or _ABOUT.search(line)):
            for use, family in _find_stated_families(line):
                found.setdefault(use, _make_face(family, line, urls))
    for url in urls:
        if "google" in find_host(url):
            found["google_fonts_url"] = url
            break
    steps = read_type_scale(text)
    if steps:
        found["scale"] = steps
    return found


def read_type_scale(text: str) -> list[Json]:
    """Return {"level", "font_size", "line_height", "weight"} for each row of a table of sizes."""
    found: list[Json] = []
    columns: list[str] = []
    for line in text.split("\n"):
        row_text = line.strip()
        if not row_text.startswith("|"):
            columns = []
            continue
        cells = split_row(row_text)
        if not columns:
            columns = [_match_column(cell.lower()) for cell in cells]
        elif "font_size" in columns and not is_row_of_dashes(line):
            step = _read_step(columns, cells)
            if step:
                found.append(step)
    return found[:MAX_STEPS]


def _read_step(columns: Sequence[str], cells: Sequence[str]) -> Json:
    """Return a step of a type scale, {} for a row without a font size."""
    row: Json = {}
    for name, cell in zip(columns, cells, strict=False):
        if name and cell:
            row[name] = cell[:MAX_CELL_CHARACTERS]
    weights = _find_weights(str(row.pop("weight", "")))
    if not re.search(r"\d", str(row.get("font_size", ""))):
        return {}
    if weights:
        row["weight"] = weights[0]
    return row


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
    """Return a typeface with its origin, if one of the addresses is its page in a font library."""
    face: Json = {"family": family}
    for url in urls:
        names = [name for name in _parse_families(url) if name.lower() == family.lower()]
        if names and names[0]:
            face["origin"] = _LIBRARIES[find_host(url)]
            face["origin_id"] = names[0]
            break
    weights = _find_weights(line)
    if weights:
        face["weights"] = weights
    return face


def _parse_families(url: str) -> list[str]:
    """Return the families that an address of a font library names."""
    parts = urlsplit(url)
    families: list[str] = []
    for value in parse_qs(parts.query).get("family", []):
        for name in value.split("|"):
            families.append(name.split(":")[0].replace("+", " "))
    if families:
        return families
    last = parts.path.rstrip("/").rpartition("/")[2].replace("+", " ").replace("%20", " ")
    return [last.replace("-", " ") if "adobe" in parts.netloc else last]


def _find_weights(text: str) -> list[int]:
    found = [WEIGHT_VALUES.get(word.lower()) or int(word) for word in _WEIGHT.findall(text)]
    return list(dict.fromkeys(found))


def _match_column(head: str) -> str:
    for name, words in _COLUMNS:
        if any(word in head for word in words):
            return name
    return "level" if any(word in head for word in _LEVELS) else ""
