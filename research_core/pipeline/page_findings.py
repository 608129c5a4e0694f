"""Find what the pages of a run lack: the named thing, or the language of the question.

What is found goes by the whole text of the pages that were read, so it is recorded with the text of
the report (`Report.page_findings`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from research_core.decisions.view import RunView, SourceView
from research_core.i18n import _, gettext, in_report_language, ngettext, put_in_quotes
from research_core.journal.deps import Deps
from research_core.model_messages import Json
from research_core.models import Report
from research_core.text.languages import LANGUAGE_NAMES, are_alike, guess_language
from research_core.text.words import escape_markdown

#: Names that a refusal lists.
MAX_NAMES = 3
#: Words that belong to the name before them.
_KINDS_OF_THING = (
    "act|algorithm|bridge|disease|disorder|effect|island|law|method|mission|principle|process"
    "|project|protocol|river|scale|sign|syndrome|test|theorem|theory|treaty|virus"
)


def find_page_findings(run: RunView, deps: Deps, *, is_refusal: bool) -> Json:
    """Return {read, unnamed, found, languages}: counts of pages, names that no page read holds.

    languages: pages by the code of their language, where that is clear. unnamed: of refusals only.
    """
    texts = {url: _read_text(source, deps) for url, source in run.sources.items() if source.read}
    languages: Counter[str] = Counter()
    for url, source in run.sources.items():
        languages[guess_language(texts.get(url) or _join_listing(source))] += 1
    del languages[""]
    return {
        "read": len(texts),
        "unnamed": _find_unnamed(run.question, list(texts.values())) if is_refusal else [],
        "found": len(run.sources),
        "languages": dict(sorted(languages.items())),
    }


def _read_text(source: SourceView, deps: Deps) -> str:
    return f"{source.title}\n{deps.log.open(source.page)}"


def _join_listing(source: SourceView) -> str:
    """Return the title and the snippet by which a search listed a source that was not read."""
    return " ".join(f"{each.title} {each.snippet}" for each in source.listings[:1])


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


@in_report_language
def describe_unnamed(report: Report) -> str:
    """Return which names of the question no page read holds and what to do, or ""."""
    findings = report.page_findings
    names = [put_in_quotes(escape_markdown(name)) for name in findings.get("unnamed", ())]
    if not names:
        return ""
    read = findings["read"]
    return ngettext(
        "The only page read does not mention {names}. Check the spelling, use another name, or"
        " search elsewhere.",
        "None of the {count:,} pages read mentions {names}. Check the spelling, use another name, or"
        " search elsewhere.",
        read,
    ).format(count=read, names=_join_alternatives(names))


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
    asked = guess_language(report.question)
    languages: Mapping[str, int] = report.page_findings.get("languages", {})
    if asked not in LANGUAGE_NAMES or not languages:
        return ""
    most = max(languages, key=lambda language: (languages[language], language))
    if are_alike(asked, most) or most not in LANGUAGE_NAMES:
        return ""
    count, total = languages[most], report.page_findings["found"]
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
