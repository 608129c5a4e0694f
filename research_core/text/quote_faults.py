"""Find what is wrong with a quotation as an answer to a question, and lower its score by that."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from research_core.model_messages import Json
from research_core.text.asked_facets import (
    ALL_FACETS,
    FACETS,
    Facet,
    find_asked_facets,
    list_side_nouns,
    tells_nothing,
    tells_side,
)
from research_core.text.comparison_question import find_compared_sides
from research_core.text.direct_answers import (
    answers_directly,
    defines,
    find_answer_kind,
    restates_question,
)
from research_core.text.question_topic import (
    FACET_WORDS,
    MAX_TOPIC_WORDS,
    Topic,
    find_added_names,
    find_topic,
    is_about,
    keep_titled_words,
    list_asked_titles,
    measure_named,
    names_all,
    names_any,
    names_asked_title,
    names_neighbour,
    names_only,
    names_other_number,
    names_other_thing,
    names_synonym,
    names_topic,
)
from research_core.text.quotable import (
    THIS_KIND,
    WRITTEN_FORMS,
    Quote,
    is_imperative,
    points_back,
    stands_alone_on_page,
)
from research_core.text.quote_choice import MAX_BEHIND_NEAREST, MEASURING_NEARNESS
from research_core.text.quote_labels import NUMBER_LEAD, clean_title
from research_core.text.quote_ratings import (
    ADVICE_KINDS,
    SUBJECT_WORDS,
    names_only_kinds,
    tells_asked_facet,
    tells_effect_for_cause,
)
from research_core.text.quote_scores import OFF_POINT, ON_POINT
from research_core.text.sentence_faults import (
    is_fragment,
    lacks_case,
    offers_texts,
    tells_former_belief,
    tells_undated_state,
)
from research_core.text.similarity import content_tokens, parse_question, word_root
from research_core.text.words import tokenize

#: How far behind the nearest sentence one may be where no side is asked about; one that names the
#: whole topic may be MAX_BEHIND_NEAREST.
MAX_BEHIND_NO_FACET = 0.14
#: The nearest sentences that are kept whatever side they tell of.
BEST_NEAR = 1
#: Words at the beginning of a sentence among which a heading may end.
MAX_GLUED_WORDS = 8
#: "Rather, a mutation is", "The resulting problems", "If that does not work".
_FOLLOWS_ON = re.compile(
    r"Rather, |The resulting\b|As (?:stated|mentioned|noted|described|discussed|explained)"
    r" (?:previously|earlier|above|before)\b|(?:If|When|Once|Unless|While) (?:that|this|so)\b"
)


@dataclass(frozen=True)
class _Point:
    """What a question asks, and what its pages and sentences are compared with.

    told: the whole text that asks it, if that is longer; topic: its words that are in titles;
    nouns: for the sides asked about; names: of the pages that a long question names; asked_titles:
    the same of any question; nearest: the nearness that others are compared with; best: the orders
    of the BEST_NEAR nearest; plain_words: words that the sentences write without a capital; added:
    by source, the roots by which its title names a narrower or another thing; groups: of whom many
    of the sentences tell.
    """

    question: str
    told: str
    kind: str
    topic: Topic
    synonyms: Collection[str]
    titles: tuple[str, ...]
    facets: tuple[Facet, ...]
    nouns: tuple[str, ...]
    names: tuple[frozenset[str], ...]
    asked_titles: tuple[frozenset[str], ...]
    is_long: bool
    is_comparison: bool
    is_told: bool
    nearest: float
    best: frozenset[int]
    plain_words: frozenset[str]
    added: tuple[frozenset[str], ...]
    groups: frozenset[str]

    def is_needed(self, quote: Quote) -> bool:
        """Return whether a sentence is near, defines the thing or answers, whatever its side."""
        if quote.on_point is not None and not self.facets:
            return quote.on_point >= ON_POINT
        if defines(quote.text, self.topic, self.synonyms):
            return True
        tells_other = not self.facets and self.kind == "definition" and tells_side(quote.text)
        if quote.order in self.best and not tells_other:
            return True
        # A form that many sentences have ("can", "first") does not outweigh the side.
        is_of_any_form = bool(self.facets) and self.kind in ADVICE_KINDS
        return not is_of_any_form and answers_directly(self.question, quote.text, self.synonyms)

    def is_near(self, quote: Quote) -> bool:
        """Return whether a sentence is near the nearest; less so if it names the whole topic."""
        if quote.near is None or quote.near >= self.nearest - MAX_BEHIND_NO_FACET:
            return True
        is_within = quote.near >= self.nearest - MAX_BEHIND_NEAREST
        return is_within and names_all(self.topic, quote.text, self.synonyms)


def _make_point(
    question: str,
    found: Sequence[Quote],
    sources: Sequence[Json],
    synonyms: Collection[str],
    told: str,
) -> _Point:
    titles = tuple(str(source.get("title", "")) for source in sources)
    facets = find_asked_facets(question, titles)
    is_long = len(find_topic(question).weights) > MAX_TOPIC_WORDS
    compared = [quote for quote in found if quote.near is not None]
    compared.sort(key=lambda quote: (-(quote.near or 0.0), quote.order))
    highest = max((quote.near or 0.0 for quote in compared), default=0.0)
    return _Point(
        question=question,
        told=told,
        kind=find_answer_kind(question).name,
        topic=keep_titled_words(find_topic(question), titles),
        synonyms=synonyms,
        titles=titles,
        facets=facets,
        nouns=list_side_nouns(facets),
        names=list_asked_titles(question, titles) if is_long else (),
        asked_titles=list_asked_titles(question, titles),
        is_long=is_long,
        is_comparison=find_compared_sides(question) is not None,
        is_told=any(
            tells_asked_facet(question, quote, facets)
            for quote in found
            if not restates_question(question, quote.text_with_subject)
        ),
        nearest=min(MEASURING_NEARNESS, highest),
        best=frozenset(quote.order for quote in compared[:BEST_NEAR]),
        plain_words=frozenset(
            word for quote in found for word in quote.text.split() if word.islower()
        ),
        added=tuple(
            find_added_names(question, _find_titled_thing(title), synonyms) for title in titles
        ),
        groups=_find_usual_groups(found),
    )


#: What is done with a thing: "treated", "installed", "used"; not "speed" or "red".
_DONE_WITH = r"(?:used|\w{2,}[^\We]ed)"
#: "What are the causes of winter rust?", "How is rust treated?": a title that asks about a thing.
_ASKING_TITLE = re.compile(
    r"(?:what|how|who|is|are|can|do|does)\b.*?\b(?:related to|of|for|is|are|causes?|have|gets?"
    r"|treats?"
    rf"|prevent|diagnose|about)\b (?!(?:the|an?|there|at|it|to|{_DONE_WITH})\b)"
    rf"(?P<thing>[\w'’ -]+?)(?: {_DONE_WITH})?\?",
    re.IGNORECASE,
)


def _find_titled_thing(title: str) -> str:
    """Return the thing that a title asks about; any other title whole."""
    match = _ASKING_TITLE.fullmatch(title.strip())
    return match["thing"] if match else title


def _find_usual_groups(found: Sequence[Quote]) -> frozenset[str]:
    """Return the groups that so many sentences name that the thing is theirs."""
    counts: Counter[str] = Counter()
    for quote in found:
        counts.update({match[0].lower() for match in _SPECIAL_GROUP.finditer(quote.text)})
    least = max(2.0, USUAL_GROUP_SHARE * len(found))
    return frozenset(group for group, count in counts.items() if count >= least)


#: "An order told its agencies to …": whose they are was said before, where nothing in the sentence
#: names the topic.
_OWNER_BEFORE = re.compile(r"(?:An?|One|Some) (?:[^\s,;:]+ ){2,8}?(?:its|their|his|her) [a-z]")


def _lacks_subject(point: _Point, quote: Quote) -> bool:
    text = quote.text_with_subject
    # "People with this condition may …" stands alone where the page is about the condition.
    if _FOLLOWS_ON.match(text) or not stands_alone_on_page(text, WRITTEN_FORMS):
        return True
    if _OWNER_BEFORE.match(text) and not measure_named(point.topic, text):
        return True
    if THIS_KIND.search(text) and not names_topic(point.topic, text, point.synonyms):
        title = point.titles[quote.source]
        is_of_topic = names_topic(point.topic, f"{title} {quote.heading}", point.synonyms)
        if not is_of_topic or names_neighbour(point.topic, title, point.synonyms):
            return True
    if not points_back(text, point.question, point.nouns):
        return False
    return not find_introduced_thing(quote, point.titles[quote.source])


def find_introduced_thing(quote: Quote, title: str) -> str:
    """Return the thing whose text introduced the noun of "The cloud can …" before it, or "".

    It is the heading of both sentences, unless that names a side or section, or else the title if
    the first sentence names its thing.
    """
    if not quote.introduced:
        return ""
    heading = clean_title(NUMBER_LEAD.sub("", quote.heading))
    if heading and not _is_section(heading):
        return heading
    name = clean_title(title)
    roots = frozenset(map(word_root, content_tokens(quote.introduced)))
    return "" if roots.isdisjoint(map(word_root, content_tokens(name))) else name


def _is_section(heading: str) -> bool:
    """Return whether a heading names a section or a side of a thing, and no thing."""
    roots = frozenset(map(word_root, content_tokens(heading)))
    if roots <= _SECTION_NAMES | _SIDE_NAMES | FACET_WORDS:
        return True
    return any(facet.named.search(heading) for facet in ALL_FACETS)


#: Names of sections that may stand before a sentence, beside those of sides.
_SECTION_NAMES = frozenset(
    map(
        word_root,
        "screening outlook overview summary introduction background definition".split(),
    )
)
#: Names of sections on a side of a thing.
_SIDE_NAMES = frozenset(word_root(facet.title.lower()) for facet in FACETS)
#: Endings of abstract nouns, which are headings before a name: "Geology Rust is".
_ABSTRACT = re.compile(
    r"[A-Z][a-z]{3,}(?:logy|graphy|nomy|[ae]nce|[ae]ncy|tion|sion|ment|ness|ity|esis)$"
)
_BEFORE_NAMES = frozenset(
    "a an and as at by called for from in like named of on or than that the to under with".split()
)


def _begins_with_heading(point: _Point, quote: Quote) -> bool:
    """Return whether the topic has a capital within a sentence, though it is no name.

    "Common causes Mould is a fungus" is a heading and a sentence, and so is "Screening Mould is".
    """
    words = quote.text.split()[:MAX_GLUED_WORDS]
    if len(words) > 1 and _names_section(words[0], point):
        second = words[1].lower()
        is_topic = word_root(second) in point.topic.weights and second in point.plain_words
        if (words[1].istitle() and is_topic) or second in point.synonyms:
            return True
        # "Outlook Improved methods have": the second word is no name, as it is written small too
        is_headed = word_root(words[0].lower()) in _SECTION_NAMES | _SIDE_NAMES
        is_plain = words[1].istitle() and second in point.plain_words
        if is_headed and is_plain and len(words) > 2 and words[2].islower():
            return True
    for before, word, following in zip(words, words[1:], [*words[2:], ""], strict=False):
        is_capital = word[:1].isupper() and word[1:].islower() and before.isalpha()
        is_kind = "-" in word and before not in _BEFORE_NAMES
        is_plain = before.islower() and (is_kind or word.lower() in point.plain_words)
        if not is_capital or not is_plain:
            continue
        # "Book a visit Early rust is": the thing's name may begin with its kind
        names = (word, following) if following.islower() else (word,)
        if any(word_root(name.lower()) in point.topic.weights for name in names):
            return True
    return False


def _names_section(word: str, point: _Point) -> bool:
    root = word_root(word.lower())
    if root in _SECTION_NAMES | FACET_WORDS:
        return True
    return bool(_ABSTRACT.match(word)) and root not in point.topic.weights


def _is_of_other_thing(point: _Point, quote: Quote) -> bool:
    """Return whether neither a sentence nor its page is about the thing asked about.

    A near sentence of a page on no other thing of the kind is; not for long questions, which have
    many things.
    """
    title = point.titles[quote.source]
    if point.is_comparison:
        return False
    if point.is_long:
        is_named = names_asked_title(point.question, quote.text, title, point.names)
        return not is_named and not names_all(point.topic, quote.text, point.synonyms)
    if _is_about_topic(point.topic, quote, title, point.synonyms):
        return False
    is_near = (quote.near or 0.0) >= point.nearest - MAX_BEHIND_NO_FACET
    return not is_near or names_neighbour(point.topic, title, point.synonyms)


def _is_of_other_side(point: _Point, quote: Quote) -> bool:
    """Return whether a sentence is about none of the sides asked about.

    A sentence that fills a part of the question is never of another side, nor is any sentence if
    none is about a side asked about. If no side is asked about, a sentence far from the question is
    of another side, and so is one on any side if a definition is asked for.
    """
    if point.is_comparison or quote.fills or point.is_needed(quote):
        return False
    if point.facets and point.is_told:
        return not tells_asked_facet(point.question, quote, point.facets)
    if point.facets:
        return False
    if quote.on_point is not None:
        if quote.on_point >= ON_POINT:
            return False
        if quote.on_point < OFF_POINT:
            return True
    return not point.is_near(quote) or (point.kind == "definition" and tells_side(quote.text))


#: "Creutzfeldt-Jakob disease can be", "The Saltmarsh Act is": a subject that is a thing of a kind.
_NAMED_SUBJECT = re.compile(
    r"(?:The |An? |In )?(?P<name>(?:[\w'’-]+ ){1,4}?)"
    r"(?i:disease|syndrome|disorder|cancer|dystrophy|degeneration|dysplasia|infection|fever|act|law"
    r"|treaty|engine|battery|bridge|fund|tax|loan|insurance|island|virus|beetle|mite|anemia)s?\b"
    r"(?: \([^()]*\))?,? (?:is|are|was|were|can|may|has|have|will|must|causes?|affects?|occurs?)\b"
)


def _is_of_narrower_thing(point: _Point, quote: Quote) -> bool:
    """Return whether a sentence is about a narrower thing, or another one of a like name.

    Its page is, and the sentence names not the thing itself; or its own subject is.
    """
    if point.is_comparison:
        return False
    added = point.added[quote.source]
    text = quote.text_with_subject
    if added and not names_only(point.question, text, added):
        return True
    if added:
        return False
    opening = " ".join(text.split()[:SUBJECT_WORDS])
    roots = set(map(word_root, tokenize(opening)))
    if any(others and others <= roots for others in point.added):
        return True
    subject = _NAMED_SUBJECT.match(text)
    if subject is None or names_topic(point.topic, text, point.synonyms):
        return False
    return names_other_thing(point.question, subject["name"])


def _is_of_kind(point: _Point, quote: Quote) -> bool:
    """Return whether a sentence names only a kind of the thing: "mild rust", "stage 4 rust".

    The title of its page counts where the sentence does not name the thing.
    """
    if point.is_comparison or point.is_long:
        return False
    text = quote.text_with_subject
    is_named = names_topic(point.topic, text, point.synonyms)
    named = text if is_named else point.titles[quote.source]
    return names_only_kinds(point.question, named, point.synonyms, point.told)


def _is_of_wider_thing(point: _Point, quote: Quote) -> bool:
    """Return whether a sentence of a page on a wider thing does not name the one asked about.

    "Paper" is wider than "rice paper", where the question names both pages' titles.
    """
    own = list_asked_titles(point.question, (point.titles[quote.source],))
    if point.is_comparison or not own:
        return False
    narrower = [names - own[0] for names in point.asked_titles if own[0] < names]
    roots = frozenset(map(word_root, tokenize(f"{quote.heading} {quote.text_with_subject}")))
    if not narrower or names_synonym(quote.text_with_subject, point.synonyms):
        return False
    return not any(all(names_any(root, roots) for root in names) for names in narrower)


#: "Treatment of other loans": a kind of the thing beside one that was named before.
_OF_OTHERS = re.compile(
    r"(?P<before>(?:[^\s,;:]+ ){0,4})(?:other|andere[rsnm]?|autres|otr[oa]s|outr[oa]s|altr[ie])"
    r" (?P<behind>(?:[^\s,;:]+ ?){1,3})",
    re.IGNORECASE,
)
_JOINS_OTHERS = re.compile(
    r"\b(?:and|or|like|as|than|unlike|among|no|many|most|und|oder|wie|als|keine|et|ou|comme|que|y|o"
    r"|como|e|come|no|non|aucun)"
    r" (?:(?:the|die|der|den|les|las|los|os|as|gli|le|i) )?$",
    re.IGNORECASE,
)


def _begins_with_other_kinds(point: _Point, quote: Quote) -> bool:
    """Return whether a sentence begins with kinds of the thing other than those named before."""
    match = _OF_OTHERS.match(quote.text_with_subject)
    if match is None or point.is_comparison or _JOINS_OTHERS.search(match["before"]):
        return False
    language = parse_question(point.question).language
    roots = {word_root(word, language) for word in tokenize(match["behind"])}
    return not roots.isdisjoint(point.topic.weights)


#: What likens another thing to the one asked about ("which resembles rust"), or sets it apart from
#: it ("Unlike rust, …"), and what opens a sentence on another thing like it.
_LIKENS = re.compile(
    r"\b(?:(?:is|are|was|were|looks?|seems?) (?:\w+ ){0,2}?(?:similar to|related to|unlike)"
    r"|similar to"
    r"|resembl(?:es?|ing)|mimics?|mimicking|(?:mistaken|confused) (?:for|with)"
    r"|(?:an?|the) (?:less|more) (?:severe|serious|common|rare) (?:form|kind|type|variant) of"
    r"|ähnel(?:t|n)|ähnlich wie|verwechselt (?:man )?mit|ressemble(?:nt)?|semblables? (?:à"
    r"|aux?)|similaires? (?:à|aux?)"
    r"|(?:parecid|semejante|semelhante|similare?|simil[ei]s?)\w* (?:al?|ao?s?|all[ao'’]?|à)"
    r"|se parecen? al?"
    r"|confund\w+ con|somigli\w+)\b"
    r"|^(?:unlike|in contrast to|as opposed to|anders als|im (?:Gegensatz|Unterschied) zu"
    r"|contrairement (?:à|aux?)|à la différence d|a diferencia de|ao contrário d\w|a differenza d)",
    re.IGNORECASE,
)
_OPENS_LIKE_THING = re.compile(
    r"(?:an?(?:other)? (?:similar|related|comparable)|eine? (?:ähnliche|verwandte"
    r"|vergleichbare)[rs]?"
    r"|une? (?:autre )?[\w-]+ (?:semblable|similaire|apparentée?)|(?:otr[oa]"
    r"|una?) [\w-]+ (?:similar|parecid[oa])"
    r"|un['’o]?a? [\w-]+ (?:simile|affine)) ",
    re.IGNORECASE,
)
_ASKS_LIKENESS = re.compile(
    r"\b(?:like|likeness|similar\w*|resembl\w+|mimics?|mistake\w*|confus\w+|differen\w+|types?"
    r"|forms?"
    r"|kinds?|relate[ds]?|ähn\w+|unterschied\w*|ressembl\w+|semblabl\w+|diff[ée]ren\w+|parec\w+"
    r"|diferenc\w+|simil\w+|somigli\w+)\b",
    re.IGNORECASE,
)


def _is_of_like_thing(point: _Point, quote: Quote) -> bool:
    """Return whether a sentence is about another thing, which it likens to the one asked about."""
    if point.is_comparison or point.is_long or _ASKS_LIKENESS.search(point.question):
        return False
    text = quote.text_with_subject
    if _OPENS_LIKE_THING.match(text):
        return not names_topic(point.topic, text, point.synonyms)
    match = _LIKENS.search(text)
    if match is None:
        return False
    likened, comma, rest = text[match.end() :].partition(",")
    others = f"{text[: match.start()]} {rest if comma else ''}"
    return names_topic(point.topic, likened, point.synonyms) and not names_topic(
        point.topic, others, point.synonyms
    )


#: What a group of sentences must be of all to be the usual one.
USUAL_GROUP_SHARE = 0.12
_SPECIAL_GROUP_WORDS = (
    r"pregnan\w+|breast-?feeding|children|babies|infants|newborns|teenagers|teens|students"
    r"|veterans|tourists|transplant"
)
_SPECIAL_GROUP = re.compile(rf"\b(?:{_SPECIAL_GROUP_WORDS})\b", re.IGNORECASE)
#: "After a woman is treated for …": the subject had the thing before.
_AFTERWARDS = re.compile(
    r"(?:after|once|when) (?:an? |the |your )?(?:\w+ ){1,3}?(?:is|are|was|were|has been|have been)"
    r" (?:successfully )?(?:treated|cured|repaired|removed|replaced|settled|paid off|sold)\b",
    re.IGNORECASE,
)


def _holds_in_special_case(point: _Point, quote: Quote) -> bool:
    """Return whether a sentence is of a group, or a time afterwards, that is not asked about."""
    text = quote.text_with_subject
    if _AFTERWARDS.match(text) and not re.search(r"\bafter\b", point.question, re.IGNORECASE):
        return True
    group = _SPECIAL_GROUP.search(" ".join(text.split()[:SUBJECT_WORDS]))
    if group is None or group[0].lower() in point.groups:
        return False
    return word_root(group[0].lower()) not in map(word_root, tokenize(point.question))


def _gives_order(point: _Point, quote: Quote) -> bool:
    return is_imperative(quote.text_with_subject) and point.kind not in ADVICE_KINDS


#: "Stage IV", "Treatment in children", "Recurrent": headings under which a text holds only there.
_NARROWING_HEADING = re.compile(
    r"\b(?:stages?|grades?|types?|phases?|class|levels?|group|zone) (?:\d+|[IVX]+|[A-D])\b"
    r"|\b(?:advanced|early-stage|late-stage|severe|mild|moderate|chronic|acute|recurrent|metastatic"
    r"|newly diagnosed|inoperable|adolescents|older adults|elderly|commercial|industrial|used"
    rf"|unlicensed|experimental|investigational|{_SPECIAL_GROUP_WORDS})\b",
    re.IGNORECASE,
)


def find_narrowing(question: str, heading: str, text: str) -> str:
    """Return the words of a heading that narrow a text, which neither it nor the question has."""
    match = _NARROWING_HEADING.search(heading)
    if match is None:
        return ""
    roots = frozenset(map(word_root, tokenize(f"{question} {text}")))
    return "" if roots.issuperset(map(word_root, tokenize(match[0]))) else match[0]


#: The fault of a sentence on a narrower or another thing, which is named before it.
NARROWER = "of a narrower thing"
#: The fault of a sentence that names only a kind of the thing, and what it costs.
OF_KIND, KIND_COST = "of a kind of the thing", 1.9
#: How far behind the nearest a plain sentence on the side asked about may be to answer instead.
MAX_BEHIND_KIND = 0.1
#: What it costs to be about another thing; a sentence with less is on the thing itself.
OF_OTHER_THING = 2.6
#: The faults of a sentence, and what each takes off its score: more than sentences without a fault
#: differ by, so that one with a fault is quoted only where none without is.
FAULTS: tuple[tuple[str, float, Callable[[_Point, Quote], bool]], ...] = (
    ("does not say what it is about", 3.0, _lacks_subject),
    ("does not say when it holds", 2.8, lambda _, quote: lacks_case(quote)),
    ("begins with a heading", 2.8, _begins_with_heading),
    ("is no whole sentence", 2.8, lambda _, quote: is_fragment(quote)),
    ("tells of other texts", 2.8, lambda _, quote: offers_texts(quote.text)),
    ("of another thing", OF_OTHER_THING, _is_of_other_thing),
    ("of a thing like it", OF_OTHER_THING, _is_of_like_thing),
    (NARROWER, 2.3, _is_of_narrower_thing),
    (OF_KIND, KIND_COST, _is_of_kind),
    ("of a wider thing", 2.3, _is_of_wider_thing),
    ("of other kinds than those before it", 2.2, _begins_with_other_kinds),
    ("holds in a special case", 2.1, _holds_in_special_case),
    (
        "repeats the question",
        2.4,
        lambda point, quote: restates_question(point.question, quote.text_with_subject),
    ),
    ("tells the reader what to do", 2.4, _gives_order),
    (
        "says only that there is something",
        2.2,
        lambda point, quote: tells_nothing(point.question, quote.text),
    ),
    (
        "holds at a time that it does not state",
        2.1,
        lambda _, quote: tells_undated_state(quote.text),
    ),
    (
        "tells what was believed once",
        2.1,
        lambda point, quote: tells_former_belief(point.question, quote.text),
    ),
    (
        "tells the effect for the cause",
        2.2,
        lambda point, quote: (
            not point.is_comparison and tells_effect_for_cause(point.question, quote)
        ),
    ),
    ("of another side", 2.0, _is_of_other_side),
)


def _answers_plainly(question: str, quote: Quote, point: _Point) -> bool:
    """Return whether a sentence without a fault answers, or is nearly the nearest on its side."""
    if quote.faults:
        return False
    if answers_directly(question, quote.text_with_subject, point.synonyms):
        return True
    near = quote.near or 0.0
    return quote.is_on_side and near > 0.0 and near >= point.nearest - MAX_BEHIND_KIND


def _remove_fault(quote: Quote, fault: str, cost: float, costs: dict[int, float]) -> Quote:
    """Return a quote without a fault, and take the cost of that off its costs."""
    if fault not in quote.faults:
        return quote
    costs[quote.order] -= cost
    return replace(quote, faults=tuple(name for name in quote.faults if name != fault))


def mark_faults(
    question: str,
    found: Sequence[Quote],
    sources: Sequence[Json],
    synonyms: Collection[str],
    *,
    told: str = "",
) -> list[Quote]:
    """Return the quotes with their faults, and a score that is lower by what these cost.

    Faults that all have cost nothing, nor does it to name a kind where no plain sentence answers.
    Sentences on a narrower thing are left out if others are on the thing itself, and sentences
    about another thing of the same name ("type 1" for "type 2") always. told: the whole text of
    which the question is the short form.
    """
    topic = find_topic(question)
    kept = [quote for quote in found if not is_of_other_number(topic, quote, sources)]
    point = _make_point(question, kept, sources, synonyms, told)
    is_filled = any(quote.fills for quote in kept)
    costs: dict[int, float] = {}
    marked = []
    for quote in kept:
        faults = [(name, cost) for name, cost, has_fault in FAULTS if has_fault(point, quote)]
        costs[quote.order] = math.fsum(cost for _, cost in faults)
        is_on_side = bool(quote.fills) or (
            bool(point.facets)
            and not is_filled
            and tells_asked_facet(question, quote, point.facets)
        )
        names = tuple(name for name, _ in faults)
        marked.append(replace(quote, faults=names, is_on_side=is_on_side))
    if not any(_answers_plainly(question, quote, point) for quote in marked):
        marked = [_remove_fault(quote, OF_KIND, KIND_COST, costs) for quote in marked]
    if any(costs[quote.order] < OF_OTHER_THING for quote in marked if NARROWER not in quote.faults):
        marked = [quote for quote in marked if NARROWER not in quote.faults]
    least = min((costs[quote.order] for quote in marked), default=0.0)
    return [
        replace(quote, score=round(quote.score - costs[quote.order] + least, 6)) for quote in marked
    ]


def _is_about_topic(topic: Topic, quote: Quote, title: str, synonyms: Collection[str]) -> bool:
    """Return whether a sentence or its page is about the topic; on a neighbour's page, itself."""
    if names_neighbour(topic, title, synonyms):
        return names_all(topic, quote.text, synonyms)
    return is_about(topic, f"{quote.text} {quote.heading}", synonyms) or is_about(
        topic, title, synonyms
    )


def is_of_other_number(topic: Topic, quote: Quote, sources: Sequence[Json]) -> bool:
    """Return whether a quote, or else its heading or title, names the topic with another number."""
    title = str(sources[quote.source].get("title", ""))
    for text in (quote.text, quote.heading, title):
        if names_other_number(topic, text):
            return True
        if names_topic(topic, text) and topic.numbers:
            return False
    return False
