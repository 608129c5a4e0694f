"""List the sentences and lists of passages that can be quoted.

A sentence is quoted whole: only white space is folded, and an item number before it and footnote
marks behind it are removed. A list is quoted as its lead-in with its first items, joined with
semicolons, if that reads as a sentence. Headings, table rows, code and references are no sentences. Only the form decides;
`quote_choice` chooses among them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import takewhile
from types import MappingProxyType
from typing import Any

from research_core.model_messages import Json
from research_core.text.blocks import parse_blocks
from research_core.text.comparison_question import COMPARING_ROOTS
from research_core.text.contact_lines import COPYRIGHT, STATING_WORDS, is_contact_line
from research_core.text.foreign_sentences import leans_on_sentence_before
from research_core.text.inline_lists import unfold_lists
from research_core.text.instructions import find_instructions
from research_core.text.question import QUESTION_WORDS
from research_core.text.question_topic import find_topic, names_topic
from research_core.text.quote_labels import clean_title
from research_core.text.references import find_references, is_reference
from research_core.text.sentences import find_sentences
from research_core.text.similarity import content_tokens, word_root
from research_core.text.words import count_words, stem, tokenize

WORD_LIMITS = (6, 60)
#: Passages whose quotations are kept in memory, about 5 kB each.
MAX_KEPT_PASSAGES = 1_024
#: Items of a list that are quoted.
MAX_ITEMS = 8
#: The least items of a list, and the words of the longest one under a heading without a lead-in.
MIN_ITEMS, MAX_HEADED_ITEM_WORDS = 2, 6


@dataclass(frozen=True)
class QuoteForms:
    """Which texts are quoted, which changed with version 4 of the rules of scoring.

    max_item_words: of an item of a list behind a lead-in; keeps_existential: "There is no cure for
    rust" stands alone; drops_later: "The water then freezes" does not; splits_more: a name such as
    "plan B." may end a sentence, and so may a footnote mark behind a full stop; nests_lists: an item
    may be the lead-in of a list of its own; heads_items: an item may begin with a heading of its
    own ("- Rhythm. …"); splits_damaged: sentences that lost the space between them are two;
    drops_signs: the sign before an item that is a sentence is left out ("- Rust is an oxide.").
    """

    max_item_words: int
    keeps_existential: bool
    drops_later: bool
    splits_more: bool
    joins_sentences: bool = False
    max_list_words: int = WORD_LIMITS[1] - 2
    nests_lists: bool = False
    heads_items: bool = False
    splits_damaged: bool = False
    drops_signs: bool = False


FIRST_FORMS = QuoteForms(16, keeps_existential=False, drops_later=False, splits_more=False)
FORMS = QuoteForms(26, keeps_existential=True, drops_later=True, splits_more=True)
#: What is quoted in a report, as against compared with other sentences.
WRITTEN_FORMS = replace(
    FORMS,
    joins_sentences=True,
    max_list_words=110,
    nests_lists=True,
    heads_items=True,
    splits_damaged=True,
    drops_signs=True,
)

#: First words that refer to the sentence before.
LEANING_WORDS = frozenset(
    """
        it its it's they them their he him his she her this that these those such here there then
        thus hence so but and or nor yet also however therefore moreover furthermore meanwhile
        instead otherwise similarly likewise additionally consequently nevertheless nonetheless
        still besides both neither we our i my
    """.split()
)
_LEANING_PHRASE = re.compile(
    r"(?:for (?:example|instance)|in (?:addition|contrast|turn|this|that|these|both)"
    r"|as (?:a result|such)|the (?:former|latter|same)"
    r"|on the other hand|at the same time|because of this"
    r"|(?:each|some|most|many|all|none|one|others?|another|several)"
    r" (?:of (?:them|these|those)|has|have|had|is|are|was|were|does|do|did|can|may|will))\b"
)
#: "Of these people", "because of such attacks": what is meant was said before the sentence. Looked
#: for in the first clause, up to a comma.
_POINTS_BACK = re.compile(
    r"(?:[^\s,;:]+ ){1,12}?(?:this|these|those|such)\b"
    r"(?! (?:as|year|month|week|day|century|decade|morning|who|whose|whom|with|without|that"
    r"|which|of|in|from|living|taking|having|is|are|was|were)\b)",
    re.IGNORECASE,
)
#: "Caused by a mutation, this disease …": the thing is named in neither clause.
_THEN_THIS = re.compile(
    r"(?:\w+ed|\w+en|in|at|on|for|with|after|before|during|since|from|by|as|to|like|unlike|until)\b"
    r"[^,]{0,60}, (?:this|these|those|such|he|she|they) ",
    re.IGNORECASE,
)
#: "Most scholars therefore hold …", "Local writers count it among …".
_FOLLOWS = re.compile(
    r"(?:[^\s,;:]+ ){1,4}(?:therefore|however|thus|moreover|nevertheless|consequently|likewise)\b"
    r"|(?:\w+ ){0,3}\w+s \w+ (?:it|him|her) "
    r"(?!(?:hard|easy|difficult|possible|impossible|clear|necessary|likely|harder|easier|best)\b)",
    re.IGNORECASE,
)
#: "If you have it," and "When they eat,": nothing before the pronoun can be what it means.
_EARLY_PRONOUN = re.compile(
    r"(?:(?:if|when|whenever|once|while|because|although|though|since|unless|until|after|before"
    r"|as|where|by|with|without|of|for|in|from|on|at|to|about|like|only|even|most|many|some|people"
    r"|doctors|scientists|researchers|experts|you|we|do|does|did|can|may|have|has|had|get|got|use"
    r"|used|call|called|eat|take|treat|find|know|think|believe|say|describe|diagnose|cause"
    r"|causes) ){1,5}(?:it|they|them|he|him|she|its|their|his|her)\b"
    r"(?! (?:comes to|is (?:\w+ )?(?:that|to)|rains|snows|seems)\b)",
    re.IGNORECASE,
)
#: "The symptoms listed below": what is meant stands elsewhere on the page.
_STANDS_ELSEWHERE = re.compile(
    r"[^.;:]*\b(?:listed|described|shown|given|mentioned|discussed|outlined|explained|see|table"
    r"|figure)"
    r" (?:below|above|here|earlier|later|opposite)\b|[^.;:]*\b(?:above|below)-(?:mentioned"
    r"|listed)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[.!…\u3002\uff01\u0964\u06d4][\"'”’»)\]*_]*$")
_NON_STATEMENT_ENDS = ("?", ":", "…", "\uff1f", "\uff1a", "\u061f")
#: What no prose sentence has: navigation, addresses, markup, run-together lists, references.
_NAVIGATION = re.compile(
    r"[|»→•·©\u203a]|https?://|www\.|\S@\S{1,255}\.\w|[{}<>\\]|\.{3}\s|\w\s/\s\w+\s/\s|:\s-\s"
    r"|\s-\s.*\s-\s|\?:|(?:[A-Z][a-z]+ [A-Z]{1,2}, ){2}"
)
_BOILERPLATE = re.compile(
    r"\b(?:(?:our|uses?|using|accept|these|browser|session|tracking|third[- ]party|of|site) cookies"
    r"|cookies? (?:policy|settings|notice|preferences|consent|banner|help us|to (?:improve|give"
    r"|personali[sz]e|offer|ensure|make|provide))"
    r"|subscribe|newsletter|log ?in|sign ?(?:in|up)|click here|read more"
    r"|updated by|reviewed by|written by|last (?:updated|reviewed|modified)"
    r"|(?:photo(?:graph)?s?|image|picture|illustration)(?: credit| courtesy|:| by\b)"
    r"|add to (?:cart|basket)|out of stock|free shipping|see also|back to top|table of contents"
    r"|isbn|download (?:the )?pdf|related (?:articles|pages|topics|links)|in this (?:article"
    r"|section)"
    r"|doesn['’]t have a summary|the following (?:diseases|pages|terms|conditions) are related"
    r"|click on|information (?:in|on|from) (?:the|this|our) (?:\w+ )?(?:comes|is from"
    r"|is (?:provided|based))"
    r"|all rights reserved|privacy policy|terms of (?:use|service)|share this|skip to"
    r"|to learn more|for (?:more|further|additional|more detailed) (?:details|information)"
    r"|^(?:find |get |read |see |view )?(?:more|further|additional|more detailed) (?:details"
    r"|information) (?:about|on|is|can|see|visit|go)"
    r"|(?:^|(?<=[.:;,] )|(?<=please ))(?:go to|visit) (?:the|our)|(?:go to|visit)(?: (?:www|http)|(?=:))"
    r"|see (?:the )?(?:chapter|section|page)"
    r"|advertisement)\b",
    re.IGNORECASE,
)
#: A byline, a caption and a notice of an event. What may lie between the parts of a notice is
#: bounded, so that the time does not grow with the square of a text.
_BYLINE = re.compile(
    r"^(?:(?:story|text|words|edited|posted|published) (?:by|on) (?-i:[A-Z\d])"
    r"|by (?-i:[A-Z][\w.'’-]+ (?:[A-Z]\. )?[A-Z][\w.'’-]+)(?:,| and (?-i:[A-Z])| on \d| [–—|-] |$))"
    r"|^(?:fig(?:ure|\.)?|table|plate|box|photo|video) \d+[.:]? ",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?:doors open|admission|tickets?|free entry|register (?:now|here|by|online)|rsvp|join us"
    r"|booking (?:is )?(?:required|essential)|(?:talk|lecture|seminar|webinar|workshop|meeting"
    r"|concert|event|exhibition) (?:will be|takes place|is held|starts|begins) )"
    r".{0,400}\b(?:\d{1,2}(?:[.:]\d\d)? ?[ap]\.?m\b|\d{1,2}[.:]\d\d\b"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|free\b|[€$£]\s?\d)"
    r"|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day).{0,400}\b(?:doors|tickets?|admission|rsvp)\b",
    re.IGNORECASE,
)
#: First words of a clause below a heading.
_OPENER = (
    r"(?:The|An?|If|When|In|It|This|These|You|Your|There|Most|Many|Some|To|Because|Although|For"
    r"|Other|As|At|While|After|Since)"
)
#: The verb of a plural subject; a name is followed by a singular verb.
_PLURAL_VERB = (
    r"(?:[a-z'’]+ ){0,5}?(?:are|have|may|can|should|must|will|do|include|need|often|usually)\b"
)
#: Words before a capital that begins a name.
_BEFORE_NAME = (
    r"(?:of|for|in|with|the|and|or|to|from|by|a|like|as|than|on|at|called|named|near|using|across"
    r"|under|against|within|inside|outside|among|between|around|over|into|through|via|that|which"
    r"|made|sold|paid|written|passed|held|used)"
)
#: A heading run into the sentence below it, an example above each form.
_GLUED_HEADINGS = tuple(
    re.compile(pattern)
    for pattern in (
        # "Dry rot Dry rot is a fungus"
        r"^(?P<again>\w+(?:\W+\w+){0,5}?)[\s:–—-]+(?P=again)\b",
        # "Symptoms Cramps are common": a section whose name begins no other name
        r"^(?:Overview|Symptoms|Definition|Description|Introduction|Diagnosis|Complications|FAQs?"
        r"|Alternative Names) (?:[A-Z]\w*|\d+) (?!and\b|of\b|or\b|[A-Z])",
        # "History The bridge was": a section whose name may begin a name ("History Channel")
        r"^(?:Summary|Causes?|Treatments?|Background|Prevention|Contents|Abstract|Conclusions?"
        rf"|Key \w+|History|Details|About|Highlights|Notes?|Facts) {_OPENER} [a-z]",
        # "The Spirometry Test To confirm asthma"
        r"^(?:[\w'’()/-]+ ){0,14}[^\W\d_][\w'’()/-]* (?:The|An|If|When|In|It|This|These|You(?! (?:is|was))|Your"
        r"|There|Most|Many|Some|To|Because|Although|For|Other|As|At|While|After|Since) [a-z]",
        # "SURGERY Bariatric operations"
        r"^(?:[A-Z]{5,} (?:[A-Z]{2,} )*|[A-Z]{2,} [A-Z]{2,} )(?:An? |The )?[A-Z]?[a-z]+ [a-z(]",
        # "When to see a builder Damp rot"
        r"^(?:When|How|What|Where|Why|Who) to (?:[a-z]+ ){1,5}[A-Z]",
        # "Complete oil change Often, the first thing"
        r"^(?:[\w'’()/,-]+ ){0,9}?[^\W\d_A-Z][\w'’()-]* (?:Often|Usually|Sometimes|Generally|Anyone"
        r"|Everyone|Once|Several|Each|Having|Although|Until|Unless|Before|During|With|Without"
        r"|According|Depending|Your|Nearly|About|Almost|Any|All|Another|Certain|Different|How|What"
        r"|Who|Why|Where|Using|Taking|Untreated),? [a-z]",
        # "Treatments for mild gout Signs of gout are mild", no "The charity Women for peace works"
        r"^(?!(?:The|An?|This|That|Our|My|His|Her|Its|Their|In|At|On|By) )(?:[\w'’()/,-]+ ){0,9}?"
        r"[^\W\d_A-Z][\w'’()-]* (?:Signs|Symptoms|Treatments?|Doctors|Experts|Researchers|Scientists"
        r"|People|Patients|Women|Men|Children|Adults|Complications|Causes|Risk factors|Tests|Both"
        rf"|Possible \w+|Common \w+|Early \w+|Primary \w+|Blood \w+) {_PLURAL_VERB}",
        # "When to get help Talk to a lawyer", "Home care Call your doctor"
        r"^(?!(?:The|An?|This|That|Our|My|His|Her|In|At|On|By) )(?:[\w'’()/,-]+ ){0,9}?"
        r"[^\W\d_A-Z][\w'’()-]* (?:Talk to|Ask|See|Call) (?:an?|your|the)\b",
        # "Care at Home Often, rest is enough"
        r"^(?:[A-Z][\w'’-]+ (?:(?:and|of|the|or|for|to) )?){1,8}(?:Often|Usually|Sometimes"
        r"|Generally|Untreated|Once|Many|Most|Some|Several|Your|You|If|When|Because|Although|The|An"
        r"|This|There|These|It|In),? (?!is\b|was\b|will be\b)[a-z]",
        # "Gout Treatment People with gout should", no "Village People sold"
        r"^(?:[A-Z][\w'’-]+ (?:(?:and|of|the|or|for|to) )?){1,8}(?:People (?:with|who|whose|over"
        r"|under)|Doctors (?:can|may|will|use|often|usually|diagnose|treat|do))\b",
        # "Type 2 Loan Type 2 loans are"
        r"^(?i:(?P<repeated>[a-z]\w*(?:[ -]\w+){1,5}) (?P=repeated)(?:e?s)?)\b",
        # "Repair of rust Rust is"
        r"\b(?P<lower>[a-z]{4,}) (?=[A-Z])(?i:(?P=lower))\b",
        # "Stages of a Lawsuit Costs of a lawsuit rise"
        r"^(?:[\w'’()-]+,? ){1,9}(?:Treatments?|Symptoms?|Signs|Causes|Diagnosis|Prevention|Types"
        r"|Costs|Benefits|Uses|Effects|Risks) (?:of|for) [a-z]",
        # "Possible causes, without frost Corrosion in such pipes", no "Signs near Boston warn"
        r"^(?:(?:Possible|Common|Other|Main|Major|Early|Home|Medical) )?[A-Za-z]?(?:auses|ymptoms"
        r"|igns|reatments?|ests|omplications|isk factors|ypes|enefits|osts)\b[^.:;]{0,50} "
        rf"(?!{_BEFORE_NAME} )[a-z]{{4,}} [A-Z][a-z]{{3,}} [a-z]",
        # "Risk factors Age is": a section whose name begins no other name
        r"^(?:Diagnostic [Tt]ests?|Imaging [Tt]ests?|Lab(?:oratory)? [Tt]ests?"
        r"|Physical [Ee]xam(?:ination)?|Blood [Tt]ests?|Risk [Ff]actors|Prognosis|Staging"
        r"|Exams and [Tt]ests|Lifestyle [Cc]hanges|Tests [Aa]nd [Pp]rocedures"
        r"|Signs [Aa]nd [Ss]ymptoms|Home [Rr]emedies|Side [Ee]ffects)"
        r" (?:An? |The )?[A-Z][a-z]+ (?!and\b|[A-Z])",
        # "Maintenance The filter is": one whose name may begin a name ("Maintenance Loans")
        r"^(?:Screening|Outlook|Surgery|Medications?|Medicines|Therapy|Costs|Requirements|Ingredients"
        rf"|Instructions|Eligibility|Maintenance|Warranty) {_OPENER} [a-z]",
    )
)  # fmt: skip
#: Words of a heading in title case that the sentence below it may repeat.
MAX_HEADING_WORDS = 9
_SMALL_WORDS = frozenset("a an and as at by for from in of on or the to vs with".split())
#: Words to a machine that reads the page, not to a person.
_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}"
    r"\b(?:instructions?|prompts?|rules|guidelines)\b"
    r"|\bsystem prompt\b|\brelevance score\b"
    r"|\b(?:do not|don't|never) (?:mention|reveal|cite)\b"
    r"|\b(?:as|you are) an? (?:ai|language model|assistant)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"^\d{1,3}[.)]\s")
_FOOTNOTES = re.compile(r"(?:\s?\[(?:\d{1,3}|[a-z]|citation needed)\])+$")
#: Would be read as one of our own citation marks.
_CITATION_MARK = re.compile(
    r"\[[\s\W]*(?:p[0-9a-z]{1,16}|\d{1,3}"
    r"|(?:s|p|src|doc|ref|source|cite|citation|passage)[-_.: #]?\d{1,4}"
    r"(?:[-_.:][a-z]?\d{1,4}){0,3})"
    r"\s*[\],;]",
    re.IGNORECASE,
)


#: First words of a sentence that tells its reader what to do.
_IMPERATIVE = re.compile(
    r"(?:please |always |never |do not |don['’]t )?"
    r"(?:talk|ask|call|see|tell|keep|take|try|use|avoid|make sure|check|visit|contact|learn|find"
    r"|read|get|remember|consider|start|stop|follow|choose|click|watch|wash|let|store|seek|go|come"
    r"|give|put|look|be|apply|eat|drink|wear|limit|report|discuss|print|view|share|enter|select"
    r"|download|add|save|return|note|bring|write|speak|work|plan|join|listen|think)\b"
    r"(?! (?:is|are|was|were|of|has|can|may)\b)"
    r"|(?:measure|monitor|collect|test|record|map|set|count|cut|buy|sell|wait|turn|press|open|close"
    r"|mix|heat|pour|cook|bake|install|run|type|bring|build|place|remove|replace|allow|encourage"
    r"|ensure|identify|compare|explain|describe|explore|browse|sample|hold|hang|plant|water|cover"
    r"|move|send|pay|sign|protect|drive) (?:the|an?|your|all|each|every|any|it|them|up|out|for"
    r"|only)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Quote:
    """One sentence of one passage.

    `source` and `order` are the positions of its source and of itself, from 0. `firm`: it stands by
    itself. `heading`: what it stands under in its passage. `own`: the share of the question's words
    that it holds, 0 to 1, weighted by rarity. `near`: its cosine with the question, None if meaning
    was not compared. `score`: how well it answers, by either and by its form, 0 to about 1.4.
    `label`: what is shown before it to say what it is about, or under what it stands; `is_titled`:
    that is the title of its page. `whole`,
    `above`: the sentence with a title that stands before it, and the heading above both, as on the page.
    `section`: the part of the page that this title names ("Causes"); `subject`: the thing that it
    names, if the sentence begins with a pronoun for it. `introduced`: the sentence before it that
    introduces the noun at its beginning: "… leaves a cloud.", before "The cloud can …".
    `is_list`: it was joined of a lead-in and the items of a list. `faults`: why it should not be
    quoted if others can be. `is_on_side`: it is about the side of its thing that is asked about. `on_point`: how near it comes
    to what is asked of the thing, as a share of the nearest, 0 to 1; None if that was not compared.
    `fills`: the numbers of the parts of the question whose duration, amount, date … it gives.
    """

    text: str
    passage: str
    source: int
    order: int
    firm: bool
    heading: str = ""
    own: float = 0.0
    near: float | None = None
    score: float = 0.0
    label: str = ""
    whole: str = ""
    above: str = ""
    section: str = ""
    subject: str = ""
    introduced: str = ""
    is_list: bool = False
    faults: tuple[str, ...] = ()
    is_on_side: bool = False
    on_point: float | None = None
    fills: tuple[int, ...] = ()
    is_titled: bool = False

    @cached_property
    def text_with_subject(self) -> str:
        """Return the sentence with its subject's name in place of a pronoun at its start."""
        return name_subject(self.text, self.subject) if self.subject else self.text

    @cached_property
    def words(self) -> Counter[str]:
        """Return the counts of its stemmed content words."""
        return Counter(stem(word) for word in tokenize(self.text) if word not in QUESTION_WORDS)

    @cached_property
    def length(self) -> float:
        """Return the Euclidean length of its word counts."""
        return math.sqrt(sum(count * count for count in self.words.values()))


