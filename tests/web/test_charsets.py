"""What bytes say: declared, marked, and where nobody says anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.web.charsets import (
    _find_codec_name,
    decode,
    decode_body,
    detect_unmarked_utf16,
    find_declared_encoding,
)
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
        ("Straße".encode("utf-32"), "", "Straße"),
        ("Straße 😀".encode("utf-32-le"), "", "Straße 😀"),
        ("街道の😀".encode("utf-32-be"), "", "街道の😀"),
        ("Straße".encode("utf-16-le"), "text/html; charset=utf-16le", "Straße"),
        ("Straße".encode("utf-16-le"), "text/html; charset=utf-16", "Straße"),
        ("<meta charset=utf-16>Straße".encode("cp1252"), "", "<meta charset=utf-16>Straße"),
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
        ("Größe der Straße".encode()[:-2], "", "Größe der Stra"),  # cut off at a limit
        ("Größe der Straße".encode("utf-16-le")[:-1], "", "Größe der Straß"),
    ],
)
def test_a_mark_counts_first_then_utf_8_then_what_is_declared(
    body: bytes, content_type: str, text: str
) -> None:
    assert decode(body, content_type) == text


SHORT = [
    ("cp932", "社員番号,氏名,部署\n101,高橋健一,営業部\n102,伊藤美咲,経理部\n"),
    ("cp932", "メモ\n明日の会議は十時から\n"),
    ("cp932", "ﾊﾞﾅﾅ,120\nﾌﾞﾄﾞｳ,300\n在庫数,5\n"),
    ("euc_jp", "駅名,乗車人員\n新宿,775386\n池袋,558623\n"),
    ("gb18030", "编号,客户,金额\n1,刘洋,3200\n2,陈静,4100\n"),
    ("gb18030", "会议记录：下周一开会\n"),
    ("big5", "編號,客戶,金額\n1,劉洋,3200\n2,陳靜,4100\n"),
    ("big5", "備註：明天下午開會\n"),
    ("cp949", "번호,고객명,금액\n1,박지훈,3200\n2,최수진,4100\n"),
    ("cp949", "내일 오전에 회의가 있습니다\n"),
    ("koi8-r", "Фамилия;Оценка\nСмирнова;5\nКузнецов;4\n"),
    ("koi8-r", "Завтра собрание в 10 часов\n"),
    ("cp1251", "Фамилия;Оценка\nСмирнова;5\nКузнецов;4\n"),
    ("cp1251", "Прізвище;Місто\nШевченко;Київ\n"),
    ("cp866", "Остаток на складе: 40 шт.\n"),
    ("cp1250", "Příjmení;Obec\nDvořáková;Břeclav\n"),
    ("cp1250", "Nazwisko;Miejscowość\nWiśniewski;Częstochowa\n"),
    ("cp1250", "Vezetéknév;Település\nKőszegi;Nyíregyháza\n"),
    ("cp1252", "Nombre;Edad\nBegoña;34\nÍñigo;51\n"),
    ("cp1252", "Straße;Höhe\nAm Mühlbächle;12\n"),
    ("cp1252", "l’élève a reçu un prix à Nîmes\n"),
    ("cp1252", "Fløjte og blæsere på øen\n"),
    ("cp1252", "crème brûlée"),
    ("cp1253", "Επώνυμο;Πόλη\nΠαπαδόπουλος;Πάτρα\n"),
    ("cp1254", "Soyadı;İlçe\nYıldız;Beşiktaş\n"),
    ("cp1255", "שם משפחה,יישוב\nכהן,נתניה\n"),
    ("cp1256", "اللقب,البلدة\nالخطيب,طرابلس\n"),
    ("cp1257", "Uzvārds;Pilsēta\nBērziņš;Jūrmala\n"),
    ("cp874", "นามสกุล,จังหวัด\nแก้วใส,เชียงใหม่\n"),
    ("cp874", "ท่าเรือเปิดทำการทุกวันศุกร์ตามประกาศ"),
    ("cp874", "ระดับน้ำที่สถานีวัดน้ำสูงขึ้น 4 เซนติเมตร"),
    ("cp874", "สวัสดีชาวโลก"),
    ("cp874", "มหาวิทยาลัย"),
    ("cp874", "ปีงบประมาณ;น้ำ\n2566;12\n"),
    ("cp1251", "ЗАО «РосТех»;ВУЗы;МГУ\nСанкт-Петербург;12;40\n"),
    ("cp1252", "iPhone-Hülle für Größe XL;McKäse\n"),
]


@pytest.mark.parametrize(("name", "text"), SHORT)
def test_a_few_words_are_enough(name: str, text: str) -> None:
    found = decode_body(text.encode(name), "text/csv")
    assert (found.text, found.assumed) == (text, True)
    assert "concluded from its characters" in found.note


@pytest.mark.parametrize("header", ["text/html; charset=utf-8", "text/html; charset=iso-8859-1"])
@pytest.mark.parametrize(
    ("label", "name", "words"),
    [
        ("Shift_JIS", "cp932", "橋の歴史"),
        ("euc-jp", "euc_jp", "橋の歴史"),
        ("gb2312", "gb18030", "桥的历史"),
        ("big5", "big5", "橋的歷史"),
        ("euc-kr", "cp949", "다리의 역사"),
        ("windows-1251", "cp1251", "История моста"),
        ("koi8-r", "koi8-r", "История моста"),
        ("windows-1250", "cp1250", "Dějiny mostu přes řeku"),
    ],
)
def test_a_header_that_does_not_fit_yields_to_the_page(
    header: str, label: str, name: str, words: str
) -> None:
    page = f'<html><head><meta charset="{label}"><title>{words}</title></head></html>'
    found = decode_body(page.encode(name), header)
    assert (found.text, found.encoding, found.note) == (page, _find_codec_name(label), "")


@pytest.mark.parametrize(("name", "text"), SHORT)
def test_a_header_of_utf_8_over_other_bytes_never_gives_replacement_characters(
    name: str, text: str
) -> None:
    assert "\ufffd" not in decode(text.encode(name), "text/plain; charset=utf-8")


def test_the_default_of_many_servers_yields_to_what_reads_better() -> None:
    text = "Имя;Город\nПавел;Тверь\n"
    found = decode_body(text.encode("cp1251"), "text/plain; charset=ISO-8859-1")
    assert (found.text, found.assumed) == (text, True)


@pytest.mark.parametrize(("language", "text"), [("tr", "ılık"), ("is", "ýlýk"), ("is-IS", "ýlýk")])
def test_the_language_of_the_page_decides_between_decodings(language: str, text: str) -> None:
    body = f"<html lang='{language}'><p>".encode() + "ılık".encode("cp1254")
    assert decode(body).endswith(text)


def test_what_cannot_be_decoded_is_counted_in_the_note() -> None:
    damaged = "Музей открыт по вторникам. ".encode() * 3 + b"\xff" + " Вход свободный.".encode()
    found = decode_body(damaged, "text/plain; charset=utf-8")
    assert found.encoding == "utf-8"
    assert found.note == "1 of its characters is unreadable."


def test_an_encoding_that_is_declared_or_utf_8_needs_no_note() -> None:
    assert decode_body("Größe".encode()).note == ""
    assert decode_body("Größe".encode("cp1252"), "text/plain; charset=windows-1252").note == ""


def test_a_guess_that_others_nearly_match_is_called_uncertain() -> None:
    found = decode_body("Señor".encode("cp1252"))
    assert (found.text, found.uncertain) == ("Señor", True)
    assert found.note.endswith("another encoding fits nearly as well.")


@pytest.mark.parametrize(
    "content_type", ["text/csv", "text/plain", "text/html", "application/json"]
)
def test_the_page_says_which_encoding_was_assumed(content_type: str) -> None:
    body = '{"ville": "Orléans", "rue": "Crèvecœur"}'.encode("cp1252")
    page = read_body(body, "", content_type)
    assert "Crèvecœur" in page.text
    assert page.metadata.note.startswith("The text was read as Windows-1252")


@given(st.binary(max_size=3000))
def test_no_bytes_are_too_odd(body: bytes) -> None:
    assert isinstance(decode(body, "text/plain"), str)


@given(st.text(max_size=2000))
def test_utf_8_is_never_taken_for_anything_else(text: str) -> None:
    if not detect_unmarked_utf16(body := text.encode("utf-8", "replace")) and not body.startswith(
        (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")
    ):
        assert decode(body) == body.decode("utf-8") or b"\x1b$" in body
