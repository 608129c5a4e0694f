"""Call an OpenAI-compatible server, or Ollama by its own protocol.

Only the configured origin is asked, without proxies and redirects, which would carry the key
elsewhere. What a server rejects (a parameter, a way of asking for JSON) is left out and remembered
as long as the client lives.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from research_core.errors import ModelError, SettingsError
from research_core.llm import ollama_wire
from research_core.llm import openai_failures as failures
from research_core.llm import openai_wire as wire
from research_core.llm.context_sizes import DEFAULT_CONTEXT
from research_core.llm.json_replies import ask_for_json
from research_core.llm.model_chain import OnText, UnavailableModels, ask_chain, skip_models
from research_core.llm.reply_shapes import (
    describe_no_connection,
    describe_unreadable,
    list_other_models,
    mask_key,
    require_object,
)
from research_core.model_messages import (
    REPORT_KINDS,
    Json,
    ModelReply,
    ModelRequest,
)
from research_core.settings import Settings, is_possible_key
from research_core.values import LOOPBACK

if TYPE_CHECKING:
    import httpx2

MAX_REPLY_BYTES = 20_000_000
#: Seconds for a question about the server itself.
LOOKUP_S = 10.0
CONNECT_S = 10.0
#: The writing of a report may take so many times as long as another call.
WRITING_FACTOR = 5
#: Requests one answer may take, with what the server rejects left out one by one.
MAX_ADAPTATIONS = 8
#: Statuses of an answer that says what the server is; after another it is asked again.
SETTLING_STATUSES = frozenset({200, 404})
#: Names in an error, of the models that are there, and those that are compared for it.
MAX_NAMES, MAX_COMPARED_NAMES = 12, 2_000
#: Ends of host names that only a private network knows.
PRIVATE_SUFFIXES = (".local", ".localhost", ".lan", ".internal", ".home.arpa")


#: Ends of addresses that people copy, of one question to a server; the first is Ollama's own.
_ENDPOINT = re.compile(
    r"(?:/api/(?:chat|generate|tags)|/chat/completions"
    r"|(?<=/v1)/(?:chat|completions|responses|embeddings|models))\Z"
)


#: The names of models that are safe to show in a shell command.
_PULLABLE = re.compile(r"[\w.-]+(?:/[\w.-]+)*(?::[\w.-]+)?", re.ASCII)


def build_api_address(base_url: str) -> str:
    """Return the address that ends before `/chat/completions`; `/v1` where no path is given."""
    address = _ENDPOINT.sub("", base_url.rstrip("/"))
    return address if urlsplit(address).path.strip("/") else f"{address}/v1"


def is_private_host(base_url: str) -> bool:
    """Return True for this machine and private networks, whose servers cost nothing."""
    host = (urlsplit(base_url).hostname or "").rstrip(".")
    try:
        address = ip_address(host)
    except ValueError:
        return host in LOOPBACK or "." not in host or host.endswith(PRIVATE_SUFFIXES)
    return address.is_private or address.is_loopback or address.is_link_local


def is_free(settings: Settings, model: str) -> bool:
    """Return True if the server is one's own, whose calls cost nothing unless it states a cost.

    Ollama runs models named "…cloud" elsewhere.
    """
    return is_private_host(settings.openai_base_url) and not model.endswith("cloud")


def has_known_cost(settings: Settings) -> bool:
    """Return True if each call's cost is known: it is free, or the server states it."""
    if urlsplit(settings.openai_base_url).hostname == "openrouter.ai":
        return True
    return all(is_free(settings, model) for model in settings.openai_models)


def describe_cost(settings: Settings, model: wire.ListedModel) -> str:
    """Return what calls of a model cost, in words."""
    if is_free(settings, model.name):
        return "free (own server, unless it states a cost)"
    if model.price is None:
        return "price unknown"
    read, written = model.price
    return f"US$ {read:g} read, {written:g} written per million tokens"


