"""Strip greetings, politeness and the shorthand of chats from an English question."""

from __future__ import annotations

import re

from research_core.text.slips import SHORTHAND, mend_confused_words

#: Words that begin a sentence or clause, and are no ending of a site's name.
_BEGINNINGS = (
    r"(?:and|but|she|he|her|his|please|thanks?|the|then|they|there|this|that|these|those|now|what"
    r"|when|where|why|how|which|who|we|our|i)\b"
)
_UNSPACED_MARKS = (
    re.compile(r"(?<=[a-z]{2})[,;?!](?=[a-z])", re.IGNORECASE),
    re.compile(rf"(?<=[a-z\d]{{2}})\.(?={_BEGINNINGS})", re.IGNORECASE),
    re.compile(rf"(?<=\s)[.,;](?={_BEGINNINGS})", re.IGNORECASE),
    re.compile(r"\.{2,}(?=[A-Z])"),
    # "… my questions please.1. What is rust?2. Can it spread?"
    re.compile(r"(?<=[a-z]{2})[.?!](?=\d{1,2}[.)]\s*[A-Z])"),
    re.compile(r"(?<=[a-z])\.{2,}(?=[a-z])", re.IGNORECASE),
)
#: The age of a person, which no result names: "I am a 23yr old man", "my 16 month old son".
_AGE = re.compile(
    r"\b\d{1,3}[- ]?(?:yrs?|y/?o|years?|months?|mos?|weeks?|days?)[- ]?(?:old )?"
    r"(?=(?:man|woman|male|female|boy|girl|son|daughter|child|baby|kid|lady|guy|person|mother"
    r"|father|infant|toddler|grand\w+)\b)"
    r"|(?<=\bam )(?:a |an )?\d{1,3}(?:[- ]?(?:yrs?|y/?o|years?)(?:[- ]?old\b)?|(?=[.,;]))"
    r"|(?<=\b(?:he|hi)s )\d{1,3} (?:years|months|weeks|days) old\b",
    re.IGNORECASE,
)

#: The number of a question in a list of several: "1. What is rust? 2) Can it spread?".
_NUMBERED_QUESTION = re.compile(
    r"(?:^|(?<=[.?!:;,])|(?<=[.?!:;,]\s))\s*\d{1,2}[.)]\s*(?=[A-Z][^.?!]{3,200}\?)"
)


def tidy(text: str) -> str:
    """Return a text without ages and numbers of questions, with a space after each mark."""
    for pattern in _UNSPACED_MARKS:
        text = pattern.sub(lambda match: f"{match[0]} ", text)
    if len(_NUMBERED_QUESTION.findall(text)) > 1:
        text = _NUMBERED_QUESTION.sub(" ", text)
    return " ".join(_AGE.sub(" ", text).split())


def expand_shorthand(text: str) -> str:
    """Return a text with the shorthand of chats written out and confused words mended.

    Capitals ("ID", "UR") are names.
    """
    words = []
    for word in text.replace("’", "'").split(" "):
        bare = word.strip('.,;:!?"()')
        plain = bare.lower() if bare[:1].isupper() and bare[1:].islower() else bare
        if plain in SHORTHAND:
            meant = SHORTHAND[plain] if plain == bare else SHORTHAND[plain].capitalize()
            word = word.replace(bare, meant)
        words.append(word)
    return mend_confused_words(" ".join(words))


