// The options of `npm test`.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { Problem } from "../../scripts/problem.mjs";
import { ROOT } from "../../scripts/project.mjs";
import { formOfFiles, TEST_GROUPS } from "../../scripts/test-groups.mjs";
import { groupOfFile, testOptions } from "../../scripts/test-options.mjs";

const KNOWN = [
  { name: "rust", hasQuickForm: true },
  { name: "unit", hasQuickForm: true },
  { name: "e2e", hasQuickForm: false },
  { name: "fuzz", hasQuickForm: false, isNightly: true },
  { name: "chaos", hasQuickForm: false, isNightly: true, isOnlyNamed: true },
];
const asked = (/** @type {string[]} */ ...words) => testOptions(words, KNOWN, {});

test("every group runs unless some are named", () => {
  assert.deepEqual(asked(), { only: ["rust", "unit", "e2e"], files: [], quick: false, nightly: false, help: false });
  for (const words of [
    ["--only", "e2e", "unit"],
    ["--only", "e2e", "--only", "unit"],
    ["--only=e2e,unit"],
    ["--only", "unit,", "e2e"],
  ])
    assert.deepEqual(asked(...words).only, ["unit", "e2e"], words.join(" "));
});

test("the quick set leaves out what needs root or Debian", () => {
  assert.deepEqual(asked("--quick"), { only: ["rust", "unit"], files: [], quick: true, nightly: false, help: false });
  assert.deepEqual(asked("--quick", "--only", "unit").only, ["unit"]);
  assert.throws(
    () => asked("--quick", "--only", "e2e"),
    (error) => error instanceof Problem && /rust, unit$/.test(error.fix),
  );
});

test("what is nightly runs by night, or when it is named", () => {
  assert.deepEqual(asked("--nightly"), {
    only: ["rust", "unit", "e2e", "fuzz"],
    files: [],
    quick: false,
    nightly: true,
    help: false,
  });
  assert.deepEqual(asked("--only", "fuzz", "unit").only, ["unit", "fuzz"]);
  assert.deepEqual(asked("--nightly", "--only", "chaos").only, ["chaos"]);
  assert.deepEqual(asked("--nightly", "--only", "e2e").only, ["e2e"]);
});

test("files that are named run with the preparations of their groups", async () => {
  const words = ["--file", "test/e2e/record.test.mjs", "--file", "native-helper/crates/inside/growth/src/lib.rs"];
  assert.deepEqual(asked(...words).only, ["rust", "e2e"]);
  assert.deepEqual(asked(...words).files, [
    "test/e2e/record.test.mjs",
    "native-helper/crates/inside/growth/src/lib.rs",
  ]);
  for (const more of [["--only", "e2e"], ["--quick"]])
    assert.throws(() => asked(...words, ...more), /--file names all/);
  assert.equal(groupOfFile("test/unit/remote/ssh-host.night.test.ts"), "hosts");
  assert.equal(groupOfFile("test/unit/remote/link.test.ts"), "unit");
  const file = "test/e2e/record.test.mjs";
  const e2e = TEST_GROUPS.find(({ name }) => name === "e2e") ?? assert.fail();
  const chosen = await formOfFiles(e2e, [file]).files(new AbortController().signal);
  assert.deepEqual(
    chosen.map((one) => one.file),
    [file],
  );
});

test("a named file is the one that groups list, however its path is written", () => {
  const file = "test/unit/test-options.test.mjs";
  for (const word of [
    `./${file}`,
    `test/e2e/../unit/test-options.test.mjs`,
    join(ROOT, file),
    `test//unit/${basename(file)}`,
  ])
    assert.deepEqual(asked("--file", word).files, [file], word);
  assert.deepEqual(asked("--file", file, "--file", `./${file}`).files, [file]);
});

test("a named file that cannot be a test is refused with the next step", (t) => {
  const link = join(mkdtempSync(join(tmpdir(), "extrospect-options-")), "root");
  t.after(() => rmSync(dirname(link), { recursive: true, force: true }));
  symlinkSync(ROOT, link);
  assert.deepEqual(asked("--file", join(link, "test/unit/test-options.test.mjs")).files, [
    "test/unit/test-options.test.mjs",
  ]);
  for (const [word, said, fix] of /** @type {const} */ ([
    ["", /^--file names no file$/, /PATH from the root/],
    ["README.md", /^README\.md is no test file$/, /PATH from the root/],
    ["scripts/test.mjs", /^scripts\/test\.mjs is no test file$/, /PATH from the root/],
    ["native-helper/Cargo.toml", /Cargo\.toml is no test file$/, /PATH from the root/],
    ["test/e2e", /^test\/e2e is a folder$/, /--only e2e /],
    ["test/unit/", /^test\/unit is a folder$/, /--only unit /],
    ["test/unit/remote", /^test\/unit\/remote is a folder$/, /PATH from the root/],
    [".", /^the root of the repository is a folder$/, /^npm test /],
    ["test/unit/not-there.test.mjs", /^there is no file test\/unit\/not-there\.test\.mjs$/, /PATH from the root/],
    ["/etc/passwd", /^\/etc\/passwd is not in this repository$/, /PATH from the root/],
    ["../not/there", /^\.\.\/not\/there is not in this repository$/, /PATH from the root/],
    ["..", /^\.\. is not in this repository$/, /PATH from the root/],
  ]))
    assert.throws(
      () => asked("--file", word),
      (error) => error instanceof Problem && said.test(error.message) && error.why !== "" && fix.test(error.fix),
      word,
    );
});

