"""Define the frozen values that flow between steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple

from research_core.errors import FetchError, SearchError
from research_core.i18n import (
    N_,
    SOURCE_LANGUAGE,
    _,
    end_with_stop,
    join_list,
    join_sentences,
    ngettext,
)
from research_core.model_messages import Json

#: Results of the first check of a cited sentence. "could not check" is a failure of the check,
#: never of the sentence.
#: "not decided" is shown in the check of a given report only; stored texts do not have it.
SentenceState = Literal[
    "supported", "partly", "not found", "contradicted", "not decided", "could not check", "uncited"
]
#: How a cited sentence bears on the question; "" if it was not rated.
SentenceRelevance = Literal["", "answers", "on topic", "off topic"]
Decision = Literal["full_report", "short_report", "insufficient_data"]


class StateSign(NamedTuple):
    """How a state is shown. word: marked by N_; tone: green, orange, red, blue or gray."""

    symbol: str
    word: str
    tone: str


#: The decisions of the gate.
DECISION_STATES: Mapping[str, StateSign] = {
    "full_report": StateSign("✓", N_("full report"), "green"),
    "short_report": StateSign("◐", N_("short report"), "orange"),
    "insufficient_data": StateSign("⊘", N_("no report"), "red"),
}
#: The states of a session by `session_list.get_state`, the best first.
SESSION_STATES: Mapping[str, StateSign] = {
    "running": StateSign("●", N_("running"), "blue"),
    "queued": StateSign("◌", N_("waiting"), "gray"),
    "waiting": StateSign("?", N_("waiting for approval"), "orange"),
    "open": StateSign("◔", N_("led by an MCP client"), "blue"),
    **DECISION_STATES,
    "checked": StateSign("■", N_("report checked"), "gray"),
    "done": StateSign("✓", N_("finished"), "green"),
    "interrupted": StateSign("‖", N_("interrupted"), "orange"),
    "closed": StateSign("▪", N_("client session, closed"), "gray"),
    "cancelled": StateSign("✕", N_("cancelled"), "gray"),
    "failed": StateSign("!", N_("failed"), "red"),
}
#: The states of a cited sentence.
CHECK_STATES: Mapping[str, StateSign] = {
    "quoted": StateSign("”", N_("quoted word for word"), "gray"),
    "supported": StateSign("✓", N_("supported"), "green"),
    "partly": StateSign("◐", N_("partly supported"), "orange"),
    "not found": StateSign("✕", N_("not found in passage"), "red"),
    "contradicted": StateSign("≠", N_("different from the source"), "red"),
    "not decided": StateSign("≈", N_("not decided"), "gray"),
    "could not check": StateSign("?", N_("could not be checked"), "gray"),
}
#: What the gate decides on a source.
VERDICT_STATES: Mapping[str, StateSign] = {
    "kept": StateSign("✓", N_("kept"), "green"),
    "dropped": StateSign("–", N_("dropped"), "orange"),
    "blocked": StateSign("⊘", N_("blocked"), "red"),
    "struck": StateSign("✕", N_("excluded"), "red"),
    "failed": StateSign("!", N_("not readable"), "orange"),
    "duplicate": StateSign("=", N_("same page"), "gray"),
    "not_read": StateSign("○", N_("not read"), "gray"),
}
#: The states of a source on screens: its verdict, what a rewrite would do, or how far a run is.
SOURCE_STATES: Mapping[str, StateSign] = {
    **VERDICT_STATES,
    "readable": StateSign("◇", N_("would be read"), "blue"),
    "waiting": StateSign("○", N_("waiting"), "gray"),
    "reading": StateSign("◔", N_("being read"), "blue"),
    "judging": StateSign("◑", N_("being judged"), "blue"),
}

#: How many sources are in each of these states.
SOURCE_COUNTS: Mapping[str, Callable[[int], str]] = {
    "kept": lambda count: ngettext("{count} kept", "{count} kept", count),
    "dropped": lambda count: ngettext("{count} dropped", "{count} dropped", count),
    "blocked": lambda count: ngettext("{count} blocked", "{count} blocked", count),
    "struck": lambda count: ngettext("{count} excluded", "{count} excluded", count),
    "failed": lambda count: ngettext("{count} not readable", "{count} not readable", count),
    "duplicate": lambda count: ngettext("{count} same page", "{count} same pages", count),
    "not_read": lambda count: ngettext("{count} not read", "{count} not read", count),
    "readable": lambda count: ngettext("{count} would be read", "{count} would be read", count),
    "waiting": lambda count: ngettext("{count} waiting", "{count} waiting", count),
    "reading": lambda count: ngettext("{count} being read", "{count} being read", count),
    "judging": lambda count: ngettext("{count} being judged", "{count} being judged", count),
}


def format_state_counts(counts: Mapping[str, int]) -> str:
    """Return how many sources are in each state: "3 kept, 10 blocked, 2 not read"."""
    texts = [
        count_in_state(counts[state]).format(count=counts[state])
        for state, count_in_state in SOURCE_COUNTS.items()
        if state in counts
    ]
    return join_list(texts)


#: Why there is no report, each with what to do next (DECISIONS row 20), to be translated.
NO_REPORT_REASONS: dict[str, str] = {
    N_("search failed"): N_(
        "Every search engine failed. Check the network or the engines' settings, then resume the"
        " session to try again."
    ),
    N_("nothing found"): N_(
        "The searches worked and found nothing. Try other words, or add documents to the library."
    ),
    N_("every fetch failed"): N_(
        "Sources were found, but none could be read. Resume the session to try again, or add the"
        " pages to the library."
    ),
    N_("all blocked by credibility"): N_(
        "Every source is below your minimum credibility. Lower the minimum, or include single"
        " sources."
    ),
    N_("all off topic"): N_(
        "Sources were read, but none is about the question. Ask more specifically, or search"
        " elsewhere."
    ),
    N_("relevance could not be scored"): N_(
        "Relevance could not be checked and too few sources were read."
        " Resume the session when the model answers again."
    ),
    N_("too few relevant sources"): N_(
        "Some sources are about the question, but fewer than this mode needs. Try quick mode, or"
        " search more widely."
    ),
    N_("all struck by hand"): N_(
        "Every usable source was excluded by hand. Restore one, or search more widely."
    ),
    N_("read but not judged"): N_(
        "Pages were read, but the run was stopped before one of them could be judged."
        " Resume the session, with a higher limit if one was reached, or ask again."
    ),
    N_("stopped"): N_(
        "The run was stopped before enough sources had been read and judged."
        " Resume the session, with a higher limit if one was reached, or ask again."
    ),
}


#: The user name of a caller without a token.
ANONYMOUS = "anonymous"


@dataclass(frozen=True)
class Principal:
    """Who asks. Every store function takes it; tenant and user keep data apart."""

    tenant: str = "local"
    user: str = "local"
    scopes: frozenset[str] = frozenset()

    @property
    def is_anonymous(self) -> bool:
        """Whether the caller is unknown: over HTTP without a token, never the owner."""
        return self.user == ANONYMOUS


@dataclass(frozen=True)
class SearchQuery:
    """One query of a run.

    order: its position in the plan (0 the question itself, then planned, refined, gaps); the
    smaller one wins a tie.
    """

    text: str
    order: int
    purpose: str = "question"  # question | planned | refined | counter | gap | tool


@dataclass(frozen=True)
class SearchResult:
    """One result of a search engine. url: "document:<sha>" for an own document."""

    title: str
    url: str
    snippet: str
    engine: str = ""
    published: str = ""


#: States of an engine or other provider that worked, even if it found nothing.
ANSWERED_STATES = ("answered", "empty")


@dataclass(frozen=True)
class LinkCounts:
    """How many result links were unwrapped from redirects, and how many advertisements dropped."""

    unwrapped: int = 0
    advertisements: int = 0

    def __add__(self, other: LinkCounts) -> LinkCounts:
        return LinkCounts(
            self.unwrapped + other.unwrapped, self.advertisements + other.advertisements
        )

    def as_json(self) -> Json:
        """Return the counts as events hold them; a count of 0 is left out."""
        counts = {"unwrapped": self.unwrapped, "advertisements": self.advertisements}
        return {name: count for name, count in counts.items() if count}

    def describe(self) -> str:
        """Say what was done, in one sentence; "" if nothing."""
        parts = []
        if self.unwrapped:
            unwrapped = ngettext(
                "{count} redirect link replaced by its target",
                "{count} redirect links replaced by their targets",
                self.unwrapped,
            )
            parts.append(unwrapped.format(count=self.unwrapped))
        if self.advertisements:
            dropped = ngettext(
                "{count} advertisement left out",
                "{count} advertisements left out",
                self.advertisements,
            )
            parts.append(dropped.format(count=self.advertisements))
        return end_with_stop(join_list(parts)) if parts else ""


def describe_respelled(slips: Iterable[Sequence[str]]) -> str:
    """Say which words no document of a library holds, and as what it was searched; "" if none.

    slips: (written, read) of each; said once where only capitals differ.
    """
    once: dict[str, Sequence[str]] = {}
    for slip in slips:
        once.setdefault(slip[0].lower(), slip)
    said = _("Searched in the library as “{read}”: no document holds “{written}”.")
    return join_sentences([said.format(written=slip[0], read=slip[1]) for slip in once.values()])


@dataclass(frozen=True)
class EngineOutcome:
    """One engine's answer to one query.

    state: answered | empty | refused | timed_out | failed. error: the cause of a failure. links:
    what was done to the links of its results. spelled: (written, read) of each word of the query
    that a library does not hold and that it read as another.
    """

    engine: str
    state: str
    results: tuple[SearchResult, ...] = ()
    reason: str = ""
    error: SearchError | None = field(default=None, compare=False)
    links: LinkCounts = LinkCounts()
    spelled: tuple[tuple[str, str], ...] = ()

    def list_remarks(self) -> Json:
        """Return what was done to the query and the links, as events hold it; {} if nothing."""
        spelled = [list(slip) for slip in self.spelled]
        return self.links.as_json() | ({"spelled": spelled} if spelled else {})


@dataclass(frozen=True)
class HttpReply:
    """An HTTP answer as it crossed the boundary.

    url: the final address. headers: lower-case names. body: decompressed bytes. kept: True if it
    came from the cache; the answer is the same.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    hops: tuple[str, ...] = ()
    kept: bool = field(default=False, compare=False)

    @property
    def content_type(self) -> str:
        """The media type in lower case, without parameters."""
        return self.headers.get("content-type", "").split(";")[0].strip().lower()


