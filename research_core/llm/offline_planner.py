"""Plan searches without a model: plan, refined query and gaps, by the form of a question.

A query is the topic of the question with its facet, in two to six words. Each answer function takes
the `inputs` of its request kind and returns JSON text, as a language model would.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

from research_core.i18n import N_, gettext, ngettext
from research_core.model_messages import Json
from research_core.text.comparison_question import find_compared_sides
from research_core.text.named_things import NamedThing, find_named_thing, may_name, name_action
from research_core.text.question import find_keywords
from research_core.text.question_parts import (
    MAX_SHORT_WORDS,
    POSITION_WORDS,
    AskedPart,
    condense_question,
    count_unread_questions,
    find_measure,
    is_long_english,
    list_key_words,
    list_telling_words,
    spell_text,
    split_questions,
)
from research_core.text.question_spelling import is_one_slip_away, is_spelled_like
from research_core.text.question_topic import MAX_TOPIC_WORDS, find_numbered_names, names_any
from research_core.text.sentences import find_sentences
from research_core.text.similarity import (
    CUE_ROW_OF,
    FILLER_WORDS,
    is_known_word,
    parse_question,
    rarity,
    word_root,
)
from research_core.text.words import cut_site_name, stem, tokenize, truncate


@dataclass(frozen=True)
class PlanForm:
    """How a kind of question (`question_types`) is planned.

    plan_type: its name in a plan; nouns: facets that a query names, the best first; sub_questions:
    with {question}, {topic} or {measure}. One that uses what a question lacks is left out, and
    so are all if only the question itself is left.
    """

    plan_type: str
    nouns: tuple[str, str, str]
    sub_questions: tuple[str, ...] = ()


ITSELF = "{question}"
#: By the name of a kind of question.
PLAN_FORMS: dict[str, PlanForm] = {
    "comparison": PlanForm("comparison", ("difference", "comparison", "compared")),
    "how much": PlanForm(
        "quantity",
        ("average", "range", "statistics"),
        (ITSELF, "What does the {measure} of {topic} depend on?"),
    ),
    "when": PlanForm("fact", ("date", "history", "timeline")),
    "cause": PlanForm("explanation", ("causes", "reasons", "origin")),
    "effect": PlanForm(
        "explanation",
        ("effects", "consequences", "evidence"),
        (ITSELF, "What do the effects of {topic} depend on?"),
    ),
    "treatment": PlanForm(
        "guidance",
        ("treatment", "therapy", "management"),
        (
            ITSELF,
            "How well do treatments of {topic} work?",
            "What are the risks or side effects of treating {topic}?",
        ),
    ),
    "signs": PlanForm(
        "overview",
        ("signs", "symptoms", "diagnosis"),
        (ITSELF, "What causes {topic}?", "What can be done about {topic}?"),
    ),
    "how to": PlanForm(
        "guidance",
        ("guide", "tips", "mistakes"),
        (
            ITSELF,
            "What do you need to {action}?",
            "What mistakes are common when you {action}?",
        ),
    ),
    "who": PlanForm("fact", ("history", "background", "biography")),
    "where": PlanForm("fact", ("location", "region", "places")),
    "latest": PlanForm(
        "overview",
        ("latest", "news", "update"),
        (ITSELF, "What was known about {topic} before?"),
    ),
    "definition": PlanForm(
        "overview",
        ("definition", "overview", "explained"),
        (ITSELF, "What are the key facts about {topic}?"),
    ),
    "yes or no": PlanForm(
        "overview",
        ("evidence", "review", "arguments"),
        ("What speaks for and against it: {claim}?", "What shows {whether}?"),
    ),
    "list": PlanForm("overview", ("list", "examples", "types")),
    "explanation": PlanForm(
        "explanation",
        ("explained", "mechanism", "process"),
        (ITSELF, "What are the strengths and limits of {device}?"),
    ),
    "overview": PlanForm(
        "overview",
        ("overview", "facts", "research"),
        ("What are the key facts about {topic}?", "What is still open about {topic}?"),
    ),
}
#: By the name of a plan's type.
STRATEGIES = {
    "comparison": "Search each side by itself, then set what the sources say side by side.",
    "quantity": "Search for figures, and for what they depend on.",
    "guidance": "Search for advice, and for what speaks against it.",
    "explanation": "Search for causes and for what follows from them.",
    "fact": "Search for sources that state it directly.",
    "overview": "Search broadly, then narrow down.",
}
#: Sub-questions of any topic, for questions with fewer than MIN_PARTS parts.
GENERAL_SUB_QUESTIONS = (
    "What are the key facts about {topic}?",
    "What do studies and statistics show about {topic}?",
    "What is disputed about {topic}?",
    "What is still open about {topic}?",
)
#: Words of a part's query besides the topic, by the beginning of the part, where its own words are
#: those of a question form and find nothing.
FACETS_BY_OPENING = {
    "What are the key facts about": "overview",
    "What do studies and statistics show about": "research",
    "What is disputed about": "debate",
    "What is still open about": "outlook",
    "What speaks for and against it:": "arguments",
    "What shows": "evidence",
    "What do the effects of": "effects factors",
    "What can be done about": "treatment",
    "What was known about": "history",
    "What are the strengths and limits of": "limitations",
}
SIDE_SUB_QUESTIONS = ("What is known about {one}?", "What is known about {other}?")
#: Sub-questions made from templates: what they name is in the groups.
_TEMPLATE_PATTERNS = tuple(
    re.compile(r"(.+)".join(map(re.escape, re.split(r"{\w+}", template))))
    for template in (
        *GENERAL_SUB_QUESTIONS,
        *SIDE_SUB_QUESTIONS,
        *(text for form in PLAN_FORMS.values() for text in form.sub_questions if text != ITSELF),
    )
)
#: A facet that is no noun: a query names that of the kind of question in its place.
_VERB_FACET = re.compile(
    r"\w+ed|affects?|differs?|different|compares?|harms?|weighs?|define|rid", re.IGNORECASE
)
_COMPARING = re.compile(r"affects?|differs?|different|compares?", re.IGNORECASE)
_PHRASE_BREAK = re.compile(
    r"\b(?:in|for|of|on|at|by|with|from|during|among|about|to|under|between|versus|vs)\b|[,;:()]",
    re.IGNORECASE,
)
#: Words of a query; facets; words of the results in a refined one. A broader query has at most
#: `MAX_TOPIC_WORDS` of the topic.
MAX_WORDS = 6
MAX_FACETS, MAX_COMPANION_WORDS = 2, 2
#: Words of a side of a comparison that a story may name.
MAX_SIDE_WORDS = 3
#: Words of any query; one in another language may hold common words.
MAX_QUERY_WORDS = 12
MAX_SUB_QUESTIONS = 5
#: Parts of a plan by part, at most and at least, and queries of each part at most.
MAX_PARTS, MIN_PARTS, MAX_QUERIES_OF_PART = 6, 4, 2
MIN_WORD_LENGTH = 4
#: A word of the results is taken over only if it is so rare (`rarity`), and if so many results
#: name it in one sentence or title with so many of the topic's words.
MIN_RARITY, MIN_RESULTS, TOPIC_WORDS_BESIDE = 3.0, 2, 2
#: The letters of an unknown word that is mended.
MIN_MENDED_LETTERS = 5
#: A commoner word of a longer question is in no query, if another word names a thing.
MIN_STRONG_RARITY = 2.1


#: What a plan says, in English, of a text that asks more than can be answered at once.
QUESTIONS_NOT_SEARCHED = N_(
    "Only the first {count} questions were searched for. Ask the others separately: {questions}"
)
#: The characters of a question that the note names.
MAX_NAMED_LENGTH = 70


def answer_plan(inputs: Json) -> str:
    """Plan a question: {question, max_queries} → {"type", "strategy", "sub_questions", "queries"}.

    No query repeats the question or another query. With {by_part}, "parts" takes the place of
    "sub_questions": each {"question", "queries"}. A "note" names the questions that are not
    searched for.
    """
    question = str(inputs["question"])
    parts = _split_without_story(question)
    unsearched = [part.text for part in parts[MAX_SUB_QUESTIONS:]]
    parts = parts[:MAX_SUB_QUESTIONS]
    plan_type = classify_for_plan(parts[0])
    plan: dict[str, object] = {"type": plan_type, "strategy": STRATEGIES[plan_type]}
    if unsearched:
        listed = _name_questions(unsearched, count_unread_questions(question))
        plan["note"] = QUESTIONS_NOT_SEARCHED.format(count=len(parts), questions=listed)
    if inputs.get("by_part"):
        plan |= _plan_by_part(question, parts, int(inputs["max_queries"]))
        return json.dumps(plan, ensure_ascii=False)
    plan["sub_questions"] = list_sub_questions(parts)
    plan["queries"] = select_distinct(
        _list_rewritings(question, parts), question, limit=int(inputs["max_queries"])
    )
    return json.dumps(plan, ensure_ascii=False)


def _name_questions(texts: Sequence[str], more: int) -> str:
    """Return a list of questions, long ones shortened, and how many more there are."""
    names = ", ".join(f"“{truncate(text, MAX_NAMED_LENGTH)}”" for text in texts)
    return f"{names} (+{more})" if more else names


def _split_without_story(question: str) -> tuple[AskedPart, ...]:
    """Return the questions of a text; those of a story without the words that name nothing.

    "See", "come", "since" and "doctor" find pages on anything. They stay if no other word of the
    topic names a thing.
    """
    parts = split_questions(question)
    if not is_long_english(question):
        return parts
    return tuple(map(_drop_weak_words, parts))


def _drop_weak_words(part: AskedPart) -> AskedPart:
    if not part.is_told:  # a common word may belong to a name: "first lady"
        return part
    weak = {word for word in (*part.topic, *part.subject) if _is_weak(word)}
    left = [word for word in part.topic if word not in weak]
    if max((rarity(word.lower()) for word in left), default=0.0) < MIN_RARITY:
        return part
    return replace(
        part,
        topic=tuple(map(_cut_possessive, left)),
        words=tuple(_cut_possessive(word) for word in part.words if word not in weak),
        subject=tuple(_cut_possessive(word) for word in part.subject if word not in weak),
    )


def _cut_possessive(word: str) -> str:
    """Return a name without an "s" that lost its apostrophe: "Parkinsons"."""
    bare = word.removesuffix("s")
    is_name = bare != word and not is_known_word(word, exactly=True)
    return bare if is_name and is_known_word(bare, exactly=True) else word


def _is_weak(word: str) -> bool:
    """Return whether a word of a topic is a common verb, tells a place in time, or is a person."""
    if not word.islower() or not word.isalpha():
        return False
    return word in POSITION_WORDS or rarity(word) < MIN_STRONG_RARITY or not may_name(word)


def _list_rewritings(question: str, parts: Sequence[AskedPart]) -> Iterator[str]:
    """Yield queries for all parts of a text in turn, the best first."""
    by_part = [list(_rewrite_part(part)) for part in parts]
    rewritings = [query for query in chain(*zip_longest(*by_part)) if query]
    return _keep_letters(question, rewritings)


def _plan_by_part(question: str, parts: Sequence[AskedPart], max_queries: int) -> Json:
    """Return {"parts", "queries"}: the parts with their queries, and further queries for all."""
    topic = parts[0].list_heaviest(MAX_TOPIC_WORDS)
    # Keep the subject that a letter's question lacks.
    foreign = {part.text: part for part in parts if not part.english}
    rows = []
    known = [question]
    for text in _list_parts(parts)[:max_queries]:
        facets = [facet for opening, facet in FACETS_BY_OPENING.items() if text.startswith(opening)]
        if facets and text not in (part.text for part in parts):
            rewritings = iter([" ".join([*topic, *facets])])
        else:
            rewritings = _rewrite_part(foreign.get(text) or split_questions(text)[0])
        options = _keep_letters(question, rewritings)
        queries = select_distinct(options, *known, limit=MAX_QUERIES_OF_PART)
        known += queries
        rows.append({"question": text, "queries": queries})
    left = max_queries - len(known) + 1
    further = select_distinct(_list_rewritings(question, parts), *known, limit=left)
    return {"parts": rows, "queries": further}


def _list_parts(parts: Sequence[AskedPart]) -> list[str]:
    """Return the questions of a plan by part: those asked, then general ones."""
    texts = list_sub_questions(parts)
    first = parts[0]
    if not texts and first.text.endswith("?"):
        texts = [first.text]
    topic = _address_reader(first.phrase)
    if not topic and first.text.endswith("?"):
        # Words without the verb are no phrase: "remote increase productivity".
        topic = f"it: {_quote_question(first.text)}"
    topic = topic or " ".join(first.list_heaviest(MAX_TOPIC_WORDS))
    if first.english and topic:
        for template in GENERAL_SUB_QUESTIONS:
            text = template.format(topic=topic)
            if len(texts) < MIN_PARTS and text not in texts:
                texts.append(text)
    return texts[:MAX_PARTS]


def classify_for_plan(part: AskedPart) -> str:
    """Return the type of plan for a question; a comparison without two sides is an overview."""
    if part.kind.name == "comparison" and split_comparison(part.text) is None:
        return "overview"
    return PLAN_FORMS[part.kind.name].plan_type


# ---------------------------------------------------------------- sub-questions


def list_sub_questions(parts: Sequence[AskedPart]) -> list[str]:
    """Return the questions that answer a text in parts: several questions are their own parts."""
    if len(parts) > 1:
        return [part.text for part in parts]
    part = parts[0]
    if not part.english:
        return []
    values = _list_values(part)
    templates = PLAN_FORMS[part.kind.name].sub_questions
    if "one" in values:
        templates = (*SIDE_SUB_QUESTIONS, ITSELF)
    filled = []
    for template in templates:
        if all(name in values for name in re.findall(r"{(\w+)}", template)):
            filled.append(template.format(**values))
    return filled if filled != [part.text] else []


_ACTION = re.compile(
    r"^(?:how (?:to|(?:do|can|should|could|would) (?:i|you|we|one|people))"
    r"|what is the (?:best|easiest|safest|fastest|right) way to)"
    r" (?P<action>(?!(?:go|set) about\b)[^,;?]{3,80}?)\??$",
    re.IGNORECASE,
)
#: Kinds whose own facets stay in every query; the facets of others are named by other words.
_KEEPING_FACETS = frozenset(("how much", "overview", "list", "definition"))
#: Kinds of question that only the facet describes, and synonyms of such facets by their root.
_NAMED_BY_FACET = frozenset(("list", "overview"))
OTHER_FACETS: dict[str, tuple[str, ...]] = {
    word_root(facet): tuple(others.split())
    for facet, others in {
        "advantage": "benefits strengths", "application": "uses examples",
        "benefit": "advantages effects",
        "challenge": "problems obstacles", "characteristic": "features properties",
        "disadvantage": "drawbacks limitations", "drawback": "disadvantages limitations",
        "feature": "characteristics properties", "hazard": "risks dangers",
        "kind": "types examples",
        "law": "legislation regulation", "limitation": "drawbacks disadvantages",
        "problem": "challenges issues", "property": "characteristics features",
        "regulation": "rules law", "risk": "impacts hazards", "rule": "regulations requirements",
        "stage": "phases timeline", "type": "kinds examples", "use": "applications examples",
    }.items()
}  # fmt: skip
_WORKS = re.compile(r"^how (?:do|does) .* (?:work|function|operate)\b", re.IGNORECASE)
#: Kinds of question whose noun names a side of the thing. Of a story it is left out for others
#: ("evidence", "guide"), as it finds pages on other things.
_SIDE_KINDS = frozenset("cause effect treatment signs when latest comparison".split()) | {
    "how much"
}
#: Measures that depend on something; the length of a river does not.
_VARYING_MEASURES = frozenset(("cost", "speed", "temperature", "weight"))
_PERSONS = {"my": "your", "our": "your", "me": "you", "us": "you", "i": "you", "we": "you"}


def _list_values(part: AskedPart) -> dict[str, str]:
    """Return what the templates of sub-questions may name, as far as the question shows it."""
    values: dict[str, str] = {}
    if part.text.endswith("?"):
        values["question"] = part.text
    if part.phrase:
        values["topic"] = _address_reader(part.phrase)
    measure = find_measure(part)
    if measure in _VARYING_MEASURES:
        values["measure"] = measure
    action = _ACTION.match(part.text)
    if action:
        values["action"] = _address_reader(action["action"])
    if part.phrase and _WORKS.match(part.text):
        values["device"] = values["topic"]
    if part.kind.name == "yes or no":
        bare = _quote_question(part.text)
        name = "whether" if bare.startswith("whether ") else "claim"
        values[name] = bare
    if part.kind.name == "comparison":
        values |= dict(zip(("one", "other"), _name_sides(part.text), strict=False))
    return values


def _quote_question(text: str) -> str:
    """Return a question as the end of another one: "does remote work pay"."""
    bare = _address_reader(text.rstrip(" ?"))
    return f"{bare[:1].lower()}{bare[1:]}"


def _name_sides(text: str) -> tuple[str, ...]:
    """Return the two sides as phrases; of "buying or leasing a car" both with "a car"."""
    sides = split_comparison(text)
    compared = find_compared_sides(text)
    if not compared:
        if sides is None or _ACTIONS_PATTERN.search(text):
            return ()
        return " ".join(sides[0]), " ".join(sides[1])
    one, other = compared.names
    lacking = sides[0][len(find_keywords(one)) :] if sides else []
    if lacking and other.split()[-len(lacking) :] == lacking:
        one = " ".join([one, *other.split()[len(one.split()) :]])
    return one, other


def _address_reader(text: str) -> str:
    """Return a text in which "I" and "my" are "you" and "your"; "US" is a country."""
    if re.search(r"\bam\b", text, re.IGNORECASE):
        return text
    words = []
    for word in text.split(" "):
        spoken = word if word == "I" or not word.isupper() else ""
        words.append(_PERSONS.get(spoken.lower(), word))
    return " ".join(words)


# ---------------------------------------------------------------- comparisons

#: Its sides are actions ("buy or lease a car"), which no sub-question can name.
_ACTIONS_PATTERN = re.compile(
    r"\b(?:should (?:i|you|we|one)|better to)\b(.+?)\bor\b(?: should (?:i|you|we|one)\b)?(.+)",
    re.IGNORECASE,
)
#: Characters of a question in which its two sides are looked for.
MAX_COMPARED_LENGTH = 300
_SIDES_PATTERNS = (
    re.compile(r"\bdifferences?\b.*?\bbetween\b(.+?)\band\b(.+)", re.IGNORECASE),
    re.compile(
        r"(.+?)\b(?:vs\b\.?|versus|compared? (?:to|with|against)|as opposed to|differs?"
        r" from|different from)(.+)",
        re.IGNORECASE,
    ),
    re.compile(r"\bcompar\w*\b(.+?)\b(?:and|with|to)\b(.+)", re.IGNORECASE),
    re.compile(r"[,:](.+?)\bor\b(.+)", re.IGNORECASE),
    _ACTIONS_PATTERN,
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
        match = pattern.search(question[:MAX_COMPARED_LENGTH])
        if not match:
            continue
        left = find_keywords(match[1])
        right = find_keywords(match[2])
        if left and right and left != right:
            shared = right[len(left) :]
            return left + [word for word in shared if word not in left], right
    return None


# ---------------------------------------------------------------- queries


def _rewrite_part(part: AskedPart) -> Iterator[str]:
    """Yield queries for one question, the best first."""
    if not part.english:
        yield from _rewrite_foreign(part)
        return
    form = PLAN_FORMS[part.kind.name]
    sides = split_comparison(part.text) if part.kind.name == "comparison" else None
    if sides and part.is_told and max(map(len, sides)) > MAX_SIDE_WORDS:  # of a story
        sides = None
    facets = _list_facets(part)
    topic = part.list_heaviest(MAX_WORDS - len(facets))
    first = _order_words(part, topic, facets)
    own = part.list_own_words()
    if part.is_told and part.subject and {*part.subject} <= {*own} and len(own) <= MAX_WORDS:
        first = own  # the question names the subject of the story beside other things
    if sides:
        compared = {word.lower() for word in chain(*sides)}
        criteria = [word for word in part.topic if word.lower() not in compared]
        if not criteria and min(map(len, sides)) == 1:  # one word alone finds anything
            yield " ".join(first)
        for side in sides:
            yield " ".join([*side, *criteria])
    yield " ".join(first)
    action = name_action(part.text) if part.kind.name == "how to" and not part.is_told else ""
    if action:  # as titles name it
        yield " ".join([action, *facets])
    yield " ".join(_list_asked_words(part, first))
    broader = part.list_heaviest(min(MAX_TOPIC_WORDS, max(1, len(topic) - 1)))
    if part.subject:
        yield " ".join([*part.subject, *(word for word in facets if word not in part.subject)])
    elif len(topic) >= MAX_TOPIC_WORDS:
        yield " ".join(_order_words(part, broader, facets))
    for facet, other in _list_other_facets(part, facets):
        yield " ".join(other if word == facet else word for word in first)
    base = topic
    if part.kind.name in _KEEPING_FACETS:
        base = _order_words(part, topic, [word for word in facets if word not in form.nouns])
    for noun in () if part.kind.name == "list" and part.facets else form.nouns:
        yield " ".join([*base, noun])
    yield " ".join(broader)


def _rewrite_foreign(part: AskedPart) -> Iterator[str]:
    """Yield queries for a question in another language: its own words, all or fewer.

    One of a letter that does not name its subject has that in every query.
    """
    yield " ".join(part.words)
    if part.context:
        rest = [word for word in part.words if word not in part.context]
        yield " ".join([*part.context, max(rest, key=len, default="")])
        yield " ".join([*part.context[: MAX_TOPIC_WORDS - 2], *rest])
        yield " ".join(part.context)
        return
    pieces = [piece for piece in map(find_keywords, _PHRASE_BREAK.split(part.text)) if piece]
    broader = [word for piece in pieces[:-1] for word in piece]
    yield " ".join(broader if len(broader) >= 2 else ())
    yield " ".join(word for word in part.words if len(word) >= MIN_WORD_LENGTH)
    longest = sorted(part.words, key=len, reverse=True)[: MAX_TOPIC_WORDS - 1]
    yield " ".join(word for word in part.words if word in longest)


def _list_facets(part: AskedPart) -> list[str]:
    """Return what a query names beside the topic: the question's facets, else the kind's noun."""
    nouns = [word for word in part.facets if not _VERB_FACET.fullmatch(word)]
    measure = find_measure(part)
    nouns = nouns[:MAX_FACETS]
    if nouns or (part.kind.name == "overview" and len(part.topic) > MAX_FACETS):
        return nouns
    if part.is_told and part.subject and part.kind.name not in _SIDE_KINDS:
        return []
    return [measure or PLAN_FORMS[part.kind.name].nouns[0]]


def _list_other_facets(part: AskedPart, facets: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield facets that the question names with other words for them, if its kind has no own."""
    if part.kind.name not in _NAMED_BY_FACET:
        return
    for facet in facets:
        for other in OTHER_FACETS.get(word_root(facet.lower()), ()):
            yield facet, other


