"""Choose further passages of the pages for a writer, besides those chosen when they were read.

The context of the writing model decides how many. The choice is recorded, so that a replay on
another machine sends the same requests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from research_core import llm
from research_core.decisions.view import RunView
from research_core.journal.deps import Deps
from research_core.llm.context_sizes import DEFAULT_CONTEXT
from research_core.model_messages import estimate_tokens
from research_core.models import Passage, Summary
from research_core.modes import MAX_EVIDENCE_TOKENS
from research_core.pipeline.prompts import PromptContext
from research_core.policy import OFFLINE_MODEL
from research_core.text import sentence_meaning
from research_core.text.passages import make_passages
from research_core.text.passages_by_meaning import WORD_BONUS
from research_core.text.remaining_passages import cut_remaining
from research_core.text.sentence_meaning import add_context, measure_nearness
from research_core.text.sentences import find_sentences
from research_core.text.similarity import Question, parse_question, word_root
from research_core.text.words import tokenize

if TYPE_CHECKING:
    from research_core.text.embeddings import Embedder

#: The version of the rules of prompting from which a writer sees more than the passages chosen at
#: reading.
EVIDENCE_VERSION = 3
#: Part of the key of recorded choices; increment when the rules of choosing change.
CHOICE_VERSION = 1
#: The share of a context that passages may fill. The rest is for the instructions, the reasoning
#: and the answer.
EVIDENCE_SHARE = 0.5
#: Tokens of a passage's id and tags.
TOKENS_AROUND_PASSAGE = 30
#: The weight of an unscored source, on the scale of relevance.
UNSCORED_RELEVANCE = 3
#: Tokens of a usual passage, and how many times its even share of a section's passages one source
#: may have.
USUAL_TOKENS, SOURCE_FACTOR = 200, 2
#: Passages compared by meaning for a section: the best by its words and the question's.
MAX_COMPARED = 24
#: Texts that are embedded ahead in one step.
TEXTS_AT_ONCE = 8
#: The share of a section's tokens that its best passages may take; the rest is for sources that no
#: section chose.
SHARE_OF_BEST = 0.8
#: Cosine that a passage needs for a report of quotations if it has no word of the sub-question.
MIN_NEARNESS = 0.5
#: Texts and pages whose words, sentences and passages are kept until the passages are chosen.
MAX_KEPT_TEXTS, MAX_KEPT_PAGES = 10_000, 100
#: Weight of the question's words beside those of a sub-question, and the share of the best score
#: that another passage needs.
QUESTION_WEIGHT, MIN_SHARE_OF_BEST = 0.3, 0.3


def find_evidence_budget(prompting: PromptContext, deps: Deps) -> int:
    """Return how many tokens of passages the writer may see, 0 to choose no further ones.

    The context is recorded, as a replay has no server to ask.
    """
    if deps.run.writing_model == OFFLINE_MODEL or prompting.version < EVIDENCE_VERSION:
        return 0
    asked = {"asked": "the context of the writing model", "model": deps.run.writing_model}

    def look() -> int:
        return llm.find_context_size(deps.settings, deps.run.writing_model)

    context: int = deps.http.record_fact(asked, look)
    return min(MAX_EVIDENCE_TOKENS, int(context * EVIDENCE_SHARE))


@dataclass(frozen=True)
class ReadPage:
    """A kept source with the text of its page. relevance: 1-5."""

    summary: Summary
    text: str
    relevance: int = UNSCORED_RELEVANCE


def read_pages(
    run: RunView, urls: Sequence[str], deps: Deps, *, with_texts: bool
) -> list[ReadPage]:
    """Return these sources of a run, with the texts of their pages if these are needed."""
    pages = []
    for url in urls:
        source = run.sources[url]
        summary = Summary(url, source.title, source.summary, source.passages)
        text = (deps.log.open(source.page) if with_texts else "") or ""
        judgement = source.judgement
        relevance = judgement.score if judgement and judgement.scored else UNSCORED_RELEVANCE
        pages.append(ReadPage(summary, text, relevance))
    return pages


def measure_tokens(passage: Passage) -> int:
    """Return about how many tokens a passage takes in a prompt."""
    return estimate_tokens(passage.text) + TOKENS_AROUND_PASSAGE


# ---------------------------------------------------------------- the whole report


def widen_summaries(
    question: str, pages: Sequence[ReadPage], tokens: int, deps: Deps
) -> list[Summary]:
    """Return the sources with as much of their pages as fits into this many tokens.

    A page that fits is shown whole. Of any other, the passages with most of the question's words
    are shown, more of them from relevant sources. The passages chosen at reading always stay.
    """
    summaries = [page.summary for page in pages]
    if not tokens:
        return summaries
    asked = {
        "asked": "further passages",
        "question": question,
        "passages": _list_ids(summaries),
        "tokens": tokens,
        "version": CHOICE_VERSION,
    }

    def look() -> list[list[list[int]]]:
        chosen = _choose_within(parse_question(question), pages, tokens)
        _forget_texts()
        return [[[passage.start, passage.end] for passage in further] for further in chosen]

    recorded = deps.http.record_fact(asked, look)
    widened = []
    for page, spans in zip(pages, recorded, strict=True):
        further = make_passages(page.text, (tuple(span) for span in spans))
        widened.append(_add_passages(page.summary, further))
    return widened


def _list_ids(summaries: Sequence[Summary]) -> list[list[str]]:
    return [[passage.id for passage in summary.passages] for summary in summaries]


def _add_passages(summary: Summary, further: Sequence[Passage]) -> Summary:
    """Return the source with further passages, all in page order."""
    passages = sorted((*summary.passages, *further), key=lambda passage: passage.start)
    return replace(summary, passages=tuple(passages))


def _choose_within(
    question: Question, pages: Sequence[ReadPage], tokens: int
) -> list[list[Passage]]:
    """Return for each page the further passages that fit into this many tokens in all.

    Each page has a share by relevance. What a short page leaves is shared by the others.
    """
    rest = [list(cut_remaining(page.text, page.summary.passages)) for page in pages]
    sizes = [sum(map(measure_tokens, passages)) for passages in rest]
    left = tokens
    for page in pages:
        left -= sum(map(measure_tokens, page.summary.passages))
    weight = sum(page.relevance for page in pages)
    chosen: list[list[Passage]] = [[] for _ in pages]
    by_need = sorted(
        range(len(pages)), key=lambda number: (sizes[number] / pages[number].relevance, number)
    )
    for number in by_need:
        share = max(0, left) * pages[number].relevance // weight
        weight -= pages[number].relevance
        chosen[number] = rest[number]
        if sizes[number] > share:
            chosen[number] = _choose_best(question, rest[number], share)
        left -= sum(map(measure_tokens, chosen[number]))
    return chosen


def _choose_best(question: Question, passages: Sequence[Passage], tokens: int) -> list[Passage]:
    """Return the passages with most of the question's words that fit, in page order."""

    def rank(passage: Passage) -> tuple[float, int]:
        return -_measure_share(question, _find_roots(question, passage.text)), passage.start

    chosen = []
    for passage in sorted(passages, key=rank):
        size = measure_tokens(passage)
        if size <= tokens:
            chosen.append(passage)
            tokens -= size
    return sorted(chosen, key=lambda passage: passage.start)


