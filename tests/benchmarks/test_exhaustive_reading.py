"""An exhaustive run over real pages with a scripted model: forty sources, and the same replay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.answers import OfflineResources
from benchmarks.inputs import SHARED_DATA
from benchmarks.recorded_web import SEARCH_URL
from research_core.decisions.view import fold_events
from research_core.model_messages import ModelReply
from research_core.modes import ResearchMode
from research_core.policy import CredibilityPolicy, RunSettings
from research_core.sessions import replay, runner, session_start
from research_core.sessions.estimates import count_max_calls
from research_core.sessions.run_defaults import SEARXNG
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, open_log
from tests.world import World

WEB = SHARED_DATA / "offline_web"
QUESTION = "How do sleep, diet and exercise protect the heart and the brain?"
PARTS = ("sleep", "diet", "exercise", "blood pressure", "memory", "ageing")


class Planner(World):
    """A model that plans two queries for each of six parts, and follow-ups in each round."""

    def run(self, request, on_text=None):  # type: ignore[no-untyped-def]
        if request.kind == "plan":
            self.answer("model plan")
            parts = [
                {"question": f"What of {part}?", "queries": [f"{part} health", f"{part} disease"]}
                for part in PARTS
            ]
            return ModelReply(json.dumps({"type": "explanation", "parts": parts}), self.name)
        if request.kind == "gaps":
            self.answer("model gaps")
            round = self.made.count("model gaps")
            queries = [f"{part} risk in children {round}" for part in PARTS[round : round + 3]]
            return ModelReply(json.dumps({"gaps": ["More."], "queries": queries}), self.name)
        return super().run(request, on_text)


@pytest.mark.full
@pytest.mark.skipif(not WEB.is_dir(), reason="the shared pages are not here")
def test_an_exhaustive_run_over_real_pages_reads_forty_sources(tmp_path: Path) -> None:
    environment = {
        "ASSAY_HOME": str(tmp_path),
        "ASSAY_SEMANTIC": "0",
        "SEARXNG_URL": SEARCH_URL,
        "ASSAY_HOST_DELAY": "0",
    }
    resources = OfflineResources(Settings.from_env(environment), WEB)
    run = RunSettings(
        mode="exhaustive",
        engines=(SEARXNG,),
        model="world",
        credibility=CredibilityPolicy(minimum=0.0),
    )
    model = Planner(1)
    session = session_start.new_session(resources, QUESTION, run)
    attempt = runner.resume_or_run(resources, session, "test", model=model)
    assert attempt.outcome == "done", attempt.error
    assert attempt.report is not None
    log = open_log(resources, LOCAL_USER, session)
    view = fold_events(log.read())
    judged = [source for source in view.sources.values() if source.judgement]
    assert len(judged) == 40
    parts = [event.data["part"] for event in log.read(kinds=("planned",))]
    assert len([part for part in parts if part.startswith("gaps")]) > 1
    known = {passage.id for source in judged for passage in source.passages}
    cited = {id for block in view.blocks for one in block.sentences for id in one.citations}
    assert cited
    assert cited <= known
    calls = sum(name.startswith("model") for name in model.made)
    assert calls <= count_max_calls(ResearchMode.exhaustive())
    assert replay.replay_session(resources, LOCAL_USER, session).same
    resources.close()
