import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { build } from "esbuild";
import {
  captureOf,
  CaptureError,
  decodeCapture,
  newCapture,
  readCapture,
} from "../../../extension/src/capture/capture-model.js";
import type { Capture } from "../../../extension/src/capture/questions.js";
import { openInThread } from "../../../extension/src/capture/thread/open-in-thread.js";
import { columnsIn } from "../../../extension/src/capture/thread/thread-answer.js";
import { errorText, errorWords } from "../../../extension/src/text/error-text.js";
import { GERMAN } from "../german.js";
import { ProfileBuilder } from "./profile-builder.js";

const FIXTURES = "test/unit/capture/fixtures";
const PLAIN = {
  inverted: false,
  hideNative: false,
  hideKernel: false,
  collapseRecursion: true,
  groupBy: "none",
} as const;

function answers(capture: Capture): unknown {
  const lines = capture.functions.map((_, index) => [capture.functionCounts(index), capture.functionLines(index)]);
  return {
    facts: capture.facts,
    totals: capture.totals,
    lines,
    top: capture.top(),
    flame: capture.flame(PLAIN),
    byProcess: capture.flame({ ...PLAIN, groupBy: "process" }),
  };
}

describe("a capture read on another thread", () => {
  let folder = "";
  let program = "";
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "extrospect-thread-"));
    program = join(folder, "capture-thread.cjs");
    await build({
      entryPoints: ["extension/src/capture/thread/capture-thread.ts"],
      bundle: true,
      format: "cjs",
      platform: "node",
      outfile: program,
      logLevel: "error",
    });
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const name of ["demo.pb.gz", "demo-growing.pb.gz"]) {
    test(`${name} answers as when it is read on this one`, async () => {
      const bytes = readFileSync(join(FIXTURES, name));
      assert.deepEqual(answers(await openInThread(Uint8Array.from(bytes), program)), answers(decodeCapture(bytes)));
    });
  }

  test("bytes that are no capture are the same error as on this one", async () => {
    const damaged = readFileSync(join(FIXTURES, "demo.pb.gz"));
    damaged[damaged.length >> 1] = (damaged[damaged.length >> 1] as number) ^ 0xff;
    for (const bytes of [damaged, Buffer.from("no profile"), new ProfileBuilder().message()]) {
      const here = errorOf(() => decodeCapture(bytes));
      await assert.rejects(openInThread(Uint8Array.from(bytes), program), (error) => {
        assert.ok(error instanceof CaptureError);
        assert.deepEqual([error.problem, error.why], [here.problem, here.why]);
        return true;
      });
    }
  });

  test("a thread that fails or ends without an answer is an error with that reason", async () => {
    const failing = join(folder, "failing.cjs");
    writeFileSync(failing, 'throw new Error("no memory left");');
    await assert.rejects(openInThread(new Uint8Array(1), failing), /reading it failed: no memory left/);
    const ending = join(folder, "ending.cjs");
    writeFileSync(ending, "process.exit(3);");
    await assert.rejects(openInThread(new Uint8Array(1), ending), (error) => {
      assert.match(errorText(error), /^reading it ended without a result \(exit code 3\)$/);
      assert.equal(errorWords(error, GERMAN), "das Lesen hat ohne Ergebnis geendet (Exit-Code 3)");
      return true;
    });
    await assert.rejects(
      openInThread(new Uint8Array(1), join(folder, "not-there.cjs")),
      /reading it failed: .*not-there/,
    );
  });

  test("columns are moved, not copied, and so are the bytes of the file", async () => {
    const bytes = Uint8Array.from(readFileSync(join(FIXTURES, "demo.pb.gz")));
    const parts = await readCapture(bytes);
    const columns = columnsIn(parts);
    const capture = captureOf(structuredClone(parts, { transfer: columns }));
    assert.ok(columns.length > 30, `${columns.length} columns`);
    assert.ok(columns.every(({ byteLength }) => byteLength === 0));
    assert.deepEqual(
      columnsIn(parts).filter(({ byteLength }) => byteLength > 0),
      [],
    );
    assert.deepEqual(answers(capture), answers(decodeCapture(bytes)));
    const opened = openInThread(bytes, program);
    assert.equal(bytes.byteLength, 0);
    await opened;
  });

  test("it can be appended to like one that was made here", async () => {
    const file = readFileSync(join(FIXTURES, "demo-growing.pb.gz"));
    const header = file.subarray(0, 10);
    const starts = [0];
    for (let at = file.indexOf(header, 1); at > 0; at = file.indexOf(header, at + 1)) starts.push(at);
    const last = starts.at(-1) ?? 0;
    const moved = captureOf(structuredClone(await readCapture(file.subarray(0, last))));
    moved.append(file.subarray(last));
    const made = newCapture();
    for (const [index, start] of starts.entries()) made.append(file.subarray(start, starts[index + 1]));
    const asked = (capture: Capture) => ({
      totals: capture.totals,
      top: capture.top(),
      blame: capture.blame("gc"),
      facets: capture.facets(),
    });
    assert.deepEqual(asked(moved), asked(made));
  });
});

function errorOf(run: () => unknown): CaptureError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof CaptureError);
    return error;
  }
  assert.fail("it can be read");
}
