"""Break every promise on purpose, one at a time, and see which test notices: `python fuzz/mutants.py [words of names]`.

Each mutant is a text of a file replaced by another, in a copy of the tree, and the tests that should fail then. A mutant that no
test notices is a survivor and needs a test; one whose text is not in the file any more is an error. Where a kernel is broken all
kernels run as plain Python, since numba would not notice a change in what a kept one calls.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import queue
import shutil
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
LONGEST = 900  # seconds, on a busy machine
OPTIONS = ("-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
CONTRACT = "tests/test_contract.py::test_every_release_keeps_the_contract"
BYTES = "tests/test_contract.py::test_same_seed_same_bytes"
VERIFY = "tests/audit/test_verify.py"
TAMPER = f"{VERIFY}::test_tampering_is_found_even_when_the_hashes_are_made_to_fit"
FOLDER = "tests/write/test_release_folder.py"
GUARDS = "tests/test_guards.py"
HOSTILE = "tests/test_hostile.py"
REALIZE = "tests/realize/test_realize.py"


class Mutant(NamedTuple):
    """What is broken, where, how, and who should notice."""

    name: str
    file: str
    old: str
    new: str
    tests: str


MUTANTS = [
    # group
    Mutant("group: an exact group of k - 1", "group/exact.py", "for size in range(k, min", "for size in range(max(k - 1, 1), min", "tests/group/test_search.py::test_one_slice_is_optimal"),
    Mutant("group: equals in groups of k - 1", "group/search.py", "np.arange(len(problem.settled)) // k", "np.arange(len(problem.settled)) // (k - 1)", "tests/group/test_search.py::test_crowds_are_settled_at_once tests/group/test_search.py::test_every_group_has_k_members"),
    Mutant("group: the greedy method takes k - 1", "group/_kernels.py", "    near = np.empty(k, np.int64)", "    k = k - 1\n    near = np.empty(k, np.int64)", "tests/group/test_rossi.py::test_greedy_assignment_is_algorithm_1"),
    Mutant("group: the paper's ⌈n/k⌉ groups", "group/rossi.py", "n_nodes, n_groups = len(degrees), len(degrees) // k", "n_nodes, n_groups = len(degrees), -(-len(degrees) // k)", "tests/group/test_rossi.py::test_groups_are_large_enough_and_never_cheaper_than_the_best"),
    Mutant("group: the lower median is one too high", "group/_kernels.py", "values[(size - 1) // 2]", "values[size // 2]", "tests/group/test_rossi.py::test_medians_are_the_middle_of_each_group"),
    Mutant("group: the upper median is one too high", "group/_kernels.py", "high[g, t] = values[size // 2]", "high[g, t] = values[min(size // 2 + 1, size - 1)]", "tests/group/test_rossi.py::test_medians_are_the_middle_of_each_group"),
    Mutant("group: a level is met with one too few", "group/levels.py", "if len(mine) >= k:", "if len(mine) >= k - 1:", "tests/group/test_needs.py::test_by_level_meets_every_need"),
    Mutant("group: the bound is above the optimum", "group/levels.py", "2 * int(others))", "int(others))", "tests/group/test_needs.py tests/test_promises.py::test_the_contract_holds_for_whatever_is_asked"),
    # realize
    Mutant("realize: an odd sum is left", "realize/enforce.py", "while int(np.dot(degrees, sizes)) % 2:", "while False:", f"{REALIZE}::test_parity_is_fixed_and_everything_stays_realizable"),
    Mutant("realize: Erdős–Gallai is not looked at", "realize/erdos_gallai.py", "bool((slack(degrees, sizes)[1] >= 0).all())", "True", f"{REALIZE}::test_erdos_gallai_agrees_with_the_theorem_and_networkx"),
    Mutant("realize: Erdős–Gallai is off by one", "realize/erdos_gallai.py", "return values, j * (j - 1) +", "return values, 1 + j * (j - 1) +", f"{REALIZE}::test_erdos_gallai_agrees_with_the_theorem_and_networkx"),
    Mutant("realize: odd sums count as graphical", "realize/erdos_gallai.py", "% 2 == 0 and satisfies", "% 2 >= 0 and satisfies", f"{REALIZE}::test_any_sequence_is_judged_as_networkx_judges_it"),
    Mutant("realize: the pivot leaves others above it", "realize/enforce.py", "        d[pivot:] = np.minimum(d[pivot:], d[pivot])\n", "", f"{REALIZE}::test_enforce_only_lowers_keeps_the_order_and_leaves_realizable_ones_alone"),
    Mutant("realize: a digraph may point at itself", "realize/fulkerson.py", "np.cumsum(outs) + np.cumsum(bracket)[1 : n + 1] <=", "np.cumsum(outs) <=", "tests/realize/test_pairs.py::test_agrees_with_networkx"),
    Mutant("realize: in- and out-degrees differ in sum", "realize/fulkerson.py", "int(np.dot(ins, sizes)) == int(np.dot(outs, sizes)) and ", "", "tests/realize/test_pairs.py::test_small_cases_of_realizability"),
    # rebuild
    Mutant("rebuild: a double edge", "rebuild/_rewire_kernels.py", "    there = has(key, s.current)\n", "    there = False\n", "tests/rebuild/test_priority.py::test_the_degrees_are_exact_and_the_graph_simple"),
    Mutant("rebuild: a self-loop", "rebuild/_rewire_kernels.py", "    if u == v or (s.half and", "    if (s.half and", "tests/rebuild/test_rewire.py tests/rebuild/test_priority.py"),
    Mutant("rebuild: an edge is lost at the end", "rebuild/rewire.py", "s.current.items[: s.current.counts[0]]", "s.current.items[: max(s.current.counts[0] - 1, 0)]", "tests/rebuild/test_rewire.py::test_exact_degrees_simple_and_the_same_again"),
    Mutant("rebuild: an edge is counted at one end", "rebuild/_rewire_kernels.py", "    s.lack[u] += step\n    s.lack[v] += step\n", "    s.lack[u] += step\n", "tests/rebuild/test_rewire.py::test_exact_degrees_simple_and_the_same_again"),
    Mutant("rebuild: slices are swapped", "pieces.py", 'done.arrays["edges"] for done in run("slice", _rebuild, pieces, tell)]', 'done.arrays["edges"] for done in run("slice", _rebuild, pieces, tell)][::-1]', "tests/test_contract.py::test_k_of_one_changes_nothing_in_degrees tests/test_guards.py::test_every_slice_stays_in_its_place"),
    Mutant("rebuild: degrees are not looked at again", "stages.py", "if not np.array_equal(SliceView(made, labels, directed=directed).degrees, wanted):", "if False:", GUARDS),
    Mutant("rebuild: limits are not looked at again", "rebuild/within/__init__.py", "if (low < high).any() or not view.keeps(keys):", "if False:", GUARDS),
    Mutant("options: a weight that nothing weighs is taken", "stages.py", "if self.deletion_weight != 1 and (", "if False and (", "tests/test_contract.py::test_bad_parameters_are_refused"),
    Mutant("options: medians are forgotten under limits", "stages.py", "        return Chosen(centres)", "        return choose_degrees(view, rng=rng)", "tests/test_promises.py::test_medians_are_taken_under_limits_too"),
    Mutant("anonymize: the promise is not looked at again", "anonymize.py", "    _check(released, promise)\n", "", GUARDS),
    Mutant("anonymize: people are swapped when renamed", "graph.py", "place[order] = np.arange(len(order), dtype=np.int32)", "place[:] = order", f"{FOLDER}::test_the_private_record_undoes_the_release"),
    # demands
    Mutant("levels: only k counts for one of the protected", "promise.py", "needs[graph.places(protect)] = _whole(k)", "needs[graph.places(list(protect)[1:])] = _whole(k)", "tests/test_promises.py::test_the_contract_holds_for_whatever_is_asked"),
    Mutant("horizon: blocks are one slice too long", "promise.py", "bins[start] // int(horizon)", "bins[start] // (int(horizon) + 1)", GUARDS),
    Mutant("directed: out-degrees are not protected", "promise.py", "np.concatenate([here, here + len(self.blocks)]) if directed else here", "here", GUARDS),
    Mutant("limits: edges that must stay may go", "limits.py", "must_keep=np.isin(edges @ key, self.keep[t] @ key)", "must_keep=np.zeros(len(edges), bool)", "tests/test_promises.py::test_limits_are_kept"),
    Mutant("limits: forbidden pairs may be joined", "limits.py", "forbidden=self.forbid[t]", "forbidden=self.forbid[t][:0]", "tests/test_promises.py::test_limits_are_kept tests/rebuild/test_within.py"),
    Mutant("limits: exempt people may change", "limits.py", "exempt=self.pinned,", "exempt=None,", "tests/test_promises.py::test_limits_are_kept"),
    Mutant("limits: 'add' removes", "realize/view.py", 'limits.allow != "remove", self.limits.allow != "add"', 'limits.allow != "remove", True', "tests/test_promises.py::test_limits_are_kept"),
    Mutant("extend: newcomers get names that are taken", "extend.py", "first = max(int(name) for name in names.values()) + 1", "first = 1", "tests/test_extend.py"),
    Mutant("extend: a slice is released again", "extend.py", 'if again := sorted(set(known["slices"])', 'if again := sorted(set()', "tests/test_extend.py::test_what_does_not_fit_is_refused"),
    Mutant("extend: too few newcomers are published", "extend.py", 'joining = newcomers if len(newcomers) >= known["k"] else []', "joining = newcomers", "tests/test_extend.py::test_too_few_newcomers_are_held_back_and_join_later"),
    Mutant("extend: groups of before are forgotten", "extend.py", 'labels[~new] = [known["groups"][name] for name in old_names]', "labels[~new] = np.arange(len(old_names)) // known[\"k\"]", "tests/test_extend.py::test_the_union_keeps_k_whatever_comes"),
    # chance
    Mutant("chance: a stream without its seed", "randomness.py", 'return np.random.default_rng(int.from_bytes(digest, "big"))', "return np.random.default_rng()", BYTES),
    Mutant("chance: pseudonyms without their seed", "randomness.py", "key=marks.__getitem__", "key=lambda i: secrets.token_bytes(8)", BYTES),
    Mutant("chance: pseudonyms in the order of the ids", "randomness.py", "order = sorted(range(len(texts)), key=marks.__getitem__)", "order = list(range(len(texts)))", f"{FOLDER}::test_pseudonyms_do_not_follow_the_order_of_the_input"),
    Mutant("chance: a guessed seed undoes the pseudonyms", "randomness.py", 'str(self.seed).encode() + b"/" + context', "str(self.seed).encode()", GUARDS),
    Mutant("chance: the seed may be guessed", "randomness.py", "seed = secrets.randbits(128)", "seed = 0", "tests/test_contract.py::test_chance_comes_from_the_system_without_a_seed"),
    # write
    Mutant("write: the certificate counts other edges", "write/certificate.py", '"released": edges.released', '"released": edges.original', f"{FOLDER} {BYTES}"),
    Mutant("write: added and removed are exchanged", "write/certificate.py", '"added": edges.added', '"added": edges.removed', f"{FOLDER}::test_the_folder_is_complete_and_says_so"),
    Mutant("write: the certificate tells the seed", "write/certificate.py", 'f"shoal {shoal.__version__}"', 'f"shoal {shoal.__version__} {release.chance.seed}"', f"{FOLDER}::test_nothing_in_the_folder_tells_who_is_who {GUARDS}"),
    Mutant("write: the certificate tells the time", "write/certificate.py", 'f"shoal {shoal.__version__}"', 'f"shoal {shoal.__version__} {__import__(\'time\').time()}"', BYTES),
    Mutant("write: names are published", "write/folder.py", "names = release.graph.nodes if keep_ids else published_names(release)", "names = release.graph.nodes", f"{FOLDER}::test_nothing_in_the_folder_tells_who_is_who"),
    Mutant("write: people stand in the order of the input", "write/folder.py", "sorted_names.alias(\"node\").to_frame()", "names.alias(\"node\").to_frame()", f"{FOLDER} {GUARDS}"),
    Mutant("write: nothing is verified", "write/folder.py", "        _verify(draft, release, names)\n", "", f"{FOLDER}::test_a_release_that_does_not_verify_never_appears"),
    Mutant("write: a draft is left behind", "write/folder.py", "        shutil.rmtree(draft, ignore_errors=True)", "        pass", f"{FOLDER}::test_a_release_that_does_not_verify_never_appears"),
    Mutant("write: whatever is there is replaced", "write/folder.py", 'if any(folder.iterdir()) and not (folder / "certificate.json").is_file():', "if False:", f"{FOLDER}::test_an_existing_folder_is_replaced_only_by_force_and_only_a_release"),
    Mutant("write: others can read the private record", "write/private.py", "            os.replace(draft, file)", "            os.chmod(draft, 0o644)\n            os.replace(draft, file)", f"{FOLDER}::test_nothing_in_the_folder_tells_who_is_who"),
    Mutant("write: the private record in the release", "write/private.py", "if folder in file.parents:", "if False:", f"{FOLDER}::test_bad_ways_to_save_are_refused_before_anything_is_written"),
    # verify
    Mutant("verify: changed files pass", "audit/_released.py", '!= expected:', '== "":', TAMPER),
    Mutant("verify: files too many pass", "audit/_released.py", "if extra := sorted(present - listed):", "if extra := sorted(set()):", f"{VERIFY}::test_missing_and_extra_files_are_found"),
    Mutant("verify: files too few pass", "audit/_released.py", "if missing := sorted(listed - present):", "if missing := sorted(set()):", f"{VERIFY}::test_missing_and_extra_files_are_found"),
    Mutant("verify: strangers pass", "audit/_released.py", "checks.append(Check(what, unknown == 0, found))", "checks.append(Check(what, True, found))", TAMPER),
    Mutant("verify: who is listed twice passes", "audit/_released.py", 'checks.append(Check(f"no {what} is listed twice", twice == 0, found))', 'checks.append(Check(f"no {what} is listed twice", True, found))', TAMPER),
    Mutant("verify: blocks of any number pass", "audit/_released.py", " or not numbers.is_between(1, len(slices)).all()", "", GUARDS),
    Mutant("verify: loops pass", "audit/verify.py", "    loops = int((u == v).sum())", "    loops = 0", TAMPER),
    Mutant("verify: repeats pass", "audit/verify.py", "        again = int((key[1:] == key[:-1]).sum())", "        again = 0", TAMPER),
    Mutant("verify: repeats the other way round pass", "audit/verify.py", "a, b = (u, v) if directed else (np.minimum(u, v), np.maximum(u, v))", "a, b = u, v", TAMPER),
    Mutant("verify: crowds too small pass", "audit/verify.py", "exposed = int((weakest < k).sum())", "exposed = 0", f"{VERIFY}::test_a_release_holds_and_says_at_which_k"),
    Mutant("verify: a boasting certificate passes", "audit/verify.py", 'return Check("the certificate counts right", not wrong,', 'return Check("the certificate counts right", True,', f"{VERIFY}::test_a_certificate_that_boasts_is_found"),
    Mutant("verify: in-degrees are not counted", "audit/verify.py", "(out_degree, in_degree) if directed", "(out_degree,) if directed", "tests/test_promises.py::test_same_seed_same_bytes_and_verify_agrees tests/test_guards.py"),
    Mutant("verify: who is missing in a release looks the same", "audit/verify.py", "crowd = crowd * 2 + listed", "crowd = crowd * 2", f"tests/test_extend.py::test_together_they_can_fail_where_each_holds {GUARDS}"),
    Mutant("verify: levels that are not met pass", "audit/verify.py", "short = int((weakest < wanted).sum())", "short = 0", f"tests/test_promises.py::test_levels_are_not_published_but_can_be_proven {GUARDS}"),
    Mutant("verify: too few people of a level pass", "audit/verify.py", "found >= promised, detail)", "True, detail)", f"tests/test_promises.py::test_levels_are_not_published_but_can_be_proven {GUARDS}"),
    Mutant("verify: a record of other people passes", "audit/verify.py", "if set(levels) != set(people):", "if False:", f"tests/test_promises.py::test_levels_are_not_published_but_can_be_proven {GUARDS}"),
    Mutant("verify: crowds too small in partitioned Parquet pass", "audit/_partitioned.py", "exposed = int(sizes[sizes < k].sum())", "exposed = 0", "tests/engine/test_large.py::test_a_higher_k_than_promised_does_not_hold"),
    # audit
    Mutant("audit: people with the same row count as one", "audit/_kernels.py", "                total += counts[j]", "                total += 1", "tests/audit/test_audit.py::test_rough_knowledge_fits_everybody_within_the_margin"),
    Mutant("audit: the nearest is always the right one", "audit/_kernels.py", "among[i] |= j == own[i]", "among[i] = True", "tests/audit/test_audit.py::test_reidentification_agrees_with_trying_everybody"),
    Mutant("audit: k - 1 counts as below k", "audit/exposure.py", "(sizes < k).sum(axis=1)", "(sizes < k - 1).sum(axis=1)", "tests/audit/test_audit.py"),
    Mutant("audit: repeated contacts count again", "audit/attackers.py", "pairs = np.unique(graph._edges.astype(np.int64) @ np.array([graph.n_nodes, 1]))", "pairs = graph._edges.astype(np.int64) @ np.array([graph.n_nodes, 1])", "tests/audit/test_audit.py::test_distinct_contacts_and_neighbourhoods"),
    # read
    Mutant("read: self-loops count", "build.py", "    keep = u != v\n", "    keep = u == u\n", "tests/test_graph.py::test_slices_are_simple_and_every_row_is_accounted_for"),
    Mutant("read: repeats count", "build.py", "key = key[np.concatenate([[True], key[1:] != key[:-1]])] if len(key) else key", "key = key[:]", "tests/test_graph.py::test_slices_are_simple_and_every_row_is_accounted_for"),
    Mutant("read: isolated people are lost", "build.py", "every = [*columns] if extra is None else [*columns, _as_id(extra)]", "every = [*columns]", "tests/test_graph.py::test_people_who_never_appear_are_people tests/read/test_read.py::test_more_people_from_a_file"),
    Mutant("read: short lines pass", "read/text.py", "if len(fields) != n_fields:", "if len(fields) > n_fields:", "tests/read/test_read.py::test_bad_files_get_one_sentence_with_file_and_line"),
    Mutant("read: a bomb goes off", "read/text.py", "            if size > most:", "            if False:", "tests/read/test_read.py::test_a_limit_on_what_a_file_unpacks_to"),
    Mutant("read: empty slices inside the span are lost", "timebins.py", "codes = np.searchsorted(starts.dt.epoch(\"us\").to_numpy(), shifted, side=\"right\") - 1", "codes = np.unique(np.searchsorted(starts.dt.epoch(\"us\").to_numpy(), shifted, side=\"right\") - 1, return_inverse=True)[1]", "tests/test_timebins.py"),
    Mutant("read: a contact at midnight is of the day before", "timebins.py", "shifted, side=\"right\") - 1", "shifted, side=\"left\") - 1", "tests/test_timebins.py"),
    # web
    Mutant("web: any host", "web/guard.py", "if len(hosts) != 1 or hosts[0].lower() not in self.hosts:", "if not hosts:", f"{HOSTILE}::test_readers_accept_or_refuse[request-120] {GUARDS}"),
    Mutant("web: any origin", "web/guard.py", 'elif headers.getlist("origin") != [f"http://{hosts[0]}"]:', "elif False:", GUARDS),
    Mutant("web: any page may embed", "web/guard.py", 'if site in ("cross-site", "same-site") and mode != "navigate":', "if False:", GUARDS),
    Mutant("web: any token", "web/guard.py", "return hmac.compare_digest(given.encode(), str(self.token).encode())", "return True", GUARDS),
    Mutant("web: scripts of others may run", "web/guard.py", 'headers.setdefault("Content-Security-Policy", PAGE_POLICY)', "pass", GUARDS),
]  # fmt: skip


class Notes:
    """Remembers the first test that failed. A file of tests that cannot be loaded has noticed nothing."""

    first: str | None = None

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and self.first is None:
            self.first = report.nodeid


def test_here(copy: Path, tests: list[str], answer: Any) -> None:
    """In a process of its own, forked when everything but shoal was imported already: that saves most of the time."""
    import pytest

    os.chdir(copy)
    sys.path[:0] = [str(copy / "src"), str(copy)]
    sys.dont_write_bytecode = True
    notes = Notes()
    with open(copy / "log.txt", "w") as log, redirect_stdout(log), redirect_stderr(log):
        code = pytest.main([*OPTIONS, *tests], plugins=[notes])
    answer.put((int(code), notes.first))


def is_kernel(mutant: Mutant) -> bool:
    return "@njit" in (ROOT / "src" / "shoal" / mutant.file).read_text(encoding="utf-8")


def run(mutant: Mutant | None, copy: Path, tests: list[str], plain: bool) -> str | None:
    """The first test that fails on the mutant; None where all pass."""
    file = copy / "src" / "shoal" / (mutant.file if mutant else "__init__.py")
    before = file.read_text(encoding="utf-8")
    os.environ["SHOAL_UNCOMPILED"] = str(int(plain))
    if mutant:
        if mutant.old not in before:
            sys.exit(f"{mutant.name}: its text is not in {mutant.file} any more")
        file.write_text(before.replace(mutant.old, mutant.new), encoding="utf-8")
    forked = multiprocessing.get_context("fork")
    answer = forked.Queue()
    child = forked.Process(target=test_here, args=(copy, tests, answer))
    child.start()
    try:
        code, failed = answer.get(timeout=LONGEST)
    except queue.Empty:
        return "it does not end, or ends the process"
    finally:
        child.kill()
        child.join()
        file.write_text(before, encoding="utf-8")
    if code == 0:
        return None
    if failed is None:
        sys.exit(f"{mutant.name if mutant else 'without a mutant'}: {(copy / 'log.txt').read_text()[-3000:]}")
    return str(failed)


def main() -> None:
    """Run the mutants whose name contains one of the words, or all; exit code 1 where one survives."""
    chosen = [m for m in MUTANTS if not sys.argv[1:] or any(word in m.name for word in sys.argv[1:])]
    survivors = 0
    os.environ["POLARS_MAX_THREADS"] = "1"
    for name in (
        "hypothesis",
        "networkx",
        "numba",
        "ortools",
        "pandas",
        "polars",
        "pytest",
        "scipy.optimize",
        "zstandard",
    ):
        importlib.import_module(name)
    with tempfile.TemporaryDirectory(prefix="shoal-mutants-") as place:
        copy = Path(place)
        for name in ("src", "tests"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", copy)
        for name in ("README.md", "LICENSE"):
            shutil.copy(ROOT / name, copy)
        print("| mutant | noticed by |\n|---|---|", flush=True)
        for mutant in chosen:
            found = run(mutant, copy, mutant.tests.split(), is_kernel(mutant))
            survivors += found is None
            print(f"| {mutant.name} | {f'`{found}`' if found else '**nobody**'} |", flush=True)
        for plain in (False, True):
            tests = sorted({test for mutant in chosen if is_kernel(mutant) == plain for test in mutant.tests.split()})
            if tests and (wrong := run(None, copy, tests, plain)):
                sys.exit(f"{wrong} fails without any mutant")
    print(f"\n{len(chosen)} mutants, {survivors} survivors")
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
