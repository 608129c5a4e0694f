"""The house rules of CONTRIBUTING.md that a program can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Collection, Iterable
from functools import cache
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CORE = sorted((ROOT / "research_core").rglob("*.py"))
PAGES = sorted((ROOT / "pages").rglob("*.py"))
PRODUCT = [*CORE, *PAGES, ROOT / "app.py", ROOT / "run.py"]
TESTS = sorted((ROOT / "tests").rglob("*.py"))

# Files that may catch everything and go on, each with its reason. A new one is argued for in
# review, not added in passing.
MAY_CATCH_ALL = {
    "research_core/pipeline/gather.py": "a task's error is carried to the coordinator and raised there",
    "research_core/pipeline/audit_run.py": "a task's error is carried to the coordinator and raised there",
    "research_core/llm/model_chain.py": "a call's error is carried to the thread that asked and raised there",
    "research_core/web/html/__init__.py": "where the extractor breaks on a hostile page, the page's own blocks are taken",
    "research_core/web/documents/sandbox.py": "whatever a hostile document does to its parser is a fact about that document",
}

# What a screen may import of the core: readings of the log and plain values, never a step or the
# store.
PAGES_MAY_IMPORT = {
    "i18n",
    "citations", "decisions", "errors", "export", "journal", "model_messages", "models", "modes", "pipeline", "policy",
    "sessions", "text", "tools", "trust", "urls", "userdata", "web", "wiring",
}  # fmt: skip

# Joined here, so that this file does not itself name one.
REGISTRIES = [
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("deb", "debian", "org"),
    )
]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(tree(path)))


@cache
def imports(path: Path) -> frozenset[str]:
    """Return every module a file imports, in full: `from a import b` gives a and a.b."""
    modules = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module)
            modules.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(modules)


def offenders(
    paths: Iterable[Path], faults: Callable[[Path], Collection[object]]
) -> dict[str, list[object]]:
    """Return the files that break a rule, each with the places where it does."""
    found = {}
    for path in paths:
        places = faults(path)
        if places:
            found[name(path)] = sorted(places, key=str)
    return found


def test_there_are_files_to_check() -> None:
    assert len(CORE) > 100
    assert len(PAGES) > 20
    assert len(TESTS) > 100


def body_length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its signature and docstring."""
    first, *rest = function.body
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    if is_docstring and not rest:
        return 0
    start = rest[0] if is_docstring else first
    return (function.end_lineno or 0) - start.lineno + 1


