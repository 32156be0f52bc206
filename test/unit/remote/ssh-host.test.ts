// Another host: a real sshd, one ordinary user there, one VM of that user, and the real helper. Its faults, and machines
// of their own, are for the night.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import { knownDetached } from "../../../extension/src/detached/detached-rows.js";
import { fetchDetached } from "../../../extension/src/detached/fetch-detached.js";
import { AskpassServer, type SshQuestion } from "../../../extension/src/remote/askpass-server.js";
import { until } from "../../until.mjs";
import { Sshd } from "../../hosts/sshd.mjs";
import { inWindow } from "../helper/in-window.js";
import { busyVm, HELPER, type PipedHelper } from "../recording/piped-helper.js";
import {
  ASK_MAIN,
  ASK_PROGRAM,
  broughtHelper,
  cacheOf,
  capturing,
  connected,
  needsRoot,
  refusal,
  started,
} from "./connected-host.js";

const detached = async (piped: PipedHelper) =>
  knownDetached((await piped.request("extrospect/detached/list", {})).captures);

test("a host by ssh", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
  const noHelperThere = () =>
    until("no helper is left there", () => spawnSync("pgrep", ["-u", sshd.user, "-f", "serve --stdio"]).status !== 0);
  // As start-up files do.
  sshd.write(".bashrc", 'echo "Welcome to this host"; printf "no newline"; echo "warning" >&2\n');
  const vm = await busyVm(t, sshd.uid);
  const captures = join(sshd.home, ".local/state/extrospect/captures");

  await t.test("the helper is sent once, readable by its user alone", async (t) => {
    const { sha256 } = await broughtHelper();
    const first = await connected(t, sshd, { resumeForSeconds: 1 });
    assert.deepEqual(first.steps, ["connecting", "sending", "starting"]);
    assert.deepEqual(readdirSync(cacheOf(sshd)), [`helper-${sha256}`], "nothing half-made is left");
    const file = join(cacheOf(sshd), `helper-${sha256}`);
    assert.deepEqual([statSync(cacheOf(sshd)).mode & 0o777, statSync(file).mode & 0o777], [0o700, 0o700]);
    assert.deepEqual(readFileSync(file), readFileSync(HELPER));
    const second = await connected(t, sshd, { resumeForSeconds: 1 });
    assert.deepEqual(second.steps, ["connecting", "starting"]);
    first.running.child.kill("SIGKILL");
    second.running.child.kill("SIGKILL");
    await noHelperThere();
  });

  await t.test(
    "a capture over a line that is cut misses nothing, is a file here, and none is left there",
    async (t) => {
      const { piped, line } = await connected(t, sshd);
      const { recording, ended } = await capturing(t, piped, vm.pid);
      sshd.cut();
      await until("the line is back", () => line.includes("back"));
      const before = recording.capture.totals.samples;
      await until("more samples", () => recording.capture.totals.samples > before);
      assert.deepEqual(line, ["cut", "back"]);
      void recording.stop();
      assert.deepEqual(await ended, { reason: "stopped", problem: null });
      assert.equal(recording.needsWholeFile, false, "each increment came, once and in its order");
      assert.equal(recording.quality?.samples, recording.capture.totals.samples);
      const file = decodeCapture(readFileSync(recording.file));
      assert.deepEqual(file.totals, recording.capture.totals);
      assert.equal(file.facts.target?.pid, vm.pid);
      assert.deepEqual(readdirSync(captures), []);
    },
  );

  await t.test("a helper that is killed there ends the capture, with what has arrived", async (t) => {
    const { piped, line } = await connected(t, sshd);
    const { recording, ended } = await capturing(t, piped, vm.pid);
    assert.equal(spawnSync("pkill", ["-KILL", "-u", sshd.user, "-f", "serve --stdio"]).status, 0);
    assert.equal((await ended).reason, "helperGone");
    assert.deepEqual(line, ["cut", "back"], "the line was found again, and no helper");
    assert.deepEqual(decodeCapture(readFileSync(recording.file)).totals, recording.capture.totals);
  });

  await t.test(
    "a detached capture goes on without a connection, and is stopped, fetched and removed over another one",
    async (t) => {
      const folder = mkdtempSync(join(tmpdir(), "extrospect-detached-"));
      t.after(() => {
        rmSync(folder, { recursive: true, force: true });
        // Whatever came of it: nothing of that user goes on.
        spawnSync("pkill", ["-KILL", "-u", sshd.user, "-f", "record --recorder"]);
      });
      const first = await connected(t, sshd, { resumeForSeconds: 1 });
      const wanted = { name: "night", pid: vm.pid, frequencyHz: 499, durationSeconds: 0 };
      assert.equal((await first.piped.request("extrospect/detached/start", wanted)).state, "recording");
      first.running.child.kill("SIGKILL");
      await noHelperThere();
      const { piped } = await connected(t, sshd, { resumeForSeconds: 1 });
      const [found] = await detached(piped);
      assert.deepEqual([found?.name, found?.state, found?.pid], ["night", "recording", vm.pid]);
      const there = join(sshd.home, ".local/state/extrospect/detached/night/capture.pb.gz");
      await until("samples there", () => decodeCapture(readFileSync(there)).totals.samples > 100);
      const { facts } = await piped.request("extrospect/detached/stop", { name: "night" });
      assert.equal(facts?.end, "stopped");
      const whole = join(folder, "whole.pb.gz");
      await fetchDetached(piped, "night", whole);
      assert.deepEqual(readFileSync(whole), readFileSync(there));
      assert.equal(decodeCapture(readFileSync(whole)).facts.quality?.samples, facts.samples);
      await piped.request("extrospect/detached/remove", { name: "night" });
      assert.deepEqual(await detached(piped), []);
    },
  );

  await t.test("in a window: a host that is left and connected to again at once has one helper", async (t) => {
    const { Hosts, vscode, context, log } = await inWindow(t);
    vscode.settings["remote.sshProgram"] = sshd.ssh;
    const hosts = new Hosts({ context, log });
    t.after(async () => {
      await hosts.stop();
      hosts.dispose();
    });
    await noHelperThere();
    await hosts.connected({ ssh: "far" });
    const leaving = hosts.disconnect({ ssh: "far" });
    const host = await hosts.connected({ ssh: "far" });
    await leaving;
    assert.equal(host.state, "connected");
    await host.request("extrospect/list", {});
    // The one before has been left, and ends there by itself.
    await until("one helper there", () => sshd.helpers("serve --stdio --session").length === 1);
  });

  await t.test("a connection that is given up leaves nothing here", async (t) => {
    let isThere = false;
    const silent = createServer((socket) => {
      isThere = true;
      socket.on("error", () => {}).resume();
    }).listen(0, "127.0.0.1");
    t.after(() => silent.close());
    await until("it listens", () => silent.listening);
    sshd.addHost("silent", (silent.address() as AddressInfo).port);
    const giveUp = new AbortController();
    const connecting = started(sshd, { destination: "silent", signal: giveUp.signal });
    await until("it is connected to", () => isThere);
    giveUp.abort();
    await assert.rejects(connecting, refusal(/^No connection to /, /the connection was ended/));
    await until("no ssh is left here", () => sshd.clients === 0);
  });

  await t.test("a host that writes without an end, ends, or has another processor", async (t) => {
    sshd.write(".bashrc", "yes garbage\n");
    await assert.rejects(connected(t, sshd), refusal(/far does not answer as a shell does/, /prints endless output/));
    sshd.write(".bashrc", "exit 7\n");
    await assert.rejects(connected(t, sshd), refusal(/No connection to far/, /exit code 7/));
    spawnSync("mkdir", [join(sshd.home, "programs")]);
    sshd.write("programs/uname", '#!/bin/sh\ncase "$1" in -m) echo aarch64;; *) exec /usr/bin/uname "$@";; esac\n');
    chmodSync(join(sshd.home, "programs/uname"), 0o755);
    sshd.write(".bashrc", 'PATH="$HOME/programs:$PATH"\n');
    await assert.rejects(
      connected(t, sshd),
      refusal(/No helper can run on far/, /Linux-aarch64, and the helper is for x86-64 Linux/),
    );
  });
});

