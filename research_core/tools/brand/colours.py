"""Find colours that a brand page states in words: code, name, and role."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from research_core.model_messages import Json
from research_core.text.words import truncate
from research_core.tools.brand.markup import is_row_of_dashes, split_row

MAX_COLOURS, MAX_NAME_CHARACTERS = 64, 60
#: Lines around a code searched for its name; lines after it searched for other notations.
LINES_AROUND, LINES_AFTER = 6, 6
#: Roles by the words that state them; the first match counts.
ROLE_PATTERNS = tuple(
    (role, re.compile(words, re.IGNORECASE))
    for role, words in (
        ("text_secondary", r"\b(?:secondary|muted|subtle) text\b|\btext[ -]secondary\b"),
        ("text", r"\b(?:body |primary )?text\b|\bbody copy\b|\bforeground\b"),
        ("background", r"\bbackgrounds?\b"),
        ("surface", r"\bsurfaces?\b"),
        (
            "primary",
            r"\bprimary\b|\bmain (?:brand )?colou?rs?\b"
            r"|\bcore (?:brand )?(?:colou?rs?|palette)\b",
        ),
        ("secondary", r"\bsecondary\b|\bsupporting (?:colou?rs?|palette)\b"),
        ("accent", r"\baccents?\b|\bhighlights?\b"),
        ("neutral", r"\bneutrals?\b|\bgr[ae]yscale\b"),
        ("success", r"\bsuccess\b"),
        ("warning", r"\bwarnings?\b"),
        ("error", r"\berrors?\b|\bdanger\b"),
    )
)
#: Roles with a field in the answer.
ROLE_FIELDS = ("primary", "secondary", "accent", "background", "text", "surface", "text_secondary")

_HEX = re.compile(
    r"(?<![\w#&/])#([0-9A-Fa-f]{6})(?![0-9A-Za-z])"
    r"|\bHEX\b\W{0,3}([0-9A-Fa-f]{6}|[0-9A-Fa-f]{3})(?![0-9A-Za-z])"
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
    """Return "#rrggbb" for a colour of three or six digits after #, "" for any other text."""
    found = re.fullmatch(r"#([0-9A-Fa-f]{6}|[0-9A-Fa-f]{3})", text.strip())
    return _expand_hex(found[1]) if found else ""


def compute_brightness(code: str) -> int:
    """Return the perceived brightness of "#rrggbb", 0 to 255: a weighted mean of its parts."""
    red, green, blue = (int(code[n : n + 2], 16) for n in (1, 3, 5))
    return round((299 * red + 587 * green + 114 * blue) / 1000)


def make_colour(code: str, name: str = "", role: str = "", **notations: str) -> Json:
    """Return an entry of a palette."""
    entry: Json = {
        "hex": code,
        "name": truncate(name, MAX_NAME_CHARACTERS),
        "role": role,
        "brightness": compute_brightness(code),
        **notations,
    }
    return {key: value for key, value in entry.items() if value != ""}


