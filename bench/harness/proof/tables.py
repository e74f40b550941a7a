"""Tables of what is proven."""

from harness.proof.claims import claims, claims_of_large, claims_of_meeting
from harness.proof.jobs import MULTIPLES
from harness.proof.rows import Proven
from harness.tables import aligned


def report(rows: list[Proven]) -> str:
    """All tables, and what they show."""
    of = lambda part: [row for row in rows if row.part == part]  # noqa: E731
    text = ["## Proven gaps (`proof`)", ""]
    for part in ("orlib", "restarts", "highs", "tsplib"):
        text += [f"### {part}", "", *published(of(part)), ""]
    text += [
        "### gaps after multiples of the time of the fit",
        "",
        *timed(of("times")),
        "",
        "```text",
    ]
    text += [
        *claims(of("orlib"), of("restarts"), of("highs")),
        *claims_of_meeting(of("met by restarts"), of("met by prices")),
        *claims_of_large(of("tsplib"), of("times")),
        "```",
        "",
    ]
    return "\n".join(text)


def published(rows: list[Proven]) -> list[str]:
    """Rows with published values."""
    heads = [
        "data",
        "k",
        "cost",
        "published",
        "excess %",
        "gap %",
        "relaxation %",
        "processor s",
        "stop",
    ]
    cells = [
        [
            row.data,
            str(row.k),
            f"{row.judged:,.0f}",
            f"{row.least:,.0f}",
            f"{100 * (row.excess or 0.0):.3f}",
            f"{100 * row.gap:.3f}" if row.bound else "",
            f"{100 * (1 - row.relaxation / row.least):.3f}" if row.relaxation and row.least else "",
            f"{row.processor:.2f}",
            row.stop,
        ]
        for row in rows
    ]
    return aligned(heads, cells)


def timed(rows: list[Proven]) -> list[str]:
    """Gaps in percent after multiples of the time of the fit."""
    heads = [
        "data",
        "k",
        "fit s",
        *(f"{times} ×" for times in MULTIPLES),
        "at the end",
        "processor s",
        "stop",
    ]
    cells = []
    for row in rows:
        gaps = [
            f"{100 * row.after[str(times)]:.3f} %" if str(times) in row.after else "none"
            for times in MULTIPLES
        ]
        end = [f"{100 * row.gap:.3f} %", f"{row.processor:.1f}", row.stop]
        cells.append([row.data, str(row.k), f"{row.fit:.2f}", *gaps, *end])
    return aligned(heads, cells)
