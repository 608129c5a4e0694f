"""Tokenise words and numbers, and make untrusted text safe for prompts and for the screen.

Every function depends on its arguments only. Sentences are split in `sentences`.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

# ---------------------------------------------------------------- words and numbers

#: The stopwords of spec/credibility-scoring.md, and no others.
STOPWORDS = frozenset(
    "what is are the a an and or but for of in on at to with by about how why who where".split()
)

#: Vowel signs and accents that Python's \w lacks, without which Hindi and Thai words fall apart.
_MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u0900-\u0963"
    "\u0966-\u0df3\u0e31-\u0e3a\u0e40-\u0e4e"
)
_WORD = re.compile(r"[^\W_]+(?:(?<=\d)[.,](?=\d)[^\W_]+|'[^\W_]+)*")
_WORD_ANYWHERE = re.compile(f"[\\w{_MARKS}]+(?:(?<=\\d)[.,](?=\\d)[\\w{_MARKS}]+|'[\\w{_MARKS}]+)*")
_HAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNSPACED = re.compile(f"[{_HAN}\u0e00-\u0e7f]")
_SCRIPTS = re.compile(f"[{_HAN}]+|[^{_HAN}]+")
_HAN_RUN = re.compile(f"[{_HAN}]{{2,}}")
_THAI = "\u0e01-\u0e4e"
_THAI_RUN = re.compile(f"[{_THAI}]{{2,}}")
_THAI_OR_OTHER = re.compile(f"[{_THAI}]+|[^{_THAI}]+")
_NO_WORD = dict.fromkeys(map(ord, "_⁰¹²³⁴⁵⁶⁷⁸⁹"), " ")  # NFKC would make "10²" into "102"

_NUMBER = re.compile(r"(?<![^\W_])(?<!\d[.,])\d+(?:[.,'’\u00a0\u2009\u202f]\d+)*")
_GROUPED = re.compile(r"\d{1,3}([,'’\u00a0\u2009\u202f])\d{2,3}(?:\1\d{2,3})*(?<=\d{3})(?:\.\d+)?")
_GROUPED_BY_DOTS = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+|(?<=\.\d{3}\.\d{3}))")

_STEMMER_LOCK = threading.Lock()  # it keeps the word it works on


def content_words(text: str) -> frozenset[str]:
    """Return the distinct words without stopwords, as in row 4 of DECISIONS.

    Lower case, split on white space, punctuation and symbols removed at both ends.
    """
    return frozenset(map(_strip_signs, text.lower().split())) - STOPWORDS - {""}


def _strip_signs(word: str) -> str:
    """Return the word without punctuation and symbols at both ends."""
    if word.isalnum():
        return word
    start, end = 0, len(word)
    while start < end and _is_sign(word[start]):
        start += 1
    while end > start and _is_sign(word[end - 1]):
        end -= 1
    return word[start:end]


def _is_sign(character: str) -> bool:
    """Return whether a character is punctuation or a symbol."""
    return unicodedata.category(character)[0] in "PS"


def tokenize(text: str) -> list[str]:
    """Return the lower-case words in order; numbers stay whole ("2.05", "3,150").

    Ligatures are resolved. Han and kana, which have no spaces, are split into pairs, and Thai into
    words.
    """
    if text.isascii():
        return _WORD.findall(text.lower())
    plain = unicodedata.normalize("NFKC", text.translate(_NO_WORD)).replace("’", "'").lower()
    words = _WORD_ANYWHERE.findall(plain)
    if _THAI_RUN.search(plain):
        words = [token for word in words for token in _segment_thai(word)]
    if not _HAN_RUN.search(plain):
        return words
    return [token for word in words for token in _pair_characters(word)]


def compose_characters(text: str) -> tuple[str, Sequence[int]]:
    """Return the text in composed characters (NFC), and the offset in `text` of each.

    The offsets are one more than the characters: the last is the end of `text`.
    """
    if unicodedata.is_normalized("NFC", text):
        return text, range(len(text) + 1)
    starts = [place for place, character in enumerate(text) if not _joins_before(character)]
    if text and starts[:1] != [0]:
        starts.insert(0, 0)
    parts: list[str] = []
    offsets: list[int] = []
    for start, end in pairwise([*starts, len(text)]):
        part = unicodedata.normalize("NFC", text[start:end])
        parts.append(part)
        # What stays several characters keeps their places; a few become more than they were.
        offsets += [min(start + place, end - 1) for place in range(len(part))]
    return "".join(parts), [*offsets, len(text)]


def _joins_before(character: str) -> bool:
    """Return whether a character may be composed with the one before it."""
    return unicodedata.category(character)[0] == "M" or "\u1160" <= character <= "\u11ff"


def _pair_characters(word: str) -> Iterator[str]:
    """Yield the pairs of characters of Han and kana runs, and other runs whole."""
    for run in _SCRIPTS.findall(word):
        if _HAN_RUN.fullmatch(run):
            yield from (run[i : i + 2] for i in range(len(run) - 1))
        else:
            yield run


def _segment_thai(word: str) -> Iterator[str]:
    """Yield the words of Thai runs, and other runs whole."""
    from research_core.text.segmenter import segment

    for run in _THAI_OR_OTHER.findall(word):
        if _THAI_RUN.fullmatch(run):
            yield from segment(run, "th")
        else:
            yield run


#: The stemmer of each language of the Latin script. Norwegian is "da".
_STEMMERS = {
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "pl": "polish",
    "pt": "portuguese",
    "sv": "swedish",
    "tr": "turkish",
}
#: The stemmer of a script, whatever the language: two spellings of one word meet all the same.
_SCRIPT_STEMMERS = (
    (re.compile("[\u0400-\u04ff]"), "russian"),
    (re.compile("[\u0370-\u03ff\u1f00-\u1fff]"), "greek"),
    (re.compile("[\u0620-\u06d3]"), "arabic"),
    (re.compile("[\u0900-\u0963]"), "hindi"),
)
#: Elided articles and prepositions of French and Italian: "l'énergie".
_ELIDED = re.compile(r"^(?:l|d|qu|s|n|c|j|un|dell|nell|all|dall|sull|quell)'(?=\w{3})")
#: Particles at the end of Korean nouns, longest first, and the fewest syllables before one.
_KOREAN_PARTICLES = re.compile(
    "(?<=[\uac00-\ud7a3]{2})(?:에서는|으로는|이란|에서|에게|으로|부터|까지|보다|처럼|이나|에는|과의|와의|은|는|이"
    "|가|을|를|의|에|로|와|과|도|만|란)$"
)


@cache
def _load_stemmer(language: str) -> Any:
    """Import the stemmer when the first word needs it: importing it loads all its languages."""
    import snowballstemmer

    return snowballstemmer.stemmer(language)


@lru_cache(maxsize=50_000)
def stem(word: str, language: str = "") -> str:
    """Return the stem of a lower-case token: "regulations" and "regulated" have one.

    language: of the text where it is known, see `languages.guess_language`; the stem is English if
    it is not, and that of its script for a word that is not in Latin letters.
    """
    stemmer = _STEMMERS.get(language, "english")
    if "'" in word:
        word = _ELIDED.sub("", word)
    if not word.isascii():
        for letters, name in _SCRIPT_STEMMERS:
            if letters.match(word):
                stemmer = name
                break
        else:
            word = _KOREAN_PARTICLES.sub("", word)
    with _STEMMER_LOCK:
        return str(_load_stemmer(stemmer).stemWord(word)) or word


def count_words(text: str) -> int:
    """Return the words of a text; two characters count as one where no spaces divide words."""
    return len(text.split()) + len(_UNSPACED.findall(text)) // 2


def find_numbers(text: str) -> tuple[str, ...]:
    """Return the numbers of a text in order, in one spelling.

    "1,200" and "1 200" (no-break) are "1200", "2.50" is "2.5", "5%" is "5". Signs, units and scale
    words are left out, and so are digits that end a name ("CO2"). One comma is a decimal comma
    unless three digits follow it; one point is a decimal point.
    """
    found: list[str] = []
    for number in _NUMBER.findall(text):
        found += _spell_number(number)
    return tuple(found)


@lru_cache(maxsize=8192)
def _spell_number(number: str) -> tuple[str, ...]:
    """Return the numbers in one match, in one spelling."""
    if _GROUPED.fullmatch(number):
        parts = [re.sub(r"[^\d.]", "", number)]
    elif _GROUPED_BY_DOTS.fullmatch(number):
        parts = [number.replace(".", "").replace(",", ".")]
    elif re.fullmatch(r"\d+,\d+", number):
        parts = [number.replace(",", ".")]
    else:
        parts = re.split(r"[^\d.]", number)
    return tuple(map(_shorten_number, parts))


def _shorten_number(number: str) -> str:
    """Return ASCII digits without leading zeros and trailing decimal zeros.

    Versions and dates keep their dots.
    """
    whole, *rest = _ascii_digits(number).split(".")
    whole = whole.lstrip("0") or "0"
    if len(rest) == 1:
        decimals = rest[0].rstrip("0")
        return f"{whole}.{decimals}" if decimals else whole
    return ".".join((whole, *rest))


def _ascii_digits(number: str) -> str:
    """Return the number with digits of any script as ASCII digits."""
    return "".join(sign if sign == "." else str(unicodedata.digit(sign)) for sign in number)


def contains_words(text: str, words: str) -> bool:
    """Return whether all words stand in a text, in any order and case, also inside others.

    True if there are no words.
    """
    folded = text.casefold()
    return all(word in folded for word in words.casefold().split())


# ---------------------------------------------------------------- what can be seen

_LAST_WORD = re.compile(r"\s\S*+\Z")
_LINE_BREAKS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
#: Control characters, lone surrogates, and what Unicode calls ignorable: zero-width, bidi, fillers,
#: selectors, tags.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def strip_invisible(text: str) -> str:
    """Return the text without invisible characters, with every line break as a newline.

    Tabs stay.
    """
    return _INVISIBLE.sub("", _LINE_BREAKS.sub("\n", text))


#: NUL, and halves of surrogate pairs, which Python also uses for bytes that are not UTF-8.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def describe_unstorable(text: str) -> str:
    """Return what makes a text impossible to store or to send, "" for nothing."""
    unstorable = _UNSTORABLE.search(text)
    if unstorable is None:
        return ""
    character = unstorable[0]
    if character == "\x00":
        return "a NUL character"
    return "bytes that are not UTF-8" if "\udc80" <= character <= "\udcff" else "half a character"


def to_single_line(text: str) -> str:
    """Return the text as one line that a terminal or a log shows safely."""
    return " ".join(strip_invisible(text).split())


def strip_accents(text: str) -> str:
    """Return a text without accents and other combining signs: "hipertensión" as "hipertension"."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))


