import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { captureOf, decodeCapture, newCapture, readCapture } from "../../../extension/src/capture/capture-model.js";
import { inflate, inflatedMembers } from "../../../extension/src/capture/decode/inflate.js";
import { decodeProfile } from "../../../extension/src/capture/decode/profile-decoder.js";
import {
  INNERMOST_FRAMES,
  MAX_COMMENTS,
  MAX_LINES_PER_LOCATION,
  MAX_STACK_FRAMES,
  TOO_DEEP,
} from "../../../extension/src/capture/limits.generated.js";
import type { Capture } from "../../../extension/src/capture/questions.js";
import { ProfileTables, TABLE_LIMITS } from "../../../extension/src/capture/tables/profile-tables.js";
import { ProfileBuilder } from "./profile-builder.js";

const FLAME = {
  inverted: false,
  hideNative: false,
  hideKernel: false,
  collapseRecursion: false,
  groupBy: "none",
} as const;

/** A profile of Extrospect's: three functions, a location each. */
function ours({ stacksCut = 0 } = {}): ProfileBuilder {
  const profile = new ProfileBuilder()
    .type("samples", "count")
    .type("cpu", "nanoseconds")
    .periodType("cpu", "nanoseconds", 1_000_000);
  profile
    .comment('extrospect/settings {"frequency_hz":1000}')
    .comment(`extrospect/quality {"samples":3,"stacks_cut":${stacksCut}}`);
  for (const [index, name] of ["m:leaf/0", "m:map/2", "m:start/1"].entries())
    profile.function(index + 1, name, `erlang!${name}`, "m.erl", 3).location(index + 1, [[index + 1, 4]]);
  return profile;
}

/** Leaf first: a leaf, so many calls in between, the function that began. */
function deep(frames: number): number[] {
  return [1, ...new Array<number>(frames - 2).fill(2), 3];
}

/** The names of the one stack, root first. */
function names(capture: Capture): string[] {
  const { nodeFunction, nodeParent, nodeDepth, functionNames } = capture.flame(FLAME);
  const deepest = nodeDepth.indexOf(nodeDepth.reduce((most, depth) => Math.max(most, depth), 0));
  const found: string[] = [];
  for (let node = deepest; (nodeParent[node] ?? -1) >= 0; node = nodeParent[node] as number)
    found.push(functionNames[nodeFunction[node] as number] as string);
  return found.reverse();
}

for (const frames of [
  MAX_STACK_FRAMES,
  MAX_STACK_FRAMES + 1,
  2 * MAX_STACK_FRAMES,
  2 * MAX_STACK_FRAMES + 1,
  50_000,
  200_000,
]) {
  test(`a stack of ${frames} frames, as older helpers wrote it, is read and loses no more than its middle`, () => {
    for (const unusual of [false, true]) {
      const capture = decodeCapture(
        ours({ stacksCut: 4 })
          .sample({ locations: deep(frames), values: [2, 2e6], unusual })
          .sample({ locations: deep(frames), values: [3, 3e6], unusual })
          .gzip(),
      );
      const isCut = frames > MAX_STACK_FRAMES;
      assert.equal(capture.totals.samples, 5);
      assert.equal(capture.facts.isCut, undefined);
      assert.equal(capture.facts.quality?.stacks_cut, isCut ? 9 : 4);
      const [leaf, map, start] = ["m:leaf/0", "m:map/2", "m:start/1"].map((name) =>
        capture.functionCounts(capture.functionNamed(name)),
      );
      assert.deepEqual([leaf, map?.total, start?.total], [{ own: 0, self: 5, total: 5 }, 5, 5]);
      const found = names(capture);
      assert.equal(found.length, Math.min(frames, MAX_STACK_FRAMES));
      assert.deepEqual([found[0], found.at(-1)], ["m:start/1", "m:leaf/0"]);
      assert.deepEqual(
        found.flatMap((name, index) => (name === TOO_DEEP ? [found.length - 1 - index] : [])),
        isCut ? [INNERMOST_FRAMES] : [],
      );
    }
  });
}

