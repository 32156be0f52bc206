// A list of VMs that no helper would give.
import assert from "node:assert/strict";
import { test } from "node:test";
import { knownVms, MOST_VMS, noVmOfName } from "../../../extension/src/targets/listed-vms.js";
import { targetDescription, targetTooltip } from "../../../extension/src/targets/target-description.js";
import { ENGLISH } from "../recording/fakes.js";

const ROW = {
  pid: 7,
  otp: "25",
  erts: "13",
  flavor: "jit",
  node: "shop@a",
  attachable: true,
  reason: null,
  command: "beam.smp",
  schedulers: 2,
  container: null,
  uid: 0,
  cpuPct: 1.5,
};

test("what is no row of a VM is left out, and what is no text of one is not known", () => {
  for (const garbage of [
    undefined,
    null,
    7,
    {},
    "x",
    [
      null,
      7,
      [],
      { ...ROW, pid: "7" },
      { ...ROW, pid: -1 },
      { ...ROW, pid: 1e300 },
      { ...ROW, attachable: 1 },
      { ...ROW, command: { length: 1 } },
    ],
  ])
    assert.deepEqual(knownVms(garbage), []);
  assert.deepEqual(knownVms([ROW, null]), [ROW]);
  const [odd] = knownVms([
    {
      ...ROW,
      node: { toString: 7 },
      otp: 7,
      schedulers: "2",
      cpuPct: Number.NaN,
      container: [],
      uid: -1,
      pidInside: 0.5,
      refusal: { what: 7 },
      containerFacts: { id: "x" },
      portPrograms: { processes: 1, cpuMs: -1, rssBytes: 1 },
      workingDirectory: "/srv/".repeat(1000),
      user: 7,
      more: "x",
    },
  ]);
  assert.deepEqual(odd, { ...ROW, node: null, otp: null, schedulers: null, cpuPct: null });
});

test("unknown members of a helper's answer are kept", () => {
  const full = {
    ...ROW,
    attachable: false,
    refusal: { what: "a", why: "b", fix: "c", exitCode: 4 },
    pidInside: 1,
    containerFacts: { runtime: "docker", id: "ab", name: "shop-1" },
    portPrograms: { processes: 0, cpuMs: 0, rssBytes: 0 },
    workingDirectory: "/srv/shop",
    user: "shop",
  };
  assert.deepEqual(knownVms([full]), [full]);
});

test("endless lists and texts are cut before anything is made of them", () => {
  const rows = knownVms(
    Array.from({ length: 3 * MOST_VMS }, (_, index) => ({
      ...ROW,
      pid: index + 1,
      command: "x".repeat(1 << 14),
      node: "n".repeat(1 << 14),
    })),
  );
  assert.equal(rows.length, MOST_VMS);
  for (const row of rows.slice(0, 3))
    assert.ok(targetDescription(row, ENGLISH).length + targetTooltip(row, ENGLISH).length < 4000);
});

test("schedulers that are online are counted of all, and where that is not known it is stated", () => {
  const tooltip = (row: object) => {
    const [vm] = knownVms([{ ...ROW, ...row }]);
    assert.ok(vm);
    return targetTooltip(vm, ENGLISH, "en").replaceAll("\\", "");
  };
  assert.match(tooltip({ schedulers: 4, schedulersOnline: 2 }), /\| Schedulers \| 2 of 4 online \|/);
  for (const schedulersOnline of [undefined, "2", -1])
    assert.match(tooltip({ schedulers: 4, schedulersOnline }), /\| 4; how many of them are online is not known \|/);
  assert.doesNotMatch(tooltip({ schedulers: null, schedulersOnline: 2 }), /online/);
});

test("a VM of which nothing runs is listed as that", () => {
  const standstill = {
    what: "process 7 is halted: a signal has stopped it",
    why: "",
    fix: "resume it: kill -CONT 7",
    messages: { what: { code: "vmStopped", arguments: { pid: "7" } } },
    command: "kill -CONT 7",
  };
  const [halted] = knownVms([{ ...ROW, cpuPct: 0, standstill }]);
  assert.ok(halted);
  assert.match(targetDescription(halted, ENGLISH, "en"), /halted$/);
  assert.match(targetTooltip(halted, ENGLISH, "en").replaceAll("\\", ""), /halted: a signal has stopped it/);
  assert.deepEqual(knownVms([{ ...ROW, standstill: { what: 7 } }]), [ROW], "of no form");
  const [unknown] = knownVms([{ ...ROW, standstillUnknown: { what: "it is not known", why: "", fix: "" } }]);
  assert.equal(unknown?.standstillUnknown?.what, "it is not known");
});

test("a node is known to be absent only where the name of each VM could be read", () => {
  const other = { ...ROW, node: null };
  assert.equal(noVmOfName([], "far@b", ENGLISH), "No VM there has the name far@b");
  assert.equal(noVmOfName([ROW, other], "far@b", ENGLISH), "No VM there has the name far@b");
  assert.equal(
    noVmOfName([ROW, { ...other, attachable: false }], "far@b", ENGLISH),
    "No VM there is known to have the name far@b, and VMs whose name is not known run there",
  );
});
