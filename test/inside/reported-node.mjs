// A VM as a whole, compared with its own report of gt_inside.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { helperJson, runHelper } from "../e2e/helper.mjs";
import { until } from "../until.mjs";

/** Atoms and ports that a VM may gain while it is read. */
const GAINED = 50;
/** The counters of a VM, by the names of `node --json` and of gt_inside's `statistics`. */
const COUNTED = ["collections", "reclaimed_words", "reductions", "context_switches", "io_in_bytes", "io_out_bytes"];

/**
 * How full its tables are, and which schedulers are idle.
 * @param {import("../vms/vm.mjs").RunningVm} vm
 */
export async function assertTables(vm) {
  const { counts } = await vm.report();
  const node = await helperJson(["node", vm.pid]);
  assert.deepEqual(node.processes, { count: counts.processes, limit: counts.process_limit });
  assert.equal(node.ports.limit, counts.port_limit);
  assert.equal(node.atoms.limit, counts.atom_limit);
  for (const table of ["ports", "atoms"]) assertNear(node[table].count, counts[table]);
  assert.equal(node.run_queue, 0);
  const busy = node.schedulers.filter((/** @type {any} */ one) => one.busy_pct > 50);
  assert.deepEqual(busy, [], "nothing works");
  assert.ok(Number.isInteger(node.uptime_s) && node.uptime_s < 3600, String(node.uptime_s));
}

/**
 * Its counters.
 * @param {import("../vms/vm.mjs").RunningVm} vm
 */
export async function assertCounted(vm) {
  // The code that the first report loads is there by then.
  await vm.report();
  const before = await helperJson(["node", vm.pid]);
  const { statistics } = await vm.report();
  const after = await helperJson(["node", vm.pid]);
  assert.deepEqual(after.unknown, {});
  assert.ok(Number.isInteger(after.timers) && after.timers < 1000, `${after.timers} timers`);
  for (const counted of COUNTED) {
    assert.ok(
      before[counted] <= statistics[counted],
      `${counted} was ${before[counted]}, the VM reports ${statistics[counted]}`,
    );
    assert.ok(
      statistics[counted] <= after[counted],
      `${counted} is ${after[counted]}, the VM reports ${statistics[counted]}`,
    );
  }
  // Nothing but the report itself lies between the two looks.
  const { collections, context_switches: switches } = after;
  assert.ok(
    collections - before.collections < 100 && switches - before.context_switches < 1000,
    JSON.stringify([before, after]),
  );
  assert.ok(after.rss_bytes > 1e7 && after.rss_bytes < 1e9);
  assert.deepEqual(after.port_queues, { ports: 0, bytes: 0, longest: [], rejected: 0 });
}

/**
 * Its memory. A collection between the report and the look frees what the report took, a sixth of such a small VM.
 * @param {import("../vms/vm.mjs").RunningVm} vm
 */
export async function assertMemory(vm) {
  const { statistics } = await vm.report();
  const { memory_bytes: bytes } = await helperJson(["node", vm.pid]);
  const { total } = statistics.memory;
  assert.ok(
    bytes > total * 0.9 && bytes < total * 1.1,
    `${bytes}, the VM reports ${JSON.stringify(statistics.memory)}`,
  );
}

/**
 * The ports that have something to write.
 * @param {import("../vms/vm.mjs").RunningVm} vm   gt_ports with three of them
 */
