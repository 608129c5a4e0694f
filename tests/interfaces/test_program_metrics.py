"""The metrics of the app and of workers, as Prometheus reads them, and their logs in JSON."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from research_core import __version__
from research_core.errors import SettingsError
from research_core.interfaces import program_metrics
from research_core.policy import RunSettings
from research_core.sessions import (
    heartbeats,
    session_control,
    session_start,
    session_status,
    workers,
)
from research_core.settings import Settings
from research_core.wiring import Resources
from tests.interfaces.test_log_lines import connect, free_port, running
from tests.logs import ROOT
from tests.timing import LONG_S, wait_until

QUESTION = "What are the environmental risks of deep-sea mining for fish?"


def read_metrics(port: int) -> dict[str, float]:
    """The values at this port by name and labels."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=LONG_S) as answer:
        text = answer.read().decode()
    rows = re.findall(r"^(assay_\S+|process_\S+) (\S+)$", text, re.MULTILINE)
    return {name: float(value) for name, value in rows}


@pytest.mark.parametrize("module", ["research_core.workers", "research_core"])
def test_a_worker_says_in_metrics_and_lines_what_it_did(tmp_path: Path, module: str) -> None:
    """One session waits while nobody works; then one is done, and one was cancelled before."""
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path), "ASSAY_SEMANTIC": "0"}))
    asking = workers.WorkerEngine(resources, runs=False)
    asking.start()
    session = session_start.new_session(resources, QUESTION, RunSettings(mode="quick"))
    asking.enqueue(session)
    cancelled = session_start.new_session(resources, QUESTION, RunSettings(mode="quick"))
    asking.enqueue(cancelled)
    session_control.cancel(resources, cancelled)
    waiting = asking.measure_queue()
    assert (waiting.waiting, waiting.running, waiting.workers) == (2, 0, 0)
    assert 0 <= waiting.oldest_s < LONG_S
    asking.stop()
    port = free_port()
    environment = {
        **os.environ,
        "ASSAY_HOME": str(tmp_path),
        "ASSAY_SEMANTIC": "0",
        "ASSAY_METRICS_PORT": str(port),
        "ASSAY_LOG_FORMAT": "json",
    }
    words = [sys.executable, "-m", module, *(["worker"] if module == "research_core" else [])]
    with subprocess.Popen(
        words, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True
    ) as worker:
        connect(port).close()
        wait_until(lambda: session_status.read_session_info(resources, session).status == "done")
        wait_until(lambda: read_metrics(port)['assay_sessions_ended_total{outcome="done"}'] == 1.0)
        found = read_metrics(port)
        worker.send_signal(signal.SIGTERM)
        _, logged = worker.communicate(timeout=LONG_S)
    resources.db.close()
    assert found["assay_database_up"] == found["assay_workers_alive"] == 1.0
    assert found["assay_queue_depth"] == found["assay_queue_oldest_wait_seconds"] == 0.0
    assert found['assay_sessions_ended_total{outcome="failed"}'] == 0.0
    assert found["assay_model_calls_total"] >= 3.0
    assert found["assay_model_cost_dollars_total"] == found["assay_unpriced_sessions_total"] == 0.0
    assert found["assay_session_seconds_total"] > 0.0
    assert found["process_resident_memory_bytes"] > 1e7
    rows = [json.loads(line) for line in logged.splitlines()]
    assert {row["program"] for row in rows} == {"worker"}
    ends = [row for row in rows if row.get("session") == session]
    assert [(row["outcome"], row["level"]) for row in ends] == [("done", "info")]
    assert ends[0]["seconds"] > 0.0
    assert QUESTION not in logged


# ---------------------------------------------------------------- the format

#: The type, labels and value of each metric of a process whose engine did `WORK`, by its name.
WORK = workers.Work(
    ended=Counter({"done": 3, "failed": 1, "waiting": 2}),
    seconds=12.5,
    model_calls=40,
    tokens=90_000,
    cost=0.25,
    unpriced=1,
)
OF_WORK = {
    'assay_sessions_ended_total{outcome="cancelled"}': ("counter", 0.0),
    'assay_sessions_ended_total{outcome="done"}': ("counter", 3.0),
    'assay_sessions_ended_total{outcome="failed"}': ("counter", 1.0),
    'assay_sessions_ended_total{outcome="waiting"}': ("counter", 2.0),
    "assay_session_seconds_total": ("counter", 12.5),
    "assay_model_calls_total": ("counter", 40.0),
    "assay_model_tokens_total": ("counter", 90_000.0),
    "assay_model_cost_dollars_total": ("counter", 0.25),
    "assay_unpriced_sessions_total": ("counter", 1.0),
}
OF_PROCESS = {f'assay_build_info{{version="{__version__}"}}': ("gauge", 1.0)}
#: Of a queue with two waiting sessions, one that runs, and one worker alive.
OF_QUEUE = {
    "assay_database_up": ("gauge", 1.0),
    "assay_queue_depth": ("gauge", 2.0),
    "assay_sessions_running": ("gauge", 1.0),
    "assay_workers_alive": ("gauge", 1.0),
}
WAIT = "assay_queue_oldest_wait_seconds"


