"""Score quotations by how well they answer a question, and choose the best that differ.

With an embedding model the meaning of a sentence decides, with words and form as a bonus; without
one its words do. A sentence that answers directly is preferred to one that only names the topic.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import TYPE_CHECKING

from research_core.model_messages import Json
from research_core.text.asked_facets import (
    ALL_FACETS,
    FACETS,
    Facet,
    find_asked_facets,
    gives_particulars,
    list_side_nouns,
    tells_facet,
    tells_nothing,
    tells_side,
)
from research_core.text.comparison_question import find_compared_sides
from research_core.text.contact_lines import STATING_WORDS
from research_core.text.direct_answers import (
    answers_directly,
    defines,
    find_answer_kind,
    goes_wrong_way,
    restates_question,
)
from research_core.text.embeddings import COSINE_DIGITS
from research_core.text.filled_quotes import fill_quotes, list_asked, list_filling
from research_core.text.foreign_sentences import find_foreign_roots, opens_definition
from research_core.text.languages import guess_language
from research_core.text.question import QUESTION_WORDS
from research_core.text.question_topic import (
    FACET_WORDS,
    MAX_TOPIC_WORDS,
    Topic,
    find_added_names,
    find_synonyms,
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
    names_part,
    names_topic,
)
from research_core.text.question_types import QUESTION_TYPES, QuestionType, classify_question
from research_core.text.quotable import (
    FORMS,
    WRITTEN_FORMS,
    Quote,
    QuoteForms,
    is_imperative,
    list_quotes,
    points_back,
    stands_alone,
)
from research_core.text.quote_labels import NUMBER_LEAD, clean_title
from research_core.text.sentence_meaning import (
    add_context,
    compares,
    list_asking_sentences,
    measure_nearness,
)
from research_core.text.similarity import content_tokens, rarity, word_root
from research_core.text.words import count_words, stem, tokenize

if TYPE_CHECKING:
    from research_core.text.embeddings import Embedder

#: Sentences more alike than this say the same.
MAX_LIKENESS = 0.8
BEST_WORDS = (10, 40)
#: The weight of the words of the passage and the title, where only words are compared.
CONTEXT_WEIGHT = 0.3
#: Sentences of each source that are embedded first, and the best passages all of whose sentences
#: are.
FIRST_OF_SOURCE, BEST_PASSAGES = 8, 12
#: Sentences that are embedded without their title as well.
FINALISTS = 24
#: What is added to a cosine: for words of the question, for the nearness of the source's best
#: sentences, and for the form of answer that the question asks for.
WORD_BONUS, SOURCE_BONUS, FORM_BONUS = 0.1, 0.15, 0.08
#: Kinds of question that several things answer, and what is added for a sentence that lists some.
LIST_KINDS, LIST_BONUS = ("signs", "list", "cause", "effect", "treatment"), 0.06
_LISTS_SEVERAL = re.compile(
    r"[,;] [^,;]{2,60}[,;] (?:and|or) \w|, [^,;]{2,40}, [^,;]{2,40} (?:and|or) \w"
    r"|; [^;]{2,80}; |(?:, [^,;]{2,40}){3}"
)
#: What is added for a direct answer, by meaning and by words, and taken off for a sentence that
#: tells the effect for the cause, or only repeats the question.
DIRECT_BONUS, DIRECT_BONUS_BY_WORDS, MISSES_POINT = 0.12, 0.25, 0.2
#: What is taken off a sentence about a part of the thing only.
PART_MALUS = 0.1
#: What is taken off a sentence that is not about the facet asked about.
OFF_FACET_MALUS = 0.18
#: What is added for a sentence on that facet with means, examples or several things.
PARTICULARS_BONUS = 0.06
#: How much further behind the nearest a list, as its items differ from the question, and a sentence
#: on the side asked about may be.
LEEWAY = 0.08
#: How far behind the nearest sentence one may be where no side is asked about; one that names the
#: whole topic may be MAX_BEHIND_NEAREST.
MAX_BEHIND_NO_FACET = 0.14
#: "About 30,000 people in the country have it."
_COUNTS_PEOPLE = re.compile(
    r"\d[\d,.]* (?:million |thousand )?(?:people|persons|women|men|females|males|children"
    r"|adults|births|newborns"
    r"|individuals|households|drivers|owners|cars|[A-Z][a-z]+s)\b.* (?:have|has|had|with|lives?"
    r"|carry|carriers"
    r"|get|own|use)\b"
)
#: The first words of a sentence, among which its subject stands.
SUBJECT_WORDS = 6
#: The nearest sentences that are kept whatever side they tell of.
BEST_NEAR = 1
#: What is added if a sentence, its heading or the title names the topic, and by words if it does
#: itself.
NAMED_BONUS = 0.06
#: What is added for a page whose title names the thing asked about and no other or narrower one.
ASKED_TITLE_BONUS = 0.1
#: What is added for a sentence that comes nearest to what is asked of the thing, less if a side is
#: asked about as well; and the cosine below which no sentence is near it.
POINT_BONUS, POINT_BONUS_ON_SIDE, MIN_POINT_NEARNESS = 0.5, 0.3, 0.3
#: The least share of the highest nearness to a point at which a sentence is on it, and below which
#: it misses the point.
ON_POINT, OFF_POINT = 0.8, 0.6
#: What is taken off for a page on a part of that thing, such as "Recurrent gout", if another page
#: is on the whole.
NARROWER_MALUS = 0.12
#: A quotation this much worse than the best one is left out: by meaning, and as a share by words.
MAX_BEHIND_BEST, MIN_SHARE_OF_BEST = 0.32, 0.4
#: How much further behind where sentences were compared with a point, which few come near.
BEHIND_POINT = 0.2
#: The same where sentences fill a part of the question, some better than others.
BEHIND_FILLER = 0.12
#: By meaning, how much worse than the last of the best FEW the others may be.
MAX_BEHIND_FEW, FEW = 0.18, 3
#: What is taken off a sentence that only sends its reader to somebody.
SENDS_READER_MALUS = 0.2
#: The least nearness of a sentence that is quoted, and how far it may be behind the nearest, unless
#: none comes so near.
MIN_NEARNESS, MAX_BEHIND_NEAREST = 0.5, 0.2
#: The highest nearness by which other sentences are measured.
MEASURING_NEARNESS = 0.72
#: What likeness to a chosen sentence (0 to 1) and each sentence chosen of the same source take off.
VARIETY_BY_WORDS, VARIETY_BY_MEANING = (0.4, 0.1), (0.15, 0.02)
#: Words at the beginning of a sentence among which a heading may end.
MAX_GLUED_WORDS = 8
#: Kinds of question that a section of a page answers.
SECTION_KINDS = ("cause", "effect", "treatment", "signs", "definition")
#: Kinds of question that an order to the reader answers.
ADVICE_KINDS = ("how to", "treatment")
#: A sentence about its own page, and one in which the author speaks.
_ABOUT_ITSELF = re.compile(
    r"\b(?:this|our) (?:\w+ )?"
    r"(?:guide|article|page|post|report|site|blog|section|chapter|document|paper)\b",
    re.IGNORECASE,
)
#: A sentence that sends its reader to somebody, and one that leaves the answer open.
_SENDS_READER = re.compile(
    r"\b(?:doctor|physician|pharmacist|dentist|provider|professional|specialist|lawyer|attorney"
    r"|vet|veterinarian|accountant|advis[eo]r|dealer|mechanic|expert)s?"
    r" (?:will|may|might|can|should) (?:\w+ )?(?:tell|ask|talk|discuss|decide|explain|advise|answer"
    r"|want to know|help you)\b"
    r"|\b(?:should|need to|must|have to|want to|important to|sure to|best to) (?:always |first "
    r"|also )?"
    r"(?:talk|speak|ask|tell|consult|call|contact|check|discuss|see (?:your|an?|the))\b",
    re.IGNORECASE,
)
_LEAVES_OPEN = re.compile(
    r"^(?:[^\s,]+ ){1,10}?(?:(?:will |may |can )?(?:depends? (?:up)?on|vary|varies)\b"
    r"|(?:is|are) (?:different|not the same) for)",
    re.IGNORECASE,
)
#: "Another cause is …" and "It can also be caused by …" come second, and so does what holds of a
#: part only: "In men, …".
_ADDS_TO_OTHERS = re.compile(
    r"(?:another|other|further|additional|also|less (?:common(?:ly)?|frequent(?:ly)?)"
    r"|more rarely)\b"
    r"|(?:some|many|most|several) (?:of the )?other\b"
    r"|(?:rarely|less often|occasionally|in (?:other|rare|a few|some rare"
    r"|very rare) (?:\w+ )?\w+)\b,?"
    r"|(?:[^\s;:]+ ){1,9}(?:(?:can|could|may|might|will|is|are|was|were|has|have) )?"
    r"also (?!called|known|named|termed|referred|abbreviated|spelled)[a-z]",
    re.IGNORECASE,
)
_OF_A_PART = re.compile(
    r"(?:(?:even )?if|in|for|among|with|without|untreated)\b(?P<part>[^,]{0,80}), ", re.IGNORECASE
)
#: "Pregnant women with …": a sentence about a group only.
_GROUP = re.compile(
    r"(?:(?:some|most|many|older|younger|certain|few|other|young|elderly) )?"
    r"(?P<group>(?:pregnant |older |young )?(?:women|men|children|babies|infants|newborns|teens"
    r"|teenagers"
    r"|girls|boys|students|veterans|tourists))\b (?!and\b)",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:we|us|our|my)\b", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\([^()]*\)")
#: A word that can be the verb of an English sentence: an auxiliary, an ending, or a common verb.
#: Words of other languages count.
_MAY_HAVE_VERB = re.compile(
    r"\b(?:is|are|was|were|am|be|has|have|had|can|could|may|might|must|shall|should|will|would|do"
    r"|did"
    r"|became|began|led|made|took|went|gave|grew|fell|found|said|came|saw|ran|rose|lost|won|built"
    r"|held|kept|left|met|paid|sent|sold|spent|told|wrote|cost|put|cut|set|let|hurt|spread|need"
    r"|want|get|make|take|cause|help|use|occur|live|grow|die|eat|drink|feel|lead|show|find|think"
    r"|know|mean|work|become|give|keep|begin|affect|include|require|develop)\b"
    r"|(?<![su])s\b|ed\b|n['’]t\b|[^\x00-\x7f’‘“”–—]",
    re.IGNORECASE,
)
#: "Treatment may include: Your doctor may also suggest …": a lead-in that has lost its list.
_ANNOUNCES_LIST = re.compile(
    r"\b(?:includes?|including|(?:the )?following|such as): (?P<item>[A-Z][^;:]*)$"
)
#: "… the risk of CADASIL.Subcortical dementia is", "more likely:Not eating".
_RUN_TOGETHER = re.compile(
    r"\w{3,}(?:[.!?]\)?|[:)])[A-Z][a-z]{2,} [a-z]|^[A-Z][A-Z -]{5,} [–—-] [A-Z]"
    # "signs of rust In most cars": the next sentence begins within this one
    r"|[a-z]{3,}\)? (?:The|In|If|When|For|This|These|As|At|On|Most|Some|Many|There|After|Your|You"
    r"|Because|Although|Other|It) (?!(?:and|or|is|was|of|in)\b)[a-z]{2,}"
    # "the , , , or model": names that the page has lost
    r"|(?: ,){2}|\b(?:an|the|of|by|in|from|for|with|into|between|called|named) ,"
    # "Brine (salted) Vinegar (sour) Oil"
    r"|(?:\([^()]{2,30}\) [A-Z][a-z]+ ){2}"
    r"|[a-z]{4,}(?:The|An?|In|It|If|As|At|You|Your|This|These|There|When|Most|Many|Some|People|To"
    r"|For"
    r"|Not) [a-z]"
)
#: "Rather, a mutation is", "The resulting problems", "If that does not work".
_FOLLOWS_ON = re.compile(
    r"Rather, |The resulting\b|As (?:stated|mentioned|noted|described|discussed|explained)"
    r" (?:previously|earlier|above|before)\b|(?:If|When|Once|Unless|While) (?:that|this|so)\b"
)
#: "GeneReviews provides articles describing …", "The academy offers a summary of guidelines".
_OFFERS_TEXTS = re.compile(
    r"\b(?:provides?|offers?|publish(?:es)?|has published|maintains?|lists?"
    r"|contains?)\b[^.;:]{0,60}"
    r"\b(?:articles?|guidelines|fact ?sheets?|brochures?|databases?|web ?sites?|videos"
    r"|information (?:about|on|for|to)|summary of|list of (?:resources|articles|links|studies))\b"
    # "Below is a list of …", "see the table below"
    r"|^(?:below|here|above)(?: (?:is|are|you|we)\b|['’]s\b)|\bcheck out (?:these|this|our|the)\b"
    r"|\bthe following (?:links?|websites?|pages?)\b"
    r"|\b(?:lists?|tables?|charts?|links?|figures?|diagrams?|sections?|steps?|pages?) (?:below"
    r"|above)\b"
    r"|\b(?:listed|shown|outlined|described|explained|discussed|ranked) (?:[\w-]+ ){0,6}(?:below"
    r"|above)\b"
    # "which of the following models fits", without a list; "our spreadsheet has the prices"
    r"|\bwhich of the following\b[^:]*$|\b(?:spreadsheet|newsletter|e-?book|calculator|checklist"
    r"|template)s? (?:has|have|contains?|offers?|helps?|includes?|gives?)\b",
    re.IGNORECASE,
)


def offers_texts(text: str) -> bool:
    """Return whether a sentence only says that there are texts, or that a list stands below."""
    return bool(_OFFERS_TEXTS.search(text))


def find_quotes(
    question: str,
    sources: Sequence[Json],
    embedder: Embedder | None = None,
    asking: Sequence[str] = (),
    forms: QuoteForms = WRITTEN_FORMS,
    points: Sequence[str] = (),
    key_words: Sequence[str] = (),
) -> list[Quote]:
    """Return every quotation, scored; those that do not stand alone only if a source has no other.

    embedder: compares meaning, if it can be used and knows the question's language; asking: the
    wordings of the question that it compares, if they are others than its own; forms: which texts
    are quoted; points: what is asked of the thing, without its name, compared too; key_words:
    the best sentences with each of these words are compared in any case.
    """
    usable = _list_usable(sources, forms)
    synonyms = find_topic_synonyms(question, sources)
    facets = find_asked_facets(question, tuple(str(source.get("title", "")) for source in sources))
    by_words = _score_by_words(question, usable, sources, synonyms, facets)
    titles = [str(source.get("title", "")) for source in sources]
    asked = list_asked([question, *asking], titles)
    if embedder is None or not compares(embedder, question):
        return fill_quotes(asked, by_words, titles, None)
    wordings = asking or list_asking_sentences(question)
    holding = _list_holding(key_words, by_words) + _list_side_by_side(question, by_words)
    holding += list_filling(asked, by_words, titles, embedder)
    scored = _score_by_meaning(
        question, wordings, by_words, sources, embedder, synonyms, facets, holding
    )
    pointed = _add_points(_complete_lists(scored, by_words), points, embedder, facets)
    return fill_quotes(asked, pointed, titles, embedder)


#: Sentences with a key word that are compared in any case, and key words, at most.
MAX_HOLDING, MAX_KEY_WORDS = 3, 3


def _list_holding(key_words: Sequence[str], by_words: Sequence[Quote]) -> list[Quote]:
    """Return the best sentences by words that have each of these words."""
    holding: dict[int, Quote] = {}
    ranked = sorted(by_words, key=lambda quote: (-quote.score, quote.order))
    for word in key_words[:MAX_KEY_WORDS]:
        having = [
            quote
            for quote in ranked
            if names_any(word, frozenset(map(word_root, tokenize(quote.text))))
        ]
        holding |= {quote.order: quote for quote in having[:MAX_HOLDING]}
    return list(holding.values())


#: Headings under which a comparison's sides stand together, at most.
MAX_SHARED_HEADINGS = 6


def _list_side_by_side(question: str, by_words: Sequence[Quote]) -> list[Quote]:
    """Return, of a comparison, the first sentences on each side under a heading that both share."""
    sides = find_compared_sides(question)
    if sides is None:
        return []
    under: dict[tuple[int, str], dict[str, Quote]] = {}
    for quote in by_words:
        side = sides.alone(frozenset(map(word_root, content_tokens(quote.text))))
        if quote.heading and side:
            under.setdefault((quote.source, quote.heading), {}).setdefault(side, quote)
    shared = [found for found in under.values() if len(found) == len(sides.names)]
    return [quote for found in shared[:MAX_SHARED_HEADINGS] for quote in found.values()]


def _complete_lists(scored: Sequence[Quote], usable: Sequence[Quote]) -> list[Quote]:
    """Return the quotes, each list once, with the items of the passage that has most of them.

    Passages of one page overlap, and one may end within a list.
    """
    longest: dict[tuple[int, str], Quote] = {}
    for quote in usable:
        if quote.is_list:
            known = longest.setdefault(_find_list(quote), quote)
            if quote.text.count(";") > known.text.count(";"):
                longest[_find_list(quote)] = quote
    best: dict[tuple[int, str], Quote] = {}
    for quote in scored:
        if quote.is_list and quote.score > best.setdefault(_find_list(quote), quote).score:
            best[_find_list(quote)] = quote
    completed = []
    for quote in scored:
        if not quote.is_list:
            completed.append(quote)
        elif quote == best[_find_list(quote)]:
            whole = longest[_find_list(quote)]
            completed.append(
                replace(quote, text=whole.text, passage=whole.passage, whole=whole.whole)
            )
    return completed


def _find_list(quote: Quote) -> tuple[int, str]:
    """Return the source and the lead-in of a list."""
    return quote.source, quote.text.partition(": ")[0]


def _add_points(
    scored: Sequence[Quote],
    points: Sequence[str],
    embedder: Embedder,
    facets: tuple[Facet, ...],
) -> list[Quote]:
    """Return the quotes with how near each comes to a point, and that added to their scores.

    Beside the name of its thing, which every page repeats, what is asked counts little in the
    cosine with a whole question. Nearness is a share of that of the nearest sentence; one that has
    the words of a point is near it too.
    """
    if not points or not scored:
        return list(scored)
    texts = [quote.text_with_subject for quote in scored]
    on_point = [0.0] * len(texts)
    for point in points:
        near = measure_nearness(embedder, [point], texts)
        best = max(*near, MIN_POINT_NEARNESS)
        weights = {word_root(word): rarity(word) for word in content_tokens(point)}
        for place, (text, cosine) in enumerate(zip(texts, near, strict=True)):
            roots = set(map(word_root, content_tokens(text)))
            held = math.fsum(weight for root, weight in weights.items() if root in roots)
            by_words = ON_POINT * held / math.fsum(weights.values())
            on_point[place] = max(on_point[place], cosine / best, by_words)
    bonus = POINT_BONUS_ON_SIDE if facets else POINT_BONUS
    added = []
    for quote, share in zip(scored, on_point, strict=True):
        score = round(quote.score + bonus * max(0.0, share) ** 2, 6)
        added.append(replace(quote, on_point=round(share, COSINE_DIGITS), score=score))
    return added


def find_compared_quotes(
    question: str, sources: Sequence[Json], forms: QuoteForms = FORMS
) -> list[Quote]:
    """Return the quotations that `find_quotes` does, with their share of the question's words.

    How well they answer is not scored: comparing them with each other does not need it.
    """
    usable = _list_usable(sources, forms)
    shares = _WordShares(question, usable)
    return [replace(quote, own=shares.measure_quote(quote)) for quote in usable]


def _list_usable(sources: Sequence[Json], forms: QuoteForms) -> list[Quote]:
    """Return each quotation once; those that do not stand alone only if a source has no other."""
    found = list_quotes(sources, forms)
    firm_sources = {quote.source for quote in found if quote.firm}
    usable = [quote for quote in found if quote.firm or quote.source not in firm_sources]
    # Passages of one page overlap.
    first = {(quote.source, quote.text): quote.order for quote in reversed(usable)}
    return [quote for quote in usable if first[quote.source, quote.text] == quote.order]


def find_topic_synonyms(question: str, sources: Sequence[Json]) -> frozenset[str]:
    """Return the other names that titles and passages give for what a question is about."""
    texts: list[str] = []
    for source in sources:
        texts.append(str(source.get("title", "")))
        texts += [passage["text"] for passage in source["passages"]]
    return find_synonyms(find_topic(question), texts)


@dataclass(frozen=True)
class _Point:
    """What a question asks, and what its pages and sentences are compared with.

    topic: its words that are in titles; nouns: for the sides asked about; names: of the pages that a
    long question names; nearest: the nearness that others are compared with; best: the orders of the
    BEST_NEAR nearest; plain_words: words that the sentences write without a capital; added: by
    source, the roots by which its title names a narrower or another thing; groups: of whom many
    of the sentences tell.
    """

    question: str
    kind: str
    topic: Topic
    synonyms: Collection[str]
    titles: tuple[str, ...]
    facets: tuple[Facet, ...]
    nouns: tuple[str, ...]
    names: tuple[frozenset[str], ...]
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
    question: str, found: Sequence[Quote], sources: Sequence[Json], synonyms: Collection[str]
) -> _Point:
    titles = tuple(str(source.get("title", "")) for source in sources)
    facets = find_asked_facets(question, titles)
    is_long = len(find_topic(question).weights) > MAX_TOPIC_WORDS
    compared = [quote for quote in found if quote.near is not None]
    compared.sort(key=lambda quote: (-(quote.near or 0.0), quote.order))
    highest = max((quote.near or 0.0 for quote in compared), default=0.0)
    return _Point(
        question=question,
        kind=find_answer_kind(question).name,
        topic=keep_titled_words(find_topic(question), titles),
        synonyms=synonyms,
        titles=titles,
        facets=facets,
        nouns=list_side_nouns(facets),
        names=list_asked_titles(question, titles) if is_long else (),
        is_long=is_long,
        is_comparison=find_compared_sides(question) is not None,
        is_told=any(
            _tells_asked_facet(question, quote, facets)
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


#: "Mutations in the gene cause this condition": a kind of thing that stands for the page's own.
_THIS_KIND = re.compile(
    r"\b(?:this|these|such) (?:\w+ )?(?:conditions?|diseases?|disorders?|illness(?:es)?|syndromes?"
    r"|infections?|problems?|medicines?|medications?|drugs?|treatments?|procedures?|devices?"
    r"|products?|methods?|laws?|rules?|groups?|companies|company|events?)\b",
    re.IGNORECASE,
)


#: "An order told its agencies to …": whose they are was said before, where nothing in the sentence
#: names the topic.
_OWNER_BEFORE = re.compile(r"(?:An?|One|Some) (?:[^\s,;:]+ ){2,8}?(?:its|their|his|her) [a-z]")


def _lacks_subject(point: _Point, quote: Quote) -> bool:
    text = quote.text_with_subject
    if _FOLLOWS_ON.match(text) or not stands_alone(text, WRITTEN_FORMS):
        return True
    if _OWNER_BEFORE.match(text) and not measure_named(point.topic, text):
        return True
    if _THIS_KIND.search(text) and not names_topic(point.topic, text, point.synonyms):
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


#: "Are accompanied by fever": an item of a list, whose subject stands in its lead-in.
_LACKS_SUBJECT_BEFORE_VERB = re.compile(
    r"(?:(?:Are|Is|Was|Has|Could|Does) |(?:May|Can|Might|Must) "
    r"(?!(?:and|or|is|was|has|of|in|to|the|[a-z]+s)\b))[a-z][^?]*$"
)
#: "There are two ways to test for it: …"
_ANNOUNCES_SEVERAL = re.compile(
    r"[^:;]*\b(?:two|three|four|five|six|seven|eight|nine|ten|several|many|following|these)\b"
    r" [^:;]*: (?P<items>.+)",
    re.IGNORECASE,
)
_SEVERAL_ITEMS = re.compile(r"[;,]|\b(?:and|or|&)\b")


def _is_fragment(quote: Quote) -> bool:
    """Return whether a text is no whole sentence.

    It has no verb, no subject, one item where it announces several, or is two texts run together:
    "… of rust.Iron is".
    """
    if _RUN_TOGETHER.search(quote.text):
        return True
    lost = _ANNOUNCES_LIST.search(quote.text)
    if lost and STATING_WORDS.search(re.split(r"\b(?:that|which|who|if|when)\b", lost["item"])[0]):
        return True
    announced = _ANNOUNCES_SEVERAL.fullmatch(quote.text)
    if announced and not _SEVERAL_ITEMS.search(announced["items"]):
        return True
    if _LACKS_SUBJECT_BEFORE_VERB.match(quote.text):
        return True
    if quote.is_list or is_imperative(quote.text):
        return False
    return not _MAY_HAVE_VERB.search(_IN_BRACKETS.sub(" ", quote.text))


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
        return not _tells_asked_facet(point.question, quote, point.facets)
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


#: "Your doctor will probably tell you not to take it": holds in a case told before it.
_TOLD_BY_EXPERT = re.compile(
    r"(?:your|the|a) (?:\w+ ){0,2}?(?:doctor|physician|provider|pharmacist|dentist|surgeon|nurse"
    r"|lawyer"
    r"|attorney|adviser|advisor|accountant|vet|bank|insurer|landlord|employer) "
    r"(?:will|may|might|can) (?:\w+ )?(?:tell|ask|advise|instruct|want|warn) you\b",
    re.IGNORECASE,
)
_NAMES_CASE = re.compile(
    r"\b(?:if|when|whenever|before|after|because|unless|until|during|while|for|once)\b",
    re.IGNORECASE,
)
#: "There are ways to do this without surgery": what is done was told before.
_DOES_THIS = re.compile(r"(?:[^\s,;:]+ ){1,8}?(?:do|does|doing|did) (?:this|that|so)\b")


def _lacks_case(quote: Quote) -> bool:
    text = quote.text_with_subject
    if _DOES_THIS.match(text):
        return True
    return bool(_TOLD_BY_EXPERT.match(text)) and not _NAMES_CASE.search(text)


def _gives_order(point: _Point, quote: Quote) -> bool:
    return is_imperative(quote.text_with_subject) and point.kind not in ADVICE_KINDS


#: "Currently seven genes are known": what was known, counted or tried when the page was written.
_UNDATED = re.compile(
    r"\b(?:currently|presently|nowadays|recently|at present|to date|so far|until now"
    r"|in recent years"
    r"|(?:is|are|has|have) now|now (?:known|available|approved|being))\b",
    re.IGNORECASE,
)
_STATE_OF_THINGS = re.compile(
    r"\b(?:\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?"
    r"|thousands?|known|identified|discovered|approved|tested|testing|studied|studying"
    r"|investigat\w+"
    r"|developing|being developed|trials?|stud(?:y|ies)|research\w*)\b",
    re.IGNORECASE,
)
_NAMES_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_DENIES = re.compile(
    r"\b(?:no|not|none|never|cannot|without|unknown|unclear)\b|n['’]t\b", re.IGNORECASE
)


def tells_undated_state(text: str) -> bool:
    """Return whether a sentence tells what was so "currently" or "so far", without a year.

    That nothing is known or can be done is the gist of an answer, whenever it was written.
    """
    is_undated = bool(_UNDATED.search(text)) and not _NAMES_YEAR.search(text)
    return is_undated and bool(_STATE_OF_THINGS.search(text)) and not _DENIES.search(text)


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
#: What it costs to be about another thing; a sentence with less is on the thing itself.
OF_OTHER_THING = 2.6
#: The faults of a sentence, and what each takes off its score: more than sentences without a fault
#: differ by, so that one with a fault is quoted only where none without is.
FAULTS: tuple[tuple[str, float, Callable[[_Point, Quote], bool]], ...] = (
    ("does not say what it is about", 3.0, _lacks_subject),
    ("does not say when it holds", 2.8, lambda _, quote: _lacks_case(quote)),
    ("begins with a heading", 2.8, _begins_with_heading),
    ("is no whole sentence", 2.8, lambda _, quote: _is_fragment(quote)),
    ("tells of other texts", 2.8, lambda _, quote: offers_texts(quote.text)),
    ("of another thing", OF_OTHER_THING, _is_of_other_thing),
    ("of a thing like it", OF_OTHER_THING, _is_of_like_thing),
    (NARROWER, 2.3, _is_of_narrower_thing),
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
        "tells the effect for the cause",
        2.2,
        lambda point, quote: not point.is_comparison and _goes_wrong_way(point.question, quote),
    ),
    ("of another side", 2.0, _is_of_other_side),
)


def mark_faults(
    question: str, found: Sequence[Quote], sources: Sequence[Json], synonyms: Collection[str]
) -> list[Quote]:
    """Return the quotes with their faults, and a score that is lower by what these cost.

    Faults that all have cost nothing. Sentences on a narrower thing are left out if others are on
    the thing itself, and sentences about another thing of the same name ("type 1" for
    "type 2") always.
    """
    topic = find_topic(question)
    kept = [quote for quote in found if not is_of_other_number(topic, quote, sources)]
    point = _make_point(question, kept, sources, synonyms)
    is_filled = any(quote.fills for quote in kept)
    costs: dict[int, float] = {}
    marked = []
    for quote in kept:
        faults = [(name, cost) for name, cost, has_fault in FAULTS if has_fault(point, quote)]
        costs[quote.order] = math.fsum(cost for _, cost in faults)
        is_on_side = bool(quote.fills) or (
            bool(point.facets)
            and not is_filled
            and _tells_asked_facet(question, quote, point.facets)
        )
        names = tuple(name for name, _ in faults)
        marked.append(replace(quote, faults=names, is_on_side=is_on_side))
    if any(costs[quote.order] < OF_OTHER_THING for quote in marked if NARROWER not in quote.faults):
        marked = [quote for quote in marked if NARROWER not in quote.faults]
    least = min((costs[quote.order] for quote in marked), default=0.0)
    return [
        replace(quote, score=round(quote.score - costs[quote.order] + least, 6)) for quote in marked
    ]


def _goes_wrong_way(question: str, quote: Quote) -> bool:
    """Return whether a sentence outside the asked section tells the effect for the cause."""
    if stands_in_asked_section(question, quote):
        return False
    return goes_wrong_way(question, quote.text_with_subject)


def _is_about_topic(topic: Topic, quote: Quote, title: str, synonyms: Collection[str]) -> bool:
    """Return whether a sentence or its page is about the topic; on a neighbour's page, itself."""
    if names_neighbour(topic, title, synonyms):
        return names_all(topic, quote.text, synonyms)
    return is_about(topic, f"{quote.text} {quote.heading}", synonyms) or is_about(
        topic, title, synonyms
    )


