import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { judged, reasonIn } from "../matrix/judged.mjs";
import { failingCells, isOf, keptRows, missingRows, wherePage } from "../matrix/page.mjs";

const RECORDED = {
  attach_ms: 87.6,
  quality: {
    samples: 240,
    lost: 0,
    kernel: { sampled: true },
    engine: { name: "bpf" },
    erlang: { samples: 100, complete: 100 },
    native_in_process: { samples: 100, complete: 100 },
  },
};
/** @param {string} name @param {string} [kind] @returns {import("../pprof-reader.mjs").Frame} */
const frame = (name, kind = "erlang") => ({ name, kind, rawName: name, file: "", line: 0 });
/** @param {string[]} names @returns {import("../pprof-reader.mjs").Profile} */
const profileOf = (names) => ({
  sampleTypes: ["samples"],
  comments: [],
  readings: [],
  stays: [],
  samples: [{ frames: names.map((name) => frame(name)), values: [7], labels: {} }],
});
const RIGHT = profileOf(["gt_bif:exact_forever/3"]);
const PS = {
  processes: [
    { pid: "<0.1.0>", memory: 1000 },
    { pid: "<0.2.0>", memory: 50 },
  ],
};
const REPORT = { processes: 2, resting: [{ pid: "<0.1.0>", memory: 1005 }] };

/** @param {Partial<import("../matrix/judged.mjs").Seen>} [other] */
const figuresOf = (other) => judged({ recorded: RECORDED, profile: RIGHT, ps: PS, reports: [REPORT], ...other });
/** @param {string} kind @param {string} name @param {Partial<import("../matrix/page.mjs").Row>} [other] @returns {import("../matrix/page.mjs").Row} */
const row = (kind, name, other) => ({
  kind,
  name,
  date: "2026-11-26",
  where: "Linux 6.1",
  figures: figuresOf(),
  ...other,
});
const KINDS = [
  { kind: "flags", title: "Flags", about: "About flags." },
  { kind: "kernels", title: "Kernels", about: "About kernels." },
];

