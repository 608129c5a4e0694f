"""Define the kinds of hosts, each with its authority and the reason for it.

A kind says how an outlet comes to what it publishes (who answers for it, whether it is edited and
corrected), never what it stands for. The values are our judgements on the scale of the specified
tiers, to be read, switched off or overridden; no list is behind them.
"""

from __future__ import annotations

from typing import NamedTuple

from research_core.i18n import N_


class HostKind(NamedTuple):
    """A kind of host.

    `value`: its authority, 0.0 to 1.0. `label`: how a reader names it. `why`: a clause that gives
    the reason for the value.
    """

    value: float
    label: str
    why: str


HOST_KINDS: dict[str, HostKind] = {
    # edited and accountable
    "news_agency": HostKind(0.8, N_("news agency"),
        N_("reports for many outlets, corrects in the open")),
    "public_broadcaster": HostKind(0.8, N_("public broadcaster"),
        N_("independent by law, bound to standards")),
    "quality_daily": HostKind(0.8, N_("quality daily"),
        N_("edited national newspaper with corrections")),
    "regional_daily": HostKind(0.7, N_("regional newspaper"), N_("edited local newspaper")),
    "news_broadcaster": HostKind(0.68, N_("news broadcaster"), N_("newsroom with editors")),
    "news_magazine": HostKind(0.7, N_("news magazine"), N_("edited magazine of news")),
    "business_press": HostKind(0.75, N_("business press"), N_("edited reporting on business")),
    "trade_press": HostKind(0.65, N_("trade press"), N_("edited for one trade, near to it")),
    "tech_press": HostKind(0.68, N_("technology press"), N_("edited reporting on technology")),
    "science_press": HostKind(0.8, N_("science press"), N_("edited reporting on research")),
    "investigative": HostKind(0.78, N_("investigative newsroom"),
        N_("newsroom that shows its evidence")),
    "fact_checker": HostKind(0.82, N_("fact checker"), N_("checks claims and shows how")),
    "reference": HostKind(0.8, N_("reference work"), N_("edited to be looked up")),
    "academic_publisher": HostKind(0.85, N_("academic publisher"),
        N_("peer review before publication")),
    "learned_society": HostKind(0.85, N_("learned society"), N_("speaks for a science")),
    "preprint_server": HostKind(0.65, N_("preprint server"),
        N_("papers before anybody reviewed them")),
    "repository": HostKind(0.75, N_("repository"), N_("keeps research, does not review it")),
    "university": HostKind(0.85, N_("university"),
        N_("teaches and researches, answers to its peers")),
    "research_institute": HostKind(0.85, N_("research institute"), N_("research as a public task")),
    "school": HostKind(0.6, N_("school"), N_("an institution, not of research")),
    "local_government": HostKind(0.75, N_("local government"),
        N_("speaks for a place and its offices")),
    "central_bank": HostKind(0.88, N_("central bank"), N_("official figures on money")),
    "health_authority": HostKind(0.85, N_("health authority"), N_("answers for medical advice")),
    "standards_body": HostKind(0.85, N_("standards body"),
        N_("its standards are the primary source")),
    "statistics_office": HostKind(0.9, N_("statistics office"), N_("official figures")),
    "intergovernmental": HostKind(0.85, N_("intergovernmental body"), N_("founded by treaty")),
    "government": HostKind(0.85, N_("government"), N_("speaks for a state")),
    "think_tank": HostKind(0.62, N_("think tank"), N_("research with a purpose")),
    "library_or_museum": HostKind(0.8, N_("library or museum"),
        N_("keeps and describes originals")),
    "ngo": HostKind(0.62, N_("non-governmental organisation"),
        N_("works for a cause, answers for its reports")),
    # of mixed quality
    "opinion": HostKind(0.5, N_("opinion magazine"), N_("argues more than it reports")),
    "religious_press": HostKind(0.5, N_("religious press"), N_("reports for a community of faith")),
    "entertainment_press": HostKind(0.5, N_("entertainment press"),
        N_("edited, on lighter matters")),
    "lifestyle": HostKind(0.45, N_("lifestyle magazine"), N_("edited to please and to sell")),
    "advocacy": HostKind(0.4, N_("advocacy"), N_("campaigns for one side")),
    "company": HostKind(0.42, N_("company"), N_("speaks for itself")),
    "aggregator": HostKind(0.42, N_("aggregator"), N_("collects what others wrote")),
    "press_release": HostKind(0.4, N_("press-release service"), N_("publishes what is sent to it")),
    "review_site": HostKind(0.4, N_("review site"), N_("may earn by what it recommends")),
    # low quality
    "tabloid": HostKind(0.3, N_("tabloid"), N_("sensation first")),
    "celebrity": HostKind(0.25, N_("gossip"), N_("reports on the famous, often unconfirmed")),
    "clickbait": HostKind(0.2, N_("clickbait"), N_("made to be clicked")),
    "content_farm": HostKind(0.2, N_("content farm"),
        N_("made in masses, to be found rather than read")),
    "user_generated": HostKind(0.32, N_("user-generated"), N_("anybody writes, nobody edits")),
    "social": HostKind(0.3, N_("social network"), N_("anybody writes, nobody edits")),
    "document_sharing": HostKind(0.3, N_("document sharing"),
        N_("anybody uploads, origin unclear")),
    "self_publishing": HostKind(0.3, N_("self-publishing"), N_("anybody publishes for a fee")),
    "shop": HostKind(0.3, N_("shop"), N_("describes what it sells")),
    "partisan": HostKind(0.2, N_("partisan news"), N_("puts its line before balance")),
    # misleading
    "state_controlled": HostKind(0.15, N_("state-controlled"),
        N_("no editorial independence from a government")),
    "pseudoscience": HostKind(0.1, N_("pseudoscience"), N_("spreads what science has refuted")),
    "conspiracy": HostKind(0.08, N_("conspiracy"), N_("plots without evidence")),
    "extremist": HostKind(0.08, N_("extremist"), N_("hate before facts")),
    "hoax": HostKind(0.03, N_("fabricated news"), N_("invents its news or poses as another")),
    "satire": HostKind(0.1, N_("satire"), N_("invented on purpose, as a joke")),
    "predatory_publisher": HostKind(0.15, N_("predatory publisher"),
        N_("named by librarians or a court for publishing without proper review")),
}  # fmt: skip
#: Kinds of hosts that carry the work of others, so that the site alone does not make two of their
#: pages one voice. People have accounts on those in USER_WRITTEN_KINDS.
USER_WRITTEN_KINDS = frozenset("user_generated social document_sharing self_publishing".split())
CARRIER_KINDS = USER_WRITTEN_KINDS | frozenset(
    "academic_publisher preprint_server repository press_release".split()
)
