"""Read a report that somebody else wrote: its sentences, and the sources that each cites.

Reads Markdown and plain text as language models and people write them: numbers in brackets,
footnotes and superscripts with a list of sources; links on words, after a sentence and in tables;
bare addresses; author and year with a list of references; numbers glued to the end of a sentence.
What a chat program leaves behind in place of a citation ("turn0search1") is kept as unresolved.
Nothing is fetched and nothing is judged. Time is linear in the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from research_core.citations.addresses import find_urls, is_plausible_url
from research_core.citations.assertions import is_assertion, names_fact
from research_core.citations.defined_sources import find_defined_sources
from research_core.citations.linter import (
    MAX_NUMBER,
    CitationMark,
    LintedReport,
    ListedSource,
    SourceList,
    blank_non_text,
    lint_report,
)
from research_core.citations.plain_references import find_plain_references
from research_core.citations.source_labels import (
    LABEL_WORDS,
    MAX_CONTEXT,
    SEE_WORDS,
    is_source_label,
    strip_entry_marks,
)
from research_core.citations.uniform_marks import LINK_DEFINITION, unify_marks
from research_core.errors import UsageError
from research_core.text.abbreviations import MONTHS
from research_core.text.languages import detect_language, detect_script, guess_language
from research_core.text.sentences import find_sentences
from research_core.text.words import escape_markdown
from research_core.urls import (
    DOI_PATTERN,
    canonical_url,
    find_doi,
    registered_domain,
)

ClaimKind = Literal["sentence", "cell"]
#: Characters of the longest report that is read.
MAX_REPORT_CHARS = 2_000_000
#: Sources of one report; a report with more is refused.
MAX_WORKS = 10_000
#: The words of a link that are a number ("[[3]](https://…)").
_LINKED_NUMBER = re.compile(r"\W{0,3}([1-9]\d{0,3})\W{0,3}", re.ASCII)


@dataclass(frozen=True)
class CitedWork:
    """A source that a report lists or links.

    key: its canonical address, else its mark ("[3]"); url: as written, "" if the report gives none;
    entry: its line in the list of sources, "" if it is only linked; marks: the numbers and names
    under which the list has it, and those that link to it.
    """

    key: str
    url: str
    entry: str = ""
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReportClaim:
    """A sentence or table cell of a report.

    text: without marks and markup, in one line; line: from 1; heading: the nearest above it; works:
    keys of the cited works, in order; unresolved: marks that lead to no work, as written;
    paragraph: the same for all sentences of one paragraph or item, and only there.
    """

    text: str
    line: int
    kind: ClaimKind
    heading: str = ""
    works: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    paragraph: int = 0


@dataclass(frozen=True)
class CitedReport:
    """claims: in reading order, also those that cite nothing; works: in order of first mention."""

    claims: tuple[ReportClaim, ...]
    works: tuple[CitedWork, ...]

    @property
    def uncited_works(self) -> tuple[CitedWork, ...]:
        """Return the listed works that no claim cites."""
        cited = {key for claim in self.claims for key in claim.works}
        return tuple(work for work in self.works if work.key not in cited)


def find_uncited_facts(report: CitedReport) -> tuple[ReportClaim, ...]:
    """Return the claims that state a figure, a date or a name, and cite nothing."""
    language = guess_language(" ".join(claim.text for claim in report.claims))
    found: list[ReportClaim] = []
    for claim in report.claims:
        if claim.works or claim.unresolved:
            continue
        if is_assertion(claim.text, language) and names_fact(claim.text, language):
            found.append(claim)
    return tuple(found)


def format_claims(report: CitedReport) -> str:
    """Format the sentences with their sources as Markdown, then the facts without a source."""
    urls = {work.key: work.url or work.key for work in report.works}
    cited: list[str] = []
    lost: list[str] = []
    for claim in report.claims:
        if claim.works:
            sources = ", ".join(urls[key] for key in claim.works)
            cited.append(f"- line {claim.line}: {escape_markdown(claim.text)} ({sources})")
        if claim.unresolved:
            marks = ", ".join(f"`{mark.replace('`', '%60')}`" for mark in claim.unresolved)
            lost.append(f"- line {claim.line}: {escape_markdown(claim.text)} ({marks})")
    uncited = [
        f"- line {claim.line}: {escape_markdown(claim.text)}"
        for claim in find_uncited_facts(report)
    ]
    lines: list[str] = []
    for heading, items in (
        ("Sentences with a source", cited),
        ("Sentences whose source is missing", lost),
        ("Figures, dates and names without a source", uncited),
    ):
        if items:
            lines += ["", f"**{heading}**: {len(items):,}", "", *items]
    return "\n".join(lines[1:] or ["The report has no sentence that cites a source."]) + "\n"


def read_cited_report(text: str) -> CitedReport:
    """Read the claims and cited works of a report in Markdown or plain text.

    Raises UsageError for a text above MAX_REPORT_CHARS or with more than MAX_WORKS sources.
    """
    if len(text) > MAX_REPORT_CHARS:
        raise UsageError(
            f"The report has {len(text):,} characters; at most {MAX_REPORT_CHARS:,} are read.",
            next_step="Split it and check the parts.",
        )
    text = unify_marks(text)
    linted = lint_report(text)
    lines = blank_non_text(text).split("\n")
    lists = [*linted.lists, *find_plain_references(lines, _find_list_lines(linted.lists))]
    lists += find_defined_sources(lines, _find_list_lines(lists))
    works = _Works()
    for found in lists:
        for entry in found.entries:
            works.add_entry(entry)
    body = _blank_lists(lines, lists)
    works.parts = _find_parts(body, linted.marks, works.defined)
    _find_linked_numbers(body, works)
    references = _drop_overlapping(_find_references(body, lines, linted, works))
    count = len(works.by_key)
    if len(linted.urls) > MAX_WORKS:
        # Entries numbered above 9999 are not read, so that `by_key` lacks their works.
        count = max(count, len(set(map(_normalize, linted.urls))))
    if count > MAX_WORKS:
        raise UsageError(
            f"The report names {count:,} sources; at most {MAX_WORKS:,} are checked.",
            next_step="Split it and check the parts.",
        )
    claims = tuple(_read_claims(body, references))
    unused = works.spellings.difference(*(claim.works for claim in claims))
    kept = (work for key, work in works.by_key.items() if work.entry or key not in unused)
    return CitedReport(claims, tuple(kept))


# ---------------------------------------------------------------- works


@dataclass
class _Works:
    """The works found so far.

    by_mark: the key of the work that a list has under a mark, the first if several have one;
    defined: the lines of all entries with a mark, from 1, and the keys of their works; parts: of a
    report with several lists; linked: the keys of the works that links with a number as their words
    lead to; places: the lines of `defined` in order, kept once a mark was looked up; spellings: the
    addresses of links that are those of listed works, but for the host.
    """

    by_key: dict[str, CitedWork] = field(default_factory=dict)
    by_mark: dict[str, str] = field(default_factory=dict)
    defined: dict[str, dict[int, str]] = field(default_factory=dict)
    parts: Sequence[_Part] = ()
    linked: dict[str, set[str]] = field(default_factory=dict)
    places: dict[str, list[int]] = field(default_factory=dict)
    spellings: set[str] = field(default_factory=set)
    entries: list[tuple[str, str]] = field(default_factory=list)

    def add_entry(self, entry: ListedSource) -> None:
        url = next(filter(is_plausible_url, entry.urls), "") or find_identifier_url(entry.text)
        marks = (entry.id,) if entry.id else ()
        words = strip_entry_marks(entry.text, marks)
        if not url and self.entries and _SAME_WORK.fullmatch(words):
            key = self.entries[-1][0]
        else:
            key = _normalize(url) if url else (f"[{entry.id}]" if entry.id else entry.text[:200])
            known = self.by_key.get(key)
            self.by_key[key] = CitedWork(key, url, entry.text, known.marks if known else ())
            self.entries.append((key, entry.text))
        for mark in marks:
            self._add_mark(key, mark)
            self.by_mark.setdefault(mark, key)
            self.defined.setdefault(mark, {})[entry.line] = key

    def add_linked_number(self, key: str, words: str) -> None:
        """Keep the number whose link leads to a work, if the words of the link are one.

        It is no key of `by_mark`: another link may have the same number and another address.
        """
        found = _LINKED_NUMBER.fullmatch(words)
        if found and int(found[1]) <= MAX_NUMBER:
            self._add_mark(key, found[1])

    def find_marked(self, mark: str, line: int, blank_lines: Sequence[int]) -> str:
        """Return the key of the work that a mark in a line leads to, "" if it leads to none.

        Where several entries have the mark, that right below its paragraph counts, else that of
        its part of the report, else the first. A number without an entry leads where all links with
        this number do. Lines are from 1.
        """
        defined = self.defined.get(mark, {})
        if len(defined) > 1:
            places = self.places.setdefault(mark, sorted(defined))
            below = bisect_right(places, line)
            end = bisect_right(blank_lines, line)
            is_last = end == len(blank_lines)
            if below < len(places) and (is_last or places[below] < blank_lines[end]):
                return defined[places[below]]
            part = self._find_part(line)
            if part is not None and mark in part.entries:
                return defined[part.entries[mark]]
        linked = self.linked.get(mark, set())
        if mark in self.by_mark or len(linked) != 1:
            return self.by_mark.get(mark, "")
        return self.add_url(next(iter(linked)))

    def leads_to_other(self, marks: Sequence[str], keys: Sequence[str], url: str) -> bool:
        """Return whether the link of a mark leads to another work than the entries of the mark.

        keys: of the works of these entries. The link of a mark often leads to a redirect, or to the
        page of a DOI. So its address only counts if it is that of another entry, or if another link
        with the same number leads to the address of the entry.
        """
        other = _normalize(url)
        path = _SITE_PART.sub("", other)
        if other in keys or any(_SITE_PART.sub("", key) == path for key in keys):
            return False
        if other in self.by_key and self.by_key[other].entry:
            return True
        return any(not self.linked.get(mark, set()).isdisjoint(keys) for mark in marks)

    def _find_part(self, line: int) -> _Part | None:
        """Return the part of the report that a line is in, None if it has no list of its own."""
        place = bisect_left(self.parts, line, key=lambda part: part.end)
        if place < len(self.parts) and self.parts[place].start < line:
            return self.parts[place]
        return None

    def _add_mark(self, key: str, mark: str) -> None:
        work = self.by_key[key]
        self.by_key[key] = replace(work, marks=tuple(dict.fromkeys((*work.marks, mark))))

    def add_spelling(self, keys: Sequence[str], other: str) -> None:
        """Keep the address of a link if it is that of one of the works, but for the host."""
        if any(_SITE_PART.sub("", key) == _SITE_PART.sub("", other) for key in keys):
            self.spellings.add(other)

    def add_url(self, url: str) -> str:
        """Return the key of the work at an address, new or listed."""
        key = _normalize(url)
        self.by_key.setdefault(key, CitedWork(key, url))
        return key


@dataclass(frozen=True)
class _Part:
    """A part of a report with a list of sources at its end.

    start, end: the lines around its text, from 1; entries: the lines of the entries of its list, by
    mark.
    """

    start: int
    end: int
    entries: Mapping[str, int]


def _find_parts(
    body: str, marks: Sequence[CitationMark], defined: Mapping[str, Mapping[int, str]]
) -> Sequence[_Part]:
    """Return the parts of a report that begins to number its sources anew, in order.

    These are chapters, or the answers of a conversation. A part has an entry for each of its marks
    that any list has. defined: the lines of the entries of each mark, from 1.
    """
    if all(len(lines) < 2 for lines in defined.values()):
        return ()
    found = [(line, mark, True) for mark, lines in defined.items() for line in lines]
    for mark in marks:
        if body[mark.start : mark.start + len(mark.text)].strip():
            found += [(mark.line, id, False) for id in mark.ids if id in defined]
    parts: list[_Part] = []
    start = last_entry = 0
    asked: set[str] = set()
    entries: dict[str, int] = {}
    for line, mark_id, is_entry in [*sorted(found), (len(body), "", False)]:
        if is_entry:
            entries.setdefault(mark_id, line)
            last_entry = line
            continue
        if entries:  # the text of the next part begins
            if asked <= entries.keys():
                parts.append(_Part(start, min(entries.values()), entries))
            start, asked, entries = last_entry, set(), {}
        asked.add(mark_id)
    return parts


_SITE_PART = re.compile(r"^https?://[^/?#]*")
#: A note on the work of the note before it, with or without a page.
_SAME_WORK = re.compile(
    r"\W*(?:ibid(?:em)?|ib|ibíd(?:em)?|íd(?:em)?|idem|id|ebd|ebenda|там же)\b\.?(?:,?\s?(?:at |pp?\.|S\.|с\.|§)?\s?[\divxlc–-]{1,9})?\W*",
    re.IGNORECASE,
)


def find_identifier_url(text: str) -> str:
    """Return the address of the first DOI, arXiv or PubMed number of a reference, or ""."""
    for pattern, address in _IDENTIFIERS:
        found = pattern.search(text)
        if found:
            return address + (find_doi(found[1]) or found[1])
    return ""


_IDENTIFIERS = (
    (re.compile(rf"({DOI_PATTERN.pattern})", re.ASCII), "https://doi.org/"),
    (
        re.compile(
            r"\barxiv[:\s]\s?((?:\d{4}\.\d{4,5}|[a-z-]{2,12}/\d{7})(?:v\d)?)", re.IGNORECASE
        ),
        "https://arxiv.org/abs/",
    ),
    (re.compile(r"\bPMID:?\s?(\d{4,8})\b"), "https://pubmed.ncbi.nlm.nih.gov/"),
    (re.compile(r"\b(PMC\d{4,9})\b"), "https://pmc.ncbi.nlm.nih.gov/articles/"),
)


def _normalize(url: str) -> str:
    try:
        return canonical_url(url)
    except ValueError:
        return url


def _find_list_lines(lists: Sequence[SourceList]) -> set[int]:
    """Return the numbers of the lines of lists of sources, from 0."""
    numbers: set[int] = set()
    for found in lists:
        numbers.update(range(found.first, found.end))
        numbers.update(entry.line - 1 for entry in found.entries)
    return numbers


def _blank_lists(text_lines: Sequence[str], lists: Sequence[SourceList]) -> str:
    """Replace the lists of sources by spaces; offsets stay."""
    lines = list(text_lines)
    for number in _find_list_lines(lists):
        lines[number] = " " * len(lines[number])
    for number, line in enumerate(lines):
        if LINK_DEFINITION.match(line):
            lines[number] = " " * len(line)
    return "\n".join(lines)


# ---------------------------------------------------------------- references in the text


@dataclass(frozen=True)
class _Reference:
    """A citation in the text: text[start:end] is replaced by `words`."""

    start: int
    end: int
    works: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()
    words: str = ""


#: An address may contain round brackets, nested once.
_TARGET = r"<[^<>\n]{1,2000}>|(?:[^\s()<>]|\([^\s()<>]{0,200}\)){0,2000}"
#: A title of a link, in quotation marks or brackets.
_TITLE = r"(?:[\"“](?:[^\n\"”\\]|\\.){0,300}[\"”]|'(?:[^\n'\\]|\\.){0,300}'|\([^()\n]{0,300}\))"
_LINK = re.compile(
    rf"(?P<image>!?)\[(?P<words>(?:[^\[\]\n]|\[[^\[\]\n]{{0,60}}\]){{0,400}})\]"
    rf"\(\s*+(?P<target>{_TARGET})(?:\s+{_TITLE})?\s*+\)"
)
#: What stands between the links of one bracket, which holds only links: these name sources.
MAX_BETWEEN = 12
_OPENING, _CLOSING = ("(", "（", "["), (")", "）", "]")
_BETWEEN_LINKS = re.compile(r"\s{0,4}(?:[,;、|+]|and|und|et|y)?\s{0,4}")
#: What chat programs leave in place of a citation that their own screen would show.
_REMAINS = re.compile(
    r"[\ue200-\ue20f]?(?:file)?cite[\ue200-\ue20f]?(?:turn\d{1,3}[a-z]{2,20}\d{1,4}[\ue200-\ue20f]?){1,20}"
    r"|[\[【(]?\bturn\d{1,3}[a-z]{2,20}\d{1,4}\b(?:[†:][^\s\]】)]{0,40})?[\]】)]?"
    r"|:contentReference\[oaicite:[^\]\n]{0,20}\](?:\{[^}\n]{0,40}\})?"
    r"|【(?:oaicite:[^】\n]{0,40}|\d{1,4}:\d{1,4}(?:†[^】\n]{0,80})?)】"
    r"|\[(?:web|file|post|memory|image|attached_file|doc|chunk|source):\s?\d{1,4}(?:,\s?(?:\w{3,20}:\s?)?\d{1,4}){0,20}\]"
    r"|\[cite(?:_start|:\s?[\d,\s]{1,40})\]"
    # keys of a bibliography that the text does not have
    r"|\[@[\w:.+-]{2,60}(?:[;,]\s?@[\w:.+-]{2,60}){0,20}\](?!\()"
)
#: A mark that is a link: its own address, which leads where the mark does.
_LINK_TAIL = re.compile(rf"\]?\(\s*+(?P<target>{_TARGET})(?:\s+{_TITLE})?\s*+\)")
#: Words of a link that name its source and say nothing: a number, a host, "source".
_SOURCE_WORDS = re.compile(
    r"\W*(?:\d{1,4}|(?:https?://|www\.)\S*|[\w-]+(?:\.[\w-]+){1,4}(?:/\S*)?|\+\d{1,3}"
    r"|sources?|links?|ref(?:erence)?s?|read more|see (?:more|source)|via|quellen?|fuentes?|来源|出典|المصدر"
    r"|oai_citation:.{0,80})?\W*",
    re.IGNORECASE,
)
_GLUED_NUMBER = re.compile(
    r"(?:(?<=[^\W\d_][.!?。”\"')])|(?<=[%)\]][.!?。])|(?<=\b(?:19|20)\d\d[.!?]))"
    r"(\d{1,3})(?=\s+[^\s\da-z]|\s*$)",
    re.MULTILINE,
)


def _find_linked_numbers(body: str, works: _Works) -> None:
    """Keep the addresses of links with a number as their words, by the number."""
    for found in _LINK.finditer(body):
        number = _LINKED_NUMBER.fullmatch(found["words"])
        target = found["target"].strip("<>")
        if number and not found["image"] and is_plausible_url(target):
            works.linked.setdefault(number[1], set()).add(_normalize(target))


def _find_references(
    body: str, lines: Sequence[str], linted: LintedReport, works: _Works
) -> Iterator[_Reference]:
    """Yield everything in the text that cites, in any order; they may overlap."""
    yield from _find_marks(body, lines, linted, works)
    yield from _find_links(body, works)
    for found in _REMAINS.finditer(body):
        yield _Reference(found.start(), found.end(), (), (found[0].strip("[]【】()"),))
    images = [found.span() for found in _LINK.finditer(body) if found["image"]]
    for start, url in find_urls(body):
        if is_plausible_url(url) and not _is_within(start, images):
            end = start + len(url)
            enclosed = body[start - 1 : start] == "<" and body[end : end + 1] == ">"
            yield _Reference(start - enclosed, end + enclosed, (works.add_url(url),))
    yield from _find_author_years(body, works)
    if not linted.marks:
        yield from _find_glued_numbers(body, works)
        yield from _find_round_numbers(body, works)


def _is_within(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Return True if an offset is in one of the spans, which are in order."""
    place = bisect_right(spans, (at, at)) - 1
    return place >= 0 and at < spans[place][1]


