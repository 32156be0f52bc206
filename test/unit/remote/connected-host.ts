// Connects a test to the real helper on a host of its own.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TestContext } from "node:test";
import { checkedAnswer } from "../../../extension/src/helper/handshake.js";
import { HelperError } from "../../../extension/src/helper/helper-error.js";
import { startResumableOnHost } from "../../../extension/src/remote/resuming-host.js";
import { helperForHosts, type HelperProgram, type HostProgress } from "../../../extension/src/remote/ssh-helper.js";
import { sshWay } from "../../../extension/src/remote/ssh-way.js";
import type { Sshd } from "../../hosts/sshd.mjs";
import { until } from "../../until.mjs";
import { ENGLISH } from "../recording/fakes.js";
import { HELPER, PipedHelper, recordingOf } from "../recording/piped-helper.js";

export const needsRoot = process.getuid?.() === 0 ? {} : { skip: "needs root, to start sshd and make a user" };
export const ASK_PROGRAM = resolve("media/ssh-askpass.sh");
export const ASK_MAIN = resolve("dist/extension/ssh-askpass.cjs");

/** The version that the helper here reports. */
export const VERSION = spawnSync(HELPER, ["--version"], { encoding: "utf8" }).stdout.trim();
let compressed: Promise<HelperProgram> | undefined;
/** The helper that is brought to hosts. */
export const broughtHelper = (): Promise<HelperProgram> =>
  (compressed ??= helperForHosts(readFileSync(HELPER), VERSION));

export interface How {
  readonly environment?: NodeJS.ProcessEnv;
  readonly brought?: HelperProgram | undefined;
  readonly startBy?: "itself" | "sudo" | "doas";
  readonly destination?: string;
  /** Called in place of ssh. */
  readonly program?: string;
  /** How long both sides wait for each other after a cut. */
  readonly resumeForSeconds?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: HostProgress) => void;
}

/** Connects, without a message to the helper yet. */
export async function started(sshd: Sshd, how: How = {}) {
  const steps: HostProgress["step"][] = [];
  const line: string[] = [];
  const destination = how.destination ?? "far";
  const running = await startResumableOnHost(
    {
      destination,
      helper: "brought" in how ? how.brought : await broughtHelper(),
      version: VERSION,
      way: sshWay(destination, { program: how.program ?? sshd.ssh, startBy: how.startBy ?? "itself" }, ENGLISH),
      environment: how.environment ?? { SSH_ASKPASS_REQUIRE: "never" },
      onProgress: (progress) => {
        if (steps.at(-1) !== progress.step) steps.push(progress.step);
        how.onProgress?.(progress);
      },
      ...(how.signal && { signal: how.signal }),
    },
    { forSeconds: how.resumeForSeconds ?? 60, onLine: (state) => line.push(state) },
    ENGLISH,
  );
  return { steps, line, running };
}

/** Connects, and keeps the reports of the progress. */
export async function connected(t: TestContext, sshd: Sshd, how: How = {}) {
  const { steps, line, running } = await started(sshd, how);
  t.after(() => {
    running.child.kill("SIGKILL");
  });
  const piped = new PipedHelper(t, running);
  checkedAnswer(await piped.initialize(), running, ENGLISH);
  return { piped, steps, running, line };
}

/** A capture of a VM there, once it has samples. */
export async function capturing(t: TestContext, piped: PipedHelper, pid: number) {
  const { recording, ended } = recordingOf(t, piped, pid, 0, true);
  await recording.start();
  await until("more than 100 samples", () => recording.capture.totals.samples > 100);
  return { recording, ended };
}

export const cacheOf = (sshd: Sshd) => join(sshd.home, ".cache/extrospect");
export const refusal = (what: RegExp, why: RegExp) => (error: unknown) => {
  assert.ok(error instanceof HelperError, String(error));
  assert.match(error.what, what);
  assert.match(error.why, why);
  assert.notEqual(error.fix, "");
  return true;
};
