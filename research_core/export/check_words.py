"""Compare report.md and report.html of an evidence pack with report.json.

The text up to the sources is compared as a whole: every sentence word for word, in its order and
under its heading, with its citations and the result of the check, and nothing beside them but the
notices, headings, confidence, contradictions and sentences to check of report.json. The lists of
sources must hold its titles, addresses, scores and reasons. The other lines (facts about a source,
passages shown on hover, methodology) must be those of text.json, with which alone they are
compared. Needs only Python 3.9 or newer; part of the script that goes into each pack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any, NamedTuple
from urllib.parse import quote

from research_core.export.check_base import (
    hash_bytes,
    read_json,
    read_report,
    strip_invisible,
    strip_markup,
)

#: The files that people read, and how each marks a check with less than full support.
READ_FILES = ("report.md", "report.html")
_CHECK_SIGNS = {"supported": "✓", "partly": "◐", "not found": "✕"}
_CHECK_FLAGS = {
    "partly": "(partlysupported)",
    "not found": "(notfoundinthecitedpassage)",
    "could not check": "(couldnotbechecked)",
}
#: Further marks after a sentence: a fact from a single source, a fact without one.
_ONE_SOURCE, _NO_SOURCE_MARKDOWN, _NO_SOURCE_HTML = "◇", "(nosource)", "[nosource]"
#: Headings that Assay adds to the text.
_ADDED_HEADINGS = ("Confidence Assessment", "Sentences to Check", "Sources")
#: The first words of a contradiction.
_CONTRADICTION_STARTS = (
    "Differentfigures,",
    "Differentdates,",
    "Differentnames,",
    "Oppositestatements,",
)
_TRAILING_MARKS = re.compile(r"(?:\[\d{1,4}\])+$")
_LIST_LEAD = re.compile(r"\s*(#{1,6}\s|[-*+•]\s|\d{1,9}[.)]\s|>\s?)(.*)", re.DOTALL)
_RULE_LINE = re.compile(r"[-:]*")
_SOURCE_ENTRY = re.compile(r"\[(\d{1,4})\]\. ")
_UNSAFE_IN_LINK = re.compile(r"[\s()<>\[\]\\\"`|*]")
#: Contradictions in the text, and sources below the threshold, that report.md names.
MAX_CONTRADICTIONS, MAX_NAMED_SOURCES = 5, 5
#: Unused sources that report.html names.
MAX_UNUSED_SOURCES = 100
#: Characters of a title or a reason that every format has in full.
MAX_WHOLE_CHARS = 300


#: What report.html has above the text, without white space; and a quoted sentence to check with the
#: note on it.
_PAGE_HEAD = re.compile(
    r"Asked\d{4}-.*|\d+citationscompared.*|Inthisfile|Sources(?:Citations.*"
    r"|Notused)?Methodology|style[0-9a-f]{64}"
)
_SENTENCE_TO_CHECK = re.compile(r"“(.*)”(?:\[\d{1,4}\])*:(.*)")


class ReadLine(NamedTuple):
    """A line as it is read, without markup.

    kind: heading | text | note (hover, labels); lead: the number in a list, or "".
    """

    kind: str
    text: str
    lead: str = ""


class ExpectedSentence(NamedTuple):
    """A sentence of report.json as it must stand in a file.

    whole: with its citations and marks, without white space.
    """

    section: str
    whole: str
    words: str


# -- lines -----------------------------------------------------------------------------------------


def read_markdown_lines(text: str) -> Iterator[ReadLine]:
    """Yield the lines of a Markdown text."""
    for line in text.split("\n"):
        lead = _LIST_LEAD.fullmatch(line)
        if lead and lead[1].startswith("#"):
            yield ReadLine("heading", lead[2])
        else:
            yield ReadLine(
                "text",
                lead[2] if lead else line,
                lead[1].strip() if lead and lead[1][0].isdigit() else "",
            )


_BLOCK_TAGS = frozenset(
    "p li h1 h2 h3 h4 blockquote tr div table nav header footer main ol ul details summary title"
    " style body".split()
)
_KNOWN_TAGS = _BLOCK_TAGS | frozenset(
    "html head a b i em strong code q bdi span th td small meter".split()
)
_VOID_TAGS = frozenset("meta img br hr input link base wbr source".split())
_KNOWN_ATTRIBUTES = frozenset(
    "class id dir lang rel href value min max open aria-label aria-hidden".split()
)


class _PageParser(HTMLParser):
    """Parse a page into lines.

    A link is followed by its address. Hover texts, labels and markup that Assay does not write are
    lines of their own.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[ReadLine] = []
        self._open: list[
            tuple[str, str, str]
        ] = []  # tag, what closes its text, its part: heading | text | pop | style
        self._text: list[str] = [""]
        self._lead = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        if tag in _BLOCK_TAGS:
            self._flush()
            self._lead = f"{said['value']}." if tag == "li" and "value" in said else ""
        if tag not in _KNOWN_TAGS or not _KNOWN_ATTRIBUTES.issuperset(said):
            self.lines.append(
                ReadLine("note", f"<{tag} {' '.join(f'{name}={value}' for name, value in attrs)}>")
            )
        if "aria-label" in said:
            self.lines.append(ReadLine("note", f"{said['aria-label']} {said.get('href', '')}"))
        if tag == "meter":
            self._text[-1] += f"{said.get('value', '')} "
        if said.get("class") == "pop":
            self._text.append("")
        if tag not in _VOID_TAGS:
            self._open.append((tag, *self._part(tag, said)))
            self._text[-1] += "[" if self._open[-1][1] == "]" else ""

    def _part(self, tag: str, said: dict[str, str]) -> tuple[str, str]:
        within = self._open[-1] if self._open else ("", "", "text")
        if tag == "a":
            mark = said.get("href", "").startswith("#cite-")
            return (
                "]"
                if mark
                else ""
                if said.get("href", "").startswith("#")
                else f" <{said.get('href', '')}>"
            ), within[2]
        if said.get("class") == "pop" or tag == "style":
            return "", "pop" if tag != "style" else tag
        return " " if tag in ("th", "td", "span") else "", (
            "heading"
            if tag
            in (
                "h1",
                "h2",
                "h3",
                "h4",
            )
            else within[2]
        )

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCK_TAGS:
            self._flush()
        while self._open:
            name, closing, part = self._open.pop()
            self._text[-1] += closing
            outer = self._open[-1][2] if self._open else "text"
            if part == "pop" and outer != "pop" and len(self._text) > 1:
                self.lines.append(ReadLine("note", self._text.pop().strip()))
            if name == tag:
                break

    def handle_data(self, data: str) -> None:
        style = bool(self._open) and self._open[-1][2] == "style"
        self._text[-1] += f"style {hash_bytes(data.encode('utf-8', 'replace'))}" if style else data

    def handle_comment(self, data: str) -> None:
        self.lines.append(ReadLine("note", f"<!--{data}-->"))

    def handle_decl(self, decl: str) -> None:
        self.lines.append(ReadLine("note", f"<!{decl}>"))

    def handle_pi(self, data: str) -> None:
        self.lines.append(ReadLine("note", f"<?{data}>"))

    def unknown_decl(self, data: str) -> None:
        self.lines.append(ReadLine("note", f"<![{data}]>"))

    def _flush(self) -> None:
        if len(self._text) == 1 and self._text[0].strip():
            heading = bool(self._open) and any(part == "heading" for _, _, part in self._open)
            self.lines.append(
                ReadLine("heading" if heading else "text", self._text[0].strip(), self._lead)
            )
            self._text[0], self._lead = "", ""