def _find_roots(question: Question, text: str) -> frozenset[str]:
    return _find_roots_in(text, question.language)


@lru_cache(maxsize=MAX_KEPT_TEXTS)
def _find_roots_in(text: str, language: str) -> frozenset[str]:
    return frozenset(word_root(token, language) for token in tokenize(text))


def _measure_share(question: Question, roots: frozenset[str]) -> float:
    """Return the share of a question's words that a text holds, by weight, 0 to 1."""
    total = sum(question.words.values())
    held = sum(weight for root, weight in question.words.items() if root in roots)
    return round(held / total, 6) if total else 0.0


# ---------------------------------------------------------------- sections


@dataclass(frozen=True)
class _Candidate:
    """A passage that a section may have. source: the number of its page, from 0."""

    source: int
    passage: Passage
    is_known: bool


def choose_for_sections(
    question: str,
    sub_questions: Sequence[str],
    pages: Sequence[ReadPage],
    tokens: int,
    deps: Deps,
) -> list[list[Summary]]:
    """Return for each sub-question the relevant sources, with only the relevant passages.

    tokens: of each section at most. For quotations, a passage must have a word that only the
    sub-question has, or be near it in meaning, so a section may have none. A language model can say
    that nothing is relevant: without other passages, it sees those chosen at reading.
    """
    by_meaning = deps.run.chooses_by_meaning
    is_strict = deps.run.writing_model == OFFLINE_MODEL
    asked = {
        "asked": "passages of sections",
        "question": question,
        "sub_questions": list(sub_questions),
        "passages": _list_ids([page.summary for page in pages]),
        "tokens": tokens,
        "model": deps.run.passage_model if by_meaning else "",
        "strict": is_strict,
        "version": CHOICE_VERSION,
    }

    def look() -> list[list[list[int]]]:
        embedder = _find_embedder(question, deps)
        choice = _SectionChoice(question, sub_questions, pages, embedder, is_strict=is_strict)
        rows = []
        for candidates in choice.choose(tokens):
            spans = [[each.source, each.passage.start, each.passage.end] for each in candidates]
            rows.append(sorted(spans))
        _forget_texts()
        return rows

    sections = []
    for rows in deps.http.record_fact(asked, look):
        spans_of: dict[int, list[tuple[int, int]]] = {}
        for source, start, end in rows:
            spans_of.setdefault(source, []).append((start, end))
        summaries = []
        for source, spans in spans_of.items():
            page = pages[source]
            passages = make_passages(page.text, spans)
            summaries.append(replace(page.summary, passages=passages))
        sections.append(summaries)
    return sections