#: "Although rust is rare, …": the figures of the main clause may be of another thing.
_CONCESSION = re.compile(r"^(?:although|though|while|whereas|unlike) [^,]{3,80}, ", re.IGNORECASE)


def _tells_asked_facet(question: str, quote: Quote, facets: tuple[Facet, ...]) -> bool:
    """Return whether a sentence, or the section it stands in, tells of one of the facets."""
    if any(facet.of_subject for facet in facets):
        text = _CONCESSION.sub("", quote.text_with_subject)
        opening = " ".join(text.split()[:SUBJECT_WORDS])
        topic = find_topic(question)
        counted = _COUNTS_PEOPLE.search(text) and names_topic(topic, text)
        if not counted and not names_topic(topic, opening):
            facets = tuple(facet for facet in facets if not facet.of_subject)
    return tells_facet(facets, quote.text, quote.section)


def is_of_other_number(topic: Topic, quote: Quote, sources: Sequence[Json]) -> bool:
    """Return whether a quote, or else its heading or title, names the topic with another number."""
    title = str(sources[quote.source].get("title", ""))
    for text in (quote.text, quote.heading, title):
        if names_other_number(topic, text):
            return True
        if names_topic(topic, text) and topic.numbers:
            return False
    return False


class _WordShares:
    """The words of a question, weighted by how few of its quotations hold them."""

    def __init__(self, question: str, found: Sequence[Quote]) -> None:
        self.language = guess_language(question)
        self._held: dict[int, Collection[str]] = {}
        for quote in found:
            self._held[quote.order] = _find_held_roots(question, quote, self.language)
        self._weights: dict[str, float] = {}
        for word in _find_roots(question, self.language):
            count = sum(word in self._held[quote.order] for quote in found)
            if count:
                self._weights[word] = 1 + math.log(1 + len(found) / (1 + count))
        self._total = sum(self._weights.values()) or 1.0

    def measure_quote(self, quote: Quote) -> float:
        """Return the share of the words that one of the quotations holds, 0 to 1."""
        return self.measure(self._held[quote.order])

    def measure(self, held: Collection[str]) -> float:
        """Return the share of the words that these roots hold, by weight, 0 to 1."""
        shared = sum(weight for word, weight in self._weights.items() if word in held)
        return round(shared / self._total, 6)


