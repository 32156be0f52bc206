import "../../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { keepOutOfGit } from "../../../extension/src/captures/own-gitignore.js";

describe("a folder of captures and git", () => {
  const root = mkdtempSync(join(tmpdir(), "extrospect-git-"));
  after(() => {
    rmSync(root, { recursive: true, force: true });
  });

  function folderWith(name: string, files: Record<string, string>): string {
    const folder = join(root, name);
    mkdirSync(folder);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    return folder;
  }

  test("git sees nothing of a new folder, and nothing of one that holds captures only", async () => {
    const repository = folderWith("repository", {});
    execFileSync("git", ["init", "--quiet", repository]);
    for (const [name, files] of [
      ["repository/new", {}],
      ["repository/older", { "a.pb.gz": "x" }],
    ] as const) {
      const folder = folderWith(name, files);
      await keepOutOfGit(folder);
      writeFileSync(join(folder, "b.pb.gz"), "y");
    }
    assert.equal(
      execFileSync("git", ["-C", repository, "status", "--porcelain", "--untracked-files=all"], { encoding: "utf8" }),
      "",
    );
  });

  test("a .gitignore of the user's stays as it is, an empty one too", async () => {
    for (const [name, text] of [
      ["empty", ""],
      ["own", "!*\n"],
    ] as const) {
      const folder = folderWith(name, { ".gitignore": text, "a.pb.gz": "x" });
      await keepOutOfGit(folder);
      assert.equal(readFileSync(join(folder, ".gitignore"), "utf8"), text);
    }
  });

  test("a folder that holds anything else is the user's", async () => {
    const folder = folderWith("shared", { "a.pb.gz": "x", "notes.md": "mine" });
    await keepOutOfGit(folder);
    assert.equal(existsSync(join(folder, ".gitignore")), false);
  });

  test("a link is not followed, and a folder that is not there is no error", async () => {
    const elsewhere = join(root, "elsewhere");
    const folder = folderWith("linked", {});
    symlinkSync(elsewhere, join(folder, ".gitignore"));
    await keepOutOfGit(folder);
    await keepOutOfGit(join(root, "nowhere"));
    assert.equal(existsSync(elsewhere), false);
  });
});
