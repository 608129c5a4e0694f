"""Passages chosen by meaning are recorded: no replay and no resume needs the model again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from research_core.errors import Stopped
from research_core.journal.doorway import MACHINE_FACT
from research_core.llm.offline import OfflineModel
from research_core.model_messages import ModelReply, ModelRequest
from research_core.policy import WORDS_ALONE, RunSettings
from research_core.sessions import runner, session_start, session_status, snapshot
from research_core.sessions.replay import replay_session
from research_core.settings import Settings
from research_core.text.embeddings import MiniLM, MissingEmbedder
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.thesaurus import Thesaurus

QUESTION = "How long does a car last?"
FILLER = "The market opens on Fridays, and the bakery near the pier sells bread from six. "
BY_MEANING = "Passages were chosen and relevance was judged by words and by meaning (thesaurus)."
BY_WORDS = (
    "Passages were chosen and relevance was judged by words alone: no embedding model could"
    " be used."
)
BY_WORDS_IN_GERMAN = (
    "Passagen und Relevanz wurden nur nach Wörtern bestimmt: Das Embedding-Modell (thesaurus)"
    " kennt nur Englisch."
)


class Broken(Thesaurus):
    """A model that must not be asked."""

    def embed(self, texts: Sequence[str]) -> Any:
        raise AssertionError(f"The model was asked about {texts[0]!r}.")


class SilentWriter(OfflineModel):
    """The offline model of a process that ends before it writes."""

    def run(self, request: ModelRequest, on_text: Any = None) -> ModelReply:
        if request.kind in ("write", "explain_insufficient"):
            raise Stopped("shutdown")
        return super().run(request, on_text)


def write_page(number: int) -> str:
    """Return a page too long to be read whole, with the answer in the middle of it."""
    answer = f"A car lasts {10 + number} years: an automobile of make {number} is scrapped then."
    title = f"# How long a car lasts, part {number}"
    return f"{title}\n\n{FILLER * 30}\n\n## Age\n\n{answer} {FILLER * 3}\n\n{FILLER * 30}"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Resources]:
    folder = tmp_path / "pages"
    folder.mkdir()
    for number in range(4):
        (folder / f"car-{number}.md").write_text(write_page(number) + "\n\nA car is a car.\n")
    home = tmp_path / "home"
    made = Resources(Settings(home=home, database_url=f"sqlite:///{home / 'assay.db'}"))
    made.__dict__["embedder"] = Thesaurus()
    made.library().add(folder, "roads")
    yield made
    made.close()


def start(place: Resources) -> str:
    run = RunSettings(mode="quick", engines=("library",), library="roads")
    return session_start.new_session(place, QUESTION, run)


def finish(place: Resources, session: str, **options: Any) -> str:
    assert runner.resume_or_run(place, session, "test", **options).outcome == "done"
    report = session_status.read_stored_report(place, session)
    assert report is not None
    return report


def use_embedder(place: Resources, embedder: Any) -> None:
    place.close()
    place.__dict__["embedder"] = embedder


def list_passages(place: Resources, session: str) -> list[str]:
    view = snapshot.read_session(place, session).run
    return [
        passage.text
        for source in view.sources.values()
        if source.judgement is not None
        for passage in source.passages
    ]


def test_the_passages_are_recorded_and_a_replay_asks_no_model(place: Resources) -> None:
    session = start(place)
    report = finish(place, session)
    facts = [
        event
        for event in open_log(place, LOCAL_USER, session).read(kinds=("call", "fact"))
        if event.data.get("kind", event.kind) == MACHINE_FACT
    ]
    assert facts
    assert BY_MEANING in report
    assert any("is scrapped then" in text for text in list_passages(place, session))
    for absent in (Broken(), MissingEmbedder("It is not installed.")):
        use_embedder(place, absent)
        again = replay_session(place, LOCAL_USER, session)
        assert (again.same, again.markdown) == (True, report)


def test_a_resume_asks_no_model_about_what_is_recorded(place: Resources) -> None:
    whole = start(place)
    report = finish(place, whole)
    cut = start(place)
    with pytest.raises(Stopped):
        runner.resume_or_run(place, cut, "test", model=SilentWriter(Thesaurus()))
    use_embedder(place, MissingEmbedder("It is not installed."))
    finish(place, cut, model=OfflineModel())
    assert list_passages(place, cut) == list_passages(place, whole)
    assert finish(place, whole) == report


def test_a_resume_without_the_model_goes_on_by_words_and_says_so(place: Resources) -> None:
    session = start(place)
    use_embedder(place, Thesaurus(why="It is not installed."))
    finish(place, session)
    details = [
        source.judgement.details
        for source in snapshot.read_session(place, session).run.sources.values()
        if source.judgement is not None
    ]
    assert details
    for text in details:
        assert "Compared by words alone: the embedding model is not available." in text


@pytest.mark.parametrize("state", ["missing", "damaged", "not installed", "switched off"])
def test_without_a_model_a_run_goes_by_words_and_its_methodology_says_so(
    place: Resources, tmp_path: Path, state: str
) -> None:
    (tmp_path / "damaged.onnx").write_bytes(b"another model")
    place.__dict__["embedder"] = {
        "missing": MiniLM(tmp_path / "none.onnx"),
        "damaged": MiniLM(tmp_path / "damaged.onnx"),
        "not installed": MissingEmbedder("It is not installed."),
        "switched off": MissingEmbedder("It is switched off (ASSAY_SEMANTIC=0)."),
    }[state]
    session = start(place)
    report = finish(place, session)
    settings = snapshot.read_session(place, session).run.settings
    assert (settings.judging, settings.passage_model) == ("", WORDS_ALONE)
    assert BY_WORDS in report
    assert replay_session(place, LOCAL_USER, session).markdown == report


def test_a_question_in_another_language_says_that_words_alone_counted(place: Resources) -> None:
    run = RunSettings(mode="quick", engines=("library",), library="roads")
    question = "Wie lange hält ein Auto, und was ist der Unterschied zu einem Fahrrad?"
    session = session_start.new_session(place, question, run)
    use_embedder(place, Broken())
    assert BY_WORDS_IN_GERMAN in finish(place, session)


def test_settings_of_a_session_from_before_name_no_model(place: Resources) -> None:
    old = RunSettings(mode="quick", engines=("library",), library="roads")
    assert "passage_model" not in old.to_json()
    assert RunSettings.from_json(old.to_json()) == old
    assert not old.chooses_by_meaning
    for name in ("thesaurus", WORDS_ALONE):
        new = RunSettings(passage_model=name)
        assert new.to_json()["passage_model"] == name
        assert RunSettings.from_json(new.to_json()) == new
