"""Detect whether two texts are in different languages, by script and by function words.

Prefers not to decide: two languages of one script without entries in the tables are never told
apart. Nothing is translated.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

#: Function words by language. Danish stands for Norwegian too.
_FUNCTION_WORD_ROWS = {
    "en": (
        "the of and with for from that this which was were is are been has have by to not their its"
    ),
    "de": (
        "der die das und ist nicht von mit ein eine den dem des auf für sich auch als wird werden"
        " bei nach zum zur"
    ),
    "fr": (
        "le la les des et est une dans pour que qui sur par plus avec du au aux ne pas sont ce"
        " cette"
    ),
    "es": "el los las que una por con para del se su más como es son pero",
    "pt": "os as que uma por com para do dos das não ao em é são mais como pelo pela",
    "it": "il gli che una per con del della dei delle nel nella è sono non di più anche alla",
    "nl": "het een van en de is dat niet met voor zijn op aan ook werd wordt door bij",
    "sv": "och att det som en är av för på med den till inte har om ett",
    "da": "og at det som en er af for på med den til ikke har et fra blev",
    "pl": "i w na z się nie jest do to że przez oraz dla od jak po",
    "tr": "ve bir bu için ile olarak olan daha gibi değil",
}
FUNCTION_WORDS = {
    language: frozenset(words.split()) for language, words in _FUNCTION_WORD_ROWS.items()
}
LANGUAGE_ALIASES = {"nb": "da", "nn": "da", "no": "da"}
#: Distinct function words that identify a language. Names of people and places contain single ones
#: of other languages ("la", "von"), but hardly any English ones.
MIN_WORDS, MIN_WORDS_BY_LANGUAGE = 2, {"en": 1}
#: How many times as many as of any other language, and the share of letters that decides a script.
MIN_LEAD, MIN_SCRIPT_SHARE = 2, 2 / 3
#: Characters that are examined.
MAX_CHARACTERS = 50_000
_WORD = re.compile(r"[^\W\d_]+")
#: Japanese mixes three scripts.
_SCRIPT_ALIASES = {"HIRAGANA": "CJK", "KATAKANA": "CJK"}


def languages_differ(text: str, other: str, declared: str = "") -> bool:
    """Return whether two texts are certainly in different languages.

    `declared` is the language that the other text declares, a BCP 47 tag or "".
    """
    one_script, other_script = detect_script(text), detect_script(other)
    if one_script and other_script and one_script != other_script:
        return True
    tag = declared.partition("-")[0].lower()
    one_language = detect_language(text)
    other_language = detect_language(other) or LANGUAGE_ALIASES.get(tag, tag)
    return bool(one_language and other_language) and one_language != other_language


def detect_script(text: str) -> str:
    """Return the Unicode name of the script of most letters ("LATIN"), or "" if it is mixed."""
    letters = Counter(filter(str.isalpha, text[:MAX_CHARACTERS]))
    counted = Counter[str]()
    for letter, count in letters.items():
        name = re.split(r"[ -]", unicodedata.name(letter, ""), maxsplit=1)[0]
        counted[_SCRIPT_ALIASES.get(name, name)] += count
    name, most = max(counted.items(), key=lambda each: each[1], default=("", 0))
    return name if most >= MIN_SCRIPT_SHARE * counted.total() else ""


def detect_language(text: str) -> str:
    """Return the language whose function words prevail, a key of `FUNCTION_WORDS`, or ""."""
    words = Counter(_WORD.findall(text[:MAX_CHARACTERS].lower()))
    distinct: dict[str, int] = {}
    totals: dict[str, int] = {}
    for name, function_words in FUNCTION_WORDS.items():
        counts = [words[word] for word in function_words if word in words]
        distinct[name] = len(counts)
        totals[name] = sum(counts)
    first, second = sorted(totals, key=lambda name: -totals[name])[:2]
    if distinct[first] < MIN_WORDS_BY_LANGUAGE.get(first, MIN_WORDS):
        return ""
    if totals[first] < MIN_LEAD * totals[second]:
        return ""
    return first
