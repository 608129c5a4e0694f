"""Write findings as design tokens in the format of the Design Tokens Community Group."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from research_core.model_messages import Json

FORMAT_VERSION = "Design Tokens Format Module 2025.10"
_LENGTH = re.compile(r"(\d{1,4}(?:\.\d{1,3})?)\s?(px|rem)")


def build_design_tokens(colors: Mapping[str, object], typography: Mapping[str, object]) -> Json:
    """Return the groups "color", "font" and "size", without empty ones."""
    groups = {
        "color": _build_colours(colors),
        "font": _build_fonts(typography),
        "size": _build_sizes(typography.get("scale")),
    }
    return {"$description": FORMAT_VERSION} | {
        name: group for name, group in groups.items() if group
    }


def make_colour_value(code: str) -> Json:
    """Return the value of a color token for "#rrggbb"."""
    parts = [round(int(code[n : n + 2], 16) / 255, 4) for n in (1, 3, 5)]
    return {"colorSpace": "srgb", "components": parts, "alpha": 1, "hex": code}


def _build_colours(colors: Mapping[str, object]) -> Json:
    entries = colors.get("palette")
    tokens: Json = {}
    for number, entry in enumerate(entries if isinstance(entries, list) else (), 1):
        name = _find_free_name(_clean_name(entry.get("name", "")) or f"color-{number}", tokens)
        token: Json = {"$type": "color", "$value": make_colour_value(entry["hex"])}
        if entry.get("role"):
            token["$description"] = f"Role: {entry['role']}."
        tokens[name] = token
    role_tokens: Json = {}
    for role, code in colors.items():
        if isinstance(code, str):
            name = _find_free_name(f"role-{_clean_name(role)}", tokens)
            role_tokens[name] = {"$type": "color", "$value": make_colour_value(code)}
    return tokens | role_tokens


def _build_fonts(typography: Mapping[str, object]) -> Json:
    fonts: Json = {}
    for use in ("heading", "body", "mono"):
        face = typography.get(use)
        if not isinstance(face, dict):
            continue
        font: Json = {"family": {"$type": "fontFamily", "$value": face["family"]}}
        for weight in face.get("weights", ()):
            font[f"weight-{weight}"] = {"$type": "fontWeight", "$value": weight}
        fonts[use] = font
    return fonts


def _build_sizes(scale: object) -> Json:
    found: Json = {}
    steps: Sequence[Json] = scale if isinstance(scale, list) else ()
    for n, step in enumerate(steps, 1):
        length = _LENGTH.fullmatch(str(step.get("font_size", "")).strip())
        if length:
            name = _find_free_name(_clean_name(step.get("level", "")) or f"size-{n}", found)
            found[name] = {
                "$type": "dimension",
                "$value": {"value": float(length[1]), "unit": length[2]},
            }
    return found


def _clean_name(text: str) -> str:
    """Return a valid token name: without dots, braces and dollar signs."""
    return re.sub(r"[^\w]+", "-", text.lower()).strip("-_")[:60]


def _find_free_name(name: str, taken: Mapping[str, object]) -> str:
    """Return the name, with a number if it is taken."""
    free = name
    number = 2
    while free in taken:
        free = f"{name}-{number}"
        number += 1
    return free
