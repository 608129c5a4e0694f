"""Whether a place of a text says the opposite word where a sentence says its own: "sales rose" is not met by "sales fell".

Only a word that the place lacks counts, while it holds an opposite of it that the sentence lacks: so close a pair is rarely a coincidence.
The rows are plain English, written by hand and learnt from no text; who does what to whom is not read. `stance` looks wider, and warns.
"""

from __future__ import annotations

from functools import lru_cache

from research_core.llm.similarity import root
from research_core.text import tokens

_ROWS = """
increase rise rose risen grow grew grown growth climb surge soar gain / decrease fall fell fallen decline drop shrink shrank reduce plunge
more higher greater larger bigger longer faster stronger above exceed / less fewer lower smaller shorter slower weaker below
most highest largest biggest maximum / least fewest lowest smallest minimum
all every always everyone everybody / few none never nobody rarely seldom
often usually commonly / rarely seldom never
majority / minority
many / few
safe / dangerous harmful risky
true correct right / false incorrect wrong
accept approve / reject refuse deny
allow permit / ban prohibit forbid forbidden
support favour favor endorse / oppose
include / exclude
win won / lose lost
buy bought purchase / sell sold sale
import / export
profit / loss
surplus / deficit
succeed success successful / fail failure
guilty / innocent acquit
confirm prove proven / refute disprove debunk
begin began begun start / end stop cease
open / close shut
cause / prevent
benefit beneficial / harm harmful
better best improve / worse worst worsen
strong / weak
hot warm / cold cool
dry / wet
rich wealthy / poor
urban / rural
public / private
cheap cheaper inexpensive / expensive costly
add / remove
create build built / destroy demolish
hire / fire dismiss
major / minor
positive / negative
natural / artificial synthetic
voluntary optional / mandatory compulsory required
temporary / permanent
before / after
north northern / south southern
east eastern / west western
men male man boy / women female woman girl
"""


def _rows() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for row in _ROWS.strip().splitlines():
        ends = [frozenset(map(root, end.split())) for end in row.split("/")]
        for one, other in (ends, ends[::-1]):
            found |= {word: found.get(word, frozenset()) | other for word in one}
    return found


#: The roots of the opposites of a root.
OPPOSITES = _rows()
_UN = ("un", "in", "im", "il", "ir", "non", "dis")
#: So many letters has a word at least that "un" before it makes an opposite of ("able" in "unable").
_SHORTEST = 4


def turned(sentence: str, place: str) -> str:
    """“word” and its opposite, for the first word of the sentence that the place lacks while it holds the opposite; "" where none is."""
    said, held = ({root(word): word for word in reversed(tokens(text))} for text in (sentence, place))
    for one in reversed(said):
        if one not in held:
            others = (other for other in _opposites(said[one]) if other in held and other not in said)
            if other := next(others, ""):
                return f"“{said[one]}” in the sentence, “{held[other]}” in the passage"
    return ""


@lru_cache(maxsize=4096)
def _opposites(word: str) -> tuple[str, ...]:
    """The roots of the word's opposites: those of its row, and itself with "un" or the like before it, or without."""
    longer = [root(before + word) for before in _UN if len(word) >= _SHORTEST]
    shorter = [root(word.removeprefix(before)) for before in _UN if word.startswith(before) and len(word) >= _SHORTEST + len(before)]
    return (*sorted(OPPOSITES.get(root(word), ())), *longer, *shorter)
