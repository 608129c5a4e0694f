"""Call Gemini through google-genai: a chain of models, one deadline, streaming and tools.

It never retries a model (the doorway does), never reads the environment, and never follows a
redirect, which would carry the key elsewhere. The SDK is imported by `open`, or at the first
call.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from research_core.errors import ModelError, SettingsError
from research_core.llm import gemini_wire as wire
from research_core.llm.model_chain import OnText, UnavailableModels, ask_chain, skip_models
from research_core.llm.reply_shapes import (
    describe_no_connection,
    describe_unreadable,
    list_other_models,
    mask_key,
)
from research_core.model_messages import ModelReply, ModelRequest
from research_core.settings import Settings, is_possible_key

if TYPE_CHECKING:
    import ssl

    from google.genai import Client

GEMINI_ADDRESS = "https://generativelanguage.googleapis.com"
#: What the SDK raises on an unreadable answer; it has no class of its own.
UNREADABLE_ERRORS = (ValueError, TypeError, LookupError, AttributeError, RecursionError)


class GeminiModel:
    """The models of `settings.gemini_models`, in order.

    One SDK client, created by `open` or at the first call, serves all threads. named: the model
    that no other replaces if it does not exist.
    """

    def __init__(self, settings: Settings, *, named: str = "") -> None:
        key = settings.gemini_api_key
        step = "Set GEMINI_API_KEY, or choose to use no language model."
        if not key:
            raise SettingsError("The Gemini model needs a key.", next_step=step)
        if not is_possible_key(key):
            raise SettingsError("GEMINI_API_KEY holds characters that no key has.", next_step=step)
        if not settings.gemini_models:
            raise SettingsError(
                "No Gemini model is named.", next_step="Set ASSAY_GEMINI_MODELS, or leave it out."
            )
        self._settings = settings
        self._named = named
        self._unavailable = UnavailableModels()
        self._lock = threading.Lock()
        self._made: Client | None = None

    @property
    def name(self) -> str:
        return f"gemini:{self._settings.gemini_models[0]}"

    def estimate_cost(self, request: ModelRequest) -> float | None:
        """Return about what a request costs in US dollars, None if the price is unknown."""
        return wire.estimate_cost(request, self._settings.gemini_models[0])

    def open(self) -> None:
        """Import the SDK and create its client, which takes half a second."""
        self._client()

    def run(self, request: ModelRequest, on_text: OnText | None = None) -> ModelReply:
        """Return the first answer of the chain, within `request.timeout_s` in all.

        Once a piece was passed on, no other model is asked.
        """
        self.open()  # takes none of the request's time
        streamed = on_text is not None and not request.tools
        return ask_chain(
            skip_models(self._settings.gemini_models, request),
            request.timeout_s,
            on_text,
            partial(self._ask, request, streamed),
            named=self._named,
            unavailable=self._unavailable,
            given_up=request.given_up,
        )

    def _ask(
        self, request: ModelRequest, streamed: bool, model: str, deadline: float, pass_on: OnText
    ) -> ModelReply:
        from research_core.llm.json_replies import ask_for_json

        def ask(asked: ModelRequest) -> ModelReply:
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise ModelError(f"{model} did not answer in time.", kind="timeout")
            answers = self._answers(model, asked, left_s, streamed)
            return wire.parse_reply(answers, asked, model, streamed=streamed, on_text=pass_on)

        try:
            return ask_for_json(request, model, ask)
        except ModelError as error:
            # A server may repeat the key it refuses.
            error.message = mask_key(error.message, self._settings.gemini_api_key)
            raise

    def _answers(
        self, model: str, request: ModelRequest, left_s: float, streamed: bool
    ) -> Iterator[Any]:
        """Yield the decoded answer, or each piece of it as it arrives.

        The whole request goes as extra body: the SDK's own types would decode the signatures in it
        and write them in another alphabet.
        """
        options = {
            "timeout": max(1, int(left_s * 1000)),
            "extra_body": wire.build_request_body(request, model),
        }
        config: Any = {
            "http_options": options,
            "should_return_http_response": not streamed,
            "automatic_function_calling": {"disable": True},
        }
        others = list_other_models(self._settings, "gemini")
        models = self._client().models
        if not streamed:
            with _raise_as_model_errors(model, others):
                whole = models.generate_content(model=model, contents=request.prompt, config=config)
                http_response = whole.sdk_http_response
                answer = json.loads((http_response and http_response.body) or "{}")
            yield answer
            return
        with _raise_as_model_errors(model, others):
            pieces = models.generate_content_stream(
                model=model, contents=request.prompt, config=config
            )
        while True:
            with _raise_as_model_errors(model, others):
                piece = next(pieces, None)
                answer = piece and piece.model_dump(mode="json", by_alias=True, exclude_none=True)
            if answer is None:
                return
            yield answer

    def _client(self) -> Client:
        with self._lock:
            if self._made is None:
                self._made = _create_client(self._settings)
            return self._made


def _create_client(settings: Settings) -> Client:
    """Create an SDK client with every option given.

    Otherwise the SDK's own environment variables (proxy, address, version, replay mode) could
    change it.
    """
    from google.genai import Client
    from google.genai.client import DebugConfig
    from google.genai.types import HttpOptions

    # It warns of keys in the environment, which are not used here.
    logging.getLogger("google_genai").setLevel(logging.ERROR)
    tls = _make_tls_context()
    arguments: dict[str, Any] = {"trust_env": False, "follow_redirects": False, "verify": tls}
    options = HttpOptions(
        base_url=settings.gemini_base_url or GEMINI_ADDRESS,
        api_version="v1beta",
        client_args=arguments,
        # The SDK would make one more for the WebSockets that are never opened.
        async_client_args={**arguments, "ssl": tls},
    )
    debug = DebugConfig(client_mode=None, replays_directory=None, replay_id=None)
    return Client(
        vertexai=False, api_key=settings.gemini_api_key, http_options=options, debug_config=debug
    )


@cache
def _make_tls_context() -> ssl.SSLContext:
    """Return the TLS context of all clients of the process, as the SDK would make it."""
    import httpx2

    return httpx2.create_ssl_context()


@contextmanager
def _raise_as_model_errors(model: str, others: Sequence[str]) -> Iterator[None]:
    """Turn errors of the SDK and of HTTP into ModelError. others: models that could be asked."""
    import httpx2
    from google.genai.errors import APIError

    try:
        yield
    except APIError as error:
        raise wire.build_model_error(
            model,
            int(error.code or 500),
            error.details,
            getattr(error.response, "headers", {}),
            others,
        ) from error
    except httpx2.TimeoutException as error:
        raise ModelError(f"{model} did not answer in time.", kind="timeout") from error
    except httpx2.HTTPError as error:
        why, check = describe_no_connection(error)
        raise ModelError(
            f"{model} could not be reached ({why}).",
            kind="network",
            next_step=f"{check} See ASSAY_GEMINI_URL." if check else "",
        ) from error
    except httpx2.InvalidURL as error:
        raise ModelError(
            "The address of the Gemini API cannot be used.",
            kind="config",
            next_step=wire.NEXT_STEPS["config"],
        ) from error
    except UNREADABLE_ERRORS as error:
        raise ModelError(
            f"{model} answered something that is not an answer: {describe_unreadable(error)}.",
            kind="bad_reply",
        ) from error
