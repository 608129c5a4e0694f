"""Documents that others made to break readers end in a page or a clear error, in time and within
their memory, and this process lives.

Skipped without the shared data. Here a sample is read; `benchmarks/corpora.py` reads them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest

from research_core.errors import ERROR_KINDS
from research_core.web.documents.kinds import read_body
from research_core.web.signatures import MAX_DOCUMENT_BYTES
from tests.corpora import (
    DATA,
    MOST_S,
    Item,
    Outcome,
    bombs,
    illustrated,
    pages,
    pdfs,
    read,
    strings,
    swelling,
)
from tests.everyday import mark_first_everyday, mark_first_rows_everyday
from tests.pdf_files import pdf
from tests.timing import check_duration, measure_slowness

needs_data = pytest.mark.skipif(
    not DATA.is_dir(),
    reason="The documents made to break readers, ../shared/data/adversarial, are not here.",
)
#: Every so many-th is read, from the first one on.
PDFS, PAGES, STRINGS = 5, 8, 29


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> list[Item]:
    return list(bombs(tmp_path_factory.mktemp("bombs")))


@pytest.fixture(autouse=True)
def warm() -> None:
    """A child has loaded: on a busy machine that alone can take seconds, for which no document is
    to blame.
    """
    assert read_body(pdf("words"), "").kind == "pdf"


@cache
def most_s() -> float:
    return MOST_S * measure_slowness()


def check(item: Item) -> Outcome:
    body = item.load()
    with check_duration(0, most_s()):
        outcome = read(item, body)
    label = f"{item.corpus} {item.label}: {outcome}"
    assert outcome.kind or outcome.error in ERROR_KINDS, label
    assert outcome.length or outcome.error, label
    assert not item.wanted or outcome.kind == item.wanted, label
    return outcome


@pytest.mark.full
@needs_data
@pytest.mark.parametrize(
    ("corpus", "nth"), mark_first_rows_everyday([(pdfs, PDFS), (pages, PAGES), (strings, STRINGS)])
)
def test_a_sample_of_each_corpus_is_read_or_refused(
    corpus: Callable[[], Iterator[Item]], nth: int
) -> None:
    items = [item for number, item in enumerate(corpus()) if number % nth == 0 or item.wanted]
    assert len(items) >= 57
    for item in items:
        check(item)


@needs_data
@pytest.mark.full
def test_every_bomb_is_defused_in_time(made: list[Item]) -> None:
    outcomes = {item.label: check(item) for item in made}
    said = {label: outcome.kind or outcome.error for label, outcome in outcomes.items()}
    assert said["zip_1GB.zip"] == "too_large"
    assert said["xml_xxe.xml"] == "content_empty"
    assert (said["bad_utf8.html"], said["utf16_lying.html"], said["null_bytes.html"]) == (
        "html",
        "html",
        "html",
    )


SWELLING = [item for item in swelling() if item.label.startswith(("pdf", "json, 6"))]


@pytest.mark.full
@pytest.mark.parametrize(
    "item", mark_first_everyday(SWELLING[1:] + SWELLING[:1], 2), ids=lambda item: item.label
)
def test_what_swells_ends_its_child_and_nothing_else(item: Item) -> None:
    outcome = check(item)
    assert outcome.error in ("too_large", "timeout")
    assert read_body(pdf("words"), "").text == "words"


@pytest.mark.parametrize("item", list(illustrated(MAX_DOCUMENT_BYTES)), ids=lambda item: item.label)
def test_a_document_as_large_as_one_may_be_is_read(item: Item) -> None:
    check(item)


@needs_data
@pytest.mark.full
@pytest.mark.timeout(180)
def test_many_threads_read_hostile_documents_at_once(made: list[Item]) -> None:
    """A bomb ends its child; what the others read is the same as when it is read alone."""
    sample = [item for number, item in enumerate(pdfs()) if number % 12 == 0]
    alone = {item.label: read(item) for item in sample}
    mixed = [*sample, *made, *sample]
    with check_duration(0, 120), ThreadPoolExecutor(12) as pool:
        together = list(pool.map(read, mixed))
    assert all(outcome.kind or outcome.error in ERROR_KINDS for outcome in together)
    again = {
        item.label: outcome
        for item, outcome in zip(mixed, together, strict=True)
        if item.label in alone
    }
    assert {label: (each.kind, each.error, each.length) for label, each in again.items()} == {
        label: (each.kind, each.error, each.length) for label, each in alone.items()
    }
