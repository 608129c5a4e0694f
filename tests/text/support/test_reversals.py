"""Opposite verbs, a "not" within a verb, other speakers, reach, rows of tables and parts of names."""

from __future__ import annotations

import time
import unicodedata
from typing import Literal

import pytest

from research_core.text.support.page_places import read_claim, read_page_text
from research_core.text.support.reversals import (
    Exchange,
    find_negated_verb,
    find_opposed_verb,
    find_other_pair,
    find_other_reach,
    find_other_row,
    find_other_speaker,
    find_other_surname,
)

GERMAN = " Die Sitzung im Rathaus dauerte zwei Stunden, und viele Gäste waren gekommen."
FRENCH = " La séance à la mairie a duré deux heures et la salle était pleine."
TABLE = """| Year | Lund | Malmo |
|---|---|---|
| 2016 | 88,788 | 328,494 |
| 2017 | 91,940 | 333,633 |
| 2018 | 94,703 | 339,313 |

The table counts the people of both towns at the end of the year.
"""


@pytest.mark.parametrize(
    ("claim", "page", "ours", "theirs"),
    [
        ("Der Stadtrat nahm den Plan für den Hafen an.",
         f"Der Stadtrat lehnte den Plan für den Hafen ab.{GERMAN}", "nahm … an", "lehnte … ab"),
        ("Das Gericht gab der Klage der Gemeinde statt.",
         f"Das Gericht wies die Klage der Gemeinde zurück.{GERMAN}", "gab … statt", "wies … zurück"),
        ("Der Verein sagte das Fest in Köln zu.", f"Der Verein sagte das Fest in Köln ab.{GERMAN}", "sagte … zu", "sagte … ab"),
        ("Die Zahl der Störche im Moor nahm zu.", f"Die Zahl der Störche im Moor nahm ab.{GERMAN}", "nahm zu", "nahm ab"),
        ("Norwegen trat dem Bund der Häfen bei.", f"Norwegen trat aus dem Bund der Häfen aus.{GERMAN}", "trat … bei", "trat aus"),
        ("Le syndicat a accepté l'offre du patron.", f"Le syndicat a refusé l'offre du patron.{FRENCH}", "accepté", "refusé"),
        ("The council of Lund waved the harbour plan through.",
         "The council of Lund voted the harbour plan down. The meeting was long.", "waved … through", "voted … down"),
        ("Совет одобрил план порта.", "Совет отклонил план порта. Заседание длилось два часа, и зал был полон.", "одобрил", "отклонил"),
        ("市议会批准了新港口的计划。", "市议会否决了新港口的计划。会议持续了两个小时。", "批准", "否决"),
        ("市議会は港の計画を可決した。", "市議会は港の計画を否決した。会議は二時間続いた。", "可決", "否決"),
        ("시의회는 새 항구 계획을 승인했다.", "시의회는 새 항구 계획을 부결했다. 회의는 두 시간 동안 열렸다.", "승인했다", "부결했다"),
        ("وافق المجلس على خطة الميناء الجديد.", "رفض المجلس خطة الميناء الجديد. استمر الاجتماع ساعتين.", "وافق", "رفض"),
    ],
)  # fmt: skip
def test_the_opposite_verb_is_named_with_its_prefix(
    claim: str, page: str, ours: str, theirs: str
) -> None:
    read = read_page_text(page)
    assert find_opposed_verb(read_claim(claim, read.language), read) == Exchange(ours, theirs)


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("Le juge l'a rejeté en été.", f"Le juge l'a validé en été.{FRENCH}"),
        ("El juez negó la petición.", "El juez aprobó la petición. La sesión duró dos horas y la sala estaba llena."),
        ("शहर में पुलों की संख्या ब\u095dी।", "शहर में पुलों की संख्या घटी। बैठक दो घंटे चली।"),
        ("परिषद ने योजना को मं\u095bूरी दी।", "परिषद ने योजना को ठुकरा दिया। बैठक दो घंटे चली।"),
        ("Совет одобрил первый план.", "Совет отклонил первый план. Заседание длилось два часа, и зал был полон."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["NFC", "NFD", None])
