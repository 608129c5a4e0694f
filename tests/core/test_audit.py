"""A line of the audit: its fields, and what it does not hold."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from research_core import audit
from research_core.models import Principal

FIELDS = {
    "timestamp", "event_type", "tenant_id", "user_id", "session_id", "tool_name", "request_id", "pod_id", "source_ip", "duration_ms",
    "success", "error_code", "metadata", "prev_hash", "hash",
}  # fmt: skip
ANN = Principal("leaf", "ann")


def test_a_line_has_the_fields_of_the_specification_and_no_other(tmp_path: Path) -> None:
    more = {"session": "s1", "source": "192.0.2.7", "pod": "h:7"}
    told = audit.line(1_750_000_000.25, ANN, "web_search", "r1", 0.0126, "network", {"query_length": 3}, **more)
    audit.append(tmp_path / "calls.jsonl", told, pytest.fail)
    (written,) = (json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines())
    assert set(written) == FIELDS
    assert {name: written[name] for name in FIELDS - {"prev_hash", "hash"}} == {
        "timestamp": "2025-06-15T15:06:40.250Z",
        "event_type": "tool_call",
        "tenant_id": "leaf",
        "user_id": "ann",
        "session_id": "s1",
        "tool_name": "web_search",
        "request_id": "r1",
        "pod_id": "h:7",
        "source_ip": "192.0.2.7",
        "duration_ms": 13,
        "success": False,
        "error_code": "network",
        "metadata": {"query_length": 3},
    }


def test_a_call_that_went_well_has_no_code_of_an_error_and_this_process_for_its_pod() -> None:
    told = audit.line(0.0, ANN, "web_search", "r1", 0.0, "", {})
    assert set(told) == FIELDS - {"error_code", "prev_hash", "hash"}
    assert told["pod_id"] == f"{socket.gethostname()}:{os.getpid()}"
    assert (told["success"], told["session_id"], told["source_ip"]) == (True, "", "")


def test_texts_are_masked_however_deep_they_stand_and_numbers_that_json_lacks_are_told_as_texts() -> None:
    about = {"query": "key=s3cr3t", "routing": {"tried": ["brave", "Bearer s3cr3t"]}, "cost_usd": float("nan"), "count": 2.5}
    told = audit.line(0.0, ANN, "web_search", "r1", 0.0, "", about)["metadata"]
    assert told == {"query": "key=[hidden]", "routing": {"tried": ["brave", "Bearer [hidden]"]}, "cost_usd": "nan", "count": 2.5}


@pytest.mark.parametrize(
    "secret",
    [
        "AIza" + "s3cr3t-_" * 5, "sk-" + "s3cr3t" * 4, "sk-ant-" + "s3cr3t" * 4, "BSA" + "s3cr3t" * 4, "Bearer s3cr3t", "bearer s3cr3t.99",
        "BEARER s3cr3t+/==", "Bearer  s3cr3t", "https://api.example/?q=tea&key=s3cr3t&x=1", "access_token=s3cr3t",
        "consumer_secret=s3cr3t", "TOKEN=s3cr3t", "Secret=s3cr3t", "PASSWORD=s3cr3t", "X-Api-Key: s3cr3t", "x-api-key=s3cr3t",
        "x-subscription-token: s3cr3t",
        "X-Subscription-Token: [s3cr3t]", '{"X-Api-Key": ["s3cr3t"]}', "passwd=s3cr3t", "pwd=s3cr3t", "apikey=s3cr3t",
    ],
)  # fmt: skip
def test_each_form_of_a_secret_that_the_specification_names_is_masked(secret: str) -> None:
    shown = audit.masked(f"before {secret} after")
    assert "s3cr3t" not in shown
    assert audit.HIDDEN in shown
    assert (shown.startswith("before "), shown.endswith(" after")) == (True, True)
    assert audit.masked(shown) == shown
