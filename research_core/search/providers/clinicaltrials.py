"""Searches the register of clinical studies at ClinicalTrials.gov (API v2), which asks for no key.
What it registers is not advice.

Of a 404 the specification says that it is an empty answer. It is one where the register says in its
own plain words that a study is not found; where anything else says 404, a page or nothing, the
service has moved, and that must not look like a world without studies.
"""

from __future__ import annotations

import re
from typing import Any

from research_core.journal.deps import Http
from research_core.models import HttpReply
from research_core.search.providers.reply import (
    as_json,
    ask,
    at,
    refused,
    rows,
    some,
    text,
    texts,
    truth,
)
from research_core.search.queries import TrialQuery
from research_core.search.records import Trial
from research_core.settings import Settings

NAME = "ClinicalTrials.gov"
STUDIES = "https://clinicaltrials.gov/api/v2/studies"
STUDY = "https://clinicaltrials.gov/study"
FIELDS = "NCTId|BriefTitle|OverallStatus|Phase|Condition|InterventionName|LeadSponsorName|StartDate|HasResults"
HONOURS = frozenset({"condition", "intervention", "sponsor", "status"})
STEP = "Put that right; status is one that the register knows, such as RECRUITING or COMPLETED."
#: What the register says of a study that it has not.
_NONE = re.compile(
    rb"\s*(?:(?:NCT number|Study)\s+NCT[0-9]{8}\s+not found|No stud(?:y|ies) found)\b",
    re.IGNORECASE,
)


def search(http: Http, settings: Settings, query: TrialQuery) -> tuple[Trial, ...]:
    """Studies in the register's order, by relevance. Raises SearchError; a wrong status is the
    register's own sentence about it.
    """
    wanted = {
        "query.term": query.text,
        "query.cond": query.condition,
        "query.intr": query.intervention,
        "query.spons": query.sponsor,
        "filter.overallStatus": re.sub(r",?\s+", "_", query.status.upper()),
    }
    params = {name: value for name, value in wanted.items() if value} | {
        "pageSize": str(query.count),
        "fields": FIELDS,
    }
    reply = ask(http, NAME, STUDIES, params, also=(400, 404))
    if reply.status == 404:
        return _none(reply)
    if reply.status == 400:  # its own sentence about what was asked
        raise refused(NAME, reply, {"validation": STEP}, kind="validation")
    listed = rows(NAME, as_json(NAME, reply), "studies")
    return some(
        NAME,
        listed,
        [made for row in listed if (made := _trial(row))],
        "the number and the title of a study",
    )


def _none(reply: HttpReply) -> tuple[Trial, ...]:
    """() where the register itself says that there is no such study. Raises SearchError."""
    if not _NONE.match(reply.body):
        raise refused(NAME, reply)
    return ()


def _trial(row: dict[str, Any]) -> Trial | None:
    number, title = (
        text(NAME, row, "protocolSection", "identificationModule", name)
        for name in ("nctId", "briefTitle")
    )
    if not (number and title):
        return None
    study = row["protocolSection"]
    interventions = at(study, "armsInterventionsModule", "interventions") or []
    return Trial(
        nct_id=number,
        title=title,
        url=f"{STUDY}/{number}",
        source="clinicaltrials",
        status=text(NAME, study, "statusModule", "overallStatus"),
        phases=texts(NAME, study, "designModule", "phases"),
        conditions=texts(NAME, study, "conditionsModule", "conditions"),
        interventions=tuple(
            name for each in rows(NAME, interventions) if (name := text(NAME, each, "name"))
        ),
        sponsor=text(NAME, study, "sponsorCollaboratorsModule", "leadSponsor", "name"),
        start_date=text(NAME, study, "statusModule", "startDateStruct", "date"),
        has_results=truth(NAME, row, "hasResults"),
    )
