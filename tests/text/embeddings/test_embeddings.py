"""The model of meaning: its tokeniser, its file's check, and what it says; without the extra, that
it is missing is said.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import SettingsError
from research_core.text import embeddings
from research_core.text.embeddings import MiniLM, MissingEmbedder
from research_core.text.embeddings.wordpiece import END, START, UNKNOWN, VOCABULARY, encode


def pieces(text: str, most: int = 128) -> list[str]:
    """The pieces of a text as words, without the marks around them."""
    vocabulary = VOCABULARY.read_text(encoding="utf-8").split("\n")
    start, *numbers, end = encode(text, most)
    assert (start, end) == (START, END)
    return [vocabulary[number] for number in numbers]


def test_the_vocabulary_is_the_one_it_says() -> None:
    digest = hashlib.sha256(VOCABULARY.read_bytes()).hexdigest()
    assert digest == "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    assert VOCABULARY.read_text(encoding="utf-8").split("\n")[UNKNOWN : END + 1] == [
        "[UNK]",
        "[CLS]",
        "[SEP]",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Eels come back.", ["eels", "come", "back", "."]),
        ("Café, naïve", ["cafe", ",", "naive"]),
        ("unaffable", ["una", "##ffa", "##ble"]),
        ("state-of-the-art 3.5%", ["state", "-", "of", "-", "the", "-", "art", "3", ".", "5", "%"]),
        ("中国の", ["中", "国", "の"]),
        ("a\u200bb\x00c\ufffdd\te", ["abc", "##d", "e"]),
        ("x" * 101, ["[UNK]"]),
        ("\U0001f600", ["[UNK]"]),
        ("", []),
    ],
)
def test_texts_are_cut_as_bert_cuts_them(text: str, said: list[str]) -> None:
    assert pieces(text) == said


@given(st.text(max_size=300), st.integers(2, 40))
def test_any_text_has_pieces_and_no_more_than_wanted(text: str, most: int) -> None:
    numbers = encode(text, most)
    assert 2 <= len(numbers) <= most
    assert all(0 <= number < 30_522 for number in numbers)
    assert encode(text, 400)[: most - 1] == numbers[:-1] or len(encode(text, 400)) <= most


def test_a_file_that_is_missing_or_another_is_refused_with_a_reason_and_a_step(
    tmp_path: Path,
) -> None:
    other = tmp_path / "model.onnx"
    other.write_bytes(b"another model")
    for path, why in (
        (tmp_path / "none.onnx", "cannot be read"),
        (other, "not the file that was checked"),
    ):
        model = MiniLM(path)
        assert why in model.why
        assert "Install Assay again" in model.why
        with pytest.raises(SettingsError, match=why):
            model.embed(["eels"])


def test_where_there_is_no_model_asking_it_is_refused() -> None:
    with pytest.raises(SettingsError, match="none here"):
        MissingEmbedder("There is none here.").embed(["eels"])


@pytest.fixture(scope="module")
def model() -> MiniLM:
    found = embeddings.find_embedder()
    if not isinstance(found, MiniLM):
        pytest.skip(found.why)
    assert found.why == "", "the installed model is not the one that was checked"
    return found


def test_the_model_s_directions_have_length_one_and_like_meanings_are_close(model: MiniLM) -> None:
    rows = model.embed(
        [
            "How do eels find home?",
            "Anguillid fish return to their natal waters.",
            "The price of tea rose.",
            "",
        ]
    )
    assert (rows.shape, str(rows.dtype)) == ((4, embeddings.VECTOR_SIZE), "float32")
    assert [round(float(row @ row), 4) for row in rows] == [1.0] * 4
    assert rows[0] @ rows[1] > 0.3 > rows[0] @ rows[2]


@pytest.mark.parametrize("words", [1, 8, 16, 40, 80])
def test_a_text_comes_out_the_same_whatever_stands_beside_it(model: MiniLM, words: int) -> None:
    """Beside longer and shorter texts, and among others of its length, which are read at once."""
    text = "eels come back to the sea each year " * 14
    alike = [" ".join(text.split()[start : start + words]) for start in range(20)]
    beside = replace(model, _rows={}).embed(["A longer text about tea. " * 30, *alike, "x"])[1:-1]
    for wanted, row in zip(alike, beside, strict=True):
        alone = replace(model, _rows={}).embed([wanted])
        assert alone[0].tobytes() == row.tobytes()
