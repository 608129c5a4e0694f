"""What a refusal says of the pages: none names the thing, or they are in another language."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from research_core.decisions.view import Listing, RunView, SourceView
from research_core.journal.rule_versions import RULE_VERSIONS
from research_core.models import Block, Passage, Sentence
from research_core.pipeline import report
from research_core.pipeline.page_findings import (
    Refusal,
    describe_other_language,
    describe_text_language,
    describe_unnamed,
    explain_cause,
    find_page_findings,
    lacks_topic,
    name_cause,
)
from research_core.policy import RunSettings
from research_core.sessions import runner, session_start, snapshot
from research_core.sessions.replay import replay_session
from research_core.settings import Settings
from research_core.text.languages import LANGUAGE_NAMES, guess_language
from research_core.wiring import LOCAL_USER, Resources
from tests.pipeline.test_report import built

REFUSED = built("no-report-all-off-topic")
Ask = Callable[[str, str], tuple[str, list[str]]]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """Ask a question of a library with these pages, separated by "---"; return the Markdown, notices."""

    def run(question: str, pages: str) -> tuple[str, list[str]]:
        folder = tmp_path / "pages"
        folder.mkdir()
        for number, page in enumerate(pages.split("---")):
            (folder / f"page-{number}.md").write_text(page.strip(), encoding="utf-8")
        home = tmp_path / "home"
        settings = Settings(
            home=home, database_url=f"sqlite:///{home / 'assay.db'}", semantic=False
        )
        resources = Resources(settings)
        resources.library().add(folder, "mine")
        options = RunSettings(mode="quick", engines=("library",), library="mine")
        session = session_start.new_session(resources, question, options)
        assert runner.resume_or_run(resources, session, "test").outcome == "done"
        made = report.build(snapshot.read_session(resources, session).run)
        markdown = report.to_markdown(made)
        again = replay_session(resources, LOCAL_USER, session)
        assert again.same
        assert not again.differences
        resources.close()
        return markdown, report.to_json(made)["notices"]

    return run


ISLANDS = """
# Harbour report

The harbour had a syndrome of delays in spring; treatment of the quay took four weeks.
---
# Treatment of timber

The treatment of a beam with oil takes two days, and the syndrome of cracking ends.
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the treatment of Zubrin syndrome?", "“Zubrin syndrome”"),
        ("what treatment is there for zubrin's disease", "“zubrin's disease”"),
        ("How is treatment with Vexolimab done?", "“Vexolimab”"),
        ("Which treatment follows the Karnofy-Brandt test?", "“Karnofy-Brandt test”"),
        ("What treatment does the QXRT protocol ask for?", "“QXRT protocol”"),
    ],
)
def test_a_refusal_says_that_no_page_names_the_thing(
    ask: Ask, question: str, expected: str
) -> None:
    markdown, notices = ask(question, ISLANDS)
    assert f"mentions {expected}." in markdown.split("\n")[2]
    assert any(expected in notice for notice in notices)
    assert "none is relevant enough. Ask more" not in markdown


@pytest.mark.parametrize(
    "text",
    [
        "Zubrin's syndrome was not studied here.",
        "The ZUBRIN syndrome was not studied here.",
        "Zubrins were not studied here.",
    ],
)
def test_a_thing_that_one_page_names_is_not_called_unnamed(ask: Ask, text: str) -> None:
    filler = "The harbour opens at six and closes at nine. " * 400
    pages = f"{ISLANDS}\n---\n# Treatment of quays\n\nTreatment of stone. {filler}\n\n{text}"
    markdown, _ = ask("What is the treatment of Zubrin syndrome?", pages)
    assert "mentions “Zubrin" not in markdown


SALT_AND_CARBURETORS = "\n---\n".join(
    f"# Salt of {year}\n\nIn {year} salt was sold twice a week. No engine had a carburetor of salt."
    for year in ("1911", "1922", "1933", "1944")
)


