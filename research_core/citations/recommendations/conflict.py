"""Find conflicts of interest in an author's biography: employment, ownership or funding.

It matches fixed phrases with a name before or after them, and prefers to miss a stake: what is
denied, past, about others or only a similar name does not count. It judges no recommendation, and
an undisclosed stake is not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from research_core.citations.recommendations.names import (
    Name,
    find_name_runs,
    find_names,
    normalize_text,
)
from research_core.text.words import truncate

Kind = Literal["employment", "owns_equity", "funded_by"]
Confidence = Literal["high", "medium"]

#: Names of one list that are read, and words of a long name in a title.
MAX_LISTED_NAMES, MAX_ENTITY_WORDS = 20, 20
#: Characters of the quoted evidence; of a name; and of the context before and after a phrase.
MAX_EVIDENCE_CHARS, MAX_NAME_CHARS, CONTEXT_BEFORE, CONTEXT_AFTER = 240, 200, 400, 80


def _compile_phrases(*phrases: str, tail: str = r"\b") -> re.Pattern[str]:
    """Compile phrases that match as whole words in any case.

    A sentence that is searched has single spaces.
    """
    return re.compile(rf"\b(?:{'|'.join(phrases)}){tail}", re.IGNORECASE)


_CHIEF_TITLES = (
    "ceo|cto|cfo|coo|cmo|cpo|cio|chief [a-z]+(?: [a-z]+)? officer|(?:co-?"
    " ?)?founder|president|chair(?:man|woman)?|managing director|vp|vice president"
)
_TITLE = (
    f"{_CHIEF_TITLES}|director|head|manager|employee|partner|officer|executive|lead|editor"
    f"|engineer|developer|scientist|researcher|designer|analyst|marketer|strategist|specialist"
    f"|evangelist|advocate|architect|recruiter|writer|associate|intern|staff|professor|pm|product"
    " owner|counsel"
)
_AREA = r"(?: of [a-z]+(?: (?:and |& )?[a-z]+)?|,? [a-z]+(?: [a-z]+)?)?"
_UNITS = (
    "engineering|marketing|growth|sales|product|design|research|content|operations"
    "|communications|partnerships|data|finance|devrel"
)
_UNIT = f"(?: of (?:{_UNITS}))?"
_THE = " ?(?:the )?"
#: Phrases that a name follows, by what they tell.
_BEFORE: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "employment",
        _compile_phrases(
            rf"(?:{_TITLE}){_AREA} ?(?:\bat\b|@)",
            f"(?:{_CHIEF_TITLES}|employee|director|editor) (?:and [a-z]+ )?(?:of|for)",
            f"(?:{_CHIEF_TITLES}|employee|director|head){_UNIT} ?[,|]",
            "(?:works?|working|employed) (?:full[- ]time |part[- ]time |as [a-z"
            " ]{1,40})?(?:at|for|by)",
            "(?:leads?|leading|heads?|runs|running) (?:the )?[a-z]+(?: [a-z]+)? at",
            "(?:co-? ?)?founded",
            "(?:is|am|i['’]m|currently|now|today|presently) (?:at|with)",
            tail=_THE,
        ),
    ),
    (
        "owns_equity",
        _compile_phrases(
            "advis[oe]r (?:to|for|at|of)",
            "advis(?:es|ing)",
            "board(?: (?:member|director))?(?: of (?:directors|advis[oe]rs))? (?:of|at|for)",
            "(?:share|stock)holder (?:of|in)",
            "investor in|invest(?:s|ed|ing)? in|stake in|co-?owner of",
            "(?:owns?|holds?) (?:[a-z]+ ){0,2}(?:shares?|stock|equity|options) (?:of|in|at)",
            tail=_THE,
        ),
    ),
    (
        "funded_by",
        _compile_phrases(
            "(?:funded|sponsored|paid|commissioned|financed|supported) (?:in part )?by",
            "(?:grants?|funding|fees|sponsorships?|payments?|commissions?|honorari(?:a|um)) from",
            tail=_THE,
        ),
    ),
)
#: A bio that begins with a department ("Growth at Acme"); elsewhere it may be anybody's.
_UNIT_AT = re.compile(rf"(?:^|[|,(–—] ?)(?:{_UNITS}) ?(?:\bat\b|@){_THE}", re.IGNORECASE)
#: Words that follow a name directly; a capital after them names somebody else who is that.
_AFTER: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("employment", re.compile(rf" (?i:{_CHIEF_TITLES}|employee)\b(?! [A-Z])")),
    ("owns_equity", re.compile(r" (?i:shareholder|stockholder|investor|board member)\b(?! [A-Z])")),
)
#: What may stand behind a name that is whole; anything else makes it a part of something longer
#: ("Acme merchants").
_NAME_END = re.compile(
    r" ?(?:$|[^\w\s'’]|(?:and|or|who|where|which|since|in|on|as|with|from|based|working|leading"
    r"|focus(?:ed|ing)|building|but|while|covering"
    r"|responsible|writing|for|by|until|till|before|these|now|today)\b)",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\b(?:not|never|no|nor|neither|none|without|unaffiliated|nothing|refus\w+|declin\w+)\b"
    r"|n['’]t\b|\bindependent"
    r" (?:of|from)\b",
    re.IGNORECASE,
)
_FORMER = _compile_phrases(
    "former(?:ly)?|ex|previous(?:ly)?|past|once|was|were|had|used"
    " to|left|retired|resigned|quit|alum[a-z]*|worked|served|led|ran|managed",
    r"headed|prior|until|before|fired|earlier|late|would|could|hop(?:es?|ing)|wants?|aspir\w+"
    r"|future|dreams?|applied|applying|studie[sd]",
    "student",
)
_ABOUT_OTHERS = _compile_phrases(
    r"about|cover(?:s|ed|ing)|books?|biograph\w*|interview\w*|married|wife|husband|spouse|son"
    r"|daughter|brother|sister|father|mother|friend",
    r"rivals?|compet\w+|keynotes?|speak\w*|spoke\w*|sued|against|like|unlike|profiled?s?|reports?"
    r" on|named after|customers?|fans?",
)
#: What makes whoever is named next somebody else ("lunch with the …").
_ANOTHER_PERSON = re.compile(
    r"\b(?:with|to|by|from|of|for|and the) (?:the |an? |its |their )?$", re.IGNORECASE
)
_NOW = _compile_phrases("now|currently|today|presently|these days")
_ENDED = _compile_phrases(
    "until|till|before|prior to|formerly|left|quit|resigned|retired|ended|years ago|no"
    " longer|between",
    r"from \d{4} to",
    r"(?:19|20)\d\d ?[-–—] ?(?:19|20)?\d\d",
)
_SENTENCE = re.compile(
    r"[^\n;!?。！？；]+?(?:(?<!\bInc)(?<!\bSt)(?<!\bDr)\.(?=\s|$)|[\n;!?。！？；]|$)"
)
_LIST_SEPARATOR = re.compile(r" ?(?:, (?:and )?|\band |& )", re.IGNORECASE)

_STOP, _IS = r"(?=$|[，。、,.;；\s])", r"(?:^|[\s，。、,：:.是为為在はもの持有])"
#: The same in Chinese, Japanese and Korean: what stands before a name and behind it.
_EASTERN_PHRASES: tuple[tuple[Kind, str, str], ...] = (
    ("employment", "(?:就职于|就職於|任职于|任職於|供职于|工作于|受雇于)", _STOP),
    (
        "employment",
        _IS,
        "的?(?:员工|員工|工程师|工程師|创始人|創辦人|首席执行官|执行长|总裁|產品經理|产品经理|CEO)",
    ),
    ("employment", _IS, "の?(?:社員|従業員|エンジニア|創業者|代表取締役|勤務|に勤務|で働)"),
    ("employment", _IS, "의? ?(?:직원|엔지니어|창업자|대표|에서 근무|에 재직)"),
    ("owns_equity", _IS, "(?:的|の)?(?:股东|股東|股票|投资人|投資人|顾问|顧問|株主|주주|고문)"),
    ("funded_by", "(?:由|受|接受)", "的?(?:资助|資助|赞助|贊助)"),
)
_EASTERN_DENIAL = re.compile(
    r"(?<!目)前|曾|离职|離職|不|非(?!常)|无关|無關|没有|沒有|未|元|退職|ではな|ない|전"
    r" |전직|아니|않|무관|퇴사"
)


@dataclass(frozen=True)
class Conflict:
    """A stake that a biography states.

    affiliation: the organisation in the biography; entity: the name in the title.
    """

    kind: Kind
    confidence: Confidence
    affiliation: str
    entity: str
    evidence: str


def find_conflict(title: str, bio: str) -> Conflict | None:
    """Return the first conflict of highest confidence between a title and a biography, or None."""
    wanted = find_names(title)
    if not wanted or not bio.strip():
        return None
    medium: Conflict | None = None
    for sentence in _split_bio(bio):
        conflicts = (
            *_find_spaced_conflicts(sentence, wanted),
            *_find_unspaced_conflicts(sentence, wanted),
        )
        for found in conflicts:
            if found.confidence == "high":
                return found
            medium = medium or found
    return medium


def _split_bio(bio: str) -> list[str]:
    """Split a biography into sentences with single spaces."""
    lines = [" ".join(line.split()) for line in normalize_text(bio).splitlines()]
    sentences = [found[0].strip() for found in _SENTENCE.finditer("\n".join(lines))]
    return [sentence for sentence in sentences if sentence]


def _find_spaced_conflicts(sentence: str, wanted: Sequence[Name]) -> Iterator[Conflict]:
    """Find conflicts in a sentence of a script that separates words with spaces."""
    for kind, phrase in (*_BEFORE, ("employment", _UNIT_AT)):
        for cue in phrase.finditer(sentence):
            for name in _read_names_at(sentence, cue.end(), several=kind != "employment"):
                yield from _make_conflicts(kind, sentence, cue.start(), name.end, name, wanted)
    for kind, phrase in _AFTER:
        for name in find_name_runs(sentence):
            behind = phrase.match(sentence, name.end)
            if behind:
                yield from _make_conflicts(kind, sentence, name.start, behind.end(), name, wanted)


def _read_names_at(sentence: str, at: int, several: bool) -> Iterator[Name]:
    """Yield the whole name that begins at an offset, and with `several` those listed after it."""
    for _ in range(MAX_LISTED_NAMES if several else 1):
        name = next(find_name_runs(sentence[at : at + MAX_NAME_CHARS], at), None)
        if name is None or name.start != at or name.is_possessive:
            return
        if _NAME_END.match(sentence, name.end):
            yield name
        more = _LIST_SEPARATOR.match(sentence, name.end)
        if not more:
            return
        at = more.end()


def _make_conflicts(
    kind: Kind, sentence: str, start: int, end: int, name: Name, wanted: Sequence[Name]
) -> Iterator[Conflict]:
    """Yield the conflicts of a name with the wanted ones, unless the context denies them.

    The phrase is sentence[start:end], the context the text around it.
    """
    before = sentence[max(0, start - CONTEXT_BEFORE) : start]
    after = sentence[end : end + CONTEXT_AFTER]
    quote = truncate(" ".join(sentence.split()), MAX_EVIDENCE_CHARS)
    for entity in wanted:
        confidence = compare_names(name.words, entity.words)
        if confidence is None:
            continue
        if _is_denied(kind, before, sentence[start:end], after):
            return
        yield Conflict(kind, confidence, name.text, entity.text, quote)


def _is_denied(kind: Kind, before: str, phrase: str, after: str) -> bool:
    """Return True if the context negates a phrase, puts it in the past or is about others."""
    # What stands before "now" is about another time.
    now = list(_NOW.finditer(before))
    context = before[now[-1].end() :] if now else before
    if _NOW.match(phrase):
        context = ""
    if _DENIAL.search(context) or _DENIAL.search(phrase):
        return True
    if _ABOUT_OTHERS.search(f"{context.rpartition(',')[2]} {phrase}"):
        return True
    # Who was funded once was funded for that work, so the past counts for all other kinds only.
    if kind != "funded_by" and (
        _FORMER.search(context) or _FORMER.search(phrase) or _ENDED.search(after)
    ):
        return True
    return kind == "employment" and bool(_ANOTHER_PERSON.search(before))


def compare_names(organisation: Sequence[str], entity: Sequence[str]) -> Confidence | None:
    """Rate how certainly an organisation is the named entity; None if it is not.

    "high": the same words; "medium": the beginning of the entity, or several words of it.
    """
    name = tuple(organisation)
    wanted = tuple(entity)[:MAX_ENTITY_WORDS]
    if not name:
        return None
    if name == wanted:
        return "high"
    if wanted[: len(name)] == name:
        return "medium"
    if len(name) == 1:
        return None
    for start in range(len(wanted) - len(name) + 1):
        if wanted[start : start + len(name)] == name:
            return "medium"
    return None


def _find_unspaced_conflicts(sentence: str, wanted: Sequence[Name]) -> Iterator[Conflict]:
    """Find conflicts in a sentence of a script without spaces between words."""
    if _EASTERN_DENIAL.search(sentence):
        return
    quote = truncate(sentence, MAX_EVIDENCE_CHARS)
    for entity in wanted:
        if entity.text not in sentence:
            continue
        spelled = re.escape(entity.text)
        for kind, before, behind in _EASTERN_PHRASES:
            if re.search(f"{before} ?{spelled} ?{behind}", sentence):
                yield Conflict(kind, "high", entity.text, entity.text, quote)
