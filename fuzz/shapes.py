"""What reading files made to hurt costs: `python fuzz/shapes.py [MEGABYTES [words of names]]` prints a table."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.hostile import MB, SHAPES, cost_of_reading


def main() -> None:
    size, words = int(float((sys.argv[1:] or ["5"])[0]) * MB), sys.argv[2:]
    worst = 0.0
    print("| file | MB | times its size in memory | what came of it |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "hostile"
        for name, shape in SHAPES.items():
            if words and not any(word in name for word in words):
                continue
            file.write_bytes(shape.make(size))
            try:
                outcome, peak = cost_of_reading(file, shape.options, 600)
            except subprocess.TimeoutExpired:
                outcome, peak = "does not end", 0
            times = peak / file.stat().st_size
            worst = max(worst, times)
            said = outcome.removeprefix("InputError: ").replace(f"{file}", "hostile")[:110]
            print(f"| {name} | {file.stat().st_size / 1e6:.1f} | {times:.1f} | {said} |", flush=True)
    print(f"\nAt most {worst:.1f} times the file.")


if __name__ == "__main__":
    main()
