"""Check whether a cited page speaks of a claim: read the first readable address.

Coverage is no stance (see `claims`). A page of which next to nothing could be read counts as
unread. A page in another language than the claim cannot be compared, because its words differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from research_core.citations import claims
from research_core.citations.checks.links import RefuseCallback
from research_core.citations.claims import Coverage
from research_core.errors import FetchError
from research_core.journal.deps import Deps
from research_core.models import Page
from research_core.text import languages
from research_core.web.fetch.read_page import read_page

#: Addresses that are tried for one claim; words below which a page says too little to hold it
#: against its citation.
MAX_URLS, MIN_PAGE_WORDS = 2, 120


@dataclass(frozen=True)
class ClaimSupport:
    """The sentences of a source that bear on a claim.

    url: the page that was read, or the archived copy read in its place; contrast: one of the
    sentences has a cue of denial; reason: why nothing was read.
    """

    claim: str
    coverage: Coverage
    sentences: tuple[str, ...] = ()
    url: str = ""
    contrast: bool = False
    reason: str = ""


def find_claim_support(
    deps: Deps, claim: str, urls: Sequence[str], refuse: RefuseCallback = lambda _url: None
) -> ClaimSupport:
    """Return the support of the first address that covers the claim, else of the first readable.

    At most `MAX_URLS` addresses are read. refuse: raises FetchError for an address that must not
    be read. Fetch errors are never raised.
    """
    reasons: list[str] = []
    # A page without the claim may be the one that links to the full text, so others are tried.
    silent: list[ClaimSupport] = []
    for url in list(dict.fromkeys(filter(None, urls)))[:MAX_URLS]:
        try:
            refuse(url)
            page = read_page(url, deps)
        except FetchError as error:
            reasons.append(error.sentence())
            continue
        found = match_page(claim, page)
        if found is None:
            reasons.append(make_unavailable_support(claim, page).reason)
        elif found.coverage != "not_addressed":
            return found
        else:
            silent.append(found)
    if silent:
        return silent[0]
    reason = " ".join(reasons) or "There is no address to read."
    return ClaimSupport(claim, "source_unavailable", reason=reason)


def match_page(claim: str, page: Page) -> ClaimSupport | None:
    """Return what a page holds of a claim; None if the page cannot be compared with it.

    A page cannot be compared if it is unavailable, or if it holds nothing of the claim and either
    little of it could be read or it is in another language.
    """
    found = claims.find_claim_evidence(claim, page.text)
    if found.coverage == "source_unavailable":
        return None
    if found.coverage == "not_addressed":
        little = page.partial or len(page.text.split()) < MIN_PAGE_WORDS
        if little or _is_foreign(claim, page):
            return None
    url = page.archived.url if page.archived else page.final_url
    return ClaimSupport(claim, found.coverage, found.sentences, url, found.contrast)


def make_unavailable_support(claim: str, page: Page) -> ClaimSupport:
    """Return the result for a page that cannot be compared with the claim, with the reason."""
    if _is_foreign(claim, page):
        reason = f"The page is in another language than the claim ({page.final_url})."
    else:
        reason = f"Only little of {page.final_url} could be read, and nothing of the claim in it."
    return ClaimSupport(claim, "source_unavailable", reason=reason)


def _is_foreign(claim: str, page: Page) -> bool:
    return languages.languages_differ(claim, page.text, page.metadata.language)