test("cut stacks are counted over increments, and when an increment is refused nothing of it stays", () => {
  const file = ours({ stacksCut: 1 });
  const growing = new ProfileBuilder();
  const capture = newCapture();
  capture.append(file.sample({ locations: deep(20_000), values: [1, 1e6] }).gzip());
  assert.equal(capture.facts.quality?.stacks_cut, 2);
  capture.append(growing.sample({ locations: deep(20_000), values: [1, 1e6] }).gzip());
  assert.equal(capture.facts.quality?.stacks_cut, 3);
  const wrong = new ProfileBuilder()
    .sample({ locations: deep(30_000), values: [1, 1e6] })
    .sample({ locations: [77], values: [1, 1e6] });
  assert.throws(() => capture.append(wrong.gzip()));
  assert.equal(capture.facts.quality?.stacks_cut, 3);
  capture.append(new ProfileBuilder().sample({ locations: deep(40_000), values: [1, 1e6] }).gzip());
  assert.equal(capture.facts.quality?.stacks_cut, 4);
  assert.equal(capture.totals.samples, 3);
});

test("stacks that a helper shortened are read from its quality, and absent where there are none", () => {
  const shortened = (members: string) =>
    decodeCapture(ours().comment(`extrospect/quality {"samples":3,${members}}`).gzip()).facts.quality?.stacks_shortened;
  assert.equal(shortened('"stacks_cut":4,"stacks_shortened":2'), 2);
  assert.equal(shortened('"stacks_cut":4'), undefined);
});

test("samples of schedulers in functions without names are read from the quality, and absent where there are none", () => {
  const unnamed = (members: string) =>
    decodeCapture(ours().comment(`extrospect/quality {${members}}`).gzip()).facts.quality?.scheduler_unnamed;
  assert.equal(unnamed('"scheduler":4,"scheduler_unnamed":2'), 2);
  assert.equal(unnamed('"scheduler":4'), undefined);
});

test("facts that the helper does not know are read from its quality, and absent where there are none", () => {
  const unknown = (members: string) =>
    decodeCapture(ours().comment(`extrospect/quality {"samples":3${members}}`).gzip()).facts.quality?.not_known;
  assert.deepEqual(
    unknown(',"not_known":["standstill","schedulersOnline","portPrograms","processTracing","tracing","more",7]'),
    ["tracing", "processTracing", "portPrograms", "schedulersOnline", "standstill"],
  );
  for (const none of ["", ',"not_known":[]', ',"not_known":"tracing"']) assert.equal(unknown(none), undefined);
  const early = (gaps: string) =>
    decodeCapture(ours().comment(`extrospect/quality {"samples":3,"gaps":{${gaps}}}`).gzip()).facts.quality?.gaps;
  assert.equal(early('"ended_early":true')?.ended_early, true);
  assert.equal(early('"standstill_unknown":true')?.standstill_unknown, true);
  assert.ok(!("standstill_unknown" in (early('"standstill_unknown":1') ?? {})));
  for (const no of ["", '"ended_early":1', '"ended_early":false']) assert.ok(!("ended_early" in (early(no) ?? {})));
});

