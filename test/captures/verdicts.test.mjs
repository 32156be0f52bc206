// Verdicts on committed captures of programs whose changes, hot lines and causes are known: each is the planted one,
// and every answer is the expected one to the letter. No load of the machine moves any of it.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { changedCapture } from "../changed-capture.mjs";
import { countIndex, readProfile } from "../pprof-reader.mjs";
import { hotLines, OWN_FILES } from "../vms/own.mjs";
import { answered, CASES, EXPECTED, FIXTURES, laidOut, textOf } from "./fixtures.mjs";

let folder = "";
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "extrospect-verdicts-"));
  await laidOut(folder);
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string} name of a case @returns {Promise<any>} */
async function jsonOf(name) {
  const run = await answered(folder, [...(CASES[name] ?? assert.fail(name)), "--json"]);
  assert.equal(run.code, 0, run.stderr);
  return JSON.parse(run.stdout);
}

/** @param {any[]} rows @param {string} name @returns {any} */
const rowOf = (rows, name) =>
  rows.find((row) => row.function === name) ?? assert.fail(`${name} among ${rows.map((row) => row.function).join()}`);

/** @param {any[]} rows @param {(row: any) => number} of */
const sum = (rows, of) => rows.reduce((total, row) => total + of(row), 0);

describe("each answer is the expected one, to the letter", () => {
  for (const [name, args] of Object.entries(CASES))
    test(`extrospect ${args.filter((word) => !word.endsWith(".pb.gz")).join(" ")}: ${name}`, async () => {
      const expected = readFileSync(join(EXPECTED, `${name}.txt`), "utf8");
      assert.equal(textOf(args, await answered(folder, args)), expected);
    });

  test("there is a case for each expected answer", () => {
    assert.deepEqual(
      readdirSync(EXPECTED).sort(),
      Object.keys(CASES)
        .map((name) => `${name}.txt`)
        .sort(),
    );
  });
});

test("each planted change between two commits has its verdict, and the way it was matched; no other has one", async () => {
  const { functions, measure, method } = await jsonOf("diff");
  assert.equal(measure, "share");
  assert.ok(method.resampled_captures);
  const found = (/** @type {string} */ name) => {
    const { self, matched_by: by, base_function: was } = rowOf(functions, name);
    return [self.verdict, by, was];
  };
  assert.deepEqual(found("cmp_shop:tenth/2"), ["slower", "name", undefined]);
  assert.deepEqual(found("cmp_shop:twice/2"), ["faster", "name", undefined]);
  assert.deepEqual(found("cmp_shop:steady/2"), ["noise", "name", undefined]);
  assert.deepEqual(found("cmp_shop:called_otherwise/2"), ["noise", "body", "cmp_shop:renamed/2"]);
  assert.deepEqual(found("cmp_moved:moved/2"), ["noise", "body", "cmp_shop:moved/2"]);
  const nif = rowOf(functions, "cmp_nif:work/1");
  assert.deepEqual([nif.total.verdict, nif.matched_by], ["slower", "name"]);
  const closures = functions.filter((/** @type {any} */ { matched_by: by }) => by === "closure");
  const closure = "fun/2 in cmp_shop:closures/1";
  assert.deepEqual(
    closures.map((/** @type {any} */ row) => [row.base_function, row.function, row.self.verdict].join(", ")).sort(),
    [`${closure} #1, ${closure} #2, noise`, `${closure}, ${closure} #1, noise`],
  );
});

test("sides that are exchanged have the opposite verdicts", async () => {
  const [command = "", ...sides] = CASES["diff"] ?? [];
  const at = sides.indexOf("--");
  const [base, newer] = [sides.slice(0, at), sides.slice(at + 1, at + 4)];
  const run = await answered(folder, [command, ...newer, "--", ...base, "--source-dir", "shop", "--json"]);
  const { functions } = JSON.parse(run.stdout);
  assert.equal(rowOf(functions, "cmp_shop:twice/2").self.verdict, "slower");
  assert.equal(rowOf(functions, "cmp_shop:tenth/2").self.verdict, "faster");
  assert.equal(rowOf(functions, "cmp_shop:renamed/2").base_function, "cmp_shop:called_otherwise/2");
});

