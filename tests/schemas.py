"""Check the JSON of reports and audits against the schemas that describe them to users."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

import research_core
from research_core.export.audit import audit_to_json
from research_core.models import Report
from research_core.pipeline import report
from research_core.pipeline.audit_result import AuditResult


@cache
def read_validator(name: str) -> Any:
    """The validator of a schema by its file name."""
    path = Path(research_core.__file__).with_name(name)
    return Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))


def assert_report_follows_schema(built: Report) -> None:
    """Raise ValidationError if the schema does not allow the whole of the report's JSON."""
    data = json.loads(json.dumps(report.to_json(built)))
    if data["schema"] == report.EARLIER_SCHEMA_VERSION:  # it lacks what the newer one added
        data["schema"] = report.SCHEMA_VERSION
        if data["confidence"] is not None:
            data["confidence"].setdefault("reason", "")
    read_validator("report.schema.json").validate(data)


def assert_audit_follows_schema(result: AuditResult) -> None:
    """Raise ValidationError if the schema does not allow the whole of an audit's JSON."""
    data = json.loads(json.dumps(audit_to_json(result)))
    read_validator("audit.schema.json").validate(data)
