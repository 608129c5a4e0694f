"""The `agreement` command: measure how far the judging model agrees with other judges."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict

from research_core.interfaces.cli.terminal import DONE
from research_core.sessions import agreement, snapshot
from research_core.wiring import Resources


def _print_agreement(arguments: argparse.Namespace, resources: Resources) -> int:
    found = agreement.measure_agreement(snapshot.read_session(resources, arguments.session).run)
    print(
        (
            json.dumps(asdict(found), ensure_ascii=False, indent=2) + "\n"
            if arguments.json
            else agreement.format_markdown(found)
        ),
        end="",
    )
    return DONE


COMMANDS: dict[str, Callable[[argparse.Namespace, Resources], int]] = {
    "agreement": _print_agreement
}
