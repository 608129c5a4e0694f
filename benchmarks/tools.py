"""Measure how fast the tools answer over MCP, next to another server of the same kind.

    python benchmarks/tools.py [--rival COMMAND] [--calls N] [--starts N]

Needs no data. The other server is web-researcher-mcp, by default installed from PyPI into a folder
that is removed; if that fails, only ours is measured and the output says so. Both are programs on
standard input and output. The same client asks both about the same stub on loopback, in turn, so
that other load of the machine falls on both. The stub answers at once: measured is the time of the
server, of the client (validation included) and of the stub. Prints and records JSON: seconds from
the spawn to the listed tools, beside a server of the same SDK that does nothing; milliseconds of
new and repeated calls; CPU time; calls a second; memory in MB.

Assay's guard refuses pages on loopback, so Assay asks for a host name that leads to the stub. The
other server asks loopback itself; its settings allow that, and switch off its browser and its
reading service. Assay's pace between requests to one host is set to 0.
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

from benchmarks.inputs import ROOT, make_parser
from benchmarks.results import record
from benchmarks.stub import ROWS, StubNetwork, make_last_words, run_stub
from research_core.interfaces.mcp.server import serve_stdio
from research_core.settings import Settings
from research_core.web.http.client import Client
from research_core.wiring import Resources

RIVAL = "web-researcher-mcp"
RIVAL_VERSION = "1.50.4"
SITE = "tides.example.org"
#: Calls a second are measured in blocks of so many calls, so many of them at a time.
CONCURRENT_CALLS = 8
BLOCK_CALLS = 80
BLOCKS = 5
#: Calls of each server that are not counted.
WARM_UP_CALLS = 10
#: Seconds that a start may take longer than that of a server that does nothing.
START_BUDGET_S = 0.4
#: A server of the same SDK that does nothing: its start and its calls are those of the protocol.
BARE_SERVER = """
import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def tools(_ctx, _params):
    return types.ListToolsResult(tools=[types.Tool(name="echo", input_schema={"type": "object"})])

async def call(_ctx, params):
    text = types.TextContent(type="text", text=str(params.arguments))
    return types.CallToolResult(content=[text])

async def main():
    server = Server("bare", on_list_tools=tools, on_call_tool=call)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())

anyio.run(main)
"""
BARE_COMMAND = [sys.executable, "-P", "-c", BARE_SERVER]
Figures = dict[str, Any]


# ---------------------------------------------------------------- the servers


@dataclass(frozen=True)
class StubbedResources(Resources):
    """Resources whose client finds one host only, which leads to the stub."""

    port: int = 0

    @cached_property
    def client(self) -> Client:
        return StubNetwork((SITE,), self.port).open_client(self.settings)


def serve_pages(port: int) -> None:
    """Run Assay's server with pages from the stub: `python benchmarks/tools.py --serve PORT`."""
    with closing(StubbedResources(Settings.from_env(), port)) as resources:
        serve_stdio(resources)


@dataclass(frozen=True)
class ServerSetup:
    """One of the two servers to compare.

    search_command, page_command: what starts it to serve searches, and pages. site: the origin of
    its pages. port: that of its stub.
    """

    name: str
    search_command: list[str]
    page_command: list[str]
    env: Mapping[str, str]
    site: str
    port: int


def set_up_assay(home: Path, port: int) -> ServerSetup:
    env = {
        "ASSAY_HOME": str(home / "assay"),
        "SEARXNG_URL": f"http://127.0.0.1:{port}",
        "SEARCH_ROUTING": "searxng",
        "ASSAY_HOST_DELAY": "0",
    }
    python = [sys.executable, "-P"]
    search_command = [*python, "-m", "research_core.mcp_stdio"]
    page_command = [*python, str(Path(__file__).resolve()), "--serve", str(port)]
    return ServerSetup("assay", search_command, page_command, env, f"http://{SITE}", port)


def set_up_rival(home: Path, port: int, command: str) -> ServerSetup:
    env = {
        "HOME": str(home / "rival"),
        "CACHE_DIR": str(home / "rival" / "cache"),
        "SEARCH_PROVIDER": "searxng",
        "SEARXNG_URL": f"http://127.0.0.1:{port}",
        "ALLOW_PRIVATE_IPS": "true",
        "CHROME_PATH": "disabled",
        "JINA_READER_DISABLED": "true",
    }
    return ServerSetup(RIVAL, [command], [command], env, f"http://127.0.0.1:{port}", port)


def install_rival(folder: Path) -> str:
    """Install the other server; return its command. Raises CalledProcessError if that fails."""
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
class RunningServer:
    """A running server and the client that talks to it. site, port: those of its setup."""

    client: Any
    pid_file: Path
    site: str = ""
    port: int = 0

    def resident_mb(self) -> float:
        """Return the memory of the process and its present children."""
        first = self.pid_file.read_text().strip()
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        return sum(_resident_mb(pid) for pid in (first, *children))

    def cpu_s(self) -> float:
        """Return the CPU time of the process so far, which a busy machine changes little."""
        stat = Path(f"/proc/{self.pid_file.read_text().strip()}/stat").read_text()
        user_and_system = stat.rpartition(")")[2].split()[11:13]
        return sum(map(int, user_and_system)) / os.sysconf("SC_CLK_TCK")

    async def call(self, tool: str, **arguments: Any) -> str:
        """Return the answer as text. Raises AssertionError for an error."""
        answer = await self.client.call_tool(tool, arguments)
        text = "".join(getattr(part, "text", "") for part in answer.content)
        assert not answer.is_error, text
        return text


