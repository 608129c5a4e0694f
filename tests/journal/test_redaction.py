"""Secrets of a request: in which order they are removed from its answer and hashed for its key."""

from __future__ import annotations

from research_core.journal import redaction


def test_secrets_of_one_length_come_in_one_order_whatever_the_process() -> None:
    """A set of texts has another order in every process, and the cache's keys hash this list."""
    headers = {
        "authorization": "key-of-tea",
        "x-api-key": "a-key-of-3",
        "x-goog-api-key": "cup-of-tea",
        "x-subscription-token": "bag-of-tea",
        "cookie": "pot-of-tea",
        "proxy-authorization": "a-much-longer-key",
    }
    secrets = redaction.collect_secrets("", {"key": "tin-of-tea"}, headers, endpoint=True)
    assert secrets == [
        "a-much-longer-key",
        "a-key-of-3",
        "bag-of-tea",
        "cup-of-tea",
        "key-of-tea",
        "pot-of-tea",
        "tin-of-tea",
    ]
