"""Find the thing that a text of several sentences is about, and decide whether a title names it.

A letter names its thing among many words that only give background. The thing is the heaviest run of
neighbouring words in it, or what the title of a page names: "Nasal spray - overview" is about a
nasal spray. Goes by the form of English texts and by no subject.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from research_core.text.question_subject import COURTESY_WORDS, LETTER_WORDS
from research_core.text.question_topic import (
    FACET_WORDS,
    MIN_NAME_RARITY,
    are_spellings_of_one,
    find_numbered_names,
    find_synonyms,
    find_topic,
    names_any,
)
from research_core.text.sentences import find_sentences
from research_core.text.similarity import content_tokens, is_question, rarity, word_root
from research_core.text.topic_naming import find_runs
from research_core.text.words import tokenize

#: Words of a run; it names a thing if its words are so much rarer than this together.
MAX_RUN_WORDS = 4
COMMON_RARITY, MIN_RUN_WEIGHT = 3.2, 1.0
#: The share of its weight that a run keeps for each time it was named before.
REPEATED_SHARE = 0.5
#: Words that weigh nothing beside others: their rarity is counted from here, and at least so much.
LIGHT_RARITY, LEAST_WEIGHT = 1.5, 0.2
#: A title names the thing if the text holds so much of its words, by weight, and all but these are
#: none that is rarer than those held; and if those held are so much of a run of the text.
MIN_NAMED, MIN_OF_RUN = 0.66, 0.45
#: The letters of both parts of a word that is also written as two, and of initials; and the rarity
#: of another name of a thing.
MIN_JOINED_LETTERS, MIN_INITIALS, MIN_OTHER_NAME_RARITY = 3, 3, 4.0
#: Words of titles that name the kind of page or its readers and not its thing, where they stand
#: alone, in a question, or before "of" or "to".
_FRAME_WORDS = frozenset(
    map(
        word_root,
        """
        answer article brand care checklist complete doctor dosage essential explanation faq guide
        handbook home homepage information introduction manual medication medicine official online
        overview page prescribe prescription profile question resource self site summary topic
        tutorial website wiki
        """.split(),
    )
)
#: Nouns that belong to the name before them though they name no thing themselves.
_HEAD_BEHIND = re.compile(
    r"(?:['’]s)? (condition|disease|disorder|method|process|syndrome|test|theory)\b", re.IGNORECASE
)
_UNITS = frozenset("kg km lb lbs mg mcg ml mm cm hr hrs yr yrs yo mo mos wk wks am pm etc".split())
_NAMELESS_WORDS = COURTESY_WORDS | LETTER_WORDS | _UNITS
#: A verb before a name, if it is so much commoner than the name, and a word behind one.
_VERB_BEFORE, _WORD_BEHIND = re.compile(r"\w{2,}(?:ed|ing)"), re.compile(r"\w{2,}(?:ly|ed)")
MIN_COMMONER = 0.8
#: The letters of a name that is not written in capitals.
MIN_NAME_LETTERS = 3
#: Those whom a letter says to have asked.
_PROFESSIONS = frozenset(
    """
    allergist anaesthetist anesthesiologist anesthetist audiologist beautician cardiologist
    chiropractor clinician dermatologist dietician dietitian electrician endocrinologist
    gastroenterologist geriatrician gynaecologist gynecologist haematologist hematologist
    hepatologist immunologist internist midwife nephrologist neurologist notary nutritionist
    obstetrician oncologist ophthalmologist optician optometrist orthodontist orthopedist osteopath
    otolaryngologist paediatrician pathologist pediatrician periodontist physiotherapist podiatrist
    psychiatrist psychologist psychotherapist pulmonologist radiologist rheumatologist statistician
    surgeon technician therapist urologist
    """.split()
)
#: Words behind which the name of a place or a person of the story stands, and those that make
#: "from" name no place.
_PLACE_WORDS = frozenset("in at near".split())
_PERSON_WORDS = frozenset(
    """
    accountant adviser advisor agent aunt boss boyfriend brother captain chef coach colleague cousin
    coworker dad daughter dealer doctor dr father friend girlfriend grandfather grandmother husband
    judge landlady landlord lawyer manager mate mechanic miss mother mr mrs ms mum neighbor neighbour
    nephew niece partner physio prof professor referee sister sir son teacher teammate trainer tutor
    umpire uncle wife
    """.split()
)
_TAKES_FROM = frozenset(
    """
    die died dies dying effects prevent protect recover recovered recovering relief result resulted
    results suffer suffered suffering suffers switch switched symptoms withdraw withdrawal
    withdrawing
    """.split()
)
_PROPER_NAME, _PLAIN_WORD = re.compile(r"[A-Z][a-z]+(?:['’]s)?"), re.compile(r"[\w'’]+")
_BRACKET = re.compile(r"(?<!\s)\s*(?:\([^()]*\)|\[[^\[\]]*\])")
_SITE_BEFORE = re.compile(r"^[^»]{1,40}»\s*")
_SITE_BEHIND = re.compile(
    r"(?<!\s)\s+(?:[|–—·»]|-(?=\s{1,300}\S{1,300}$|\s{1,300}[A-Z]))\s{1,300}[^|–—·»]{1,40}$"
)
_TITLE_BREAK = re.compile(r":\s|\s[–—-]\s|[?!;]\s?|\s\|\s")
_OF_THING = re.compile(r"\b(?:of|for|to|about|on)\b", re.IGNORECASE)
_QUALIFIER = re.compile(r"\b(?:with|in|during|after|among|from|without)\b", re.IGNORECASE)


@dataclass(frozen=True)
class TitledThing:
    """What a title names.

    words: of the thing, in lower case, without what stands behind "with" or "in"; initials: of all
    words of the title's piece.
    """

    words: tuple[str, ...]
    initials: str


@dataclass(frozen=True)
class NamedThing:
    """The thing of a title that a text names.

    words: in lower case; weight: of all words together; named: the words or the other name by which
    the text names it; is_whole: the text holds every word.
    """

    words: tuple[str, ...]
    weight: float
    named: tuple[str, ...]
    is_whole: bool

    def is_asked_in(self, asked: str) -> bool:
        """Return whether the asking sentences name it; other things are circumstances."""
        rarest = max(self.named, key=rarity)
        return names_any(rarest, frozenset(_find_roots(tokenize(asked))))

    def may_be_asked_in(self, asked: str) -> bool:
        """Return whether the asking sentences name it, or it is a very rare name."""
        return rarity(max(self.named, key=rarity)) >= MIN_NAME_RARITY or self.is_asked_in(asked)


# ---------------------------------------------------------------- the text


def find_heaviest_run(text: str) -> tuple[str, ...]:
    """Return the neighbouring words of an English text that most likely name its thing.

    As spelled, at most `MAX_RUN_WORDS`; empty if all are common. A run that is named again weighs
    more.
    """
    weights: dict[tuple[str, ...], float] = {}
    spellings: dict[tuple[str, ...], tuple[str, ...]] = {}
    for run in list_runs(text):
        weight = sum(max(0.0, _weigh(word) - COMMON_RARITY) for word in run)
        roots = tuple(root for word in run for root in map(word_root, tokenize(word)))
        spellings.setdefault(roots, run)
        weights[roots] = weight + REPEATED_SHARE * weights.get(roots, 0.0)
    heaviest = max(weights, key=lambda roots: weights[roots], default=())
    return spellings[heaviest] if heaviest and weights[heaviest] >= MIN_RUN_WEIGHT else ()


@lru_cache(maxsize=256)
def list_runs(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the runs of neighbouring words that name something, without quantities and courtesy.

    A noun like "syndrome" belongs to the run before it. Of a longer run the rarest end is kept.
    """
    runs: list[tuple[str, ...]] = []
    for start, end in find_sentences(text):
        sentence = text[start:end]
        for run in find_runs(sentence):
            written = run.written
            if not is_question(sentence):
                written = written[_count_story_names(written, run.before) :]
            words = _trim_run([word for word in written if may_name(word)])
            head = _find_head(sentence, run.written)
            if head:
                words.append(head)
            while len(words) > MAX_RUN_WORDS:
                del words[0 if _weigh(words[0]) < _weigh(words[-1]) else -1]
            if words:
                runs.append(tuple(dict.fromkeys(words)))
    return tuple(runs)


