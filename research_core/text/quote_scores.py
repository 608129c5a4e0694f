"""Score quotations by how well they answer a question.

With an embedding model the meaning of a sentence decides, with words and form as a bonus; without
one its words do. A sentence that answers directly is preferred to one that only names the topic.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from research_core.model_messages import Json
from research_core.text.asked_facets import Facet, find_asked_facets
from research_core.text.comparison_question import find_compared_sides
from research_core.text.direct_answers import find_answer_kind
from research_core.text.embeddings import COSINE_DIGITS
from research_core.text.filled_quotes import fill_quotes, list_asked, list_filling
from research_core.text.foreign_sentences import find_foreign_roots, opens_definition
from research_core.text.languages import guess_language
from research_core.text.question import QUESTION_WORDS
from research_core.text.question_topic import (
    find_synonyms,
    find_topic,
    list_asked_titles,
    names_any,
    names_asked_title,
    names_part,
    names_topic,
)
from research_core.text.question_types import QUESTION_TYPES, QuestionType
from research_core.text.quotable import FORMS, WRITTEN_FORMS, Quote, QuoteForms, list_quotes
from research_core.text.quote_ratings import (
    DIRECT_BONUS,
    DIRECT_BONUS_BY_WORDS,
    FORM_BONUS,
    rate_answer_form,
    rate_directness,
    rate_form,
    rate_one_study,
    stands_in_asked_section,
    tells_asked_facet,
)
from research_core.text.sentence_meaning import (
    add_context,
    compares,
    list_asking_sentences,
    measure_nearness,
)
from research_core.text.similarity import content_tokens, rarity, word_root
from research_core.text.words import stem, tokenize

if TYPE_CHECKING:
    from research_core.text.embeddings import Embedder

#: The weight of the words of the passage and the title, where only words are compared.
CONTEXT_WEIGHT = 0.3
#: Sentences of each source that are embedded first, and the best passages all of whose sentences
#: are.
FIRST_OF_SOURCE, BEST_PASSAGES = 8, 12
#: Sentences that are embedded without their title as well.
FINALISTS = 24
#: What is added to a cosine: for words of the question, and for the nearness of the source's best
#: sentences.
WORD_BONUS, SOURCE_BONUS = 0.1, 0.15
#: What is added if a sentence, its heading or the title names the topic, and by words if it does
#: itself.
NAMED_BONUS = 0.06
#: What is added for a page whose title names the thing asked about and no other or narrower one.
ASKED_TITLE_BONUS = 0.1
#: What is added for a sentence that comes nearest to what is asked of the thing, less if a side is
#: asked about as well; and the cosine below which no sentence is near it.
POINT_BONUS, POINT_BONUS_ON_SIDE, MIN_POINT_NEARNESS = 0.5, 0.3, 0.3
#: The least share of the highest nearness to a point at which a sentence is on it, and below which
#: it misses the point.
ON_POINT, OFF_POINT = 0.8, 0.6
#: What is taken off for a page on a part of that thing, such as "Recurrent gout", if another page
#: is on the whole.
NARROWER_MALUS = 0.12


def find_quotes(
    question: str,
    sources: Sequence[Json],
    embedder: Embedder | None = None,
    asking: Sequence[str] = (),
    forms: QuoteForms = WRITTEN_FORMS,
    points: Sequence[str] = (),
    key_words: Sequence[str] = (),
) -> list[Quote]:
    """Return every quotation, scored; those that do not stand alone only if a source has no other.

    embedder: compares meaning, if it can be used and knows the question's language; asking: the
    wordings of the question that it compares, if they are others than its own; forms: which texts
    are quoted; points: what is asked of the thing, without its name, compared too; key_words:
    the best sentences with each of these words are compared in any case.
    """
    usable = _list_usable(sources, forms)
    synonyms = find_topic_synonyms(question, sources)
    facets = find_asked_facets(question, tuple(str(source.get("title", "")) for source in sources))
    by_words = _score_by_words(question, usable, sources, synonyms, facets)
    titles = [str(source.get("title", "")) for source in sources]
    asked = list_asked([question, *asking], titles)
    if embedder is None or not compares(embedder, question):
        return fill_quotes(asked, by_words, titles, None)
    wordings = asking or list_asking_sentences(question)
    holding = _list_holding(key_words, by_words) + _list_side_by_side(question, by_words)
    holding += list_filling(asked, by_words, titles, embedder)
    scored = _score_by_meaning(
        question, wordings, by_words, sources, embedder, synonyms, facets, holding
    )
    pointed = _add_points(_complete_lists(scored, by_words), points, embedder, facets)
    return fill_quotes(asked, pointed, titles, embedder)


#: Sentences with a key word that are compared in any case, and key words, at most.
MAX_HOLDING, MAX_KEY_WORDS = 3, 3


def _list_holding(key_words: Sequence[str], by_words: Sequence[Quote]) -> list[Quote]:
    """Return the best sentences by words that have each of these words."""
    holding: dict[int, Quote] = {}
    ranked = sorted(by_words, key=lambda quote: (-quote.score, quote.order))
    for word in key_words[:MAX_KEY_WORDS]:
        having = [
            quote
            for quote in ranked
            if names_any(word, frozenset(map(word_root, tokenize(quote.text))))
        ]
        holding |= {quote.order: quote for quote in having[:MAX_HOLDING]}
    return list(holding.values())


#: Headings under which a comparison's sides stand together, at most.
MAX_SHARED_HEADINGS = 6


def _list_side_by_side(question: str, by_words: Sequence[Quote]) -> list[Quote]:
    """Return, of a comparison, the first sentences on each side under a heading that both share."""
    sides = find_compared_sides(question)
    if sides is None:
        return []
    under: dict[tuple[int, str], dict[str, Quote]] = {}
    for quote in by_words:
        side = sides.alone(frozenset(map(word_root, content_tokens(quote.text))))
        if quote.heading and side:
            under.setdefault((quote.source, quote.heading), {}).setdefault(side, quote)
    shared = [found for found in under.values() if len(found) == len(sides.names)]
    return [quote for found in shared[:MAX_SHARED_HEADINGS] for quote in found.values()]


def _complete_lists(scored: Sequence[Quote], usable: Sequence[Quote]) -> list[Quote]:
    """Return the quotes, each list once, with the items of the passage that has most of them.

    Passages of one page overlap, and one may end within a list.
    """
    longest: dict[tuple[int, str], Quote] = {}
    for quote in usable:
        if quote.is_list:
            known = longest.setdefault(_find_list(quote), quote)
            if quote.text.count(";") > known.text.count(";"):
                longest[_find_list(quote)] = quote
    best: dict[tuple[int, str], Quote] = {}
    for quote in scored:
        if quote.is_list and quote.score > best.setdefault(_find_list(quote), quote).score:
            best[_find_list(quote)] = quote
    completed = []
    for quote in scored:
        if not quote.is_list:
            completed.append(quote)
        elif quote == best[_find_list(quote)]:
            whole = longest[_find_list(quote)]
            completed.append(
                replace(quote, text=whole.text, passage=whole.passage, whole=whole.whole)
            )
    return completed


def _find_list(quote: Quote) -> tuple[int, str]:
    """Return the source and the lead-in of a list."""
    return quote.source, quote.text.partition(": ")[0]


def _add_points(
    scored: Sequence[Quote],
    points: Sequence[str],
    embedder: Embedder,
    facets: tuple[Facet, ...],
) -> list[Quote]:
    """Return the quotes with how near each comes to a point, and that added to their scores.

    Beside the name of its thing, which every page repeats, what is asked counts little in the
    cosine with a whole question. Nearness is a share of that of the nearest sentence; one that has
    the words of a point is near it too.
    """
    if not points or not scored:
        return list(scored)
    texts = [quote.text_with_subject for quote in scored]
    on_point = [0.0] * len(texts)
    for point in points:
        near = measure_nearness(embedder, [point], texts)
        best = max(*near, MIN_POINT_NEARNESS)
        weights = {word_root(word): rarity(word) for word in content_tokens(point)}
        for place, (text, cosine) in enumerate(zip(texts, near, strict=True)):
            roots = set(map(word_root, content_tokens(text)))
            held = math.fsum(weight for root, weight in weights.items() if root in roots)
            by_words = ON_POINT * held / math.fsum(weights.values())
            on_point[place] = max(on_point[place], cosine / best, by_words)
    bonus = POINT_BONUS_ON_SIDE if facets else POINT_BONUS
    added = []
    for quote, share in zip(scored, on_point, strict=True):
        score = round(quote.score + bonus * max(0.0, share) ** 2, 6)
        added.append(replace(quote, on_point=round(share, COSINE_DIGITS), score=score))
    return added


def find_compared_quotes(
    question: str, sources: Sequence[Json], forms: QuoteForms = FORMS
) -> list[Quote]:
    """Return the quotations that `find_quotes` does, with their share of the question's words.

    How well they answer is not scored: comparing them with each other does not need it.
    """
    usable = _list_usable(sources, forms)
    shares = _WordShares(question, usable)
    return [replace(quote, own=shares.measure_quote(quote)) for quote in usable]


def _list_usable(sources: Sequence[Json], forms: QuoteForms) -> list[Quote]:
    """Return each quotation once; those that do not stand alone only if a source has no other."""
    found = list_quotes(sources, forms)
    firm_sources = {quote.source for quote in found if quote.firm}
    usable = [quote for quote in found if quote.firm or quote.source not in firm_sources]
    # Passages of one page overlap.
    first = {(quote.source, quote.text): quote.order for quote in reversed(usable)}
    return [quote for quote in usable if first[quote.source, quote.text] == quote.order]


def find_topic_synonyms(question: str, sources: Sequence[Json]) -> frozenset[str]:
    """Return the other names that titles and passages give for what a question is about."""
    texts: list[str] = []
    for source in sources:
        texts.append(str(source.get("title", "")))
        texts += [passage["text"] for passage in source["passages"]]
    return find_synonyms(find_topic(question), texts)


class _WordShares:
    """The words of a question, weighted by how few of its quotations hold them."""

    def __init__(self, question: str, found: Sequence[Quote]) -> None:
        self.language = guess_language(question)
        self._held: dict[int, Collection[str]] = {}
        for quote in found:
            self._held[quote.order] = _find_held_roots(question, quote, self.language)
        self._weights: dict[str, float] = {}
        for word in _find_roots(question, self.language):
            count = sum(word in self._held[quote.order] for quote in found)
            if count:
                self._weights[word] = 1 + math.log(1 + len(found) / (1 + count))
        self._total = sum(self._weights.values()) or 1.0

    def measure_quote(self, quote: Quote) -> float:
        """Return the share of the words that one of the quotations holds, 0 to 1."""
        return self.measure(self._held[quote.order])

    def measure(self, held: Collection[str]) -> float:
        """Return the share of the words that these roots hold, by weight, 0 to 1."""
        shared = sum(weight for word, weight in self._weights.items() if word in held)
        return round(shared / self._total, 6)


def _score_by_words(
    question: str,
    found: Sequence[Quote],
    sources: Sequence[Json],
    synonyms: Collection[str],
    facets: tuple[Facet, ...],
) -> list[Quote]:
    """Return the quotes scored against the question's words.

    Words of the sentence count fully, words of its passage and title in part.
    """
    shares = _WordShares(question, found)
    language = shares.language
    around: dict[str, float] = {}  # by passage
    for source in sources:
        for passage in source["passages"]:
            head = f"{source.get('title', '')} {passage['text']}"
            around[passage["id"]] = shares.measure(_find_roots(head, language))
    scored = []
    for quote in found:
        own = shares.measure_quote(quote)
        score = own + CONTEXT_WEIGHT * around[quote.passage] + rate_form(quote)
        score -= rate_one_study(question, quote.text)
        if own:
            score += rate_directness(question, quote, synonyms, DIRECT_BONUS_BY_WORDS, facets)
        if opens_definition(question, quote.text, language):
            score += DIRECT_BONUS_BY_WORDS
        scored.append(replace(quote, own=own, score=round(score, 6)))
    return scored


def _find_held_roots(question: str, quote: Quote, language: str) -> dict[str, None]:
    """Return the roots of a sentence, with those of what its title says of it."""
    if stands_in_asked_section(question, quote):
        return _find_roots(f"{quote.text_with_subject} {quote.heading}", language)
    return _find_roots(quote.text_with_subject if quote.subject else quote.text, language)


def _find_roots(text: str, language: str) -> dict[str, None]:
    """Return the roots of the words that name something, in order; language: of the question."""
    if language in ("", "en"):
        return dict.fromkeys(stem(word) for word in tokenize(text) if word not in QUESTION_WORDS)
    return find_foreign_roots(text, language)


def _score_by_meaning(
    question: str,
    asking: Sequence[str],
    found: Sequence[Quote],
    sources: Sequence[Json],
    embedder: Embedder,
    synonyms: Collection[str],
    facets: tuple[Facet, ...],
    holding: Sequence[Quote] = (),
) -> list[Quote]:
    """Return the quotes whose meaning was compared, scored by it.

    holding: those that are compared in any case.
    """
    kind = _find_kind(question, facets)
    topic = find_topic(question)
    titles = [str(source.get("title", "")) for source in sources]
    near = _measure_quotes(question, asking, found, titles, embedder, facets, holding)
    nearness_of_source: dict[int, float] = {}
    for number in {quote.source for quote in found}:
        of_source = [near[q.order] for q in found if q.source == number and q.order in near]
        nearest = sorted(of_source, reverse=True)[:3]
        nearness_of_source[number] = math.fsum(nearest) / (len(nearest) or 1)
    asked_titles = list_asked_titles(question, titles)
    scored = []
    for quote in found:
        if quote.order in near:
            title = titles[quote.source]
            is_of_thing = names_asked_title(question, "", title, asked_titles)
            score = (
                near[quote.order]
                + WORD_BONUS * quote.own
                + SOURCE_BONUS * nearness_of_source[quote.source]
                + rate_form(quote)
                - rate_one_study(question, quote.text)
                + (ASKED_TITLE_BONUS if is_of_thing else 0.0)
                - (NARROWER_MALUS if names_part("", title, asked_titles) else 0.0)
                + rate_answer_form(question, quote, kind, facets)
                + rate_directness(question, quote, synonyms, DIRECT_BONUS, facets)
            )
            if names_topic(topic, f"{quote.text} {quote.heading} {title}", synonyms):
                score += NAMED_BONUS
            scored.append(replace(quote, near=near[quote.order], score=round(score, 6)))
    return scored


#: The kinds of question that ask for these sides in whatever words.
_KINDS_OF_SIDES = {"Causes": "cause", "Symptoms": "signs", "Treatment": "treatment"}


def _find_kind(question: str, facets: Sequence[Facet]) -> QuestionType:
    """Return the kind of answer that a question asks for; of sides, that of the first."""
    names = [_KINDS_OF_SIDES[facet.title] for facet in facets if facet.title in _KINDS_OF_SIDES]
    for kind in QUESTION_TYPES:
        if names and kind.name == names[0]:
            return kind
    return find_answer_kind(question)


def _measure_quotes(
    question: str,
    asking: Sequence[str],
    found: Sequence[Quote],
    titles: Sequence[str],
    embedder: Embedder,
    facets: tuple[Facet, ...],
    holding: Sequence[Quote] = (),
) -> dict[int, float]:
    """Return the nearness of the finalists by their order; those of `holding` are among them.

    First the best of each source by words are compared, then all of the passages that hold the
    nearest of those, each under its title and heading. The nearest FINALISTS are compared alone as
    well, as a title lifts whatever stands below it; their nearness is the mean of both cosines.
    """
    near: dict[int, float] = {}

    def compare_under_titles(quotes: Iterable[Quote]) -> None:
        new = [quote for quote in quotes if quote.order not in near]
        # As on the page, so that rows are shared with the choice of passages and the judge.
        texts = [add_context(titles[quote.source], quote.above, quote.whole) for quote in new]
        for quote, cosine in zip(new, measure_nearness(embedder, asking, texts), strict=True):
            near[quote.order] = cosine

    ranked = sorted(found, key=lambda quote: (-quote.score, quote.order))
    counts: Counter[int] = Counter()
    first: list[Quote] = []
    for quote in ranked:
        counts[quote.source] += 1
        if counts[quote.source] <= FIRST_OF_SOURCE:
            first.append(quote)
    compare_under_titles(first)
    first.sort(key=lambda quote: (-near[quote.order], quote.order))
    compare_under_titles(holding)
    best_passages = list(dict.fromkeys(quote.passage for quote in first))[:BEST_PASSAGES]
    compare_under_titles(quote for quote in found if quote.passage in best_passages)
    on_point = {quote.order for quote in found if tells_asked_facet(question, quote, facets)}
    promise = {order: cosine + FORM_BONUS * (order in on_point) for order, cosine in near.items()}
    finalists = _choose_finalists([quote for quote in found if quote.order in near], promise)
    finalists += [quote for quote in holding if quote not in finalists]
    alone = measure_nearness(embedder, asking, [quote.text_with_subject for quote in finalists])
    return {
        quote.order: round((near[quote.order] + cosine) / 2, COSINE_DIGITS)
        for quote, cosine in zip(finalists, alone, strict=True)
    }


def _choose_finalists(compared: Sequence[Quote], near: Mapping[int, float]) -> list[Quote]:
    """Return the nearest sentences: an equal share of each source, then the nearest of all.

    Without shares, the source whose title repeats the question would have all places.
    """
    ranked = sorted(compared, key=lambda quote: (-near[quote.order], quote.order))
    share = FINALISTS // len({quote.source for quote in compared}) if compared else 0
    counts: Counter[int] = Counter()
    within: list[Quote] = []
    beyond: list[Quote] = []
    for quote in ranked:
        counts[quote.source] += 1
        (within if counts[quote.source] <= share else beyond).append(quote)
    return [*within, *beyond][:FINALISTS]
