import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { lastLines, run } from "../../scripts/command.mjs";
import { HELPER_BYTES_MAX, helperFault, shippedHelperFault, TEST_ONLY_WORDS } from "../../scripts/elf-check.mjs";
import { areInstalled, packagesAreCurrent } from "../../scripts/npm-packages.mjs";
import { explain, Interrupted, Problem } from "../../scripts/problem.mjs";
import { stepLine, wrapClauses } from "../../scripts/steps.mjs";
import { installScript, notInstalled } from "../../scripts/system-packages.mjs";
import { until } from "../until.mjs";

test("npm packages are current only when versions and names are those of the lock file", () => {
  const lock = {
    packages: {
      "": {},
      "node_modules/a": { version: "1.0.0" },
      "node_modules/b": { version: "2.0.0", optional: true },
    },
  };
  const a = { version: "1.0.0" };
  assert.equal(
    packagesAreCurrent(lock, { packages: { "node_modules/a": a, "node_modules/b": { version: "2.0.0" } } }),
    true,
  );
  assert.equal(packagesAreCurrent(lock, { packages: { "node_modules/a": a } }), true, "optional ones may be left out");
  assert.equal(packagesAreCurrent(lock, { packages: { "node_modules/a": { version: "1.0.1" } } }), false);
  assert.equal(
    packagesAreCurrent(lock, { packages: { "node_modules/a": a, "node_modules/c": a } }),
    false,
    "one too many",
  );
  assert.equal(packagesAreCurrent(lock, {}), false);
});

test("npm packages are installed anew where one is missing, or their list is half of one", (t) => {
  const root = mkdtempSync(join(tmpdir(), "extrospect-npm-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const list = join(root, "node_modules/.package-lock.json");
  const packages = { "node_modules/a": { version: "1.0.0" } };
  assert.throws(
    () => areInstalled(root),
    (error) => error instanceof Problem && error.fix === "git checkout HEAD -- package-lock.json",
  );
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: { "": {}, ...packages } }));
  assert.equal(areInstalled(root), false);
  mkdirSync(join(root, "node_modules/a"), { recursive: true });
  writeFileSync(list, JSON.stringify({ packages }));
  assert.equal(areInstalled(root), false, "a folder without its package");
  writeFileSync(join(root, "node_modules/a/package.json"), "{}");
  assert.equal(areInstalled(root), true);
  writeFileSync(list, JSON.stringify({ packages }).slice(0, 20));
  assert.equal(areInstalled(root), false);
});

test("a package without its files ends with the command that installs it", async () => {
  for (const load of [
    () => import(`no-such-${"package"}`),
    async () => createRequire(import.meta.url)("no-such-one"),
  ]) {
    const error = await load().catch((/** @type {unknown} */ thrown) => thrown);
    assert.match(explain(error), /^\nerror: an npm package .*\n {2}why: Cannot find .*no-such-.*\n {2}fix: npm ci$/);
  }
  const own = await import(`./no-such-${"module"}.mjs`).catch((/** @type {unknown} */ thrown) => thrown);
  assert.match(explain(own), /please report/);
});

test("packages that dpkg does not list as installed are missing", () => {
  assert.deepEqual(notInstalled(["gcc", "strace", "elixir"], "gcc installed\nstrace config-files\n"), [
    "strace",
    "elixir",
  ]);
});

test("no service is started by a package: a policy of ours goes again, one of a killed run, too, one of the machine stays", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-apt-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [policy, lock, seen, busy] = ["policy-rc.d", "lock/packages", "seen", "busy"].map((name) => join(folder, name));
  assert.ok(policy && lock && seen && busy);
  // It fails where another one works at the same time.
  const apt = `#!/bin/sh\nset -e\nmkdir '${busy}'\ncat '${policy}' > '${seen}'\nrmdir '${busy}'\n`;
  writeFileSync(join(folder, "apt-get"), apt, { mode: 0o755 });
  const env = { ...process.env, PATH: `${folder}:${process.env["PATH"] ?? ""}` };
  const install = async () => {
    const { code, stderr } = await run("/bin/sh", ["-c", installScript({ policy, lock }), "install", "gcc"], { env });
    assert.equal(code, 0, stderr);
    return existsSync(policy);
  };
  assert.equal(await install(), false);
  const ours = readFileSync(seen, "utf8");
  assert.match(ours, /^#!\/bin\/sh\n# .*\nexit 101\n$/);
  writeFileSync(policy, ours);
  assert.equal(await install(), false);
  await Promise.all([install(), install(), install()]);
  assert.equal(existsSync(policy), false);
  const own = "#!/bin/sh\nexit 101\n";
  writeFileSync(policy, own);
  assert.equal(await install(), true);
  assert.equal(readFileSync(policy, "utf8"), own);
});

test("the installation of packages ends while they are fetched, and with it the fetching", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-apt-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [policy, lock, fetching] = ["policy-rc.d", "lock/packages", "fetching"].map((name) => join(folder, name));
  assert.ok(policy && lock && fetching);
  // SIGTERM ends it, as it ends apt-get.
  const apt = `#!/bin/sh\necho $$ > '${fetching}.tmp'\nmv '${fetching}.tmp' '${fetching}'\nexec sleep infinity\n`;
  writeFileSync(join(folder, "apt-get"), apt, { mode: 0o755 });
  const env = { ...process.env, PATH: `${folder}:${process.env["PATH"] ?? ""}` };
  /** @type {number | undefined} */
  let script;
  const installing = run("/bin/sh", ["-c", installScript({ policy, lock }), "install", "gcc"], {
    env,
    onStart: (pid) => (script = pid),
  });
  await until("packages are fetched", () => existsSync(fetching));
  const pid = readFileSync(fetching, "utf8").trim();
  assert.ok(script !== undefined && existsSync(policy));
  process.kill(script, "SIGTERM");
  assert.equal((await installing).code, 130);
  await until("nothing is fetched any more", () => !existsSync(`/proc/${pid}`));
  assert.equal(existsSync(policy), false);
});