test("a gate that holds exits with 6, another with 0; a bisection with 1 and 0", async () => {
  for (const [name, code] of /** @type {const} */ ([
    ["gate-faster", 6],
    ["gate-own-slower", 6],
    ["gate-new", 0],
    ["gate-same", 7],
    ["gate-touched-nothing", 7],
    ["gate-blind", 7],
    ["gate-blind-markdown", 7],
    ["gate-not-counted", 1],
    ["bisect-bad", 1],
    ["bisect-good", 0],
    ["history-gate", 0],
  ]))
    assert.equal((await answered(folder, CASES[name] ?? [])).code, code, name);
});

/** Gates of every kind, by their subjects. */
const GATES = [
  ...["whole", "gc", "cmp_shop:tenth/2.self", "cmp_shop:tenth/2"],
  ...["self", "total", "own", "cmp_shop:*.own", "cmp_*.total"],
];
/** Of what the commit touched; each beside each further defect: `touched_gates.rs` of the crate `compare`. */
const TOUCHED = ["touched", "touched.self", "touched.total", "touched.own"];
const BEFORE = [1, 2, 3].map((number) => `before-${number}.pb.gz`);
const AFTER = [1, 2, 3].map((number) => `after-${number}.pb.gz`);

/** @param {string[]} sides @param {string[]} conditions @param {string[]} more */
async function judged(sides, conditions, ...more) {
  const own = sides[0]?.includes("orders") ? [] : ["--own", "shop"];
  const run = await answered(folder, [
    ...["diff", ...sides, ...own, "--json", ...more],
    ...conditions.flatMap((condition) => ["--fail-if", condition]),
  ]);
  assert.ok([0, 6, 7].includes(run.code ?? -1), run.stderr);
  const { gates } = JSON.parse(run.stdout);
  return {
    code: run.code,
    gates,
    answers: gates.map((/** @type {any} */ gate) => `${gate.condition} ${gate.answer}`),
  };
}

/** As gates are answered. @param {string[]} conditions @param {string} answer */
const all = (conditions, answer) => conditions.map((condition) => `${condition} ${answer}`);

/**
 * Captures with a part of the samples of others.
 * @param {string} name
 * @param {string[]} files
 * @param {(index: number) => boolean} keeps
 */
const partsOf = (name, files, keeps) =>
  files.map((file) => {
    const part = `${name}-${file}`;
    const whole = readFileSync(join(FIXTURES, file));
    writeFileSync(
      join(folder, part),
      changedCapture(whole, (_, index) => (keeps(index) ? 1 : 0)),
    );
    return part;
  });
/** Other captures than these, by one sample. @param {string[]} files */
const almost = (files) => partsOf("almost", files, (index) => index !== 0);
const WIDE = GATES.map((subject) => `${subject}.slower>100%`);

test("each gate that captures can decide holds, or does not", async () => {
  const alike = [...BEFORE, "--", ...almost(BEFORE)];
  assert.deepEqual(await judged(alike, WIDE).then(({ code, answers }) => [code, answers]), [
    0,
    all(WIDE, "does_not_hold"),
  ]);
  const planted = ["cmp_shop:tenth/2.self", "cmp_shop:tenth/2", "nif", "self", "total", "own", "cmp_shop:*.own"];
  const slower = planted.map((subject) => `${subject}.slower>2%`);
  const held = await judged([...BEFORE, "--", ...AFTER], slower);
  assert.deepEqual([held.code, held.answers], [6, all(slower, "holds")]);
});

