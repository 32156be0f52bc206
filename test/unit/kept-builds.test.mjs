// The files that one clone compiled are used by the next: with a real cargo, on crates of a few lines.
import "../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { cargoEnvironment, runCargo } from "../../scripts/cargo.mjs";
import { keepBuilds, takeKeptBuilds } from "../../scripts/kept-builds.mjs";
import { HELPER_WORKSPACE } from "../../scripts/project.mjs";
import { must } from "../must.mjs";

const SOURCES = {
  "native-helper/Cargo.toml": '[workspace]\nresolver = "3"\nmembers = ["crates/*"]\n',
  "native-helper/Cargo.lock":
    'version = 4\n\n[[package]]\nname = "above"\nversion = "0.1.0"\ndependencies = ["below"]\n\n[[package]]\nname = "below"\nversion = "0.1.0"\n\n[[package]]\nname = "beside"\nversion = "0.1.0"\n\n[[package]]\nname = "outside"\nversion = "0.1.0"\n',
  "native-helper/.cargo/config.toml": "",
  "native-helper/crates/above/Cargo.toml":
    '[package]\nname = "above"\nversion = "0.1.0"\nedition = "2024"\n[dependencies]\nbelow = { path = "../below" }\n',
  "native-helper/crates/above/src/lib.rs": "pub fn above() -> u32 { below::below() }\n",
  "native-helper/crates/below/Cargo.toml": '[package]\nname = "below"\nversion = "0.1.0"\nedition = "2024"\n',
  "native-helper/crates/below/src/lib.rs": 'pub fn below() -> u32 { include_str!("words.txt").len() as u32 }\n',
  "native-helper/crates/below/src/words.txt": "what a source takes in\n",
  "native-helper/crates/beside/Cargo.toml": '[package]\nname = "beside"\nversion = "0.1.0"\nedition = "2024"\n',
  "native-helper/crates/beside/src/lib.rs": "pub fn beside() {}\n",
  "native-helper/crates/outside/Cargo.toml": '[package]\nname = "outside"\nversion = "0.1.0"\nedition = "2024"\n',
  "native-helper/crates/outside/src/lib.rs":
    'pub fn outside() -> &\'static str { include_str!("../../../../words.txt") }\n',
  "native-helper/crates/beside/src/left.txt": "that no source takes in\n",
  "words.txt": "a file outside of all crates\n",
  ".gitignore": "target\n",
};

const BELOW = "native-helper/crates/below/src/lib.rs";
const BESIDE = "native-helper/crates/beside/src/lib.rs";

/** @param {import("node:test").TestContext} t */
function twoClones(t) {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-kept-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const first = join(folder, "first");
  for (const [path, text] of Object.entries(SOURCES)) {
    mkdirSync(join(first, path, ".."), { recursive: true });
    writeFileSync(join(first, path), text);
  }
  must("git", "-C", first, "init", "--quiet");
  must("git", "-C", first, "add", ".");
  const second = join(folder, "second");
  // With new times, as a clone has them.
  cpSync(first, second, { recursive: true });
  return { first: place(folder, first), second: place(folder, second) };
}

/** @param {string} folder @param {string} root @returns {import("../../scripts/kept-builds.mjs").Place} */
const place = (folder, root) => ({ root, target: join(root, "native-helper/target"), keptIn: join(folder, "kept") });

/** @param {import("../../scripts/kept-builds.mjs").Place} place @returns {Promise<string[]>} crates that cargo compiled */
async function compiled({ root }) {
  const { code, stdout, stderr } = await runCargo(["build", "--offline", "--locked", "--message-format=json"], {
    cwd: join(root, "native-helper"),
    env: cargoEnvironment(),
  });
  assert.equal(code, 0, stderr);
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  const artifacts = lines
    .map((line) => JSON.parse(line))
    .filter(({ reason, fresh }) => reason === "compiler-artifact" && !fresh);
  return artifacts.map(({ target }) => target.name).sort();
}

/** Cargo knows an included file by its whole path: the crate is compiled in each clone. */
const ALWAYS = "outside";