def list_quotes(sources: Sequence[Json], forms: QuoteForms = FORMS) -> list[Quote]:
    """Return every sentence and list of the sources' passages that can be quoted, in order."""
    found: list[Quote] = []
    for number, source in enumerate(sources):
        title = str(source.get("title", ""))
        for passage in source["passages"]:
            for fields in _list_passage_quotes(passage["text"], title, forms):
                found.append(
                    Quote(passage=passage["id"], source=number, order=len(found), **fields)
                )
    return found


@lru_cache(maxsize=MAX_KEPT_PASSAGES)
def _list_passage_quotes(text: str, title: str, forms: QuoteForms) -> tuple[Mapping[str, Any], ...]:
    """Return the fields of the quotes of a passage, without where it stands.

    Those of the last passages are kept, as a run compares, writes and reports the same ones.
    """
    quotes = []
    before: list[str] = []
    heading_before = ""
    for whole, above, is_list in _quotable_texts(text, forms):
        if above != heading_before:
            before, heading_before = [], above
        introduced = find_introduction(whole, before)
        before.append(whole)
        parts = split_title(whole, title)
        heading, sentence = parts or (above, whole)
        longest = forms.max_list_words + 2 if is_list else WORD_LIMITS[1]
        if not can_be_quoted(sentence, longest):
            continue
        subject = find_subject(heading, sentence, forms) if parts else ""
        fields = {
            "text": sentence,
            "firm": bool(subject) or stands_alone_on_page(sentence, forms),
            "heading": heading,
            "whole": whole,
            "above": above,
            "section": find_section(heading) if parts else "",
            "subject": subject,
            "introduced": introduced,
            "is_list": is_list,
        }
        quotes.append(MappingProxyType(fields))
    return tuple(quotes)


