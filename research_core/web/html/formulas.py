"""Write a page's formulas as text on one line, from MathML or else from TeX.

Each comes out once, however many forms of it the page holds. TeX that no browser draws, such as
that beside MathML, and TeX that contains sentences are not read. Nothing is computed or simplified.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

from research_core.web.html.elements import SUPERSCRIPTS, fold_text, get_element_line
from research_core.web.lxml_types import Element

#: Characters of a formula; the rest is cut.
MAX_FORMULA_LENGTH = 2_000
_RELATIONS = frozenset("= ≠ < > ≤ ≥ ≈ ≡ ∼ ≃ ≅ ∝ ∈ ∉ ⊂ ⊆ → ← ↔ ⇒ ⇔ ↦ ≪ ≫ :=".split())
#: Classes of a picture or element that draws TeX.
_FORMULA_PICTURE = re.compile(
    r"(?:^|[\s_-])(?:math|latex|tex|katex|formula|equation)(?:$|[\s_-])", re.IGNORECASE
)
_STYLE_WRAPPER = re.compile(r"^\{?\s*\\(?:displaystyle|textstyle)\s*(.*?)\}?$", re.DOTALL)
#: Classes of an element that holds a formula in several forms, and how many levels above one of
#: them it may stand.
_FORMULA_HOLDER, MAX_HOLDER_LEVELS = (
    re.compile(r"(?:^|\s)(?:katex|mwe-math-element|MathJax)(?:$|\s)"),
    8,
)
#: Depth below which MathML is taken as plain text.
MAX_DEPTH = 60
_PROSE_WORDS = re.compile(r"(?:(?<![\\A-Za-z])[A-Za-z]{2,}[ ,.;:!?]+){5,}[A-Za-z]{2,}")


def keep_tex_scripts(tree: Element) -> None:
    """Replace scripts that would draw TeX by that TeX, unless it is already drawn as MathML."""
    for script in list(tree.iter("script")):
        if not script.get("type", "").lower().startswith("math/tex"):
            continue
        drawn = _find_drawn_formula(script)
        if any(next(each.iter("math"), None) is not None for each in drawn):
            continue
        tex = _clean_tex(script.text or "")
        if not tex:
            continue
        for each in drawn:
            each.drop_tree()
        _replace_with_formula(script, tex)


def write_formulas(tree: Element) -> None:
    """Replace MathML and pictures of TeX by text, and drop duplicate forms.

    The tree must be free of hidden elements.
    """
    for math in list(tree.iter("math", "mml:math")):
        _replace_with_formula(math, fold_text(_format_linear_text(math))[:MAX_FORMULA_LENGTH])
        _drop_duplicates(math)
    for picture in list(tree.iter("img")):
        alt = picture.get("alt") or ""
        is_formula = _FORMULA_PICTURE.search(picture.get("class") or "") or _STYLE_WRAPPER.match(
            alt
        )
        if len(alt) < 2 or not is_formula:
            continue
        tex = _clean_tex(alt)
        if tex:
            _replace_with_formula(picture, "" if _is_duplicate(picture) else tex)


def _replace_with_formula(element: Element, text: str) -> None:
    tail = element.tail
    element.clear()
    element.tag, element.text, element.tail = "span", text, tail


def _clean_tex(source: str) -> str:
    """Return TeX on one line without size commands; "" if it reads like prose."""
    tex = fold_text(source).strip("$").strip()
    styled = _STYLE_WRAPPER.match(tex)
    tex = (styled[1] if styled else tex).strip()
    return "" if len(tex) > MAX_FORMULA_LENGTH or _PROSE_WORDS.search(tex) else tex


def _find_drawn_formula(script: Element) -> list[Element]:
    """Return the elements in which MathJax drew a script's formula, just before it."""
    drawn: list[Element] = []
    for each in islice(script.itersiblings(preceding=True), 2):
        is_mathjax = "mathjax" in (each.get("class") or "").lower()
        if not is_mathjax or (each.tail or "").strip():
            break
        drawn.append(each)
    return drawn


def _drop_duplicates(math: Element) -> None:
    """Reduce an element that holds a formula in several forms to the MathML's text."""
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
        and bool(get_element_line(around))
    )


# ---------------------------------------------------------------- MathML in one line


def _format_linear_text(element: Element, depth: int = 0) -> str:
    """Return MathML as one would type it: a/b, x², x_i, √(x), [matrix; rows]."""
    tag = str(element.tag).rpartition(":")[2]
    if tag in _UNDRAWN_TAGS:
        return ""
    if depth > MAX_DEPTH:
        return "".join(element.itertext())
    parts = [_format_linear_text(each, depth + 1) for each in element]
    if tag in _LINEAR_FORMS:
        parts = [part.strip() for part in parts]
        if tag not in _TWO_PART_TAGS or len(parts) > 1:
            return _LINEAR_FORMS[tag](parts)
    pieces = [element.text or ""]
    for part, each in zip(parts, element, strict=True):
        pieces += [part, each.tail or ""]
    text = "".join(pieces)
    if tag in _TOKEN_TAGS:
        text = fold_text(text)
    if tag == "mspace":
        return " "
    return f" {text} " if tag == "mo" and text in _RELATIONS else text


def _put_in_brackets(text: str) -> str:
    """Put text in brackets, unless it is one sign, name or number."""
    return text if re.fullmatch(r"\w*|\W", text) else f"({text})"


def _format_superscript(text: str) -> str:
    raised = text.translate(SUPERSCRIPTS)
    if len(text) < 5 and all(ord(each) in SUPERSCRIPTS.values() for each in raised):
        return raised
    return f"^{_put_in_brackets(text)}"


def _format_with_scripts(parts: list[str]) -> str:
    """Format a sign with its subscript and superscript."""
    base, below, *above = parts
    if below:
        base += f"_{_put_in_brackets(below)}"
    if above and above[0]:
        base += _format_superscript(above[0])
    return base


def _format_with_limits(parts: list[str]) -> str:
    base, above, *_ = parts
    if not above:
        return base
    if len(above) == 1 and not above.isalnum():
        return base + above
    return base + _format_superscript(above)


_UNDRAWN_TAGS = frozenset("mphantom annotation annotation-xml none mprescripts".split())
_TOKEN_TAGS = frozenset("mi mn mo ms".split())
_TWO_PART_TAGS = frozenset("mfrac msup mover mroot msub munder msubsup munderover".split())
_LINEAR_FORMS: dict[str, Callable[[list[str]], str]] = {
    "mfrac": lambda parts: f"{_put_in_brackets(parts[0])}/{_put_in_brackets(parts[1])}",
    "msup": lambda parts: parts[0] + (_format_superscript(parts[1]) if parts[1] else ""),
    "mover": _format_with_limits,
    "mroot": lambda parts: (
        f"{_format_superscript(parts[1]).lstrip('^')}√{_put_in_brackets(parts[0])}"
    ),
    **dict.fromkeys(("msub", "munder", "msubsup", "munderover"), _format_with_scripts),
    "msqrt": lambda parts: f"√{_put_in_brackets(''.join(parts))}",
    "mfenced": lambda parts: f"({', '.join(parts)})",
    "mtable": lambda parts: f"[{'; '.join(parts)}]",
    "mtr": ", ".join,
    "semantics": lambda parts: "".join(parts[:1]),
}
