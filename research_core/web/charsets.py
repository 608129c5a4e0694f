"""Decode bytes to text: by byte order mark, as UTF-8, as declared, or as most plausible.

Decoding never fails: bytes that fit no plausible encoding become U+FFFD. Whether the bytes are text
at all is decided in `signatures`.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass

_PAGE_DECLARATION = re.compile(
    rb"""<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{2,40})""",
    re.IGNORECASE,
)
_HEADER_DECLARATION = re.compile(r"""charset\s*=\s*["']?([\w.:-]{2,40})""", re.IGNORECASE)
_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    # Before the marks of UTF-16, which its first two bytes are.
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
#: Labels of the WHATWG Encoding Standard that Python spells differently or does not know.
_LABELS = {
    "windows-874": "cp874", "dos-874": "cp874", "windows-949": "cp949", "x-sjis": "cp932",
    "windows-31j": "cp932", "x-euc-jp": "euc_jp",
    "x-gbk": "gb18030", "x-x-big5": "big5hkscs", "cn-big5": "big5hkscs", "x-cp1250": "cp1250",
    "x-cp1251": "cp1251", "x-cp1252": "cp1252",
    "macintosh": "mac-roman", "x-mac-roman": "mac-roman", "x-mac-cyrillic": "mac-cyrillic",
    "koi": "koi8-r", "iso-8859-8-i": "iso8859-8",
}  # fmt: skip
#: Encodings in use on the web, by Python's names, and those browsers use instead. No other is
#: accepted: some of Python's are not text encodings, and some are slow.
_SUPERSET_ENCODINGS = {
    "iso8859-1": "cp1252", "ascii": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874",
    "tis-620": "cp874", "gb2312": "gb18030",
    "utf-16": "utf-16-le", "gbk": "gb18030", "euc_kr": "cp949", "shift_jis": "cp932", "big5": "big5hkscs",
}  # fmt: skip
_ACCEPTED_ENCODINGS = frozenset(_SUPERSET_ENCODINGS) | frozenset(_SUPERSET_ENCODINGS.values()) | {
    "utf-8", "utf-16", "utf-16-le", "utf-16-be", "koi8-r", "koi8-u", "cp866", "mac-roman",
    "mac-cyrillic", "euc_jp", "iso2022_jp",
    *(f"cp125{n}" for n in range(9)),
    *(f"iso8859-{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
}  # fmt: skip
#: Encodings that bytes may be in whatever is declared, the more frequent ones first; and the bits
#: by which the measure of a text has to be better in one of the second and the third group.
_GUESSABLE_GROUPS = (
    (0.0, ("cp1252", "utf-8")),
    (3.0, ("cp1251", "cp932", "gb18030", "cp949", "big5hkscs", "euc_jp", "koi8-r", "cp1250",
           "cp1254", "cp1253", "cp1255", "cp1256", "cp1257", "cp874")),
    (7.0, ("koi8-u", "cp866", "iso8859-5", "mac-cyrillic", "iso8859-2", "iso8859-7", "iso8859-8",
           "iso8859-6")),
)  # fmt: skip
#: Share of the measure, and bits, that a declared encoding is spared.
DECLARED_SHARE, DECLARED_BITS = 0.25, 12.0
#: The declared encoding that says little: many servers send it with every text.
_SERVER_DEFAULT = "cp1252"
#: Bytes of a body that may have been cut off at a limit; the smallest such limit.
MIN_CUT_BYTES = 4_000
#: Bits by which the best decoding must beat the next one, so that it is not called uncertain.
MIN_MARGIN_BITS = 6.0
#: Names that readers know, where Python's differ.
_SHOWN_NAMES = {
    "cp932": "Shift_JIS", "euc_jp": "EUC-JP", "gb18030": "GB18030", "cp949": "EUC-KR",
    "big5hkscs": "Big5", "cp874": "Windows-874", "cp866": "IBM866", "koi8-r": "KOI8-R",
    "koi8-u": "KOI8-U", "iso2022_jp": "ISO-2022-JP", "utf-8": "UTF-8",
    **{f"cp125{n}": f"Windows-125{n}" for n in range(9)},
}  # fmt: skip
_TAG = re.compile(rb"<[^<>]{0,2000}>")
_PAGE_LANGUAGE = re.compile(
    rb"""<html\b[^>]{0,400}?\blang\s*=\s*["']?([a-z]{2,3})""", re.IGNORECASE
)
_SHIFT_SEQUENCES = (b"\x1b$B", b"\x1b$@")
#: Bytes in which shift sequences and UTF-16 are looked for, and from which the sample of a guess
#: is taken; and the bytes of that sample.
SAMPLE_BYTES, GUESS_BYTES = 20_000, 2_000
#: The highest plane of Unicode.
MAX_PLANE = 16


@dataclass(frozen=True)
class DecodedText:
    """A decoded body.

    encoding: Python's name. assumed: it was concluded from the bytes, since none was declared or
    the declared one does not fit. uncertain: another encoding fits nearly as well.
    """

    text: str
    encoding: str
    assumed: bool = False
    uncertain: bool = False

    @property
    def note(self) -> str:
        """A sentence on an encoding that was assumed and on what does not fit; "" if neither."""
        name = _SHOWN_NAMES.get(self.encoding, self.encoding.upper())
        notes = []
        if self.assumed:
            doubt = "; another encoding fits nearly as well" if self.uncertain else ""
            notes.append(f"The text was read as {name}, concluded from its characters{doubt}.")
        broken = self.text.count("\ufffd")
        if broken:
            notes.append(f"{broken} of its characters {'is' if broken == 1 else 'are'} unreadable.")
        return " ".join(notes)


def decode(body: bytes, content_type: str = "") -> str:
    """Decode a body to text, as `decode_body` does."""
    return decode_body(body, content_type).text


def decode_body(body: bytes, content_type: str = "") -> DecodedText:
    """Decode a body to text, and say which encoding was used.

    UTF-8 takes precedence over the declared encoding wherever it fits, since other text hardly ever
    decodes as UTF-8 by chance. A declared encoding that fits is used, unless header and page
    contradict each other, or it is the default of many servers; then the most plausible text
    counts. A character cut off at the end is left out.
    """
    marked = _find_marked_encoding(body)
    if marked:
        return DecodedText(_decode_as(body, marked), marked)
    declared = _list_declared_encodings(body, content_type)
    unmarked = "" if declared else _detect_unmarked_utf(body)
    if unmarked:
        return DecodedText(_decode_as(body, unmarked), unmarked)
    shifts = any(mark in body[:SAMPLE_BYTES] for mark in _SHIFT_SEQUENCES)
    if declared and declared[0].startswith(("utf-16", "iso2022")):
        return DecodedText(_decode_as(body, declared[0]), declared[0])
    if shifts:
        name = declared[0] if declared else "iso2022_jp"
        return DecodedText(_decode_as(body, name), name, assumed=not declared)
    if _is_utf_8(body):
        return DecodedText(_decode_as(body, "utf-8"), "utf-8")
    if len(declared) == 1 and declared[0] != _SERVER_DEFAULT:
        text = _decode_as(body, declared[0])
        if "\ufffd" not in text:
            return DecodedText(text, declared[0])
    name, uncertain = _choose_encoding(body, declared)
    return DecodedText(_decode_as(body, name), name, name not in declared, uncertain)


def _decode_as(body: bytes, name: str) -> str:
    """Decode; bytes that do not fit become U+FFFD, a character cut off at the end is left out."""
    return codecs.getincrementaldecoder(name)("replace").decode(body)


def _is_utf_8(body: bytes) -> bool:
    """Return True if the body is UTF-8, the last character of which may be cut off.

    A short body whose only such character is the cut one is more likely in another encoding.
    """
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            return False
        return len(body) >= MIN_CUT_BYTES or not body[: error.start].isascii()
    return True


def find_declared_encoding(body: bytes, content_type: str) -> str:
    """Return Python's name of the encoding declared in the header or the page, or "".

    The header takes precedence; encodings that are not in use for text are ignored.
    """
    return next(iter(_list_declared_encodings(body, content_type)), "")


def _list_declared_encodings(body: bytes, content_type: str) -> list[str]:
    """Return the encodings declared in the header and in the page, each once."""
    names = []
    in_header = _HEADER_DECLARATION.search(content_type)
    if in_header:
        names.append(_find_codec_name(in_header[1]))
    in_page = _PAGE_DECLARATION.search(body[:4096])
    if in_page:
        name = _find_codec_name(in_page[1].decode("ascii", "replace"))
        names.append("" if name.startswith("utf-16") else name)  # it could not be read as ASCII
    return list(dict.fromkeys(filter(None, names)))


def _find_codec_name(label: str) -> str:
    """Return Python's name of an encoding label, or "" if it is not an accepted one."""
    try:
        name = codecs.lookup(_LABELS.get(label.lower(), label)).name
    except LookupError:
        return ""
    return _SUPERSET_ENCODINGS.get(name, name) if name in _ACCEPTED_ENCODINGS else ""


def _choose_encoding(body: bytes, declared: Sequence[str]) -> tuple[str, bool]:
    """Return the encoding that gives the most plausible text, and whether that is uncertain.

    It is uncertain if another text is nearly as plausible. Declared encodings are preferred.
    """
    from research_core.web.charset_scores import measure_implausibility

    sample = _select_sample(body)
    in_page = _PAGE_LANGUAGE.search(body[:4096])
    language = in_page[1].decode("ascii").lower() if in_page else ""
    handicaps = {name: bits for bits, names in _GUESSABLE_GROUPS for name in names}
    scores: list[tuple[float, str, str]] = []
    for name in dict.fromkeys([*declared, *handicaps]):
        text = sample.decode(name, "replace")
        bits = measure_implausibility(text, name, language)
        if name in declared:
            bits -= DECLARED_BITS + DECLARED_SHARE * bits
        else:
            bits += handicaps[name]
        scores.append((bits, name, text))
    scores.sort(key=lambda score: score[0])
    best_bits, best_name, best_text = scores[0]
    for bits, _, text in scores[1:]:
        if text != best_text:
            return best_name, bits - best_bits < MIN_MARGIN_BITS
    return best_name, False


def _select_sample(body: bytes) -> bytes:
    """Return the first lines with non-ASCII bytes, without tags.

    A line is cut where a space or the end of a tag stands, so that no character is cut in two.
    """
    head = _TAG.sub(b" ", body[: 5 * SAMPLE_BYTES])
    lines = [line for line in head.split(b"\n") if not line.isascii()]
    sample = b"\n".join(lines)
    if len(sample) <= GUESS_BYTES:
        return sample
    sample = sample[:GUESS_BYTES]
    return sample[: max(sample.rfind(b" "), sample.rfind(b"\n")) + 1] or sample


def _find_marked_encoding(body: bytes) -> str:
    """Return the encoding of the byte order mark that begins a body, or ""."""
    for mark, name in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return name
    return ""


def is_wide_unicode(body: bytes) -> bool:
    """Return True if the body is UTF-16 or UTF-32, with a mark or without."""
    return _find_marked_encoding(body) in ("utf-16", "utf-32") or bool(_detect_unmarked_utf(body))


def _detect_unmarked_utf(body: bytes) -> str:
    """Return utf-16 or utf-32 with its byte order if the body is that without a mark, else ""."""
    return _detect_unmarked_utf32(body) or detect_unmarked_utf16(body)


def _detect_unmarked_utf32(body: bytes) -> str:
    """Return utf-32-le or utf-32-be if the body is UTF-32 without a mark, else "".

    In such text each character has a byte of zero and one of at most 16, at the same place.
    """
    head = body[: SAMPLE_BYTES & ~3]
    if len(head) < 4:
        return ""
    for name, top, plane in (("utf-32-le", 3, 2), ("utf-32-be", 0, 1)):
        if any(head[top::4]) or max(head[plane::4]) > MAX_PLANE:
            continue
        try:
            text = head.decode(name)
        except UnicodeDecodeError:
            continue
        if all(character.isprintable() or character in "\r\n\t" for character in text):
            return name
    return ""


def detect_unmarked_utf16(body: bytes) -> str:
    """Return utf-16-le or utf-16-be if the body is UTF-16 without a mark, else "".

    In such text one half of the bytes has many zeros (spaces, digits, line ends) and the other
    hardly any.
    """
    head = body[: SAMPLE_BYTES & ~1]
    low = head[0::2].count(0)
    high = head[1::2].count(0)
    name, many, few = ("utf-16-le", high, low) if high > low else ("utf-16-be", low, high)
    if many < max(3, len(head) // 100) or 5 * few > many:
        return ""
    text = head.decode(name, "replace").rstrip("\ufffd")  # a character cut in two
    unfit = 0
    for character in text:
        is_printable = character.isprintable() or character in "\r\n\t"
        unfit += not is_printable or character == "\ufffd"
    return name if 100 * unfit <= len(text) else ""