/** @param {{segment?: number, machine?: number, cut?: boolean}} wanted */
function elf({ segment = 1, machine = 62, cut = false }) {
  const file = Buffer.alloc(64 + 56);
  file.write("\x7fELF\x02\x01", "latin1");
  file.writeUInt16LE(machine, 18);
  file.writeBigUInt64LE(64n, 32);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(1, 56);
  file.writeUInt32LE(segment, 64);
  return cut ? file.subarray(0, 66) : file;
}

test("a helper that does not run everywhere is recognised by its ELF header", () => {
  assert.equal(helperFault(elf({})), null);
  assert.match(helperFault(elf({ segment: 3 })) ?? "", /dynamic loader/);
  assert.match(helperFault(elf({ machine: 183 })) ?? "", /x86-64/);
  assert.match(helperFault(elf({ cut: true })) ?? "", /cut off/);
  assert.match(helperFault(Buffer.concat([elf({}), Buffer.from(TEST_ONLY_WORDS)])) ?? "", /built for tests/);
  assert.match(helperFault(Buffer.from("#!/bin/sh")) ?? "", /not an ELF/);
  assert.match(shippedHelperFault(Buffer.concat([elf({}), Buffer.alloc(HELPER_BYTES_MAX)])) ?? "", /limit/);
  assert.equal(
    helperFault(Buffer.concat([elf({}), Buffer.alloc(HELPER_BYTES_MAX)])),
    null,
    "the one of npm start may be larger",
  );
  assert.match(shippedHelperFault(elf({ machine: 183 })) ?? "", /x86-64/);
  assert.match(
    helperFault(readFileSync(process.execPath).subarray(0, 100_000)) ?? "",
    /dynamic loader/,
    "node itself is dynamic",
  );
});

test("a problem is shown without a stack trace and ends with the remedy", () => {
  assert.equal(explain(new Problem("a", "b\nc", "d")), "\nerror: a\n  why: b\n       c\n  fix: d");
  assert.equal(explain(new Interrupted()), "\nStopped.");
  assert.match(explain(new TypeError("x")), /please report/);
});

test("a quality line breaks between its clauses only", () => {
  const line = "quality: aaa, bbb; ccc ddd; eee";
  assert.equal(wrapClauses(line, Infinity), line);
  assert.equal(wrapClauses(line, 30), "quality: aaa, bbb; ccc ddd;\n         eee");
});

test("a step shows how long it took once it is over", () => {
  assert.match(stepLine("helper", "ready", 1234), /^ {2}helper +1\.2 s {2}ready$/);
  assert.doesNotMatch(stepLine("helper", "...", null), /\d/);
});

test("a program's exit code and output come back, a missing one is a problem", async (t) => {
  const { code, stdout, stderr } = await run("/bin/sh", ["-c", "echo out; echo err >&2; exit 7"]);
  assert.deepEqual({ code, stdout, stderr }, { code: 7, stdout: "out\n", stderr: "err\n" });
  await assert.rejects(run("/no/such/program", []), Problem);
  const folder = mkdtempSync(join(tmpdir(), "extrospect-set-up-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const started = join(folder, "started");
  const interruption = new AbortController();
  const running = run("/bin/sh", ["-c", `touch ${started}; exec sleep 1000`], { signal: interruption.signal });
  const interrupted = assert.rejects(running, Interrupted);
  await until("it runs", () => existsSync(started));
  interruption.abort();
  await interrupted;
  assert.equal(lastLines("a\nb\nc\n", 2), "b\nc");
});

test("an interrupted program ends although it ignores the signal and leaves its output to another one", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-set-up-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const started = join(folder, "started");
  const interruption = new AbortController();
  const command = `trap "" INT; sleep 1000 & echo $! >${started}.tmp; mv ${started}.tmp ${started}; wait; wait`;
  const running = run("/bin/sh", ["-c", command], { signal: interruption.signal });
  const interrupted = assert.rejects(running, Interrupted);
  await until("it runs", () => existsSync(started));
  const left = Number(readFileSync(started, "utf8"));
  t.after(() => process.kill(left, "SIGKILL"));
  interruption.abort();
  await interrupted;
});

test("a program with a lower priority has it from its start on, and so have its children", async () => {
  const untilItIs = 'until [ "$(nice)" -ge 15 ]; do sleep 0.05; done; sh -c nice';
  const { stdout } = await run("/bin/sh", ["-c", untilItIs], { nice: 15 });
  assert.equal(stdout.trim(), "15");
});

test("the lock file names no registry", () => {
  assert.doesNotMatch(
    readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8"),
    /"resolved"|https?:\/\/[^"]*\.tgz/,
  );
});

test("no wait of a program depends on the time of day, which may be set meanwhile", () => {
  const scripts = fileURLToPath(new URL("../../scripts/", import.meta.url));
  const names = readdirSync(scripts).filter((name) => name.endsWith(".mjs"));
  const users = names.filter((name) => readFileSync(join(scripts, name), "utf8").includes("Date.now()"));
  // These compare it with the times of files.
  assert.deepEqual(users, ["bundle-tests.mjs", "kept-builds.mjs"]);
});

test("npm start names faults of its arguments", () => {
  const start = fileURLToPath(new URL("../../scripts/start.mjs", import.meta.url));
  assert.throws(
    () => execFileSync(process.execPath, [start, "--seconds", "many"], { stdio: "pipe" }),
    (/** @type {any} */ error) => error.status === 1 && /whole number/.test(error.stderr) && !/ at /.test(error.stderr),
  );
});
