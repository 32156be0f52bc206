// The shipped helper is built once for the same sources: on a clone of a few files, with a compiler that counts.
import "../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { HELPER_BYTES_MAX } from "../../scripts/elf-check.mjs";
import { HELPER_WORKSPACE, ROOT } from "../../scripts/project.mjs";
import { hashOf, shippedHelper, sourcesOf } from "../../scripts/shipped-helper.mjs";
import { must } from "../must.mjs";

const SOURCE = "native-helper/crates/part/one/src/lib.rs";
const FILES = {
  [SOURCE]: "mod new;\n#[cfg(test)]\nmod tests;\n",
  "native-helper/crates/part/one/src/tests.rs": "",
  "native-helper/crates/part/one/src/page.css": "",
  "native-helper/crates/part/one/tests/it.rs": "",
  "native-helper/crates/part/one/Cargo.toml": "",
  "native-helper/crates/part/other/src/lib.rs": "",
  "native-helper/Cargo.toml": "",
  "native-helper/Cargo.lock": "",
  "native-helper/.cargo/config.toml": "",
  "native-helper/fuzz/Cargo.toml": "",
  "scripts/cargo.mjs": "",
  "scripts/compile-helper.mjs": "",
  "scripts/reproducible.mjs": "",
  "scripts/start.mjs": "",
  ".gitignore": "target\n*.swp\n",
};

/** @param {string} root @param {string} path @param {string} [text] */
function write(root, path, text = "") {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** @param {import("node:test").TestContext} t @param {string} [name] */
function clone(t, name = "clone") {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-shipped-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, name);
  for (const [path, text] of Object.entries(FILES)) write(root, path, text);
  must("git", "-C", root, "init", "--quiet");
  must("git", "-C", root, "add", ".");
  return root;
}

/** The least that is taken for a program of x86-64 without a dynamic loader. @param {number} [bytes] */
function elf(bytes = 64) {
  const file = Buffer.alloc(bytes);
  file.write("\x7fELF\x02\x01", "latin1");
  file.writeUInt16LE(62, 18);
  return file;
}

/** A compiler that lists the workspaces it was called with. @param {Buffer} [program] */
function compiler(program = elf()) {
  /** @type {(string | undefined)[]} */
  const workspaces = [];
  const compileIn = async (/** @type {{workspace?: string}} */ { workspace }) => {
    workspaces.push(workspace);
    return program;
  };
  return { workspaces, compileIn };
}

test("the hash is of what is compiled: not of tests, nor of files that git ignores", async (t) => {
  const root = clone(t);
  const hash = async (tools = "rustc 1") => hashOf(root, (await sourcesOf(join(root, "native-helper"))) ?? [], tools);
  let last = await hash();
  const differs = async (/** @type {string} */ path, /** @type {boolean} */ should) => {
    write(root, path, "changed\n");
    const now = await hash();
    assert.equal(now !== last, should, path);
    last = now;
  };
  for (const path of [
    SOURCE,
    "native-helper/crates/part/one/src/page.css",
    // Cargo compiles it before git knows it.
    "native-helper/crates/part/one/src/new.rs",
    "native-helper/crates/part/one/Cargo.toml",
    "native-helper/Cargo.toml",
    "native-helper/Cargo.lock",
    "native-helper/.cargo/config.toml",
    "scripts/cargo.mjs",
    "scripts/compile-helper.mjs",
    "scripts/reproducible.mjs",
  ])
    await differs(path, true);
  for (const path of [
    "native-helper/crates/part/one/src/lib.rs.swp",
    "native-helper/target/release/extrospect",
    "native-helper/crates/part/one/src/tests.rs",
    "native-helper/crates/part/one/src/part/tests/more.rs",
    "native-helper/crates/part/one/tests/it.rs",
    "native-helper/fuzz/Cargo.toml",
    "scripts/start.mjs",
    "untracked.rs",
  ])
    await differs(path, false);
  assert.notEqual(await hash("rustc 2"), last, "another compiler");
  rmSync(join(root, "native-helper/crates/part/one/src/new.rs"));
  assert.notEqual(await hash(), last, "a source that is gone");
});

