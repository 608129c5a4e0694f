"""Context sizes of Gemini models: how many tokens each reads at once."""

from __future__ import annotations

#: Tokens, as stated in November 2026 by https://ai.google.dev/gemini-api/docs/models and, for those
#: that it did not list, by resellers; the smaller number where they differ.
CONTEXT_SIZES: dict[str, int] = {
    "gemini-3.8-flash": 1_000_000,
    "gemini-3.7-flash": 1_000_000,
    "gemini-3.6-flash": 1_000_000,
    "gemini-3.5-flash": 1_000_000,
    "gemini-3.5-flash-lite": 1_000_000,
    "gemini-3.1-pro-preview": 1_000_000,
    "gemini-3.1-flash-lite": 1_000_000,
    "gemini-3-flash-preview": 1_000_000,
    "gemini-2.5-pro": 1_000_000,
    "gemini-2.5-flash": 1_000_000,
    "gemini-2.5-flash-lite": 1_000_000,
}
#: What is assumed of any other model.
DEFAULT_CONTEXT = 8_000
