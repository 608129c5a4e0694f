"""Searches the register of clinical studies at ClinicalTrials.gov (API v2), which asks for no key. What it registers is not advice."""

from __future__ import annotations

import re
from typing import Any

from research_core.deps import Http
from research_core.providers.reply import at, get_json, rows, some, text, texts, truth
from research_core.queries import TrialQuery
from research_core.records import Trial
from research_core.settings import Settings

NAME = "ClinicalTrials.gov"
STUDIES = "https://clinicaltrials.gov/api/v2/studies"
STUDY = "https://clinicaltrials.gov/study"
FIELDS = "NCTId|BriefTitle|OverallStatus|Phase|Condition|InterventionName|LeadSponsorName|StartDate|HasResults"
HONOURS = frozenset({"condition", "intervention", "sponsor", "status"})


def search(http: Http, settings: Settings, query: TrialQuery) -> tuple[Trial, ...]:
    """Studies in the register's order, by relevance. Raises SearchError; a wrong status is the register's own sentence about it."""
    wanted = {
        "query.term": query.text,
        "query.cond": query.condition,
        "query.intr": query.intervention,
        "query.spons": query.sponsor,
        "filter.overallStatus": re.sub(r",?\s+", "_", query.status.upper()),
    }
    params = {name: value for name, value in wanted.items() if value} | {"pageSize": str(query.count), "fields": FIELDS}
    listed = rows(NAME, get_json(http, NAME, STUDIES, params), "studies")
    return some(NAME, listed, [made for row in listed if (made := _trial(row))], "the number of a study")


def _trial(row: dict[str, Any]) -> Trial | None:
    number = text(NAME, row, "protocolSection", "identificationModule", "nctId")
    if not number:
        return None
    study = row["protocolSection"]
    interventions = at(study, "armsInterventionsModule", "interventions") or []
    return Trial(
        nct_id=number,
        title=text(NAME, study, "identificationModule", "briefTitle"),
        url=f"{STUDY}/{number}",
        source="clinicaltrials",
        status=text(NAME, study, "statusModule", "overallStatus"),
        phases=texts(NAME, study, "designModule", "phases"),
        conditions=texts(NAME, study, "conditionsModule", "conditions"),
        interventions=tuple(name for each in rows(NAME, interventions) if (name := text(NAME, each, "name"))),
        sponsor=text(NAME, study, "sponsorCollaboratorsModule", "leadSponsor", "name"),
        start_date=text(NAME, study, "statusModule", "startDateStruct", "date"),
        has_results=truth(NAME, row, "hasResults"),
    )
