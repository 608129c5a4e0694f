"""The result for one entry of a bibliography, with its flags and reasons in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from research_core.citations.checks.cases import Ruling
from research_core.citations.checks.claim_support import ClaimSupport
from research_core.citations.checks.links import Link
from research_core.citations.checks.matching import Confidence, TitleMatch, match_title
from research_core.citations.checks.works import Match, Work
from research_core.citations.formats.item import Item
from research_core.urls import find_doi as named_doi
from research_core.urls import find_host

#: What speaks against an entry, the gravest first, and "unchecked".
FLAGS = ("retracted", "not_found", "dead_link", "mischaracterized", "unchecked")
#: Hosts whose addresses name a work's DOI reliably.
DOI_HOSTS = frozenset({"doi.org", "dx.doi.org", "www.doi.org", "arxiv.org", "www.arxiv.org"})


@dataclass(frozen=True)
class CitedWork:
    """One entry of a bibliography.

    claim: what it is cited for; text: the reference as written; each "" if unknown.
    """

    item: Item
    claim: str = ""
    text: str = ""

    @property
    def doi(self) -> str:
        """Return the DOI of the entry, taken from its address if that is a DOI link; "" if none."""
        if self.item.doi:
            return self.item.doi
        if get_web_host(self.item.address) in DOI_HOSTS:
            return named_doi(self.item.address)
        return ""


@dataclass(frozen=True)
class CheckedWork:
    """The result for one entry; a part is None if the entry gave no reason to check it.

    work: the record of its DOI; match: the search by its words; ruling: of a legal case.
    """

    entry: CitedWork
    link: Link | None = None
    work: Work | None = None
    match: Match | None = None
    ruling: Ruling | None = None
    support: ClaimSupport | None = None

    @property
    def found(self) -> Work | None:
        """Return the registered work: the one of its DOI, else a match of high confidence."""
        if self.work is not None:
            return self.work
        if self.match is not None and self.match.confidence == "high":
            return self.match.work
        return None

    @property
    def confidence(self) -> Confidence:
        """Return how certain it is that the record is the cited work."""
        if self.work is not None:
            return "high" if self.work.record else "none"
        return self.match.confidence if self.match else "none"

    @property
    def title(self) -> TitleMatch:
        """Return match, mismatch or not_checked for the cited title against the DOI's record."""
        if self.ruling is not None:
            if self.ruling.state == "another":
                return "mismatch"
            return "match" if self.ruling.state in ("found", "several") else "not_checked"
        if self.work is None or self.work.record is None:
            return "not_checked"
        paper = self.work.record
        about = " ".join((paper.journal, *paper.authors, str(paper.year or "")))
        return match_title(self.entry.item.title, self.work.titles, about, self.entry.text)

    @property
    def exists(self) -> bool | None:
        """Return True if a registry, a court record or its server has the work; None if unknown."""
        if self.ruling is not None and self.ruling.state != "unchecked":
            return self.ruling.state in ("found", "several")
        if self.work is not None and self.work.exists is not None:
            return self.work.exists
        if self.found is not None and self.found.exists:
            return True
        if self.link is not None and self.link.live:
            return True
        return None

    @property
    def flags(self) -> tuple[str, ...]:
        """Return the flags; () if nothing speaks against the entry and something for it."""
        found = self.found
        exists = self.exists
        against = {
            "retracted": found is not None and found.retracted,
            "not_found": exists is False,
            "dead_link": self.link is not None and self.link.state == "dead",
            "mischaracterized": (
                self.support is not None and self.support.coverage == "not_addressed"
            ),
        }
        unknown = exists is None and not against["dead_link"]
        against["unchecked"] = unknown or (self.work is not None and self.work.exists is None)
        return tuple(name for name in FLAGS if against[name])

    @property
    def reason(self) -> str:
        """Return the reasons for the flags and further remarks in sentences, or ""."""
        return " ".join(filter(None, _list_reasons(self)))


