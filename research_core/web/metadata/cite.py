"""A page as a citation: APA 7, MLA 9 and BibTeX, with the authors, the day and the DOI it states; and the DOI of a paper's page.

What a page does not say is left out, never made up: without a date APA says "n.d." and when it was read. Names are taken apart by
`names`; whatever formats whole bibliographies can build on the same functions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date as Day
from urllib.parse import urlsplit

from research_core.bibliography import bibtex
from research_core.bibliography.names import Name, parsed
from research_core.days import iso
from research_core.models import Json, Page
from research_core.references import without_references
from research_core.text import visible
from research_core.urls import doi, is_own, registered_domain
from research_core.web.metadata.classify import is_scholarly

#: In the title's place, in every style: brackets, and no quotation marks, say that it is none of the page's words.
UNTITLED = "[Untitled page]"
#: Authors that APA names before it leaves some out: then the first ones but one, and the last.
APA_MOST = 20
#: Characters at the start of a text that can be its front matter.
FRONT = 4_000


@dataclass(frozen=True)
class Work:
    """What is cited. date: YYYY, YYYY-MM, YYYY-MM-DD or ""; doi: bare; url: "" of a document that has none; read: when."""

    title: str
    url: str = ""
    authors: Sequence[str] = ()
    site: str = ""
    date: str = ""
    doi: str = ""
    read: Day | None = None

    @property
    def link(self) -> str:
        """The address that lasts longest."""
        return f"https://doi.org/{self.doi}" if self.doi else self.url


def citation(page: Page, read: Day) -> Json:
    """{"url", "accessedDate", "metadata": {"title", "author", "site", "date"}, "formatted": {"apa", "mla", "bibtex"}}."""
    work = work_of(page, read)
    said = {"title": work.title, "author": "; ".join(work.authors), "site": work.site, "date": work.date}
    formatted = {"apa": apa(work), "mla": mla(work), "bibtex": as_bibtex(work)}
    return {"url": page.final_url or page.url, "accessedDate": read.isoformat(), "metadata": said, "formatted": formatted}


def work_of(page: Page, read: Day) -> Work:
    """What a page is cited as."""
    said, url = page.metadata, page.final_url or page.url
    authors = tuple(map(_line, said.authors))
    return Work(_line(page.title), "" if is_own(url) else url, authors, _line(said.site), iso(page.published), said.doi, read)


def _line(text: str) -> str:
    return " ".join(visible(text).split())


# ---------------------------------------------------------------- APA 7


def apa(work: Work) -> str:
    """ "Surname, A. B., & Other, C. (2015, May 27). Title. Site. URL": title first without an author, when it was read without a date."""
    title, authors = _stopped(work.title or UNTITLED), _apa_authors([parsed(name) for name in work.authors])
    when = f"({_apa_date(work.date)})."
    head = f"{_stopped(authors)} {when} {title}" if authors else f"{title} {when}"
    site = "" if work.site in ("", *work.authors) else _stopped(work.site)
    link = work.link
    if link and work.read and not work.date and not work.doi:
        link = f"Retrieved {_MONTHS[work.read.month - 1]} {work.read.day}, {work.read.year}, from {link}"
    return " ".join(filter(None, (head, site, link)))


def _apa_authors(names: Sequence[Name]) -> str:
    listed = [", ".join(filter(None, (name.family, name.initials, name.suffix))) for name in names]
    if len(listed) > APA_MOST:
        return f"{', '.join(listed[: APA_MOST - 1])}, … {listed[-1]}"
    return ", & ".join(filter(None, (", ".join(listed[:-1]), *listed[-1:])))


def _apa_date(day: str) -> str:
    """ "2015, May 27"; "n.d." where there is none."""
    year, *rest = day.split("-")
    named = [_MONTHS[int(rest[0]) - 1], *(str(int(number)) for number in rest[1:])] if rest else []
    return ", ".join(filter(None, (year, " ".join(named)))) or "n.d."


def _stopped(text: str) -> str:
    """The text with a full stop, unless it ends with a sign that is one."""
    return text if not text or text.endswith((".", "?", "!", "。", "？", "！", "…")) else f"{text}."


# ---------------------------------------------------------------- MLA 9


def mla(work: Work) -> str:
    """ "Surname, First, and First Surname. “Title.” Site, 27 May 2015, URL."; when it was read without a date."""
    title = f"“{_stopped(work.title.replace('“', '‘').replace('”', '’'))}”" if work.title else _stopped(UNTITLED)
    authors = _mla_authors([parsed(name) for name in work.authors])
    site = "" if work.site in work.authors else work.site
    where = ", ".join(filter(None, (site, _mla_date(work.date), work.link)))
    read = "" if work.date or not work.read else f"Accessed {_mla_date(work.read.isoformat())}."
    return " ".join(filter(None, (_stopped(authors), title, _stopped(where), read)))


def _mla_authors(names: Sequence[Name]) -> str:
    if not names:
        return ""
    first = names[0].whole if names[0].family_first else names[0].turned
    comma = "," if "," in first else ""  # stands only behind a name that was turned round
    if len(names) > 2:
        return f"{first}{comma} et al."
    return f"{first}{comma} and {names[1].whole}" if len(names) == 2 else first


def _mla_date(day: str) -> str:
    """ "27 May 2015", "Sept. 2015", "2015"."""
    year, *rest = day.split("-")
    return " ".join((*(str(int(number)) for number in rest[1:]), *([_SHORT[int(rest[0]) - 1]] if rest else []), year))


_MONTHS = "January February March April May June July August September October November December".split()
_SHORT = "Jan. Feb. Mar. Apr. May June July Aug. Sept. Oct. Nov. Dec.".split()


# ---------------------------------------------------------------- BibTeX


def as_bibtex(work: Work) -> str:
    """One entry, under the key that its authors, year and title make; without a title its address tells it from others."""
    read = work.read.isoformat() if work.read else ""
    record = bibtex.Record(work.title or UNTITLED, work.authors, work.site, work.date, work.doi, work.url, read)
    return bibtex.entry(bibtex.key(work.authors, work.date[:4], work.title) if work.title else _key_of_address(work), record)


def _key_of_address(work: Work) -> str:
    """reuters2024tides: as `bibtex.key`, with the site for who wrote it, and the end of the path for the title."""
    domain = "" if not work.url else registered_domain(work.url)
    site = "".join(bibtex.words(domain if domain.replace(".", "").isdigit() else domain.partition(".")[0]))
    path = next((found for part in reversed(urlsplit(work.url).path.split("/")) if (found := bibtex.words(part))), ["untitled"])
    who = bibtex.key(work.authors, "", "").removesuffix("untitled") if work.authors else site or "anon"
    return f"{who[:40]}{work.date[:4]}{''.join(path)[:40]}"


# ---------------------------------------------------------------- the DOI of a paper's page

_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>|\[\]]+")


def detected_doi(page: Page) -> str:
    """The DOI a paper's page declares: in its citation tags, else in its address, else at the head of its text above any references.

    It stands on the page; that the page is that work is not said. "" where there is none, and for pages that are no papers'.
    """
    if not is_scholarly(page):
        return ""
    in_tags = str(page.structured.get("citation", {}).get("citation_doi", ""))
    in_address = next((found for url in (page.final_url, page.url) if (found := doi(url))), "")
    return doi(in_tags) or in_address or _in_front(page.text)


def _in_front(text: str) -> str:
    found = _DOI.search(without_references(text[:FRONT]))
    return doi(found[0]) if found else ""
