"""Decode bytes to text: by byte order mark, as UTF-8, as declared, or by statistics.

Decoding never fails: bytes that do not fit become U+FFFD. Whether the bytes are text at all is
decided in `signatures`.
"""

from __future__ import annotations

import codecs
import re

_PAGE_DECLARATION = re.compile(
    rb"""<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{2,40})""",
    re.IGNORECASE,
)
_HEADER_DECLARATION = re.compile(r"""charset\s*=\s*["']?([\w.:-]{2,40})""", re.IGNORECASE)
_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
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
    "gbk": "gb18030", "euc_kr": "cp949", "shift_jis": "cp932", "big5": "big5hkscs",
}  # fmt: skip
_ACCEPTED_ENCODINGS = frozenset(_SUPERSET_ENCODINGS) | frozenset(_SUPERSET_ENCODINGS.values()) | {
    "utf-8", "utf-16", "utf-16-le", "utf-16-be", "koi8-r", "koi8-u", "cp866", "mac-roman",
    "mac-cyrillic", "euc_jp", "iso2022_jp",
    *(f"cp125{n}" for n in range(9)),
    *(f"iso8859-{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
}  # fmt: skip
#: Encodings that undeclared bytes may be in.
_GUESSABLE_ENCODINGS = (
    "cp1252", "cp1251", "koi8-r", "koi8-u", "cp866", "iso8859-5", "mac-cyrillic", "gb18030", "big5",
    "cp949", "cp1250", "iso8859-2",
    "cp1253", "iso8859-7", "cp1254", "cp1255", "iso8859-8", "cp1256", "iso8859-6", "cp1257",
    "cp1258", "cp874",
)  # fmt: skip
#: These differ in a few letters only: the one that gives more letters is chosen.
_SIMILAR_ENCODINGS = dict.fromkeys(("cp1250", "iso8859-2"), ("cp1250", "iso8859-2"))
_JAPANESE = ("cp932", "euc_jp")
_HIRAGANA, _NON_ASCII = re.compile("[\u3041-\u3096]"), re.compile("[^\x00-\x7f]")
_TAG = re.compile(rb"<[^<>]{0,2000}>")
_SHIFT_SEQUENCES = (b"\x1b$B", b"\x1b$@")
#: Bytes examined to guess an encoding.
SAMPLE_BYTES = 20_000


def decode(body: bytes, content_type: str = "") -> str:
    """Decode a body to text.

    UTF-8 takes precedence over the declared encoding wherever it fits, since other text hardly ever
    decodes as UTF-8 by chance.
    """
    for mark, name in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return body.decode(name, "replace")
    declared = find_declared_encoding(body, content_type) or detect_unmarked_utf16(body)
    shifts = any(mark in body[:SAMPLE_BYTES] for mark in _SHIFT_SEQUENCES)
    if not shifts and not declared.startswith(("utf-16", "iso2022")):
        try:
            return body.decode("utf-8")
        except UnicodeDecodeError as error:
            if error.reason == "unexpected end of data":  # cut off at the size limit
                return body.decode("utf-8", "replace")
    return body.decode(declared or guess_encoding(body), "replace")


def find_declared_encoding(body: bytes, content_type: str) -> str:
    """Return Python's name of the encoding declared in the header or the page, or "".

    The header takes precedence; encodings that are not in use for text are ignored.
    """
    in_header = _HEADER_DECLARATION.search(content_type)
    if in_header:
        name = _find_codec_name(in_header[1])
        if name:
            return name
    in_page = _PAGE_DECLARATION.search(body[:4096])
    return _find_codec_name(in_page[1].decode("ascii", "replace")) if in_page else ""


def _find_codec_name(label: str) -> str:
    """Return Python's name of an encoding label, or "" if it is not an accepted one."""
    try:
        name = codecs.lookup(_LABELS.get(label.lower(), label)).name
    except LookupError:
        return ""
    return _SUPERSET_ENCODINGS.get(name, name) if name in _ACCEPTED_ENCODINGS else ""


def guess_encoding(body: bytes) -> str:
    """Guess the encoding of undeclared bytes; Windows-1252 if nothing decides."""
    sample = _TAG.sub(b" ", body[: 5 * SAMPLE_BYTES])[:SAMPLE_BYTES]
    if any(mark in sample for mark in _SHIFT_SEQUENCES):
        return "iso2022_jp"
    sample = (
        sample[: max(sample.rfind(b" "), sample.rfind(b"\n")) + 1] or sample
    )  # no character cut in two
    # a text with its kana reads as Japanese in its own encoding only; the statistics take it for
    # Korean
    for name in _JAPANESE:
        text = sample.decode(name, "replace")
        if "\ufffd" not in text and 5 * len(_HIRAGANA.findall(text)) > len(
            _NON_ASCII.findall(text)
        ):
            return name
    from charset_normalizer import from_bytes  # 20 ms, and hardly a page needs it

    best = from_bytes(sample, cp_isolation=list(_GUESSABLE_ENCODINGS), enable_fallback=False).best()
    found = _find_codec_name(best.encoding) if best else ""
    return max(
        _SIMILAR_ENCODINGS.get(found, (found or "cp1252",)),
        key=lambda name: sum(map(str.isalpha, sample.decode(name, "replace"))),
    )


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
