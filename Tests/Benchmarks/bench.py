"""Puts the same load in turns on PageBridge's relay and on the byte relay, and reports medians and their ratios.

Run by deploy/bench.sh, which builds both. Nothing here decides whether a test passes: figures are reported.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

FIGURES = {
    "round trips a second": lambda report: report["messagesPerSecond"] / 2,
    "p50 in us": lambda report: report["roundTrip"]["p50"],
    "p99 in us": lambda report: report["roundTrip"]["p99"],
    "relay's processor time a message in us": lambda report: report["usage"]["cpuMicrosecondsPerMessage"],
}


class PageBridge:
    """The relay with pages and one host connection for all sessions."""

    name = "PageBridge"

    def __init__(self, folder: Path):
        self.process = subprocess.Popen(
            [folder / "pagebridge", "serve", "--dev", "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            if "http://" in line:
                self.url = "ws://" + line.split("http://")[1].split()[0].rstrip("/.,")
                break
        else:
            sys.exit("the relay did not say where it listens")

    def options(self) -> list[str]:
        return ["--relay", self.url]

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(10)


class ByteRelay:
    """Two sockets a session, whose bytes are passed on as they are."""

    name = "byte relay"

    def __init__(self, folder: Path):
        self.process = subprocess.Popen([folder / "ByteRelay"], stdout=subprocess.PIPE, text=True)
        self.url = f"ws://127.0.0.1:{int(self.process.stdout.readline())}"

    def options(self) -> list[str]:
        base = f"{self.url}/pair/{{index}}"
        return ["--foreign-page-url", f"{base}/page", "--foreign-host-url", f"{base}/host"]

    def end(self) -> None:
        self.process.kill()
        self.process.wait(10)


def measure(folder: Path, relay, load: list[str], seconds: float) -> dict:
    """One run of the load tool; its figures."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [
            folder / "pagebridge", "load", "--seconds", str(seconds), "--pid", str(relay.process.pid),
            "--json", file.name, *relay.options(), *load]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"{relay.name}: {done.stderr}{done.stdout}")
        return json.load(open(file.name))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--sessions", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    table = []
    for sessions in (int(text) for text in options.sessions.split(",")):
        runs: dict[str, list[dict]] = {PageBridge.name: [], ByteRelay.name: []}
        for number in range(options.rounds):
            # Anew and in turns, so that what else the machine does meets both.
            for make in (PageBridge, ByteRelay) if number % 2 == 0 else (ByteRelay, PageBridge):
                relay = make(options.bin)
                try:
                    runs[relay.name].append(
                        measure(options.bin, relay, ["--pages", str(sessions), "--size", "64"], options.seconds))
                finally:
                    relay.end()
            print(f"{sessions} sessions, round {number + 1} of {options.rounds}", file=sys.stderr)
        for figure, value in FIGURES.items():
            ours, theirs = (statistics.median(value(run) for run in runs[name]) for name in runs)
            table.append({"sessions": sessions, "figure": figure, "pagebridge": ours, "byteRelay": theirs,
                          "ratio": ours / theirs if theirs else None})
    (options.out / "bench.json").write_text(json.dumps(
        {"rounds": options.rounds, "seconds": options.seconds, "table": table}, indent=1) + "\n")
    (options.out / "bench.html").write_text(page(table, options))
    print(text(table))


def text(table: list[dict]) -> str:
    lines = [f"{'sessions':>9}  {'figure':<40} {'PageBridge':>12} {'byte relay':>12} {'ratio':>6}"]
    for row in table:
        ratio = f"{row['ratio']:.2f}" if row["ratio"] else "-"
        lines.append(f"{row['sessions']:>9}  {row['figure']:<40} {row['pagebridge']:>12,.1f} {row['byteRelay']:>12,.1f} {ratio:>6}")
    return "\n".join(lines)


def page(table: list[dict], options) -> str:
    """The table and, for each figure, the ratio over the number of sessions."""
    rows = "".join(
        f"<tr><td>{row['sessions']:,}<td>{row['figure']}<td>{row['pagebridge']:,.1f}<td>{row['byteRelay']:,.1f}"
        f"<td>{row['ratio'] and format(row['ratio'], '.2f') or '-'}</tr>" for row in table)
    charts = "".join(chart(name, [row for row in table if row["figure"] == name]) for name in FIGURES)
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>PageBridge beside a byte relay</title>
<style>:root{{color-scheme:light dark}}body{{font:15px/1.5 system-ui,sans-serif;max-width:960px;margin:32px auto;padding:0 16px}}
table{{border-collapse:collapse;font-variant-numeric:tabular-nums}}td,th{{padding:4px 16px 4px 0;text-align:right;border-bottom:1px solid #8884}}
td:nth-child(2),th:nth-child(2){{text-align:left}}svg{{width:100%;height:auto}}svg text{{font-size:12px;fill:currentColor}}</style>
<h1>PageBridge beside a byte relay</h1><p>Medians of {options.rounds} rounds of {options.seconds:g} s, in turns.</p>
<table><tr><th>sessions<th>figure<th>PageBridge<th>byte relay<th>ratio</tr>{rows}</table>{charts}</html>
"""


def chart(name: str, rows: list[dict]) -> str:
    width, height, left, bottom = 920, 200, 60, 28
    most = max([1.2, *(row["ratio"] or 0 for row in rows)]) * 1.1
    step = (width - left - 40) / max(1, len(rows) - 1)
    points = [(left + step * at, height - bottom - (row["ratio"] or 0) / most * (height - bottom - 12)) for at, row in enumerate(rows)]
    one = height - bottom - 1 / most * (height - bottom - 12)
    marks = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#2f6fde"/><text x="{x:.1f}" y="{y - 10:.1f}" text-anchor="middle">{row["ratio"] or 0:.2f}</text>'
        f'<text x="{x:.1f}" y="{height - 8}" text-anchor="middle">{row["sessions"]:,}</text>'
        for (x, y), row in zip(points, rows))
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return (f'<h2>{name}, ratio</h2><svg viewBox="0 0 {width} {height}"><line x1="{left}" x2="{width}" y1="{one:.1f}" y2="{one:.1f}" '
            f'stroke="#888" stroke-dasharray="4 4"/><text x="8" y="{one + 4:.1f}">equal</text>'
            f'<polyline points="{line}" fill="none" stroke="#2f6fde" stroke-width="2"/>{marks}</svg>')


if __name__ == "__main__":
    main()
