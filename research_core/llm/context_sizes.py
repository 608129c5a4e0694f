"""Context sizes of Gemini models, in tokens."""

from __future__ import annotations

#: As stated in November 2026 by https://ai.google.dev/gemini-api/docs/models, and by resellers for
#: models that it did not list. Where they differ, the smaller number.
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
#: Assumed for any other model, in tokens.
DEFAULT_CONTEXT = 8_000
