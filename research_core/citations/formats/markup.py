"""Render the markup of titles as text: HTML, JATS, MathML, and TeX.

The words inside markup stay. Sub- and superscripts become Unicode characters where it has them.
"""

from __future__ import annotations

import html
import re
import unicodedata
from html.entities import html5

from research_core.citations.formats import tex

#: How often a text may have been escaped, and how deep its tags are nested.
MAX_ESCAPES, MAX_NESTING = 3, 10
_HTML_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});", re.IGNORECASE)
#: Markup in titles of registries and reference managers; anything else between angle brackets
#: belongs to the title. A tag with a prefix is always markup, another one only with its end tag.
_PREFIXED_TAG = re.compile(r"</?(?:jats|mml|m|xhtml|xlink):[a-z-]+(?:\s[^<>]*)?/?>", re.IGNORECASE)
_PAIRED_TAG = re.compile(
    r"<(?P<name>i|b|u|s|em|strong|italic|bold|underline|sc|scp|small|big|span|font|p|div|tt|code|q"
    r"|title|roman|monospace|sans-serif|styled-content|named-content|inline-formula|tex-math"
    r"|alternatives|xref|fn|a)(?:\s[^<>]*)?>(?P<inside>(?:(?!<(?P=name)[\s>]).)*?)</(?P=name)\s*>",
    re.IGNORECASE | re.DOTALL,
)
_EMPTY_TAG = re.compile(r"<!--[^<>]*-->|<(?:br|wbr|hr|img)(?:\s[^<>]*)?/?>", re.IGNORECASE)
_BLOCK_NAMES = frozenset({"p", "div", "title"})
_SCRIPT_TAG = re.compile(
    r"<(?P<name>(?:[a-z]+:)?(?P<kind>sub|inf|sup))(?:\s[^<>]*)?>(?P<inside>[^<>]*)</(?P=name)\s*>",
    re.IGNORECASE,
)
#: A formula in TeX, and what of its document is the formula.
_TEX_MATHS = re.compile(
    r"<(?P<name>(?:\w+:)?tex-math)\b[^<>]*>(?P<inside>[^<>]*)</(?P=name)>", re.IGNORECASE
)
_TEX_DOCUMENT = re.compile(r"^.*\\begin\{document\}|\\end\{document\}.*$", re.DOTALL)
#: Another notation of a formula in MathML.
_ANNOTATION = re.compile(
    r"<(?P<name>(?:\w+:)?annotation(?:-xml)?)\b[^<>]*>[^<>]*</(?P=name)>", re.IGNORECASE
)
_MATHS = re.compile(
    r"<(?P<name>(?:\w+:)?math)\b[^<>]*>(?P<inside>(?:[^<]|<(?!/?(?:\w+:)?math\b))*+)</(?P=name)>",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(?P<end>/?)(?:\w+:)?(?P<name>[\w-]+)[^<>]*?(?P<empty>/?)>")
#: A formula of TeX: one with a known command, or between two dollar signs on each side.
_KNOWN_COMMAND = r"\\(?:[A-Za-z]{3,}|[lg][et]|mu|nu|pi|xi|Pi|Xi|pm|to|rm|bf|it)(?![A-Za-z])"
_FORMULA = re.compile(
    rf"\$\$(?=[^$]*[_^\\])[^$]{{1,300}}\$\$|\$(?=[^$]*{_KNOWN_COMMAND})[^$]{{1,300}}\$"
)
#: What only a text of TeX has: a command with an argument, an accent, a formula, an escape.
_TEX_SIGN = re.compile(
    rf"\\[A-Za-z]{{2,}}\s*\{{|\{{\\|\\[`'^\"~=.]\{{?[A-Za-z]|\$(?=[^$_^\\]*[_^\\])[^$]*\$|\\[&%_#]"
    rf"|{_KNOWN_COMMAND}\{{\}}"
)
_COMMAND = re.compile(r"\\([A-Za-z]+)")
#: Braces that protect capital letters in BibTeX, around a word, a letter or a whole title.
_PROTECTED = re.compile(r"(?<![\\$])\{(?=[^{}]*[^\W\d_a-z])([^{}=:;,$]{1,200})\}")


#: Typographic ligatures of letters (U+FB00 to U+FB06), which only some fonts print as letters.
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}


