"""What each tool answers, as JSON Schemas: made of the records the tools put on the wire, so that
the two cannot differ.

A field that is not required may be left out; what is published allows more than it names, so that a
later version may add to it.
"""

from __future__ import annotations

from collections.abc import Mapping

from research_core.citations.formats.styles import STYLES
from research_core.model_messages import Json
from research_core.search import records
from research_core.tools.shapes import (
    NUMBER,
    OBJECT,
    SWITCH,
    TEXT,
    WHOLE,
    choice_of,
    list_of,
    object_of,
    schema_of_record,
)

TRUST = choice_of("untrusted-external-content")
IGNORED = list_of(TEXT)
#: The fields of every search answer. notes: sentences on what was not looked at or unavailable.
FRAME = {
    "query": TEXT,
    "resultCount": WHOLE,
    "trust": TRUST,
    "hints": OBJECT,
    "ignoredParameters": IGNORED,
    "notes": list_of(TEXT),
}
REPUTATION = {
    **object_of(tier=choice_of("high", "low", "mixed"), note=TEXT, basis=TEXT),
    "description": (
        "What a table of assessed hosts says of this very host, and on what basis; apart from"
        " authorityTier, and absent where the table has nothing."
    ),
}
CLASSES = {
    "sourceType": choice_of(
        "peer_reviewed",
        "official_docs",
        "government",
        "news_publication",
        "blog",
        "forum",
        "wiki",
        "social_media",
        "unknown",
    ),
    "authorityTier": {
        **choice_of("high", "medium", "low"),
        "description": (
            "How much weight a host has by its kind (a government, a journal, a forum …); medium"
            " where its kind is not known."
        ),
    },
    "domainCategory": choice_of(
        "academic", "legal", "medical", "financial", "technical", "general"
    ),
}
_REMARKS = list_of(object_of(where=TEXT, words=TEXT, order=TEXT))
#: Hidden texts of a page, and texts that address machines, cleaned and cut.
REMARKS = {
    "hiddenTexts": object_of(total=WHOLE, unusual=SWITCH, counts=OBJECT, samples=_REMARKS),
    "speaksToMachines": object_of(total=WHOLE, samples=_REMARKS),
}
SIZES = {"estimatedTokens": WHOLE, "sizeCategory": TEXT}
PAPERS = list_of(schema_of_record(records.Paper))
PAGE = object_of(
    url=TEXT,
    content=TEXT,
    contentType=TEXT,
    trust=TRUST,
    contentLength=WHOLE,
    truncated=SWITCH,
    **SIZES,
    **CLASSES,
    citation=object_of(
        url=TEXT,
        accessedDate=TEXT,
        metadata=object_of(title=TEXT, author=TEXT, site=TEXT, date=TEXT),
        formatted=object_of(apa=TEXT, mla=TEXT, bibtex=TEXT),
    ),
    extractionQuality=choice_of("complete", "partial"),
    extractedBy=TEXT,
    metadata=object_of(title=TEXT, author=TEXT),
    structuredData=object_of(citation=OBJECT, jsonLd={"type": "array"}, openGraph=OBJECT),
    forumSignals=object_of(
        platform=TEXT,
        upvotes=WHOLE,
        comments=WHOLE,
        authorName=TEXT,
        datePublished=TEXT,
        credibilityNote=TEXT,
    ),
    detectedDoi=TEXT,
    retractionStatus=object_of(
        retracted=SWITCH, kind=TEXT, date=TEXT, noticeDoi=TEXT, source=TEXT, reason=TEXT
    ),
    sourceReputation=REPUTATION,
    raw=SWITCH,
    notes=list_of(TEXT),
    **REMARKS,
)
READ = object_of(
    query=TEXT,
    status=TEXT,
    combinedContent=TEXT,
    trust=TRUST,
    note=TEXT,
    sources=list_of(
        object_of(
            url=TEXT,
            title=TEXT,
            content=TEXT,
            contentType=TEXT,
            trust=TRUST,
            duplicateOf=TEXT,
            claimSignal=TEXT,
            keySentences=list_of(TEXT),
            scores=object_of(
                relevance=NUMBER,
                freshness=NUMBER,
                authority=NUMBER,
                contentQuality=NUMBER,
                overall=NUMBER,
            ),
            sourceReputation=REPUTATION,
            **CLASSES,
            **REMARKS,
        )
    ),
    speaksToMachines=REMARKS["speaksToMachines"],
    summary=object_of(
        urlsSearched=WHOLE, urlsScraped=WHOLE, urlsFailed=WHOLE, processingTimeMs=WHOLE
    ),
    sizeMetadata=object_of(totalLength=WHOLE, **SIZES),
    scrapeFailures=list_of(
        object_of(url=TEXT, kind=TEXT, reason=TEXT, retryable=SWITCH, suggestedAction=TEXT)
    ),
    recommendations=list_of(object_of(url=TEXT, title=TEXT, score=NUMBER, reason=TEXT)),
    components=list_of(
        object_of(
            type=TEXT,
            title=TEXT,
            label=TEXT,
            autoFormatted=SWITCH,
            sourceRefs=list_of(TEXT),
            card=OBJECT,
            table=OBJECT,
        )
    ),
)
_LOGO = object_of(url=TEXT, format=TEXT, width=WHOLE, height=WHOLE)
_FACE = object_of(family=TEXT, weights=list_of(WHOLE), origin=TEXT, origin_id=TEXT)
_COLOUR_NAMES = (
    "primary",
    "secondary",
    "accent",
    "background",
    "text",
    "surface",
    "text_secondary",
)
_COLOUR = object_of(
    hex=TEXT, name=TEXT, role=TEXT, brightness=WHOLE, rgb=TEXT, cmyk=TEXT, pantone=TEXT
)
BRAND = object_of(
    identity=object_of(
        name=TEXT,
        domain=TEXT,
        tagline=TEXT,
        description=TEXT,
        industry=TEXT,
        founded=WHOLE,
        location=object_of(city=TEXT, country_code=TEXT),
    ),
    colors=object_of(**dict.fromkeys(_COLOUR_NAMES, TEXT), palette=list_of(_COLOUR)),
    logos=object_of(primary=_LOGO, dark=_LOGO, icon=_LOGO, favicon=TEXT, og_image=TEXT),
    typography=object_of(
        heading=_FACE,
        body=_FACE,
        mono=_FACE,
        google_fonts_url=TEXT,
        scale=list_of(object_of(level=TEXT, font_size=TEXT, line_height=TEXT, weight=WHOLE)),
    ),
    tone_of_voice=object_of(
        summary=TEXT,
        attributes=list_of(TEXT),
        dos_and_donts=object_of(dos=list_of(TEXT), donts=list_of(TEXT)),
    ),
    social=object_of(
        **dict.fromkeys(("twitter", "linkedin", "github", "youtube", "facebook", "instagram"), TEXT)
    ),
    sources=list_of(object_of(name=TEXT, url=TEXT, fields=list_of(TEXT))),
    guidelines_url=TEXT,
    brand_portal_resource=TEXT,
    suggestion=TEXT,
    design_tokens=OBJECT,
    coverage=object_of(colors=TEXT, logos=TEXT, typography=TEXT, tone_of_voice=TEXT),
    cache_age=WHOLE,
    notes=list_of(TEXT),
    trust=TRUST,
)
ARCHIVED = object_of(
    requestedUrl=TEXT, snapshotUrl=TEXT, archivedAt=TEXT, captured=SWITCH, httpStatus=WHOLE,
    reason=TEXT, pollUrl=TEXT, source=TEXT,
    status=choice_of("archived", "existing", "pending", "unavailable"), provenance=list_of(TEXT),
    trust=TRUST,
)  # fmt: skip

