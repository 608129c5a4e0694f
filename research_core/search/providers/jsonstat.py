"""Parse JSON-stat, the format of statistics offices, into cells with their coordinates.

Versions 1 and 2; a dataset, a bundle or a collection; values as a list or by position.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from research_core.search.providers.reply import changed_format_error, get_value, read_text
from research_core.search.providers.series import MAX_DIMENSIONS, Cell, Mark, parse_figure
from research_core.text.words import strip_invisible

TIMES = ("time", "time_period")
#: Eurostat's flags in words, for answers without labels. Several may be combined.
FLAGS = {
    ":": "not available",
    "b": "break in time series",
    "c": "confidential",
    "d": "definition differs",
    "e": "estimated",
    "f": "forecast",
    "i": "see metadata",
    "n": "not significant",
    "p": "provisional",
    "r": "revised",
    "s": "Eurostat estimate",
    "u": "low reliability",
    "z": "not applicable",
}


Axis = tuple[Mark, ...]


@dataclass(frozen=True)
class Cube:
    """A dataset.

    axes: the coordinates along each dimension; time: the index of the time dimension; values,
    states: by position.
    """

    name: str
    title: str
    axes: tuple[Axis, ...]
    time: int | None
    values: Mapping[int, Any]
    states: Mapping[int, Mark]

    def cells(self) -> Iterator[Cell]:
        """Yield the cells with a value or status in order of position, last dimension fastest.

        Raises SearchError at a value that is not a number.
        """
        sizes = [len(axis) for axis in self.axes]
        for position in sorted({*self.values, *self.states}):
            value = parse_figure(self.name, self.values.get(position))
            state = self.states.get(position)
            if value is None and state is None:
                continue
            steps = _split_position(position, sizes)
            here = [axis[step] for axis, step in zip(self.axes, steps, strict=True)]
            date = here.pop(self.time).code if self.time is not None else ""
            yield Cell(date, value, tuple(here), (state,) if state else ())


def read_cubes(name: str, answer: Any) -> tuple[Cube, ...]:
    """Return the datasets of an answer.

    Raises SearchError if there is none, or one contradicts itself.
    """
    found = tuple(_read_cube(name, each) for each in _find_datasets(answer))
    if not found:
        raise changed_format_error(name, "there is no data set in it")
    return found


def _find_datasets(answer: Any) -> list[dict[str, Any]]:
    if not isinstance(answer, dict):
        return []
    if isinstance(answer.get("dimension"), dict):
        return [answer]
    listed = get_value(answer, "link", "item")
    inside = listed if isinstance(listed, list) else list(answer.values())
    found = []
    for each in inside:
        if isinstance(each, dict) and isinstance(each.get("dimension"), dict):
            found.append(each)
    return found


def _read_cube(name: str, dataset: dict[str, Any]) -> Cube:
    axes = _read_axes(name, dataset)
    values = _index_by_position(name, dataset.get("value"))
    states = _read_states(name, dataset)
    whole = prod(len(axis) for axis in axes)
    if any(not 0 <= position < whole for position in (*values, *states)):
        raise changed_format_error(name, "a value stands outside of its data set")
    title = read_text(name, dataset, "label") or read_text(name, dataset, "title")
    dimensions = [axis[0].dimension if axis else "" for axis in axes]
    return Cube(name, title, axes, _find_time(dataset, dimensions), values, states)


def _read_axes(name: str, dataset: dict[str, Any]) -> tuple[Axis, ...]:
    dimensions = dataset["dimension"]
    # Version 1 has both lists among the dimensions, version 2 beside them.
    ids = dataset.get("id", dimensions.get("id"))
    sizes = dataset.get("size", dimensions.get("size"))
    are_listed = isinstance(ids, list) and isinstance(sizes, list)
    if not are_listed or not ids or len(ids) != len(sizes):
        raise changed_format_error(name, "its dimensions are not listed")
    if len(ids) > MAX_DIMENSIONS:
        raise changed_format_error(name, f"it has {len(ids)} dimensions")
    axes = []
    for dimension in ids:
        description = dimensions.get(dimension) if isinstance(dimension, str) else None
        axes.append(_read_axis(name, dimension, description))
    if [str(len(axis)) for axis in axes] != [str(size) for size in sizes]:
        raise changed_format_error(name, "a dimension has another size than is said")
    return tuple(axes)


def _read_axis(name: str, dimension: Any, description: Any) -> Axis:
    """Return the coordinates along a dimension, in order."""
    index = get_value(description, "category", "index")
    labels = get_value(description, "category", "label") or {}
    if not isinstance(labels, dict) or not all(isinstance(label, str) for label in labels.values()):
        raise changed_format_error(name, f"the labels of the dimension {dimension!r} are no texts")
    if isinstance(index, dict):
        if sorted(map(str, index.values())) != sorted(map(str, range(len(index)))):
            raise changed_format_error(name, f"the order of the dimension {dimension!r} has gaps")
        index = sorted(index, key=lambda code: int(index[code]))
    codes = list(labels) if index is None else index
    are_codes = isinstance(codes, list) and all(isinstance(code, str) for code in codes)
    if not are_codes or not isinstance(description, dict):
        raise changed_format_error(name, f"the dimension {dimension!r} cannot be read")
    return tuple(Mark(dimension, code, read_text(name, labels, code) or code) for code in codes)


def _find_time(dataset: Mapping[str, Any], dimensions: list[str]) -> int | None:
    """Return the time dimension: the one with that role, else the one of that name."""
    names = get_value(dataset, "role", "time") or get_value(dataset, "dimension", "role", "time")
    roles: list[str] = []
    if isinstance(names, list):
        roles = [each for each in names if isinstance(each, str)]
    for place, dimension in enumerate(dimensions):
        if dimension in roles[:1] or (not roles and dimension.lower() in TIMES):
            return place
    return None


def _split_position(position: int, sizes: list[int]) -> list[int]:
    """Return the index along each dimension; the last dimension varies fastest."""
    steps = []
    for size in reversed(sizes):
        position, step = divmod(position, size)
        steps.append(step)
    return steps[::-1]


def _index_by_position(name: str, told: Any) -> dict[int, Any]:
    if isinstance(told, list):
        return dict(enumerate(told))
    if isinstance(told, dict) and all(
        key.isascii() and key.isdigit() and len(key) < 12 for key in told
    ):
        return {int(key): value for key, value in told.items()}
    raise changed_format_error(name, "its values are neither a list nor by position")


def _read_states(name: str, dataset: Mapping[str, Any]) -> dict[int, Mark]:
    """Return the status of each cell that has one, in words.

    A single status for the dataset applies to every cell with a value.
    """
    told, words = dataset.get("status"), get_value(dataset, "extension", "status", "label")
    if isinstance(told, dict) and "value" in told:
        told, words = told["value"], get_value(told, "category", "label")
    if told is None:
        return {}
    if isinstance(told, str):
        values = _index_by_position(name, dataset.get("value"))
        told = {str(place): told for place, value in values.items() if value is not None}
    states: dict[int, Mark] = {}
    for place, flag in _read_flags(name, _index_by_position(name, told)):
        states[place] = Mark("status", flag, _describe_flag(flag, words))
    return states


def _read_flags(name: str, values: Mapping[int, Any]) -> Iterator[tuple[int, str]]:
    for place, flag in values.items():
        if flag is not None and not isinstance(flag, str):
            raise changed_format_error(name, "a status is not text")
        if flag:
            yield place, flag


def _describe_flag(flag: str, words: Any) -> str:
    label = words.get(flag) if isinstance(words, dict) else None
    if isinstance(label, str) and label:
        return strip_invisible(label)
    if all(letter in FLAGS for letter in flag):
        return ", ".join(FLAGS[letter] for letter in flag)
    return strip_invisible(flag)
