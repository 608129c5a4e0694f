"""Opposites, exclusive words, a one-sided "not", and what is exchanged between texts."""

from __future__ import annotations

import pytest

from research_core.text.support.contrasts import (
    SAYS_ABSENT,
    find_contrast,
    find_exchanged_ends,
    find_exchanged_name,
    find_exchanged_sides,
    find_one_sided_negation,
)
from research_core.text.support.page_places import read_claim, read_page_text

RIVER = "Engineers of the harbour say that the new barrier raised the river at Brackley by a metre."


@pytest.mark.parametrize(
    ("claim", "page", "kind", "ours", "theirs"),
    [
        (
            "Engineers of the harbour say the new barrier lowered the river at Brackley.",
            RIVER, "", "lowered", "raised",
        ),
        (
            "The vaccine trial recorded post-treatment headaches of volunteers in Lisbon.",
            "The vaccine trial recorded pre-treatment headaches of volunteers in Lisbon.",
            "", "post", "pre",
        ),
        (
            "The harbour committee of Brackley found the contractor's figures inaccurate.",
            "The harbour committee of Brackley found the contractor's figures accurate.",
            "", "inaccurate", "accurate",
        ),
        (
            "The strike at the Brackley shipyard began on Tuesday and lasted a week.",
            "The strike at the Brackley shipyard began on Thursday and lasted a week.",
            "date", "Tuesday", "Thursday",
        ),
        (
            "The Brackley shipyard reported its fifth annual deficit to investors.",
            "The Brackley shipyard reported its third annual deficit to investors.",
            "figure", "fifth", "third",
        ),
        (
            "Die Zahl der Störche im Havelland ist im Sommer gesunken, sagt der Verband.",
            "Die Zahl der Störche im Havelland ist im Sommer gestiegen, sagt der Verband.",
            "", "gesunken", "gestiegen",
        ),
        (
            "Le prix du blé breton a connu une baisse sensible sur le marché de Rennes.",
            "Le prix du blé breton a connu une hausse sensible sur le marché de Rennes.",
            "", "baisse", "hausse",
        ),
        (
            "Der Stadtrat befürwortete den Bau der Brücke über die Saale.",
            "Der Stadtrat lehnte den Bau der Brücke über die Saale am Dienstag ab.",
            "", "befürwortete", "lehnte",
        ),
        (
            "El gobierno aceptó la propuesta de los sindicatos mineros.",
            "El gobierno rechazó la propuesta de los sindicatos mineros.",
            "", "aceptó", "rechazó",
        ),
        (
            "El gremio de Sevilla esperaba más demanda de aceite andaluz en verano.",
            "El gremio de Sevilla esperaba menos demanda de aceite andaluz en verano.",
            "", "más", "menos",
        ),
    ],
)  # fmt: skip
def test_an_opposite_among_the_same_words_is_found(
    claim: str, page: str, kind: str, ours: str, theirs: str
) -> None:
    read = read_page_text(page)
    found = find_contrast(read_claim(claim, read.language), read)
    shown = (found.kind, found.ours, found.theirs) if found else ("", "", "")
    assert shown == (kind, ours, theirs)


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        # the opposite is said of another matter
        (
            "Engineers of the harbour say the new barrier lowered the river at Brackley.",
            "Prices of tickets were raised. Engineers of the harbour built a barrier at Brackley.",
        ),
        # the opposite is denied
        (
            "Engineers of the harbour say the new barrier lowered the river at Brackley.",
            "Engineers of the harbour say the new barrier never raised the river at Brackley.",
        ),
        # both words are there
        (
            "Engineers of the harbour say the new barrier lowered the river at Brackley.",
            f"{RIVER} Later it lowered the river at Brackley.",
        ),
        ("Frogs sang.", RIVER),
        ("", RIVER),
    ],
)
def test_other_neighbours_a_denial_or_both_words_are_no_contrast(claim: str, page: str) -> None:
    read = read_page_text(page)
    assert find_contrast(read_claim(claim, read.language), read) is None


