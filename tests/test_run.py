"""run.py, from its small parts to whole runs against an interpreter that writes down how it was
called.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.everyday import mark_first_everyday
from tests.timing import LONG_S

ROOT = Path(__file__).parents[1]


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("run", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


run = load(ROOT / "run.py")

# ---------------------------------------------------------------- .env


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        ("\n  \n# a comment\n   # another\n", {}),
        ("A=1", {"A": "1"}),
        ("\ufeffA=1\r\nB=2\r\n", {"A": "1", "B": "2"}),
        ("  export A = b c  ", {"A": "b c"}),
        ("A=", {"A": ""}),
        ("A= # nothing yet", {"A": ""}),
        ("A=b # comment", {"A": "b"}),
        ("A=b#c", {"A": "b#c"}),
        ("A=x=y=z", {"A": "x=y=z"}),
        ('A=" b # c "  # comment', {"A": " b # c "}),
        ("A='say \"hi\"'", {"A": 'say "hi"'}),
        ("A=it's", {"A": "it's"}),
        ("A=$HOME", {"A": "$HOME"}),
        ("A=1\nA=2", {"A": "2"}),
    ],
)
def test_env_file(text: str, values: dict[str, str]) -> None:
    assert run.read_env(text) == values


@pytest.mark.parametrize(
    "line", ["secret", "=1", "1A=2", "A B=2", 'A="open', "A='open", 'A="x"y', "A=#x", "Ä=1"]
)
def test_env_line_that_is_none_is_named_by_number_only(line: str) -> None:
    with pytest.raises(ValueError, match="line 2 is not KEY=VALUE") as caught:
        run.read_env(f"# first\n{line}")
    assert line not in str(caught.value)


KEYS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,9}", fullmatch=True)
VALUES = st.text(st.characters(exclude_characters="'\n", exclude_categories=["Cs"]))


@given(st.dictionaries(KEYS, VALUES))
def test_env_values_in_quotes_come_back_whole(values: dict[str, str]) -> None:
    assert run.read_env("\n".join(f"{key}='{value}'" for key, value in values.items())) == values


@given(st.text())
def test_env_reader_answers_any_text(text: str) -> None:
    try:
        values = run.read_env(text)
    except ValueError:
        return
    assert all(key.isidentifier() for key in values)


# ---------------------------------------------------------------- whole runs

RECORDER = """
import json, os, sys
env = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
seen = {"words": sys.argv[1:], "folder": os.getcwd(), "key": os.environ.get("KEY"), "other": os.environ.get("OTHER"), "pip": env}
seen["no bytecode"] = os.environ.get("PYTHONDONTWRITEBYTECODE")
open(os.environ.get("RECORD", os.devnull), "a").write(json.dumps(seen) + "\\n")
sys.exit(int(os.environ.get("EXIT", "0")))
"""

OWN_EXTRAS, TWO_EXTRAS = 'EXTRAS = ("browser",)\n', 'EXTRAS = ("speech", "browser")\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout, in a folder with spaces in its name, whose .venv is stamped as ready and holds a
    recording interpreter. It has a second extra, so that several can be wanted.
    """
    folder = tmp_path / "a check out"
    (folder / ".venv" / "bin").mkdir(parents=True)
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    source = (ROOT / "run.py").read_text(encoding="utf-8")
    assert source.count(OWN_EXTRAS) == 1
    (folder / "run.py").write_text(source.replace(OWN_EXTRAS, TWO_EXTRAS), encoding="utf-8")
    (folder / "recorder.py").write_text(RECORDER)
    python = folder / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{folder}/recorder.py" "$@"\n')
    python.chmod(0o755)
    (folder / ".venv" / "pyvenv.cfg").touch()
    (folder / ".venv" / "assay-stamp").write_text(
        f"{load(folder / 'run.py').compute_fingerprint()} app dev\n"
    )
    return folder


