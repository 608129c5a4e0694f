"""What bytes say: declared, marked, and where nobody says anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.web.charsets import decode, detect_unmarked_utf16, find_declared_encoding
from research_core.web.documents.kinds import read_body
from research_core.web.html import MAX_IN_PROCESS_BYTES

#: A sentence or two of each language, and the encodings that texts of it are found in.
TEXTS = {
    "Russian": (
        "Пирс был построен в 1912 году и служил рыбакам до войны. Сегодня здесь музей.",
        ["cp1251", "koi8-r", "cp866", "iso8859-5"],
    ),
    "Ukrainian": (
        "Міська рада ухвалила рішення про відновлення причалу, збудованого у дев'ятнадцятому столітті.",
        ["cp1251", "koi8-u"],
    ),
    "Japanese": (
        "桟橋は1912年に建設され、戦争まで漁師に使われていました。現在は博物館です。",
        ["cp932", "euc_jp", "iso2022_jp"],
    ),
    "Chinese": (
        "码头建于1912年，战前一直为渔民所用。如今这里是一座博物馆，许多游客常来散步。",
        ["gb18030", "gb2312"],
    ),
    "Traditional": (
        "碼頭建於1912年，戰前一直為漁民所用。如今這裡是一座博物館，許多遊客常來散步。",
        ["big5", "big5hkscs"],
    ),
    "Korean": (
        "부두는 1912년에 지어졌으며 전쟁 전까지 어부들이 사용했습니다. 지금은 박물관입니다.",
        ["euc_kr", "cp949"],
    ),
    "Greek": (
        "Η προβλήτα χτίστηκε το 1912 και εξυπηρετούσε τους ψαράδες μέχρι τον πόλεμο.",
        ["cp1253", "iso8859-7"],
    ),
    "Hebrew": (
        "המזח נבנה בשנת 1912 ושירת את הדייגים עד המלחמה. כיום יש כאן מוזיאון.",
        ["cp1255", "iso8859-8"],
    ),
    "Arabic": (
        "بني الرصيف عام 1912 وكان يخدم الصيادين حتى الحرب. أما اليوم فهو متحف.",
        ["cp1256", "iso8859-6"],
    ),
    "Polish": (
        "Molo zostało zbudowane w 1912 roku i służyło rybakom aż do wojny. Dziś mieści się tu muzeum.",
        ["cp1250", "iso8859-2"],
    ),
    "Thai": ("ท่าเรือสร้างขึ้นในปี 1912 และให้บริการชาวประมงจนถึงสงคราม", ["cp874"]),
    "German": (
        "Die Brücke wurde 1912 gebaut und diente den Fischern bis zum Krieg – für Gäste gibt es ein Café.",
        ["cp1252"],
    ),
}
UNDECLARED = [
    pytest.param(text, name, id=f"{language}-{name}")
    for language, (text, names) in TEXTS.items()
    for name in names
]


@pytest.mark.parametrize(("text", "name"), UNDECLARED)
def test_what_nobody_declares_is_told_by_how_it_reads(text: str, name: str) -> None:
    assert decode(text.encode(name)) == text
    tagged = "<html><head><title>x</title></head><body><p class='lead'>{}</p></body></html>"
    assert decode(tagged.format(text).encode(name)) == tagged.format(text)


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "language", [name for name in TEXTS if name not in ("Chinese", "Traditional")]
)
def test_utf_16_needs_no_mark(language: str, order: str) -> None:
    text = TEXTS[language][0] + "\n"
    assert decode(text.encode(order)) == text
    assert read_body(text.encode(order), "").text == text.strip()


def test_a_long_text_is_told_in_the_child_process_too() -> None:
    text = "\n\n".join([TEXTS["Russian"][0]] * (MAX_IN_PROCESS_BYTES // 70))
    assert read_body(text.encode("cp1251"), "").text.startswith(TEXTS["Russian"][0])


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("windows-874", "cp874"), ("tis-620", "cp874"), ("x-sjis", "cp932"), ("windows-31j", "cp932"), ("big5-hkscs", "big5hkscs"),
        ("ks_c_5601-1987", "cp949"), ("iso-2022-jp", "iso2022_jp"), ("ibm866", "cp866"), ("macintosh", "mac-roman"), ("latin1", "cp1252"),
        ("UTF8", "utf-8"), ("GB2312", "gb18030"), ("rot13", ""), ("base64", ""), ("utf-7", ""), ("unicode_escape", ""), ("cp037", ""),
        ("undefined", ""), ("nonsense", ""),
    ],
)  # fmt: skip
def test_a_declared_encoding_is_one_that_texts_have(label: str, name: str) -> None:
    assert (
        find_declared_encoding(b"", f"text/html; charset={label}")
        == find_declared_encoding(f'<meta charset="{label}">'.encode(), "")
        == name
    )


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("Straße".encode(), "", "Straße"),
        ("Straße".encode(), "text/html; charset=iso-8859-1", "Straße"),  # a header that lies
        ("\ufeffStraße".encode(), "", "Straße"),
        ("Straße".encode("latin-1"), "text/html; charset=ISO-8859-1", "Straße"),
        ("Straße “x”".encode("cp1252"), "text/html; charset=iso-8859-1", "Straße “x”"),
        ("Straße".encode("cp1252"), "", "Straße"),
        ("Straße".encode("utf-16"), "", "Straße"),
        ("Straße".encode("utf-16-le"), "text/html; charset=utf-16le", "Straße"),
        (
            b"<meta charset=windows-1251>" + "правда".encode("cp1251"),
            "",
            "<meta charset=windows-1251>правда",
        ),
        (
            b'<?xml version="1.0" encoding="Shift_JIS"?>' + "日本".encode("shift_jis"),
            "",
            '<?xml version="1.0" encoding="Shift_JIS"?>日本',
        ),
        ("Straße".encode("latin-1"), "text/html; charset=rot13", "Straße"),
        ("Straße".encode()[:5], "", "Stra\ufffd"),
    ],
)
def test_a_mark_counts_first_then_utf_8_then_what_is_declared(
    body: bytes, content_type: str, text: str
) -> None:
    assert decode(body, content_type) == text


@given(st.binary(max_size=3000))
def test_no_bytes_are_too_odd(body: bytes) -> None:
    assert isinstance(decode(body, "text/plain"), str)


@given(st.text(max_size=2000))
def test_utf_8_is_never_taken_for_anything_else(text: str) -> None:
    if not detect_unmarked_utf16(body := text.encode("utf-8", "replace")) and not body.startswith(
        (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")
    ):
        assert decode(body) == body.decode("utf-8") or b"\x1b$" in body
