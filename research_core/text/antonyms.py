"""List English words of opposite meaning, and words that deny.

The tables are written by hand and learnt from no text. A row has two ends, named by words of any
form; it does not say which end is good, bad or true. `SCALES` are wide and serve to guess which way
a whole sentence tends (`stance`). The rows of pairs are narrow and serve to compare one word with
another (`find_opposite_word`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

from research_core.text.similarity import word_root
from research_core.text.words import tokenize

#: (name, words of one end, words of the other). A word may stand on several scales.
SCALES: tuple[tuple[str, str, str], ...] = (
    (
        "more or less",
        """increase rise rising rose risen grow growth grew grown gain more higher high accelerate
        intensify strengthen expand expansion exceed above upward elevated raise enhance faster
        larger greater big large bigger double surge soar add additional most highest record heavy
        upregulate heighten up extend boost multiply longer stronger thicken severe cause drive
        driving driver lead leading led produce trigger induce promote contribute contributor
        responsible create generate result due because spread transmit facilitate""",
        """decrease fall falling fell fallen decline declining shrink shrinkage loss lose lost less
        lower low slow slower decelerate weaken weak weaker reduce reduction contract contraction
        below downward diminish drop smaller small few fewer minor little least lowest retreat
        recede dwindle halve cut down downregulate mitigate lessen curb ease mild lighter shorter
        thin thinner minimal minimize slight slightly prevent stop block inhibit protect protection
        protective avoid suppress kill cure treat treatment therapy limit eliminate counteract
        inactivate destroy halt offset hinder prohibit remove eradicate fight combat contain defend
        disappear vanish crush""",
    ),
    (
        "warm or cold",
        "warm warming warmer warmest hot hotter hottest heat heating",
        "cool cooling cooler cold colder coldest freeze freezing frozen chill",
    ),
    (
        "good or bad",
        """benefit beneficial safe safety effective effectiveness helpful help improve improvement
        useful successful success healthy better best good recover recovery survive survival
        efficacy positive favorable favourable advantage cheap cheaper resilient stable thrive mild
        immune immunity essential valuable""",
        """harm harmful dangerous danger ineffective worsen worse worst risk adverse death die
        mortality fatal fatality toxic fail damage bad unsafe useless deteriorate catastrophe
        catastrophic disaster devastating threat negative unfavorable unfavourable expensive costly
        vulnerable susceptible severe severity disease infection infect complication symptom
        extinction destroy collapse""",
    ),
    (
        "true or false",
        """true evidence prove proven proof confirm support certain certainty consensus agree
        agreement clear clearly fact demonstrate show establish unequivocal reliable accurate
        correct valid likely consistent substantiate convincing""",
        """myth false unlikely wrong doubt uncertain uncertainty disagree disagreement contradict
        refute dispute disputed hoax unclear questionable unreliable inaccurate incorrect invalid
        unknown controversy controversial inconsistent lie fraud fraudulent skeptic skeptical
        sceptic debunk disprove overestimate exaggerate unsupported""",
    ),
    (
        "changing or constant",
        "change changing vary variable fluctuate unstable shift",
        "constant steady stable unchanged same fixed stagnant",
    ),
    (
        "natural or made",
        "natural naturally nature",
        "human humans anthropogenic manmade artificial humanity mankind people industrial",
    ),
    (
        "often or seldom",
        """always often common commonly frequent frequently usual usually many most majority typical
        widespread all every mainly mostly predominantly""",
        """never rarely rare rarer seldom uncommon infrequent unusual few minority sometimes
        occasional none exceptional""",
    ),
    (
        "lasting or over",
        "begin start continue continued ongoing persist remain last stay",
        "stop end cease pause hiatus halt finish over disappear vanish",
    ),
    (
        "able or unable",
        "can able possible possibly capable enable",
        "cannot unable impossible incapable",
    ),
    (
        "needed or needless",
        "necessary need require must essential should recommend advise encourage",
        "unnecessary optional avoid discourage",
    ),
    ("young or old", "young younger child children youth infant", "old older elderly adult aged"),
    ("wet or dry", "wet humid rain rainfall humidity flood", "dry arid drought dryness"),
    (
        "with or against",
        "positive positively direct directly",
        "negative negatively inverse inversely reverse",
    ),
    ("early or late", "early earlier before previous", "late later after"),
    (
        "strong or weak",
        """strong severe serious significant major large substantial considerable dramatic huge
        massive important strongly severely significantly""",
        """weak mild minor slight insignificant negligible trivial moderate small minimal
        unimportant""",
    ),
    ("showing or not", "symptomatic", "asymptomatic"),
    ("let in or out", "include agree accept", "exclude reject refuse"),
)


def _index_scales() -> Mapping[str, tuple[tuple[int, int], ...]]:
    """Return the (scale number, end) pairs of each root that stands on a scale."""
    found: dict[str, dict[int, int]] = defaultdict(dict)
    for number, (_, one, other) in enumerate(SCALES):
        for end, words in ((1, one), (-1, other)):
            for word in words.split():
                found[word_root(word)].setdefault(number, end)
    return {word: tuple(ends.items()) for word, ends in found.items()}


#: (scale number, 1 or -1) for each scale that a root stands on.
SCALE_POSITIONS = _index_scales()

#: Words that deny what is in their clause.
NEGATIONS = frozenset(
    "not no never none neither nor cannot nothing nobody nowhere cant dont doesnt didnt isnt arent"
    " wasnt werent wont".split()
)
#: Roots of words that say that a statement does not hold.
DENIAL_ROOTS = frozenset(
    word_root(word)
    for word in """
        unlikely hardly barely scarcely myth false falsely hoax debunk disprove disproven refute
        contradict contrary unfounded baseless incorrect untrue mistaken dispute misconception doubt
        lack unproven unsupported insignificant negligible wrong misleading
    """.split()
)
#: Roots of words that "not" turns into a statement: "should not be overlooked".
REVERSED_BY_NOT = frozenset(
    word_root(word)
    for word in """
        overlook ignore avoid discourage underestimate exclude doubt deny rule negligible uncommon
        unlikely
    """.split()
)
#: Words after "not" and "no" that cancel the denial: "not only", "no doubt".
NON_DENIALS = frozenset(
    {
        ("not", "only"),
        ("not", "just"),
        ("not", "necessarily"),
        ("not", "yet"),
        ("no", "doubt"),
        ("no", "matter"),
    }
)

#: Ends that cannot both hold of one thing.
CONTRARY_PAIRS = """
increase rise rose risen grow grew grown growth climb surge soar gain \
/ decrease fall fell fallen decline drop shrink shrank reduce plunge
safe / dangerous harmful risky
true correct right / false incorrect wrong
accept approve / reject refuse deny
allow permit / ban prohibit forbid forbidden
win won / lose lost
guilty / innocent acquit
cause / prevent
better best improve / worse worst worsen
"""
#: Ends that contrast two things: a text may use both, of different things.
CONTRASTING_PAIRS = """
more higher greater larger bigger longer faster stronger above exceed \
/ less fewer lower smaller shorter slower weaker below
most highest largest biggest maximum / least fewest lowest smallest minimum
all every always everyone everybody / few none never nobody rarely seldom
often usually commonly / rarely seldom never
majority / minority
many / few
support favour favor endorse / oppose
include / exclude
buy bought purchase / sell sold sale
import / export
profit / loss
surplus / deficit
succeed success successful / fail failure
confirm prove proven / refute disprove debunk
begin began begun start / end stop cease
open / close shut
benefit beneficial / harm harmful
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
#: Compared only in otherwise identical sentences, because these words have other senses too, or are
#: caught elsewhere.
CLOSE_PAIRS = """
raise / lower reduce
expand / contract shrink shrank
gain / lose lost
strengthen / weaken
help / harm
common / rare
legal lawful / illegal unlawful
safe / unsafe
effective / ineffective
possible / impossible
likely / unlikely
accurate / inaccurate
necessary / unnecessary
reversible / irreversible
"""