def _score_by_words(
    question: str,
    found: Sequence[Quote],
    sources: Sequence[Json],
    synonyms: Collection[str],
    facets: tuple[Facet, ...],
) -> list[Quote]:
    """Return the quotes scored against the question's words.

    Words of the sentence count fully, words of its passage and title in part.
    """
    shares = _WordShares(question, found)
    language = shares.language
    around: dict[str, float] = {}  # by passage
    for source in sources:
        for passage in source["passages"]:
            head = f"{source.get('title', '')} {passage['text']}"
            around[passage["id"]] = shares.measure(_find_roots(head, language))
    scored = []
    for quote in found:
        own = shares.measure_quote(quote)
        score = own + CONTEXT_WEIGHT * around[quote.passage] + _rate_form(quote)
        score -= _rate_one_study(question, quote.text)
        if own:
            score += _rate_directness(question, quote, synonyms, DIRECT_BONUS_BY_WORDS, facets)
        if opens_definition(question, quote.text, language):
            score += DIRECT_BONUS_BY_WORDS
        scored.append(replace(quote, own=own, score=round(score, 6)))
    return scored


def _find_held_roots(question: str, quote: Quote, language: str) -> dict[str, None]:
    """Return the roots of a sentence, with those of what its title says of it."""
    if stands_in_asked_section(question, quote):
        return _find_roots(f"{quote.text_with_subject} {quote.heading}", language)
    return _find_roots(quote.text_with_subject if quote.subject else quote.text, language)


