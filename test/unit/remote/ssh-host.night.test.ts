// A helper on another host: a real sshd, an ordinary user of its own there, and the real helper.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  chownSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { decodeCapture } from "../../../extension/src/capture/capture-model.js";
import type { HelperError } from "../../../extension/src/helper/helper-error.js";
import { AskpassServer, type SshQuestion } from "../../../extension/src/remote/askpass-server.js";
import { startResumableOnHost } from "../../../extension/src/remote/resuming-host.js";
import type { HelperProgram } from "../../../extension/src/remote/ssh-helper.js";
import { sshWay } from "../../../extension/src/remote/ssh-way.js";
import { until } from "../../until.mjs";
import { ENGLISH } from "../recording/fakes.js";
import { busyVm, HELPER, recordingOf } from "../recording/piped-helper.js";
import { slowLine } from "../../hosts/slow-line.mjs";
import { Sshd } from "../../hosts/sshd.mjs";
import { smallDisk } from "../../small-disks.mjs";
import {
  ASK_MAIN,
  ASK_PROGRAM,
  broughtHelper,
  cacheOf,
  capturing,
  connected,
  needsRoot,
  refusal,
  VERSION as version,
} from "./connected-host.js";

let helper: HelperProgram;
before(async () => {
  helper = await broughtHelper();
  assert.ok(helper.compressedBytes <= 6e6, `${String(helper.compressedBytes)} bytes are sent`);
});

test("the helper is sent once, read before each start, and sent again when it is another", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
  // As start-up files do.
  sshd.write(".bashrc", 'echo "Welcome to this host"; printf "no newline"; echo "warning" >&2\n');
  const first = await connected(t, sshd, { resumeForSeconds: 1 });
  assert.deepEqual(first.steps, ["connecting", "sending", "starting"]);
  const { beams } = await first.piped.request("extrospect/list", {});
  assert.ok(Array.isArray(beams));
  const [name = "", ...others] = readdirSync(cacheOf(sshd));
  assert.deepEqual(others, [], "nothing half-made is left");
  assert.equal(name, `helper-${helper.sha256}`);
  const file = join(cacheOf(sshd), name);
  assert.deepEqual([statSync(cacheOf(sshd)).mode & 0o777, statSync(file).mode & 0o777], [0o700, 0o700]);
  assert.deepEqual(readFileSync(file), readFileSync(HELPER));

  const second = await connected(t, sshd, { resumeForSeconds: 1 });
  assert.deepEqual(second.steps, ["connecting", "starting"]);
  assert.equal(second.running.name, "the helper on far");
  first.running.child.kill("SIGKILL");
  second.running.child.kill("SIGKILL");
  await until(
    "no helper is left there",
    () => spawnSync("pgrep", ["-u", sshd.user, "-f", "serve --stdio"]).status !== 0,
  );

  truncateSync(file, 4096);
  const third = await connected(t, sshd);
  assert.deepEqual(third.steps, ["connecting", "sending", "starting"]);
  assert.deepEqual(readFileSync(file), readFileSync(HELPER));
});

test("a capture of a user's own VM there is a file here, and none is left there", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
  const vm = await busyVm(t, sshd.uid);
  const { piped } = await connected(t, sshd);
  const { recording, ended } = await capturing(t, piped, vm.pid);
  void recording.stop();
  assert.deepEqual(await ended, { reason: "stopped", problem: null });
  const file = decodeCapture(readFileSync(recording.file));
  assert.deepEqual(file.totals, recording.capture.totals);
  assert.equal(file.facts.target?.pid, vm.pid);
  assert.deepEqual(readdirSync(join(sshd.home, ".local/state/extrospect/captures")), []);
});

test("a line that is cut during a capture is found again, and nothing is missing", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
  const vm = await busyVm(t, sshd.uid);
  const { piped, line } = await connected(t, sshd);
  const { recording, ended } = await capturing(t, piped, vm.pid);
  for (let cut = 1; cut <= 2; cut++) {
    sshd.cut();
    await until("the line is back", () => line.length === 2 * cut);
    const before = recording.capture.totals.samples;
    await until("more samples", () => recording.capture.totals.samples > before);
  }
  assert.deepEqual(line, ["cut", "back", "cut", "back"]);
  void recording.stop();
  assert.deepEqual(await ended, { reason: "stopped", problem: null });
  assert.equal(recording.needsWholeFile, false, "each increment came, once and in its order");
  assert.equal(recording.quality?.samples, recording.capture.totals.samples);
  assert.deepEqual(decodeCapture(readFileSync(recording.file)).totals, recording.capture.totals);
  assert.deepEqual(readdirSync(join(sshd.home, ".local/state/extrospect/captures")), []);
});

