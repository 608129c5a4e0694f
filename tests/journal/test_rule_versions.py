"""The versions of the rules in a session's log, and that no rule changes without its version.

tests/rules.json holds each version with a digest of what it stands for.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import research_core
from research_core import __version__
from research_core.errors import CallForbidden
from research_core.journal import store
from research_core.journal.events import canonical_json
from research_core.journal.rule_versions import (
    RELEASE,
    RULE_VERSIONS,
    describe_changed_rules,
    read_rules,
    rules_from_created,
)
from research_core.modes import MODES, ResearchMode
from research_core.pipeline import run
from research_core.policy import SAMPLE_LIBRARY, CredibilityPolicy, RunSettings
from research_core.search.library.library import SAMPLE_FOLDER
from research_core.sessions import replay, runner, session_start, snapshot
from research_core.settings import Settings
from research_core.trust.hosts import kinds
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.client_sessions import make_tool_caller, research
from tests.export.test_prompts import EVERY_REQUEST, request_of

GOLDEN = Path(__file__).parents[1] / "rules.json"
UPDATE = os.environ.get("ASSAY_UPDATE_GOLDEN") == "1"
QUESTION = "What are the most popular first dance songs for weddings in 2025?"
UNKNOWN = dict.fromkeys(RULE_VERSIONS, "unknown")


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resources]:
    home = tmp_path_factory.mktemp("rules")
    made = Resources(
        Settings(home=home, database_url=f"sqlite:///{home / 'assay.db'}", semantic=False)
    )
    yield made
    made.close()


@pytest.fixture(scope="module")
def session(resources: Resources) -> str:
    """A finished session of this version."""
    made = session_start.new_session(resources, QUESTION, RunSettings(mode="quick"))
    assert runner.resume_or_run(resources, made, "test").outcome == "done"
    return made


# ---------------------------------------------------------------- what the log says


@pytest.mark.full
def test_a_session_says_which_rules_it_ran_under(resources: Resources, session: str) -> None:
    assert read_rules(open_log(resources, LOCAL_USER, session)) == RULE_VERSIONS
    assert snapshot.read_session(resources, session).run.rules == RULE_VERSIONS


def test_a_rewrite_and_a_follow_up_run_under_the_rules_of_their_own_time(
    resources: Resources,
) -> None:
    old = session_start.new_session(resources, QUESTION, RunSettings(mode="quick"))
    assert runner.resume_or_run(resources, old, "test").outcome == "done"
    store_rules(resources, old, dict.fromkeys(RULE_VERSIONS, 0))
    rewritten = session_start.rewrite(resources, old, RunSettings(mode="quick", relevance_cutoff=4))
    followed = session_start.follow_up(resources, old, "Which of them are the oldest?")
    for new in (rewritten, followed):
        assert read_rules(open_log(resources, LOCAL_USER, new)) == UNKNOWN  # it has not begun
        assert runner.resume_or_run(resources, new, "test").outcome == "done"
        assert read_rules(open_log(resources, LOCAL_USER, new)) == RULE_VERSIONS
    assert read_rules(open_log(resources, LOCAL_USER, old)) == dict.fromkeys(RULE_VERSIONS, 0)


def test_a_session_that_a_client_leads_says_it_too(tmp_path: Path) -> None:
    served = make_tool_caller(tmp_path)
    assert read_rules(open_log(served.resources, LOCAL_USER, research(served))) == RULE_VERSIONS
    served.resources.close()


@pytest.mark.parametrize(
    ("stored", "said"),
    [
        (None, UNKNOWN),
        ({}, UNKNOWN),
        ({"scoring": 4}, {**UNKNOWN, "scoring": 4}),
        ({"scoring": 4, "dancing": 2}, {**UNKNOWN, "scoring": 4}),
        ("1", UNKNOWN),
    ],
)
def test_what_a_log_does_not_say_is_unknown(stored: object, said: dict[str, int | str]) -> None:
    assert rules_from_created({} if stored is None else {"rules": stored}) == said


def test_only_known_versions_that_differ_are_named() -> None:
    assert describe_changed_rules(RULE_VERSIONS) == describe_changed_rules(UNKNOWN) == ""  # type: ignore[arg-type]
    sentence = f"The rules have changed since this session: scoring (version 0, now {RULE_VERSIONS['scoring']})."
    assert (
        describe_changed_rules({**RULE_VERSIONS, "prompting": "unknown", "scoring": 0}) == sentence
    )


# ---------------------------------------------------------------- what a replay says


def store_rules(resources: Resources, session: str, rules: dict[str, int] | None) -> None:
    """Make the session's log say these versions, or none, as another version of Assay would."""
    mine = (store.event.c.session == session, store.event.c.kind == "created")
    with resources.db.writing() as conn:
        data = json.loads(conn.execute(sa.select(store.event.c.data).where(*mine)).scalar_one())
        data.pop("rules", None)
        data |= {"rules": rules} if rules is not None else {}
        conn.execute(sa.update(store.event).where(*mine).values(data=json.dumps(data).encode()))