def read_page_lines(text: str) -> Iterator[ReadLine]:
    """Yield the lines of an HTML page."""
    page = _PageParser()
    page.feed(text)
    page.close()
    page._flush()
    yield from page.lines


def read_lines(name: str, body: bytes) -> list[ReadLine]:
    """Return the readable lines of report.md or report.html."""
    read = read_markdown_lines if name == "report.md" else read_page_lines
    return [
        line
        for line in read(body.decode("utf-8"))
        if not _RULE_LINE.fullmatch(strip_markup(line.text))
    ]


# -- sentences -------------------------------------------------------------------------------------


def build_expected_sentences(told: Any, name: str) -> list[ExpectedSentence]:
    """Build the sentences of report.json as report.md or report.html must have them."""
    found: list[ExpectedSentence] = []
    for one in told["sentences"]:
        numbers = dict.fromkeys(each["source"] for each in one["citations"])
        unsourced = (
            told["decision"] != "insufficient_data"
            and one["state"] == "uncited"
            and bool(one["note"])
        )
        if name == "report.md":
            marks = _format_markdown_marks(one, numbers, unsourced)
        else:
            sign = _CHECK_SIGNS.get(one["state"], "?")
            marks = "".join(f"[{number}{sign}]" for number in numbers)
            if unsourced and not marks:
                marks = _NO_SOURCE_HTML
        whole = strip_markup(one["text"]) + marks
        if not _RULE_LINE.fullmatch(whole):
            section = _TRAILING_MARKS.sub("", strip_markup(one["section"]))
            found.append(ExpectedSentence(section, whole, one["text"]))
    return found