def _find_roots(text: str, language: str) -> dict[str, None]:
    """Return the roots of the words that name something, in order; language: of the question."""
    if language in ("", "en"):
        return dict.fromkeys(stem(word) for word in tokenize(text) if word not in QUESTION_WORDS)
    return find_foreign_roots(text, language)


def _score_by_meaning(
    question: str,
    asking: Sequence[str],
    found: Sequence[Quote],
    sources: Sequence[Json],
    embedder: Embedder,
    synonyms: Collection[str],
    facets: tuple[Facet, ...],
    holding: Sequence[Quote] = (),
) -> list[Quote]:
    """Return the quotes whose meaning was compared, scored by it.

    holding: those that are compared in any case.
    """
    kind = _find_kind(question, facets)
    topic = find_topic(question)
    titles = [str(source.get("title", "")) for source in sources]
    near = _measure_quotes(question, asking, found, titles, embedder, facets, holding)
    nearness_of_source: dict[int, float] = {}
    for number in {quote.source for quote in found}:
        of_source = [near[q.order] for q in found if q.source == number and q.order in near]
        nearest = sorted(of_source, reverse=True)[:3]
        nearness_of_source[number] = math.fsum(nearest) / (len(nearest) or 1)
    asked_titles = list_asked_titles(question, titles)
    scored = []
    for quote in found:
        if quote.order in near:
            title = titles[quote.source]
            is_of_thing = names_asked_title(question, "", title, asked_titles)
            score = (
                near[quote.order]
                + WORD_BONUS * quote.own
                + SOURCE_BONUS * nearness_of_source[quote.source]
                + _rate_form(quote)
                - _rate_one_study(question, quote.text)
                + (ASKED_TITLE_BONUS if is_of_thing else 0.0)
                - (NARROWER_MALUS if names_part("", title, asked_titles) else 0.0)
                + _rate_answer_form(question, quote, kind, facets)
                + _rate_directness(question, quote, synonyms, DIRECT_BONUS, facets)
            )
            if names_topic(topic, f"{quote.text} {quote.heading} {title}", synonyms):
                score += NAMED_BONUS
            scored.append(replace(quote, near=near[quote.order], score=round(score, 6)))
    return scored


