"""Verdicts on claims: a made report with planted faults, other languages, and what is not decided."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.citations.checks.claim_verdict import (
    OLDER_RULES,
    ClaimVerdict,
    combine_verdicts,
    judge_claim,
)
from research_core.text.embeddings.exact import scale_to_unit

DATA = Path(__file__).parents[2] / "data" / "audit"
PAGES: dict[str, str] = json.loads((DATA / "pages.json").read_text(encoding="utf-8"))
#: Sentences of a report: the page that each cites, and the kind of its planted fault, "" if sound.
#: The faults of an address or a mark are those of the run, not of a verdict on a page.
REPORT = json.loads((DATA / "report.json").read_text(encoding="utf-8"))
FLAGGED = ("partly", "not found")


def test_the_report_has_100_sentences_and_50_faults_of_ten_kinds() -> None:
    faults = Counter(row["fault"] for row in REPORT)
    assert len(REPORT) == 100
    assert faults.pop("") == 50
    assert len(faults) == 10


def test_planted_faults_are_found_with_their_kind_and_sound_sentences_left_alone() -> None:
    wrong, flagged = [], []
    for row in REPORT:
        if row["page"] not in PAGES:
            continue
        verdict = judge_claim(row["text"], PAGES[row["page"]])
        if not row["fault"]:
            if verdict.verdict in FLAGGED:
                flagged.append((row["text"], verdict))
        elif verdict.verdict not in FLAGGED or verdict.kind != row["fault"]:
            wrong.append((row["text"], verdict))
    assert len(wrong) <= 3, wrong  # of 39
    assert len(flagged) <= 2, flagged  # of 50


@pytest.mark.parametrize(
    ("claim", "page", "kind", "named"),
    [
        ("该湖面积为52平方公里。", "该湖面积为47平方公里。湖水供应二十六万人饮用。", "figure", "52"),
        ("この橋は1891年に完成した。", "この橋は1887年に完成した。全長は341メートルである。", "date", "1891"),
        ("Мост построили в 1891 году.", "Мост построили в 1887 году. Его длина 341 метр.", "date", "1891"),
        ("यह पुल 1891 में खोला गया था।", "यह पुल 1887 में खोला गया था। इसकी लंबाई 341 मीटर है।", "date", "1891"),
        ("افتتح الجسر في عام 1891.", "افتتح الجسر في عام 1887. ويبلغ طوله 341 متراً.", "date", "1891"),
        ("다리는 1891년에 완공되었다.", "다리는 1887년에 완공되었다. 길이는 341미터이다.", "date", "1891"),
        ("Die Anlage kostete 8 Milliarden Euro.", "Die Anlage kostete 8 Millionen Euro.", "figure", "milliarden"),
        ("Rain fell on 5 March.", "Rain fell on 5 May. The streets were flooded.", "date", "5 March"),
        ("Le musée a ouvert le 4 juillet.", "Le musée a ouvert le 4 juin. L'entrée est libre.", "date", "juillet"),
        ("Smoking causes the disease.", "Smoking is associated with the disease. Doctors met in Rome.", "stronger", "associated"),
        ("Das Mittel hilft zweifellos gegen Malaria.", "Das Mittel hilft möglicherweise gegen Malaria.", "stronger", "möglicherweise"),
        ("The drug cured malaria.", "In mice the drug cured malaria. It was found in Kenya.", "scope", "mice"),
        ("Todas las escuelas cerraron en enero.", "Algunas escuelas cerraron en enero.", "scope", "Algunas"),
        ("The ship was built in Gdansk by Polish engineers.", "The ship was built in Rostock by Polish engineers.", "entity", "Rostock"),
        ("The strike at the Lund shipyard began on Tuesday.", "The strike at the Lund shipyard began on Friday.", "date", "Friday"),
        ("The committee of Lund reported its fifth deficit.", "The committee of Lund reported its third deficit.", "figure", "third"),
        ("She said: “We will never sell the old harbour”.", "She said: “We will perhaps sell the old harbour”.", "quotation", "never"),
    ],
)  # fmt: skip
def test_a_small_change_is_named(claim: str, page: str, kind: str, named: str) -> None:
    verdict = judge_claim(claim, page)
    assert verdict.verdict in FLAGGED
    assert verdict.kind == kind
    assert named in verdict.note


@pytest.mark.parametrize(
    ("claim", "ours", "theirs"),
    [
        ("The dam of Lund cost {}.", "30 million euros", "30 million dollars"),
        ("The dam of Lund cost {}.", "$30 million", "€30 million"),
        ("The dam of Lund cost {}.", "30 million Canadian dollars", "30 million US dollars"),
        ("A ticket to the tower costs {}.", "$30", "€30"),
        ("A ticket to the tower costs {}.", "30 yen", "30 yuan"),
        ("Patients took {} of the syrup daily.", "5 mg", "5 ml"),
        ("Patients took {} of the syrup daily.", "5 µg", "5 mg"),
        ("The road from Lund to Malmö is {} long.", "30 miles", "30 kilometres"),
        ("The field of the farm covers {}.", "30 acres", "30 hectares"),
        ("The lake of the valley covers {}.", "30 square miles", "30 km²"),
        ("The oven reached {} in an hour.", "200 °F", "200 °C"),
        ("The trial of the vaccine lasted {}.", "18 months", "18 weeks"),
        ("Rents in Lund rose by {}.", "3 percentage points", "3 percent"),
        ("Die Brücke kostete {}.", "30 Millionen Euro", "30 Millionen Dollar"),
        ("Die Straße nach Lund ist {} lang.", "30 Meilen", "30 Kilometer"),
        ("Le pont de Lund a coûté {}.", "30 millions d'euros", "30 millions de dollars"),
        ("El puente costó {}.", "30 millones de euros", "30 millones de dólares"),
        ("A ponte custou {}.", "30 milhões de euros", "30 milhões de dólares"),
        ("Мост стоил {}.", "30 миллионов евро", "30 миллионов долларов"),
        ("该桥耗资{}。", "3000万欧元", "3000万美元"),
        ("患者は毎日この薬を{}飲んだ。", "5ミリグラム", "5ミリリットル"),
        ("그 다리의 건설 비용은 {}였다.", "3000만 유로", "3000만 달러"),
        ("بلغت تكلفة الجسر {}.", "30 مليون يورو", "30 مليون دولار"),
    ],
)
def test_another_unit_or_currency_is_another_figure(claim: str, ours: str, theirs: str) -> None:
    for said, page in ((ours, theirs), (theirs, ours)):
        text = f"{claim.format(page)} 1."
        verdict = judge_claim(claim.format(said), text)
        assert (verdict.verdict, verdict.kind) == ("partly", "figure")
        assert page.replace(" ", "") in verdict.note.replace(" ", "")
        assert judge_claim(claim.format(said), claim.format(said)).verdict == "supported"


@pytest.mark.parametrize(
    ("claim", "ours", "theirs"),
    [
        ("The road from Lund to Malmö is {} long.", "48 km", "30 miles"),
        ("The road from Lund to Malmö is {} long.", "30 miles (48 km)", "48 km"),
        ("The oven reached {} in an hour.", "392 °F", "200 °C"),
        ("The oven reached {} in an hour.", "392 degrees Fahrenheit", "200 degrees Celsius"),
        ("The lake of the valley covers {}.", "12 square miles", "31 km²"),
        ("Die Straße nach Lund ist {} lang.", "30 Meilen", "48 Kilometer"),
        ("La route de Lund mesure {}.", "10 milles", "16 kilomètres"),
        ("A ticket to the tower costs {}.", "$30", "30 US dollars"),
        ("A ticket to the tower costs {}.", "£30", "30 pounds"),
        ("The dam of Lund cost {}.", "€30m", "30 million euros"),
        ("The walk to the tower takes {}.", "30 to 40 minutes", "30–40 min"),
        ("The trial of the vaccine lasted {}.", "24 months", "2 years"),
        ("该桥长{}。", "30公里", "30千米"),
        ("Der Zug nach Lund fährt {}.", "60 km/h", "60 Stundenkilometer"),
    ],
)
def test_the_same_amount_in_another_unit_is_no_fault(claim: str, ours: str, theirs: str) -> None:
    for said, page in ((ours, theirs), (theirs, ours)):
        verdict = judge_claim(claim.format(said), f"{claim.format(page)} 1.")
        assert verdict.kind in ("", "not mentioned"), verdict
        assert verdict.verdict not in FLAGGED


def test_a_wrong_conversion_is_another_figure() -> None:
    verdict = judge_claim(
        "The road from Lund to Malmö is 60 km long.",
        "The road from Lund to Malmö is 30 miles long. It is new.",
    )
    assert (verdict.verdict, verdict.kind) == ("partly", "figure")


@pytest.mark.parametrize(
    ("claim", "heading", "page"),
    [
        ("Approved.", "Drug for asthma", "Drug for asthma: refused. Drug for gout: see below.\n\nApproved."),
        ("Closed in 2019.", "## Lund", "Lund is open to all. Malmö had a ferry.\n\nClosed in 2019."),
        ("12 metres", "| Oslo |", "Bergen\n\n12 metres\n\nOslo\n\n9 metres"),
        ("Zugelassen.", "Mittel gegen Asthma", "Mittel gegen Asthma: abgelehnt. Mittel gegen Gicht:\n\nZugelassen."),
        ("Aprobado.", "Fármaco contra el asma", "Fármaco contra el asma: rechazado. Otro fármaco:\n\nAprobado."),
        ("已批准。", "哮喘药", "哮喘药被拒绝。痛风药如下。\n\n已批准。"),
    ],
)  # fmt: skip
def test_words_of_another_heading_are_not_verbatim(claim: str, heading: str, page: str) -> None:
    assert judge_claim(claim, page).likelihood == 1.0
    verdict = judge_claim(claim, page, context=heading)
    assert verdict.likelihood < 1.0


def test_a_heading_of_another_thing_supports_nothing() -> None:
    page = "Drug for asthma: refused. Drug for gout: see below.\n\nApproved."
    assert judge_claim("Approved.", page, context="Drug for asthma").verdict != "supported"


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("The ferry was closed.", "The ferry was old and closed to cars. The ferry was closed. It sank."),
        ("Seals were “seldom” seen.", "Seals seen were seldom. Then: Some fish.\n\nSeals were \"seldom\" seen. No."),
        ("Die Fähre fuhr nie. Sie sank.", "Die Fähre sank und fuhr nie mehr. Die Fähre fuhr nie. Sie sank. Ende."),
        ("渡船停航了。", "渡船停航了吗？渡船停航了。很多人抗议。"),
    ],
)  # fmt: skip
def test_the_verbatim_place_is_shown(claim: str, page: str) -> None:
    verdict = judge_claim(claim, page)
    shown = page[verdict.start : verdict.end]
    assert (verdict.verdict, verdict.likelihood) == ("supported", 1.0)
    assert shown.replace('"', "”").replace("“", "”") == claim.replace("“", "”")


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("About 1.2 million people live there.", "1,214,300 people live there. The town is old."),
        ("It closed ten years later.", "It opened in 1990. It closed in 2000, ten years later."),
        ("The opening was on 22.11.2016.", "The opening was on 22 November 2016. Many came."),
        ("WHO warned of the virus.", "The World Health Organization warned of the virus."),
        ("COVID-19 closed the schools.", "Covid closed the schools. They reopened in May."),
        ("Die Brücke wurde am 3. Juni 1887 eröffnet.", "Am 3.6.1887 wurde die Brücke eröffnet."),
        # the page dates by its own day
        ("The dam was closed in April 2019.", "The dam was closed last month. It is old."),
        (
            "Anna Berg ist am 30. Dezember gestorben.",
            "Anna Berg ist gestern gestorben. Sie war 76.",
        ),
        ("Le maire a démissionné en 2021.", "Le maire a démissionné l'an dernier. Il est parti."),
        ("知事は2021年に辞任した。", "知事は昨年辞任した。理由は病気である。"),
        ("El alcalde dimitió en mayo.", "El alcalde dimitió el mes pasado. Vive en Cádiz."),
        # not a fraction, a number in words, a part of the year
        ("It won in the second half.", "After the break it won. The ground was full."),
        ("Tickets cost 25 crowns in Lund.", "Tickets cost twenty five crowns in Lund."),
        ("Nordia sold more ships in Q2.", "Nordia sold more ships in the second quarter."),
    ],
)
def test_another_form_of_the_same_is_not_flagged(claim: str, page: str) -> None:
    assert judge_claim(claim, page).verdict not in FLAGGED


@pytest.mark.parametrize(
    ("claim", "page", "note"),
    [
        (
            "Surveyors of Lund say that the barrier lowered the river.",
            "Surveyors of Lund say that the barrier raised the river. It is old.",
            "raised",
        ),
        (
            "Doctors of Lund will not publish the vaccine results.",
            "Doctors of Lund will publish the vaccine results. They met in May.",
            "not",
        ),
    ],
)
def test_the_opposite_has_no_kind_but_is_named(claim: str, page: str, note: str) -> None:
    verdict = judge_claim(claim, page)
    assert (verdict.verdict, verdict.kind) == ("partly", "")
    assert note in verdict.note


@pytest.mark.parametrize("is_excerpt", [False, True])
@pytest.mark.parametrize(
    ("claim", "page", "kind", "note"),
    [
        ("The bridge opened in May 2014.", "The bridge opened in March 2014. It closed in May 2016.", "date", "March 2014, not May 2014"),
        ("Le pont a ouvert en mai 2014.", "Le pont a ouvert en mars 2014. Il a fermé en mai 2016.", "date", "mars 2014, not mai 2014"),
        ("この橋は2014年5月に開通した。", "この橋は2014年3月に開通した。2016年5月に閉鎖された。", "date", "2014年3月, not 2014年5月"),
        ("Puente abrió en mayo de 2014.",
         "El puente abrió en mayo de 2015. Cerró en marzo de 2014.", "date", "mayo de 2015, not mayo de 2014"),
        ("В мае 2014 года мост открыли.",
         "В марте 2014 года мост открыли. В мае 2016 года его закрыли.", "date", "марте 2014, not мае 2014"),
        ("The club had 6,100 members in 2014.", "The club had 5,300 members in 2014 and 6,100 in 2015.", "figure", "5,300, not 6,100"),
        ("There are 240 wells in the country.", "There are 240 wells at the site. The water is salty.", "scope", "at the site"),
        ("According to Anna Keller, the dam is safe.",
         "According to Peter Moser, the dam is safe. Anna Keller runs the museum.", "entity", "Peter Moser"),
        ("市議会は港の計画を承認した。", "市議会は港の計画を承認しなかった。会議は二時間続いた。", "", "承認"),
        ("Men aged more slowly than women.", "Women aged more slowly than men. They lived in Lund.", "", "slowly than"),
    ],
)  # fmt: skip
def test_a_contradiction_is_never_supported(
    claim: str, page: str, kind: str, note: str, is_excerpt: bool
) -> None:
    verdict = judge_claim(claim, page, is_excerpt=is_excerpt)
    assert verdict.verdict in FLAGGED
    assert verdict.kind == kind
    assert note in verdict.note


#: Claims and pages with the same number in digits of two scripts, and another number of the page.
OTHER_DIGITS = [
    ("पुल 1975 में बनकर तैयार हुआ था।", "नदी पर बना पुल १९७५ में बनकर तैयार हुआ था।", "1976"),
    ("افتتح الجسر في عام 1975 بعد سنوات من العمل.", "وقد افتتح الجسر في عام ١٩٧٥ بعد سنوات من العمل.", "1976"),
    ("پل در سال 1354 پس از چند سال کار افتتاح شد.", "این پل در سال ۱۳۵۴ پس از چند سال کار افتتاح شد.", "1355"),
    ("橋は1975年に完成した。", "この川の橋は１９７５年に完成した。", "1976"),
    ("সেতুটি 1975 সালে নির্মিত হয়েছিল।", "নদীর উপর সেতুটি ১৯৭৫ সালে নির্মিত হয়েছিল।", "1976"),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "page", "other"), OTHER_DIGITS)
def test_digits_of_another_script_are_the_same_number(claim: str, page: str, other: str) -> None:
    number = re.search(r"[0-9]+", claim)[0]
    same = judge_claim(claim, page)
    assert same.kind == ""
    assert number not in same.note
    changed = judge_claim(claim.replace(number, other), page)
    assert changed.kind in ("date", "figure")
    assert changed.verdict != "supported"


def test_older_audits_decide_as_before() -> None:
    claim, page = (
        "There are 240 wells in the country.",
        "There are 240 wells at the site. It rains.",
    )
    assert judge_claim(claim, page).verdict == "partly"
    assert judge_claim(claim, page, rules=OLDER_RULES).verdict == "supported"


@pytest.mark.parametrize(
    "claim",
    [
        "The report does not mention any cost of the comet telescope.",
        "There is no information on the price of comet telescopes.",
    ],
)
def test_that_something_is_missing_is_never_called_not_found(claim: str) -> None:
    assert judge_claim(claim, PAGES["ferry"]).verdict == "not decided"


def test_an_excerpt_needs_more_of_the_words_than_a_page() -> None:
    page = "\n\n".join(PAGES[name] for name in ("bridge", "lake", "ferry"))
    claim = "The viaduct, 341 metres long, was finished by the railway after a contractor failed."
    assert judge_claim(claim, page).verdict == "supported"
    assert judge_claim(claim, page, is_excerpt=True).verdict == "not decided"


def test_a_claim_whose_words_the_page_has_elsewhere_is_not_called_not_found() -> None:
    page = "\n\n".join(PAGES[name] for name in ("bridge", "lake", "ferry"))
    claim = "Captain Solberg designed the stone viaduct over the lake for zebra mussels."
    assert judge_claim(claim, page).verdict in ("not decided", "partly")
    absent = "Anglers in Portugal sued a bakery over mouldy almond biscuits."
    assert judge_claim(absent, page).verdict == "not found"


def test_the_place_of_the_page_is_returned() -> None:
    page = PAGES["bridge"]
    verdict = judge_claim("The viaduct is 341 metres long and has 14 arches.", page)
    assert "341 metres long" in page[verdict.start : verdict.end]
    assert verdict.end - verdict.start < 200
    assert verdict.verdict == "supported"


@pytest.mark.parametrize(
    ("claim", "page", "verdict"),
    [
        ("Anything.", "", "could not check"),
        ("Anything.", " \n", "could not check"),
        ("[1]", "A page of words.", "not decided"),
        (
            "The lake is the drinking water of the whole valley and was closed in summer.",
            PAGES["moor"],
            "not decided",  # another language: its words cannot be compared
        ),
        ("Frogs sang in the marsh all night.", PAGES["ferry"], "not found"),
    ],
)
def test_what_cannot_be_compared_is_not_decided(claim: str, page: str, verdict: str) -> None:
    assert judge_claim(claim, page).verdict == verdict


def test_a_short_claim_is_read_with_its_heading() -> None:
    page = "Oslo has 700,000 inhabitants. Bergen has 290,000 inhabitants. Both lie in Norway."
    bergen = judge_claim("inhabitants", page, context="| Bergen |")
    assert page[bergen.start : bergen.end] == "Bergen has 290,000 inhabitants."
    oslo = judge_claim("inhabitants", page, context="## Oslo")
    assert page[oslo.start : oslo.end] == "Oslo has 700,000 inhabitants."


class FixedEntailment:
    """A model that gives one answer."""

    def __init__(self, likelihood: float) -> None:
        self.likelihood = likelihood

    def measure(self, premise: str, claim: str) -> float:
        """Return the answer."""
        assert premise
        assert claim
        return self.likelihood


def test_an_entailment_model_raises_and_lowers_the_likelihood() -> None:
    claim, page = "The stone was carried from a quarry in the north.", PAGES["bridge"]
    alone = judge_claim(claim, page)
    sure = judge_claim(claim, page, entailment=FixedEntailment(0.999))
    unsure = judge_claim(claim, page, entailment=FixedEntailment(0.001))
    assert unsure.likelihood < alone.likelihood < sure.likelihood


class LetterEmbedder:
    """A model whose rows count the letters of a text."""

    name = "letters"
    why = ""

    def embed(self, texts: Sequence[str]) -> Any:
        """Return a row of letter counts for each text."""
        import numpy as np

        counts = [[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts]
        return scale_to_unit(np.array(counts, np.float64))

    def load(self) -> None:
        """Do nothing."""


def test_a_passage_is_chosen_by_meaning_where_words_are_few() -> None:
    page = "The zebra zoo buzzed. Mill owners fed the zebra. " + PAGES["lake"]
    claim = "The zebra jazz quiz dazzled fuzzy puzzled wizards."
    by_words = judge_claim(claim, page)
    by_meaning = judge_claim(claim, page, embedder=LetterEmbedder())
    assert page[by_meaning.start : by_meaning.end] == "The zebra zoo buzzed."
    assert by_meaning.verdict == by_words.verdict


# ---------------------------------------------------------------- several works

FOUND = ClaimVerdict("supported", likelihood=0.99)
MISSING = ClaimVerdict("not found", "not mentioned", "Nothing.", likelihood=0.01)
UNREAD = ClaimVerdict("could not check", note="Unread.")


@pytest.mark.parametrize(
    ("verdicts", "combined"),
    [
        ([], "could not check"),
        ([MISSING, FOUND], "supported"),
        ([UNREAD, FOUND], "supported"),
        ([MISSING, MISSING], "not found"),
        ([MISSING, UNREAD], "could not check"),
        ([UNREAD, UNREAD], "could not check"),
        ([ClaimVerdict("partly", "figure"), MISSING], "partly"),
    ],
)
def test_verdicts_of_several_works_are_combined(
    verdicts: list[ClaimVerdict], combined: str
) -> None:
    assert combine_verdicts(verdicts, "A claim.", ["A page."] * len(verdicts)).verdict == combined


def test_two_works_may_each_hold_a_part() -> None:
    pages = ["The dam is 90 metres high. It is old.", "The dam cost 4 million euros. It is loved."]
    claim = "The dam is 90 metres high. The dam cost 4 million euros."
    verdicts = [judge_claim(claim, page) for page in pages]
    assert [one.verdict for one in verdicts] != ["supported", "supported"]
    assert combine_verdicts(verdicts, claim, pages).verdict == "supported"


@pytest.mark.parametrize(
    ("claim", "heading", "pages"),
    [
        ("Exports rose by 12%.", "Germany", ["Exports of France rose.", "They rose by 12%."]),
        ("Exports of Lund rose by 12%.", "", ["Exports of Lund rose by 9%.", "They rose by 12%. It was May."]),
        ("Die Exporte stiegen um 12%.", "", ["Die Exporte stiegen um 9%.", "Die Löhne stiegen um 12%."]),
        ("The ferry of Lund cost $30 million.", "", ["The ferry of Lund cost €30 million.", "It cost $30 million."]),
        ("Les prix de Lyon ont augmenté de 12 %.", "", ["Les prix de Lyon ont augmenté de 9 %.", "Ils ont augmenté de 12 %."]),
    ],
)  # fmt: skip
def test_no_other_work_takes_back_a_difference(claim: str, heading: str, pages: list[str]) -> None:
    verdicts = [judge_claim(claim, page, context=heading) for page in pages]
    assert "supported" not in [one.verdict for one in verdicts]
    combined = combine_verdicts(verdicts, claim, pages, context=heading)
    assert combined.verdict != "supported"
    assert combine_verdicts(verdicts[::-1], claim, pages[::-1], context=heading) == combined


@pytest.mark.parametrize(
    ("verdicts", "stands"),
    [
        (("partly", "not decided"), True),
        (("not decided", "partly"), True),
        (("not decided", "not decided"), False),
        (("not decided", "not found"), False),
        (("not found", "not found"), False),
    ],
)
def test_passages_together_are_judged_as_each_work_was(
    verdicts: tuple[str, str], stands: bool
) -> None:
    read: list[ClaimVerdict] = []
    for name in verdicts:
        read.append(ClaimVerdict(name, end=6, likelihood=0.4))  # type: ignore[arg-type]
    asked: list[str] = []

    def judge(text: str) -> ClaimVerdict:
        asked.append(text)
        return ClaimVerdict("supported", likelihood=0.9)

    combined = combine_verdicts(read, "A claim.", ["First page.", "Other page."], judge=judge)
    assert asked == ([] if stands else ["First \n\nOther "])
    assert (combined.verdict == "supported") is not stands


# ---------------------------------------------------------------- any text, and time


@given(st.text(max_size=200), st.text(max_size=400))
def test_any_texts_have_a_verdict_within_the_page(claim: str, page: str) -> None:
    verdict = judge_claim(claim, page)
    assert 0 <= verdict.start <= verdict.end <= len(page)
    assert 0.0 <= verdict.likelihood <= 1.0


def test_the_time_grows_with_the_page_and_not_with_its_square() -> None:
    claim = "The viaduct was opened on 3 June 1887, and Sylvie Arnaud said 34,000 people came."
    text = "\n\n".join(PAGES.values())

    def measure(copies: int) -> float:
        page = "\n\n".join(f"Part {number} of {copies}.\n\n{text}" for number in range(copies))
        began = time.process_time()
        judge_claim(claim, page)
        return time.process_time() - began

    measure(1)
    assert measure(32) < 16 * max(measure(4), 0.01)  # 8 times if linear, 64 if quadratic
