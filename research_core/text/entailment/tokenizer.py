"""Split a passage and a claim into the numbers of a tokenizer.json (Unigram or WordPiece).

Reads what the models that `docs/settings.md` names use of that format: the vocabulary, lower case,
and the special tokens around a pair. A Unigram text is split where the sum of the scores is highest,
found from left to right.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from research_core.errors import SettingsError

NEXT_STEP = "Use a model whose tokenizer.json is of the kind Unigram or WordPiece."
#: The space of Unigram vocabularies; the longest piece looked up; the cost of an unknown character
#: below the lowest score of the vocabulary, as in SentencePiece.
_SPACE, _MAX_PIECE, _UNKNOWN_COST = "\u2581", 32, 10.0
_WORDS = re.compile(r"[^\W_]+|[^\w\s]|_")
_HAN = re.compile("([\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")


@dataclass(frozen=True)
class PairTokenizer:
    """The vocabulary and the special tokens of a model.

    ids: the number of each piece. scores: each piece with its score (Unigram), None for WordPiece.
    lowest: the score of an unknown character. lower: whether letters are made lower case.
    removes_accents: whether accents are removed. template: special tokens as (number, type), and
    "A" and "B" with their type, in order.
    """

    ids: Mapping[str, int]
    scores: Mapping[str, float] | None
    lowest: float
    unknown: int
    lower: bool
    template: tuple[tuple[int | str, int], ...]
    removes_accents: bool

    def encode_pair(self, one: str, other: str, most: int) -> tuple[list[int], list[int]]:
        """Return (numbers, types), at most `most`; the first text is cut if they are too long."""
        texts = {"A": self.split(one), "B": self.split(other)}
        specials = sum(isinstance(item, int) for item, _ in self.template)
        texts["B"] = texts["B"][: most // 2]
        texts["A"] = texts["A"][: max(0, most - specials - len(texts["B"]))]
        numbers: list[int] = []
        types: list[int] = []
        for item, kind in self.template:
            added = [item] if isinstance(item, int) else texts[item]
            numbers += added
            types += [kind] * len(added)
        return numbers, types

    def split(self, text: str) -> list[int]:
        """Return the numbers of a text without special tokens."""
        plain = unicodedata.normalize("NFKC", text)
        plain = plain.lower() if self.lower else plain
        plain = _remove_accents(plain) if self.removes_accents else plain
        numbers: list[int] = []
        if self.scores is not None:
            for word in plain.split():
                numbers += self._split_by_score(_SPACE + word)
            return numbers
        for word in _WORDS.findall(_HAN.sub(r" \1 ", plain)):
            numbers += self._split_greedily(word)
        return numbers

    def _split_by_score(self, word: str) -> list[int]:
        """Split a word so that the sum of the scores of its pieces is highest."""
        known = self.scores or {}
        best = [0.0] + [float("-inf")] * len(word)
        begins = [0] * (len(word) + 1)
        for end in range(1, len(word) + 1):
            for start in range(max(0, end - _MAX_PIECE), end):
                score = known.get(word[start:end])
                if score is None:
                    if end - start > 1:
                        continue
                    score = self.lowest
                if best[start] + score > best[end]:
                    best[end], begins[end] = best[start] + score, start
        pieces: list[int] = []
        end = len(word)
        while end:
            pieces.append(self.ids.get(word[begins[end] : end], self.unknown))
            end = begins[end]
        return pieces[::-1]

    def _split_greedily(self, word: str) -> list[int]:
        """Split a word into its longest known pieces; unknown if one is missing."""
        numbers: list[int] = []
        start = 0
        while start < len(word):
            head = "##" if start else ""
            end = len(word)
            while end > start and head + word[start:end] not in self.ids:
                end -= 1
            if end == start:
                return [self.unknown]
            numbers.append(self.ids[head + word[start:end]])
            start = end
        return numbers


def read_tokenizer(file: Path) -> PairTokenizer:
    """Read a tokenizer.json. Raises SettingsError if it is missing or of an unknown kind."""
    try:
        described = json.loads(file.read_text(encoding="utf-8"))
        return _parse_tokenizer(described)
    except OSError as error:
        raise SettingsError(
            f"The tokenizer of the entailment model cannot be read: {file}.", next_step=NEXT_STEP
        ) from error
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise SettingsError(
            f"{file} is no tokenizer that is understood.", next_step=NEXT_STEP
        ) from error


def _parse_tokenizer(described: Mapping[str, Any]) -> PairTokenizer:
    model = described["model"]
    template = _read_template(described["post_processor"])
    lower = _is_lower(described.get("normalizer"))
    accents = _removes_accents(described.get("normalizer"))
    if model["type"] == "Unigram":
        ids = {piece: number for number, (piece, _score) in enumerate(model["vocab"])}
        scores = {piece: float(score) for piece, score in model["vocab"]}
        lowest = min(scores.values()) - _UNKNOWN_COST
        return PairTokenizer(
            ids, scores, lowest, int(model.get("unk_id") or 0), lower, template, accents
        )
    if model["type"] == "WordPiece":
        ids = {str(piece): int(number) for piece, number in model["vocab"].items()}
        return PairTokenizer(ids, None, 0.0, ids[model["unk_token"]], lower, template, accents)
    raise ValueError(model["type"])


def _is_lower(normalizer: Any) -> bool:
    """Return whether a normalizer, or one of its parts, makes letters lower case."""
    if not isinstance(normalizer, dict):
        return False
    if normalizer.get("type") == "Lowercase" or normalizer.get("lowercase") is True:
        return True
    return any(map(_is_lower, normalizer.get("normalizers") or ()))


def _removes_accents(normalizer: Any) -> bool:
    """Return whether a normalizer, or one of its parts, removes accents.

    Where BERT's normalizer states nothing of accents, it removes them if it lower-cases.
    """
    if not isinstance(normalizer, dict):
        return False
    if normalizer.get("type") == "StripAccents":
        return True
    if normalizer.get("type") == "BertNormalizer":
        stated = normalizer.get("strip_accents")
        return bool(normalizer.get("lowercase", True) if stated is None else stated)
    return any(map(_removes_accents, normalizer.get("normalizers") or ()))


def _remove_accents(text: str) -> str:
    parts = unicodedata.normalize("NFD", text)
    return "".join(letter for letter in parts if unicodedata.category(letter) != "Mn")


def _read_template(processor: Mapping[str, Any]) -> tuple[tuple[int | str, int], ...]:
    """Return the special tokens around a pair."""
    if processor["type"] == "Sequence":
        return _read_template(processor["processors"][-1])
    if processor["type"] in ("BertProcessing", "RobertaProcessing"):
        start, end = int(processor["cls"][1]), int(processor["sep"][1])
        if processor["type"] == "BertProcessing":
            return ((start, 0), ("A", 0), (end, 0), ("B", 1), (end, 1))
        return ((start, 0), ("A", 0), (end, 0), (end, 0), ("B", 0), (end, 0))
    found: list[tuple[int | str, int]] = []
    for item in processor["pair"]:
        if "Sequence" in item:
            found.append((str(item["Sequence"]["id"]), int(item["Sequence"]["type_id"])))
        else:
            numbers: Sequence[int] = processor["special_tokens"][item["SpecialToken"]["id"]]["ids"]
            found += [(int(number), int(item["SpecialToken"]["type_id"])) for number in numbers]
    return tuple(found)
