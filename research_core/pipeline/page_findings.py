"""Find what the pages of a run lack: the named thing, or the language of the question.

What is found goes by the whole text of the pages that were read, so it is recorded with the text of
the report (`Report.page_findings`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from research_core.decisions.gate import Gate
from research_core.decisions.view import RunView, SourceView
from research_core.i18n import (
    N_,
    _,
    format_number,
    gettext,
    in_report_language,
    join_sentences,
    ngettext,
    put_in_quotes,
)
from research_core.journal.deps import Deps
from research_core.journal.rule_versions import runs_under
from research_core.model_messages import Json
from research_core.models import NO_REPORT_REASONS, Report
from research_core.modes import ResearchMode
from research_core.policy import LIBRARY_ENGINE, searches_sample
from research_core.text.languages import LANGUAGE_NAMES, are_alike, guess_language
from research_core.text.words import escape_markdown

#: Names that a refusal lists.
MAX_NAMES = 3
#: The version of the rules of scoring from which a refusal says its cause once, by what was found.
CAUSE_VERSION = 6
#: The version of the rules of scoring from which a report says that its text is in another language.
WRITTEN_LANGUAGE_VERSION = 7
#: Reasons that a lack of pages on the question may explain.
OFF_TOPIC = N_("all off topic")
NOTHING_FOUND = "nothing found"
BLOCKED = N_("all blocked by credibility")
TOO_FEW = N_("too few relevant sources")
#: Words that may stand between those of a topic: "pumps for heat".
MAX_WORDS_BETWEEN = 2
#: Words that belong to the name before them.
_KINDS_OF_THING = (
    "act|algorithm|bridge|disease|disorder|effect|island|law|method|mission|principle|process"
    "|project|protocol|river|scale|sign|syndrome|test|theorem|theory|treaty|virus"
)


def find_page_findings(run: RunView, deps: Deps, *, is_refusal: bool) -> Json:
    """Return {read, unnamed, found, languages}: counts of pages, names that no page read holds.

    languages: pages by the code of their language, where that is clear. unnamed: of refusals only,
    with {naming}: how many of the sources not read have one of these names where they were listed.
    Refusals have {topic} too: the words of the question that no page found holds, if there are any.
    Those that found nothing in a library have {library}: the code of its language, if it is clear.
    """
    texts = {url: _read_text(source, deps) for url, source in run.sources.items() if source.read}
    languages: Counter[str] = Counter()
    for url, source in run.sources.items():
        languages[guess_language(texts.get(url) or _join_listing(source))] += 1
    del languages[""]
    findings: Json = {
        "read": len(texts),
        "unnamed": [],
        "found": len(run.sources),
        "languages": dict(sorted(languages.items())),
    }
    if not is_refusal:
        return findings
    listed = [f"{_join_listing(one)}\n{texts.get(url, '')}" for url, one in run.sources.items()]
    asked = _spell_as_found(run.question, listed)
    findings["unnamed"] = _find_unnamed(asked, list(texts.values()))
    if findings["unnamed"]:
        unread = [one for one in run.sources.values() if one.listings and not one.read]
        findings["naming"] = sum(not _find_unnamed(asked, _list_listings(one)) for one in unread)
    if runs_under(run.rules, "scoring", CAUSE_VERSION):
        findings["topic"] = _find_unnamed_topic(asked, listed)
        if not listed and deps.documents and (language := deps.documents.guess_language()):
            findings["library"] = language
    return findings


def _spell_as_found(question: str, texts: Sequence[str]) -> str:
    """Return an English question in which slips are spelled as several of the sources do."""
    from research_core.text.question_spelling import spell_by_results
    from research_core.text.sentence_meaning import knows_language

    return spell_by_results(question, texts, ()).text if knows_language(question) else question


def _read_text(source: SourceView, deps: Deps) -> str:
    return f"{source.title}\n{deps.log.open(source.page)}"


def _join_listing(source: SourceView) -> str:
    """Return the title and the snippet by which a search listed a source that was not read."""
    return " ".join(f"{each.title} {each.snippet}" for each in source.listings[:1])


def _list_listings(source: SourceView) -> list[str]:
    """Return the title and the snippet of each search result that listed a source."""
    return [f"{each.title} {each.snippet}" for each in source.listings]


def _find_unnamed_topic(question: str, texts: Sequence[str]) -> list[str]:
    """Return the name of the topic if no text holds it, else the topic's words if none holds one.

    A topic has a name where the question is in English and shows it.
    """
    from research_core.llm.offline_planner import list_topic_words, name_topic
    from research_core.text.question_topic import FACET_WORDS
    from research_core.text.similarity import word_root

    if not texts:
        return []
    name = name_topic(question)
    if name:
        return [] if any(_holds_name(text, name) for text in texts) else [name]
    words = [word for word in list_topic_words(question) if word_root(word) not in FACET_WORDS]
    if any(_holds_name(text, word) for word in words for text in texts):
        return []
    return words[:MAX_NAMES]


def _holds_name(text: str, name: str) -> bool:
    """Return True if the words of a name stand near each other in a text, in any form and order."""
    from research_core.text.similarity import word_root
    from research_core.text.words import tokenize

    if name.casefold() in text.casefold():
        return True
    wanted = {word_root(token) for token in tokenize(name)}
    roots = [word_root(token) for token in tokenize(text)]
    width = len(wanted) + MAX_WORDS_BETWEEN
    starts = (place for place, root in enumerate(roots) if root in wanted)
    return any(wanted <= set(roots[max(0, place - width + 1) : place + width]) for place in starts)


def _find_unnamed(question: str, texts: Sequence[str]) -> list[str]:
    """Return the names in an English question that none of the texts holds, as it spells them."""
    from research_core.text.question_topic import find_missing_names, find_topic
    from research_core.text.sentence_meaning import knows_language

    if not texts or not knows_language(question):
        return []
    topic = find_topic(question)
    missing = find_missing_names(topic, texts)
    # A question whose other names are held is not about an unknown thing.
    if len(missing) < len(topic.names):
        return []
    return [_extend_name(question, name) for name in missing[:MAX_NAMES]]


def _extend_name(question: str, name: str) -> str:
    """Return a name with the word for its kind: "Zubrin syndrome"."""
    pattern = rf"\b{re.escape(name)}(?:['’]s)?[ -](?:{_KINDS_OF_THING})\b"
    extended = re.search(pattern, question, re.IGNORECASE)
    return extended[0] if extended else name


@dataclass(frozen=True)
class Refusal:
    """Why there is no report: the reason of the gate, and what was found.

    found: sources; judged: pages that were kept or dropped; minimum: credibility, 0.0 to 1.0;
    web: whether to advise a search of the web; library: the one that was searched, "" for none;
    blocked: sources not read because of their credibility; relevant: kept ones that count; mode:
    its name, "" if it does not matter; needed: sources of a short report.
    """

    question: str
    reason: str
    findings: Mapping[str, Any]
    found: int
    judged: int
    minimum: float
    engines: tuple[str, ...]
    web: bool = True
    library: str = ""
    blocked: int = 0
    relevant: int = 0
    mode: str = ""
    needed: int = 1

    @property
    def in_library_alone(self) -> bool:
        return set(self.engines) <= {LIBRARY_ENGINE}


def read_refusal(report: Report) -> Refusal:
    """Return what explains a missing report."""
    return Refusal(
        report.question,
        report.reason,
        report.page_findings,
        sum(source.status != "struck" for source in report.sources),
        report.funnel["kept"] + report.funnel["dropped"],
        report.settings["credibility"]["minimum"],
        tuple(report.settings["engines"]),
        library=report.settings["library"],
        blocked=sum(one.status == "blocked" and not one.fetched for one in report.sources),
        relevant=report.funnel["kept"] - report.copies,
        mode=report.settings["mode"],
        needed=find_mode(report.settings).min_sources_short_report,
    )


def find_refusal(run: RunView, gate: Gate, findings: Json) -> Refusal:
    """Return what explains a missing report of a run that is not written yet."""
    settings = run.settings
    return Refusal(
        run.question,
        gate.reason,
        findings,
        sum(verdict.status != "struck" for verdict in gate.verdicts),
        gate.total,
        settings.credibility.minimum,
        tuple(settings.engines),
        library=settings.library,
        blocked=sum(
            verdict.status == "blocked" and not run.sources[verdict.url].read
            for verdict in gate.verdicts
        ),
        relevant=len(gate.kept) - gate.copies,
        mode=settings.mode,
        needed=run.mode.min_sources_short_report,
    )


def find_mode(settings: Mapping[str, Any]) -> ResearchMode:
    """Return the research mode of a report with the thresholds of its run."""
    return ResearchMode.from_name(
        settings["mode"],
        sources=settings.get("sources"),
        relevance_cutoff=settings.get("relevance_cutoff"),
        min_full=settings.get("min_full"),
        min_short=settings.get("min_short"),
    )


def lacks_topic(refusal: Refusal) -> bool:
    """Return True if no source found names what the question is about, or has its language.

    Or if nothing was found in a library of another language.
    """
    return bool(_describe_lack(refusal)) and not refusal.findings.get("naming")


def name_cause(refusal: Refusal) -> str:
    """Return the cause in a few words."""
    if refusal.reason in (OFF_TOPIC, BLOCKED, NOTHING_FOUND):
        if _describe_foreign_pages(refusal):
            return _("pages in another language")
        if lacks_topic(refusal):
            return _("nothing on the subject")
    if refusal.reason == OFF_TOPIC:
        return _("no relevant page")
    return gettext(refusal.reason)


def format_cause(refusal: Refusal) -> str:
    """Return that there is no report, with the cause in a few words."""
    return _("No report: {reason}.").format(reason=name_cause(refusal))


def explain_cause(refusal: Refusal) -> str:
    """Return the cause and the next step that fits it."""
    if lack := _describe_lack(refusal):
        return lack
    if refusal.reason == OFF_TOPIC:
        cause = ngettext(
            "{count} page was judged and is not relevant enough.",
            "{count} pages were judged and none is relevant enough.",
            refusal.judged,
        ).format(count=refusal.judged)
        return join_sentences([cause, _advise_places(refusal)])
    if refusal.reason == BLOCKED:
        found = refusal.found
        return ngettext(
            "The only source found is not above your minimum credibility of {minimum}. Lower the"
            " minimum, or include the source by hand.",
            "None of the {count} sources found is above your minimum credibility of {minimum}. Lower the"
            " minimum, or include single sources by hand.",
            found,
        ).format(count=found, minimum=format_number(refusal.minimum, ".2f"))
    if refusal.reason == NOTHING_FOUND and refusal.in_library_alone:
        nothing = _("Nothing in the library matches the question.")
        return join_sentences([nothing, _advise_places(refusal)])
    if refusal.reason == TOO_FEW and refusal.mode:
        return _describe_too_few(refusal)
    return gettext(NO_REPORT_REASONS[refusal.reason])


def _describe_too_few(refusal: Refusal) -> str:
    """Return how many sources are relevant, how many the mode needs, and what to do."""
    said = ngettext(
        "{count} source is about the question, but {mode} mode needs {needed}.",
        "{count} sources are about the question, but {mode} mode needs {needed}.",
        refusal.relevant,
    ).format(count=refusal.relevant, mode=gettext(refusal.mode), needed=refusal.needed)
    if refusal.mode == "quick":
        return join_sentences([said, _("Add sources on the subject, or search more widely.")])
    advice = _("Add sources on the subject, try quick mode, or search more widely.")
    return join_sentences([said, advice])


def _advise_places(refusal: Refusal) -> str:
    """Return where to search instead, and how many sources to add."""
    count = max(1, refusal.needed - refusal.relevant)
    return _choose_advice(refusal, count).format(count=count)


def _choose_advice(refusal: Refusal, count: int) -> str:
    if searches_sample(refusal.engines, refusal.library):
        return _advise_own_library(refusal, count)
    if refusal.in_library_alone and not refusal.web:
        return ngettext(
            "Add a source on the subject to the library.",
            "Add at least {count} sources on the subject to the library.",
            count,
        )
    if refusal.in_library_alone:
        return ngettext(
            "Add a source on the subject to the library, or search the web.",
            "Add at least {count} sources on the subject to the library, or search the web.",
            count,
        )
    return ngettext(
        "Add a source on the subject to the library, or search other places.",
        "Add at least {count} sources on the subject to the library, or search other places.",
        count,
    )


def _advise_own_library(refusal: Refusal, count: int) -> str:
    """Advise where to search instead of the sample library, to which nothing can be added."""
    own = ngettext(
        "Add a source on the subject to your own library and choose that library under “Where to"
        " search”.",
        "Add at least {count} sources on the subject to your own library and choose that library"
        " under “Where to search”.",
        count,
    )
    if not refusal.in_library_alone:
        return own
    if refusal.web:
        own = ngettext(
            "Search the web, or add a source on the subject to your own library and choose that"
            " library under “Where to search”.",
            "Search the web, or add at least {count} sources on the subject to your own library and"
            " choose that library under “Where to search”.",
            count,
        )
    return join_sentences([_("Only the sample library was searched."), own])


def _describe_lack(refusal: Refusal) -> str:
    """Return what all sources lack, most telling first: the language, the names, or the topic.

    "" for a run that ended for another reason.
    """
    if refusal.reason not in (OFF_TOPIC, BLOCKED, NOTHING_FOUND):
        return ""
    findings = refusal.findings
    language = _describe_foreign_pages(refusal)
    if language:
        return language
    if findings.get("unnamed") and refusal.reason == OFF_TOPIC:
        return _describe_unnamed_names(refusal)
    topic = [put_in_quotes(escape_markdown(name)) for name in findings.get("topic", ())]
    if not topic:
        return ""
    found = refusal.found
    if refusal.in_library_alone:
        words = ngettext(
            "The only document found in the library does not name {names}.",
            "None of the {count:,} documents found in the library names {names}.",
            found,
        )
    else:
        words = ngettext(
            "The only source found does not name {names}.",
            "None of the {count:,} sources found names {names}.",
            found,
        )
    said = words.format(count=found, names=_join_alternatives(topic))
    return join_sentences([said, _advise_places(refusal)])


def _describe_foreign_pages(refusal: Refusal) -> str:
    """Return that the pages are in another language than the question, or "".

    Blocked pages must all be, because a lower minimum helps with any other.
    """
    if refusal.reason == NOTHING_FOUND and refusal.in_library_alone:
        return _describe_foreign_library(refusal)
    languages: Mapping[str, int] = refusal.findings.get("languages", {})
    if not languages:
        return ""
    if refusal.reason == BLOCKED and max(languages.values()) < refusal.findings["found"]:
        return ""
    return _describe_language(refusal.question, refusal.findings)


def _describe_foreign_library(refusal: Refusal) -> str:
    """Return that the library in which nothing was found is in another language, or ""."""
    asked, language = guess_language(refusal.question), refusal.findings.get("library", "")
    if not {asked, language} <= LANGUAGE_NAMES.keys() or are_alike(asked, language):
        return ""
    words = _(
        "The documents in the library are in {language}, but the question is in {asked}. Ask in"
        " {language}."
    )
    return words.format(
        language=gettext(LANGUAGE_NAMES[language]), asked=gettext(LANGUAGE_NAMES[asked])
    )


@in_report_language
def describe_unnamed(report: Report) -> str:
    """Return which names of the question no page read holds and what to do, or ""."""
    return _describe_unnamed_names(read_refusal(report))


def _describe_unnamed_names(refusal: Refusal) -> str:
    unnamed = refusal.findings.get("unnamed", ())
    names = [put_in_quotes(escape_markdown(name)) for name in unnamed]
    if not names:
        return ""
    read = refusal.findings["read"]
    if _are_spelled_right(unnamed):
        said = ngettext(
            "The only page read does not mention {names}.",
            "None of the {count:,} pages read mentions {names}.",
            read,
        ).format(count=read, names=_join_alternatives(names))
        unread = _describe_unread(refusal, _join_alternatives(names))
        return join_sentences([said, *unread, _advise_places(refusal)])
    said = ngettext(
        "The only page read does not mention {names}. Check the spelling, use another name, or"
        " search elsewhere.",
        "None of the {count:,} pages read mentions {names}. Check the spelling, use another name, or"
        " search elsewhere.",
        read,
    ).format(count=read, names=_join_alternatives(names))
    return join_sentences([said, *_describe_unread(refusal, _join_alternatives(names))])


def _describe_unread(refusal: Refusal, names: str) -> Iterator[str]:
    """Yield how many sources were not read, and whether their search results have the names.

    That decides whether a lower minimum credibility may help.
    """
    naming = refusal.findings.get("naming")
    if naming is None:
        return
    if naming:
        yield ngettext(
            "{count} source that was not read mentions {names} in its title or snippet.",
            "{count} sources that were not read mention {names} in their titles or snippets.",
            naming,
        ).format(count=naming, names=names)
    elif refusal.blocked:
        yield ngettext(
            "{count} source was not read, because its credibility is not above {minimum}. Its"
            " title and snippet do not mention {names} either.",
            "{count} sources were not read, because their credibility is not above {minimum}."
            " Their titles and snippets do not mention {names} either.",
            refusal.blocked,
        ).format(
            count=refusal.blocked,
            minimum=format_number(refusal.minimum, ".2f"),
            names=names,
        )


def _are_spelled_right(names: Sequence[str]) -> bool:
    """Return True if every word of these names is in the list of English words."""
    from research_core.text.similarity import is_known_word
    from research_core.text.words import tokenize

    words = [word for name in names for word in tokenize(name)]
    return all(is_known_word(word, exactly=True) for word in words)


def _join_alternatives(names: Sequence[str]) -> str:
    """Return "A or B"."""
    joined = names[0]
    for name in names[1:]:
        joined = _("{one} or {other}").format(one=joined, other=name)
    return joined


@in_report_language
def describe_other_language(report: Report) -> str:
    """Return that most pages found are in another language than the question, or "".

    Said only where both languages are clear.
    """
    return _describe_language(report.question, report.page_findings)


def describe_text_language(report: Report) -> str:
    """Return that a model wrote in another language than the question's, or "".

    Said only where both languages are clear, and nothing was asked for beside the question. What
    follows for the check of sentences is said only where their passages are in another language.
    """
    if report.is_quoted or report.instructions or report.decision == "insufficient_data":
        return ""
    sentences = [sentence for block in report.blocks for sentence in block.sentences]
    cited = [sentence.text for sentence in sentences if sentence.citations]
    asked, written = guess_language(report.question), guess_language(" ".join(cited))
    if asked not in LANGUAGE_NAMES or written not in LANGUAGE_NAMES or are_alike(asked, written):
        return ""
    names = {passage for sentence in sentences for passage in sentence.citations}
    passages = [passage for source in report.sources for passage in source.passages]
    quoted = guess_language(" ".join(each.text for each in passages if each.id in names))
    said = _("The text is in {language}, but the question is in {asked}.")
    if quoted and not are_alike(quoted, written):
        said = _(
            "The text is in {language}, but the question is in {asked}. Its sentences are compared"
            " with their sources by words, so most of them may look unsupported."
        )
    return said.format(
        language=gettext(LANGUAGE_NAMES[written]), asked=gettext(LANGUAGE_NAMES[asked])
    )


def _describe_language(question: str, findings: Mapping[str, Any]) -> str:
    asked = guess_language(question)
    languages: Mapping[str, int] = findings.get("languages", {})
    if asked not in LANGUAGE_NAMES or not languages:
        return ""
    most = max(languages, key=lambda language: (languages[language], language))
    if are_alike(asked, most) or most not in LANGUAGE_NAMES:
        return ""
    count, total = languages[most], findings["found"]
    if 2 * count <= total:
        return ""
    words = _(
        "{count} of the {total} pages found are in {language}, but the question is in {asked}. For a"
        " better answer, ask in {language}."
    )
    if count == total:
        words = ngettext(
            "The only page found is in {language}, but the question is in {asked}. For a better"
            " answer, ask in {language}.",
            "The pages found are in {language}, but the question is in {asked}. For a better answer,"
            " ask in {language}.",
            total,
        )
    return words.format(
        count=count,
        total=total,
        language=gettext(LANGUAGE_NAMES[most]),
        asked=gettext(LANGUAGE_NAMES[asked]),
    )
