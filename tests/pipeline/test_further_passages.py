"""What a writer sees of the pages follows from its context, is recorded, and can be checked like
the passages chosen at reading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from research_core.model_messages import ModelReply, ModelRequest, Usage
from research_core.models import Passage, Summary
from research_core.pipeline import report
from research_core.pipeline.further_passages import (
    MAX_EVIDENCE_TOKENS,
    ReadPage,
    choose_for_sections,
    measure_tokens,
    widen_summaries,
)
from research_core.pipeline.run import research
from research_core.policy import OFFLINE_MODEL, RunSettings
from research_core.text.passages import select_passages
from research_core.text.remaining_passages import cut_remaining
from tests.pipeline.test_sections import SMALL, Shelf, list_dangling, make_settings, replay, tell
from tests.thesaurus import Thesaurus
from tests.world import QUESTION as WORLD_QUESTION
from tests.world import Place

QUESTION = "How long does a car last?"
#: A page in each of several languages: the sentence that it repeats with numbers.
PAGES = {
    "en": "A car of make {n} lasts {n} years and is scrapped then, as the registry says.",
    "de": "Ein Auto der Marke {n} hält {n} Jahre und wird dann verschrottet.",
    "ru": "Автомобиль марки {n} служит {n} лет, а затем идёт на слом.",
    "ar": "تدوم سيارة الطراز {n} مدة {n} سنة ثم تُفكك.",
    "zh": "第{n}型汽车可以使用{n}年，然后报废。",
    "list": "- Item {n}: a car lasts {n} years.",
    "table": "| Make {n} | {n} years | scrapped |",
}


def write_page(kind: str, sentences: int) -> str:
    between = "\n" if kind in ("list", "table") else " "
    return between.join(PAGES[kind].format(n=n + 10) for n in range(sentences))


def read(url: str, text: str, relevance: int = 3, question: str = QUESTION) -> ReadPage:
    passages = select_passages(question, text) or select_passages("years", text)
    return ReadPage(Summary(url, f"Page {url}", "", passages), text, relevance)


class Facts:
    """Records facts in memory: `deps.http` of a run."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}

    def record_fact(self, params: Mapping[str, Any], look: Callable[[], Any]) -> Any:
        key = repr(sorted(params.items()))
        if key not in self.known:
            self.known[key] = look()
        return self.known[key]


def widen(pages: list[ReadPage], tokens: int) -> list[Summary]:
    deps: Any = SimpleNamespace(http=Facts())
    return widen_summaries(QUESTION, pages, tokens, deps)


def count_tokens(sources: list[Summary]) -> int:
    return sum(measure_tokens(passage) for source in sources for passage in source.passages)


# ---------------------------------------------------------------- the rest of a page


@pytest.mark.parametrize("kind", PAGES)
@pytest.mark.parametrize("sentences", [1, 40, 200])
def test_the_rest_of_a_page_is_all_of_it_and_overlaps_nothing(kind: str, sentences: int) -> None:
    page = read("a", write_page(kind, sentences))
    chosen = page.summary.passages
    rest = cut_remaining(page.text, chosen)
    whole = sorted((*chosen, *rest), key=lambda passage: passage.start)
    assert all(one.end <= other.start for one, other in pairwise(whole))
    assert len({passage.id for passage in whole}) == len(whole)
    for passage in rest:
        assert page.text[passage.start : passage.end] == passage.text
        assert len(passage.text) <= 700
    left_out = page.text
    for passage in reversed(whole):
        left_out = left_out[: passage.start] + left_out[passage.end :]
    assert not any(map(str.isalnum, left_out))


@pytest.mark.parametrize("text", ["", " \n\n ", "# Heading", "```\ncode\n```"])
def test_an_odd_page_has_no_harmful_rest(text: str) -> None:
    for passage in cut_remaining(text, ()):
        assert passage.text.strip()


# ---------------------------------------------------------------- how much


@pytest.mark.parametrize("kind", PAGES)
def test_pages_that_fit_are_shown_whole(kind: str) -> None:
    pages = [read("a", write_page(kind, 60)), read("b", write_page(kind, 90))]
    widened = widen(pages, 60_000)
    for page, source in zip(pages, widened, strict=True):
        shown = "".join(passage.text for passage in source.passages)
        for n in range(10, 60):
            assert str(n) in shown
        assert set(page.summary.passages) <= set(source.passages)
        starts = [passage.start for passage in source.passages]
        assert starts == sorted(starts)


