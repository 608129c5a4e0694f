"""Check whether the citations of a Markdown report hold together: marks, lists and links.

Marks are numbers in brackets ([3], [1, 2], [1-4], 【3】, [^3]), footnotes by name, and superscript
numbers (<sup>3</sup>, ³) that a list has. Entries stand below a heading of sources, as a list or a
table, or are lines of a numbered list in brackets, or footnotes. Code, comments and formulas are
left out; [2020], [0, 1] and intervals are marks only if a list has them. Nothing is fetched, and no
claim is judged.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from research_core.citations.addresses import (
    LINK_TARGET,
    SCHEMELESS_URL,
    URL_PATTERN,
    find_malformed_urls,
    find_urls,
    is_plausible_url,
)
from research_core.citations.code_fences import find_fenced_code
from research_core.citations.indented_code import find_indented_code
from research_core.citations.superscripts import SUPERSCRIPT, find_superscripts, to_plain_digits
from research_core.text.references import ReferenceLine
from research_core.text.words import format_count
from research_core.urls import canonical_url

#: Kinds of findings in words, the gravest first.
FINDING_KINDS = {
    "unclosed code": "a heading of sources in code that does not end: close its fence",
    "dangling": "cited, but in no list of sources",
    "duplicate number": "stands for more than one source of one list",
    "malformed address": "no address that leads anywhere",
    "duplicate address": "listed more than once",
    "uncited": "listed, but never cited",
    "gap": "left out in the numbering of a list",
}
#: A higher number is no citation unless a list has it or nearly as many; a longer range is none.
MAX_NUMBER, MAX_RANGE = 999, 200
#: Lines that may be between the first two entries of a list without a heading.
MAX_LINES_BETWEEN = 6


@dataclass(frozen=True)
class CitationMark:
    """A citation in the text.

    ids: in order, with ranges spelled out; text: as written; line: from 1; start: its offset in the
    report.
    """

    ids: tuple[str, ...]
    text: str
    line: int
    start: int


@dataclass(frozen=True)
class ListedSource:
    """An entry of a list of sources.

    id: its number or name, "" if it has none; urls: as written.
    """

    id: str
    text: str
    line: int
    urls: tuple[str, ...]


@dataclass(frozen=True)
class SourceList:
    """A list of sources. first, end: the range of its lines, from 0, with its heading."""

    entries: tuple[ListedSource, ...]
    first: int
    end: int


@dataclass(frozen=True)
class LintFinding:
    """One problem.

    kind: a key of `FINDING_KINDS`; what: an id or an address; line: of its first occurrence, from
    1.
    """

    kind: str
    what: str
    line: int


@dataclass(frozen=True)
class LintedReport:
    """The result for a report.

    lists: of sources, and all footnotes as one more; urls: each web address once, in order;
    findings: the gravest first, then by line.
    """

    marks: tuple[CitationMark, ...]
    lists: tuple[SourceList, ...]
    urls: tuple[str, ...]
    findings: tuple[LintFinding, ...]

    @property
    def entries(self) -> tuple[ListedSource, ...]:
        """Return the entries of all lists, in order."""
        return tuple(entry for found in self.lists for entry in found.entries)


def lint_report(text: str) -> LintedReport:
    """Find the citations of a report and their problems."""
    text = text.replace("\r\n", "\n")
    blanked = blank_non_text(text)
    lists = tuple(_find_lists(blanked.split("\n")))
    entries = tuple(entry for found in lists for entry in found.entries)
    ids = {entry.id for entry in entries}
    marks = tuple(_find_marks(blanked, ids, entries))
    urls = tuple(dict.fromkeys(url for _, url in find_urls(text)))
    findings = [
        *_find_unclosed_code(text),
        *_find_dangling(marks, ids),
        *_find_uncited(blanked, marks, entries),
        *_find_malformed(text, entries),
    ]
    for found in lists:
        findings += _check_list(found.entries, ids)
    order = list(FINDING_KINDS)
    findings.sort(key=lambda one: (order.index(one.kind), one.line))
    return LintedReport(marks, lists, urls, tuple(findings))


def format_findings(found: LintedReport) -> str:
    """Format the findings as a Markdown list below a summary line."""
    lines = [
        f"{format_count(len(found.marks), 'citation')},"
        f" {format_count(len(found.entries), 'entry')} of lists of sources,"
        f" {format_count(len(found.urls), 'address')}.",
        "" if found.findings else describe_clean_report(found),
    ]
    for kind, words in FINDING_KINDS.items():
        findings = [one for one in found.findings if one.kind == kind]
        if findings:
            lines += ["", f"**{kind.capitalize()}** ({words}): {len(findings):,}", ""]
            lines += [f"- line {one.line}: {_format_what(one.what)}" for one in findings]
    return "\n".join(lines) + "\n"


def describe_clean_report(found: LintedReport) -> str:
    """Return the sentence for a report without findings."""
    return "Nothing is wrong with them." if found.marks else "There is no citation in it."


def _format_what(what: str) -> str:
    return f"`{what.replace('`', '%60')}`"


# ---------------------------------------------------------------- what is no text

_NON_TEXT = re.compile(
    r"<!--(?:[^-<]|-(?!->)|<(?!!--))*+-->"
    r"|(?<!`)(`++)[^\n]{1,1000}?(?<!`)\1(?!`)|\$\$[^$]*+\$\$|\\\[(?s:.{0,400}?)\\\]"
    r"|\\\((?s:.{0,400}?)\\\)"
    r"|(?<![\w$])\$(?=\S)[^$\n]{1,200}?(?<=\S)\$(?![\w$])",
    re.MULTILINE,
)


def blank_non_text(text: str) -> str:
    """Replace code, comments and formulas by spaces, but keep escaped marks ("\\[3\\]").

    Offsets stay. text: with "\\n" at the ends of lines.
    """
    text = _blank_fenced_code(text)
    text = _blank_indented_code(text)
    return _blank_html_code(_NON_TEXT.sub(_blank_unless_mark, text))


def _blank_unless_mark(found: re.Match[str]) -> str:
    return found[0] if _ESCAPED_MARK.fullmatch(found[0]) else _replace_by_spaces(found[0])


def _blank_fenced_code(text: str) -> str:
    parts: list[str] = []
    done = 0
    for code in find_fenced_code(text):
        parts += [text[done : code.start], _replace_by_spaces(text[code.start : code.end])]
        done = code.end
    return "".join([*parts, text[done:]])


def _blank_indented_code(text: str) -> str:
    """Blank indented code, except below a heading of sources, where entries may be indented."""
    # Lines within comments and formulas are neither code nor indented.
    shape = _NON_TEXT.sub(lambda found: re.sub(r"[^\n]", "x", found[0]), text)
    code = set(find_indented_code(shape.split("\n")))
    if not code:
        return text
    lines = text.split("\n")
    is_list = False
    for number, line in enumerate(lines):
        if number in code:
            lines[number] = line if is_list else _replace_by_spaces(line)
        elif is_source_heading(line):
            is_list = True
        elif HEADING.match(line):
            is_list = False
    return "\n".join(lines)


def _blank_html_code(text: str) -> str:
    """Blank the contents of HTML elements of code that are closed."""
    lowered = text.lower()
    parts: list[str] = []
    done = 0
    unclosed: set[str] = set()
    for opening in _HTML_CODE.finditer(text):
        name = opening[1].lower()
        if opening.start() < done or name in unclosed:
            continue
        end = lowered.find(f"</{name}", opening.end())
        if end < 0:
            unclosed.add(name)
            continue
        parts += [text[done : opening.end()], _replace_by_spaces(text[opening.end() : end])]
        done = end
    return "".join([*parts, text[done:]])


def _replace_by_spaces(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


_HTML_CODE = re.compile(
    r"<(code|pre|kbd|samp|tt|script|style)(?=[\s>])[^<>]{0,300}>", re.IGNORECASE
)
_ESCAPED_MARK = re.compile(r"\\\[[\d\s,;–-]+\\\]")

# ---------------------------------------------------------------- lists of sources

_BRACKETED_ENTRY = re.compile(
    r"\s*(?:[-*•]\s+|\d{1,4}[.)]\s+)?(?:\*\*)?"
    r"(?:\\?\[{1,2}(?P<id>\d{1,4})\\?\]{1,2}|[［【](?P<wide>\d{1,4})(?:†[^\]】］\n]{0,200})?[］】])"
    r"(?:\*\*)?[:.]?(?P<text>.*)"
)
#: The other numbers of an entry that has several.
_FURTHER_NUMBERS = re.compile(
    r"(?:\s*,?\s*(?:\\?\[{1,2}\d{1,4}\\?\]{1,2}(?!\()|[［【]\d{1,4}[］】]))+"
)
_NUMBERED_ENTRY = re.compile(r"\s{0,6}(?:\*\*)?(?P<id>\d{1,4})[.)](?:\*\*)?\s+(?P<text>\S.*)")
_FOOTNOTE_ENTRY = re.compile(r"\s{0,3}\[\^(?P<id>[^\]\s]{1,40})\]:\s*(?P<text>.*)")
_BULLET_ENTRY = re.compile(r"\s*[-*•]\s+(?P<id>)(?P<text>\S.*)")
#: A table row whose first cell is a number, and any other row with an address.
_TABLE_ENTRY = re.compile(
    r"\s*\|?\s*(?:\*\*)?\\?\[?\^?(?P<id>\d{1,4})\\?\]?[.)]?(?:\*\*)?\s*\|(?P<text>.+)"
)
_LINKED_TABLE_ENTRY = re.compile(r"\s*\|(?P<id>)(?P<text>.*https?://.*)", re.IGNORECASE)
_SUPERSCRIPT_ENTRY = re.compile(rf"\s*(?:[-*•]\s+)?(?P<id>{SUPERSCRIPT})\s*(?P<text>\S.*)")
#: The same where no heading is above it: what follows the number is no isotope or power.
_UNTITLED_SUPERSCRIPT = re.compile(
    rf"\s*(?:[-*•]\s+)?(?:{SUPERSCRIPT})(?:[.:]?\s|[.:]?(?=https?://|\[))", re.IGNORECASE
)
#: A link definition, or a number with only an address: a list of one line without a heading.
_LINK_DEFINITION = re.compile(
    r"\s{0,3}\[\d{1,4}\](?::\s+<?(?:https?://|(?:file|ftp|javascript|data|doi|mailto):\S)"
    r"|\s+<?https?://\S+\s*$)",
    re.IGNORECASE,
)
HEADING = re.compile(r"\s{0,3}#{1,6}\s|\s*\*\*[^*]+\*\*:?\s*$")
RULE = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,})\s*$")


def _find_lists(lines: Sequence[str]) -> Iterator[SourceList]:
    """Yield the lists of a report with their entries; all footnotes make one list."""
    number = 0
    while number < len(lines):
        line = lines[number]
        if _is_superscript_entry(line):
            found = _read_superscript_list(lines, number)
            yield found
            number = found.end
            continue
        if not (
            is_source_heading(line)
            or _starts_untitled_list(lines, number)
            or _LINK_DEFINITION.match(line)
        ):
            number += 1
            continue
        first = number
        titled = is_source_heading(line)
        entries, number = _read_list(lines, number + titled, titled=titled)
        if entries and not (_is_ambiguous_heading(line) and _are_mostly_unsourced(entries)):
            yield SourceList(tuple(entries), first, number)
    footnotes = tuple(_find_footnotes(lines))
    if footnotes:
        yield SourceList(footnotes, len(lines), len(lines))


def _find_footnotes(lines: Sequence[str]) -> Iterator[ListedSource]:
    """Yield the definitions of footnotes, which stand anywhere in a report."""
    for number, line in enumerate(lines):
        footnote = _FOOTNOTE_ENTRY.match(line)
        if footnote:
            yield from _build_entries(footnote, line, number)


def _are_mostly_unsourced(entries: Sequence[ListedSource]) -> bool:
    return 2 * sum(_names_source(entry) for entry in entries) < len(entries)


def is_source_heading(line: str) -> bool:
    """Return True if a line is the heading of a list of sources."""
    stripped = line.strip()
    if not stripped or len(stripped) >= 80:
        return False
    return ReferenceLine(0, len(stripped), stripped).sure is not None


def _is_ambiguous_heading(line: str) -> bool:
    """Return True for a heading of other lists too, such as "Notes" or "See also".

    Entries below it must look like sources.
    """
    heading = line.strip()
    if ReferenceLine(0, len(heading), heading).sure is not False:
        return False
    return not re.search("source|citation", heading, re.IGNORECASE)


def _names_source(entry: ListedSource) -> bool:
    return bool(entry.urls) or ReferenceLine(0, len(entry.text), entry.text).signs.names_source


def _starts_untitled_list(lines: Sequence[str], number: int) -> bool:
    """Return True if an entry with a bracketed number and an address begins a list here.

    The next line must be one too; blank lines and lines with only an address may be between. The
    last line of a report may be a list of one entry, whose number the lines above cite.
    """
    if not _is_linked_entry(lines[number]):
        return False
    for line in lines[number + 1 : number + 1 + MAX_LINES_BETWEEN]:
        if _is_linked_entry(line):
            return True
        if RULE.match(line):
            break
        if line.strip() and not URL_PATTERN.fullmatch(line.strip()):
            return False
    return _is_last_entry(lines, number)


def _is_last_entry(lines: Sequence[str], number: int) -> bool:
    """Return True if nothing follows an entry, and a line above cites its number."""
    if any(line.strip() and not RULE.match(line) for line in lines[number + 1 :]):
        return False
    entry = _BRACKETED_ENTRY.match(lines[number])
    assert entry is not None
    cited = re.compile(rf"[\[［【]{entry['id'] or entry['wide']}[\]］】†]")
    return any(cited.search(line) for line in lines[:number])


def _is_superscript_entry(line: str) -> bool:
    """Return True if a line begins with a superscript number and names a source."""
    entry = _SUPERSCRIPT_ENTRY.match(line)
    if entry is None or not _UNTITLED_SUPERSCRIPT.match(line):
        return False
    text = entry["text"]
    signs = ReferenceLine(0, len(text), text).signs
    return not signs.spoken and (URL_PATTERN.search(text) is not None or signs.names_source)


def _read_superscript_list(lines: Sequence[str], first: int) -> SourceList:
    """Read the entries from this line on; only blank lines may be between them."""
    entries: list[ListedSource] = []
    end = number = first
    while number < len(lines):
        line = lines[number]
        found = _SUPERSCRIPT_ENTRY.match(line)
        if found and _is_superscript_entry(line):
            entries += _build_entries(found, line, number)
            end = number + 1
        elif line.strip():
            break
        number += 1
    return SourceList(tuple(entries), first, end)


def _is_linked_entry(line: str) -> bool:
    entry = _BRACKETED_ENTRY.match(line)
    return entry is not None and URL_PATTERN.search(entry["text"]) is not None


def _read_list(
    lines: Sequence[str], number: int, *, titled: bool
) -> tuple[list[ListedSource], int]:
    """Read the entries from this line on; return them and the number of the line after the list.

    The list ends at another heading or where prose goes on. Without a heading above it, it ends at
    the first paragraph that is no entry.
    """
    entries: list[ListedSource] = []
    prose = 0
    while number < len(lines) and prose <= 1 and not _ends_list(lines, number):
        line = lines[number]
        if not titled and entries and _begins_text(lines, number):
            break
        if _FOOTNOTE_ENTRY.match(line):
            number += 1
            continue
        tabled = not entries or "|" in entries[0].text
        found = _match_entry(line, tabled)
        if found:
            entries += _build_entries(found, line, number)
        if found or URL_PATTERN.search(line) or (tabled and "|" in line):
            prose = 0
        else:
            prose += bool(line.strip())
        number += 1
    numbered = [entry for entry in entries if entry.id]
    return numbered or [entry for entry in entries if entry.urls], number


def _begins_text(lines: Sequence[str], number: int) -> bool:
    """Return True if a paragraph begins here, and not with a number in brackets or an address."""
    line = lines[number].strip()
    if not line or lines[number - 1].strip():
        return False
    return not _BRACKETED_ENTRY.match(line) and not URL_PATTERN.fullmatch(line)


def _ends_list(lines: Sequence[str], number: int) -> bool:
    line = lines[number]
    if is_source_heading(line) or RULE.match(line):
        return True
    return bool(HEADING.match(line)) and not _continues_after_heading(lines, number + 1)


def _match_entry(line: str, tabled: bool) -> re.Match[str] | None:
    """Match a line that begins an entry.

    tabled: the list is a table, or has not begun.
    """
    if tabled and "|" in line:
        row = _TABLE_ENTRY.match(line) or _LINKED_TABLE_ENTRY.match(line)
        if row:
            return row
    return (
        _BRACKETED_ENTRY.match(line)
        or _NUMBERED_ENTRY.match(line)
        or _SUPERSCRIPT_ENTRY.match(line)
        or _BULLET_ENTRY.match(line)
    )


def _continues_after_heading(lines: Sequence[str], number: int) -> bool:
    """Return True if a numbered entry stands below a heading within the list."""
    for line in lines[number : number + 3]:
        if line.strip():
            numbered = _BRACKETED_ENTRY.match(line) or _NUMBERED_ENTRY.match(line)
            return bool(numbered and URL_PATTERN.search(line))
    return False


#: Numbers that one entry of a list may have; a line of more is no entry for the rest of them.
MAX_NUMBERS_OF_ENTRY = 50


def _build_entries(found: re.Match[str], line: str, number: int) -> Iterator[ListedSource]:
    """Yield the entry of a line, once for each of its numbers ("[4] [13] https://…")."""
    urls = tuple(url for _, url in find_urls(line))
    id = to_plain_digits(found["id"] or found.groupdict().get("wide") or "")
    yield ListedSource(id, line.strip(), number + 1, urls)
    further = _FURTHER_NUMBERS.match(found["text"]) if id else None
    if further:
        for other in re.findall(r"\d+", further[0])[: MAX_NUMBERS_OF_ENTRY - 1]:
            yield ListedSource(other, line.strip(), number + 1, urls)


# ---------------------------------------------------------------- marks

#: The part after a dagger is bounded: without a bound a row of opening brackets would be read to
#: its end from each.
_MARK = re.compile(
    r"(?P<open>\\?\[|［|【)(?P<inside>\^?\s*\d{1,4}(?:\s*[,;–—-]\s*\^?\d{1,4})*\s*"
    r"|\^[^\]\s]{1,40})(?:†[^\]】\n]{0,200})?(?P<close>\\?\]|］|】)"
)
#: After such a word numbers in brackets with commas are an interval, an index or a place.
_NOT_A_MARK = re.compile(
    r"(?:\b(?:interval|range|between|from|within|∈|in)\s*|[=≤<>∈±~]\s*)$", re.IGNORECASE
)


#: The same of numbers with a dash, which are mostly a range of sources.
_NOT_A_RANGE = re.compile(r"(?:\b(?:an?|the) (?:interval|range)\s*|[=≤<>∈±~]\s*)$", re.IGNORECASE)


def _find_marks(
    text: str, ids: set[str], entries: Iterable[ListedSource]
) -> Iterator[CitationMark]:
    """Yield the marks of the text, without the numbers of entries and marks within them."""
    numbered = {entry.line for entry in entries if entry.id}
    breaks = [found.start() for found in re.finditer("\n", text)]
    highest = _find_highest_number(ids)
    for found in _MARK.finditer(text):
        line = bisect_right(breaks, found.start()) + 1
        cited = _parse_ids(found["inside"], ids, highest)
        if not cited or line in numbered or _is_interval(text, found, cited, ids):
            continue
        # "[3](https://…)" is a link with its own address, which needs no list.
        if text[found.end() : found.end() + 1] == "(" and not ids.issuperset(cited):
            continue
        yield CitationMark(tuple(cited), found[0], line, found.start())
    for offset, sign, cited in find_superscripts(text, ids):
        line = bisect_right(breaks, offset) + 1
        if line not in numbered:
            yield CitationMark(cited, sign, line, offset)


def _find_highest_number(ids: Iterable[str]) -> int:
    """Return the highest number that is a citation although no list has it.

    Up to a tenth more than there are sources, a number of four digits is more likely one of them
    than a year.
    """
    count = sum(id.isdigit() for id in ids)
    return max(MAX_NUMBER, count + count // 10)


def _parse_ids(inside: str, ids: set[str], highest: int) -> tuple[str, ...]:
    """Return the ids that a mark cites; () if it is no citation by its numbers."""
    name = inside.strip().removeprefix("^")
    if not name[:1].isdigit() or not re.fullmatch(r"[\d\s,;^–—-]+", name):
        is_footnote = inside.strip().startswith("^")
        if is_footnote and (name in ids or re.fullmatch(r"\w[\w-]*", name)):
            return (name,)
        return ()
    cited: list[str] = []
    for part in re.split(r"\s*[,;]\s*", name.replace("^", "").strip()):
        ends = re.findall(r"\d+", part)
        if not ends:
            continue
        first, last = int(ends[0]), int(ends[-1])
        if len(ends) == 2 and 0 < last - first <= MAX_RANGE:
            cited += [str(number) for number in range(first, last + 1)]
        else:
            cited += ends
    if not all(id in ids or _is_plausible_number(id, highest) for id in cited):
        return ()
    return tuple(dict.fromkeys(cited))


def _is_plausible_number(id: str, highest: int) -> bool:
    return 0 < int(id) <= highest and not id.startswith("0")


def _is_interval(text: str, found: re.Match[str], cited: Sequence[str], ids: set[str]) -> bool:
    if len(cited) < 2 or ids.issuperset(cited):
        return False
    before = text[max(0, found.start() - 16) : found.start()]
    sign = _NOT_A_MARK if re.search("[,;]", found["inside"]) else _NOT_A_RANGE
    return sign.search(before) is not None


# ---------------------------------------------------------------- what is wrong


def _find_malformed(text: str, entries: Iterable[ListedSource]) -> Iterator[LintFinding]:
    """Find addresses that lead nowhere; in lists also text that only begins like an address."""
    malformed: dict[str, int] = {}
    for entry in entries:
        for _, begun in find_malformed_urls(entry.text):
            malformed.setdefault(begun, entry.line)
    for at, url in find_urls(text):
        if not is_plausible_url(url):
            malformed.setdefault(url, text.count("\n", 0, at) + 1)
    for found in LINK_TARGET.finditer(text):
        if not found[1] or SCHEMELESS_URL.match(found[1]):
            malformed.setdefault(found[1] or "()", text.count("\n", 0, found.start()) + 1)
    return (LintFinding("malformed address", url, line) for url, line in malformed.items())


def _find_unclosed_code(text: str) -> Iterator[LintFinding]:
    """Find blocks of code without an end that hold the heading of a list of sources."""
    for code in find_fenced_code(text):
        if code.closed:
            continue
        for line in text[code.start : code.end].split("\n"):
            if is_source_heading(line):
                line_number = text.count("\n", 0, code.start) + 1
                yield LintFinding("unclosed code", line.strip(), line_number)
                break


def _find_dangling(marks: Iterable[CitationMark], ids: set[str]) -> Iterator[LintFinding]:
    """Find cited ids that no list has."""
    first: dict[str, int] = {}
    for mark in marks:
        for id in mark.ids:
            first.setdefault(id, mark.line)
    return (LintFinding("dangling", id, line) for id, line in first.items() if id not in ids)


def _find_uncited(
    text: str, marks: Iterable[CitationMark], entries: Sequence[ListedSource]
) -> Iterator[LintFinding]:
    """Find entries that no mark names and no link of the text leads to."""
    listed = {entry.line for entry in entries}
    linked: set[str] = set()
    for number, line in enumerate(text.split("\n"), 1):
        if number not in listed:
            linked.update(_normalize_url(url) for _, url in find_urls(line))
    cited = {id for mark in marks for id in mark.ids}
    for entry in entries:
        if entry.id not in cited and not linked.intersection(map(_normalize_url, entry.urls)):
            yield LintFinding("uncited", entry.id or entry.text[:120], entry.line)


def _check_list(entries: Sequence[ListedSource], ids: set[str]) -> Iterator[LintFinding]:
    """Find duplicate numbers, duplicate addresses and gaps of one list. ids: of all lists."""
    numbers: Counter[str] = Counter()
    for entry in entries:
        numbers[entry.id] += bool(entry.id)
        if numbers[entry.id] == 2:
            yield LintFinding("duplicate number", entry.id, entry.line)
    urls: Counter[str] = Counter()
    # An entry with several numbers stands on one line and lists its address once.
    for entry in {entry.line: entry for entry in entries}.values():
        by_page = {_normalize_url(url): url for url in entry.urls}
        for page, url in by_page.items():
            urls[page] += 1
            if urls[page] == 2:
                yield LintFinding("duplicate address", url, entry.line)
    lines: dict[int, int] = {}
    for entry in entries:
        if entry.id.isdigit():
            lines.setdefault(int(entry.id), entry.line)
    yield from _find_gaps(lines, ids)


def _find_gaps(lines: Mapping[int, int], ids: set[str]) -> Iterator[LintFinding]:
    """Find numbers that no list has, before each number of this list.

    lines: line by number. A list that begins with a high number has no gap before it.
    """
    below = 0
    if lines and min(lines) > MAX_RANGE:
        below = min(lines) - 1
    for number in sorted(lines):
        if number - below <= MAX_RANGE:
            missing = [each for each in range(below + 1, number) if str(each) not in ids]
            if missing:
                span = str(missing[0])
                if len(missing) > 1:
                    span = f"{missing[0]}-{missing[-1]}"
                yield LintFinding("gap", span, lines[number])
        below = number


def _normalize_url(url: str) -> str:
    """Return the form in which two addresses of the same page are equal."""
    try:
        return f"{canonical_url(url)}#{url.partition('#')[2]}"
    except ValueError:
        return url


def count_kinds(findings: Iterable[LintFinding]) -> Mapping[str, int]:
    """Count the findings of each kind."""
    return Counter(one.kind for one in findings)