def _list_asked_words(part: AskedPart, first: Sequence[str]) -> list[str]:
    """Return the words that the question of a story has itself, if the first query lacks most."""
    if not part.is_told or not part.subject:
        return []
    own = part.list_own_words()
    held = sum(word in first for word in own)
    return own[:MAX_WORDS] if 2 * held <= len(own) else []


def _order_words(part: AskedPart, topic: Sequence[str], facets: Sequence[str]) -> list[str]:
    """Return topic and facets in the order of the question, then facets that it lacks.

    The topic of a story comes first.
    """
    if part.is_told and part.subject:
        return [*topic, *(facet for facet in facets if facet not in topic)]
    kept = [word for word in part.words if word in topic or word in facets]
    return [*kept, *(facet for facet in facets if facet not in kept)]


def _keep_letters(question: str, queries: Iterable[str]) -> Iterator[str]:
    """Yield queries in which a name of a story keeps its letter or number: "vitamin D"."""
    is_told = split_questions(question)[0].is_told
    named = find_numbered_names(question) if is_told else {}
    labels = {root: min(given).upper() for root, given in named.items()}
    for query in queries:
        words = []
        for word in query.split():
            label = labels.get(word_root(word.lower()), "")
            words += [word, label] if label and label not in query.split() else [word]
        yield " ".join(words)


