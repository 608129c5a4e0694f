"""Formulas of a page as text in one line: from the MathML that a browser draws, else from the TeX
that a picture or a script draws.

Each comes out once, however many forms of it the page holds. What no browser draws is not read,
such as the TeX beside MathML; nor is TeX that holds sentences. Nothing is reckoned or simplified.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice, takewhile
from typing import Any

from research_core.web.html.elements import RAISED, folded, one_line

Element = Any  # lxml ships no types

#: A formula is no longer than this; the rest is left out.
LONGEST = 2_000
_RELATIONS = frozenset("= ≠ < > ≤ ≥ ≈ ≡ ∼ ≃ ≅ ∝ ∈ ∉ ⊂ ⊆ → ← ↔ ⇒ ⇔ ↦ ≪ ≫ :=".split())
#: Marks of a picture or an element that draws TeX.
_DRAWN = re.compile(
    r"(?:^|[\s_-])(?:math|latex|tex|katex|formula|equation)(?:$|[\s_-])", re.IGNORECASE
)
_STYLED = re.compile(r"^\{?\s*\\(?:displaystyle|textstyle)\s*(.*?)\}?$", re.DOTALL)
#: Marks of an element that holds a formula in several forms, and how far around one of them it
#: stands.
_HOLDER, LEVELS = re.compile(r"(?:^|\s)(?:katex|mwe-math-element|MathJax)(?:$|\s)"), 8
#: MathML that is nested deeper is taken as it stands.
DEEPEST = 60
_WORDS = re.compile(r"(?:(?<![\\A-Za-z])[A-Za-z]{2,}[ ,.;:!?]+){5,}[A-Za-z]{2,}")


def keep_tex(tree: Element) -> None:
    """Write the TeX that the page's own script would draw in place of that script, unless the page
    holds it drawn as MathML.
    """
    for script in list(tree.iter("script")):
        if script.get("type", "").lower().startswith("math/tex"):
            drawn = _drawn_before(script)
            tex = (
                ""
                if any(next(each.iter("math"), None) is not None for each in drawn)
                else _tex(script.text or "")
            )
            for each in drawn if tex else ():
                each.drop_tree()
            if tex:
                _write(script, tex)


def write_formulas(tree: Element) -> None:
    """Write the formulas into a tree without hidden elements: MathML and pictures of TeX become
    text, what draws one again goes.
    """
    for math in list(tree.iter("math", "mml:math")):
        _write(math, folded(_linear(math))[:LONGEST])
        _drop_twins(math)
    for picture in list(tree.iter("img")):
        alt = picture.get("alt") or ""
        if (
            len(alt) > 1
            and (_DRAWN.search(picture.get("class") or "") or _STYLED.match(alt))
            and (tex := _tex(alt))
        ):
            _write(picture, "" if _is_twin(picture) else tex)


def _write(element: Element, text: str) -> None:
    tail = element.tail
    element.clear()
    element.tag, element.text, element.tail = "span", text, tail


def _tex(source: str) -> str:
    """TeX in one line, without what only sets its size; nothing, where it is no formula but says
    something.
    """
    tex = folded(source).strip("$").strip()
    styled = _STYLED.match(tex)
    tex = (styled[1] if styled else tex).strip()
    return "" if len(tex) > LONGEST or _WORDS.search(tex) else tex


def _drawn_before(script: Element) -> list[Element]:
    """What MathJax drew of the formula in a script: it stands before it."""
    near = islice(script.itersiblings(preceding=True), 2)
    return list(
        takewhile(
            lambda each: (
                "mathjax" in (each.get("class") or "").lower() and not (each.tail or "").strip()
            ),
            near,
        )
    )


def _drop_twins(math: Element) -> None:
    """Of the element that holds a formula in several forms, only what was MathML stays."""
    for around in islice(math.iterancestors(), LEVELS):
        if around.tag == "mjx-container" or (
            around.tag == "span" and _HOLDER.search(around.get("class") or "")
        ):
            if (math.text or "").strip() and next(around.iter("math"), None) is None:
                _write(around, math.text)
            return


def _is_twin(picture: Element) -> bool:
    around = picture.getparent()
    return (
        around is not None
        and _HOLDER.search(around.get("class") or "") is not None
        and bool(one_line(around))
    )


# ---------------------------------------------------------------- MathML in one line


def _linear(element: Element, depth: int = 0) -> str:
    """MathML as it would be typed: a/b, x², x_i, √(x), the rows of a matrix apart by semicolons."""
    tag = str(element.tag).rpartition(":")[2]
    if tag in _UNDRAWN:
        return ""
    if depth > DEEPEST:
        return "".join(element.itertext())
    parts = [
        _linear(each, depth + 1).strip() if tag in _LAID_OUT else _linear(each, depth + 1)
        for each in element
    ]
    if tag in _LAID_OUT and (tag not in _TWO or len(parts) > 1):
        return _LAID_OUT[tag](parts)
    tails = (each.tail or "" for each in element)
    text = "".join(
        [element.text or "", *(piece for pair in zip(parts, tails, strict=True) for piece in pair)]
    )
    text = folded(text) if tag in _TOKENS else text
    return f" {text} " if tag == "mo" and text in _RELATIONS else " " if tag == "mspace" else text


def _held(text: str) -> str:
    """In brackets, unless it is one sign, name or number."""
    return text if re.fullmatch(r"\w*|\W", text) else f"({text})"


def _raised(text: str) -> str:
    raised = text.translate(RAISED)
    return (
        raised
        if len(text) < 5 and all(ord(each) in RAISED.values() for each in raised)
        else f"^{_held(text)}"
    )


def _scripts(parts: list[str]) -> str:
    """A sign with what stands below and above it."""
    base, below, *above = parts
    return (
        base
        + (f"_{_held(below)}" if below else "")
        + "".join(_raised(each) for each in above[:1] if each)
    )


def _over(parts: list[str]) -> str:
    base, above, *_ = parts
    return base + (
        above if len(above) == 1 and not above.isalnum() else _raised(above) if above else ""
    )


_UNDRAWN = frozenset("mphantom annotation annotation-xml none mprescripts".split())
_TOKENS = frozenset("mi mn mo ms".split())
_TWO = frozenset("mfrac msup mover mroot msub munder msubsup munderover".split())
_LAID_OUT: dict[str, Callable[[list[str]], str]] = {
    "mfrac": lambda parts: f"{_held(parts[0])}/{_held(parts[1])}",
    "msup": lambda parts: parts[0] + (_raised(parts[1]) if parts[1] else ""),
    "mover": _over,
    "mroot": lambda parts: f"{_raised(parts[1]).lstrip('^')}√{_held(parts[0])}",
    **dict.fromkeys(("msub", "munder", "msubsup", "munderover"), _scripts),
    "msqrt": lambda parts: f"√{_held(''.join(parts))}",
    "mfenced": lambda parts: f"({', '.join(parts)})",
    "mtable": lambda parts: f"[{'; '.join(parts)}]",
    "mtr": ", ".join,
    "semantics": lambda parts: "".join(parts[:1]),
}
