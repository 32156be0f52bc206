// A capture contains the commit of its sources.
import "../../scripts/outer-repository.mjs";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test, before, after } from "node:test";
import { ROOT } from "../../scripts/project.mjs";
import { readProfile, readUnfinishedProfile } from "../pprof-reader.mjs";
import { startDemo, UNHURRIED } from "../vms/demo.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { assertRefused, runHelper, temporaryFolder, untilIn } from "./helper.mjs";

/** @param {string} file @param {string} kind @returns {any} the last comment of a kind; undefined when there is none */
function fact(file, kind) {
  const prefix = `extrospect/${kind} `;
  const last = readProfile(file).comments.findLast((/** @type {string} */ comment) => comment.startsWith(prefix));
  return last === undefined ? undefined : JSON.parse(last.slice(prefix.length));
}

/** @param {string} folder @param {string[]} args */
function git(folder, ...args) {
  return execFileSync("git", ["-c", "user.name=me", "-c", "user.email=me@host", ...args], {
    cwd: folder,
    encoding: "utf8",
  }).trim();
}

describe("the commit of a capture", () => {
  /** @type {Awaited<ReturnType<typeof startDemo>>} */
  let demo;
  before(async () => {
    demo = await startDemo(await prepareOtp("25"), UNHURRIED);
  });
  after(() => demo.kill());

  /** @param {import("node:test").TestContext} t @returns {string} a repository with the demo's sources, one commit */
  function repository(t) {
    const folder = temporaryFolder(t);
    mkdirSync(join(folder, "shop"));
    cpSync(join(ROOT, "demo"), join(folder, "shop/demo"), { recursive: true });
    git(join(folder, "shop"), "init", "-q", "-b", "main");
    git(join(folder, "shop"), "add", ".");
    git(join(folder, "shop"), "commit", "-qm", "first");
    return join(folder, "shop");
  }

  /** @param {string} cwd @param {string[]} args @param {string[]} [wrapper] */
  const recordIn = (cwd, args, wrapper = []) =>
    runHelper(["record", demo.pid, "-d", 0, "-F", 499, ...args], {
      onStart: (child) =>
        void untilIn(child, "samples of the sources", () => {
          const file = args[args.indexOf("-o") + 1] ?? "";
          const path = args.includes("-o")
            ? file
            : join(cwd, readdirSync(cwd).find((name) => name.endsWith(".pb.gz")) ?? "");
          const names = readUnfinishedProfile(path).samples.flatMap(({ frames }) => frames.map(({ name }) => name));
          return names.some((name) => name.startsWith("demo_pricing:"));
        }).then(() => child.kill("SIGINT")),
      wrapper: ["env", "-C", cwd, "TZ=Asia/Kolkata", ...wrapper],
    });

  test("the capture has commit, changes, hashes of the sources and machine; the file name has node, local time and commit", async (t) => {
    const folder = repository(t);
    git(folder, "remote", "add", "origin", "https://me:s3cret@host/shop.git");
    writeFileSync(join(folder, "demo/src/demo_pricing.erl"), "% changed\n", { flag: "a" });
    const run = await recordIn(folder, []);
    assert.equal(run.code, 0, run.stderr);
    const commit = git(folder, "rev-parse", "HEAD");
    const [name = ""] = readdirSync(folder).filter((file) => file.endsWith(".pb.gz"));
    assert.match(name, new RegExp(`^[\\w.-]+-\\d{8}-\\d{6}-${commit.slice(0, 7)}\\.pb\\.gz$`));
    const origin = fact(join(folder, name), "origin");
    const { sources, ...rest } = origin;
    assert.deepEqual(rest, {
      repository: "https://host/shop.git",
      commit,
      branch: "main",
      dirty: true,
      describe: commit.slice(0, rest.describe.length),
      assigned: false,
    });
    assert.equal(
      sources["demo/src/demo_pricing.erl"],
      git(folder, "hash-object", "--no-filters", "demo/src/demo_pricing.erl"),
    );
    assert.ok(Object.keys(sources).every((path) => path.startsWith("demo/src/")));
    const host = fact(join(folder, name), "host");
    assert.ok(host.cpus > 0 && typeof host.load === "number" && Array.isArray(host.busy));
    assert.ok(!JSON.stringify(origin).includes("s3cret"));
    // Comments that a later one replaces are gone with compaction.
    assert.equal(
      readProfile(join(folder, name)).comments.filter((/** @type {string} */ comment) =>
        comment.startsWith("extrospect/origin "),
      ).length,
      1,
    );
  });

  test("--source-dir names the folder, and one that is none is refused before anything is sampled", async (t) => {
    const folder = repository(t);
    const file = join(temporaryFolder(t), "a.pb.gz");
    assert.equal((await recordIn("/", ["-o", file, "--source-dir", join(folder, "demo/src")])).code, 0);
    assert.equal(fact(file, "origin").commit, git(folder, "rev-parse", "HEAD"));
    assertRefused(await recordIn("/", ["-o", `${file}.2`, "--source-dir", "/nowhere"]), 2);
  });
});