def select_distinct(queries: Iterable[str], *known: str, limit: int) -> list[str]:
    """Return the first `limit` queries that differ from each other and from the known texts.

    Two with the same words in another order do not differ. Queries are cut to `MAX_QUERY_WORDS`;
    those without words are left out.
    """
    seen = {tuple(sorted(tokenize(text))) for text in known}
    seen.add(())
    kept: list[str] = []
    for query in queries:
        words_once = dict.fromkeys(query.split())
        cut = " ".join(list(words_once)[:MAX_QUERY_WORDS])
        words = tuple(sorted(tokenize(cut)))
        if words not in seen:
            seen.add(words)
            kept.append(cut)
    return kept[: max(0, limit)]


# ---------------------------------------------------------------- queries to suggest

#: Words of a topic that can be searched for; a longer one is rather a sentence.
MAX_CLEAR_WORDS = 4
#: The rarity (`rarity`) from which the first words of a story name what it is about.
MIN_SUBJECT_RARITY = 5.0
#: Facets of a comparison that are no nouns.
_COMPARATIVE = re.compile(r"\w+er|more|less|worse|causes?", re.IGNORECASE)
_POINTS_TO_OTHER = re.compile(
    r"\b(?:this|that|these|those|it|its|he|she|his|her|they|their|my|your|our|i|you|we)\b",
    re.IGNORECASE,
)


