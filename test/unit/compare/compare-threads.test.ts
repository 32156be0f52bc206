// Comparing, by the helper and on several threads: the result, and that no work goes on when it is cancelled or fails.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import type { Answer, CaptureRequest, CompareRequest, Comparison } from "../../../contract/editor-module.generated.js";
import { compareCaptures } from "../../../extension/src/editor-module/editor-module.js";
import type { ModuleFiles } from "../../../extension/src/editor-module/module-threads.js";
import { until } from "../../until.mjs";

const MODULE = {
  module: resolve("dist/editor-module/editor-module.wasm"),
  thread: resolve("dist/extension/editor-module-thread.cjs"),
};
/** The contents of a package for this machine. */
const WITH_HELPER = { ...MODULE, helper: resolve("dist/helper/linux-x64/extrospect") };
const RECORDED = "native-helper/crates/verdict/compare/tests/recorded";

const recorded = readdirSync(RECORDED)
  .filter((name) => name.endsWith(".pb.gz"))
  .sort()
  .map((name) => ({ name, bytes: readFileSync(join(RECORDED, name)) }));

function request(base: readonly { name: string }[], newer: readonly { name: string }[]): CompareRequest {
  const captures = (side: readonly { name: string }[]): CaptureRequest[] =>
    side.map(({ name }) => ({ name, own: null }));
  return {
    base: { name: "before", captures: captures(base) },
    new: { name: "after", captures: captures(newer) },
    measure: null,
    anyway: false,
    base_texts: {},
    new_texts: {},
    renamed: [],
  };
}

