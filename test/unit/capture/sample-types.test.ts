// Captures with samples of several types: the answers are of the type that is shown, as the helper has them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import {
  captureOf,
  CaptureError,
  decodeCapture,
  newCapture,
  readCapture,
} from "../../../extension/src/capture/capture-model.js";
import { joinedCapture } from "../../../extension/src/capture/joined-capture.js";
import { columnsIn } from "../../../extension/src/capture/thread/thread-answer.js";
import { ProfileBuilder } from "./profile-builder.js";

const FIXTURES = "test/unit/capture/fixtures";
const BYTES = readFileSync(`${FIXTURES}/blocked.pb.gz`);
const MS = 1e6;

interface HelperTop {
  samples: number;
  busy: number;
  functions: { function: string; self: number; total: number }[];
}

const helperTop = (type: string) =>
  JSON.parse(readFileSync(`${FIXTURES}/blocked.top-${type}.json`, "utf8")) as HelperTop;

/** Self and total of each name, all functions of one name together. */
function byName(rows: readonly { readonly name: string; readonly self: number; readonly total: number }[]) {
  const sums = new Map<string, { self: number; total: number }>();
  for (const { name, self, total } of rows) {
    const sum = sums.get(name) ?? { self: 0, total: 0 };
    sums.set(name, { self: sum.self + self, total: sum.total + total });
  }
  return sums;
}

const helperRows = ({ functions }: HelperTop) =>
  functions.map(({ function: name, self, total }) => ({ name, self, total }));

test("a capture of two types opens with the first one, which has the helper's figures", () => {
  const capture = decodeCapture(BYTES);
  const expected = helperTop("cpu");
  assert.deepEqual(capture.facts.types, ["cpu", "off-cpu"]);
  assert.equal(capture.facts.unit, "samples");
  assert.deepEqual(capture.totals, { samples: expected.samples, busy: expected.busy });
  assert.deepEqual(byName(capture.top().rows), byName(helperRows(expected)));
});

test("with the other one shown, all answers are of blocked time, and as the helper's to what a millisecond divides", () => {
  const capture = decodeCapture(BYTES);
  const { revision } = capture;
  assert.equal(capture.show("off-cpu"), true);
  assert.ok(capture.revision > revision);
  assert.equal(capture.facts.unit, "ms of blocked time");
  assert.equal(capture.periodNs, MS);
  const expected = helperTop("off-cpu");
  assert.equal(capture.totals.samples, Math.floor(expected.samples / MS));
  const rows = byName(capture.top().rows);
  const wanted = byName(helperRows(expected));
  // The remainder of one row is in the next one, whatever its function is.
  for (const [name, { self, total }] of wanted) {
    const found = rows.get(name) ?? { self: 0, total: 0 };
    const near = (one: number, ns: number) => Math.abs(one - ns / MS) <= 5;
    assert.ok(near(found.self, self), `${name}: ${String(found.self)} ms of ${String(self)} ns in itself`);
    assert.ok(near(found.total, total), `${name}: ${String(found.total)} ms of ${String(total)} ns`);
  }
  const saved = capture.functionNamed("waits_on_disk:saved/2");
  assert.equal(capture.functionCounts(saved).total, rows.get("waits_on_disk:saved/2")?.total);
  const timeline = capture.timeline(10);
  const inTimeline = [...timeline.busy, ...timeline.idle].reduce((sum, one) => sum + one, 0);
  assert.equal(inTimeline, capture.totals.samples);
});

test("types are shown again as they were, and one that is missing changes nothing", () => {
  const capture = decodeCapture(BYTES);
  const own = capture.functionNamed("waits_on_disk:journal/2");
  capture.addOwnCode([own]);
  const answers = () => ({
    totals: capture.totals,
    top: capture.top(),
    own: capture.ownSamples,
    lines: capture.functionLines(own),
    split: capture.classSplit(),
  });
  const before = answers();
  assert.equal(capture.show("cpu"), false, "it is shown");
  assert.equal(capture.show("alloc"), false, "it has none of it");
  assert.deepEqual(answers(), before);
  capture.show("off-cpu");
  assert.notDeepEqual(answers(), before);
  assert.ok(capture.ownSamples > 0);
  capture.show("cpu");
  assert.deepEqual(answers(), before);
});

