"""A model that answers what the test says, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable

from research_core.model_messages import ModelReply, ModelRequest


class Scripted:
    """Answers each request with the next of `answers`; the last one answers all that follow.

    An answer is a text, a reply, or an exception to raise.
    """

    name = "scripted"

    def __init__(self, *answers: str | ModelReply | BaseException) -> None:
        self.answers = list(answers)
        self.requests: list[ModelRequest] = []

    def open(self) -> None: ...

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, BaseException):
            raise answer
        reply = answer if isinstance(answer, ModelReply) else ModelReply(answer, self.name)
        if on_text is not None:
            on_text(reply.text)
        return reply
