"""Drawings of docs/HOW-IT-WORKS.md. ``python site/drawings.py FOLDER`` writes ``how-NAME.svg`` for each.

They show a few items in the plane, in four groups. Centers, swaps and costs are computed from these items, so that what a drawing says
is true of what it shows.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import combinations
from math import dist
from pathlib import Path

from svg import BLUE, FAINT, GREEN, INK, ORANGE, PINK, SOFT, Drawing

Place = tuple[float, float]

# Four groups of items; the first two are near each other, and so are the last two.
GROUPS: list[list[Place]] = [
    [(40, 60), (62, 42), (70, 74), (92, 58), (56, 92)],
    [(150, 70), (168, 44), (190, 78), (172, 100)],
    [(60, 210), (84, 232), (96, 198), (44, 238), (110, 226)],
    [(196, 206), (222, 190), (236, 222), (210, 240)],
]
ITEMS = [item for group in GROUPS for item in group]


def cost(centers: Sequence[Place]) -> float:
    """The sum of the distances from every item to its nearest center."""
    return sum(min(dist(item, center) for center in centers) for item in ITEMS)


def best(k: int) -> list[Place]:
    """The k items that cost least, found by trying all."""
    return list(min(combinations(ITEMS, k), key=cost))


def spokes(sheet: Drawing, centers: Sequence[Place], left: float, top: float) -> None:
    """Items, each with a line to its nearest center, and the centers."""
    for x, y in ITEMS:
        to = min(centers, key=lambda center: dist((x, y), center))
        sheet.line(left + x, top + y, left + to[0], top + to[1], color=FAINT, width=2)
    for x, y in ITEMS:
        sheet.item(left + x, top + y)
    for x, y in centers:
        sheet.center(left + x, top + y)


def problem() -> str:
    """Items, and the k of them that serve the others."""
    sheet = Drawing(620, 300, "Eighteen items; four of them are centers, and every item has a line to its nearest center")
    centers = best(4)
    spokes(sheet, centers, 10, 10)
    sheet.item(320, 60)
    sheet.text(334, 65, "an item: a place, an image, a text, a node")
    sheet.center(320, 92)
    sheet.text(334, 97, "a center: one of the items, here 4")
    sheet.line(312, 124, 328, 124, color=FAINT, width=3)
    sheet.text(334, 129, "the distance to the nearest center")
    sheet.text(312, 176, f"Cost of these centers: {cost(centers):.0f},", bold=True)
    sheet.text(312, 196, "the sum of all lines. No four others cost less.")
    return sheet.svg()


def frame(group: Sequence[Place], room: float) -> tuple[float, float, float, float]:
    """The rectangle round some items, with room to spare: left, top, width and height."""
    left, top = min(x for x, _ in group) - room, min(y for _, y in group) - room
    return left, top, max(x for x, _ in group) + room - left, max(y for _, y in group) + room - top


def tree() -> str:
    """Nested cells, and the tree that they are."""
    sheet = Drawing(740, 330, "Items in nested cells at the left, and the same cells as a tree at the right; the four heaviest paths give four centers")
    cells = [(ITEMS, 26, SOFT), (GROUPS[0] + GROUPS[1], 18, BLUE), (GROUPS[2] + GROUPS[3], 18, BLUE)]
    cells += [(group, 11, GREEN) for group in GROUPS]
    for items, room, color in cells:
        left, top, width, height = frame(items, room)
        sheet.box(left + 20, top + 20, width, height, color=color, round_by=12)
    for x, y in ITEMS:
        sheet.item(x + 20, y + 20)
    for x, y in best(4):
        sheet.center(x + 20, y + 20)
    root, halves, leaves = (510.0, 56.0), [(430.0, 140.0), (590.0, 140.0)], [(390.0, 226.0), (470.0, 226.0), (550.0, 226.0), (630.0, 226.0)]
    for half in halves:
        sheet.line(*root, *half, color=ORANGE, width=2.5)
    for at, leaf in enumerate(leaves):
        sheet.line(*halves[at // 2], *leaf, color=ORANGE, width=2.5)
    for at, leaf in enumerate(leaves):
        count = len(GROUPS[at])
        for item in range(count):
            x = leaf[0] + 14 * (item - (count - 1) / 2)
            sheet.line(leaf[0], leaf[1], x, 280, color=ORANGE if item == 0 else FAINT, width=2.5 if item == 0 else 1.5)
            (sheet.center if item == 0 else sheet.item)(x, 280)
    for (x, y), color in [(root, SOFT), *((half, BLUE) for half in halves), *((leaf, GREEN) for leaf in leaves)]:
        sheet.circle(x, y, 9, fill="#ffffff", color=color)
    sheet.text(528, 52, "all items")
    sheet.text(310, 318, "the paths that cost most without a center at their end get one")
    return sheet.svg()


def swap() -> str:
    """One center leaves, a newcomer comes, and the cost falls."""
    sheet = Drawing(620, 330, "A swap: of two centers in one group one leaves, and an item of a group without a center takes its place")
    kept = [GROUPS[0][0], GROUPS[2][2], GROUPS[3][1]]
    leaving, newcomer = GROUPS[0][3], GROUPS[1][2]
    before, after = [*kept, leaving], [*kept, newcomer]
    for left, centers, words in [(10, before, "before"), (330, after, "after")]:
        spokes(sheet, centers, left, 30)
        sheet.text(left + 30, 30, f"{words}: cost {cost(centers):.0f}", bold=True, size=15)
    sheet.text(280, 170, "→", size=28)
    sheet.circle(10 + leaving[0], 30 + leaving[1], 14, color=INK)
    sheet.text(40, 318, "the center in the ring leaves", color=SOFT)
    sheet.circle(330 + newcomer[0], 30 + newcomer[1], 14, color=INK)
    sheet.text(360, 318, "the item in the ring becomes a center", color=SOFT)
    return sheet.svg()


def dismiss() -> str:
    """Why most candidates need not be looked at: the triangle inequality."""
    sheet = Drawing(700, 320, "A circle of radius d1 + d2 round a center: a newcomer outside of it is farther from the item than its second center")
    center, item, second = (190.0, 170.0), (240.0, 150.0), (300.0, 205.0)
    d1, d2 = dist(center, item), dist(item, second)
    sheet.circle(*center, d1 + d2, color=BLUE, dashed=True)
    newcomer = (366.0, 66.0)
    sheet.line(*center, *item, color=INK)
    sheet.line(*item, *second, color=INK)
    sheet.line(*item, *newcomer, color=PINK, dashed=True)
    sheet.text(204, 150, "d1", anchor="end")
    sheet.text(278, 172, "d2")
    sheet.item(*item)
    for place in [center, second]:
        sheet.center(*place)
    sheet.center(*newcomer, color=PINK, hollow=True)
    sheet.text(180, 194, "center", anchor="end")
    sheet.text(312, 222, "second center")
    sheet.text(378, 60, "newcomer")
    sheet.text(420, 130, "Outside of the circle, the newcomer", bold=True)
    sheet.text(420, 150, "is at least d2 from the item, so that")
    sheet.text(420, 170, "it changes nothing for the item,")
    sheet.text(420, 190, "whichever center leaves. One distance,")
    sheet.text(420, 210, "to the center, has told so for it and")
    sheet.text(420, 230, "for all its neighbors.")
    return sheet.svg()


def bound() -> str:
    """Cost above, bound below, and the best possible somewhere between."""
    sheet = Drawing(700, 200, "A scale of costs: the lower bound at the left, the cost of the centers at the right, the best possible between them")
    sheet.line(30, 110, 660, 110, color=SOFT)
    sheet.box(310, 100, 170, 20, fill=ORANGE)
    for x, words, row in [(310, "lower bound: no centers cost less", 60), (480, "cost of the centers found", 60)]:
        sheet.line(x, 72, x, 130, color=INK, width=2)
        sheet.text(x, row + 2, words, anchor="end" if x == 310 else "start")
    sheet.text(395, 152, "the proven gap: the best possible is in here", anchor="middle", bold=True)
    sheet.text(60, 182, "Searching moves the right end to the left, prices move the left end to the right.", color=SOFT)
    return sheet.svg()


def private() -> str:
    """Counts on a public tree, noise, and weights."""
    sheet = Drawing(760, 300, "A public tree with the exact count of each cell, the noisy counts that are released, and what follows from them")
    exact, noise = [40, 3, 12, 5], [2, -4, 1, 3]
    halves, half_noise = [exact[0] + exact[1], exact[2] + exact[3]], [-1, 2]
    noisy, noisy_halves = [sum(pair) for pair in zip(exact, noise)], [sum(pair) for pair in zip(halves, half_noise)]
    for left, title, tops, lows, color in [(20, "exact: never leaves", halves, exact, SOFT), (280, "released: with noise", noisy_halves, noisy, BLUE)]:
        sheet.text(left + 100, 34, title, bold=True, anchor="middle")
        for at, number in enumerate(lows):
            x, above = left + 25 + 50 * at, left + 50 + 100 * (at // 2)
            sheet.line(above, 130, x, 190, color=FAINT, width=2)
            sheet.box(x - 20, 190, 40, 26, fill="#ffffff", color=color, round_by=5)
            sheet.text(x, 208, str(number), anchor="middle")
        for at, number in enumerate(tops):
            x = left + 50 + 100 * at
            sheet.line(left + 100, 76, x, 110, color=FAINT, width=2)
            sheet.box(x - 22, 104, 44, 26, fill="#ffffff", color=color, round_by=5)
            sheet.text(x, 122, str(number), anchor="middle")
        sheet.circle(left + 100, 72, 8, fill="#ffffff", color=color)
    sheet.text(250, 150, "→", size=28, anchor="middle")
    sheet.text(250, 174, "+ noise", anchor="middle", color=SOFT, size=12)
    sheet.text(510, 150, "→", size=28, anchor="middle")
    sheet.text(545, 110, "weights on the public items", bold=True)
    for at, words in enumerate(["centers for every k", "sizes, costs, their ranges", "again in ten years,", "without spending more ε"]):
        sheet.text(545, 136 + 22 * at, words)
    sheet.text(20, 262, "A record is in one cell of each level: one count more in each. The noise hides that, and ε says how well.", color=SOFT)
    return sheet.svg()


DRAWINGS = [problem, tree, swap, dismiss, bound, private]


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for draw in DRAWINGS:
        (folder / f"how-{draw.__name__}.svg").write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
