"""Decide whether an animation keeps text out of sight: never shows it, or soon leaves it unseen.

Judged is the last animation of an element's style, as a browser has it when all rules are laid over
one another. What waits for a script, or for the reader to scroll, does not count as hidden, nor
what is not understood: a time that is a sum, a list that is too long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from research_core.web.css.styles import (
    LONGEST_VALUE,
    Style,
    find_hiding_reason,
    parse_declarations,
    split_importance,
)

#: Seconds. What can be seen for longer before it goes can be read.
SOON_S = 2.0
_KEYFRAMES = re.compile(
    r"@(?:-webkit-)?keyframes\s+[\"']?([\w-]+)[\"']?\s*\{((?:[^{}]*+\{[^{}]*+\})*+)\s*\}",
    re.IGNORECASE,
)
_FRAME = re.compile(r"([^{}]*+)\{([^{}]*+)\}")
_TIME = re.compile(r"([+-]?\d{0,6}\.?\d{1,6})(m?s)")
_COUNT = re.compile(r"\d{1,6}(?:\.\d{1,6})?")
_NAME = re.compile(r"[\"']?([\w-]+)[\"']?")
_EASING = re.compile(
    r"(?:cubic-bezier|steps|linear)\([^()]*\)"
    r"|(?<![\w-])(?:ease(?:-in)?(?:-out)?|linear|step-(?:start|end))(?![\w-])"
)
#: The parts of an animation with their initial values.
_INITIAL = {
    "animation-name": "none", "animation-duration": "0s", "animation-delay": "0s",
    "animation-iteration-count": "1",
    "animation-direction": "normal", "animation-fill-mode": "none",
    "animation-play-state": "running",
}  # fmt: skip
_KEYWORDS = {
    "infinite": "animation-iteration-count",
    **dict.fromkeys(("none", "forwards", "backwards", "both"), "animation-fill-mode"),
    **dict.fromkeys(("normal", "reverse", "alternate", "alternate-reverse"), "animation-direction"),
    **dict.fromkeys(("running", "paused"), "animation-play-state"),
}
#: The value of a part that is not understood.
_UNKNOWN = "?"
_UNDERSTOOD = frozenset({*_INITIAL, "animation-timing-function"})


class Frames(NamedTuple):
    """What the frames of one animation hide.

    never: whether no frame shows anything; first, last: their declarations, {} if they hide
    nothing.
    """

    never: bool
    first: Style
    last: Style

    @property
    def hides(self) -> bool:
        return bool(self.first or self.last)


# ---------------------------------------------------------------- keyframes


def read_keyframes(css: str) -> Iterator[tuple[str, Frames, bool]]:
    """Yield the name and frames of each animation, and whether it is outside all conditions.

    css: a sheet without comments.
    """
    level, since = 0, 0
    for found in _KEYFRAMES.finditer(css):
        level += css.count("{", since, found.start()) - css.count("}", since, found.start())
        since = found.end()
        yield found[1].lower(), _read_frames(found[2]), level <= 0


def _read_frames(css: str) -> Frames:
    frames = [
        (_parse_frame_offsets(head), parse_declarations(body)) for head, body in _FRAME.findall(css)
    ]
    first = _find_hiding_declarations([style for offsets, style in frames if "0%" in offsets])
    last = _find_hiding_declarations([style for offsets, style in frames if "100%" in offsets])
    never = bool(first and last) and all(_find_hiding_declarations([style]) for _, style in frames)
    return Frames(never, first, last)


def _find_hiding_declarations(styles: list[Style]) -> Style:
    """Return the declarations of one frame; {} if they hide nothing.

    A share in a move is of the text's own size, which does not put it out of sight.
    """
    frame: Style = {}
    for style in styles:
        for name, value in style.items():
            if not ("%" in value and "trans" in name):
                frame[name] = value
    return frame if find_hiding_reason(frame) else {}


def _parse_frame_offsets(head: str) -> list[str]:
    plain = head.lower().replace("from", "0%").replace("to", "100%")
    return plain.replace(" ", "").strip().split(",")


# ---------------------------------------------------------------- the animation of an element


def names_hiding_animation(declared: tuple[Style, Style], animations: Mapping[str, Frames]) -> bool:
    """Return whether one of the animations that declarations name hides in some way."""
    names = [name for parts in declared for name in _list_animation_names(parts)]
    return any(name in animations and animations[name].hides for name in names)


def find_final_frame(parts: Style, animations: Mapping[str, Frames]) -> Style:
    """Return the frame in which the last animation leaves an element.

    {} if that hides nothing or is not known. parts: as `parse_animation_parts` gives them.
    """
    names = _list_animation_names(parts)
    if not names or names[-1] not in animations:
        return {}
    for name, value in parts.items():
        if name not in _UNDERSTOOD and value not in ("auto", "normal", "replace"):
            return {}
    frames = animations[names[-1]]
    if frames.never:
        return frames.last
    run = {part: _get_nth_value(parts, part, len(names) - 1) for part in _INITIAL}
    return _find_resting_frame(frames, run)


def _find_resting_frame(frames: Frames, run: Style) -> Style:
    """Return the frame in which an animation soon stops; {} if it does not.

    It is the last frame, or the first if the animation runs backwards in the end.
    """
    duration = _parse_seconds(run["animation-duration"])
    delay = _parse_seconds(run["animation-delay"])
    turns = run["animation-iteration-count"]
    if run["animation-fill-mode"] not in ("forwards", "both"):
        return {}
    if run["animation-play-state"] != "running" or duration is None or delay is None:
        return {}
    if not turns.isdecimal() or not 0 < int(turns) < 1_000_000:
        return {}
    if delay + duration * int(turns) > SOON_S:
        return {}
    direction = run["animation-direction"]
    turned = direction.startswith("alternate") and int(turns) % 2 == 0
    return frames.first if direction.endswith("reverse") != turned else frames.last


def _list_animation_names(parts: Style) -> list[str]:
    if "animation-name" not in parts:
        return []
    return [name.strip(" \"'") for name in parts["animation-name"].split(",")]


def _get_nth_value(parts: Style, part: str, place: int) -> str:
    """Return the value for the animation at a place; a list shorter than that of names repeats."""
    values = parts.get(part, _INITIAL[part]).split(",")
    return values[place % len(values)].strip()


def _parse_seconds(time: str) -> float | None:
    found = _TIME.fullmatch(time)
    if not found:
        return None
    return float(found[1]) / (1000 if found[2] == "ms" else 1)


# ---------------------------------------------------------------- declarations


@lru_cache(maxsize=4096)
def parse_animation_parts(css: str) -> tuple[Style, Style]:
    """Return the animation properties that declarations set, and those they set as important.

    The shorthand is split into its parts.
    """
    if "animation" not in css.lower() and "\\" not in css:
        return {}, {}
    normal, important = split_importance(css)
    return _keep_animation_parts(normal), _keep_animation_parts(important)


def _keep_animation_parts(style: Style) -> Style:
    parts: Style = {}
    for name, value in style.items():
        part = name.removeprefix("-webkit-")
        is_whole = len(value) < LONGEST_VALUE
        if part == "animation":
            parts.update(_split_shorthand(value) if is_whole else _UNKNOWN_PARTS)
        elif part.startswith("animation-"):
            parts[part] = value if is_whole else _UNKNOWN
    return parts


_UNKNOWN_PARTS = dict.fromkeys(_INITIAL, _UNKNOWN)


def _split_shorthand(value: str) -> Style:
    """Return the parts of the `animation` shorthand, all unknown if one word is."""
    lists: dict[str, list[str]] = {part: [] for part in _INITIAL}
    for animation in _EASING.sub(" ", value).split(","):
        found: Style = {}
        for word in animation.split():
            part = _find_part_of_word(word, found)
            if not part:
                return _UNKNOWN_PARTS
            found[part] = word
        for part, initial in _INITIAL.items():
            lists[part].append(found.get(part, initial))
    return {part: ",".join(words) for part, words in lists.items()}


def _find_part_of_word(word: str, found: Style) -> str:
    """Return the part that a word of the shorthand sets; "" if that cannot be told.

    found: the parts set by the words before it.
    """
    if _TIME.fullmatch(word):
        parts = ["animation-duration", "animation-delay"]
    elif _COUNT.fullmatch(word):
        parts = ["animation-iteration-count"]
    elif word in _KEYWORDS:
        parts = [_KEYWORDS[word]]
    elif _NAME.fullmatch(word):
        parts = ["animation-name"]
    else:
        return ""
    for part in parts:
        if part not in found:
            return part
    return ""
