"""An old report against the web of today: every state a source can be in, what of it still stands,
and what is said of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from research_core.context import memory_log
from research_core.errors import FetchError
from research_core.i18n import gettext, use_language
from research_core.journal.deps import Deps
from research_core.journal.doorway import Doorway
from research_core.models import (
    CHECK_STATES,
    Block,
    HttpReply,
    Metadata,
    Passage,
    Report,
    ReportSource,
    Sentence,
)
from research_core.policy import RunSettings
from research_core.sessions import recheck
from research_core.sessions.recheck import (
    Recheck,
    RecheckedSource,
    describe_source,
    format_markdown,
    recheck_to_json,
    summarize_recheck,
)
from research_core.settings import Settings
from research_core.text.dates import format_rfc3339
from research_core.web.failure_texts import translate_failure
from research_core.web.fetch import archive
from tests.reports import FULL_REPORT
from tests.scripted import Scripted
from tests.terminal import PAGES, ask, assay
from tests.tool_session import POOL
from tests.world import StillClock

URL = "https://journal.example.org/ice"
FIRST, SECOND = "The bay froze over in nine winters of ten.", "Ferries lay in port for forty days."
BODY = "<html><head><title>Ice in the bay</title></head><body><main><h1>Ice in the bay</h1>{}</main></body></html>"
LONG = "".join(
    f"<p>On day {n} of that winter the harbour master wrote down the wind, the ice and the"
    f" ships.</p>"
    for n in range(30)
)
NOTICE = {
    "message": {
        "updated-by": [
            {"type": "retraction", "DOI": "10.1/n", "updated": {"date-parts": [[2026, 3, 1]]}}
        ]
    }
}


@dataclass
class World:
    """Answers by the beginning of an address: a status, a page, JSON, or an exception. Nobody else
    is there.
    """

    answers: Mapping[str, Any]
    asked: list[str] = field(default_factory=list)

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        self.asked.append(url)
        said = next(
            (answer for start, answer in self.answers.items() if url.startswith(start)), 404
        )
        if isinstance(said, BaseException):
            raise said
        if isinstance(said, int):
            return HttpReply(url, said, {"content-type": "text/html"}, b"")
        if isinstance(said, dict):
            return HttpReply(
                url, 200, {"content-type": "application/json"}, json.dumps(said).encode()
            )
        return HttpReply(url, 200, {"content-type": "text/html"}, BODY.format(said).encode())


def deps(world: World, **run: Any) -> Deps:
    log, clock = memory_log("recheck"), StillClock()
    doorway = Doorway(log, world, Scripted("nothing"), clock)
    settings = Settings(
        home=Path("unused"), database_url="sqlite://", ddgs_engines=(), robots=False
    )
    return Deps(
        settings,
        RunSettings(**{"fallbacks": (), **run}),
        doorway.http,
        doorway.model,
        log,
        clock,
        POOL,
    )


def page(*paragraphs: str) -> str:
    return "".join(f"<p>{one}</p>" for one in paragraphs) + LONG


def text_of(body: str) -> str:
    return recheck.read_web(URL, deps(World({URL: body}))).text


def source(body: str = page(FIRST, SECOND), **about: Any) -> ReportSource:
    text, said = text_of(body), f"{FIRST} {SECOND}"
    kept = ReportSource(
        URL,
        "Ice in the bay",
        1,
        "kept",
        "",
        None,
        passages=(Passage("p00000001", said, 0, len(said)),),
    )
    return replace(kept, page=hashlib.sha256(text.encode()).hexdigest(), **about)


def report(*sources: ReportSource) -> Report:
    sentence = Sentence("The bay freezes.", ("p00000001",), "supported")
    return replace(FULL_REPORT, sources=sources, blocks=(Block("paragraph", (sentence,)),))


def again(answers: Mapping[str, Any], *sources: ReportSource, **run: Any) -> Recheck:
    return recheck.recheck_sources(deps(World(answers), **run), report(*(sources or (source(),))))


def one(answers: Mapping[str, Any], *sources: ReportSource, **run: Any) -> RecheckedSource:
    (found,) = again(answers, *sources, **run).sources
    return found


REFUSED = FetchError("The site refused us.", kind="blocked", status=403)
SLOW = FetchError("It took too long.", kind="timeout")


@pytest.mark.parametrize(
    ("answer", "state", "held", "fails"),
    [
        (page(FIRST, SECOND), "unchanged", [2], False),
        (page("A new line.", FIRST, SECOND), "changed", [2], False),
        (page("The BAY froze over in nine  winters of ten."), "changed", [1], True),
        (page("Nothing of it is said any more."), "changed", [0], True),
        (404, "dead", [], True),
        (410, "dead", [], True),
        (REFUSED, "unchecked", [], False),
        (403, "refused", [], False),
        (SLOW, "unchecked", [], False),
        (500, "unchecked", [], False),
    ],
)
def test_what_has_become_of_a_source(answer: Any, state: str, held: list[int], fails: bool) -> None:
    found = one({URL: answer})
    assert (found.state, [passage.held for passage in found.passages], found.fails) == (
        state,
        held,
        fails,
    )
    assert found.why if state in ("refused", "unchecked") else True


def test_of_a_page_that_is_gone_the_copy_is_told() -> None:
    copies = {
        "archived_snapshots": {
            "closest": {
                "available": True,
                "status": "200",
                "timestamp": "20240102030405",
                "url": "x",
            }
        }
    }
    found = one(
        {archive.AVAILABILITY_API: copies, archive.ARCHIVE_ROOT: 404, URL: 404},
        fallbacks=("archive",),
    )
    assert found.state == "dead"
    kept = one(
        {archive.AVAILABILITY_API: copies, archive.ARCHIVE_ROOT: page(FIRST, SECOND), URL: 404},
        fallbacks=("archive",),
    )
    assert (kept.state, kept.fails) == ("dead", True)  # though the copy is just as it was
    assert found.archived.endswith(f"/20240102030405/{URL}")
    assert "a copy is at https://" in describe_source(found)


def test_an_own_document_is_not_looked_for() -> None:
    world = World({})
    found = recheck.recheck_sources(deps(world), report(replace(source(), url="document:0a1b2c")))
    assert [each.state for each in found.sources] == ["own"]
    assert world.asked == []


@pytest.mark.parametrize("about", [
    {"metadata": Metadata(doi="10.5555/ice")}, {"url": "https://doi.org/10.5555/ice"}, {"url": f"{URL}/doi/10.5555/ice"},
    {"url": "https://doi.org/10.5555/ice", "redirected_to": URL},
])  # fmt: skip
@pytest.mark.parametrize(
    ("fetched", "words"),
    [
        (1_700_000_000.0, "Retracted on 2026-03-01, after it was read"),
        (1_790_000_000.0, "before it was read"),
    ],
)
def test_a_retraction_is_told_and_whether_it_came_since(
    about: dict[str, Any], fetched: float, words: str
) -> None:
    answers = {
        "https://api.crossref.org/works/10.5555": NOTICE,
        URL: page(FIRST, SECOND),
        "https://doi.org/": page(FIRST, SECOND),
    }
    found = one(answers, source(fetched=fetched, **about))
    assert words in found.notice
    assert (found.grave, found.fails) == (True, True)


def test_a_correction_is_told_and_takes_nothing_back() -> None:
    notice = {"message": {"updated-by": [{"type": "erratum", "DOI": "10.1/n"}]}}
    found = one(
        {"https://api.crossref.org/": notice, URL: page(FIRST, SECOND)},
        source(metadata=Metadata(doi="10.5/ice")),
    )
    assert (found.notice, found.fails) == ("Corrected.", False)


def test_where_the_register_cannot_be_asked_that_is_said_and_the_page_is_compared_all_the_same() -> (
    None
):
    found = one(
        {"https://api.crossref.org/": 500, URL: page(FIRST, SECOND)},
        source(metadata=Metadata(doi="10.5/ice")),
    )
    assert found.state == "unchanged"
    assert found.unknown.startswith("It could not be checked whether the paper was retracted.")
    assert not found.fails


def test_only_sources_that_were_kept_are_looked_at_in_their_order_and_each_is_told_as_it_is_done() -> (
    None
):
    heard: list[int] = []
    second = replace(source(), url=f"{URL}/2", number=2)
    dropped = replace(source(), url=f"{URL}/3", number=0, status="dropped")
    found = recheck.recheck_sources(
        deps(World({URL: page(FIRST, SECOND)})),
        report(second, source(), dropped),
        lambda one: heard.append(one.number),
    )
    assert [each.number for each in found.sources] == [1, 2]
    assert sorted(heard) == [1, 2]


def test_it_is_told_in_words_in_markdown_and_as_data() -> None:
    found = again({URL: page(FIRST)})
    assert describe_source(found.sources[0]) == "changed; 0 of 1 cited passage still found."
    assert (
        summarize_recheck(found)
        == "1 source: 1 changed, 1 cited passage no longer found word for word."
    )
    assert (
        "No longer found word for word (1 of 2 sentences still there): “The bay froze over"
        in format_markdown(found)
    )
    said = recheck_to_json(found)
    assert said["at"] == format_rfc3339(found.at)
    assert said["fails"] is True
    assert said["sources"][0]["passages"] == [{"id": "p00000001", "held": 1, "sentences": 2}]
    assert summarize_recheck(replace(found, sources=())) == "The report has no source to check."


CLAIMS = [
    (
        FIRST,
        page("The bay never froze over in nine winters of ten.", SECOND),
        "partly",
        "Either the sentence or the page says “not”, but not both.",
    ),
    (FIRST, page("Nothing of it is said any more."), "partly", "nine, ten."),
    (SECOND, page("Ferries ran on all days.", FIRST), "not found", "Not in the passage:"),
    (FIRST, page(FIRST, "Ferries lay in port for two days."), "supported", ""),
    ("Seals bark at the moon.", page("Nothing of it is said any more."), "partly", ""),
]


@pytest.mark.parametrize(("sentence", "answer", "now", "note"), CLAIMS)
def test_a_sentence_that_a_changed_page_supports_less_is_a_changed_claim(
    sentence: str, answer: str, now: str, note: str
) -> None:
    built = replace(
        report(source()),
        blocks=(
            Block(
                "paragraph",
                (Sentence(sentence, ("p00000001",), "supported"), Sentence("It is cold.")),
            ),
        ),
    )
    found = recheck.recheck_sources(deps(World({URL: answer})), built)
    (claim,) = found.sources[0].claims
    assert (claim.text, claim.now) == (sentence, now)
    assert note in claim.note
    changed = now != "supported" and sentence in (
        FIRST,
        SECOND,
    )  # of one that never held, nothing was lost
    assert bool(found.sources[0].broken) is changed
    assert ("support changed for 1 of 1 sentence" in describe_source(found.sources[0])) is changed
    assert ("1 sentence that the new text supports less" in summarize_recheck(found)) is changed
    assert (
        f"Support changed from “supported” to “{CHECK_STATES[now].word}”: “{sentence}”"
        in format_markdown(found)
    ) is changed
    assert [each["changed"] for each in recheck_to_json(found)["sources"][0]["claims"]] == [changed]


def test_of_a_page_that_still_holds_what_was_cited_no_claim_is_changed() -> None:
    assert one({URL: page("A new line.", FIRST, SECOND)}).claims == ()


def test_on_a_terminal_nothing_is_escaped_and_nothing_unseen_is_left() -> None:
    ugly = replace(
        source(),
        url="https://www.ice-bay.example.org/a_b",
        title="A *star* at www.ice.example\x1b[2J\u202e",
    )
    found = again({URL: page(FIRST)}, ugly)
    said = recheck.format_text(found)
    assert "1. A *star* at www.ice.example[2J <https://www.ice-bay.example.org/a_b>: gone" in said
    assert not [sign for sign in said if sign in "\\\x1b\u202e\u2024\u2236\u2060"]
    assert "A \\*star\\* at" in format_markdown(found)


def test_what_a_site_says_is_inert_in_markdown() -> None:
    evil = replace(source(), title="![x](https://evil.example/a.png) <script>")
    said = format_markdown(again({URL: page(FIRST, SECOND)}, evil))
    assert "<script>" not in said
    assert "![x]" not in said


def test_the_command_says_each_source_as_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    (tmp_path / "notes").mkdir()
    for n, (_, said) in enumerate(PAGES.values()):
        (tmp_path / "notes" / f"{n}.md").write_text(
            f"# Sperm whales, notes {n}\n\n{said}\n", encoding="utf-8"
        )
    assert assay("library", "add", str(tmp_path / "notes"), "--name", "whales").code == 0
    session = ask().session
    again = assay("recheck", session, "--json")
    rows = json.loads(again.out)["sources"]
    assert {row["state"] for row in rows} == {"own"}
    assert {line.partition(".")[0] for line in again.err.splitlines()} == {
        str(row["number"]) for row in rows
    }
    assert again.code == 0
    assert assay("recheck", "nobody").code == 2


@pytest.mark.parametrize("language", ["de", "fr", "ja", "ar"])
def test_it_is_told_in_the_language_of_the_screens(language: str) -> None:
    changed, gone = one({URL: page(FIRST)}), one({URL: 404})
    with use_language(language):
        for found, word in ((changed, "changed"), (gone, "gone")):
            said = describe_source(found)
            assert said.startswith(gettext(word))
            assert gettext(word) != word
        assert translate_failure(gone.why) != gone.why
        assert translate_failure(gone.why).rstrip(".。") in describe_source(gone)