@pytest.mark.parametrize("tokens", [0, 500, 2_000, 6_000, 20_000])
def test_no_more_is_shown_than_fits_and_what_was_chosen_stays(tokens: int) -> None:
    pages = [read(str(n), write_page(kind, 400)) for n, kind in enumerate(("en", "de", "zh"))]
    before = count_tokens([page.summary for page in pages])
    widened = widen(pages, tokens)
    assert count_tokens(widened) <= max(tokens, before)
    for page, source in zip(pages, widened, strict=True):
        assert set(page.summary.passages) <= set(source.passages)
    if tokens <= before:
        assert widened == [page.summary for page in pages]
    else:
        assert count_tokens(widened) > 0.8 * tokens


def test_more_is_shown_of_the_relevant_source_and_what_answers_comes_first() -> None:
    filler = "The market opens on Fridays, and the bakery near the pier sells bread from six. "
    text = (
        f"{filler * 300}\n\nA car lasts for fifteen years before it is scrapped.\n\n{filler * 300}"
    )
    page = ReadPage(Summary("c", "C", "", ()), text, 3)
    one, other = read("a", write_page("en", 400), 5), read("b", write_page("en", 401), 1)
    relevant, odd, last = widen([one, other, page], 12_000)
    assert count_tokens([relevant]) > 2 * count_tokens([odd])
    assert any("fifteen years" in passage.text for passage in last.passages)


def test_a_short_page_leaves_its_room_to_the_others() -> None:
    short, long = read("a", write_page("en", 3), 5), read("b", write_page("en", 400), 1)
    _, widened = widen([short, long], 6_000)
    assert count_tokens([widened]) > 5_000


# ---------------------------------------------------------------- sections

FILLER = "The market opens on Fridays, and the bakery near the pier sells bread from six. " * 9


def write_pages() -> list[ReadPage]:
    """Pages that say in different places how old cars get, what eels eat and how tea is made."""
    pages = []
    for n in range(4):
        text = "\n\n".join([
            f"Page {n}.", FILLER, f"A car reaches an age of {n + 12} years.", FILLER,
            f"An eel eats {n + 3} worms.", FILLER, f"Tea draws for {n + 2} minutes.", FILLER,
        ])  # fmt: skip
        pages.append(ReadPage(Summary(f"https://a.example.org/{n}", f"Page {n}", "", ()), text))
    return pages


def choose(
    sub_questions: list[str], *, embedder: Any = None, model: str = "world", facts: Any = None
) -> list[str]:
    """Return the text of the passages of each section."""
    run = RunSettings(model=model, passage_model="thesaurus" if embedder else "")
    deps: Any = SimpleNamespace(http=facts or Facts(), run=run, embedder=embedder)
    sections = choose_for_sections(
        "What is there to know?", sub_questions, write_pages(), 2_000, deps
    )
    texts = []
    for sources in sections:
        passages = [passage.text for source in sources for passage in source.passages]
        texts.append("\n".join(passages))
    return texts


#: Sub-questions, and what each section holds in the first place: by words, and by meaning too.
ASKED = [
    ("How many years of age does a car reach?", "car reaches", True),
    ("What does an eel eat?", "eel eats", True),
    ("How many minutes does tea draw?", "Tea draws", True),
    ("Which automobile is the oldest?", "car reaches", False),
    ("Does an anguilla like worms?", "eel eats", True),
    ("What of an infusion?", "Tea draws", False),
]


@pytest.mark.parametrize(("asked", "held", "is_by_words"), ASKED)
def test_a_section_gets_the_passages_that_bear_on_it(
    asked: str, held: str, is_by_words: bool
) -> None:
    for embedder in (None, Thesaurus()):
        (text,) = choose([asked], embedder=embedder)
        assert (held in text) == (is_by_words or embedder is not None)


@pytest.mark.parametrize(("asked", "is_answered"), [
    ("What does an eel eat?", True),
    ("Which orchestra plays Mozart?", False),
    ("哪个乐团演奏莫扎特？", False),
    ("Welches Orchester spielt Mozart?", False),
    ("أي أوركسترا تعزف موزارت؟", False),
])  # fmt: skip
def test_for_quotations_a_section_may_be_left_without_passages(
    asked: str, is_answered: bool
) -> None:
    for embedder in (None, Thesaurus()):
        (text,) = choose([asked], embedder=embedder, model=OFFLINE_MODEL)
        assert bool(text) == is_answered