def _find_marks(
    body: str, lines: Sequence[str], linted: LintedReport, works: _Works
) -> Iterator[_Reference]:
    blank_lines = [number for number, line in enumerate(lines, 1) if not line.strip()]
    for mark in linted.marks:
        start, end = mark.start, mark.start + len(mark.text)
        if not body[start:end].strip():
            continue
        tail = _LINK_TAIL.match(body, end)
        url = ""
        if tail:
            url = tail["target"].strip("<>")
            is_nested = tail[0].startswith("]")
            if is_nested == body.startswith("[", start - 1):
                start, end = start - is_nested, tail.end()
        found = {id: works.find_marked(id, mark.line, blank_lines) for id in mark.ids}
        keys = [key for key in found.values() if key]
        lost = [f"[{id}]" for id, key in found.items() if not key]
        if is_plausible_url(url) and (
            lost or _lead_elsewhere(keys, url) or works.leads_to_other(mark.ids, keys, url)
        ):
            keys, lost = [works.add_url(url)], []
            works.add_linked_number(keys[0], mark.text)
        elif is_plausible_url(url):
            works.add_spelling(keys, _normalize(url))
        yield _Reference(start, end, tuple(dict.fromkeys(keys)), tuple(lost))


def _lead_elsewhere(keys: Sequence[str], url: str) -> bool:
    """Return whether the link of a mark leads to another site than the works of a list.

    The list may name the DOI of a page that the link opens, or the other way round.
    """
    try:
        sites = {registered_domain(key) for key in keys if "://" in key}
        site = registered_domain(_normalize(url))
    except ValueError:
        return False
    return bool(sites) and site not in sites and "doi.org" not in (*sites, site)