def list_models(settings: Settings) -> tuple[wire.ListedModel, ...]:
    """Return the models at the configured address; none of them need be chosen.

    Raises SettingsError without an address, ModelError if the server does not tell.
    """
    any_model = settings.openai_models or ("any",)
    client = OpenAIModel(replace(settings, openai_models=any_model))
    try:
        return client.list_models()
    except ModelError as error:
        error.message = client.remove_key(error.message)
        raise
    finally:
        client.close()


def find_context_size(settings: Settings) -> int:
    """Return the smallest context of the models of the settings, in tokens."""
    client = OpenAIModel(settings)
    try:
        return client.find_context_size()
    finally:
        client.close()


class OpenAIModel:
    """The models of `settings.openai_models`, in order, at `settings.openai_base_url`.

    One HTTP client serves all threads. named: the model that no other replaces if it does not
    exist. max_bytes: of one reply, with all pieces of a stream.
    """

    def __init__(
        self, settings: Settings, *, named: str = "", max_bytes: int = MAX_REPLY_BYTES
    ) -> None:
        _check_settings(settings)
        self._settings = settings
        self._named = named
        self._unavailable = UnavailableModels()
        self._max_bytes = max_bytes
        self._api = build_api_address(settings.openai_base_url)
        self._lock = threading.Lock()
        self._made: httpx2.Client | None = None
        self._abilities: dict[str, failures.Abilities] = {}
        self._is_ollama: bool | None = None
        self._contexts: dict[str, int] = {}
        self._whole_contexts: set[str] = set()
        self._answered: set[str] = set()

    @property
    def name(self) -> str:
        return f"openai:{self._settings.openai_models[0]}"

    @property
    def most_at_once(self) -> int:
        """Calls that one session makes at once; a local server answers them one after another."""
        chosen = self._settings.openai_calls_at_once
        if chosen:
            return chosen
        return 2 if is_private_host(self._api) else 10

    def open(self) -> None:
        self._client()

    def close(self) -> None:
        """Close the HTTP client; the next call opens another."""
        with self._lock:
            if self._made is not None:
                self._made.close()
            self._made = None

    def run(self, request: ModelRequest, on_text: OnText | None = None) -> ModelReply:
        """Return the first answer of the chain.

        The time for all of it is `openai_timeout_s`, or what the request asks for if that is more.
        """
        own_s = self._settings.openai_timeout_s
        if request.kind in REPORT_KINDS:
            own_s *= WRITING_FACTOR
        streamed = on_text is not None and not request.tools and request.schema is None
        return ask_chain(
            skip_models(self._settings.openai_models, request),
            max(request.timeout_s, own_s),
            on_text,
            partial(self._ask, request, streamed),
            named=self._named,
            unavailable=self._unavailable,
            given_up=request.given_up,
        )

    # ------------------------------------------------------------ one model

    def _ask(
        self, request: ModelRequest, streamed: bool, model: str, deadline: float, pass_on: OnText
    ) -> ModelReply:
        def ask(asked: ModelRequest) -> ModelReply:
            return self._ask_adapted(asked, streamed, model, deadline, pass_on)

        return ask_for_json(request, model, ask)

    def _ask_adapted(
        self, request: ModelRequest, streamed: bool, model: str, deadline: float, pass_on: OnText
    ) -> ModelReply:
        """Ask, leaving out what the server rejects."""
        notes: list[str] = []
        left_out: frozenset[str] = frozenset()  # of this request only
        for number in range(1, MAX_ADAPTATIONS + 1):
            known = self._abilities.get(model, failures.Abilities())
            able = replace(known, rejected=known.rejected | left_out)
            try:
                reply = self._ask_once(request, streamed, model, able, deadline, pass_on)
            except ModelError as error:
                error.message = self.remove_key(error.message)
                error.requests = number
                if error.usage:
                    cost = self._find_cost(model, error.usage["cost"])
                    error.usage = {**error.usage, "cost": cost}
                raise
            except _Rejected as rejected:
                if rejected.rejection.lasting:
                    self._remember(model, known, rejected.rejection)
                else:
                    left_out |= {rejected.rejection.name}
                notes.append(self._describe_rejection(model, able, rejected.rejection))
                continue
            self._answered.add(model)
            usage = replace(reply.usage, cost=self._find_cost(model, reply.usage.cost))
            return replace(reply, usage=usage, notes=(*notes, *reply.notes), requests=number)
        failure = ModelError(f"{model} rejects every form of the request.", kind="config")
        failure.requests = MAX_ADAPTATIONS
        raise failure

    def _find_cost(self, model: str, stated: float | None) -> float | None:
        """Return what a call cost: what the server states, else nothing if it is one's own."""
        return 0.0 if stated is None and is_free(self._settings, model) else stated

    def _remember(
        self, model: str, known: failures.Abilities, rejection: failures.Rejection
    ) -> None:
        """Keep what a model rejects of every request."""
        with self._lock:
            now = self._abilities.get(model, failures.Abilities())
            if now == known:  # another thread may have learned it meanwhile
                self._abilities[model] = failures.without(known, rejection)

    def _describe_rejection(
        self, model: str, able: failures.Abilities, rejection: failures.Rejection
    ) -> str:
        """Return a sentence on what the server rejects and what was done."""
        if rejection.name == "response_format":
            now = self._abilities[model].structure
            return f"The server rejects {able.structure}; JSON was asked for by {now}."
        if rejection.instead:
            return f"The server rejects {rejection.name}; it was sent as {rejection.instead}."
        why = "" if rejection.lasting else " with a prompt of this length"
        return f"The server rejects {rejection.name}{why}, which was left out."

    def _ask_once(
        self,
        request: ModelRequest,
        streamed: bool,
        model: str,
        able: failures.Abilities,
        deadline: float,
        pass_on: OnText,
    ) -> ModelReply:
        if self._detect_ollama(model):
            context = self._find_context(model)
            body = ollama_wire.build_request_body(
                request,
                model,
                able,
                streamed=streamed,
                context=context,
                is_whole=model in self._whole_contexts,
            )
            url = f"{self._root}/api/chat"
            with closing(self._answers(url, body, model, able, deadline)) as answers:
                return ollama_wire.parse_reply(
                    answers, request, model, context=context, on_text=pass_on
                )
        body = wire.build_request_body(request, model, able, streamed=streamed)
        url = f"{self._api}/chat/completions"
        with closing(self._answers(url, body, model, able, deadline)) as answers:
            return wire.parse_reply(answers, request, model, streamed=streamed, on_text=pass_on)

    def _answers(
        self, url: str, body: Json, model: str, able: failures.Abilities, deadline: float
    ) -> Generator[Any, None, None]:
        """Yield the decoded answer, or each piece of it as it arrives."""
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise ModelError(f"{model} did not answer in time.", kind="timeout")
        with (
            self._raise_as_model_errors(model),
            self._stream("POST", url, left_s, json=body) as response,
        ):
            if response.status_code != 200:
                self._raise_refusal(response, body, model, able)
            lines = _read_lines(response, self._max_bytes)
            if "event-stream" in response.headers.get("content-type", ""):
                yield from _decode_events(lines)
            elif body.get("stream") and "options" in body:
                yield from _decode_lines(line for line in lines if line.strip())
            else:
                yield json.loads("\n".join(lines))

    def _raise_refusal(
        self, response: httpx2.Response, sent: Json, model: str, able: failures.Abilities
    ) -> None:
        """Raise the error of an answer that is none, or _Rejected for what can be left out."""
        answer = _decode_error("\n".join(_read_lines(response, self._max_bytes)))
        error = failures.read_error(answer, response.status_code)
        rejection = failures.find_rejection(response.status_code, error, sent, able)
        if rejection is not None:
            raise _Rejected(rejection)
        others = list_other_models(self._settings, "openai")
        made = failures.build_model_error(
            model,
            response.status_code,
            answer,
            response.headers,
            others=others,
            has_key=bool(self._settings.openai_api_key),
        )
        # A model that has answered before is there, whatever the names in the list.
        if model not in self._answered and failures.may_lack_model(made, answer, model):
            names = self._list_names()
            if made.kind == "not_found" or not failures.is_listed(model, names):
                known = _find_nearest(
                    model, [name for name in names if not failures.is_listed(model, [name])]
                )
                missing_step = failures.describe_missing_step(
                    known,
                    is_named=model == self._named,
                    is_only_one=bool(names) and not known,
                )
                if self._is_ollama and _PULLABLE.fullmatch(model):
                    missing_step += f" To download it: `ollama pull {model}`."
                made = failures.build_model_error(
                    model,
                    response.status_code,
                    answer,
                    response.headers,
                    known=known,
                    missing_step=missing_step,
                )
        raise made

    # ------------------------------------------------------------ the server

    @property
    def _root(self) -> str:
        return self._api.removesuffix("/v1")

    def _detect_ollama(self, model: str) -> bool:
        """Return True if the server is an Ollama.

        Asked until an answer settles it; another status may be a passing failure. A server that is
        not there raises.
        """
        if self._is_ollama is not None:
            return self._is_ollama
        with self._raise_as_model_errors(model):
            status, answer = self._get(f"{self._root}/api/tags")
        is_ollama = status == 200 and ollama_wire.parse_tags(answer) is not None
        if status in SETTLING_STATUSES:
            self._is_ollama = is_ollama
        return is_ollama

    def _find_context(self, model: str) -> int:
        """Return num_ctx: the setting, or what the model can read if that is less."""
        if model not in self._contexts:
            with self._raise_as_model_errors(model):
                url = f"{self._root}/api/show"
                with self._stream("POST", url, LOOKUP_S, json={"model": model}) as response:
                    status = response.status_code
                    answer = _decode_error("\n".join(_read_lines(response, self._max_bytes)))
            longest = ollama_wire.parse_context_length(answer)
            wanted = self._settings.ollama_context
            context = wanted if longest is None else min(wanted, longest)
            if longest == context:
                self._whole_contexts.add(model)
            if status not in SETTLING_STATUSES:
                return context
            self._contexts[model] = context
        return self._contexts[model]

    def list_models(self) -> tuple[wire.ListedModel, ...]:
        """Return the models at the address. Raises ModelError."""
        with self._raise_as_model_errors("The server", is_lookup=True):
            status, answer = self._get(f"{self._api}/models")
            if status != 200:
                has_key = bool(self._settings.openai_api_key)
                raise failures.build_model_error("The server", status, answer, {}, has_key=has_key)
            failures.raise_if_error(require_object(answer, "The server"), "The server")
            return wire.parse_models(answer)

    def find_context_size(self) -> int:
        """Return the smallest context of the models of the chain, in tokens.

        It is DEFAULT_CONTEXT if the server does not state it.
        """
        try:
            models = self._settings.openai_models
            if self._detect_ollama(models[0]):
                return min(map(self._find_context, models))
            sizes = {model.name: model.context for model in self.list_models()}
        except ModelError:
            return DEFAULT_CONTEXT
        return min(sizes.get(model) or DEFAULT_CONTEXT for model in models)

    def _list_names(self) -> tuple[str, ...]:
        """Return the names of the models at the address; none if they are not told."""
        try:
            return tuple(model.name for model in self.list_models())
        except ModelError:
            return ()

    def _get(self, url: str) -> tuple[int, Any]:
        with self._stream("GET", url, LOOKUP_S) as response:
            return response.status_code, _decode_error(
                "\n".join(_read_lines(response, self._max_bytes))
            )

    def _stream(self, method: str, url: str, left_s: float, **options: Any) -> Any:
        import httpx2

        timeout = httpx2.Timeout(left_s, connect=min(left_s, CONNECT_S))
        return self._client().stream(method, url, timeout=timeout, **options)

    def _client(self) -> httpx2.Client:
        import httpx2

        with self._lock:
            if self._made is None:
                key = self._settings.openai_api_key
                self._made = httpx2.Client(
                    headers={"authorization": f"Bearer {key}"} if key else {},
                    trust_env=False,
                    follow_redirects=False,
                )
            return self._made

    @contextmanager
    def _raise_as_model_errors(self, model: str, *, is_lookup: bool = False) -> Iterator[None]:
        """Turn the errors of HTTP and of decoding into ModelError.

        is_lookup: the server is asked about itself, within a time that no setting changes.
        """
        import httpx2

        try:
            yield
        except httpx2.TimeoutException as error:
            raise ModelError(
                f"{model} did not answer in time.",
                kind="timeout",
                next_step="Try again: it may be busy, or still starting."
                if is_lookup
                else "Raise ASSAY_OPENAI_TIMEOUT, or choose a smaller model.",
            ) from error
        except httpx2.InvalidURL as error:
            raise ModelError(
                "ASSAY_OPENAI_BASE_URL cannot be used.",
                kind="config",
                next_step=failures.NEXT_STEPS["config"],
            ) from error
        except httpx2.HTTPError as error:
            why, check = describe_no_connection(error)
            step = "Is the server at ASSAY_OPENAI_BASE_URL running? For Ollama: `ollama serve`."
            raise ModelError(
                f"{model} could not be reached ({why}).",
                kind="network",
                next_step=f"{check} See ASSAY_OPENAI_BASE_URL." if check else step,
            ) from error
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise ModelError(
                f"{model} answered something that is no answer of a model:"
                f" {describe_unreadable(error)}.",
                kind="bad_reply",
                next_step=failures.NEXT_STEPS["config"],
            ) from error

    def remove_key(self, text: str) -> str:
        return mask_key(text, self._settings.openai_api_key)


