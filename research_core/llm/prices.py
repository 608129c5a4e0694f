"""List prices of models, and the least thinking each can be set to."""

from __future__ import annotations

from dataclasses import dataclass

from research_core.model_messages import Json


@dataclass(frozen=True)
class ModelPrice:
    """Price of one model in US dollars per million tokens, output with thoughts included.

    least_thinking: the lowest thinking setting of the model.
    dear_above: a prompt of more tokens costs more than listed, so that its price is unknown.
    """

    input: float
    output: float
    least_thinking: Json
    dear_above: int | None = None


_LOW: Json = {"thinkingLevel": "LOW"}
_MINIMAL: Json = {"thinkingLevel": "MINIMAL"}
_NONE: Json = {"thinkingBudget": 0}
#: As published in October 2026 at https://ai.google.dev/gemini-api/docs/pricing. 3.6 to 3.8 Flash
#: cost half of this until the end of 2026; the lasting price keeps a cost cap safe.
PRICES: dict[str, ModelPrice] = {
    "gemini-3.8-flash": ModelPrice(1.50, 7.50, _LOW),
    "gemini-3.7-flash": ModelPrice(1.50, 7.50, _LOW),
    "gemini-3.6-flash": ModelPrice(1.50, 7.50, _LOW),
    "gemini-3.5-flash": ModelPrice(1.50, 9.00, _MINIMAL),
    "gemini-3.5-flash-lite": ModelPrice(0.30, 2.50, _MINIMAL),
    "gemini-3.1-pro-preview": ModelPrice(2.00, 12.00, _LOW, dear_above=200_000),
    "gemini-3.1-flash-lite": ModelPrice(0.25, 1.50, _MINIMAL),
    "gemini-3-flash-preview": ModelPrice(0.50, 3.00, _MINIMAL),
    "gemini-2.5-pro": ModelPrice(1.25, 10.00, {"thinkingBudget": 128}, dear_above=200_000),
    "gemini-2.5-flash": ModelPrice(0.30, 2.50, _NONE),
    "gemini-2.5-flash-lite": ModelPrice(0.10, 0.40, _NONE),
}
