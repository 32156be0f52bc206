// VMs of several containers under one start and one stop.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { joinedCapture } from "../../../extension/src/capture/joined-capture.js";
import { recordingEnvironment } from "../../../extension/src/recording/recording-environment.js";
import { RecordingGroup, type WantedMember } from "../../../extension/src/recording/recording-group.js";
import { Recording } from "../../../extension/src/recording/recording.js";
import { startNamespaces } from "../../hosts/namespaces.mjs";
import { until } from "../../until.mjs";
import { PipedHelper } from "../recording/piped-helper.js";
import { needsRoot } from "./connected-host.js";

const OPTIONS = { frequencyHz: 199, durationSeconds: 0, includeKernel: false, engine: "auto" as const };

test(
  "VMs of two containers of this machine are captured together, each first process of its own",
  needsRoot,
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "extrospect-together-"));
    t.after(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    const piped = new PipedHelper(t);
    await piped.initialize();
    const containers = { own: await startNamespaces(t, { userNamespace: true }), root: await startNamespaces(t) };
    const { beams } = await piped.request("extrospect/list", {});
    const wanted = Object.entries(containers).map(([name, { pid }]): WantedMember => {
      const row = beams.find((beam) => beam.pid === pid);
      assert.deepEqual([row?.pidInside, row?.container], [1, "another pid namespace"]);
      return {
        name,
        recording: (listener, begin) =>
          new Recording(
            { ...OPTIONS, pid, fileFor: () => begin().then(() => join(folder, `${name}.pb.gz`)) },
            recordingEnvironment(piped, false),
            listener,
          ),
      };
    });
    const ends: string[] = [];
    let hasEnded = false;
    const group = new RecordingGroup({
      changed: () => {},
      grew: () => {},
      memberEnded: ({ name }, { reason }) => ends.push(`${name} ${reason}`),
      ended: () => {
        hasEnded = true;
      },
    });
    assert.deepEqual(await group.start(wanted), []);
    await until("samples of each", () =>
      group.members.every(({ recording }) => recording.capture.totals.samples > 100),
    );
    await group.stop();
    await until("all have ended", () => hasEnded);
    assert.deepEqual(ends.sort(), ["own stopped", "root stopped"]);
    const joined = joinedCapture();
    for (const { name, recording } of group.members) joined.addNode(name, decodeCapture(readFileSync(recording.file)));
    joined.catchUp();
    for (const { name, recording } of group.members) {
      assert.equal(recording.capture.facts.target?.pid, containers[name as keyof typeof containers].pid);
      assert.equal(joined.top({ nodes: [name] }).samples, recording.capture.totals.samples);
    }
  },
);