@pytest.mark.parametrize(
    ("claim", "page", "word"),
    [
        (
            "Doctors in Tromsø will not publish the vaccine trial results.",
            "Doctors in Tromsø will publish the vaccine trial results.",
            "publish",
        ),
        (
            "The treaty of Ambleside obliges shepherds to fence meadows.",
            "The treaty of Ambleside never obliges shepherds to fence meadows.",
            "obliges",
        ),
        ("The treaty obliges shepherds.", "The treaty obliges shepherds.", ""),
        (
            "The treaty does not mention that shepherds of Ambleside fence meadows.",
            "Shepherds of Ambleside fence meadows.",
            "",
        ),
    ],
)
def test_a_one_sided_not_is_found(claim: str, page: str, word: str) -> None:
    read = read_page_text(page)
    assert find_one_sided_negation(read_claim(claim, read.language), read) == word


@pytest.mark.parametrize(
    ("claim", "page", "word"),
    [
        (
            "Le maire a augmenté la taxe foncière de la commune.",
            "Le maire a refusé d'augmenter la taxe foncière de la commune.",
            "augmenté",
        ),
        (
            "Le maire augmente la taxe foncière de la commune.",
            "Le maire n'augmente pas la taxe foncière de la commune.",
            "augmente",
        ),
        (
            "Der Minister unterzeichnete das Abkommen mit den Gewerkschaften.",
            "Der Minister weigerte sich, das Abkommen mit den Gewerkschaften zu unterzeichnen.",
            "unterzeichnete",
        ),
        (
            "Die Gemeinde genehmigte den Antrag auf Ausbau des Hafens nicht.",
            "Die Gemeinde genehmigte den Antrag auf Ausbau des Hafens.",
            "Hafens",
        ),
        (
            "El ayuntamiento aprobó la construcción del nuevo puente.",
            "El ayuntamiento no aprobó la construcción del nuevo puente.",
            "aprobó",
        ),
        (
            "Il consiglio ha approvato la costruzione del ponte di Trento.",
            "Il consiglio non ha approvato la costruzione del ponte di Trento.",
            "approvato",
        ),
        (
            "O conselho aprovou a construção da nova ponte de Braga.",
            "O conselho não aprovou a construção da nova ponte de Braga.",
            "aprovou",
        ),
        (
            "Городской совет одобрил строительство нового моста.",
            "Городской совет не одобрил строительство нового моста.",
            "одобрил",
        ),
        ("市议会批准了新桥的建设计划。", "市议会没有批准新桥的建设计划。", "批准"),
        ("市议会没有批准新桥的建设计划。", "市议会批准了新桥的建设计划。", "批准"),
        ("公司去年关闭了上海的工厂。", "公司去年并未关闭上海的工厂。", "关闭"),
    ],
)
def test_a_one_sided_not_is_found_in_other_languages(claim: str, page: str, word: str) -> None:
    read = read_page_text(page)
    assert find_one_sided_negation(read_claim(claim, read.language), read) == word


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        # the "not" is said of something else
        (
            "Die Gemeinde genehmigte im März den Ausbau des Hafens.",
            "Die Gemeinde genehmigte im März den Ausbau des Hafens, nicht aber den Abriss der Halle.",
        ),
        (
            "La mairie de Rennes finance les cantines scolaires.",
            "La mairie de Rennes finance les cantines scolaires sans aucune aide de l'État.",
        ),
        (
            "La fábrica de Vigo produce motores eléctricos para barcos.",
            "La fábrica de Vigo produce motores eléctricos para barcos, no para coches.",
        ),
        # "not only"
        (
            "Das Museum zeigt seltene Münzen aus Trier.",
            "Das Museum zeigt nicht nur seltene Münzen aus Trier, sondern auch Glas.",
        ),
        (
            "研究人员在云南发现了新的植物物种。",
            "研究人员不仅在云南发现了新的植物物种,不久之后还发表了论文。",
        ),
        # the claim denies in other words
        (
            "Der Rat sprach sich gegen den Bau der Brücke über die Saale aus.",
            "Der Rat genehmigte den Bau der Brücke über die Saale nicht.",
        ),
        (
            "El gobierno se opuso a la reforma del puerto de Vigo.",
            "El gobierno no apoyó la reforma del puerto de Vigo.",
        ),
        ("公司反对扩建上海的工厂。", "公司没有扩建上海的工厂。"),
        # another sentence says it without a "not"
        (
            "El ayuntamiento aprobó la construcción del puente de Cuenca.",
            "El ayuntamiento no aprobó en mayo la construcción del puente de Cuenca. En junio el"
            " ayuntamiento aprobó la construcción del puente de Cuenca.",
        ),
    ],
)
def test_a_not_of_something_else_is_not_one_sided(claim: str, page: str) -> None:
    read = read_page_text(page)
    assert find_one_sided_negation(read_claim(claim, read.language), read) == ""


