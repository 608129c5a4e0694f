"""Join a text that was cut off with its continuation, which may repeat what was written before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

#: Characters, without white space, that must be the same where a continuation begins inside a line.
MIN_REPEATED = 12
#: The same where a continuation begins at a line of the text and goes on in other words.
MIN_RESTARTED = 60
#: Lines before a continuation that announce it, at most, and their length in characters.
MAX_ANNOUNCEMENTS, MAX_ANNOUNCEMENT_LENGTH = 4, 120

_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_FENCE = re.compile(r"(?m)^[ \t]*```")
_WHOLE_FENCE = re.compile(r"```(?:markdown|md|text)?[ \t]*\n(.*?)(?:\n```\s*)?", re.DOTALL)
_RULE = re.compile(r"[-*_]{3,}[ \t]*(?:\n|\Z)")
#: A rule, or the end of "Here is the rest:".
_ANNOUNCEMENT = re.compile(r"[-*_]{3,}|.*(?:[:：…]|\.{3})[*_]*")
#: "Continuing:" or "(continued)", in front of the text itself.
_LABEL = re.compile(r"[*_(\[]*continu\w+[*_]*[:：…)\]][*_)\]]*\s*", re.IGNORECASE)
#: Scripts that put no spaces between words, with their punctuation.
_UNSPACED = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]"
_NO_SPACE_BEFORE = re.compile(rf"[.,;:!?%)\]}}”’»…]|{_UNSPACED}")
_NO_SPACE_AFTER = re.compile(rf"(?:[(\[{{“‘«/]|\[[^\]\s]*|{_UNSPACED})\Z")
#: A line with text of its own, without its sign of a list item: no heading, table, rule or fence.
_TEXT_LINE = re.compile(
    r"(?m)^[ \t]*(?![ \t]*(?:[#|]|```|[-*_]{3,}[ \t]*$|\*\*[^*\n]+\*\*[:：]?[ \t]*$))"
    r"(?:[-*+][ \t]+|\d+[.)][ \t]+)?(?P<text>\S.*)$"
)
#: The tags around the text in the request for its continuation.
_DRAFT_TAG = re.compile(r"(?m)^[ \t]*</?draft>[ \t]*(?:\n|\Z)")
_ITEM = re.compile(r"[-*] ")
_SENTENCE_END = re.compile(r"[.!?。！？۔।\]][\"'”’)*_]*\Z")


def join_texts(begun: str, rest: str) -> str:
    """Return a text with its continuation, without what the continuation repeats of it.

    A continuation may repeat the text from any place on, with other spacing, in a code block or
    below lines that announce it. Where it writes a part again in other words, it replaces the text
    from there on. An announcement of new text stays.
    """
    before, rest = begun.rstrip(), _DRAFT_TAG.sub("", rest)
    for beginning in _list_beginnings(begun, rest):
        if _RULE.match(beginning):
            continue  # it announces; its first sign may be that of a list item
        joined = _join_repeated(before, beginning)
        if joined is not None:
            return joined
    restart = _find_new_beginning(before, rest)
    if restart is not None:
        kept, repeated = restart
        return before[:kept] + _unwrap(begun, rest[repeated:])
    return _append(begun, _unwrap(begun, rest))


def _list_beginnings(begun: str, rest: str) -> Iterator[str]:
    """Yield a continuation as it is, then without the code block and lines at its beginning."""
    text = rest
    for _count in range(MAX_ANNOUNCEMENTS + 1):
        yield text.lstrip()
        text = _unwrap(begun, text).lstrip()
        yield text
        label = _LABEL.match(text)
        line, _newline, below = text.partition("\n")
        if label:
            text = text[label.end() :]
        elif len(line) <= MAX_ANNOUNCEMENT_LENGTH and _ANNOUNCEMENT.fullmatch(line.rstrip()):
            text = below
        else:
            return


def _unwrap(begun: str, rest: str) -> str:
    """Return a continuation without the code block around it."""
    whole = _WHOLE_FENCE.fullmatch(rest.strip())
    if whole is None or len(_FENCE.findall(whole[1])) % 2:
        return rest
    opened_around_all = begun.lstrip().startswith("```")
    fences = len(_FENCE.findall(begun)) - opened_around_all
    # With an odd number, the fence closes a code block that the text has opened.
    return rest if fences % 2 else whole[1]


# ---------------------------------------------------------------- repetitions


def _join_repeated(before: str, rest: str) -> str | None:
    """Return the joined text if the continuation begins with something that is there, else None."""
    old, new = _remove_spaces(before), _remove_spaces(rest)
    if not new:
        return None
    repeated = _measure_overlap(before, old, new)
    if repeated:
        offsets = [offset for offset, sign in enumerate(rest) if not sign.isspace()]
        return before + rest[offsets[repeated - 1] + 1 :]
    if len(new) >= MIN_RESTARTED and new in old:
        return before
    restart = _find_same_line(before, new)
    if restart is None:
        restart = _find_same_heading(before, rest)
    return None if restart is None else before[:restart] + rest


def _remove_spaces(text: str) -> str:
    return "".join(text.split())


def _measure_overlap(before: str, old: str, new: str) -> int:
    """Return how many characters at the end of the text are the beginning of the continuation.

    old, new: both without white space. An overlap of whole lines may be short.
    """
    start = old.find(new[:MIN_REPEATED]) if len(new) >= MIN_REPEATED else -1
    while start >= 0:
        if new.startswith(old[start:]):
            return len(old) - start
        start = old.find(new[:MIN_REPEATED], start + 1)
    tail, repeated = "", 0
    for line in reversed(before.split("\n")):
        tail = _remove_spaces(line) + tail
        if new.startswith(tail):
            repeated = len(tail)
        if len(tail) >= MIN_REPEATED:
            break
    return repeated


def _find_same_line(before: str, new: str) -> int | None:
    """Return the offset of the line from which the continuation repeats a long run.

    Rows of tables do not count: two tables may have the same head.
    """
    head = new[:MIN_RESTARTED]
    if len(new) <= MIN_RESTARTED or head.startswith("|"):
        return None
    for line in re.finditer(r"(?m)^[ \t]*(?=\S)", before):
        if _remove_spaces(before[line.end() : line.end() + 2 * MIN_RESTARTED]).startswith(head):
            return line.end()
    return None


def _find_same_heading(before: str, rest: str) -> int | None:
    """Return the offset of the heading with which the continuation begins anew.

    A section below another one may have the same heading.
    """
    wanted = _HEADING.match(rest)
    if wanted is None:
        return None
    lowest = 6
    for heading in reversed(list(re.finditer(rf"(?m)^{_HEADING.pattern}", before))):
        level = len(heading[1])
        if level > lowest:
            continue
        lowest = level
        if _simplify(heading[2]) == _simplify(wanted[2]):
            return heading.start()
    return None


def _find_new_beginning(before: str, rest: str) -> tuple[int, int] | None:
    """Return where a continuation that begins anew becomes the same, as an offset in each text.

    Before, it has a title, an apology or a first paragraph in other words. Headings do not count.
    Two lines in a row must be the same, as a new section may repeat one; or the only line there is.
    """
    old = _list_text_lines(before)
    new = [*_list_text_lines(rest)[: MAX_ANNOUNCEMENTS + 2], (len(rest), "")]
    if len(old) == 1:
        old.append((len(before), ""))
    for (repeated, line), (_, next_line) in pairwise(new):
        for (kept, text), (_, next_text) in pairwise(old[:3]):
            heads = text[:MIN_RESTARTED], next_text[:MIN_RESTARTED]
            is_long = len("".join(heads)) >= 2 * MIN_REPEATED
            if is_long and line.startswith(heads[0]) and next_line.startswith(heads[1]):
                return kept, repeated
    return None


def _list_text_lines(text: str) -> list[tuple[int, str]]:
    """Return the offset of each line with text of its own, and its text without space and stress."""
    lines = []
    for line in _TEXT_LINE.finditer(text):
        lines.append((line.start(), re.sub(r"[\s*_]", "", line["text"])))
    return lines


def _simplify(heading: str) -> str:
    return " ".join(re.sub(r"[#*_:：]", " ", heading).split()).casefold()


# ---------------------------------------------------------------- no repetition


def _append(begun: str, rest: str) -> str:
    """Return both texts with the space between them that they have, or that they need."""
    before, after = begun.rstrip(), rest.lstrip()
    if not after:
        return before
    space = begun[len(before) :] + rest[: len(rest) - len(after)]
    newlines = max(min(2, space.count("\n")), _count_needed_newlines(before, after))
    if newlines:
        return before + "\n" * newlines + after
    fits = _NO_SPACE_BEFORE.match(after) or _NO_SPACE_AFTER.search(before)
    return before + after if fits and not space else f"{before} {after}"


def _count_needed_newlines(before: str, after: str) -> int:
    """Return how many newlines the beginning of the continuation needs before it."""
    last = before.rpartition("\n")[2].lstrip()
    first = after.partition("\n")[0].rstrip()
    if after.startswith("|") and last.startswith("|"):
        return 1 if last.endswith("|") else 0
    if _ITEM.match(after) and _ITEM.match(last):
        return 1
    if after.startswith(("#", "|")) or _ITEM.match(after):
        return 2
    # A paragraph below a heading; the heading itself would have ended without a full stop.
    return 2 if last.startswith("#") and _SENTENCE_END.search(first) else 0
