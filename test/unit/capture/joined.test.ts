import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { decodeCapture, newCapture } from "../../../extension/src/capture/capture-model.js";
import { joinedCapture, NotTogether } from "../../../extension/src/capture/joined-capture.js";
import type { Capture } from "../../../extension/src/capture/questions.js";
import { openInThread } from "../../../extension/src/capture/thread/open-in-thread.js";
import { ProfileBuilder } from "./profile-builder.js";

const FIXTURES = "test/unit/capture/fixtures";
const FLAME = {
  inverted: false,
  hideNative: false,
  hideKernel: false,
  collapseRecursion: false,
  groupBy: "none",
} as const;

/** One second of a node that samples at 99 Hz. */
interface Built {
  readonly startedUnixMs?: number;
  readonly frequencyHz?: number;
  readonly process?: string;
  readonly scheduler?: string;
  readonly samples?: number;
  readonly bucketMs?: number;
  readonly file?: string;
  readonly headLine?: number;
  readonly node?: string;
  /** Functions are numbered otherwise, as other files do. */
  readonly firstId?: number;
  /** Its facts about its clock, as JSON. */
  readonly clock?: string;
}

function profile({
  startedUnixMs = 1_000_000,
  frequencyHz = 99,
  process = "<0.1.0>",
  scheduler = "1",
  samples = 3,
  bucketMs = 0,
  file = "m.erl",
  headLine = 3,
  node = "",
  firstId = 1,
  clock,
}: Built): Buffer {
  const made = new ProfileBuilder()
    .type("samples", "count")
    .periodType("cpu", "nanoseconds", Math.round(1e9 / frequencyHz));
  made
    .comment(`extrospect/target ${JSON.stringify({ pid: 7, otp_release: "25", node })}`)
    .comment(`extrospect/settings {"frequency_hz":${frequencyHz},"started_unix_ns":${startedUnixMs}000000}`);
  if (clock !== undefined) made.comment(`extrospect/clock ${clock}`);
  const [f, g] = [firstId, firstId + 1];
  made
    .mapping(1, "[erlang]")
    .mapping(2, "beam.smp")
    .function(f, "m:f/1", "erlang!m:f/1", file, headLine)
    .function(g, "copy_struct", "native!copy_struct");
  made.location(f, [[f, headLine + 1]], { mapping: 1 }).location(g, [[g, 0]], { mapping: 2 });
  made.sample({
    locations: [g, f],
    values: [samples],
    labels: [
      { key: made.string("process"), text: made.string(process) },
      { key: made.string("scheduler"), text: made.string(scheduler) },
      { key: made.string("class"), text: made.string("copy") },
      { key: made.string("bucket_ms"), number: bucketMs },
    ],
  });
  return gzipSync(made.message());
}

function built(wanted: Built): Capture {
  return decodeCapture(profile(wanted));
}

function rowsOf(capture: Capture, node?: string) {
  const rows = capture.top(node === undefined ? {} : { nodes: [node] }).rows;
  return rows.map(({ name, self, total, file, line }) => `${name} ${file}:${line} ${self} ${total}`).sort();
}

/** A graph as paths with their samples, whatever the order. */
function pathsOf(capture: Capture, node?: string): string[] {
  const data = capture.flame(FLAME, node === undefined ? {} : { nodes: [node] });
  const paths: string[] = [];
  for (let at = 0; at < data.nodeFunction.length; at++) {
    const parent = data.nodeParent[at] as number;
    const above = parent < 0 ? "" : ((paths[parent] as string).split(" = ")[0] as string);
    paths.push(
      `${above}/${data.functionNames[data.nodeFunction[at] as number] as string} = ${data.nodeSelf[at]} ${data.nodeTotal[at]}`,
    );
  }
  return paths.sort();
}