def start(project: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the project's run.py from a folder above it."""
    return finish(
        [sys.executable, str(project / "run.py"), *words],
        project.parent,
        RECORD=str(project / "record"),
        **environment,
    )


def finish(
    command: list[str], folder: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=110,
    )


def start_without_ensurepip(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run it as on a Debian whose Python lacks the venv package."""
    path = str(project / "run.py")
    script = "import runpy, sys; sys.modules['ensurepip'] = None; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
    return finish([sys.executable, "-c", script, path, *words], project.parent)


def calls(project: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (project / "record").read_text().splitlines()]


@pytest.mark.parametrize(
    ("words", "becomes", "moves"),
    [
        ([], ["app.py"], True),
        (["test"], ["-m", "pytest"], True),
        (["test", "-k", "a b"], ["-m", "pytest", "-k", "a b"], True),
        (
            ["ask", "why so?", "--out", "a b.md"],
            ["-P", "-m", "research_core", "ask", "why so?", "--out", "a b.md"],
            False,
        ),
        (["worker"], ["-P", "-m", "research_core.workers"], False),
        (["mcp"], ["-P", "-m", "research_core.mcp_stdio"], False),
        (
            ["--server.headless", "true"],
            ["app.py", "--server.headless", "true"],
            True,
        ),
        (
            ["--browser.gatherUsageStats=false"],
            ["app.py", "--browser.gatherUsageStats=false"],
            True,
        ),
        (["--version"], ["-P", "-m", "research_core", "--version"], False),
        (["ask", "--server.port"], ["-P", "-m", "research_core", "ask", "--server.port"], False),
    ],
)
def test_words_and_where_they_go(
    project: Path, words: list[str], becomes: list[str], moves: bool
) -> None:
    result = start(project, *words)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert [(call["words"], call["folder"]) for call in calls(project)] == [
        (becomes, str(project if moves else project.parent))
    ]


@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_exit_code_is_the_programs_own(project: Path, code: int) -> None:
    assert start(project, "ask", "why?", EXIT=str(code)).returncode == code


def test_the_tests_keep_their_bytecode_and_the_app_does_as_it_is_told(project: Path) -> None:
    for words in (["test"], ["worker"]):
        assert start(project, *words, PYTHONDONTWRITEBYTECODE="1").returncode == 0
    assert [call["no bytecode"] for call in calls(project)] == [None, "1"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--help"], "python3 run.py test"),
        (["-h"], "python3 run.py test"),
        (["help"], "python3 run.py test"),
        (["help", "worker"], "python3 run.py test"),
        (["worker", "--help"], "usage: python3 run.py worker"),
        (["worker", "-h"], "usage: python3 run.py worker"),
    ],
)
def test_help_installs_nothing(project: Path, words: list[str], line: str) -> None:
    shutil.rmtree(project / ".venv")
    result = start(project, *words)
    assert (result.returncode, result.stderr) == (0, "")
    assert line in result.stdout
    assert not (project / ".venv").exists()


@pytest.mark.parametrize("words", [["now"], ["--port", "1"], ["-v"], ["--workers=2"], ["größer"]])
def test_a_worker_takes_no_options(project: Path, words: list[str]) -> None:
    result = start(project, "worker", *words)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"run.py worker takes no options; got: {' '.join(words)}\n"
    assert not (project / "record").exists()


def test_env_file_fills_in_but_never_overrides(project: Path) -> None:
    (project / ".env").write_text("KEY=from file\nOTHER=from file\n")
    assert start(project, "ask", KEY="from environment").returncode == 0
    assert start(project, "test").returncode == 0
    assert [(call["key"], call["other"]) for call in calls(project)] == [
        ("from environment", "from file"),
        (None, None),
    ]


def test_the_program_learns_the_env_file_and_what_came_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ASSAY_ENV_FILE", "ASSAY_ENV_FILE_NAMES", "ASSAY_MODEL"):
        monkeypatch.setenv(name, "before")
        monkeypatch.delenv(name)
    monkeypatch.setenv("GEMINI_API_KEY", "")
    path = tmp_path / ".env"
    path.write_text("GEMINI_API_KEY=a\nASSAY_MODEL=offline\n")
    run.load_env(path)
    assert os.environ["ASSAY_ENV_FILE"] == str(path)
    assert os.environ["ASSAY_ENV_FILE_NAMES"] == "ASSAY_MODEL"
    assert (os.environ["GEMINI_API_KEY"], os.environ["ASSAY_MODEL"]) == ("", "offline")


def test_bad_env_file_is_a_sentence(project: Path) -> None:
    (project / ".env").write_text("KEY\n")
    result = start(project, "ask")
    assert result.returncode == 1
    assert "line 1 is not KEY=VALUE" in result.stderr
    assert "Traceback" not in result.stderr


def test_ready_project_starts_at_once(project: Path) -> None:
    assert "setting up" not in start(project, "ask").stdout
    assert [call["words"] for call in calls(project)] == [
        ["-P", "-m", "research_core", "ask"]
    ]  # nothing was made or installed


@pytest.mark.parametrize("gone", ["pins", "stamp", "interpreter", "pyvenv.cfg", "all"])
def test_what_is_not_ready_is_made_afresh(project: Path, gone: str) -> None:
    """Without the venv package it cannot be made; then the package is named, and no stamp passes
    for success.
    """
    match gone:
        case "pins":
            (project / "constraints.txt").write_text("streamlit==0\n")
        case "stamp":
            (project / ".venv" / "assay-stamp").unlink()
        case "interpreter":
            (project / ".venv" / "bin" / "python").unlink()
            (project / ".venv" / "bin" / "python").symlink_to("/nowhere/python")
        case "pyvenv.cfg":
            (project / ".venv" / "pyvenv.cfg").unlink()
        case "all":
            shutil.rmtree(project / ".venv")
    result = start_without_ensurepip(project, "ask")
    assert result.returncode == 1
    assert f"sudo apt-get install python3.{sys.version_info.minor}-venv" in result.stderr
    assert not (project / ".venv" / "assay-stamp").exists()


@pytest.mark.parametrize("words", [(), ("test",), ("ask", "x")])
def test_a_folder_that_is_linked_to_is_not_emptied(project: Path, words: tuple[str, ...]) -> None:
    theirs = project.parent / "their environment"
    (project / ".venv").rename(theirs)
    (theirs / "assay-stamp").unlink()
    (project / ".venv").symlink_to(theirs)
    before = sorted(theirs.rglob("*"))
    result = start(project, *words)
    assert result.returncode == 1
    assert f"is a link. To set Assay up would empty {theirs}" in result.stderr
    assert sorted(theirs.rglob("*")) == before


@pytest.mark.full
def test_failed_installation_leaves_no_stamp(project: Path) -> None:
    """With no package source at all, for real: a new .venv, then uv and pip in vain."""
    (project / ".venv" / "assay-stamp").unlink()
    result = start(
        project,
        "test",
        PIP_NO_INDEX="1",
        PIP_FIND_LINKS="",
        PIP_CONFIG_FILE=os.devnull,
        UV_OFFLINE="1",
    )
    assert result.returncode == 1
    assert "· making" in result.stdout
    assert "The installation failed" in result.stderr
    assert not (project / ".venv" / "assay-stamp").exists()
    assert not (project / "record").exists()


@pytest.mark.full
def test_test_packages_are_added_to_a_ready_app(project: Path) -> None:
    stamp = project / ".venv" / "assay-stamp"
    stamp.write_text(stamp.read_text().replace(" dev", ""))
    result = start_without_ensurepip(project, "ask")
    assert (result.returncode, result.stdout) == (0, "")
    result = start(project, "test")
    assert result.stdout.startswith("· setting up")
    assert [call["words"][:4] for call in calls(project)] == [
        ["-P", "-m", "pip", "install"],
        ["-P", "-m", "uv", "pip"],
        ["-P", "-m", "research_core", "--version"],
        ["-m", "pytest"],
    ]
    assert stamp.read_text().split()[1:] == ["app", "dev"]


@pytest.mark.full
def test_extras_are_added_to_what_is_there_once(project: Path) -> None:
    stamp = project / ".venv" / "assay-stamp"
    result = start(project, "extras", "speech", "browser")
    assert result.returncode == 0
    assert "speech and browser: installed" in result.stdout
    (wanted,) = [
        call["words"][-1]
        for call in calls(project)
        if call["words"][:4] == ["-P", "-m", "uv", "pip"]
    ]
    assert wanted == ".[browser,dev,speech]"
    assert stamp.read_text().split()[1:] == ["app", "browser", "dev", "speech"]
    (project / "record").unlink()
    assert start(project, "extras", "browser").returncode == 0
    assert start(project, "ask").returncode == start(project, "test").returncode == 0
    assert [call["words"][:3] for call in calls(project)] == [
        ["-P", "-m", "research_core"],
        ["-m", "pytest"],
    ]


@pytest.mark.parametrize(
    ("have", "stands", "names"),
    [
        ([], False, []),
        (["now", "app"], True, []),
        (["now", "app", "browser", "dev"], True, ["browser", "dev"]),
        (["older", "app", "browser", "dev", "gone", "semantic"], False, ["browser"]),
    ],
)
def test_after_new_pins_the_extras_come_back_and_what_the_tests_need_waits_for_them(
    have: list[str], stands: bool, names: list[str]
) -> None:
    assert run.list_extras_to_keep(have, stands) == names


def test_the_extras_are_those_of_the_project() -> None:
    offered = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    assert [*run.EXTRAS] == [name for name in offered if name != "dev"]


@pytest.mark.parametrize(
    "names", [[], ["dev"], ["speech", "nonsense"], ["semantic", "nonsense"], ["--help"]]
)
def test_an_extra_there_is_none_of_is_a_sentence(project: Path, names: list[str]) -> None:
    result = start(project, "extras", *names)
    assert result.returncode == 1
    assert (
        "Name one or more of: speech, browser. For example: python3 run.py extras speech"
        in result.stderr
    )
    assert not (project / "record").exists()


@pytest.mark.parametrize(
    ("names", "installed"),
    [
        (["semantic"], ""),
        (["semantic", "semantic"], ""),
        (["semantic", "browser"], ".[browser,dev]"),
        (["browser", "semantic"], ".[browser,dev]"),
        (["speech", "semantic", "browser"], ".[browser,dev,speech]"),
    ],
)
def test_a_former_extra_is_said_to_be_part_of_assay(
    project: Path, names: list[str], installed: str
) -> None:
    result = start(project, "extras", *names)
    assert (result.returncode, result.stderr) == (0, "")
    said = "· semantic is part of Assay now; there is nothing to install for it\n"
    assert result.stdout.count("semantic") == 1
    assert result.stdout.startswith(said)
    made = calls(project) if (project / "record").exists() else []
    assert [call["words"][-1] for call in made if call["words"][2:4] == ["uv", "pip"]] == (
        [installed] if installed else []
    )


def test_ctrl_c_while_setting_up_is_no_traceback(project: Path) -> None:
    (project / ".venv" / "assay-stamp").write_text(
        f"{load(project / 'run.py').compute_fingerprint()} app\n"
    )
    (project / ".venv" / "bin" / "python").write_text("#!/bin/sh\necho waiting\nexec sleep 300\n")
    command = [sys.executable, str(project / "run.py"), "test"]
    heeding = partial(
        signal.signal, signal.SIGINT, signal.SIG_DFL
    )  # who runs the tests in the background may have it ignored
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heeding,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        while process.stdout.readline() != "waiting\n":
            pass
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(timeout=LONG_S) == 130
        assert process.stderr.read() == "\nStopped. The same command goes on from here.\n"
    assert not (project / ".venv" / "assay-stamp").exists()


# ---------------------------------------------------------------- several starts, and those cut short

#: Stands in for `python -m venv --clear DIR`: says so, waits to be let on where it has to, and
#: makes a .venv of the recording interpreter.
MAKER = """#!/bin/sh
echo venv >> "{folder}/steps"
rm -rf "$4"
[ "$HOLD" = venv ] && read -r _ < "{folder}/on"
mkdir -p "$4/bin"
cp "{folder}/python" "$4/bin/python"
[ "$HOLD" = cfg ] || touch "$4/pyvenv.cfg"
"""
#: The recording interpreter, which waits to be let on where it is uv.
PYTHON = """#!/bin/sh
echo "$3" >> "{folder}/steps"
[ "$HOLD" = "$3" ] && read -r _ < "{folder}/on"
case "$OFFLINE $3" in "1 pip" | "1 uv") exit 1 ;; esac
exec "{python}" "{folder}/recorder.py" "$@"
"""
#: run.py in an interpreter that makes a .venv by the maker.
MADE_BY = "import runpy, sys; sys.executable = sys.argv[1]; del sys.argv[:2]; runpy.run_path(sys.argv[0], run_name='__main__')"
WAITS = "· another start is setting Assay up; waiting for it\n"


@pytest.fixture
def bare(project: Path) -> Path:
    """The project without a .venv, whose steps of a set-up are written into the file steps."""
    shutil.rmtree(project / ".venv")
    os.mkfifo(project / "on")
    for name, text in (("maker", MAKER), ("python", PYTHON)):
        (project / name).write_text(text.format(folder=project, python=sys.executable))
        (project / name).chmod(0o755)
    return project


def begin(project: Path, *words: str, **environment: str) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-c",
        MADE_BY,
        str(project / "maker"),
        str(project / "run.py"),
        *words,
    ]
    env = {**os.environ, "RECORD": str(project / "record"), **environment}
    return subprocess.Popen(
        command,
        cwd=project.parent,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def steps(project: Path) -> list[str]:
    return (project / "steps").read_text().split() if (project / "steps").exists() else []


def reached(project: Path, step: str, process: subprocess.Popen[str]) -> None:
    """Wait until a start is at this step, where it is held."""
    until(lambda: step in steps(project) or process.poll() is not None)
    assert process.poll() is None, process.communicate()


def until(true: Callable[[], bool]) -> None:
    late = time.monotonic() + LONG_S
    while not true():
        assert time.monotonic() < late
        time.sleep(0.01)


def waiting(process: subprocess.Popen[str]) -> subprocess.Popen[str]:
    assert process.stderr is not None
    assert process.stderr.readline() == WAITS
    return process


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    said, complained = process.communicate(timeout=LONG_S)
    return process.returncode, said, complained


@pytest.mark.full
@pytest.mark.parametrize("step", mark_first_everyday(["uv", "venv"]))
def test_of_several_starts_one_sets_up_and_the_others_wait_for_it(bare: Path, step: str) -> None:
    first = begin(bare, "extras", "browser", HOLD=step)
    reached(bare, step, first)
    others = [
        waiting(begin(bare, *words)) for words in (["tools", "list"], ["mcp"], ["ask", "why?"])
    ]
    assert [process.poll() for process in others] == [None] * 3
    (bare / "on").write_text("go on\n")
    assert ended(first)[0] == 0
    assert [ended(process) for process in others] == [
        (0, "", "")
    ] * 3  # standard output is the program's own
    assert steps(bare)[:4] == ["venv", "pip", "uv", "research_core"]
    assert sorted(steps(bare)[4:]) == ["research_core", "research_core", "research_core.mcp_stdio"]
    assert (bare / ".venv" / "assay-stamp").read_text().split()[1:] == ["app", "browser"]
    assert (bare / ".venv.lock").read_text() == ""


@pytest.mark.parametrize("step", mark_first_everyday(["uv", "venv"]))
def test_a_killed_set_up_is_done_anew_with_its_extras_once_what_it_started_has_ended(
    bare: Path, step: str
) -> None:
    first = begin(bare, "extras", "speech", HOLD=step)
    reached(bare, step, first)
    first.kill()
    second = waiting(
        begin(bare, "extras", "browser")
    )  # the maker or installer that the killed one started still works in .venv
    (bare / "on").write_text("go on\n")
    assert ended(second)[0] == 0
    first.communicate(timeout=LONG_S)
    assert [name for name in steps(bare) if name == "venv"] == ["venv", "venv"]
    assert (bare / ".venv" / "assay-stamp").read_text().split()[1:] == [
        "app",
        "browser",
        "speech",
    ]
    assert (bare / ".venv.lock").read_text() == ""


def test_what_is_left_of_a_set_up_killed_with_all_it_started_holds_nobody_up(bare: Path) -> None:
    (bare / ".venv.lock").write_text("browser dev gone")
    assert ended(begin(bare, "ask"))[::2][0] == 0
    assert (bare / ".venv" / "assay-stamp").read_text().split()[1:] == ["app", "browser"]


@pytest.mark.full
def test_new_pins_make_it_anew_with_the_extras_there_were(bare: Path) -> None:
    assert ended(begin(bare, "extras", "browser"))[0] == 0
    (bare / "constraints.txt").write_text("streamlit==0\n")
    assert ended(begin(bare, "ask"))[0] == 0
    assert steps(bare).count("venv") == 2
    assert (bare / ".venv" / "assay-stamp").read_text().split()[1:] == ["app", "browser"]


def test_another_interpreter_leaves_alone_what_stands(bare: Path) -> None:
    assert ended(begin(bare, "ask"))[0] == 0
    said = finish(
        [
            sys.executable,
            "-c",
            f"import sys; sys.version = '3.99.0'; {MADE_BY}",
            "nowhere",
            str(bare / "run.py"),
            "ask",
        ],
        bare,
    )
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")
    assert steps(bare).count("venv") == 1


@pytest.mark.full
def test_an_extra_that_cannot_be_installed_is_named_by_nobody_again_and_those_before_it_are(
    bare: Path,
) -> None:
    assert ended(begin(bare, "extras", "browser"))[0] == 0
    code, _, complained = ended(begin(bare, "extras", "speech", EXIT="1"))
    assert (code, complained.startswith("The installation failed")) == (1, True)
    assert not (bare / ".venv" / "assay-stamp").exists()
    assert ended(begin(bare, "ask"))[0] == 0
    assert (bare / ".venv" / "assay-stamp").read_text().split()[1:] == ["app", "browser"]


@pytest.mark.full
@pytest.mark.parametrize("words", [["extras", "speech"], ["test"]], ids=" ".join)
def test_what_stands_outlives_what_cannot_be_added_to_it(bare: Path, words: list[str]) -> None:
    assert ended(begin(bare, "extras", "browser"))[0] == 0
    code, _, complained = ended(begin(bare, *words, OFFLINE="1"))
    assert (code, complained.startswith("The installation failed")) == (1, True)
    assert ended(begin(bare, "ask", OFFLINE="1")) == (0, "", "")
    assert steps(bare).count("venv") == 1
    assert (bare / ".venv" / "assay-stamp").read_text().split()[1:] == ["app", "browser"]


def test_where_the_interpreter_is_the_machines_nothing_is_installed(bare: Path) -> None:
    """An interpreter without pyvenv.cfg beside it is the one it links to."""
    code, _, complained = ended(begin(bare, "ask", HOLD="cfg"))
    assert code == 1
    assert complained.endswith(
        f"{bare}/.venv has gone while it was set up; nothing is installed elsewhere. Run the same command again.\n"
    )
    assert steps(bare) == ["venv"]


def test_installers_are_told_to_install_into_the_venv_and_nowhere_else(bare: Path) -> None:
    assert (
        ended(
            begin(
                bare,
                "ask",
                PIP_TARGET="/elsewhere",
                PIP_USER="1",
                PIP_PYTHON="/usr/bin/python3",
                PIP_TIMEOUT="9",
            )
        )[0]
        == 0
    )
    by_pip, by_uv = calls(bare)[:2]
    assert by_pip["words"][:4] == ["-P", "-m", "pip", "install"]
    assert by_uv["words"][:4] == ["-P", "-m", "uv", "pip"]
    assert (
        " ".join(by_uv["words"][4:9])
        == f"install --python {bare}/.venv/bin/python --prefix {bare}/.venv"
    )
    for told in (by_pip["pip"], by_uv["pip"]):
        assert told["PIP_REQUIRE_VIRTUALENV"] == "1"
        assert told["PIP_TIMEOUT"] == "9"
        assert not {"PIP_TARGET", "PIP_USER", "PIP_PYTHON"} & {*told}


# ---------------------------------------------------------------- output that nobody reads


def test_output_nobody_reads_ends_it_quietly(project: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, str(project / "run.py"), "--help"]
    said = subprocess.run(
        command, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=LONG_S
    )
    os.close(writing)
    assert (said.returncode, said.stderr) == (141, "")


def test_closed_ends_are_no_trouble_and_no_files_place(bare: Path) -> None:
    command = f'"{sys.executable}" -c "$1" "$2/maker" "$2/run.py" ask why'
    said = subprocess.run(
        ["/bin/sh", "-c", f"exec {command} <&- >&-", "sh", MADE_BY, str(bare)],
        stderr=subprocess.PIPE, env={**os.environ, "RECORD": str(bare / "record")}, text=True, timeout=LONG_S,
    )  # fmt: skip
    assert said.returncode == 0
    assert calls(bare)[-1]["words"] == ["-P", "-m", "research_core", "ask", "why"]
    assert (bare / ".venv.lock").read_text() == ""


def test_a_folder_that_cannot_be_written_is_a_sentence(bare: Path) -> None:
    (bare / ".venv.lock").mkdir()
    code, _, complained = ended(begin(bare, "ask"))
    assert (code, complained) == (
        1,
        f"The operating system reported an error: {bare}/.venv.lock: Is a directory.\n",
    )