#: "Lead poisoning (Causes): Old paint …", under the title "Lead poisoning", and a title that asks.
_TITLE_BEFORE = re.compile(
    r"(?P<head>[^.!?:;()]{3,70}\??(?: \([^()]{1,80}\)){0,2}): (?=[\"“‘(]?[A-Z\d])"
)
#: What a title names of its thing: "(Causes)", and a few words behind a dash, "– Causes".
_SECTION = re.compile(
    r" \((?P<bracketed>[^()]*)\)| [–—-] (?P<dashed>[^\Wa-z][\w'’-]*(?: [\w'’-]+){0,3})$"
)
#: "It occurs when …", "This disease is …": a subject that a title before it names.
_SUBJECT_PRONOUN = re.compile(
    r"(?:(?:It|They|(?:This|These) (?:condition|disease|disorder|syndrome|illness|infection|injury"
    r"|problem|process|effect|phenomenon|method|substance|material|drug|medicine|device|plant"
    r"|animal|species)(?:e?s)?)(?= (?!(?:is|was|has been) (?:\w+ )?(?:that|to|whether|how"
    r"|why)\b)[a-z])"
    r"|(?P<owns>Its|Their)(?= [a-z]))"
)
_PLURAL_PRONOUNS, _IS_PLURAL = ("They", "Their", "These"), re.compile(r"[^\W\dsui]s$")


