import assert from "node:assert/strict";
import { test } from "node:test";
import type { BeamRow } from "../../../contract/protocol.generated.js";
import { sameTargets, settingsOf } from "../../../extension/src/recording/same-target.js";

const TARGET = {
  pid: 7,
  otpRelease: "25",
  ertsVersion: "13.1.5",
  flavor: "jit",
  node: "shop@host",
  host: "host",
  command: "beam.smp -sname shop",
};

function beam(pid: number, node: string | null, command = "beam.smp", attachable = true): BeamRow {
  return {
    pid,
    otp: "25",
    erts: null,
    flavor: "jit",
    node,
    attachable,
    reason: null,
    command,
    schedulers: 2,
    container: null,
    uid: 0,
    cpuPct: 0,
  };
}

test("the VM of a capture is found by its node, one without a name by its command", () => {
  const pids = (node: string, command: string, beams: BeamRow[]) =>
    sameTargets({ ...TARGET, node, command }, beams).map(({ pid }) => pid);
  const beams = [
    beam(5, "shop@host"),
    beam(6, "cart@host"),
    beam(8, null, "beam.smp -noshell -s a"),
    beam(9, null, "beam.smp -noshell -s..."),
    beam(10, "shop@host", "beam.smp", false),
  ];
  assert.deepEqual(pids("shop@host", "", beams), [5]);
  assert.deepEqual(pids("", "beam.smp -noshell -s a", beams), [8, 9]);
  assert.deepEqual(pids("", "beam.smp -other", beams), []);
  // The very same process comes alone.
  assert.deepEqual(pids("shop@host", "", [...beams, beam(7, "shop@host")]), [7]);
});

test("settings are those of the capture; absent ones are left out", () => {
  const quality = { engine: { name: "readv" } } as Parameters<typeof settingsOf>[0]["quality"];
  assert.deepEqual(settingsOf({ target: TARGET, quality, durationMs: 9_960, frequencyHz: 499, includeKernel: false }), {
    durationSeconds: 10,
    frequencyHz: 499,
    kernelFrames: false,
    engine: "readv",
    types: ["cpu"],
  });
  const repeated = (event: string, offCpu: object | undefined, faults?: object) =>
    settingsOf({
      target: TARGET,
      quality: { engine: {}, event, off_cpu: offCpu, faults } as Parameters<typeof settingsOf>[0]["quality"],
      durationMs: 0,
      frequencyHz: 0,
    }).types;
  assert.deepEqual(repeated("cpu-clock", {}), ["cpu", "off-cpu"]);
  assert.deepEqual(repeated("", {}), ["off-cpu"]);
  assert.deepEqual(repeated("cpu-clock", { refused: "no rights" }), ["cpu"]);
  assert.deepEqual(repeated("cpu-clock", {}, {}), ["cpu", "off-cpu", "faults"]);
  assert.deepEqual(repeated("", undefined, {}), ["faults"]);
  assert.deepEqual(settingsOf({ target: TARGET, quality: null, durationMs: 0, frequencyHz: 0 }), {});
});
