// Detached captures as a host reports them, which may report anything.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { detachedGiven } from "../../../extension/src/detached/detached-arguments.js";
import {
  detachedDescription,
  isDetachedName,
  knownDetached,
  suggestedName,
} from "../../../extension/src/detached/detached-rows.js";
import { DetachedOrigins } from "../../../extension/src/detached/detached-origins.js";
import { fetchDetached } from "../../../extension/src/detached/fetch-detached.js";
import { followDetached } from "../../../extension/src/detached/follow-detached.js";
import { listedDetached, unlistedText } from "../../../extension/src/detached/listed-detached.js";
import type { HelperConnection } from "../../../extension/src/helper/helper-connection.js";
import { errorText, errorWords } from "../../../extension/src/text/error-text.js";
import { GERMAN } from "../german.js";
import { ENGLISH } from "../recording/fakes.js";

const FACTS = { targetPid: 42, node: "shop@a", begunUnixMs: 1_795_475_424_480, end: null, problem: null };
const one = (more: object) =>
  knownDetached([{ name: "night", state: "recording", fileBytes: 1_200_000, facts: FACTS, ...more }])[0];

test("what makes no sense is no row, and no part of one", () => {
  for (const answer of [undefined, null, "x", {}, [1, null, "x", []]]) assert.deepEqual(knownDetached(answer), []);
  for (const name of [undefined, 1, "", "..", "../x", "-o", "a b", "a\u202eb", "x".repeat(65), "$(x)", "a\n"])
    assert.equal(one({ name }), undefined, String(name));
  assert.equal(one({ state: "exploded" }), undefined);
  const row = one({
    fileBytes: -1,
    facts: {
      targetPid: 1e9,
      node: 7,
      begunUnixMs: 1e300,
      end: 7,
      problem: { what: 7 },
      halted: { reason: "bored", ms: 1 },
    },
  });
  assert.deepEqual(row, {
    name: "night",
    state: "recording",
    fileBytes: 0,
    pid: undefined,
    node: "",
    begunMs: undefined,
    end: undefined,
    problem: undefined,
    halted: undefined,
  });
  for (const halted of [7, null, {}, { reason: "stopped", ms: -1 }, { reason: "stopped", ms: "long" }])
    assert.equal(one({ facts: { ...FACTS, halted } })?.halted, undefined, JSON.stringify(halted));
  assert.equal(
    knownDetached(Array.from({ length: 1000 }, () => ({ name: "a", state: "ended", fileBytes: 0, facts: null })))
      .length,
    200,
  );
});