def _count_story_names(written: Sequence[str], before: Sequence[str]) -> int:
    """Return how many words of a run name a place or a person: "in Denver", "our coach Wilson".

    before: the words of the sentence before the run, in lower case.
    """
    count = 0
    while count < len(written) and _is_person_word(written[count]):
        count += 1
    is_introduced = count > 0 or _introduces_name(before)
    while is_introduced and count < len(written) and _PROPER_NAME.fullmatch(written[count]):
        count += 1
    has_name = count > 0 and _PROPER_NAME.fullmatch(written[count - 1])
    return count if has_name else 0


def _introduces_name(before: Sequence[str]) -> bool:
    """Return whether the name of a place or a person stands behind these words."""
    last = before[-1].lower() if before else ""
    if last == "from":
        return _TAKES_FROM.isdisjoint(word.lower() for word in before[-3:])
    return last in _PLACE_WORDS or _is_person_word(last)


def _is_person_word(word: str) -> bool:
    return word.lower().rstrip(".") in _PERSON_WORDS


def names_place_or_person(text: str, title: str) -> bool:
    """Return whether a title is a name alone that a text first has behind "in", "coach" or "Mr"."""
    name = title.strip()
    words = name.split()
    if not words or not all(map(_PROPER_NAME.fullmatch, words)):
        return False
    first = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    return first is not None and _introduces_name(_PLAIN_WORD.findall(text[: first.start()]))


