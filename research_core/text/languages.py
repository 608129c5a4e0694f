"""Whether two texts are surely in different languages, by their script, and by the little words
that every sentence of a language needs.

It is a guess that would rather not know: two languages of one script that it has no words of are
never told apart by them. It translates nothing and asks nobody.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

#: Little words by language. Danish stands for Norwegian too.
_LITTLE = {
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
LITTLE = {language: frozenset(words.split()) for language, words in _LITTLE.items()}
SAME = {"nb": "da", "nn": "da", "no": "da"}
#: Different little words that tell a language: names of people and places hold one of others ("la",
#: "von"), hardly one of English.
FEWEST, FEWEST_OF = 2, {"en": 1}
#: So many times as many as of any other language, and this share of the letters for a script.
TIMES, MOSTLY = 2, 2 / 3
#: Characters that are looked at.
LOOKED_AT = 50_000
_WORD = re.compile(r"[^\W\d_]+")
#: Japanese is written in three scripts at once.
_ONE = {"HIRAGANA": "CJK", "KATAKANA": "CJK"}


def differ(text: str, other: str, declared: str = "") -> bool:
    """Whether two texts are in different languages for certain. declared: what the other says of
    itself, a BCP 47 tag or "".
    """
    scripts = script(text), script(other)
    if all(scripts) and scripts[0] != scripts[1]:
        return True
    tag = declared.partition("-")[0].lower()
    languages = language(text), language(other) or SAME.get(tag, tag)
    return all(languages) and languages[0] != languages[1]


def script(text: str) -> str:
    """The script of most letters, by its name in Unicode ("LATIN"); "" where there is no such, as
    in a mixed text.
    """
    letters = Counter(filter(str.isalpha, text[:LOOKED_AT]))
    counted = Counter[str]()
    for letter, count in letters.items():
        name = re.split(r"[ -]", unicodedata.name(letter, ""), maxsplit=1)[0]
        counted[_ONE.get(name, name)] += count
    name, most = max(counted.items(), key=lambda each: each[1], default=("", 0))
    return name if most >= MOSTLY * counted.total() else ""


def language(text: str) -> str:
    """The language whose little words stand in a text, a name of `LITTLE`; "" where too few do, or
    nearly as many of another one.
    """
    words = Counter(_WORD.findall(text[:LOOKED_AT].lower()))
    found = {
        name: [words[word] for word in little if word in words] for name, little in LITTLE.items()
    }
    first, second = sorted(found, key=lambda name: -sum(found[name]))[:2]
    told = len(found[first]) >= FEWEST_OF.get(first, FEWEST) and sum(found[first]) >= TIMES * sum(
        found[second]
    )
    return first if told else ""
