"""Find what a question is about, and decide whether a text names that or another thing.

A name with a number ("trisomy 18", "type 2 diabetes", "section 230") is another thing than the same
name with another number. Other names that a page gives for the thing count as it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache

from research_core.text.languages import find_clause_words, guess_language
from research_core.text.question_subject import COURTESY_WORDS
from research_core.text.quote_labels import states_something
from research_core.text.sentences import find_sentences
from research_core.text.similarity import (
    FILLER_WORDS,
    content_tokens,
    is_known_word,
    is_question,
    parse_question,
    rarity,
    word_root,
)
from research_core.text.slips import begin_oppositely, is_slip, list_edits
from research_core.text.words import tokenize

#: Words that say what a question wants to know of its thing.
FACET_WORDS = frozenset(
    map(
        word_root,
        """
        advantage advice affect age alleviate alternative available average background basic benefit
        best better bring call cause characteristic choose come common compare complication concern
        condition consequence cost cure current danger date day define definition deal detail
        diagnose diagnosis disadvantage disorder disease drawback effect effective example exist
        expect explain explanation explore fact factor feature find first form function general give
        go good happen harm harmful help high history impact important include increase inherit
        involve issue kind know last late latest lead learn list live long low main major mean
        meaning measure method month most name need new normal number occur old option origin people
        percentage person place popular possible precaution prevent prevention price problem process
        prognosis project pros cons purpose rate reason recent reduce relate relation relieve
        research result review risk role rule safe safety say sign significance size soothe source
        specific stage start state status step study suffer suggest support symptom syndrome take
        test theory therapy time tip top treat treatment trigger type typical understand usual value
        view week world worst year
        """.split(),
    )
)
#: From this rarity on a word of a question names one thing.
MIN_NAME_RARITY = 5.0
MAX_ACRONYM_LENGTH = 6
#: The rarity of a word that the table of frequencies does not hold.
UNKNOWN_RARITY = 5.5
#: The letters from which two spellings are compared, and those of an ending that one may lack.
MIN_SPELLING_LENGTH, MAX_ENDING = 6, 3
#: From this ratio of equal letters on, a rare name may be a misspelling.
MIN_RESEMBLANCE = 0.75
#: A shorter word is too often known by other words to be the name of a thing.
MIN_THING_LENGTH = 5
#: From this share of its words on, by weight, a text names the topic.
MIN_SHARE_NAMED = 0.5
#: From this share of the rarest word's rarity on, a word distinguishes the topic.
MIN_OF_RAREST, MIN_TELLING_RARITY = 0.6, 4.0
#: From this rarity on a word added to the name of a thing makes a narrower one of it.
MIN_ADDED_RARITY = 3.3
#: Two roots are forms of one word if they begin with so many equal letters, and so much of the
#: shorter one.
MIN_STEM, MIN_STEM_SHARE = 4, 0.7
#: A topic of more words holds what is told beside the question.
MAX_TOPIC_WORDS = 4
#: The most words of a title in capitals that may be the name of one thing.
MAX_TITLE_NAME_WORDS = 5
_NOT_NUMBERED = frozenset(
    """
    in on at by of to for from with about over under than and or the a an is are was were be after
    before since until between around nearly almost only least most up per as year years age aged
    january february march april may june july august september october november december does do
    did can has have had last first next top how what which who when those these any some all
    """.split()
)
_NUMBERED = re.compile(
    r"\b(?P<name>[^\W\d_]{2,})[ \u00a0-]?(?P<numbers>(?:\d{1,4}[A-Za-z]?|[IVX]{1,4}|i{2,3}\b|iv\b)"
    r"(?:(?:, | and | or |/| & )(?:\d{1,4}[A-Za-z]?|[IVX]{1,4}))*)(?![\w%]|[.,]\d)"
)
#: Names before a Roman one, which "I" is not behind other words.
_BEFORE_ONE = frozenset(
    "type stage class part phase grade level section article title chapter volume act schedule"
    " bipolar war category group tier annex appendix factor band".split()
)
#: What stands behind a quantity, as against a number that belongs to the name before it.
_UNIT_FOLLOWS = re.compile(
    r"\s?(?:%|percent|per cent|°|degrees?|[kcm]?m\b|[km]?g\b|ml\b|km|miles?|hours?|minutes?|days?"
    r"|weeks?|months?|years?|people|patients|dollars?|euros?|pounds?|million|billion|thousand"
    r"|times\b|cases\b)",
    re.IGNORECASE,
)
#: Words behind which a number or letter belongs to the name, also a small one: "vitamin d".
_NUMBERED_WORDS = _BEFORE_ONE | frozenset(
    """
    block building category code error exhibit figure flight form gate hepatitis highway influenza
    item lane line list lot model module option order pension plan platform route rule schedule
    series table team terminal unit version vitamin vitamins zone
    """.split()
)
#: What "I" begins behind a name that may have a number: "in group I think".
_SPEAKS = re.compile(
    r"['’]|\s+(?:(?:also|always|just|never|now|only|really|still)\s+)?(?:am|ask|assume|believe|bought|can"
    r"|cannot|can['’]t|could|did|didn['’]t|do|don['’]t|doubt|fear|feel|felt|find|found|get|got|guess|had"
    r"|have|haven['’]t|hear|heard|hope|imagine|know|like|live|may|mean|might|must|need|own|play|prefer"
    r"|read|reckon|remember|said|saw|say|see|shall|should|suppose|suspect|take|think|thought|took"
    r"|understand|use|used|want|wanted|was|went|will|wish|wonder|won['’]t|work|would)\b"
)
#: A letter that belongs to a name: "vitamin D", "hepatitis B or C", "schedule C".
_LETTERED = re.compile(
    r"\b(?P<name>[^\W\d_]{3,})[ -](?:(?:type|virus) )?(?P<letters>[A-Z]"
    r"(?:(?:, | and | or |/|, and |, or )[A-Z])*|[b-hj-mo-qstv-xz]"
    r"(?:(?:, | and | or |/|, and |, or )[b-hj-mo-qstv-xz])*)(?![\w'’.-]\w|\w)"
)
_VERB_FOLLOWS = re.compile(r"\s+\w+ed\b")
_ROMAN = {"I": "1", "II": "2", "III": "3", "IV": "4", "V": "5", "VI": "6", "VII": "7", "VIII": "8"}
#: The rarity of a word that may be another name of a thing by itself.
MIN_SYNONYM_RARITY = 4.5
#: Words of the headings of pages, beside those of `FACET_WORDS`.
_SECTION_ROOTS = frozenset(
    map(
        word_root,
        "summary overview exams outlook frequency description introduction resources references"
        " related diseases pages topics families stages options complications inheritance pattern"
        " management screening care lifestyle notes details contents".split(),
    )
)
_ALSO_CALLED = (
    r",? ?\(?(?:also |sometimes |often |better |formerly |commonly )*"
    r"(?:called|known as|termed|named|referred to as|abbreviated(?: as| to)?|or simply)"
)


@dataclass(frozen=True)
class Topic:
    """What a question is about.

    weights: the rarity of each word root that names the thing, in the question's order; numbers:
    the numbers bound to names in it, by the root of the name; names: words that name one thing, as
    the question spells them.
    """

    weights: Mapping[str, float]
    numbers: Mapping[str, frozenset[str]]
    names: tuple[str, ...]


@lru_cache(maxsize=256)
def find_topic(question: str) -> Topic:
    """Return what a question is about: of its asking sentences and a subject line before them."""
    weights = dict(parse_question(question).words)
    texts = [question[start:end] for start, end in find_sentences(question)]
    if len(texts) > 1 and len(texts[0].split()) <= 6 and not is_question(texts[0]):
        weights = {word_root(word): rarity(word) for word in content_tokens(texts[0])} | weights
    weights = {
        root: weight for root, weight in weights.items() if root not in FACET_WORDS
    } or weights
    return Topic(weights, find_numbered_names(question), _find_names(question, weights))


def _find_names(question: str, weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return the rare words and acronyms, as spelled, without slips of spelling."""
    names: dict[str, str] = {}
    shouted = sum(map(str.isupper, question)) > sum(map(str.islower, question))
    for word in question.split():
        bare = word.strip(".,;:!?\"'“”‘’()[]").removesuffix("'s").removesuffix("’s")
        tokens = [token for token in tokenize(bare) if token not in NAMELESS_WORDS]
        if not _PLAIN_WORD.fullmatch(bare) or not any(map(weights.get, map(word_root, tokens))):
            continue
        is_capital = bare.isupper() and len(bare) > MAX_ACRONYM_LENGTH  # written for emphasis
        is_acronym = not shouted and not is_capital and len(re.findall(r"[A-Z]", bare)) > 1
        is_rare = max(map(rarity, tokens)) >= MIN_NAME_RARITY and not bare.endswith("ly")
        if is_acronym or (is_rare and not is_slip(bare.lower())):
            names.setdefault(bare.casefold(), bare)
    return tuple(names.values())