@dataclass(frozen=True)
class Metadata:
    """What a page states about itself, cleaned and bounded; "" or () if absent.

    authors: names in order. modified: YYYY-MM-DD. language: a BCP 47 tag. doi: bare (10.x/y).
    canonical: the address it names as its own. cut: a sentence on what was not read of a long
    document ("Pages 1 to 400 of 812 were read."). type: peer_reviewed | official_docs | government
    | news_publication | blog | forum | wiki | social_media, "" if unknown. retracted: the registry
    or index that marks it as retracted ("PubMed"), "" if none of those asked does. note: sentences
    on how the text was read where that is not certain: an encoding that was assumed, an uncertain
    order of columns.
    """

    authors: tuple[str, ...] = ()
    site: str = ""
    modified: str = ""
    language: str = ""
    doi: str = ""
    canonical: str = ""
    type: str = ""
    cut: str = ""
    retracted: str = ""
    note: str = ""


@dataclass(frozen=True)
class HiddenText:
    """Text removed from a page because no reader sees it.

    counts: {reason: number of texts}. samples: (reason, words) of the first ones.
    """

    counts: Mapping[str, int] = field(default_factory=dict, hash=False)
    samples: tuple[tuple[str, str], ...] = ()

    @property
    def total(self) -> int:
        """The number of texts removed."""
        return sum(self.counts.values())


