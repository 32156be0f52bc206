// events: which events can be recorded, as `record` finds it with the same rights.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { prepareOtp } from "../vms/otp.mjs";
import { NOW_AND_THEN, runErl } from "../vms/vm.mjs";
import { asNobody, NOBODY, WITHOUT_BPF } from "./fewer-rights.mjs";
import { assertRefused, helperJson, runHelper, temporaryFolder } from "./helper.mjs";

/**
 * @typedef {object} EventRow
 * @property {string} event
 * @property {string} label
 * @property {string} engine
 * @property {string} source
 * @property {boolean | null} recordable
 * @property {string | null} limit
 * @property {{what: string, why: string, fix: string, command?: string} | null} refusal
 * @property {{of: string, ns: number}[]} costs
 */

/** What distinguishes the rows. @param {EventRow[]} events */
const names = (events) => events.map(({ event, engine, source }) => [event, engine, source]);
const NAMES = [
  ["cpu", "bpf", "cpu-clock"],
  ["cpu", "readv", "cpu-clock"],
  ["off-cpu", "bpf", "context-switches"],
  ["faults", "bpf", "page-faults"],
];

/** @param {import("node:test").TestContext} t @param {number} [uid] */
async function vmOf(t, uid) {
  // Another user may not make the namespaces that VMs of other releases than the machine's own run in.
  const otp = await prepareOtp(uid === undefined ? "27" : "25");
  const vm = await runErl({ otp, ...NOW_AND_THEN, ...(uid === undefined ? {} : { uid }) });
  t.after(() => vm.kill());
  return vm;
}

test("with all rights each event can be recorded, on a VM as on this machine, and an unknown one is refused with these", async (t) => {
  const { pid } = await vmOf(t);
  /** @type {{vm: any, events: EventRow[]}} */
  const { vm, events } = await helperJson(["events", pid]);
  assert.deepEqual([vm.pid, vm.otp, vm.flavor, vm.user, vm.attachable], [pid, "27", "jit", "root", true]);
  assert.deepEqual(names(events), NAMES);
  for (const row of events) {
    assert.deepEqual([row.recordable, row.limit, row.refusal], [true, null, null], JSON.stringify(row));
    for (const { ns } of row.costs) assert.ok(Number.isInteger(ns), JSON.stringify(row));
  }
  assert.deepEqual(
    events.map(({ label, costs }) => [label, ...costs.map(({ of }) => of)]),
    [
      ["CPU time", "sample"],
      ["CPU time", "sample"],
      ["blocked time", "block", "other switch"],
      ["page faults", "page fault"],
    ],
  );
  assert.deepEqual(await helperJson(["events"]), { vm: null, events });
  const { stdout } = await runHelper(["events", pid]);
  assert.match(stdout, new RegExp(`^process ${pid}: OTP 27, ERTS 15\\.\\S+, jit, user root`));
  assert.match(stdout, /^off-cpu +blocked time +context-switches, engine bpf +yes +about \S+ µs for each block, /m);
  const file = join(temporaryFolder(t), "none.pb.gz");
  const unknown = await runHelper(["record", pid, "-o", file, "--event", "cpu,xyz"]);
  assert.equal(unknown.code, 2, unknown.stderr);
  const known = [...new Set(events.map(({ event }) => event))];
  assert.ok(unknown.stderr.includes(`[possible values: ${known.join(", ")}]`), unknown.stderr);
});

test("without the right to eBPF a row has the refusal of `record`, or `record` is not refused", async (t) => {
  const { pid } = await vmOf(t);
  /** @type {{events: EventRow[]}} */
  const { events } = await helperJson(["events", pid], { wrapper: WITHOUT_BPF });
  assert.deepEqual(
    events.map(({ recordable }) => recordable),
    [false, true, false, false],
  );
  const folder = temporaryFolder(t);
  for (const { event, engine, refusal } of events) {
    const file = join(folder, `${event}-${engine}.pb.gz`);
    const args = ["record", pid, "-d", 1, "-o", file, "--event", event];
    // Processor time has another engine.
    if (event === "cpu") args.push("--engine", engine);
    const run = await runHelper(args, { wrapper: WITHOUT_BPF });
    if (refusal === null) assert.equal(run.code, 0, run.stderr);
    else {
      assertRefused(run, 4);
      assert.match(refusal.what, /CAP_BPF/);
      assert.ok(run.stderr.includes(`${refusal.what}; `), `${run.stderr}, not: ${refusal.what}`);
      assert.ok(run.stderr.includes(refusal.fix), `${run.stderr}, not: ${refusal.fix}`);
    }
  }
  const { stdout } = await runHelper(["events", pid], { wrapper: WITHOUT_BPF });
  assert.match(stdout, /^off-cpu +blocked time +context-switches, engine bpf +no +about /m);
  assert.match(stdout, /^off-cpu by bpf: .*CAP_BPF/m);
});

test("another user: of a VM that may not be read nothing was tried, and of their own the program is refused", async (t) => {
  const { pid } = await vmOf(t);
  const run = await asNobody(t, ["events", pid, "--json"]);
  assertRefused(run, 4);
  /** @type {{vm: any, events: EventRow[]}} */
  const { vm, events } = JSON.parse(run.stdout);
  assert.deepEqual([vm.pid, vm.attachable], [pid, false]);
  assert.deepEqual(names(events), NAMES);
  for (const { recordable, refusal } of events) {
    assert.equal(recordable, null);
    assert.match(refusal?.what ?? "", new RegExp(`^process ${pid} may not be read`));
    assert.match(refusal?.command ?? "", /^sudo \S+ install$/);
  }
  const text = await asNobody(t, ["events", pid]);
  assert.match(text.stdout, /^cpu +CPU time +cpu-clock, engine readv +not tried +about /m);
  assert.match(text.stdout, /^cpu by bpf, cpu by readv, off-cpu by bpf, faults by bpf: process \d+ may not be read/m);

  const own = await vmOf(t, NOBODY);
  for (const target of [[], [own.pid]]) {
    const found = await asNobody(t, ["events", ...target, "--json"]);
    /** @type {{events: EventRow[]}} */
    const ofOwn = JSON.parse(found.stdout);
    const [bpf, readv, ...beside] = ofOwn.events.map(({ recordable }) => recordable);
    assert.deepEqual([bpf, ...beside], [false, false, false], found.stdout);
    // The kernel's settings permit it, or not.
    assert.equal(typeof readv, "boolean", found.stdout);
    assert.equal(found.code, readv ? 0 : 4, found.stderr);
    for (const { recordable, refusal } of ofOwn.events) {
      assert.equal(recordable, refusal === null);
      if (refusal !== null) assert.match(refusal.fix, /\S/);
    }
  }
});

test("something that is no VM: exit 3, and nothing was tried", async () => {
  const run = await runHelper(["events", process.pid, "--json"]);
  assertRefused(run, 3);
  const { vm, events } = JSON.parse(run.stdout);
  assert.equal(vm, null);
  assert.deepEqual(names(events), NAMES);
  for (const { recordable, refusal } of events) {
    assert.equal(recordable, null);
    assert.match(refusal.what, /is not an Erlang VM/);
  }
});
