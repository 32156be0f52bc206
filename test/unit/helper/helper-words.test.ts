import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { Words } from "../../../contract/plain-text.js";
import { ErrorCodes, PROTOCOL_VERSION } from "../../../contract/protocol.generated.js";
import { checkedAnswer } from "../../../extension/src/helper/handshake.js";
import { HelperError, refusalOf } from "../../../extension/src/helper/helper-error.js";
import { helperProgram, isHelperMissing } from "../../../extension/src/helper/helper-program.js";
import { INSTALLED_PROGRAM } from "../../../extension/src/helper/privileged-helper.js";
import { RestartLimit } from "../../../extension/src/helper/restart-limit.js";
import { ENGLISH } from "../recording/fakes.js";

const SETTING = "extrospect.helper.path";

function problemOf(run: () => unknown): HelperError {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof HelperError, String(error));
    assert.ok(error.what !== "" && error.why !== "" && error.fix !== "", "what, why and what to do");
    return error;
  }
  return assert.fail("nothing was thrown");
}

test("the helper that comes with the extension is started, executable or not", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-program-"));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  const bundled = join(folder, "dist/helper/linux-x64/extrospect");
  const place = {
    configured: "",
    bundled: (path: string) => join(folder, path),
    installed: null,
    startBy: "itself" as const,
    platform: "linux-x64",
  };
  mkdirSync(dirname(bundled), { recursive: true });
  assert.equal(problemOf(() => helperProgram(place, ENGLISH)).problem, "missing");
  assert.equal(isHelperMissing(place), false, "installing again would mend it");
  writeFileSync(bundled, "#!/bin/sh\n", { mode: 0o644 });
  assert.equal(helperProgram(place, ENGLISH).path, bundled);
  assert.equal(statSync(bundled).mode & 0o777, 0o755, "the bit is put back");
});

test("a configured helper must be an executable file with an absolute path", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-program-"));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  const own = join(folder, "mine");
  const from = (configured: string) => () =>
    helperProgram(
      { configured, bundled: () => "/nowhere", installed: null, startBy: "itself" as const, platform: "plan9-mips" },
      ENGLISH,
    ).path;
  for (const wrong of ["mine", own, folder]) {
    const error = problemOf(from(wrong));
    assert.equal(error.problem, "missing");
    assert.ok(error.fix.includes(SETTING));
  }
  writeFileSync(own, "#!/bin/sh\n", { mode: 0o644 });
  const error = problemOf(from(own));
  assert.equal(error.problem, "notRunnable");
  assert.equal(error.command, `chmod +x '${own}'`);
  assert.equal(statSync(own).mode & 0o777, 0o644, "not ours to change");
  chmodSync(own, 0o755);
  assert.equal(from(`  ${own}\n`)(), own);
});

test("sudo and doas start the installed copy or the one that was set, which we need not be able to read", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "extrospect-program-"));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  const own = join(folder, "mine");
  const lent = (configured: string, startBy: "sudo" | "doas") =>
    helperProgram({ configured, bundled: () => "/nowhere", installed: null, startBy, platform: "linux-x64" }, ENGLISH);
  assert.equal(problemOf(() => lent(own, "sudo")).problem, "missing");
  assert.equal(problemOf(() => lent("mine", "sudo")).problem, "missing");
  writeFileSync(own, "", { mode: 0o000 });
  assert.deepEqual(lent(own, "sudo"), { path: own, startedBy: ["sudo", "-n"], otherVersion: false });
  assert.deepEqual(lent(` ${own}`, "doas").startedBy, ["doas", "-n"]);
  if (!existsSync(INSTALLED_PROGRAM))
    assert.match(problemOf(() => lent("", "doas")).message, new RegExp(`there is no program ${INSTALLED_PROGRAM}`));
});

test("other platforms get a list of the views that work there", () => {
  const error = problemOf(() =>
    helperProgram(
      {
        configured: "",
        bundled: () => "/nowhere",
        installed: null,
        startBy: "itself" as const,
        platform: "darwin-arm64",
      },
      ENGLISH,
    ),
  );
  assert.equal(error.problem, "unsupported");
  assert.match(
    error.message,
    /x86-64 Linux only: this is darwin-arm64, which can open captures and attach to VMs on other hosts/,
  );
});

test("a package without helper names the one that has it, unless the user named another helper", () => {
  const place = {
    configured: "",
    bundled: (path: string) => join("/nowhere", path),
    installed: null,
    startBy: "itself" as const,
    platform: "linux-x64",
  };
  const error = problemOf(() => helperProgram(place, ENGLISH));
  assert.equal(error.problem, "unsupported");
  assert.match(error.fix, /linux-x64 or alpine-x64/);
  assert.ok(isHelperMissing(place));
  assert.ok(isHelperMissing({ ...place, platform: "win32-x64" }));
  assert.equal(isHelperMissing({ ...place, configured: "/opt/extrospect" }), false);
});

test("four restarts in three minutes, then none until the user requests it", () => {
  let now = 0;
  const limit = new RestartLimit(() => now);
  for (let end = 0; end < 4; end += 1) {
    limit.ended();
    assert.ok(limit.allowsStart, `after end ${String(end + 1)}`);
    now += 1000;
  }
  limit.ended();
  assert.equal(limit.allowsStart, false);
  limit.forget();
  assert.ok(limit.allowsStart);
  for (let end = 0; end < 20; end += 1) {
    now += 60_000;
    limit.ended();
    assert.ok(limit.allowsStart, "one a minute is not too often");
  }
});