def _resident_mb(pid: str) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1000


@asynccontextmanager
async def start_server(
    command: list[str], env: Mapping[str, str], folder: Path, site: str = "", port: int = 0
) -> AsyncIterator[RunningServer]:
    """Start a server, and yield it once it has listed its tools."""
    pid_file = folder / f"{time.monotonic_ns()}.pid"
    shell = ["-c", 'echo $$ > "$0"; exec "$@"', str(pid_file), *command]
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONPATH": str(ROOT),
        **env,
    }
    with (folder / "stderr").open("a") as errors:
        async with mcp.Client(
            stdio_client(
                StdioServerParameters(command="sh", args=shell, env=environment, cwd=str(folder)),
                errlog=errors,
            ),
            mode="legacy",
        ) as client:
            assert (await client.list_tools()).tools
            yield RunningServer(client, pid_file, site, port)


# ---------------------------------------------------------------- what is measured


def describe_times(seconds: list[float]) -> Figures:
    """Return the median and the quartiles in ms."""
    low, middle, high = statistics.quantiles(seconds, n=4)
    return {
        "p50": round(1000 * middle, 2),
        "p25": round(1000 * low, 2),
        "p75": round(1000 * high, 2),
        "of": len(seconds),
    }


async def time_starts(
    commands: Mapping[str, tuple[list[str], Mapping[str, str]]], folder: Path, times: int
) -> Figures:
    """Return the seconds from the spawn of each to its listed tools, the servers taking turns.

    assay_after_bare_s: how much later ours is than the bare server, turn by turn.
    """
    took: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(times + 1):  # the first warms the files up
        for name, (command, env) in commands.items():
            began = time.perf_counter()
            async with start_server(command, env, folder):
                seconds = time.perf_counter() - began
            if turn:
                took[name].append(seconds)
    later = [mine - bare for mine, bare in zip(took["assay"], took["bare_sdk"], strict=True)]
    figures: Figures = {}
    for name, seconds_of_starts in took.items():
        figures[name] = {
            "median_s": round(statistics.median(seconds_of_starts), 3),
            "least_s": round(min(seconds_of_starts), 3),
            "most_s": round(max(seconds_of_starts), 3),
        }
    figures["of"] = times
    figures["assay_after_bare_s"] = {
        "median_s": round(statistics.median(later), 3),
        "least_s": round(min(later), 3),
        "wanted_s": START_BUDGET_S,
    }
    return figures


#: Makes one call of a server; the word makes it a new one.
Call = Callable[[RunningServer, str], Awaitable[None]]


async def call_search(at: RunningServer, word: str) -> None:
    text = await at.call("web_search", query=f"tides of bay {word}", num_results=ROWS)
    assert f"site{ROWS - 1}.example" in text, text


async def call_scrape(at: RunningServer, number: str) -> None:
    text = await at.call("scrape_page", url=f"{at.site}/page/{number}")
    assert make_last_words(number) in text, text[:2000]


async def time_call(call: Call, at: RunningServer, word: str) -> float:
    """Return the seconds of one call."""
    began = time.perf_counter()
    await call(at, word)
    return time.perf_counter() - began


async def time_calls(
    call: Call, servers: Mapping[str, RunningServer], times: int
) -> dict[str, Figures]:
    """Time a new call and then the same again, one call at a time, the servers taking turns."""
    first: dict[str, list[float]] = {name: [] for name in servers}
    again: dict[str, list[float]] = {name: [] for name in servers}
    for turn in range(times + WARM_UP_CALLS):
        order = list(servers.items())[:: 1 if turn % 2 else -1]
        for took in (first, again):
            for name, at in order:
                seconds = await time_call(call, at, f"one{turn}")
                if turn >= WARM_UP_CALLS:
                    took[name].append(seconds)
    figures = {}
    for name in servers:
        figures[name] = {
            "uncached_ms": describe_times(first[name]),
            "cached_ms": describe_times(again[name]),
        }
    return figures


async def measure_rates(call: Call, servers: Mapping[str, RunningServer]) -> dict[str, float]:
    """Return the new calls a second by server, eight at a time: the median of some blocks."""
    rates: dict[str, list[float]] = {name: [] for name in servers}
    for block in range(BLOCKS):
        for name, at in list(servers.items())[:: 1 if block % 2 else -1]:
            numbers = iter(range(BLOCK_CALLS))

            async def work(
                at: RunningServer = at, numbers: Any = numbers, block: int = block
            ) -> None:
                for number in numbers:
                    await call(at, f"many{block}x{number}")

            began = time.perf_counter()
            await asyncio.gather(*(work() for _ in range(CONCURRENT_CALLS)))
            rates[name].append(BLOCK_CALLS / (time.perf_counter() - began))
    return {name: round(statistics.median(each), 1) for name, each in rates.items()}