describe("no gate answers for what its captures lack: each gate beside each defect", () => {
  /** One sample of so many. @param {string[]} names @param {number} many */
  const thinned = (names, many) => partsOf(`thin-${many}`, names, (index) => index % many === 0);
  /** The sides, the conditions and the reasons. @type {Record<string, () => [string[], string[], string[]]>} */
  const defects = {
    "a limit that the captures cannot show": () => [
      [...BEFORE, "--", ...BEFORE],
      GATES.map((subject) => `${subject}.slower>0.1%`),
      ["interval", "mostly_unknown"],
    ],
    "the same, of what became faster": () => [
      [...BEFORE, "--", ...BEFORE],
      GATES.map((subject) => `${subject}.faster>0.1%`),
      ["interval", "mostly_unknown"],
    ],
    "a limit that captures cannot show of functions that the commit touched": () => [
      [...BEFORE, "--", ...AFTER],
      ["touched.slower>25%", "touched.own.slower>25%", "touched.faster>2%"],
      ["interval", "mostly_unknown"],
    ],
    "one capture a side, of functions that the commit touched": () => [
      ["before-1.pb.gz", "--", "after-1.pb.gz"],
      TOUCHED.map((subject) => `${subject}.slower>5%`),
      ["interval", "mostly_unknown"],
    ],
    "few samples, of functions that the commit touched": () => [
      [...thinned(BEFORE, 1_000), "--", ...thinned(AFTER, 1_000)],
      TOUCHED.map((subject) => `${subject}.slower>3%`),
      ["interval", "mostly_unknown", "too_few_samples"],
    ],
    "one capture a side": () => [
      ["before-1.pb.gz", "--", "before-2.pb.gz"],
      GATES.map((subject) => `${subject}.slower>5%`),
      ["interval", "mostly_unknown"],
    ],
    "few samples": () => [
      [...thinned(BEFORE, 1_000), "--", ...thinned(AFTER, 1_000)],
      GATES.map((subject) => `${subject}.slower>3%`),
      ["interval", "mostly_unknown", "too_few_samples", "one_side"],
    ],
    "the same captures on both sides": () => [
      [...BEFORE, "--", ...BEFORE],
      [...WIDE, ...TOUCHED.map((subject) => `${subject}.slower>100%`)],
      ["on_both_sides"],
    ],
    "one of the captures on both sides": () => [
      [...BEFORE, "--", ...BEFORE.slice(0, 1), ...almost(BEFORE.slice(1))],
      WIDE,
      ["on_both_sides"],
    ],
    "a class that neither side has": () => [
      ["orders-1.pb.gz", "--", "orders-2.pb.gz"],
      ["nif.slower>1%", "nif.faster>1%", "nif.new>1us/unit"],
      ["no_samples"],
    ],
    "a function of one side": () => [
      [...BEFORE, "--", ...AFTER],
      ["fun/1 in cmp_shop:closures/1", "fun/1 in cmp_shop:closures/1.own"].map((subject) => `${subject}.slower>1%`),
      ["one_side"],
    ],
    "work that one capture did not count": () => [
      ["orders-not-counted.pb.gz", "orders-1.pb.gz", "--", "faster-orders-1.pb.gz"],
      ["whole", "gc", "self", "gt_work:heavy/2.self", "gt_work:*.total", ...TOUCHED].map(
        (subject) => `${subject}.slower>3%`,
      ),
      ["work_lost"],
    ],
  };
  for (const [name, made] of Object.entries(defects))
    test(name, async () => {
      const [sides, conditions, reasons] = made();
      const { code, gates, answers } = await judged(sides, conditions);
      assert.deepEqual([code, answers], [7, all(conditions, "cannot_tell")]);
      for (const { condition, doubts } of gates) {
        assert.ok(doubts.length > 0, condition);
        for (const { reason, text, fix } of doubts)
          assert.ok(reasons.includes(reason) && text !== "" && fix !== "", `${condition}: ${reason}`);
      }
      assert.equal((await judged(sides, conditions, "--if-unknown=pass")).code, 0);
      assert.equal((await judged(sides, conditions, "--if-unknown=fail")).code, 6);
    });
});