#: Kinds of questions whose general words suit no topic in particular: "heat pumps average".
_VAGUE_KINDS = frozenset({"how much", "when", "who", "where", "explanation"})


def name_topic(question: str) -> str:
    """Return the topic of an English question if it shows it as the name of a thing, else ""."""
    part = split_questions(question)[0]
    return " ".join(_find_clear_topic(question, part)) if part.english else ""


def suggest_searches(
    question: str, tried: Iterable[str], limit: int, *, with_general: bool = True
) -> list[str]:
    """Return up to `limit` queries that were not tried: the topic of an English question, a facet.

    None where the question does not show its topic as the name of a thing. with_general: also with
    general words for kinds of questions where those suit few topics.
    """
    part = split_questions(question)[0]
    if not part.english:
        return []
    options = _name_sides_with_facets(question, part)
    topic = _find_clear_topic(question, part)
    if topic and not options:
        options = _add_facets(part, topic, with_general=with_general)
    return select_distinct(options, question, *tried, limit=limit)


def _name_sides_with_facets(question: str, part: AskedPart) -> list[str]:
    """Return a query for each side of a comparison, or one for both; none if a side is unclear."""
    sides = find_compared_sides(part.text)
    if sides is None or len(split_questions(question)) > 1 or _POINTS_TO_OTHER.search(question):
        return []
    facets = [word for word in _list_facets(part) if word in part.facets]
    facets = [word for word in facets if not _COMPARATIVE.fullmatch(word)]
    one, other = (
        [word for word in find_keywords(name) if word not in part.facets] for name in sides.names
    )
    if not one or not other:
        return []
    if max(len(one), len(other)) > MAX_CLEAR_WORDS:
        return []
    both = [*one, *(word for word in other if word not in one)]
    if facets:
        return [" ".join([*side, *facets]) for side in (one, other)]
    return [" ".join([*both, noun]) for noun in PLAN_FORMS["comparison"].nouns]


