"""Find the lists of references in a text.

Covers bibliographies, numbered references, footnotes that name a source and further reading. A list
is recognised by its heading and the shape of the lines below it, or by the shape alone at the end
of a text. Precision comes first: a section "Notes" that holds prose is text, and so is a list of
anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

# ---------------------------------------------------------------- what such a list is called

#: Below one of these, a line is an entry unless it reads as prose.
REFERENCE_HEADINGS = frozenset(
    """references|reference list|list of references|cited references|references cited
    |references and notes|notes and references
    |notes & references|references & notes|references and further reading|bibliography
    |select bibliography|selected bibliography|works cited
    |literature cited|cited literature|cited works|sources and references|footnotes and references
    |literaturverzeichnis|literaturangaben|literaturnachweise|literaturhinweise
    |quellenverzeichnis|quellenangaben|quellennachweise
    |einzelnachweise|anmerkungen und einzelnachweise|bibliographie|bibliografie
    |literatur und quellen|quellen und literatur
    |références|références bibliographiques|notes et références|ouvrages cités
    |referencias|referencias bibliográficas|bibliografía|obras citadas|notas y referencias
    |fuentes y bibliografía
    |referências|referências bibliográficas|bibliografia|obras citadas|notas e referências
    |riferimenti bibliografici|riferimenti|note e riferimenti|opere citate|referenties
    |literatuurlijst|bronvermelding|noten en referenties
    |referenser|källförteckning|litteraturförteckning|referanser|litteraturliste|kildeliste
    |litteratur og kilder|lähteet|viitteet
    |lähdeluettelo
    |bibliografia i źródła|przypisy|piśmiennictwo|reference a zdroje|použitá literatura
    |irodalomjegyzék|hivatkozások|bibliografie și note
    |kaynakça|kaynaklar|daftar pustaka|tài liệu tham khảo|referensi
    |список литературы|литература и источники|библиография|примечания и литература
    |список використаних джерел|βιβλιογραφία|παραπομπές
    |参考文献|参考資料|參考文獻|参考资料|參考資料|引用文献|引用文獻|文献|参照文献|脚注と参考文献|참고문헌|참고 문헌|참고 자료
    |المراجع|قائمة المراجع|المصادر والمراجع|ביבליוגרפיה|הערות שוליים|संदर्भ|सन्दर्भ
    |เอกสารอ้างอิง|อ้างอิง""".replace("\n", "").split("|")
)
#: These name other things too: below them, most lines must have the shape of entries.
POSSIBLE_HEADINGS = frozenset(
    """citations|sources|source|notes|endnotes|footnotes|literature|further reading
    |external links|see also|related links|web links
    |recommended reading|suggested reading|additional resources|publications
    |quellen|literatur|weblinks|anmerkungen|fußnoten|fussnoten|endnoten|nachweise
    |weiterführende literatur|belege
    |sources et références|sources|notes|liens externes|bibliographie sélective|pour en savoir plus
    |fuentes|notas|enlaces externos|literatura|lecturas adicionales|ligações externas|fontes
    |notas e fontes|leitura adicional
    |fonti|note|collegamenti esterni|letteratura|bronnen|literatuur|noten|voetnoten
    |externe links|källor|litteratur|noter|fotnoter|kilder
    |kirjallisuutta|kirjallisuus|źródła|literatura|bibliografia|linki zewnętrzne|zdroje|odkazy
    |poznámky|források|jegyzetek|surse|dipnotlar
    |dış bağlantılar|литература|источники|примечания|ссылки|сноски|джерела|примітки|посилання
    |πηγές|σημειώσεις
    |注釈|脚注|註釋|注释|註腳|外部リンク|外部链接|外部連結|延伸閱讀|出典|典拠|각주|출처|외부 링크|مراجع|مصادر|هوامش|הערות|מקורות
    |टिप्पणी|catatan kaki|sumber|chú thích|nguồn""".replace("\n", "").split("|")
)
_HEADINGS = {
    re.sub(r"\s+", " ", name.strip()).casefold(): sure
    for names, sure in ((POSSIBLE_HEADINGS, False), (REFERENCE_HEADINGS, True))
    for name in names
}
_NUMBERED = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})*|[ivxIVX]{1,4}|[A-Z])[.)]?\s+(?=\S)")
_AFTER_NAME = re.compile(r"\s*(?:\[[^\]\n]{1,40}\]|\(\d{1,4}\)|\d{1,4})$")
_EDGES = " \t#*_:：.–—-=【】"

# ---------------------------------------------------------------- the shape of an entry

_ENTRY_MARK = re.compile(
    r"\s*(?:[-*•]\s+)?(?:(?:\[\d{1,3}\]|\[\^[\w-]{1,30}\]:|\(\d{1,3}\)\s|\d{1,3}[.)]?\s|[\^↑]"
    r"|[¹²³⁴-⁹⁰]+\s?)\s*){1,2}"
    r"(?:[a-z](?:\s[a-z])*\s(?=\W))?"
)
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)])\s")
_UP, _LOW = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĖĘĚĞĢĪĮİĶŁĻŃŅŇŌŐŒŔŘŚŞŠŤŪŮŰŲŹŻŽА-ЯΑ-Ω", r"[^\W\d_]"
_NAME = (
    rf"(?:(?:van|von|de|der|den|del|la|le|di|da|dos|el|al|bin|ter|zu)\s){{0,3}}"
    rf"[{_UP}]{_LOW}*(?:['’\-]{_LOW}+)*"
)
_AUTHOR = re.compile(
    rf"(?:{_NAME}(?:\s{_NAME})?,?\s(?:[{_UP}]\.[\s-]?){{1,4}}"  # Smith, J. K. and Smith J.
    rf"|{_NAME}(?:\s{_NAME})?\s[{_UP}]{{1,3}}(?=[,.;:]|\s\(|\set\sal|$)"  # Smith JK,
    rf"|(?:[{_UP}]\.[\s-]?){{1,3}}\s?{_NAME}(?:,|\sand\s|\s&\s|\sund\s|\set\s)"  # J. K. Smith,
    # Smith, John.
    rf"|{_NAME},\s{_NAME}(?:\s[{_UP}]\.)?(?:,\sand\s|,\s|\sand\s|\s&\s|\.\s|:\s|\s\())"
)
_YEAR = re.compile(
    r"\((?:[^()]{0,20}\W)?(?:1[5-9]|20)\d\d[a-z]?\)"
    r"|\b(?:1[5-9]|20)\d\d[a-z]?(?:[;:]\s?\d|\.?\s*$|\.\s)"
    r"|（(?:1[5-9]|20)\d\d年?）|(?:1[5-9]|20)\d\d年"
)
_PUBLISHED = re.compile(
    r"""\b10\.\d{4,9}/\S|\bdoi\b|\barxiv\b|\bis[bs]n\b|\bpmid\b|\bet\ al\b
    |\bpp?\.\ ?\d|\bS\.\ \d|\bvol\.\ ?\d|\bno\.\ ?\d+,|\bbd\.\ ?\d
    |\d\ ?\(\d{1,3}(?:[-–]\d+)?\)\ ?[:,]\ ?\w|;\ ?\d{1,4}(?:\(\d+\))?:\ ?\w?\d
    |\b(?:retrieved|accessed|archived\ from|available\ (?:at|from)|abgerufen|zugegriffen
      |consulté|consultado|recuperado|disponible\ en|acesso\ em|geraadpleegd|hämtad
      |дата\ обращения|проверено)\b|閲覧|检索|查阅
    |\b(?:university|academic|clarendon|mit)\ press\b|\bjournal\ of\b|\bproc(?:\.\s|eedings\ of\b)
    |\bin:\s|\beds?\.|\bhrsg\.|\bverlag\b
    |\bibid\b|\bop\.\ cit|\bedn\b|\b\d(?:st|nd|rd|th)\ ed\b|\bunpublished\ manuscript
    |\bdissertation\b|出版社|学報|학회지""",
    re.IGNORECASE | re.VERBOSE,
)
_ADDRESS = re.compile(r"https?://|\bwww\.\w")
_TITLE = re.compile(r"[\"“„«「『][^\"”“»」』]{8,}[\"”“»」』]")
#: Words that sentences have several of, and titles hardly any.
_SENTENCE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|would|can|could|may|must|shall|should|that|which|we|it"
    r"|they|this|these|there|he|she|not|been"
    r"|ist|sind|war|wurde|wurden|hat|haben|dass|werden|nicht|sich|est|sont|était|été|qui|que|ont|es"
    r"|fue|fueron|han|está|è|sono|che)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[.!?。！？][\"”’)\]]*$")
#: The most characters of an entry, and the fewest words of prose that ends like a sentence.
LONGEST_ENTRY, PROSE_WORDS = 700, 12
SHORTEST_ENTRY = 7
LONGEST_NAME = 80
#: The list ends after this many words of prose below its last entry.
MAX_PROSE_BELOW = 40
#: Consecutive entries that make a list at the end of a text, and short lines allowed below it.
MIN_ENTRIES, MAX_LINES_BELOW = 3, 3


class EntrySigns(NamedTuple):
    """The features of a reference that a line has; `spoken`: it reads like a sentence."""

    mark: bool
    author: bool
    year: bool
    published: bool
    address: bool
    title: bool
    spoken: bool

    @property
    def weight(self) -> int:
        """Return how much the features speak for a reference."""
        return (
            self.mark
            + 2 * self.author
            + self.year
            + 2 * self.published
            + self.address
            + self.title
            - 2 * self.spoken
        )

    @property
    def names_source(self) -> bool:
        """Return whether the line names a source."""
        return self.weight > 1 and (
            self.author or self.published or self.address or (self.year and self.title)
        )

    @property
    def is_strict(self) -> bool:
        """Return whether the line is surely a reference even without a heading above."""
        return (
            self.weight > 2
            and (self.author or self.published)
            and (self.year or self.published or self.address)
        )


@dataclass(frozen=True)
class ReferenceLine:
    """A line with content; `text` has no surrounding white space."""

    start: int
    end: int
    text: str

    @cached_property
    def level(self) -> int:
        """Return the level of a heading with marks, otherwise 0."""
        found = re.match(r"(#{1,6})\s", self.text)
        return len(found[1]) if found else 0

    @cached_property
    def sure(self) -> bool | None:
        """Return whether it is a heading of references only; None if it is no such heading."""
        if len(self.text) > LONGEST_NAME:
            return None
        bare = _AFTER_NAME.sub("", self.text.strip(_EDGES)).strip(_EDGES).casefold()
        return _HEADINGS.get(bare, _HEADINGS.get(_NUMBERED.sub("", bare, count=1)))

    @cached_property
    def _rest(self) -> str:
        """The line without the mark of an entry or an item."""
        mark = _ENTRY_MARK.match(self.text)
        return self.text[mark.end() :] if mark else _ITEM.sub("", self.text, count=1)

    @cached_property
    def names_author(self) -> bool:
        """Return whether the line begins with an author, behind its mark."""
        return bool(_AUTHOR.match(self._rest))

    @property
    def _may_be_entry(self) -> bool:
        return SHORTEST_ENTRY < len(self.text) <= LONGEST_ENTRY and not self.level

    @cached_property
    def signs(self) -> EntrySigns:
        """Return the features of a reference that the line has."""
        if not self._may_be_entry:
            return EntrySigns(*[False] * 7)
        mark = _ENTRY_MARK.match(self.text)
        rest = self._rest
        year, published, address, title = (
            bool(pattern.search(rest)) for pattern in (_YEAR, _PUBLISHED, _ADDRESS, _TITLE)
        )
        return EntrySigns(
            bool(mark),
            self.names_author,
            year,
            published,
            address,
            title,
            len(_SENTENCE.findall(rest)) > 2,
        )

    @cached_property
    def words(self) -> int:
        """Return the number of words."""
        return len(self.text.split())

    @cached_property
    def is_strict(self) -> bool:
        """Return `signs.is_strict`; the slow patterns run only where a fast one has matched."""
        if not self._may_be_entry:
            return False
        has_fast_sign = (
            _ENTRY_MARK.match(self.text) is not None
            or self.names_author
            or any(pattern.search(self._rest) for pattern in (_ADDRESS, _YEAR, _TITLE))
        )
        return has_fast_sign and self.signs.is_strict

    @property
    def is_prose(self) -> bool:
        """Return whether the line is a long sentence without features of a reference."""
        return (
            self.words >= PROSE_WORDS
            and _ENDS.search(self.text) is not None
            and self.signs.weight < 2
        )

    @property
    def looks_like_heading(self) -> bool:
        """Return whether the line is short, like a title, and no part of an entry."""
        short = (
            self.words <= 8
            and len(self.text) <= 60
            and not self.text[0].islower()
            and self.text[-1] not in ".,:;"
        )
        return short and self.signs.weight == 0 and not _ITEM.match(self.text)


# ---------------------------------------------------------------- the lists

#: What a sentence on a study says and a reference does not.
_REPORTING_VERBS = re.compile(
    r"\b(?:found|finds?|show(?:s|ed|n)?|report(?:s|ed)?|argu(?:es|ed)|conclud(?:es|ed)|suggest(?:s"
    r"|ed)?|observ(?:es|ed)|stat(?:es|ed)"
    r"|claim(?:s|ed)?|describ(?:es|ed)|demonstrat(?:es|ed)|not(?:es|ed)|wrote|writes|says?|said)\b",
    re.IGNORECASE,
)


def is_reference(text: str) -> bool:
    """Return whether a line by itself is surely one reference.

    It has authors, a year and a place of publication, and no verb of a sentence.
    """
    line = ReferenceLine(0, len(text), text.strip())
    if len(line.text) > LONGEST_ENTRY or not line.names_author:
        return False
    signs = line.signs
    return (
        signs.author
        and signs.year
        and signs.published
        and not _SENTENCE.search(line.text)
        and not _REPORTING_VERBS.search(line.text)
    )


def find_references(text: str) -> tuple[tuple[int, int], ...]:
    """Return (start, end) of each list of references with its heading, in order."""
    lines = [
        ReferenceLine(*found.span(), found[0]) for found in re.finditer(r"\S(?:[^\n]*\S)?", text)
    ]
    return tuple((lines[first].start, lines[last].end) for first, last in _find_lists(lines))


def remove_references(text: str) -> str:
    """Return the text without its lists of references."""
    kept: list[str] = []
    last_end = 0
    for start, end in find_references(text):
        kept.append(text[last_end:start])
        last_end = end
    kept.append(text[last_end:])
    return "".join(kept)


def _find_lists(lines: Sequence[ReferenceLine]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last line of each list."""
    number = begins = 0
    while number < len(lines):
        last = number
        if lines[number].sure is not None:
            last = _find_last_entry(lines, number)
        if last > number:
            yield number, last
            begins = last + 1
        number = last + 1
    yield from _find_trailing_list(lines, begins)


