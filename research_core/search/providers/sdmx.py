"""Reads SDMX-JSON, versions 1 and 2: the cells of a data message, and the dimensions that a
structure message lists.

Of SDMX in XML it reads nothing. It asks nobody, and knows no office.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from research_core.search.providers.reply import at, changed, number, rows, text
from research_core.search.providers.series import (
    FREQUENCIES,
    MOST_DIMENSIONS,
    MULTIPLIERS,
    STATES,
    UNITS,
    Cell,
    Mark,
    figure,
    said,
)

TIME = "TIME_PERIOD"
#: Parts of a message that say what is no longer there.
DELETED = "Delete"
#: The code of what is told where nothing fits, which is no error.
NO_RESULTS = 100
#: Attributes that are read of a cell.
READ = frozenset((*UNITS, *MULTIPLIERS, *FREQUENCIES, *STATES))
#: Where a dimension or an attribute may stand.
LEVELS = ("dataSet", "series", "observation")
#: The dimensions of one level, each with its values; the attributes, each with its values and the
#: one it has where none is said.
Axes = list[tuple[str, list[Mark]]]
Attributes = list[tuple[str, list[Mark], Mark | None]]
#: What is told of groups of cells: by the dimensions of a group, and by its codes along these.
Groups = dict[tuple[str, ...], dict[tuple[str, ...], list[Mark]]]


def data(name: str, answer: Any) -> tuple[str, Iterator[Cell]]:
    """(title of the data set, its cells in the order of their series) of a data message.

    Raises SearchError, for what is wrong with a cell where that is asked for.
    """
    message = answer.get("data", answer) if isinstance(answer, dict) else None
    structure = at(message, "structures", 0) or at(message, "structure")
    if not isinstance(message, dict) or not isinstance(structure, dict):
        raise changed(name, "it has no structure")
    wrong = [
        each
        for each in rows(name, answer, "errors", optional=True)
        if each.get("code") != NO_RESULTS
    ]
    if wrong:
        raise changed(
            name, f"it tells of an error, {said(at(wrong, 0, 'title')) or 'which it does not name'}"
        )
    there = [each for each in rows(name, message, "dataSets") if each.get("action") != DELETED]
    owns = [
        at(message, "structures", at(dataset, "structure") or 0) or structure for dataset in there
    ]
    return named(name, structure), (
        cell
        for dataset, own in zip(there, owns, strict=True)
        for cell in _cells(name, dataset, own)
    )


def named(name: str, row: dict[str, Any]) -> str:
    """The name of an artefact, in English where it has several."""
    return text(name, row, "names", "en") or text(name, row, "name")


def dimensions(name: str, answer: Any) -> tuple[str, ...]:
    """The dimensions of the key of a data set, in its order, without the time, of a structure
    message. Raises SearchError.
    """
    structures = rows(name, answer, "data", "dataStructures")
    if not structures:
        raise changed(name, "it has no data structure")
    listed = rows(name, structures[0], "dataStructureComponents", "dimensionList", "dimensions")
    placed = [(number(name, each, "position"), text(name, each, "id")) for each in listed]
    if any(place is None or not each for place, each in placed):
        raise changed(name, "a dimension has no place or no name")
    return tuple(each for _, each in sorted(placed, key=lambda pair: pair[0] or 0) if each != TIME)


def _cells(name: str, dataset: dict[str, Any], structure: dict[str, Any]) -> Iterator[Cell]:
    """Each observation under its series; where there are none of these, under the whole data set."""
    axes = {level: _axes(name, structure, "dimensions", level) for level in LEVELS}
    extras = {level: _attributes(name, structure, level) for level in (*LEVELS, "dimensionGroup")}
    groups = _groups(name, dataset, structure, extras["dimensionGroup"])
    only = [0 if values else None for _, values, _ in extras["dataSet"]]
    everywhere = _told(
        name,
        extras["dataSet"],
        only if dataset.get("attributes") is None else dataset["attributes"],
    )
    whole = [
        mark
        for dimension, values in axes["dataSet"]
        for mark in _chosen(name, [(dimension, values)], [0])
    ]
    series = dataset.get("series")
    listed = {"": {"observations": dataset.get("observations")}} if series is None else series
    if not isinstance(listed, dict):
        raise changed(name, "its series are no object")
    for key, each in listed.items():
        above = whole + (_keyed(name, axes["series"], key) if key else [])
        told = everywhere + _told(name, extras["series"], at(each, "attributes") or [])
        observations = at(each, "observations")
        if not isinstance(observations, dict):
            raise changed(name, "a series has no observations")
        for place, told_here in observations.items():
            if not isinstance(told_here, list):
                raise changed(name, "an observation is no list")
            marks = above + _keyed(name, axes["observation"], place)
            attributes = (
                told + _of_groups(groups, marks) + _told(name, extras["observation"], told_here[1:])
            )
            yield _cell(name, marks, told_here[0] if told_here else None, attributes)


def _cell(name: str, marks: list[Mark], value: Any, told: list[Mark]) -> Cell:
    period = next((mark.code for mark in marks if mark.dimension == TIME), "")
    if not period:
        raise changed(name, "an observation has no time")
    return Cell(
        period,
        figure(name, value),
        tuple(mark for mark in marks if mark.dimension != TIME),
        tuple(told),
    )


def _axes(name: str, structure: dict[str, Any], part: str, level: str) -> Axes:
    told = at(structure, part)
    if not isinstance(told, dict):
        raise changed(name, f"it has no {part}")
    listed = rows(name, told, level, optional=True)
    if len(listed) > MOST_DIMENSIONS:
        raise changed(name, f"it has {len(listed)} {part}")
    return [(text(name, each, "id"), _values(name, each)) for each in listed]


def _values(name: str, dimension: dict[str, Any]) -> list[Mark]:
    made = []
    for value in rows(name, dimension, "values", optional=True):
        label = named(name, value) or text(name, value, "value")
        code = text(name, value, "id") or label
        made.append(Mark(text(name, dimension, "id"), code, label or code))
    return made


def _attributes(name: str, structure: dict[str, Any], level: str) -> Attributes:
    axes = _axes(name, structure, "attributes", level)
    usual = [
        text(name, each, "default")
        for each in rows(name, structure["attributes"], level, optional=True)
    ]
    told = zip(axes, usual, strict=True)
    return [
        (each, values, next((mark for mark in values if mark.code == code), None))
        for (each, values), code in told
    ]


def _groups(
    name: str, dataset: dict[str, Any], structure: dict[str, Any], attributes: Attributes
) -> Groups:
    """By keys such as ::0:1, with a part for every dimension, empty for one that does not matter;
    {} where nothing of it is read.
    """
    if not any(each.lower() in READ for each, _, _ in attributes):
        return {}
    told = dataset.get("dimensionGroupAttributes") or {}
    listed = [
        each
        for level in LEVELS
        for each in rows(name, structure["dimensions"], level, optional=True)
    ]
    placed = sorted(listed, key=lambda each: number(name, each, "keyPosition") or 0)
    axes, made = [(text(name, each, "id"), _values(name, each)) for each in placed], Groups()
    if not isinstance(told, dict) or not all(len(key.split(":")) == len(axes) for key in told):
        raise changed(name, "a group does not fit its dimensions")
    for key, steps in told.items():
        parts = [(axis, part) for axis, part in zip(axes, key.split(":"), strict=True) if part]
        marks = (
            _keyed(name, [axis for axis, _ in parts], ":".join(part for _, part in parts))
            if parts
            else []
        )
        group = made.setdefault(tuple(mark.dimension for mark in marks), {})
        group[tuple(mark.code for mark in marks)] = _told(name, attributes, steps)
    return made


def _of_groups(groups: Groups, marks: list[Mark]) -> list[Mark]:
    codes = {mark.dimension: mark.code for mark in marks}
    return [
        each
        for along, told in groups.items()
        for each in told.get(tuple(codes.get(one, "") for one in along), ())
    ]


def _keyed(name: str, axes: Axes, key: str) -> list[Mark]:
    """The coordinates of a key such as 0:3:1."""
    steps = key.split(":")
    if len(steps) != len(axes) or not all(
        step.isascii() and step.isdigit() and len(step) < 12 for step in steps
    ):
        raise changed(name, "a key does not fit its dimensions")
    return _chosen(name, axes, [int(step) for step in steps])


def _chosen(name: str, axes: Axes, steps: list[int]) -> list[Mark]:
    """The value at each of these places."""
    return [_at(name, values, step) for (_, values), step in zip(axes, steps, strict=True)]


def _at(name: str, values: list[Mark], step: Any) -> Mark:
    if isinstance(step, bool) or not isinstance(step, int) or not 0 <= step < len(values):
        raise changed(name, "a place does not fit its dimension")
    return values[step]


def _told(name: str, attributes: Attributes, steps: Any) -> list[Mark]:
    """What these places say, or the values themselves where an attribute lists none; its usual
    value for null and for what is not said.
    """
    if not isinstance(steps, list):
        raise changed(name, "its attributes are no list")
    made: list[Mark] = []
    for (attribute, values, usual), step in zip(
        attributes, [*steps, *(None for _ in attributes)], strict=False
    ):
        if step is None:
            made += [usual] if usual else []
        elif values:
            made.append(_at(name, values, step))
        elif written := _written(name, step):
            made.append(Mark(attribute, written, written))
    return made


def _written(name: str, value: Any) -> str:
    """A value that is said itself: a text, a number, one in several languages, or some of these."""
    if isinstance(value, list):
        return ", ".join(_written(name, each) for each in value if not isinstance(each, list))
    if isinstance(value, dict):
        return text(name, value, "en") or text(name, value, next(iter(value), ""))
    return text(name, {"value": value}, "value")
