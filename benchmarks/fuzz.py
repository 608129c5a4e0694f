"""Every property test with 10,000 cases: `python benchmarks/fuzz.py [pytest words]`. CI runs the
same tests with 200.

Finds the files that use hypothesis by their imports, so that a new one is never forgotten. The seed
is printed; a failure prints how to run it again.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results import record

ROOT = Path(__file__).parents[1]


def main() -> int:
    files = sorted(
        path
        for path in (ROOT / "tests").rglob("test_*.py")
        if "from hypothesis import" in path.read_text(encoding="utf-8")
    )
    seed = random.SystemRandom().randrange(2**32)
    print(f"{len(files)} files, seed {seed}", flush=True)
    began = time.perf_counter()
    words = ["-q", "-m", "hypothesis", f"--hypothesis-seed={seed}", "--timeout=3600", *sys.argv[1:]]
    command = [sys.executable, "-m", "pytest", *words, *map(str, files)]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "HYPOTHESIS_PROFILE": "full"}, check=False
    )
    seconds = round(time.perf_counter() - began)
    record(
        "fuzz",
        {
            "cases_each": 10_000,
            "files": len(files),
            "seed": seed,
            "passed": done.returncode == 0,
            "seconds": seconds,
        },
    )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
