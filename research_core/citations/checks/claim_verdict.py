"""Judge whether a cited page says what a claim says, or say that it cannot be told.

A verdict comes from two kinds of evidence: the likelihood of support by the words (`estimate_support`,
calibrated to the length of the source) and what the claim says differently from the place of the
page that it is closest to (`text.support.differences`). Between the two thresholds nothing is
decided. The functions are pure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from research_core.i18n import _, join_list
from research_core.text.embeddings import Embedder
from research_core.text.entailment import Entailment
from research_core.text.languages import languages_differ
from research_core.text.sentence_meaning import measure_nearness
from research_core.text.sentences import find_sentences
from research_core.text.support import estimate_support
from research_core.text.support.differences import (
    Difference,
    DifferenceKind,
    find_differences,
)
from research_core.text.support.page_places import (
    PagePlace,
    ReadClaim,
    ReadPage,
    find_page_place,
    read_claim,
    read_page_text,
)
from research_core.text.support.quotations import contains_sentences
from research_core.text.words import tokenize

Verdict = Literal["supported", "partly", "not found", "not decided", "could not check"]
#: What is wrong with a claim, "" if nothing or unknown.
FaultKind = DifferenceKind

#: The calibration of `estimate_support`: constant, and weight of its log odds. Fitted to the shared
#: halves of AttributionBench and WiCE (`benchmarks/audit.py`).
CONSTANT, ODDS_WEIGHT = 0.1, 1.24
#: A source of so many characters is taken for a whole page. A shorter one may be passages chosen
#: because they hold the words of the claim, where shared words say less.
PAGE_LENGTH = 6_000
#: From which likelihood a claim is supported, and below which it is not found, by kind of source.
SUPPORTED_ON_PAGE, NOT_FOUND_ON_PAGE = 0.42, 0.1
SUPPORTED_IN_PASSAGES, NOT_FOUND_IN_PASSAGES = 0.92, 0.16
MAX_NAMED = 6
#: A claim of fewer words is read with its heading or row label.
SHORT_CLAIM_WORDS = 6
#: Below this share of its words in one place, the passage is chosen by meaning.
WEAK_SHARE = 0.4
#: The most sentences whose meaning is compared for it.
MAX_COMPARED = 40
#: Below this likelihood a claim with few words on the page is not found.
UNLIKELY = 0.42
#: Below this share an unlikely claim is not found, and below the second one a claim with a figure
#: or date that the page lacks is not even partly supported.
FEW_WORDS_SHARE, PARTLY_SHARE = 0.3, 0.5


@dataclass(frozen=True)
class ClaimVerdict:
    """A verdict on a claim against one source.

    kind: what is wrong. note: one plain sentence naming what differs. start, end: the passage of
    the page, 0, 0 if none. likelihood: 0.0 to 1.0 that the page supports the claim.
    """

    verdict: Verdict
    kind: FaultKind = ""
    note: str = ""
    start: int = 0
    end: int = 0
    likelihood: float = 0.0


def judge_claim(
    claim: str,
    page: str,
    *,
    context: str = "",
    embedder: Embedder | None = None,
    entailment: Entailment | None = None,
) -> ClaimVerdict:
    """Judge one claim against the whole stored text of one cited page, or a passage of it.

    context: heading or row label of the claim, which counts as said where the claim is short.
    embedder: shows the nearest passage in meaning where the page has few of the words.
    entailment: one more kind of evidence, weighed like the words.
    """
    if not page.strip():
        return ClaimVerdict("could not check", note=_("The text of the page is not stored."))
    full = _add_context(claim, context)
    source = read_page_text(page)
    whole = read_claim(full, source.language)
    if not whole.weights:
        return ClaimVerdict("not decided", note=_("The sentence has no words to compare."))
    if not source.spans:
        return ClaimVerdict("not decided", note=_("The page is only a list of references."))
    if languages_differ(full, page):
        return ClaimVerdict("not decided", note=_("The page is in another language."))
    place = find_page_place(whole, source)
    start, end = _find_span(source, place)
    if contains_sentences(claim, page):
        return ClaimVerdict("supported", "", "", start, end, 1.0)
    likelihood = estimate_likelihood(full, source)
    if entailment is not None and place is not None:
        likelihood = _weigh_entailment(
            full, source.get_text(place.first, place.last), likelihood, entailment
        )
    verdict = _decide(whole, source, place, likelihood)
    if embedder is not None and (place is None or place.share < WEAK_SHARE):
        start, end = _find_near_span(full, source, embedder) or (start, end)
    return replace(verdict, start=start, end=end, likelihood=likelihood)


def _add_context(claim: str, context: str) -> str:
    """Return the claim, after its context if it is too short to be understood alone."""
    bare = context.strip(" #*|:")
    if not bare or len(tokenize(claim)) >= SHORT_CLAIM_WORDS:
        return claim
    return f"{bare}: {claim}"


def estimate_likelihood(claim: str, page: ReadPage) -> float:
    """Return how likely the page supports the claim, by its words."""
    estimate = min(max(estimate_support(claim, [page.text]), 1e-4), 1 - 1e-3)
    odds = CONSTANT + ODDS_WEIGHT * math.log(estimate / (1 - estimate))
    return round(1 / (1 + math.exp(-odds)), 6)


def _weigh_entailment(claim: str, passage: str, likelihood: float, entailment: Entailment) -> float:
    """Return the mean, in log odds, of the likelihood by words and that of the model."""
    entailed = min(max(entailment.measure(passage, claim), 1e-3), 1 - 1e-3)
    words = min(max(likelihood, 1e-3), 1 - 1e-3)
    odds = (math.log(words / (1 - words)) + math.log(entailed / (1 - entailed))) / 2
    return round(1 / (1 + math.exp(-odds)), 6)


def get_thresholds(page: ReadPage) -> tuple[float, float]:
    """Return the likelihoods from which a claim is supported, and below which it is not found."""
    if len(page.text) >= PAGE_LENGTH:
        return SUPPORTED_ON_PAGE, NOT_FOUND_ON_PAGE
    return SUPPORTED_IN_PASSAGES, NOT_FOUND_IN_PASSAGES


def _decide(
    claim: ReadClaim, page: ReadPage, place: PagePlace | None, likelihood: float
) -> ClaimVerdict:
    """Return verdict, kind and note."""
    supported, not_found = get_thresholds(page)
    difference = _find_difference(claim, page)
    if difference is not None:
        is_near = place is not None and place.share >= PARTLY_SHARE and likelihood >= not_found
        verdict: Verdict = "partly" if is_near and difference.kind != "quotation" else "not found"
        return ClaimVerdict(verdict, difference.kind, difference.note)
    missing = _name_missing(claim, page)
    if likelihood >= supported:
        return ClaimVerdict("supported")
    has_few_words = place is None or (place.share < FEW_WORDS_SHARE and likelihood < UNLIKELY)
    if has_few_words or likelihood < not_found:
        return ClaimVerdict("not found", "not mentioned", missing)
    return ClaimVerdict("not decided", "", missing)


def _find_difference(claim: ReadClaim, page: ReadPage) -> Difference | None:
    """Return the surest difference of any sentence of the claim from its place."""
    for start, end in find_sentences(claim.text):
        part = read_claim(claim.text[start:end], page.language)
        place = find_page_place(part, page)
        if place is not None:
            found = find_differences(part, page, place)
            if found:
                return found[0]
    return None


def _name_missing(claim: ReadClaim, page: ReadPage) -> str:
    """Return a note that names the heaviest words of the claim that the page lacks."""
    missing: list[str] = []
    for word in claim.words:
        weight = max(claim.weights[root] for root in word.roots)
        if weight >= 1.0 and not any(map(page.holds, word.roots)):
            missing.append(word.written)
    shown = list(dict.fromkeys(missing))
    if not shown:
        return _("The page has these words, but not together.")
    more = " …" if len(shown) > MAX_NAMED else ""
    words = f"{join_list(shown[:MAX_NAMED])}{more}"
    return _("The page does not mention: {words}.").format(words=words)


def _find_span(page: ReadPage, place: PagePlace | None) -> tuple[int, int]:
    if place is None:
        return 0, 0
    return page.spans[place.first][0], page.spans[place.last][1]


def _find_near_span(claim: str, page: ReadPage, embedder: Embedder) -> tuple[int, int] | None:
    """Return the sentence nearest in meaning to the claim, among those that share a word with it."""
    numbers = sorted(
        {
            number
            for root, weight in read_claim(claim, page.language).weights.items()
            if weight >= 1.0
            for number in page.index.get(root, ())
        }
    )[:MAX_COMPARED]
    texts = [page.get_text(number, number) for number in numbers]
    nearness = measure_nearness(embedder, [claim], texts) if texts and not embedder.why else []
    if not nearness:
        return None
    best = max(range(len(nearness)), key=lambda at: (nearness[at], -at))
    return page.spans[numbers[best]]


# ---------------------------------------------------------------- several works

_ORDER: tuple[Verdict, ...] = (
    "supported", "partly", "not decided", "could not check", "not found",
)  # fmt: skip


def combine_verdicts(
    verdicts: Sequence[ClaimVerdict], claim: str, pages: Sequence[str]
) -> ClaimVerdict:
    """Return the verdict on a sentence that cites several works; the place is one of the best page.

    Each part of the sentence may be in another work, so that the passages found are also judged
    together. Where one work could not be read, what the others lack may be there.
    """
    if not verdicts:
        return ClaimVerdict("could not check", note=_("No cited page is stored."))
    best = min(verdicts, key=lambda one: (_ORDER.index(one.verdict), -one.likelihood))
    if best.verdict == "supported" or len(verdicts) == 1:
        return best
    if any(one.verdict == "could not check" for one in verdicts):
        if best.verdict in ("could not check", "not found"):
            note = _("Not all of the cited pages could be read; those that were lack this.")
            unread = all(one.verdict == "could not check" for one in verdicts)
            return replace(
                best, verdict="could not check", kind="", note=best.note if unread else note
            )
        return best
    passages = []
    for one, page in zip(verdicts, pages, strict=True):
        if one.end > one.start:
            passages.append(page[one.start : one.end])
    joined = judge_claim(claim, "\n\n".join(passages)) if len(passages) > 1 else None
    if joined is not None and joined.verdict == "supported":
        return ClaimVerdict("supported", "", "", best.start, best.end, joined.likelihood)
    return best
