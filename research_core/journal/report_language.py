"""Record the language of a session's report: that of its question, where Assay speaks it.

It is found once, when the session begins, and kept in the `created` event, so that every later
reading of the log writes the same words on any machine.
"""

from __future__ import annotations

from collections.abc import Mapping

from research_core.i18n import EARLIER_ENGLISH, SOURCE_LANGUAGE, find_language
from research_core.journal.rule_versions import ReadsEvents, rules_from_created, runs_under
from research_core.text.languages import guess_language

#: The version of the rules of scoring from which a report is in the language of its question.
LANGUAGE_VERSION = 5


def name_language(question: str, follows: str = "") -> dict[str, str]:
    """Return what a `created` event says of the language, {} if the report is in English.

    follows: the question before, which decides if this one is too short to tell.
    """
    language = find_language(guess_language(question) or guess_language(follows))
    return {} if language == SOURCE_LANGUAGE else {"language": language}


def read_language(log: ReadsEvents) -> str:
    """Return the language of the report of a session."""
    created = log.read(kinds=("created",))
    return language_from_created(created[0].data if created else {})


def language_from_created(created: Mapping[str, object]) -> str:
    """Return the language of a report by the data of the `created` event.

    Sessions of older rules keep the English wording of their time.
    """
    if not runs_under(rules_from_created(created), "scoring", LANGUAGE_VERSION):
        return EARLIER_ENGLISH
    return find_language(str(created.get("language", SOURCE_LANGUAGE)))