@pytest.mark.parametrize(
    ("claim", "page", "comparison"),
    [
        (
            "Men metabolized caffeine more slowly than women in the trial.",
            "Women metabolized caffeine more slowly than men in the trial.",
            "more slowly than",
        ),
        (
            "Frauen lebten in Sachsen deutlich länger als Männer.",
            "Männer lebten in Sachsen deutlich länger als Frauen.",
            "länger als",
        ),
        (
            "Les abeilles visitent plus souvent la lavande que le trèfle.",
            "Les abeilles visitent plus souvent le trèfle que la lavande.",
            "plus souvent le trèfle que",
        ),
        (
            "In the trial, men metabolized caffeine more slowly than women.",
            "Men metabolized caffeine more slowly than women in the trial.",
            "",
        ),
        (
            "Urban schools closed less often than rural schools.",
            "Rural schools closed more often than urban schools.",
            "",
        ),
    ],
)
def test_exchanged_sides_of_a_comparison_are_found(claim: str, page: str, comparison: str) -> None:
    read = read_page_text(page)
    assert find_exchanged_sides(read_claim(claim, read.language), read) == comparison


@pytest.mark.parametrize(
    ("claim", "page", "ends"),
    [
        (
            "The number of pupils rose from 6,100 to 5,300.",
            "The number of pupils rose from 5,300 in 2016 to 6,100 in 2022.",
            ("6,100", "5,300"),
        ),
        (
            "Die Zahl der Schüler stieg von 6.100 auf 5.300.",
            "Die Zahl der Schüler stieg von 5.300 auf 6.100.",
            ("6.100", "5.300"),
        ),
        ("学生人数从6100人增加到5300人。", "学生人数从5300人增加到6100人。", ("6100", "5300")),
        (
            "The number of pupils rose from 5,300 to 6,100.",
            "The number of pupils rose from 5,300 in 2016 to 6,100 in 2022.",
            None,
        ),
        (
            "The number of pupils fell from 6,100 to 5,300.",
            "The number of pupils rose from 5,300 to 6,100, then fell from 6,100 to 5,300.",
            None,
        ),
    ],
)
def test_exchanged_ends_of_a_change_are_found(
    claim: str, page: str, ends: tuple[str, str] | None
) -> None:
    read = read_page_text(page)
    assert find_exchanged_ends(read_claim(claim, read.language), read) == ends


@pytest.mark.parametrize(
    ("claim", "page", "theirs"),
    [
        (
            "The old viaduct was drawn by engineer Margaret Hollis from the county office.",
            "The old viaduct was drawn by engineer Margaret Aldous from the county office.",
            "Aldous",
        ),
        (
            "The meeting of farmers was in January at the county office in Brackley.",
            "The meeting of farmers was in Jan at the county office in Brackley.",
            "",
        ),
    ],
)
def test_a_name_between_the_same_words_is_exchanged(claim: str, page: str, theirs: str) -> None:
    read = read_page_text(page)
    found = find_exchanged_name(read_claim(claim, read.language), read)
    assert (found.theirs if found else "") == theirs


@pytest.mark.parametrize(
    ("sentence", "is_absent"),
    [
        ("The study does not explicitly mention children.", True),
        ("There is no information on costs.", True),
        ("Es gibt keine genauen Angaben zu den Kosten.", True),
        ("Les auteurs ne précisent pas la durée.", True),
        ("No se menciona la fecha.", True),
        ("इसका उल्लेख नहीं है।", True),
        ("文中没有提到价格。", True),
        ("The minister gave no speech.", False),
        ("Die Angaben sind genau.", False),
    ],
)
def test_a_sentence_on_what_is_missing_is_known(sentence: str, is_absent: bool) -> None:
    assert bool(SAYS_ABSENT.search(sentence)) == is_absent
