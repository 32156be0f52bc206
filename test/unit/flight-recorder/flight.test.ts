// A VM that is watched until a condition holds, by a helper that the tests answer for; on a host it may report
// anything.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { FlightLookedParams, FlightWrittenParams } from "../../../contract/protocol.generated.js";
import { Flight, type FlightEnd } from "../../../extension/src/flight-recorder/flight.js";
import { HelperError } from "../../../extension/src/helper/helper-error.js";
import { FakeHelper, TARGET } from "../recording/fakes.js";
import { until } from "../../until.mjs";

const LOOKED: FlightLookedParams = {
  flightId: 5,
  elapsedSeconds: 1,
  isWriting: false,
  values: [{ quantity: "mailbox", value: 12, isBytes: false, process: "<0.83.0>" }],
  unknown: [],
  files: 0,
  failed: 0,
};
const WRITTEN: FlightWrittenParams = {
  flightId: 5,
  captureId: 9,
  file: "/there/shop.00001.pb.gz",
  fileBytes: 4,
  found: LOOKED.values,
  fromSeconds: 2,
  triggeredSeconds: 62,
  untilSeconds: 92.5,
};

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-flight-"));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** One whose helper is here, or on a host. @param attached is called when it is attached to its VM */
function flightOf(t: TestContext, isFar = false, attached: (helper: FakeHelper) => void = () => {}) {
  const folder = folderOf(t);
  const helper = new FakeHelper();
  helper.answers["extrospect/flight/start"] = () => ({ flightId: 5, engine: { name: "readv", reason: "asked for" } });
  helper.answers["extrospect/flight/stop"] = () => ({
    flightId: 5,
    reason: "stopped",
    problem: null,
    files: 0,
    failed: 0,
  });
  const written: string[] = [];
  const ended: FlightEnd[] = [];
  let changes = 0;
  let names = 0;
  const flight = new Flight(
    {
      pid: 4242,
      condition: "mailbox>10",
      beforeSeconds: 60,
      afterSeconds: 30,
      maxFiles: 2,
      durationSeconds: 3600,
      frequencyHz: 99,
      includeKernel: false,
      engine: "auto",
      fileFor: (target) => {
        attached(helper);
        return Promise.resolve(join(folder, `${String(target.pid)}.pb.gz`));
      },
      freeFile: (stem) => `${stem}.${String(++names)}`,
      origin: Promise.resolve(undefined),
    },
    {
      helper,
      isFar,
      now: () => 0,
      problemText: (problem) => (problem instanceof Error ? problem.message : JSON.stringify(problem)),
    },
    {
      changed: () => {
        changes += 1;
      },
      written: ({ path }) => void written.push(path),
      ended: (end) => void ended.push(end),
    },
  );
  const asked = (method: string) => helper.asked.filter((it) => it.method === method).map(({ params }) => params);
  return { flight, helper, folder, written, ended, asked, changes: () => changes };
}

test("it shows the readings and the files, and detaches at its end", async (t) => {
  const { flight, helper, folder, written, ended, asked } = flightOf(t);
  await flight.start();
  assert.equal(flight.target, TARGET);
  const how = { pid: undefined, fileFor: undefined, freeFile: undefined, origin: undefined };
  for (const params of asked("extrospect/flight/start") as Record<string, unknown>[]) {
    for (const name of Object.keys(how)) assert.ok(!(name in params), name);
    assert.equal(params["file"], join(folder, "4242.pb.gz"));
    assert.deepEqual([params["attachmentId"], params["condition"], params["maxFiles"]], [7, "mailbox>10", 2]);
  }
  helper.listener?.flightLooked?.(LOOKED);
  assert.deepEqual(flight.look, { isWriting: false, values: LOOKED.values, unknown: [] });
  // Messages about another one are not taken for its own.
  helper.listener?.flightLooked?.({ ...LOOKED, flightId: 6, isWriting: true });
  assert.equal(flight.look.isWriting, false);
  helper.listener?.flightWritten?.(WRITTEN);
  assert.deepEqual([written, flight.files], [["/there/shop.00001.pb.gz"], 1]);
  helper.listener?.flightEnded?.({ flightId: 5, reason: "files", problem: null, files: 1, failed: 0 });
  await until("its end was reported", () => Promise.resolve(ended.length > 0));
  assert.deepEqual(ended, [{ reason: "files", why: "", files: 1, failed: 0 }]);
  assert.deepEqual(asked("extrospect/detach"), [{ attachmentId: 7 }]);
  assert.equal(helper.listener, undefined);
});

test("what comes before the answer that names it counts", async (t) => {
  const { flight, helper, ended } = flightOf(t);
  helper.answers["extrospect/flight/start"] = () => {
    helper.listener?.flightLooked?.({ ...LOOKED, isWriting: true });
    helper.listener?.flightEnded?.({
      flightId: 5,
      reason: "targetGone",
      problem: { what: "gone", why: "", fix: "", exitCode: 5 },
      files: 0,
      failed: 0,
    });
    return { flightId: 5, engine: { name: "readv", reason: "" } };
  };
  await flight.start();
  assert.ok(flight.look?.isWriting);
  assert.ok(flight.isEnded);
  await until("its end was reported", () => Promise.resolve(ended.length > 0));
  assert.equal(ended[0]?.reason, "targetGone");
});

