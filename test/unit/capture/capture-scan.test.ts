import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import { CaptureError, decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { elsewhereMember, originMember, scanCapture, userMember } from "../../../extension/src/capture/capture-scan.js";
import { ProfileScanner } from "../../../extension/src/capture/decode/profile-scan.js";
import { ProfileBuilder } from "./profile-builder.js";

const DEMO = readFileSync("test/unit/capture/fixtures/demo.pb.gz");
const GROWING = readFileSync("test/unit/capture/fixtures/demo-growing.pb.gz");
const ORIGIN = {
  repository: "https://host/shop.git",
  commit: "0123456789abcdef0123456789abcdef01234567",
  branch: "größer",
  dirty: true,
  describe: "v1.2",
  sources: { "src/shop.erl": "0123456789abcdef0123456789abcdef01234567" },
  assigned: true,
};
const USER = { note: "before\nthe change", tags: ["slow", "größer"], pinned: true };

function fileOf(t: TestContext, bytes: Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-scan-"));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, "a.pb.gz");
  writeFileSync(file, bytes);
  return file;
}

test("a scan has the facts of a capture that is read", async (t) => {
  for (const bytes of [DEMO, GROWING, gunzipSync(DEMO)]) {
    const scanned = await scanCapture(fileOf(t, bytes));
    const { facts } = decodeCapture(bytes);
    assert.deepEqual(scanned.target, facts.target);
    assert.deepEqual(scanned.quality, facts.quality);
    assert.deepEqual(
      [scanned.startedUnixMs, scanned.durationMs, scanned.isCut, scanned.fileBytes],
      [facts.startedUnixMs, facts.durationMs, false, bytes.length],
    );
  }
});

test("the pieces may be cut anywhere", () => {
  const message = gunzipSync(DEMO);
  const whole = new ProfileScanner();
  whole.push(message);
  for (const size of [1, 7, 4096]) {
    const scanner = new ProfileScanner();
    for (let at = 0; at < message.length; at += size) scanner.push(message.subarray(at, at + size));
    assert.deepEqual(scanner.result(), whole.result());
  }
});

test("what is appended is read by the capture and by the next scan, and nothing before it changes", async (t) => {
  for (const before of [DEMO, GROWING]) {
    let bytes = Buffer.from(before);
    for (const member of [
      (strings: number) => userMember(strings, { ...USER, note: "" }),
      (strings: number) => originMember(strings, ORIGIN),
      elsewhereMember,
      (strings: number) => userMember(strings, USER),
    ]) {
      const { strings } = await scanCapture(fileOf(t, bytes));
      bytes = Buffer.concat([bytes, member(strings)]);
    }
    const [then, now] = [decodeCapture(before), decodeCapture(bytes)];
    assert.deepEqual(now.facts, { ...then.facts, origin: ORIGIN, isFromElsewhere: true, user: USER });
    assert.deepEqual(now.top(), then.top());
    const scanned = await scanCapture(fileOf(t, bytes));
    assert.deepEqual([scanned.origin, scanned.user], [ORIGIN, USER]);
    // A capture in memory takes the member as it takes an increment.
    const { strings } = await scanCapture(fileOf(t, before));
    then.append(userMember(strings, USER));
    assert.deepEqual(then.facts.user, USER);
  }
});

test("a cut file is marked as cut, and one that is no capture is refused", async (t) => {
  assert.equal((await scanCapture(fileOf(t, DEMO.subarray(0, DEMO.length - 200)))).isCut, true);
  const { strings } = await scanCapture(fileOf(t, new ProfileBuilder().type("samples", "count").gzip()));
  assert.equal(strings, 3);
  for (const bytes of [
    "",
    "no capture at all, but a text that goes on",
    new Uint8Array([0x1f, 0x8b, 8, 0, 1]),
    new Uint8Array(1000),
  ])
    await assert.rejects(
      scanCapture(fileOf(t, Buffer.from(bytes))),
      (error) => error instanceof CaptureError || error instanceof Error,
    );
});
