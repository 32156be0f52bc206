// The list of processes that an editor shows: compared with `ps`, beside a storm, and by its queries.
import assert from "node:assert/strict";
import { test } from "node:test";
import { helperJson } from "../e2e/helper.mjs";
import { RpcClient } from "../e2e/rpc-client.mjs";
import { ALL_OTP_RELEASES, prepareOtp } from "../vms/otp.mjs";
import { until } from "../until.mjs";
import { runErl } from "../vms/vm.mjs";

/** Of each of ten kinds. */
const EACH = 60;
const WINDOW = 200;
/** More than within how many looks all that is known of a process is read again. */
const LOOKS = 20;

const QUERY = {
  sort: "pid",
  descending: false,
  filter: "",
  grouping: "none",
  open: [],
  alarms: { mailbox: null, memory: null },
  onlyAlarming: false,
};

/** @param {import("node:test").TestContext} t @param {import("../vms/otp.mjs").OtpRelease} release @param {string[]} [more] */
async function opened(t, release, more = []) {
  const vm = await runErl({ otp: await prepareOtp(release), module: "gt_inside", args: [EACH, ...more] });
  t.after(() => vm.kill());
  const rpc = new RpcClient();
  t.after(() => rpc.child.kill());
  await rpc.initialize();
  const { insideId } = await rpc.request("extrospect/inside/open", { pid: vm.pid });
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
  return { vm, rpc, insideId, ask, all };
}

/** A row of the protocol with the names of `ps --json`. @param {Record<string, any>} row */
function asPs(row) {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

for (const release of ALL_OTP_RELEASES) {
  test(`OTP ${release}: the list has what ps has, in its first look and after each process was read anew`, async (t) => {
    const { vm, ask, all } = await opened(t, release);
    const expected = new Map(
      (await helperJson(["ps", vm.pid])).processes.map((/** @type {any} */ row) => [row.pid, row]),
    );
    const first = await all({}, true);
    for (let look = 0; look < LOOKS; look++) await ask({}, { look: true, limit: 1 });
    for (const lines of [first, await all({}, false)]) {
      assert.equal(new Set(lines.map((line) => line.key)).size, lines.length, "none twice");
      assert.equal(lines.length, expected.size);
      let rested = 0;
      for (const { process, position, siblings, inC } of lines) {
        // None of them sleeps in C code.
        const row = /** @type {any} */ ({ ...asPs(process), in_c: inC });
        assert.equal(siblings, lines.length);
        assert.ok(position >= 1 && position <= siblings);
        const there = expected.get(row.pid);
        if (there?.reductions !== row.reductions) continue;
        rested += 1;
        assert.deepEqual(row, there);
      }
      assert.ok(rested >= 10 * EACH, `${rested} rested`);
    }
  });
}

test("OTP 29: beside a storm of processes those that rest stay what they are, in every look", async (t) => {
  const { all } = await opened(t, "29", ["storm"]);
  const known = new Map((await all({ filter: "gt_inside:" }, true)).map(({ process }) => [process.pid, process]));
  assert.ok(known.size >= EACH, `${known.size} servers`);
  for (let look = 0; look < LOOKS; look++) {
    const lines = await all({ filter: "gt_inside:" }, true);
    const rows = new Map(lines.map(({ process }) => [process.pid, process]));
    assert.equal(rows.size, lines.length, "none twice");
    for (const [pid, process] of known) assert.deepEqual(rows.get(pid), process);
  }
});

test("sorting, filters, groups, the tree and alarms", async (t) => {
  const { vm, ask, all } = await opened(t, "27");
  const { processes } = await helperJson(["ps", vm.pid]);
  await ask({}, { look: true });
  const mailboxes = (await all({ sort: "mailbox", descending: true }, false)).map((line) => line.mailbox);
  assert.deepEqual(
    mailboxes,
    mailboxes.toSorted((a, b) => b - a),
  );
  assert.equal(mailboxes[0], Math.max(...processes.map((/** @type {any} */ row) => row.mailbox)));

  const groups = (await ask({ grouping: "initialCall" })).lines;
  const servers = groups.find((/** @type {any} */ line) => line.group === "gt_inside:init/1");
  assert.equal(servers?.count, EACH);
  const sum = (/** @type {any[]} */ lines, /** @type {string} */ key) =>
    lines.reduce((total, line) => total + line[key], 0);
  const memory = (/** @type {any[]} */ rows) => sum(rows, "memory");
  assert.equal(memory(groups), memory(await all({}, false)), "groups have the sums of all");
  const openGroup = (await ask({ grouping: "initialCall", open: [servers.key] })).lines;
  assert.equal(openGroup.length, groups.length + EACH);
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
});

test("rates are of the time between two looks: those that rest have none", async (t) => {
  const { ask, all } = await opened(t, "27", ["storm"]);
  const first = await all({}, true);
  assert.ok(first.every((line) => line.reductionsPerSecond === null));
  // On a busy machine it may be that no process worked between two looks.
  const second = await until("the storm's own", async () => {
    await ask({}, { look: true });
    const lines = await all({}, false);
    return lines.some((line) => line.reductionsPerSecond > 0) && lines;
  });
  assert.ok(
    second.some((line) => line.reductionsPerSecond === 0),
    "the others",
  );
});

test("the end of a VM, an id that names nothing, and a window of nothing", async (t) => {
  const { vm, rpc, insideId, ask } = await opened(t, "27");
  assert.deepEqual((await ask({}, { first: 1e9 })).lines, []);
  assert.deepEqual((await ask({ filter: "no such process" })).lines, []);
  const unknown = await rpc.refused("extrospect/inside/memory", { insideId: insideId + 1 });
  assert.match(unknown.message, /there is no inside/);
  const nobody = await rpc.refused("extrospect/inside/heap", { insideId, process: "<0.99999999.0>" });
  assert.match(nobody.data?.what ?? "", /<0\.99999999\.0>/);
  assert.equal((await ask({})).lines.length, WINDOW, "a refused question costs nothing");
  await vm.kill();
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
});
