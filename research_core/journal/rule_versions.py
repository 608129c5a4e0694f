"""Which version of the rules of reading, scoring and prompting a session ran under.

A session's `created` event keeps the table that was in force and the version of Assay, so that a
later version can say what it would do differently. Both are part of no call key: recorded calls
answer whatever they say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from research_core.i18n import EARLIER_ENGLISH, SOURCE_LANGUAGE, find_language

#: Raise a version when its rules change; tests/journal/test_rule_versions.py fails until then.
#: reading: how a page becomes text. scoring: credibility, relevance, support, confidence and the
#: gate.
#: prompting: what models are asked, and how often.
#: Without a version: the language of a text in decomposed letters is guessed by the composed ones.
RULE_VERSIONS: Mapping[str, int] = {"reading": 2, "scoring": 7, "prompting": 6}
#: The version of the rules of scoring from which denials, scope, roles, and added groups, times and
#: kinds are read in the wording; what older sessions found stays as it was stored.
WORDING_VERSION = 3
#: The version of the rules of scoring from which a report is in the language of its question, which
#: its `created` event names.
LANGUAGE_VERSION = 5
UNKNOWN_VERSION = "unknown"
#: The version of Assay, which a session names: `research_core.__version__`, which no lower layer
#: may import. tests/journal/test_rule_versions.py compares the two.
RELEASE = "0.2.0"
#: The version of Assay of logs that name none: 0.2.0 is the first that does.
UNNAMED_RELEASE = "0.1.0"


class ReadsCreated(Protocol):
    """A log that knows how its session began, such as `log.EventLog`."""

    def read_created(self) -> Mapping[str, object]: ...


def read_rules(log: ReadsCreated) -> dict[str, int | str]:
    """Return the version of each rule a session began under; "unknown" if its log has none."""
    return rules_from_created(log.read_created())


def rules_from_created(created: Mapping[str, object]) -> dict[str, int | str]:
    """Return the version of each rule named by the data of a `created` event."""
    stored = created.get("rules")
    versions = stored if isinstance(stored, Mapping) else {}
    return {name: versions.get(name, UNKNOWN_VERSION) for name in RULE_VERSIONS}


def read_release(log: ReadsCreated) -> str:
    """Return the version of Assay that began a session."""
    return str(log.read_created().get("version", UNNAMED_RELEASE))


def runs_under(rules: Mapping[str, int | str], name: str, version: int) -> bool:
    """Return True if a session began under this version of a rule or a later one."""
    stored = rules.get(name, UNKNOWN_VERSION)
    return isinstance(stored, int) and stored >= version


def read_language(log: ReadsCreated) -> str:
    """Return the language of the report of a session."""
    return language_from_created(log.read_created())


def language_from_created(created: Mapping[str, object]) -> str:
    """Return the language of a report by the data of its `created` event.

    Sessions of older rules keep the English wording of their time.
    """
    if not runs_under(rules_from_created(created), "scoring", LANGUAGE_VERSION):
        return EARLIER_ENGLISH
    return find_language(str(created.get("language", SOURCE_LANGUAGE)))


def describe_changed_rules(stored: Mapping[str, int | str]) -> str:
    """Name the versions that differ from today's in one sentence; "" if none is known to differ."""
    differing = []
    for name, version in RULE_VERSIONS.items():
        if stored[name] not in (UNKNOWN_VERSION, version):
            differing.append(f"{name} (version {stored[name]}, now {version})")
    if not differing:
        return ""
    return f"The rules have changed since this session: {', '.join(differing)}."