def test_no_body_of_a_function_is_over_60_lines() -> None:
    def long_functions(path: Path) -> list[str]:
        functions = [
            node for node in nodes(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        return [function.name for function in functions if body_length(function) > 60]

    assert offenders(PRODUCT, long_functions) == {}


def test_every_module_says_what_it_does() -> None:
    def lacks_docstring(path: Path) -> list[str]:
        return [] if ast.get_docstring(tree(path)) else ["it has no docstring"]

    assert offenders([*PRODUCT, *TESTS], lacks_docstring) == {}


def test_only_settings_reads_the_environment() -> None:
    reads = {"environ", "environb", "getenv", "getenvb", "putenv"}

    def reads_of_it(path: Path) -> list[object]:
        lines = [
            node.lineno
            for node in nodes(path)
            if isinstance(node, ast.Attribute) and node.attr in reads
        ]
        return [*lines, *({f"os.{read}" for read in reads} & imports(path))]

    others = [path for path in PRODUCT if name(path) not in {"research_core/settings.py", "run.py"}]
    assert offenders(others, reads_of_it) == {}


def test_core_never_imports_the_screens() -> None:
    def screens(path: Path) -> set[str]:
        return {"streamlit", "pages", "parts"} & {
            module.partition(".")[0] for module in imports(path)
        }

    assert offenders(CORE, screens) == {}


def test_screens_import_only_the_core_s_readings() -> None:
    def others(path: Path) -> set[str]:
        from_core = {
            module.split(".")[1] for module in imports(path) if module.startswith("research_core.")
        }
        return from_core - PAGES_MAY_IMPORT

    assert offenders(PAGES, others) == {}


def test_nothing_catches_everything_and_goes_on() -> None:
    def blind_handlers(path: Path) -> list[int]:
        handlers = [node for node in nodes(path) if isinstance(node, ast.ExceptHandler)]
        return [
            handler.lineno
            for handler in handlers
            if catches_all(handler) and not raises_on(handler)
        ]

    found = offenders(PRODUCT, blind_handlers)
    not_allowed = {file: lines for file, lines in found.items() if file not in MAY_CATCH_ALL}
    no_longer_needed = MAY_CATCH_ALL.keys() - found
    assert (not_allowed, no_longer_needed) == ({}, set())


def catches_all(handler: ast.ExceptHandler) -> bool:
    names = [
        node.id
        for node in ast.walk(handler.type or ast.Name("Exception"))
        if isinstance(node, ast.Name)
    ]
    return "Exception" in names or "BaseException" in names


def raises_on(handler: ast.ExceptHandler) -> bool:
    """Whether it only tidies up: its last statement is a bare `raise`."""
    return isinstance(handler.body[-1], ast.Raise) and handler.body[-1].exc is None


def test_tests_use_the_seams_and_patch_nothing() -> None:
    patches = {"monkeypatch.setattr", "mocker.patch", "patch", "patch.object"}

    def patched(path: Path) -> list[object]:
        calls = [node.func for node in nodes(path) if isinstance(node, ast.Call)]
        lines = [
            func.lineno
            for func in calls
            if isinstance(func, ast.Name | ast.Attribute) and ast.unparse(func) in patches
        ]
        return [
            *lines,
            *(module for module in imports(path) if module.startswith(("unittest.mock", "mock"))),
        ]

    assert offenders(TESTS, patched) == {}


def test_no_committed_file_names_a_package_registry() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode != 0:
        pytest.skip("This is no git checkout, so there is no list of committed files.")
    files = [ROOT / file for file in listed.stdout.decode().split("\0") if file]
    named = {
        name(path): host
        for path in files
        if path.is_file()
        for host in REGISTRIES
        if host.encode() in path.read_bytes()
    }
    assert named == {}
    assert not [
        path for path in files if path.name in {"uv.lock", "poetry.lock", "package-lock.json"}
    ]


def distribution(requirement: str) -> str:
    """The normal form of a requirement's or distribution's name."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[=]", requirement)[0]).lower()


@pytest.mark.parametrize(
    ("files", "extras"),
    [(PRODUCT, ["browser"]), (TESTS, ["dev"])],
    ids=["product", "tests"],
)
def test_every_import_is_a_declared_dependency(files: list[Path], extras: list[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = chain(
        project["dependencies"], *(project["optional-dependencies"][extra] for extra in extras)
    )
    declared = {distribution(requirement) for requirement in requirements}
    ours = {
        "research_core",
        "tests",
        "benchmarks",
        "docs",
        "app",
        "parts",
        *(path.stem for path in PAGES),
    }
    imported = (
        {module.partition(".")[0] for path in files for module in imports(path)}
        - ours
        - sys.stdlib_module_names
    )
    brought_by = packages_distributions()
    # An extra that is not installed brings nothing, and its module goes by its own name.
    assert {
        name
        for name in imported
        if not declared & {distribution(each) for each in brought_by.get(name, (name,))}
    } == set()


def test_every_version_is_pinned_and_the_pins_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [
        *project["project"]["dependencies"],
        *chain(*project["project"]["optional-dependencies"].values()),
    ]
    pins = re.findall(
        r"^([\w.-]+)==([\w.]+)",
        (ROOT / "constraints.txt").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert len(pins) == len(dict(pins)), "constraints.txt gives two versions of one package"
    assert all(
        "==" in requirement for requirement in [*wanted, *project["build-system"]["requires"]]
    )
    assert {
        tuple(re.sub(r"\[\w+\]", "", requirement).split("==")) for requirement in wanted
    } <= set(pins)