def _find_clear_topic(question: str, part: AskedPart) -> list[str]:
    """Return the words of the topic if the question shows it as the name of a thing, else [].

    The subject of a text that tells a story counts if it is named again and no common word.
    """
    words = question.lower().split()
    topic = find_keywords(part.phrase)
    if len(words) > MAX_SHORT_WORDS or len(split_questions(question)) > 1:
        topic = []
        counts = Counter(tokenize(question))
        if part.subject and all(
            counts[token] > 1 and rarity(token) >= MIN_SUBJECT_RARITY
            for word in part.subject
            for token in tokenize(word)
        ):
            topic = list(part.subject)
    elif _POINTS_TO_OTHER.search(part.phrase):
        return []
    elif not topic and len(part.topic) == 1:
        topic = list(part.topic)
    return topic if len(topic) <= MAX_CLEAR_WORDS else []


def _add_facets(part: AskedPart, topic: Sequence[str], *, with_general: bool) -> list[str]:
    """Return queries of the topic with the facets of the question, then with those of its kind."""
    kind = "overview" if part.kind.name == "comparison" else part.kind.name
    own = _list_facets(part)
    choices = [own, *([other] for _, other in _list_other_facets(part, own))]
    suits = with_general or kind not in _VAGUE_KINDS
    if suits and not (kind == "list" and part.facets):
        choices += [[noun] for noun in PLAN_FORMS[kind].nouns]
    roots = {word_root(word.lower()) for word in topic}
    queries: list[str] = []
    for facets in choices:
        added = [facet for facet in facets if word_root(facet.lower()) not in roots]
        if added:
            queries.append(" ".join([*topic, *added]))
            roots.update(word_root(facet.lower()) for facet in added)
    return queries