@dataclass(frozen=True)
class Attempt:
    """One attempted way of reading a page. outcome: "" on success, else why it failed."""

    tier: str
    outcome: str = ""


@dataclass(frozen=True)
class ArchivedCopy:
    """The archived copy a page was read from. url: of the copy. day: made on, YYYY-MM-DD."""

    url: str
    day: str

    @property
    def named(self) -> str:
        """What a reader is told was read."""
        return f"an archived copy of {self.day}"


@dataclass(frozen=True)
class Page:
    """A page that was read.

    url: as requested. final_url: canonical, after redirects. text: the main text as Markdown
    blocks. kind: html, markdown, text, json, pdf, docx, pptx, youtube, hn, …. attempts: the tiers
    tried; the last one succeeded. structured: {"jsonLd", "openGraph", "citation"} as far as
    embedded. signals: of a forum's post. share: main text as a share of the visible text, 0.0-1.0,
    0.0 if not measured. partial: less than half of its article was read (`Metadata.cut` says how
    much), or it has next to no text, and a tier that might have had more failed. archived: the copy
    it was read from, None for the page itself. live_failure: why the site did not give the page, if
    an archived copy was read now; never stored. cost: of reading it, in US dollars, as far as
    known. added: the day its text was added to the library it was read from, "" for one read
    elsewhere.
    """

    url: str
    final_url: str
    title: str
    text: str
    kind: str = "html"
    published: str = ""
    metadata: Metadata = Metadata()
    hidden: HiddenText = HiddenText()
    attempts: tuple[Attempt, ...] = ()
    structured: Mapping[str, Any] = field(default_factory=dict, hash=False)
    signals: Mapping[str, Any] = field(default_factory=dict, hash=False)
    partial: bool = False
    archived: ArchivedCopy | None = None
    cost: float = 0.0
    share: float = 0.0
    live_failure: FetchError | None = field(default=None, compare=False)
    added: str = ""

    @property
    def tier(self) -> str:
        """How it was read: library, markdown, html, document, browser, …; "" if unknown."""
        return self.attempts[-1].tier if self.attempts else ""

    @property
    def facts(self) -> Json:
        """What a log keeps of the page beside its text; empty values are left out."""
        facts: Json = {
            "final_url": self.final_url,
            "title": self.title,
            "published": self.published,
            "kind": self.kind,
        }
        more: Json = {
            "metadata": {name: value for name, value in asdict(self.metadata).items() if value},
            "hidden": asdict(self.hidden) if self.hidden.counts else {},
            "attempts": attempts_to_json(self.attempts),
            "archived": asdict(self.archived) if self.archived else {},
            "partial": self.partial,
            "cost": self.cost,
        }
        for name, value in more.items():
            if value:
                facts[name] = value
        return facts


