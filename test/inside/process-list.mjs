// The list of processes that an editor shows, by the helper's protocol.
import assert from "node:assert/strict";
import { RpcClient } from "../e2e/rpc-client.mjs";

export const WINDOW = 200;

export const QUERY = {
  sort: "pid",
  descending: false,
  filter: "",
  grouping: "none",
  open: [],
  alarms: { mailbox: null, memory: null },
  onlyAlarming: false,
};

/** @param {import("node:test").TestContext} t @param {number} pid   of a VM */
export async function openedList(t, pid) {
  const rpc = new RpcClient();
  t.after(() => rpc.child.kill());
  await rpc.initialize();
  const { insideId } = await rpc.request("extrospect/inside/open", { pid });
  /** @param {Record<string, unknown>} query @param {{look?: boolean, first?: number, limit?: number}} [window] */
  const ask = (query, { look = false, first = 0, limit = WINDOW } = {}) =>
    rpc.request("extrospect/inside/processes", { insideId, look, query: { ...QUERY, ...query }, first, limit });
  /** All lines, by windows of one look. @param {Record<string, unknown>} query @param {boolean} look */
  const all = async (query, look) => {
    const lines = [];
    for (let first = 0, length = 1; first < length; first += WINDOW) {
      const answer = await ask(query, { look: look && first === 0, first });
      lines.push(...answer.lines);
      length = answer.length;
    }
    return lines;
  };
  return { rpc, insideId, ask, all };
}

/** A row of the protocol with the names of `ps --json`. @param {Record<string, any>} row */
function asPsRow(row) {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

/**
 * The list has the processes that `ps` has, in its first look and after each was read anew.
 * @param {Awaited<ReturnType<typeof openedList>>} list @param {any[]} processes   of `ps` @param {{looks: number, resting: number}} how
 */
export async function assertList({ ask, all }, processes, { looks, resting }) {
  const expected = new Map(processes.map((row) => [row.pid, row]));
  const first = await all({}, true);
  for (let look = 0; look < looks; look++) await ask({}, { look: true, limit: 1 });
  for (const lines of [first, await all({}, false)]) {
    assert.equal(new Set(lines.map((line) => line.key)).size, lines.length, "none twice");
    assert.equal(lines.length, expected.size);
    let rested = 0;
    for (const { process, position, siblings, inC } of lines) {
      // None of them sleeps in C code.
      const row = /** @type {any} */ ({ ...asPsRow(process), in_c: inC, in_c_known: true });
      assert.equal(siblings, lines.length);
      assert.ok(position >= 1 && position <= siblings);
      const there = expected.get(row.pid);
      if (there?.reductions !== row.reductions) continue;
      rested += 1;
      assert.deepEqual(row, there);
    }
    assert.ok(rested >= resting, `${rested} rested`);
  }
}

/**
 * Sorting, filters, groups, the tree and alarms.
 * @param {Awaited<ReturnType<typeof openedList>>} list @param {any[]} processes   of `ps` @param {number} each   servers of gt_inside
 */
export async function assertQueries({ ask, all }, processes, each) {
  await ask({}, { look: true });
  const mailboxes = (await all({ sort: "mailbox", descending: true }, false)).map((line) => line.mailbox);
  assert.deepEqual(
    mailboxes,
    mailboxes.toSorted((a, b) => b - a),
  );
  assert.equal(mailboxes[0], Math.max(...processes.map((/** @type {any} */ row) => row.mailbox)));

  const groups = (await ask({ grouping: "initialCall" })).lines;
  const servers = groups.find((/** @type {any} */ line) => line.group === "gt_inside:init/1");
  assert.equal(servers?.count, each);
  const sum = (/** @type {any[]} */ lines, /** @type {string} */ key) =>
    lines.reduce((total, line) => total + line[key], 0);
  const memory = (/** @type {any[]} */ rows) => sum(rows, "memory");
  assert.equal(memory(groups), memory(await all({}, false)), "groups have the sums of all");
  const openGroup = (await ask({ grouping: "initialCall", open: [servers.key] })).lines;
  assert.equal(openGroup.length, groups.length + each);
  assert.equal(
    sum(
      openGroup.filter((/** @type {any} */ line) => line.level === 2),
      "memory",
    ),
    servers.memory,
  );

  const inTree = (await ask({ grouping: "tree", filter: "file_server_2" })).lines;
  assert.equal(inTree.at(-1).process.name, "file_server_2");
  for (const [index, line] of inTree.slice(1).entries())
    assert.equal(line.process.parent, inTree[index].key, "each below who started it");
  const fileServer = (await ask({ filter: "file_server_2" })).lines.find(
    (/** @type {any} */ line) => line.process.name === "file_server_2",
  );
  assert.deepEqual([fileServer.supervisor, fileServer.application], ["kernel_sup", "kernel_sup"]);

  const alarmed = await ask({ alarms: { mailbox: 40, memory: null }, onlyAlarming: true });
  const expected = processes.filter((/** @type {any} */ row) => row.mailbox >= 40).length;
  assert.deepEqual([alarmed.alarming, alarmed.length, alarmed.lines.length], [expected, expected, expected]);
  assert.ok(alarmed.lines.every((/** @type {any} */ line) => line.alarming));
}

/**
 * A window of nothing, an id that names nothing, and the end of the VM.
 * @param {Awaited<ReturnType<typeof openedList>>} list @param {import("../vms/vm.mjs").RunningVm} vm
 */
export async function assertEnd({ rpc, insideId, ask }, vm) {
  assert.deepEqual((await ask({}, { first: 1e9 })).lines, []);
  assert.deepEqual((await ask({ filter: "no such process" })).lines, []);
  const unknown = await rpc.refused("extrospect/inside/memory", { insideId: insideId + 1 });
  assert.match(unknown.message, /there is no inside/);
  const nobody = await rpc.refused("extrospect/inside/heap", { insideId, process: "<0.99999999.0>" });
  assert.match(nobody.data?.what ?? "", /<0\.99999999\.0>/);
  assert.equal((await ask({})).lines.length, WINDOW, "a refused question costs nothing");
  vm.kill();
  await vm.ended;
  const gone = await rpc.refused("extrospect/inside/processes", {
    insideId,
    look: true,
    query: QUERY,
    first: 0,
    limit: 1,
  });
  assert.equal(gone.data?.exitCode, 5);
  await rpc.request("extrospect/inside/close", { insideId });
  assert.match((await rpc.refused("extrospect/inside/close", { insideId })).message, /there is no inside/);
}
