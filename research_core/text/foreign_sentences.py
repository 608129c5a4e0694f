"""Tell of sentences in other languages than English what the writer needs to know of them.

Which roots it holds, whether it points back to the sentence before, and whether it says what a thing
is. Each goes by a kept list of words of the language, so that a language without a list is
left as it is.
"""

from __future__ import annotations

import re
from functools import lru_cache

from research_core.text.languages import guess_language
from research_core.text.question import find_keywords, find_question_words
from research_core.text.word_forms import fold_forms
from research_core.text.words import tokenize


def find_foreign_roots(text: str, language: str) -> dict[str, None]:
    """Return the roots of the words that name something, in order; language: not English."""
    asking = find_question_words(language)
    return dict.fromkeys(
        fold_forms(word, language) for word in tokenize(text) if word not in asking
    )


# ---------------------------------------------------------------- sentences that point back

#: First words that refer to the sentence before: pronouns, and conjunctions that add to it.
_LEANING_ROWS = {
    "de": (
        "er sie es ihn ihm ihr ihre ihren ihrem ihrer sein seine seinen seinem seiner dieser diese"
        " dieses diesen diesem dies dabei dadurch dafür dagegen daher damit danach daran darauf darin"
        " darum darunter darüber davon davor dazu deshalb deswegen dennoch trotzdem jedoch aber und oder"
        " denn doch also außerdem zudem auch dann dort hier so solche beide letztere erstere jene dessen"
        " deren wir ich unser unsere ebenso hingegen allerdings"
    ),
    "fr": (
        "il elle ils elles on ce cet cette ces cela ça celui celle ceux celles son sa ses leur leurs"
        " y en lui ainsi aussi alors donc mais et ou or puis ensuite enfin cependant pourtant toutefois"
        " néanmoins là ici nous je notre nos chacun chacune certains"
    ),
    "es": (
        "él ella ellos ellas este esta estos estas esto ese esa esos esas eso aquel aquella su sus lo"
        " la_cual así además también entonces luego después pero y o sino sin_embargo por_eso por_ello"
        " con_ello nosotros yo nuestro nuestra ahí allí aquí ambos"
    ),
    "pt": (
        "ele ela eles elas este esta estes estas isto esse essa esses essas isso seu sua seus suas"
        " assim além também então depois mas e ou porém contudo por_isso nós eu nosso nossa ali aqui"
    ),
    "it": (
        "lui lei essi esse esso essa questo questa questi queste ciò suo sua suoi sue loro così inoltre"
        " anche allora poi dopo ma e o però tuttavia perciò noi io nostro nostra lì qui entrambi"
    ),
    "ar": (
        "هو هي هم هذا هذه ذلك تلك هؤلاء وهو وهي وهم وهذا وهذه وذلك لذلك ولذلك ولهذا لهذا لكن ولكن"
        " كما أيضا وكذلك ثم بل نحن أنا عندئذ حينئذ هنا هناك وهناك فيها فيه منها منه"
    ),
}
#: What leans at the beginning of a sentence that is written without spaces.
_LEANING_STARTS = {
    "zh": tuple(
        "他 她 它 这 那 其 此 该 所以 因此 但 而且 而 并且 另外 此外 同时 然后 于是 不过 然而 我们 我 也 还"
        " 随后 例如 比如".split()
    ),
    "ja": tuple(
        "これ それ あれ この その あの ここ そこ こう そう 彼 しかし だから そのため したがって また さらに そして"
        " ただし なお 一方 そこで すると つまり 例えば たとえば 私".split()
    ),
}
#: "Es gibt", "Il faut": the pronoun stands for nothing.
_IMPERSONAL = re.compile(
    r"es (?:gibt|gab|kommt|handelt|dauert|braucht|bedarf|heißt|lohnt|genügt|wird|werden|wurden?)\b"
    r"|il (?:faut|fallait|faudra|y (?:a|avait)|existe|existait|s['’]agit|suffit|convient|reste|est"
    r" (?:possible|interdit|nécessaire|important|utile|obligatoire|conseillé|recommandé))\b"
    r"|ce (?:sont|n['’]est)\b|on (?:peut|appelle|trouve|compte|distingue|utilise|dit)\b",
    re.IGNORECASE,
)
#: "Das waren mehr": German "das" is an article too.
_POINTING = re.compile(
    r"das (?:ist|sind|war|waren|hat|hatte|haben|wird|wurde|kann|gilt|liegt|macht|geht|führt|führte"
    r"|bedeutet|heißt|zeigt|spart|reicht)\b|c['’](?:est|était)\b",
    re.IGNORECASE,
)


def leans_on_sentence_before(text: str) -> bool:
    """Return whether a sentence in another language begins by pointing back."""
    language = guess_language(text)
    starts = _LEANING_STARTS.get(language)
    if starts:
        return text.startswith(starts)
    leaning = _LEANING_ROWS.get(language)
    if leaning is None:
        return False
    if _IMPERSONAL.match(text):
        return False
    if _POINTING.match(text):
        return True
    words = tokenize(text[:60])
    firsts = {words[0], "_".join(words[:2])} if words else set()
    return not firsts.isdisjoint(leaning.split())


# ---------------------------------------------------------------- definitions

#: How a language asks what a thing is.
_ASKS_WHAT = re.compile(
    r"^\W*(?:was (?:ist|sind|bedeutet|versteht man)|qu['’]est[- ]ce qu|c['’]est quoi|qué (?:es|son)\b"
    r"|o que (?:é|são)\b|che cos|cos['’]è|cosa (?:è|sono)\b|(?:ما|ماذا) (?:هو|هي|يعني|معنى)\b|什么是|何谓"
    r"|what is)|是什么[？?]*$|とは(?:何|なん|どんな|どういう)?\S{0,8}$|ってな[にん]",
    re.IGNORECASE,
)
#: What may stand before the thing, and what says after it what it is.
_ARTICLE = (
    r"(?:(?:der|die|das|ein|eine|le|la|les|un|une|des|el|los|las|una|unos|unas|o|a|os|as|um|uma|il|lo|i"
    r"|gli) |l['’])?"
)
_IS = (
    r"(?:ist|sind|bezeichnet|bedeutet|est|sont|désigne|désignent|es|son|significa|designa|é|são|è|sono"
    r"|هو|هي|هم)\b"
)
_IS_UNSPACED = r"(?:，)?(?:就?是(?!什么|否)|指|とは|は、|というのは)"


@lru_cache(maxsize=64)
def _compile_definition(question: str, language: str) -> re.Pattern[str] | None:
    """Return the form of a sentence that says what the thing is; None if nothing else is asked."""
    if language in ("", "en") or not _ASKS_WHAT.search(question):
        return None
    keywords = find_keywords(question, language)
    if not keywords:
        return None
    if language in ("zh", "ja"):
        named = ".{0,4}".join(map(re.escape, keywords))
        return re.compile(f"^[「“《]?{named}[」”》]?{_IS_UNSPACED}")
    named = r"(?:\W+\w{1,4})?\W+".join(map(re.escape, keywords))
    return re.compile(rf"^\W*{_ARTICLE}{named}[^\w,]*(?:\([^)]*\) )?{_IS}", re.IGNORECASE)


def opens_definition(question: str, text: str, language: str) -> bool:
    """Return whether a sentence begins by saying what the thing is that a question asks about."""
    form = _compile_definition(question, language)
    return form is not None and form.match(text) is not None
