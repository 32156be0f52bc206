// Groups of functions: which belong together, in which order they are shown, and what the names of hosts may do.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TopGroup } from "../../../contract/messages/top.js";
import { topGroups } from "../../../extension/src/panels/top/top-groups.js";
import { groupKey, inGroups } from "../../../webviews/top/grouped-rows.js";

const group = (kind: TopGroup["kind"], name = ""): TopGroup => ({ kind, name });

test("own code comes first, then groups of a kind by their own time, then by self; only own code is open at first", () => {
  const groups = [
    group("library", "stdlib"),
    group("dependency", "few"),
    group("dependency", "many"),
    group("dependency", "alike"),
    group("own", "shop"),
    group("own", "nothing"),
  ];
  /** Group, own and self of each row. */
  const rows = [
    [0, 900, 900],
    [1, 10, 30],
    [2, 10, 20],
    [2, 10, 20],
    [3, 10, 20],
    [4, 1, 1],
  ] as const;
  const of = {
    group: (row: number) => rows[row]?.[0] ?? -1,
    own: (row: number) => rows[row]?.[1] ?? 0,
    self: (row: number) => rows[row]?.[2] ?? 0,
  };
  const shown = (toggled: readonly TopGroup[] = [], opensAll = false) =>
    inGroups([5, 3, 2, 4, 1, 0], groups, of, new Set(toggled.map(groupKey)), opensAll);
  assert.deepEqual(
    shown().map(({ group: { name }, rows: members, sums, isOpen }) => [name, members, sums.own, sums.self, isOpen]),
    [
      ["shop", [5], 1, 1, true],
      ["many", [3, 2], 20, 40, false],
      ["few", [1], 10, 30, false],
      ["alike", [4], 10, 20, false],
      ["stdlib", [0], 900, 900, false],
    ],
  );
  const open = (all: ReturnType<typeof shown>) => all.filter(({ isOpen }) => isOpen).map(({ group: { name } }) => name);
  assert.deepEqual(open(shown([group("own", "shop"), group("library", "stdlib")])), ["stdlib"]);
  assert.deepEqual(open(shown([group("own", "shop")], true)).length, 5);
});

test("a group has the functions of one application or library, and a name without anything invisible", () => {
  const facts = (kind: string, object = "") => ({ kind, object, name: "f", rawName: "f", file: "", headLine: 0 });
  const functions = [
    facts("erlang"),
    facts("erlang"),
    facts("nif", `evil\u202e${"x".repeat(10_000)}`),
    facts("native", "beam.smp"),
    facts("native", "libc.so.6"),
    facts("native", "crypto.so"),
    facts("kernel", "[kernel]"),
    facts("erlang"),
  ];
  const origins = [
    { kind: "own", application: "shop" },
    { kind: "own", application: "shop" },
  ];
  const shown = {
    capture: { functions },
    originOf: (index: number) => origins[index],
  } as unknown as Parameters<typeof topGroups>[1];
  const rows = [...functions.keys(), -1].map((oneOf) => ({ oneOf })) as unknown as Parameters<typeof topGroups>[0];
  const { groups, group: numbers } = topGroups(rows, shown);
  assert.deepEqual([...numbers], [0, 0, 1, 2, 2, 3, 4, 5, 6]);
  assert.deepEqual(
    groups.map(({ kind, name }) => [kind, name.slice(0, 14)]),
    [
      ["own", "shop"],
      ["nif", "evil\\u{202e}xx"],
      ["runtime", ""],
      ["nif", "crypto.so"],
      ["kernel", ""],
      ["library", ""],
      ["marker", ""],
    ],
  );
  assert.ok((groups[1]?.name.length ?? 0) < 400);
});
