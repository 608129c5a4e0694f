"""Tabs without a browser, for `screens.py`: what an open page costs the server alone.

Each tab speaks Streamlit's own protocol and obeys its timers; a browser's own work would drown the
figure. It knows nothing of Assay: an address in, times of reruns out.
"""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

#: Seconds after which a server that sends nothing counts as stuck.
TIMEOUT_S = 60


@dataclass
class Tab:
    """One open page.

    timers: seconds between two reruns, by fragment. waits: seconds from each request for a rerun of
    a fragment to the end of the rerun.
    """

    address: str
    page: str
    query: str
    timers: dict[str, float] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)
    _hash: str = ""

    async def stay_open(self, seconds: float) -> None:
        """Open the page; once it is drawn, rerun its fragments as it asks for so many seconds."""
        async with connect(
            f"{self.address.replace('http', 'ws', 1)}/_stcore/stream",
            subprotocols=["streamlit"],
            max_size=None,
        ) as socket:
            await self._request_run(socket)
            await self._wait_for_end(socket)
            until = time.monotonic() + seconds
            due = {fragment: time.monotonic() + every for fragment, every in self.timers.items()}
            while due and (now := time.monotonic()) < until:
                fragment = min(due, key=lambda name: due[name])
                await asyncio.sleep(max(0.0, due[fragment] - now))
                began = time.monotonic()
                await self._request_run(socket, fragment)
                await self._wait_for_end(socket)
                self.waits.append(time.monotonic() - began)
                due[fragment] = max(due[fragment] + self.timers[fragment], time.monotonic())

    async def _request_run(self, socket: ClientConnection, fragment: str = "") -> None:
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.context_info.url = f"{self.address}/{self.page}"
        if fragment:
            message.rerun_script.fragment_id = fragment
            message.rerun_script.is_auto_rerun = True
            message.rerun_script.page_script_hash = self._hash
        else:
            message.rerun_script.page_name = self.page
        await socket.send(message.SerializeToString())

    async def _wait_for_end(self, socket: ClientConnection) -> None:
        """Receive messages until the run has ended, and note the timers it sets."""
        while True:
            body = await asyncio.wait_for(socket.recv(decode=False), TIMEOUT_S)
            message = ForwardMsg.FromString(body)
            kind = message.WhichOneof("type")
            if kind == "auto_rerun":
                self.timers[message.auto_rerun.fragment_id] = message.auto_rerun.interval
            elif kind == "navigation":
                self._hash = message.navigation.page_script_hash
            elif kind == "script_finished":
                return


def read_cpu_s(pid: int) -> float:
    """Return the seconds of CPU time that a process has used (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def open_tabs(count: int, address: str, page: str, query: str, seconds: float) -> list[Tab]:
    """Open tabs one after another within a second, each for so many seconds; return them."""
    tabs = [Tab(address, page, query) for _ in range(count)]

    async def open_later(number: int, tab: Tab) -> None:
        await asyncio.sleep(number / count)
        await tab.stay_open(seconds)

    await asyncio.gather(*(open_later(number, tab) for number, tab in enumerate(tabs)))
    return tabs
