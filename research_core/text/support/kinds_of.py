"""Know, for a few everyday words, what is a kind of what: a dog is an animal.

What is said of one dog is said of an animal, but not of all animals, and nothing said of an animal
is said of a dog. The list is short on purpose: each row holds only kinds that nobody disputes, and
no names. Words that often mean something else are left out ("lead", "bear", "van"). A word that is
not listed is no kind of anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from research_core.text.support.negation import has_negation
from research_core.text.words import tokenize

#: A general word, then its kinds, in the singular.
_ROWS = """
animal: dog cat horse cow sheep goat pig rabbit mouse rat fox wolf deer lion tiger elephant \
monkey whale dolphin bird fish frog snake
bird: eagle sparrow owl pigeon goose hen penguin gull stork robin
fish: salmon trout cod tuna herring eel
insect: bee ant beetle butterfly moth mosquito wasp
tree: oak beech birch maple elm spruce willow
plant: tree shrub fern moss grass
fruit: apple pear plum cherry peach banana grape mango
vegetable: carrot cabbage onion spinach potato leek
vehicle: car bus lorry truck tram motorcycle bicycle
metal: iron copper zinc aluminium aluminum nickel
disease: malaria measles cholera tuberculosis influenza diabetes
fuel: coal petrol gasoline diesel kerosene
instrument: piano violin flute guitar trumpet cello
weapon: gun rifle pistol knife sword
relative: mother father brother sister aunt uncle cousin
"""


def _read_rows() -> Mapping[str, frozenset[str]]:
    """Return the kinds of each general word, and the kinds of these."""
    rows: dict[str, frozenset[str]] = {}
    for row in _ROWS.strip().splitlines():
        general, _, words = row.partition(": ")
        rows[general] = frozenset(words.split())
    for general, kinds in rows.items():
        below = [rows[kind] for kind in kinds if kind in rows]
        rows[general] = kinds.union(*below)
    return rows


#: Maps a general word to its kinds.
KINDS_OF = _read_rows()
#: A general word of which the sentence speaks as of one: what holds of a kind holds of it.
_ONE = re.compile(rf"\b(?:an?|one|another)\s+(?P<word>{'|'.join(KINDS_OF)})\b", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(?:an?|one|another|the)\s+(?P<word>\w+)\b", re.IGNORECASE)


def name_kind(sentence: str, text: str) -> str:
    """Return the sentence with the kind that the text names for a general word, or "".

    "A dog bit him" makes "a dog bit the driver" of "an animal bit the driver".
    """
    match = _ONE.search(sentence)
    if match is None or has_negation(tokenize(sentence)):
        return ""
    general = match["word"].lower()
    named = [one for one in _ARTICLE.finditer(text) if one["word"].lower() in KINDS_OF[general]]
    if not named or general in tokenize(text):
        return ""
    return f"{sentence[: match.start()]}{named[0][0]}{sentence[match.end() :]}"


def find_unnamed_kind(sentence: str, texts: Sequence[str]) -> str:
    """Return a kind that the sentence names where the texts name only the general word, or ""."""
    words = tokenize(sentence)
    held = set(tokenize(" ".join(texts)))
    held_singular = held | {word.removesuffix("s") for word in held}
    for general, kinds in KINDS_OF.items():
        if general not in held_singular:
            continue
        for word in words:
            singular = word if word in kinds else word.removesuffix("s")
            if singular in kinds and singular not in held_singular:
                return word
    return ""