def _trim_run(words: list[str]) -> list[str]:
    """Return a run without a verb before its name ("prescribed") or an adverb behind it."""
    rarest = max(map(_weigh, words), default=0.0)
    for place in range(len(words) - 2, -1, -1):
        word = words[place].lower()
        if _VERB_BEFORE.fullmatch(word) and _weigh(word) <= rarest - MIN_COMMONER:
            if max(map(_weigh, words[place + 1 :])) == rarest:
                words = words[place + 1 :]
            break
    while len(words) > 1 and _WORD_BEHIND.fullmatch(words[-1].lower()):
        words = words[:-1]
    return words


def _find_head(sentence: str, written: Sequence[str]) -> str:
    """Return the noun behind a run that belongs to its name, or ""."""
    lowered, last = sentence.lower(), written[-1].lower()
    place = lowered.find(last)
    while place >= 0:
        behind = _HEAD_BEHIND.match(sentence, place + len(last))
        if behind and not lowered[:place][-1:].isalnum():
            return behind[1]
        place = lowered.find(last, place + 1)
    return ""


def may_name(word: str) -> bool:
    """Return whether a word of a letter can name its thing: no courtesy, person or unit."""
    tokens = content_tokens(word)
    is_short = len(word) < MIN_NAME_LETTERS and word.islower()
    is_nameless = is_short or not _NAMELESS_WORDS.isdisjoint(tokens) or _is_profession(word)
    return bool(tokens) and not word[0].isdigit() and not is_nameless


def _is_profession(word: str) -> bool:
    return word.lower().removesuffix("s") in _PROFESSIONS


def _weigh(word: str) -> float:
    return max(map(rarity, content_tokens(word)), default=0.0)


# ---------------------------------------------------------------- the title


@lru_cache(maxsize=1024)
def find_titled_thing(title: str) -> TitledThing:
    """Return the thing that a title names, without words if it names none.

    Left out: what stands in brackets, the name of a site, and words for the kind of page or for
    what is asked about the thing ("What are the treatments for X?", "X - overview", "How should X be used").
    """
    bare = _SITE_BEHIND.sub("", _SITE_BEFORE.sub("", _BRACKET.sub("", title)))
    for piece in _TITLE_BREAK.split(bare):
        find_words = _list_asked_words if is_question(piece) else _list_thing_words
        main, *beside = map(find_words, _QUALIFIER.split(piece))
        while beside and not main:
            main = beside.pop(0)
        if main:
            return TitledThing(main, "".join(word[0] for word in content_tokens(piece)))
    return TitledThing((), "")


def _list_asked_words(text: str) -> tuple[str, ...]:
    """Return the words of a question in a title that name its thing."""
    return tuple(
        word
        for word in dict.fromkeys(content_tokens(text))
        if not word.isdigit() and word_root(word) not in FACET_WORDS | _FRAME_WORDS
    )


def _list_thing_words(text: str) -> tuple[str, ...]:
    """Return the words of a title, or of a part of it, that name its thing.

    A word like "guide" counts beside others ("guide dog"), not before "to" or alone.
    """
    parts = _OF_THING.split(text)
    while len(parts) > 1 and not _list_asked_words(parts[0]):
        del parts[0]
    rest = " ".join(parts)
    if not _list_asked_words(rest):
        return ()
    return tuple(
        word
        for word in dict.fromkeys(content_tokens(rest))
        if not word.isdigit() and word_root(word) not in FACET_WORDS
    )


def find_named_thing(text: str, title: str, passages: Sequence[str] = ()) -> NamedThing | None:
    """Return the thing of a title if a text names it, None if it names none or another one.

    passages: of the page; other names that they declare for the thing count, as initials do.
    """
    titled = find_titled_thing(title)
    words = titled.words
    if not words or _has_other_label(text, title):
        return None
    weights = {word: _weigh_beside(word) for word in words}
    total = round(sum(weights.values()), 6)
    tokens = tokenize(text)
    for name in _list_other_names(titled, passages):
        if _names_whole(tokens, name):
            return NamedThing(words, total, tuple(content_tokens(name)), is_whole=True)
    roots = _find_roots(tokens)
    held = [word for word in words if _is_held(word_root(word), roots)]
    lacking = [rarity(word) for word in words if word not in held]
    if not held or max(lacking, default=0.0) > max(map(rarity, held)):
        return None
    if sum(weights[word] for word in held) < MIN_NAMED * total:
        return None
    of_thing = {part for word in held for part in roots.get(word_root(word), (word_root(word),))}
    if _measure_of_run(text, of_thing) < MIN_OF_RUN:
        return None
    return NamedThing(words, total, tuple(held), is_whole=not lacking)


