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
FORGED = "tests/audit/test_forgeries.py"
FIELDS = f"{FORGED}::test_any_change_to_any_checked_field_is_noticed"
CELLS = "tests/engine/test_cells.py::test_cut_slices_are_simple_and_everybody_has_company"
SAME = "tests/engine/test_same_release.py::test_a_folder_is_read_as_a_file_is"
SAME_CONTACTS = "tests/engine/test_same_release.py::test_contacts_are_kept_from_a_folder_as_from_a_file"
LARGE = "tests/engine/test_large.py::test_forgeries_in_partitioned_parquet"
FOLDER = "tests/write/test_release_folder.py"
PUBLISHED = "tests/write/test_published.py"
JUDGED = "tests/audit/test_judged.py"
HEAD = "tests/report/test_head.py"
SAID = "tests/cli/test_cli.py::test_what_is_said_of_a_folder_holds_for_it"
GUARDS = "tests/test_guards.py"
SHARED = "tests/draw/test_shared.py"
CARRIED = "tests/draw/test_carried.py"
SHARED_GUARD = "tests/draw/test_shared.py::test_nothing_is_given_away_that_sets_somebody_apart"
PERSONS = "tests/people/test_people.py"
STRATA = f"{PERSONS}::test_strata_are_large_enough_and_only_rise"
BEHIND = "tests/contacts/test_behind.py"
DRAW = "tests/draw/test_draw.py"
CONTACTS = "tests/audit/test_contacts_verified.py"
HOSTILE = "tests/test_hostile.py"
REALIZE = "tests/realize/test_realize.py"
REFUSALS = "tests/test_refusals.py"
PATIENCE = "tests/web/test_patience.py"


class Mutant(NamedTuple):
    """What is broken, where, how, and who should notice."""

    name: str
    file: str
    old: str
    new: str
    tests: str


