"""Tell which sides of its thing a question asks about, and which of them a sentence tells of.

A facet is a side of a thing: its symptoms, its causes, its treatment, its cost. A question asks for
a side where the side's noun or verb is the head of what is asked ("symptoms of gout", "how is gout
treated"), not where the word is part of the topic ("a credit spread"). Wordings that are as common
outside medicine ("a remedy for …", "how do I manage …") count only beside another medical word. A
sentence that only announces a side ("symptoms differ by age") does not count. English only.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from research_core.text.answer_forms import MONEY
from research_core.text.question_parts import split_questions
from research_core.text.question_spelling import spell_question
from research_core.text.question_types import classify_question
from research_core.text.sentence_meaning import list_asking_sentences
from research_core.text.sentences import find_sentences

#: A text before the question of at most so many words is its subject line.
MAX_SUBJECT_LINE = 8
#: A question that asks for more sides than this asks for everything.
MAX_FACETS = 3


@dataclass(frozen=True)
class Facet:
    """A side of a thing.

    title: a heading for it; `asked` matches a question that asks for it, `asked_in_medicine` one
    that does so beside a medical word; `named` matches a heading or sentence that names it, `given`
    a sentence that tells of it, and `beside` what names it and tells something else: "relieves
    symptoms".
    of_subject: a sentence tells it only of its own subject, as a figure of how many there are.
    """

    title: str
    asked: re.Pattern[str]
    asked_in_medicine: re.Pattern[str]
    named: re.Pattern[str]
    given: re.Pattern[str]
    beside: re.Pattern[str] | None = None
    of_subject: bool = False

    def is_told(self, text: str) -> bool:
        """Return whether a sentence tells of this side."""
        return bool(self.given.search(self.beside.sub(" ", text) if self.beside else text))


#: What follows a noun that is the head of what is asked, and does not only describe the next noun.
_AFTER_HEAD = (
    r"(?=\W*$|[,;)/]| (?:of|for|from|and|or|in|with|if|when|that|do|does|did|are|is|was|were|can|may"
    r"|will|should|after|before|during|on|to|by|at|i|you|we|available)\b)"
)
#: "how is gout", "how can rust be", "how do doctors": what stands before the verb of a side.
_HOW_IS = r"\bhow (?:is|are|was|were|can|could|do|does|did|to|should|would|will|may|best)\b(?:[^?.;]{0,300}? )?"
_AT_END = r"(?=\W*$)"
_BAD_STATE = (
    r"(?:bad|worn|broken|faulty|failing|damaged|leaking|dying|dead|spoiled|spoilt|rotten|sick|ill"
    r"|infected|blocked|clogged|cracked|off|pregnant)"
)
#: The forms in which a question asks for a side, and those in which it does so in medicine only.
ASKING_FORMS: dict[str, tuple[str, str]] = {
    # "side effects of lithium", not "a side effect function"
    "Side effects": (
        rf"\b(?:side[- ]effects?|adverse (?:effects?|events?|reactions?)){_AFTER_HEAD}",
        "",
    ),
    "Complications": (rf"\bcomplications?{_AFTER_HEAD}", ""),
    # "signs of a stroke", not "who signs the lease"
    "Symptoms": (
        rf"\bsymptoms?{_AFTER_HEAD}|\bsigns of\b|\bsigns and\b|\b(?:the|any|some|early|warning) signs\b"
        rf"|\bhow (?:do|can|would|will|does) (?:i|you|we|one) (?:know|tell|see|notice|recogni[sz]e)"
        r" (?:if|whether|when|that)\b"
        rf"[^?.;]{{0,300}}\b{_BAD_STATE}{_AT_END}",
        rf"\bsigns?{_AFTER_HEAD}|\b(?:looks?|feels?) like\b"
        r"|\bhow (?:do|can|would|will) (?:i|you|we|one) (?:know|tell|recogni[sz]e)\b"
        r"|\bhow (?:do|can|would|will) (?:i|you|we|one) see (?:if|whether|that)\b",
    ),
    # "how does measles spread", not "a credit spread" or "how do I spread butter"
    "Spread": (
        rf"\b(?:is|are) [^?.;]{{0,300}}\b(?:contagious|infectious){_AT_END}"
        r"|\bhow (?:do|does|did|is|are|can) (?!i\b|you\b|we\b|an? )[^?.;]{0,300}\bspread"
        rf"(?:{_AT_END}|(?= (?:from|through|by|between|among|to|so|across)\b))",
        r"\bcontagious\b|\btransmi(?:t|ssion|ssible)\w*\b|\bspread\w*\b|\binfectious\b"
        r"|\b(?:do|does|did|can) (?:\w+ )?(?:catch|contract)\b(?! an? (?:pass|ball|fish)\b)",
    ),
    # "what causes rust", "the cause of the crash", not "a cause of action"
    "Causes": (
        r"\bcaus(?:es|ed|e|ing)\b(?! of action\b)(?<!probable cause)(?<!good cause)(?<!just cause)"
        r"|\bwhy\b|\breasons? (?:of|for|behind)\b|\borigins? of\b"
        r"|\bwhat (?:triggers|triggered|leads to|led to)\b",
        r"\btriggers?\b|\bwhat makes\b"
        r"|\bhow (?:do|does|did|can) (?:people|you|one|someone|somebody|i|we|children|babies)"
        r" (?:get|develop) (?!rid\b|to\b|an? (?:doctor|appointment)|help\b|better\b|tested\b)",
    ),
    # "who is at risk of gout", not "what is the risk of …" or "risks of day trading"
    "Who is at risk": (
        rf"\brisk factors?{_AFTER_HEAD}|\b(?:who|am i|is|are) [^?.;]{{0,300}}\bat (?:\w+ )?risk\b"
        r"|\bwho (?:can |could |may |usually |mostly |most often )?(?:gets?|catch(?:es)?"
        r"|contracts?|develops?|suffers? from)\b",
        r"\bat (?:\w+ )?risk\b",
    ),
    # "how is gout diagnosed", "how is a leak detected", not "a driving test"
    "Diagnosis": (
        rf"\bdiagnos(?:is|e|es|ed|ing){_AFTER_HEAD}|\bhow (?:do|can|to) (?:\w+ )?diagnose\b"
        rf"|{_HOW_IS}detected\b",
        r"\bdetect\w*\b|\bscreen(?:ed|ing)? for\b|\bidentif(?:y|ied)\b|\bdiagnos\w+\b"
        rf"|\b(?:tests?|tested|testing){_AFTER_HEAD}",
    ),
    "Prevention": (
        rf"\bprevention{_AFTER_HEAD}|\bto (?:prevent|avoid|protect)\b"
        r"|\b(?:be|do|does|can|could|should|i|you|we|one|people|somebody|someone)(?: \w+){0,4}"
        r" (?:prevent|avoid|protect)(?:ed)?\b|\b(?:ways|steps|tips)(?: \w+){0,2} (?:prevent|avoid)\w*\b"
        r"|\b(?:reduce|lower|minimi[sz]e|decrease) (?:the |my |your |our )?"
        r"(?:risks?|chances?|likelihood)\b|\b(?:risks?|chances?) .{0,40}\b(?:minimi[sz]ed|reduced"
        r"|lowered)",
        r"\bprevent\w*\b|\bavoid\w*\b|\bprotect(?:ed|ing|ion)?\b",
    ),
    # "how is dry rot treated", not "how are dividends treated for tax"
    "Treatment": (
        rf"(?:^|\b(?:the|an?|any|best|common|usual|main|possible|effective|home|and|or|what|which|no),? )"
        r"(?:treatments?|cures?) (?:for|of)\b"
        rf"|\bhow (?:is|are|was|can|do you|do i|to)\b(?! (?:dividends|gifts|income|employees|workers"
        rf"|customers|staff)\b)[^?.;]{{0,300}} (?:treat|treated){_AT_END}|\bhow (?:do i|do you|to|can i) treat\b"
        rf"|\b(?:can|be) (?:\w+ ){{0,4}}cured\b"
        rf"|\b(?:any|other|(?:types?|kinds?|forms?) of) (?:treatments?|cures?){_AFTER_HEAD}"
        r"|\bhow (?:do|can|should|to) (?:i |you |we |one )?(?:fix|repair|mend|get rid of)\b"
        r"|\bneed (?:it|this|that) (?:to be )?(?:fixed|repaired|treated)\b"
        r"|\bwhat can be done (?:about|against|for)\b"
        r"|\b(?:want|need|seek|seeking|looking for|get) (?:an? |any |some |the |\w+ )?(?:treatments?"
        r"|cures?)\b(?! (?:plan|of (?:employees|prisoners|workers))\b)",
        r"\btreat(?:s|ed|ing|ments?|able)?\b|\bcur(?:e|es|ed|able)\b|\btherap(?:y|ies)\b"
        r"|\bremed(?:y|ies)\b|\bget rid of\b|\bmedic(?:ines?|ations?|al help)\b|\bdrugs?\b"
        r"|\bmanage(?:d|ment)?\b|\bsurger(?:y|ies)\b|\brelie(?:f|ve)\b|\bprescribed\b"
        r"|\bhow (?:to|do i|can i|do you|do we) (?:remove|fix|heal|stop|deal with|cope with|ease)\b"
        r"|\bwhat (?:can|should|could|do|must) (?:i|we|you|one|he|she|they) do\b(?! to (?:prevent"
        r"|avoid))",
    ),
    # "the prognosis of gout", not "mail in Outlook"
    "Outlook": (
        rf"\bprognosis{_AFTER_HEAD}|\blife expectancy{_AFTER_HEAD}|\boutgr[eo]w\w*\b"
        r"|\bgr[eo]w(?:s|ing|n)? out of\b(?! (?:business|space|room|money)\b)"
        r"|\b(?:grow|return|go|get|come)(?:s|ing)? (?:back )?to normal\b"
        r"|\bhow long (?:can|do|does|will) (?:people|someone|somebody|patients) .{0,40}\blive\b",
        rf"(?<!\bin )\boutlook{_AFTER_HEAD}|\bsurviv\w+\b|\bgo away\b|\bfatal\b|\brecover(?:y|s|ed)?\b"
        r"|\b(?:get|gets|getting) (?:any )?(?:better|worse)\b|\bnormal (?:life|lives)\b"
        r"|\bhow long (?:can|do|does|will) .{0,40}\blive\b",
    ),
    # "is it serious", "should we be worried", not "a serious offer"
    "Severity": (
        rf"\bhow (?:serious|severe|dangerous|deadly|harmful)\b|\bseverity{_AFTER_HEAD}",
        r"\b(?:is|are|was|were) (?:it|this|that|they|these|he|she) (?:\w+ )?(?:serious|severe|bad"
        r"|fatal|deadly|life[- ]threatening|harmless|an emergency)\b(?! (?:to|for|if|when|that)\b)"
        r"|\b(?:should|must|need|do|does|can|have) (?:i|we|he|she|they|one|anyone|parents|people)"
        r" (?:have to |need to )?(?:be |feel |get )?(?:\w+ )?(?:worr(?:y|ied)|concerned|alarmed|afraid"
        r"|scared)\b"
        r"|\b(?:cause|reason) for (?:concern|alarm|worry)\b",
    ),
    "Frequency": (
        r"\bhow (?:common|rare|frequent|widespread|prevalent)\b|\bprevalence of\b|\bincidence of\b"
        r"|\bhow many (?:people|persons|men|women|children|adults|americans|cases)\b"
        r"(?! (?:can|may|should|must|does|do i|do you|do we)\b)",
        r"\bprevalence\b|\bincidence\b",
    ),
    # "is gout inherited", not "how do genetic algorithms work" or "who inherits a house"
    "Inheritance": (
        rf"\b(?:is|are) (?!an? |the |my )[^?.;]{{0,300}}\b(?:inherited|hereditary|genetic){_AT_END}"
        rf"|\bhereditary{_AT_END}|\bruns? in (?:the )?famil\w+"
        r"|\bpass(?:ed)? (?:it|this|that|them) (?:on|down)\b[^?.;]{0,40}\bgenes?\b",
        r"\binherit\w*\b|\bhereditary\b|\bgenetic(?:ally)?\b(?! (?:algorithm|modif))"
        r"|\bpass(?:ed)? (?:(?:it|this|that|them) )?(?:on|down)\b",
    ),
}
ASKING_FORMS |= {
    # "how much does a passport cost", not "at what cost did they win"
    "Cost": (
        r"\bhow (?:much|expensive)\b[^?.;]{0,300}\b(?:costs?|pay|charged?|fees?|expensive|worth"
        r"|price)\b"
        rf"|\bhow (?:much|expensive) (?:is|are)\b|\b(?:costs?|prices?|fees?) (?:of|for)\b"
        rf"|\bwhat (?:do|does|did|would|will) [^?.;]{{1,300}} (?:cost|charge){_AT_END}",
        "",
    ),
    # "who qualifies for a refund", "the requirements for a visa", not "my landlord requires a cat"
    "Requirements": (
        rf"\brequirements{_AFTER_HEAD}|\brequirement (?:for|to)\b|\b(?:eligible|eligibility)\b|\bqualif(?:y|ies)\b"
        r"|\bwhat (?:documents?|papers?|licen[cs]es?|permits?|qualifications?)\b"
        r"|\b(?:do|does|would) [^?.;]{1,120} need (?:an? )?(?:permit|licen[cs]e|visa|permission)\b"
        r"|\bwhat (?:do|does|would) (?:i|you|we|one) need (?:to|for|in order)\b",
        "",
    ),
    # "how long do I have to return it", "the deadline for an appeal"
    "Time": (
        rf"\bdeadlines?{_AFTER_HEAD}|\btime limits?{_AFTER_HEAD}|\bby when\b|\bwhen (?:must|is"
        rf"|are) [^?.;]{{1,120}} due\b"
        r"|\bhow (?:long|soon|quickly) (?:do|does|can|should|must|will|would|is|are) (?:it|i|you"
        r"|we|one|an?|the|my)\b"
        r"(?![^?.;]{0,120}\blive\b)",
        "",
    ),
    # "the penalty for speeding", not "a penalty kick"
    "Penalty": (
        r"\b(?:penalt(?:y|ies)|fines?|punishments?|sanctions?) (?:for|of|if|when|do|does|is|are)\b"
        r"|\bwhat happens (?:if|when) (?:i|you|we|one|someone|somebody) (?:don['’]?t|do not|fail"
        r"|miss|break|refuse"
        r"|ignore|are caught|get caught|pay late|file late)\b",
        "",
    ),
    # "the risks of day trading", "is it safe to …"
    "Risks": (
        r"\b(?:risks|dangers?|hazards?|drawbacks?|disadvantages?|downsides?|cons) (?:of|in|with|to"
        r"|for)\b"
        r"|\bis it (?:safe|dangerous|risky|harmful)\b",
        "",
    ),
    "Benefits": (
        r"\b(?:benefits?|advantages?|upsides?|pros) (?:of|in|with|to)\b|\bwhat (?:is"
        r"|are) [^?.;]{1,120} good for\b",
        "",
    ),
}
#: Words that name a disease by their form, and words of medicine that are rare outside of it.
_MEDICAL = re.compile(
    r"\b(?:diseases?|disorders?|syndromes?|illness(?:es)?|infections?|viral|virus(?:es)?|bacterial"
    r"|dementia|epilep\w+|autis\w+|eczema|lupus|obesity|hypertension|migraines?|ulcers?"
    r"|cancers?|tumou?rs?|fever|diabetes|diabetic|allerg\w+|asthma|arthritis|stroke|flu|measles"
    r"|overdos(?:e|es|ed|ing)|poison(?:ed|ing)|injur(?:y|ies|ed)|wounds?|bleeding|swelling"
    r"|rash(?:es)?|vomit\w*|nausea|fractur(?:e|es|ed)|(?:iron|sleeping|diet|birth control) pills?"
    r"|patients?|doctors?|physicians?|clinics?|clinical|hospitals?|symptoms?|prognosis|diagnos\w+"
    r"|medical|medicine|medlineplus|dystroph\w*|palsy|pregnan\w+|vaccin\w+|health|heart attack"
    r"|blood pressure|chronic|congenital|blindness|deafness|paralysis|seizures?|sprain(?:s|ed)?"
    r"|\w{3,}(?:itis|emia|aemia|oma|omas|pathy|algia|plegia|rrhea|rrhoea|phobia|uria|dystrophy))\b"
    r"|\b(?!(?:diagn|metam|hypn|progn|met|narc|c?r|overd)\w*\b)\w{4,}osis\b",
    re.IGNORECASE,
)


def is_medical(texts: Collection[str]) -> bool:
    """Return whether a question or title holds a word of medicine."""
    return any(_MEDICAL.search(text) for text in texts)


def _facet(
    title: str, named: str, given: str, beside: str = "", *, of_subject: bool = False
) -> Facet:
    asked, asked_in_medicine = ASKING_FORMS[title]
    return Facet(
        title,
        re.compile(asked, re.IGNORECASE),
        re.compile(asked_in_medicine or r"(?!)", re.IGNORECASE),
        re.compile(named, re.IGNORECASE),
        re.compile(given, re.IGNORECASE),
        re.compile(beside, re.IGNORECASE) if beside else None,
        of_subject,
    )


#: "The mite that causes scabies can live for days": which mite it is, and what else it does.
CAUSE_IN_PASSING = (
    r"\b(?:that|which) (?:causes?|leads? to|results? in) [^,;.]{2,60}?"
    r" (?=(?:can|may|might|could|will|spreads?|infects?|lives?"
    r"|grows?|enters?|multipl(?:y|ies)|survives?|(?:is|are) (?:found|spread|passed|carried))\b)"
)
_SEARCHES = r"(?:check|look|test|screen|examin|watch|evaluat|monitor)\w*(?: [\w-]+){0,4}?"
#: "Your doctor may take a sample": what somebody does to find out.
_EXPERT_ACTS = (
    r"\b(?:doctors?|providers?|physicians?|specialists?|mechanics?|vets?|inspectors?) "
    r"(?:can|may|might|will|should) (?:also )?(?:test|take|order|use|perform|examine|check|measure"
    r"|inspect|do|recommend|ask)\b"
)
_AMOUNT = r"\b(?:\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|half|third|quarter)\b"
FACETS: tuple[Facet, ...] = (
    _facet(
        "Side effects",
        r"\bside[- ]effects?\b|\badverse (?:effects?|events?|reactions?)\b",
        r"\bside[- ]effects?\b|\badverse\b|\breactions?\b"
        r"|\b(?:can|may|might) (?:also )?(?:cause|lead to|make you|result in)\b",
        # "Alcohol increases the risk of side effects" tells none
        r"\b(?:increas|rais|reduc|lower|decreas)\w* (?:the |your |their )?risks? (?:of|that|for)"
        r" (?:[^\s.;]+ ){0,8}?(?:side[- ]effects?|reactions?)\b",
    ),
    _facet(
        "Complications",
        r"\bcomplications?\b",
        r"\bcomplications?\b|\b(?:leads?|led|leading) to\b|\bcaus(?:es?|ed|ing)\b|\bresults? in\b"
        r"|\brisk (?:of|for)\b|\bdamag\w+\b",
    ),
    _facet(
        "Symptoms",
        r"\bsymptoms?\b|\bsigns?\b(?! up| in\b)|\blooks? like\b|\bfeels? like\b"
        r"|\bhow (?:do|can|would) (?:i|you|we) (?:know|tell|recogni[sz]e)\b"
        r"|\bhow (?:do|can|would) (?:i|you|we) see (?:if|whether|that)\b",
        r"\b(?:symptoms?|signs?|warnings?)\b|\bcharacteri[sz]ed by\b|\bmarked by\b|\blooks? like\b"
        r"|\b(?:may|can|might|will|often|usually|sometimes|typically|commonly|generally) (?:also )?"
        r"(?:feel|have|notice|experience"
        r"|cause|develop|become|appear|be (?:the )?first)\b|\bcaus(?:es|ing) (?!of\b)"
        r"|\b(?:feel|complain|experienc|suffer|notice)\w*\b|\b(?:have|has|had|show"
        r"|get)\b[^.;]{0,300}, [^,;]{1,300},? (?:and|or) ",
        r"\b(?:reliev|reduc|manag|treat|eas|control|improv|lessen"
        r"|help)\w*(?: with)?(?: \w+){0,3} symptoms?\b"
        r"|\b(?:based on|basis of|review\w*|describ\w*|discuss\w*|history of"
        r"|ask about)(?: \w+){0,3} symptoms?\b|\bsigns? (?:that|of) (?:an? )?improv\w+"
        r"|\b(?:(?:may|can|will|often|usually) have (?:no|few)|no|any|without"
        r"|before) (?:\w+ ){0,2}symptoms?\b"
        r"|\b(?:not|rarely|never|seldom) (?:show|have|develop|notice|feel|get)\b[^,;.]*"
        r"\b(?:symptoms?|signs?)\b"
        r"|\b(?:out of|in) (?:every )?\w+ (?:children|people|women|men|adults|babies)\b"
        r"|\b(?:list|number|severity|knowledge) of (?:\w+ )?symptoms?\b"
        r"|\b(?:symptoms?|signs?) (?:can |may |often |usually |sometimes |will |do not |don['’]t )*"
        r"(?:worsen|begin|start|improve|last|build|get|go|disappear|appear|occur|develop|return"
        r"|become|come"
        r"|vary|varies|differ|depend)\w*\b"
        r"|\b(?:may|can|will|should) (?:also )?have (?:surgery|an?|to|more|(?:\w+ )?tests?"
        r"|treatment"
        r"|trouble getting)\b"
        # "many possible causes, such as …", "may cause complications", "check for signs of leaks"
        r"|\b(?:has|have) (?:\w+ ){0,3}(?:causes?|reasons|treatments?)\b.*"
        r"|\bcaus\w+ (?:\w+ ){0,2}complications?\b.*|^untreated\b.*|\bif (?:left )?untreated\b.*"
        rf"|\b{_SEARCHES} for (?:\w+ ){{0,2}}signs?\b.*|{_EXPERT_ACTS}.*",
    ),
    _facet(
        "Spread",
        r"\bcontagious\b|\btransmi(?:t|ssion|ssible)\w*\b|\bspread\w*\b|\binfectious\b"
        r"|\b(?:do|does|did|can) (?:\w+ )?(?:catch|contract)\b",
        r"\bcontagious\b|\btransmi\w+\b|\bspread\w*\b|\binfectious\b|\bcatch\w*\b|\bcaught\b"
        r"|\binfected (?:persons?|people|blood|partners?|animals?|with|by|from)\b|\bcontaminated\b"
        r"|\bexpos\w+\b"
        r"|\bpass(?:es|ed)? (?:from|on|to|through)\b|\bcontact with\b",
    ),
    _facet(
        "Causes",
        r"\bcaus(?:es?|ed|ing)\b|\bwhy\b|\breasons? (?:of|for|behind)\b|\btriggers?\b"
        r"|\borigins? of\b"
        r"|\bwhat (?:leads to|makes)\b|\brisk factors?\b|\bat risk\b",
        r"\bcaus(?:es?|ed|ing|ation)\b|\bbecause\b|\bdue to\b|\bresults? (?:from|when)\b"
        r"|\bowing to\b"
        r"|\b(?:leads?|led|leading) to\b|\btrigger\w*\b|\brisks?\b|\bmutations?\b|\binherit\w+\b"
        r"|\bcontribut\w+\b|\b(?:linked|related|attributed|traced) to\b|\bassociated with\b"
        r"|\bmore (?:likely|common|often)\b|\b(?:happens?|occurs?|develops?|begins?|arises?"
        r"|starts?)"
        r" (?:when|after|as|if|from)\b|\b(?:comes?|came|stems?) from\b|\breasons?\b|\bfactors?\b"
        r"|\bexplain\w*\b|\btak(?:es?|ing) place when\b|\bcarr(?:y|ies) the gene\b"
        r"|\b(?:drops?|falls?|sinks?|rises?|grows?|increases?|decreases?|goes (?:up|down))"
        r" (?:if|when)\b",
        r"\bcauses? of death\b|\bcaus\w+ (?:no|any|mild|severe|few|these|the|its|similar"
        r"|other)? ?symptoms?\b"
        r"|\bmore (?:common|often) used\b|\blead(?:s|ing)? to (?:a )?(?:diagnosis|recovery)"
        # "Many causes of rust cannot be prevented" names none
        r"|\bcauses? (?:of|for) [^,;.]{2,60} (?:can|may|could|should|cannot|can['’]t|must)"
        r" (?:\w+ )?(?:be )?(?:\w+ )?(?:prevented|treated|avoided|diagnosed|repaired|controlled)\b"
        # "Complications occur when …" tells what causes those
        r"|\b(?:complications?|side effects?|symptoms?) (?:\w+ )?(?:happen|occur|develop|begin"
        r"|arise"
        rf"|start|appear)s? (?:when|if|as|after)\b|{CAUSE_IN_PASSING}",
    ),
    _facet(
        "Who is at risk",
        r"\brisk factors?\b|\bat (?:\w+ )?risk\b",
        r"\bat (?:\w+ )?risk\b|\b(?:higher|greater|more|increase[sd]?|raise[sd]?|lower) (?:\w+ ){0,2}risk"
        r"\b|\brisk (?:factors?|is|of|for)\b|\b(?:more|most|less|likely|equally) (?:likely|common"
        r"|often|frequent(?:ly)?)\b|\bmore (?:men|women|boys|girls|people|males|females)\b"
        r"|\b(?:affects?|occurs?|seen|found|common|diagnosed) (?:\w+ )?(?:in|among|men|women"
        r"|children|people|males|females|adults)\b|\banyone (?:can|may|who)\b"
        r"|\bpredispos\w+\b|\bsusceptib\w+\b|\bprone to\b|\bvulnerable\b",
        r"\brisk of (?:death|complications|side effects)\b",
    ),
    _facet(
        "Diagnosis",
        r"\bdiagnos\w+\b|\bdetect\w*\b|\btest(?:s|ed|ing)?\b|\bscreen(?:ed|ing)? for\b"
        r"|\bidentif(?:y|ied)\b",
        r"\bdiagnos\w+\b|\bdetect\w*\b|\btest(?:s|ed|ing)?\b|\bbiops\w+\b|\bscans?\b|\bx-?rays?\b"
        r"|\bexam\w*\b|\bscreen\w*\b|\bimaging\b|\bultrasound\b|\bmeasur\w+\b|\binspect\w*\b"
        r"|\bcheck(?:s|ed|ing)? (?:for|whether|if)\b|\bidentif\w+\b|\bconfirm\w*\b",
        r"\b(?:who|which|that) (?:is|are|was|were|has been|have been"
        r"|had been)? ?(?:\w+ )?diagnosed\b"
        r"|\b(?:if|once|when|after|until|since|unless)\b[^,;.]{0,300}\b(?:diagnos|detect|identif)\w+\b"
        r"|\b(?:newly|recently|just|often|usually|commonly|more) diagnosed\b(?! by\b)"
        r"|\bdiagnosed (?:mostly |mainly |usually |most often )?(?:in|at|among|before|after|today"
        r"|later|early|each|every|somewhat|more)\b"
        r"|\bdiagnosis and (?:\w+ )?treatments?\b|\btest results?\b|\btested in clinical\b"
        r"|\bidentif\w+ (?:\w+ ){0,3}(?:genes?|causes?|conditions|factors|mutations)\b"
        r"|\b(?:genes?|causes?|mutations?)\b[^.;]{0,60}\bidentified\b|\bdiagnosed with\b"
        # "cannot be diagnosed", "the diagnosis of rust is shorthand for", "tests that it is gone"
        r"|\b(?:not|cannot|can['’]t) be (?:\w+ )?(?:diagnosed|detected)\b"
        r"|\bdiagnosis of [^.;]{2,60} (?:is|was) (?:\w+ )?(?:shorthand|a (?:term|name)|another)\b"
        r"|\btest\w* [^.;]{0,60}\b(?:is|are|has|have) (?:\w+ )?(?:gone|cleared|cured)\b"
        r"|\b(?:unaware|aware) of (?:\w+ )?(?:diagnosis|infection)\b"
        r"|\bgoals? of (?:\w+ )?treatments?\b|\b(?:developing and testing|being tested)\b",
    ),
    _facet(
        "Prevention",
        r"\bprevent\w*\b|\bavoid\w*\b|\bprotect(?:ed|ing|ion)?\b"
        r"|\b(?:reduc\w+|lower\w*|minimi[sz]\w*|decreas\w+) (?:the |my |your |our )?"
        r"(?:risks?|chances?|likelihood)\b|\b(?:risks?|chances?) .{0,40}\b(?:minimi[sz]ed|reduced"
        r"|lowered)",
        r"\bprevent\w*\b|\bavoid\w*\b|\bprotect\w*\b|\breduc\w+\b|\blower\w*\b|\bvaccin\w+\b"
        r"|\bminimi[sz]\w*\b|\bless likely\b|\bkeep\w* (?:\w+ )?(?:from|away)\b|\bdecreas\w+\b"
        r"|\bdelay\w*\b",
        r"\b(?:prevent\w*|delay\w*|reduc\w+)(?: \w+){0,5} complications?\b|\blooking for ways\b",
    ),
    _facet(
        "Treatment",
        r"\btreat(?:s|ed|ing|ments?|able)?\b|\bcur(?:e|es|ed|able)\b|\btherap(?:y|ies)\b"
        r"|\bremed(?:y|ies)\b|\bget rid of\b|\bmedic(?:ines?|ations?|al help)\b|\bdrugs?\b"
        r"|\bmanage(?:d|ment)?\b|\bsurger(?:y|ies)\b|\brelie(?:f|ve)\b|\bprescribed\b",
        r"\btreat\w*\b|\bcur(?:e|es|ed|able|ing)\b|\btherap\w+\b|\bmedic(?:ines?|ations?)\b"
        r"|\bdrugs?\b"
        r"|\bsurg\w+\b|\bremov\w+\b|\bmanag(?:e|es|ed|ing|ement)\b|\breliev\w+\b|\brelief\b"
        r"|\bantibiotics?\b|\bexercises?\b|\bprescri\w+\b|\btransplant\w*\b"
        r"|\btransfusions?\b|\binject\w*\b|\boperations?\b|\brepair\w*\b"
        # not "Iron is an ingredient of many supplements"
        r"|\b(?:tak(?:e|es|en|ing)|with|need(?:s|ed)?|giv(?:e|es|en|ing)|recommend\w*"
        r"|us(?:e|es|ed|ing)|includ\w+) (?:[\w-]+ ){0,4}supplements?\b"
        r"|\bsupplements? (?:can|may|might|helps?|are (?:\w+ )?(?:used|given|needed|recommended))\b"
        r"|\breplac\w+\b|\bremed\w+\b|\bg[eo]t(?:ting)? rid of\b|\bcreams?\b|\btablets?\b"
        r"|\bpills?\b|\bhelps? (?:to )?\w+\b"
        # what one does at home: "Rinse your mouth with salt water", "heals by itself"
        r"|^(?:rinse|gargle|apply|soak|elevate|avoid|massage|bandage)\b|\bheal(?:s|ed|ing)?\b"
        r"|^(?:rest|ice|raise|drink|wash|clean|brush|stretch|cover) (?:your|the|it|them|plenty|with"
        r"|lots|more|only|at least|every)\b"
        r"|\bcall (?:911|999|112|(?:your|the|an?) (?:[\w-]+ ){0,2}(?:doctor|ambulance|provider"
        r"|hospital|physician|vet|plumber|hotline|cent(?:er|re)|number|line))\b"
        r"|\b(?:seek|get|need) (?:\w+ ){0,2}(?:medical|emergency) (?:\w+ )?(?:help|care|attention)\b|\bemergency room\b",
        r"\b(?:before|during|after|without|not|stop|finish\w*)(?: \w+){0,3} treatment\b[^,;]{0,300}"
        r"(?:,|\.$)|\bduring (?:your |the )?(?:\w+ ){0,2}treatments?\b"
        r"|\bgoals? of (?:\w+ )?treatments?\b|\btreatments?\b[^,;.]{0,60} (?:side effects"
        r"|clinical trials?)\b"
        r"|\btreatments? (?:may|can|could|might) (?:also )?(?:allow|help|improve|reduce|relieve"
        r"|slow)\b[^,;:.]*"
        r"|\b(?:best|right) treatments? (?:options?|plans?)\b"
        r"|\buntreated\b"
        r"|\bcomplications? (?:of|from) [^,;:]{0,300}\btreatments?\b|\b(?:tests?|used) (?:to|that) [^,;]{0,300}"
        r"treatment plan\b|\bhelps? (?:your )?(?:doctors?|determine|identify|diagnose|find"
        r"|decide)\b"
        r"|\bremov\w+ (?:a |some )?(?:small )?(?:piece|sample|tissue sample)\w*\b"
        r"|\b(?:stages?|types?) .{0,60}\b(?:helps? )?determines?\b.{0,300}treatment",
    ),
    _facet(
        "Outlook",
        r"\boutlook\b|\bprognosis\b|\blife expectancy\b|\bsurviv\w+\b|\bgo away\b|\bfatal\b"
        r"|\bhow long (?:can|do|does|will) .{0,40}\blive\b",
        r"\boutlook\b|\bprognos\w+\b|\blife expectancy\b|\bsurviv\w+\b|\b(?:go|goes|went) away\b"
        r"|\bfatal\b|\bdeaths?\b|\bdie[sd]?\b|\blive\b|\blives\b|\brecover\w*\b|\bcur(?:e|es|ed"
        r"|able)\b"
        r"|\bpermanent\b|\blife-?(?:long|threatening)\b|\bworse\w*\b|\blong-term\b|\b(?:years"
        r"|months|weeks|days)\b",
    ),
    _facet(
        "Frequency",
        r"\bhow (?:common|rare|frequent|widespread|prevalent)\b|\bprevalence\b|\bincidence\b"
        r"|\bhow many (?:people|persons|men|women|children|adults|americans|cases)\b",
        rf"{_AMOUNT} (?:in|of|out of|per) (?:every )?\d[\d,]*\b|\bprevalence\b|\bincidence\b"
        r"|\b(?:is|are|being) (?:\w+ ){0,2}(?:rare|common|uncommon|widespread)\b"
        r"|(?:\d|\bper ?cent|%) (?:of )?(?:all |the |us |u\.s\. )?(?:million|thousand|people|men"
        r"|women|children|births"
        r"|newborns|adults|individuals|families|cases|population|americans|households)\b"
        r"|\bmillions?\b"
        r"|\b(?:affects?|occurs? in|found in) (?:about|around|approximately|an estimated|nearly"
        r"|up to|\d|one)\b",
        of_subject=True,
    ),
    _facet(
        "Inheritance",
        r"\binherit\w*\b|\bhereditary\b|\bgenetic\b|\brun(?:s)? in (?:the )?famil\w+"
        r"|\bpass(?:ed)? (?:(?:it|this|that|them) )?"
        r"(?:on|down)\b",
        r"\binherit\w*\b|\bheredit\w+\b|\bgen(?:e|es|etic\w*)\b|\bfamil(?:y|ies|ial)\b|\bparents?\b"
        r"|\bchromosom\w+\b|\bmutations?\b|\brecessive\b|\bdominant\b|\bpass(?:ed)? (?:it )?(?:on"
        r"|down|from)\b",
    ),
)
#: Sides of laws, money, machines and other things, which a definition may name.
FACETS_OF_ANYTHING: tuple[Facet, ...] = (
    _facet(
        "Severity",
        r"\bseriousness\b|\bseverity\b|\bhow (?:serious|severe|dangerous)\b|\bis it serious\b",
        r"\b(?:mild(?:er)?|harm(?:s|less|ful)?|bad for|serious(?:ly)?|severe(?:ly)?|dangerous|deadly"
        r"|life[- ]threatening|fatal|deaths?|die[sd]?|emergenc(?:y|ies)|complications?|permanent|recover\w*)\b"
        r"|\b(?:goes?|went) away\b|\bgets? (?:better|worse)\b|\b(?:no|not|rarely|seldom)"
        r" (?:\w+ )?(?:danger(?:ous)?|harm(?:ful)?|problems?)\b",
        r"\b(?:if|when|for|in) (?:\w+ ){0,4}(?:mild|serious|severe)\b",
    ),
    _facet(
        "Cost",
        r"\b(?:costs?|prices?|pricing|fees?)\b",
        rf"{MONEY}|\b(?:costs?|fees?|prices?|charges?)\b[^.;]{{0,80}}\d"
        r"|\d[\d,.]*\s?(?:%|per ?cent)|\b(?:free of charge|no (?:cost|fee|charge))\b",
    ),
    _facet(
        "Requirements",
        r"\brequire(?:ments?|d)\b|\beligib\w+\b|\bqualif\w+\b|\bwho can\b",
        r"\bmust\b|\brequir\w+\b|\beligib\w+\b|\bqualif\w+\b|\bneeds? (?:to|an?)\b|\bonly if\b"
        r"|\bat least\b"
        r"|\bentitled\b|\bhave to\b|\bprovide\b|\bproof of\b|\bunless\b",
    ),
    _facet(
        "Time",
        r"\bdeadlines?\b|\btime limits?\b|\bhow long\b|\bprocessing times?\b",
        rf"(?:{_AMOUNT}|\bseveral|\ba few|\bfew)(?: ?(?:to|-|–) ?\d+)?[ -](?:\w+ )?"
        r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b"
        r"|\bdeadlines?\b|\bovernight\b|\bby (?:january|february|march|april|may|june|july|august"
        r"|september"
        r"|october|november|december|\d)\b|\bat any time\b|\bimmediately\b",
    ),
    _facet(
        "Penalty",
        r"\b(?:penalt(?:y|ies)|fines|punishments?|sanctions?)\b",
        r"\bpenalt(?:y|ies)\b|\bfine[ds]?\b|\bpunish\w+\b|\bimprison\w*\b|\bjail\b|\bprison\b"
        r"|\bsanction\w*\b"
        r"|\bsuspen\w+\b|\brevok\w+\b|\bforfeit\w*\b|\blate fees?\b|\bpoints\b|\bconvicted\b"
        r"|\bsurcharge\b",
    ),
    _facet(
        "Risks",
        r"\b(?:risks?|dangers?|hazards?|drawbacks?|disadvantages?|downsides?)\b",
        r"\brisk\w*\b|\bdanger\w*\b|\bhazard\w*\b|\bharm\w*\b|\bdrawbacks?\b|\bdisadvantages?\b"
        r"|\bdownsides?\b"
        r"|\bunsafe\b|\blos(?:e|es|s|ses|ing)\b|\bdamag\w+\b|\b(?:can|may|could"
        r"|might) (?:also )?(?:cause|lead|result)\b"
        r"|\bsick\b|\bill(?:ness(?:es)?)?\b|\bpoison\w*\b|\btoxic\b|\bsafe(?:ly|ty)?\b"
        r"|\bavoid\w*\b",
    ),
    _facet(
        "Benefits",
        r"\b(?:benefits?|advantages?|upsides?)\b",
        r"\bbenefi\w+\b|\badvantag\w+\b|\bhelps?\b|\bimprov\w+\b|\breduc\w+\b|\bsav(?:es?|ing"
        r"|ings)\b"
        r"|\bprotect\w*\b|\ballow\w*\b|\beasier\b|\bfaster\b|\bcheaper\b|\bbetter\b|\bincreas\w+\b"
        r"|\blets?\b"
        r"|\bwithout (?:an? |any )?(?:penalty|tax|fee|cost|risk)\b|\bfree (?:of|from)\b",
    ),
)  # fmt: skip
ALL_FACETS = FACETS + FACETS_OF_ANYTHING
#: The sides that an overview of a thing tells of.
OVERVIEW_FACETS = tuple(facet for facet in ALL_FACETS if facet.title != "Severity")
#: "Information on possible treatments" asks for a side, as against information on a thing.
_ABOUT_SIDE = re.compile(
    r"\b(?:on|about|for|regarding|concerning) (?:the |any |all )?(?:[a-z]+ )?(?:treatments?|cures?"
    r"|therapies"
    r"|symptoms?|causes?|side effects|prevention|diagnosis|prognosis|outlook|costs?|fees?"
    r"|requirements?"
    r"|deadlines?|penalties|risks|benefits of)\b",
    re.IGNORECASE,
)


#: "I was recently diagnosed" tells who asks, not what is asked.
_TELLS_DIAGNOSIS = re.compile(
    r"\b(?:i|he|she|we|they|(?:my|our|his|her) (?:\w+ ){0,3}?\w+) (?:was|were|am|is|are|got"
    r"|(?:has|have|had) been)(?: \w+){0,2} diagnosed\b(?! by\b)",
    re.IGNORECASE,
)


#: "Ease the symptoms", "lower the costs": who asks how to do that does not ask what they are.
_ACTS_ON_SIDE = re.compile(
    r"(?P<verb>\b(?:address|alleviat|control|cop(?:e|ing) with|cut|deal(?:ing)? with|eas(?:e|ing)\b"
    r"|fight|handl|lessen|liv(?:e|ing) with|lower|manag|reduc|reliev|treat)\w*)"
    r"(?: (?!what\b|and\b|or\b)[\w'’-]+){0,3}? "
    r"(?:symptoms|side[- ]effects|complications|costs?|fees|prices?)\b",
    re.IGNORECASE,
)


def _drop_background(text: str) -> str:
    """Return a question without what tells who asks, and without sides that something acts on."""
    return _ACTS_ON_SIDE.sub(r"\g<verb> it", _TELLS_DIAGNOSIS.sub(" ", text))


@lru_cache(maxsize=256)
def find_asked_facets(question: str, titles: tuple[str, ...] = ()) -> tuple[Facet, ...]:
    """Return the sides that a question asks about; none if it compares or asks about everything.

    What it tells beside counts only in a subject line before it. titles: of the pages that answer,
    which tell whether it is a question of medicine.
    """
    spelled = spell_question(question, (), is_english=True).text
    spelled = _TELLS_DIAGNOSIS.sub(" ", spelled)
    kind = classify_question(" ".join(list_asking_sentences(spelled)))
    is_open = kind.name == "overview" and kind.asked.pattern
    asks_everything = is_open and not _ABOUT_SIDE.search(spelled)
    if kind.name == "comparison" or asks_everything:
        return ()
    texts = [_drop_background(part.text) for part in split_questions(spelled)]
    sentences = [spelled[start:end] for start, end in find_sentences(spelled)]
    if sentences and len(sentences[0].split()) <= MAX_SUBJECT_LINE:
        texts.append(sentences[0])
    asked = tuple(
        facet for facet in ALL_FACETS if any(_asks_for(facet, text, titles) for text in texts)
    )
    return asked if len(asked) <= MAX_FACETS else ()


def _asks_for(facet: Facet, text: str, titles: Collection[str]) -> bool:
    """Return whether a question asks for a side; in a medical form, beside a medical word."""
    if facet.asked.search(text):
        return True
    match = facet.asked_in_medicine.search(text)
    if match is None:
        return False
    return is_medical([f"{text[: match.start()]} {text[match.end() :]}", *titles])


def tells_facet(facets: Collection[Facet], text: str, section: str = "") -> bool:
    """Return whether a sentence, or else the title of its section, is about one of these."""
    if any(facet.is_told(text) for facet in facets):
        return True
    named = [facet for facet in ALL_FACETS if facet.named.search(section)]
    return len(named) == 1 and named[0] in facets and not _names_other_side(text, facets)


def _names_other_side(text: str, facets: Collection[Facet]) -> bool:
    """Return whether a sentence names a side of a thing that is none of these."""
    return any(facet.named.search(text) for facet in FACETS if facet not in facets)


#: Nouns for a side, which its question makes known: "The diagnosis is based on …".
_SIDE_NOUNS = {
    "Side effects": "effects",
    "Symptoms": "symptoms symptom signs sign",
    "Causes": "cause causes reason reasons",
    "Diagnosis": "diagnosis test tests exam",
    "Treatment": "treatment treatments cure therapy goal",
    "Outlook": "outlook prognosis",
    "Complications": "complications",
}


def list_side_nouns(facets: Collection[Facet]) -> tuple[str, ...]:
    """Return the nouns by which a sentence may call these sides without naming their thing."""
    return tuple(noun for facet in facets for noun in _SIDE_NOUNS.get(facet.title, "").split())


def gives_particulars(text: str) -> bool:
    """Return whether a sentence names means, examples or several things."""
    return bool(_HAS_CONTENT.search(text))


#: Sides that never say what a thing is, in whatever words.
_SIDES_OF_NO_THING = frozenset({"Frequency", "Who is at risk"})
_TELLS_ORIGIN = re.compile(r"\b(?:because of|due to|results? from)\b", re.IGNORECASE)


def names_side(text: str) -> bool:
    """Return whether a sentence names a side of its thing, and does not say what the thing is."""
    return any(facet.named.search(text) for facet in FACETS) and not _IS_A.match(text)


def tells_side(text: str) -> bool:
    """Return whether a sentence names or tells a side of its thing, and not what the thing is."""
    if _IS_A.match(text):
        return False
    if names_side(text):
        return True
    if _TELLS_ORIGIN.search(text):
        return True
    return any(facet.is_told(text) for facet in FACETS if facet.title in _SIDES_OF_NO_THING)


_IS_A = re.compile(
    r"(?:[^\s,;:]+ ){1,9}?(?:is|are|means|refers? to) (?:also |often |usually )?(?:(?:an?|the|any"
    r"|when|called)\b|inflam)"
    r"|[^,;:]{2,60} (?:occurs?|happens?|develops?|begins?) (?:when|in|as)\b",
    re.IGNORECASE,
)


# ---------------------------------------------------------------- sentences that tell nothing

_MANY = (
    r"(?:many|several|various|different|multiple|numerous|a (?:number|variety|range) of|some"
    r"|certain|a few"
    r"|other|effective|good|safe|new|more|two|three|\d+|a lot of)"
)
_SIDES = (
    r"(?:treatments?|therap(?:y|ies)|options?|medicines?|medications?|drugs?|tests?|causes?"
    r"|factors?"
    r"|reasons?|symptoms?|signs?|types?|kinds?|forms?|ways?|methods?|steps?|risks?|remed(?:y|ies)"
    r"|rules?"
    r"|things?|costs?|fees?|benefits?|effects?|complications?|approaches|techniques?|models?|laws?)"
)
_DEPENDS_ON_ANYTHING = re.compile(
    r"^(?:[^\s,;:]+ ){1,10}?(?:will |may |can |often |also )?depends? (?:up)?on\b", re.IGNORECASE
)
_EXPERTS = (
    r"(?:doctors?|providers?|physicians?|specialists?|professionals?|lawyers?|mechanics?|dealers?"
    r"|advis[eo]rs?|team|vet|dentist|experts?)"
)
#: Forms that are empty unless they name what they announce.
_ANNOUNCES = re.compile(
    rf"^there (?:is|are) {_MANY} (?:\w+ ){{0,3}}?{_SIDES}\b"
    rf"|{_EXPERTS} (?:can|will|may) tell you (?:more )?(?:about|whether|which|what|if)\b"
    r"|^(?:symptoms|signs) are (?:\w+ ){0,3}related to\b"
    r"|\blooking for (?:\w+ )?(?:ways?|cures?|treatments?)\b"
    r"|\b(?:assess|evaluate)\w* .{0,80}\bto (?:determine|decide) (?:whether|if|which|what)\b"
    r"|\b(?:it['’]s|it is) (?:very |also )?(?:important|essential|good|helpful|vital)"
    r" (?:to (?:be aware|know|recogni[sz]e|understand|learn)|that you (?:know|understand))\b",
    re.IGNORECASE,
)
_NAMES_THEM = re.compile(
    r"\binclud\w+\b|\bsuch as\b|: \S|\bfor (?:example|instance)\b", re.IGNORECASE
)
#: What makes content of a sentence that has one of the empty forms.
_HAS_CONTENT = re.compile(
    r"\binclud\w+\b|\bsuch as\b|: \S|\be\.g\.|\bfor (?:example|instance)\b|\blike \w|\bnamely\b"
    r"|\bfrom (?!(\w+) to \1\b)\w[\w -]* to \w|\b(?:with|by|using) (?!age\b|their\b|your\b|the (?:type|person)"
    r"|each\b|person\b|state\b)\w"
    r"|, \w[^,]{1,40}, (?:and|or) \w",
    re.IGNORECASE,
)
_DEPENDS = r"(?:depends?|depend(?:ed|ing)|rel(?:y|ies)|(?:is|are) based) (?:up)?on\b"
_EMPTY_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # "Symptoms vary from child to child", "may also differ by age", "depends on the cause"
        r"^(?:[^\s,;]+ ){1,12}?(?:(?:can|may|might|will|also|often|usually|greatly|widely) ){0,3}"
        rf"(?:var(?:y|ies)\b|differs?\b|changes? (?:quickly|over time|with)|{_DEPENDS})",
        r"^(?:[^\s,;]+ ){1,8}?(?:is|are|(?:can|may|will) be) (?:\w+ )?(?:different|not the same"
        r"|the same"
        r"|similar)\b",
        # "Several treatments are available", "There are many types", "Many factors play a role"
        rf"^(?:[^,;:]{{3,60}}, )?there (?:is|are|may be|can be) {_MANY} (?:\w+ ){{0,3}}?{_SIDES}\b",
        rf"^(?:\w+ ){{0,2}}?{_MANY} (?:\w+ ){{0,3}}?{_SIDES}\b[^,;:]{{0,60}} (?:exists?|plays? an?"
        r"|comes? into|(?:is|are|may be|can be|might be) (?:\w+ )?(?:available|involved|known|possible"
        r"|used|needed|recommended|responsible|considered|common|tried))\b",
        rf"\b{_SIDES} (?:for [^,;:]{{2,60}} )?(?:is|are) (?:\w+ )?available\b",
        rf"\binvolves? {_MANY} {_SIDES}\b",
        # "can be treated", "may be diagnosed early"
        r"^(?:[^\s,;]+ ){1,10}?(?:can|may|might) (?:\w+ )?be (?:treated|diagnosed|managed|cured"
        r"|prevented"
        r"|controlled|repaired|fixed|detected|avoided)(?: \w+){0,3}\.$",
        # "Your doctor may order several tests", "will evaluate your risk"
        rf"^(?:[^,;:]{{3,60}}, )?(?:\w+ ){{0,6}}?{_EXPERTS} (?:can|may|might|will|should) (?:also )?"
        r"(?:discuss|decide|evaluate|review|determine|explain|consider|talk|help you|work|ask|want)"
        rf" (?:{_MANY}|the|your|you|about|whether|what|which|how|on|to|with|if)\b",
        rf"^(?:[^,;:]{{3,60}}, )?(?:\w+ ){{0,6}}?{_EXPERTS} (?:can|may|might|will|should) (?:also )?"
        rf"(?:order|recommend|suggest|perform|do|prescribe|try|use|need) (?:{_MANY} (?:\w+ ){{0,2}}?{_SIDES}"
        r"|\d+ (?:tests?|treatments?)|treatments?|tests?)\b",
        # "Your partner receives the same treatment", "Researchers look for ways"
        r"\b(?:receives?|gets?|needs?|has|have) the same (?:\w+ )?(?:treatment|care|therapy)\b"
        r"|\blooking for (?:\w+ )?(?:ways?|cures?|treatments?)\b",
        # "may cause other side effects"
        rf"\b(?:can|may|might|could) (?:also )?cause (?:{_MANY}|serious|severe|unwanted) (?:\w+ )?"
        r"(?:side effects|symptoms|problems|complications)\.$",
        # "may need immediate treatment"
        r"\b(?:needs?|requires?) (?:immediate|more|further|some|regular|additional|other|medical"
        r"|prompt)"
        r" (?:\w+ )?(?:treatments?|care|tests?|attention|repairs?|help)\b",
        # "The cause is discussed below", "Researchers are studying the causes"
        r"\b(?:is|are|will be) (?:discussed|described|explained|covered|listed|reviewed"
        r"|outlined)\b",
        r"\b(?:research(?:ers)?|scientists|studies|institut\w*|agenc(?:y|ies)"
        r"|\b[A-Z]{3,6})\b [^.]{0,20}"
        r"\b(?:supports?|conducts?|funds?|sponsors?|are (?:studying|investigating|looking|trying"
        r"|working))\b",
        # "Treatment decisions are based on …"
        rf"^(?:\w+ ){{0,3}}?(?:treatment|therapy|diagnosis|choice|decision|outlook|price"
        rf"|cost)s?\b[^,;:]{{0,40}} {_DEPENDS}",
    )
)  # fmt: skip
#: "It can be hard for a mechanic to find the leak": how it is found is not told.
_IS_HARD = re.compile(
    r"\b(?:difficult|hard|challenging|tricky|not easy|not always easy)"
    r" (?:for [^,;:]{2,70} )?to (?:diagnose|detect|find|recogni[sz]e|treat|repair|prove|tell|identify)\b"
    r"|\bdiagnosis (?:\w+ ){0,2}(?:is|can be) (?:\w+ )?(?:difficult|hard|challenging)\b",
    re.IGNORECASE,
)
#: A longer question may ask whether it is hard by what it tells.
MAX_PLAIN_WORDS = 16
#: "Researchers are testing other methods", and what a treatment is for.
_IS_TESTED = re.compile(
    r"(?:[\w-]+ ){0,3}?(?:researchers|scientists|engineers|experts|investigators|studies)"
    r" (?:are|have been) (?:now |currently |also )?(?:testing|studying|investigating|exploring"
    r"|developing|researching"
    r"|(?:conducting|doing|carrying out) (?:[\w-]+ ){0,4}?(?:research|studies))\b"
    r"|the (?:main |primary |overall )?(?:goals?|aims?|purpose) of (?:the )?(?:treatments?|therapy|repairs?)"
    r" |(?:if [^,]{3,60}, )?(?:prompt|early|timely) (?:treatment|diagnosis|repair|care)\b"
    r"(?! (?:with|by|using) \w)",
    re.IGNORECASE,
)
_ASKS_NEWS = re.compile(
    r"\b(?:new\w*|latest|recent\w*|research\w*|stud(?:y|ies)|tests?|tested|goals?|aims?|purpose"
    r"|early|prompt\w*|soon|benefits?|why|future)\b",
    re.IGNORECASE,
)
_ASKS_DIFFICULTY = re.compile(r"\b(?:difficult\w*|hard|easy|why|challeng\w+)\b", re.IGNORECASE)
#: "Treatment may include medicines and procedures."
_NAMES_ONLY_KINDS = re.compile(
    r"\b(?:includes?|are|is|with|involves?) (?:both )?(?:medicines?|medications?|drugs?|tools"
    r"|treatments?) and (?:other |medical |various )?(?:procedures?|therap(?:y|ies)|methods"
    r"|treatments?|measures)\.?$",
    re.IGNORECASE,
)
#: "The programmes employ licensed counselors, nurses and …": who does it, not what is done.
_NAMES_STAFF = re.compile(
    r"(?:[^\s,;:]+ ){1,6}?(?:includes?|employs?|(?:is|are) staffed (?:by|with))"
    r" (?:\w+ )?(?:licensed|trained|certified|qualified|experienced)\b"
    r"|[^.;:]{0,120}\bteams? (?:\w+ ){0,2}?(?:includes?|consists? of)\b"
    # "The repair should be planned by an engineer", "Referral to a specialist is helpful"
    r"|(?:[^\s,;:]+ ){1,8}?(?:is|are|(?:should|must|can|may|will) be) (?:\w+ )?(?:guided|managed"
    r"|supervised|directed|coordinated|overseen|planned|provided) by (?:an?|the|your)"
    rf" (?:[\w-]+ ){{0,2}}?(?:{_EXPERTS}|therapists?|engineers?|surgeons?|nurses?)\b"
    r"|referrals? to [^.;:]{2,60} (?:is|are|(?:may|can|should) be) (?:\w+ )?(?:helpful|useful"
    r"|needed|recommended|appropriate)\b",
    re.IGNORECASE,
)
#: "The earlier the treatment is started, the greater the benefits."
_SOONER_IS_BETTER = re.compile(
    r"the (?:earlier|sooner) [^.;]{3,80}, the (?:greater|better|easier|higher|more)\b",
    re.IGNORECASE,
)
_ASKS_VARIATION = re.compile(
    r"\b(?:var(?:y|ies|iation)|differ\w*|depend\w*|change[sd]?|compar\w*|versus|vs|types?|kinds?"
    r"|same|similar|how many)\b",
    re.IGNORECASE,
)


#: "Follow your treatments exactly as your doctor prescribes", "You can talk to your doctor".
_FOLLOWS_ORDERS = re.compile(
    r"(?:follow|take|use|keep|continue|stick to) (?:all |taking |using )?(?:your|the|all)\b"
    rf"[^.;:]{{3,60}} as (?:\w+ )?(?:{_EXPERTS} )?(?:prescribe[sd]?|direct(?:s|ed)|instruct(?:s|ed)"
    r"|recommend(?:s|ed)|told)\b"
    rf"|(?:[^.;:]{{2,80}} )?(?:can|may|should) (?:talk|speak) (?:to|with) (?:\w+ )?{_EXPERTS}\b",
    re.IGNORECASE,
)


#: "Serious causes of rust are rare", and "A number of factors can cause rust".
_SAYS_HOW_COMMON = re.compile(
    rf"^(?:[^\s,;:]+ ){{0,3}}?{_SIDES}\b[^,;:]{{0,40}} (?:is|are) (?:\w+ )?(?:rare|common|uncommon"
    r"|usual|unusual)\.$",
    re.IGNORECASE,
)
_ASKS_HOW_COMMON = re.compile(
    r"\b(?:common\w*|rare|often|frequen\w+|usual\w*|how many|likely|likelihood|risk\w*|serious)\b",
    re.IGNORECASE,
)
_NAMES_NO_CAUSE = re.compile(
    r"^(?:a (?:wide |large )?(?:number|variety|range) of|many|several|various|numerous|different)"
    r" (?:different |other |possible )?(?:things|factors|conditions|reasons|causes) (?:can|may|might|could)"
    r" (?:cause|lead to|trigger|result in|contribute to) [^,;:()]{2,60}\.$",
    re.IGNORECASE,
)


def tells_nothing(question: str, text: str) -> bool:
    """Return whether a sentence only says that its side exists, differs or is looked into."""
    if _ASKS_VARIATION.search(question):
        return False
    if _DEPENDS_ON_ANYTHING.match(text):
        return True
    is_plain = len(question.split()) <= MAX_PLAIN_WORDS
    if is_plain and _IS_HARD.search(text) and not _ASKS_DIFFICULTY.search(question):
        return True
    if _FOLLOWS_ORDERS.match(text) or _NAMES_NO_CAUSE.match(text):
        return True
    if _SAYS_HOW_COMMON.match(text) and not _ASKS_HOW_COMMON.search(question):
        return True
    is_no_news = _IS_TESTED.match(text) or _SOONER_IS_BETTER.match(text)
    if is_no_news and not _ASKS_NEWS.search(question):
        return True
    if _NAMES_ONLY_KINDS.search(text) or _NAMES_STAFF.match(text):
        return True
    if _ANNOUNCES.search(text) and not _NAMES_THEM.search(text):
        return True
    if _HAS_CONTENT.search(text):
        return False
    return any(form.search(text) for form in _EMPTY_FORMS)
