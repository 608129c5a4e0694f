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
from research_core.text.words import format_count, stem, tokenize

_PHRASE_BREAK = re.compile(
    r"\b(?:in|for|of|on|at|by|with|from|during|among|about|to|under|between|versus|vs)\b|[,;:()]",
    re.IGNORECASE,
)

#: Cue words of each question type; the first match counts.
QUESTION_TYPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "comparison",
        re.compile(
            r"\bvs\b|\bversus\b|\bcompar|\bdiffer"
            r"|\b(?:better|worse|\w+er)\b[^?]*\b(?:than|or)\b"
            r"|\bas opposed to\b"
        ),
    ),
    (
        "quantity",
        re.compile(
            r"\bhow (?:much|many|often|long|far|old|large|big|fast|high)\b"
            r"|\b(?:costs?|prices?|pricing|percentage|number of)\b"
        ),
    ),
    (
        "guidance",
        re.compile(
            r"\bhow (?:to|should|can i|do i)\b"
            r"|\bbest\b|\btips?\b|\bstrateg|\brecommend|\bsteps?\b|\bways? (?:to|of)\b"
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
#: A word that directs a query to what a question of this type asks for.
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
    """Plan a question: {question, max_queries} → {"type", "strategy", "sub_questions", "queries"}.

    No query repeats the question or another query.
    """
    question = str(inputs["question"])
    kind = classify_question(question)
    sides = split_comparison(question)
    if kind == "comparison" and sides is None:
        kind = "overview"
    named = tuple(" ".join(side) for side in sides) if sides else ()
    rewritings = _rewrite_question(question, kind, named)
    plan = {
        "type": kind,
        "strategy": STRATEGIES[kind],
        "sub_questions": [text.format(*named) for text in SUB_QUESTIONS[kind]],
        "queries": select_distinct(rewritings, question, limit=int(inputs["max_queries"])),
    }
    return json.dumps(plan, ensure_ascii=False)


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
        r"(.+?)\b(?:\w+er\s+than"
        r"|(?:more|less|fewer|better|worse|greater|larger|smaller|higher|lower)\b.*?\bthan)\b(.+)",
        re.IGNORECASE,
    ),
    re.compile(r"\bhow (?:do|does)\b(.+?)\band\b(.+?)\bdiffer", re.IGNORECASE),
)


def split_comparison(question: str) -> tuple[list[str], list[str]] | None:
    """Return the words of the two things compared, or None.

    Each side gets the words the question leaves out ("red or white wine" → red wine, white wine).
    """
    for pattern in _SIDES_PATTERNS:
        match = pattern.search(question)
        if not match:
            continue
        left = find_keywords(match[1])
        right = find_keywords(match[2])
        if left and right and left != right:
            shared = right[len(left) :]
            return left + [word for word in shared if word not in left], right
    return None


def _rewrite_question(question: str, kind: str, sides: tuple[str, ...]) -> Iterator[str]:
    """Yield queries for a question of this kind, the best first."""
    words = find_keywords(question)
    compared = set(" ".join(sides).split())
    criteria = [word for word in words if word not in compared]
    for side in sides:
        yield " ".join([side, *criteria])
    yield " ".join(words)
    yield " ".join(_broaden_question(question))
    yield " ".join([*words, FACET_WORDS[kind]])
    yield " ".join(reversed(words))


def _broaden_question(question: str) -> list[str]:
    """Return the key words without those of the last phrase, which says where, for whom or when."""
    pieces = [piece for piece in map(find_keywords, _PHRASE_BREAK.split(question)) if piece]
    kept: list[str] = []
    for piece in pieces[:-1]:
        kept += piece
    return kept if len(kept) >= 2 else []


def select_distinct(queries: Iterable[str], *known: str, limit: int) -> list[str]:
    """Return the first `limit` queries that differ from each other and from the known texts.

    Queries are cut to `MAX_QUERY_WORDS`; those without words are left out.
    """
    seen = {tuple(tokenize(text)) for text in known}
    seen.add(())
    kept: list[str] = []
    for query in queries:
        cut = " ".join(query.split()[:MAX_QUERY_WORDS])
        words = tuple(tokenize(cut))
        if words not in seen:
            seen.add(words)
            kept.append(cut)
    return kept[: max(0, limit)]


