// Long steps are given up: nothing is left behind, neither here nor there. And questions of ssh that take their time, or are answered wrongly.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { test, type TestContext } from "node:test";
import { CancellationTokenSource } from "vscode-jsonrpc/node";
import { AskpassServer, type Answerer } from "../../../extension/src/remote/askpass-server.js";
import { Cancelled } from "../../../extension/src/helper/helper-error.js";
import { slowLine } from "../../hosts/slow-line.mjs";
import { Sshd } from "../../hosts/sshd.mjs";
import { until } from "../../until.mjs";
import { busyVm, recordingOf } from "../recording/piped-helper.js";
import {
  ASK_MAIN,
  ASK_PROGRAM,
  broughtHelper,
  cacheOf,
  connected,
  needsRoot,
  refusal,
  started,
} from "./connected-host.js";

const nothingLeftHere = (sshd: Sshd) => until("no ssh is left here", () => sshd.clients === 0);
const nothingLeftThere = (sshd: Sshd) => until("no process is left there", () => sshd.processes() === 0);
const given = refusal(/^No connection to /, /the connection was ended/);

async function asking(t: TestContext, answerer: Answerer) {
  const server = await AskpassServer.listening(answerer);
  t.after(() => server.close());
  return server.environment(ASK_PROGRAM, ASK_MAIN);
}

test("connecting to a host that never answers", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
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
  await until("something waits", () => isThere);
  giveUp.abort();
  await assert.rejects(connecting, given);
  await nothingLeftHere(sshd);
  // Given up before it began: nothing is started.
  await assert.rejects(started(sshd, { signal: giveUp.signal, program: "/nonexistent" }), given);
});

test("sending the helper over a slow line, also when the host stopped meanwhile", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
  const { port } = await slowLine(t, sshd.port, { delayMs: 1, bitsPerSecond: 2e6 });
  sshd.addHost("slow", port);
  const giveUp = new AbortController();
  const sending = started(sshd, {
    destination: "slow",
    signal: giveUp.signal,
    onProgress: ({ sentBytes = 0 }) => void (sentBytes > 200_000 && giveUp.abort()),
  });
  await assert.rejects(sending, refusal(/^No connection to slow/, /the connection was ended/));
  await nothingLeftHere(sshd);
  await nothingLeftThere(sshd);
  assert.deepEqual(readdirSync(cacheOf(sshd)), [], "no half file");

  // A machine that stops cannot tidy up; the next connection does. Homes may be on several machines, and files that
  // another one writes are not touched.
  const { sha256 } = await broughtHelper();
  const here = hostname();
  const [dead, alive, elsewhere] = [
    `helper-${sha256}.${here}.4194304`,
    `helper-${sha256}.${here}.`,
    `helper-${sha256}.elsewhere.4194304`,
  ];
  const vm = await busyVm(t, sshd.uid);
  for (const name of [dead, `${alive}${String(vm.pid)}`, elsewhere])
    sshd.write(join(".cache/extrospect", name), "half");
  await connected(t, sshd);
  assert.deepEqual(
    readdirSync(cacheOf(sshd)).sort(),
    [`helper-${sha256}`, `${alive}${String(vm.pid)}`, elsewhere].sort(),
  );
});

test("a helper that was started and sends nothing", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
  sshd.write(
    ".bashrc",
    `word=$(head -c 600 | grep -o -m 1 'extrospect-[0-9a-f]*' | head -n 1)\necho "$word start cached"\nexec cat >/dev/null\n`,
  );
  const giveUp = new AbortController();
  const { running, line } = await started(sshd, { signal: giveUp.signal });
  giveUp.abort();
  await until("it is over", () => running.child.exitCode !== null || running.child.signalCode !== null);
  await nothingLeftHere(sshd);
  await nothingLeftThere(sshd);
  assert.deepEqual(line, [], "nothing returns to it");
});

test("attaching", needsRoot, async (t) => {
  const sshd = await Sshd.start(t);
  const { piped } = await connected(t, sshd);
  const vm = await busyVm(t, sshd.uid);
  const { recording } = recordingOf(t, piped, vm.pid, 0, true);
  for (const method of ["extrospect/attach", "extrospect/capture/start"]) {
    const source = new CancellationTokenSource();
    const { recording: one } = recordingOf(
      t,
      {
        ...piped,
        listen: (listener) => piped.listen(listener),
        request: (name, params, token) => {
          const answer = piped.request(name, params, token);
          if (name === method) source.cancel();
          return answer;
        },
      },
      vm.pid,
      0,
      true,
    );
    await assert.rejects(one.start(source.token), (error) => error instanceof Cancelled, method);
    assert.equal(existsSync(one.file), false);
    await until(`nothing looks at the VM, ${method}`, () => sshd.processes(" sampler$") === 0);
    const captures = join(sshd.home, ".local/state/extrospect/captures");
    await until(
      `no capture is left there, ${method}`,
      () => !existsSync(captures) || readdirSync(captures).length === 0,
    );
  }
  // The connection is as good as before.
  await recording.start();
  assert.ok(sshd.processes(" sampler$") > 0, "who looks at the VM is called so");
  await recording.stop();
});

test("a question of ssh that is open when the connection is given up is none any more", needsRoot, async (t) => {
  const sshd = await Sshd.start(t, { passphrase: "open sesame" });
  let over: AbortSignal | undefined;
  const environment = await asking(t, (_, signal) => {
    over = signal;
    return new Promise(() => {});
  });
  const giveUp = new AbortController();
  const connecting = started(sshd, { environment, signal: giveUp.signal });
  await until("a question", () => over !== undefined);
  giveUp.abort();
  await assert.rejects(connecting, given);
  await until("nothing waits for the answer", () => over?.aborted);
  await nothingLeftHere(sshd);
});

test("the time while a question is open does not count", needsRoot, async (t) => {
  const sshd = await Sshd.start(t, { passphrase: "open sesame", isKnown: false });
  const environment = await asking(t, async ({ kind }) => {
    if (kind !== "confirm") return "open sesame";
    // Longer than a connection may take.
    await sleep(3_500);
    return "yes";
  });
  const { piped } = await connected(t, sshd, {
    environment,
    program: sshd.sshWith("hurried-ssh", ["ConnectTimeout=3"]),
  });
  await piped.request("extrospect/list", {});
});

test("a wrong password is requested again, and a third one ends it", needsRoot, async (t) => {
  const sshd = await Sshd.start(t, { password: "open sesame" });
  const asked: string[] = [];
  let answers = ["wrong", "open sesame"];
  const environment = await asking(t, ({ text, kind }) => {
    asked.push(`${kind}: ${text}`);
    return Promise.resolve(answers.shift());
  });
  const { piped } = await connected(t, sshd, { environment });
  await piped.request("extrospect/list", {});
  assert.equal(asked.length, 2);
  assert.match(asked[0] ?? "", /^secret: .*'s password: ?$/);
  answers = ["1", "2", "3", "4"];
  await assert.rejects(connected(t, sshd, { environment }), refusal(/^No connection to far/, /Permission denied/));
  assert.deepEqual(answers, ["4"]);
});
