"""Name the research tools and their arguments in words for readers, beside their wire names.

A tool or argument without a row here is named by its wire name; a test holds the tables complete.
"""

from __future__ import annotations

import re

from research_core.i18n import N_, _
from research_core.text.words import capitalize_first
from research_core.tools.groups import describe_tool
from research_core.tools.registry import Tool

#: The label and the purpose of each tool, by its wire name.
TOOLS = {
    "web_search": (N_("Web search"), N_("Titles, addresses and snippets.")),
    "scrape_page": (N_("Read page"), N_("The text of a web page or document.")),
    "search_and_scrape": (N_("Search and read"), N_("Search, then read the pages found.")),
    "news_search": (N_("News search"), N_("Recent articles by date and outlet.")),
    "image_search": (N_("Image search"), N_("Images with their pages and sizes.")),
    "local_search": (N_("Place search"), N_("Shops, services and other places.")),
    "academic_search": (N_("Paper search"), N_("Papers, citation counts and retractions.")),
    "citation_graph": (N_("Citation graph"), N_("Works a paper cites, and citing works.")),
    "econ_search": (N_("Economic data"), N_("FRED, World Bank, OECD and Eurostat.")),
    "filing_search": (N_("Company filings"), N_("SEC filings of US public companies.")),
    "clinical_search": (N_("Clinical trials"), N_("Studies on ClinicalTrials.gov.")),
    "legal_search": (N_("Court opinions"), N_("US federal and state courts.")),
    "patent_search": (N_("Patent search"), N_("Patents and applications worldwide.")),
    "answer": (N_("Quick answer"), N_("One answer with its sources.")),
    "structured_search": (N_("Structured search"), N_("Data fields from each result.")),
    "sequential_search": (N_("Research step"), N_("Record a step of longer research.")),
    "get_research_session": (N_("Session state"), N_("Steps, gaps and sources so far.")),
    "research_export": (N_("Session export"), N_("Markdown report or JSON.")),
    "format_bibliography": (N_("Format bibliography"), N_("Citation styles, BibTeX and RIS.")),
    "verify_citation": (N_("Check citation"), N_("Does it exist? Was it retracted?")),
    "audit_bibliography": (N_("Check bibliography"), N_("Check every reference of a list.")),
    "verify_recommendation": (N_("Check recommendations"), N_("Find lists that favour their own.")),
    "archive_source": (N_("Archive page"), N_("A public Internet Archive snapshot.")),
    "brand_research": (N_("Brand profile"), N_("Logos, colours, typefaces and voice.")),
    "memory_save": (N_("Save note"), N_("Keep a finding for later sessions.")),
    "memory_recall": (N_("Recall notes"), N_("Read your saved findings.")),
    "workspace_contribute": (N_("Share finding"), N_("Add a finding to a workspace.")),
    "workspace_read": (N_("Shared findings"), N_("Read a workspace's findings.")),
    "get_my_analytics": (N_("My usage"), N_("How often you used each tool.")),
}
#: The labels of arguments, by their wire names.
ARGUMENTS = {
    "assignee": N_("Assignee"),
    "bibliography": N_("Bibliography"),
    "branchFromStep": N_("Branch from step"),
    "branchId": N_("Branch ID"),
    "category": N_("Category"),
    "citation": N_("Citation"),
    "claim": N_("Claim"),
    "color_type": N_("Colour type"),
    "company_name": N_("Company name"),
    "condition": N_("Medical condition"),
    "confidence": N_("Confidence"),
    "country": N_("Country"),
    "cpc_code": N_("CPC code"),
    "date_from": N_("From date"),
    "date_to": N_("To date"),
    "deduplicate": N_("Remove duplicates"),
    "depth": N_("Depth"),
    "direction": N_("Direction"),
    "dominant_color": N_("Dominant colour"),
    "entries": N_("References"),
    "exact_terms": N_("Exact phrase"),
    "exclude_terms": N_("Exclude words"),
    "facts": N_("Facts"),
    "file_type": N_("File type"),
    "filter_by_query": N_("Filter by query"),
    "form_type": N_("Form type"),
    "format": N_("Format"),
    "frequency": N_("Frequency"),
    "include_design_tokens": N_("Include design tokens"),
    "include_sources": N_("Include sources"),
    "influential_only": N_("Influential only"),
    "intervention": N_("Intervention"),
    "inventor": N_("Inventor"),
    "isRevision": N_("Is a revision"),
    "jurisdiction": N_("Jurisdiction"),
    "knowledgeGap": N_("Knowledge gap"),
    "language": N_("Language"),
    "latitude": N_("Latitude"),
    "lens": N_("Group of sites"),
    "limit": N_("Limit"),
    "longitude": N_("Longitude"),
    "max_length": N_("Maximum length"),
    "max_length_per_source": N_("Maximum per source"),
    "mode": N_("Mode"),
    "near": N_("Near"),
    "news_source": N_("News source"),
    "nextStepNeeded": N_("Next step needed"),
    "note": N_("Note"),
    "numCorroborationResults": N_("Results per check"),
    "num_results": N_("Number of results"),
    "open_access": N_("Open access only"),
    "paper": N_("Paper"),
    "patent_office": N_("Patent office"),
    "pdf_only": N_("PDF only"),
    "provider": N_("Provider"),
    "query": N_("Query"),
    "radius": N_("Radius"),
    "reasoning": N_("Reasoning"),
    "recommendations": N_("Recommendations"),
    "rejectedApproaches": N_("Rejected approaches"),
    "researchGoal": N_("Research goal"),
    "responseMode": N_("Response mode"),
    "revisesStep": N_("Revises step"),
    "safe": N_("Safe search"),
    "schema": N_("Schema"),
    "searchStep": N_("Search step"),
    "search_type": N_("Search type"),
    "series_id": N_("Series ID"),
    "sessionId": N_("Session ID"),
    "sessionSummary": N_("Session summary"),
    "site": N_("Site"),
    "size": N_("Size"),
    "sort_by": N_("Sort by"),
    "source": N_("Source"),
    "sources": N_("Sources"),
    "sponsor": N_("Sponsor"),
    "status": N_("Status"),
    "stepId": N_("Step ID"),
    "stepNumber": N_("Step number"),
    "style": N_("Style"),
    "tags": N_("Tags"),
    "ticker": N_("Ticker"),
    "time_range": N_("Time range"),
    "topic": N_("Topic"),
    "totalStepsEstimate": N_("Estimated steps"),
    "total_max_length": N_("Maximum total length"),
    "type": N_("Type"),
    "units": N_("Units"),
    "url": N_("Address"),
    "verify_links": N_("Check links"),
    "workspace_id": N_("Workspace ID"),
    "year_from": N_("From year"),
    "year_to": N_("To year"),
}


def get_tool_label(row: Tool) -> str:
    """Return a tool's label: "Web search" for `web_search`."""
    if row.name in TOOLS:
        return _(TOOLS[row.name][0])
    return capitalize_name(row.name)


def get_tool_purpose(row: Tool) -> str:
    """Return a tool's purpose in a few words, or else the first sentence of its description."""
    if row.name in TOOLS:
        return _(TOOLS[row.name][1])
    return describe_tool(row, compact=True)[0]


def get_argument_label(name: str) -> str:
    """Return an argument's label: "Number of results" for `num_results`."""
    if name in ARGUMENTS:
        return _(ARGUMENTS[name])
    return capitalize_name(name)


def split_name(name: str) -> str:
    """Return `citationCount` and `citation_count` as “citation count”."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", str(name)).replace("_", " ").strip().lower()


def capitalize_name(name: str) -> str:
    """Return `citationCount` as “Citation count”."""
    return capitalize_first(split_name(name))
