"""Tell whether words name a source: those of a link, and an entry of a list without its mark.

"Rents rose by 5% [Reuters](…)." is checked without its last word; "Rents rose in [Berlin](…)." and
"says [Reuters](…)" keep theirs. Words in the middle of a sentence always belong to it, unless a
year follows a name ("[World Bank, 2023](…)").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from research_core.text.abbreviations import MONTHS
from research_core.urls import find_site

#: Nouns for documents. In the first languages they need an article, so that one without names the
#: source, also behind a word.
_COUNTED_DOCUMENTS = frozenset(
    """
        report study article paper survey source link
        bericht studie artikel beitrag pressemitteilung umfrage quelle
        rapport étude enquête communiqué informe estudio artículo encuesta comunicado
        relatório estudo artigo pesquisa studio articolo indagine comunicato verslag persbericht
    """.split()
)
_OTHER_DOCUMENTS = frozenset(
    """
        pdf website webpage news press release data statistics full text here daten statistik
        données datos dados dati raport badanie artykuł źródło
        отчёт отчет доклад исследование статья данные источник 报告 研究 报道 论文 数据 文章 链接
        報告 報告書 論文 記事 調査 資料 보고서 연구 기사 논문 자료 تقرير دراسة مقال
    """.split()
)
#: After such a word a name belongs to the sentence.
_GOVERNING_WORDS = frozenset(
    """
        a an the this that these those its their his her our in on at of by from to for with as and
        or per see via says said say states stated reports reported found finds according about into
        than is are was were be like under over between within
        der die das den dem des ein eine einen einem einer eines im in am an auf aus bei beim von vom
        zu zur zum mit nach und oder laut gemäß als für über durch seine ihre ist sind war waren
        le la les l un une des du de d au aux à en dans par pour avec sur et ou selon comme est sont
        el los las lo una unos del al en por para con sobre y o según como es son
        il lo gli uno una dell della dello dei degli delle nel nella da dal dalla con su e o secondo
        um uma os as no na nos nas pelo pela do da dos das em com ou segundo é são
        het een van in op bij door met en of volgens is zijn
        w na z ze do od przez według i lub o в на из от по с со и или о об для согласно является
    """.split()
)
#: A figure with its unit, behind which no object follows ("by 5 percent [Reuters]").
_QUANTITY = re.compile(
    r"\d[\s\u00a0]?(?:percent|per cent|prozent|pour cent|por ciento|por cento|per cento|procent"
    r"|(?:m|b|tr)illion(?:s|en|es|i)?|milliarden?|milliards?|millones|milhões|bilhões|milioni"
    r"|miliardi|miljoen|miljard|mln|mrd|bn|euros?|dollars?|dólares|pounds|yen|yuan|people|[kcm]?m|k?g"
    r"|процент\w*|млн|млрд|тыс)\.?$",
    re.IGNORECASE,
)
_LAST_WORD = re.compile(r"([^\W\d_]+)['’]?$")
#: What ends a sentence, or stands before a source that is named behind it.
_BREAK = re.compile(r"[.!?…。！？][\"'”’»)\]*_]*$|[–—-]$")
_END = re.compile(r"[*_\s]*(?:[.!?;,。；，)\]】）]|\[|$)")
#: What a report writes before a source.
LABEL_WORDS = (
    r"(?:sources?|references?|refs?|citations?|see(?: also)?|via|quellen?|fuentes?|fontes?|fonti"
    r"|bron(?:nen)?|källor?|kilder?|źródł[oa]|источники?|来源|來源|出处|出典|المصادر|المصدر)"
)
#: What sends the reader to a source without a colon.
SEE_WORDS = (
    r"(?:see(?: also)?|cf\.|via|siehe(?: auch)?|vgl\.|voir(?: aussi)?|véase|ver|veja|vedi|zie|zob\."
    r"|см\.)"
)
_ASIDE = re.compile(rf"[(（\[]\s?{SEE_WORDS}$", re.IGNORECASE)
_YEAR_AFTER_NAME = re.compile(r"[^\W\d_][^\d\n]{1,100}?,?\s\(?(?:19|20)\d\d[a-z]?\)?")
_PUBLISHER = re.compile(r"\S\s+[|–—-]\s+[^\W\d_][^|\n]{1,60}$")
#: Characters before and behind a link that decide.
MAX_CONTEXT = 60
#: Letters of the shortest name that is looked for within a host; shorter ones equal one label of
#: it.
MIN_NAME_IN_HOST = 4


def is_source_label(words: str, url: str, before: str, after: str) -> bool:
    """Return True if the words of a link to `url` are no part of the sentence around it.

    before, after: the text of the same line in front of and behind the link.
    """
    words = words.strip(" *_")
    before = before[-MAX_CONTEXT:].rstrip(" *_")
    if not before or not words:
        return False
    ends = _END.match(after[:MAX_CONTEXT]) is not None
    if _ASIDE.search(before):
        return ends
    is_behind_break = _BREAK.search(before) is not None
    if is_behind_break and not ends:
        return False
    last = _LAST_WORD.search(before)
    if last and last[1].casefold() in _GOVERNING_WORDS:
        return False
    if _YEAR_AFTER_NAME.fullmatch(words) and words[0].isupper() and not _begins_with_month(words):
        return True
    names = re.findall(r"[^\W\d_]+", words.casefold())
    if not ends or not names:
        return False
    if all(name in _COUNTED_DOCUMENTS for name in names):
        return True
    # Behind a word anything else may be its object ("bought Twitter").
    if last and not is_behind_break and not _QUANTITY.search(before):
        return False
    return (
        _COUNTED_DOCUMENTS.union(_OTHER_DOCUMENTS).issuperset(names)
        or _names_host(words, url)
        or (is_behind_break and _PUBLISHER.search(words) is not None)
    )


def _begins_with_month(words: str) -> bool:
    return words.split()[0].strip(".,").casefold() in MONTHS


def _names_host(words: str, url: str) -> bool:
    """Return True if the words are the name of the site, as "World Bank" is of worldbank.org."""
    site = find_site(url).partition(".")[0].replace("-", "")
    plain = unicodedata.normalize("NFKD", words.casefold().removeprefix("the "))
    name = re.sub(r"[\W_]", "", plain)
    if not site or not name or not words[0].isupper():
        return False
    if len(name) < MIN_NAME_IN_HOST or len(site) < MIN_NAME_IN_HOST:
        return name == site
    return name in site or (len(words.split()) <= 3 and site in name)


def strip_entry_marks(entry: str, marks: Sequence[str]) -> str:
    """Return a line of a list of sources without the mark or bullet at its start."""
    for mark in marks:
        entry = re.sub(rf"^\W{{0,6}}{re.escape(mark)}(?!\w)\W{{1,4}}(?=\S)", "", entry, count=1)
    return entry.lstrip("-*•– ")
