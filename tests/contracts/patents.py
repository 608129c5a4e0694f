"""Patents: four offices and services.

They are Google Patents through SearchAPI, the European Patent Office, Lens.org, and the office of
the United States.
"""

from __future__ import annotations

from typing import Any

from research_core.search.queries import PatentQuery
from research_core.search.records import Patent
from tests.contracts import Case

ALL = PatentQuery(
    "fuel cell", search_type="specific", assignee="Acme Corp.", inventor="Doe", cpc_code="H01M", year_from=2008, year_to=2012,
    patent_office="EP",
)  # fmt: skip

GOOGLE: dict[str, Any] = {
    "search_metadata": {"status": "Success"},
    "search_information": {"total_results": 1},
    "organic_results": [
        {
            "position": 1, "patent_id": "patent/EP1234567B1/en", "publication_number": "EP1234567B1", "title": "Fuel <b>cell</b> stack",
            "snippet": "A stack of <b>fuel cells</b> &hellip;", "assignee": "Acme Corporation", "inventor": "Jane Doe",
            "priority_date": "2008-05-01", "filing_date": "2009-05-01", "grant_date": "2013-07-03", "publication_date": "2013-07-03",
            "pdf": "https://patentimages.storage.googleapis.com/aa/EP1234567B1.pdf",
        }
    ],
}  # fmt: skip

DOCUMENT = """
    <exchange-document country="EP" doc-number="1234567" kind="A1">
      <bibliographic-data>
        <publication-reference>
          <document-id document-id-type="docdb"><country>EP</country><doc-number>1234567</doc-number><kind>A1</kind><date>20101103</date>
          </document-id>
        </publication-reference>
        <application-reference>
          <document-id document-id-type="docdb"><country>EP</country><doc-number>09159999</doc-number><date>20090501</date></document-id>
        </application-reference>
        <parties>
          <applicants>
            <applicant sequence="1" data-format="epodoc"><applicant-name><name>ACME [US]</name></applicant-name></applicant>
          </applicants>
          <inventors>
            <inventor sequence="1" data-format="epodoc"><inventor-name><name>DOE JANE [US]</name></inventor-name></inventor>
            <inventor sequence="1" data-format="original"><inventor-name><name>Doe, Jane, </name></inventor-name></inventor>
          </inventors>
        </parties>
        <invention-title lang="de">Brennstoffzelle</invention-title>
        <invention-title lang="en">Fuel cell</invention-title>
      </bibliographic-data>
      <abstract lang="en"><p>[0001] A fuel cell.</p></abstract>
    </exchange-document>"""


def office(*documents: str, total: int | None = None) -> str:
    """An answer of the European Patent Office."""
    listed = f"<exchange-documents>{''.join(documents)}</exchange-documents>" if documents else ""
    return (
        '<?xml version="1.0" encoding="UTF-8"?><ops:world-patent-data xmlns="http://www.epo.org/exchange" xmlns:ops="http://ops.epo.org">'
        f'<ops:biblio-search total-result-count="{len(documents) if total is None else total}"><ops:search-result>{listed}'
        "</ops:search-result></ops:biblio-search></ops:world-patent-data>"
    )


LENS: dict[str, Any] = {
    "total": 1,
    "data": [
        {
            "lens_id": "031-156-664-516-153", "jurisdiction": "EP", "doc_number": "1234567", "kind": "A1", "date_published": "2010-11-03",
            "biblio": {
                "application_reference": {"jurisdiction": "EP", "doc_number": "09159999", "date": "2009-05-01"},
                "invention_title": [{"text": "Brennstoffzelle", "lang": "de"}, {"text": "Fuel cell", "lang": "en"}],
                "parties": {
                    "applicants": [{"extracted_name": {"value": "ACME CORP"}}], "inventors": [{"extracted_name": {"value": "DOE JANE"}}],
                },
            },
            "abstract": [{"text": "A fuel cell.", "lang": "en"}],
            "legal_status": {"granted": True, "grant_date": "2013-07-03", "patent_status": "ACTIVE"},
        }
    ],
}  # fmt: skip

US: dict[str, Any] = {
    "count": 1,
    "patentFileWrapperDataBag": [
        {
            "applicationNumberText": "12345678",
            "applicationMetaData": {
                "inventionTitle": "FUEL CELL", "patentNumber": "8123456", "filingDate": "2009-05-01", "grantDate": "2012-02-28",
                "earliestPublicationNumber": "US20100123456A1", "earliestPublicationDate": "2010-05-20",
                "applicationStatusDescriptionText": "Patented Case", "firstApplicantName": "Acme Corporation",
                "firstInventorName": "Jane Doe", "inventorBag": [{"inventorNameText": "Jane Doe"}],
                "cpcClassificationBag": ["H01M 8/04", "B60L50/70"],
            },
        }
    ],
}  # fmt: skip

CASES = (
    Case(
        "searchapi",
        "patents",
        ALL,
        [("/api/v1/search", GOOGLE)],
        [
            Patent(
                "Fuel cell stack",
                "EP1234567B1",
                "https://patents.google.com/patent/EP1234567B1/en",
                abstract="A stack of fuel cells …",
                assignee="Acme Corporation",
                inventor="Jane Doe",
                filed="2009-05-01",
                granted="2013-07-03",
                published="2013-07-03",
                pdf="https://patentimages.storage.googleapis.com/aa/EP1234567B1.pdf",
            )
        ],
        [("/api/v1/search", {"search_metadata": {}, "search_information": {"total_results": 0}})],
        settings={"searchapi_api_key": "k"},
    ),
    Case(
        "epo",
        "patents",
        ALL,
        [("/published-data/search/biblio", office(DOCUMENT))],
        [
            Patent(
                "Fuel cell",
                "EP1234567A1",
                "https://patents.google.com/patent/EP1234567A1/en",
                abstract="A fuel cell.",
                assignee="ACME",
                inventor="Doe, Jane",
                filed="2009-05-01",
                published="2010-11-03",
            )
        ],
        [("/published-data/search/biblio", office())],
        settings={"epo_key": "key", "epo_secret": "secret"},
    ),
    Case(
        "lens",
        "patents",
        ALL,
        [("/patent/search", LENS)],
        [
            Patent(
                "Fuel cell",
                "EP1234567A1",
                "https://patents.google.com/patent/EP1234567A1/en",
                abstract="A fuel cell.",
                assignee="ACME CORP",
                inventor="DOE JANE",
                filed="2009-05-01",
                granted="2013-07-03",
                published="2010-11-03",
                status="ACTIVE",
            )
        ],
        [("/patent/search", {"total": 0, "data": []})],
        settings={"lens_api_token": "t"},
    ),
    Case(
        "uspto",
        "patents",
        PatentQuery(
            "fuel cell", search_type="specific", assignee="Acme Corp.", inventor="Doe", cpc_code="H01M8", year_from=2008, year_to=2012,
            patent_office="US",
        ),
        [("/patent/applications/search", US)],
        [
            Patent(
                "FUEL CELL",
                "US8123456",
                "https://patents.google.com/patent/US8123456/en",
                assignee="Acme Corporation",
                inventor="Jane Doe",
                filed="2009-05-01",
                granted="2012-02-28",
                published="2010-05-20",
                status="Patented Case",
            )
        ],
        [("/patent/applications/search", {"count": 0, "patentFileWrapperDataBag": []})],
        settings={"uspto_api_key": "k"},
    ),
)  # fmt: skip
