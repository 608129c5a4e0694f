"""A line of the audit: its fields, and what it does not hold."""

from __future__ import annotations

import json
import os
import socket
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from research_core.journal import audit
from research_core.journal.audit.file import append, find_rotated
from research_core.journal.audit.verify import verify_chain
from research_core.models import Principal
from research_core.sessions.tool_calls import Caller, ToolCaller
from tests.contracts.trials import STUDY
from tests.counter import make_tool_caller

FIELDS = {
    "timestamp", "event_type", "tenant_id", "user_id", "session_id", "tool_name", "request_id", "pod_id", "source_ip", "duration_ms",
    "success", "error_code", "metadata", "prev_hash", "hash",
}  # fmt: skip
ANN = Principal("leaf", "ann")


def test_a_line_has_the_fields_of_the_specification_and_no_other(tmp_path: Path) -> None:
    more = {"session": "s1", "source": "192.0.2.7", "pod": "h:7"}
    told = audit.build_event(
        1_750_000_000.25, ANN, "web_search", "r1", 0.0126, "network", {"query_length": 3}, **more
    )
    append(tmp_path / "calls.jsonl", told, pytest.fail)
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
    told = audit.build_event(0.0, ANN, "web_search", "r1", 0.0, "", {})
    assert set(told) == FIELDS - {"error_code", "prev_hash", "hash"}
    assert told["pod_id"] == f"{socket.gethostname()}:{os.getpid()}"
    assert (told["success"], told["session_id"], told["source_ip"]) == (True, "", "")


def test_texts_are_masked_however_deep_they_stand_and_numbers_that_json_lacks_are_told_as_texts() -> (
    None
):
    about = {
        "query": "key=s3cr3t",
        "routing": {"tried": ["brave", "Bearer s3cr3t"]},
        "cost_usd": float("nan"),
        "count": 2.5,
    }
    told = audit.build_event(0.0, ANN, "web_search", "r1", 0.0, "", about)["metadata"]
    assert told == {
        "query": "key=[hidden]",
        "routing": {"tried": ["brave", "Bearer [hidden]"]},
        "cost_usd": "nan",
        "count": 2.5,
    }


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
    shown = audit.mask_secrets(f"before {secret} after")
    assert "s3cr3t" not in shown
    assert audit.HIDDEN_MARK in shown
    assert (shown.startswith("before "), shown.endswith(" after")) == (True, True)
    assert audit.mask_secrets(shown) == shown


# ---------------------------------------------------------------- what a tool caller writes

FOUND = {"https://clinicaltrials.gov/api/v2/studies": {"studies": [STUDY]}}
TEA = {"query": "green tea"}


def lines(file: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for each in (*find_rotated(file), file)
        for line in each.read_text().splitlines()
    ]


def test_a_call_is_told_with_its_request_its_session_and_where_it_came_from(tmp_path: Path) -> None:
    at = make_tool_caller(tmp_path, FOUND, audit_path=str(tmp_path / "calls.jsonl"))
    at.serve("clinical_search", TEA, caller=Caller("r1", "192.0.2.7"))
    at.serve("clinical_search", {**TEA, "sessionId": "no-such-session, token=s3cr3t"})
    at.serve("clinical_search", {**TEA, "sessionId": 7})
    at.serve("clinical_search", [])
    told = lines(tmp_path / "calls.jsonl")
    assert [(each["session_id"], each["source_ip"]) for each in told] == [
        ("", "192.0.2.7"),
        ("no-such-session, token=[hidden]", ""),
        ("", ""),
        ("", ""),
    ]
    assert told[0]["request_id"] == "r1"
    assert len({each["request_id"] for each in told}) == 4
    assert {each["pod_id"] for each in told} == {f"{socket.gethostname()}:{os.getpid()}"}
    assert [each["metadata"].get("query_length") for each in told] == [9, 9, 9, 0]


@pytest.mark.parametrize(
    ("arguments", "answer", "told"),
    [
        ({"sessionId": "a1"}, None, "a1"),
        ({"sessionId": "a1"}, {"sessionId": "a1"}, "a1"),
        ({"sessionId": ""}, {"sessionId": "b2"}, "b2"),
        ({}, {"sessionId": "b2"}, "b2"),
        ({}, {}, ""),
        ([], None, ""),
        ({"sessionId": ["a1"]}, None, ""),
        ({"sessionId": "x" * 1_000}, None, "x" * 100),
    ],
)
def test_the_session_of_a_call_is_the_one_it_names_or_begins(
    arguments: Any, answer: Any, told: str
) -> None:
    assert audit.find_session_id(arguments, answer) == told


def test_files_are_rotated_and_removed_as_the_settings_say(tmp_path: Path) -> None:
    at = make_tool_caller(
        tmp_path,
        FOUND,
        audit_path=str(tmp_path / "calls.jsonl"),
        audit_max_bytes=1,
        audit_retention_days=200,
    )
    for _ in range(4):
        at.serve("clinical_search", TEA)
        at.resources.clock.pass_by(99 * 86_400.0)  # type: ignore[attr-defined]
    assert len(find_rotated(tmp_path / "calls.jsonl")) == 3  # renamed on days 99, 198, 297
    at.serve("clinical_search", TEA)  # on day 396: that of day 99 goes
    assert len(find_rotated(tmp_path / "calls.jsonl")) == 3
    assert verify_chain([tmp_path / "calls.jsonl"]).shortened


@pytest.mark.full
def test_what_two_tenants_with_two_users_each_do_at_once_is_all_told_and_nothing_crosses(
    tmp_path: Path,
) -> None:
    resources = make_tool_caller(
        tmp_path, FOUND, audit_path=str(tmp_path / "calls.jsonl"), audit_max_bytes=20_000
    ).resources
    sample_sessions = [
        ToolCaller(resources, Principal(tenant, user))
        for tenant in ("leaf", "root")
        for user in ("ann", "bob")
    ]
    with ThreadPoolExecutor(8) as threads:
        list(
            threads.map(
                lambda n: sample_sessions[n % 4].serve(
                    "clinical_search", TEA, caller=Caller(f"{n % 4} {n}")
                ),
                range(200),
            )
        )
    told = lines(tmp_path / "calls.jsonl")
    assert {int(each["request_id"].split()[1]) for each in told} == set(range(200))
    assert Counter((each["tenant_id"], each["user_id"]) for each in told) == dict.fromkeys(
        ((at.who.tenant, at.who.user) for at in sample_sessions), 50
    )
    assert all(
        sample_sessions[int(each["request_id"][0])].who
        == Principal(each["tenant_id"], each["user_id"])
        for each in told
    )
    verdict = verify_chain([tmp_path / "calls.jsonl"])
    assert (verdict.broken, verdict.lines) == (None, 200)
