// A detached capture whose recorder sudo or doas has started: the rule lends the program and not root, so it is the user's own, with the rights of the copy.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { knownDetached } from "../../../extension/src/detached/detached-rows.js";
import { fetchDetached } from "../../../extension/src/detached/fetch-detached.js";
import { HelperError } from "../../../extension/src/helper/helper-error.js";
import { INSTALLED_PROGRAM } from "../../../extension/src/helper/privileged-helper.js";
import { FarMachine } from "../../hosts/far-machine.mjs";
import { Sshd } from "../../hosts/sshd.mjs";
import { must } from "../../must.mjs";
import { until } from "../../until.mjs";
import { HELPER, type PipedHelper } from "../recording/piped-helper.js";
import { connected, needsRoot } from "./connected-host.js";

const RULES = {
  sudo: {
    file: "sudoers.d/extrospect",
    mode: "0440",
    rule: (user: string) => `${user} ALL=(root) NOPASSWD: ${INSTALLED_PROGRAM}\n`,
  },
  doas: {
    file: "doas.conf",
    mode: "0400",
    rule: (user: string) => `permit nopass ${user} as root cmd ${INSTALLED_PROGRAM}\n`,
  },
} as const;

/** Numbers of a line of `/proc/PID/status`. */
const status = (text: string, name: string) =>
  (new RegExp(`^${name}:(.*)$`, "m").exec(text)?.[1] ?? "").trim().split(/\s+/).map(Number);
const listed = async (piped: PipedHelper) =>
  knownDetached((await piped.request("extrospect/detached/list", {})).captures);

for (const startBy of ["sudo", "doas"] as const) {
  test(
    `by ${startBy} -n: a recorder goes on when the connection is gone, is the user's own, and is stopped and fetched over the next one`,
    needsRoot,
    async (t) => {
      const folder = mkdtempSync(join(tmpdir(), "extrospect-lent-"));
      t.after(() => {
        rmSync(folder, { recursive: true, force: true });
      });
      const machine = await FarMachine.start(t, "far-lent");
      const sshd = await Sshd.start(t, { machine });
      const pid = await machine.startVm(t, sshd.uid);
      machine.install(t, HELPER);
      machine.ownEtc();
      // Root's home there is its own, too: the files of root's helper stay on that machine.
      must(...machine.there, "mount", "-t", "tmpfs", "tmpfs", "/root");
      const { file, mode, rule } = RULES[startBy];
      machine.writeEtc(file, rule(sshd.user), mode);

      const first = await connected(t, sshd, { startBy, resumeForSeconds: 1 });
      assert.equal(first.running.isInstalled, true);
      const rootsVm = await machine.startVm(t, 0);
      const start = (name: string, of: number) =>
        first.piped.request("extrospect/detached/start", { name, pid: of, frequencyHz: 199, durationSeconds: 0 });
      const started = await start("lent", pid);
      assert.equal(started.state, "recording");
      // The rule lends the program, not root.
      await assert.rejects(
        start("not-mine", rootsVm),
        (error) => error instanceof HelperError && error.problem === "refused",
      );
      const recorder = started.facts?.recorderPid ?? 0;
      assert.deepEqual(
        status(must(...machine.there, "cat", `/proc/${String(recorder)}/status`), "Uid"),
        Array<number>(4).fill(sshd.uid),
      );
      assert.ok(existsSync(join(sshd.home, ".local/state/extrospect/detached/lent/capture.pb.gz")));
      first.running.child.kill("SIGKILL");
      await until(
        "no helper waits there",
        () => must(...machine.there, "/bin/sh", "-c", "pgrep -f '[s]erve --stdio' || true") === "",
      );

      const second = await connected(t, sshd, { startBy });
      const [found, ...others] = await listed(second.piped);
      assert.deepEqual([found?.name, found?.state, others.length], ["lent", "recording", 0]);
      const { facts } = await second.piped.request("extrospect/detached/stop", { name: "lent" });
      assert.equal(facts?.end, "stopped");
      const here = join(folder, "lent.pb.gz");
      await fetchDetached(second.piped, "lent", here);
      const { totals, facts: said } = decodeCapture(readFileSync(here));
      assert.equal(totals.samples, facts.samples);
      assert.deepEqual([said.target?.pid, said.target?.host], [pid, "far-lent"]);
      // It is the same user's without the rule.
      const own = await connected(t, sshd);
      assert.deepEqual(
        (await listed(own.piped)).map(({ name, state }) => [name, state]),
        [["lent", "ended"]],
      );
      assert.equal(must(...machine.there, "find", "/root", "-mindepth", "1"), "", "root keeps nothing");
      await second.piped.request("extrospect/detached/remove", { name: "lent" });
      assert.deepEqual(await listed(second.piped), []);
    },
  );
}