test("a row in which all is right has no failing cell, and its figures are in the page", () => {
  const fine = row("flags", "+S 1");
  assert.deepEqual(failingCells(fine), []);
  const page = wherePage(KINDS, [fine]);
  assert.match(page, /\| \+S 1 \| 88 ms, bpf \| 240 \| 100\.0 \| 0 of 7 \| 2 \| 1 of 1 \| Linux 6\.1 \| 2026-11-26 \|/);
  assert.match(page, /1 rows were run, none fails, 0 could not be run/);
  assert.match(page, /## Kernels\n\nAbout kernels\.\n\nNot run yet\./);
});

/** @type {[string, Partial<import("../matrix/judged.mjs").Seen>, string, RegExp][]} */
const FAILING = [
  [
    "a refusal",
    { recorded: { problem: "this kernel requires CAP_SYS_ADMIN" }, profile: null },
    "attach",
    /no: this kernel requires CAP_SYS_ADMIN/,
  ],
  [
    "an unproven stack too many",
    { recorded: { ...RECORDED, quality: { ...RECORDED.quality, erlang: { samples: 100, complete: 80 } } } },
    "complete",
    /90\.0/,
  ],
  [
    "a frame that cannot be",
    { profile: profileOf(["gt_bif:short_round/2", "gt_bif:receiver/0"]) },
    "wrong",
    /7 of 7: gt_bif:short_round\/2 under gt_bif:receiver\/0/,
  ],
  ["a capture that does not open", { profile: null }, "wrong", /does not open/],
  ["no sample that could be judged", { profile: profileOf(["lists:seq/2"]) }, "wrong", /none could be checked/],
  ["a process that is not shown", { reports: [{ ...REPORT, processes: 3 }] }, "processes", /2, the VM 3/],
  ["no report of the VM", { reports: [] }, "processes", /2, the VM/],
  ["another memory", { reports: [{ ...REPORT, resting: [{ pid: "<0.1.0>", memory: 1200 }] }] }, "memory", /0 of 1/],
  ["`ps` refused", { ps: { problem: "no rights" } }, "processes", /no: no rights/],
];
for (const [what, seen, cell, text] of FAILING) {
  test(`${what} is shown as failing, with the reason`, () => {
    const failing = row("flags", "+S 1", { figures: figuresOf(seen) });
    assert.ok(failingCells(failing).includes(/** @type {any} */ (cell)));
    const page = wherePage(KINDS, [failing, row("kernels", "6.1")]);
    const shown = /\*\*fails: ([^*]*)\*\*/.exec(page)?.[1] ?? assert.fail("nothing is shown as failing");
    assert.match(shown, text);
    assert.match(page, /2 rows were run, 1 fails, 0 could not/);
  });
}

test("a row that could not be run is no failure, and has the reason", () => {
  const page = wherePage(KINDS, [
    { kind: "flags", name: "emu", date: "2026-11-26", where: "Linux 6.1", notRun: "no package | has it" },
  ]);
  assert.match(page, /\| emu \| not run: no package \\\| has it \|/);
  assert.match(page, /0 rows were run, none fails, 1 could not be run/);
});

test("a row that no run has had is called that, and not counted among those that could not be run", () => {
  const known = [{ name: "+S 1" }, { name: "+P 1" }, { name: "user", row: /^user(?:, paranoid \d)?$/ }];
  const kinds = [{ kind: "flags", title: "Flags", about: "About flags.", known }];
  const page = wherePage(kinds, [row("flags", "+S 1"), row("flags", "user, paranoid 2")]);
  assert.match(page, /\| \+P 1 \| not run \|  \|  \|  \|  \|  \|  \|  \|/);
  assert.doesNotMatch(page, /\| user \|/);
  assert.match(page, /2 rows were run, none fails, 0 could not be run here, with the reason; 1 more were not run \(/);
  assert.equal(wherePage(kinds, []).match(/\| not run \|/g)?.length, 3);
});

test("a part that is run anew replaces its rows, and leaves the others with their dates", () => {
  const earlier = [
    row("flags", "+S 1", { date: "2026-01-01" }),
    row("flags", "gone", { date: "2026-01-01" }),
    row("kernels", "6.1", { date: "2026-01-01" }),
  ];
  const fresh = [row("flags", "+S 1"), row("flags", "+P 1")];
  const named = (/** @type {import("../matrix/page.mjs").Row[]} */ rows) =>
    rows.map(({ name, date }) => `${name} ${date}`).sort();
  assert.deepEqual(named(keptRows(earlier, fresh, ["flags"])), [
    "+P 1 2026-11-26",
    "+S 1 2026-11-26",
    "6.1 2026-01-01",
  ]);
  assert.deepEqual(
    named(keptRows(earlier, fresh, [])),
    ["+P 1 2026-11-26", "+S 1 2026-11-26", "6.1 2026-01-01", "gone 2026-01-01"],
    "while it is still running nothing goes",
  );
});

test("the reason of a command that failed is its own line, not what others print around it", () => {
  assert.equal(reasonIn("note: x\nextrospect: process 7 is not yours\n\n"), "process 7 is not yours");
  assert.equal(reasonIn("nsenter: no such process\n"), "nsenter: no such process");
  assert.equal(reasonIn(""), "it printed nothing");
});

test("each release has a row, and each with a JIT one by a helper that does not know its layout", async () => {
  const { KINDS: all } = await import("../matrix/kinds.mjs");
  const releases = all.find(({ kind }) => kind === "releases") ?? assert.fail("there are no releases");
  const names = [];
  for await (const { name } of releases.rows({ folder: "", timeoutMs: 0 })) names.push(name);
  assert.deepEqual(names, [
    ...["23", "24", "25", "26", "27", "28", "29"].map((release) => `OTP ${release}`),
    ...["25", "27", "29"].map((release) => `OTP ${release}, layout unknown`),
  ]);
});

test("each row that is kept is one that its kind makes, and each that a kind makes is known", async () => {
  const { KINDS: all } = await import("../matrix/kinds.mjs");
  const rows = JSON.parse(readFileSync(join(import.meta.dirname, "../matrix/rows.json"), "utf8"));
  for (const { kind, known } of all) {
    const names = rows.filter((/** @type {any} */ each) => each.kind === kind);
    for (const { name } of names)
      assert.ok(
        known.some((each) => isOf(each, name)),
        `${kind}: ${name}`,
      );
    assert.equal(missingRows({ kind, title: "", about: "", known }, []).length, known.length);
  }
  // The others begin to change the machine, or have the version of a kernel in the name.
  for (const { kind, known, rows: made } of all.filter(({ kind }) => ["releases", "flags", "musl"].includes(kind))) {
    const names = [];
    for await (const { name } of made({ folder: "", timeoutMs: 0 })) names.push({ name });
    assert.deepEqual(names, known, kind);
  }
});

test("the page in docs is made of the rows that are kept beside the matrix", async () => {
  const { KINDS: all } = await import("../matrix/kinds.mjs");
  const root = join(import.meta.dirname, "../..");
  const rows = JSON.parse(readFileSync(join(root, "test/matrix/rows.json"), "utf8"));
  assert.equal(
    readFileSync(join(root, "docs/where-it-runs.md"), "utf8"),
    wherePage(all, rows),
    "`npm run matrix -- --page` writes it",
  );
});