def embed_for_sections(
    question: str,
    sub_questions: Sequence[str],
    pages: Sequence[ReadPage],
    deps: Deps,
    is_over: Callable[[], bool],
) -> None:
    """Embed what `choose_for_sections` will compare of these pages, if it compares meaning.

    The embedder keeps it, so that it is done while the run waits for other pages. It goes in small
    steps on one thread, beside which pages are read, and ends when `is_over` does. Raises
    SettingsError if the model cannot be used.
    """
    embedder = _find_embedder(question, deps)
    if embedder is None:
        return
    is_strict = deps.run.writing_model == OFFLINE_MODEL
    choice = _SectionChoice(question, sub_questions, pages, embedder, is_strict=is_strict)
    texts = choice.list_compared_texts()
    for first in range(0, len(texts), TEXTS_AT_ONCE):
        if is_over():
            return
        embedder.embed(texts[first : first + TEXTS_AT_ONCE])


def _find_embedder(question: str, deps: Deps) -> Embedder | None:
    """Return the embedder if the run chooses by meaning and it knows the question's language."""
    embedder = deps.embedder if deps.run.chooses_by_meaning else None
    if embedder is None or not sentence_meaning.compares(embedder, question):
        return None
    return embedder


class _SectionChoice:
    """Rates the passages of all pages for each sub-question, and chooses from them."""

    def __init__(
        self,
        question: str,
        sub_questions: Sequence[str],
        pages: Sequence[ReadPage],
        embedder: Embedder | None,
        *,
        is_strict: bool,
    ) -> None:
        self._is_strict = is_strict
        self._pages = pages
        self._sub_questions = sub_questions
        self._embedder = embedder
        self._parsed = [parse_question(text) for text in sub_questions]
        self._candidates = list(_list_candidates(pages))
        self._roots: list[frozenset[str]] = []
        whole = parse_question(question)
        for each in self._candidates:
            self._roots.append(_find_roots(whole, each.passage.text))
        self._by_question = [_measure_share(whole, roots) for roots in self._roots]
        self._own_words = []
        for parsed in self._parsed:
            self._own_words.append(parsed.words.keys() - whole.words.keys() or parsed.words.keys())

    def choose(self, tokens: int) -> list[list[_Candidate]]:
        """Return the passages of each section that fit into this many tokens, best first.

        The best passage of a source that no section chose goes to the section that it fits best
        among those with room.
        """
        scores = [self._score(number) for number in range(len(self._sub_questions))]
        shared = int(tokens * SHARE_OF_BEST)
        sections = [self._choose_section(of_section, shared) for of_section in scores]
        left = [tokens - sum(measure_tokens(c.passage) for c in chosen) for chosen in sections]
        used = {each.source for chosen in sections for each in chosen}
        for source in range(len(self._pages)):
            if source in used:
                continue
            for section, place in self._rank_places(source, scores):
                size = measure_tokens(self._candidates[place].passage)
                if size <= left[section]:
                    sections[section].append(self._candidates[place])
                    left[section] -= size
                    break
        return sections

    def _rank_places(
        self, source: int, scores: Sequence[Mapping[int, float]]
    ) -> list[tuple[int, int]]:
        """Return (section, place) for the relevant passages of a source, best first."""
        ranked = []
        for section, of_section in enumerate(scores):
            for place, score in of_section.items():
                if self._candidates[place].source == source:
                    ranked.append((-score, section, place))
        return [(section, place) for _, section, place in sorted(ranked)]

    def _score(self, number: int) -> dict[int, float]:
        """Return the scores of the passages that are relevant to a sub-question, by place."""
        scores = self._score_by_words(number)
        if self._embedder is not None:
            scores = self._measure_meaning(number, scores)
        elif self._is_strict:
            scores = {place: scores[place] for place in scores if self._holds_own(number, place)}
        if scores or self._is_strict:
            return scores
        known = [place for place, each in enumerate(self._candidates) if each.is_known]
        return {place: 1.0 + self._by_question[place] for place in known}

    def _score_by_words(self, number: int) -> dict[int, float]:
        """Return the scores of the passages that hold a word of a sub-question, by place."""
        parsed = self._parsed[number]
        scores: dict[int, float] = {}
        for place, roots in enumerate(self._roots):
            share = _measure_share(parsed, roots)
            if share:
                scores[place] = share + QUESTION_WEIGHT * self._by_question[place]
        return scores

    def _holds_own(self, number: int, place: int) -> bool:
        """Return True if a passage has a word that is in the sub-question only."""
        return not self._own_words[number].isdisjoint(self._roots[place])

    def _measure_meaning(self, number: int, scores: Mapping[int, float]) -> dict[int, float]:
        """Return scores by meaning of the best passages by words and of those chosen at reading."""
        assert self._embedder is not None
        compared = self._select_compared(scores)
        texts = [self._show(place, self._parsed[number]) for place in compared]
        near = measure_nearness(self._embedder, [self._sub_questions[number]], texts)
        by_meaning = {}
        for place, cosine in zip(compared, near, strict=True):
            is_near = cosine >= MIN_NEARNESS or (self._is_strict and self._holds_own(number, place))
            if is_near or (cosine > 0 and not self._is_strict):
                by_meaning[place] = cosine + WORD_BONUS * scores.get(place, 0.0)
        return by_meaning

    def list_compared_texts(self) -> list[str]:
        """Return what is compared by meaning for all sub-questions, each text once."""
        texts = list(self._sub_questions)
        for number, parsed in enumerate(self._parsed):
            compared = self._select_compared(self._score_by_words(number))
            texts += [self._show(place, parsed) for place in compared]
        return list(dict.fromkeys(texts))

    def _select_compared(self, scores: Mapping[int, float]) -> list[int]:
        """Return the best passages by words, and the first of each page chosen at reading."""

        def rank(place: int) -> tuple[float, float, int]:
            # A paraphrase may hold no word of the sub-question, but one of the whole question.
            return -scores.get(place, 0.0), -self._by_question[place], place

        by_words = sorted(range(len(self._candidates)), key=rank)[:MAX_COMPARED]
        first_known: dict[int, int] = {}
        for place, each in enumerate(self._candidates):
            if each.is_known:
                first_known.setdefault(each.source, place)
        return list(dict.fromkeys((*by_words, *first_known.values())))

    def _show(self, place: int, parsed: Question) -> str:
        """Return the title and the sentence of a passage with most words of a sub-question."""
        candidate = self._candidates[place]
        text = candidate.passage.text
        best, most = text, -1.0
        for sentence in _list_sentences(text):
            share = _measure_share(parsed, _find_roots(parsed, sentence))
            if share > most:
                best, most = sentence, share
        return add_context(self._pages[candidate.source].summary.title, "", best)

    def _choose_section(self, scores: Mapping[int, float], tokens: int) -> list[_Candidate]:
        """Return the best passages that fit, within the limit for each source."""
        most = max(1, SOURCE_FACTOR * (tokens // USUAL_TOKENS) // len(self._pages))
        ranked = sorted(scores, key=lambda place: (-scores[place], place))
        least = MIN_SHARE_OF_BEST * scores[ranked[0]] if ranked else 0.0
        chosen: list[_Candidate] = []
        of_source: dict[int, int] = {}
        for place in ranked:
            each = self._candidates[place]
            size = measure_tokens(each.passage)
            is_full = of_source.get(each.source, 0) >= most or size > tokens
            if scores[place] < least or is_full:
                continue
            chosen.append(each)
            tokens -= size
            of_source[each.source] = of_source.get(each.source, 0) + 1
        return chosen


@lru_cache(maxsize=MAX_KEPT_TEXTS)
def _list_sentences(text: str) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in find_sentences(text))


#: `cut_remaining`, whose results for the pages of a run are kept: the sections are prepared while
#: the run reads, and chosen at its end.
_cut_remaining = lru_cache(maxsize=MAX_KEPT_PAGES)(cut_remaining)


def _list_candidates(pages: Sequence[ReadPage]) -> list[_Candidate]:
    candidates = []
    for source, page in enumerate(pages):
        known = page.summary.passages
        for passage in _add_passages(page.summary, _cut_remaining(page.text, known)).passages:
            candidates.append(_Candidate(source, passage, passage in known))
    return candidates


def _forget_texts() -> None:
    """Release what was kept of the pages of a run."""
    for kept in (_find_roots_in, _list_sentences, _cut_remaining):
        kept.cache_clear()


def find_section_budget(tokens: int, sections: int) -> int:
    """Return the tokens of passages of each section.

    The sections share MAX_EVIDENCE_TOKENS. tokens: of one request at most; 0 without a language
    model.
    """
    share = MAX_EVIDENCE_TOKENS // sections
    return min(tokens, share) if tokens else min(DEFAULT_CONTEXT, share)
