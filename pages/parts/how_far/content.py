"""Say what the How far screen shows: its figures, with their places in the results, and its texts.

A figure is a row of the table of its judgement; the weaknesses are what no figure shows.
"""

from __future__ import annotations

from parts.how_far import figures
from parts.how_far.figures import MeasuredFigure

INTRO = (
    "\nA report is as good as three judgements: is this source credible, does it bear on the "
    "question, does it support this sentence. Here is\n"
    "how often each is right on data that people judged and nobody of this project wrote. An "
    "area of **0.5 is guessing, 1.0 is always right**: it\n"
    "is how often a good one gets a higher score than a bad one. All figures are without a "
    "key and without a model that is asked.\n"
)
HEADLINES = {
    "Credibility: which hosts are to be relied on": (
        MeasuredFigure(
            "factual from unfactual news sites",
            "Media Bias/Fact Check, sites with medium or high traffic",
            (
                "credibility",
                "auc",
                "MBFC factual, sites with medium or high traffic",
                "all that comes with Assay",
            ),
            0.65,
        ),
        MeasuredFigure(
            "reliable from unreliable sources",
            "lists that Wikipedia's editors keep",
            ("credibility", "auc", "Wikipedia's lists of sources", "all that comes with Assay"),
            0.70,
        ),
        MeasuredFigure(
            "universities and government from predatory publishers",
            "three public lists of institutions",
            (
                "credibility",
                "auc",
                "universities and government against predatory publishers",
                "all that comes with Assay",
            ),
            0.90,
        ),
    ),
    "Relevance without a model: which texts answer the question": (
        MeasuredFigure(
            "sentences that answer a question",
            "TREC-QA",
            ("relevance", "by meaning", "auc", "trecqa_wang"),
            0.86,
        ),
        MeasuredFigure(
            "pages that answer a health question",
            "MedQuAD, LiveQA",
            ("relevance", "by meaning", "auc", "medquad_liveqa"),
            0.84,
        ),
        MeasuredFigure(
            "long answers that experts graded",
            "MEDIQA 2019",
            ("relevance", "by meaning", "auc", "mediqa2019"),
            0.66,
        ),
        MeasuredFigure(
            "passages on questions of 2023",
            "NovelEval",
            ("relevance", "by meaning", "auc", "noveleval"),
        ),
    ),
    "Support: does the cited text say so": (
        MeasuredFigure(
            "sentences that their source supports",
            "AttributionBench",
            ("support", "attributionbench", "auc"),
            0.86,
        ),
        MeasuredFigure(
            "claims that a whole page supports", "WiCE", ("support", "wice", "auc"), 0.76
        ),
        MeasuredFigure(
            "refuted from supported, learned on health claims",
            "Climate-FEVER",
            ("stance", "healthver to climatefever"),
            0.60,
        ),
        MeasuredFigure(
            "refuted from supported, learned on climate claims",
            "HealthVer",
            ("stance", "climatefever to healthver"),
            0.60,
        ),
    ),
}
CROSS_VALIDATION_NOTE = (
    "Where weights were fitted on the half shown, the figure in bold is cross-validated by"
    " question: each question was judged with weights that had not met it, as"
    f" benchmarks/calibrate_relevance.py printed on {figures.CROSS_VALIDATED_ON}."
    " All figures on support are cross-validated."
    " Tables of hosts and the figures on refuted claims were fitted on nothing they are"
    " measured on."
)
CREDIBILITY_FIGURES = (
    MeasuredFigure(
        "factual from unfactual, among all its sites",
        "Media Bias/Fact Check",
        ("credibility", "auc", "MBFC factual", "all that comes with Assay"),
    ),
    MeasuredFigure(
        "… with the list of Lin et al. imported",
        "Media Bias/Fact Check",
        ("credibility", "auc", "MBFC factual", "with the list of Lin et al."),
        0.90,
    ),
    MeasuredFigure(
        "credible from incredible",
        "Media Bias/Fact Check, its credibility",
        ("credibility", "auc", "MBFC credibility", "all that comes with Assay"),
    ),
    MeasuredFigure(
        "… with the list of Lin et al. imported",
        "Media Bias/Fact Check, its credibility",
        ("credibility", "auc", "MBFC credibility", "with the list of Lin et al."),
        0.85,
    ),
)
RELEVANCE_FIGURES = (
    MeasuredFigure(
        "sentences, by meaning too",
        "TREC-QA",
        ("relevance", "by meaning", "auc", "trecqa_wang"),
        0.86,
    ),
    MeasuredFigure(
        "health pages, with it",
        "MedQuAD, LiveQA",
        ("relevance", "by meaning", "auc", "medquad_liveqa"),
        0.84,
    ),
    MeasuredFigure(
        "long answers, with it",
        "MEDIQA 2019",
        ("relevance", "by meaning", "auc", "mediqa2019"),
        0.66,
    ),
    MeasuredFigure(
        "passages on questions of 2023, with it",
        "NovelEval",
        ("relevance", "by meaning", "auc", "noveleval"),
    ),
)
UNKNOWN_HOST_FIGURES = (
    MeasuredFigure(
        "results of real searches whose host is unknown",
        "recorded searches",
        ("credibility", "recorded results", "unknown"),
    ),
)
UNRELATED_PAIR_FIGURES = (
    MeasuredFigure(
        "findings in a million pairs of unrelated sentences",
        "sentences on different questions",
        ("contradictions", "unrelated", "per million pairs"),
    ),
)
CITATION_FIGURES = (
    MeasuredFigure(
        "hostile replies of a model tried",
        "made up by a program, with a seed",
        ("linter", "hostile replies", "replies"),
    ),
    MeasuredFigure(
        "of them with a false citation or broken Markdown",
        "read by another parser",
        ("linter", "hostile replies", "wrong"),
    ),
    MeasuredFigure(
        "marks that were removed, each counted",
        "the same replies",
        ("linter", "hostile replies", "removed"),
    ),
    MeasuredFigure(
        "published reports of research agents read",
        "reports with citations, by several makers",
        ("linter", "reports", "reports"),
    ),
    MeasuredFigure(
        "marks in them that lead nowhere", "the same reports", ("linter", "reports", "dangling")
    ),
)
CONTRADICTION_FIGURES = (
    MeasuredFigure(
        "copies of a sentence with another figure that are found",
        "made by a program of real sentences",
        ("contradictions", "copies", "recall"),
    ),
    MeasuredFigure(
        "of those told as differing, how many do",
        "the same, beside copies that say the same or speak of others",
        ("contradictions", "copies", "precision"),
    ),
    MeasuredFigure(
        "found where people said it in words of their own",
        "supported claims, their one figure made three times as large",
        ("contradictions", "claims in other words than their source", "found"),
    ),
    MeasuredFigure(
        "false alarms on these claims as they were",
        "the same claims, unchanged",
        ("contradictions", "claims in other words than their source", "false alarms"),
    ),
)
WEAKNESSES = {
    "Credibility": (
        "\n- **Of much of what a search finds the host is unknown.** That says nothing against it: "
        "it keeps the value of its kind of address. Look\n"
        "  at such a source yourself.\n"
        "- Kinds of outlets are our judgement, written down before they were measured. One value "
        "for a whole outlet is coarse: a good paper has bad\n"
        "  articles. Say your own word on a host; it counts before all else.\n"
        "- Ratings by experts are of news, mostly in English, and of the past.\n"
        "- What looks like the name of a predatory journal is a suspicion by its name and no "
        "proof.\n"
        "- What a page shows of itself (author, date, references) can be forged, and counts "
        "little.\n"
    ),
    "Relevance": (
        "\n- Without a model the judge weighs words, what they mean one by one, and the form of "
        "answer asked for. It understands nothing: a page that\n"
        "  answers in a turn of phrase of its own is scored too low, one that says the opposite "
        "in the same words too high.\n"
        "  Where the embedding model is used (questions in English), it mends some of it.\n"
        "- The table of what words mean was made, among others, of texts that it is measured on "
        "here, though of no judgement of them. Made without\n"
        "  them it came to 0.83 instead of 0.84 on MedQuAD.\n"
        "- Three of the four sets are of health questions or trivia in English. Other subjects "
        "and languages were not measured.\n"
    ),
    "Support": (
        "\n- The weights were fitted on the half shown here, so every figure is cross-validated: each "
        "question was judged with weights that had not met it.\n"
        "- A sentence that is *supported* shares its words, figures and quotations with its "
        "source. A paraphrase in other words can be called\n"
        "  *not found*, and a sentence that turns the meaning round can pass.\n"
        "- Whether a source says the opposite is guessed by words. What a language model reads "
        "again for it, where one is set up, is a good part of\n"
        "  the time no denial, and most refuted claims are not among it.\n"
        "- The people who labelled these sets disagree with each other too; parts of "
        "AttributionBench are close to chance for everybody.\n"
        "- *Could not check* is never a verdict on the sentence.\n"
    ),
    "Citations": (
        "\n- That a mark leads to a passage says that it exists, not that it supports the "
        "sentence: that is what *Support* is about.\n"
    ),
    "Contradictions": (
        "\n- **Most contradictions are not seen.** Only sentences that share half of their words "
        "are compared, and only their figures, dates, names\n"
        "  and denials; said in other words, most are missed. That none is told is no sign that "
        "the sources agree.\n"
        "- What is found is seldom wrong. But among several texts on one question so few were "
        "found that nobody can say how often such a finding is\n"
        "  right: one is a true difference, one comes of a slip on a page, one sets two pledges "
        "of other base years side by side, which it says.\n"
        "- Rules were mended on the half shown here, which flatters. What is taken for a "
        'forecast ("may be the highest") can be a mere hedge.\n'
    ),
}
