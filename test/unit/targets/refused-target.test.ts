import assert from "node:assert/strict";
import { test } from "node:test";
import type { DoctorRow, ErrorData } from "../../../contract/protocol.generated.js";
import { refusedTarget } from "../../../extension/src/targets/refused-target.js";
import { ENGLISH } from "../recording/fakes.js";

const INSTALL = "sudo /opt/extrospect install";
const CONTAINER = /^docker run --cap-add=PERFMON/;

/** As the list has it for a VM of another user. */
const OTHERS: ErrorData = {
  what: "process 7 may not be read",
  why: "it belongs to another user, or ptrace access is restricted",
  fix: `install a copy: ${INSTALL}`,
  exitCode: 4,
  messages: {
    fix: {
      code: "toGiveRightsForOthers",
      arguments: { command: INSTALL, path: "/etc/extrospect/policy.toml", caller: "nobody", owner: "root" },
    },
  },
  command: INSTALL,
};
const HIPE: ErrorData = {
  what: "HiPE",
  why: "",
  fix: "run it on an emulator without HiPE",
  exitCode: 1,
  messages: { fix: { code: "toStartWithoutHipe" } },
};

function failing(more: Partial<DoctorRow>): DoctorRow {
  return { check: "sampling", status: "fail", found: "denied", needed: "an event", fix: "", ...more };
}
const ADVISED = failing({ messages: { fix: { code: "toAllowContainer" } } });

const of = (refusal: ErrorData | undefined, ...checks: DoctorRow[]) =>
  refusedTarget({ reason: "not yours", ...(refusal && { refusal }) }, checks, ENGLISH);

test("where installing a copy would not help, only the other remedy is shown", () => {
  const refused = of(OTHERS, ADVISED);
  assert.equal(refused?.why, "process 7 may not be read; it belongs to another user, or ptrace access is restricted");
  assert.match(refused.mends ?? "", CONTAINER);
  assert.equal(refused.command, undefined, "the command of the other remedy is not offered");
});

test("where it would, the refusal has all of it, and its command is offered", () => {
  const refused = of(OTHERS, failing({ command: INSTALL }));
  assert.match(
    refused?.why ?? "",
    /sudo \/opt\/extrospect install, and have root allow it in \/etc\/extrospect\/policy\.toml/,
  );
  assert.deepEqual([refused?.mends, refused?.command], [undefined, INSTALL]);
  assert.equal(of(OTHERS)?.command, INSTALL);
});

test("a remedy that is not about rights is the only one", () => {
  for (const check of [ADVISED, failing({ command: "sudo sysctl kernel.perf_event_paranoid=2" })]) {
    const refused = of(HIPE, check);
    assert.match(refused?.why ?? "", /HiPE/);
    assert.deepEqual([refused?.mends, refused?.command], [undefined, undefined]);
  }
  assert.deepEqual(of(undefined, ADVISED), { why: "not yours", mends: undefined, command: undefined });
});

test("without a remedy of its own, or in no list, it is fixed as the check advises", () => {
  assert.match(of({ ...HIPE, fix: "", messages: {} }, ADVISED)?.mends ?? "", CONTAINER);
  const unlisted = refusedTarget(undefined, [failing({ command: INSTALL })], ENGLISH);
  assert.deepEqual(unlisted, { why: "denied (needed: an event)", mends: INSTALL, command: INSTALL });
  assert.equal(refusedTarget(undefined, [], ENGLISH), undefined);
  assert.equal(refusedTarget({ reason: null }, [], ENGLISH), undefined);
});