_PLAIN_WORD = re.compile(r"[^\W\d_][\w'’-]{2,}")


#: Words of talk name nothing.
NAMELESS_WORDS = FILLER_WORDS | COURTESY_WORDS


def find_numbered_names(text: str) -> dict[str, frozenset[str]]:
    """Return the numbers and letters that belong to names, by root: {"trisomi": {"18"}}.

    Quantities, years and ages do not count. Roman numerals are as Arabic ones.
    """
    found: dict[str, frozenset[str]] = {}
    for match in _NUMBERED.finditer(text):
        name = match["name"].casefold()
        if name in _NOT_NUMBERED or _UNIT_FOLLOWS.match(text, match.end()):
            continue
        is_roman = match["numbers"][0].isalpha()
        if is_roman and match.end("name") == match.start("numbers"):  # "HIV"
            continue
        is_one = match["numbers"] == "I"
        if is_one and (name not in _BEFORE_ONE or _SPEAKS.match(text, match.end())):  # "because I"
            continue
        numbers = set()
        for number in re.findall(r"\w+", match["numbers"]):
            if number in ("and", "or") or re.fullmatch(r"1[5-9]\d\d|20\d\d", number):
                continue
            numbers.add(_ROMAN.get(number.upper(), number.casefold()))
        if numbers:
            root = word_root(name)
            found[root] = found.get(root, frozenset()) | numbers
    for name, letters in find_lettered_names(text).items():
        root = word_root(name)
        found[root] = found.get(root, frozenset()) | letters
    return found