def _format_markdown_marks(one: Any, numbers: Any, unsourced: bool) -> str:
    marks = "".join(f"[{number}]" for number in numbers)
    if one["one_source"]:
        marks += _ONE_SOURCE
    if numbers:
        marks += _CHECK_FLAGS.get(one["state"], "")
    return marks + _NO_SOURCE_MARKDOWN if unsourced else marks


def compare_sentences(name: str, body: bytes, told: Any) -> tuple[list[str], list[str]]:
    """Return the lines without a sentence of report.json, and the faults of sentences and text."""
    queue = build_expected_sentences(told, name)
    own: list[str] = []
    faults: list[str] = []
    notices = set(map(strip_markup, told["notices"]))
    done, heading = 0, ""
    in_sources = False  # the text ends at the heading of the sources
    for line in read_lines(name, body):
        rest = strip_markup(line.text)
        if line.kind == "heading" and rest == "Sources" and done == len(queue):
            in_sources = True
        end = done
        is_notice = done == 0 and rest in notices
        if line.kind == "text" and not is_notice:
            end = _skip_sentences(rest, queue, done)
        if end == done:
            if line.kind == "heading":
                heading = _TRAILING_MARKS.sub("", rest)
            own.append(_clean_own_line(line))
            if not in_sources and not _is_known_line(line, rest, told, 0 < done < len(queue)):
                faults.append(f"{name}: not in report.json, or not there: {line.text}")
            continue
        for one in queue[done:end]:
            if one.section and one.section != heading:
                faults.append(f"{name}: not under its heading: {one.words}")
        if line.lead:
            own.append(line.lead)
        done = end
    if done < len(queue):
        faults.append(f"{name}: missing, or not as in report.json: {queue[done].words}")
    return own, faults


def _list_known_lines(told: Any) -> set[str]:
    """Return the lines of report.json that may stand in the text beside its sentences."""
    known = [told["question"], *told["notices"], *_ADDED_HEADINGS]
    confidence = told["confidence"]
    if confidence:
        known.append(_format_confidence(confidence))
        known += map(_format_measure, confidence["lines"])
    lines = set(map(strip_markup, known))
    for heading in told["headings"]:
        lines.add(_TRAILING_MARKS.sub("", strip_markup(heading)))
    return lines


def _format_confidence(confidence: Any) -> str:
    return (
        "Computed from the sources and the checks of this report:"
        f" {confidence['level']} confidence."
    )


def _format_measure(line: Any) -> str:
    reason = line["level"] if line["level"] == "high" else f"{line['level']}; {line['why']}"
    return f"{line['name'].capitalize()}: {line['value']} ({reason})."


def _format_values(one: Any) -> str:
    """Format the values of a contradiction, as they follow its kind."""
    values = "; ".join(f"“{claim['value']}” [{claim['source']}]" for claim in one["claims"])
    return f": {one['about']}: {values}."