def _find_links(body: str, works: _Works) -> Iterator[_Reference]:
    links = list(_LINK.finditer(body))
    for start, end, group in _find_links_in_brackets(body, links):
        urls = [found["target"].strip("<>") for found in group]
        keys = [works.add_url(url) for url in urls if is_plausible_url(url)]
        if len(keys) == len(urls):
            yield _Reference(start, end, tuple(dict.fromkeys(keys)))
    for found in links:
        target = found["target"].strip("<>")
        if found["image"]:
            yield _Reference(found.start(), found.end())
        elif target.lower().startswith(("http://", "https://")):
            words = found["words"]
            yield _link_reference(body, found.start(), found.end(), words, target, works)
        elif find_identifier_url(target):
            url = find_identifier_url(target)
            yield _link_reference(body, found.start(), found.end(), found["words"], url, works)
        elif ":" in target.partition("/")[0] or not target:
            scheme = target.partition(":")[0].lower()
            lost = () if scheme in ("mailto", "tel", "doi") else (target[:200] or "()",)
            yield _Reference(found.start(), found.end(), (), lost, found["words"])
        else:  # an anchor or a file beside the report
            yield _Reference(found.start(), found.end(), (), (), found["words"])


def _find_links_in_brackets(
    body: str, links: Sequence[re.Match[str]]
) -> Iterator[tuple[int, int, list[re.Match[str]]]]:
    """Yield the place of each bracket that holds only links, and the links."""
    group: list[re.Match[str]] = []
    for found in links:
        between = body[group[-1].end() : found.start()][:MAX_BETWEEN] if group else ""
        if group and not _BETWEEN_LINKS.fullmatch(between):
            group = []
        group.append(found)
        before = body[max(0, group[0].start() - 3) : group[0].start()]
        after = body[found.end() : found.end() + 3]
        if before.rstrip()[-1:] in _OPENING and after.lstrip()[:1] in _CLOSING:
            start = group[0].start() - len(before) + len(before.rstrip()) - 1
            yield start, found.end() + len(after) - len(after.lstrip()) + 1, group
            group = []