def fold_ligatures(text: str) -> str:
    """Replace typographic ligatures by their letters: "ﬁ" by "fi"."""
    return text.translate(_LIGATURES)


def render_markup(text: str) -> str:
    """Return a text without tags, HTML escapes and ligatures, and with formulas as characters."""
    text = fold_ligatures(text)
    rendered = _FORMULA.sub(lambda found: tex.decode_tex(found[0].replace("$$", "$")), text)
    rendered = _unescape(rendered)
    if "<" not in rendered:
        return rendered
    rendered = _ANNOTATION.sub("", rendered)
    # Records with both notations have each formula in both.
    has_maths = _MATHS.search(rendered) is not None
    rendered = _TEX_MATHS.sub("" if has_maths else _render_tex_maths, rendered)
    rendered = _MATHS.sub(lambda found: _render_maths(found["inside"]), rendered)
    for _ in range(MAX_NESTING):
        previous = rendered
        rendered = _PAIRED_TAG.sub(_render_pair, rendered)
        rendered = _SCRIPT_TAG.sub(_render_script_tag, rendered)
        if rendered == previous:
            break
    return _PREFIXED_TAG.sub("", _EMPTY_TAG.sub(" ", rendered))


def render_title(text: str) -> str:
    """Return a title without markup, without TeX, and without the braces of BibTeX.

    A title with a command that prints no character is no title of TeX: its signs are its own.
    """
    if not all(tex.is_known_command(name) for name in _COMMAND.findall(text)):
        return render_markup(text)
    if _TEX_SIGN.search(text):
        text = tex.decode_tex(text)
    for _ in range(MAX_ESCAPES):
        text = _PROTECTED.sub(r"\1", text)
    return render_markup(text)


def _unescape(text: str) -> str:
    for _ in range(MAX_ESCAPES):
        unescaped = _HTML_ENTITY.sub(_decode_entity, text)
        if unescaped == text:
            break
        text = unescaped
    return text


def _decode_entity(escaped: re.Match[str]) -> str:
    """Decode an HTML entity; keep one that names no character."""
    known = escaped[0][1] == "#" or escaped[0][1:] in html5
    character = html.unescape(escaped[0]) if known else escaped[0]
    return escaped[0] if "\ufffd" in character else character


def _render_tex_maths(found: re.Match[str]) -> str:
    formula = _TEX_DOCUMENT.sub("", found["inside"]).strip(" $")
    return tex.decode_tex(f"${formula}$") if formula else ""


def _render_pair(found: re.Match[str]) -> str:
    space = " " if found["name"].lower() in _BLOCK_NAMES else ""
    return f"{space}{found['inside']}{space}"


def _render_script_tag(found: re.Match[str]) -> str:
    return tex.format_script(found["inside"], "^" if found["kind"].lower() == "sup" else "_")


#: Elements of MathML whose parts are a base and its scripts, and the kinds of these scripts.
_SCRIPT_ELEMENTS = {"msub": "_", "msup": "^", "msubsup": "_^"}


def _render_maths(markup: str) -> str:
    """Render MathML on one line; of a fraction "a/b"."""
    open_parts: list[list[str]] = [[]]
    names = [""]
    position = 0
    for tag in _TAG.finditer(markup):
        _add_text(open_parts[-1], markup[position : tag.start()])
        position = tag.end()
        name = tag["name"].lower()
        if tag["empty"]:
            continue
        if not tag["end"]:
            open_parts.append([])
            names.append(name)
        elif len(names) > 1:
            parts = open_parts.pop()
            open_parts[-1].append(_render_element(names.pop(), parts))
    _add_text(open_parts[-1], markup[position:])
    return "".join("".join(parts) for parts in open_parts)


def _add_text(parts: list[str], text: str) -> None:
    if text.strip():
        parts.append(text.strip())


def _render_element(name: str, parts: list[str]) -> str:
    if name in _SCRIPT_ELEMENTS:
        scripts = zip(parts[1:], _SCRIPT_ELEMENTS[name], strict=False)
        return "".join([*parts[:1], *(tex.format_script(part, kind) for part, kind in scripts)])
    if name == "mmultiscripts":
        return "".join([*parts[:1], *(tex.format_script(part, "^") for part in parts[1:])])
    if name == "mfrac":
        return "/".join(parts)
    if name == "msqrt":
        return f"√{''.join(parts)}"
    return "".join(parts)
