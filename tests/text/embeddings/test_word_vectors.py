"""The table of what words mean: words of like meaning are near, unknown ones have no direction, and
what was written is read again.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from research_core.text.embeddings.word_vectors import (
    COMPOSED_LENGTH,
    ROW_SIZE,
    load_shipped_table,
    read_table,
    write_table,
)


def cosine(one: str, other: str) -> float:
    a, b = load_shipped_table().directions([one, other])
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


@pytest.mark.parametrize(
    ("word", "near", "far"),
    [
        ("physician", "doctor", "boat"),
        ("boat", "ship", "doctor"),
        ("price", "cost", "river"),
        ("river", "stream", "price"),
        ("infection", "disease", "violin"),
        ("climate", "weather", "lawyer"),
        ("lawyer", "attorney", "climate"),
    ],
)
def test_words_of_like_meaning_are_nearer_than_others(word: str, near: str, far: str) -> None:
    assert cosine(word, near) > 0.35 > cosine(word, far)


def test_a_word_that_tells_much_is_longer_than_one_that_tells_little() -> None:
    told, little = np.linalg.norm(load_shipped_table().directions(["zebra", "thing"]), axis=1)
    assert told > little > 0


def test_a_word_that_is_not_there_is_put_together_from_its_pieces() -> None:
    table = load_shipped_table()
    assert "lungfishlike" not in table.places
    near, far = cosine("lungfishlike", "fish"), cosine("lungfishlike", "lawyer")
    assert near > far
    assert np.linalg.norm(table.directions(["lungfishlike"])) == pytest.approx(
        COMPOSED_LENGTH, abs=0.1
    )


def test_numbers_and_signs_no_piece_has_have_no_direction() -> None:
    rows = load_shipped_table().directions(["2024", "doctor", "𐍈𐍈"])
    assert rows.shape == (3, ROW_SIZE)
    assert not rows[0].any()
    assert rows[1].any()
    assert not rows[2].any()
    assert load_shipped_table().directions([]).shape == (0, ROW_SIZE)


def test_what_was_written_is_read_again_within_a_hundredth(tmp_path: Path) -> None:
    rows = np.random.default_rng(1).normal(size=(3, ROW_SIZE)).astype(np.float32) * np.array(
        [[0.01], [1.0], [30.0]], np.float32
    )
    write_table(tmp_path, ["one", "three", "two"], rows, rows)
    table = read_table(tmp_path)
    assert np.allclose(table.directions(["two"])[0], rows[2], atol=np.abs(rows[2]).max() / 100)
    assert np.allclose(table.directions(["one"])[0], rows[0], atol=np.abs(rows[0]).max() / 100)
    assert np.allclose(table.pieces.at([1]), rows[1], atol=np.abs(rows[1]).max() / 100)