def _is_known_line(line: ReadLine, rest: str, told: Any, between: bool) -> bool:
    """Return True if a line without sentences may stand in the text.

    between: it stands between two sentences, where only a heading may.
    """
    if line.kind == "note":
        return True
    if line.kind != "text":
        return _TRAILING_MARKS.sub("", rest) in _list_known_lines(told)
    if between:
        return False
    if rest in _list_known_lines(told) or _PAGE_HEAD.fullmatch(rest):
        return True
    if rest.startswith(_CONTRADICTION_STARTS):
        for one in told["contradictions"][:MAX_CONTRADICTIONS]:
            if rest.endswith(strip_markup(_format_values(one))):
                return True
    listed = _SENTENCE_TO_CHECK.fullmatch(rest)
    if not listed:
        return False
    return any(_is_listed_sentence(listed[1], listed[2], one) for one in told["sentences"])


def _is_listed_sentence(quote: str, note: str, sentence: Any) -> bool:
    """Return True if a quoted sentence to check is this one, with its note or check result."""
    return strip_markup(sentence["text"]).startswith(quote.rstrip("…")) and note in (
        strip_markup(sentence["note"]),
        _CHECK_FLAGS.get(sentence["state"]),
    )


def _clean_own_line(line: ReadLine) -> str:
    return strip_invisible(" ".join(f"{line.lead} {line.text}".split()))


def _skip_sentences(rest: str, queue: list[ExpectedSentence], at: int) -> int:
    """Return the index after the whole sentences that make up a line; `at` if it has others."""
    index = at
    while rest:
        if index == len(queue) or not rest.startswith(queue[index].whole):
            return at
        rest = rest[len(queue[index].whole) :]
        index += 1
    return index


# -- the other lines -------------------------------------------------------------------------------


def list_own_lines(files: dict[str, bytes]) -> dict[str, list[str]]:
    """List, by file, the lines that no sentence of report.json accounts for, in order."""
    told = read_report(files)
    return {name: compare_sentences(name, files[name], told)[0] for name in READ_FILES}


def check_words(files: dict[str, bytes]) -> list[str]:
    """Report differences of report.md and report.html from report.json and text.json."""
    told, faults = read_report(files), []
    for name in READ_FILES:
        own, wrong = compare_sentences(name, files[name], told)
        faults += wrong + _compare_own_lines(name, own, read_json(files, "text.json")[name])
        faults += _find_missing_facts(name, own, told)
    return faults


def _compare_own_lines(name: str, own: list[str], told: list[str]) -> list[str]:
    if own == told:
        return []
    faults = [f"{name}: in no file beside it: {line}" for line in own if line not in told]
    faults += [f"{name}: missing, or changed: {line}" for line in told if line not in own]
    return faults or [f"{name}: its lines are in another order than in text.json"]


def _find_missing_facts(name: str, own: list[str], told: Any) -> list[str]:
    """Report facts of report.json that no line holds with all their pieces."""
    lines = list(map(strip_markup, own))
    in_markdown = name == "report.md"
    facts = [
        *_list_shared_facts(told),
        *(_list_markdown_facts(told) if in_markdown else _list_page_facts(told)),
    ]
    faults: list[str] = []
    for fact in facts:
        if not _is_on_one_line([strip_markup(piece) for piece in fact], lines):
            faults.append(f"{name}: does not say: {' '.join(fact)}")
    question = strip_markup(told["question"])
    titles = 0
    for line in lines:
        titles += len(line) <= len(question) and _is_on_one_line([question], [line])
    if question and titles < (1 if in_markdown else 2):
        faults.append(f"{name}: its title is not the question of report.json")
    entries = [_SOURCE_ENTRY.match(line) for line in own]
    listed = [int(entry[1]) for entry in entries if entry]
    numbers = [source["number"] for source in told["sources"] if source["number"]]
    if in_markdown and listed != sorted(numbers):
        faults.append("report.md: lists other sources than report.json")
    return faults


def _is_on_one_line(pieces: list[str], lines: list[str]) -> bool:
    """Return True if one line holds all the pieces.

    Half a surrogate pair is "?" in report.json, and nothing in the line.
    """
    return any(all(_has_piece(line, piece) for piece in pieces) for line in lines)


