// A history as a page of its own: from captures of the editor, through the module, to the file.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import type { Words } from "../../../contract/plain-text.js";
import { countCaptures, makeHistory, pageOfHistory } from "../../../extension/src/editor-module/editor-module.js";
import { historyForPage } from "../../../extension/src/panels/history/history-for-page.js";
import { shownHistory } from "../../../extension/src/panels/history/shown-history.js";
import { GERMAN } from "../german.js";

const MODULE = {
  module: resolve("dist/editor-module/editor-module.wasm"),
  thread: resolve("dist/extension/editor-module-thread.cjs"),
};
const RECORDED = "native-helper/crates/verdict/compare/tests/recorded";
const FOLDER = "file:///home/ada/my%20shop/";

test("the page has captures by their files, those that were left out, and a policy that its style fits", async () => {
  const question = { functions: [], measure: null };
  const files = ["run-00.pb.gz", "run-05.pb.gz"].map((name) => ({ name, bytes: readFileSync(join(RECORDED, name)) }));
  // The last one is the first under another name.
  const given = [...files, { name: "a%20copy.pb.gz", bytes: files[0]?.bytes ?? Buffer.alloc(0) }];
  const captures = given.map(({ name, bytes }) => ({ name: `${FOLDER}${name}`, bytes: bytes.length }));
  const counted = await countCaptures(
    MODULE,
    { question, captures },
    given.map(({ bytes }) => bytes),
  );
  assert.ok(counted.type === "counted");
  const made = await makeHistory(MODULE, { question, captures: counted.value.captures, order: [] });
  assert.ok(made.type === "made", JSON.stringify(made).slice(0, 300));
  const unreadable = [{ capture: `${FOLDER}gone.pb.gz`, why: (l10n: Words) => l10n.t("the file is empty") }];
  const known = { order: [], subjects: new Map<string, string>(), made: new Map<string, number>() };
  const { skipped } = shownHistory(made.value, unreadable, known, GERMAN);
  assert.match(skipped[0] ?? "", /gone\.pb\.gz.*: die Datei ist leer$/);
  const page = Buffer.from(await pageOfHistory(MODULE, historyForPage(made.value, unreadable))).toString();
  assert.match(page, /<h1>CPU (?:over \d+ commits: |of )89816da/);
  assert.match(page, /<h2>whole program<\/h2>/);
  assert.match(page, /<circle [^>]*><title>89816da/);
  assert.match(page, /gone\.pb\.gz is left out: the file is empty/);
  assert.match(page, /(?:a copy|run-00)\.pb\.gz is left out: it is a copy of (?:a copy|run-00)\.pb\.gz/);
  assert.doesNotMatch(page, /file:\/\/|ada|<script|https?:\/\//);
  const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? "";
  const hash = createHash("sha256").update(style).digest("base64");
  assert.ok(page.includes(`style-src 'sha256-${hash}'`), `the hash of the page's style is ${hash}`);
});

test("notes on the history and on its newest commit have captures by their files", () => {
  const [one, last] = [`${FOLDER}1.pb.gz`, `${FOLDER}8.pb.gz`];
  const range = `${one} … ${last}`;
  const newest = `${FOLDER}9.pb.gz`;
  const text = `calls were traced in ${newest} and not in ${range}`;
  const note = { kind: "tracing_on_one_side", values: [newest, range], text } as const;
  const series = { steps: [], unlike: [note] };
  const history = { commits: [], series: [series], skipped: [], notes: [note] } as unknown as Parameters<
    typeof historyForPage
  >[0];
  const page = historyForPage(history, []);
  const expected = "calls were traced in 9.pb.gz and not in 1.pb.gz … 8.pb.gz";
  assert.equal(page.notes?.[0]?.text, expected);
  assert.equal(page.series[0]?.unlike?.[0]?.text, expected);
});
