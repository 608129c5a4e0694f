"""Join a text that was cut off with its continuation, which may repeat what was written before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

#: Characters, without spaces, that must be the same where a continuation begins inside a line.
MIN_REPEATED = 12
#: Bytes, without spaces, that must be the same where a continuation begins at a line of the text
#: and goes on in other words.
MIN_RESTARTED_BYTES = 100
#: Lines before a continuation that only announce it, at most, and their length in characters.
MAX_ANNOUNCEMENTS, MAX_ANNOUNCEMENT_LENGTH = 4, 120

_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_FENCE = re.compile(r"(?m)^[ \t]*```")
_WHOLE_FENCE = re.compile(r"```(?:markdown|md|text)?[ \t]*\n(.*?)(?:\n```\s*)?", re.DOTALL)
_RULE = re.compile(r"(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|_{3,}")
_COLON_AT_END = re.compile(r"(?:[:：…]|\.{3})[\W_]*")
#: "Continuing:", in front of the text itself.
_LABEL = re.compile(
    r"[*_(\[]*(?:continu(?:ing|ed|ation)|fortsetzung|suite|continuación|continuação|continuazione"
    r"|vervolg|продолжение|продовження|ciąg dalszy|devamı|التكملة|تتمة|続き|继续|續|续|계속)"
    r"(?:[*_)\]]*(?:[:：…]|\.{3})|[)\]])[*_)\]]*\s*",
    re.IGNORECASE,
)
#: How a line on the continuation begins, and a word in it: "Here is the rest of the report:".
_ANNOUNCING = re.compile(
    r"[\W_]*(?:sure|certainly|of course|ok|okay|understood|here|now|continu|the rest"
    r"|natürlich|gerne|klar|hier|weiter|es folgt|bien sûr|d'accord|voici|je continue|la suite"
    r"|claro|por supuesto|aquí|aqui|continú|ecco|certo|natuurlijk|конечно|вот|продолж|далее"
    r"|oczywiście|oto|tabii|işte|بالطبع|إليك|好的|当然|當然|以下|接|下面|はい|承知|それでは|続|네|물론|다음)",
    re.IGNORECASE,
)
_CONTINUES = re.compile(
    r"\brest|continu|remain|left off|stopped|cut off|fortsetz|weiter|übrig|suite|reste\b|resto\b"
    r"|restante|seguito|sigue|prosegu|vervolg|продолж|остал|остав|dalsz|reszt|devam|kalan"
    r"|تتمة|بقية|استكمال|剩|余|餘|续|續|接|残|続|나머지|계속|이어",
    re.IGNORECASE,
)
#: Scripts that put no spaces between words, with their punctuation.
_SPACELESS = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]"
_NO_SPACE_BEFORE = re.compile(rf"[.,;:!?%)\]}}”’»…]|{_SPACELESS}")
_NO_SPACE_AFTER = re.compile(rf"(?:[(\[{{“‘«/]|\[[^\]\s]*|{_SPACELESS})\Z")
_SENTENCE_END = re.compile(r"[.!?。！？۔।\]][\"'”’)*_]*\Z")


@dataclass(frozen=True)
class Squeezed:
    """The characters of a text that are no spaces, with their offsets in it.

    lines: the indexes in `signs` at which its lines begin.
    """

    signs: str
    offsets: Sequence[int]
    lines: Sequence[int]


def join_texts(begun: str, rest: str) -> str:
    """Return a text with its continuation, without what the continuation repeats of it.

    A continuation may begin anew at any place of the text, with other spacing, in a code block or
    below a line that announces it. Where it begins anew in other words, it replaces what was there
    from that heading or line on.
    """
    before = begun.rstrip()
    for candidate in _list_beginnings(begun, rest):
        joined = _join_repeated(before, candidate)
        if joined is not None:
            return joined
    return _append(begun, _unwrap(begun, _remove_announcement(rest)))


def _unwrap(begun: str, rest: str) -> str:
    """Return a continuation without the code block around it."""
    whole = _WHOLE_FENCE.fullmatch(rest.strip())
    if whole is None or len(_FENCE.findall(whole[1])) % 2:
        return rest
    opened_around_all = begun.lstrip().startswith("```")
    fences = len(_FENCE.findall(begun)) - opened_around_all
    # With an odd number, the fence closes a code block that the text has opened.
    return rest if fences % 2 else whole[1]


def _list_beginnings(begun: str, rest: str) -> Iterator[str]:
    """Yield a continuation as it is, then without what may only announce or enclose it."""
    text = rest
    for _count in range(MAX_ANNOUNCEMENTS + 1):
        yield text.lstrip()
        text = _unwrap(begun, text).lstrip()
        yield text
        label = _LABEL.match(text)
        line = text.partition("\n")[0].strip()
        if label:
            text = text[label.end() :]
        elif len(line) <= MAX_ANNOUNCEMENT_LENGTH and _may_announce(line):
            text = text.partition("\n")[2]
        else:
            return


def _may_announce(line: str) -> bool:
    """Return True for a line that is not needed where repeated text follows."""
    if _RULE.fullmatch(line) or _announces(line):
        return True
    end = _COLON_AT_END.search(line)
    return bool(end and end.end() == len(line))


def _announces(line: str) -> bool:
    """Return True for a line that says in words of its own that the rest follows."""
    first = re.search(r"[^\W_]", line)
    if first is None or first[0].islower() or len(line) > MAX_ANNOUNCEMENT_LENGTH:
        return False  # a small letter goes on with a sentence
    return bool(_ANNOUNCING.match(line) and _CONTINUES.search(line))


def _remove_announcement(rest: str) -> str:
    """Return a continuation that repeats nothing without what surely only announces it."""
    text = rest.lstrip()
    label = _LABEL.match(text)
    if label:
        return text[label.end() :]
    line, _newline, after = text.partition("\n")
    line = line.strip()
    if not (after.strip() and _announces(line) and _COLON_AT_END.search(line[-4:])):
        return rest
    after = after.lstrip()
    following, _newline, text = after.partition("\n")
    return text.lstrip() if _RULE.fullmatch(following.strip()) else after


# ---------------------------------------------------------------- repetitions


def _join_repeated(before: str, rest: str) -> str | None:
    """Return the joined text if the continuation begins with something that is there, else None."""
    old, new = _squeeze(before), _squeeze(rest)
    if not new.signs:
        return None
    start = _find_overlap(old, new.signs)
    if start is not None:
        repeated = len(old.signs) - start
        return before + rest[new.offsets[repeated - 1] + 1 :]
    place = _find_same_line(old, new.signs)
    if place is not None and old.signs.startswith(new.signs, place):
        return before
    if place is None:
        offset = _find_same_heading(before, rest)
    else:
        offset = old.offsets[place]
    return None if offset is None else before[:offset] + rest


def _squeeze(text: str) -> Squeezed:
    signs: list[str] = []
    offsets: list[int] = []
    lines: list[int] = []
    begins_line = True
    for offset, sign in enumerate(text):
        if sign.isspace():
            begins_line = begins_line or sign == "\n"
            continue
        if begins_line:
            lines.append(len(signs))
            begins_line = False
        signs.append(sign)
        offsets.append(offset)
    return Squeezed("".join(signs), offsets, lines)


def _find_overlap(old: Squeezed, new: str) -> int | None:
    """Return where the text, up to its end, is the beginning of the continuation."""
    start = old.signs.find(new[:MIN_REPEATED]) if len(new) >= MIN_REPEATED else -1
    while start >= 0:
        if new.startswith(old.signs[start:]):
            return start
        start = old.signs.find(new[:MIN_REPEATED], start + 1)
    # A last line may be shorter than what counts elsewhere.
    for start in old.lines:
        if new.startswith(old.signs[start:]):
            return start
    return None


def _find_same_line(old: Squeezed, new: str) -> int | None:
    """Return the beginning of the line from which the continuation repeats a long run.

    Rows of tables do not count: two tables may have the same head.
    """
    head = new.encode("utf-8", "replace")[:MIN_RESTARTED_BYTES].decode("utf-8", "ignore")
    if len(head) == len(new) or head.startswith("|"):
        return None
    for start in old.lines:
        if old.signs.startswith(head, start):
            return start
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


def _simplify(heading: str) -> str:
    return " ".join(re.sub(r"[#*_:：]", " ", heading).split()).casefold()


# ---------------------------------------------------------------- no repetition


def _append(begun: str, rest: str) -> str:
    """Return both texts with the space between them that they have, or that they need."""
    before, after = begun.rstrip(), rest.lstrip()
    if not after:
        return before
    gaps = (begun[len(before) :], rest[: len(rest) - len(after)])
    newlines = max(gap.count("\n") for gap in gaps)
    needed = _count_needed_newlines(before, after)
    if newlines or needed:
        return before + "\n" * min(2, max(newlines, needed)) + after
    if any(gaps):
        return f"{before} {after}"
    fits = _NO_SPACE_BEFORE.match(after) or _NO_SPACE_AFTER.search(before)
    return before + after if fits else f"{before} {after}"


def _count_needed_newlines(before: str, after: str) -> int:
    """Return how many newlines the beginning of the continuation needs before it."""
    last = before.rpartition("\n")[2].lstrip()
    first = after.partition("\n")[0].rstrip()
    if after.startswith("|") and last.startswith("|"):
        return 1 if last.endswith("|") else 0
    if re.match(r"[-*] ", after) and re.match(r"[-*] ", last):
        return 1
    if re.match(r"#|[-*] |\|", after):
        return 2
    # A paragraph below a heading; the heading itself would have ended without a full stop.
    return 2 if last.startswith("#") and _SENTENCE_END.search(first) else 0
