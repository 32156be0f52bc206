import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { CaptureError, decodeCapture, newCapture } from "../../../extension/src/capture/capture-model.js";
import { inflate } from "../../../extension/src/capture/decode/inflate.js";
import type { Capture } from "../../../extension/src/capture/questions.js";
import { isNightly } from "../../nightly.mjs";
import { ProfileBuilder } from "./profile-builder.js";

const FLAME = {
  inverted: false,
  hideNative: false,
  hideKernel: false,
  collapseRecursion: false,
  groupBy: "none",
} as const;

/** A profile of Extrospect's with one of everything. */
function small(): ProfileBuilder {
  const profile = new ProfileBuilder()
    .type("samples", "count")
    .type("cpu", "nanoseconds")
    .periodType("cpu", "nanoseconds", 1_000_000);
  profile
    .comment('extrospect/target {"pid":7,"otp_release":"25"}')
    .comment('extrospect/settings {"frequency_hz":1000}');
  profile
    .mapping(1, "beam.smp")
    .function(1, "m:f/1", "erlang!m:f/1", "m.erl", 3)
    .function(2, "copy_struct", "native!copy_struct");
  profile.location(1, [[1, 4]]).location(2, [[2, 0]], { mapping: 1 });
  const [bucket, scheduler, one, trust, captured] = ["bucket_ms", "scheduler", "1", "trust", "captured"].map((text) =>
    profile.string(text),
  ) as [number, number, number, number, number];
  for (const ms of [0, 20, 40]) {
    profile.sample({
      locations: [2, 1],
      values: [2, 2_000_000],
      labels: [
        { key: scheduler, text: one },
        { key: trust, text: captured },
        { key: bucket, number: ms },
      ],
    });
  }
  return profile;
}

/** Makes every request: an answer to nonsense may be anything except an endless loop or an exception. */
function askAll(capture: Capture): void {
  for (const inverted of [false, true]) capture.flame({ ...FLAME, inverted });
  capture.top();
  capture.top({}, { onlyErlang: true });
  capture.blame("copy");
  capture.blameChoices();
  capture.timeline(100);
  capture.facets();
  capture.placeDetail(0);
  capture.sandwich(0, FLAME);
  capture.functions.forEach((_, index) => capture.functionLines(index));
}

function tryToRead(bytes: Uint8Array): Capture | CaptureError {
  try {
    const capture = decodeCapture(bytes);
    askAll(capture);
    return capture;
  } catch (error) {
    assert.ok(error instanceof CaptureError, error instanceof Error ? error.stack : String(error));
    return error;
  }
}

const problem = (bytes: Uint8Array) => {
  const outcome = tryToRead(bytes);
  return outcome instanceof CaptureError ? outcome.problem : "read";
};

test("the small profile itself", () => {
  const capture = decodeCapture(small().gzip());
  assert.deepEqual(capture.totals, { samples: 6, busy: 6 });
  assert.deepEqual(capture.functionCounts(0), { own: 0, self: 6, total: 6 });
  assert.deepEqual(capture.functions[1], {
    name: "copy_struct",
    rawName: "copy_struct",
    kind: "native",
    file: "",
    headLine: 0,
    object: "beam.smp",
  });
});

test("cut at every length, compressed and not", () => {
  for (const whole of [small().message(), small().gzip()]) {
    let read = 0;
    for (let length = 0; length < whole.length; length++) {
      const outcome = tryToRead(whole.subarray(0, length));
      if (outcome instanceof CaptureError) continue;
      read++;
      assert.ok(outcome.totals.samples <= 6);
      // Between two fields a message looks whole; a compressed one shows the cut.
      if (whole[0] === 0x1f)
        assert.throws(() => newCapture().append(whole.subarray(0, length)), CaptureError, `${length} bytes`);
    }
    assert.ok(read > 10, `${read}`);
  }
});

/** By day each third bit: that is two or three bits of each byte, and each of its eight in turn. */
const FLIP_EVERY = isNightly ? 1 : 3;

test("every single bit flipped", () => {
  const whole = small().message();
  for (let bit = 0; bit < whole.length * 8; bit += FLIP_EVERY) {
    const broken = Buffer.from(whole);
    broken[bit >> 3] = (broken[bit >> 3] as number) ^ (1 << (bit & 7));
    tryToRead(broken);
  }
});

test("random flips in a real capture", () => {
  const whole = gunzipSync(readFileSync("test/unit/capture/fixtures/demo-growing.pb.gz")).subarray(0, 40_000);
  let state = 3;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 8;
  let refused = 0;
  for (let round = 0; round < 60; round++) {
    const broken = Buffer.from(whole);
    for (let flips = 0; flips < 8; flips++) broken[random() % broken.length] = random();
    if (tryToRead(broken) instanceof CaptureError) refused++;
  }
  assert.ok(refused > 20, `${refused}`);
});