def split_title(text: str, title: str) -> tuple[str, str] | None:
    """Return the page's title and the sentence that it stands before with a colon, else None.

    A part of the title is enough; the section that it names need not be in the title.
    """
    match = _TITLE_BEFORE.match(text)
    if match is None:
        return None
    head = tokenize(_SECTION.sub(" ", match["head"]))
    if not head or not set(head) <= set(tokenize(title)):
        return None
    return match["head"], text[match.end() :]


def find_section(head: str) -> str:
    """Return the section that a title before a sentence names last, or ""."""
    sections = list(_SECTION.finditer(head))
    return (sections[-1]["bracketed"] or sections[-1]["dashed"]) if sections else ""


def find_subject(head: str, text: str, forms: QuoteForms = FORMS) -> str:
    """Return what the pronoun at the beginning of a sentence stands for, by the title before it.

    "" if it begins with none, the title is no name, or the sentence refers to another one too.
    """
    subject = clean_title(_SECTION.sub("", head))
    match = _SUBJECT_PRONOUN.match(text)
    if not subject or match is None or head.endswith("?"):
        return ""
    if match[0].startswith(_PLURAL_PRONOUNS) and not _IS_PLURAL.search(subject):
        return ""
    return subject if stands_alone(name_subject(text, subject), forms) else ""


def name_subject(text: str, subject: str) -> str:
    """Return a sentence with a name in place of the pronoun at its beginning."""
    match = _SUBJECT_PRONOUN.match(text)
    if match is None:
        return text
    owns = "’s" if match["owns"] else ""
    return f"{subject}{owns}{text[match.end() :]}"


