"""Tell what kind of answer a question asks for, and whether a sentence has the form of one.

Goes by the words of English questions and by no subject.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class QuestionType:
    """A kind of answer: `asked` matches a question in lower case, `given` a sentence that answers.

    An empty `given` matches every sentence.
    """

    name: str
    asked: re.Pattern[str]
    given: re.Pattern[str]


def _question_type(name: str, asked: str, given: str = "") -> QuestionType:
    return QuestionType(name, re.compile(asked), re.compile(given, re.IGNORECASE))


_NUMBER = (
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|half|quarter"
    r"|hundreds?|thousands?|[mb]illions?)\b"
)
_DEFINES = (
    r"^(?:[^\s,]+ ){1,9}?(?:is|are|was|were|refers? to|means|describes) "
    r"(?:(?:also|often|usually|commonly|a type of) )?(?:an?|the|any|one of|when|where|caused)\b"
)
_MONTH = (
    r"\b(?:january|february|march|april|june|july|august|september|october|november|december)\b"
)
#: Verbs that open a question for yes or no.
YES_NO_VERBS = "is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|might|must"
#: The kinds in order: the first whose words a question has is its kind.
QUESTION_TYPES: tuple[QuestionType, ...] = (
    _question_type(
        "comparison",
        r"\bvs\b|\bversus\b|\bcompar|\bdiffer(?:s|ences?|ent|)\b|\bas opposed to\b"
        r"|\b(?!rather\b|other\b)(?:better|worse|more|less|fewer|\w+er)\b(?: [\w-]+){0,3} than\b"
        r"|\b(?:better|worse|\w+er)[,:] .+ or\b|\bbetter to .+ or\b"
        r"|\bshould (?:i|you|we|one) (?!.*\bor not\b).+ or\b"
        r"|^\W*(?:which|what|who)\b.*\b(?:better|worse|\w+er) .+ or\b",
        r"\b(?:than|whereas|while|unlike|differ\w*|compar\w+|contrast|both|neither|instead of)\b",
    ),
    _question_type(
        "how much",
        r"\bhow (?:much|many|often|long|far|old|large|big|fast|high|deep|tall|heavy|hot|cold)\b"
        r"|\b(?:costs?|prices?|pricing|percentage|number of|salary|dosage|dose)\b"
        r"|\bwhat (?:do|does|did|will|would)\b.+\b(?:charge|earn|weigh|pay)\b",
        _NUMBER,
    ),
    _question_type(
        "when",
        r"^\W*when\b(?! (?:and|or) how\b)|\b(?:what|which) (?:year|date|day|month|century|time)\b"
        r"|\bhow long ago\b",
        rf"\b(?:1\d|20)\d\d\b|{_MONTH}|\bcentury\b|\b(?:hours?|days?|weeks?|months?|years?)\b",
    ),
    _question_type(
        "cause",
        r"\bwhy\b|\bcaus(?:es?|ed|ing)\b|\breasons?\b|\bwhat (?:leads to|makes|triggers)\b"
        r"|\brisk factors?\b|\borigins?\b"
        r"|\bhow (?:do|does|did|can) (?:people|someone|somebody|humans|one|you|we|i|children|babies"
        r"|animals) (?:catch|contract|develop)\b"
        r"|\bhow (?:do|does|did) (?:people|someone|somebody|humans|children|animals) get (?!rid|to\b|in)",
        r"\b(?:because|due to|caus\w+|results? (?:from|in)|leads? to|led to|triggers?|owing to"
        r"|explain\w*|risk factors?|inherited|mutations?|reasons?|when (?:the|a|an|your))\b",
    ),
    _question_type(
        "effect",
        r"\beffects?\b|\bimpacts?\b|\baffects?\b|\bconsequences?\b|\bcomplications?\b"
        r"|\bwhat happens\b|\bharm(?:s|ful)?\b|\bdo(?:es)? to\b",
        r"\b(?:caus\w+|leads? to|led to|results? in|effects?|affects?|increas\w+|reduc\w+|rais\w+"
        r"|lower\w*|worsen\w*|improv\w+|damag\w+|complications?|may|can)\b",
    ),
    _question_type(
        "treatment",
        r"\btreat(?:s|ed|ing|ments?|able)?\b|\bcur(?:e|es|ed|able)\b|\btherap(?:y|ies)\b"
        r"|\bremed(?:y|ies)\b|\bget rid of\b|\bmedic(?:ines?|ations?) for\b|\bmanage(?:d|ment)?\b"
        r"|\b(?:reliev\w+|sooth(?:es?|ed|ing)|alleviat\w+)\b",
        r"\b(?:treat\w*|cur(?:e|es|ed|able)|therap\w+|medic\w+|drugs?|surgery|remov\w+|manag\w+"
        r"|reliev\w+|vaccin\w+|antibiotics?|exercise|prescri\w+)\b",
    ),
    _question_type(
        "signs",
        r"\bsymptoms?\b|\bsigns?\b|\blooks? like\b|\bhow (?:do|can) (?:i|you|we) (?:know|tell)\b",
        r"\b(?:symptoms?|signs?|warning)\b[^.;]{0,70}?\b(?:include|are|is|may|can|range|appear)\b"
        r"|\b(?:symptoms?|signs?)[^.;:]{0,40}: |\bsuch as\b|\b(?:may|can) (?:feel|have|notice)\b",
    ),
    _question_type(
        "overview",
        r"\b(?:info(?:rmation)?|details|facts|literature|knowledge|material) (?:on|about|for|of|regarding"
        r"|concerning)\b|\b(?:know|learn|read|hear) (?:more |something |everything )?about\b",
        _DEFINES,
    ),
    _question_type(
        "how to",
        r"\bhow (?:to|should|can (?:i|you|we|one)|do (?:i|you|we))\b|\bsteps?\b|\bways? (?:to|of)\b"
        r"|\btips?\b|\badvice\b|\bstrateg(?:y|ies)\b|\brecommend|\bwhat (?:should|can|could|do)"
        r" (?:i|you|we|one)(?: do)?\b",
        r"\b(?:should|recommend\w*|advis\w+|best|can|by \w+ing|use|avoid|first|then|steps?)\b",
    ),
    _question_type("who", r"^\W*who(?:se|m)?\b", r"(?-i:\b[A-Z][a-z]+ [A-Z][a-z]+)"),
    _question_type(
        "where",
        r"^\W*where\b|\b(?:what|which) (?:country|city|place|region)\b",
        r"\b(?:in|at|near|from|of|to) (?-i:[A-Z])",
    ),
    _question_type(
        "latest",
        r"\b(?:latest|newest|most recent|recent|current(?:ly)?|so far|this year)\b",
        r"\b20[12]\d\b",
    ),
    _question_type(
        "definition",
        r"^(?!.*\bare (?:the |some )?(?:[\w-]+ ){0,2}?\w+s (?:of|for|in)\b)"
        r"\W*(?:what|who)(?:'s|’s| is| are| was| were|s) (?:(?:a|an|the) )?(?:[\w'’-]+ ?){1,5}\W*$"
        r"|\bdefin(?:e|ition)\b|\bmeaning of\b|\bwhat (?:do|does) .* mean\b",
        _DEFINES,
    ),
    _question_type(
        "yes or no",
        rf"^\W*(?:{YES_NO_VERBS}|if|whether)\b",
    ),
    _question_type(
        "list",
        r"\bwhat are\b|^\W*which\b|\b(?:types|kinds|examples|list) of\b|\bname (?:the|some)\b",
        r"\binclud\w+|\bsuch as\b|:",
    ),
    _question_type("explanation", r"\bhow\b|\bexplain\b", ""),
    _question_type("overview", "", _DEFINES),
)


def classify_question(question: str) -> QuestionType:
    """Return the kind of answer that a question asks for; "overview" if no words tell."""
    lowered = question.lower()
    return next(kind for kind in QUESTION_TYPES if kind.asked.search(lowered))