test("a function that did not change grows in share, and not for each order", async () => {
  const [byWork, byShare] = [await jsonOf("diff-work"), await jsonOf("diff-share")];
  assert.deepEqual([byWork.measure, byWork.work, byShare.measure], ["work", "orders", "share"]);
  const verdicts = (/** @type {any} */ { functions }) =>
    ["gt_work:steady/2", "gt_work:heavy/2"].map((name) => rowOf(functions, name).self.verdict);
  assert.deepEqual(verdicts(byShare), ["slower", "faster"]);
  assert.deepEqual(verdicts(byWork), ["noise", "faster"]);
  // With an older capture that counted nothing, only shares are left, and a note states that.
  const mixed = await jsonOf("diff-not-counted");
  assert.equal(mixed.measure, "share");
  assert.ok(mixed.notes.some((/** @type {any} */ note) => note.kind === "work_partly"));
});

/** Samples with a frame of the project's own, counted by another reader. @param {string} file */
function samplesWithOwnFrame(file) {
  const profile = readProfile(file);
  const count = countIndex(profile);
  const isOwn = (/** @type {import("../pprof-reader.mjs").Frame} */ { rawName }) =>
    /^own_shop:|^'Elixir\.OwnMarket(\.Item)?':|^'Elixir\.OwnPrice\.[^']+':/.test(rawName);
  const known = profile.samples.filter(
    ({ labels }) => !["bracketed", "unproven"].includes(String(labels.trust)) && labels.class !== "idle",
  );
  return sum(
    known.filter(({ frames }) => frames.some(isOwn)),
    ({ values }) => values[count] ?? 0,
  );
}

