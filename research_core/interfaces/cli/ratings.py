"""The `ratings` commands: lists of expert ratings, the analyst's own ones, and lookups."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from research_core.context import memory_log
from research_core.errors import UsageError
from research_core.interfaces.terminal import DONE, FAILED, Commands, say
from research_core.policy import AUTHORITY_PARTS, CredibilityPolicy, Override, Tier
from research_core.text.words import format_count, strip_invisible, to_single_line
from research_core.trust import credibility
from research_core.trust.hosts.authority import HostFact, find_host_facts
from research_core.trust.ratings import importing, store
from research_core.trust.ratings.lists import explain_guesses
from research_core.trust.ratings.presets import PRESETS
from research_core.urls import find_host as host_of
from research_core.userdata import overrides
from research_core.wiring import LOCAL_USER, Resources, default_deps


def _add(arguments: argparse.Namespace, resources: Resources) -> int:
    wanted = importing.ImportRequest(
        arguments.source, arguments.name, arguments.domain, arguments.value, arguments.scale
    )
    made, found = importing.add_list(
        resources.db, LOCAL_USER, default_deps(memory_log("ratings"), resources), wanted
    )
    how = f"from {found.scale[0]:g} to {found.scale[1]:g}" if found.scale else "by words"
    print(
        f"{made.name}: {format_count(made.hosts, 'host')}, rated {how} (columns"
        f" {to_single_line(found.columns[0])} and {to_single_line(found.columns[1])})."
    )
    if found.left:
        were = "was" if found.left == 1 else "were"
        more = " …" if found.left > len(found.told) else ""
        say(
            f"{format_count(found.left, 'row')} {were} left out:"
            f" {'; '.join(map(to_single_line, found.told))}{more}"
        )
    for note in explain_guesses(found):
        say(note)
    say("New runs use it.")
    return DONE


def _list(_arguments: argparse.Namespace, resources: Resources) -> int:
    lists = store.read_lists(resources.db, LOCAL_USER)
    for each in lists:
        day = datetime.fromtimestamp(each.added, UTC).strftime("%Y-%m-%d")
        noun = "host " if each.hosts == 1 else "hosts"
        print(
            f"{each.name:12} {each.hosts:>7,} {noun}  added {day}  SHA-256"
            f" {each.digest[:12]}…  {to_single_line(each.source)}"
        )
    for override in overrides.list_overrides(resources.db, LOCAL_USER):
        value = f"{override.value:.2f}" if override.value else "never"
        print(f"{'your rating':12} {override.host}: {value}, {to_single_line(override.reason)}")
    if not lists:
        say("No list of ratings was imported.")
    imported = {each.name for each in lists}
    for name, preset in PRESETS.items():
        if name not in imported:
            say(f"`assay ratings add {name}` imports {preset.title}. {preset.terms}")
    return DONE


def _remove(arguments: argparse.Namespace, resources: Resources) -> int:
    store.remove_list(resources.db, LOCAL_USER, arguments.name)
    say(f"The list {arguments.name} was removed.")
    return DONE


def _show_host_ratings(arguments: argparse.Namespace, resources: Resources) -> int:
    """Print the ratings of each host by precedence, including parts that are switched off."""
    hosts = [parse_host(each) for each in arguments.hosts]
    marks = [each.mark for each in store.read_lists(resources.db, LOCAL_USER)]
    rated = store.find_ratings(resources.db, LOCAL_USER, marks, hosts)
    parts = tuple(part for part in AUTHORITY_PARTS if part not in arguments.without)
    policy = CredibilityPolicy(
        parts=parts, overrides=overrides.list_overrides(resources.db, LOCAL_USER)
    )
    for host in hosts:
        tier, decides = credibility.find_deciding_part(host, policy, rated.get(host))
        facts = tuple(find_host_facts(host, policy.overrides, rated.get(host)))
        if decides:
            print(f"{host}: {decides.value:.2f}, {decides.label}")
        else:
            print(f"{host}: {tier.value:.2f}, {tier.name}")
        for fact in facts:
            sign = "→" if fact == decides else " "
            off = "" if fact.part in parts else "  (switched off)"
            print(
                f"  {sign} {fact.part:12} {fact.value:.2f}  {fact.label}:"
                f" {to_single_line(fact.why)}{off}"
            )
        sign = " " if decides else "→"
        unknown = ""
        if decides is None and tier.open:
            unknown = ", nothing that counts" if facts else "; nothing is known about it"
        print(f"  {sign} {'tier':12} {tier.value:.2f}  {tier.name}{unknown}")
        counted = [fact for fact in facts if fact.part in parts]
        for sentence in _explain_tier(tier, decides, counted):
            print(f"    {sentence}")
    return DONE


def _explain_tier(tier: Tier, decides: HostFact | None, there: Sequence[HostFact]) -> Iterator[str]:
    """Yield sentences on a decision that is not the expected one."""
    if decides and decides.keeps_out:
        yield ("Your rating is 0: its pages are excluded unless you approve one by hand.")
    elif decides is None and not tier.open:
        other = next((one for one in there if one.part != "override"), None)
        though = f", though it is known here as {other.label} ({other.value:.2f})" if other else ""
        yield (
            f"Its tier counts{though}: the specification names it, or its suffix, and gives it"
            f" {tier.value:.2f}."
        )
        yield (
            "Only your own word counts before a tier that is not open to anybody (`assay ratings"
            " say`)."
        )


def _add_override(arguments: argparse.Namespace, resources: Resources) -> int:
    reason = " ".join(strip_invisible(arguments.reason).split())
    if not reason:
        raise UsageError(
            "The reason is empty.", next_step="Say in a few words why you rate the host so."
        )
    override = Override(parse_host(arguments.host), arguments.authority, reason)
    overrides.save_override(resources.db, LOCAL_USER, override, resources.clock.now())
    say(f"In new runs, {_describe_override(override)}.")
    return DONE


def _describe_override(override: Override) -> str:
    """Describe the effect of an override."""
    if not override.value:
        return f"pages of {override.host} are excluded unless you approve one by hand"
    share = f"which is {100 * CredibilityPolicy().domain_weight:.0f}% of a score"
    return (
        f"{override.host} counts as {override.value:.2f} for authority, {share};"
        " 0 excludes its pages altogether"
    )


def _remove_override(arguments: argparse.Namespace, resources: Resources) -> int:
    host = parse_host(arguments.host)
    if overrides.remove_override(resources.db, LOCAL_USER, host):
        say(f"Your rating of {host} was removed.")
        return DONE
    say(f"You have not rated {host}.")
    return FAILED


def parse_host(text: str) -> str:
    """Return the host of an address, or a bare host. Raises UsageError."""
    plain = text.strip()
    try:
        found = host_of(plain if "://" in plain else f"https://{plain}")
    except ValueError as error:
        raise UsageError(
            f"{plain[:100]!r} is not a host: {error}.", next_step="Give one such as example.org."
        ) from error
    if "." not in found:
        raise UsageError(
            f"{plain[:100]!r} is not a web host.", next_step="Give one such as example.org."
        )
    bare = found.removeprefix("www.")
    return found if overrides.is_public_suffix(bare) else bare


COMMANDS: Commands = {
    "ratings add": _add,
    "ratings list": _list,
    "ratings remove": _remove,
    "ratings of": _show_host_ratings,
    "ratings say": _add_override,
    "ratings unsay": _remove_override,
}
