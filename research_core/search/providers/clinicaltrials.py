"""Search the registry ClinicalTrials.gov (API v2); needs no key.

The specification treats a 404 as an empty answer. It is one only if the registry's plain text says
that a study was not found; any other 404 means the service has moved and is an error.
"""

from __future__ import annotations

import re
from typing import Any

from research_core.journal.deps import Http
from research_core.models import HttpReply
from research_core.search.providers.reply import (
    drop_empty,
    get_value,
    parse_json,
    read_column,
    read_flag,
    read_records,
    read_rows,
    read_text,
    read_texts,
    refusal_error,
    request,
)
from research_core.search.queries import TrialQuery
from research_core.search.records import Trial
from research_core.settings import Settings

NAME = "ClinicalTrials.gov"
STUDIES = "https://clinicaltrials.gov/api/v2/studies"
STUDY = "https://clinicaltrials.gov/study"
FIELDS = (
    "NCTId|BriefTitle|OverallStatus|Phase|Condition|InterventionName|LeadSponsorName|StartDate|"
    "HasResults"
)
HONOURS = frozenset({"condition", "intervention", "sponsor", "status"})
STEP = "Put that right; status is one that the register knows, such as RECRUITING or COMPLETED."
#: The registry's text for an unknown study.
_NONE = re.compile(
    rb"\s*(?:(?:NCT number|Study)\s+NCT[0-9]{8}\s+not found|No stud(?:y|ies) found)\b",
    re.IGNORECASE,
)


def search(http: Http, settings: Settings, query: TrialQuery) -> tuple[Trial, ...]:
    """Return studies by relevance. Raises SearchError, with the registry's own sentence if any."""
    wanted = {
        "query.term": query.text,
        "query.cond": query.condition,
        "query.intr": query.intervention,
        "query.spons": query.sponsor,
        # As people write it: "not yet recruiting", "completed, terminated".
        "filter.overallStatus": re.sub(r",?\s+", "_", query.status.upper()),
    }
    params = {**drop_empty(wanted), "pageSize": str(query.count), "fields": FIELDS}
    reply = request(http, NAME, STUDIES, params, also=(400, 404))
    if reply.status == 404:
        return _check_not_found(reply)
    if reply.status == 400:  # with the registry's own message
        raise refusal_error(NAME, reply, {"validation": STEP}, kind="validation")
    listed = read_rows(NAME, parse_json(NAME, reply), "studies")
    return read_records(NAME, listed, _read_trial, "the number and the title of a study")


def _check_not_found(reply: HttpReply) -> tuple[Trial, ...]:
    """Return () if the registry says there is no such study. Raises SearchError otherwise."""
    if not _NONE.match(reply.body):
        raise refusal_error(NAME, reply)
    return ()


def _read_trial(row: dict[str, Any]) -> Trial | None:
    number = read_text(NAME, row, "protocolSection", "identificationModule", "nctId")
    title = read_text(NAME, row, "protocolSection", "identificationModule", "briefTitle")
    if not (number and title):
        return None
    study = row["protocolSection"]
    interventions = get_value(study, "armsInterventionsModule", "interventions") or []
    return Trial(
        nct_id=number,
        title=title,
        url=f"{STUDY}/{number}",
        source="clinicaltrials",
        status=read_text(NAME, study, "statusModule", "overallStatus"),
        phases=read_texts(NAME, study, "designModule", "phases"),
        conditions=read_texts(NAME, study, "conditionsModule", "conditions"),
        interventions=read_column(NAME, read_rows(NAME, interventions), "name"),
        sponsor=read_text(NAME, study, "sponsorCollaboratorsModule", "leadSponsor", "name"),
        start_date=read_text(NAME, study, "statusModule", "startDateStruct", "date"),
        has_results=read_flag(NAME, row, "hasResults"),
    )