def test_a_replay_names_the_versions_that_differ(resources: Resources, session: str) -> None:
    store_rules(resources, session, {**RULE_VERSIONS, "reading": 0})
    again = replay.replay_session(resources, LOCAL_USER, session)
    (only,) = replay.list_differences(again)
    assert (only.kind, only.where, only.stored, only.derived) == (
        "created",
        "rules.reading",
        "0",
        str(RULE_VERSIONS["reading"]),
    )
    assert again.same
    store_rules(resources, session, dict(RULE_VERSIONS))


def run_under(resources: Resources, monkeypatch: pytest.MonkeyPatch, rules: dict[str, int]) -> str:
    """A finished session of a version of Assay that had these rules."""
    with monkeypatch.context() as patch:
        patch.setattr(run, "RULE_VERSIONS", rules)
        made = session_start.new_session(resources, QUESTION, RunSettings(mode="quick"))
        assert runner.resume_or_run(resources, made, "test").outcome == "done"
    return made


def test_a_replay_of_a_session_without_versions_has_nothing_to_name(
    resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = run_under(resources, monkeypatch, {})
    store_rules(resources, session, None)
    again = replay.replay_session(resources, LOCAL_USER, session)
    assert (again.same, again.differences) == (True, ())


@pytest.mark.parametrize("scoring", range(RULE_VERSIONS["scoring"]))
def test_the_report_of_an_older_session_is_derived_by_the_rules_of_its_time(
    resources: Resources, monkeypatch: pytest.MonkeyPatch, scoring: int
) -> None:
    session = run_under(resources, monkeypatch, {**RULE_VERSIONS, "scoring": scoring})
    again = replay.replay_session(resources, LOCAL_USER, session)
    assert again.same
    assert [one.where for one in replay.list_differences(again)] == ["rules.scoring"]


@pytest.mark.parametrize(("prompting", "named"), [(0, True), (RULE_VERSIONS["prompting"], False)])
def test_a_call_that_was_never_made_is_explained_by_a_changed_version(
    resources: Resources, prompting: int, named: bool
) -> None:
    session = session_start.new_session(resources, QUESTION, RunSettings(mode="quick"))
    assert runner.resume_or_run(resources, session, "test").outcome == "done"
    store_rules(resources, session, {**RULE_VERSIONS, "prompting": prompting})
    with resources.db.writing() as conn:
        mine = (store.event.c.session == session, store.event.c.kind == "call")
        written = max(
            event.seq for event in open_log(resources, LOCAL_USER, session).read(kinds=("call",))
        )
        conn.execute(sa.delete(store.event).where(*mine, store.event.c.seq == written))
    with pytest.raises(CallForbidden, match="never made this call") as caught:
        replay.replay_session(resources, LOCAL_USER, session)
    said = caught.value.message
    assert ("The rules have changed since this session: prompting" in said) == named
    origin = f"Recorded by an earlier build of version {__version__}; this version asks other questions: "
    assert said.startswith(origin) == named


def test_a_session_names_the_version_of_the_package(resources: Resources, session: str) -> None:
    created = open_log(resources, LOCAL_USER, session).read(kinds=("created",))
    assert created[0].data["version"] == RELEASE == __version__


def store_release(resources: Resources, session: str, release: str | None) -> None:
    """Make the session's log say that this version of Assay began it, or name none."""
    mine = (store.event.c.session == session, store.event.c.kind == "created")
    with resources.db.writing() as conn:
        data = json.loads(conn.execute(sa.select(store.event.c.data).where(*mine)).scalar_one())
        del data["version"]
        data |= {"version": release} if release else {}
        conn.execute(sa.update(store.event).where(*mine).values(data=json.dumps(data).encode()))


@pytest.mark.parametrize(
    ("release", "named"),
    [(None, "version 0.1.0"), ("0.1.7", "version 0.1.7"), ("9.0.0", "version 9.0.0")],
)
def test_a_replay_that_differs_names_the_version_that_recorded_it_and_the_calls(
    resources: Resources, release: str | None, named: str
) -> None:
    """Without the text of the writer the report cannot be written; without a judgement it can."""
    made = session_start.new_session(resources, QUESTION, RunSettings(mode="quick"))
    assert runner.resume_or_run(resources, made, "test").outcome == "done"
    store_release(resources, made, release)
    same = replay.replay_session(resources, LOCAL_USER, made)
    assert (same.same, same.differences, same.origin) == (True, (), "")
    calls = open_log(resources, LOCAL_USER, made).read(kinds=("call",))
    writing = [call.seq for call in calls if call.data["about"]["what"] == "write (offline)"]
    with resources.db.writing() as conn:
        conn.execute(
            sa.delete(store.event).where(
                store.event.c.session == made, store.event.c.seq.in_(writing)
            )
        )
    with pytest.raises(CallForbidden) as caught:
        replay.replay_session(resources, LOCAL_USER, made)
    expected = f"Recorded by {named}; this version asks other questions: write (offline)."
    assert caught.value.message.startswith(expected)


def test_a_report_that_another_version_wrote_differently_names_that_version(
    resources: Resources,
) -> None:
    made = session_start.new_session(resources, QUESTION, RunSettings(mode="quick"))
    assert runner.resume_or_run(resources, made, "test").outcome == "done"
    mine = (store.event.c.session == made, store.event.c.kind == "report")
    with resources.db.writing() as conn:
        data = json.loads(conn.execute(sa.select(store.event.c.data).where(*mine)).scalar_one())
        data["markdown"] = "# Another report\n"
        conn.execute(sa.update(store.event).where(*mine).values(data=json.dumps(data).encode()))
    again = replay.replay_session(resources, LOCAL_USER, made)
    assert (again.same, again.origin) == (False, "")  # by this version: it was altered
    store_release(resources, made, "0.1.7")
    again = replay.replay_session(resources, LOCAL_USER, made)
    assert again.origin == "Recorded by version 0.1.7; this version decides differently."


def test_no_call_key_depends_on_the_versions(resources: Resources, session: str) -> None:
    """A rewrite of a session that ran under other rules finds every call it makes in the log."""
    store_rules(resources, session, dict.fromkeys(RULE_VERSIONS, 0))
    new = session_start.rewrite(resources, session, RunSettings(mode="quick"))
    assert runner.resume_or_run(resources, new, "test").outcome == "done"
    assert open_log(resources, LOCAL_USER, new).calls() == []
    store_rules(resources, session, dict(RULE_VERSIONS))


# ---------------------------------------------------------------- no rule changes without its version

#: Data by which scores are worked out; each name is that of one file of the product.
WEIGHTS = """weights.json topic_match.json stance.json vocab.txt
    institutions.tsv outlets.tsv publishers.tsv reputation.json""".split()


def prompting(_resources: Resources) -> Any:
    """Every kind of request as a model gets it, about one text."""
    described = {}
    for kind, version in EVERY_REQUEST:
        request = asdict(request_of(kind, "harmless words", version))
        del request["given_up"]  # says which models are asked, and not what
        described[f"{kind}, version {version}"] = request
    return described


def scoring(_resources: Resources) -> Any:
    """The default policy, the thresholds of the modes, the values of kinds of hosts, the weights."""
    found = {name: list(Path(research_core.__path__[0]).rglob(name)) for name in WEIGHTS}
    assert {name: len(paths) for name, paths in found.items()} == dict.fromkeys(WEIGHTS, 1)
    return {
        "policy": asdict(CredibilityPolicy()),
        "modes": [asdict(ResearchMode.from_name(mode)) for mode in MODES],
        "kinds": {name: kind.value for name, kind in kinds.HOST_KINDS.items()},
        "weights": {name: digest(paths[0].read_bytes()) for name, paths in found.items()},
    }


def reading_rules(resources: Resources) -> Any:
    """The text of every document of the sample library, and the files it was read from."""
    library = resources.library(LOCAL_USER)
    library.prepare(SAMPLE_LIBRARY)
    documents = sorted(row["url"] for row in library.list_documents(SAMPLE_LIBRARY))
    files = {path.name: digest(path.read_bytes()) for path in sorted(SAMPLE_FOLDER.iterdir())}
    texts = {url: (library.read(SAMPLE_LIBRARY, url) or {})["text"] for url in documents}
    assert len(texts) > 60
    assert all(texts.values())
    return {"files": files, "texts": texts}


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


DESCRIBED = {"prompting": prompting, "scoring": scoring, "reading": reading_rules}


@pytest.mark.parametrize("name", RULE_VERSIONS)
def test_a_rule_does_not_change_without_its_version(resources: Resources, name: str) -> None:
    known = json.loads(GOLDEN.read_text("utf-8"))
    now = {
        "version": RULE_VERSIONS[name],
        "digest": digest(
            canonical_json(DESCRIBED[name](resources)).encode("utf-8", "surrogatepass")
        ),
    }
    if UPDATE and now["version"] > known[name]["version"]:
        known[name] = now
        GOLDEN.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    if now == known[name]:
        return
    advice = [f"The rules of {name} have changed."]
    if now["version"] <= known[name]["version"]:
        advice.append(
            f"Raise RULES[{name!r}] in research_core/journal/rule_versions.py: logs tell by it what is old."
        )
    advice.append(f"Then run this test once with ASSAY_UPDATE_GOLDEN=1 and commit {GOLDEN.name}.")
    pytest.fail(" ".join(advice))
