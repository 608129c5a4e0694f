"""The animations of a page's style sheets that keep text out of sight: in which it is never seen,
and which leave it unseen soon.

Judged is the last animation that the style of an element comes to, as the browser has it when all
rules are laid over one another. What waits for a script, or for the reader to scroll, is not taken
for hidden, nor what is not understood: a time that is a sum, a list that is too long. Which rules
apply to an element is the question of `sheets`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from research_core.web.css.styles import LONGEST_VALUE, Style, by_importance, declarations, unseen

#: Seconds. What can be seen for longer before it goes can be read.
SOON_S = 2.0
#: A state of an element that comes and goes, and the rules for readers who want no motion: they may
#: take an animation back.
STATE = re.compile(r":(?:hover|focus|active|target|checked)", re.IGNORECASE)
STILL = re.compile(
    r"@media[^{}]{0,200}prefers-reduced-motion(?!\s*:\s*no-)[^{}]{0,200}\{((?:[^{}]*+\{[^{}]*+\})*+)",
    re.IGNORECASE,
)
_FRAMES = re.compile(
    r"@(?:-webkit-)?keyframes\s+[\"']?([\w-]+)[\"']?\s*\{((?:[^{}]*+\{[^{}]*+\})*+)\s*\}",
    re.IGNORECASE,
)
_FRAME = re.compile(r"([^{}]*+)\{([^{}]*+)\}")
_TIME = re.compile(r"([+-]?\d{0,6}\.?\d{1,6})(m?s)")
_COUNT = re.compile(r"\d{1,6}(?:\.\d{1,6})?")
_NAME = re.compile(r"[\"']?([\w-]+)[\"']?")
_EASING = re.compile(
    r"(?:cubic-bezier|steps|linear)\([^()]*\)|(?<![\w-])(?:ease(?:-in)?(?:-out)?|linear|step-(?:start|end))(?![\w-])"
)
#: What an animation is made up of, and what each part is where nothing says it.
_USUAL = {
    "animation-name": "none", "animation-duration": "0s", "animation-delay": "0s",
    "animation-iteration-count": "1",
    "animation-direction": "normal", "animation-fill-mode": "none",
    "animation-play-state": "running",
}  # fmt: skip
_WORDS = {"infinite": "animation-iteration-count"}
_WORDS |= dict.fromkeys(("none", "forwards", "backwards", "both"), "animation-fill-mode")
_WORDS |= dict.fromkeys(
    ("normal", "reverse", "alternate", "alternate-reverse"), "animation-direction"
)
_WORDS |= dict.fromkeys(("running", "paused"), "animation-play-state")
#: What a part is that is not understood.
_UNKNOWN = "?"
_UNDERSTOOD = frozenset({*_USUAL, "animation-timing-function"})


class _Frames(NamedTuple):
    """never: whether none of its frames shows anything; first, last: what these declare, where it
    hides.
    """

    never: bool
    first: Style
    last: Style

    @property
    def hides(self) -> bool:
        return bool(self.first or self.last)


class Animations:
    """Those of one page, by name."""

    def __init__(self) -> None:
        self._frames: dict[str, _Frames] = {}

    def __bool__(self) -> bool:
        return any(frames.hides for frames in self._frames.values())

    def read(self, css: str, *, sure: bool = True) -> None:
        """Take in those of a sheet without comments. A later one of the same name counts; one in
        doubt only where it hides nothing.
        """
        level, since = 0, 0
        for found in _FRAMES.finditer(css):
            level += css.count("{", since, found.start()) - css.count("}", since, found.start())
            since = found.end()
            name, frames = found[1].lower(), _read(found[2])
            if name not in self._frames or (sure and level <= 0) or not frames.hides:
                self._frames[name] = frames

    def could_hide(self, said: Style) -> bool:
        """Whether one of the animations that a style names hides in some way."""
        return any(name in self._frames and self._frames[name].hides for name in _names(said))

    def end(self, said: Style) -> Style:
        """What the last of the animations that a style comes to leaves an element with; {} where
        that hides nothing, or is not known.
        """
        names = _names(said)
        frames = self._frames.get(names[-1]) if names else None
        strange = any(
            name not in _UNDERSTOOD and value not in ("auto", "normal", "replace")
            for name, value in said.items()
        )
        if frames is None or strange:
            return {}
        return (
            frames.last
            if frames.never
            else self._left_with(
                frames, {part: _nth(said, part, len(names) - 1) for part in _USUAL}
            )
        )

    @staticmethod
    def _left_with(frames: _Frames, run: Style) -> Style:
        """The frame on which it soon comes to stand: the last, or the first where it runs backwards
        in the end.
        """
        times = [_seconds(run[part]) for part in ("animation-duration", "animation-delay")]
        turns = run["animation-iteration-count"]
        stays = (
            run["animation-fill-mode"] in ("forwards", "both")
            and run["animation-play-state"] == "running"
        )
        if not stays or None in times or not turns.isdecimal() or not 0 < int(turns) < 1_000_000:
            return {}
        duration, delay = (time or 0.0 for time in times)
        if delay + duration * int(turns) > SOON_S:
            return {}
        direction = run["animation-direction"]
        turned = direction.startswith("alternate") and int(turns) % 2 == 0
        return frames.first if direction.endswith("reverse") != turned else frames.last


@lru_cache(maxsize=4096)
def longhands(css: str) -> tuple[Style, Style]:
    """What declarations say of animations, part by part, and what they say of them as important."""
    if "animation" not in css.lower() and "\\" not in css:
        return {}, {}
    both: tuple[Style, Style] = {}, {}
    for said, style in zip(both, by_importance(css), strict=True):
        for name, value in style.items():
            part, whole = name.removeprefix("-webkit-"), len(value) < LONGEST_VALUE
            if part == "animation":
                said.update(_taken_apart(value) if whole else dict.fromkeys(_USUAL, _UNKNOWN))
            elif part.startswith("animation-"):
                said[part] = value if whole else _UNKNOWN
    return both


def _taken_apart(value: str) -> Style:
    """The parts of animations that are said in one; not known, all of them, where a word is not
    understood.
    """
    lists: dict[str, list[str]] = {part: [] for part in _USUAL}
    for one in _EASING.sub(" ", value).split(","):
        found = dict[str, str]()
        for word in one.split():
            part = _part(word, found)
            if not part:
                return dict.fromkeys(_USUAL, _UNKNOWN)
            found[part] = word
        for part, usual in _USUAL.items():
            lists[part].append(found.get(part, usual))
    return {part: ",".join(words) for part, words in lists.items()}


def _part(word: str, found: Style) -> str:
    """What a word says of an animation of which other words were read; "" where that cannot be
    told.
    """
    if _TIME.fullmatch(word):
        parts = ["animation-duration", "animation-delay"]
    elif _COUNT.fullmatch(word):
        parts = ["animation-iteration-count"]
    else:
        parts = (
            [_WORDS[word]]
            if word in _WORDS
            else ["animation-name"]
            if _NAME.fullmatch(word)
            else []
        )
    return next((part for part in parts if part not in found), "")


def _read(css: str) -> _Frames:
    said = [(_places(head), declarations(body)) for head, body in _FRAME.findall(css)]
    first, last = (
        _hiding([style for places, style in said if place in places]) for place in ("0%", "100%")
    )
    return _Frames(bool(first and last) and all(_hiding([style]) for _, style in said), first, last)


def _hiding(styles: list[Style]) -> Style:
    """What the declarations of one frame come to, where they hide. A share in a move is of the
    text's own size: it is not out of sight.
    """
    style = {
        name: value
        for each in styles
        for name, value in each.items()
        if not ("%" in value and "trans" in name)
    }
    return style if unseen(style) else {}


def _places(head: str) -> list[str]:
    return (
        head.lower().replace("from", "0%").replace("to", "100%").replace(" ", "").strip().split(",")
    )


def _names(said: Style) -> list[str]:
    return (
        [one.strip(" \"'") for one in said["animation-name"].split(",")]
        if "animation-name" in said
        else []
    )


def _nth(said: Style, part: str, place: int) -> str:
    """What a list says of the animation at a place; it begins anew where it is shorter than that of
    the names.
    """
    words = said.get(part, _USUAL[part]).split(",")
    return words[place % len(words)].strip()


def _seconds(time: str) -> float | None:
    found = _TIME.fullmatch(time)
    return float(found[1]) / (1000 if found[2] == "ms" else 1) if found else None