def find_lettered_names(text: str) -> dict[str, frozenset[str]]:
    """Return the letters that belong to names, in lower case: {"vitamin": {"d"}}.

    A small letter counts behind a word that commonly has one ("plan b"), "I" never: it is a number
    or the writer.
    """
    lettered: dict[str, frozenset[str]] = {}
    for match in _LETTERED.finditer(text):
        name = match["name"].casefold()
        letters = frozenset(re.findall(r"\b[a-z]\b", match["letters"].casefold())) - {"i"}
        if not letters or name in _NOT_NUMBERED or name in NAMELESS_WORDS:
            continue
        if name not in _NUMBERED_WORDS and not _may_be_lettered(match):
            continue
        lettered[name] = lettered.get(name, frozenset()) | letters
    return lettered


def _may_be_lettered(match: re.Match[str]) -> bool:
    """Return whether a word that commonly has no letter has one here: capital, and no subject."""
    letters = match["letters"]
    is_article = letters == "A"
    return (
        letters[0].isupper()
        and not is_article
        and not _VERB_FOLLOWS.match(match.string, match.end())
    )


def names_other_number(topic: Topic, text: str) -> bool:
    """Return whether a text speaks of a numbered thing of the same name, and not of this one."""
    if not topic.numbers:
        return False
    given = find_numbered_names(text)
    return any(
        name in given and numbers.isdisjoint(given[name]) for name, numbers in topic.numbers.items()
    )


