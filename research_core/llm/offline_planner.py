"""Plan searches without a model: plan, refined query and gaps, by the form of a question.

Each answer function takes the `inputs` of its request kind and returns JSON text, as a language
model would.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from research_core.model_messages import Json
from research_core.text.question import QUESTION_WORDS, find_keywords
from research_core.text.words import stem, tokenize

_PHRASE_BREAK = re.compile(
    r"\b(?:in|for|of|on|at|by|with|from|during|among|about|to|under|between|versus|vs)\b|[,;:()]",
    re.IGNORECASE,
)

#: Question type by its cue words; the first row that matches counts.
QUESTION_TYPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "comparison",
        re.compile(
            r"\bvs\b|\bversus\b|\bcompar|\bdiffer|\b(?:better|worse|\w+er)\b[^?]*\b(?:than|or)\b|\bas"
            r" opposed to\b"
        ),
    ),
    (
        "quantity",
        re.compile(
            r"\bhow"
            r" (?:much|many|often|long|far|old|large|big|fast|high)\b|\b(?:costs?|prices?|pricing|percentage|number"
            r" of)\b"
        ),
    ),
    (
        "guidance",
        re.compile(
            r"\bhow (?:to|should|can i|do"
            r" i)\b|\bbest\b|\btips?\b|\bstrateg|\brecommend|\bsteps?\b|\bways? (?:to|of)\b"
        ),
    ),
    (
        "explanation",
        re.compile(
            r"\bwhy\b|\bhow\b|\bcaus|\breasons?\b|\bexplain|\beffects?\b|\bimpacts?\b|\baffect"
        ),
    ),
    (
        "fact",
        re.compile(
            r"^\W*(?:who|when|where)\b|\b(?:what|which) (?:year|date|day|country|city|person)\b"
        ),
    ),
    ("overview", re.compile("")),
)
STRATEGIES = {
    "comparison": "Search each side by itself, then set what the sources say side by side.",
    "quantity": "Search for figures, and for what they depend on.",
    "guidance": "Search for advice, and for what speaks against it.",
    "explanation": "Search for causes and for what follows from them.",
    "fact": "Search for sources that state it directly.",
    "overview": "Search broadly, then narrow down.",
}
SUB_QUESTIONS = {
    "comparison": (
        "What do the sources say about {0}?",
        "What do the sources say about {1}?",
        "How do the two differ?",
    ),
    "quantity": (
        "What figures do the sources give?",
        "What do the figures depend on?",
        "What else do the sources say?",
    ),
    "guidance": (
        "What do the sources recommend?",
        "What figures do the sources give?",
        "What else do the sources say?",
    ),
    "explanation": (
        "What causes or explains it?",
        "What figures do the sources give?",
        "What else do the sources say?",
    ),
    "fact": ("What do the sources state, with dates?", "What else do the sources say?"),
    "overview": (
        "What figures do the sources give?",
        "What rules or limits apply?",
        "What are the main points?",
    ),
}
#: One word that turns a query towards what a question of this type wants.
FACET_WORDS = {
    "comparison": "comparison",
    "quantity": "figures",
    "guidance": "advice",
    "explanation": "causes",
    "fact": "history",
    "overview": "overview",
}
MAX_SALIENT_WORDS = 2
MAX_QUERY_WORDS = 12
MIN_WORD_LENGTH = 4


def answer_plan(inputs: Json) -> str:
    """{question, max_queries} → {"type", "strategy", "sub_questions", "queries"}.

    No query repeats the question or another query.
    """
    question = str(inputs["question"])
    kind = classify_question(question)
    sides = split_comparison(question)
    if kind == "comparison" and sides is None:
        kind = "overview"
    named = tuple(" ".join(side) for side in sides) if sides else ()
    queries = select_distinct(
        _rewrite_question(question, kind, named), question, limit=int(inputs["max_queries"])
    )
    return json.dumps(
        {
            "type": kind,
            "strategy": STRATEGIES[kind],
            "sub_questions": [q.format(*named) for q in SUB_QUESTIONS[kind]],
            "queries": queries,
        },
        ensure_ascii=False,
    )


def classify_question(question: str) -> str:
    """Return one of the names in `QUESTION_TYPES`."""
    lowered = question.lower()
    return next(name for name, cue in QUESTION_TYPES if cue.search(lowered))


_SIDES_PATTERNS = (
    re.compile(r"\bdifferences?\b.*?\bbetween\b(.+?)\band\b(.+)", re.IGNORECASE),
    re.compile(
        r"(.+?)\b(?:vs\b\.?|versus|compared? (?:to|with|against)|as opposed to|differs?"
        r" from|different from)(.+)",
        re.IGNORECASE,
    ),
    re.compile(r"\bcompar\w*\b(.+?)\b(?:and|with|to)\b(.+)", re.IGNORECASE),
    re.compile(r"[,:](.+?)\bor\b(.+)", re.IGNORECASE),
    re.compile(
        r"(.+?)\b(?:\w+er\s+than|(?:more|less|fewer|better|worse|greater|larger|smaller|higher|lower)\b.*?\bthan)\b(.+)",
        re.IGNORECASE,
    ),
    re.compile(r"\bhow (?:do|does)\b(.+?)\band\b(.+?)\bdiffer", re.IGNORECASE),
)


def split_comparison(question: str) -> tuple[list[str], list[str]] | None:
    """Return the words of the two things compared, or None.

    Each side gets the words the question leaves out ("red or white wine" → red wine, white wine).
    """
    for pattern in _SIDES_PATTERNS:
        if match := pattern.search(question):
            left, right = find_keywords(match[1]), find_keywords(match[2])
            if left and right and left != right:
                shared = right[len(left) :]
                return left + [word for word in shared if word not in left], right
    return None


def _rewrite_question(question: str, kind: str, sides: tuple[str, ...]) -> Iterator[str]:
    words = find_keywords(question)
    compared = {word for side in sides for word in side.split()}
    by = [word for word in words if word not in compared]  # what they are compared by
    yield from (" ".join([side, *by]) for side in sides)
    yield " ".join(words)
    yield " ".join(_broaden_question(question))
    yield " ".join([*words, FACET_WORDS[kind]])
    yield " ".join(reversed(words))


def _broaden_question(question: str) -> list[str]:
    """Return the key words without those of the last phrase, which says where, for whom or when."""
    pieces = [piece for piece in map(find_keywords, _PHRASE_BREAK.split(question)) if piece]
    kept = [word for piece in pieces[:-1] for word in piece]
    return kept if len(kept) >= 2 else []


def select_distinct(queries: Iterable[str], *known: str, limit: int) -> list[str]:
    """Return the first `limit` queries that differ from each other and from the known texts.

    Queries are cut to `MAX_QUERY_WORDS`; those without words are left out.
    """
    seen = {tuple(tokenize(text)) for text in known} | {()}
    kept: list[str] = []
    for query in (" ".join(query.split()[:MAX_QUERY_WORDS]) for query in queries):
        if (words := tuple(tokenize(query))) not in seen:
            seen.add(words)
            kept.append(query)
    return kept[: max(0, limit)]


# ---------------------------------------------------------------- refine


def answer_refine(inputs: Json) -> str:
    """{question, snippets} → {"query"}: the question's key words and the most shared snippet words."""
    question = str(inputs["question"])
    words = find_keywords(question)
    added = find_salient_words(
        [f"{s.get('title', '')} {s.get('snippet', '')}" for s in inputs["snippets"]],
        besides=question,
    )
    options = (
        " ".join([*words, *added]),
        " ".join(_broaden_question(question)),
        " ".join([*words, FACET_WORDS[classify_question(question)]]),
    )
    return json.dumps(
        {
            "query": (select_distinct(options, question, limit=1) or [" ".join(words) or question])[
                0
            ]
        },
        ensure_ascii=False,
    )


