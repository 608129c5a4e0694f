"""Check the shape of what a model's server answers. Pure; shared by all that read replies."""

from __future__ import annotations

from typing import Any

from research_core.errors import ModelError
from research_core.model_messages import Json


def require_object(value: Any, model: str) -> Json:
    """Return an object, {} for a missing one. Raises ModelError of kind bad_reply."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise make_shape_error(model)
    return value


def require_list(value: Any, model: str) -> list[Any]:
    """Return a list, [] for a missing one. Raises ModelError of kind bad_reply."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise make_shape_error(model)
    return value


def quote_failure(model: str, status: int, said: str) -> str:
    """Return the sentence that a server answered this status, with its own words, if any.

    It ends with a full stop where those words end with none, as a next step follows.
    """
    if not said:
        return f"{model} answered {status}."
    ended = said.rstrip("\"'”’»)]").endswith((".", "!", "?", "…", "。", "！", "？", "۔", "।"))
    return f"{model} answered {status}: {said}{'' if ended else '.'}"


def make_shape_error(model: str) -> ModelError:
    """Return the error for a reply that is not of its documented shape."""
    return ModelError(
        f"{model} answered in a shape its documentation does not promise.",
        kind="bad_reply",
        next_step="Check the address of the model in .env, or choose another model.",
    )
