"""Write the table of docs/datasets.md from the list that `shoal datasets` shows."""

from __future__ import annotations

from pathlib import Path

from shoal.datasets.catalogue import PublicSet, public_sets

PAGE = Path(__file__).with_name("datasets.md")
BEGIN, END = "<!-- table of sets -->", "<!-- end of the table -->"


def entry(one: PublicSet) -> str:
    counts = [f"{one.people:,} people" if one.people else "", f"{one.contacts:,} contacts" if one.contacts else ""]
    what = f"{one.title}. {', '.join(filter(None, counts))}".rstrip(". ") + "."
    how = f"[{one.file_name}]({one.address}), size {one.size}" if one.address else f"by hand: {one.by_hand}"
    check = one.checksum.split(":")[0] if one.checksum else "the first download" if one.address else "not fetched"
    return (
        f"**{one.name}**: {what}\n\n- Publisher: [{one.publisher}]({one.page}). Licence: {one.licence}.\n"
        f"- File: {how}. Checked by: {check}.\n- Cite: {one.cite}.\n"
    )


def table() -> str:
    return "\n".join(entry(one) for one in public_sets().values())


if __name__ == "__main__":
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}", "utf-8")
