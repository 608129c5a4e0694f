"""The command line's `ratings` commands: lists of expert ratings, the analyst's own word on a host, and what is known of a host."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import UTC, datetime

from research_core import credibility
from research_core.context import memory_log
from research_core.errors import UsageError
from research_core.personal import overrides
from research_core.policy import CredibilityPolicy, Override
from research_core.ratings import importing, kept
from research_core.ratings.presets import PRESETS
from research_core.standing.known import known
from research_core.terminal import DONE, FAILED, line, say
from research_core.text import visible
from research_core.urls import host as host_of
from research_core.wiring import LOCAL, Office, default_deps


def _add(arguments: argparse.Namespace, office: Office) -> int:
    scale = tuple(arguments.scale) if arguments.scale else None
    wanted = importing.Wanted(arguments.source, arguments.name, arguments.domain, arguments.value, scale)
    made, found = importing.add(office.db, LOCAL, default_deps(memory_log("ratings"), office), wanted)
    how = f"from {found.scale[0]:g} to {found.scale[1]:g}" if found.scale else "by words"
    print(f"{made.name}: {made.hosts:,} hosts, rated {how} (columns {line(found.columns[0])} and {line(found.columns[1])}).")
    if found.left:
        say(f"{found.left:,} rows were left out: {'; '.join(map(line, found.told))}{' …' if found.left > len(found.told) else ''}")
    say("Runs that begin from now on go by it.")
    return DONE


def _list(_arguments: argparse.Namespace, office: Office) -> int:
    there = kept.lists(office.db, LOCAL)
    for each in there:
        day = datetime.fromtimestamp(each.added, UTC).strftime("%Y-%m-%d")
        print(f"{each.name:12} {each.hosts:>7,} hosts  added {day}  SHA-256 {each.digest[:12]}…  {line(each.source)}")
    for word in overrides.overrides(office.db, LOCAL):
        print(f"{'your word':12} {word.host}: {word.value:.2f}, {line(word.reason)}")
    if not there:
        say("No list of ratings was imported.")
    for name, preset in PRESETS.items():
        if name not in {each.name for each in there}:
            say(f"`assay ratings add {name}` imports {preset.title}. {preset.terms}")
    return DONE


def _remove(arguments: argparse.Namespace, office: Office) -> int:
    kept.remove(office.db, LOCAL, arguments.name)
    say(f"The list {arguments.name} was removed.")
    return DONE


def _of(arguments: argparse.Namespace, office: Office) -> int:
    """What is known of each host, what decides first."""
    hosts = [checked_host(each) for each in arguments.hosts]
    marks = [each.mark for each in kept.lists(office.db, LOCAL)]
    rated = kept.look(office.db, LOCAL, marks, hosts)
    policy = CredibilityPolicy(overrides=overrides.overrides(office.db, LOCAL))
    for host in hosts:
        tier, decides = credibility.deciding(host, policy, rated.get(host))
        print(f"{host}: {decides.value if decides else tier.value:.2f}, {decides.label if decides else tier.name}")
        for one in known(host, policy.overrides, rated.get(host)):
            sign = "→" if one == decides else " "
            print(f"  {sign} {one.part:12} {one.value:.2f}  {one.label}: {line(one.why)}")
        stands = "  (stands, whatever else is known)" if decides is None and not tier.open else ""
        unknown = "; nothing known of it" if decides is None and tier.open else ""
        print(f"  {'→' if decides is None else ' '} {'tier':12} {tier.value:.2f}  {tier.name}{unknown}{stands}")
    return DONE


def _say(arguments: argparse.Namespace, office: Office) -> int:
    reason = " ".join(visible(arguments.reason).split())[:300]
    if not reason:
        raise UsageError("There is no reason.", next_step="Say in a few words why the host has this authority.")
    word = Override(checked_host(arguments.host), arguments.authority, reason)
    overrides.remember(office.db, LOCAL, word, office.clock.now())
    say(f"{word.host} counts as {word.value:.2f} in every run that begins from now on.")
    return DONE


def _unsay(arguments: argparse.Namespace, office: Office) -> int:
    host = checked_host(arguments.host)
    if overrides.forget(office.db, LOCAL, host):
        say(f"Your word on {host} was taken back.")
        return DONE
    say(f"There is no word of yours on {host}.")
    return FAILED


def checked_host(text: str) -> str:
    """The host of an address, or a host as it is written. Raises UsageError."""
    plain = text.strip()
    try:
        found = host_of(plain if "://" in plain else f"https://{plain}")
    except ValueError as error:
        raise UsageError(f"{plain[:100]!r} is no host: {error}.", next_step="Give one such as example.org.") from error
    if "." not in found:
        raise UsageError(f"{plain[:100]!r} is no host of the web.", next_step="Give one such as example.org.")
    return found.removeprefix("www.")


#: What each command of `usage` does.
COMMANDS: dict[str, Callable[[argparse.Namespace, Office], int]] = {
    "ratings add": _add,
    "ratings list": _list,
    "ratings remove": _remove,
    "ratings of": _of,
    "ratings say": _say,
    "ratings unsay": _unsay,
}
