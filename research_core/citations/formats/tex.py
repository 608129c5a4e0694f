"""Decode the TeX of a BibTeX value: accents, letters and signs as characters, no markup.

One pass in linear time; an unknown command leaves the text of its arguments.
"""

from __future__ import annotations

import re
import unicodedata

#: The combining characters of TeX's accents.
_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "r": "\u030a",
    "k": "\u0328", "d": "\u0323", "b": "\u0331",
}  # fmt: skip
_TEX_SIGNS = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ",
    "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ",
    "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ",
    "S": "§", "P": "¶", "dag": "†", "ddag": "‡",
    "textendash": "–", "textemdash": "—", "ldots": "…", "dots": "…", "textellipsis": "…",
    "textquoteleft": "‘", "textquoteright": "’",
    "textquotesingle": "'", "textquotedblleft": "“", "textquotedblright": "”", "textquotedbl": '"',
    "quotedblbase": "„", "glqq": "„",
    "grqq": "“", "guillemotleft": "«", "guillemotright": "»", "textregistered": "®",
    "texttrademark": "™", "copyright": "©",
    "textcopyright": "©", "pounds": "£", "textsterling": "£", "euro": "€", "texteuro": "€",
    "textdegree": "°", "degree": "°", "circ": "°",
    "textmu": "µ", "times": "×", "texttimes": "×", "pm": "±", "leq": "≤", "le": "≤", "geq": "≥",
    "ge": "≥", "neq": "≠", "approx": "≈",
    "sim": "∼", "infty": "∞", "cdot": "·", "rightarrow": "→", "to": "→", "leftarrow": "←",
    "leftrightarrow": "↔", "prime": "′",
    "textbackslash": "\\", "backslash": "\\", "textasciitilde": "~", "textasciicircum": "^",
    "textbraceleft": "{", "textbraceright": "}",
    "lbrace": "{", "rbrace": "}", "textless": "<", "textgreater": ">", "textbar": "|",
    "textunderscore": "_", "textdollar": "$",
    "textexclamdown": "¡", "textquestiondown": "¿", "textperiodcentered": "·", "textbullet": "•",
    "textordfeminine": "ª",
    "textordmasculine": "º", "TeX": "TeX", "LaTeX": "LaTeX", "BibTeX": "BibTeX", "newline": " ",
    "quad": " ", "qquad": " ", "space": " ",
    "nobreakspace": " ", "ell": "ℓ", "hbar": "ℏ", "partial": "∂", "nabla": "∇", "ast": "*",
    "star": "⋆", "lt": "<", "gt": ">", "less": "<", "greater": ">",
}  # fmt: skip
for _name in """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma
    tau upsilon phi chi psi omega
""".split():
    _letter = unicodedata.lookup(
        f"GREEK SMALL LETTER {'LAMDA' if _name == 'lambda' else _name.upper()}"
    )
    _TEX_SIGNS |= {_name: _letter, _name.capitalize(): _letter.upper(), f"text{_name}": _letter}
