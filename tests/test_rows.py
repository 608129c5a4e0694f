"""A test over a table fails with every row that fails, and only then."""

from __future__ import annotations

import inspect

import pytest

from tests.rows import over_rows


def test_every_row_is_tried_and_each_that_fails_is_named() -> None:
    tried = []

    @over_rows("number", [1, 2, 3, 4])
    def check(number: int) -> None:
        tried.append(number)
        if number == 2:
            pytest.fail("two is not odd")
        if number == 4:
            raise ValueError("four")

    with pytest.raises(pytest.fail.Exception) as caught:
        check()
    assert tried == [1, 2, 3, 4]
    assert (
        str(caught.value)
        == "2 of 4 rows fail.\n\nnumber=2\nFailed: two is not odd\n\nnumber=4\nValueError: four"
    )


@over_rows(("left", "right"), [(1, 2), ("a" * 1000, "b")])
def check_order(left: object, right: object, tmp_path: object) -> None:
    assert left < right, tmp_path  # type: ignore[operator]


def test_rows_of_several_values_pass_and_what_is_no_value_stays_a_fixture() -> None:
    assert list(inspect.signature(check_order).parameters) == ["tmp_path"]
    check_order(tmp_path="here")


def test_two_tables_are_tried_with_each_other() -> None:
    tried = []

    @over_rows("left", "ab")
    @over_rows("right", "xy")
    def check(left: str, right: str) -> None:
        tried.append(left + right)

    check()
    assert tried == ["ax", "ay", "bx", "by"]


def test_a_table_without_a_row_is_no_test() -> None:
    with pytest.raises(ValueError, match="no row"):
        over_rows("number", [])
