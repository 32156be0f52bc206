// VMs of several hosts, and of several containers, under one start and one stop: machines of their own, each with a real sshd and a VM, and the clock of each.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { joinedCapture } from "../../../extension/src/capture/joined-capture.js";
import { clockAheadMs } from "../../../extension/src/recording/clock-ahead.js";
import { recordingEnvironment } from "../../../extension/src/recording/recording-environment.js";
import { RecordingGroup, type WantedMember } from "../../../extension/src/recording/recording-group.js";
import { Recording, type RecordingEnd } from "../../../extension/src/recording/recording.js";
import { FarMachine } from "../../hosts/far-machine.mjs";
import { Sshd } from "../../hosts/sshd.mjs";
import { until } from "../../until.mjs";
import { PipedHelper } from "../recording/piped-helper.js";
import { connected, needsRoot } from "./connected-host.js";

const MACHINES = ["far-a", "far-b", "far-c"];
const OPTIONS = { frequencyHz: 199, durationSeconds: 0, includeKernel: false, engine: "auto" as const };

async function onlyVm(piped: PipedHelper): Promise<number> {
  const { beams } = await piped.request("extrospect/list", {});
  assert.equal(beams.length, 1);
  return beams[0]?.pid ?? 0;
}

test(
  "three hosts are captured together; one that goes down leaves the rest, and they are one capture",
  needsRoot,
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "extrospect-together-"));
    t.after(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    const machines: FarMachine[] = [];
    const wanted: WantedMember[] = [];
    for (const name of MACHINES) {
      const machine = await FarMachine.start(t, name);
      machines.push(machine);
      const sshd = await Sshd.start(t, { machine });
      await machine.startVm(t, sshd.uid);
      const { piped } = await connected(t, sshd, { resumeForSeconds: 1 });
      const pid = await onlyVm(piped);
      wanted.push({
        name,
        recording: (listener, begin) =>
          new Recording(
            { ...OPTIONS, pid, fileFor: () => begin().then(() => join(folder, `${name}.pb.gz`)) },
            recordingEnvironment(piped, true),
            listener,
          ),
      });
    }
    const ends = new Map<string, RecordingEnd["reason"]>();
    let hasEnded = false;
    const group = new RecordingGroup({
      changed: () => {},
      grew: () => {},
      memberEnded: ({ name }, { reason }) => ends.set(name, reason),
      ended: () => {
        hasEnded = true;
      },
    });
    assert.deepEqual(await group.start(wanted), []);
    await until("samples of each", () =>
      group.members.every(({ recording }) => recording.capture.totals.samples > 100),
    );
    await machines[2]?.stop();
    await until("the one that is off is known to be", () => ends.get("far-c") === "helperGone");
    assert.deepEqual(
      group.running.map(({ name }) => name),
      ["far-a", "far-b"],
    );
    const before = group.running.map(({ recording }) => recording.capture.totals.samples);
    await until("the others go on", () =>
      group.running.every(({ recording }, index) => recording.capture.totals.samples > (before[index] ?? 0)),
    );
    await group.stop();
    await until("all have ended", () => hasEnded);
    assert.deepEqual(Object.fromEntries(ends), { "far-a": "stopped", "far-b": "stopped", "far-c": "helperGone" });

    const joined = joinedCapture();
    let sum = 0;
    for (const { name, recording } of group.members) {
      const file = decodeCapture(readFileSync(recording.file));
      assert.equal(file.facts.target?.host, name);
      assert.deepEqual(file.totals, recording.capture.totals);
      sum += file.totals.samples;
      joined.addNode(name, file);
      // One clock ticks on this machine, whatever its hosts are called.
      assert.equal(clockAheadMs(recording, true), 0);
    }
    joined.catchUp();
    assert.equal(joined.totals.samples, sum);
    assert.deepEqual(
      joined.facets().nodes.map(({ value }) => value),
      MACHINES,
    );
    // The VM has the same process id on each machine: its processes stay apart.
    for (const [index, name] of MACHINES.entries()) {
      assert.equal(joined.top({ nodes: [name] }).samples, group.members[index]?.recording.capture.totals.samples);
    }
  },
);
