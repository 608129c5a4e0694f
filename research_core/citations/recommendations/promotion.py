"""Detect lists of recommendations that favour their own product, by words alone.

An owner with another name is not found. Agreement means that a text covers the claim and denies
nothing, which is no proof. The author's own stake is found by `conflict`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import idna

from research_core.citations import claims
from research_core.citations.recommendations.names import (
    find_names,
    mentions,
    normalize_text,
    split_name_words,
)
from research_core.text.words import truncate
from research_core.urls import registered_domain

Stance = Literal["agree", "disagree", "silent"]

#: Characters of an address's own name below which it says nothing; of what stands first that is
#: told.
MIN_NAME_CHARS, MAX_EVIDENCE_CHARS = 3, 200
_FIRST_PLACE = re.compile(
    r"(?:^|[\n:;])\s*(?:1\s?[.):](?=\s)|#\s?1\b|no\.?\s?1\b|number one\b)\s*[.:)\-–—]?\s*([^\n]+)",
    re.IGNORECASE,
)
_SECOND_PLACE = re.compile(r"\s(?:2\s?[.):]\s|#\s?2\b).*", re.DOTALL)
_ARTICLE = re.compile(r"(?:the|a|an)\s+", re.IGNORECASE)


@dataclass(frozen=True)
class Promotion:
    """The first-ranked item has the name of the site that ranks it.

    token: the site's name; evidence: the text that shows it; reason: a sentence.
    """

    token: str
    first: str
    evidence: str


def get_site_name(url: str) -> str:
    """Return the registered name of a site without its suffix ("shopify"); "" if it has none."""
    try:
        label = registered_domain(url).partition(".")[0]
        return "".join(split_name_words(idna.decode(label) if label.startswith("xn--") else label))
    except ValueError:  # no address; idna's error is one
        return ""


def find_promotions(listed: Sequence[tuple[str, str]]) -> list[Promotion | None]:
    """Return for each (title, url) whether it ranks the site's own brand first, or None.

    Either the title itself holds a ranking whose first place has the site's name, or the first item
    of the list has it and items of other names stand on the same site. A product that links to its
    own page is no promotion.
    """
    found = [_find_ranked_promotion(title, url) for title, url in listed]
    if found and found[0] is None:
        found[0] = _find_leading_promotion(listed)
    return found


def _find_ranked_promotion(title: str, url: str) -> Promotion | None:
    """Return a promotion if the title's own ranking begins with the site's name."""
    first, token = _FIRST_PLACE.search(normalize_text(title)), get_site_name(url)
    if not first or not _starts_with_name(first[1], token):
        return None
    shown = truncate(_SECOND_PLACE.sub("", first[1]).strip(), MAX_EVIDENCE_CHARS)
    return Promotion(
        token, shown, f'The text ranks "{shown}" first, and stands on the site of that name.'
    )


def _find_leading_promotion(listed: Sequence[tuple[str, str]]) -> Promotion | None:
    """Return a promotion if the first item has the site's name and others on that site do not."""
    title, url = listed[0]
    token = get_site_name(url)
    if not token or not _starts_with_name(title, token):
        return None
    same_site: list[str] = []
    for other, other_url in listed[1:]:
        if get_site_name(other_url) and registered_domain(other_url) == registered_domain(url):
            same_site.append(other)
    if all(_starts_with_name(other, token) for other in same_site):
        return None
    shown = truncate(normalize_text(title).strip(), MAX_EVIDENCE_CHARS)
    return Promotion(
        token,
        shown,
        f'"{shown}" stands first in a list of which {len(same_site)} more stand on the same site,'
        " which has that name.",
    )


def _starts_with_name(text: str, token: str) -> bool:
    """Return True if a text begins with a site's name, in one word or several."""
    if len(token) < MIN_NAME_CHARS:
        return False
    stripped = normalize_text(text).strip()
    if _ARTICLE.match(stripped):
        text = _ARTICLE.sub("", stripped, count=1)
    beginning = ""
    for word in split_name_words(text):
        beginning += word
        if beginning == token:
            return True
    return False


def find_subject_words(title: str) -> tuple[str, ...]:
    """Return the words of the recommended thing: the title's first name, or the whole title."""
    names = find_names(title)
    return names[0].words if names else split_name_words(title)


def judge_stance(title: str, claim: str, text: str) -> Stance:
    """Return what a text says of a claim about the recommended thing.

    "agree": it names the thing, covers the claim and denies nothing; "disagree": it also holds
    words of denial; else "silent". Coverage is no proof, and a denial may be of something else.
    """
    about = find_subject_words(title)
    if not mentions(about, text):
        return "silent"
    found = claims.find_claim_evidence(f"{' '.join(about)} {claim}", text)
    if found.coverage != "addressed":
        return "silent"
    return "disagree" if found.contrast else "agree"


def is_own_site(title: str, url: str, result: str) -> bool:
    """Return True if a result is not independent of the recommendation.

    It is of the recommended site, or of a site with the name of the recommended thing.
    """
    name = get_site_name(result)
    if name and get_site_name(url) and registered_domain(result) == registered_domain(url):
        return True
    return len(name) >= MIN_NAME_CHARS and name == "".join(find_subject_words(title))
