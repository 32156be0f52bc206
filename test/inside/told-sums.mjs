// Sums of the memory outside of heaps, and heaps that are hard to read, compared with the VM's own report of gt_sums.
import assert from "node:assert/strict";
import { assertRefused, helperJson, runHelper } from "../e2e/helper.mjs";

/** A queried process keeps the query in a fragment of its heap for a moment. */
const QUESTION_BYTES = 400;
const BUFFERED_MESSAGES = 20_000;
/** Messages on heaps: a struct, a tuple of three and a list of fifty each. */
const ON_HEAP = { received: 20_000, received_few: 3000, received_of_ten: 20_000 };
const ON_HEAP_BYTES = 88 + 8 * (4 + 2 * 50);
/** The heap of a process that has only waited. */
const HEAP_BYTES = 8 * 233;

/**
 * Messages, links and monitors are in a process's memory, and a mailbox in buffers is counted.
 * @param {import("../vms/vm.mjs").RunningVm} vm @param {import("../vms/otp.mjs").OtpRelease} release
 */
export async function assertSums(vm, release) {
  const { processes } = await helperJson(["ps", vm.pid]);
  /** @type {Map<string, any>} */
  const shown = new Map(
    processes
      .filter((/** @type {any} */ { name }) => name !== null)
      .map((/** @type {any} */ row) => [row.name.replaceAll("'", ""), row]),
  );
  // OTP 23 has no buffers.
  const buffered = shown.get("buffered");
  if (release !== "23") {
    assert.deepEqual([buffered.mailbox, buffered.mailbox_at_least], [BUFFERED_MESSAGES, false]);
    assert.ok(buffered.message_bytes >= BUFFERED_MESSAGES * 88, `${buffered.message_bytes} bytes of messages`);
  }

  const said = await vm.report();
  assert.equal(said.buffers, release !== "23", "buffers could be switched on");
  for (const [name, bytes] of Object.entries(said.memory)) {
    const { memory, memory_at_least: atLeast, message_bytes: messages } = shown.get(name);
    assert.ok(
      Math.abs(memory - Number(bytes)) <= Number(bytes) / 100 + QUESTION_BYTES,
      `${name}: ${memory} bytes, the VM has ${bytes}`,
    );
    assert.equal(atLeast, false, name);
    if (["big", "many", ...Object.keys(ON_HEAP)].includes(name))
      assert.ok(messages > memory * 0.9 && messages < memory, `${name}: ${messages} of ${memory} bytes`);
  }
  for (const [name, count] of Object.entries(ON_HEAP)) {
    const { memory, mailbox, message_bytes: messages } = shown.get(name);
    const bytes = Number(said.memory[name]);
    assert.ok(Math.abs(memory - bytes) <= QUESTION_BYTES, `${name}: ${memory} bytes, the VM has ${bytes}`);
    assert.equal(mailbox, count, name);
    // The terms of the first ones may be on the heap of the process, which the VM counts as such.
    const least = count * ON_HEAP_BYTES - HEAP_BYTES;
    assert.ok(messages >= least && messages <= count * ON_HEAP_BYTES, `${name}: ${messages} bytes of messages`);
  }
  const [first] = (await helperJson(["ps", vm.pid, "--sort", "memory", "-n", "1"])).processes;
  assert.ok(["received", "received_of_ten"].includes(first.name), first.name);

  assert.deepEqual([shown.get("big").label, shown.get("big").label_known], [null, true], "it has none");
  // It collects its garbage all the time. Null would say that it has none.
  const { label, label_known: isLabelKnown } = shown.get("busy");
  assert.equal(label, isLabelKnown ? "{busy,1}" : null);
  const labelled = processes.filter((/** @type {any} */ row) => row.initial_call === "gt_sums:labelled/0");
  assert.deepEqual(
    labelled.map((/** @type {any} */ row) => [row.name, row.label]),
    [[null, labelled[0].label_known ? "{busy,2}" : null]],
  );
  // Where people look for it, too: the function that it began with is not all that it has.
  const { stdout } = await runHelper(["ps", vm.pid, "-n", "0"]);
  const row = stdout.split("\n").find((line) => line.includes(labelled[0].pid)) ?? "";
  assert.match(row, /^\S+ +(?:\{busy,2\}|gt_sums:labelled\/0 \(label not known\)) /);

  // The busy one is looked at while it works: unknown values are last, and counted.
  const sorted = await helperJson(["ps", vm.pid, "--sort", "binaries"]);
  const bytes = sorted.processes.map((/** @type {any} */ process) => process.binary_bytes);
  assert.deepEqual(
    bytes.slice(bytes.length - sorted.unknown_values),
    bytes.filter((/** @type {number | null} */ some) => some === null),
  );

  const deep = await helperJson(["heap", vm.pid, "deep"]);
  assert.ok(deep.stack.length < 10, `${deep.stack.length} frames`);
  assert.ok(
    deep.stack.some((/** @type {any} */ frame) => frame.function === "gt_sums:recursion/1" && frame.times > 299_000),
  );
  assert.equal(deep.stack_frames_left_out, 0);
  assert.equal(
    deep.stack.reduce((/** @type {number} */ sum, /** @type {any} */ { times }) => sum + times, 0),
    deep.stack_frames,
  );

  const related = await helperJson(["heap", vm.pid, shown.get("related").pid.slice(1, -1)]);
  assert.deepEqual([related.links_count, related.monitors_count], [said.related.links, said.related.monitors]);
  assert.deepEqual([related.links.length, related.monitors.length], [1000, 1000]);
  const ports = related.links.filter((/** @type {string} */ link) => link.startsWith("#Port"));
  for (const port of ports) assert.ok(said.related.ports.includes(port), port);

  const named = await helperJson(["heap", vm.pid, "Gt.Named"]);
  assert.equal(named.pid, shown.get("Elixir.Gt.Named").pid);
  assert.equal((await helperJson(["heap", vm.pid, `#PID${named.pid}`])).pid, named.pid);
  assert.equal(
    shown.get("Elixir.Gt.Named").label,
    '{<<"customer ACME Corporation International, Department of long name…">>,<<"order 42">>,#{rate => 1.5}}',
  );

  const busy = await runHelper(["heap", vm.pid, "busy"]);
  if (busy.code !== 0) {
    assertRefused(busy, 1);
    assert.match(busy.stderr, /did not rest for a copy.*extrospect pstack/s);
  }
}