def _link_reference(
    body: str, start: int, end: int, words: str, url: str, works: _Works
) -> _Reference:
    """Build the citation of a link; words that only name its source are left out of the claim."""
    cited = (works.add_url(url),) if is_plausible_url(url) else ()
    for key in cited:
        works.add_linked_number(key, words)
    lost = () if cited else (url[:200],)
    if _SOURCE_WORDS.fullmatch(words) or _LABEL.match(words):
        words = ""
    else:
        before = body[max(0, start - MAX_CONTEXT) : start].rpartition("\n")[2]
        after = body[end : end + MAX_CONTEXT].partition("\n")[0]
        if is_source_label(words, url, before, after):
            words = ""
    return _Reference(start, end, cited, lost, words)


def _find_glued_numbers(body: str, works: _Works) -> Iterator[_Reference]:
    """Yield numbers glued to the ends of sentences ("…was sold.3"), if a list has all of them."""
    found = list(_GLUED_NUMBER.finditer(body))
    if len(found) >= 2 and all(each[1] in works.by_mark for each in found):
        for each in found:
            yield _Reference(each.start(), each.end(), (works.by_mark[each[1]],))


#: Numbers of one range that are looked up; no list has longer ones.
MAX_ROUND_RANGE = 50
#: Numbers in round brackets at the end of a sentence or clause: "(1)", "(2, 4-6)".
_ROUND_NUMBERS = re.compile(
    r"(?<=\w|[%％\"”’»)])\s?[(（](\d{1,3}(?:\s?[,，、;–-]\s?\d{1,3}){0,20})[)）](?=\s?[.,;:。，；]|\s*$)",
    re.MULTILINE,
)