test("what answers is the helper, and of this version", () => {
  const good = {
    serverInfo: { name: "extrospect" },
    protocolVersion: PROTOCOL_VERSION,
    capabilities: { experimental: { maxFrequencyHz: 1, kernelFrames: true, pstack: true, maxMessageBytes: 1 } },
  };
  assert.equal(checkedAnswer(good, { name: "/x" }, ENGLISH), good);
  const old = problemOf(() =>
    checkedAnswer({ ...good, protocolVersion: PROTOCOL_VERSION + 1 }, { name: "/x" }, ENGLISH),
  );
  assert.equal(old.problem, "versionMismatch");
  assert.ok(old.fix.includes(SETTING));
  for (const strange of [
    undefined,
    null,
    {},
    { capabilities: { textDocumentSync: 1 } },
    { protocolVersion: "1" },
    { protocolVersion: 1, capabilities: null },
  ]) {
    const error = problemOf(() => checkedAnswer(strange, { name: "/x" }, ENGLISH));
    assert.equal(error.problem, "noAnswer");
    assert.ok(error.fix.includes(SETTING));
  }
});

test("error answers keep what, why and fix", () => {
  const data = {
    what: "Cannot attach to process 4242",
    why: "it belongs to user 107",
    fix: "run it as root",
    exitCode: 4,
  };
  const error = refusalOf({ code: ErrorCodes.notPermitted, message: "no", data }, ENGLISH);
  assert.equal(error?.message, "Cannot attach to process 4242: it belongs to user 107");
  assert.equal(error.fix, "run it as root");
  assert.equal(error.code, ErrorCodes.notPermitted);
  assert.equal(refusalOf({ code: ErrorCodes.versionMismatch, message: "", data }, ENGLISH)?.problem, "versionMismatch");
  assert.equal(
    refusalOf({ code: 1, message: "just a message", data: { what: 3 } }, ENGLISH)?.message,
    "just a message",
  );
  assert.equal(refusalOf(new Error("no answer of a helper"), ENGLISH), undefined);
  assert.equal(refusalOf(undefined, ENGLISH), undefined);
});

test("a command comes from its field, and from nowhere else", () => {
  const fix = "install a copy that has the right, once: sudo /x install (or run it as root)";
  const answer = (more: object) =>
    refusalOf(
      { code: ErrorCodes.notPermitted, message: "", data: { what: "a", why: "b", fix, exitCode: 4, ...more } },
      ENGLISH,
    );
  assert.equal(answer({})?.command, undefined, "what looks like one in prose is none");
  assert.equal(answer({ command: "sudo /x install" })?.command, "sudo /x install");
  assert.equal(answer({ command: 3 })?.command, undefined);
});

test("what a host answers in a refusal has no line ends and nothing that a terminal obeys, in logs neither", () => {
  const data = { what: "a\nb", why: "\u001b]0;x\u0007c", fix: "d\u202e", exitCode: 4 };
  const error = refusalOf({ code: ErrorCodes.notPermitted, message: "", data }, ENGLISH);
  assert.deepEqual([error?.what, error?.why, error?.fix], ["a b", "]0;x c", "d"]);
  assert.equal(refusalOf({ code: 1, message: "e\u001bf" }, ENGLISH)?.message, "e f");
});

test("a command that is pasted runs nothing by itself: it is one line, without what a terminal obeys", () => {
  const data = { what: "a", why: "b", fix: "c", exitCode: 4, command: "true\nrm -rf x\r\u001b[2J\u202e" };
  assert.equal(refusalOf({ code: ErrorCodes.notPermitted, message: "", data }, ENGLISH)?.command, "true rm -rf x  [2J");
});

test("an error is shown in the user's language, by code and arguments; an unknown one as the helper wrote it", () => {
  const german: Words = {
    t: (message) =>
      ({ "process {pid} may not be read: {detail}": "Prozess {pid} darf nicht gelesen werden: {detail}" })[message] ??
      message,
  };
  const refusal = (messages: unknown) =>
    refusalOf(
      {
        code: ErrorCodes.notPermitted,
        message: "",
        data: { what: "English", why: "why", fix: "", exitCode: 4, messages },
      },
      german,
    );
  assert.equal(
    refusal({ what: { code: "mayNotBeRead", arguments: { pid: "7", detail: "{pid} x" } } })?.what,
    "Prozess 7 darf nicht gelesen werden: {pid} x",
  );
  assert.equal(refusal({ what: { code: "mayNotBeRead" } })?.what, "Prozess ? darf nicht gelesen werden: ?");
  for (const strange of [
    undefined,
    null,
    7,
    [],
    { what: 3 },
    { what: { code: 3 } },
    { what: { code: "ofALaterHelper", arguments: {} } },
    { what: { code: "toString" } },
    { why: { code: "mayNotBeRead", arguments: 7 } },
  ]) {
    assert.equal(refusal(strange)?.what, "English", JSON.stringify(strange));
  }
});
