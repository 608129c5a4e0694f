"""What the analyst decides, before and during a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from research_core.journal.events import Event
from research_core.journal.log import EventLog
from research_core.policy import RunSettings


class Steering:
    """The decisions of the analyst that are in force, and the last command that was read.

    approved, restored: sources; instructions: how many were searched for; last_command: its number
    in the log, 0 before the first.
    """

    def __init__(self, settings: RunSettings) -> None:
        self.approved = set(settings.approved) - set(settings.struck)
        self.restored: set[str] = set()
        # Sources approved at any time are judged wherever they redirect. A replay knows an approval
        # from its start, so taking it back must not count.
        self.ever_approved = set(self.approved)
        # Sources struck before the run that would otherwise be allowed. They are in no list, so
        # that restoring one changes no list.
        self.set_aside: set[str] = set()
        self.instructions = 0
        self.last_command = 0

    def iterate_new_commands(self, log: EventLog) -> Iterator[Event]:
        """Yield each command of the log once."""
        for command in log.read(self.last_command, kinds=("command",)):
            self.last_command = command.seq
            yield command

    def apply(self, decision: Mapping[str, Any]) -> None:
        """Apply a decision about one source."""
        url = decision["url"]
        if decision["do"] == "approve":
            self.approved.add(url)
            self.ever_approved.add(url)
        else:
            self.approved.discard(url)
        if decision["do"] == "restore":
            self.restored.add(url)

    def select_wanted(self) -> set[str]:
        """Return the sources to read whatever the lists say; they use no places."""
        return self.approved | (self.set_aside & self.restored)
