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
    named: Json = {}
    for n, entry in enumerate(entries if isinstance(entries, list) else (), 1):
        name = _find_free_name(_clean_name(entry.get("name", "")) or f"color-{n}", named)
        about = f"Role: {entry['role']}." if entry.get("role") else ""
        named[name] = {"$type": "color", "$value": make_colour_value(entry["hex"])} | (
            {"$description": about} if about else {}
        )
    roles = {
        f"role-{_clean_name(role)}": code for role, code in colors.items() if isinstance(code, str)
    }
    return named | {
        _find_free_name(role, named): {"$type": "color", "$value": make_colour_value(code)}
        for role, code in roles.items()
    }


def _build_fonts(typography: Mapping[str, object]) -> Json:
    found: Json = {}
    for use in ("heading", "body", "mono"):
        face = typography.get(use)
        if isinstance(face, dict):
            weights = {
                f"weight-{weight}": {"$type": "fontWeight", "$value": weight}
                for weight in face.get("weights", ())
            }
            found[use] = {"family": {"$type": "fontFamily", "$value": face["family"]}, **weights}
    return found


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
    return next(
        each
        for each in (name, *(f"{name}-{n}" for n in range(2, len(taken) + 3)))
        if each not in taken
    )