def measure_named(topic: Topic, text: str) -> float:
    """Return the share of the topic's words that a text holds, by weight, 0.0 to 1.0.

    A word that is spelled a little differently counts.
    """
    total = sum(topic.weights.values())
    if not total:
        return 0.0
    roots = frozenset(map(word_root, tokenize(text)))
    held = sum(weight for root, weight in topic.weights.items() if _is_held(root, roots))
    return round(held / total, 6)


def names_topic(topic: Topic, text: str, synonyms: Iterable[str] = ()) -> bool:
    """Return whether a text names the topic, or another name that the pages give for it."""
    if measure_named(topic, text) >= MIN_SHARE_NAMED:
        return True
    return _holds_any(text, synonyms)


def is_about(topic: Topic, text: str, synonyms: Iterable[str] = ()) -> bool:
    """Return whether a text names the topic, or the word that distinguishes it.

    "Prostate" does for prostate cancer, "cancer" does not. Always true for a topic
    of many words, as none of them distinguishes it.
    """
    if names_topic(topic, text, synonyms) or not 0 < len(topic.weights) <= MAX_TOPIC_WORDS:
        return True
    roots = frozenset(map(word_root, tokenize(text)))
    return _is_held(max(topic.weights, key=lambda root: topic.weights[root]), roots)


def keep_titled_words(topic: Topic, titles: Sequence[str]) -> Topic:
    """Return the topic with those of its words that stand in titles; all if none does.

    A word that no title has cannot distinguish the pages.
    """
    roots = frozenset(word_root(word) for title in titles for word in tokenize(title))
    weights = {root: weight for root, weight in topic.weights.items() if _is_held(root, roots)}
    return replace(topic, weights=weights) if weights else topic


def names_neighbour(topic: Topic, title: str, synonyms: Collection[str] = ()) -> bool:
    """Return whether a title names another thing of the kind: "Field mice" for house mice.

    It holds a word of the topic and lacks another, in whose place it has one of its own.
    """
    roots = _find_title_roots(title)
    most = MAX_TITLE_NAME_WORDS if _is_capitalised(title) else MAX_TOPIC_WORDS
    is_name = 0 < len(roots) <= most
    if not is_name or not 1 < len(topic.weights) <= MAX_TOPIC_WORDS or _holds_any(title, synonyms):
        return False
    others = [root for root in roots if not _is_held(root, frozenset(topic.weights))]
    held = [root for root in topic.weights if _is_held(root, roots)]
    lacking = [
        root
        for root in _list_telling_roots(topic)
        if root not in held and not any(_have_one_stem(root, other) for other in others)
    ]
    return bool(others) and bool(held) and bool(lacking)


def _is_capitalised(title: str) -> bool:
    """Return whether all words of a title that name something have a capital: it is a name."""
    words = _IN_TITLE_BRACKETS.sub(" ", title).split()
    return not any(word[0].islower() and content_tokens(word) for word in words)


def _have_one_stem(one: str, other: str) -> bool:
    """Return whether two roots begin alike: "fractur" and "frack", "tax" and "taxat"."""
    shorter, longer = sorted((one, other), key=len)
    differing = (place for place, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b)
    prefix = next(differing, len(shorter))
    if prefix == len(shorter) < MIN_STEM:
        return _ADDED_ENDING.fullmatch(longer[prefix:]) is not None
    return prefix >= MIN_STEM and prefix >= MIN_STEM_SHARE * len(shorter)


_ADDED_ENDING = re.compile(r"ation|ational|at|able|ing|er|ist")


def _list_telling_roots(topic: Topic) -> list[str]:
    """Return the words of a topic that are rare, and nearly as rare as its rarest."""
    least = max(MIN_TELLING_RARITY, MIN_OF_RAREST * max(topic.weights.values()))
    return [root for root, weight in topic.weights.items() if weight >= least]


def list_asked_titles(question: str, titles: Sequence[str]) -> tuple[frozenset[str], ...]:
    """Return the roots of the titles that name nothing but what a question names."""
    asked = frozenset(map(word_root, tokenize(question)))
    named = dict.fromkeys(map(_find_title_roots, titles))
    return tuple(roots for roots in named if roots and all(_is_held(root, asked) for root in roots))