#: The kinds of question that ask for these sides in whatever words.
_KINDS_OF_SIDES = {"Causes": "cause", "Symptoms": "signs", "Treatment": "treatment"}


def _find_kind(question: str, facets: Sequence[Facet]) -> QuestionType:
    """Return the kind of answer that a question asks for; of sides, that of the first."""
    names = [_KINDS_OF_SIDES[facet.title] for facet in facets if facet.title in _KINDS_OF_SIDES]
    for kind in QUESTION_TYPES:
        if names and kind.name == names[0]:
            return kind
    return find_answer_kind(question)


def _measure_quotes(
    question: str,
    asking: Sequence[str],
    found: Sequence[Quote],
    titles: Sequence[str],
    embedder: Embedder,
    facets: tuple[Facet, ...],
    holding: Sequence[Quote] = (),
) -> dict[int, float]:
    """Return the nearness of the finalists by their order; those of `holding` are among them.

    First the best of each source by words are compared, then all of the passages that hold the
    nearest of those, each under its title and heading. The nearest FINALISTS are compared alone as
    well, as a title lifts whatever stands below it; their nearness is the mean of both cosines.
    """
    near: dict[int, float] = {}

    def compare_under_titles(quotes: Iterable[Quote]) -> None:
        new = [quote for quote in quotes if quote.order not in near]
        # As on the page, so that rows are shared with the choice of passages and the judge.
        texts = [add_context(titles[quote.source], quote.above, quote.whole) for quote in new]
        for quote, cosine in zip(new, measure_nearness(embedder, asking, texts), strict=True):
            near[quote.order] = cosine

    ranked = sorted(found, key=lambda quote: (-quote.score, quote.order))
    counts: Counter[int] = Counter()
    first: list[Quote] = []
    for quote in ranked:
        counts[quote.source] += 1
        if counts[quote.source] <= FIRST_OF_SOURCE:
            first.append(quote)
    compare_under_titles(first)
    first.sort(key=lambda quote: (-near[quote.order], quote.order))
    compare_under_titles(holding)
    best_passages = list(dict.fromkeys(quote.passage for quote in first))[:BEST_PASSAGES]
    compare_under_titles(quote for quote in found if quote.passage in best_passages)
    on_point = {quote.order for quote in found if _tells_asked_facet(question, quote, facets)}
    promise = {order: cosine + FORM_BONUS * (order in on_point) for order, cosine in near.items()}
    finalists = _choose_finalists([quote for quote in found if quote.order in near], promise)
    finalists += [quote for quote in holding if quote not in finalists]
    alone = measure_nearness(embedder, asking, [quote.text_with_subject for quote in finalists])
    return {
        quote.order: round((near[quote.order] + cosine) / 2, COSINE_DIGITS)
        for quote, cosine in zip(finalists, alone, strict=True)
    }


