"""How fast the tools answer over MCP, next to web-researcher-mcp: `python benchmarks/tools.py
[--rival PATH] [--calls N] [--starts N]`.

Both are programs on standard input and output, asked by the same client about the same stub on
loopback, in turn, so that what else the
machine does falls on both. The stub answers at once: what is measured is the servers' own time, the
client's (validation included) and the
stub's. Pages are of a name that leads to the stub for Assay, whose guard lets no page be on
loopback, and of loopback itself for the
other, which is told to allow that, and to use neither a browser nor a reading service. Assay's pace
between requests to one host is set to
0. Start-up is from the spawn to the listed tools, beside a server of the same SDK that has one tool
  and nothing else.

Without --rival the other is installed from PyPI into a folder that is removed; where that fails
only ours is measured, and it says so.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).parents[1]))

import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client

from benchmarks.results import record
from benchmarks.stub import ROWS, last_words, stub
from research_core.interfaces.mcp.server import serve_stdio
from research_core.settings import Settings
from research_core.web.http.client import Client
from research_core.web.http.pacing import Politeness
from research_core.wiring import Resources
from tests.local_web import PUBLIC, Internet

RIVAL = "web-researcher-mcp"
RIVAL_VERSION = "1.50.4"
SITE = "tides.example.org"
#: Calls at a time, and how many of them make one measurement of calls a second.
TOGETHER, BLOCK, BLOCKS = 8, 80, 5
#: Calls of each server that are not counted.
WARMING = 10
START_BUDGET_S = 0.4
#: A server of the same SDK that does nothing: what of a start, and of a call, is the protocol's.
BARE = """
import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def tools(_ctx, _params):
    return types.ListToolsResult(tools=[types.Tool(name="echo", input_schema={"type": "object"})])

async def call(_ctx, params):
    return types.CallToolResult(content=[types.TextContent(type="text", text=str(params.arguments))])

async def main():
    server = Server("bare", on_list_tools=tools, on_call_tool=call)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())

anyio.run(main)
"""
Figures = dict[str, Any]


# ---------------------------------------------------------------- the servers


@dataclass(frozen=True)
class StubbedResources(Resources):
    """Resources of which one host name, and no other, leads to the stub."""

    port: int = 0

    @cached_property
    def client(self) -> Client:
        settings, web = self.settings, Internet({SITE: [[PUBLIC]]}, self.port, self.port)
        manners = Politeness(delay_s=settings.host_delay_s, robots=settings.robots)
        allowed = settings.endpoints
        return Client(
            user_agent=settings.user_agent,
            allowed_endpoints=allowed,
            politeness=manners,
            resolve=web.resolve,
            connect=web.connect,
        )


def serve_pages(port: int) -> None:
    """What `python benchmarks/tools.py --serve PORT` does: Assay's server over those resources."""
    with closing(StubbedResources(Settings.from_env(), port)) as resources:
        serve_stdio(resources)


@dataclass(frozen=True)
class Peer:
    """One of the two servers. search, pages: the commands that serve them; site: where its pages
    are; port: its stub.
    """

    name: str
    search: list[str]
    pages: list[str]
    env: Mapping[str, str]
    site: str
    port: int


def assay(home: Path, port: int) -> Peer:
    env = {
        "ASSAY_HOME": str(home / "assay"),
        "SEARXNG_URL": f"http://127.0.0.1:{port}",
        "SEARCH_ROUTING": "searxng",
        "ASSAY_HOST_DELAY": "0",
    }
    here, python = str(Path(__file__).resolve()), [sys.executable, "-P"]
    search = [*python, "-m", "research_core.mcp_stdio"]
    return Peer("assay", search, [*python, here, "--serve", str(port)], env, f"http://{SITE}", port)


def rival(home: Path, port: int, command: str) -> Peer:
    env = {
        "HOME": str(home / "rival"),
        "CACHE_DIR": str(home / "rival" / "cache"),
        "SEARCH_PROVIDER": "searxng",
        "SEARXNG_URL": f"http://127.0.0.1:{port}",
        "ALLOW_PRIVATE_IPS": "true",
        "CHROME_PATH": "disabled",
        "JINA_READER_DISABLED": "true",
    }
    return Peer(RIVAL, [command], [command], env, f"http://127.0.0.1:{port}", port)


def installed(folder: Path) -> str:
    """The other's binary, out of its wheel. Raises CalledProcessError where it cannot be had."""
    python = folder / "venv" / "bin" / "python"
    subprocess.run(
        [sys.executable, "-m", "venv", str(folder / "venv")], check=True, capture_output=True
    )
    subprocess.run(
        [str(python), "-m", "pip", "install", "-q", f"{RIVAL}=={RIVAL_VERSION}"],
        check=True,
        capture_output=True,
    )
    where = f"from {RIVAL.replace('-', '_')} import get_binary_path; print(get_binary_path())"
    return subprocess.run(
        [str(python), "-c", where], check=True, capture_output=True, text=True
    ).stdout.strip()


