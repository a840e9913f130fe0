"""A long search for inputs that break a reader, guided by coverage: `python fuzz/targets.py TARGET [libFuzzer options]`.

Kernels run as plain Python here (NUMBA_DISABLE_JIT), so that their branches count too. A failure does not end the search: its input
is kept in `fuzz/found/`, once for each place it comes from, and its traceback is printed.
"""

from __future__ import annotations

import hashlib
import os
import sys
import traceback
from pathlib import Path

os.environ |= {"NUMBA_DISABLE_JIT": "1", "POLARS_MAX_THREADS": "1"}
sys.path.insert(0, str(Path(__file__).parents[1]))

import atheris

with atheris.instrument_imports(include=["shoal"]):
    from tests.seeds import seeds
    from tests.targets import TARGETS

    import shoal.paper.run
    import shoal.web.app
    import shoal.web.look  # noqa: F401

HERE = Path(__file__).parent
known: set[str] = set()


def place_of(error: BaseException) -> str:
    """Where in shoal, or in the target, an error comes from."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "shoal" in f.filename or "targets" in f.filename]
    return f"{type(error).__name__} at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else repr(error)


def main() -> None:
    """Search until libFuzzer's limits are reached."""
    name, *options = sys.argv[1:]
    target = TARGETS[name]
    corpus, found = HERE / "corpus" / name, HERE / "found"
    corpus.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    for one in seeds(name):
        (corpus / hashlib.sha1(one, usedforsecurity=False).hexdigest()).write_bytes(one)

    def once(data: bytes) -> None:
        try:
            target(data)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # also the panics of polars
            place = place_of(error)
            if place not in known:
                known.add(place)
                (found / f"{name}-{hashlib.sha1(place.encode(), usedforsecurity=False).hexdigest()[:8]}").write_bytes(
                    data
                )
                print(f"FOUND {name}: {place}: {str(error)[:300]!r} by {data[:200]!r}", flush=True)

    limits = [
        "-timeout=60",
        "-rss_limit_mb=3000",
        "-max_len=4096",
        "-print_final_stats=1",
        f"-artifact_prefix={found}/{name}-",
    ]
    atheris.Setup([sys.argv[0], *limits, f"-dict={HERE / 'tokens.dict'}", *options, str(corpus)], once)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