def list_topic_words(question: str) -> list[str]:
    """Return the words that a question is taken to be about, at most `MAX_TOPIC_WORDS`."""
    return split_questions(question)[0].list_heaviest(MAX_TOPIC_WORDS)


# ---------------------------------------------------------------- refine


def answer_refine(inputs: Json) -> str:
    """Refine a query: {question, snippets} → {"query"}, of the topic and words found beside it."""
    question = str(inputs["question"])
    part = _split_without_story(question)[0]
    topic = part.list_heaviest(MAX_TOPIC_WORDS - 1)
    facets = _list_facets(part)[:1] if part.english else []
    titled = find_titled_topic(question, inputs["snippets"]) if part.is_told else ()
    found = find_companion_words(inputs["snippets"], topic, question)
    options = []
    if titled:
        options.append(" ".join([*titled, *facets]))
    if part.is_told and part.subject:
        options.append(" ".join([*part.subject, *facets]))
    if found:
        options.append(" ".join([*_order_words(part, topic, facets), *found]))
    planned = list(_rewrite_part(part))
    options += [*planned[2:], *planned[:2]]  # a plan has two
    if part.english:
        texts = [
            f"{result.get('title', '')} {result.get('snippet', '')}"
            for result in inputs["snippets"]
        ]
        options = _mend_names(options, texts)
    distinct = select_distinct(_keep_letters(question, options), question, limit=1)
    query = distinct[0] if distinct else " ".join(part.words) or question
    return json.dumps({"query": query}, ensure_ascii=False)


