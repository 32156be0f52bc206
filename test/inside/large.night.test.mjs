// A heap of two gigabytes and five million messages: looks at them end, report the parts that were not counted, and can
// be ended. By night only: the VM takes six gigabytes while it makes the heap.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { helperJson, runHelper, samplersOf, temporaryFolder } from "../e2e/helper.mjs";
import { RpcClient } from "../e2e/rpc-client.mjs";
import { isNightly } from "../nightly.mjs";
import { until } from "../until.mjs";
import { prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

const skip = isNightly ? false : "by night only";
const ELEMENTS = 24_000_000;
const WORDS_OF_ONE = 11;
const MESSAGES = 5_000_000;
/** The longest that any of these may take on a machine with other work. */
const timeoutMs = 600_000;

test("a heap of two gigabytes is looked through, with progress, and Ctrl-C ends that", { skip }, async (t) => {
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_large", args: ["heap", ELEMENTS] });
  t.after(() => vm.kill());
  const words = (await vm.report()).heap_words;
  assert.ok(words >= ELEMENTS * WORDS_OF_ONE);
  const run = await runHelper(["heap", vm.pid, "large", "--json"], {
    timeoutMs,
    wrapper: ["env", "EXTROSPECT_PROGRESS=1"],
  });
  assert.equal(run.code, 0, run.stderr);
  const heap = JSON.parse(run.stdout);
  assert.deepEqual([heap.used_words, heap.live_words, heap.live_words_at_least], [words, words, false]);
  assert.equal(heap.roots[0].root, "y0 of gt_large:live/3");
  const counts = Object.fromEntries(heap.kinds.map((/** @type {any} */ { kind, count }) => [kind, count]));
  assert.deepEqual([counts.tuple, counts.list, counts["binary on the heap"]], [ELEMENTS, 2 * ELEMENTS, ELEMENTS]);
  const shares = [...run.stderr.matchAll(/the heap of (\d+) MB, (\d+) %/g)].map(([, megabytes, share]) => [
    Number(megabytes),
    Number(share),
  ]);
  assert.ok(shares.length > 1, run.stderr);
  assert.ok(
    shares.every(([megabytes]) => megabytes === Math.floor((words * 8) / 1e6)),
    run.stderr,
  );
  assert.deepEqual(
    shares,
    shares.toSorted(([, one], [, other]) => (one ?? 0) - (other ?? 0)),
  );

  /** @type {number[]} */
  let samplers = [];
  const ended = await runHelper(["heap", vm.pid, "large"], {
    timeoutMs,
    onStart: (child) => {
      void until("it samples", () => {
        samplers = samplersOf(child.pid ?? 0);
        return samplers.length > 0;
      }).then(() => setTimeout(() => child.kill("SIGINT"), 2000));
    },
  });
  assert.deepEqual([ended.code === 0, ended.stdout], [false, ""]);
  await until("the process that read it has ended", () => samplers.every((pid) => !existsSync(`/proc/${pid}`)));

  const rpc = new RpcClient();
  t.after(() => rpc.kill());
  await rpc.initialize();
  const { insideId } = await rpc.request("extrospect/inside/open", { pid: vm.pid });
  const givenUp = rpc.refused("extrospect/inside/heap", { insideId, process: "large", workDoneToken: "large" });
  // Its begin, and a report.
  const told = await rpc.notified("$/progress", 2);
  assert.equal(told[1].token, "large");
  assert.equal(told[1].value.message, `${Math.floor((words * 8) / 1e6)} MB`);
  rpc.send({ method: "$/cancelRequest", params: { id: rpc.lastId } });
  assert.equal((await givenUp).code, -32800);
  const small = await rpc.request("extrospect/inside/heap", { insideId, process: "init" });
  assert.ok(small.liveWords > 0 && !small.liveWordsAtLeast, "the next question is answered");
  assert.equal((await helperJson(["ps", vm.pid])).rejected.torn, 0, "the VM is as it was");
});

test("readings of five million messages end, and state the part that was not followed", { skip }, async (t) => {
  const vm = await runErl({ otp: await prepareOtp("27"), module: "gt_large", args: ["messages", MESSAGES] });
  t.after(() => vm.kill());
  const { messages, memory_bytes } = await vm.report();
  assert.equal(messages, MESSAGES);
  const { processes } = await helperJson(["ps", vm.pid], { timeoutMs });
  const large = processes.find((/** @type {any} */ { name }) => name === "large");
  assert.deepEqual([large.mailbox, large.memory_at_least], [MESSAGES, true]);
  assert.ok(large.memory <= memory_bytes, `${large.memory} of ${memory_bytes}`);
  const heap = await helperJson(["heap", vm.pid, "large"], { timeoutMs });
  assert.deepEqual([heap.mailbox, heap.live_words_at_least, heap.messages.unread], [MESSAGES, true, MESSAGES - 5000]);
  assert.ok(heap.messages.off_heap + heap.messages.on_heap < MESSAGES);
  assert.deepEqual(heap.messages.shapes, [{ shape: "{work, _, [_]}", count: 5000 }]);
  const waits = await helperJson(["waits", vm.pid, "-d", 2, "-o", `${temporaryFolder(t)}/waits.pb.gz`], { timeoutMs });
  assert.ok(waits.waits.some((/** @type {any} */ { stack }) => JSON.stringify(stack).includes("gt_large:live/3")));
});