@dataclass(frozen=True)
class Running:
    """A server at work, and the client that talks to it. site, port: those of its peer."""

    client: Any
    pid_file: Path
    site: str = ""
    port: int = 0

    def resident_mb(self) -> float:
        """Of the process and the children it has now."""
        first = int(self.pid_file.read_text())
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        return sum(_resident_mb(pid) for pid in (first, *children))

    def cpu_s(self) -> float:
        """Of the processor, by the process so far: a busy machine does not change it much."""
        spent = (
            Path(f"/proc/{self.pid_file.read_text().strip()}/stat")
            .read_text()
            .rpartition(")")[2]
            .split()[11:13]
        )
        return sum(map(int, spent)) / os.sysconf("SC_CLK_TCK")

    async def call(self, tool: str, **arguments: Any) -> str:
        """What it answered, as text. Raises AssertionError for an error."""
        answer = await self.client.call_tool(tool, arguments)
        text = "".join(getattr(part, "text", "") for part in answer.content)
        assert not answer.is_error, text
        return text


def _resident_mb(pid: int | str) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1000


@asynccontextmanager
async def running(
    command: list[str], env: Mapping[str, str], folder: Path, site: str = "", port: int = 0
) -> AsyncIterator[Running]:
    """A server, started and asked for its tools."""
    pid_file = folder / f"{time.monotonic_ns()}.pid"
    shell = ["-c", 'echo $$ > "$0"; exec "$@"', str(pid_file), *command]
    root = str(Path(__file__).parents[1])
    told = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": root, **env}
    with (folder / "stderr").open("a") as errors:
        async with mcp.Client(
            stdio_client(
                StdioServerParameters(command="sh", args=shell, env=told, cwd=str(folder)),
                errlog=errors,
            ),
            mode="legacy",
        ) as client:
            assert (await client.list_tools()).tools
            yield Running(client, pid_file, site, port)


# ---------------------------------------------------------------- what is measured


def spread(seconds: list[float]) -> Figures:
    """In ms: the median, and between what the middle half of them lies."""
    low, middle, high = statistics.quantiles(seconds, n=4)
    return {
        "p50": round(1000 * middle, 2),
        "p25": round(1000 * low, 2),
        "p75": round(1000 * high, 2),
        "of": len(seconds),
    }


async def starts(
    commands: Mapping[str, tuple[list[str], Mapping[str, str]]], folder: Path, times: int
) -> Figures:
    """Seconds from the spawn of each until it has listed its tools, in turn; and how much longer
    than the bare one, round by round.
    """
    took: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(times + 1):  # the first warms the files up
        for name, (command, env) in commands.items():
            began = time.perf_counter()
            async with running(command, env, folder):
                seconds = time.perf_counter() - began
            if turn:
                took[name].append(seconds)
    later = [mine - bare for mine, bare in zip(took["assay"], took["bare_sdk"], strict=True)]
    figures: Figures = {
        name: {"median_s": _s(each), "least_s": round(min(each), 3), "most_s": round(max(each), 3)}
        for name, each in took.items()
    }
    return figures | {
        "of": times,
        "assay_after_bare_s": {
            "median_s": _s(later),
            "least_s": round(min(later), 3),
            "wanted_s": START_BUDGET_S,
        },
    }


def _s(seconds: list[float]) -> float:
    return round(statistics.median(seconds), 3)


Ask = Callable[[Running, str], Awaitable[None]]


async def search(at: Running, word: str) -> None:
    text = await at.call("web_search", query=f"tides of bay {word}", num_results=ROWS)
    assert f"site{ROWS - 1}.example" in text, text


async def scrape(at: Running, number: str) -> None:
    text = await at.call("scrape_page", url=f"{at.site}/page/{number}")
    assert last_words(number) in text, text[:2000]


async def timed(ask: Ask, at: Running, word: str) -> float:
    began = time.perf_counter()
    await ask(at, word)
    return time.perf_counter() - began


async def in_turn(ask: Ask, peers: Mapping[str, Running], times: int) -> dict[str, Figures]:
    """Each asked something new and then the same again, one call at a time, the two taking turns at
    being first.
    """
    first: dict[str, list[float]] = {name: [] for name in peers}
    again: dict[str, list[float]] = {name: [] for name in peers}
    for turn in range(times + WARMING):
        order = list(peers.items())[:: 1 if turn % 2 else -1]
        for took in (first, again):
            for name, at in order:
                seconds = await timed(ask, at, f"one{turn}")
                if turn >= WARMING:
                    took[name].append(seconds)
    return {
        name: {"uncached_ms": spread(first[name]), "cached_ms": spread(again[name])}
        for name in peers
    }


