"""Results that took long, kept in a folder under the hash of everything that determines them.

Work that was stopped goes on where it was, and nothing stale is ever taken for fresh: another input, seed, option or version
is another name.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import shoal
from shoal.files.appear import cannot_be_written, clear_drafts, replacing


class Kept:
    """A folder of JSON results; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise cannot_be_written(folder, error) from None
            clear_drafts(folder)

    def find(self, *what: Any) -> Any:
        """What was kept under this description, or None: never measured, or cut off while it was written."""
        if self.folder is None:
            return None
        try:
            return json.loads(self._file(what).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return None

    def keep(self, result: Any, *what: Any) -> None:
        """Write a result under its description, whole or not at all."""
        if self.folder is None:
            return
        with replacing(self._file(what)) as draft:
            draft.write_text(json.dumps(result), encoding="utf-8")

    def _file(self, what: tuple[Any, ...]) -> Path:
        assert self.folder is not None
        text = repr((shoal.__version__, *what))
        return self.folder / f"{hashlib.blake2b(text.encode(), digest_size=12).hexdigest()}.json"
