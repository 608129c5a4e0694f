"""Remove lines that point to other pages: "Read more: …", "Related stories", in many languages.

A line is removed only if nothing but its first words stands outside links to other pages, and the
links contain no whole sentence. In doubt it stays: an extra line does little harm, while a missing
sentence changes what a source says.
"""

from __future__ import annotations

import re
from itertools import islice
from urllib.parse import SplitResult, urljoin, urlsplit

from lxml import etree

from research_core.text.words import strip_invisible
from research_core.web.html.elements import SEPARATE_TAGS, fold_text
from research_core.web.lxml_types import Element

#: The characters of a line, and for each whether it is in a link to another page ("a") or not ("
#: ").
LineParts = tuple[str, str]

_POINTER_BLOCKS = ("p", "li", "div", "h2", "h3", "h4", "h5", "h6")
#: Most characters and tags of a pointer line; and words above which a title that ends in a full
#: stop is a sentence.
MAX_POINTER_LENGTH, MAX_POINTER_TAGS, MIN_SENTENCE_WORDS = 250, 200, 8
_CONTENT_NOUNS = (
    "stor(?:y|ies) articles? reading reads posts? news content links? coverage videos?".replace(
        " ", "|"
    )
)
#: Cues if a colon or the like, the end of the line, or a link follows.
_FIRM_CUES = rf"""
    (?:read|see|watch|learn|find\ out)\ more | (?:read|watch)\ (?:also|next) | also\ read
    | (?:related|more)\ (?:{_CONTENT_NOUNS})
    | recommended\ (?:stories|articles?|reading|posts?|videos?)
    | lesen\ sie\ (?:auch|mehr|hier|dazu) | lies\ auch | mehr\ lesen | mehr\ zum\ thema
    | auch\ interessant | schon\ gelesen
    | (?:weitere|mehr|ähnliche|verwandte|passende)\ (?:artikel|beiträge|meldungen|nachrichten|links)
    | das\ könnte\ (?:sie|dich|dir|ihnen)\ auch\ (?:interessieren|gefallen)
    | (?:à\ )?lire\ (?:aussi|également) | lire\ la\ suite | sur\ le\ même\ sujet | en\ savoir\ plus
    | articles\ (?:liés|connexes|similaires|associés)
    | (?:lea|lee)\ (?:también|más) | leer\ más | también\ lee | (?:también\ )?te\ puede\ interesar
    | (?:artículos|noticias|contenidos)\ relacionad[oa]s | más\ (?:artículos|noticias)
    | leia\ (?:também|mais) | saiba\ mais | (?:artigos|notícias)\ relacionad[oa]s
    | leggi\ anche | (?:ti\ )?potrebbe\ (?:interessarti|interessare)(?:\ anche)?
    | articoli\ correlati
    | lees\ (?:ook|meer) | gerelateerde\ artikelen
    | läs\ (?:också|mer|även) | les\ (?:også|mer) | læs\ (?:også|mere)
    | (?:prze)?czytaj\ (?:też|także|również|więcej) | dowiedz\ się\ więcej
    | читайте\ также | читать\ также | přečtěte\ si\ (?:také|více) | čtěte\ také
"""
#: Cues whatever title follows in the link.
_ABOUT_CUES = r"""
    (?:read|learn|find\ out)\ more\ (?:about|on) | en\ savoir\ plus\ sur | saiba\ mais\ sobre
    | leer\ más\ sobre | lees\ meer\ over
    | läs\ mer\ om | les\ mer\ om | læs\ mere\ om
"""
#: Cues only if a colon and no number follows.
_LOOSE_CUES = r"""
    related | recommended | see\ also | more\ on | siehe\ auch | zum\ thema
    | passend\ dazu | mehr\ dazu | [àa]\ lire | voir\ aussi
    | (?:vea|mire)\ (?:también|más) | más\ sobre | veja\ (?:também|mais) | approfondisci
    | meer\ over | zobacz\ (?:też|także|również)
    | przeczytaj | смотрите\ также | přečtěte\ si
"""
_CJK_CUES = (
    "相关阅读|相关文章|延伸阅读|相關新聞|延伸閱讀|関連記事|あわせて読みたい|관련기사|관련\\ 기사"
)
_CUE, _BEGINNING = (
    re.compile(pattern.replace("\\ ", r"\s+"), re.IGNORECASE | re.VERBOSE)
    for pattern in (
        rf"\W*(?:(?:(?P<about>{_ABOUT_CUES})|(?P<loose>{_LOOSE_CUES})(?=\s*[:：])|{_FIRM_CUES})\b"
        rf"|{_CJK_CUES})",
        rf"\W*(?:{_ABOUT_CUES}|{_LOOSE_CUES}|{_FIRM_CUES}|{_CJK_CUES})",
    )
)
_CUE_SEPARATOR = re.compile(r"\s*(?:[:：|>»›→?]|[-–—]\s)")
_SENTENCE_END = re.compile(r"(?:(?<!\.)\.|。)\W*$")


