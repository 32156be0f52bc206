// A capture on another host that goes on without a connection: a real sshd, an ordinary user there, and the real helper.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { knownDetached } from "../../../extension/src/detached/detached-rows.js";
import { fetchDetached } from "../../../extension/src/detached/fetch-detached.js";
import { until } from "../../until.mjs";
import { Sshd } from "../../hosts/sshd.mjs";
import { busyVm, type PipedHelper } from "../recording/piped-helper.js";
import { connected, needsRoot } from "./connected-host.js";

/** How long both sides wait for each other after a cut. */
const RESUME_SECONDS = 1;

const listed = async (piped: PipedHelper) => knownDetached((await piped.request("extrospect/detached/list", {})).captures);

test("it goes on when the line is cut for good, and is found, fetched whole, stopped and removed over another one", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
  const vm = await busyVm(t, sshd.uid);
  const folder = mkdtempSync(join(tmpdir(), "extrospect-detached-"));
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
    // Whatever came of it: nothing of that user goes on.
    spawnSync("pkill", ["-KILL", "-u", sshd.user, "-f", "record --recorder"]);
  });
  const { piped: first } = await connected(t, sshd, { resumeForSeconds: RESUME_SECONDS });
  const started = await first.request("extrospect/detached/start", { name: "night", pid: vm.pid, frequencyHz: 499, durationSeconds: 0 });
  assert.equal(started.state, "recording");
  await sshd.stopListening();
  sshd.cut();
  await until("no helper is left there", () => spawnSync("pgrep", ["-u", sshd.user, "-f", "serve --stdio"]).status !== 0);
  await sshd.listen(t);

  const { piped: second } = await connected(t, sshd, { resumeForSeconds: RESUME_SECONDS });
  const [found] = await listed(second);
  assert.deepEqual([found?.name, found?.state, found?.pid], ["night", "recording", vm.pid]);
  const soFar = join(folder, "so-far.pb.gz");
  await fetchDetached(second, "night", soFar);
  const before = decodeCapture(readFileSync(soFar)).totals.samples;
  await until("more of it", async () => ((await listed(second))[0]?.fileBytes ?? 0) > (found?.fileBytes ?? 0));
  const { facts } = await second.request("extrospect/detached/stop", { name: "night" });
  assert.equal(facts?.end, "stopped");
  const whole = join(folder, "whole.pb.gz");
  const told: number[][] = [];
  await fetchDetached(second, "night", whole, undefined, (bytes, of) => told.push([bytes, of]));
  const there = join(sshd.home, ".local/state/extrospect/detached/night/capture.pb.gz");
  assert.deepEqual(readFileSync(whole), readFileSync(there));
  assert.equal(decodeCapture(readFileSync(whole)).totals.samples, facts.samples);
  assert.ok(facts.samples >= before);
  assert.deepEqual(told.at(-1), [readFileSync(whole).length, readFileSync(whole).length]);
  await second.request("extrospect/detached/remove", { name: "night" });
  assert.deepEqual(await listed(second), []);
  assert.equal(existsSync(there), false);
  assert.deepEqual(readdirSync(folder).sort(), ["so-far.pb.gz", "whole.pb.gz"]);
});