export async function assertPorts(vm) {
  // The system may take some more into its pipes, on a busy machine late: figures that are the same before and after
  // a look were the same during it.
  const { ports, queues } = await until("a look while nothing is written", async () => {
    const { ports } = await vm.report();
    const { port_queues: queues } = await helperJson(["node", vm.pid]);
    return isDeepStrictEqual((await vm.report()).ports, ports) && { ports, queues };
  });
  const waiting = ports.filter((/** @type {any} */ port) => port.queue_bytes > 0);
  assert.equal(waiting.length, 3);
  assert.equal(queues.ports, 3);
  assert.equal(queues.rejected, 0);
  assert.equal(
    queues.bytes,
    waiting.reduce((/** @type {number} */ all, /** @type {any} */ port) => all + port.queue_bytes, 0),
  );
  const longestFirst = waiting.sort(
    (/** @type {any} */ one, /** @type {any} */ other) => other.queue_bytes - one.queue_bytes,
  );
  assert.deepEqual(
    queues.longest.map((/** @type {any} */ { busy: _, ...port }) => port),
    longestFirst.map((/** @type {any} */ port) => ({ ...port, name: port.name.split(" ")[0] })),
  );
  assert.ok(queues.longest[0].busy, "more than its high watermark waits");
}

/** @param {number} shown @param {number} reported */
function assertNear(shown, reported) {
  assert.ok(Math.abs(shown - reported) <= GAINED, `${shown}, the VM reports ${reported}`);
}

/** The programs below its ports, with the processes below these. @param {import("node:test").TestContext} t @param {import("../vms/vm.mjs").RunningVm} vm */
export async function assertChildren(t, vm) {
  const { programs, lost, beside_ports: besidePorts } = await vm.report();
  t.after(() => {
    try {
      process.kill(lost);
    } catch {
      // It has ended with its VM.
    }
  });
  // The shell starts its own child a little later, and each step of processor time is 10 ms.
  const { children } = await until("all have started and the one that works has worked", async () => {
    const node = await helperJson(["node", vm.pid]);
    const { processes, cpu_ms: ms, ended_cpu_ms: endedMs, beside_ports: beside } = node.children;
    return processes === 5 && ms > 0 && endedMs > 0 && beside?.processes === 1 && beside.cpu_ms > 0 && node;
  });
  assert.deepEqual(
    children.programs
      .map((/** @type {any} */ { pid, port, owner, processes }) => ({ pid, port, owner, processes }))
      .toSorted((/** @type {any} */ a, /** @type {any} */ b) => a.pid - b.pid),
    [
      ...programs.map((/** @type {any} */ it, /** @type {number} */ index) => ({
        ...it,
        processes: index === 1 ? 2 : 1,
      })),
      { pid: lost, port: null, owner: null, processes: 1 },
    ].toSorted((a, b) => a.pid - b.pid),
  );
  const sum = (/** @type {string} */ figure) =>
    children.programs.reduce((/** @type {number} */ all, /** @type {any} */ it) => all + it[figure], 0);
  assert.deepEqual([sum("cpu_ms"), sum("rss_bytes")], [children.cpu_ms, children.rss_bytes]);
  assert.ok(children.programs.every((/** @type {any} */ it) => it.rss_bytes > 0) && children.vm_cpu_ms > 0);
  const { stdout } = await runHelper(["node", vm.pid]);
  assert.match(stdout, /^5 processes below ports: \d+ ms of processor time, \d+ bytes resident; /m);
  assert.match(stdout, /^1 process below no port: at least \d+ ms of processor time with those that ended, \d+ bytes/m);
  assert.ok(children.beside_ports.rss_bytes > 0);
  assert.ok(children.programs.every((/** @type {any} */ { pid }) => pid !== besidePorts));
  const [first] = programs;
  assert.ok(stdout.includes(`  ${first.pid}, ${first.port} /bin/cat of ${first.owner}: `), stdout);
  assert.ok(stdout.includes(`  ${lost}, port not known: `), stdout);
  const listed = (await helperJson(["list"])).find((/** @type {any} */ row) => row.pid === vm.pid)?.portPrograms;
  assert.equal(listed.processes, children.processes);
  assert.ok(listed.cpuMs >= children.cpu_ms + children.ended_cpu_ms, JSON.stringify([listed, children]));
  assert.ok(listed.rssBytes > 0);
  const row = (await runHelper(["list"])).stdout.split("\n").find((line) => line.trim().startsWith(`${vm.pid} `));
  assert.match(row ?? "", / 5: \d+\.\d\d s, \d+\.\d\d MB /);
}
