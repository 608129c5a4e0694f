"""Assess how far a source can be trusted once it is read.

The assessment adds up what is known of the host, what the page shows and which independent sources
say the same. Each part is visible, states its reason and can be switched off. The admission score
is not affected, because it was given before anything was read. The weights are our own judgement
and are not fitted to data, as no honest data set exists. The same report gives the same
assessments.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from research_core.i18n import N_, _, gettext, ngettext
from research_core.models import Report, ReportSource
from research_core.pipeline.backing import Backing, find_backings
from research_core.policy import CredibilityPolicy, RunSettings
from research_core.trust.credibility import find_deciding_part
from research_core.trust.hosts.authority import find_host_facts, translate_reason
from research_core.trust.hosts.institutions import find_publisher
from research_core.trust.page_signals import PageSignals
from research_core.trust.provenance import find_retraction
from research_core.urls import find_doi, find_host, is_own_document
from research_core.web.hidden_text_remarks import summarize_source_hidden_text

#: From these values on an assessment is high, fair, low; below them it is very low.
LEVELS = ((0.75, "high"), (0.5, "fair"), (0.3, "low"), (0.0, "very low"))
LOW_LEVELS = frozenset({"low", "very low"})
UNKNOWN = "unknown"
#: What all signs of a page together can add or take, and what corroboration can add.
MAX_SIGNS_WORTH = 0.15
MAX_CORROBORATION_WORTH = 0.1
#: What is left to a source that was retracted, as its own page or a registry says.
RETRACTED_SCORE = 0.05
#: Parts beside those of `policy.AUTHORITY_PARTS`.
PAGE_PART = "page"
CORROBORATION_PART = "corroboration"


@dataclass(frozen=True)
class AssessmentPart:
    """One part of an assessment.

    name: "tier", one of `policy.AUTHORITY_PARTS`, PAGE_PART or CORROBORATION_PART; label: a few
    words; value: the host's authority 0.0-1.0, or for other parts what they add or subtract;
    why: the reason. counts: whether it is part of the sum; False if another part takes precedence
    or it is switched off.
    """

    name: str
    label: str
    value: float
    why: str
    counts: bool = True


@dataclass(frozen=True)
class Assessment:
    """The assessment of one source.

    value: 0.0-1.0; level: one of LEVELS, or UNKNOWN if the host is unknown and the page shows
    nothing for or against it.
    """

    value: float
    level: str
    parts: tuple[AssessmentPart, ...] = field(default=())

    @property
    def is_low(self) -> bool:
        """Return True for one of the two lowest levels; an unknown host is none of them."""
        return self.level in LOW_LEVELS


def assess(report: Report, off: Sequence[str] = ()) -> dict[str, Assessment]:
    """Assess each web source that was read, by URL.

    off: parts to switch off in addition to those of the run's settings.
    """
    policy = RunSettings.from_json(report.settings).credibility
    sentences = find_backings(report)
    assessments = {}
    for source in report.sources:
        if source.page and not is_own_document(source.url):
            assessments[source.url] = assess_source(source, policy, sentences, off)
    return assessments


def assess_source(
    source: ReportSource,
    policy: CredibilityPolicy,
    sentences: Sequence[Backing] = (),
    off: Sequence[str] = (),
) -> Assessment:
    """Assess one source that was read. sentences: those of its report with their backing."""
    backed = []
    if CORROBORATION_PART not in off:
        backed = [one for one in sentences if source.number in one.sources and not one.alone]
    signs = []
    if PAGE_PART not in off:
        signs = [sign for sign in PAGE_SIGNS if sign.seen(source)]
    base = list_known_parts(source, policy, off)
    worth = sum(sign.worth for sign in signs)
    added = max(-MAX_SIGNS_WORTH, min(MAX_SIGNS_WORTH, worth))
    corroborated = min(MAX_CORROBORATION_WORTH, CORROBORATION_WORTH * len(backed))
    value = _get_deciding_value(base) + added + corroborated
    highest = 1.0
    if PAGE_PART not in off and find_retraction(source):
        highest = RETRACTED_SCORE
    value = round(min(highest, max(0.0, value)), 4)
    unknown = base[-1].counts and base[-1].name == UNKNOWN and not signs and not backed
    return Assessment(
        value,
        UNKNOWN if unknown else _find_level(value),
        (
            *base,
            *(AssessmentPart(PAGE_PART, sign.label, sign.worth, sign.why) for sign in signs),
            *_describe_registrar(source, off),
            *_describe_corroboration(backed, corroborated),
        ),
    )


def describe_part(part: AssessmentPart) -> tuple[str, str]:
    """Return the label of a part and its reason in the current language.

    The analyst's own reason stays as it was written.
    """
    why = part.why if part.name == "override" else translate_reason(part.why)
    return gettext(part.label), why


def _get_deciding_value(parts: Sequence[AssessmentPart]) -> float:
    for part in parts:
        if part.counts:
            return part.value
    return 0.0


def _find_level(value: float) -> str:
    return next(level for least, level in LEVELS if value >= least)


def get_source_host(source: ReportSource) -> str:
    """Return the host of a source, "" if its address has none."""
    try:
        return find_host(source.address)
    except ValueError:
        return ""


def list_known_parts(
    source: ReportSource, policy: CredibilityPolicy, off: Collection[str] = ()
) -> tuple[AssessmentPart, ...]:
    """List what is known of the host, with the deciding part marked.

    The last part is the tier of the host, or states that nothing is known.
    """
    name = get_source_host(source)
    left = CredibilityPolicy(
        tiers=policy.tiers,
        parts=tuple(p for p in policy.parts if p not in off),
        overrides=policy.overrides,
    )
    tier, decides = find_deciding_part(name, left, source.ratings)
    parts = [
        AssessmentPart(each.part, each.label, each.value, each.why, counts=each == decides)
        for each in find_host_facts(name, policy.overrides, source.ratings)
    ]
    part, why = "tier", N_("Rated by the kind of address.")
    if tier.open and decides is None:
        part, why = UNKNOWN, N_("Nothing is known about this site. Its kind of address decides.")
    last = AssessmentPart(part, tier.name, tier.value, why, counts=decides is None)
    return (*parts, last)


# -- what a page shows ---------------------------------------------------------


class PageSign(NamedTuple):
    """A feature of a page.

    seen: tells whether a source shows it; worth: added to the authority of its host.
    """

    label: str
    worth: float
    why: str
    seen: Callable[[ReportSource], bool]


def _parse_signs(source: ReportSource) -> PageSignals:
    return PageSignals.from_json(source.page_signals)


def _find_doi(source: ReportSource) -> str:
    return source.metadata.doi or find_doi(source.address)


PAGE_SIGNS = (
    PageSign(
        N_("names its author"),
        0.03,
        N_("A named author is accountable for it."),
        lambda s: bool(s.metadata.authors),
    ),
    PageSign(
        N_("is dated"), 0.02, N_("It says when it was published."), lambda s: bool(s.published)
    ),
    PageSign(
        N_("names its publisher"),
        0.02,
        N_("It says who published it."),
        lambda s: bool(s.metadata.site),
    ),
    PageSign(
        N_("lists references"),
        0.04,
        N_("It lists three or more references."),
        lambda s: _parse_signs(s).references >= 3,
    ),
    PageSign(
        N_("has a DOI"),
        0.03,
        N_("It has a permanent identifier."),
        lambda s: bool(_find_doi(s)),
    ),
    PageSign(
        N_("peer reviewed"),
        0.06,
        N_("It says so, and its DOI belongs to a known academic publisher."),
        lambda s: s.metadata.type == "peer_reviewed" and bool(find_publisher(_find_doi(s))),
    ),
    PageSign(
        N_("retracted"),
        -0.15,
        N_("Its title or a registry says that it was retracted."),
        lambda s: bool(find_retraction(s)),
    ),
    PageSign(
        N_("little text of its own"),
        -0.05,
        N_("Most of the visible page is not its own text."),
        lambda s: 0 < _parse_signs(s).share < 0.15,
    ),
    PageSign(
        N_("hides words"),
        -0.1,
        N_("It hides text in ways that ordinary pages do not need."),
        lambda s: summarize_source_hidden_text(s).unusual,
    ),
)


def _describe_registrar(source: ReportSource, off: Collection[str]) -> tuple[AssessmentPart, ...]:
    """Name the publisher that registered the DOI, if the prefix is known.

    It adds nothing: having a DOI counts, whoever registered it.
    """
    if PAGE_PART in off:
        return ()
    doi = _find_doi(source)
    name = find_publisher(doi)
    if not name:
        return ()
    label = _("registered by {name} (DOI {prefix})").format(name=name, prefix=doi.partition("/")[0])
    why = N_("Known from the DOI's prefix. Whether this page is that work was not checked.")
    return (AssessmentPart(PAGE_PART, label, 0.0, why, counts=False),)


# -- who else says the same ----------------------------------------------------

#: What each cited sentence adds that sources independent of this one say too.
CORROBORATION_WORTH = 0.03


def _describe_corroboration(backed: Sequence[Backing], worth: float) -> tuple[AssessmentPart, ...]:
    if not backed:
        return ()
    count = len(backed)
    why = ngettext(
        "{count} of the sentences that cite it rests on an independent source too.",
        "{count} of the sentences that cite it rest on an independent source too.",
        count,
    ).format(count=count)
    label = N_("other sources agree")
    return (AssessmentPart(CORROBORATION_PART, label, round(worth, 4), why),)
