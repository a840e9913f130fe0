"""Every mutant still changes something: the text it replaces is in its file."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_texts_of_mutants_are_there():
    spec = importlib.util.spec_from_file_location("mutants", ROOT / "fuzz" / "mutants.py")
    assert spec is not None
    assert spec.loader is not None
    mutants = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(mutants)
    texts = {file: (ROOT / "src" / "shoal" / file).read_text(encoding="utf-8") for _, file, *_ in mutants.MUTANTS}
    assert [name for name, file, text, *_ in mutants.MUTANTS if text not in texts[file]] == []