test("every node's samples are those of its own capture, and all of them are the sum", () => {
  const one = decodeCapture(readFileSync(`${FIXTURES}/demo.pb.gz`));
  const other = newCapture();
  const joined = joinedCapture();
  joined.addNode("one@host", one);
  joined.addNode("other@host", other);
  joined.catchUp();
  other.append(gunzipMembers(readFileSync(`${FIXTURES}/demo.pb.gz`)));
  assert.equal(joined.catchUp(), true);
  assert.equal(joined.catchUp(), false);
  assert.deepEqual(joined.totals, { samples: 2 * one.totals.samples, busy: 2 * one.totals.busy });
  for (const node of ["one@host", "other@host"]) {
    assert.deepEqual(joined.filteredTotals({ nodes: [node] }), one.totals);
    assert.deepEqual(rowsOf(joined, node), rowsOf(one));
    assert.deepEqual(pathsOf(joined, node), pathsOf(one));
    assert.deepEqual(joined.classSplit({ nodes: [node] }), one.classSplit());
    const { callers: _, ...blame } = joined.blame("gc", { nodes: [node] });
    const { callers: __, ...expected } = one.blame("gc");
    assert.deepEqual(blame, expected);
  }
  assert.deepEqual(
    joined.functions.map((_, index) => joined.functionCounts(index).total),
    joined.functions.map(({ name, rawName, kind, file, headLine, object }) => {
      const there = one.functions.findIndex(
        (fn) =>
          fn.name === name &&
          fn.rawName === rawName &&
          fn.kind === kind &&
          fn.file === file &&
          fn.headLine === headLine &&
          fn.object === object,
      );
      return 2 * one.functionCounts(there).total;
    }),
  );
});

/** As a recording gets it: uncompressed and compressed again. */
function gunzipMembers(bytes: Buffer): Buffer {
  return gzipSync(gunzipSync(bytes));
}

test("a capture that grows is joined as it grows", () => {
  const members = membersOf(readFileSync(`${FIXTURES}/demo-growing.pb.gz`));
  const [one, other] = [newCapture(), newCapture()];
  const joined = joinedCapture();
  joined.addNode("one", one);
  joined.addNode("other", other);
  for (const [index, member] of members.entries()) {
    one.append(member);
    if (index % 2 === 1) joined.catchUp();
    other.append(member);
    assert.equal(joined.catchUp(), true);
    assert.equal(joined.totals.samples, one.totals.samples + other.totals.samples);
  }
  for (const node of ["one", "other"]) assert.deepEqual(rowsOf(joined, node), rowsOf(one));
  assert.deepEqual(pathsOf(joined, "other"), pathsOf(other));
  assert.equal(joined.facts.durationMs, one.facts.durationMs);
});

function membersOf(bytes: Buffer): Buffer[] {
  const members: Buffer[] = [];
  for (let start = 0, next = 1; next <= bytes.length; next++) {
    if (next < bytes.length && !(bytes[next] === 0x1f && bytes[next + 1] === 0x8b && bytes[next + 2] === 8)) continue;
    try {
      gunzipSync(bytes.subarray(start, next));
    } catch {
      continue; // inside of one
    }
    members.push(bytes.subarray(start, next));
    start = next;
  }
  return members;
}

test("captures that a thread has read are joined like others", async () => {
  const { build } = await import("esbuild");
  // Two runs may be in this clone.
  const program = `${process.cwd()}/dist/test-unit/joined-thread-${process.pid}.cjs`;
  await build({
    entryPoints: ["extension/src/capture/thread/capture-thread.ts"],
    bundle: true,
    format: "cjs",
    platform: "node",
    outfile: program,
    logLevel: "error",
  });
  const read = await openInThread(Uint8Array.from(readFileSync(`${FIXTURES}/demo.pb.gz`)), program).finally(() =>
    rmSync(program),
  );
  const joined = joinedCapture();
  joined.addNode("a", read);
  joined.catchUp();
  assert.deepEqual(rowsOf(joined), rowsOf(read));
});

