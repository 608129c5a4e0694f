"""Which figure of a page belongs to a claim: the one that is named, and the one that supports it."""

from __future__ import annotations

import unicodedata

import pytest

from research_core.citations.checks.claim_verdict import OLDER_RULES, judge_claim

SCHOOL = (
    "In 2025 we taught 96 couples a first dance for their wedding. The most popular songs were"
    " “Perfect” by Ed Sheeran (14 couples), “Until I Found You” by Stephen Sanchez (11) and “Die"
    " With a Smile” by Lady Gaga and Bruno Mars (9)."
)
GUILD = (
    "“Perfect” by Ed Sheeran was the most popular first dance song at weddings in 2025, according to"
    " the guild's survey of 412 wedding receptions. Newlyweds chose it 38 times, ahead of “Until I"
    " Found You” by Stephen Sanchez with 33 and “All of Me” by John Legend with 27."
)
FLEET = "Die Reederei besitzt 80 Schiffe. Die Fähre Adler hat 12 Kabinen, die Fähre Möwe hat 20 Kabinen."
TOWNS = "La région compte 300 écoles. Lyon a 45 écoles publiques et Nice a 31 écoles publiques."
LAKE = "该湖面积为47平方公里，最深处为12米。湖水供应二十六万人饮用。"


@pytest.mark.parametrize(
    ("claim", "page", "ours", "theirs"),
    [
        (
            "Perfect was the most popular first dance song at 24 of the weddings.",
            SCHOOL,
            "24",
            "14",
        ),
        ("“Until I Found You” by Stephen Sanchez was chosen by 12 couples.", SCHOOL, "12", "11"),
        ("Perfect was the most popular song: newlyweds chose it 83 times.", GUILD, "83", "38"),
        ("Die Fähre Möwe hat 25 Kabinen.", FLEET, "25", "20"),
        ("Nice a 37 écoles publiques.", TOWNS, "37", "31"),
        ("该湖面积为52平方公里。", LAKE, "52", "47"),
        ("Мост построили за 7 лет.", "Мост длиной 341 метр построили за 4 года.", "7", ""),
    ],
)
def test_the_figure_named_is_that_of_the_same_thing(
    claim: str, page: str, ours: str, theirs: str
) -> None:
    verdict = judge_claim(claim, page)
    assert verdict.verdict in ("partly", "not decided")
    assert verdict.kind == "figure"
    if theirs:
        assert f"another figure: {theirs}, not {ours}" in verdict.note
    assert "96" not in verdict.note
    assert "341" not in verdict.note


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        (
            "The choir of Lund gave 30 concerts.",
            "The choir of Lund has 85 singers and 4 conductors.",
        ),
        (
            "Der Chor aus Lund gab 30 Konzerte.",
            "Der Chor aus Lund gab im Sommer 12 oder 14 Konzerte.",
        ),
        (
            "El coro de Lund dio 30 conciertos.",
            "El coro de Lund tiene 85 cantantes y 4 directores.",
        ),
        ("Perfect was played at 50 weddings.", "The guild asked 412 members. Some played Perfect."),
        ("Le chœur de Lund a donné 30 concerts.", "Le chœur de Lund a 85 chanteurs et 4 chefs."),
    ],
)
def test_no_figure_is_named_where_none_is_plain(claim: str, page: str) -> None:
    verdict = judge_claim(claim, page)
    assert verdict.verdict != "supported"
    assert "another figure" not in verdict.note


