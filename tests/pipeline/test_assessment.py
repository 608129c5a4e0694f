"""The assessment of a source that was read: every part visible, each can be switched off, and what
nobody knows stays unknown.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from research_core.i18n import use_language
from research_core.models import Metadata, Page, ReportSource
from research_core.pipeline.assessment import (
    CORROBORATION_PART,
    LEVELS,
    PAGE_PART,
    UNKNOWN,
    assess,
    assess_source,
)
from research_core.pipeline.backing import find_backings
from research_core.policy import AUTHORITY_PARTS, CredibilityPolicy, Override
from research_core.trust.page_signals import measure_page_signals
from tests.reports import FULL_REPORT

ALL = CredibilityPolicy()


def source(url: str = "https://nobody.example/a", **said: object) -> ReportSource:
    return replace(ReportSource(url, "A title", 1, "kept", "", None, page="a" * 64), **said)  # type: ignore[arg-type]


def parts(source: ReportSource, policy: CredibilityPolicy = ALL) -> dict[str, float]:
    return {part.label: part.value for part in assess_source(source, policy).parts if part.counts}


def test_what_nobody_knows_is_unknown_and_not_low() -> None:
    found = assess_source(source(), ALL)
    assert (found.level, found.value) == (UNKNOWN, 0.4)
    assert found.parts[-1].why.endswith("Its kind of address decides.")


@pytest.mark.parametrize(
    ("said", "label", "worth"),
    [
        ({"metadata": Metadata(authors=("Ann Bell",))}, "names its author", 0.03),
        ({"published": "2026-01-02"}, "is dated", 0.02),
        ({"metadata": Metadata(site="The Bell")}, "names its publisher", 0.02),
        ({"page_signals": {"references": 3}}, "lists references", 0.04),
        ({"metadata": Metadata(doi="10.1016/x")}, "has a DOI", 0.03),
        ({"metadata": Metadata(doi="10.1016/x", type="peer_reviewed")}, "peer reviewed", 0.06),
        ({"page_signals": {"share": 0.1}}, "little text of its own", -0.05),
    ],
)
def test_a_sign_of_the_page_counts_and_makes_it_known(
    said: dict[str, object], label: str, worth: float
) -> None:
    found = assess_source(source(**said), ALL)
    assert parts(source(**said))[label] == worth
    assert found.level != UNKNOWN
    assert assess_source(source(**said), ALL, off=[PAGE_PART]).level == UNKNOWN


def test_who_only_says_that_it_is_reviewed_is_not_believed() -> None:
    assert "peer reviewed" not in parts(
        source(metadata=Metadata(doi="10.99999/x", type="peer_reviewed"))
    )
    assert "peer reviewed" not in parts(source(metadata=Metadata(type="peer_reviewed")))


SPRINGER = "https://link.springer.com/article/10.1007/s00-1"


@pytest.mark.parametrize(
    "said",
    [
        {"metadata": Metadata(doi="10.1007/s00-1")},
        {"url": SPRINGER},
    ],
)
def test_whose_a_doi_is_is_told_beside_it_and_adds_nothing(said: dict[str, str]) -> None:
    found = assess_source(source(**said), ALL)
    (line,) = [part for part in found.parts if part.label.startswith("registered by")]
    assert (line.name, line.label, line.value, line.counts) == (
        PAGE_PART,
        "registered by Springer (DOI 10.1007)",
        0.0,
        False,
    )
    assert "registered" not in str(assess_source(source(**said), ALL, off=[PAGE_PART]))
    assert "registered" not in str(
        assess_source(source(metadata=Metadata(doi="10.99999/x")), ALL).parts
    )


def test_who_registered_a_doi_is_told_in_the_language_of_the_reader() -> None:
    with use_language("de"):
        labels = [part.label for part in assess_source(source(url=SPRINGER), ALL).parts]
    assert "registriert von Springer (DOI 10.1007)" in labels


def test_what_was_retracted_is_worth_next_to_nothing_wherever_it_stands() -> None:
    good = source(
        "https://www.nature.com/articles/x",
        metadata=Metadata(authors=("A",), doi="10.1038/x", type="peer_reviewed"),
    )
    assert assess_source(good, ALL).level == "high"
    for gone in (
        replace(good, page_signals={"retracted": True}),
        replace(good, metadata=replace(good.metadata, retracted="PubMed")),
    ):
        found = assess_source(gone, ALL)
        assert (found.value, found.level) == (0.05, "very low")
        assert "retracted" in [part.label for part in found.parts]


def test_signs_add_up_only_so_far() -> None:
    told = Metadata(authors=("A",), site="S", doi="10.1016/x", type="peer_reviewed")
    found = assess_source(
        source(published="2026", metadata=told, page_signals={"references": 9}), ALL
    )
    assert found.value == 0.55


def test_what_decides_is_marked_and_the_rest_stands_back() -> None:
    policy = replace(ALL, overrides=(Override("dailymail.co.uk", 0.6, "for this case"),))
    found = assess_source(source("https://www.dailymail.co.uk/x", ratings={"lin": 0.4}), policy)
    assert [(part.name, part.counts) for part in found.parts] == [
        ("override", True), ("ratings", False), ("outlet", False), ("tier", False)
    ]  # fmt: skip
    off = assess_source(
        source("https://www.dailymail.co.uk/x", ratings={"lin": 0.4}),
        policy,
        off=["override", "ratings"],
    )
    assert [part.name for part in off.parts if part.counts] == ["outlet"]
    assert (
        assess_source(source("https://www.dailymail.co.uk/x"), policy, off=AUTHORITY_PARTS)
        .parts[-1]
        .name
        == UNKNOWN
    )


def test_a_report_has_one_for_each_source_that_was_read() -> None:
    found = assess(FULL_REPORT)
    assert set(found) == {
        each.url
        for each in FULL_REPORT.sources
        if each.page and not each.url.startswith("document:")
    }
    levels = {level for _, level in LEVELS} | {UNKNOWN}
    assert all(
        0.0 <= one.value <= 1.0 and one.level in levels and one.parts for one in found.values()
    )
    backed = [one for one in find_backings(FULL_REPORT) if not one.alone]
    said = {part.name for one in found.values() for part in one.parts}
    assert (CORROBORATION_PART in said) == bool(backed)
    without = assess(FULL_REPORT, off=[CORROBORATION_PART])
    assert CORROBORATION_PART not in {part.name for one in without.values() for part in one.parts}


@pytest.mark.parametrize(
    ("title", "retracted"),
    [
        ("RETRACTED: Cold fusion in a jar", True),
        ("[Retracted] Cold fusion", True),
        ("Retracted Article: Cold fusion", True),
        ("Cold fusion (retracted)", True),
        ("Retraction Note: Cold fusion", True),
        ("Cold fusion in a jar [RETRACTED]", True),
        ("Cold fusion in a jar (Retracted article)", True),
        ("RETRACTED – Cold fusion", True),
        ("Retraction - Wikipedia", False),
        ("Retraction – what authors should know", False),
        ("The retracted claws of cats", False),
        ("Retractions are rising", False),
        ("Why papers are retracted", False),
    ],
)
def test_a_retraction_is_seen_where_the_title_announces_it(title: str, retracted: bool) -> None:
    page = Page("https://a.example/", "https://a.example/", title, "Some text of it.", share=0.5)
    assert measure_page_signals(page).get("retracted", False) is retracted
    assert (measure_page_signals(page)["words"], measure_page_signals(page)["share"]) == (4, 0.5)


def test_entries_of_a_list_of_references_are_counted() -> None:
    entries = "\n".join(
        f"{n}. Bell A. On the price of bread, part {n}. J Bread. 20{n:02d};3:4-9."
        for n in range(1, 6)
    )
    page = Page(
        "https://a.example/",
        "https://a.example/",
        "T",
        f"Bread is dear.\n\n## References\n\n{entries}",
    )
    assert measure_page_signals(page)["references"] == 5
