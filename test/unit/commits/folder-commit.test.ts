import "../../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { commitByGit } from "../../../extension/src/commits/folder-commit.js";
import { GitProgram } from "../../../extension/src/commits/git-program.js";
import { withoutCredentials } from "../../../extension/src/commits/remote-address.js";
import { blobHash, hashSources } from "../../../extension/src/commits/source-hashes.js";
import { until } from "../../until.mjs";

/** Patient with a machine that is busy with other tests. */
const PATIENT = new GitProgram("git", 60_000);

function git(folder: string, ...args: string[]): string {
  return execFileSync("git", ["-c", "user.name=me", "-c", "user.email=me@host", ...args], {
    cwd: folder,
    encoding: "utf8",
  }).trim();
}

function room(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-commit-"));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

function shop(t: TestContext): string {
  const folder = room(t);
  git(folder, "init", "-q", "-b", "main");
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "src/shop.erl"), "-module(shop).\n");
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "first");
  return folder;
}

test("commit, branch, remote and changes are found", async (t) => {
  const folder = shop(t);
  git(folder, "remote", "add", "origin", "https://me:s3cret@host/shop.git");
  git(folder, "tag", "v1.2");
  const told = await commitByGit(PATIENT, join(folder, "src"));
  assert.equal(told?.top, folder);
  assert.deepEqual(told.origin, {
    repository: "https://host/shop.git",
    commit: git(folder, "rev-parse", "HEAD"),
    branch: "main",
    dirty: false,
    describe: "v1.2",
    sources: {},
    assigned: false,
  });
  writeFileSync(join(folder, "src/shop.erl"), "-module(shop).\n%\n");
  assert.equal((await commitByGit(PATIENT, folder))?.origin.dirty, true);
  git(folder, "checkout", "-q", "--detach");
  assert.equal((await commitByGit(PATIENT, folder))?.origin.branch, "");
});

test("no git, no repository, a bare one, one without a commit, and a git that hangs", async (t) => {
  const folder = room(t);
  assert.equal(await commitByGit(new GitProgram("/nowhere/git"), folder), undefined);
  assert.equal(await commitByGit(PATIENT, folder), undefined);
  assert.equal(await commitByGit(PATIENT, join(folder, "nowhere")), undefined);
  git(folder, "init", "-q", "--bare", "bare.git");
  assert.equal(await commitByGit(PATIENT, join(folder, "bare.git")), undefined);
  git(folder, "init", "-q", "-b", "unborn");
  const { commit, branch, dirty } = (await commitByGit(PATIENT, folder))?.origin ?? {};
  assert.deepEqual([commit, branch, dirty], ["", "unborn", false]);
  const hanging = join(folder, "git");
  const started = join(folder, "started");
  writeFileSync(hanging, `#!/bin/sh\necho $$ > ${started}\nsleep 1000\n`);
  chmodSync(hanging, 0o755);
  assert.equal(await new GitProgram(hanging, 300).answer(folder, ["rev-parse", "HEAD"]), undefined);
  if (!existsSync(started)) return;
  const pid = readFileSync(started, "utf8").trim();
  const runs = () => existsSync(`/proc/${pid}/stat`) && !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  await until("the end of the git that hung", () => !runs());
});

test("no program that a repository names is started", async (t) => {
  const folder = shop(t);
  const [trap, sprung] = [join(folder, "trap"), join(folder, "sprung")];
  writeFileSync(trap, `#!/bin/sh\necho $0 $* >> ${sprung}\ncat\n`);
  chmodSync(trap, 0o755);
  for (const key of [
    "core.fsmonitor",
    "core.pager",
    "diff.external",
    "filter.a=b.c.clean",
    "filter.a=b.c.process",
    "credential.helper",
  ])
    git(folder, "config", key, trap);
  git(folder, "config", "core.hooksPath", folder);
  git(folder, "config", "log.showSignature", "true");
  git(folder, "config", "gpg.program", trap);
  writeFileSync(join(folder, ".gitattributes"), "* filter=a=b.c\n");
  writeFileSync(join(folder, "src/shop.erl"), "-module(shop). %\n");
  assert.equal((await commitByGit(PATIENT, folder))?.origin.dirty, true);
  // A signed commit, which a log would have proven.
  const signed = git(folder, "cat-file", "commit", "HEAD").replace(
    /\n\n/,
    "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n",
  );
  const commit = execFileSync("git", ["hash-object", "-t", "commit", "-w", "--stdin"], {
    cwd: folder,
    input: `${signed}\n`,
    encoding: "utf8",
  }).trim();
  git(folder, "update-ref", "HEAD", commit);
  assert.equal(await PATIENT.answer(folder, ["log", "--format=%H", "--max-count=1", "HEAD"]), commit);
  assert.equal(existsSync(sprung), false);
});

test("sources are hashed as git does it, those elsewhere and those that are gone left out", async (t) => {
  const folder = shop(t);
  const source = join(folder, "src/shop.erl");
  writeFileSync(source, "-module(shop).\r\n");
  const hash = git(folder, "hash-object", "--no-filters", source);
  assert.deepEqual(await hashSources(folder, [source, source, "/etc/hostname", folder, join(folder, "gone.erl")], ""), {
    "src/shop.erl": hash,
  });
  assert.equal(
    blobHash(new Uint8Array(0), "sha256"),
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
  );
});

test("no credentials of a remote are kept", () => {
  for (const [given, shown] of [
    ["https://user:token@host/shop.git", "https://host/shop.git"],
    ["https://user:to/k@en@host/shop.git", "https://host/shop.git"],
    ["https://host/shop.git?private_token=X#Y", "https://host/shop.git"],
    ["ssh://git@host:22/shop.git", "ssh://host:22/shop.git"],
    ["git@host:group/shop.git", "host:group/shop.git"],
    ["user:X@host:shop.git", "host:shop.git"],
    ["/srv/git/a@b/shop.git", "/srv/git/a@b/shop.git"],
    ["../shop", "../shop"],
    ["ext::sh -c X", ""],
    ["https://host/\u001b[31m", ""],
  ] as const)
    assert.equal(withoutCredentials(given), shown, given);
});