/** Empty when it has just ended. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

const bytesOf = (captures: readonly { bytes: Uint8Array }[]): Uint8Array[] => captures.map(({ bytes }) => bytes);

test("each of several captures a side is in its place, whichever was read first", async () => {
  const [base, newer] = [recorded.slice(0, 3), recorded.slice(3, 8)];
  const both = await compareCaptures(MODULE, request(base, newer), bytesOf([...base, ...newer]));
  assert.ok(both.type === "compared", JSON.stringify(both));
  assert.deepEqual([both.value.comparison.base.captures, both.value.comparison.new.captures], [3, 5]);
  const swapped = await compareCaptures(MODULE, request(newer, base), bytesOf([...newer, ...base]));
  assert.ok(swapped.type === "compared");
  assert.deepEqual(
    [swapped.value.comparison.base.samples, swapped.value.comparison.new.samples],
    [both.value.comparison.new.samples, both.value.comparison.base.samples],
  );
  assert.notEqual(both.value.comparison.base.samples, both.value.comparison.new.samples);
  const again = await compareCaptures(MODULE, request(base, newer), bytesOf([...base, ...newer]));
  assert.equal(JSON.stringify(again), JSON.stringify(both));
});

test("the first capture that cannot be read is named, wherever the others are", async () => {
  const broken = (name: string) => ({ name, bytes: Buffer.from("no profile") });
  const sides = [recorded.slice(0, 2), [broken("one.pb.gz"), ...recorded.slice(2, 3), broken("two.pb.gz")]] as const;
  for (const files of [MODULE, WITH_HELPER]) {
    const answer = await compareCaptures(files, request(...sides), bytesOf(sides.flat()));
    assert.ok(answer.type === "unread" && answer.value.capture === "one.pb.gz", JSON.stringify(answer));
  }
});

test("the helper computes what the module does, and needs none of its files", async () => {
  const sides = [recorded.slice(0, 3), recorded.slice(3, 8)] as const;
  const compare = (files: ModuleFiles) => compareCaptures(files, request(...sides), bytesOf(sides.flat()));
  const nowhere = { module: resolve("dist/no-such-module.wasm"), thread: resolve("dist/extension/no-such-thread.cjs") };
  // Logarithms of both differ in their last digit.
  const rounded = (answer: Answer) =>
    JSON.stringify(answer, (_, value: unknown) => (typeof value === "number" ? value.toPrecision(9) : value));
  // Not by an assertion of equality: the difference of two such texts is no message.
  assert.ok(rounded(await compare({ ...nowhere, helper: WITH_HELPER.helper })) === rounded(await compare(MODULE)));
});

test("the page and the Markdown of a comparison are those of the command line, to the byte", async () => {
  const sides = [recorded.slice(0, 1), recorded.slice(5, 6)] as const;
  const paths = sides.map(([one]) => resolve(RECORDED, one?.name ?? ""));
  // No folder of a repository: the captures' sources are not looked for.
  const diff = (format: string) =>
    execFileSync(WITH_HELPER.helper, ["diff", paths[0] ?? "", "--", paths[1] ?? "", "--format", format], {
      cwd: tmpdir(),
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
  const { notes } = JSON.parse(diff("json")) as Comparison;
  const remarks = notes.filter(({ kind }) => kind === "name_alone").map(({ text }) => text);
  assert.equal(remarks.length, 1);
  const named = request(...sides);
  const wanted = {
    ...named,
    base: { ...named.base, name: sides[0][0]?.name ?? "" },
    new: { ...named.new, name: sides[1][0]?.name ?? "" },
  };
  for (const [format, start] of [
    ["html", "<!DOCTYPE html>"],
    ["markdown", "### CPU: "],
  ] as const) {
    const text = diff(format);
    for (const files of [MODULE, WITH_HELPER]) {
      const answer = await compareCaptures(files, { ...wanted, written: { format, remarks } }, bytesOf(sides.flat()));
      assert.ok(answer.type === "written" && answer.value.startsWith(start), JSON.stringify(answer).slice(0, 200));
      // Not by an assertion of equality: the difference of two such texts is no message.
      assert.ok(answer.value === text, format);
    }
  }
});

test("where the helper does not run, or ends without an answer, the module computes", async () => {
  const sides = [recorded.slice(0, 1), recorded.slice(1, 2)] as const;
  for (const helper of [resolve("no-such-helper"), resolve("package.json"), "/bin/false", "/bin/true"]) {
    const answer = await compareCaptures({ ...MODULE, helper }, request(...sides), bytesOf(sides.flat()));
    assert.equal(answer.type, "compared", helper);
  }
});

test("what is cancelled before or meanwhile ends as that, and leaves no process", async () => {
  const sides = [recorded.slice(0, 6), recorded.slice(6)] as const;
  for (const files of [MODULE, WITH_HELPER]) {
    const before = new AbortController();
    before.abort();
    await assert.rejects(
      compareCaptures(files, request(...sides), bytesOf(sides.flat()), before.signal),
      /^Error: cancelled$/,
    );
    const meanwhile = new AbortController();
    const comparing = compareCaptures(files, request(...sides), bytesOf(sides.flat()), meanwhile.signal);
    meanwhile.abort();
    await assert.rejects(comparing, /^Error: cancelled$/);
  }
  const children = () =>
    readFileSync(`/proc/self/task/${String(process.pid)}/children`, "utf8")
      .split(" ")
      .filter(Boolean);
  await until("no process is left", () => children().every((pid) => !commandLine(pid).includes("editor-compare")));
});

test("a program that is not there and a module that is none fail in words, and no thread is left", async () => {
  const sides = [recorded.slice(0, 1), recorded.slice(1, 2)] as const;
  const compare = (files: typeof MODULE) => compareCaptures(files, request(...sides), bytesOf(sides.flat()));
  await assert.rejects(
    compare({ ...MODULE, thread: resolve("dist/extension/no-such-thread.cjs") }),
    /the computation failed/,
  );
  await assert.rejects(compare({ ...MODULE, module: resolve("package.json") }), /CompileError/);
  await assert.rejects(compare({ ...MODULE, module: resolve("dist/no-such-module.wasm") }), /ENOENT/);
});