test("a second clone compiles nothing that has all its sources in its folder, wherever the clone lies", async (t) => {
  const { first, second } = twoClones(t);
  assert.deepEqual(await takeKeptBuilds(first), { outcome: "none are kept", mayKeep: true });
  assert.deepEqual(await compiled(first), ["above", "below", "beside", "outside"]);
  await keepBuilds(first);
  assert.deepEqual(await takeKeptBuilds(second), { outcome: "taken over: 0 files differ", mayKeep: true });
  assert.deepEqual(await compiled(second), [ALWAYS]);
  assert.ok(
    !readdirSync(second.keptIn, { recursive: true, encoding: "utf8" }).some((name) => name.includes("incremental")),
  );
  // And a third can use the files of the second.
  await keepBuilds(second);
  rmSync(first.target, { recursive: true });
  await takeKeptBuilds(first);
  assert.deepEqual(await compiled(first), [ALWAYS]);
});

for (const [title, path, crates] of /** @type {const} */ ([
  ["a source", "native-helper/crates/beside/src/lib.rs", ["beside", ALWAYS]],
  ["a file that a source takes in", "native-helper/crates/below/src/words.txt", ["above", "below", ALWAYS]],
])) {
  test(`where ${title} differs, that is compiled and what needs it`, async (t) => {
    const { first, second } = twoClones(t);
    await compiled(first);
    await keepBuilds(first);
    writeFileSync(join(second.root, path), `${readFileSync(join(second.root, path), "utf8")}\n`);
    assert.equal((await takeKeptBuilds(second)).outcome, "taken over: 1 files differ");
    assert.deepEqual(await compiled(second), crates);
  });
}

for (const [title, change, crates] of /** @type {[string, (root: string) => void, string[]][]} */ ([
  ["differs", (root) => writeFileSync(join(root, BELOW), `${SOURCES[BELOW]}\n`), ["above", "below", ALWAYS]],
  // Cargo finds nothing that is wrong with a second file of a module, as long as it does not compile.
  ["is new", (root) => writeFileSync(join(root, dirname(BELOW), "more.rs"), ""), ["above", "below", ALWAYS]],
  ["is missing", (root) => rmSync(join(root, dirname(BESIDE), "left.txt")), ["beside", ALWAYS]],
])) {
  test(`a file that ${title} since before the other clone compiled is compiled, too`, async (t) => {
    const { first, second } = twoClones(t);
    change(second.root);
    await compiled(first);
    await keepBuilds(first);
    assert.deepEqual(await takeKeptBuilds(second), { outcome: "taken over: 1 files differ", mayKeep: true });
    assert.deepEqual(await compiled(second), crates);
  });
}

test("where git does not list the sources, nothing is taken and nothing is kept", async (t) => {
  const { first, second } = twoClones(t);
  await compiled(first);
  await keepBuilds(first);
  rmSync(join(second.root, ".git"), { recursive: true });
  assert.deepEqual(await takeKeptBuilds(second), {
    outcome: "none are taken: git does not list the sources",
    mayKeep: false,
  });
  assert.ok(!existsSync(second.target));
  mkdirSync(second.target);
  assert.deepEqual(await keepBuilds(second), { outcome: "not kept: git does not list the sources" });
});

test("a build that was kept while the clock was ahead is not taken: each source would be older", async (t) => {
  const { first, second } = twoClones(t);
  await compiled(first);
  await keepBuilds(first);
  const [kind = ""] = readdirSync(first.keptIn);
  const [some = ""] = readdirSync(join(first.keptIn, kind, "target"), { recursive: true, encoding: "utf8" }).filter(
    (name) => basename(name).startsWith("dep-"),
  );
  const tomorrow = Date.now() / 1000 + 86_400;
  utimesSync(join(first.keptIn, kind, "target", some), tomorrow, tomorrow);
  const { outcome } = await takeKeptBuilds(second);
  assert.equal(outcome, "none are taken: they are of a later time than it is now");
  assert.ok(!existsSync(second.target));
});

