"""Find superscript numbers that cite a source: "…bread.<sup>3</sup>", "…bread.³".

A power or a unit ("m²", "10<sup>5</sup>") is no citation. As both look alike, a superscript counts
only after a word or the end of a clause, and only in a text in which one of them is the number of a
source.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
#: One or several superscript numbers: a tag around plain digits, with or without a link, or
#: superscript digits.
SUPERSCRIPT = (
    r"<sup[^<>]{0,100}>\s*(?:<a[^<>]{0,300}>)?\s*\[?\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*\]?\s*(?:</a"
    r">)?\s*</sup>"
    rf"|[{_DIGITS}]{{1,4}}(?:[,˒⁻–-][{_DIGITS}]{{1,4}})*"
)
_SUPERSCRIPT_PATTERN = re.compile(SUPERSCRIPT, re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_PLAIN_DIGITS = str.maketrans(f"{_DIGITS}⁻–˒;", "0123456789--,,")
#: A citing superscript follows a word of four letters or more, or the end of a sentence, a clause
#: or a quotation.
_CITING_CONTEXT = re.compile(r"(?:[^\W\d_]{4}\)?|[.,;:!?%％\"”’»\]*_]|[.!?]\)|</\w+>)\s?$")
_UNIT = re.compile(
    rf"(?:\b(?:miles?|foot|feet|inch(?:es)?|yards?|[a-z]*met(?:re|er)s?)|[\d=+×*/^]\s?\)?"
    rf"|[{_DIGITS}][.,]?)$",
    re.IGNORECASE,
)


def to_plain_digits(sign: str) -> str:
    """Return the numbers of a superscript in plain digits; any other text unchanged."""
    if not _SUPERSCRIPT_PATTERN.fullmatch(sign):
        return sign
    return re.sub(r"[\s\[\]]", "", _TAG.sub("", sign).translate(_PLAIN_DIGITS))


def find_superscripts(
    text: str, ids: Collection[str]
) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """Yield offset, text and cited ids of each superscript citation.

    ids: the numbers of the lists of sources. If no superscript cites one of them, nothing is
    yielded.
    """
    if not ids:
        return
    found: list[tuple[int, str, tuple[str, ...]]] = []
    for match in _SUPERSCRIPT_PATTERN.finditer(text):
        if _is_citation(text, match.start()):
            found.append((match.start(), match[0], _parse_numbers(match[0], ids)))
    if any(set(cited) <= set(ids) for _, _, cited in found):
        yield from found


def _is_citation(text: str, at: int) -> bool:
    before = text[max(0, at - 14) : at]
    return _CITING_CONTEXT.search(before) is not None and _UNIT.search(before) is None


def _parse_numbers(sign: str, ids: Collection[str]) -> tuple[str, ...]:
    """Return the numbers with ranges spelled out; "¹²" is 1 and 2 if a list has these and no 12."""
    cited: list[str] = []
    for part in to_plain_digits(sign).split(","):
        first, _, last = part.partition("-")
        if last and 0 < int(last) - int(first) <= 200:
            cited += map(str, range(int(first), int(last) + 1))
        elif part not in ids and not sign.startswith("<") and set(part) <= set(ids):
            cited += part
        else:
            cited += filter(None, (first, last))
    return tuple(dict.fromkeys(cited))