test("the same process and scheduler of two nodes are two", () => {
  const joined = joinedCapture();
  joined.addNode("a@h", built({ samples: 3 }));
  joined.addNode("b@h", built({ samples: 4, firstId: 900 }));
  joined.catchUp();
  const { nodes, processes, schedulers } = joined.facets();
  assert.deepEqual(nodes, [
    { value: "a@h", samples: 3 },
    { value: "b@h", samples: 4 },
  ]);
  assert.deepEqual(processes, [
    { value: "<0.1.0> · b@h", samples: 4 },
    { value: "<0.1.0> · a@h", samples: 3 },
  ]);
  assert.deepEqual(
    schedulers.map(({ value }) => value),
    ["1 · a@h", "1 · b@h"],
  );
  assert.equal(joined.filteredTotals({ processes: ["<0.1.0> · a@h"] }).samples, 3);
  assert.equal(joined.filteredTotals({ processes: ["<0.1.0>"] }).samples, 0);
  const groups = joined.flame({ ...FLAME, groupBy: "process" });
  assert.deepEqual(
    [groups.nodeTotal[0], groups.functionNames.filter((name) => name.startsWith("<"))],
    [7, ["<0.1.0> · b@h", "<0.1.0> · a@h"]],
  );
  const byNode = joined.flame({ ...FLAME, groupBy: "node" });
  assert.deepEqual(byNode.functionNames, ["all", "b@h", "m:f/1", "copy_struct", "a@h"]);
  assert.equal(joined.functions.length, 2);
  assert.deepEqual(
    joined
      .nodeShares()
      .map(({ name, samples, busy, classes }) => [name, samples, busy, classes.map(({ sampleClass }) => sampleClass)]),
    [
      ["b@h", 4, 4, ["copy"]],
      ["a@h", 3, 3, ["copy"]],
    ],
  );
});

test("names cannot make two nodes' processes one", () => {
  const joined = joinedCapture();
  // If the second node had the name that it reports, both processes would have the same name.
  assert.equal(joined.addNode("b", built({ process: "p · a" })), "b");
  assert.equal(joined.addNode("a · b", built({ process: "p" })), "a _ b");
  assert.equal(joined.addNode("b", built({ process: "p · a" })), "b (2)");
  assert.equal(joined.addNode("", built({})), "?");
  joined.catchUp();
  assert.deepEqual(new Set(joined.facets().processes.map(({ value }) => value)).size, 4);
});

test("no process is no process on every node, and a requested node is not in a capture of one VM", () => {
  const single = built({ process: "" });
  assert.deepEqual(single.facets().nodes, []);
  assert.equal(single.filteredTotals({ nodes: ["a"] }).samples, 0);
  assert.deepEqual(single.nodeShares(), []);
  assert.equal(single.flame({ ...FLAME, groupBy: "node" }).totalSamples, 3);
  const joined = joinedCapture();
  joined.addNode("a", single);
  joined.addNode("b", built({ process: "" }));
  joined.catchUp();
  assert.deepEqual(joined.facets().processes, [{ value: "", samples: 6 }]);
});

test("another version of a module has its own functions", () => {
  const joined = joinedCapture();
  joined.addNode("a", built({}));
  joined.addNode("b", built({ headLine: 30 }));
  joined.addNode("c", built({}));
  joined.catchUp();
  assert.deepEqual(rowsOf(joined), ["copy_struct :0 9 9", "m:f/1 m.erl:3 0 6", "m:f/1 m.erl:30 0 3"]);
});

test("a function without a place is the one that has one, on another node too", () => {
  const joined = joinedCapture();
  joined.addNode("a", built({ file: "", headLine: 0 }));
  joined.catchUp();
  joined.addNode("b", built({}));
  joined.catchUp();
  assert.deepEqual(
    joined.functions.filter(({ kind }) => kind === "erlang").map(({ file, headLine }) => [file, headLine]),
    [["m.erl", 3]],
  );
});

test("times are aligned by the starts and by how far clocks are ahead", () => {
  const joined = joinedCapture();
  const busyAt = () =>
    [...joined.timeline(1000).busy.entries()].flatMap(([bucket, busy]) =>
      busy > 0 ? [[bucket * joined.timeline(1000).bucketMs, busy]] : [],
    );
  joined.addNode("a", built({ startedUnixMs: 1_000_000, bucketMs: 100, samples: 1 }));
  joined.catchUp();
  // Began half a second later.
  joined.addNode("b", built({ startedUnixMs: 1_000_500, bucketMs: 100, samples: 2 }));
  joined.catchUp();
  assert.deepEqual(busyAt(), [
    [100, 1],
    [600, 2],
  ]);
  // Its clock is a minute ahead: it began 200 ms before the first.
  joined.addNode("c", built({ startedUnixMs: 1_059_800, bucketMs: 100, samples: 4 }), () => 60_000);
  joined.catchUp();
  assert.deepEqual(busyAt(), [
    [100, 4],
    [300, 1],
    [800, 2],
  ]);
  assert.equal(joined.facts.startedUnixMs, 999_800);
  assert.deepEqual(
    joined.facts.nodes?.map(({ name, clockAheadMs, startedUnixMs }) => [name, clockAheadMs, startedUnixMs]),
    [
      ["a", 0, 1_000_000],
      ["b", 0, 1_000_500],
      ["c", 60_000, 1_059_800],
    ],
  );
});