def _has_piece(line: str, piece: str) -> bool:
    if piece in line:
        return True
    return "?" in piece and piece.replace("?", "") in line.replace("?", "")


def _list_shared_facts(told: Any) -> Iterator[list[str]]:
    """Yield the facts in both files: decision, funnel, confidence, contradictions."""
    for notice in told["notices"]:
        yield [notice]
    yield ["Decision:", told["rationale"].rstrip(".")]
    steps = ("found", "eligible", "fetched", "judged", "kept")
    yield ["Funnel:", *(f"{told['funnel'].get(step, 0):,} {step}" for step in steps)]
    if told["confidence"]:
        yield [_format_confidence(told["confidence"])]
        for line in told["confidence"]["lines"]:
            yield [_format_measure(line)]
        for one in told["contradictions"][:MAX_CONTRADICTIONS]:
            yield [_format_values(one)]


def _list_markdown_facts(told: Any) -> Iterator[list[str]]:
    """Yield the facts of the source lists in report.md."""
    for source in told["sources"]:
        if source["number"]:
            scored = (
                f"(Credibility Score: {_format_score(source)})"
                if _format_score(source) and not source["own"]
                else ""
            )
            yield [
                f"[{source['number']}]. {_format_link(source, source['landed'] or source['url'])}"
                f" {scored}"
            ]
        elif source["status"] in ("dropped", "failed", "struck", "duplicate"):
            why = source["reason"].rstrip(".")[1:]  # its first letter may be a capital there
            yield [f"{_format_link(source, source['url'])}:", *_format_scores(source), why]
    for source in [source for source in told["sources"] if source["blocked"]][:MAX_NAMED_SOURCES]:
        yield [f"{_format_link(source, source['url'])} {_format_score(source)}"]


def _format_score(source: Any) -> str:
    return f"{source['credibility']['score']:.2f}" if source["credibility"] else ""


def _format_relevance(source: Any) -> str:
    return (
        f"{source['relevance']['score']}/5"
        if source["relevance"] and source["relevance"]["scored"]
        else ""
    )


def _format_scores(source: Any) -> list[str]:
    """Return both scores of a source with their names, if it has them."""
    named = (("credibility", _format_score(source)), ("relevance", _format_relevance(source)))
    return [f"{name} {figure}" for name, figure in named if figure]


def _format_link(source: Any, url: str) -> str:
    """Format a source as a Markdown link."""
    url = strip_invisible(url).strip()
    title = source["title"] or url
    title = title if strip_invisible(title).strip() else "Untitled"
    if source["own"] and url == source["url"]:
        return f"{title} (own document)"
    whole = _UNSAFE_IN_LINK.sub(
        lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), url
    )
    return f"[{title}]({whole})" if url.lower().startswith(("http://", "https://")) else title


def _list_page_facts(told: Any) -> Iterator[list[str]]:
    """Yield the facts of the source lists in report.html."""
    for source in [source for source in told["sources"] if source["number"]]:
        why = source["relevance"]["explanation"] if source["relevance"] else ""
        yield [*_format_name_and_url(source), *_format_scores(source), why[:MAX_WHOLE_CHARS]]
    lost = [
        source
        for source in told["sources"]
        if source["status"] in ("dropped", "blocked", "struck", "failed", "duplicate")
    ]
    for source in lost[:MAX_UNUSED_SOURCES]:
        yield [
            *_format_name_and_url(source),
            _format_score(source),
            _format_relevance(source),
            source["reason"][:MAX_WHOLE_CHARS],
        ]


def _format_name_and_url(source: Any) -> list[str]:
    """Return title and address of a source as report.html has them."""
    url = strip_invisible(source["landed"] or source["url"]).strip()
    title = source["title"] if strip_invisible(source["title"]).strip() else source["url"]
    return [
        title[:MAX_WHOLE_CHARS],
        f"<{encode_url(url)}>" if url.lower().startswith(("http://", "https://")) else "",
    ]


def encode_url(url: str) -> str:
    """Percent-encode what may not stand in an address, as every format does."""
    return quote(url, safe="%/:?#[]@!$&'()*+,;=-._~")