def _choose_finalists(compared: Sequence[Quote], near: Mapping[int, float]) -> list[Quote]:
    """Return the nearest sentences: an equal share of each source, then the nearest of all.

    Without shares, the source whose title repeats the question would have all places.
    """
    ranked = sorted(compared, key=lambda quote: (-near[quote.order], quote.order))
    share = FINALISTS // len({quote.source for quote in compared}) if compared else 0
    counts: Counter[int] = Counter()
    within: list[Quote] = []
    beyond: list[Quote] = []
    for quote in ranked:
        counts[quote.source] += 1
        (within if counts[quote.source] <= share else beyond).append(quote)
    return [*within, *beyond][:FINALISTS]


def _rate_answer_form(
    question: str, quote: Quote, kind: QuestionType, facets: tuple[Facet, ...]
) -> float:
    """Return a bonus for a sentence in the form of the answer, or in the section, asked for."""
    if facets and not _tells_asked_facet(question, quote, facets):
        return -OFF_FACET_MALUS
    if _ADDS_TO_OTHERS.match(quote.text) or tells_nothing(question, quote.text):
        return 0.0
    gives_form = bool(kind.given.pattern) and bool(kind.given.search(quote.text))
    bonus = 0.0
    if facets:
        tells = tells_facet(facets, quote.text)
        gives_form = gives_form and tells
        bonus += PARTICULARS_BONUS * (tells and gives_particulars(quote.text))
    if gives_form or stands_in_asked_section(question, quote):
        bonus += FORM_BONUS
    return bonus + LIST_BONUS * (kind.name in LIST_KINDS and _lists_several(quote.text))


