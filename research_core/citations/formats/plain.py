"""Parse references as people write them, in any style, into Items.

Styles are recognised by their marks: a year after the names, a title in quotation marks, sentences.
What is not found is left out.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from research_core.citations.formats import csl
from research_core.citations.formats.dates import parse_work_date
from research_core.citations.formats.entries import BibliographyReading, LocatedItem, build_reading
from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.listed_names import parse_listed_names, reads_as_names
from research_core.citations.formats.locators import (
    DATE,
    YEAR,
    PrintLocator,
    find_date,
    find_locator,
)
from research_core.citations.formats.pasted_list import split_entries, strip_list_mark
from research_core.citations.formats.phrases import MONTHS
from research_core.text.words import strip_invisible
from research_core.urls import build_doi_url, fold_doi, trim_doi

#: Characters of one reference that are read, and of a query to an index.
MAX_CHARS, MAX_SEARCH_CHARS = 4_000, 300
_DOI = re.compile(
    r"(?:\(?\s*+(?:doi(?:\.org)?+\s*+[:/]?+\s*+"
    r"|https?://\S+?/(?=(?:doi(?:\.org)?+\s*+[:/]?+\s*+)?+10\.\d{4,9}/))*+)(?<![\d.])"
    r"(10\.\d{4,9}/(?:[^\s\"<>“”]|<(?!/|[a-z]{1,6}>|jats:)[^\s<>/]{0,80}>(?=[^\s\"]))+)",
    re.IGNORECASE,
)
_URL = re.compile(
    r"(?:(?:\[Online\]\.?\s*)?(?:available|retrieved|disponible|verfügbar"
    r"|abrufbar)\s*(?:online\s*)?(?:from|at|en|unter)?\s*:?\s*)?"
    r"<?(https?://[^\s<>\"“”]+|www\.[^\s<>\"“”]+)>?",
    re.IGNORECASE,
)
_ACCESSED = re.compile(
    r"[(\[]?\s*\b(?:last\s+)?(?:accessed|retrieved|cited|viewed|visited|consulted|abgerufen"
    r"|zugegriffen|consulté|consultado)"
    r"\s*(?:on|am|le|el)?\s*:?\s*"
    rf"((?:\d{{1,2}}\.?\s+)?[A-Za-zäé]{{3,9}}\.?\s+(?:\d{{1,2}},?\s+)?{YEAR}"
    rf"|{YEAR}[-\s/]\w{{2,9}}[-\s/]\d{{1,2}}"
    rf"|\d{{1,2}}[./]\d{{1,2}}[./]{YEAR})\s*,?\s*(?:from\b:?)?[)\].]*",
    re.IGNORECASE,
)
_MEDIUM_LABEL = re.compile(
    r"\s*\[(?:Internet|Online|Online Video|Electronic|eBook|PDF|Preprint|Web page)\]\.?",
    re.IGNORECASE,
)
#: The parties of a case with at most a year after them, which are no list of authors.
_PARTIES_ALONE = re.compile(
    r"(?P<title>[A-Z][^,;:()\[\]“\"]{0,100}?\s(?:vs?\.?|versus)\s(?:the\s)?[A-Z][^,;:()\[\]“\"]{0,100}?)"
    rf"(?:(?:,?\s|\s?[(\[])(?P<year>{YEAR})[)\]]?)?\.?"
)
_CASE_CITATION = re.compile(
    rf"^(?P<title>(?:[^,“\"]|,\s(?:Inc|Ltd|LLC|Co|Corp)\.?){{1,150}}?\s(?:vs?\.?"
    rf"|versus)\s[^“\"]{{1,200}}?"
    rf"|(?:In re|Ex parte|Matter of)\s[^“\"]{{2,150}}?),?\s+"
    rf"(?:(?P<volume>\d{{1,4}})\s+(?P<reporter>[A-Z][\w.’'"
    rf" ]{{0,30}}?)\s+(?P<pages>\d{{1,5}})(?:,\s*\d{{1,5}}(?:[-–]\d+)?)*"
    rf"\s*\((?P<court>[^()\d]*(?:\d{{1,2}}(?:st|nd|rd|th|d)\s[^()]*?)?)(?P<year>{YEAR})\)"
    rf"|[\[(](?P<year2>{YEAR})[\])]\s+(?P<volume2>\d+\s)?(?P<reporter2>[A-Z][\w."
    r" ]{0,20}?)\s+(?P<pages2>\d+))"
)
_QUOTED_TITLE = re.compile(
    r"[“\"«„]\s*(.{3,}?)\s*(?:(?<=[,.?!’'])[”\"»“](?=[\s,.;()\[]|$)|[”\"»](?=[,.;]|\s*$"
    r"|\s+(?![a-z])|\s+in\b))"
    r"|‘(.{8,}?)[,.]?’(?=[\s,.;:(]|$)"
)
_BRACKETED_DATE = re.compile(
    rf"\s*[.,:]?\s*\((?:[^()]{{0,30}}?\b)?((?:{YEAR})[a-z]?(?:[,\s][^()]{{0,30}})?|n\.\s?d\.|in"
    r" press|forthcoming)\)\s*[.:,]?\s*"
)
_FOLLOWING_YEAR = re.compile(rf"\s*[.,]?\s*({YEAR})[a-z]?\s*[.:,]\s+")
_PUNCTUATION = re.compile(r"[\s.:,;]+")
#: The end of a sentence in a reference, and words whose full stop ends none.
_SENTENCE_END = re.compile(
    r"[.?!][”\"’)]?(?:\s+(?=[^\W_a-z]|\d|[“\"(\[‘«]|in:|[a-z]{1,5}[A-Z])|\s*$)"
)
_ABBREVIATION = re.compile(
    r"(?:^\s*(?:\d{1,3}|[IVXL]+)|\b(?:[A-Za-zÀ-Þ]|vs|cf|ca|Dr|Mr|Mrs|St|Jr|Sr|No|Vol|Proc|Int|J|Am"
    r"|Univ|spp|sp|subsp|var|nov|ed|eds|al|Inc|Ltd|Co|U\.S|i\.e|e\.g)|\d(?:st|nd|rd|th) ed)$"
)
_IN_CONTAINER = re.compile(r"\s*(?:[Ii]n\s*:\s*|[Ii]n\s+(?=[^\Wa-z]|\d)|aus:\s)")
_EDITED_BY = re.compile(
    r"^(?:[^()]{2,200}?\((?:eds?|hrsg)\.?\)[.,:]?\s*|(?:edited\s+)?by\s[^.,]{3,80}[.,]\s*)",
    re.IGNORECASE,
)
_TYPE_PATTERNS = (
    (
        "thesis",
        r"\b(?:(?:ph\.?\s?d\.?|doctoral|master(?:['’]s)?|m\.?sc\.?"
        r"|bachelor(?:['’]s)?)[\s-]+(?:thesis|dissertation)"
        r"|dissertation|thesis)\b",
    ),
    ("dataset", r"\[data\s?set\]|\bdata set\b"),
    ("patent", r"\b(?:U\.?S\.?|European|German) patent\b|\bpatent (?:no|number|application)\b"),
    ("article", r"\barxiv\b|\b(?:bio|med|chem)rxiv\b|\bpreprint\b"),
    (
        "paper-conference",
        r"\b(?:proceedings|proc\.|conference|conf\.|symposium|symp\.|workshop|congress)"
        r"(?!\s+(?:of|on) the (?:national academy|royal society))",
    ),
    ("report", r"\b(?:technical report|tech\. rep|working paper|report no)\b"),
)
_ARXIV = re.compile(
    r"arxiv[:\s]*(?:preprint\s*)?(?:arxiv:)?\s*(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})",
    re.IGNORECASE,
)


def read_references(text: str) -> BibliographyReading:
    """Read a pasted list of references, or the list in a text. Lines end with "\\n"."""
    return build_reading(
        "text", (LocatedItem(line, parse_reference(said)) for line, said in split_entries(text))
    )


def parse_reference(text: str) -> Item:
    """Parse one reference, as far as its style shows the parts."""
    said = strip_list_mark(csl.read_line(text[:MAX_CHARS]))
    said = said.replace("\\_", "_")
    said = re.sub(
        r"(?<![\w*])\*{1,2}(?=\S)|(?<=\S)\*{1,2}(?![\w*])|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)", "", said
    )
    if case := _CASE_CITATION.match(said):
        return _build_case(case)
    doi, rest = _cut_doi(said)
    accessed, rest = _cut_match(_ACCESSED, rest)
    url, rest = _cut_match(_URL, rest)
    rest = " ".join(
        _MEDIUM_LABEL.sub(lambda found: "." if found[0].endswith(".") else "", rest).split()
    )
    people, editors, end = parse_listed_names(rest)
    parties = _PARTIES_ALONE.fullmatch(rest)
    if parties:
        editors = False
        work = Item(title=parties["title"], issued=parties["year"] or "")
    else:
        work = _parse_body(rest, people, end)
    if editors:
        work = replace(work, editors=work.authors, authors=())
    url = url.rstrip(".,;:)]>") if url.count("(") <= url.count(")") else url.rstrip(".,;:]>")
    arxiv = _ARXIV.search(said)
    address = url
    if not url and doi and "http" in said:
        address = build_doi_url(doi)
    elif not url and arxiv and not doi:
        address = f"https://arxiv.org/abs/{arxiv[1]}"
    return replace(
        work,
        type=_guess_type(work, rest, url),
        doi=doi or (csl.read_doi(url) if url else ""),
        url=address,
        accessed=parse_work_date(accessed),
    )


def build_search_words(work: Item | str) -> str:
    """Build the query for an index of works: people, title, container and year.

    It has no other number and at most `MAX_SEARCH_CHARS` characters.
    """
    if isinstance(work, str):
        read = parse_reference(work)
        work = (
            read
            if read.title and (read.authors or read.issued)
            else Item(title=_strip_numbers(work))
        )
    names = " ".join(each.family or each.literal for each in (work.authors or work.editors)[:3])
    words = " ".join(filter(None, (work.title, names, work.container, work.issued[:4])))
    said = unicodedata.normalize("NFKC", words).split()
    kept = [word for n, word in enumerate(said) if len(" ".join(said[: n + 1])) <= MAX_SEARCH_CHARS]
    return " ".join(kept) or " ".join(said)[:MAX_SEARCH_CHARS]


def _strip_numbers(text: str) -> str:
    reference = strip_list_mark(" ".join(strip_invisible(text[:MAX_CHARS]).split()))
    _, rest = _cut_doi(reference)
    kept: list[str] = []
    for word in _URL.sub(" ", rest).split():
        if re.search(r"[^\W\d_]{2}", word) or re.fullmatch(rf"\W*{YEAR}\W*", word):
            kept.append(word)
    return " ".join(kept)


def _cut_doi(text: str) -> tuple[str, str]:
    """Return the whole DOI of a reference, and the reference without it."""
    found = _DOI.search(text)
    if not found:
        return "", text
    text = text[: found.start()] + fold_doi(found[0]) + text[found.end() :]
    found = _DOI.match(text, found.start()) or found
    bare = found[1]
    if re.match(r"\(?\s*https?://(?!\S*?doi)", found[0]):
        bare = csl.read_doi(found[0].strip(" (")) or bare
    bare = trim_doi(bare)
    before = re.sub(
        r"\s*(?:\[Online\]\.?\s*)?(?:available|retrieved)\s+(?:at|from)\s*:?\s*$",
        "",
        text[: found.start()],
        flags=re.IGNORECASE,
    )
    rest = text[found.start(1) + len(bare) :].lstrip(".)")
    return unquote(bare), f"{before} {rest}".strip()


def _cut_match(pattern: re.Pattern[str], text: str) -> tuple[str, str]:
    found = pattern.search(text)
    if not found:
        return "", text
    rest = f"{text[: found.start()].rstrip()} {text[found.end() :].lstrip()}"
    return found[1], rest.strip()


def _build_case(found: re.Match[str]) -> Item:
    """Build a judgement, cited by its reporter."""
    said = {name: (value or "").strip() for name, value in found.groupdict().items()}
    cited = found[0][found.end("title") :].strip(" ,")
    more = {"references": cited} | ({"authority": said["court"]} if said["court"] else {})
    return Item(
        type="legal_case", title=said["title"].strip(" ,"),
        container=said["reporter"] or said["reporter2"],
        volume=said["volume"] or said["volume2"], pages=said["pages"] or said["pages2"],
        issued=said["year"] or said["year2"], more=more,
    )  # fmt: skip


def _parse_body(text: str, people: tuple[Person, ...], end: int) -> Item:
    """Parse a reference without its links. end: where the people end."""
    rest = text[end:]
    if people:
        rest = rest[_count_odd_names(rest) :]
    elif first := _split_title_first(text):
        title, issued, rest = first
        return _build_located_work(title, (), issued, rest)
    else:
        people, rest = _find_group_author(text)
    dates = _BRACKETED_DATE.match(rest)
    year = None if dates else _FOLLOWING_YEAR.match(rest)
    issued = parse_work_date(dates[1]) if dates else year[1] if year else ""
    rest = rest[found.end() :] if (found := dates or year or _PUNCTUATION.match(rest)) else rest
    title, rest = _split_title(rest, closed=bool(dates or year))
    again = _BRACKETED_DATE.match(rest) or _FOLLOWING_YEAR.match(rest) if not issued else None
    if again:
        issued, rest = parse_work_date(again[1]), rest[again.end() :]
    return _build_located_work(title, people, issued, rest)


def _build_located_work(title: str, people: tuple[Person, ...], issued: str, rest: str) -> Item:
    found = find_locator(rest, dated=bool(issued))
    work = Item(
        title=title,
        authors=people,
        issued=_refine_date(issued, found, rest),
        volume=found.volume,
        issue=found.issue,
        pages=found.pages,
    )
    return replace(work, **_read_container(rest, found))


_TITLE_MARK = re.compile(rf"[“\"«„]|\((?:{YEAR})|\.\s+{YEAR}[a-z]?\.\s")


def _count_odd_names(rest: str) -> int:
    """Return the length of further names, in an unknown style, after those that were read."""
    if not re.match(r"\s*(?:[,;&]|and\s|\.\s*,)", rest):
        return 0
    marked = _TITLE_MARK.search(rest)
    ends = [marked.start()] if marked else []
    stops = [
        stop.start()
        for stop in _SENTENCE_END.finditer(rest)
        if not _ABBREVIATION.search(rest[: stop.start()])
    ][:1]
    ends += [stop for stop in stops if re.search(r"\b[A-Z]{1,3}\b|\bal$", rest[:stop])]
    return next((end for end in ends if reads_as_names(rest[:end])), 0)


_TITLE_THEN_DATE = re.compile(
    rf"([^“\"(][^(]{{2,400}}?[^(]?)[.?!]?\s\(((?:{YEAR})[a-z]?(?:,[^()]{{0,30}})?)\)\.\s*"
)


def _split_title_first(text: str) -> tuple[str, str, str] | None:
    """Split a reference that names nobody into title, date and rest.

    Return None if it is of another kind.
    """
    found = _TITLE_THEN_DATE.match(text)
    if not found:
        return None
    rest = text[found.end() :]
    sentences = [
        stop
        for stop in _SENTENCE_END.finditer(rest[: find_locator(rest).start])
        if not _ABBREVIATION.search(rest[: stop.start()])
    ]
    long = len(found[1].split()) > 8 or re.search(r"[?!:]", found[0]) is not None
    if long or (
        sentences[1:] == [] and not (sentences and rest[sentences[0].end() :].strip(" .,"))
    ):
        return (
            re.split(r"\.?\s\((?=[^()]*\)\.?\s*$)", found[0])[0].strip(" "),
            parse_work_date(found[2]),
            rest,
        )
    return None


def _refine_date(issued: str, found: PrintLocator, rest: str) -> str:
    """Return the date with month and day if the end of the reference has them of the same year."""
    later = found.issued or find_date(rest)
    return later if not issued or (later.startswith(issued) and len(issued) == 4) else issued


def _find_group_author(text: str) -> tuple[tuple[Person, ...], str]:
    """Find an organisation, or an author in an unknown style, at the beginning.

    Return () and the whole text if the reference begins with its title.
    """
    for pattern in (
        rf"([^“\".]{{2,100}}?)[.,]?\s*(?=\((?:{YEAR}|n\.\s?d))",
        rf"([^“\".]{{2,80}}?)\.\s*(?={YEAR}[a-z]?\.)",
        r"([^“\".,]{2,80}?)[.,]\s*(?=[“\"])",
    ):
        found = re.match(pattern, text)
        if (
            found
            and len(found[1].split()) < 9
            and not found[1][:1].islower()
            and not re.search(r"[?!:]", found[1])
        ):
            return (Person(literal=found[1].strip()),), text[found.end() :]
    stops = [
        stop
        for stop in _SENTENCE_END.finditer(text[: find_locator(text).start])
        if not _ABBREVIATION.search(text[: stop.start()])
    ]
    if (
        len(stops) > 2
        and len(text[: stops[0].start()].split()) < 7
        and not re.match(r"[“\"]", text)
        and not _IN_CONTAINER.match(text[stops[0].end() :])
    ):
        return (Person(literal=text[: stops[0].start()].strip()),), text[stops[0].end() - 1 :]
    return (), text


def _split_title(text: str, *, closed: bool) -> tuple[str, str]:
    """Split a text into the title and the rest. closed: the date stands before the title."""
    quoted = _QUOTED_TITLE.match(text.lstrip())
    if quoted:
        said = (quoted[1] or quoted[2]).strip()
        return said.rstrip(",.").strip(), text.lstrip()[quoted.end() :].lstrip(" ,.;")
    if not closed and re.fullmatch(
        rf"[^\d(]{{2,60}}?\s\d{{1,4}}\w?(?:\s?\([^()]*\))?[,:]\s*\w+(?:[-–]\w+)?\s*\((?:[^()]*)"
        rf"{YEAR}\)\W*",
        text,
    ):
        return "", text  # a journal and numbers alone, as physicists cite
    stops = [
        stop
        for stop in _SENTENCE_END.finditer(text)
        if stop[0][0] != "." or not _ABBREVIATION.search(text[: stop.start()])
    ]
    if stops:
        stop, until = stops[0], find_locator(text).start
        if stop[0][0] in "?!" and not _IN_CONTAINER.match(
            text[stop.end() :]
        ):  # a question may be the first half of a title
            stop = next((one for one in stops[1:] if one[0][0] == "." and one.end() < until), stop)
        return _clean_title(text[: stop.start() + (stop[0][0] in "?!")]), text[stop.end() :]
    found = re.search(r"\s*,?\s*\((?:\d|pp?\.)|\s*[\[(]|,\s(?=(?:vol|pp?|no)\.)", text)
    return (
        (_clean_title(text[: found.start()]), text[found.start() :])
        if found and found.start()
        else (_clean_title(text), "")
    )


def _clean_title(title: str) -> str:
    title = re.sub(
        r"\s*\[[^\[\]]{3,40}\]\s*$|\s*\([^()]*\b(?:[Ee]ds?\.?|Trans\.|ed\.[^()]*"
        r"|Vol\.[^()]*)\)\s*$",
        "",
        title.strip(),
    )
    return title.strip(" .,;:") if not title.endswith("...") else title


_PLACE_PUBLISHER = re.compile(r"(?P<place>[^:.;]{2,40}):\s*(?P<publisher>[^:;,.]{2,80})")
_CONTAINER_PLACE = re.compile(
    r"(?P<container>.+?),\s(?P<place>[A-Z][\w.]+(?:\s[A-Z]\w+)*(?:,\s[A-Z][\w.]*(?:\s[A-Z]\w+)*"
    r"){0,2}):\s(?P<publisher>[^:]{2,80})"
)
_CONTAINER_PUBLISHER = re.compile(
    r"(?P<container>.+?),\s(?P<publisher>(?!and\s|eds?\b)[^\Wa-z][^,]{2,60})"
)
_TRAILING_EDITORS = re.compile(r"[.,]?\s*(?:[Ee]dited by|[Tt]ranslated by|[Ee]ds?\.)\s[^,]*?,?\s*$")


def _read_container(rest: str, found: PrintLocator) -> dict[str, Any]:
    """Read container and publisher around the numbers of a reference."""
    before, behind = rest[: found.start], rest[found.end :]
    stands_in = _IN_CONTAINER.match(before)
    before = _EDITED_BY.sub("", before[stands_in.end() :] if stands_in else before, count=1)
    before = _strip_days(
        re.sub(r",?\s*(?:ahead of print|in press|advance online publication)\b", "", before)
    ).strip(" .,;:([")
    if found.volume and not stands_in:
        return {"container": _clean_title(_TRAILING_EDITORS.sub("", _strip_days(before)))}
    parts = [
        part.strip()
        for part in re.split(r"(?<!\b[A-Z])(?<!Proc)(?<!Conf)(?<!Int)(?<!Symp)\.\s+|;\s+", before)
        if re.search(r"[^\W\d_]{2}", part)
    ]
    if not parts:
        return {}
    last = (
        parts[-1] if len(parts) > 1 else behind.lstrip(" ).,") if stands_in and found.pages else ""
    )
    if not stands_in and len(parts) == 1 and (published := _PLACE_PUBLISHER.match(parts[0])):
        return {
            "place": published["place"].strip(),
            "publisher": _strip_days(published["publisher"]),
        }
    container = _strip_days(
        _TRAILING_EDITORS.sub(
            "", re.sub(r"\s*\((?:pp?\..*|.*\d+(?:st|nd|rd|th) ed.*)$", "", parts[0])
        )
    )
    if placed := _CONTAINER_PLACE.fullmatch(container):
        return {name: _strip_days(text) for name, text in placed.groupdict().items()}
    if (
        not last
        and (ended := _CONTAINER_PUBLISHER.fullmatch(container))
        and (found.pages or found.issued)
    ):
        return {name: _strip_days(text) for name, text in ended.groupdict().items()}
    published = _PLACE_PUBLISHER.match(last)
    return {
        "container": _clean_title(container),
        "place": published["place"].strip() if published else "",
        "publisher": _strip_days(published["publisher"] if published else last),
    }


_MONTH = rf"(?:{'|'.join(f'{month[:3]}(?:{month[3:]})?' for month in MONTHS)}|Sept)\.?"
#: A day whose year stands elsewhere, as Harvard has it after a newspaper.
_BARE_DAY = re.compile(
    rf"(?:^|,\s)(?:\d{{1,2}}\s{_MONTH}|{_MONTH}\s\d{{1,2}}|(?:{'|'.join(MONTHS)}))$"
)


def _strip_days(text: str) -> str:
    text = re.sub(
        rf"(?:[\s,(]*(?:{DATE.pattern})|[,(;]\s*{YEAR}[a-z]?)\b[\s).,]*$", "", text
    ).strip(" ,.;:")
    text = re.sub(
        r"\s*(?:\([^()]*,\s[^()]*\)|\[[^\[\]]*,\s[^\[\]]*\])$", "", text
    )  # where a conference was
    text = _BARE_DAY.sub("", text)
    return text.strip("()") if text.count("(") != text.count(")") else text


def _guess_type(work: Item, rest: str, url: str) -> str:
    text = rest.replace(work.title, " ", 1) if work.title else rest
    told = ""
    for type, words in _TYPE_PATTERNS:
        if re.search(words, text, re.IGNORECASE):
            told = type
            break
    if work.volume and told in ("", "paper-conference") and not re.search(r"\bin:?\s", rest):
        return "article-journal"
    if told:
        return told
    if re.search(r"(?:^|[.,”\"?!]\s)In:?\s", rest):
        return "chapter"
    if work.volume:
        return "article-journal"
    if work.publisher:
        return "book"
    if url:
        return "webpage"
    return "article-journal" if work.container and work.pages else "document"