test("what cannot be summed is refused", () => {
  const joined = joinedCapture();
  const first = built({});
  joined.addNode("a", first);
  const refused = (capture: Capture, why: RegExp) =>
    assert.throws(
      () => joined.addNode("b", capture),
      (error) => error instanceof NotTogether && error.problem === "notTogether" && why.test(error.why),
    );
  refused(first, /there already/);
  refused(joined, /several/);
  refused(built({ frequencyHz: 199 }), /199 Hz and the others at 99 Hz/);
  refused(built({ startedUnixMs: 1_000_000 + 2 * 24 * 3600 * 1000 }), /same day/);
  refused(decodeCapture(readFileSync(`${FIXTURES}/go-cpu.pb.gz`)), /another program/);
  assert.throws(() => joined.append(), NotTogether);
  joined.catchUp();
  assert.equal(joined.totals.samples, 3);
});

test("a node that turns out not to fit leaves the others as they are", () => {
  const joined = joinedCapture();
  const [fits, late] = [built({}), newCapture()];
  joined.addNode("late", late);
  joined.addNode("fits", fits);
  joined.catchUp();
  late.append(profile({ frequencyHz: 199 }));
  assert.equal(joined.catchUp(), true);
  assert.deepEqual(
    [joined.totals.samples, joined.facts.nodes?.map(({ problem }) => problem?.why)],
    [3, ["it was sampled at 199 Hz and the others at 99 Hz", undefined]],
  );
  assert.equal(late.totals.samples, 3);
});

test("what has no room is taken in not at all, and then what comes later of others is", () => {
  const joined = joinedCapture();
  const many = 0xf000_0000;
  joined.addNode("a", built({ samples: many }));
  joined.addNode("b", built({ samples: many, process: "<0.9.0>", headLine: 9 }));
  const late = newCapture();
  joined.addNode("c", late);
  joined.catchUp();
  late.append(profile({ samples: 5, headLine: 9 }));
  joined.catchUp();
  assert.deepEqual(
    joined.facts.nodes?.map(({ problem }) => problem !== undefined),
    [false, true, false],
  );
  assert.deepEqual(rowsOf(joined), [
    "copy_struct :0 4026531845 4026531845",
    `m:f/1 m.erl:3 0 ${many}`,
    "m:f/1 m.erl:9 0 5",
  ]);
  assert.deepEqual(
    joined.facets().processes.map(({ value }) => value),
    ["<0.1.0> · a", "<0.1.0> · c"],
  );
});

test("the clock facts of a file correct its times, and both ends are shown", () => {
  const ahead = built({ startedUnixMs: 1_060_000, clock: '{"ahead_ms":60000,"ahead_at_end_ms":60020}' });
  assert.deepEqual(ahead.facts.clock, { aheadMs: 60_000, aheadAtEndMs: 60_020 });
  const joined = joinedCapture();
  joined.addNode("a", built({}));
  joined.addNode("b", ahead);
  joined.catchUp();
  // Both began at the same moment, whatever the clock of one showed.
  assert.equal(joined.facts.durationMs, ahead.facts.durationMs);
  const said = () =>
    joined.facts.nodes?.map(({ clockAheadMs, clockAheadAtEndMs }) => [clockAheadMs, clockAheadAtEndMs]);
  assert.deepEqual(said(), [
    [0, undefined],
    [60_000, 60_020],
  ]);
  joined.clockAtEnd("a", 7);
  assert.deepEqual(said()?.[0], [0, 7]);
  assert.deepEqual(built({ clock: '{"ahead_ms":"1","ahead_at_end_ms":null}' }).facts.clock, {
    aheadMs: 0,
    aheadAtEndMs: 0,
  });
});
