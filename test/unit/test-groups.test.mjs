// A test file that no group lists would never run, and nothing would say so.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { TEST_GROUPS } from "../../scripts/test-groups.mjs";

/** Files with the name of a test that no group runs, and why. */
const OTHERS = {
  "test/built/": "needs emulators that take hours to compile: npm run test:built",
  "test/editor/api/":
    "runs within an editor, which others start: test/editor/api.night.test.mjs, npm run test:electron",
};
/** Of any language and form that people use. */
const HAS_NAME_OF_TEST = /(?:^|[./_-])(?:test|spec)s?\.[cm]?[jt]sx?$/;

/** @returns {Promise<string[]>} test files that not exactly one group has, nor is a reason there */
async function withoutGroup() {
  const groups = TEST_GROUPS.filter(({ name }) => name !== "rust");
  const { signal } = new AbortController();
  const listed = (await Promise.all(groups.map(({ files }) => files(signal)))).flat().map(({ file }) => file);
  return readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
    .map((name) => `test/${name}`)
    .filter((file) => HAS_NAME_OF_TEST.test(file) && !Object.keys(OTHERS).some((folder) => file.startsWith(folder)))
    .filter((file) => listed.filter((one) => one === file).length !== 1);
}

test("each test file is of exactly one group, or a reason is given why it is of none", async () => {
  assert.deepEqual(await withoutGroup(), []);
  for (const folder of Object.keys(OTHERS)) assert.ok(existsSync(join(ROOT, folder)), folder);
});

test("a file of any kind that is named like a test counts as one, and others do not", () => {
  for (const name of ["unit/a.test.js", "unit/a.spec.mjs", "e2e/a.test.cjs", "new/a_test.ts", "new/tests.mjs"])
    assert.match(`test/${name}`, HAS_NAME_OF_TEST);
  for (const name of ["unit/conditions.mjs", "webviews/waits.page.mjs", "latest.mjs", "unit/a.test.mjs.snap"])
    assert.doesNotMatch(`test/${name}`, HAS_NAME_OF_TEST);
});