def _quotable_texts(passage: str, forms: QuoteForms) -> Iterator[tuple[str, str, bool]]:
    """Yield (text, heading above it, whether it is a list) of sentences and of whole lists.

    A list is its lead-in ("Symptoms include:") with its items. Of a block that addresses a machine,
    nothing from that place on is yielded.
    """
    heading = ""
    lead_in = _LeadIn("")
    before = ""
    items: dict[int, list[str]] = {}
    parts = _quotable_parts(passage, forms)
    for kind, line, text in _join_sentences(parts) if forms.joins_sentences else parts:
        if kind != "list" and items:
            if joined := _join_list(lead_in, items, forms):
                yield joined, heading, True
            items, lead_in = {}, _LeadIn("")
        if kind == "heading":
            heading = text
            lead_in = _LeadIn(f"{text.rstrip(':.')}:", is_heading=True)
            continue
        if kind == "list" and forms.nests_lists and text.endswith((":", "：")):
            if joined := _join_list(lead_in, items, forms):
                yield joined, heading, True
            items, lead_in = {}, _LeadIn(_ITEM_SIGN.sub("", text), is_nested=True)
            continue
        if kind == "list":
            items.setdefault(line, []).append(text)
            is_first = len(items[line]) == 1
            is_whole = lead_in.is_nested and _is_statement(text)
            continues = is_first and not is_whole and _continues_lead_in(lead_in, text)
            if _ITEM_HEAD.match(text) or continues:
                continue
            label = _find_item_label(items[line][0]) if forms.heads_items else ""
            if label and not is_first:
                yield text, label, False
                continue
        elif kind != "joined":
            lead = _HEADING_AGAIN.sub("", text) if text.endswith((":", "：")) else ""
            if _ORDER_ON_THESE.match(lead) and _is_statement(before):
                lead = f"{before} {lead}"
            lead_in = _LeadIn(lead)
            before = text
        yield text, heading, kind == "joined"
    if joined := _join_list(lead_in, items, forms):
        yield joined, heading, True


#: "Call them if you see any of these signs:": the sentence before it says of what they are signs.
_ORDER_ON_THESE = re.compile(
    r"(?:tell|call|contact|ask|check|see|stop|report|watch|look)\b[^.;:]*\b(?:these|the following)\b"
    r"[^.;:]*[:：]$",
    re.IGNORECASE,
)

#: "Signs of damp include: A wet floor.": a lead-in with its first item as one sentence.
_FIRST_ITEM = re.compile(
    r"(?P<lead>[^:;]*\b(?:include|includes|including|are|is|were|have|following|such as)\b[^:;]{0,30}:) "
    r"(?P<item>[A-Z][^:;]*\.)"
)
_IN_CLAUSE = re.compile(r"\b(?:that|which|who|whose|if|when|because|where|while)\b")
#: The words of an item that is a sentence of its own, at most.
MAX_SENTENCE_ITEM_WORDS = 20


def _join_sentences(parts: Iterator[tuple[str, int, str]]) -> Iterator[tuple[str, int, str]]:
    """Yield the parts of a passage with a list whose items are sentences as one, "joined"."""
    held: list[tuple[str, int, str]] = []
    for part in parts:
        if held and part[0] == "paragraph" and _is_sentence_item(part[2]):
            held.append(part)
            continue
        yield from _finish_list(held)
        match = _FIRST_ITEM.fullmatch(part[2]) if part[0] == "paragraph" else None
        held = [part] if match and _is_sentence_item(match["item"]) else []
        if not held:
            yield part
    yield from _finish_list(held)


def _finish_list(held: Sequence[tuple[str, int, str]]) -> Iterator[tuple[str, int, str]]:
    texts = [_LOOSE_ENDING.sub("", text) for _, _, text in held]
    if len(texts) < MIN_ITEMS:
        yield from held
        return
    shown: list[str] = []
    for text in texts[:MAX_ITEMS]:
        if shown and count_words(" ".join([*shown, text])) > WRITTEN_FORMS.max_list_words:
            break
        shown.append(text)
    more = "; and more." if len(texts) > len(shown) else "."
    yield "joined", held[0][1], "; ".join(shown) + more


def _is_sentence_item(text: str) -> bool:
    """Return whether a text with a full stop has no verb of its own, as the item of a list."""
    if not text.endswith(".") or not text[0].isupper() or ":" in text:
        return False
    if len(text.split()) > MAX_SENTENCE_ITEM_WORDS or is_imperative(text):
        return False
    return not STATING_WORDS.search(_IN_CLAUSE.split(text)[0])


#: "Call them if:", "The car may:": what stands below is a part of that sentence.
_OPEN_LEAD_IN = re.compile(
    r"\b(?:if|when|whenever|unless|until|while|who|which|that|to|is|are|be|was|were|can|may|might"
    r"|should"
    r"|must|will|have|has|by|with|for|of|from|you|they|it|not|also|either|because|an?|the|in|on|or"
    r"|and)"
    r"\W*:$",
    re.IGNORECASE,
)


def _continues_lead_in(lead_in: _LeadIn, text: str) -> bool:
    """Return whether an item is no sentence by itself: "Paint that has lost its gloss."."""
    if not lead_in.text or lead_in.is_heading:
        return False
    if _OPEN_LEAD_IN.search(lead_in.text) or is_imperative(lead_in.text):
        return True
    return not STATING_WORDS.search(re.split(r"\b(?:that|which|who|whose|if|when)\b", text)[0])


#: "Spring: …": an item that begins with its heading.
_ITEM_HEAD = re.compile(r"[A-Z][\w'’-]*(?: [\w'’-]+){0,3}: ")

#: Words of headings that compare two things.
_DIFFERING_ROOTS = frozenset(
    map(word_root, "differ differences compared comparison versus".split())
)
#: "Rhythm.", "Strings and frets.": an item's first words, which are the heading of its sentences.
_ITEM_LABEL = re.compile(r"(?P<name>[^\Wa-z\d_][\w'’-]*(?: [\w'’-]+){0,3})\.")


def _quotable_parts(passage: str, forms: QuoteForms) -> Iterator[tuple[str, int, str]]:
    """Yield (kind of block, where its line begins, text) of headings and of sentences.

    Lists of references are left out.
    """
    passage = unfold_lists(passage)
    layout = parse_blocks(passage)
    orders = find_instructions(passage)
    references = find_references(passage)
    block = 0
    spans = find_sentences(passage)
    for ends, is_used in ((_MORE_ENDS, forms.splits_more), (_DAMAGED_ENDS, forms.splits_damaged)):
        if is_used:
            spans = [part for span in spans for part in _split_more(ends, passage, *span)]
    for start, end in spans:
        while layout[block].end <= start:
            block += 1
        kind = layout[block].kind
        if kind not in ("heading", "paragraph", "list"):
            continue
        block_start = layout[block].start
        if any(order.start < end and order.end > block_start for order in orders):
            continue
        if any(first < end and last > start for first, last in references):
            continue
        text = " ".join(passage[start:end].split())
        if kind == "list":
            text = _NUMBER.sub("", text)
        if forms.drops_signs and (match := _SENTENCE_SIGN.match(text)):
            text = text[match.end() :]
        line = passage.rfind("\n", 0, start)
        yield kind, line, _FOOTNOTES.sub("", text)


