"""Holds report.md and report.html of an evidence pack against its data: what people read against
what report.json says.

The text, up to the sources, is compared as a whole: every sentence word for word, in its order and
under its heading, with its citations and what the check found, and nothing beside them but the
notices, headings, confidence, contradictions and sentences to check that report.json has. The lists
of sources have to hold its titles, addresses, scores and reasons. What else is written there (facts
about a source, passages shown on hover, methodology) has to be as text.json has it; of words that
are in text.json alone it cannot say more than that they are there. Python 3.9 or newer alone; part
of the script that goes into each pack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any, NamedTuple
from urllib.parse import quote

from research_core.export.check_base import bare, read_json, report_of, seen, sha

#: What people read, and how each says that a check found less than support.
READ = ("report.md", "report.html")
_SIGNS = {"supported": "✓", "partly": "◐", "not found": "✕"}
_FLAGS = {
    "partly": "(partlysupported)",
    "not found": "(notfoundinthecitedpassage)",
    "could not check": "(couldnotbechecked)",
}
#: What else may stand behind a sentence: a fact that rests on one source, one that has none.
_ONE, _NONE, _NONE_THERE = "◇", "(nosource)", "[nosource]"
#: Headings that Assay gives to what it adds to the text.
_HEADINGS = ("Confidence Assessment", "Sentences to Check", "Sources")
#: How a contradiction begins.
_DIFFER = ("Differentfigures,", "Differentdates,", "Differentnames,", "Oppositestatements,")
_MARKS = re.compile(r"(?:\[\d{1,4}\])+$")
_LEAD = re.compile(r"\s*(#{1,6}\s|[-*+•]\s|\d{1,9}[.)]\s|>\s?)(.*)", re.DOTALL)
_RULE = re.compile(r"[-:]*")
_ENTRY = re.compile(r"\[(\d{1,4})\]\. ")
_NOT_IN_A_LINK = re.compile(r"[\s()<>\[\]\\\"`|*]")
#: Contradictions that the text tells, and sources below the threshold that report.md names.
TOLD, NAMED = 5, 5
#: Sources not used that report.html names.
MOST_LOST = 100
#: Characters of a title or a reason that every format has whole.
LONG = 300


#: What report.html has above the text, without white space; and a sentence to check, quoted, with
#: the note on it.
_HEAD = re.compile(
    r"Asked\d{4}-.*|\d+citationscompared.*|Inthisfile|Sources(?:Citations.*|Notused)?Methodology|style[0-9a-f]{64}"
)
_TO_CHECK = re.compile(r"“(.*)”(?:\[\d{1,4}\])*:(.*)")


class Line(NamedTuple):
    """A line as it is read, markup off. kind: heading | text | note (hover, labels); lead: the
    number a list gives it, or "".
    """

    kind: str
    text: str
    lead: str = ""


class Said(NamedTuple):
    """A sentence of report.json as it has to stand there. whole: with its citations and what else
    stands behind it, without white space.
    """

    section: str
    whole: str
    words: str


# -- lines -----------------------------------------------------------------------------------------------------------------


def of_markdown(text: str) -> Iterator[Line]:
    for line in text.split("\n"):
        lead = _LEAD.fullmatch(line)
        if lead and lead[1].startswith("#"):
            yield Line("heading", lead[2])
        else:
            yield Line(
                "text",
                lead[2] if lead else line,
                lead[1].strip() if lead and lead[1][0].isdigit() else "",
            )


_BLOCKS = frozenset(
    "p li h1 h2 h3 h4 blockquote tr div table nav header footer main ol ul details summary title"
    " style body".split()
)
_PLAIN = _BLOCKS | frozenset("html head a b i em strong code q bdi span th td small meter".split())
_VOID = frozenset("meta img br hr input link base wbr source".split())
_ATTRIBUTES = frozenset(
    "class id dir lang rel href value min max open aria-label aria-hidden".split()
)


class _Page(HTMLParser):
    """A page as lines. A link is followed by its address; what is shown on hover, and labels, are
    lines of their own; so is any markup that Assay does not write.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[Line] = []
        self._open: list[
            tuple[str, str, str]
        ] = []  # tag, what closes its text, its part: heading | text | pop | style
        self._text: list[str] = [""]
        self._lead = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        if tag in _BLOCKS:
            self._flush()
            self._lead = f"{said['value']}." if tag == "li" and "value" in said else ""
        if tag not in _PLAIN or not _ATTRIBUTES.issuperset(said):
            self.lines.append(
                Line("note", f"<{tag} {' '.join(f'{name}={value}' for name, value in attrs)}>")
            )
        if "aria-label" in said:
            self.lines.append(Line("note", f"{said['aria-label']} {said.get('href', '')}"))
        if tag == "meter":
            self._text[-1] += f"{said.get('value', '')} "
        if said.get("class") == "pop":
            self._text.append("")
        if tag not in _VOID:
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
        if tag in _BLOCKS:
            self._flush()
        while self._open:
            name, closing, part = self._open.pop()
            self._text[-1] += closing
            outer = self._open[-1][2] if self._open else "text"
            if part == "pop" and outer != "pop" and len(self._text) > 1:
                self.lines.append(Line("note", self._text.pop().strip()))
            if name == tag:
                break

    def handle_data(self, data: str) -> None:
        style = bool(self._open) and self._open[-1][2] == "style"
        self._text[-1] += f"style {sha(data.encode('utf-8', 'replace'))}" if style else data

    def handle_comment(self, data: str) -> None:
        self.lines.append(Line("note", f"<!--{data}-->"))

    def handle_decl(self, decl: str) -> None:
        self.lines.append(Line("note", f"<!{decl}>"))

    def handle_pi(self, data: str) -> None:
        self.lines.append(Line("note", f"<?{data}>"))

    def unknown_decl(self, data: str) -> None:
        self.lines.append(Line("note", f"<![{data}]>"))

    def _flush(self) -> None:
        if len(self._text) == 1 and self._text[0].strip():
            heading = bool(self._open) and any(part == "heading" for _, _, part in self._open)
            self.lines.append(
                Line("heading" if heading else "text", self._text[0].strip(), self._lead)
            )
            self._text[0], self._lead = "", ""


