"""Tell which sentences speak for and which against what a yes-or-no question supposes.

Goes by words: a sentence speaks for it if it says nearly all that the question does and denies
nothing, and against it if it denies that or uses opposite words. It infers nothing; most sentences
count on neither side.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from research_core.i18n import N_
from research_core.text.question_types import classify_question
from research_core.text.quotable import Quote
from research_core.text.quote_labels import describe_section, is_argument_against
from research_core.text.stance import WARNING_SHARE, assess_stance, compare_claim

#: The headings of the two sides, to be translated.
SPEAKS_FOR, SPEAKS_AGAINST = N_("Speaks for"), N_("Speaks against")
#: The lean from which a sentence that denies nothing speaks against a question by opposite words.
MIN_LEAN = 0.5
#: The share of the question's words from which a sentence without a denial speaks for it.
MIN_SHARE_HELD = 0.9

#: Asks whether something is good, or should be done: arguments against the thing answer that.
_ASKS_WORTH = re.compile(
    r"\b(?:should|ought|worth|good|safe|effective|useful|helpful|help|beneficial|reliable|fair|work"
    r"|works|improve)\b",
    re.IGNORECASE,
)
_ASKS_ADVICE = re.compile(r"\b(?:should|ought)\b", re.IGNORECASE)
_ADVISES = re.compile(
    r"\b(?:should|ought|must|recommend\w*|advis\w+|urg\w+|need to)\b", re.IGNORECASE
)
#: Says that somebody holds, asks or supposes something, not that it is so.
_REPORTS = re.compile(
    r"\b(?:whether|if|unclear|uncertain|unknown|believ\w+|claim\w*|myths?|suppos\w+|alleged\w*"
    r"|said to|thought to|question\w*|debat\w+|disput\w+|rumou?r\w*)\b",
    re.IGNORECASE,
)
#: A denial of harm, which is none of what the question supposes.
_DENIES_HARM = re.compile(
    r"\bwithout (?:any |an? )?(?:signs?|harm|problems?|trouble|risks?|ill|illness|side effects?)\b",
    re.IGNORECASE,
)


def choose_opposing(question: str, body: Sequence[Quote], most: int) -> dict[str, list[Quote]]:
    """Return at most so many sentences of each side; {} unless both sides have one."""
    groups = group_opposing(question, body)
    if len(groups) < 2:
        return {}
    return {side: group[:most] for side, group in groups.items()}


def group_opposing(question: str, body: Sequence[Quote]) -> dict[str, list[Quote]]:
    """Return what speaks for and what against, the side of the first sentence first.

    A side without a sentence is left out. Empty for a question that cannot be answered with yes.
    """
    groups: dict[str, list[Quote]] = {}
    if classify_question(question).name != "yes or no":
        return groups
    for quote in body:
        side = find_opposing_side(question, quote)
        if side:
            groups.setdefault(side, []).append(quote)
    return groups


def find_opposing_side(question: str, quote: Quote) -> str:
    """Return SPEAKS_FOR, SPEAKS_AGAINST, or "" if words alone do not tell."""
    is_argument = is_argument_against(quote.heading)
    if is_argument and _ASKS_WORTH.search(question):
        return SPEAKS_AGAINST
    if _DENIES_HARM.search(quote.text) or (describe_section(quote.heading) and not is_argument):
        return ""
    stance = assess_stance(question, quote.text)
    denies = bool(compare_claim(question, quote.text)[0]["one denies"])
    if stance.lean <= -MIN_LEAN or (denies and stance.held >= WARNING_SHARE):
        return SPEAKS_AGAINST
    # "Is it a swindle?": what speaks against the thing may speak for what is asked.
    if is_argument or stance.because or stance.lean <= 0 or stance.held < MIN_SHARE_HELD:
        return ""
    if _REPORTS.search(quote.text):
        return ""
    if _ASKS_ADVICE.search(question) and not _ADVISES.search(quote.text):
        return ""
    return SPEAKS_FOR
