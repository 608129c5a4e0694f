"""Measure how the sample library's questions come out when they are worded differently.

    python benchmarks/paraphrases.py

Needs the extra `dev` and no data. Runs each question in each mode by the real pipeline, without a
model and the network. Three sets: the questions themselves; the ten rewordings of
`tests/pipeline/test_sample.py`, written before their author had seen the library; and ten more,
written after the first ten had been used to improve general causes. Prints a line for each run and
records, by set and mode, how many come out as they should. The last ten are here to be counted, not
to be passed: improve nothing for one of them, write new ones.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.inputs import make_parser
from benchmarks.results import record
from research_core.modes import MODES
from research_core.pipeline import report
from research_core.policy import SAMPLE_LIBRARY, RunSettings
from research_core.sessions import heartbeats, runner, session_start
from research_core.settings import Settings
from research_core.wiring import Resources
from tests.pipeline.test_sample import OUTCOMES, QUESTIONS, REWORDED

#: (topic, question)
FURTHER = [
    ("noise", "Is there a decibel limit for outdoor concerts with amplification in San Diego?"),
    ("noise", "San Diego city noise code: when must amplified music outdoors stop?"),
    ("pricing", "What do flamenco guitar players cost for a wedding next to classical ones?"),
    (
        "pricing",
        (
            "Hiring a flamenco guitarist or a classical guitarist for a private event: which is"
            " more expensive?"
        ),
    ),
    ("dance", "What song do most couples dance to first at their wedding in 2025?"),
    ("dance", "2025's favourite wedding first dance songs"),
    ("rumba", "History of the flamenco rumba: what came from Cuba and what is different?"),
    (
        "rumba",
        "In what ways does Spanish rumba flamenca differ from Cuban rumba, and how did it arise?",
    ),
    ("hotel", "How do travellers pay less at luxury hotels?"),
    ("hotel", "Tips for booking five-star hotels at a discount"),
]
SETS = {"questions": list(QUESTIONS.items()), "rewordings": REWORDED, "further rewordings": FURTHER}


class Outcome(NamedTuple):
    """The decision of a run, its sources kept and judged, and the words of its report."""

    decision: str
    kept: int
    judged: int
    words: int


def run(resources: Resources, question: str, mode: str) -> Outcome:
    """Run a question over the sample library."""
    settings = RunSettings(mode, engines=("library",), library=SAMPLE_LIBRARY)
    session = session_start.new_session(resources, question, settings)
    built = runner.resume_or_run(resources, session, heartbeats.make_executor_id()).report
    assert built is not None
    text = report.to_markdown(built).partition("\n## Sources\n")[0]
    return Outcome(
        built.decision.split("_")[0],
        built.funnel["kept"],
        built.funnel["judged"],
        len(text.split()),
    )


def count_good(resources: Resources, questions: list[tuple[str, str]], mode: str) -> int:
    """Run a set in a mode, print each outcome, and return how many are as they should be."""
    good = 0
    for topic, question in questions:
        wanted = OUTCOMES[topic]
        outcome = run(resources, question, mode)
        is_good = outcome.decision in wanted
        good += is_good
        kept = f"{outcome.kept} of {outcome.judged}"
        print(
            f"{'ok' if is_good else 'NO':3} {' or '.join(sorted(wanted)):14} {outcome.decision:13}"
            f" {kept:>7} {outcome.words:6}  {question}"
        )
    return good


def main() -> None:
    make_parser(__doc__).parse_args()
    figures: dict[str, Any] = {name: {} for name in SETS}
    with tempfile.TemporaryDirectory() as home:
        resources = Resources(Settings.from_env({"ASSAY_HOME": home}))
        for mode in MODES:
            print(f"\n{mode} mode")
            print(f"{'':3} {'should be':14} {'came out':13} {'kept':>7} {'words':>6}  question")
            for name, questions in SETS.items():
                good = count_good(resources, questions, mode)
                figures[name][mode] = f"{good} of {len(questions)}"
                print(f"    {name}: {good} of {len(questions)} as they should be")
        resources.db.close()
    record("paraphrases", figures)


if __name__ == "__main__":
    main()