#: The facts of a page that stay true when its text is read from a library or an earlier session.
STORED_FACTS = ("metadata", "hidden", "archived", "partial")


def select_stored_facts(facts: Mapping[str, Any]) -> Json:
    """Return those of `Page.facts` that are stored with its text."""
    return {name: facts[name] for name in STORED_FACTS if facts.get(name)}


def fields_from_facts(facts: Mapping[str, Any]) -> Json:
    """Return `Page` fields from stored `Page.facts`; missing ones are empty."""
    metadata = dict(facts.get("metadata", {}))
    metadata["authors"] = tuple(metadata.get("authors", ()))
    hidden = facts.get("hidden", {})
    samples = tuple((reason, words) for reason, words in hidden.get("samples", ()))
    return {
        "metadata": Metadata(**metadata),
        "hidden": HiddenText(hidden.get("counts", {}), samples),
        "attempts": tuple(Attempt(**attempt) for attempt in facts.get("attempts", ())),
        "archived": ArchivedCopy(**facts["archived"]) if "archived" in facts else None,
        "partial": facts.get("partial", False),
        "cost": facts.get("cost", 0.0),
    }


def attempts_to_json(attempts: Sequence[Attempt]) -> list[Json]:
    """Return attempts as JSON values."""
    return [asdict(attempt) for attempt in attempts]


@dataclass(frozen=True)
class Passage:
    """A verbatim stretch of a page: page.text[start:end] == text.

    id: derived from the page's text and the offset alone.
    """

    id: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Summary:
    """A page as the judge and the writer see it.

    summary: its passages joined, or its opening if none bears on the question.
    """

    url: str
    title: str
    summary: str
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """How relevant a source is to the question.

    score: 1-5. scored: False if it could not be scored; then score is 3 and the source is kept.
    details: what an explanation by words goes by, or "".
    """

    url: str
    title: str
    score: int
    explanation: str
    scored: bool = True
    details: str = ""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Judgement:
        """Read it from the data of a `judged` event, which may say more."""
        return cls(
            data["url"],
            data["title"],
            data["score"],
            data["explanation"],
            data["scored"],
            data.get("details", ""),
        )


@dataclass(frozen=True)
class Sentence:
    """A sentence of the report.

    citations: passage ids in order. state: what the check found. note: why. relevance: of a cited
    sentence to the question, "" if it was not rated.
    """

    text: str
    citations: tuple[str, ...] = ()
    state: SentenceState = "uncited"
    note: str = ""
    relevance: SentenceRelevance = ""