test("one that is refused is detached from and never was", async (t) => {
  const { flight, helper, ended, asked } = flightOf(t);
  helper.answers["extrospect/flight/start"] = () => Promise.reject(new Error("no"));
  await assert.rejects(flight.start(), /no/);
  assert.deepEqual(asked("extrospect/detach"), [{ attachmentId: 7 }]);
  await flight.stop();
  assert.deepEqual([ended, asked("extrospect/flight/stop")], [[], []]);
});

test("a helper that is gone before it begins is requested nothing further, nor is the next one", async (t) => {
  const { flight, helper } = flightOf(t, false, ({ listener }) => listener?.helperGone("it was killed"));
  await assert.rejects(flight.start(), { problem: "ended", why: "it was killed" });
  assert.deepEqual(helper.methods(), ["extrospect/attach"]);
});

test("a helper that is gone before it answers to stop is no failure", async (t) => {
  const { flight, helper, ended, asked } = flightOf(t);
  helper.answers["extrospect/flight/stop"] = () => Promise.reject(new HelperError("ended", "", "it was killed", ""));
  await flight.start();
  await flight.stop();
  await until("its end was reported", () => Promise.resolve(ended.length > 0));
  assert.deepEqual([ended[0]?.reason, asked("extrospect/detach")], ["helperGone", []]);
});

test("captures of a host are brought here one after the other, and removed there", async (t) => {
  const { flight, helper, folder, written, ended, asked } = flightOf(t, true);
  helper.answers["extrospect/capture/read"] = () => ({ base64: Buffer.from("file").toString("base64"), fileBytes: 4 });
  helper.answers["extrospect/capture/remove"] = () => null;
  await flight.start();
  assert.ok(!("file" in (asked("extrospect/flight/start")[0] as object)), "the host chooses where its files are");
  helper.listener?.flightWritten?.({ ...WRITTEN, file: "/etc/passwd" });
  helper.listener?.flightWritten?.({ ...WRITTEN, captureId: 10 });
  helper.listener?.flightEnded?.({ flightId: 5, reason: "files", problem: null, files: 2, failed: 0 });
  assert.deepEqual(ended, [], "its end is reported when all of them are here");
  await until("its end was reported", () => Promise.resolve(ended.length > 0));
  assert.deepEqual(
    written,
    [1, 2].map((number) => join(folder, `4242.pb.gz.${String(number)}`)),
  );
  for (const path of written) assert.equal(readFileSync(path, "utf8"), "file");
  assert.deepEqual(asked("extrospect/capture/remove"), [{ captureId: 9 }, { captureId: 10 }]);
  assert.deepEqual(ended, [{ reason: "files", why: "", files: 2, failed: 0 }]);
});

test("one that does not come whole is counted, leaves nothing here and stays there", async (t) => {
  const { flight, helper, folder, written, ended, asked } = flightOf(t, true);
  helper.answers["extrospect/capture/read"] = () => ({ base64: "", fileBytes: 2 ** 45 });
  await flight.start();
  helper.listener?.flightWritten?.(WRITTEN);
  helper.listener?.flightEnded?.({ flightId: 5, reason: "targetGone", problem: null, files: 1, failed: 1 });
  await until("its end was reported", () => Promise.resolve(ended.length > 0));
  assert.deepEqual([written, readdirSync(folder), existsSync(join(folder, "4242.pb.gz"))], [[], [], false]);
  assert.deepEqual(asked("extrospect/capture/remove"), []);
  assert.deepEqual([ended[0]?.files, ended[0]?.failed], [0, 2]);
  assert.match(ended[0]?.why ?? "", /does not send the capture/);
});

test("the end of the helper ends it, and claims of a hostile one are bounded", async (t) => {
  const { flight, helper, ended, asked } = flightOf(t);
  await flight.start();
  helper.listener?.flightLooked?.({
    flightId: 5,
    values: Array(99).fill({ quantity: "x".repeat(999), value: "many", process: 7 }),
    unknown: [7, "rss"],
    isWriting: "yes",
  } as unknown as FlightLookedParams);
  assert.equal(flight.look?.values.length, 16);
  assert.deepEqual(
    [flight.look.isWriting, flight.look.unknown, flight.look.values[0]?.value, flight.look.values[0]?.process],
    [false, ["rss"], undefined, ""],
  );
  assert.ok((flight.look.values[0]?.quantity.length ?? 99) <= 41);
  helper.listener?.flightWritten?.({ flightId: 5, captureId: "x" } as unknown as FlightWrittenParams);
  assert.equal(flight.files, 0);
  helper.listener?.helperGone("it was killed");
  await until("its end was reported", () => Promise.resolve(ended.length > 0));
  assert.deepEqual(ended, [{ reason: "helperGone", why: '"it was killed"', files: 0, failed: 0 }]);
  assert.deepEqual(asked("extrospect/detach"), []);
});