test("the end that a file lacks is in its quality, and what a file claims of it there is not read", () => {
  const read = (marks: readonly number[], gaps = "") => {
    const profile = ours().scalar(9, 1_790_000_000_000_000_000).scalar(10, 2_500_000_000);
    profile.comment(`extrospect/quality {"samples":3,"gaps":{${gaps}}}`);
    for (const mark of marks) profile.scalar(1001, mark);
    return profile;
  };
  const missing = (marks: readonly number[], gaps?: string) =>
    decodeCapture(read(marks, gaps).gzip()).facts.quality?.gaps.missing_end;
  const last_unix_ms = 1_790_000_002_500;
  assert.deepEqual(missing([1]), { reason: "notClosed", last_unix_ms });
  assert.deepEqual(missing([1, 10]), { reason: "diskFull", last_unix_ms });
  assert.deepEqual(missing([1, 11]), { reason: "writeFailed", last_unix_ms });
  for (const whole of [[], [0], [1, 2], [1, 3], [1, 9], [1, 4711]]) assert.equal(missing(whole), undefined);
  assert.equal(missing([], '"missing_end":{"reason":"diskFull","last_unix_ms":1}'), undefined);
  // A cut file may have had a mark; increments that arrive are no file.
  const message = read([1])
    .sample({ locations: [1], values: [1, 1e6] })
    .message();
  const cut = decodeCapture(message.subarray(0, message.length - 2)).facts;
  assert.deepEqual([cut.isCut, cut.quality?.gaps.missing_end], [true, undefined]);
  const arriving = newCapture();
  arriving.append(read([1]).gzip());
  assert.equal(arriving.facts.quality?.gaps.missing_end, undefined);
});

test("why the version of code is not known is read from the quality, and absent where it was not counted", () => {
  const read = (members: string) =>
    decodeCapture(ours().comment(`extrospect/quality {"samples":3,"reloaded":3${members}}`).gzip()).facts.quality;
  assert.deepEqual(read(',"reloaded_by":{"just_purged":2,"process_ending":1,"code_gone":-5,"more":7}')?.reloaded_by, {
    between_readings: 0,
    just_purged: 2,
    process_ending: 1,
    before_readings: 0,
    code_gone: 0,
  });
  assert.equal(read("")?.reloaded_by, undefined);
  assert.equal(read(',"reloaded_by":[1]')?.reloaded_by, undefined);
});

test("of what there is too much of, the rest is left out", () => {
  const profile = ours();
  profile.location(8, new Array<[number, number]>(200).fill([1, 1]));
  const label = { key: profile.string("process"), text: profile.string("p") };
  profile.sample({ locations: [8], values: [1, 1e6], labels: new Array<typeof label>(300).fill(label) });
  const capture = decodeCapture(profile.gzip());
  const found = names(capture);
  assert.deepEqual([found.length, found[0]], [MAX_LINES_PER_LOCATION, TOO_DEEP]);
  assert.deepEqual(
    capture.facets().processes.map(({ value }) => value),
    ["p"],
  );
});

test("of more comments than are kept the last ones count", () => {
  const profile = ours();
  const [filler, user] = [profile.string("x"), profile.string('extrospect/user {"note":"the last one"}')];
  const packed = Buffer.alloc(MAX_COMMENTS + 5, filler);
  const length: number[] = [];
  for (let rest = packed.length; rest > 0; rest >>>= 7) length.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
  const capture = decodeCapture(
    Buffer.concat([profile.message(), Buffer.from([(13 << 3) | 2, ...length]), packed, Buffer.from([13 << 3, user])]),
  );
  assert.equal(capture.facts.user?.note, "the last one");
});

test("behind more samples than can be counted a capture counts as cut", () => {
  const capture = decodeCapture(
    ours()
      .sample({ locations: [1], values: [2 ** 31, 2 ** 31 * 1e6] })
      .sample({ locations: [2], values: [2 ** 31, 2 ** 31 * 1e6] })
      .sample({ locations: [3], values: [1, 1e6] })
      .gzip(),
  );
  assert.equal(capture.totals.samples, 2 ** 31);
  assert.equal(capture.facts.isCut, true);
});

test("behind more bytes than are read a file counts as cut, and what came before is read", async () => {
  const first = ours().sample({ locations: deep(5), values: [2, 2e6] });
  const second = new ProfileBuilder().sample({ locations: deep(5), values: [3, 3e6] });
  const file = Buffer.concat([first.gzip(), second.gzip(), second.gzip()]);
  const members: boolean[] = [];
  for await (const { cut } of inflatedMembers(file, first.message().length + 1)) members.push(cut);
  assert.deepEqual(members, [false, true]);
  assert.equal(captureOf(await readCapture(file)).totals.samples, 8);
});