def parse_metrics(resources: Resources) -> dict[str, tuple[str, float]]:
    """What the collector says, read as Prometheus reads it: (type, value) by name and labels."""
    registry = CollectorRegistry()
    registry.register(program_metrics.WorkCollector(resources))
    found = {}
    for family in text_string_to_metric_families(generate_latest(registry).decode()):
        assert family.documentation.endswith(".")
        for sample in family.samples:
            labels = ",".join(f'{name}="{value}"' for name, value in sample.labels.items())
            name = f"{sample.name}{{{labels}}}" if labels else sample.name
            assert name not in found
            found[name] = (family.type, sample.value)
    return found


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[workers.WorkerEngine]:
    """An engine that only queues; two sessions wait, one runs, and a worker is alive."""
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path), "ASSAY_SEMANTIC": "0"}))
    engine = workers.WorkerEngine(resources, runs=False)
    engine.start()
    heartbeats.record_beat(resources.db, "alive", resources.clock.now())
    heartbeats.record_beat(resources.db, "dead", resources.clock.now() - 60)
    for _ in range(3):
        session = session_start.new_session(resources, QUESTION, RunSettings(mode="quick"))
        engine.enqueue(session)
    with resources.db.writing() as conn:
        conn.execute(
            sa.text("UPDATE workflow_status SET status = 'PENDING' WHERE workflow_uuid = :id"),
            {"id": f"{session}#1"},
        )
    engine.work = WORK
    yield engine
    engine.stop()
    resources.close()


def test_every_metric_has_its_name_type_and_value(engine: workers.WorkerEngine) -> None:
    found = parse_metrics(engine.resources)
    kind, waited = found.pop(WAIT)
    assert kind == "gauge"
    assert 0.0 <= waited < LONG_S
    assert found == {**OF_PROCESS, **OF_QUEUE, **OF_WORK}


def test_a_database_that_fails_leaves_the_queue_out(engine: workers.WorkerEngine) -> None:
    with engine.resources.db.writing() as conn:
        conn.execute(sa.text("ALTER TABLE workflow_status RENAME TO away"))
    down = {"assay_database_up": ("gauge", 0.0)}
    assert parse_metrics(engine.resources) == {**OF_PROCESS, **down, **OF_WORK}
    with engine.resources.db.writing() as conn:
        conn.execute(sa.text("ALTER TABLE away RENAME TO workflow_status"))
    assert parse_metrics(engine.resources)["assay_queue_depth"] == ("gauge", 2.0)


def test_a_process_without_an_engine_says_only_that(tmp_path: Path) -> None:
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path)}))
    down = {"assay_database_up": ("gauge", 0.0)}
    assert parse_metrics(resources) == {**OF_PROCESS, **down}


def test_the_documentation_lists_each_metric(engine: workers.WorkerEngine) -> None:
    text = (ROOT / "docs" / "deploying.md").read_text(encoding="utf-8")
    table = "\n".join(line for line in text.splitlines() if line.startswith("| `assay_"))
    documented = set(re.findall(r"`(assay_[a-z_]+)", table))
    given = {name.partition("{")[0] for name in parse_metrics(engine.resources)}
    assert documented == given


def test_the_app_serves_its_metrics_before_any_screen_is_opened(tmp_path: Path) -> None:
    port = free_port()
    metrics = {"ASSAY_METRICS_PORT": str(port), "ASSAY_LOG_FORMAT": "json"}
    words = ("app", "--no-browser", "--port", "0")
    with running(tmp_path, *words, **metrics) as app:
        connect(port).close()
        wait_until(lambda: read_metrics(port)["assay_database_up"] == 1.0)
        found = read_metrics(port)
        app.terminate()
        printed, logged = app.communicate(timeout=LONG_S)
    assert found["assay_workers_alive"] == 1.0  # the app runs sessions itself
    assert found["assay_queue_depth"] == found["assay_sessions_running"] == 0.0
    assert found['assay_sessions_ended_total{outcome="done"}'] == 0.0
    assert found["process_open_fds"] > 3.0
    rows = [json.loads(line) for line in logged.splitlines()]
    assert {row["program"] for row in rows} == {"app"}
    assert [row for row in rows if row["message"].startswith("Assay is at http://127.0.0.1:")]
    assert printed == ""


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        settings = Settings.from_env({"ASSAY_HOME": str(tmp_path), "ASSAY_METRICS_PORT": str(port)})
        with pytest.raises(SettingsError, match=f"127.0.0.1:{port}: ") as caught:
            program_metrics.serve_metrics(Resources(settings))
        assert "ASSAY_METRICS_PORT" in caught.value.next_step
