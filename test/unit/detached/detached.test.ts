// Detached captures as a host tells of them, which may say anything.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { detachedGiven } from "../../../extension/src/detached/detached-arguments.js";
import { detachedDescription, isDetachedName, knownDetached, suggestedName } from "../../../extension/src/detached/detached-rows.js";
import { fetchDetached } from "../../../extension/src/detached/fetch-detached.js";
import { listedDetached } from "../../../extension/src/detached/listed-detached.js";
import type { HelperConnection } from "../../../extension/src/helper/helper-connection.js";
import { GERMAN } from "../german.js";
import { ENGLISH } from "../recording/fakes.js";

const FACTS = { targetPid: 42, node: "shop@a", begunUnixMs: 1_795_475_424_480, end: null, problem: null };
const one = (more: object) => knownDetached([{ name: "night", state: "recording", fileBytes: 1_200_000, facts: FACTS, ...more }])[0];

test("what makes no sense is no row, and no part of one", () => {
  for (const answer of [undefined, null, "x", {}, [1, null, "x", []]]) assert.deepEqual(knownDetached(answer), []);
  for (const name of [undefined, 1, "", "..", "../x", "-o", "a b", "a\u202eb", "x".repeat(65), "$(x)", "a\n"]) assert.equal(one({ name }), undefined, String(name));
  assert.equal(one({ state: "exploded" }), undefined);
  const row = one({ fileBytes: -1, facts: { targetPid: 1e9, node: 7, begunUnixMs: 1e300, end: 7, problem: { what: 7 } } });
  assert.deepEqual(row, { name: "night", state: "recording", fileBytes: 0, pid: undefined, node: "", begunMs: undefined, end: undefined, problem: undefined });
  assert.equal(knownDetached(Array.from({ length: 1000 }, () => ({ name: "a", state: "ended", fileBytes: 0, facts: null }))).length, 200);
});

test("a row says how it is, in either language", () => {
  const shown = (more: object, words = ENGLISH) => {
    const row = one(more);
    assert.ok(row);
    return detachedDescription(row, words, "en");
  };
  assert.match(shown({}), /^recording since .* · 1\.2 MB · shop@a$/);
  assert.match(shown({ state: "starting", facts: null }), /^starting · /);
  assert.match(shown({ state: "endedUnexpectedly" }), /^ended unexpectedly · .* · shop@a$/);
  assert.match(shown({ state: "ended", facts: { ...FACTS, node: "", end: "sizeLimit" } }), /^ended: as large as it may be · .* · pid 42$/);
  assert.match(shown({ state: "ended", facts: { ...FACTS, end: "writeFailed", problem: { what: "no space\u001b[2J left" } } }), /^ended: no space \[2J left · /);
  assert.match(shown({ state: "ended", facts: { ...FACTS, end: "duration" } }, GERMAN), /^beendet: die Zeit war um · /);
  assert.match(shown({ facts: { ...FACTS, node: `${"x".repeat(500)}\u202e` } }), /x…$/);
});

test("what is offered as a name is one", () => {
  const now = new Date(2026, 10, 23, 7, 5);
  assert.equal(suggestedName("shop@a", 42, now), "shop-1123-0705");
  for (const node of [null, "", "@a", "../../x", "-rf", "ä ö", "x".repeat(300)]) assert.ok(isDetachedName(suggestedName(node, 42, now)), String(node));
});

test("commands take a row or a name, and nothing else", () => {
  const row = one({});
  assert.deepEqual(detachedGiven({ detached: row }), { name: "night", host: undefined, isRunning: true, isConfirmed: false });
  assert.deepEqual(detachedGiven({ name: "night", host: "web1" }), { name: "night", host: { ssh: "web1" }, isRunning: false, isConfirmed: false });
  for (const given of [undefined, null, "night", {}, { name: "../x" }, { name: "night", host: 7 }]) assert.equal(detachedGiven(given), undefined);
});

/** A helper that answers reads in this way. */
function helperWith(read: (from: number) => unknown): HelperConnection {
  return {
    request: (method: string, params: { from?: number }) => (method === "extrospect/detached/read" ? Promise.resolve(read(params.from ?? 0)) : Promise.reject(new Error("no"))),
    listen: () => ({ dispose: () => {} }),
  } as unknown as HelperConnection;
}

function room(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-fetch-"));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return join(folder, "x.pb.gz");
}

test("a file that is rewritten while it is fetched is fetched from its start, and one that grows as it was at first", async (t) => {
  const file = room(t);
  let reads = 0;
  const texts = { old: "old old old", new: "new text" };
  await fetchDetached(
    helperWith((from) => {
      const name = ++reads < 3 ? "old" : "new";
      return { base64: Buffer.from(texts[name].slice(from, from + 4)).toString("base64"), fileBytes: texts[name].length, fileId: name };
    }),
    "night",
    file,
  );
  assert.equal(readFileSync(file, "utf8"), "new text");
  await fetchDetached(
    helperWith((from) => ({ base64: Buffer.from("0123456789".slice(from, from + 4)).toString("base64"), fileBytes: 6 + from, fileId: "a" })),
    "night",
    file,
  );
  assert.equal(readFileSync(file, "utf8"), "012345");
});

test("a host that lies costs what was there nothing, and ends", async (t) => {
  const file = room(t);
  writeFileSync(file, "before");
  const text = Buffer.from("x").toString("base64");
  let number = 0;
  const lies = [
    () => ({ base64: "", fileBytes: 10, fileId: "a" }),
    () => ({ base64: text, fileBytes: 2 ** 40, fileId: "a" }),
    () => ({ base64: text, fileBytes: "many", fileId: "a" }),
    () => ({ base64: text, fileId: "a" }),
    () => ({ base64: text, fileBytes: -1, fileId: "a" }),
    () => ({ base64: text, fileBytes: 0.5, fileId: "a" }),
    () => ({ base64: text, fileBytes: 10, fileId: String((number += 1)) }),
  ];
  for (const lie of lies) await assert.rejects(fetchDetached(helperWith(lie), "night", file));
  assert.equal(readFileSync(file, "utf8"), "before");
  assert.equal(existsSync(`${file}.part`), false);
});

test("where they cannot be listed the VMs beside them are, all the same", async () => {
  const warnings: string[] = [];
  assert.deepEqual(
    await listedDetached(
      helperWith(() => undefined),
      { warn: (message) => warnings.push(message) },
    ),
    [],
  );
  assert.equal(warnings.length, 1);
});
