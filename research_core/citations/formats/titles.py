"""Format titles: English headline capitals, and quotation marks that fit the context."""

from __future__ import annotations

import re

#: Stands for a missing title in every style. Brackets without quotation marks show that these are
#: not the work's words.
UNTITLED = "[Untitled page]"
#: Words that stay small in headline style: articles, conjunctions, prepositions, as CSL lists them.
_SMALL_WORDS = frozenset(
    """
        a about above across afore after against al along alongside amid amidst among amongst an and
        anenst apropos apud around as aside astride at athwart atop barring before behind below
        beneath beside besides between beyond but by c ca circa d' de despite down d' du during et
        except far for forenenst from given in inside into lest like modulo near next nor
        notwithstanding o' of off on onto or out over per plus pro qua sans since so than the
        through throughout thru till to toward towards under underneath until unto up upon v van von
        versus via vis-à-vis vs with within without yet
    """.split()
)
_WORD = re.compile(r"\S+")
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]{2,})+")
#: Code and formulas: "__init__", "print()", "`for`", "lme4::lmer", "\\alpha", "$x^2$", "--all".
_CODE = re.compile(r"[^\W_]_[^\W_]|__|[`\\]|::|\(\)|\$.*\$|^--[^\W\d_]")
_WORD_JOINER = re.compile(r"([-/–—])")
#: After these signs a new part of the title begins.
_OPENS_SUBTITLE = re.compile(r"[:?!.—–]\W*$")
_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile("[A-Za-zÀ-ɏ]")


def is_english(language: str) -> bool:
    """Return True if a work is in English, or its language is unknown."""
    return not language or language.lower().startswith("en")


def apply_headline_case(title: str, language: str = "") -> str:
    """Capitalise an English title: the first and last word and all but the small ones.

    A word with capitals of its own or code stays as it is ("iPhone", "mRNA", "print()"); so does a
    title all in capitals.
    """
    if not is_english(language) or title.isupper() or not _LATIN.search(title):
        return title
    words = list(_WORD.finditer(title))
    out, done = [], 0
    for n, found in enumerate(words):
        opens = n == 0 or bool(_OPENS_SUBTITLE.search(words[n - 1][0]))
        last = n == len(words) - 1 and len(found[0]) > 1 + found[0].startswith("(") * 2
        out += [title[done : found.start()], _capitalize_word(found[0], opens or last)]
        done = found.end()
    return "".join(out) + title[done:]


def _capitalize_word(word: str, must: bool) -> str:
    """Capitalise a word and each hyphenated part; small words stay small only within it."""
    if "://" in word or word.startswith("al-") or _CODE.search(word):
        return word
    if _HOST.fullmatch(word.strip("()[]:;,.!?")):
        return word
    # Odd parts are the hyphens themselves.
    parts = _WORD_JOINER.split(word)
    for index in range(0, len(parts), 2):
        must_be_capital = must if len(parts) == 1 else _is_end_part(parts, index)
        parts[index] = _capitalize_part(parts[index], must_be_capital)
    return "".join(parts)


def _is_end_part(parts: list[str], n: int) -> bool:
    """Return True for the first part of a word, or for the last one after a hyphen."""
    return n == 0 or (n == len(parts) - 1 and parts[n - 1] == "-")


def _capitalize_part(word: str, must: bool) -> str:
    bare = re.sub(r"[^\w'’]", "", word)
    first = _LETTER.search(word)
    if not first or bare != bare.lower() or bare[:1].isdigit():
        return word
    if not must and (bare in _SMALL_WORDS or len(bare) == 1):
        return word
    # A ligature ("ﬂ") has a capital form of its own: "Fl", not "FL".
    return word[: first.start()] + first[0].title() + word[first.end() :]


# -- quotation marks -------------------------------------------------------------------------------

_QUOTE_PAIRS = {1: "“”", 2: "‘’"}
#: Ends with an abbreviation of letters, whose full stop belongs to it.
_ABBREVIATION_END = re.compile(r"(?:\b[^\W\d_]\.){2,}$")
_OPENING_MARKS = "\"“„'‘"
_CLOSING_MARKS = {'"': "\"”“", "“": "\"”", "„": "“”\"", "'": "'’", "‘": "'’"}  # fmt: skip
_QUOTE_CONTEXT = re.compile(r"(?:^|[\s(\[{/—–\-:“‘\"'])$")


def curl_quotes(text: str, depth: int = 0) -> str:
    """Replace straight by curved marks, with “…” and ‘…’ by turns for nested quotations.

    depth: 1 begins one level further in. Apostrophes become ’.
    """
    out: list[str] = []
    open_: list[str] = []
    for n, mark in enumerate(text):
        before, after = text[:n][-1:], text[n + 1 : n + 2]
        if open_ and mark in _CLOSING_MARKS[open_[-1]] and not (mark in "'’" and after.isalnum()):
            out.append(_QUOTE_PAIRS[1 + (depth + len(open_) - 1) % 2][1])
            open_.pop()
        elif (
            mark in _OPENING_MARKS
            and _QUOTE_CONTEXT.search(before)
            and after.strip()
            and _is_closed_later(text, n)
        ):
            open_.append(mark)
            out.append(_QUOTE_PAIRS[1 + (depth + len(open_) - 1) % 2][0])
        else:
            out.append("’" if mark in "'‘" and (mark == "'" or not after.strip()) else mark)
    return "".join(out)


def _is_closed_later(text: str, start: int) -> bool:
    """Return True if the mark that opens here is closed later, at the end of a word."""
    marks = _CLOSING_MARKS[text[start]]
    return any(
        text[n] in marks and not text[n - 1].isspace() and not text[n + 1 : n + 2].isalnum()
        for n in range(start + 2, len(text))
    )


def format_plain_title(title: str) -> str:
    """Format the title without quotation marks of its own."""
    return curl_quotes(title) or UNTITLED


def quote_title(title: str, stop: str = ".") -> str:
    """Format the title in quotation marks, with `stop` before the last of them.

    The stop is left out if the title ends with a sign that replaces it.
    """
    if not title:
        return UNTITLED + stop
    inner = curl_quotes(title, 1)
    core = inner.rstrip("’”")
    closing = inner[len(core) :]
    if stop == ",":
        closing = inner.rstrip()[len(core) :]
        if not _ABBREVIATION_END.search(core):
            core = core.removesuffix(".")
        return f"“{core},{closing}”"
    if stop and not core.endswith((".", "?", "!", "…", "。", "？", "！")):
        core = core.rstrip(",") + stop
    return f"“{core}{closing}”"
