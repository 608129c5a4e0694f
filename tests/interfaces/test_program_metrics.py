"""The metrics of a worker process, as Prometheus reads them, and its log in JSON."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from research_core.errors import SettingsError
from research_core.interfaces import program_metrics
from research_core.policy import RunSettings
from research_core.sessions import session_control, session_start, session_status, workers
from research_core.settings import Settings
from research_core.wiring import Resources
from tests.interfaces.test_log_lines import connect, free_port
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


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        settings = Settings.from_env({"ASSAY_HOME": str(tmp_path), "ASSAY_METRICS_PORT": str(port)})
        with pytest.raises(SettingsError, match=f"127.0.0.1:{port}: ") as caught:
            program_metrics.serve_metrics(Resources(settings))
        assert "ASSAY_METRICS_PORT" in caught.value.next_step
