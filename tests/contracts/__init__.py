"""What each provider is asked and answers, in as few bytes as its reader needs.

One `Case` per row, by family; `tests/search/providers/test_contract.py` runs all of them. A body is
written here from the provider's documentation; recorded ones are in the data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from research_core.errors import FetchError
from research_core.models import HttpReply
from research_core.settings import Settings

Body = Any  # str or bytes as they are, a failure raised, anything else as JSON


@dataclass(frozen=True)
class Case:
    """One row of PROVIDERS.

    query: what is asked; answers: bodies by a part of the address, the first that fits; expect: the
    records; nothing: the answers that say that nothing was found; settings: what the row needs, by
    field; spared: parts of addresses whose failure spoils nothing, being best effort; headers: of
    every answer, where its reader goes by one.
    """

    name: str
    kind: str
    query: Any
    answers: Sequence[tuple[str, Body]]
    expect: Sequence[Any]
    nothing: Sequence[tuple[str, Body]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    spared: Sequence[str] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return f"{self.kind}:{self.name}"


def configured(**options: Any) -> Settings:
    return Settings(home=Path("unused"), database_url="", **options)


def encoded(body: Body) -> bytes:
    return (
        body
        if isinstance(body, bytes)
        else body.encode()
        if isinstance(body, str)
        else json.dumps(body).encode()
    )


@dataclass
class Service:
    """A service that gives these answers with one status.

    asked: (method, address, options) of every request.
    """

    answers: Sequence[tuple[str, Body]]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    asked: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        self.asked.append((method, url, options))
        for part, body in self.answers:
            if part in url and isinstance(body, FetchError):
                raise body
            if part in url:
                return HttpReply(url, self.status, dict(self.headers), encoded(body))
        raise AssertionError(f"nobody expected {method} {url}")

    def record_fact(self, _params: Any, look: Any) -> Any:
        return look()

    def call(self, _kind: str, _params: Any, fn: Any, **_options: Any) -> Any:
        return fn()
