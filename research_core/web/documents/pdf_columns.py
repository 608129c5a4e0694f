"""Find the reading order of a PDF page whose columns are drawn line by line.

Such a page draws the first line of each column, then the second ones, so that its text comes out in
mixed lines. The page is cut into rectangles in reading order: the columns between two lines of full
width, one after the other. Pages that draw one column after the other, and tables, stay as drawn.
Only boxes are looked at, in points, with the origin at the bottom left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

Box = tuple[float, float, float, float]

#: Smallest gap between columns, in heights of the text and in points. Spaces between the words of a
#: justified line are smaller.
MIN_GUTTER_HEIGHTS, MIN_GUTTER = 0.9, 7.0
#: Lines that must continue beyond the same gap; and the share of them that a further gap needs.
MIN_JUMPS, FURTHER_SHARE = 3, 0.6
#: Columns of the page with the most, beyond which it is a table; and parts of lines on it, as lines
#: of full width are compared with those beside them.
MAX_COLUMNS, MAX_SEGMENTS = 12, 2_000
#: Columns of prose: the share of its width that the median line of a column fills, and its width in
#: heights of the text; narrower columns are those of a table.
MIN_FILLED_SHARE, MIN_PROSE_HEIGHTS = 0.6, 9.0
#: Share of a line's height by which lines of full width may overlap lines of columns.
MAX_OVERLAP = 0.4
#: A line this many pitches below the one above begins a new paragraph, or is a running head or
#: foot.
BREAK_PITCHES, MARGIN_PITCHES = 1.35, 1.6
#: Rows of a table begin together in all columns: this many times, and in this share of the breaks.
MIN_ROW_BREAKS, ROW_BREAK_SHARE = 2, 0.6


@dataclass(frozen=True)
class ReadingOrder:
    """How to read a page.

    bands: from top to bottom, each with the rectangles that hold its columns in reading order;
    empty if the order as drawn stays. uncertain: the text may be columns, but another order is as
    likely.
    """

    bands: tuple[tuple[Box, ...], ...] = ()
    uncertain: bool = False


@dataclass(frozen=True)
class Segment:
    """A part of a line without a wide gap. column: its number, -1 if it crosses a gutter."""

    box: Box
    column: int = -1

    @property
    def height(self) -> float:
        """Height in points."""
        return self.box[3] - self.box[1]


def find_reading_order(boxes: Sequence[Box], frame: Box) -> ReadingOrder:
    """Return the order of a page's visible text. boxes: of its pieces, in drawing order."""
    gutters = _find_gutters(_list_jumps(boxes))
    if not 0 < len(gutters) < MAX_COLUMNS:
        return ReadingOrder()
    segments = [_assign_column(each, gutters) for each in _join_pieces(boxes)]
    if len(segments) > MAX_SEGMENTS:
        return ReadingOrder(uncertain=True)
    segments.sort(key=lambda each: (-each.box[3], each.box[0]))
    segments = _set_margins_apart(segments)
    columns = _group_by_column(segments, len(gutters) + 1)
    width = min((_measure_width(column) for column in columns), default=0.0)
    if width < MIN_PROSE_HEIGHTS:
        return ReadingOrder()
    if (
        any(_measure_filled_share(column) < MIN_FILLED_SHARE for column in columns)
        or _begins_rows_together(columns)
        or _overlaps_full_lines(segments)
    ):
        return ReadingOrder(uncertain=True)
    return ReadingOrder(tuple(_cut_page(segments, gutters, frame)))


# ---------------------------------------------------------------- gutters


def _list_jumps(boxes: Sequence[Box]) -> list[tuple[float, float]]:
    """Return the gaps (left, right edge) over which the drawing goes on in about the same line."""
    jumps = []
    for one, other in pairwise(boxes):
        gap = other[0] - one[2]
        if gap < MIN_GUTTER:
            continue
        height = min(one[3] - one[1], other[3] - other[1])
        if gap < MIN_GUTTER_HEIGHTS * height or height <= 0:
            continue
        if abs(one[1] + one[3] - other[1] - other[3]) < 2 * height:  # centres within one height
            jumps.append((one[2], other[0]))
    return jumps


def _find_gutters(jumps: list[tuple[float, float]]) -> list[float]:
    """Return the positions that most jumps have in common, at most `MAX_COLUMNS`, in order."""
    gutters: list[float] = []
    needed = float(MIN_JUMPS)
    while len(jumps) >= needed and len(gutters) < MAX_COLUMNS:
        place, count = _find_most_crossed(jumps)
        if count < needed:
            break
        gutters.append(place)
        needed = max(needed, FURTHER_SHARE * count)
        jumps = [jump for jump in jumps if not jump[0] <= place <= jump[1]]
    return sorted(gutters)


def _find_most_crossed(jumps: Sequence[tuple[float, float]]) -> tuple[float, int]:
    """Return the middle of the stretch that most jumps cross, and their number."""
    edges = sorted([(left, 0) for left, _ in jumps] + [(right, 1) for _, right in jumps])
    crossing = most = 0
    start = end = edges[0][0]
    for number, (place, closes) in enumerate(edges):
        crossing += -1 if closes else 1
        if crossing > most:
            most, start, end = crossing, place, edges[number + 1][0]
    return (start + end) / 2, most


# ---------------------------------------------------------------- lines and columns


