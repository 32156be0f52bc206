// A capture on another host that goes on without a connection: a real sshd, an ordinary user there, and the real helper.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { detachedDescription, knownDetached } from "../../../extension/src/detached/detached-rows.js";
import { fetchDetached } from "../../../extension/src/detached/fetch-detached.js";
import { followDetached } from "../../../extension/src/detached/follow-detached.js";
import { until } from "../../until.mjs";
import { Sshd } from "../../hosts/sshd.mjs";
import { ENGLISH } from "../recording/fakes.js";
import { busyVm, type PipedHelper } from "../recording/piped-helper.js";
import { connected, needsRoot } from "./connected-host.js";

/** How long both sides wait for each other after a cut. */
const RESUME_SECONDS = 1;

const listed = async (piped: PipedHelper) =>
  knownDetached((await piped.request("extrospect/detached/list", {})).captures);

test(
  "it goes on when the line is cut for good, and is found, fetched whole, stopped and removed over another one",
  needsRoot,
  async (t) => {
    const sshd = await Sshd.start(t);
    const vm = await busyVm(t, sshd.uid);
    const folder = mkdtempSync(join(tmpdir(), "extrospect-detached-"));
    t.after(() => {
      rmSync(folder, { recursive: true, force: true });
      // Whatever came of it: nothing of that user goes on.
      spawnSync("pkill", ["-KILL", "-u", sshd.user, "-f", "record --recorder"]);
    });
    const { piped: first } = await connected(t, sshd, { resumeForSeconds: RESUME_SECONDS });
    const started = await first.request("extrospect/detached/start", {
      name: "night",
      pid: vm.pid,
      frequencyHz: 499,
      durationSeconds: 0,
    });
    assert.equal(started.state, "recording");
    await sshd.stopListening();
    sshd.cut();
    await until(
      "no helper is left there",
      () => spawnSync("pgrep", ["-u", sshd.user, "-f", "serve --stdio"]).status !== 0,
    );
    await sshd.listen(t);

    const { piped: second } = await connected(t, sshd, { resumeForSeconds: RESUME_SECONDS });
    const [found] = await listed(second);
    assert.deepEqual([found?.name, found?.state, found?.pid], ["night", "recording", vm.pid]);
    const soFar = join(folder, "so-far.pb.gz");
    const fetched = await fetchDetached(second, "night", soFar);
    const followed = decodeCapture(readFileSync(soFar));
    assert.equal(followed.facts.isCut, undefined);
    const before = followed.totals.samples;
    const following = followDetached(second, "night", fetched, {
      grew: (bytes) => {
        followed.append(bytes);
        return Promise.resolve();
      },
      isWanted: () => true,
      pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    });
    // Its last increments are often in the rewritten file alone.
    await until("more of it", () => followed.totals.samples > before + 100);
    const { facts } = await second.request("extrospect/detached/stop", { name: "night" });
    assert.equal(facts?.end, "stopped");
    assert.equal(await following, "ended");
    const whole = join(folder, "whole.pb.gz");
    const told: number[][] = [];
    await fetchDetached(second, "night", whole, undefined, (bytes, of) => told.push([bytes, of]));
    const there = join(sshd.home, ".local/state/extrospect/detached/night/capture.pb.gz");
    assert.deepEqual(readFileSync(whole), readFileSync(there));
    const { totals, facts: written } = decodeCapture(readFileSync(whole));
    assert.equal(written.quality?.samples, facts.samples);
    // Each that was taken stands for several where the rate was lowered, as it is on a busy machine.
    assert.ok(facts.samples !== null && totals.samples >= facts.samples);
    assert.ok(followed.totals.samples <= totals.samples && before < followed.totals.samples);
    assert.deepEqual(told.at(-1), [readFileSync(whole).length, readFileSync(whole).length]);
    await second.request("extrospect/detached/remove", { name: "night" });
    assert.deepEqual(await listed(second), []);
    assert.equal(existsSync(there), false);
    assert.deepEqual(readdirSync(folder).sort(), ["so-far.pb.gz", "whole.pb.gz"]);
  },
);

test(
  "a disk that fills there: the detached capture has ended, with the reason, and its file is fetched",
  needsRoot,
  async (t) => {
    const sshd = await Sshd.start(t);
    const vm = await busyVm(t, sshd.uid);
    const folder = mkdtempSync(join(tmpdir(), "extrospect-detached-"));
    t.after(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    const leave = sshd.smallState("48K");
    try {
      const { piped } = await connected(t, sshd);
      await piped.request("extrospect/detached/start", {
        name: "night",
        pid: vm.pid,
        frequencyHz: 997,
        durationSeconds: 0,
      });
      await until("it has ended", async () => (await listed(piped))[0]?.state === "ended");
      const [row] = await listed(piped);
      assert.equal(row?.end, "writeFailed");
      assert.match(row.problem ?? "", /night|capture/i);
      assert.match(detachedDescription(row, ENGLISH, "en"), /^ended: .*(full|space|written)/i);
      const file = join(folder, "night.pb.gz");
      await fetchDetached(piped, "night", file);
      const { totals } = decodeCapture(readFileSync(file));
      assert.ok(totals.samples > 0);
      // There was room for the end in the place of the facts.
      const { facts } = (await piped.request("extrospect/detached/list", {})).captures[0] ?? {};
      // Those taken. In the capture each stands for several where the rate was lowered, as it is on a busy machine.
      assert.ok((facts?.samples ?? 0) > 0);
      await piped.request("extrospect/detached/remove", { name: "night" });
      assert.deepEqual(await listed(piped), []);
    } finally {
      leave();
    }
  },
);
