"""Summarize a page by its relevant passages, quoted verbatim, without a language model.

Whether the page answers the question is decided by the judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from research_core.journal.deps import Deps
from research_core.journal.rule_versions import read_rules, runs_under
from research_core.model_messages import Json
from research_core.models import Page, Passage, Summary
from research_core.text import sentence_meaning
from research_core.text.passages import find_list_end, make_passages, select_passages
from research_core.text.passages_by_meaning import VERSION, choose_spans
from research_core.text.question_focus import focus_question
from research_core.text.words import truncate

#: Passages of a page at most: read for the question alone, or also for its parts.
MAX_PASSAGES, MAX_PASSAGES_OF_PARTS = 5, 8
#: The version of the rules of scoring from which a passage that ends within a list is extended to
#: the end of the list, and the most characters that this adds.
LISTS_VERSION, MAX_LIST_LENGTH = 6, 700
#: The version of the rules of scoring from which a letter's passages are chosen by what it asks of
#: the thing that the page's title names, and the version of the choice before.
FOCUS_VERSION, VERSION_BEFORE_FOCUS = 5, 2


def summarize(
    question: str, page: Page, deps: Deps | None = None, *, queries: Sequence[str] = ()
) -> Summary:
    """Return the relevant passages of a page, or its opening so that the judge can say why not.

    deps: of a run, so that passages are chosen by meaning too if its settings name a model; the
    choice is recorded, and a replay takes it from the log. queries: what else the page is read for,
    such as the parts of the question; they add passages.
    """
    passages: tuple[Passage, ...] = ()
    if deps is not None and deps.run.chooses_by_meaning:
        passages = _choose_by_meaning([question, *queries], page, deps)
    passages = passages or _choose_by_words(question, queries, page.text)
    if deps is not None and runs_under(read_rules(deps.log), "scoring", LISTS_VERSION):
        passages = _complete_lists(passages, page.text)
    shown = "\n\n".join(passage.text for passage in passages) or truncate(page.text.strip(), 700)
    return Summary(page.url, page.title, shown, passages)


def _complete_lists(passages: Sequence[Passage], text: str) -> tuple[Passage, ...]:
    """Return the passages of a text, each that ends within a list extended to its end.

    A passage that the extended one before it contains is left out.
    """
    spans: list[tuple[int, int]] = []
    for passage in passages:
        end = find_list_end(text, passage.start, passage.end, most=MAX_LIST_LENGTH)
        if not spans or end > spans[-1][1]:
            spans.append((passage.start, end))
    return make_passages(text, spans)


def _choose_by_words(question: str, queries: Sequence[str], text: str) -> tuple[Passage, ...]:
    """Return the passages for the question, and others for the queries, in page order."""
    chosen = list(select_passages(question, text))
    if queries:
        for passage in select_passages(" ".join(queries), text):
            if len(chosen) == MAX_PASSAGES_OF_PARTS:
                break
            if all(passage.end <= one.start or passage.start >= one.end for one in chosen):
                chosen.append(passage)
    return tuple(sorted(chosen, key=lambda passage: passage.start))


def _choose_by_meaning(questions: Sequence[str], page: Page, deps: Deps) -> tuple[Passage, ...]:
    """Return the passages chosen by meaning; none if the model cannot compare this question."""
    by_focus = runs_under(read_rules(deps.log), "scoring", FOCUS_VERSION)
    body = f"{page.title}\n{page.text}".encode("utf-8", "surrogatepass")
    key: Json = {
        "asked": "passages",
        "questions": list(questions),
        "page": sha256(body).hexdigest(),
        "model": deps.run.passage_model,
        "version": VERSION if by_focus else VERSION_BEFORE_FOCUS,
    }

    def look() -> list[list[int]]:
        embedder = deps.embedder
        if embedder is None or not sentence_meaning.compares(embedder, questions[0]):
            return []
        limit = MAX_PASSAGES_OF_PARTS if len(questions) > 1 else MAX_PASSAGES
        asked = _focus(questions, page.title) if by_focus else questions
        spans = choose_spans(asked, page.title, page.text, embedder, limit=limit)
        return [list(span) for span in spans]

    return make_passages(page.text, (tuple(span) for span in deps.http.record_fact(key, look)))


def _focus(questions: Sequence[str], title: str) -> list[str]:
    """Return the questions with a letter replaced by what it asks of the page's subject."""
    focus = focus_question(questions[0], [title])
    if not focus.asking:
        return list(questions)
    return list(dict.fromkeys([focus.question, *focus.asking, *questions[1:]]))