test("it is built once for the same sources, in one folder for all clones, and only a changed file has a new time", async (t) => {
  const [root, other] = [clone(t), clone(t, "other clone")];
  const folder = join(root, "../cache");
  const { workspaces, compileIn } = compiler();
  const ship = (/** @type {string} */ from) => shippedHelper({ root: from, folder, compileIn });

  assert.deepEqual(await ship(root), { program: elf(), wasThere: false });
  assert.deepEqual(await ship(root), { program: elf(), wasThere: true });
  assert.deepEqual(await ship(other), { program: elf(), wasThere: true });
  const workspace = join(folder, "native-helper");
  assert.deepEqual(workspaces, [workspace]);

  const copies = ["crates/part/one/src/lib.rs", "crates/part/one/tests/it.rs", "Cargo.toml"].map((path) =>
    join(workspace, path),
  );
  for (const copy of copies) utimesSync(copy, 1000, 1000);
  write(other, SOURCE, "mod new;\n// changed\n");
  write(other, "native-helper/crates/part/one/src/new.rs", "new\n");
  rmSync(join(other, "native-helper/crates/part/one/src/page.css"));
  rmSync(join(other, "native-helper/crates/part/other"), { recursive: true });
  write(folder, "native-helper/target/kept");
  assert.equal((await ship(other)).wasThere, false);
  assert.deepEqual(
    copies.map((copy) => statSync(copy).mtimeMs === 1_000_000),
    [false, true, true],
  );
  assert.deepEqual(readdirSync(join(workspace, "crates/part/one/src")), ["lib.rs", "new.rs", "tests.rs"]);
  assert.deepEqual(readdirSync(join(workspace, "crates/part")), ["one"], "cargo takes each folder for a crate");
  assert.equal(readFileSync(copies[0] ?? "", "utf8"), "mod new;\n// changed\n");
  assert.deepEqual(readdirSync(join(workspace, "target")), ["kept"]);
  // Back on the first: nothing is compiled.
  assert.equal((await ship(root)).wasThere, true);
  assert.equal(workspaces.length, 2);
});

test("of two at once one builds, and the other takes that", async (t) => {
  const root = clone(t);
  const { workspaces, compileIn } = compiler();
  const ship = () => shippedHelper({ root, folder: join(root, "../cache"), compileIn });
  const both = await Promise.all([ship(), ship()]);
  assert.deepEqual(both.map(({ wasThere }) => wasThere).sort(), [false, true]);
  assert.equal(workspaces.length, 1);
});

test("a program of sources that were edited during the wait or the build is not kept", async (t) => {
  const root = clone(t);
  const folder = join(root, "../cache");
  const { workspaces, compileIn } = compiler();
  const editing = async (/** @type {{workspace?: string}} */ how) => {
    write(root, SOURCE, "mod new;\n// edited meanwhile\n");
    return compileIn(how);
  };
  assert.equal((await shippedHelper({ root, folder, compileIn: editing })).wasThere, false);
  write(root, SOURCE, FILES[SOURCE]);
  for (const wasThere of [false, true])
    assert.equal((await shippedHelper({ root, folder, compileIn })).wasThere, wasThere);
  assert.equal(workspaces.length, 2);
});

test("a program that is too large, or does not run everywhere, is an error each time and is not kept", async (t) => {
  const root = clone(t);
  const folder = join(root, "../cache");
  for (const [program, why] of /** @type {[Buffer, RegExp][]} */ ([
    [elf(HELPER_BYTES_MAX + 1), /limit is/],
    [elf(HELPER_BYTES_MAX + 1), /limit is/],
    [Buffer.from("#!/bin/sh"), /not an ELF/],
    [Buffer.concat([elf(), Buffer.from(`${ROOT}/native-helper`)]), /a folder of this machine/],
  ])) {
    const { workspaces, compileIn } = compiler(program);
    await assert.rejects(
      shippedHelper({ root, folder, compileIn }),
      (/** @type {import("../../scripts/problem.mjs").Problem} */ problem) => why.test(problem.why),
    );
    assert.equal(workspaces.length, 1);
  }
  assert.equal((await shippedHelper({ root, folder, ...compiler(elf(HELPER_BYTES_MAX)) })).wasThere, false);
});

test("half a file is built again, and the last ones are kept", async (t) => {
  const root = clone(t);
  const folder = join(root, "../cache");
  const ship = () => shippedHelper({ root, folder, ...compiler() });
  await ship();
  const built = join(folder, "built");
  const [name = ""] = readdirSync(built);
  writeFileSync(join(built, name), elf().subarray(0, 32));
  assert.equal((await ship()).wasThere, false);
  for (let version = 0; version < 9; version += 1) {
    write(root, SOURCE, `// ${version}\n`);
    assert.equal((await ship()).wasThere, false);
  }
  assert.equal((await ship()).wasThere, true);
  assert.equal(readdirSync(built).length, 16, "8 programs, each with its record");
});

test("without git the sources are compiled where they are", async (t) => {
  const root = clone(t);
  rmSync(join(root, ".git"), { recursive: true });
  const { workspaces, compileIn } = compiler();
  await shippedHelper({ root, folder: join(root, "../cache"), compileIn });
  assert.deepEqual(workspaces, [undefined]);
});

test("the modules that are not in the hash are compiled for tests only", () => {
  const crates = join(HELPER_WORKSPACE, "crates");
  const sources = readdirSync(crates, { recursive: true, encoding: "utf8" }).filter((name) =>
    /^[^/]+\/[^/]+\/src\/.*\.rs$/.test(name),
  );
  assert.ok(sources.length > 500);
  for (const name of sources) {
    for (const [found] of readFileSync(join(crates, name), "utf8").matchAll(
      /(?:^.*\n)?^ *(?:pub(?:\(\w+\))? )?mod tests;/gm,
    ))
      assert.match(found, /^ *#\[cfg\(test\)\]\n/, `${name}: ${found}`);
  }
});