@pytest.mark.parametrize(
    ("claim", "page", "theirs"),
    [
        ("Coverage reached 95% in 2023.", "Coverage was 93% in 2023, below the target of 95%.", "93"),
        ("Der Stickstoffwert lag 2023 bei 40 Mikrogramm.",
         "Der Stickstoffwert lag 2023 bei 52 Mikrogramm, über dem Grenzwert von 40 Mikrogramm.", "52"),
        ("Le taux de chômage était de 9 % en 2021.",
         "Le taux de chômage était de 7 % en 2021, contre 9 % en 2020.", "7"),
        ("La cobertura alcanzó el 80 % en Lima.",
         "La cobertura alcanzó el 64 % en Lima, frente a la media nacional del 80 %.", "64"),
        ("Unemployment in Norway was 6%.",
         "Unemployment in Norway was 4%, compared with an EU average of 6%.", "4"),
        ("60% of women smoked in Lund.", "In Lund 60% of men smoked and 40% of women.", "40"),
        ("Rents in Munich rose 5%.", "Rents rose 5% in Berlin and 7% in Munich.", "7"),
        ("2023年の接種率は95%だった。", "2023年の接種率は93%で、目標の95%を下回った。", "93"),
        ("Охват в 2023 году составил 95%.",
         "Охват в 2023 году составил 93%, ниже целевого показателя 95%.", "93"),
        ("Coverage was 95% in Lund.", "Coverage in Lund was 93% against a target of 95%.", "93"),
        ("Coverage was 95% in Lund.",
         "The 95% target in Lund was missed with a coverage of 93%.", "93"),
        ("Der Stickstoffwert lag bei 40 Mikrogramm.",
         "Der Stickstoffwert lag bei 52 Mikrogramm gegenüber einem Grenzwert von 40 Mikrogramm.", "52"),
        ("Le taux était de 9 % à Lyon.", "Le taux était de 7 % à Lyon contre 9 % auparavant.", "7"),
        ("실업률은 2023년에 5%였다.", "실업률은 2023년에 3%로 목표 5%보다 낮았다.", "3"),
        ("2023年的接种率为95%。", "2023年的接种率为93%低于目标95%。", "93"),
        ("Output was 30 tonnes in 2019.",
         "In 2018 output was 30 tonnes; in 2019 it was 41 tonnes.", "41"),
    ],
)  # fmt: skip
def test_a_figure_of_another_role_year_or_group_supports_nothing(
    claim: str, page: str, theirs: str
) -> None:
    verdict = judge_claim(claim, page)
    assert (verdict.verdict, verdict.kind) == ("partly", "figure")
    assert f"another figure: {theirs}, not" in verdict.note


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("Coverage met the 95% target in 2023.",
         "Coverage met the target of 95% in 2023, after 93% in 2022."),
        ("The target for coverage was 95% in 2023.",
         "Coverage was 93% in 2023, below the target of 95%."),
        ("Coverage rose to 95% in 2023.", "Coverage rose to 95% in 2023, up from 93% a year earlier."),
        ("Rents in Berlin rose 5%.", "Rents rose 5% in Berlin and 7% in Munich."),
        ("Die Quote lag 2020 bei 8 %.", "Die Quote lag 2020 bei 8 %, nach 6 % im Vorjahr."),
        ("Le taux de chômage était de 9 % en 2020.",
         "Le taux de chômage était de 7 % en 2021, contre 9 % en 2020."),
        ("La media nacional de cobertura fue del 80 %.",
         "La cobertura alcanzó el 64 % en Lima, frente a la media nacional de cobertura del 80 %."),
        ("Newlyweds chose “Until I Found You” 33 times.", GUILD),
        ("Coverage was 93% in Lund.", "Coverage in Lund was 93% against a target of 95%."),
        ("The target in Lund was 95%.", "Coverage in Lund was 93% against a target of 95%."),
        ("Coverage was 93% in Lund.", "The 95% target in Lund was missed with a coverage of 93%."),
    ],
)  # fmt: skip
def test_a_figure_of_the_claims_own_role_year_and_group_supports_it(claim: str, page: str) -> None:
    assert judge_claim(claim, page).verdict == "supported"


def test_audits_of_older_rules_do_not_compare_roles() -> None:
    page = "Coverage was 93% in 2023, below the target of 95%."
    assert (
        judge_claim("Coverage reached 95% in 2023.", page, rules=OLDER_RULES).verdict == "supported"
    )


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("실업률은 2023년에 5%였다.", "실업률은 2023년에 3%로 목표 5%보다 낮았다."),
        (
            "호수의 면적은 52제곱킬로미터다.",
            "호수의 면적은 47제곱킬로미터이며 가장 깊은 곳은 12미터다.",
        ),
        ("2023年の接種率は95%だった。", "2023年の接種率は93%で、目標の95%を下回った。"),
        ("Die Fähre Möwe hat 25 Kabinen.", FLEET),
        ("Le taux était de 9 % à Lyon.", "Le taux prévu était de 9 % à Lyon, et de 7 % après."),
        ("Tỷ lệ thất nghiệp ở Huế là 5%.", "Tỷ lệ thất nghiệp ở Huế là 3% trong năm 2023."),
        ("Nice a 31 écoles publiques.", TOWNS),
    ],
)
@pytest.mark.parametrize(("of_claim", "of_page"), [("NFC", "NFD"), ("NFD", "NFC"), ("NFD", "NFD")])
def test_letters_stored_in_parts_are_compared_like_whole_ones(
    claim: str, page: str, of_claim: str, of_page: str
) -> None:
    """macOS stores names and some PDF files store text in decomposed characters."""
    opening = "Été à Łódź, über Ål. "
    whole = opening + page
    expected = judge_claim(claim, whole)
    assert expected.end > expected.start
    parts = unicodedata.normalize(of_page, whole)
    found = judge_claim(unicodedata.normalize(of_claim, claim), parts)
    assert (found.verdict, found.kind, found.note, found.likelihood) == (
        expected.verdict,
        expected.kind,
        expected.note,
        expected.likelihood,
    )
    passage = unicodedata.normalize("NFC", parts[found.start : found.end])
    assert passage == whole[expected.start : expected.end]