test("a capture that ended while the line was cut is whole when it is back", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
  const vm = await busyVm(t, sshd.uid);
  const { piped, line } = await connected(t, sshd);
  const { recording, ended } = await capturing(t, piped, vm.pid);
  await sshd.stopListening();
  sshd.cut();
  await until("the cut is noticed", () => line.length === 1);
  vm.kill("SIGKILL");
  const folder = join(sshd.home, ".local/state/extrospect/captures");
  // The end of a capture is written when its file is rewritten.
  await until(
    "the capture has ended there",
    () =>
      readdirSync(folder).every((name) => !decodeCapture(readFileSync(join(folder, name))).facts.isCut) &&
      !existsSync(`/proc/${String(vm.pid)}/exe`),
  );
  assert.equal(recording.phase, "recording");
  await sshd.listen(t);
  const { reason } = await ended;
  assert.equal(reason, "targetGone");
  assert.deepEqual(decodeCapture(readFileSync(recording.file)).totals, recording.capture.totals);
  assert.equal(recording.quality?.samples, recording.capture.totals.samples);
});

test(
  "a line that stays cut: what has arrived is a capture, the rest is kept there, and the helper there ends",
  needsRoot,
  async (t) => {
    const sshd = await Sshd.start(t);
    const vm = await busyVm(t, sshd.uid);
    const { piped, line } = await connected(t, sshd, { resumeForSeconds: 2 });
    const { recording, ended } = await capturing(t, piped, vm.pid);
    await sshd.stopListening();
    sshd.cut();
    assert.equal((await ended).reason, "helperGone");
    assert.deepEqual(line, ["cut"]);
    assert.equal(recording.problem, undefined);
    const here = decodeCapture(readFileSync(recording.file));
    assert.deepEqual(here.totals, recording.capture.totals);
    assert.ok(here.totals.samples > 100);
    await until(
      "no helper is left there",
      () => spawnSync("pgrep", ["-u", sshd.user, "-f", "serve --stdio"]).status !== 0,
    );
    const folder = join(sshd.home, ".local/state/extrospect/captures");
    const [kept = ""] = readdirSync(folder);
    assert.ok(decodeCapture(readFileSync(join(folder, kept))).totals.samples >= here.totals.samples);
    assert.deepEqual(readdirSync(join(sshd.home, ".local/state/extrospect/sessions")), []);
  },
);

test("a helper that is killed there ends the capture at once, and the next one tidies up", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
  const vm = await busyVm(t, sshd.uid);
  const { piped, line } = await connected(t, sshd);
  const { recording, ended } = await capturing(t, piped, vm.pid);
  assert.equal(spawnSync("pkill", ["-KILL", "-u", sshd.user, "-f", "serve --stdio"]).status, 0);
  assert.equal((await ended).reason, "helperGone");
  assert.deepEqual(line, ["cut", "back"], "the link came back, and the helper was gone");
  assert.deepEqual(decodeCapture(readFileSync(recording.file)).totals, recording.capture.totals);
  const sessions = join(sshd.home, ".local/state/extrospect/sessions");
  const [dead = ""] = readdirSync(sessions);
  const next = await connected(t, sshd);
  await next.piped.request("extrospect/list", {});
  assert.equal(readdirSync(sessions).includes(dead), false);
});

test("where no program can wait, a cut line ends it as soon as it is back", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
  // No folder for state: a file is in its place.
  sshd.write(".local", "");
  const { piped, line } = await connected(t, sshd);
  assert.ok((await piped.request("extrospect/list", {})).beams.length >= 0);
  const gone = new Promise((resolveGone) =>
    piped.listen({ increment: () => {}, resync: () => {}, ended: () => {}, helperGone: resolveGone }),
  );
  sshd.cut();
  await gone;
  assert.deepEqual(line, ["cut", "back"]);
});

