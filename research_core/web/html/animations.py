"""The animations of a page's style sheets that keep text out of sight: in which it is never seen, and which leave it unseen soon.

What waits for a script, or for the reader to scroll, is not taken for hidden. Which rules apply to an element is the question of `sheets`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from research_core.web.html.styles import Style, declarations, unseen

#: Seconds. What can be seen for longer before it goes can be read.
SOON_S = 2.0
_FRAMES = re.compile(r"@(?:-webkit-)?keyframes\s+[\"']?([\w-]+)[\"']?\s*\{((?:[^{}]*+\{[^{}]*+\})*+)\s*\}", re.IGNORECASE)
_FRAME = re.compile(r"([^{}]*+)\{([^{}]*+)\}")
_TIME = re.compile(r"(\d{0,6}\.?\d{1,6})(m?s)")
_COUNT = re.compile(r"\d{1,6}(?:\.\d{1,6})?")


class Animations:
    """Those of one page, by name."""

    def __init__(self) -> None:
        self._never_shown: set[str] = set()
        self._ends: dict[str, tuple[bool, bool]] = {}

    def __bool__(self) -> bool:
        return bool(self._never_shown or self._ends)

    def read(self, css: str) -> None:
        """Take in those of a sheet without comments."""
        for name, frames in _FRAMES.findall(css):
            said = [(_places(head), declarations(body)) for head, body in _FRAME.findall(frames)]
            first, last = (any(place in places and unseen(style) for places, style in said) for place in ("0%", "100%"))
            if first and last and all(unseen(style) for _, style in said):
                self._never_shown.add(name.lower())
            if first or last:
                self._ends[name.lower()] = first, last

    def hide(self, style: Style) -> bool:
        """Whether a style, in lower case, gives its element an animation that keeps it out of sight."""
        said = {name.removeprefix("-webkit-"): value for name, value in style.items() if "animation" in name} if self else {}
        if any(name in self._never_shown for value in said.values() for name in re.findall(r"[\w-]+", value)):
            return True
        return "animation-timeline" not in said and any(self._leaves_unseen(words) for words in _apart(said))

    def _leaves_unseen(self, words: list[str]) -> bool:
        """Whether it soon comes to stand on a frame that hides: the last, or the first where it runs backwards in the end."""
        if not {"forwards", "both"} & set(words) or {"infinite", "paused"} & set(words):
            return False
        count = next((float(word) for word in words if _COUNT.fullmatch(word)), 1.0)
        times = (found for found in map(_TIME.fullmatch, words) if found)
        if max(1.0, count) * sum(float(time[1]) / (1000 if time[2] == "ms" else 1) for time in times) > SOON_S:
            return False
        turned = any(word.startswith("alternate") for word in words) and count % 2 == 0
        backwards = any(word.endswith("reverse") for word in words) != turned
        return any(self._ends.get(word, (False, False))[not backwards] for word in words)


def _places(head: str) -> list[str]:
    return head.lower().replace("from", "0%").replace("to", "100%").replace(" ", "").strip().split(",")


def _apart(said: Style) -> Iterator[list[str]]:
    """The words of each animation of a style, with those that stand for all."""
    for_all = " ".join(value for name, value in said.items() if name != "animation").replace(",", " ")
    for one in re.sub(r"\([^()]*\)", "", said.get("animation", "")).split(",") if said else ():
        yield f"{one} {for_all}".split()
