"""The web of `tests/local_web.py` and the place of made-up worlds as fixtures, and both databases."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from pytest_httpserver import HTTPServer
from sqlalchemy.engine import make_url

from research_core.journal.database import Database, find_sqlite_path
from research_core.journal.tables import open_database
from research_core.policy import SAMPLE_LIBRARY
from research_core.settings import Settings
from research_core.web.http.client import Client
from research_core.web.http.pacing import HostPacing
from research_core.wiring import LOCAL_USER, Resources
from tests.local_web import PUBLIC, Internet, LocalServer, opened, serving
from tests.world import Place


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a database file with all its tables, once: a copy takes a quarter of the time of a new
    one.
    """
    file = tmp_path_factory.mktemp("database") / "empty.db"
    open_database(f"sqlite:///{file}").close()
    return file


@pytest.fixture(scope="session")
def database_with_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a database file that holds the sample library, once: to read its 80 pages takes half a
    second.
    """
    home = tmp_path_factory.mktemp("sample")
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(home)}))
    resources.library(LOCAL_USER).prepare(SAMPLE_LIBRARY)
    resources.db.close()
    return home / "assay.db"


@pytest.fixture
def place(tmp_path: Path, empty_database: Path) -> Iterator[Place]:
    """Where worlds of `tests.world` are run: a database of its own."""
    shutil.copy(empty_database, tmp_path / "world.db")
    db = open_database(f"sqlite:///{tmp_path / 'world.db'}")
    yield Place(db, tmp_path)
    db.close()


@pytest.fixture
def canary() -> Iterator[LocalServer]:
    with serving(
        lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret")
    ) as server:
        yield server
        assert server.connections == 0


@pytest.fixture
def internet(httpserver: HTTPServer, canary: LocalServer) -> Internet:
    names = {
        name: [[PUBLIC]]
        for name in (
            "pages.example.org",
            "other.example.org",
            "secure.example.org",
            "wrong.example.org",
        )
    }
    return Internet(names, httpserver.port, canary.port)


@pytest.fixture
def client(internet: Internet) -> Iterator[Client]:
    pacing = HostPacing(delay_s=0.0, robots=False)  # a test that is about them has its own
    with opened(resolve=internet.resolve, connect=internet.connect, pacing=pacing) as client:
        yield client


@pytest.fixture
def postgres_schema(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of an empty schema, dropped after the test: ten times as fast as a database of
    its own.
    """
    server = os.environ.get("ASSAY_TEST_POSTGRES_URL") or request.getfixturevalue(
        "postgres_url"
    )  # which says how to get one
    url, name = make_url(server), f"assay_{uuid.uuid4().hex}"
    with psycopg.connect(
        url.set(drivername="postgresql").render_as_string(hide_password=False), autocommit=True
    ) as connection:
        connection.execute(f'CREATE SCHEMA "{name}"')
        yield url.update_query_dict({"options": f"-csearch_path={name}"}).render_as_string(
            hide_password=False
        )
        connection.execute(f'DROP SCHEMA "{name}" CASCADE')


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of either kind: a test that takes this runs on both."""
    return (
        str(request.getfixturevalue("postgres_schema"))
        if request.param == "postgresql"
        else f"sqlite:///{tmp_path / 'assay.db'}"
    )


@pytest.fixture
def db(database_url: str, empty_database: Path) -> Iterator[Database]:
    file = find_sqlite_path(database_url)
    if file is not None:
        shutil.copy(empty_database, file)
    db = open_database(database_url)
    yield db
    db.close()
