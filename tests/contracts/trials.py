"""The register of clinical trials."""

from __future__ import annotations

from research_core.search.queries import TrialQuery
from research_core.search.records import Trial
from tests.contracts import Case

STUDY = {
    "protocolSection": {
        "identificationModule": {"nctId": "NCT01234567", "briefTitle": "Tea against colds"},
        "statusModule": {"overallStatus": "COMPLETED", "startDateStruct": {"date": "2019-03"}},
        "sponsorCollaboratorsModule": {"leadSponsor": {"name": "University of the Bay"}},
        "conditionsModule": {"conditions": ["Common Cold"]},
        "designModule": {"phases": ["PHASE2", "PHASE3"]},
        "armsInterventionsModule": {"interventions": [{"type": "DRUG", "name": "Green tea"}]},
    },
    "hasResults": False,
}
CASES = (
    Case(
        "clinicaltrials",
        "trials",
        TrialQuery(
            "tea", condition="cold", intervention="green tea", sponsor="Bay", status="completed"
        ),
        [("/api/v2/studies", {"studies": [STUDY]})],
        [
            Trial(
                "NCT01234567",
                "Tea against colds",
                "https://clinicaltrials.gov/study/NCT01234567",
                "clinicaltrials",
                status="COMPLETED",
                phases=("PHASE2", "PHASE3"),
                conditions=("Common Cold",),
                interventions=("Green tea",),
                sponsor="University of the Bay",
                start_date="2019-03",
                has_results=False,
            )
        ],
        [("/api/v2/studies", {"studies": []})],
    ),
)