def names_asked_title(
    question: str, text: str, title: str, asked_titles: Sequence[frozenset[str]]
) -> bool:
    """Return whether a sentence or its page is about what one of the titles asked about names.

    For a question of many words, which shows by the titles of the pages what it is about.
    """
    title_roots = _find_title_roots(title)
    if not asked_titles or not title_roots:
        return True
    if title_roots in asked_titles:
        return True
    roots = frozenset(map(word_root, tokenize(text)))
    return any(
        2 * sum(_is_held(root, roots) for root in names) > len(names) for names in asked_titles
    )


def names_part(text: str, title: str, asked_titles: Sequence[frozenset[str]]) -> bool:
    """Return whether a title names a part of the thing asked about that a sentence does not.

    "Recurrent gout" holds the title "Gout" of another page.
    """
    title_roots = _find_title_roots(title)
    roots = frozenset(map(word_root, tokenize(text)))
    return any(
        names < title_roots and not any(_is_held(root, roots) for root in title_roots - names)
        for names in asked_titles
    )


def find_added_names(question: str, title: str, synonyms: Collection[str] = ()) -> frozenset[str]:
    """Return the roots by which a title names a narrower thing, or another one of a like name.

    "Spruce bark beetle" has "spruce" for bark beetles, and "Cervical dysplasia" has "dysplasia" for
    cervical cancer. Empty if the title names what the question does, also beside another thing.
    """
    asked = frozenset(map(word_root, tokenize(question)))
    roots = _find_title_roots(title)
    if not 1 < len(roots) <= MAX_TITLE_NAME_WORDS or _holds_any(title, synonyms):
        return frozenset()
    if is_headline(title, question):
        return frozenset()
    topic = find_topic(question)
    held = {root for root in topic.weights if _is_held(root, roots)}
    added = frozenset(
        root
        for root in roots
        if not _is_held(root, asked) and not any(_have_one_stem(root, other) for other in asked)
    )
    if not held or not added:
        return frozenset()
    for part in _BETWEEN_NAMES.split(_IN_TITLE_BRACKETS.sub(" ", title)):
        part_roots = _find_title_roots(part)
        if part_roots and all(_is_held(root, asked) for root in part_roots):
            return frozenset()
    rarest = max(rarity(word) for word in tokenize(title) if word_root(word) in added)
    is_narrower = len(held) == len(topic.weights) and rarest >= MIN_ADDED_RARITY
    is_of_kind = max(topic.weights[root] for root in held) >= MIN_TELLING_RARITY
    return added if is_narrower or (is_of_kind and rarest >= MIN_NAME_RARITY) else frozenset()


def is_headline(title: str, question: str) -> bool:
    """Return whether a title has words of a sentence, so that it is no name of a thing."""
    words = frozenset(_WORD.findall(title.lower()))
    # "do" is a verb in English, and an article in Portuguese: a short title does not say which.
    known = {guess_language(title), guess_language(question)} - {""}
    return any(words & find_clause_words(language) for language in known or {""})


_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
#: Between the things that one title names: "Overweight and obesity", "Ebbe und Flut".
_BETWEEN_NAMES = re.compile(
    r"\s*[,;/&|:]\s+|\s+(?:and|or|vs\.?|und|oder|et|ou|y|o|e)\s+", re.IGNORECASE
)


def names_only(question: str, text: str, added: Collection[str]) -> bool:
    """Return whether a text names the whole topic of a question, and none of these roots."""
    roots = frozenset(map(word_root, tokenize(text)))
    topic = find_topic(question)
    if not roots.isdisjoint(added):
        return False
    if len(topic.weights) > MAX_TOPIC_WORDS:
        return any(_is_held(root, roots) for root in _list_telling_roots(topic))
    return all(_is_held(root, roots) for root in topic.weights)


@lru_cache(maxsize=256)
def _find_title_roots(title: str) -> frozenset[str]:
    """Return the roots of the words that name the thing of a title."""
    name = _IN_TITLE_BRACKETS.sub(" ", title)
    roots = frozenset(word_root(word) for word in content_tokens(name))
    return roots - FACET_WORDS - _SECTION_ROOTS


