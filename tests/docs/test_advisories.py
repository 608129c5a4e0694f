"""`docs/advisories.py` before a source of advisories that is written here."""

from __future__ import annotations

import json
import subprocess
import sys

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.logs import ROOT


def check(source: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "advisories.py", "--source", source],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def serve(server: HTTPServer, affected: dict[str, list[str]]) -> list[dict[str, str]]:
    """Answer about packages by name; return what is asked about."""
    asked: list[dict[str, str]] = []

    def answer(request: Request) -> Response:
        results = []
        for query in json.loads(request.data)["queries"]:
            asked.append({query["package"]["name"]: query["version"]})
            ids = affected.get(query["package"]["name"], [])
            results.append({"vulns": [{"id": id} for id in ids]} if ids else {})
        return Response(json.dumps({"results": results}))

    server.expect_request("/v1/querybatch", method="POST").respond_with_handler(answer)
    return asked


def test_every_pinned_version_is_asked_about(httpserver: HTTPServer) -> None:
    asked = serve(httpserver, {})
    code, out, _ = check(httpserver.url_for(""))
    assert code == 0
    assert out.startswith(f"{len(asked)} pinned versions, 0 with advisories")
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = [line.partition(";")[0].strip().split("==") for line in lines if "==" in line]
    assert len(pins) > 100
    for name, version in pins:
        assert {name.partition("[")[0]: version} in asked
    # A direct dependency: pyproject.toml pins it, constraints.txt repeats it.
    assert [row for row in asked if "streamlit" in row]


def test_an_affected_version_is_named_and_fails(httpserver: HTTPServer) -> None:
    serve(httpserver, {"anyio": ["GHSA-2", "GHSA-1"], "pypdf": ["PYSEC-9"]})
    code, out, _ = check(httpserver.url_for(""))
    assert code == 1
    first, second, total = out.splitlines()
    assert first.startswith("anyio ")
    assert first.endswith(": GHSA-1, GHSA-2")
    assert second.endswith(": PYSEC-9")
    assert ", 2 with advisories" in total


def test_a_source_that_does_not_answer_is_no_clean_result(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1/querybatch").respond_with_data("{}")
    for source in ("http://127.0.0.1:9", httpserver.url_for("")):
        code, out, err = check(source)
        assert (code, out) == (3, "")
        assert "Nothing is known about the" in err
