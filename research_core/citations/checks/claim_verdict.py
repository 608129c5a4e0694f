"""Judge whether a cited page says what a claim says, or say that it cannot be told.

A verdict comes from two kinds of evidence: the likelihood of support by the words
(`estimate_support`, calibrated to the length of the source) and what the claim says differently
from the place of the page that it is closest to (`text.support.differences`). Between the two
thresholds nothing is decided. The functions are pure.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from research_core.i18n import N_, _, gettext, join_list
from research_core.text.embeddings import Embedder
from research_core.text.entailment import Entailment
from research_core.text.languages import languages_differ
from research_core.text.sentence_meaning import measure_nearness
from research_core.text.sentences import find_sentences
from research_core.text.support import estimate_support
from research_core.text.support.contrasts import SAYS_ABSENT
from research_core.text.support.differences import (
    Difference,
    DifferenceKind,
    find_difference,
)
from research_core.text.support.page_places import (
    PagePlace,
    ReadClaim,
    ReadPage,
    find_nearest_sentences,
    find_page_place,
    find_shown_span,
    join_nearest_sentences,
    read_claim,
    read_page_text,
    remove_stop_words,
)
from research_core.text.support.quotations import find_same_sentences
from research_core.text.words import compose_characters, tokenize

_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
Verdict = Literal["supported", "partly", "not found", "not decided", "could not check"]
#: What is wrong with a claim, "" if nothing or unknown.
FaultKind = DifferenceKind

#: The calibration of `estimate_support`: constant, and weight of its log odds. Fitted to the shared
#: halves of AttributionBench and WiCE (`benchmarks/audit.py`).
CONSTANT, ODDS_WEIGHT = -0.04, 1.25
#: Of a page, so many sentences are weighed together: those that add most to the claim. A whole page
#: holds the words of almost any claim.
WEIGHED_SENTENCES = 5
#: A shorter page may be a summary, which has the words of many claims that it does not make.
SHORTEST_PAGE = 1_500
#: The likelihood from which a claim is supported on a short page, and in passages that were chosen
#: because they hold the words of the claim, where shared words say least.
SUPPORTED_ON_SHORT_PAGE, SUPPORTED_IN_EXCERPT = 0.77, 0.94
#: From this length a page has its own threshold: its nearest sentences were chosen among many.
LONG_PAGE = 8_000
#: Below this likelihood a claim is not found, whatever words of it the source has.
VERY_UNLIKELY = 0.06
#: Below this likelihood it is not found if less than this share of its words is anywhere on it.
UNLIKELY, MENTIONED_SHARE = 0.165, 0.6
#: The same for long passages that were chosen for its words and yet lack them.
UNLIKELY_IN_EXCERPT, MENTIONED_IN_EXCERPT = 0.34, 0.7
#: Below this share of the claim in one place, a difference from it is not sure to be of the claim.
PARTLY_SHARE = 0.5
#: The share of each sentence of a supported claim that one place must hold.
TOGETHER_SHARE = 0.45
#: The least share of its words on a page that has it word for word.
VERBATIM_SHARE = 0.5
MAX_NAMED = 6
#: A claim of fewer words is read with its heading or row label.
SHORT_CLAIM_WORDS = 6
#: Below this share of its words in one place, the passage is chosen by meaning, and below the
#: second one none is shown otherwise.
WEAK_SHARE, LEAST_SHOWN_SHARE = 0.4, 0.2
#: The most sentences whose meaning is compared for it.
MAX_COMPARED = 12


#: Notes of a claim that cannot be decided, each of which says why.
NO_WORDS = N_("The sentence has no words to compare.")
ONLY_REFERENCES = N_("The page is only a list of references.")
OTHER_LANGUAGE = N_("The page is in another language.")
SAYS_ABSENCE = N_("Words cannot show that something is missing or unknown.")
UNDECIDED_NOTES = (NO_WORDS, ONLY_REFERENCES, OTHER_LANGUAGE, SAYS_ABSENCE)


@dataclass(frozen=True)
class VerdictRules:
    """What changed between versions of the rules of scoring.

    on_page, on_long_page: the likelihood from which a page that is not short supports a claim.
    compares_reversals: as for `find_difference`. composes: compare claim and page in composed
    characters (NFC) and ASCII digits.
    """

    on_page: float
    on_long_page: float
    compares_reversals: bool
    composes: bool


OLDER_RULES = VerdictRules(0.55, 0.55, compares_reversals=False, composes=False)
RULES = VerdictRules(0.5, 0.36, compares_reversals=True, composes=True)
#: The version of the rules of scoring from which `RULES` apply.
RULES_VERSION = 6


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


#: Returns the verdict that a function gives, or the one that was kept before.
KeepVerdict = Callable[[Callable[[], ClaimVerdict]], ClaimVerdict]


def judge_claim(
    claim: str,
    page: str,
    *,
    context: str = "",
    is_excerpt: bool = False,
    embedder: Embedder | None = None,
    entailment: Entailment | None = None,
    rules: VerdictRules = RULES,
    keep: KeepVerdict | None = None,
) -> ClaimVerdict:
    """Judge one claim against the whole stored text of one cited page, or a passage of it.

    context: heading or row label of the claim, which counts as said where the claim is short.
    is_excerpt: the text was chosen because it holds the words of the claim.
    embedder: shows the nearest passage in meaning where the page has few of the words.
    entailment: one more kind of evidence, weighed like the words.
    rules: those of the session.
    keep: called with what returns the verdict, where the page has so few of the words that an
    embedder chooses the passage; the rest is the same on every machine.
    """
    if not page.strip():
        return ClaimVerdict("could not check", note=_("The text of the page is not stored."))
    full = _add_context(claim, context)
    offsets: Sequence[int] = range(len(page) + 1)
    if rules.composes:
        full = _write_plain_digits(unicodedata.normalize("NFC", full))
        page, offsets = _compose_page(page)
    source = read_page_text(page)
    whole = read_claim(full, source.language)
    if not whole.weights:
        return ClaimVerdict("not decided", note=gettext(NO_WORDS))
    if not source.spans:
        return ClaimVerdict("not decided", note=gettext(ONLY_REFERENCES))
    if languages_differ(full, page):
        return ClaimVerdict("not decided", note=gettext(OTHER_LANGUAGE))
    place = find_page_place(whole, source)
    # To look for the claim word for word is slow, and in vain where its words are missing. Where no
    # spaces divide them, they may be divided otherwise on the page. A claim that is read with its
    # heading has to be there with it: "Approved." may be said of another thing.
    if source.measure_share(whole.weights) >= VERBATIM_SHARE:
        verbatim = find_same_sentences(full, page)
        if verbatim is not None:
            start, end = verbatim
            return ClaimVerdict("supported", "", "", offsets[start], offsets[end], 1.0)
    is_weak = place is None or place.share < WEAK_SHARE

    def judge() -> ClaimVerdict:
        start, end = _find_span(whole, source, place)
        likelihood = estimate_likelihood(whole, source, is_excerpt=is_excerpt)
        if entailment is not None and place is not None:
            passage = source.get_text(place.first, place.last)
            likelihood = _weigh_entailment(full, passage, likelihood, entailment)
        verdict = _decide(whole, source, place, likelihood, rules, is_excerpt=is_excerpt)
        if embedder is not None and is_weak:
            start, end = _find_near_span(full, source, embedder) or (start, end)
        return replace(verdict, start=offsets[start], end=offsets[end], likelihood=likelihood)

    return keep(judge) if keep is not None and is_weak else judge()


@lru_cache(maxsize=16)
def _compose_page(page: str) -> tuple[str, Sequence[int]]:
    """Return the page in composed characters and ASCII digits, and where each was on the page."""
    composed, offsets = compose_characters(page)
    return _write_plain_digits(composed), offsets


def _write_plain_digits(text: str) -> str:
    """Return the text with the digits of every script as ASCII digits; offsets stay."""
    if text.isascii():
        return text
    return _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)


def _add_context(claim: str, context: str) -> str:
    """Return the claim, after its context if it is too short to be understood alone."""
    bare = context.strip(" #*|:")
    if not bare or len(tokenize(claim)) >= SHORT_CLAIM_WORDS:
        return claim
    return f"{bare}: {claim}"


def estimate_likelihood(claim: ReadClaim, page: ReadPage, *, is_excerpt: bool = False) -> float:
    """Return how likely the page supports the claim, by its words."""
    odds = CONSTANT + ODDS_WEIGHT * estimate_odds(claim, page, is_excerpt=is_excerpt)
    return round(1 / (1 + math.exp(-odds)), 6)


def estimate_odds(claim: ReadClaim, page: ReadPage, *, is_excerpt: bool = False) -> float:
    """Return the log odds of support by the words, not calibrated.

    Stop words are known in the language of the page only, so those of others are left out first.
    """
    text = page.text if is_excerpt else join_nearest_sentences(claim, page, WEIGHED_SENTENCES)
    said = claim.text
    if page.language:
        text = remove_stop_words(text, page.language)
        said = remove_stop_words(said, page.language)
    estimate = min(max(estimate_support(said, [text]), 1e-4), 1 - 1e-3)
    return math.log(estimate / (1 - estimate))


def _weigh_entailment(claim: str, passage: str, likelihood: float, entailment: Entailment) -> float:
    """Return the mean, in log odds, of the likelihood by words and that of the model."""
    entailed = min(max(entailment.measure(passage, claim), 1e-3), 1 - 1e-3)
    words = min(max(likelihood, 1e-3), 1 - 1e-3)
    odds = (math.log(words / (1 - words)) + math.log(entailed / (1 - entailed))) / 2
    return round(1 / (1 + math.exp(-odds)), 6)


def _decide(
    claim: ReadClaim,
    page: ReadPage,
    place: PagePlace | None,
    likelihood: float,
    rules: VerdictRules,
    *,
    is_excerpt: bool,
) -> ClaimVerdict:
    """Return verdict, kind and note."""
    is_absent = place is None or _is_absent(claim, page, likelihood, is_excerpt=is_excerpt)
    difference = _find_difference(claim, page, place, rules)
    if difference is not None:
        verdict: Verdict = "not decided"
        if is_absent:
            verdict = "not found"
        elif difference.kind == "quotation" or _holds_most(place, likelihood):
            verdict = "partly"
        return ClaimVerdict(verdict, difference.kind, difference.note)
    is_likely = likelihood >= _get_threshold(page, rules, is_excerpt=is_excerpt)
    if is_likely and _is_held_together(claim, page, place):
        return ClaimVerdict("supported")
    if SAYS_ABSENT.search(claim.text):
        return ClaimVerdict("not decided", note=gettext(SAYS_ABSENCE))
    verdict = "not found" if is_absent else "not decided"
    return ClaimVerdict(verdict, "not mentioned" if is_absent else "", _name_missing(claim, page))


def _get_threshold(page: ReadPage, rules: VerdictRules, *, is_excerpt: bool) -> float:
    """Return the likelihood from which a claim is supported by a source."""
    if is_excerpt:
        return SUPPORTED_IN_EXCERPT
    if len(page.text) < SHORTEST_PAGE:
        return SUPPORTED_ON_SHORT_PAGE
    return rules.on_page if len(page.text) < LONG_PAGE else rules.on_long_page


def _is_held_together(claim: ReadClaim, page: ReadPage, whole: PagePlace | None) -> bool:
    """Return whether one place holds much of each sentence; else it is put together of several.

    whole: the place of the claim.
    """
    places = (place for _part, place in _place_sentences(claim, page, whole))
    return all(place is not None and place.share >= TOGETHER_SHARE for place in places)


def _is_absent(claim: ReadClaim, page: ReadPage, likelihood: float, *, is_excerpt: bool) -> bool:
    """Return whether a source surely does not say a claim: its words are few, here and anywhere."""
    if likelihood < VERY_UNLIKELY:
        return True
    if is_excerpt and len(page.text) >= SHORTEST_PAGE:
        unlikely, share = UNLIKELY_IN_EXCERPT, MENTIONED_IN_EXCERPT
    else:
        unlikely, share = UNLIKELY, MENTIONED_SHARE
    return likelihood < unlikely and page.measure_share(claim.weights) < share


def _holds_most(place: PagePlace | None, likelihood: float) -> bool:
    """Return whether a place is so near to the claim that a difference from it counts."""
    return place is not None and place.share >= PARTLY_SHARE and likelihood >= UNLIKELY


def _place_sentences(
    claim: ReadClaim, page: ReadPage, whole: PagePlace | None
) -> Iterator[tuple[ReadClaim, PagePlace | None]]:
    """Yield each sentence of a claim with its place on the page, None if it has none.

    whole: the place of the claim.
    """
    for start, end in find_sentences(claim.text):
        part = read_claim(claim.text[start:end], page.language)
        yield part, whole if part.text == claim.text else find_page_place(part, page)


def _find_difference(
    claim: ReadClaim, page: ReadPage, whole: PagePlace | None, rules: VerdictRules
) -> Difference | None:
    """Return the surest difference of the first sentence of the claim that has one."""
    for part, place in _place_sentences(claim, page, whole):
        if place is not None:
            difference = find_difference(
                part, page, place, compares_reversals=rules.compares_reversals
            )
            if difference is not None:
                return difference
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


def _find_span(claim: ReadClaim, page: ReadPage, place: PagePlace | None) -> tuple[int, int]:
    """Return the passage to show: short, and none where it holds next to nothing of the claim."""
    if place is None or place.share < LEAST_SHOWN_SHARE:
        return 0, 0
    return find_shown_span(claim, page, place)


def _find_near_span(claim: str, page: ReadPage, embedder: Embedder) -> tuple[int, int] | None:
    """Return the sentence nearest in meaning to the claim, among those that hold most of it."""
    read = read_claim(claim, page.language)
    numbers = find_nearest_sentences(read, page, MAX_COMPARED)
    texts = [page.get_text(number, number) for number in numbers]
    nearness = measure_nearness(embedder, [claim], texts) if texts and not embedder.why else []
    if not nearness:
        return None
    best = numbers[max(range(len(nearness)), key=lambda at: (nearness[at], -at))]
    return find_shown_span(read, page, PagePlace(best, best, 0.0))


# ---------------------------------------------------------------- several works

#: Judges one claim against passages of several works that were joined to one text.
PassageJudge = Callable[[str], ClaimVerdict]
_ORDER: tuple[Verdict, ...] = (
    "supported", "partly", "not decided", "could not check", "not found",
)  # fmt: skip


def combine_verdicts(
    verdicts: Sequence[ClaimVerdict],
    claim: str,
    pages: Sequence[str],
    *,
    context: str = "",
    judge: PassageJudge | None = None,
) -> ClaimVerdict:
    """Return the verdict on a sentence that cites several works; the place is one of the best page.

    Each part of the sentence may be in another work, so that the passages found are also judged
    together, unless one of the works says something else: no other work takes that back. Where one
    work could not be read, what the others lack may be there.

    context: as for `judge_claim`. judge: judges the passages together, as each work was judged;
    None by words alone.
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
    if any(map(_names_difference, verdicts)):
        return best
    passages = []
    for one, page in zip(verdicts, pages, strict=True):
        if one.end > one.start:
            passages.append(page[one.start : one.end])
    if len(passages) < 2:
        return best
    joined = "\n\n".join(passages)
    if judge is None:
        together = judge_claim(claim, joined, context=context, is_excerpt=True)
    else:
        together = judge(joined)
    if together.verdict == "supported":
        return ClaimVerdict("supported", "", "", best.start, best.end, together.likelihood)
    return best


def _names_difference(verdict: ClaimVerdict) -> bool:
    """Return whether a work says something else than the claim, not only less."""
    return verdict.verdict == "partly" or verdict.kind not in ("", "not mentioned")
