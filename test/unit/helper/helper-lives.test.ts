// Starts and stops of the real helper that cross each other.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { test, type TestContext } from "node:test";
import { HelperError } from "../../../extension/src/helper/helper-error.js";
import type { RunningProgram } from "../../../extension/src/helper/running-program.js";
import { until } from "../../until.mjs";
import { HELPER } from "../recording/piped-helper.js";
import { inWindow } from "./in-window.js";

const failed = () => new HelperError("noAnswer", "it did not start", "", "");

/** A helper of which the test decides when it is started; `programs` are those that were. */
async function startedAt(
  t: TestContext,
  run: (program: () => RunningProgram, number: number) => Promise<RunningProgram>,
) {
  const { Helper, context, log } = await inWindow(t);
  const programs: ChildProcess[] = [];
  let runs = 0;
  const program = (): RunningProgram => {
    const child = spawn(HELPER, ["serve", "--stdio"], { stdio: "pipe" });
    programs.push(child);
    t.after(() => child.kill("SIGKILL"));
    return { child, input: child.stdin, output: child.stdout, name: HELPER, gone: (how) => how, endedEarly: failed };
  };
  const helper = new Helper(
    { run: () => run(program, (runs += 1)), startsByItself: true },
    log,
    context.subscriptions as never,
  );
  t.after(() => helper.stop());
  return { helper, programs, runs: () => runs };
}

const hasEnded = (child: ChildProcess | undefined) => child?.exitCode !== null || child.signalCode !== null;

test("a start that was stopped ends the program that it makes later", async (t) => {
  let goOn = () => {};
  const { helper, programs, runs } = await startedAt(
    t,
    (program) => new Promise((resolve) => (goOn = () => resolve(program()))),
  );
  const asking = assert.rejects(helper.request("extrospect/list", {}));
  await until("it is being started", () => runs() === 1);
  const stopping = helper.stop();
  goOn();
  await stopping;
  await asking;
  await until("the program has ended", () => programs.length === 1 && hasEnded(programs[0]));
});

test("an old start that fails late leaves the newer program in use", async (t) => {
  let fail = () => {};
  const { helper, programs, runs } = await startedAt(t, (program, number) =>
    number > 1 ? Promise.resolve(program()) : new Promise((_, reject) => (fail = () => reject(failed()))),
  );
  const asking = assert.rejects(helper.request("extrospect/list", {}));
  await until("it is being started", () => runs() === 1);
  const restarting = helper.restart();
  // It is given up, and the newer one waits for it.
  await asking;
  fail();
  await restarting;
  await helper.request("extrospect/list", {});
  assert.equal(programs.length, 1);
  assert.equal(helper.pid, programs[0]?.pid);
});

test("a helper that is stopped right after it has ended by itself stays so", async (t) => {
  const { helper, programs, runs } = await startedAt(t, (program) => Promise.resolve(program()));
  await helper.request("extrospect/list", {});
  const exited = new Promise((resolve) => programs[0]?.stdout?.once("close", resolve));
  programs[0]?.kill("SIGKILL");
  await exited;
  await helper.stop();
  // With the end of its remains it would have been started again.
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.equal(runs(), 1);
  // The next request starts it.
  await helper.request("extrospect/list", {});
  assert.equal(runs(), 2);
});

test("one that ends by itself is started again, and its listeners hear of the end before", async (t) => {
  const { helper, programs, runs } = await startedAt(t, (program) => Promise.resolve(program()));
  await helper.request("extrospect/list", {});
  const heard: string[] = [];
  const nothing = () => {};
  helper.listen({
    increment: nothing,
    resync: nothing,
    ended: nothing,
    helperGone: (why) => heard.push(`${String(runs())}: ${why}`),
  });
  programs[0]?.kill("SIGKILL");
  await until("it runs again", () => programs.length === 2);
  await helper.request("extrospect/list", {});
  assert.deepEqual(heard, ["1: it was ended by signal SIGKILL"]);
  assert.equal(programs.length, 2);
});

test("what a helper held is requested of no other one, and starts none", async (t) => {
  const { helper, programs, runs } = await startedAt(t, (program) => Promise.resolve(program()));
  await helper.request("extrospect/list", {});
  const isEnded = { name: "HelperError", problem: "ended" };
  const heard: string[] = [];
  const nothing = () => {};
  helper.listen({ increment: nothing, resync: nothing, ended: nothing, helperGone: (why) => heard.push(why) });
  const exited = new Promise((resolve) => programs[0]?.stdout?.once("close", resolve));
  programs[0]?.kill("SIGKILL");
  await exited;
  // Its end is noticed, and not reported yet.
  await assert.rejects(helper.request("extrospect/detach", { attachmentId: 1 }), isEnded);
  assert.equal(heard.length, 1, "the end is reported before");
  await helper.stop();
  const before = runs();
  await assert.rejects(helper.request("extrospect/capture/stop", { captureId: 1 }), isEnded);
  await assert.rejects(helper.request("extrospect/inside/close", { insideId: 1 }), isEnded);
  assert.equal(runs(), before);
});

/** A helper whose program never answers, which is shown at once. */
async function muteAt(t: TestContext) {
  const { Helper, context, log, vscode } = await inWindow(t);
  const child = spawn("sleep", ["600"], { stdio: "pipe" });
  t.after(() => child.kill("SIGKILL"));
  const program: RunningProgram = {
    child,
    input: child.stdin,
    output: child.stdout,
    name: "mute",
    gone: (how) => how,
    endedEarly: failed,
  };
  const helper = new Helper(
    { run: () => Promise.resolve(program), startsByItself: true, slowAfterMs: 0 },
    log,
    context.subscriptions as never,
  );
  t.after(() => helper.stop());
  return { helper, child, shown: vscode.progresses };
}

test("a helper that does not answer is waited for in sight of the user, who may give it up", async (t) => {
  const { helper, child, shown } = await muteAt(t);
  const asking = assert.rejects(helper.request("extrospect/list", {}), {
    problem: "noAnswer",
    what: "mute does not answer",
  });
  const [progress] = await until("the wait is shown", () => shown.length > 0 && shown);
  assert.ok(progress);
  assert.equal(progress.title, "The helper mute has not answered yet");
  progress.cancel();
  await asking;
  await until("its program has ended, and nothing is shown", () => hasEnded(child) && shown.length === 0);
});

test("a helper that ends before it answers fails the request, and nothing is shown any more", async (t) => {
  const { helper, child, shown } = await muteAt(t);
  const asking = assert.rejects(helper.request("extrospect/list", {}), { what: "it did not start" });
  await until("the wait is shown", () => shown.length > 0);
  child.kill("SIGKILL");
  await asking;
  await until("nothing is shown", () => shown.length === 0);
});

test("a request that is cancelled does not wait for the answer", async (t) => {
  const { helper, child, shown } = await muteAt(t);
  let cancel = () => {};
  const token = {
    isCancellationRequested: false,
    onCancellationRequested: (listener: () => void) => {
      cancel = listener;
      return { dispose: () => {} };
    },
  };
  const asking = assert.rejects(helper.request("extrospect/list", {}, token), { name: "Cancelled" });
  await until("the wait is shown", () => shown.length > 0);
  cancel();
  await asking;
  assert.ok(!hasEnded(child), "others may wait for it");
});