class Broken(Thesaurus):
    """A model that must not be asked."""

    def embed(self, texts: Sequence[str]) -> Any:
        raise AssertionError(f"The model was asked about {texts[0]!r}.")


def test_what_was_chosen_by_meaning_is_not_chosen_again() -> None:
    facts, asked = Facts(), ["Which automobile is the oldest?", "What of an infusion?"]
    first = choose(asked, embedder=Thesaurus(), facts=facts)
    assert choose(asked, embedder=Broken(), facts=facts) == first


def test_a_run_by_meaning_replays_without_the_model(place: Place) -> None:
    run = make_settings(passage_model="thesaurus")
    place.session("s", run)
    log = place.log("s")
    with place.deps(Shelf(), log, run) as deps:
        deps = replace(deps, embedder=Thesaurus())
        told = report.to_markdown(research(WORLD_QUESTION, deps, mode=SMALL))
    assert replay(place, "s", run) == told


# ---------------------------------------------------------------- the run

GEMINI = "gemini:gemini-3.8-flash"


@dataclass
class Large(Shelf):
    """The same world under the name of a model with a large context."""

    @property
    def name(self) -> str:
        return GEMINI

    def run(self, request: ModelRequest, on_text: Any = None) -> ModelReply:
        if request.kind != "write":
            return super().run(request, on_text)
        self.answer("model write")
        self.prompts.append(request)
        lines = []
        for source in request.inputs["sources"]:
            for passage in source["passages"][-2:]:
                first = " ".join(passage["text"].split(". ")[0].strip("# ").split())
                lines.append(f"{first} [{passage['id']}].")
        return ModelReply("## Executive Summary\n\n" + " ".join(lines), GEMINI, Usage(100, 50, 0.0))


PLAIN = replace(SMALL, writes_sections=False)


def list_shown(world: Shelf) -> list[Passage]:
    (request,) = [each for each in world.prompts if each.kind == "write"]
    return [passage for source in request.inputs["sources"] for passage in source["passages"]]


def test_a_large_context_shows_more_with_as_many_calls_and_replays(place: Place) -> None:
    small = tell(place, "small", Shelf(), mode=PLAIN)
    run = make_settings(model=GEMINI)
    large = tell(place, "large", Large(), run, mode=PLAIN)
    before = Counter(made for made in small.world.made if made.startswith("model"))
    after = Counter(made for made in large.world.made if made.startswith("model"))
    assert before - Counter({"model verify_sentence": 9}) == after - Counter(
        {"model verify_sentence": 9}
    )
    shown = list_shown(large.world)
    chosen = [
        passage
        for event in large.log.read(kinds=("passages",))
        if "cited" not in event.data
        for passage in event.data["passages"]
    ]
    assert len(shown) > 1.2 * len(chosen)
    assert list_dangling(large) == []
    assert large.report.removed_citations == 0
    further = [event for event in large.log.read(kinds=("passages",)) if "cited" in event.data]
    assert further
    # What the text does not cite is not stored with the source.
    stored = {passage.id for source in large.report.sources for passage in source.passages}
    assert stored < {passage["id"] for passage in shown} | {each["id"] for each in chosen}  # type: ignore[index]
    assert replay(place, "large", run, PLAIN, Large()) == large.markdown


def test_the_context_is_recorded_and_another_machine_asks_the_same(place: Place) -> None:
    run = make_settings(model=GEMINI)
    told = tell(place, "s", Large(), run, mode=PLAIN)
    facts = [
        event.data
        for event in told.log.read(kinds=("call",))
        if "the context of the writing model" in str(event.data.get("about"))
    ]
    assert [fact["value"] for fact in facts] == [1_000_000]
    assert MAX_EVIDENCE_TOKENS == 60_000


#: A question of an older session, whose rewrites find its recorded calls; a model of which nothing
#: is known.
NOT_WIDENED = [(Large, {"model": GEMINI, "asked_on": ""}), (Shelf, {"model": "world"})]


@pytest.mark.parametrize(("world", "changes"), NOT_WIDENED)
def test_where_little_is_known_the_writer_sees_what_was_chosen_at_reading(
    place: Place, world: type[Shelf], changes: dict[str, Any]
) -> None:
    told = tell(place, "s", world(), make_settings(**changes), mode=PLAIN)
    assert not [event for event in told.log.read(kinds=("passages",)) if "cited" in event.data]
    for source in told.report.sources:
        assert len(source.passages) <= 5