def _mend_names(queries: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Return queries in which an unknown word is spelled as texts spell one that is like it.

    Queries with such a word come first: no page holds the slip.
    """
    tokens = frozenset(token for text in texts for token in tokenize(text))
    mended: list[str] = []
    plain: list[str] = []
    for query in queries:
        words = [_mend_name(word, tokens) for word in query.split()]
        (plain if words == query.split() else mended).append(" ".join(words))
    return [*mended, *plain]


def _mend_name(word: str, tokens: Collection[str]) -> str:
    lowered = word.lower()
    is_unknown = lowered.isalpha() and not is_known_word(lowered, exactly=True)
    if not is_unknown or len(word) < MIN_MENDED_LETTERS or lowered in tokens:
        return word
    near = [token for token in tokens if is_spelled_like(lowered, token)]
    return max(near, key=lambda token: (is_one_slip_away(lowered, token), token), default=word)


def find_titled_topic(question: str, results: Iterable[Json]) -> tuple[str, ...]:
    """Return the words of the heaviest thing that a title of the results and the question name.

    results: {title, snippet}. Things of the subject come before others. One that the question names
    only in part counts if it has no word of the subject. Words of the subject beside the thing in
    the title are added. Empty if no title names a thing of the question.
    """
    subject = split_questions(question)[0].subject
    spelled, asked = spell_text(question), condense_question(question)
    roots = frozenset(map(word_root, tokenize(" ".join(subject))))
    titles: dict[NamedThing, str] = {}
    for result in results:
        title, snippet = str(result.get("title", "")), str(result.get("snippet", ""))
        thing = find_named_thing(spelled, title, [snippet])
        if thing is None or not thing.may_be_asked_in(asked):
            continue
        if thing.is_whole or not names_any(" ".join(thing.words), roots):
            titles.setdefault(thing, title)
    ranked = sorted(
        titles,
        key=lambda thing: (
            not names_any(" ".join(thing.words), roots),
            not thing.is_whole,
            -thing.weight,
        ),
    )
    if not ranked:
        return ()
    words = ranked[0].words
    of_thing = frozenset(map(word_root, words))
    of_title = frozenset(map(word_root, tokenize(titles[ranked[0]])))
    beside = [
        word for word in subject if names_any(word, of_title) and not names_any(word, of_thing)
    ]
    return (*words, *beside)


def find_companion_words(results: Iterable[Json], topic: Sequence[str], question: str) -> list[str]:
    """Return words of two or more results that stand beside the topic in a sentence or title.

    results: {title, snippet}. Most frequent first, then the rarest; the question's words and very
    common ones are left out. The same text counts once. If the question asks for a figure ("how
    much … earn"), only what stands beside a word for what it measures counts.
    """
    known = {word_root(word) for word in tokenize(question)}
    asks_figure = parse_question(question).form.exact
    asked_sides = _find_sides(tokenize(question)) if asks_figure else set()
    wanted = {word_root(token) for word in topic for token in tokenize(word)}
    least = min(TOPIC_WORDS_BESIDE, len(wanted))
    spellings: dict[str, Counter[str]] = {}
    results_with: Counter[str] = Counter()
    title_of = {str(result.get("snippet", "")): str(result.get("title", "")) for result in results}
    for snippet, title in title_of.items():
        roots: set[str] = set()
        for unit in _list_units(title, snippet):
            words = {word: word_root(word) for word in tokenize(unit)}
            if not wanted or len(wanted.intersection(words.values())) < least:
                continue
            if asked_sides and asked_sides.isdisjoint(_find_sides(words)):
                continue
            for word, root in words.items():
                if root not in known and _may_refine(word):
                    roots.add(root)
                    spellings.setdefault(root, Counter())[word] += 1
        results_with.update(roots)
    ranked = sorted(
        (-count, -rarity(root), root)
        for root, count in results_with.items()
        if count >= MIN_RESULTS
    )
    companions = []
    for _, _, root in ranked[:MAX_COMPANION_WORDS]:
        counts = spellings[root]
        companions.append(min(counts, key=lambda word: (-counts[word], word)))
    return companions


def _find_sides(words: Iterable[str]) -> set[int]:
    """Return the sides that words name, as the numbers of rows of `CUE_ROWS`."""
    # The root of "where" is that of "whereas", which compares.
    roots = {word_root(word) for word in words if word != "where"}
    return {CUE_ROW_OF[root] for root in roots if root in CUE_ROW_OF}


def _list_units(title: str, snippet: str) -> Iterator[str]:
    """Yield the title, without the name of the site at its end, and each sentence."""
    yield cut_site_name(title)
    for start, end in find_sentences(snippet):
        yield snippet[start:end]


def _may_refine(word: str) -> bool:
    """Return True for a word that can narrow a search: long, of letters and not very common."""
    is_plain = len(word) >= MIN_WORD_LENGTH and word.isalpha() and word not in FILLER_WORDS
    return is_plain and rarity(word) >= MIN_RARITY


# ---------------------------------------------------------------- gaps

NO_FIGURE = N_("No passage gives a figure.")
NO_MENTION = N_("No passage mentions “{word}”.")


def answer_gaps(inputs: Json) -> str:
    """Find what is missing: {question, passages, queries, max_queries} → {"gaps", "queries"}.

    A query is the topic with the missing word. {parts}, questions, are looked at too, without the
    words of the templates that they were made from.
    """
    question = str(inputs["question"])
    passages = inputs["passages"]
    stems_of_passages: list[set[str]] = []
    for passage in passages:
        stems_of_passages.append(_stem_parts(f"{passage.get('title', '')} {passage['text']}"))
    total = len(passages)
    gaps: list[str] = []
    queries: list[str] = []
    asked = list(_split_without_story(question))
    for text in inputs.get("parts", ()):
        asked += split_questions(_cut_template(text))
    for part in asked:
        topic = part.list_heaviest(MAX_TOPIC_WORDS - 1)
        telling_words = list_telling_words(part)
        for word in part.words:
            if not _is_nameable(word) or word in telling_words:
                continue
            count = sum(_is_mentioned(word, stems) for stems in stems_of_passages)
            gap = _describe_gap(word, count, total)
            # A word is a gap if less than a quarter of the passages mention it.
            if gap not in gaps and (count * 4 < total or not count):
                gaps.append(gap)
                queries.append(" ".join(_order_words(part, [*topic, word], ())))
        if part.kind.name == "how much" and not any(
            _has_digit(passage["text"]) for passage in passages
        ):
            if gettext(NO_FIGURE) not in gaps:
                gaps.append(gettext(NO_FIGURE))
            noun = PLAN_FORMS[part.kind.name].nouns[0]
            queries.append(" ".join([*_order_words(part, topic, _list_facets(part)), noun]))
    limit = int(inputs["max_queries"])
    if asked[0].english:
        queries = _mend_names(
            queries, [f"{each.get('title', '')} {each['text']}" for each in passages]
        )
    new = select_distinct(
        _keep_letters(question, queries), question, *inputs["queries"], limit=limit
    )
    return json.dumps({"gaps": gaps, "queries": new}, ensure_ascii=False)


def _cut_template(text: str) -> str:
    """Return what a sub-question names, if it was made from a template, else the whole of it."""
    for pattern in _TEMPLATE_PATTERNS:
        match = pattern.fullmatch(text)
        if match:
            return " ".join(match.groups())
    return text


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _stem_parts(text: str) -> set[str]:
    return {stem(part) for part in tokenize(text)}


def _is_mentioned(word: str, stems: set[str]) -> bool:
    """Return True if stems hold a word in any inflection; a word of comparing need not be named.

    "treated" is mentioned by "treatment" too.
    """
    if _COMPARING.fullmatch(word) or _stem_parts(word) <= stems:
        return True
    root = stem(word.lower())
    return word.endswith("ed") and any(other.startswith(root) for other in stems)


def _is_nameable(word: str) -> bool:
    """Return True if a word is long enough to name as missing: "AI" and "2030" are, "im" is not."""
    return len(word) >= MIN_WORD_LENGTH - 1 or word.isupper() or word.isdigit()


def _describe_gap(word: str, count: int, total: int) -> str:
    """Say how many passages mention a word: none, or fewer than enough. total: above 0."""
    if not count:
        return gettext(NO_MENTION).format(word=word)
    words = ngettext(
        "Only {count} of {total:,} passages mentions “{word}”.",
        "Only {count} of {total:,} passages mention “{word}”.",
        count,
    )
    return words.format(count=count, total=total, word=word)


def find_uncovered_words(question: str, texts: Iterable[str]) -> list[str]:
    """Return the key words of the question that no text contains, in any inflection."""
    present: set[str] = set()
    for text in texts:
        present |= _stem_parts(text)
    uncovered = []
    for word in list_key_words(question):
        if _is_nameable(word) and not _is_mentioned(word, present):
            uncovered.append(word)
    return uncovered
