"""The entailment model: a tiny one made here, its tokenizer, and files that cannot be used."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from research_core.errors import SettingsError
from research_core.text.entailment import find_entailment
from research_core.text.entailment.tokenizer import read_tokenizer

pytest.importorskip("onnxruntime")

# ---------------------------------------------------------------- a model, as protobuf bytes


def varint(number: int) -> bytes:
    """A number as protobuf writes it."""
    found = b""
    while number > 127:
        found += bytes([number & 127 | 128])
        number >>= 7
    return found + bytes([number])


def field(number: int, value: int | bytes | str) -> bytes:
    """A field of a protobuf message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    body = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(body)) + body


def value_info(name: str, kind: int, *sizes: str | int) -> bytes:
    """The type of an input or output; kind: 1 float, 7 int64."""
    shape = b""
    for size in sizes:
        shape += field(1, field(1, size) if isinstance(size, int) else field(2, size))
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def node(operator: str, inputs: list[str], output: str, attribute: bytes = b"") -> bytes:
    """An operation of the graph."""
    body = b"".join(field(1, name) for name in inputs)
    return body + field(2, output) + field(4, operator) + attribute


def make_model(weights: list[float], input_name: str = "input_ids") -> bytes:
    """A model whose outputs are the mean number of the tokens times each of the weights."""
    to_float = field(5, field(1, "to") + field(3, 1) + field(20, 2))
    numbers = struct.pack(f"<{len(weights)}f", *weights)
    weight = field(1, 1) + field(1, len(weights)) + field(2, 1) + field(8, "w") + field(9, numbers)
    graph = (
        field(1, node("Cast", [input_name], "float", to_float))
        + field(1, node("ReduceMean", ["float"], "mean"))
        + field(1, node("MatMul", ["mean", "w"], "logits"))
        + field(2, "tiny")
        + field(5, weight)
        + field(11, value_info(input_name, 7, 1, "length"))
        + field(12, value_info("logits", 1, 1, len(weights)))
    )
    return field(1, 8) + field(8, field(2, 13)) + field(7, graph)