def drop_pointers(tree: Element, url: str = "") -> None:
    """Remove pointer lines, and boxes that hold nothing else.

    url: the page's own address, which no pointer links to.
    """
    if not any(map(_may_be_pointer, tree.iter(*_POINTER_BLOCKS))):
        return
    links = set()
    for each in tree.iter("a"):
        if _leads_to_another_page(each.get("href") or "", url) and _is_short_link(each):
            links.add(each)
    if not links:
        return
    for each in list(tree.iter(*_POINTER_BLOCKS)):
        if each.getparent() is None or not _may_be_pointer(each):
            continue
        if _is_pointer(_read_pointer_line(each, links)) and not _says_sentence(each, links):
            each.drop_tree()


def _may_be_pointer(element: Element) -> bool:
    """Return whether an element may be a pointer line: a cue at its start and a link.

    A quick check, since only few elements need a closer look.
    """
    if element.find(".//a") is None and next(element.iterancestors("a"), None) is None:
        return False
    return bool(_BEGINNING.match(fold_text("".join(islice(element.itertext(), MAX_POINTER_TAGS)))))


def _leads_to_another_page(href: str, url: str) -> bool:
    """Return whether an address is that of another page; False if that cannot be told."""
    href = href.strip()
    try:
        there = urlsplit(urljoin(url, href))
        here = urlsplit(url)
    except ValueError:
        return False
    if not href or href.startswith("#"):
        return False
    if there.scheme not in ("http", "https", here.scheme):
        return False
    if there.fragment:
        return bool(url) and _split_page_address(there) != _split_page_address(here)
    return (_split_page_address(there), there.query) != (_split_page_address(here), here.query)


def _split_page_address(address: SplitResult) -> tuple[str, str]:
    return address.netloc.lower(), address.path.rstrip("/")


def _is_short_link(link: Element) -> bool:
    """Return whether a link is short; one that was never closed holds half a page."""
    parts = list(islice(link.itertext(), MAX_POINTER_TAGS + 1))
    return len(parts) <= MAX_POINTER_TAGS and len(fold_text("".join(parts))) <= MAX_POINTER_LENGTH


def _is_pointer(line: LineParts) -> bool:
    words, places = line
    cue = _CUE.match(words) if "a" in places else None
    if not cue:
        return False
    beyond = [at for at in range(cue.end(), len(words)) if words[at].isalnum()]
    if any(places[at] != "a" for at in beyond):
        return False
    colon = bool(_CUE_SEPARATOR.match(words, cue.end()))
    if colon and not cue["loose"]:
        return True
    if any(words[at].isdigit() for at in beyond):
        return False
    return bool(cue["about"] or colon or _is_set_off(line, cue.end(), beyond))


def _is_set_off(line: LineParts, end: int, beyond: list[int]) -> bool:
    """Return whether the line, its block, or the text outside the link ends with the cue."""
    words, places = line
    return not beyond or "\n" in words[end : beyond[0]] or places[end - 1] != "a"


def _says_sentence(element: Element, links: set[Element]) -> bool:
    """Return whether the line, or a link in it, is a sentence."""
    for each in (element, *element.iter("a")):
        if each is not element and each not in links:
            continue
        text = fold_text("".join(each.itertext()))
        is_long = "。" in text or len(text.split()) > MIN_SENTENCE_WORDS
        if is_long and _SENTENCE_END.search(text):
            return True
    return False


def _read_pointer_line(element: Element, links: set[Element]) -> LineParts:
    """Return the text of an element with line breaks between blocks.

    Empty if it is longer than a pointer line or has more tags.
    """
    walk = etree.iterwalk(element, events=("start", "end", "comment"))
    events = list(islice(walk, 2 * MAX_POINTER_TAGS + 1))
    if len(events) > 2 * MAX_POINTER_TAGS:
        return "", ""
    depth = sum(each in links for each in element.iterancestors("a"))
    words: list[str] = []
    places: list[str] = []
    for event, each in events:
        if each in links:
            depth += {"start": 1, "end": -1}.get(event, 0)
        if event == "start":
            text = each.text
        else:
            text = "" if each is element else each.tail
        text = re.sub(r"\s+", " ", strip_invisible(text or ""))
        if each.tag in SEPARATE_TAGS:
            text = f"\n{text}"
        words.append(text)
        places.append(("a" if depth else " ") * len(text))
    joined = "".join(words)
    if len(fold_text(joined)) > MAX_POINTER_LENGTH:
        return "", ""
    return joined, "".join(places)