async def a_second(ask: Ask, peers: Mapping[str, Running]) -> dict[str, float]:
    """New calls a second, eight at a time: the median of some blocks."""
    rates: dict[str, list[float]] = {name: [] for name in peers}
    for block in range(BLOCKS):
        for name, at in list(peers.items())[:: 1 if block % 2 else -1]:
            left = iter(range(BLOCK))

            async def work(at: Running = at, left: Any = left, block: int = block) -> None:
                for number in left:
                    await ask(at, f"many{block}x{number}")

            began = time.perf_counter()
            await asyncio.gather(*(work() for _ in range(TOGETHER)))
            rates[name].append(BLOCK / (time.perf_counter() - began))
    return {name: round(statistics.median(each), 1) for name, each in rates.items()}


async def warm(peers: list[Peer], folder: Path, calls: int) -> Figures:
    """Searches by one server of each, pages by another; each server's memory after them."""
    figures: dict[str, Figures] = {peer.name: {} for peer in peers}
    for tool, ask, commands, divide in (
        ("web_search", search, {peer.name: peer.search for peer in peers}, 1),
        ("scrape_page", scrape, {peer.name: peer.pages for peer in peers}, 2),
    ):
        async with AsyncExitStack() as stack:
            at = {
                peer.name: await stack.enter_async_context(
                    running(commands[peer.name], peer.env, folder, peer.site, peer.port)
                )
                for peer in peers
            }
            before = {name: one.resident_mb() for name, one in at.items()}
            spent = {name: one.cpu_s() for name, one in at.items()}
            alone = await in_turn(ask, at, calls // divide)
            cpu_ms = {
                name: 1000 * (one.cpu_s() - spent[name]) / (2 * (calls // divide + WARMING))
                for name, one in at.items()
            }
            rates = await a_second(ask, at)
            for name, one in at.items():
                memory = {"ready_mb": round(before[name]), "after_mb": round(one.resident_mb())}
                figures[name][tool] = alone[name] | {
                    "cpu_ms_a_call": round(cpu_ms[name], 1),
                    "calls_a_second": rates[name],
                    **memory,
                }
    return figures


async def round_trip(folder: Path, calls: int) -> Figures:
    """A call of the server that does nothing."""
    async with running([sys.executable, "-P", "-c", BARE], {}, folder) as at:
        return spread(
            [
                await timed(
                    lambda at, word: at.client.call_tool("echo", {"query": word}), at, str(n)
                )
                for n in range(calls)
            ]
        )


def asked(peer: Peer) -> dict[str, int]:
    with urlopen(f"http://127.0.0.1:{peer.port}/asked") as answer:
        return dict(json.load(answer))


async def measured(peers: list[Peer], folder: Path, calls: int, times: int) -> Figures:
    commands = {"bare_sdk": ([sys.executable, "-P", "-c", BARE], {})} | {
        peer.name: (peer.search, peer.env) for peer in peers
    }
    figures: Figures = {
        "start": await starts(commands, folder, times),
        "bare_sdk_call_ms": await round_trip(folder, calls),
    }
    figures |= await warm(peers, folder, calls)
    made = {
        "search": calls + WARMING + BLOCKS * BLOCK,
        "page": calls // 2 + WARMING + BLOCKS * BLOCK,
    }
    for peer in peers:
        requests = asked(peer)
        each = {name: divmod(requests[name], times) for name, times in made.items()}
        assert all(times and not rest for times, rest in each.values()), (
            peer.name,
            requests,
            made,
        )  # no cached call asked anybody
        figures[peer.name]["requests_of_a_new_call"] = {
            name: times for name, (times, _) in each.items()
        }
    return figures


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument(
        "--rival", default="", help="the command of web-researcher-mcp; by default it is installed"
    )
    reader.add_argument("--calls", type=int, default=200)
    reader.add_argument("--starts", type=int, default=9)
    reader.add_argument("--serve", type=int, default=0, help=argparse.SUPPRESS)
    given = reader.parse_args()
    if given.serve:
        serve_pages(given.serve)
        return
    context = multiprocessing.get_context("spawn")
    ports: Any = context.Queue()
    process = context.Process(target=stub, args=(ports,), daemon=True)
    process.start()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours, theirs = ports.get()
        peers, absent = [assay(folder, ours)], ""
        try:
            peers.append(rival(folder, theirs, given.rival or installed(folder)))
        except (OSError, subprocess.CalledProcessError) as error:
            absent = f"{RIVAL} could not be installed: {error}"
            print(absent)
        load = os.getloadavg()[0]
        figures = asyncio.run(measured(peers, folder, given.calls, given.starts))
    figures |= {
        "load_of_the_machine": round(load, 1),
        "rival": absent or f"{RIVAL} {RIVAL_VERSION}",
    }
    process.terminate()
    print(json.dumps(figures, indent=2))
    record("tools", figures)


if __name__ == "__main__":
    main()