def is_ok(checked: CheckedWork) -> bool:
    """Return True if an entry has no flag and its title does not contradict its DOI."""
    return not checked.flags and checked.title != "mismatch"


def list_readable_urls(checked: CheckedWork) -> list[str]:
    """List the addresses of the full text: own or archived copy, open PDF, registered page."""
    urls: list[str] = []
    link = checked.link
    if link is not None:
        urls.append(link.archived if link.state == "dead" else link.url)
    paper = checked.found.record if checked.found else None
    if paper is not None:
        urls += [paper.pdf_url, paper.url]
    return [url for url in urls if url]


# ---------------------------------------------------------------- in words

RETRACTION_UNKNOWN = (
    "Whether it was retracted is not known: nobody that was asked keeps notices about it."
)


def _list_reasons(checked: CheckedWork) -> Iterator[str]:
    """Yield the reasons, the gravest first; an empty text is none."""
    found, match, ruling = checked.found, checked.match, checked.ruling
    if found and found.notice:
        yield _describe_notice(found.notice.kind, found.notice.date)
    if ruling and ruling.state != "found":
        yield ruling.reason
    if checked.work and not checked.work.record:
        yield _describe_work(checked.work, match)
    if found and found.record and not found.notices_checked:
        yield RETRACTION_UNKNOWN
    if checked.title == "mismatch" and ruling is None:
        yield _describe_title_mismatch(checked)
    if match is not None and checked.work is None and match.confidence != "high":
        yield _describe_match(match)
    if checked.link is not None and checked.link.state != "live":
        yield _describe_link(checked.link)
    if checked.support:
        yield _describe_support(checked.support)
    if checked.exists is None and not (checked.work or match or ruling or checked.link):
        yield "It names nothing that could be looked up."


def _describe_notice(kind: str, date: str) -> str:
    sentences = {
        "retraction": "It was retracted",
        "expression_of_concern": "An expression of concern was published about it",
    }
    sentence = sentences.get(kind, "It was corrected")
    return f"{sentence} ({date})." if date else f"{sentence}."


def _describe_work(work: Work, match: Match | None) -> str:
    if work.exists is False:
        sentence = "No registry has its DOI: it may be made up, or misspelt."
        if match and match.confidence == "high" and match.work.doi:
            sentence += f" A work of that title has another one: {match.work.doi}."
        return sentence
    if work.exists:
        return (
            "Its DOI is registered; nobody that was asked tells of which work, nor of notices"
            " against it."
        )
    return f"Its DOI could not be checked. {work.statements[-1] if work.statements else ''}".strip()


def _describe_title_mismatch(checked: CheckedWork) -> str:
    record = checked.work.record if checked.work else None
    return f"Its DOI is that of another work: “{record.title}”." if record else ""


def _describe_match(match: Match) -> str:
    failed = f" {' '.join(match.failed)}" if match.failed else ""
    if not match.answered:
        return f"It could not be searched for.{failed}"
    nearest = ""
    if match.work.record and match.confidence == "medium":
        nearest = f" The nearest is “{match.work.record.title}”."
    return (
        "No registered work matches it, which proves nothing: many books and reports are"
        f" registered nowhere.{nearest}{failed}"
    )


def _describe_link(link: Link) -> str:
    if link.state == "dead":
        copy = f" A copy is kept: {link.archived}" if link.archived else ""
        return f"Its link is dead: {link.reason}{copy}"
    if link.state == "refused":
        return f"The site is there and lets no program in: {link.reason}"
    return f"Its link could not be checked: {link.reason}"


def _describe_support(support: ClaimSupport) -> str:
    if support.coverage == "not_addressed":
        return "The page that is cited says nothing of the claim."
    if support.coverage == "source_unavailable":
        return f"What it says of the claim could not be checked: {support.reason}"
    return ""


def get_web_host(url: str) -> str:
    """Return the host of a web address; "" for anything else."""
    try:
        return find_host(url) if url else ""
    except ValueError:
        return ""
