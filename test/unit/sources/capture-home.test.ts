import assert from "node:assert/strict";
import { test } from "node:test";
import { sharesFiles } from "../../../extension/src/recording/shared-files.js";
import { originOfRuled, type NamesakeFile } from "../../../extension/src/sources/finding/code-origin.js";
import { isElsewhere } from "../../../extension/src/sources/finding/capture-home.js";
import { trustedCommand } from "../../../extension/src/sources/finding/install-folders.js";

const EMULATOR = "/usr/lib/erlang/erts-13.1.5/bin/beam.smp";
const COMMAND = `${EMULATOR} -- -root /usr/lib/erlang -pa /app/ebin`;

test("files here are those of a capture of this machine, and of no other", () => {
  const asked: string[] = [];
  const machine = {
    host: "desk",
    exists: (path: string) => {
      asked.push(path);
      return path === EMULATOR;
    },
  };
  const of = (host: string, command = COMMAND, known?: boolean) =>
    isElsewhere(
      { capture: { facts: { target: { host, command } } }, ...(known === undefined ? {} : { isElsewhere: known }) },
      command,
      machine,
    );
  assert.equal(of("desk"), false);
  assert.equal(of("web-1"), true);
  assert.equal(of(""), true, "a host that is not named");
  assert.equal(
    of("desk", "/opt/otp-27/erts-15.0/bin/beam.smp -- -root /opt/otp-27"),
    true,
    "a container has another emulator",
  );
  assert.equal(of("desk", ""), true, "the command is not confirmed");
  assert.equal(of("desk", COMMAND, true), true, "known while it was taken");
  assert.equal(of("web-1", COMMAND, false), false);
  const said = (more: object, facts: object = {}) =>
    isElsewhere(
      { capture: { facts: { target: { host: "desk", command: COMMAND, ...more }, ...facts } } },
      COMMAND,
      machine,
    );
  assert.equal(said({}), false);
  assert.equal(said({ hasOtherFiles: true }), true, "a container of this host with an emulator at the same path");
  assert.equal(said({}, { isFromElsewhere: true }), true, "another host that is called as this one is");
  asked.length = 0;
  for (const named of ["//evil/share/beam.smp", "beam.smp", "../beam.smp", "\\\\evil\\share\\beam.smp"])
    assert.equal(of("desk", named), true);
  assert.deepEqual(asked, [], "nothing over a network is looked at");
  assert.equal(isElsewhere(undefined, "", machine), false);
  assert.equal(
    isElsewhere({ capture: { facts: { target: null } } }, "", machine),
    false,
    "profiles of other tools do not have it",
  );
});

test("a live VM of another host names folders here in a trusted workspace only", () => {
  const opened = { live: true, isElsewhere: true, capture: { facts: { target: { command: COMMAND } } } };
  assert.equal(trustedCommand(opened, false), "");
  assert.equal(trustedCommand(opened, true), COMMAND);
  assert.equal(trustedCommand({ ...opened, isElsewhere: false }, false), COMMAND);
});

test("this process shares its files, one that there is not does not", () => {
  assert.equal(sharesFiles(process.pid), process.platform === "linux");
  assert.equal(sharesFiles(2 ** 30), false);
});

test("the target of a rule is own code if the file is, whatever its path", () => {
  const place = { module: "", isElixir: false, file: "/build/scan.c" };
  const file = (path: string, isOwn: boolean): NamesakeFile => ({
    path,
    workspaceFolder: "/home/me/shop",
    isOwn,
    declares: undefined,
  });
  assert.deepEqual(originOfRuled(place, [file("/home/me/shop/native/scan/scan.c", true)]).origin.kind, "own");
  assert.deepEqual(originOfRuled(place, [file("/home/me/shop/deps/scan/c_src/scan.c", false)]).origin, {
    kind: "dependency",
    application: "scan",
  });
  assert.deepEqual(
    originOfRuled(place, [file("/home/me/shop/deps/a/scan.c", false), file("/home/me/shop/scan.c", true)]).origin.kind,
    "own",
  );
  assert.deepEqual(originOfRuled({ ...place, file: "/app/deps/jason/lib/jason.ex" }, []).origin, {
    kind: "library",
    application: "jason",
  });
});
