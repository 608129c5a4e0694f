"""Two databases of one process on one file, beside another process: nobody's locks are lifted,
nothing is torn.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from research_core.journal.store import create_session, list_sessions
from research_core.journal.tables import open_database
from research_core.models import Principal
from tests.everyday import mark_first_everyday

WHO = Principal()
OTHER_PROCESS = """
import sys
from research_core.models import Principal
from research_core.journal.store import create_session
from research_core.journal.tables import open_database
db = open_database(sys.argv[1])
for n in range(40):
    create_session(db, Principal(), f"{sys.argv[2]}-{n}", "question " * 200, {}, 0.0)
db.close()
"""


@pytest.mark.parametrize("rounds", mark_first_everyday([1, 4]))
def test_a_second_look_at_an_open_file_does_not_lift_its_locks(tmp_path: Path, rounds: int) -> None:
    url = f"sqlite:///{tmp_path / 'assay.db'}"
    first = open_database(url)
    create_session(first, WHO, "mine", "question", {}, 0.0)
    for round_ in range(rounds):
        second = open_database(url)
        subprocess.run(
            [sys.executable, "-c", OTHER_PROCESS, url, str(round_)],
            check=True,
            cwd=Path(__file__).parents[2],
        )
        create_session(second, WHO, f"second-{round_}", "question " * 200, {}, 0.0)
        assert len(list_sessions(first, WHO, limit=1000)) == 1 + 41 * (round_ + 1)
    with first.reading() as conn:
        assert conn.execute(sa.text("PRAGMA integrity_check")).scalar() == "ok"
