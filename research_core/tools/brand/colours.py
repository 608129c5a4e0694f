"""Colours that a brand page states in words: the code, the name and the use that stand beside it,
and its other notations.

A code without a name keeps none. It reads lines of Markdown, no style sheet and no picture.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from research_core.model_messages import Json
from research_core.text.words import truncate

MAX_COLOURS, MAX_NAME_CHARACTERS = 64, 60
#: Lines before a code in which its name may stand, and lines after it in which its other notations
#: may.
LINES_AROUND, LINES_AFTER = 6, 6
#: Uses, by how a page words them; the first that fits counts.
ROLE_PATTERNS = tuple(
    (role, re.compile(words, re.IGNORECASE))
    for role, words in (
        ("text_secondary", r"\b(?:secondary|muted|subtle) text\b|\btext[ -]secondary\b"),
        ("text", r"\b(?:body |primary )?text\b|\bbody copy\b|\bforeground\b"),
        ("background", r"\bbackgrounds?\b"),
        ("surface", r"\bsurfaces?\b"),
        ("primary", r"\bprimary\b|\bmain (?:brand )?colou?rs?\b|\bcore (?:brand )?(?:colou?rs?|palette)\b"),
        ("secondary", r"\bsecondary\b|\bsupporting (?:colou?rs?|palette)\b"),
        ("accent", r"\baccents?\b|\bhighlights?\b"),
        ("neutral", r"\bneutrals?\b|\bgr[ae]yscale\b"),
        ("success", r"\bsuccess\b"), ("warning", r"\bwarnings?\b"),
        ("error", r"\berrors?\b|\bdanger\b"),
    )
)  # fmt: skip
#: Roles that the answer has a field for.
ROLE_FIELDS = ("primary", "secondary", "accent", "background", "text", "surface", "text_secondary")

_HEX = re.compile(
    r"(?<![\w#&/])#([0-9A-Fa-f]{6})(?![0-9A-Za-z])|\bHEX\b\W{0,3}([0-9A-Fa-f]{6}|[0-9A-Fa-f]{3})(?![0-9A-Za-z])"
)
_RGB = re.compile(r"\bRGB\b\W{0,3}(\d{1,3})\D{1,3}(\d{1,3})\D{1,3}(\d{1,3})\b", re.IGNORECASE)
_CMYK = re.compile(
    r"\bCMYK\b\W{0,3}(\d{1,3})%?\D{1,3}(\d{1,3})%?\D{1,3}(\d{1,3})%?\D{1,3}(\d{1,3})\b",
    re.IGNORECASE,
)
_PANTONE = re.compile(
    r"\b(?:PANTONE|PMS)\b\W{0,3}((?:[\w-]{1,12} ){0,2}(?:\d{2,5}|[A-Z][a-z]+)(?:"
    r" (?:XGC|TCX|TPX|TPG|CP|UP|C|U|M))?)\b",
    re.IGNORECASE,
)
_CODES = re.compile(
    r"\b(?:HEX|RGBA?|CMYK|PANTONE|PMS|HSLA?|HSB|HSV|LAB|RAL|NCS)\b[\s:()#.,/%\d-]*", re.IGNORECASE
)
_EDGES = " \t:;,.|()[]–—-*•=>/"
_GENERIC = re.compile(
    r"(?:[\w-]+ ){0,3}(?:colou?rs?|palettes?|swatch(?:es)?|tints?|shades?)(?: palettes?)?",
    re.IGNORECASE,
)
_CALLED = re.compile(r"((?:[A-Z][\w'-]*[ -]?){1,4})[\s:(–—-]*$")


def parse_hex(text: str) -> str:
    """ "#rrggbb" of a colour written with # and three or six digits; "" of any other text."""
    found = re.fullmatch(r"#([0-9A-Fa-f]{6}|[0-9A-Fa-f]{3})", text.strip())
    return _expand_hex(found[1]) if found else ""


def compute_brightness(code: str) -> int:
    """How bright a colour "#rrggbb" looks, 0 to 255: the weighted mean of its parts."""
    red, green, blue = (int(code[n : n + 2], 16) for n in (1, 3, 5))
    return round((299 * red + 587 * green + 114 * blue) / 1000)


def make_colour(code: str, name: str = "", role: str = "", **notations: str) -> Json:
    """An entry of a palette."""
    said = {
        "hex": code,
        "name": truncate(name, MAX_NAME_CHARACTERS),
        "role": role,
        "brightness": compute_brightness(code),
        **notations,
    }
    return {key: value for key, value in said.items() if value != ""}