#: A step of a client's session, and the common fields of the session tools.
STEP = object_of(
    stepNumber=WHOLE, description=TEXT, timestamp=TEXT, reasoning=TEXT, confidence=TEXT,
    rejectedApproaches=list_of(TEXT),
    isRevision=SWITCH, revisesStep=WHOLE, branchId=TEXT,
)  # fmt: skip
LINE = object_of(stepNumber=WHOLE, oneLiner=TEXT, branchId=TEXT, confidence=TEXT)
STEPPED = {
    "sessionId": TEXT, "researchGoal": TEXT, "startedAt": TEXT, "summary": TEXT,
    "stepIndex": list_of(LINE), "lastSteps": list_of(STEP),
    "gaps": list_of(object_of(description=TEXT, foundInStep=WHOLE)),
    "sources": list_of(object_of(url=TEXT, title=TEXT, relevance=TEXT, foundInStep=WHOLE)),
    "trust": TRUST,
}  # fmt: skip
CONFLICT = object_of(
    detected=SWITCH, conflictType=choice_of("employment", "funded_by", "owns_equity"),
    confidence=choice_of("high", "medium", "low"),
    authorAffiliation=TEXT, citedEntityName=TEXT, evidence=TEXT,
)  # fmt: skip
CLAIMED = {
    "claim": TEXT,
    "claimSupport": choice_of(
        "addressed", "partially_addressed", "not_addressed", "source_unavailable"
    ),
    "claimEvidence": list_of(TEXT),
    "claimSourceUrl": TEXT,
    "contrastSignal": SWITCH,
}
VERIFIED = {
    "exists": SWITCH, "retractionStatus": OBJECT, "httpStatus": WHOLE, "archivedUrl": TEXT,
    "reason": TEXT,
    "titleMatch": choice_of("match", "mismatch", "not_checked"), "trust": TRUST,
}  # fmt: skip
SCHEMAS: Mapping[str, Json] = {
    "web_search": object_of(
        **FRAME,
        urls=list_of(TEXT),
        results=list_of(
            object_of(
                title=TEXT,
                url=TEXT,
                snippet=TEXT,
                displayLink=TEXT,
                publishedAt=TEXT,
                claimSignal=TEXT,
                sourceReputation=REPUTATION,
            )
        ),
    ),
    "news_search": object_of(**FRAME, articles=list_of(schema_of_record(records.Article))),
    "image_search": object_of(**FRAME, images=list_of(schema_of_record(records.Image))),
    "local_search": object_of(
        **FRAME, places=list_of(schema_of_record(records.Place)), provider=TEXT
    ),
    "academic_search": object_of(**FRAME, papers=PAPERS, totalResults=WHOLE, source=TEXT),
    "citation_graph": object_of(
        **FRAME,
        seed=TEXT,
        seedTitle=TEXT,
        direction=TEXT,
        provider=TEXT,
        citedBy=PAPERS,
        citedByCount=WHOLE,
        citedByTotal=WHOLE,
        references=PAPERS,
        referencesCount=WHOLE,
        referencesTotal=WHOLE,
    ),
    "patent_search": object_of(
        **FRAME,
        patents=list_of(schema_of_record(records.Patent)),
        searchType=TEXT,
        searchUrl=TEXT,
        source=TEXT,
    ),
    "filing_search": object_of(
        **FRAME, filings=list_of(schema_of_record(records.Filing)), provider=TEXT
    ),
    "legal_search": object_of(
        **FRAME, cases=list_of(schema_of_record(records.Case)), provider=TEXT
    ),
    "econ_search": object_of(
        **FRAME,
        mode=TEXT,
        title=TEXT,
        seriesId=TEXT,
        country=TEXT,
        provider=TEXT,
        results=list_of(
            object_of(
                **{
                    **schema_of_record(records.Series)["properties"],
                    **schema_of_record(records.Observation)["properties"],
                }
            )
        ),
    ),
    "clinical_search": object_of(
        **FRAME, trials=list_of(schema_of_record(records.Trial)), provider=TEXT
    ),
    "answer": object_of(
        answer=TEXT,
        citations=list_of(schema_of_record(records.CitedPage)),
        provider=TEXT,
        costUsd=NUMBER,
        trust=TRUST,
        hints=OBJECT,
    ),
    "structured_search": object_of(
        **FRAME,
        category=TEXT,
        costUsd=NUMBER,
        provider=TEXT,
        results=list_of(
            schema_of_record(
                records.ExtractedResult, without=("cost_usd",), entities={"type": "array"}
            )
        ),
    ),
    "research_export": object_of(
        sessionId=TEXT,
        format=TEXT,
        researchGoal=TEXT,
        stepCount=WHOLE,
        sourceCount=WHOLE,
        startedAt=TEXT,
        exportedAt=TEXT,
        tenantId=TEXT,
        document={},
        trust=TRUST,
    ),
    "format_bibliography": object_of(
        style=choice_of(*STYLES),
        entryCount=WHOLE,
        bibliography=TEXT,
        sessionId=TEXT,
        notes=list_of(TEXT),
        trust=TRUST,
    ),
    "sequential_search": object_of(
        **STEPPED,
        responseMode=TEXT,
        currentStep=WHOLE,
        totalStepsEstimate=WHOLE,
        isComplete=SWITCH,
        completedAt=TEXT,
        warning=TEXT,
        steps=list_of(LINE),
        depth=TEXT,
        coverage=object_of(
            sourceCount=WHOLE,
            uniqueDomains=WHOLE,
            domainSpread=NUMBER,
            dominantDomain=TEXT,
            sourceTypes=OBJECT,
            gaps=list_of(TEXT),
        ),
        refinementQueries=list_of(TEXT),
        refinementResults=list_of(
            object_of(
                query=TEXT,
                error=TEXT,
                resultCount=WHOLE,
                results=list_of(object_of(title=TEXT, url=TEXT, snippet=TEXT)),
            )
        ),
        refinementNote=TEXT,
        notes=list_of(TEXT),
    ),
    "get_research_session": object_of(
        **STEPPED,
        responseMode=TEXT,
        stepCount=WHOLE,
        step=STEP,
        errorPatterns=list_of(
            object_of(
                kind=TEXT, count=WHOLE, affectedUrls=list_of(TEXT), suggestion=TEXT, lastSeen=TEXT
            )
        ),
        providerStats=OBJECT,
    ),
    "archive_source": ARCHIVED,
    "memory_save": object_of(status=TEXT, reason=TEXT, id=TEXT, createdAt=TEXT),
    "memory_recall": object_of(
        status=TEXT,
        reason=TEXT,
        count=WHOLE,
        trust=choice_of("user-asserted-content"),
        memories=list_of(
            object_of(
                id=TEXT,
                tenantId=TEXT,
                userId=TEXT,
                topic=TEXT,
                note=TEXT,
                url=TEXT,
                tags=list_of(TEXT),
                createdAt=TEXT,
            )
        ),
    ),
    "workspace_contribute": object_of(status=TEXT, reason=TEXT, id=TEXT),
    "workspace_read": object_of(
        status=TEXT,
        reason=TEXT,
        count=WHOLE,
        trust=TRUST,
        contributions=list_of(
            object_of(
                id=TEXT,
                workspaceId=TEXT,
                contributorTenant=TEXT,
                contributorUser=TEXT,
                note=TEXT,
                url=TEXT,
                tags=list_of(TEXT),
                createdAt=TEXT,
            )
        ),
    ),
    "get_my_analytics": object_of(
        status=TEXT,
        reason=TEXT,
        analytics=object_of(
            tenantId=TEXT,
            userId=TEXT,
            totalCalls=WHOLE,
            toolCounts=OBJECT,
            firstSeen=TEXT,
            lastSeen=TEXT,
            recentTools=list_of(TEXT),
        ),
    ),
    "verify_citation": object_of(
        **VERIFIED,
        **CLAIMED,
        input=TEXT,
        inputType=choice_of("doi", "url", "reference"),
        verificationStatus=choice_of(
            "confirmed", "retracted", "uncertain", "not_found", "unchecked"
        ),
        matchedRecord=OBJECT,
        possibleMatch=OBJECT,
        matchConfidence=choice_of("high", "medium", "low", "none"),
        detectedDoi=TEXT,
        cases=list_of(schema_of_record(records.Case)),
        conflictOfInterest=CONFLICT,
        provenance=list_of(TEXT),
    ),
    "audit_bibliography": object_of(
        source=TEXT,
        entryCount=WHOLE,
        summary=object_of(
            **dict.fromkeys(
                (
                    "total",
                    "retracted",
                    "deadLink",
                    "notFound",
                    "unchecked",
                    "mischaracterized",
                    "titleMismatch",
                    "ok",
                ),
                WHOLE,
            )
        ),
        entries=list_of(
            object_of(
                **{name: each for name, each in VERIFIED.items() if name != "trust"},
                **CLAIMED,
                index=WHOLE,
                title=TEXT,
                recordTitle=TEXT,
                doi=TEXT,
                url=TEXT,
                linkLive=SWITCH,
                flags=list_of(
                    choice_of(
                        "retracted", "dead_link", "not_found", "unchecked", "mischaracterized"
                    )
                ),
            )
        ),
        checkedAt=TEXT,
        skipped=WHOLE,
        skippedNote=TEXT,
        notes=list_of(TEXT),
        trust=TRUST,
    ),
    "verify_recommendation": object_of(
        itemCount=WHOLE,
        recommendations=list_of(
            object_of(
                title=TEXT,
                url=TEXT,
                author=TEXT,
                selfPromotionSignal=object_of(
                    detected=SWITCH, domainToken=TEXT, rankedFirst=TEXT, evidence=TEXT
                ),
                conflictOfInterest=CONFLICT,
                domainReputation=REPUTATION,
                linkLive=SWITCH,
                httpStatus=WHOLE,
                corroborationSearches=list_of(
                    object_of(
                        query=TEXT,
                        lens=TEXT,
                        resultCount=WHOLE,
                        agreeCount=WHOLE,
                        disagreeCount=WHOLE,
                        silentCount=WHOLE,
                        topResults=list_of(
                            object_of(
                                title=TEXT,
                                url=TEXT,
                                snippet=TEXT,
                                stance=choice_of("agree", "disagree", "silent"),
                            )
                        ),
                    )
                ),
                flags=list_of(
                    choice_of(
                        "self_promotion",
                        "conflict_of_interest",
                        "dead_link",
                        "unknown_reputation",
                        "low_reputation",
                    )
                ),
                reasons=list_of(TEXT),
            )
        ),
        aggregateFlags=list_of(choice_of("no_independent_corroboration")),
        notes=list_of(TEXT),
        trust=TRUST,
    ),
    "scrape_page": PAGE,
    "search_and_scrape": READ,
    "brand_research": BRAND,
}