test("the answers of a type that is not shown are those of a capture that shows it", () => {
  const [ofCpu, ofBlocked] = [decodeCapture(BYTES), decodeCapture(BYTES)];
  ofBlocked.show("off-cpu");
  const own = ["journal/2", "saved/2"].map((name) => ofCpu.functionNamed(`waits_on_disk:${name}`));
  for (const capture of [ofCpu, ofBlocked]) capture.addOwnCode(own);
  const before = { totals: ofCpu.totals, revision: ofCpu.revision, facts: ofCpu.facts, own: ofCpu.ownSamples };
  for (const [capture, type, shown] of [
    [ofCpu, "off-cpu", ofBlocked],
    [ofBlocked, "cpu", ofCpu],
    [ofCpu, "cpu", ofCpu],
  ] as const) {
    const answers = capture.of(type);
    assert.ok(answers !== undefined);
    assert.deepEqual([answers.type, answers.unit], [type, shown.facts.unit]);
    assert.deepEqual(answers.totals, shown.totals);
    for (let index = 0; index < capture.functions.length; index++) {
      assert.deepEqual(answers.functionCounts(index), shown.functionCounts(index));
      assert.deepEqual(answers.functionLines(index), shown.functionLines(index));
      assert.deepEqual(answers.placeDetail(index), shown.placeDetail(index));
    }
    for (const index of own)
      for (const { line } of shown.functionLines(index))
        assert.deepEqual(answers.placeDetail(index, line), shown.placeDetail(index, line));
  }
  assert.ok((ofCpu.of("off-cpu")?.functionCounts(own[1] as number).own ?? 0) > 0);
  assert.equal(ofCpu.of("alloc"), undefined);
  assert.deepEqual(
    { totals: ofCpu.totals, revision: ofCpu.revision, facts: ofCpu.facts, own: ofCpu.ownSamples },
    before,
    "nothing else is shown",
  );
});

test("all types cross to another thread, with the columns", async () => {
  const parts = await readCapture(BYTES);
  const columns = columnsIn(parts).length;
  const capture = captureOf(structuredClone(parts));
  const here = decodeCapture(BYTES);
  assert.deepEqual(capture.of("off-cpu")?.totals, here.of("off-cpu")?.totals);
  for (const type of ["off-cpu", "cpu"] as const) {
    capture.show(type);
    here.show(type);
    assert.deepEqual(capture.top(), here.top());
    assert.deepEqual(capture.facts, here.facts);
  }
  const rows = Object.values(parts.tables.rows);
  assert.equal(rows.length, 2);
  assert.ok(rows.every((one) => columnsIn(one).every((column) => columnsIn(parts).includes(column))));
  assert.ok(columns > columnsIn(rows[0] ?? {}).length);
});

/** Its rows follow; `types` are pairs of name and unit. */
function twoTypes(types: readonly (readonly [string, string])[] = TWO): ProfileBuilder {
  const profile = new ProfileBuilder();
  for (const [name, unit] of types) profile.type(name, unit);
  profile.periodType("cpu", "nanoseconds", 10 * MS);
  profile.comment('extrospect/target {"pid":7,"otp_release":"25"}').comment('extrospect/settings {"frequency_hz":100}');
  profile
    .mapping(1, "beam.smp")
    .function(1, "m:f/1", "erlang!m:f/1", "m.erl", 3)
    .location(1, [[1, 4]]);
  return profile;
}

const TWO = [
  ["samples", "count"],
  ["cpu", "nanoseconds"],
  ["off_cpu_blocks", "count"],
  ["off_cpu", "nanoseconds"],
] as const;