test("a file that is no profile is refused as such", () => {
  assert.equal(problem(new Uint8Array()), "empty");
  assert.equal(problem(Buffer.from("hello, this is a text file and no profile at all\n".repeat(20))), "notAProfile");
  assert.equal(problem(gzipSync("<html>no profile either</html>".repeat(20))), "notAProfile");
  assert.equal(problem(Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.alloc(50, 7)])), "notGzip");
  assert.equal(problem(Buffer.alloc(1000)), "notAProfile");
  assert.equal(problem(Buffer.alloc(1000, 0xff)), "notAProfile");
});

test("a bomb is refused before it goes off", () => {
  const bomb = gzipSync(Buffer.alloc(8 << 20));
  assert.throws(
    () => inflate(bomb, true, 1 << 20),
    (error) => error instanceof CaptureError && error.problem === "tooLarge",
  );
  assert.throws(
    () => inflate(Buffer.alloc(100, 9), true, 50),
    (error) => error instanceof CaptureError && error.problem === "tooLarge",
  );
  assert.equal(inflate(gzipSync(Buffer.alloc(100)), true, 100).message.length, 100);
});

test("references that point nowhere", () => {
  const cases: [string, (profile: ProfileBuilder) => void][] = [
    ["location in a sample", (profile) => profile.sample({ locations: [9], values: [1, 1] })],
    ["location 0", (profile) => profile.sample({ locations: [0], values: [1, 1] })],
    ["huge location id", (profile) => profile.sample({ locations: [2 ** 60], values: [1, 1] })],
    ["function of a location", (profile) => profile.location(8, [[77, 1]])],
    ["mapping of a location", (profile) => profile.location(8, [[1, 1]], { mapping: 44 })],
    ["label key", (profile) => profile.sample({ locations: [1], values: [1, 1], labels: [{ key: 4000, text: 1 }] })],
    [
      "label text",
      (profile) => profile.sample({ locations: [1], values: [1, 1], labels: [{ key: 1, text: 2 ** 40 }] }),
    ],
    ["comment", (profile) => profile.scalar(13, 2 ** 33)],
  ];
  for (const [name, add] of cases) {
    const profile = small();
    add(profile);
    assert.equal(problem(profile.gzip()), "badReference", name);
  }
});

test("ids given twice, values missing or too many", () => {
  for (const add of [
    (profile: ProfileBuilder) => profile.function(1, "again"),
    (profile: ProfileBuilder) => profile.location(1, [[1, 1]]),
    (profile: ProfileBuilder) => profile.mapping(1, "again"),
    (profile: ProfileBuilder) => profile.sample({ locations: [1], values: [1, 1, 1] }),
    (profile: ProfileBuilder) => profile.sample({ locations: [1], values: [] }),
  ]) {
    const profile = small();
    add(profile);
    assert.equal(problem(profile.gzip()), "damaged");
  }
});

test("more kinds of values than any profile has", () => {
  const types = small();
  for (let index = 0; index < 100; index++) types.type(`t${index}`, "count");
  assert.equal(problem(types.gzip()), "tooMany");
});

test("sparse ids cost no memory", () => {
  const profile = small()
    .function(2 ** 40, "far")
    .location(2 ** 50, [[2 ** 40, 1]])
    .sample({ locations: [2 ** 50], values: [1, 1e6] });
  const capture = decodeCapture(profile.gzip());
  assert.deepEqual(capture.functionCounts(capture.functionNamed("far")), { own: 0, self: 1, total: 1 });
});

test("a function that calls itself to the limit", () => {
  const capture = decodeCapture(
    small()
      .sample({ locations: new Array<number>(16_384).fill(1), values: [5, 5e6] })
      .gzip(),
  );
  assert.deepEqual(capture.functionCounts(0), { own: 0, self: 11, total: 11 });
  const flame = capture.flame(FLAME);
  assert.equal(Math.max(...flame.nodeDepth), 16_384);
  assert.equal(capture.flame({ ...FLAME, collapseRecursion: true }).nodeFunction.length, 3);
  askAll(capture);
});

test("comments that only look like ours", () => {
  const profile = small()
    .comment("extrospect/quality {")
    .comment('extrospect/quality {"samples":"many","erlang":[1],"skid_us":null}')
    .comment("extrospect/target []");
  const { facts } = decodeCapture(profile.gzip());
  assert.equal(facts.target?.pid, 7);
  assert.equal(facts.quality?.samples, 0);
  assert.equal(facts.quality?.reloaded, 0);
  assert.deepEqual(facts.quality?.skid_us, { p50: 0, p99: 0, max: 0 });
});

test("names with anything in them, and megabytes long", () => {
  const name = `<img src=x>\u0000\n${"x".repeat(3 << 20)}`;
  const capture = decodeCapture(
    small()
      .function(5, name, `erlang!${name}`)
      .location(5, [[5, 1]])
      .sample({ locations: [5], values: [1, 1e6] })
      .gzip(),
  );
  assert.equal(capture.functions[capture.functionNamed(name)]?.name, name);
  assert.equal(capture.filteredTotals({ focus: "xxxx" }).samples, 1);
});
