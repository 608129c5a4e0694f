"""Define what an analyst can tune: the credibility policy, the caps and the settings of a run.

Plain frozen values that convert to JSON and back. The default policy is the specification's.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from research_core.errors import UsageError
from research_core.i18n import _

QUESTION_LENGTH = (3, 2000)
INSTRUCTION_LENGTH = (3, 500)
#: The longest reason of an override, in characters.
REASON_LENGTH = 2000
#: The library shipped with Assay; its outlets are invented, and a report over it says so.
SAMPLE_LIBRARY = "sample"
#: Comes before the title of a library that another user shares.
SHARED_PREFIX = "shared:"
#: The search engine of the analyst's own documents.
LIBRARY_ENGINE = "library"
#: The engine that searches the pages of the previous session.
SESSION_ENGINE = "session"
STRATEGIES = ("planned", "agentic")
#: The strategy of a run that checks a given report and searches nothing.
AUDIT_STRATEGY = "audit"
#: The decision of a session that checked a given report: it has no gate.
CHECKED = "checked"
#: Kinds of request that the writer answers, and those that the judge answers; the others are the
#: planner's, who is `RunSettings.model`.
WRITING_KINDS = ("write", "write_section", "write_frame", "explain_insufficient")
JUDGING_KINDS = ("judge_relevance", "judge_again", "verify_sentence")
#: Settings that old sessions do not have.
LATER_FIELDS = (
    "passage_model",
    "writer",
    "judge",
    "asked_on",
    "length",
    "review_plan",
    "approved_plan",
    "sources",
    "first_minimum",
    "library_only",
)
#: How long a report may be beside the usual length, "".
LENGTHS = ("brief", "long")
#: Fields of `RunSettings` that JSON holds as lists.
LIST_FIELDS = (
    "engines",
    "instructions",
    "approved",
    "struck",
    "fallbacks",
    "sites",
    "tools",
    "ratings",
)
#: The name of the model that uses no tokens and costs nothing.
OFFLINE_MODEL = "offline"
#: Stands for an embedding model in the settings of a run that could use none.
WORDS_ALONE = "words alone"
#: What a user can agree to have kept.
CONSENT_PURPOSES = ("memory", "analytics", "workspace")


def name_model(model: str) -> str:
    """Return with which model a session ran, as readers see it within a line."""
    if model == OFFLINE_MODEL:
        return _("no language model")
    return _("model {name}").format(name=model)


def searches_sample(engines: Collection[str], library: str) -> bool:
    """Return True if a run with these settings searches the sample library."""
    return LIBRARY_ENGINE in engines and library == SAMPLE_LIBRARY


@dataclass(frozen=True)
class Tier:
    """A class of hosts and its authority, 0.0-1.0.

    hosts: match themselves and their subdomains. suffixes: match whole labels at the end.
    """

    name: str
    value: float
    hosts: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    country_suffixes: tuple[str, ...] = ()  # "edu" also means ".edu.au", ".edu.pl" …
    open: bool = (
        False  # anybody can be in it, so that what is known of a host says more than the tier
    )

    def __post_init__(self) -> None:
        _check_share(f"the authority of {self.name!r}", self.value)


def _check_share(name: str, value: object) -> None:
    if not isinstance(value, (int, float)) or not 0.0 <= value <= 1.0:
        raise UsageError(
            f"{name} must be between 0 and 1, not {value!r}.", next_step="Change it and try again."
        )


#: Checked in this order; the first that matches counts, the last is for the rest
#: (spec/credibility-scoring.md, DECISIONS rows 1-3).
DEFAULT_TIERS = (
    Tier(
        "academic or government",
        0.9,
        suffixes=("edu", "gov", "mil", "int"),
        country_suffixes=("edu", "ac", "gov"),
    ),
    Tier(
        "major source",
        0.8,
        hosts=(
            "nature.com", "science.org", "wikipedia.org", "arxiv.org", "reuters.com", "apnews.com",
            "bloomberg.com", "nytimes.com",
            "wsj.com", "bbc.com", "techcrunch.com", "wired.com", "github.com", "medium.com",
            "scholar.google.com",
        ),
    ),
    Tier("organisation", 0.7, suffixes=("org",), open=True),
    Tier("social media", 0.3, hosts=("twitter.com", "x.com", "facebook.com", "instagram.com")),
    Tier("general web", 0.4, open=True),
)  # fmt: skip
#: Sources of a host's authority beyond its tier, in order of precedence.
AUTHORITY_PARTS = ("override", "ratings", "institution", "outlet", "name")


@dataclass(frozen=True)
class Override:
    """The analyst's own authority score of a host and its subdomains.

    value: 0.0-1.0; 0.0 keeps its pages out of a run altogether. reason: in the analyst's words.
    """

    host: str
    value: float
    reason: str = ""

    def __post_init__(self) -> None:
        _check_share(f"The authority of {self.host}", self.value)


@dataclass(frozen=True)
class CredibilityPolicy:
    """How credibility is scored and which scores are blocked.

    score = domain * domain_weight + relevance * relevance_weight + recency_bonus; a score ≤ minimum
    is blocked.

    domain: of the tier; in an open tier, of the first of `parts` that knows the host. parts: the
    enabled members of `AUTHORITY_PARTS`; with none, the domain follows the specification.
    overrides: apply in every tier; one of 0.0 makes the score 0.0, which every minimum blocks.
    """

    minimum: float = 0.5
    domain_weight: float = 0.4
    relevance_weight: float = 0.5
    recency_bonus: float = 0.1
    tiers: tuple[Tier, ...] = DEFAULT_TIERS
    parts: tuple[str, ...] = AUTHORITY_PARTS
    overrides: tuple[Override, ...] = ()

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.parts) - set(AUTHORITY_PARTS)):
            raise UsageError(
                f"Nothing is known of a host by {unknown[0]!r}.",
                next_step=f"Choose among: {', '.join(AUTHORITY_PARTS)}.",
            )
        for name in ("minimum", "domain_weight", "relevance_weight", "recency_bonus"):
            _check_share(f"The credibility policy's {name}", getattr(self, name))
        if not self.tiers:
            raise UsageError(
                "The credibility policy has no tiers.",
                next_step="Keep at least one; the last is for every other host.",
            )

    def blocks(self, score: float) -> bool:
        """Return True if score ≤ minimum, compared at 6 decimal places."""
        return round(score, 6) <= round(self.minimum, 6)


@dataclass(frozen=True)
class Caps:
    """Hard limits of a run; None for no limit.

    cost: in US dollars. The writer keeps its reserve of each.
    """

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("calls", "tokens", "cost", "seconds"):
            value = getattr(self, name)
            if value is not None and not (
                isinstance(value, (int, float)) and 0 <= value < math.inf
            ):
                raise UsageError(
                    f"The cap on {name} must be 0 or more, not {value!r}.",
                    next_step="Change it, or leave it out.",
                )


@dataclass(frozen=True)
class Tally:
    """What a session used, as its report says.

    other_calls: searches, pages, library reads. cost: in US dollars, None if a price is unknown.
    seconds: of this attempt. Failed calls count; calls inherited by a fork do not. estimated: some
    tokens were not counted by the server. free: tokens were used and are known to cost nothing.
    requests: sent for the calls to models, with repeats and repairs; the caps do not count these.
    """

    model_calls: int
    other_calls: int
    tokens: int
    cost: float | None
    seconds: float
    estimated: bool = False
    free: bool = False
    requests: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the tally as sessions store it; what is not set is left out, as in older ones."""
        data = asdict(self)
        for name in ("estimated", "free"):
            if not data[name]:
                del data[name]
        if self.requests == self.model_calls:
            del data["requests"]
        return data

    @property
    def calls(self) -> int:
        """All calls, to models and others."""
        return self.model_calls + self.other_calls