def _lists_several(text: str) -> bool:
    """Return whether a sentence lists three things or more."""
    return bool(_LISTS_SEVERAL.search(text))


def _rate_directness(
    question: str,
    quote: Quote,
    synonyms: Collection[str],
    bonus: float,
    facets: tuple[Facet, ...],
) -> float:
    """Return a bonus for a direct answer, less for a sentence that misses the point."""
    text = quote.text_with_subject
    is_in_place = stands_in_asked_section(question, quote)
    if restates_question(question, text):
        return -MISSES_POINT
    if _goes_wrong_way(question, quote):
        return -MISSES_POINT
    if find_answer_kind(question).name in ADVICE_KINDS and _LEAVES_OPEN.match(text):
        return -MISSES_POINT
    if tells_nothing(question, quote.text):
        return -MISSES_POINT
    if _ADDS_TO_OTHERS.match(text):
        return 0.0
    if _is_of_a_part(question, text) or is_of_subtype(question, text, synonyms):
        return -PART_MALUS
    if facets and not tells_facet(facets, text):
        return 0.0
    return bonus if is_in_place or answers_directly(question, text, synonyms) else 0.0


def stands_in_asked_section(question: str, quote: Quote) -> bool:
    """Return whether the title before a sentence names what is asked of its thing: "(Causes)"."""
    kind = find_answer_kind(question).name
    if kind not in SECTION_KINDS or classify_question(quote.section).name != kind:
        return False
    return names_topic(find_topic(question), quote.heading)


def _is_of_a_part(question: str, text: str) -> bool:
    """Return whether a sentence begins with a condition or a group that the question lacks."""
    group = _GROUP.match(text)
    if group and word_root(group["group"].split()[-1].lower()) not in map(
        word_root, content_tokens(question)
    ):
        return True
    match = _OF_A_PART.match(text)
    if match is None or re.match(r" (?:most|many|general|all|both|the|a|an)\b", match["part"]):
        return False
    asked = {word_root(word) for word in content_tokens(question)}
    return not {word_root(word) for word in content_tokens(match["part"])} <= asked


#: "Closed-angle glaucoma is": a word before the name of the thing that makes it a narrower one.
_GRADE = re.compile(
    r"(?:advanced|early|late|later|severe|mild|chronic|acute|primary|secondary|rare|wet|dry"
    r"|recurrent"
    r"|untreated|seasonal|temporary|permanent|commercial|industrial|residential|federal|local"
    r"|private"
    r"|used|partial|minor|major)$",
    re.IGNORECASE,
)
_DETERMINER = re.compile(
    r"(?:an?|the|most|many|some|all|any|both|each|every|few|several|your|his|her|their|its|our|my"
    r"|these|those|this|that|no|other|certain|different|common|typical|usual|two|three|four|five"
    r"|[A-Za-z]+ing|(?:well|long|full|so|over)-[a-z-]+)$",
    re.IGNORECASE,
)


def is_of_subtype(question: str, text: str, synonyms: Collection[str] = ()) -> bool:
    """Return whether the subject of a sentence is a kind of the thing that the question lacks.

    "Closed-angle glaucoma" and "Early rust" are for glaucoma and rust.
    """
    names = {root for synonym in synonyms for root in map(word_root, tokenize(synonym))}
    names |= find_topic(question).weights.keys()
    asked = {word_root(word) for word in tokenize(question)} | names
    words = [word.strip(",;:()\"'“”") for word in text.split()[:SUBJECT_WORDS]]
    subject = list(dropwhile(_DETERMINER.match, words))
    roots = [frozenset(map(word_root, tokenize(word))) for word in subject[:2]]
    if not roots:
        return False
    if not names.isdisjoint(roots[0]):
        # "Open-angle-glaucoma" as one word
        return "-" in subject[0] and not roots[0] <= asked
    if len(roots) == 1 or names.isdisjoint(roots[1]):
        return False
    is_kind = "-" in subject[0] or bool(_GRADE.match(subject[0]))
    return is_kind and asked.isdisjoint(roots[0])


