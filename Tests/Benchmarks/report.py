"""The table of the benchmarks as text, and as a page with the curve of cost over sessions."""

STYLE = """:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:1040px;margin:32px auto;padding:0 16px}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}td,th{padding:4px 16px 4px 0;text-align:right;border-bottom:1px solid #8884}
td:first-child,th:first-child{text-align:left}.missed{color:#c4320a}svg{width:100%;height:auto}svg text{font-size:12px;fill:currentColor}"""


def cells(line: dict) -> list[str]:
    unit = f" {line['unit']}" if line["unit"] else ""
    goal = f"{'at least' if line['least'] else 'at most'} {line['goal']:,g}" + ("" if line["ofRatio"] else unit)
    return [
        line["what"] + (f" ({line['note']})" if "note" in line else ""),
        number(line["ours"]) + unit,
        number(line["theirs"]) + unit if line["theirs"] else "-",
        f"{line['ratio']:.2f}" if line["ratio"] else "-",
        goal,
        "met" if line["isMet"] else "missed",
    ]


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:,.1f}" if value >= 10 else f"{value:.3f}"


HEAD = ["measure", "PageBridge", "to", "ratio", "goal", ""]


def text(results: dict) -> str:
    rows = [HEAD] + [cells(line) for row in results.values() for line in row["lines"]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join(
        "  ".join(cell.ljust(width) if column == 0 else cell.rjust(width)
                  for column, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows)


def page(results: dict) -> str:
    body = "".join(
        f"<tr{'' if line['isMet'] else ' class=missed'}>" + "".join(f"<td>{cell}" for cell in cells(line)) + "</tr>"
        for row in results.values() for line in row["lines"])
    points = [line["points"] for row in results.values() for line in row["lines"] if "points" in line]
    charts = "".join(
        chart(title, [(point["sessions"], point[figure]) for point in points[0]])
        for title, figure in (("Processor time a message, us", "cpuPerMessage"), ("Resident bytes a session", "bytesPerSession"))
    ) if points else ""
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>PageBridge measured</title><style>{STYLE}</style>
<h1>PageBridge measured</h1><p>Medians; comparisons in turns with a relay of raw bytes unless the line says otherwise.</p>
<table><tr>{"".join(f"<th>{head}" for head in HEAD)}</tr>{body}</table>{charts}</html>
"""


def chart(title: str, points: list[tuple[int, float]]) -> str:
    width, height, left, bottom = 920, 220, 60, 28
    most = max(value for _, value in points) * 1.15
    step = (width - left - 60) / max(1, len(points) - 1)
    places = [(left + step * at, height - bottom - value / most * (height - bottom - 12)) for at, (_, value) in enumerate(points)]
    marks = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#2f6fde"/>'
        f'<text x="{x:.1f}" y="{y - 10:.1f}" text-anchor="middle">{number(value)}</text>'
        f'<text x="{x:.1f}" y="{height - 8}" text-anchor="middle">{sessions:,}</text>'
        for (x, y), (sessions, value) in zip(places, points))
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return (f'<h2>{title}, over sessions</h2><svg viewBox="0 0 {width} {height}"><line x1="{left}" x2="{width}" y1="{height - bottom}" '
            f'y2="{height - bottom}" stroke="#8888"/><polyline points="{path}" fill="none" stroke="#2f6fde" stroke-width="2"/>{marks}</svg>')