def of_page(text: str) -> Iterator[Line]:
    page = _Page()
    page.feed(text)
    page.close()
    page._flush()
    yield from page.lines


def lines_of(name: str, body: bytes) -> list[Line]:
    """The lines of report.md or report.html that hold anything to be read."""
    read = of_markdown if name == "report.md" else of_page
    return [line for line in read(body.decode("utf-8")) if not _RULE.fullmatch(bare(line.text))]


# -- sentences -------------------------------------------------------------------------------------------------------------


def sentences(told: Any, name: str) -> list[Said]:
    """The sentences of report.json as report.md or report.html has to have them."""
    found = []
    for one in told["sentences"]:
        numbers, state = dict.fromkeys(each["source"] for each in one["citations"]), one["state"]
        without = (
            told["decision"] != "insufficient_data" and state == "uncited" and bool(one["note"])
        )
        if name == "report.md":
            flags = (
                (_ONE if one["one_source"] else "")
                + (_FLAGS.get(state, "") if numbers else "")
                + (_NONE if without else "")
            )
            marks = "".join(f"[{number}]" for number in numbers) + flags
        else:
            marks = "".join(f"[{number}{_SIGNS.get(state, '?')}]" for number in numbers) or (
                _NONE_THERE if without else ""
            )
        found.append(
            Said(_MARKS.sub("", bare(one["section"])), bare(one["text"]) + marks, one["text"])
        )
    return [one for one in found if not _RULE.fullmatch(one.whole)]


def unheld(name: str, body: bytes, told: Any) -> tuple[list[str], list[str]]:
    """(the lines that hold no sentence of report.json, what is wrong with those that do and with
    the text around them).
    """
    queue, at, heading = sentences(told, name), 0, ""
    own, faults, notices = list[str](), list[str](), set(map(bare, told["notices"]))
    reached = False  # the sources, at which the text ends
    for line in lines_of(name, body):
        rest = bare(line.text)
        reached = reached or (line.kind == "heading" and rest == "Sources" and at == len(queue))
        notice = not at and rest in notices
        end = at if line.kind != "text" or notice else _taken(rest, queue, at)
        if end == at:
            heading = _MARKS.sub("", rest) if line.kind == "heading" else heading
            own.append(_own(line))
            if not reached and not _fits(line, rest, told, 0 < at < len(queue)):
                faults.append(f"{name}: not in report.json, or not there: {line.text}")
            continue
        faults += [
            f"{name}: not under its heading: {one.words}"
            for one in queue[at:end]
            if one.section and one.section != heading
        ]
        own += [line.lead] if line.lead else []
        at = end
    return own, faults + [
        f"{name}: missing, or not as in report.json: {one.words}" for one in queue[at : at + 1]
    ]


