"""Extract what a page states of a brand, merge the findings of several, grade and format them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from research_core.model_messages import Json
from research_core.tools.brand.colours import find_colours, group_by_role
from research_core.tools.brand.identity import find_logos
from research_core.tools.brand.markup import Markup
from research_core.tools.brand.typography import read_typography
from research_core.tools.brand.voice import read_tone_of_voice

FORMAT_VERSION = "Design Tokens Format Module 2025.10"
_LENGTH = re.compile(r"(\d{1,4}(?:\.\d{1,3})?)\s?(px|rem)")


def extract_brand(page: Markup) -> Json:
    """Return the colors, typography, logos and tone_of_voice that one page states."""
    found: dict[str, Json] = {
        "colors": {"palette": find_colours(page.text)},
        "typography": read_typography(page.text, [url for _, url in page.links]),
        "logos": find_logos(page),
        "tone_of_voice": read_tone_of_voice(page.text),
    }
    if not found["colors"]["palette"]:
        found["colors"] = {}
    return found


def merge_findings(found: Json, later: Json) -> tuple[Json, list[str]]:
    """Add later findings without changing earlier ones.

    Return the result and the names of the fields that gained.
    """
    added: list[str] = []
    merged: Json = {}
    for name in dict.fromkeys((*found, *later)):
        old = found.get(name, {})
        new = later.get(name, {})
        merged[name] = {**new, **old}
        if name == "colors":
            old_palette = old.get("palette", [])
            palette = _merge_palettes(old_palette, new.get("palette", []))
            merged[name]["palette"] = palette
            if len(palette) > len(old_palette):
                added.append("colors.palette")
        for field in new:
            if field not in old and field != "palette":
                added.append(f"{name}.{field}")
    return merged, added


def _merge_palettes(old: list[Json], new: list[Json]) -> list[Json]:
    known = {entry["hex"] for entry in old}
    return [*old, *(entry for entry in new if entry["hex"] not in known)]


def add_role_colours(found: Json) -> Json:
    """Add the colour of each role, taken from the palette."""
    colors = found.get("colors", {})
    return {**found, "colors": {**group_by_role(colors.get("palette", [])), **colors}}


def measure_coverage(found: Json) -> Json:
    """Return how much of each part was found: full, partial or none; found or none for voice."""
    logos, faces = found.get("logos", {}), found.get("typography", {})
    entries = found.get("colors", {}).get("palette", [])
    icon = "icon" in logos or "favicon" in logos
    return {
        "colors": _grade_coverage(len(entries) >= 3, entries),
        "logos": _grade_coverage("primary" in logos and icon, logos),
        "typography": _grade_coverage("heading" in faces and "body" in faces, faces),
        "tone_of_voice": "found" if found.get("tone_of_voice") else "none",
    }


def _grade_coverage(is_full: bool, found: Any) -> str:
    if is_full:
        return "full"
    return "partial" if found else "none"


# ---------------------------------------------------------------- design tokens


def build_design_tokens(colors: Mapping[str, object], typography: Mapping[str, object]) -> Json:
    """Return `$description` and the non-empty groups color, font and size."""
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
