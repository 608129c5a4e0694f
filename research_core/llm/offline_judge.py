"""Judge without a model how relevant a source is to a question, 1-5, and why.

It weighs words, how near they stand, the title, the form of the answer asked for, and, where the
embedding model can be used, the meaning of sentences and of the best passage (`similarity`,
`topic_match`). What it says of a text is checked in that text (`judge_reasons`). It understands
nothing: a page that answers in other words scores too low, one that says the opposite in the same
words too high.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from research_core.i18n import EARLIER_ENGLISH, _, current_language, join_sentences
from research_core.llm.judge_reasons import (
    Reading,
    add_named_thing,
    add_unnamed_side,
    describe_subject,
    describe_unnamed_side,
    explain_score,
    give_reason,
    name_thing,
)
from research_core.model_messages import Json
from research_core.text.comparison_question import (
    find_compared_sides,
    strip_article,
    word_one_side,
)
from research_core.text.direct_answers import defines
from research_core.text.named_things import (
    NamedThing,
    find_named_thing,
    names_action,
    names_place_or_person,
)
from research_core.text.question_focus import focus_question
from research_core.text.question_parts import (
    condense_question,
    is_long,
    list_gists,
    list_own_questions,
    spell_text,
    split_questions,
    widen_side,
)
from research_core.text.question_spelling import SpelledQuestion, spell_question
from research_core.text.question_topic import FACET_WORDS, find_synonyms, find_topic
from research_core.text.question_types import classify_question
from research_core.text.sentence_meaning import (
    add_context,
    compares,
    knows_language,
    list_asking_sentences,
    measure_nearness,
)
from research_core.text.sentence_ranking import rank_sentences
from research_core.text.sentences import find_sentences
from research_core.text.similarity import (
    FILLER_WORDS,
    OPEN_FORM,
    content_tokens,
    match_stems,
    measure_fit,
    parse_question,
    rarity,
    word_root,
)
from research_core.text.topic_match import (
    FAR_MAX_SCORE,
    MAX_EXACT_SCORE,
    MIN_DIRECT_SHARE,
    MIN_NEARNESS,
    Meaning,
    answers_beside,
    estimate_chance,
    measure_signs,
    scale_chance,
    share_named,
)
from research_core.text.topic_naming import (
    count_naming_sentences,
    counts_thing,
    find_other_number,
    find_phrases,
    find_scattered_phrase,
    find_unnamed_compound,
    names_kind,
)
from research_core.text.words import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from research_core.text.embeddings import Embedder
    from research_core.text.similarity import AnswerForm


#: The highest unrounded score of a source that mentions one side of a comparison only or has the
#: words of the topic apart, and of one that names another thing than the one asked about.
ONE_SIDE_MAX, OTHER_THING_MAX = 3.99, 2.99
#: The lowest unrounded score of a source that answers directly, unless it names another thing.
DIRECT_ANSWER_MIN = 3.0
#: Characters of the first passage of a source that are compared in meaning.
MAX_PASSAGE_LENGTH = 1_000
#: The highest unrounded score of a source that has the gist of a longer question and not its words.
GIST_MAX = 3.99
#: The share of a gist's words, by weight, and the cosine of a sentence from which a source answers.
MIN_GIST_SHARE, MIN_ANSWER_NEARNESS = 0.5, 0.7
#: The cosine of a sentence from which a source touches on a longer question whose thing its title
#: names, whole or in part; and how far its unrounded score rises with that of its words.
MIN_TITLED_NEARNESS, MIN_PARTLY_TITLED_NEARNESS, TITLED_STEP = 0.45, 0.5, 0.49
#: The same for a short question; if the title names a side that the question does not; and the
#: score by words and meaning that the text needs.
MIN_SHORT_TITLED_NEARNESS, MIN_OTHER_SIDE_NEARNESS, TOUCHING_MIN_SCORE = 0.55, 0.65, 2
#: The same for a question on how to do what the title names: instructions do not repeat it.
MIN_GUIDE_NEARNESS = 0.4
#: The sentences that name the topic of a text that treats it, at least.
MIN_NAMING_SENTENCES = 2
#: The cosine from which a source may be about the thing though it does not use the phrase.
MIN_SAME_THING = 0.7


@dataclass(frozen=True)
class Verdict:
    """How relevant a source is: `exact` is 1.0 to 5.99, the score is its whole part.

    explanation: what the source has and lacks, by words and meaning; reason: the same as a plain
    sentence, "" for none.
    """

    exact: float
    explanation: str
    reason: str = ""

    @property
    def score(self) -> int:
        """Return the score, 1 to 5."""
        return int(self.exact)


def judge_source(inputs: Json, embedder: Embedder | None = None) -> str:
    """Return "SCORE: n\\nEXPLANATION: the reason\\n\\nDETAILS: what it goes by".

    Sessions under earlier rules of scoring have the details as their explanation. inputs:
    {question, title, passages}. embedder: compares the passages in meaning too; where it cannot be
    used, the details say so.
    """
    passages = [str(passage) for passage in inputs["passages"]]
    verdict = judge(str(inputs["question"]), str(inputs["title"]), passages, embedder)
    if not verdict.reason or current_language() == EARLIER_ENGLISH:
        return f"SCORE: {verdict.score}\nEXPLANATION: {verdict.explanation}"
    explained = f"EXPLANATION: {verdict.reason}\n\nDETAILS: {verdict.explanation}"
    return f"SCORE: {verdict.score}\n{explained}"


def judge(
    question: str, title: str, passages: Sequence[str], embedder: Embedder | None = None
) -> Verdict:
    """Return how relevant a source with this title and these passages is to a question."""
    asked = condense_question(question)
    one_side = _word_named_side(asked, title, passages)
    wider = widen_side(asked)
    gists = [*list_gists(question), *filter(None, [one_side, wider])]
    sides = (
        *list_asked_sides(question, asked, title, passages),
        *list_own_questions(question),
    )
    meaning = None
    if embedder is not None and compares(embedder, asked):
        spelled = _spell(asked, title, passages).text
        meaning = measure_meaning(embedder, [spelled, *gists, *sides], title, passages)
    by_words = _explain_words_alone(embedder) if meaning is None else ""
    verdict = _judge_wording(asked, title, passages, meaning, by_words)
    form = parse_question(asked).form
    if one_side and form.name == "comparison":  # what is about one side compares nothing
        form = parse_question(one_side).form
    for gist in (*gists, *sides):
        if verdict.exact >= DIRECT_ANSWER_MIN:
            break
        own_form = parse_question(gist).form if gist in sides else form
        on_topic = _judge_wording(gist, title, passages, meaning, by_words, own_form)
        if on_topic.exact >= DIRECT_ANSWER_MIN:
            verdict = replace(on_topic, exact=min(on_topic.exact, GIST_MAX))
            if gist == one_side:
                lacking = find_unnamed_side(asked, [title, *passages])
                verdict = _add_lacking_side(verdict, lacking)
    if verdict.exact >= DIRECT_ANSWER_MIN or not split_questions(question)[0].english:
        return verdict
    if find_compared_sides(asked):  # a title names one side only
        return verdict
    raised = DIRECT_ANSWER_MIN + TITLED_STEP * (verdict.exact - 1)
    touches_topic = verdict.score >= TOUCHING_MIN_SCORE
    whole = _spell(spell_text(question), title, passages).text
    if touches_topic and meaning:
        topic = ""
        if _treats_action(whole, title, meaning):
            topic = whole
        elif _treats_topic(wider or asked, title, passages, meaning):
            topic = wider or asked
        if topic:
            phrases = [phrase.written for phrase in find_phrases(topic)]
            reason = describe_subject(phrases, meaning.sentence)
            return replace(verdict, exact=raised, reason=reason)
    thing = find_named_thing(whole, title, passages)
    if thing is None or names_place_or_person(question, title):
        return verdict
    if is_long(question):
        touches_on = _touches_on(asked, thing, [title, *passages], meaning)
    else:
        touches_on = touches_topic and _touches_on_short(whole, thing, title, passages, meaning)
    if not touches_on:
        return verdict
    named = name_thing(thing.words, title)
    return Verdict(raised, add_named_thing(verdict.explanation, named), named)


def _add_lacking_side(verdict: Verdict, side: str) -> Verdict:
    """Return a verdict that says which of two compared things the source does not name."""
    return replace(
        verdict,
        explanation=add_unnamed_side(verdict.explanation, side),
        reason=join_sentences([verdict.reason, describe_unnamed_side(side)]),
    )


def list_asked_sides(
    question: str, asked: str, title: str, passages: Sequence[str]
) -> tuple[str, ...]:
    """Return short questions for what a letter asks of the thing that a title names.

    "What are the complications of measles?" for the page "Measles" and a letter that tells of a
    child with it and asks "what can happen?". asked: the letter without its story. Empty if its
    asking sentences do not name the thing, or ask for no side of it.
    """
    if not is_long(question) or not split_questions(question)[0].english:
        return ()
    whole = _spell(spell_text(question), title, passages).text
    thing = find_named_thing(whole, title, passages)
    if thing is None or not thing.is_whole or names_place_or_person(question, title):
        return ()
    if not thing.may_be_asked_in(_spell(asked, title, passages).text):
        return ()
    own = {part.text for part in split_questions(whole)}
    return tuple(text for text in focus_question(whole, (title,)).asking if text not in own)


def _touches_on(
    asked: str, thing: NamedThing, texts: Sequence[str], meaning: Meaning | None
) -> bool:
    """Return whether texts with a title that names this thing of a question touch on its topic.

    Not if it is a circumstance, if they lack another name of the question, or if no sentence is
    near enough in meaning. A very rare name that the asking sentences lack counts by meaning only.
    """
    is_asked = thing.is_asked_in(asked) if meaning is None else thing.may_be_asked_in(asked)
    if not is_asked:
        return False
    if find_other_number(asked, texts)[0] or find_unnamed_compound(asked, texts):
        return False
    if meaning is None:
        return thing.is_whole
    least = MIN_TITLED_NEARNESS if thing.is_whole else MIN_PARTLY_TITLED_NEARNESS
    return meaning.sentence >= least


def _touches_on_short(
    asked: str, thing: NamedThing, title: str, passages: Sequence[str], meaning: Meaning | None
) -> bool:
    """Return whether a text titled as the thing of a short question touches on the question.

    The question must not ask for a figure, date or name. The title must name the whole thing and
    the rarest word of the question, and a sentence must be near in meaning: nearer if the title
    names another side of the thing ("X: diagnosis" for a question on its causes).
    """
    if meaning is None or not thing.is_whole or parse_question(asked).form is not OPEN_FORM:
        return False
    rarest = max(content_tokens(asked), key=rarity, default="")
    if word_root(rarest) not in map(word_root, thing.named):
        return False
    texts = [title, *passages]
    if find_other_number(asked, texts)[0] or find_unnamed_compound(asked, texts):
        return False
    facets = FACET_WORDS.intersection(map(word_root, content_tokens(title)))
    is_on_other_side = bool(facets) and facets.isdisjoint(map(word_root, tokenize(asked)))
    least = MIN_OTHER_SIDE_NEARNESS if is_on_other_side else MIN_SHORT_TITLED_NEARNESS
    return meaning.sentence >= least


def _treats_action(asked: str, title: str, meaning: Meaning) -> bool:
    """Return whether a title names all that a short question on how to do something asks.

    "Diet for rapid weight loss" does for "how to lose weight".
    """
    if is_long(asked) or classify_question(asked).name != "how to":
        return False
    return meaning.sentence >= MIN_GUIDE_NEARNESS and names_action(asked, title)


def _treats_topic(asked: str, title: str, passages: Sequence[str], meaning: Meaning) -> bool:
    """Return whether a text treats the topic of a short question and names the side asked for.

    Its title need not name the whole topic ("Birds near inland turbines" for "offshore wind
    turbines"), nor its sentences the kind of risk or effect, but several must name the topic.
    """
    parsed = parse_question(asked)
    if is_long(asked) or parsed.form is not OPEN_FORM:
        return False
    parts, phrases = split_questions(asked), find_phrases(asked)
    if len(parts) > 1 or not parts[0].facets or len(phrases) != 1:
        return False
    if meaning.sentence < MIN_SHORT_TITLED_NEARNESS or not names_kind(phrases[0], title):
        return False
    held = match_stems([token for text in (title, *passages) for token in tokenize(text)], parsed)
    is_side_named = any(word_root(word.lower()) in held for word in parts[0].facets)
    return is_side_named and count_naming_sentences(phrases[0], passages) >= MIN_NAMING_SENTENCES


def _word_named_side(asked: str, title: str, passages: Sequence[str]) -> str:
    """Return a comparison as a question about the only side that a source names, or "".

    If nothing is named that the sides are compared in, the title must name the side.
    """
    sides = find_compared_sides(asked)
    texts = [title, *passages]
    if sides is None or not find_unnamed_side(asked, texts):
        return ""
    named = sides.alone({word_root(word) for text in texts for word in tokenize(text)})
    wording, has_criterion = word_one_side(asked, named)
    is_titled = sides.alone({word_root(word) for word in tokenize(title)}) == named
    return wording if has_criterion or is_titled else ""


def _spell(asked: str, title: str, passages: Sequence[str]) -> SpelledQuestion:
    """Return a question as the title and the passages spell its words."""
    return spell_question(asked, [title, *passages], is_english=knows_language(asked))


def _judge_wording(
    wording: str,
    title: str,
    passages: Sequence[str],
    meaning: Meaning | None,
    by_words: str,
    form: AnswerForm | None = None,
) -> Verdict:
    """Return how relevant a source is to a question in these words.

    meaning: how near its sentences are, None if they were not compared, which `by_words` explains;
    form: of the answer asked for if the wording is a gist, None to read it from the wording.
    """
    texts = [title, *passages]
    is_english = knows_language(wording)
    spelled = _spell(wording, title, passages)
    asked = spelled.text
    parsed = parse_question(asked)
    if form:
        parsed = replace(parsed, form=form)
    fit = measure_fit(parsed, title, passages)
    signs = measure_signs(parsed, asked, fit, passages, meaning, title)
    reading = Reading(
        question=parsed,
        asked=asked,
        slips=spelled.slips,
        title=title,
        passages=tuple(passages),
        lacks_answer=not fit.given,
        other_number=find_other_number(asked, texts),
        scattered=find_scattered_phrase(asked, texts) if is_english else None,
        unnamed=find_unnamed_compound(asked, texts) if is_english else "",
        unnamed_side=find_unnamed_side(asked, texts),
        nearness=meaning.sentence if meaning else None,
        by_words=by_words,
    )
    exact = scale_chance(estimate_chance(signs), by_meaning=meaning is not None)
    if (
        answers_beside(fit, signs)
        or (counts_thing(asked, passages) and share_named(parsed, fit) >= MIN_DIRECT_SHARE)
        or _holds_definition(asked, passages)
        or (form and meaning and _answers_gist(share_named(parsed, fit), meaning))
    ):
        exact = max(exact, DIRECT_ANSWER_MIN)
    exact = min(exact, _find_highest_score(reading))
    score = int(exact)
    return Verdict(exact, explain_score(reading, score), give_reason(reading, score))


def _answers_gist(share: float, meaning: Meaning) -> bool:
    """Return whether texts that name this share of a gist have a sentence that is near enough."""
    return share >= MIN_GIST_SHARE and meaning.sentence >= MIN_ANSWER_NEARNESS


def _holds_definition(asked: str, passages: Sequence[str]) -> bool:
    """Return whether a question for a definition is answered by one of the topic."""
    if not knows_language(asked) or classify_question(asked).name != "definition":
        return False
    topic = find_topic(asked)
    synonyms = find_synonyms(topic, passages)
    for passage in passages:
        for start, end in find_sentences(passage):
            if defines(" ".join(passage[start:end].split()), topic, synonyms):
                return True
    return False


def _find_highest_score(reading: Reading) -> float:
    """Return the highest unrounded score that what was read allows."""
    near = reading.nearness
    highest = MAX_EXACT_SCORE
    if reading.scattered or reading.unnamed_side:
        highest = ONE_SIDE_MAX
    if reading.scattered and (reading.scattered.is_bound or len(reading.scattered.words) > 2):
        highest = OTHER_THING_MAX
    if near is not None and near < MIN_NEARNESS:
        highest = min(highest, FAR_MAX_SCORE + 0.99)
    if reading.other_number[0]:
        highest = min(highest, OTHER_THING_MAX)
    if reading.unnamed and (near is None or near < MIN_SAME_THING):
        highest = min(highest, OTHER_THING_MAX)
    return highest


def _explain_words_alone(embedder: Embedder | None) -> str:
    """Return why a question was compared by words alone."""
    if embedder is None:
        return _("Compared by words alone.")
    if embedder.why:
        return _("Compared by words alone: the embedding model is not available.")
    return _("Compared by words alone: the embedding model knows only English.")


def find_unnamed_side(asked: str, texts: Sequence[str]) -> str:
    """Return the one of two compared things that the texts do not name.

    "" if they name both or neither, or nothing is compared.
    """
    compared = find_compared_sides(asked)
    if not compared:
        return ""
    roots: set[str] = set()
    for text in texts:
        roots.update(map(word_root, tokenize(text)))
    named = compared.alone(roots)
    if not named:
        return ""
    one, other = compared.names
    unnamed = strip_article(other if named == one else one)
    is_name = tokenize(unnamed)[0] not in FILLER_WORDS  # "it true that" of "is it true that more"
    return unnamed if is_name else ""


def measure_meaning(
    embedder: Embedder, wordings: Sequence[str], title: str, passages: Sequence[str]
) -> Meaning:
    """Return how near the nearest sentence and the first passage are to one of the wordings."""
    ranked = rank_sentences(wordings, title, passages, embedder)
    first = [add_context(title, "", passages[0], limit=MAX_PASSAGE_LENGTH)] if passages else []
    asking = [text for wording in wordings for text in list_asking_sentences(wording)]
    near = measure_nearness(embedder, asking, first)
    return Meaning(ranked[0].near if ranked else 0.0, max(near, default=0.0))
