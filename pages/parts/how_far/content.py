"""Say what the How far screen shows: its figures, with their places in the results, and its texts.

A figure is a row of the table of its judgement; the weaknesses are what no figure shows. Places are
written with underscores instead of spaces, as `figures.read_trust_results` returns them.
"""

from __future__ import annotations

from parts.how_far.figures import MeasuredFigure
from research_core.i18n import N_

BUILT_IN = "all_that_comes_with_Assay"
WITH_LIST = "with_the_list_of_Lin_et_al."
PLACES, TRAFFIC = "Wikipedia's_lists_of_sources", "MBFC_factual,_sites_with_medium_or_high_traffic"
INSTITUTIONS = "universities_and_government_against_predatory_publishers"
INTRO = N_(
    "A report rests on three judgements. Is the source credible? Does it answer the question? Does"
    " it support the sentence? This page shows how often Assay gets each one right, on public data"
    " labelled by people outside this project."
    "\n\nA score is the chance that a good example ranks above a bad one: **0.5 is guessing, 1.0 is"
    " always right**. No language model was used."
)
HEADLINES = {
    N_("Credibility: which sites are reliable"): (
        MeasuredFigure(
            N_("Factual or unfactual news sites"),
            N_("Media Bias/Fact Check, medium and high traffic"),
            ("credibility", "auc", TRAFFIC, BUILT_IN),
            0.65,
        ),
        MeasuredFigure(
            N_("Reliable or unreliable sources"),
            N_("Source lists of Wikipedia's editors"),
            ("credibility", "auc", PLACES, BUILT_IN),
            0.70,
        ),
        MeasuredFigure(
            N_("Public institutions or predatory publishers"),
            N_("Three public lists"),
            ("credibility", "auc", INSTITUTIONS, BUILT_IN),
            0.90,
        ),
    ),
    N_("Relevance: which texts answer the question"): (
        MeasuredFigure(
            N_("Sentences that answer a question"),
            "TREC-QA",
            ("relevance", "by_meaning", "auc", "trecqa_wang"),
            0.86,
        ),
        MeasuredFigure(
            N_("Pages that answer a health question"),
            N_("MedQuAD, LiveQA"),
            ("relevance", "by_meaning", "auc", "medquad_liveqa"),
            0.84,
        ),
        MeasuredFigure(
            N_("Long answers graded by experts"),
            "MEDIQA 2019",
            ("relevance", "by_meaning", "auc", "mediqa2019"),
            0.66,
        ),
        MeasuredFigure(
            N_("Passages on topics of 2023"),
            "NovelEval",
            ("relevance", "by_meaning", "auc", "noveleval"),
        ),
    ),
    N_("Support: what the source really says"): (
        MeasuredFigure(
            N_("Sentences that their source supports"),
            "AttributionBench",
            ("support", "attributionbench", "auc"),
            0.86,
        ),
        MeasuredFigure(
            N_("Claims that a whole page supports"), "WiCE", ("support", "wice", "auc"), 0.76
        ),
        MeasuredFigure(
            N_("Supported or refuted, fitted on health claims"),
            "Climate-FEVER",
            ("stance", "healthver_to_climatefever"),
            0.60,
        ),
        MeasuredFigure(
            N_("Supported or refuted, fitted on climate claims"),
            "HealthVer",
            ("stance", "climatefever_to_healthver"),
            0.60,
        ),
    ),
}
CROSS_VALIDATION_NOTE = N_(
    "Where weights were fitted on this half of the data, the bold figure is cross-validated: no"
    " question was judged with weights that had seen it. Figures for relevance are those that"
    " benchmarks/calibrate_relevance.py printed on {date}. Nothing was fitted for sites and for"
    " refuted claims."
)
CREDIBILITY_FIGURES = (
    MeasuredFigure(
        N_("Factual or unfactual, all sites"),
        N_("Media Bias/Fact Check"),
        ("credibility", "auc", "MBFC_factual", BUILT_IN),
    ),
    MeasuredFigure(
        N_("The same, with the list of Lin et al."),
        N_("Media Bias/Fact Check"),
        ("credibility", "auc", "MBFC_factual", WITH_LIST),
        0.90,
    ),
    MeasuredFigure(
        N_("Credible or not"),
        N_("Media Bias/Fact Check, credibility"),
        ("credibility", "auc", "MBFC_credibility", BUILT_IN),
    ),
    MeasuredFigure(
        N_("The same, with the list of Lin et al."),
        N_("Media Bias/Fact Check, credibility"),
        ("credibility", "auc", "MBFC_credibility", WITH_LIST),
        0.85,
    ),
)
UNKNOWN_HOST_FIGURES = (
    MeasuredFigure(
        N_("Search results from unknown sites"),
        N_("Recorded searches"),
        ("credibility", "recorded_results", "unknown"),
    ),
)
UNRELATED_PAIR_FIGURES = (
    MeasuredFigure(
        N_("False findings per million unrelated pairs"),
        N_("Sentences on different questions"),
        ("contradictions", "unrelated", "per_million_pairs"),
    ),
)
CITATION_FIGURES = (
    MeasuredFigure(
        N_("Hostile model replies tested"),
        N_("Generated by a program with a seed"),
        ("linter", "hostile_replies", "replies"),
    ),
    MeasuredFigure(
        N_("Replies left with a false citation or broken Markdown"),
        N_("Checked by another parser"),
        ("linter", "hostile_replies", "wrong"),
    ),
    MeasuredFigure(
        N_("Citations removed"),
        N_("The same replies"),
        ("linter", "hostile_replies", "removed"),
    ),
    MeasuredFigure(
        N_("Published reports checked"),
        N_("Reports of several research agents"),
        ("linter", "reports", "reports"),
    ),
    MeasuredFigure(
        N_("Citations in them without a source"),
        N_("The same reports"),
        ("linter", "reports", "dangling"),
    ),
)
CONTRADICTION_FIGURES = (
    MeasuredFigure(
        N_("Changed figures that are found"),
        N_("Copies of real sentences with another figure"),
        ("contradictions", "copies", "recall"),
    ),
    MeasuredFigure(
        N_("Findings that are real differences"),
        N_("The same copies, among harmless ones"),
        ("contradictions", "copies", "precision"),
    ),
    MeasuredFigure(
        N_("Found when people used their own words"),
        N_("Supported claims with their figure tripled"),
        ("contradictions", "claims_in_other_words_than_their_source", "found"),
    ),
    MeasuredFigure(
        N_("False alarms"),
        N_("The same claims, unchanged"),
        ("contradictions", "claims_in_other_words_than_their_source", "false_alarms"),
    ),
)
#: The judgements, by the names in addresses of code.
TITLES = {
    "credibility": N_("Credibility"),
    "relevance": N_("Relevance"),
    "support": N_("Support"),
    "citations": N_("Citations"),
    "contradictions": N_("Contradictions"),
}
WEAKNESSES = {
    "credibility": N_(
        "- **Many search results come from unknown sites.** This says nothing against a site: it"
        " gets the value of its kind of address. Check such sources yourself.\n"
        "- One value for a whole outlet is coarse, because good papers print bad articles. Your own"
        " rating of a site always takes precedence.\n"
        "- We chose the values for kinds of outlets, before measuring them.\n"
        "- Expert ratings cover past news, mostly in English.\n"
        "- A name like that of a predatory journal is a suspicion, not proof.\n"
        "- Authors, dates and references shown on a page can be forged, so they count little."
    ),
    "relevance": N_(
        "- Without a model, Assay weighs words and the expected form of the answer. It understands"
        " nothing. It underrates pages that answer in their own words, and overrates pages that say"
        " the opposite in the same words.\n"
        "- For English questions, the embedding model corrects some of this.\n"
        "- Three of the four data sets are English health or trivia questions. Other subjects and"
        " languages were not measured."
    ),
    "support": N_(
        "- *Supported* means that a sentence shares words, figures and quotations with its source."
        " A paraphrase can come out as *not found*, and a reversed meaning can pass.\n"
        "- Warnings that a source says the opposite are based on words. Most refuted claims get no"
        " warning, and many warnings are wrong.\n"
        "- The people who labelled these data sets also disagree. For parts of AttributionBench,"
        " everyone scores close to chance.\n"
        "- *Could not check* is never a verdict on the sentence."
    ),
    "citations": N_(
        "- A citation that leads to a passage proves that the passage exists, not that it supports"
        " the sentence. *Support* covers that."
    ),
    "contradictions": N_(
        "- **Most contradictions are missed.** Only sentences that share half of their words are"
        " compared, and only their figures, dates, names and denials. An empty list does not mean"
        " that the sources agree.\n"
        "- Findings are rarely wrong. In real sets of texts on one question there were too few to"
        " give a rate: one true difference, one typing error, and one pair of pledges with"
        " different base years, which Assay pointed out.\n"
        "- The rules were tuned on the half of the data shown here, so these figures flatter.\n"
        "- A phrase taken for a forecast (“may be the highest”) can be a mere hedge."
    ),
}