@pytest.mark.parametrize(
    ("question", "is_named"),
    [
        ("Carborator. I salt my carborator twice. Is there a way for a happy medium?", False),
        ("I salt my carborator twice. Is there a way for a happy medium?", False),
        ("Zubrinator. I salt my zubrinator twice. Is there a way for a happy medium?", True),
    ],
)
def test_a_misspelled_thing_that_pages_name_is_not_called_unnamed(
    ask: Ask, question: str, *, is_named: bool
) -> None:
    markdown, _ = ask(question, SALT_AND_CARBURETORS)
    assert "No report" in markdown
    assert ("mentions “Zubrinator”" in markdown) is is_named
    assert "arborator”" not in markdown.split("**What was searched.**")[0]


def describe(question: str, found: int, **languages: int) -> str:
    findings = {"read": found, "unnamed": [], "found": found, "languages": languages}
    return describe_other_language(replace(REFUSED, question=question, page_findings=findings))


HARBOUR = """
# Heat, salt and wool in a harbour

A beginner learns there what the risks of a repair are, and what it may cost on average.
"""
TIMBER = """
# Treatment of timber

A beam is dried for two years before it is cut.
"""
QUESTIONS = {
    "de": "Wie wird eine Hausstauballergie behandelt?",
    "fr": "Quels sont les effets du café sur le sommeil ?",
    "es": "¿Cuáles son los síntomas de la anemia?",
    "it": "Quali sono gli effetti del caffè sul sonno?",
    "ar": "ما هي أسباب الصداع النصفي؟",
    "zh": "偏头痛的原因是什么？",
    "ja": "片頭痛の原因は何ですか？",
    "ru": "Каковы причины мигрени?",
    "pt": "Quais são os sintomas da anemia?",
    "nl": "Wat zijn de gevolgen van koffie voor de slaap?",
}


@pytest.mark.parametrize("language", QUESTIONS)
def test_pages_in_another_language_than_the_question_are_named(language: str) -> None:
    question = QUESTIONS[language]
    name = LANGUAGE_NAMES[language]
    assert describe(question, 7, en=7) == (
        f"The pages found are in English, but the question is in {name}. For a better answer, ask"
        " in English."
    )
    assert describe(question, 7, en=5).startswith("5 of the 7 pages found are in English, but")
    assert describe(question, 1, en=1).startswith("The only page found is in English, but")
    assert describe(question, 7, **{language: 7}) == ""
    assert describe(question, 7, **{language: 4, "en": 3}) == ""
    assert describe(question, 7, en=3) == ""
    assert describe("What causes migraine in adults?", 7, **{language: 7}).endswith(
        f"but the question is in English. For a better answer, ask in {name}."
    )


@pytest.mark.parametrize("question", ["Migräne", "Vitamin D", "WACC", "COVID-19 mRNA", "1984"])
def test_nothing_is_said_where_the_language_of_the_question_is_unclear(question: str) -> None:
    assert guess_language(question) == ""
    assert describe(question, 7, en=7) == describe(question, 7, de=7) == ""


@pytest.mark.parametrize(
    ("asked", "pages"), [("ar", "fa"), ("ru", "uk"), ("zh", "ja"), ("ja", "zh"), ("es", "pt")]
)
def test_languages_that_are_taken_for_each_other_are_not_told_apart(asked: str, pages: str) -> None:
    assert describe(QUESTIONS[asked], 7, **{pages: 7}) == ""


ALLERGY = """
# Allergie and asthma: Hausstauballergie in English texts

House dust allergy is treated with covers for the mattress, and with tablets that stop itching.
---
# Hausstauballergie, a German word

This page explains the word and how it came into the English of a clinic in the north.
"""


def test_a_run_in_german_over_english_pages_says_so(ask: Ask) -> None:
    markdown, notices = ask(QUESTIONS["de"], ALLERGY)
    sentence = (
        "Die gefundenen Seiten sind auf Englisch, die Frage ist auf Deutsch. Für eine bessere"
        " Antwort fragen Sie auf Englisch."
    )
    assert sentence in markdown.split("\n")[2]
    assert markdown.count(sentence) == 1
    assert notices[0].endswith(sentence)


BEEHIVES = """
# Hives in winter

Bees eat honey in the dark months, and keepers weigh the hives in March.
---
# The swarm in May

A swarm hangs from a branch for a day before it moves on.
"""
ASKED_IN_VAIN = {
    "de": "Welche Umweltrisiken birgt der Tiefseebergbau?",
    "fr": "Pourquoi les éoliennes tournent-elles lentement ?",
    "es": "¿Qué riesgos tiene la minería submarina?",
    "ja": "片頭痛の原因は何ですか？",
    "ar": "ما هي أسباب الصداع النصفي؟",
}


