"""The command `doctor`: what is configured here, and whether it answers."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from research_core.interfaces.terminal import DONE, FAILED, Commands, print_json, say
from research_core.sessions.doctor import (
    CheckResult,
    check_machine,
    format_report,
    format_words,
    is_healthy,
)
from research_core.wiring import Resources


def _doctor(arguments: argparse.Namespace, resources: Resources) -> int:
    """Print the report; exit with 1 if something that was asked did not answer."""
    results: list[CheckResult] = []
    for result in check_machine(resources, live=arguments.live):
        results.append(result)
        if result.seconds is not None:
            say(f"{result.part} {result.name}: {result.state} in {result.seconds:.1f} s")
    if arguments.json:
        rows = []
        for result in results:
            rows.append({**asdict(result), "words": format_words(result, resources.settings)})
        print_json({"checks": rows})
    else:
        print(format_report(results, resources.settings), end="")
    return DONE if is_healthy(results) else FAILED


COMMANDS: Commands = {"doctor": _doctor}