def _around(told: Any) -> set[str]:
    """The lines that the text of a report has beside its sentences, as report.json holds them."""
    computed, known = told["confidence"], [told["question"], *told["notices"], *_HEADINGS]
    if computed:
        known += [
            (
                f"Computed from the sources and the checks of this report: {computed['level']}"
                " confidence."
            ),
            *map(_measure, computed["lines"]),
        ]
    return {*map(bare, known), *(_MARKS.sub("", bare(heading)) for heading in told["headings"])}


def _measure(line: Any) -> str:
    reason = line["level"] if line["level"] == "high" else f"{line['level']}; {line['why']}"
    return f"{line['name'].capitalize()}: {line['value']} ({reason})."


def _values(one: Any) -> str:
    """What is told of a contradiction behind its kind."""
    values = "; ".join(f"“{claim['value']}” [{claim['source']}]" for claim in one["claims"])
    return f": {one['about']}: {values}."


def _fits(line: Line, rest: str, told: Any, between: bool) -> bool:
    """Whether a line may stand in the text, as its sentences do not. between: two sentences, where
    nothing but a heading may.
    """
    if line.kind != "text":
        return line.kind == "note" or _MARKS.sub("", rest) in _around(told)
    if between:
        return False
    listed = _TO_CHECK.fullmatch(rest)
    return bool(
        rest in _around(told)
        or (
            rest.startswith(_DIFFER)
            and any(rest.endswith(bare(_values(one))) for one in told["contradictions"][:TOLD])
        )
        or (listed and any(_is_quoted(listed[1], listed[2], one) for one in told["sentences"]))
        or _HEAD.fullmatch(rest)
    )


def _is_quoted(quote: str, note: str, sentence: Any) -> bool:
    """Whether a sentence to check is this one, as far as a long one is shown, with its note or what
    the check found.
    """
    return bare(sentence["text"]).startswith(quote.rstrip("…")) and note in (
        bare(sentence["note"]),
        _FLAGS.get(sentence["state"]),
    )


def _own(line: Line) -> str:
    return seen(" ".join(f"{line.lead} {line.text}".split()))


def _taken(rest: str, queue: list[Said], at: int) -> int:
    """The place behind the sentences that a line is made of, whole; the same place where it is not."""
    first = at
    while rest:
        if at == len(queue) or not rest.startswith(queue[at].whole):
            return first
        rest, at = rest[len(queue[at].whole) :], at + 1
    return at


# -- the other lines -------------------------------------------------------------------------------------------------------


def own_words(files: dict[str, bytes]) -> dict[str, list[str]]:
    """What text.json holds: by file, the lines that no sentence of report.json accounts for, in
    order.
    """
    told = report_of(files)
    return {name: unheld(name, files[name], told)[0] for name in READ}


def words(files: dict[str, bytes]) -> list[str]:
    """report.md and report.html have the text that report.json has, its sources and decision; their
    other lines are those of text.json.
    """
    told, faults = report_of(files), []
    for name in READ:
        own, wrong = unheld(name, files[name], told)
        faults += wrong + _against(name, own, read_json(files, "text.json")[name])
        faults += _lacking(name, own, told)
    return faults


def _against(name: str, own: list[str], told: list[str]) -> list[str]:
    if own == told:
        return []
    more, less = (
        [line for line in own if line not in told],
        [line for line in told if line not in own],
    )
    said = [f"{name}: in no file beside it: {line}" for line in more] + [
        f"{name}: missing, or changed: {line}" for line in less
    ]
    return said or [f"{name}: its lines are in another order than in text.json"]


def _lacking(name: str, own: list[str], told: Any) -> list[str]:
    """What report.json says and no line does. A line has to hold all the pieces of one fact."""
    lines = list(map(bare, own))
    facts = [*_facts(told), *(_in_markdown(told) if name == "report.md" else _in_page(told))]
    faults = [
        f"{name}: does not say: {' '.join(fact)}"
        for fact in facts
        if not _held([bare(piece) for piece in fact], lines)
    ]
    titles = sum(
        _held([bare(told["question"])], [line]) and len(line) <= len(bare(told["question"]))
        for line in lines
    )
    if bare(told["question"]) and titles < (1 if name == "report.md" else 2):
        faults.append(f"{name}: its title is not the question of report.json")
    listed = [int(found[1]) for found in map(_ENTRY.match, own) if found]
    kept = [source["number"] for source in told["sources"] if source["number"]]
    if name == "report.md" and listed != sorted(kept):
        faults.append("report.md: lists other sources than report.json")
    return faults


