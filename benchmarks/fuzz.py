"""Run every property test with 10,000 cases each.

    python benchmarks/fuzz.py [pytest arguments]

Needs the extra `dev`. Finds the test files that use hypothesis by their imports, so that a new one
is never forgotten. Prints the seed and pytest's report, and records whether all tests passed.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.inputs import ROOT
from benchmarks.results import record

#: Cases of each test under the hypothesis profile `full`.
CASES = 10_000


def find_property_tests() -> list[Path]:
    """Return the test files that import hypothesis."""
    files = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if "from hypothesis import" in path.read_text(encoding="utf-8"):
            files.append(path)
    return files


def main() -> int:
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__)
        return 0
    files = find_property_tests()
    seed = random.SystemRandom().randrange(2**32)
    print(f"{len(files)} files, seed {seed}", flush=True)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-m",
        "hypothesis",
        f"--hypothesis-seed={seed}",
        "--timeout=3600",
        *sys.argv[1:],
        *map(str, files),
    ]
    began = time.perf_counter()
    environment = {**os.environ, "HYPOTHESIS_PROFILE": "full"}
    pytest = subprocess.run(command, cwd=ROOT, env=environment, check=False)
    figures = {
        "cases_each": CASES,
        "files": len(files),
        "seed": seed,
        "passed": pytest.returncode == 0,
        "seconds": round(time.perf_counter() - began),
    }
    record("fuzz", figures)
    return pytest.returncode


if __name__ == "__main__":
    sys.exit(main())