def _find_roots(tokens: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the roots of tokens and of neighbours joined ("ear ache"), with those they hold."""
    roots: dict[str, tuple[str, ...]] = {}
    for one, other in pairwise(tokens):
        if min(len(one), len(other)) >= MIN_JOINED_LETTERS:
            roots[word_root(one + other)] = (word_root(one), word_root(other))
    for token in tokens:
        roots[word_root(token)] = (word_root(token),)
    return roots


def _measure_of_run(text: str, roots: Collection[str]) -> float:
    """Return the largest share, by weight, that words of these roots are of a run of the text."""
    largest = 0.0
    for run in list_runs(text):
        weights = {
            token: _weigh_beside(token)
            for word in run
            for token in content_tokens(word)
            if word_root(token) not in FACET_WORDS
        }
        named = sum(
            weight for token, weight in weights.items() if _is_held(word_root(token), roots)
        )
        largest = max(largest, named / (sum(weights.values()) or 1.0))
    return largest


def _weigh_beside(word: str) -> float:
    """Return the weight of a word of a name beside the others."""
    return max(LEAST_WEIGHT, rarity(word) - LIGHT_RARITY)


def _is_held(root: str, roots: Collection[str]) -> bool:
    return root in roots or any(are_spellings_of_one(root, other) for other in roots)


def _list_other_names(titled: TitledThing, passages: Sequence[str]) -> list[str]:
    """Return the initials of a thing of three or more words, and its names in the passages."""
    initials = [titled.initials] if len(titled.initials) >= MIN_INITIALS else []
    topic = find_topic(" ".join(titled.words))
    return [*initials, *sorted(find_synonyms(topic, passages))]


def _names_whole(tokens: Collection[str], name: str) -> bool:
    words = content_tokens(name)
    is_rare = any(rarity(word) >= MIN_OTHER_NAME_RARITY for word in words)
    return is_rare and set(tokens).issuperset(words)


def _has_other_label(text: str, title: str) -> bool:
    """Return whether a title has another letter or number in a name than the text ("vitamin K")."""
    asked, given = find_numbered_names(text), find_numbered_names(title)
    return any(name in asked and labels.isdisjoint(asked[name]) for name, labels in given.items())


# ---------------------------------------------------------------- what a question asks to do

#: Nouns of irregular verbs, which have another root, by the forms of the verb.
_ACTION_NOUNS = {
    verb: noun
    for noun, verbs in {
        "loss": "lose loses losing lost",
        "growth": "grow grows growing grew",
        "sale": "sell sells selling sold",
        "choice": "choose chooses choosing chose",
        "proof": "prove proves proving",
        "theft": "steal steals stealing stole",
    }.items()
    for verb in verbs.split()
}
#: Forms that say what was done, or describe a thing: "a lost phone".
_DESCRIBING_FORMS = frozenset("lost growing grew sold chose stole".split())
#: A form in "-ing" says what is done behind one of a few verbs only: "best selling books".
_ACTION = re.compile(
    r"\b(?:(?:stop|avoid|prevent|keep)(?: from)? |(?!\w+ing\b))"
    rf"(?P<verb>{'|'.join(verb for verb in _ACTION_NOUNS if verb not in _DESCRIBING_FORMS)})"
    r" (?:(?:my|your|his|her|our|their|the|some|a|an|body) )?(?P<thing>[^\W\d_]{3,})\b"
    r"(?: (?P<behind>[\w'’-]+))?",
    re.IGNORECASE,
)
#: Words behind a thing that say how or where, and are no part of its name.
_ADVERB = re.compile(r"\w+ly|fast|\w+doors|online|abroad|overnight", re.IGNORECASE)
#: The words of an action with its thing, at most.
MAX_ACTION_WORDS = 3


def name_action(asked: str) -> str:
    """Return what an English question asks to do as titles name it: "weight loss", or ""."""
    match = _ACTION.search(asked)
    if not match or not may_name(match["thing"]):
        return ""
    behind = match["behind"] or ""
    if content_tokens(behind) and not _ADVERB.fullmatch(behind):  # "used" of "used cars"
        return ""
    return f"{match['thing']} {_ACTION_NOUNS[match['verb'].lower()]}"


def names_action(asked: str, title: str) -> bool:
    """Return whether neighbouring words of a title are all that a question names, verb or noun."""
    roots = frozenset(map(_find_action_root, content_tokens(asked)))
    if not 1 < len(roots) <= MAX_ACTION_WORDS:
        return False
    titled = [_find_action_root(token) for token in tokenize(title)]
    return any(
        roots <= frozenset(titled[start : start + len(roots)]) for start in range(len(titled))
    )


def _find_action_root(word: str) -> str:
    return word_root(_ACTION_NOUNS.get(word, word))