def _find_round_numbers(body: str, works: _Works) -> Iterator[_Reference]:
    """Yield numbers in round brackets, if there are several and a list has all of them."""
    found: list[_Reference] = []
    for mark in _ROUND_NUMBERS.finditer(body):
        keys: list[str] = []
        for part in re.split(r"\s?[,，、;]\s?", mark[1]):
            first, _, last = re.sub(r"\s?[–-]\s?", "-", part).partition("-")
            numbers = range(int(first), int(last or first) + 1)[:MAX_ROUND_RANGE]
            keys += [works.by_mark.get(str(number), "") for number in numbers or (0,)]
        if not all(keys):
            return
        found.append(_Reference(mark.start(), mark.end(), tuple(dict.fromkeys(keys))))
    if len(found) >= 2:
        yield from found


# ---------------------------------------------------------------- author and year

_YEAR = r"(?:1[89]|20)\d\d[a-z]?"
_FIRST_YEAR = re.compile(rf"\b{_YEAR}\b")
_SURNAME = r"[^\W\d_][\w’'-]{1,40}"
_ASIDE = re.compile(rf"[(（]([^()（）\n]{{0,300}}?\b{_YEAR}[^()（）\n]{{0,60}})[)）]")
_AUTHOR_YEAR = re.compile(
    rf"(?P<name>{_SURNAME})(?:(?:,| and| &| et| und| y| e)?\s+[^;\d]{{0,120}}?)?,?\s*\(?(?P<year>{_YEAR})\b"
)
_NARRATIVE = re.compile(
    rf"(?P<name>(?-i:[A-Z\u00c0-\u00de])[\w’'-]{{1,40}})(?:\s(?:et al\.?|and|&|und|y|e|et)(?:\s(?-i:[A-Z\u00c0-\u00de])[\w’'-]{{1,40}})?)?"
    rf"\s\((?P<year>{_YEAR})(?:,[^()\n]{{0,40}})?\)"
)