def _held(pieces: list[str], lines: list[str]) -> bool:
    """Whether one line holds all the pieces; half a surrogate pair is "?" in report.json, and
    nothing there.
    """
    halves = [(piece, piece.replace("?", "")) for piece in pieces]
    return any(
        all(
            piece in line or (half != piece and half in line.replace("?", ""))
            for piece, half in halves
        )
        for line in lines
    )


def _facts(told: Any) -> Iterator[list[str]]:
    """What both say: decision, funnel, confidence, contradictions."""
    yield from ([notice] for notice in told["notices"])
    yield ["Decision:", told["rationale"].rstrip(".")]
    yield [
        "Funnel:",
        *(
            f"{told['funnel'].get(step, 0):,} {step}"
            for step in ("found", "eligible", "fetched", "judged", "kept")
        ),
    ]
    if told["confidence"]:
        yield [
            "Computed from the sources and the checks of this report:"
            f" {told['confidence']['level']} confidence."
        ]
        for line in told["confidence"]["lines"]:
            yield [_measure(line)]
        for one in told["contradictions"][:TOLD]:
            yield [_values(one)]


def _in_markdown(told: Any) -> Iterator[list[str]]:
    """The lists of sources of report.md."""
    for source in told["sources"]:
        if source["number"]:
            scored = (
                f"(Credibility Score: {_score(source)})"
                if _score(source) and not source["own"]
                else ""
            )
            yield [
                f"[{source['number']}]. {_linked(source, source['landed'] or source['url'])}"
                f" {scored}"
            ]
        elif source["status"] in ("dropped", "failed", "struck", "duplicate"):
            why = source["reason"].rstrip(".")[1:]  # its first letter may be a capital there
            yield [f"{_linked(source, source['url'])}:", *_graded(source), why]
    for source in [source for source in told["sources"] if source["blocked"]][:NAMED]:
        yield [f"{_linked(source, source['url'])} {_score(source)}"]


def _score(source: Any) -> str:
    return f"{source['credibility']['score']:.2f}" if source["credibility"] else ""


def _relevance(source: Any) -> str:
    return (
        f"{source['relevance']['score']}/5"
        if source["relevance"] and source["relevance"]["scored"]
        else ""
    )


def _graded(source: Any) -> list[str]:
    """Both scores of a source with their names, those that it has."""
    named = (("credibility", _score(source)), ("relevance", _relevance(source)))
    return [f"{name} {figure}" for name, figure in named if figure]


def _linked(source: Any, url: str) -> str:
    """A source as a link of Markdown."""
    url = seen(url).strip()
    title = source["title"] or url
    title = title if seen(title).strip() else "Untitled"
    if source["own"] and url == source["url"]:
        return f"{title} (own document)"
    whole = _NOT_IN_A_LINK.sub(
        lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), url
    )
    return f"[{title}]({whole})" if url.lower().startswith(("http://", "https://")) else title


def _in_page(told: Any) -> Iterator[list[str]]:
    """The lists of sources of report.html."""
    for source in [source for source in told["sources"] if source["number"]]:
        why = source["relevance"]["explanation"] if source["relevance"] else ""
        yield [*_named(source), *_graded(source), why[:LONG]]
    lost = [
        source
        for source in told["sources"]
        if source["status"] in ("dropped", "blocked", "struck", "failed", "duplicate")
    ]
    for source in lost[:MOST_LOST]:
        yield [*_named(source), _score(source), _relevance(source), source["reason"][:LONG]]


def _named(source: Any) -> list[str]:
    """Title and address of a source as report.html has them."""
    url = seen(source["landed"] or source["url"]).strip()
    title = source["title"] if seen(source["title"]).strip() else source["url"]
    return [
        title[:LONG],
        f"<{web_address(url)}>" if url.lower().startswith(("http://", "https://")) else "",
    ]


def web_address(url: str) -> str:
    """An address as every format has it: what may not stand in one percent-encoded."""
    return quote(url, safe="%/:?#[]@!$&'()*+,;=-._~")