def find_colours(text: str) -> list[Json]:
    """{"hex", "name", "role", "brightness", "rgb", "cmyk", "pantone"} of each colour the text
    states, in its order, each once.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    found: dict[str, Json] = {}
    taken: set[int] = set()
    headings: list[str] = []
    columns: Sequence[str] = ()
    for at, line in enumerate(lines):
        if line.startswith("#") and not _HEX.search(line):
            headings = [*headings[-3:], line.lstrip("# ")]
        cells = (
            [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        )
        columns = (
            cells
            if cells and not _HEX.search(line) and not set(line) <= set("|-: ")
            else columns
            if cells
            else ()
        )
        end = 0
        for code in _HEX.finditer(line):
            told = _expand_hex(code[1] or code[2])
            name, beside = (
                _read_row(cells, columns)
                if cells
                else _find_label(lines, at, line[end : code.start()], line[code.end() :], taken)
            )
            end = code.end()
            if len(found) < MAX_COLOURS:
                found.setdefault(
                    told,
                    make_colour(
                        told, name, _find_role(beside, headings), **_find_notations(lines, at)
                    ),
                )
    return list(found.values())


def group_by_role(entries: Sequence[Json]) -> Json:
    """The first colour of each role that the answer has a field for."""
    told: Json = {}
    for entry in entries:
        if entry.get("role") in ROLE_FIELDS:
            told.setdefault(entry["role"], entry["hex"])
    return told


def _expand_hex(code: str) -> str:
    return f"#{code if len(code) == 6 else ''.join(2 * digit for digit in code)}".lower()


def _read_row(cells: Sequence[str], columns: Sequence[str]) -> tuple[str, str]:
    """(name, what says its use) of a row of a table."""
    worded = [cell for cell in cells if _strip_notations(cell) and not _HEX.search(cell)]
    heads = [(head.lower(), cell) for head, cell in zip(columns, cells, strict=False)]
    use = next(
        (
            cell
            for head, cell in heads
            if any(word in head for word in ("role", "use", "usage", "purpose"))
        ),
        "",
    )
    name = next(
        (
            cell
            for head, cell in heads
            if any(word in head for word in ("name", "colo")) and cell in worded
        ),
        "",
    )
    return (
        _strip_notations(name or next((cell for cell in worded if cell != use), "")),
        f"{use}\n{name or ' '.join(worded)}",
    )


def _find_label(
    lines: Sequence[str], at: int, before: str, after: str, taken: set[int]
) -> tuple[str, str]:
    """(name, what says its use) of a code in running text: of its own line, else of the line above
    it that names something, else below.
    """
    own = _strip_notations(before)
    if own and len(own) <= MAX_NAME_CHARACTERS:
        return own, before
    if own:
        called = _CALLED.search(before)
        return (_strip_notations(called[1]) if called else ""), before
    behind = _strip_notations(_HEX.split(after)[0])
    if behind and len(behind) <= MAX_NAME_CHARACTERS:
        return behind, behind
    above = range(at - 1, max(-1, at - 1 - LINES_AROUND), -1)
    below = range(at + 1, min(len(lines), at + 1 + LINES_AROUND // 2))
    for n in above:
        if _HEX.search(lines[n]) or (name := _parse_label(lines[n])) is None:
            break
        if name and n not in taken:
            taken.add(n)
            return name, name
    for n in below:
        if (
            _HEX.search(lines[n])
            or lines[n].startswith("#")
            or (name := _parse_label(lines[n])) is None
        ):
            break
        if name and n not in taken:
            taken.add(n)
            return name, name
    return "", ""


def _parse_label(line: str) -> str | None:
    """The name that a line is, "" for one of other notations alone; None for one that is neither."""
    bare = _strip_notations(line.lstrip("#- "))
    if not bare:
        return ""
    return (
        bare
        if len(bare) <= MAX_NAME_CHARACTERS
        and not _GENERIC.fullmatch(bare)
        and not bare.endswith(("!", "?"))
        and len(bare.split()) <= 6
        else None
    )


def _strip_notations(text: str) -> str:
    """The words of a text without notations of colours; "" where there are none."""
    rest = _CODES.sub(" ", _PANTONE.sub(" ", _HEX.sub(" ", text)))
    rest = " ".join(rest.split()).strip(_EDGES)
    return rest if sum(map(str.isalpha, rest)) >= 2 else ""


def _find_role(beside: str, headings: Sequence[str]) -> str:
    for text in (beside, *reversed(headings)):
        for role, words in ROLE_PATTERNS:
            if words.search(text):
                return role
    return ""


def _find_notations(lines: Sequence[str], at: int) -> dict[str, str]:
    """The other notations on the line of a code and on those below it, down to what is none."""
    own = [lines[at]] if len(_HEX.findall(lines[at])) == 1 else []
    if own:
        for line in lines[at + 1 : at + 1 + LINES_AFTER]:
            if _HEX.search(line) or _strip_notations(line):
                break
            own.append(line)
    text = "\n".join(own)
    rgb, cmyk, pantone = _RGB.search(text), _CMYK.search(text), _PANTONE.search(text)
    said = {
        "rgb": ", ".join(rgb.groups()) if rgb else "",
        "cmyk": ", ".join(cmyk.groups()) if cmyk else "",
    }
    return said | {"pantone": " ".join(pantone[1].split()) if pantone else ""}