def test_the_encoding_of_letters_does_not_matter(
    claim: str, page: str, form: Literal["NFC", "NFD"] | None
) -> None:
    if form is not None:
        claim, page = unicodedata.normalize(form, claim), unicodedata.normalize(form, page)
    read = read_page_text(page)
    assert find_opposed_verb(read_claim(claim, read.language), read) is not None


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("Der Stadtrat nahm den Plan für den Hafen an.",
         f"Der Stadtrat lehnte erst den Plan für den Hafen ab und nahm ihn dann an.{GERMAN}"),
        ("Der Stadtrat billigte den Plan für den Hafen.", f"Der Stadtrat lehnte den Plan für den Hafen nicht ab.{GERMAN}"),
        ("Le syndicat a accepté l'offre du patron.", f"Le syndicat a adopté l'offre du patron.{FRENCH}"),
        ("The council approved the harbour plan.",
         "The council rejected the harbour plan. In May the council approved the harbour plan."),
        ("The council approved the harbour plan.", "The court rejected an appeal of two fishermen. The harbour opened."),
    ],
)  # fmt: skip
def test_both_verbs_or_a_double_not_are_no_opposite(claim: str, page: str) -> None:
    read = read_page_text(page)
    assert find_opposed_verb(read_claim(claim, read.language), read) is None


@pytest.mark.parametrize(
    ("claim", "page", "word"),
    [
        ("市議会は新しい港の計画を承認した。", "市議会は新しい港の計画を承認しなかった。会議は二時間続いた。", "承認"),
        ("この薬は熱を下げない。", "この薬は熱を下げる。実験は二年間続いた。", "下"),
        ("政府は橋の建設を認めた。", "政府は橋の建設を認めていない。会議は二時間続いた。", "認"),
        ("이 약은 열을 내린다.", "이 약은 열을 내리지 않는다. 실험은 2년 동안 이어졌다.", "내리"),
        ("다리는 겨울에 닫는다.", "다리는 겨울에 안 닫는다. 입장료는 받는다.", "닫는다"),
        ("يخفض هذا الدواء ضغط الدم.", "لا يخفض هذا الدواء ضغط الدم. استمرت الدراسة عامين.", "خفض"),
        ("وافق المجلس على خطة الميناء.", "لم يوافق المجلس على خطة الميناء. استمر الاجتماع ساعتين.", "وافق"),
        ("यह दवा बुखार कम करती है।", "यह दवा बुखार कम नहीं करती है। अध्ययन दो साल चला।", "कम"),
    ],
)  # fmt: skip
def test_a_not_within_or_beside_a_verb_is_found(claim: str, page: str, word: str) -> None:
    read = read_page_text(page)
    assert find_negated_verb(read_claim(claim, read.language), read) == word
    swapped = read_page_text(claim)
    first = page.replace("。", ".").replace("।", ".").split(".")[0] + "."
    assert find_negated_verb(read_claim(first, swapped.language), swapped)


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("市は橋を直さなければならない。", "市は橋を直さなければならない。工事は来年に始まる。"),
        ("市は橋だけでなく港も直した。", "市は橋と港を直した。工事は二年続いた。"),
        ("시는 다리뿐만 아니라 항구도 고쳤다.", "시는 다리와 항구를 고쳤다. 공사는 2년 걸렸다."),
        ("لا يزال الجسر مفتوحا في الشتاء.", "الجسر مفتوح في الشتاء. استمر العمل عامين."),
        ("이 약은 열을 내리지 않는다.", "이 약은 열을 내리지 않는다. 실험은 2년 동안 이어졌다."),
    ],
)
def test_a_not_that_denies_nothing_or_that_both_have_is_no_difference(
    claim: str, page: str
) -> None:
    read = read_page_text(page)
    assert find_negated_verb(read_claim(claim, read.language), read) == ""


@pytest.mark.parametrize(
    ("claim", "page", "theirs"),
    [
        ("According to Anna Keller, the dam is safe.",
         "According to Peter Moser, the dam is safe. Anna Keller runs the museum.", "Peter Moser"),
        ("Laut Keller ist der Damm sicher.", f"Laut Moser ist der Damm sicher.{GERMAN} Keller leitet das Museum.", "Moser"),
        ("Selon Anne Petit, le barrage est sûr.",
         f"Selon Luc Morel, le barrage est sûr.{FRENCH} Anne Petit dirige le musée.", "Luc Morel"),
        ("The dam will hold for years, said Anna Keller.",
         "The dam will hold for years, said Peter Moser. Anna Keller runs the museum.", "Peter Moser"),
        ("据王芳介绍，大坝是安全的。", "据李强介绍，大坝是安全的。王芳是馆长。", "李强"),
        ("According to WHO, the dam is safe.", "According to World Health Organization, the dam is safe.", None),
        ("According to Anna Keller, the dam is safe.", "According to Peter Moser and Anna Keller, the dam is safe.", None),
    ],
)  # fmt: skip
def test_the_words_of_another_person_are_found(claim: str, page: str, theirs: str | None) -> None:
    read = read_page_text(page)
    found = find_other_speaker(read_claim(claim, read.language), read)
    assert (found.theirs if found else None) == theirs


