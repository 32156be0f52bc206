// Connects a test to the real helper in a container that only a command leads into.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { TestContext } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { checkedAnswer } from "../../../extension/src/helper/handshake.js";
import { HelperError } from "../../../extension/src/helper/helper-error.js";
import { CommandTemplate, commandTemplates } from "../../../extension/src/remote/command-template.js";
import { commandWay, GIVEN_FILES } from "../../../extension/src/remote/command-way.js";
import { addressName } from "../../../extension/src/remote/host-address.js";
import {
  helperForHosts,
  startOnHost,
  type HelperProgram,
  type HostProgress,
} from "../../../extension/src/remote/ssh-helper.js";
import { settingValue } from "../../../extension/src/setting-values.js";
import { startNamespaces } from "../../hosts/namespaces.mjs";
import { until } from "../../until.mjs";
import { ENGLISH } from "../recording/fakes.js";
import { HELPER, PipedHelper, recordingOf } from "../recording/piped-helper.js";

export const needsRoot = process.getuid?.() === 0 ? {} : { skip: "needs root, to make a container" };
export const PRESETS = commandTemplates(settingValue("remote.commands", undefined));
export const GIVEN = { debugProfile: resolve(GIVEN_FILES.debugProfile) };

const VERSION = spawnSync(HELPER, ["--version"], { encoding: "utf8" }).stdout.trim();
let brought: Promise<HelperProgram> | undefined;

/** Connects by a preset, or another command, and keeps the steps of the progress. */
export async function connected(
  t: TestContext,
  command: string | readonly string[],
  values: Readonly<Record<string, string>>,
  environment: NodeJS.ProcessEnv = {},
) {
  const steps: HostProgress["step"][] = [];
  const template = typeof command === "string" ? PRESETS.get(command) : new CommandTemplate(command);
  assert.ok(template);
  const name = addressName({ command: typeof command === "string" ? command : "mine", values });
  const way = commandWay({ name, template, values, given: GIVEN }, ENGLISH);
  const onProgress = ({ step }: HostProgress) => {
    if (steps.at(-1) !== step) steps.push(step);
  };
  const helper = await (brought ??= helperForHosts(readFileSync(HELPER), VERSION));
  const running = await startOnHost(
    { destination: name, way, helper, version: VERSION, environment, onProgress },
    ENGLISH,
  );
  t.after(() => {
    running.child.kill("SIGKILL");
  });
  const piped = new PipedHelper(t, running);
  checkedAnswer(await piped.initialize(), running, ENGLISH);
  return { piped, steps, running };
}

export const refusal = (what: RegExp, why: RegExp, fix: RegExp) => (error: unknown) => {
  assert.ok(error instanceof HelperError, String(error));
  const { what: isWhat, why: isWhy, fix: isFix } = error;
  for (const [pattern, text] of [
    [what, isWhat],
    [why, isWhy],
    [fix, isFix],
  ] as const)
    assert.match(text, pattern);
  return true;
};

/** The helper is sent once, and its VM is captured by the process id that it has there. */
export async function capturedInside(t: TestContext, userNamespace: boolean): Promise<void> {
  const container = await startNamespaces(t, { userNamespace });
  const values = { pid: String(container.pid) };
  const first = await connected(t, "nsenter", values);
  assert.deepEqual(first.steps, ["connecting", "sending", "starting"]);
  assert.equal(first.running.name, `the helper on nsenter ${values.pid}`);
  const { beams } = await first.piped.request("extrospect/list", {});
  assert.deepEqual(
    beams.map(({ pid, attachable }) => [pid, attachable]),
    [[1, true]],
    "there is one VM, and it is the first process",
  );
  const { recording, ended } = recordingOf(t, first.piped, 1, 0, true);
  await recording.start();
  await until("more than 100 samples", () => recording.capture.totals.samples > 100);
  void recording.stop();
  assert.deepEqual(await ended, { reason: "stopped", problem: null });
  assert.deepEqual(decodeCapture(readFileSync(recording.file)).totals, recording.capture.totals);
  assert.equal(container.helpers() > 0, true);
  first.running.child.kill();
  await until("no helper is left there", () => container.helpers() === 0);
  const second = await connected(t, "nsenter", values);
  assert.deepEqual(second.steps, ["connecting", "starting"]);
}
