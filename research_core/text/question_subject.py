"""Find the words that name the subject of a text that gives background before it asks.

Letters and posts name it in a line of its own ("Frozen pipe. We came home to … What can I do?"),
or they repeat it. Goes by the form of an English text and by no subject.
"""

from __future__ import annotations

import re
from collections import Counter

from research_core.text.sentences import find_sentences
from research_core.text.similarity import (
    FILLER_WORDS,
    content_tokens,
    is_question,
    rarity,
    word_root,
)
from research_core.text.words import tokenize

#: Words of letters and of talk, which no result answers.
COURTESY_WORDS = frozenset(
    """
        afternoon appreciate appreciated apologies apologise apologize asap beginner best bother
        bothering cheers clue confused curious dear dude everybody everyone evening folks friend
        friends glad good goodbye grateful greetings guys happy hey hope hopefully honest honestly
        idea kind kindest kindly love lovely madam mate mind morning name needed pardon question
        questions quick regards respect respectfully silly simple sincerely sir sirs somebody
        sorry stupid sure team thankful thanks thx tnx warm welcome wish wishes wonder wondering
        yours
    """.split()
)
#: Words by which a letter asks, reaches its reader or says who is concerned. They name the thing
#: only of a text without background.
LETTER_WORDS = frozenset(
    """
        accountant adviser advisor attorney aunt boyfriend brother colleague cousin coworker dad
        daughter dentist doctor doing dr email enquire etc expert father further girlfriend
        granddaughter grandfather grandma grandmother grandpa grandson husband inform inquire
        internet lawyer mail mailed mechanic mom mother mum myself neighbor neighbour obtain online
        others ourselves page partner pharmacist physician professional receive reply request send
        sent sibling sister site somebody son specialist specialists told uncle wanted webpage
        website websites wife worried worry worrying yourself
    """.split()
)
#: Words of a line that names the subject, and of the subject.
MAX_LINE_WORDS, MAX_SUBJECT_WORDS = 6, 3
#: A word that so many clauses name is the subject, if it is so rare (`rarity`).
MIN_CLAUSES, MIN_REPEATED_RARITY, MAX_REPEATED_WORDS = 2, 4.5, 2
#: A line with one of these is a statement; it does not only name a thing.
_TELLING_WORDS = frozenset(
    """
        i i'm i've my me we we're we've our us you your he she his her they their it its is are am
        was were be been has have had having do does did can could will would should may might must got
        get gets need needs want wants cannot cant dont wont
    """.split()
)
#: A line of these only is the label of a form or a mailbox.
_LABEL_WORDS = frozenset(
    """
        advice assignment comment complaint concern consultation consulting detail details enquiry
        feedback general health help homework important inquiry legal medical message opinion post
        project query reply request research search site specific study subject suggestion support
        technical topic update urgent various website
    """.split()
)
_CLAUSE_END = re.compile(r"[.,;:!?()]+(?=\s|$)|\s[.,;:]+")
#: A line before a text that is written without capitals: "router keeps dropping.. it worked until".
_SHORT_LINE = re.compile(r"[^.!?;:,]{3,60}(?<![ .]\w)(?<![ .]\w\w)\.+(?=\s)")
_EDGES = "\"'“”‘’()[],.;:!?-–"


def find_subject(text: str) -> tuple[str, ...]:
    """Return the words that name the subject, as spelled and in order; empty if none shows.

    Those of a first line that only names something, otherwise rare words that the text repeats.
    """
    return read_subject_line(text) or find_repeated_words(text)


def read_subject_line(text: str) -> tuple[str, ...]:
    """Return the words that a first line names, if it is one that only names something.

    A common word alone that the rest does not name is the label of a message.
    """
    sentences = [text[start:end] for start, end in find_sentences(text)]
    if len(sentences) < 2:
        return ()
    words = _read_line(sentences[0])
    if len(words) == 1 and _weigh(words[0]) < MIN_REPEATED_RARITY:
        rest = " ".join(sentences[1:])
        is_named_again = word_root(words[0].lower()) in map(word_root, tokenize(rest))
        return words if is_named_again else ()
    return words


def capitalize_after_line(text: str) -> str:
    """Return a text whose second sentence begins with a capital if a short line stands first."""
    line = _SHORT_LINE.match(text)
    if not line:
        return text
    rest = text[line.end() :].lstrip()
    return f"{line[0]} {rest[:1].upper()}{rest[1:]}"


def is_label(line: str) -> bool:
    """Return whether a line is the label of a form: the name of a site, or "general request"."""
    words = line.split()
    bare = {word.strip(_EDGES).lower() for word in words} - {""}
    return len(words) <= MAX_LINE_WORDS and (_has_address(words) or bare <= _LABEL_WORDS)


def _read_line(line: str) -> tuple[str, ...]:
    """Return the heaviest words of a line that names a subject; empty for any other sentence."""
    words = line.split()
    if len(words) > MAX_LINE_WORDS or is_question(line) or _has_address(words):
        return ()
    if not _TELLING_WORDS.isdisjoint(tokenize(line)):
        return ()
    named: dict[str, str] = {}
    before = ""
    for word in words:
        bare = word.strip(_EDGES).removesuffix("'s")
        is_quantity = bare[:1].isdigit() and before.lower() in FILLER_WORDS | {""}
        if bare and not is_quantity and _names_something(bare):
            named.setdefault(bare.lower(), bare)
        before = bare
    if named.keys() <= _LABEL_WORDS:
        return ()
    heaviest = sorted(named, key=lambda word: -_weigh(word))[:MAX_SUBJECT_WORDS]
    return tuple(spelled for word, spelled in named.items() if word in heaviest)


def _has_address(words: list[str]) -> bool:
    """Return whether a line holds the name of a site: it is the label of a form."""
    return any(re.fullmatch(r"[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}", word) for word in words)


def _names_something(word: str) -> bool:
    tokens = content_tokens(word)
    return bool(tokens) and COURTESY_WORDS.isdisjoint(tokens)


def _weigh(word: str) -> float:
    return max(map(rarity, content_tokens(word)))


def find_repeated_words(text: str) -> tuple[str, ...]:
    """Return the rarest words that several clauses name, of a text of several sentences."""
    if len(find_sentences(text)) < 2:
        return ()
    clauses_with: Counter[str] = Counter()
    spellings: dict[str, str] = {}
    for clause in _CLAUSE_END.split(text):
        roots = set()
        for word in clause.split():
            bare = word.strip(_EDGES)
            if bare.isalpha() and _names_something(bare) and _weigh(bare) >= MIN_REPEATED_RARITY:
                root = word_root(bare.lower())
                roots.add(root)
                spellings.setdefault(root, bare)
        clauses_with.update(roots)
    repeated = [root for root in spellings if clauses_with[root] >= MIN_CLAUSES]
    rarest = sorted(repeated, key=lambda root: (-clauses_with[root], -rarity(root)))
    kept = rarest[:MAX_REPEATED_WORDS]
    return tuple(spelled for root, spelled in spellings.items() if root in kept)
