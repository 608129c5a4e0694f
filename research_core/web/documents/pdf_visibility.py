"""Find text on a PDF page that is not visible: unpainted, too faint, covered or off the page.

Pages have hundreds of text pieces, so PDFium is asked about each, in drawing order. Visibility is
judged by boxes: no page is rendered. Removing the text is `pdf`'s job. Text on or under a picture
as large as the page is trusted, since that is how a scan carries its recognised text.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from pypdfium2 import raw

from research_core.web.documents.tally import (
    COVERED,
    NO_ROOM,
    OFF_PAGE,
    SAME_COLOUR,
    TOO_SMALL,
    UNPAINTED,
)

#: Points; print of 1 pt is a line of dots.
MIN_HEIGHT = 1.5
#: Steps of 255 by which ink must differ from its ground, in the channel that differs most. White
#: paper includes 97% white.
MIN_CONTRAST = 16
#: Shares of a text's box: that must remain visible, that a cover must cover, and that must lie
#: on a different colour.
MIN_SEEN_SHARE, MIN_COVER_SHARE, MIN_SHOWN_SHARE = 0.1, 0.95, 0.25
#: Share of a scanned page that is picture, and of a text's box that lies on it.
MIN_SCAN_SHARE, MIN_ON_SCAN_SHARE = 0.6, 0.5
#: Pieces of a page that are examined, and depth of nested forms. An area with more corners is
#: not a rectangle.
MAX_PIECES, MAX_FORM_DEPTH, MAX_CORNERS = 50_000, 6, 64
#: Smallest width and height, in points, of an area that words can be read on or lost in.
MIN_AREA_SIZE = 3.0
#: Bands by height that index the areas of a page, and the most areas compared with a text.
BAND_COUNT, MAX_NEARBY_AREAS = 64, 300
BLACK, WHITE = (0, 0, 0), (255, 255, 255)

Box = tuple[float, float, float, float]
Matrix = tuple[float, float, float, float, float, float]
Thing = Any  # a piece of a page, as the library hands it out
Colour = tuple[int, int, int]


class TextPiece(NamedTuple):
    """A piece of text in drawing order.

    transform: the transformation by the forms around it.
    """

    order: int
    thing: Thing
    box: Box
    mode: int
    transform: Matrix | None


class PaintedArea(NamedTuple):
    """A painted area.

    colour: None if it has many; share: of its box that it fills; solid: an opaque rectangle;
    picture: an image.
    """

    order: int
    box: Box
    colour: Colour | None
    share: float
    solid: bool
    picture: bool


_UNPAINTED_MODES = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
_STROKED_MODES = (raw.FPDF_TEXTRENDERMODE_STROKE, raw.FPDF_TEXTRENDERMODE_STROKE_CLIP)
_FILL_AND_STROKE_MODES = (
    raw.FPDF_TEXTRENDERMODE_FILL_STROKE,
    raw.FPDF_TEXTRENDERMODE_FILL_STROKE_CLIP,
)


class UnseenTextFinder:
    """Finds the invisible text of one page.

    `pieces`: how many pieces were looked at. `texts`: those with text, in drawing order.
    `frame`: the visible part of the page.
    """

    def __init__(self, page: Any) -> None:
        self.pieces = 0
        self.texts: list[TextPiece] = []
        self._page = page
        self.frame = tuple(page.get_bbox())
        # Places the library writes its answers to.
        self._edges = tuple(raw.c_float() for _ in range(4))
        self._ink = tuple(raw.c_uint() for _ in range(4))
        self._size = raw.c_float()
        self._x = raw.c_float()
        self._y = raw.c_float()
        self._matrix = raw.FS_MATRIX()
        self._clips: dict[int, tuple[Box, Box, bool]] = {}

    def find_unseen(self) -> Iterator[tuple[str, Thing]]:
        """Yield (reason, piece) in drawing order."""
        texts, grounds = self._sort_pieces()
        self.texts = texts
        bands, scan = _AreaBands(grounds, self.frame), _is_scan(grounds, self.frame)
        for text in texts:
            reason = self._find_reason(text, bands, scan)
            if reason:
                yield reason, text.thing

    # ------------------------------------------------------------ the pieces

    def _sort_pieces(self) -> tuple[list[TextPiece], list[PaintedArea]]:
        texts, grounds = list[TextPiece](), list[PaintedArea]()
        for thing, kind, transform in self._walk(
            self._page, raw.FPDFPage_CountObjects, raw.FPDFPage_GetObject, None, 0
        ):
            order = self.pieces
            if kind == raw.FPDF_PAGEOBJ_TEXT:
                texts.append(
                    TextPiece(
                        order,
                        thing,
                        self._read_box(thing, transform),
                        raw.FPDFTextObj_GetTextRenderMode(thing),
                        transform,
                    )
                )
            elif ground := self._read_ground(thing, kind, transform, order):
                grounds.append(ground)
        return texts, grounds

    def _walk(
        self,
        holder: Any,
        count: Callable[[Any], int],
        get: Callable[[Any, int], Thing],
        transform: Matrix | None,
        depth: int,
    ) -> Iterator[tuple[Thing, int, Matrix | None]]:
        for number in range(max(0, count(holder))):
            if self.pieces >= MAX_PIECES:
                return
            thing = get(holder, number)
            self.pieces += 1
            kind = raw.FPDFPageObj_GetType(thing)
            if kind == raw.FPDF_PAGEOBJ_FORM and depth < MAX_FORM_DEPTH:
                around = _compose_matrices(self._read_placement(thing), transform)
                yield from self._walk(
                    thing,
                    raw.FPDFFormObj_CountObjects,
                    raw.FPDFFormObj_GetObject,
                    around,
                    depth + 1,
                )
            else:
                yield thing, kind, transform

    def _read_ground(
        self, thing: Thing, kind: int, transform: Matrix | None, order: int
    ) -> PaintedArea | None:
        box = self._read_box(thing, transform)
        if box[2] - box[0] < MIN_AREA_SIZE or box[3] - box[1] < MIN_AREA_SIZE:
            return None
        clip, straight = self._find_clip(thing, transform)
        seen = _intersect(box, clip)
        if kind != raw.FPDF_PAGEOBJ_PATH:
            return PaintedArea(order, seen, None, 1.0, False, kind == raw.FPDF_PAGEOBJ_IMAGE)
        fill, stroke = raw.c_int(), raw.c_int()
        raw.FPDFPath_GetDrawMode(thing, fill, stroke)
        if fill.value == raw.FPDF_FILLMODE_NONE:
            return self._read_line(thing, seen, order) if stroke.value else None
        ink = self._read_colour(thing, raw.FPDFPageObj_GetFillColor)
        if ink is None:
            return PaintedArea(order, seen, None, 1.0, False, False)
        share, whole = self._compute_fill_share(thing, box, transform)
        solid = whole and straight and ink[1] >= 0.98 and not raw.FPDFPageObj_HasTransparency(thing)
        return PaintedArea(order, seen, _blend_with_paper(ink, WHITE), share, solid, False)

    def _read_line(self, thing: Thing, box: Box, order: int) -> PaintedArea | None:
        """Return a stroked line as an area if it is as broad as words are high."""
        ink = self._read_colour(thing, raw.FPDFPageObj_GetStrokeColor)
        raw.FPDFPageObj_GetStrokeWidth(thing, self._size)
        if ink is None or self._size.value <= MIN_AREA_SIZE:
            return None
        return PaintedArea(order, box, _blend_with_paper(ink, WHITE), 1.0, False, False)

    # ------------------------------------------------------------ what the library says of one

    def _read_box(self, thing: Thing, transform: Matrix | None) -> Box:
        left, bottom, right, top = self._edges
        raw.FPDFPageObj_GetBounds(thing, left, bottom, right, top)
        box = (left.value, bottom.value, right.value, top.value)
        return _find_transformed_box(box, transform) if transform else box

    def _read_placement(self, thing: Thing) -> Matrix:
        it = self._matrix
        raw.FPDFPageObj_GetMatrix(thing, it)
        return it.a, it.b, it.c, it.d, it.e, it.f

    def _read_colour(self, thing: Thing, ask: Callable[..., int]) -> tuple[Colour, float] | None:
        """Return a colour and its opacity, 0 to 1; None if there is no single colour."""
        red, green, blue, alpha = self._ink
        if not ask(thing, red, green, blue, alpha):
            return None
        return (red.value, green.value, blue.value), alpha.value / 255

    def _find_clip(self, thing: Thing, transform: Matrix | None) -> tuple[Box, bool]:
        """Return the box that clips a piece, and whether the clip is exactly that box.

        Pieces share clip paths, so they are cached.
        """
        path = raw.FPDFPageObj_GetClipPath(thing)
        count = raw.FPDFClipPath_CountPaths(path) if path else -1
        if count <= 0:
            return (
                self.frame,
                count < 0,
            )  # none, or one of letters alone, which the library does not show
        box, straight = self.frame, True
        for number in range(count):
            first = raw.FPDFClipPath_GetPathSegment(path, number, 0)
            key = ctypes.cast(first, ctypes.c_void_p).value or 0
            if key not in self._clips:
                corners = raw.FPDFClipPath_CountPathSegments(path, number)
                around, whole = self._find_outline(
                    raw.FPDFClipPath_GetPathSegment, path, number, count=corners
                )
                self._clips[key] = around, _intersect(self.frame, around), whole
            around, within, whole = self._clips[key]
            if count == 1 and not transform:
                return within, whole
            box, straight = (
                _intersect(box, _find_transformed_box(around, transform) if transform else around),
                straight and whole,
            )
        return box, straight

    def _find_outline(self, get: Callable[..., Any], *which: Any, count: int) -> tuple[Box, bool]:
        """Return the box of a clip path, and whether the path fills it.

        A path with many corners is treated as not clipping.
        """
        if not 0 < count <= MAX_CORNERS:
            return self.frame, False
        points = [point for part in self._list_corners(get, *which, count=count) for point in part]
        xs, ys = [x for x, _ in points], [y for _, y in points]
        box = (min(xs), min(ys), max(xs), max(ys))
        return box, count <= 6 and _compute_polygon_area(
            points
        ) >= MIN_COVER_SHARE * _compute_box_area(box)

    def _list_corners(
        self, get: Callable[..., Any], *which: Any, count: int
    ) -> list[list[tuple[float, float]]]:
        """Return the corners of each part of a path, with the control points of curves."""
        parts = list[list[tuple[float, float]]]()
        for number in range(count):
            segment = get(*which, number)
            raw.FPDFPathSegment_GetPoint(segment, self._x, self._y)
            if not parts or raw.FPDFPathSegment_GetType(segment) == raw.FPDF_SEGMENT_MOVETO:
                parts.append([])
            parts[-1].append((self._x.value, self._y.value))
        return parts

    def _compute_fill_share(
        self, thing: Thing, box: Box, transform: Matrix | None
    ) -> tuple[float, bool]:
        """Return the share of its box a path fills, and whether it is a single rectangle."""
        count = raw.FPDFPath_CountSegments(thing)
        if not 0 < count <= MAX_CORNERS:
            return 1.0, False
        parts = self._list_corners(raw.FPDFPath_GetPathSegment, thing, count=count)
        scale = _compute_area_scale(_compose_matrices(self._read_placement(thing), transform))
        share = (
            sum(_compute_polygon_area(part) for part in parts)
            * scale
            / (_compute_box_area(box) or 1.0)
        )
        return min(1.0, share), sum(
            len(part) > 2 for part in parts
        ) == 1 and share >= MIN_COVER_SHARE

    # ------------------------------------------------------------ the reasons

    def _find_reason(self, text: TextPiece, bands: _AreaBands, scan: bool) -> str:
        """Return why a text is not visible, or "". scan: whether the page is a scanned picture."""
        box = text.box
        size = (box[2] - box[0]) * (box[3] - box[1])
        if size <= 0:  # a space, or letters of no form
            box = (box[0] - 0.5, box[1] - 0.5, box[2] + 0.5, box[3] + 0.5)
            size = _compute_box_area(box)
            text = text._replace(box=box)
        reason = self._find_reason_of_place(text, size)
        if reason:
            return reason
        about = bands.areas_near(box)
        if not about and text.mode == raw.FPDF_TEXTRENDERMODE_FILL:  # as nearly all text is
            ink = self._read_colour(text.thing, raw.FPDFPageObj_GetFillColor)
            return "" if ink is None or _is_distinct(ink, WHITE) else SAME_COLOUR
        if scan and _is_on_scan(box, about, size):
            return ""
        if text.mode in _UNPAINTED_MODES:
            clips_only = text.mode == raw.FPDF_TEXTRENDERMODE_CLIP
            return "" if clips_only and _shows_through_clip(text, about) else UNPAINTED
        if _is_covered(text, about, size):
            return COVERED
        is_visible = any(_is_ink_visible(ink, text, about, size) for ink in self._list_inks(text))
        return "" if is_visible else SAME_COLOUR

    def _find_reason_of_place(self, text: TextPiece, size: float) -> str:
        """Return why the place or the size of a text keeps it out of sight, or ""."""
        box = text.box
        clip = self._find_clip(text.thing, text.transform)[0]
        seen = size if _is_within(box, clip) else _compute_box_area(_intersect(box, clip))
        if seen < MIN_SEEN_SHARE * size:
            on_page = _compute_box_area(_intersect(box, self.frame))
            return OFF_PAGE if on_page < MIN_SEEN_SHARE * size else NO_ROOM
        is_small = box[3] - box[1] < 2 * MIN_HEIGHT or box[2] - box[0] < 2 * MIN_HEIGHT
        return TOO_SMALL if is_small and self._is_tiny(text) else ""

    def _is_tiny(self, text: TextPiece) -> bool:
        a, b, c, d, _, _ = _compose_matrices(self._read_placement(text.thing), text.transform)
        raw.FPDFTextObj_GetFontSize(text.thing, self._size)
        scale = min((a * a + b * b) ** 0.5, (c * c + d * d) ** 0.5)
        return bool(abs(self._size.value) * scale < MIN_HEIGHT)

    def _list_inks(self, text: TextPiece) -> list[tuple[Colour, float] | None]:
        """Return the colours a text is painted in."""
        inks = []
        if text.mode not in _STROKED_MODES:
            inks.append(self._read_colour(text.thing, raw.FPDFPageObj_GetFillColor))
        if text.mode in _STROKED_MODES or text.mode in _FILL_AND_STROKE_MODES:
            inks.append(self._read_colour(text.thing, raw.FPDFPageObj_GetStrokeColor))
        return inks


class _AreaBands:
    """The areas of a page by height, to find those near a text."""

    def __init__(self, grounds: list[PaintedArea], frame: Box) -> None:
        self._bottom, self._high = frame[1], max(1.0, (frame[3] - frame[1]) / BAND_COUNT)
        self._bands: dict[int, list[PaintedArea]] = {}
        for ground in reversed(grounds):
            for band in range(self._at(ground.box[1]), self._at(ground.box[3]) + 1):
                self._bands.setdefault(band, []).append(ground)

    def _at(self, height: float) -> int:
        return int((height - self._bottom) // self._high)

    def areas_near(self, box: Box) -> Sequence[PaintedArea]:
        """Return the areas that may overlap the middle of a box, the last drawn first."""
        if not self._bands:
            return ()
        held = self._bands.get(self._at((box[1] + box[3]) / 2), ())
        return [each for each in held if each.box[0] < box[2] and box[0] < each.box[2]][
            :MAX_NEARBY_AREAS
        ]


# ---------------------------------------------------------------- what lies about a text


def _is_scan(grounds: list[PaintedArea], frame: Box) -> bool:
    return sum(
        _compute_box_area(each.box) for each in grounds if each.picture
    ) >= MIN_SCAN_SHARE * _compute_box_area(frame)


def _is_on_scan(box: Box, about: Sequence[PaintedArea], size: float) -> bool:
    """Return whether a text lies on a picture, so that it is the invisible text of a scan."""
    pictures = [_compute_box_area(_intersect(box, each.box)) for each in about if each.picture]
    return sum(pictures) >= MIN_ON_SCAN_SHARE * size


def _is_covered(text: TextPiece, about: Sequence[PaintedArea], size: float) -> bool:
    """Return whether an opaque area that is drawn later covers a text."""
    for each in about:
        if not each.solid or each.order <= text.order:
            continue
        if _compute_box_area(_intersect(text.box, each.box)) >= MIN_COVER_SHARE * size:
            return True
    return False


def _is_ink_visible(
    ink: tuple[Colour, float] | None, text: TextPiece, about: Sequence[PaintedArea], size: float
) -> bool:
    """Return whether enough of the text lies on a ground that differs from its ink.

    The uppermost ground drawn before it counts first.
    """
    if ink is None:
        return True
    on_paper = _is_distinct(ink, WHITE)
    if not about or (
        on_paper and not any(each.solid and not _is_distinct(ink, each.colour) for each in about)
    ):
        return on_paper
    shows = loses = 0.0
    for each in about:
        if each.order < text.order and shows + loses < 1:
            share = min(
                1 - shows - loses,
                each.share * _compute_box_area(_intersect(text.box, each.box)) / size,
            )
            if _is_distinct(ink, each.colour):
                shows += share
            elif each.solid:
                loses += share
    return shows + (1 - shows - loses if on_paper else 0) >= MIN_SHOWN_SHARE


def _shows_through_clip(text: TextPiece, about: Sequence[PaintedArea]) -> bool:
    """Return whether something painted later can show letters that only clip."""
    return any(
        each.order > text.order
        and not each.solid
        and _is_distinct((each.colour or BLACK, 1.0), WHITE)
        for each in about
    )


# ---------------------------------------------------------------- boxes and colours


def _compute_box_area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _is_within(inner: Box, outer: Box) -> bool:
    return (
        outer[0] <= inner[0]
        and outer[1] <= inner[1]
        and outer[2] >= inner[2]
        and outer[3] >= inner[3]
    )


def _intersect(one: Box, other: Box) -> Box:
    """Return the intersection of two boxes; an empty box if they do not meet."""
    left, bottom = max(one[0], other[0]), max(one[1], other[1])
    return left, bottom, max(left, min(one[2], other[2])), max(bottom, min(one[3], other[3]))


def _find_transformed_box(box: Box, by: Matrix) -> Box:
    """Return the bounding box of a transformed box."""
    a, b, c, d, e, f = by
    xs = []
    ys = []
    for x in (box[0], box[2]):
        for y in (box[1], box[3]):
            xs.append(a * x + c * y + e)
            ys.append(b * x + d * y + f)
    return min(xs), min(ys), max(xs), max(ys)


def _compose_matrices(inner: Matrix, outer: Matrix | None) -> Matrix:
    """Compose two transformations: first the inner, then the outer."""
    if outer is None:
        return inner
    a, b, c, d, e, f = inner
    g, h, i, j, k, m = outer
    return (
        a * g + b * i,
        a * h + b * j,
        c * g + d * i,
        c * h + d * j,
        e * g + f * i + k,
        e * h + f * j + m,
    )


def _compute_area_scale(by: Matrix) -> float:
    """Return the factor by which a transformation scales areas."""
    return abs(by[0] * by[3] - by[1] * by[2])


def _compute_polygon_area(points: list[tuple[float, float]]) -> float:
    """Return the area of a closed polygon."""
    following = points[1:] + points[:1]
    doubled = sum(x * v - u * y for (x, y), (u, v) in zip(points, following, strict=True))
    return abs(doubled) / 2


def _blend_with_paper(ink: tuple[Colour, float], paper: Colour) -> Colour:
    """Return the colour of translucent ink on paper."""
    (red, green, blue), alpha = ink
    return tuple(
        round(paper[n] + (part - paper[n]) * alpha) for n, part in enumerate((red, green, blue))
    )  # type: ignore[return-value]


@lru_cache(maxsize=4096)
def _is_distinct(ink: tuple[Colour, float], paper: Colour | None) -> bool:
    """Return whether ink is visible on this colour."""
    if paper is None:
        return True
    (red, green, blue), alpha = ink
    return (
        max(abs(red - paper[0]), abs(green - paper[1]), abs(blue - paper[2])) * alpha > MIN_CONTRAST
    )