class _Rejected(Exception):
    """The server rejects a part of the request."""

    def __init__(self, rejection: failures.Rejection) -> None:
        super().__init__(rejection.name)
        self.rejection = rejection


def _find_nearest(wanted: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return a few of the names, the most similar first."""
    from difflib import get_close_matches

    compared = names[:MAX_COMPARED_NAMES]
    similar = get_close_matches(wanted, compared, MAX_NAMES)
    return tuple(dict.fromkeys((*similar, *compared)))[:MAX_NAMES]


def _check_settings(settings: Settings) -> None:
    """Raise SettingsError for what no call could be made with."""
    if not settings.openai_base_url:
        raise SettingsError(
            "The openai model needs the address of a server.",
            next_step="Set ASSAY_OPENAI_BASE_URL, such as http://localhost:11434/v1.",
        )
    if not settings.openai_models:
        raise SettingsError(
            "No model of the OpenAI-compatible server is named.",
            next_step="Set ASSAY_OPENAI_MODELS; Settings lists the models found at the address.",
        )
    key = settings.openai_api_key
    if key and not is_possible_key(key):
        raise SettingsError(
            "ASSAY_OPENAI_API_KEY holds characters that no key has.",
            next_step="Set it again, or leave it out.",
        )


def _read_lines(response: httpx2.Response, max_bytes: int) -> Iterator[str]:
    """Yield the lines of an answer. Raises ModelError above max_bytes."""
    size = 0
    held = b""
    for chunk in response.iter_bytes():
        size += len(chunk)
        if size > max_bytes:
            raise ModelError("The answer of the model is far too long.", kind="bad_reply")
        *lines, held = (held + chunk).split(b"\n")
        for line in lines:
            yield line.rstrip(b"\r").decode("utf-8", "replace")
    if held:
        yield held.decode("utf-8", "replace")


#: The last event of a stream.
END_OF_STREAM = "[DONE]"


def _decode_events(lines: Iterator[str]) -> Iterator[Any]:
    """Yield the decoded data of each event of a stream; comments keep a connection awake."""
    yield from _decode_lines(filter(None, map(_read_event_data, lines)))


def _read_event_data(line: str) -> str:
    name, _, data = line.partition(":")
    return data.strip() if name == "data" else ""


def _decode_lines(lines: Iterator[str]) -> Iterator[Any]:
    """Yield the decoded lines. A stream that is cut ends before a last line that is no JSON."""
    has_begun = False
    for line in lines:
        if line == END_OF_STREAM:
            return
        try:
            decoded = json.loads(line)
        except ValueError:
            if has_begun and next(lines, None) is None:
                return
            raise
        has_begun = True
        yield decoded


def _decode_error(text: str) -> Any:
    """Return the decoded answer; text that is no JSON as the message of an error, without tags."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {} if "<" in text else {"error": text[:300]}