test("a named file that no group has is refused: a run of nothing would be green", async () => {
  for (const file of ["test/webviews/top.page.mjs", "test/e2e/helper.mjs", "test/unit/recording/piped-helper.ts"]) {
    const group = TEST_GROUPS.find(({ name }) => name === groupOfFile(file)) ?? assert.fail();
    await assert.rejects(
      async () => formOfFiles(group, [file]).files(new AbortController().signal),
      (error) => error instanceof Problem && error.message === `${file} is no test file`,
    );
  }
});

/** Reads the built helper, the built extension or the editor's module of this clone. */
const READS_BUILT = [
  /\b(resolve|join)\((ROOT, )?"dist\/(helper|extension|editor-module)\b/,
  /import \{[^}]*\b(HELPER|FORGETFUL_HELPER|VSIX|ALPINE_VSIX|VSIX_WITHOUT_HELPER|DEB)\b[^}]*\} from "[./]*scripts\/project\.mjs"/,
];

/** The text of a test file and of the modules of test/ that it imports. @param {string} file   path from the root */
function textsOf(file) {
  const text = readFileSync(join(ROOT, file), "utf8");
  const imported = [...text.matchAll(/\bfrom "(\.{1,2}\/[^"]+)"/g)]
    .map(([, path = ""]) => join(dirname(file), path.replace(/\.js$/, ".ts")))
    .filter((path) => path.startsWith("test/") && existsSync(join(ROOT, path)));
  return [text, ...imported.map((path) => readFileSync(join(ROOT, path), "utf8"))];
}

test("no file of the quick set reads what it does not build, and the others build it when they are named", async () => {
  const unit = TEST_GROUPS.find(({ name }) => name === "unit") ?? assert.fail();
  const quick = await (unit.quick ?? assert.fail()).files(new AbortController().signal);
  const readsBuilt = (/** @type {string} */ file) =>
    textsOf(file).some((text) => READS_BUILT.some((pattern) => pattern.test(text)));
  assert.deepEqual(
    quick.map(({ file }) => file).filter((file) => readsBuilt(file)),
    [],
  );
  for (const file of ["compare/node-tracks.test.ts", "targets/other-hosts.test.ts", "package.test.mjs"]) {
    assert.ok(readsBuilt(`test/unit/${file}`), file);
    assert.deepEqual(formOfFiles(unit, [`test/unit/${file}`]).needs, unit.needs);
  }
  assert.deepEqual(formOfFiles(unit, ["test/unit/text/figures-and-paths.test.ts"]).needs, unit.quick?.needs);
});

test("a name that is none is refused with those there are", () => {
  assert.throws(
    () => asked("--only", "e2e", "units"),
    (error) =>
      error instanceof Problem &&
      /called units$/.test(error.message) &&
      /rust, unit, e2e, fuzz, chaos$/.test(error.fix),
  );
  // None of them would be all of them.
  for (const words of [["--only", ""], ["--only="], ["--only", ","], ["--only", " "], ["--only", "unit", ""], [""]])
    assert.throws(
      () => asked(...words),
      (error) =>
        error instanceof Problem &&
        error.message === "--only has an empty name" &&
        /rust, unit, e2e, fuzz, chaos$/.test(error.fix),
      words.join(" "),
    );
  assert.throws(
    () => asked("--onyl", "e2e"),
    (error) => error instanceof Problem && /--onyl/.test(error.why),
  );
});

test("an option that npm takes for its own is refused with the way past npm", () => {
  for (const [env, fix] of /** @type {const} */ ([
    [{ npm_config_quick: "true" }, "npm test -- --quick"],
    [{ npm_config_quick: "" }, "npm test -- --quick"],
    [{ npm_config_nightly: "true" }, "npm run nightly"],
    [{ npm_config_file: "test/unit/test-options.test.mjs" }, "npm test -- --file PATH"],
    [{ npm_config_only: "unit" }, "npm test -- --only NAME"],
  ]))
    assert.throws(
      () => testOptions([], KNOWN, env),
      (error) => error instanceof Problem && error.message.startsWith("npm has taken --") && error.fix === fix,
      JSON.stringify(env),
    );
  // A setting of npm, for all that it does.
  assert.deepEqual(testOptions([], KNOWN, { npm_config_only: "production" }).only, ["rust", "unit", "e2e"]);
});

test("a word without an option is refused: npm has taken its option", () => {
  for (const [words, fix] of /** @type {const} */ ([
    [["webviews", "unit"], "npm test -- --only webviews unit"],
    [["--quick", "unit"], "npm test -- --only unit"],
    [["--file", "test/a b", "test/c"], "npm test -- --file 'test/a b' --file test/c"],
  ]))
    assert.throws(
      () => testOptions([...words], KNOWN, {}),
      (error) => error instanceof Problem && /belongs to no option$/.test(error.message) && error.fix === fix,
      words.join(" "),
    );
});

test("the groups are those that are documented", () => {
  assert.deepEqual(TEST_GROUPS.map(({ name }) => name).sort(), [
    "accuracy",
    "captures",
    "chaos",
    "e2e",
    "editor",
    "formats",
    "fuzz",
    "hosts",
    "inside",
    "machines",
    "oracles",
    "planted",
    "rust",
    "shipped",
    "unit",
    "webviews",
  ]);
});