def _find_author_years(body: str, works: _Works) -> Iterator[_Reference]:
    """Yield "(Smith, 2020; Lee & Kim, 2021)" and "Smith et al. (2020)" whose works are listed."""
    listed = _index_author_years(works.entries)
    if not listed:
        return
    for aside in _ASIDE.finditer(body):
        keys: list[str] = []
        for part in aside[1].split(";"):
            for found in _AUTHOR_YEAR.finditer(part):
                keys += _look_up(listed, found["name"], found["year"])
        if keys:
            yield _Reference(aside.start(), aside.end(), tuple(dict.fromkeys(keys)))
    for found in _NARRATIVE.finditer(body):
        keys = _look_up(listed, found["name"], found["year"])
        if keys:
            words = found[0][: found[0].rindex("(")].rstrip()
            yield _Reference(found.start(), found.end(), tuple(keys), (), words)


def _index_author_years(entries: Sequence[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    """Return the work of each first author's surname with each year of its entry."""
    listed: dict[tuple[str, str], str] = {}
    for key, text in entries:
        year_at = _FIRST_YEAR.search(text, 0, 120)
        before = re.findall(_SURNAME, text[: year_at.start()]) if year_at else []
        names = (before or re.findall(_SURNAME, text[:120]))[:3]
        for year in re.findall(rf"\b{_YEAR}\b", text):
            for name in names:
                listed.setdefault((name.casefold(), year), key)
    return listed


def _look_up(listed: Mapping[tuple[str, str], str], name: str, year: str) -> list[str]:
    key = listed.get((name.casefold(), year)) or listed.get((name.casefold(), year[:4]))
    return [key] if key else []


# ---------------------------------------------------------------- claims


def _drop_overlapping(found: Iterator[_Reference]) -> list[_Reference]:
    """Return the references in order; of overlapping ones the first, of these the longest."""
    kept: list[_Reference] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


#: What is left where citations in brackets, or several in a row, were removed.
_EMPTY_BRACKETS = re.compile(
    rf"[(（\[【]\s{{0,4}}(?:{LABEL_WORDS}\s?[:：]\s?|{SEE_WORDS}"
    r"(?=\s{0,4}[)）\]】]))?"
    r"(?:[;,、&\s]|and\b|und\b|et\b|y\b){0,40}+[)）\]】]|<sup>\s{0,8}</sup>",
    re.IGNORECASE,
)
_SOURCE_LINE = re.compile(rf"[\W_]*+(?:{LABEL_WORDS}[\W_]*+)?", re.IGNORECASE)
#: A label before the sources of the sentence in front of it, and one left at the end of a sentence.
_LABEL = re.compile(
    rf"[(（\[*_\s]{{0,6}}(?:{LABEL_WORDS}[*_]{{0,3}}\s?(?P<colon>[:：])|{SEE_WORDS}(?=\s|$))"
    r"[*_\s]{0,6}",
    re.IGNORECASE,
)
_LABEL_LEFT = re.compile(
    rf"(?<=[.!?;,。–—-])\s{{0,4}}(?:{LABEL_WORDS}\s?[:：]|{SEE_WORDS}"
    r"(?=[\s.]|$))\s{0,4}\.?$",
    re.IGNORECASE,
)
_HEADING_LINE = re.compile(
    r"\s{0,3}#{1,6}\s+(?P<words>.*)|\s*\*\*(?P<bold>[^*\n]{1,120})\*\*:?\s*$"
)
_TABLE_RULE = re.compile(r"[\s|:-]+$")
#: Stands for the line break of a sentence that goes on in the next line.
_WRAP = "\v"
#: Characters of a line from which a sentence without an end goes on in the next.
LEAST_WRAPPED_CHARS = 60
_STARTS_BLOCK = re.compile(r"\s{0,3}(?:#{1,6}\s|\||```|~~~|[-=*_]{3,}\s*$)")
_ENDS_SENTENCE = re.compile(r"[.!?:;。！？؟।…][\"'”’»)\]*_]*$")
_ITEM_LEAD = re.compile(r"\s*(?:[-*+•‣◦▪●–]\s+|\d{1,3}[.)]\s+)?")
_POINTED_DATE = re.compile(r"(\s{0,20})\d{1,2}\.\s([^\W\d_]{3,12})\.?\s(?:1[5-9]|20)\d\d\b")
_EMPHASIS = re.compile(
    r"\*{1,3}|(?<!\w)_{1,2}(?=\S)|(?<=\S)_{1,2}(?!\w)|</?(?:sup|sub|b|i|em|strong|u|cite|a|br|center|details|div|font|li|mark|ol|p|small|span|summary|ul)"
    r"\b[^<>]{0,300}>"
)


@dataclass
class _Draft:
    """A claim while its citations are collected. block: the number of its paragraph or item."""

    text: str
    line: int
    kind: ClaimKind
    heading: str
    block: int
    works: list[str] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)

    def cite(self, one: _Reference) -> None:
        self.works += one.works
        self.unresolved += one.unresolved

    def finish(self) -> ReportClaim:
        return ReportClaim(
            self.text,
            self.line,
            self.kind,
            self.heading,
            tuple(dict.fromkeys(self.works)),
            tuple(dict.fromkeys(self.unresolved)),
            # The blocks of cells are counted apart.
            -self.block if self.kind == "cell" else self.block,
        )


def _read_claims(body: str, references: Sequence[_Reference]) -> Iterator[ReportClaim]:
    """Yield the claims of the text, each with the references in it and right behind it."""
    text, places = _remove_references(body, references)
    text = _join_wrapped_lines(text)
    language = guess_language(" ".join(text.split()))
    script = detect_script(text)
    drafts: list[_Draft] = []
    heading, block, table = "", 0, _Table()
    position = 0
    next_place = 0
    line_number, next_number = 0, 1
    for line in text.split("\n"):
        line_number, next_number = next_number, next_number + 1 + line.count(_WRAP)
        start, end = position, position + len(line)
        position = end + 1
        cited: list[tuple[int, _Reference]] = []
        while next_place < len(places) and places[next_place][0] <= end:
            offset, one = places[next_place]
            cited.append((offset - start, one))
            next_place += 1
        if line.lstrip().startswith("|"):
            drafts += table.read_row(line, cited, line_number, heading)
            continue
        table = _Table()
        found = _HEADING_LINE.match(line)
        if found and not (found["bold"] and cited):
            heading = _plain(found["words"] or found["bold"] or "")
            continue
        if not line.strip():
            block += not cited
        is_below = bool(drafts) and (drafts[-1].block, drafts[-1].heading) == (block, heading)
        if _is_source_line(line, cited) or (is_below and _is_attribution(line, cited)):
            _cite_block_above(drafts, [one for _, one in cited])
            continue
        if _find_item_lead(line).strip():
            block += 1
        line_language = _find_line_language(line, language, script)
        drafts += _read_line(line, cited, line_number, heading, block, line_language)
    return (draft.finish() for draft in drafts)


def _join_wrapped_lines(text: str) -> str:
    """Put _WRAP in place of each line break inside a sentence; offsets stay."""
    lines = text.replace(_WRAP, " ").split("\n")
    parts = lines[:1]
    for before, line in pairwise(lines):
        parts += (_WRAP if _goes_on(before, line) else "\n", line)
    return "".join(parts)


def _goes_on(before: str, line: str) -> bool:
    """Return True if a line goes on with the sentence of the line before it.

    Short lines are titles and addresses; these only go on in small letters.
    """
    if not before.strip() or not line.strip() or before.endswith("  "):
        return False
    if any(_STARTS_BLOCK.match(one) for one in (before, line)) or _HEADING_LINE.match(before):
        return False
    if _find_item_lead(line).strip() or _SOURCE_LINE.fullmatch(line):
        return False
    if _ENDS_SENTENCE.search(before.rstrip()):
        return False
    date = _POINTED_DATE.match(line)
    if date and date[2].lower() in MONTHS:
        return before.rstrip()[-8:].split()[-1].islower()
    return line.lstrip()[0].islower() or len(before) >= LEAST_WRAPPED_CHARS


def _is_source_line(line: str, cited: Sequence[tuple[int, _Reference]]) -> bool:
    """Return True if a line holds nothing but citations, with or without a label before them."""
    if _SOURCE_LINE.fullmatch(line):
        return True
    bare = line
    for offset, one in reversed(cited):
        bare = bare[: offset - len(one.words)] + bare[offset:]
    return bare[:1].strip() != "" and bare[0].isalpha() and bool(_SOURCE_LINE.fullmatch(bare))


def _is_attribution(line: str, cited: Sequence[tuple[int, _Reference]]) -> bool:
    """Return True if a line is a label with a source in words and its citation."""
    rest = line[_skip_attribution(line, 0, len(line), cited) :]
    return not re.search(r"[^\W_]", rest)


def _remove_references(
    body: str, references: Sequence[_Reference]
) -> tuple[str, list[tuple[int, _Reference]]]:
    """Return the text without citations, and where in it each citation stood."""
    parts: list[str] = []
    places: list[tuple[int, _Reference]] = []
    length = done = 0
    for one in references:
        for part in (body[done : one.start], one.words):
            parts.append(part)
            length += len(part)
        places.append((length, one))
        done = one.end
    parts.append(body[done:])
    return "".join(parts), places


def _cite_block_above(drafts: Sequence[_Draft], cited: Sequence[_Reference]) -> None:
    """Let a line that holds only sources cite for the paragraph or item above it.

    They count for each of its sentences that cites nothing, or else for its last sentence.
    """
    if not drafts or not cited:
        return
    last = drafts[-1]
    above: list[_Draft] = []
    for draft in reversed(drafts):
        if draft.block != last.block or draft.kind != last.kind:
            break
        if not draft.works and not draft.unresolved:
            above.append(draft)
    for draft in above or [last]:
        for one in cited:
            draft.cite(one)


def _find_line_language(line: str, language: str, script: str) -> str:
    """Return the language of a line; that of the report if the line does not show its own.

    A short line ("Umsatz im 3. Quartal") says too little to be guessed by itself.
    """
    own = detect_language(line)
    if own or detect_script(line) not in (script, ""):
        return own
    return language


def _read_line(
    line: str,
    cited: Sequence[tuple[int, _Reference]],
    number: int,
    heading: str,
    block: int,
    language: str,
) -> list[_Draft]:
    """Return the sentences of a line with the citations in and right behind each."""
    drafts: list[_Draft] = []
    starts: list[int] = []
    spans = find_sentences(line.replace(_WRAP, " "), language)
    next_starts = [*(start for start, _ in spans[1:]), len(line) + 1]
    offsets = [offset for offset, _ in cited]
    for (start, end), next_start in zip(spans, next_starts, strict=True):
        if drafts:
            inside = cited[bisect_left(offsets, start) : bisect_left(offsets, next_start)]
            start = min(end, _skip_attribution(line, start, end, inside))
        words = _plain(line[start:end])
        if re.search(r"[^\W\d_]", words):
            place = number + line.count(_WRAP, 0, start)
            drafts.append(_Draft(words, place, "sentence", heading, block))
            starts.append(start)
    for offset, one in cited:
        before = len(line[:offset].rstrip(" \t(（[;,")) - 1
        place = max(0, bisect_right(starts, before) - 1)
        if drafts:
            drafts[place].cite(one)
    return drafts


def _skip_attribution(
    line: str, start: int, end: int, cited: Sequence[tuple[int, _Reference]]
) -> int:
    """Return where a sentence begins behind a label with the sources of the one before it.

    "Source: https://…" ends behind its citations; "Source: the office, https://…" is no sentence
    at all. Any other sentence begins at its start.
    """
    label = _LABEL.match(line, start, end)
    if not label or not cited or cited[0][0] < len(label[0].rstrip()) + start:
        return start
    at = label.end()
    found = False
    for offset, one in cited:
        between = line[at : max(at, offset - len(one.words))]
        if len(between) > MAX_BETWEEN or not _BETWEEN_LINKS.fullmatch(between):
            break
        at = max(at, offset)
        found = True
    if found:
        return start if line[at:end].lstrip()[:1].islower() else at
    is_last = not re.search(r"[^\W_]", line[cited[-1][0] : end])
    return end if label["colon"] and is_last else start


@dataclass
class _Table:
    """The table that is being read. columns: the words of its first row."""

    columns: list[str] = field(default_factory=list)

    def read_row(
        self, line: str, cited: Sequence[tuple[int, _Reference]], number: int, heading: str
    ) -> list[_Draft]:
        """Return a claim for each cell that cites, or one for the row if only one cell has marks.

        The first row names the columns and claims nothing unless it cites.
        """
        if _TABLE_RULE.fullmatch(line):
            return []
        cells = _split_cells(line)
        words = [_plain(cell) for _, cell in cells]
        if not self.columns:
            self.columns = words
            if not cited:
                return []
        starts = [start for start, _ in cells]
        by_cell: dict[int, list[_Reference]] = {}
        for offset, one in cited:
            by_cell.setdefault(max(0, bisect_right(starts, offset) - 1), []).append(one)
        row = "; ".join(filter(None, words))
        drafts: list[_Draft] = []
        for place, found in by_cell.items():
            label = self.columns[place] if place < len(self.columns) else ""
            is_source_cell = _SOURCE_LINE.fullmatch(words[place]) is not None
            if is_source_cell or place == 0:
                text = row
            else:
                text = f"{words[0]} – {label}: {words[place]}" if label else words[place]
            draft = _Draft(text, number, "cell", heading, number)
            for one in found:
                draft.cite(one)
            drafts.append(draft)
        if not drafts and re.search(r"[^\W\d_]", row):
            drafts.append(_Draft(row, number, "cell", heading, number))
        return drafts


def _find_item_lead(line: str) -> str:
    """Return what begins an item of a list ("- ", "2. "), or the white space before other text."""
    found = _ITEM_LEAD.match(line)
    if not found:
        return ""
    date = _POINTED_DATE.match(line)
    if date and date[2].lower() in MONTHS:  # "1. Januar 2023"
        return date[1]
    return found[0]


def _split_cells(line: str) -> list[tuple[int, str]]:
    """Return the offset and text of each cell of a row."""
    inner = line.rstrip().removesuffix("|")
    offset = len(inner) - len(inner.lstrip()) + 1
    cells: list[tuple[int, str]] = []
    for cell in re.split(r"(?<!\\)\|", inner[offset:]):
        cells.append((offset, cell))
        offset += len(cell) + 1
    return cells


def _keep_stop(found: re.Match[str]) -> str:
    """Return the full stop behind a label, unless the words before it have their own."""
    before = found.string[: found.start()].rstrip()[-1:]
    return "." if found[0].endswith(".") and before not in ".!?。" else ""


def _plain(text: str) -> str:
    """Return the words of a piece of Markdown in one line, without list marks and emphasis."""
    text = _EMPHASIS.sub("", _EMPTY_BRACKETS.sub("", text))
    text = _LABEL_LEFT.sub(_keep_stop, re.sub(r"(?<=\S)\s{1,4}[–—-]$", "", text.rstrip()))
    text = text.removeprefix(_find_item_lead(text))
    text = re.sub(r"\s+([.,;:!?)）”。，；])", r"\1", " ".join(text.split()))
    return re.sub(r"([;,])(?:\s*[;,])+|(?<=\w)\s*[;,]+(?=[.!?]?$)", r"\1", text).strip()