def keep_letters(text: str) -> str:
    """Return the letters and digits of a text in lower case, for comparison."""
    return "".join(filter(str.isalnum, text.casefold()))


def capitalize_first(text: str) -> str:
    """Return the text with a capital at its start; the rest stays, as in “Höchste Stufe”."""
    return text[:1].upper() + text[1:]


def truncate(text: str, limit: int) -> str:
    """Return at most `limit` characters, cut between words if possible, with "…" if cut."""
    if len(text) <= limit:
        return text
    if limit < 2:
        return "…"[:limit]
    head = text[:limit]  # one character too many, so that a word which just fits is kept
    last_word = _LAST_WORD.search(head)
    kept = head[: last_word.start()].rstrip() if last_word else ""
    if not kept:
        kept = head[:-1].rstrip()
    return kept + "…"


_SITE_NAME = re.compile(r"(?<!\s)\s+[|–—·»-]\s{1,300}[^|–—·»]{1,40}$")


def cut_site_name(title: str) -> str:
    """Return a title without the site's name at its end ("Fibromyalgia | Example Clinic")."""
    return _SITE_NAME.sub("", title)


# ---------------------------------------------------------------- untrusted text

#: The tags that may fence untrusted text in a prompt.
FENCE_TAGS = frozenset(
    """
        answer draft dropped_sources gaps instructions page passage passages queries query question
        search_results section sentence snippet source source_summary sources sub_question
        sub_questions summaries title tool_result
    """.split()
)

