// Planted faults (test/planted) still apply, and name tests that are there: a patch that rots is noticed at once.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { isNightFile, TEST_GROUPS } from "../../scripts/test-groups.mjs";
import { groupOfFile } from "../../scripts/test-options.mjs";
import { failedTests, faultOf, foundBy, plantedFaults, Unspoiled } from "../planted/patches.mjs";
import { withRows } from "../planted/table.mjs";

const FAULTS = plantedFaults();
const GROUPS = TEST_GROUPS.map(({ name }) => name);
/** The sources of the product. */
const IS_PRODUCT = /^(?:native-helper\/crates\/[\w-]+\/[\w-]+\/src|extension\/src|webviews|contract)\//;
const MOST_CHANGED_LINES = 10;

describe("planted faults", () => {
  test("are thirty at least, each with a number of its own", () => {
    const numbers = FAULTS.map(({ name }) => Number(/^(\d\d)-/.exec(name)?.[1]));
    assert.deepEqual(
      numbers,
      FAULTS.map((_, index) => index + 1),
    );
    assert.ok(FAULTS.length >= 30);
  });

  for (const { name, patch, foundBy: expected } of FAULTS)
    test(`${name} applies, and names gate files`, () => {
      const check = spawnSync("git", ["apply", "--check", patch], { cwd: ROOT, encoding: "utf8" });
      assert.equal(check.status, 0, check.stderr);
      const numbers = spawnSync("git", ["apply", "--numstat", patch], { cwd: ROOT, encoding: "utf8" }).stdout;
      for (const line of numbers.trim().split("\n")) {
        const [added, removed, file = ""] = line.split("\t");
        assert.match(file, IS_PRODUCT);
        assert.ok(Number(added) + Number(removed) <= MOST_CHANGED_LINES, line);
      }
      for (const path of expected) {
        assert.ok(GROUPS.includes(groupOfFile(path)), `${path} is of no group`);
        assert.ok(isThere(path), `${path} is no gate file, and no folder with tests`);
      }
    });

  test("a header without a line, or with an unknown build, is refused", () => {
    const header = "capability: lenses\nfault: none\nfound by: test/editor\nrebuilds: none\n\ndiff --git a/x b/x\n";
    assert.deepEqual(faultOf("test/planted/01-x.patch", header).foundBy, ["test/editor"]);
    assert.throws(() => faultOf("test/planted/01-x.patch", header.replace("fault: ", "")), /no line "fault: …"/);
    assert.throws(() => faultOf("test/planted/01-x.patch", header.replace("rebuilds: none", "rebuilds: all")), /all/);
    assert.throws(() => faultOf("test/planted/01-x.patch", `diff \n${header}`), /no line "/);
  });

  test("failed tests are those of files, by the first line of each; what does not compile is none", () => {
    const output = [
      "test/unit/x.test.mjs: 1 passed, 1 failed, 0.1 s",
      "What failed",
      "test/unit/x.test.mjs: lenses: above functions",
      "test/unit/y.test.mjs: indented lines are of it",
      "",
      "native-helper/crates/inside/growth/src/lib.rs: tests::a_saw",
      "thread panicked at crates/inside/growth/src/lib.rs:1:1",
      "",
      "Rust tests: the Rust tests do not compile",
      "",
      "How long it took",
      "test/unit/z.test.mjs: 3 s",
    ].join("\n");
    assert.deepEqual(failedTests(output), [
      { file: "test/unit/x.test.mjs", test: "lenses: above functions" },
      { file: "test/unit/y.test.mjs", test: "indented lines are of it" },
      { file: "native-helper/crates/inside/growth/src/lib.rs", test: "tests::a_saw" },
    ]);
    assert.deepEqual(failedTests("12 passed, 0 failed\n"), []);
  });

  describe("the tests that find a fault are red with it and green without it", () => {
    /**
     * Runs of which these tests are red: with the fault, and without it.
     * @param {Record<string, string[]>} withFault   tests by the words of a run
     * @param {string[]} [always]
     */
    function runsOf(withFault, always = []) {
      /** @type {string[]} */
      const ran = [];
      const failed = (/** @type {string[]} */ tests) =>
        tests.map((name) => ({ file: `test/unit/${name}.test.mjs`, test: "works" }));
      return {
        ran,
        withFault: async (/** @type {string} */ command, /** @type {string[]} */ words) => {
          ran.push(`${command} ${words.join(" ")}`);
          return failed(withFault[words.join(" ")] ?? []);
        },
        without: async (/** @type {string} */ command, /** @type {string[]} */ words) => {
          ran.push(`without: ${command} ${words.join(" ")}`);
          return failed(always.filter((name) => words.includes(`test/unit/${name}.test.mjs`)));
        },
      };
    }
    /** @type {Parameters<typeof foundBy>[0]} */
    const tries = [
      ["npm test", ["expected"]],
      ["npm test", ["group"]],
      ["npm run nightly", ["night"]],
    ];
    const filesOf = (/** @type {{tests: {file: string}[]}} */ { tests }) => tests.map(({ file }) => file);

    test("a file that was green before the fault is not run again without it", async () => {
      const runs = runsOf({ expected: ["x"] });
      const unspoiled = new Unspoiled();
      unspoiled.add("npm test", ["test/unit/x.test.mjs"], []);
      const found = await foundBy(tries, runs, unspoiled);
      assert.equal(found.command, "npm test");
      assert.deepEqual(filesOf(found), ["test/unit/x.test.mjs"]);
      assert.deepEqual(runs.ran, ["npm test expected"]);
    });

    test("one that only the group runs is compared with a run of it without the fault, once", async () => {
      const runs = runsOf({ group: ["red", "y"] }, ["red"]);
      const unspoiled = new Unspoiled();
      for (const compared of [["without: npm test --file test/unit/red.test.mjs --file test/unit/y.test.mjs"], []]) {
        runs.ran.length = 0;
        const found = await foundBy(tries, runs, unspoiled);
        assert.deepEqual(filesOf(found), ["test/unit/y.test.mjs"]);
        assert.deepEqual(runs.ran, ["npm test expected", "npm test group", ...compared]);
      }
    });

    test("tests that are red in any case find nothing, and the night is run; a file of it is compared as by night", async () => {
      const runs = runsOf({ group: ["red"], night: ["red", "z"] }, ["red"]);
      const found = await foundBy(tries, runs, new Unspoiled());
      assert.equal(found.command, "npm run nightly");
      assert.deepEqual(filesOf(found), ["test/unit/z.test.mjs"]);
      assert.equal(
        runs.ran.at(-1),
        "without: npm run nightly --file test/unit/red.test.mjs --file test/unit/z.test.mjs",
      );
      const nothing = await foundBy(tries, runsOf({ night: ["red"] }, ["red"]), new Unspoiled());
      assert.deepEqual(nothing, { command: undefined, tests: [] });
    });
  });

  test("the table keeps rows of other faults, and loses those of patches that are gone", () => {
    const fault = faultOf(
      "test/planted/02-b.patch",
      "capability: lenses\nfault: a | b\nfound by: test/editor\nrebuilds: none\n\n",
    );
    const page = "# Testing\n\n<!-- planted faults -->\n<!-- end of planted faults -->\n\nEnd.\n";
    const tests = [
      { file: "test/unit/x.test.mjs", test: "one `word`" },
      { file: "test/unit/x.test.mjs", test: "two" },
    ];
    const one = { fault: { ...fault, name: "01-a" }, by: /** @type {const} */ ("night"), tests };
    const both = withRows(
      withRows(page, [one], ["01-a", "02-b"]),
      [{ fault, by: "nothing", tests: [] }],
      ["01-a", "02-b"],
    );
    assert.match(
      both,
      /^\| `01-a`: a \\\| b \| lenses \| by night: `test\/unit\/x.test.mjs`: `one 'word'` and 1 more \|$/m,
    );
    assert.match(both, /^\| `02-b`: a \\\| b \| lenses \| nothing \|$/m);
    assert.ok(both.startsWith("# Testing\n\n") && both.endsWith("\n\nEnd.\n"));
    assert.doesNotMatch(withRows(both, [], ["02-b"]), /01-a/);
    assert.throws(() => withRows("# Testing\n", [], []), /has no lines/);
  });
});

/** @param {string} path   of a gate file, or of a folder whose gate files prove the capability together */
function isThere(path) {
  const found = statSync(join(ROOT, path), { throwIfNoEntry: false });
  if (found === undefined) return false;
  return found.isDirectory()
    ? readdirSync(join(ROOT, path)).some((name) => /\.test\.(mjs|ts)$/.test(name))
    : !isNightFile(path);
}