# ---------------------------------------------------------------- refine


def answer_refine(inputs: Json) -> str:
    """Refine a query: {question, snippets} → {"query"}, of key words and shared snippet words."""
    question = str(inputs["question"])
    words = find_keywords(question)
    snippets = [f"{s.get('title', '')} {s.get('snippet', '')}" for s in inputs["snippets"]]
    options = (
        " ".join([*words, *find_salient_words(snippets, besides=question)]),
        " ".join(_broaden_question(question)),
        " ".join([*words, FACET_WORDS[classify_question(question)]]),
    )
    distinct = select_distinct(options, question, limit=1)
    query = distinct[0] if distinct else " ".join(words) or question
    return json.dumps({"query": query}, ensure_ascii=False)


def find_salient_words(texts: Iterable[str], besides: str) -> list[str]:
    """Return the words most texts share: in at least two of them and not in `besides`.

    Most frequent first, then alphabetical.
    """
    known = {stem(word) for word in tokenize(besides)}
    spellings: dict[str, Counter[str]] = {}
    texts_with: Counter[str] = Counter()
    for text in texts:
        stems = set()
        for word in tokenize(text):
            if len(word) < MIN_WORD_LENGTH or not word.isalpha() or word in QUESTION_WORDS:
                continue
            root = stem(word)
            if root in known:
                continue
            stems.add(root)
            spellings.setdefault(root, Counter())[word] += 1
        texts_with.update(stems)
    ranked = sorted((-count, root) for root, count in texts_with.items() if count >= 2)
    salient = []
    for _, root in ranked[:MAX_SALIENT_WORDS]:
        counts = spellings[root]
        salient.append(min(counts, key=lambda word: (-counts[word], word)))
    return salient


# ---------------------------------------------------------------- gaps


def answer_gaps(inputs: Json) -> str:
    """Find what is missing: {question, passages, queries, max_queries} → {"gaps", "queries"}."""
    question = str(inputs["question"])
    passages = inputs["passages"]
    stems_of_passages: list[set[str]] = []
    for passage in passages:
        stems_of_passages.append(_stem_parts(f"{passage.get('title', '')} {passage['text']}"))
    counts: dict[str, int] = {}  # passages that mention each key word
    for word in find_keywords(question):
        if _is_nameable(word):
            parts = _stem_parts(word)
            counts[word] = sum(parts <= stems for stems in stems_of_passages)

    total = len(passages)
    # A word is a gap if less than a quarter of the passages mention it.
    rare = [word for word, count in counts.items() if count * 4 < total or not count]
    common = sorted((word for word in counts if word not in rare), key=lambda word: -counts[word])
    context = [word for word in counts if word in common[:3]]
    gaps = [_describe_gap(word, counts[word], total) for word in rare]
    queries = [" ".join(dict.fromkeys([word, *context])) for word in rare]
    if classify_question(question) == "quantity" and not any(
        _has_digit(passage["text"]) for passage in passages
    ):
        gaps.append("No passage gives a figure.")
        queries.append(" ".join([*counts, FACET_WORDS["quantity"]]))
    limit = int(inputs["max_queries"])
    new = select_distinct(queries, question, *inputs["queries"], limit=limit)
    return json.dumps({"gaps": gaps, "queries": new}, ensure_ascii=False)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _stem_parts(text: str) -> set[str]:
    return {stem(part) for part in tokenize(text)}


def _is_nameable(word: str) -> bool:
    """Return True if a word is long enough to name as missing: "AI" and "2030" are, "im" is not."""
    return len(word) >= MIN_WORD_LENGTH - 1 or word.isupper() or word.isdigit()


def _describe_gap(word: str, count: int, total: int) -> str:
    if not count:
        return f"No passage mentions “{word}”."
    verb = "mentions" if count == 1 else "mention"
    return f"Only {count} of {format_count(total, 'passage')} {verb} “{word}”."


def find_uncovered_words(question: str, texts: Iterable[str]) -> list[str]:
    """Return the key words of the question that no text contains, in any inflection."""
    present: set[str] = set()
    for text in texts:
        present |= _stem_parts(text)
    uncovered = []
    for word in find_keywords(question):
        if _is_nameable(word) and not _stem_parts(word) <= present:
            uncovered.append(word)
    return uncovered