def find_salient_words(texts: Iterable[str], besides: str) -> list[str]:
    """Return the words most texts share: in at least two of them and not in `besides`.

    Most frequent first, then alphabetical.
    """
    known = {stem(word) for word in tokenize(besides)}
    spellings: dict[str, Counter[str]] = {}
    holding: Counter[str] = Counter()
    for text in texts:
        words = [
            w
            for w in tokenize(text)
            if len(w) >= MIN_WORD_LENGTH
            and w.isalpha()
            and w not in QUESTION_WORDS
            and stem(w) not in known
        ]
        holding.update({stem(word) for word in words})
        for word in words:
            spellings.setdefault(stem(word), Counter())[word] += 1
    ranked = sorted((-count, root) for root, count in holding.items() if count >= 2)
    return [
        min(spellings[root], key=lambda word: (-spellings[root][word], word))
        for _, root in ranked[:MAX_SALIENT_WORDS]
    ]


# ---------------------------------------------------------------- gaps


def answer_gaps(inputs: Json) -> str:
    """{question, passages, queries, max_queries} → {"gaps", "queries"}."""
    question = str(inputs["question"])
    roots = [
        {stem(word) for word in tokenize(f"{p.get('title', '')} {p['text']}")}
        for p in inputs["passages"]
    ]
    held = {
        word: sum(_stem_parts(word) <= root for root in roots)
        for word in find_keywords(question)
        if _is_nameable(word)
    }
    poor = [word for word, count in held.items() if count * 4 < len(roots) or not count]
    well = sorted((word for word in held if word not in poor), key=lambda word: -held[word])[:3]
    found = [_describe_gap(word, held[word], len(roots)) for word in poor]
    options = [" ".join(dict.fromkeys([word, *(w for w in held if w in well)])) for word in poor]
    if classify_question(question) == "quantity" and not any(
        any(map(str.isdigit, p["text"])) for p in inputs["passages"]
    ):
        found.append("No passage gives a figure.")
        options.append(" ".join([*held, FACET_WORDS["quantity"]]))
    limit = int(inputs["max_queries"])
    return json.dumps(
        {
            "gaps": found,
            "queries": select_distinct(options, question, *inputs["queries"], limit=limit),
        },
        ensure_ascii=False,
    )


def _stem_parts(word: str) -> set[str]:
    return {stem(part) for part in tokenize(word)}


def _is_nameable(word: str) -> bool:
    """Return True if a word is long enough to name as missing: "AI" and "2030" are, "im" is not."""
    return len(word) >= MIN_WORD_LENGTH - 1 or word.isupper() or word.isdigit()


def _describe_gap(word: str, count: int, total: int) -> str:
    return (
        f"No passage mentions “{word}”."
        if not count
        else f"Only {count} of {total} passages mention “{word}”."
    )


def find_uncovered_words(question: str, texts: Iterable[str]) -> list[str]:
    """Return the key words of the question that no text contains, in any inflection."""
    held = {stem(word) for text in texts for word in tokenize(text)}
    return [
        word
        for word in find_keywords(question)
        if _is_nameable(word) and not _stem_parts(word) <= held
    ]
