import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { WALK_BOUNDS, workspaceFiles } from "../../../extension/src/builds/workspace-files.js";

const FACTS = { release: "", version: "", libraries: {}, modules: { shop: "0".repeat(32) }, replaced: [], cut: false };

function workspace(t: TestContext, files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "extrospect-walk-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

test("modules of the capture and descriptions of projects are read, other modules and sources only listed", async (t) => {
  const root = workspace(t, {
    "_build/prod/lib/shop/ebin/shop.beam": "beam",
    "_build/prod/lib/shop/ebin/other.beam": "other",
    "src/shop.erl": "source",
    "mix.exs": "app: :shop",
    "README.md": "",
    ".git/shop.beam": "hidden",
    "node_modules/a/shop.beam": "others'",
  });
  symlinkSync(join(root, "src"), join(root, "linked"));
  const { files, contents, isCut } = await workspaceFiles(root, FACTS);
  const seen = files.map(({ path, bytes }) => [path, bytes]).sort();
  assert.deepEqual(seen, [
    ["_build/prod/lib/shop/ebin/other.beam", null],
    ["_build/prod/lib/shop/ebin/shop.beam", 4],
    ["mix.exs", 10],
    ["src/shop.erl", null],
  ]);
  assert.deepEqual(
    [contents.map((content) => Buffer.from(content).toString()).sort(), isCut],
    [["app: :shop", "beam"], false],
  );
  assert.ok(files.every(({ modified_ms: modified }) => Number.isInteger(modified) && modified > 0));
});

test("bounds hold, and omissions are reported", async (t) => {
  const root = workspace(t, { "a/b/c/shop.beam": "beam", "shop.beam": "a longer one" });
  assert.equal((await workspaceFiles(root, FACTS, { ...WALK_BOUNDS, depth: 1 })).isCut, true);
  assert.equal((await workspaceFiles(root, FACTS, { ...WALK_BOUNDS, entries: 1 })).isCut, true);
  const { contents, isCut } = await workspaceFiles(root, FACTS, { ...WALK_BOUNDS, bytes: 11 });
  assert.deepEqual([contents.length, isCut], [1, true]);
  assert.deepEqual((await workspaceFiles(join(root, "nowhere"), FACTS)).files, []);
});
