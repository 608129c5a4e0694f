"""Find what is wrong with a sentence as a quotation, whatever the question is."""

from __future__ import annotations

import re

from research_core.text.contact_lines import STATING_WORDS
from research_core.text.quotable import Quote, is_imperative

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


#: "Are accompanied by fever": an item of a list without the sentence that introduces it.
_LACKS_SUBJECT_BEFORE_VERB = re.compile(
    r"(?:(?:Are|Is|Was|Has|Could|Does) |(?:May|Can|Might|Must) "
    r"(?!(?:and|or|is|was|has|of|in|to|the|[a-z]+s)\b))[a-z][^?]*$"
)
#: "Oils that you rub into the wood.", "Tools to cut a hedge.": an item of a list that only names.
_ONLY_NAMES = re.compile(
    r"[A-Z][a-z-]+s (?:(?:that|which) (?:you|we|they|one)|to [a-z]+|for) (?P<rest>[^,;:]+)"
)
#: "There are two ways to test for it: …"
_ANNOUNCES_SEVERAL = re.compile(
    r"[^:;]*\b(?:two|three|four|five|six|seven|eight|nine|ten|several|many|following|these)\b"
    r" [^:;]*: (?P<items>.+)",
    re.IGNORECASE,
)
_SEVERAL_ITEMS = re.compile(r"[;,]|\b(?:and|or|&)\b")


def is_fragment(quote: Quote) -> bool:
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
    named = _ONLY_NAMES.fullmatch(_IN_BRACKETS.sub(" ", quote.text))
    if named and not _MAY_HAVE_VERB.search(named["rest"]):
        return True
    return not _MAY_HAVE_VERB.search(_IN_BRACKETS.sub(" ", quote.text))


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


def lacks_case(quote: Quote) -> bool:
    """Return whether a sentence holds only in a case that was told before it."""
    text = quote.text_with_subject
    if _DOES_THIS.match(text):
        return True
    return bool(_TOLD_BY_EXPERT.match(text)) and not _NAMES_CASE.search(text)


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


#: "Rust was once thought to be a plant": what was believed, without what is known.
_ONCE_BELIEVED = re.compile(
    r"\b(?:was|were|had been) (?:once|long|commonly|previously|formerly|originally|widely"
    r"|traditionally|generally|initially) (?:thought|believed|considered|assumed)"
    r" (?:to(?! have\b)|that)\b"
    r"|\b(?:was|were|had been) (?:thought|believed) (?:to(?! have\b)|that)\b"
    r"|\b(?:once|formerly|previously) (?:thought|believed) to\b"
    r"|\b(?:galt|galten) (?:lange|früher|einst) als\b|\bhielt man (?:lange|früher|einst) für\b"
    r"|\bon (?:croyait|pensait) (?:autrefois|longtemps)\b|\bse (?:creía|pensaba) (?:antes )?que\b"
    r"|\bsi (?:credeva|pensava) (?:un tempo )?che\b|\b(?:acreditava|pensava)-se (?:antes )?que\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:but|however|now|today|although|though|yet|until|later|while|whereas|in fact|actually"
    r"|aber|heute|jedoch|doch|bis|mais|aujourd|pero|hoy|ma|oggi|mas|hoje)\b",
    re.IGNORECASE,
)
_ASKS_PAST = re.compile(
    # not the German "Was ist …?"
    r"(?<=\w )was\b|\bwas (?:the|an?|it|he|she|there)\b|^Was (?-i:(?=[A-Z]))"
    r"|^wh(?:o|at) (?:\w+ed|wrote|built|made|led|began|won|took)\b"
    r"|\b(?:were|did|history|once|used to|believed|thought|war|waren|früher|était|croyait"
    r"|histoire|historia|era|antes|storia|história)\b",
    re.IGNORECASE,
)


def tells_former_belief(question: str, text: str) -> bool:
    """Return whether a sentence tells only what was believed once, and the question no past."""
    is_belief = bool(_ONCE_BELIEVED.search(text)) and not _CORRECTS.search(text)
    return is_belief and not _ASKS_PAST.search(question)
