"""Check citation marks against the passage ids that code created, and format source lists.

A passage id is "p" and 8 hex digits; a mark is one or more of them in square brackets: [p1a2b3c4d]
or [p1a2b3c4d, p5e6f7a8b]. Whether a passage supports its sentence is decided in `verify`, the
layout of a report in `draft` and `report`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from research_core.i18n import _, join_list
from research_core.text import references
from research_core.text.words import escape_markdown, strip_invisible
from research_core.trust import provenance
from research_core.urls import is_own_document, is_web_address

#: A well-formed mark with the space before it. Every id of a text from `keep_known` stands in one.
MARK_PATTERN = re.compile(r"[ \t]*\[p[0-9a-f]{8}(?:, p[0-9a-f]{8})*\]")

_ID = re.compile(r"p[0-9a-f]{8}")


def find_cited_ids(text: str) -> tuple[str, ...]:
    """Return the ids of the well-formed marks, each once, in order."""
    return tuple(
        dict.fromkeys(id for mark in MARK_PATTERN.findall(text) for id in _ID.findall(mark))
    )


# -- what code did not mint ------------------------------------------------------------------------

# One character for one character: what a text looks like, in small ASCII letters, digits and square
# brackets.
_LOOKALIKES = {
    **{chr(capital): chr(capital + 32) for capital in range(ord("A"), ord("Z") + 1)},
    **{
        chr(code): unicodedata.normalize("NFKC", chr(code)).lower()
        for code in (*range(0xFF01, 0xFF5F), *range(0x1D400, 0x1D800))
    },
    **dict.fromkeys("［【〔〖⟦❲﹝", "["),
    **dict.fromkeys("］】〕〗⟧❳﹞", "]"),
    **{
        look: plain
        for looks, plain in zip("рΡРρ аΑАα сСϲ еЕΕε оОοΟ".split(), "paceo", strict=True)
        for look in looks
    },
}
_LOOKALIKE_TABLE = str.maketrans(
    {look: plain for look, plain in _LOOKALIKES.items() if len(plain) == 1}
)

_MARK = r"\[p[0-9a-f]{8}(?:, p[0-9a-f]{8})*\]"
# Also what `draft` takes out between two lines or words: the signs of a quotation, and other marks.
_BETWEEN = rf"(?:&(?![#lr])|\n[\s>]*|[\s,;:|+/\\*_`\"'^~$–—…-]|\.\.+|\b(?:and|to)\b|{_MARK})"
_TOKEN = (
    r"(?<![0-9a-z])(?:p(?=[0-9a-z]*[0-9])[0-9a-z]{1,16}|p[0-9a-f]{8}|[1-9][0-9]{0,2})(?![0-9a-z])"
)
_LONE_ID = r"(?<![0-9a-z])p[0-9a-f]{8}(?![0-9a-z])"
# [cite: 3], [source 3]; [3, pp. 4-5]
_REFERENCE_WORD = (
    r"(?:(?:cit(?:e|ed|ation)|source|src|ref(?:erence)?|footnote|fn|note|passage|doc(?:ument)?"
    r"|see|id)s?[\s.:\#]++)"
)
_PAGE_REFERENCE = r"(?:[,;]?\s*(?:pp?|ch|sec|§)\.?\s*\d{1,4}(?:\s*[-–]\s*\d{1,4})?\s*)"
_SUSPECT = re.compile(
    rf"""
      (?: \\?\[ | &(?:\#0*91|\#x0*5b|lsqb|lbrack); )
      (?P<inside> {_BETWEEN}*+ {_REFERENCE_WORD}?+ {_TOKEN} (?:{_BETWEEN}++ {_TOKEN})*+ {_BETWEEN}*+ )
      {_PAGE_REFERENCE}?+
      (?: \] | &(?:\#0*93|\#x0*5d|rsqb|rbrack); )
    | \[
      (?P<other>
          \d{{1,6}} (?:{_MARK}|[^\[\]†]){{0,20}} † (?:{_MARK}|[^\[\]]){{0,80}}
        | \^ \w{{1,20}} (?:-\w{{2,19}})? {_BETWEEN}*+
      )
      \]
    | [({{<] \s*+ {_LONE_ID} (?:[\s,;]++ {_LONE_ID})*+ \s*+ [)}}>]
    | {_LONE_ID}
    """,
    re.VERBOSE,
)
_TOKENS = re.compile(_TOKEN)
_ENCODED_LETTER = re.compile(r"&#(?:0{0,5}([0-9]{1,3})|[xX]0{0,4}([0-9a-fA-F]{1,2}));")
# The bracket that this would spell if the mark in its middle went.
_SPLIT_ENTITY = re.compile(rf"&(?=(?:#\w{{1,8}}|[lr]sqb|[lr]brack)\s*{_MARK})")
_FORBIDDEN_JOINS = ("](", "]:", "``", "**", "__")
#: How many characters back the start of an emphasis is searched for.
MAX_BRACKET_DISTANCE = 4_000
#: Rounds after which a text counts as written to keep the loop running.
MAX_ROUNDS = 8
_OPEN_OR_CLOSE = re.compile(
    rf"{MARK_PATTERN.pattern}|[&\[\]"
    rf"{''.join(look for look, plain in _LOOKALIKES.items() if plain in ('[', ']'))}]"
)
_LIST_OF_IDS = re.compile(
    r"\[[\s\\*_`]*+p[0-9a-f]{8}(?:(?:[\s,;&\\*_`]|\band\b)++p[0-9a-f]{8})*+[\s\\*_`]*+\]"
)
#: Ids in round brackets behind a mark, which are removed by a match of their own.
_IDS_FOLLOW = re.compile(r"\([\s,;]*+p[0-9a-f]{8}(?:[\s,;]++p[0-9a-f]{8})*+\s*+\)")
_LINE_HEAD = re.compile(r"(?:^|\n)[\s>*+.\d-]*$")
_SPACES = re.compile(r"[ \t]*")


#: A key as other programs write it in square brackets: [S99-9], [doc3], [source_2:1], [chunk-07].
_FOREIGN_KEY = (
    r"(?:(?:S|P|SRC|DOC|[Ss]ource|[Ss]rc|[Dd]oc|[Rr]ef|[Cc]ite|[Cc]itation|[Pp]assage|[Cc]hunk"
    r"|[Ss]nippet|[Qq]uelle|[Ff]uente|[Ff]onte)[-_.: #]?\d{1,4}(?:[-_.:][A-Za-z]?\d{1,4}){0,3})"
)
_OWN_ID = r"p[0-9a-f]{8}"
_ANY_KEY = rf"(?:{_OWN_ID}|{_FOREIGN_KEY})"
#: A mark with such a key, also beside ids of passages: [p1a2b3c4d, S2].
_FOREIGN_MARK = re.compile(
    rf"(?<![A-Za-z0-9_])[\[【［]\s*(?P<keys>{_ANY_KEY}(?:\s*[,;]\s*{_ANY_KEY})*)\s*[\]】］](?![(:])"
)
#: An id that no passage has.
UNKNOWN_ID = "pffffffff"


def rename_foreign_marks(text: str) -> str:
    """Put the id of an unknown passage in place of keys in the style of other programs: [S99-9]."""

    def rename(mark: re.Match[str]) -> str:
        keys = re.split(r"\s*[,;]\s*", mark["keys"])
        own = [key if re.fullmatch(_OWN_ID, key) else UNKNOWN_ID for key in keys]
        return mark[0] if own == keys else f"[{', '.join(own)}]"

    return _FOREIGN_MARK.sub(rename, text)


def keep_known(text: str, known: Collection[str], lost: str = "") -> tuple[str, int]:
    """Keep only marks of known passages; return the text and the number of removed ids.

    lost: an id that replaces what was removed, so that its sentence can be found; "" for none.

    Everything is removed that a reader could take for a citation and code did not create: unknown
    ids, ranges, ids outside plain square brackets or in look-alike letters, bracketed numbers
    ("[3]", "[^3]": the report numbers its sources so), and a mark that Markdown would make a link.
    The space before it goes too. Of the rest only invisible characters are removed
    (`strip_invisible`).
    """
    text = _ENCODED_LETTER.sub(_decode_letter, strip_invisible(text))
    text = _SPLIT_ENTITY.sub("", text)
    removed = rounds = 0
    while True:
        checked, count = _remove_unknown_marks(text, known, lost)
        if checked == text:
            return text, removed
        rounds += 1
        removed += count
        # What stood around a removed mark may look like one now. Nobody nests marks that deep in
        # good faith, so then all brackets go.
        text = _strip_brackets(checked, known) if rounds == MAX_ROUNDS else checked


def _decode_letter(reference: re.Match[str]) -> str:
    """Decode a character reference of a letter or digit, which needs no encoding; keep others."""
    number = int(reference[1]) if reference[1] else int(reference[2], 16)
    return chr(number) if number < 128 and chr(number).isalnum() else reference[0]


def _strip_brackets(text: str, known: Collection[str]) -> str:
    """Remove every square bracket, or its encoding, outside marks of known passages."""
    return _OPEN_OR_CLOSE.sub(
        lambda found: found[0] if _is_known_mark(found[0], known) else "", text
    )


def _is_known_mark(found: str, known: Collection[str]) -> bool:
    ids = _ID.findall(found)
    return bool(ids) and all(id in known for id in ids)


def _remove_unknown_marks(text: str, known: Collection[str], lost: str) -> tuple[str, int]:
    """Remove suspects without a known id; return the text and the number of removed ids.

    lost: as in `keep_known`.
    """
    looks = text.translate(_LOOKALIKE_TABLE)
    out, done, removed = "", 0, 0
    for suspect in _SUSPECT.finditer(looks):
        start, end = _widen_to_brackets(looks, done, *suspect.span())
        if suspect["other"]:
            ids = [suspect["other"]]
        else:
            ids = _TOKENS.findall(suspect["inside"] or suspect[0])
        kept: dict[str, None] = {}
        makes_link = _would_make_link(text, start, end)
        if not makes_link:
            mark = text[suspect.start() : suspect.end()].removeprefix("\\")
            kept = _select_known_ids(mark, ids, known)
        removed += sum(id not in kept for id in ids)
        if lost and not kept and not makes_link:
            kept = {lost: None}
        out += text[done:start]
        if kept:
            out += f"[{', '.join(kept)}]"
        else:
            out, end = _close_gap(*_strip_emphasis(out, text, end))
        done = end
    return out + text[done:], removed


def _select_known_ids(mark: str, ids: Sequence[str], known: Collection[str]) -> dict[str, None]:
    """Select the known ids of a suspect; if it holds whole marks, only the ids of those.

    `draft` would take whole marks out of a suspect that is no plain list of ids.
    """
    listed = ids if _LIST_OF_IDS.fullmatch(mark) else find_cited_ids(mark[1:])
    return dict.fromkeys(id for id in listed if id in known)


def _widen_to_brackets(looks: str, done: int, start: int, end: int) -> tuple[int, int]:
    """Widen a span by the brackets that hold nothing else."""
    while start > done and looks[start - 1] == "[" and looks[end : end + 1] == "]":
        start, end = start - 1, end + 1
    return start, end


def _would_make_link(text: str, start: int, end: int) -> bool:
    """Return True if Markdown would read "[…](…)", or "[…]: …" at the head of a line, as a link."""
    after = text[end : end + 1]
    return (after == "(" and not _IDS_FOLLOW.match(text, end)) or (
        after == ":" and _LINE_HEAD.search(text[max(0, start - 40) : start]) is not None
    )


def _strip_emphasis(out: str, text: str, end: int) -> tuple[str, str, int]:
    """Remove the signs of code or emphasis that held only a removed mark.

    Two of them would open another code span.
    """
    while out and (sign := out[-1]) in "`*_":
        before, block = (
            out.rstrip(sign),
            out[max(out.rfind("\n\n"), len(out) - MAX_BRACKET_DISTANCE) + 1 :],
        )
        length, opens = len(out) - len(before), len(re.findall(rf"{re.escape(sign)}+", block)) % 2
        if (
            not opens
            or not text.startswith(sign * length, end)
            or text[end + length : end + length + 1] == sign
        ):
            break
        out, end = before, end + length
    return out, text, end


def _close_gap(out: str, text: str, end: int) -> tuple[str, int]:
    """Return the text before and the offset to go on from, without a gap where a mark was removed.

    Two words are not joined, and no link arises.
    """
    before = out.rstrip(" \t")
    if not before or before[-1] == "\n":
        return out, _SPACES.match(text, end).end()  # type: ignore[union-attr]
    after = text[end : end + 1]
    if (before[-1].isalnum() and after.isalnum()) or before[-1] + after in _FORBIDDEN_JOINS:
        return before + " ", end
    return before, end


def strip_source_list(text: str) -> tuple[str, int]:
    """Remove source lists that the writer made up; return the text and the number of entries.

    The report's own list is made by code. A made-up list stands below a heading of sources; one
    with a well-formed mark in it is text.
    """
    text = strip_invisible(text)
    kept: list[str] = []
    done = entries = 0
    for start, end in references.find_references(text):
        heading, *below = (line.strip() for line in text[start:end].splitlines())
        line = references.ReferenceLine(start, start + len(heading), heading)
        if line.sure is None or MARK_PATTERN.search(text, start, end):
            continue
        kept.append(text[done:start])
        done = end
        entries += sum(any(map(str.isalnum, entry)) for entry in below)
    kept.append(text[done:])
    return "".join(kept), entries


# -- the list of sources ---------------------------------------------------------------------------

_UNSAFE_IN_LINK = re.compile(r"[\s()<>\[\]\\\"`|*]")


def format_citations(sources: Sequence[Mapping[str, Any]]) -> str:
    """Format one numbered line per source: "[1]. [Title](url) (Credibility Score: 0.87)".

    A source is {"url", "title", "score"}; without a score (None or missing) its line has none. An
    own document has neither link nor score: "[2]. Title (own document)". An address that is no web
    address is not linked. "archived", (name, address), names the copy that was read instead of the
    page; "listed" is the address that was found, if it redirected elsewhere; "claim" is the address
    that an own document names as its own; "hides" is the text of
    `provenance.describe_hidden_texts`; "copy_of" is the number of the source with the same text;
    "live_failure" is why the copy was read, as a clause.
    """
    return "\n".join(
        f"[{number}]. {_format_source(source)}" for number, source in enumerate(sources, 1)
    )


def _format_source(source: Mapping[str, Any]) -> str:
    url, score = str(source.get("url") or ""), source.get("score")
    parts = [format_link(str(source.get("title") or ""), url)]
    remarks = []
    if score is not None and not is_own_document(url.strip()):
        parts.append(_(" (Credibility Score: {score:.2f})").format(score=score))
    if source.get("listed"):
        listed = escape_markdown(strip_invisible(str(source["listed"])))
        remarks.append(provenance.describe_searched_as(listed))
    if source.get("claim"):
        claimed = escape_markdown(strip_invisible(str(source["claim"])))
        remarks.append(provenance.describe_claimed_address(claimed))
    if source.get("archived"):
        words = _("read from {copy}")
        if source.get("live_failure"):
            words = _("read from {copy}: {reason}")
        copy = format_link(*source["archived"])
        remarks.append(words.format(copy=copy, reason=source.get("live_failure")))
    if source.get("hides"):
        remarks.append(source["hides"])
    if source.get("copy_of"):
        copied = f"[{source['copy_of']}]"
        remarks.append(provenance.describe_copy(copied))
    return join_list(["".join(parts), *remarks])


def format_link(title: str, url: str) -> str:
    """Format a source as a Markdown link; only its title if it has no web address."""
    url = strip_invisible(url).strip()
    title = escape_markdown(title or url) or _("Untitled")
    if is_own_document(url):
        return f"{title} ({_('own document')})"
    if not is_web_address(url):
        return title
    return f"[{title}]({_UNSAFE_IN_LINK.sub(_percent_encode, url)})"


def _percent_encode(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())