#: The sign before an item that is a sentence, where a list was folded into one line.
_SENTENCE_SIGN = re.compile(r"[-–•*]\s+(?=[\"“«‘(]?[^\Wa-z_][^\n]*[.!。！۔।]$)")


#: Ends of sentences that `find_sentences` does not see: "… against hepatitis A. Bring the card",
#: "… lasts a year.17 Owners who".
_MORE_ENDS = re.compile(
    r"\b(?:hepatitis|influenza|vitamins?|group|type|class|grade|plan|option|section|schedule|part"
    r"|appendix|team|zone|block|category|tier|level|gate|terminal"
    r"|model) [A-Z]\.(?P<letter>)\s+(?=[A-Z])"
    r"|[a-z)]\.(?P<mark>\d{1,3})\s+(?=[A-Z])"
)


#: Ends of sentences without a space behind them ("… and vitamins.Sugars are …"), with several
#: footnote marks ("… in men.3,4 Some …"), and behind a short form in capitals ("… of MS. They").
_DAMAGED_ENDS = re.compile(
    r"(?<![\w.@/])[^\W\d_]*[a-zà-ÿ]{3,}[.?](?P<letter>)(?=[A-Z][a-z]+,?\s+[a-z])"
    r"|[a-z)]\.(?P<mark>\d{1,2}(?:,\d{1,2})+)\s+(?=[A-Z])"
    r"|(?<!\S)[a-z][\w'’-]*\s+"
    r"(?!(?:CO|CORP|DR|FIG|GEN|INC|JR|LLC|LTD|MR|MRS|MT|NO|PP|SGT|SR|ST|VOL|VS)\b)[A-Z]{2,6}s?\."
    r"(?P<capitals>)\s+(?=(?:The|This|These|An?|In)\s|[A-Z][a-z]+,?\s+[a-z])"
)


def _split_more(
    ends: re.Pattern[str], text: str, start: int, end: int
) -> Iterator[tuple[int, int]]:
    """Split a span of sentences at these ends; the footnote marks between them are left out."""
    for match in ends.finditer(text, start, end):
        yield start, match.start(match.lastgroup or 0)
        start = match.end()
    yield start, end


#: The heading that stands before a lead-in with the same words.
_HEADING_AGAIN = re.compile(r"^(?P<heading>.{8,90}?) (?=(?P=heading)\b)", re.IGNORECASE)


@dataclass(frozen=True)
class _LeadIn:
    """What stands before a list, with a colon at its end; `text` is "" if nothing does.

    is_nested: it is itself an item of a list, whose next items may follow those of its own.
    """

    text: str
    is_heading: bool = False
    is_nested: bool = False


#: A lead-in that names nothing: "These are:", "It includes:", "For example:".
_EMPTY_LEAD_IN = re.compile(
    r"^(?:(?:\w+ ){0,2}(?:following|these|they|this|it|example|note|include[sd]?|see|more|contents"
    r"|links|sources|references|related|by \w+)\b[^:]{0,12}:$"
    r"|.*\b(?:these|the following|related|other|our) (?:resources|links|pages|topics|articles"
    r"|terms)\b"
    r"|[^:]{0,300}\bthat(?:['’]s| is| are| was)\b"
    r"(?:(?!\bis\b|\bare\b|include|\bcan\b|\bmay\b)[^:]){0,300}:$)",
    re.IGNORECASE,
)


def _join_list(lead_in: _LeadIn, items: Mapping[int, Sequence[str]], forms: QuoteForms) -> str:
    """Return a list as one line, its lead-in and its first items; "" if that is no sentence.

    items: the sentences of each item by where its line begins.
    """
    if lead_in.is_nested:
        items = dict(takewhile(lambda item: not _is_statement(item[1][0]), items.items()))
    texts = [item[0] for item in items.values()]
    if not lead_in.text or len(texts) < MIN_ITEMS:
        return ""
    # "Iron rusts if:": of an item with several sentences, the first ends the lead-in.
    is_open = bool(_OPEN_LEAD_IN.search(lead_in.text))
    if not is_open and any(len(item) > 1 and not _is_name(item[0]) for item in items.values()):
        return ""
    longest = MAX_HEADED_ITEM_WORDS if lead_in.is_heading else forms.max_item_words
    if _EMPTY_LEAD_IN.match(lead_in.text) or not all(
        _is_list_item(text, longest, names_only=lead_in.is_heading, is_open=is_open)
        for text in texts
    ):
        return ""
    if lead_in.is_heading and is_imperative(lead_in.text):
        return ""
    if forms.heads_items and lead_in.is_heading and _announces_sides(lead_in.text, items):
        return ""  # "How the two differ: Rhythm; Sound."
    shown: list[str] = []
    for text in texts[:MAX_ITEMS]:
        if count_words(" ".join([lead_in.text, *shown, text])) > forms.max_list_words:
            break
        shown.append(_LOOSE_ENDING.sub("", text))
    if len(shown) < MIN_ITEMS:
        return ""
    more = "; and more." if len(texts) > len(shown) else "."
    return f"{lead_in.text} {'; '.join(shown)}{more}"


_ITEM_SIGN = re.compile(r"^[-–•*]\s+")


def _is_statement(text: str) -> bool:
    return text.endswith(".") and text[:1].isupper() and bool(STATING_WORDS.search(text))


def _announces_sides(heading: str, items: Mapping[int, Sequence[str]]) -> bool:
    """Return whether a heading compares and its items only begin with what they compare in."""
    roots = frozenset(map(word_root, content_tokens(heading)))
    if roots and roots <= COMPARING_ROOTS:
        return True
    if roots.isdisjoint(_DIFFERING_ROOTS):
        return False
    return all(len(item) > 1 and _find_item_label(item[0]) for item in items.values())


def _find_item_label(text: str) -> str:
    """Return the heading that an item begins with, or ""."""
    label = _ITEM_LABEL.fullmatch(_ITEM_SIGN.sub("", text))
    return label["name"] if label and _is_name(text) else ""


_LOOSE_ENDING = re.compile(r"[.;,]*(?: (?:and|or))?[.;,]*$")


def _is_name(text: str) -> bool:
    """Return whether an item begins with the name of what its next sentences explain."""
    return len(text.split()) <= MAX_HEADED_ITEM_WORDS and not STATING_WORDS.search(text)


def _is_list_item(text: str, longest: int, *, names_only: bool, is_open: bool) -> bool:
    """Return whether an item continues a lead-in: neither a heading nor a sentence of its own.

    names_only: it may not be a clause either, as its lead-in is only a heading. is_open: it may be
    a sentence, as it completes its lead-in: "Iron rusts if:".
    """
    if len(text.split()) > longest or text.endswith((":", "?", "!")) or ": " in text:
        return False
    if any(form.match(text) for form in _GLUED_HEADINGS):
        return False
    is_sentence = bool(STATING_WORDS.search(text))
    if names_only:
        return not is_sentence and not is_imperative(text)
    return is_open or not (is_sentence and text.endswith(".") and text[0].isupper())


