"""Find out which sources are not independent of each other, and why.

Two sources are tied if they belong to one site or publisher, share one text, reprint one agency
story or press release, name one address as their own, or if one names the other as its only source.
A site that carries the work of others (a preprint server, a repository, a platform) ties none of
its pages; there the author, the account or the DOI counts. Own documents, whose publishers nobody
knows, are tied to each other. The number of voices is the size of the largest set of sources of
which no two are tied: an article and its reprint do not tie a third paper that prints the same
story.

Sources that share a text count once everywhere (`map_shared_texts`). The other ties matter only
where it is asked who confirms what. What pages do not say is missed: owners, one author under two
names, one rumour in other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from research_core.i18n import _
from research_core.models import Page, Tie
from research_core.trust import copies
from research_core.trust.attribution import PRESS_RELEASE, Attribution
from research_core.trust.copies import Fingerprint
from research_core.trust.hosts.owners import carries_others, find_account, find_owner
from research_core.trust.independent_set import find_independent_set
from research_core.urls import find_doi, find_host, is_own_document

#: A text with more words than this for each mention of its one source has content of its own.
WORDS_PER_MENTION = 400
#: Bylines that name nobody.
_ANONYMOUS_BYLINES = frozenset(
    {
        "guest author",
        "guest contributor",
        "guest post",
        "staff writer",
        "staff reporter",
        "editorial team",
        "editorial staff",
        "the editors",
    }
)
_GENERIC_NAMES = frozenset(
    "home homepage blog news website site index main welcome untitled journal magazine".split()
)
_NON_LETTERS = re.compile(r"[\W_]+")
#: Ties that make two sources one text, which counts once everywhere.
SAME_TEXT_TIES = ("one text", "one wire story", "one press release")


@dataclass(frozen=True)
class SourceIdentity:
    """What is known of a source.

    `address`: where it was found. `canonical`: the address that it names as its own. `site`,
    `title`: what the page calls its publisher and itself. `authors`: as the page names them. `doi`:
    bare, of the page itself.
    """

    address: str
    fingerprint: Fingerprint | None = None
    canonical: str = ""
    site: str = ""
    title: str = ""
    attribution: Attribution = Attribution()
    authors: tuple[str, ...] = ()
    doi: str = ""

    @cached_property
    def owner(self) -> str:
        """Return the site of the address, "" if none."""
        return find_owner(self.address)

    @cached_property
    def author_names(self) -> Mapping[str, str]:
        """Map each author in comparable form ("Doe, Jane" is "Jane Doe") to the name as given."""
        site = self.owner.partition(".")[0]
        authors = {}
        for name in self.authors:
            parts = _NON_LETTERS.sub(" ", name.casefold()).split()
            # Many pages name their site, or an anonymous byline, as the author.
            if parts and "".join(parts) != site and " ".join(parts) not in _ANONYMOUS_BYLINES:
                authors[" ".join(sorted(parts))] = name
        return authors

    @cached_property
    def comparable_doi(self) -> str:
        """Return the DOI in comparable form, or ""."""
        return (self.doi or find_doi(self.address)).casefold()

    @cached_property
    def publisher(self) -> str:
        """Return what the page calls its publisher, if its host confirms it, otherwise "".

        "Health" or "Facebook" may stand on any page, but the name of a site is in its address. On a
        site that carries the work of others the name means nothing.
        """
        name = _NON_LETTERS.sub(" ", self.site.casefold()).strip()
        if carries_others(self.address) or name in _GENERIC_NAMES:
            return ""
        return name if _spells_label(name.split(), self.owner.partition(".")[0]) else ""


def identify_page(page: Page, facts: Mapping[str, Any]) -> SourceIdentity:
    """Return the identity of a page that was just read; `facts` as from `collect_facts`."""
    metadata = page.metadata
    return SourceIdentity(
        page.final_url,
        Fingerprint.from_json(facts["print"]),
        metadata.canonical,
        metadata.site,
        page.title,
        Attribution.from_json(facts.get("traces", {})),
        metadata.authors,
        metadata.doi,
    )


def map_shared_texts(
    identities: Mapping[str, SourceIdentity], *, by_title: bool = True
) -> dict[str, str]:
    """Map each source that shares its text with another to the one it is counted with.

    That is the earlier one if possible. A credit to one agency, and an address that both name, are
    believed as far as the texts confirm them (`copies.is_copy`). A source without a fingerprint has
    no copies. `by_title`: short texts whose titles name different things may share a template.
    """
    name_at = {each.address: name for name, each in reversed(list(identities.items()))}
    prints: dict[str, Fingerprint] = {}
    originals: dict[str, str] = {}
    for name, each in identities.items():
        if each.fingerprint:
            prints[name] = each.fingerprint
            originals[name] = _find_original(each, name, name_at)
    titles = {name: each.title for name, each in identities.items()} if by_title else {}
    return copies.map_copies(copies.group_copies(prints, originals, titles))


def _find_original(one: SourceIdentity, name: str, at: Mapping[str, str]) -> str:
    """Return the other address that a page names as its own, else the agency it credits."""
    named = at.get(one.canonical, one.canonical)
    if named not in ("", name):
        return named
    return f"agency:{one.attribution.agency}" if one.attribution.agency else ""


# -- ties ----------------------------------------------------------------------------


def find_ties(identities: Mapping[int, SourceIdentity], same: Mapping[int, int]) -> tuple[Tie, ...]:
    """Return the pairs that are not independent, each with the first reason that holds.

    `same` maps each copy to the source it is counted with.
    """
    found: list[Tie] = []
    for one, other in combinations(sorted(identities), 2):
        reason = _find_reason(one, other, identities, same)
        if reason:
            found.append(Tie(one, other, *reason))
    return tuple(found)


def _find_reason(
    one: int, other: int, identities: Mapping[int, SourceIdentity], same: Mapping[int, int]
) -> tuple[str, str] | None:
    """Return (kind, words) of what ties two sources, or None."""
    a, b = identities[one], identities[other]
    if same.get(one, one) == same.get(other, other):
        return _describe_shared_text(a, b)
    if is_own_document(a.address) and is_own_document(b.address):
        return "own documents", _("both are your own documents, publishers unknown")
    site = _shared_site(a, b)
    if site:
        return "one site", _("both are from {site}").format(site=site)
    author = _shared_author(a, b)
    if author:
        return "one author", _("both are by {author}").format(author=author)
    work = a.comparable_doi
    if work and work == b.comparable_doi:
        return "one address", _("both have the DOI {doi}").format(doi=work)
    if a.publisher and a.publisher == b.publisher:
        return "one publisher", _("both call themselves “{name}”").format(name=a.site)
    if _share_address(a, b):
        return "one address", _("both name the same address as their own")
    if _share_quotes(a, b) and _is_press_release(a, b):
        return "one press release", _("they quote the same press release")
    if _relies_on(a, b) or _relies_on(b, a):
        return "only source", _("one names the other as its only source")
    return None


def _describe_shared_text(a: SourceIdentity, b: SourceIdentity) -> tuple[str, str]:
    """Return (kind, words) of why two sources share a text."""
    if _is_press_release(a, b):
        return "one press release", _("both print the same press release")
    if a.attribution.agency and a.attribution.agency == b.attribution.agency:
        return "one wire story", _("both print the same story by {agency}").format(
            agency=a.attribution.agency
        )
    return "one text", _("they have the same text")


def _shared_site(a: SourceIdentity, b: SourceIdentity) -> str:
    """Return the site of both sources, or "".

    On a site that carries the work of others the account counts, and only if their authors are not
    known to differ.
    """
    site = a.owner
    if site != b.owner:
        return ""
    if not site or not (carries_others(a.address) or carries_others(b.address)):
        return site
    account = find_account(a.address)
    if account != find_account(b.address):
        return ""
    mine, yours = a.author_names, b.author_names
    if mine and yours and mine.keys().isdisjoint(yours):
        return ""
    return account


def _shared_author(a: SourceIdentity, b: SourceIdentity) -> str:
    """Return a full name that two pages of carrier sites both name as author, or ""."""
    yours = b.author_names
    for key, name in a.author_names.items():
        if key in yours and " " in key:
            return name if carries_others(a.address) and carries_others(b.address) else ""
    return ""


def _spells_label(words: Sequence[str], label: str) -> bool:
    """Return whether beginnings of the words spell a label: "nytimes", "The New York Times"."""
    letters = "".join(filter(str.isalnum, label))
    reached = {0}  # lengths of the label that the words so far can spell
    for word in words:
        for start in list(reached):
            for length in range(1, len(word) + 1):
                if letters.startswith(word[:length], start):
                    reached.add(start + length)
    return bool(letters) and len(letters) in reached


def _share_address(a: SourceIdentity, b: SourceIdentity) -> bool:
    """Return whether both pages name one address as their own."""
    own = {a.canonical or a.address, b.canonical or b.address}
    return len(own) == 1 and own != {""}


def _share_quotes(a: SourceIdentity, b: SourceIdentity) -> bool:
    """Return whether both texts share enough quotations."""
    if not a.fingerprint or not b.fingerprint:
        return False
    return len(set(a.fingerprint.quotes) & set(b.fingerprint.quotes)) >= copies.MIN_SHARED_QUOTES


def _is_press_release(a: SourceIdentity, b: SourceIdentity) -> bool:
    """Return whether one of the pages is credited to a press release."""
    return PRESS_RELEASE in (a.attribution.agency, b.attribution.agency)


def _relies_on(mine: SourceIdentity, yours: SourceIdentity) -> bool:
    """Return whether a page names the other as its only source and adds little to it."""
    named = [name for name in mine.attribution.named if not _is_called(mine, name)]
    if not named or mine.attribution.words > WORDS_PER_MENTION * mine.attribution.times:
        return False
    return all(_is_called(yours, name) for name in named)


def _is_called(one: SourceIdentity, name: str) -> bool:
    """Return whether a name is a source's host, site name, domain label or title."""
    bare = _NON_LETTERS.sub(" ", name.casefold()).strip().removeprefix("the ")
    # Who names GitHub has not named the page there.
    site = "" if carries_others(one.address) else one.owner
    if "." in name and site:
        named_host = name.casefold().removeprefix("www.")
        return named_host in (site, find_host(one.address).removeprefix("www."))
    if not bare:
        return False
    label = site.partition(".")[0]
    if len(label) > 3 and (bare == label or bare.replace(" ", "") == label.replace("-", "")):
        return True
    title = _NON_LETTERS.sub(" ", one.title.casefold()).strip()
    return bare in (one.publisher.removeprefix("the "), title)