@pytest.mark.parametrize("language", ASKED_IN_VAIN)
def test_a_question_that_finds_nothing_in_an_english_library_is_told_its_language(
    ask: Ask, language: str
) -> None:
    markdown, _ = ask(ASKED_IN_VAIN[language], BEEHIVES)
    assert "Nothing in the library matches" not in markdown
    cause = Refusal(
        ASKED_IN_VAIN[language], "nothing found", {"library": "en"}, 0, 0, 0.5, ("library",)
    )
    assert lacks_topic(cause)
    assert name_cause(cause) == "pages in another language"
    assert explain_cause(cause) == (
        "The documents in the library are in English, but the question is in"
        f" {LANGUAGE_NAMES[language]}. Ask in English."
    )


def test_a_question_that_finds_nothing_in_a_library_of_its_language_is_told_so(ask: Ask) -> None:
    markdown, _ = ask("What is a zorblax?", BEEHIVES)
    assert "Nothing in the library matches the question." in markdown
    cause = Refusal("What is it?", "nothing found", {"library": "de"}, 0, 0, 0.5, ("mojeek",))
    assert not lacks_topic(cause)


@pytest.mark.parametrize(
    ("names", "is_advised"),
    [
        (["Berlin"], False),
        (["Lisbon", "quartet"], False),
        (["Zubrin syndrome"], True),
        (["Vexolimab"], True),
        (["Oxfrd"], True),
    ],
)
def test_the_spelling_of_known_words_is_not_doubted(names: list[str], *, is_advised: bool) -> None:
    findings = {"unnamed": names, "read": 3}
    cause = Refusal("", "all off topic", findings, 3, 3, 0.5, ("library",))
    explained = explain_cause(cause)
    assert explained.startswith("None of the 3 pages read mentions “")
    assert ("Check the spelling" in explained) is is_advised
    assert ("Add a source on the subject" in explained) is not is_advised


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How long do heat pumps last on average?", "“heat pumps”"),
        ("What are the risks of a wool roof?", "“wool roof”"),
        ("Can a beginner repair an oboe?", "“oboe”"),
        ("What is a salt kiln?", "“kiln”"),
        ("How much does a heat exchanger cost?", "“exchanger”"),
    ],
)
def test_pages_that_do_not_name_the_topic_are_the_cause(
    ask: Ask, question: str, expected: str
) -> None:
    pages = "\n---\n".join((TIMBER, HARBOUR))
    markdown, notices = ask(question, pages)
    first = markdown.split("\n")[2]
    assert re.search(rf"(names?|mentions?) [^.]*{expected}", first)
    assert "minimum" not in markdown.partition("## Sources")[0]
    assert "search engines index" not in markdown
    assert notices[0] == first.replace("**", "")


def test_a_topic_counts_as_named_in_any_form_and_order() -> None:
    cause = Refusal("", "all off topic", {"topic": ["salt kiln"]}, 3, 0, 0.5, ("library",))
    assert lacks_topic(cause)
    assert "None of the 3 documents found in the library names “salt kiln”." in explain_cause(cause)
    assert not lacks_topic(replace(cause, findings={"topic": []}))
    assert not lacks_topic(replace(cause, reason="every fetch failed"))
    web = replace(cause, engines=("mojeek",), found=1)
    assert explain_cause(web).startswith("The only source found does not name “salt kiln”.")


def test_a_search_of_the_web_is_advised_only_where_one_is_possible() -> None:
    cause = Refusal("", "all off topic", {"topic": []}, 3, 3, 0.5, ("library",))
    assert explain_cause(cause).endswith("to the library, or search the web.")
    assert explain_cause(replace(cause, web=False)).endswith("on the subject to the library.")
    everywhere = replace(cause, engines=("mojeek", "library"))
    assert explain_cause(everywhere) == explain_cause(replace(everywhere, web=False))