#: "A recent study of 40 drivers found …": what one study found need not hold in general.
_ONE_STUDY = re.compile(
    r"\b(?:an?|one|another|this|the)(?: [\w-]+){0,3}? (?:study|survey|trial|experiment"
    r"|poll)\b[^.;]{0,120}?"
    r"\b(?:found|finds|show(?:s|ed|n)|suggest(?:s|ed)|report(?:s|ed)|concluded|reveal(?:s|ed)"
    r"|estimate[sd])\b"
    r"|\b(?:eine[rs]?|diese[rs]?|die)(?: \w+){0,2}? (?:Studie|Untersuchung|Umfrage)\b[^.;]{0,120}?"
    r"\b(?:ergab|zeigte?|fand|zufolge|belegte?)\b|\b(?:laut"
    r"|nach) einer(?: \w+){0,2}? (?:Studie|Umfrage)\b"
    r"|\bune(?: \w+)? (?:étude|enquête)\b[^.;]{0,120}?\b(?:montr|révél|trouv|indiqu|constat"
    r"|suggér|suggèr|estim)\w+"
    r"|\bselon une(?: \w+)? (?:étude|enquête)\b"
    r"|\b(?:uno?|una|um|uma)(?: \w+)? (?:estudi?o|encuesta|ensayo|pesquisa|studio|indagine"
    r"|sondaggio)\b[^.;]{0,120}?"
    r"\b(?:encontr|hall|mostr|reve?l|rivel|suger|sugier|indic|apont|ha trov|dimostr)\w+"
    r"|\b(?:según|segundo|secondo) (?:uno?|una|um|uma)(?: \w+)? (?:estudi?o|encuesta|pesquisa"
    r"|studio|indagine)\b",
    re.IGNORECASE,
)
_ASKS_STUDIES = re.compile(
    r"\b(?:stud(?:y|ies)|research\w*|evidence|trials?|surveys?|polls?|experiments?|effects?"
    r"|findings?"
    r"|Studien?|Forschung|Umfragen?|Wirkung(?:en)?|études?|recherches?|enquêtes?|effets?|estudios?"
    r"|investigaci\w+|encuestas?|efectos?|studi|ricerche?|effetti|pesquisas?|efeitos?)\b",
    re.IGNORECASE,
)
ONE_STUDY_MALUS = 0.25


def _rate_one_study(question: str, text: str) -> float:
    """Return what is taken off for the finding of one study, unless such findings are asked for."""
    kind = find_answer_kind(question).name
    if kind in ("yes or no", "effect", "latest") or _ASKS_STUDIES.search(question):
        return 0.0
    return ONE_STUDY_MALUS if _ONE_STUDY.search(text) else 0.0


def _rate_form(quote: Quote) -> float:
    """Return a bonus for good length and a figure, less for context, page or author words."""
    is_handy = BEST_WORDS[0] <= count_words(quote.text) <= BEST_WORDS[1]
    length = 0.05 if is_handy else -0.05
    figure = 0.05 if any(map(str.isdigit, quote.text)) else 0.0
    off = 0.0
    if is_imperative(quote.text):
        off = 0.3
    if _ABOUT_ITSELF.search(quote.text):
        off = 0.5
    elif _SENDS_READER.search(quote.text):
        off = SENDS_READER_MALUS
    elif _FIRST_PERSON.search(quote.text):
        off = 0.2
    leaning = 0.0 if quote.firm else 0.1
    return length + figure - off - leaning


def measure_likeness(one: Quote, other: Quote) -> float:
    """Return the cosine of the stemmed word counts, 0.0 to 1.0."""
    if not one.length or not other.length:
        return float(one.text == other.text)
    small, large = sorted((one.words, other.words), key=len)
    product = sum(count * large[word] for word, count in small.items() if word in large)
    return product / (one.length * other.length)


def choose_quotes(found: Sequence[Quote], limit: int, *, per_source: int) -> list[Quote]:
    """Return the best sentences, best first, varied in content and source.

    Ties are in reading order. What is far behind the best is left out, and so are near-copies
    (likeness above `MAX_LIKENESS`).
    """
    left = _find_candidates(found)
    nearest = dict.fromkeys(left, 0.0)
    taken: list[Quote] = []
    counts: Counter[int] = Counter()

    by_meaning = any(quote.near is not None for quote in found)
    likeness_weight, source_weight = VARIETY_BY_MEANING if by_meaning else VARIETY_BY_WORDS

    def rank(quote: Quote) -> tuple[float, int]:
        worth = (
            quote.score
            - likeness_weight * nearest[quote.order]
            - source_weight * counts[quote.source]
        )
        return worth, -quote.order

    while left and len(taken) < limit:
        best = max(left.values(), key=rank)
        taken.append(best)
        counts[best.source] += 1
        del left[best.order]
        for order, quote in list(left.items()):
            nearest[order] = max(nearest[order], measure_likeness(best, quote))
            if nearest[order] > MAX_LIKENESS or counts[quote.source] >= per_source:
                del left[order]
    return taken


def _find_candidates(found: Sequence[Quote]) -> dict[int, Quote]:
    """Return the quotes near enough to the best by their order, identical ones once.

    By words, a sentence without a word of the question is taken only if none has one.
    """
    by_meaning = any(quote.near is not None for quote in found)
    if not by_meaning:
        found = [quote for quote in found if quote.own] or found
    best_score = max((quote.score for quote in found), default=0.0)
    if by_meaning:
        nearest = max(quote.near or 0.0 for quote in found)
        # A sentence in nearly the question's words sets no measure for the others.
        beyond = max(0.0, nearest - MEASURING_NEARNESS)
        least = best_score - beyond - MAX_BEHIND_BEST
        if any(quote.on_point is not None for quote in found):
            least -= BEHIND_POINT
        if any(quote.fills for quote in found):
            least -= BEHIND_FILLER
        least_near = max(MIN_NEARNESS, nearest - beyond - MAX_BEHIND_NEAREST)
        near_enough = [
            quote
            for quote in found
            if (quote.near or 0.0) >= least_near - LEEWAY * (quote.is_list or quote.is_on_side)
        ]
        # Where each sentence near enough has a fault, others are better than none.
        if any(not quote.faults for quote in near_enough) or all(quote.faults for quote in found):
            found = near_enough or found
        least = min(least, max((quote.score for quote in found), default=least))
    else:
        # What a direct answer has over others does not count; the best may be below 0.
        least = min(best_score, MIN_SHARE_OF_BEST * (best_score - DIRECT_BONUS_BY_WORDS))
    best_copies: dict[str, Quote] = {}
    for quote in sorted(found, key=lambda quote: (quote.score, -quote.order)):
        best_copies[quote.text.casefold()] = quote
    candidates: dict[int, Quote] = {}
    ranked = sorted(best_copies.values(), key=lambda quote: (-quote.score, quote.order))
    few = {quote.order for quote in ranked[:FEW]}
    # One that answers in the question's own words sets no measure for the others.
    measure = ranked[min(FEW, len(ranked)) - 1].score if ranked else 0.0
    stricter = max(least, measure - MAX_BEHIND_FEW) if by_meaning else least
    for quote in sorted(ranked, key=lambda quote: quote.order):
        needed = least if quote.order in few else stricter
        # The few best are kept beside one that answers directly, however far behind they are.
        is_plain = by_meaning and quote.order in few and not quote.faults
        if is_plain or quote.score >= needed:
            candidates[quote.order] = quote
    return candidates
