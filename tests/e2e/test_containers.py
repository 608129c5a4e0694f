"""Dockerfile and compose.yaml, as far as they can be tried without a container engine: each command
of the Dockerfile in a clean folder, and what the services of compose.yaml say.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import yaml

from research_core.settings import SETTING_ROWS

ROOT = Path(__file__).parents[2]
NOT_RUN = ("groupadd",)  # makes a user of the machine
Instruction = tuple[str, str]


def read_dockerfile() -> list[Instruction]:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip()]
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines]


def find_instruction(name: str) -> str:
    return next(rest for word, rest in read_dockerfile() if word == name)


def is_in_context(path: str) -> bool:
    """Whether .dockerignore lets the builder see a file: its last rule that fits decides."""
    seen = True
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        pattern = line.removeprefix("!").removeprefix("**/")
        parts = [path, *map(str, Path(path).parents), *Path(path).parts]
        if any(fnmatch.fnmatch(part, pattern) for part in parts):
            seen = line.startswith("!")
    return seen


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the first stage makes: its /opt/assay, with the packages of the tests."""
    folder = tmp_path_factory.mktemp("image")
    build, target = folder / "build", folder / "opt"
    build.mkdir()
    # The packages come from the tests' environment, and none from a registry.
    offline = {"PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0"}
    environment = {**os.environ, **offline, "PATH": f"{Path(sys.executable).parent}:{os.defpath}"}
    for word, rest in read_dockerfile():
        if word == "COPY" and not rest.startswith("--from"):
            *sources, place = rest.split()
            for source in sources:
                copy_context(source, build / place / ("" if place != "./" else source))
        elif word == "RUN" and not rest.startswith(NOT_RUN):
            command = shlex.split(rest.replace("/opt/assay", str(target)))
            done = subprocess.run(
                command, cwd=build, env=environment, capture_output=True, text=True, timeout=110
            )
            assert done.returncode == 0, done.stderr
            site = next(target.glob("lib/python*/site-packages"))
            (site / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return target


def copy_context(source: str, target: Path) -> None:
    path = ROOT / source
    if path.is_file():
        assert is_in_context(source), source
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
        return
    for file in path.rglob("*"):
        name = file.relative_to(ROOT).as_posix()
        if file.is_file() and is_in_context(name):
            place = target / file.relative_to(path)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, place)


def list_environment(image: Path, folder: Path) -> dict[str, str]:
    pairs = dict(pair.split("=", 1) for pair in find_instruction("ENV").split())
    found = {name: value.replace("/opt/assay", str(image)) for name, value in pairs.items()}
    found = {
        name: value.replace("/data", str(folder)).replace("$PATH", os.environ["PATH"])
        for name, value in found.items()
    }
    return {**found, "CI": "1"}


@pytest.mark.full
def test_commands_of_the_image_serve_the_app_in_good_health(image: Path, tmp_path: Path) -> None:
    environment = {**list_environment(image, tmp_path), "ASSAY_PUBLISHED_LOCALLY": "1"}
    port = str(free_port())
    command = json.loads(find_instruction("ENTRYPOINT")) + json.loads(find_instruction("CMD"))
    program = str(image / "bin" / command[0])
    health = find_instruction("HEALTHCHECK").partition("CMD ")[2].replace("8501", port)
    log = tmp_path / "log"
    with (
        log.open("wb") as lines,
        subprocess.Popen(
            [program, *command[1:], "--port", port],
            cwd=tmp_path, env=environment, stdout=lines, stderr=lines,
        ) as process,
    ):  # fmt: skip
        try:
            check = [str(image / "bin" / "python"), *json.loads(health)[1:]]
            until = time.monotonic() + 60
            while subprocess.run(check, env=environment, capture_output=True).returncode:
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < until, log.read_text()
                time.sleep(0.2)
            for host, status in (("localhost", 200), ("app", 421)):
                asked = urllib.request.Request(f"http://127.0.0.1:{port}/", headers={"Host": host})
                assert fetch_status(asked) == status
        finally:
            process.terminate()
            assert process.wait(timeout=15) in (0, -signal.SIGTERM)
    assert "Traceback" not in log.read_text()


def fetch_status(asked: urllib.request.Request) -> int:
    try:
        with urllib.request.urlopen(asked, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.full
def test_image_listens_beyond_loopback_only_where_that_was_allowed(
    image: Path, tmp_path: Path
) -> None:
    command = json.loads(find_instruction("ENTRYPOINT")) + json.loads(find_instruction("CMD"))
    done = subprocess.run(
        [str(image / "bin" / command[0]), *command[1:], "--port", str(free_port())],
        cwd=tmp_path, env=list_environment(image, tmp_path),
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert "no sign-in is configured" in done.stderr


def test_image_runs_as_a_user_of_its_own_who_owns_the_volume() -> None:
    lines = read_dockerfile()
    assert ("USER", "assay") in lines
    assert ("VOLUME", "/data") in lines
    made = next(rest for word, rest in lines if word == "RUN" and "useradd" in rest)
    assert "--uid 10001" in made
    assert "--owner=assay" in made
    assert all("slim" in rest for word, rest in lines if word == "FROM")


@pytest.mark.parametrize("secret", [".env", ".streamlit/secrets.toml", ".git/config", "a.db"])
def test_secrets_stay_out_of_the_image(secret: str) -> None:
    assert not is_in_context(secret)


def services(profile: str) -> dict[str, Any]:
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    return {
        name: service
        for name, service in compose["services"].items()
        if profile in service["profiles"]
    }


@pytest.mark.parametrize(
    ("profile", "names"),
    [
        ("app", {"app"}),
        ("workers", {"app-shared", "worker", "postgres"}),
        ("searxng", {"searxng"}),
        ("ollama", {"ollama"}),
    ],
)
def test_profiles_start_what_they_say(profile: str, names: set[str]) -> None:
    found = services(profile)
    assert found.keys() == names
    known = {row.name for row in SETTING_ROWS}
    for service in found.values():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
        if service["image"] == "assay-research":
            assert service["environment"].keys() <= known
    if profile == "workers":
        assert found["worker"]["deploy"]["replicas"] == 2
        addresses = {
            found[name]["environment"]["ASSAY_DATABASE_URL"] for name in ("app-shared", "worker")
        }
        assert len(addresses) == 1
