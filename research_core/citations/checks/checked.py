"""The result for one entry of a bibliography, with its flags and reasons in words."""

from __future__ import annotations

from dataclasses import dataclass

from research_core.citations.checks.cases import Ruling
from research_core.citations.checks.claimed import ClaimSupport
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
        """The DOI of the entry, taken from its address if that is a DOI link; "" if it has none."""
        return self.item.doi or (
            named_doi(self.item.address) if get_web_host(self.item.address) in DOI_HOSTS else ""
        )


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
        """The registered work: the one of its DOI, else a match of high confidence."""
        if self.work is not None:
            return self.work
        return (
            self.match.work if self.match is not None and self.match.confidence == "high" else None
        )

    @property
    def confidence(self) -> Confidence:
        """How certain it is that the record is the cited work."""
        if self.work is not None:
            return "high" if self.work.record else "none"
        return self.match.confidence if self.match else "none"

    @property
    def title(self) -> TitleMatch:
        """Whether the cited title is that of the DOI's record."""
        if self.ruling is not None:
            return (
                "mismatch"
                if self.ruling.state == "another"
                else "match"
                if self.ruling.cases
                else "not_checked"
            )
        if self.work is None or self.work.record is None:
            return "not_checked"
        paper = self.work.record
        about = " ".join((paper.journal, *paper.authors, str(paper.year or "")))
        return match_title(self.entry.item.title, self.work.titles, about, self.entry.text)

    @property
    def exists(self) -> bool | None:
        """Whether a registry, a court record or its server has the work; None if unknown."""
        if self.ruling is not None and self.ruling.state != "unchecked":
            return self.ruling.state in ("found", "several")
        if self.work is not None and self.work.exists is not None:
            return self.work.exists
        if self.found is not None and self.found.exists:
            return True
        return True if self.link is not None and self.link.live else None

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags that apply; () if nothing speaks against the entry and something for it."""
        found = self.found
        against = {
            "retracted": found is not None and found.retracted,
            "not_found": self.exists is False,
            "dead_link": self.link is not None and self.link.state == "dead",
            "mischaracterized": (
                self.support is not None and self.support.coverage == "not_addressed"
            ),
        }
        unknown = self.exists is None and not against["dead_link"]
        against["unchecked"] = unknown or (self.work is not None and self.work.exists is None)
        return tuple(name for name in FLAGS if against[name])

    @property
    def reason(self) -> str:
        """The reasons for the flags and further remarks, in sentences; "" if there are none."""
        return " ".join(filter(None, _list_reasons(self)))


def is_ok(checked: CheckedWork) -> bool:
    """Return True if an entry has no flag and its title does not contradict its DOI."""
    return not checked.flags and checked.title != "mismatch"


def list_readable_urls(checked: CheckedWork) -> list[str]:
    """List the addresses of the full text: own or archived copy, open PDF, registered page."""
    link, paper = checked.link, checked.found.record if checked.found else None
    own = "" if link is None else link.archived if link.state == "dead" else link.url
    return [url for url in (own, paper.pdf_url if paper else "", paper.url if paper else "") if url]


# ---------------------------------------------------------------- in words

RETRACTION_UNKNOWN = (
    "Whether it was retracted is not known: nobody that was asked keeps notices about it."
)


def _list_reasons(checked: CheckedWork) -> list[str]:
    found, link, match = checked.found, checked.link, checked.match
    notice = found.notice if found else None
    return [
        _describe_notice(notice.kind, notice.date) if notice else "",
        checked.ruling.reason if checked.ruling and checked.ruling.state not in ("found",) else "",
        _describe_work(checked.work, match) if checked.work and not checked.work.record else "",
        RETRACTION_UNKNOWN if found and found.record and not found.noticed else "",
        _describe_title_mismatch(checked)
        if checked.title == "mismatch" and checked.ruling is None
        else "",
        (
            _describe_match(match)
            if match is not None and checked.work is None and match.confidence != "high"
            else ""
        ),
        _describe_link(link) if link is not None and link.state != "live" else "",
        _describe_support(checked.support) if checked.support else "",
        (
            "It names nothing that could be looked up."
            if checked.exists is None and not (checked.work or match or checked.ruling or link)
            else ""
        ),
    ]


def _describe_notice(kind: str, date: str) -> str:
    said = {
        "retraction": "It was retracted",
        "expression_of_concern": "An expression of concern was published about it",
    }
    return f"{said.get(kind, 'It was corrected')}{f' ({date})' if date else ''}."


def _describe_work(work: Work, match: Match | None) -> str:
    if work.exists is False:
        other = (
            f" A work of that title has another one: {match.work.doi}."
            if match and match.confidence == "high" and match.work.doi
            else ""
        )
        return f"No registry has its DOI: it may be made up, or misspelt.{other}"
    if work.exists:
        return (
            "Its DOI is registered; nobody that was asked tells of which work, nor of notices"
            " against it."
        )
    return f"Its DOI could not be checked. {work.told[-1] if work.told else ''}".strip()


def _describe_title_mismatch(checked: CheckedWork) -> str:
    record = checked.work.record if checked.work else None
    return f"Its DOI is that of another work: “{record.title}”." if record else ""


def _describe_match(match: Match) -> str:
    near = (
        f" The nearest is “{match.work.record.title}”."
        if match.work.record and match.confidence == "medium"
        else ""
    )
    failed = f" {' '.join(match.failed)}" if match.failed else ""
    if not match.answered:
        return f"It could not be searched for.{failed}"
    return (
        "No registered work matches it, which proves nothing: many books and reports are"
        f" registered nowhere.{near}{failed}"
    )


def _describe_link(link: Link) -> str:
    said = {
        "dead": (
            "Its link is dead:"
            f" {link.reason}{f' A copy is kept: {link.archived}' if link.archived else ''}"
        ),
        "refused": f"The site is there and lets no program in: {link.reason}",
        "unchecked": f"Its link could not be checked: {link.reason}",
    }
    return said[link.state]


def _describe_support(support: ClaimSupport) -> str:
    said = {
        "not_addressed": "The page that is cited says nothing of the claim.",
        "source_unavailable": f"What it says of the claim could not be checked: {support.reason}",
    }
    return said.get(support.coverage, "")


def get_web_host(url: str) -> str:
    """Return the host of a web address; "" for anything else."""
    try:
        return find_host(url) if url else ""
    except ValueError:
        return ""