def find_colours(text: str) -> list[Json]:
    """Return an entry for each colour in the text, in order, each once.

    Keys: hex, name, role, brightness, rgb, cmyk and pantone.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    found: dict[str, Json] = {}
    label_lines: set[int] = set()
    headings: list[str] = []
    columns: Sequence[str] = ()
    for at, line in enumerate(lines):
        codes = list(_HEX.finditer(line))
        if line.startswith("#") and not codes:
            headings = [*headings[-3:], line.lstrip("# ")]
        cells = split_row(line) if line.startswith("|") else []
        if not cells:
            columns = ()
        elif not codes and not is_row_of_dashes(line):
            columns = cells
        end = 0
        for code in codes:
            colour = _expand_hex(code[1] or code[2])
            if cells:
                name, context = _read_row(cells, columns)
            else:
                before = line[end : code.start()]
                name, context = _find_label(lines, at, before, line[code.end() :], label_lines)
            end = code.end()
            if len(found) < MAX_COLOURS and colour not in found:
                role = _find_role(context, headings)
                found[colour] = make_colour(colour, name, role, **_find_notations(lines, at))
    return list(found.values())


def group_by_role(entries: Sequence[Json]) -> Json:
    """Return the first colour of each role in `ROLE_FIELDS`."""
    colours: Json = {}
    for entry in entries:
        if entry.get("role") in ROLE_FIELDS:
            colours.setdefault(entry["role"], entry["hex"])
    return colours


def _expand_hex(code: str) -> str:
    """Return "#rrggbb" for a code of three or six digits."""
    digits = code if len(code) == 6 else "".join(2 * digit for digit in code)
    return f"#{digits}".lower()


def _read_row(cells: Sequence[str], columns: Sequence[str]) -> tuple[str, str]:
    """Return the name and the use that a row of a table states."""
    worded = [cell for cell in cells if _strip_notations(cell) and not _HEX.search(cell)]
    use: str | None = None
    name = ""
    for column, cell in zip(columns, cells, strict=False):
        head = column.lower()
        if use is None and any(word in head for word in ("role", "use", "usage", "purpose")):
            use = cell
        if not name and cell in worded and any(word in head for word in ("name", "colo")):
            name = cell
    use = use or ""
    stated = f"{use}\n{name or ' '.join(worded)}"
    if not name:
        others = [cell for cell in worded if cell != use]
        name = others[0] if others else ""
    return _strip_notations(name), stated


def _find_label(
    lines: Sequence[str], at: int, before: str, after: str, taken: set[int]
) -> tuple[str, str]:
    """Return the name and the use stated for a colour code in running text.

    They are on the line of the code, else on a line above it that is a name, else below it. taken:
    the numbers of the lines that are names of other codes, to which a new one is added.
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
    below: list[int] = []
    for n in range(at + 1, min(len(lines), at + 1 + LINES_AROUND // 2)):
        # A heading below belongs to what follows it.
        if lines[n].startswith("#"):
            break
        below.append(n)
    name = _take_label(lines, above, taken) or _take_label(lines, below, taken)
    return name, name


def _take_label(lines: Sequence[str], numbers: Iterable[int], taken: set[int]) -> str:
    """Return the first free name on these lines, "" if another code or a sentence comes first."""
    for n in numbers:
        name = None if _HEX.search(lines[n]) else _parse_label(lines[n])
        if name is None:
            return ""
        if name and n not in taken:
            taken.add(n)
            return name
    return ""


def _parse_label(line: str) -> str | None:
    """Return the name on a line, "" for a line of codes only, or None for any other line."""
    bare = _strip_notations(line.lstrip("#- "))
    if not bare:
        return ""
    if len(bare) > MAX_NAME_CHARACTERS or len(bare.split()) > 6:
        return None
    if _GENERIC.fullmatch(bare) or bare.endswith(("!", "?")):
        return None
    return bare


def _strip_notations(text: str) -> str:
    """Return the words of a text without colour codes, "" if there are none."""
    rest = _CODES.sub(" ", _PANTONE.sub(" ", _HEX.sub(" ", text)))
    rest = " ".join(rest.split()).strip(_EDGES)
    return rest if sum(map(str.isalpha, rest)) >= 2 else ""


def _find_role(context: str, headings: Sequence[str]) -> str:
    """Return the role that the words beside a code state, else the last heading that states one."""
    for text in (context, *reversed(headings)):
        for role, words in ROLE_PATTERNS:
            if words.search(text):
                return role
    return ""


def _find_notations(lines: Sequence[str], at: int) -> dict[str, str]:
    """Return the other notations on the line of a code and on the lines that follow it."""
    own: list[str] = []
    # With several codes on a line it is open which one a notation belongs to.
    if len(_HEX.findall(lines[at])) == 1:
        own.append(lines[at])
        for line in lines[at + 1 : at + 1 + LINES_AFTER]:
            if _HEX.search(line) or _strip_notations(line):
                break
            own.append(line)
    text = "\n".join(own)
    notations = {"rgb": "", "cmyk": "", "pantone": ""}
    for name, pattern in (("rgb", _RGB), ("cmyk", _CMYK)):
        match = pattern.search(text)
        if match:
            notations[name] = ", ".join(match.groups())
    pantone = _PANTONE.search(text)
    if pantone:
        notations["pantone"] = " ".join(pantone[1].split())
    return notations