PIECES = [
    ["[PAD]", 0.0], ["[CLS]", 0.0], ["[SEP]", 0.0], ["[UNK]", 0.0], ["▁the", -2.0], ["▁", -3.0],
    ["▁brid", -5.0], ["ge", -4.0], ["▁bridge", -6.0], ["s", -3.5],
]  # fmt: skip
TEMPLATE = {
    "type": "TemplateProcessing",
    "pair": [
        {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
        {"Sequence": {"id": "B", "type_id": 1}},
        {"SpecialToken": {"id": "[SEP]", "type_id": 1}},
    ],
    "special_tokens": {"[CLS]": {"ids": [1]}, "[SEP]": {"ids": [2]}},
}
UNIGRAM = {
    "model": {"type": "Unigram", "unk_id": 3, "vocab": PIECES},
    "normalizer": {"type": "Sequence", "normalizers": [{"type": "Lowercase"}]},
    "post_processor": TEMPLATE,
}
WORDPIECE = {
    "model": {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "vocab": {"[CLS]": 1, "[SEP]": 2, "[UNK]": 3, "bridge": 4, "##s": 5, ".": 6, "橋": 7},
    },
    "normalizer": {"type": "BertNormalizer", "lowercase": True},
    "post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 1], "sep": ["[SEP]", 2]},
}


def write_model(
    folder: Path,
    *,
    weights: tuple[float, ...] = (-1.0, 1.0, 0.0),
    labels: tuple[str, ...] = ("contradiction", "ENTAILMENT", "neutral"),
    tokenizer: Any = UNIGRAM,
    input_name: str = "input_ids",
) -> str:
    """Write a model and what belongs beside it; return its path."""
    path = folder / "model.onnx"
    path.write_bytes(make_model(list(weights), input_name))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    config = {"id2label": {str(number): label for number, label in enumerate(labels)}}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return str(path)


def test_the_model_runs_and_its_labels_are_read(tmp_path: Path) -> None:
    model = find_entailment(write_model(tmp_path))
    # [CLS] the bridge [SEP] bridge [SEP]: 1 4 8 2 8 2, whose mean is 25 / 6
    likelihood = model.measure("The bridge", "bridge")
    assert likelihood == pytest.approx(0.984, abs=0.0011)
    assert model.measure("the the", "the") < likelihood


def test_a_model_of_one_output_needs_no_labels(tmp_path: Path) -> None:
    path = write_model(tmp_path, weights=(-1.0,), labels=())
    model = find_entailment(path)
    assert model.measure("The bridge", "bridge") == 0.015


def test_unigram_pieces_have_the_highest_sum_of_scores(tmp_path: Path) -> None:
    write_model(tmp_path)
    tokenizer = read_tokenizer(tmp_path / "tokenizer.json")
    assert tokenizer.split("The BRIDGES") == [4, 8, 9]
    assert tokenizer.split("x") == [5, 3]
    assert tokenizer.encode_pair("the", "bridge", 8) == ([1, 4, 2, 8, 2], [0, 0, 0, 1, 1])


def test_the_passage_is_cut_and_the_claim_kept(tmp_path: Path) -> None:
    write_model(tmp_path)
    tokenizer = read_tokenizer(tmp_path / "tokenizer.json")
    numbers, types = tokenizer.encode_pair("the " * 90, "bridge", 10)
    assert numbers == [1, 4, 4, 4, 4, 4, 4, 2, 8, 2]
    assert len(types) == 10


@pytest.mark.parametrize(
    ("normalizer", "removes_accents"),
    [
        ({"type": "BertNormalizer", "lowercase": True}, True),
        ({"type": "BertNormalizer", "lowercase": True, "strip_accents": None}, True),
        ({"type": "BertNormalizer", "lowercase": True, "strip_accents": False}, False),
        ({"type": "BertNormalizer", "lowercase": False, "strip_accents": True}, True),
        ({"type": "BertNormalizer", "lowercase": False}, False),
        ({"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}]}, True),
        ({"type": "Lowercase"}, False),
        (None, False),
    ],
)
def test_accents_are_removed_where_the_tokenizer_says_so(
    tmp_path: Path, normalizer: Any, removes_accents: bool
) -> None:
    path = tmp_path / "tokenizer.json"
    vocabulary = {"[UNK]": 3, "resume": 4, "résumé": 5}
    model = {"type": "WordPiece", "unk_token": "[UNK]", "vocab": vocabulary}
    described = {**WORDPIECE, "model": model, "normalizer": normalizer}
    path.write_text(json.dumps(described), encoding="utf-8")
    assert read_tokenizer(path).split("résumé") == [4 if removes_accents else 5]


def test_wordpieces_are_the_longest_known(tmp_path: Path) -> None:
    write_model(tmp_path, tokenizer=WORDPIECE)
    tokenizer = read_tokenizer(tmp_path / "tokenizer.json")
    assert tokenizer.split("Bridges. 橋 tower") == [4, 5, 6, 7, 3]
    assert tokenizer.encode_pair("bridge", "橋", 9) == ([1, 4, 2, 7, 2], [0, 0, 0, 1, 1])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"labels": ("yes", "no", "perhaps")}, "has no label"),
        ({"labels": ("a", "b", "c", "entailment")}, "names more"),
        ({"tokenizer": {"model": {"type": "BPE"}, "post_processor": TEMPLATE}}, "no tokenizer"),
        ({"tokenizer": []}, "no tokenizer"),
        ({"input_name": "pixels"}, "unknown inputs: pixels"),
    ],
)
def test_a_model_that_cannot_be_used_says_why(
    tmp_path: Path, change: dict[str, Any], why: str
) -> None:
    model = find_entailment(write_model(tmp_path, **change))
    with pytest.raises(SettingsError) as caught:
        model.measure("The bridge", "bridge")
    assert why in caught.value.message
    assert caught.value.next_step


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("model.onnx", "There is no file"),
        ("tokenizer.json", "cannot be read"),
        ("config.json", "cannot be read"),
    ],
)
def test_a_missing_file_is_named(tmp_path: Path, name: str, why: str) -> None:
    model = find_entailment(write_model(tmp_path))
    (tmp_path / name).unlink()
    with pytest.raises(SettingsError) as caught:
        model.measure("The bridge", "bridge")
    assert why in caught.value.message


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    path = write_model(tmp_path)
    Path(path).write_bytes(b"no model")
    model = find_entailment(path)
    with pytest.raises(SettingsError) as caught:
        model.measure("The bridge", "bridge")
    assert "cannot be loaded" in caught.value.message