async def measure_warm(setups: list[ServerSetup], folder: Path, calls: int) -> Figures:
    """Measure searches by one process of each server, and pages by another."""
    figures: dict[str, Figures] = {setup.name: {} for setup in setups}
    searching = {setup.name: setup.search_command for setup in setups}
    serving_pages = {setup.name: setup.page_command for setup in setups}
    for tool, call, commands, times in (
        ("web_search", call_search, searching, calls),
        ("scrape_page", call_scrape, serving_pages, calls // 2),
    ):
        async with AsyncExitStack() as stack:
            servers = {}
            for setup in setups:
                start = start_server(
                    commands[setup.name], setup.env, folder, setup.site, setup.port
                )
                servers[setup.name] = await stack.enter_async_context(start)
            ready_mb = {name: server.resident_mb() for name, server in servers.items()}
            ready_cpu_s = {name: server.cpu_s() for name, server in servers.items()}
            times_of_calls = await time_calls(call, servers, times)
            # Each call is made twice, and the calls that warm up take CPU time too.
            made_calls = 2 * (times + WARM_UP_CALLS)
            cpu_ms = {}
            for name, server in servers.items():
                cpu_ms[name] = 1000 * (server.cpu_s() - ready_cpu_s[name]) / made_calls
            rates = await measure_rates(call, servers)
            for name, server in servers.items():
                figures[name][tool] = times_of_calls[name] | {
                    "cpu_ms_a_call": round(cpu_ms[name], 1),
                    "calls_a_second": rates[name],
                    "ready_mb": round(ready_mb[name]),
                    "after_mb": round(server.resident_mb()),
                }
    return figures


async def time_bare_calls(folder: Path, calls: int) -> Figures:
    """Time the calls of the server that does nothing."""
    times = []
    async with start_server(BARE_COMMAND, {}, folder) as server:
        for number in range(calls):
            times.append(await time_call(_call_echo, server, str(number)))
    return describe_times(times)


async def _call_echo(at: RunningServer, word: str) -> None:
    await at.client.call_tool("echo", {"query": word})


def count_requests(setup: ServerSetup) -> dict[str, int]:
    """Return the requests that reached the stub of a server, by the first part of the path."""
    with urlopen(f"http://127.0.0.1:{setup.port}/asked") as answer:
        return dict(json.load(answer))


def count_requests_per_call(setup: ServerSetup, calls: int) -> dict[str, int]:
    """Return the requests of a new call. Raises AssertionError if repeated calls made requests."""
    new_calls = {
        "search": calls + WARM_UP_CALLS + BLOCKS * BLOCK_CALLS,
        "page": calls // 2 + WARM_UP_CALLS + BLOCKS * BLOCK_CALLS,
    }
    requests = count_requests(setup)
    per_call = {}
    for name, count in new_calls.items():
        per_call[name], rest = divmod(requests[name], count)
        if rest or not per_call[name]:
            raise AssertionError((setup.name, requests, new_calls))
    return per_call


async def measure(setups: list[ServerSetup], folder: Path, calls: int, times: int) -> Figures:
    """Return all figures. calls: of each kind. times: starts of each server."""
    commands: dict[str, tuple[list[str], Mapping[str, str]]] = {"bare_sdk": (BARE_COMMAND, {})}
    for setup in setups:
        commands[setup.name] = (setup.search_command, setup.env)
    figures: Figures = {
        "start": await time_starts(commands, folder, times),
        "bare_sdk_call_ms": await time_bare_calls(folder, calls),
    }
    figures |= await measure_warm(setups, folder, calls)
    for setup in setups:
        per_call = count_requests_per_call(setup, calls)
        figures[setup.name]["requests_of_a_new_call"] = per_call
    return figures


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument(
        "--rival", default="", help="the command of web-researcher-mcp; by default it is installed"
    )
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--starts", type=int, default=9)
    parser.add_argument("--serve", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve_pages(options.serve)
        return
    context = multiprocessing.get_context("spawn")
    ports: Any = context.Queue()
    process = context.Process(target=run_stub, args=(ports,), daemon=True)
    process.start()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        our_port, their_port = ports.get()
        setups = [set_up_assay(folder, our_port)]
        absent = ""
        try:
            command = options.rival or install_rival(folder)
            setups.append(set_up_rival(folder, their_port, command))
        except (OSError, subprocess.CalledProcessError) as error:
            absent = f"{RIVAL} could not be installed: {error}"
            print(absent)
        load = os.getloadavg()[0]
        figures = asyncio.run(measure(setups, folder, options.calls, options.starts))
    figures |= {
        "load_of_the_machine": round(load, 1),
        "rival": absent or f"{RIVAL} {RIVAL_VERSION}",
    }
    process.terminate()
    print(json.dumps(figures, indent=2))
    record("tools", figures)


if __name__ == "__main__":
    main()
