// heap: messages by shape, keys of dictionaries and maps, links and monitors, compared with the VM's own report.
import assert from "node:assert/strict";
import { test } from "node:test";
import { helperJson, runHelper } from "../e2e/helper.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: messages, dictionary, links and monitors are those of process_info`, async (t) => {
    const vm = await runErl({ otp: await prepareOtp(release), module: "gt_mailboxes" });
    t.after(() => vm.kill());
    // Before the VM is queried: the answers of process_info/2 about it are on the heap.
    const all = (await helperJson(["ps", vm.pid])).processes;
    const offHeap = [];
    for (const { pid } of all.filter((/** @type {any} */ { mailbox }) => mailbox === 5))
      offHeap.push((await helperJson(["heap", vm.pid, pid])).messages.off_heap);
    assert.equal(offHeap.length, 2);
    assert.ok(offHeap.includes(2), `${offHeap} of 5 have memory of their own`);
    const { processes } = await vm.report();
    /** @type {any[]} */
    const heaps = [];
    for (const { pid } of processes) heaps.push(await helperJson(["heap", vm.pid, pid]));
    for (const [index, said] of processes.entries()) {
      const { messages, dictionary, links, monitors, mailbox, roots } = heaps[index];
      assert.equal(mailbox, said.length);
      assert.equal(messages.on_heap + messages.off_heap, said.length);
      assert.deepEqual(messages.first, said.first);
      // 2,500 are read from either end.
      assert.equal(messages.unread, Math.max(said.length - 5000, 0));
      const counts = Object.fromEntries(messages.shapes.map((/** @type {any} */ { shape, count }) => [shape, count]));
      if (messages.unread === 0) assert.deepEqual(counts, said.shapes);
      else for (const [shape, count] of Object.entries(counts)) assert.ok(count <= said.shapes[shape], shape);
      assert.deepEqual(messages.last, said.length > 5 ? said.last.slice(-Math.min(5, said.length - 5)) : []);
      const keys = dictionary.map((/** @type {string} */ key) => (key === "{…}" ? "{_}" : key));
      assert.deepEqual(keys.toSorted(), said.keys.toSorted());
      assert.deepEqual(links.toSorted(), said.links.toSorted());
      assert.deepEqual([heaps[index].links_count, heaps[index].monitors_count], [links.length, monitors.length]);
      assert.deepEqual(monitors.toSorted(), said.monitors.toSorted());
      const cache = roots.find((/** @type {any} */ { root }) => root === "dictionary key cache");
      const parts = cache.parts.map((/** @type {any} */ { part }) => part);
      assert.ok(parts.includes("element 2, key entries"), parts.join("; "));
      assert.ok(
        parts.some((/** @type {string} */ part) => /^element 2, value \d$/.test(part)),
        "a key that is no atom is shown by its position",
      );
    }
    const everything = JSON.stringify(heaps);
    assert.ok(!/secret|said to/.test(everything), "no contents");
    if (release === "27") await contentsAreForTheTerminal(vm.pid, processes[0].pid);
  });
}

/**
 * Contents are shown where the user requests them, in the terminal, and nowhere else.
 * @param {number} vm @param {string} pid
 */
async function contentsAreForTheTerminal(vm, pid) {
  const plain = await runHelper(["heap", vm, pid]);
  assert.ok(!plain.stdout.includes("secret of nobody"));
  assert.match(plain.stdout, /2 +\{work, _, \[_\]\}/);
  assert.match(plain.stdout, /^links: <0\./m);
  const { stdout } = await runHelper(["heap", vm, pid, "--values"]);
  assert.match(stdout, /^message 2: \{work,1,"<0\.\d+\.0>"\}$/m);
  assert.match(stdout, /^dictionary: \{\{user,17\},"secret of nobody"\}$/m);
  assert.equal((await runHelper(["heap", vm, pid, "--values", "--json"])).code, 2);
}
