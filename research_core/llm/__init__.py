"""Choose the language model of a run: Gemini, an OpenAI-compatible one, or the offline one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from research_core.errors import SettingsError
from research_core.journal.deps import Model
from research_core.llm.gemini import GeminiModel
from research_core.llm.prices import PRICES
from research_core.settings import Settings

if TYPE_CHECKING:
    from research_core.llm.openai_wire import ListedModel
    from research_core.text.embeddings import Embedder


def _make_gemini(settings: Settings, _embedder: Embedder | None, named: str) -> Model:
    return GeminiModel(settings, named=named)


def _make_openai(settings: Settings, _embedder: Embedder | None, named: str) -> Model:
    from research_core.llm.openai import OpenAIModel

    return OpenAIModel(settings, named=named)


def _make_offline(_settings: Settings, embedder: Embedder | None, _named: str) -> Model:
    from research_core.llm.offline import OfflineModel

    return OfflineModel(embedder)


#: Builds each model. A name may go on after a colon: "gemini:<model>" puts that model first in the
#: chain, and so does "openai:<model>". The last argument is that model if the settings do not list
#: it: the name may be misspelt, so no other model replaces it silently.
MODEL_FAMILIES: dict[str, Callable[[Settings, Embedder | None, str], Model]] = {
    "gemini": _make_gemini,
    "openai": _make_openai,
    "offline": _make_offline,
}

#: Every form of a name that `choose_model` takes.
_FORMS_OF_NAMES = ("auto", *MODEL_FAMILIES, "gemini:NAME", "openai:NAME")


def choose_model(
    settings: Settings,
    name: str = "",
    embedder: Embedder | None = None,
    *,
    is_replaceable: bool = False,
) -> Model:
    """Build the model of that name, "" for the configured one. Raises SettingsError.

    "auto" is Gemini if it has a key, else openai if it has an address and a model, else offline. A
    bare name means the model that the settings of one provider list.
    embedder: lets the offline model judge meaning too. is_replaceable: if the named model does not
    exist, those of the settings answer, even if they do not list it.
    """
    family, chained = _resolve_family(settings, name)
    model = settings.add_family(name or settings.model).partition(":")[2]
    named = "" if model in settings.list_models(family) or is_replaceable else model
    return MODEL_FAMILIES[family](chained, embedder, named)


def choose_judge(settings: Settings, model: str) -> str:
    """Return the name of the model that judges beside this one, "" if it judges itself.

    Without a setting it is, of the Gemini models with known prices, the cheapest.
    """
    if settings.judge:
        name = choose_model(settings, settings.judge).name
        return "" if name == model else name
    if not model.startswith("gemini:"):
        return ""
    priced = [name for name in settings.gemini_models if name in PRICES]
    cheapest = min(priced, key=lambda name: PRICES[name].output, default="")
    return "" if not cheapest or f"gemini:{cheapest}" == model else f"gemini:{cheapest}"


def choose_writer(settings: Settings, model: str) -> str:
    """Return the name of the model that writes beside this one, "" if it writes itself."""
    if not settings.writer:
        return ""
    name = choose_model(settings, settings.writer).name
    return "" if name == model else name


def has_known_price(settings: Settings, name: str) -> bool:
    """Return True if the price of every model that may answer under that name is known.

    Raises SettingsError.
    """
    family, settings = _resolve_family(settings, name)
    if family == "openai":
        from research_core.llm.openai import has_known_cost

        return has_known_cost(settings)
    return family != "gemini" or all(model in PRICES for model in settings.gemini_models)


def find_context_size(settings: Settings, name: str) -> int:
    """Return the smallest context of the models that may answer under a name, in tokens.

    An OpenAI-compatible server is asked. Without an answer it is DEFAULT_CONTEXT.
    """
    from research_core.llm.context_sizes import CONTEXT_SIZES, DEFAULT_CONTEXT

    try:
        family, settings = _resolve_family(settings, name)
        if family == "openai":
            from research_core.llm import openai

            return openai.find_context_size(settings)
    except SettingsError:
        return DEFAULT_CONTEXT
    if family != "gemini":
        return DEFAULT_CONTEXT
    sizes = [CONTEXT_SIZES.get(model, DEFAULT_CONTEXT) for model in settings.gemini_models]
    return min(sizes, default=DEFAULT_CONTEXT)


def is_free(settings: Settings, name: str) -> bool:
    """Return True if a model costs nothing: the offline one, and those of a server of one's own."""
    family, _, model = name.partition(":")
    if family == "openai" and model and settings.openai_base_url:
        from research_core.llm import openai

        return openai.is_free(settings, model)
    return family == "offline"


def list_openai_names(settings: Settings) -> tuple[str, ...]:
    """Return the names of the models of the OpenAI-compatible server, () if none is configured."""
    if not settings.openai_base_url:
        return ()
    return tuple(f"openai:{model}" for model in settings.openai_models)


def list_server_models(settings: Settings) -> tuple[ListedModel, ...]:
    """Return the models at the OpenAI-compatible address. Raises SettingsError and ModelError."""
    from research_core.llm import openai

    return openai.list_models(settings)


def describe_cost(settings: Settings, model: ListedModel) -> str:
    """Return what calls of a model at that address cost, in words."""
    from research_core.llm import openai

    return openai.describe_cost(settings, model)


def _resolve_family(settings: Settings, name: str) -> tuple[str, Settings]:
    """Return the key of MODEL_FAMILIES that the name means, and the settings to build it with."""
    family, _, model = settings.add_family(name or settings.model).partition(":")
    if family == "auto":
        family = _choose_family(settings)
    if family not in MODEL_FAMILIES:
        raise SettingsError(
            f"Unknown model {name or settings.model!r}.",
            next_step=f"Choose one of: {', '.join(_FORMS_OF_NAMES)}.",
        )
    if model and family == "gemini":
        settings = replace(settings, gemini_models=_put_first(model, settings.gemini_models))
    if model and family == "openai":
        settings = replace(settings, openai_models=_put_first(model, settings.openai_models))
    return family, settings


def _put_first(model: str, models: Sequence[str]) -> tuple[str, ...]:
    return (model, *(other for other in models if other != model))


def _choose_family(settings: Settings) -> str:
    if settings.gemini_api_key:
        return "gemini"
    return "openai" if list_openai_names(settings) else "offline"