GREETING = re.compile(
    r"^(?:(?:hi|hello|hey|hiya|greetings|good (?:morning|afternoon|evening|day))\b"
    r"(?: (?:there|all|everyone|everybody|team|folks|guys|friends?|again))?"
    r"|dear (?:sir or madam|sirs?|madam|all|\w+))[,!.:– -]*(?:\s|$)",
    re.IGNORECASE,
)
#: What stands before a question and does not ask.
_FILLING = re.compile(
    r"^(?:please|kindly|so|well|ok|okay|um|and|but|also|btw|by the way|just|basically|honestly"
    r"|(?:thanks? (?:you )?(?:so |very )much|(?:many )?thanks?(?: you)?)(?: in advance)?"
    r"|(?:a |one |another )?(?:quick |short )?question)\b"
    r"(?: about)?[,:.! -]*",
    re.IGNORECASE,
)
_WISH = r"(?:know|learn|find out|understand|ask(?: you)?|hear|read|see)"
#: The frames in which a person asks politely.
_REQUEST = re.compile(
    r"^(?:(?:if|whether) )?(?:"
    r"(?:you|someone|anyone|anybody|somebody) (?:can|could|would|might)(?: please| kindly)?"
    r" (?:tell|explain|show|advise)(?: (?:to )?(?:me|us))?|"
    r"(?:can|could|would|will) (?:you|someone|anyone|anybody|somebody)(?: please| kindly| perhaps)?"
    r"(?: be so kind as to)? (?:tell|explain|show|give|help|describe|inform|let"
    r"|suggest|recommend|advise)"
    rf"(?: (?:to )?(?:me|us))?(?: know)?(?: to {_WISH}| {_WISH})?"
    r"|would you mind (?:telling|explaining|showing)(?: to)?(?: me| us)?"
    rf"|i(?: really| just| also)?(?: want(?:ed)?| need(?:ed)?| wish|(?: would|'d)(?: like| love)) to {_WISH}"
    rf"|i(?: am|'?m) (?:trying|looking|hoping|curious)(?: to {_WISH})?"
    r"|i(?: am|'?m|'?ve| have| was|'d)? ?(?:been )?wonder(?:ing)?"
    r"|i(?: do not| don't) (?:know|understand)"
    r"|i have (?:a|some) (?:\w+ )?questions?"
    r"|i(?: am|'?m) (?:looking|searching) for"
    r"|i(?: need| want) (?:some )?(?:info|information|details|facts|help)"
    r"|(?:do you|does (?:anyone|anybody|someone)) (?:happen to )?know|any (?:idea|ideas|info)"
    r"|(?:tell|give|show)(?: me| us)(?: something| everything| more| all)?"
    r"|explain(?: to)?(?: me| us)|(?:may|can|could) i ask(?: you)?|what (?:can|do) you (?:know|tell me)"
    r"|(?:list|name|describe|outline|summari[sz]e)(?= (?:the|some|all|an?|how|what|why)\b)"
    r")(?: (?:something|everything|more|all))?(?: (?:about|on|with|regarding))?\b[,: ]*",
    re.IGNORECASE,
)
#: Verbs that begin a question, and what tells its subject from the rest of a statement: "but is it
#: safe", as against "but is still loose".
_OPENING_VERBS = ("is", "are", "do", "does", "did", "can", "could", "should", "will", "would")
_OPENING_VERB = f"(?:{'|'.join(_OPENING_VERBS)})"
_CAPITAL_VERB = f"(?:{'|'.join(map(str.capitalize, _OPENING_VERBS))})"
_SUBJECT_FOLLOWS = (
    r"(?:i|we|you|he|she|it|they|there|this|that|these|those|the|an?|my|our|your|his|her|their|its"
    r"|any\w*|some\w*|every\w*)"
)
#: A longer way to a question, in a sentence that does not begin as one: "I would be grateful if you
#: could let me know which …", "a silly question: does …".
LEAD_IN = re.compile(
    r"^(?!(?:what|how|why|when|where|who|which|whether|if)\b)(?:[^?]{0,200}?\b(?:know|tell (?:me|us)"
    r"|(?:explain|show)(?: (?:to )?(?:me|us))?|wonder(?:ing)?|understand|curious|ask(?:ing|ed)?"
    r"|advise|opinion|idea|unsure|sure|clue)(?: (?!that\b)[a-z]+)?,? (?=(?:what|which|how|why|when|where"
    r"|who|whose|whether|if)\b)"
    r"|[^?]{0,200}?[, ]\bbut (?=(?:what|which|how|why|when|where|who)\b"
    rf"|{_OPENING_VERB} (?!(?:not|never)\b)(?:{_SUBJECT_FOLLOWS}\b|[^?]*\?))"
    r"|[^?:]{0,200}: (?=(?:what|which|how|why|when|where|who|is|are|do|does|did|can|could|should|will"
    r"|would)\b))",
    re.IGNORECASE,
)
#: A question behind words without a stop: "dry rot How can I stop it".
_QUESTION_INSIDE = re.compile(
    r"(?<=[a-z)]) (?=(?:(?:What|How|Why|When|Where|Which|Who) (?:is|are|was|were|do|does|did"
    r"|can|could"
    rf"|should|will|would|to)|{_CAPITAL_VERB} (?:i|I|we|you|he|she|it|they|there|this|these"
    r"|anyone|anybody|someone)) [a-zI])"
)


def separate_questions(text: str) -> str:
    """Return a text with a stop before each question that begins with a capital behind words."""
    return _QUESTION_INSIDE.sub(". ", text)


#: A statement without its subject, as notes have it: "Does not open.", "Have tried glue."
_LACKS_SUBJECT = re.compile(
    r"(?:(?:do|does|did|can|could|will|would|is|are|was|were|has|have|had|should)"
    r" (?:not|never|still|already|now)|(?:has|have|had) (?:been|got|gone|had|heard|read|seen"
    r"|\w{3,}ed))"
    r" (?!(?:i|we|you|he|she|it|they|there|this|that|these|those|the|my|our|your)\b)[^?]*",
    re.IGNORECASE,
)


def lacks_subject(sentence: str) -> bool:
    """Return whether a sentence that begins like a question is a statement without its subject."""
    return bool(_LACKS_SUBJECT.fullmatch(sentence))


_FAREWELL = re.compile(
    r"[\s,.!;–-]*(?:\band )?\b(?:please|thanks?|thank you|many thanks|thanks a lot|cheers"
    r"|(?:kind|best|warm|kindest) (?:regards|wishes)|yours (?:sincerely|faithfully|truly)"
    r"|(?:i )?(?:would )?(?:really )?appreciate (?:any|your|the) (?:help|advice|ideas?))\b"
    r"(?: (?:so|very) much)?(?: in advance)?(?: for (?:your|any) \w+)?"
    r"[\s.!,]*(?P<mark>\?*)[\s.!]*$",
    re.IGNORECASE,
)


def strip_manners(sentence: str) -> str:
    """Return an English sentence without greeting, politeness and the frame "I want to know"."""
    text = sentence.strip()
    for _ in range(6):
        shorter = text
        for pattern in (GREETING, _FILLING, LEAD_IN, _REQUEST):
            shorter = pattern.sub("", shorter, count=1).strip()
        shorter = _FAREWELL.sub(r"\g<mark>", shorter).strip()
        if shorter == text:
            break
        text = shorter
    return text if any(map(str.isalnum, text)) else ""


def is_request(sentence: str) -> bool:
    """Return True for a sentence in the frame of a polite request."""
    text = sentence.strip()
    for pattern in (GREETING, _FILLING, _FILLING):
        text = pattern.sub("", text, count=1).strip()
    return bool(_REQUEST.match(text) or LEAD_IN.match(text))
