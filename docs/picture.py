"""Draw the README's picture: `make picture`. Needs the extra `demo` for the real data set."""

from __future__ import annotations

from pathlib import Path

import shoal
from shoal.datasets import irvine
from shoal.report.charts import crowds

release = shoal.anonymize(irvine("1w"), 5, seed=0)
svg = crowds(release).replace("<svg ", '<svg style="background:#fff" ', 1)
Path(__file__).with_name("picture.svg").write_text(svg, encoding="utf-8")
print(release)
