// Looks at VMs in which all memory moves, and at some where code does, too: everything that rests is shown as it is in
// each of them.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RpcClient } from "../e2e/rpc-client.mjs";
import { isNightly, releasesOf } from "../nightly.mjs";
import { until } from "../until.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { runErl } from "../vms/vm.mjs";

/** Of each release: a thousand in all by `npm run nightly`. */
const LOOKS = isNightly ? 250 : 60;
/** After which no process storms. */
const MOST_LOOKS = 50_000;
const RESTING = 120;
/** The resting processes were started first, behind the VM's own, so that all are in the first window by pid. */
const WINDOW = 200;

const QUERY = {
  sort: "pid",
  descending: false,
  filter: "",
  grouping: "none",
  open: [],
  alarms: { mailbox: null, memory: null },
  onlyAlarming: false,
};

// Processes that rest have to be told apart from those that wait for a processor: all releases at once are a storm of
// their own.
describe("beside storms", { concurrency: true }, () => {
  for (const release of releasesOf(ALL_OTP_RELEASES, "23")) {
    test(`OTP ${release}: no entry of a process that rests is wrong, missing or doubled, and who runs is marked`, async (t) => {
      const last = new Map();
      await looks(t, release, [], (row) => {
        assert.deepEqual(row, last.get(row.pid) ?? row);
        last.set(row.pid, row);
      });
    });
  }

  for (const release of releasesOf(ALL_OTP_RELEASES, "29")) {
    test(`OTP ${release}: nor while code is loaded and purged, but what is not known at that moment`, async (t) => {
      const last = new Map();
      await looks(t, release, ["reload"], (row) => {
        const { reductions, ...same } = last.get(row.pid) ?? row;
        assert.ok(row.reductions >= reductions, `${row.reductions} after ${reductions} reductions`);
        // A purge of code queries each process whether it runs any of it: for that moment none of them rests.
        const { status, current, file, line, memory, memoryAtLeast, messageBytes } = row;
        // The request is a signal in its queue, and a queue that moves is counted as far as it could be read.
        assert.ok(memory >= same.memory, `${memory} bytes after ${same.memory}`);
        const atWork = status === "waiting" ? {} : { status, current, file, line, memory, memoryAtLeast, messageBytes };
        // Nor is its place known when it worked while the list of code changed too fast to be read.
        const lost = current === null && row.reductions > reductions ? { current, file, line } : {};
        const unread = row.binaryBytes === null ? { binaryBytes: null } : {};
        assert.deepEqual(row, { ...same, ...atWork, ...lost, ...unread, reductions: row.reductions });
        if (status === "waiting" && current !== null && row.binaryBytes !== null) last.set(row.pid, row);
      });
    });
  }
});

/**
 * Looks again and again, and holds each entry of those that rest against the one before.
 * @param {import("node:test").TestContext} t @param {import("../vms/otp.mjs").OtpRelease} release @param {string[]} more @param {(row: any) => void} judge
 */
async function looks(t, release, more, judge) {
  const vm = await runErl({ otp: await prepareOtp(release), module: "gt_storms", args: [RESTING, ...more] });
  t.after(() => vm.kill());
  const { resting, storming } = await vm.report();
  const rpc = new RpcClient();
  t.after(() => rpc.child.kill());
  await rpc.initialize();
  // Code that is loaded again all the time may be refused to be read; the next try finds it between two loads.
  const { insideId } = await until("it was opened", () => rpc.request("extrospect/inside/open", { pid: vm.pid }));
  let marked = 0;
  let came = 0;
  let before = new Set();
  // A VM that has to wait for a processor storms little during that time: then there are more looks.
  const isEnough = () => marked > 0 && came > WINDOW;
  for (let look = 0; look < LOOKS || (look < MOST_LOOKS && !isEnough()); look++) {
    const { lines } = await rpc.request("extrospect/inside/processes", {
      insideId,
      look: true,
      query: QUERY,
      first: 0,
      limit: WINDOW,
    });
    const rows = new Map(lines.map((/** @type {any} */ line) => [line.process.pid, line.process]));
    assert.equal(rows.size, lines.length, "none twice");
    for (const pid of resting) {
      assert.ok(rows.has(pid), `${pid} is there in look ${look}`);
      judge(rows.get(pid));
    }
    const running = storming
      .map((/** @type {string} */ pid) => rows.get(pid))
      .filter((/** @type {any} */ row) => row?.status === "running");
    // A running process has its place in a register of the processor, or contradicts itself and is counted as torn.
    for (const { current } of running) assert.equal(current, null);
    marked += running.length;
    came += [...rows.keys()].filter((pid) => !before.has(pid)).length;
    before = new Set(rows.keys());
  }
  assert.ok(marked > 0, "who works was seen to run");
  assert.ok(came > WINDOW, "processes came and went");
}