test("a clone where cargo worked keeps its own, and half of what is kept is not taken", async (t) => {
  const { first, second } = twoClones(t);
  await compiled(first);
  await keepBuilds(first);
  await compiled(second);
  assert.deepEqual(await takeKeptBuilds(second), { outcome: "this clone has its own", mayKeep: false });
  rmSync(second.target, { recursive: true });
  const [kind = ""] = readdirSync(second.keptIn);
  rmSync(join(second.keptIn, kind, "target"), { recursive: true });
  assert.deepEqual(await takeKeptBuilds(second), { outcome: "none are kept", mayKeep: true });
  assert.ok(!existsSync(second.target));
  assert.deepEqual(namesLike(join(second.target, ".."), "target"), []);
});

/** @param {string} folder @param {string} part */
const namesLike = (folder, part) => readdirSync(folder).filter((name) => name.includes(part));

test("what a killed run has half kept or half taken is neither this clone's own, nor does it stay", async (t) => {
  const { first, second } = twoClones(t);
  await compiled(first);
  await keepBuilds(first);
  // No process has this id: it is more than any Linux gives.
  const ended = 4194305;
  const half = [
    join(second.root, `native-helper/target.${ended}/target/debug`),
    join(second.keptIn, `${"0af1".repeat(4)}.${ended}/target`),
    join(second.keptIn, `${"0af1".repeat(4)}.${ended}.old/target`),
  ];
  for (const folder of half) mkdirSync(folder, { recursive: true });
  assert.equal((await takeKeptBuilds(second)).outcome, "taken over: 0 files differ");
  for (const folder of [join(second.root, "native-helper"), second.keptIn])
    assert.deepEqual(namesLike(folder, String(ended)), []);
  assert.deepEqual(namesLike(join(second.root, "native-helper"), "target"), ["target"]);
});

test("what cannot be copied is not kept, nothing is left of it, and that is no error", async (t) => {
  const { first } = twoClones(t);
  await compiled(first);
  await keepBuilds(first);
  const before = readdirSync(first.keptIn);
  rmSync(first.target, { recursive: true });
  assert.match((await keepBuilds(first)).outcome, /^not kept: du: /);
  assert.deepEqual(readdirSync(first.keptIn), before);
});

test("other crates or options are another kind; of the kinds two stay", async (t) => {
  const { first } = twoClones(t);
  await compiled(first);
  const manifest = join(first.root, "native-helper/Cargo.toml");
  const kinds = new Set();
  for (const more of ["", "[profile.dev]\nopt-level = 1\n", "[profile.dev]\nopt-level = 2\n"]) {
    writeFileSync(manifest, `${SOURCES["native-helper/Cargo.toml"]}${more}`);
    await keepBuilds(first);
    for (const kind of readdirSync(first.keptIn)) kinds.add(kind);
  }
  assert.deepEqual([kinds.size, readdirSync(first.keptIn).length], [3, 2]);
  // A member that comes or goes is no other kind, and neither is one crate with other options.
  const more = "[workspace.lints.rust]\n[profile.quick.package.below]\nopt-level = 1\n";
  writeFileSync(manifest, `${readFileSync(manifest, "utf8")}${more}`);
  await keepBuilds(first);
  for (const kind of readdirSync(first.keptIn)) kinds.add(kind);
  assert.equal(kinds.size, 3);
});

test("nothing that is compiled names the folder of its clone", () => {
  const crates = join(HELPER_WORKSPACE, "crates");
  const sources = readdirSync(crates, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".rs"));
  assert.ok(sources.length > 100);
  // These are folders at the time of compiling. A running test has CARGO_MANIFEST_DIR in its environment.
  const named = sources.filter((name) =>
    /env!\(\s*"CARGO_(MANIFEST_DIR|MANIFEST_PATH|TARGET_TMPDIR|BIN_EXE_\w+)"/.test(
      readFileSync(join(crates, name), "utf8"),
    ),
  );
  assert.deepEqual(named, []);
});