#: "Claim checked: '…'" repeats what somebody else said; the verdict is elsewhere.
_LABELLED_CLAIM = re.compile(r"^[A-Z][\w ]{0,40}: ?[\"“‘'][^\"”’]*[\"”’']\W*$")


#: The list that a lead-in announces is missing: "It does the following: Some say …".
_LOST_LIST = re.compile(r"\b(?:the following|as follows): [A-Z][^;:]*$")
_UNQUOTABLE = (
    _LOST_LIST,
    COPYRIGHT,
    _NAVIGATION,
    _BOILERPLATE,
    _BYLINE,
    _EVENT,
    *_GLUED_HEADINGS,
    _ORDERS,
    _CITATION_MARK,
    _LABELLED_CLAIM,
)


def _repeats_its_beginning(text: str) -> bool:
    """Return whether a text begins with a heading in title case that its next words repeat."""
    words = text.split()
    for length in range(3, min(MAX_HEADING_WORDS, len(words) - 2) + 1):
        head = [word.strip(",;:()") for word in words[:length]]
        names = [word.lower() for word in head if word.lower() not in _SMALL_WORDS]
        if not all(word[:1].isupper() or word in _SMALL_WORDS for word in head):
            return False
        below = {word.strip(",;:().").lower() for word in words[length : 2 * length + 3]}
        if len(names) > 1 and below.issuperset(names):
            return True
    return False


def can_be_quoted(text: str, longest: int = WORD_LIMITS[1]) -> bool:
    """Return whether a text is a sentence of usable length that can be quoted.

    Questions, navigation, boilerplate, captions, notices of events, addresses, references, sentences
    with a heading run into them and orders to a machine cannot. longest: its words at most.
    """
    if not WORD_LIMITS[0] <= count_words(text) <= longest:
        return False
    if text.rstrip("\"'”’»)]*_ ").endswith(_NON_STATEMENT_ENDS):
        return False
    if any(pattern.search(text) for pattern in _UNQUOTABLE) or is_reference(text):
        return False
    if is_contact_line(text) or _repeats_its_beginning(text):
        return False
    return not find_instructions(text)


#: "It is not clear what causes rust": "it" stands for what follows.
_EXPLETIVE = re.compile(
    r"It(?: is|['’]s)(?: \w+){0,2} (?:clear|unclear|known|unknown|certain|uncertain|understood|likely"
    r"|unlikely|possible|thought|believed) (?:\w+ )?(?:what|why|whether|which|that)\b"
)
_THOSE_WHO = re.compile(r"those (?:who|with|living|whose)\b", re.IGNORECASE)


#: "In other cases, …", "Other times …", "…, however, …": the other half of a contrast is missing.
_CONTRASTS_BACK = re.compile(
    r"in (?:other|these|those|such|that|this|some other) \w+,? (?!than\b)|(?:at )?other times\b"
    r"|(?:the )?(?:others,?|other(?! \d)) |[^;]*, (?:on the other hand|in contrast)[,.]"
    r"|[^;]*, (?:however|though)\.|(?:[^\s,;]+ )?[^\s,;]+, (?:however|though),"
    r"|(?:it|they|he|she|this|these|those|that|such|some|both)\b[^;]*, (?:however|though),",
    re.IGNORECASE,
)
_LEANING_FORMS = (
    _POINTS_BACK,
    _FOLLOWS,
    _THEN_THIS,
    _EARLY_PRONOUN,
    _STANDS_ELSEWHERE,
    _CONTRASTS_BACK,
)


#: "There is no cure for rust": the thing is named behind the verb.
_EXISTENTIAL = re.compile(
    r"There (?:is|are|was|were|has been|have been|may be|can be|must be|will be|exists?) "
    r"(?!also\b|this\b|that\b|these\b|those\b|such\b|still\b|then\b|therefore\b|(?:an)?other\b)"
    r"(?:\S+ ){2,}(?:of|for|to|in|with|that|who|between|on|against|from|by)\b",
    re.IGNORECASE,
)
#: "The blood then returns", "When treated early, however, …": the sentence needs the one before it.
_COMES_AFTER = re.compile(
    r"(?!(?:if|when|once|after)\b)(?:[^\s,;:]+ ){1,5}then (?!is\b|are\b|was\b|were\b)[a-z]"
    r"|(?:when|if|once|because|although|as|while|in|for|with)\b[^;:.]{3,80}, however, ",
    re.IGNORECASE,
)


#: "They're also of oak", "He'd sold it by then".
_SHORT_PRONOUN = re.compile(r"(?:they|he|she|we|that|this|these)['’][a-z]", re.IGNORECASE)


def _cut_order_on_these(text: str) -> str:
    """Return only the statement of a text that goes on with an order: "X warns. Call if …: a; b"."""
    before, mark, rest = text.partition(". ")
    return f"{before}." if mark and _ORDER_ON_THESE.match(rest.partition(":")[0] + ":") else text


def stands_alone(text: str, forms: QuoteForms = FORMS) -> bool:
    """Return whether a sentence begins and ends as one and does not point back."""
    text = _cut_order_on_these(text)
    opening = text.lstrip("\"'“‘«([*_")
    head = opening[:1]
    if any(form.match(opening) for form in _LEANING_FORMS):
        return False
    if not (head.isupper() or head.isdigit() or not head.isascii()):
        return False
    if forms.drops_later and _COMES_AFTER.match(opening):
        return False
    words = tokenize(opening)
    is_existential = forms.keeps_existential and _EXISTENTIAL.match(opening)
    is_expletive = forms.nests_lists and _EXPLETIVE.match(opening)
    names_thing = is_existential or is_expletive or _THOSE_WHO.match(opening)
    if words and words[0] in LEANING_WORDS and not names_thing:
        return False
    if forms.nests_lists and _SHORT_PRONOUN.match(opening):
        return False
    if leans_on_sentence_before(opening):
        return False
    if _names_unknown(opening):
        return False
    return bool(_ENDS.search(text)) and not _LEANING_PHRASE.match(opening.lower())


#: "Mutations in the gene cause this condition": the words for what the page is about.
THIS_KIND = re.compile(
    r"\b(?:this|these|such) (?:\w+ )?(?:conditions?|diseases?|disorders?|illness(?:es)?|syndromes?"
    r"|infections?|problems?|medicines?|medications?|drugs?|treatments?|procedures?|devices?"
    r"|products?|methods?|laws?|rules?|groups?|companies|company|events?)\b",
    re.IGNORECASE,
)


