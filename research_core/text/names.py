"""Split a name into its parts, and tell people from organisations.

Knows the commonest ways of writing a name and leaves others whole. Nothing is looked up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Joins words that a page declares to be one part of a name ("Gabriel García\u00a0Márquez").
NAME_JOINER = "\u00a0"
#: Scripts without spaces between the parts of a name.
UNSPACED_SCRIPTS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")


@dataclass(frozen=True)
class PersonName:
    """The parts of a name.

    `family` is the surname with its particles, or the whole name if it cannot be inverted (a group,
    a single word). `family_first` is set if the surname is read first, as in China, Korea and
    Vietnam.
    """

    family: str
    given: str = ""
    suffix: str = ""
    family_first: bool = False

    @property
    def full_name(self) -> str:
        """Return the name as it is read aloud."""
        parts = (self.family, self.given) if self.family_first else (self.given, self.family)
        return " ".join(filter(None, (*parts, self.suffix)))

    @property
    def inverted(self) -> str:
        """Return the name as lists order it: "King, Martin Luther, Jr."."""
        return ", ".join(filter(None, (self.family, self.given, self.suffix)))


def parse_name(text: str) -> PersonName:
    """Parse a name as it is read or, with commas, as it is listed ("King, Martin Luther, Jr.")."""
    text = re.sub(r"[ \t\n]+", " ", text).strip(" ,")
    if "," in text and not is_group(text):
        return _parse_listed([_remove_joiners(part.strip()) for part in text.split(",")])
    words = text.split(" ")
    if len(words) == 1 or is_group(text) or UNSPACED_SCRIPTS.search(text):
        return PersonName(_remove_joiners(text))
    suffix = ""
    if len(words) > 2 and _SUFFIX.fullmatch(words[-1]):
        suffix = words.pop()
    if _is_eastern(words):
        return PersonName(words[0], " ".join(words[1:]), suffix, family_first=True)
    surname = _find_surname(words)
    family = _remove_joiners(" ".join(words[surname:]))
    given = _remove_joiners(" ".join(words[:surname]))
    return PersonName(family, given, suffix)


def _remove_joiners(text: str) -> str:
    """Replace the joiners between words by spaces."""
    return text.replace(NAME_JOINER, " ")


def _parse_listed(parts: list[str]) -> PersonName:
    """Return the name whose parts were separated by commas."""
    family, *rest = parts
    suffix = ""
    for part in rest:
        if _SUFFIX.fullmatch(part):
            suffix = part
            break
    given = " ".join(part for part in rest if part and part != suffix)
    if not family:
        return PersonName(given, "", suffix)
    return PersonName(family, given, suffix)


_SUFFIX = re.compile(r"(?:jr|sr)\.?|ii|iii|iv", re.IGNORECASE)

# ---------------------------------------------------------------- groups

#: Words that occur in names of organisations, offices and sites, and not of people.
_GROUP_WORDS = frozenset(
    """
        academy agency alliance association authority bank board bureau center centre club
        collective college commission committee community company consortium consulting contributors
        corporation council court department desk division editors embassy faculty federation
        foundation fund government hospital inc institute institution journal laboratory
        laboratories library limited llc ltd magazine media medien ministry museum network news
        newspaper office organisation organization parliament partners partnership party police
        press project publishing radio redaktion research review school secretariat services society
        staff studio studios survey team televisión times trust tv union universität université
        universidad universitat university verband verein verlag verwaltung zeitung agentur akademie
        amt behörde bund bundesamt bundesministerium bundesregierung gesellschaft group hochschule
        institut kammer kirche kommission landesamt ministerium ministère museum partei polizei
        presse pressestelle rat stadt stiftung zentrum associação asociación fundación instituto
        ministerio associazione istituto fondazione world international national federal united
        european online report today daily post herald gazette tribune wiki wikipedia
    """.split()
)
_GROUP_ENDINGS = frozenset(
    "ag kg co co. corp corp. e.v. gmbh inc. ltd. mbh plc s.a. s.l. sa".split()
)
_ARTICLES = frozenset({"the", "die", "das", "der", "les", "los"})
JOINING_WORDS = frozenset({"of", "for", "für", "des", "and", "und", "&"})


def is_group(name: str) -> bool:
    """Return whether a name looks like an organisation, an office or a site, not a person."""
    words = _remove_joiners(name).split()
    if len(words) == 1:
        return name.isupper() and len(name) > 1 and "." not in name
    return has_group_word(name) or (len(words) > 2 and not JOINING_WORDS.isdisjoint(words[1:]))


def has_group_word(text: str) -> bool:
    """Return whether a text has a word, article or ending typical of organisations."""
    lower = [word.strip(",;:()").lower() for word in text.split()]
    return not (
        _GROUP_WORDS.isdisjoint(lower)
        and _ARTICLES.isdisjoint(lower[:1])
        and _GROUP_ENDINGS.isdisjoint(lower[-1:])
    )


# ---------------------------------------------------------------- surnames

#: Particles that belong to the surname after them; capitalised, only those of the second table do.
PARTICLES = frozenset(
    "van von vom zu zum zur de der den del della dello dalla des du da das do dos di d' la le les"
    " lo el al bin ibn bint ben ter ten te 't af av santa st. mac y".split()
)
_CAPITAL_PARTICLES = frozenset(
    "Van Von De Der Den Del Della Di Du Da Dos Des La Le Los El Al Ter Ten St. Mac".split()
)
#: Chinese, Korean and Vietnamese surnames that often stand first in Latin letters too.
_EASTERN_SURNAMES = frozenset(
    """
        Bai Cai Cao Chen Cheng Cui Deng Ding Dong Du Duan Fan Fang Feng Fu Gao Gong Gu Guo Han Hao
        He Hou Hu Huang Jia Jiang Jin Kong Lai Lei Li Liang Liao Lin Liu Long Lu Luo Lü Ma Mao Meng
        Mo Pan Peng Qi Qian Qin Qiu Ren Shao Shen Shi Su Sun Tan Tang Tao Tian Tsai Wan Wang Wei Wen
        Wu Xi Xia Xiao Xie Xiong Xu Xue Yan Yang Yao Ye Yi Yin Yu Yuan Zeng Zhang Zhao Zheng Zhong
        Zhou Zhu Zou Zuo Kim Lee Park Choi Jung Jeong Kang Cho Yoon Jang Lim Shin Seo Kwon Hwang Ahn
        Moon Yoo Bae Baek Roh
    """.split()
)
_VIETNAMESE = frozenset(
    "Nguyen Nguyễn Tran Trần Pham Phạm Hoang Hoàng Phan Vu Vũ Vo Võ Dang Đặng Bui Bùi Ngo Ngô Duong"
    " Dương".split()
)
_LOWER_SECOND = re.compile(r"[A-Z][a-z]+-[a-z]+")  # Jong-un, Ing-wen
_SYLLABLE = (
    "(?:(?:zh|ch|sh|[bpmfdtnlgkhjqxrzcsyw])?"
    "(?:[aeiuü]|ai|ei|ao|ou|ong|ia|ie|iao|iu|iong|ua|uo|uai|ui|ue|üe)(?:ng|n|r)?|[bpmfw]o)"
)
#: A given name of two syllables in pinyin, but for those that Europe has too.
_EUROPEAN = "ali|ana|anna|eva|lisa|mina|tina|nina|luca|lana|lena|mike|luke|kate|nate"
_PINYIN = re.compile(f"(?!(?:{_EUROPEAN})$){_SYLLABLE}{_SYLLABLE}", re.IGNORECASE)


def _find_surname(words: list[str]) -> int:
    """Return the index of the word at which the surname begins.

    It begins at its particles, at the first of two names joined by "y", else at the last word.
    """
    at = len(words) - 1
    small = next((n for n, word in enumerate(words[:-1]) if n and word in PARTICLES), at)
    while at > 1 and words[at - 1] in _CAPITAL_PARTICLES:
        at -= 1
    at = min(at, small)
    return at - 1 if words[at] == "y" and at > 1 else at  # "Ramón y Cajal" is one surname


def _is_eastern(words: list[str]) -> bool:
    """Return whether a name in Latin letters has its surname first, as in China or Vietnam."""
    first, rest = words[0], words[1:]
    if first in _VIETNAMESE:
        return len(rest) == 2
    if len(rest) != 1:
        return False
    if _LOWER_SECOND.fullmatch(rest[0]):
        return True
    return (
        first in _EASTERN_SURNAMES
        and rest[0] not in _EASTERN_SURNAMES
        and ("-" in rest[0] or bool(_PINYIN.fullmatch(rest[0])))
    )