_ESCAPED_ANGLES = str.maketrans(
    dict.fromkeys("<\uff1c\ufe64", "&lt;") | dict.fromkeys(">\uff1e\ufe65", "&gt;")
)  # also full width and small


def fence_text(tag: str, text: str, warning: str = "") -> str:
    """Put untrusted text between <tag> lines, with angle brackets escaped.

    Nothing inside can close or open a tag. `warning` is our own text for the reader, put into an
    attribute of the opening tag. Raises ValueError for a tag that is not in `FENCE_TAGS`.
    """
    if tag not in FENCE_TAGS:
        raise ValueError(f"{tag!r} is not one of the fences")
    attribute = f' warning="{warning}"' if warning else ""
    return f"<{tag}{attribute}>\n{strip_invisible(text).translate(_ESCAPED_ANGLES)}\n</{tag}>"


_IMAGE = re.compile(r"!\[[^\[\]]*\](?:\([^()\s]*(?:\s[^()]*)?\)|\[[^\[\]]*\])")
_LINK = re.compile(r"\[([^\[\]]*)\]\(<?([^()<>\s]*(?:\([^()<>\s]*\)[^()<>\s]*)*)>?(?:\s[^()]*)?\)")
#: ":material/check:" would draw a tick; no backslash stops that.
_SHORTCODE = re.compile(r":(?=[\w+/-]+:)")
#: Would be a link; no backslash stops that either.
_ADDRESS = re.compile(r"(?<=http):(?=//)|(?<=https):(?=//)|(?<=\bwww)\.", re.IGNORECASE)
#: The domain of an e-mail address, which would be a link too.
_MAIL = re.compile(r"(?<=[\w.+-]@)[\w-]+(?:\.[\w-]+)+")
#: Stand for a sign until the text is escaped; then a word joiner, which nothing shows, follows or
#: precedes the sign, so that it begins no link and no shortcode. No text has these noncharacters.
_PLACEHOLDERS = {":": "\ufdd0", ".": "\ufdd1"}
_JOINED = {"\ufdd0": ":\u2060", "\ufdd1": "\u2060."}
_SPECIAL = re.compile(
    r"[\\`*\[\]<>$~|]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|:(?=[:/A-Za-z])|(?<=www)\."
    r"|^(?:[#+=-]|\d{1,9}(?=[.)]))"
)