test("over a line of 50 ms and 1 Mbit/s a capture at 99 Hz leaves nothing out", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
  const { port, carried } = await slowLine(t, sshd.port, { delayMs: 25, bitsPerSecond: 1e6 });
  sshd.addHost("slow", port);
  const vm = await busyVm(t, sshd.uid);
  (await connected(t, sshd)).running.child.kill();
  const { piped } = await connected(t, sshd, { destination: "slow" });
  const { recording, ended } = recordingOf(t, piped, vm.pid, 0, true, 99);
  await recording.start();
  const [before, begun] = [carried.bytesHome, performance.now()];
  await until("more than 200 samples", () => recording.capture.totals.samples > 200);
  t.diagnostic(`${(((carried.bytesHome - before) * 8) / (performance.now() - begun)).toFixed(1)} kbit/s home`);
  void recording.stop();
  assert.deepEqual(await ended, { reason: "stopped", problem: null });
  assert.equal(recording.needsWholeFile, false, "no increment was left out");
  assert.deepEqual(decodeCapture(readFileSync(recording.file)).totals, recording.capture.totals);
});

test("two editors capture the same VM at once", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
  const vm = await busyVm(t, sshd.uid);
  const editors = [await connected(t, sshd), await connected(t, sshd)];
  const captures = await Promise.all(editors.map(({ piped }) => capturing(t, piped, vm.pid)));
  for (const { recording, ended } of captures) {
    void recording.stop();
    assert.deepEqual(await ended, { reason: "stopped", problem: null });
    assert.deepEqual(decodeCapture(readFileSync(recording.file)).totals, recording.capture.totals);
  }
});

test(
  "a disk that fills there during a capture: it is reported, and the written part is a capture here",
  needsRoot,
  async (t) => {
    const sshd = await Sshd.start(t);
    const vm = await busyVm(t, sshd.uid);
    const leave = sshd.smallState("28K");
    try {
      const { piped } = await connected(t, sshd);
      const { recording, ended } = recordingOf(t, piped, vm.pid, 0, true, 997);
      await recording.start();
      const { reason, problem } = await ended;
      assert.equal(reason, "writeFailed");
      assert.match(`${problem?.what ?? ""} ${problem?.why ?? ""}`, /full|space/i);
      const here = decodeCapture(readFileSync(recording.file));
      assert.ok(here.totals.samples > 0);
      assert.deepEqual(here.totals, recording.capture.totals);
    } finally {
      leave();
    }
  },
);

/** A host that answers as if a helper began, and then runs `payload`, a command of its shell. */
function lying(sshd: Sshd, payload: string): void {
  sshd.write(
    ".bashrc",
    `word=$(head -c 600 | grep -o -m 1 'extrospect-[0-9a-f]*' | head -n 1)\necho "$word start cached"\n${payload}\n`,
  );
}

test("a host that lies once it has started is left, at once", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
  const hello = "\\1\\0\\0\\0\\11\\1\\0\\0\\0\\0\\0\\0\\0\\0";
  const lies = {
    "an endless stream": "yes",
    "a frame of 4 GiB": "printf '\\2\\377\\377\\377\\377'; yes",
    "a message of 10 GB": `printf '${hello}\\2\\0\\0\\0\\37Content-Length: 10000000000\\r\\n\\r\\n'; sleep 60`,
    "messages without a length": `printf '${hello}\\2\\0\\0\\0\\12X: 12\\r\\n\\r\\n\\r'; sleep 60`,
    "another version of the link": `printf '\\1\\0\\0\\0\\11\\0\\0\\0\\0\\0\\0\\0\\0\\0'; sleep 60`,
    "what was never said": "printf '\\1\\0\\0\\0\\11\\1\\0\\0\\0\\0\\0\\1\\0\\0'; sleep 60",
  };
  for (const [lie, payload] of Object.entries(lies)) {
    lying(sshd, payload);
    const far = await startResumableOnHost(
      {
        destination: "far",
        helper,
        version,
        way: sshWay("far", { program: sshd.ssh, startBy: "itself" }, ENGLISH),
        environment: { SSH_ASKPASS_REQUIRE: "never" },
        onProgress: () => {},
      },
      { forSeconds: 60, onLine: () => assert.fail(`${lie} is no cut`) },
      ENGLISH,
    );
    t.after(() => far.child.kill("SIGKILL"));
    far.output.resume();
    await until(`${lie} is the end`, () => far.child.exitCode !== null || far.child.signalCode !== null);
    assert.match(far.gone("?"), /does not answer like a helper/, lie);
  }
});