MUTANTS = [
    # group
    Mutant("group: an exact group of k - 1", "group/exact.py", "if size < top or", "if size < top - 1 or", "tests/group/test_search.py::test_one_slice_is_optimal"),
    Mutant("group: equals in groups of k - 1", "group/start.py", "rank // np.repeat(m, count)", "rank // np.repeat(m - 1, count)", "tests/group/test_search.py::test_crowds_are_settled_at_once tests/group/test_search.py::test_every_group_has_k_members"),
    Mutant("group: the greedy method takes k - 1", "group/_kernels.py", "    near = np.empty(k, np.int64)", "    k = k - 1\n    near = np.empty(k, np.int64)", "tests/group/test_rossi.py::test_greedy_assignment_is_algorithm_1"),
    Mutant("group: the paper's ⌈n/k⌉ groups", "group/rossi.py", "n_nodes, n_groups = len(degrees), len(degrees) // k", "n_nodes, n_groups = len(degrees), -(-len(degrees) // k)", "tests/group/test_rossi.py::test_groups_are_large_enough_and_never_cheaper_than_the_best"),
    Mutant("group: the lower median is one too high", "group/medians.py", "ranked[first + (sizes - 1) // 2]", "ranked[first + sizes // 2]", "tests/group/test_rossi.py::test_medians_are_the_middle_of_each_group"),
    Mutant("group: the upper median is one too high", "group/medians.py", ", ranked[first + sizes // 2]", ", ranked[first + np.minimum(sizes // 2 + 1, sizes - 1)]", "tests/group/test_rossi.py::test_medians_are_the_middle_of_each_group"),
    Mutant("group: a level is met with one too few", "group/levels.py", "if len(mine) >= k:", "if len(mine) >= k - 1:", "tests/group/test_levels.py::test_by_level_meets_every_level"),
    Mutant("group: a level counts one too few", "group/_state_kernels.py", "return 2 <= top <= after <= group.room", "return 2 <= top <= after + 1 <= group.room + 1", "tests/group/test_levels.py::test_closed_forms"),
    Mutant("group: whoever asks for most may leave unseen", "group/_state_kernels.py", "group.n_top == 1 and", "group.n_top == 2 and", "tests/group/test_levels.py::test_closed_forms"),
    Mutant("group: another zone is touched", "group/_search_kernels.py", "if two.zone != one.zone:", "if two.zone != one.zone and two.k > 99:", "tests/group/test_levels.py::test_zones_hold"),
    Mutant("group: a shard too small for a level", "plan/shards.py", "np.maximum.at(asked, leaf, levels)", "asked[:] = levels.min(initial=1)", "tests/engine/test_engines.py::test_every_shard_is_large_enough_for_the_levels_in_it"),
    Mutant("group: effort without effect", "demands/settings.py", 'self.method != "search" and self.effort != "balanced"', "False", "tests/test_promises.py::test_options_act_or_are_refused"),
    Mutant("group: the paper's methods run on", "group/rossi.py", " and (deadline is None or time.monotonic() < deadline)", "", "tests/test_promises.py::test_options_act_or_are_refused"),
    Mutant("group: the bound is above the optimum", "group/bound.py", "2 * int(others))", "int(others))", "tests/group/test_levels.py tests/test_promises.py::test_the_contract_holds_for_whatever_is_asked"),
    # realize
    Mutant("realize: an odd sum is left", "realize/enforce.py", "if is_realizable(closed, sizes, directed=directed):", "if directed or satisfies_erdos_gallai(closed, sizes):", f"{REALIZE}::test_a_slice_ends_realizable_and_constant_on_groups"),
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
    Mutant("rebuild: a crowd is left too small", "rebuild/_crowd_kernels.py", "(c.size[here] > c.top[here] or c.size[here] == 1) and ", "", "tests/rebuild/test_rewire.py::test_single_slice_is_anonymous"),
    Mutant("rebuild: somebody goes to too small a crowd", "rebuild/_crowd_kernels.py", " and c.size[here + step] + 1 >= c.levels[i]", "", "tests/rebuild/test_rewire.py::test_single_slice_is_anonymous"),
    Mutant("move: ties between two groups stay", "move/permute.py", "    moved = moved if directed else np.sort(moved, axis=1)\n", "    stays = (groups == [0, 1]).all(axis=1)\n    moved[stays] = edges[stays]\n    moved = moved if directed else np.sort(moved, axis=1)\n", "tests/move/test_guarantee.py::test_slices_are_moved_and_rebuilt_alike"),
    Mutant("move: the same hands in every slice", "demands/against.py", "names = [part.label for part in graph.slices]", "names = [\"\"] * graph.n_slices", "tests/move/test_against.py::test_hands_last_as_long_as_was_asked_for"),
    Mutant("move: slices are rebuilt from the original", "move/steps.py", "made = rebuild_mean(moved, labels,", "made = rebuild_mean(load(piece.edges), labels,", "tests/move/test_guarantee.py::test_slices_are_moved_and_rebuilt_alike"),
    Mutant("move: persistence is not given back", "move/match.py", "return retie.Aims((piece.correlation, None), counts, many=True)", "return retie.Aims((None, None), counts, many=True)", "tests/move/test_match.py::test_a_release_has_the_totals_of_its_original"),
    Mutant("move: some pairs go on and on", "move/match.py", "edges * (1 - piece.new) / piece.most", "edges * (1 - piece.new) * (often == piece.most)", "tests/move/test_match.py::test_pairs_meet_about_equally_often"),
    Mutant("move: dense communities stay as they are", "move/steps.py", "inside = np.minimum(there, DENSEST * sizes", "inside = np.minimum(there, sizes", "tests/move/test_match.py::test_dense_communities_are_thinned"),
    Mutant("move: pairs are counted once for each block of people", "move/match.py", "low < piece.last", "low < piece.n_people", "tests/move/test_match.py::test_totals_are_those_of_the_graph"),
    Mutant("move: nobody asks how busy those are who meet", "move/steps.py", "if led_out <= FEW_LED_OUT * len(ends) else {}", "if False else {}", "tests/move/test_match.py::test_people_with_few_contacts_do_not_only_meet_one_another"),
    Mutant("move: the search sees no importance", "move/guide.py", "rank = pagerank(edges, n, directed=directed)", "rank = degrees / degrees.sum()", "tests/move/test_against.py::test_the_search_sees_importance_above_that_of_nobody_s_contact"),
    Mutant("move: contacts that are where they were are counted in public", "published/coarse.py", "edges\": nothing[1] | known}", "edges\": counts}", "tests/move/test_against.py::test_every_release_keeps_the_promise_of_numbers_too"),
    Mutant("compiling: kernels of an older version run", "_numba.py", "            cache._cache_file._source_stamp = (cache._cache_file._source_stamp, sources())\n", "            pass\n", "tests/packaging/test_compiling.py::test_a_kept_kernel_is_not_used_after_another_file_of_kernels_changed"),
    Mutant("retie: an edge is tied twice", "rebuild/_retie_kernels.py", "        if has(key_of(u, x, n), t.current) or has(key_of(v, y, n), t.current):\n            continue\n", "", "tests/rebuild/test_retie.py"),
    Mutant("retie: swaps cost edits", "rebuild/_retie_kernels.py", " or edits > t.counts[1]:", ":", "tests/rebuild/test_retie.py::test_degrees_edits_and_limits_stay"),
    Mutant("retie: fixed pairs swap", "rebuild/_retie_kernels.py", "if (old | old_other | new | new_other) & FIXED or edits", "if edits", "tests/rebuild/test_retie.py::test_degrees_edits_and_limits_stay"),
    Mutant("density: forgotten", "demands/settings.py", "return (count - slack, count + slack) if self.keeps_density else None", "return None", "tests/rebuild/test_retie.py::test_slices_keep_their_numbers_of_edges"),
    Mutant("rebuild: slices are swapped", "plan/slices.py", "return graph.with_edges(edges), sum", "return graph.with_edges(edges[::-1]), sum", "tests/test_contract.py::test_k_of_one_changes_nothing_in_degrees tests/test_guards.py::test_every_slice_stays_in_its_place"),
    Mutant("rebuild: degrees are not looked at again", "plan/stages.py", "if not np.array_equal(SliceView(made, labels, directed=directed).degrees, wanted):", "if False:", GUARDS),
    Mutant("rebuild: limits are not looked at again", "rebuild/within/__init__.py", "if (low < high).any() or not view.keeps(keys):", "if False:", GUARDS),
    Mutant("options: a weight that nothing weighs is taken", "demands/settings.py", "if self.removal_weight != 1 and (", "if False and (", "tests/test_contract.py::test_bad_parameters_are_refused"),
    Mutant("options: medians are forgotten under limits", "plan/stages.py", "        return Chosen(centres)", "        return choose_degrees(view, rng=rng)", "tests/test_promises.py::test_medians_are_taken_under_limits_too"),
    Mutant("anonymize: the promise is not looked at again", "anonymize.py", "    request.promise.check(released)\n", "", GUARDS),
    Mutant("anonymize: people are swapped when renamed", "graph/parts.py", "place[order] = np.arange(len(order), dtype=np.int32)", "place[:] = order", f"{FOLDER}::test_the_private_record_undoes_the_release"),
    # demands
    Mutant("levels: only k counts for one of the protected", "demands/promise.py", "levels[graph.places(protect)] = _whole(k, graph)", "levels[graph.places(list(protect)[1:])] = _whole(k, graph)", "tests/test_promises.py::test_the_contract_holds_for_whatever_is_asked"),
    Mutant("horizon: blocks are one slice too long", "demands/promise.py", "bins[start] // int(count)", "bins[start] // (int(count) + 1)", GUARDS),
    Mutant("directed: out-degrees are not protected", "demands/promise.py", "np.concatenate([here, here + len(self.blocks)]) if directed else here", "here", GUARDS),
    Mutant("limits: edges that must stay may go", "demands/limits.py", "must_keep=np.isin(edges @ key, self.keep[t] @ key)", "must_keep=np.zeros(len(edges), bool)", "tests/test_promises.py::test_limits_are_kept"),
    Mutant("limits: forbidden pairs may be joined", "demands/limits.py", "forbidden=self.forbid[t]", "forbidden=self.forbid[t][:0]", "tests/test_promises.py::test_limits_are_kept tests/rebuild/test_within.py"),
    Mutant("limits: exempt people may change", "demands/limits.py", "exempt=self.exempt,", "exempt=None,", "tests/test_promises.py::test_limits_are_kept"),
    Mutant("limits: 'add' removes", "realize/view.py", 'limits.allow != "remove", self.limits.allow != "add"', 'limits.allow != "remove", True', "tests/test_promises.py::test_limits_are_kept"),
    Mutant("extend: newcomers get names that are taken", "extend.py", "_names(nodes, names, highest + 1, chance)", "_names(nodes, names, 1, chance)", "tests/test_extend.py"),
    Mutant("extend: a slice is released again", "extend.py", 'if again := sorted(set(known["slices"])', 'if again := sorted(set()', "tests/test_extend.py::test_what_does_not_fit_is_refused"),
    Mutant("extend: too few newcomers are published", "extend.py", 'joining = newcomers if len(newcomers) >= known["k"] else []', "joining = newcomers", "tests/test_extend.py::test_too_few_newcomers_are_held_back_and_join_later"),
    Mutant("extend: groups of before are forgotten", "extend.py", 'labels[~new] = [known["groups"][name] for name in old_names]', "labels[~new] = np.arange(len(old_names)) // known[\"k\"]", "tests/test_extend.py::test_the_union_keeps_k_whatever_comes"),
    Mutant("extend: a record older than the folder passes", "extend.py", 'if not (set(there["people"]) <= known["ids"].keys() and set(there["slices"]) <= set(known["slices"])):', "if False:", "tests/test_extend.py::test_a_record_older_than_the_folder_is_refused"),
    Mutant("extend: a number is given out again", "extend.py", 'max(known.get("highest", 0), *map(', "max(0, *map(", "tests/test_extend.py::test_no_number_is_given_twice"),
    Mutant("extend: limits are forgotten", "extend.py", "limits = _limits(whole, known, allow=allow, must_keep=must_keep, forbid=forbid, exempt=exempt)", "limits = None", "tests/test_extend.py::test_what_may_change_goes_on"),
    Mutant("extend: limits are not written down", "write/private.py", '"limits": None if release.limits is None else release.limits.to_carry_on(published)', '"limits": None', "tests/test_extend.py::test_people_and_pairs_under_limits_go_on"),
    Mutant("extend: damaged limits pass", "read/record.py", '        and _are_limits(record.get("limits"), ids)\n', "", "tests/test_extend.py::test_damaged_limits_are_refused"),
    Mutant("extend: a record that changed is replaced", "write/private.py", "sha256(file) != after.sha256", "False", "tests/test_extend.py::test_the_record_is_brought_up_to_date_once"),
    Mutant("budget: more is changed than it allows", "sweep/most.py", "if made is not None and made.edges.changed <= most:", "if made is not None:", "tests/test_most_people.py::test_the_budget_holds_and_everybody_is_protected_or_counted"),
    Mutant("budget: who is left out is changed", "sweep/most.py", '{"protect": protected, "exempt": exempt}', '{"protect": protected}', "tests/test_most_people.py::test_the_budget_holds_and_everybody_is_protected_or_counted"),
    Mutant("budget: who is withheld is not counted", "published/certificate.py", "if release.left_out is not None:\n", "if release.left_out is not None and not release.left_out.withheld:\n", "tests/test_most_people.py::test_the_budget_holds_and_everybody_is_protected_or_counted"),
    Mutant("verify: more people are exempt than it says", "audit/_claims.py", 'by_k.get("1") == said["people"] and ', "", "tests/test_most_people.py::test_a_certificate_that_counts_others_does_not_verify"),
    Mutant("verify: more people are withheld than it says", "audit/verify.py", "all(count == named for count in said)", "True", "tests/test_most_people.py::test_a_certificate_that_counts_others_does_not_verify"),
    Mutant("extend: newcomers are in no record", "write/private.py", "after.newcomers and not after.keeps_ids", "False", "tests/test_extend.py::test_newcomers_need_a_record"),
    Mutant("limits: what must stay need not be there", "demands/limits.py", "        _refuse_missing(graph, kept)\n", "        pass\n", "tests/test_promises.py::test_bad_demands_are_refused tests/test_extend.py::test_people_and_pairs_under_limits_go_on"),
    Mutant("extend: newcomers beside pseudonyms keep their ids", "extend.py", "series = ids_as_series(nodes) if kept else", "series = ids_as_series(nodes) if are_kept(known[\"ids\"]) else", "tests/test_extend.py::test_two_people_whose_pseudonyms_happen_to_be_their_ids_are_not_kept"),
    Mutant("extend: kept ids are called pseudonyms", "write/folder.py", "keep_ids = release.after.keeps_ids", "keep_ids = False", "tests/test_extend.py::test_an_extension_calls_people_as_the_release_before_did"),
    Mutant("extend: the format before is carried on", "extend.py", 'if claims.get("format") == 1:', "if False:", f"{FORGED}::test_the_format_before_told_exact_numbers"),
    # contacts
    Mutant("contacts: a self-loop is a contact", "contacts/behind.py", "there = np.flatnonzero(u != v)", "there = np.arange(len(u))", BEHIND),
    Mutant("contacts: times are not those of their edge", "contacts/behind.py", "np.lexsort((times[there], place))", "np.argsort(times[there], kind='stable')", BEHIND),
    Mutant("contacts: lost when people are renamed", "graph/parts.py", "graph.contacts.moved(made._stored(), u, v, codes, there)", "graph.contacts", BEHIND),
    Mutant("contacts: half a contact is one", "contacts/behind.py", " | (numbers != numbers.round(0))", "", BEHIND),
    Mutant("contacts: cuts at the first contact are published", "contacts/behind.py", "    if slicing.width is None:", "    if False:", BEHIND),
    Mutant("draw: an edge keeps its own count", "draw/counts.py", "drawn[rng.permutation(here)] = pool[spread.astype(np.int64)]", "drawn[here] = counts[classes == number][spread.astype(np.int64)]", DRAW),
    Mutant("draw: the total is not met", "draw/counts.py", "return fit_total(drawn, int(counts.sum()) - taken, int(counts.max()), rng)", "return drawn", DRAW),
    Mutant("draw: somebody has more than a k-th of a class", "draw/classes.py", "and k * shares.max() <= shares.sum()", "", DRAW),
    Mutant("draw: an edge has more than a k-th of a window", "draw/_kernels.py", "high == low or most * k > high - low", "high == low", DRAW),
    Mutant("draw: moments of the original come back", "draw/times.py", "rng.uniform(-k, k, n)", "0", DRAW),
    Mutant("draw: times are off the grid", "draw/times.py", "on_grid = found - (found - clock.base) % clock.step", "on_grid = found", DRAW),
    Mutant("draw: contacts beyond the slice", "draw/_kernels.py", "now if now < end and _is_busy(busy, now, reach) else first[j]", "now if j > at else first[j]", DRAW),
    Mutant("draw: an edge has more than a k-th of the gaps", "draw/times.py", "follows = follows[(place + 1) * share // gaps > place * share // gaps]", "follows = follows[place >= 0]", DRAW),
    Mutant("draw: pools are those of the original where ties were moved", "draw/__init__.py", "    if pools is None:", "    if True:", CARRIED),
    Mutant("carried: a tie takes the contacts of another along", "draw/__init__.py", "np.where(known[place] == wanted, place, -1)", "place", CARRIED),
    Mutant("carried: the contacts of a tie stay behind", "move/steps.py", "reordered(*piece.behind.loaded(), order)", "piece.behind.loaded()", CARRIED),
    Mutant("carried: also where ties are moved anew", "draw/__init__.py", 'kind == "carried" and move != TIE', "False", CARRIED),
    Mutant("verify: contacts may be carried where ties are moved anew", "audit/_claims.py", 'or claims["move"] == "tie"', "or True", CARRIED),
    Mutant("verify: what carried contacts disclose need not be said", "audit/_words.py", '_CARRIED * ("carried" in claims.get("contacts", ()))', '""', CARRIED),
    Mutant("verify: a slice may have no file of contacts", "audit/_contacts.py", 'if files != [f"{s + 1:05}.parquet" for s in range(many)]:', "if False:", CONTACTS),
    Mutant("large: contacts stay with the wrong edges when people are renamed", "large/graph.py", "there[np.argsort(keys)]", "there", SAME_CONTACTS),
    Mutant("large: contacts are on another grid than in a file", "contacts/behind.py", "for start, one in grids for part in (start - first, one)", "for start, one in grids for part in (one,)", SAME_CONTACTS),
    Mutant("resume: other contacts are taken for the same", "demands/request.py", "[self.contacts, self.promise.contacts, self.graph.contacts.digest()]", "[]", "tests/engine/test_same_release.py::test_drawing_goes_on_and_never_with_other_contacts"),
    Mutant("verify: contacts need not give the edges", "audit/_contacts.py", "same = same and np.array_equal(given, wanted)", "same = True", CONTACTS),
    Mutant("verify: contacts may be outside of the slices", "audit/_contacts.py", "(place >= 0) & (times[mine] < high[place])", "place >= -1", CONTACTS),
    Mutant("verify: contacts are not counted", "audit/_contacts.py", "total == said", "True", CONTACTS),
    Mutant("verify: slices may overlap in time", "audit/_contacts.py", "and (high[:-1] <= low[1:]).all()", "", CONTACTS),
    Mutant("shared: a crowd has other contacts", "draw/shared.py", "found, minlength=n) < want[crowd]", "found, minlength=n) < 0 * want[crowd]", SHARED),
    Mutant("shared: contacts are not looked at again", "draw/__init__.py", "        _check_shared(released, request, crowds)\n", "        pass\n", SHARED_GUARD),
    Mutant("verify: contacts may set people apart", "audit/_contacts.py", "np.bincount(crowd)[crowd] < sizes[block]", "np.bincount(crowd)[crowd] < 0", SHARED),
    Mutant("audit: strength is the number of people", "graph/temporal.py", "np.bincount(edges[:, side], counts, minlength", "np.bincount(edges[:, side], minlength", SHARED),
    # people
    Mutant("people: a stratum is too small", "people/strata.py", "rare = np.flatnonzero(sizes < most)", "rare = np.flatnonzero(sizes < most - 1)", STRATA),
    Mutant("people: crowds are not of one stratum", "demands/promise.py", "first = [] if self.strata is None else [self.strata]", "first = []", PERSONS),
    Mutant("people: people change to crowds of others", "anonymize.py", "change_class=traits is None", "change_class=True", PERSONS),
    Mutant("people: values of poor crowds are told", "people/diverse.py", "told &= different[crowd] >= diverse", "told &= different[crowd] >= 0", PERSONS),
    Mutant("people: an exchange leaves its stratum", "people/diverse.py", "(strata == strata[mine[0]]) & (labels != g)", "(labels != g)", PERSONS),
    Mutant("people: a mixed group is told as it is", "people/mixing.py", "apart[differ | missing] = step + 1", "apart[missing] = step + 1", PERSONS),
    Mutant("people: a fixed value is mixed", "people/mixing.py", "some = None if apart is None else apart == s", "some = None", PERSONS),
    Mutant("people: a fixed value is merged", "people/strata.py", "return goal, np.where(barred, np.inf, rise), taken", "return goal, rise, taken", PERSONS),
    Mutant("verify: attributes split no crowd", "audit/_traits.py", "        crowd = np.unique(crowd * (n + 1) + codes, return_inverse=True)[1]\n", "        pass\n", PERSONS),
    Mutant("verify: crowds need no different values", "audit/_traits.py", "enough = fewest >= diverse", "enough = True", PERSONS),
    Mutant("verify: stars are not counted", "audit/_traits.py", "found == said", "True", PERSONS),
    # chance
    Mutant("chance: a stream without its seed", "common/randomness.py", 'return np.random.default_rng(int.from_bytes(digest, "big"))', "return np.random.default_rng()", BYTES),
    Mutant("chance: pseudonyms without their seed", "common/randomness.py", "np.lexsort((marks[:, 1], marks[:, 0]))", "np.random.default_rng().permutation(count)", BYTES),
    Mutant("chance: pseudonyms in the order of the ids", "common/randomness.py", "np.lexsort((marks[:, 1], marks[:, 0]))", "np.arange(count)", f"{FOLDER}::test_pseudonyms_do_not_follow_the_order_of_the_input"),
    Mutant("chance: a guessed seed undoes the pseudonyms", "common/randomness.py", 'str(self.seed).encode() + b"/" + context', "str(self.seed).encode()", GUARDS),
    Mutant("chance: the seed may be guessed", "common/randomness.py", "seed = secrets.randbits(128)", "seed = 0", "tests/test_contract.py::test_chance_comes_from_the_system_without_a_seed"),
    # write
    Mutant("write: the certificate counts other edges", "published/certificate.py", '"released": edges.released', '"released": edges.original', f"{FOLDER} {BYTES}"),
    Mutant("write: added and removed are exchanged", "published/certificate.py", '"added": edges.added', '"added": edges.removed', f"{FOLDER}::test_the_folder_is_complete_and_says_so"),
    Mutant("write: the certificate tells the seed", "published/certificate.py", 'f"shoal {shoal.__version__}"', 'f"shoal {shoal.__version__} {release.chance.seed}"', f"{FOLDER}::test_nothing_in_the_folder_tells_who_is_who {GUARDS}"),
    Mutant("write: the certificate tells the time", "published/certificate.py", 'f"shoal {shoal.__version__}"', 'f"shoal {shoal.__version__} {__import__(\'time\').time()}"', BYTES),
    Mutant("write: what is learned of few is told", "published/coarse.py", 'second["all"]["claims"]) < MANY:', 'second["all"]["claims"]) < 0:', "tests/report/test_learned.py::test_the_private_report_shows_what_is_learned_and_the_public_one_nothing_of_few"),
    Mutant("write: what is learned is told exactly", "published/coarse.py", '"matched": bin_of(second["matched"])', '"matched": second["matched"]', "tests/report/test_learned.py::test_a_release_with_a_record_shows_what_is_learned_in_bins"),
    Mutant("write: names are published", "write/folder.py", "names = release.graph.nodes if keep_ids else published_names(release)", "names = release.graph.nodes", f"{FOLDER}::test_nothing_in_the_folder_tells_who_is_who"),
    Mutant("write: people stand in the order of the input", "write/tables.py", '"nodes": pl.DataFrame([public, *traits])', '"nodes": pl.DataFrame([names.alias("node"), *traits])', f"{FOLDER} {GUARDS}"),
    Mutant("write: nothing is verified", "write/folder.py", "            _verify(draft, release, names, tell)\n", "            pass\n", f"{FOLDER}::test_a_release_that_does_not_verify_never_appears"),
    Mutant("write: a draft is left behind", "files/appear.py", "                if path is not None:\n                    _remove(path)", "                pass", f"{FOLDER}::test_a_release_that_does_not_verify_never_appears"),
    Mutant("write: whatever is there is replaced", "write/folder.py", 'if any(folder.iterdir()) and not (folder / "certificate.json").is_file():', "if False:", f"{FOLDER}::test_an_existing_folder_is_replaced_only_by_force_and_only_a_release"),
    Mutant("write: others can read the private record", "files/appear.py", "kept, lock = _begin(record, token, 0o600)", "kept, lock = _begin(record, token, 0o644)", f"{FOLDER}::test_nothing_in_the_folder_tells_who_is_who"),
    Mutant("write: the private record in the release", "write/private.py", "if folder in file.parents:", "if False:", f"{FOLDER}::test_bad_ways_to_save_are_refused_before_anything_is_written"),
    # what a folder says about the original
    Mutant("published: counts are exact", "published/coarse.py", "return count - count % step", "return count", f"{PUBLISHED}::test_the_grid_is_the_one_in_the_documentation"),
    Mutant("published: the certificate is exact", "write/folder.py", "json.dumps(coarse_certificate(exact)", "json.dumps(exact", f"{PUBLISHED}::test_the_folder_has_the_coarse_certificate_and_its_maker_the_exact_one"),
    Mutant("published: ratios of small bounds are told", "published/coarse.py", "if bound >= MANY else None", "if bound else None", f"{PUBLISHED}::test_the_ratio_of_small_or_weak_bounds_is_not_told"),
    Mutant("published: a small cost is told", "published/coarse.py", "floor_grid(cost) if cost >= MANY else 0 for cost", "floor_grid(cost) for cost", f"{PUBLISHED}::test_the_ratio_of_small_or_weak_bounds_is_not_told"),
    Mutant("check: a small cost is fine", "audit/_claims.py", "or name in costs]", "]", "tests/audit/test_forgeries.py"),
    Mutant("published: slices with few changes are told", "published/coarse.py", ">= FEW else None", ">= 0 else None", f"{PUBLISHED}::test_slices_with_few_changes_are_not_told"),
    Mutant("published: similarities of few changes are told", "published/coarse.py", "    many = min(total.changed, _people(original), _people(released)) >= MANY", "    many = True", f"{PUBLISHED}::test_slices_with_few_changes_are_not_told"),
    Mutant("published: a bin says that all is the same", "published/coarse.py", "max(math.floor(10 * similarity), 0), 9) / 10", "max(math.floor(10 * similarity), 0), 10) / 10", f"{PUBLISHED}::test_no_bin_of_similarities_says_the_same"),
    Mutant("published: means are weighted by the original's edges", "published/coarse.py", 'own.get(name, value)["released"]', 'value["released"]', f"{PUBLISHED}::test_the_report_tells_no_measure_of_the_original"),
    Mutant("published: agreement of every measure is told", "published/coarse.py", "if many and name in _AGREEING else None", "if many else None", f"{PUBLISHED}::test_the_report_tells_no_measure_of_the_original"),
    Mutant("published: outbreaks of the original are told", "published/coarse.py", 'exact.spread.select(cs.exclude(cs.ends_with("_original")))', "exact.spread", f"{PUBLISHED}::test_the_report_tells_no_measure_of_the_original"),
    Mutant("published: the edges inside the original's communities", "published/coarse.py", 'and name != "mixing"', "and name", f"{PUBLISHED}::test_the_report_tells_no_measure_of_the_original"),
    Mutant("published: how well the original is found", "published/coarse.py", 'if not e.name.startswith("reidentify")', "if e.name", f"{PUBLISHED}::test_the_report_tells_no_measure_of_the_original"),
    Mutant("published: a picture draws the original's degrees", "report/page.py", "charts.degree_distributions(release, before=exact)", "charts.degree_distributions(release, before=True)", f"{PUBLISHED}::test_the_report_tells_no_measure_of_the_original"),
    Mutant("published: who stood alone, exactly", "published/coarse.py", "alone=floor_grid(alone)", "alone=alone", f"{PUBLISHED}::test_the_report_tells_no_measure_of_the_original"),
    Mutant("published: the private report in the release", "write/private.py", "        if place == folder:", "        if False:", f"{PUBLISHED}::test_a_private_report_has_a_place_of_its_own"),
    Mutant("published: limits are not said", "published/certificate.py", '"limits": None if release.limits is None else release.limits.in_words()', '"limits": None', f"{PUBLISHED}::test_limits_are_said_in_words_in_certificate_and_report"),
    Mutant("published: labels tell the first moment", "slicing/timebins.py", "_equal_cuts(max(low - low % step, EARLIEST), min(high + -high % step, LATEST), n_slices)", "_equal_cuts(low, high, n_slices)", "tests/slicing/test_timebins.py::test_labels_of_equal_bins_do_not_tell_the_first_or_the_last_moment"),
    Mutant("again: nobody is warned", "write/again.py", "        warnings.warn(found, ReleasedBefore, stacklevel=4)", "        pass", "tests/cli/test_cli.py::test_another_release_of_the_same_data_is_warned_of"),
    Mutant("again: the same release is warned of", "write/again.py", "return any(old.get(name) != told[name] for name in _MADE if name in new)", "return True", "tests/cli/test_cli.py::test_another_release_of_the_same_data_is_warned_of"),
    Mutant("again: the page does not warn", "web/store.py", 'return bool(job.state.get("released")) or any(', 'return False and any(', "tests/web/test_jobs.py::test_from_upload_to_release_and_over_a_restart"),
    Mutant("appear: no note says what was decided", "files/appear.py", "            _write_note(note, record, kept)\n", "", "tests/files/test_appear.py"),
    Mutant("appear: the folder goes without its record", "files/appear.py", "return record if sha256(Path(record)) == expected else None", "return record", "tests/files/test_appear.py"),
    Mutant("appear: the folder goes first", "files/appear.py", "            put_in_place(kept, record)  # this decides\n        _put_folder(draft, target, _beside(target, token, \"old\"))", "            _put_folder(draft, target, _beside(target, token, \"old\"))\n            put_in_place(kept, record)", "tests/files/test_appear.py"),
    Mutant("appear: the old folder stays aside", "files/appear.py", '        os.rename(old / "old", target)\n', "", "tests/files/test_appear.py"),
    Mutant("appear: drafts of living runs are removed", "files/appear.py", "            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)", "            pass", "tests/files/test_appear.py::test_drafts_of_a_living_run_stay"),
    Mutant("appear: leftovers stay", "files/appear.py", "                _remove(path)\n                if token != own", "                if token != own", "tests/files/test_appear.py::test_what_a_killed_run_left_is_said_in_one_line"),
    Mutant("appear: what came meanwhile is replaced", "files/appear.py", "if target.exists() and not force:", "if False:", "tests/files/test_appear.py::test_a_folder_that_appears_meanwhile_is_not_replaced"),
    Mutant("stop: Ctrl-C is not heard", "cli/__init__.py", "            signal.signal(number, _stop)", "            pass", "tests/cli/test_stopping.py::test_ctrl_c_stops_and_leaves_nothing"),
    Mutant("check: part of a number passes as one", "common/checks.py", "fits = isinstance(value, int | np.integer)", "fits = isinstance(value, int | np.integer | float)", "tests/test_contract.py tests/test_odd_arguments.py"),
    # verify
    Mutant("verify: changed files pass", "audit/_listing.py", '!= expected:', '== "":', TAMPER),
    Mutant("verify: files too many pass", "audit/_listing.py", "if extra := sorted(present - listed):", "if extra := sorted(set()):", f"{VERIFY}::test_missing_and_extra_files_are_found"),
    Mutant("verify: files too few pass", "audit/_listing.py", "if missing := sorted(listed - present):", "if missing := sorted(set()):", f"{VERIFY}::test_missing_and_extra_files_are_found"),
    Mutant("verify: listed files of any name pass", "audit/_listing.py", "    if tables in layouts:", "    if True:", f"{FORGED}::test_anything_else_in_the_folder {FORGED}::test_good_parquet_beside_a_naked_csv"),
    Mutant("verify: links pass", "audit/_listing.py", "if entry.is_symlink():", "if False:", f"{FORGED}::test_links_and_pipes_in_the_place_of_files"),
    Mutant("verify: folders and pipes pass", "audit/_listing.py", '                    strange.append(f"{_shown(name)} is not a file")', "                    pass", f"{FORGED}::test_anything_else_in_the_folder"),
    Mutant("verify: a link to a folder passes", "audit/_released.py", "    if linked:", "    if False:", f"{FORGED}::test_links_and_pipes_in_the_place_of_files"),
    Mutant("verify: a link to a certificate passes", "audit/_released.py", "file.lstat().st_mode", "file.stat().st_mode", f"{FORGED}::test_links_and_pipes_in_the_place_of_files"),
    Mutant("verify: a field twice passes", "audit/_released.py", "if len(fields) < len(pairs):", "if False:", f"{FORGED}::test_a_field_that_is_there_twice"),
    Mutant("verify: more columns pass", "audit/_tables.py", "    if have != wanted:", "    if False:", f"{FORGED}::test_columns_and_orders_that_tell_more"),
    Mutant("verify: any CSV passes", "audit/_tables.py", 're.compile(b"(?:%b)++"', 're.compile(b"(?s:.|%b)++"', f"{FORGED}::test_a_table_has_one_form"),
    Mutant("verify: a mark before a CSV passes", "audit/_tables.py", "not data.startswith(codecs.BOM_UTF8), True", "True, True", f"{FORGED}::test_a_table_has_one_form"),
    Mutant("verify: notes in Parquet pass", "audit/_tables.py", "if more := sorted(", "if more := sorted(set() and ", f"{FORGED}::test_parquet_that_carries_more_than_its_table"),
    Mutant("verify: fractional people pass", "audit/_tables.py", "if kind != pl.String and not fits:", "if False:", f"{FORGED}::test_parquet_that_carries_more_than_its_table"),
    Mutant("verify: people as text in partitioned Parquet pass", "audit/_partitioned.py", "if any(kind.is_integer() != names.dtype.is_integer() for kind in frame.dtypes):", "if False:", LARGE),
    Mutant("verify: layers of edges are anything", "audit/_released.py", '.eq_missing(edges["layer"]).all()', '.eq_missing(edges["layer"]).any()', f"{FORGED}::test_the_layer_of_an_edge_is_that_of_its_slice"),
    Mutant("verify: strangers pass", "audit/_released.py", "checks.append(Check(what, missing == 0, found))", "checks.append(Check(what, True, found))", TAMPER),
    Mutant("verify: who is listed twice passes", "audit/_released.py", 'checks.append(Check(f"no {what} is listed twice", twice == 0, found))', 'checks.append(Check(f"no {what} is listed twice", True, found))', TAMPER),
    Mutant("verify: blocks of any number pass", "audit/_released.py", " or not numbers.is_between(1, len(column)).all()", "", GUARDS),
    Mutant("verify: blocks of another horizon pass", "audit/_crowds.py", " or not np.array_equal(part.blocks, expected):", ":", f"{FORGED}::test_a_horizon_that_is_hidden_or_invented"),
    Mutant("verify: blocks without a horizon pass", "audit/_crowds.py", "np.zeros(len(begins), np.int64) if horizon is None", "part.blocks if horizon is None", f"{FORGED}::test_a_horizon_that_is_hidden_or_invented"),
    Mutant("verify: the order of edges passes", "audit/_crowds.py", '        wrong.append("edges")', "        pass", f"{FORGED}::test_columns_and_orders_that_tell_more"),
    Mutant("verify: directions of undirected edges pass", "audit/_crowds.py", "0 if directed else int((u > v).sum())", "0", f"{FORGED}::test_directions_in_a_release_that_claims_to_have_none"),
    Mutant("verify: the order in partitioned Parquet passes", "audit/_crowds.py", "    if seen.unsorted or not part.in_turn:", "    if not part.in_turn:", LARGE),
    Mutant("verify: loops pass", "audit/_crowds.py", "    loops = int((u == v).sum())", "    loops = 0", TAMPER),
    Mutant("verify: repeats pass", "audit/_crowds.py", "    again = int((key[1:] == key[:-1]).sum())", "    again = 0", TAMPER),
    Mutant("verify: repeats the other way round pass", "audit/_crowds.py", "a, b = (u, v) if directed else (np.minimum(u, v), np.maximum(u, v))", "a, b = u, v", TAMPER),
    Mutant("verify: in-degrees are not counted", "audit/_crowds.py", "(out_degree, in_degree) if directed", "(out_degree,) if directed", "tests/test_promises.py::test_same_seed_same_bytes_and_verify_agrees tests/test_guards.py"),
    Mutant("verify: who is missing in a release looks the same", "audit/_crowds.py", "crowd = _renumbered(crowd * (int(listed.max(initial=0)) + 1) + listed)", "crowd = _renumbered(crowd)", f"tests/test_extend.py::test_together_they_can_fail_where_each_holds {GUARDS}"),
    Mutant("verify: crowds too small pass", "audit/_promised.py", "exposed = int((weakest < least).sum())", "exposed = 0", f"{VERIFY}::test_a_release_holds_and_says_at_which_k"),
    Mutant("verify: levels that are not met pass", "audit/_promised.py", "short = int((weakest < wanted).sum())", "short = 0", f"tests/test_promises.py::test_levels_are_not_published_but_can_be_proven {GUARDS}"),
    Mutant("verify: too few people of a level pass", "audit/_promised.py", "found >= promised, detail)", "True, detail)", f"{FORGED}::test_with_levels_and_no_record_the_verdict_is_that_of_the_weakest"),
    Mutant("verify: a record of other people passes", "audit/_promised.py", "if levels is not None and set(levels) != set(names.to_list()):", "if False:", f"tests/test_promises.py::test_levels_are_not_published_but_can_be_proven {GUARDS}"),
    Mutant("verify: a record that asks for less passes", "audit/_promised.py", "if levels is not None and dict(Counter(own)) == people:", "if levels is not None:", f"{FORGED}::test_a_record_that_asks_for_less_than_the_certificate"),
    Mutant("verify: a record that fits nothing passes", "audit/_promised.py", "        fits = proven and not by_count", "        fits = True", f"{FORGED}::test_a_record_that_asks_for_less_than_the_certificate"),
    Mutant("verify: only the last claim counts", "audit/_promised.py", "wanted[place] = np.maximum(wanted[place], least)", "wanted[place] = least", f"{FORGED}::test_everybody_is_held_to_the_strictest_claim_of_any_folder"),
    Mutant("verify: with levels the highest is the verdict's", "audit/verify.py", "k or for_all, smallest", 'k or claims[0]["k"], smallest', f"{FORGED}::test_with_levels_and_no_record_the_verdict_is_that_of_the_weakest"),
    Mutant("verify: ids beside pseudonyms pass", "audit/verify.py", 'if len({str(claim.get("ids")) for claim in claims}) > 1:', "if False:", f"{FORGED}::test_pseudonyms_and_ids_do_not_belong_together"),
    Mutant("verify: names pass as pseudonyms", "audit/_claims.py", 'named = claims.get("ids") != "pseudonyms" or found.numbered', "named = True", f"{FORGED}::test_names_that_are_called_pseudonyms"),
    Mutant("verify: a boasting certificate passes", "audit/_claims.py", 'Check("the certificate counts right", not wrong,', 'Check("the certificate counts right", True,', f"{VERIFY}::test_a_certificate_that_boasts_is_found"),
    Mutant("verify: crowds are not counted", "audit/_claims.py", '        "n_classes": (claims.get("n_classes"), found.n_classes),\n', "", FIELDS),
    Mutant("verify: any order in time passes", "audit/_claims.py", 'if _tells_order(found) and claims.get("ordered") is not found.has_start:', "if False:", FIELDS),
    Mutant("verify: more fields pass", "audit/_claims.py", "for field in sorted(flat.keys() - _FORMS.keys() - _OPTIONAL.keys())", "for field in ()", FIELDS),
    Mutant("verify: fewer fields pass", "audit/_claims.py", "for field in _FORMS if field not in flat]", "for field in ()]", FIELDS),
    Mutant("verify: fields of any form pass", "audit/_claims.py", "if field in flat and not form(flat[field])]", "if False]", f"{FORGED}::test_what_cannot_be_proven_has_its_form_at_least {FIELDS}"),
    Mutant("verify: levels of nobody pass", "audit/_claims.py", "type(count) is int and count > 0", "type(count) is int", f"{FORGED}::test_naked_data_with_levels_that_nobody_has"),
    Mutant("verify: levels of too few pass", "audit/_claims.py", "sum(by_k.values()) == n,", "True,", f"{FORGED}::test_naked_data_with_levels_that_nobody_has {FIELDS}"),
    Mutant("verify: k above all levels passes", "audit/_claims.py", 'claims["k"] == max(map(int, by_k), default=1),', "True,", f"{FORGED}::test_naked_data_with_levels_that_nobody_has"),
    Mutant("verify: any words pass", "audit/_claims.py", 'claims["guarantee"] == guarantee_of(claims),', "True,", FIELDS),
    Mutant("verify: any attacker passes", "audit/_claims.py", 'claims["attacker"] == attacker_of(claims),', "True,", FIELDS),
    Mutant("verify: sums of edges are anything", "audit/_claims.py", 'kept == edges["released"] - edges["added"],', "True,", FIELDS),
    Mutant("verify: exact numbers of the original pass", "audit/_claims.py", "if count % _step(count) or name in costs]", "if False]", f"{FORGED}::test_numbers_about_the_original_must_be_coarse"),
    Mutant("verify: the exact format before passes", "audit/_claims.py", '"format": lambda x: type(x) is int and x == FORMAT,', '"format": lambda x: True,', FIELDS),
    Mutant("verify: edges of another slice pass", "audit/_crowds.py", "seen.elsewhere == 0,", "True,", "tests/engine/test_large.py::test_verify_notices_what_is_wrong_in_a_slice"),
    Mutant("verify: strangers in partitioned Parquet pass", "audit/_crowds.py", "seen.strangers == 0,", "True,", "tests/engine/test_large.py::test_verify_notices_what_is_wrong_in_a_slice"),
    # slices in cells, folders of Parquet
    Mutant("cells: a pair belongs to two cells", "plan/cells.py", "        ends.sort(axis=1)\n", "", CELLS),
    Mutant("cells: edges leave their cell", "realize/view.py", "high[self.labels[np.concatenate([~self.senders, self.senders])]] = 0", "pass", CELLS),
    Mutant("cells: nobody looks where edges went", "plan/cells.py", "if senders is not None and not", "if False and not", "tests/engine/test_cells.py::test_a_cell_that_is_left_is_noticed"),
    Mutant("large: people are numbered in another order than in a file", "large/contacts.py", '{"ids": packed(ids.sort())}', '{"ids": packed(ids.sort(descending=True))}', SAME),
    Mutant("large: repeats count", "large/graph.py", "    return edges, repeats", "    return ends, repeats", SAME),
    Mutant("large: an extension forgets its newcomers", "plan/pieces.py", "np.arange(graph.n_nodes) if some is None else np.flatnonzero(some)", "np.arange(graph.n_nodes)", "tests/engine/test_same_release.py::test_extensions_on_every_engine_and_from_a_folder tests/test_extend.py"),
    Mutant("verify: crowds too small in partitioned Parquet pass", "audit/_crowds.py", "sizes[block], n_crowds = count[crowd],", "sizes[block], n_crowds = n,", "tests/engine/test_large.py::test_a_higher_k_than_promised_does_not_hold"),
    # audit
    Mutant("audit: people with the same row count as one", "audit/_kernels.py", "crowd[i] += counts[first + b]", "crowd[i] += 1", "tests/audit/test_audit.py::test_rough_knowledge_fits_everybody_within_the_margin"),
    Mutant("audit: the nearest is always the right one", "audit/_kernels.py", "among[i] |= j == own[i]", "among[i] = True", "tests/audit/test_audit.py::test_reidentification_agrees_with_trying_everybody"),
    Mutant("audit: k - 1 counts as below k", "audit/exposure.py", "below = (sizes < (levels", "below = (sizes < (levels - 1", "tests/audit/test_audit.py"),
    Mutant("audit: levels go with others", "audit/exposure.py", "else levels[crowds.people])", "else np.sort(needs)[crowds.people])", f"{JUDGED}::test_a_level_goes_with_its_person_through_every_attacker"),
    Mutant("audit: crowds in any order", "audit/attackers.py", "row[:] = _kernels.crowds_of(row)", "row[:] = np.sort(_kernels.crowds_of(row))", "tests/audit/test_audit.py::test_the_vector_and_its_parts_are_counted_as_a_counter_counts_them"),
    Mutant("audit: everybody by the highest level", "audit/exposure.py", "if _is_one(k) else promise.levels", "if _is_one(k) else np.full(graph.n_nodes, promise.k)", f"{JUDGED}::test_everybody_is_judged_by_their_own_level"),
    Mutant("audit: a horizon covers all slices", "audit/exposure.py", "(promise.n_blocks == 1 or attacker.name in _WITHIN_A_BLOCK)", "True", f"{JUDGED}::test_with_a_horizon_the_promise_is_about_one_block_only"),
    Mutant("audit: the mean of the blocks", "audit/attackers.py", "return Crowds(sizes.min(axis=0, keepdims=True))", "return Crowds(sizes)", f"{JUDGED}::test_with_a_horizon_the_promise_is_about_one_block_only"),
    Mutant("audit: k = 1 stops somebody", "audit/findings.py", "if not self.protected:", "if False:", f"{JUDGED}::test_at_k_1_nobody_is_said_to_be_stopped"),
    Mutant("audit: nobody got stronger", "audit/findings.py", "if more or better:", "if False:", f"{JUDGED}::test_an_attacker_who_got_stronger_is_named"),
    # what is said
    Mutant("said: original ids are not named", "cli/console.py", 'if certificate["ids"] == "original":', "if False:", SAID),
    Mutant("said: the unprotected are not counted", "cli/console.py", 'holds += f". NOT protected', 'holds += "" and f". NOT protected', SAID),
    Mutant("said: exact lines in public", "published/coarse.py", "return Lines(*(floor_grid(count) for count in exact)) if coarse else exact", "return exact", f"{HEAD}::test_lines_and_edges_are_told_coarsely_in_public_and_exactly_in_private"),
    Mutant("said: the file's name in public", "report/page.py", "lines=told.lines, title=self.about.title)", "lines=told.lines, title=self.about.title or \"ward-7\")", f"{HEAD}::test_the_name_of_the_file_is_in_the_private_report_only"),
    Mutant("said: who was stronger in public", "report/page.py", "stronger=[],", "stronger=self.after.in_words() + [\"STRONGER\"],", f"{HEAD}::test_the_tile_of_nobody_does_not_stand_alone"),
    Mutant("said: weak bounds", "published/certificate.py", "times is None or times > WEAKEST_BOUND", "times is None", f"{PUBLISHED}::test_a_weak_bound_is_left_out_of_the_exact_certificate_too"),
    Mutant("audit: who lands in a slot shares its hash", "audit/_kernels.py", "while holder[slot] and hashes[holder[slot] - 1] != hashes[i]:", "while False:", "tests/audit/test_audit.py::test_the_vector_and_its_parts_are_counted_as_a_counter_counts_them"),
    Mutant("audit: the nearest row is the first one met", "audit/_kernels.py", "if min(above, below) > best or", "if min(above, below) >= best or", "tests/audit/test_audit.py::test_reidentification_agrees_with_trying_everybody"),
    Mutant("compare: a sample of people is not told of", "measure/compare.py", "communities=communities),", "communities=False),", "tests/measure/test_over_time.py::test_communities_of_large_graphs_are_compared_among_some"),
    Mutant("audit: repeated contacts count again", "audit/attackers.py", "pairs = distinct(np.concatenate(", "pairs = (np.concatenate(", "tests/audit/test_audit.py::test_distinct_contacts_and_neighbourhoods"),
    # read
    Mutant("read: self-loops count", "contacts/build.py", "    keep = u != v\n", "    keep = u == u\n", "tests/test_graph.py::test_slices_are_simple_and_every_row_is_accounted_for"),
    Mutant("read: repeats count", "contacts/build.py", "key = key[np.concatenate([[True], key[1:] != key[:-1]])] if len(key) else key", "key = key[:]", "tests/test_graph.py::test_slices_are_simple_and_every_row_is_accounted_for"),
    Mutant("read: isolated people are lost", "contacts/build.py", "every = [*columns] if extra is None else [*columns, as_id(extra)]", "every = [*columns]", "tests/test_graph.py::test_people_who_never_appear_are_people tests/read/test_read.py::test_more_people_from_a_file"),
    Mutant("read: short lines pass", "read/text.py", "if len(fields) != n_fields:", "if len(fields) > n_fields:", "tests/read/test_read.py::test_bad_files_get_one_sentence_with_file_and_line"),
    Mutant("read: a bomb goes off", "read/packed.py", "            if size > most:", "            if False:", "tests/read/test_read.py::test_a_limit_on_what_a_file_unpacks_to"),
    Mutant("read: empty slices inside the span are lost", "slicing/timebins.py", "codes = np.searchsorted(starts.dt.epoch(\"us\").to_numpy(), shifted, side=\"right\") - 1", "codes = np.unique(np.searchsorted(starts.dt.epoch(\"us\").to_numpy(), shifted, side=\"right\") - 1, return_inverse=True)[1]", "tests/slicing/test_timebins.py"),
    Mutant("read: a contact at midnight is of the day before", "slicing/timebins.py", "shifted, side=\"right\") - 1", "shifted, side=\"left\") - 1", "tests/slicing/test_timebins.py"),
    Mutant("read: the first contact is taken for names", "read/header.py", "if 2 * sum(like) > len(like):", "if False:", "tests/read/test_odd_files.py::test_no_contact_is_lost_in_silence"),
    Mutant("read: days and months are not told apart", "slicing/moments.py", 'if mark == "." or day.equals(month):', "if True:", "tests/read/test_odd_files.py::test_days_and_months_are_told_apart_only_where_the_file_proves_it"),
    Mutant("read: small numbers are dates of 1970", "slicing/moments.py", "if us.min() < 0 or us.max() >= _FIRST_DATE:", "if True:", "tests/read/test_odd_files.py::test_times_that_count_from_zero_give_numbered_slices"),
    Mutant("read: a workbook is as wide as it says", "read/excel.py", "refuse_too_wide(path, len(cells))", "pass", "tests/read/test_odd_files.py::test_a_workbook_cannot_ask_for_more_than_it_holds"),
    Mutant("read: ids that look alike pass in silence", "contacts/build.py", "    if plain.n_unique() == len(ids):", "    if True:", "tests/read/test_odd_files.py::test_ids_that_look_alike_are_pointed_out_and_kept_apart"),
    Mutant("audit: windows run across layers", "audit/attackers.py", "len(set(layers[t : t + self.width])) == 1", "True", "tests/common/test_progress.py::test_windows_of_slices_stay_within_a_layer"),
    Mutant("compare: pseudonyms pass for ids", "cli/released.py", 'read_certificate(folder).get("ids") != "original"', "False", "tests/cli/test_original_and_release.py::test_compare_takes_a_file_and_its_release"),
    # refusals
    Mutant("refusals: no second look", "plan/pieces.py", "    if refusal.proven or request.traits is not None:\n        raise refusal", "    raise refusal", f"{REFUSALS}::test_there_is_a_release_whenever_one_exists_and_a_proof_otherwise"),
    Mutant("refusals: proven without a proof", "rebuild/within/small.py", "return None, status == self.cp.INFEASIBLE", "return None, True", f"{REFUSALS}::test_without_a_proof_none_is_claimed"),
    Mutant("refusals: too large is proven", "rebuild/within/small.py", "> LARGEST:\n        return None, False", "> LARGEST:\n        return None, True", f"{REFUSALS}::test_without_a_proof_none_is_claimed"),
    Mutant("refusals: one too few look alike", "rebuild/within/small.py", ">= int(need) - 1", ">= int(need) - 2", f"{REFUSALS}::test_there_is_a_release_whenever_one_exists_and_a_proof_otherwise"),
    Mutant("refusals: alike in the first column is enough", "rebuild/within/small.py", "for column in columns:", "for column in columns[:1]:", f"{REFUSALS}::test_what_is_found_together_changes_the_fewest_edges"),
    Mutant("refusals: somebody is taken into a crowd too small for them", "group/compatible.py", " or asks_for_more:", ":", "tests/group/test_compatible.py::test_nobody_is_gathered_into_a_crowd_too_small_for_them"),
    Mutant("refusals: whoever is counted is refused", "group/compatible.py", "if like < levels[i]:", "if like <= levels[i]:", f"{REFUSALS}::test_there_is_a_release_whenever_one_exists_and_a_proof_otherwise"),
    Mutant("refusals: a removed edge costs as much as an added one", "rebuild/within/small.py", "np.where(lost, removal_weight, 1.0)", "np.where(lost, 1.0, 1.0)", f"{REFUSALS}::test_what_is_found_together_changes_the_fewest_edges"),
    Mutant("refusals: the proof is lost on the way", "errors.py", "functools.partial(NoReleaseError, proven=self.proven)", "NoReleaseError", f"{REFUSALS}::test_a_refusal_comes_back_from_another_process"),
    # web
    Mutant("web: any host", "web/guard.py", "if len(hosts) != 1 or hosts[0].lower() not in self.hosts:", "if not hosts:", f"{HOSTILE}::test_readers_accept_or_refuse[request-120] {GUARDS}"),
    Mutant("web: any origin", "web/guard.py", 'elif headers.getlist("origin") != [f"http://{hosts[0]}"]:', "elif False:", GUARDS),
    Mutant("web: any page may embed", "web/guard.py", 'if site in ("cross-site", "same-site") and mode != "navigate":', "if False:", GUARDS),
    Mutant("web: any token", "web/guard.py", "return hmac.compare_digest(given.encode(), str(self.token).encode())", "return True", GUARDS),
    Mutant("web: scripts of others may run", "web/guard.py", 'headers.setdefault("Content-Security-Policy", PAGE_POLICY)', "pass", GUARDS),
    Mutant("web: a head may take forever", "web/patience.py", "self.loop.call_later(HEAD_SECONDS, self.transport.abort)", "None", f"{PATIENCE}::test_a_second_head_on_a_kept_connection_has_to_come_too"),
    Mutant("web: the clock of the head stops at the first byte", "web/patience.py", "        if stage is self._stage:\n            return\n", "", f"{PATIENCE}::test_a_head_that_trickles_is_given_up"),
    Mutant("web: only the first head has to come", "web/patience.py", "        super().on_response_complete()\n        self._watch()", "        super().on_response_complete()", f"{PATIENCE}::test_a_second_head_on_a_kept_connection_has_to_come_too"),
    Mutant("web: a body may trickle", "web/patience.py", "if self._bytes - before < BODY_BYTES", "if self._bytes - before < 0", f"{PATIENCE}::test_a_body_that_trickles_is_given_up_and_one_that_comes_is_not"),
    Mutant("web: any number of connections", "web/patience.py", "if len(others) >= MOST:", "if False:", f"{PATIENCE}::test_those_who_wait_go_before_those_who_send"),
    Mutant("web: the one who sends most goes first", "web/patience.py", "min(others, key=", "max(others, key=", f"{PATIENCE}::test_those_who_wait_go_before_those_who_send"),
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
    os.environ |= {
        "PYTHONPATH": os.pathsep.join(sys.path[:2]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }  # commands in tests, too
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
