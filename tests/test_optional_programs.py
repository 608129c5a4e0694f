"""The browser and PostgreSQL of conftest.py: what a test gets, and what is said where one is
missing.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.conftest import missing

ROOT = Path(__file__).parents[1]


def test_postgres_database_is_empty(postgres_url: str) -> None:
    with psycopg.connect(postgres_url.replace("+psycopg", "")) as connection:
        tables = connection.execute(
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        ).fetchone()
    assert tables == (0,)


def test_missing_says_how_to_get_the_program_and_fails_where_it_is_required(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ASSAY_REQUIRE", "postgres")
    with pytest.raises(pytest.skip.Exception, match="Install it"):
        missing("browser", "Install it.")
    monkeypatch.setenv("ASSAY_REQUIRE", "postgres,browser")
    with pytest.raises(
        pytest.fail.Exception, match=r"Install it\. \(ASSAY_REQUIRE asks for browser\.\)"
    ):
        missing("browser", "Install it.")


@pytest.mark.full
@pytest.mark.parametrize(
    ("test", "without", "required", "said"),
    [
        (
            "test_optional_programs.py::test_postgres_database_is_empty",
            "ASSAY_TEST_POSTGRES_URL",
            "browser",
            "1 skipped",
        ),
        (
            "e2e/test_shell.py::test_altered_session_id_is_said_and_dropped",
            "PATH",
            "postgres,browser",
            "ASSAY_REQUIRE asks for browser",
        ),
    ],
)
def test_missing_program_skips_unless_required(
    test: str, without: str, required: str, said: str
) -> None:
    environment = {**os.environ, without: "", "ASSAY_REQUIRE": required}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/{test}"]
    result = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=110
    )
    assert said in result.stdout
    assert result.returncode == int("browser" in said)
    assert "Set ASSAY_TEST_POSTGRES_URL" in result.stdout or "Install Chromium" in result.stdout