describe("rows of several types", () => {
  const shown = (profile: ProfileBuilder) => {
    const capture = decodeCapture(profile.gzip());
    const cpu = capture.totals.samples;
    capture.show("off-cpu");
    return [cpu, capture.totals.samples];
  };
  const row = (values: readonly number[], unusual = false) => twoTypes().sample({ locations: [1], values, unusual });

  test("a row counts for the type that it has a value of, packed or not", () => {
    for (const unusual of [false, true]) {
      assert.deepEqual(shown(row([3, 30 * MS, 0, 0], unusual)), [3, 0]);
      assert.deepEqual(shown(row([0, 0, 1, 5 * MS], unusual)), [0, 5]);
      // A further part of a block: counted with its first one.
      assert.deepEqual(shown(row([0, 0, 0, 5 * MS], unusual)), [0, 5]);
    }
  });

  test("one with values of both counts once, for the first; one with none for nothing", () => {
    assert.deepEqual(shown(row([3, 30 * MS, 1, 5 * MS])), [3, 0]);
    assert.deepEqual(shown(row([0, 0, 0, 0])), [0, 0]);
  });

  test("parts of a millisecond add up, also over increments", () => {
    const capture = newCapture();
    capture.append(row([0, 0, 1, 0.6 * MS]).gzip());
    capture.show("off-cpu");
    assert.equal(capture.totals.samples, 0);
    const increment = new ProfileBuilder();
    // Strings go on from those of the message before.
    capture.append(increment.sample({ locations: [1], values: [0, 0, 1, 0.6 * MS] }).gzip());
    assert.equal(capture.totals.samples, 1);
    capture.append(new ProfileBuilder().sample({ locations: [1], values: [1, 10 * MS, 0, 0] }).gzip());
    assert.equal(capture.totals.samples, 1);
    capture.show("cpu");
    assert.equal(capture.totals.samples, 1);
  });

  test("increments count for a type that is not shown, and damaged ones for none", () => {
    const capture = newCapture();
    assert.equal(capture.of("off-cpu"), undefined);
    capture.append(row([0, 0, 1, 5 * MS]).gzip());
    const index = capture.functionNamed("m:f/1");
    const total = () => capture.of("off-cpu")?.functionCounts(index).total;
    assert.equal(total(), 5);
    const increment = (values: readonly number[]) => new ProfileBuilder().sample({ locations: [1], values });
    capture.append(increment([0, 0, 1, 2 * MS]).gzip());
    assert.equal(total(), 7);
    capture.append(increment([3, 30 * MS, 0, 0]).gzip());
    assert.equal(total(), 7);
    const damaged = increment([0, 0, 1, 2 * MS]).sample({ locations: [99], values: [0, 0, 1, 2 * MS] });
    assert.throws(() => capture.append(damaged.gzip()), CaptureError);
    assert.equal(total(), 7);
    assert.equal(capture.functionCounts(index).total, 3);
  });

  test("a negative value has no share of anything, and a row of too few or too many values is damaged", () => {
    assert.deepEqual(shown(row([0, 0, 1, -5 * MS])), [0, 0]);
    for (const values of [[0, 0, 1, 1, 1], [], [0, 0, 1]])
      assert.throws(
        () => decodeCapture(row(values).gzip()),
        (error) => error instanceof CaptureError && error.problem === "damaged",
        JSON.stringify(values),
      );
  });

  test("a damaged increment leaves all types as they were", () => {
    const capture = newCapture();
    capture.append(row([0, 0, 1, 5 * MS]).gzip());
    const damaged = new ProfileBuilder()
      .sample({ locations: [1], values: [0, 0, 1, 7 * MS] })
      .sample({ locations: [99], values: [0, 0, 1, 7 * MS] });
    assert.throws(() => capture.append(damaged.gzip()), CaptureError);
    capture.show("off-cpu");
    assert.equal(capture.totals.samples, 5);
  });

  test("a file of blocked time alone counts no block as a sample", () => {
    const capture = decodeCapture(
      twoTypes(TWO.slice(2))
        .sample({ locations: [1], values: [1, 5 * MS] })
        .sample({ locations: [1], values: [1, 2 * MS] })
        .gzip(),
    );
    assert.deepEqual(capture.facts.types, ["off-cpu"]);
    assert.equal(capture.facts.unit, "ms of blocked time");
    assert.equal(capture.totals.samples, 7);
  });
});

describe("a capture of several VMs with two types", () => {
  const of = (cpu: number, blockedMs: number, types: readonly (readonly [string, string])[] = TWO) =>
    decodeCapture(
      twoTypes(types)
        .sample({ locations: [1], values: [cpu, cpu * 10 * MS, 0, 0].slice(0, types.length) })
        .sample({ locations: [1], values: [0, 0, 1, blockedMs * MS].slice(0, types.length) })
        .gzip(),
    );

  test("has the sums of both, whatever the captures show", () => {
    const [one, other] = [of(3, 5), of(4, 8)];
    other.show("off-cpu");
    const joined = joinedCapture();
    joined.addNode("one", one);
    joined.addNode("other", other);
    joined.catchUp();
    assert.equal(joined.totals.samples, 7);
    assert.deepEqual(joined.facts.types, ["cpu", "off-cpu"]);
    assert.equal(joined.facts.unit, "samples");
    assert.equal(joined.of("off-cpu")?.totals.samples, 13);
    joined.show("off-cpu");
    assert.equal(joined.totals.samples, 13);
    assert.equal(joined.of("cpu")?.totals.samples, 7);
    one.show("off-cpu");
    joined.catchUp();
    assert.equal(joined.totals.samples, 13);
    assert.equal(joined.facts.unit, "ms of blocked time");
  });

  test("takes none with other types", () => {
    const joined = joinedCapture();
    joined.addNode("one", of(3, 5));
    assert.throws(
      () => joined.addNode("other", of(4, 0, TWO.slice(0, 2))),
      /types of samples are not those of the others/,
    );
  });
});
