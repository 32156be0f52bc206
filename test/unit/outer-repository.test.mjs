// A test in a hook of git leaves the repository of that hook as it is.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import "../../scripts/outer-repository.mjs";

const MODULE = join(ROOT, "scripts/outer-repository.mjs");

test("what a hook starts makes its repositories beside the user's, also from a linked worktree", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-hook-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [user, linked, ofTest] = ["user", "linked", "of-test"].map((name) => join(folder, name));
  const git = (/** @type {string[]} */ ...words) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: folder, encoding: "utf8" });
  git("init", "--quiet", "user");
  git("-C", "user", "commit", "--quiet", "--allow-empty", "-m", "a");
  git("-C", "user", "worktree", "add", "--quiet", "--detach", "../linked");
  const program = join(folder, "test.mjs");
  writeFileSync(
    program,
    `import ${JSON.stringify(MODULE)};
import { execFileSync } from "node:child_process";
execFileSync("git", ["init", "--quiet", "--bare", ${JSON.stringify(`${ofTest}.git`)}]);
execFileSync("git", ["init", "--quiet", ${JSON.stringify(ofTest)}]);
execFileSync("git", ["-C", ${JSON.stringify(ofTest)}, "add", "--force", "."]);
execFileSync("git", ["-C", ${JSON.stringify(ofTest)}, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "--quiet", "--allow-empty", "-m", "t"]);
`,
  );
  const hook = join(user ?? "", ".git/hooks/pre-commit");
  writeFileSync(hook, `#!/bin/sh\nexec '${process.execPath}' '${program}'\n`);
  chmodSync(hook, 0o755);
  const config = readFileSync(join(user ?? "", ".git/config"), "utf8");
  for (const worktree of [user, linked]) {
    writeFileSync(join(worktree ?? "", "file"), "");
    git("-C", worktree ?? "", "add", "file");
    git("-C", worktree ?? "", "commit", "--quiet", "-m", "of the user");
    assert.equal(git("-C", worktree ?? "", "ls-files"), "file\n");
    assert.equal(git("-C", worktree ?? "", "log", "--format=%s"), "of the user\na\n");
    assert.equal(readFileSync(join(user ?? "", ".git/config"), "utf8"), config);
    assert.equal(git("-C", "of-test", "log", "-1", "--format=%an %s"), "t t\n");
    rmSync(ofTest ?? "", { recursive: true });
  }
});

test("no variable that names a repository stays, and those that reach servers do", () => {
  const local = execFileSync("git", ["rev-parse", "--local-env-vars"], { encoding: "utf8" }).trim().split("\n");
  const kept = { GIT_SSL_CAINFO: "a", GIT_ASKPASS: "b", GIT_CONFIG_GLOBAL: "c", GIT_SSH_COMMAND: "d" };
  const removed = [...local, "GIT_AUTHOR_NAME", "GIT_REFLOG_ACTION", "GIT_QUARANTINE_PATH"];
  const env = { ...kept, ...Object.fromEntries(removed.map((name) => [name, "x"])) };
  const script = `await import(${JSON.stringify(MODULE)}); console.log(JSON.stringify(process.env))`;
  const left = execFileSync(process.execPath, ["--input-type=module", "-e", script], { env, encoding: "utf8" });
  assert.deepEqual(JSON.parse(left), kept);
});

test("each file that makes repositories begins with that", () => {
  const without = ["test", "bench", "docs"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name}`)
      .filter((name) => /\.(?:mjs|ts)$/.test(name) && !name.includes("/node_modules/"))
      .filter((name) => {
        const text = readFileSync(join(ROOT, name), "utf8");
        const makes = text.includes('"git"') && /"(?:init|clone)"/.test(text);
        return makes && !/^import "(?:\.\.\/)+scripts\/outer-repository\.mjs";$/m.test(text);
      }),
  );
  assert.deepEqual(without, []);
});