@pytest.mark.parametrize(
    ("engines", "web", "advice"),
    [
        (("library",), False, "searched. Add a source on the subject to your own library"),
        (("library",), True, "searched. Search the web, or add a source on the subject to your"),
        (("mojeek", "library"), True, "enough. Add a source on the subject to your own library"),
    ],
)
def test_nothing_is_to_be_added_to_the_sample_library(
    engines: tuple[str, ...], advice: str, *, web: bool
) -> None:
    cause = Refusal("", "all off topic", {"topic": []}, 3, 3, 0.5, engines, web, "sample")
    said = explain_cause(cause)
    assert "to your own library" in said
    assert advice in said
    assert said.endswith("choose that library under “Where to search”.")
    assert ("Only the sample library was searched." in said) == (engines == ("library",))
    assert "to your own library" not in explain_cause(replace(cause, library="mine"))


def test_blocked_pages_on_the_topic_are_the_fault_of_the_minimum() -> None:
    cause = Refusal("", "all blocked by credibility", {"topic": []}, 4, 0, 0.9, ("library",))
    assert explain_cause(cause).startswith(
        "None of the 4 sources found is above your minimum credibility of 0.90. Lower the minimum,"
    )
    named = replace(cause, findings={"topic": ["heat pumps"]})
    assert "minimum" not in explain_cause(named)
    assert name_cause(named) == "nothing on the subject"


OFF_TOPIC = Refusal(
    "How long is the Ostrau pier?",
    "all off topic",
    {"unnamed": ["Ostrau"], "read": 3, "naming": 0},
    17,
    3,
    0.5,
    ("library",),
    needed=2,
)


@pytest.mark.parametrize(
    ("naming", "blocked", "said"),
    [
        (None, 14, ""),
        (0, 0, ""),
        (
            0,
            14,
            " 14 sources were not read, because their credibility is not above 0.50. Their titles"
            " and snippets do not mention “Ostrau” either.",
        ),
        (
            0,
            1,
            " 1 source was not read, because its credibility is not above 0.50. Its title and"
            " snippet do not mention “Ostrau” either.",
        ),
        (2, 14, " 2 sources that were not read mention “Ostrau” in their titles or snippets."),
    ],
)
def test_a_refusal_says_whether_sources_that_were_not_read_name_what_is_missing(
    naming: int | None, blocked: int, said: str
) -> None:
    findings = {**OFF_TOPIC.findings, "naming": naming}
    cause = replace(OFF_TOPIC, blocked=blocked, findings=findings)
    assert explain_cause(cause) == (
        "None of the 3 pages read mentions “Ostrau”. Check the spelling, use another name, or"
        f" search elsewhere.{said}"
    )
    assert lacks_topic(cause) == (not naming)
    assert (name_cause(cause) == "nothing on the subject") == (not naming)


def listed(url: str, *titles: str, final_url: str = "") -> SourceView:
    """A source that several searches listed, read if it has a final address."""
    listings = [
        Listing(order, 0, title, "Of the north coast.", "north", None)
        for order, title in enumerate(titles)
    ]
    return SourceView(url, tuple(listings), final_url=final_url, page="sha" if final_url else None)


def test_search_results_of_sources_not_read_are_looked_through_for_the_missing_name() -> None:
    sources = [
        listed("https://a.example/", "The pier of Wendelmoor", final_url="https://a.example/"),
        listed("https://b.example/", "Piers", "The pier of Wendelmoor in 1912"),
        listed("https://c.example/", "Piers and quays"),
        listed("https://d.example/"),  # included by hand, and found by no search
    ]
    run = RunView(
        question="How long is the pier of Wendelmoor?",
        sources={source.url: source for source in sources},
        rules=RULE_VERSIONS,
    )
    log = SimpleNamespace(open=lambda page: "The pier is of oak and has three lamps.")
    deps: Any = SimpleNamespace(log=log, documents=None)
    findings = find_page_findings(run, deps, is_refusal=True)
    assert (findings["unnamed"], findings["naming"]) == (["Wendelmoor"], 1)
    assert "naming" not in find_page_findings(run, deps, is_refusal=False)