def _join_pieces(boxes: Sequence[Box]) -> list[Segment]:
    """Join pieces of one line that follow each other without a wide gap."""
    segments: list[Segment] = []
    for box in boxes:
        height = box[3] - box[1]
        if segments:
            last = segments[-1].box
            lower = min(height, last[3] - last[1])
            gap = box[0] - last[2]
            is_near = -lower < gap < max(MIN_GUTTER, MIN_GUTTER_HEIGHTS * lower)
            if is_near and min(last[3], box[3]) - max(last[1], box[1]) > 0.5 * lower:
                joined = (last[0], min(last[1], box[1]), box[2], max(last[3], box[3]))
                segments[-1] = Segment(joined)
                continue
        segments.append(Segment(box))
    return segments


def _assign_column(segment: Segment, gutters: Sequence[float]) -> Segment:
    left = sum(segment.box[0] >= gutter for gutter in gutters)
    right = sum(segment.box[2] > gutter for gutter in gutters)
    return replace(segment, column=left if left == right else -1)


def _set_margins_apart(segments: Sequence[Segment]) -> list[Segment]:
    """Treat the first and the last row as lines of full width if they stand apart.

    A running head or foot often has words at both ends of its line.
    """
    changed = _set_first_row_apart(list(segments), -1)
    return _set_first_row_apart(changed[::-1], 1)[::-1]


def _set_first_row_apart(segments: list[Segment], direction: int) -> list[Segment]:
    """Set the row apart with which the segments begin. direction: of the rows, 1 for upwards."""
    middles = [(each.box[1] + each.box[3]) / 2 for each in segments]
    height = median(each.height for each in segments)
    count = 0
    while count < len(segments) and abs(middles[count] - middles[0]) < height / 2:
        count += 1
    if count == len(segments):
        return segments
    distance = direction * (middles[count] - middles[0])
    if distance < MARGIN_PITCHES * _measure_pitch(segments):
        return segments
    return [replace(each, column=-1) for each in segments[:count]] + segments[count:]


def _measure_pitch(segments: Sequence[Segment]) -> float:
    """Return the usual distance of a line from the next one of its column."""
    last: dict[int, float] = {}
    distances = []
    for each in segments:
        if each.column in last:
            distances.append(abs(last[each.column] - each.box[1]))
        last[each.column] = each.box[1]
    return median(distances) if distances else 0.0


def _group_by_column(segments: Sequence[Segment], count: int) -> list[list[Segment]]:
    return [[each for each in segments if each.column == number] for number in range(count)]


def _measure_width(column: Sequence[Segment]) -> float:
    """Return the median width of a column's lines, in heights of the text."""
    if not column:
        return 0.0
    return median((each.box[2] - each.box[0]) / max(each.height, 1.0) for each in column)


def _measure_filled_share(column: Sequence[Segment]) -> float:
    """Return the share of the column's width that its median line fills."""
    whole = max(each.box[2] for each in column) - min(each.box[0] for each in column)
    return median(each.box[2] - each.box[0] for each in column) / max(whole, 1.0)


def _begins_rows_together(columns: Sequence[Sequence[Segment]]) -> bool:
    """Return True if breaks stand at the same heights in all columns, as in a table of texts."""
    breaks: list[list[float]] = []
    pitch = 0.0
    for column in columns:
        distances = [one.box[3] - two.box[3] for one, two in pairwise(column)]
        if not distances:
            return False
        pitch = median(distances)
        after = zip(column[1:], distances, strict=True)
        breaks.append([each.box[3] for each, gap in after if gap > BREAK_PITCHES * pitch])
    first, others = breaks[0], breaks[1:]
    shared = 0
    for top in first:
        shared += all(any(abs(top - each) < pitch / 4 for each in tops) for tops in others)
    most = max(len(tops) for tops in breaks)
    return shared >= MIN_ROW_BREAKS and shared >= ROW_BREAK_SHARE * most


def _overlaps_full_lines(segments: Sequence[Segment]) -> bool:
    """Return True if a line of full width stands beside a line of a column."""
    above: list[Segment] = []
    for each in segments:  # from the highest on, so that those that end above it are done with
        above = [line for line in above if line.box[1] < each.box[3]]
        for line in above:
            shared = each.box[3] - max(each.box[1], line.box[1])
            is_beside = shared > MAX_OVERLAP * min(each.height, line.height)
            if is_beside and (each.column < 0) != (line.column < 0):
                return True
        above.append(each)
    return False


# ---------------------------------------------------------------- the rectangles


def _cut_page(
    segments: Sequence[Segment], gutters: Sequence[float], frame: Box
) -> list[tuple[Box, ...]]:
    """Return the rectangles of the bands from top to bottom, and of the columns of each band."""
    bands: list[list[Segment]] = []
    for each in segments:
        if bands and (bands[-1][-1].column < 0) == (each.column < 0):
            bands[-1].append(each)
        else:
            bands.append([each])
    edges = [frame[0], *gutters, frame[2]]
    cut: list[tuple[Box, ...]] = []
    top = max(frame[3], bands[0][0].box[3])
    for number, band in enumerate(bands):
        lowest = min(each.box[1] for each in band)
        bottom = min(frame[1], lowest)
        if number + 1 < len(bands):
            bottom = (lowest + max(each.box[3] for each in bands[number + 1])) / 2
        if band[0].column < 0:
            cut.append(((frame[0], bottom, frame[2], top),))
        else:
            cut.append(tuple((one, bottom, other, top) for one, other in pairwise(edges)))
        top = bottom
    return cut
