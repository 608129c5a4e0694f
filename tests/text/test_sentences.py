"""Sentence spans on text as pages and PDF files give it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text import sentences as sentences_module
from research_core.text.sentences import MAX_LENGTH, find_sentences

PIECES = [
    "Dr. Smith ",
    "ran. ",
    "It ",
    "e.g. ",
    "U.S. ",
    "3.5 ",
    "- ",
    "# ",
    "| a | ",
    "```",
    "\n",
    "\n\n",
    "\r\n",
    "“No.” ",
    "[12] ",
    "word ",
    "。",
    "…",
    "\t",
    "No. 5 ",
]
ANY_TEXT = (
    st.text()
    | st.lists(st.sampled_from(PIECES)).map("".join)
    | st.text(st.sampled_from(" \n\r\t.!?…。-*#>|`1aA\"')]\u2028"))
)


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in find_sentences(text)]


@pytest.mark.parametrize(
    "parts",
    [
        # abbreviations, titles, initials
        ["Dr. Smith met Mrs. Jones at St. Mary's Hospital.", "They spoke."],
        ["Gov. Lee, Sgt. Ray and Capt. Fox met Rep. Omar near Mt. Hood.", "All agreed."],
        ["J. K. Rowling and George W. Bush met Ryan S. Hollman.", "It rained."],
        ["Smith et al. (2020) found it, e.g. in Fig. 3, cf. Table 2.", "Others did not."],
        ["The U.S. Department of Energy said so.", "So did the U.K. government."],
        ["They left the U.S.", "The rest stayed."],
        ["It opened at 9 a.m. on Monday and closed at 5 p.m.", "However, few came."],
        ["See No. 5 on p. 12, vol. 3, Sec. 4 of the act of Jan. 5.", "No.", "It is not there."],
        ["Acme Inc. reported it.", "So did Foo Ltd.", "The price fell."],
        ["She has a Ph.D. in physics.", "Vitamin C.", "It helps."],
        [
            "The Dekalb, Ill. Police Department wrote to Boston, Mass. in May.",
            "A critical mass.",
            "Scientists agree.",
        ],
        ["Das ist z.B. ein Satz, d.h. nicht zwei.", "Vgl. Abs. 3."],
        # numbers
        ["It rose 2.5 percent to $3.15 million in 2.05 hours.", "It fell by 1,200."],
        ["That was in 1990.", "5 of them remain."],
        # other ends, quotes, brackets, notes
        ["Really?!", "Yes!", "Well… maybe not.", "Who knows?"],
        ['"Really?" he asked.', '"Yes."', "“No.”", "(See the note.)", "Then he left."],
        ["“We agree!” she said.", "He nodded."],
        [
            "It sold 3,150 copies.[12][3]",
            "It was loved.¹",
            "Critics agreed. [4]",
            "Others did not.[citation needed]",
            "Done.",
        ],
        ["Use Node.js, www.example.com or System.Collections.Generic for it.", "Good."],
        ["He said: “It is over.” and left.", "Nobody stayed."],
        # scripts without our full stop
        ["第一句。", "第二句！", "「第三句？」"],
        ["यह पहला वाक्य है।", "यह दूसरा है।"],
        ["هل هذا سؤال؟", "نعم هو كذلك."],
    ],
)
def test_one_paragraph(parts: list[str]) -> None:
    assert found(" ".join(parts)) == parts


BY_LANGUAGE: dict[str, list[list[str]]] = {
    "de": [
        ["Am 4. März trat das Gesetz in Kraft.", "Am 12. Oktober 2021 wurde es geändert."],
        ["Die 3. Welle traf z. B. Bayern und u. a. Hessen.", "Danach sank die Zahl."],
        ["Nach Art. 5 Abs. 2 Nr. 3 gilt das nicht.", "Das Urteil erging im 19. Jahrhundert."],
        ["Ludwig XIV. Frankreichs König war er.", "Der Turm wurde im Jahr 1990.", "Er steht noch."],
        ["Rund 5 Mio. Menschen leben dort, d. h. ca. 6 % der Bevölkerung.", "Sie sind jung."],
        ["Der Zug hält in St. Pölten bzw. Linz usw.", "Die Fahrt dauert zwei Stunden."],
        ["Das Haus hat die Nr. 50.", "Messungen der Firma zeigen das."],
    ],
    "fr": [
        ["La loi du 6 juill. 1989 fixe le délai.", "Elle reste en vigueur."],
        ["M. Dupont et Mme. Durand vivent p. ex. à Paris.", "Ils y travaillent."],
        ["Selon l'art. 5 et la p. 12, c'est permis.", "L'homme est né av. J.-C. en Grèce."],
        ["Le traité date du 1er janv. 2020.", "Il est en vigueur."],
        ["On y trouve des pommes, des poires, etc.", "Les prix sont bas."],
        ["Le Dr. Martin a vu env. 30 patients.", "« Vraiment ? »", "Oui, dit-il."],
        ["Cf. la fig. 3 du chap. 2.", "C'est la T.V.A. Française qui compte."],
    ],
    "es": [
        ["Lo midió el Inst. Geográfico Nacional.", "Fue en otoño."],
        ["El Sr. García y la Dra. López viven en EE. UU.", "Desde allí trabajan."],
        ["Véase el art. 5, pág. 12.", "¿Es cierto?", "¡Sí!"],
        ["Hay muchos, p. ej. Madrid y Sevilla.", "Son ciudades."],
        ["Vive en la Av. Libertad núm. 5.", "Tiene dos hijos."],
        ["Murió en el año 44 a. C. en Roma.", "Fue asesinado."],
    ],
    "pt": [
        ["O Sr. Silva e a Dra. Costa moram na Av. Paulista.", "Eles trabalham."],
        ["Segundo o art. 5 e a pág. 3, não é permitido.", "A lei mudou."],
        ["Há várias, p. ex. Lisboa e Porto.", "São cidades antigas."],
        ["A empresa Lima Ltda. fechou em 2010.", "Os donos saíram."],
        ["O Exmo. Presidente falou às 9 h.", "Foi breve."],
    ],
    "it": [
        ["Il sig. Rossi e la dott.ssa Bianchi vivono a Roma.", "Sono medici."],
        ["Secondo l'art. 5 e la pag. 12 non è vietato.", "La legge è del 1990."],
        ["Ci sono molte città, p. es. Milano e Torino.", "Sono grandi."],
        ["Il prof. Verdi insegna nel sec. 21.", "È noto."],
        ["La ditta Neri S.p.A. Torinese ha chiuso.", "Il motivo non è noto."],
    ],
    "nl": [
        ["Dhr. Jansen en mevr. De Vries wonen o.a. Utrecht en Leiden.", "Zij werken daar."],
        ["Volgens art. 5 lid 2 is dat niet toegestaan.", "De wet is oud."],
        ["Er zijn er veel, bijv. Amsterdam en Den Haag.", "Dat zijn steden."],
        ["Hij stierf in het jaar 44 v. Chr. in Rome.", "Het was een moord."],
        ["Ca. Dertig mensen kwamen op 4 mrt. 2020.", "Zij bleven."],
    ],
    "pl": [
        ["Na ul. Długiej mieszka np. Kowalski i in. Lis są mili."],
        ["Zgodnie z art. 5 ust. 2 pkt. 3 to jest zakazane.", "Ustawa jest stara."],
        ["Jest ich wielu, m. in. Warszawa i Kraków.", "To są miasta."],
        ["Król Kazimierz III. Wielki żył w XIV w.", "Był znany."],
        ["Prof. Nowak i dr. Lis są na Wydz.", "To nie jest daleko."],
    ],
    "cs": [
        ["Dne 4. Března se to stalo.", "Byl to konec."],
        ["Podle čl. 5 odst. 2 to není možné.", "Zákon je starý."],
        ["Karel IV. Lucemburský byl král.", "Žil ve 14. století."],
        ["Jsou to např. Praha a Brno, tj. Města.", "Jsou velká."],
        ["Žije na ul. Nové č. 5 v Praze.", "Je to daleko."],
    ],
    "sv": [
        ["Det finns t.ex. Stockholm och bl. a. Malmö.", "De är stora."],
        ["Enligt art. 5 och s. 12 är det inte tillåtet.", "Lagen är gammal."],
        ["Kung Karl XII. Wasa dog ung.", "Han var 36 år."],
        ["Han kom kl. 9 och gick kl. 17.", "Det var sent."],
        ["Ca. Trettio personer, d. v. s. Alla, kom dit.", "De stannade."],
    ],
    "da": [
        ["Det finnes f. eks. Oslo og bl. a. Bergen.", "De er store."],
        ["Ifølge art. 5 og s. 12 er det ikke tillatt.", "Loven er gammel."],
        ["Kong Haakon VII. Glücksburg døde i 1957.", "Han var 85 år."],
        ["Den 17. Mai feires det.", "Det er en fest."],
        ["Møtet var kl. 9 hos dr. Hansen.", "Det varte lenge."],
    ],
    "ru": [
        ["Он живёт в г. Москва, т. е. в столице.", "Это большой город."],
        ["А. С. Пушкин родился в 1799 г. в Москве.", "Он был поэтом."],
        ["См. рис. 3 и стр. 12 в гл. 2.", "Там всё есть."],
        ["В 1990 г. Москва выросла до 9 млн. Жители были рады."],
        ["Там были яблоки, груши и т. д.", "Они были дешёвыми."],
        ["На ул. Ленина и просп. Мира живёт проф. Иванов.", "Он врач."],
    ],
    "uk": [
        ["Він живе в м. Київ, на вул. Хрещатик.", "Це столиця."],
        ["Т. Г. Шевченко народився у 1814 р. в Моринцях.", "Він був поетом."],
        ["Див. рис. 3 та с. 12 у гл. 2.", "Там усе є."],
        ["Це коштує 5 тис. Гривень або більше.", "Це не дорого."],
        ["Там були яблука, груші і т. д.", "Вони були дешеві."],
    ],
    "el": [
        ["Τι είναι ο διαβήτης;", "Είναι μια νόσος."],
        ["Υπάρχουν πόλεις, π.χ. Αθήνα και Πάτρα.", "Είναι μεγάλες."],
        ["Ο κ. Παπαδόπουλος και η Δρ. Νίκου ήρθαν.", "Έφυγαν αργά."],
        ["Κατά το άρθ. 5 δεν επιτρέπεται.", "Ο νόμος είναι παλιός."],
        ["Γιατί;", "Επειδή ο ουρανός είναι μπλε."],
    ],
    "tr": [
        ["Prof. Dr. Ayşe Kaya ve Doç. Dr. Ali Demir geldi.", "Onlar çok mutlu."],
        ["Sultan II. Abdülhamid ve IV. Murad ünlüdür.", "Bu doğru mu?", "Evet."],
        ["Bkz. Madde 5, s. 12.", "Orada her şey var."],
        ["Elma, armut vb.", "Bunlar çok ucuz."],
        ["Toplantı 4. Mart günü Atatürk Cad. No. 5 adresinde.", "Bu bir davet."],
    ],
    "ar": [
        ["هل هذا سؤال؟", "نعم، هو سؤال."],
        ["قال د. أحمد إن ذلك صحيح.", "ثم غادر المكان."],
        ["توفي سنة 44 ق.م. في روما.", "كان قائدا."],
        ["انظر ص. 12 من الكتاب.", "كل شيء هناك."],
        ["صدر القرار في 4 مارس 2019 م.", "وبدأ العمل به بعد شهر."],
        ["وصلت السفينة سنة 1956 م. بحضور الوزير.", "ثم غادرت."],
        ["تنص م. 55 من القانون على ذلك.", "وهي واضحة."],
        ["بدأت الحرب في عام 1914.", "انتهت بعد أربع سنوات!", "من ربح؟"],
    ],
    "he": [
        ["פרופ. כהן גר בתל אביב.", "הוא רופא."],
        ["ראה עמ. 12 בספר.", "הכול שם."],
        ["מה זה סוכרת?", "זו מחלה."],
        ["א. ב. יהושע כתב ספרים.", "הוא נולד בירושלים."],
        ["המלחמה החלה ב-1948.", "היא נמשכה שנה."],
    ],
    "fa": [
        ["آیا این پرسش است؟", "بله، هست."],
        ["د. احمدی آن را گفت.", "سپس رفت."],
        ["او در سال ۴۴ ق.م. درگذشت.", "او سردار بود."],
        ["نگاه کنید به ص. ۱۲ کتاب.", "همه چیز آنجاست."],
        ["جنگ در ۱۹۱۴ آغاز شد.", "چهار سال طول کشید!"],
    ],
    "hi": [
        ["डॉ. शर्मा दिल्ली में रहते हैं।", "वे चिकित्सक हैं।"],
        ["क्या यह सच है?", "हाँ, यह सच है।"],
        ["श्री. वर्मा ने यह कहा.", "फिर वे चले गए."],
        ["पृ. 12 देखें।", "सब कुछ वहाँ है।"],
        ["वह 44 ई.पू. में मरा।", "वह सेनापति था॥", "अंत।"],
    ],
    "zh": [
        ["第一句。", "第二句！", "第三句？", "第四句。"],
        ["真的吗?", "是的!", "好。"],
        ["他说：“你好。”", "然后走了。"],
        ["增长了2.5%。", "共有3.7亿人。"],
        ["GPT-4是什么？", "它是一种模型。"],
    ],
    "ja": [
        ["第一文。", "第二文！", "「第三文？」"],
        ["「はい。」と彼は言った。", "そして帰った。"],
        ["これは水である．", "それは火である．"],
        ["本当ですか?", "はい、本当です。"],
        ["2.5％増えた｡", "3月4日に終わった。"],
    ],
    "ko": [
        ["이것은 첫 문장입니다.", "이것은 두 번째 문장입니다."],
        ["정말입니까?", "네, 그렇습니다!"],
        ["2024. 3. 4. 발표했다."],
        ["약 2.5% 증가했다.", "3.7억 명이다."],
        ["그는 “좋다.”라고 말했다.", "그리고 떠났다."],
    ],
    "th": [["จริงหรือ?", "ใช่!", "ดี"], ["เมื่อ พ.ศ. 2475 มีการเปลี่ยนแปลง"]],
}
#: Languages written without spaces between sentences.
UNSPACED = ("zh", "ja", "th")


def join_sentences(language: str, parts: list[str]) -> str:
    return ("" if language in UNSPACED else " ").join(parts)


@pytest.mark.parametrize(
    ("language", "parts"),
    [(language, parts) for language, rows in BY_LANGUAGE.items() for parts in rows],
)
def test_each_language_has_its_abbreviations_ordinals_and_stops(
    language: str, parts: list[str]
) -> None:
    text = join_sentences(language, parts)
    assert [text[start:end] for start, end in find_sentences(text, language)] == parts


@pytest.mark.parametrize("language", BY_LANGUAGE)
def test_the_language_is_guessed_from_the_text(language: str) -> None:
    every = [parts for rows in BY_LANGUAGE[language] for parts in rows]
    assert found("\n\n".join(every)) == every


@pytest.mark.parametrize(
    "parts",
    [
        ["He came in 4th.", "May was next."],
        ["The plan failed in 2020.", "March was worse."],
        ["She got 50.", "Measurements show it."],
        ["They ate pears etc.", "The rest was left."],
        ["Ask him or her; They will know."],
    ],
)
def test_english_is_split_by_its_own_rules(parts: list[str]) -> None:
    assert found(" ".join(parts)) == parts


def test_a_lost_space_between_sentences_is_seen() -> None:
    assert found("The policy has ended.The next one started.") == [
        "The policy has ended.",
        "The next one started.",
    ]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "# Title\nText here. More.\n\n## Part\nEnd",
            ["Title", "Text here.", "More.", "Part", "End"],
        ),
        ("- one\n- two. Three\n* four\n• five", ["one", "two.", "Three", "four", "five"]),
        ("> quoted text\n> goes on", ["quoted text", "goes on"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |", "| 1 | 2 |"]),
        (
            "| Dr. A. Of it | b. Next c |\n| 1. One | Yes. No. |\nIt is.",
            ["| Dr. A. Of it | b. Next c |", "| 1. One | Yes. No. |", "It is."],
        ),
        (
            "It is.\n```py\n# No. Head\n\nx = 1; y = 2\n```\nIt was.",
            ["It is.", "```py\n# No. Head", "x = 1; y = 2\n```", "It was."],
        ),
        ("Title\n~~~~\nIt is. It was.", ["Title", "It is.", "It was."]),
        (
            "cell one\tcell two\tcell three\nNext one",
            ["cell one\tcell two\tcell three", "Next one"],
        ),
        (
            "A heading without a stop\nThe paragraph begins.",
            ["A heading without a stop", "The paragraph begins."],
        ),
        ("It is a part\nof the sentence,\nIndeed.", ["It is a part\nof the sentence,\nIndeed."]),
        (
            "He went to the\nUniversity of\nYork today.",
            ["He went to the\nUniversity of\nYork today."],
        ),
        ("It is a part \n  of the sentence.\r\n", ["It is a part \n  of the sentence."]),
        ("One para\n\nanother para", ["One para", "another para"]),
        ("First;\nsecond;\nthird.", ["First;", "second;", "third."]),
        (
            "1. Introduction\n2.1. Methods and 3 more\na) first\nIV. Results",
            ["1. Introduction", "2.1. Methods and 3 more", "a) first", "IV. Results"],
        ),
        ("----\n***\n…\n!!", []),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_lines(text: str, parts: list[str]) -> None:
    assert found(text) == parts


def test_wrapped_lines_are_put_together() -> None:
    wrapped = (
        "The report was prepared by the office of Dr.\n"
        "Adams, who has led the survey of the coast of\n"
        "Norway since it was founded. Samples were taken\n"
        "at Bergen and at four other places, and micro-\n"
        "plastics in them were counted by two people.\n"
        "3.2 Results\n"
        "We found that the counts differed by season."
    )
    assert [" ".join(sentence.split()) for sentence in found(wrapped)] == [
        "The report was prepared by the office of Dr. Adams, who has led the survey of the coast"
        " of Norway since it was founded.",
        "Samples were taken at Bergen and at four other places, and micro- plastics in them were"
        " counted by two people.",
        "3.2 Results",
        "We found that the counts differed by season.",
    ]


def test_headlines_of_like_length_stay_apart() -> None:
    lines = [
        "Where to file a noise complaint in the city",
        "How the ordinance is enforced at night now",
        "What the fines are for a second violation",
    ]
    assert found("\n".join(lines)) == lines


def test_text_without_punctuation_is_cut_at_spaces() -> None:
    words = "so and then we said that " * 100
    pieces = found(words)
    assert all(len(piece) <= MAX_LENGTH for piece in pieces)
    assert " ".join(pieces) == words.strip()


def test_a_long_row_is_cut_between_cells_and_long_code_between_lines() -> None:
    row = "| " + " | ".join(f"Cell {n}. And, more; of it" for n in range(40)) + " |"
    assert all(piece.startswith(("|", "Cell ")) for piece in found(row))
    code = "```\n" + "\n".join(f"call(a, {n}); and so on" for n in range(40)) + "\n```"
    assert [line for piece in found(code) for line in piece.split("\n")] == code.split("\n")


def test_a_long_sentence_is_cut_at_its_semicolon() -> None:
    first, second = "word " * 90 + "end;", "other " * 60 + "end."
    assert found(f"{first} {second}") == [first, second]


@given(ANY_TEXT)
def test_spans_are_in_order_and_leave_nothing_out(text: str) -> None:
    spans = find_sentences(text)
    at = 0
    for start, end in spans:
        assert at <= start < end <= len(text)
        assert end - start <= MAX_LENGTH
        assert text[start:end].strip() == text[start:end]
        assert re.search(r"[^\W_]", text[start:end])
        assert not re.search(r"[^\W_]", text[at:start]), "a letter or digit outside"
        at = end
    assert not re.search(r"[^\W_]", text[at:])


@given(ANY_TEXT, ANY_TEXT)
def test_an_empty_line_parts_whatever_stands_there(above: str, below: str) -> None:
    gap = len(above) + 2
    assert not [
        span
        for span in find_sentences(f"{above}\n\n{below}")
        if span[0] < len(above) and span[1] > gap
    ]


def test_text_offers_it_too() -> None:
    assert sentences_module.find_sentences is find_sentences
