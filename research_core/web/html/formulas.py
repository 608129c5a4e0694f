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

from research_core.web.html.elements import SUPERSCRIPTS, element_line, fold_text

Element = Any  # lxml ships no types

#: A formula is no longer than this; the rest is left out.
MAX_FORMULA_LENGTH = 2_000
_RELATIONS = frozenset("= ≠ < > ≤ ≥ ≈ ≡ ∼ ≃ ≅ ∝ ∈ ∉ ⊂ ⊆ → ← ↔ ⇒ ⇔ ↦ ≪ ≫ :=".split())
#: Marks of a picture or an element that draws TeX.
_FORMULA_PICTURE = re.compile(
    r"(?:^|[\s_-])(?:math|latex|tex|katex|formula|equation)(?:$|[\s_-])", re.IGNORECASE
)
_STYLE_WRAPPER = re.compile(r"^\{?\s*\\(?:displaystyle|textstyle)\s*(.*?)\}?$", re.DOTALL)
#: Marks of an element that holds a formula in several forms, and how far around one of them it
#: stands.
_FORMULA_HOLDER, MAX_HOLDER_LEVELS = (
    re.compile(r"(?:^|\s)(?:katex|mwe-math-element|MathJax)(?:$|\s)"),
    8,
)
#: MathML that is nested deeper is taken as it stands.
MAX_DEPTH = 60
_PROSE_WORDS = re.compile(r"(?:(?<![\\A-Za-z])[A-Za-z]{2,}[ ,.;:!?]+){5,}[A-Za-z]{2,}")


def keep_tex_scripts(tree: Element) -> None:
    """Write the TeX that the page's own script would draw in place of that script, unless the page
    holds it drawn as MathML.
    """
    for script in list(tree.iter("script")):
        if script.get("type", "").lower().startswith("math/tex"):
            drawn = _find_drawn_formula(script)
            tex = (
                ""
                if any(next(each.iter("math"), None) is not None for each in drawn)
                else _clean_tex(script.text or "")
            )
            for each in drawn if tex else ():
                each.drop_tree()
            if tex:
                _replace_with_formula(script, tex)


def write_formulas(tree: Element) -> None:
    """Write the formulas into a tree without hidden elements: MathML and pictures of TeX become
    text, what draws one again goes.
    """
    for math in list(tree.iter("math", "mml:math")):
        _replace_with_formula(math, fold_text(_linear_text(math))[:MAX_FORMULA_LENGTH])
        _drop_duplicates(math)
    for picture in list(tree.iter("img")):
        alt = picture.get("alt") or ""
        if (
            len(alt) > 1
            and (_FORMULA_PICTURE.search(picture.get("class") or "") or _STYLE_WRAPPER.match(alt))
            and (tex := _clean_tex(alt))
        ):
            _replace_with_formula(picture, "" if _is_duplicate(picture) else tex)


def _replace_with_formula(element: Element, text: str) -> None:
    tail = element.tail
    element.clear()
    element.tag, element.text, element.tail = "span", text, tail


def _clean_tex(source: str) -> str:
    """TeX in one line, without what only sets its size; nothing, where it is no formula but says
    something.
    """
    tex = fold_text(source).strip("$").strip()
    styled = _STYLE_WRAPPER.match(tex)
    tex = (styled[1] if styled else tex).strip()
    return "" if len(tex) > MAX_FORMULA_LENGTH or _PROSE_WORDS.search(tex) else tex


def _find_drawn_formula(script: Element) -> list[Element]:
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


def _drop_duplicates(math: Element) -> None:
    """Of the element that holds a formula in several forms, only what was MathML stays."""
    for around in islice(math.iterancestors(), MAX_HOLDER_LEVELS):
        if around.tag == "mjx-container" or (
            around.tag == "span" and _FORMULA_HOLDER.search(around.get("class") or "")
        ):
            if (math.text or "").strip() and next(around.iter("math"), None) is None:
                _replace_with_formula(around, math.text)
            return


def _is_duplicate(picture: Element) -> bool:
    around = picture.getparent()
    return (
        around is not None
        and _FORMULA_HOLDER.search(around.get("class") or "") is not None
        and bool(element_line(around))
    )


# ---------------------------------------------------------------- MathML in one line


def _linear_text(element: Element, depth: int = 0) -> str:
    """MathML as it would be typed: a/b, x², x_i, √(x), the rows of a matrix apart by semicolons."""
    tag = str(element.tag).rpartition(":")[2]
    if tag in _UNDRAWN_TAGS:
        return ""
    if depth > MAX_DEPTH:
        return "".join(element.itertext())
    parts = [
        _linear_text(each, depth + 1).strip()
        if tag in _LINEAR_FORMS
        else _linear_text(each, depth + 1)
        for each in element
    ]
    if tag in _LINEAR_FORMS and (tag not in _TWO_PART_TAGS or len(parts) > 1):
        return _LINEAR_FORMS[tag](parts)
    tails = (each.tail or "" for each in element)
    text = "".join(
        [element.text or "", *(piece for pair in zip(parts, tails, strict=True) for piece in pair)]
    )
    text = fold_text(text) if tag in _TOKEN_TAGS else text
    return f" {text} " if tag == "mo" and text in _RELATIONS else " " if tag == "mspace" else text


def _bracketed(text: str) -> str:
    """In brackets, unless it is one sign, name or number."""
    return text if re.fullmatch(r"\w*|\W", text) else f"({text})"


def _superscript(text: str) -> str:
    raised = text.translate(SUPERSCRIPTS)
    return (
        raised
        if len(text) < 5 and all(ord(each) in SUPERSCRIPTS.values() for each in raised)
        else f"^{_bracketed(text)}"
    )


def _with_scripts(parts: list[str]) -> str:
    """A sign with what stands below and above it."""
    base, below, *above = parts
    return (
        base
        + (f"_{_bracketed(below)}" if below else "")
        + "".join(_superscript(each) for each in above[:1] if each)
    )


def _with_limits(parts: list[str]) -> str:
    base, above, *_ = parts
    return base + (
        above if len(above) == 1 and not above.isalnum() else _superscript(above) if above else ""
    )


_UNDRAWN_TAGS = frozenset("mphantom annotation annotation-xml none mprescripts".split())
_TOKEN_TAGS = frozenset("mi mn mo ms".split())
_TWO_PART_TAGS = frozenset("mfrac msup mover mroot msub munder msubsup munderover".split())
_LINEAR_FORMS: dict[str, Callable[[list[str]], str]] = {
    "mfrac": lambda parts: f"{_bracketed(parts[0])}/{_bracketed(parts[1])}",
    "msup": lambda parts: parts[0] + (_superscript(parts[1]) if parts[1] else ""),
    "mover": _with_limits,
    "mroot": lambda parts: f"{_superscript(parts[1]).lstrip('^')}√{_bracketed(parts[0])}",
    **dict.fromkeys(("msub", "munder", "msubsup", "munderover"), _with_scripts),
    "msqrt": lambda parts: f"√{_bracketed(''.join(parts))}",
    "mfenced": lambda parts: f"({', '.join(parts)})",
    "mtable": lambda parts: f"[{'; '.join(parts)}]",
    "mtr": ", ".join,
    "semantics": lambda parts: "".join(parts[:1]),
}
