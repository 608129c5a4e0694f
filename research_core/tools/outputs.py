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
    choice,
    listed,
    of_record,
    shape,
)

TRUST = choice("untrusted-external-content")
IGNORED = listed(TEXT)
#: In every answer of a search. notes: what was not looked at, or could not be had, as sentences.
FRAME = {
    "query": TEXT,
    "resultCount": WHOLE,
    "trust": TRUST,
    "hints": OBJECT,
    "ignoredParameters": IGNORED,
    "notes": listed(TEXT),
}
REPUTATION = {
    **shape(tier=choice("high", "low", "mixed"), note=TEXT, basis=TEXT),
    "description": (
        "What a table of assessed hosts says of this very host, and on what basis; apart from"
        " authorityTier, and absent where the table has nothing."
    ),
}
CLASSES = {
    "sourceType": choice(
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
        **choice("high", "medium", "low"),
        "description": (
            "How much weight a host has by its kind (a government, a journal, a forum …); medium"
            " where its kind is not known."
        ),
    },
    "domainCategory": choice("academic", "legal", "medical", "financial", "technical", "general"),
}
_REMARKS = listed(shape(where=TEXT, words=TEXT, order=TEXT))
#: What a page hides from its readers, and where it speaks to machines; words of others, cleaned and
#: cut.
REMARKS = {
    "hiddenTexts": shape(total=WHOLE, unusual=SWITCH, counts=OBJECT, samples=_REMARKS),
    "speaksToMachines": shape(total=WHOLE, samples=_REMARKS),
}
SIZES = {"estimatedTokens": WHOLE, "sizeCategory": TEXT}
PAPERS = listed(of_record(records.Paper))
PAGE = shape(
    url=TEXT,
    content=TEXT,
    contentType=TEXT,
    trust=TRUST,
    contentLength=WHOLE,
    truncated=SWITCH,
    **SIZES,
    **CLASSES,
    citation=shape(
        url=TEXT,
        accessedDate=TEXT,
        metadata=shape(title=TEXT, author=TEXT, site=TEXT, date=TEXT),
        formatted=shape(apa=TEXT, mla=TEXT, bibtex=TEXT),
    ),
    extractionQuality=choice("complete", "partial"),
    extractedBy=TEXT,
    metadata=shape(title=TEXT, author=TEXT),
    structuredData=shape(citation=OBJECT, jsonLd={"type": "array"}, openGraph=OBJECT),
    forumSignals=shape(
        platform=TEXT,
        upvotes=WHOLE,
        comments=WHOLE,
        authorName=TEXT,
        datePublished=TEXT,
        credibilityNote=TEXT,
    ),
    detectedDoi=TEXT,
    retractionStatus=shape(
        retracted=SWITCH, kind=TEXT, date=TEXT, noticeDoi=TEXT, source=TEXT, reason=TEXT
    ),
    sourceReputation=REPUTATION,
    raw=SWITCH,
    notes=listed(TEXT),
    **REMARKS,
)
READ = shape(
    query=TEXT,
    status=TEXT,
    combinedContent=TEXT,
    trust=TRUST,
    note=TEXT,
    sources=listed(
        shape(
            url=TEXT,
            title=TEXT,
            content=TEXT,
            contentType=TEXT,
            trust=TRUST,
            duplicateOf=TEXT,
            claimSignal=TEXT,
            keySentences=listed(TEXT),
            scores=shape(
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
    summary=shape(urlsSearched=WHOLE, urlsScraped=WHOLE, urlsFailed=WHOLE, processingTimeMs=WHOLE),
    sizeMetadata=shape(totalLength=WHOLE, **SIZES),
    scrapeFailures=listed(
        shape(url=TEXT, kind=TEXT, reason=TEXT, retryable=SWITCH, suggestedAction=TEXT)
    ),
    recommendations=listed(shape(url=TEXT, title=TEXT, score=NUMBER, reason=TEXT)),
    components=listed(
        shape(
            type=TEXT,
            title=TEXT,
            label=TEXT,
            autoFormatted=SWITCH,
            sourceRefs=listed(TEXT),
            card=OBJECT,
            table=OBJECT,
        )
    ),
)
_LOGO = shape(url=TEXT, format=TEXT, width=WHOLE, height=WHOLE)
_FACE = shape(family=TEXT, weights=listed(WHOLE), origin=TEXT, origin_id=TEXT)
_COLOUR_NAMES = (
    "primary",
    "secondary",
    "accent",
    "background",
    "text",
    "surface",
    "text_secondary",
)
_COLOUR = shape(hex=TEXT, name=TEXT, role=TEXT, brightness=WHOLE, rgb=TEXT, cmyk=TEXT, pantone=TEXT)
BRAND = shape(
    identity=shape(
        name=TEXT,
        domain=TEXT,
        tagline=TEXT,
        description=TEXT,
        industry=TEXT,
        founded=WHOLE,
        location=shape(city=TEXT, country_code=TEXT),
    ),
    colors=shape(**dict.fromkeys(_COLOUR_NAMES, TEXT), palette=listed(_COLOUR)),
    logos=shape(primary=_LOGO, dark=_LOGO, icon=_LOGO, favicon=TEXT, og_image=TEXT),
    typography=shape(
        heading=_FACE,
        body=_FACE,
        mono=_FACE,
        google_fonts_url=TEXT,
        scale=listed(shape(level=TEXT, font_size=TEXT, line_height=TEXT, weight=WHOLE)),
    ),
    tone_of_voice=shape(
        summary=TEXT,
        attributes=listed(TEXT),
        dos_and_donts=shape(dos=listed(TEXT), donts=listed(TEXT)),
    ),
    social=shape(
        **dict.fromkeys(("twitter", "linkedin", "github", "youtube", "facebook", "instagram"), TEXT)
    ),
    sources=listed(shape(name=TEXT, url=TEXT, fields=listed(TEXT))),
    guidelines_url=TEXT,
    brand_portal_resource=TEXT,
    suggestion=TEXT,
    design_tokens=OBJECT,
    coverage=shape(colors=TEXT, logos=TEXT, typography=TEXT, tone_of_voice=TEXT),
    cache_age=WHOLE,
    notes=listed(TEXT),
    trust=TRUST,
)
ARCHIVED = shape(
    requestedUrl=TEXT, snapshotUrl=TEXT, archivedAt=TEXT, captured=SWITCH, httpStatus=WHOLE,
    reason=TEXT, pollUrl=TEXT, source=TEXT,
    status=choice("archived", "existing", "pending", "unavailable"), provenance=listed(TEXT),
    trust=TRUST,
)  # fmt: skip

#: A step of a session that a client leads, and what the tools of one tell of it.
STEP = shape(
    stepNumber=WHOLE, description=TEXT, timestamp=TEXT, reasoning=TEXT, confidence=TEXT,
    rejectedApproaches=listed(TEXT),
    isRevision=SWITCH, revisesStep=WHOLE, branchId=TEXT,
)  # fmt: skip
LINE = shape(stepNumber=WHOLE, oneLiner=TEXT, branchId=TEXT, confidence=TEXT)
STEPPED = {
    "sessionId": TEXT, "researchGoal": TEXT, "startedAt": TEXT, "summary": TEXT,
    "stepIndex": listed(LINE), "lastSteps": listed(STEP),
    "gaps": listed(shape(description=TEXT, foundInStep=WHOLE)),
    "sources": listed(shape(url=TEXT, title=TEXT, relevance=TEXT, foundInStep=WHOLE)),
    "trust": TRUST,
}  # fmt: skip
CONFLICT = shape(
    detected=SWITCH, conflictType=choice("employment", "funded_by", "owns_equity"),
    confidence=choice("high", "medium", "low"),
    authorAffiliation=TEXT, citedEntityName=TEXT, evidence=TEXT,
)  # fmt: skip
CLAIMED = {
    "claim": TEXT,
    "claimSupport": choice(
        "addressed", "partially_addressed", "not_addressed", "source_unavailable"
    ),
    "claimEvidence": listed(TEXT),
    "claimSourceUrl": TEXT,
    "contrastSignal": SWITCH,
}
VERIFIED = {
    "exists": SWITCH, "retractionStatus": OBJECT, "httpStatus": WHOLE, "archivedUrl": TEXT,
    "reason": TEXT,
    "titleMatch": choice("match", "mismatch", "not_checked"), "trust": TRUST,
}  # fmt: skip
SCHEMAS: Mapping[str, Json] = {
    "web_search": shape(
        **FRAME,
        urls=listed(TEXT),
        results=listed(
            shape(
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
    "news_search": shape(**FRAME, articles=listed(of_record(records.Article))),
    "image_search": shape(**FRAME, images=listed(of_record(records.Image))),
    "local_search": shape(**FRAME, places=listed(of_record(records.Place)), provider=TEXT),
    "academic_search": shape(**FRAME, papers=PAPERS, totalResults=WHOLE, source=TEXT),
    "citation_graph": shape(
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
    "patent_search": shape(
        **FRAME,
        patents=listed(of_record(records.Patent)),
        searchType=TEXT,
        searchUrl=TEXT,
        source=TEXT,
    ),
    "filing_search": shape(**FRAME, filings=listed(of_record(records.Filing)), provider=TEXT),
    "legal_search": shape(**FRAME, cases=listed(of_record(records.Case)), provider=TEXT),
    "econ_search": shape(
        **FRAME,
        mode=TEXT,
        title=TEXT,
        seriesId=TEXT,
        country=TEXT,
        provider=TEXT,
        results=listed(
            shape(
                **{
                    **of_record(records.Series)["properties"],
                    **of_record(records.Observation)["properties"],
                }
            )
        ),
    ),
    "clinical_search": shape(**FRAME, trials=listed(of_record(records.Trial)), provider=TEXT),
    "answer": shape(
        answer=TEXT,
        citations=listed(of_record(records.Cited)),
        provider=TEXT,
        costUsd=NUMBER,
        trust=TRUST,
        hints=OBJECT,
    ),
    "structured_search": shape(
        **FRAME,
        category=TEXT,
        costUsd=NUMBER,
        provider=TEXT,
        results=listed(
            of_record(records.Extracted, without=("cost_usd",), entities={"type": "array"})
        ),
    ),
    "research_export": shape(
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
    "format_bibliography": shape(
        style=choice(*STYLES),
        entryCount=WHOLE,
        bibliography=TEXT,
        sessionId=TEXT,
        notes=listed(TEXT),
        trust=TRUST,
    ),
    "sequential_search": shape(
        **STEPPED,
        responseMode=TEXT,
        currentStep=WHOLE,
        totalStepsEstimate=WHOLE,
        isComplete=SWITCH,
        completedAt=TEXT,
        warning=TEXT,
        steps=listed(LINE),
        depth=TEXT,
        coverage=shape(
            sourceCount=WHOLE,
            uniqueDomains=WHOLE,
            domainSpread=NUMBER,
            dominantDomain=TEXT,
            sourceTypes=OBJECT,
            gaps=listed(TEXT),
        ),
        refinementQueries=listed(TEXT),
        refinementResults=listed(
            shape(
                query=TEXT,
                error=TEXT,
                resultCount=WHOLE,
                results=listed(shape(title=TEXT, url=TEXT, snippet=TEXT)),
            )
        ),
        refinementNote=TEXT,
        notes=listed(TEXT),
    ),
    "get_research_session": shape(
        **STEPPED,
        responseMode=TEXT,
        stepCount=WHOLE,
        step=STEP,
        errorPatterns=listed(
            shape(kind=TEXT, count=WHOLE, affectedUrls=listed(TEXT), suggestion=TEXT, lastSeen=TEXT)
        ),
        providerStats=OBJECT,
    ),
    "archive_source": ARCHIVED,
    "memory_save": shape(status=TEXT, reason=TEXT, id=TEXT, createdAt=TEXT),
    "memory_recall": shape(
        status=TEXT,
        reason=TEXT,
        count=WHOLE,
        trust=choice("user-asserted-content"),
        memories=listed(
            shape(
                id=TEXT,
                tenantId=TEXT,
                userId=TEXT,
                topic=TEXT,
                note=TEXT,
                url=TEXT,
                tags=listed(TEXT),
                createdAt=TEXT,
            )
        ),
    ),
    "workspace_contribute": shape(status=TEXT, reason=TEXT, id=TEXT),
    "workspace_read": shape(
        status=TEXT,
        reason=TEXT,
        count=WHOLE,
        trust=TRUST,
        contributions=listed(
            shape(
                id=TEXT,
                workspaceId=TEXT,
                contributorTenant=TEXT,
                contributorUser=TEXT,
                note=TEXT,
                url=TEXT,
                tags=listed(TEXT),
                createdAt=TEXT,
            )
        ),
    ),
    "get_my_analytics": shape(
        status=TEXT,
        reason=TEXT,
        analytics=shape(
            tenantId=TEXT,
            userId=TEXT,
            totalCalls=WHOLE,
            toolCounts=OBJECT,
            firstSeen=TEXT,
            lastSeen=TEXT,
            recentTools=listed(TEXT),
        ),
    ),
    "verify_citation": shape(
        **VERIFIED,
        **CLAIMED,
        input=TEXT,
        inputType=choice("doi", "url", "reference"),
        verificationStatus=choice("confirmed", "retracted", "uncertain", "not_found", "unchecked"),
        matchedRecord=OBJECT,
        possibleMatch=OBJECT,
        matchConfidence=choice("high", "medium", "low", "none"),
        detectedDoi=TEXT,
        cases=listed(of_record(records.Case)),
        conflictOfInterest=CONFLICT,
        provenance=listed(TEXT),
    ),
    "audit_bibliography": shape(
        source=TEXT,
        entryCount=WHOLE,
        summary=shape(
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
        entries=listed(
            shape(
                **{name: each for name, each in VERIFIED.items() if name != "trust"},
                **CLAIMED,
                index=WHOLE,
                title=TEXT,
                recordTitle=TEXT,
                doi=TEXT,
                url=TEXT,
                linkLive=SWITCH,
                flags=listed(
                    choice("retracted", "dead_link", "not_found", "unchecked", "mischaracterized")
                ),
            )
        ),
        checkedAt=TEXT,
        skipped=WHOLE,
        skippedNote=TEXT,
        notes=listed(TEXT),
        trust=TRUST,
    ),
    "verify_recommendation": shape(
        itemCount=WHOLE,
        recommendations=listed(
            shape(
                title=TEXT,
                url=TEXT,
                author=TEXT,
                selfPromotionSignal=shape(
                    detected=SWITCH, domainToken=TEXT, rankedFirst=TEXT, evidence=TEXT
                ),
                conflictOfInterest=CONFLICT,
                domainReputation=REPUTATION,
                linkLive=SWITCH,
                httpStatus=WHOLE,
                corroborationSearches=listed(
                    shape(
                        query=TEXT,
                        lens=TEXT,
                        resultCount=WHOLE,
                        agreeCount=WHOLE,
                        disagreeCount=WHOLE,
                        silentCount=WHOLE,
                        topResults=listed(
                            shape(
                                title=TEXT,
                                url=TEXT,
                                snippet=TEXT,
                                stance=choice("agree", "disagree", "silent"),
                            )
                        ),
                    )
                ),
                flags=listed(
                    choice(
                        "self_promotion",
                        "conflict_of_interest",
                        "dead_link",
                        "unknown_reputation",
                        "low_reputation",
                    )
                ),
                reasons=listed(TEXT),
            )
        ),
        aggregateFlags=listed(choice("no_independent_corroboration")),
        notes=listed(TEXT),
        trust=TRUST,
    ),
    "scrape_page": PAGE,
    "search_and_scrape": READ,
    "brand_research": BRAND,
}