test("own time goes to the lines that cause the work, and adds up", async () => {
  const { samples, functions, lines } = await jsonOf("top-own-lines");
  const isMarker = (/** @type {any} */ { function: name }) => /^\[/.test(name);
  for (const rows of [functions, lines]) {
    assert.equal(
      sum(rows, (row) => row.own),
      samples,
      "every sample counts once",
    );
    assert.equal(
      sum(
        rows.filter((/** @type {any} */ row) => !isMarker(row)),
        (row) => row.own,
      ),
      samplesWithOwnFrame(join(FIXTURES, "own.pb.gz")),
      "every sample with an own frame counts for own code",
    );
  }
  assert.equal(
    sum(functions, (row) => row.self),
    samples,
  );
  const own = lines.filter((/** @type {any} */ row) => row.own > 0 && !isMarker(row));
  assert.deepEqual(
    own.map((/** @type {any} */ row) => row.file).filter((/** @type {string} */ name) => !OWN_FILES.includes(name)),
    [],
    "nothing but own files has own time",
  );
  for (const [name, line] of hotLines()) {
    const [hottest] = own
      .filter((/** @type {any} */ row) => row.function === name)
      .sort((/** @type {any} */ a, /** @type {any} */ b) => b.own - a.own);
    assert.deepEqual({ file: hottest?.file, line: hottest?.line }, line, name);
  }
  // Code from a macro of a dependency, with lines of its own: the function's, and no line's.
  assert.ok(rowOf(functions, "OwnMarket.made_elsewhere/1").own > 0);
  const made = own.filter((/** @type {any} */ row) => row.function === "OwnMarket.made_elsewhere/1");
  assert.deepEqual([...new Set(made.map((/** @type {any} */ row) => row.line))], [0]);
  // Dispatch of a protocol is no own code.
  for (const none of functions.filter((/** @type {any} */ { function: name }) =>
    /^OwnPrice\.(cents|impl_for)|^(Enum|lists|erlang)[.:]/.test(name),
  ))
    assert.equal(none.own, 0, none.function);
});

test("copies and collections have their causes, and no sample is left out", async () => {
  for (const [name, causes] of /** @type {[string, RegExp][]} */ ([
    ["blame-copy", /^gt_msg:(send_(large|medium|small)|receiver)\//],
    ["blame-gc", /^gt_gc:(numbers|pairs)\//],
  ])) {
    const { callers, samples } = await jsonOf(name);
    assert.equal(
      sum(callers, (row) => row.samples),
      samples,
    );
    const caused = sum(
      callers.filter((/** @type {any} */ row) => causes.test(row.function)),
      (row) => row.samples,
    );
    assert.ok(samples > 100 && caused > 0.9 * samples, `${name}: ${caused} of ${samples}`);
  }
  const { callers } = await jsonOf("blame-copy");
  const [large, small] = ["gt_msg:send_large/2", "gt_msg:send_small/2"].map((name) => rowOf(callers, name).samples);
  assert.ok(large > 10 * small, `${large} and ${small}`);
});

test("Elixir names are shown the Elixir way", async () => {
  const { functions } = await jsonOf("top-elixir");
  const names = functions.map((/** @type {any} */ row) => row.function);
  for (const kind of [
    /^ElixirHot\.Shop\.steps\/2$/,
    /^Enum\./,
    /^anonymous fn\/3 in ElixirHot\.Shop\.discounted\/2/,
    /^ElixirHot\.Macros\.mixed\/1 \(macro\)$/, // MACRO-mixed/2
    /^ElixirHot\.Price\.rounded\/1$/, // the protocol
    /^ElixirHot\.Price\.Integer\.rounded\/1$/, // its implementation
    /^anonymous fn\/3 in ElixirHot\.Parts\.closure\/1$/,
    /^for in ElixirHot\.Parts\.comprehension\/1/,
    /^for in ElixirHot\.Parts\.reduced\/1$/, // -reduced/1-_@2/2-0-
  ])
    assert.ok(
      names.some((/** @type {string} */ name) => kind.test(name)),
      `${kind} among ${names.join(", ")}`,
    );
  assert.deepEqual(
    names.filter((/** @type {string} */ name) => /'?Elixir\.|MACRO-|-fun-|\$\^|_@|lists\^/.test(name)),
    [],
    "no raw name",
  );
  const raw = readProfile(join(FIXTURES, "elixir.pb.gz")).samples.flatMap(({ frames }) =>
    frames.map((frame) => frame.rawName),
  );
  assert.ok(raw.includes("'Elixir.ElixirHot.Macros':'MACRO-mixed'/2"), "the raw names are kept");
  const hot = rowOf(functions, "ElixirHot.Shop.steps/2");
  assert.ok(/elixir_hot\.exs$/.test(hot.file) && hot.line === 15, JSON.stringify(hot));
});

test("exports: folded and speedscope have every sample", async () => {
  const file = "messages.pb.gz";
  const profile = readProfile(join(FIXTURES, file));
  const samples = sum(profile.samples, ({ values }) => values[countIndex(profile)] ?? 0);
  const folded = await answered(folder, ["export", file, "--format", "folded"]);
  assert.equal(folded.code, 0, folded.stderr);
  const lines = folded.stdout.trim().split("\n");
  for (const line of lines) assert.match(line, /^\S.* \d+$/);
  assert.equal(
    sum(lines, (line) => Number(line.slice(line.lastIndexOf(" ") + 1))),
    samples,
    "every sample is exported",
  );
  assert.ok(
    lines.some((line) => /gt_slices:timed\/4.*;gt_msg:send_large\/2/.test(line)),
    "root first",
  );
  const speedscope = JSON.parse((await answered(folder, ["export", file, "--format", "speedscope"])).stdout);
  assert.equal(speedscope.$schema, "https://www.speedscope.app/file-format-schema.json");
  const known = speedscope.shared.frames.length;
  assert.ok(speedscope.shared.frames.some((/** @type {any} */ frame) => frame.name === "gt_msg:send_large/2"));
  assert.ok(speedscope.profiles.length > 0);
  for (const { type, samples: stacks, weights } of speedscope.profiles) {
    assert.equal(type, "sampled");
    assert.equal(stacks.length, weights.length);
    assert.ok(stacks.flat().every((/** @type {number} */ index) => index >= 0 && index < known));
  }
});