@dataclass(frozen=True)
class ScoreParts:
    """A credibility score with its working: domain * weight + relevance * weight + recency.

    All are 0.0-1.0. basis: how the domain was valued: "tier", one of `policy.AUTHORITY_PARTS`,
    "unknown" in an open tier for an unknown host, or "" where only tiers count. kind: the host in a
    few words ("quality daily"). why: the source of that.
    """

    score: float
    tier: str
    domain: float
    relevance: float
    recency: float
    matched: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    provisional: bool = False
    basis: str = ""
    kind: str = ""
    why: str = ""

    @property
    def site(self) -> str:
        """The kind of site for a reader: what is known of it, else its tier."""
        return self.kind or self.tier


@dataclass(frozen=True)
class Block:
    """A heading, paragraph, bullet, quotation or table row. level: of a heading, else 0."""

    kind: Literal["heading", "paragraph", "bullet", "quote", "table"]
    sentences: tuple[Sentence, ...]
    level: int = 0


@dataclass(frozen=True)
class ReportSource:
    """A source as the report shows it.

    number: 1.. if kept, else 0. status: as in `gate.Verdict`. page: hash of the stored text.
    copy_of: the number of the kept source whose text it shares, or 0. archived, partial: as in
    `Page`. cost: of reading it, in US dollars. redirected_to: the final address if it is on another
    domain, else "". ratings: of its host by experts, by list. page_signals: what was counted on its
    page (as by the module `page_signals`). fetched: when it was read, seconds since the epoch, 0.0
    if it was not; ignored when reports are compared.
    """

    url: str
    title: str
    number: int
    status: str
    reason: str
    parts: ScoreParts | None
    relevance: Judgement | None = None
    approved: bool = False
    passages: tuple[Passage, ...] = ()
    page: str = ""
    published: str = ""
    kind: str = ""
    metadata: Metadata = Metadata()
    hidden: HiddenText = HiddenText()
    attempts: tuple[Attempt, ...] = ()
    copy_of: int = 0
    archived: ArchivedCopy | None = None
    partial: bool = False
    cost: float = 0.0
    redirected_to: str = ""
    ratings: Mapping[str, float] = field(default_factory=dict, hash=False)
    page_signals: Json = field(default_factory=dict, hash=False)
    fetched: float = field(default=0.0, compare=False)

    @property
    def address(self) -> str:
        """The address to cite: the final one if it is on another domain, else the one searched."""
        return self.redirected_to or self.url


@dataclass(frozen=True)
class Tie:
    """Two sources, by number, that are not independent.

    kind: "one site" | "one publisher" | "one text" | "one wire story" | "one press release" | "one
    address" | "one author" | "own documents" | "only source". words: why, for a reader.
    """

    one: int
    other: int
    kind: str
    words: str


@dataclass(frozen=True, eq=False)
class Report:
    """Everything that the Markdown and the JSON are made from.

    Compared by identity. created: seconds since the epoch. reason: why there is no report, or "".
    ties: which kept sources are not independent of each other. rules: the versions its run began
    under (`rule_versions.rules_from_created`). page_findings: what the pages lack, as
    `pipeline.page_findings` records it. writer: {"model", "failures"}: the model that wrote the
    text, and why the answers before it could not be used; empty if the offline model was chosen.
    language: of the words around the sentences, see `i18n`. is_quoted: no model wrote the cited
    sentences, so comparing them with their passages compares a text with itself.
    """

    session: str
    question: str
    created: float
    settings: Mapping[str, Any]
    decision: Decision
    rationale: str
    reason: str
    disclaimer: str
    blocks: tuple[Block, ...]
    sources: tuple[ReportSource, ...]
    funnel: Mapping[str, int]
    searches: tuple[Mapping[str, Any], ...]
    queries: tuple[Mapping[str, Any], ...]
    plan: Mapping[str, Any]
    spent: Mapping[str, Any]
    removed_citations: int = 0
    unscored: int = 0
    domains: int = 0
    copies: int = 0
    stopped: str = ""
    gaps: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    ties: tuple[Tie, ...] = ()
    rules: Mapping[str, int | str] = field(default_factory=dict)
    page_findings: Mapping[str, Any] = field(default_factory=dict)
    writer: Mapping[str, Any] = field(default_factory=dict)
    language: str = SOURCE_LANGUAGE
    is_quoted: bool = False

    def is_quotation(self, sentence: Sentence) -> bool:
        """Return True if a sentence is the text of its passage, so that a check shows nothing."""
        return self.is_quoted and sentence.state == "supported"