/** The bytes that columns have in use, whatever is reserved. */
function bytesIn(part: unknown): number {
  if (ArrayBuffer.isView(part)) return part.byteLength;
  if (typeof part !== "object" || part === null || part instanceof Map || part instanceof Set || Array.isArray(part))
    return 0;
  if ("data" in part && "length" in part && ArrayBuffer.isView(part.data))
    return (part.length as number) * (part.data as Uint32Array).BYTES_PER_ELEMENT;
  return Object.values(part).reduce<number>((sum, value) => sum + bytesIn(value), 0);
}

test("an opened capture holds so many bytes for a sample and for a frame of a stack, and no more", async () => {
  const BYTES_PER_ROW = 12;
  const BYTES_PER_NODE = 6;
  const SMALL = 1 << 17;
  const FRAMES = 20;
  const STACKS = 20_000;
  let state = 1;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 8;
  const profile = ours();
  const bucket = profile.string("bucket_ms");
  for (let id = 4; id <= 64; id++)
    profile.function(id, `m:f${id}/0`, `erlang!m:f${id}/0`, "m.erl", id).location(id, [[id, id]]);
  for (let sample = 0; sample < STACKS; sample++) {
    // Root first they are all different after two or three frames.
    const locations = Array.from({ length: FRAMES }, () => 4 + (random() % 61));
    profile.sample({ locations, values: [1, 1e6], labels: [{ key: bucket, number: sample * 20 }] });
  }
  const parts = await readCapture(gzipSync(profile.message()));
  const nodes = parts.tables.stacks.nodes.label.length;
  assert.ok(nodes > (STACKS * FRAMES) / 2, `${nodes} nodes`);
  const bytes = bytesIn(parts);
  assert.ok(
    bytes <= STACKS * BYTES_PER_ROW + nodes * BYTES_PER_NODE + SMALL,
    `${bytes} bytes for ${STACKS} samples and ${nodes} nodes`,
  );
  const capture = captureOf(parts);
  assert.equal(capture.totals.samples, STACKS);
  capture.append(new ProfileBuilder().sample({ locations: [4, 5], values: [1, 1e6] }).gzip());
  assert.equal(capture.totals.samples, STACKS + 1);
});

/** A profile with a mapping, four functions with a location each, and a sample of each location; `from` is the first id. */
function rows(from: number): ProfileBuilder {
  const profile = new ProfileBuilder();
  if (from === 1) profile.type("samples", "count");
  profile.mapping(from, `m${from}.so`);
  for (let id = from; id < from + 4; id++) profile.function(id, `f${id}`).location(id, [[id, 1]]);
  for (let id = from; id < from + 4; id++)
    profile.sample({
      locations: [id],
      values: [1],
      labels: [{ key: profile.string("process"), text: profile.string(`p${id}`) }],
    });
  return profile;
}

for (const [table, first] of Object.entries({ mappings: 1, functions: 4, locations: 4, lines: 4, labelSets: 4 })) {
  test(`no more ${table} are kept than may be: the capture is cut there`, () => {
    const read = (max: number) => {
      const tables = new ProfileTables(undefined, undefined, { ...TABLE_LIMITS, [table]: max });
      const message = (profile: ProfileBuilder) => inflate(profile.gzip(), false).message;
      const hadRoom = [rows(1), rows(5), rows(9)].map((profile) =>
        decodeProfile(tables, message(profile), false, false),
      );
      return { hadRoom, samples: tables.samples.length, isCut: tables.description?.facts.isCut === true };
    };
    assert.deepEqual(read(3 * first), { hadRoom: [true, true, true], samples: 12, isCut: false });
    assert.deepEqual(read(first), { hadRoom: [true, false, false], samples: 4, isCut: true });
    if (table !== "labelSets") assert.throws(() => read(first - 1), { problem: "tooMany" });
  });
}