test(
  "questions of ssh reach the user: the host's key, the key's passphrase; no answer ends it",
  needsRoot,
  async (t) => {
    const sshd = await Sshd.start(t, { passphrase: "open sesame", isKnown: false, asRoot: true });
    const asked: SshQuestion[] = [];
    let answers: (string | undefined)[] = ["yes", "wrong", "open sesame"];
    const server = await AskpassServer.listening((question) => {
      asked.push(question);
      return Promise.resolve(answers.shift());
    });
    t.after(() => {
      server.close();
    });
    const environment = server.environment(ASK_PROGRAM, ASK_MAIN);
    const { piped, running } = await connected(t, sshd, { environment, resumeForSeconds: 1 });
    assert.deepEqual(
      asked.map(({ kind }) => kind),
      ["confirm", "secret", "secret"],
    );
    assert.match(asked[0]?.text ?? "", /authenticity of host .*SHA256:/s);
    assert.match(asked[1]?.text ?? "", /passphrase for key/);
    assert.ok((await piped.request("extrospect/list", {})).beams.length >= 0);
    running.child.kill("SIGKILL");
    await until("no helper is left there", () => sshd.helpers("serve --stdio").length === 0);
    answers = [undefined];
    await assert.rejects(connected(t, sshd, { environment }), refusal(/No connection to far/, /Permission denied/));
  },
);
