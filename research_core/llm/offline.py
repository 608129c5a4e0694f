"""Answer model requests without a key or a network: one pure function per kind of request.

It reads `inputs` and never the prompt, costs nothing, and always gives the same reply to the same
request. The module that answers a kind is imported for the first request of that kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from research_core.errors import ModelError
from research_core.model_messages import REPORT_KINDS, Json, ModelReply, ModelRequest
from research_core.policy import OFFLINE_MODEL

if TYPE_CHECKING:
    from research_core.text.embeddings import Embedder

#: The module and the function that answer each kind: `inputs` in, the text of the reply out.
OFFLINE_ANSWERS: dict[str, tuple[str, str]] = {
    "plan": ("offline_planner", "answer_plan"),
    "refine": ("offline_planner", "answer_refine"),
    "gaps": ("offline_planner", "answer_gaps"),
    "judge_relevance": ("offline_judge", "judge_source"),
    "write": ("offline_writer", "write_report"),
    "write_section": ("offline_writer", "write_section"),
    "write_frame": ("offline_writer", "write_frame"),
    "explain_insufficient": ("offline_explanation", "explain_insufficient"),
}
#: The kinds whose function takes the embedder.
KINDS_BY_MEANING = REPORT_KINDS | {"judge_relevance"}
_SECTION = re.compile(r"(?m)^(?=#{2,3} )")


class OfflineModel:
    """The extractive model.

    embedder: compares texts by meaning when it judges and writes; None for words alone.
    """

    name = OFFLINE_MODEL

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    def open(self) -> None:
        """Do nothing: it needs no connection."""

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        """Return the reply for this kind of request, streamed section by section.

        Raises ModelError for other kinds.
        """
        if request.kind not in OFFLINE_ANSWERS:
            raise ModelError(
                f"The offline model cannot answer {request.kind!r}.",
                kind="config",
                next_step=(
                    "Choose the planned strategy, or set GEMINI_API_KEY or ASSAY_OPENAI_BASE_URL"
                    " and choose that model."
                ),
            )
        text = self._find_answer(request.kind)(request.inputs)
        if on_text is not None:
            for piece in filter(None, _SECTION.split(text)):
                on_text(piece)
        return ModelReply(text, self.name)

    def _find_answer(self, kind: str) -> Callable[[Json], str]:
        module, function = OFFLINE_ANSWERS[kind]
        answer: Callable[..., str] = getattr(import_module(f"research_core.llm.{module}"), function)
        if kind in KINDS_BY_MEANING and self._embedder is not None:
            return partial(answer, embedder=self._embedder)
        return answer