def map_opposites(*tables: str) -> Mapping[str, frozenset[str]]:
    """Map each root in the tables to the roots of its opposites."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in "".join(tables).splitlines():
        if not row:
            continue
        one, other = (frozenset(map(word_root, end.split())) for end in row.split("/"))
        for root in one:
            found[root] |= other
        for root in other:
            found[root] |= one
    return {root: frozenset(opposites) for root, opposites in found.items()}


#: Maps a root to the roots of its opposites, for `find_opposite_word`.
OPPOSITES = map_opposites(CONTRARY_PAIRS, CONTRASTING_PAIRS)
_NEGATING_PREFIXES = ("un", "in", "im", "il", "ir", "non", "dis")
#: The least letters of a word that "un" before it negates ("able" in "unable").
_MIN_LETTERS = 4


def find_opposite_word(sentence: str, place: str) -> str:
    """Name the first word of the sentence whose opposite stands in the text, or return "".

    "Sales rose" against "sales fell". Only a word that the text lacks counts, and only if the text
    holds an opposite that the sentence lacks: so close a pair is rarely a coincidence. Who does
    what to whom is not analysed. `stance` casts a wider net, and only warns.
    """
    said = _spellings_by_root(sentence)
    held = _spellings_by_root(place)
    for root in reversed(said):
        if root in held:
            continue
        opposites = (*sorted(OPPOSITES.get(root, ())), *_negated_roots(said[root]))
        for other in opposites:
            if other in held and other not in said:
                return f"“{said[root]}” in the sentence, “{held[other]}” in the passage"
    return ""


def _spellings_by_root(text: str) -> dict[str, str]:
    """Map each root to its first spelling; the last root of the text comes first."""
    return {word_root(word): word for word in reversed(tokenize(text))}


@lru_cache(maxsize=4096)
def _negated_roots(word: str) -> tuple[str, ...]:
    """Return the roots of the word with a negating prefix added, and with one removed."""
    if len(word) < _MIN_LETTERS:
        return ()
    longer = [word_root(prefix + word) for prefix in _NEGATING_PREFIXES]
    shorter: list[str] = []
    for prefix in _NEGATING_PREFIXES:
        if word.startswith(prefix) and len(word) >= _MIN_LETTERS + len(prefix):
            shorter.append(word_root(word.removeprefix(prefix)))
    return (*longer, *shorter)
