"""Give the reason of a score in a plain sentence, and explain it by words and meaning.

Each part is checked against the texts. A word is called missing only if the title and the passages
hold no form of it, a phrase is named only if its words are together, and an answer is called
missing only if `lacks_form` is certain.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from research_core.i18n import (
    EARLIER_ENGLISH,
    N_,
    _,
    current_language,
    gettext,
    join_list,
    join_sentences,
    ngettext,
    put_in_quotes,
)
from research_core.text.answer_forms import lacks_form
from research_core.text.question import QUESTION_WORDS
from research_core.text.question_topic import FACET_WORDS
from research_core.text.sentence_meaning import knows_language
from research_core.text.similarity import (
    CUE_ROW_OF,
    Question,
    holds_all_in_one_place,
    is_in_pair,
    word_root,
)
from research_core.text.topic_naming import (
    Phrase,
    are_together,
    find_phrases,
    is_phrase_named,
)
from research_core.text.words import tokenize

MAX_NAMED_PHRASES = 6
MISSING_FORM_TEXTS = {
    "money": N_("No price."),
    "quantity": N_("No figure."),
    "time": N_("No date."),
    "person": N_("No person named."),
    "place": N_("No place named."),
    "comparison": N_("No comparison."),
}
LACKED_FORM_TEXTS = {
    "money": N_("It gives no amount of money."),
    "quantity": N_("It gives no figure."),
    "time": N_("It gives no date."),
    "person": N_("It names no person."),
    "place": N_("It names no place."),
    "comparison": N_("It compares nothing."),
}
#: A text with all words of the question that scores less may have them far apart.
NEAR_WORDS_SCORE = 3
#: From this score on, a reason says what a source is about; below it, what it lacks.
RELEVANT_SCORE = 3
#: The cosine from which a sentence comes close to the question.
MIN_CLOSE_NEARNESS = 0.6
#: Phrases that a reason names as found and as missing, at most.
MAX_FOUND, MAX_MISSING = 4, 2
#: A hyphenated compound weighs more than its words: it is mostly the subject.
COMPOUND_FACTOR = 2.0
#: Letters that a word needs to be the beginning of a related one.
MIN_RELATIVE_LENGTH = 5
#: Small words between two units that are one: "life on the ocean floor".
MAX_GAP_WORDS = 2


@dataclass(frozen=True)
class Reading:
    """What was found in a source.

    slips: (as written, as read) words of the question. lacks_answer: the form of answer asked for
    was not found. other_number: (the name asked about, the one with another number in the texts),
    or two empty strings. scattered: a phrase whose words stand apart. unnamed: a compound that is
    not named. unnamed_side: the one of two compared things that is not named. nearness: the highest
    cosine of a sentence, None by words alone. by_words: why by words alone, or "". asked: the text
    of the question.
    """

    question: Question
    asked: str
    title: str
    passages: tuple[str, ...]
    slips: tuple[tuple[str, str], ...] = ()
    lacks_answer: bool = False
    other_number: tuple[str, str] = ("", "")
    scattered: Phrase | None = None
    unnamed: str = ""
    unnamed_side: str = ""
    nearness: float | None = None
    by_words: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """Return title and passages."""
        return (self.title, *self.passages)


def give_reason(reading: Reading, score: int) -> str:
    """Return why a source has this score, in a plain sentence or two.

    It names the phrases of the question that decide. "" if none of them says anything.
    """
    asked, other = reading.other_number
    if asked:
        wrong = _("Not about the subject: it names {other}, not {asked}.")
        return wrong.format(other=put_in_quotes(other), asked=put_in_quotes(asked))
    units = _list_units(reading)
    found = [unit.written for unit in units if unit.is_named][:MAX_FOUND]
    if score >= RELEVANT_SCORE:
        return describe_subject(found, reading.nearness)
    return join_sentences(_describe_lack(reading, units, found))


def describe_subject(found: Sequence[str], nearness: float | None) -> str:
    """Return that a source is on the subject. found: phrases it names; nearness: see `Reading`."""
    is_close = nearness is not None and nearness >= MIN_CLOSE_NEARNESS
    words = join_list(found)
    if found and is_close:
        close = _("On the subject ({words}). One sentence is close to the question in meaning.")
        return close.format(words=words)
    if found:
        return _("On the subject ({words}).").format(words=words)
    return _("One sentence is close to the question in meaning.") if is_close else ""


def _describe_lack(reading: Reading, units: Sequence[Unit], found: Sequence[str]) -> list[str]:
    """Return what a source lacks: the subject, or what the question asks about it."""
    lacked_form = _describe_lacked_form(reading)
    lacked = [unit for unit in units if unit.is_missing and (unit.weight or not lacked_form)]
    subject = max(units, key=lambda unit: unit.weight, default=None)
    if subject is not None and subject.is_missing and _is_off_subject(reading, units):
        unnamed = _("Not about the subject: it does not name {words}.")
        return [unnamed.format(words=put_in_quotes(subject.written))]
    if not found:
        missed = max(lacked, key=lambda unit: unit.weight, default=None)
        unnamed = _("Does not name “{name}”.")
        return [unnamed.format(name=missed.written) if missed else "", lacked_form]
    named = join_list([put_in_quotes(phrase) for phrase in found])
    if lacked:
        heaviest = sorted(lacked, key=lambda unit: -unit.weight)[:MAX_MISSING]
        missing = join_list([put_in_quotes(unit.written) for unit in lacked if unit in heaviest])
        but_not = _("Names {words}, but not {missing}.").format(words=named, missing=missing)
        return [but_not, lacked_form]
    if lacked_form:
        return [_("On the subject ({words}).").format(words=join_list(found)), lacked_form]
    return [_("Names {words}, but says too little about the question.").format(words=named)]


def _is_off_subject(reading: Reading, units: Sequence[Unit]) -> bool:
    """Return whether the phrases that a source names weigh less than those that it lacks.

    In languages other than English, where verbs are not told apart, it must name none.
    """
    if not knows_language(reading.asked):
        return not any(unit.is_named for unit in units)
    named = sum(unit.weight for unit in units if unit.is_named)
    return not reading.unnamed_side and 2 * named < sum(unit.weight for unit in units)


def _describe_lacked_form(reading: Reading) -> str:
    """Return that the form of answer asked for is missing, "" unless that is certain."""
    form = reading.question.form.name
    asked = " ".join(written for _, written in reading.question.order)
    if reading.lacks_answer and lacks_form(form, reading.texts, asked):
        return gettext(LACKED_FORM_TEXTS[form])
    return ""


@dataclass(frozen=True)
class Unit:
    """Neighbouring words of a question that name something together.

    weight: of its words; those that ask for a side of the subject ("cost") have none. is_missing:
    no text holds it, nor a word that means the same.
    """

    written: str
    weight: float
    is_named: bool
    is_missing: bool


def _list_units(reading: Reading) -> list[Unit]:
    """Return the phrases of a question in its order, and which of them the texts have.

    Words that only ask, count or say how much are left out. Named phrases that stand together in
    question and texts are one: "life on the ocean floor".
    """
    units: list[Unit] = []
    start = stop = 0
    for words, phrase in _list_phrases(reading):
        unit = _look_up_unit(reading, " ".join(words), phrase)
        place = max(stop, reading.asked.find(unit.written, stop))
        whole = reading.asked[start : place + len(unit.written)]
        gap = reading.asked[stop:place]
        if units and _are_one(units[-1], unit, whole, gap, reading.texts):
            weight = units.pop().weight + unit.weight
            unit = replace(unit, written=whole, weight=weight)
        else:
            start = place
        units.append(unit)
        stop = start + len(unit.written)
    return list({unit.written.casefold(): unit for unit in units}.values())


def _are_one(one: Unit, following: Unit, whole: str, gap: str, texts: Sequence[str]) -> bool:
    """Return whether two named units stand together in a question (`whole`) and in the texts."""
    between = gap.casefold().split()
    is_near = len(between) <= MAX_GAP_WORDS and not _LINKING_WORDS.isdisjoint(between)
    is_named = one.is_named and following.is_named
    if not (is_near and is_named and whole.endswith(following.written)):
        return False
    return are_together(tokenize(f"{one.written} {following.written}"), texts)


#: Words that make one phrase of two: "life on the ocean floor", "bomba de calor".
_LINKING_WORDS = frozenset("of on in at for de du des del da do dos das von vom".split())


def _look_up_unit(reading: Reading, written: str, phrase: Phrase | None) -> Unit:
    question = reading.question
    roots = _find_roots(reading)
    parts = [word_root(token, question.language) for token in tokenize(written)]
    held = [part in roots or is_in_pair(part, list(roots)) for part in parts]
    is_named = all(held)
    if is_named and phrase is not None:
        is_named = is_phrase_named(phrase, reading.texts)
    rows = {CUE_ROW_OF[root] for root in roots if root in CUE_ROW_OF}
    is_replaced = any(CUE_ROW_OF.get(part) in rows for part in parts)
    unheld = [part for part, is_held in zip(parts, held, strict=True) if not is_held]
    if unheld and all(_has_relative(part, roots) for part in unheld):
        is_replaced = True
    weight = sum(question.words.get(part, 0.0) for part in parts)
    if FACET_WORDS.issuperset(parts) or not CUE_ROW_OF.keys().isdisjoint(parts):
        weight = 0.0
    if phrase is not None and phrase.is_bound and "-" in written:
        weight *= COMPOUND_FACTOR
    return Unit(written, weight, is_named, not is_named and not is_replaced)


def _has_relative(root: str, roots: Collection[str]) -> bool:
    """Return whether one of the roots begins the other word: "piano" for "pianist"."""
    for other in roots:
        shorter, longer = sorted((root, other), key=len)
        if len(shorter) >= MIN_RELATIVE_LENGTH and longer.startswith(shorter):
            return True
    return False


def _find_roots(reading: Reading) -> dict[str, str]:
    """Return the tokens of the texts by their roots."""
    tokens = dict.fromkeys(token for text in reading.texts for token in tokenize(text))
    return {word_root(token, reading.question.language): token for token in tokens}


def _list_phrases(reading: Reading) -> Iterator[tuple[list[str], Phrase | None]]:
    """Yield the words of each unit of a question, and the phrase that they form, if they do."""
    question = reading.question
    if question.language or not knows_language(reading.asked):
        for root, written in question.order:
            if root in question.words and not _only_counts(written):
                yield [written], None
        return
    phrases = {phrase.words: phrase for phrase in find_phrases(reading.asked)}
    for run in _list_runs(reading):
        words: list[str] = []
        for word in run:
            if words and not _belongs_to(words, word, phrases, reading.texts):
                yield words, _make_phrase(words, phrases)
                words = []
            words.append(word)
        if words:
            yield words, _make_phrase(words, phrases)


def _belongs_to(
    words: Sequence[str], word: str, phrases: Mapping[tuple[str, ...], Phrase], texts: Sequence[str]
) -> bool:
    """Return whether a word continues a phrase: "solar power", "river bed"."""
    tokens = tuple(token for one in (*words, word) for token in tokenize(one))
    if are_together(tokens, texts):
        return True
    # The form of a question may take its verb for a part of the thing: "Lisbon lose".
    is_one_case = words[-1][0].isupper() == word[0].isupper()
    if tokens in phrases and is_one_case and word_root(tokens[-1]) not in CUE_ROW_OF:
        return True
    # Of a compound that the texts name, the word after it may still be missing.
    compound = tokenize(words[0]) if len(words) == 1 else []
    return len(compound) > 1 and not are_together(compound, texts)


def _make_phrase(words: Sequence[str], phrases: Mapping[tuple[str, ...], Phrase]) -> Phrase | None:
    tokens = tuple(token for word in words for token in tokenize(word))
    if len(tokens) < 2:
        return None
    return phrases.get(tokens) or Phrase(tokens, " ".join(words), is_bound=True)


_RAW_WORD = re.compile(r"[^\W_][\w'’]*(?:[-‐‑][\w'’]+)*")


def _list_runs(reading: Reading) -> Iterator[list[str]]:
    """Yield the neighbouring words of an English question that name something."""
    run: list[str] = []
    end = 0
    for match in _RAW_WORD.finditer(reading.asked):
        word = re.sub(r"['’]s?$", "", match[0])
        names = _names_something(word, reading.question)
        is_apart = reading.asked[end : match.start()].strip() != ""
        if run and (is_apart or not names):
            yield run
            run = []
        if names:
            run.append(word)
        end = match.end()
    if run:
        yield run


#: Words that ask, join or say how much, and name nothing, beside those of `FILLER_WORDS`.
_DEGREE_WORDS = frozenset(
    """
        lower higher larger smaller greater bigger longer shorter enough quite rather almost already
        even still yet far often soon long badly bad good happened happening lead leads led come
        comes came take takes took taken go goes went gone cause caused causes causing two three
        needs needed
    """.split()
)
#: English words in -ly that are no adverbs.
_NO_ADVERBS = frozenset(
    """
        ally anomaly assembly belly bully butterfly dragonfly family fly italy jelly july lily
        monopoly multiply rally reply supply
    """.split()
)


def _names_something(word: str, question: Question) -> bool:
    if _says_degree(word):
        return False
    return any(word_root(token) in question.words for token in tokenize(word))


def _says_degree(word: str) -> bool:
    """Return whether an English word asks, joins or says how much, and names nothing."""
    lower = word.casefold()
    if lower in _DEGREE_WORDS:
        return True
    may_be_adverb = lower.endswith("ly") and len(lower) > 4 and not word[0].isupper()
    return may_be_adverb and lower not in _NO_ADVERBS


def explain_score(reading: Reading, score: int) -> str:
    """Return sentences that say what the source has, what it lacks, and how it was compared."""
    parts = [*_describe_words(reading, score), *_describe_topic(reading)]
    form = reading.question.form.name
    asked = " ".join(written for _, written in reading.question.order)
    if reading.lacks_answer and lacks_form(form, reading.texts, asked):
        parts.append(gettext(MISSING_FORM_TEXTS[form]))
    for written, read in reading.slips:
        parts.append(_("“{written}” was read as “{read}”.").format(written=written, read=read))
    if reading.nearness is not None:
        parts.append(_describe_nearness(reading.nearness))
    if reading.by_words:
        parts.append(reading.by_words)
    if current_language() != EARLIER_ENGLISH:
        return join_sentences(parts)
    # The parts of older explanations are clauses of one sentence.
    sentence = "; ".join(parts)
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _describe_nearness(nearness: float) -> str:
    """Return how near the nearest sentence is to the question in meaning. nearness: at most 1."""
    if current_language() == EARLIER_ENGLISH:
        return _("Nearest sentence: {nearness:.2f} in meaning.").format(nearness=nearness)
    nearest = _("Its closest sentence is {percent}% similar to the question in meaning.")
    return nearest.format(percent=round(100 * max(0.0, nearness)))


def add_unnamed_side(explanation: str, side: str) -> str:
    """Return an explanation that ends with the compared thing that is not named."""
    part = describe_unnamed_side(side)
    if current_language() == EARLIER_ENGLISH:
        return f"{explanation[:-1]}; {part}."
    return join_sentences([explanation, part])


def describe_unnamed_side(side: str) -> str:
    return _("Does not name the other side, “{name}”.").format(name=side)


def name_thing(words: Sequence[str], title: str) -> str:
    """Return which thing of the question a title names.

    words: of the thing; they are spelled as in the title.
    """
    spelled = {token: word for word in _TITLE_WORD.findall(title) for token in tokenize(word)}
    named = _join_phrases(_join_words([spelled.get(word, word) for word in words], [title]))
    return _("The title names “{words}”, which the question mentions.").format(words=named)


def add_named_thing(explanation: str, named: str) -> str:
    """Return an explanation that says first which thing of the question the title names."""
    if current_language() == EARLIER_ENGLISH:
        return f"{named}; {explanation[:1].lower()}{explanation[1:]}"
    return join_sentences([named, explanation])


_TITLE_WORD = re.compile(r"\w[\w'’]*")


def _describe_words(reading: Reading, score: int) -> list[str]:
    """Return which words of the question the texts have, and which they lack."""
    question = reading.question
    if not question.words:
        return [_("The question has no words to search for.")]
    tokens = dict.fromkeys(token for text in reading.texts for token in tokenize(text))
    roots = {word_root(token, question.language): token for token in tokens}
    had: list[str] = []
    lacked: list[str] = []
    for is_had, run in groupby(_list_words(question, roots), key=lambda pair: pair[1]):
        words = [word for word, _ in run]
        if is_had is None:
            continue
        if is_had:
            had += _join_words(words, reading.texts)
        else:
            lacked.append(" ".join(words))
    parts = []
    if had:
        parts.append(_("Mentions {words}.").format(words=_join_phrases(had)))
    for written, other in _list_cue_words(question, roots):
        related = _("Related term for “{asked}”: {found}.")
        parts.append(related.format(asked=written, found=other))
    if lacked:
        count = sum(len(phrase.split()) for phrase in lacked)
        missing = ngettext("Missing: {words}.", "Missing: {words}.", count)
        parts.append(missing.format(words=_join_phrases(lacked)))
    elif score < NEAR_WORDS_SCORE and not holds_all_in_one_place(question, reading.passages):
        parts.append(_("These words are not close together."))
    return parts


def _list_words(question: Question, roots: Collection[str]) -> list[tuple[str, bool | None]]:
    """Return the words of a question as written, and whether the texts have them.

    None for a word that only asks or counts, one that a synonym replaces, and one that is there in
    part.
    """
    words: list[tuple[str, bool | None]] = []
    rows = {CUE_ROW_OF[root] for root in roots if root in CUE_ROW_OF}
    says_degrees = not question.language and current_language() != EARLIER_ENGLISH
    for root, written in question.order:
        says_degree = says_degrees and _says_degree(written)
        if root not in question.words or _only_counts(written) or says_degree:
            words.append((written, None))
            continue
        parts = [word_root(token, question.language) for token in tokenize(written)]
        held = [part in roots or is_in_pair(part, list(roots)) for part in parts]
        if all(held):
            words.append((written, True))
        elif any(held) or CUE_ROW_OF.get(root) in rows:
            words.append((written, None))
        else:
            words.append((written, False))
    return words


#: Words that say how many things are meant ("the two"); a page need not have them.
_COUNTING_WORDS = frozenset("one two three both".split())


def _only_counts(word: str) -> bool:
    return word.lower() in _COUNTING_WORDS and current_language() != EARLIER_ENGLISH


def _list_cue_words(question: Question, roots: dict[str, str]) -> list[tuple[str, str]]:
    """Return (as the question writes it, as the texts do) of words that mean the same."""
    pairs: dict[str, str] = {}
    # Older explanations also gave words that only ask: "where" for "whereas".
    left_out = frozenset[str]() if current_language() == EARLIER_ENGLISH else QUESTION_WORDS
    for root, written in question.order:
        row = CUE_ROW_OF.get(root)
        if row is None or root not in question.words or root in roots:
            continue
        for other, token in roots.items():
            if CUE_ROW_OF.get(other) == row and token not in left_out:
                pairs.setdefault(written, token)
                break
    return list(pairs.items())


def _join_words(words: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Return neighbouring words joined where the texts have them together, in order."""
    phrases: list[list[str]] = []
    for word in words:
        tokens = [
            token for part in (*(phrases[-1] if phrases else ()), word) for token in tokenize(part)
        ]
        if phrases and are_together(tokens, texts):
            phrases[-1].append(word)
        else:
            phrases.append([word])
    return [" ".join(phrase) for phrase in phrases]


def _describe_topic(reading: Reading) -> list[str]:
    """Return what the texts name instead of, or do not name of, what the question is about."""
    parts = []
    asked, other = reading.other_number
    if asked:
        parts.append(_("Names {other}, not {asked}.").format(other=other, asked=asked))
    elif reading.scattered:
        apart = _("The words of “{phrase}” are not together.")
        parts.append(apart.format(phrase=reading.scattered.written))
    elif reading.unnamed:
        parts.append(_("Does not name “{name}”.").format(name=reading.unnamed))
    if reading.unnamed_side:
        parts.append(describe_unnamed_side(reading.unnamed_side))
    return parts


def _join_phrases(phrases: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(phrases))
    joined = join_list(distinct[:MAX_NAMED_PHRASES])
    return f"{joined} …" if len(distinct) > MAX_NAMED_PHRASES else joined