@pytest.mark.parametrize(
    ("claim", "page", "theirs"),
    [
        ("There are 240 wells in the country.", "There are 240 wells at the site. The water is salty.", "at the site"),
        ("Worldwide, 30 species of moss are protected.", "In the park, 30 species of moss are protected. It is cold.", "In the park"),
        ("Im ganzen Land gibt es 240 Brunnen.", f"In der Stadt gibt es 240 Brunnen am Standort.{GERMAN}", "In der Stadt"),
        ("Il y a 240 puits dans le pays.", f"Il y a 240 puits sur le site.{FRENCH}", "sur le site"),
        ("Hay 240 pozos en el país.", "Hay 240 pozos en la ciudad. El agua es salada y la gente no la bebe.", "en la ciudad"),
        ("There are 240 wells in the country.", "There are 240 wells at the site and in the country.", None),
    ],
)  # fmt: skip
def test_a_country_is_not_a_site(claim: str, page: str, theirs: str | None) -> None:
    read = read_page_text(page)
    found = find_other_reach(read_claim(claim, read.language), read)
    assert (found.theirs if found else None) == theirs


@pytest.mark.parametrize(
    ("claim", "page", "ours", "theirs"),
    [
        ("The population of Lund was 91,940 in 2018.", TABLE, "91,940", "94,703"),
        ("Malmo had 94,703 people in 2018.", TABLE, "94,703", "339,313"),
        ("In 2016 Lund had 88,788 people.", TABLE, "", ""),
        ("The people of Lund were 90,000 in 2018.", TABLE, "", ""),
        ("In 2016 there were 94,703.", f"{TABLE}\nThere were 94,703 in 2016.", "", ""),
    ],
)
def test_the_figure_of_another_row_or_column_is_found(
    claim: str, page: str, ours: str, theirs: str
) -> None:
    read = read_page_text(page)
    found = find_other_row(read_claim(claim, read.language), read)
    assert found == (Exchange(ours, theirs) if ours else None)


@pytest.mark.parametrize(
    ("claim", "page", "theirs"),
    [
        ("The club had 6,100 members in 2014.", "The club had 5,300 members in 2014 and 6,100 in 2015.", "5,300"),
        ("Der Verein hatte 6.100 Mitglieder im Jahr 2014.",
         "Der Verein hatte 5.300 Mitglieder im Jahr 2014 und 6.100 im Jahr 2015.", "5.300"),
        ("The club had 5,300 members in 2014.", "The club had 5,300 members in 2014 and 6,100 in 2015.", None),
        ("The club had 7,000 members in 2014.", "The club had 5,300 members in 2014 and 6,100 in 2015.", None),
        ("The club had 800 dogs in 2014.",
         "The club had 800 dogs in 2014 and 300 cats in 2014. It had 800 dogs in 2015.", None),
    ],
)  # fmt: skip
def test_the_figure_of_another_year_is_found(claim: str, page: str, theirs: str | None) -> None:
    read = read_page_text(page)
    found = find_other_pair(read_claim(claim, read.language), read)
    assert (found.theirs if found else None) == theirs


@pytest.mark.parametrize(
    ("claim", "page", "theirs"),
    [
        ("The tour ends in Fort Myers.", "The tour ends in Fort Lauderdale after two weeks.", "Lauderdale"),
        ("El premio fue para Marta Ruiz.", "El premio fue para Marta Soler, que vive en Lugo.", "Soler"),
        ("The prize went to Zach Handlen.", "The prize went to Zack Handlen of Lund.", None),
        ("The prize went to Marta Ruiz.", "Marta Soler and Ana Ruiz won the prize.", None),
        ("The prize went to Marta Ruiz.", "The prize went to Marta and her brother.", None),
    ],
)  # fmt: skip
def test_the_other_half_of_a_name_is_compared(claim: str, page: str, theirs: str | None) -> None:
    read = read_page_text(page)
    found = find_other_surname(read_claim(claim, read.language), read)
    assert (found.theirs if found else None) == theirs


@pytest.mark.parametrize(
    "unit",
    ["A", "Keller ", "承認し", "によ", "据", "가지 ", "لا ", "नहीं ", "lehnte nahm ", "6,100 in "],
)
def test_the_time_does_not_grow_with_the_square_of_a_sentence(unit: str) -> None:
    read = read_page_text(unit * (16_000 // len(unit)))
    claim = read_claim(f"{unit * 5} 2014", read.language)
    started = time.perf_counter()
    for find in (find_opposed_verb, find_negated_verb, find_other_speaker, find_other_reach):
        find(claim, read)
    for find in (find_other_row, find_other_pair, find_other_surname):
        find(claim, read)
    assert time.perf_counter() - started < 4.0
