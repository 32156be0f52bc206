// Long collections and calls, as a capture has them beside its samples.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeCapture, newCapture } from "../../../extension/src/capture/capture-model.js";
import { joinedCapture } from "../../../extension/src/capture/joined-capture.js";
import { MAX_STAYS } from "../../../extension/src/capture/limits.generated.js";
import { ProfileBuilder } from "./profile-builder.js";

const ours = () => new ProfileBuilder().type("samples", "count").comment('extrospect/target {"node":"a"}');
const [COLLECTION, MAJOR, NIF] = [1, 3, 4] as const;
/** @param atMs of its first sample */
const numbers = (atMs: number, lastsMs: number, kind: number = NIF) => ({
  1: atMs * 1000,
  2: lastsMs * 1000,
  3: 2,
  4: kind,
});
const TEXTS = { 5: "1", 6: "<0.123.0>", 7: "shop", 8: "shop:build/1", 10: "shop_c:price/1" };
const UNKNOWN = { scheduler: "", pid: "", process: "", functionName: "", called: "" };

test("a stay has its time, kind and names, and those that come later are added", () => {
  const capture = newCapture();
  capture.append(ours().gzip());
  assert.deepEqual(capture.stays(9), []);
  assert.equal(capture.facts.stays, undefined);
  capture.append(new ProfileBuilder().stay({ ...numbers(2000, 40), 9: 12 }, TEXTS).gzip());
  capture.append(new ProfileBuilder().stay(numbers(500, 300, MAJOR)).gzip());
  assert.deepEqual(capture.stays(9), [
    { ...UNKNOWN, fromMs: 500, toMs: 800, kind: "majorCollection" },
    {
      fromMs: 2000,
      toMs: 2040,
      kind: "nif",
      scheduler: "1",
      pid: "<0.123.0>",
      process: "shop",
      functionName: "shop:build/1",
      called: "shop_c:price/1",
    },
  ]);
  assert.deepEqual(
    capture.stays(1).map(({ fromMs }) => fromMs),
    [500],
  );
});

test("what makes no sense is no stay, and does no harm", () => {
  const capture = decodeCapture(
    ours()
      .stay({ ...numbers(1, 2), 4: 99 })
      .stay({ ...numbers(1, 2), 3: 1 })
      .stay({})
      .stay(numbers(1, 2), { 8: "x".repeat(40_000) })
      .stay(numbers(3, 4, COLLECTION))
      .scalar(1002, 7)
      .gzip(),
  );
  assert.deepEqual(capture.stays(9), [{ ...UNKNOWN, fromMs: 3, toMs: 7, kind: "collection" }]);
});

test("of very many the longest are kept", () => {
  const profile = ours();
  for (let lastsMs = 1; lastsMs <= MAX_STAYS + 1; lastsMs++) profile.stay(numbers(1, lastsMs));
  const capture = decodeCapture(profile.gzip());
  assert.equal(capture.facts.stays?.length, MAX_STAYS / 2 + 1);
  assert.equal(capture.stays(1)[0]?.toMs, MAX_STAYS + 2);
});

test("the counts of a capture are in its quality", () => {
  const quality = 'extrospect/quality {"samples":3,"stays":{"period_us":10101,"collections":2,"collections_ms":-1}}';
  assert.deepEqual(decodeCapture(ours().comment(quality).gzip()).facts.quality?.stays, {
    period_us: 10_101,
    collections: 2,
    collections_ms: 0,
    calls: 0,
    calls_ms: 0,
    left_out: 0,
  });
  assert.equal(decodeCapture(ours().gzip()).facts.quality?.stays, undefined);
});

test("stays of several VMs are shifted as their samples are, and have their node", () => {
  const begun = (startedUnixMs: number) =>
    decodeCapture(
      ours()
        .comment(`extrospect/settings {"frequency_hz":99,"started_unix_ns":${startedUnixMs}000000}`)
        .stay(numbers(100, 40))
        .gzip(),
    );
  const joined = joinedCapture();
  joined.addNode("first", begun(1_000_000));
  joined.addNode("second", begun(1_001_000));
  joined.catchUp();
  assert.deepEqual(
    joined.stays(9).map(({ node, fromMs }) => [node, fromMs]),
    [
      ["first", 100],
      ["second", 1100],
    ],
  );
});