@pytest.mark.parametrize(
    ("relevant", "mode", "said"),
    [
        (1, "standard", "1 source is about the question, but standard mode needs 2. Add sources"),
        (2, "deep", "2 sources are about the question, but deep mode needs 4. Add sources"),
        (1, "quick", "1 source is about the question, but quick mode needs 3. Add sources"),
    ],
)
def test_too_few_sources_are_counted_against_what_the_mode_needs(
    relevant: int, mode: str, said: str
) -> None:
    needed = {"standard": 2, "deep": 4, "quick": 3}[mode]
    cause = replace(
        OFF_TOPIC, reason="too few relevant sources", relevant=relevant, mode=mode, needed=needed
    )
    explained = explain_cause(cause)
    assert explained.startswith(said)
    assert ("try quick mode" in explained) == (mode != "quick")
    assert "Some sources" in explain_cause(replace(cause, mode=""))


@pytest.mark.parametrize(
    ("relevant", "said"),
    [
        (0, "Add at least 2 sources on the subject to the library, or search the web."),
        (1, "Add a source on the subject to the library, or search the web."),
    ],
)
def test_the_advice_says_how_many_sources_are_missing(relevant: int, said: str) -> None:
    cause = replace(OFF_TOPIC, findings={"topic": []}, relevant=relevant)
    assert explain_cause(cause).endswith(said)


@pytest.mark.parametrize(("foreign", "is_told"), [(3, False), (4, True)])
def test_blocked_pages_are_called_foreign_only_if_all_are(foreign: int, *, is_told: bool) -> None:
    findings = {"topic": [], "languages": {"de": foreign}, "found": 4}
    blocked = Refusal(
        "What causes rust on an old car?",
        "all blocked by credibility",
        findings,
        4,
        0,
        0.9,
        ("web",),
    )
    assert ("in German" in explain_cause(blocked)) == is_told
    assert ("minimum credibility" in explain_cause(blocked)) != is_told
    assert (name_cause(blocked) == "pages in another language") == is_told
    off_topic = replace(blocked, reason="all off topic")
    assert "in German" in explain_cause(off_topic)


def test_an_older_session_says_nothing_of_its_pages() -> None:
    assert not REFUSED.page_findings
    assert describe_unnamed(REFUSED) == describe_other_language(REFUSED) == ""


WRITTEN = {
    "en": "The mill was built by the river in 1871. It was the first of its kind in the valley.",
    "de": (
        "Die Mühle wurde 1871 am Fluss gebaut. Sie war die erste ihrer Art im Tal und ist es noch."
    ),
    "fr": (
        "Le moulin a été construit en 1871 au bord de la rivière. Il était le premier de la vallée."
    ),
    "zh": "这座磨坊建于一八七一年，位于河边。它是山谷里的第一座磨坊。",
    "ru": "Мельница была построена в 1871 году у реки. Она была первой в долине.",
}
ASKED = {
    "en": "When was the mill by the river built?",
    "de": "Wann wurde die Mühle am Fluss gebaut?",
    "fr": "Quand le moulin au bord de la rivière a-t-il été construit ?",
    "zh": "这座磨坊是什么时候建的？",
    "ru": "Когда была построена мельница у реки?",
}


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("asked", ASKED)
def test_a_text_in_another_language_than_the_question_is_said_to_be_one(
    asked: str, written: str
) -> None:
    blocks = (Block("paragraph", (Sentence(WRITTEN[written], ("p1",), "not found"),)),)
    made = replace(built("full"), question=ASKED[asked], blocks=blocks, rules=RULE_VERSIONS)
    notices = [each for each in report.list_notices(made) if "The text is in" in each]
    assert len(notices) == (asked != written)
    told = replace(made, instructions=("Write in another language.",))
    assert not [each for each in report.list_notices(told) if "The text is in" in each]


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("read", WRITTEN)
def test_sentences_may_look_unsupported_only_beside_passages_in_another_language(
    read: str, written: str
) -> None:
    made = built("full")
    cited = Passage("p9", WRITTEN[read], 0, len(WRITTEN[read]))
    uncited = Passage("p8", ASKED["de"] * 20, 0, len(ASKED["de"]) * 20)
    made = replace(
        made,
        question=ASKED["fr" if written == "en" else "en"],
        blocks=(Block("paragraph", (Sentence(WRITTEN[written], ("p9",), "not found"),)),),
        sources=(replace(made.sources[0], passages=(cited, uncited)),),
    )
    said = describe_text_language(made)
    assert said.startswith(f"The text is in {LANGUAGE_NAMES[written]}, but the question is in ")
    assert ("may look unsupported" in said) == (read != written)
