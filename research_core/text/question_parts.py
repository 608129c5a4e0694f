"""Split what a user typed into the questions in it, and name the topic and the facet of each.

"hi, whats scurvy and how is it treated plz" asks two questions: "What is scurvy?" and "How is
scurvy treated?". Goes by the forms of English questions and by no subject; a question in another
language is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from research_core.text.languages import FUNCTION_WORDS, detect_script, guess_language
from research_core.text.named_things import find_heaviest_run, may_name
from research_core.text.question import find_keywords
from research_core.text.question_manners import (
    GREETING,
    LEAD_IN,
    expand_shorthand,
    is_request,
    lacks_subject,
    separate_questions,
    strip_manners,
    tidy,
)
from research_core.text.question_subject import (
    COURTESY_WORDS,
    LETTER_WORDS,
    MAX_SUBJECT_WORDS,
    capitalize_after_line,
    find_repeated_words,
    is_label,
    read_subject_line,
)
from research_core.text.question_topic import (
    FACET_WORDS,
    MAX_ACRONYM_LENGTH,
    MIN_NAME_RARITY,
    find_numbered_names,
    names_any,
)
from research_core.text.question_types import QUESTION_TYPES, QuestionType, classify_question
from research_core.text.sentences import find_sentences
from research_core.text.similarity import (
    CUE_ROW_OF,
    FILLER_WORDS,
    HEAVIEST,
    content_tokens,
    is_known_word,
    is_question,
    list_examples,
    rarity,
    word_root,
)
from research_core.text.slips import correct_word
from research_core.text.words import tokenize

#: At most so many questions of one text are read, and so many parts of a text that asks nothing.
MAX_PARTS, MAX_TOLD_PARTS = 12, 5
#: At most so many words, those of the subject with them, are taken from sentences that do not ask,
#: for a question without a topic; and so many from the first question.
MAX_CONTEXT_WORDS, MAX_FIRST_TOPIC_WORDS = 2, 3
#: A word of the topic's own phrase weighs so much more than another of the question, and the first
#: word of the topic so much more than the last.
PHRASE_BONUS, EARLY_BONUS = 2.0, 1.0
#: The words of a question among several that a page may be about by itself, at least, and
#: how rare the rarest is beside the rarest of all questions (`rarity`).
MIN_QUESTION_WORDS, MIN_TOPIC_SHARE = 2, 0.75
#: The least share of known words in a question taken for English.
MIN_KNOWN_SHARE = 0.5
#: A text of at most so many words has no background beside its question.
MAX_SHORT_WORDS = 9
#: A text gives background if it has a sentence that does not ask, or more words than this. A question
#: of so many words names its topic if it has two words for it that are so rare (`rarity`), or one
#: that is rarer.
MAX_ASKING_WORDS, MAX_PLAIN_WORDS = 25, 12
MIN_NAMING_RARITY, MIN_TOPIC_RARITY = 3.0, 4.5
#: Words of a told question beside its subject that a query may take, and how rare they are at least.
MAX_OTHER_WORDS, MIN_OTHER_RARITY = 2, 3.5
#: Words of a topic, and of what is asked of it, that give the gist of a question.
MAX_GIST_TOPIC, MAX_GIST_FACETS = 3, 1


@dataclass(frozen=True)
class AskedPart:
    """One question, without greetings and politeness.

    words: those of topic and facets, in order, as spelled; topic: what it is about; facets: which
    side of it; phrase: the topic as a phrase ("scurvy in dogs"), or "" if the form does not show one;
    english: False for a question in another language, whose `kind` is "overview"; context: the
    words of the topic that stand in another sentence; subject: the words that name the subject of
    the whole text, where it shows one; is_told: the text gives background beside its questions.
    """

    text: str
    kind: QuestionType
    words: tuple[str, ...]
    topic: tuple[str, ...]
    facets: tuple[str, ...]
    phrase: str = ""
    english: bool = True
    context: tuple[str, ...] = ()
    subject: tuple[str, ...] = ()
    is_told: bool = False

    @property
    def points_back(self) -> bool:
        """Return True if a pronoun comes before any word that names something."""
        match = _POINTER.search(self.text)
        return match is not None and not content_tokens(self.text[: match.start()])

    def list_own_words(self) -> list[str]:
        """Return the words of topic and facets that the question itself names a thing by.

        Empty if its topic has fewer than two of them, or if it does not begin as a question and so
        may give background. They are in its order.
        """
        if not _DIRECT.match(self.text):
            return []
        asked = frozenset(tokenize(self.text))
        names = [
            word
            for word in self.words
            if asked.issuperset(tokenize(word)) and (may_name(word) or word in self._numbers)
        ]
        of_topic = [
            word
            for word in names
            if word in self.topic
            and word_root(word.lower()) not in FACET_WORDS
            and word.lower() not in POSITION_WORDS
        ]
        kept = {*of_topic, *self.facets}
        return [word for word in names if word in kept] if len(of_topic) > 1 else []

    def list_heaviest(self, most: int, *, counts_year: bool = False) -> list[str]:
        """Return the words of the topic that say most, in the order of the question.

        Of a story those are the subject and a few rare words beside it. counts_year: a year may
        take the place of a word of the topic's phrase; otherwise one more is returned.
        """
        if self.is_told and self.subject:
            return self._list_story_words(most)
        return self._list_rarest(most, counts_year=counts_year)

    def _list_story_words(self, most: int) -> list[str]:
        subject = list(self.subject[:most])
        named = frozenset(word_root(token) for word in subject for token in tokenize(word))
        others = []
        for word in self._list_rarest(len(self.topic)):
            is_rare = rarity(word.lower()) >= MIN_OTHER_RARITY or word in self._numbers
            names_thing = may_name(word) and not _TOLD_VERB.fullmatch(word)
            if is_rare and (names_thing or word in self._numbers) and not names_any(word, named):
                others.append(word)
        rarest = sorted(others, key=lambda word: -rarity(word.lower()))
        room = max(0, min(MAX_OTHER_WORDS, most - len(subject)))
        return [*subject, *(word for word in others if word in rarest[:room])]

    @property
    def _numbers(self) -> frozenset[str]:
        return frozenset[str]().union(*find_numbered_names(self.text).values())

    def _list_rarest(self, most: int, *, counts_year: bool = False) -> list[str]:
        in_phrase = set(tokenize(" ".join((self.phrase, *self.context, *self.subject))))
        weights: dict[str, float] = {}
        numbers = self._numbers
        for place, word in enumerate(self.topic):
            weight = rarity(word.lower()) + EARLY_BONUS * (1 - place / len(self.topic))
            if word[0].isdigit():
                is_name = word in numbers or _YEAR.fullmatch(word) is not None
            else:
                is_name = word != word.lower() and not self.text.startswith(word)
            if is_name:
                weight = HEAVIEST + EARLY_BONUS
            weights[word] = weight + PHRASE_BONUS * (not in_phrase.isdisjoint(tokenize(word)))
        ranked = sorted(self.topic, key=lambda word: -weights[word])
        kept = ranked[:most]
        of_phrase = set(tokenize(self.phrase))
        lost = [word for word in ranked[most:] if not of_phrase.isdisjoint(tokenize(word))]
        if lost and not counts_year and any(map(_YEAR.fullmatch, kept)):
            kept = [*kept, lost[0]]
        return [word for word in self.topic if word in kept]


#: Words of time, place and degree that name nothing beside others.
POSITION_WORDS = frozenset(
    """
    about above across again against ago almost along already always away back before behind below
    beneath beside besides beyond down either else enough especially even ever everything far
    forward inside instead later left maybe near never next now off often once onto ok okay out
    outside perhaps quite rather really recently right since something somewhere soon still though
    through together too towards under until up usually without yet
    """.split()
)
#: A line is no name if its words are all more common (`rarity`); what so many clauses name is then
#: the subject.
MIN_STRONG_NAME, MIN_NAMING_CLAUSES = 4.0, 3
_CLAUSES = re.compile(r"[.,;:!?()]+(?=\s|$)|\s(?:and|or|but|because|if|who|which)\s")
#: A verb of what happened in a story: "insisted", "prescribed".
_TOLD_VERB = re.compile(r"\w{2,}ed", re.IGNORECASE)
OVERVIEW = QUESTION_TYPES[-1]
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")


@lru_cache(maxsize=256)
def split_questions(text: str) -> tuple[AskedPart, ...]:
    """Return the first questions in a text, at least one and at most `MAX_PARTS`, in its order."""
    spelled = spell_shorthand(text)
    if not is_english(spelled):
        return _read_foreign(text)
    clauses, telling, asks = _read_clauses(spelled)
    parts: list[AskedPart] = []
    for clause in clauses[:MAX_PARTS]:
        earlier = parts[0].phrase if parts else ""
        parts.append(_read_part(_name_topic(_correct_spelling(clause), earlier)))
    if not parts:
        return (_read_part(spelled),)
    tells = bool(telling) or not asks or len(spelled.split()) > MAX_ASKING_WORDS
    text_read = _correct_spelling(spelled)
    last_told = _correct_spelling(telling[-1]) if telling else ""
    parts = [
        _add_subject(
            part, text_read, last_told, is_story=tells and not (asks and _names_topic(part))
        )
        for part in parts
    ]
    first = _add_context(parts[0], None, telling)
    rest = [_add_context(part, first, telling) for part in parts[1:]]
    return (first, *rest)


def count_unread_questions(text: str) -> int:
    """Return how many questions of a text come after the first `MAX_PARTS`."""
    spelled = spell_shorthand(text)
    if is_english(spelled):
        return max(0, len(_read_clauses(spelled)[0]) - MAX_PARTS)
    return max(0, len(_read_letter(text, guess_language(text))) - MAX_PARTS)


@lru_cache(maxsize=256)
def _read_clauses(spelled: str) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """Return all that an English text asks, the sentences that only tell, and whether it asks."""
    clauses, telling = _list_clauses(spelled)
    asks = _asks_anything(spelled)
    if not asks:  # what is only told belongs together
        clauses = [*clauses[: MAX_TOLD_PARTS - 1], " ".join(clauses[MAX_TOLD_PARTS - 1 :])]
    return tuple(filter(None, clauses)), tuple(telling), asks


def _asks_anything(text: str) -> bool:
    sentences = _list_sentences(text)
    return any(is_request(each) or is_question(strip_manners(each)) for each in sentences)


def list_telling_words(part: AskedPart) -> list[str]:
    """Return the words of a part of a story that are common or only tell, and name nothing."""
    if not part.is_told:
        return []
    kept = (*part.list_heaviest(len(part.topic)), *part.facets)
    return [word for word in part.words if word not in kept]


def _add_subject(part: AskedPart, text: str, last_told: str, *, is_story: bool) -> AskedPart:
    """Return a question with the subject of its text, as far as one shows.

    That is the text's subject line, or repeated words. Of a longer text without a line, if that is
    a story whose question names nothing by itself, it is the run of words that weighs most; for a
    question that points back, a rare one of the last sentence told, `last_told`, comes first.
    """
    line = read_subject_line(text)
    if not is_long(text) or not (line or is_story):
        return replace(part, subject=line or find_repeated_words(text))
    repeated = find_repeated_words(text)
    run = find_heaviest_run(text) or repeated
    if part.points_back:
        last_run = find_heaviest_run(last_told)
        if any(rarity(word.lower()) >= MIN_NAME_RARITY for word in last_run):
            run = last_run
    is_common = len(line) == 1 and rarity(line[0].lower()) < MIN_NAME_RARITY
    if is_common and names_any(" ".join(run), frozenset((word_root(line[0].lower()),))):
        return replace(part, subject=run, is_told=True)
    if _names_only_side(line) and _count_clauses(run, text) >= MIN_NAMING_CLAUSES:
        return replace(part, subject=(*run, *line)[:MAX_SUBJECT_WORDS], is_told=True)
    of_line = frozenset(word_root(token) for word in line for token in tokenize(word))
    names = [
        word
        for word in repeated
        if rarity(word.lower()) >= MIN_NAME_RARITY and not names_any(word, of_line)
    ]
    return replace(part, subject=(*line, *names) if line else run, is_told=True)


def _names_only_side(line: Sequence[str]) -> bool:
    """Return whether a subject line has common words only, as "Genetic testing"."""
    return bool(line) and max(rarity(word.lower()) for word in line) < MIN_STRONG_NAME


def _count_clauses(words: Sequence[str], text: str) -> int:
    """Return how many clauses of a text name all of these words; 0 without words."""
    roots = frozenset(word_root(word.lower()) for word in words)
    if not roots:
        return 0
    clauses = [frozenset(map(word_root, tokenize(each))) for each in _CLAUSES.split(text)]
    return sum(roots <= clause for clause in clauses)


def _names_topic(part: AskedPart) -> bool:
    """Return whether a question is short and names its topic, so that it needs no other words."""
    if part.points_back or len(part.text.split()) > MAX_PLAIN_WORDS:
        return False
    rarities = [rarity(word.lower()) for word in part.topic if may_name(word)]
    several = sum(weight >= MIN_NAMING_RARITY for weight in rarities) >= 2
    return several or max(rarities, default=0.0) >= MIN_TOPIC_RARITY


def spell_shorthand(text: str) -> str:
    """Return a text with the shorthand of chats written out, spaces mended and without ages."""
    spelled = expand_shorthand(tidy(" ".join(text.split())))
    return capitalize_after_line(separate_questions(spelled)) if is_long(text) else spelled


def spell_text(text: str) -> str:
    """Return an English text with shorthand and slips of spelling mended."""
    return _correct_spelling(spell_shorthand(text))


def condense_question(text: str) -> str:
    """Return the questions of a text with their subject, without the background.

    A short text is returned as it is, and so is one in another language that is no letter.
    """
    parts = split_questions(text)
    if not is_long_english(text) and not is_foreign_letter(text):
        return text
    asked = []
    for part in parts:
        bare = part.text.rstrip(" ?.!？。؟")
        mark = "?" if part.text.rstrip(" .!").endswith(("?", "？", "؟")) else "."
        named = f" ({' '.join(part.context)})" if part.context else ""
        asked.append(f"{bare}{named}{mark}")
    shorter = " ".join(asked)
    # What is left of a letter may not show its language.
    is_readable = parts[0].english or guess_language(shorter) == guess_language(text)
    return shorter if len(shorter) < len(text) and is_readable else text


def list_own_questions(text: str) -> tuple[str, ...]:
    """Return the questions of a text that asks several, if they name their topic themselves.

    A page on one of them answers that one, and need not name what the others ask about.
    """
    if not is_long_english(text):
        return ()
    asked = [
        (part, sentence.strip(" ?.!"))
        for part in split_questions(text)
        for sentence in _list_sentences(part.text)
        if is_question(sentence)
    ]
    weights: dict[str, float] = {}
    for part, question in asked:
        words = [word for word in content_tokens(question) if word not in COURTESY_WORDS]
        points_elsewhere = bool(part.context) or _POINTS_ELSEWHERE.search(question)
        if len(words) >= MIN_QUESTION_WORDS and not points_elsewhere:
            weights[f"{question}?"] = max(map(rarity, words))
    heaviest = max(weights.values(), default=0.0)
    named = [text for text, weight in weights.items() if weight >= MIN_TOPIC_SHARE * heaviest]
    return tuple(named) if len(asked) > 1 else ()


#: What a question shows that needs the one before: "if so", "this medicine", "such a dose".
_POINTS_ELSEWHERE = re.compile(
    r"^if (?:so|not|yes|no)\b|\b(?:this|these|those|it|they|them|such)\b", re.IGNORECASE
)


def is_long(text: str) -> bool:
    """Return whether a text has so many words that some may only tell."""
    return len(text.split()) > MAX_SHORT_WORDS


def is_long_english(text: str) -> bool:
    """Return whether a text is long and in English."""
    return is_long(text) and split_questions(text)[0].english


def is_foreign_letter(text: str) -> bool:
    """Return whether a text in another language tells something beside its questions."""
    first = split_questions(text)[0]
    return not first.english and first.text != text


def list_key_words(question: str) -> list[str]:
    """Return the words of topic and facets of every question in a text, in order, each once."""
    first_spellings: dict[str, str] = {}
    for part in split_questions(question):
        for word in part.words:
            first_spellings.setdefault(word.lower(), word)
    return list(first_spellings.values())


def is_english(text: str) -> bool:
    """Return True if a text is taken for English.

    It has no fewer of the common words of English than of all other languages, and most of its
    words, names apart, are known.
    """
    if detect_script(text) not in ("LATIN", ""):
        return False
    words = [word.strip(".,;:!?¿¡'\"()") for word in text.split()]
    lowered = [word.lower() for word in words]
    english = sum(word in FILLER_WORDS for word in lowered)
    foreign = sum(word in _FOREIGN_WORDS for word in lowered)
    if foreign > english or not (english or text.isascii()):
        return False
    plain = [word for word in words if len(word) > 1 and word.islower() and word.isalpha()]
    known = sum(is_known_word(correct_word(word)) for word in plain)
    return known >= MIN_KNOWN_SHARE * len(plain)


_FOREIGN_WORDS = frozenset().union(*FUNCTION_WORDS.values()) - FUNCTION_WORDS["en"] - FILLER_WORDS


def list_gists(text: str) -> tuple[str, ...]:
    """Return for each question of a longer text its heaviest words, with what it asks of them.

    Empty for a short text, one in another language that is no letter, and one that has hardly more
    words than these.
    """
    parts = split_questions(text)
    if is_foreign_letter(text):
        return tuple(dict.fromkeys(" ".join(_list_gist_words(part)) for part in parts))
    if not is_long_english(text):
        return ()
    gists: dict[str, None] = {}
    for part in parts:
        nouns = [word for word in part.facets if not word.lower().endswith("ed")]
        heaviest = part.list_heaviest(MAX_GIST_TOPIC, counts_year=True)
        kept = {*heaviest, *nouns[:MAX_GIST_FACETS]}
        examples = list_examples(part.text)
        named = [word for word in part.words if not names_any(word, examples)]
        # An example of what is asked about is not asked about itself.
        words = dict.fromkeys(word for word in named or part.words if word in kept)
        gists[" ".join(words)] = None
    return tuple(gists) if list(gists) != [" ".join(list_key_words(text))] else ()


def _list_gist_words(part: AskedPart) -> list[str]:
    """Return the heaviest word of the subject of a letter in another language, and what it asks."""
    own = [word for word in part.words if word not in part.context]
    words = [*part.subject, *own] if own else part.words
    return list(words[: MAX_GIST_TOPIC + MAX_GIST_FACETS])


#: Words for a side of a thing that has kinds of its own: "environmental risks".
_SIDES_WITH_KINDS = (
    r"(?:risks?|dangers?|hazards?|threats?|harms?|effects?|impacts?|influences?|consequences?"
    r"|causes?|reasons?|benefits?|advantages?|disadvantages?|drawbacks?|downsides?)"
)
_KIND_OF_SIDE = (
    r"(?:main|major|key|chief|biggest|greatest|worst|best|long-term|short-term|long-run|everyday"
    r"|[^\W\d_]{2,}(?:al|ic|ous|ary|ory|ive|able|ible))"
)
_KINDS_OF_SIDE = re.compile(
    rf"\b{_KIND_OF_SIDE}(?:(?:,| and| or|, and)? {_KIND_OF_SIDE})* (?={_SIDES_WITH_KINDS}\b)",
    re.IGNORECASE,
)


def widen_side(question: str) -> str:
    """Return an English question without the kind of the side it asks for, "" if it names none.

    "What are the effects of X?" for "What are the long-term effects of X?". The topic must be named
    by other words.
    """
    parts = split_questions(question)
    if len(parts) > 1 or not parts[0].english:
        return ""
    wider = _KINDS_OF_SIDE.sub("", question)
    named = frozenset(tokenize(wider))
    is_named = any(named.issuperset(tokenize(word)) for word in parts[0].topic)
    return wider if wider != question and is_named else ""


def _list_sentences(text: str) -> list[str]:
    """Return the sentences of a text, also those that end with a letter: "plan B. Is it safe?"."""
    sentences = [text[start:end] for start, end in find_sentences(text)]
    return [piece for sentence in sentences for piece in _BEHIND_LETTER.split(sentence)]


_BEHIND_LETTER = re.compile(
    r"(?<=\s[A-Z]\.)\s+(?=(?:Is|Are|Was|Were|Do|Does|Did|Can|Could|Should|Would|Will|May|Must|Has"
    r"|Have|What|Which|When|Where|Why|Who|How)\b.{0,300}\?)"
)


def _list_clauses(text: str) -> tuple[list[str], list[str]]:
    """Return the questions of a text, without politeness, and the sentences that do not ask.

    If none asks, those that wish for something do, or else all.
    """
    asking: list[str] = []
    telling: list[str] = []
    sentences = _list_sentences(text)
    if len(sentences) > 1 and is_label(sentences[0]):
        del sentences[0]
    for sentence in sentences:
        bare = strip_manners(sentence)
        lead = LEAD_IN.match(sentence)
        before = GREETING.sub("", lead[0]) if lead else ""
        if content_tokens(before):
            telling.append(before)
        is_empty = _EMPTY_WORDS.issuperset(content_tokens(bare)) and not is_question(bare)
        if is_empty and not _PRONOUN.search(bare):
            continue
        if is_request(sentence):
            bare = re.sub(r"^if\b", "whether", bare, flags=re.IGNORECASE)
            asking += [
                _ask_directly(clause)
                for clause in _split_clauses(bare.rstrip(" ?"), _INDIRECT_START)
            ]
        elif is_question(bare) and not lacks_subject(bare):
            asking += _split_clauses(bare)
        elif not _EMPTY_WORDS.issuperset(content_tokens(bare)):
            telling.append(bare)
    if not asking:
        asking = [sentence for sentence in telling if _WISHES.search(sentence)] or telling
        telling = [sentence for sentence in telling if sentence not in asking]
    return asking, telling


#: "We would like suggestions on …", "I need …".
_WISHES = re.compile(
    r"\b(?:i|we)(?: \w+)? (?:want|need|wish|would like|would love|request)\b"
    r"|\b(?:i|we)'d (?:like|love)\b|\b(?:looking|searching|asking|hoping) for\b"
    r"|\bany (?:hope|help|advice|ideas?|suggestions?)\b",
    re.IGNORECASE,
)
#: Words that ask for an answer and not for anything else: "please help me", "any advice?".
_EMPTY_WORDS = COURTESY_WORDS | {"help", "advise", "advice", "reply", "soon", "possible", "suggest"}


_INDIRECT = re.compile(
    r"^(?P<word>(?:what|which|where|when|why|who|how)(?: (?:long|old|big|far|high|much|kind of \w+))?)"
    r" (?:(?P<subject>(?!is |are |was |were |do |does |did |can |causes? |to )"
    r"[\w'-]+(?: [\w'-]+){0,5}?) (?P<verb>is|are|was|were)"
    r"|(?P<person>i|we|you|one|they|it|he|she) (?P<modal>can|could|should|will|would|must))"
    r"\b(?P<rest>[^?]*)\??$",
    re.IGNORECASE,
)


def _ask_directly(text: str) -> str:
    """Return what a request asks as a direct question: "when X was built" → "when was X built?".

    A form that cannot be turned round is returned without a question mark.
    """
    match = _INDIRECT.match(text)
    if match:
        verb, subject = match["verb"] or match["modal"], match["subject"] or match["person"]
        return f"{match['word']} {verb} {subject}{match['rest']}?"
    return f"{text}?" if _DIRECT.match(text) else text


#: Contractions without their apostrophe that are no other English words: "im", "youre".
#: Names stay: "IM", "Im Yoon-ah", and "Ive" but at the start of a sentence.
_UNMARKED = re.compile(
    r"\b(?:(?P<pronoun>i|I(?=m\b(?! [A-Z]))|(?:^|(?<=[.!?] ))I|[Yy]ou|[Tt]hey|[Ss]he)"
    r"(?P<verb>(?<=\b[Ii])(?:m|ve)|(?<=ou|ey)(?:re|ve)|(?<=he)s))\b"
)
_SHOUTED = re.compile(rf"(?<![\w'-])[A-Z]{{{MAX_ACRONYM_LENGTH + 1},}}(?![\w'-])")


def _correct_spelling(text: str) -> str:
    """Return a text without slips; words in capitals for emphasis are corrected, names are not."""
    marked = _UNMARKED.sub(lambda match: f"{match['pronoun']}'{match['verb']}", text)
    plain = re.sub(r"(?<![\w'-])[a-z]+(?![\w'-])", lambda match: correct_word(match[0]), marked)
    return _SHOUTED.sub(lambda match: correct_word(match[0].lower()).upper(), plain)


# ---------------------------------------------------------------- several questions in one

_CLAUSE_START = re.compile(
    r"(?:\s*[,;?]+\s*(?:(?:and|or|but)(?: also)?\s+)?|\s+(?:and|or|but)(?: also)?\s+|\s*[&/+]\s*)"
    r"(?=(?:(?:at|in|from|to|for|on) )?"
    r"(?:(?:what|how|why|when|where|who|which)"
    r" (?:is|are|does|do|did|was|were|can|could|should|would|will|has|have|to|much|many|often|long"
    r"|far|old|causes?|happens?|helps?|kinds?|types?|\w+ (?:is|are|does|do|should|can))"
    r"|(?:is|are|does|do|can|should|will) (?:it|they|there|this|these|i|you|we))\b)",
    re.IGNORECASE,
)


#: In a request every question word after "and" or a comma begins another question.
_INDIRECT_START = re.compile(
    r"(?:\s*[,;]\s*(?:(?:and|or)\s+)?|\s+(?:and|or|&)\s+)(?:also\s+)?"
    r"(?=(?:(?:at|in|from|to|for|on) )?(?:what|how|why|when|where|who|which|whether)\b)",
    re.IGNORECASE,
)


def _split_clauses(sentence: str, start: re.Pattern[str] = _CLAUSE_START) -> list[str]:
    """Return the questions that one sentence joins by "and" or a comma.

    A clause that names nothing by itself ("which is better and why?") stays with the one before.
    """
    mark = "?" if sentence.rstrip().endswith("?") else ""
    clauses: list[str] = []
    for piece in start.split(sentence):
        bare = strip_manners(piece).rstrip(" ?,;")
        if not bare:
            continue
        if not clauses or (_stands_alone(bare) and _stands_alone(clauses[-1]) and _asks(bare)):
            clauses.append(bare)
        else:
            clauses[-1] = f"{clauses[-1]} and {bare}"
    if len(clauses) > 1 and not _asks(clauses[0]):
        # "For my garden, what grows in the shade": what comes first belongs to the question.
        clauses = [f"{clauses[0]}, {clauses[1]}", *clauses[2:]]
    return [f"{clause}{mark}" for clause in clauses]


def _stands_alone(clause: str) -> bool:
    """Return True if a clause names something, or points to what was named."""
    return bool(content_tokens(clause) or _PRONOUN.search(clause))


def _asks(clause: str) -> bool:
    return is_question(clause) or clause.lower().startswith("whether ")


_PRONOUN = re.compile(r"\b(its|their|it|they|them|this|that|these|those|he|she|his|her)\b", re.I)
_POINTER = re.compile(rf"{_PRONOUN.pattern}|\b(?:the two|both|the former|the latter)\b", re.I)
_DIRECT = re.compile(
    r"^how to\b|^(?:(?:what|how|why|when|where|who|which)\b(?: \w+)?(?: \w+)? ?)?\b(?:is|are|do|does|did|was|were"
    r"|can|could|should|would|will|has|have|may|might|causes?|happens?)\b",
    re.IGNORECASE,
)
_PLURALS = frozenset(("they", "them", "their", "these", "those"))
_POSSESSIVE = frozenset(("its", "their", "his", "her"))


def _name_topic(clause: str, phrase: str) -> str:
    """Return a clause with its first pronoun replaced by the topic of the question before."""
    if not phrase or phrase.lower() in clause.lower():
        return clause

    is_one = re.match(r"an?\b", phrase, re.IGNORECASE)

    def put_phrase(match: re.Match[str]) -> str:
        if is_one and match[0].lower() in _PLURALS:  # "a comet" and "they" do not agree
            return match[0]
        if match[0].lower() in _POSSESSIVE:
            return f"{phrase}{'’' if phrase.endswith('s') else '’s'}"
        return phrase

    return _PRONOUN.sub(put_phrase, clause, count=1)


# ---------------------------------------------------------------- topic and facet

#: What asks for a figure and is named by a noun in a query.
MEASURES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), noun)
    for pattern, noun in (
        (r"\bhow much (?:money )?(?:does|do|did|will|would|is|are)\b.*\b(?:cost|charge|pay|worth)\b",
         "cost"),
        (r"\bhow (?:much|expensive) (?:is|are)\b", "cost"),
        (r"\bhow long (?:is|are|was|were)\b", "length"),
        (r"\bhow old\b", "age"),
        (r"\bhow far\b", "distance"),
        (r"\bhow (?:high|tall)\b", "height"),
        (r"\bhow deep\b", "depth"),
        (r"\bhow heavy\b|\bhow much (?:do|does|did) .* weigh\b", "weight"),
        (r"\bhow (?:hot|cold|warm)\b", "temperature"),
        (r"\bhow (?:big|large)\b", "size"),
        (r"\bhow fast\b", "speed"),
        (r"\bhow many\b", "number"),
        (r"\bhow often\b", "frequency"),
        (r"\bhow long\b", "duration"),
    )
)  # fmt: skip
_ASKS_MEASURE = re.compile(
    r"\bhow (?:much|many|often|long|far|old|large|big|fast|high|deep|tall|heavy|hot|cold|warm"
    r"|expensive)\b",
    re.IGNORECASE,
)


def find_measure(part: AskedPart) -> str:
    """Return the noun for what is measured ("cost", "height"), or "" if no figure is asked for."""
    if part.kind.name != "how much":
        return ""
    for pattern, noun in MEASURES:
        if pattern.search(part.text):
            return noun
    return ""


_TOPIC = r"(?P<topic>[^,;:?]{2,80}?)"
_WHERE_ENDS = r"(?=\s*$)"
#: Forms of questions that show their topic as one phrase; the first that matches counts.
_TOPIC_FORMS = tuple(
    re.compile(pattern.replace("TOPIC", _TOPIC) + _WHERE_ENDS, re.IGNORECASE)
    for pattern in (
        r"\b(?:symptoms?|signs?|causes?|effects?|impacts?|consequences?|complications?|treatments?"
        r"|therap(?:y|ies)|remed(?:y|ies)|cures?|reasons?|risks?|benefits?|types?|kinds?|forms?"
        r"|examples?|history|origins?|definition|meaning|costs?|prices?|stages?|advantages?"
        r"|disadvantages?|pros and cons|latest \w+|news|features?|uses?|rules?)"
        r" (?:of|for|on|about) TOPIC",
        r"^(?:what|which \w+) (?:causes|triggers|leads to|caused) TOPIC",
        r"^how (?:is|are|was|were|can|should|could) TOPIC (?:be )?(?:\w{3,}ed|made|built|won|known)",
        r"^how (?:do|does) (?:you|one|we|doctors|people|experts) (?:treat|diagnose|prevent) TOPIC",
        r"^how (?:much|long|often|fast|far|many \w+|much \w+) (?:does|do|did|will|would|can|could)"
        r" TOPIC (?:to )?(?:cost|last|weigh|take|live|earn|pay|grow|have|charge|need|happen|run)"
        r"(?:\s.*)?",
        r"^how (?:high|long|old|far|big|large|tall|deep|heavy|hot|cold|fast|much|common|expensive)"
        r" (?:is|are|was|were) TOPIC",
        r"^how (?:does|do|did) TOPIC (?:work|function|operate|form|develop|spread|start|begin)"
        r"(?:\s.*)?",
        r"^how (?:does|do|did) TOPIC (?:affect|influence|impact|change)\s.*",
        r"^what (?:does|do) TOPIC (?:cost|mean|do|cause)(?:\s.*)?",
        r"^what (?:is|are|was|were) (?:meant by )?TOPIC",
        r"^who (?:is|are|was|were) TOPIC",
        r"^TOPIC (?:side effects|symptoms|signs|causes|treatments?|therapy|costs?|prices?|history"
        r"|risks?|benefits)",
    )
)
_LEADS_NO_PHRASE = re.compile(
    r"^(?:(?:the )?(?:best|most|cheapest|difference|easiest|latest|newest|recent|current)|it|they|this|that|i|you|we"
    r"|he|she|there|to|being|my|your|our)\b",
    re.IGNORECASE,
)
_VERB_OR_QUESTION_WORD = re.compile(
    r"\b(?:what|how|why|when|where|who|which|that|if|whether|is|are|was|were|be|do|does|did|can"
    r"|could|should|would|will|has|have|had|must)\b",
    re.IGNORECASE,
)


def _find_phrase(text: str, kind: QuestionType) -> str:
    """Return the topic of a question as a phrase, or ""."""
    bare = text.rstrip(" ?.!")
    for form in _TOPIC_FORMS:
        match = form.search(bare)
        if match:
            phrase = match["topic"].strip()
            return phrase if _is_phrase(phrase) else ""
    if kind is OVERVIEW and not is_question(text) and len(bare.split()) <= 5:
        return bare if _is_phrase(bare) else ""
    return ""


_PERSONAL_PRONOUN = re.compile(r"\b(?:it|they|them|he|him|she)\b", re.IGNORECASE)


def _is_phrase(text: str) -> bool:
    """Return True if a text can stand for a thing in another question."""
    is_short = 1 <= len(text.split()) <= 8
    asks = _VERB_OR_QUESTION_WORD.search(text) or _LEADS_NO_PHRASE.match(text)
    points = _PERSONAL_PRONOUN.search(text)  # "the chances of it happening again"
    return is_short and not asks and not points and bool(content_tokens(text))


#: Words that name a side of a topic, whatever the topic is.
_FACET_ROOTS = frozenset(
    word_root(word)
    for word in (
        "weigh define rid benefit advantage disadvantage drawback use feature type kind example stage side diagnosis"
        " prevention size population overview definition fact statistic evidence alternative"
    ).split()
)
#: Words that rank and name nothing.
_RANKING_WORDS = frozenset(
    "best better worse main major important certain various several two both".split()
)
#: Verbs of duration, which the noun for the measure says.
_DURATION = re.compile(r"\bhow long\b(?=.*\b(?:last|take)\b)", re.IGNORECASE)
_DURATION_VERBS = frozenset(("last", "take"))


def _is_facet(word: str) -> bool:
    """Return True for a word that alone shows what is asked about a topic ("symptoms", "risk")."""
    lowered = word.lower()
    root = word_root(lowered)
    if root in _FACET_ROOTS or root in CUE_ROW_OF:
        return True
    return any(kind.asked.pattern and kind.asked.search(lowered) for kind in QUESTION_TYPES)


def _read_part(clause: str) -> AskedPart:
    """Return one question with its kind, topic and facets."""
    bare = clause.strip(" ?,;.")
    shown = f"{bare[:1].upper()}{bare[1:]}" if _asks(bare) else bare
    if _DIRECT.match(bare) or clause.rstrip().endswith("?"):
        shown += "?"
    kind = classify_question(shown)
    words = [
        word
        for word in find_keywords(_ASKS_MEASURE.sub(" ", bare))
        if word.lower().replace("’", "'") not in FILLER_WORDS
    ]
    unasked = _RANKING_WORDS | (_DURATION_VERBS if _DURATION.search(bare) else frozenset())
    words = [word for word in words if word.lower() not in unasked] or words
    facets = tuple(word for word in words if _is_facet(word))
    topic = tuple(word for word in words if word not in facets)
    if not topic:
        topic, facets = facets, ()
    phrase = _find_phrase(shown, kind)
    return AskedPart(shown, kind, tuple(words), topic, facets, phrase)


def _read_foreign(text: str) -> tuple[AskedPart, ...]:
    """Return the first questions of a text in another language; one that is no letter, as it is."""
    # A start does not wait for what only questions in other languages need.
    from research_core.text.foreign_letters import strip_manners as strip_foreign_manners

    language = guess_language(text)
    parts = _read_letter(text, language)[:MAX_PARTS]
    if parts:
        return parts
    words = tuple(find_keywords(strip_foreign_manners(text, language) or text, language))
    return (AskedPart(text, OVERVIEW, words, words, (), english=False),)


@lru_cache(maxsize=256)
def _read_letter(text: str, language: str) -> tuple[AskedPart, ...]:
    """Return the questions of a letter in another language, () for any other text."""
    from research_core.text.foreign_letters import split_letter

    parts = []
    for asked in split_letter(text, language):
        words = (*asked.subject, *asked.words)
        if words:
            part = AskedPart(asked.text, OVERVIEW, words, words, (), english=False)
            parts.append(replace(part, context=asked.subject, subject=asked.heaviest))
    return tuple(parts)


def _add_context(part: AskedPart, first: AskedPart | None, telling: Sequence[str]) -> AskedPart:
    """Return a part whose topic is named: by the subject, the first question, or what is told.

    A part takes over the subject of the whole text if it names no word of it. Only one that names
    less than two words or only what is asked ("the options available"), or points back, takes
    anything else over.
    """
    subject = part.subject
    own = {word_root(token) for word in part.words for token in tokenize(word)}
    of_subject = [word_root(token) for word in subject for token in tokenize(word)]
    is_named = 2 * sum(root in own for root in of_subject) >= len(of_subject)
    lacking = () if is_named else tuple(subject)
    points_back = part.points_back
    named = own - FACET_WORDS
    if len(part.topic) >= 2 and not points_back and (lacking or named):
        return _put_topic_first(part, lacking)
    if first is not None and (points_back or not part.topic):
        heaviest = lacking or first.list_heaviest(MAX_FIRST_TOPIC_WORDS)
        more = [word for word in heaviest if word not in part.topic]
        return _put_topic_first(part, more)
    told = find_keywords(_correct_spelling(" ".join(telling)))
    known = set(map(str.lower, (*subject, *part.topic)))
    nameless = FILLER_WORDS | COURTESY_WORDS | LETTER_WORDS | known
    told_names = [
        word
        for word in told
        if word[0].isalpha() and "." not in word and word.lower() not in nameless
    ]
    most = max(0, MAX_CONTEXT_WORDS - len(subject))
    rarest = sorted(told_names, key=lambda word: -rarity(word.lower()))[:most]
    return _put_topic_first(part, [*lacking, *(word for word in told_names if word in rarest)])


def _put_topic_first(part: AskedPart, more: Sequence[str]) -> AskedPart:
    """Return a part with words of its context as its topic; its own facets are facets again."""
    if not more:
        return part
    facets = [word for word in part.topic if _is_facet(word)]
    own = [word for word in part.topic if word not in facets]
    return replace(
        part,
        topic=(*more, *own),
        facets=(*facets, *part.facets),
        words=(*more, *part.words),
        context=tuple(more),
    )