#: One thing of a kind that a whole page may be about; "this problem" may be one of several.
_THIS_ONE = re.compile(
    r"\bthis (?:condition|disease|disorder|illness|syndrome|infection|medicine|medication|drug"
    r"|device|product|law)\b",
    re.IGNORECASE,
)


def stands_alone_on_page(text: str, forms: QuoteForms = FORMS) -> bool:
    """Return whether a sentence stands alone on a page about the thing of "this disease"."""
    return stands_alone(_THIS_ONE.sub("a thing", text), forms)


#: "Because of this medicine": a thing that the sentence has not named before.
_THIS_THING = re.compile(
    r"\b(?:of|with|by|for|from|to|on|about|in|at|using|take|have) (?:this|these)"
    r" (?!year|month|week|day|century|decade|time|way|case|point|reason|day|area|two|three)"
    r"(?P<noun>[a-z][\w-]+)",
    re.IGNORECASE,
)


def _names_unknown(text: str) -> bool:
    """Return whether a sentence speaks of "this …" without having named it."""
    for match in _THIS_THING.finditer(text):
        before = {stem(word) for word in tokenize(text[: match.start()])}
        is_summary = re.search(r"[,;:]|\band\b", text[: match.start()])
        if stem(match["noun"].lower()) not in before and not is_summary:
            return True
    return False


#: "The song" followed by a verb does not say which song.
_BARE_NOUN = re.compile(
    r"The (?P<noun>[a-z][\w'’-]*) (?:also |then |first |later |still |now )?"
    r"(?:was|is|were|are|has|had|have|will|can|could|would|may|might|must|should|did|does|do"
    r"|became|began|came|took|made|went|ran|sold|held|won|lost|rose|fell|grew|gave|\w{2,}ed)\b"
)
#: "The problem most often occurs when": the same with a name of a kind and any verb.
_BARE_KIND = re.compile(
    r"The (?:underlying |whole |new |other )?(?P<noun>condition|disease|disorder|illness|syndrome|problem"
    r"|medication|medicine|drug|treatment|procedure|machine|device|actor|actress|film|movie|song|book"
    r"|author|firm|product|app|act|ruling|vehicle|dish|recipe|fund"
    r"|loan|policy|agency|organization|project|process|method|technology|technique|test|bacteria"
    r"|virus|parasite|vaccine|tool|service|contract)"
    r" (?:(?:most |very )?(?:often|usually|typically|generally|sometimes|commonly|rarely|mainly|also) )?"
    r"(?:causes?|affects?|occurs?|includes?|involves?|means|makes?|works?|helps?|uses|needs|depends"
    r"|varies|starts?|begins?|develops?|spreads?|comes|seems|appears|tends|remains|requires?|contains?"
    r"|provides?|shows|leads?|produces?|allows?|stops?|pumps?|kills?|multiply|multiplies|grows?|lasts?"
    r"|plays|stars|sells|offers|says|goes|gets|takes|gives|runs|costs|ends|lets|brings|keeps)\b"
)
#: Sentences under one heading in which the noun at the beginning of the next may be introduced.
MAX_INTRODUCING = 3
#: What stands before a noun that was introduced further up: "the last ", "its ".
_KNOWN_BEFORE = re.compile(
    r"\b(?:the|this|that|these|those|such|its|their|his|her)\s+"
    r"(?:(?!(?:an?|and|or|of|in|on|at|to|with|for|by)\b)[\w'’-]+\s+){0,2}$",
    re.IGNORECASE,
)


def find_introduction(text: str, before: Sequence[str]) -> str:
    """Return the sentence that introduces the noun at the beginning of the next one, or "".

    "It leaves a cloud behind." introduces the noun of "The cloud spreads.". before: the sentences
    above it under the same heading.
    """
    match = _BARE_NOUN.match(text) or _BARE_KIND.match(text)
    if match is None:
        return ""
    noun = re.compile(rf"\b{re.escape(match['noun'])}\b", re.IGNORECASE)
    for sentence in reversed(before[-MAX_INTRODUCING:]):
        for found in noun.finditer(sentence):
            if not _KNOWN_BEFORE.search(sentence[: found.start()]):
                return sentence
    return ""


#: A name behind the first word, or a figure with its unit, but no year: "in Ohio", "30 days".
_PARTICULAR = re.compile(
    r"(?<=[\w,] )(?:[A-Z][a-z]+|[A-Z]{2,})\b|[$€£]\s?\d"
    r"|\b(?!(?:1[5-9]|20)\d\d\b)\d[\d,.]*(?:\s?%|[ -][a-z]{2,})"
)
#: A short opening and a pronoun ("In 2025 it holds"), and "Written in 1941 by" without a subject.
_THEN_IT = re.compile(
    r"(?:In|By|At|On|For|Since|During|After|Before|Until|From|With|As of)"
    r" (?:[^\s,]+ ){0,2}[^\s,]+,? (?:it|they|he|she)\b"
)
_NO_SUBJECT = re.compile(
    r"(?:[A-Z]\w+(?:ed|en)|Built|Made|Set|Held|Sung|Found|Known|Born|Sold|Told|Shot|Led|Won)"
    r" (?:in|by|for|at|on|as|from|with)\b"
)
_SUBJECT = re.compile(
    r", (?:the|a|an|its|their|his|her|this|these|it|they|he|she|we|[A-Z0-9]\S*)\s"
)


def is_imperative(text: str) -> bool:
    """Return whether a sentence tells its reader what to do: "Talk to your doctor."."""
    opening = text.lstrip("\"'“‘«([*_")
    return bool(re.match(r"(?:do not|don['’]t|never|please)\b", opening, re.IGNORECASE)) or bool(
        _IMPERATIVE.match(opening)
    )


def points_back(text: str, question: str, known: Collection[str] = ()) -> bool:
    """Return whether a sentence that looks complete does not say what it is about.

    Examples: "The song was …", "In 2025 it …", "Written in …". A noun that the question uses is
    known, and so are those in `known`. A kind of thing ("The problem often occurs …") is, where the
    sentence names the topic or something particular.
    """
    opening = text.lstrip("\"'“‘«([*_")
    asked = {*tokenize(question), *known}
    bare = _BARE_NOUN.match(opening)
    if bare is not None and bare["noun"] not in asked:
        return True
    kind = _BARE_KIND.match(opening)
    if kind is not None and kind["noun"] not in asked:
        is_placed = bool(_PARTICULAR.search(opening)) or names_topic(find_topic(question), opening)
        if not is_placed:
            return True
    if _THEN_IT.match(opening):
        return True
    return bool(_NO_SUBJECT.match(opening)) and not _SUBJECT.search(opening)