_IN_TITLE_BRACKETS = re.compile(r"\([^()]*\)|\s[|–—-]\s.*")


def name_different_things(one: str, other: str) -> bool:
    """Return whether two titles name different things: "Oak wilt" and "What is larch rust?".

    Each is a few words long, and they have no rare word in common. False for headlines that state
    something, because one story may have several.
    """
    if any(states_something(title) and not title.rstrip().endswith("?") for title in (one, other)):
        return False
    mine, yours = _find_rare_title_roots(one), _find_rare_title_roots(other)
    if not mine or not yours:
        return False
    return not any(_is_held(root, yours) for root in mine)


@lru_cache(maxsize=256)
def _find_rare_title_roots(title: str) -> frozenset[str]:
    """Return the roots of the rare words of a title that is a short name or a question on one."""
    if not is_question(title) and is_headline(title, ""):
        return frozenset()
    roots = _find_title_roots(title)
    if len(roots) > MAX_TOPIC_WORDS:
        return frozenset()
    return frozenset(
        word_root(word)
        for word in content_tokens(title)
        if word_root(word) in roots and rarity(word) >= MIN_TELLING_RARITY
    )


def names_all(topic: Topic, text: str, synonyms: Collection[str] = ()) -> bool:
    """Return whether a text holds every telling word of the topic, or another name of it."""
    roots = frozenset(map(word_root, tokenize(text)))
    return all(_is_held(root, roots) for root in _list_telling_roots(topic)) or _holds_any(
        text, synonyms
    )


def _holds_any(text: str, names: Iterable[str]) -> bool:
    lowered = text.casefold()
    return any(re.search(rf"\b{re.escape(name)}\b", lowered) for name in names)