# -- groups --------------------------------------------------------------------------


@dataclass(frozen=True)
class VoiceGroup:
    """Sources that count as one voice, by number.

    ties: for each source but the first, why it shares this voice.
    """

    sources: tuple[int, ...]
    ties: tuple[Tie, ...] = ()


def group_voices(numbers: Iterable[int], tied: Iterable[Tie]) -> tuple[VoiceGroup, ...]:
    """Group the sources into voices, in the order of their first; most voices possible.

    A source without ties is a voice by itself.
    """
    known = sorted(set(numbers))
    ties = {(tie.one, tie.other): tie for tie in tied if tie.one in known and tie.other in known}
    neighbours: dict[int, set[int]] = {number: set() for number in known}
    for one, other in ties:
        neighbours[one].add(other)
        neighbours[other].add(one)
    near = {str(number): frozenset(map(str, others)) for number, others in neighbours.items()}
    firsts = sorted(map(int, find_independent_set(near, [str(number) for number in known])))
    members: dict[int, list[int]] = {first: [first] for first in firsts}
    held: dict[int, list[Tie]] = {first: [] for first in firsts}
    for number in known:
        if number in members:
            continue
        first = min(neighbours[number].intersection(firsts))
        members[first].append(number)
        held[first].append(ties[min(first, number), max(first, number)])
    groups = [VoiceGroup(tuple(sorted(members[first])), tuple(held[first])) for first in firsts]
    return tuple(sorted(groups, key=lambda group: group.sources))


def count_voices(numbers: Iterable[int], tied: Sequence[Tie]) -> int:
    """Return how many of these sources are independent."""
    return len(group_voices(numbers, tied))


def is_tied(one: int, other: int, tied: Iterable[Tie]) -> bool:
    """Return whether two sources are the same or not independent."""
    return one == other or any({one, other} == {tie.one, tie.other} for tie in tied)