@dataclass(frozen=True)
class ApprovedPlan:
    """A plan as it was proposed and as the analyst approved it before the run.

    type: of the question, "" if there is no approved plan; strategy: in the words of whoever made
    the plan; note: how it was made, or ""; queries: those besides the question.
    """

    type: str = ""
    strategy: str = ""
    note: str = ""
    queries: tuple[str, ...] = ()
    sub_questions: tuple[str, ...] = ()
    proposed_queries: tuple[str, ...] = ()
    proposed_sub_questions: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.type)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ApprovedPlan:
        """Read a stored plan, ignoring keys that are not its own."""
        fields = _select_known_fields(cls, data)
        for name, value in fields.items():
            if isinstance(value, list):
                fields[name] = tuple(value)
        return cls(**fields)


@dataclass(frozen=True)
class RunSettings:
    """How one session runs. Thresholds that are None here are those of the mode.

    engines: search engines by name in order, "library" among them. library: which local library is
    searched. model: the name the model gives itself. instructions: what the analyst asks for beside
    the question, in their words. approved, struck: sources, by canonical address, decided by hand
    before the run; approved ones pass the credibility threshold. follows, after: the question and
    the id of the session this one follows up, "" for none. fallbacks: third parties asked for a
    page that its own site does not give, in order: archive, exa. sites: sites read by a dedicated
    reader. meaning: the embedding model that searches the library beside words, "". tools: tools
    the model may call beside search and reading in agentic mode. ratings: the lists of expert
    ratings that count; what they say of a host is recorded when it is found. judging: the embedding
    model by which the offline model judges sources and writes, "" for words alone. passage_model:
    the embedding model by which the passages of pages are chosen, WORDS_ALONE if none could be
    used, "" in sessions from before there was a choice. writer, judge: the models that write and
    that judge relevance and check sentences, where they are others than `model`, else "". asked_on:
    the day (UTC, YYYY-MM-DD) on which the question was first asked, which rewrites keep and models
    are told; "" if unknown. length: of the report, brief | long, "" for the usual one.
    review_plan: whether the run waits for the analyst to approve its plan. approved_plan: the one
    that was approved in the session this one was made from; the run does not wait then.
    sources: how many the exhaustive mode reads, None for its usual number. first_minimum: the
    minimum credibility of the session that was rewritten under a lower one, 0.0 for none; sources
    below it have places of their own, as many as the mode has, the most credible first.
    library_only: an audit reads cited pages from its library only, and nothing from the web.
    """

    mode: str = "standard"
    strategy: str = "planned"
    engines: tuple[str, ...] = ("library",)
    library: str = SAMPLE_LIBRARY
    model: str = OFFLINE_MODEL
    relevance_cutoff: int | None = None
    min_full: int | None = None
    min_short: int | None = None
    credibility: CredibilityPolicy = field(default_factory=CredibilityPolicy)
    caps: Caps = Caps()
    instructions: tuple[str, ...] = ()
    approved: tuple[str, ...] = ()
    struck: tuple[str, ...] = ()
    follows: str = ""
    after: str = ""
    fallbacks: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    meaning: str = ""
    tools: tuple[str, ...] = ()
    ratings: tuple[str, ...] = ()
    judging: str = ""
    passage_model: str = ""
    writer: str = ""
    judge: str = ""
    asked_on: str = ""
    length: str = ""
    review_plan: bool = False
    approved_plan: ApprovedPlan = ApprovedPlan()
    sources: int | None = None
    first_minimum: float = 0.0
    library_only: bool = False

    def __post_init__(self) -> None:
        if self.strategy not in (*STRATEGIES, AUDIT_STRATEGY):
            raise UsageError(
                f"Unknown strategy {self.strategy!r}.",
                next_step=f"Choose one of: {', '.join(STRATEGIES)}.",
            )
        if self.length and self.length not in LENGTHS:
            raise UsageError(
                f"Unknown length {self.length!r}.",
                next_step=f"Choose one of: {', '.join(LENGTHS)}, or leave it out.",
            )
        if self.review_plan and self.strategy != "planned":
            raise UsageError(
                "The agentic strategy makes no plan to approve.",
                next_step="Choose the planned strategy, or turn off plan approval.",
            )

    @property
    def checks_report(self) -> bool:
        """Return True if the run checks a given report and searches nothing."""
        return self.strategy == AUDIT_STRATEGY

    @property
    def chooses_by_meaning(self) -> bool:
        """Return True if an embedding model chooses the passages of pages."""
        return self.passage_model not in ("", WORDS_ALONE)

    @property
    def writing_model(self) -> str:
        """The name of the model that writes."""
        return self.writer or self.model

    @property
    def judging_model(self) -> str:
        """The name of the model that judges relevance and checks sentences."""
        return self.judge or self.model

    @property
    def models(self) -> frozenset[str]:
        """The names of all models of the run."""
        return frozenset({self.model, self.writing_model, self.judging_model})

    def rewriting(self, earlier: RunSettings) -> RunSettings:
        """Return these settings for a rewrite of a session that ran under the earlier ones."""
        first = max(earlier.first_minimum, earlier.credibility.minimum)
        is_lower = self.credibility.minimum < first
        return replace(self, first_minimum=first if is_lower else 0.0)

    def passes_only_now(self, score: float) -> bool:
        """Return True if a credibility passes only since the minimum was lowered for a rewrite."""
        return score < self.first_minimum and not self.credibility.blocks(score)

    def to_json(self) -> dict[str, Any]:
        """Return the settings as sessions store them.

        Fields that old sessions do not have are left out if they are empty, so that their reports
        stay the same.
        """
        data = asdict(self)
        for name in LATER_FIELDS:
            if not getattr(self, name):
                del data[name]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RunSettings:
        """Reverse `to_json`, ignoring keys of older or newer versions."""
        fields = _select_known_fields(cls, data)
        for name in LIST_FIELDS:
            if name in fields:
                fields[name] = tuple(fields[name])
        fields["credibility"] = _read_credibility(fields.get("credibility", {}))
        fields["caps"] = Caps(**_select_known_fields(Caps, fields.get("caps", {})))
        fields["approved_plan"] = ApprovedPlan.from_json(fields.get("approved_plan", {}))
        return cls(**fields)


def checks_report(settings: Mapping[str, Any]) -> bool:
    """Return True if these are the stored settings of a run that checks a given report."""
    return settings.get("strategy") == AUDIT_STRATEGY


def _select_known_fields(cls: type[Any], data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: data[name] for name in cls.__dataclass_fields__ if name in data}


def _read_credibility(data: Mapping[str, Any]) -> CredibilityPolicy:
    """Read a stored policy; sessions from before authority parts used the tiers alone."""
    fields = _select_known_fields(CredibilityPolicy, data)
    fields["tiers"] = DEFAULT_TIERS
    if "tiers" in data:
        fields["tiers"] = tuple(_read_tier(tier) for tier in data["tiers"])
    fields["parts"] = tuple(data.get("parts", () if data else AUTHORITY_PARTS))
    overrides = [_select_known_fields(Override, item) for item in data.get("overrides", ())]
    fields["overrides"] = tuple(Override(**item) for item in overrides)
    return CredibilityPolicy(**fields)


def _read_tier(data: Mapping[str, Any]) -> Tier:
    fields = _select_known_fields(Tier, data)
    for name, value in fields.items():
        if isinstance(value, list):
            fields[name] = tuple(value)
    return Tier(**fields)