test("a row shows its state, in either language", () => {
  const shown = (more: object, words = ENGLISH) => {
    const row = one(more);
    assert.ok(row);
    return detachedDescription(row, words, "en");
  };
  assert.match(shown({}), /^recording since .* · 1\.2 MB · shop@a$/);
  assert.match(shown({ state: "starting", facts: null }), /^starting · /);
  assert.match(shown({ state: "endedUnexpectedly" }), /^ended unexpectedly · .* · shop@a$/);
  assert.match(
    shown({ state: "ended", facts: { ...FACTS, node: "", end: "sizeLimit" } }),
    /^ended: as large as it may be · .* · pid 42$/,
  );
  assert.match(
    shown({ state: "ended", facts: { ...FACTS, end: "writeFailed", problem: { what: "no space\u001b[2J left" } } }),
    /^ended: no space \[2J left · /,
  );
  const halted = (ms: number) => ({
    state: "ended",
    facts: { ...FACTS, end: "stopped", halted: { reason: "frozen", ms } },
  });
  assert.match(
    shown(halted(2100)),
    /^ended: stopped · The VM did not run for at least 2 s: its control group was frozen · .* · shop@a$/,
  );
  assert.match(shown(halted(0)), / · The VM did not run for a time: its control group was frozen · /);
  assert.match(shown({ state: "ended", facts: { ...FACTS, end: "duration" } }, GERMAN), /^beendet: die Zeit war um · /);
  assert.match(shown({ facts: { ...FACTS, node: `${"x".repeat(500)}\u202e` } }), /x…$/);
});

test("what is offered as a name is one", () => {
  const now = new Date(2026, 10, 23, 7, 5);
  assert.equal(suggestedName("shop@a", 42, now), "shop-1123-0705");
  for (const node of [null, "", "@a", "../../x", "-rf", "ä ö", "x".repeat(300)])
    assert.ok(isDetachedName(suggestedName(node, 42, now)), String(node));
});

test("commands take a row or a name, and nothing else", () => {
  const row = one({});
  assert.deepEqual(detachedGiven({ detached: row }), {
    name: "night",
    host: undefined,
    isRunning: true,
    isConfirmed: false,
  });
  assert.deepEqual(detachedGiven({ name: "night", host: "web1" }), {
    name: "night",
    host: { ssh: "web1" },
    isRunning: false,
    isConfirmed: false,
  });
  for (const given of [undefined, null, "night", {}, { name: "../x" }, { name: "night", host: 7 }])
    assert.equal(detachedGiven(given), undefined);
});

/** A helper that answers reads in this way. */
function helperWith(read: (from: number) => unknown): HelperConnection {
  return {
    request: (method: string, params: { from?: number }) =>
      method === "extrospect/detached/read" ? Promise.resolve(read(params.from ?? 0)) : Promise.reject(new Error("no")),
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
      return {
        base64: Buffer.from(texts[name].slice(from, from + 4)).toString("base64"),
        fileBytes: texts[name].length,
        fileId: name,
      };
    }),
    "night",
    file,
  );
  assert.equal(readFileSync(file, "utf8"), "new text");
  await fetchDetached(
    helperWith((from) => ({
      base64: Buffer.from("0123456789".slice(from, from + 4)).toString("base64"),
      fileBytes: 6 + from,
      fileId: "a",
    })),
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

/** A helper whose file and state a test changes, and the result of following it. */
async function followedFile(looks: ((file: { bytes: Buffer; id: string; state: string }) => void)[], from: number) {
  const file = { bytes: Buffer.concat([gzipSync("one"), gzipSync("two")]), id: "a", state: "recording" };
  const came: string[] = [];
  const helper = {
    request: (method: string, params: { from?: number; maxBytes?: number }) => {
      const row = { name: "night", state: file.state, fileBytes: file.bytes.length, facts: null };
      if (method === "extrospect/detached/list") return Promise.resolve({ captures: [row] });
      const [start, most] = [params.from ?? 0, Math.min(params.maxBytes ?? 0, 24)];
      return Promise.resolve({
        base64: file.bytes.subarray(start, start + most).toString("base64"),
        fileBytes: file.bytes.length,
        fileId: file.id,
      });
    },
  } as unknown as HelperConnection;
  let isWanted = true;
  const end = await followDetached(
    helper,
    "night",
    { fileId: "a", bytes: from },
    {
      grew: (bytes) => {
        came.push(gunzipSync(bytes).toString());
        return Promise.resolve();
      },
      isWanted: () => isWanted,
      pause: () => {
        const look = looks.shift();
        if (look === undefined) isWanted = false;
        look?.(file);
        return Promise.resolve();
      },
    },
  );
  return { end, came };
}

test("what grows is followed by whole members, until it was rewritten and has ended", async () => {
  const first = gzipSync("one").length;
  const [third, fourth] = [
    gzipSync("three"),
    gzipSync("fourth, longer than one answer: 0123456789 abcdefghijklmnopqrstuvwxyz"),
  ];
  const add = (bytes: Buffer) => (file: { bytes: Buffer }) => {
    file.bytes = Buffer.concat([file.bytes, bytes]);
  };
  const nothing = () => {};
  const looks = [
    nothing,
    add(third.subarray(0, 9)),
    nothing,
    add(third.subarray(9)),
    nothing,
    add(fourth),
    nothing,
    nothing,
    nothing,
    nothing,
    nothing,
  ];
  const followed = await followedFile(
    [
      ...looks,
      (file) => {
        file.bytes = Buffer.concat([third]);
        file.id = "b";
      },
      nothing,
      (file) => (file.state = "ended"),
    ],
    first,
  );
  assert.deepEqual(followed, {
    end: "ended",
    came: ["two", "three", "fourth, longer than one answer: 0123456789 abcdefghijklmnopqrstuvwxyz"],
  });
  assert.deepEqual(await followedFile([nothing, nothing], first), { end: "left", came: ["two"] });
  // When one is deleted and another of that name begins, the wait for it has an end.
  assert.equal(
    (
      await followedFile(
        Array.from({ length: 100 }, () => (file: { id: string }) => {
          file.id = "c";
        }),
        first,
      )
    ).end,
    "ended",
  );
});

test("a host that lies about what grows is left", async () => {
  const length = gzipSync("one").length + gzipSync("two").length;
  const lie = (file: { bytes: Buffer }) => {
    file.bytes = Buffer.concat([
      file.bytes,
      Buffer.from([0x1f, 0x8b]),
      Buffer.from("no gzip at all, whatever it says"),
    ]);
  };
  await assert.rejects(followedFile([lie, () => {}, () => {}, () => {}], length));
  const helper = {
    request: () => Promise.resolve({ base64: "", fileBytes: 2 ** 40, fileId: "a" }),
  } as unknown as HelperConnection;
  const follower = { grew: () => Promise.resolve(), isWanted: () => true, pause: () => Promise.resolve() };
  await assert.rejects(followDetached(helper, "night", { fileId: "a", bytes: 0 }, follower), (error) => {
    assert.match(errorText(error), /a length that no capture has/);
    assert.equal(errorWords(error, GERMAN), "der Rechner meldet eine Länge, die keine Aufnahme hat");
    return true;
  });
});

test("where they cannot be listed the VMs beside them are, and the view has the reason in either language", async () => {
  const warnings: string[] = [];
  const log = { warn: (message: string) => warnings.push(message) };
  const listed = await listedDetached(
    helperWith(() => undefined),
    log,
  );
  assert.deepEqual(listed.captures, []);
  assert.equal(warnings.length, 1);
  assert.equal(unlistedText(listed, ENGLISH), "Captures in the background could not be listed: no");
  assert.equal(unlistedText(listed, GERMAN), "Die Aufnahmen im Hintergrund ließen sich nicht auflisten: no");
  assert.equal(unlistedText({ captures: [] }, ENGLISH), "");
  const hostile = unlistedText({ captures: [], failure: new Error(`a\u202e${"x".repeat(5000)}`) }, ENGLISH);
  assert.doesNotMatch(hostile, /\u202e/u);
  assert.ok(hostile.length < 600);
});

test("the commit that the workspace was at is known of that capture, and of no other of its name", async () => {
  const kept = new Map<string, unknown>();
  const origins = new DetachedOrigins({
    get: (key) => kept.get(key),
    update: (key, value) => {
      kept.set(key, JSON.parse(JSON.stringify(value)));
      return Promise.resolve();
    },
  });
  const origin = {
    repository: "",
    commit: "a".repeat(40),
    branch: "main",
    describe: "v1",
    dirty: false,
    diffHash: "",
    assigned: false,
    sources: {},
  };
  const night = { name: "night", host: { ssh: "web" }, begunMs: 7 };
  await origins.note(night, { top: "/shop", origin });
  assert.deepEqual(origins.find(night)?.origin, origin);
  for (const other of [
    { ...night, begunMs: 8 },
    { ...night, host: undefined },
    { ...night, host: { ssh: "db" } },
    { ...night, name: "day" },
  ])
    assert.equal(origins.find(other), undefined);
  for (let begunMs = 100; begunMs < 200; begunMs += 1)
    await origins.note({ ...night, begunMs }, { top: "/shop", origin });
  assert.equal(origins.find(night), undefined);
  assert.ok(JSON.stringify([...kept.values()]).length < 50_000);
  for (const [key] of kept)
    for (const garbage of [7, "x", [null, 7, {}, { of: 7 }, { of: "x", top: "y", origin: 7 }]]) {
      kept.set(key, garbage);
      assert.equal(origins.find(night), undefined);
    }
});