_TEX_SIGNS |= {"varepsilon": "ε", "vartheta": "ϑ", "varphi": "φ", "varsigma": "ς"}
#: One sign after a backslash. Signs that are not here stand for themselves ("\\\\&").
_ESCAPED = {
    "\\": " ", " ": " ", "\n": " ", ",": " ", ";": " ", ":": " ", ">": " ",
    "!": "", "/": "", "-": "", "@": "", "(": "", ")": "",
}  # fmt: skip
_MAX_NESTED_LOOKS = 3
_LIGATURES = {"---": "—", "--": "–", "``": "“", "''": "”", "~": " ", "{": "", "}": ""}
_BASE = r"(?:\\([ij])(?![A-Za-z])|([^\W\d_]))"
_TOKEN = re.compile(
    rf"\\(?P<accent>[`'^~\"=.]|[uvHcrkdb](?![A-Za-z]))\s*(?:\{{\s*{_BASE}\s*\}}|{_BASE})"
    r"|\\(?:href|hspace|vspace|textcolor|color|selectlanguage|foreignlanguage)\*?\s*\{[^{}]*\}"
    r"|\\(?P<command>[A-Za-z]+)\*?(?:\{\}|[ \t\n]*)|\\(?P<sign>.)|\\$|---?|``|''|[~{}]",
    re.DOTALL,
)
_MATHS = re.compile(r"(?<!\\)\$(?=[^\s$])([^$]*)(?<=[^\s\\])\$|\\\(([^\\]*)\\\)")
#: A script of a formula, and one in a text. Its argument is a group, a command or a character.
_SCRIPT = re.compile(r"(?<!\\)([_^])\s*(?:\{([^{}]*)\}|(\\[A-Za-z]+|[^\s{}\\$]))")
_TEXT_SCRIPT = re.compile(r"\\text(sub|super)script\s*\{([^{}]*)\}")
_LOOK_COMMAND = re.compile(
    r"math(?:rm|bf|it|sf|tt|cal|bb|frak|normal)|text(?:rm|bf|it|sf|tt|sc|sl|up|md|normal)?"
    r"|text(?:sub|super)script|ensuremath|hbox|mbox|operatorname|boldsymbol|bm|emph|em|it|bf|rm|sc"
    r"|tt|sf|itshape|bfseries|scshape|underline|noopsort|enquote"
)
#: Commands that change only the look of their argument.
_LOOK = re.compile(
    r"\\(?:math(?:rm|bf|it|sf|tt|cal|bb|frak|normal)|text(?:rm|bf|it|sf|tt|normal)?|ensuremath|hbox"
    r"|mbox|operatorname|boldsymbol|bm)\s*\{([^{}]*)\}"
)
_SCRIPT_CHARACTERS = {
    "_": dict(zip("0123456789+-−=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ", strict=True)),
    "^": dict(zip("0123456789+-−=()abcdefghijklmnoprstuvwxyz°′", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ°′", strict=True)),
}  # fmt: skip
_SPACE = re.compile(r"[ \t\n]+")  # not the one that joins words


def decode_tex(value: str) -> str:
    """Decode the value of a field into readable text on one line."""
    value = _MATHS.sub(_decode_maths, value)
    value = _TEXT_SCRIPT.sub(_decode_text_script, value)
    read = _TOKEN.sub(_decode_token, value)
    return _SPACE.sub(" ", read).strip()


def is_known_command(name: str) -> bool:
    """Return True for a command that prints a sign or changes the look of a text."""
    return name in _TEX_SIGNS or name in _ACCENTS or _LOOK_COMMAND.fullmatch(name) is not None


def format_script(text: str, kind: str) -> str:
    """Format a subscript (kind "_") or superscript ("^") in Unicode.

    Words, and what Unicode has no such characters for, stay as they are, an exponent after "^".
    """
    text = text.strip()
    characters = _SCRIPT_CHARACTERS[kind]
    is_word = len(text) > 1 and text.isalpha()
    if not is_word and all(character in characters for character in text):
        return "".join(characters[character] for character in text)
    is_number = kind == "^" and re.search(r"\d", text) is not None
    return f"^{text}" if is_number else text


def _decode_maths(found: re.Match[str]) -> str:
    """Decode a formula up to its commands, which the text after it cannot prolong."""
    formula = found[1] or found[2] or ""
    for _ in range(_MAX_NESTED_LOOKS):
        formula = _LOOK.sub(r"\1", formula)
    formula = _SCRIPT.sub(_decode_script, formula)
    return f"{formula}{{}}" if re.search(r"\\[A-Za-z]+$", formula) else formula


def _decode_script(found: re.Match[str]) -> str:
    return format_script(_TOKEN.sub(_decode_token, found[2] or found[3] or ""), found[1])


def _decode_text_script(found: re.Match[str]) -> str:
    kind = "_" if found[1] == "sub" else "^"
    return format_script(_TOKEN.sub(_decode_token, found[2]), kind)


def decode_tex_url(value: str) -> str:
    """Decode the value of an address or number: only TeX's escapes are removed."""
    value = re.sub(r"\\(?:url|href|path|nolinkurl|doi)\s*\{([^{}]*)\}(?:\{[^{}]*\})?", r"\1", value)
    value = re.sub(r"\$<\$|\$?\\(?:textless|less|lt)(?![A-Za-z])(?:\{\})?\$?", "<", value)
    value = re.sub(r"\$>\$|\$?\\(?:textgreater|greater|gt)(?![A-Za-z])(?:\{\})?\$?", ">", value)
    value = re.sub(r"\{?\\(?:textunderscore|_)(?:\{\})?\s?\}?", "_", value)
    value = re.sub(r"\{?\\(?:textasciitilde|~)(?:\{\})?\s?\}?", "~", value)
    return re.sub(r"\\([&%#$_{}])|[{}\s]", lambda found: found[1] or "", value)


def _decode_token(found: re.Match[str]) -> str:
    if found["accent"]:
        base = next(filter(None, found.groups()[1:5]), "")
        return unicodedata.normalize("NFC", base + _ACCENTS[found["accent"]])
    if found["command"]:
        return _TEX_SIGNS.get(found["command"], "")
    if found["sign"]:
        return _ESCAPED.get(found["sign"], found["sign"])
    return _LIGATURES.get(found[0], "")
