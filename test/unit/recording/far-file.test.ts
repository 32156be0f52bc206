// The file of a capture on another host, which may report anything about it.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { HelperConnection } from "../../../extension/src/helper/helper-connection.js";
import { FarFile } from "../../../extension/src/recording/far-file.js";

/** A far file with the part that has arrived, on a host that answers in this way. */
async function farFile(t: TestContext, read: (from: number) => unknown) {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-far-file-"));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const asked: string[] = [];
  const helper = {
    request: (method: string, params: { from?: number }) => {
      asked.push(method);
      return Promise.resolve(method === "extrospect/capture/read" ? read(params.from ?? 0) : null);
    },
    listen: () => ({ dispose: () => {} }),
  } as unknown as HelperConnection;
  const file = join(folder, "x.pb.gz");
  const far = new FarFile(helper, 3, file);
  far.append(Buffer.from("arrived"));
  await far.settled();
  return { far, file, folder, isRemovedThere: () => asked.includes("extrospect/capture/remove") };
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

test("at the end the whole file takes the place of what has arrived, and is removed there", async (t) => {
  const whole = "the whole capture";
  const { far, file, folder, isRemovedThere } = await farFile(t, (from) => ({
    base64: base64(whole.slice(from, from + 5)),
    fileBytes: whole.length,
  }));
  // An editor that was killed has left one; nothing is written to where it leads.
  const elsewhere = join(folder, "elsewhere");
  writeFileSync(elsewhere, "not ours");
  symlinkSync(elsewhere, `${file}.part`);
  await far.complete();
  assert.equal(far.problem, undefined);
  assert.equal(readFileSync(file, "utf8"), whole);
  assert.equal(readFileSync(elsewhere, "utf8"), "not ours");
  assert.ok(isRemovedThere());
});

for (const fileBytes of [undefined, null, "many", NaN, -1, 2 ** 40, 9]) {
  test(`received data stays when the host claims that the file has ${String(fileBytes)} bytes`, async (t) => {
    const { far, file, isRemovedThere } = await farFile(t, (from) => ({
      base64: from === 0 ? base64("lie") : "",
      fileBytes,
    }));
    await far.complete();
    assert.match(far.problem?.message ?? "", /does not send the capture/);
    assert.equal(readFileSync(file, "utf8"), "arrived");
    assert.equal(existsSync(`${file}.part`), false);
    assert.equal(isRemovedThere(), false);
  });
}

test("a piece that was left out is read, unless the host claims that it is longer than a file may be", async (t) => {
  const { far } = await farFile(t, () => ({ base64: base64("abcdef"), fileBytes: 6 }));
  assert.equal(Buffer.from(await far.readRange("", 0, 4)).toString(), "abcd");
  for (const to of [2 ** 40, undefined, "many"])
    await assert.rejects(far.readRange("", 0, to as number), /a length that no capture has/);
});
