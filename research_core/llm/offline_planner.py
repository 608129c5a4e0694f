"""What to search for, without a language model: plan, refined query, gaps. Rewriting by the form of
a question, never by its subject.

Every function takes the `inputs` of its request kind and returns the reply's text, JSON as a
language model would write it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from research_core.model_messages import Json
from research_core.text.question import FRAME, keywords
from research_core.text.words import stem, tokens

_BREAK = re.compile(
    r"\b(?:in|for|of|on|at|by|with|from|during|among|about|to|under|between|versus|vs)\b|[,;:()]",
    re.IGNORECASE,
)

#: Question type by its cue words; the first row that matches counts.
TYPES: tuple[tuple[str, re.Pattern[str]], ...] = (
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
FACETS = {
    "comparison": "comparison",
    "quantity": "figures",
    "guidance": "advice",
    "explanation": "causes",
    "fact": "history",
    "overview": "overview",
}
SALIENT_WORDS = 2
MOST_WORDS = 12
SHORTEST_WORD = 4


def plan(inputs: Json) -> str:
    """{question, max_queries} → {"type", "strategy", "sub_questions", "queries"}; no query repeats
    the question or another query.
    """
    question = str(inputs["question"])
    kind = question_type(question)
    sides = comparison_sides(question)
    if kind == "comparison" and sides is None:
        kind = "overview"
    named = tuple(" ".join(side) for side in sides) if sides else ()
    queries = distinct(
        _rewritings(question, kind, named), question, limit=int(inputs["max_queries"])
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


def question_type(question: str) -> str:
    """One of the names in `TYPES`."""
    lowered = question.lower()
    return next(name for name, cue in TYPES if cue.search(lowered))


_SIDES = (
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


def comparison_sides(question: str) -> tuple[list[str], list[str]] | None:
    """The two things compared, each with what the question leaves unsaid of the first ("red or
    white wine" → red wine, white wine).
    """
    for pattern in _SIDES:
        if match := pattern.search(question):
            left, right = keywords(match[1]), keywords(match[2])
            if left and right and left != right:
                shared = right[len(left) :]
                return left + [word for word in shared if word not in left], right
    return None


def _rewritings(question: str, kind: str, sides: tuple[str, ...]) -> Iterator[str]:
    words = keywords(question)
    compared = {word for side in sides for word in side.split()}
    by = [word for word in words if word not in compared]  # what they are compared by
    yield from (" ".join([side, *by]) for side in sides)
    yield " ".join(words)
    yield " ".join(_broader(question))
    yield " ".join([*words, FACETS[kind]])
    yield " ".join(reversed(words))


def _broader(question: str) -> list[str]:
    """The key words without those of the last phrase: where, for whom, when."""
    pieces = [piece for piece in map(keywords, _BREAK.split(question)) if piece]
    kept = [word for piece in pieces[:-1] for word in piece]
    return kept if len(kept) >= 2 else []


def distinct(queries: Iterable[str], *known: str, limit: int) -> list[str]:
    """The first `limit` queries, cut to `MOST_WORDS`, that have words and differ from every known
    text and from each other.
    """
    seen = {tuple(tokens(text)) for text in known} | {()}
    kept: list[str] = []
    for query in (" ".join(query.split()[:MOST_WORDS]) for query in queries):
        if (words := tuple(tokens(query))) not in seen:
            seen.add(words)
            kept.append(query)
    return kept[: max(0, limit)]


# ---------------------------------------------------------------- refine


def refine(inputs: Json) -> str:
    """{question, snippets} → {"query"}: the question's key words and the words that most snippets
    share beyond them.
    """
    question = str(inputs["question"])
    words = keywords(question)
    added = salient(
        [f"{s.get('title', '')} {s.get('snippet', '')}" for s in inputs["snippets"]],
        besides=question,
    )
    options = (
        " ".join([*words, *added]),
        " ".join(_broader(question)),
        " ".join([*words, FACETS[question_type(question)]]),
    )
    return json.dumps(
        {"query": (distinct(options, question, limit=1) or [" ".join(words) or question])[0]},
        ensure_ascii=False,
    )


def salient(texts: Iterable[str], besides: str) -> list[str]:
    """The words most texts share, in at least two of them and not in `besides`; most frequent
    first, then by alphabet.
    """
    known = {stem(word) for word in tokens(besides)}
    spellings: dict[str, Counter[str]] = {}
    holding: Counter[str] = Counter()
    for text in texts:
        words = [
            w
            for w in tokens(text)
            if len(w) >= SHORTEST_WORD and w.isalpha() and w not in FRAME and stem(w) not in known
        ]
        holding.update({stem(word) for word in words})
        for word in words:
            spellings.setdefault(stem(word), Counter())[word] += 1
    ranked = sorted((-count, root) for root, count in holding.items() if count >= 2)
    return [
        min(spellings[root], key=lambda word: (-spellings[root][word], word))
        for _, root in ranked[:SALIENT_WORDS]
    ]


# ---------------------------------------------------------------- gaps


def gaps(inputs: Json) -> str:
    """{question, passages, queries, max_queries} → {"gaps", "queries"}: the question's words that
    few passages hold, and how to look on.
    """
    question = str(inputs["question"])
    roots = [
        {stem(word) for word in tokens(f"{p.get('title', '')} {p['text']}")}
        for p in inputs["passages"]
    ]
    held = {
        word: sum(_roots(word) <= root for root in roots)
        for word in keywords(question)
        if _names(word)
    }
    poor = [word for word, count in held.items() if count * 4 < len(roots) or not count]
    well = sorted((word for word in held if word not in poor), key=lambda word: -held[word])[:3]
    found = [_gap(word, held[word], len(roots)) for word in poor]
    options = [" ".join(dict.fromkeys([word, *(w for w in held if w in well)])) for word in poor]
    if question_type(question) == "quantity" and not any(
        any(map(str.isdigit, p["text"])) for p in inputs["passages"]
    ):
        found.append("No passage gives a figure.")
        options.append(" ".join([*held, FACETS["quantity"]]))
    limit = int(inputs["max_queries"])
    return json.dumps(
        {"gaps": found, "queries": distinct(options, question, *inputs["queries"], limit=limit)},
        ensure_ascii=False,
    )


def _roots(word: str) -> set[str]:
    return {stem(part) for part in tokens(word)}


def _names(word: str) -> bool:
    """Whether a word is long enough to be missed by name; "AI" and "2030" are, "im" is not."""
    return len(word) >= SHORTEST_WORD - 1 or word.isupper() or word.isdigit()


def _gap(word: str, count: int, total: int) -> str:
    return (
        f"No passage mentions “{word}”."
        if not count
        else f"Only {count} of {total} passages mention “{word}”."
    )


def uncovered(question: str, texts: Iterable[str]) -> list[str]:
    """The key words of the question that no text holds, in any inflection."""
    held = {stem(word) for text in texts for word in tokens(text)}
    return [word for word in keywords(question) if _names(word) and not _roots(word) <= held]