def clean_for_screen(text: str, limit: int = 500) -> str:
    """Return untrusted text as one line of inert Markdown, at most `limit` characters.

    All untrusted text goes to the screen through this function. Images are removed, a link leaves
    its words and its http(s) address as text, no web or mail address becomes a link, and whatever
    has a meaning in Streamlit's Markdown (directives, formulas, code, tags) is shown literally.
    Apply it once, where the text is drawn.
    """
    shown = " ".join(_LINK.sub(_link_as_text, _IMAGE.sub(" ", strip_invisible(text))).split())
    for mark in _JOINED:
        shown = shown.replace(mark, "")
    shown = _ADDRESS.sub(
        lambda found: _PLACEHOLDERS[found[0]], _SHORTCODE.sub(_PLACEHOLDERS[":"], shown)
    )
    shown = _MAIL.sub(lambda found: found[0].replace(".", _PLACEHOLDERS["."]), shown)
    shown = truncate(shown, limit)
    while shown and len(_escape_and_join(shown)) > limit:
        excess = len(_escape_and_join(shown)) - limit
        shown = truncate(shown, len(shown) - max(1, excess // 2))
    return _escape_and_join(shown)


def _escape_and_join(text: str) -> str:
    """Return the text escaped, with a word joiner at each of its `_PLACEHOLDERS`."""
    shown = escape_markdown(text)
    for mark, sign in _JOINED.items():
        shown = shown.replace(mark, sign)
    return shown


def clean_for_choice(text: str, limit: int = 100) -> str:
    """Return untrusted text as one plain line, for select boxes: they show no Markdown."""
    return truncate(to_single_line(text), limit)


_ACTIVE = re.compile(
    r"""
      \\.                             # what has its backslash already
    | !(?=\[)                         # an image, which would be loaded
    | <(?=[A-Za-z/!?])                # a tag
    | (?<=\])(?=\((?!https?://))      # a link to anything but the web
    | (?<=\])(?=:)                    # the address of a link or an image that stands elsewhere
    """,
    re.VERBOSE | re.IGNORECASE,
)


def disarm_markdown(markdown: str) -> str:
    """Return untrusted Markdown with nothing that loads by itself or links beyond the web.

    Headings, lists and emphasis stay. An image becomes a link, a tag is shown as text, and any
    other link shows its words and address.
    """
    return _ACTIVE.sub(_disarm, markdown)


def _disarm(match: re.Match[str]) -> str:
    """Return what would be active with a backslash before it; escaped text stays."""
    return match[0] if match[0].startswith("\\") else f"\\{match[0]}"


def escape_markdown(text: str) -> str:
    """Return the text as one line, with Markdown's special characters escaped."""
    return _SPECIAL.sub(_add_backslash, " ".join(strip_invisible(text).split()))


def _add_backslash(match: re.Match[str]) -> str:
    """Return the match escaped; after a number the backslash goes behind the digits."""
    if match[0].isdigit():
        return f"{match[0]}\\"
    return f"\\{match[0]}"


def _link_as_text(match: re.Match[str]) -> str:
    """Return the words of a link, with its address if that is http(s)."""
    words, address = match[1], match[2]
    if address.lower().startswith(("http://", "https://")):
        return f"{words} ({address})"
    return words


# ---------------------------------------------------------------- numbers and their nouns

#: Endings of nouns that take "es" in the plural.
_SIBILANTS = ("s", "x", "z", "ch", "sh")
_VOWELS = "aeiou"


def pluralize(noun: str, count: int) -> str:
    """Return a regular noun, or a phrase that ends with one, in the number of `count`."""
    if count == 1:
        return noun
    if noun.endswith("y") and noun[-2:-1] not in _VOWELS:
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(_SIBILANTS) else f"{noun}s"


def format_amount(amount: float) -> str:
    """Return an amount of money: "0.000001", "1,234.5"; only below 1e-10 with an exponent."""
    if 0 < amount < 1e-10:
        return f"{amount:g}"
    return f"{amount:,.10f}".rstrip("0").rstrip(".")


def format_count(count: int, noun: str) -> str:
    """Format a number with its noun, which takes the plural unless the number is 1."""
    return f"{count:,} {pluralize(noun, count)}"


def format_none_usable(count: int, noun: str, source: str) -> str:
    """Return that nothing of what a source gave can be used. count: above 0."""
    if count == 1:
        return f"The only {noun} that {source} gave cannot be used."
    return f"None of the {format_count(count, noun)} that {source} gave can be used."
