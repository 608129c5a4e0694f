"""How the sample library's questions come out when they are worded otherwise: `python
benchmarks/paraphrases.py`.

Each question in each mode by the real pipeline, without model and network, with what it should come
out as. Three sets: the questions themselves; the ten rewordings that
`tests/pipeline/test_sample.py` holds, written before their author had seen the library; and ten
more, written after the first ten had been used to mend general causes, so that something is left
that nothing was ever changed for. Those are here to be counted, not to be passed: do not mend
anything for one of them, write new ones.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results import record
from research_core.modes import MODES
from research_core.pipeline import report
from research_core.policy import SAMPLE_LIBRARY, RunSettings
from research_core.sessions import heartbeats, runner
from research_core.settings import Settings
from research_core.wiring import Resources
from tests.pipeline.test_sample import OUTCOMES, QUESTIONS, REWORDED

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


def run(resources: Resources, question: str, mode: str) -> dict[str, Any]:
    """Decision, gate and length of one run."""
    session = runner.new_session(
        resources, question, RunSettings(mode, engines=("library",), library=SAMPLE_LIBRARY)
    )
    built = runner.resume_or_run(resources, session, heartbeats.make_executor_id()).report
    assert built is not None
    words = len(report.to_markdown(built).partition("\n## Sources\n")[0].split())
    return {
        "decision": built.decision.split("_")[0],
        "kept": built.funnel["kept"],
        "judged": built.funnel["judged"],
        "words": words,
    }


def main() -> None:
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as home:
        resources = Resources(Settings.from_env({"ASSAY_HOME": home}))
        for mode in MODES:
            print(
                f"\n{mode} mode\n{'':3} {'should be':14} {'came out':13} {'kept':>7} {'words':>6} "
                " question"
            )
            for name, questions in SETS.items():
                good = 0
                for topic, question in questions:
                    found, should = run(resources, question, mode), OUTCOMES[topic]
                    good += found["decision"] in should
                    mark = "ok" if found["decision"] in should else "NO"
                    kept = f"{found['kept']} of {found['judged']}"
                    print(
                        f"{mark:3} {' or '.join(sorted(should)):14} {found['decision']:13}"
                        f" {kept:>7} {found['words']:6}  {question}"
                    )
                figures.setdefault(name, {})[mode] = f"{good} of {len(questions)}"
                print(f"    {name}: {good} of {len(questions)} as they should be")
        resources.db.close()
    record("paraphrases", figures)


if __name__ == "__main__":
    main()
