"""Tabs without a browser: what an open page costs the server alone. Each speaks Streamlit's own
protocol and obeys its timers.

A browser's own work would drown the figure. Knows nothing of Assay: an address in, reruns out.
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


@dataclass
class Tab:
    """One open page. waited: seconds from asking for a rerun of its fragment to the end of that
    rerun, for each.
    """

    address: str
    page: str
    query: str
    timers: dict[str, float] = field(default_factory=dict)
    waited: list[float] = field(default_factory=list)
    _hash: str = ""

    async def live(self, seconds: float) -> None:
        """Open the page, and rerun its fragments as it asks, for so long after it was drawn first."""
        async with connect(
            f"{self.address.replace('http', 'ws', 1)}/_stcore/stream",
            subprotocols=["streamlit"],
            max_size=None,
        ) as socket:
            await self._rerun(socket)
            await self._drawn(socket)
            until = time.monotonic() + seconds
            due = {fragment: time.monotonic() + every for fragment, every in self.timers.items()}
            while due and (now := time.monotonic()) < until:
                fragment = min(due, key=lambda name: due[name])
                await asyncio.sleep(max(0.0, due[fragment] - now))
                begun = time.monotonic()
                await self._rerun(socket, fragment)
                await self._drawn(socket)
                self.waited.append(time.monotonic() - begun)
                due[fragment] = max(due[fragment] + self.timers[fragment], time.monotonic())

    async def _rerun(self, socket: ClientConnection, fragment: str = "") -> None:
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

    async def _drawn(self, socket: ClientConnection) -> None:
        """Read until the run has ended, and note the timers it set."""
        while True:
            message = ForwardMsg.FromString(await asyncio.wait_for(socket.recv(decode=False), 60))
            kind = message.WhichOneof("type")
            if kind == "auto_rerun":
                self.timers[message.auto_rerun.fragment_id] = message.auto_rerun.interval
            elif kind == "navigation":
                self._hash = message.navigation.page_script_hash
            elif kind == "script_finished":
                return


def processor_s(pid: int) -> float:
    """Seconds of processor time a process has used (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def opened(count: int, address: str, page: str, query: str, seconds: float) -> list[Tab]:
    """So many tabs, opened one after another over a second, each for so long."""
    tabs = [Tab(address, page, query) for _ in range(count)]

    async def late(number: int, tab: Tab) -> None:
        await asyncio.sleep(number / count)
        await tab.live(seconds)

    await asyncio.gather(*(late(number, tab) for number, tab in enumerate(tabs)))
    return tabs
