import assert from "node:assert/strict";
import { test } from "node:test";
import { HelperError, Cancelled } from "../../../extension/src/helper/helper-error.js";
import type { Cancellation } from "../../../extension/src/helper/helper-connection.js";
import { Recording, type RecordingEnd } from "../../../extension/src/recording/recording.js";
import { RecordingGroup, type Member, type WantedMember } from "../../../extension/src/recording/recording-group.js";
import { FakeHelper, qualityOf, settled, Stage, TARGET } from "./fakes.js";

const OPTIONS = { frequencyHz: 99, durationSeconds: 0, includeKernel: false, engine: "auto" as const };

class Heard {
  readonly ends: [string, RecordingEnd["reason"]][] = [];
  ended = 0;
  changes = 0;
  readonly group = new RecordingGroup({
    changed: () => this.changes++,
    grew: () => {},
    memberEnded: ({ name }: Member, { reason }) => this.ends.push([name, reason]),
    ended: () => this.ended++,
  });
}

/** Every VM has a helper of its own here, so that a test can set the answers of each. */
function vm(name: string, helper = new FakeHelper()): WantedMember & { readonly helper: FakeHelper } {
  const stage = new Stage();
  return {
    name,
    helper,
    recording: (listener, begin) =>
      new Recording(
        { ...OPTIONS, pid: 1, fileFor: () => begin().then(() => `/captures/${name}.pb.gz`) },
        stage.environment(helper),
        listener,
      ),
  };
}

function refusing(name: string): ReturnType<typeof vm> {
  const one = vm(name);
  one.helper.answers["extrospect/attach"] = () =>
    Promise.reject(new HelperError("refused", "No", "because", "do this"));
  return one;
}

function end(one: { readonly helper: FakeHelper }, reason: "stopped" | "targetGone" = "stopped"): void {
  one.helper.listener?.ended({ captureId: 3, reason, problem: null, file: "", quality: qualityOf(7) });
}

test("none samples before all are attached to", async () => {
  const [quick, slow] = [vm("quick"), vm("slow")];
  let attach: () => void = () => {};
  slow.helper.answers["extrospect/attach"] = () =>
    new Promise(
      (resolve) =>
        (attach = () =>
          resolve({
            attachmentId: 7,
            target: TARGET,
            selfCheck: { layout: "", atoms: 0, modules: 0, rows: [], tookMs: 1 },
          })),
    );
  const { group } = new Heard();
  const counts: number[] = [];
  const starting = group.start([quick, slow], undefined, (count) => counts.push(count));
  await settled();
  assert.deepEqual([quick.helper.methods(), counts], [["extrospect/attach"], [1]]);
  attach();
  assert.deepEqual(await starting, []);
  assert.deepEqual(counts, [1, 2]);
  assert.deepEqual(
    group.members.map(({ name, recording }) => [name, recording.phase]),
    [
      ["quick", "recording"],
      ["slow", "recording"],
    ],
  );
});

test("one that refuses does not keep the others", async () => {
  const [a, b, c] = [vm("a"), refusing("b"), vm("c")];
  const { group } = new Heard();
  const refused = await group.start([a, b, c]);
  assert.deepEqual(
    refused.map(({ name, error }) => [name, error instanceof HelperError && error.fix]),
    [["b", "do this"]],
  );
  assert.deepEqual(
    group.running.map(({ name }) => name),
    ["a", "c"],
  );
});

test("when all refuse there is nothing to stop, and no wait", async () => {
  const heard = new Heard();
  assert.equal((await heard.group.start([refusing("a"), refusing("b")])).length, 2);
  await heard.group.stop();
  assert.deepEqual([heard.group.members, heard.ended], [[], 0]);
});

test("one that ends early leaves the rest running; the group ends with the last", async () => {
  const [a, b] = [vm("a"), vm("b")];
  const heard = new Heard();
  await heard.group.start([a, b]);
  end(a, "targetGone");
  await settled();
  assert.deepEqual(
    [heard.ends, heard.ended, heard.group.running.map(({ name }) => name)],
    [[["a", "targetGone"]], 0, ["b"]],
  );
  await heard.group.stop();
  assert.ok(!a.helper.methods().includes("extrospect/capture/stop"), "an ended one is not queried again");
  end(b);
  await settled();
  const recorded = { amount: 14, unit: "samples" };
  assert.deepEqual([heard.ends.at(-1), heard.ended, heard.group.recorded], [["b", "stopped"], 1, recorded]);
});

/** A token, and the function that cancels by it. */
function cancelling(): { readonly token: Cancellation; cancel(): void } {
  let isCancelled = false;
  const token: Cancellation = {
    get isCancellationRequested() {
      return isCancelled;
    },
    onCancellationRequested: () => ({ dispose: () => {} }),
  };
  return { token, cancel: () => (isCancelled = true) };
}

/** The helper of `one` answers `method` by the cancelling alone. */
function waitsFor(
  one: { readonly helper: FakeHelper },
  method: "extrospect/attach" | "extrospect/capture/start",
): () => void {
  let giveUp: () => void = () => {};
  one.helper.answers[method] = () => new Promise<never>((_, reject) => (giveUp = () => reject(new Cancelled())));
  return () => {
    giveUp();
  };
}

test("cancelled while one is still being attached to, none runs", async () => {
  const [a, b] = [vm("a"), vm("b")];
  const { token, cancel } = cancelling();
  const giveUp = waitsFor(b, "extrospect/attach");
  const heard = new Heard();
  const starting = heard.group.start([a, b], token);
  await settled();
  cancel();
  giveUp();
  await assert.rejects(starting, Cancelled);
  assert.deepEqual([heard.group.members, heard.ends, heard.ended], [[], [], 0]);
  assert.equal(a.helper.methods().at(-1), "extrospect/detach");
});

test("cancelled while the capture of one is still being started, those that run are stopped", async () => {
  const [a, b] = [vm("a"), vm("b")];
  const { token, cancel } = cancelling();
  const giveUp = waitsFor(b, "extrospect/capture/start");
  const heard = new Heard();
  const starting = heard.group.start([a, b], token);
  await settled();
  cancel();
  giveUp();
  await assert.rejects(starting, Cancelled);
  assert.deepEqual(
    heard.group.members.map(({ name, recording }) => [name, recording.phase]),
    [["a", "stopping"]],
  );
  end(a);
  await settled();
  assert.equal(heard.ended, 1);
});