def find_missing_names(topic: Topic, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the names in a question that none of the texts holds."""
    roots: set[str] = set()
    for text in texts:
        roots.update(map(word_root, tokenize(text)))
    held = frozenset(roots)
    missing = []
    for name in topic.names:
        tokens = [word_root(word) for word in content_tokens(name)]
        if tokens and not any(_is_held(token, held) for token in tokens):
            missing.append(name)
    return tuple(missing)


def find_missing_things(topic: Topic, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the names of things, as against ordinary or misspelled words, that no text holds."""
    words: frozenset[str] | None = None
    things = []
    for name in find_missing_names(topic, texts):
        if len(re.findall(r"[A-Z]", name)) > 1:
            things.append(name)
            continue
        is_ordinary = name.islower() and is_known_word(name, exactly=True)
        if is_ordinary or not _is_thing(name, MIN_NAME_RARITY) or _is_compound(name):
            continue
        if any(is_known_word(edit, exactly=True) for edit in list_edits(name.lower())):
            continue
        if words is None:
            words = frozenset(word for text in texts for word in tokenize(text))
        if not _resembles(name, words):
            things.append(name)
    return tuple(things)


def find_unquoted_things(topic: Topic, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the things that a question names beside another, if none of these sentences does.

    Acronyms do not count, as a page may spell them out.
    """
    missing = find_missing_names(topic, texts)
    named = max((measure_named(topic, text) for text in texts), default=0.0)
    if len(topic.weights) > MAX_TOLD_WORDS or named < MIN_SHARE_BESIDE:
        return ()
    words = frozenset(word for text in texts for word in tokenize(text))
    return tuple(
        name
        for name in missing
        if len(re.findall(r"[A-Z]", name)) < MIN_ACRONYM_CAPITALS
        and _is_thing(name, MIN_NAME_RARITY)
        and is_known_word(name.lower(), exactly=True)
        and not _resembles(name, words)
    )


#: The words of a topic, at most, and the share of them that the sentences name, at least.
MAX_TOLD_WORDS, MIN_SHARE_BESIDE = 8, 0.2
#: Capitals from which a name is an acronym.
MIN_ACRONYM_CAPITALS = 2
#: Endings of words that name a property, a state or an action, and no thing of its own.
_ABSTRACT = re.compile(
    r"(?:al|ic|ics|ous|ive|ness|tion|tions|sion|sions|ity|ities|ment|ments|ing|ings|ed|ance|ence"
    r"|ism"
    r"|able|ible|ful|less|ish|ary|ory|ly|ology|itis|osis|oses|emia|aemia|algia|pathy|trophy|uria)$"
)


def find_unknown_things(topic: Topic, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the things that a question is about, very rare names, if no text names them.

    A name counts if the texts hold no other name of the question either, or if it is a proper name.
    Acronyms do not, as a page may spell them out.
    """
    missing = find_missing_names(topic, texts)
    is_all = len(missing) == len(topic.names)
    things = []
    for name in missing:
        is_proper = name[:1].isupper() and name[1:].islower()
        if (is_proper or (is_all and name.islower())) and _is_thing(name, UNKNOWN_RARITY):
            things.append(name)
    if not things:
        return ()
    words = {word for text in texts for word in tokenize(text)}
    return tuple(name for name in things if not _is_compound(name) and not _resembles(name, words))


def _is_compound(name: str) -> bool:
    """Return whether a name is two known words: "dinnertime"."""
    lowered = name.lower()
    return any(
        rarity(lowered[:place]) < MIN_NAME_RARITY and rarity(lowered[place:]) < MIN_NAME_RARITY
        for place in range(4, len(lowered) - 3)
    )


def _resembles(name: str, words: Iterable[str]) -> bool:
    """Return whether a name is likely a misspelling of one of these words."""
    lowered = name.lower()
    return any(
        word[0] == lowered[0]
        and abs(len(word) - len(lowered)) <= MAX_ENDING
        and SequenceMatcher(None, word, lowered).ratio() >= MIN_RESEMBLANCE
        for word in words
    )


def names_other_thing(question: str, text: str) -> bool:
    """Return whether a text holds the rare name of a thing that the question does not hold."""
    asked = frozenset(map(word_root, tokenize(question)))
    things = (word for word in tokenize(text) if _is_thing(word, MIN_NAME_RARITY))
    return any(not _is_held(word_root(word), asked) for word in things)


def _is_thing(word: str, least_rarity: float) -> bool:
    """Return whether a word is at least so rare and may be the name of a thing."""
    lowered = word.lower()
    if not _PLAIN_WORD.fullmatch(word) or len(lowered) < MIN_THING_LENGTH:
        return False
    return rarity(lowered) >= least_rarity and not _ABSTRACT.search(lowered)


def adds_name(topic: Topic, text: str, label: str) -> bool:
    """Return whether a label names a word of the topic that the text does not."""
    roots = frozenset(map(word_root, tokenize(text)))
    label_roots = frozenset(map(word_root, tokenize(label)))
    return any(_is_held(root, label_roots) and not _is_held(root, roots) for root in topic.weights)


def names_any(word: str, roots: frozenset[str]) -> bool:
    """Return whether a token of a word has one of these roots, or differs from it by one slip."""
    return any(_is_held(root, roots) for root in map(word_root, tokenize(word)))


def _is_held(root: str, roots: frozenset[str]) -> bool:
    return root in roots or any(are_spellings_of_one(root, other) for other in roots)


@lru_cache(maxsize=20_000)
def are_spellings_of_one(one: str, other: str) -> bool:
    """Return whether two long roots differ by one slip of spelling: "wieddem", "wiedemann".

    A slip is a letter more, less or another, or two letters swapped; an ending of up to three
    letters may be left, as roots are cut.
    """
    if min(len(one), len(other)) < MIN_SPELLING_LENGTH or one.isdigit() or other.isdigit():
        return False
    if begin_oppositely(one, other):
        return False
    place = 0
    while place < min(len(one), len(other)) and one[place] == other[place]:
        place += 1
    if not place:
        return False
    tails = [(place + 1, place + 1), (place + 1, place), (place, place + 1)]
    if one[place : place + 2] == other[place : place + 2][::-1]:
        tails.append((place + 2, place + 2))
    return any(_are_one_ending(one[first:], other[second:]) for first, second in tails)


def _are_one_ending(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return one == other or (
        len(short) > 1 and long.startswith(short) and len(long) - len(short) <= MAX_ENDING
    )


def find_synonyms(topic: Topic, texts: Sequence[str]) -> frozenset[str]:
    """Return other names of the topic that the texts declare, in lower case.

    Examples: "Edwards syndrome (trisomy 18)", "myocardial infarction, also called a heart attack",
    "deep brain stimulation (DBS)".
    """
    found: set[str] = set()
    for text in texts:
        for one, other in _find_declared_names(text):
            is_topic, is_other_topic = _is_whole_topic(topic, one), _is_whole_topic(topic, other)
            if is_topic == is_other_topic:
                continue
            synonym = other if is_topic else one
            is_phrase = is_topic and " " in synonym
            if _is_name(synonym, 0.0 if is_phrase else MIN_SYNONYM_RARITY):
                found.add(synonym.casefold())
    return frozenset(found)


def names_synonym(text: str, synonyms: Collection[str]) -> bool:
    """Return whether a text holds another name of a topic as whole words, or more of it."""
    folded = text.casefold()
    return any(
        re.search(rf"(?<!\w){re.escape(name.casefold())}s?(?!\w)", folded) for name in synonyms
    )


def _is_name(text: str, least_rarity: float) -> bool:
    """Return whether what stands beside a name is one too, and no section of a page ("Causes").

    least_rarity: of its rarest word; an acronym needs none.
    """
    words = content_tokens(text)
    if not words or {word_root(word) for word in words} <= FACET_WORDS | _SECTION_ROOTS:
        return False
    return bool(_ACRONYM.fullmatch(text)) or max(map(rarity, words)) >= least_rarity


_ACRONYM = re.compile(r"(?=.*[A-Z].*[A-Z\d])[\w-]{2,8}")


_NAME = r"[A-Z\d]?[\w'’-]+(?: [\w'’-]+){0,4}"
_IN_BRACKETS = re.compile(
    rf"(?P<one>{_NAME}) \((?:also (?:called|known as) |or |abbreviated )?(?P<other>{_NAME})[,;)]"
)
_CALLED = re.compile(
    rf"(?P<one>{_NAME}){_ALSO_CALLED} (?:an? |the )?[\"“‘]?(?P<other>{_NAME})", re.IGNORECASE
)
_LEADING = re.compile(r"^(?:(?:the|a|an|of|in|is|are|with|and|for|by|called|as|to|or) )+", re.I)


#: Characters around a bracket or "called" in which both names stand.
_WINDOW_BEFORE, _WINDOW_AFTER = 120, 100
_CALL_WORDS = re.compile(
    r"\b(?:called|known as|termed|named|referred to as|abbreviated|or simply)\b", re.IGNORECASE
)
_OPENING_BRACKET = re.compile(r"\(")


def _find_declared_names(text: str) -> Iterable[tuple[str, str]]:
    for anchor, pattern in ((_OPENING_BRACKET, _IN_BRACKETS), (_CALL_WORDS, _CALLED)):
        for place in anchor.finditer(text):
            window = text[max(0, place.start() - _WINDOW_BEFORE) : place.end() + _WINDOW_AFTER]
            for match in pattern.finditer(window):
                one = _shorten(match["one"].split(), from_end=True)
                other = _shorten(match["other"].split(), from_end=False)
                if one and other and other.casefold() not in FILLER_WORDS:
                    yield one, other


def _shorten(words: Sequence[str], *, from_end: bool) -> str:
    """Return the words of a name up to the nearest word that is none ("is", "with")."""
    kept: list[str] = []
    for word in reversed(words) if from_end else words:
        if word.casefold() in FILLER_WORDS:
            break
        kept.append(word)
    return " ".join(reversed(kept) if from_end else kept)


def _is_whole_topic(topic: Topic, name: str) -> bool:
    """Return whether a name holds most of the topic, and its number if it has one."""
    if names_other_number(topic, name) or measure_named(topic, name) < MIN_SHARE_NAMED:
        return False
    if names_neighbour(topic, name):
        return False
    given = find_numbered_names(name)
    return all(root in given for root in topic.numbers)