test(
  "questions of ssh reach the user: the host's key, the key's passphrase; no answer ends it",
  needsRoot,
  async (t) => {
    const sshd = await Sshd.start(t, { passphrase: "open sesame", isKnown: false });
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
    const { piped } = await connected(t, sshd, { environment });
    assert.deepEqual(
      asked.map(({ kind }) => kind),
      ["confirm", "secret", "secret"],
    );
    assert.match(asked[0]?.text ?? "", /authenticity of host .*SHA256:/s);
    assert.match(asked[1]?.text ?? "", /passphrase for key/);
    assert.ok((await piped.request("extrospect/list", {})).beams.length >= 0);
    answers = [undefined];
    await assert.rejects(connected(t, sshd, { environment }), refusal(/No connection to far/, /Permission denied/));
  },
);

test("where no user can answer, a prompt of ssh ends at once, with the remedy", needsRoot, async (t) => {
  const sshd = await Sshd.start(t, { isKnown: false });
  const way = sshWay("far", { program: sshd.ssh, startBy: "itself", canPrompt: false }, ENGLISH);
  const starting = startResumableOnHost(
    { destination: "far", helper, version, way, environment: {}, onProgress: () => {} },
    { forSeconds: 1, onLine: () => {} },
    ENGLISH,
  );
  await assert.rejects(
    starting,
    (error) =>
      refusal(/No connection to far/, /verification failed/i)(error) &&
      /agent hold your key/.test((error as HelperError).fix),
  );
});

test("missing parts of the host are named, with the remedy", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
  await assert.rejects(
    connected(t, sshd, { brought: undefined }),
    refusal(/No helper can run on far/, /this package contains none/),
  );
  await assert.rejects(
    connected(t, sshd, { startBy: "sudo" }),
    refusal(/No helper can run/, /sudo does not start it: .*password/),
  );

  const cache = join(sshd.home, ".cache");
  mkdirSync(cache, { recursive: true });
  chownSync(cache, sshd.uid, sshd.uid);
  const unmountFixed = smallDisk(cache, `noexec,uid=${String(sshd.uid)}`);
  await assert.rejects(connected(t, sshd), refusal(/No helper can run/, /may not be executed \(noexec\)/));
  unmountFixed();
  const unmountSmall = smallDisk(cache, `size=1M,uid=${String(sshd.uid)}`);
  await assert.rejects(connected(t, sshd), refusal(/No helper can run/, /could not be written/));
  assert.deepEqual(readdirSync(cacheOf(sshd)), [], "nothing half-made is left");
  unmountSmall();

  // A folder that belongs to another user, and a link.
  chownSync(cacheOf(sshd), 0, 0);
  await assert.rejects(connected(t, sshd), refusal(/No helper can run/, /not a writable folder of your own/));
  renameSync(cacheOf(sshd), `${cacheOf(sshd)}.before`);
  mkdirSync(join(sshd.home, "elsewhere"));
  chownSync(join(sshd.home, "elsewhere"), sshd.uid, sshd.uid);
  symlinkSync(join(sshd.home, "elsewhere"), cacheOf(sshd));
  await assert.rejects(connected(t, sshd), refusal(/No helper can run/, /not a writable folder of your own/));
  assert.deepEqual(readdirSync(join(sshd.home, "elsewhere")), []);
});

test("a host with another processor is distinguished from one that lacks a program", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
  mkdirSync(join(sshd.home, "programs"));
  sshd.write("programs/uname", '#!/bin/sh\ncase "$1" in -m) echo aarch64;; *) exec /usr/bin/uname "$@";; esac\n');
  chmodSync(join(sshd.home, "programs/uname"), 0o755);
  sshd.write(".bashrc", 'PATH="$HOME/programs:$PATH"\n');
  await assert.rejects(
    connected(t, sshd),
    (error) =>
      refusal(/No helper can run on far/, /Linux-aarch64, and the helper is for x86-64 Linux/)(error) &&
      /Choose a host with x86-64 Linux/.test((error as HelperError).fix),
  );
});

test("a host that writes without an end, or ends, is given up", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
  sshd.write(".bashrc", "yes garbage\n");
  await assert.rejects(connected(t, sshd), refusal(/far does not answer as a shell does/, /prints endless output/));
  sshd.write(".bashrc", "exit 7\n");
  await assert.rejects(connected(t, sshd), refusal(/No connection to far/, /exit code 7/));
  writeFileSync(sshd.ssh, "#!/bin/sh\nexec /nonexistent\n", { mode: 0o755 });
  await assert.rejects(connected(t, sshd), refusal(/No connection/, /not found/));
  assert.ok(existsSync(sshd.config));
});