def _find_last_entry(lines: Sequence[ReferenceLine], heading: int) -> int:
    """Return the last entry below a heading, or the heading itself if there is no list."""
    sure, level = bool(lines[heading].sure), lines[heading].level
    last = heading
    entries = prose = 0
    for number in range(heading + 1, len(lines)):
        line = lines[number]
        distance = number - heading
        if distance > 40 and 4 * entries < distance:
            break
        if _ends_list(lines, number, level):
            break
        if prose > MAX_PROSE_BELOW and not _entry_follows(lines, number):
            break
        if _is_list_entry(line, sure=sure):
            last = number
            entries += 1
            prose = 0
        elif line.is_prose:
            prose += line.words
    least_entries, least_share = (1, 0.5) if sure else (2, 0.6)
    if entries < least_entries or entries < least_share * (last - heading):
        return heading
    return last


def _is_list_entry(line: ReferenceLine, *, sure: bool) -> bool:
    """Return whether a line below a heading is an entry; `sure` is that of the heading."""
    if not sure or line.level:
        return line.signs.names_source
    return not line.is_prose and (line.signs.weight > 0 or _ITEM.match(line.text) is not None)


def _ends_list(lines: Sequence[ReferenceLine], number: int, level: int) -> bool:
    """Return whether a line ends the list above it.

    It does if it is a heading of at least the rank of `level`, or a heading that no entry follows.
    """
    line = lines[number]
    if line.sure is not None:
        return True  # a list of its own, if it is one
    if line.level:
        return line.level <= level or not level or not _entry_follows(lines, number + 1)
    return not level and line.looks_like_heading and not _entry_follows(lines, number + 1)


def _entry_follows(lines: Sequence[ReferenceLine], number: int) -> bool:
    """Return whether one of the next two lines is an entry."""
    return any(line.signs.names_source for line in lines[number : number + 2])


def _find_trailing_list(lines: Sequence[ReferenceLine], begins: int) -> Iterator[tuple[int, int]]:
    """Yield a list of entries without a heading at the end of the text.

    At most a few short lines may follow it. `begins` is the first line that may be an entry.
    """
    last = len(lines) - 1
    if last - begins + 1 < MIN_ENTRIES:
        return
    while last >= begins and len(lines) - 1 - last < MAX_LINES_BELOW:
        if lines[last].words > PROSE_WORDS or lines[last].is_strict:
            break
        last -= 1
    first = last + 1
    entries = 0
    for number in range(last, begins - 1, -1):
        line = lines[number]
        if line.is_strict:
            first = number
            entries += 1
        elif line.is_prose or line.level or first - number > 1:
            break
    if entries >= MIN_ENTRIES and entries >= 0.6 * (last - first + 1):
        yield first, last
